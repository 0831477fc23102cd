"""Fitness of all search points of one neuron at D = 2, and which of them count as optimum."""

from typing import Any

import numpy as np

from hyperna._validation import BoolArray, FloatArray, IntArray, check_real
from hyperna.fitness import ExactArcs
from hyperna.fitness.exact import arcs_in_units, half_widths
from hyperna.grid import Grid

# Optima are given as floats; an angle exactly one step away must not pass for nearer than that.
_LESS_THAN_ONE = 1.0 - 1e-9


def all_scores(fitness: ExactArcs, grid: Grid, bias: bool = True) -> IntArray:
    """Scores of all networks with one neuron, shape (r, r + 1): angle by bias, or (r, 1).

    For a bent neuron with bias 0 the shape is (r, r): angle by bend.

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
    if bias:
        half = np.array(half_widths(grid.resolution, turn))
    else:
        grid.zero_bias  # noqa: B018  refuses a resolution on which 0 is no bias
        half = np.array([turn // 4])
    step = turn // grid.resolution
    if grid.neuron == "bent":
        half = np.arange(grid.resolution) * (step // 2)
    centre = np.arange(grid.resolution)[:, None] * step

    def positive_until(x: IntArray) -> IntArray:
        turns, rest = np.divmod(x, turn)
        return turns * lengths.sum() + sum(
            np.clip(rest - start, 0, length) for start, length in zip(starts, lengths, strict=True)
        )

    right = positive_until(centre + half) - positive_until(centre - half)
    return turn - lengths.sum() - 2 * half + 2 * right


def targets(
    fitness: ExactArcs, grid: Grid, score: IntArray, target: float | None, bias: bool
) -> BoolArray:
    """Where a run ends with success, in the shape of the scores.

    Two neurons are to be near those of an optimum in either order.
    """
    problem, neurons = fitness.problem, grid.neurons
    kind: dict[str, Any] = {"bias": bias, "neuron": grid.neuron}
    optima = problem.optima(neurons, grid.output, **kind)
    if target is None and optima:
        close = [[_near(grid, neuron, bias) for neuron in optimum] for optimum in optima]
        if neurons == 1:
            return np.logical_or.reduce([only for [only] in close])
        pairs = [np.outer(one, other) for one, other in close]
        return np.logical_or.reduce([pair | pair.T for pair in pairs])
    if target is None:
        best = problem.best_fitness(neurons, grid.output, **kind)
        assert best is not None  # at D = 2 it always is, but for evolved outputs
        target = max(0.0, best - problem.rounding_loss(neurons, grid.resolution, **kind))
    return score / fitness.units(grid) >= check_real("target", target, 0, 1)


def _near(grid: Grid, optimum: FloatArray, with_bias: bool) -> BoolArray:
    """Search points less than 1 away, with wrap-around, from an angle (in turns) and a bias.

    For a bent neuron from an angle and a bend (in half turns).
    """
    r = grid.resolution
    angle, bias, *bend = optimum.tolist()

    def close(value: float, modulus: int) -> BoolArray:
        distance = np.abs(np.arange(modulus) - value)
        return np.minimum(distance, modulus - distance) < _LESS_THAN_ONE

    others = close((bias + 1.0) / 2.0 * r, r + 1) if with_bias else np.ones(1, dtype=bool)
    if bend:
        others = close(bend[0] * r, r)
    return close(angle * r, r)[:, None] & others
