"""Exact fitness of any network on the circle (D = 2): the arcs' ends are sorted and swept over.

One or two neurons with a hard-wired output have a faster kind of fitness, `hyperna._kernels.pair`.
"""

from typing import NamedTuple

import numpy as np

from hyperna._kernels.arcs import arc_ends, beyond
from hyperna._kernels.geometry import AND, EVOLVED, OR, XOR, answer, neuron_weights
from hyperna._kernels.jit import inline_kernel, inner_kernel
from hyperna._kernels.matching import MATCHING_ROWS, all_matched
from hyperna._kernels.order import accepts, larger, smaller
from hyperna._kernels.protocol import half_width, implement
from hyperna._kernels.state import CHANGED, GENOME, OLD
from hyperna._kernels.steps import take_step

# Up to this many hidden neurons the output neuron's answers fit into the bits of one word.
WORD_NEURONS = 6
# Arcs are handled in blocks of fixed size, which the compiler unrolls.
ARC_BLOCK = 2


class Circle(NamedTuple):
    """A union of arcs to be classified by `neurons` neurons joined by `join`.

    One turn is `turn` units, of which `positive` are positive; an angle is `step` units. `arcs` has
    two rows, the starts and the lengths of the positive arcs; an arc across the zero angle is
    given as two, and arcs of length 0 fill up to a multiple of ARC_BLOCK. Each neuron has `width`
    components with as many values as `modulus` says, its angle first; its `shape` says how long its
    arc is. An output neuron has `resolution` values of an angle.
    """

    turn: int
    step: int
    positive: int
    join: int
    neurons: int
    width: int
    resolution: int
    modulus: np.ndarray
    arcs: np.ndarray
    shape: NamedTuple


class CircleWork(NamedTuple):
    """The arcs of the current network and of its offspring.

    Columns of `arc`: start in [0, turn), end = start + length, S(start), S(end modulo turn), with
    the S of `hyperna._kernels.arcs`; rows: the parent's neurons, then the offspring's. `event` has
    the rows order, position and S(position) of all arc ends, and the rows of `arc` in use; from row
    MATCHING on room for a matching, and from row NEAR on a row for each neuron that says which
    optimal neurons it is close to. (In an array of their own an evolving number of neurons would
    take 1.4 times as long: all arrays are handed over at every call.) An AND is handled as an OR of
    the complementary arcs, whose score counts the wrongly classified units. `output` holds weights
    and bias of the evolved output neuron, `bits` the hidden bits and, in its last entry, the
    output's answers to all of them. `owner` is the neuron of each component.
    """

    arc: np.ndarray
    event: np.ndarray
    output: np.ndarray
    bits: np.ndarray
    owner: np.ndarray


START, END, S_START, S_END, COLUMNS = range(5)
ORDER, POSITION, S_POSITION, USED, MATCHING = range(5)
NEAR = MATCHING + MATCHING_ROWS


def _workspace(fitness):
    neurons = fitness.neurons
    work = CircleWork(
        np.full((2 * neurons, COLUMNS), -1),
        np.zeros((NEAR + neurons, 2 * neurons), np.int64),
        np.zeros(neurons + 1, np.float64),
        np.zeros(neurons + 1, np.int64),
        np.minimum(np.arange((fitness.width + 1) * neurons) // fitness.width, neurons),
    )
    for i in range(2 * neurons):
        work.event[ORDER, i] = i
        work.event[USED, i] = i
    return work


@inline_kernel
def place_arc(circle, arc, genome, neuron, row):
    """Compute the arc of a neuron into a row."""
    first = neuron * circle.width
    turn = circle.turn
    bias = genome[first + 1]
    bend = genome[first + circle.width - 1]  # the bias again where neurons have no bend
    half = half_width(circle.shape, bias, bend, np.int64(0), np.int64(1))
    centre = genome[first] * circle.step
    if circle.join == AND:
        centre, half = centre + (turn >> 1), (turn >> 1) - half
    start, end, place = arc_ends(turn, centre, half)
    at_start, at_end = np.int64(0), np.int64(0)
    for block in range(0, circle.arcs.shape[1], ARC_BLOCK):
        for j in range(block, block + ARC_BLOCK):
            at_start += smaller(larger(start - circle.arcs[0, j], 0), circle.arcs[1, j])
            at_end += smaller(larger(place - circle.arcs[0, j], 0), circle.arcs[1, j])
    arc[row, START] = start
    arc[row, END] = end
    arc[row, S_START] = 2 * at_start - start
    arc[row, S_END] = 2 * at_end - place


@inner_kernel
def output_answers(circle, work, genome):
    """Tabulate the evolved output neuron: bit p of the word is its answer to hidden bits p."""
    neurons = circle.neurons
    first = circle.width * neurons
    bias = neuron_weights(genome, neurons, circle.resolution, first, work.output)
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
def fires(circle, work):
    """Answer of the network to the hidden bits in `work.bits`."""
    neurons = circle.neurons
    if circle.join == EVOLVED and neurons <= WORD_NEURONS:
        pattern = np.int64(0)
        for i in range(neurons):
            pattern |= work.bits[i] << i
        return (work.bits[neurons] >> pattern) & 1 == 1
    firing = np.int64(0)
    total = 0.0
    for i in range(neurons):
        firing += work.bits[i]
        total += work.output[i] * np.float64(work.bits[i])
    return answer(circle.join, neurons, firing, total, work.output[neurons])


@inline_kernel
def sort_by(order, key):
    """Insertion sort of the indices in `order` by their key: linear when hardly anything moves.

    Here and below indices are unsigned, because one that may be negative would have to be checked.
    """
    for i in range(1, order.size):
        moving = order[i]
        value = key[np.uint64(moving)]
        j = i
        while j > 0 and key[np.uint64(order[j - 1])] > value:
            order[j] = order[j - 1]
            j -= 1
        order[j] = moving


@inline_kernel
def union_score(circle, work):
    """Score of the union of all arcs: sweep over the arcs by their starts, collecting the gaps."""
    arc = work.arc
    turn = circle.turn
    neurons = circle.neurons
    order = work.event[ORDER, :neurons]
    start = work.event[POSITION]
    used = work.event[USED]
    cover, s_cover = np.int64(0), np.int64(0)
    for i in range(neurons):
        row = np.uint64(used[i])
        start[i] = arc[row, START]
        wrapped = arc[row, END] - turn
        if wrapped > cover:
            cover, s_cover = wrapped, arc[row, S_END]
    sort_by(order, start)
    score = circle.positive
    for i in range(neurons):
        row = np.uint64(used[np.uint64(order[i])])
        end = arc[row, END]
        if arc[row, START] > cover:
            score -= arc[row, S_START] - s_cover
            cover, s_cover = end, arc[row, S_END]
        elif end > cover:
            cover, s_cover = end, arc[row, S_END]
        if cover >= turn:
            return score
    return score - (2 * circle.positive - turn - s_cover)


@inline_kernel
def swept_score(circle, work):
    """Score of neurons that are joined in any way: sweep over all arc ends.

    Each end toggles the neuron's bit, so the order of coinciding ends does not matter. Under XOR
    the ends, in order, begin and end the positive arcs.
    """
    arc = work.arc
    turn = circle.turn
    order = work.event[ORDER, : 2 * circle.neurons]
    position = work.event[POSITION]
    s_position = work.event[S_POSITION]
    odd = np.int64(0)
    for i in range(circle.neurons):
        row = work.event[USED, i]
        wraps = beyond(turn, arc[row, END])
        work.bits[i] = wraps & 1
        odd ^= wraps & 1
        position[2 * i], s_position[2 * i] = arc[row, START], arc[row, S_START]
        position[2 * i + 1] = arc[row, END] - (turn & wraps)
        s_position[2 * i + 1] = arc[row, S_END]
    sort_by(order, position)
    score = turn - circle.positive
    if circle.join == XOR:
        total = np.int64(0)
        for i in range(0, order.size, 2):
            total += s_position[order[i + 1]] - s_position[order[i]]
        return score + (2 * circle.positive - turn - total if odd == 1 else total)
    previous, s_previous = np.int64(0), np.int64(0)
    for i in range(order.size):
        event = order[i]
        if position[event] > previous:
            if fires(circle, work):
                score += s_position[event] - s_previous
            previous, s_previous = position[event], s_position[event]
        work.bits[event >> 1] ^= 1
    if previous < turn and fires(circle, work):
        score += 2 * circle.positive - turn - s_previous
    return score


@inline_kernel
def network_score(circle, work):
    """Score of the network whose arcs are in the rows in use."""
    if circle.join != OR and circle.join != AND:
        return swept_score(circle, work)
    score = union_score(circle, work)
    return circle.turn - score if circle.join == AND else score


def _prepare(fitness, work, genome):
    for i in range(fitness.neurons):
        place_arc(fitness, work.arc, genome, i, i)
        work.event[USED, i] = i
    # the network before may have been of another size
    for i in range(2 * fitness.neurons):
        work.event[ORDER, i] = i
    if fitness.join == EVOLVED:
        output_answers(fitness, work, genome)
    return network_score(fitness, work)


def _first_accepted(fitness, work, mutation, steps, genes, first, last, score):
    genome = genes[GENOME]
    changed = genes[CHANGED]
    old = genes[OLD]
    neurons = fitness.neurons
    used = work.event[USED]
    arc = work.arc
    for step in range(first, last):
        count = take_step(mutation, steps, step, genome, changed, old)
        answers = work.bits[neurons]
        output_changed = False
        for t in range(count):
            neuron = work.owner[changed[t]]
            if neuron >= neurons:
                output_changed = True
            elif used[neuron] == neuron:
                used[neuron] = neurons + neuron
                place_arc(fitness, arc, genome, neuron, neurons + neuron)
        if output_changed:
            output_answers(fitness, work, genome)
        found = network_score(fitness, work)
        accepted = accepts(found, score)
        for t in range(count):
            neuron = work.owner[changed[t]]
            if neuron < neurons and used[neuron] != neuron:
                used[neuron] = neuron
                if accepted:
                    for column in range(COLUMNS):
                        arc[neuron, column] = arc[neurons + neuron, column]
        if accepted:
            return step, found
        for t in range(count):
            genome[changed[t]] = old[t]
        if output_changed:
            work.bits[neurons] = answers
            if neurons > WORD_NEURONS:
                output_answers(fitness, work, genome)
    return last, score


@inner_kernel
def mark_targets(circle, genome, neuron, targets, tolerance, near):
    """Mark the targets that a neuron is close to, perhaps with its sides swapped.

    An evolved output may use a neuron or its complement: the opposite angle and bias.
    """
    first = neuron * circle.width
    half_turn = 0.5 * np.float64(circle.resolution)
    anything = False
    for i in range(circle.neurons):
        near[neuron, i] = 0
        for swapped in range(2 if circle.join == EVOLVED else 1):
            close = True
            for k in range(circle.width):
                modulus = np.float64(circle.modulus[k])
                target = targets[i, k]
                if swapped == 1 and k == 0:
                    target += half_turn if target < half_turn else -half_turn
                elif swapped == 1:
                    target = np.float64(circle.resolution) - target
                gap = abs(np.float64(genome[first + k]) - target)
                close = close and smaller(gap, modulus - gap) < tolerance
            if close:
                near[neuron, i] = 1
                anything = True
    return anything


@inner_kernel
def output_agrees(circle, work, targets):
    """Whether the evolved output fires at the places in one column and is silent at the others."""
    step = np.float64(circle.step)
    turn = circle.turn
    arc = work.arc
    for place in range(2 * circle.neurons):
        wanted = place % 2 == 0
        column = circle.width + place % 2
        position = np.int64(np.rint(targets[place >> 1, column] * step))
        for i in range(circle.neurons):
            ahead = (position - arc[i, START]) % turn
            work.bits[i] = np.int64(ahead <= arc[i, END] - arc[i, START])
        if fires(circle, work) != wanted:
            return False
    return True


def _optimal(fitness, work, genome, optima, tolerance):
    neurons = fitness.neurons
    near = work.event[NEAR:]
    for alternative in range(optima.shape[0]):
        targets = optima[alternative]
        found = True
        for i in range(neurons):
            if not mark_targets(fitness, genome, i, targets, tolerance, near):
                found = False
                break
        if (
            found
            and all_matched(near, neurons, work.event[MATCHING:])
            and (fitness.join != EVOLVED or output_agrees(fitness, work, targets))
        ):
            return True
    return False


def _resized(kind, topology, neurons):
    return Circle(
        turn=kind.turn,
        step=kind.step,
        positive=kind.positive,
        join=kind.join if neurons > 1 else OR,
        neurons=neurons,
        width=kind.width,
        resolution=kind.resolution,
        modulus=kind.modulus,
        arcs=kind.arcs,
        shape=kind.shape,
    )


implement(
    Circle,
    workspace=_workspace,
    prepare=_prepare,
    first_accepted=_first_accepted,
    optimal=_optimal,
    resized=_resized,
)
