"""What may be fitted to a binary problem: shapes of networks, each with the start that suits it.

Starts are minima of smooth stand-ins for threshold networks. A union of half-spaces becomes a sum
of exponentials, a vote of half-spaces a sum of hyperbolic tangents, their parity a product.
All are fitted by maximum likelihood with a small L2 penalty, by L-BFGS with exact gradients, from a
few random beginnings; what counts afterwards, the number of errors, is left to the (1+1) NA.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np
from scipy.special import expit

from hyperna._validation import FloatArray
from hyperna.classifier.points import LabelledPoints
from hyperna.classifier.spaces import (
    MOST_FEATURES_SOLVED,
    MOST_FITTED,
    HalfSpaces,
    best_of,
    cut,
    rough_half_space,
    sharp_half_space,
)
from hyperna.outputs import OUTPUTS

# Larger sets are thinned: enough points for a few hundred parameters, and quick.
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
# Steps of logistic regression by Newton's method, and by L-BFGS where there are many features.
_NEWTON_STEPS, _QUASI_NEWTON_STEPS = 25, 100
# Steps that L-BFGS remembers; how far the loss must fall; and when the search on a line ends.
_MEMORY, _SLIGHT, _SHORTEST = 10, 1e-4, 1e-10

Loss = Callable[..., tuple[float, FloatArray]]


def least(
    loss: Loss,
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


def logistic_half_space(
    points: LabelledPoints, neurons: int, rng: np.random.Generator
) -> HalfSpaces:
    """Return the half-space of logistic regression, or a good one where its weights vanish."""
    points = points.thinned(rng, MOST_FITTED)
    w, constant = logistic_fit(points)
    if not w.any():
        return best_of(points, np.eye(1, len(w)))
    return HalfSpaces(w[None], np.array([-constant]))


def logistic_fit(points: LabelledPoints) -> tuple[FloatArray, float]:
    """Return weights and constant of logistic regression, as scikit-learn's default fits it.

    The L2 penalty is that of features with deviation 1; the constant is free.
    """
    A = np.column_stack([points.Z / points.unit, np.ones(len(points.y))])
    weight, penalty = points.share * points.rows, np.ones(A.shape[1])
    penalty[-1] = 1e-9
    data, v = (A, points.y, weight, penalty), np.zeros(A.shape[1])
    if len(v) > MOST_FEATURES_SOLVED:
        v = least(logistic_loss, v, data, _QUASI_NEWTON_STEPS, 1e-9)[1]
        return v[:-1] / points.unit, float(v[-1])
    loss, gradient = logistic_loss(v, *data)
    for _ in range(_NEWTON_STEPS):
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
    return v[:-1] / points.unit, float(v[-1])


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
    its sign to the OR of the neurons a_i >= 0.

    Parameters
    ----------
    v : ndarray of shape (N * (D + 1),)
        Weights and, last, the constant of each neuron.
    points : ndarray of shape (D + 1, n)
        Points, one per column, with a last row of ones.
    y, weight : ndarray of shape (n,)
        Labels 0.0 and 1.0, and weights that sum to one.
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

    Neuron i says tanh(steepness * v_i·x); the logit is the sum of u_i times that, plus a constant.

    Parameters
    ----------
    v : ndarray of shape (N * (D + 1) + N + 1,)
        Weights and constants of the neurons as in `union_loss`, then the votes u and a constant.
    points, y, weight
        As in `union_loss`.
    steepness : float
        The larger, the more a neuron resembles a threshold.
    """
    neurons = (len(v) - 1) // (len(points) + 1)
    V, u = v[: -neurons - 1].reshape(neurons, -1), v[-neurons - 1 :]
    says = V @ points
    says *= steepness
    np.tanh(says, out=says)
    sign = 2 * y - 1
    agreement = sign * (u[:-1] @ says + u[-1])
    loss = float(weight @ np.logaddexp(0.0, -agreement))
    push = -weight * sign * expit(-agreement)
    penalty, pull = _penalty(V)
    loss += penalty + 0.5 * VOTE_PENALTY * float(u[:-1] @ u[:-1])
    outer = np.append(says @ push + VOTE_PENALTY * u[:-1], push.sum())
    says *= says
    hidden = np.multiply(1 - says, push, out=says) @ points.T
    hidden *= (steepness * u[:-1])[:, None]
    return loss, np.concatenate([(hidden + pull).ravel(), outer])


def parity_loss(v: FloatArray, points: FloatArray, y: FloatArray, weight: FloatArray) -> Any:
    """Return the loss of a soft parity, and its gradient.

    Neuron i fires with the odds exp(v_i·x), independently of the others. Then the chances of an odd
    and of an even number of them differ by minus the product of -tanh(v_i·x / 2).

    Parameters
    ----------
    v, points, y, weight
        As in `union_loss`.
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


def fitted(
    loss: Loss, points: LabelledPoints, neurons: int, rng: np.random.Generator
) -> tuple[LabelledPoints, FloatArray, FloatArray]:
    """Return where a loss is least, after the points it was fitted to, also as columns.

    The points are thinned, and one unit wide as columns. The minimum is followed from the best of
    some random beginnings, which give such points values about as large, in any dimension.
    """
    most = MOST_NUMBERS // points.Z.shape[1]
    points = points.thinned(rng, min(max(most, FEWEST_POINTS), MOST_POINTS))
    columns = np.vstack([points.Z.T / points.unit, np.ones(len(points.y))])
    data: tuple[Any, ...] = columns, points.y.astype(float), points.share
    effort = min(max(SMALL_SET // len(points.y), 1), MOST_EFFORT)
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


def union(points: LabelledPoints, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return half-spaces whose union holds the positive points, those that help."""
    points, columns, v = fitted(union_loss, points, neurons, rng)
    V = v.reshape(neurons, -1)
    # The soft union lies beyond the hard one: what is right on average must be found again.
    _, threshold = cut((V @ columns).max(axis=0)[:, None], points.gain)
    return HalfSpaces(V[:, :-1] / points.unit, threshold - V[:, -1]).pruned(points)


def intersection(points: LabelledPoints, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return half-spaces whose intersection holds the positive points.

    By De Morgan that is the union of the negative points' half-spaces, turned round.
    """
    outside = union(replace(points, y=~points.y), neurons, rng)
    return HalfSpaces(-outside.W, -outside.t)


def parity(points: LabelledPoints, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return half-spaces an odd number of which holds the positive points, those that help."""
    points, _, v = fitted(parity_loss, points, neurons, rng)
    V = v.reshape(neurons, -1)
    return HalfSpaces(V[:, :-1] / points.unit, -V[:, -1]).pruned_for_parity(points)


def vote(points: LabelledPoints, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return half-spaces and their weights in a vote, those that help."""
    points, _, v = fitted(vote_loss, points, neurons, rng)
    V, u = v[: -neurons - 1].reshape(neurons, -1), v[-neurons - 1 :]
    # A vote of -1 or 1 is a vote of 0 or 2, less one.
    quorum = float(u[:-1].sum() - u[-1])
    return HalfSpaces(V[:, :-1] / points.unit, -V[:, -1], 2 * u[:-1], quorum).pruned(points)


Construction = Callable[[LabelledPoints, int, np.random.Generator], HalfSpaces]

# Neurons at most where their number is left open.
AUTO_NEURONS = 8
# Larger networks begin with copies: more half-spaces take long to fit, and tell nothing new.
MOST_CONSTRUCTED = 32
CONSTRUCTIONS: dict[str, Construction] = {
    "or": union,
    "and": intersection,
    "xor": parity,
    "evolved": vote,
}
# Number of half-spaces tried before larger networks.
FEW = {"xor": 3, "evolved": 4}


@dataclass(frozen=True)
class Candidate:
    """A shape of network and how to begin with it.

    Attributes
    ----------
    output : str
        How the hidden bits are joined.
    neurons : int
        Number of hidden neurons.
    construction : callable or None
        Makes half-spaces from data; None leaves the start to chance.
    constructed : int
        Number of half-spaces wanted.
    exact : bool
        Whether there must be as many neurons, copies perhaps, or may be fewer.
    larger : bool
        Whether this is the candidate before it with more half-spaces, or with copies of them.
    """

    output: str
    neurons: int
    construction: Construction | None
    constructed: int
    exact: bool
    larger: bool = False

    @property
    def again(self) -> "Candidate":
        """The same shape for further starts, which are to differ from the first."""
        if self.construction is sharp_half_space:
            return replace(self, construction=rough_half_space)
        return self


def candidates(neurons: int | str, output: str, init: str) -> list[Candidate]:
    """Return what the parameters of the classifier leave open, the simplest first."""
    exact = neurons != "auto"
    most = int(neurons) if exact else AUTO_NEURONS
    outputs = tuple(OUTPUTS) if output == "auto" else (output,)
    if init != "data":
        # Evolution needs long looks, so there are few: a vote can be an OR or an AND, too.
        if exact:
            return [Candidate(kind, most, None, most, True) for kind in outputs]
        sizes = [("xor", 2), ("evolved", 4)] if output == "auto" else [(output, 3), (output, most)]
        larger = [Candidate(kind, size, None, size, True) for kind, size in sizes]
        return [Candidate(outputs[0], 1, None, 1, True), *larger]
    if most == 1:
        return [Candidate(outputs[0], 1, sharp_half_space, 1, True)]
    result = [Candidate(outputs[0], most, logistic_half_space, 1, exact)]
    many = min(most, MOST_CONSTRUCTED)
    for kind in outputs:
        construction, few = CONSTRUCTIONS[kind], min(FEW.get(kind, many), many)
        small = Candidate(kind, most, construction, few, exact)
        # more half-spaces, or else copies of them that may go ways of their own
        large = replace(small, constructed=many, exact=exact or few == many, larger=True)
        result += [small] if exact and few == many else [small, large]
    return result
