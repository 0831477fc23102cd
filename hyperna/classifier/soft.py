"""Smooth stand-ins for threshold networks, whose minima are good first networks.

A union of half-spaces becomes a sum of exponentials, a vote of half-spaces a sum of hyperbolic
tangents. Both are fitted by maximum likelihood with a small L2 penalty, by L-BFGS with exact
gradients, from a few random beginnings; what counts afterwards, the number of errors, is left to
the (1+1) NA.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from hyperna._validation import FloatArray
from hyperna.classifier.linear import Cloud
from hyperna.classifier.spaces import HalfSpaces, cut

# Larger sets are thinned: enough points for a few hundred parameters, and quick.
MOST_POINTS = 2000
# Penalties of the hidden weights and of the votes; thresholds are all but free.
PENALTY, VOTE_PENALTY, FREE = 1e-3, 1e-3, 1e-6
# Random beginnings, of which the one with the least loss is kept; small sets are worth more.
FEWEST_BEGINNINGS, MOST_BEGINNINGS, BEGUN_POINTS = 2, 6, 400
STEPS, STEEP_STEPS = 100, 40
# Hyperbolic tangents are made so many times steeper, to resemble thresholds.
STEEPNESS = 4.0

Loss = Callable[..., tuple[float, FloatArray]]


def union_loss(v: FloatArray, A: FloatArray, y: FloatArray, weight: FloatArray) -> Any:
    """Return the loss of a soft union of half-spaces, and its gradient.

    With a_i = v_i·x the logit of class 1 is the logarithm of the sum of exp(a_i), as in a softmax
    in which every half-space is a class of its own. For long v it tends to the largest a_i, and
    its sign to the OR of the neurons a_i >= 0.

    Parameters
    ----------
    v : ndarray of shape (N * (D + 1),)
        Weights and, last, the constant of each neuron.
    A : ndarray of shape (n, D + 1)
        Points, with a last column of ones.
    y, weight : ndarray of shape (n,)
        Labels 0.0 and 1.0, and weights that sum to one.
    """
    V = v.reshape(-1, A.shape[1])
    a = A @ V.T
    top = a.max(axis=1, keepdims=True)
    power = np.exp(a - top)
    total = power.sum(axis=1)
    logit = top[:, 0] + np.log(total)
    penalty = _penalty(V)
    loss = float(weight @ (np.logaddexp(0.0, logit) - y * logit))
    push = weight * (expit(logit) - y) / total
    gradient = (push[:, None] * power).T @ A + penalty * V
    return loss + 0.5 * float((penalty * V**2).sum()), gradient.ravel()


def vote_loss(
    v: FloatArray, A: FloatArray, y: FloatArray, weight: FloatArray, steepness: float = 1.0
) -> Any:
    """Return the logistic loss of a soft vote, and its gradient.

    Neuron i says tanh(steepness * v_i·x); the logit is the sum of u_i times that, plus a constant.

    Parameters
    ----------
    v : ndarray of shape (N * (D + 1) + N + 1,)
        Weights and constants of the neurons as in `union_loss`, then the votes u and a constant.
    A, y, weight
        As in `union_loss`.
    steepness : float
        The larger, the more a neuron resembles a threshold.
    """
    V, u = _split(v, A.shape[1])
    h = np.tanh(steepness * (A @ V.T))
    sign = 2 * y - 1
    agreement = sign * (h @ u[:-1] + u[-1])
    penalty, vote_penalty = _penalty(V), np.append(np.full(len(V), VOTE_PENALTY), FREE)
    loss = float(weight @ np.logaddexp(0.0, -agreement))
    loss += 0.5 * float((penalty * V**2).sum()) + 0.5 * float(vote_penalty @ u**2)
    push = -weight * sign * expit(-agreement)
    hidden = push[:, None] * (1 - h**2) * (steepness * u[:-1])
    outer = np.append(push @ h, push.sum()) + vote_penalty * u
    return loss, np.concatenate([(hidden.T @ A + penalty * V).ravel(), outer])


def _penalty(V: FloatArray) -> FloatArray:
    return np.where(np.arange(V.shape[1]) < V.shape[1] - 1, PENALTY, FREE)


def _split(v: FloatArray, width: int) -> tuple[FloatArray, FloatArray]:
    neurons = (len(v) - 1) // (width + 1)
    return v[: neurons * width].reshape(neurons, width), v[neurons * width :]


def _least(loss: Loss, begin: FloatArray, arguments: Any, steps: int) -> tuple[float, FloatArray]:
    result = minimize(
        loss, begin, arguments, "L-BFGS-B", jac=True, options={"maxiter": steps, "maxcor": 20}
    )
    return float(result.fun), result.x


def _data(cloud: Cloud) -> tuple[tuple[FloatArray, FloatArray, FloatArray], float]:
    """Return the points as the losses take them, about one unit wide, and that unit."""
    unit = float(np.sqrt((cloud.weight @ cloud.Z**2).max())) or 1.0
    A = np.column_stack([cloud.Z / unit, np.ones(len(cloud.y))])
    return (A, cloud.y.astype(float), cloud.weight), unit


def _beginnings(data: tuple[FloatArray, ...]) -> range:
    count = BEGUN_POINTS // len(data[0])
    return range(min(max(count, FEWEST_BEGINNINGS), MOST_BEGINNINGS))


def _random_rows(rng: np.random.Generator, neurons: int, width: int) -> FloatArray:
    """Return rows that give points about one unit wide values about as large, in any dimension."""
    return rng.normal(size=(neurons, width)) * np.sqrt(3 / width)


def union(cloud: Cloud, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return half-spaces whose union holds the positive points, those that help."""
    cloud = cloud.thinned(rng, MOST_POINTS)
    data, unit = _data(cloud)
    runs = []
    for _ in _beginnings(data):
        V = _random_rows(rng, neurons, data[0].shape[1])
        V[:, -1] = -1.0
        runs.append(_least(union_loss, V.ravel(), data, STEPS))
    V = min(runs, key=lambda run: run[0])[1].reshape(neurons, -1)
    # The soft union lies beyond the hard one: what is right on average must be found anew.
    _, threshold = cut((data[0] @ V.T).max(axis=1, keepdims=True), cloud.gain)
    return HalfSpaces(V[:, :-1] / unit, threshold - V[:, -1]).pruned(cloud)


def intersection(cloud: Cloud, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return half-spaces whose intersection holds the positive points.

    By De Morgan that is the union of the negative points' half-spaces, turned round.
    """
    outside = union(cloud.flipped(), neurons, rng)
    return HalfSpaces(-outside.W, -outside.t)


def vote(cloud: Cloud, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return half-spaces and their weights in a vote, those that help."""
    cloud = cloud.thinned(rng, MOST_POINTS)
    data, unit = _data(cloud)
    width = data[0].shape[1]
    runs = []
    for _ in _beginnings(data):
        V = _random_rows(rng, neurons, width)
        u = np.append(rng.normal(size=neurons) / np.sqrt(neurons), 0.0)
        runs.append(_least(vote_loss, np.append(V, u), data, STEPS))
    soft = min(runs, key=lambda run: run[0])[1]
    V, u = _split(_least(vote_loss, soft, (*data, STEEPNESS), STEEP_STEPS)[1], width)
    # A vote of -1 or 1 is a vote of 0 or 2, less one.
    quorum = float(u[:-1].sum() - u[-1])
    return HalfSpaces(V[:, :-1] / unit, -V[:, -1], 2 * u[:-1], quorum).pruned(cloud)
