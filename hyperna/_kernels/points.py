"""Fitness on a finite set of weighted points in any dimension.

The score is the weight of the correctly classified points, an integer, and a pure function of the
genome: a neuron fires iff its dot product, accumulated in index order, reaches its bias, exactly as
in `geometry.predict`. Dot products are kept from offspring to offspring: a neuron that turns in the
plane of two coordinates changes them by two products for each point, one whose angle changes by a
product for each weight that changes. Where a kept dot product is closer to the bias than rounding
errors allow, the one in index order decides.

Points are judged in blocks. Blocks whose points are all farther from the hyperplanes than these
move keep their score; of the others as many are judged as it takes to know that an offspring is
worse than its parent. Now and then the points are put in order, the wrongly classified ones first,
then those close to the border, so that most blocks are out of reach and few are enough.
"""

import math

import numpy as np

from hyperna._kernels.geometry import EVOLVED, cos_sin_turn, neuron_weights
from hyperna._kernels.jit import inline_kernel, inner_kernel
from hyperna._kernels.mirrors import near_targets, output_agrees
from hyperna._kernels.order import larger, smaller
from hyperna._kernels.point_data import (
    BINS,
    BLOCK,
    CEILING,
    CLOSEST,
    FAR,
    FIRST_ORDER,
    GAIN,
    GUARD,
    HIDDEN,
    IS_ROUNDED,
    JUDGED,
    LANES,
    LAST_ORDER,
    LISTED,
    MANY_BLOCKS,
    MARGIN,
    MOVER,
    NEXT_MARGIN,
    NEXT_TOTAL,
    OPEN,
    ORDER,
    PULL,
    REACH,
    ROW,
    SLACK,
    SMALLEST,
    STALE,
    STATE,
    SUMS,
    TERMS,
    TOTAL,
    UNTOUCHED,
    VOTE,
    Points,
    new_work,
)
from hyperna._kernels.point_margins import (
    decide_near,
    join_margins,
    keep_margins,
    read_hidden,
    round_neuron,
    second_value,
)
from hyperna._kernels.point_moves import (
    make_dots,
    make_offspring,
    settle,
    tabulate,
    vote_of,
    write_genome,
)
from hyperna._kernels.protocol import implement
from hyperna._kernels.state import CHANGED, GENOME, OLD


@inner_kernel
def closest(dots, bias, smallest):
    """Distance of the closest of some points from a hyperplane, LANES points at a time."""
    for s in range(LANES):
        smallest[s] = np.inf
    for p in range(0, dots.size, LANES):
        few = dots[p : p + LANES]
        for s in range(LANES):
            distance = abs(few[s] - bias)
            smallest[s] = distance if distance < smallest[s] else smallest[s]
    least = smallest[0]
    for s in range(1, LANES):
        least = smaller(least, smallest[s])
    return least


@inner_kernel
def gain_of_many(points, work, k, begin, end):
    """Gain of a block under an output neuron over too many hidden neurons for a table."""
    neurons, gain, hidden = points.neurons, np.int64(0), work.lanes[HIDDEN]
    output, bias = work.net.rounded[neurons], work.net.bias[1, neurons]
    for p in range(begin, end):
        read_hidden(work, neurons, k, p, hidden)
        total = 0.0
        for i in range(neurons):
            total += output[i] if hidden[i] >= 0.0 else 0.0
        gain += work.whole[GAIN, p] if total >= bias else 0
    return gain


@inline_kernel
def open_blocks(points, work, moves, output_moves):
    """Find the blocks that the offspring may differ in; return the largest gain it can have."""
    gain, clip, state = np.int64(0), points.tie_clip, work.net.neuron
    for k in range(work.block.shape[1]):
        begin, end = k * BLOCK, smaller(k * BLOCK + BLOCK, work.whole.shape[1])
        extent, guard = work.extent[k], work.extent[k, points.dim]
        opened = output_moves
        for m in range(moves):
            i = state[MOVER, m]
            reach, bound = abs(work.net.bias[1, i] - work.net.bias[0, i]), work.bound
            for t in range(state[TERMS, i]):
                reach += abs(work.net.coef[i, t]) * extent[work.net.term[i, t]]
            # rounded up, and errors of the dot products before and after
            reach = reach * (1.0 + 2.0**-20) + 4.0 * guard
            bound[REACH, i, k] = reach
            # dot products that are up to date are worth keeping so unless the block is far away
            stale = work.place[STALE, i, k] == 1
            need = (reach if stale else FAR * reach) + clip
            if opened or bound[SLACK, i, k] > need:
                continue
            if need < bound[CLOSEST, i, k]:
                dots = work.dots[work.place[ROW, i, k], i, begin:end]
                if stale:
                    work.place[STALE, i, k] = 0
                    make_dots(work.columns, work.net.weight[0, i], dots, begin)
                distance = closest(dots, work.net.bias[0, i], work.lanes[SMALLEST])
                bound[SLACK, i, k], bound[CLOSEST, i, k] = distance, distance
            opened = not bound[SLACK, i, k] > need
        work.block[STATE, k] = OPEN if opened else UNTOUCHED
        gain += work.block[CEILING if opened else TOTAL, k]
    return gain


@inline_kernel
def judge(points, work, moves, output_moves, least):
    """Gain of the offspring, or a number less than `least` that it cannot exceed."""
    join, neurons, columns, state = points.join, points.neurons, work.columns, work.net.neuron
    table, tabulated = work.table[1 if output_moves else 0], vote_of(join, neurons, 0) > 0
    gain = open_blocks(points, work, moves, output_moves)
    for k in range(work.block.shape[1]):
        if gain < least:
            break
        if work.block[STATE, k] == UNTOUCHED:
            continue
        begin, end = k * BLOCK, smaller(k * BLOCK + BLOCK, work.whole.shape[1])
        parent, guard, found = (
            work.place[ROW, neurons, k],
            work.extent[k, points.dim],
            np.int64(0),
        )
        source, votes = work.whole[parent, begin:end], work.whole[1 - parent, begin:end]
        for p in range(votes.size if moves > 0 else 0):
            votes[p] = source[p]
        for m in range(moves):
            i = state[MOVER, m]
            row, terms, vote = (
                work.place[ROW, i, k],
                state[TERMS, i],
                vote_of(join, neurons, i),
            )
            bias, next_bias = work.net.bias[0, i], work.net.bias[1, i]
            old, new = work.dots[row, i, begin:end], work.dots[1 - row, i, begin:end]
            if work.place[STALE, i, k] == 1:
                work.place[STALE, i, k], work.bound[SLACK, i, k] = 0, -1.0
                make_dots(columns, work.net.weight[0, i], old, begin)
            term, coef = work.net.term[i], work.net.coef[i]
            a, b = coef[0] if terms > 0 else 0.0, coef[1] if terms > 1 else 0.0
            x, y = columns[term[0], begin:end], columns[term[1], begin:end]
            for p in range(new.size):
                new[p] = old[p] + a * x[p] + b * y[p]
            for t in range(2, terms, 2):
                a, b = coef[t], coef[t + 1] if t + 1 < terms else 0.0
                x, y = columns[term[t], begin:end], columns[term[t + 1], begin:end]
                for p in range(new.size):
                    new[p] += a * x[p] + b * y[p]
            near = np.int64(0)
            for p in range(new.size):
                votes[p] += vote & -np.int64(new[p] >= next_bias)
                votes[p] -= vote & -np.int64(old[p] >= bias)
                near += 0 if abs(new[p] - next_bias) > guard else 1
            if near > 0:
                round_neuron(points, work.net, i)
                decide_near(columns, work.net.rounded[i], new, next_bias, guard, vote, votes, begin)
        if tabulated:
            weights, places = (
                work.whole[GAIN, begin:end],
                votes if moves > 0 else source,
            )
            for p in range(weights.size):
                found += weights[p] & table[np.uint64(places[p])]
        else:
            found = gain_of_many(points, work, k, begin, end)
        gain += found - work.block[CEILING, k]
        work.block[STATE, k], work.block[NEXT_TOTAL, k] = JUDGED, found
    return gain


# ---- from nothing, and in another order


@inner_kernel
def look_at_all(points, work):
    """Make all that is known about the points for the network; return its gain."""
    join, neurons, gain = points.join, points.neurons, np.int64(0)
    # with several neurons a few blocks are hardly ever all on one side
    measured = neurons == 1 or work.block.shape[1] >= MANY_BLOCKS
    for k in range(work.block.shape[1]):
        begin, end = k * BLOCK, smaller(k * BLOCK + BLOCK, work.whole.shape[1])
        guard, votes, found = 0.0, work.whole[VOTE, begin:end], np.int64(0)
        weights, ceiling = work.whole[GAIN, begin:end], np.int64(0)
        for p in range(votes.size):
            votes[p] = 0
            ceiling += larger(weights[p], 0)
            # not a number where coordinates are too large
            guard = larger(guard, work.real[GUARD, begin + p])
        for j in range(points.dim):
            work.extent[k, j] = 0.0
            for p in range(begin, end):
                work.extent[k, j] = larger(work.extent[k, j], abs(work.columns[j, p]))
        work.extent[k, points.dim] = guard
        for i in range(neurons):
            bias, dots, vote = (
                work.net.bias[0, i],
                work.dots[0, i, begin:end],
                vote_of(join, neurons, i),
            )
            make_dots(work.columns, work.net.weight[0, i], dots, begin)
            near = False
            for p in range(dots.size):
                votes[p] += vote if dots[p] >= bias else 0
                near = near or not abs(dots[p] - bias) > guard
            if near:
                round_neuron(points, work.net, i)
                decide_near(
                    work.columns, work.net.rounded[i], dots, bias, guard, vote, votes, begin
                )
            work.bound[SLACK, i, k] = -1.0
            work.bound[CLOSEST, i, k] = np.inf if measured else -1.0
        for i in range(neurons + 1):
            work.place[ROW, i, k], work.place[STALE, i, k] = 0, 0
        if vote_of(join, neurons, 0) > 0:
            for p in range(votes.size):
                found += weights[p] & work.table[0, np.uint64(votes[p])]
        else:
            found = gain_of_many(points, work, k, begin, end)
        work.block[TOTAL, k], work.block[CEILING, k] = found, ceiling
        gain += found
    return gain


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
    neurons, start, order, gain = points.neurons, work.start, work.whole[LISTED], work.whole[GAIN]
    margin, spare, hidden = work.real[MARGIN], work.real[NEXT_MARGIN], work.lanes[HIDDEN]
    output, bias, largest = work.net.rounded[neurons], work.net.bias[1, neurons], 2.0**-1000
    for p in range(gain.size):
        read_hidden(work, neurons, p // BLOCK, p, hidden)
        margin[p] = join_margins(points.join, neurons, output, bias, hidden, np.inf)
        largest = larger(largest, abs(margin[p]) if abs(margin[p]) < np.inf else 0.0)
    for b in range(start.size):
        start[b] = 0
    for p in range(gain.size):
        size = smaller(larger(abs(margin[p]) / largest, 2.0**-15), 1.0)
        b = np.int64((15.0 + math.log2(size)) * ((BINS - 1) / 15.0))
        b += BINS if (margin[p] >= 0.0) == (gain[p] > 0) or gain[p] == 0 else 0
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
    rearrange(work.real[PULL], order, spare)
    rearrange(work.real[GUARD], order, spare)
    rearrange(gain, order, work.whole[VOTE])


@inner_kernel
def begin_again(points, work, in_order):
    """Make all that is known about the network from its weights; return gain and second value."""
    none, second = np.int64(0), 0.0
    if in_order:
        put_in_order(points, work)
    gain = look_at_all(points, work)
    if points.tie_clip > 0.0:
        second, listed = second_value(points, work, none, none == 0)
        keep_margins(work.real, work.whole[LISTED], work.lanes[SUMS], listed)
    return gain, second


def _prepare(fitness, work, genome):
    points, none = fitness.shape, np.int64(0)
    neurons, r = points.neurons, points.resolution
    for i in range(neurons + 1):
        for row in range(work.net.neuron.shape[0]):
            work.net.neuron[row, i] = 0
        work.net.neuron[TERMS, i], work.net.neuron[IS_ROUNDED, i] = -1, 1
        first, size = i * points.width, neurons if i == neurons else points.dim
        if first == genome.size:
            break
        bias = neuron_weights(genome, size, r, first, work.net.weight[0, i])
        work.net.bias[0, i], work.net.bias[1, i] = bias, bias
        for j in range(size):
            work.net.weight[1, i, j], work.net.rounded[i, j] = (
                work.net.weight[0, i, j],
                work.net.weight[0, i, j],
            )
        for c in range(first, first + size - 1):
            cosine, sine = cos_sin_turn(genome[c], r)
            for which in range(2):
                work.net.angle[which, 0, c], work.net.angle[which, 1, c] = cosine, sine
    work.net.neuron[ORDER, 0], work.net.neuron[ORDER, 1] = FIRST_ORDER, FIRST_ORDER
    output, bias = work.net.rounded[neurons], work.net.bias[0, neurons]
    tabulate(points.join, neurons, output, bias, work.sums, work.table[0])
    gain, second = begin_again(points, work, none > 0)
    return points.base + gain, second


def _look(fitness, work, mutation, steps, genes, first, last, score, second):
    points, genome, changed, old = fitness.shape, genes[GENOME], genes[CHANGED], genes[OLD]
    least, neurons, order = score - points.base, points.neurons, work.net.neuron[ORDER]
    if order[0] < 0:
        order[1] = smaller(2 * order[1], LAST_ORDER)
        order[0] = order[1]
        begin_again(points, work, order[0] > 0)
    for step in range(first, last):
        order[0] -= 1
        count, moves, output_moves = make_offspring(
            points, work.net, mutation, steps, step, genome, changed, old
        )
        if output_moves:
            round_neuron(points, work.net, neurons)
            output, bias = work.net.rounded[neurons], work.net.bias[1, neurons]
            tabulate(points.join, neurons, output, bias, work.sums, work.table[1])
        gain = judge(points, work, moves, output_moves, least)
        accepted, tie, listed = gain >= least, 0.0, np.int64(0)
        if accepted and points.tie_clip > 0.0:
            tie, listed = second_value(points, work, moves, output_moves)
            accepted = gain > least or tie >= second
        settle(points, work, moves, output_moves, genome, changed, old, count, accepted)
        if accepted:
            keep_margins(work.real, work.whole[LISTED], work.lanes[SUMS], listed)
            return step, points.base + gain, tie
    return last, score, second


def _optimal(fitness, work, genome, optima, tolerance):
    points, evolved = fitness.shape, fitness.shape.join == EVOLVED
    directions = larger(points.dim - 1, 1)
    for alternative in range(optima.shape[0]):
        targets = optima[alternative]
        if near_targets(
            genome, fitness.modulus, directions, targets, tolerance, evolved, work.near
        ) and (
            not evolved
            or output_agrees(work.net.weight[0], work.net.bias[0], points.resolution, targets)
        ):
            return True
    return False


implement(
    Points,
    workspace=new_work,
    prepare=_prepare,
    look=_look,
    optimal=_optimal,
    write_genome=write_genome,
)
