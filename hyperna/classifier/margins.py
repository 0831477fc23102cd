"""How far a point is from the other class, and what that says about its probability."""

import numpy as np

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


def logistic_slope(distance: FloatArray, label: IntArray, weight: IntArray) -> float:
    """Return the slope s for which softmax(s * distance) fits the labels best.

    Labels are softened as by Platt (1999), by as much as two made-up points, which keeps the slope
    finite for separated classes.
    """
    share = weight / weight.sum()
    soft = 1.0 / (weight.sum() + 2.0)
    target = np.full(distance.shape, soft / (distance.shape[1] - 1))
    target[np.arange(len(label)), label] = 1.0 - soft

    def rise(slope: float) -> float:
        """Derivative of the log-likelihood, which decreases in the slope."""
        return float(share @ ((target - softmax(slope * distance)) * distance).sum(axis=1))

    low, high = 1e-3, 1e6
    for _ in range(64):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if rise(middle) > 0 else (low, middle)
    return float(high)
