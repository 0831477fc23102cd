"""Fitness on the sphere in three and more dimensions by exact areas."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hyperna._words import shown
from hyperna.fitness.base import Fitness
from hyperna.fitness.exact import arcs_in_units, units_per_angle
from hyperna.network.grid import Grid
from hyperna.problems import ArcProblem
from hyperna.problems.half_circles import HALF_TURN

# Areas are computed to about 1e-13 at D = 3 and odd D, 1e-11 at even D.
LARGEST_AREA = 2**40


@dataclass(frozen=True)
class ExactSphere(Fitness):
    """Share of the unit sphere, D >= 3, that is classified correctly, without sampling.

    There is a formula for networks of one neuron in every dimension and for networks of any size
    at D = 3. The share is correct to 1e-10. It is rounded to one of about 2**40 units, so that
    networks which are alike by symmetry have the same score.

    Parameters
    ----------
    problem : ArcProblem
        A problem with D >= 3.

    Examples
    --------
    >>> from hyperna import Network, problem
    >>> half = ExactSphere(problem("half", dim=3))
    >>> half(Network(Grid(3, 1, 8), [2, 2, 4])), half(Network(Grid(3, 1, 8), [2, 1, 4]))
    (1.0, 0.75)

    Two neurons joined by XOR make no mistake on two opposite quarters.

    >>> quarters = ExactSphere(problem("two_quarters", dim=3))
    >>> quarters(Network(Grid(3, 2, 8, "xor"), [2, 0, 4, 2, 6, 4]))
    1.0
    """

    problem: ArcProblem

    def __post_init__(self) -> None:
        if not isinstance(self.problem, ArcProblem):
            raise TypeError(f"problem must be an ArcProblem, got {shown(self.problem)}")
        if self.problem.dim < 3:
            raise ValueError(
                f"problem must have dim 3 or more, got dim {self.problem.dim}; use ExactArcs"
            )

    def __str__(self) -> str:
        return "exact share of the sphere"

    def units(self, grid: Grid) -> int:
        """Return the number of units of the sphere's area."""
        return _area_units(self.problem)

    def positive_units(self, grid: Grid) -> int:
        """Return the area of all that is positive, in units."""
        return _positive_units(self.problem)

    def effort(self, grid: Grid) -> int:
        """Return about how many points it would take as long to look at as to compute a score."""
        return 200 * grid.neurons**2

    @lru_cache(maxsize=8)  # noqa: B019  eight kernels are kept at most
    def kernel(self, grid: Grid) -> NamedTuple:
        """Return the labels as compiled code takes them."""
        self.check_grid(grid)
        if not has_areas(grid.dim, grid.neurons):
            raise ValueError(
                "neurons must be 1 for exact areas on the sphere in more than 3 dimensions, "
                f"got {grid.neurons} at dim {grid.dim}; use Sampled"
            )
        return (_cap if grid.neurons == 1 else _areas)(self.problem, grid)


def has_areas(dim: int, neurons: int) -> bool:
    """Return whether areas on the sphere are known for networks of this size.

    Examples
    --------
    >>> has_areas(10, 1), has_areas(3, 5), has_areas(4, 2)
    (True, True, False)
    """
    return dim == 3 or (dim > 3 and neurons == 1)


def _area_units(problem: ArcProblem) -> int:
    """About 2**40, such that arcs of the problem and quarters of a turn are whole."""
    multiple = math.lcm(24, *(end.denominator for arc in problem.arcs for end in arc))
    if multiple > 2**20:
        multiple = 24
    return LARGEST_AREA // multiple * multiple


def _positive_units(problem: ArcProblem) -> int:
    units = _area_units(problem)
    return sum(round((end - start) * units) for start, end in problem.arcs)


def _cap(problem: ArcProblem, grid: Grid) -> NamedTuple:
    from hyperna._kernels.spheres import Cap

    step = units_per_angle(problem, grid.resolution)
    turn = grid.resolution * step
    starts, lengths = arcs_in_units(problem, turn)
    units = _area_units(problem)
    return Cap(
        dim=grid.dim,
        modulus=grid.moduli[: grid.width].copy(),
        resolution=grid.resolution,
        turn=turn,
        step=step,
        units=units,
        negative=units - _positive_units(problem),
        arcs=np.array([starts, starts + lengths]),
    )


def _areas(problem: ArcProblem, grid: Grid) -> NamedTuple:
    from hyperna._kernels.spheres import Areas

    ends, positive = azimuth_labels(problem)
    return Areas(
        dim=grid.dim,
        modulus=grid.moduli[: grid.width].copy(),
        resolution=grid.resolution,
        neurons=grid.neurons,
        join=grid.output_code,
        units=_area_units(problem),
        lines=np.array([_line(problem, e) for e in sorted({end % HALF_TURN for end in ends})]),
        ends=np.array([2 * math.pi * float(end) for end in ends]),
        positive=np.array(positive),
    )


def azimuth_labels(problem: ArcProblem) -> tuple[list[Fraction], list[bool]]:
    """Return where the label changes, in turns, and the label before the first and after each.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> azimuth_labels(problem("quarter"))
    ([Fraction(0, 1), Fraction(1, 4)], [False, True, False])
    """
    ends = sorted({end % 1 for arc in problem.arcs for end in arc})
    return ends, [_labels(problem, ends[0])[0], *(_labels(problem, end)[1] for end in ends)]


def _labels(problem: ArcProblem, azimuth: Fraction) -> tuple[bool, bool]:
    """Return the labels right before and right after an azimuth, in turns."""
    before = after = False
    for start, end in problem.arcs:
        passed = (azimuth - start) % 1
        before |= 0 < passed <= end - start
        after |= passed < end - start
    return before, after


def _line(problem: ArcProblem, azimuth: Fraction) -> list[float]:
    """Return a great circle of the label: see `hyperna._kernels.sphere_areas.area_right`."""
    angle = 2 * math.pi * float(azimuth)
    opposite = _labels(problem, azimuth + HALF_TURN)
    return [math.cos(angle), math.sin(angle), *_labels(problem, azimuth), *opposite]
