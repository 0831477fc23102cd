"""Fitness on a finite set of weighted points in any dimension.

The score is the weight of the correctly classified points, an integer, and a pure function of the
genome: a neuron fires iff its dot product, accumulated in index order, reaches its bias, exactly as
in `geometry.predict`. Dot products are kept from offspring to offspring: a neuron that turns in the
plane of two coordinates changes them by two products for each point, one whose angle changes by a
product for each weight that changes. Where a kept dot product is closer to the bias than rounding
errors allow, the one in index order decides. Points are judged in blocks, as many as it takes to
know that an offspring is worse than its parent.

An angle is a component of the genome. Where directions turn in planes a run keeps the weights
themselves; its score is that of the genome that they are rounded to, and the angles are written to
the genome when somebody reads it. So that rounding errors do not grow, a neuron is given its
rounded weights after LIFETIME accepted moves.
"""

import numpy as np

from hyperna._kernels.geometry import AND, EVOLVED, XOR, cos_sin_turn, neuron_weights
from hyperna._kernels.jit import inline_kernel, inner_kernel
from hyperna._kernels.mirrors import near_targets
from hyperna._kernels.point_data import (
    AGE,
    BLOCK,
    IS_ROUNDED,
    LIFETIME,
    LOWEST,
    MOVER,
    OWNER,
    ROW,
    TABLE_NEURONS,
    TERMS,
    TURNED,
    UNWRITTEN,
    Points,
    new_work,
)
from hyperna._kernels.point_margins import canonical_dot, keep_margins, round_neuron, second_value
from hyperna._kernels.protocol import implement
from hyperna._kernels.rotations import turn_in_plane, write_angles
from hyperna._kernels.state import CHANGED, GENOME, OLD
from hyperna._kernels.steps import FIRST, list_parts

# Changes of weights below this are lost in rounding errors.
NEGLIGIBLE = 2.0**-64


# ---- how a network moves


@inner_kernel
def turn_by_angles(weight, before, angle, first, lowest, size, term, coef):
    """Make the weights of a neuron from its angles; list those that change, return their number."""
    product, terms = 1.0, np.int64(0)
    for j in range(size):
        if j < size - 1:
            weight[j] = product * angle[0, first + j]
            product *= angle[1, first + j]
        elif size > 1:
            weight[j] = product
        change = weight[j] - before[j]
        if j >= lowest and abs(change) > NEGLIGIBLE:
            term[terms], coef[terms] = j, change
            terms += 1
    return terms


@inline_kernel
def make_offspring(points, work, mutation, steps, step, genome, changed, old):
    """Take a step; of a direction that turns in a plane the genome says nothing yet.

    Returns the numbers of components that change and of hidden neurons that move, and whether the
    output neuron does, which is then the last in the list of those that move.
    """
    move, neurons, r = mutation.move, points.neurons, points.resolution
    state, moves, output_moves = work.neuron, np.int64(0), False
    count, place = list_parts(mutation, steps, step, changed), steps.step[FIRST, step]
    for t in range(count):
        c = changed[t]
        i, length = work.component[OWNER, c], steps.move[place + t] * move.unit
        first, size = i * points.width, neurons if i == neurons else points.dim
        if state[TERMS, i] < 0:
            state[TERMS, i], state[LOWEST, i] = 0, size
            if i == neurons:
                output_moves = True
            else:
                state[MOVER, moves] = i
                moves += 1
        old[t] = genome[c]
        if move.pairs[c] > 0:
            terms, weight = state[TERMS, i], work.weight[1, i]
            a, b, change, other = turn_in_plane(weight, size, steps.plane[place + t], length, r)
            work.term[i, terms], work.term[i, terms + 1] = a, b
            work.coef[i, terms], work.coef[i, terms + 1] = change, other
            state[TERMS, i], state[TURNED, i], state[IS_ROUNDED, i] = terms + 2, 1, 0
        else:
            genome[c] = min((genome[c] + length) % (mutation.modulus[c] * move.unit), r)
            if c == (genome.size if i == neurons else first + points.width) - 1:
                work.bias[1, i] = (2.0 * genome[c] - r) / r
            else:
                state[LOWEST, i], state[IS_ROUNDED, i] = min(state[LOWEST, i], c - first), 0
                work.angle[1, 0, c], work.angle[1, 1, c] = cos_sin_turn(genome[c], r)
                if size == 1:
                    work.weight[1, i, 0] = 1.0 - 2.0 * genome[c]
    if output_moves:
        state[MOVER, moves] = neurons
    for m in range(moves + 1 if output_moves else moves):
        i = state[MOVER, m]
        lowest, size = state[LOWEST, i], neurons if i == neurons else points.dim
        if lowest < size:
            weight, before, angle = work.weight[1, i], work.weight[0, i], work.angle[1]
            state[TERMS, i] = turn_by_angles(
                weight, before, angle, i * points.width, lowest, size, work.term[i], work.coef[i]
            )
    return count, moves, output_moves


@inline_kernel
def settle(points, work, moves, output_moves, genome, changed, old, count, accepted):
    """Make the offspring the parent, or the other way round."""
    state, neurons = work.neuron, points.neurons
    source, target = (1, 0) if accepted else (0, 1)
    for m in range(moves + 1 if output_moves else moves):
        i = state[MOVER, m]
        size, weight, rounded = neurons if i == neurons else points.dim, work.weight, work.rounded
        turned = state[TERMS, i] > 0 or state[LOWEST, i] < size
        state[TERMS, i] = -1
        work.bias[target, i] = work.bias[source, i]
        if accepted and i < neurons:
            state[ROW, i] = 1 - state[ROW, i]
        if not turned:
            continue
        if accepted:
            state[AGE, i] += 1
            state[UNWRITTEN, i] = 1
        else:
            state[IS_ROUNDED, i] = 0
            for j in range(size):
                weight[1, i, j] = weight[0, i, j]
        worn_out = state[AGE, i] == LIFETIME
        if worn_out or i == neurons:
            round_neuron(points, work, i)
        if worn_out:
            state[AGE, i] = 0
            for j in range(size):
                weight[1, i, j] = rounded[i, j]
            if i < neurons:
                make_dots(points.columns, rounded[i], work.dots[state[ROW, i], i])
        if accepted:
            for j in range(size):
                weight[0, i, j] = weight[1, i, j]
    if output_moves:
        for votes in range(work.table.shape[1]):
            work.table[target, votes] = work.table[source, votes]
    if accepted and moves > 0:
        state[ROW, neurons] = 1 - state[ROW, neurons]
    for t in range(count):
        c = changed[t]
        for s in range(2):
            work.angle[target, s, c] = work.angle[source, s, c]
        if not accepted:
            genome[c] = old[t]


def _write_genome(fitness, work, mutation, genome):
    points = fitness
    for i in range(points.neurons + 1):
        first, size = i * points.width, points.neurons if i == points.neurons else points.dim
        if work.neuron[UNWRITTEN, i] == 1 and work.neuron[TURNED, i] == 1:
            write_angles(work.weight[0, i], size, points.resolution, genome, first)
        work.neuron[UNWRITTEN, i] = 0


# ---- what it is worth


@inline_kernel
def vote_of(join, neurons, i):
    """What neuron i adds to a point's place in the table if it fires on it."""
    if join != EVOLVED:
        return np.int64(1)
    return np.int64(1) << i if neurons <= TABLE_NEURONS else np.int64(0)


@inner_kernel
def make_dots(columns, weight, dots):
    """Make the dot products of a neuron with all points in index order, column by column."""
    for p in range(dots.size):
        dots[p] = 0.0
    for j in range(columns.shape[0]):
        column, w = columns[j], weight[j]
        for p in range(dots.size):
            dots[p] += column[p] * w


@inner_kernel
def tabulate(join, neurons, output, bias, sums, table):
    """Work out what the output makes of the votes: -1 where it fires, else 0."""
    highest = np.int64(0)
    for votes in range(table.size):
        if join == EVOLVED:
            # the sum over all neurons in the pattern but the last, to which that is added
            if votes == 2 << highest:
                highest += 1
            sums[votes] = 0.0
            if votes > 0:
                sums[votes] = sums[votes - (1 << highest)] + output[highest]
            answer = sums[votes] >= bias
        elif join == XOR:
            answer = votes % 2 == 1
        else:
            answer = votes == neurons if join == AND else votes > 0
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
def decide_near(columns, weight, dots, bias, guard, vote, votes, begin):
    """Let the dot products in index order decide about points close to a hyperplane."""
    for p in range(dots.size):
        if not abs(dots[p] - bias) > guard:
            before = np.int64(dots[p] >= bias)
            dots[p] = canonical_dot(columns, begin + p, weight)
            votes[p] += vote * (np.int64(dots[p] >= bias) - before)


@inline_kernel
def judge(points, work, moves, output_moves, least):
    """Gain of the offspring, or a number less than `least` that it cannot exceed."""
    join, neurons, columns, state = points.join, points.neurons, points.columns, work.neuron
    parent, table = state[ROW, neurons], work.table[1 if output_moves else 0]
    tabulated, gain = vote_of(join, neurons, 0) > 0, points.most
    for k in range(points.guard.size):
        begin, end = k * BLOCK, min(k * BLOCK + BLOCK, points.gain.size)
        source, votes, guard = (
            work.vote[parent, begin:end],
            work.vote[1 - parent, begin:end],
            points.guard[k],
        )
        for p in range(votes.size if moves > 0 else 0):
            votes[p] = source[p]
        for m in range(moves):
            i = state[MOVER, m]
            row, terms, vote = state[ROW, i], state[TERMS, i], vote_of(join, neurons, i)
            bias, next_bias = work.bias[0, i], work.bias[1, i]
            old, new = work.dots[row, i, begin:end], work.dots[1 - row, i, begin:end]
            term, coef = work.term[i], work.coef[i]
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
                round_neuron(points, work, i)
                decide_near(columns, work.rounded[i], new, next_bias, guard, vote, votes, begin)
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
    for i in range(neurons + 1):
        for row in range(work.neuron.shape[0] - 1):
            work.neuron[row, i] = 0
        work.neuron[TERMS, i], work.neuron[IS_ROUNDED, i] = -1, 1
        first, size = i * points.width, neurons if i == neurons else points.dim
        if first == genome.size:
            break
        bias = neuron_weights(genome, size, r, first, work.weight[0, i])
        work.bias[0, i], work.bias[1, i] = bias, bias
        for j in range(size):
            work.weight[1, i, j], work.rounded[i, j] = work.weight[0, i, j], work.weight[0, i, j]
        for c in range(first, first + size - 1):
            cosine, sine = cos_sin_turn(genome[c], r)
            for which in range(2):
                work.angle[which, 0, c], work.angle[which, 1, c] = cosine, sine
        if i < neurons:
            dots, vote = work.dots[0, i], vote_of(points.join, neurons, i)
            make_dots(points.columns, work.rounded[i], dots)
            for p in range(dots.size):
                work.vote[0, p] += vote if dots[p] >= bias else 0
    table, none = work.table[0], np.int64(0)
    tabulate(points.join, neurons, work.rounded[neurons], work.bias[0, neurons], work.sums, table)
    score, second = points.base, 0.0
    if vote_of(points.join, neurons, none) > 0:
        for p in range(points.gain.size):
            score += points.gain[p] & table[np.uint64(work.vote[0, p])]
    else:
        score += gain_of_many(points, work, none, points.gain.size)
    if points.tie_clip > 0.0:
        second, listed = second_value(points, work, none, none == 0)
        keep_margins(work.margin, work.again, work.real, listed)
    return score, second


def _look(fitness, work, mutation, steps, genes, first, last, score, second):
    points, genome, changed, old = fitness, genes[GENOME], genes[CHANGED], genes[OLD]
    least, neurons = score - points.base, fitness.neurons
    for step in range(first, last):
        count, moves, output_moves = make_offspring(
            points, work, mutation, steps, step, genome, changed, old
        )
        if output_moves:
            round_neuron(points, work, neurons)
            tabulate(
                points.join,
                neurons,
                work.rounded[neurons],
                work.bias[1, neurons],
                work.sums,
                work.table[1],
            )
        gain = judge(points, work, moves, output_moves, least)
        accepted, tie, listed = gain >= least, 0.0, np.int64(0)
        if accepted and points.tie_clip > 0.0:
            tie, listed = second_value(points, work, moves, output_moves)
            accepted = gain > least or tie >= second
        settle(points, work, moves, output_moves, genome, changed, old, count, accepted)
        if accepted:
            keep_margins(work.margin, work.again, work.real, listed)
            return step, points.base + gain, tie
    return last, score, second


# ---- whether it is one of the known optima


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
    write_genome=_write_genome,
)
