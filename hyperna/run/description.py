"""The description of a run: every option once, with its type, default, range, help and place.

What all options go through reads them here: the arguments of `OnePlusOneNA` and of its `run`, the
options of the commands, the keys of campaign files, the digest of a setting, the columns of a frame
of runs, what IOHprofiler is told, exact runtimes and the play page. A new option is a field of one
of the first three classes below; CONTRIBUTING.md says which code uses it then and what tests it.

Where an option is an argument of a function by its name, as in `expected_runtime`, the signature
repeats its default for those who read it, and some docstrings repeat ends of a range. The tests
compare these with what is said here.

- `SubjectOptions`: which algorithm is run on which problem, and how networks are judged.
- `AlgorithmOptions`: the network and its mutation, which are the arguments of `OnePlusOneNA`.
- `RunOptions`: what terms cost and when a run ends, which are keyword arguments of ``run``.
- `RunDescription`: all of these, and the seed, which is an argument of its own wherever runs begin.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypedDict

from hyperna._validation import check_choice, check_flag, check_integer, check_real, check_text
from hyperna._words import did_you_mean, shown
from hyperna.fitness.points import METHODS, Sampled
from hyperna.mutation import StepLaw
from hyperna.network.grid import INITS, MAX_RESOLUTION
from hyperna.network.neurons import NEURONS
from hyperna.network.outputs import OUTPUTS

MOVES: tuple[str, ...] = ("angle", "rotation")
EVOLVED_NEURONS = "evolved"
# Neurons at most where their number evolves, by default and if others are given.
MAX_NEURONS: int = 16
MOST_NEURONS: int = 1024
# Evaluations that fit into the kernels' counters.
MOST_EVALUATIONS = 2**61
AUTOMATIC_RESTARTS = "auto"
# The paper's limit of a run, in units of r ln r evaluations.
_BUDGET_FACTOR = 100

# Which algorithms know an option: all of them; all that count evaluations between restarts, which
# are those of this package; the (1+1) NA and its relatives.
EVERY = "every algorithm"
COUNTED = "algorithms that restart"
NA_AND_RELATIVES = "the (1+1) NA and its relatives"


@dataclass(frozen=True)
class Option:
    """What is known about an option beside its name and its Python type.

    Parameters
    ----------
    default : object
        Value if it is not given. None: it follows from other options, or there is none. That of
        `neurons` is for Python's constructors and exact runtimes; where a problem is at hand, as in
        ``hyperna run`` and in settings, the number is the problem's.
    group : str
        Heading under which ``hyperna run --help`` shows it. An option under "network" says which
        networks there are: algorithms are compared where they agree in it.
    help : str
        One line. The default is added unless the line speaks of it.
    kind : {"integer", "number", "choice", "flag", "text", "fitness"}
        What values are; a "fitness" is a number or False, written as ``none`` in commands.
    low, high : float
        The range of numbers; `low_open`, `high_open`: whether its ends are excluded.
    choices : tuple of str
        All values of a choice.
    off_help : str
        One line for the opposite of a flag whose default is True: ``--no-NAME`` in commands.
    word : str
        A word that is allowed instead of a number.
    used_by : str
        Which algorithms know it: `EVERY`, `COUNTED` or `NA_AND_RELATIVES`.
    theory : bool
        Whether exact runtimes depend on it, so that ``hyperna theory`` has it.
    page : bool or (int, int)
        Whether the play page has it; for integers the range there.
    function : bool
        Whether it is part of the function that is maximised, in IOHprofiler's words, and not of
        the algorithm.
    written : bool
        Whether a setting holds its default, and a frame of runs always its column. False for
        options that are added later, so that the settings of earlier versions stay what they are.
    column : str
        Type of its column in a frame of runs, empty for texts.
    told : str or None
        How ``hyperna run`` tells a value that is not the default, which replaces {}; by default
        name and value. None: other lines of what it prints tell it.
    metavar : str
        What stands for its value in the help of commands.
    """

    default: Any
    group: str
    help: str
    kind: str = "text"
    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False
    choices: tuple[str, ...] = ()
    off_help: str = ""
    word: str = ""
    used_by: str = NA_AND_RELATIVES
    theory: bool = False
    page: bool | tuple[int, int] = False
    function: bool = False
    written: bool = False
    column: str = ""
    told: str | None = ""
    metavar: str | None = None

    @property
    def flag(self) -> bool:
        """Whether it is true or false."""
        return self.kind == "flag"

    @property
    def help_line(self) -> str:
        """The help with the default."""
        if self.default is None or self.flag or "default" in self.help:
            return self.help
        default = f"{self.default:g}" if isinstance(self.default, float) else self.default
        return f"{self.help} (default: {default})"

    def check(self, name: str, value: Any) -> Any:
        """Return the clean value or say what would be right."""
        if self.kind == "integer":
            return self._check_integer(name, value)
        if self.kind == "number":
            ends = {"low_open": self.low_open, "high_open": self.high_open}
            return check_real(name, value, self.low, self.high, **ends)  # type: ignore[arg-type]
        if self.kind == "choice":
            return check_choice(name, value, self.choices)
        if self.kind == "flag":
            return check_flag(name, value)
        if self.kind == "fitness":
            return _check_fitness(name, value)
        return check_text(name, value)

    def _check_integer(self, name: str, value: Any) -> int | str:
        low: Any = self.low
        high: Any = self.high
        if self.word and isinstance(value, str):
            if value == self.word:
                return value
            raise ValueError(
                f"{name} must be an integer >= {low} or {self.word!r}, got {value[:60]!r}"
            )
        return check_integer(name, value, low, high)

    def read(self, text: str) -> Any:
        """Convert the text of a command line to a value for `check`."""
        if self.kind == "integer":
            return text if self.word and text == self.word else int(text)
        if self.kind == "number":
            return float(text)
        if self.kind == "fitness":
            return False if text == "none" else float(text)
        return text


def _check_fitness(name: str, value: Any) -> float | bool:
    if value is False:
        return False
    if isinstance(value, bool | str):
        raise TypeError(f"{name} must be a fitness from 0 to 1 or False, got {shown(value)}")
    return check_real(name, value, 0, 1)


def _field(default: Any, group: str, help: str, **known: Any) -> Any:
    """Return a field of a description; what is `known` are the parameters of `Option`."""
    option = Option(default, group, help, **known)
    return field(default=default, metadata={"option": option})


def _integer(
    default: Any, group: str, help: str, low: int, high: int | None = None, **known: Any
) -> Any:
    known = {"column": "Int64", **known}
    return _field(default, group, help, kind="integer", low=low, high=high, **known)


def _number(default: Any, group: str, help: str, low: float, high: float, **known: Any) -> Any:
    known = {"column": "float64", **known}
    return _field(default, group, help, kind="number", low=low, high=high, **known)


def _choice(default: Any, group: str, help: str, choices: Sequence[str], **known: Any) -> Any:
    return _field(default, group, help, kind="choice", choices=tuple(choices), **known)


def _flag(default: bool, group: str, help: str, **known: Any) -> Any:
    return _field(default, group, help, kind="flag", column="boolean", **known)


@dataclass(frozen=True)
class SubjectOptions:
    """Which algorithm is run on which problem, and how networks are judged."""

    algorithm: str = _field(
        "na",
        "algorithm",
        "a name from 'hyperna list' (default: na, the (1+1) NA)",
        used_by=EVERY,
        theory=True,
        written=True,
        told=None,
    )
    problem: str = _field(
        None,
        "problem",
        "a name from 'hyperna list', or a CSV file of points",
        used_by=EVERY,
        theory=True,
        page=True,
        function=True,
        written=True,
        told=None,
    )
    dim: int = _integer(
        None,
        "problem",
        "dimension D (default: the problem's)",
        1,
        used_by=EVERY,
        theory=True,
        page=(2, 3),
        function=True,
        written=True,
        column="int64",
        told=None,
    )
    # These two are part of the problem's name in a setting.
    k: int | None = _integer(
        None,
        "problem",
        "number of equal arcs of the problem 'arcs'",
        1,
        used_by=EVERY,
        theory=True,
        page=(1, 12),
        told=None,
    )
    arcs: str | None = _field(
        None,
        "problem",
        "your own arcs for 'arcs', in degrees: 0-90,180-270",
        used_by=EVERY,
        theory=True,
        page=True,
        metavar="A-B,...",
        told=None,
    )
    label: str | None = _field(
        None,
        "problem",
        "label column of a CSV file (default: the last)",
        used_by=EVERY,
        theory=True,
        function=True,
        metavar="COLUMN",
        told=None,
    )
    positive: str | None = _field(
        None,
        "problem",
        "label that counts as positive (default: the larger of the two)",
        used_by=EVERY,
        theory=True,
        function=True,
        told=None,
    )
    weight: str | None = _field(
        None,
        "problem",
        "weight column of a CSV file",
        used_by=EVERY,
        theory=True,
        function=True,
        metavar="COLUMN",
        told=None,
    )
    scale: bool | None = _flag(
        False,
        "problem",
        "move a CSV file's points into the unit ball",
        used_by=EVERY,
        theory=True,
        function=True,
        told=None,
    )
    points: int | None = _integer(
        None,
        "problem",
        "sampled points on the sphere (default: exact areas where known)",
        1,
        used_by=EVERY,
        theory=True,
        function=True,
        written=True,
        told=None,
    )
    sampling: str | None = _choice(
        None,
        "problem",
        f"how these points are placed (default: {Sampled.method})",
        METHODS,
        used_by=EVERY,
        theory=True,
        function=True,
        written=True,
        told=None,
    )
    online: int | None = _integer(
        None,
        "problem",
        "fresh points per step on which parent and offspring are judged",
        1,
        2**31,
        told=None,
    )
    judge_once: bool | None = _flag(
        False,
        "problem",
        "with --online: judge every network only once, when it is new",
        told=None,
    )


@dataclass(frozen=True)
class AlgorithmOptions:
    """The network and its mutation: what `OnePlusOneNA` is made with."""

    neurons: int | str = _integer(
        1,
        "network",
        "hidden neurons N, or evolved: their number is part of the genome (default: the problem's)",
        1,
        word=EVOLVED_NEURONS,
        used_by=EVERY,
        theory=True,
        page=(1, 8),
        function=True,
        written=True,
        column="int64",
        told=None,
    )
    output: str = _choice(
        "or",
        "network",
        "how neurons are joined",
        tuple(OUTPUTS),
        used_by=EVERY,
        theory=True,
        page=True,
        function=True,
        written=True,
        told=None,
    )
    resolution: int = _integer(
        120,
        "network",
        "grid resolution r",
        2,
        MAX_RESOLUTION,
        used_by=EVERY,
        theory=True,
        page=(4, 2**14),
        function=True,
        written=True,
        column="int64",
        told=None,
    )
    mutation: str | StepLaw = _field(  # noqa: RUF009 makes a field
        "harmonic",
        "algorithm",
        "a law from 'hyperna list', or with parameters: pareto:shape=1.5",
        theory=True,
        page=True,
        written=True,
        told=None,
    )
    bias: bool = _flag(
        True,
        "algorithm",
        "whether biases evolve (default) or are fixed at 0",
        off_help="fix biases at 0",
        theory=True,
        page=True,
        written=True,
        told="no bias",
    )
    redraw_void: bool = _flag(
        False,
        "algorithm",
        "draw a mutation again if it changes nothing",
        theory=True,
        written=True,
        told="void steps redrawn",
    )
    mutation_probability: float | None = _number(
        None,
        "algorithm",
        "mutation probability of each component, which rls ignores (default: 1 / number of "
        "components)",
        0,
        1,
        low_open=True,
        theory=True,
        written=True,
        told="probability {:.4g} per component",
    )
    init: str = _choice("grid", "algorithm", "first network", INITS, written=True)
    neuron: str = _choice(
        "plain",
        "network",
        "kind of hidden neurons",
        tuple(NEURONS),
        theory=True,
        page=True,
        function=True,
        told=None,
    )
    replace_neuron: float = _number(
        0.0,
        "algorithm",
        "probability that a neuron is drawn again instead of a mutation",
        0,
        1,
        high_open=True,
        told="a neuron replaced with probability {}",
    )
    move: str = _choice(
        "angle",
        "algorithm",
        "how a direction is mutated: one of its angles, or a rotation in the plane of two "
        "coordinates",
        MOVES,
        told="{}s",
    )
    max_neurons: int | None = _integer(
        None,
        "network",
        f"largest number of neurons where it evolves (default: {MAX_NEURONS})",
        1,
        MOST_NEURONS,
        told=None,
    )


@dataclass(frozen=True)
class RunOptions:
    """What terms cost and when a run ends: keyword arguments of ``OnePlusOneNA.run``."""

    term_cost: int | None = _integer(
        None,
        "problem",
        "points that a term less is worth, for labelled points and --move rotation: a term is a "
        "weight that is not 0",
        0,
        2**50,
        told="a term costs {}",
    )
    budget: int | None = _integer(
        None,
        "runs",
        f"evaluations per run (default: {_BUDGET_FACTOR} r ln r)",
        1,
        MOST_EVALUATIONS,
        used_by=EVERY,
        written=True,
        told=None,
    )
    stagnation: int | None = _integer(
        None,
        "runs",
        "evaluations without improvement after which a run stops",
        1,
        MOST_EVALUATIONS,
        used_by=COUNTED,
        page=(0, 10**9),
        written=True,
    )
    target: float | bool | None = _field(
        None,
        "runs",
        "fitness that counts as success, or none (default: the optimum, where it is known)",
        kind="fitness",
        used_by=EVERY,
        theory=True,
        written=True,
        told=None,
    )
    restarts: int | str = _integer(
        0,
        "runs",
        "restarts within a run, or auto: as many as the budget allows",
        0,
        MOST_EVALUATIONS,
        word=AUTOMATIC_RESTARTS,
        used_by=COUNTED,
        page=(0, 10**6),
        written=True,
        told=None,
    )


class RunArguments(TypedDict, total=False):
    """The fields of `RunOptions`, for type checkers."""

    term_cost: int | None
    budget: int | None
    stagnation: int | None
    target: float | bool | None
    restarts: int | str


@dataclass(frozen=True)
class RunDescription(RunOptions, AlgorithmOptions, SubjectOptions):
    """All options of a run."""

    seed: int | None = _integer(
        None,
        "runs",
        "seed of the runs (default: 0)",
        0,
        2**63 - 1,
        used_by=EVERY,
        page=(0, 2**32 - 1),
        written=True,
        column="int64",
        told=None,
    )


# Headings of the help, in their order.
GROUPS = ("problem", "network", "algorithm", "runs")
OPTIONS: dict[str, Option] = {
    entry.name: entry.metadata["option"] for entry in fields(RunDescription)
}
SUBJECT_OPTIONS = tuple(entry.name for entry in fields(SubjectOptions))
ALGORITHM_OPTIONS = tuple(entry.name for entry in fields(AlgorithmOptions))
RUN_OPTIONS = tuple(entry.name for entry in fields(RunOptions))
# How the points of a CSV file are read. A setting has a digest of the points themselves, too.
FILE_OPTIONS = ("label", "positive", "weight", "scale")


def default_budget(resolution: int) -> int:
    """The paper's limit, floor(100 r ln r) evaluations."""
    return math.floor(_BUDGET_FACTOR * resolution * math.log(resolution))


def check_run_options(resolution: int, given: RunArguments) -> dict[str, Any]:
    """Return the keyword arguments of a run, checked and with defaults: see `OnePlusOneNA.run`.

    Examples
    --------
    >>> check_run_options(120, {"target": 0.9})
    {'term_cost': None, 'budget': 57449, 'stagnation': None, 'target': 0.9, 'restarts': 0}
    """
    checked = check_options(RUN_OPTIONS, given)
    if checked["budget"] is None:
        checked["budget"] = default_budget(resolution)
    return checked


def check_options(names: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of some options, checked; what is not given has its default.

    Examples
    --------
    >>> check_options(["bias", "output"], {"output": "and"})
    {'bias': True, 'output': 'and'}
    >>> check_options(["bias", "output"], {"outptu": "and"})
    Traceback (most recent call last):
    ...
    TypeError: unknown argument 'outptu'; did you mean 'output'?
    """
    for name in given:
        if name not in names:
            raise TypeError(f"unknown argument {name!r}{did_you_mean(name, names)}")
    checked = {}
    for name in names:
        option = OPTIONS[name]
        value = given.get(name, option.default)
        optional = option.default is None and value is None
        checked[name] = None if optional else option.check(name, value)
    return checked
