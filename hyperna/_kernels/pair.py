"""Exact fitness of one or two neurons on the circle: many offspring of one parent at once.

Most offspring are worse than their parent. Up to the first one that is not, all steps lead from the
same genome, so their scores are computed side by side, in loops that the compiler turns into vector
instructions: no branches, no calls, and one array that is written to.

A score is a sum of S at the ends of arcs: `hyperna._kernels.arcs`. Neurons joined by AND are scored
by De Morgan: the union of the opposite arcs is where the network answers 0, so its score is a turn
less theirs.
"""

from typing import NamedTuple

import numpy as np

from hyperna._kernels.arcs import arc_ends, beyond
from hyperna._kernels.geometry import AND, XOR
from hyperna._kernels.jit import inline_kernel
from hyperna._kernels.order import accepts, larger, smaller
from hyperna._kernels.protocol import half_width, implement
from hyperna._kernels.state import CHANGED, GENOME, OLD
from hyperna._kernels.steps import CHOICE, FIRST_MOVE, moved, take_step

# Positive arcs at most.
MOST_ARCS = 4
# Offspring at a time: few at first, because the next acceptable one may be near.
FEWEST_OFFSPRING, MOST_OFFSPRING = 4, 32
# The last offspring are filled up to a multiple of this, so that vector instructions do them all.
BLOCK = 8
# Rows for the offspring's arcs.
CENTRE, HALF, OTHER_CENTRE, OTHER_HALF, N_ROWS = range(5)


class Pair(NamedTuple):
    """At most MOST_ARCS positive arcs, to be classified by one or two neurons.

    One turn is `turn` units, of which `positive` are positive; an angle is `step` units. `starts`
    and `lengths` are those of the arcs, of which some may be empty. Each neuron has `width`
    components, which take as many values as `modulus` says, its angle first; its `shape` says
    how long its arc is.
    """

    turn: int
    step: int
    positive: int
    join: int
    neurons: int
    width: int
    modulus: np.ndarray
    starts: tuple[int, int, int, int]
    lengths: tuple[int, int, int, int]
    shape: NamedTuple


class PairWork(NamedTuple):
    """Centres and half-widths of the arcs of some offspring (see CENTRE ...), and their scores."""

    arc: np.ndarray
    score: np.ndarray


def _workspace(fitness):
    return PairWork(
        np.zeros((N_ROWS, MOST_OFFSPRING), np.int64), np.zeros(MOST_OFFSPRING, np.int64)
    )


@inline_kernel
def arc_of(turn, starts, lengths, centre, half):
    """Start and end of an arc, and S at both: see `hyperna._kernels.arcs`."""
    start, end, place = arc_ends(turn, centre, half)
    a0, a1, a2, a3 = starts
    l0, l1, l2, l3 = lengths
    at_start = smaller(larger(start - a0, 0), l0) + smaller(larger(start - a1, 0), l1)
    at_start += smaller(larger(start - a2, 0), l2) + smaller(larger(start - a3, 0), l3)
    at_end = smaller(larger(place - a0, 0), l0) + smaller(larger(place - a1, 0), l1)
    at_end += smaller(larger(place - a2, 0), l2) + smaller(larger(place - a3, 0), l3)
    return start, end, 2 * at_start - start, 2 * at_end - place


@inline_kernel
def shared(turn, surplus, start, end, s_end, other_start, other_end, s_other_start, s_other_end):
    """Sum of S over the piece shared by two arcs that begins where the second one begins."""
    gap = other_start - start
    gap += turn & (gap >> 63)
    left = end - start - gap
    shorter = left - (other_end - other_start)
    s_last = s_other_end + ((s_end - s_other_end) & (shorter >> 63))
    last = other_start + left - (shorter & ~(shorter >> 63))
    piece = s_last - s_other_start + (surplus & beyond(turn, last))
    return piece & ((-left) >> 63)


@inline_kernel
def single_score(turn, positive, starts, lengths, centre, half):
    """Score of a network of one neuron."""
    negative = turn - positive
    _, end, s_start, s_end = arc_of(turn, starts, lengths, centre, half)
    return negative + s_end - s_start + ((positive - negative) & beyond(turn, end))


@inline_kernel
def pair_score(turn, positive, twice, starts, lengths, centre, half, centre_2, half_2):
    """Score of a network of two neurons: both arcs, less what they share at either end.

    What they share is taken off once, or twice (XOR) if all bits of `twice` are set.
    """
    negative = turn - positive
    surplus = positive - negative
    start, end, s_start, s_end = arc_of(turn, starts, lengths, centre, half)
    start_2, end_2, s_start_2, s_end_2 = arc_of(turn, starts, lengths, centre_2, half_2)
    apart = start - start_2
    common = shared(turn, surplus, start, end, s_end, start_2, end_2, s_start_2, s_end_2)
    other = shared(turn, surplus, start_2, end_2, s_end_2, start, end, s_start, s_end)
    common += other & ((apart | -apart) >> 63)
    common += common & twice
    total = s_end - s_start + (surplus & beyond(turn, end))
    total += s_end_2 - s_start_2 + (surplus & beyond(turn, end_2))
    return negative + total - common


@inline_kernel
def single_scores(turn, positive, starts, lengths, count, arc, score):
    """Scores of networks of one neuron."""
    for j in range((count + BLOCK - 1) & -BLOCK):
        score[j] = single_score(turn, positive, starts, lengths, arc[CENTRE, j], arc[HALF, j])


@inline_kernel
def pair_scores(turn, positive, join, starts, lengths, count, arc, score):
    """Scores of networks of two neurons."""
    twice = -np.int64(join == XOR)
    for j in range((count + BLOCK - 1) & -BLOCK):
        score[j] = pair_score(
            turn,
            positive,
            twice,
            starts,
            lengths,
            arc[CENTRE, j],
            arc[HALF, j],
            arc[OTHER_CENTRE, j],
            arc[OTHER_HALF, j],
        )


@inline_kernel
def place_neuron(fitness, moduli, move, chosen, at, shifts, bends, angle, bias, bend, half):
    """Centre and half-width of a neuron's arc after a step whose moves begin at `at`.

    The bits of `chosen` say which components change: the angle, the bias if `shifts` is 1, the bend
    if `bends` is 1. `angle`, `bias`, `bend` and the half-width `half` are the parent's.
    """
    turned, shifted = chosen & 1, (chosen >> 1) & shifts
    bent = (chosen >> (1 + shifts)) & bends
    # an index that may be negative would have to be checked
    angle = moved(angle, move[np.uint64(at)] & -turned, moduli[0])
    bias = moved(bias, move[np.uint64(at + turned)] & -shifted, moduli[1])
    bend = moved(bend, move[np.uint64(at + turned + shifted)] & -bent, moduli[2])
    half = half_width(fitness.shape, bias, bend, half, shifted | bent << 1)
    centre = angle * fitness.step
    if fitness.join == AND:
        return centre + (fitness.turn >> 1), (fitness.turn >> 1) - half
    return centre, half


@inline_kernel
def place_neurons(fitness, mutation, steps, genome, first, count, arc):
    """Write the arcs of the neurons after each of `count` steps."""
    choice = steps.step[CHOICE, first:]
    place = steps.step[FIRST_MOVE, first:]
    move = steps.move
    # of each neuron the angle is mutable, and the bias, and the bend if there is one
    width = fitness.width
    genes = mutation.component.size // fitness.neurons
    shifts = np.int64(genes > 1 and mutation.component[1] == 1)
    bends = np.int64(width > 2)
    moduli = fitness.modulus[0], fitness.modulus[1], fitness.modulus[width - 1]
    angle, bias, bend = genome[0], genome[1], genome[width - 1]
    half = half_width(fitness.shape, bias, bend, np.int64(0), np.int64(1))
    if fitness.neurons == 1:
        for j in range(count):
            arc[CENTRE, j], arc[HALF, j] = place_neuron(
                fitness, moduli, move, choice[j], place[j], shifts, bends, angle, bias, bend, half
            )
        return
    angle_2, bias_2, bend_2 = genome[width], genome[width + 1], genome[2 * width - 1]
    half_2 = half_width(fitness.shape, bias_2, bend_2, np.int64(0), np.int64(1))
    for j in range(count):
        chosen = choice[j] & ((1 << genes) - 1)
        at = place[j]
        arc[CENTRE, j], arc[HALF, j] = place_neuron(
            fitness, moduli, move, chosen, at, shifts, bends, angle, bias, bend, half
        )
        at += (chosen & 1) + ((chosen >> 1) & 1) + (chosen >> 2)
        chosen = choice[j] >> genes
        arc[OTHER_CENTRE, j], arc[OTHER_HALF, j] = place_neuron(
            fitness, moduli, move, chosen, at, shifts, bends, angle_2, bias_2, bend_2, half_2
        )


@inline_kernel
def own_arc(fitness, genome, first):
    """Centre and half-width of the arc of the neuron at component `first`."""
    bias, bend = genome[first + 1], genome[first + fitness.width - 1]
    half = half_width(fitness.shape, bias, bend, np.int64(0), np.int64(1))
    centre = genome[first] * fitness.step
    if fitness.join == AND:
        return centre + (fitness.turn >> 1), (fitness.turn >> 1) - half
    return centre, half


def _prepare(fitness, work, genome):
    turn = fitness.turn
    positive = fitness.positive
    join = fitness.join
    starts, lengths = fitness.starts, fitness.lengths
    centre, half = own_arc(fitness, genome, 0)
    if fitness.neurons == 1:
        score = single_score(turn, positive, starts, lengths, centre, half)
    else:
        centre_2, half_2 = own_arc(fitness, genome, fitness.width)
        twice = -np.int64(join == XOR)
        score = pair_score(turn, positive, twice, starts, lengths, centre, half, centre_2, half_2)
    return turn - score if join == AND else score


def _score_rows(fitness, work, genomes, scores, first, last):
    turn = fitness.turn
    positive = fitness.positive
    join = fitness.join
    starts = fitness.starts
    lengths = fitness.lengths
    arc = work.arc
    while first < last:
        count = smaller(last - first, MOST_OFFSPRING)
        for j in range(count):
            arc[CENTRE, j], arc[HALF, j] = own_arc(fitness, genomes[first + j], 0)
        if fitness.neurons == 1:
            single_scores(turn, positive, starts, lengths, count, arc, work.score)
        else:
            for j in range(count):
                arc[OTHER_CENTRE, j], arc[OTHER_HALF, j] = own_arc(
                    fitness, genomes[first + j], fitness.width
                )
            pair_scores(turn, positive, join, starts, lengths, count, arc, work.score)
        for j in range(count):
            scores[first + j] = turn - work.score[j] if join == AND else work.score[j]
        first += count


def _first_accepted(fitness, work, mutation, steps, genes, first, last, score):
    turn = fitness.turn
    positive = fitness.positive
    join = fitness.join
    starts, lengths = fitness.starts, fitness.lengths
    genome = genes[GENOME]
    count = np.int64(FEWEST_OFFSPRING)
    while first < last:
        count = smaller(count, last - first)
        place_neurons(fitness, mutation, steps, genome, first, count, work.arc)
        if fitness.neurons == 1:
            single_scores(turn, positive, starts, lengths, count, work.arc, work.score)
        else:
            pair_scores(turn, positive, join, starts, lengths, count, work.arc, work.score)
        for j in range(count):
            found = turn - work.score[j] if join == AND else work.score[j]
            if accepts(found, score):
                take_step(mutation, steps, first + j, genome, genes[CHANGED], genes[OLD])
                return first + j, found
        first += count
        count = smaller(2 * count, MOST_OFFSPRING)
    return last, score


def _optimal(fitness, work, genome, optima, tolerance):
    for alternative in range(optima.shape[0]):
        for swapped in range(fitness.neurons):
            found = True
            for i in range(fitness.neurons):
                for k in range(fitness.width):
                    modulus = np.float64(fitness.modulus[k])
                    target = optima[alternative, (i + swapped) % fitness.neurons, k]
                    gap = abs(np.float64(genome[i * fitness.width + k]) - target)
                    found = found and smaller(gap, modulus - gap) < tolerance
            if found:
                return True
    return False


implement(
    Pair, workspace=_workspace, prepare=_prepare, first_accepted=_first_accepted, optimal=_optimal
)
implement(Pair, score_rows=_score_rows)
