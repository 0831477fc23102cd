"""The (1+1) NA between two events: the innermost loop."""

import numpy as np

from hyperna._kernels.algorithms import LocalOnePlusOne, NonElitistOnePlusOne, OnePlusOne
from hyperna._kernels.jit import inline_kernel
from hyperna._kernels.lengths import MOST_COMPLETED
from hyperna._kernels.mutation import ADAPTIVE
from hyperna._kernels.order import smaller
from hyperna._kernels.protocol import (
    complete_steps,
    first_accepted,
    implement,
    prepare,
    update_law,
    write_genome,
)
from hyperna._kernels.start import draw_start
from hyperna._kernels.state import (
    ACCEPTED,
    CHANGED,
    EVALUATIONS,
    EXPIRED,
    GENOME,
    HORIZON,
    IMPROVED,
    PAUSED,
    REJECTED,
    RESTARTS,
    SCORE,
    SIMULATED,
    WAITING,
)
from hyperna._kernels.steps import DRAWN, NEXT, TOTAL, draw_steps


def _begin(algorithm, fitness, work, mutation, limits, run, memory):
    """Draw and evaluate the first network of a start, or the one that was given."""
    genome = run.genes[GENOME]
    counter = run.counter
    if limits.start.size > 0 and counter[RESTARTS] == 0:
        for c in range(genome.size):
            genome[c] = limits.start[c]
    else:
        draw_start(limits, mutation, genome, run.direction, run.stream)
    for c in range(genome.size):
        run.steps.velocity[c] = 1.0
    counter[EVALUATIONS] += 1
    counter[SCORE] = prepare(fitness, work, genome)
    counter[REJECTED] = 0
    return IMPROVED


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
    """Simulate until something happens that is more than a step.

    That is what `hyperna._kernels.protocol` says, and WAITING once as many offspring in a row are
    rejected as `algorithm.patience` allows. Void steps are drawn as a number. Offspring are
    evaluated in portions of the drawn steps, up to the first that is accepted.
    """
    counter = run.counter
    steps = run.steps
    changed = run.genes[CHANGED]
    horizon = counter[HORIZON]
    evaluations = counter[EVALUATIONS]
    parent = counter[SCORE]
    rejected = counter[REJECTED]
    event = PAUSED
    done = 0
    next_step = steps.counter[NEXT]
    drawn = steps.counter[DRAWN]
    # evaluations before the first of the drawn steps, and from there up to each of them
    offset = evaluations
    total = steps.step[TOTAL]
    if next_step > 0:
        offset -= total[next_step - 1]
    while done < quota and event == PAUSED:
        if next_step == drawn:
            draw_steps(mutation, run.stream, steps, changed)
            next_step = np.int64(0)
            drawn = steps.counter[DRAWN]
            offset = evaluations
        # the portion from `first` to before `last`: what the quota, the patience, the law and the
        # horizon allow
        first = next_step
        last = smaller(drawn, first + quota - done)
        last = smaller(last, first + algorithm.patience - rejected)
        if mutation.law.kind == ADAPTIVE:
            last = smaller(last, first + MOST_COMPLETED)
        while last > first and offset + total[last - 1] > horizon:
            last -= 1
        if last == first:
            # this step has been looked at, and is not to be used for anything else
            next_step += 1
            event = EXPIRED
            break
        # its first offspring that is accepted
        complete_steps(mutation.law, mutation, steps, first, last, changed)
        accepted, score = first_accepted(
            fitness, work, mutation, steps, run.genes, first, last, parent
        )
        update_law(mutation.law, mutation, steps, accepted, last, changed, score > parent)
        # on behind it, or behind the portion
        next_step = accepted
        rejected += accepted - first
        if accepted < last:
            next_step += 1
            rejected = 0
            if (report_improvements and score > parent) or score >= reported_score:
                event = IMPROVED if score > parent else ACCEPTED
            parent = score
        done += next_step - first
        evaluations = offset + total[next_step - 1]
        if rejected == algorithm.patience:
            rejected = 0
            event = WAITING
    steps.counter[NEXT] = next_step
    counter[EVALUATIONS] = evaluations
    counter[SCORE] = parent
    counter[REJECTED] = rejected
    counter[SIMULATED] += done
    write_genome(fitness, work, mutation, run.genes[GENOME])
    return event


# For online fitness, and for `hyperna._kernels.waiting`, which goes on after a wait.
simulate = inline_kernel(_advance)
_start = inline_kernel(_begin)


def _begin_non_elitist(algorithm, fitness, work, mutation, limits, run, memory):
    event = _start(algorithm, fitness, work, mutation, limits, run, memory)
    memory[0] = run.counter[SCORE]
    return event


def _advance_non_elitist(
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
    """Report the best of the start, whoever asks: the parent at the end need not be the best.

    What is better than its parent is reported to here; `memory` holds the best score of the start.
    """
    event = simulate(
        algorithm, fitness, work, mutation, limits, run, memory, True, reported_score, quota
    )
    if event == IMPROVED:
        score = run.counter[SCORE]
        if score <= memory[0]:
            return ACCEPTED
        memory[0] = score
    return event


implement(OnePlusOne, begin=_begin, advance=_advance)
implement(NonElitistOnePlusOne, begin=_begin_non_elitist, advance=_advance_non_elitist)
implement(LocalOnePlusOne, begin=_begin)  # its `advance`: `hyperna._kernels.waiting`
