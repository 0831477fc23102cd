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

from hyperna._kernels.geometry import AND, EVOLVED, XOR
from hyperna._kernels.jit import inline_kernel, inner_kernel

QUANTA = 2.0**14
# Sums of this many quanta, times weights, are exact: below 2**53.
LARGEST_PULL = 2.0**38
# Points at a time.
_SPAN = 128
# Rows of `vector` and `neuron`: see `hyperna._kernels.point_data`, which builds on this file.
WEIGHT, ROUNDED = 0, 2
ROW, TERMS = 0, 2


@inline_kernel
def canonical_dot(columns, p, weight):
    """The dot product of point p with the weights, as `geometry.predict` has it."""
    dot = columns[0, p] * weight[0]
    for j in range(1, weight.size):
        dot += columns[j, p] * weight[j]
    return dot


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


@inner_kernel
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
def bounded(value, limit):
    """The value clipped to ±limit, written so that a loop over it is vectorised."""
    value = value if value < limit else limit
    return value if value > -limit else -limit


@inline_kernel
def fill_margins(points, work, output, begin, end, limit, margin):
    """Write the margins of points begin..end-1 by the dot products that are kept."""
    hidden, neurons, join = work.real[1], points.neurons, points.join
    if join == EVOLVED:
        for p in range(begin, end):
            for i in range(neurons):
                row = work.neuron[ROW, i] if work.neuron[TERMS, i] < 0 else 1 - work.neuron[ROW, i]
                hidden[i] = work.dots[row, i, p] - work.bias[1, i]
            margin[p - begin] = join_margins(join, neurons, output, hidden, limit)
        return
    for i in range(neurons):
        dots = work.dots[
            work.neuron[ROW, i] if work.neuron[TERMS, i] < 0 else 1 - work.neuron[ROW, i], i
        ]
        bias = work.bias[1, i]
        for p in range(begin, end):
            value = dots[p] - bias
            value = value if value == value else -np.inf
            margin[p - begin] = value if i == 0 else join_two(join, margin[p - begin], value)


@inner_kernel
def second_value(points, work, which):
    """The second value of the offspring; row `which` of `output` is its output neuron."""
    scale, total, output = QUANTA / points.tie_clip, 0.0, work.output[which]
    margin, hidden, neurons = work.real[0], work.real[1], points.neurons
    for k in range(points.guard.size):
        begin, end = k * _SPAN, min(k * _SPAN + _SPAN, points.gain.size)
        # a hair more than the clip, so that rounding errors do not reach it
        limit = points.tie_clip + 2.0 * points.guard[k]
        slip = scale * points.guard[k] + QUANTA * 2.0**-50
        fill_margins(points, work, output, begin, end, limit, margin)
        for p in range(begin, end):
            exact = bounded(margin[p - begin] * scale, QUANTA + 1.0)
            if not abs(exact - np.rint(exact)) <= 0.5 - slip:
                for i in range(neurons):
                    weight = work.vector[WEIGHT if work.neuron[TERMS, i] < 0 else ROUNDED, i]
                    hidden[i] = canonical_dot(points.columns, p, weight) - work.bias[1, i]
                exact = join_margins(points.join, neurons, output, hidden, points.tie_clip) * scale
            total += points.pull[p] * bounded(np.rint(bounded(exact, QUANTA)), QUANTA)
    return total * points.tie_unit
