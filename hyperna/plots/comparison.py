"""Classifiers side by side: test and training accuracy, along the axes and rotated."""

from typing import TYPE_CHECKING, Any

from hyperna._validation import check_choice
from hyperna._words import counted
from hyperna.comparison import Comparison
from hyperna.plots.style import (
    BLACK,
    BLUE,
    FONT_SIZE,
    GREY,
    VERMILLION,
    finish,
    legend_below,
    new_axes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_OFFSET = 0.17
_MOST_COLUMNS = 3


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
    names = list(dict.fromkeys(info.name for info in comparison.data))
    name = names[0] if dataset is None else check_choice("dataset", dataset, names)
    info = next(info for info in comparison.data if info.name == name)
    rows = [row for row in comparison.summary() if row["dataset"] == name]
    straight = sorted(
        (row for row in rows if not row["rotated"]), key=lambda row: row["test_accuracy"]
    )
    place = {row["classifier"]: index for index, row in enumerate(straight)}
    rotated = [row for row in rows if row["rotated"]]
    shift = _OFFSET if rotated else 0.0
    ax = ax or new_axes((7.2, 1.6 + 0.42 * len(place)))
    ax.axvline(info.majority, color=BLACK, linestyle=":", linewidth=1.5, label="largest class")
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
        xerr=[row["test_accuracy_se"] for row in rows],
        markersize=6,
        elinewidth=2,
        **style,
    )


def comparison_figure(comparison: Comparison) -> "Figure":
    """Return a figure with a panel for each data set and one legend.

    Examples
    --------
    >>> from hyperna import compare
    >>> result = compare(["moons", "xor"], ["logistic", "knn"], repeats=1)
    >>> len(comparison_figure(result).axes)
    2
    """
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(info.name for info in comparison.data))
    columns = min(len(names), _MOST_COLUMNS)
    rows = -(-len(names) // columns)
    height = 1.3 + 0.42 * len(comparison.classifiers)
    figure = Figure(figsize=(5.2 * columns + 0.5, height * rows + 0.4), layout="constrained")
    panels = [figure.add_subplot(rows, columns, place + 1) for place in range(len(names))]
    for name, ax in zip(names, panels, strict=True):
        plot_comparison(comparison, name, ax)
        ax.legend_ = None  # one legend below serves all panels
    marks, words = panels[0].get_legend_handles_labels()
    figure.legend(
        marks,
        words,
        loc="outside lower center",
        ncols=2 if columns == 1 else len(words),
        frameon=False,
        fontsize=FONT_SIZE - 1,
    )
    return figure
