"""What a grid has: known optima, the worth of networks near them, turns of directions."""

import math
from typing import NamedTuple

import numpy as np

from hyperna._kernels.mutation import RotationMove
from hyperna._validation import FloatArray
from hyperna.grid import Grid
from hyperna.problems import Problem


class Goal(NamedTuple):
    """What ends a run with success: a score, or closeness to one of the optima (in grid units).

    No network with a score below `hopeful` is close to one; `words` say it for people.
    """

    score: int
    optima: FloatArray
    hopeful: int
    words: str


def optima_on(grid: Grid, problem: Problem | None, bias: bool) -> FloatArray:
    """Return the known optima in grid units, (alternatives, neurons, components per neuron).

    For an evolved output two columns follow: places where the output must fire, and where not.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> optima_on(Grid(2, 1, 120), problem("half"), bias=True)
    array([[[30., 60.]]])
    """
    known = []
    if problem is not None:
        known = problem.optima(grid.neurons, grid.output, bias=bias, neuron=grid.neuron)
    if not known or grid.dim == 1 or (grid.has_output_neuron and grid.dim > 2):
        return np.zeros((0, grid.neurons, grid.width))
    values = np.array(known, dtype=float)
    optima = values * grid.resolution
    level = grid.direction_width
    optima[:, :, level] = (optima[:, :, level] + grid.resolution) / 2
    if not grid.has_output_neuron:
        return optima
    # What an output neuron makes of the hidden ones is seen between the ends of their arcs.
    return np.concatenate([optima, grid.resolution * _places_between(values)], axis=2)


def share_near(optima: FloatArray, grid: Grid, best: float, unit: int) -> float:
    """Return a fitness that every network within `unit` of an optimum has at least, at D = 2."""
    if grid.neuron == "bent":
        # Biases are fixed, and a step of the bend is half as long as one of the angle.
        return best - 3 * grid.neurons * unit / grid.resolution - 1e-9
    bias = optima[:, :, 1]
    if (bias < unit).any() or (bias > grid.resolution - unit).any():
        return 0.0
    levels = np.stack([bias, bias + unit, bias - unit])
    width = np.arccos(2 * levels / grid.resolution - 1) / (2 * math.pi)
    shift = np.abs(width[1:] - width[0]).max(axis=0)
    loss = 2 * (shift + unit / grid.resolution).sum(axis=1).max()
    return float(best - loss - 1e-9)


def rotations_on(grid: Grid, unit: int, planes: bool = True) -> RotationMove:
    """Return turns of directions in planes of two coordinates, in steps of `unit` grid steps.

    Without `planes` to turn in, directions are moved by changing angles.
    """
    pairs = np.full(grid.components, grid.dim * (grid.dim - 1) if planes else 0)
    pairs[grid.output_start :] = grid.neurons * (grid.neurons - 1) if planes else 0
    pairs[~grid.is_angle] = 0
    return RotationMove(unit, pairs, grid.dim, grid.neurons, grid.width, grid.resolution)


def _places_between(optima: FloatArray) -> FloatArray:
    """Return N places where most neurons fire and N where fewer do, in turns, as two columns."""
    middle, half = optima[:, :, 0], np.arccos(optima[:, :, 1]) / (2 * math.pi)
    ends = np.sort(np.concatenate([middle - half, middle + half], axis=1) % 1.0, axis=1)
    following = np.roll(ends, -1, axis=1)
    places = (ends + (following - ends) % 1.0 / 2) % 1.0
    away = np.abs((places[:, :, None] - middle[:, None] + 0.5) % 1.0 - 0.5)
    firing = (away < half[:, None]).sum(axis=2)
    by_number = np.take_along_axis(places, np.argsort(-firing, axis=1, kind="stable"), axis=1)
    return by_number.reshape(len(optima), 2, -1).transpose(0, 2, 1)
