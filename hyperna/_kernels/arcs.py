"""Arcs on the circle (D = 2) in integer arithmetic, and the score of a network of them.

One turn is `turn` units. A hidden neuron with angle index phi and bias index k fires on the closed
arc phi*step ± h(k). Every arc end is an integer, so the score, the number of correctly classified
units, is an integer and equal scores compare equal. With S(x) = (positive units in [0, x)) -
(negative units in [0, x)) a set U of arcs [a, b) that is classified as positive scores (number of
negative units) + sum over U of S(b) - S(a).
"""

import math
from typing import NamedTuple

import numpy as np

from hyperna._kernels.geometry import AND, EVOLVED, XOR, neuron_weights
from hyperna._kernels.jit import inline_kernel, lean_kernel
from hyperna._kernels.steps import moved

# Arcs are handled in blocks of fixed size, which the compiler unrolls.
ARC_BLOCK = 2
# Up to this many hidden neurons the output neuron's answers fit into the bits of one word.
WORD_NEURONS = 6


class Circle(NamedTuple):
    """A union of arcs to be classified by `neurons` neurons joined by `join`.

    `arcs` has two rows, the starts and the lengths of the positive arcs; an arc across the zero
    angle is given as two, and arcs of length 0 fill up to a multiple of ARC_BLOCK. `half_width` is
    the table of h, or empty where h is to be computed.
    """

    turn: int
    step: int
    resolution: int
    positive: int
    join: int
    neurons: int
    arcs: np.ndarray
    half_width: np.ndarray


class CircleWork(NamedTuple):
    """The arcs of the current network and of its offspring.

    Columns of `arc`: start in [0, turn), end = start + length, S(start), S(end
    modulo turn); rows: the parent's neurons, then the offspring's. `event` has the rows order,
    position and S(position) of all arc ends, the rows of `arc` in use, and scratch space. An AND is
    handled as an OR of the complementary arcs, whose score counts the wrongly classified units.
    `output` holds weights and bias of the evolved output neuron, `bits` the hidden bits and, in its
    last two entries, the output's answers for the current network and for the parent of an
    offspring. `offspring` and `score` serve `hyperna._kernels.ahead`.
    """

    arc: np.ndarray
    event: np.ndarray
    output: np.ndarray
    bits: np.ndarray
    offspring: np.ndarray
    score: np.ndarray


START, END, S_START, S_END, COLUMNS = range(5)
ORDER, POSITION, SIGNED, USED, SCRATCH = range(5)


@inline_kernel
def signed_measure(circle, x):
    """S(x) for x in [0, turn]."""
    inside = np.int64(0)
    for block in range(0, circle.arcs.shape[1], ARC_BLOCK):
        for j in range(ARC_BLOCK):
            inside += min(max(x - circle.arcs[0, block + j], 0), circle.arcs[1, block + j])
    return 2 * inside - x


@inline_kernel
def arcsine(x):
    """asin(x) for 0 <= x <= 0.5, to about an ulp: the rational approximation of fdlibm (1993)."""
    z = x * x
    p = 7.91534994289814532176e-04 + z * 3.47933107596021167570e-05
    p = 2.01212532134862925881e-01 + z * (-4.00555345006794114027e-02 + z * p)
    p = z * (1.66666666666666657415e-01 + z * (-3.25565818622400915405e-01 + z * p))
    q = -6.88283971605453293030e-01 + z * 7.70381505559019352791e-02
    q = 1.0 + z * (-2.40339491173441421878e00 + z * (2.02094576023350569471e00 + z * q))
    return x + x * (p / q)


@inline_kernel
def computed_half_width(circle, bias):
    """Half the length of the arc on which a neuron with this bias fires, acos(bias), in units.

    Biases b and -b give arcs that add up to half a turn exactly.
    """
    r = circle.resolution
    size, unit = abs(2 * bias - r), np.float64(circle.turn) / (2.0 * math.pi)
    inverse = 1.0 / np.float64(r)
    if 2 * size > r:
        # acos(x) = 2 asin(sqrt((1 - x) / 2)), and here 1 - x is exact
        angle = 2.0 * arcsine(math.sqrt(np.float64(r - size) * 0.5 * inverse))
        nearer = np.int64(np.rint(unit * angle))
    else:
        nearer = (circle.turn >> 2) - np.int64(np.rint(unit * arcsine(size * inverse)))
    return nearer if 2 * bias >= r else (circle.turn >> 1) - nearer


@inline_kernel
def half_width(circle, bias):
    """Half the length of the arc of a neuron, from the table if there is one."""
    if circle.half_width.size > 0:
        return circle.half_width[np.uint64(bias)]
    return computed_half_width(circle, bias)


@inline_kernel
def centre_and_half(circle, angle, half):
    """The arc of a neuron; an AND is handled as an OR of the complementary arcs."""
    centre = angle * circle.step
    if circle.join == AND:
        return centre + (circle.turn >> 1), (circle.turn >> 1) - half
    return centre, half


@inline_kernel
def arc_ends(turn, centre, half):
    """Start in [0, turn) and end of an arc, and the end taken modulo `turn`."""
    start = moved(centre, -half, turn)
    end = start + 2 * half
    return start, end, end - (turn & beyond(turn, end))


@inline_kernel
def beyond(turn, end):
    """-1 if an arc goes beyond the zero angle, else 0: a mask instead of a branch."""
    return ~((end - turn - 1) >> 63)


@inline_kernel
def place_arc(circle, arc, genome, neuron, row):
    """Compute the arc of a neuron into a row."""
    half = half_width(circle, genome[2 * neuron + 1])
    centre, half = centre_and_half(circle, genome[2 * neuron], half)
    start, end, place = arc_ends(circle.turn, centre, half)
    arc[row, START] = start
    arc[row, END] = end
    arc[row, S_START] = signed_measure(circle, start)
    arc[row, S_END] = signed_measure(circle, place)


@inline_kernel
def inside(turn, positive, arc):
    """Sum of S over an arc, given as its columns."""
    return arc[S_END] - arc[S_START] + ((2 * positive - turn) & beyond(turn, arc[END]))


@inline_kernel
def shared(turn, positive, first, second):
    """Sum of S over the piece shared by two arcs that begins where the second one begins."""
    gap = second[START] - first[START]
    gap += turn & (gap >> 63)
    left = first[END] - first[START] - gap
    shorter = left - (second[END] - second[START])
    s_end = second[S_END] + ((first[S_END] - second[S_END]) & (shorter >> 63))
    end = second[START] + left - (shorter & ~(shorter >> 63))
    piece = s_end - second[S_START] + ((2 * positive - turn) & beyond(turn, end))
    return piece & ((-left) >> 63)


@inline_kernel
def inside_pair(turn, positive, join, first, second):
    """Sum of S over two arcs joined: both, less what they share at either end, for XOR twice."""
    apart = first[START] - second[START]
    common = shared(turn, positive, first, second)
    common += shared(turn, positive, second, first) & ((apart | -apart) >> 63)
    common += common & -np.int64(join == XOR)
    return inside(turn, positive, first) + inside(turn, positive, second) - common


@inline_kernel
def sort_by(order, key):
    """Insertion sort of the indices in `order` by their key: linear when hardly anything moves."""
    for i in range(1, order.size):
        moving = order[i]
        value = key[moving]
        j = i
        while j > 0 and key[order[j - 1]] > value:
            order[j] = order[j - 1]
            j -= 1
        order[j] = moving


@lean_kernel
def union_score(circle, work):
    """Score of the union of all arcs: sweep over the arcs by their starts, collecting the gaps."""
    arc, turn, neurons = work.arc, circle.turn, circle.neurons
    order, start, used = work.event[ORDER, :neurons], work.event[POSITION], work.event[USED]
    cover, s_cover = np.int64(0), np.int64(0)
    for i in range(neurons):
        row = used[i]
        start[i] = arc[row, START]
        wrapped = arc[row, END] - turn
        if wrapped > cover:
            cover, s_cover = wrapped, arc[row, S_END]
    sort_by(order, start)
    score = circle.positive
    for i in range(neurons):
        row = used[order[i]]
        end = arc[row, END]
        if arc[row, START] > cover:
            score -= arc[row, S_START] - s_cover
            cover, s_cover = end, arc[row, S_END]
        elif end > cover:
            cover, s_cover = end, arc[row, S_END]
        if cover >= turn:
            return score
    return score - (2 * circle.positive - turn - s_cover)


@lean_kernel
def output_answers(circle, work, genome):
    """Tabulate the evolved output neuron: bit p of the word is its answer to hidden bits p."""
    neurons = circle.neurons
    bias = neuron_weights(genome, neurons, circle.resolution, 2 * neurons, work.output)
    work.output[neurons] = bias
    if neurons > WORD_NEURONS:
        return
    word = np.int64(0)
    for pattern in range(1 << neurons):
        total = work.output[0] * np.float64(pattern & 1)
        for i in range(1, neurons):
            total += work.output[i] * np.float64((pattern >> i) & 1)
        if total >= bias:
            word |= np.int64(1) << pattern
    work.bits[neurons] = word


@inline_kernel
def output_fires(circle, work):
    """Answer of the evolved output neuron to the hidden bits in `work.bits`."""
    neurons = circle.neurons
    if neurons <= WORD_NEURONS:
        pattern = np.int64(0)
        for i in range(neurons):
            pattern |= work.bits[i] << i
        return (work.bits[neurons] >> pattern) & 1 == 1
    total = work.output[0] * np.float64(work.bits[0])
    for i in range(1, neurons):
        total += work.output[i] * np.float64(work.bits[i])
    return total >= work.output[neurons]


@inline_kernel
def sort_ends(circle, work):
    """Sort all arc ends, and set the hidden bits to those at the zero angle."""
    arc, turn = work.arc, circle.turn
    position, signed = work.event[POSITION], work.event[SIGNED]
    for i in range(circle.neurons):
        row = work.event[USED, i]
        wraps = beyond(turn, arc[row, END])
        work.bits[i] = wraps & 1
        position[2 * i], signed[2 * i] = arc[row, START], arc[row, S_START]
        position[2 * i + 1] = arc[row, END] - (turn & wraps)
        signed[2 * i + 1] = arc[row, S_END]
    sort_by(work.event[ORDER], position)


@lean_kernel
def parity_score(circle, work):
    """Score of neurons joined by XOR: the arc ends, in order, begin and end the positive arcs."""
    sort_ends(circle, work)
    order, signed = work.event[ORDER], work.event[SIGNED]
    total, odd = np.int64(0), np.int64(0)
    for i in range(0, order.size, 2):
        total += signed[order[i + 1]] - signed[order[i]]
    for i in range(circle.neurons):
        odd ^= work.bits[i]
    if odd == 1:
        total = 2 * circle.positive - circle.turn - total
    return circle.turn - circle.positive + total


@lean_kernel
def evolved_score(circle, work):
    """Score of a network with an evolved output neuron: sweep over all arc ends.

    At each end the neuron's bit is toggled, so the order of coinciding ends does not matter.
    """
    sort_ends(circle, work)
    turn = circle.turn
    order, position, signed = work.event[ORDER], work.event[POSITION], work.event[SIGNED]
    score = turn - circle.positive
    previous, s_previous = np.int64(0), np.int64(0)
    for i in range(order.size):
        event = order[i]
        if position[event] > previous:
            if output_fires(circle, work):
                score += signed[event] - s_previous
            previous, s_previous = position[event], signed[event]
        work.bits[event >> 1] ^= 1
    if previous < turn and output_fires(circle, work):
        score += 2 * circle.positive - turn - s_previous
    return score


@inline_kernel
def network_score(circle, work):
    """Score of the network whose arcs are in the rows in use."""
    if circle.join == EVOLVED and circle.neurons > 1:
        return evolved_score(circle, work)
    turn, positive, first = circle.turn, circle.positive, work.arc[work.event[USED, 0]]
    if circle.neurons == 1:
        score = turn - positive + inside(turn, positive, first)
    elif circle.neurons == 2:
        second = work.arc[work.event[USED, 1]]
        score = turn - positive + inside_pair(turn, positive, circle.join, first, second)
    elif circle.join == XOR:
        score = parity_score(circle, work)
    else:
        score = union_score(circle, work)
    return circle.turn - score if circle.join == AND else score
