"""How far points are from the boundaries of networks, and the chances that follow from it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.classifier.candidates import least
from hyperna.networks import Network

# No two points of the unit ball are farther apart; the distance of a network that never changes.
FARTHEST = 2.0


def signed_distance(network: Network, Z: FloatArray) -> FloatArray:
    """Return how far the hyperplanes must move for the output at each point to change.

    For bent neurons it is the surfaces of their cones. The distance is positive iff the network
    fires. For an OR it is the largest w·x - b of the neurons, for an AND the smallest, for an XOR
    the one nearest to 0 with the sign of the output. For an evolved
    output hidden bits are changed, the nearest hyperplanes first, as far as that works against the
    output, until the output changes; OR and AND are special cases of this.

    Examples
    --------
    >>> network = Network.from_weights([[1, 0], [0, 1]], [0.5, 0.5], resolution=8)
    >>> signed_distance(network, np.array([[0.75, 0.0], [0.0, 0.25]]))
    array([ 0.25, -0.25])
    """
    margin = network.margin(Z) if network.grid.neuron == "plain" else from_cones(network, Z)
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


def from_cones(network: Network, Z: FloatArray) -> FloatArray:
    """Return how far each point is from the surface of each cone, >= 0 iff the neuron fires."""
    W, b, _, _ = network.layers
    bend = network.grid.parameters(network.genome)[1]
    dot = np.einsum("nd,kd->nk", Z, W)
    across = np.sqrt(np.maximum((Z * Z).sum(axis=1)[:, None] - dot * dot, 0.0))
    far = cone_distance(dot - b, across, np.cos(bend))
    return np.where(network.hidden(Z), far, -np.maximum(far, np.nextafter(0.0, 1.0)))


def _evolved_distance(network: Network, margin: FloatArray) -> FloatArray:
    _, _, vote, quorum = network.layers
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


def cone_distance(along: FloatArray, across: FloatArray, cosine: Any) -> FloatArray:
    """Return the distance from the surface of a cone.

    `along` and `across` are the coordinates of the points, seen from the apex, along the axis of
    the cone and at right angles to it; `cosine` is that of the angle between axis and surface.

    Examples
    --------
    >>> along, across = np.array([3.0, 0.0, -2.0]), np.array([0.0, 2.0, 0.0])
    >>> cone_distance(along, across, np.sqrt(0.5)).round(3)
    array([2.121, 1.414, 2.   ])
    """
    sine = np.sqrt(np.maximum(1.0 - cosine * cosine, 0.0))
    beside = along * cosine + across * sine > 0  # otherwise nothing is nearer than the apex
    near = np.abs(along * sine - across * cosine)
    return np.asarray(np.where(beside, near, np.hypot(along, across)))


def distances(networks: list[Network], Z: FloatArray) -> FloatArray:
    """Return the signed distance of each point for each network."""
    result = np.zeros((len(Z), len(networks)))
    for k, network in enumerate(networks):
        result[:, k] = signed_distance(network, Z)
    return result


def chosen_class(distance: FloatArray) -> IntArray:
    """Return the class whose distance is largest, or whether the only one is positive."""
    return distance.argmax(axis=1) if distance.shape[1] > 1 else (distance[:, 0] > 0).astype(int)


def class_columns(distance: FloatArray) -> FloatArray:
    """Return one column a class; the two of a binary problem differ by the distance."""
    if distance.ndim == 2 and distance.shape[1] > 1:
        return distance
    half = distance.reshape(-1, 1) / 2
    return np.column_stack([-half, half])


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
    powers, parts = (-7.0, 14.0), (-12.0, 6.0)

    def loss(v: FloatArray) -> tuple[float, FloatArray]:
        slope, part = math.exp(np.clip(v[0], *powers)) / unit, float(expit(np.clip(v[1], *parts)))
        plain = softmax(slope * distance)
        chance = part / classes + (1 - part) * plain
        odds = target / chance
        value = -share @ (target * np.log(chance)).sum(axis=1) - math.log(1 - part) / rows
        # derivatives of the softmax along its logits
        mean = (plain * odds).sum(axis=1, keepdims=True)
        by_slope = -(1 - part) * share @ (plain * (odds - mean) * distance).sum(axis=1)
        by_part = -share @ (odds * (1 / classes - plain)).sum(axis=1) + 1 / ((1 - part) * rows)
        return float(value), np.array([by_slope * slope, by_part * part * (1 - part)])

    steep, flat = np.array([math.log(30.0), -1.5]), np.array([math.log(3.0), -5.0])
    found = least(loss, flat, (), 100), least(loss, steep, (), 100)
    power, part = min(found, key=itemgetter(0))[1]
    return math.exp(np.clip(power, *powers)) / unit, float(expit(np.clip(part, *parts))) / classes


@dataclass(frozen=True, eq=False)
class Cone:
    """A cone: holds on the row x iff weights·u >= cosine ``|u|``, with u = (x - apex) / width.

    A feature of width 0 was constant in training, and its u is -apex.

    Attributes
    ----------
    weights : ndarray of shape (D,)
        The axis of the cone, of length about 1.
    apex, width : ndarray of shape (D,)
        Where the cone begins, and the units of the features.
    influence : ndarray of shape (D,)
        How much the condition changes with each feature, on average over the training points,
        relative to the largest.
    cosine : float
        Cosine of the angle between axis and surface.
    outside : bool
        Whether the condition holds outside of the cone instead.
    """

    weights: FloatArray
    apex: FloatArray
    width: FloatArray
    influence: FloatArray
    cosine: float
    outside: bool
    scale: ClassVar[float] = 1.0  # distances are those of the classifier

    def _sides(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return weights·u and ``|u|`` for each row."""
        used = self.width > 0
        with np.errstate(over="ignore", invalid="ignore"):
            U = np.where(used, (X - self.apex) / np.where(used, self.width, 1.0), -self.apex)
            return U @ self.weights, np.sqrt((U * U).sum(axis=1))

    def holds(self, X: FloatArray) -> BoolArray:
        """Return on which rows the condition holds."""
        dot, length = self._sides(X)
        return np.asarray((dot >= self.cosine * length) ^ self.outside)

    def distance(self, X: FloatArray) -> FloatArray:
        """Return the distance of each row from the surface, positive where the condition holds."""
        dot, length = self._sides(X)
        unit = float(np.linalg.norm(self.weights)) or 1.0
        along = dot / unit
        across = np.sqrt(np.maximum(length * length - along * along, 0.0))
        far = cone_distance(along, across, np.clip(self.cosine / unit, -1.0, 1.0))
        return np.where((dot >= self.cosine * length) ^ self.outside, far, -far)

    def ratios(self, X: FloatArray) -> FloatArray:
        """Return weights·u / ``|u|`` for each row, NaN at the apex."""
        dot, length = self._sides(X)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(dot / length)

    def parts(self, names: Sequence[str], number: Any) -> tuple[list[tuple[float, str]], str]:
        """Return the terms of weights·u, the most influential first, and what u is, as text."""
        ranked = np.argsort(-self.influence, kind="stable").tolist()
        terms = [(float(self.weights[k]), f"u{k + 1}") for k in ranked if self.weights[k] != 0]
        each = []
        for name, apex, width in zip(names, self.apex.tolist(), self.width.tolist(), strict=True):
            if width == 0:
                each.append(number(-apex + 0.0))
                continue
            sign = "+" if apex < 0 else "-"
            moved = f"({name} {sign} {number(abs(apex))})" if apex else name
            each.append(moved if number(width) == "1" else f"{moved}/{number(width)}")
        return terms, f"u = ({', '.join(each)})"
