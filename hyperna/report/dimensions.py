"""How runtime grows with the dimension, where a campaign varies it.

Settings of one problem in several dimensions are different problems elsewhere on the page. Here
those that differ in the dimension alone are one curve: evaluations per success over D, and which
growth laws fit them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperna._words import joined, number
from hyperna.analysis.laws import ScalingFit, fit_runtimes
from hyperna.experiments.unusual import unusual_options
from hyperna.plots.style import finish, label_sizes, plain_logarithmic
from hyperna.report.figures import MOST_CURVES, costs_caption, curve_names, draw_costs, svg
from hyperna.report.groups import algorithm_name, at_r, network_options, phrase
from hyperna.report.html import Markup, join, tag
from hyperna.report.numbers import Entry

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Growth laws are fitted from this size on.
_FITTED_FROM = 3
# Keys that go with the dimension: how fitness is computed there.
_WITH_DIMENSION = ("dim", "points", "sampling")


@dataclass(frozen=True, eq=False)
class Series:
    """Settings that differ in the dimension alone, in its order."""

    name: str
    members: list[Entry]

    @property
    def dims(self) -> list[int]:
        """All dimensions."""
        return [one.setting.dim for one in self.members]

    @property
    def solved(self) -> list[Entry]:
        """Those with successes."""
        return [one for one in self.members if one.summary.successes]

    @property
    def fitting(self) -> list[ScalingFit]:
        """Growth laws in D that fit, none if there are too few dimensions or runs failed."""
        if any(one.summary.successes < one.summary.runs for one in self.members):
            return []
        fitted = [one for one in self.members if one.setting.dim >= _FITTED_FROM]
        dims = [one.setting.dim for one in fitted]
        try:
            fits = fit_runtimes(dims, [one.stored.evaluations for one in fitted])
        except ValueError:
            return []
        return [fit for fit in fits if fit.fits]


@dataclass(frozen=True, eq=False)
class Dimensions:
    """All series of one problem."""

    title: str
    families: list[Series]

    @property
    def dims(self) -> list[int]:
        """All dimensions."""
        return sorted({dim for series in self.families for dim in series.dims})


def by_dimension(entries: Sequence[Entry]) -> list[Dimensions]:
    """Return for each problem that was tried in several dimensions the series of its settings."""
    problems: dict[str, list[Entry]] = {}
    for one in entries:
        if one.setting.data is None:
            problems.setdefault(one.setting.problem, []).append(one)
    found = []
    for name, members in problems.items():
        series = [each for each in _series(members) if len(each.dims) > 1 and each.solved]
        if series:
            found.append(Dimensions(name, series))
    return found


def _series(members: Sequence[Entry]) -> list[Series]:
    """Settings that differ in the dimension alone, each with a name for what else they are."""
    options = [_options(one) for one in members]
    varied = [
        key
        for key in dict.fromkeys(key for each in options for key in each)
        if len({str(each.get(key)) for each in options}) > 1
    ]
    several = len({one.setting.resolution for one in members}) > 1
    series: dict[str, list[Entry]] = {}
    for one, own in zip(members, options, strict=True):
        parts = [algorithm_name(one.setting)]
        parts += [phrase(key, own[key]) for key in varied if own.get(key) is not None]
        if several:
            parts.append(at_r(one.setting.resolution))
        series.setdefault(", ".join(parts), []).append(one)
    for alike in series.values():
        alike.sort(key=lambda one: one.setting.dim)
    return [Series(*each) for each in series.items()]


def _options(entry: Entry) -> dict[str, Any]:
    """What a setting is besides problem, dimension, resolution and algorithm."""
    setting = entry.setting
    own = {**network_options(setting), **unusual_options(setting)}
    return {key: value for key, value in own.items() if key not in _WITH_DIMENSION}


def draw_dimensions(ax: "Axes", found: Dimensions) -> None:
    """Draw evaluations per success over the dimension."""
    for place, series in enumerate(found.families[:MOST_CURVES]):
        draw_costs(ax, place, [one.setting.dim for one in series.solved], series.solved)
    ax.set_xscale("log")
    label_sizes(ax.xaxis, found.dims)
    plain_logarithmic(ax.yaxis)
    finish(ax, x="dimension D", y="evaluations per success")


def series_text(series: Series) -> str:
    """Return what a series says: what a success costs at both ends, and which laws fit."""
    ends = [series.solved[0], series.solved[-1]] if len(series.solved) > 1 else series.solved
    costs = [f"{number(one.summary.running_time.value)} at D = {one.setting.dim}" for one in ends]
    text = f"evaluations per success: {' and '.join(costs)}"
    failed = [one for one in series.members if one.summary.successes < one.summary.runs]
    if failed:
        dims = joined([str(one.setting.dim) for one in failed])
        return f"{text}; some runs failed at D = {dims}, so that no law is fitted"
    slope = _slope(series)
    if slope is not None:
        text += f"; between them they grow like D to the power of {slope:.2f} on average"
    laws = [in_dimension(fit.brief) for fit in series.fitting]
    return (
        f"{text}; growth laws that fit from D = {_FITTED_FROM} on: {'; '.join(laws)}"
        if laws
        else text
    )


def in_dimension(text: str) -> str:
    """Return what is said of a growth law with D in the place of r.

    Examples
    --------
    >>> in_dimension("4.3 ln² r + 3 r² - r^1.5 ln r")
    '4.3 ln² D + 3 D² - D^1.5 ln D'
    """
    return re.sub(r"(?<![A-Za-z])r(?![A-Za-z])", "D", text)


def _slope(series: Series) -> float | None:
    """Exponent of growth between the ends."""
    first, last = series.solved[0], series.solved[-1]
    if first.setting.dim == last.setting.dim:
        return None
    ratio = last.summary.running_time.value / first.summary.running_time.value
    return float(np.log(ratio) / np.log(last.setting.dim / first.setting.dim))


def dimensions_section(found: Sequence[Dimensions]) -> Markup:
    """Return a chart and sentences for each problem that was tried in several dimensions."""
    articles = []
    for index, each in enumerate(found):
        caption = costs_caption("dimension")
        drawn = Markup(svg(draw_dimensions, each, f"d{index}", caption))
        chart = tag("figure", drawn, tag("figcaption", caption))
        items = [
            tag("li", tag("b", series.name), ": ", series_text(series)) for series in each.families
        ]
        articles.append(
            tag(
                "article",
                tag("h3", each.title),
                tag("div", chart, class_="figures"),
                *curve_names(each),
                tag("ul", *items, class_="found"),
            )
        )
    return join(articles)
