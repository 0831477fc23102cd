"""How runtime grows with the resolution: measurements, fitted laws and a theorem's bound."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from hyperna._validation import FloatArray, check_integer, check_kind, check_reals
from hyperna._words import shown, significant
from hyperna.analysis.laws import PREDICTED_AT, Bound, ScalingFit, fit_runtimes
from hyperna.analysis.statistics import bootstrap_interval
from hyperna.plots.style import (
    FONT_SIZE,
    GREY,
    LINES,
    finish,
    label_sizes,
    legend_below,
    new_axes,
    plain_logarithmic,
)
from hyperna.plots.theme import theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLES = ("-", "--", ":")
_FEWEST_FOR_A_FIT = 4
# Longer remarks than so many letters are broken, so that the legend is not wider than the picture.
_LEGEND_WIDTH = 60


def plot_scaling(
    runtimes: Mapping[int, ArrayLike], bound: Bound | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw mean runtimes against the resolution in log-log axes, with fitted growth laws.

    Parameters
    ----------
    runtimes
        Evaluations of all runs at each resolution. From four resolutions on growth laws are fitted;
        the best three that fit are drawn, the best one thickest, and the legend names the others
        and says what all of them predict beyond the measurements.
    bound
        A theorem's bound, drawn through the first mean: only its slope means something.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> samples = {r: rng.exponential(r, 100) for r in (100, 200, 400, 800)}
    >>> plot_scaling(samples).get_yscale()
    'log'
    """
    check_kind("runtimes", runtimes, Mapping)
    if not runtimes:
        raise ValueError("runtimes must hold the evaluations of at least one resolution")
    sizes = sorted(check_integer("a resolution of runtimes", size, 1) for size in runtimes)
    samples = [_evaluations(size, runtimes[size]) for size in sizes]
    r = np.array(sizes, dtype=float)
    ax = ax or new_axes((7.2, 5.4))
    means = np.array([sample.mean() for sample in samples])
    ends = np.array([bootstrap_interval(sample) for sample in samples]).T
    ax.errorbar(
        r,
        means,
        yerr=np.abs(ends - means),
        fmt="o",
        color=theme().ink,
        capsize=4,
        label="mean, 95 % interval",
        zorder=5,
    )
    where = np.geomspace(r[0], r[-1], 200)
    ax.set_xscale("log")
    ax.set_yscale("log")
    fits = fit_runtimes(r, samples) if len(r) >= _FEWEST_FOR_A_FIT else []
    # laws that do not fit are not drawn, unless none does
    fitting = [fit for fit in fits if fit.fits]
    drawn = fitting[: len(_STYLES)] or fits[:1]
    for fit, style, colour in zip(drawn, _STYLES, LINES, strict=False):
        ax.plot(
            where,
            fit(where),
            style,
            color=colour,
            linewidth=2.4 if style == _STYLES[0] else 1.6,
            label=_label(fit),
        )
    for remark in _remarks(fitting):
        ax.plot([], [], " ", label=textwrap.fill(remark, _LEGEND_WIDTH))
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


def _evaluations(resolution: int, values: ArrayLike) -> FloatArray:
    """Return the evaluations of all runs at a resolution, or say what would be right."""
    name = f"evaluations at r = {resolution}"
    found = check_reals(name, values, (len(np.atleast_1d(values)),))
    if not found.size or found.min() <= 0:
        raise ValueError(f"{name} must be one number > 0 for each run, got {shown(values)}")
    return found


def _remarks(fitting: Sequence[ScalingFit]) -> list[str]:
    """What the legend says about several laws that fit: those not drawn, and how far they part."""
    if len(fitting) < 2:
        return []
    remarks = []
    others = fitting[len(_STYLES) :]
    if others:
        # a formula stays on one line
        names = ", ".join(fit.law.formula.replace(" ", "\u00a0") for fit in others)
        verb = "fits" if len(others) == 1 else "fit"
        remarks.append(f"also {verb}: {names}")
    apart = []
    for place, times in enumerate(PREDICTED_AT):
        values = [fit.predictions[place].value for fit in fitting]
        apart.append(f"{significant(min(values))} to {significant(max(values))} at {times} times")
    remarks.append(f"all that fit predict {' and '.join(apart)} the largest r")
    return remarks


def _label(fit: ScalingFit) -> str:
    if not fit.fits:
        return f"no law fits; the least bad: {fit.equation}"
    what, (low, high) = fit.leading
    ends = f"[{significant(low)}, {significant(high)}]"
    return f"{fit.equation}, {what} in {ends}, p = {fit.p_value:.2g}"
