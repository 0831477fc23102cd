"""What the page can show: a setting as checked JSON, and the task that it stands for.

The Python lines that do the same are written by the page itself (``page/app/python.js``).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from hyperna._validation import check_choice, check_integer
from hyperna._words import shown
from hyperna.fitness import Fitness, Sampled, fitness_of
from hyperna.network.neurons import LARGEST_BENT_TABLE
from hyperna.problems import PROBLEMS, ArcProblem, Problem, custom_arcs, points, problem
from hyperna.run.algorithm import OnePlusOneNA
from hyperna.run.description import ALGORITHM_OPTIONS, OPTIONS, RUN_OPTIONS
from hyperna.run.task import Task

# Options of a run that the page has: whole numbers, from and to, and those with few values.
RANGES = {name: option.page for name, option in OPTIONS.items() if isinstance(option.page, tuple)}
CHOICES = {
    name: option.choices for name, option in OPTIONS.items() if option.page and option.choices
}
# Rows of a setting: numbers in a row, and rows at most.
ROWS = {"arcs": (2, 12), "points": (3, 400)}
# Few enough for a browser to count at every step, on the sphere.
SPHERE_POINTS = 1000
# Parts of a turn at most, small enough that the page computes with a few turns exactly.
_MOST_PARTS = 2**40


@dataclass(frozen=True)
class PlaySetting:
    """One experiment of the page.

    Its defaults are those of a run, but for what is learnt, the neurons for it, and the seed.

    Parameters
    ----------
    problem : str
        A name of the registry, or "points" for points given one by one.
    dim : int
        2 for the circle, 3 for the sphere.
    k : int
        Number of arcs of the problem "arcs".
    arcs : sequence of (start, end)
        For the problem "custom_arcs", in whole degrees.
    points : sequence of (x, y, label)
        For the problem "points", inside the unit disc.
    neurons, neuron, output, resolution, mutation, bias, seed, restarts, stagnation
        As in `OnePlusOneNA`; a stagnation of 0 means that a run never counts as stagnant.

    Examples
    --------
    >>> setting = PlaySetting.from_json({"problem": "half", "neurons": 1})
    >>> setting.task.criterion
    'every component less than one grid step from an optimal solution'
    >>> PlaySetting.from_json({"problem": "half", "neurons": 99})
    Traceback (most recent call last):
    ValueError: neurons must be an integer from 1 to 8, got 99
    """

    problem: str = "two_quarters"
    dim: int = 2
    k: int = 3
    arcs: Any = ((0, 60), (120, 240))
    points: Any = ()
    neurons: int = 2
    neuron: str = OPTIONS["neuron"].default
    output: str = OPTIONS["output"].default
    resolution: int = OPTIONS["resolution"].default
    mutation: str = OPTIONS["mutation"].default
    bias: bool = OPTIONS["bias"].default
    seed: int = 1
    restarts: int = OPTIONS["restarts"].default
    stagnation: int = 0

    def __post_init__(self) -> None:
        check_choice("problem", self.problem, tuple(page_problems()))
        for name, (low, high) in RANGES.items():
            check_integer(name, getattr(self, name), low, high)
        if self.neuron != "plain":
            check_integer("resolution", self.resolution, 4, LARGEST_BENT_TABLE)
        for name, allowed in CHOICES.items():
            check_choice(name, getattr(self, name), allowed)
        for name, (width, most) in ROWS.items():
            object.__setattr__(self, name, check_rows(name, getattr(self, name), width, most))

    @classmethod
    def from_json(cls, data: Any) -> "PlaySetting":
        """Return the setting that a JSON object describes; what it leaves out has its default."""
        if not isinstance(data, Mapping):
            raise TypeError(f"a setting must be an object, got {shown(data)}")
        known = [field.name for field in fields(cls)]
        for name in data:
            check_choice("setting", name, known)
        return cls(**data)

    @property
    def subject(self) -> Problem:
        """The problem."""
        if self.problem == "points":
            if not self.points:
                raise ValueError("points must hold at least one point, got none")
            table = np.array(self.points, dtype=float)
            return points(table[:, :2], table[:, 2] > 0)
        if self.problem == "custom_arcs":
            return custom_arcs(self.arcs, unit="degree", dim=self.dim)
        if self.problem == "arcs":
            return problem("arcs", k=self.k, dim=self.dim)
        return problem(self.problem, dim=self.dim)

    @property
    def fitness(self) -> Fitness:
        """Exact on the circle, counted on evenly spread points of the sphere."""
        subject = self.subject
        if isinstance(subject, ArcProblem) and subject.dim > 2:
            return Sampled(subject, n=SPHERE_POINTS, method="even")
        return fitness_of(subject)

    @property
    def algorithm(self) -> OnePlusOneNA:
        """The algorithm."""
        known = [name for name in ALGORITHM_OPTIONS if OPTIONS[name].page]
        return OnePlusOneNA(**{name: getattr(self, name) for name in known})

    @property
    def target(self) -> float | bool | None:
        """A fitness where closeness to an optimum takes more than comparing components; else None.

        False where no fitness means anything, or none is known to the page.

        An output neuron may join other hidden neurons to the same answer, and on the sphere several
        angles stand for one normal vector. The page has the same rule for the Python lines that it
        shows: `limits` in ``page/app/python.js``.
        """
        evolved = self.output == "evolved" and self.neurons > 1
        if not evolved and (self.dim == 2 or self.problem == "cube"):
            return None
        if self._needs_an_optimiser:
            return False
        known = self.algorithm.task(self.fitness).default_target
        return False if known is None else known

    @property
    def _needs_an_optimiser(self) -> bool:
        """Whether the best fitness is that of a cap which only an optimiser finds.

        The page has none. It knows the best caps of `arc_problems` and of "arcs", which are
        computed before it is shown, but not those of arcs that are drawn on it.
        """
        if self.problem != "custom_arcs" or self.dim == 2 or self.neurons > 1:
            return False
        if not self.bias and self.neuron == "plain":
            return False
        (start, end), *others = custom_arcs(self.arcs, unit="degree").arcs
        half_space = not others and 2 * (end - start) == 1
        return not half_space

    @property
    def limits(self) -> dict[str, Any]:
        """What ends a run, as `OnePlusOneNA.run` takes it."""
        target = self.target
        given: dict[str, Any] = {} if target is None else {"target": target}
        for name in RUN_OPTIONS:
            if OPTIONS[name].page and getattr(self, name):
                given[name] = getattr(self, name)
        return given

    @property
    def task(self) -> Task:
        """The run up to its seed."""
        return self.algorithm.task(self.fitness, **self.limits)


def page_problems() -> dict[str, str]:
    """Return the problems of the page with a line on each.

    Of the registry these are `arc_problems`, "arcs" and "cube"; two more are given point by point,
    or arc by arc, with the setting.

    Examples
    --------
    >>> page_problems()["points"]
    'your own points in two colours'
    """
    known = {*arc_problems(), "arcs", "cube"}
    registered = {name: made.summary for name, made in PROBLEMS.items() if name in known}
    return {
        **registered,
        "arcs": "k equally spaced arcs, each half of its period",
        "custom_arcs": "your own arcs",
        "points": "your own points in two colours",
    }


def arc_problems() -> dict[str, ArcProblem]:
    """Return the registered problems that are certain arcs, on the circle and on the sphere.

    Each has the dimension that it has if none is given. Not among them are "arcs", whose arcs
    follow from `k`, and problems of your own that need a parameter or whose arcs have ends of too
    many digits for the page's arithmetic.

    Examples
    --------
    >>> arc_problems()["quarter"].arcs
    ((Fraction(0, 1), Fraction(1, 4)),)
    """
    found = {}
    for name, factory in PROBLEMS.items():
        if name == "arcs" or "dim" not in factory.parameters:
            continue
        try:
            usual = factory()
            drawn = [factory(dim=dim) for dim in RANGES["dim"]]
        except Exception:  # somebody else's function, which is only asked whether it can be drawn
            continue
        if not isinstance(usual, ArcProblem) or parts_of_turn(usual) > _MOST_PARTS:
            continue
        if all(isinstance(one, ArcProblem) and one.arcs == usual.arcs for one in drawn):
            found[name] = usual
    return found


def parts_of_turn(problem: ArcProblem) -> int:
    """Return into how many equal parts a turn is divided so that all ends of arcs are whole.

    Examples
    --------
    >>> parts_of_turn(problem("quarter")), parts_of_turn(problem("local_opt"))
    (4, 12)
    """
    return math.lcm(4, *(end.denominator for arc in problem.arcs for end in arc))


def check_rows(name: str, rows: Any, width: int, most: int) -> tuple[tuple[float, ...], ...]:
    """Return rows of finite numbers after checking them.

    Examples
    --------
    >>> check_rows("arcs", [[0, 90]], 2, 12)
    ((0, 90),)
    """
    shape = f"{name} must be at most {most} rows of {width} numbers"
    if not isinstance(rows, list | tuple) or len(rows) > most:
        raise ValueError(f"{shape}, got {str(rows)[:60]}")
    for row in rows:
        good = isinstance(row, list | tuple) and len(row) == width
        if not good or not all(_is_number(value) for value in row):
            raise ValueError(f"{shape}, got the row {str(row)[:60]}")
    return tuple(map(tuple, rows))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e4
