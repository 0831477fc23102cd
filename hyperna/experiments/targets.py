"""One measure of success for algorithms that are compared.

Where optimal networks are known, the (1+1) NA has succeeded by default when every component is
within less than one grid step of one of them. That compares algorithms on the same grid. Real-
valued parameters satisfy it with much less fitness in higher dimensions, so that an algorithm that
searches them would seem to be faster. Where algorithms with different search spaces are compared,
success is a fitness, the same for all of them. Where no optimal network is known, it is a fitness
already, or nothing.

A target is part of a setting, hence of its digest and of the seed of its runs. An algorithm with
another search space that is added to a campaign therefore asks for new runs of the others; those
that are stored stay in the store.
"""

from collections import defaultdict
from dataclasses import replace
from typing import Any

from hyperna.experiments.algorithms import find_algorithm
from hyperna.experiments.setting import Setting
from hyperna.mutation import law
from hyperna.run.description import FILE_OPTIONS, OPTIONS, SUBJECT_OPTIONS

# What is learnt, by which networks: settings that agree in these are compared. Points of a file are
# the same if their digest is.
_SUBJECT = {"data", *SUBJECT_OPTIONS} - {"algorithm", *FILE_OPTIONS}
_NETWORK = {name for name, option in OPTIONS.items() if option.group == "network"}
_SAME = sorted(_SUBJECT | _NETWORK)


def with_one_target(wanted: dict[Setting, int]) -> dict[Setting, int]:
    """Return the settings with one fitness to reach wherever different search spaces are compared.

    Settings with a target of their own keep it.

    Examples
    --------
    >>> from hyperna.experiments.setting import setting
    >>> alone = setting(problem="half", resolution=60)
    >>> with_one_target({alone: 5}) == {alone: 5}
    True
    >>> other = setting(problem="half", resolution=60, algorithm="random_search")
    >>> [made.target for made in with_one_target({alone: 5, other: 5})]
    [0.9666666666666667, 0.9666666666666667]
    """
    groups: dict[tuple[Any, ...], list[Setting]] = defaultdict(list)
    for made in wanted:
        alike = tuple(made.canonical.get(key) for key in _SAME)
        groups[*alike, made.bias is not False].append(made)
    instead = {}
    for group in groups.values():
        if len({search_space(made) for made in group}) > 1:
            for made in group:
                target = _fitness_instead_of_closeness(made)
                if target is not None:
                    instead[made] = replace(made, target=target)
    result: dict[Setting, int] = {}
    for made, runs in wanted.items():
        same = instead.get(made, made)
        # which may be wanted already, with this target of its own
        result[same] = max(runs, result.get(same, 0))
    return result


def search_space(setting: Setting) -> str:
    """Return what is searched: the integer grid, real numbers, or what the algorithm has.

    Examples
    --------
    >>> from hyperna.experiments.setting import setting
    >>> search_space(setting(problem="half"))
    'grid'
    >>> search_space(setting(problem="half", mutation="pareto"))
    'real numbers'
    """
    algorithm = find_algorithm(setting.algorithm)
    if algorithm.relative is None or setting.mutation is None:
        return algorithm.name
    turned = setting.move == "rotation" and setting.dim > 2
    return "real numbers" if turned or law(setting.mutation).continuous else "grid"


def _fitness_instead_of_closeness(setting: Setting) -> float | None:
    """Return the fitness that is to be reached, None if it is a fitness or nothing already."""
    if setting.target is not None:
        return None
    runner: Any = setting.runner()
    goal = getattr(runner, "goal", None)
    if goal is None or not goal.by_closeness:
        return None
    found: float | None = runner.default_target
    return found
