"""Margins of a network at the points: the second value that decides ties, and an order of points.

The margin of a point is the distance by which the hidden hyperplanes must move for the output to
change, positive where the output is 1. For an OR it is the largest w·x - b, for an AND the
smallest. An evolved output neuron is a monotone function of the hidden bits, those with negative
weights inverted; so it is an OR of ANDs, its clauses, and its margin the largest of their smallest.

The second value is the sum over the points of weight * clip(margin, -tie_clip, tie_clip), with the
label's sign. Each clipped margin is rounded to 1/QUANTA of `tie_clip`, and where rounding errors
might tip the scales the canonical dot products decide, so that the value depends on nothing but
the genome.
"""

import math

import numpy as np

from hyperna._kernels import point_rows as store
from hyperna._kernels.geometry import AND, EVOLVED
from hyperna._kernels.jit import inline_kernel, lean_kernel

QUANTA = 2.0**14
# Sums of so many quanta, times weights, are exact: below 2**53.
LARGEST_PULL = 2.0**38
# Up to this many hidden neurons the output neuron's answers are tabulated.
TABLE_NEURONS = 12

_BINS_PER_OCTAVE = 8
_OCTAVES = 32
_BINS = _BINS_PER_OCTAVE * _OCTAVES
# Wrongly and correctly classified points, copies, and an end.
N_BINS = 2 * _BINS + 2


@lean_kernel
def tabulate(neurons, output, sums, answers):
    """Tabulate the answers (all bits set, or none) to all patterns of hidden bits.

    The sums have the canonical order: those over the first i neurons, to which one more is added.
    """
    store.alone()
    sums[0] = 0.0
    for i in range(neurons):
        for pattern in range(1 << i):
            sums[(1 << i) + pattern] = sums[pattern] + output[i]
    for pattern in range(1 << neurons):
        answers[pattern] = -np.int64(sums[pattern] >= output[neurons])


@lean_kernel
def find_clauses(neurons, output, answers, clauses):
    """List the clauses: minimal sets of literals that make the output fire; their number first.

    A literal is a hidden bit, inverted if the output's weight is negative.
    """
    store.alone()
    inverted, count = np.int64(0), 0
    for i in range(neurons):
        inverted |= np.int64(output[i] < 0.0) << i
    for literals in range(1 << neurons):
        minimal = answers[literals ^ inverted]
        for i in range(neurons):
            if (literals >> i) & 1 == 1:
                minimal &= ~answers[literals ^ (1 << i) ^ inverted]
        if minimal != 0:
            count += 1
            clauses[count] = literals
    clauses[0] = count


@inline_kernel
def fires(work, output, bits):
    """Answer of the network to hidden bits (0.0 or 1.0)."""
    count, total = 0.0, 0.0
    for i in range(work.neurons):
        count += bits[i]
        if work.join == EVOLVED and bits[i] > 0.0:
            total += output[i]
    if work.join == EVOLVED:
        return total >= output[work.neurons]
    return count == work.neurons if work.join == AND else count > 0.0


@lean_kernel
def point_margin(work, output, margin, bits):
    """Margin of one point, given those of its hidden neurons (which are overwritten).

    The bits are turned, the closest hyperplanes first, to where they weaken the answer most.
    """
    store.alone()
    for i in range(work.neurons):
        bits[i] = 1.0 if margin[i] >= 0.0 else 0.0
        # NaN, from coordinates near the largest float, does not fire
        margin[i] = abs(margin[i]) if margin[i] == margin[i] else np.inf
    answer = fires(work, output, bits)
    sign = 1.0 if answer else -1.0
    for _ in range(work.neurons):
        nearest = 0
        for i in range(1, work.neurons):
            if margin[i] < margin[nearest]:
                nearest = i
        reach = margin[nearest]
        margin[nearest] = np.inf
        push = output[nearest] if work.join == EVOLVED else 1.0
        bits[nearest] = 1.0 if push * sign < 0.0 else 0.0
        if fires(work, output, bits) != answer:
            return sign * reach
    return sign * np.inf


@lean_kernel
def lower(out, dots, bias, sign):
    """Minimum of a row and the margins of a neuron, times `sign`."""
    store.alone()
    for p in range(out.size):
        value = sign * (dots[p] - bias)
        out[p] = value if value < out[p] else out[p]


@lean_kernel
def lift(out, dots, bias):
    """Maximum of a row and the margins of a neuron."""
    store.alone()
    for p in range(out.size):
        value = dots[p] - bias
        out[p] = value if value > out[p] else out[p]


@inline_kernel
def dot_row(work, c, neuron):
    """Row of the offspring's dot products."""
    column = store.N_CHUNK + neuron * work.columns
    return work.first_row + neuron * work.rows + work.chunk[c, column + store.NEXT_ROW]


@lean_kernel
def write_margins(work, c, which):
    """Write the offspring's margins at the points of a chunk to the row SCRATCH."""
    store.alone()
    rows, note = work.real[c], work.note
    out, spare = rows[work.dim + store.SCRATCH], rows[work.dim + store.SPARE]
    output, clauses = note[store.OUTPUT_NEURON + which], work.plan[store.CLAUSES + which]
    many = work.join == EVOLVED and work.neurons > TABLE_NEURONS
    for p in range(out.size):
        out[p] = np.inf if work.join == AND else -np.inf
        if many:
            for i in range(work.neurons):
                bias = note[store.NEXT_COS, (i + 1) * work.width - 1]
                note[store.MARGIN, i] = rows[dot_row(work, c, i), p] - bias
            out[p] = point_margin(work, output, note[store.MARGIN], note[store.BITS])
    if work.join != EVOLVED:
        for i in range(work.neurons):
            dots, bias = rows[dot_row(work, c, i)], note[store.NEXT_COS, (i + 1) * work.width - 1]
            if work.join == AND:
                lower(out, dots, bias, 1.0)
            else:
                lift(out, dots, bias)
    elif not many:
        for clause in range(1, clauses[0] + 1):
            for p in range(spare.size):
                spare[p] = np.inf
            for i in range(work.neurons):
                if (clauses[clause] >> i) & 1 == 1:
                    bias = note[store.NEXT_COS, (i + 1) * work.width - 1]
                    sign = -1.0 if output[i] < 0.0 else 1.0
                    lower(spare, rows[dot_row(work, c, i)], bias, sign)
            lift(out, spare, 0.0)


@inline_kernel
def bounded(value, limit):
    """The value clipped to ±limit, written so that a loop over it is vectorised."""
    value = value if value < limit else limit
    return value if value > -limit else -limit


@lean_kernel
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


@lean_kernel
def quantise_again(work, c, which, scale, slip):
    """Decide doubtful cases by canonical dot products."""
    store.alone()
    rows, note, plan = work.real[c], work.note, work.plan
    margin, output = note[store.MARGIN], note[store.OUTPUT_NEURON + which]
    for p in range(rows.shape[1]):
        exact = bounded(rows[work.dim + store.SCRATCH, p] * scale, QUANTA + 1.0)
        if abs(exact - np.rint(exact)) <= 0.5 - slip:
            continue
        for i in range(work.neurons):
            first = i * work.width
            if plan[store.STALE, i] == 1:
                store.write_weights(note, store.NEXT_COS, first, work.dim)
                plan[store.STALE, i] = 0
            dot = store.canonical_dot(rows, p, note[store.WEIGHT], first, work.dim)
            margin[i] = dot - note[store.NEXT_COS, first + work.width - 1]
        exact = point_margin(work, output, margin, note[store.BITS]) * scale
        pull = rows[work.dim + store.PULL, p]
        rows[work.dim + store.SPARE, p] = pull * np.rint(bounded(exact, QUANTA))


@lean_kernel
def second_value(work):
    """The offspring's second value."""
    store.alone()
    which = work.plan[store.COUNTER, store.NEXT_OUTPUT]
    scale, total = QUANTA / work.tie_clip, 0.0
    for c in range(work.chunk.shape[0]):
        if work.chunk[c, store.TOUCHED] == 1:
            rows = work.real[c]
            margin, pull = rows[work.dim + store.SCRATCH], rows[work.dim + store.PULL]
            out = rows[work.dim + store.SPARE]
            slip = scale * work.bound[c, store.GUARD] + QUANTA * 2.0**-50
            write_margins(work, c, which)
            if quantise(margin, pull, scale, slip, out) > 0:
                quantise_again(work, c, which, scale, slip)
            # four strands, because the order does not matter for integers
            s, t, u, v = 0.0, 0.0, 0.0, 0.0
            for p in range(0, out.size, 4):
                s += out[p]
                t += out[p + 1]
                u += out[p + 2]
                v += out[p + 3]
            work.bound[c, store.NEXT_TIE] = (s + t) + (u + v)
        else:
            work.bound[c, store.NEXT_TIE] = work.bound[c, store.TIE]
        total += work.bound[c, store.NEXT_TIE]
    return total * work.tie_unit


@inline_kernel
def bin_of(margin, gain, largest):
    """Wrongly classified points come first, then those close to the border, copies last."""
    size = min(max(abs(margin) / largest, 2.0**-_OCTAVES), 1.0)
    place = np.int64((_OCTAVES + math.log2(size)) * (_BINS_PER_OCTAVE - 1e-6))
    if gain == 0:
        return np.int64(2 * _BINS)
    return place + _BINS * np.int64((margin >= 0.0) == (gain > 0))


@lean_kernel
def put_in_order(points, work):
    """Order the points anew by their margins (a counting sort) and fill the chunks with them."""
    store.alone()
    chunks, size = work.real.shape[0], work.real.shape[2]
    which, start = work.plan[store.COUNTER, store.NEXT_OUTPUT], work.plan[store.CHANGED]
    largest = 2.0**-1000
    for c in range(chunks):
        write_margins(work, c, which)
        for p in range(size):
            margin = abs(work.real[c, work.dim + store.SCRATCH, p])
            largest = max(largest, margin if margin < np.inf else 0.0)
    for b in range(N_BINS):
        start[b] = 0
    for c in range(chunks):
        for p in range(size):
            margin = work.real[c, work.dim + store.SCRATCH, p]
            b = bin_of(margin, work.whole[c, store.GAIN, p], largest)
            work.whole[c, store.VOTE, p] = b
            start[b + 1] += 1
    for b in range(N_BINS - 1):
        start[b + 1] += start[b]
    for c in range(chunks):
        for p in range(size):
            b = work.whole[c, store.VOTE, p]
            place = work.whole[c, store.PLACE, p]
            work.whole[start[b] // size, store.VOTE + 1, start[b] % size] = place
            start[b] += 1
    for c in range(chunks):
        for p in range(size):
            work.whole[c, store.PLACE, p] = work.whole[c, store.VOTE + 1, p]
        store.fill_chunk(points, work, c)
