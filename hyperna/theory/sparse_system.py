"""Chains with few moves: one sparse matrix of all accepted moves.

Steps of one length, or mutations of one component at a time, lead from a state to a few others
only. Then some states may have no way to the target at all, which a look at the graph of the moves
tells. The system is sorted by fitness and cut between fitness levels, so that its factors stay
small: triangular but for moves within a level.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse import linalg as sparse_linalg

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.theory.moves import sparse_moves
from hyperna.theory.solver import (
    UNIT,
    WRONG_UNITS,
    Moments,
    Residuals,
    Solver,
    accepts,
    fittest_first,
    longest_at_most,
)
from hyperna.theory.watch import Watch
from hyperna.theory.wide_levels import LARGEST_MATRIX_LEVEL, solve_symmetric

if TYPE_CHECKING:
    from hyperna.theory.chain import Chain

# Moves of a law that does not reach everything: some 8 GB while the system is built and solved.
MOST_SPARSE_MOVES = 95_000_000
# States that are solved at once, at least.
_PART = 256

SolveBlock = Callable[[FloatArray, bool], FloatArray]


class SparseSolver(Solver):
    """Solves a chain that is given by its accepted moves.

    Parameters
    ----------
    score, target : arrays
        Fitness of the states, and where the chain ends, in any shape.
    moves : sparse array
        Probabilities of the accepted moves that change the state, none from targets.
    balance : float array
        Factors of the rows of `moves` that make it symmetric within every fitness level.
    offspring : int
        Of how many mutants the best was taken, which adds to the rounding errors of `moves`.
    largest_matrix : int
        Number of states of the widest level that is solved as a matrix.
    """

    def __init__(
        self,
        score: IntArray,
        target: BoolArray,
        moves: sparse.csr_array,
        balance: FloatArray,
        offspring: int = 1,
        largest_matrix: int = LARGEST_MATRIX_LEVEL,
    ) -> None:
        self.shape = score.shape
        self.score = score.ravel()
        self.target = target.ravel()
        self.moves = moves
        self.balance = balance
        self.largest_matrix = largest_matrix
        self.order = fittest_first(self.score)
        terms = int(np.diff(moves.indptr).max(initial=0)) + WRONG_UNITS
        self.rounding = terms * UNIT
        # the weights of mutants have an absolute error, those of single ones have none
        self.selection_error = offspring * terms * UNIT if offspring > 1 else 0.0
        self.step_error = self.rounding + self.selection_error

    @classmethod
    def of(cls, chain: "Chain", largest_matrix: int = LARGEST_MATRIX_LEVEL) -> "SparseSolver":
        """Return the solver of a chain."""
        if chain.moves_count > MOST_SPARSE_MOVES:
            raise ValueError(
                f"resolution must be smaller for this mutation: its {chain.moves_count:.3g} moves "
                f"between states need about {chain.moves_count * 90 / 2**30:.1f} GB, the most is "
                f"{MOST_SPARSE_MOVES * 90 / 2**30:.1f} GB"
            )
        moves, own_weight = accepted_moves(chain)
        balance = chain.weight / own_weight
        return cls(chain.score, chain.target, moves, balance, chain.offspring, largest_matrix)

    # ---- moments

    def moments(self, watch: Watch) -> Moments:
        """Solve one sparse system for all states from which the target can be reached."""
        moves, target = self.moves, self.target
        watch.begin(target.size)
        alive = can_reach(moves, target)
        certain = ~can_reach(moves, ~alive)
        free = self.order[(alive & ~target)[self.order]]
        values = np.zeros((3, target.size))
        values[0, target] = 1.0
        residuals = Residuals(0.0, 0.0, 0.0, 0.0, 0.0)
        if free.size:
            rows = moves[free]
            factors = Factors(self, free, watch)
            reach = np.where(certain[free], 1.0, factors.solve(rows @ values[0]))
            time = factors.solve(reach)
            added = 2 * time - reach
            values[:, free] = reach, time, factors.solve(added)
            time_gap = self._gap(rows, free, values[1], reach)
            square_gap = self._gap(rows, free, values[2], added)
            reach_gap = end_gap = longest = 0.0
            if not certain.all():
                end = np.zeros(target.size)
                end[free] = factors.solve(np.ones(free.size))
                reach_gap = self._gap(rows, free, values[0], 0.0)
                end_gap = self._gap(rows, free, end, 1.0)
                longest = float(end.max())
            residuals = Residuals(reach_gap, time_gap, square_gap, end_gap, longest)
        reach, time, square = (column.reshape(self.shape) for column in values)
        return Moments(reach, time, square, certain.reshape(self.shape), residuals)

    def _gap(
        self,
        rows: sparse.csr_array,
        free: IntArray,
        column: FloatArray,
        added: FloatArray | float,
    ) -> float:
        """Largest residual of a solution of the free states, rounding errors included.

        The equations are those of a `column` of the values, to which `added` is added.
        """
        into = rows @ column + added
        out = self.leave[free] * column[free]
        missed = np.abs(into - out) + self.rounding * (np.abs(into) + np.abs(out))
        return float(missed.max() + 2 * self.selection_error * np.abs(column).max())

    @property
    def leave(self) -> FloatArray:
        """Probability of each state that a step leads to another one, 0 of targets."""
        return np.asarray(self.moves.sum(axis=1)).ravel()

    # ---- steps and visits

    def probabilities(self, start: FloatArray) -> Iterator[FloatArray]:
        """Yield the probabilities of all states after 0, 1, 2, ... steps."""
        back = self.moves.T.tocsr()
        stay = 1.0 - self.leave
        now = start.astype(np.float64)
        while True:
            yield now
            now = stay * now + back @ now

    def visits(self, start: FloatArray, fixed: BoolArray) -> FloatArray:
        """Return the expected number of steps in each state before a fixed one is entered."""
        free = self.order[~fixed[self.order]]
        result = np.zeros(fixed.size)
        if free.size:
            result[free] = Factors(self, free).solve(start[free], transposed=True)
        result[fixed] = (start + self.moves.T @ result)[fixed]
        return result

    # ---- where

    def reach_first(self, goal: BoolArray) -> tuple[FloatArray, float]:
        """Return the probability for each state to be in `goal` before the chain ends elsewhere."""
        possible = can_reach(self.moves, goal) & ~goal & ~self.target
        free = self.order[possible[self.order]]
        result = goal.astype(np.float64)
        if not free.size:
            return result, 0.0
        rows = self.moves[free]
        factors = Factors(self, free)
        result[free] = factors.solve(rows @ result)
        end = np.zeros(goal.size)
        end[free] = factors.solve(np.ones(free.size))
        gap = self._gap(rows, free, result, 0.0)
        end_gap = self._gap(rows, free, end, 1.0)
        return result, gap * longest_at_most(float(end.max()), end_gap)

    def closed_classes(self) -> list[IntArray]:
        """Return where the chain can end: the targets, then every other set without a way out."""
        moves, target = self.moves, self.target
        label = csgraph.connected_components(moves, directed=True, connection="strong")[1]
        edges = sparse.coo_array(moves)
        leads_out = label[edges.row] != label[edges.col]
        is_open = np.zeros(label.max() + 1, dtype=bool)
        is_open[label[edges.row[leads_out]]] = True
        stuck = np.flatnonzero(~is_open[label] & ~target)
        by_label = stuck[np.argsort(label[stuck], kind="stable")]
        cuts = np.flatnonzero(np.diff(label[by_label])) + 1
        parts = [part for part in np.split(by_label, cuts) if part.size]
        return [np.flatnonzero(target), *parts]

    def change(self, values: FloatArray) -> FloatArray:
        """Return by how much values rise in one step on average, from every state."""
        return np.asarray(self.moves @ values - self.leave * values)


def accepted_moves(chain: "Chain") -> tuple[sparse.csr_array, FloatArray]:
    """All accepted moves that change the state, none from targets, and weights of the own level.

    The weights are those of the best of several mutants, see `hyperna._kernels.exact_selection`;
    for one mutant they are 1.
    """
    every = sparse_moves(chain.axes, chain.one_component)
    size = chain.size
    score = chain.score.ravel()
    different = every.row != every.col
    row = every.row[different]
    column = every.col[different]
    probability = chain.scale * every.data[different]
    stay = np.asarray(1.0 - np.bincount(row, probability, size), dtype=np.float64)
    keep = accepts(score[column], score[row]) & ~chain.target.ravel()[row]
    row, column, probability = row[keep], column[keep], probability[keep]
    own_weight = np.ones(size)
    if chain.offspring > 1:
        weight = _weights(row, score[column], probability, stay, score, chain.offspring)
        equal = score[column] == score[row]
        own_weight[row[equal]] = weight[equal]
        probability = weight * probability
    return sparse.csr_array((probability, (row, column)), shape=(size, size)), own_weight


def _weights(
    row: IntArray,
    level: IntArray,
    probability: FloatArray,
    stay: FloatArray,
    score: IntArray,
    offspring: int,
) -> FloatArray:
    """The weight of each move if the first best of several mutants is taken.

    A move starts in state `row` and ends on a fitness `level`; `stay` are the probabilities of the
    states that a mutant is its parent, and `score` their own levels.
    """
    from hyperna._kernels.exact_selection import best_weights

    if not row.size:
        return np.zeros(0)
    # the moves of one state to one level stand together, those to the fittest level first
    order = np.lexsort((-level, row))
    sorted_row, sorted_level = row[order], level[order]
    new = np.append(True, (np.diff(sorted_row) != 0) | (np.diff(sorted_level) != 0))
    begins = np.flatnonzero(new)
    mass = np.add.reduceat(probability[order], begins)
    source = sorted_row[begins]
    own = sorted_level[begins] == score[source]
    mass[own] += stay[source[own]]
    # what is above a level: the sum over the levels of the same state before it
    rank = np.arange(begins.size) - np.searchsorted(source, source)
    above = np.zeros(begins.size)
    for place in range(1, int(rank.max()) + 1):
        now = np.flatnonzero(rank == place)
        above[now] = above[now - 1] + mass[now - 1]
    weight = np.zeros(begins.size)
    best_weights(1.0 - above, mass, offspring, weight)
    result = np.zeros(row.size)
    result[order] = weight[np.cumsum(new) - 1]
    return result


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
    """The system of the free states, sorted by falling fitness: triangular but for their levels.

    q(x) on the diagonal dominates, so no pivoting is needed. The system is cut between fitness
    levels and solved part by part, because the factors of the whole would be nearly full where
    states lead to levels of many states. A level too wide for that is solved by conjugate
    gradients, see `hyperna.theory.wide_levels`.
    """

    def __init__(self, solver: SparseSolver, free: IntArray, watch: Watch | None = None) -> None:
        rows = solver.moves[free]
        leave = np.asarray(rows.sum(axis=1)).ravel()
        self._system = (sparse.diags_array(leave) - rows[:, free]).tocsr()
        self._balance = solver.balance[free]
        self._cuts = _blocks(solver.score[free], solver.largest_matrix)
        self._solvers = []
        for block in self._cuts:
            self._solvers.append(self._solver(*block))
            if watch is not None:
                watch.add(block[1] - block[0])

    def _solver(self, begin: int, end: int, wide: bool) -> SolveBlock:
        block = self._system[begin:end, begin:end]
        if wide:
            balance = self._balance[begin:end]
            symmetric = sparse.diags_array(balance) @ block
            diagonal = symmetric.diagonal()

            def solve_wide(right: FloatArray, transposed: bool) -> FloatArray:
                if transposed:
                    return balance * solve_symmetric(symmetric.dot, diagonal, right)
                return solve_symmetric(symmetric.dot, diagonal, balance * right)

            return solve_wide
        factors = sparse_linalg.splu(block.tocsc(), permc_spec="NATURAL", diag_pivot_thresh=0.0)
        return lambda right, transposed: factors.solve(right, trans="T" if transposed else "N")

    def solve(self, right: FloatArray, transposed: bool = False) -> FloatArray:
        """Solve the system, or its transpose."""
        system = self._system.T.tocsr() if transposed else self._system
        result = np.zeros(right.size)
        blocks = list(zip(self._cuts, self._solvers, strict=True))
        for (begin, end, _), solver in blocks[::-1] if transposed else blocks:
            # states that are not solved yet count as 0, and nothing flows in from them
            rest = right[begin:end] - system[begin:end] @ result
            result[begin:end] = solver(rest, transposed)
        return result


def _blocks(score: IntArray, largest: int) -> list[tuple[int, int, bool]]:
    """Begin and end of parts that are solved at once, and whether a part is a wide level."""
    ends = np.append(np.flatnonzero(np.diff(score)) + 1, score.size)
    sizes = np.diff(ends, prepend=0)
    blocks = []
    done = 0
    for end, size in zip(ends.tolist(), sizes.tolist(), strict=True):
        begin = end - size
        if size > largest:
            blocks += [(done, begin, False), (begin, end, True)]
            done = end
        elif end - done >= _PART:
            blocks.append((done, end, False))
            done = end
    return [block for block in [*blocks, (done, score.size, False)] if block[0] < block[1]]
