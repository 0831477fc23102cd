"""Fitness on a finite set of weighted points in any dimension.

The score is the weight of the correctly classified points, an integer, and a pure function of the
genome: a neuron fires iff its dot product, accumulated in index order, reaches its bias, exactly as
in `geometry.predict`. Dot products are kept up to date from offspring to offspring; where one is
closer to the bias than rounding errors allow, the canonical one decides.

An offspring is judged chunk by chunk (`point_judge`): planned first (`point_plan`), then carried
out on rows of numbers (`point_rows`). Now and then the points are put in order, the wrongly
classified first, then those close to the border (`point_margins`), so that most offspring are known
to be worse after a few chunks.
"""

import math

import numpy as np

from hyperna._kernels import point_judge as rules
from hyperna._kernels import point_margins as margins
from hyperna._kernels import point_plan as scheme
from hyperna._kernels import point_rows as store
from hyperna._kernels.geometry import (
    EVOLVED,
    cos_sin_turn,
    layer_weights,
    neuron_weights,
    predict,
)
from hyperna._kernels.jit import kernel, lean_kernel
from hyperna._kernels.matching import all_matched
from hyperna._kernels.point_rows import Points, PointsWork
from hyperna._kernels.protocol import implement

# Points in a chunk, a multiple of what a vectorised loop takes at a time.
_CHUNK, _LANES = 256, 16
# Bytes of tails beyond which there are none, and dimensions below which they do not pay.
_LARGEST_TAILS, _LEAST_DIM = 2**28, 6
# Resolution up to which sines and cosines are tabulated.
_LARGEST_TABLE = 2**12


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
    unit = max(1.0, int(weight.sum()) / margins.LARGEST_PULL)
    pull = np.rint(weight / unit)
    chunks = -(-weight.size // _CHUNK)
    chunk = -(-weight.size // (chunks * _LANES)) * _LANES
    return Points(
        columns=np.ascontiguousarray(columns, np.float64),
        gain=np.where(positive, weight, -weight).astype(np.int64),
        pull=np.where(positive, pull, -pull),
        base=int(weight[~positive].sum()),
        join=int(join) if neurons > 1 else 0,
        neurons=int(neurons),
        resolution=int(resolution),
        dim=int(dim),
        tie_clip=float(tie_clip),
        tie_unit=float(tie_clip) * unit / margins.QUANTA,
        chunk=chunk,
        block=_block(int(dim), 8 * chunks * chunk * neurons * dim),
    )


def _block(dim: int, size: int) -> int:
    """Number of angles in a block; 0 where tails do not pay or take too much memory."""
    if dim < _LEAST_DIM or size > _LARGEST_TAILS:
        return 0
    return math.isqrt(dim - 2) + 1


def _workspace(fitness):
    dim, neurons, block = fitness.dim, fitness.neurons, fitness.block
    width = max(dim, 2)
    chunks = -(-fitness.gain.size // fitness.chunk)
    components = width * neurons + (neurons if fitness.join == EVOLVED else 0)
    few = fitness.join == EVOLVED and neurons <= margins.TABLE_NEURONS
    patterns = 1 + (1 << neurons if few else 0)
    blocks = -(-(dim - 1) // block) if block > 0 else 0
    first_row = dim + store.N_SHARED
    rows = store.N_DOTS + (dim - 2 + blocks if block > 0 else 0)
    columns = store.LOCAL + 2 * blocks
    tabulated = fitness.resolution <= _LARGEST_TABLE
    longest = max(3 * components + dim + 3, patterns)
    if tabulated:
        longest = max(longest, fitness.resolution)
    work = PointsWork(
        dim,
        width,
        neurons,
        fitness.join,
        fitness.resolution,
        tabulated,
        fitness.tie_clip,
        fitness.tie_unit,
        block,
        blocks,
        first_row,
        rows,
        columns,
        np.zeros((chunks, first_row + neurons * rows, fitness.chunk), np.float64),
        np.zeros((chunks, store.N_WHOLE, fitness.chunk), np.int64),
        np.zeros((chunks, store.N_CHUNK + neurons * columns), np.int64),
        np.zeros((chunks, store.N_BOUND + store.N_SLACK * neurons + 2 * dim), np.float64),
        np.zeros((store.N_NOTE, longest), np.float64),
        np.zeros((store.N_PLAN + neurons, max(longest, margins.N_BINS)), np.int64),
    )
    for c in range(components):
        work.plan[store.NEURON, c] = c // width
        work.plan[store.BLOCK, c] = c % width // max(block, 1)
    if tabulated:
        for phi in range(fitness.resolution):
            cosine, sine = cos_sin_turn(phi, fitness.resolution)
            work.note[store.TABLE, phi] = cosine
            work.note[store.TABLE + 1, phi] = sine
    last = fitness.gain.size - 1
    for c in range(chunks):
        for p in range(fitness.chunk):
            place = c * fitness.chunk + p
            work.whole[c, store.PLACE, p] = place if place <= last else ~last
        store.fill_chunk(fitness, work, c)
    return work


def _prepare(fitness, work, genome):
    counter, chunks = work.plan[store.COUNTER], work.chunk.shape[0]
    for i in range(store.N_COUNTERS):
        counter[i] = 0
    counter[store.PATIENCE] = rules.FIRST_PATIENCE * (work.dim + 4) * chunks
    if chunks == 1:
        counter[store.PATIENCE] = 2**62
    for cosine in (store.COS, store.NEXT_COS):
        for i in range(work.neurons):
            bias = (i + 1) * work.width - 1
            for c in range(i * work.width, bias):
                scheme.set_angle(work, genome, c, cosine)
            scheme.set_bias(work, genome, bias, cosine)
    for i in range(work.neurons):
        work.note[store.BEFORE, i * work.width] = 1.0
        scheme.multiply_sines(work, i * work.width, 0)
    if work.join == EVOLVED:
        scheme.set_output(work, genome, 0)
    return fitness.base + rules.take_stock(work)


def _evaluate(fitness, work, genome, changed, count, score):
    if work.plan[store.COUNTER, store.EFFORT] > work.plan[store.COUNTER, store.PATIENCE]:
        rules.put_in_order(fitness, work)
    gain = rules.judge_offspring(work, genome, changed, count, score - fitness.base)
    return fitness.base + gain


def _tie(fitness, work):
    return margins.second_value(work) if fitness.tie_clip > 0.0 else 0.0


def _keep(fitness, work, genome, changed, count):
    rules.keep_offspring(work)


def _undo(fitness, work, genome, changed, count):
    rules.drop_offspring(work)


@lean_kernel
def apart(value, target, modulus):
    """Distance on a cycle of length `modulus`, however many times round."""
    gap = abs(value - target) % modulus
    return min(gap, modulus - gap)


@lean_kernel
def near_target(work, genome, first, target, tolerance, flipped):
    """Whether a neuron is close to a target or to one of its mirror images.

    The angles (-a, b + half a turn) in succession mean the same normal as (a, b). So every angle
    but the last may be mirrored, which moves the next one by half a turn; `plain` and `moved` say
    whether what has been seen so far matches with the next angle as it is, or moved. `flipped`: the
    neuron with its two sides swapped (D = 2).
    """
    r, bias = np.float64(work.resolution), work.width - 1
    value = np.float64(genome[first + bias])
    if apart(r - value if flipped else value, target[bias], r + 1.0) >= tolerance:
        return False
    if work.dim == 1:
        return apart(np.float64(genome[first]), target[0], 2.0) < tolerance
    plain, moved = not flipped, flipped
    for k in range(bias):
        a = np.float64(genome[first + k])
        b = a + 0.5 * r
        as_it_is = (plain and apart(a, target[k], r) < tolerance) or (
            moved and apart(b, target[k], r) < tolerance
        )
        mirrored = (plain and apart(-a, target[k], r) < tolerance) or (
            moved and apart(-b, target[k], r) < tolerance
        )
        plain, moved = as_it_is, mirrored
    return plain


@lean_kernel
def output_agrees(work, flips, conjunction):
    """Whether the evolved output joins the neurons as needed, those in `flips` taken inverted.

    As an OR of neurons at most one of which fires, or as an AND of neurons at most one of which is
    silent: other patterns do not occur next to an optimum.
    """
    output = work.note[store.OUTPUT_NEURON + work.plan[store.COUNTER, store.OUTPUT]]
    bits, usual = work.note[store.BITS], np.int64(conjunction)
    for odd in range(-1, work.neurons):
        for i in range(work.neurons):
            bits[i] = np.float64(flips[i] ^ usual ^ np.int64(i == odd))
        if margins.fires(work, output, bits) != ((odd >= 0) != conjunction):
            return False
    return True


@lean_kernel
def find_targets(work, genome, neuron, targets, tolerance, near, flips):
    """Mark the targets that a neuron, perhaps with its sides swapped, is close to."""
    first, anything = neuron * work.width, False
    flips[neuron] = 0
    for t in range(work.neurons):
        close = near_target(work, genome, first, targets[t], tolerance, False)
        if not close and work.join == EVOLVED:
            close = near_target(work, genome, first, targets[t], tolerance, True)
            if close:
                flips[neuron] = 1
        near[neuron, t] = np.int64(close)
        anything = anything or close
    return anything


def _optimal(fitness, work, genome, optima, tolerance):
    near, flips = work.plan[store.N_PLAN :], work.plan[store.PASSES]
    for alternative in range(optima.shape[0]):
        targets = optima[alternative]
        found = True
        for i in range(work.neurons):
            if not find_targets(work, genome, i, targets, tolerance, near, flips):
                found = False
                break
        if found:
            found = all_matched(near, work.neurons, work.plan[store.MOVE : store.PASSES])
        # an evolved output comes with a column that says whether it is to act as an AND
        if found and work.join == EVOLVED:
            found = output_agrees(work, flips, targets[0, work.width] == 1.0)
        if found:
            return True
    return False


@kernel
def points_score(points, genome):
    """Weight of the correctly classified points, by `predict`."""
    hidden = points.neurons * max(points.dim, 2)
    W, b = layer_weights(genome, points.dim, points.neurons, points.resolution, 0)
    output_w, output_b = np.zeros(points.neurons), 0.0
    if points.join == EVOLVED:
        output_b = neuron_weights(genome, points.neurons, points.resolution, hidden, output_w)
    fires = predict(points.columns.T, W, b, points.join, output_w, output_b)
    score = points.base
    for p in range(fires.size):
        if fires[p]:
            score += points.gain[p]
    return score


implement(
    Points,
    workspace=kernel(_workspace),
    prepare=_prepare,
    evaluate=_evaluate,
    tie=_tie,
    keep=_keep,
    undo=_undo,
    optimal=_optimal,
)
