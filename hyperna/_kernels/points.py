"""Fitness on a finite set of weighted points in any dimension.

The score is the weight of the correctly classified points, an integer, and a pure function of the
genome: a neuron fires iff its dot product, accumulated in index order, reaches its bias, exactly as
in `geometry.predict`. Dot products are kept from offspring to offspring: a neuron that turns in the
plane of two coordinates changes them by two products for each point, one whose angle changes by a
product for each weight that changes. Where a kept dot product is closer to the bias than rounding
errors allow, the one in index order decides.

Points are judged in blocks, as many as it takes to know that an offspring is worse than its parent.
Now and then they are put in order, the wrongly classified ones first, then those close to the
border, so that few blocks are enough.

Where directions turn in planes, that of an evolved output neuron too, a run keeps the weights
themselves. Its score is that of the genome that they are rounded to: the output neuron always votes
with its rounded weights, a hidden neuron with them on points close to its hyperplane. The angles
are written to the genome when `advance` returns (`write_genome`). So that rounding errors do not
grow, a neuron is given its rounded weights, and new dot products, after MOST_REDIRECTIONS accepted
changes of its direction; moves of its bias alone do not count.
"""

import numpy as np

from hyperna._kernels import point_data as at
from hyperna._kernels.geometry import EVOLVED, answer, cos_sin_turn, neuron_weights, write_angles
from hyperna._kernels.jit import inline_kernel, inner_kernel
from hyperna._kernels.mirrors import near_targets, output_agrees
from hyperna._kernels.order import accepts, larger, smaller
from hyperna._kernels.point_data import (
    BLOCK,
    MOST_REDIRECTIONS,
    TABLE_NEURONS,
    Points,
    new_work,
)
from hyperna._kernels.point_order import canonical_dot, put_in_order, read_hidden, round_neuron
from hyperna._kernels.protocol import implement
from hyperna._kernels.rotations import turn_in_plane
from hyperna._kernels.state import CHANGED, GENOME, OLD
from hyperna._kernels.steps import FIRST_MOVE, list_parts

# Changes of weights below this are lost in rounding errors.
NEGLIGIBLE = 2.0**-64


# ---- the network and its offspring


@inner_kernel
def tabulate(points, net, sums, table):
    """Work out what the offspring's output makes of the votes: -1 where it fires, else 0."""
    join = points.join
    neurons = points.neurons
    highest = np.int64(0)
    output = net.rounded[neurons]
    bias = net.neuron[neurons].next_bias
    for votes in range(table.size):
        if join == EVOLVED:
            # the sum over all neurons in the pattern but the last, to which that is added
            if votes == 2 << highest:
                highest += 1
            sums[votes] = sums[votes - (1 << highest)] + output[highest] if votes > 0 else 0.0
        table[votes] = -1 if answer(join, neurons, votes, sums[votes], bias) else 0
    if join == EVOLVED and neurons > TABLE_NEURONS:
        # the only vote is that of the output
        table[0], table[1] = 0, -1


@inner_kernel
def turn_by_angles(net, i, size, first):
    """Make the weights of a neuron from its angles and list those that change."""
    one = net.neuron[i]
    weight = net.weight[1, i]
    before = net.weight[0, i]
    product = 1.0
    for j in range(size):
        if j < size - 1:
            weight[j] = product * net.component[first + j].next_cosine
            product *= net.component[first + j].next_sine
        elif size > 1:
            weight[j] = product
        if j >= one.lowest and abs(weight[j] - before[j]) > NEGLIGIBLE:
            term = net.term[i, one.terms]
            term.coordinate, term.change = j, weight[j] - before[j]
            one.terms += 1


@inline_kernel
def make_offspring(points, work, mutation, steps, step, genome, changed, old):
    """Take a step; of a direction that turns in a plane the genome says nothing yet.

    Returns the number of components that change.
    """
    move = mutation.move
    neurons = points.neurons
    r = points.resolution
    net = work.net
    count = list_parts(mutation, steps, step, changed)
    place = steps.step[FIRST_MOVE, step]
    moves = 0
    for t in range(count):
        c = changed[t]
        part = net.component[c]
        length = steps.move[place + t] * move.unit
        i = part.neuron
        one = net.neuron[part.neuron]
        size = neurons if i == neurons else points.dim
        if one.terms == at.STAYS:
            one.terms = 0
            one.lowest = size
            if i < neurons:
                net.neuron[moves].mover = i
                moves += 1
        old[t] = genome[c]
        if move.pairs[c] > 0:
            x = net.term[i, one.terms]
            y = net.term[i, one.terms + 1]
            x.coordinate, y.coordinate, x.change, y.change = turn_in_plane(
                net.weight[1, i], size, steps.plane[place + t], length, r
            )
            one.terms += 2
            one.turned = 1
            one.rounded = 0
        else:
            genome[c] = smaller((genome[c] + length) % (mutation.modulus[c] * move.unit), r)
            is_bias = c == (genome.size if i == neurons else (i + 1) * points.width) - 1
            if is_bias:
                one.next_bias = (2.0 * genome[c] - r) / r
            else:
                one.lowest = smaller(one.lowest, c - i * points.width)
                one.rounded = 0
                part.next_cosine, part.next_sine = cos_sin_turn(genome[c], r)
                if size == 1:
                    net.weight[1, i, 0] = 1.0 - 2.0 * genome[c]
    # the output neuron comes last, whether it moves or not
    net.neuron[moves].mover = neurons
    work.tally.moves = moves
    for m in range(moves + 1):
        i = net.neuron[m].mover
        one = net.neuron[i]
        size = neurons if i == neurons else points.dim
        unlisted = one.terms == 0 and one.lowest < size  # angles change, no weight is listed yet
        if unlisted:
            turn_by_angles(net, i, size, i * points.width)
        # changes are added two or four at a time
        if one.terms != at.STAYS:
            for t in range(one.terms, one.terms + 4):
                net.term[i, t].coordinate = 0
                net.term[i, t].change = 0.0
    return count


@inline_kernel
def settle(points, work, accepted, genome, changed, old, count):
    """Make the offspring the parent, or the other way round."""
    net = work.net
    neurons = points.neurons
    source, target = (1, 0) if accepted else (0, 1)
    if net.neuron[neurons].terms != at.STAYS:
        for votes in range(work.table.shape[1]):
            work.table[target, votes] = work.table[source, votes]
    for m in range(work.tally.moves + 1):
        i = net.neuron[m].mover
        one = net.neuron[i]
        size = neurons if i == neurons else points.dim
        unlisted = one.terms == 0 and one.lowest < size  # angles change, all weights by too little
        redirected = one.terms > 0 or unlisted
        if accepted and one.terms != at.STAYS:
            one.bias = one.next_bias
            one.row = 1 - one.row
        one.terms = at.STAYS
        one.next_bias = one.bias
        if not redirected:
            continue
        if accepted:
            one.age = one.age + 1
            one.unwritten = 1
        else:
            one.rounded = 0
        for j in range(size):
            net.weight[target, i, j] = net.weight[source, i, j]
        if one.age == MOST_REDIRECTIONS or i == neurons:
            round_neuron(points, net, i)
        if one.age == MOST_REDIRECTIONS:
            one.age = 0
            for j in range(size):
                net.weight[0, i, j], net.weight[1, i, j] = net.rounded[i, j], net.rounded[i, j]
            if i < neurons:
                make_dots(work.columns, net.rounded[i], work.dots[one.row, i])
    work.tally.row ^= target ^ 1
    for t in range(count):
        part = net.component[changed[t]]
        if accepted:
            part.cosine, part.sine = part.next_cosine, part.next_sine
        else:
            part.next_cosine, part.next_sine = part.cosine, part.sine
            genome[changed[t]] = old[t]


def _write_genome(fitness, work, mutation, genome):
    """Write the angles of the neurons that have been turned in planes."""
    points = fitness.shape
    net = work.net
    for i in range(points.neurons + 1):
        one = net.neuron[i]
        size = points.neurons if i == points.neurons else points.dim
        if one.unwritten == 1 and one.turned == 1:
            write_angles(net.weight[0, i], size, points.resolution, genome, i * points.width)
        one.unwritten = 0


# ---- the offspring on the points


@inner_kernel
def make_dots(columns, weight, dots):
    """Make the dot products of a neuron with all points in index order, column by column."""
    for p in range(dots.size):
        dots[p] = 0.0
    for j in range(columns.shape[0]):
        column = columns[j]
        w = weight[j]
        for p in range(dots.size):
            dots[p] += column[p] * w


@inline_kernel
def vote_of(points, i):
    """What neuron i adds to a point's votes if it fires on it."""
    if points.join != EVOLVED:
        return np.int64(1)
    return np.int64(1) << i if points.neurons <= TABLE_NEURONS else np.int64(0)


@inner_kernel
def decide_near(points, net, columns, i, dots, bias, guard, votes, begin):
    """Let the dot products in index order decide about points close to the hyperplane of i."""
    round_neuron(points, net, i)
    vote = vote_of(points, i)
    weight = net.rounded[i]
    for p in range(dots.size):
        if not abs(dots[p] - bias) > guard:
            before = np.int64(dots[p] >= bias)
            dots[p] = canonical_dot(columns, begin + p, weight)
            votes[p] += vote * (np.int64(dots[p] >= bias) - before)


@inner_kernel
def vote_by_sums(net, dots, hidden, votes, begin):
    """Let the output neuron vote, where there are too many hidden neurons for a table."""
    output = net.rounded[hidden.size]
    bias = net.neuron[hidden.size].next_bias
    for p in range(votes.size):
        read_hidden(net, dots, hidden, begin + p)
        total = 0.0
        for i in range(hidden.size):
            total += output[i] if hidden[i] >= 0.0 else 0.0
        votes[p] = 1 if total >= bias else 0


@inline_kernel
def offspring_gain(points, work, least):
    """Gain of the offspring; if that is below `least`, a number below `least` that is not less.

    Comparisons are made masks, of which all bits are set where they hold: ``x & mask`` is x or 0.
    """
    net = work.net
    columns = work.columns
    tally = work.tally
    gain = work.tally.ceiling
    output_moves = net.neuron[points.neurons].terms != at.STAYS
    table = work.table[1 if output_moves else 0]
    for k in range(work.guard.size):
        if gain < least:
            break
        begin, end = k * BLOCK, smaller(k * BLOCK + BLOCK, columns.shape[1])
        before = work.whole[at.VOTES + tally.row, begin:end]
        votes = work.whole[at.VOTES + 1 - tally.row, begin:end]
        for p in range(votes.size):
            votes[p] = before[p]
        changed = np.int64(output_moves)
        for m in range(tally.moves):
            i = net.neuron[m].mover
            one = net.neuron[i]
            term = net.term[i]
            near = np.int64(0)
            flips = np.int64(0)
            bias = one.bias
            next_bias = one.next_bias
            guard = work.guard[k]
            old, new = work.dots[one.row, i, begin:end], work.dots[1 - one.row, i, begin:end]
            # the dot products, by the changes a, b, ... of the weights of the columns x, y, ...
            a, b = term[0].change, term[1].change
            x = columns[term[0].coordinate, begin:end]
            y = columns[term[1].coordinate, begin:end]
            for p in range(new.size):
                new[p] = old[p] + a * x[p] + b * y[p]
            for t in range(2, one.terms, 4):
                a, b = term[t].change, term[t + 1].change
                c, d = term[t + 2].change, term[t + 3].change
                x = columns[term[t].coordinate, begin:end]
                y = columns[term[t + 1].coordinate, begin:end]
                u = columns[term[t + 2].coordinate, begin:end]
                v = columns[term[t + 3].coordinate, begin:end]
                for p in range(new.size):
                    new[p] += (a * x[p] + b * y[p]) + (c * u[p] + d * v[p])
            for p in range(new.size):
                flips += np.int64(new[p] >= next_bias) ^ np.int64(old[p] >= bias)
                near += 0 if abs(new[p] - next_bias) > guard else 1
            if flips > 0:
                vote = vote_of(points, i)
                for p in range(new.size):
                    votes[p] += vote & -np.int64(new[p] >= next_bias)
                    votes[p] -= vote & -np.int64(old[p] >= bias)
            if near > 0:
                decide_near(points, net, columns, i, new, next_bias, guard, votes, begin)
            changed += flips + near
        if points.join == EVOLVED and points.neurons > TABLE_NEURONS:
            vote_by_sums(net, work.dots, work.hidden, votes, begin)
        found = work.found[tally.row, k]
        if changed > 0:
            weights = work.whole[at.GAIN, begin:end]
            found = np.int64(0)
            for p in range(weights.size):
                found += weights[p] & table[np.uint64(votes[p])]
        work.found[1 - tally.row, k] = found
        gain += found - work.ceiling[k]
    return gain


# ---- from nothing


@inner_kernel
def begin_again(points, work):
    """Make all that is known about the network on the points; return its gain."""
    net = work.net
    weights = work.whole[at.GAIN]
    gain = np.int64(0)
    work.tally.row = 0
    work.tally.ceiling = 0
    for i in range(points.neurons):
        net.neuron[i].row = 0
        make_dots(work.columns, net.weight[0, i], work.dots[0, i])
    for k in range(work.guard.size):
        begin, end = k * BLOCK, smaller(k * BLOCK + BLOCK, weights.size)
        votes = work.whole[at.VOTES, begin:end]
        norm = 0.0
        ceiling = np.int64(0)
        for p in range(begin, end):
            work.whole[at.VOTES, p] = 0
            ceiling += larger(weights[p], 0)
            norm = larger(norm, work.real[at.NORM, p])
        work.guard[k] = points.errors * (norm + 1.0)
        work.ceiling[k] = ceiling
        work.tally.ceiling += ceiling
        for i in range(points.neurons):
            dots = work.dots[0, i, begin:end]
            bias = net.neuron[i].bias
            vote = vote_of(points, i)
            for p in range(dots.size):
                votes[p] += vote if dots[p] >= bias else 0
            decide_near(points, net, work.columns, i, dots, bias, work.guard[k], votes, begin)
        if points.join == EVOLVED and points.neurons > TABLE_NEURONS:
            vote_by_sums(net, work.dots, work.hidden, votes, begin)
        work.found[0, k] = 0
        for p in range(begin, end):
            work.found[0, k] += weights[p] & work.table[0, votes[p - begin]]
        gain += work.found[0, k]
    return gain


def _prepare(fitness, work, genome):
    points = fitness.shape
    net = work.net
    neurons = points.neurons
    r = points.resolution
    for i in range(neurons + 1 if genome.size > neurons * points.width else neurons):
        one = net.neuron[i]
        weight = net.weight[0, i]
        first = i * points.width
        size = neurons if i == neurons else points.dim
        one.age = 0
        one.rounded = 0
        one.turned = 0
        one.unwritten = 0
        one.bias = neuron_weights(genome, size, r, first, weight)
        one.terms = at.STAYS
        one.next_bias = one.bias
        for j in range(size):
            net.weight[1, i, j] = weight[j]
        for c in range(first, first + size - 1):
            part = net.component[c]
            part.cosine, part.sine = cos_sin_turn(genome[c], r)
            part.next_cosine, part.next_sine = part.cosine, part.sine
        round_neuron(points, net, i)
    work.tally.countdown, work.tally.interval = at.FIRST_ORDER, at.FIRST_ORDER
    tabulate(points, net, work.sums, work.table[0])
    return points.silent + begin_again(points, work)


def _first_accepted(fitness, work, mutation, steps, genes, first, last, score):
    points = fitness.shape
    genome = genes[GENOME]
    changed = genes[CHANGED]
    old = genes[OLD]
    tally = work.tally
    output = work.net.neuron[points.neurons]
    least = score - points.silent
    if tally.countdown < 0:
        tally.interval = smaller(2 * tally.interval, at.LAST_ORDER)
        tally.countdown = tally.interval
        put_in_order(points, work)
        begin_again(points, work)
    for step in range(first, last):
        tally.countdown -= 1
        count = make_offspring(points, work, mutation, steps, step, genome, changed, old)
        if output.terms != at.STAYS:
            round_neuron(points, work.net, points.neurons)
            tabulate(points, work.net, work.sums, work.table[1])
        gain = offspring_gain(points, work, least)
        accepted = accepts(gain, least)
        settle(points, work, accepted, genome, changed, old, count)
        if accepted:
            return step, points.silent + gain
    return last, score


def _optimal(fitness, work, genome, optima, tolerance):
    points = fitness.shape
    net = work.net
    evolved = fitness.shape.join == EVOLVED
    directions = larger(points.dim - 1, 1)
    modulus = fitness.modulus
    r = points.resolution
    for alternative in range(optima.shape[0]):
        targets = optima[alternative]
        near = near_targets(genome, modulus, directions, targets, tolerance, evolved, work.near)
        if near and (not evolved or output_agrees(net.weight[0], net.neuron.bias, r, targets)):
            return True
    return False


implement(Points, workspace=new_work, prepare=_prepare, first_accepted=_first_accepted)
implement(Points, optimal=_optimal, write_genome=_write_genome)
