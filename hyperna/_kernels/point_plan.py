"""What an offspring changes: which neurons, and how their dot products follow.

The change of a neuron's dot products is a sum of rows times numbers, its terms, taken three at a
time. They are either the coordinates times the changes of the weights or, for each changed angle, a
coordinate and two tails (see `point_rows`), whichever are fewer.
"""

import numpy as np

from hyperna._kernels import point_margins as margins
from hyperna._kernels import point_rows as store
from hyperna._kernels.geometry import cos_sin_turn, neuron_weights
from hyperna._kernels.jit import inline_kernel, lean_kernel

TERMS_PER_PASS = 3


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
def set_bias(work, genome, c, cosine):
    """Write the value of a bias, component c."""
    work.note[cosine, c] = (2.0 * genome[c] - work.resolution) / work.resolution


@lean_kernel
def set_output(work, genome, which):
    """Work out the evolved output neuron."""
    store.alone()
    neurons = work.neurons
    output = work.note[store.OUTPUT_NEURON + which]
    output[neurons] = neuron_weights(genome, neurons, work.resolution, neurons * work.width, output)
    if neurons <= margins.TABLE_NEURONS:
        answers = work.plan[store.ANSWERS + which]
        margins.tabulate(neurons, output, work.note[store.SUMS], answers)
        if work.tie_clip > 0.0:
            margins.find_clauses(neurons, output, answers, work.plan[store.CLAUSES + which])


@inline_kernel
def direct_terms(work, first, k, t):
    """The changes of the weights from k on times the coordinates; return the number of terms."""
    note, term, coef = work.note, work.plan[store.TERM], work.note[store.COEF]
    old = new = note[store.BEFORE, first + k]
    for j in range(k, work.dim - 1):
        term[t] = j
        coef[t] = new * note[store.NEXT_COS, first + j] - old * note[store.COS, first + j]
        old *= note[store.SIN, first + j]
        new *= note[store.NEXT_SIN, first + j]
        t += 1
    term[t] = work.dim - 1
    coef[t] = new - old
    if work.dim == 1:
        coef[t] = note[store.NEXT_COS, first] - note[store.COS, first]
    return t + 1


@inline_kernel
def tail_terms(work, neuron, k, t):
    """The change due to angle k; return the number of terms."""
    note, term, coef = work.note, work.plan[store.TERM], work.note[store.COEF]
    c = neuron * work.width + k
    block = work.plan[store.BLOCK, c]
    end = min((block + 1) * work.block, work.dim - 1)
    local = work.first_row + neuron * work.rows + store.N_DOTS
    turn = note[store.TURN, c]
    term[t], coef[t] = k, note[store.SWING, c]
    term[t + 1], coef[t + 1] = local + k + 1, turn
    if k + 1 == end:
        term[t + 1] = work.dim + store.ZERO
    for j in range(c + 1, neuron * work.width + end):
        turn *= note[store.SIN, j]
    term[t + 2], coef[t + 2] = local + work.dim - 1 + block, turn
    if block + 1 == work.blocks:
        term[t + 2] = work.dim - 1
    return t + 3


@inline_kernel
def plan_angles(work, genome, move, t):
    """Plan the changed angles of a neuron; return the number of terms."""
    note, plan = work.note, work.plan
    neuron, begin, end = plan[store.MOVE, move], plan[store.BEGIN, move], plan[store.END, move]
    first, start = neuron * work.width, plan[store.CHANGED, begin]
    tails = work.block > 0 and work.dim - (start - first) > TERMS_PER_PASS * (end - begin)
    product, at = note[store.BEFORE, start], start
    for place in range(begin, end):
        c = plan[store.CHANGED, place]
        set_angle(work, genome, c, store.NEXT_COS)
        while at < c:
            product *= note[store.NEXT_SIN, at]
            at += 1
        note[store.SWING, c] = product * (note[store.NEXT_COS, c] - note[store.COS, c])
        note[store.TURN, c] = product * (note[store.NEXT_SIN, c] - note[store.SIN, c])
        if tails:
            t = tail_terms(work, neuron, c - first, t)
    if not tails:
        t = direct_terms(work, first, start - first, t)
    while t % TERMS_PER_PASS > 0:
        plan[store.TERM, t] = work.dim + store.ZERO
        note[store.COEF, t] = 0.0
        t += 1
    plan[store.TAILS, move] = np.int64(tails)
    plan[store.STALE, neuron] = 1
    return t


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
def plan_offspring(work, genome, changed, count):
    """Work out which neurons change and how their dot products follow; return their number."""
    plan = work.plan
    order, counter = plan[store.CHANGED], plan[store.COUNTER]
    sort_changes(order, changed, count)
    moves, t, terms = 0, 0, 0
    while t < count and order[t] < work.neurons * work.width:
        neuron = plan[store.NEURON, order[t]]
        bias = (neuron + 1) * work.width - 1
        plan[store.MOVE, moves] = neuron
        plan[store.BEGIN, moves] = t
        while t < count and order[t] < bias:
            t += 1
        plan[store.END, moves] = t
        plan[store.FIRST, moves] = terms
        if t > plan[store.BEGIN, moves]:
            terms = plan_angles(work, genome, moves, terms)
        plan[store.PASSES, moves] = (terms - plan[store.FIRST, moves]) // TERMS_PER_PASS
        if t < count and order[t] == bias:
            set_bias(work, genome, bias, store.NEXT_COS)
            t += 1
        moves += 1
    counter[store.MOVES] = moves
    counter[store.NEXT_OUTPUT] = counter[store.OUTPUT]
    if t < count:
        counter[store.NEXT_OUTPUT] = 1 - counter[store.OUTPUT]
        set_output(work, genome, counter[store.NEXT_OUTPUT])
    return moves


@inline_kernel
def multiply_sines(work, first, k):
    """Make the products of the sines before the angles after k of the neuron at `first` anew."""
    product = work.note[store.BEFORE, first + k]
    for j in range(first + k, first + work.dim - 2):
        product *= work.note[store.SIN, j]
        work.note[store.BEFORE, j + 1] = product


@inline_kernel
def settle_angles(work, move, target, source):
    """Copy a neuron's cosines and sines from the offspring's rows to the network's, or back."""
    note, plan = work.note, work.plan
    for place in range(plan[store.BEGIN, move], plan[store.END, move]):
        c = plan[store.CHANGED, place]
        note[target, c] = note[source, c]
        note[target + 1, c] = note[source + 1, c]
    bias = (plan[store.MOVE, move] + 1) * work.width - 1
    note[target, bias] = note[source, bias]


@inline_kernel
def age_tails(work, c, move):
    """Let heads follow the changed angles, and note which other tails are out of date.

    Called before the network's sines and cosines become the offspring's.
    """
    note, plan, known = work.note, work.plan, work.chunk[c]
    neuron, begin, end = plan[store.MOVE, move], plan[store.BEGIN, move], plan[store.END, move]
    column, first = store.N_CHUNK + neuron * work.columns, neuron * work.width
    local = work.first_row + neuron * work.rows + store.N_DOTS
    can_follow = known[column + store.MOVED] == 1 and plan[store.TAILS, move] == 1
    for place in range(begin, end):
        k = plan[store.CHANGED, place] - first
        block = plan[store.BLOCK, first + k]
        head = column + store.LOCAL + work.blocks + block
        if can_follow and known[head] == 1:
            product = 1.0
            for j in range(first + block * work.block, first + k):
                product *= note[store.NEXT_SIN, j]
            following = local + k + 1
            if k + 1 == min((block + 1) * work.block, work.dim - 1):
                following = work.dim + store.ZERO
            swing = product * (note[store.NEXT_COS, first + k] - note[store.COS, first + k])
            turn = product * (note[store.NEXT_SIN, first + k] - note[store.SIN, first + k])
            store.follow(work.real[c], local + block * work.block, swing, k, turn, following)
        else:
            known[head] = 0
    for place in range(begin, end):
        k = plan[store.CHANGED, place] - first
        block = plan[store.BLOCK, first + k]
        fresh = column + store.LOCAL + block
        known[fresh] = max(known[fresh], k + 1)
        known[column + store.OUTER] = max(known[column + store.OUTER], block + 1)
