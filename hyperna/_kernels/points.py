"""Fitness on a finite set of weighted points in any dimension.

The score is the weight of the correctly classified points, an integer, and a pure function of the
genome: a neuron fires iff its dot product, accumulated in index order, reaches its bias, exactly as
in `geometry.predict`. Dot products are kept from offspring to offspring: a neuron that turns in the
plane of two coordinates changes them by two products for each point, one whose angle changes by a
product for each weight that changes. Where a kept dot product is closer to the bias than rounding
errors allow, the one in index order decides.

Points are judged in blocks, as many as it takes to know that an offspring is worse than its parent.
"""

import numpy as np

from hyperna._kernels.geometry import AND, EVOLVED, XOR, cos_sin_turn, neuron_weights
from hyperna._kernels.jit import inline_kernel, inner_kernel
from hyperna._kernels.mirrors import near_targets
from hyperna._kernels.point_data import (
    BLOCK,
    IS_ROUNDED,
    MOVER,
    ROW,
    TABLE_NEURONS,
    TERMS,
    Points,
    new_work,
)
from hyperna._kernels.point_margins import keep_margins, second_value
from hyperna._kernels.point_moves import (
    canonical_dot,
    make_dots,
    make_offspring,
    round_neuron,
    settle,
    write_genome,
)
from hyperna._kernels.protocol import implement
from hyperna._kernels.state import CHANGED, GENOME, OLD


@inline_kernel
def vote_of(points, i):
    """What neuron i adds to a point's place in the table if it fires on it."""
    if points.join != EVOLVED:
        return np.int64(1)
    return np.int64(1) << i if points.neurons <= TABLE_NEURONS else np.int64(0)


@inner_kernel
def tabulate(points, work):
    """Work out what the offspring's output makes of the votes: -1 where it fires, else 0."""
    neurons, table = points.neurons, work.table[1]
    output, bias = work.rounded[neurons], work.bias[1, neurons]
    sums, highest = work.sums, np.int64(0)
    for votes in range(table.size):
        if points.join == EVOLVED:
            # the sum over all neurons in the pattern but the last, to which that is added
            if votes == 2 << highest:
                highest += 1
            sums[votes] = 0.0
            if votes > 0:
                sums[votes] = sums[votes - (1 << highest)] + output[highest]
            answer = sums[votes] >= bias
        elif points.join == XOR:
            answer = votes % 2 == 1
        else:
            answer = votes == neurons if points.join == AND else votes > 0
        table[votes] = -1 if answer else 0


@inner_kernel
def gain_of_many(points, work, begin, end):
    """Gain of some points under an output neuron over too many hidden neurons for a table."""
    neurons, gain = points.neurons, np.int64(0)
    output, bias = work.rounded[neurons], work.bias[1, neurons]
    for p in range(begin, end):
        total = 0.0
        for i in range(neurons):
            row = work.neuron[ROW, i]
            row = row if work.neuron[TERMS, i] < 0 else 1 - row
            if work.dots[row, i, p] >= work.bias[1, i]:
                total += output[i]
        gain += points.gain[p] if total >= bias else 0
    return gain


@inner_kernel
def decide_near(points, work, rotates, i, begin, end, guard, votes):
    """Let the dot products in index order decide about points close to a hyperplane."""
    bias, vote = work.bias[1, i], vote_of(points, i)
    dots = work.dots[1 - work.neuron[ROW, i], i]
    round_neuron(points, work, rotates, i)
    for p in range(begin, end):
        if not abs(dots[p] - bias) > guard:
            before = np.int64(dots[p] >= bias)
            dots[p] = canonical_dot(points.columns, p, work.rounded[i])
            votes[p - begin] += vote * (np.int64(dots[p] >= bias) - before)


@inline_kernel
def judge(points, work, rotates, moves, output_moves, least):
    """Gain of the offspring, or a number less than `least` that it cannot exceed."""
    n, columns, tabulated = points.gain.size, points.columns, vote_of(points, 0) > 0
    source_row, table = work.neuron[ROW, points.neurons], work.table[1 if output_moves else 0]
    gain = points.most
    for k in range(points.guard.size):
        begin, end = k * BLOCK, min(k * BLOCK + BLOCK, n)
        source, votes = work.vote[source_row, begin:end], work.vote[1 - source_row, begin:end]
        for p in range(votes.size if moves > 0 else 0):
            votes[p] = source[p]
        for m in range(moves):
            i = work.neuron[MOVER, m]
            row, terms, vote = work.neuron[ROW, i], work.neuron[TERMS, i], vote_of(points, i)
            bias, next_bias, guard = work.bias[0, i], work.bias[1, i], points.guard[k]
            old, new = work.dots[row, i, begin:end], work.dots[1 - row, i, begin:end]
            for t in range(0, max(terms, 1), 2):
                a = work.coef[i, t] if t < terms else 0.0
                b = work.coef[i, t + 1] if t + 1 < terms else 0.0
                x, y = columns[work.term[i, t], begin:end], columns[work.term[i, t + 1], begin:end]
                if t == 0:
                    for p in range(new.size):
                        new[p] = old[p] + a * x[p] + b * y[p]
                else:
                    for p in range(new.size):
                        new[p] = new[p] + a * x[p] + b * y[p]
            near = np.int64(0)
            for p in range(new.size):
                votes[p] += vote & -np.int64(new[p] >= next_bias)
                votes[p] -= vote & -np.int64(old[p] >= bias)
                near += 0 if abs(new[p] - next_bias) > guard else 1
            if near > 0:
                decide_near(points, work, rotates, i, begin, end, guard, votes)
        gain -= points.ceiling[k]
        if tabulated:
            weights, places = points.gain[begin:end], votes if moves > 0 else source
            for p in range(weights.size):
                gain += weights[p] & table[np.uint64(places[p])]
        else:
            gain += gain_of_many(points, work, begin, end)
        if gain < least:
            break
    return gain


def _prepare(fitness, work, genome):
    points, neurons, r = fitness, fitness.neurons, fitness.resolution
    for p in range(points.gain.size):
        work.vote[0, p] = 0
    work.neuron[ROW, neurons] = 0
    for i in range(neurons + 1):
        first, size = i * points.width, neurons if i == neurons else points.dim
        if first == genome.size:
            break
        bias = neuron_weights(genome, size, r, first, work.weight[0, i])
        work.bias[0, i], work.bias[1, i] = bias, bias
        for j in range(size):
            work.weight[1, i, j] = work.weight[0, i, j]
            work.rounded[i, j] = work.weight[0, i, j]
        for row in range(work.neuron.shape[0] - 1):
            work.neuron[row, i] = 0
        work.neuron[TERMS, i], work.neuron[IS_ROUNDED, i] = -1, 1
        for c in range(first, first + size - 1):
            cosine, sine = cos_sin_turn(genome[c], r)
            for which in range(2):
                work.angle[which, 0, c], work.angle[which, 1, c] = cosine, sine
        if i < neurons:
            make_dots(points.columns, work.weight[0, i], work.dots[0, i])
            vote, dots = vote_of(points, i), work.dots[0, i]
            for p in range(dots.size):
                work.vote[0, p] += vote if dots[p] >= bias else 0
    tabulate(points, work)
    for votes in range(work.table.shape[1]):
        work.table[0, votes] = work.table[1, votes]
    score, second = points.base + judge(points, work, False, 0, False, np.int64(-(2**62))), 0.0
    if points.tie_clip > 0.0:
        second, listed = second_value(points, work, False, np.int64(0), True)
        keep_margins(work, listed)
    return score, second


def _look(fitness, work, mutation, steps, genes, first, last, score, second):
    points, genome, changed, old = fitness, genes[GENOME], genes[CHANGED], genes[OLD]
    least, rotates = score - points.base, mutation.move.pairs[0] > 0
    for step in range(first, last):
        count, moves, output_moves = make_offspring(
            points, work, mutation, steps, step, genome, changed, old
        )
        if output_moves:
            round_neuron(points, work, rotates, points.neurons)
            tabulate(points, work)
        gain = judge(points, work, rotates, moves, output_moves, least)
        accepted, tie, listed = gain >= least, 0.0, np.int64(0)
        if accepted and points.tie_clip > 0.0:
            tie, listed = second_value(points, work, rotates, moves, output_moves)
            accepted = gain > least or tie >= second
        settle(points, work, rotates, moves, output_moves, genome, changed, old, count, accepted)
        if accepted:
            if points.tie_clip > 0.0:
                keep_margins(work, listed)
            return step, points.base + gain, tie
    return last, score, second


@inner_kernel
def output_agrees(points, work, targets):
    """Whether the evolved output fires at the places in one column and is silent at the others."""
    neurons, width = points.neurons, points.width
    output, bias = work.weight[0, neurons], work.bias[0, neurons]
    for place in range(2 * neurons):
        target = targets[place >> 1, width + place % 2]
        angle, total = 2.0 * np.pi * target / np.float64(points.resolution), 0.0
        for i in range(neurons):
            dot = np.cos(angle) * work.weight[0, i, 0] + np.sin(angle) * work.weight[0, i, 1]
            total += output[i] if dot >= work.bias[0, i] else 0.0
        if (total >= bias) != (place % 2 == 0):
            return False
    return True


def _optimal(fitness, work, genome, optima, tolerance):
    points, evolved = fitness, fitness.join == EVOLVED
    directions = max(points.dim - 1, 1)
    for alternative in range(optima.shape[0]):
        targets = optima[alternative]
        if near_targets(
            genome, points.modulus, directions, targets, tolerance, evolved, work.near
        ) and (not evolved or output_agrees(points, work, targets)):
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
