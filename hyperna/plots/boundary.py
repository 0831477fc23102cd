"""Where a fitted classifier draws the line: regions, half-spaces and errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from hyperna._validation import BoolArray, FloatArray, check_points, check_reals
from hyperna._words import shortened
from hyperna.classifier.text import condition_text
from hyperna.plots.style import (
    BLUE,
    FONT_SIZE,
    GREEN,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
    finish,
    legend_below,
    neuron_line,
    new_axes,
)
from hyperna.plots.theme import theme
from hyperna.tables.features import plain_features

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLASSES = (ORANGE, BLUE, GREEN, PURPLE, SKY)
MARKERS = ("o", "s", "^", "D", "v")
_MESH = 300
_ROOM = 0.06
_LONGEST_LABEL = 64
# What is longer leaves no room for a second column of the legend.
_LONGEST_IN_TWO_COLUMNS = 28
# Share of the picture by which lines that look the same may differ.
_SAME_LINE = 2e-3


def plot_boundary(
    classifier: Any,
    X: ArrayLike,
    y: ArrayLike,
    ax: "Axes | None" = None,
    *,
    features: Sequence[int | str] | str | None = None,
    rest: ArrayLike | None = None,
) -> "Axes":
    """Draw the regions of a fitted NAClassifier over two features, or in an oblique plane.

    The background is the class that is answered, each coloured line the boundary of a condition of
    `rules_`, circles the points that are classified wrongly. With more than two classes rules are
    asked in the order of the legend, and the first one that holds answers: a line matters only
    where no earlier rule holds.

    Parameters
    ----------
    classifier : NAClassifier
        A fitted classifier.
    X, y : array_like of shape (n, D) and (n,)
        Points to show and their classes, usually those of the fit.
    ax : Axes, optional
        Where to draw.
    features : pair of int or str, or "plane", optional
        Numbers or names of the features on the axes, by default the two with the largest
        `feature_importances_`, copies left out. With more than two features the regions are those
        of the plane in which the others have the values `rest`, while every point keeps its own.
        "plane": the plane that shows most of all half-spaces, which is spanned by the two main
        directions of their normals, in standard deviations. One or two half-spaces are seen
        edge-on: each point lies in the region of its own answer.
    rest : array_like of shape (D,), optional
        The values of what is not shown, by default the medians of X.

    Examples
    --------
    >>> from hyperna import NAClassifier
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 5, [0, 0, 1, 1] * 5
    >>> ax = plot_boundary(NAClassifier(random_state=0).fit(X, y), X, y)
    >>> ax.get_xlabel()
    'x1'
    """
    if not hasattr(classifier, "rules_"):
        kind = type(classifier).__name__
        raise TypeError(f"classifier must be a fitted NAClassifier, got {kind}")
    dim = classifier.n_features_in_
    if dim < 2:
        raise ValueError("plot_boundary needs at least 2 features, got 1")
    points = check_points("X", X, dim)
    labels = np.asarray(y)
    if labels.shape != (len(points),):
        raise ValueError(f"y must have shape ({len(points)},), got shape {labels.shape}")
    names = [str(n) for n in getattr(classifier, "feature_names_in_", [])]
    names = names or [f"x{k + 1}" for k in range(dim)]
    fixed = np.median(points, axis=0) if rest is None else check_reals("rest", rest, (dim,))
    oblique = isinstance(features, str) and features == "plane"
    if oblique:
        plane = _oblique_plane(classifier, points, names, fixed)
    else:
        pair = _pair(classifier, points, names, features)
        origin = fixed.copy()
        origin[pair] = 0.0
        shown = names[pair[0]], names[pair[1]]
        plane = _Plane(origin, np.eye(dim)[pair], points[:, pair], shown)
    ax = ax or new_axes(boundary_size(classifier))
    _draw_regions(ax, classifier, plane)
    _draw_conditions(ax, classifier, plane, names)
    wrong = classifier.classes_[classifier.list_.predict(points)] != labels
    _draw_points(ax, classifier, plane.places, labels, wrong)
    title = f"{1.0 - wrong.mean():.1%} of {len(points)} points correct"
    if len(classifier.classes_) > 2:
        title += "\nthe first rule that holds answers"
    if dim > 2:
        what = "everything else has" if oblique else f"the other {dim - 2} features have"
        title += f"\nregions where {what} {'median' if rest is None else 'given'} values"
    finish(ax, x=plane.labels[0], y=plane.labels[1], title=title, grid=False)
    ax.set_xlim(*plane.limits[0])
    ax.set_ylim(*plane.limits[1])
    _, entries = ax.get_legend_handles_labels()
    columns = 2 if max(map(len, entries)) <= _LONGEST_IN_TWO_COLUMNS else 1
    height = max(ax.figure.bbox.height / ax.figure.dpi, 7.0)
    legend_below(ax, columns=columns, room=(0.22 if oblique else 0.14) * (7.0 / height) ** 2)
    return ax


def boundary_size(classifier: Any) -> tuple[float, float]:
    """Return the size of a figure in which a long legend takes no room from the axes."""
    lines = len(classifier.classes_) + 2 + sum(len(rule.conditions) for rule in classifier.rules_)
    return 7.0, max(7.0, 5.0 + 0.28 * lines)


@dataclass(frozen=True, eq=False)
class _Plane:
    """The rows origin + p * axes[0] + q * axes[1], and the places (p, q) of the points in it."""

    origin: FloatArray
    axes: FloatArray
    places: FloatArray
    labels: tuple[str, str]

    @property
    def limits(self) -> list[tuple[float, float]]:
        """Least and largest p and q to be shown."""
        low, high = self.places.min(axis=0), self.places.max(axis=0)
        room = np.where(high > low, _ROOM * (high - low), 1.0)
        return list(zip((low - room).tolist(), (high + room).tolist(), strict=True))

    def mesh(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the values on both axes, and the row of every point of the mesh."""
        across, up = (np.linspace(*limit, _MESH) for limit in self.limits)
        p, q = (part.ravel()[:, None] for part in np.meshgrid(across, up))
        return across, up, self.origin + p * self.axes[0] + q * self.axes[1]


def _oblique_plane(
    classifier: Any, points: FloatArray, names: list[str], fixed: FloatArray
) -> _Plane:
    """Return the plane of the two main directions of all normals, in standard deviations.

    Where they have one direction only, that along which the points are spread most is added.
    """
    conditions = [c for rule in classifier.rules_ for c in rule.conditions]
    centre = points.mean(axis=0)
    deviation = points.std(axis=0)
    used = deviation > 0
    width = np.where(used, deviation, 1.0)
    Z = np.where(used, (points - centre) / width, 0.0)
    normals = np.zeros((len(conditions), points.shape[1]))
    for normal, condition in zip(normals, conditions, strict=True):
        features = list(condition.features)
        normal[features] = np.array(condition.weights) * deviation[features] / condition.scale
    _, sizes, rows = np.linalg.svd(normals, full_matrices=False)
    rows = rows[:2][sizes[:2] > 1e-9]
    while len(rows) < 2:
        left = Z - Z @ rows.T @ rows
        rows = np.vstack([rows, np.linalg.svd(left, full_matrices=False)[2][:1]])
    largest = np.abs(rows).argmax(axis=1)
    rows = rows * np.sign(rows[[0, 1], largest])[:, None]
    axes = rows * deviation
    middle = np.where(used, (fixed - centre) / width, 0.0)
    labels = tuple(_direction_text(row, names) for row in rows)
    return _Plane(fixed - (rows @ middle) @ axes, axes, Z @ rows.T, (labels[0], labels[1]))


def _direction_text(row: FloatArray, names: list[str]) -> str:
    """Return the two largest terms of a direction as text, each on its own line."""
    first, second = np.argsort(-np.abs(row), kind="stable")[:2]
    text = f"{row[first]:.2g} {names[first]:.32}"
    if abs(row[second]) >= 0.05:
        text += f"\n{'-' if row[second] < 0 else '+'} {abs(row[second]):.2g} {names[second]:.32}"
    rest = "" if np.count_nonzero(np.abs(row) >= 0.05) <= 2 else " + ..."
    return f"{text}{rest} (scaled)"


def _pair(
    classifier: Any, points: FloatArray, names: list[str], features: Sequence[int | str] | None
) -> list[int]:
    """Return the numbers of the two features on the axes."""
    if features is None:
        first, *others = np.argsort(-classifier.feature_importances_, kind="stable").tolist()
        # A copy of the first, in other units perhaps, would show nothing.
        centred = points - points.mean(axis=0)
        size = np.sqrt((centred**2).sum(axis=0)) * np.sqrt((centred[:, first] ** 2).sum())
        own = [k for k in others if abs(centred[:, k] @ centred[:, first]) < 0.9999 * size[k]]
        return sorted([first, (own or others)[0]])
    numbers = []
    for feature in features:
        if isinstance(feature, str) and feature in names:
            numbers.append(names.index(feature))
        elif isinstance(feature, int | np.integer) and 0 <= feature < len(names):
            numbers.append(int(feature))
        else:
            raise ValueError(
                f"features must be numbers from 0 to {len(names) - 1} or names of features, "
                f"got {feature!r:.60}"
            )
    if len(numbers) != 2 or numbers[0] == numbers[1]:
        raise ValueError(f"features must be two different ones, got {list(features)!r:.60}")
    return numbers


def _draw_regions(ax: "Axes", classifier: Any, plane: _Plane) -> None:
    from matplotlib.colors import ListedColormap

    across, up, rows = plane.mesh()
    answer = classifier.list_.predict(rows)
    count = len(classifier.classes_)
    colours = ListedColormap([CLASSES[k % len(CLASSES)] for k in range(count)])
    # Rasterised, because a vector graphic of all cells would have many megabytes.
    ax.pcolormesh(
        across,
        up,
        answer.reshape(_MESH, _MESH),
        cmap=colours,
        alpha=0.22,
        vmin=0,
        vmax=count - 1,
        rasterized=True,
    )


def _draw_conditions(ax: "Axes", classifier: Any, plane: _Plane, names: list[str]) -> None:
    """Draw the line in which the boundary of each condition cuts the plane.

    The legend has the words of the printed rule, with the class where there are more than two. A
    line of several conditions is drawn once.
    """
    several = len(classifier.rules_) > 1
    owners = [classifier.classes_[number] for number in classifier.list_.order]
    features = plain_features(names)
    found = zip(owners, classifier.rules_, strict=False)
    lines: list[tuple[Any, Any]] = []
    asked = [
        (place, owner, condition)
        for place, (owner, rule) in enumerate(found, 1)
        for condition in rule.conditions
    ]
    for place, owner, condition in asked:
        colour, dashes = neuron_line(len(lines))
        weights = np.array(condition.weights)
        chosen = list(condition.features)
        a, b = plane.axes[:, chosen] @ weights
        level = condition.threshold - weights @ plane.origin[chosen]
        ends = _cut((a, b), level, plane.limits)
        if ends is None:
            continue
        text = condition_text(condition, features)
        label = shortened(f"{place}. {owner}: {text}" if several else text, _LONGEST_LABEL)
        size = np.ptp(plane.limits, axis=1)[:, None]
        for line, drawn in lines:
            if np.size(ends) and np.abs((np.subtract(drawn, ends)) / size).max() < _SAME_LINE:
                line.set_label(f"{line.get_label()}\n{label}")
                break
        else:
            (line,) = ax.plot(
                *ends, color=colour, linestyle=dashes, linewidth=2.0, label=label, zorder=3
            )
            lines.append((line, ends))


def _cut(
    weights: tuple[float, float], level: float, limits: list[tuple[float, float]]
) -> tuple[list[float], list[float]] | None:
    """Return the ends of the line a x + b y = level within the limits, None if it is outside."""
    (left, right), (bottom, top) = limits
    a, b = weights
    found = []
    if b != 0:
        found += [(x, (level - a * x) / b) for x in (left, right)]
    if a != 0:
        found += [((level - b * y) / a, y) for y in (bottom, top)]
    wide, high = 1e-9 * (right - left), 1e-9 * (top - bottom)
    inside = [
        (x, y)
        for x, y in found
        if left - wide <= x <= right + wide and bottom - high <= y <= top + high
    ]
    if len(inside) < 2:
        return None
    first = min(inside)
    last = max(
        inside,
        key=lambda p: abs(p[0] - first[0]) / (right - left) + abs(p[1] - first[1]) / (top - bottom),
    )
    return [first[0], last[0]], [first[1], last[1]]


def _draw_points(
    ax: "Axes", classifier: Any, points: FloatArray, labels: Any, wrong: BoolArray
) -> None:
    for k, name in enumerate(classifier.classes_.tolist()):
        ax.scatter(
            points[labels == name, 0],
            points[labels == name, 1],
            s=26,
            color=CLASSES[k % len(CLASSES)],
            marker=MARKERS[k % len(MARKERS)],
            edgecolors=theme().paper,
            linewidths=0.5,
            label=f"{name!s:.30}",
            zorder=4,
        )
    if wrong.any():
        ax.scatter(
            points[wrong, 0],
            points[wrong, 1],
            s=110,
            facecolors="none",
            edgecolors=VERMILLION,
            linewidths=1.5,
            label=f"wrong ({int(wrong.sum())})",
            zorder=5,
        )
    ax.tick_params(labelsize=FONT_SIZE - 1)
