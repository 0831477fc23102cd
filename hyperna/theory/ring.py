"""The chain of one angle at large resolutions: moves are never kept, only their probabilities.

The equations are those of `hyperna.theory.chain`. States are solved in the sequence of their
fitness, a strip at a time: whole levels, as many as it takes for 64 states. What a batch of solved
states contributes to all others is a cyclic convolution with the probabilities of the
displacements, done by Fourier transforms, so that time grows a little faster than r and memory like
r. What states that were solved since the last transform contribute is added move by move. A wide
level, one of more than 2000 states, is a strip of its own and solved by conjugate gradients: moves
between equally fit states are symmetric (`hyperna.theory.wide_levels`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from scipy import fft, linalg
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.theory.solver import (
    UNIT,
    WRONG_UNITS,
    Moments,
    Residuals,
    Solver,
    accepts,
    fittest_first,
)
from hyperna.theory.sparse_system import SparseSolver
from hyperna.theory.watch import Watch
from hyperna.theory.wide_levels import LARGEST_MATRIX_LEVEL, solve_symmetric

# Up to here the matrix of all moves of an angle is kept (by half if the problem has a mirror).
LARGEST_MATRIX = 8192
# A strip ends with the level in which it comes to this many states: so many that its sums are
# products of matrices. HALF at 2**18 takes 2.5 s, with 256 instead 3.3 s.
_STRIP = 64
# Solved states are passed on by a transform once there are this many. Every transform adds to the
# error bound: with 2048 HALF at 2**18 takes 0.7 times as long and its bound is twice as large, with
# 32,768 it takes 3.7 times as long and its bound is half as large.
_BATCH = 8192
# Rows of `_Solution.values`: 1, and g and s of the chain.
_ONE, _TIME, _SQUARE = range(3)


@dataclass(frozen=True, eq=False)
class Ring:
    """A (1+1) chain on one cyclic component.

    It answers what a `hyperna.theory.chain.Chain` answers if its law has few lengths. If it reaches
    everything, only expectations are computed. What both have is `hyperna.theory.solver.AnyChain`.

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
        return fittest_first(self.score)

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
        # 4 for each move, as in a `Chain` with few lengths: there are curves of no other ring
        return 4.0 * self.size * int(np.count_nonzero(self.step))

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


class _Strip(NamedTuple):
    """Whole fitness levels that are solved together: places in `Ring.order`.

    A `wide` strip is one level of more than `LARGEST_MATRIX_LEVEL` states; all other strips have at
    most so many states.
    """

    begin: int
    end: int
    wide: bool


class _Solution:
    """Values of the states solved so far, and what they contribute to all others.

    All vectors are in the sequence of the states; the first axis of `values` and `inflow` has the
    rows _ONE, _TIME and _SQUARE.

    Attributes
    ----------
    values : float array (3, r)
        1, and the solutions; 0 where there is none yet.
    leave : float array (r,)
        q of the chain for solved states.
    inflow : float array (3, r)
        What the first `passed_on` states in `Ring.order` contribute to each state.
    spread_error : float array (3,)
        Bounds of the errors of `inflow`, the same for all states.
    gaps : float array (3,)
        How much the equations of the solved states miss at most, rounding errors included.
    """

    def __init__(self, ring: Ring) -> None:
        self.ring = ring
        self.size = ring.size
        self.values = np.zeros((3, self.size))
        self.values[_ONE] = 1.0
        self.leave = np.zeros(self.size)
        self.inflow = np.zeros((3, self.size))
        self.passed_on = 0
        self.passes = 0
        self.spread_error = np.zeros(3)
        self.gaps = np.zeros(3)
        # in extended precision, so that the error of the transformed kernel does not count
        whole = fft.rfft(ring.step.astype(np.longdouble)).real
        self.transformed = whole.astype(np.float64)
        # a transform of n values is right up to its norm times this (Higham 2002, section 24.1,
        # with a margin for prime lengths)
        self.transform_error = 32 * np.log2(2 * self.size) * UNIT

    def spread(self, values: FloatArray) -> FloatArray:
        """Sum over all y of P(x, y) v(y) for every x; several v are rows."""
        return fft.irfft(fft.rfft(values) * self.transformed, self.size)

    def error_of_spread(self, values: FloatArray) -> FloatArray:
        """Bound of the error of `spread` in every state, one for each row.

        There are two transforms, and no factor between them exceeds the first one, the sum of all
        probabilities.
        """
        error = 2 * self.transform_error * self.transformed[0]
        return np.asarray(error * np.linalg.norm(values, axis=-1))

    def moves(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Probabilities of the moves from rows to columns."""
        # negative displacements are places from the end, which is what they are on a ring
        return self.ring.step[columns - rows[:, None]]

    def pass_on(self, end: int) -> None:
        """Add what the states up to `end` contribute to all others."""
        chosen = self.ring.order[self.passed_on : end]
        if chosen.size:
            batch = np.zeros_like(self.values)
            batch[:, chosen] = self.values[:, chosen]
            self.inflow += self.spread(batch)
            self.spread_error += self.error_of_spread(batch)
            self.passed_on = end
            self.passes += 1

    def moments(self, watch: Watch) -> Moments:
        """Solve strip by strip."""
        ring = self.ring
        watch.begin(self.size)
        for strip in _strips(ring):
            if strip.wide or strip.begin - self.passed_on >= _BATCH:
                self.pass_on(strip.begin)
            if strip.wide:
                self.solve_wide_level(ring.order[strip.begin : strip.end])
            else:
                self.solve_strip(strip.begin, strip.end)
            watch.add(strip.end - strip.begin)
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

    def solve_wide_level(self, level: IntArray) -> None:
        """Solve one fitness level of many states by conjugate gradients.

        All fitter states must be passed on.
        """
        ring = self.ring
        if (ring.score[level] != ring.score[level[0]]).any():
            # moves between them would not be symmetric, and those to less fit ones be accepted
            raise ValueError("level must have one fitness")
        diagonal = ring.step[0]
        members = np.zeros(self.size)
        members[level] = 1.0
        self.leave[level] = self.inflow[_ONE, level] + self.spread(members)[level] - diagonal
        leave_error = self.error_of_spread(members)
        states = level[~ring.target[level]]
        if not states.size:
            return
        leave = self.leave[states]

        def inside(values: FloatArray) -> FloatArray:
            column = np.zeros(self.size)
            column[states] = values
            return self.spread(column)[states] - diagonal * values

        divide = partial(solve_symmetric, lambda v: leave * v - inside(v), leave)
        add = np.ones(states.size)
        for column in (_TIME, _SQUARE):
            right = self.inflow[column, states] + add
            solution = divide(right)
            # of the transforms in `leave` and `inside`, and of the diagonal, which both contain and
            # which is taken out again
            own_error = leave_error * solution + self.error_of_spread(solution)
            own_error += 4 * diagonal * UNIT * solution
            self.take(column, states, solution, right + inside(solution), own_error)
            add = 2 * solution - 1.0

    def take(
        self,
        column: int,
        states: IntArray,
        solution: FloatArray,
        into: FloatArray,
        own_error: FloatArray | float = 0.0,
    ) -> None:
        """Take over a solution, and note how far its equations are from being fulfilled.

        Parameters
        ----------
        column : int
            _TIME or _SQUARE.
        states : integer array
            The states that are solved.
        solution : float array
            Their values u.
        into : float array
            The right-hand sides of q u = sum of P u + w, computed with the solution.
        own_error : float array or float
            Bound of the errors of these equations by transforms, besides that of the inflow.
        """
        self.values[column, states] = solution
        out = self.leave[states] * solution
        # terms of the longest sums: recent states, states of the strip, batches
        terms = _BATCH + LARGEST_MATRIX_LEVEL + self.passes + WRONG_UNITS
        bound = np.abs(into - out) + terms * UNIT * (into + out) + own_error
        bound += self.spread_error[column] + self.spread_error[_ONE] * solution
        self.gaps[column] = max(self.gaps[column], float(bound.max()))


def _strips(ring: Ring) -> Iterator[_Strip]:
    """Cut the sequence of the states into strips of whole fitness levels."""
    falling = -ring.score[ring.order]
    begin = 0
    while begin < falling.size:
        # the level in which the strip comes to _STRIP states, or the last one
        last = falling[min(begin + _STRIP, falling.size) - 1]
        level_begin = int(np.searchsorted(falling, last))
        end = int(np.searchsorted(falling, last, side="right"))
        wide = False
        if end - begin > LARGEST_MATRIX_LEVEL:
            if level_begin == begin:
                wide = True
            else:
                # this level begins a strip of its own, before which there are less than _STRIP
                end = level_begin
        yield _Strip(begin, end, wide)
        begin = end
