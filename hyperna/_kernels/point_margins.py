"""Margins of a network at the points: the second value that decides ties.

The margin of a point is the distance by which the hidden hyperplanes must move for the output to
change, positive where the output is 1. For an OR it is the largest w·x - b, for an AND the
smallest, for an XOR the one nearest to 0 with the sign of the output. An evolved output is a
monotone function of its literals, the hidden bits, those with negative weights inverted. Its margin
is the largest d such that it fires on the literals whose margins are at least d: a weighted order
statistic.

The second value is the sum over the points of weight * clip(margin, -tie_clip, tie_clip), with the
label's sign. Each clipped margin is rounded to 1/QUANTA of `tie_clip`, and where rounding errors
might tip the scales the canonical dot products decide, so that the value depends on nothing but
the genome.
"""

import numpy as np

from hyperna._kernels import point_rows as store
from hyperna._kernels.geometry import AND, EVOLVED, XOR
from hyperna._kernels.jit import inline_kernel, inner_kernel

QUANTA = 2.0**14
# Sums of so many quanta, times weights, are exact: below 2**53.
LARGEST_PULL = 2.0**38


@inline_kernel
def fires(neurons, output, literal, least):
    """Whether an evolved output fires on the literals whose margins are at least `least`."""
    total = 0.0
    for i in range(neurons):
        bit = (literal[i] >= least) != (output[i] < 0.0)
        total += output[i] if bit else 0.0
    return total >= output[neurons]


@inline_kernel
def join_two(join, first, second):
    """Margin of an OR, AND or XOR, given those of its two parts."""
    if join == XOR:
        return max(min(first, -second), min(-first, second))
    return min(first, second) if join == AND else max(first, second)


@inline_kernel
def join_margins(join, neurons, output, margin, limit):
    """Margin of a point, given those of its hidden neurons; of an evolved output up to ±limit.

    Those with negative output weights change their signs.
    """
    best = np.inf if join == AND else -np.inf
    if join == EVOLVED:
        best = -limit
    for i in range(neurons):
        # NaN, from coordinates near the largest float, does not fire
        margin[i] = margin[i] if margin[i] == margin[i] else -np.inf
        if join == EVOLVED:
            margin[i] = -margin[i] if output[i] < 0.0 else margin[i]
        else:
            best = join_two(join, best, margin[i])
    if join != EVOLVED or not fires(neurons, output, margin, -limit):
        return best
    if fires(neurons, output, margin, limit):
        return limit
    for i in range(neurons):
        if best < margin[i] < limit and fires(neurons, output, margin, margin[i]):
            best = margin[i]
    return best


@inline_kernel
def dot_row(work, c, neuron):
    """Row of the offspring's dot products."""
    column = store.N_CHUNK + neuron * work.columns
    return work.first_row + neuron * work.rows + work.chunk[c, column + store.NEXT_ROW]


@inner_kernel
def fill_margins(rows, dot, bias, join, neurons, output, hidden, limit, out):
    """Replace NaN by the margin of the point; neuron i has dot products dot[i] and bias bias[i]."""
    store.compact()
    for p in range(out.size):
        if out[p] != out[p]:
            for i in range(neurons):
                hidden[i] = rows[dot[i], p] - bias[i]
            out[p] = join_margins(join, neurons, output, hidden, limit)


@inline_kernel
def fill_margins_of(work, c, limit, row):
    """Replace NaN in a row of a chunk by the offspring's margin."""
    dot, which = work.plan[store.DOT], work.plan[store.COUNTER, store.NEXT_OUTPUT]
    for i in range(work.neurons):
        dot[i] = dot_row(work, c, i)
    fill_margins(
        work.real[c],
        dot,
        work.note[store.NEXT_BIAS],
        work.join,
        work.neurons,
        work.note[store.OUTPUT_NEURON + which],
        work.note[store.HIDDEN],
        limit,
        work.real[c, row],
    )


@inner_kernel
def canonical_margin_at(work, c, p):
    """The offspring's clipped margin at a point by canonical dot products."""
    store.compact()
    note, plan = work.note, work.plan
    hidden, which = note[store.HIDDEN], plan[store.COUNTER, store.NEXT_OUTPUT]
    for i in range(work.neurons):
        first = i * work.width
        if plan[store.STALE, i] == 1:
            cosine, sine, weight = note[store.NEXT_COS], note[store.NEXT_SIN], note[store.WEIGHT]
            store.write_weights(cosine, sine, first, np.int64(0), work.dim, weight, first)
            plan[store.STALE, i] = 0
        dot = store.canonical_dot(work.real[c], p, note[store.WEIGHT], first, work.dim)
        hidden[i] = dot - note[store.NEXT_BIAS, i]
    output = note[store.OUTPUT_NEURON + which]
    return join_margins(work.join, work.neurons, output, hidden, work.tie_clip)


@inline_kernel
def bounded(value, limit):
    """The value clipped to ±limit, written so that a loop over it is vectorised."""
    value = value if value < limit else limit
    return value if value > -limit else -limit


@inner_kernel
def mark_affected(out, dots, bias, next_dots, next_bias, join, sign, limit, band):
    """Replace margins that may change when a neuron moves by NaN.

    An order statistic stays the same when a number stays on one side of it, a distance from 0 when
    a number stays farther away on its side of 0, and a clipped one when it stays beyond the clip.
    """
    store.alone()
    for p in range(out.size):
        margin = out[p]
        top = abs(margin) if join == XOR else margin
        bottom = -top if join == XOR else margin
        old = bounded(sign * (dots[p] - bias), limit)
        new = bounded(sign * (next_dots[p] - next_bias), limit)
        low, high = (old if old < new else new), (old if old > new else new)
        stays = low > top + band or high < bottom - band or low == limit or high == -limit
        out[p] = margin if stays else np.nan


@inner_kernel
def find_margins(work, c):
    """Write the offspring's clipped margins at the points of a chunk; return their row."""
    store.alone()
    rows, note, known, counter = work.real[c], work.note, work.chunk[c], work.plan[store.COUNTER]
    guard = work.bound[c, store.GUARD]
    # a hair more than the clip, so that rounding errors do not reach it
    limit = work.tie_clip + 2.0 * guard
    before = rows[work.dim + store.MARGIN + known[store.MARGINS]]
    row = work.dim + store.MARGIN + 1 - known[store.MARGINS]
    out = rows[row]
    if work.neurons == 1:
        dots, bias = rows[dot_row(work, c, 0)], note[store.NEXT_BIAS, 0]
        for p in range(out.size):
            out[p] = dots[p] - bias
        return row
    for p in range(out.size):
        out[p] = before[p] if known[store.TOUCHED] == store.IN_PART else np.nan
    for move in range(counter[store.MOVES]):
        i = work.plan[store.MOVE, move]
        column, base = store.N_CHUNK + i * work.columns, work.first_row + i * work.rows
        if known[column + store.MOVED] == 1:
            output = note[store.OUTPUT_NEURON + counter[store.NEXT_OUTPUT]]
            mark_affected(
                out,
                rows[base + known[column + store.ROW]],
                note[store.BIAS, i],
                rows[base + known[column + store.NEXT_ROW]],
                note[store.NEXT_BIAS, i],
                work.join,
                -1.0 if work.join == EVOLVED and output[i] < 0.0 else 1.0,
                limit,
                3.0 * guard,
            )
    fill_margins_of(work, c, limit, row)
    for p in range(out.size):
        out[p] = bounded(out[p], limit)
    return row


@inner_kernel
def quantise(margin, pull, scale, slip, out):
    """Round margins to quanta and weigh them; return how many might be rounded otherwise."""
    store.alone()
    doubtful, half = np.int64(0), 0.5 - slip
    for p in range(margin.size):
        exact = bounded(margin[p] * scale, QUANTA + 1.0)
        whole = np.rint(exact)
        doubtful += 0 if abs(exact - whole) <= half else 1
        out[p] = pull[p] * bounded(whole, QUANTA)
    return doubtful


@inner_kernel
def second_value(work):
    """The offspring's second value."""
    store.alone()
    scale, total = QUANTA / work.tie_clip, 0.0
    for c in range(work.chunk.shape[0]):
        if work.chunk[c, store.TOUCHED] == store.UNTOUCHED:
            work.bound[c, store.NEXT_TIE] = work.bound[c, store.TIE]
        else:
            rows = work.real[c]
            margin, pull = rows[find_margins(work, c)], rows[work.dim + store.PULL]
            out = rows[work.dim + store.SCRATCH]
            slip = scale * work.bound[c, store.GUARD] + QUANTA * 2.0**-50
            if quantise(margin, pull, scale, slip, out) > 0:
                for p in range(out.size):
                    exact = bounded(margin[p] * scale, QUANTA + 1.0)
                    if not abs(exact - np.rint(exact)) <= 0.5 - slip:
                        exact = canonical_margin_at(work, c, p) * scale
                        out[p] = pull[p] * np.rint(bounded(exact, QUANTA))
            # four strands, because the order does not matter for integers
            s, t, u, v = 0.0, 0.0, 0.0, 0.0
            for p in range(0, out.size, 4):
                s += out[p]
                t += out[p + 1]
                u += out[p + 2]
                v += out[p + 3]
            work.bound[c, store.NEXT_TIE] = (s + t) + (u + v)
        total += work.bound[c, store.NEXT_TIE]
    return total * work.tie_unit
