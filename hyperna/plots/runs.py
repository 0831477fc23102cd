"""Runs in pictures: how long they took, how a run's fitness rose, and both with its network."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hyperna._validation import check_kind
from hyperna._words import counted
from hyperna.network.networks import Network
from hyperna.plots.circle import draw_circle
from hyperna.plots.sphere import plot_sphere
from hyperna.plots.style import (
    BLUE,
    FONT_SIZE,
    LINES,
    curve_line,
    finish,
    legend_below,
    new_axes,
    plain_logarithmic,
)
from hyperna.plots.theme import theme
from hyperna.problems import Problem
from hyperna.run.results import RunResult, Runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# How a run ended, for people.
_ENDS = {
    "running": "interrupted",
    "optimum": "optimum found",
    "target": "target reached",
    "budget": "budget spent",
    "stagnation": "ended by stagnation",
    "stuck": "stuck",
    "rule": "ended by a stopping rule",
}


def plot_runtimes(runs: "Runs | Mapping[str, Runs]", ax: "Axes | None" = None) -> "Axes":
    """Draw the share of runs that have succeeded within a number of evaluations.

    The curve ends below 1 where runs failed. Several batches, given by name, share the axes.

    Examples
    --------
    >>> from hyperna import OnePlusOneNA, problem
    >>> runs = OnePlusOneNA(neurons=1, resolution=60).run_many(problem("half"), runs=20)
    >>> plot_runtimes(runs).get_ylabel()
    'share of successes'
    """
    batches = runs if isinstance(runs, Mapping) else {"": runs}
    _check_batches("runs", batches)
    # names with their successes and fitness are wide
    ax = ax or new_axes((8.4, 5.8) if isinstance(runs, Mapping) else (6.4, 4.8))
    spent = np.concatenate([batch.evaluations for batch in batches.values()])
    solved = any(batch.success.any() for batch in batches.values())
    succeeded = ""
    # without a success the axis begins where runs do, because no curve says where to look
    ends = (float(spent.min()) if solved else 2.0, float(spent.max()))
    for place, (name, batch) in enumerate(batches.items()):
        count, size = int(batch.success.sum()), batch.success.size
        succeeded = f"{count:,} of {counted(size, 'run')} succeeded"
        reached = f"mean final fitness {batch.fitness.mean():.4f}"
        draw_successes(ax, batch, place, ends, f"{name}: {succeeded}, {reached}")
    plain_logarithmic(ax.xaxis)
    ax.set_ylim(-0.02, 1.04)
    if isinstance(runs, Mapping):
        legend_below(ax, columns=1, room=0.16)
    if not solved:
        text = f"no run succeeded\nwithin {counted(int(spent.max()), 'evaluation')}"
        ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", fontsize=FONT_SIZE)
    title = "" if isinstance(runs, Mapping) else succeeded
    return finish(ax, x="fitness evaluations", y="share of successes", title=title)


def draw_successes(
    ax: "Axes", batch: Runs, place: int, ends: tuple[float, float], label: str
) -> None:
    """Draw the share of runs that have succeeded, between two numbers of evaluations."""
    first, last = ends
    colour, dashes = curve_line(place)
    when, number = np.unique(batch.evaluations[batch.success], return_counts=True)
    share = np.cumsum(number) / len(batch.rows)
    x = np.concatenate([[first / 2], when, [last]])
    y = np.concatenate([[0.0], share, share[-1:] if len(share) else [0.0]])
    ax.step(x, y, where="post", linewidth=2.2, label=label, color=colour, linestyle=dashes)


def _check_batches(name: str, batches: Mapping[str, Runs]) -> None:
    """Refuse what are no runs by name."""
    if not batches:
        raise ValueError(f"{name} must hold at least one batch of runs")
    for batch in batches.values():
        check_kind(name, batch, Runs)


def plot_improvements(result: RunResult, ax: "Axes | None" = None) -> "Axes":
    """Draw the fitness of one run over its evaluations.

    Examples
    --------
    >>> from hyperna import OnePlusOneNA, problem
    >>> result = OnePlusOneNA(neurons=1, resolution=60).run(problem("half"), seed=0)
    >>> plot_improvements(result).get_ylabel()
    'fitness'
    """
    check_kind("result", result, RunResult)
    ax = ax or new_axes()
    evaluation = np.append(result.improvements.evaluations, result.evaluations)
    fitness = np.append(result.improvements.fitness, result.fitness)
    whole: Any = {"color": BLUE, "clip_on": False}  # a mark on the edge is not cut in half
    ax.step(evaluation, fitness, where="post", linewidth=2.2, **whole)
    ax.plot(evaluation[:-1], fitness[:-1], "o", markersize=4, **whole)
    ax.set_xlim(1, max(10.0, 1.2 * result.evaluations))
    room = 0.05 * np.ptp(fitness) or 0.05
    ax.set_ylim(np.clip([fitness.min() - room, fitness.max() + room], 0, 1))
    plain_logarithmic(ax.xaxis)
    spent = counted(result.stuck_at or result.evaluations, "evaluation")
    title = f"{_ENDS[result.stop_reason]} after {spent}"
    return finish(ax, x="fitness evaluations", y="fitness", title=title)


def plot_boxes(batches: Mapping[str, Runs], ax: "Axes | None" = None) -> "Axes":
    """Draw the evaluations of several batches as box plots, with the share of runs that succeeded.

    Boxes hold the middle half of all runs, whiskers reach from the 5th to the 95th percentile, and
    failed runs count with the evaluations they spent.

    Examples
    --------
    >>> from hyperna import OnePlusOneNA, problem
    >>> quick = OnePlusOneNA(neurons=1, resolution=60).run_many(problem("half"), runs=20)
    >>> len(plot_boxes({"harmonic": quick}).get_xticks())
    1
    """
    check_kind("batches", batches, Mapping)
    _check_batches("batches", batches)
    ax = ax or new_axes()
    drawn = ax.boxplot(
        [np.asarray(batch.evaluations, dtype=float) for batch in batches.values()],
        whis=(5, 95),
        widths=0.55,
        patch_artist=True,
        medianprops={"color": theme().ink, "linewidth": 2},
        flierprops={
            "marker": ".",
            "markersize": 4,
            "markerfacecolor": "0.5",
            "markeredgecolor": "0.5",
        },
    )
    for box, colour in zip(drawn["boxes"], cycle(LINES), strict=False):
        box.set(facecolor=colour, alpha=0.55)
    names = [
        f"{name}\n{int(batch.success.sum())} of {len(batch)} succeeded"
        for name, batch in batches.items()
    ]
    ax.set_xticks(range(1, len(names) + 1), names)
    plain_logarithmic(ax.yaxis)
    title = "boxes: middle half of the runs, whiskers: 5 % to 95 %"
    return finish(ax, y="fitness evaluations", title=title)


def plot_convergence(results: Sequence[RunResult], ax: "Axes | None" = None) -> "Axes":
    """Draw how the fitness of several runs rises: median and bands of the middle 50 % and 90 %.

    Examples
    --------
    >>> from hyperna import OnePlusOneNA, problem
    >>> na = OnePlusOneNA(neurons=1, resolution=60)
    >>> plot_convergence([na.run(problem("half"), seed=s) for s in range(5)]).get_xscale()
    'log'
    """
    check_kind("results", results, Sequence)
    if not results:
        raise ValueError("results must hold at least one run")
    for result in results:
        check_kind("each of results", result, RunResult)
    ax = ax or new_axes()
    last = max(result.evaluations for result in results)
    where = np.unique(np.geomspace(1, max(last, 2), 300).round())
    curves = np.array([_fitness_at(result, where) for result in results])
    low, lower, middle, upper, high = np.quantile(curves, [0.05, 0.25, 0.5, 0.75, 0.95], axis=0)
    ax.fill_between(where, low, high, step="post", color=BLUE, alpha=0.18, label="90 % of runs")
    ax.fill_between(where, lower, upper, step="post", color=BLUE, alpha=0.35, label="50 % of runs")
    ax.step(where, middle, where="post", color=BLUE, linewidth=2.4, label="median")
    plain_logarithmic(ax.xaxis)
    legend_below(ax, columns=3, room=0.16)
    return finish(ax, x="fitness evaluations", y="fitness", title=counted(len(results), "run"))


def _fitness_at(result: RunResult, where: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the fitness that a run had at the given evaluations."""
    steps = np.searchsorted(result.improvements.evaluations, where, side="right") - 1
    return result.improvements.fitness[np.maximum(steps, 0)]


def _draw_ends(runs: Runs, ax: "Axes") -> None:
    """Draw how near runs without success came: the share of runs by their best fitness."""
    fitness = np.sort(runs.fitness)
    share = np.arange(len(fitness), -1, -1) / len(fitness)
    ax.step(np.append(fitness, fitness[-1]), share, where="pre", color=BLUE, linewidth=2.2)
    room = 0.05 * np.ptp(fitness) or 0.05
    ax.set_xlim(np.clip([fitness.min() - room, fitness.max() + room], 0, 1))
    ax.set_ylim(-0.02, 1.04)
    title = f"none of {counted(len(runs), 'run')} succeeded"
    finish(ax, x="best fitness of a run, at least", y="share of runs", title=title)


def batch_figure(problem: Problem, runs: Runs) -> "Figure":
    """Draw the best network (D = 2 or 3), the runtimes and the best run's progress.

    Of the runs with the highest fitness the best one has the fewest evaluations. If no run
    succeeded, the fitness that they reached takes the place of the runtimes.

    Examples
    --------
    >>> from hyperna import OnePlusOneNA, problem
    >>> runs = OnePlusOneNA(resolution=24).run_many(problem("half", dim=3), runs=5, seed=0)
    >>> [ax.name for ax in batch_figure(problem("half", dim=3), runs).axes]
    ['3d', 'rectilinear', 'rectilinear']
    """
    check_kind("problem", problem, Problem)
    check_kind("runs", runs, Runs)
    from matplotlib.figure import Figure

    if not hasattr(runs.runner, "run"):  # another algorithm, which leaves no network behind
        alone = Figure(figsize=(7.5, 4.6), layout="constrained")
        plot_runtimes(runs, alone.add_subplot())
        return alone
    best = runs.replay(runs.best)
    visible = problem.dim in (2, 3) and isinstance(best.network, Network)
    figure = Figure(figsize=(13.5, 6.4) if visible else (7.5, 7.5), layout="constrained")
    grid = figure.add_gridspec(2, 2 if visible else 1, width_ratios=[1.05, 1][: 1 + visible])
    if visible and problem.dim == 2:
        draw_circle(figure.add_subplot(grid[:, 0]), problem, best.network, best.fitness)
    elif visible:
        solid: Any = figure.add_subplot(grid[:, 0], projection="3d", computed_zorder=False)
        plot_sphere(problem, best.network, solid, share=best.fitness)
    above = figure.add_subplot(grid[0, -1])
    if runs.success.any():
        plot_runtimes(runs, above)
    else:
        _draw_ends(runs, above)
    below = plot_improvements(best, figure.add_subplot(grid[1, -1]))
    chosen = "best run (highest fitness, then fewest evaluations)"
    below.set_title(f"{chosen}:\n{below.get_title()}")
    return figure
