"""Labelled points of the classifier that several test files share."""

import numpy as np

from hyperna.classifier.points import LabelledPoints


def alike(Z, y):
    """Labelled points that all weigh the same."""
    return LabelledPoints(Z, y, np.ones(len(y), np.int64), float(len(y)))


def cloud(n=60, dim=3, seed=0):
    """Weighted points with labels by chance."""
    rng = np.random.default_rng(seed)
    Z, weight = rng.normal(size=(n, dim)) / 4, rng.integers(1, 4, n)
    return LabelledPoints(Z, rng.random(n) < 0.4, weight, float(weight.sum()))


def half_cloud(n=80, dim=3, seed=0):
    """Weighted points that a half-space divides."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, dim)) / 3
    return LabelledPoints(Z, Z[:, 0] > 0.1, rng.integers(1, 4, n), 2.0 * n)
