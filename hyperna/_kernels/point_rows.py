"""Points in chunks: where everything is kept, and the arithmetic on rows of numbers.

A chunk holds some hundred points. What is known about them is a stack of rows, one number a point:
the coordinates and, for each neuron, its dot products and the tails they are made of.

With T_(D-1) = x_(D-1) and T_k = cos a_k x_k + sin a_k T_(k+1) the dot product is T_0, and an angle
a_k that becomes a' changes it by

    sin a_0 ... sin a_(k-1) ((cos a' - cos a_k) x_k + (sin a' - sin a_k) T_(k+1)).

All tails before k become stale when a' is kept. To make few of them anew, the angles are cut into
blocks. Local tails L are sums within a block, outer tails O those from a block's beginning to the
last coordinate, and T_(k+1) = L_(k+1) + (product of the sines from k+1 to the block's end) O. A
block's head, its first local tail, follows every change; all others are made anew only when, and in
the chunks where, they are read.
"""

import math
from typing import NamedTuple

import numpy as np
from numba.core import types
from numba.extending import lower_builtin, type_callable

from hyperna._kernels.jit import inline_kernel, lean_kernel

# Rounding errors are bounded for this many accepted changes, then dot products are made anew.
LIFETIME = 256
UNIT_ROUNDOFF = 2.0**-53


class Points(NamedTuple):
    """Points to be classified by `neurons` neurons joined by `join`.

    `columns` has a row for each coordinate. `gain` is what a point adds to the score `base` when
    the network fires on it: its weight if it is positive, minus its weight if not. `pull` is the
    same for the second value. Points are handled in chunks of `chunk`, angles in blocks of `block`
    (0: without tails).
    """

    columns: np.ndarray
    gain: np.ndarray
    pull: np.ndarray
    base: int
    join: int
    neurons: int
    resolution: int
    dim: int
    tie_clip: float
    tie_unit: float
    chunk: int
    block: int


class PointsWork(NamedTuple):
    """What is known about the network and its offspring.

    `real` (chunks, rows, points): coordinates, shared rows, and for each neuron two rows of dot
    products, local tails and outer tails. `whole` (chunks, rows, points): gain, votes, original
    place. `chunk` and `bound`: integers and floats about each chunk. `note` and `plan`: floats and
    integers about the genome and what the offspring changes. Where there are two of anything, one
    is the offspring's. The numbers repeat the shape of the points and say where rows begin, so that
    this is all the innermost functions need to be handed.
    """

    dim: int
    width: int
    neurons: int
    join: int
    resolution: int
    tabulated: bool
    tie_clip: float
    tie_unit: float
    block: int
    blocks: int
    first_row: int
    rows: int
    columns: int
    real: np.ndarray
    whole: np.ndarray
    chunk: np.ndarray
    bound: np.ndarray
    note: np.ndarray
    plan: np.ndarray


# Rows of `real` after the coordinates, then those of each neuron: dot products, local tails, outer
# tails (the first and the last of which are dot products and a coordinate).
ZERO, PULL, SCRATCH, SPARE, N_SHARED = range(5)
N_DOTS = 2
# Rows of `whole`: gain, votes, original place.
GAIN, VOTE, PLACE, N_WHOLE = 0, 1, 4, 5
N_BALLOTS = 3
# Columns of `chunk`: gain of the points the network fires on, its largest possible value, the row
# of votes, whether the offspring is judged here; then those of each neuron: the row of dot
# products, whether the offspring's are new, whether the network's are up to date, from which block
# on the outer tails are; for each block from which angle on the local tails are, for each block
# whether the head is.
SUM, NEXT_SUM, CEILING, BALLOT, NEXT_BALLOT, TOUCHED, N_CHUNK = range(7)
ROW, NEXT_ROW, MOVED, VALID, OUTER, LOCAL = range(6)
# Columns of `bound`: guard band, second value; then those of each neuron: a distance that all
# points certainly keep from the hyperplane, one that they may hope to keep, how far they move at
# most; then for each coordinate its largest size, and for each the largest norm of those after it.
GUARD, TIE, NEXT_TIE, N_BOUND = range(4)
SLACK, HOPE, SHIFT, N_SLACK = range(4)
# Rows of `note`. For each component: cosine (of a bias: its value), sine, product of the sines
# before; the offspring's; weights; what a changed angle contributes, times its coordinate and times
# the tail after it. For each term its coefficient. Scratch space. The output neuron, and the
# offspring's. A table of the cosines and one of the sines of all angles, where they are few.
COS, SIN, BEFORE, NEXT_COS, NEXT_SIN, WEIGHT, SWING, TURN = range(8)
COEF, MARGIN, BITS, SUMS, OUTPUT_NEURON, TABLE, N_NOTE = 8, 9, 10, 11, 12, 14, 16
# Rows of `plan`. For each component its neuron and, of an angle, its block. The changed components
# in order. For each term its row. For each neuron that changes its number, first and after-last
# changed angle, first term, passes over the terms, whether they read tails. For each neuron whether
# WEIGHT is not the offspring's. Counters. The output neuron's answers, and the offspring's; its
# clauses, and the offspring's. After these a row for each neuron: the targets it is close to.
NEURON, BLOCK, CHANGED, TERM, MOVE, BEGIN, END, FIRST, PASSES, TAILS, STALE, COUNTER = range(12)
ANSWERS, CLAUSES, N_PLAN = 12, 14, 16
# Counters.
MOVES, OUTPUT, NEXT_OUTPUT, KEPT, EFFORT, PATIENCE, CEILINGS, N_COUNTERS = range(8)


def alone():
    """Keep the compiler from merging the function that calls this into its callers.

    A large function merged into several places is compiled several times. numba hands the wish to
    be merged (`inline_kernel`) down to the functions called, which this call takes back.
    """


@type_callable(alone)
def _type_alone(context):
    return lambda: types.void


@lower_builtin(alone)
def _lower_alone(context, builder, signature, arguments):
    builder.function.attributes.discard("alwaysinline")
    builder.function.attributes.add("noinline")
    return context.get_dummy_value()


@lean_kernel
def combine(rows, target, a, x, b, y):
    """Write a times row x plus b times row y."""
    alone()
    out, first, second = rows[target], rows[x], rows[y]
    for p in range(out.size):
        out[p] = a * first[p] + b * second[p]


@lean_kernel
def follow(rows, target, a, x, b, y):
    """Add a times row x plus b times row y."""
    alone()
    out, first, second = rows[target], rows[x], rows[y]
    for p in range(out.size):
        out[p] += a * first[p] + b * second[p]


@lean_kernel
def add_terms(rows, source, target, term, coef, t):
    """Write a row plus three terms; source and target must differ for the loop to be fast."""
    alone()
    base, out = rows[source], rows[target]
    x, y, z = rows[term[t]], rows[term[t + 1]], rows[term[t + 2]]
    a, b, c = coef[t], coef[t + 1], coef[t + 2]
    for p in range(out.size):
        out[p] = base[p] + (a * x[p] + b * y[p] + c * z[p])


@lean_kernel
def add_terms_and_judge(rows, source, target, term, coef, t, gain, bias, guard):
    """`add_terms`, and then `judge` in the same loop."""
    alone()
    base, out = rows[source], rows[target]
    x, y, z = rows[term[t]], rows[term[t + 1]], rows[term[t + 2]]
    a, b, c = coef[t], coef[t + 1], coef[t + 2]
    total, near = np.int64(0), np.int64(0)
    for p in range(out.size):
        dot = base[p] + (a * x[p] + b * y[p] + c * z[p])
        out[p] = dot
        total += gain[p] if dot >= bias else 0
        near += 0 if abs(dot - bias) > guard else 1
    return total, near


@lean_kernel
def judge(dots, gain, bias, guard):
    """Gain of the points on which the neuron fires, and how many are too close to be certain."""
    alone()
    total, near = np.int64(0), np.int64(0)
    for p in range(dots.size):
        total += gain[p] if dots[p] >= bias else 0
        near += 0 if abs(dots[p] - bias) > guard else 1
    return total, near


@inline_kernel
def canonical_dot(rows, p, weight, first, dim):
    """The dot product of point p with weight[first:], as `geometry.predict` has it."""
    dot = rows[0, p] * weight[first]
    for j in range(1, dim):
        dot += rows[j, p] * weight[first + j]
    return dot


@lean_kernel
def settle(rows, row, weight, first, dim, bias, guard):
    """Replace dot products that are too close to the bias by canonical ones."""
    alone()
    for p in range(rows.shape[1]):
        if not abs(rows[row, p] - bias) > guard:
            rows[row, p] = canonical_dot(rows, p, weight, first, dim)


@lean_kernel
def write_weights(note, cosine, first, dim):
    """Write the normal of the neuron at component `first` to the row WEIGHT, from there on.

    `cosine` is the row of the network's cosines or of the offspring's; the sines are in the next.
    """
    alone()
    if dim == 1:
        note[WEIGHT, first] = note[cosine, first]
        return
    product = 1.0
    for k in range(first, first + dim - 1):
        note[WEIGHT, k] = product * note[cosine, k]
        product *= note[cosine + 1, k]
    note[WEIGHT, first + dim - 1] = product


@lean_kernel
def update_dots(work, c, neuron):
    """Make the dot products of the network with the points of a chunk anew."""
    alone()
    rows, first, column = work.real[c], neuron * work.width, N_CHUNK + neuron * work.columns
    row = work.first_row + neuron * work.rows + work.chunk[c, column + ROW]
    write_weights(work.note, COS, first, work.dim)
    work.plan[STALE, neuron] = 1
    if work.block > 0:
        update_tails(work, c, neuron, -1)
        bias = work.note[COS, first + work.width - 1]
        settle(rows, row, work.note[WEIGHT], first, work.dim, bias, work.bound[c, GUARD])
    else:
        out = rows[row]
        for p in range(out.size):
            out[p] = rows[0, p] * work.note[WEIGHT, first]
        for j in range(1, work.dim):
            coordinate, weight = rows[j], work.note[WEIGHT, first + j]
            for p in range(out.size):
                out[p] += coordinate[p] * weight
    work.chunk[c, column + VALID] = 1


@lean_kernel
def update_tails(work, c, neuron, k):
    """Make up to date what angle k needs: the outer tail after its block, the local tail after it.

    On the way there, the heads of later blocks. For k = -1 all of them, and the dot products.
    """
    alone()
    rows, known, first = work.real[c], work.chunk[c], neuron * work.width
    column = N_CHUNK + neuron * work.columns
    local = work.first_row + neuron * work.rows + N_DOTS
    outer = local + work.dim - 2
    block = work.plan[BLOCK, first + k] if k >= 0 else -1
    for here in range(max(known[column + OUTER] - 1, block), max(block, 0) - 1, -1):
        begin, end = here * work.block, min((here + 1) * work.block, work.dim - 1)
        fresh, last = known[column + LOCAL + here], begin if here > block else k + 1
        head = column + LOCAL + work.blocks + here
        while fresh > last and not (here > block and known[head] == 1):
            fresh -= 1
            following = work.dim + ZERO if fresh + 1 == end else local + fresh + 1
            cosine, sine = work.note[COS, first + fresh], work.note[SIN, first + fresh]
            combine(rows, local + fresh, cosine, fresh, sine, following)
        known[column + LOCAL + here] = fresh
        if here > block:
            known[head] = 1
            product = 1.0
            for j in range(first + begin, first + end):
                product *= work.note[SIN, j]
            following = work.dim - 1 if here + 1 == work.blocks else outer + here + 1
            target = outer + here if here > 0 else local - N_DOTS + known[column + ROW]
            combine(rows, target, 1.0, local + begin, product, following)
            known[column + OUTER] = max(here, 1)


@lean_kernel
def fill_chunk(points, work, c):
    """Copy the points of a chunk from their original places."""
    alone()
    rows, place, gain = work.real[c], work.whole[c, PLACE], work.whole[c, GAIN]
    largest = work.bound[c, N_BOUND + N_SLACK * work.neurons :]
    for j in range(2 * work.dim):
        largest[j] = 0.0
    ceiling, radius = np.int64(0), 0.0
    for p in range(place.size):
        # place ~q is a copy of point q that fills up the last chunk and counts nothing
        q, original = max(place[p], ~place[p]), np.int64(place[p] >= 0)
        gain[p] = points.gain[q] * original
        rows[points.dim + PULL, p] = points.pull[q] * original
        ceiling += max(gain[p], 0)
        square = 0.0
        for back in range(points.dim):
            j = points.dim - 1 - back
            rows[j, p] = points.columns[j, q]
            largest[j] = max(largest[j], abs(rows[j, p]))
            largest[points.dim + j] = max(largest[points.dim + j], math.sqrt(square))
            square += rows[j, p] * rows[j, p]
        radius = max(radius, math.sqrt(square))
    work.chunk[c, CEILING] = ceiling
    # An accepted change adds less than 10 rounding errors to a head, relative to the norm, and to
    # a dot product less than 10 (D + 2) and those of the heads.
    errors = 16.0 * (points.dim + 2 + LIFETIME) * (LIFETIME + 2)
    work.bound[c, GUARD] = errors * UNIT_ROUNDOFF * (radius + 1.0)


@lean_kernel
def forget(work):
    """Nothing is known about the network's dot products and tails any more."""
    alone()
    for c in range(work.chunk.shape[0]):
        for i in range(work.neurons):
            column = N_CHUNK + i * work.columns
            work.chunk[c, column + VALID] = 0
            work.chunk[c, column + OUTER] = work.blocks
            for m in range(work.blocks):
                work.chunk[c, column + LOCAL + m] = min((m + 1) * work.block, work.dim - 1)
                work.chunk[c, column + LOCAL + work.blocks + m] = 0
