"""Half-spaces on their way to a network: how they are joined, left out and made simpler.

A cut is the best threshold along a direction.
"""

import itertools
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hyperna._validation import BoolArray, FloatArray
from hyperna.classifier.points import BEYOND_DOUBT, LabelledPoints
from hyperna.grid import Grid
from hyperna.networks import Network

# Larger sets are thinned to look for simpler networks, which are then judged on all points.
MOST_POINTS = 20_000
# Number of features, those with the largest weights, that are tried alone.
MOST_AXES = 30
# Number of neurons that might be left out and are followed up.
MOST_POLISHED = 3
# Share of the points that an XOR may lose with a pair of neurons.
MOST_CANCELLED = 0.01
# Conditions on one feature can learn little noise: networks of them may lose this many times more.
MODEST = 2.0
# Points per parameter from which on a start is worth a second look.
SPARING = 4
# What a neuron may always say to be left out: an OR in which one always fires is no network.
IDLE, EITHER = {"or": (False,), "and": (True,)}, (False, True)
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class HalfSpaces:
    """Neurons that fire iff W x >= t, and how they are joined.

    An XOR fires iff an odd number of neurons does, any other network iff the votes of those that
    fire reach the quorum: one of equal votes (`vote` is None, or ones) in an OR, all in an AND.
    """

    W: FloatArray
    t: FloatArray
    output: str = "or"
    vote: Any = None
    quorum: float = 0.5

    @classmethod
    def of(cls, network: Network, **others: Any) -> Any:
        """Return the half-spaces of a network; one neuron alone is an OR."""
        W, t, vote, quorum = network.layers
        output = network.grid.output if len(t) > 1 else "or"
        if output != "evolved":
            vote, quorum = np.ones(len(t)), (len(t) if output == "and" else 1) - 0.5
        return cls(W, t, output, vote=vote, quorum=quorum, **others)

    def fires(self, bits: BoolArray) -> BoolArray:
        """Return the output for each row of hidden bits."""
        if self.output == "xor":
            return np.logical_xor.reduce(bits, axis=1)
        return np.asarray(bits @ self.vote >= self.quorum - _ROUNDING)

    def pruned(self, points: LabelledPoints) -> "HalfSpaces":
        """Return the network without neurons that do no good on the points; at least one stays.

        One after the other is left out (in a vote: says what it says to most), as long as the share
        of correct points does not fall, always the one whose loss is the least. In an XOR one that
        fires nearly everywhere is as idle as one that is nearly silent: without it the answer is
        turned into its opposite, and back when another one is turned round.
        """
        fires, parity = (self.t <= points.Z @ self.W.T).astype(float), self.output == "xor"
        vote, usual, quorum = np.ones(len(self.t)), np.zeros(len(self.t)), self.quorum
        if self.vote is not None:
            vote, usual = self.vote, np.rint(points.share @ fires)
        kept, opposite = np.arange(len(self.t)), False

        def correct(total: FloatArray) -> Any:
            """Share of points that each column of votes classifies correctly."""
            answer = (total % 2 == 1) ^ opposite if parity else total >= quorum
            return answer.T.astype(float) @ points.gain + points.share @ ~points.y

        right = correct(fires @ vote)
        while len(kept) > 1:
            total = fires[:, kept] @ vote[kept]
            # One column for each neuron that may go.
            share = correct(total[:, None] - (fires[:, kept] - usual[kept]) * vote[kept])
            k = int((np.abs(share - 0.5) if parity else share).argmax())
            turned = parity and share[k] < 0.5
            after = 1 - share[k] if turned else share[k]
            if after < right - 1e-12:
                break
            right, opposite = after, opposite ^ turned
            quorum -= usual[kept[k]] * vote[kept[k]]
            kept = np.delete(kept, k)
        W, t, vote = self.W[kept], self.t[kept], vote[kept]
        if opposite:
            W[0], t[0] = -W[0], -t[0]
        if self.vote is None:
            return HalfSpaces(W, t, self.output)
        # In the middle of a gap the grid's rounding does no harm.
        _, threshold = cut((fires[:, kept] @ vote)[:, None], points.gain)
        return HalfSpaces(W, t, self.output, vote, float(threshold[0]))

    def network(
        self, resolution: int, neurons: int | None = None, neuron: str = "plain"
    ) -> Network:
        """Return the network of so many neurons; what is missing is filled up with copies.

        Copies would cancel each other in an XOR, which gets neurons that hardly ever fire.
        """
        size = len(self.t)
        grid = Grid(self.W.shape[1], neurons or size, resolution, self.output, neuron)
        source = np.arange(grid.neurons) % size
        W, t = self.W[source], self.t[source]
        vote = np.ones(size) if self.vote is None else self.vote
        if self.output == "xor":
            t[size:] = np.linalg.norm(W[size:], axis=1)
        if not grid.has_output_neuron:
            side = -1.0 if vote[0] < 0 else 1.0
            return Network(grid, grid.from_weights(side * W, side * t))
        # Copies share the vote, so that nothing changes.
        vote, quorum = vote[source] / np.bincount(source)[source], self.quorum
        # An output neuron has a unit normal and a bias of at most 1, less than half of many equal
        # votes. A neuron that is turned round votes against, and lowers the quorum by its vote.
        turn = np.ones(len(vote))
        for i in np.argsort(-np.abs(vote), kind="stable"):
            if abs(quorum - vote[i]) < abs(quorum):
                quorum -= vote[i]
                turn[i] = -1.0
        votes = vote * turn, float(quorum)
        return Network(grid, grid.from_weights(W * turn[:, None], t * turn, *votes))


def cut(P: FloatArray, gain: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return for each column of P the threshold with the largest sum of gains at or above it.

    Of equal ones the threshold in the widest gap is taken, in the middle of it. The sums come
    before the thresholds; a threshold above everything has sum 0.
    """
    order, each = np.argsort(-P, axis=0), np.arange(P.shape[1])
    ranked, gap = P[order, each], np.full(P.shape, 0.02)
    total = np.cumsum(gain[order], axis=0)
    np.subtract(ranked[:-1], ranked[1:], out=gap[:-1])
    # Sums of weights that are equal on paper differ by rounding; gaps must decide between these.
    value = np.where(gap > 0, np.rint(total * 2.0**40), -np.inf)
    best = value.max(axis=0)
    k = np.where(value == best, gap, -1.0).argmax(axis=0)
    threshold = ranked[k, each] - gap[k, each] / 2
    best, nothing = total[k, each], 0.0
    return np.maximum(best, nothing), np.where(best > nothing, threshold, ranked[0] + 0.02)


@dataclass(frozen=True, eq=False, kw_only=True)
class Joined(HalfSpaces):
    """Half-spaces and the points on which they are judged.

    A single half-space keeps at least the part `faithful` of its squared weights.
    """

    points: LabelledPoints
    vote: FloatArray
    faithful: float = 0.0

    @cached_property
    def bits(self) -> BoolArray:
        """Which neurons fire on which points."""
        return np.asarray(self.t <= self.points.Z @ self.W.T)

    def score(self, bits: BoolArray | None = None) -> float:
        """Return the share of points that are classified correctly, with other bits if given."""
        fires = self.fires(self.bits if bits is None else bits)
        return float(self.points.share @ (fires == self.points.y))

    def without(self, i: int, value: bool) -> "Joined":
        """Return the rest, for which neuron i always says the same."""
        rest = np.delete(np.arange(len(self.t)), i)
        W, t, vote = self.W[rest], self.t[rest], self.vote[rest]
        quorum = self.quorum - (self.vote[i] if value else 0.0)
        if self.output == "xor" and value:
            W[0], t[0] = -W[0], -t[0]
        if len(rest) > 1:
            return replace(self, W=W, t=t, vote=vote, quorum=quorum)
        side = -1.0 if vote[0] < 0 else 1.0
        return replace(self, W=side * W, t=side * t, output="or", vote=np.ones(1), quorum=0.5)

    def without_idle(self, least: float, together: int = 1) -> "Joined":
        """Return the network without neurons whose loss leaves at least this share correct.

        Two may go together: nearly equal or opposite half-spaces cancel each other in an XOR.
        """
        if len(self.t) <= together:
            return self
        options: list[tuple[float, tuple[int, ...], tuple[bool, ...]]] = []
        values = IDLE.get(self.output, EITHER)
        for some in itertools.combinations(range(len(self.t)), together):
            for said in itertools.product(values, repeat=together):
                stuck = self.bits.copy()
                stuck[:, some] = said
                options.append((self.score(stuck), some, said))
        for _, some, said in sorted(options, reverse=True)[:MOST_POLISHED]:
            fewer = self
            for i, value in reversed(list(zip(some, said, strict=True))):
                fewer = fewer.without(i, value)
            fewer = fewer.polished(least)
            if fewer.score() >= least - _ROUNDING:
                return fewer.without_idle(least, together)
        return self

    def polished(self, least: float) -> "Joined":
        """Return the network with thresholds moved to better places, unless it is good enough."""
        result = self
        for i in range(len(self.t)):
            if result.score() >= least - _ROUNDING:
                break
            result = result.moved(i, result.W[i : i + 1], 0.0) or result
        return result

    def as_logic(self, least: float) -> "Joined":
        """Return the vote as an OR, an AND or a plain majority, if that is as good."""
        size = len(self.t)
        if self.output != "evolved" or size == 1:
            return self
        turn, options = np.where(self.vote < 0, -1.0, 1.0), []
        quorum = self.quorum - float(self.vote[self.vote < 0].sum())
        W, t, vote, equal = self.W * turn[:, None], self.t * turn, np.abs(self.vote), np.ones(size)
        turned = replace(self, W=W, t=t, vote=vote, quorum=quorum)
        for count in (1, size, *range(2, size)):
            output = {1: "or", size: "and"}.get(count, "evolved")
            options.append(replace(turned, output=output, vote=equal, quorum=count - 0.5))
        for option in options:
            if (option.fires(turned.bits) == turned.fires(turned.bits)).all():
                return option
        for option in options if least <= 1 else []:
            good = option.polished(least)
            if good.score() >= least - _ROUNDING:
                return good
        return self

    def sparse(self, i: int, least: float) -> "Joined":
        """Return the network with as few features in neuron i as keep this share correct."""
        weight = self.W[i]
        used, order = int(np.count_nonzero(weight)), np.argsort(-np.abs(weight), kind="stable")
        if used <= 1:
            return self
        axes = np.zeros((min(MOST_AXES, used), len(order)))
        axes[np.arange(len(axes)), order[: len(axes)]] = 1.0
        found = self.moved(i, np.vstack([axes, -axes]), least)
        low, high, rank = 1, used, np.argsort(order)  # too few features, and enough
        best = found or self
        while found is None and high - low > 1:
            middle = (low + high) // 2
            some = self.moved(i, np.where(rank < middle, weight, 0.0)[None], least)
            low, high, best = (low, middle, some) if some else (middle, high, best)
        return best

    def moved(self, i: int, U: FloatArray, least: float) -> "Joined | None":
        """Return the network with the best of some normals for neuron i, None if none will do."""
        U = U / np.linalg.norm(U, axis=1)[:, None]
        if len(self.t) == 1:
            U = U[(U @ self.W[i]) ** 2 >= self.faithful]
            if not len(U):
                return None
        # What is gained at each point if the neuron fires, and the share if it never does.
        bits, share = self.bits.copy(), self.points.share
        bits[:, i] = True
        firing = self.fires(bits) == self.points.y
        bits[:, i] = False
        silent = self.fires(bits) == self.points.y
        best, threshold = cut(self.points.Z @ U.T, share * (firing.astype(float) - silent))
        k = int(best.argmax())
        enough = float(share @ silent) + best[k] >= least - _ROUNDING
        if not (enough and abs(threshold[k]) < 1.0):
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
    `faithful` of its squared weights. Odd resolutions have no weight of zero: all features stay.
    """
    some = points.thinned(np.random.default_rng(0), MOST_POINTS)
    plain = Joined.of(network, points=some, faithful=faithful)
    least, resolution = plain.score() - loss, network.grid.resolution
    simple = plain.without_idle(least).as_logic(least)
    if resolution % 4 == 0:
        for i in range(len(simple.t)):
            simple = simple.sparse(i, least)
        simple = simple.without_idle(least).as_logic(least)
    made = simple.network(resolution)
    enough = points.correct(network) - (loss + _ROUNDING) * points.total
    return made if points.correct(made) >= enough else network


def cancelled(network: Network, points: LabelledPoints, loss: float = MOST_CANCELLED) -> Network:
    """Return an XOR without pairs of neurons that cancel each other on all but few points."""
    some = points.thinned(np.random.default_rng(0), MOST_POINTS)
    plain = Joined.of(network, points=some)
    if plain.output != "xor":
        return network
    least = plain.score() - loss
    return plain.without_idle(least, 2).without_idle(least).network(network.grid.resolution)


def modest(network: Network) -> bool:
    """Return whether each condition has one feature, so that little noise can be learned."""
    return bool((np.count_nonzero(network.layers[0], axis=1) == 1).all())


def simplest(
    network: Network, others: list[Network], points: LabelledPoints, loss: float
) -> Network:
    """Return the network made simpler, or one of others if that is simpler still.

    The others get the thresholds that are best for these points. All may lose the same share, and
    networks with conditions on one feature each some more, for errors that evolution has learned.
    """
    resolution, score, sizes = network.grid.resolution, points.correct(network), []
    options = [(simplified(network, points, loss), loss)]
    found = [simplified(network, points, MODEST * loss)]
    found += [Joined.of(each, points=points).polished(2.0).network(resolution) for each in others]
    options += [(made, MODEST * loss if modest(made) else loss) for made in found]
    for number, (made, lost) in enumerate(options):
        correct = points.correct(made)
        if correct >= score - (lost + _ROUNDING) * points.total:
            features = int(np.count_nonzero(made.layers[0]))
            sizes.append((made.grid.neurons, features, -correct, number))
    return options[min(sizes)[-1]][0]


def second_look(
    start: Network, seen: LabelledPoints, held_out: LabelledPoints, rival: BoolArray
) -> bool:
    """Return whether a start that is behind a rival hides a rule of single features that is ahead.

    Starts may have learned errors. Those behind beyond doubt or with many parameters for so few
    points are not looked at again.
    """
    few = SPARING * start.grid.components <= len(seen.y)
    right = start.predict(held_out.Z) == held_out.y
    if not few or held_out.lead(rival, right, BEYOND_DOUBT) > 0:
        return False
    simple = simplified(start, seen, seen.doubt(start))
    better = held_out.lead(simple.predict(held_out.Z) == held_out.y, rival) > 0
    return better and modest(simple)


def trimmed(network: Network, points: LabelledPoints) -> Network:
    """Return the network without neurons that make no difference to any of the points."""
    simple, idle = Joined.of(network, points=points), True
    said = simple.fires(simple.bits)
    while idle and len(simple.t) > 1:
        idle = False
        values = IDLE.get(simple.output, EITHER)
        for i, value in itertools.product(range(len(simple.t)), values):
            fewer = simple.without(i, value)
            if (fewer.fires(fewer.bits) == said).all():
                simple, idle = fewer, True
                break
    made = simple.as_logic(2.0).network(network.grid.resolution)
    return made if (made.predict(points.Z) == network.predict(points.Z)).all() else network
