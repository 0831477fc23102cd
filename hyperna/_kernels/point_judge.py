"""The judgement of an offspring, chunk by chunk, and what remains of it when it is kept.

An offspring is rejected as soon as the chunks that are left cannot make up for what it has lost.
Chunks whose points are all farther from the hyperplane than it can have moved are passed over.
"""

import numpy as np

from hyperna._kernels import point_margins as margins
from hyperna._kernels import point_plan as scheme
from hyperna._kernels import point_rows as store
from hyperna._kernels.geometry import AND, EVOLVED, XOR
from hyperna._kernels.jit import inline_kernel, inner_kernel

# A part of the guard band that is still more than a rounding error.
_HAIR = 2.0**-18


@inline_kernel
def stays(work, c, move):
    """Whether all points of a chunk are known to be out of reach.

    Beyond reach neither the side of a point nor its clipped margin can change. Where there is hope
    that no point is within reach, the distance of the closest is measured.
    """
    plan, bound, neuron = work.plan, work.bound[c], work.plan[store.MOVE, move]
    slack, column = store.N_BOUND + store.N_SLACK * neuron, store.N_CHUNK + neuron * work.columns
    shift = abs(work.note[store.NEXT_BIAS, neuron] - work.note[store.BIAS, neuron])
    if plan[store.END, move] > plan[store.BEGIN, move]:
        k = plan[store.CHANGED, plan[store.BEGIN, move]] - neuron * work.width
        norm = bound[store.N_BOUND + store.N_SLACK * work.neurons + k]
        shift += work.note[store.LENGTH, move] * norm
    # rounded up
    shift = shift * (1.0 + 2.0**-20) + _HAIR * bound[store.GUARD]
    bound[slack + store.SHIFT] = shift
    reach = shift + 2.0 * bound[store.GUARD] + work.tie_clip
    if bound[slack + store.SLACK] > reach:
        return True
    if work.chunk[c, column + store.VALID] == 0:
        store.refresh_dots(work, c, neuron)
    elif reach < bound[slack + store.HOPE]:
        row = work.first_row + neuron * work.rows + work.chunk[c, column + store.ROW]
        distance = store.closest(work.real[c, row], work.note[store.BIAS, neuron])
        bound[slack + store.HOPE] = distance
        bound[slack + store.SLACK] = distance
    return bound[slack + store.SLACK] > reach


@inline_kernel
def move_dots(work, c, move):
    """Make the offspring's dot products of a neuron with the points of a chunk; return its gain."""
    plan, note, rows, known = work.plan, work.note, work.real[c], work.chunk[c]
    neuron, t, last = plan[store.MOVE, move], plan[store.FIRST, move], plan[store.LAST, move]
    column, base = store.N_CHUNK + neuron * work.columns, work.first_row + neuron * work.rows
    gain, guard = work.whole[c, store.GAIN], work.bound[c, store.GUARD]
    bias, first = note[store.NEXT_BIAS, neuron], neuron * work.width
    term, coef = plan[store.TERM], note[store.COEF]
    source = base + known[column + store.ROW]
    for i in range(t, last):
        block = term[i] - base - store.N_DOTS
        if block >= 0 and known[column + store.HEAD + block] == 0:
            begin = block * work.block
            end = min(begin + work.block, work.dim)
            store.make_row(work, c, neuron, term[i], begin, end)
            known[column + store.HEAD + block] = 1
    target = source
    if t == last:
        total, near = store.judge(rows[source], gain, bias, guard)
    else:
        target = base + 1 - known[column + store.ROW]
        while t + store.TERMS_PER_PASS < last:
            left = (last - t) // store.TERMS_PER_PASS
            following = target if left % 2 == 1 else work.dim + store.SCRATCH
            store.add_terms(rows, source, following, term, coef, t)
            source = following
            t += store.TERMS_PER_PASS
        total, near = store.add_terms_and_judge(
            rows, source, target, term, coef, t, gain, bias, guard
        )
    if near > 0:
        weight = note[store.WEIGHT]
        if plan[store.STALE, neuron] == 1:
            cosine, sine = note[store.NEXT_COS], note[store.NEXT_SIN]
            store.write_weights(cosine, sine, first, np.int64(0), work.dim, weight, first)
            plan[store.STALE, neuron] = 0
        store.settle(rows, target, weight, first, work.dim, bias, guard)
        total, near = store.judge(rows[target], gain, bias, guard)
    known[column + store.NEXT_ROW] = target - base
    known[column + store.MOVED] = 1
    return total


@inner_kernel
def vote(old, bias, new, next_bias, ballots, source, target, unit, counted, threshold):
    """Count the votes anew after a neuron has moved; gain of points with more than `threshold`.

    Votes are the number of neurons that fire, or their pattern if `unit` is the neuron's bit; of
    their binary digits those in `counted` matter.
    """
    store.alone()
    before, after, gain = ballots[source], ballots[target], ballots[store.GAIN]
    total = np.int64(0)
    for p in range(after.size):
        votes = before[p] + unit * (np.int64(new[p] >= next_bias) - np.int64(old[p] >= bias))
        after[p] = votes
        total += gain[p] if (votes & counted) > threshold else 0
    return total


@inline_kernel
def vote_unit(work, neuron):
    """What the vote of a neuron counts."""
    tabulated = work.join == EVOLVED and work.neurons <= scheme.TABLE_NEURONS
    return np.int64(1) << neuron if tabulated else np.int64(1)


@inline_kernel
def verdict(work):
    """Which binary digits of the number of votes matter, and what they must exceed to fire."""
    counted = np.int64(1) if work.join == XOR else np.int64(-1)
    return counted, work.neurons - 1 if work.join == AND else 0


@inline_kernel
def cast_vote(work, c, neuron):
    """Count the votes after a neuron has moved; return the gain, unless the output is evolved."""
    known, rows = work.chunk[c], work.real[c]
    column, base = store.N_CHUNK + neuron * work.columns, work.first_row + neuron * work.rows
    source = known[store.NEXT_BALLOT]
    target = (source + 1) % store.N_BALLOTS
    if target == known[store.BALLOT]:
        target = (target + 1) % store.N_BALLOTS
    known[store.NEXT_BALLOT] = target
    return vote(
        rows[base + known[column + store.ROW]],
        work.note[store.BIAS, neuron],
        rows[base + known[column + store.NEXT_ROW]],
        work.note[store.NEXT_BIAS, neuron],
        work.whole[c],
        store.VOTE + source,
        store.VOTE + target,
        vote_unit(work, neuron),
        *verdict(work),
    )


@inner_kernel
def answer(work, c):
    """Gain of the points of a chunk on which the offspring's evolved output fires."""
    store.alone()
    neurons, which = work.neurons, work.plan[store.COUNTER, store.NEXT_OUTPUT]
    output, answers = work.note[store.OUTPUT_NEURON + which], work.plan[store.ANSWERS + which]
    gain = work.whole[c, store.GAIN]
    votes = work.whole[c, store.VOTE + work.chunk[c, store.NEXT_BALLOT]]
    total = np.int64(0)
    for p in range(gain.size):
        if neurons <= scheme.TABLE_NEURONS:
            total += gain[p] & answers[votes[p]]
        else:
            activation = 0.0
            for i in range(neurons):
                dot = work.real[c, margins.dot_row(work, c, i), p]
                activation += output[i] if dot >= work.note[store.NEXT_BIAS, i] else 0.0
            total += gain[p] if activation >= output[neurons] else 0
    return total


@inline_kernel
def judge_chunk(work, c):
    """Gain of the points of a chunk on which the offspring fires."""
    known, counter = work.chunk[c], work.plan[store.COUNTER]
    new_output = counter[store.NEXT_OUTPUT] != counter[store.OUTPUT]
    total, touched = known[store.SUM], store.ANEW if new_output else store.UNTOUCHED
    known[store.NEXT_BALLOT] = known[store.BALLOT]
    for move in range(counter[store.MOVES]):
        neuron = work.plan[store.MOVE, move]
        column = store.N_CHUNK + neuron * work.columns
        known[column + store.NEXT_ROW] = known[column + store.ROW]
        known[column + store.MOVED] = 0
        if not stays(work, c, move):
            total = move_dots(work, c, move)
            touched = max(touched, store.IN_PART)
            if work.neurons > 1:
                total = cast_vote(work, c, neuron)
    if touched != store.UNTOUCHED:
        counter[store.EFFORT] += 1
        if work.join == EVOLVED:
            total = answer(work, c)
    known[store.TOUCHED] = touched
    known[store.NEXT_SUM] = total
    return total


@inline_kernel
def judge_offspring(work, score):
    """The planned offspring's gain, or less than `score` if it is less."""
    potential = work.plan[store.COUNTER, store.CEILINGS]
    for c in range(work.chunk.shape[0]):
        potential += judge_chunk(work, c) - work.chunk[c, store.CEILING]
        if potential < score:
            break
    return potential


@inner_kernel
def adopt_chunks(work):
    """What was found out about the offspring in each chunk holds for the network."""
    store.compact()
    for c in range(work.chunk.shape[0]):
        known = work.chunk[c]
        if known[store.TOUCHED] != store.UNTOUCHED:
            known[store.BALLOT] = known[store.NEXT_BALLOT]
            known[store.MARGINS] = 1 - known[store.MARGINS]
            known[store.SUM] = known[store.NEXT_SUM]
            work.bound[c, store.TIE] = work.bound[c, store.NEXT_TIE]
            known[store.TOUCHED] = store.UNTOUCHED


@inner_kernel
def keep_offspring(work):
    """The offspring becomes the network."""
    store.compact()
    plan, counter = work.plan, work.plan[store.COUNTER]
    counter[store.KEPT] += 1
    worn_out = counter[store.KEPT] % store.LIFETIME == 0
    for move in range(counter[store.MOVES]):
        neuron, begin, end = plan[store.MOVE, move], plan[store.BEGIN, move], plan[store.END, move]
        scheme.settle_angles(work, move, np.int64(store.COS), np.int64(store.NEXT_COS))
        for place in range(begin, end):
            scheme.multiply_sines(work, plan[store.CHANGED, place])
        column = store.N_CHUNK + neuron * work.columns
        slack = store.N_BOUND + store.N_SLACK * neuron
        for c in range(work.chunk.shape[0]):
            known, bound = work.chunk[c], work.bound[c]
            known[column + store.ROW] = known[column + store.NEXT_ROW]
            bound[slack + store.SLACK] -= bound[slack + store.SHIFT]
            unnoticed = bound[slack + store.SHIFT] < 2.0 * _HAIR * bound[store.GUARD]
            if known[column + store.MOVED] == 0 and not unnoticed:
                known[column + store.VALID] = 0
            for place in range(begin, end):
                k = plan[store.CHANGED, place] - neuron * work.width
                known[column + store.HEAD + k // work.block] = 0
    counter[store.OUTPUT] = counter[store.NEXT_OUTPUT]
    adopt_chunks(work)
    if worn_out:
        for c in range(work.chunk.shape[0]):
            for i in range(work.neurons):
                work.chunk[c, store.N_CHUNK + i * work.columns + store.VALID] = 0


@inner_kernel
def drop_offspring(work):
    """The network stays as it is."""
    store.compact()
    counter = work.plan[store.COUNTER]
    counter[store.NEXT_OUTPUT] = counter[store.OUTPUT]
    for move in range(counter[store.MOVES]):
        scheme.settle_angles(work, move, np.int64(store.NEXT_COS), np.int64(store.COS))
        neuron = work.plan[store.MOVE, move]
        work.plan[store.STALE, neuron] = 1
        column = store.N_CHUNK + neuron * work.columns
        for c in range(work.chunk.shape[0]):
            work.chunk[c, column + store.NEXT_ROW] = work.chunk[c, column + store.ROW]


@inner_kernel
def take_stock(work):
    """Judge the network from nothing; return the gain of the points on which it fires."""
    store.compact()
    counter, chunks = work.plan[store.COUNTER], work.chunk.shape[0]
    counted, threshold = verdict(work)
    counter[store.MOVES] = 0
    counter[store.CEILINGS] = 0
    gain = np.int64(0)
    for c in range(chunks):
        known, votes = work.chunk[c], work.whole[c, store.VOTE]
        for p in range(votes.size):
            votes[p] = 0
        for i in range(work.neurons):
            column = store.N_CHUNK + i * work.columns
            known[column + store.NEXT_ROW] = known[column + store.ROW]
            for m in range(work.blocks):
                known[column + store.HEAD + m] = 0
            store.update_dots(work, c, i)
            dots, unit = work.real[c, margins.dot_row(work, c, i)], vote_unit(work, i)
            for p in range(votes.size):
                votes[p] += unit * np.int64(dots[p] >= work.note[store.BIAS, i])
        total = np.int64(0)
        for p in range(votes.size):
            total += work.whole[c, store.GAIN, p] * np.int64((votes[p] & counted) > threshold)
        known[store.NEXT_BALLOT] = 0
        known[store.TOUCHED] = store.ANEW
        known[store.NEXT_SUM] = answer(work, c) if work.join == EVOLVED else total
        gain += known[store.NEXT_SUM]
        counter[store.CEILINGS] += known[store.CEILING]
    if work.tie_clip > 0.0:
        margins.second_value(work)
    adopt_chunks(work)
    return gain
