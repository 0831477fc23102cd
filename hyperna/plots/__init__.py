"""Pictures: functions ``(what, ax=None) -> ax`` that draw into given axes or into new ones.

They need matplotlib (``pip install 'hyperna[plot]'``), which is imported when something is drawn.
"""

from hyperna.plots.circle import plot_circle
from hyperna.plots.runs import plot_improvements, plot_runtimes

__all__ = ["plot_circle", "plot_improvements", "plot_runtimes"]
