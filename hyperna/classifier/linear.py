"""Half-spaces made from the data: linear fits, and cuts along directions of the points."""

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit

from hyperna._validation import FloatArray
from hyperna.classifier.points import LabelledPoints
from hyperna.classifier.spaces import HalfSpaces, cut

# Enough points for a linear fit; larger sets are thinned.
MOST_FITTED = 20_000
# With more features than this the normal equations take too long.
_MOST_FEATURES_SOLVED = 500
_NEWTON_STEPS, _QUASI_NEWTON_STEPS = 25, 100
# Steps that L-BFGS remembers; how far the loss must fall; and when the search on a line ends.
_MEMORY, _SLIGHT, _SHORTEST = 10, 1e-4, 1e-10
_DIRECTIONS = 6
_DESCENTS, _MOST_DESCENT_WORK = 300, 10**7
_AXES = 4
_MOST_FEATURES_SQUARED = 200


def logistic_fit(points: LabelledPoints) -> tuple[FloatArray, float]:
    """Return weights and constant of logistic regression, as scikit-learn's default fits it.

    The L2 penalty is that of features with deviation 1; the constant is free.
    """
    unit = _deviation(points)
    A = np.column_stack([points.Z / unit, np.ones(len(points.y))])
    weight = points.share * points.rows
    penalty = np.append(np.ones(points.Z.shape[1]), 1e-9)
    v = np.zeros(A.shape[1])
    if len(v) > _MOST_FEATURES_SOLVED:
        v = least(_logistic_loss, v, (A, points.y, weight, penalty), _QUASI_NEWTON_STEPS, 1e-9)[1]
    else:
        v = _logistic_by_newton(A, points.y, weight, penalty)
    return v[:-1] / unit, float(v[-1])


def _deviation(points: LabelledPoints) -> float:
    """Return the deviation that all features of the unit ball share, up to constant ones."""
    return float(np.sqrt((points.share @ points.Z**2).max())) or 1.0


def _logistic_loss(v, A, y, weight, penalty):  # type: ignore[no-untyped-def]
    logit = A @ v
    loss = weight @ (np.logaddexp(0.0, logit) - y * logit) + 0.5 * penalty @ v**2
    return float(loss), (weight * (expit(logit) - y)) @ A + penalty * v


def _logistic_by_newton(A, y, weight, penalty):  # type: ignore[no-untyped-def]
    v = np.zeros(A.shape[1])
    loss, gradient = _logistic_loss(v, A, y, weight, penalty)
    for _ in range(_NEWTON_STEPS):
        chance = expit(A @ v)
        curvature = weight * chance * (1 - chance)
        step = np.linalg.solve((A * curvature[:, None]).T @ A + np.diag(penalty), gradient)
        length = 1.0
        new_loss, new_gradient = _logistic_loss(v - step, A, y, weight, penalty)
        while new_loss > loss and length > 1e-3:
            length /= 2
            new_loss, new_gradient = _logistic_loss(v - length * step, A, y, weight, penalty)
        if new_loss >= loss:
            break
        v, gain, loss, gradient = v - length * step, loss - new_loss, new_loss, new_gradient
        if gain < 1e-8 * loss:
            break
    return v


def least(
    loss: Callable[..., tuple[float, FloatArray]],
    v: FloatArray,
    data: tuple[Any, ...],
    steps: int,
    enough: float = 1e-5,
) -> tuple[float, FloatArray]:
    """Return the least value of a loss found by L-BFGS, and where it is (Nocedal 1980).

    Written out because the vectors here are short: scipy's bookkeeping takes longer than the
    losses.

    Parameters
    ----------
    loss : callable
        Takes v and the data, and returns value and gradient.
    v : ndarray
        Where to begin.
    data : tuple
        Further arguments of the loss.
    steps : int
        Steps at most.
    enough : float
        A step that gains less than this part of the loss, or of 1 if that is more, is the last.

    Examples
    --------
    >>> value, v = least(lambda v: (float(v @ v), 2 * v), np.array([3.0, -4.0]), (), 20)
    >>> bool(value < 1e-9)
    True
    """
    value, slope = loss(v, *data)
    # how far v moved, how its gradient turned, and their product
    history: deque[tuple[FloatArray, FloatArray, float]] = deque(maxlen=_MEMORY)
    for _ in range(steps):
        way, parts = -slope, []
        for move, turn, product in reversed(history):
            parts.append((move @ way) / product)
            way -= parts[-1] * turn
        if history:
            way *= history[-1][2] / (history[-1][1] @ history[-1][1])
        for (move, turn, product), part in zip(history, reversed(parts), strict=True):
            way += (part - (turn @ way) / product) * move
        fall = float(slope @ way)
        length = 1.0 if history else min(1.0, 1.0 / (float(np.sqrt(slope @ slope)) or 1.0))
        new, new_slope = loss(v + length * way, *data)
        while new > value + _SLIGHT * length * fall and length > _SHORTEST:
            curve = new - value - length * fall
            length *= min(max(-0.5 * length * fall / curve, 0.1), 0.5)
            new, new_slope = loss(v + length * way, *data)
        if not new <= value:
            break
        move, turn = length * way, new_slope - slope
        if move @ turn > 1e-10 * (turn @ turn):
            history.append((move, turn, float(move @ turn)))
        gain, v, value, slope = value - new, v + move, new, new_slope
        if gain <= enough * max(abs(value), 1.0):
            break
    return value, v


def linear_fits(
    points: LabelledPoints, strengths: tuple[float, ...], steps: int = 20
) -> FloatArray:
    """Return normals of half-spaces that minimise the squared hinge loss with an L2 penalty.

    Each strength of the penalty gives one row, after at most this many steps of Newton's method,
    shortened where that is needed (Keerthi and DeCoste 2005). For very many features the penalised
    least squares fit stands in.
    """
    if points.Z.shape[1] > _MOST_FEATURES_SOLVED:
        return np.repeat(least_squares(points), len(strengths), axis=0)
    sign = np.where(points.y, 1.0, -1.0)
    scale = np.sqrt((points.share @ points.Z**2).max()) or 1.0
    A = np.column_stack([points.Z / scale, np.ones(len(sign))]) * sign[:, None]
    v, rows = np.zeros(A.shape[1]), []
    for strength in strengths:
        # The constant term is all but free.
        penalty = np.append(np.full(points.Z.shape[1], strength), 1e-9)
        v = _squared_hinge(A, points.share, penalty, v, steps)
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


def least_squares(points: LabelledPoints) -> FloatArray:
    """Return the normal, as a row, of the linear function nearest to the labels -1 and 1."""
    Z = points.Z - points.share @ points.Z
    root = np.sqrt(points.share)
    B = Z * root[:, None]
    penalty = 1e-3 * float((B**2).sum()) / B.shape[1] + 1e-12
    target = np.where(points.y, root, -root)
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


def directions(
    points: LabelledPoints, rng: np.random.Generator, count: int = _DIRECTIONS
) -> FloatArray:
    """Return unit vectors along which positive points may be told from negative ones.

    They lead to positive points (chosen at random, with their weights): from the centre, from the
    mean of the negative points, from a random negative point, and from the nearest negative points
    to the nearest positive ones.
    """
    Z, positive, negative = points.Z, np.flatnonzero(points.y), np.flatnonzero(~points.y)
    weight = points.share
    p = rng.choice(positive, count, p=weight[positive] / weight[positive].sum())
    q = rng.choice(negative, count, p=weight[negative] / weight[negative].sum())
    mean = weight[negative] @ Z[negative] / weight[negative].sum()
    local = _local_differences(points, p, positive, negative)
    rows = [Z[p], Z[p] - mean, Z[p] - Z[q], local, _curved(points)]
    return unit_rows(np.vstack(rows))


def _curved(points: LabelledPoints) -> FloatArray:
    """Axes along which the classes are spread most differently, both ways.

    They are eigenvectors of the difference of the classes' second moments, which show what a
    linear fit cannot see: opposite corners, rings, slabs.
    """
    if points.Z.shape[1] > _MOST_FEATURES_SQUARED:
        return np.zeros((0, points.Z.shape[1]))
    Z = points.Z - points.share @ points.Z
    value, axes = np.linalg.eigh((Z * points.gain[:, None]).T @ Z)
    chosen = axes[:, np.argsort(-np.abs(value))[:_AXES]].T
    return np.vstack([chosen, -chosen])


def _local_differences(points: LabelledPoints, p, positive, negative) -> FloatArray:  # type: ignore[no-untyped-def]
    """Mean of the positive points nearest to each of p, minus that of the nearest negative ones."""
    Z = points.Z
    square = (Z**2).sum(axis=1)
    distance = square[p, None] - 2 * Z[p] @ Z.T + square

    def local_mean(some):  # type: ignore[no-untyped-def]
        k = min(len(some), max(1, len(some) // 8))
        nearest = np.argpartition(distance[:, some], k - 1, axis=1)[:, :k]
        return Z[some[nearest]].mean(axis=1)

    return local_mean(positive) - local_mean(negative)


def logistic_half_space(
    points: LabelledPoints, neurons: int, rng: np.random.Generator
) -> HalfSpaces:
    """Return the half-space of logistic regression, or a good one where its weights vanish."""
    points = points.thinned(rng, MOST_FITTED)
    w, constant = logistic_fit(points)
    if not w.any():
        return _best_of(points, np.eye(1, len(w)))
    return HalfSpaces(w[None], np.array([-constant]))


def sharp_half_space(points: LabelledPoints, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return the half-space with the fewest errors along linear fits and directions of the data."""
    points = points.thinned(rng, MOST_FITTED)
    fits = unit_rows(linear_fits(points, (1e-1, 1e-2, 1e-3, 1e-4, 1e-6)))
    best = _best_of(points, np.vstack([fits, directions(points.thinned(rng), rng)]))
    return descended(points, best, rng)


def rough_half_space(points: LabelledPoints, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return the half-space with the fewest errors along some directions of the data."""
    points = points.thinned(rng)
    return descended(points, _best_of(points, directions(points, rng, 4)), rng)


def descended(points: LabelledPoints, start: HalfSpaces, rng: np.random.Generator) -> HalfSpaces:
    """Return a half-space with fewer errors, by exact steps along random lines of half-spaces.

    On the line v + a d each point changes sides at one a, so that sorting these finds the best
    (random coordinate descent, Li and Lin 2007); among equally good ones chance decides.
    """
    unit = _deviation(points)
    A = np.column_stack([points.Z / unit, np.ones(len(points.y))])
    v = np.append(start.W[0] * unit, -start.t[0])
    steps = min(_DESCENTS, _MOST_DESCENT_WORK // A.size)
    for d in rng.normal(size=(steps, len(v))) * np.abs(v).max():
        here, slope = A @ v, A @ d
        moves = np.flatnonzero(slope)
        if not len(moves):
            continue
        turn = -here[moves] / slope[moves]
        order = np.argsort(turn)
        gain = np.where(slope[moves] > 0, points.gain[moves], -points.gain[moves])[order]
        value = np.rint(np.append(0.0, np.cumsum(gain)) * 2.0**40)
        ends = np.concatenate([[turn[order[0]] - 1.0], turn[order], [turn[order[-1]] + 1.0]])
        wide = ends[1:] - ends[:-1] > 1e-12
        if not wide.any():
            continue
        best = np.flatnonzero(wide & (value == value[wide].max()))
        k = int(rng.choice(best))
        v = v + (ends[k] + ends[k + 1]) / 2 * d
        v /= np.abs(v).max()
    if not v[:-1].any():
        return start
    better = HalfSpaces(v[None, :-1] / unit, -v[-1:])
    _, t = cut(points.Z @ better.W.T, points.gain)
    return HalfSpaces(better.W, t)


def _best_of(points: LabelledPoints, U: FloatArray) -> HalfSpaces:
    """Return the best half-space with one of the normals U."""
    best, threshold = cut(points.Z @ U.T, points.gain)
    k = int(best.argmax())
    return HalfSpaces(U[k][None], threshold[k : k + 1])
