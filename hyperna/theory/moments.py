"""Moments of chains with few moves, one sparse system: see `hyperna.theory.chain`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse import linalg as sparse_linalg

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.theory.wide import LARGEST_MATRIX_LEVEL, solve_symmetric

if TYPE_CHECKING:
    from hyperna.theory.chain import Chain
    from hyperna.theory.ring import Ring

Solver = Callable[[FloatArray, str], FloatArray]

# States that are solved at once, at least.
_PART = 256
# Units in the last place that a probability of a step may be wrong by.
WRONG_UNITS = 64


@dataclass(frozen=True, eq=False)
class Moments:
    """h, g and s of the module's docstring for every state.

    `certain` says whether h is 1 exactly, `leave` is q (0 at targets of a sparse chain). `error`
    bounds the relative error of g: it is R, or, where the target may be missed, a bound of that of
    the mean of g over all states divided by that of h.
    """

    reach: FloatArray
    time: FloatArray
    square: FloatArray
    certain: BoolArray
    leave: FloatArray
    error: float


def missed_error(
    reach: FloatArray,
    time: FloatArray,
    longest: float,
    reach_gap: float,
    time_gap: float,
    end_gap: float,
) -> float:
    """Bound of the relative error of E[T | T < oo] where the target may be missed.

    A residual acts in every step until the chain ends, after `longest` steps on average at most.
    """
    if not time.any():
        return 0.0
    longest /= max(1e-3, 1.0 - end_gap)
    reach_error = reach_gap * longest
    time_error = (time_gap + reach_error) * longest
    return float(time_error / time.mean() + reach_error / reach.mean())


def moments_of(
    chain: "Chain | Ring",
    values: tuple[FloatArray, FloatArray, FloatArray],
    certain: BoolArray,
    leave: FloatArray,
    error: float,
) -> Moments:
    """Moments in the shape of the chain's states."""
    shape = chain.score.shape
    reach, time, square = (column.reshape(shape) for column in values)
    return Moments(reach, time, square, certain.reshape(shape), leave.reshape(shape), error)


def can_reach(moves: sparse.csr_array, goal: BoolArray) -> BoolArray:
    """Which states have a path of moves to a goal."""
    size = goal.size
    source = sparse.csr_array(goal.astype(np.float64)[None, :])
    graph = sparse.block_array(
        [[moves.T, sparse.csr_array((size, 1))], [source, sparse.csr_array((1, 1))]], format="csr"
    )
    found = csgraph.breadth_first_order(graph, size, return_predecessors=False)
    result = np.zeros(size + 1, dtype=bool)
    result[found] = True
    return result[:size]


class Factors:
    """The system of the free states, sorted by falling fitness: triangular but for plateaus.

    q(x) on the diagonal dominates, so no pivoting is needed. The system is cut between fitness
    levels and solved part by part, because the factors of the whole would be nearly full where
    states lead to plateaus. A plateau that is too wide for that, with two neurons, is solved by
    conjugate gradients, see `hyperna.theory.wide`.
    """

    def __init__(self, chain: "Chain | Ring", moves: sparse.csr_array, free: IntArray) -> None:
        rows = moves[free]
        self._system = (sparse.diags_array(rows.sum(axis=1)) - rows[:, free]).tocsr()
        self._cuts = _blocks(chain.score.ravel()[free], bool(chain.parts))
        self._solvers = [self._solver(*block) for block in self._cuts]

    def _solver(self, begin: int, end: int, wide: bool) -> Solver:
        block = self._system[begin:end, begin:end]
        if wide:
            diagonal = block.diagonal()
            return lambda right, trans: solve_symmetric(block.dot, diagonal, right)
        factors = sparse_linalg.splu(block.tocsc(), permc_spec="NATURAL", diag_pivot_thresh=0.0)
        return lambda right, trans: factors.solve(right, trans=trans)

    def solve(self, right: FloatArray, trans: str = "N") -> FloatArray:
        """Solve the system, or its transpose for trans="T"."""
        system = self._system if trans == "N" else self._system.T.tocsr()
        result = np.zeros(right.size)
        blocks = list(zip(self._cuts, self._solvers, strict=True))
        for (begin, end, _), solver in blocks if trans == "N" else blocks[::-1]:
            # states that are not solved yet count as 0, and nothing flows in from them
            result[begin:end] = solver(right[begin:end] - system[begin:end] @ result, trans)
        return result


def _blocks(score: IntArray, symmetric: bool) -> list[tuple[int, int, bool]]:
    """Begin and end of parts that are solved at once, and whether a part is a wide level.

    Only symmetric levels may be wide.
    """
    ends = np.append(np.flatnonzero(np.diff(score)) + 1, score.size)
    sizes = np.diff(ends, prepend=0)
    blocks, done = [], 0
    for end, size in zip(ends.tolist(), sizes.tolist(), strict=True):
        begin = end - size
        if symmetric and size > LARGEST_MATRIX_LEVEL:
            blocks += [(done, begin, False), (begin, end, True)]
            done = end
        elif end - done >= _PART:
            blocks.append((done, end, False))
            done = end
    return [block for block in [*blocks, (done, score.size, False)] if block[0] < block[1]]


def solve_sparse(chain: "Chain | Ring") -> Moments:
    """One sparse system for all states from which the target can be reached."""
    moves = chain.sparse_accepted
    target = chain.target.ravel()
    alive = can_reach(moves, target)
    certain = ~can_reach(moves, ~alive)
    free = chain.order[(alive & ~target)[chain.order]]
    values = np.zeros((3, target.size))
    values[0, target] = 1.0
    leave = moves.sum(axis=1)
    error = 0.0
    if free.size:
        rows, factors = moves[free], Factors(chain, moves, free)
        reach = np.where(certain[free], 1.0, factors.solve(rows @ values[0]))
        time = factors.solve(reach)
        values[:, free] = reach, time, factors.solve(2 * time - reach)
        rounding = (np.diff(rows.indptr).max() + WRONG_UNITS) * 2.0**-53

        def gap(column: FloatArray, wanted: FloatArray | float) -> float:
            into, out = rows @ column + wanted, leave[free] * column[free]
            return float((np.abs(into - out) + rounding * (into + out)).max())

        error = gap(values[1], reach)
        if not certain.all():
            end = np.zeros(target.size)
            end[free] = factors.solve(np.ones(free.size))
            gaps = gap(values[0], 0.0), error, gap(end, 1.0)
            error = missed_error(values[0], values[1], end.max(), *gaps)
    return moments_of(chain, (values[0], values[1], values[2]), certain, leave, error)
