"""Fitness on the circle by exact arc lengths."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np

from hyperna._validation import IntArray
from hyperna._words import shown
from hyperna.fitness.base import Fitness
from hyperna.network.grid import Grid
from hyperna.network.neurons import half_widths as half_widths  # the table of plain neurons
from hyperna.problems import ArcProblem

# Integers up to here are exact as floats.
LARGEST_TURN = 2**52


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
    >>> from hyperna.network.networks import Network
    >>> half = ExactArcs(problem("half"))
    >>> half(Network(Grid(2, 1, 120), [30, 60])), half(Network(Grid(2, 1, 120), [0, 60]))
    (1.0, 0.5)
    """

    problem: ArcProblem
    dim: ClassVar[int] = 2  # type: ignore[misc]
    exact_on_circle: ClassVar[bool] = True
    always_compares: ClassVar[bool] = True
    resizable: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.problem, ArcProblem):
            raise TypeError(f"problem must be an ArcProblem, got {shown(self.problem)}")
        if self.problem.dim != 2:
            raise ValueError(
                f"arc lengths are exact at dim 2 only, got dim {self.problem.dim}; use Sampled"
            )

    def __str__(self) -> str:
        return "exact share of the circle"

    def units(self, grid: Grid) -> int:
        """Return the number of units of one turn."""
        return grid.resolution * units_per_angle(self.problem, grid.resolution)

    def positive_units(self, grid: Grid) -> int:
        """Return the length of all arcs in units."""
        return int(arcs_in_units(self.problem, self.units(grid))[1].sum())

    def effort(self, grid: Grid) -> int:
        """Return about how many points it would take as long to look at as to compute a score.

        A step sweeps over all neurons, and computes an evolved output at each of their arcs.
        """
        return int(32 * grid.neurons ** (1 + grid.has_output_neuron))

    @lru_cache(maxsize=8)  # noqa: B019  eight forms are kept at most
    def compiled_form(self, grid: Grid) -> NamedTuple:
        """Return the arcs in units, for the kernel that suits the number of neurons."""
        from hyperna._kernels.circle import ARC_BLOCK, Circle
        from hyperna._kernels.geometry import AND, OR, XOR
        from hyperna._kernels.pair import MOST_ARCS, Pair

        self.check_grid(grid)
        turn = self.units(grid)
        arcs = arcs_in_units(self.problem, self.units(grid))
        shape = grid.kind.shape(grid.resolution, turn)
        modulus = grid.moduli[: grid.width].copy()
        positive = int(arcs[1].sum())
        step = turn // grid.resolution
        shared = (turn, step, positive, grid.output_code, grid.neurons, grid.width)
        counted = grid.output_code in (OR, AND, XOR)
        if grid.neurons <= 2 and counted and arcs.shape[1] <= MOST_ARCS:
            starts, lengths = np.pad(arcs, ((0, 0), (0, MOST_ARCS - arcs.shape[1]))).tolist()
            return Pair(*shared, modulus, tuple(starts), tuple(lengths), shape)
        arcs = np.pad(arcs, ((0, 0), (0, -arcs.shape[1] % ARC_BLOCK)))
        return Circle(*shared, grid.resolution, modulus, arcs, shape)


def units_per_angle(problem: ArcProblem, resolution: int) -> int:
    """Return the number of units between neighbouring angles of the grid.

    It is as large as a turn of 2**52 units allows, and a multiple of 24, so that twelfths of a turn
    and their halves are whole, and of the denominators of the arcs' ends. If these are too large
    for that, the ends will be rounded instead.
    """
    most = LARGEST_TURN // resolution
    multiple = 24
    for start, end in problem.arcs:
        multiple = math.lcm(multiple, start.denominator, end.denominator)
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
