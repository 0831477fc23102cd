"""Labelled rows as a user hands them in, checked once, and as points in the unit ball.

`LabelledPoints` are what every part of a fit works on, `Scaling` is the map to the unit ball.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from hyperna._validation import BoolArray, FloatArray, IntArray, check_choice
from hyperna._words import shortened
from hyperna.fitness.points import whole
from hyperna.networks import Network

# Parts into which the points of trials are divided.
FOLDS = 3
# Enough to see where the classes lie; larger sets are thinned.
MOST_POINTS = 500
# With more features than points, and at most this many points, starts are sought among combinations
# of the points: any other part of a weight vector changes nothing on them.
MOST_SPANNING = 1000
# Points of each class that stay in a sample.
FEWEST_ROWS = 10
# Standard errors by which a difference is beyond doubt.
BEYOND_DOUBT = 3.0
# Weights below this part of the largest do not decide where a boundary runs.
NEGLIGIBLE = 1e-6


@dataclass(frozen=True, eq=False)
class LabelledPoints:
    """Distinct points, their labels and integer weights.

    `rows` is how many independent rows they stand for, from which standard errors follow: the sum
    of the weights given, read as counts, or what is left of that number where they are small and
    unequal.
    """

    Z: FloatArray  # one row per point, before scaling or, as a fit takes them, in the unit ball
    y: Any  # labels, or the index of each point's class
    weight: IntArray  # in the proportion of the sample weights given
    rows: float
    total: int = field(init=False)
    share: FloatArray = field(init=False)  # the weights divided by their sum, the total
    decisive: IntArray = field(init=False)  # the weights, 0 where no boundary should bend for them
    gain: FloatArray = field(init=False)  # what it adds to the correct share to fire on a point
    constant: float = field(init=False)  # share that the better constant answer gets right

    def __post_init__(self) -> None:
        weight, total = self.weight, int(self.weight.sum())
        decisive = np.where(weight < NEGLIGIBLE * weight.max(initial=0), 0, weight)
        positive = float((weight / total) @ self.y)
        self.__dict__.update(
            total=total,
            share=weight / total,
            decisive=decisive,
            gain=np.where(self.y, decisive, -decisive) / total,
            constant=max(positive, 1.0 - positive),
        )

    @classmethod
    def of(cls, X: FloatArray, label: IntArray, weight: FloatArray) -> "LabelledPoints":
        """Collect the rows of positive weight, by their class.

        Rows given twice and a row of weight 2 become the same point, and the order depends only on
        values, so that neither has an influence on the network.
        """
        heavy = weight > 0
        if not heavy.all():
            X, label, weight = X[heavy], label[heavy], weight[heavy]
        group = np.unique(label, return_inverse=True)[1]
        size = int(group.max()) + 1
        for column in X.T:
            if size == len(X):
                break
            values, place = np.unique(column, return_inverse=True)
            group = np.unique(group * len(values) + place, return_inverse=True)[1]
            size = int(group.max()) + 1
        first = np.zeros(size, np.int64)
        first[group[::-1]] = np.arange(len(X))[::-1]
        total = np.bincount(group, weights=weight).astype(float)
        relative = total / total.max()
        effective = relative.sum() ** 2 / (relative @ relative)
        rows = max(float(total.sum()), float(effective))
        return cls(X[first], label[first], whole(total), rows)

    def correct(self, network: Network) -> int:
        """Return the weight of the points that a network classifies correctly."""
        return int(self.weight[network.predict(self.Z) == self.y].sum())

    def doubt(self, network: Network) -> float:
        """Return the standard error of the share of points that a network classifies correctly."""
        mean = float(self.share @ (network.predict(self.Z) == self.y))
        return float(np.sqrt(max(0.0, mean * (1 - mean)) / self.rows))

    def lead(self, right: BoolArray, other: BoolArray, errors: float = 0.0) -> float:
        """Return by how much more than so many standard errors `right` is better than `other`.

        Both say which points are classified correctly, so that their difference is paired. Its
        error is that of two equally good networks, as in McNemar's test: one point alone is never
        more than one standard error.
        """
        error = np.sqrt(self.share @ (right != other) / self.rows)
        return float(self.share @ (right.astype(float) - other)) - 1e-12 - errors * float(error)

    def part(self, some: Any, weight: IntArray | None = None) -> "LabelledPoints":
        """Return some of the points, with weights of their own if these are given."""
        weight = self.weight[some] if weight is None else weight
        rows = self.rows * float(weight.sum()) / self.total
        return LabelledPoints(self.Z[some], self.y[some], weight, rows)

    @cached_property
    def unit(self) -> float:
        """The deviation that all features of the unit ball share, up to constant ones."""
        return float(np.sqrt((self.share @ self.Z**2).max())) or 1.0

    @cached_property
    def span(self) -> tuple["LabelledPoints", FloatArray | None]:
        """The points in coordinates of the space they span, and the orthonormal axes of that.

        The points as they are, and None, where that would not be smaller.
        """
        n, dim = self.Z.shape
        if dim <= n or n > MOST_SPANNING:
            return self, None
        value, vectors = np.linalg.eigh(self.Z @ self.Z.T)
        some = value > 1e-12 * value[-1]
        if not some.any():
            return self, None
        length = np.sqrt(value[some])
        axes = (vectors[:, some] / length).T @ self.Z
        return LabelledPoints(vectors[:, some] * length, self.y, self.weight, self.rows), axes

    def thinned(self, rng: np.random.Generator, most: int = MOST_POINTS) -> "LabelledPoints":
        """Return about `most` of the points at most, drawn with their weights, of both classes."""
        if len(self.y) <= most:
            return self
        drawn = rng.choice(len(self.y), most, p=self.share)
        count = np.bincount(drawn, minlength=len(self.y))
        for label in (False, True):
            if not count[self.y == label].any():
                count[np.flatnonzero(self.y == label)[0]] = 1
        some = count > 0
        return LabelledPoints(self.Z[some], self.y[some], count[some], min(self.rows, most))

    def sample(self, rng: np.random.Generator, most: int) -> "LabelledPoints":
        """Return about `most` of the points, and no class with few points without them."""
        some = np.zeros(len(self.y), bool)
        some[rng.permutation(len(some))[:most]] = True
        for label in np.unique(self.y):
            some[np.flatnonzero(self.y == label)[:FEWEST_ROWS]] = True
        return self.part(some)

    def folds(
        self, most: int, rng: np.random.Generator, count: int = FOLDS
    ) -> tuple[IntArray, IntArray, IntArray]:
        """Return row, weight and fold of the points for trials, classes spread over all folds.

        A row that stands for several, as far as weights are counts, is divided among the folds. Of
        more than `most` rows only some are taken, about as many.
        """
        counts = self.weight if self.rows == self.total else np.ones_like(self.weight)
        share = min(1.0, most / len(self.y))
        rows, parts, folds = [], [], []
        for label in np.unique(self.y):
            members = rng.permutation(np.flatnonzero(self.y == label))
            members = members[: max(2 * count, round(share * len(members)))]
            end = np.cumsum(counts[members])
            begin = end - counts[members]
            for k in range(count):
                part = (end - k + count - 1) // count - (begin - k + count - 1) // count
                some = members[part > 0]
                rows.append(some)
                parts.append(part[part > 0] * (self.weight[some] // counts[some]))
                folds.append(np.full(len(some), k))
        return np.concatenate(rows), np.concatenate(parts), np.concatenate(folds)


# Numbers in a block of rows: large tables are worked through in pieces.
BLOCK = 2**21
LARGEST, SMALLEST = float(np.finfo(float).max), float(np.finfo(float).tiny)
# No coordinate is larger after scaling, so that sums of products stay finite.
FARTHEST = 1e100


def blocks(X: FloatArray) -> Iterator[slice]:
    """Yield slices that cover the rows of X, so that no copy of all of it is needed."""
    rows = max(1, BLOCK // max(1, X.shape[1]))
    for begin in range(0, len(X), rows):
        yield slice(begin, begin + rows)


@dataclass(frozen=True, eq=False)
class Scaling:
    """An affine map of each feature, ``(x - centre) / width``; a width of 0 leaves a feature out.

    Examples
    --------
    >>> scaling = Scaling.fit(np.array([[0.0, 5.0], [4.0, 5.0]]), np.ones(2))
    >>> scaling.apply(np.array([[0.0, 5.0], [4.0, 9.0]]))
    array([[-1.,  0.],
           [ 1.,  0.]])
    """

    centre: FloatArray
    width: FloatArray

    @classmethod
    def identity(cls, dim: int) -> "Scaling":
        """Return the map that changes nothing."""
        return cls(np.zeros(dim), np.ones(dim))

    @classmethod
    def fit(cls, X: FloatArray, weight: FloatArray) -> "Scaling":
        """Return the map to mean 0 and equal deviations, with the farthest row at distance 1.

        Constant features get width 0, so that nothing depends on them.
        """
        low, high = X.min(axis=0), X.max(axis=0)
        middle, half = low / 2 + high / 2, high / 2 - low / 2
        varies = half > 0
        # Within [-1, 1] neither sums nor squares overflow, whatever the units of a feature.
        inside, share = cls(middle, half), weight / weight.sum()
        mean, variance, far = np.zeros(len(half)), np.zeros(len(half)), 0.0
        for some in blocks(X):
            mean += share[some] @ inside.apply(X[some])
        for some in blocks(X):
            variance += share[some] @ (inside.apply(X[some]) - mean) ** 2
        deviation = np.sqrt(variance)
        varies &= deviation > 0
        unit = np.where(varies, deviation, np.inf)
        for some in blocks(X):
            squares = ((inside.apply(X[some]) - mean) / unit) ** 2
            far = max(far, float(squares.sum(axis=1).max()))
        radius = np.sqrt(far)
        with np.errstate(over="ignore"):
            width = np.minimum(half * deviation * radius, LARGEST)
        # Below the smallest normal number rounding would decide; such a feature is constant.
        width = np.where(varies & (width >= SMALLEST), width, 0.0)
        return cls(middle + half * mean, width)

    def apply(self, X: FloatArray) -> FloatArray:
        """Return the rows of X in the network's coordinates."""
        result, used = np.zeros(X.shape), self.width > 0
        with np.errstate(over="ignore", invalid="ignore"):
            np.subtract(X, self.centre, out=result, where=used)
            np.divide(result, self.width, out=result, where=used)
        if not (np.abs(result).max(initial=0.0) <= FARTHEST):
            # The difference is too large for a number, or the row is beyond all bounds.
            width = np.where(used, self.width, 1.0)
            with np.errstate(over="ignore"):
                apart = np.clip(X / width - self.centre / width, -FARTHEST, FARTHEST)
            result = np.where(used & ~(np.abs(result) <= FARTHEST), apart, result)
        return result

    def mark(self, network: Network) -> None:
        """Tell a network whose half-spaces are not in the units of the data, for who draws it."""
        if self.centre.any() or (self.width != 1.0).any():
            object.__setattr__(network, "scaled", True)


def numbers(estimator: Any, X: Any, y: Any = "no_validation") -> Any:
    """Return X, or X and y if this is given, as scikit-learn checks them.

    Words in X are an error that names the column and a way to encode it.
    """
    fitting = not (isinstance(y, str) and y == "no_validation")
    try:
        with np.errstate(all="ignore"):  # sums of huge numbers, which are no fault
            return validate_data(estimator, X, y, reset=fitting, dtype=np.float64)
    except ValueError as error:
        if "could not convert" not in str(error):
            raise
        hint = shortened(str(error), 100)
        raise ValueError(_about_words(X) or f"X must be numbers: {hint}") from None


def _about_words(X: Any) -> str | None:
    """Return what to do about the first column with a word that is no number, if there is one."""
    names, values = list(getattr(X, "columns", [])), np.asarray(X, dtype=object)
    for k, column in enumerate(values.T if values.ndim == 2 else []):
        for value in column:
            try:
                float(value)
            except (TypeError, ValueError):
                if isinstance(value, str):
                    where = f"{value!r:.40} in column {(names[k] if names else k)!r:.60}"
                    encoders = "sklearn.preprocessing.OneHotEncoder or OrdinalEncoder"
                    how = f"encode the column first, for example with {encoders}"
                    return f"X must be numbers, got {where}; {how}"
    return None


def labelled_points(
    estimator: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[LabelledPoints, Any, Any]:
    """Return the distinct rows with their weights, the classes, and y as checked."""
    features, y = numbers(estimator, X, y)
    check_classification_targets(y)
    if isinstance(sample_weight, str | complex | np.complexfloating):
        raise ValueError(f"sample_weight must be numbers, got {shortened(repr(sample_weight))}")
    weight = _check_sample_weight(sample_weight, features, dtype=np.float64)
    if (weight < 0).any():
        raise ValueError(f"Negative values in sample_weight, the least is {weight.min()}.")
    classes, label = np.unique(y, return_inverse=True)
    present = np.unique(label[weight > 0])
    if len(present) < 2:
        which = f": {shortened(str(classes[present[0]]))}" if len(present) else ""
        raise ValueError(
            "NAClassifier needs samples of at least 2 classes in the data (with positive "
            f"weight), but the data contains only {('no', 'one')[len(present)]} class{which}"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        if estimator.class_weight is not None:
            weight = weight * class_weights(estimator.class_weight, classes, label, weight)[label]
        total = weight.sum()
    if not np.isfinite(total):
        raise ValueError(f"sample_weight and class_weight must have a finite sum, got {total}")
    return LabelledPoints.of(features, label, weight), classes, y


def class_weights(choice: Any, classes: Any, label: Any, weight: FloatArray) -> FloatArray:
    """Return the weight of each class: given ones, or such that all classes weigh the same."""
    if isinstance(choice, str):
        check_choice("class_weight", choice, ("balanced",), "or a dict or None")
        total = np.bincount(label, weights=weight, minlength=len(classes))
        even = weight.sum() / (np.count_nonzero(total) * np.where(total > 0, total, 1.0))
        return np.asarray(even)
    if not isinstance(choice, dict):
        raise TypeError(f"class_weight must be a dict, 'balanced' or None, got {choice!r:.60}")
    made = compute_class_weight(choice, classes=classes, y=classes[label])
    if not (np.isfinite(made).all() and (made >= 0).all() and (made > 0).sum() > 1):
        raise ValueError(
            "class_weight must be finite and non-negative, and positive for two classes, "
            f"got {choice!r:.80}"
        )
    return np.asarray(made, float)
