"""Margins of a network at the points: the second value that decides ties.

The margin of a point is the distance by which the hidden hyperplanes must move for the output to
change, positive where the output is 1. For an OR it is the largest w·x - b, for an AND the
smallest, for an XOR the one nearest to 0 with the sign of the output. An evolved output is a
monotone function of its literals, the hidden bits, those with negative weights inverted. Its margin
is the largest d such that it fires on the literals whose margins are at least d: a weighted order
statistic.

The second value is the sum over the points of weight * clip(margin, -tie_clip, tie_clip), with the
label's sign. Each clipped margin is rounded to 1/QUANTA of `tie_clip`, and where rounding errors
might tip the scales the dot products in index order decide, so that the value depends on nothing
but the genome. Such a margin is that of one of the neurons. It stays the same as long as the
distances of all others stay on the same side of it, which is so for most points in most steps.
"""

import math

import numpy as np

from hyperna._kernels import point_data as at
from hyperna._kernels.geometry import AND, EVOLVED, XOR, neuron_weights
from hyperna._kernels.jit import inline_kernel, inner_kernel
from hyperna._kernels.order import larger, smaller
from hyperna._kernels.point_data import BLOCK, QUANTA
from hyperna._kernels.rotations import write_angles


@inline_kernel
def canonical_dot(columns, p, weight):
    """The dot product of point p with the weights, as `geometry.predict` has it."""
    dot = columns[0, p] * weight[0]
    for j in range(1, columns.shape[0]):
        dot += columns[j, p] * weight[j]
    return dot


@inner_kernel
def round_neuron(points, net, i):
    """Make the weights that the offspring's neuron i is rounded to."""
    one, weight, rounded = net.neuron[i], net.weight[1, i], net.rounded[i]
    if one.rounded == 1:
        return
    one.rounded = 1
    size, first, r = (
        points.neurons if i == points.neurons else points.dim,
        i * points.width,
        points.resolution,
    )
    if one.turned == 1:
        write_angles(weight, size, r, net.written, first)
        neuron_weights(net.written, size, r, first, rounded)
    else:
        for j in range(size):
            rounded[j] = weight[j]


@inline_kernel
def fires(neurons, output, bias, literal, least):
    """Whether an evolved output fires on the literals whose margins are at least `least`."""
    total = 0.0
    for i in range(neurons):
        bit = (literal[i] >= least) != (output[i] < 0.0)
        total += output[i] if bit else 0.0
    return total >= bias


@inner_kernel
def join_margins(join, neurons, output, bias, margin, limit):
    """Margin of a point up to ±limit, given those of its hidden neurons.

    For an evolved output those with negative weights change their signs.
    """
    best, sign = -limit, -1.0
    if join == AND or join == XOR:  # noqa: SIM109  a tuple would be compiled for seconds
        best = limit
    for i in range(neurons):
        # NaN, from coordinates near the largest float, does not fire
        value = margin[i] if margin[i] == margin[i] else -np.inf
        if join == EVOLVED:
            margin[i] = -value if output[i] < 0.0 else value
        elif join == XOR:
            sign = -sign if value >= 0.0 else sign
            best = smaller(best, abs(value))
        else:
            best = smaller(best, value) if join == AND else larger(best, value)
    if join == XOR:
        return sign * best
    if join != EVOLVED:
        return larger(smaller(best, limit), -limit)
    if not fires(neurons, output, bias, margin, -limit):
        return best
    if fires(neurons, output, bias, margin, limit):
        return limit
    for i in range(neurons):
        if best < margin[i] < limit and fires(neurons, output, bias, margin, margin[i]):
            best = margin[i]
    return best


@inline_kernel
def bounded(value, limit):
    """The value clipped to ±limit, written so that a loop over it is vectorised."""
    value = value if value < limit else limit
    return value if value > -limit else -limit


@inline_kernel
def mark_changes(before, bias, after, next_bias, flip, margin, again, limit, slip):
    """Mark the points whose margin may change when a neuron moves; return their number.

    `flip`: 1, -1 for a neuron whose output weight is negative, 0 for an XOR, where it is the
    distance that matters.
    """
    count = np.int64(0)
    for p in range(again.size):
        a, b = bounded(before[p] - bias, limit), bounded(after[p] - next_bias, limit)
        high = flip * margin[p] if flip != 0.0 else abs(margin[p])
        low = high if flip != 0.0 else -high
        marked = np.int64(a != b) & np.int64(smaller(a, b) - slip <= high)
        marked &= np.int64(larger(a, b) + slip >= low)
        again[p] |= marked
        count += marked
    return count


@inline_kernel
def read_hidden(net, dots, hidden, p):
    """Write the margins of the offspring's neurons at point p."""
    for i in range(hidden.size):
        one = net.neuron[i]
        hidden[i] = dots[one.row if one.terms < 0 else 1 - one.row, i, p] - one.next_bias


@inner_kernel
def second_value(points, work, everywhere):
    """The second value of the offspring, and the number of points whose margins change.

    These are listed; `everywhere`: all of them.
    """
    join, neurons, net, rows = points.join, points.neurons, work.net, work.real
    scale, again, listed = QUANTA / points.tie_clip, work.whole[at.LISTED], np.int64(0)
    output, bias = net.rounded[neurons], net.neuron[neurons].next_bias
    total = 0.0 if everywhere else work.tally.quanta
    for k in range(work.guard.size):
        begin, end = k * BLOCK, smaller(k * BLOCK + BLOCK, again.size)
        guard, marks = work.guard[k], np.int64(1)
        # a hair more than the clip, so that rounding errors do not reach it
        limit, slip = points.tie_clip + 2.0 * guard, scale * guard + QUANTA * 2.0**-50
        for p in range(begin, end):
            again[p] = 1 if everywhere or not guard < np.inf else 0
        if not everywhere and guard < np.inf:
            marks = 0
            for m in range(work.tally.moves):
                i = net.neuron[m].mover
                one, flip = net.neuron[i], 0.0 if join == XOR else 1.0
                if join == EVOLVED and output[i] < 0.0:
                    flip = -1.0
                before = work.dots[one.row, i, begin:end]
                after = work.dots[1 - one.row, i, begin:end]
                margin, marked = rows[at.MARGIN, begin:end], again[begin:end]
                marks += mark_changes(
                    before, one.bias, after, one.next_bias, flip, margin, marked, limit, 2.0 * guard
                )
        for p in range(begin, end if marks > 0 else begin):
            if again[p] == 0:
                continue
            read_hidden(net, work.dots, work.hidden, p)
            margin = join_margins(join, neurons, output, bias, work.hidden, limit)
            exact = bounded(margin * scale, QUANTA + 1.0)
            if not abs(exact - np.rint(exact)) <= 0.5 - slip:
                for i in range(neurons):
                    round_neuron(points, net, i)
                    dot = canonical_dot(work.columns, p, net.rounded[i])
                    work.hidden[i] = dot - net.neuron[i].next_bias
                clip = points.tie_clip
                exact = scale * join_margins(join, neurons, output, bias, work.hidden, clip)
            quantum = bounded(np.rint(bounded(exact, QUANTA)), QUANTA)
            rows[at.NEXT_MARGIN, listed], rows[at.NEXT_QUANTUM, listed] = margin, quantum
            total += rows[at.PULL, p] * (quantum - (0.0 if everywhere else rows[at.QUANTUM, p]))
            again[listed] = p
            listed += 1
    work.tally.next_quanta = total
    return total * points.tie_unit, listed


@inner_kernel
def keep_margins(work, listed):
    """Make the margins of the offspring those of the network."""
    work.tally.quanta = work.tally.next_quanta
    for t in range(listed):
        p = work.whole[at.LISTED, t]
        work.real[at.MARGIN, p] = work.real[at.NEXT_MARGIN, t]
        work.real[at.QUANTUM, p] = work.real[at.NEXT_QUANTUM, t]


@inner_kernel
def rearrange(row, order, spare):
    """Put the entries of a row in order."""
    for p in range(row.size):
        spare[p] = row[order[p]]
    for p in range(row.size):
        row[p] = spare[p]


@inner_kernel
def put_in_order(points, work):
    """Sort the points: wrongly classified ones first, then by their margins; copies come last."""
    neurons, start, order, gain = (
        points.neurons,
        work.start,
        work.whole[at.LISTED],
        work.whole[at.GAIN],
    )
    margin, spare, largest = work.real[at.MARGIN], work.real[at.NEXT_MARGIN], 2.0**-1000
    output, bias = work.net.rounded[neurons], work.net.neuron[neurons].bias
    for p in range(gain.size):
        read_hidden(work.net, work.dots, work.hidden, p)
        margin[p] = join_margins(points.join, neurons, output, bias, work.hidden, np.inf)
        largest = larger(largest, abs(margin[p]) if abs(margin[p]) < np.inf else 0.0)
    for b in range(start.size):
        start[b] = 0
    for p in range(gain.size):
        size = smaller(larger(abs(margin[p]) / largest, 2.0**-15), 1.0)
        b = np.int64((15.0 + math.log2(size)) * ((at.BINS - 1) / 15.0))
        b += at.BINS if (margin[p] >= 0.0) == (gain[p] > 0) or gain[p] == 0 else 0
        spare[p] = b
        start[b + 1] += 1
    for b in range(1, start.size):
        start[b] += start[b - 1]
    for p in range(gain.size):
        b = np.int64(spare[p])
        order[start[b]] = p
        start[b] += 1
    for j in range(points.dim):
        rearrange(work.columns[j], order, spare)
    rearrange(work.real[at.PULL], order, spare)
    rearrange(work.real[at.NORM], order, spare)
    rearrange(gain, order, work.whole[at.VOTES])
