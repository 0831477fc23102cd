"""The (1+1) NA between two events: the innermost loop."""

import numpy as np

from hyperna._kernels.algorithms import LocalOnePlusOne, OnePlusOne, OnlineOnePlusOne
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
    evaluated in portions, from `first` to before `last` of the drawn steps, up to the first that is
    accepted.
    """
    counter = run.counter
    steps = run.steps
    changed = run.genes[CHANGED]
    # evaluations up to each of the drawn steps, void ones included
    total = steps.step[TOTAL]
    horizon = counter[HORIZON]
    evaluations, parent, rejected = counter[EVALUATIONS], counter[SCORE], counter[REJECTED]
    event = PAUSED
    done = 0
    next_step, drawn = steps.counter[NEXT], steps.counter[DRAWN]
    start = evaluations - (total[next_step - 1] if next_step > 0 else 0)
    while done < quota and event == PAUSED:
        if next_step == drawn:
            draw_steps(mutation, run.stream, steps, changed)
            next_step = np.int64(0)
            drawn = steps.counter[DRAWN]
            start = evaluations
        last = smaller(drawn, next_step + quota - done)
        last = smaller(last, next_step + algorithm.patience - rejected)
        if mutation.law.kind == ADAPTIVE:
            last = smaller(last, next_step + MOST_COMPLETED)
        while last > next_step and start + total[last - 1] > horizon:
            last -= 1
        if last == next_step:
            # this step has been looked at, and is not to be used for anything else
            next_step += 1
            event = EXPIRED
            break
        first = next_step
        complete_steps(mutation.law, mutation, steps, first, last, changed)
        accepted, score = first_accepted(
            fitness, work, mutation, steps, run.genes, first, last, parent
        )
        update_law(mutation.law, mutation, steps, accepted, last, changed, score > parent)
        next_step = accepted
        rejected += accepted - first
        if accepted < last:
            next_step += 1
            rejected = 0
            if (report_improvements and score > parent) or score >= reported_score:
                event = IMPROVED if score > parent else ACCEPTED
            parent = score
        done += next_step - first
        evaluations = start + total[next_step - 1]
        if rejected == algorithm.patience:
            rejected = 0
            event = WAITING
    steps.counter[NEXT] = next_step
    counter[EVALUATIONS], counter[SCORE], counter[REJECTED] = evaluations, parent, rejected
    counter[SIMULATED] += done
    write_genome(fitness, work, mutation, run.genes[GENOME])
    return event


# For online fitness, and for `hyperna._kernels.waiting`, which goes on after a wait.
simulate = inline_kernel(_advance)
_start = inline_kernel(_begin)


def _begin_online(algorithm, fitness, work, mutation, limits, run, memory):
    event = _start(algorithm, fitness, work, mutation, limits, run, memory)
    memory[0] = run.counter[SCORE]
    return event


def _advance_online(
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
implement(OnlineOnePlusOne, begin=_begin_online, advance=_advance_online)
implement(LocalOnePlusOne, begin=_begin)
