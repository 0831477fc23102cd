"""Exact runtime of the (1+1) NA with one neuron on the circle: mean, spread and distribution."""

import math
from dataclasses import dataclass, field

import numpy as np

from hyperna._validation import BoolArray, FloatArray, IntArray, check_integer, check_real
from hyperna._words import shown
from hyperna.fitness import ExactArcs, Fitness, fitness_of
from hyperna.fitness.exact import arcs_in_units, half_widths
from hyperna.grid import Grid
from hyperna.mutation import StepLaw, law
from hyperna.problems import Problem
from hyperna.theory.chain import Chain, circulant, displacements, lump

LARGEST_RESOLUTION = 1200
# Optima are given as floats; an angle exactly one step away must not pass for nearer than that.
_LESS_THAN_ONE = 1.0 - 1e-9


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
    """

    mean: float
    standard_deviation: float
    probability: float
    conditional_mean: float
    conditional_standard_deviation: float
    optimum_share: float
    per_state: FloatArray = field(repr=False)
    per_state_probability: FloatArray = field(repr=False)
    _chain: Chain = field(repr=False)
    _start: FloatArray = field(repr=False)

    def distribution(self, t_max: int) -> FloatArray:
        """P(the optimum is found within t evaluations) for t = 0 .. t_max.

        Every evaluation costs one product with the matrix of all moves: a few milliseconds at
        resolution 60, some ten at 120, the largest that harmonic mutation fits into memory for.
        """
        offspring = check_integer("t_max", t_max, 0) - 1
        if offspring < 0:
            return np.zeros(1)
        return np.append(0.0, self._chain.distribution(offspring, self._start))


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
        Number r of angles, up to 1200. Under a second at 120; at 1200 about a minute if the problem
        has a mirror symmetry on the grid, several minutes or more if it has none.
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

    Local mutation can be stuck in the local optimum of LOCALOPT.

    >>> stuck = expected_runtime(problem("local_opt"), 24, "local")
    >>> stuck.mean, round(stuck.probability, 6)
    (inf, 0.44851)
    """
    fitness = fitness_of(problem)
    if not isinstance(fitness, ExactArcs):
        raise TypeError(f"problem must be a union of arcs at dim 2, got {shown(problem)}")
    grid = Grid(2, 1, check_integer("resolution", resolution, 2, LARGEST_RESOLUTION))
    probability = 0.5
    if mutation_probability is not None:
        probability = check_real("mutation_probability", mutation_probability, 0, 1, low_open=True)
    score = all_scores(fitness, grid)
    found = _targets(fitness, grid, score, target, bias)
    steps = law(mutation).pmf(grid.resolution)
    angle_step = displacements(steps, grid.resolution, probability)
    bias_step = displacements(steps, grid.resolution + 1, probability)
    if not bias:
        score, found = score[:, [grid.zero_bias]], found[:, [grid.zero_bias]]
        bias_step = np.ones(1)
    void = angle_step[0] * bias_step[0] if redraw_void else 0.0
    chain, place = lump(score, found, circulant(angle_step) / (1.0 - void), circulant(bias_step))
    return _summary(chain, place)


def all_scores(fitness: ExactArcs, grid: Grid) -> IntArray:
    """Scores of all networks with one neuron, shape (r, r + 1): angle by bias.

    With F(x) the positive length between 0 and x, a neuron that fires on [c - h, c + h] is right on
    F(c + h) - F(c - h) of the positive length and on all of the negative length but the rest of its
    arc.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> grid = Grid(2, 1, 4)
    >>> half = ExactArcs(problem("half"))
    >>> all_scores(half, grid)[1] / half.units(grid)
    array([0.5       , 0.83333333, 1.        , 0.83333333, 0.5       ])
    """
    turn = fitness.units(grid)
    starts, lengths = arcs_in_units(fitness.problem, turn)
    half = np.array(half_widths(grid.resolution, turn))
    centre = np.arange(grid.resolution)[:, None] * (turn // grid.resolution)

    def positive_until(x: IntArray) -> IntArray:
        turns, rest = np.divmod(x, turn)
        return turns * lengths.sum() + sum(
            np.clip(rest - start, 0, length) for start, length in zip(starts, lengths, strict=True)
        )

    right = positive_until(centre + half) - positive_until(centre - half)
    return turn - lengths.sum() - 2 * half + 2 * right


def _targets(
    fitness: ExactArcs, grid: Grid, score: IntArray, target: float | None, bias: bool
) -> BoolArray:
    """Where the run ends."""
    problem = fitness.problem
    optima = problem.optima(1, grid.output, bias=bias)
    if target is None and optima:
        return np.logical_or.reduce([_near(grid.resolution, *optimum[0]) for optimum in optima])
    if target is None:
        best = problem.best_fitness(1, bias=bias)
        assert best is not None  # at D = 2 that of one neuron always is
        target = max(0.0, best - problem.rounding_loss(1, grid.resolution, bias=bias))
    return score / fitness.units(grid) >= check_real("target", target, 0, 1)


def _near(resolution: int, angle: float, bias: float) -> BoolArray:
    """Search points less than 1 away, with wrap-around, from an angle (in turns) and a bias."""

    def close(value: float, modulus: int) -> BoolArray:
        distance = np.abs(np.arange(modulus) - value)
        return np.minimum(distance, modulus - distance) < _LESS_THAN_ONE

    level = (bias + 1.0) / 2.0 * resolution
    return close(angle * resolution, resolution)[:, None] & close(level, resolution + 1)


def _summary(chain: Chain, place: IntArray) -> ExactRuntime:
    """Averages over a uniform first search point; row i of the chain stands for place == i."""
    moments = chain.moments()
    columns = chain.score.shape[1]
    start = np.outer(np.bincount(place), np.ones(columns)) / (place.size * columns)
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
        optimum_share=float((start * chain.target).sum()),
        per_state=per_state[place].reshape(shape),
        per_state_probability=moments.reach[place].reshape(shape),
        _chain=chain,
        _start=start,
    )
