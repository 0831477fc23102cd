"""Relatives of the (1+1) NA: several offspring, several parents, annealing.

The same starts, steps, fitness, limits and traces as in `hyperna._kernels.loop`; offspring are
evaluated from nothing, because they do not all come from one parent. A run is resumable in the same
way: everything it is lives in the arrays of `Run` and `Population`.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from hyperna._kernels.jit import inline_kernel, inner_kernel, kernel
from hyperna._kernels.loop import horizon, reset, restarts, success, write_row
from hyperna._kernels.plans import ANNEALING, PLUS, STEADY, Plan
from hyperna._kernels.protocol import learn, prepare
from hyperna._kernels.random import below, next_word, uniform
from hyperna._kernels.start import draw_start
from hyperna._kernels.state import (
    BEST,
    BEST_GENOME,
    BUDGET,
    CHANGED,
    DIRECTION,
    EVALUATIONS,
    FULL,
    HORIZON,
    IMPROVEMENTS,
    OLD,
    PATH_LENGTH,
    RESTARTS,
    RUNNING,
    SCORE,
    SIMULATED,
    STAGNATION,
    STOP,
)
from hyperna._kernels.steps import DRAWN, NEXT, TOTAL, draw_steps, take_step

_TOP_BIT = np.uint64(63)


class Population(NamedTuple):
    """Genomes and scores of the members, then of the child and of the best child.

    `counter`: see the names below. `real` holds the temperature.
    """

    genes: np.ndarray
    score: np.ndarray
    counter: np.ndarray
    real: np.ndarray


# Void offspring to come, whether those before the next step have been counted, best score of the
# start.
VOID, COUNTED, BEST_OF_START = range(3)


def new_population(plan: Plan, mutation: Any) -> Population:
    """Arrays for a population."""
    rows = plan.members + 2
    return Population(
        np.zeros((rows, mutation.modulus.size), np.int64),
        np.zeros(rows, np.int64),
        np.zeros(3, np.int64),
        np.zeros(1, np.float64),
    )


@inline_kernel
def copy(target, source):
    """Overwrite a genome."""
    for c in range(source.size):
        target[c] = source[c]


@inline_kernel
def next_step(mutation, run, counter):
    """Number of the next step, -1 if the next offspring equals its parent."""
    steps = run.steps
    if counter[VOID] > 0:
        counter[VOID] -= 1
        return np.int64(-1)
    if steps.counter[NEXT] == steps.counter[DRAWN]:
        draw_steps(mutation, run.stream, steps, run.genes[CHANGED])
    step = steps.counter[NEXT]
    void = steps.step[TOTAL, step] - 1
    if step > 0:
        void -= steps.step[TOTAL, step - 1]
    if void > 0 and counter[COUNTED] == 0:
        counter[VOID] = void - 1
        counter[COUNTED] = 1
        return np.int64(-1)
    counter[COUNTED] = 0
    steps.counter[NEXT] = step + 1
    return step


@inline_kernel
def mix_neurons(limits, stream, child, other):
    """Take every neuron from the other parent with probability 1/2, the output neuron too.

    Returns whether that changes the child. Bit operations instead of branches, which could not be
    predicted: `taken` is -1 or 0.
    """
    width, hidden, different = limits.width, limits.width * limits.neurons, np.int64(0)
    for first in range(0, child.size, width):
        if first <= hidden:
            taken = np.int64(next_word(stream) >> _TOP_BIT) - 1
        for c in range(first, min(first + width, child.size)):
            change = (child[c] ^ other[c]) & taken
            child[c] ^= change
            different |= change
    return different != 0


@inline_kernel
def random_worst(scores, members, stream, score):
    """A random one of the members with the lowest score, -1 if that is greater than `score`."""
    lowest = scores[0]
    for m in range(1, members):
        lowest = min(lowest, scores[m])
    if score < lowest:
        return np.int64(-1)
    equal = np.int64(0)
    for m in range(members):
        equal += np.int64(scores[m] == lowest)
    before = below(stream, equal) if equal > 1 else np.int64(0)
    worst = np.int64(-1)
    # to the end, because where a loop ends by chance could not be predicted
    for m in range(members):
        is_lowest = scores[m] == lowest
        worst = np.int64(m) if is_lowest and before == 0 else worst
        before -= np.int64(is_lowest)
    return worst


@inline_kernel
def select(plan, run, population, score, last):
    """Decide about the child; return the row it is accepted into, -1 if it is not."""
    genes, scores, child, best = population.genes, population.score, plan.members, plan.members + 1
    if plan.kind == STEADY:
        worst = random_worst(scores, plan.members, run.stream, score)
        if worst >= 0:
            scores[worst] = score
            copy(genes[worst], genes[child])
        return worst
    if plan.kind == ANNEALING:
        population.real[0] *= plan.cooling
        temperature, loss = population.real[0], scores[0] - score
        if loss > 0 and (
            temperature <= 0.0 or uniform(run.stream) >= math.exp(-np.float64(loss) / temperature)
        ):
            return np.int64(-1)
        scores[0] = score
        copy(genes[0], genes[child])
        return np.int64(0)
    if score > scores[best]:
        scores[best] = score
        copy(genes[best], genes[child])
    if not last or (plan.kind == PLUS and scores[best] < scores[0]):
        return np.int64(-1)
    scores[0] = scores[best]
    copy(genes[0], genes[best])
    return np.int64(0)


@inner_kernel
def accept(fitness, work, limits, run, population, trace, genome, score, new, prepared):
    """Record an accepted genome, and judge it if it is a `new` one.

    `prepared`: it was the last to be evaluated.
    """
    counter = run.counter
    counter[SCORE] = score
    if score > population.counter[BEST_OF_START]:
        population.counter[BEST_OF_START] = score
        counter[HORIZON] = horizon(limits, counter)
    hopeful = limits.optima.shape[0] > 0 and score >= limits.hopeful
    if new and (hopeful or score >= limits.target):
        if not prepared:
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
        row = counter[PATH_LENGTH]
        trace.path[row, 0] = counter[EVALUATIONS]
        trace.path[row, 1] = score
        for c in range(genome.size):
            trace.path[row, 2 + c] = genome[c]
        counter[PATH_LENGTH] += 1


@inline_kernel
def begin(mutation, limits, plan, run, population, member):
    """Draw a member of the first generation into its row."""
    if member == 0:
        population.counter[VOID] = 0
        population.counter[COUNTED] = 0
        population.counter[BEST_OF_START] = -1
        population.real[0] = plan.temperature
        for c in range(mutation.modulus.size):
            run.steps.velocity[c] = 1.0
        if limits.start.size > 0 and run.counter[RESTARTS] == 0:
            copy(population.genes[0], limits.start)
            return
    draw_start(limits, mutation, population.genes[member], run.real[DIRECTION], run.stream)


@inline_kernel
def breed(mutation, limits, plan, run, population):
    """Write the next offspring into the child's row.

    Returns its parent, its step (-1 without one) and whether it took neurons from another.
    """
    genes, stream, child = population.genes, run.stream, plan.members
    parent, crossed = np.int64(0), False
    if plan.members > 1:
        parent = below(stream, plan.members)
    copy(genes[child], genes[parent])
    if plan.crossover > 0.0 and uniform(stream) < plan.crossover:
        other = below(stream, plan.members)
        crossed = mix_neurons(limits, stream, genes[child], genes[other])
    step = next_step(mutation, run, population.counter)
    if step >= 0:
        take_step(mutation, run.steps, step, genes[child], run.genes[CHANGED], run.genes[OLD])
    return parent, step, crossed


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

    As `hyperna._kernels.loop.run_batch`. The last entry of `progress` is 0 before a run, 1 before a
    start and 2 after it. A start or a generation is never interrupted.
    """
    counter, scores, child = run.counter, population.score, plan.members
    notable = limits.hopeful if limits.optima.shape[0] > 0 else limits.target
    if trace.path.shape[0] > 0:
        notable = np.int64(0)
    left = quota
    while progress[0] < progress[2] and left > 0:
        most = max(plan.members, plan.offspring)
        if (
            0 < trace.improvements.shape[0] < counter[IMPROVEMENTS] + most
            or 0 < trace.path.shape[0] < counter[PATH_LENGTH] + most
        ):
            return FULL
        if progress[3] == 0:
            reset(run, mutation, key, progress[0])
            progress[3] = 1
        first = progress[3] == 1
        count = plan.members if first else plan.offspring
        if first:
            counter[HORIZON] = limits.budget
            progress[3] = 2
        elif counter[EVALUATIONS] + count > counter[HORIZON]:
            counter[EVALUATIONS] = counter[HORIZON]
            counter[STOP] = BUDGET if counter[HORIZON] == limits.budget else STAGNATION
            count = np.int64(0)
        scores[child + 1] = -1
        one_by_one = first or plan.kind == STEADY or plan.kind == ANNEALING
        for j in range(count):
            counter[EVALUATIONS] += 1
            new = True
            if first:
                row = np.int64(j)
                begin(mutation, limits, plan, run, population, row)
                score, _ = prepare(fitness, work, population.genes[row])
                scores[row] = score
            else:
                parent, step, crossed = breed(mutation, limits, plan, run, population)
                score = scores[parent]
                if step >= 0 or crossed:
                    score, _ = prepare(fitness, work, population.genes[child])
                if step >= 0:
                    improved = score > scores[parent]
                    learn(mutation.law, mutation, run.steps, step, run.genes[CHANGED], improved)
                row = select(plan, run, population, score, j == count - 1)
                score = scores[row]
                new = step >= 0 or crossed or not one_by_one
            if row >= 0 and (score >= notable or score > population.counter[BEST_OF_START]):
                genome = population.genes[row]
                accept(
                    fitness,
                    work,
                    limits,
                    run,
                    population,
                    trace,
                    genome,
                    score,
                    new,
                    one_by_one,
                )
            if counter[STOP] == RUNNING and first and counter[EVALUATIONS] == limits.budget:
                counter[STOP] = BUDGET
            if counter[STOP] != RUNNING:
                break
        left -= max(count, 1)
        counter[SIMULATED] += count
        if counter[STOP] == RUNNING:
            continue
        if restarts(limits, counter):
            counter[RESTARTS] += 1
            counter[STOP] = RUNNING
            progress[3] = 1
            continue
        number = progress[0] - progress[1]
        write_row(result[number], counter)
        if genomes.shape[0] > 0:
            copy(genomes[number], run.genes[BEST_GENOME])
        progress[0] += 1
        progress[3] = 0
    return RUNNING
