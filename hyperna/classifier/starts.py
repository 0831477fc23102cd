"""Half-spaces made from the data, with which a search for the fewest errors begins.

One half-space is that of logistic regression, or the best one along linear fits and directions of
the points. Several are minima of smooth stand-ins for threshold networks: a union of half-spaces
becomes a sum of exponentials, a vote a sum of hyperbolic tangents, their parity a product, fitted
by maximum likelihood with a small L2 penalty, by L-BFGS from a few random beginnings.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import expit

from hyperna._validation import FloatArray
from hyperna.classifier.points import LabelledPoints
from hyperna.classifier.spaces import HalfSpaces, cut

# Larger sets are thinned: for a linear fit, and for a few hundred parameters.
MOST_FITTED = 20_000
FEWEST_POINTS, MOST_POINTS, MOST_NUMBERS = 200, 2000, 10**6
# Penalties of the hidden weights and of the votes; thresholds are all but free.
PENALTY, VOTE_PENALTY, FREE = 1e-3, 1e-3, 1e-6
# Random beginnings, of which the one with the least loss after some steps is followed until a step
# gains less than `ENOUGH`.
BEGINNINGS, BRIEF_STEPS, STEPS, STEEP_STEPS, ENOUGH = 2, 10, 50, 20, 1e-4
# Sets smaller than this are worth more effort, up to this many times as much of everything.
SMALL_SET, MOST_EFFORT = 150, 4
# No point costs more than one that is so unlikely.
LEAST_CHANCE = 1e-9
# Factor by which hyperbolic tangents are made steeper, to resemble thresholds.
STEEPNESS = 4.0
# With more features than this Newton's method takes too long.
MOST_FEATURES_SOLVED = 500
# Steps of linear fits and logistic regression by Newton's method, and by L-BFGS beyond that.
_HINGE_STEPS, _NEWTON_STEPS, _QUASI_NEWTON_STEPS = 20, 25, 100
# Steps that L-BFGS remembers; how far the loss must fall; and when the search on a line ends.
_MEMORY, _SLIGHT, _SHORTEST = 10, 1e-4, 1e-10
# Directions of each kind, and exact steps from the best of them, as far as they are quick.
_DIRECTIONS, _AXES, _MOST_FEATURES_SQUARED = 6, 4, 200
_DESCENTS, _MOST_DESCENT_WORK = 300, 10**7

Loss = Callable[..., tuple[float, FloatArray]]


def least(
    loss: Loss, v: FloatArray, data: tuple[Any, ...], steps: int, enough: float = 1e-5
) -> tuple[float, FloatArray]:
    """Return the least value of a loss found by L-BFGS, and where it is (Nocedal 1980).

    The loss takes v and the data, and returns value and gradient. A step that gains less than the
    part `enough` of the loss, or of 1 if that is more, is the last. Written out because the vectors
    here are short: scipy's bookkeeping takes longer than the losses. For the same reason products
    are by `dot`, which is quicker than @.
    """
    value, slope = loss(v, *data)
    # how far v moved, how its gradient turned, and their product
    history: deque[tuple[FloatArray, FloatArray, float]] = deque(maxlen=_MEMORY)
    for _ in range(steps):
        way, parts = -slope, []
        for move, turn, product in reversed(history):
            parts.append(move.dot(way) / product)
            way -= parts[-1] * turn
        if history:
            way *= history[-1][2] / history[-1][1].dot(history[-1][1])
        for move, turn, product in history:
            way += (parts.pop() - turn.dot(way) / product) * move
        fall = float(slope.dot(way))
        length = 1.0 if history else min(1.0, 1.0 / (float(np.sqrt(slope.dot(slope))) or 1.0))
        new, new_slope = loss(v + length * way, *data)
        while new > value + _SLIGHT * length * fall and length > _SHORTEST:
            curve = new - value - length * fall
            length *= min(max(-0.5 * length * fall / curve, 0.1), 0.5)
            new, new_slope = loss(v + length * way, *data)
        if not new <= value:
            break
        move, turn = length * way, new_slope - slope
        product = float(move.dot(turn))
        if product > 1e-10 * turn.dot(turn):
            history.append((move, turn, product))
        gain, v, value, slope = value - new, v + move, new, new_slope
        if gain <= enough * max(abs(value), 1.0):
            break
    return value, v


def logistic_half_space(points: LabelledPoints, rng: Generator, *_shape: Any) -> HalfSpaces:
    """Return the half-space of logistic regression, as scikit-learn's default fits it.

    The L2 penalty is that of features with deviation 1; the constant is free. Where the weights
    vanish, it is the best half-space along the first feature.
    """
    points = points.thinned(rng, MOST_FITTED)
    A = np.column_stack([points.Z / points.unit, np.ones(len(points.y))])
    weight, penalty = points.share * points.rows, np.ones(A.shape[1])
    penalty[-1] = 1e-9
    data, v = (A, points.y, weight, penalty), np.zeros(A.shape[1])
    if len(v) > MOST_FEATURES_SOLVED:
        v = least(logistic_loss, v, data, _QUASI_NEWTON_STEPS, 1e-9)[1]
    loss, gradient = logistic_loss(v, *data)
    for _ in range(_NEWTON_STEPS if len(v) <= MOST_FEATURES_SOLVED else 0):
        chance = expit(A @ v)
        curvature = weight * chance * (1 - chance)
        step = np.linalg.solve((A * curvature[:, None]).T @ A + np.diag(penalty), gradient)
        length = 1.0
        new_loss, new_gradient = logistic_loss(v - step, *data)
        while new_loss > loss and length > 1e-3:
            length /= 2
            new_loss, new_gradient = logistic_loss(v - length * step, *data)
        if new_loss >= loss:
            break
        v, gain, loss, gradient = v - length * step, loss - new_loss, new_loss, new_gradient
        if gain < 1e-8 * loss:
            break
    if not v[:-1].any():
        return best_of(points, np.eye(1, len(v) - 1))
    return HalfSpaces(v[None, :-1] / points.unit, -v[-1:])


def logistic_loss(
    v: FloatArray, A: FloatArray, y: Any, weight: FloatArray, penalty: FloatArray
) -> Any:
    """Return the logistic loss with an L2 penalty, and its gradient."""
    logit = A @ v
    loss = weight @ (np.logaddexp(0.0, logit) - y * logit) + 0.5 * penalty @ v**2
    return float(loss), (weight * (expit(logit) - y)) @ A + penalty * v


def union_loss(v: FloatArray, points: FloatArray, y: FloatArray, weight: FloatArray) -> Any:
    """Return the loss of a soft union of half-spaces, and its gradient.

    With a_i = v_i·x the logit of class 1 is the logarithm of the sum of exp(a_i), as in a softmax
    in which every half-space is a class of its own. For long v it tends to the largest a_i, and
    its sign to the OR of the neurons a_i >= 0. Here and below, v_i holds the weights and, last, the
    constant of a neuron, points are columns with a last row of ones, and weights sum to one.
    """
    V = v.reshape(-1, len(points))
    a = V @ points
    top = a.max(axis=0)
    power = np.exp(a - top)
    total = power.sum(axis=0)
    logit = top + np.log(total)
    loss = float(weight @ (np.logaddexp(0.0, logit) - y * logit))
    power *= weight * (expit(logit) - y) / total
    penalty, pull = _penalty(V)
    return loss + penalty, (power @ points.T + pull).ravel()


def vote_loss(
    v: FloatArray, points: FloatArray, y: FloatArray, weight: FloatArray, steepness: float = 1.0
) -> Any:
    """Return the logistic loss of a soft vote, and its gradient.

    Neuron i says tanh(steepness * v_i·x), the steeper the more like a threshold; the logit is the
    sum of u_i times that, plus a constant. Votes u and constant follow the neurons in v.
    """
    neurons = (len(v) - 1) // (len(points) + 1)
    V, u = v[: -neurons - 1].reshape(neurons, -1), v[-neurons - 1 :]
    says = V @ points
    says *= steepness
    np.tanh(says, out=says)
    sign = 1 - 2 * y
    against = sign * (u[:-1] @ says + u[-1])
    loss = float(weight @ np.logaddexp(0.0, against))
    push = weight * sign * expit(against)
    penalty, pull = _penalty(V)
    loss += penalty + 0.5 * VOTE_PENALTY * float(u[:-1] @ u[:-1])
    outer = says @ push + VOTE_PENALTY * u[:-1]
    says *= says
    hidden = np.multiply(1 - says, push, out=says) @ points.T
    hidden *= (steepness * u[:-1])[:, None]
    return loss, np.concatenate([(hidden + pull).ravel(), outer, push.sum(keepdims=True)])


def parity_loss(v: FloatArray, points: FloatArray, y: FloatArray, weight: FloatArray) -> Any:
    """Return the loss of a soft parity, and its gradient.

    Neuron i fires with the odds exp(v_i·x), independently of the others. Then the chances of an odd
    and of an even number of them differ by minus the product of -tanh(v_i·x / 2).
    """
    V = v.reshape(-1, len(points))
    says = np.tanh(-0.5 * (V @ points))
    before, after = np.ones_like(says), np.ones_like(says)
    np.cumprod(says[:-1], axis=0, out=before[1:])
    np.cumprod(says[:0:-1], axis=0, out=after[-2::-1])
    others = before * after
    sign = 2 * y - 1
    chance = np.maximum(0.5 * (1.0 - sign * says[0] * others[0]), LEAST_CHANCE)
    penalty, pull = _penalty(V)
    loss = penalty - float(weight @ np.log(chance))
    hidden = (-0.25 * weight * sign / chance) * others * (1 - says * says)
    return loss, (hidden @ points.T + pull).ravel()


def _penalty(V: FloatArray) -> tuple[float, FloatArray]:
    """Return the penalty of the weights, and its gradient; constants are all but free."""
    pull = PENALTY * V
    pull[:, -1] = FREE * V[:, -1]
    return 0.5 * float((pull * V).sum()), pull


SOFT_LOSSES: dict[str, Loss] = {"or": union_loss, "xor": parity_loss, "evolved": vote_loss}


def soft_fit(
    loss: Loss, points: LabelledPoints, neurons: int, rng: Generator
) -> tuple[LabelledPoints, FloatArray, FloatArray]:
    """Return where a loss is least, after the points it was fitted to, also as columns.

    The points are thinned, and one unit wide as columns. The minimum is followed from the best of
    some random beginnings, in which such points have values about as large.
    """
    most = MOST_NUMBERS // points.Z.shape[1]
    points = points.thinned(rng, min(max(most, FEWEST_POINTS), MOST_POINTS))
    columns = np.vstack([points.Z.T / points.unit, np.ones(len(points.y))])
    data: tuple[Any, ...] = columns, points.y.astype(float), points.share
    rows = max(len(points.y), int(points.rows))
    effort = min(max(SMALL_SET // rows, 1), MOST_EFFORT)
    width, enough, brief = len(columns), ENOUGH / effort**2, []
    for _ in range(max(BEGINNINGS, effort)):
        u = rng.normal(size=neurons) / np.sqrt(neurons) if loss is vote_loss else None
        V = rng.normal(size=(neurons, width)) * np.sqrt(3 / width)
        if loss is union_loss:
            V[:, -1] = -1.0
        begin = V.ravel() if u is None else np.concatenate([V.ravel(), u, [0.0]])
        brief.append(least(loss, begin, data, BRIEF_STEPS * effort, enough))
    best = least(loss, min(brief, key=itemgetter(0))[1], data, STEPS * effort, enough)
    if loss is vote_loss:
        best = least(loss, best[1], (*data, STEEPNESS), STEEP_STEPS * effort, enough)
    return points, columns, best[1]


def soft_half_spaces(
    points: LabelledPoints, rng: Generator, output: str, neurons: int
) -> HalfSpaces:
    """Return half-spaces that are joined by an output to hold the positive points, those that help.

    An intersection is, by De Morgan, the union of the negative points' half-spaces, turned round.
    """
    if output == "and":
        outside = soft_half_spaces(replace(points, y=~points.y), rng, "or", neurons)
        return HalfSpaces(-outside.W, -outside.t, output)
    points, columns, v = soft_fit(SOFT_LOSSES[output], points, neurons, rng)
    V, u = v[: neurons * len(columns)].reshape(neurons, -1), v[neurons * len(columns) :]
    W, t = V[:, :-1] / points.unit, -V[:, -1]
    if output == "xor":
        return HalfSpaces(W, t, output).pruned(points)
    if output == "or":
        # The soft union lies beyond the hard one: what is right on average must be found again.
        _, threshold = cut((V @ columns).max(axis=0)[:, None], points.gain)
        return HalfSpaces(W, t + threshold, output).pruned(points)
    # A vote of -1 or 1 is a vote of 0 or 2, less one.
    return HalfSpaces(W, t, output, 2 * u[:-1], float(u[:-1].sum() - u[-1])).pruned(points)


def linear_fits(points: LabelledPoints, strengths: tuple[float, ...]) -> FloatArray:
    """Return normals of half-spaces that minimise the squared hinge loss with an L2 penalty.

    Each strength of the penalty gives one row, by Newton's method with steps that are shortened
    where that is needed (Keerthi and DeCoste 2005). For very many features the penalised least
    squares fit stands in.
    """
    if points.Z.shape[1] > MOST_FEATURES_SOLVED:
        return np.repeat(least_squares(points), len(strengths), axis=0)
    sign, weight = np.where(points.y, 1.0, -1.0), points.share
    A = np.column_stack([points.Z / points.unit, np.ones(len(sign))]) * sign[:, None]

    def state(v: FloatArray, penalty: FloatArray) -> tuple[float, FloatArray]:
        slack = np.maximum(0.0, 1.0 - A @ v)
        return float(weight @ slack**2 + penalty @ v**2), slack

    v, rows = np.zeros(A.shape[1]), []
    for strength in strengths:
        # The constant term is all but free.
        penalty = np.append(np.full(len(v) - 1, strength), 1e-9)
        loss, slack = state(v, penalty)
        for _ in range(_HINGE_STEPS):
            active = slack > 0
            B = A[active] * weight[active, None]
            gradient = penalty * v - slack[active] @ B
            step = np.linalg.solve(B.T @ A[active] + np.diag(penalty), gradient)
            length = 1.0
            new_loss, new_slack = state(v - step, penalty)
            while new_loss > loss and length > 1e-3:
                length /= 2
                new_loss, new_slack = state(v - length * step, penalty)
            if new_loss >= loss * (1 - 1e-6):
                break
            v, loss, slack = v - length * step, new_loss, new_slack
        rows.append(v[:-1] if v[:-1].any() else np.eye(1, len(v) - 1)[0])
    return np.array(rows)


def least_squares(points: LabelledPoints) -> FloatArray:
    """Return the normal, as a row, of the linear function nearest to the labels -1 and 1."""
    root = np.sqrt(points.share)
    B = (points.Z - points.share @ points.Z) * root[:, None]
    penalty = 1e-3 * float((B**2).sum()) / B.shape[1] + 1e-12
    target = np.where(points.y, root, -root)
    if B.shape[1] > len(B):
        # With more features than points the same solution comes cheaper from the points.
        w = B.T @ np.linalg.solve(B @ B.T + penalty * np.eye(len(B)), target)
    else:
        w = np.linalg.solve(B.T @ B + penalty * np.eye(B.shape[1]), B.T @ target)
    return np.asarray(w)[None]


def directions(points: LabelledPoints, rng: Generator, count: int = _DIRECTIONS) -> FloatArray:
    """Return vectors along which positive points may be told from negative ones.

    They lead to positive points (chosen at random, with their weights): from the centre, from the
    mean of the negative points, from a random negative point, and from the nearest negative points
    to the nearest positive ones. Axes follow along which the classes are spread most differently,
    both ways: eigenvectors of the difference of the classes' second moments, which show what a
    linear fit cannot see, opposite corners, rings, slabs.
    """
    Z, positive, negative = points.Z, np.flatnonzero(points.y), np.flatnonzero(~points.y)
    weight, square, local = points.share, (Z**2).sum(axis=1), []
    p = rng.choice(positive, count, p=weight[positive] / weight[positive].sum())
    q = rng.choice(negative, count, p=weight[negative] / weight[negative].sum())
    mean = weight[negative] @ Z[negative] / weight[negative].sum()
    distance = square[p, None] - 2 * Z[p] @ Z.T + square
    for some in (positive, negative):
        k = max(1, len(some) // 8)
        nearest = np.argpartition(distance[:, some], k - 1, axis=1)[:, :k]
        local.append(Z[some[nearest]].mean(axis=1))
    rows = [Z[p], Z[p] - mean, Z[p] - Z[q], local[0] - local[1]]
    if Z.shape[1] <= _MOST_FEATURES_SQUARED:
        centred = Z - weight @ Z
        value, axes = np.linalg.eigh((centred * points.gain[:, None]).T @ centred)
        chosen = axes[:, np.argsort(-np.abs(value))[:_AXES]].T
        rows += [chosen, -chosen]
    return np.vstack(rows)


def sharp_half_space(points: LabelledPoints, rng: Generator, *_shape: Any) -> HalfSpaces:
    """Return the half-space with the fewest errors along linear fits and directions of the data."""
    points = points.thinned(rng, MOST_FITTED)
    fits = linear_fits(points, (1e-1, 1e-2, 1e-3, 1e-4, 1e-6))
    return descended(points, np.vstack([fits, directions(points.thinned(rng), rng)]), rng)


def rough_half_space(points: LabelledPoints, rng: Generator, *_shape: Any) -> HalfSpaces:
    """Return the half-space with the fewest errors along some directions of the data."""
    points = points.thinned(rng)
    return descended(points, directions(points, rng, 4), rng)


def descended(points: LabelledPoints, U: FloatArray, rng: Generator) -> HalfSpaces:
    """Return a half-space with fewer errors than the best one along the rows of U.

    It is found by exact steps along random lines of half-spaces. On the line v + a d each point
    changes sides at one a, so that sorting these finds the best (random coordinate descent, Li and
    Lin 2007); among equally good ones chance decides.
    """
    length = np.sqrt((U**2).sum(axis=1))
    start, unit = best_of(points, U[length > 0] / length[length > 0, None]), points.unit
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
    return best_of(points, v[None, :-1] / unit) if v[:-1].any() else start


def best_of(points: LabelledPoints, U: FloatArray) -> HalfSpaces:
    """Return the best half-space with one of the normals U."""
    best, threshold = cut(points.Z @ U.T, points.gain)
    k = int(best.argmax())
    return HalfSpaces(U[k][None], threshold[k : k + 1])
