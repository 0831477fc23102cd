"""Light and dark pictures: the colours of paper, ink and what lies between."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Theme:
    """Colours that depend on the paper; those with a meaning are the same on both.

    Attributes
    ----------
    paper, ink : str
        The ground of a picture, and what is written on it.
    quiet : str
        Of words that explain.
    line, faint : str
        Of what is to come, and of grids.
    """

    paper: str
    ink: str
    quiet: str
    line: str
    faint: str


LIGHT = Theme(paper="white", ink="#000000", quiet="0.3", line="0.8", faint="0.9")
# The paper is that of the documentation site in the dark.
DARK = Theme(paper="#14181e", ink="#e6e9ec", quiet="0.75", line="0.4", faint="0.25")
_CURRENT: ContextVar[Theme] = ContextVar("theme", default=LIGHT)


def theme() -> Theme:
    """Return the colours of the picture that is being drawn."""
    return _CURRENT.get()


@contextmanager
def dark_pictures(dark: bool = True) -> Iterator[None]:
    """Draw pictures on a dark ground, for dark pages and slides.

    Create and save figures inside the ``with`` block. With ``dark=False`` nothing changes.

    Examples
    --------
    >>> from hyperna import Grid, Network, problem
    >>> from hyperna.plots import plot_circle
    >>> from matplotlib.figure import Figure
    >>> with dark_pictures():
    ...     ax = Figure().subplots()
    ...     ax = plot_circle(problem("half"), Network(Grid(2, 1, 120), [30, 60]), ax=ax)
    >>> ax.figure.get_facecolor()[:3] < (0.1, 0.1, 0.2)
    True
    """
    if not dark:
        yield
        return
    from matplotlib import rc_context

    token = _CURRENT.set(DARK)
    try:
        with rc_context(_settings(DARK)):
            yield
    finally:
        _CURRENT.reset(token)


def _settings(colours: Theme) -> Any:
    """Return what matplotlib itself must know."""
    ground = ("figure.facecolor", "axes.facecolor", "savefig.facecolor", "legend.facecolor")
    ink = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    return {
        **dict.fromkeys(ground, colours.paper),
        **dict.fromkeys(ink, colours.ink),
        "grid.color": colours.faint,
    }
