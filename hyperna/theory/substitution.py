"""What chains have in common that are solved one fitness level after the other.

Two things are asked of such a chain, and each is a pair of systems with the same matrix. With q, P
and A as in `hyperna.theory.chain`, for all states x that are not fixed:

    q(x) u(x) = sum over A(x) of P(x, y) u(y) + a(x)
    q(x) v(x) = sum over A(x) of P(x, y) v(y) + b(x), and + 2 u(x) if `doubled`

=================  ======  ======  ===  ===  =======  =========================
asked by           u       v       a    b    doubled  in fixed states
=================  ======  ======  ===  ===  =======  =========================
`solve_times`      time    square  h    -h   yes      u = v = 0
`solve_reaching`   reach   end     0    1    no       u = 1 in a goal, v = 0
=================  ======  ======  ===  ===  =======  =========================

where h is the probability that the time is finite, and `end` the time until a fixed state.
"""

from abc import abstractmethod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.theory.solver import Moments, Residuals, Solver, longest_at_most
from hyperna.theory.watch import Watch

if TYPE_CHECKING:
    from hyperna.theory.chain import Chain

LOWEST = np.iinfo(np.int64).min


class Equations(NamedTuple):
    """The two systems; all arrays are over the states, flat.

    In `fixed` states u is `given` and v is 0.
    """

    fixed: BoolArray
    given: FloatArray
    a: FloatArray
    b: FloatArray
    doubled: bool


class Solutions(NamedTuple):
    """Their solutions, flat, and bounds of the residuals."""

    u: FloatArray
    v: FloatArray
    u_gap: float
    v_gap: float


class Times(NamedTuple):
    """g and s of `hyperna.theory.chain`, flat, and bounds of their residuals."""

    time: FloatArray
    square: FloatArray
    time_gap: float
    square_gap: float


class Reaching(NamedTuple):
    """Where the chain goes and how long that takes, flat, and bounds of the residuals.

    `reach` is the probability that the first fixed state is in the goal, `end` the expected number
    of steps until then.
    """

    reach: FloatArray
    end: FloatArray
    reach_gap: float
    end_gap: float


class SubstitutingSolver(Solver):
    """Fitness never falls and every state reaches every other one at once.

    So a state reaches some others if and only if it is not fitter than the fittest of them.
    """

    chain: "Chain"

    @abstractmethod
    def substitute(self, equations: Equations, watch: Watch | None = None) -> Solutions:
        """Solve both systems, over falling fitness."""

    def solve_times(self, fixed: BoolArray, reach: FloatArray, watch: Watch | None = None) -> Times:
        """Return the moments of the time until a fixed state that is finite as `reach` says."""
        nothing = np.zeros(fixed.size)
        equations = Equations(fixed, given=nothing, a=reach, b=-reach, doubled=True)
        return Times(*self.substitute(equations, watch))

    def solve_reaching(
        self, fixed: BoolArray, goal: BoolArray, watch: Watch | None = None
    ) -> Reaching:
        """Return how likely the first fixed state is in the goal, and when it comes."""
        nothing = np.zeros(fixed.size)
        one = np.ones(fixed.size)
        given = goal.astype(np.float64)
        equations = Equations(fixed, given=given, a=nothing, b=one, doubled=False)
        return Reaching(*self.substitute(equations, watch))

    def moments(self, watch: Watch) -> Moments:
        """Substitute over falling fitness."""
        target = self.chain.target.ravel()
        score = self.chain.score.ravel()
        # Everything fitter than the best target is a trap, everything else can go there at once.
        dead = score > score[target].max(initial=LOWEST)
        fixed = target | dead
        reach = np.ones(target.size)
        reach_gap = end_gap = longest = 0.0
        watch.begin(target.size * (2 if dead.any() else 1))
        if dead.any():
            found = self.solve_reaching(fixed, target, watch)
            reach = found.reach
            longest = float(found.end.max())
            reach_gap, end_gap = found.reach_gap, found.end_gap
        times = self.solve_times(fixed, reach, watch)
        certain = target | (not dead.any())
        shape = self.chain.shape
        return Moments(
            reach.reshape(shape),
            times.time.reshape(shape),
            times.square.reshape(shape),
            certain.reshape(shape),
            Residuals(reach_gap, times.time_gap, times.square_gap, end_gap, longest),
        )

    def reach_first(self, goal: BoolArray) -> tuple[FloatArray, float]:
        """Return the probability for each state to be in `goal` before the chain ends elsewhere."""
        score = self.chain.score.ravel()
        fixed = goal | self.chain.target.ravel() | (score > score[goal].max(initial=LOWEST))
        found = self.solve_reaching(fixed, goal)
        longest = longest_at_most(float(found.end.max(initial=0.0)), found.end_gap)
        return found.reach, found.reach_gap * longest

    def closed_classes(self) -> list[IntArray]:
        """Return where the chain can end: the targets, and the best states if none is a target."""
        target = self.chain.target.ravel()
        classes = [np.flatnonzero(target)]
        best = (self.chain.score == self.chain.score.max()).ravel()
        if not (best & target).any():
            classes.append(np.flatnonzero(best))
        return classes
