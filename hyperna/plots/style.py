"""Colours, sizes, titles and axes common to all pictures."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperna._validation import check_extra, check_kind
from hyperna.network.networks import Network
from hyperna.plots.theme import theme
from hyperna.problems import Problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

# Okabe and Ito's palette: distinguishable with every common kind of colour blindness.
BLACK = "#000000"
BLUE = "#0072B2"
ORANGE = "#E69F00"
GREEN = "#009E73"
VERMILLION = "#D55E00"
PURPLE = "#CC79A7"
SKY = "#56B4E9"
GREY = "#999999"
LINES = (BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY, BLACK)
# Dashes tell curves apart in grey print too.
DASHES = ("-", "--", "-.", ":")
# Colour and dashes of curves, different for 28 of them.
CURVES = [(LINES[i % len(LINES)], DASHES[i % len(DASHES)]) for i in range(28)]
# Those of neurons: blue, orange and vermillion mean positive, answered and wrong beside these.
NEURON_LINES = [(colour, dashes) for dashes in DASHES for colour in (GREEN, PURPLE, SKY, BLACK)]

# Large enough that a picture printed at half its size can still be read.
FONT_SIZE = 13
# On a shorter axis powers of ten alone would be too few labels.
_FEW_DECADES = 10**2.5
# Characters of labels that have room on the x axis.
_TICKS_WIDTH = 36
_LONG_NUMBER = 10**5
TITLE_WIDTH = 44


def neuron_line(index: int) -> tuple[str, str]:
    """Return colour and dashes of a neuron.

    Examples
    --------
    >>> neuron_line(0), neuron_line(3)
    (('#009E73', '-'), ('#000000', '-'))
    """
    return _on_paper(*NEURON_LINES[index % len(NEURON_LINES)])


def curve_line(index: int) -> tuple[str, str]:
    """Return colour and dashes of a curve."""
    return _on_paper(*CURVES[index % len(CURVES)])


def _on_paper(colour: str, dashes: str) -> tuple[str, str]:
    """Return a line that can be seen: black is the colour of ink."""
    return theme().ink if colour == BLACK else colour, dashes


def new_axes(size: tuple[float, float] = (6.4, 4.8), **options: Any) -> "Axes":
    """Return new axes in a figure of the given size in inches."""
    check_extra("plots need", "matplotlib", "plot")
    import matplotlib.pyplot as plt

    _, made = plt.subplots(figsize=size, subplot_kw=options, layout="constrained")
    return made


def check_drawable(name: str, dim: int, problem: Problem, network: Network) -> None:
    """Refuse what is no problem, no network, or of another dimension."""
    check_kind("problem", problem, Problem)
    check_kind("network", network, Network)
    if problem.dim != dim or network.grid.dim != dim:
        raise ValueError(
            f"{name} draws D = {dim} only, got a problem with D = {problem.dim} "
            f"and a network with D = {network.grid.dim}"
        )


def plain_logarithmic(axis: "Axis") -> None:
    """Make an axis logarithmic, with plain numbers: 1, 2, 5, 10, 20, ... or, if long, 1, 10, 100.

    The choice goes by what is drawn so far. Labels stand side by side on the x axis, so there are
    fewer of them where they are long.
    """
    from matplotlib.axis import XAxis
    from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

    beside = isinstance(axis, XAxis)
    if beside:
        axis.axes.set_xscale("log")
    else:
        axis.axes.set_yscale("log")
    low, high = axis.get_view_interval()
    many = np.asarray(LogLocator(subs=(1, 2, 5)).tick_values(low, high))
    width = len(" ".join(map("{:,.10g}".format, many[(low <= many) & (many <= high)]))) + 1
    crowded = beside and width > _TICKS_WIDTH and high >= 10 * low
    subs = (1,) if crowded or high >= _FEW_DECADES * low else (1, 2, 5)
    axis.set_major_locator(LogLocator(subs=subs, numticks=8 if beside else 12))
    axis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
    axis.set_minor_locator(NullLocator())


def label_sizes(axis: "Axis", sizes: Sequence[float]) -> None:
    """Label a logarithmic axis at the given sizes, without those that have no room.

    Powers of two are written as such where one is long.
    """
    from matplotlib.ticker import NullLocator

    exponents = np.log2(np.asarray(sizes, dtype=float))
    powers = max(sizes) >= _LONG_NUMBER and np.array_equal(exponents, exponents.round())
    names = {
        size: f"$2^{{{int(exponent)}}}$" if powers else f"{size:,.10g}"
        for size, exponent in zip(sizes, exponents, strict=True)
    }
    length = 3 if powers else max(map(len, names.values()))
    room = (exponents.max() - exponents.min()) * (length + 1) / _TICKS_WIDTH
    shown: list[float] = []
    for size in sorted(sizes, reverse=True):
        if not shown or np.log2(shown[-1]) - np.log2(size) >= room:
            shown.append(size)
    axis.set_ticks(shown, [names[size] for size in shown])
    axis.set_minor_locator(NullLocator())


def finish(ax: "Axes", *, x: str = "", y: str = "", title: str = "", grid: bool = True) -> "Axes":
    """Label the axes in the common style."""
    ax.set_xlabel(x, fontsize=FONT_SIZE)
    ax.set_ylabel(y, fontsize=FONT_SIZE)
    ax.set_title(title, fontsize=FONT_SIZE + 1)
    ax.tick_params(labelsize=FONT_SIZE - 1, colors=theme().ink)
    if grid:
        ax.grid(True, color=theme().faint, linewidth=0.8)
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
    return ax


def degrees(turn: Any) -> str:
    """Return an angle given in turns, in degrees."""
    return f"{float(360 * turn):.4g}°"


def network_title(problem: Problem, network: Network, share: float) -> str:
    """Return what is drawn in one sentence, broken into lines where it is long.

    Examples
    --------
    >>> from hyperna import Grid, problem
    >>> network_title(problem("half"), Network(Grid(2, 1, 120), [30, 60]), 1.0)
    'half: 100.000% correct'
    """
    joined = ""
    output = network.output_weights()
    if output is not None:
        joined = f", output 1 if the votes reach {output[1]:.2f}"
    elif network.grid.neurons > 1:
        joined = f", {network.grid.output.upper()}"
    sentence = f"{problem.title}{joined}: {100 * share:.3f}% correct"
    return textwrap.fill(sentence, TITLE_WIDTH, break_long_words=False)


def neuron_names(network: Network) -> list[str]:
    """Return a name for each neuron; under an evolved output with its vote.

    Examples
    --------
    >>> from hyperna import Grid
    >>> neuron_names(Network(Grid(2, 2, 4, "evolved"), [0, 2, 1, 2, 1, 2]))
    ['neuron 1, vote 0.00', 'neuron 2, vote 1.00']
    """
    names = []
    output = network.output_weights()
    for i in range(network.grid.neurons):
        vote = "" if output is None else f", vote {output[0][i]:.2f}"
        names.append(f"neuron {i + 1}{vote}")
    return names


def legend_below(ax: Any, columns: int = 2, room: float = 0.14, **options: Any) -> None:
    """Put the legend below the axes, where it covers nothing."""
    place = {"loc": "upper center", "bbox_to_anchor": (0.5, -room), "ncols": columns}
    ax.legend(**{**place, "frameon": False, "fontsize": FONT_SIZE - 1, **options})


def heat_map(ax: "Axes", values: Any, extent: Sequence[float], label: str, colours: str) -> None:
    """Draw values over two components, with a bar that says what they are."""
    options: Any = {"origin": "lower", "aspect": "auto", "cmap": colours, "extent": extent}
    bar = ax.figure.colorbar(ax.imshow(values.T, **options), ax=ax)
    bar.set_label(label, fontsize=FONT_SIZE)
    bar.ax.tick_params(labelsize=FONT_SIZE - 1)
