"""Fitness on the circle by exact arc lengths."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hyperna._validation import IntArray
from hyperna.fitness.base import Fitness
from hyperna.grid import Grid
from hyperna.networks import Network
from hyperna.problems import ArcProblem

# Integers up to here are exact as floats.
LARGEST_TURN = 2**52
# Above this resolution the half-widths are computed when needed instead of kept in a table.
LARGEST_TABLE = 2**14


@dataclass(frozen=True)
class ExactArcs(Fitness):
    """Share of the circle (D = 2) that is classified correctly, in exact arithmetic.

    One turn is divided into units, a whole number of them per grid angle, such that the ends of the
    problem's arcs are integers too. The half-width arccos(b) of a neuron's arc is rounded to
    units, correctly at resolutions up to 2**14, so that half-widths which add up to a rational part
    of the turn still do so.

    Parameters
    ----------
    problem : ArcProblem
        A problem with D = 2.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> half = ExactArcs(problem("half"))
    >>> half(Network(Grid(2, 1, 120), [30, 60])), half(Network(Grid(2, 1, 120), [0, 60]))
    (1.0, 0.5)
    """

    problem: ArcProblem

    def __post_init__(self) -> None:
        if not isinstance(self.problem, ArcProblem):
            raise TypeError(f"problem must be an ArcProblem, got {self.problem!r}")
        if self.problem.dim != 2:
            raise ValueError(
                f"arc lengths are exact at dim 2 only, got dim {self.problem.dim}; use Sampled"
            )

    def __str__(self) -> str:
        return "exact share of the circle"

    @property
    def dim(self) -> int:  # type: ignore[override]
        """Dimension of the points, 2."""
        return 2

    def units(self, grid: Grid) -> int:
        """Return the number of units of one turn."""
        return grid.resolution * units_per_angle(self.problem, grid.resolution)

    def score(self, network: Network) -> int:
        """Return the number of correctly classified units of the circle."""
        from hyperna._kernels.circle import circle_score
        from hyperna._kernels.protocol import workspace

        self._check_network(network)
        circle = self.kernel(network.grid)
        return int(circle_score(circle, workspace(circle), network.genome))

    def kernel(self, grid: Grid) -> NamedTuple:
        """Return the arcs in units and the table of half-widths."""
        self._check_grid(grid)
        return _circle(self.problem, grid)


@lru_cache(maxsize=8)
def _circle(problem: ArcProblem, grid: Grid) -> NamedTuple:
    from hyperna._kernels.arcs import ARC_BLOCK
    from hyperna._kernels.circle import Circle

    step = units_per_angle(problem, grid.resolution)
    turn = grid.resolution * step
    arcs = arcs_in_units(problem, turn)
    small = grid.resolution <= LARGEST_TABLE
    return Circle(
        turn=turn,
        step=step,
        resolution=grid.resolution,
        positive=int(arcs[1].sum()),
        join=grid.output_code,
        neurons=grid.neurons,
        arcs=np.pad(arcs, ((0, 0), (0, -arcs.shape[1] % ARC_BLOCK))),
        half_width=np.array(half_widths(grid.resolution, turn) if small else (), np.int64),
    )


def units_per_angle(problem: ArcProblem, resolution: int) -> int:
    """Return the number of units between neighbouring angles of the grid.

    It is as large as a turn of 2**52 units allows, and a multiple of 24, so that twelfths of a turn
    and their halves are whole, and of the denominators of the arcs' ends. If these are too large
    for that, the ends will be rounded instead.
    """
    most = LARGEST_TURN // resolution
    ends = [end for arc in problem.arcs for end in arc]
    multiple = math.lcm(24, *(end.denominator for end in ends))
    if multiple > most:
        multiple = 24
    return most // multiple * multiple


def arcs_in_units(problem: ArcProblem, turn: int) -> IntArray:
    """Return the rows starts and lengths of the arcs in units; one that passes 0 is cut in two.

    Ends that are not whole are rounded half to even, which treats mirror images alike.
    """
    pieces: list[tuple[int, int]] = []
    for start, end in problem.arcs:
        first, last = round(start * turn), round(end * turn)
        pieces += [(first, min(last, turn)), (0, last - turn)]
    kept = sorted((first, last) for first, last in pieces if first < last)
    starts, lengths = [first for first, _ in kept], [last - first for first, last in kept]
    return np.array([starts, lengths], np.int64)


_BITS = 100
_TWO_PI = 7964883625991394727376702227904  # floor(2 pi 2**100)


@lru_cache(maxsize=4)
def half_widths(resolution: int, turn: int) -> tuple[int, ...]:
    """Return arccos(b) in units for each of the r + 1 biases b, rounded correctly.

    Correct rounding keeps equal what is equal: arccos(3/5) + arccos(4/5) is a quarter turn, and so
    is the sum of the rounded values. The double-precision arccos is too coarse for that.

    Examples
    --------
    >>> half_widths(4, 480)
    (240, 160, 120, 80, 0)
    """
    upper = [
        _half_width(resolution - k, resolution, turn)
        for k in range((resolution + 1) // 2, resolution + 1)
    ]
    # arccos(-b) is half a turn minus arccos(b).
    lower = [turn // 2 - width for width in reversed(upper)]
    return (*(lower[:-1] if resolution % 2 == 0 else lower), *upper)


def _half_width(k: int, resolution: int, turn: int) -> int:
    """Return arccos(1 - 2 k / r) = 2 arcsin(sqrt(k / r)) in units, for k / r up to 1/2.

    In integers of 2**-100, one Newton step from the double-precision arcsine.
    """
    sine = math.isqrt((k << 2 * _BITS) // resolution)
    guess = math.asin(math.sqrt(k / resolution))
    angle = int(math.ldexp(guess, _BITS))
    square = angle * angle >> _BITS
    term, total, n = angle, 0, 1
    while term:
        total += term if n % 4 == 1 else -term
        term = (term * square >> _BITS) // ((n + 1) * (n + 2))
        n += 2
    angle += int((sine - total) / math.cos(guess))
    return (4 * turn * angle + _TWO_PI) // (2 * _TWO_PI)
