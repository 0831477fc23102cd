"""What chains have in common that are solved one fitness level after the other."""

from abc import abstractmethod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.theory.solver import Moments, Residuals, Solver, longest_at_most
from hyperna.theory.watch import Watch

if TYPE_CHECKING:
    from hyperna.theory.chain import Chain

LOWEST = np.iinfo(np.int64).min


class Substituted(NamedTuple):
    """Two solutions u and v, flat, and bounds of their residuals."""

    once: FloatArray
    twice: FloatArray
    once_gap: float
    twice_gap: float


class SubstitutingSolver(Solver):
    """Fitness never falls and every state reaches every other one at once.

    So from everything that is not fitter than some states a way leads there, from the others none.
    """

    chain: "Chain"

    @abstractmethod
    def substitute(
        self,
        fixed: BoolArray,
        wanted: FloatArray | BoolArray,
        *,
        times: bool,
        watch: Watch | None = None,
    ) -> Substituted:
        """Solve q u = P u + w and q v = P v + w' for all states that are not fixed.

        With `times`, `wanted` is w and w' is 2 u - w: u and v are the first two moments of a time
        where w is the probability that it is finite. Otherwise `wanted` are the given values of u
        in the fixed states, w is 0 and w' is 1: v is the time until a fixed state.
        """

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
            found = self.substitute(fixed, target, times=False, watch=watch)
            reach = found.once
            longest = float(found.twice.max())
            reach_gap, end_gap = found.once_gap, found.twice_gap
        solved = self.substitute(fixed, reach, times=True, watch=watch)
        certain = target | (not dead.any())
        shape = self.chain.shape
        return Moments(
            reach.reshape(shape),
            solved.once.reshape(shape),
            solved.twice.reshape(shape),
            certain.reshape(shape),
            Residuals(reach_gap, solved.once_gap, solved.twice_gap, end_gap, longest),
        )

    def reach_first(self, goal: BoolArray) -> tuple[FloatArray, float]:
        """Return the probability for each state to be in `goal` before the chain ends elsewhere."""
        score = self.chain.score.ravel()
        fixed = goal | self.chain.target.ravel() | (score > score[goal].max(initial=LOWEST))
        found = self.substitute(fixed, goal, times=False)
        longest = longest_at_most(float(found.twice.max(initial=0.0)), found.twice_gap)
        return found.once, found.once_gap * longest

    def closed_classes(self) -> list[IntArray]:
        """Return where the chain can end: the targets, and the best states if none is a target."""
        target = self.chain.target.ravel()
        classes = [np.flatnonzero(target)]
        best = (self.chain.score == self.chain.score.max()).ravel()
        if not (best & target).any():
            classes.append(np.flatnonzero(best))
        return classes
