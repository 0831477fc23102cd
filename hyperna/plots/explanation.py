"""Why a row got its class, as bars: how far each condition is from its threshold."""

import textwrap
from typing import TYPE_CHECKING

from hyperna._words import shortened
from hyperna.classifier.explanations import Explanation
from hyperna.plots.style import BLACK, BLUE, FONT_SIZE, GREY, ORANGE, finish, legend_below, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Characters of a line, and lines of a condition; the text of the explanation has all of it.
_WIDTH, _LINES = 36, 3
_FACT_WIDTH, _TITLE_WIDTH = 30, 58


def plot_explanation(explanation: Explanation, ax: "Axes | None" = None) -> "Axes":
    """Draw why a row got its class: one bar for each condition that was asked.

    A bar to the right is a condition that holds, one to the left a condition that does not; its
    length is the distance from the threshold in standard deviations. Rules stand below each other
    in the order in which they were asked, and what the row has is written at each bar.

    Parameters
    ----------
    explanation
        An element of what `hyperna.explain` returns.

    Examples
    --------
    >>> from hyperna import NAClassifier, explain
    >>> sizes = [[1.0], [1.2], [3.0], [3.1]] * 5
    >>> clf = NAClassifier(random_state=0).fit(sizes, ["low", "low", "high", "high"] * 5)
    >>> ax = plot_explanation(explain(clf, [[1.5]], feature_names=["size"])[0])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['size < 2']
    """
    if not isinstance(explanation, Explanation):
        kind = type(explanation).__name__
        raise TypeError(f"explanation must be one element of what explain returns, got {kind}")
    states = [state for rule in explanation.rules for state in rule.conditions]
    names = [_name(state.text) for state in states]
    size = explanation_size(explanation)
    ax = ax or new_axes(size)
    labelled: set[bool] = set()
    for place, state in enumerate(states):
        label = "holds" if state.holds else "does not hold"
        ax.barh(
            place,
            state.distance,
            color=BLUE if state.holds else ORANGE,
            hatch=None if state.holds else "//",
            edgecolor="white",
            label=None if state.holds in labelled else label,
        )
        labelled.add(state.holds)
        ax.annotate(
            textwrap.fill(shortened(state.fact, 90), _FACT_WIDTH),
            (0, place),
            xytext=(-5 if state.distance > 0 else 5, 0),
            textcoords="offset points",
            horizontalalignment="right" if state.distance > 0 else "left",
            verticalalignment="center",
            fontsize=0.75 * FONT_SIZE,
        )
    ax.axvline(0, color=BLACK, linewidth=1.2)
    border = -0.5
    for rule in explanation.rules[:-1]:
        border += len(rule.conditions)
        ax.axhline(border, color=GREY, linestyle=":", linewidth=1)
    ax.set_yticks(range(len(states)), names)
    ax.invert_yaxis()
    # room on both sides: what a row has is written opposite to its bar
    far = max((abs(state.distance) for state in states), default=1.0)
    ax.set_xlim(-1.15 * far, 1.15 * far)
    title = f"row {explanation.row + 1}: {explanation.answer!r}, {explanation.reached}"
    if explanation.change is not None:
        change = explanation.change
        words = textwrap.wrap(f"{change.answer!r} with {change.text}", _TITLE_WIDTH)
        title += "\n" + "\n".join(words)
    finish(ax, x="distance from the threshold (standard deviations)")
    ax.set_title(title, fontsize=0.9 * FONT_SIZE, loc="left")
    if len(labelled) > 1:
        legend_below(ax, room=0.75 / (size[1] - 1.5))
    return ax


def explanation_size(explanation: Explanation) -> tuple[float, float]:
    """Return the width and height in inches that the picture of an explanation needs."""
    names = [_name(state.text) for rule in explanation.rules for state in rule.conditions]
    return 9.0, 2.5 + 0.62 * len(names) + 0.2 * sum(name.count("\n") for name in names)


def _name(text: str) -> str:
    lines = textwrap.wrap(text, _WIDTH)
    if len(lines) > _LINES:
        lines = [*lines[:_LINES], "..."]
    return "\n".join(lines)
