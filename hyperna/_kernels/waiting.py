"""Waiting times and plateaus of local mutation: the (1+1) NA with steps to neighbours only.

The chance of an acceptable step is the same until one happens, so the number of steps before it is
geometric, and each acceptable neighbour is reached in proportion to its own chance. After many
rejected offspring the waiting time is therefore drawn instead of simulated. A run without an
acceptable neighbour is stuck. So is one on a plateau without a way out, which the caller is asked
to look for after some waits, or a long walk, at the same score.
"""

import math
from typing import NamedTuple

import numpy as np

from hyperna._kernels.algorithms import LocalOnePlusOne
from hyperna._kernels.jit import inner_kernel
from hyperna._kernels.mutation import Mutation
from hyperna._kernels.one_plus_one import simulate
from hyperna._kernels.order import smaller
from hyperna._kernels.protocol import first_accepted, implement, prepare
from hyperna._kernels.random import geometric, uniform
from hyperna._kernels.state import (
    ACCEPTED,
    EVALUATIONS,
    EXPIRED,
    GENOME,
    HORIZON,
    IMPROVED,
    PAUSED,
    QUESTION,
    REJECTED,
    SCORE,
    SIMULATED,
    STOP,
    STUCK,
    STUCK_AT,
    UNDECIDED,
    WAIT_SCORE,
    WAITING,
    WAITS,
)
from hyperna._kernels.steps import CHOICE, FIRST_MOVE, MOST_STEPS, Steps
from hyperna._kernels.tables import new_run

# Waits at one score before a way off the plateau is in doubt. Most runs leave a plateau earlier: if
# the first wait were enough, runs on three arcs (XOR, r = 12) would take 29 ms instead of 0.2, and
# those that are stuck would not be found earlier.
FIRST_QUESTION = 4
# How much later it is again: all earlier questions together cost a third of the latest.
LATER = 4
# So many offspring count like a wait; on the circle they take less than a millisecond. An eighth or
# eight times as many make no difference to runs on LOCALOPT, two quarters and three arcs.
LONG_WALK = 2**15


class Neighbours(NamedTuple):
    """Steps to neighbours, and the genome that they lead from."""

    steps: Steps
    genome: np.ndarray


def new_neighbours(mutation: Mutation) -> Neighbours:
    """Return arrays for all neighbours of a genome, some of them at a time."""
    room = new_run(mutation)
    return Neighbours(room.steps, room.genes[GENOME])


@inner_kernel
def write_neighbours(steps, size, begin, end):
    """Write the steps to neighbours begin..end-1.

    The ternary digits of a neighbour's number say for each component: as it is, plus one, minus
    one.
    """
    for j in range(end - begin):
        number = begin + j
        place = j * size
        steps.step[FIRST_MOVE, j] = place
        steps.step[CHOICE, j] = 0
        for t in range(size):
            digit = number % 3
            number //= 3
            if digit > 0:
                steps.step[CHOICE, j] |= 1 << t
                steps.move[place] = 1 if digit == 1 else -1
                place += 1


@inner_kernel
def acceptable_mass(fitness, work, mutation, run, neighbours, threshold):
    """Probability that one step leads to an acceptable neighbour.

    The search stops at the neighbour whose chance lifts the sum above `threshold`, which is then
    the parent. Returns the sum and that neighbour's score.
    """
    genome = run.genes[GENOME]
    steps = neighbours.steps
    size = mutation.component.size
    parent = run.counter[SCORE]
    for c in range(genome.size):
        neighbours.genome[c] = genome[c]
    mass = 0.0
    number = 3**size
    for begin in range(1, number, MOST_STEPS):
        end = smaller(begin + MOST_STEPS, number)
        write_neighbours(steps, size, begin, end)
        step = np.int64(0)
        while step < end - begin:
            step, score = first_accepted(
                fitness, work, mutation, steps, run.genes, step, end - begin, parent
            )
            if step < end - begin:
                count = 0
                pattern = steps.step[CHOICE, step]
                for t in range(size):
                    count += (pattern >> t) & 1
                still = (1.0 - mutation.probability) ** (size - count)
                mass += (0.5 * mutation.probability) ** count * still
                if mass > threshold:
                    return mass, score
                for c in range(genome.size):
                    genome[c] = neighbours.genome[c]
                prepare(fitness, work, genome)
            step += 1
    return mass, parent


@inner_kernel
def skip_wait(fitness, work, mutation, run, neighbours):
    """Go to the next accepted step; with no chance of one the run is stuck.

    Returns what has happened, as `advance` does.
    """
    counter = run.counter
    mass, score = acceptable_mass(fitness, work, mutation, run, neighbours, 2.0)
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
    mass, score = acceptable_mass(fitness, work, mutation, run, neighbours, threshold)
    improved = score > counter[SCORE]
    counter[SCORE] = score
    return IMPROVED if improved else ACCEPTED


@inner_kernel
def doubts_a_way_out(counter):
    """Count a wait or a long walk; whether after so many of them a way out is in doubt."""
    if counter[WAIT_SCORE] != counter[SCORE]:
        counter[WAIT_SCORE] = counter[SCORE]
        counter[WAITS] = 0
        counter[QUESTION] = FIRST_QUESTION
    counter[WAITS] += 1
    if counter[WAITS] < counter[QUESTION]:
        return False
    counter[QUESTION] *= LATER
    counter[REJECTED] = 0
    return True


def _advance(
    algorithm,
    fitness,
    work,
    mutation,
    limits,
    run,
    memory,
    report_improvements,
    reported_score,
    quota,
):
    counter = run.counter
    event = simulate(
        algorithm,
        fitness,
        work,
        mutation,
        limits,
        run,
        memory,
        report_improvements,
        reported_score,
        smaller(quota, LONG_WALK - counter[SIMULATED] % LONG_WALK),
    )
    # a walk over equally fit genomes may go on without end, and without a wait
    long = event == PAUSED and counter[SIMULATED] % LONG_WALK == 0
    if (event == WAITING or long) and doubts_a_way_out(counter):
        return UNDECIDED
    if event == WAITING:
        return skip_wait(fitness, work, mutation, run, memory)
    return event


implement(LocalOnePlusOne, advance=_advance)  # its `begin`: `hyperna._kernels.one_plus_one`
