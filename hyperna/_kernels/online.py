"""Online fitness: in every step parent and offspring are judged on a few fresh points.

The score that the loop sees is the true one, of a fitness beside it; which offspring is kept is
decided by the fresh points alone.
"""

import math
from typing import NamedTuple

import numpy as np

from hyperna._kernels.geometry import EVOLVED, answer, neuron_weights
from hyperna._kernels.jit import inner_kernel
from hyperna._kernels.order import accepts
from hyperna._kernels.protocol import implement, optimal, prepare
from hyperna._kernels.random import normal, uniform
from hyperna._kernels.state import CHANGED, GENOME, OLD
from hyperna._kernels.steps import TOTAL, take_step


class Online(NamedTuple):
    """The true fitness, and where `samples` points a step come from.

    They are uniform on the sphere, with labels that change at the azimuths `ends` (`positive`: the
    label before the first and after each), or rows of `points`, each of which ends with its label,
    drawn in proportion to the differences of `share`. If `again`, the parent is judged on the same
    points as its offspring; else it keeps the hits by which it was accepted. `modulus` are
    the numbers of values of a neuron's components, the last of which is a bend if they are `bent`.
    """

    true: NamedTuple
    samples: int
    again: bool
    dim: int
    resolution: int
    neurons: int
    join: int
    modulus: np.ndarray
    bent: bool
    ends: np.ndarray
    positive: np.ndarray
    points: np.ndarray
    share: np.ndarray


class OnlineWork(NamedTuple):
    """Work of the true fitness, a point, and the two networks: parent (0) and offspring (1).

    A neuron is its normal, its bias and the cosine of its bend. `kept` holds the number of hits by
    which the parent was accepted, -1 for one that has not been judged yet.
    """

    true: NamedTuple
    point: np.ndarray
    neuron: np.ndarray
    output: np.ndarray
    kept: np.ndarray


def make_workspace(true_work, fitness):
    """Return the working arrays."""
    neurons = fitness.neurons
    return OnlineWork(
        true_work,
        np.zeros(fitness.dim + 1),
        np.zeros((2, neurons, fitness.dim + 2)),
        np.zeros((2, neurons + 1)),
        np.zeros(1, np.int64),
    )


@inner_kernel
def read_network(online, genome, neuron, output):
    """Compute all weights of a network."""
    dim = online.dim
    r = online.resolution
    width = online.modulus.size
    for i in range(online.neurons):
        row = neuron[i]
        first = i * width
        row[dim] = neuron_weights(genome, dim, r, first, row)
        row[dim + 1] = 0.0
        if online.bent:
            bend = np.float64(genome[first + width - 1])
            row[dim + 1] = math.sin(0.5 * math.pi - math.pi * (bend / np.float64(r)))
    if online.join == EVOLVED:
        output[online.neurons] = neuron_weights(
            genome, online.neurons, r, online.neurons * width, output
        )


@inner_kernel
def draw_point(online, point, stream):
    """Draw a point; its label is the last entry. Returns the square of its length."""
    dim = online.dim
    square = 0.0
    if online.points.shape[0] > 0:
        chance = uniform(stream)
        low = 0
        high = online.points.shape[0] - 1
        while low < high:
            middle = (low + high) // 2
            if online.share[middle] > chance:
                high = middle
            else:
                low = middle + 1
        for j in range(dim + 1):
            point[j] = online.points[low, j]
        for j in range(dim):
            square += point[j] * point[j]
        return square
    while square == 0.0:
        for j in range(dim):
            point[j] = normal(stream)
            square += point[j] * point[j]
    inverse = 1.0 / math.sqrt(square)
    for j in range(dim):
        point[j] *= inverse
    psi = math.atan2(point[dim - 1], point[dim - 2])
    passed = 0
    if psi < 0.0:
        psi += 2.0 * math.pi
    while passed < online.ends.size and online.ends[passed] <= psi:
        passed += 1
    point[dim] = 1.0 if online.positive[passed] else 0.0
    return 1.0


@inner_kernel
def right_at(online, neuron, output, point, square):
    """1 if a network is right at a point, else 0."""
    dim = online.dim
    neurons = online.neurons
    join = online.join
    firing, total = 0, 0.0
    for i in range(neurons):
        row = neuron[i]
        dot = point[0] * row[0]
        for j in range(1, dim):
            dot += point[j] * row[j]
        bias = row[dim]
        reach = 0.0
        if row[dim + 1] != 0.0:
            reach = row[dim + 1] * math.sqrt(max(square - 2.0 * bias * dot + bias * bias, 0.0))
        if dot - bias >= reach:
            firing += 1
            total += output[i]
    fires = answer(join, neurons, firing, total, output[neurons])
    return 1 if fires == (point[dim] > 0.0) else 0


@inner_kernel
def hits(online, work, stream, both):
    """Draw fresh points; return on how many the parent (if `both`) and the offspring are right."""
    point = work.point
    parent = 0
    offspring = 0
    for _ in range(online.samples):
        square = draw_point(online, point, stream)
        offspring += right_at(online, work.neuron[1], work.output[1], point, square)
        if both:
            parent += right_at(online, work.neuron[0], work.output[0], point, square)
    return parent, offspring


def _workspace(fitness):
    return make_workspace(fitness.true.workspace(), fitness)


def _prepare(fitness, work, genome):
    read_network(fitness, genome, work.neuron[0], work.output[0])
    work.kept[0] = -1
    return prepare(fitness.true, work.true, genome)


def _first_accepted(fitness, work, mutation, steps, genes, first, last, score):
    genome = genes[GENOME]
    changed = genes[CHANGED]
    old = genes[OLD]
    if work.kept[0] < 0 and not fitness.again:
        read_network(fitness, genome, work.neuron[1], work.output[1])
        _, work.kept[0] = hits(fitness, work, steps.stream, False)
    for step in range(first, last):
        if not fitness.again:
            # offspring of void steps are copies that may be luckier on their points
            total = steps.step[TOTAL]
            for _ in range(total[step] - (total[step - 1] if step > 0 else 0) - 1):
                read_network(fitness, genome, work.neuron[1], work.output[1])
                _, own = hits(fitness, work, steps.stream, False)
                work.kept[0] = max(work.kept[0], own)
        count = take_step(mutation, steps, step, genome, changed, old)
        read_network(fitness, genome, work.neuron[1], work.output[1])
        parent, offspring = hits(fitness, work, steps.stream, fitness.again)
        if not fitness.again:
            parent = work.kept[0]
        if accepts(offspring, parent):
            read_network(fitness, genome, work.neuron[0], work.output[0])
            work.kept[0] = offspring
            return step, prepare(fitness.true, work.true, genome)
        for t in range(count):
            genome[changed[t]] = old[t]
    return last, score


def _optimal(fitness, work, genome, optima, tolerance):
    return optimal(fitness.true, work.true, genome, optima, tolerance)


implement(
    Online, workspace=_workspace, prepare=_prepare, first_accepted=_first_accepted, optimal=_optimal
)
