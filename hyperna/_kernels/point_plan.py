"""What an offspring changes: which neurons, and how their dot products follow.

The change of a neuron's dot products is a sum of rows times numbers, its terms: the coordinates of
the blocks in which an angle changes, and the heads of the blocks after (see `point_rows`).
"""

import math

import numpy as np

from hyperna._kernels import point_rows as store
from hyperna._kernels.geometry import cos_sin_turn, neuron_weights
from hyperna._kernels.jit import inline_kernel, inner_kernel

# Up to this many hidden neurons the output neuron's answers are tabulated.
TABLE_NEURONS = 12


@inline_kernel
def set_angle(work, genome, c, cosine):
    """Write cosine and sine of an angle, component c, to rows cosine and cosine + 1."""
    note = work.note
    if work.dim == 1:
        note[cosine, c] = 1.0 - 2.0 * genome[c]
    elif work.tabulated:
        note[cosine, c] = note[store.TABLE, genome[c]]
        note[cosine + 1, c] = note[store.TABLE + 1, genome[c]]
    else:
        note[cosine, c], note[cosine + 1, c] = cos_sin_turn(genome[c], work.resolution)


@inline_kernel
def bias_value(work, genome, neuron):
    """The value of a neuron's bias."""
    return (2.0 * genome[(neuron + 1) * work.width - 1] - work.resolution) / work.resolution


@inner_kernel
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


@inner_kernel
def set_output(work, genome, which):
    """Work out the evolved output neuron."""
    store.compact()
    neurons = work.neurons
    output = work.note[store.OUTPUT_NEURON + which]
    output[neurons] = neuron_weights(genome, neurons, work.resolution, neurons * work.width, output)
    if neurons <= TABLE_NEURONS:
        tabulate(neurons, output, work.note[store.SUMS], work.plan[store.ANSWERS + which])


@inline_kernel
def sort_changes(order, changed, count):
    """Copy the few changed components in order."""
    for t in range(count):
        moving = changed[t]
        j = t
        while j > 0 and order[j - 1] > moving:
            order[j] = order[j - 1]
            j -= 1
        order[j] = moving


@inline_kernel
def list_terms(work, neuron, begin, end, t):
    """List the terms due to the changed angles begin..end-1 of a neuron; return their end."""
    note, term, coef = work.note, work.plan[store.TERM], work.note[store.COEF]
    order, first = work.plan[store.CHANGED], neuron * work.width
    block = (order[begin] - first) // work.block
    head = work.first_row + neuron * work.rows + store.N_DOTS
    old = 1.0
    for m in range(block):
        old *= note[store.PRODUCT, first + m * work.block]
    new, at = old, begin
    while block < work.blocks and max(abs(old), abs(new)) > store.NEGLIGIBLE:
        here = first + block * work.block
        stop = min(here + work.block, first + work.dim)
        if at < end and order[at] < stop:
            start = order[at] if at == begin else here
            for j in range(here, start):
                old *= note[store.SIN, j]
                new = old
            for j in range(start, stop):
                term[t] = j - first
                coef[t] = new * note[store.NEXT_COS, j] - old * note[store.COS, j]
                old *= note[store.SIN, j]
                new *= note[store.NEXT_SIN, j]
                t += 1
            while at < end and order[at] < stop:
                at += 1
        else:
            term[t], coef[t] = head + block, new - old
            old *= note[store.PRODUCT, here]
            new *= note[store.PRODUCT, here]
            t += 1
        block += 1
    return t


@inline_kernel
def plan_offspring(work, genome, changed, count):
    """Work out which neurons change and how their dot products follow."""
    note, plan = work.note, work.plan
    order, counter = plan[store.CHANGED], plan[store.COUNTER]
    sort_changes(order, changed, count)
    moves, at, t = 0, 0, counter[store.MOVES] * 0
    while at < count and order[at] < work.neurons * work.width:
        neuron = plan[store.NEURON, order[at]]
        bias, first = (neuron + 1) * work.width - 1, t
        plan[store.MOVE, moves] = neuron
        plan[store.STALE, neuron] = 1
        plan[store.BEGIN, moves] = at
        while at < count and order[at] < bias:
            set_angle(work, genome, order[at], store.NEXT_COS)
            at += 1
        plan[store.END, moves] = at
        if at > plan[store.BEGIN, moves]:
            t = list_terms(work, neuron, plan[store.BEGIN, moves], at, t)
        square = 0.0
        for i in range(first, t):
            square += note[store.COEF, i] * note[store.COEF, i]
        note[store.LENGTH, moves] = math.sqrt(square)
        # where all terms are negligible there is one, so that the network's own row stays as it is
        turned = at > plan[store.BEGIN, moves]
        while (t - first) % store.TERMS_PER_PASS > 0 or (t == first and turned):
            plan[store.TERM, t] = work.dim + store.ZERO
            note[store.COEF, t] = 0.0
            t += 1
        plan[store.FIRST, moves], plan[store.LAST, moves] = first, t
        if at < count and order[at] == bias:
            note[store.NEXT_BIAS, neuron] = bias_value(work, genome, neuron)
            at += 1
        moves += 1
    counter[store.MOVES] = moves
    counter[store.NEXT_OUTPUT] = counter[store.OUTPUT]
    if at < count:
        counter[store.NEXT_OUTPUT] = 1 - counter[store.OUTPUT]
        set_output(work, genome, counter[store.NEXT_OUTPUT])


@inline_kernel
def settle_angles(work, move, target, source):
    """Copy what changes of a neuron from the offspring's rows to the network's, or back."""
    note, plan, neuron = work.note, work.plan, work.plan[store.MOVE, move]
    for place in range(plan[store.BEGIN, move], plan[store.END, move]):
        c = plan[store.CHANGED, place]
        note[target, c] = note[source, c]
        note[target + 1, c] = note[source + 1, c]
    if target == store.COS:
        note[store.BIAS, neuron] = note[store.NEXT_BIAS, neuron]
    else:
        note[store.NEXT_BIAS, neuron] = note[store.BIAS, neuron]


@inner_kernel
def multiply_sines(work, c):
    """Make the product of the sines of the block of component c anew."""
    store.compact()
    first = work.plan[store.NEURON, c] * work.width
    begin = first + (c - first) // work.block * work.block
    product = 1.0
    for j in range(begin, min(begin + work.block, first + work.dim)):
        product *= work.note[store.SIN, j]
    work.note[store.PRODUCT, begin] = product
