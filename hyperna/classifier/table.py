"""Labelled rows as a user hands them in: checked once, equal rows merged, features standardised.

`LabelledTable` holds what was given, `StandardPoints` the points that a search works on.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Number
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, validate_data

from hyperna._validation import FloatArray, IntArray, check_choice
from hyperna._words import shortened, shown
from hyperna.tables.advice import about_text_and_gaps

# Not varied; the reason stands beside each.
#
# Of more different rows than this a search uses a sample: rules are short, and so many rows tell
# their coefficients to a percent.
MOST_ROWS = 20_000
# Rows of each class that a sample has, so that a rare class can be told at all.
FEWEST_OF_A_CLASS = 100
# A feature has many values if two rows rarely have the same one: their chance is below this.
MANY_VALUES = 0.1
# The largest part of equal rows that differ in their labels, where they are copies of each other.
STRAY_LABELS = 0.05
# Weights stand for so many rows in all at most; they are counted in whole parts of a row.
LARGEST_TABLE = 1e9
# Numbers in a block of rows: large tables are worked through in pieces.
BLOCK = 2**21


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """Different rows, the index of each row's class, and weights.

    `weight` sums to `n_rows`, the number of independent rows that they stand for; `given` is the
    sum of the weights as they were handed in.
    """

    X: FloatArray
    label: IntArray
    weight: FloatArray
    n_rows: float
    given: float

    @classmethod
    def of(cls, X: FloatArray, label: IntArray, weight: FloatArray) -> "LabelledTable":
        """Merge equal rows of a class; leave out those of weight 0.

        The result does not depend on the order of the rows, nor on whether a row is given twice or
        has weight 2.
        """
        heavy = weight > 0
        if not heavy.all():
            X, label, weight = X[heavy], label[heavy], weight[heavy]
        relative = weight / weight.max()
        features = _equal_rows(X)
        classes = int(label.max()) + 1
        # equal rows of a class are a group
        group = np.unique(features * classes + label, return_inverse=True)[1]
        first = np.zeros(int(group.max()) + 1, np.int64)
        first[group[::-1]] = np.arange(len(X))[::-1]  # the last one written is the first row
        total = np.bincount(group, weights=relative)
        # the number of equal weights that tell as much (Kish 1965)
        n_rows = float(total.sum() ** 2 / (total @ total))
        plain = len(first) == len(X) and bool((weight == 1).all())
        if not (plain or _are_copies(X, features, group, relative)):
            # weights are read as numbers of rows, unless they are small and unequal
            n_rows = min(max(float(weight.sum()), n_rows), LARGEST_TABLE)
        given = float(weight.sum())
        return cls(X[first], label[first], total * (n_rows / total.sum()), n_rows, given)

    def part(self, some: Any) -> "LabelledTable":
        """Return some of the rows."""
        weight = self.weight[some]
        n_rows = float(weight.sum())
        given = self.given * (n_rows / self.n_rows)
        return LabelledTable(self.X[some], self.label[some], weight, n_rows, given)

    def wrong_share(self, predict: Callable[[FloatArray], IntArray]) -> float:
        """Return the share of the weight of rows that get another label from a function."""
        wrong = 0.0
        for some in blocks(*self.X.shape):
            bad = predict(self.X[some]) != self.label[some]
            wrong += float(self.weight[some][bad].sum())
        return wrong / self.n_rows

    def sample(self, rng: np.random.Generator) -> "LabelledTable":
        """Return a random sample of about `MOST_ROWS` rows if there are more.

        Of rare classes it has `FEWEST_OF_A_CLASS` rows, or all; they weigh as much as their class
        would in a sample of equal chances.
        """
        size = len(self.label)
        if size <= MOST_ROWS:
            return self
        order = rng.permutation(size)
        drawn = np.zeros(size, bool)
        drawn[order[:MOST_ROWS]] = True
        weight = self.weight.copy()
        for k in np.unique(self.label):
            of_class = order[self.label[order] == k]
            if np.count_nonzero(drawn[of_class]) < min(len(of_class), FEWEST_OF_A_CLASS):
                more = of_class[:FEWEST_OF_A_CLASS]
                drawn[more] = True
                fair = self.weight[of_class].sum() * (MOST_ROWS / size)
                weight[more] *= fair / self.weight[more].sum()
        return replace(self, weight=weight).part(drawn)


def _equal_rows(X: FloatArray) -> IntArray:
    """Number the different rows in an order that depends on their values only."""
    group = np.zeros(len(X), np.int64)
    size = 1
    for column in X.T:
        if size == len(X):
            break
        values, place = np.unique(column, return_inverse=True)
        group = np.unique(group * len(values) + place, return_inverse=True)[1]
        size = int(group.max()) + 1
    return group


def _are_copies(X: FloatArray, features: IntArray, group: IntArray, weight: FloatArray) -> bool:
    """Return whether equal rows are copies of each other and no further evidence.

    So it is in a bootstrap sample or where a class was oversampled, but not where rows are equal
    because features have few values. They are copies if there is a feature of many values, most
    rows that agree in all others agree in it too, and equal rows have equal labels. `features` and
    `group` number the different rows without and with their labels.
    """

    def agreement(numbers: IntArray) -> float:
        """Return the chance that two rows drawn by weight, perhaps the same, are equal."""
        share = np.bincount(numbers, weights=weight) / weight.sum()
        return float(share @ share)

    of_single = [agreement(np.unique(column, return_inverse=True)[1]) for column in X.T]
    most_varied = int(np.argmin(of_single))
    if of_single[most_varied] > MANY_VALUES:
        return False
    of_rows = agreement(features)
    of_others = agreement(_equal_rows(np.delete(X, most_varied, axis=1)))
    return 2 * of_rows > of_others and agreement(group) > (1 - STRAY_LABELS) * of_rows


def blocks(n_rows: int, width: int) -> Iterator[slice]:
    """Yield slices that cover so many rows, so that no copy of all of them is needed."""
    step = max(1, BLOCK // max(1, width))
    for begin in range(0, n_rows, step):
        yield slice(begin, begin + step)


@dataclass(frozen=True, eq=False)
class Standardisation:
    """The map ``(x - centre) / deviation`` of each feature; a deviation of 0 leaves it out.

    Examples
    --------
    >>> table = np.array([[0.0, 5.0], [4.0, 5.0]])
    >>> standard = Standardisation.fit(table, np.ones(2))
    >>> standard.apply(table)
    array([[-1.,  0.],
           [ 1.,  0.]])
    """

    centre: FloatArray
    deviation: FloatArray

    @classmethod
    def fit(cls, X: FloatArray, weight: FloatArray) -> "Standardisation":
        """Return the map to mean 0 and deviation 1; constant features are left out."""
        low, high = X.min(axis=0), X.max(axis=0)
        # Within [-1, 1] neither sums nor squares overflow, whatever the units of a feature.
        inside = cls(low / 2 + high / 2, high / 2 - low / 2)
        share = weight / weight.sum()
        mean = np.zeros(X.shape[1])
        variance = np.zeros(X.shape[1])
        for some in blocks(*X.shape):
            mean += share[some] @ inside.apply(X[some])
        for some in blocks(*X.shape):
            variance += share[some] @ (inside.apply(X[some]) - mean) ** 2
        deviation = inside.deviation * np.sqrt(variance)
        # Below the smallest normal number rounding would decide; such a feature is constant.
        deviation = np.where(deviation >= np.finfo(float).tiny, deviation, 0.0)
        return cls(inside.centre + inside.deviation * mean, deviation)

    def apply(self, X: FloatArray) -> FloatArray:
        """Return the rows of X in standard units."""
        result = np.zeros(X.shape)
        used = self.deviation > 0
        with np.errstate(over="ignore", invalid="ignore"):
            np.subtract(X, self.centre, out=result, where=used)
            np.divide(result, self.deviation, out=result, where=used)
        if not np.isfinite(result).all():
            # the difference of two numbers near the largest is none
            width = np.where(used, self.deviation, 1.0)
            result = np.where(used, X / width - self.centre / width, 0.0)
        return result


@dataclass(frozen=True, eq=False)
class StandardPoints:
    """Points in standard units with labels 0 and 1, as the compiled code takes them.

    Only `features` that vary have a column; these are their numbers in the table, which has `dim`.
    `signs` are those that the weights of each may have: 1, -1, or 0 for both; None if all may have
    both.
    """

    columns: FloatArray  # (D, n)
    label: IntArray
    weight: FloatArray  # sums to the number of independent rows
    features: IntArray
    dim: int
    signs: IntArray | None = None

    @classmethod
    def of(
        cls,
        table: LabelledTable,
        standard: Standardisation,
        positive: int,
        signs: IntArray | None = None,
    ) -> "StandardPoints":
        """Return the points of a table; those of one class are labelled 1.

        `signs` are those of all features of the table.
        """
        columns = standard.apply(table.X).T
        features = np.flatnonzero(np.ptp(columns, axis=1) > 0)
        label = (table.label == positive).astype(np.int64)
        weight = np.ascontiguousarray(table.weight)
        return cls(
            np.ascontiguousarray(columns[features]),
            label,
            weight,
            features,
            len(columns),
            None if signs is None else signs[features],
        )

    @cached_property
    def squares(self) -> FloatArray:
        """Squares of the columns."""
        return self.columns**2

    @cached_property
    def radius(self) -> float:
        """Distance of the farthest point from the centre."""
        return float(np.sqrt(self.squares.sum(axis=0).max())) or 1.0

    @cached_property
    def in_unit_ball(self) -> FloatArray:
        """The columns with the farthest point at the distance 1 from the centre."""
        return self.columns / self.radius

    @cached_property
    def n_rows(self) -> float:
        """Number of independent rows."""
        return float(self.weight.sum())

    @cached_property
    def share(self) -> float:
        """Share of the points that are labelled 1."""
        return float(self.weight @ self.label) / self.n_rows


# scikit-learn's messages repeat the value, however long it is.
_LONGEST_MESSAGE = 1000


def checked_numbers(estimator: Any, X: Any, y: Any = "no_validation") -> Any:
    """Return X, or X and y if this is given, as scikit-learn checks them.

    Text and gaps in X are an error that names the columns and what helps.
    """
    fitting = not (isinstance(y, str) and y == "no_validation")
    try:
        with np.errstate(all="ignore"):  # sums of huge numbers, which are no fault
            return validate_data(estimator, X, y, reset=fitting, dtype=np.float64)
    except ValueError as error:
        about = None
        if "could not convert" in str(error) or "contains" in str(error):
            about = about_text_and_gaps(X, fitting)
        if about is None:
            if len(str(error)) <= _LONGEST_MESSAGE:
                raise
            raise ValueError(shortened(str(error), _LONGEST_MESSAGE)) from None
        # scikit-learn's own words come first, by which its tools know the error
        raise ValueError(f"{shortened(str(error).splitlines()[0], 100)}\n{about}") from None


def checked_table(
    estimator: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[LabelledTable, Any, Any]:
    """Return the labelled rows, all classes, and the classes that have rows of positive weight."""
    features, y = checked_numbers(estimator, X, y)
    check_classification_targets(y)
    weight = checked_weight(sample_weight, features)
    classes, label = np.unique(y, return_inverse=True)
    if estimator.class_weight is not None:
        by_class = class_weights(estimator.class_weight, classes, label, weight)
        with np.errstate(over="ignore", invalid="ignore"):
            weight = weight * by_class[label]
    with np.errstate(over="ignore"):
        finite = bool(np.isfinite(weight).all() and np.isfinite(weight.sum()))
    if not finite:
        raise ValueError(
            "sample_weight and class_weight must have a finite sum, got "
            f"{weight.max():g} as the largest weight"
        )
    present = np.unique(label[weight > 0])
    if len(present) < 2:
        which = f": {shortened(str(classes[present[0]]))}" if len(present) else ""
        raise ValueError(
            "NAClassifier needs samples of at least 2 classes in the data (with positive "
            f"weight), but the data contains only {('no', 'one')[len(present)]} class{which}"
        )
    return LabelledTable.of(features, label, weight), classes, present


def checked_weight(sample_weight: Any, features: Any) -> FloatArray:
    """Return the weight of each row after checking it; without any they are 1.

    Examples
    --------
    >>> checked_weight(None, np.zeros((3, 2)))
    array([1., 1., 1.])
    """
    if isinstance(sample_weight, str | complex | np.complexfloating):
        raise ValueError(f"sample_weight must be numbers, got {shown(sample_weight)}")
    n_rows = len(features)
    if sample_weight is None:
        sample_weight = 1.0
    if isinstance(sample_weight, Number):
        sample_weight = np.full(n_rows, sample_weight)
    weight: FloatArray = check_array(
        sample_weight, dtype=np.float64, ensure_2d=False, input_name="sample_weight"
    )
    if weight.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have a weight for each of {n_rows} rows, got shape {weight.shape}"
        )
    if (weight < 0).any():
        raise ValueError(f"Negative values in sample_weight, the least is {weight.min()}.")
    if n_rows and not weight.any():
        raise ValueError("sample_weight must not be zero for all rows")
    return weight


def checked_folds(cv: Any, X: Any, labels: Any, groups: Any = None) -> list[tuple[Any, Any]]:
    """Return the numbers of the rows of each fold, for training and for testing.

    Folds are made as in scikit-learn, with messages one can read.

    Examples
    --------
    >>> labels = [0, 1, 0, 1]
    >>> [(train.tolist(), test.tolist()) for train, test in checked_folds(2, labels, labels)]
    [([2, 3], [0, 1]), ([0, 1], [2, 3])]
    """
    try:
        splitter = check_cv(cv, labels, classifier=True)
    except ValueError as error:
        raise ValueError(shortened(str(error), _LONGEST_MESSAGE)) from None
    folds = list(splitter.split(X, labels, groups))
    for fold in folds:
        for part in fold:
            _check_part(np.asarray(part), len(labels))
    return folds


def _check_part(part: Any, n_rows: int) -> None:
    """Refuse a part of a fold that is neither numbers of rows nor a mask."""
    if part.dtype.kind == "b" and part.shape == (n_rows,):
        return
    is_numbers = part.dtype.kind in "iu" and part.ndim == 1
    if not is_numbers or not np.isin(part, np.arange(n_rows)).all():
        raise ValueError(
            f"cv must give the numbers of rows from 0 to {n_rows - 1} for training and for "
            f"testing, got {shown(part)}"
        )


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
