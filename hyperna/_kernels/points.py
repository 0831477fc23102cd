"""Fitness on a finite set of weighted points in any dimension.

The score is the weight of the correctly classified points, an integer, and a pure function of the
genome: a neuron fires iff its dot product, accumulated in index order, reaches its bias, exactly as
in `geometry.predict`. Dot products are kept from offspring to offspring: a neuron that turns in the
plane of two coordinates changes them by two products for each point, one whose angle changes by a
product for each weight that changes. Where a kept dot product is closer to the bias than rounding
errors allow, the one in index order decides.

Points are judged in blocks. Blocks whose points are all farther from the hyperplanes than these
move keep their score; of the others as many are judged as it takes to know that an offspring is
worse than its parent, which most are.
"""

import numpy as np

from hyperna._kernels import point_moves  # noqa: F401  ties moves to their types
from hyperna._kernels.geometry import AND, EVOLVED, XOR, cos_sin_turn, neuron_weights
from hyperna._kernels.jit import inner_kernel
from hyperna._kernels.point_data import (
    AGE,
    BLOCK,
    COEF,
    IS_ROUNDED,
    JUDGED,
    LIFETIME,
    MOVER,
    NEGLIGIBLE,
    NEXT_TOTAL,
    NEXT_WEIGHT,
    OPEN,
    OWNER,
    PARENT,
    ROUNDED,
    ROW,
    STATE,
    TABLE_NEURONS,
    TERMS,
    TOTAL,
    UNTOUCHED,
    WEIGHT,
    Points,
    new_work,
)
from hyperna._kernels.point_margins import canonical_dot, second_value
from hyperna._kernels.point_optima import optimal
from hyperna._kernels.protocol import implement, round_off, turn
from hyperna._kernels.state import CHANGED, GENOME
from hyperna._kernels.steps import FIRST, list_parts


@inner_kernel
def make_dots(columns, weight, dots, begin, end):
    """Make the dot products of a neuron with some points in index order, column by column."""
    few = dots[begin:end]
    for p in range(few.size):
        few[p] = 0.0
    for j in range(weight.size):
        column, w = columns[j, begin:end], weight[j]
        for p in range(few.size):
            few[p] += column[p] * w


@inner_kernel
def move_dots(columns, term, coef, terms, old, new, begin, end):
    """Make the dot products of a neuron some of whose weights change."""
    before, after = old[begin:end], new[begin:end]
    if terms == 0:
        for p in range(after.size):
            after[p] = before[p]
    for t in range(0, terms, 2):
        u = min(t + 1, terms - 1)
        a, b = coef[t], coef[u] if u > t else 0.0
        x, y = columns[term[t], begin:end], columns[term[u], begin:end]
        for p in range(after.size):
            after[p] = before[p] + a * x[p] + b * y[p]
        before = after


@inner_kernel
def closest(dots, bias, begin, end):
    """Distance of the closest of some points from a hyperplane."""
    few = dots[begin:end]
    # four at a time, because a minimum of floats is not vectorised
    a, b, c, d = np.inf, np.inf, np.inf, np.inf
    whole = few.size // 4 * 4
    for p in range(0, whole, 4):
        a = min(a, abs(few[p] - bias))
        b = min(b, abs(few[p + 1] - bias))
        c = min(c, abs(few[p + 2] - bias))
        d = min(d, abs(few[p + 3] - bias))
    for p in range(whole, few.size):
        a = min(a, abs(few[p] - bias))
    return min(min(a, b), min(c, d))


@inner_kernel
def cast_votes(old, bias, new, next_bias, guard, unit, source, target, begin, end):
    """Count the votes of some points after a neuron has moved.

    Returns how many dot products are so close to the bias that rounding errors might decide.
    """
    before, after, near = old[begin:end], new[begin:end], np.int64(0)
    votes, next_votes = source[begin:end], target[begin:end]
    for p in range(after.size):
        change = np.int64(after[p] >= next_bias) - np.int64(before[p] >= bias)
        next_votes[p] = votes[p] + unit * change
        near += 0 if abs(after[p] - next_bias) > guard else 1
    return near


@inner_kernel
def gain_of(join, neurons, gain, vote, table, begin, end):
    """Gain of those of some points on which the network fires, by their votes."""
    total, gain, vote = np.int64(0), gain[begin:end], vote[begin:end]
    if join == EVOLVED:
        for p in range(gain.size):
            total += gain[p] & -table[np.uint64(vote[p])]
        return total
    # of the binary digits of the number of firing neurons those in `counted` matter
    counted = np.int64(1) if join == XOR else np.int64(-1)
    threshold = neurons - 1 if join == AND else np.int64(0)
    for p in range(gain.size):
        total += gain[p] if (vote[p] & counted) > threshold else 0
    return total


@inner_kernel
def gain_of_many(neurons, gain, dots, row, terms, bias, output, begin, end):
    """The same for an output neuron over too many hidden neurons for a table."""
    total = np.int64(0)
    for p in range(begin, end):
        sum_of_weights = 0.0
        for i in range(neurons):
            which = row[i] if terms[i] < 0 else 1 - row[i]
            if dots[which, i, p] >= bias[i]:
                sum_of_weights += output[i]
        total += gain[p] if sum_of_weights >= output[neurons] else 0
    return total


@inner_kernel
def tabulate(genome, neurons, resolution, first, output, table):
    """Work out the output neuron and, if there is room, its answers to all hidden bits."""
    output[neurons] = neuron_weights(genome, neurons, resolution, first, output)
    if table.size == 1 << neurons:
        for pattern in range(table.size):
            total = output[0] * np.float64(pattern & 1)
            for i in range(1, neurons):
                total += output[i] * np.float64((pattern >> i) & 1)
            table[pattern] = 1 if total >= output[neurons] else 0


def _prepare(fitness, work, genome):
    points, n = fitness, fitness.gain.size
    neurons, width, bits = points.neurons, points.width, points.join == EVOLVED
    few = neurons <= TABLE_NEURONS
    for p in range(n):
        work.vote[0, p] = 0
    for i in range(neurons):
        first, row = i * width, work.neuron[ROW, i]
        bias = neuron_weights(genome, points.dim, points.resolution, first, work.vector[WEIGHT, i])
        work.bias[0, i], work.bias[1, i] = bias, bias
        work.neuron[TERMS, i], work.neuron[AGE, i] = -1, 0
        for c in range(first, first + width - 1):
            cosine, sine = cos_sin_turn(genome[c], points.resolution)
            for which in range(2):
                work.angle[which, 0, c], work.angle[which, 1, c] = cosine, sine
        for k in range(points.guard.size):
            begin, end = k * BLOCK, min(k * BLOCK + BLOCK, n)
            make_dots(points.columns, work.vector[WEIGHT, i], work.dots[row, i], begin, end)
            work.stale[i, k] = 0
        for p in range(n):
            fires = np.int64(work.dots[row, i, p] >= bias)
            work.vote[0, p] += fires << i if bits and few else fires
        for k in range(points.guard.size):
            work.slack[i, k] = -1.0
    if bits:
        tabulate(genome, neurons, points.resolution, neurons * width, work.output[0], work.table[0])
    for c in range(genome.size):
        work.component[PARENT, c] = genome[c]
    score = points.base
    for k in range(points.guard.size):
        begin, end = k * BLOCK, min(k * BLOCK + BLOCK, n)
        if few or not bits:
            gain = gain_of(
                points.join, neurons, points.gain, work.vote[0], work.table[0], begin, end
            )
        else:
            gain = gain_of_many(
                neurons,
                points.gain,
                work.dots,
                work.neuron[ROW],
                work.neuron[TERMS],
                work.bias[1],
                work.output[0],
                begin,
                end,
            )
        work.block[TOTAL, k] = gain
        score += gain
    second = 0.0
    if points.tie_clip > 0.0:
        second = second_value(points, work, np.int64(0))
    return score, second


def _look(fitness, work, mutation, steps, genes, first, last, score, second):
    points, genome, changed, move = fitness, genes[GENOME], genes[CHANGED], mutation.move
    n, dim, neurons, width = points.gain.size, points.dim, points.neurons, points.width
    r, unit, few = points.resolution, move.unit, neurons <= TABLE_NEURONS
    columns, guard, blocks = points.columns, points.guard, points.guard.size
    bits, hidden = points.join == EVOLVED, neurons * width
    # whether all dot products are needed, by margins or by an output neuron without a table
    eager = points.tie_clip > 0.0 or (bits and not few)
    mover, terms = work.neuron[MOVER], work.neuron[TERMS]
    row, state = work.neuron[ROW], work.block[STATE]
    old_bias, new_bias = work.bias[0], work.bias[1]
    total, next_total = work.block[TOTAL], work.block[NEXT_TOTAL]
    for step in range(first, last):
        # what changes: biases, weights of the neurons in `mover`, the output neuron
        count, place = list_parts(mutation, steps, step, changed), steps.step[FIRST, step]
        moves, output_changes = np.int64(0), False
        for t in range(count):
            c = changed[t]
            i = work.component[OWNER, c]
            if i == neurons:
                if not output_changes:
                    for k in range(neurons):
                        work.output[1, k] = work.output[0, k]
                output_changes = True
            elif terms[i] < 0:
                terms[i], work.neuron[IS_ROUNDED, i], mover[moves] = 0, 0, i
                moves += 1
                for j in range(dim):
                    work.vector[NEXT_WEIGHT, i, j] = work.vector[WEIGHT, i, j]
            if c == (genome.size if i == neurons else (i + 1) * width) - 1:
                index = (genome[c] + steps.move[place + t] * unit) % (mutation.modulus[c] * unit)
                genome[c] = min(index, r)
                if i < neurons:
                    new_bias[i] = (2.0 * genome[c] - r) / r
            else:
                weight = work.output[1] if i == neurons else work.vector[NEXT_WEIGHT, i]
                size, at = neurons if i == neurons else dim, place + t
                turn(
                    move, mutation, steps, genome, c, at, i * width, weight, size, r, work.angle[1]
                )
        for m in range(moves):
            i = mover[m]
            for j in range(dim):
                coef = work.vector[NEXT_WEIGHT, i, j] - work.vector[WEIGHT, i, j]
                if abs(coef) > NEGLIGIBLE:
                    work.term[i, terms[i]], work.vector[COEF, i, terms[i]] = j, coef
                    terms[i] += 1
        table, output = work.table[0], work.output[0]
        if output_changes:
            round_off(move, genome, hidden, work.output[1], neurons, r, work.output[1])
            table, output = work.table[1], work.output[1]
            tabulate(genome, neurons, r, hidden, output, table)
        # blocks out of reach keep their gain; of the others as many are judged as necessary
        gain, hope, least = np.int64(0), np.int64(0), score - points.base
        for k in range(blocks):
            begin, end = k * BLOCK, min(k * BLOCK + BLOCK, n)
            state[k] = OPEN if output_changes else UNTOUCHED
            for m in range(moves):
                i = mover[m]
                if state[k] == UNTOUCHED:
                    reach = abs(new_bias[i] - old_bias[i])
                    for t in range(terms[i]):
                        reach += abs(work.vector[COEF, i, t]) * points.extent[k, work.term[i, t]]
                    # rounded up, and errors of the dot products before and after
                    reach = reach * (1.0 + 2.0**-20) + 2.0 * guard[k]
                    work.reach[i, k] = reach
                    if not work.slack[i, k] > reach:
                        dots = work.dots[row[i], i]
                        if work.stale[i, k] == 1:
                            make_dots(columns, work.vector[WEIGHT, i], dots, begin, end)
                            work.stale[i, k], work.slack[i, k] = 0, -1.0
                        if work.slack[i, k] < 0.0:
                            work.slack[i, k] = closest(dots, old_bias[i], begin, end)
                        if not work.slack[i, k] > reach:
                            state[k] = OPEN
            if state[k] == OPEN:
                hope += points.ceiling[k]
            else:
                gain += total[k]
        for k in range(blocks):
            if state[k] == OPEN and gain + hope >= least:
                begin, end = k * BLOCK, min(k * BLOCK + BLOCK, n)
                source, target = work.vote[0], work.vote[1]
                if moves == 0:
                    target = source
                for m in range(moves):
                    i = mover[m]
                    old, new, bias = work.dots[row[i], i], work.dots[1 - row[i], i], new_bias[i]
                    if work.stale[i, k] == 1:
                        make_dots(columns, work.vector[WEIGHT, i], old, begin, end)
                        work.stale[i, k], work.slack[i, k] = 0, -1.0
                    move_dots(
                        columns, work.term[i], work.vector[COEF, i], terms[i], old, new, begin, end
                    )
                    vote = np.int64(1) << i if bits and few else np.int64(1)
                    near = cast_votes(
                        old, old_bias[i], new, bias, guard[k], vote, source, target, begin, end
                    )
                    if near > 0:
                        if work.neuron[IS_ROUNDED, i] == 0:
                            work.neuron[IS_ROUNDED, i] = 1
                            weight = work.vector[NEXT_WEIGHT, i]
                            round_off(
                                move, genome, i * width, weight, dim, r, work.vector[ROUNDED, i]
                            )
                        for p in range(begin, end):
                            if not abs(new[p] - bias) > guard[k]:
                                before = np.int64(new[p] >= bias)
                                new[p] = canonical_dot(columns, p, work.vector[ROUNDED, i])
                                target[p] += vote * (np.int64(new[p] >= bias) - before)
                    source = target
                if few or not bits:
                    found = gain_of(points.join, neurons, points.gain, target, table, begin, end)
                else:
                    found = gain_of_many(
                        neurons, points.gain, work.dots, row, terms, new_bias, output, begin, end
                    )
                state[k], next_total[k] = JUDGED, found
                hope -= points.ceiling[k]
                gain += found
        accepted, tie = gain + hope >= least, 0.0
        if accepted:
            for m in range(moves):
                i = mover[m]
                if work.neuron[IS_ROUNDED, i] == 0:
                    weight = work.vector[NEXT_WEIGHT, i]
                    round_off(move, genome, i * width, weight, dim, r, work.vector[ROUNDED, i])
                    work.neuron[IS_ROUNDED, i] = 1
                old, new = work.dots[row[i], i], work.dots[1 - row[i], i]
                for k in range(blocks if eager else 0):
                    if state[k] == UNTOUCHED:
                        begin, end = k * BLOCK, min(k * BLOCK + BLOCK, n)
                        change = work.vector[COEF, i]
                        move_dots(columns, work.term[i], change, terms[i], old, new, begin, end)
            if points.tie_clip > 0.0:
                tie = second_value(points, work, np.int64(output_changes))
                accepted = gain > least or tie >= second
        for m in range(moves):
            i = mover[m]
            terms[i] = -1
            if accepted:
                for j in range(dim):
                    work.vector[WEIGHT, i, j] = work.vector[ROUNDED, i, j]
                old_bias[i], row[i] = new_bias[i], 1 - row[i]
                work.neuron[AGE, i] += 1
                worn_out = work.neuron[AGE, i] > LIFETIME
                if worn_out:
                    work.neuron[AGE, i] = 0
                for k in range(blocks):
                    begin, end = k * BLOCK, min(k * BLOCK + BLOCK, n)
                    if worn_out:
                        make_dots(columns, work.vector[WEIGHT, i], work.dots[row[i], i], begin, end)
                        work.stale[i, k], work.slack[i, k] = 0, -1.0
                    elif eager or state[k] != UNTOUCHED:
                        work.slack[i, k] = -1.0
                    else:
                        # out of reach: made when a hyperplane comes near
                        work.stale[i, k] = 1
                        work.slack[i, k] -= work.reach[i, k]
            new_bias[i] = old_bias[i]
        source, target = (0, 1) if not accepted else (1, 0)
        for t in range(count):
            c = changed[t]
            i = work.component[OWNER, c]
            for which in range(2):
                work.angle[target, which, c] = work.angle[source, which, c]
            begin, end = i * width, genome.size if i == neurons else (i + 1) * width
            for c in range(begin, end):
                if accepted:
                    work.component[PARENT, c] = genome[c]
                else:
                    genome[c] = work.component[PARENT, c]
        if accepted:
            for k in range(blocks):
                if state[k] == JUDGED:
                    total[k] = next_total[k]
                    for p in range(k * BLOCK, min(k * BLOCK + BLOCK, n) if moves > 0 else 0):
                        work.vote[0, p] = work.vote[1, p]
            if output_changes:
                for i in range(neurons + 1):
                    work.output[0, i] = work.output[1, i]
                for pattern in range(work.table.shape[1]):
                    work.table[0, pattern] = work.table[1, pattern]
            return step, points.base + gain, tie
    return last, score, second


implement(Points, workspace=new_work, prepare=_prepare, look=_look, optimal=optimal)
