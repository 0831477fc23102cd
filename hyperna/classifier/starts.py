"""First half-spaces made from the data: along linear fits and along directions of the points."""

import numpy as np

from hyperna._validation import FloatArray
from hyperna.classifier.linear import MOST_FITTED, Cloud, linear_fits, unit_rows
from hyperna.classifier.spaces import HalfSpaces, cut

_DIRECTIONS = 6
_AXES = 4
_MOST_FEATURES_SQUARED = 200


def directions(cloud: Cloud, rng: np.random.Generator, count: int = _DIRECTIONS) -> FloatArray:
    """Return unit vectors along which positive points may be told from negative ones.

    They lead to positive points (chosen at random, with their weights): from the centre, from the
    mean of the negative points, from a random negative point, and from the nearest negative points
    to the nearest positive ones.
    """
    Z, positive, negative = cloud.Z, np.flatnonzero(cloud.y), np.flatnonzero(~cloud.y)
    weight = cloud.weight
    p = rng.choice(positive, count, p=weight[positive] / weight[positive].sum())
    q = rng.choice(negative, count, p=weight[negative] / weight[negative].sum())
    mean = weight[negative] @ Z[negative] / weight[negative].sum()
    local = _local_differences(cloud, p, positive, negative)
    rows = [Z[p], Z[p] - mean, Z[p] - Z[q], local, _curved(cloud)]
    return unit_rows(np.vstack(rows))


def _curved(cloud: Cloud) -> FloatArray:
    """Axes along which the classes are spread most differently, both ways.

    They are eigenvectors of the difference of the classes' second moments, which show what a
    linear fit cannot see: opposite corners, rings, slabs.
    """
    if cloud.Z.shape[1] > _MOST_FEATURES_SQUARED:
        return np.zeros((0, cloud.Z.shape[1]))
    Z = cloud.Z - cloud.weight @ cloud.Z
    value, axes = np.linalg.eigh((Z * cloud.gain[:, None]).T @ Z)
    chosen = axes[:, np.argsort(-np.abs(value))[:_AXES]].T
    return np.vstack([chosen, -chosen])


def _local_differences(cloud: Cloud, p, positive, negative) -> FloatArray:  # type: ignore[no-untyped-def]
    """Mean of the positive points nearest to each of p, minus that of the nearest negative ones."""
    Z = cloud.Z
    square = (Z**2).sum(axis=1)
    distance = square[p, None] - 2 * Z[p] @ Z.T + square

    def local_mean(some):  # type: ignore[no-untyped-def]
        k = min(len(some), max(1, len(some) // 8))
        nearest = np.argpartition(distance[:, some], k - 1, axis=1)[:, :k]
        return Z[some[nearest]].mean(axis=1)

    return local_mean(positive) - local_mean(negative)


def best_half_space(
    cloud: Cloud, U: FloatArray, gain: FloatArray
) -> tuple[float, FloatArray, float]:
    """Return gain, normal and threshold of the best half-space with one of the normals U."""
    best, threshold = cut(cloud.Z @ U.T, gain)
    k = int(best.argmax())
    return float(best[k]), U[k], float(threshold[k])


def smooth_half_space(cloud: Cloud, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return a half-space along a strongly penalised linear fit."""
    cloud = cloud.thinned(rng, MOST_FITTED)
    return _best_of(cloud, unit_rows(linear_fits(cloud, (1e-1, 1e-2))))


def sharp_half_space(cloud: Cloud, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return the half-space with the fewest errors along linear fits and directions of the data."""
    cloud = cloud.thinned(rng, MOST_FITTED)
    fits = unit_rows(linear_fits(cloud, (1e-1, 1e-2, 1e-3, 1e-4, 1e-6)))
    return _best_of(cloud, np.vstack([fits, directions(cloud.thinned(rng), rng)]))


def rough_half_space(cloud: Cloud, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return the half-space with the fewest errors along some directions of the data."""
    cloud = cloud.thinned(rng)
    return _best_of(cloud, directions(cloud, rng, 4))


def _best_of(cloud: Cloud, U: FloatArray) -> HalfSpaces:
    _, u, t = best_half_space(cloud, U, cloud.gain)
    return HalfSpaces(u[None], np.array([t]))
