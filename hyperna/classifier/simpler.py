"""Simpler networks that classify as well: fewer neurons, plain logic, fewer features."""

from dataclasses import dataclass, replace

import numpy as np

from hyperna._validation import BoolArray, FloatArray
from hyperna.classifier.points import LabelledPoints
from hyperna.classifier.spaces import balanced, cut
from hyperna.grid import Grid
from hyperna.networks import Network

# Larger sets are thinned to look for simpler networks, which are then judged on all points.
MOST_POINTS = 20_000
# Number of features, those with the largest weights, that are tried alone.
MOST_AXES = 30
# Number of neurons that might be left out and are followed up.
MOST_POLISHED = 3
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Joined:
    """Half-spaces W z >= t, how they are joined, and the votes where that is a vote.

    A single half-space keeps at least the part `faithful` of its squared weights.
    """

    output: str
    W: FloatArray
    t: FloatArray
    vote: FloatArray
    quorum: float
    faithful: float = 0.0

    @classmethod
    def of(cls, network: Network, faithful: float) -> "Joined":
        """Return the half-spaces of a network; one neuron alone is an OR."""
        W, t = network.weights()
        vote, quorum = network.output_weights() or (np.ones(len(t)), 0.5)
        output = network.grid.output if len(t) > 1 else "or"
        return cls(output, W, t, vote, float(quorum), faithful)

    def network(self, grid: Grid) -> Network:
        """Return the network, on a grid like the one given."""
        grid = Grid(grid.dim, len(self.t), grid.resolution, self.output)
        if not grid.has_output_neuron:
            return Network(grid, grid.from_weights(self.W, self.t))
        turn, quorum = balanced(self.vote, self.quorum)
        W, t = self.W * turn[:, None], self.t * turn
        return Network(grid, grid.from_weights(W, t, self.vote * turn, quorum))

    def fires(self, bits: BoolArray) -> BoolArray:
        """Return the output for each row of hidden bits."""
        if self.output == "or":
            answer = bits.any(axis=1)
        elif self.output == "and":
            answer = bits.all(axis=1)
        elif self.output == "xor":
            answer = np.logical_xor.reduce(bits, axis=1)
        else:
            answer = bits @ self.vote >= self.quorum - _ROUNDING
        return np.asarray(answer)

    def share(self, bits: BoolArray, points: LabelledPoints) -> float:
        """Return the share of points that are classified correctly with these hidden bits."""
        return float(points.share @ (self.fires(bits) == points.y))

    def bits(self, points: LabelledPoints) -> BoolArray:
        """Return which neurons fire on which points."""
        return np.asarray(self.t <= points.Z @ self.W.T)

    def without(self, i: int, value: bool) -> "Joined":
        """Return the rest, for which neuron i always says the same."""
        rest = np.delete(np.arange(len(self.t)), i)
        W, t = self.W[rest].copy(), self.t[rest].copy()
        if self.output == "xor" and value:
            W[0], t[0] = -W[0], -t[0]
        quorum = self.quorum - (self.vote[i] if value else 0.0)
        output = self.output if len(rest) > 1 else "or"
        if self.output == "evolved" and len(rest) == 1 and self.vote[rest[0]] < 0:
            W, t = -W, -t
        return replace(self, output=output, W=W, t=t, vote=self.vote[rest], quorum=quorum)

    def without_idle(self, points: LabelledPoints, least: float) -> "Joined":
        """Return the network without neurons whose loss leaves at least this share correct."""
        if len(self.t) == 1:
            return self
        bits, options = self.bits(points), []
        values = {"or": (False,), "and": (True,)}.get(self.output, (False, True))
        for i in range(len(self.t)):
            for value in values:
                stuck = bits.copy()
                stuck[:, i] = value
                options.append((self.share(stuck, points), i, value))
        for _, i, value in sorted(options, reverse=True)[:MOST_POLISHED]:
            fewer = self.without(i, value).polished(points, least)
            if fewer.score(points) >= least - _ROUNDING:
                return fewer.without_idle(points, least)
        return self

    def trimmed(self, points: LabelledPoints) -> "Joined":
        """Return the network without neurons that change no answer, a vote as logic if it is."""
        bits = self.bits(points)
        said = self.fires(bits)
        for i in range(len(self.t) if len(self.t) > 1 else 0):
            for value in {"or": (False,), "and": (True,)}.get(self.output, (False, True)):
                fewer = self.without(i, value)
                if (fewer.fires(fewer.bits(points)) == said).all():
                    return fewer.trimmed(points)
        return self.as_logic(points, 2.0)

    def polished(self, points: LabelledPoints, least: float) -> "Joined":
        """Return the network with thresholds moved to better places, unless it is good enough."""
        result = self
        for i in range(len(self.t)):
            if result.score(points) >= least - _ROUNDING:
                break
            gain, silent = result._gain(i, points)
            result = result._cut(i, result.W[i : i + 1], gain, silent, points, 0.0) or result
        return result

    def score(self, points: LabelledPoints) -> float:
        """Return the share of points that are classified correctly."""
        return self.share(self.bits(points), points)

    def as_logic(self, points: LabelledPoints, least: float) -> "Joined":
        """Return the vote as an OR, an AND or a plain majority, if that is as good."""
        if self.output != "evolved" or len(self.t) == 1:
            return self
        turn = np.where(self.vote < 0, -1.0, 1.0)
        W, t, vote = self.W * turn[:, None], self.t * turn, np.abs(self.vote)
        quorum = self.quorum - float(self.vote[self.vote < 0].sum())
        turned = replace(self, W=W, t=t, vote=vote, quorum=quorum)
        size = len(t)
        counts = [replace(turned, vote=np.ones(size), quorum=k - 0.5) for k in range(2, size)]
        options = [replace(turned, output="or"), replace(turned, output="and"), *counts]
        bits = turned.bits(points)
        same = [o for o in options if (o.fires(bits) == turned.fires(bits)).all()]
        good = [o.polished(points, least) for o in options[: 0 if same or least > 1 else None]]
        good = [o for o in good if o.score(points) >= least - _ROUNDING]
        return (same or good or [self])[0]

    def sparse(self, points: LabelledPoints, least: float) -> "Joined":
        """Return the network with as few features in each half-space as keep this share correct."""
        result = self
        for i in range(len(self.t)):
            result = result._sparse_neuron(i, points, least)
        return result

    def _sparse_neuron(self, i: int, points: LabelledPoints, least: float) -> "Joined":
        gain, silent = self._gain(i, points)
        order = np.argsort(-np.abs(self.W[i]), kind="stable")
        used = int(np.count_nonzero(self.W[i]))
        if used <= 1:
            return self

        def directions(sizes: list[int]) -> FloatArray:
            rows = np.zeros((len(sizes), len(order)))
            for row, size in zip(rows, sizes, strict=True):
                row[order[:size]] = self.W[i, order[:size]]
            return rows

        axes = np.zeros((min(MOST_AXES, used), len(order)))
        axes[np.arange(len(axes)), order[: len(axes)]] = 1.0
        found = self._cut(i, np.vstack([axes, -axes]), gain, silent, points, least)
        low, high = 1, used  # too few features, and enough
        while found is None and high - low > 1:
            middle = (low + high) // 2
            some = self._cut(i, directions([middle]), gain, silent, points, least)
            low, high = (low, middle) if some else (middle, high)
        if found is None and high < used:
            found = self._cut(i, directions([high]), gain, silent, points, least)
        return found or self

    def _gain(self, i: int, points: LabelledPoints) -> tuple[FloatArray, float]:
        """Return what is gained at each point if neuron i fires, and the share if it never does."""
        bits, right = self.bits(points), []
        for value in (False, True):
            bits[:, i] = value
            right.append((self.fires(bits) == points.y).astype(float))
        return points.share * (right[1] - right[0]), float(points.share @ right[0])

    def _cut(  # type: ignore[no-untyped-def]
        self, i: int, U: FloatArray, gain, silent: float, points: LabelledPoints, least: float
    ) -> "Joined | None":
        """Return the network with the best of some normals for neuron i, None if none will do."""
        U = U / np.linalg.norm(U, axis=1)[:, None]
        if len(self.t) == 1:
            U = U[(U @ self.W[i]) ** 2 >= self.faithful]
            if not len(U):
                return None
        best, threshold = cut(points.Z @ U.T, gain)
        k = int(best.argmax())
        if silent + best[k] < least - _ROUNDING or not abs(threshold[k]) < 1.0:
            return None
        W, t = self.W.copy(), self.t.copy()
        W[i], t[i] = U[k], threshold[k]
        return replace(self, W=W, t=t)


def simplified(
    network: Network, points: LabelledPoints, loss: float, faithful: float = 0.0
) -> Network:
    """Return a simpler network that classifies at most this share of the points worse.

    Neurons that do no good are left out, votes become plain logic, features with small weights are
    dropped and thresholds moved to the best place. A single half-space keeps at least the part
    `faithful` of its squared weights. At odd resolutions features stay, because the
    grid has no weight of exactly zero.
    """
    some = points.thinned(np.random.default_rng(0), MOST_POINTS)
    plain = Joined.of(network, faithful)
    least = plain.score(some) - loss
    simple = plain.without_idle(some, least).as_logic(some, least)
    if network.grid.resolution % 4 == 0:
        simple = simple.sparse(some, least).without_idle(some, least).as_logic(some, least)
    made = simple.network(network.grid)
    enough = points.correct(network) - (loss + _ROUNDING) * points.total
    return made if points.correct(made) >= enough else network


def trimmed(network: Network, points: LabelledPoints) -> Network:
    """Return the network without neurons that make no difference to any of the points."""
    made = Joined.of(network, 0.0).trimmed(points).network(network.grid)
    return made if (made.predict(points.Z) == network.predict(points.Z)).all() else network
