"""Points in the order in which it is soon known that an offspring is worse; exact dot products.

The margin of a point is the distance by which the hidden hyperplanes must move for the output to
change, positive where the output is 1. For an OR it is the largest w·x - b, for an AND the
smallest, for an XOR the one nearest to 0 with the sign of the output. An evolved output is a
monotone function of its literals, the hidden bits, those with negative weights inverted. Its margin
is the largest d such that it fires on the literals whose margins are at least d: a weighted order
statistic.
"""

import math

import numpy as np

from hyperna._kernels import point_data as at
from hyperna._kernels.geometry import AND, EVOLVED, XOR, neuron_weights, write_angles
from hyperna._kernels.jit import inline_kernel, inner_kernel
from hyperna._kernels.order import larger, smaller


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
    one = net.neuron[i]
    weight = net.weight[1, i]
    rounded = net.rounded[i]
    if one.rounded == 1:
        return
    one.rounded = 1
    size = points.neurons if i == points.neurons else points.dim
    first = i * points.width
    r = points.resolution
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
def joined_margin(join, neurons, output, bias, margin):
    """Margin of a point, given those of its hidden neurons.

    For an evolved output those with negative weights change their signs.
    """
    best = -np.inf
    sign = -1.0
    if join == AND or join == XOR:  # noqa: SIM109  a tuple would be compiled for seconds
        best = np.inf
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
    if join != EVOLVED or not fires(neurons, output, bias, margin, -np.inf):
        return best
    if fires(neurons, output, bias, margin, np.inf):
        return np.inf
    for i in range(neurons):
        if best < margin[i] and fires(neurons, output, bias, margin, margin[i]):
            best = margin[i]
    return best


@inline_kernel
def read_hidden(net, dots, hidden, p):
    """Write the margins of the offspring's neurons at point p."""
    for i in range(hidden.size):
        one = net.neuron[i]
        hidden[i] = dots[one.row if one.terms == at.STAYS else 1 - one.row, i, p] - one.next_bias


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
    neurons = points.neurons
    start = work.start
    order = work.whole[at.ORDER]
    gain = work.whole[at.GAIN]
    margin = work.real[at.MARGIN]
    spare = work.real[at.SPARE]
    largest = 2.0**-1000
    output, bias = work.net.rounded[neurons], work.net.neuron[neurons].bias
    for p in range(gain.size):
        read_hidden(work.net, work.dots, work.hidden, p)
        margin[p] = joined_margin(points.join, neurons, output, bias, work.hidden)
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
    rearrange(work.real[at.NORM], order, spare)
    rearrange(gain, order, work.whole[at.VOTES])
