"""Plots as SVG inside the page: they take its colours, and share no names with each other."""

import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from hyperna.plots import plot_runtimes, plot_scaling
from hyperna.plots.style import FONT_SIZE
from hyperna.report.numbers import Contest, Entry, Family

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
# Small enough that the text can be read on a phone.
_SIZE = (5.4, 4.0)
_MOST_CURVES = 7
_LINE = 0.24
# Black text and pale lines follow the page into the dark.
_COLOURS = {"#000000": "currentColor", "#e6e6e6": "var(--line)", "#ffffff": "var(--paper)"}
_DROPPED = {f"{{{_SVG}}}{name}" for name in ("metadata", "style", "title")}


def family_runtimes(family: Family) -> Callable[["Axes"], Any]:
    """Return what draws the share of solved runs over time, one curve per resolution."""
    chosen = _spread(family.members)
    batches = {f"r = {one.setting.resolution}": one.stored for one in chosen}
    return lambda ax: plot_runtimes(batches, ax)


def contest_runtimes(contest: Contest) -> Callable[["Axes"], Any]:
    """Return what draws the share of solved runs over time, one curve per algorithm."""
    names = list(contest.members)[:_MOST_CURVES]
    batches = {_literal(name): contest.members[name].stored for name in names}
    return lambda ax: plot_runtimes(batches, ax)


def family_scaling(family: Family) -> Callable[["Axes"], Any]:
    """Return what draws mean runtimes against the resolution, with fits and theorem."""
    return lambda ax: plot_scaling(family.samples, family.bound, ax)


def _spread(members: list[Entry]) -> list[Entry]:
    """Return at most as many members as there are colours, first and last among them."""
    if len(members) <= _MOST_CURVES:
        return members
    step = (len(members) - 1) / (_MOST_CURVES - 1)
    return [members[round(i * step)] for i in range(_MOST_CURVES)]


def _literal(text: str) -> str:
    """Keep matplotlib from reading formulas into a text, or hiding it for its underscore."""
    plain = "".join(c if c.isprintable() else "�" for c in text).replace("$", r"\$")
    return f" {plain}" if plain.startswith("_") else plain


def svg(draw: Callable[["Axes"], Any], name: str, title: str) -> str:
    """Return a plot as an SVG element whose ids begin with `name`."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            "reports need matplotlib: install it with pip install 'hyperna[plot]'"
        ) from None
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        figure = Figure(figsize=_SIZE, layout="constrained")
        draw(figure.add_subplot())
        _move_legend(figure)
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    return embed(text.getvalue(), name, title)


def _move_legend(figure: "Figure") -> None:
    """Put the legend below the axes, where it hides no curve, and make room for it."""
    ax = figure.axes[0]
    marks, labels = ax.get_legend_handles_labels()
    if not labels:
        return
    if (legend := ax.get_legend()) is not None:
        legend.remove()
    figure.legend(marks, labels, loc="outside lower left", frameon=False, fontsize=FONT_SIZE - 2)
    width, height = _SIZE
    figure.set_size_inches(width, height + _LINE * len(labels))


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
            element.set(key, _local(key, value, name))
    for key in ("width", "height"):
        root.attrib.pop(key, None)
    root.set("class", "plot")
    root.set("role", "img")
    root.set("aria-label", title)
    # Inside HTML no namespace is written out.
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
    return ElementTree.tostring(root, encoding="unicode")


def _local(key: str, value: str, name: str) -> str:
    if key == "id":
        return f"{name}-{value}"
    if key == "href":
        return re.sub(r"^#", f"#{name}-", value)
    value = value.replace("url(#", f"url(#{name}-")
    for colour, instead in _COLOURS.items():
        value = value.replace(colour, instead)
    return value
