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

import numpy as np

from hyperna._kernels.geometry import AND, EVOLVED, XOR, neuron_weights
from hyperna._kernels.jit import inline_kernel, inner_kernel
from hyperna._kernels.order import larger, smaller
from hyperna._kernels.point_data import (
    BLOCK,
    HIDDEN,
    IS_ROUNDED,
    JUDGED,
    LISTED,
    MARGIN,
    MOVER,
    NEXT_MARGIN,
    NEXT_QUANTUM,
    PULL,
    QUANTA,
    QUANTUM,
    ROUNDED,
    ROW,
    STATE,
    SUMS,
    TERMS,
    TURNED,
)
from hyperna._kernels.rotations import write_angles


@inline_kernel
def canonical_dot(columns, p, weight):
    """The dot product of point p with the weights, as `geometry.predict` has it."""
    dot = columns[0, p] * weight[0]
    for j in range(1, columns.shape[0]):
        dot += columns[j, p] * weight[j]
    return dot


@inner_kernel
def decide_near(columns, weight, dots, bias, guard, vote, votes, begin):
    """Let the dot products in index order decide about points close to a hyperplane."""
    for p in range(dots.size):
        if not abs(dots[p] - bias) > guard:
            before = np.int64(dots[p] >= bias)
            dots[p] = canonical_dot(columns, begin + p, weight)
            votes[p] += vote * (np.int64(dots[p] >= bias) - before)


@inner_kernel
def round_neuron(shape, net, i):
    """Make the weights that the offspring's neuron i is rounded to."""
    if net.neuron[IS_ROUNDED, i] == 1:
        return
    net.neuron[IS_ROUNDED, i] = 1
    size, first = (
        shape.neurons if i == shape.neurons else shape.dim,
        i * shape.width,
    )
    if net.neuron[TURNED, i] == 1:
        write_angles(net.weight[1, i], size, shape.resolution, net.component[ROUNDED], first)
        neuron_weights(net.component[ROUNDED], size, shape.resolution, first, net.rounded[i])
    else:
        for j in range(size):
            net.rounded[i, j] = net.weight[1, i, j]


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
def read_hidden(work, neurons, k, p, hidden):
    """Write the margins of the offspring's neurons at point p, which is in block k."""
    for i in range(neurons):
        row = work.place[ROW, i, k]
        row = row if work.net.neuron[TERMS, i] < 0 else 1 - row
        hidden[i] = work.dots[row, i, p] - work.net.bias[1, i]


@inner_kernel
def second_value(points, work, moves, everywhere):
    """The second value of the offspring, and the number of points whose margins change.

    These are listed; `everywhere`: all of them.
    """
    scale, neurons, rows = QUANTA / points.tie_clip, points.neurons, work.real
    hidden, again, listed = work.lanes[HIDDEN], work.whole[LISTED], np.int64(0)
    output, bias = work.net.rounded[neurons], work.net.bias[1, neurons]
    total = 0.0 if everywhere else work.lanes[SUMS, 0]
    for k in range(work.block.shape[1]):
        if not everywhere and work.block[STATE, k] != JUDGED:
            continue
        begin, end = k * BLOCK, smaller(k * BLOCK + BLOCK, again.size)
        guard, marks = work.extent[k, points.dim], np.int64(1)
        # a hair more than the clip, so that rounding errors do not reach it
        limit, slip = points.tie_clip + 2.0 * guard, scale * guard + QUANTA * 2.0**-50
        for p in range(begin, end):
            again[p] = 1 if everywhere or not guard < np.inf else 0
        if not everywhere and guard < np.inf:
            marks = 0
            for m in range(moves):
                i = work.net.neuron[MOVER, m]
                row, flip = work.place[ROW, i, k], 0.0 if points.join == XOR else 1.0
                if points.join == EVOLVED and output[i] < 0.0:
                    flip = -1.0
                marks += mark_changes(
                    work.dots[row, i, begin:end],
                    work.net.bias[0, i],
                    work.dots[1 - row, i, begin:end],
                    work.net.bias[1, i],
                    flip,
                    rows[MARGIN, begin:end],
                    again[begin:end],
                    limit,
                    2.0 * guard,
                )
        for p in range(begin, end if marks > 0 else begin):
            if again[p] == 0:
                continue
            read_hidden(work, neurons, k, p, hidden)
            margin = join_margins(points.join, neurons, output, bias, hidden, limit)
            exact = bounded(margin * scale, QUANTA + 1.0)
            if not abs(exact - np.rint(exact)) <= 0.5 - slip:
                for i in range(neurons):
                    round_neuron(points, work.net, i)
                    dot = canonical_dot(work.columns, p, work.net.rounded[i])
                    hidden[i] = dot - work.net.bias[1, i]
                exact = scale * join_margins(
                    points.join, neurons, output, bias, hidden, points.tie_clip
                )
            quantum = bounded(np.rint(bounded(exact, QUANTA)), QUANTA)
            rows[NEXT_MARGIN, listed], rows[NEXT_QUANTUM, listed] = margin, quantum
            total += rows[PULL, p] * (quantum - (0.0 if everywhere else rows[QUANTUM, p]))
            again[listed] = p
            listed += 1
    work.lanes[SUMS, 1] = total
    return total * points.tie_unit, listed


@inner_kernel
def keep_margins(real, again, sums, listed):
    """Make the margins of the offspring those of the network."""
    sums[0] = sums[1]
    for t in range(listed):
        real[MARGIN, again[t]] = real[NEXT_MARGIN, t]
        real[QUANTUM, again[t]] = real[NEXT_QUANTUM, t]
