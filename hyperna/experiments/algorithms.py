"""Algorithms that a campaign can run: one registry, found by the key ``algorithm``.

An algorithm turns a setting into a `hyperna.run.many.Runner`. Everything else (seeds, workers,
storage, tables) is the same for all of them, so a campaign compares like with like.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from hyperna._validation import read_settings
from hyperna._words import did_you_mean, parse_name, write_name
from hyperna.baselines import BASELINES, Neat, baseline, baseline_task, neat_task
from hyperna.experiments.keys import COMMON
from hyperna.run.algorithm import OnePlusOneNA
from hyperna.run.description import ALGORITHM_OPTIONS, COUNTED, OPTIONS
from hyperna.run.many import Runner
from hyperna.run.relatives import RELATIVES

if TYPE_CHECKING:
    from hyperna.experiments.setting import Setting


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
        Returns the `hyperna.run.many.Runner` of a setting, or raises ValueError if the setting
        makes no sense.
    keys : frozenset of str
        Optional keys that it knows (see `hyperna.run.description`).
    processes : bool
        Whether it holds the interpreter lock, so that workers must be processes.
    spell : callable, optional
        Returns the one way to write its name with all parameters, so that settings that mean the
        same are the same.
    defaults : dict
        Its own parameters and their defaults.
    relative : type, optional
        The class, if it is the (1+1) NA or a relative of it.
    """

    name: str
    summary: str
    make: Callable[["Setting"], Runner]
    keys: frozenset[str] = frozenset()
    processes: bool = True
    spell: Callable[[str], str] = str
    defaults: Mapping[str, Any] = field(default_factory=dict)
    relative: type[OnePlusOneNA] | None = None


ALGORITHMS: dict[str, Algorithm] = {}
# Optional keys of the (1+1) NA and its relatives, and of the package's other algorithms.
_KEYS_OF_RELATIVES = frozenset(OPTIONS) - COMMON
_KEYS_OF_OTHERS = frozenset(name for name, option in OPTIONS.items() if option.used_by == COUNTED)
# Settings of every relative of the (1+1) NA, and those among them that all algorithms have.
SHARED = frozenset(ALGORITHM_OPTIONS)
_NETWORK = SHARED & COMMON


def register(algorithm: Algorithm) -> Algorithm:
    """Enter an algorithm into `ALGORITHMS`; nothing else is needed to use it in campaigns."""
    ALGORITHMS[algorithm.name] = algorithm
    return algorithm


def algorithms() -> dict[str, Algorithm]:
    """Return `ALGORITHMS`, with all relatives and baselines that are registered by now."""
    for kin in RELATIVES.values():
        if kin.name not in ALGORITHMS:
            register(
                Algorithm(
                    name=kin.name,
                    summary=kin.summary,
                    make=_make_na,
                    keys=_KEYS_OF_RELATIVES,
                    processes=False,
                    defaults=_own_defaults(kin),
                    relative=kin,
                )
            )
    for entry in BASELINES.values():
        if entry.name not in ALGORITHMS:
            register(
                Algorithm(
                    name=entry.name,
                    summary=entry.summary,
                    make=_make_with(baseline_task),
                    keys=_KEYS_OF_OTHERS,
                    spell=_spell_baseline,
                    defaults=_own_defaults(entry),
                )
            )
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


def _own_defaults(entry: Any) -> dict[str, Any]:
    """Return the settings that only this algorithm has, with their defaults."""
    return {own.name: own.default for own in fields(entry) if own.name not in SHARED}


def short_name(text: str) -> str:
    """Return an algorithm's name with those of its parameters that are not at their defaults.

    Examples
    --------
    >>> short_name("mu_plus_one:members=10,crossover=0.5")
    'mu_plus_one:crossover=0.5'
    >>> short_name("random_search:representation=polar")
    'random_search'
    """
    name, given = parse_name("algorithm", text)
    known = algorithms().get(name)
    defaults = known.defaults if known else {}
    return write_name(name, {key: v for key, v in given.items() if v != str(defaults.get(key))})


def relative(text: str) -> tuple[type[OnePlusOneNA], dict[str, Any]]:
    """Return the class of a relative of the (1+1) NA, and the settings of its own.

    Examples
    --------
    >>> relative("mu_plus_one:members=5")
    (<class 'hyperna.run.relatives.MuPlusOneNA'>, {'members': 5, 'crossover': 0.0})
    """
    name, written = parse_name("algorithm", text)
    entry = RELATIVES[name]
    kinds = {own.name: own.type for own in fields(entry) if own.name not in SHARED}
    return entry, _own_defaults(entry) | read_settings("algorithm", name, written, kinds)


def _make_na(setting: "Setting") -> Runner:
    return setting.make_algorithm().task(setting.make_fitness(), **setting.run_options)


def _spell_baseline(text: str) -> str:
    chosen = baseline(text)
    values = {}
    for entry in fields(chosen):
        value = getattr(chosen, entry.name)
        if entry.metadata.get("written", True) or value != entry.default:
            values[entry.name] = value
    return write_name(chosen.name, values)


def _make_with(task: Callable[..., Runner]) -> Callable[["Setting"], Runner]:
    """Return the function that makes the task of a setting, for algorithms with counted runs."""

    def make(setting: "Setting") -> Runner:
        network = {key: getattr(setting, key) for key in _NETWORK if key in setting.canonical}
        fitness = setting.make_fitness()
        return task(setting.algorithm, fitness, **network, **setting.run_options)

    return make


NA = algorithms()["na"]
register(
    Algorithm(
        name="neat",
        summary="NEAT (package neat-python): networks of any topology, judged on points",
        make=_make_with(neat_task),
        keys=_KEYS_OF_OTHERS,
        spell=lambda text: str(Neat.parse(text)),
        defaults=_own_defaults(Neat),
    )
)
