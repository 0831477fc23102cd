"""What is known about a run of the (1+1) NA from its chain: how long, and where it ends."""

import math
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike

from hyperna._validation import BoolArray, FloatArray, IntArray, check_integer
from hyperna._words import shown
from hyperna.theory.chain import Chain, circulant
from hyperna.theory.moments import Moments
from hyperna.theory.ring import LARGEST_MATRIX, Ring
from hyperna.theory.walk import (
    closed_classes,
    leave_probabilities,
    plateaus,
    reach_first,
    state_probabilities,
    visits,
)

# Steps that are followed one by one for a quantile.
MOST_STEPS = 10**7


@dataclass(frozen=True, eq=False)
class Plateau:
    """A local optimum: equally fit neighbours none of which has a fitter neighbour.

    Attributes
    ----------
    fitness : float
        Fitness of all its points.
    probability : float
        Probability that a run from a uniform start is there at some time before it succeeds.
    states : boolean array
        The search points, angle by bias.
    """

    fitness: float
    probability: float
    states: BoolArray = field(repr=False)

    @property
    def size(self) -> int:
        """Number of search points."""
        return int(self.states.sum())


@dataclass(frozen=True, eq=False)
class End(Plateau):
    """A set of search points that a run never leaves again.

    Its fitness is the largest in the set, its probability that of a run to end there.

    Attributes
    ----------
    success : bool
        Whether it is the target.
    """

    success: bool


@dataclass(frozen=True, eq=False)
class ExactRuntime:
    """The number of fitness evaluations until the optimum is found, as a random variable.

    The first search point is uniform on the grid and its evaluation counts. Arrays have one entry
    for each first search point: shape (r, r + 1), angle by bias, or (r,) without bias. With two
    neurons they have one row for each first neuron and one column for each second one, a neuron
    being angle * (r + 1) + bias, or the angle without bias.

    Attributes
    ----------
    mean, standard_deviation : float
        Infinite if the optimum may never be found.
    probability : float
        Probability that the optimum is ever found; exactly 1.0 if nothing can prevent it.
    conditional_mean, conditional_standard_deviation : float
        Given that the optimum is found; NaN if that is impossible.
    relative_error_bound : float
        The exact mean differs from `mean`, or from `conditional_mean` if the optimum may be missed,
        by this share at most. It is proved by additive drift, rounding errors included.
    optimum_share : float
        Share of the search points that count as optimum.
    per_state : float array
        Mean for each first search point, infinite where the optimum may never be found.
    per_state_probability : float array
        Probability of finding the optimum from each first search point.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> from hyperna.theory import expected_runtime
    >>> runtime = expected_runtime(problem("half"), 16, "local", bias=False)
    >>> runtime.mean, 16 + 1 - 2 / 16
    (16.875, 16.875)
    >>> runtime.distribution(2)
    array([0.     , 0.0625 , 0.09375])
    >>> runtime.quantiles([0.25, 0.5, 0.9])
    array([ 7., 16., 33.])
    """

    mean: float
    standard_deviation: float
    probability: float
    conditional_mean: float
    conditional_standard_deviation: float
    relative_error_bound: float
    optimum_share: float
    per_state: FloatArray = field(repr=False)
    per_state_probability: FloatArray = field(repr=False)
    _chain: "Chain | Ring" = field(repr=False)
    _moments: Moments = field(repr=False)
    _place: np.ndarray = field(repr=False)
    _units: int = field(repr=False)
    _angle_step: FloatArray = field(repr=False)

    @property
    def neurons(self) -> int:
        """Number of neurons, 1 or 2."""
        return 2 if self._angle_step.size == 1 else 1

    @property
    def chain(self) -> Chain:
        """The Markov chain; angles that a symmetry of the problem joins are one of its rows."""
        if isinstance(self._chain, Ring):
            raise ValueError(
                f"resolution must be at most {LARGEST_MATRIX} for more than expectations, "
                f"got {self._place.size}"
            )
        return self._chain

    @property
    def fitness(self) -> FloatArray:
        """Fitness of each search point."""
        return self._spread(self._chain.score / self._units)

    @property
    def target(self) -> BoolArray:
        """Search points that count as optimum."""
        return self._spread(self._chain.target)

    @property
    def _start(self) -> FloatArray:
        columns = self.chain.shape[1]
        total = self._place.size * columns
        return np.outer(np.bincount(self._place), np.ones(columns)) / total

    def _spread(self, values: np.ndarray) -> np.ndarray:
        """Values of the chain's states as values of the search points."""
        rows = values.reshape(self._chain.score.shape)[self._place]
        return rows if rows.ndim == 2 and rows.shape[1] > 1 else rows.reshape(-1)

    # ---- how long

    def from_start(self, angle: int, bias: int | None = None) -> tuple[float, float]:
        """Return mean evaluations and success probability from one first search point.

        Parameters
        ----------
        angle, bias : int
            The components of the search point, bias None if it is not searched.
        """
        with_bias = self.per_state.ndim == 2
        if (bias is not None) != with_bias:
            raise ValueError(f"bias must {'' if with_bias else 'not '}be given here, got {bias}")
        place: tuple[int, ...] = (check_integer("angle", angle, 0, self.per_state.shape[0] - 1),)
        if bias is not None:
            place += (check_integer("bias", bias, 0, self.per_state.shape[1] - 1),)
        return float(self.per_state[place]), float(self.per_state_probability[place])

    def distribution(self, t_max: int) -> FloatArray:
        """P(the optimum is found within t evaluations) for t = 0 .. t_max.

        No moves are kept in memory; an evaluation takes 3 ms at resolution 120 with harmonic
        mutation, 0.2 s at 480.
        """
        return self.curves(t_max)[0]

    def fixed_budget(self, t_max: int) -> FloatArray:
        """Expected fitness after t evaluations for t = 0 .. t_max (NaN for 0).

        A run that has found the optimum keeps the fitness it has there.
        """
        return self.curves(t_max)[1]

    def curves(self, t_max: int) -> tuple[FloatArray, FloatArray]:
        """Return `distribution` and `fixed_budget` for the price of one."""
        t_max = check_integer("t_max", t_max, 0)
        found, fitness = np.zeros(t_max + 1), np.full(t_max + 1, math.nan)
        target = self.chain.target.ravel()
        score = self.chain.score.ravel() / self._units
        walk = state_probabilities(self.chain, self._moments.leave, self._start)
        for t, states in enumerate(islice(walk, t_max), start=1):
            found[t], fitness[t] = states[target].sum(), states @ score
        return found, fitness

    def quantiles(self, levels: ArrayLike = (0.05, 0.25, 0.5, 0.75, 0.95)) -> FloatArray:
        """Return the smallest t with P(the optimum is found within t evaluations) >= level.

        Infinite where the level is larger than the probability to find it at all.
        """
        wanted = np.atleast_1d(np.asarray(levels, dtype=float))
        if not ((wanted > 0) & (wanted < 1)).all():  # so that NaN is refused too
            raise ValueError(
                f"levels must be larger than 0 and smaller than 1, got {shown(levels)}"
            )
        result = np.full(wanted.shape, math.inf)
        # a level that is only reached in the limit is not waited for
        open_levels = wanted < self.probability * (1 - 1e-9)
        target = self.chain.target.ravel()
        walk = state_probabilities(self.chain, self._moments.leave, self._start)
        for t, states in enumerate(islice(walk, MOST_STEPS), start=1):
            if not open_levels.any():
                return result
            found = states[target].sum()
            now = open_levels & (wanted <= found)
            result[now] = t
            open_levels &= ~now
        raise ValueError(
            f"levels must be reached within {MOST_STEPS} evaluations, got {shown(levels)}"
        )

    def fixed_target(self) -> tuple[FloatArray, FloatArray]:
        """Expected evaluations until the fitness is at least f, for all values f on the grid.

        Here a run does not end at the optimum but goes on to the best search point.

        Returns
        -------
        fitness, evaluations : float arrays
            Rising. Evaluations are infinite where a run may be stuck below.
        """
        chain = self.chain
        best = chain.score == chain.score.max()
        goal = Chain(chain.score, best, chain.first, chain.second)
        leave = self._moments.leave if chain.full else leave_probabilities(goal)
        fixed = best.ravel().copy()
        fixed[np.concatenate(closed_classes(goal))] = True
        found = visits(goal, leave, self._start, fixed)
        # every end is reached from some start
        spent = np.where(fixed, np.where(best.ravel(), 0.0, np.inf), found)
        levels, level = np.unique(chain.score.ravel(), return_inverse=True)
        per_level = np.bincount(level.ravel(), spent)
        before = np.append(0.0, np.cumsum(per_level)[:-1])
        return levels / self._units, 1.0 + before

    # ---- where

    def ends(self) -> list[End]:
        """Return where runs end, and how likely: success first, then what they get stuck in."""
        classes, _, found = self._until_end()
        score = self.chain.score.ravel()
        result = []
        for number, end in enumerate(classes):
            mask = np.zeros(score.size, dtype=bool)
            mask[end] = True
            best = float(score[end].max(initial=0) / self._units)
            result.append(End(best, float(found[mask].sum()), self._spread(mask), number == 0))
        return result[:1] + sorted(result[1:], key=lambda end: -end.fitness)

    def evaluations_until_end(self) -> float:
        """Expected evaluations until a run has succeeded or is stuck for good."""
        _, fixed, found = self._until_end()
        return 1.0 + float(found[~fixed].sum())

    def _until_end(self) -> tuple[list[IntArray], BoolArray, FloatArray]:
        """Where runs end, which states these are, and the visits of all states until then."""
        classes = closed_classes(self.chain)
        fixed = np.zeros(self.chain.score.size, dtype=bool)
        fixed[np.concatenate(classes)] = True
        return classes, fixed, visits(self.chain, self._moments.leave, self._start, fixed)

    def visit_probability(self, states: BoolArray) -> FloatArray:
        """Probability to be in one of some states before success, for each first search point.

        For the states of an `End` this is its basin.

        Parameters
        ----------
        states : boolean array
            Shape (r, r + 1), or (r,) without bias.
        """
        mask = np.asarray(states)
        if mask.dtype != bool or mask.shape != self.per_state.shape:
            raise ValueError(
                f"states must be a boolean array of shape {self.per_state.shape}, "
                f"got {mask.dtype} {mask.shape}"
            )
        chain, place = self.chain, self._place
        rows = mask.reshape(place.size, -1)
        first = np.unique(place, return_index=True)[1]
        joined = rows[first]
        if not np.array_equal(joined[place], rows):
            chain, place = self._unjoined()
            joined = rows
        found = reach_first(chain, joined)
        return found.reshape(joined.shape)[place].reshape(mask.shape)

    def _unjoined(self) -> tuple[Chain, np.ndarray]:
        """The chain of all search points, for questions that break the symmetry."""
        chain, place = self.chain, self._place
        first = circulant(self._angle_step)
        whole = Chain(chain.score[place], chain.target[place], first, chain.second)
        return whole, np.arange(place.size)

    def hitting_probabilities(self) -> list[Plateau]:
        """Return all local optima and how likely a run is there at some time, the fittest first.

        A local optimum is a plateau of equally fit search points whose neighbours, one step away
        in each component at most, are not fitter.
        """
        if self.neurons == 2:
            raise ValueError("neurons must be 1 for the local optima of a landscape, got 2")
        score = (self.fitness * self._units).round().astype(np.int64)
        found = []
        label, optima = plateaus(score)
        for mask in (label == number for number in optima.tolist()):
            value = float(score[mask][0]) / self._units
            start_there = self.visit_probability(mask)
            found.append(Plateau(value, float(start_there.mean()), mask))
        return sorted(found, key=lambda plateau: (-plateau.fitness, -plateau.probability))
