"""Points in chunks: where everything is kept, and the arithmetic on rows of numbers.

A chunk holds some hundred points. What is known about them is a stack of rows, one number a point:
the coordinates and, for each neuron, its dot products and its heads.

With w_j = sin a_0 ... sin a_(j-1) cos a_j, a changed angle a_k changes all weights from k on. To
make few products anew, the coordinates are cut into blocks. The head of a block is its part of the
dot product, divided by the product of the sines before the block: it depends on the angles of the
block only. So the dot products follow from the coordinates of the blocks in which an angle changes
and from the heads of the later blocks, about sqrt(D) rows. A head is made anew when, and in the
chunks where, it is read after a change in its block.
"""

import math
from typing import NamedTuple

import numpy as np
from numba.core import types
from numba.extending import lower_builtin, type_callable

from hyperna._kernels.jit import inline_kernel, inner_kernel

# Rounding errors are bounded for this many accepted changes, then dot products are made anew.
LIFETIME = 256
UNIT_ROUNDOFF = 2.0**-53
TERMS_PER_PASS = 4
# Weights below this, relative to the norm of the normal, are lost in rounding errors.
NEGLIGIBLE = 2.0**-64


class Points(NamedTuple):
    """Points to be classified by `neurons` neurons joined by `join`.

    `columns` has a row for each coordinate. `gain` is what a point adds to the score `base` when
    the network fires on it: its weight if it is positive, minus its weight if not. `pull` is the
    same for the second value. Points are handled in chunks of `chunk`, coordinates in blocks of
    `block`.
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

    `real` and `whole` (chunks, rows, points): floats and integers about each point. `chunk` and
    `bound`: integers and floats about each chunk. `note` and `plan`: floats and integers about the
    genome and what the offspring changes. Where there are two of anything, one is the offspring's.
    The numbers repeat the shape of the points and say where rows begin, so that this is all the
    innermost functions need to be handed.
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


# Rows of `real` after the coordinates: zeros, weights for the second value, scratch space, margins
# (two rows); then those of each neuron: dot products (two rows), heads.
ZERO, PULL, SCRATCH, MARGIN, N_SHARED = 0, 1, 2, 3, 5
N_DOTS = 2
# Rows of `whole`: gain, votes (three rows), original place.
GAIN, VOTE, PLACE, N_WHOLE = 0, 1, 4, 5
N_BALLOTS = 3
# Columns of `chunk`: gain of the points the network fires on, its largest possible value, the rows
# of votes and margins, whether the offspring differs here; then those of each neuron: the row of
# dot products, whether the offspring's are new, whether the network's are up to date; for each
# block whether the head is.
SUM, NEXT_SUM, CEILING, BALLOT, NEXT_BALLOT, MARGINS, TOUCHED, N_CHUNK = range(8)
ROW, NEXT_ROW, MOVED, VALID, HEAD = range(5)
# Values of TOUCHED.
UNTOUCHED, IN_PART, ANEW = range(3)
# Columns of `bound`: guard band, second value; then those of each neuron: a distance that all
# points certainly keep from the hyperplane, one that they may hope to keep, how far they move at
# most; then for each coordinate the largest norm of those from it on.
GUARD, TIE, NEXT_TIE, N_BOUND = range(4)
SLACK, HOPE, SHIFT, N_SLACK = range(4)
# Rows of `note`. For each component of an angle its cosine and sine (1 and 1 of the last
# coordinate), the offspring's, the weight; at the beginning of each block the product of its sines.
# For each neuron its bias, and the offspring's, and the margin of a point. For each neuron that
# changes the length of the change. Coefficients of terms; of a head; sums of output weights. The
# output neuron, and the offspring's. All cosines and all sines, where they are few.
COS, SIN, NEXT_COS, NEXT_SIN, WEIGHT, PRODUCT, BIAS, NEXT_BIAS, HIDDEN, LENGTH = range(10)
COEF, LOCAL, SUMS, OUTPUT_NEURON, TABLE, N_NOTE = 10, 11, 12, 13, 15, 17
# Rows of `plan`. For each component its neuron. The changed components in order. The rows of the
# terms; of all coordinates. For each neuron that changes its number, first and after-last changed
# angle, first and after-last term. For each neuron whether WEIGHT is not the offspring's. Counters.
# The rows of the neurons' dot products. The output neuron's answers, and the offspring's. The
# targets each neuron is close to.
NEURON, CHANGED, TERM, COLUMN, MOVE, BEGIN, END, FIRST, LAST, STALE, COUNTER = range(11)
DOT, ANSWERS, TARGETS = 11, 12, 14
# Counters.
MOVES, OUTPUT, NEXT_OUTPUT, KEPT, CEILINGS, EFFORT, PATIENCE = range(7)


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


def compact():
    """The same, and do not unroll loops: for functions that are called rarely or loop little.

    Their code is compiled again with every kernel that it becomes a part of.
    """


@type_callable(compact)
def _type_compact(context):
    return lambda: types.void


@lower_builtin(compact)
def _lower_compact(context, builder, signature, arguments):
    builder.function.attributes.add("optsize")
    return _lower_alone(context, builder, signature, arguments)


@inner_kernel
def add_terms(rows, source, target, term, coef, t):
    """Write a row plus four terms, added in order; source and target must differ."""
    alone()
    base, out = rows[source], rows[target]
    w, x, y, z = rows[term[t]], rows[term[t + 1]], rows[term[t + 2]], rows[term[t + 3]]
    a, b, c, d = coef[t], coef[t + 1], coef[t + 2], coef[t + 3]
    for p in range(out.size):
        out[p] = base[p] + a * w[p] + b * x[p] + c * y[p] + d * z[p]


@inner_kernel
def add_terms_and_judge(rows, source, target, term, coef, t, gain, bias, guard):
    """`add_terms`, and then `judge` in the same loop."""
    alone()
    base, out = rows[source], rows[target]
    w, x, y, z = rows[term[t]], rows[term[t + 1]], rows[term[t + 2]], rows[term[t + 3]]
    a, b, c, d = coef[t], coef[t + 1], coef[t + 2], coef[t + 3]
    total, near = np.int64(0), np.int64(0)
    for p in range(out.size):
        dot = base[p] + a * w[p] + b * x[p] + c * y[p] + d * z[p]
        out[p] = dot
        total += gain[p] if dot >= bias else 0
        near += 0 if abs(dot - bias) > guard else 1
    return total, near


@inner_kernel
def judge(dots, gain, bias, guard):
    """Gain of the points on which the neuron fires, and how many are too close to be certain."""
    alone()
    total, near = np.int64(0), np.int64(0)
    for p in range(dots.size):
        total += gain[p] if dots[p] >= bias else 0
        near += 0 if abs(dots[p] - bias) > guard else 1
    return total, near


@inner_kernel
def closest(dots, bias):
    """Distance of the closest point from the hyperplane."""
    alone()
    a, b, c, d = np.inf, np.inf, np.inf, np.inf
    for p in range(0, dots.size, 4):
        a = min(a, abs(dots[p] - bias))
        b = min(b, abs(dots[p + 1] - bias))
        c = min(c, abs(dots[p + 2] - bias))
        d = min(d, abs(dots[p + 3] - bias))
    return min(min(a, b), min(c, d))


@inline_kernel
def canonical_dot(rows, p, weight, first, dim):
    """The dot product of point p with weight[first:], as `geometry.predict` has it."""
    dot = rows[0, p] * weight[first]
    for j in range(1, dim):
        dot += rows[j, p] * weight[first + j]
    return dot


@inner_kernel
def settle(rows, row, weight, first, dim, bias, guard):
    """Replace dot products that are too close to the bias by canonical ones."""
    compact()
    for p in range(rows.shape[1]):
        if not abs(rows[row, p] - bias) > guard:
            rows[row, p] = canonical_dot(rows, p, weight, first, dim)


@inner_kernel
def write_weights(cosine, sine, first, begin, end, out, at):
    """Write the weights of coordinates begin..end-1, without the sines before, to out[at + j].

    `first` is the neuron's first component.
    """
    compact()
    product = 1.0
    for j in range(begin, end):
        out[at + j] = product * cosine[first + j]
        product *= sine[first + j]


@inner_kernel
def make_row(work, c, neuron, row, begin, end):
    """Make the network's dot products with coordinates begin..end-1 of the points of a chunk.

    With all coordinates these are the canonical dot products, with those of a block its head.
    """
    compact()
    rows, note, first = work.real[c], work.note, neuron * work.width
    coef = note[LOCAL]
    write_weights(note[COS], note[SIN], first, begin, end, coef, np.int64(0))
    for t in range(end, end + TERMS_PER_PASS):
        coef[t] = 0.0
    source, left = work.dim + ZERO, (end - begin - 1) // TERMS_PER_PASS
    for t in range(begin, end, TERMS_PER_PASS):
        target = row if left % 2 == 0 else work.dim + SCRATCH
        add_terms(rows, source, target, work.plan[COLUMN], coef, t)
        source = target
        left -= 1


@inline_kernel
def make_dots(work, c, neuron, end):
    """Make dot products with coordinates 0..end-1 of the points of a chunk.

    Returns the distance of the closest point from the hyperplane.
    """
    column, slack = N_CHUNK + neuron * work.columns, N_BOUND + N_SLACK * neuron
    row = work.first_row + neuron * work.rows + work.chunk[c, column + ROW]
    make_row(work, c, neuron, row, np.int64(0), end)
    work.chunk[c, column + VALID] = 1
    distance = closest(work.real[c, row], work.note[BIAS, neuron])
    work.bound[c, slack + SLACK] = distance
    work.bound[c, slack + HOPE] = distance
    return distance


@inner_kernel
def update_dots(work, c, neuron):
    """Make the network's canonical dot products with the points of a chunk."""
    compact()
    make_dots(work, c, neuron, work.dim)


@inner_kernel
def refresh_dots(work, c, neuron):
    """Make the network's dot products with the points of a chunk, on the right side of the bias.

    Negligible weights are left out unless a point is too close to be certain. In high dimensions
    most are negligible: where weights are small the angles drift freely, and every sine makes the
    weights after it smaller.
    """
    compact()
    product, end = 1.0, np.int64(0)
    while end < work.dim and abs(product) > NEGLIGIBLE:
        product *= work.note[PRODUCT, neuron * work.width + end]
        end += work.block
    if not make_dots(work, c, neuron, min(end, work.dim)) > work.bound[c, GUARD]:
        make_dots(work, c, neuron, work.dim)


@inner_kernel
def fill_chunk(points, work, c):
    """Copy the points of a chunk from their original places."""
    compact()
    rows, place, gain = work.real[c], work.whole[c, PLACE], work.whole[c, GAIN]
    norm, square = work.bound[c, N_BOUND + N_SLACK * work.neurons :], rows[points.dim + SCRATCH]
    ceiling = np.int64(0)
    for p in range(place.size):
        # place ~q is a copy of point q that fills up the last chunk and counts nothing
        q, original = max(place[p], ~place[p]), np.int64(place[p] >= 0)
        gain[p] = points.gain[q] * original
        rows[points.dim + PULL, p] = points.pull[q] * original
        ceiling += max(gain[p], 0)
        square[p] = 0.0
    for back in range(points.dim):
        j = points.dim - 1 - back
        largest = 0.0
        for p in range(place.size):
            rows[j, p] = points.columns[j, max(place[p], ~place[p])]
            square[p] += rows[j, p] * rows[j, p]
            largest = max(largest, square[p])
        norm[j] = math.sqrt(largest)
    work.chunk[c, CEILING] = ceiling
    # An accepted change adds less than 16 (D + 2) rounding errors, relative to the norm.
    errors = 16.0 * (points.dim + 2) * (LIFETIME + 2)
    work.bound[c, GUARD] = errors * UNIT_ROUNDOFF * (norm[0] + 1.0)
