"""How a network on points becomes its offspring, and which of the two goes on.

An angle is a component of the genome. Where directions turn in planes a run keeps the weights
themselves; its score is that of the genome that they are rounded to, and the angles are written to
the genome when somebody reads it. So that rounding errors do not grow, a neuron is given its
rounded weights after LIFETIME accepted moves.
"""

import numpy as np

from hyperna._kernels.geometry import EVOLVED, answer, cos_sin_turn
from hyperna._kernels.jit import inline_kernel, inner_kernel
from hyperna._kernels.order import smaller
from hyperna._kernels.point_data import (
    AGE,
    IS_ROUNDED,
    JUDGED,
    LIFETIME,
    LOWEST,
    MOVER,
    NEXT_TOTAL,
    OWNER,
    REACH,
    ROW,
    SLACK,
    STALE,
    STATE,
    TABLE_NEURONS,
    TERMS,
    TOTAL,
    TURNED,
    UNWRITTEN,
)
from hyperna._kernels.point_margins import round_neuron
from hyperna._kernels.rotations import turn_in_plane, write_angles
from hyperna._kernels.steps import FIRST, list_parts

# Changes of weights below this are lost in rounding errors.
NEGLIGIBLE = 2.0**-64


@inline_kernel
def vote_of(join, neurons, i):
    """What neuron i adds to a point's place in the table if it fires on it."""
    if join != EVOLVED:
        return np.int64(1)
    return np.int64(1) << i if neurons <= TABLE_NEURONS else np.int64(0)


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
        table[votes] = -1 if answer(join, neurons, votes, sums[votes], bias) else 0


@inner_kernel
def make_dots(columns, weight, dots, begin):
    """Make the dot products of a neuron with some points in index order, column by column."""
    for p in range(dots.size):
        dots[p] = 0.0
    for j in range(columns.shape[0]):
        column, w = columns[j, begin : begin + dots.size], weight[j]
        for p in range(dots.size):
            dots[p] += column[p] * w


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
def make_offspring(points, net, mutation, steps, step, genome, changed, old):
    """Take a step; of a direction that turns in a plane the genome says nothing yet.

    Returns the numbers of components that change and of hidden neurons that move, and whether the
    output neuron does, which is then the last in the list of those that move.
    """
    move, neurons, r = mutation.move, points.neurons, points.resolution
    state, moves, output_moves = net.neuron, np.int64(0), False
    count, place = list_parts(mutation, steps, step, changed), steps.step[FIRST, step]
    for t in range(count):
        c = changed[t]
        i, length = net.component[OWNER, c], steps.move[place + t] * move.unit
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
            terms, weight = state[TERMS, i], net.weight[1, i]
            a, b, change, other = turn_in_plane(weight, size, steps.plane[place + t], length, r)
            net.term[i, terms], net.term[i, terms + 1] = a, b
            net.coef[i, terms], net.coef[i, terms + 1] = change, other
            state[TERMS, i], state[TURNED, i], state[IS_ROUNDED, i] = terms + 2, 1, 0
        else:
            genome[c] = smaller((genome[c] + length) % (mutation.modulus[c] * move.unit), r)
            if c == (genome.size if i == neurons else first + points.width) - 1:
                net.bias[1, i] = (2.0 * genome[c] - r) / r
            else:
                state[LOWEST, i], state[IS_ROUNDED, i] = (
                    smaller(state[LOWEST, i], c - first),
                    0,
                )
                net.angle[1, 0, c], net.angle[1, 1, c] = cos_sin_turn(genome[c], r)
                if size == 1:
                    net.weight[1, i, 0] = 1.0 - 2.0 * genome[c]
    if output_moves:
        state[MOVER, moves] = neurons
    for m in range(moves + 1 if output_moves else moves):
        i = state[MOVER, m]
        lowest, size = state[LOWEST, i], neurons if i == neurons else points.dim
        if lowest < size:
            weight, before, angle = net.weight[1, i], net.weight[0, i], net.angle[1]
            state[TERMS, i] = turn_by_angles(
                weight,
                before,
                angle,
                i * points.width,
                lowest,
                size,
                net.term[i],
                net.coef[i],
            )
    return count, moves, output_moves


@inline_kernel
def settle(points, work, moves, output_moves, genome, changed, old, count, accepted):
    """Make the offspring the parent, or the other way round."""
    state, neurons = work.net.neuron, points.neurons
    source, target = (1, 0) if accepted else (0, 1)
    for m in range(moves + 1 if output_moves else moves):
        i = state[MOVER, m]
        size, weight, rounded = (
            neurons if i == neurons else points.dim,
            work.net.weight,
            work.net.rounded,
        )
        turned = state[TERMS, i] > 0 or state[LOWEST, i] < size
        state[TERMS, i] = -1
        work.net.bias[target, i] = work.net.bias[source, i]
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
            round_neuron(points, work.net, i)
        if worn_out:
            state[AGE, i] = 0
            for j in range(size):
                weight[1, i, j] = rounded[i, j]
            for k in range(work.block.shape[1]):
                # made again when they are needed
                work.place[STALE, i, k] = 1
        if accepted:
            for j in range(size):
                weight[0, i, j] = weight[1, i, j]
    if output_moves:
        for votes in range(work.table.shape[1]):
            work.table[target, votes] = work.table[source, votes]
    for k in range(work.block.shape[1] if accepted else 0):
        judged = work.block[STATE, k] == JUDGED
        if judged:
            work.block[TOTAL, k] = work.block[NEXT_TOTAL, k]
            work.place[ROW, neurons, k] ^= 1 if moves > 0 else 0
        for m in range(moves):
            i = state[MOVER, m]
            if judged:
                work.place[ROW, i, k] ^= 1
                work.bound[SLACK, i, k] = -1.0
            else:
                work.place[STALE, i, k] = 1
                work.bound[SLACK, i, k] -= work.bound[REACH, i, k]
    for t in range(count):
        c = changed[t]
        for s in range(2):
            work.net.angle[target, s, c] = work.net.angle[source, s, c]
        if not accepted:
            genome[c] = old[t]


def write_genome(fitness, work, mutation, genome):
    """Write the angles of the neurons that have been turned in planes."""
    points = fitness.shape
    for i in range(points.neurons + 1):
        first, size = (
            i * points.width,
            points.neurons if i == points.neurons else points.dim,
        )
        if work.net.neuron[UNWRITTEN, i] == 1 and work.net.neuron[TURNED, i] == 1:
            write_angles(work.net.weight[0, i], size, points.resolution, genome, first)
        work.net.neuron[UNWRITTEN, i] = 0
