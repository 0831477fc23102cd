"""Algorithms that a campaign can run: one registry, found by the key ``algorithm``.

An algorithm turns a setting into a `Runner`. Everything else (seeds, workers, storage, tables) is
the same for all of them, so a campaign compares like with like.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar, Protocol

from hyperna._validation import IntArray
from hyperna._words import did_you_mean
from hyperna.algorithm import OnePlusOneNA
from hyperna.baselines import BASELINES, Baseline, Neat, baseline, baseline_task, neat_task
from hyperna.relatives import RELATIVES, spell
from hyperna.settings.keys import KEYS

if TYPE_CHECKING:
    from hyperna.settings.description import Setting


class Runner(Protocol):
    """One setting, ready to run: a `Task` of the (1+1) NA, a `BaselineTask`, or your own.

    A runner that also has ``run(seed, number, trajectory)`` can replay its runs.
    """

    processes: ClassVar[bool]

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


def register(algorithm: Algorithm) -> Algorithm:
    """Enter an algorithm into `ALGORITHMS`; nothing else is needed to use it in campaigns."""
    ALGORITHMS[algorithm.name] = algorithm
    return algorithm


def algorithms() -> dict[str, Algorithm]:
    """Return `ALGORITHMS`, with all relatives and baselines that are registered by now."""
    for relative in RELATIVES.values():
        if relative.name not in ALGORITHMS:
            register(_of_relative(relative))
    for entry in BASELINES.values():
        if entry.name not in ALGORITHMS:
            register(_of_baseline(entry))
    return ALGORITHMS


def find_algorithm(text: str) -> Algorithm:
    """Return the algorithm that a text such as "na" or "name:key=value" names."""
    name, known = text.partition(":")[0], algorithms()
    if name not in known:
        names = ", ".join(map(repr, known))
        raise ValueError(
            f"algorithm must be one of {names}, got {text[:60]!r}{did_you_mean(name, known)}"
        )
    return known[name]


def _make_na(setting: "Setting") -> Runner:
    return setting.make_algorithm().task(
        setting.make_fitness(),
        budget=setting.budget,
        stagnation=setting.stagnation,
        target=setting.target,
        restarts=setting.restarts or 0,
    )


def _of_relative(relative: type[OnePlusOneNA]) -> Algorithm:
    return Algorithm(
        name=relative.name,
        summary=relative.summary,
        make=_make_na,
        keys=frozenset(key for key, entry in KEYS.items() if entry.optional),
        processes=False,
        spell=spell,
    )


def _spell_baseline(text: str) -> str:
    chosen = baseline(text)
    values = {entry.name: getattr(chosen, entry.name) for entry in fields(chosen)}
    # Left out where it is the default, so that settings of earlier versions stay what they are.
    if values.get("start") == "origin":
        del values["start"]
    settings = ",".join(f"{name}={value}" for name, value in values.items())
    return f"{chosen.name}:{settings}" if settings else chosen.name


def _make_baseline(setting: "Setting") -> Runner:
    return baseline_task(
        setting.algorithm,
        setting.make_fitness(),
        neurons=setting.neurons,  # type: ignore[arg-type] # a text is refused there
        output=setting.output,
        resolution=setting.resolution,
        budget=setting.budget,
        stagnation=setting.stagnation,
        target=setting.target,
        restarts=setting.restarts or 0,
    )


def _of_baseline(entry: type[Baseline]) -> Algorithm:
    return Algorithm(
        name=entry.name,
        summary=entry.summary,
        make=_make_baseline,
        keys=frozenset({"stagnation", "restarts"}),
        spell=_spell_baseline,
    )


NA = algorithms()["na"]


def _make_neat(setting: "Setting") -> Runner:
    return neat_task(
        setting.algorithm,
        setting.make_fitness(),
        resolution=setting.resolution,
        budget=setting.budget,
        stagnation=setting.stagnation,
        target=setting.target,
        restarts=setting.restarts or 0,
    )


register(
    Algorithm(
        name="neat",
        summary="NEAT (package neat-python): networks of any topology, judged on points",
        make=_make_neat,
        keys=frozenset({"stagnation", "restarts"}),
        spell=lambda text: str(Neat.parse(text)),
    )
)
