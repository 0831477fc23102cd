"""Exact runtime of the (1+1) NA with one or two neurons on the circle."""

import math

import numpy as np

from hyperna._validation import FloatArray, IntArray, check_choice, check_integer, check_real
from hyperna._words import shown
from hyperna.fitness import ExactArcs, Fitness, fitness_of
from hyperna.grid import Grid
from hyperna.mutation import StepLaw, law
from hyperna.problems import Problem
from hyperna.theory.answers import ExactRuntime
from hyperna.theory.chain import Chain, circulant, displacements, lump
from hyperna.theory.landscape import all_scores, targets
from hyperna.theory.limits import check_affordable
from hyperna.theory.pairs import pair_chain
from hyperna.theory.ring import LARGEST_MATRIX, Ring


def expected_runtime(
    problem: Problem | Fitness | str,
    resolution: int,
    mutation: str | StepLaw = "harmonic",
    *,
    neurons: int = 1,
    output: str = "or",
    bias: bool = True,
    neuron: str = "plain",
    redraw_void: bool = False,
    mutation_probability: float | None = None,
    target: float | None = None,
) -> ExactRuntime:
    """Exact runtime of the (1+1) NA with one or two neurons on an arc problem at D = 2.

    Parameters
    ----------
    problem : Problem, Fitness or str
        A union of arcs at D = 2, or its name.
    resolution : int
        Number r of angles. With bias the time grows like r^3: 0.1 s at 120, half a minute at 1200,
        some minutes at 2400; without bias up to 2**20 in about a minute. A request that is too
        large is refused at once with what it would need.
    mutation : str or StepLaw
        A law with a probability for each step length, such as "harmonic", "local" or "uniform".
    neurons : int
        1, or 2 at small resolutions: the chain has (r(r+1))^2 states, 5,184 at r = 8. It takes 1 s
        at r = 16 and 10 s at 24, growing like r^6; with local mutation 10 s at 16.
    output : {"or", "and", "xor"}
        How two neurons are joined.
    bias : bool
        False fixes the bias at value 0 (r must be even), so that only the angle is searched.
    neuron : {"plain", "bent"}
        Kind of the neuron. A bent one must have its bias fixed; its bend takes the bias's place in
        the chain and in all arrays, which then have the shape (r, r).
    redraw_void : bool
        Draw again, without counting, when the offspring equals its parent.
    mutation_probability : float, optional
        Probability with which each component is mutated. If not given it is 1/2, with and without
        bias, and 1/3 for a bent neuron.
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

    A bent neuron solves QUARTER without a bias.

    >>> round(expected_runtime(problem("quarter"), 40, bias=False, neuron="bent").mean, 6)
    117.660646
    """
    fitness = fitness_of(problem)
    if not isinstance(fitness, ExactArcs):
        raise TypeError(f"problem must be a union of arcs at dim 2, got {shown(problem)}")
    if check_integer("neurons", neurons, 1, 2) == 2:
        check_choice("neuron", neuron, ("plain",))
        settings = (resolution, law(mutation), output, bias, redraw_void)
        pair, units = pair_chain(fitness, *settings, mutation_probability, target)
        return _summary(pair, np.arange(pair.shape[0]), np.ones(1), units)
    grid = Grid(2, 1, resolution, neuron=neuron)
    bent = grid.neuron == "bent"
    if bent and bias:
        raise ValueError("bias must be False for a bent neuron: the chain has two components")
    probability = 1.0 / grid.width
    if mutation_probability is not None:
        probability = check_real("mutation_probability", mutation_probability, 0, 1, low_open=True)
    steps = check_affordable(grid, law(mutation), bias or bent)
    score = all_scores(fitness, grid, bias)
    found = targets(fitness, grid, score, target, bias)
    angle_step = displacements(steps, grid.resolution, probability)
    values = score.shape[1]
    bias_step = displacements(steps, values, probability) if values > 1 else np.ones(1)
    void = angle_step[0] * bias_step[0] if redraw_void else 0.0
    angle_step = angle_step / (1.0 - void)
    if values == 1 and grid.resolution > LARGEST_MATRIX:
        ring = Ring(score[:, 0], found[:, 0], angle_step)
        return _summary(ring, np.arange(grid.resolution), angle_step, fitness.units(grid))
    chain, place = lump(score, found, circulant(angle_step), circulant(bias_step))
    return _summary(chain, place, angle_step, fitness.units(grid))


def _summary(
    chain: "Chain | Ring", place: IntArray, angle_step: FloatArray, units: int
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
