"""The keys of a setting: their names, what they may be, and what they mean.

They are the options of ``hyperna run``, the keys of a campaign file and the keywords of `setting`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hyperna._validation import check_choice, check_integer, check_real, check_text
from hyperna._words import did_you_mean, shown
from hyperna.algorithm import MOVES, check_count
from hyperna.fitness.points import METHODS
from hyperna.grid import INITS, MAX_RESOLUTION
from hyperna.neurons import NEURONS
from hyperna.outputs import OUTPUTS
from hyperna.topology import EVOLVED_NEURONS, MOST_NEURONS

# A file cannot write None; this word stands for it in lists of values.
DEFAULT = "default"


@dataclass(frozen=True)
class Key:
    """A key of a setting.

    Parameters
    ----------
    group : str
        Heading under which ``hyperna run --help`` shows it.
    help : str
        One line.
    check : callable
        Takes the key's name and a value; returns the clean value or raises.
    read : callable
        Converts the text of a command line to a value for `check`.
    choices : tuple of str
        All values, where these are few.
    flag : bool
        Whether it is true or false.
    """

    group: str
    help: str
    check: Callable[[str, Any], Any]
    read: Callable[[str], Any] = str
    choices: tuple[str, ...] = ()
    flag: bool = False


def integer_key(group: str, help: str, low: int, high: int | None = None) -> Key:
    """Return a key whose values are integers from low to high."""
    return Key(group, help, partial(check_integer, low=low, high=high), int)


def choice_key(group: str, help: str, choices: Sequence[str]) -> Key:
    """Return a key with few values."""
    allowed = tuple(choices)
    return Key(group, help, partial(check_choice, choices=allowed), choices=allowed)


def flag_key(group: str, help: str) -> Key:
    """Return a key that is true or false."""
    return Key(group, help, _check_flag, flag=True)


def _check_flag(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{key} must be true or false, got {shown(value)}")
    return value


def _check_target(key: str, value: Any) -> float | bool:
    if value is False:
        return False
    if isinstance(value, bool | str):
        raise TypeError(
            f"{key} must be a fitness from 0 to 1, false or 'default', got {shown(value)}"
        )
    return check_real(key, value, 0, 1)


def _read_target(text: str) -> float | bool:
    return False if text == "none" else float(text)


def _read_count(text: str) -> int | str:
    return text if text in ("auto", EVOLVED_NEURONS) else int(text)


KEYS: dict[str, Key] = {
    "problem": Key("problem", "a name from 'hyperna list', or a CSV file of points", check_text),
    "dim": integer_key("problem", "dimension D (default: the problem's)", 1),
    "k": integer_key("problem", "number of equal arcs of the problem 'arcs'", 1),
    "arcs": Key("problem", "your own arcs for 'arcs', in degrees: 0-90,180-270", check_text),
    "label": Key("problem", "label column of a CSV file (default: the last)", check_text),
    "positive": Key(
        "problem", "label that counts as positive (default: the larger of the two)", check_text
    ),
    "weight": Key("problem", "weight column of a CSV file", check_text),
    "scale": flag_key("problem", "move a CSV file's points into the unit ball"),
    "points": integer_key(
        "problem", "sampled points on the sphere (default: exact areas where known)", 1
    ),
    "sampling": choice_key("problem", "how these points are placed (default: sobol)", METHODS),
    "online": integer_key(
        "problem", "fresh points per step on which parent and offspring are judged", 1, 2**31
    ),
    "judge_once": flag_key(
        "problem", "with --online: judge every network only once, when it is new"
    ),
    "neurons": Key(
        "network",
        "hidden neurons N, or evolved: their number is part of the genome (default: the problem's)",
        partial(check_count, word=EVOLVED_NEURONS, low=1),
        _read_count,
    ),
    "max_neurons": integer_key(
        "network", "largest number of neurons where it evolves (default: 16)", 1, MOST_NEURONS
    ),
    "output": choice_key("network", "how neurons are joined (default: or)", tuple(OUTPUTS)),
    "neuron": choice_key("network", "kind of hidden neurons (default: plain)", tuple(NEURONS)),
    "resolution": integer_key("network", "grid resolution r (default: 120)", 2, MAX_RESOLUTION),
    "algorithm": Key(
        "algorithm", "a name from 'hyperna list' (default: na, the (1+1) NA)", check_text
    ),
    "mutation": Key(
        "algorithm",
        "a law from 'hyperna list', or with parameters: pareto:shape=1.5 (default: harmonic)",
        check_text,
    ),
    "bias": flag_key("algorithm", "whether biases evolve (default) or are fixed at 0"),
    "redraw_void": flag_key("algorithm", "draw a mutation again if it changes nothing"),
    "mutation_probability": Key(
        "algorithm",
        "mutation probability of each component (default: 1 / number of components)",
        partial(check_real, low=0, high=1, low_open=True),
        float,
    ),
    "init": choice_key("algorithm", "first network (default: grid)", INITS),
    "move": choice_key(
        "algorithm",
        "how a direction is mutated: one of its angles, or a rotation in the plane of two "
        "coordinates (default: angle)",
        MOVES,
    ),
    "replace_neuron": Key(
        "algorithm",
        "probability that a neuron is drawn again instead of a mutation (default: 0)",
        partial(check_real, low=0, high=1, high_open=True),
        float,
    ),
    "budget": integer_key("runs", "evaluations per run (default: 100 r ln r)", 1, 2**61),
    "stagnation": integer_key(
        "runs", "evaluations without improvement after which a run stops", 1, 2**61
    ),
    "target": Key(
        "runs",
        "fitness that counts as success, or none (default: the optimum, where it is known)",
        _check_target,
        _read_target,
    ),
    "restarts": Key(
        "runs",
        "restarts within a run, or auto: as many as the budget allows (default: 0)",
        partial(check_count, word="auto", low=0, high=2**61),
        _read_count,
    ),
    "seed": integer_key("runs", "seed of the runs (default: 0)", 0, 2**63 - 1),
}


# Those that every algorithm knows.
COMMON = frozenset(
    {"problem", "dim", "k", "arcs", "label", "weight", "scale", "points", "sampling", "neurons"}
    | {"output", "resolution", "algorithm", "budget", "target", "seed"}
)


def plain_keys(options: Mapping[str, Any], others: Sequence[str] = ()) -> dict[str, Any]:
    """Return the options under the names of `KEYS`; ``no-bias`` is the opposite of ``bias``.

    `others` names further keys that are allowed, to be suggested for an unknown one.
    """
    plain: dict[str, Any] = {}
    for key, value in options.items():
        name = str(key).replace("-", "_")
        if name == "no_bias":
            name, value = "bias", opposite(value)
        if name not in KEYS:
            known = [*KEYS, *others]
            hint = did_you_mean(name, known) or f"; known are {', '.join(known)}"
            raise ValueError(f"unknown key {str(key)[:60]!r}{hint}")
        if name in plain:
            raise ValueError(f"{name} is given twice, once as {key!r}")
        plain[name] = value
    return plain


def opposite(value: Any) -> Any:
    """Return the negation of a boolean or of each in a list."""
    if isinstance(value, list | tuple):
        return [opposite(item) for item in value]
    return not _check_flag("no_bias", value)


def is_default(value: Any) -> bool:
    """Whether a value stands for the default."""
    return value is None or (isinstance(value, str) and value == DEFAULT)
