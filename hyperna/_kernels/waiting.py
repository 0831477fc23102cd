"""Waiting times of local mutation, drawn instead of simulated.

The chance of an acceptable step is the same until one happens, so the number of steps before it is
geometric, and each acceptable neighbour is reached in proportion to its own chance.
"""

import math

import numpy as np

from hyperna._kernels.jit import inner_kernel
from hyperna._kernels.order import smaller
from hyperna._kernels.protocol import look, prepare
from hyperna._kernels.random import geometric, uniform
from hyperna._kernels.state import (
    ACCEPTED,
    EVALUATIONS,
    EXPIRED,
    GENOME,
    HORIZON,
    IMPROVED,
    PAUSED,
    SCORE,
    SECOND,
    STOP,
    STUCK,
    STUCK_AT,
)
from hyperna._kernels.steps import CHOICE, FIRST, MOST_STEPS


@inner_kernel
def write_neighbours(steps, size, begin, end):
    """Write the steps to neighbours begin..end-1.

    The ternary digits of a neighbour's number say for each component: as it is, plus one, minus
    one.
    """
    for j in range(end - begin):
        number, place = begin + j, j * size
        steps.step[FIRST, j] = place
        steps.step[CHOICE, j] = 0
        for t in range(size):
            digit = number % 3
            number //= 3
            if digit > 0:
                steps.step[CHOICE, j] |= 1 << t
                steps.move[place] = 1 if digit == 1 else -1
                place += 1


@inner_kernel
def acceptable_mass(fitness, work, mutation, run, waiting, threshold):
    """Probability that one step leads to an acceptable neighbour.

    The search stops at the neighbour whose chance lifts the sum above `threshold`, which is then
    the parent. Returns the sum and that neighbour's score and second value.
    """
    genome, steps, size = run.genes[GENOME], waiting.steps, mutation.component.size
    parent, second = run.counter[SCORE], run.real[SECOND, 0]
    for c in range(genome.size):
        waiting.genome[c] = genome[c]
    mass, neighbours = 0.0, 3**size
    for begin in range(1, neighbours, MOST_STEPS):
        end = smaller(begin + MOST_STEPS, neighbours)
        write_neighbours(steps, size, begin, end)
        step = np.int64(0)
        while step < end - begin:
            step, score, tie = look(
                fitness, work, mutation, steps, run.genes, step, end - begin, parent, second
            )
            if step < end - begin:
                count, pattern = 0, steps.step[CHOICE, step]
                for t in range(size):
                    count += (pattern >> t) & 1
                still = (1.0 - mutation.probability) ** (size - count)
                mass += (0.5 * mutation.probability) ** count * still
                if mass > threshold:
                    return mass, score, tie
                for c in range(genome.size):
                    genome[c] = waiting.genome[c]
                prepare(fitness, work, genome)
            step += 1
    return mass, parent, second


@inner_kernel
def skip_wait(fitness, work, mutation, run, waiting):
    """Go to the next accepted step; with no chance of one the run is stuck.

    Returns what has happened, as `walk` does.
    """
    counter = run.counter
    mass, score, second = acceptable_mass(fitness, work, mutation, run, waiting, 2.0)
    if mass == 0.0:
        counter[STUCK_AT] = counter[EVALUATIONS]
        counter[STOP] = STUCK
        return PAUSED
    chance = mass
    if mutation.redraw:
        chance /= 1.0 - (1.0 - mutation.probability) ** mutation.component.size
    if chance < 1.0:
        counter[EVALUATIONS] += geometric(run.stream, math.log1p(-chance))
    if counter[EVALUATIONS] >= counter[HORIZON]:
        return EXPIRED
    counter[EVALUATIONS] += 1
    # just below the whole sum at most, whatever the rounding
    threshold = smaller(uniform(run.stream), 1.0 - 2.0**-40) * mass
    mass, score, second = acceptable_mass(fitness, work, mutation, run, waiting, threshold)
    improved = score > counter[SCORE]
    counter[SCORE] = score
    run.real[SECOND, 0] = second
    return IMPROVED if improved else ACCEPTED
