"""Classifiers side by side: test and training accuracy, and accuracy against size."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperna._validation import check_choice, check_kind
from hyperna._words import counted
from hyperna.comparison import Comparison
from hyperna.plots.style import (
    BLUE,
    FONT_SIZE,
    GREY,
    ORANGE,
    VERMILLION,
    finish,
    legend_below,
    new_axes,
    plain_logarithmic,
)
from hyperna.plots.theme import theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_OFFSET = 0.17


def plot_comparison(
    comparison: Comparison, dataset: str | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw each classifier's accuracy on one data set, best test accuracy on top.

    Filled circles are test accuracies with one standard error to either side, hollow ones training
    accuracies; diamonds are test accuracies on the rotated data, if they were compared too. The
    dotted line is what always answering the largest class would give.

    Parameters
    ----------
    comparison
        Result of `hyperna.compare`.
    dataset
        Name of the data set, the first one if not given.

    Examples
    --------
    >>> from hyperna import compare
    >>> result = compare("moons", ["perceptron", "svc"], repeats=1)
    >>> [tick.get_text() for tick in plot_comparison(result).get_yticklabels()]
    ['perceptron', 'svc']
    """
    check_kind("comparison", comparison, Comparison)
    names = list(dict.fromkeys(info.name for info in comparison.data))
    name = names[0] if dataset is None else check_choice("dataset", dataset, names)
    info = next(info for info in comparison.data if info.name == name)
    rows = [
        row
        for row in comparison.summary()
        if row["dataset"] == name and row["test_accuracy"] is not None
    ]
    straight = sorted(
        (row for row in rows if not row["rotated"]), key=lambda row: row["test_accuracy"]
    )
    place = {row["classifier"]: index for index, row in enumerate(straight)}
    rotated = [row for row in rows if row["rotated"]]
    shift = _OFFSET if rotated else 0.0
    ax = ax or new_axes((7.2, 1.6 + 0.42 * len(place)))
    ink = theme().ink
    ax.axvline(info.majority, color=ink, linestyle=":", linewidth=1.5, label="largest class")
    ax.plot(
        [row["train_accuracy"] for row in straight],
        [place[row["classifier"]] + shift for row in straight],
        "o",
        color=GREY,
        markerfacecolor="none",
        markersize=9,
        label="training",
    )
    _draw_tests(ax, straight, place, shift, fmt="o", color=BLUE, label="test")
    if rotated:
        _draw_tests(ax, rotated, place, -shift, fmt="D", color=VERMILLION, label="test, rotated")
    ax.set_yticks(range(len(place)), list(place))
    ax.set_ylim(-0.6, len(place) - 0.4)
    title = f"{name}\n{counted(info.points, 'point', 'd')}, D = {info.features}"
    finish(ax, x="accuracy", title=title)
    for tick in ax.get_yticklabels():
        tick.set_fontweight("bold" if tick.get_text() == "na" else "normal")
    legend_below(ax, 4, 0.55 / (1 + 0.42 * len(place)), fontsize=FONT_SIZE - 2)
    return ax


def _draw_tests(
    ax: "Axes", rows: list[dict[str, Any]], place: dict[str, int], shift: float, **style: Any
) -> None:
    ax.errorbar(
        [row["test_accuracy"] for row in rows],
        [place[row["classifier"]] + shift for row in rows],
        xerr=[row["test_accuracy_se"] or 0.0 for row in rows],
        markersize=6,
        elinewidth=2,
        **style,
    )


def plot_sizes(
    comparison: Comparison, dataset: str | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw each classifier's test accuracy against the size of its model, on a logarithmic axis.

    Sizes are medians and count what `Comparison.table` says: terms, splits, coefficients that are
    not 0, conditions, or stored numbers. Bars are one standard error to either side, and the line
    joins those than which nobody smaller is better. The dotted line is what always answering the
    largest class would give, where that is near. Classifiers without a size are left out.

    Parameters
    ----------
    comparison
        Result of `hyperna.compare`.
    dataset
        Name of the data set, the first one if not given.

    Examples
    --------
    >>> from hyperna import compare
    >>> result = compare("moons", ["tree", "logistic"], repeats=1)
    >>> sorted(text.get_text() for text in plot_sizes(result).texts)
    ['logistic', 'tree']
    """
    check_kind("comparison", comparison, Comparison)
    names = list(dict.fromkeys(info.name for info in comparison.data))
    name = names[0] if dataset is None else check_choice("dataset", dataset, names)
    info = next(info for info in comparison.data if info.name == name)
    rows = [
        row
        for row in comparison.summary()
        if row["dataset"] == name and not row["rotated"] and row["size"] is not None
    ]
    ax = ax or new_axes((6.4, 4.4))
    # A constant answer has size 0; it stands where 1 does.
    sizes = [max(row["size"], 1.0) for row in rows]
    accuracies = [row["test_accuracy"] for row in rows]
    errors = [row["test_accuracy_se"] or 0.0 for row in rows]
    ax.errorbar(
        sizes, accuracies, errors, fmt="o", color=BLUE, markersize=6, elinewidth=1.5, label="test"
    )
    ax.margins(x=0.12)
    front = _front(sizes, accuracies)
    ax.plot(
        [sizes[k] for k in front],
        [accuracies[k] for k in front],
        color=ORANGE,
        linewidth=2,
        zorder=0,
        label="nobody smaller is better",
    )
    low, high = ax.get_ylim()
    if low <= info.majority <= high:
        ax.axhline(info.majority, color=theme().ink, linestyle=":", linewidth=1.5)
    finish(ax, x="size of the model", y="test accuracy", title=name)
    if rows:
        plain_logarithmic(ax.xaxis)
        points = np.column_stack([np.log(sizes), accuracies, errors])
        _write_names(ax, [row["classifier"] for row in rows], points)
    return ax


def _front(sizes: Sequence[float], accuracies: Sequence[float]) -> list[int]:
    """Return those that are better than all smaller ones, smallest first."""
    order = sorted(range(len(sizes)), key=lambda k: (sizes[k], -accuracies[k]))
    front: list[int] = []
    for k in order:
        if not front or accuracies[k] > accuracies[front[-1]]:
            front.append(k)
    return front


def _write_names(ax: "Axes", names: Sequence[str], points: np.ndarray) -> None:
    """Write a name near each point, where it overlaps the least with bars and other names.

    Points are logarithms of sizes, accuracies and their errors. Places are compared in shares of
    the axes, in which a letter is about 0.022 wide and a line 0.06 high.
    """
    left, right = np.log(ax.get_xlim())
    bottom, top = ax.get_ylim()
    x = (points[:, 0] - left) / (right - left)
    y = (points[:, 1] - bottom) / (top - bottom)
    error = np.maximum(points[:, 2] / (top - bottom), 0.015)
    taken = [*zip(x - 0.012, y - error, x + 0.012, y + error, strict=True)]
    for k in np.argsort(x):
        width = 0.022 * len(names[k])
        choices = []
        for side, lift in _AROUND:
            begin = x[k] + (0.02 if side == "left" else -0.02 - width)
            box = (begin, y[k] + lift - 0.03, begin + width, y[k] + lift + 0.03)
            outside = max(0.0, -box[0]) + max(0.0, box[2] - 1.08)
            outside += max(0.0, -box[1]) + max(0.0, box[3] - 1.0)
            crowd = sum(_overlap(box, other) for other in taken)
            choices.append((crowd + 0.1 * outside + 0.002 * abs(lift), side, lift, box))
        _, side, lift, box = min(choices)
        taken.append(box)
        ax.annotate(
            names[k],
            (x[k], y[k]),
            (x[k] + (0.02 if side == "left" else -0.02), y[k] + lift),
            xycoords="axes fraction",
            ha=side,
            va="center",
            fontsize=FONT_SIZE - 2,
            fontweight="bold" if names[k] == "na" else "normal",
            arrowprops={"arrowstyle": "-", "color": GREY, "shrinkA": 0, "shrinkB": 3},
            annotation_clip=False,
        )


# Where a name may stand: which of its ends is at the point, and how far above it.
_LIFTS = (0.0, 0.06, -0.06, 0.12, -0.12, 0.18, -0.18, 0.24, -0.24)
_AROUND = [(side, lift) for lift in _LIFTS for side in ("left", "right")]


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """Return the area that two boxes share."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)


def comparison_figure(comparison: Comparison) -> "Figure":
    """Return a figure with two panels for each data set: accuracies, and accuracy against size.

    Examples
    --------
    >>> from hyperna import compare
    >>> result = compare(["moons", "xor"], ["logistic", "knn"], repeats=1)
    >>> len(comparison_figure(result).axes)
    4
    """
    from matplotlib.figure import Figure

    check_kind("comparison", comparison, Comparison)
    names = list(dict.fromkeys(info.name for info in comparison.data))
    height = max(1.3 + 0.42 * len(comparison.classifiers), 3.6)
    figure = Figure(figsize=(11.4, height * len(names) + 0.4), layout="constrained")
    panels = figure.subplots(len(names), 2, squeeze=False)
    for name, (left, right) in zip(names, panels, strict=True):
        plot_comparison(comparison, name, left)
        plot_sizes(comparison, name, right)
        left.legend_ = None  # one legend below serves all panels
    found: dict[str, Any] = {}
    for panel in panels[0]:
        for mark, word in zip(*panel.get_legend_handles_labels(), strict=True):
            found.setdefault(word, mark)
    figure.legend(
        [*found.values()],
        [*found],
        loc="outside lower center",
        ncols=len(found),
        frameon=False,
        fontsize=FONT_SIZE - 1,
    )
    return figure
