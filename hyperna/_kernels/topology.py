"""Networks whose number of neurons evolves with them.

A genome has room for the largest network. The neurons in use come first, then an evolved output
neuron, and the last entry is their number. An offspring is a mutant of its parent as in the (1+1)
NA, or its parent with one neuron more or fewer. A network with more neurons must be better than its
parent, one with fewer must not be worse: of networks of equal fitness the smaller is preferred.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from hyperna._kernels.geometry import neuron_weights, write_angles
from hyperna._kernels.jit import inline_kernel, inner_kernel
from hyperna._kernels.mutation import Mutation
from hyperna._kernels.protocol import (
    complete_steps,
    draw_lengths,
    draw_planes,
    first_accepted,
    implement,
    prepare,
    resized,
    update_law,
)
from hyperna._kernels.random import below, geometric, uniform
from hyperna._kernels.start import draw_direction
from hyperna._kernels.state import (
    ACCEPTED,
    CHANGED,
    EVALUATIONS,
    EXPIRED,
    GENOME,
    HORIZON,
    IMPROVED,
    OLD,
    PAUSED,
    RESTARTS,
    SCORE,
    SIMULATED,
)
from hyperna._kernels.steps import CHOICE, FIRST_MOVE, REPLACED, drop_void_steps, take_step

# What may happen to the neurons: a random one is added, one is left out, one is doubled.
ADD, DROP, DOUBLE = range(3)


class Topology(NamedTuple):
    """Networks of 1 to `most` neurons, and how often their number changes.

    With probability `rate` an offspring has one neuron more or fewer; else each component mutates
    or, with `one`, exactly one of them. Row n of the arrays is for networks of n neurons: `part`
    lists the `mutable` components, `stay_log` is the logarithm of the probability that
    one of them does not, and `modulus` and `pairs` are as in `Mutation` and `RotationMove`. Neurons
    have `width` components. An output neuron (`output`) over the first neuron alone has the weight
    1 and the bias `threshold`.
    """

    most: int
    rate: float
    one: bool
    width: int
    output: bool
    threshold: float
    mutable: np.ndarray
    stay_log: np.ndarray
    part: np.ndarray
    modulus: np.ndarray
    pairs: np.ndarray
    best_at_once: bool = False


class Spare(NamedTuple):
    """A network with one neuron more or fewer, and what its evaluation needs."""

    genome: np.ndarray
    weight: np.ndarray
    work: Any


def new_spare(fitness: Any, mutation: Any) -> Spare:
    """Room for another network."""
    size = mutation.modulus.size
    return Spare(np.zeros(size, np.int64), np.zeros(size), fitness.workspace())


@inline_kernel
def mutation_of(mutation, topology, neurons):
    """The mutation of networks of this size."""
    return Mutation(
        law=mutation.law,
        move=resized(mutation.move, topology, neurons),
        probability=mutation.probability,
        redraw=mutation.redraw,
        void_log=mutation.void_log,
        choice_bits=mutation.choice_bits,
        table_bits=mutation.table_bits,
        length_bits=mutation.length_bits,
        replacing=mutation.replacing,
        neuron_width=mutation.neuron_width,
        table=mutation.table,
        component=mutation.component,
        modulus=topology.modulus[neurons],
    )


@inline_kernel
def draw_moves(mutation, run, count):
    """Draw by how much the first `count` components in `steps.part` move, as step 0."""
    steps = run.steps
    changed = run.genes[CHANGED]
    steps.step[CHOICE, 0] = count
    steps.step[FIRST_MOVE, 0] = 0
    steps.step[REPLACED, 0] = 0
    draw_lengths(mutation.law, mutation, run.stream, steps, 1, count, changed)
    draw_planes(mutation.move, mutation, run.stream, steps, 1, changed)


@inner_kernel
def draw_step(topology, mutation, run, neurons):
    """Draw a mutation of the components, as step 0; return whether it changes anything."""
    part = run.steps.part
    stream = run.stream
    available = topology.mutable[neurons]
    count = np.int64(0)
    if topology.one:
        part[0] = topology.part[neurons, below(stream, available)]
        count += 1
    else:
        stay_log = topology.stay_log[neurons]
        place = geometric(stream, stay_log)
        while place < available:
            part[count] = topology.part[neurons, place]
            count += 1
            place += 1 + geometric(stream, stay_log)
    if count == 0:
        return False
    draw_moves(mutation, run, count)
    return not mutation.redraw or drop_void_steps(mutation, run.steps, 1, run.genes[CHANGED]) == 1


@inner_kernel
def draw_neuron(topology, limits, run, genome, neuron):
    """Draw a neuron as one of a first network is drawn."""
    first = neuron * topology.width
    for c in range(topology.width):
        genome[first + c] = limits.fixed_value
    for t in range(topology.mutable[1]):
        c = topology.part[1, t]
        genome[first + c] = below(run.stream, topology.modulus[1, c]) * limits.start_unit
    if limits.sphere:
        direction = run.direction
        r = limits.resolution
        draw_direction(run.stream, limits.dim, r, direction, genome, first)


@inner_kernel
def write_output(topology, resolution, genome, neurons, weight, bias):
    """Write an output neuron whose weights and bias may be of any length, rounded to the grid."""
    if not topology.output or neurons == 1:
        return
    first = neurons * topology.width
    square = 0.0
    for i in range(neurons):
        square += weight[i] * weight[i]
    write_angles(weight, neurons, resolution, genome, first)
    bias = min(max(bias / math.sqrt(max(square, 1e-300)), -1.0), 1.0)
    genome[first + neurons - 1] = np.int64(np.rint(0.5 * (bias + 1.0) * resolution))


@inner_kernel
def resize(topology, limits, mutation, run, spare):
    """Write a network with one neuron more or fewer.

    Returns its size, 0 if there is none, and the neuron that was left out, doubled or added.

    An output neuron keeps its weights in proportion to its bias. That of a new neuron is uniform on
    [-1, 1], and a neuron that is doubled shares its weight with its copy, of which one random
    component then moves by a step of the law.
    """
    genome = run.genes[GENOME]
    child = spare.genome
    weight = spare.weight
    stream = run.stream
    width = topology.width
    most = topology.most
    resolution = limits.resolution
    neurons = genome[genome.size - 1]
    change = below(stream, 3)
    if neurons == (1 if change == DROP else most):
        return np.int64(0), np.int64(0)
    chosen = below(stream, neurons) if change != ADD else neurons
    weight[0] = 1.0
    bias = topology.threshold
    if topology.output and neurons > 1:
        bias = neuron_weights(genome, neurons, resolution, neurons * width, weight)
    for c in range(neurons * width):
        child[c] = genome[c]
    after = neurons + 1
    if change == DROP:
        after = neurons - 1
        for c in range(chosen * width, after * width):
            child[c] = genome[c + width]
        for i in range(chosen, after):
            weight[i] = weight[i + 1]
    elif change == ADD:
        draw_neuron(topology, limits, run, child, neurons)
        weight[neurons] = 2.0 * uniform(stream) - 1.0
    else:
        # the copy's component moves as the original's would
        c = topology.part[1, below(stream, topology.mutable[1])]
        run.steps.part[0] = chosen * width + c
        sized = mutation_of(mutation, topology, neurons)
        draw_moves(sized, run, np.int64(1))
        complete_steps(mutation.law, sized, run.steps, 0, 1, run.genes[CHANGED])
        # taken back (-1), so that the original keeps its step length
        update_law(mutation.law, sized, run.steps, -1, 1, run.genes[CHANGED], False)
        run.steps.part[0] = neurons * width + c
        for c in range(width):
            child[neurons * width + c] = genome[chosen * width + c]
        sized = mutation_of(mutation, topology, after)
        take_step(sized, run.steps, 0, child, run.genes[CHANGED], run.genes[OLD])
        weight[chosen] *= 0.5
        weight[neurons] = weight[chosen]
    write_output(topology, resolution, child, after, weight, bias)
    child[child.size - 1] = after
    return after, chosen


@inline_kernel
def keep_velocities(topology, velocity, before, after, chosen):
    """Give every neuron its own step lengths again; those of a copy are the original's."""
    width = topology.width
    if after < before:
        for c in range(chosen * width, after * width):
            velocity[c] = velocity[c + width]
    else:
        for c in range(width):
            own = velocity[chosen * width + c] if chosen < before else 1.0
            velocity[before * width + c] = own
    for c in range(after * width, velocity.size):
        velocity[c] = 1.0


def _begin(topology, fitness, work, mutation, limits, run, spare):
    """First evaluation of a start: one random neuron, or the network given."""
    genome = run.genes[GENOME]
    counter = run.counter
    if limits.start.size > 0 and counter[RESTARTS] == 0:
        for c in range(genome.size):
            genome[c] = limits.start[c]
    else:
        draw_neuron(topology, limits, run, genome, np.int64(0))
        genome[genome.size - 1] = 1
    for c in range(run.steps.velocity.size):
        run.steps.velocity[c] = 1.0
    counter[EVALUATIONS] += 1
    sized = resized(fitness, topology, genome[genome.size - 1])
    counter[SCORE] = prepare(sized, work, genome)
    return IMPROVED


@inner_kernel
def simulate(fitness, work, mutation, topology, limits, run, spare, reported_score, quota):
    """Simulate until something happens that is more than a step; an improvement always is."""
    counter = run.counter
    genome = run.genes[GENOME]
    steps = run.steps
    place = genome.size - 1
    event = PAUSED
    done = 0
    while done < quota and event == PAUSED:
        if counter[EVALUATIONS] >= counter[HORIZON]:
            event = EXPIRED
            break
        done += 1
        parent = counter[SCORE]
        neurons = genome[place]
        found = parent
        accepted = False
        if uniform(run.stream) < topology.rate:
            after, chosen = resize(topology, limits, mutation, run, spare)
            if after == 0 and mutation.redraw:
                continue
            if after > 0:
                sized = resized(fitness, topology, after)
                found = prepare(sized, spare.work, spare.genome)
                accepted = found > parent or (found == parent and after < neurons)
                if accepted:
                    keep_velocities(topology, steps.velocity, neurons, after, chosen)
                    for c in range(genome.size):
                        genome[c] = spare.genome[c]
                    prepare(sized, work, genome)
        else:
            sized_mutation = mutation_of(mutation, topology, neurons)
            changes = draw_step(topology, sized_mutation, run, neurons)
            if not changes and mutation.redraw:
                continue
            if changes:
                complete_steps(mutation.law, sized_mutation, steps, 0, 1, run.genes[CHANGED])
                step, found = first_accepted(
                    resized(fitness, topology, neurons),
                    work,
                    sized_mutation,
                    steps,
                    run.genes,
                    0,
                    1,
                    parent,
                )
                accepted = step == 0
                update_law(
                    mutation.law, sized_mutation, steps, step, 1, run.genes[CHANGED], found > parent
                )
        counter[EVALUATIONS] += 1
        if accepted:
            counter[SCORE] = found
            if found > parent or found >= reported_score:
                event = IMPROVED if found > parent else ACCEPTED
    counter[SIMULATED] += done
    return event


def _advance(
    topology,
    fitness,
    work,
    mutation,
    limits,
    run,
    spare,
    report_improvements,
    reported_score,
    quota,
):
    # called, and in this order: merged into the loop a step on the circle would take a fifth longer
    return simulate(fitness, work, mutation, topology, limits, run, spare, reported_score, quota)


implement(Topology, begin=_begin, advance=_advance)
