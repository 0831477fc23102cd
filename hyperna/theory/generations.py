"""Chains of several mutants, the first best of which is taken if it is not less fit.

The equations are those of `hyperna.theory.chain`, solved one fitness level after the other. The
weight of a move depends on where it starts and on the level where it ends, so that all pairs of
states are looked at: n^2 operations and memory for a few vectors. Where a level has many states, as
on point sets, its contributions are products of small matrices instead.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import linalg
from threadpoolctl import threadpool_limits

from hyperna._validation import BoolArray, FloatArray
from hyperna.theory.moves import product_of
from hyperna.theory.solver import UNIT, WRONG_UNITS
from hyperna.theory.substitution import Equations, Solutions, SubstitutingSolver
from hyperna.theory.watch import Watch
from hyperna.theory.wide_levels import LARGEST_MATRIX_LEVEL, solve_symmetric

if TYPE_CHECKING:
    from hyperna._kernels.exact_generations import Mutants
    from hyperna.theory.chain import Chain

# Pairs of states between two returns to Python, about a tenth of a second.
_PAIRS = 3 * 10**7


class GenerationSolver(SubstitutingSolver):
    """Substitution over the fitness levels of a chain with several offspring.

    Inside, all vectors are in the sequence of falling fitness.

    Parameters
    ----------
    chain : Chain
        With more than one offspring, every state reachable from every other one.
    largest_matrix : int
        Number of states of the widest level that is solved as a matrix.
    """

    def __init__(self, chain: "Chain", largest_matrix: int = LARGEST_MATRIX_LEVEL) -> None:
        self.chain = chain
        self.order = chain.order
        self.target = chain.target.ravel()[self.order]
        self.score = chain.score.ravel()[self.order]
        self.weight = chain.weight[self.order]
        self.first, self.second = (np.ascontiguousarray(matrix) for matrix in chain.groups)
        self.split = np.array(np.divmod(self.order, self.second.shape[0]), dtype=np.int32)
        diagonal = np.outer(np.diag(self.first), np.diag(self.second)).ravel()
        self.diagonal = diagonal[self.order]
        # how likely a mutant is in its parent's state, without the void ones that are drawn again
        self.stay = np.maximum(self.diagonal - (chain.scale - 1.0), 0.0)
        # levels, and the number of each among the wide ones, -1 if it is none
        self.begins = np.append(0, chain.ends[:-1])
        self.ends = chain.ends
        lengths = self.ends - self.begins
        self.level_of = np.repeat(np.arange(lengths.size), lengths)
        is_wide = lengths > largest_matrix
        self.wide = np.where(is_wide, np.cumsum(is_wide) - 1, -1)
        # the moves as products of small matrices, and the probability to move to each wide level
        axes = [chain.scale * chain.axes[0], *chain.axes[1:]]
        self._product = product_of(axes)
        self._transposed = product_of([axis.T for axis in axes])
        self._wide_mass = np.zeros((int(is_wide.sum()), self.score.size))
        for level in np.flatnonzero(is_wide).tolist():
            members = np.zeros(self.score.size)
            members[self.begins[level] : self.ends[level]] = 1.0
            self._wide_mass[self.wide[level]] = self._apply(members)
        # bounds of errors
        groups = self.first.shape[0] + self.second.shape[0]
        widest = int(np.where(is_wide, 0, lengths).max())
        terms = widest + groups + WRONG_UNITS
        self.rounding = (terms + lengths.size) * UNIT
        self.selection_error = chain.offspring * terms * UNIT
        self.step_error = self.rounding + self.selection_error
        self.widest = widest
        # of each state: probability to move to another one, weight of moves within the level
        self._leave: FloatArray | None = None
        self._own_weight = np.ones(self.score.size)

    @cached_property
    def _mutants(self) -> "Mutants":
        """The chain as kernels take it."""
        from hyperna._kernels.exact_generations import Mutants

        return Mutants(
            self.chain.offspring,
            self.split,
            self.first,
            self.second,
            self.ends,
            self.level_of,
            self.wide,
            self._wide_mass,
        )

    def _apply(self, values: FloatArray, transposed: bool = False) -> FloatArray:
        """Apply the mutation of a single mutant."""
        flat = np.zeros(values.size)
        flat[self.order] = values
        return (self._transposed if transposed else self._product)(flat)[self.order]

    def _flat(self, values: FloatArray) -> FloatArray:
        """Values in the sequence of the states again."""
        result = np.zeros_like(values)
        result[self.order] = values
        return result

    def substitute(self, equations: Equations, watch: Watch | None = None) -> Solutions:
        """Solve both systems; keeps the probabilities to leave, which depend on neither."""
        size = equations.fixed.size
        is_fixed = equations.fixed[self.order]
        a = equations.a[self.order]
        b = equations.b[self.order]
        values = np.zeros((size, 2))  # u and v
        values[:, 0] = equations.given[self.order]
        wide_values = np.zeros((len(self._wide_mass), 2, size))
        leave, rest = np.zeros(size), np.zeros(size)
        inflow = np.zeros((size, 2))
        gaps = np.zeros(2)
        with threadpool_limits(1):
            for level in range(self.ends.size):
                begin, end = int(self.begins[level]), int(self.ends[level])
                self._pull(level, values, wide_values, leave, rest, inflow)
                inside = self._inside(level, leave, rest)
                states = slice(begin, end)
                free = ~is_fixed[states]
                added = a[states]
                for column in range(2):
                    known = inflow[states, column] + added
                    known += inside.pull(np.where(free, 0.0, values[states, column]))
                    solution = inside.solve(free, known[free])
                    values[begin:end, column][free] = solution
                    missed = inside.residual(free, known[free], solution, self.rounding)
                    gaps[column] = max(gaps[column], missed)
                    # of the second system
                    added = b[states]
                    if equations.doubled:
                        added = added + 2 * values[states, 0]
                if self.wide[level] >= 0:
                    members = np.zeros(size)
                    for column in range(2):
                        members[states] = values[states, column]
                        wide_values[self.wide[level], column] = self._apply(members)
                if watch is not None:
                    watch.add(end - begin)
        self._leave = leave
        gaps += 2 * self.selection_error * np.abs(values).max(axis=0)
        u, v = self._flat(values[:, 0]), self._flat(values[:, 1])
        return Solutions(u, v, float(gaps[0]), float(gaps[1]))

    def _pull(
        self,
        level: int,
        values: FloatArray,
        wide_values: FloatArray,
        leave: FloatArray,
        rest: FloatArray,
        inflow: FloatArray,
    ) -> None:
        """Set what fitter states contribute to a level."""
        from hyperna._kernels.exact_generations import pull

        begin, end = int(self.begins[level]), int(self.ends[level])
        for first, last in _parts(begin, end, begin):
            pull(self._mutants, level, values, wide_values, first, last, leave, rest, inflow)

    def _inside(self, level: int, leave: FloatArray, rest: FloatArray) -> "_Inside":
        """The moves within a level; adds them to what leaves its states."""
        from hyperna._kernels.exact_generations import inside_level
        from hyperna._kernels.exact_selection import best_weights

        begin, end = int(self.begins[level]), int(self.ends[level])
        states = slice(begin, end)
        moves: FloatArray | None = None
        if self.wide[level] < 0:
            moves = np.zeros((end - begin, end - begin))
            inside_level(self._mutants, begin, end, moves)
            others = moves.sum(axis=1)
        else:
            others = self._wide_mass[self.wide[level], states] - self.diagonal[states]
        own_weight = np.zeros(end - begin)
        mass = others + self.stay[states]
        best_weights(rest[states].copy(), mass, self.chain.offspring, own_weight)
        leave[states] += own_weight * others
        self._own_weight[states] = own_weight
        return _Inside(self, begin, end, moves, own_weight, leave[states])

    # ---- steps and visits

    @property
    def leave(self) -> FloatArray:
        """Probability of each state that a step leads to another one."""
        if self._leave is None:
            everywhere = np.ones(self.score.size, dtype=bool)
            self.solve_reaching(everywhere, everywhere)
        assert self._leave is not None
        return self._leave

    def _known_inside(self, level: int) -> "_Inside":
        """The moves within a level, after what leaves all states is known."""
        from hyperna._kernels.exact_generations import inside_level

        leave = self.leave
        begin, end = int(self.begins[level]), int(self.ends[level])
        moves: FloatArray | None = None
        if self.wide[level] < 0:
            moves = np.zeros((end - begin, end - begin))
            inside_level(self._mutants, begin, end, moves)
        return _Inside(self, begin, end, moves, self._own_weight[begin:end], leave[begin:end])

    def _push(self, begin: int, end: int, passed: FloatArray, flow: "_Flow") -> None:
        """Pass on what states have to all fitter ones."""
        from hyperna._kernels.exact_generations import push

        for first, last in _parts(begin, end, end):
            push(self._mutants, passed, first, last, flow.entering, flow.sent, flow.moves)

    def _arrived(self, level: int, flow: "_Flow") -> FloatArray:
        """What has flowed into a level from all less fit states."""
        states = slice(int(self.begins[level]), int(self.ends[level]))
        if self.wide[level] < 0:
            return flow.entering[states]
        return self._apply(flow.sent[self.wide[level]], transposed=True)[states]

    def _flow(self) -> "_Flow":
        size = self.score.size
        return _Flow(np.zeros(size), np.zeros_like(self._wide_mass), np.zeros(self.widest))

    def probabilities(self, start: FloatArray) -> Iterator[FloatArray]:
        """Yield the probabilities of all states after 0, 1, 2, ... steps."""
        now = start[self.order].astype(np.float64)
        while True:
            yield self._flat(now)
            moving = np.where(self.target, 0.0, now)
            flow = self._flow()
            self._push(0, now.size, moving, flow)
            after = now - self.leave * moving
            for level in range(self.ends.size):
                inside = self._known_inside(level)
                states = slice(inside.begin, inside.end)
                after[states] += self._arrived(level, flow) + inside.push(moving[states])
            now = after

    def visits(self, start: FloatArray, fixed: BoolArray) -> FloatArray:
        """Return the expected number of steps in each state before a fixed one is entered."""
        first = start[self.order]
        is_fixed = fixed[self.order]
        result = np.zeros(start.size)
        passed = np.zeros(start.size)
        flow = self._flow()
        with threadpool_limits(1):
            for level in range(self.ends.size - 1, -1, -1):
                inside = self._known_inside(level)
                states = slice(inside.begin, inside.end)
                free = ~is_fixed[states]
                entering = first[states] + self._arrived(level, flow)
                passed[states][free] = inside.solve_transposed(free, entering[free])
                entering = entering + inside.push(passed[states])
                result[states] = np.where(free, passed[states], entering)
                self._push(inside.begin, inside.end, passed, flow)
        return self._flat(result)

    def change(self, values: FloatArray) -> FloatArray:
        """Return by how much values rise in one step on average, from every state."""
        size = values.size
        columns = np.zeros((size, 2))
        columns[:, 0] = values[self.order]
        wide_values = np.zeros((len(self._wide_mass), 2, size))
        for level in np.flatnonzero(self.wide >= 0).tolist():
            members = np.zeros(size)
            states = slice(int(self.begins[level]), int(self.ends[level]))
            members[states] = columns[states, 0]
            wide_values[self.wide[level], 0] = self._apply(members)
        leave, rest = np.zeros(size), np.zeros(size)
        inflow = np.zeros((size, 2))
        rise = np.zeros(size)
        for level in range(self.ends.size):
            self._pull(level, columns, wide_values, leave, rest, inflow)
            inside = self._inside(level, leave, rest)
            states = slice(inside.begin, inside.end)
            there = columns[states, 0]
            rise[states] = inflow[states, 0] + inside.pull(there) - leave[states] * there
        return self._flat(np.where(self.target, 0.0, rise))


class _Flow(NamedTuple):
    """What flows up: into states, into wide levels before their moves, and room for moves."""

    entering: FloatArray
    sent: FloatArray
    moves: FloatArray


class _Inside:
    """The moves within one level, from `begin` to `end`: a matrix or, if it is wide, a product."""

    def __init__(
        self,
        solver: GenerationSolver,
        begin: int,
        end: int,
        moves: FloatArray | None,
        own_weight: FloatArray,
        leave: FloatArray,
    ) -> None:
        self._solver = solver
        self.begin = begin
        self.end = end
        self._moves = moves
        self._own_weight = own_weight
        self.leave = leave

    def _single(self, values: FloatArray, transposed: bool = False) -> FloatArray:
        """The moves of a single mutant to other states of the level, applied to values there."""
        if self._moves is not None:
            return (self._moves.T if transposed else self._moves) @ values
        solver = self._solver
        states = slice(self.begin, self.end)
        members = np.zeros(solver.score.size)
        members[states] = values
        result = solver._apply(members, transposed)[states]
        return result - solver.diagonal[states] * values

    def pull(self, values: FloatArray) -> FloatArray:
        """What the states of the level contribute to each other."""
        return self._own_weight * self._single(values)

    def push(self, passed: FloatArray) -> FloatArray:
        """What flows between the states of the level if they pass on this."""
        return self._single(self._own_weight * passed, transposed=True)

    def residual(
        self, free: BoolArray, known: FloatArray, solution: FloatArray, rounding: float
    ) -> float:
        """How much the solution of the free states misses at most, rounding errors included."""
        everywhere = np.zeros(free.size)
        everywhere[free] = solution
        into = known + self.pull(everywhere)[free]
        out = self.leave[free] * solution
        scale = np.abs(into) + np.abs(out)
        if self._moves is None:
            # a product contains the diagonal, which is taken out again
            diagonal = self._solver.diagonal[self.begin : self.end][free]
            scale = scale + 4 * diagonal * np.abs(solution)
        return float((np.abs(into - out) + rounding * scale).max(initial=0.0))

    def solve(self, free: BoolArray, right: FloatArray) -> FloatArray:
        """Solve q u = P u + right for the free states."""
        if not free.any():
            return np.zeros(0)
        if self._moves is not None:
            return np.asarray(linalg.solve(self._system(free), right, check_finite=False))
        return self._symmetric(free, self._balance(free) * right)

    def solve_transposed(self, free: BoolArray, right: FloatArray) -> FloatArray:
        """Solve q v = v P + right for the free states."""
        if not free.any():
            return np.zeros(0)
        if self._moves is not None:
            return np.asarray(linalg.solve(self._system(free).T, right, check_finite=False))
        return self._balance(free) * self._symmetric(free, right)

    def _system(self, free: BoolArray) -> FloatArray:
        assert self._moves is not None
        moves = self._own_weight[free, None] * self._moves[np.ix_(free, free)]
        return np.diag(self.leave[free]) - moves

    def _balance(self, free: BoolArray) -> FloatArray:
        """Factors of the rows that make the system symmetric."""
        weight = self._solver.weight[self.begin : self.end]
        return weight[free] / self._own_weight[free]

    def _symmetric(self, free: BoolArray, right: FloatArray) -> FloatArray:
        balance = self._balance(free)
        leave = self.leave[free]
        everywhere = np.zeros(free.size)

        def apply(values: FloatArray) -> FloatArray:
            everywhere[free] = values
            return balance * (leave * values - self.pull(everywhere)[free])

        return solve_symmetric(apply, balance * leave, right)


def _parts(begin: int, end: int, fitter: int) -> Iterator[tuple[int, int]]:
    """Cut states into parts that take about `_PAIRS` pairs with `fitter` others each."""
    length = max(1, _PAIRS // max(fitter, 1))
    for start in range(begin, end, length):
        yield start, min(start + length, end)
