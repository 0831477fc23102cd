"""How the neurons of a network on points move: by an angle, or in the plane of two coordinates.

An angle is a component of the genome. A turn in a plane changes two weights. A run keeps these
weights, and its score is that of the genome that they are rounded to: where that might matter, the
rounded weights decide. The angles are written to the genome when somebody reads it. So that
rounding errors do not grow, a neuron is given its rounded weights after LIFETIME accepted moves.
"""

import numpy as np

from hyperna._kernels.geometry import cos_sin_turn, neuron_weights
from hyperna._kernels.jit import inline_kernel, inner_kernel
from hyperna._kernels.point_data import (
    AGE,
    IS_ROUNDED,
    LIFETIME,
    LOWEST,
    MOVER,
    OWNER,
    ROUNDED,
    ROW,
    TERMS,
    UNWRITTEN,
)
from hyperna._kernels.rotations import turn_in_plane, write_angles
from hyperna._kernels.steps import FIRST, list_parts

# Changes of weights below this are lost in rounding errors.
NEGLIGIBLE = 2.0**-64


@inline_kernel
def canonical_dot(columns, p, weight):
    """The dot product of point p with the weights, as `geometry.predict` has it."""
    dot = columns[0, p] * weight[0]
    for j in range(1, columns.shape[0]):
        dot += columns[j, p] * weight[j]
    return dot


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
def round_neuron(points, work, rotates, i):
    """Make the weights that the offspring's neuron i is rounded to."""
    if work.neuron[IS_ROUNDED, i] == 1:
        return
    work.neuron[IS_ROUNDED, i] = 1
    size, first = points.neurons if i == points.neurons else points.dim, i * points.width
    if rotates:
        write_angles(work.weight[1, i], size, points.resolution, work.component[ROUNDED], first)
        neuron_weights(work.component[ROUNDED], size, points.resolution, first, work.rounded[i])
    else:
        for j in range(size):
            work.rounded[i, j] = work.weight[1, i, j]


@inline_kernel
def turn_by_angles(points, work, genome, i, size, first):
    """Make the weights of a neuron from its angles, and list those that change."""
    weight, angle, product = work.weight[1, i], work.angle[1], 1.0
    if size == 1:
        weight[0] = 1.0 - 2.0 * genome[first]
    else:
        for k in range(size - 1):
            weight[k] = product * angle[0, first + k]
            product *= angle[1, first + k]
        weight[size - 1] = product
    terms = np.int64(0)
    for j in range(work.neuron[LOWEST, i], size):
        change = weight[j] - work.weight[0, i, j]
        if abs(change) > NEGLIGIBLE:
            work.term[i, terms], work.coef[i, terms] = j, change
            terms += 1
    work.neuron[TERMS, i] = terms


@inline_kernel
def make_offspring(points, work, mutation, steps, step, genome, changed, old):
    """Take a step; of a direction that turns in a plane the genome says nothing yet.

    Returns the numbers of components that change and of hidden neurons that move, and whether the
    output neuron does.
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
            state[TERMS, i], state[IS_ROUNDED, i] = terms + 2, 0
        else:
            genome[c] = min((genome[c] + length) % (mutation.modulus[c] * move.unit), r)
            if c == (genome.size if i == neurons else first + points.width) - 1:
                work.bias[1, i] = (2.0 * genome[c] - r) / r
            else:
                state[LOWEST, i], state[IS_ROUNDED, i] = min(state[LOWEST, i], c - first), 0
                work.angle[1, 0, c], work.angle[1, 1, c] = cos_sin_turn(genome[c], r)
    for m in range(moves + 1 if output_moves else moves):
        i = state[MOVER, m] if m < moves else neurons
        size = points.dim if m < moves else neurons
        if state[LOWEST, i] < size:
            turn_by_angles(points, work, genome, i, size, i * points.width)
    return count, moves, output_moves


@inline_kernel
def settle_neuron(points, work, rotates, i, accepted):
    """Make the offspring's neuron i the network's, or the other way round."""
    state, turned = work.neuron, work.neuron[TERMS, i] > 0
    source, target = (1, 0) if accepted else (0, 1)
    state[TERMS, i] = -1
    work.bias[target, i] = work.bias[source, i]
    if i < points.neurons and accepted:
        state[ROW, i] = 1 - state[ROW, i]
    if not turned:
        return
    if not accepted:
        state[IS_ROUNDED, i] = 0
    else:
        state[UNWRITTEN, i] = 1
        state[AGE, i] += 1
        if state[AGE, i] == LIFETIME:
            state[AGE, i] = 0
            round_neuron(points, work, rotates, i)
            for j in range(work.weight.shape[2]):
                work.weight[1, i, j] = work.rounded[i, j]
            if i < points.neurons:
                make_dots(points.columns, work.rounded[i], work.dots[state[ROW, i], i])
    for j in range(work.weight.shape[2]):
        work.weight[target, i, j] = work.weight[source, i, j]


@inline_kernel
def settle(points, work, rotates, moves, output_moves, genome, changed, old, count, accepted):
    """Accept the offspring, or go back to its parent."""
    for m in range(moves):
        settle_neuron(points, work, rotates, work.neuron[MOVER, m], accepted)
    if output_moves:
        settle_neuron(points, work, rotates, points.neurons, accepted)
        round_neuron(points, work, rotates, points.neurons)
        source, target = (1, 0) if accepted else (0, 1)
        for pattern in range(work.table.shape[1]):
            work.table[target, pattern] = work.table[source, pattern]
    if accepted and moves > 0:
        work.neuron[ROW, points.neurons] = 1 - work.neuron[ROW, points.neurons]
    source, target = (1, 0) if accepted else (0, 1)
    for t in range(count):
        c = changed[t]
        for s in range(2):
            work.angle[target, s, c] = work.angle[source, s, c]
        if not accepted:
            genome[c] = old[t]


def write_genome(fitness, work, mutation, genome):
    """Write the angles of the neurons that have been turned in planes."""
    points = fitness
    for i in range(points.neurons + 1):
        first = i * points.width
        if (
            first < genome.size
            and work.neuron[UNWRITTEN, i] == 1
            and mutation.move.pairs[first] > 0
        ):
            size = points.neurons if i == points.neurons else points.dim
            write_angles(work.weight[0, i], size, points.resolution, genome, first)
        work.neuron[UNWRITTEN, i] = 0
