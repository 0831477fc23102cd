"""The chain of one angle at large resolutions: moves are never kept, only their probabilities.

The equations are those of `hyperna.theory.chain`. States are solved in the sequence of their
fitness, some hundred at a time. What a batch of solved states contributes to all others is a
cyclic convolution with the probabilities of the displacements, done by Fourier transforms, so that
time grows a little faster than r and memory like r. A plateau of many states is solved by
conjugate gradients: moves between equally fit states are symmetric.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from scipy import fft, linalg
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.theory.plateau import solve_symmetric
from hyperna.theory.solver import UNIT, Moments, Residuals, Solver, accepts
from hyperna.theory.sparse_system import SparseSolver
from hyperna.theory.watch import Watch

# Up to here the matrix of all moves of an angle is kept (by half if the problem has a mirror).
LARGEST_MATRIX = 8192
_STRIP = 256
_BATCH = 8192
# A fitness level with more states than this and a strip is solved on its own.
_LARGE = 4096
_ONE, _TIME, _SQUARE = range(3)


@dataclass(frozen=True, eq=False)
class Ring:
    """A (1+1) chain on one cyclic component.

    It answers what a `hyperna.theory.chain.Chain` answers if its law has few lengths. If it reaches
    everything, only expectations are computed.

    Parameters
    ----------
    score : integer array (r,)
        Fitness of each state, larger is better.
    target : boolean array (r,)
        Where the chain ends.
    step : float array (r,)
        Probabilities of the displacements, the same for either sign.

    Examples
    --------
    >>> ring = Ring(np.array([2, 1, 0, 1]), np.arange(4) == 0, np.array([0.5, 0.2, 0.1, 0.2]))
    >>> ring.moments().time.round(6)
    array([0., 5., 6., 5.])
    """

    score: IntArray
    target: BoolArray
    step: FloatArray

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values of the component."""
        return self.score.shape

    @property
    def size(self) -> int:
        """Number of states."""
        return self.score.size

    @property
    def start(self) -> FloatArray:
        """Probability of each state to be the first one."""
        return np.full(self.size, 1.0 / self.size)

    @cached_property
    def order(self) -> IntArray:
        """States from the fittest to the least fit."""
        return np.argsort(-self.score, kind="stable")

    @property
    def full(self) -> bool:
        """Whether every state can be made from every other one by a single mutation."""
        return bool(self.step.all())

    @property
    def offspring(self) -> int:
        """Number of mutants."""
        return 1

    @property
    def has_curves(self) -> bool:
        """Whether more than expectations is computed."""
        return not self.full

    @property
    def step_operations(self) -> float:
        """About how many additions one step of probabilities takes."""
        return 12.0 * self.size

    @cached_property
    def solver(self) -> Solver:
        """What solves this chain, where its law has few lengths."""
        if self.full:
            raise ValueError(
                f"resolution must be at most {LARGEST_MATRIX} for more than expectations, "
                f"got {self.size}"
            )
        lengths = np.flatnonzero(self.step[1:]) + 1
        state = np.arange(self.size)
        rows = np.tile(state, lengths.size)
        columns = ((state + lengths[:, None]) % self.size).ravel()
        keep = accepts(self.score[columns], self.score[rows]) & ~self.target[rows]
        data = np.repeat(self.step[lengths], self.size)
        entries = (data[keep], (rows[keep], columns[keep]))
        moves = csr_array(entries, shape=(self.size, self.size))
        return SparseSolver(self.score, self.target, moves, np.ones(self.size))

    def moments(self, watch: Watch | None = None) -> Moments:
        """Solve the chain."""
        watch = watch or Watch()
        if not self.full:
            return self.solver.moments(watch)
        if not self.target[self.order[0]]:
            raise ValueError("target must include the best search point at this resolution")
        with threadpool_limits(1):
            return _Solution(self).moments(watch)


class _Solution:
    """Values of the states solved so far, and what they contribute to all others."""

    def __init__(self, ring: Ring) -> None:
        self.ring = ring
        self.size = ring.size
        self.values = np.zeros((3, self.size))
        self.values[_ONE] = 1.0
        self.leave = np.zeros(self.size)
        self.inflow = np.zeros((3, self.size))
        self.passed_on = 0
        self.spread_error = np.zeros(3)
        self.gaps = np.zeros(3)
        # in extended precision, so that the error of the transformed kernel does not count
        whole = fft.rfft(ring.step.astype(np.longdouble)).real
        self.transformed = whole.astype(np.float64)
        # a transform of n values is right up to its norm times this (Higham 2002, section 24.1,
        # with a margin for prime lengths)
        self.transform_error = 32 * np.log2(2 * self.size) * UNIT
        self.twice = np.concatenate((ring.step, ring.step))

    def spread(self, values: FloatArray) -> FloatArray:
        """Sum over all y of P(x, y) v(y) for every x."""
        return fft.irfft(fft.rfft(values) * self.transformed, self.size)

    def moves(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Probabilities of the moves from rows to columns."""
        return self.twice[columns - rows[:, None] + self.size]

    def pass_on(self, end: int) -> None:
        """Add what the states up to `end` contribute to all others."""
        chosen = self.ring.order[self.passed_on : end]
        if chosen.size:
            batch = np.zeros_like(self.values)
            batch[:, chosen] = self.values[:, chosen]
            self.inflow += self.spread(batch)
            self.spread_error += 2 * self.transform_error * np.linalg.norm(batch, axis=1)
            self.passed_on = end

    def moments(self, watch: Watch) -> Moments:
        """Solve strip by strip."""
        ring = self.ring
        watch.begin(self.size)
        for begin, end in _strips(ring):
            plateau = end - begin > _STRIP + _LARGE
            if plateau or begin - self.passed_on >= _BATCH:
                self.pass_on(begin)
            if plateau:
                self.solve_plateau(ring.order[begin:end])
            else:
                self.solve_strip(begin, end)
            watch.add(end - begin)
        ones = np.ones(self.size)
        certain = np.ones(self.size, dtype=bool)
        _, time, square = self.values
        residuals = Residuals(0.0, float(self.gaps[_TIME]), float(self.gaps[_SQUARE]), 0.0, 0.0)
        return Moments(ones, time, square, certain, residuals)

    def solve_strip(self, begin: int, end: int) -> None:
        """Solve whole fitness levels together, by dense algebra."""
        ring = self.ring
        strip = ring.order[begin:end]
        recent = ring.order[self.passed_on : begin]
        known = self.inflow[:, strip] + self.values[:, recent] @ self.moves(strip, recent).T
        moves = self.moves(strip, strip)
        moves *= accepts(ring.score[strip], ring.score[strip][:, None])
        np.fill_diagonal(moves, 0.0)
        self.leave[strip] = known[_ONE] + moves.sum(axis=1)
        free = ~ring.target[strip]
        if not free.any():
            return
        states = strip[free]
        inside = moves[np.ix_(free, free)]
        leave = self.leave[states]
        factors = linalg.lu_factor(np.diag(leave) - inside, check_finite=False)
        right = known[_TIME, free] + 1.0
        time = linalg.lu_solve(factors, right, check_finite=False)
        self.take(_TIME, states, time, right + inside @ time)
        right = known[_SQUARE, free] + 2 * time - 1.0
        square = linalg.lu_solve(factors, right, check_finite=False)
        self.take(_SQUARE, states, square, right + inside @ square)

    def take(self, column: int, states: IntArray, solution: FloatArray, into: FloatArray) -> None:
        """Take over a solution, and note how far its equations are from being fulfilled."""
        self.values[column, states] = solution
        out = self.leave[states] * solution
        rounding = (_BATCH + _STRIP + _LARGE + self.size // _BATCH + 64) * UNIT
        bound = np.abs(into - out) + rounding * (into + out)
        bound += self.spread_error[column] + self.spread_error[_ONE] * solution
        self.gaps[column] = max(self.gaps[column], float(bound.max()))

    def solve_plateau(self, level: IntArray) -> None:
        """Solve one fitness level of many states by conjugate gradients."""
        ring = self.ring
        stay = ring.step[0]
        everywhere = np.zeros(self.size)
        everywhere[level] = 1.0
        self.leave[level] = self.inflow[_ONE, level] + self.spread(everywhere)[level] - stay
        states = level[~ring.target[level]]
        if not states.size:
            return
        leave = self.leave[states]

        def inside(values: FloatArray) -> FloatArray:
            column = np.zeros(self.size)
            column[states] = values
            return self.spread(column)[states] - stay * values

        divide = partial(solve_symmetric, lambda v: leave * v - inside(v), leave)
        add = np.ones(states.size)
        for column in (_TIME, _SQUARE):
            right = self.inflow[column, states] + add
            solution = divide(right)
            self.spread_error[column] += 2 * self.transform_error * np.linalg.norm(solution)
            self.take(column, states, solution, right + inside(solution))
            add = 2 * solution - 1.0


def _strips(ring: Ring) -> Iterator[tuple[int, int]]:
    """Cut the sequence of the states into runs of whole fitness levels, large levels alone."""
    ranked = -ring.score[ring.order]
    begin = 0
    while begin < ranked.size:
        last = ranked[min(begin + _STRIP, ranked.size) - 1]
        start, end = np.searchsorted(ranked, last), np.searchsorted(ranked, last, side="right")
        if end - start > _STRIP + _LARGE and start > begin:
            end = start
        yield begin, int(end)
        begin = int(end)
