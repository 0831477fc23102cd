"""Labelled points in the unit ball: what every part of a fit works on, checked once."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.fitness.points import integer_weights
from hyperna.networks import Network

# Enough to see where the classes lie; larger sets are thinned.
MOST_POINTS = 500
# Weights below this part of the largest do not decide where a boundary runs.
NEGLIGIBLE = 1e-6


@dataclass(frozen=True, eq=False)
class LabelledPoints:
    """Distinct points, their labels and integer weights.

    Attributes
    ----------
    Z : ndarray of shape (n, D)
        Points in the unit ball.
    y : ndarray of bool, shape (n,)
        Labels.
    weight : ndarray of int, shape (n,)
        Sample weights.
    rows : float
        How many independent rows the points stand for, from which standard errors follow.
    """

    Z: FloatArray
    y: BoolArray
    weight: IntArray
    rows: float

    @cached_property
    def total(self) -> int:
        """Sum of the weights."""
        return int(self.weight.sum())

    @cached_property
    def share(self) -> FloatArray:
        """The weights, divided by their sum."""
        return self.weight / self.total

    @cached_property
    def decisive(self) -> IntArray:
        """The weights, those that cannot matter being 0, so that no boundary bends for them."""
        return np.where(self.weight < NEGLIGIBLE * self.weight.max(), 0, self.weight)

    @cached_property
    def gain(self) -> FloatArray:
        """What a point adds to the share of correct ones when the network fires on it."""
        return np.where(self.y, self.decisive, -self.decisive) / self.total

    @cached_property
    def constant(self) -> float:
        """Share of points that the better constant answer gets right."""
        positive = float(self.share @ self.y)
        return max(positive, 1.0 - positive)

    def right(self, network: Network) -> BoolArray:
        """Return which points a network classifies correctly."""
        return network.predict(self.Z) == self.y

    def correct(self, network: Network) -> int:
        """Return the weight of the points that a network classifies correctly."""
        return int(self.weight[self.right(network)].sum())

    def flipped(self) -> "LabelledPoints":
        """Return the same points with the classes exchanged."""
        return LabelledPoints(self.Z, ~self.y, self.weight, self.rows)

    def part(self, some: Any) -> "LabelledPoints":
        """Return some of the points."""
        weight = self.weight[some]
        rows = self.rows * float(weight.sum()) / self.total
        return LabelledPoints(self.Z[some], self.y[some], weight, rows)

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


@dataclass(frozen=True, eq=False)
class Table:
    """Distinct labelled rows, in an order that depends only on their values, and their weights.

    Rows given twice and a row of weight 2 become the same table, so that they lead to the same
    network; the order of the rows has no influence either.

    Attributes
    ----------
    X : ndarray of shape (n, D)
        Features.
    label : ndarray of shape (n,)
        Index of the class.
    weight : ndarray of shape (n,)
        Integer weights, in the proportion of the given ones.
    rows : float
        How many rows these stand for: the sum of the weights given, read as counts, or what is
        left of that number where they are small and unequal.
    """

    X: FloatArray
    label: IntArray
    weight: IntArray
    rows: float

    @classmethod
    def of(cls, X: FloatArray, label: IntArray, weight: FloatArray) -> "Table":
        """Collect the rows of positive weight."""
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
        total = np.bincount(group, weights=weight)
        relative = total / total.max()
        effective = relative.sum() ** 2 / (relative @ relative)
        rows = max(float(total.sum()), float(effective))
        return cls(X[first], label[first], integer_weights(total, size), rows)

    def folds(
        self, count: int, most: int, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray, IntArray]:
        """Return row, weight and fold of the points for trials, classes spread over all folds.

        A row that stands for several, as far as weights are counts, is divided among the folds. Of
        more than `most` rows only some are taken, about as many.
        """
        counts = self.weight if self.rows == self.weight.sum() else np.ones_like(self.weight)
        share = min(1.0, most / len(self.label))
        rows, parts, folds = [], [], []
        for label in np.unique(self.label):
            members = rng.permutation(np.flatnonzero(self.label == label))
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
