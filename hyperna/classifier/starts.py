"""First networks made from the data: half-spaces that already separate something.

With many neurons a random OR fires everywhere and every offspring does too. These constructions
start the search where steps make a difference: a linear fit, half-spaces added one at a time
around what is still wrong, parallel cuts along a direction, or a vote.
"""

from dataclasses import dataclass

import numpy as np

from hyperna._validation import BoolArray, FloatArray
from hyperna.classifier.linear import MOST_FITTED, Cloud, least_squares, linear_fits, unit_rows
from hyperna.grid import Grid
from hyperna.networks import Network

_DIRECTIONS = 6
_VOTE_DIRECTIONS = 16
_AXES = 4
_ROUNDS = 2
# Half-spaces that hold less than this share more are left out, for they hold noise.
_LEAST_GAIN = 0.01
# Parallel cuts are looked for among so many points.
_SLICED_POINTS = 250
_MOST_FEATURES_SQUARED = 200


@dataclass(frozen=True, eq=False)
class HalfSpaces:
    """Neurons that fire iff W x >= t, and how a vote among them is weighed (None: OR or AND)."""

    W: FloatArray
    t: FloatArray
    vote: FloatArray | None = None
    quorum: float = 0.0

    def held_by_any(self, cloud: Cloud) -> BoolArray:
        """Whether each point lies in one of the half-spaces."""
        return np.asarray((self.t <= cloud.Z @ self.W.T).any(axis=1))

    def network(self, grid: Grid) -> Network:
        """Return the network on the grid; what is missing is filled up with copies."""
        source = np.arange(grid.neurons) % len(self.t)
        W, t = self.W[source], self.t[source]
        if not grid.has_output_neuron:
            against = self.vote is not None and self.vote[0] < 0
            return Network(grid, grid.from_weights(-W if against else W, -t if against else t))
        vote = np.ones(len(self.t)) if self.vote is None else self.vote
        quorum = 0.5 if self.vote is None else self.quorum
        # Copies share the vote, so that nothing changes.
        vote = vote[source] / np.bincount(source)[source]
        return Network(grid, grid.from_weights(W, t, vote, quorum))


def directions(cloud: Cloud, rng: np.random.Generator, count: int = _DIRECTIONS) -> FloatArray:
    """Return unit vectors along which positive points may be told from negative ones.

    They lead to positive points (chosen at random, with their weights): from the centre, from the
    mean of the negative points, from a random negative point, and from the nearest negative points
    to the nearest positive ones.
    """
    Z, positive, negative = cloud.Z, np.flatnonzero(cloud.y), np.flatnonzero(~cloud.y)
    weight = cloud.weight
    p = rng.choice(positive, count, p=weight[positive] / weight[positive].sum())
    q = rng.choice(negative, count, p=weight[negative] / weight[negative].sum())
    mean = weight[negative] @ Z[negative] / weight[negative].sum()
    local = _local_differences(cloud, p, positive, negative)
    rows = [Z[p], Z[p] - mean, Z[p] - Z[q], local, _curved(cloud)]
    return unit_rows(np.vstack(rows))


def _curved(cloud: Cloud) -> FloatArray:
    """Axes along which the classes are spread most differently, both ways.

    They are eigenvectors of the difference of the classes' second moments, which show what a
    linear fit cannot see: opposite corners, rings, slabs.
    """
    if cloud.Z.shape[1] > _MOST_FEATURES_SQUARED:
        return np.zeros((0, cloud.Z.shape[1]))
    Z = cloud.Z - cloud.weight @ cloud.Z
    value, axes = np.linalg.eigh((Z * cloud.gain[:, None]).T @ Z)
    chosen = axes[:, np.argsort(-np.abs(value))[:_AXES]].T
    return np.vstack([chosen, -chosen])


def _local_differences(cloud: Cloud, p, positive, negative) -> FloatArray:  # type: ignore[no-untyped-def]
    """Mean of the positive points nearest to each of p, minus that of the nearest negative ones."""
    Z = cloud.Z
    square = (Z**2).sum(axis=1)
    distance = square[p, None] - 2 * Z[p] @ Z.T + square

    def local_mean(some):  # type: ignore[no-untyped-def]
        k = min(len(some), max(1, len(some) // 8))
        nearest = np.argpartition(distance[:, some], k - 1, axis=1)[:, :k]
        return Z[some[nearest]].mean(axis=1)

    return local_mean(positive) - local_mean(negative)


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


def best_half_space(
    cloud: Cloud, U: FloatArray, gain: FloatArray
) -> tuple[float, FloatArray, float]:
    """Return gain, normal and threshold of the best half-space with one of the normals U."""
    best, threshold = cut(cloud.Z @ U.T, gain)
    k = int(best.argmax())
    return float(best[k]), U[k], float(threshold[k])


def smooth_half_space(cloud: Cloud, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return a half-space along a strongly penalised linear fit."""
    cloud = cloud.thinned(rng, MOST_FITTED)
    return _best_of(cloud, unit_rows(linear_fits(cloud, (1e-1, 1e-2))))


def sharp_half_space(cloud: Cloud, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return the half-space with the fewest errors along linear fits and directions of the data."""
    cloud = cloud.thinned(rng, MOST_FITTED)
    fits = unit_rows(linear_fits(cloud, (1e-1, 1e-2, 1e-3, 1e-4, 1e-6)))
    return _best_of(cloud, np.vstack([fits, directions(cloud.thinned(rng), rng)]))


def rough_half_space(cloud: Cloud, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return the half-space with the fewest errors along some directions of the data."""
    cloud = cloud.thinned(rng)
    return _best_of(cloud, directions(cloud, rng, 4))


def _best_of(cloud: Cloud, U: FloatArray) -> HalfSpaces:
    _, u, t = best_half_space(cloud, U, cloud.gain)
    return HalfSpaces(u[None], np.array([t]))


def cover(cloud: Cloud, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return half-spaces whose union holds the positive points, added one at a time.

    Each is the best for the positive points not yet held; negative points in it count against it,
    by their weight or, which keeps the first ones from spoiling what follows, four times it. The
    better of the two unions is returned, without half-spaces that add next to nothing, after each
    has been fitted once more to what the others leave to it.
    """
    cloud = cloud.thinned(rng)
    unions = [_greedy_cover(cloud, neurons, price, rng) for price in (1.0, 4.0)]
    best = max(unions, key=lambda union: union.held_by_any(cloud) @ cloud.gain)
    return _refitted(cloud, _pruned(cloud, best))


def _pruned(cloud: Cloud, union: HalfSpaces) -> HalfSpaces:
    """Return the union without the half-spaces that hold little beyond the others."""
    kept = np.arange(len(union.t))
    held = union.t <= cloud.Z @ union.W.T
    least = max(_LEAST_GAIN, 1.5 / len(cloud.y))
    while len(kept) > 1:
        alone = held[:, kept] & (held[:, kept].sum(axis=1, keepdims=True) == 1)
        gain = cloud.gain @ alone
        if gain.min() >= least:
            break
        kept = np.delete(kept, gain.argmin())
    return HalfSpaces(union.W[kept], union.t[kept])


def _refitted(cloud: Cloud, union: HalfSpaces) -> HalfSpaces:
    W, t = union.W.copy(), union.t.copy()
    held = t <= cloud.Z @ W.T
    for i in [*range(len(t))] * _ROUNDS:
        others = np.delete(held, i, axis=1).any(axis=1)
        gain = np.where(others, 0.0, cloud.gain)
        rest = cloud.with_weight(np.abs(gain))
        if not rest.y.any() or rest.y.all():
            continue
        U = np.vstack([W[[i]], unit_rows(linear_fits(rest, (1e-3,), 8))])
        _, W[i], t[i] = best_half_space(cloud, U, gain)
        held[:, i] = cloud.Z @ W[i] >= t[i]
    return HalfSpaces(W, t)


def _greedy_cover(cloud: Cloud, neurons: int, price: float, rng: np.random.Generator) -> HalfSpaces:
    W, t = [], []
    gain = np.where(cloud.y, cloud.weight, -price * cloud.weight)
    for _ in range(neurons):
        rest = cloud.with_weight(np.abs(gain))
        if not rest.y.any() or rest.y.all():
            break
        U = np.vstack([unit_rows(least_squares(rest)), directions(rest, rng)])
        best, u, threshold = best_half_space(cloud, U, gain)
        if best <= 0:
            break
        W.append(u)
        t.append(threshold)
        gain = np.where(cloud.Z @ u >= threshold, 0.0, gain)
    if not W:
        return smooth_half_space(cloud, neurons, rng)
    return HalfSpaces(np.array(W), np.array(t))


def carve(cloud: Cloud, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return half-spaces whose intersection holds the positive points.

    By De Morgan that is the cover of the negative points, turned round.
    """
    outside = cover(cloud.flipped(), neurons, rng)
    return HalfSpaces(-outside.W, -outside.t)


def slices(cloud: Cloud, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return parallel half-spaces between which the classes alternate, for a voting output.

    Of all directions tried it is the one with the best labelling by at most `neurons` cuts.
    """
    cloud = cloud.thinned(rng, _SLICED_POINTS)
    U = np.vstack([unit_rows(linear_fits(cloud, (1e-2,))), directions(cloud, rng)])
    P = cloud.Z @ U.T
    order = np.argsort(P, axis=0)
    ranked = np.take_along_axis(P, order, axis=0)
    gain = cloud.gain[order]
    # Fewest cuts among the best; what is equal on paper may differ by rounding.
    score = np.rint(_best_runs(ranked, gain, neurons)[0] * 2.0**40)
    places = np.argwhere(score == score.max()).tolist()
    label, count, k = min(places, key=lambda place: place[1])
    changes = _best_runs(ranked[:, [k]], gain[:, [k]], neurons)[1]
    cuts, c = [], count
    for i in range(len(ranked) - 1, 0, -1):
        if changes[i, label, c, 0]:
            cuts.append((ranked[i - 1, k] + ranked[i, k]) / 2)
            c -= 1
    if not cuts:
        return HalfSpaces(U[[k]], np.array([-1.0 if label else 1.0]), np.ones(1), 0.5)
    signs = np.where(np.arange(count) % 2 == label, 1.0, -1.0)
    quorum = -0.5 if label else 0.5
    return HalfSpaces(np.repeat(U[[k]], count, axis=0), np.array(cuts[::-1]), signs, quorum)


def _best_runs(ranked: FloatArray, gain: FloatArray, cuts: int) -> tuple[FloatArray, BoolArray]:
    """Label the points of each column in runs, as well as `cuts` changes of the label allow.

    Dynamic programming over the points in ascending order; the state is the label of the first run
    and the number of changes so far.

    Returns
    -------
    score : ndarray of shape (2, cuts + 1, columns)
        Best sum of gains by first label and number of changes.
    changes : ndarray of shape (n, 2, cuts + 1, columns)
        Whether the label changes just before the point.
    """
    n, columns = ranked.shape
    fires = (np.arange(2)[:, None] + np.arange(cuts + 1)) % 2
    score = np.full((2, cuts + 1, columns), -np.inf)
    score[:, 0] = fires[:, 0, None] * gain[0]
    changes = np.zeros((n, 2, cuts + 1, columns), bool)
    for i in range(1, n):
        separable = np.where(ranked[i] > ranked[i - 1], 0.0, -np.inf)
        changes[i, :, 1:] = score[:, :-1] + separable > score[:, 1:]
        score[:, 1:] = np.maximum(score[:, 1:], score[:, :-1] + separable)
        score += fires[:, :, None] * gain[i]
    return score, changes


def vote(cloud: Cloud, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return half-spaces and their weights in a vote, by boosting (Freund and Schapire 1997).

    Each is chosen for the points on which the ones before it went wrong.
    """
    cloud = cloud.thinned(rng)
    W, t, strength = [], [], []
    weight = cloud.weight
    sign = np.where(cloud.y, 1.0, -1.0)
    for _ in range(neurons):
        now = cloud.with_weight(weight)
        U = np.vstack([unit_rows(least_squares(now)), directions(now, rng, _VOTE_DIRECTIONS)])
        U = np.vstack([U, -U])
        _, u, threshold = best_half_space(cloud, U, weight * sign)
        says = np.where(cloud.Z @ u >= threshold, 1.0, -1.0)
        error = float(np.clip(weight @ (says != sign), 1e-6, 1 - 1e-6))
        W.append(u)
        t.append(threshold)
        strength.append(0.5 * np.log((1 - error) / error))
        weight = weight * np.exp(-strength[-1] * says * sign)
        weight /= weight.sum()
    return _balanced(np.array(W), np.array(t), np.array(strength))


def _balanced(W: FloatArray, t: FloatArray, strength: FloatArray) -> HalfSpaces:
    """Return the majority vote with some neurons turned round, so that its quorum is small.

    An output neuron has a unit normal and a bias of at most 1, less than half of many equal
    votes. A neuron that is turned round votes against, and lowers the quorum by its strength.
    """
    quorum = strength.sum() / 2
    turn = np.ones(len(t))
    for i in np.argsort(-np.abs(strength)):
        if abs(quorum - strength[i]) < abs(quorum):
            quorum -= strength[i]
            turn[i] = -1.0
    return HalfSpaces(W * turn[:, None], t * turn, strength * turn, quorum)
