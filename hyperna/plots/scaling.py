"""How runtime grows with the resolution: measurements, fitted laws and a theorem's bound."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from hyperna._words import significant
from hyperna.analysis.laws import Bound, ScalingFit, fit_runtimes
from hyperna.analysis.statistics import bootstrap_interval
from hyperna.plots.style import (
    BLACK,
    FONT_SIZE,
    GREY,
    LINES,
    finish,
    label_sizes,
    legend_below,
    new_axes,
    plain_logarithmic,
)

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
        Evaluations of all runs at each resolution. From four resolutions on growth laws are fitted;
        those that fit are drawn, the best one thickest.
    bound
        A theorem's bound, drawn through the first mean: only its slope means something.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> samples = {r: rng.exponential(r, 100) for r in (100, 200, 400, 800)}
    >>> plot_scaling(samples).get_yscale()
    'log'
    """
    ax = ax or new_axes((7.2, 5.4))
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
    ax.set_xscale("log")
    ax.set_yscale("log")
    fits = fit_runtimes(r, samples) if len(r) >= _FEWEST_FOR_A_FIT else []
    # laws that do not fit are not drawn, unless none does
    drawn = [fit for fit in fits if fit.fits][: len(_STYLES)] or fits[:1]
    for fit, style, colour in zip(drawn, _STYLES, LINES, strict=False):
        ax.plot(
            where,
            fit(where),
            style,
            color=colour,
            linewidth=2.4 if style == _STYLES[0] else 1.6,
            label=_label(fit),
        )
    low, high = ends[0].min(), ends[1].max()
    if bound is not None and bound.growth is not None:
        curve = bound.growth(where) * means[0] / bound.growth(r[:1])
        ax.plot(where, curve, "-.", color=GREY, linewidth=2, label=f"theorem: {bound.text}")
    # the measurements decide about the axis: a bound may leave the picture
    room = (high / low) ** 0.1
    ax.set_ylim(low / room, high * room)
    label_sizes(ax.xaxis, r.tolist())
    plain_logarithmic(ax.yaxis)
    legend_below(ax, columns=1, room=0.16, fontsize=FONT_SIZE - 2)
    return finish(ax, x="resolution r", y="fitness evaluations")


def _label(fit: ScalingFit) -> str:
    if not fit.fits:
        return f"no law fits; the least bad: {fit.equation}"
    what, (low, high) = fit.leading
    ends = f"[{significant(low)}, {significant(high)}]"
    return f"{fit.equation}, {what} in {ends}, p = {fit.p_value:.2g}"
