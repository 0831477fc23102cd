"""How far a point is from the other class, and what that says about its probability."""

import math
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.networks import Network

# No two points of the unit ball are farther apart; the distance of a network that never changes.
FARTHEST = 2.0


def signed_distance(network: Network, Z: FloatArray) -> FloatArray:
    """Return how far the hyperplanes must move for the output at each point to change.

    It is positive iff the network fires. For an OR it is the largest w·x - b of the neurons, for
    an AND the smallest, for an XOR the one nearest to 0 with the sign of the output. For an evolved
    output hidden bits are changed, the nearest hyperplanes first, as far as that works against the
    output, until the output changes; OR and AND are special cases of this.

    Examples
    --------
    >>> network = Network.from_weights([[1, 0], [0, 1]], [0.5, 0.5], resolution=8)
    >>> signed_distance(network, np.array([[0.75, 0.0], [0.0, 0.25]]))
    array([ 0.25, -0.25])
    """
    margin = network.margin(Z)
    if network.grid.has_output_neuron:
        distance = _evolved_distance(network, margin)
    elif network.grid.output == "xor":
        distance = np.abs(margin).min(axis=1)
    elif network.grid.output == "and":
        distance = np.abs(margin.min(axis=1))
    else:
        distance = np.abs(margin.max(axis=1))
    # A point on a boundary is on one side of it nevertheless, if by the least positive number.
    distance = np.maximum(distance, np.nextafter(0.0, 1.0))
    return np.where(network.predict(Z), distance, -distance)


def _evolved_distance(network: Network, margin: FloatArray) -> FloatArray:
    vote, quorum = network.output_weights() or (np.zeros(0), 0.0)
    bits = margin >= 0.0
    output = _reached(bits, vote, quorum)
    # What each neuron says when it works against the output.
    against = np.where(output[:, None], vote < 0.0, vote >= 0.0)
    size = np.abs(margin)
    order = np.argsort(size, axis=1, kind="stable")
    distance = np.full(len(margin), FARTHEST)
    row, open_rows = np.arange(len(margin)), np.ones(len(margin), bool)
    for i in order.T:
        bits[row, i] = against[row, i]
        changed = open_rows & (_reached(bits, vote, quorum) != output)
        distance[changed] = size[row, i][changed]
        open_rows &= ~changed
    return distance


def _reached(bits: BoolArray, vote: FloatArray, quorum: float) -> BoolArray:
    """Whether the votes of the set bits reach the quorum, added in the order of the kernels."""
    total = np.zeros(len(bits))
    for bit, strength in zip(bits.T, vote, strict=True):
        total += np.where(bit, strength, 0.0)
    reached: BoolArray = total >= quorum
    return reached


def margin_sum(network: Network, Z: FloatArray, gain: FloatArray, clip: float) -> float:
    """Return the sum of clipped distances, counted negative for points of the wrong class."""
    if clip == 0.0:
        return 0.0
    return float(gain @ np.clip(signed_distance(network, Z), -clip, clip))


def softmax(values: FloatArray) -> FloatArray:
    """Return the rows of values as probabilities proportional to exp(value)."""
    power = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(power / power.sum(axis=1, keepdims=True))


def probabilities(distance: FloatArray, slope: float, lapse: float) -> FloatArray:
    """Return the chance of each class: a softmax of the distances, never below `lapse`.

    Examples
    --------
    >>> probabilities(np.array([[-1.0, 1.0], [-50.0, 50.0]]), slope=1.0, lapse=0.1)
    array([[0.19536234, 0.80463766],
           [0.1       , 0.9       ]])
    """
    chance: FloatArray = lapse + (1.0 - distance.shape[1] * lapse) * softmax(slope * distance)
    return chance


def fitted_chances(distance: FloatArray, label: IntArray, share: FloatArray, rows: float) -> Any:
    """Return slope and lapse for which `probabilities` fit the labels best.

    Labels are softened as by Platt (1999), by as much as two made-up rows, which keeps the slope
    finite for separated classes, and the lapse is drawn towards 0 by as much as one row.

    Parameters
    ----------
    distance : ndarray of shape (n, K)
        Signed distances, one column for each class.
    label : ndarray of shape (n,)
        Class of each point.
    share : ndarray of shape (n,)
        Weights that sum to one.
    rows : float
        How many rows the points stand for.
    """
    classes = distance.shape[1]
    soft = 1.0 / (rows + 2.0)
    target = np.full(distance.shape, soft / (classes - 1))
    target[np.arange(len(label)), label] = 1.0 - soft
    unit = float(np.abs(distance).max()) or 1.0

    def loss(v: FloatArray) -> tuple[float, FloatArray]:
        slope, part = math.exp(v[0]) / unit, float(expit(v[1]))
        plain = softmax(slope * distance)
        chance = part / classes + (1 - part) * plain
        odds = target / chance
        value = -share @ (target * np.log(chance)).sum(axis=1) - math.log(1 - part) / rows
        # derivatives of the softmax along its logits
        mean = (plain * odds).sum(axis=1, keepdims=True)
        by_slope = -(1 - part) * share @ (plain * (odds - mean) * distance).sum(axis=1)
        by_part = -share @ (odds * (1 / classes - plain)).sum(axis=1) + 1 / ((1 - part) * rows)
        return float(value), np.array([by_slope * slope, by_part * part * (1 - part)])

    begins = [(math.log(s), lapse) for s in (3.0, 30.0) for lapse in (-5.0, -1.5)]
    bounds = [(-7.0, 14.0), (-12.0, 6.0)]
    runs = [minimize(loss, v, jac=True, method="L-BFGS-B", bounds=bounds) for v in begins]
    best = min(runs, key=lambda run: float(run.fun)).x
    return math.exp(best[0]) / unit, float(expit(best[1])) / classes
