"""Half-spaces made from the data: what they are on their way to a network, linear fits, and cuts.

A cut is the best threshold along a direction, which is sought among directions of the points.
"""

from dataclasses import dataclass

import numpy as np

from hyperna._validation import BoolArray, FloatArray
from hyperna.classifier.points import LabelledPoints
from hyperna.grid import Grid
from hyperna.networks import Network

# Enough points for a linear fit; larger sets are thinned.
MOST_FITTED = 20_000
# With more features than this the normal equations take too long.
MOST_FEATURES_SOLVED = 500
_DIRECTIONS = 6
_DESCENTS, _MOST_DESCENT_WORK = 300, 10**7
_AXES = 4
_MOST_FEATURES_SQUARED = 200


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


def linear_fits(
    points: LabelledPoints, strengths: tuple[float, ...], steps: int = 20
) -> FloatArray:
    """Return normals of half-spaces that minimise the squared hinge loss with an L2 penalty.

    Each strength of the penalty gives one row, after at most this many steps of Newton's method,
    shortened where that is needed (Keerthi and DeCoste 2005). For very many features the penalised
    least squares fit stands in.
    """
    if points.Z.shape[1] > MOST_FEATURES_SOLVED:
        return np.repeat(least_squares(points), len(strengths), axis=0)
    sign = np.where(points.y, 1.0, -1.0)
    A = np.column_stack([points.Z / points.unit, np.ones(len(sign))]) * sign[:, None]
    v, rows = np.zeros(A.shape[1]), []
    for strength in strengths:
        # The constant term is all but free.
        penalty = np.append(np.full(points.Z.shape[1], strength), 1e-9)
        v = _squared_hinge(A, points.share, penalty, v, steps)
        rows.append(v[:-1] if v[:-1].any() else np.eye(1, len(v) - 1)[0])
    return np.array(rows)


def _squared_hinge(
    A: FloatArray, weight: FloatArray, penalty: FloatArray, v: FloatArray, steps: int
) -> FloatArray:
    """Minimise sum(weight * max(0, 1 - A v)**2) + sum(penalty * v**2)."""

    def state(v: FloatArray) -> tuple[float, FloatArray]:
        slack = np.maximum(0.0, 1.0 - A @ v)
        return float(weight @ slack**2 + penalty @ v**2), slack

    loss, slack = state(v)
    for _ in range(steps):
        active = slack > 0
        B = A[active] * weight[active, None]
        gradient = penalty * v - slack[active] @ B
        step = np.linalg.solve(B.T @ A[active] + np.diag(penalty), gradient)
        length = 1.0
        new_loss, new_slack = state(v - step)
        while new_loss > loss and length > 1e-3:
            length /= 2
            new_loss, new_slack = state(v - length * step)
        if new_loss >= loss * (1 - 1e-6):
            break
        v, loss, slack = v - length * step, new_loss, new_slack
    return v


def least_squares(points: LabelledPoints) -> FloatArray:
    """Return the normal, as a row, of the linear function nearest to the labels -1 and 1."""
    Z = points.Z - points.share @ points.Z
    root = np.sqrt(points.share)
    B = Z * root[:, None]
    penalty = 1e-3 * float((B**2).sum()) / B.shape[1] + 1e-12
    target = np.where(points.y, root, -root)
    if B.shape[1] > len(B):
        # With more features than points the same solution comes cheaper from the points.
        w = B.T @ np.linalg.solve(B @ B.T + penalty * np.eye(len(B)), target)
    else:
        w = np.linalg.solve(B.T @ B + penalty * np.eye(B.shape[1]), B.T @ target)
    return np.asarray(w)[None]


def unit_rows(U: FloatArray) -> FloatArray:
    """Return the rows of U divided by their lengths, without those of length zero."""
    length = np.sqrt((U**2).sum(axis=1))
    return U[length > 0] / length[length > 0, None]


def directions(
    points: LabelledPoints, rng: np.random.Generator, count: int = _DIRECTIONS
) -> FloatArray:
    """Return unit vectors along which positive points may be told from negative ones.

    They lead to positive points (chosen at random, with their weights): from the centre, from the
    mean of the negative points, from a random negative point, and from the nearest negative points
    to the nearest positive ones.
    """
    Z, positive, negative = points.Z, np.flatnonzero(points.y), np.flatnonzero(~points.y)
    weight = points.share
    p = rng.choice(positive, count, p=weight[positive] / weight[positive].sum())
    q = rng.choice(negative, count, p=weight[negative] / weight[negative].sum())
    mean = weight[negative] @ Z[negative] / weight[negative].sum()
    local = _local_differences(points, p, positive, negative)
    rows = [Z[p], Z[p] - mean, Z[p] - Z[q], local, _curved(points)]
    return unit_rows(np.vstack(rows))


def _curved(points: LabelledPoints) -> FloatArray:
    """Axes along which the classes are spread most differently, both ways.

    They are eigenvectors of the difference of the classes' second moments, which show what a
    linear fit cannot see: opposite corners, rings, slabs.
    """
    if points.Z.shape[1] > _MOST_FEATURES_SQUARED:
        return np.zeros((0, points.Z.shape[1]))
    Z = points.Z - points.share @ points.Z
    value, axes = np.linalg.eigh((Z * points.gain[:, None]).T @ Z)
    chosen = axes[:, np.argsort(-np.abs(value))[:_AXES]].T
    return np.vstack([chosen, -chosen])


def _local_differences(points: LabelledPoints, p, positive, negative) -> FloatArray:  # type: ignore[no-untyped-def]
    """Mean of the positive points nearest to each of p, minus that of the nearest negative ones."""
    Z = points.Z
    square = (Z**2).sum(axis=1)
    distance = square[p, None] - 2 * Z[p] @ Z.T + square

    def local_mean(some):  # type: ignore[no-untyped-def]
        k = min(len(some), max(1, len(some) // 8))
        nearest = np.argpartition(distance[:, some], k - 1, axis=1)[:, :k]
        return Z[some[nearest]].mean(axis=1)

    return local_mean(positive) - local_mean(negative)


def sharp_half_space(points: LabelledPoints, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return the half-space with the fewest errors along linear fits and directions of the data."""
    points = points.thinned(rng, MOST_FITTED)
    fits = unit_rows(linear_fits(points, (1e-1, 1e-2, 1e-3, 1e-4, 1e-6)))
    best = best_of(points, np.vstack([fits, directions(points.thinned(rng), rng)]))
    return descended(points, best, rng)


def rough_half_space(points: LabelledPoints, neurons: int, rng: np.random.Generator) -> HalfSpaces:
    """Return the half-space with the fewest errors along some directions of the data."""
    points = points.thinned(rng)
    return descended(points, best_of(points, directions(points, rng, 4)), rng)


def descended(points: LabelledPoints, start: HalfSpaces, rng: np.random.Generator) -> HalfSpaces:
    """Return a half-space with fewer errors, by exact steps along random lines of half-spaces.

    On the line v + a d each point changes sides at one a, so that sorting these finds the best
    (random coordinate descent, Li and Lin 2007); among equally good ones chance decides.
    """
    unit = points.unit
    A = np.column_stack([points.Z / unit, np.ones(len(points.y))])
    v = np.append(start.W[0] * unit, -start.t[0])
    steps = min(_DESCENTS, _MOST_DESCENT_WORK // A.size)
    for d in rng.normal(size=(steps, len(v))) * np.abs(v).max():
        here, slope = A @ v, A @ d
        moves = np.flatnonzero(slope)
        if not len(moves):
            continue
        turn = -here[moves] / slope[moves]
        order = np.argsort(turn)
        gain = np.where(slope[moves] > 0, points.gain[moves], -points.gain[moves])[order]
        value = np.rint(np.append(0.0, np.cumsum(gain)) * 2.0**40)
        ends = np.concatenate([[turn[order[0]] - 1.0], turn[order], [turn[order[-1]] + 1.0]])
        wide = ends[1:] - ends[:-1] > 1e-12
        if not wide.any():
            continue
        best = np.flatnonzero(wide & (value == value[wide].max()))
        k = int(rng.choice(best))
        v = v + (ends[k] + ends[k + 1]) / 2 * d
        v /= np.abs(v).max()
    if not v[:-1].any():
        return start
    better = HalfSpaces(v[None, :-1] / unit, -v[-1:])
    _, t = cut(points.Z @ better.W.T, points.gain)
    return HalfSpaces(better.W, t)


def best_of(points: LabelledPoints, U: FloatArray) -> HalfSpaces:
    """Return the best half-space with one of the normals U."""
    best, threshold = cut(points.Z @ U.T, points.gain)
    k = int(best.argmax())
    return HalfSpaces(U[k][None], threshold[k : k + 1])
