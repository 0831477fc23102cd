"""Half-spaces and cones: on their way to a network, as conditions, and how far points are away."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hyperna._validation import BoolArray, FloatArray, check_reals
from hyperna.classifier.points import LabelledPoints
from hyperna.grid import Grid
from hyperna.networks import Network


@dataclass(frozen=True, eq=False)
class HalfSpaces:
    """Neurons that fire iff W x >= t, and how a vote among them is weighed (None: no vote).

    The vote is positive iff the sum of `vote` over the neurons that fire reaches the quorum.
    """

    W: FloatArray
    t: FloatArray
    vote: FloatArray | None = None
    quorum: float = 0.0

    def pruned(self, points: LabelledPoints) -> "HalfSpaces":
        """Return the union or the vote without neurons that do no good on the points.

        One after the other is left out (in a vote: says what it says to most), as long as the share
        of correct points does not fall, always the one whose loss is the least. At least one stays.
        """
        fires = (self.t <= points.Z @ self.W.T).astype(float)
        votes = self.vote is not None
        vote = self.vote if self.vote is not None else np.ones(len(self.t))
        quorum = self.quorum if votes else 0.5
        usual = np.rint(points.share @ fires) if votes else np.zeros(len(self.t))
        kept = np.arange(len(self.t))
        right = _share(fires @ vote >= quorum, points)
        while len(kept) > 1:
            total = fires[:, kept] @ vote[kept]
            # One column for each neuron that may go.
            without = total[:, None] - (fires[:, kept] - usual[kept]) * vote[kept]
            share = _share(without >= quorum, points)
            k = int(share.argmax())
            if share[k] < right - 1e-12:
                break
            right = share[k]
            quorum -= usual[kept[k]] * vote[kept[k]]
            kept = np.delete(kept, k)
        W, t, vote = self.W[kept], self.t[kept], vote[kept]
        if not votes:
            return HalfSpaces(W, t)
        # In the middle of a gap the grid's rounding does no harm.
        _, threshold = cut((fires[:, kept] @ vote)[:, None], points.gain)
        return HalfSpaces(W, t, vote, float(threshold[0]))

    def pruned_for_parity(self, points: LabelledPoints) -> "HalfSpaces":
        """Return the neurons of an XOR without those that do no good on the points.

        One that fires nearly everywhere is as idle as one that is nearly silent: without it the
        answer is turned into its opposite, and back when another one is turned round.
        """
        fires = self.t <= points.Z @ self.W.T
        kept, answer, opposite = np.arange(len(self.t)), np.logical_xor.reduce(fires, axis=1), False
        right = _share(answer, points)
        while len(kept) > 1:
            without = answer[:, None] ^ fires[:, kept]
            share = _share(without, points)
            k = int(np.abs(share - 0.5).argmax())
            if max(share[k], 1 - share[k]) < right - 1e-12:
                break
            turned = share[k] < 0.5
            right = max(share[k], 1 - share[k])
            answer, opposite = without[:, k] ^ turned, opposite ^ turned
            kept = np.delete(kept, k)
        turn = np.ones(len(kept))
        turn[0] = -1.0 if opposite else 1.0
        return HalfSpaces(self.W[kept] * turn[:, None], self.t[kept] * turn)

    def network(self, grid: Grid) -> Network:
        """Return the network on the grid; what is missing is filled up with copies.

        Copies would cancel each other in an XOR, which gets neurons that hardly ever fire.
        """
        source = np.arange(grid.neurons) % len(self.t)
        W, t = self.W[source], self.t[source]
        if grid.output == "xor":
            t[len(self.t) :] = np.linalg.norm(W[len(self.t) :], axis=1)
        if not grid.has_output_neuron:
            against = self.vote is not None and self.vote[0] < 0
            return Network(grid, grid.from_weights(-W if against else W, -t if against else t))
        vote = np.ones(len(self.t)) if self.vote is None else self.vote
        quorum = 0.5 if self.vote is None else self.quorum
        # Copies share the vote, so that nothing changes.
        vote = vote[source] / np.bincount(source)[source]
        turn, quorum = balanced(vote, quorum)
        return Network(grid, grid.from_weights(W * turn[:, None], t * turn, vote * turn, quorum))


def cut(P: FloatArray, gain: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return for each column of P the threshold with the largest sum of gains at or above it.

    Of equal ones the threshold in the widest gap is taken, in the middle of it.

    Returns
    -------
    best, threshold : ndarray
        The sums and the thresholds; a threshold above everything has sum 0.
    """
    order = np.argsort(-P, axis=0)
    ranked = np.take_along_axis(P, order, axis=0)
    total = np.cumsum(gain[order], axis=0)
    gap = np.vstack([ranked[:-1] - ranked[1:], np.full((1, P.shape[1]), 0.02)])
    # Sums of weights that are equal on paper differ by rounding; gaps must decide between these.
    value = np.where(gap > 0, np.rint(total * 2.0**40), -np.inf)
    best = value.max(axis=0)
    k = np.where(value == best, gap, -1.0).argmax(axis=0)
    each = np.arange(P.shape[1])
    threshold = ranked[k, each] - gap[k, each] / 2
    best, nothing = total[k, each], 0.0
    return np.maximum(best, nothing), np.where(best > nothing, threshold, ranked[0] + 0.02)


def _share(fires: BoolArray, points: LabelledPoints) -> FloatArray:
    """Share of correct points, for each column of outputs."""
    share: FloatArray = fires.T.astype(float) @ points.gain + points.share @ ~points.y
    return share


def balanced(vote: FloatArray, quorum: float) -> tuple[FloatArray, float]:
    """Return which neurons to turn round (-1.0) so that the quorum is small, and the quorum then.

    An output neuron has a unit normal and a bias of at most 1, less than half of many equal
    votes. A neuron that is turned round votes against, and lowers the quorum by its vote.
    """
    turn = np.ones(len(vote))
    for i in np.argsort(-np.abs(vote), kind="stable"):
        if abs(quorum - vote[i]) < abs(quorum):
            quorum -= vote[i]
            turn[i] = -1.0
    return turn, float(quorum)


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
    margin = neuron_distances(network, Z)
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


def neuron_distances(network: Network, Z: FloatArray) -> FloatArray:
    """Return how far each point is from the boundary of each neuron, >= 0 iff it fires.

    Examples
    --------
    >>> network = Network(Grid(2, 1, 8, neuron="bent"), [0, 4, 2])
    >>> neuron_distances(network, np.array([[0.5, 0.0], [-0.5, 0.0]])).round(3)
    array([[ 0.354],
           [-0.5  ]])
    """
    if network.grid.neuron == "plain":
        return network.margin(Z)
    (W, b), bend = network.weights(), network.grid.parameters(network.genome)[1]
    dot = np.einsum("nd,kd->nk", Z, W)
    across = np.sqrt(np.maximum((Z * Z).sum(axis=1)[:, None] - dot * dot, 0.0))
    far = cone_distance(dot - b, across, np.cos(bend))
    return np.where(network.hidden(Z), far, -np.maximum(far, np.nextafter(0.0, 1.0)))


def as_kind(network: Network, neuron: str) -> Network:
    """Return a network of plain neurons as one of another kind that does the same."""
    grid = network.grid
    if grid.neuron == neuron:
        return network
    made = Grid(grid.dim, grid.neurons, grid.resolution, grid.output, neuron)
    hidden = network.genome[: grid.output_start].reshape(grid.neurons, grid.width)
    if grid.neuron != "plain":
        raise ValueError(
            f"networks of {grid.neuron} neurons cannot be continued with {neuron} ones"
        )
    output = network.genome[grid.output_start :]
    return Network(made, np.append(np.column_stack([hidden, made.neutral]).ravel(), output))


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
    cosine : float
        Cosine of the angle between axis and surface.
    outside : bool
        Whether the condition holds outside of the cone instead.
    influence : ndarray of shape (D,)
        How much the condition changes with each feature, on average over the training points,
        relative to the largest.
    """

    weights: FloatArray
    apex: FloatArray
    width: FloatArray
    cosine: float
    outside: bool
    influence: FloatArray
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

    def to_dict(self) -> dict[str, Any]:
        """Return the condition as plain numbers."""
        arrays = {key: getattr(self, key).tolist() for key in _ARRAYS}
        return {**arrays, "cosine": self.cosine, "outside": bool(self.outside)}

    @classmethod
    def from_dict(cls, data: Any, dim: int) -> "Cone":
        """Return the condition that `to_dict` described; anything else is an error."""
        weights, apex, width, influence = (check_reals(k, data[k], (dim,)) for k in _ARRAYS)
        if (width < 0).any() or not isinstance(data["outside"], bool):
            raise ValueError("a cone must have widths of at least 0, and outside True or False")
        cosine = float(check_reals("cosine", data["cosine"], ()))
        return cls(weights, apex, width, cosine, data["outside"], influence)


_ARRAYS = ("weights", "apex", "width", "influence")
