"""Exact fitness on the circle (D = 2) in integer arithmetic.

One turn is `turn` units. A hidden neuron with angle index phi and bias index k fires on the closed arc phi*step ± h(k).
Every arc end is an integer, so the score, the number of correctly classified units, is an integer and equal scores compare
equal. With S(x) = (positive units in [0, x)) - (negative units in [0, x)) a set U of arcs [a, b) that is classified as
positive scores (number of negative units) + sum over U of S(b) - S(a).
"""

import math
from typing import NamedTuple

import numpy as np

from hyperna._kernels.geometry import neuron_weights
from hyperna._kernels.jit import inline_kernel, kernel, lean_kernel
from hyperna._kernels.protocol import implement, prepare, workspace

OR, AND, EVOLVED = range(3)

# Arcs are handled in blocks of fixed size, which the compiler unrolls.
ARC_BLOCK = 4
# Up to this many hidden neurons the output neuron's answers fit into the bits of one word.
_WORD_NEURONS = 6


class Circle(NamedTuple):
    """A union of arcs to be classified by `neurons` neurons joined by `join`.

    `arcs` has two rows, the starts and the lengths of the positive arcs; an arc across the zero
    angle is given as two, and arcs of length 0 fill up to a multiple of ARC_BLOCK. `half_width` is the table of h, or empty where h is to be computed.
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
    """The arcs of the current network.

    Columns of `arc`: h(bias), start in [0, turn), end = start + length, S(start), S(end modulo
    turn); rows: the neurons, then what an offspring has overwritten. An AND is handled as an OR of
    the complementary arcs, whose score counts the wrongly classified units. `event` has the rows
    order, position and S(position) of all arc ends. `output` holds weights and bias of the evolved
    output neuron, `bits` the hidden bits and, in its last two entries, the output's answers.
    """

    arc: np.ndarray
    event: np.ndarray
    output: np.ndarray
    bits: np.ndarray


_HALF, _START, _END, _S_START, _S_END = range(5)
_ORDER, _POSITION, _SIGNED = range(3)


@inline_kernel
def signed_measure(circle, x):
    """S(x) for x in [0, turn]."""
    inside = np.int64(0)
    for block in range(0, circle.arcs.shape[1], ARC_BLOCK):
        for j in range(ARC_BLOCK):
            inside += min(max(x - circle.arcs[0, block + j], 0), circle.arcs[1, block + j])
    return 2 * inside - x


@inline_kernel
def half_width(circle, bias):
    """Half the length of the arc on which a neuron with this bias fires, acos(bias), in units."""
    value = np.float64(2 * bias - circle.resolution) / np.float64(circle.resolution)
    quarter = np.float64(circle.turn) * 0.25
    return np.int64(quarter - np.rint(np.float64(circle.turn) / (2.0 * math.pi) * math.asin(value)))


@inline_kernel
def place_arc(circle, arc, genome, neuron, new_bias):
    """Recompute the arc of a neuron whose genes have changed."""
    if circle.half_width.size > 0:
        half = circle.half_width[genome[2 * neuron + 1]]
    elif new_bias:
        half = half_width(circle, genome[2 * neuron + 1])
        arc[neuron, _HALF] = half
    else:
        half = arc[neuron, _HALF]
    start = genome[2 * neuron] * circle.step
    length = 2 * half
    if circle.join == AND:
        start += half
        length = circle.turn - length
    else:
        start -= half
    # products instead of branches: a branch that cannot be predicted costs more than all of this
    start += circle.turn * np.int64(start < 0)
    start -= circle.turn * np.int64(start >= circle.turn)
    end = start + length
    arc[neuron, _START] = start
    arc[neuron, _END] = end
    arc[neuron, _S_START] = signed_measure(circle, start)
    arc[neuron, _S_END] = signed_measure(circle, end - circle.turn * np.int64(end > circle.turn))


@inline_kernel
def single_score(circle, arc):
    """Score of one arc."""
    score = circle.turn - circle.positive + arc[0, _S_END] - arc[0, _S_START]
    return score + (2 * circle.positive - circle.turn) * np.int64(arc[0, _END] > circle.turn)


@inline_kernel
def shared(circle, arc, first, second):
    """Sum of S over the piece shared by two arcs that begins where the second one begins."""
    gap = arc[second, _START] - arc[first, _START]
    gap += circle.turn & (gap >> 63)
    left = arc[first, _END] - arc[first, _START] - gap
    length = arc[second, _END] - arc[second, _START]
    s_end = arc[first, _S_END] if left < length else arc[second, _S_END]
    across = arc[second, _START] + min(left, length) > circle.turn
    piece = s_end - arc[second, _S_START] + (2 * circle.positive - circle.turn) * np.int64(across)
    return piece * np.int64(left > 0)


@inline_kernel
def pair_score(circle, arc):
    """Score of the union of two arcs: both, less what they share at either end."""
    whole = 2 * circle.positive - circle.turn
    wraps = np.int64(arc[0, _END] > circle.turn) + np.int64(arc[1, _END] > circle.turn)
    score = circle.turn - circle.positive + whole * wraps
    score += arc[0, _S_END] - arc[0, _S_START] + arc[1, _S_END] - arc[1, _S_START]
    score -= shared(circle, arc, 0, 1)
    if arc[0, _START] != arc[1, _START]:
        score -= shared(circle, arc, 1, 0)
    return score


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
    arc, turn = work.arc, circle.turn
    neurons = circle.neurons
    order, start = work.event[_ORDER, :neurons], work.event[_POSITION]
    cover, s_cover = np.int64(0), np.int64(0)
    for i in range(neurons):
        start[i] = arc[i, _START]
        wrapped = arc[i, _END] - turn
        if wrapped > cover:
            cover, s_cover = wrapped, arc[i, _S_END]
    sort_by(order, start)
    score = circle.positive
    for i in range(neurons):
        neuron = order[i]
        end = arc[neuron, _END]
        if start[neuron] > cover:
            score -= arc[neuron, _S_START] - s_cover
            cover, s_cover = end, arc[neuron, _S_END]
        elif end > cover:
            cover, s_cover = end, arc[neuron, _S_END]
        if cover >= turn:
            return score
    return score - (2 * circle.positive - turn - s_cover)


@lean_kernel
def output_answers(circle, work, genome):
    """Tabulate the evolved output neuron: bit p of the word is its answer to hidden bits p."""
    neurons = circle.neurons
    bias = neuron_weights(genome, neurons, circle.resolution, 2 * neurons, work.output)
    work.output[neurons] = bias
    if neurons > _WORD_NEURONS:
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
    if neurons <= _WORD_NEURONS:
        pattern = np.int64(0)
        for i in range(neurons):
            pattern |= work.bits[i] << i
        return (work.bits[neurons] >> pattern) & 1 == 1
    total = work.output[0] * np.float64(work.bits[0])
    for i in range(1, neurons):
        total += work.output[i] * np.float64(work.bits[i])
    return total >= work.output[neurons]


@lean_kernel
def evolved_score(circle, work):
    """Score of a network with an evolved output neuron: sweep over all arc ends.

    At each end the neuron's bit is toggled, so the order of coinciding ends does not matter.
    """
    arc, turn = work.arc, circle.turn
    order, position, signed = work.event[_ORDER], work.event[_POSITION], work.event[_SIGNED]
    for i in range(circle.neurons):
        end = arc[i, _END]
        work.bits[i] = 0
        if end > turn:
            work.bits[i] = 1
            end -= turn
        position[2 * i], signed[2 * i] = arc[i, _START], arc[i, _S_START]
        position[2 * i + 1], signed[2 * i + 1] = end, arc[i, _S_END]
    sort_by(order, position)
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
    """Score of the network whose arcs are in `work`."""
    if circle.join == EVOLVED and circle.neurons > 1:
        return evolved_score(circle, work)
    if circle.neurons == 1:
        score = single_score(circle, work.arc)
    elif circle.neurons == 2:
        score = pair_score(circle, work.arc)
    else:
        score = union_score(circle, work)
    return circle.turn - score if circle.join == AND else score


def _workspace(fitness):
    neurons = fitness.neurons
    work = CircleWork(
        np.zeros((4 * neurons + 1, max(5, neurons)), np.int64),
        np.zeros((3, 2 * neurons), np.int64),
        np.zeros(neurons + 1, np.float64),
        np.zeros(neurons + 2, np.int64),
    )
    for i in range(2 * neurons):
        work.event[_ORDER, i] = i
    return work


def _prepare(fitness, work, genome):
    for i in range(fitness.neurons):
        place_arc(fitness, work.arc, genome, i, True)
    if fitness.join == EVOLVED and fitness.neurons > 1:
        output_answers(fitness, work, genome)
    return network_score(fitness, work)


def _evaluate(fitness, work, genome, changed, count, score):
    hidden = 2 * fitness.neurons
    output_changed = False
    for t in range(count):
        c = changed[t]
        if c < hidden:
            neuron = c >> 1
            for column in range(5):
                work.arc[fitness.neurons + t, column] = work.arc[neuron, column]
            place_arc(fitness, work.arc, genome, neuron, c & 1 == 1)
        else:
            output_changed = True
    if output_changed:
        work.bits[fitness.neurons + 1] = work.bits[fitness.neurons]
        output_answers(fitness, work, genome)
    return network_score(fitness, work)


def _tie(fitness, work):
    return 0.0


def _keep(fitness, work, genome, changed, count):
    return


def _undo(fitness, work, genome, changed, count):
    hidden = 2 * fitness.neurons
    output_changed = False
    for back in range(count):
        t = count - 1 - back
        c = changed[t]
        if c < hidden:
            for column in range(5):
                work.arc[c >> 1, column] = work.arc[fitness.neurons + t, column]
        else:
            output_changed = True
    if output_changed:
        work.bits[fitness.neurons] = work.bits[fitness.neurons + 1]
        if fitness.neurons > _WORD_NEURONS:
            output_answers(fitness, work, genome)


@lean_kernel
def apart(value, target, modulus):
    """Distance on a cycle of length `modulus`."""
    gap = abs(value - target)
    return min(gap, modulus - gap)


@lean_kernel
def matched_target(circle, genome, neuron, targets, tolerance, flipped):
    """Index of the target that a neuron (or the neuron with its two sides swapped) is close to, or -1."""
    r = np.float64(circle.resolution)
    for i in range(targets.shape[0]):
        angle, bias = targets[i, 0], targets[i, 1]
        if flipped:
            angle = angle + 0.5 * r if angle < 0.5 * r else angle - 0.5 * r
            bias = r - bias
        if (
            apart(np.float64(genome[2 * neuron]), angle, r) < tolerance
            and apart(np.float64(genome[2 * neuron + 1]), bias, r + 1.0) < tolerance
        ):
            return i
    return -1


@lean_kernel
def output_agrees(circle, work, flips, conjunction):
    """Whether the evolved output joins the neurons as needed, those in `flips` taken inverted.

    As an OR of neurons at most one of which fires, or as an AND of neurons at most one of which is
    silent: other patterns do not occur next to an optimum.
    """
    neurons = circle.neurons
    usual = 1 if conjunction else 0
    for odd in range(-1, neurons):
        for i in range(neurons):
            work.bits[i] = flips[i] ^ usual ^ (1 if i == odd else 0)
        if output_fires(circle, work) != ((odd >= 0) != conjunction):
            return False
    return True


def _optimal(fitness, work, genome, optima, tolerance):
    evolved = fitness.join == EVOLVED and fitness.neurons > 1
    match, flip = work.arc[fitness.neurons], work.arc[fitness.neurons + 1]
    for alternative in range(optima.shape[0]):
        targets = optima[alternative]
        found = True
        for i in range(fitness.neurons):
            match[i] = matched_target(fitness, genome, i, targets, tolerance, False)
            flip[i] = 0
            if match[i] < 0 and evolved:
                match[i] = matched_target(fitness, genome, i, targets, tolerance, True)
                flip[i] = 1
            found = match[i] >= 0
            for j in range(i):
                found = found and match[j] != match[i]
            if not found:
                break
        if found and evolved:
            found = output_agrees(fitness, work, flip, targets[0, 2] == 1.0)
        if found:
            return True
    return False


@kernel
def circle_score(circle, genome):
    """Number of correctly classified units of the circle."""
    return prepare(circle, workspace(circle), genome)


implement(
    Circle,
    workspace=_workspace,
    prepare=_prepare,
    evaluate=_evaluate,
    tie=_tie,
    keep=_keep,
    undo=_undo,
    optimal=_optimal,
)
