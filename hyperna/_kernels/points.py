"""Fitness on a finite set of weighted points in any dimension.

The score is the weight of the correctly classified points, an integer, and a pure function of the
genome: a neuron fires iff its dot product, accumulated in index order, reaches its bias, exactly as
in `geometry.predict`. Dot products are kept up to date from offspring to offspring; where one is
closer to the bias than rounding errors allow, the canonical one decides.

An offspring is judged chunk by chunk (`point_judge`): planned first (`point_plan`), then carried
out on rows of numbers (`point_rows`). Now and then the points are put in order, the wrongly
classified first, then those close to the border (`point_order`), so that most offspring are known
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
)
from hyperna._kernels.jit import inline_kernel, inner_kernel, kernel
from hyperna._kernels.point_optima import optimal
from hyperna._kernels.point_order import N_BINS, put_in_order
from hyperna._kernels.point_rows import Points, PointsWork
from hyperna._kernels.protocol import implement
from hyperna._kernels.state import CHANGED, GENOME, OLD
from hyperna._kernels.steps import take_step

# Points in a chunk, a multiple of what a vectorised loop takes at a time.
_CHUNK, _LANES = 256, 16
# Dimensions below which blocks of coordinates do not pay.
_LEAST_DIM = 9
# Resolution up to which sines and cosines are tabulated.
_LARGEST_TABLE = 2**12
# The points are put in order when so many times as many rows have been read as this takes.
_FIRST_PATIENCE, _LONGEST_PATIENCE = 100, 800


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
        block=math.isqrt(dim) if dim >= _LEAST_DIM else int(dim),
    )


def _workspace(fitness):
    dim, neurons, block = fitness.dim, fitness.neurons, fitness.block
    width, blocks = max(dim, 2), -(-dim // block)
    chunks = -(-fitness.gain.size // fitness.chunk)
    components = width * neurons + (neurons if fitness.join == EVOLVED else 0)
    few = fitness.join == EVOLVED and neurons <= scheme.TABLE_NEURONS
    tabulated = fitness.resolution <= _LARGEST_TABLE
    longest = components + (neurons + 1) * store.TERMS_PER_PASS
    longest = max(longest, fitness.resolution if tabulated else 0, 1 << neurons if few else 0)
    first_row, rows = dim + store.N_SHARED, store.N_DOTS + blocks
    columns = store.HEAD + blocks
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
        np.zeros((chunks, store.N_BOUND + store.N_SLACK * neurons + dim), np.float64),
        np.ones((store.N_NOTE, longest), np.float64),
        np.zeros((store.TARGETS + neurons, max(longest, N_BINS)), np.int64),
    )
    for i in range(neurons):
        # no network yet
        work.note[store.BIAS, i] = np.nan
    for c in range(components):
        work.plan[store.NEURON, c] = c // width
    for j in range(dim + store.TERMS_PER_PASS):
        work.plan[store.COLUMN, j] = j if j < dim else dim + store.ZERO
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


@inline_kernel
def _patience(work, times):
    """Chunks to be judged before the points are put in order: about block + blocks rows each."""
    chunks = work.chunk.shape[0]
    return times * work.dim * chunks // (work.block + work.blocks) if chunks > 1 else 2**62


@inline_kernel
def _set_neuron(work, genome, neuron):
    """Write down the angles and bias of a neuron; return whether they were others before."""
    note, first, new = work.note, neuron * work.width, False
    for c in range(first, first + work.width - 1):
        scheme.set_angle(work, genome, c, store.NEXT_COS)
        for row, next_row in ((store.COS, store.NEXT_COS), (store.SIN, store.NEXT_SIN)):
            new = new or note[row, c] != note[next_row, c]
            note[row, c] = note[next_row, c]
    for begin in range(0, work.dim, work.block):
        scheme.multiply_sines(work, first + begin)
    note[store.NEXT_BIAS, neuron] = scheme.bias_value(work, genome, neuron)
    new = new or note[store.BIAS, neuron] != note[store.NEXT_BIAS, neuron]
    note[store.BIAS, neuron] = note[store.NEXT_BIAS, neuron]
    work.plan[store.STALE, neuron] = 1
    return new


def _prepare(fitness, work, genome):
    store.compact()
    counter, new = work.plan[store.COUNTER], False
    for i in range(store.EFFORT):
        counter[i] = 0
    for i in range(work.neurons):
        new = _set_neuron(work, genome, i) or new
    if new:
        # otherwise a run goes on, for which the points may have been put in order
        counter[store.EFFORT] = 0
        counter[store.PATIENCE] = _patience(work, _FIRST_PATIENCE)
    if work.join == EVOLVED:
        scheme.set_output(work, genome, counter[store.OUTPUT])
    score = fitness.base + rules.take_stock(work)
    return score, _tie(fitness, work)


@inner_kernel
def _evaluate(fitness, work, genome, changed, count, score):
    store.compact()
    counter = work.plan[store.COUNTER]
    if counter[store.EFFORT] > counter[store.PATIENCE]:
        put_in_order(fitness, work)
        rules.take_stock(work)
        counter[store.EFFORT] = 0
        counter[store.PATIENCE] = min(
            2 * counter[store.PATIENCE], _patience(work, _LONGEST_PATIENCE)
        )
    scheme.plan_offspring(work, genome, changed, count)
    return fitness.base + rules.judge_offspring(work, score - fitness.base)


@inner_kernel
def _tie(fitness, work):
    return margins.second_value(work) if fitness.tie_clip > 0.0 else 0.0


def _look(fitness, work, mutation, steps, genes, first, last, score, second):
    genome, changed, old = genes[GENOME], genes[CHANGED], genes[OLD]
    for step in range(first, last):
        count = take_step(mutation, steps, step, genome, changed, old)
        found = _evaluate(fitness, work, genome, changed, count, score)
        tie = 0.0
        if found >= score:
            tie = _tie(fitness, work)
        if found > score or (found == score and tie >= second):
            rules.keep_offspring(work)
            return step, found, tie
        for t in range(count):
            genome[changed[t]] = old[t]
        rules.drop_offspring(work)
    return last, score, second


implement(
    Points,
    workspace=kernel(_workspace),
    prepare=_prepare,
    look=_look,
    optimal=optimal,
)
