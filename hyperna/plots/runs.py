"""Runs in pictures: how long they took and how a run's fitness rose."""

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from hyperna.algorithm import RunResult, Runs
from hyperna.experiments.statistics import ecdf
from hyperna.plots.style import BLUE, FONT_SIZE, LINES, finish, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_runtimes(runs: "Runs | Mapping[str, Runs]", ax: "Axes | None" = None) -> "Axes":
    """Draw the share of runs that have succeeded within a number of evaluations.

    The curve ends below 1 where runs failed. Several batches, given by name, share the axes.

    Examples
    --------
    >>> from hyperna import OnePlusOneNA, problem
    >>> runs = OnePlusOneNA(neurons=1, resolution=60).run_many(problem("half"), runs=20)
    >>> plot_runtimes(runs).get_ylabel()
    'share of runs solved'
    """
    ax = new_axes(ax)
    batches = runs if isinstance(runs, Mapping) else {"": runs}
    last = max(float(np.max(batch.evaluations)) for batch in batches.values())
    for (name, batch), colour in zip(batches.items(), cycle(LINES), strict=False):
        curve = ecdf(np.where(batch.success, batch.evaluations, np.inf))
        x = np.concatenate([[1.0], curve.evaluations, [last]])
        y = np.concatenate([[0.0], curve.share, curve.share[-1:] if len(curve.share) else [0.0]])
        ax.step(x, y, where="post", color=colour, linewidth=2.2, label=name or None)
    ax.set_xscale("log")
    ax.set_ylim(-0.02, 1.04)
    if isinstance(runs, Mapping):
        ax.legend(frameon=False, fontsize=FONT_SIZE - 1)
    counts = " / ".join(f"{int(b.success.sum())} of {len(b)}" for b in batches.values())
    return finish(
        ax, x="fitness evaluations", y="share of runs solved", title=f"{counts} runs solved"
    )


def plot_improvements(result: RunResult, ax: "Axes | None" = None) -> "Axes":
    """Draw the fitness of one run over its evaluations.

    Examples
    --------
    >>> from hyperna import OnePlusOneNA, problem
    >>> result = OnePlusOneNA(neurons=1, resolution=60).run(problem("half"), seed=0)
    >>> plot_improvements(result).get_ylabel()
    'fitness'
    """
    ax = new_axes(ax)
    evaluation = np.append(result.improvements["evaluation"], result.evaluations)
    fitness = np.append(result.improvements["fitness"], result.fitness)
    ax.step(evaluation, fitness, where="post", color=BLUE, linewidth=2.2)
    ax.plot(evaluation[:-1], fitness[:-1], "o", color=BLUE, markersize=4)
    ax.set_xscale("log")
    title = f"{result.stop_reason} after {result.evaluations:,} evaluations"
    return finish(ax, x="fitness evaluations", y="fitness", title=title)
