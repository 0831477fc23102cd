"""The (1+1) NA as one fused loop over any kind of fitness.

A run is resumable: everything it is lives in the arrays of `Run`, so that a long run can be simulated in pieces, between
which the caller may report progress, grow the trace or stop.
"""

import math
from typing import NamedTuple

import numpy as np

from hyperna._kernels.jit import kernel, lean_kernel
from hyperna._kernels.mutation import (
    SELF_ADJUSTING,
    adjust_velocity,
    propose,
    restore,
)
from hyperna._kernels.protocol import evaluate, keep, optimal, prepare, tie, undo, workspace
from hyperna._kernels.random import geometric, seed_stream, uniform
from hyperna._kernels.start import copy_into, draw_start

NEVER = 2**62

RUNNING, OPTIMUM, TARGET, BUDGET, STAGNATION, STUCK = range(6)
FULL = -1

# Why `walk` returns.
PAUSED, ACCEPTED, IMPROVED, WAITING, EXPIRED = range(5)


class Limits(NamedTuple):
    """When a run ends, and how it starts.

    `optima` is an array (alternatives, neurons, genes a neuron) in grid units, empty when a score of `target` ends the
    run instead; no genome with a score below `hopeful` is near an optimum. After `patience` rejected offspring in a row the
    neighbourhood is searched (local mutation only; 0: never).
    """

    budget: int
    stagnation: int
    target: int
    restarts: int
    optima: np.ndarray
    tolerance: float
    hopeful: int
    patience: int
    dim: int
    neurons: int
    resolution: int
    sphere: bool
    fixed_value: int
    start: np.ndarray


class Run(NamedTuple):
    """State of one run.

    Rows of `genes`: the current genome, the best of earlier starts, the changed components and
    their old values. Rows of `real`: step lengths of self-adjusting mutation, scratch space. `tie`
    is the parent's second value. `counter`: see the names below.
    """

    genes: np.ndarray
    real: np.ndarray
    tie: np.ndarray
    counter: np.ndarray
    stream: np.ndarray


_GENOME, _BEST_GENOME, _CHANGED, _OLD = range(4)
_VELOCITY, _DIRECTION = range(2)


class Trace(NamedTuple):
    """Improvements of the best score, and the path of accepted genomes; arrays of length 0 record nothing."""

    evaluation: np.ndarray
    score: np.ndarray
    path_evaluation: np.ndarray
    path_score: np.ndarray
    path: np.ndarray


# Counters of a run.
(
    EVALUATIONS,
    SCORE,
    BEST,
    HORIZON,
    REJECTED,
    RESTARTS,
    STOP,
    STUCK_AT,
    IMPROVEMENTS,
    PATH_LENGTH,
    SIMULATED,
    N_COUNTERS,
) = range(12)


@kernel
def new_run(components):
    """Arrays for a run over a genome of `components`."""
    return Run(
        np.zeros((4, components), np.int64),
        np.zeros((2, components), np.float64),
        np.zeros(1, np.float64),
        np.zeros(N_COUNTERS, np.int64),
        np.zeros(4, np.uint64),
    )


@kernel
def new_work(fitness):
    """Arrays for the intermediate results of a kind of fitness."""
    return workspace(fitness)


@lean_kernel
def record_improvement(trace, counter):
    """Note the score of a new best genome."""
    if trace.evaluation.size > 0:
        trace.evaluation[counter[IMPROVEMENTS]] = counter[EVALUATIONS]
        trace.score[counter[IMPROVEMENTS]] = counter[SCORE]
        counter[IMPROVEMENTS] += 1


@lean_kernel
def record_path(trace, counter, genome):
    """Note an accepted genome."""
    if trace.path_evaluation.size > 0:
        place = counter[PATH_LENGTH]
        trace.path_evaluation[place] = counter[EVALUATIONS]
        trace.path_score[place] = counter[SCORE]
        copy_into(trace.path[place], genome)
        counter[PATH_LENGTH] += 1


@lean_kernel
def trace_full(trace, counter):
    """Whether the next record might not fit."""
    return (0 < trace.evaluation.size <= counter[IMPROVEMENTS]) or (
        0 < trace.path_evaluation.size <= counter[PATH_LENGTH]
    )


@lean_kernel
def success(fitness, work, limits, genome, score):
    """Reason to stop with success, or RUNNING."""
    if score >= limits.target:
        return TARGET
    if (
        limits.optima.shape[0] > 0
        and score >= limits.hopeful
        and optimal(fitness, work, genome, limits.optima, limits.tolerance)
    ):
        return OPTIMUM
    return RUNNING


@lean_kernel
def begin(fitness, work, mutation, limits, run, trace):
    """First evaluation of a start (the run's first, or after a restart)."""
    genome, counter = run.genes[_GENOME], run.counter
    if limits.start.size > 0 and counter[RESTARTS] == 0:
        copy_into(genome, limits.start)
    else:
        draw_start(limits, mutation, genome, run.real[_DIRECTION], run.stream)
    for c in range(genome.size):
        run.real[_VELOCITY, c] = 1.0
    counter[EVALUATIONS] += 1
    counter[SCORE] = prepare(fitness, work, genome)
    run.tie[0] = tie(fitness, work)
    counter[REJECTED] = 0
    counter[HORIZON] = min(limits.budget, counter[EVALUATIONS] + limits.stagnation)
    if counter[SCORE] > counter[BEST]:
        record_improvement(trace, counter)
    record_path(trace, counter, genome)
    counter[STOP] = success(fitness, work, limits, genome, counter[SCORE])


@lean_kernel
def start_run(fitness, work, mutation, limits, run, trace, key, number):
    """Set `run` to the beginning of run `number` under `key`."""
    seed_stream(key, number, run.stream)
    for c in range(N_COUNTERS):
        run.counter[c] = 0
    run.counter[BEST] = -1
    begin(fitness, work, mutation, limits, run, trace)


@lean_kernel
def remember_best(run):
    """Keep the genome of this start if it is the best of all starts."""
    if run.counter[SCORE] > run.counter[BEST]:
        run.counter[BEST] = run.counter[SCORE]
        copy_into(run.genes[_BEST_GENOME], run.genes[_GENOME])


@lean_kernel
def accepted(fitness, work, limits, run, trace, improved):
    """Bookkeeping after the genome has changed; `improved`: with a better score."""
    counter, genome = run.counter, run.genes[_GENOME]
    if improved:
        if limits.stagnation < NEVER:
            counter[HORIZON] = min(limits.budget, counter[EVALUATIONS] + limits.stagnation)
        if counter[SCORE] > counter[BEST]:
            record_improvement(trace, counter)
    record_path(trace, counter, genome)
    counter[STOP] = success(fitness, work, limits, genome, counter[SCORE])


@lean_kernel
def out_of_time(limits, counter):
    """The run has reached its horizon."""
    counter[EVALUATIONS] = counter[HORIZON]
    counter[STOP] = BUDGET if counter[HORIZON] == limits.budget else STAGNATION


@lean_kernel
def neighbour(mutation, genome, changed, old, code):
    """Turn the genome into neighbour number `code`; return the number of changed components.

    The ternary digits of the number say for each component: as it is, plus one, minus one.
    """
    count = 0
    for t in range(mutation.component.size):
        digit = code % 3
        code //= 3
        if digit > 0:
            c = mutation.component[t]
            changed[count] = c
            old[count] = genome[c]
            genome[c] = (genome[c] + (1 if digit == 1 else -1)) % mutation.modulus[c]
            count += 1
    return count


@lean_kernel
def acceptable_mass(fitness, work, mutation, run, threshold):
    """Probability that one step leads to an acceptable neighbour.

    The search stops at the neighbour whose chance lifts the sum above `threshold`, which is then
    the offspring just evaluated. Returns the sum and that neighbour's score and changes.
    """
    genome, changed, old = run.genes[_GENOME], run.genes[_CHANGED], run.genes[_OLD]
    parent = run.counter[SCORE]
    size = mutation.component.size
    mass = 0.0
    for code in range(1, 3**size):
        count = neighbour(mutation, genome, changed, old, code)
        score = evaluate(fitness, work, genome, changed, count, parent)
        if score > parent or (score == parent and tie(fitness, work) >= run.tie[0]):
            still = (1.0 - mutation.probability) ** (size - count)
            mass += (0.5 * mutation.probability) ** count * still
            if mass > threshold:
                return mass, score, count
        restore(genome, changed, old, count)
        undo(fitness, work, genome, changed, count)
    return mass, parent, 0


@lean_kernel
def skip_wait(fitness, work, mutation, limits, run, trace):
    """Draw the waiting time for the next accepted step of local mutation instead of simulating it.

    The chance of an acceptable step is the same until one happens, so the number of steps before
    it is geometric, and each acceptable neighbour is reached in proportion to its own chance. With
    no chance at all the run is stuck.
    """
    counter = run.counter
    mass, score, count = acceptable_mass(fitness, work, mutation, run, 2.0)
    if mass == 0.0:
        counter[STUCK_AT] = counter[EVALUATIONS]
        counter[STOP] = STUCK
        return
    chance = mass
    if mutation.redraw:
        chance /= 1.0 - (1.0 - mutation.probability) ** mutation.component.size
    if chance < 1.0:
        counter[EVALUATIONS] += geometric(run.stream, math.log1p(-chance))
    if counter[EVALUATIONS] >= counter[HORIZON]:
        out_of_time(limits, counter)
        return
    counter[EVALUATIONS] += 1
    # just below the whole sum at most, whatever the rounding
    threshold = min(uniform(run.stream), 1.0 - 2.0**-40) * mass
    mass, score, count = acceptable_mass(fitness, work, mutation, run, threshold)
    improved = score > counter[SCORE]
    counter[SCORE] = score
    run.tie[0] = tie(fitness, work)
    keep(fitness, work, run.genes[_GENOME], run.genes[_CHANGED], count)
    accepted(fitness, work, limits, run, trace, improved)


@lean_kernel
def walk(fitness, work, mutation, run, patience, notable, quota):
    """The innermost loop: simulate until something happens that is more than a step.

    That is: the score improves, or a genome with a score of at least `notable` is accepted
    (ACCEPTED, IMPROVED); `patience` offspring in a row are rejected (WAITING); the horizon is
    reached (EXPIRED); `quota` offspring are done (PAUSED). Void steps are drawn as a number.
    """
    genome, changed, old = run.genes[_GENOME], run.genes[_CHANGED], run.genes[_OLD]
    counter, stream, velocity = run.counter, run.stream, run.real[_VELOCITY]
    evaluations, parent, rejected = counter[EVALUATIONS], counter[SCORE], counter[REJECTED]
    parent_tie, horizon = run.tie[0], counter[HORIZON]
    event, done = PAUSED, 0
    while done < quota:
        count, voids = propose(mutation, stream, genome, changed, old, velocity)
        evaluations += voids + 1
        if evaluations > horizon:
            restore(genome, changed, old, count)
            event = EXPIRED
            break
        done += 1
        score = evaluate(fitness, work, genome, changed, count, parent)
        second = tie(fitness, work) if score >= parent else 0.0
        if mutation.kind == SELF_ADJUSTING:
            adjust_velocity(mutation, velocity, changed, count, score > parent)
        if score > parent or (score == parent and second >= parent_tie):
            keep(fitness, work, genome, changed, count)
            rejected = 0
            parent_tie = second
            if score > parent or score >= notable:
                event = IMPROVED if score > parent else ACCEPTED
                parent = score
                break
        else:
            restore(genome, changed, old, count)
            undo(fitness, work, genome, changed, count)
            rejected += 1
            if rejected == patience:
                rejected = 0
                event = WAITING
                break
    counter[EVALUATIONS], counter[SCORE], counter[REJECTED] = evaluations, parent, rejected
    counter[SIMULATED] += done
    run.tie[0] = parent_tie
    return event


@lean_kernel
def advance(fitness, work, mutation, limits, run, trace, quota):
    """Simulate up to about `quota` offspring of a run that has begun.

    Returns RUNNING, FULL (the trace is) or the reason why the run has ended.
    """
    counter = run.counter
    last = counter[SIMULATED] + quota
    notable = limits.hopeful if limits.optima.shape[0] > 0 else np.int64(NEVER)
    if trace.path_evaluation.size > 0:
        notable = np.int64(0)
    while True:
        if counter[STOP] != RUNNING:
            remember_best(run)
            if (
                counter[STOP] < STAGNATION
                or counter[RESTARTS] >= limits.restarts
                or counter[EVALUATIONS] >= limits.budget
            ):
                if counter[STOP] == STUCK and counter[HORIZON] < NEVER:
                    counter[EVALUATIONS] = counter[HORIZON]
                return counter[STOP]
            counter[RESTARTS] += 1
            begin(fitness, work, mutation, limits, run, trace)
            continue
        if trace_full(trace, counter):
            return FULL
        left = last - counter[SIMULATED]
        if left <= 0:
            return RUNNING
        event = walk(fitness, work, mutation, run, limits.patience, notable, left)
        if event == EXPIRED:
            out_of_time(limits, counter)
        elif event == WAITING:
            skip_wait(fitness, work, mutation, limits, run, trace)
        elif event != PAUSED:
            accepted(fitness, work, limits, run, trace, event == IMPROVED)


@lean_kernel
def run_batch(fitness, work, mutation, limits, key, run, trace, progress, quota, result, genomes):
    """Simulate runs one after the other, about `quota` offspring in all.

    `progress`: number of the current run, number of the first run of the rows, number after the
    last run, whether the current run has begun. Columns of `result`: evaluations, score, stop
    reason, evaluations when found stuck, restarts. Returns FULL or RUNNING; the batch is complete
    when the current run is the one after the last.
    """
    simulated = 0
    if progress[3] == 1:
        prepare(fitness, work, run.genes[_GENOME])
    while progress[0] < progress[2] and simulated < quota:
        if progress[3] == 0:
            start_run(fitness, work, mutation, limits, run, trace, key, progress[0])
            progress[3] = 1
        before = run.counter[SIMULATED]
        status = advance(fitness, work, mutation, limits, run, trace, quota - simulated)
        if status <= RUNNING:
            return status
        simulated += run.counter[SIMULATED] - before + 1
        row = progress[0] - progress[1]
        result[row, 0] = run.counter[EVALUATIONS]
        result[row, 1] = run.counter[BEST]
        result[row, 2] = status
        result[row, 3] = run.counter[STUCK_AT]
        result[row, 4] = run.counter[RESTARTS]
        if genomes.shape[0] > 0:
            copy_into(genomes[row], run.genes[_BEST_GENOME])
        progress[0] += 1
        progress[3] = 0
    return RUNNING
