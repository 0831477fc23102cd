"""Chains of one mutant that reaches everything: one fitness level after the other.

Fitness never falls, so that the equations of a level need only the values of fitter states, and of
the level itself. Each level is a small system; what the solved states contribute to all others is
kept in sums that make use of the product form of the mutation, see
`hyperna._kernels.exact_levels`, so that a chain of n states on two groups of components with a and
b values takes n (a + b) operations and not n^2. No move is kept in memory, and all terms are
positive, so that no digits cancel.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from scipy import linalg
from threadpoolctl import threadpool_limits

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.theory.moves import product_of
from hyperna.theory.solver import UNIT, WRONG_UNITS
from hyperna.theory.substitution import Equations, Solutions, SubstitutingSolver
from hyperna.theory.watch import Watch
from hyperna.theory.wide_levels import LARGEST_MATRIX_LEVEL, WideLevel

if TYPE_CHECKING:
    from hyperna._kernels.exact_levels import Sequence, Work
    from hyperna.theory.chain import Chain


class LevelSolver(SubstitutingSolver):
    """Substitution over the fitness levels of a chain.

    Parameters
    ----------
    chain : Chain
        With one mutant, every state reachable from every other one.
    largest_matrix : int
        Number of states of the widest level that is solved as a matrix.
    """

    def __init__(self, chain: "Chain", largest_matrix: int = LARGEST_MATRIX_LEVEL) -> None:
        self.chain = chain
        self.target = chain.target.ravel()
        self.score = chain.score.ravel()
        # the moves are the Kronecker product of these
        self.first, self.second = (np.ascontiguousarray(matrix) for matrix in chain.groups)
        self.diagonal = np.outer(np.diag(self.first), np.diag(self.second)).ravel()
        widest = int(np.diff(chain.ends, prepend=0).max())
        self.largest_matrix = min(widest, largest_matrix)
        sides = self.first.shape[0] + self.second.shape[0]
        self.rounding = (sides + self.largest_matrix + WRONG_UNITS) * UNIT
        self.step_error = self.rounding
        self._leave: FloatArray | None = None

    def substitute(self, equations: Equations, watch: Watch | None = None) -> Solutions:
        """Solve both systems; keeps the probabilities to leave, which depend on neither."""
        from hyperna._kernels import exact_levels as levels

        chain = self.chain
        size = equations.fixed.size
        values = np.zeros((size, levels.COLUMNS))
        values[:, levels.ONE] = 1.0
        values[:, levels.U] = equations.given
        leave = np.zeros(size)
        gaps = np.zeros((2, 2))
        work = self._work(levels.COLUMNS)
        falling = self._falling()
        ends = np.append(0, chain.ends)
        done = 0
        # several threads on matrices this small mostly wait for each other
        with threadpool_limits(1):
            while work.counter[levels.LEVEL] < chain.ends.size:
                levels.solve_values(
                    falling,
                    equations.fixed,
                    equations.a,
                    equations.b,
                    equations.doubled,
                    values,
                    leave,
                    gaps,
                    work,
                    levels.QUOTA,
                )
                solved = int(ends[work.counter[levels.LEVEL]])
                if watch is not None:
                    watch.add(solved - done)
                done = solved
                # what the kernel has left to be done, before it is called again
                waiting = int(work.counter[levels.WAITING])
                if waiting == levels.WIDE:
                    # the values of a level without a matrix; LEVEL becomes the next
                    self._solve_wide_level(equations, values, leave, gaps, work.counter)
                elif waiting > 0:
                    # the system of so many free states: solutions take the place of `work.right`
                    _solve_matrix(work, waiting, equations.doubled)
        u_gap, v_gap = (gaps[0] + self.rounding * gaps[1]).tolist()
        self._leave = leave
        return Solutions(values[:, levels.U], values[:, levels.V], u_gap, v_gap)

    def _solve_wide_level(
        self,
        equations: Equations,
        values: FloatArray,
        leave: FloatArray,
        gaps: FloatArray,
        counter: IntArray,
    ) -> None:
        """Do for one wide level what `levels.solve_values` does for the others."""
        from hyperna._kernels import exact_levels as levels

        chain = self.chain
        number = int(counter[levels.LEVEL])
        begin = int(np.append(0, chain.ends)[number])
        end = int(chain.ends[number])
        fitter = chain.order[:begin]
        level = self._wide_level(chain.order[begin:end], equations.fixed)
        leave[level.members] = level.inflow(fitter, np.ones(begin)) + level.leave_inside()
        known = np.append(fitter, level.given)
        q = leave[level.free]
        diagonal = self.diagonal[level.free]
        added = equations.a[level.free]
        for c, column in enumerate((levels.U, levels.V)):
            right = level.inflow(known, values[known, column])[level.is_free] + added
            solution = level.solve(q, right)
            values[level.free, column] = solution
            into = right + level.among_free(solution)
            out = q * solution
            gaps[0, c] = max(gaps[0, c], np.abs(into - out).max(initial=0.0))
            # a product contains the diagonal, which is taken out again
            gaps[1, c] = max(gaps[1, c], (into + out + 4 * diagonal * solution).max(initial=0.0))
            # of the second system
            added = equations.b[level.free]
            if equations.doubled:
                added = added + 2 * solution
        counter[levels.LEVEL] = number + 1
        counter[levels.WAITING] = 0

    def _wide_level(
        self, members: IntArray, fixed: BoolArray, transposed: bool = False
    ) -> WideLevel:
        """A level that is solved without a matrix."""
        chain = self.chain
        axes = [axis.T if transposed else axis for axis in chain.axes]
        axes[0] = chain.scale * axes[0]
        return WideLevel(product_of(axes), self.diagonal, chain.weight, members, fixed)

    def _split(self, states: IntArray) -> IntArray:
        """The two groups of components of states, one row each."""
        return np.array(np.divmod(states, self.second.shape[0]), dtype=np.int32)

    def _work(self, columns: int | None = None) -> "Work":
        """Room for `levels.solve_values` or, without columns, `levels.solve_visits`."""
        from hyperna._kernels.exact_levels import Work

        longest = self.largest_matrix
        groups = self.first.shape[0], self.second.shape[0]
        return Work(
            sums=np.zeros(groups if columns is None else (*groups, columns)),
            inflow=np.zeros((longest, columns or 1)),
            system=np.zeros((longest, longest)),
            right=np.zeros((2, longest)),
            place=np.zeros(longest, np.int64),
            counter=np.zeros(3, np.int64),
        )

    # ---- steps and visits

    @property
    def leave(self) -> FloatArray:
        """Probability of each state that a step leads to another one."""
        if self._leave is None:
            everywhere = np.ones(self.score.size, dtype=bool)
            self.solve_reaching(everywhere, everywhere)
        assert self._leave is not None
        return self._leave

    def _falling(self) -> "Sequence":
        """The states from the fittest to the least fit."""
        from hyperna._kernels.exact_levels import Sequence

        order = self.chain.order
        return Sequence(order, self.chain.ends, self._split(order), self.first, self.second)

    def _rising(self) -> "Sequence":
        """The states from the least fit to the fittest, with transposed moves."""
        from hyperna._kernels.exact_levels import Sequence

        chain = self.chain
        order = chain.order[::-1].copy()
        begins = np.append(0, chain.ends[:-1])
        ends = order.size - begins[::-1]
        axes = np.ascontiguousarray(self.first.T), np.ascontiguousarray(self.second.T)
        return Sequence(order, ends, self._split(order), *axes)

    def probabilities(self, start: FloatArray) -> Iterator[FloatArray]:
        """Yield the probabilities of all states after 0, 1, 2, ... steps."""
        from hyperna._kernels import exact_levels as levels

        leave = np.where(self.target, 0.0, self.leave)
        rising = self._rising()
        now = start.astype(np.float64)
        before = np.array([now, np.where(self.target, 0.0, now)])
        after = np.zeros((2, now.size))
        sums = np.zeros((self.first.shape[0], self.second.shape[0]))
        counter = np.zeros(2, np.int64)
        while True:
            yield before[0]
            sums[:] = 0.0
            counter[:] = 0
            while counter[levels.LEVEL] < rising.ends.size:
                levels.step(rising, self.target, leave, before, after, sums, counter, levels.QUOTA)
            before, after = after, before

    def visits(self, start: FloatArray, fixed: BoolArray) -> FloatArray:
        """Return the expected number of steps in each state before a fixed one is entered."""
        from hyperna._kernels import exact_levels as levels

        rising = self._rising()
        leave = self.leave
        result = np.zeros(fixed.size)
        passed = np.zeros(fixed.size)
        work = self._work()
        with threadpool_limits(1):
            while work.counter[levels.LEVEL] < rising.ends.size:
                levels.solve_visits(rising, fixed, leave, start, result, passed, work, levels.QUOTA)
                # as in `substitute`, with one system
                waiting = int(work.counter[levels.WAITING])
                if waiting == levels.WIDE:
                    self._visit_wide_level(rising, fixed, start, result, passed, work.counter)
                elif waiting > 0:
                    system = work.system[:waiting, :waiting]
                    right = work.right[0, :waiting]
                    right[:] = linalg.solve(system, right, check_finite=False)
        return result

    def _visit_wide_level(
        self,
        rising: "Sequence",
        fixed: BoolArray,
        start: FloatArray,
        visits: FloatArray,
        passed: FloatArray,
        counter: IntArray,
    ) -> None:
        """Do for one wide level what `levels.solve_visits` does for the others."""
        from hyperna._kernels import exact_levels as levels

        order = rising.order
        number = int(counter[levels.LEVEL])
        begin = int(np.append(0, rising.ends)[number])
        end = int(rising.ends[number])
        level = self._wide_level(order[begin:end], fixed, transposed=True)
        less_fit = order[:begin]
        entering = start[level.members] + level.inflow(less_fit, passed[less_fit])
        found = self._wide_level(order[begin:end], fixed).solve_transposed(
            self.leave[level.free], entering[level.is_free]
        )
        visits[level.free] = passed[level.free] = found
        visits[level.given] = (entering + level.inflow(level.free, found))[~level.is_free]
        counter[levels.LEVEL] = number + 1
        counter[levels.WAITING] = 0

    def change(self, values: FloatArray) -> FloatArray:
        """Return by how much values rise in one step on average, from every state."""
        from hyperna._kernels import exact_levels as levels

        chain = self.chain
        columns = np.zeros((values.size, levels.COLUMNS))
        columns[:, levels.ONE] = 1.0
        columns[:, levels.U] = values
        inflow = np.zeros_like(columns)
        sums = np.zeros((self.first.shape[0], self.second.shape[0], levels.COLUMNS))
        counter = np.zeros(2, np.int64)
        falling = self._falling()
        while counter[levels.LEVEL] < chain.ends.size:
            levels.inflows(falling, columns, inflow, sums, counter, levels.QUOTA)
        # what a state contributes to itself cancels
        rise = inflow[:, levels.U] - inflow[:, levels.ONE] * values
        return np.where(self.target, 0.0, rise)


def _solve_matrix(work: "Work", free: int, doubled: bool) -> None:
    """Replace the right-hand sides of a level that waits by the solutions u and v."""
    u, v = work.right[:, :free]
    factors = linalg.lu_factor(work.system[:free, :free], check_finite=False)
    u[:] = linalg.lu_solve(factors, u, check_finite=False)
    if doubled:
        v += 2 * u
    v[:] = linalg.lu_solve(factors, v, check_finite=False)
