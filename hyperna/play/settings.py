"""What the page can show: a setting as checked JSON, and as Python lines that do the same."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from hyperna._validation import check_choice, check_integer
from hyperna._words import shown
from hyperna.algorithm import OnePlusOneNA
from hyperna.fitness import Fitness, Sampled, fitness_of
from hyperna.neurons import LARGEST_BENT_TABLE, NEURONS
from hyperna.outputs import OUTPUTS
from hyperna.problems import PROBLEMS, ArcProblem, Problem, custom_arcs, points, problem
from hyperna.search import Task

MOST_NEURONS = 8
MOST_ARCS = 12
MOST_POINTS = 400
LARGEST_RESOLUTION = 2**14
# Few enough for a browser to count at every step, on the sphere.
SPHERE_POINTS = 1000


@dataclass(frozen=True)
class PlaySetting:
    """One experiment of the page.

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
    neuron: str = "plain"
    output: str = "or"
    resolution: int = 120
    mutation: str = "harmonic"
    bias: bool = True
    seed: int = 1
    restarts: int = 0
    stagnation: int = 0

    def __post_init__(self) -> None:
        check_choice("problem", self.problem, tuple(page_problems()))
        check_integer("dim", self.dim, 2, 3)
        check_integer("k", self.k, 1, MOST_ARCS)
        check_integer("neurons", self.neurons, 1, MOST_NEURONS)
        check_choice("neuron", self.neuron, NEURONS)
        check_choice("output", self.output, OUTPUTS)
        largest = LARGEST_RESOLUTION if self.neuron == "plain" else LARGEST_BENT_TABLE
        check_integer("resolution", self.resolution, 4, largest)
        check_integer("seed", self.seed, 0, 2**32 - 1)
        check_integer("restarts", self.restarts, 0, 10**6)
        check_integer("stagnation", self.stagnation, 0, 10**9)
        object.__setattr__(self, "arcs", _rows("arcs", self.arcs, 2, MOST_ARCS))
        object.__setattr__(self, "points", _rows("points", self.points, 3, MOST_POINTS))

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
        return OnePlusOneNA(
            neurons=self.neurons,
            neuron=self.neuron,
            output=self.output,
            resolution=self.resolution,
            mutation=self.mutation,
            bias=self.bias,
        )

    @property
    def target(self) -> float | None:
        """A fitness where closeness to an optimum takes more than comparing components; else None.

        An output neuron may join other hidden neurons to the same answer, and on the sphere several
        angles stand for one normal vector.
        """
        evolved = self.output == "evolved" and self.neurons > 1
        if not evolved and (self.dim == 2 or self.problem == "cube"):
            return None
        return self.algorithm.task(self.fitness).default_target

    @property
    def limits(self) -> dict[str, Any]:
        """What ends a run, as `OnePlusOneNA.run` takes it."""
        given = {
            "target": self.target,
            "restarts": self.restarts or None,
            "stagnation": self.stagnation or None,
        }
        return {name: value for name, value in given.items() if value is not None}

    @property
    def task(self) -> Task:
        """The run up to its seed."""
        return self.algorithm.task(self.fitness, **self.limits)

    @property
    def python(self) -> str:
        """Python lines for the same setting.

        Examples
        --------
        >>> print(PlaySetting("quarter", neurons=1).python)
        import hyperna
        <BLANKLINE>
        problem = hyperna.problem("quarter")
        na = hyperna.OnePlusOneNA(neurons=1, resolution=120, mutation="harmonic")
        result = na.run(problem, seed=1)
        print(result.stop_reason, "after", result.evaluations, "evaluations")
        print(result.network)
        """
        options = [f"neurons={self.neurons}"]
        if self.neurons > 1:
            options.append(f'output="{self.output}"')
        if self.neuron != "plain":
            options.append(f'neuron="{self.neuron}"')
        options += [f"resolution={self.resolution}", f'mutation="{self.mutation}"']
        if not self.bias:
            options.append("bias=False")
        limits = "".join(f", {name}={value!r}" for name, value in self.limits.items())
        return "\n".join(
            [
                "import hyperna",
                "",
                *self._python_problem(),
                f"na = hyperna.OnePlusOneNA({', '.join(options)})",
                f"result = na.run(problem, seed={self.seed}{limits})",
                'print(result.stop_reason, "after", result.evaluations, "evaluations")',
                "print(result.network)",
            ]
        )

    def _python_problem(self) -> list[str]:
        dim = "" if self.dim == 2 else f", dim={self.dim}"
        if self.problem == "points":
            rows = [f"    {list(point)}," for point in self.points]
            split = "problem = hyperna.points([p[:2] for p in table], [p[2] for p in table])"
            return ["table = [  # x, y, label", *rows, "]", split]
        if self.problem == "custom_arcs":
            arcs = list(map(tuple, self.arcs))
            made = f'hyperna.custom_arcs({arcs}, unit="degree"{dim})'
        elif self.problem == "arcs":
            made = f'hyperna.problem("arcs", k={self.k}{dim})'
        else:
            made = f'hyperna.problem("{self.problem}"{dim})'
        if self.problem != "cube" and self.dim > 2:
            made = f'hyperna.Sampled({made}, n={SPHERE_POINTS}, method="even")'
        return [f"problem = {made}"]


def page_problems() -> dict[str, str]:
    """Return the problems of the page with a line on each: those that exist on a circle, and two.

    Examples
    --------
    >>> page_problems()["points"]
    'your own points in two colours'
    """
    drawable = {n: made.summary for n, made in PROBLEMS.items() if "dim" in made.parameters}
    return {
        **drawable,
        "arcs": "k equally spaced arcs, each half of its period",
        "custom_arcs": "your own arcs",
        "points": "your own points in two colours",
    }


def _rows(name: str, rows: Any, width: int, most: int) -> tuple[tuple[float, ...], ...]:
    """Return checked rows of finite numbers."""
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
