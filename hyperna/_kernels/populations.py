"""Relatives of the (1+1) NA: several offspring, several parents, annealing.

They are simulated by generations of one parent (`Generations`) or one by one (`Steady`,
`Annealing`). Offspring are evaluated from nothing, not as changes of a parent that the work space
remembers: which of a generation is accepted is not known before all are evaluated, a population has
many parents, and annealing accepts what `first_accepted` would not.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from hyperna._kernels.algorithms import Annealing, Generations, Steady
from hyperna._kernels.jit import inline_kernel, inner_kernel
from hyperna._kernels.mutation import ADAPTIVE
from hyperna._kernels.order import accepts, smaller
from hyperna._kernels.protocol import (
    complete_steps,
    evaluate,
    implement,
    prepare,
    score_rows,
    select,
    update_law,
)
from hyperna._kernels.random import below, next_word, uniform
from hyperna._kernels.start import draw_start
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
from hyperna._kernels.steps import DRAWN, NEXT, TOTAL, draw_steps, take_step

_TOP_BIT = np.uint64(63)
# Offspring at a time.
MOST_CHILDREN = 32


class Population(NamedTuple):
    """Genomes and scores of the members, then of the offspring at hand.

    `child` is the row of each offspring, which is its parent's if nothing has changed. `counter`:
    see the names below. `real` holds the temperature.
    """

    genes: np.ndarray
    score: np.ndarray
    child: np.ndarray
    counter: np.ndarray
    real: np.ndarray


# Members that are drawn, offspring (void ones too) since steps were last drawn, best score of the
# start.
BORN, USED, BEST_OF_START = range(3)


def new_population(algorithm: Any, mutation: Any) -> Population:
    """Arrays for a population."""
    children = min(algorithm.offspring, MOST_CHILDREN)
    rows = algorithm.members + children + 1
    return Population(
        np.zeros((rows, mutation.modulus.size), np.int64),
        np.zeros(rows, np.int64),
        np.zeros(children, np.int64),
        np.zeros(3, np.int64),
        np.zeros(1, np.float64),
    )


@inline_kernel
def copy(target, source):
    """Overwrite a genome."""
    for c in range(source.size):
        target[c] = source[c]


@inline_kernel
def begin_again(mutation, run, population):
    """Forget the start before; the members of this one are drawn one by one as it goes on."""
    # lower than any score: there is no member yet that could be the best network
    run.counter[SCORE] = -1
    population.counter[BORN] = 0
    population.counter[BEST_OF_START] = -1
    # the void offspring before the next step are counted again
    step = run.steps.counter[NEXT]
    population.counter[USED] = run.steps.step[TOTAL, step - 1] if step > 0 else 0
    for c in range(mutation.modulus.size):
        run.steps.velocity[c] = 1.0


@inline_kernel
def draw_member(mutation, limits, run, population, member):
    """Draw a member of the first generation into its row; the first one may be given."""
    if member == 0 and limits.start.size > 0 and run.counter[RESTARTS] == 0:
        copy(population.genes[0], limits.start)
    else:
        draw_start(limits, mutation, population.genes[member], run.direction, run.stream)


@inline_kernel
def report(fitness, work, limits, run, population, row):
    """Show the loop an accepted member: its genome, its score, and what has happened."""
    score = population.score[row]
    genome = population.genes[row]
    run.counter[SCORE] = score
    copy(run.genes[GENOME], genome)
    has_output_neuron = genome.size > limits.width * limits.neurons
    if has_output_neuron and score >= limits.lowest_optimal_score:
        # `optimal` looks for what an output neuron makes of the hidden ones in the work space
        prepare(fitness, work, genome)
    if score > population.counter[BEST_OF_START]:
        population.counter[BEST_OF_START] = score
        return IMPROVED
    return ACCEPTED


def _begin(algorithm, fitness, work, mutation, limits, run, population):
    begin_again(mutation, run, population)
    return PAUSED


def _begin_annealing(algorithm, fitness, work, mutation, limits, run, population):
    begin_again(mutation, run, population)
    population.real[0] = algorithm.temperature
    return PAUSED


@inline_kernel
def draw_offspring(mutation, run, population, wanted):
    """Draw offspring of the parent in row 0; return how many, and the row after the last new one.

    At most `wanted`, and no more than the steps at hand are good for. The rows from 1 on have those
    that differ from the parent; `child` says for each offspring which row it is.
    """
    genes = population.genes
    steps = run.steps
    total = steps.step[TOTAL]
    changed = run.genes[CHANGED]
    if steps.counter[NEXT] == steps.counter[DRAWN]:
        draw_steps(mutation, run.stream, steps, changed)
        population.counter[USED] = 0
    step = steps.counter[NEXT]
    used = population.counter[USED]
    count = smaller(wanted, total[steps.counter[DRAWN] - 1] - used)
    row = np.int64(1)
    for j in range(count):
        used += 1
        population.child[j] = 0
        # all others before the next step are void
        if used == total[step]:
            copy(genes[row], genes[0])
            complete_steps(mutation.law, mutation, steps, step, step + 1, changed)
            take_step(mutation, steps, step, genes[row], changed, run.genes[OLD])
            population.child[j] = row
            row += 1
            step += 1
    population.counter[USED] = used
    steps.counter[NEXT] = step
    return count, row


def _advance_by_generations(
    algorithm,
    fitness,
    work,
    mutation,
    limits,
    run,
    population,
    report_improvements,
    reported_score,
    quota,
):
    """Simulate generations: see `hyperna._kernels.protocol`.

    Many offspring are evaluated at a time; under adaptive steps one, because the next step
    depends on it.
    """
    genes = population.genes  # the parent, the offspring at hand, the best of this generation
    scores = population.score
    child = population.child
    counter = run.counter
    spare = np.int64(1 + child.size)  # row of the best of this generation
    most = np.int64(1) if mutation.law.kind == ADAPTIVE else np.int64(child.size)
    evaluations = counter[EVALUATIONS]
    done = np.int64(0)
    to_come = np.int64(0)  # offspring of this generation that are not evaluated yet
    best = np.int64(-1)  # row of its best offspring
    event = PAUSED
    while event == PAUSED and (done < quota or to_come > 0):
        # the first member
        if population.counter[BORN] == 0:
            draw_member(mutation, limits, run, population, 0)
            population.counter[BORN] = 1
            scores[0] = prepare(fitness, work, genes[0])
            done += 1
            evaluations += 1
            event = ACCEPTED
            break
        # offspring
        if to_come == 0:
            if evaluations + algorithm.offspring > counter[HORIZON]:
                event = EXPIRED
                break
            to_come = algorithm.offspring
            best = np.int64(-1)
        count, end = draw_offspring(mutation, run, population, smaller(to_come, most))
        score_rows(fitness, work, genes, scores, 1, end)
        done += count
        evaluations += count
        to_come -= count
        if end > 1:
            # adaptive laws, which alone learn from it, have one offspring at a time: that in row 1
            step = run.steps.counter[NEXT]
            improved = scores[1] > scores[0]
            changed = run.genes[CHANGED]
            update_law(mutation.law, mutation, run.steps, step - 1, step, changed, improved)
        # the first best one; a void offspring counts too, and then the parent, in row 0, stays
        score = scores[best] if best >= 0 else np.int64(-1)
        for j in range(count):
            if scores[child[j]] > score:
                score = scores[child[j]]
                best = child[j]
        if to_come > 0:
            # the next offspring will take its row
            if best > 0 and best != spare:
                scores[spare] = score
                copy(genes[spare], genes[best])
                best = spare
        elif algorithm.comma or accepts(score, scores[0]):
            if best > 0:
                scores[0] = score
                copy(genes[0], genes[best])
            if score >= reported_score or score > population.counter[BEST_OF_START]:
                event = ACCEPTED
    counter[EVALUATIONS] = evaluations
    counter[SIMULATED] += done
    if event == ACCEPTED:
        return report(fitness, work, limits, run, population, 0)
    return event


@inline_kernel
def mix_neurons(limits, stream, child, other):
    """Take every neuron from the other parent with probability 1/2, the output neuron too.

    Returns whether that changes the child. Bit operations instead of branches, which could not be
    predicted: `taken` is -1 or 0.
    """
    width = limits.width
    hidden = width * limits.neurons
    different = np.int64(0)
    for first in range(0, child.size, width):
        # one decision for each hidden neuron, and the last for all of the output neuron, which may
        # have more components than these
        if first <= hidden:
            taken = np.int64(next_word(stream) >> _TOP_BIT) - 1
        for c in range(first, smaller(first + width, child.size)):
            change = (child[c] ^ other[c]) & taken
            child[c] ^= change
            different |= change
    return different != 0


def _select_worst(algorithm, run, population, score):
    """Replace a random one of the members with the lowest score, unless that is greater."""
    scores = population.score
    members = algorithm.members
    stream = run.stream
    lowest = scores[0]
    for m in range(1, members):
        lowest = smaller(lowest, scores[m])
    if not accepts(score, lowest):
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


def _select_by_temperature(algorithm, run, population, score):
    population.real[0] *= algorithm.cooling
    temperature = population.real[0]
    loss = population.score[0] - score
    if loss > 0 and (
        temperature <= 0.0 or uniform(run.stream) >= math.exp(-np.float64(loss) / temperature)
    ):
        return np.int64(-1)
    return np.int64(0)


@inner_kernel
def simulate_one_by_one(
    algorithm, fitness, work, mutation, limits, run, population, reported_score, quota
):
    """Simulate one offspring after the other: see `hyperna._kernels.protocol`."""
    members = algorithm.members
    genes = population.genes  # the members, then the offspring
    scores = population.score
    stream = run.stream
    counter = run.counter
    horizon = counter[HORIZON]
    steps = run.steps
    total = steps.step[TOTAL]
    changed = run.genes[CHANGED]
    drawn = steps.counter[DRAWN]
    # what is written back at the end
    step = steps.counter[NEXT]
    used = population.counter[USED]
    born = population.counter[BORN]
    evaluations = counter[EVALUATIONS]
    done = np.int64(0)
    accepted = np.int64(0)  # row of the member to report
    event = PAUSED
    while event == PAUSED and done < quota:
        if evaluations >= horizon:
            event = EXPIRED
            break
        evaluations += 1
        done += 1
        # 1. a genome: a member of the first generation in its own row, or an offspring behind all
        row = np.int64(members)
        parent = np.int64(0)
        mutated = False
        different = True  # from its parent, so that it must be evaluated
        is_member = born < members
        if is_member:
            row = born
            draw_member(mutation, limits, run, population, row)
            born += 1
        else:
            if members > 1:
                parent = below(stream, members)
            copy(genes[row], genes[parent])
            different = False
            if algorithm.crossover > 0.0 and uniform(stream) < algorithm.crossover:
                other = below(stream, members)
                different = mix_neurons(limits, stream, genes[row], genes[other])
            if step == drawn:
                draw_steps(mutation, stream, steps, changed)
                step = np.int64(0)
                drawn = steps.counter[DRAWN]
                used = np.int64(0)
            used += 1
            # all others before the next step are void
            if used == total[step]:
                complete_steps(mutation.law, mutation, steps, step, step + 1, changed)
                take_step(mutation, steps, step, genes[row], changed, run.genes[OLD])
                step += 1
                mutated = True
                different = True
        # 2. its score
        score = scores[parent]
        if different:
            score = evaluate(fitness, work, genes[row])
        # 3. whose place it takes, -1 if nobody's
        if not is_member:
            if mutated:
                improved = score > scores[parent]
                update_law(mutation.law, mutation, steps, step - 1, step, changed, improved)
            row = select(algorithm, run, population, score)
            if row >= 0:
                copy(genes[row], genes[members])
        if row >= 0:
            scores[row] = score
            if score >= reported_score or score > population.counter[BEST_OF_START]:
                event = ACCEPTED
                accepted = row
    counter[EVALUATIONS] = evaluations
    counter[SIMULATED] += done
    steps.counter[NEXT] = step
    population.counter[USED] = used
    population.counter[BORN] = born
    # one return: with two of them a step of annealing would take a tenth longer
    return report(fitness, work, limits, run, population, accepted) if event == ACCEPTED else event


def _advance_one_by_one(
    algorithm,
    fitness,
    work,
    mutation,
    limits,
    run,
    population,
    report_improvements,
    reported_score,
    quota,
):
    # called, because merged into the loop a step of annealing would take a tenth longer
    return simulate_one_by_one(
        algorithm, fitness, work, mutation, limits, run, population, reported_score, quota
    )


implement(Generations, begin=_begin, advance=_advance_by_generations)
implement(Steady, begin=_begin, advance=_advance_one_by_one, select=_select_worst)
implement(
    Annealing,
    begin=_begin_annealing,
    advance=_advance_one_by_one,
    select=_select_by_temperature,
)
