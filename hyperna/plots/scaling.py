"""How runtime grows with the resolution: measurements, fitted laws and a theorem's bound."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from hyperna.analysis.laws import Bound, fit_runtimes
from hyperna.analysis.statistics import bootstrap_interval
from hyperna.plots.style import BLACK, FONT_SIZE, GREY, LINES, finish, new_axes, plain_logarithmic

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLES = ("-", "--", ":")
_FEWEST_FOR_A_FIT = 4


def plot_scaling(
    runtimes: Mapping[int, ArrayLike], bound: Bound | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw mean runtimes against the resolution in log-log axes, with fitted growth laws.

    Parameters
    ----------
    runtimes
        Evaluations of all runs at each resolution. From four resolutions on the growth laws are
        fitted; the best one is drawn first and thickest.
    bound
        A theorem's bound, drawn through the first mean: only its slope means something.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> samples = {r: rng.exponential(r, 100) for r in (100, 200, 400, 800)}
    >>> plot_scaling(samples).get_yscale()
    'log'
    """
    ax = new_axes(ax, (7.2, 5.4))
    from matplotlib.ticker import NullLocator

    r = np.array(sorted(runtimes), dtype=float)
    samples = [np.asarray(runtimes[int(size)], dtype=float) for size in r]
    means = np.array([sample.mean() for sample in samples])
    ends = np.array([bootstrap_interval(sample) for sample in samples]).T
    ax.errorbar(
        r,
        means,
        yerr=np.abs(ends - means),
        fmt="o",
        color=BLACK,
        capsize=4,
        label="mean, 95 % interval",
        zorder=5,
    )
    where = np.geomspace(r[0], r[-1], 200)
    if len(r) >= _FEWEST_FOR_A_FIT:
        for fit, style, colour in zip(fit_runtimes(r, samples), _STYLES, LINES, strict=False):
            best = style == _STYLES[0]
            ax.plot(
                where,
                fit(where),
                style,
                color=colour,
                linewidth=2.4 if best else 1.6,
                label=f"{fit}",
            )
    if bound is not None and bound.growth is not None:
        curve = bound.growth(where) * means[0] / bound.growth(r[:1])
        ax.plot(where, curve, "-.", color=GREY, linewidth=2, label=f"theorem: {bound.text}")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xticks(r, [f"{int(size):,}" for size in r], minor=False)
    ax.xaxis.set_minor_locator(NullLocator())
    plain_logarithmic(ax.yaxis)
    ax.legend(frameon=False, fontsize=FONT_SIZE - 2)
    return finish(ax, x="resolution r", y="fitness evaluations")
