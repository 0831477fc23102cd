"""Exact runtime of the (1+1) NA with one neuron on the circle: all that can be asked about it."""

import math
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike

from hyperna._validation import BoolArray, FloatArray, check_integer, check_real
from hyperna._words import shown
from hyperna.fitness import ExactArcs, Fitness, fitness_of
from hyperna.grid import Grid
from hyperna.mutation import StepLaw, law
from hyperna.problems import Problem
from hyperna.theory.chain import Chain, circulant, displacements, lump
from hyperna.theory.landscape import all_scores, targets
from hyperna.theory.limits import check_affordable
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
class End:
    """A set of search points that a run never leaves again.

    Attributes
    ----------
    success : bool
        Whether it is the target.
    fitness : float
        The largest fitness in the set.
    probability : float
        Probability that a run from a uniform start ends there.
    states : boolean array
        The search points, angle by bias.
    """

    success: bool
    fitness: float
    probability: float
    states: BoolArray = field(repr=False)

    @property
    def size(self) -> int:
        """Number of search points."""
        return int(self.states.sum())


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
class ExactRuntime:
    """The number of fitness evaluations until the optimum is found, as a random variable.

    The first search point is uniform on the grid and its evaluation counts. Arrays have one entry
    for each first search point: shape (r, r + 1), angle by bias, or (r,) without bias.

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
    >>> runtime = expected_runtime(problem("half"), 16, "local", bias=False)
    >>> runtime.mean, 16 + 1 - 2 / 16
    (16.875, 16.875)
    >>> runtime.distribution(2)
    array([0.     , 0.0625 , 0.09375])
    >>> runtime.quantiles([0.25, 0.5, 0.9])
    array([ 7., 15., 34.])
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
        if wanted.min() <= 0 or wanted.max() >= 1:
            raise ValueError(f"levels must be larger than 0 and smaller than 1, got {levels!r}")
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
        raise ValueError(f"levels must be reached within {MOST_STEPS} evaluations, got {levels!r}")

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
        for end in closed_classes(goal):
            fixed[end.states] = True
        found = visits(goal, leave, self._start, fixed)
        stuck = fixed & ~best.ravel() & (found > 0)
        spent = np.where(fixed, np.where(stuck, np.inf, 0.0), found)
        levels, level = np.unique(chain.score.ravel(), return_inverse=True)
        per_level = np.bincount(level.ravel(), spent)
        before = np.append(0.0, np.cumsum(per_level)[:-1])
        return levels / self._units, 1.0 + before

    # ---- where

    def ends(self) -> list[End]:
        """Return where runs end, and how likely: success first, then what they get stuck in."""
        chain = self.chain
        classes = closed_classes(chain)
        fixed = np.zeros(chain.score.size, dtype=bool)
        for end in classes:
            fixed[end.states] = True
        found = visits(chain, self._moments.leave, self._start, fixed)
        result = []
        for end in classes:
            mask = np.zeros(chain.score.size, dtype=bool)
            mask[end.states] = True
            best = chain.score.ravel()[mask].max(initial=0) / self._units
            states = self._spread(mask)
            result.append(End(end.success, float(best), float(found[mask].sum()), states))
        return result[:1] + sorted(result[1:], key=lambda end: -end.fitness)

    def evaluations_until_end(self) -> float:
        """Expected evaluations until a run has succeeded or is stuck for good."""
        chain = self.chain
        fixed = np.zeros(chain.score.size, dtype=bool)
        for end in closed_classes(chain):
            fixed[end.states] = True
        found = visits(chain, self._moments.leave, self._start, fixed)
        return 1.0 + float(found[~fixed].sum())

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
        result: FloatArray = found.reshape(joined.shape)[place].reshape(mask.shape)
        return result

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
        score = (self.fitness * self._units).round().astype(np.int64)
        found = []
        for mask in plateaus(score):
            value = float(score[mask][0]) / self._units
            start_there = self.visit_probability(mask)
            found.append(Plateau(value, float(start_there.mean()), mask))
        return sorted(found, key=lambda plateau: (-plateau.fitness, -plateau.probability))


def expected_runtime(
    problem: Problem | Fitness,
    resolution: int,
    mutation: str | StepLaw = "harmonic",
    *,
    bias: bool = True,
    redraw_void: bool = False,
    mutation_probability: float | None = None,
    target: float | None = None,
) -> ExactRuntime:
    """Exact runtime of the (1+1) NA with one neuron on an arc problem at D = 2.

    Parameters
    ----------
    problem : Problem or Fitness
        A union of arcs at D = 2.
    resolution : int
        Number r of angles. With bias the time grows like r^3: 0.1 s at 120, half a minute at 1200,
        some minutes at 2400; without bias up to 2**20 in about a minute. A request that is too
        large is refused at once with what it would need.
    mutation : str or StepLaw
        A law with a probability for each step length, such as "harmonic", "local" or "uniform".
    bias : bool
        False fixes the bias at value 0 (r must be even), so that only the angle is searched.
    redraw_void : bool
        Draw again, without counting, when the offspring equals its parent.
    mutation_probability : float, optional
        Probability with which each component is mutated, 1/2 if not given, with and without bias.
    target : float, optional
        Stop at this fitness. If not given, the run ends where every component is within less than
        1 of an optimal solution or, if there are too many of them, within 2/r of the best fitness.

    Returns
    -------
    ExactRuntime

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> runtime = expected_runtime(problem("quarter"), 40)
    >>> round(runtime.mean, 6), round(runtime.standard_deviation, 6)
    (71.206554, 40.690432)
    >>> runtime.relative_error_bound < 1e-11
    True

    Local mutation can be stuck in the local optima of LOCALOPT.

    >>> stuck = expected_runtime(problem("local_opt"), 24, "local")
    >>> stuck.mean, round(stuck.probability, 6)
    (inf, 0.44851)
    >>> [(round(end.fitness, 3), round(end.probability, 3)) for end in stuck.ends()[:3]]
    [(0.75, 0.449), (0.664, 0.155), (0.649, 0.081)]
    """
    fitness = fitness_of(problem)
    if not isinstance(fitness, ExactArcs):
        raise TypeError(f"problem must be a union of arcs at dim 2, got {shown(problem)}")
    grid = Grid(2, 1, resolution)
    probability = 0.5
    if mutation_probability is not None:
        probability = check_real("mutation_probability", mutation_probability, 0, 1, low_open=True)
    steps = check_affordable(grid, law(mutation), bias)
    score = all_scores(fitness, grid, bias)
    found = targets(fitness, grid, score, target, bias)
    angle_step = displacements(steps, grid.resolution, probability)
    bias_step = displacements(steps, grid.resolution + 1, probability) if bias else np.ones(1)
    void = angle_step[0] * bias_step[0] if redraw_void else 0.0
    angle_step = angle_step / (1.0 - void)
    if not bias and grid.resolution > LARGEST_MATRIX:
        ring = Ring(score[:, 0], found[:, 0], angle_step)
        return _summary(ring, np.arange(grid.resolution), angle_step, fitness.units(grid))
    chain, place = lump(score, found, circulant(angle_step), circulant(bias_step))
    return _summary(chain, place, angle_step, fitness.units(grid))


def _summary(
    chain: "Chain | Ring", place: np.ndarray, angle_step: FloatArray, units: int
) -> ExactRuntime:
    """Averages over a uniform first search point; row i of the chain stands for place == i."""
    moments = chain.moments()
    columns = chain.score.size // chain.score.shape[0]
    start = np.outer(np.bincount(place), np.ones(columns)) / (place.size * columns)
    start = start.reshape(chain.score.shape)
    certain = bool(moments.certain.all())
    probability = 1.0 if certain else float((start * moments.reach).sum())
    time = spread = math.nan
    if probability > 0.0:
        time = float((start * moments.time).sum()) / probability
        square = float((start * moments.square).sum()) / probability
        spread = math.sqrt(max(square - time**2, 0.0))
    shape = (place.size, columns) if columns > 1 else (place.size,)
    per_state = np.where(moments.certain, 1.0 + moments.time, np.inf)
    return ExactRuntime(
        mean=1.0 + time if certain else math.inf,
        standard_deviation=spread if certain else math.inf,
        probability=probability,
        conditional_mean=1.0 + time,
        conditional_standard_deviation=spread,
        relative_error_bound=moments.error,
        optimum_share=float((start * chain.target).sum()),
        per_state=per_state[place].reshape(shape),
        per_state_probability=moments.reach[place].reshape(shape),
        _chain=chain,
        _moments=moments,
        _place=place,
        _units=units,
        _angle_step=angle_step,
    )
