"""All networks on a grid: their scores, and which of them end a run with success.

A chain can be written down wherever the genomes can be listed. It must have the ties that a run
has, to the last unit. The states of one neuron on the circle, unless it is bent and has a bias, are
scored by a formula for all of them at once (`all_scores`), which has the same table of half-widths
as the kernels; a test compares the two unit by unit at small resolutions. Where kernels compute
half-widths (with biases above r = 2**14) the last unit could differ, but chains with so many states
are refused (`hyperna.theory.limits`). All other states are listed and judged by a kernel of runs.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperna._kernels.state import RUNNING
from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.fitness import ExactArcs, ExactSphere
from hyperna.fitness.exact import arcs_in_units, half_widths
from hyperna.network.grid import Grid
from hyperna.network.neurons import is_bent
from hyperna.run.success import Goal
from hyperna.run.task import Task
from hyperna.theory.symmetry import mirrored_angles, mutated_components
from hyperna.theory.watch import Watch

# Optima are given as floats; an angle exactly one step away must not pass for nearer than that.
_LESS_THAN_ONE = 1.0 - 1e-9
# Genomes that are judged at a time.
_BATCH = 2**16


@dataclass(frozen=True, eq=False)
class States:
    """The networks of a task.

    Attributes
    ----------
    components : integer array
        The components that are mutated, as indices of a genome.
    values : tuple of integer arrays
        For each of them, the values that were listed: all, or one of each pair of mirror images.
    places : tuple of integer arrays
        For each of them, which of the listed values stands for each value.
    score : integer array
        Scores of all combinations of listed values, one axis for each mutated component.
    target : boolean array
        Which of them end a run with success.
    """

    components: IntArray
    values: tuple[IntArray, ...]
    places: tuple[IntArray, ...]
    score: IntArray
    target: BoolArray


def list_states(task: Task, watch: Watch | None = None) -> States:
    """Return all networks of a task with their scores.

    Examples
    --------
    >>> from hyperna.theory.task import exact_task
    >>> states = list_states(exact_task("half", 4, bias=False))
    >>> (states.score / 4 / 2**50).round(3), states.target
    (array([0.5, 1. , 0.5, 0. ]), array([False,  True, False, False]))
    """
    grid = task.grid
    components = mutated_components(task)
    moduli = grid.moduli[components].tolist()
    alike = [np.arange(modulus) for modulus in moduli]
    if isinstance(task.fitness, ExactSphere) and grid.neurons == 1:
        for k in range(grid.dim - 2):
            alike[k] = mirrored_angles(grid.resolution)
    pairs = [np.unique(values, return_inverse=True) for values in alike]
    values = tuple(found for found, _ in pairs)
    places = tuple(place for _, place in pairs)
    if _has_formula(task):
        assert isinstance(task.fitness, ExactArcs)
        table = all_scores(task.fitness, grid, task.bias)
        score = table.reshape(tuple(moduli))
        target = near_targets(task.goal, grid, table).reshape(score.shape)
    else:
        score, target = _judged(task, components, values, watch or Watch())
    return States(components, values, places, score, target)


def _has_formula(task: Task) -> bool:
    """Whether all states are those of one neuron on the circle with two components or one.

    Of a kind of neuron that has no formula all states are listed.
    """
    grid = task.grid
    simple = grid.neuron == "plain" or (grid.neuron == "bent" and not task.bias)
    return isinstance(task.fitness, ExactArcs) and grid.neurons == 1 and simple


def _judged(
    task: Task, components: IntArray, values: tuple[IntArray, ...], watch: Watch
) -> tuple[IntArray, BoolArray]:
    """Scores and targets of all combinations of values, as the kernel of a run judges them."""
    from hyperna._kernels.judging import judge

    grid = task.grid
    # the form for networks that are not offspring of one parent
    form: Any = task.fitness.scoring_form(grid)
    work = form.workspace()
    shape = tuple(len(found) for found in values)
    size = int(np.prod(shape))
    score = np.zeros(size, np.int64)
    target = np.zeros(size, dtype=bool)
    codes = np.zeros(_BATCH, np.int64)
    watch.begin(size)
    for begin in range(0, size, _BATCH):
        chosen = np.arange(begin, min(begin + _BATCH, size))
        genomes = np.zeros((chosen.size, grid.components), np.int64)
        if not task.bias:
            genomes[:, grid.bias_components] = grid.zero_bias
        index = np.unravel_index(chosen, shape)
        for component, found, place in zip(components.tolist(), values, index, strict=True):
            genomes[:, component] = found[place]
        part = score[begin : begin + chosen.size]
        judge(form, work, task.limits, task.goal.optima, genomes, part, codes)
        target[chosen] = codes[: chosen.size] != RUNNING
        watch.add(chosen.size)
    return score.reshape(shape), target.reshape(shape)


def all_scores(fitness: ExactArcs, grid: Grid, bias: bool = True) -> IntArray:
    """Scores of all networks with one neuron on the circle: angle by bias, or (r, 1).

    For a bent neuron with bias 0 the shape is (r, r): angle by bend. With a bias it would have
    three components, and other kinds of neurons have other half-widths: there is no formula.

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
    bent = is_bent(grid.neuron, "the formula of one neuron")
    if bent and bias:
        raise ValueError("bias must be False for the formula of one bent neuron, got True")
    turn = fitness.units(grid)
    step = turn // grid.resolution
    starts, lengths = arcs_in_units(fitness.problem, turn)
    if not bias:
        grid.zero_bias  # noqa: B018  refuses a resolution on which 0 is no bias
    if bent:
        half = np.arange(grid.resolution) * (step // 2)
    elif bias:
        half = np.array(half_widths(grid.resolution, turn))
    else:
        half = np.array([turn // 4])
    centre = np.arange(grid.resolution)[:, None] * step

    def positive_until(x: IntArray) -> IntArray:
        turns, rest = np.divmod(x, turn)
        return turns * lengths.sum() + sum(
            np.clip(rest - start, 0, length) for start, length in zip(starts, lengths, strict=True)
        )

    right = positive_until(centre + half) - positive_until(centre - half)
    return turn - lengths.sum() - 2 * half + 2 * right


def near_targets(goal: Goal, grid: Grid, score: IntArray) -> BoolArray:
    """Where a run with one neuron on the circle ends with success, in the shape of the scores.

    Parameters
    ----------
    goal : Goal
        What ends a run, as a task has it (`hyperna.run.task.Task.goal`).
    grid : Grid
        With one neuron at D = 2.
    score : integer array
        What `all_scores` returned.
    """
    if not goal.by_closeness:
        return score >= goal.score
    with_bias = score.shape[1] > 1
    close_to_each = [_near(grid, optimum, with_bias) for [optimum] in goal.listed_optima]
    near = np.logical_or.reduce(close_to_each)
    return np.asarray(near & (score >= goal.lowest_optimal_score))


def _near(grid: Grid, optimum: FloatArray, with_bias: bool) -> BoolArray:
    """Search points less than 1 away, with wrap-around, from an angle and a bias in grid units.

    For a bent neuron from an angle and a bend.
    """
    r = grid.resolution
    angle, bias, *bend = optimum.tolist()

    def close(value: float, modulus: int) -> BoolArray:
        distance = np.abs(np.arange(modulus) - value)
        return np.minimum(distance, modulus - distance) < _LESS_THAN_ONE

    others = np.ones(1, dtype=bool)
    if bend:
        others = close(bend[0], r)
    elif with_bias:
        others = close(bias, r + 1)
    return close(angle, r)[:, None] & others
