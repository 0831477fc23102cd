"""The certified optimum of one half-space on labelled points, for up to three features."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hyperna._kernels import half_space as kernels
from hyperna._validation import BoolArray, FloatArray, check_labels, check_points

# Different points at most, by dimension: the time grows as n, n^2 log n and n^3 log n.
MOST_POINTS = {1: 10**7, 2: 20_000, 3: 1_500}


@dataclass(frozen=True, eq=False)
class OptimalHalfSpace:
    """A half-space w·x >= t with the fewest errors of all.

    Attributes
    ----------
    errors : int
        Number of points on the wrong side; no half-space has fewer.
    w : ndarray of shape (D,)
        Weights.
    t : float
        Threshold.
    """

    errors: int
    w: FloatArray
    t: float

    def predict(self, X: ArrayLike) -> BoolArray:
        """Return which rows lie in the half-space."""
        return np.asarray(check_points("X", X, len(self.w)) @ self.w >= self.t)


def optimal_half_space(X: ArrayLike, y: ArrayLike) -> OptimalHalfSpace:
    """Return a half-space with the fewest errors possible, found by checking all of them.

    Parameters
    ----------
    X : array_like of shape (n, D)
        Points, D from 1 to 3. At D = 2 up to 20,000 different points (n^2 log n steps), at D = 3 up
        to 1,500 (n^3 log n).
    y : array_like of shape (n,)
        Labels, booleans or 0 and 1.

    Notes
    -----
    Directions that differ by less than 1e-12, after each feature is scaled to [-1, 1], count as the
    same. The half-space returned has been checked to have the number of errors that is claimed.

    Examples
    --------
    >>> corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> optimal_half_space(corners, [0, 1, 1, 0]).errors
    1
    >>> optimal_half_space(corners, [0, 1, 1, 1]).errors
    0
    """
    points = check_points("X", X)
    labels = check_labels("y", y, len(points))
    dim = points.shape[1]
    if dim not in MOST_POINTS:
        raise ValueError(
            f"X must have 1, 2 or 3 features, got {dim}; the optimum in more dimensions is out of "
            "reach of enumeration, NAClassifier(max_neurons=1) looks for it by evolution"
        )
    places, place = np.unique(points, axis=0, return_inverse=True)
    if len(places) > MOST_POINTS[dim]:
        raise ValueError(
            f"X must have at most {MOST_POINTS[dim]} different points for {dim} features, "
            f"got {len(places)}"
        )
    sign: FloatArray = np.where(labels, 1.0, -1.0)
    gain = np.bincount(place.ravel(), weights=sign, minlength=len(places)).astype(float)
    middle = places.min(axis=0) / 2 + places.max(axis=0) / 2
    width = np.maximum(places.max(axis=0) / 2 - places.min(axis=0) / 2, np.finfo(float).tiny)
    Z = (places - middle) / width
    inside, normal = _best_places(Z, gain)
    if inside.all() or not inside.any():
        w = np.eye(1, dim)[0]
        t = float(points[:, 0].min() if inside.all() else points[:, 0].max() + 1.0)
        t = t if inside.all() or t > points[:, 0].max() else float(np.inf)
    else:
        w = normal / width
        value = places @ w
        t = float(value[inside].min() / 2 + value[~inside].max() / 2)
    errors = int(labels.sum() - gain[inside].sum())
    made = OptimalHalfSpace(errors, w, t)
    if int((made.predict(points) != labels).sum()) != errors:
        raise ArithmeticError(
            "the best half-space found is too narrow for double precision; round the features"
        )
    return made


def _best_places(Z: FloatArray, gain: FloatArray) -> tuple[BoolArray, FloatArray]:
    """Return which places the best half-space holds, and a normal of it."""
    n, dim = Z.shape
    everything = max(float(gain.sum()), 0.0)
    constant = np.full(n, gain.sum() > 0)
    if n == 1:
        return constant, np.ones(dim)
    if dim == 1:
        inside, normal = _best_end(Z[:, 0], gain), np.ones(1)
        if not inside[Z[:, 0].argmax()]:
            normal = -normal
        return inside, normal
    numbers, indices = np.empty((5, n)), np.empty((2, n), np.int64)
    if dim == 2:
        best, i, angle = kernels.best_in_plane(Z, gain, numbers, indices)
        if best <= everything:
            return constant, np.ones(2)
        normal = np.array([np.cos(angle), np.sin(angle)])
        inside = (Z - Z[i]) @ normal > 0
        inside[i] = gain[i] > 0
        return inside, normal
    axes = np.empty((3, 3))
    best, i, j, angle = kernels.best_in_space(Z, gain, axes, numbers, indices)
    if best <= everything:
        return constant, np.ones(3)
    kernels.frame(Z[i], Z[j], axes)
    u, e, f = axes
    normal = np.cos(angle) * e + np.sin(angle) * f
    apart = Z - Z[i]
    on_line = np.hypot(apart @ e, apart @ f) <= kernels.SAME * np.abs(apart @ u)
    on_line[[i, j]] = True
    inside, side = apart @ normal > 0, apart @ normal
    along = apart[on_line] @ u
    ends = _best_end(along, gain[on_line])
    inside[on_line] = ends
    if ends.any() and not ends.all():
        # Turned a little, the plane parts the points of the line as well.
        turn = 1.0 if ends[along.argmax()] else -1.0
        room = np.abs(side[~on_line]).min(initial=1.0)
        normal = normal + turn * u * 0.4 * room / np.abs(apart @ u).max()
    return inside, normal


def _best_end(along: FloatArray, gain: FloatArray) -> BoolArray:
    """Return which points of a line lie on the better side of the best place to cut it."""
    order = np.argsort(along)
    before = np.append(0.0, np.cumsum(gain[order]))
    after = before[-1] - before
    inside = np.zeros(len(along), bool)
    if before.max() >= after.max():
        inside[order[: int(before.argmax())]] = True
    else:
        inside[order[int(after.argmax()) :]] = True
    return inside
