"""Pictures: functions ``(what, ax=None) -> ax`` that draw into given axes or into new ones.

They need matplotlib (``pip install 'hyperna[plot]'``), which is imported when something is drawn.
"""

from hyperna.plots.animation import animate_run, save_animation
from hyperna.plots.boundary import plot_boundary
from hyperna.plots.circle import plot_circle
from hyperna.plots.comparison import comparison_figure, plot_comparison, plot_sizes
from hyperna.plots.exact import (
    plot_distribution,
    plot_drift,
    plot_expected_times,
    plot_fixed_budget,
    plot_fixed_target,
)
from hyperna.plots.explanation import plot_explanation
from hyperna.plots.landscape import plot_landscape
from hyperna.plots.path import plot_path
from hyperna.plots.runs import (
    batch_figure,
    plot_boxes,
    plot_convergence,
    plot_improvements,
    plot_runtimes,
)
from hyperna.plots.scaling import plot_scaling
from hyperna.plots.sphere import plot_sphere
from hyperna.plots.theme import dark_pictures

__all__ = [
    "animate_run",
    "batch_figure",
    "comparison_figure",
    "dark_pictures",
    "plot_boundary",
    "plot_boxes",
    "plot_circle",
    "plot_comparison",
    "plot_convergence",
    "plot_distribution",
    "plot_drift",
    "plot_expected_times",
    "plot_explanation",
    "plot_fixed_budget",
    "plot_fixed_target",
    "plot_improvements",
    "plot_landscape",
    "plot_path",
    "plot_runtimes",
    "plot_scaling",
    "plot_sizes",
    "plot_sphere",
    "save_animation",
]
