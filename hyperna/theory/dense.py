"""Chains that may become less fit: the (1,lambda) NA.

Without a parent to fall back to, the chain goes up and down, and no order of the states makes its
system triangular. It is one dense matrix, which limits the number of states. If the target can be
reached from everywhere, which a law that reaches everything sees to, the chain ends there with
probability 1, though it may take very long.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from scipy import linalg, sparse

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.theory.moves import kronecker, sparse_moves
from hyperna.theory.solver import (
    UNIT,
    WRONG_UNITS,
    Moments,
    Residuals,
    Solver,
    accepts,
    longest_at_most,
)
from hyperna.theory.sparse_system import SparseSolver, can_reach
from hyperna.theory.watch import Watch

if TYPE_CHECKING:
    from hyperna.theory.chain import Chain

# States of a dense matrix: three of half a gigabyte.
MOST_DENSE_STATES = 8192
# States whose rows are made at a time.
_ROWS = 256


class DenseSolver(Solver):
    """Solves a chain as one matrix of all moves that change the state.

    Parameters
    ----------
    chain : Chain
        Of any kind, with at most `MOST_DENSE_STATES` states.
    """

    def __init__(self, chain: "Chain") -> None:
        self.chain = chain
        self.target = chain.target.ravel()
        self.moves = selected_moves(chain)
        self.leave = self.moves.sum(axis=1)
        self.rounding = (chain.size + WRONG_UNITS) * UNIT
        self.selection_error = chain.offspring * self.rounding
        self.step_error = self.rounding + self.selection_error

    @property
    def _graph(self) -> sparse.csr_array:
        """All moves but those from targets."""
        return sparse.csr_array(np.where(self.target[:, None], 0.0, self.moves))

    @property
    def _ends_everywhere(self) -> bool:
        """Whether a target is one step away from every state."""
        return self.chain.comma and self.chain.full and bool(self.target.any())

    def _certain(self) -> tuple[BoolArray, BoolArray]:
        """Which states may end in a target, and which are certain to."""
        if self._ends_everywhere:
            everywhere = np.ones(self.target.size, dtype=bool)
            return everywhere, everywhere
        graph = self._graph
        alive = can_reach(graph, self.target)
        return alive, ~can_reach(graph, ~alive)

    def _system(self, free: IntArray) -> FloatArray:
        return np.diag(self.leave[free]) - self.moves[np.ix_(free, free)]

    def moments(self, watch: Watch) -> Moments:
        """Solve one dense system for all states from which the target can be reached."""
        target = self.target
        alive, certain = self._certain()
        free = np.flatnonzero(alive & ~target)
        values = np.zeros((3, target.size))
        values[0, target] = 1.0
        residuals = Residuals(0.0, 0.0, 0.0, 0.0, 0.0)
        if free.size:
            factors = linalg.lu_factor(self._system(free), check_finite=False)
            rows = self.moves[free]

            def solve(right: FloatArray) -> FloatArray:
                return np.asarray(linalg.lu_solve(factors, right, check_finite=False))

            reach = np.where(certain[free], 1.0, solve(rows @ values[0]))
            time = solve(reach)
            added = 2 * time - reach
            values[:, free] = reach, time, solve(added)
            end = np.zeros(target.size)
            end[free] = solve(np.ones(free.size))
            residuals = Residuals(
                self._gap(free, values[0], 0.0),
                self._gap(free, values[1], reach),
                self._gap(free, values[2], added),
                self._gap(free, end, 1.0),
                float(end.max()),
            )
        shape = self.chain.shape
        reach, time, square = (column.reshape(shape) for column in values)
        return Moments(reach, time, square, certain.reshape(shape), residuals)

    def _gap(self, free: IntArray, column: FloatArray, added: FloatArray | float) -> float:
        """Largest residual of a solution of the free states, rounding errors included.

        The equations are those of a `column` of the values, to which `added` is added.
        """
        into = self.moves[free] @ column + added
        out = self.leave[free] * column[free]
        missed = np.abs(into - out) + self.rounding * (np.abs(into) + np.abs(out))
        return float(missed.max() + 2 * self.selection_error * np.abs(column).max())

    def probabilities(self, start: FloatArray) -> Iterator[FloatArray]:
        """Yield the probabilities of all states after 0, 1, 2, ... steps."""
        now = start.astype(np.float64)
        while True:
            yield now
            moving = np.where(self.target, 0.0, now)
            now = now - self.leave * moving + moving @ self.moves

    def visits(self, start: FloatArray, fixed: BoolArray) -> FloatArray:
        """Return the expected number of steps in each state before a fixed one is entered."""
        free = np.flatnonzero(~fixed)
        result = np.zeros(start.size)
        if free.size:
            result[free] = linalg.solve(self._system(free).T, start[free], check_finite=False)
        result[fixed] = (start + result @ self.moves)[fixed]
        return result

    def reach_first(self, goal: BoolArray) -> tuple[FloatArray, float]:
        """Return the probability for each state to be in `goal` before the chain ends elsewhere."""
        possible = can_reach(self._graph, goal) & ~goal & ~self.target
        free = np.flatnonzero(possible)
        result = goal.astype(np.float64)
        if not free.size:
            return result, 0.0
        system = self._system(free)
        end = np.zeros(goal.size)
        found = linalg.solve(
            system, np.column_stack((self.moves[free] @ result, np.ones(free.size)))
        )
        result[free], end[free] = found.T
        gap, end_gap = self._gap(free, result, 0.0), self._gap(free, end, 1.0)
        return result, gap * longest_at_most(float(end.max()), end_gap)

    def closed_classes(self) -> list[IntArray]:
        """Return where the chain can end: the targets, then every other set without a way out."""
        if self._ends_everywhere:
            return [np.flatnonzero(self.target)]
        score, weight = self.chain.score, self.chain.weight
        return SparseSolver(score, self.target, self._graph, weight).closed_classes()

    def change(self, values: FloatArray) -> FloatArray:
        """Return by how much values rise in one step on average, from every state."""
        return np.where(self.target, 0.0, self.moves @ values - self.leave * values)


def selected_moves(chain: "Chain") -> FloatArray:
    """The matrix of all moves to other states: the first best of the mutants is taken."""
    from hyperna._kernels.exact_selection import best_weights

    size = chain.size
    score = chain.score.ravel()
    every = np.arange(size)
    mutants = np.zeros((size, size))
    if chain.one_component:
        mutants[:] = chain.scale * sparse_moves(chain.axes, True).toarray()
    else:
        mutants[:] = chain.scale * kronecker(chain.axes)
    mutants[every, every] -= chain.scale - 1.0
    order = chain.order
    begins = np.append(0, chain.ends[:-1])
    level_of = np.repeat(np.arange(begins.size), chain.ends - begins)
    for start in range(0, size, _ROWS):
        rows = slice(start, min(start + _ROWS, size))
        mass = np.add.reduceat(mutants[rows][:, order], begins, axis=1)
        above = np.zeros_like(mass)
        np.cumsum(mass[:, :-1], axis=1, out=above[:, 1:])
        weight = np.zeros(mass.size)
        best_weights((1.0 - above).ravel(), mass.ravel(), chain.offspring, weight)
        by_state = np.zeros((mass.shape[0], size))
        by_state[:, order] = weight.reshape(mass.shape)[:, level_of]
        mutants[rows] *= by_state
    if not chain.comma:
        mutants *= accepts(score, score[:, None])
    mutants[every, every] = 0.0
    return mutants
