"""Fitness on the sphere in three and more dimensions by exact areas."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hyperna._validation import IntArray
from hyperna._words import shown
from hyperna.fitness.base import Fitness
from hyperna.fitness.exact import arcs_in_units, units_per_angle
from hyperna.network.grid import Grid
from hyperna.network.neurons import is_bent
from hyperna.problems import ArcProblem
from hyperna.problems.half_circles import HALF_TURN

# Units of the sphere's area. Areas of one neuron are the same numbers wherever it is known why they
# are equal.
UNITS = 2**40
# Areas of several neurons have errors of up to 1e-14, which split 31 of 4,000 levels in units of
# 2**-40 (two neurons, r = 8), and none of them in these. At high resolutions they would be too
# coarse for the steps of a run.
COARSE_UNITS = 2**34
LARGEST_COARSE_RESOLUTION = 2**16
# Directions that are turned are rounded to grids of at least so many angles after every turn, and
# areas that would be equal differ by up to 4e-12. Of 2,000 turns that change nothing for HALF 51 %
# were split in units of 2**-40 at D = 3 (26 % at D = 4, 13 % at D = 6), and 0.9 % in coarse ones
# (0.4 %, 0.2 %).
FINEST_RESOLUTION = 2**39


@dataclass(frozen=True)
class ExactSphere(Fitness):
    """Share of the unit sphere, D >= 3, that is classified correctly, without sampling.

    There is a formula for networks of one neuron in every dimension and for networks of any size
    at D = 3. The share is correct to 1e-12 for one neuron, to 1e-10 for several and on the finest
    grids (from 2**39 angles on), on which rotations search.

    Equally good networks of one neuron have the same score: areas are computed from products of
    sines that are rounded so that equal products are equal floats. Shares that differ by less than
    1e-12 may be equal too. For several neurons no such form is known; their areas are rounded
    to about 2**34 units (2**40 above r = 2**16), so that equal ones differ only if they lie on the
    edge between two units: of 4,000 levels of two neurons at r = 8 none was split. The same units
    are taken on the finest grids, because a direction is rounded when it has been turned: of the
    turns that change nothing less than 1 % are taken for a change.

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
        return _area_units(self.problem, grid)

    def positive_units(self, grid: Grid) -> int:
        """Return the area of all that is positive, in units."""
        return _positive_units(self.problem, grid)

    def effort(self, grid: Grid) -> int:
        """Return about how many points it would take as long to look at as to compute a score."""
        return 200 * grid.neurons**2

    @lru_cache(maxsize=8)  # noqa: B019  eight forms are kept at most
    def compiled_form(self, grid: Grid) -> NamedTuple:
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


def _area_units(problem: ArcProblem, grid: Grid) -> int:
    """Units of which arcs of the problem, quarters of a turn and grid steps have whole numbers.

    So areas that are rational are whole too, far from where rounding decides.
    """
    multiple = math.lcm(24, *(end.denominator for arc in problem.arcs for end in arc))
    if multiple > 2**20:
        multiple = 24
    if multiple * grid.resolution <= 2**28:
        multiple *= grid.resolution
    turned = grid.resolution >= FINEST_RESOLUTION
    several = grid.neurons > 1 and grid.resolution <= LARGEST_COARSE_RESOLUTION
    return (COARSE_UNITS if turned or several else UNITS) // multiple * multiple


def _positive_units(problem: ArcProblem, grid: Grid) -> int:
    units = _area_units(problem, grid)
    return sum(round((end - start) * units) for start, end in problem.arcs)


def _cap(problem: ArcProblem, grid: Grid) -> NamedTuple:
    from hyperna._kernels.spheres import Cap

    step = units_per_angle(problem, grid.resolution)
    turn = grid.resolution * step
    starts, lengths = arcs_in_units(problem, turn)
    lines, changes = _half_planes(starts.tolist(), (starts + lengths).tolist(), turn)
    units = _area_units(problem, grid)
    return Cap(
        dim=grid.dim,
        modulus=grid.moduli[: grid.width].copy(),
        bent=is_bent(grid.neuron, "exact areas on the sphere"),
        resolution=grid.resolution,
        turn=turn,
        step=step,
        units=units,
        negative=units - _positive_units(problem, grid),
        constant=int(lengths.sum() == turn),
        lines=lines,
        changes=changes,
    )


def _half_planes(starts: list[int], ends: list[int], turn: int) -> tuple[IntArray, IntArray]:
    """Return where half-spaces begin, and where else labels change; see `_kernels.spheres.Cap`.

    Examples
    --------
    >>> _half_planes([0], [180], 360)
    (array([0]), array([], shape=(2, 0), dtype=int64))
    >>> _half_planes([0, 270], [90, 360], 360)
    (array([270]), array([], shape=(2, 0), dtype=int64))
    >>> _half_planes([0], [90], 360)
    (array([], dtype=int64), array([[90,  0],
           [ 1, -1]]))
    """
    begins = {start % turn for start in starts}
    ceases = {end % turn for end in ends}
    begins, ceases = begins - ceases, ceases - begins
    lines = {start for start in begins if (start + turn // 2) % turn in ceases}
    others = [(end, 1) for end in sorted(ceases) if (end + turn // 2) % turn not in lines]
    others += [(start, -1) for start in sorted(begins - lines)]
    changes = np.array(others, np.int64).reshape(-1, 2).T.copy()
    return np.array(sorted(lines), np.int64), changes


def _areas(problem: ArcProblem, grid: Grid) -> NamedTuple:
    from hyperna._kernels.spheres import Areas

    ends, positive = azimuth_labels(problem)
    return Areas(
        dim=grid.dim,
        modulus=grid.moduli[: grid.width].copy(),
        bent=is_bent(grid.neuron, "exact areas on the sphere"),
        resolution=grid.resolution,
        neurons=grid.neurons,
        join=grid.output_code,
        units=_area_units(problem, grid),
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
