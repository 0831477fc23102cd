"""Accuracy against the number of terms, along the path of a classifier."""

from typing import TYPE_CHECKING, Any

from sklearn.pipeline import Pipeline

from hyperna._words import counted
from hyperna.classifier.path import PathRow, RulePath
from hyperna.plots.style import (
    BLUE,
    VERMILLION,
    finish,
    legend_below,
    new_axes,
    plain_logarithmic,
)
from hyperna.plots.theme import theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Longer paths have a logarithmic axis: what happens at few terms matters most.
_MOST_ON_A_PLAIN_AXIS = 12


def plot_path(classifier: Any, ax: "Axes | None" = None) -> "Axes":
    """Draw accuracy against the number of terms: what a longer rule is worth.

    After `validate_path` it is the accuracy on held-out rows, with one standard error to either
    side; otherwise that on the training rows, which grows with almost every term. The rule of the
    classifier is marked. The dotted line is the constant answer, the most frequent class.

    Parameters
    ----------
    classifier : NAClassifier, Pipeline or RulePath
        A fitted classifier, a pipeline that ends with one, or the path itself.
    ax : Axes, optional
        Where to draw.

    Examples
    --------
    >>> from hyperna import NAClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> classifier = NAClassifier(random_state=0).fit(X, y)
    >>> plot_path(classifier).get_ylabel()
    'training accuracy'
    >>> _ = classifier.validate_path(X, y, cv=3)
    >>> plot_path(classifier).get_ylabel()
    'held-out accuracy'
    """
    path = _path_of(classifier)
    held_out = all(row.held_out_error is not None for row in path)
    rules = [row for row in path if row.terms]
    ax = ax or new_axes((6.8, 5.0))
    terms = [row.terms for row in rules]
    accuracies = [_accuracy(row) for row in rules]
    label = "held-out accuracy ± standard error" if held_out else "training accuracy"
    ax.errorbar(
        terms,
        accuracies,
        yerr=[row.standard_error or 0.0 for row in rules] if held_out else None,
        fmt="o-",
        color=BLUE,
        capsize=4,
        label=label,
    )
    chosen = path.chosen
    if chosen.terms:
        ax.plot(
            [chosen.terms],
            [_accuracy(chosen)],
            "o",
            markersize=15,
            markerfacecolor="none",
            markeredgecolor=VERMILLION,
            markeredgewidth=2.4,
            label=f"chosen: {counted(chosen.terms, 'term')}, {_accuracy(chosen):.3f}",
        )
    for row in path:
        if not row.terms:
            words = f"constant answer{' (chosen)' if row.chosen else ''}: {_accuracy(row):.3f}"
            ax.axhline(_accuracy(row), color=theme().ink, linestyle=":", linewidth=1.8, label=words)
    _label_terms(ax, terms)
    legend_below(ax, columns=1, room=0.16)
    return finish(ax, x="terms of the rule", y=label.partition(" ±")[0])


def _path_of(classifier: Any) -> RulePath:
    """Return the path of what was given."""
    if isinstance(classifier, RulePath):
        return classifier
    fitted = classifier.steps[-1][1] if isinstance(classifier, Pipeline) else classifier
    path = getattr(fitted, "path_", None)
    if isinstance(path, RulePath):
        return path
    if hasattr(fitted, "list_"):
        raise ValueError("a classifier that was read from JSON has no path: fit it again")
    kind = type(fitted).__name__
    raise TypeError(f"classifier must be a fitted NAClassifier or its path, got {kind}")


def _accuracy(row: PathRow) -> float:
    """Return the accuracy on held-out rows where it is known, else that in training."""
    return row.accuracy if row.held_out_error is None else 1.0 - row.held_out_error


def _label_terms(ax: "Axes", terms: list[int]) -> None:
    """Label the axis with whole numbers of terms."""
    from matplotlib.ticker import MaxNLocator

    if max(terms, default=0) > _MOST_ON_A_PLAIN_AXIS:
        plain_logarithmic(ax.xaxis)
    elif terms:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_xlim(0.5, max(terms) + 0.5)
    else:
        ax.set_xticks([])
