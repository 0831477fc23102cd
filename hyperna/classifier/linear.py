"""Labelled points for the constructions, and linear functions fitted to them."""

from dataclasses import dataclass

import numpy as np

from hyperna._validation import BoolArray, FloatArray

# Enough to see where the classes lie, and for a linear fit; larger sets are thinned.
MOST_POINTS = 500
MOST_FITTED = 20_000
_MOST_FEATURES_SOLVED = 500


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points in the unit ball, their labels, and weights that sum to one."""

    Z: FloatArray
    y: BoolArray
    weight: FloatArray

    @property
    def gain(self) -> FloatArray:
        """What a point adds to the share of correct ones when the network fires on it."""
        return np.where(self.y, self.weight, -self.weight)

    def with_weight(self, weight: FloatArray) -> "Cloud":
        """Return the same points with other weights, none of them zero."""
        some = weight > 0
        return Cloud(self.Z[some], self.y[some], weight[some] / weight[some].sum())

    def flipped(self) -> "Cloud":
        """Return the same points with the classes exchanged."""
        return Cloud(self.Z, ~self.y, self.weight)

    def thinned(self, rng: np.random.Generator, most: int = MOST_POINTS) -> "Cloud":
        """Return about `most` of the points at most, drawn with their weights, of both classes."""
        if len(self.y) <= most:
            return self
        drawn = rng.choice(len(self.y), most, p=self.weight)
        count = np.bincount(drawn, minlength=len(self.y))
        for label in (False, True):
            if not count[self.y == label].any():
                count[np.flatnonzero(self.y == label)[0]] = 1
        return self.with_weight(count / count.sum())


def linear_fits(cloud: Cloud, strengths: tuple[float, ...], steps: int = 20) -> FloatArray:
    """Return normals of half-spaces that minimise the squared hinge loss with an L2 penalty.

    Each strength of the penalty gives one row, after at most so many steps of Newton's method,
    shortened where that is needed (Keerthi and DeCoste 2005). For very many features the penalised
    least squares fit stands in.
    """
    if cloud.Z.shape[1] > _MOST_FEATURES_SOLVED:
        return np.repeat(least_squares(cloud), len(strengths), axis=0)
    sign = np.where(cloud.y, 1.0, -1.0)
    scale = np.sqrt((cloud.weight @ cloud.Z**2).max()) or 1.0
    A = np.column_stack([cloud.Z / scale, np.ones(len(sign))]) * sign[:, None]
    v, rows = np.zeros(A.shape[1]), []
    for strength in strengths:
        # The constant term is all but free.
        penalty = np.append(np.full(cloud.Z.shape[1], strength), 1e-9)
        v = _squared_hinge(A, cloud.weight, penalty, v, steps)
        rows.append(v[:-1] if v[:-1].any() else np.eye(1, len(v) - 1)[0])
    return np.array(rows)


def _squared_hinge(
    A: FloatArray, weight: FloatArray, penalty: FloatArray, v: FloatArray, steps: int
) -> FloatArray:
    """Minimise sum(weight * max(0, 1 - A v)**2) + sum(penalty * v**2)."""

    def state(v: FloatArray) -> tuple[float, FloatArray]:
        slack = np.maximum(0.0, 1.0 - A @ v)
        return float(weight @ slack**2 + penalty @ v**2), slack

    loss, slack = state(v)
    for _ in range(steps):
        active = slack > 0
        B = A[active] * weight[active, None]
        gradient = penalty * v - slack[active] @ B
        step = np.linalg.solve(B.T @ A[active] + np.diag(penalty), gradient)
        length = 1.0
        new_loss, new_slack = state(v - step)
        while new_loss > loss and length > 1e-3:
            length /= 2
            new_loss, new_slack = state(v - length * step)
        if new_loss >= loss * (1 - 1e-6):
            break
        v, loss, slack = v - length * step, new_loss, new_slack
    return v


def least_squares(cloud: Cloud) -> FloatArray:
    """Return the normal, as a row, of the linear function nearest to the labels -1 and 1."""
    Z = cloud.Z - cloud.weight @ cloud.Z
    root = np.sqrt(cloud.weight)
    B = Z * root[:, None]
    penalty = 1e-3 * float((B**2).sum()) / B.shape[1] + 1e-12
    target = np.where(cloud.y, root, -root)
    if B.shape[1] > len(B):
        # With more features than points the same solution comes cheaper from the points.
        w = B.T @ np.linalg.solve(B @ B.T + penalty * np.eye(len(B)), target)
    else:
        w = np.linalg.solve(B.T @ B + penalty * np.eye(B.shape[1]), B.T @ target)
    return np.asarray(w)[None]


def unit_rows(U: FloatArray) -> FloatArray:
    """Return the rows of U divided by their lengths, without those of length zero."""
    length = np.sqrt((U**2).sum(axis=1))
    return U[length > 0] / length[length > 0, None]
