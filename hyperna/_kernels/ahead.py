"""Many offspring of one parent at once: one or two neurons on the circle.

Most offspring are worse than their parent. Up to the first one that is not, all steps lead from the
same genome, so their scores are computed side by side, in loops that the compiler turns into vector
instructions: no branches, no calls, and one array that is written to.
"""

import numpy as np

from hyperna._kernels.arcs import (
    arc_ends,
    centre_and_half,
    computed_half_width,
    half_width,
    inside,
    inside_pair,
)
from hyperna._kernels.geometry import AND, EVOLVED
from hyperna._kernels.jit import inline_kernel, lean_kernel
from hyperna._kernels.steps import CHOICE, FIRST, moved

# Positive arcs at most.
MOST_ARCS = 4
# Offspring at a time: few at first, because the next acceptable one may be near.
FEWEST_OFFSPRING, MOST_OFFSPRING = 4, 32
# Rows for the offspring's neurons.
CENTRE, HALF, OTHER_CENTRE, OTHER_HALF, N_ROWS = range(5)


@lean_kernel
def can_look_ahead(circle, mutation):
    """Whether `look_ahead` covers this case."""
    return (
        circle.neurons <= 2
        and mutation.component.size % circle.neurons == 0
        and 2 <= circle.arcs.shape[1] <= MOST_ARCS
        and (circle.join != EVOLVED or circle.neurons == 1)
    )


@inline_kernel
def place_neuron(circle, tabulated, steps, choice, begin, angle, bias, half):
    """Centre and half-width of a neuron's arc after a step; its moves begin at `begin`.

    `angle`, `bias` and the half-width `half` are the parent's. The lowest bits of `choice` say
    whether angle and bias change.
    """
    turned, shifted = choice & 1, (choice >> 1) & 1
    r, move = circle.resolution, steps.move
    # an index that may be negative would have to be checked
    new_angle = moved(angle, move[np.uint64(begin)] & -turned, r)
    new_bias = moved(bias, move[np.uint64(begin + turned)] & -shifted, r + 1)
    if tabulated:
        half = circle.half_width[np.uint64(new_bias)]
    elif shifted == 1:
        half = computed_half_width(circle, new_bias)
    return centre_and_half(circle, new_angle, half)


@inline_kernel
def place_neurons(circle, tabulated, genes, steps, genome, first, count, rows):
    """Write the centres and half-widths of the neurons' arcs after each of `count` steps.

    Of each neuron that many `genes` mutate: its angle alone, or the angle and the bias.
    """
    own = (1 << genes) - 1
    chosen, place = steps.step[CHOICE, first:], steps.step[FIRST, first:]
    angle, bias, half = genome[0], genome[1], half_width(circle, genome[1])
    if circle.neurons == 1:
        for j in range(count):
            rows[CENTRE, j], rows[HALF, j] = place_neuron(
                circle, tabulated, steps, chosen[j], place[j], angle, bias, half
            )
        return
    other_angle, other_bias, other_half = genome[2], genome[3], half_width(circle, genome[3])
    for j in range(count):
        choice, begin = chosen[j], place[j]
        rows[CENTRE, j], rows[HALF, j] = place_neuron(
            circle, tabulated, steps, choice & own, begin, angle, bias, half
        )
        begin += (choice & 1) + ((choice & own) >> 1)
        rows[OTHER_CENTRE, j], rows[OTHER_HALF, j] = place_neuron(
            circle, tabulated, steps, choice >> genes, begin, other_angle, other_bias, other_half
        )


@inline_kernel
def measure(arcs, x):
    """S(x), see `hyperna._kernels.arcs`, for the arcs handed over as numbers."""
    a0, l0, a1, l1, a2, l2, a3, l3 = arcs
    inside = min(max(x - a0, 0), l0) + min(max(x - a1, 0), l1)
    inside += min(max(x - a2, 0), l2) + min(max(x - a3, 0), l3)
    return 2 * inside - x


@inline_kernel
def arc_of(turn, arcs, centre, half):
    """An arc as its columns."""
    start, end, place = arc_ends(turn, centre, half)
    return start, end, measure(arcs, start), measure(arcs, place)


@lean_kernel
def single_scores(turn, positive, arcs, count, rows, score):
    """Scores of networks of one neuron."""
    for j in range(count):
        arc = arc_of(turn, arcs, rows[CENTRE, j], rows[HALF, j])
        score[j] = turn - positive + inside(turn, positive, arc)


@lean_kernel
def pair_scores(turn, positive, join, arcs, count, rows, score):
    """Scores of networks of two neurons."""
    for j in range(count):
        first = arc_of(turn, arcs, rows[CENTRE, j], rows[HALF, j])
        second = arc_of(turn, arcs, rows[OTHER_CENTRE, j], rows[OTHER_HALF, j])
        score[j] = turn - positive + inside_pair(turn, positive, join, first, second)


@inline_kernel
def arcs_as_numbers(circle):
    """Starts and lengths of the positive arcs, those that are missing with length 0."""
    arcs, last = circle.arcs, circle.arcs.shape[1] - 1
    l2, l3 = np.int64(0), np.int64(0)
    if last > 1:
        l2, l3 = arcs[1, last - 1], arcs[1, last]
    a2, a3 = arcs[0, last - 1], arcs[0, last]
    return arcs[0, 0], arcs[1, 0], arcs[0, 1], arcs[1, 1], a2, l2, a3, l3


@lean_kernel
def look_ahead(circle, work, mutation, steps, genome, first, last, target):
    """The first of the steps first..last-1 whose offspring scores at least `target`, or `last`."""
    genes = mutation.component.size // circle.neurons
    arcs, rows, score = arcs_as_numbers(circle), work.offspring, work.score
    count = FEWEST_OFFSPRING
    while first < last:
        count = min(count, last - first)
        if circle.half_width.size > 0:
            place_neurons(circle, True, genes, steps, genome, first, count, rows)
        else:
            place_neurons(circle, False, genes, steps, genome, first, count, rows)
        if circle.neurons == 1:
            single_scores(circle.turn, circle.positive, arcs, count, rows, score)
        else:
            pair_scores(circle.turn, circle.positive, circle.join, arcs, count, rows, score)
        for j in range(count):
            right = circle.turn - score[j] if circle.join == AND else score[j]
            if right >= target:
                return first + j
        first += count
        count = min(2 * count, MOST_OFFSPRING)
    return last
