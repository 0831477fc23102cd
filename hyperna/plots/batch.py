"""A batch of runs in one figure: the best network, the runtimes and the best run's progress."""

from typing import TYPE_CHECKING, Any

from hyperna.plots.circle import draw_circle
from hyperna.plots.runs import plot_improvements, plot_runtimes
from hyperna.plots.sphere import plot_sphere
from hyperna.problems import Problem
from hyperna.results import Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def batch_figure(problem: Problem, runs: Runs) -> "Figure":
    """Draw the best network (D = 2 or 3), the runtimes and the best run's progress.

    Examples
    --------
    >>> from hyperna import OnePlusOneNA, problem
    >>> runs = OnePlusOneNA(resolution=24).run_many(problem("half", dim=3), runs=5, seed=0)
    >>> [ax.name for ax in batch_figure(problem("half", dim=3), runs).axes]
    ['3d', 'rectilinear', 'rectilinear']
    """
    from matplotlib.figure import Figure

    if not hasattr(runs.runner, "run"):  # another algorithm, which leaves no network behind
        alone = Figure(figsize=(7.5, 4.6), layout="constrained")
        plot_runtimes(runs, alone.add_subplot())
        return alone
    best = runs.replay(runs.best)
    visible = problem.dim in (2, 3)
    figure = Figure(figsize=(13.5, 6.4) if visible else (7.5, 7.5), layout="constrained")
    grid = figure.add_gridspec(2, 2 if visible else 1, width_ratios=[1.05, 1][: 1 + visible])
    if problem.dim == 2:
        draw_circle(figure.add_subplot(grid[:, 0]), problem, best.network, best.fitness)
    elif problem.dim == 3:
        solid: Any = figure.add_subplot(grid[:, 0], projection="3d", computed_zorder=False)
        plot_sphere(problem, best.network, solid)
    plot_runtimes(runs, figure.add_subplot(grid[0, -1]))
    below = plot_improvements(best, figure.add_subplot(grid[1, -1]))
    below.set_title(f"best run, {below.get_title()}")
    return figure
