"""Which network to keep: a candidate, by points it has not seen, and then a simpler one as good.

A trial leaves one row for each checkpoint: which of the tried points were classified correctly by
the networks that had not seen them. All differences are paired, and measured by their standard
error over the points.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hyperna._validation import BoolArray, FloatArray
from hyperna.classifier.points import LabelledPoints
from hyperna.classifier.spaces import HalfSpaces, cut
from hyperna.grid import Grid
from hyperna.networks import Network
from hyperna.outputs import OUTPUTS

# How many standard errors better than a constant answer held-out points must be classified for
# them to have a say.
CONVINCING = 1.0
# Rows of a trial before that of its last networks made simpler: the start and the checkpoints.
SIMPLE = 3
# By how many standard errors a network must beat the simplest candidate to replace it, and by how
# many a smaller network.
LOYAL, INDIFFERENT, PATIENT = 1.0, 0.5, 1.0
# By how many it is better beyond doubt.
BEYOND_DOUBT = 3.0
# A difference with at most this standard error is well known.
WELL_KNOWN = 0.01
# Conditions on one feature can learn little noise: networks of them may lose this many times more.
MODEST = 2.0


@dataclass(frozen=True)
class Choice:
    """A candidate, at which checkpoint of its trial, and whether held-out points decided.

    The checkpoint is None where nothing was tried.
    """

    candidate: int
    checkpoint: int | None
    convincing: bool


def gain(points: LabelledPoints, right: BoolArray, other: BoolArray) -> tuple[float, float]:
    """Return by how much `right` is better than `other`, and the standard error of that.

    The error is that of two equally good networks, as in McNemar's test: one point alone is never
    more than one standard error.
    """
    difference = right.astype(float) - other
    error = np.sqrt(points.share @ difference**2 / points.rows)
    return float(points.share @ difference) - 1e-12, float(error)


def ahead(points: LabelledPoints, right: BoolArray, other: BoolArray, errors: float) -> bool:
    """Return whether `right` is better than `other` by more than so many standard errors."""
    better, error = gain(points, right, other)
    return better > errors * error


def best_row(points: LabelledPoints, rows: Sequence[BoolArray]) -> int:
    """Return the checkpoint that is best, or the first one that chance may have put behind."""
    best = max(rows, key=points.share.dot)
    for number, right in enumerate(rows):
        if not ahead(points, best, right, PATIENT):
            return number
    return 0


def choose(
    points: LabelledPoints,
    trials: dict[int, list[BoolArray]],
    candidates: int,
    exact: bool,
    lavish: frozenset[int] = frozenset(),
) -> Choice:
    """Return the candidate to fit.

    It is the one whose networks classify held-out points best; one that is simpler is preferred
    unless the best is better by more than chance explains. Where even the best does no better than
    a constant answer, held-out points have nothing to say, and the simplest is taken. Where the
    number of neurons is given or starts are random (`exact`), all are evolved to the end.
    Candidates with more parameters than points (`lavish`) must be better beyond doubt than the
    simplest, if that is better than a constant answer.
    """
    if 0 not in trials:
        return Choice(0, None, candidates == 1)
    if candidates == 1:
        return Choice(0, len(trials[0]) - 1, True)
    checkpoint: dict[int, int] = {}
    rows: dict[int, BoolArray] = {}
    shares: dict[int, float] = {}
    for c, tried in trials.items():
        number = len(tried[:SIMPLE]) - 1 if exact else best_row(points, tried[:SIMPLE])
        # Simpler networks stand for the candidate, if they are as good.
        if len(tried) > SIMPLE and not ahead(points, tried[number], tried[SIMPLE], PATIENT):
            number = SIMPLE
        must_convince = c in lavish and c > 0 and shares[0] > points.constant
        if not must_convince or ahead(points, tried[number], rows[0], BEYOND_DOUBT):
            checkpoint[c], rows[c] = number, tried[number]
            shares[c] = float(points.share @ rows[c])
    best = max(shares, key=shares.__getitem__)
    doubt = np.sqrt(points.constant * (1 - points.constant) / points.rows)
    if shares[best] <= points.constant + CONVINCING * doubt:
        return Choice(0, checkpoint[0] if exact else 0, False)
    for c in sorted(rows):
        if not ahead(points, rows[best], rows[c], LOYAL if c == 0 else INDIFFERENT):
            return Choice(c, checkpoint[c], True)
    return Choice(best, checkpoint[best], True)


# Larger sets are thinned to look for simpler networks, which are then judged on all points.
MOST_POINTS = 20_000
# Number of features, those with the largest weights, that are tried alone.
MOST_AXES = 30
# Number of neurons that might be left out and are followed up.
MOST_POLISHED = 3
# Share of the points that an XOR may lose with a pair of neurons.
MOST_CANCELLED = 0.01
# What a neuron may always say to be left out: an OR in which one always fires is no network.
IDLE, EITHER = {"or": (False,), "and": (True,)}, (False, True)
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False, kw_only=True)
class Joined(HalfSpaces):
    """Half-spaces on points, how they are joined, and the votes where that is a vote.

    A single half-space keeps at least the part `faithful` of its squared weights.
    """

    points: LabelledPoints
    output: str
    vote: FloatArray
    faithful: float = 0.0

    @classmethod
    def of(cls, network: Network, points: LabelledPoints, faithful: float = 0.0) -> "Joined":
        """Return the half-spaces of a network; one neuron alone is an OR."""
        W, t, vote, quorum = network.layers
        if not network.grid.has_output_neuron:
            vote, quorum = np.ones(len(t)), 0.5
        output = network.grid.output if len(t) > 1 else "or"
        votes: dict[str, Any] = {"vote": vote, "quorum": quorum}
        return cls(W, t, points=points, output=output, faithful=faithful, **votes)

    def fires(self, bits: BoolArray) -> BoolArray:
        """Return the output for each row of hidden bits."""
        rule = OUTPUTS[self.output].rule
        answer = rule(bits) if rule else bits @ self.vote >= self.quorum - _ROUNDING
        return np.asarray(answer)

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
        if self.output == "xor" and value:
            W[0], t[0] = -W[0], -t[0]
        quorum = self.quorum - (self.vote[i] if value else 0.0)
        output = self.output if len(rest) > 1 else "or"
        if self.output == "evolved" and len(rest) == 1 and vote[0] < 0:
            W, t, vote = -W, -t, -vote
        return replace(self, output=output, W=W, t=t, vote=vote, quorum=quorum)

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
        if self.output != "evolved" or len(self.t) == 1:
            return self
        turn = np.where(self.vote < 0, -1.0, 1.0)
        W, t, vote = self.W * turn[:, None], self.t * turn, np.abs(self.vote)
        quorum = self.quorum - float(self.vote[self.vote < 0].sum())
        turned = replace(self, W=W, t=t, vote=vote, quorum=quorum)
        size = len(t)
        counts = [replace(turned, vote=np.ones(size), quorum=k - 0.5) for k in range(2, size)]
        options = [replace(turned, output="or"), replace(turned, output="and"), *counts]
        said = turned.fires(turned.bits)
        for option in options:
            if (option.fires(turned.bits) == said).all():
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
        while found is None and high - low > 1:
            middle = (low + high) // 2
            some = self.moved(i, np.where(rank < middle, weight, 0.0)[None], least)
            low, high = (low, middle) if some else (middle, high)
        if found is None and high < used:
            found = self.moved(i, np.where(rank < high, weight, 0.0)[None], least)
        return found or self

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

    def like(self, network: Network) -> Network:
        """Return the network on a grid like that of another one."""
        grid = network.grid
        return self.network(Grid(grid.dim, len(self.t), grid.resolution, self.output))


def simplified(
    network: Network, points: LabelledPoints, loss: float, faithful: float = 0.0
) -> Network:
    """Return a simpler network that classifies at most this share of the points worse.

    Neurons that do no good are left out, votes become plain logic, features with small weights are
    dropped and thresholds moved to the best place. A single half-space keeps at least the part
    `faithful` of its squared weights. Odd resolutions have no weight of zero: all features stay.
    """
    some = points.thinned(np.random.default_rng(0), MOST_POINTS)
    plain = Joined.of(network, some, faithful)
    least = plain.score() - loss
    simple = plain.without_idle(least).as_logic(least)
    if network.grid.resolution % 4 == 0:
        for i in range(len(simple.t)):
            simple = simple.sparse(i, least)
        simple = simple.without_idle(least).as_logic(least)
    made = simple.like(network)
    enough = points.correct(network) - (loss + _ROUNDING) * points.total
    return made if points.correct(made) >= enough else network


def cancelled(network: Network, points: LabelledPoints, loss: float = MOST_CANCELLED) -> Network:
    """Return an XOR without pairs of neurons that cancel each other on all but few points."""
    plain = Joined.of(network, points.thinned(np.random.default_rng(0), MOST_POINTS))
    if plain.output != "xor":
        return network
    least = plain.score() - loss
    return plain.without_idle(least, 2).without_idle(least).like(network)


def simplest(
    network: Network, others: list[Network], points: LabelledPoints, loss: float
) -> Network:
    """Return the network made simpler, or one of others if that is simpler still.

    The others get the thresholds that are best for these points. All may lose the same share, and
    others with conditions on one feature each some more, for errors that the network has learned.
    """
    options = [(simplified(network, points, loss), loss)]
    for other in others:
        modest = (np.count_nonzero(other.weights()[0], axis=1) == 1).all()
        moved = Joined.of(other, points).polished(2.0).like(other)
        options.append((moved, MODEST * loss if modest else loss))
    score = points.correct(network)

    def size(made: Network) -> tuple[int, int, int]:
        return made.grid.neurons, int(np.count_nonzero(made.weights()[0])), -points.correct(made)

    enough = []
    for made, lost in options:
        if points.correct(made) >= score - (lost + _ROUNDING) * points.total:
            enough.append(made)
    return min(enough, key=size)


def second_look(
    start: Network, seen: LabelledPoints, held_out: LabelledPoints, rival: BoolArray
) -> bool:
    """Return whether a start that is behind a rival is ahead of it once it was made simpler.

    A start that has learned errors may hide a simple network, unless it is behind beyond doubt.
    """
    if ahead(held_out, rival, held_out.right(start), BEYOND_DOUBT):
        return False
    simple = simplified(start, seen, seen.doubt(start))
    return ahead(held_out, held_out.right(simple), rival, 0.0)


def trimmed(network: Network, points: LabelledPoints) -> Network:
    """Return the network without neurons that make no difference to any of the points."""
    simple, idle = Joined.of(network, points), True
    said = simple.fires(simple.bits)
    while idle and len(simple.t) > 1:
        idle = False
        values = IDLE.get(simple.output, EITHER)
        for i, value in itertools.product(range(len(simple.t)), values):
            fewer = simple.without(i, value)
            if (fewer.fires(fewer.bits) == said).all():
                simple, idle = fewer, True
                break
    made = simple.as_logic(2.0).like(network)
    return made if (made.predict(points.Z) == network.predict(points.Z)).all() else network
