"""The fitness of one neuron at D = 2 over all its angles and biases."""

import textwrap
from typing import TYPE_CHECKING

import numpy as np

from hyperna._validation import BoolArray, IntArray, check_kind
from hyperna.fitness import ExactArcs, Fitness, fitness_of
from hyperna.network.grid import Grid
from hyperna.plots.style import (
    BLACK,
    TITLE_WIDTH,
    VERMILLION,
    finish,
    heat_map,
    legend_below,
    new_axes,
)
from hyperna.problems import Problem
from hyperna.run.algorithm import OnePlusOneNA
from hyperna.run.results import Trajectory
from hyperna.theory.landscape import local_optima
from hyperna.theory.states import near_targets

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_landscape(
    subject: Problem | Fitness,
    resolution: int = 120,
    trajectory: Trajectory | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the fitness of one neuron over angle and bias, with local optima and a run's path.

    Parameters
    ----------
    subject
        A problem or fitness with D = 2.
    resolution
        Of the grid; the picture evaluates all its r (r + 1) states.
    trajectory
        The path of a run with one neuron, of any resolution: ``run(..., trajectory=True)``.

    Examples
    --------
    >>> from hyperna import problem
    >>> plot_landscape(problem("half"), resolution=24).get_xlabel()
    'angle in degrees'
    """
    if trajectory is not None:
        check_kind("trajectory", trajectory, Trajectory)
    scores, units = score_table(subject, resolution)
    ax = ax or new_axes((8.0, 5.6))
    half = 180 / resolution
    step = 1 / resolution
    heat_map(ax, scores / units, (-half, 360 - half, -1 - step, 1 + step), "fitness", "cividis")
    if trajectory is not None:
        _draw_way(ax, trajectory)
    _draw_optima(ax, subject, scores, units)
    ax.set_xticks(range(0, 361, 60))
    legend_below(ax)
    problem = getattr(subject, "problem", subject)
    name = f"{problem.title}: " if isinstance(problem, Problem) else ""
    sentence = f"{name}one neuron, r = {resolution:,}"
    title = textwrap.fill(sentence, TITLE_WIDTH, break_long_words=False)
    return finish(ax, x="angle in degrees", y="bias", title=title, grid=False)


def score_table(subject: Problem | Fitness, resolution: int) -> tuple[IntArray, int]:
    """Return the score of every (angle, bias) state and the score of no mistake.

    Examples
    --------
    >>> from hyperna import problem
    >>> scores, units = score_table(problem("half"), 4)
    >>> int(scores.max()) == units, scores.shape
    (True, (4, 5))
    """
    fitness = fitness_of(subject)
    if fitness.dim != 2:
        raise ValueError(f"a landscape has two axes and needs D = 2, got D = {fitness.dim}")
    grid = Grid(dim=2, neurons=1, resolution=resolution)
    states = np.indices((resolution, resolution + 1)).reshape(2, -1).T.astype(np.int64)
    return fitness.scores(states, grid).reshape(resolution, -1), fitness.units(grid)


def best_states(subject: Problem | Fitness, scores: IntArray) -> BoolArray:
    """Mark the best states, and those less than a step from an optimal solution.

    Rounded to the grid, equally good solutions differ a little in fitness.
    """
    fitness = fitness_of(subject)
    best = scores == scores.max()
    if not isinstance(fitness, ExactArcs):
        return best
    task = OnePlusOneNA(resolution=scores.shape[0]).task(fitness)
    return best | near_targets(task.goal, task.grid, scores)


def _draw_optima(ax: "Axes", subject: Problem | Fitness, scores: IntArray, units: int) -> None:
    resolution = scores.shape[0]
    found = local_optima(scores)
    best = best_states(subject, scores)
    for chosen, marker, size, colour, name in (
        (found & ~best, "X", 11, VERMILLION, "local optimum"),
        (found & best, "*", 17, "white", "optimum"),
    ):
        if not chosen.any():
            continue
        angle, bias = np.nonzero(chosen)
        low, high = scores[chosen].min() / units, scores[chosen].max() / units
        values = f"{low:.3f}" if f"{low:.3f}" == f"{high:.3f}" else f"{low:.3f} to {high:.3f}"
        ax.plot(
            360 * angle / resolution,
            2 * bias / resolution - 1,
            linestyle="none",
            marker=marker,
            markersize=size,
            markerfacecolor=colour,
            markeredgecolor=BLACK,
            label=f"{name}: {values}",
            zorder=5,
            clip_on=False,
        )


def _draw_way(ax: "Axes", trajectory: Trajectory) -> None:
    """Draw the visited states, without lines across the edges where a component wraps around."""
    from matplotlib.patheffects import withStroke

    if trajectory.genomes.shape[1] != 2:
        raise ValueError("trajectory must be of a run with one neuron and D = 2")
    x, y = np.array([360, 2])[:, None] * trajectory.genomes.T / trajectory.grid.resolution
    y = y - 1
    jumps = (np.abs(np.diff(x)) > 180) | (np.abs(np.diff(y)) > 1)
    cuts = np.flatnonzero(jumps) + 1
    outline = [withStroke(linewidth=3.5, foreground=BLACK)]
    ax.plot(
        np.insert(x, cuts, np.nan),
        np.insert(y, cuts, np.nan),
        color="white",
        linewidth=1.5,
        path_effects=outline,
        marker="o",
        markersize=3,
        label="accepted states of a run",
    )
    ax.plot(x[:1], y[:1], "o", color="white", markeredgecolor=BLACK, markersize=9, label="start")
