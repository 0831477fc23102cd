"""Fitness on finite sets of points and on samples of the sphere."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hyperna._validation import (
    BoolArray,
    FloatArray,
    IntArray,
    check_choice,
    check_integer,
    check_labels,
    check_points,
)
from hyperna._words import counted, shown
from hyperna.fitness.base import Fitness
from hyperna.network.grid import Grid
from hyperna.network.networks import Network
from hyperna.network.neurons import is_bent
from hyperna.problems import PointProblem, Problem
from hyperna.problems.point_problems import check_weights

# Sums of correctly classified weights stay far below the largest int64.
LARGEST_TOTAL = 2**50
METHODS = ("sobol", "random", "even")


@dataclass(frozen=True, eq=False, repr=False)
class FiniteSet(Fitness):
    """Weighted share of a finite set of points that is classified correctly.

    Parameters
    ----------
    X : array_like of shape (n, D)
        The points.
    y : array_like of shape (n,)
        Labels, booleans or 0 and 1.
    weights : array_like of shape (n,), optional
        Non-negative weights of the points, not all zero. They are turned into integers in the same
        proportion; where that is impossible they are rounded to 1/2**50 of their sum.
    problem : Problem, optional
        Where the points come from.

    Attributes
    ----------
    dim, total : int
        Dimension of the points, and sum of the weights.

    Examples
    --------
    >>> fitness = FiniteSet([[0.0, 1.0], [0.0, -1.0]], [1, 0], weights=[0.25, 0.75])
    >>> fitness.weights, fitness.total
    (array([1, 3]), 4)
    >>> fitness(Network(Grid(2, 1, 4), [1, 0]))
    0.25
    """

    X: FloatArray
    y: BoolArray
    weights: IntArray = None  # type: ignore[assignment]
    problem: Problem | None = None
    finite: ClassVar[bool] = True
    resizable: ClassVar[bool] = True

    dim: int = field(init=False, default=0)
    total: int = field(init=False)

    def __post_init__(self) -> None:
        if not (self.problem is None or isinstance(self.problem, Problem)):
            raise TypeError(f"problem must be a Problem or None, got {shown(self.problem)}")
        points = check_points("X", self.X).copy()
        labels = check_labels("y", self.y, len(points))
        weights = integer_weights(self.weights, len(points))
        object.__setattr__(self, "X", points)
        object.__setattr__(self, "y", labels)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "dim", points.shape[1])
        object.__setattr__(self, "total", int(weights.sum()))

    def __repr__(self) -> str:
        points = counted(len(self.X), "point", "d")
        return f"FiniteSet({points} in R^{self.dim}, total weight {self.total})"

    def __str__(self) -> str:
        weighted = "weighted " if self.weights.max() > 1 else ""
        return f"{weighted}share of {counted(len(self.X), 'point', 'd')}"

    def units(self, grid: Grid) -> int:
        """Return the sum of the weights."""
        return self.total

    def positive_units(self, grid: Grid) -> int:
        """Return the weight of the positive points."""
        return int(self.weights[self.y].sum())

    def score(self, network: Network) -> int:
        """Return the weight of the correctly classified points."""
        self._check_network(network)
        return int(self.weights[network.predict(self.X) == self.y].sum())

    def compiled_form(self, grid: Grid) -> NamedTuple:
        """Return points, labels and weights as compiled code takes them."""
        from hyperna._kernels import points as _  # noqa: F401  the functions of this kind
        from hyperna._kernels.point_data import make_points

        if is_bent(grid.neuron, "fitness on points"):
            return self.simple_form(grid)
        return make_points(
            columns=np.ascontiguousarray(self.X.T),
            positive=self.y,
            weight=self.weights,
            join=grid.output_code,
            neurons=grid.neurons,
            resolution=grid.resolution,
            dim=grid.dim,
        )

    def simple_form(self, grid: Grid) -> NamedTuple:
        """Return the form for `Cones`, which compile quickly and may be bent."""
        from hyperna._kernels.cones import Cones

        return Cones(
            columns=np.ascontiguousarray(self.X.T),
            square=(self.X**2).sum(axis=1),
            positive=self.y,
            weight=self.weights,
            resolution=grid.resolution,
            neurons=grid.neurons,
            join=grid.output_code,
            modulus=grid.moduli[: grid.width].copy(),
            bent=is_bent(grid.neuron, "fitness on points"),
        )

    def scoring_form(self, grid: Grid) -> NamedTuple:
        """Return the form for networks that are not offspring of one parent."""
        return self.simple_form(grid)

    def resizable_form(self, grid: Grid) -> NamedTuple:
        """Return the form for networks of up to the grid's number of neurons."""
        return self.simple_form(grid)

    def effort(self, grid: Grid) -> int:
        """Return the number of points."""
        return len(self.X)


@dataclass(frozen=True, eq=False)
class Sampled(Fitness):
    """Share of points on the unit sphere that is classified correctly.

    Parameters
    ----------
    problem : Problem
        The problem that labels the points.
    n : int
        Number of points; powers of two suit "sobol".
    method : {"sobol", "random", "even"}
        Quasi-random points, independent random points, or a fixed evenly spread set.
    seed : int
        Seed of "sobol" and "random".

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> fitness = Sampled(problem("half", dim=3), n=1024)
    >>> fitness(Network(Grid(3, 1, 8), [2, 2, 4]))
    1.0
    """

    problem: Problem
    n: int = 2**14
    method: str = "sobol"
    seed: int = 0
    resizable: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.problem, Problem) or isinstance(self.problem, PointProblem):
            raise TypeError(f"problem must label the whole sphere, got {shown(self.problem)}")
        check_integer("n", self.n, 1)
        check_integer("seed", self.seed, 0)
        check_choice("method", self.method, METHODS)

    def __str__(self) -> str:
        how = self.method if self.method == "even" else f"{self.method}, seed {self.seed}"
        error = 0.5 / math.sqrt(self.n)  # of a share of 1/2, the largest there is
        points = counted(self.n, "point")
        return f"share of {points} on the sphere ({how}; standard error up to {error:.2g})"

    @cached_property
    def points(self) -> FiniteSet:
        """The points and their labels."""
        from hyperna.fitness import sampling  # its scipy parts take a while to load

        if self.method == "even":
            X = sampling.even_points(self.n, self.dim)
        else:
            draw = sampling.sobol_points if self.method == "sobol" else sampling.random_points
            X = draw(self.n, self.dim, self.seed)
        return FiniteSet(X, self.problem.label(X), problem=self.problem)

    def units(self, grid: Grid) -> int:
        """Return the number of points."""
        return self.n

    def positive_units(self, grid: Grid) -> int:
        """Return the number of positive points."""
        return self.points.positive_units(grid)

    def score(self, network: Network) -> int:
        """Return the number of correctly classified points."""
        return self.points.score(network)

    def compiled_form(self, grid: Grid) -> NamedTuple:
        """Return the points as compiled code takes them."""
        return self.points.compiled_form(grid)

    def scoring_form(self, grid: Grid) -> NamedTuple:
        """Return the form for networks that are not offspring of one parent."""
        return self.points.scoring_form(grid)

    def resizable_form(self, grid: Grid) -> NamedTuple:
        """Return the form for networks of up to the grid's number of neurons."""
        return self.points.resizable_form(grid)

    def effort(self, grid: Grid) -> int:
        """Return the number of points."""
        return self.n

    def standard_error(self, network: Network) -> float:
        """Return sqrt(f (1 - f) / n), the standard error of a share f of n random points.

        It is meant for networks that were not chosen by these very points: the fitness of a network
        evolved on them is optimistic. For "sobol" and "even" the error is usually several times
        smaller, so the value is cautious, but it is not a proved bound for them.
        """
        share = self(network)
        return math.sqrt(share * (1 - share) / self.n)


# Class weights are few and in simple proportion; thousands of different weights are neither.
_MOST_RATIOS = 1000
_ALIKE = Fraction(1, 10**14)


def integer_weights(weights: ArrayLike | None, n: int) -> IntArray:
    """Return n integer weights in the proportion of the given ones, equal ones being 1."""
    return np.ones(n, np.int64) if weights is None else whole(check_weights("weights", weights, n))


def whole(weights: FloatArray) -> IntArray:
    """Return integers in the proportion of non-negative weights, as small as possible.

    Examples
    --------
    >>> whole(np.array([0.1, 0.2, 0.3]))
    array([1, 2, 3])
    """
    small = float(weights.max()) * len(weights) <= LARGEST_TOTAL
    if small and (weights == np.floor(weights)).all():
        counts = weights.astype(np.int64)
        return counts // np.gcd.reduce(counts)
    values, place, count = np.unique(weights, return_inverse=True, return_counts=True)
    numbers = _simple_ratios(values.tolist())
    if numbers is None or sum(map(int.__mul__, numbers, count.tolist())) > LARGEST_TOTAL:
        values = values / values[-1]
        numbers = np.rint(values * (LARGEST_TOTAL / float(np.dot(values, count)))).tolist()
    return np.array(numbers, np.int64)[place]


def _simple_ratios(values: list[float]) -> list[int] | None:
    """Return the smallest integers in the same proportion to 14 digits, None if there are none."""
    if all(map(float.is_integer, values)):
        numbers = list(map(int, values))
    elif len(values) <= _MOST_RATIOS:
        ratios = [Fraction(value) / Fraction(values[-1]) for value in values]
        simple = [ratio.limit_denominator(10**6) for ratio in ratios]
        if any(abs(r - s) > r * _ALIKE for r, s in zip(ratios, simple, strict=True)):
            return None
        unit = math.lcm(*(ratio.denominator for ratio in simple))
        numbers = [int(ratio * unit) for ratio in simple]
    else:
        return None
    divisor = math.gcd(*numbers)
    return [number // divisor for number in numbers]
