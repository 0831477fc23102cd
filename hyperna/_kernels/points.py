"""Fitness on a finite set of weighted points in any dimension.

The score is the weight of the correctly classified points, an integer, and a pure function of the genome: a neuron
fires iff its dot product, accumulated in index order, reaches its bias, exactly as in `geometry.predict`.

The second value (`tie`) is the sum over the points of weight * clip(±margin, -tie_clip, tie_clip), the sign being that of
the label. The margin of a point is the distance by which the hidden hyperplanes must move for the output to change,
positive where the output is 1: the largest w·x - b of an OR, the smallest of an AND.
"""

from typing import NamedTuple

import numpy as np

from hyperna._kernels.geometry import AND, EVOLVED, neuron_weights
from hyperna._kernels.jit import kernel, lean_kernel
from hyperna._kernels.protocol import implement, prepare, workspace


class Points(NamedTuple):
    """Points to be classified by `neurons` neurons joined by `join`.

    `columns` has a row for each coordinate. `gain` is what a point adds to the score `base` when the network fires on it:
    its weight if it is positive, minus its weight if not.
    """

    columns: np.ndarray
    gain: np.ndarray
    base: int
    join: int
    neurons: int
    resolution: int
    dim: int
    tie_clip: float


class PointsWork(NamedTuple):
    """Dot products (neurons, points), weights and bias of each neuron and of the output neuron, scratch space."""

    dot: np.ndarray
    weight: np.ndarray
    scratch: np.ndarray
    match: np.ndarray


def make_points(
    *,
    columns: np.ndarray,
    positive: np.ndarray,
    weight: np.ndarray,
    join: int,
    neurons: int,
    resolution: int,
    dim: int,
    tie_clip: float = 0.0,
) -> Points:
    """Return points as the loop takes them; points of weight 0 are left out."""
    heavy = weight > 0
    if not heavy.all():
        columns, positive, weight = columns[:, heavy], positive[heavy], weight[heavy]
    return Points(
        columns=np.ascontiguousarray(columns, np.float64),
        gain=np.where(positive, weight, -weight).astype(np.int64),
        base=int(weight[~positive].sum()),
        join=int(join) if neurons > 1 else 0,
        neurons=int(neurons),
        resolution=int(resolution),
        dim=int(dim),
        tie_clip=float(tie_clip),
    )


@lean_kernel
def dot_products(points, work, genome):
    """Recompute everything."""
    width = max(points.dim, 2)
    for i in range(points.neurons):
        weight, dot = work.weight[i], work.dot[i]
        weight[points.dim] = neuron_weights(
            genome, points.dim, points.resolution, i * width, weight
        )
        for p in range(dot.size):
            dot[p] = points.columns[0, p] * weight[0]
        for j in range(1, points.dim):
            column, w = points.columns[j], weight[j]
            for p in range(dot.size):
                dot[p] += column[p] * w
    if points.join == EVOLVED:
        output = work.weight[points.neurons]
        first = points.neurons * width
        output[points.neurons] = neuron_weights(
            genome, points.neurons, points.resolution, first, output
        )


@lean_kernel
def fires(points, work, bit):
    """Whether the network fires on the hidden bits."""
    neurons = points.neurons
    if points.join == EVOLVED:
        output = work.weight[neurons]
        total = 0.0
        for i in range(neurons):
            if bit[i] > 0.0:
                total += output[i]
        return total >= output[neurons]
    count = 0.0
    for i in range(neurons):
        count += bit[i]
    return count == neurons if points.join == AND else count > 0.0


@lean_kernel
def margin(points, work, p):
    """Distance by which the hyperplanes must move for the output at point p to change, signed."""
    neurons = points.neurons
    bit, size = work.scratch[0], work.scratch[1]
    for i in range(neurons):
        size[i] = work.dot[i, p] - work.weight[i, points.dim]
        bit[i] = 1.0 if size[i] >= 0.0 else 0.0
        size[i] = abs(size[i])
    output = fires(points, work, bit)
    sign = 1.0 if output else -1.0
    for _ in range(neurons):
        nearest = 0
        for i in range(1, neurons):
            if size[i] < size[nearest]:
                nearest = i
        reach = size[nearest]
        size[nearest] = np.inf
        push = work.weight[neurons, nearest] if points.join == EVOLVED else 1.0
        bit[nearest] = 1.0 if push * sign < 0.0 else 0.0
        if fires(points, work, bit) != output:
            return sign * reach
    return sign * np.inf


def _workspace(fitness):
    n = fitness.gain.size
    neurons, widest = fitness.neurons, max(fitness.dim, fitness.neurons) + 1
    return PointsWork(
        np.zeros((neurons, n), np.float64),
        np.zeros((neurons + 1, widest), np.float64),
        np.zeros((2, neurons), np.float64),
        np.zeros(neurons, np.int64),
    )


def _prepare(fitness, work, genome):
    dot_products(fitness, work, genome)
    score = fitness.base
    bit = work.scratch[0]
    for p in range(fitness.gain.size):
        for i in range(fitness.neurons):
            bit[i] = 1.0 if work.dot[i, p] >= work.weight[i, fitness.dim] else 0.0
        if fires(fitness, work, bit):
            score += fitness.gain[p]
    return score


def _evaluate(fitness, work, genome, changed, count, score):
    return prepare(fitness, work, genome)


def _tie(fitness, work):
    total = 0.0
    if fitness.tie_clip > 0.0:
        for p in range(fitness.gain.size):
            clipped = min(max(margin(fitness, work, p), -fitness.tie_clip), fitness.tie_clip)
            total += clipped * np.float64(fitness.gain[p])
    return total


def _keep(fitness, work, genome, changed, count):
    return


def _undo(fitness, work, genome, changed, count):
    return


@lean_kernel
def apart(value, target, modulus):
    """Distance on a cycle of length `modulus`, whatever multiple of it lies between."""
    gap = abs(value - target) % modulus
    return min(gap, modulus - gap)


@lean_kernel
def near_target(points, genome, first, target, tolerance):
    """Whether a neuron is close to a target, or to one of the target's mirror images.

    The angles (-a, b + half a turn) in succession mean the same normal as (a, b). So every angle but
    the last may be mirrored, which moves the next one by half a turn: `plain` and `moved` say
    whether what has been seen so far can match such that the next angle is taken as it is, or moved.
    """
    r = np.float64(points.resolution)
    bias = max(points.dim, 2) - 1
    if apart(np.float64(genome[first + bias]), target[bias], r + 1.0) >= tolerance:
        return False
    if points.dim == 1:
        return apart(np.float64(genome[first]), target[0], 2.0) < tolerance
    plain, moved = True, False
    for k in range(bias):
        a = np.float64(genome[first + k])
        half = a + 0.5 * r
        as_is = (plain and apart(a, target[k], r) < tolerance) or (
            moved and apart(half, target[k], r) < tolerance
        )
        mirrored = (plain and apart(-a, target[k], r) < tolerance) or (
            moved and apart(-half, target[k], r) < tolerance
        )
        plain, moved = as_is, mirrored
    return plain


def _optimal(fitness, work, genome, optima, tolerance):
    width = max(fitness.dim, 2)
    for alternative in range(optima.shape[0]):
        found = True
        for i in range(fitness.neurons):
            work.match[i] = -1
            for target in range(fitness.neurons):
                free = True
                for j in range(i):
                    free = free and work.match[j] != target
                if free and near_target(
                    fitness, genome, i * width, optima[alternative, target], tolerance
                ):
                    work.match[i] = target
                    break
            found = work.match[i] >= 0
            if not found:
                break
        if found:
            return True
    return False


@kernel
def points_score(points, genome):
    """Weight of the correctly classified points."""
    return prepare(points, workspace(points), genome)


implement(
    Points,
    workspace=_workspace,
    prepare=_prepare,
    evaluate=_evaluate,
    tie=_tie,
    keep=_keep,
    undo=_undo,
    optimal=_optimal,
)
