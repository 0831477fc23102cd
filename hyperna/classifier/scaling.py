"""The map from the features to the unit ball."""

from dataclasses import dataclass

import numpy as np

from hyperna._validation import FloatArray

LARGEST, SMALLEST = float(np.finfo(float).max), float(np.finfo(float).tiny)
# No coordinate is larger after scaling, so that sums of products stay finite.
FARTHEST = 1e100


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

    @property
    def changes_nothing(self) -> bool:
        """Whether rows stay what they are."""
        return not self.centre.any() and bool((self.width == 1.0).all())

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
