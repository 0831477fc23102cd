"""From a user's table to weighted points in the unit ball."""

from dataclasses import dataclass

import numpy as np

from hyperna._validation import FloatArray, IntArray
from hyperna.fitness.points import integer_weights


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
        inside = cls(middle, half).apply(X)
        share = weight / weight.sum()
        mean = share @ inside
        inside -= mean
        deviation = np.sqrt(share @ inside**2)
        varies &= deviation > 0
        inside[:, varies] /= deviation[varies]
        inside[:, ~varies] = 0.0
        radius = np.sqrt((inside**2).sum(axis=1).max())
        width = np.where(varies, half * deviation * radius, 0.0)
        return cls(middle + half * mean, width)

    def apply(self, X: FloatArray) -> FloatArray:
        """Return the rows of X in the network's coordinates."""
        result = np.zeros(X.shape)
        np.subtract(X, self.centre, out=result, where=self.width > 0)
        np.divide(result, self.width, out=result, where=self.width > 0)
        return result


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
    """

    X: FloatArray
    label: IntArray
    weight: IntArray

    @classmethod
    def of(cls, X: FloatArray, label: IntArray, weight: FloatArray) -> "Table":
        """Collect the rows of positive weight."""
        heavy = weight > 0
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
        return cls(X[first], label[first], integer_weights(total, size))
