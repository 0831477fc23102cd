"""Colours, sizes and axes common to all pictures."""

from typing import TYPE_CHECKING, Any

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
YELLOW = "#F0E442"
GREY = "#999999"
LINES = (BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY, BLACK)
# Dashes tell curves apart in grey print too.
DASHES = ("-", "--", "-.", ":")
# Blue, orange and vermillion mean positive, answered and wrong beside these.
NEURONS = (GREEN, PURPLE, SKY, BLACK)

# Large enough that a picture printed at half its size can still be read.
FONT_SIZE = 13
# On a shorter axis powers of ten alone would be too few labels.
_FEW_DECADES = 10**2.5


def new_axes(ax: "Axes | None", size: tuple[float, float] = (6.4, 4.8), **options: Any) -> "Axes":
    """Return the given axes, or new ones in a figure of the given size in inches."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "plots need matplotlib: install it with pip install 'hyperna[plot]'"
        ) from None
    _, made = plt.subplots(figsize=size, subplot_kw=options, layout="constrained")
    return made


def plain_logarithmic(axis: "Axis") -> None:
    """Label a logarithmic axis with plain numbers: 1, 2, 5, 10, 20, ... or, if long, 1, 10, 100.

    The choice goes by what is drawn so far.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    low, high = axis.get_view_interval()
    subs = (1, 2, 5) if high < _FEW_DECADES * low else (1,)
    axis.set_major_locator(LogLocator(subs=subs, numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_locator(NullLocator())


def finish(ax: "Axes", *, x: str = "", y: str = "", title: str = "", grid: bool = True) -> "Axes":
    """Label the axes in the common style."""
    ax.set_xlabel(x, fontsize=FONT_SIZE)
    ax.set_ylabel(y, fontsize=FONT_SIZE)
    ax.set_title(title, fontsize=FONT_SIZE + 1)
    ax.tick_params(labelsize=FONT_SIZE - 1)
    if grid:
        ax.grid(True, color="0.9", linewidth=0.8)
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
    return ax
