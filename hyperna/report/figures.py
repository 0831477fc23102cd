"""Charts as SVG inside the page: they take its colours, and share no names with each other."""

import io
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np

from hyperna._validation import check_extra
from hyperna.plots.runs import draw_successes
from hyperna.plots.style import BLUE, CURVES, finish, label_sizes, plain_logarithmic
from hyperna.report.groups import Group
from hyperna.report.html import Markup, tag
from hyperna.report.numbers import Entry

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
# Small enough that the text can be read on a phone.
_SIZE = (5.4, 3.7)
# Curves of a chart are told apart by colour and dashes.
MOST_CURVES = 14
# Black text and pale lines follow the page into the dark.
_COLOURS = {
    "#000000": "currentColor",
    "#e6e6e6": "var(--line)",
    "#ffffff": "var(--paper)",
    BLUE.lower(): "var(--blue)",
}
_DROPPED = {f"{{{_SVG}}}{name}" for name in ("metadata", "style", "title")}
_DASHES = {"-": None, "--": "7 3", "-.": "8 3 2 3", ":": "2 3"}


def draw_growth(ax: "Axes", group: Group) -> None:
    """Draw evaluations per success by resolution."""
    for place, family in enumerate(group.families[:MOST_CURVES]):
        solved = [one for one in family.members if one.summary.successes]
        draw_costs(ax, place, [one.setting.resolution for one in solved], solved)
    ax.set_xscale("log")
    label_sizes(ax.xaxis, group.resolutions)
    plain_logarithmic(ax.yaxis)
    finish(ax, x="resolution r", y="evaluations per success")


def draw_costs(ax: "Axes", place: int, sizes: Sequence[int], solved: Sequence[Entry]) -> None:
    """Draw evaluations per success over sizes as the curve of a place, with intervals.

    Filled where all runs succeeded, hollow where some failed.
    """
    if not solved:
        return
    colour, dashes = CURVES[place % len(CURVES)]
    x = np.array(sizes, dtype=float)
    times = np.array([one.summary.running_time[:3] for one in solved])
    value = times[:, 0]
    # Where the interval has no upper end, only its lower half is drawn.
    errors = np.nan_to_num(np.abs(times[:, 1:] - value[:, None]).T, nan=0.0, posinf=0.0)
    ax.errorbar(
        x, value, errors, color=colour, linestyle=dashes, linewidth=1.8, capsize=3, elinewidth=1
    )
    whole = np.array([one.summary.successes == one.summary.runs for one in solved])
    for chosen, face in ((whole, colour), (~whole, "#ffffff")):
        ax.plot(x[chosen], value[chosen], "o", color=colour, markerfacecolor=face, markersize=6)


def draw_shares(ax: "Axes", group: Group) -> None:
    """Draw the share of successes over time at the main resolution."""
    entries = group.at(group.main_resolution)
    spent = np.concatenate([one.stored.evaluations for one in entries.values()])
    ends = float(spent.min()), float(spent.max())
    for place, one in entries.items():
        if place < MOST_CURVES:
            draw_successes(ax, one.stored, place, ends, "")
    ax.set_ylim(-0.02, 1.04)
    plain_logarithmic(ax.xaxis)
    finish(ax, x="fitness evaluations", y="share of successes")


def costs_caption(size: str) -> str:
    """Return what `draw_costs` draws over sizes of this name."""
    return (
        f"Evaluations per success by {size}, with 95 % intervals. "
        "Filled: all runs succeeded; hollow: some failed."
    )


def curve_names(group: Any) -> list[Markup]:
    """Return what tells the curves of a group apart, and whether some are not drawn."""
    names = [legend(group)] if len(group.families) > 1 else []
    if len(group.families) > MOST_CURVES:
        text = f"The first {MOST_CURVES} of {len(group.families)} variants are drawn."
        names.append(tag("p", text, class_="quiet"))
    return names


def legend(group: Any) -> Markup:
    """Return the curves' names as a list, which is as wide as the page and cuts no name."""
    items = []
    for place, family in enumerate(group.families[:MOST_CURVES]):
        colour, dashes = CURVES[place % len(CURVES)]
        colour = _COLOURS.get(colour.lower(), colour)
        ends = {"x1": 0, "y1": 5, "x2": 30, "y2": 5}
        style = f"stroke: {colour}; stroke-width: 3"
        line = tag("line", **ends, style=style, stroke_dasharray=_DASHES[dashes])
        key = tag("svg", line, viewBox="0 0 30 10", aria_hidden="true")
        items.append(tag("li", key, family.name))
    return tag("ul", *items, class_="legend")


def svg(draw: Callable[["Axes", Any], Any], group: Any, name: str, title: str) -> str:
    """Return a plot of a group as an SVG element whose ids begin with `name`."""
    check_extra("reports need", "matplotlib", "plot")
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        figure = Figure(figsize=_SIZE, layout="constrained")
        draw(figure.add_subplot(), group)
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    return embed(text.getvalue(), name, title)


def embed(text: str, name: str, title: str) -> str:
    """Return an SVG document as an element of a page."""
    root = ElementTree.fromstring(text)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in _DROPPED:
                parent.remove(child)
    for element in root.iter():
        for key, value in list(element.attrib.items()):
            if key == f"{{{_XLINK}}}href":
                del element.attrib[key]
                key = "href"
            if key == "id":
                value = f"{name}-{value}"
            elif key == "href":
                value = re.sub(r"^#", f"#{name}-", value)
            else:
                value = value.replace("url(#", f"url(#{name}-")
                for colour, instead in _COLOURS.items():
                    value = value.replace(colour, instead)
            element.set(key, value)
    for key in ("width", "height"):
        root.attrib.pop(key, None)
    root.set("class", "plot")
    root.set("role", "img")
    root.set("aria-label", title)
    # Inside HTML no namespace is written out.
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
    return ElementTree.tostring(root, encoding="unicode")
