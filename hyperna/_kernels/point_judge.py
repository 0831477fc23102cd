"""The judgement of an offspring, chunk by chunk, and what remains of it when it is kept.

An offspring is rejected as soon as the chunks that are left cannot make up for what it has lost.
Chunks whose points are all farther from the hyperplane than it can have moved are passed over.
"""

import numpy as np

from hyperna._kernels import point_margins as margins
from hyperna._kernels import point_plan as scheme
from hyperna._kernels import point_rows as store
from hyperna._kernels.geometry import AND, EVOLVED
from hyperna._kernels.jit import inline_kernel, lean_kernel

# Up to this many hidden neurons the output neuron's answers fit into the bits of one word.
_WORD_NEURONS = 6
# A part of the guard band that is still more than a rounding error.
_HAIR = 2.0**-18
# The points are put in order after so many passes over all of them, times the dimension.
FIRST_PATIENCE, LONGEST_PATIENCE = 8, 64


@inline_kernel
def find_shift(work, c, move):
    """Find out how far the points of a chunk can move relative to the hyperplane, rounded up."""
    note, plan, bound = work.note, work.plan, work.bound[c]
    neuron = plan[store.MOVE, move]
    first, largest = neuron * work.width, store.N_BOUND + store.N_SLACK * work.neurons
    bias = first + work.width - 1
    shift = abs(note[store.NEXT_COS, bias] - note[store.COS, bias])
    for place in range(plan[store.BEGIN, move], plan[store.END, move]):
        k = plan[store.CHANGED, place] - first
        shift += abs(note[store.SWING, first + k]) * bound[largest + k]
        shift += abs(note[store.TURN, first + k]) * bound[largest + work.dim + k]
    shift = shift * (1.0 + 2.0**-20) + _HAIR * bound[store.GUARD]
    bound[store.N_BOUND + store.N_SLACK * neuron + store.SHIFT] = shift


@inline_kernel
def needed_slack(work, c, neuron):
    """Distance from the hyperplane beyond which neither side nor clipped margin can change."""
    shift = work.bound[c, store.N_BOUND + store.N_SLACK * neuron + store.SHIFT]
    return shift + 2.0 * work.bound[c, store.GUARD] + work.tie_clip


@inline_kernel
def stays(work, c, neuron):
    """Whether no point of a chunk is known to be within reach."""
    slack = work.bound[c, store.N_BOUND + store.N_SLACK * neuron + store.SLACK]
    return slack > needed_slack(work, c, neuron)


@inline_kernel
def found_to_stay(work, c, neuron):
    """Look for points within reach, where there is hope that there are none."""
    bound, place = work.bound[c], store.N_BOUND + store.N_SLACK * neuron
    needed = needed_slack(work, c, neuron)
    if not needed < bound[place + store.HOPE]:
        return False
    row = work.chunk[c, store.N_CHUNK + neuron * work.columns + store.ROW]
    dots, gain = work.real[c, work.first_row + neuron * work.rows + row], work.whole[c, store.GAIN]
    distance = 0.5 * (needed + bound[place + store.HOPE])
    bias = work.note[store.COS, (neuron + 1) * work.width - 1]
    if store.judge(dots, gain, bias, distance)[1] > 0:
        bound[place + store.HOPE] = distance
        return False
    bound[place + store.SLACK] = distance
    return True


@inline_kernel
def move_dots(work, c, move):
    """Make the offspring's dot products of a neuron with the points of a chunk; return its gain."""
    plan, rows, known = work.plan, work.real[c], work.chunk[c]
    neuron, passes = plan[store.MOVE, move], plan[store.PASSES, move]
    first, column = neuron * work.width, store.N_CHUNK + neuron * work.columns
    base = work.first_row + neuron * work.rows
    gain, guard = work.whole[c, store.GAIN], work.bound[c, store.GUARD]
    bias = work.note[store.NEXT_COS, first + work.width - 1]
    target = base + known[column + store.ROW]
    if passes == 0:
        total, near = store.judge(rows[target], gain, bias, guard)
    else:
        if plan[store.TAILS, move] == 1:
            for place in range(plan[store.BEGIN, move], plan[store.END, move]):
                k = plan[store.CHANGED, place] - first
                block = plan[store.BLOCK, first + k]
                if (
                    known[column + store.OUTER] > block + 1
                    or known[column + store.LOCAL + block] > k + 1
                ):
                    store.update_tails(work, c, neuron, k)
        source, target = target, base + 1 - known[column + store.ROW]
        term, coef, t = plan[store.TERM], work.note[store.COEF], plan[store.FIRST, move]
        for left in range(passes - 1, 0, -1):
            following = target if left % 2 == 0 else work.dim + store.SCRATCH
            store.add_terms(rows, source, following, term, coef, t)
            source = following
            t += scheme.TERMS_PER_PASS
        total, near = store.add_terms_and_judge(
            rows, source, target, term, coef, t, gain, bias, guard
        )
    if near > 0:
        if plan[store.STALE, neuron] == 1:
            store.write_weights(work.note, store.NEXT_COS, first, work.dim)
            plan[store.STALE, neuron] = 0
        store.settle(rows, target, work.note[store.WEIGHT], first, work.dim, bias, guard)
        total, near = store.judge(rows[target], gain, bias, guard)
    known[column + store.NEXT_ROW] = target - base
    known[column + store.MOVED] = 1
    return total


@lean_kernel
def vote(rows, row, bias, next_row, next_bias, ballots, source, target, unit, threshold):
    """Count the votes anew after a neuron has moved; gain of points with more than `threshold`.

    Votes are the number of neurons that fire, or their pattern if `unit` is the neuron's bit.
    """
    store.alone()
    old, new, gain = rows[row], rows[next_row], ballots[store.GAIN]
    before, after = ballots[store.VOTE + source], ballots[store.VOTE + target]
    total = np.int64(0)
    for p in range(after.size):
        votes = before[p] + unit * (np.int64(new[p] >= next_bias) - np.int64(old[p] >= bias))
        after[p] = votes
        total += gain[p] if votes > threshold else 0
    return total


@inline_kernel
def vote_unit(work, neuron):
    """What the vote of a neuron counts."""
    tabulated = work.join == EVOLVED and work.neurons <= margins.TABLE_NEURONS
    return np.int64(1) << neuron if tabulated else np.int64(1)


@inline_kernel
def cast_vote(work, c, neuron):
    """Count the votes after a neuron has moved; return the gain of an OR or AND."""
    known, bias = work.chunk[c], (neuron + 1) * work.width - 1
    column, base = store.N_CHUNK + neuron * work.columns, work.first_row + neuron * work.rows
    source = known[store.NEXT_BALLOT]
    target = (source + 1) % store.N_BALLOTS
    if target == known[store.BALLOT]:
        target = (target + 1) % store.N_BALLOTS
    known[store.NEXT_BALLOT] = target
    return vote(
        work.real[c],
        base + known[column + store.ROW],
        work.note[store.COS, bias],
        base + known[column + store.NEXT_ROW],
        work.note[store.NEXT_COS, bias],
        work.whole[c],
        source,
        target,
        vote_unit(work, neuron),
        work.neurons - 1 if work.join == AND else 0,
    )


@lean_kernel
def answer(work, c):
    """Gain of the points of a chunk on which the offspring's evolved output fires."""
    store.alone()
    neurons, which = work.neurons, work.plan[store.COUNTER, store.NEXT_OUTPUT]
    output, answers = work.note[store.OUTPUT_NEURON + which], work.plan[store.ANSWERS + which]
    gain = work.whole[c, store.GAIN]
    votes = work.whole[c, store.VOTE + work.chunk[c, store.NEXT_BALLOT]]
    total = np.int64(0)
    if neurons <= _WORD_NEURONS:
        word = np.int64(0)
        for pattern in range(1 << neurons):
            word |= (answers[pattern] & 1) << pattern
        for p in range(gain.size):
            total += gain[p] & -((word >> votes[p]) & 1)
    elif neurons <= margins.TABLE_NEURONS:
        for p in range(gain.size):
            total += gain[p] & answers[votes[p]]
    else:
        for p in range(gain.size):
            activation = 0.0
            for i in range(neurons):
                dot = work.real[c, margins.dot_row(work, c, i), p]
                if dot >= work.note[store.NEXT_COS, (i + 1) * work.width - 1]:
                    activation += output[i]
            if activation >= output[neurons]:
                total += gain[p]
    return total


@inline_kernel
def judge_chunk(work, c):
    """Gain of the points of a chunk on which the offspring fires."""
    known, counter = work.chunk[c], work.plan[store.COUNTER]
    total, touched = known[store.SUM], counter[store.NEXT_OUTPUT] != counter[store.OUTPUT]
    known[store.NEXT_BALLOT] = known[store.BALLOT]
    for move in range(counter[store.MOVES]):
        neuron = work.plan[store.MOVE, move]
        column = store.N_CHUNK + neuron * work.columns
        known[column + store.NEXT_ROW] = known[column + store.ROW]
        known[column + store.MOVED] = 0
        find_shift(work, c, move)
        if stays(work, c, neuron):
            continue
        if known[column + store.VALID] == 0:
            store.update_dots(work, c, neuron)
        if found_to_stay(work, c, neuron):
            continue
        total = move_dots(work, c, move)
        touched = True
        if work.neurons > 1:
            total = cast_vote(work, c, neuron)
    if touched and work.join == EVOLVED:
        total = answer(work, c)
    known[store.TOUCHED] = np.int64(touched)
    known[store.NEXT_SUM] = total
    counter[store.EFFORT] += np.int64(touched)
    return total


@lean_kernel
def judge_offspring(work, genome, changed, count, score):
    """The offspring's score, or less than `score` if it is less."""
    store.alone()
    scheme.plan_offspring(work, genome, changed, count)
    potential = work.plan[store.COUNTER, store.CEILINGS]
    for c in range(work.chunk.shape[0]):
        potential += judge_chunk(work, c) - work.chunk[c, store.CEILING]
        if potential < score:
            break
    return potential


@lean_kernel
def keep_offspring(work):
    """The offspring becomes the network."""
    store.alone()
    plan, counter = work.plan, work.plan[store.COUNTER]
    for move in range(counter[store.MOVES]):
        neuron, begin = plan[store.MOVE, move], plan[store.BEGIN, move]
        column = store.N_CHUNK + neuron * work.columns
        slack = store.N_BOUND + store.N_SLACK * neuron
        for c in range(work.chunk.shape[0]):
            known, bound = work.chunk[c], work.bound[c]
            known[column + store.ROW] = known[column + store.NEXT_ROW]
            bound[slack + store.SLACK] -= bound[slack + store.SHIFT]
            unnoticed = bound[slack + store.SHIFT] < 2.0 * _HAIR * bound[store.GUARD]
            if known[column + store.MOVED] == 0 and not unnoticed:
                known[column + store.VALID] = 0
            if work.block > 0:
                scheme.age_tails(work, c, move)
        scheme.settle_angles(work, move, store.COS, store.NEXT_COS)
        if plan[store.END, move] > begin:
            first = neuron * work.width
            scheme.multiply_sines(work, first, plan[store.CHANGED, begin] - first)
    counter[store.OUTPUT] = counter[store.NEXT_OUTPUT]
    counter[store.KEPT] += 1
    if counter[store.KEPT] % store.LIFETIME == 0:
        store.forget(work)
    for c in range(work.chunk.shape[0]):
        known = work.chunk[c]
        if known[store.TOUCHED] == 1:
            known[store.BALLOT] = known[store.NEXT_BALLOT]
            known[store.SUM] = known[store.NEXT_SUM]
            work.bound[c, store.TIE] = work.bound[c, store.NEXT_TIE]


@lean_kernel
def drop_offspring(work):
    """The network stays as it is."""
    store.alone()
    counter = work.plan[store.COUNTER]
    counter[store.NEXT_OUTPUT] = counter[store.OUTPUT]
    for move in range(counter[store.MOVES]):
        scheme.settle_angles(work, move, store.NEXT_COS, store.COS)
        neuron = work.plan[store.MOVE, move]
        if work.plan[store.PASSES, move] > 0:
            work.plan[store.STALE, neuron] = 1
        column = store.N_CHUNK + neuron * work.columns
        for c in range(work.chunk.shape[0]):
            work.chunk[c, column + store.NEXT_ROW] = work.chunk[c, column + store.ROW]


@lean_kernel
def take_stock(work):
    """Judge the network from nothing; return the gain of the points on which it fires."""
    store.alone()
    store.forget(work)
    counter, chunks = work.plan[store.COUNTER], work.chunk.shape[0]
    threshold = work.neurons - 1 if work.join == AND else 0
    counter[store.CEILINGS] = 0
    gain = np.int64(0)
    for c in range(chunks):
        known, votes = work.chunk[c], work.whole[c, store.VOTE]
        for p in range(votes.size):
            votes[p] = 0
        for i in range(work.neurons):
            store.update_dots(work, c, i)
            row, bias = margins.dot_row(work, c, i), (i + 1) * work.width - 1
            unit, closest = vote_unit(work, i), np.inf
            for p in range(votes.size):
                margin = work.real[c, row, p] - work.note[store.COS, bias]
                votes[p] += unit * np.int64(margin >= 0.0)
                closest = min(closest, abs(margin))
            slack = store.N_BOUND + store.N_SLACK * i
            work.bound[c, slack + store.SLACK] = closest
            work.bound[c, slack + store.HOPE] = closest
        known[store.BALLOT] = 0
        known[store.NEXT_BALLOT] = 0
        known[store.TOUCHED] = 1
        total = np.int64(0)
        for p in range(votes.size):
            total += work.whole[c, store.GAIN, p] * np.int64(votes[p] > threshold)
        if work.join == EVOLVED:
            total = answer(work, c)
        known[store.SUM] = total
        known[store.NEXT_SUM] = total
        gain += total
        counter[store.CEILINGS] += known[store.CEILING]
    if work.tie_clip > 0.0:
        margins.second_value(work)
        for c in range(chunks):
            work.bound[c, store.TIE] = work.bound[c, store.NEXT_TIE]
    return gain


@lean_kernel
def put_in_order(points, work):
    """Put the points in order, and wait longer until the next time."""
    store.alone()
    margins.put_in_order(points, work)
    take_stock(work)
    counter = work.plan[store.COUNTER]
    counter[store.EFFORT] = 0
    longest = LONGEST_PATIENCE * (work.dim + 4) * work.chunk.shape[0]
    counter[store.PATIENCE] = min(2 * counter[store.PATIENCE], longest)
