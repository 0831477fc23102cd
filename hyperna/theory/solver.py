"""What a chain is asked, and how far off the answers may be.

There are several ways to solve a chain, for laws that reach everything and for those that do not,
for one mutant and for many. All of them answer the same few questions, which are listed here, and
say how much the equations of their solutions miss, from which bounds of all answers follow.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.theory.watch import Watch

# Units in the last place that a probability of a step may be wrong by. Of one component at most
#
#    2   a weight of the law
#    1   its share
#    2   the share of the exact sum
#    2   two lengths and two signs that lead to the same place
#    2   the probability to be mutated
#    1   the product with the other components
#   --
#   10   and one for each value beyond the first that a symmetry joins.
#
# So 64 are enough for six components, or for three of which each stands for a dozen values.
WRONG_UNITS = 64
UNIT = 2.0**-53
# A mean that may be wrong by a larger share is not given out.
LARGEST_ERROR = 0.01


def accepts(offspring: IntArray, parent: IntArray) -> BoolArray:
    """Whether offspring with these scores replace parents with those.

    This is the rule of runs, `hyperna._kernels.order.accepts`. It is asked where moves are listed:
    by `hyperna.theory.dense`, `hyperna.theory.sparse_system`, and on rings of few lengths or within
    a strip (`hyperna.theory.ring`), and by what asks how a mean depends on the law
    (`hyperna.theory.sensitivity`, `hyperna.theory.best`). It is built in, as an order of states in
    which the fitter ones come first and those of a level reach each other, wherever sums are made
    instead: in `hyperna.theory.levels`, `hyperna.theory.generations` and their kernels, in the
    inflow and the wide levels of a ring. Sparse systems, which are cut between levels, need a
    fitness that never falls.

    So another rule of acceptance does not begin here but in `Chain.solver`, which has to hand such
    chains to `DenseSolver`, as those of the (1,lambda) NA.
    """
    return np.asarray(offspring >= parent)


def fittest_first(score: IntArray) -> IntArray:
    """States (as flat indices) from the fittest to the least fit, the sequence of solvers."""
    return np.argsort(-score.ravel(), kind="stable")


@dataclass(frozen=True)
class Residuals:
    """How much the computed solutions miss in their equations, at most, rounding errors included.

    Attributes
    ----------
    reach, time, square : float
        Of h, g and s of `hyperna.theory.chain`, as absolute values.
    end : float
        Of the expected number of steps until the chain is where it stays.
    longest : float
        That number from the worst start, infinite if it is not known. It is needed only where the
        target may be missed.
    """

    reach: float
    time: float
    square: float
    end: float
    longest: float


@dataclass(frozen=True, eq=False)
class Moments:
    """h, g and s of `hyperna.theory.chain` for every state, in the shape of the states.

    `certain` says whether h is 1 exactly.
    """

    reach: FloatArray
    time: FloatArray
    square: FloatArray
    certain: BoolArray
    residuals: Residuals


class Bounds(NamedTuple):
    """How far the averages over all starts may be off: certified, rounding errors included.

    `mean` and `standard_deviation` are relative, of the successful runs if the target may be
    missed, and `probability` is absolute.
    """

    mean: float
    standard_deviation: float
    probability: float


def certified_bounds(moments: Moments, start: FloatArray) -> Bounds:
    """Return bounds of the errors of mean, standard deviation and success probability.

    The inverse of the equations is a positive operator: it turns 1 into g, g into (s + g) / 2 and
    a residual of at most R into R g. Where the target may be missed a residual acts in every step
    until the chain ends, after `longest` steps on average at most.
    """
    found = moments.residuals
    reach, time, square = (
        float(start @ values.ravel()) for values in (moments.reach, moments.time, moments.square)
    )
    if time == 0.0:
        return Bounds(0.0, 0.0, 0.0)
    if moments.certain.all():
        relative = certain_increase(found.time)
        square_error = relative * (square + time) + found.square * time
        reach_relative = reach_error = 0.0
    else:
        longest = longest_at_most(found.longest, found.end)
        reach_error = found.reach * longest
        time_error = (found.time + reach_error) * longest
        square_error = (found.square + 2 * time_error + reach_error) * longest
        reach_relative = reach_error / reach
        relative = time_error / time + reach_relative
    if not relative < 1.0:
        return Bounds(math.inf, math.inf, float(reach_error))
    # of the conditional moments mean and second
    mean = time / reach
    second = square / reach
    second_error = square_error / reach + reach_relative * second
    variance = max(second - mean * mean, 0.0)
    variance_error = second_error + (2 * relative + relative**2) * mean * mean
    spread = math.inf
    if variance_error < variance:
        spread = 1.0 - float(np.sqrt(1.0 - variance_error / variance))
    return Bounds(float(relative), spread, float(reach_error))


def certain_increase(missed: float) -> float:
    """By which share a time may be larger than computed if its equations miss so much of 1.

    Infinite where they miss all of it: nothing is proved then.
    """
    return missed / (1.0 - missed) if missed < 1.0 else math.inf


def longest_at_most(longest: float, missed: float) -> float:
    """What the longest time until the end is at most if its equations miss so much of 1."""
    return longest * (1.0 + certain_increase(missed))


class Solver(ABC):
    """Answers questions about a chain; vectors over its states are flat."""

    # Relative error of one step of probabilities, at most.
    step_error: float

    @abstractmethod
    def moments(self, watch: Watch) -> Moments:
        """Solve for h, g and s."""

    @abstractmethod
    def probabilities(self, start: FloatArray) -> Iterator[FloatArray]:
        """Yield the probabilities of all states after 0, 1, 2, ... steps, without end.

        The arrays are reused.
        """

    @abstractmethod
    def visits(self, start: FloatArray, fixed: BoolArray) -> FloatArray:
        """Return the expected number of steps in each state before a fixed one is entered.

        For fixed states it is the probability to end there.
        """

    @abstractmethod
    def reach_first(self, goal: BoolArray) -> tuple[FloatArray, float]:
        """Return the probability for each state to be in `goal` before the chain ends elsewhere.

        With it comes a bound of its absolute error.
        """

    @abstractmethod
    def closed_classes(self) -> list[IntArray]:
        """Return where the chain can end: the targets, then every other set without a way out."""

    @abstractmethod
    def change(self, values: FloatArray) -> FloatArray:
        """Return by how much values rise in one step on average, from every state.

        Targets are not left: 0.
        """


class AnyChain(Protocol):
    """What answers need of a chain: `hyperna.theory.chain.Chain` and `hyperna.theory.ring.Ring`.

    States are flat where nothing else is said.
    """

    @property
    def score(self) -> IntArray:
        """Fitness of each state, larger is better; one axis for each component."""

    @property
    def target(self) -> BoolArray:
        """Where the chain ends, in the shape of the score."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values of the components."""

    @property
    def size(self) -> int:
        """Number of states."""

    @property
    def start(self) -> FloatArray:
        """Probability of each state to be the first one."""

    @property
    def offspring(self) -> int:
        """Number of mutants, and so of evaluations, in a step."""

    @property
    def has_curves(self) -> bool:
        """Whether more than expectations is computed."""

    @property
    def step_operations(self) -> float:
        """About how many additions one step of probabilities takes."""

    @property
    def solver(self) -> Solver:
        """What answers all questions, where more than expectations is computed."""

    def moments(self, watch: Watch | None = None) -> Moments:
        """Solve the chain."""
