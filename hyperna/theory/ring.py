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
from typing import ClassVar

import numpy as np
from scipy import fft, linalg
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.theory.moments import Moments, solve_sparse
from hyperna.theory.wide import solve_symmetric

# Up to here the matrix of all moves of an angle is kept (by half if the problem has a mirror).
LARGEST_MATRIX = 8192
_STRIP = 256
_BATCH = 8192
# A fitness level with more states than this and a strip is solved on its own.
_LARGE = 4096
_ONE, _TIME, _SQUARE = range(3)
_UNIT = 2.0**-53


@dataclass(frozen=True, eq=False)
class Ring:
    """A (1+1) chain on one cyclic component.

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
    parts: ClassVar[tuple[FloatArray, ...]] = ()  # levels of a ring are narrow

    @cached_property
    def order(self) -> IntArray:
        """States from the fittest to the least fit."""
        return np.argsort(-self.score, kind="stable")

    @cached_property
    def sparse_accepted(self) -> csr_array:
        """All accepted moves that change the state, none from targets."""
        lengths = np.flatnonzero(self.step[1:]) + 1
        state = np.arange(self.score.size)
        rows = np.tile(state, lengths.size)
        columns = ((state + lengths[:, None]) % state.size).ravel()
        keep = (self.score[columns] >= self.score[rows]) & ~self.target[rows]
        data = np.repeat(self.step[lengths], state.size)
        entries = (data[keep], (rows[keep], columns[keep]))
        return csr_array(entries, shape=(state.size, state.size))

    def moments(self) -> Moments:
        """Solve the chain."""
        if not self.step.all():
            return solve_sparse(self)
        if not self.target[self.order[0]]:
            raise ValueError("target must include the best search point at this resolution")
        with threadpool_limits(1):
            return _Solution(self).moments()


class _Solution:
    """Values of the states solved so far, and what they contribute to all others."""

    def __init__(self, ring: Ring) -> None:
        self.ring, self.size = ring, ring.score.size
        self.values = np.zeros((3, self.size))
        self.values[_ONE] = 1.0
        self.leave = np.zeros(self.size)
        self.inflow = np.zeros((3, self.size))
        self.passed_on = 0
        self.spread_error = np.zeros(3)
        self.gap = 0.0
        # in extended precision, so that the error of the transformed kernel does not count
        whole = fft.rfft(ring.step.astype(np.longdouble)).real
        self.transformed = whole.astype(np.float64)
        # a transform of n values is right up to its norm times this (Higham 2002, section 24.1,
        # with a margin for prime lengths)
        self.transform_error = 32 * np.log2(2 * self.size) * _UNIT
        self.twice = np.concatenate((ring.step, ring.step))

    def spread(self, values: FloatArray) -> FloatArray:
        """Sum over all y of P(x, y) v(y) for every x."""
        return fft.irfft(fft.rfft(values) * self.transformed, self.size)

    def moves(self, rows: IntArray, columns: IntArray) -> FloatArray:
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

    def moments(self) -> Moments:
        ring = self.ring
        for begin, end in _strips(ring):
            plateau = end - begin > _STRIP + _LARGE
            if plateau or begin - self.passed_on >= _BATCH:
                self.pass_on(begin)
            if plateau:
                self.solve_plateau(ring.order[begin:end])
            else:
                self.solve_strip(begin, end)
        ones, certain = np.ones(self.size), np.ones(self.size, dtype=bool)
        _, time, square = self.values
        return Moments(ones, time, square, certain, self.leave, float(self.gap))

    def solve_strip(self, begin: int, end: int) -> None:
        """Whole fitness levels together, by dense algebra."""
        ring = self.ring
        strip, recent = ring.order[begin:end], ring.order[self.passed_on : begin]
        known = self.inflow[:, strip] + self.values[:, recent] @ self.moves(strip, recent).T
        moves = self.moves(strip, strip)
        moves *= ring.score[strip][:, None] <= ring.score[strip]
        np.fill_diagonal(moves, 0.0)
        self.leave[strip] = known[_ONE] + moves.sum(axis=1)
        free = ~ring.target[strip]
        if not free.any():
            return
        states, inside, leave = strip[free], moves[np.ix_(free, free)], self.leave[strip][free]
        factors = linalg.lu_factor(np.diag(leave) - inside, check_finite=False)
        time = linalg.lu_solve(factors, known[_TIME, free] + 1.0, check_finite=False)
        right = known[_SQUARE, free] + 2 * time - 1.0
        self.values[_SQUARE, states] = linalg.lu_solve(factors, right, check_finite=False)
        self.set_time(states, time, known[_TIME, free] + 1.0 + inside @ time)

    def set_time(self, states: IntArray, time: FloatArray, into: FloatArray) -> None:
        """Take over expected times, and note how far their equations are from being fulfilled."""
        self.values[_TIME, states] = time
        out = self.leave[states] * time
        rounding = (_BATCH + _STRIP + _LARGE + self.size // _BATCH + 64) * _UNIT
        bound = np.abs(into - out) + rounding * (into + out)
        bound += self.spread_error[_TIME] + self.spread_error[_ONE] * time
        self.gap = max(self.gap, float(bound.max()))

    def solve_plateau(self, level: IntArray) -> None:
        """One fitness level of many states by conjugate gradients."""
        ring, stay = self.ring, self.ring.step[0]
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
        right = self.inflow[_TIME, states] + 1.0
        time = divide(right)
        self.values[_SQUARE, states] = divide(self.inflow[_SQUARE, states] + 2 * time - 1.0)
        self.spread_error[_TIME] += 2 * self.transform_error * np.linalg.norm(time)
        self.set_time(states, time, right + inside(time))


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
