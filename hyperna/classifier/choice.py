"""Which network to keep: a candidate, by points it has not seen, and then a simpler one as good.

A trial leaves one row for each checkpoint: which of the tried points were classified correctly by
the networks that had not seen them. All differences are paired, and measured by their standard
error over the points.
"""

import itertools
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hyperna._validation import BoolArray, FloatArray
from hyperna.classifier.points import LabelledPoints
from hyperna.classifier.spaces import balanced, cut
from hyperna.grid import Grid
from hyperna.networks import Network
from hyperna.outputs import OUTPUTS

Trials = dict[int, list[BoolArray]]

# How many standard errors better than a constant answer held-out points must be classified for
# them to have a say.
CONVINCING = 1.0
# With so few held-out errors the simplest candidate is not contested.
GOOD_ENOUGH = 0.01
# Rows of a trial before that of its last networks made simpler: the start and the checkpoints.
SIMPLE = 3
# By how many standard errors a network must beat the simplest candidate to replace it, and by how
# many a smaller network.
LOYAL, INDIFFERENT, PATIENT = 1.0, 0.5, 1.0
# By how many it is better beyond doubt.
BEYOND_DOUBT = 3.0
# A difference with at most this standard error is well known.
WELL_KNOWN = 0.01


@dataclass(frozen=True)
class Choice:
    """A candidate, at which checkpoint of its trial, and whether held-out points decided.

    The checkpoint is None where nothing was tried.
    """

    candidate: int
    checkpoint: int | None
    convincing: bool


def share(points: LabelledPoints, right: BoolArray) -> float:
    """Return the weighted share of points that are right."""
    return float(points.share @ right)


def gain(points: LabelledPoints, right: BoolArray, other: BoolArray) -> tuple[float, float]:
    """Return by how much `right` is better than `other`, and the standard error of that.

    The error is that of two equally good networks, as in McNemar's test: one point alone is never
    more than one standard error.
    """
    difference = right.astype(float) - other
    error = np.sqrt(points.share @ difference**2 / points.rows)
    return float(points.share @ difference) - 1e-12, float(error)


def error(points: LabelledPoints, right: BoolArray) -> float:
    """Return the standard error of the share of points that are right."""
    mean = share(points, right)
    return float(np.sqrt(max(0.0, mean * (1 - mean)) / points.rows))


def contested(points: LabelledPoints, rows: list[BoolArray]) -> bool:
    """Whether the simplest candidate makes enough errors for others to be tried."""
    return not rows or max(share(points, right) for right in rows) < 1.0 - GOOD_ENOUGH


def best_row(points: LabelledPoints, rows: list[BoolArray]) -> int:
    """Return the checkpoint that is best, or the first one that chance may have put behind."""
    best = rows[int(np.argmax([share(points, right) for right in rows]))]
    for number, right in enumerate(rows):
        better, error = gain(points, best, right)
        if better <= PATIENT * error:
            return number
    return 0


def choose(
    points: LabelledPoints,
    trials: Trials,
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
    checkpoint, rows = {}, {}
    for c, tried in trials.items():
        number = len(tried[:SIMPLE]) - 1 if exact else best_row(points, tried[:SIMPLE])
        if len(tried) > SIMPLE:
            # Simpler networks stand for the candidate, if they are as good.
            better, error = gain(points, tried[number], tried[SIMPLE])
            number = SIMPLE if better <= PATIENT * error else number
        checkpoint[c], rows[c] = number, tried[number]
    for c in lavish & set(rows) - {0}:
        better, error = gain(points, rows[c], rows[0])
        if better <= BEYOND_DOUBT * error and share(points, rows[0]) > points.constant:
            del rows[c]
    best = max(rows, key=lambda c: share(points, rows[c]))
    doubt = np.sqrt(points.constant * (1 - points.constant) / points.rows)
    if share(points, rows[best]) <= points.constant + CONVINCING * doubt:
        return Choice(0, checkpoint[0] if exact else 0, False)
    for c in sorted(rows):
        better, error = gain(points, rows[best], rows[c])
        if better <= (LOYAL if c == 0 else INDIFFERENT) * error:
            return Choice(c, checkpoint[c], True)
    return Choice(best, checkpoint[best], True)


# Larger sets are thinned to look for simpler networks, which are then judged on all points.
MOST_POINTS = 20_000
# Number of features, those with the largest weights, that are tried alone.
MOST_AXES = 30
# Number of neurons that might be left out and are followed up.
MOST_POLISHED = 3
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Joined:
    """Half-spaces W z >= t on points, how they are joined, and the votes where that is a vote.

    A single half-space keeps at least the part `faithful` of its squared weights.
    """

    points: LabelledPoints
    output: str
    W: FloatArray
    t: FloatArray
    vote: FloatArray
    quorum: float
    faithful: float = 0.0

    @classmethod
    def of(cls, network: Network, points: LabelledPoints, faithful: float) -> "Joined":
        """Return the half-spaces of a network; one neuron alone is an OR."""
        W, t = network.weights()
        vote, quorum = network.output_weights() or (np.ones(len(t)), 0.5)
        output = network.grid.output if len(t) > 1 else "or"
        return cls(points, output, W, t, vote, float(quorum), faithful)

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
        rule = OUTPUTS[self.output].rule
        answer = rule(bits) if rule else bits @ self.vote >= self.quorum - _ROUNDING
        return np.asarray(answer)

    def share(self, bits: BoolArray) -> float:
        """Return the share of points that are classified correctly with these hidden bits."""
        return float(self.points.share @ (self.fires(bits) == self.points.y))

    @cached_property
    def bits(self) -> BoolArray:
        """Which neurons fire on which points."""
        return np.asarray(self.t <= self.points.Z @ self.W.T)

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

    def without_idle(self, least: float, together: int = 1) -> "Joined":
        """Return the network without neurons whose loss leaves at least this share correct.

        Two may go together: nearly equal or opposite half-spaces cancel each other in an XOR.
        """
        if len(self.t) <= together:
            return self
        options: list[tuple[float, tuple[int, ...], tuple[bool, ...]]] = []
        values = {"or": (False,), "and": (True,)}.get(self.output, (False, True))
        for some in itertools.combinations(range(len(self.t)), together):
            for said in itertools.product(values, repeat=together):
                stuck = self.bits.copy()
                stuck[:, some] = said
                options.append((self.share(stuck), some, said))
        for _, some, said in sorted(options, reverse=True)[:MOST_POLISHED]:
            fewer = self
            for i, value in reversed(list(zip(some, said, strict=True))):
                fewer = fewer.without(i, value)
            fewer = fewer.polished(least)
            if fewer.score() >= least - _ROUNDING:
                return fewer.without_idle(least, together)
        return self

    def trimmed(self) -> "Joined":
        """Return the network without neurons that change no answer, a vote as logic if it is."""
        bits = self.bits
        said = self.fires(bits)
        for i in range(len(self.t) if len(self.t) > 1 else 0):
            for value in {"or": (False,), "and": (True,)}.get(self.output, (False, True)):
                fewer = self.without(i, value)
                if (fewer.fires(fewer.bits) == said).all():
                    return fewer.trimmed()
        return self.as_logic(2.0)

    def polished(self, least: float) -> "Joined":
        """Return the network with thresholds moved to better places, unless it is good enough."""
        result = self
        for i in range(len(self.t)):
            if result.score() >= least - _ROUNDING:
                break
            result = result._cut(i, result.W[i : i + 1], *result._gain(i), 0.0) or result
        return result

    def score(self) -> float:
        """Return the share of points that are classified correctly."""
        return self.share(self.bits)

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
        bits = turned.bits
        same = [o for o in options if (o.fires(bits) == turned.fires(bits)).all()]
        good = [o.polished(least) for o in options[: 0 if same or least > 1 else None]]
        good = [o for o in good if o.score() >= least - _ROUNDING]
        return (same or good or [self])[0]

    def sparse(self, least: float) -> "Joined":
        """Return the network with as few features in each half-space as keep this share correct."""
        result = self
        for i in range(len(self.t)):
            result = result._sparse_neuron(i, least)
        return result

    def _sparse_neuron(self, i: int, least: float) -> "Joined":
        gain, silent = self._gain(i)
        order = np.argsort(-np.abs(self.W[i]), kind="stable")
        used = int(np.count_nonzero(self.W[i]))
        if used <= 1:
            return self

        def first(size: int) -> FloatArray:
            row = np.zeros((1, len(order)))
            row[0, order[:size]] = self.W[i, order[:size]]
            return row

        axes = np.zeros((min(MOST_AXES, used), len(order)))
        axes[np.arange(len(axes)), order[: len(axes)]] = 1.0
        found = self._cut(i, np.vstack([axes, -axes]), gain, silent, least)
        low, high = 1, used  # too few features, and enough
        while found is None and high - low > 1:
            middle = (low + high) // 2
            some = self._cut(i, first(middle), gain, silent, least)
            low, high = (low, middle) if some else (middle, high)
        if found is None and high < used:
            found = self._cut(i, first(high), gain, silent, least)
        return found or self

    def _gain(self, i: int) -> tuple[FloatArray, float]:
        """Return what is gained at each point if neuron i fires, and the share if it never does."""
        bits, right = self.bits.copy(), []
        for value in (False, True):
            bits[:, i] = value
            right.append((self.fires(bits) == self.points.y).astype(float))
        share = self.points.share
        return share * (right[1] - right[0]), float(share @ right[0])

    def _cut(  # type: ignore[no-untyped-def]
        self, i: int, U: FloatArray, gain, silent: float, least: float
    ) -> "Joined | None":
        """Return the network with the best of some normals for neuron i, None if none will do."""
        U = U / np.linalg.norm(U, axis=1)[:, None]
        if len(self.t) == 1:
            U = U[(U @ self.W[i]) ** 2 >= self.faithful]
            if not len(U):
                return None
        best, threshold = cut(self.points.Z @ U.T, gain)
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
    `faithful` of its squared weights. Odd resolutions have no weight of zero: all features stay.
    """
    some = points.thinned(np.random.default_rng(0), MOST_POINTS)
    plain = Joined.of(network, some, faithful)
    least = plain.score() - loss
    simple = plain.without_idle(least).as_logic(least)
    if network.grid.resolution % 4 == 0:
        simple = simple.sparse(least).without_idle(least).as_logic(least)
    made = simple.network(network.grid)
    enough = points.correct(network) - (loss + _ROUNDING) * points.total
    return made if points.correct(made) >= enough else network


def cancelled(network: Network, points: LabelledPoints, loss: float = GOOD_ENOUGH) -> Network:
    """Return an XOR without pairs of neurons that cancel each other on all but few points."""
    plain = Joined.of(network, points.thinned(np.random.default_rng(0), MOST_POINTS), 0.0)
    if plain.output != "xor":
        return network
    least = plain.score() - loss
    return plain.without_idle(least, 2).without_idle(least).network(network.grid)


def simplest(
    network: Network, others: list[Network], points: LabelledPoints, loss: float
) -> Network:
    """Return the network made simpler, or one of others if that is simpler still.

    The others get the thresholds that are best for these points; all may lose the same share.
    """
    moved = [Joined.of(other, points, 0.0).polished(2.0).network(other.grid) for other in others]
    least = points.correct(network) - (loss + _ROUNDING) * points.total
    options = [simplified(network, points, loss), *moved]

    def size(made: Network) -> tuple[int, int, int]:
        return made.grid.neurons, int(np.count_nonzero(made.weights()[0])), -points.correct(made)

    return min((made for made in options if points.correct(made) >= least), key=size)


def trimmed(network: Network, points: LabelledPoints) -> Network:
    """Return the network without neurons that make no difference to any of the points."""
    made = Joined.of(network, points, 0.0).trimmed().network(network.grid)
    return made if (made.predict(points.Z) == network.predict(points.Z)).all() else network
