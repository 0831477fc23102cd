"""Relatives of the (1+1) NA: several offspring, several parents, annealing.

The same starts, steps, fitness, limits and traces as in `hyperna._kernels.loop`; offspring are
evaluated from nothing, because they do not all come from one parent. A run is resumable in the same
way: everything it is lives in the arrays of `Run` and `Population`.
"""

import numpy as np

from hyperna._kernels.jit import inline_kernel, kernel
from hyperna._kernels.loop import finish, horizon, is_full, reset, restarts, success
from hyperna._kernels.order import larger
from hyperna._kernels.protocol import prepare, pursue
from hyperna._kernels.pursuits import BEST_OF_START, BORN, ROW, copy
from hyperna._kernels.pursuits import new_population as new_population
from hyperna._kernels.state import (
    BEST,
    BEST_GENOME,
    BUDGET,
    EVALUATIONS,
    EXPIRED,
    FULL,
    HORIZON,
    IMPROVEMENTS,
    PATH_LENGTH,
    PAUSED,
    RESTARTS,
    RUNNING,
    SCORE,
    SIMULATED,
    STAGNATION,
    STOP,
)


@inline_kernel
def accept(fitness, work, limits, run, population, trace, row):
    """Record and judge an accepted genome."""
    counter, genome, score = run.counter, population.genes[row], population.score[row]
    counter[SCORE] = score
    if score > population.counter[BEST_OF_START]:
        population.counter[BEST_OF_START] = score
        counter[HORIZON] = horizon(limits, counter)
    hopeful = limits.optima.shape[0] > 0 and score >= limits.hopeful
    if hopeful or score >= limits.target:
        if genome.size > limits.width * limits.neurons:
            # whether an evolved output's neurons are the optimum's is seen in the work space
            prepare(fitness, work, genome)
        counter[STOP] = success(fitness, work, limits, limits.optima, genome, score)
    if score > counter[BEST] and trace.improvements.shape[0] > 0:
        trace.improvements[counter[IMPROVEMENTS], 0] = counter[EVALUATIONS]
        trace.improvements[counter[IMPROVEMENTS], 1] = score
        counter[IMPROVEMENTS] += 1
    # Near an optimum the score may be lower than elsewhere: the network found is this one.
    if score > counter[BEST] or counter[STOP] != RUNNING:
        counter[BEST] = score
        copy(run.genes[BEST_GENOME], genome)
    if trace.path.shape[0] > 0:
        at = counter[PATH_LENGTH]
        trace.path[at, 0] = counter[EVALUATIONS]
        trace.path[at, 1] = score
        for c in range(genome.size):
            trace.path[at, 2 + c] = genome[c]
        counter[PATH_LENGTH] += 1


@kernel
def run_population_batch(
    fitness,
    work,
    mutation,
    limits,
    plan,
    key,
    run,
    population,
    trace,
    progress,
    quota,
    result,
    genomes,
):
    """Simulate runs one after the other, about `quota` offspring in all.

    As `hyperna._kernels.loop.run_batch`. A generation is never interrupted.
    """
    counter = run.counter
    notable = limits.hopeful if limits.optima.shape[0] > 0 else limits.target
    if trace.path.shape[0] > 0:
        notable = np.int64(0)
    left = quota
    while progress[0] < progress[2] and left > 0:
        if is_full(trace, counter):
            return FULL
        if progress[3] == 0 or counter[STOP] != RUNNING:
            if progress[3] == 0:
                reset(run, mutation, key, progress[0])
                progress[3] = 1
            else:
                counter[RESTARTS] += 1
                counter[STOP] = RUNNING
            counter[HORIZON] = limits.budget
            population.counter[BORN] = 0
            population.counter[BEST_OF_START] = -1
        before = counter[SIMULATED]
        event = pursue(plan, fitness, work, mutation, limits, run, population, notable, left)
        left -= larger(counter[SIMULATED] - before, 1)
        if event == EXPIRED:
            counter[EVALUATIONS] = counter[HORIZON]
            counter[STOP] = BUDGET if counter[HORIZON] == limits.budget else STAGNATION
        elif event != PAUSED:
            accept(fitness, work, limits, run, population, trace, population.counter[ROW])
        if counter[STOP] != RUNNING and not restarts(limits, counter):
            finish(counter, run.genes[BEST_GENOME], progress, result, genomes)
    return RUNNING
