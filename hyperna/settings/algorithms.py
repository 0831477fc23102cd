"""Algorithms that a campaign can run: one registry, found by the key ``algorithm``.

An algorithm turns a setting into a `Runner`. Everything else (seeds, workers, storage, tables) is
the same for all of them, so a campaign compares like with like.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from hyperna._validation import IntArray, read_settings
from hyperna._words import did_you_mean, parse_name, write_name
from hyperna.algorithm import OnePlusOneNA
from hyperna.baselines import BASELINES, Neat, baseline, baseline_task, neat_task
from hyperna.relatives import RELATIVES
from hyperna.settings.keys import COMMON, KEYS

if TYPE_CHECKING:
    from hyperna.settings.description import Setting


class Runner(Protocol):
    """One setting, ready to run: a `Task` of the (1+1) NA, a `BaselineTask`, or your own.

    A runner that also has ``run(seed, number, trajectory)`` can replay its runs.
    """

    processes: ClassVar[bool]

    @property
    def fitness(self) -> Any:
        """What is measured, of which problem."""

    @property
    def units(self) -> int:
        """Score of a network without a mistake."""

    def run_block(self, seed: int, first: int, last: int) -> IntArray:
        """Return the rows of runs first..last-1, with the columns `hyperna.results.COLUMNS`.

        A row depends on the seed and its run's number only, not on the block it is in.
        """


@dataclass(frozen=True)
class Algorithm:
    """An entry of `ALGORITHMS`.

    Parameters
    ----------
    name : str
        Value of the key ``algorithm``; a setting may add parameters after a colon, which `make`
        reads from ``setting.algorithm``.
    summary : str
        One line for lists.
    make : callable
        Returns the `Runner` of a setting, or raises ValueError if the setting makes no sense.
    keys : frozenset of str
        Optional keys that it knows (see `hyperna.settings.keys.KEYS`).
    processes : bool
        Whether it holds the interpreter lock, so that workers must be processes.
    spell : callable, optional
        Returns the one way to write its name with all parameters, so that settings that mean the
        same are the same.
    """

    name: str
    summary: str
    make: Callable[["Setting"], Runner]
    keys: frozenset[str] = frozenset()
    processes: bool = True
    spell: Callable[[str], str] = str


ALGORITHMS: dict[str, Algorithm] = {}
# Optional keys of relatives of the (1+1) NA, and of all others.
_OPTIONAL = frozenset(KEYS) - COMMON
_COUNTED = frozenset({"stagnation", "restarts"})
# Settings that all relatives of the (1+1) NA have.
SHARED = {entry.name for entry in fields(OnePlusOneNA)}


def register(algorithm: Algorithm) -> Algorithm:
    """Enter an algorithm into `ALGORITHMS`; nothing else is needed to use it in campaigns."""
    ALGORITHMS[algorithm.name] = algorithm
    return algorithm


def algorithms() -> dict[str, Algorithm]:
    """Return `ALGORITHMS`, with all relatives and baselines that are registered by now."""
    for kin in RELATIVES.values():
        if kin.name not in ALGORITHMS:
            register(Algorithm(kin.name, kin.summary, _make_na, _OPTIONAL, processes=False))
    for entry in BASELINES.values():
        if entry.name not in ALGORITHMS:
            made = entry.name, entry.summary, _make_baseline, _COUNTED
            register(Algorithm(*made, spell=_spell_baseline))
    return ALGORITHMS


def find_algorithm(text: str) -> Algorithm:
    """Return the algorithm that a text such as "na" or "name:key=value" names."""
    name = text.partition(":")[0]
    if name not in ALGORITHMS and name not in (known := algorithms()):
        names = ", ".join(map(repr, known))
        raise ValueError(
            f"algorithm must be one of {names}, got {text[:60]!r}{did_you_mean(name, known)}"
        )
    return ALGORITHMS[name]


def relative(text: str) -> tuple[type[OnePlusOneNA], dict[str, Any]]:
    """Return the class of a relative of the (1+1) NA, and the settings of its own.

    Examples
    --------
    >>> relative("mu_plus_one:members=5")
    (<class 'hyperna.relatives.MuPlusOneNA'>, {'members': 5, 'crossover': 0.0})
    """
    name, written = parse_name("algorithm", text)
    entry, values, kinds = RELATIVES[name], {}, {}
    for own in fields(entry):
        if own.name not in SHARED:
            values[own.name], kinds[own.name] = own.default, own.type
    return entry, values | read_settings("algorithm", name, written, kinds)


def _make_na(setting: "Setting") -> Runner:
    return setting.make_algorithm().task(setting.make_fitness(), **setting.limits)


def _spell_baseline(text: str) -> str:
    chosen = baseline(text)
    values = {entry.name: getattr(chosen, entry.name) for entry in fields(chosen)}
    # Left out where it is the default, so that settings of earlier versions stay what they are.
    if values.get("start") == "origin":
        del values["start"]
    return write_name(chosen.name, values)


def _make_baseline(setting: "Setting") -> Runner:
    return baseline_task(
        setting.algorithm,
        setting.make_fitness(),
        neurons=setting.neurons,  # type: ignore[arg-type] # a text is refused there
        output=setting.output,
        resolution=setting.resolution,
        **setting.limits,
    )


def _make_neat(setting: "Setting") -> Runner:
    fitness, resolution = setting.make_fitness(), setting.resolution
    return neat_task(setting.algorithm, fitness, resolution=resolution, **setting.limits)


NA = algorithms()["na"]
register(
    Algorithm(
        name="neat",
        summary="NEAT (package neat-python): networks of any topology, judged on points",
        make=_make_neat,
        keys=_COUNTED,
        spell=lambda text: str(Neat.parse(text)),
    )
)
