"""The (1+1) NA as one fused loop over any kind of fitness.

A run is resumable: everything it is lives in the arrays of `Run`, so that a long run can be
simulated in pieces, between which the caller may report progress, grow the trace or stop.
"""

import math

import numpy as np

from hyperna._kernels.jit import inline_kernel, lean_kernel
from hyperna._kernels.mutation import SELF_ADJUSTING, adjust_velocity
from hyperna._kernels.protocol import (
    evaluate,
    keep,
    optimal,
    pass_over,
    prepare,
    tie,
    undo,
)
from hyperna._kernels.random import geometric, seed_stream, uniform
from hyperna._kernels.start import copy_into, draw_start
from hyperna._kernels.state import (
    ACCEPTED,
    BEST,
    BEST_GENOME,
    BUDGET,
    CHANGED,
    DIRECTION,
    EVALUATIONS,
    EXPIRED,
    FULL,
    GENOME,
    HORIZON,
    IMPROVED,
    IMPROVEMENTS,
    N_COUNTERS,
    NEVER,
    OLD,
    OPTIMUM,
    PATH_LENGTH,
    PAUSED,
    REJECTED,
    RESTARTS,
    RUNNING,
    SCORE,
    SIMULATED,
    STAGNATION,
    STOP,
    STUCK,
    STUCK_AT,
    TARGET,
    TIE,
    VELOCITY,
    WAITING,
)
from hyperna._kernels.steps import (
    DRAWN,
    NEXT,
    TOTAL,
    draw_steps,
    forget_steps,
    restore,
    take_step,
)


@lean_kernel
def record(trace, counter, genome, improved):
    """Note an accepted genome."""
    if improved and counter[SCORE] > counter[BEST] and trace.improvements.shape[0] > 0:
        row = counter[IMPROVEMENTS]
        trace.improvements[row, 0] = counter[EVALUATIONS]
        trace.improvements[row, 1] = counter[SCORE]
        counter[IMPROVEMENTS] += 1
    if trace.path.shape[0] > 0:
        row = counter[PATH_LENGTH]
        trace.path[row, 0] = counter[EVALUATIONS]
        trace.path[row, 1] = counter[SCORE]
        for c in range(genome.size):
            trace.path[row, 2 + c] = genome[c]
        counter[PATH_LENGTH] += 1


@lean_kernel
def trace_full(trace, counter):
    """Whether the next record might not fit."""
    return (0 < trace.improvements.shape[0] <= counter[IMPROVEMENTS]) or (
        0 < trace.path.shape[0] <= counter[PATH_LENGTH]
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
def accepted(fitness, work, limits, run, trace, improved):
    """Bookkeeping after the genome has changed; `improved`: with a better score."""
    counter, genome = run.counter, run.genes[GENOME]
    if improved and limits.stagnation < NEVER:
        counter[HORIZON] = min(limits.budget, counter[EVALUATIONS] + limits.stagnation)
    record(trace, counter, genome, improved)
    counter[STOP] = success(fitness, work, limits, genome, counter[SCORE])


@lean_kernel
def begin(fitness, work, mutation, limits, run):
    """First evaluation of a start (the run's first, or after a restart)."""
    genome, counter = run.genes[GENOME], run.counter
    if limits.start.size > 0 and counter[RESTARTS] == 0:
        copy_into(genome, limits.start)
    else:
        draw_start(limits, mutation, genome, run.real[DIRECTION], run.stream)
    for c in range(genome.size):
        run.real[VELOCITY, c] = 1.0
    counter[EVALUATIONS] += 1
    counter[SCORE] = prepare(fitness, work, genome)
    run.real[TIE, 0] = tie(fitness, work)
    counter[REJECTED] = 0
    counter[HORIZON] = min(limits.budget, counter[EVALUATIONS] + limits.stagnation)


@lean_kernel
def reset(run, mutation, key, number):
    """Set the random numbers and counters to the beginning of run `number` under `key`."""
    seed_stream(key, number, run.stream)
    forget_steps(mutation, run.steps)
    for c in range(N_COUNTERS):
        run.counter[c] = 0
    run.counter[BEST] = -1


@lean_kernel
def remember_best(run):
    """Keep the genome of this start if it is the best of all starts."""
    if run.counter[SCORE] > run.counter[BEST]:
        run.counter[BEST] = run.counter[SCORE]
        copy_into(run.genes[BEST_GENOME], run.genes[GENOME])


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
    genome, changed, old = run.genes[GENOME], run.genes[CHANGED], run.genes[OLD]
    parent = run.counter[SCORE]
    size = mutation.component.size
    mass = 0.0
    for code in range(1, 3**size):
        count = neighbour(mutation, genome, changed, old, code)
        score = evaluate(fitness, work, genome, changed, count, parent)
        if score > parent or (score == parent and tie(fitness, work) >= run.real[TIE, 0]):
            still = (1.0 - mutation.probability) ** (size - count)
            mass += (0.5 * mutation.probability) ** count * still
            if mass > threshold:
                return mass, score, count
        restore(genome, changed, old, count)
        undo(fitness, work, genome, changed, count)
    return mass, parent, 0


@lean_kernel
def skip_wait(fitness, work, mutation, limits, run):
    """Draw the waiting time for the next accepted step of local mutation instead of simulating it.

    The chance of an acceptable step is the same until one happens, so the number of steps before
    it is geometric, and each acceptable neighbour is reached in proportion to its own chance. With
    no chance at all the run is stuck. Returns what has happened, as `walk` does.
    """
    counter = run.counter
    mass, score, count = acceptable_mass(fitness, work, mutation, run, 2.0)
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
    threshold = min(uniform(run.stream), 1.0 - 2.0**-40) * mass
    mass, score, count = acceptable_mass(fitness, work, mutation, run, threshold)
    improved = score > counter[SCORE]
    counter[SCORE] = score
    run.real[TIE, 0] = tie(fitness, work)
    keep(fitness, work, run.genes[GENOME], run.genes[CHANGED], count)
    return IMPROVED if improved else ACCEPTED


@inline_kernel
def within(total, first, last, start, horizon):
    """How many of the steps end before the horizon, as the number after the last of them."""
    while last > first and start + total[last - 1] > horizon:
        last -= 1
    return last


@lean_kernel
def walk(fitness, work, mutation, run, patience, notable, quota):
    """The innermost loop: simulate until something happens that is more than a step.

    That is: the score improves, or a genome with a score of at least `notable` is accepted
    (ACCEPTED, IMPROVED); `patience` offspring in a row are rejected (WAITING); the horizon is
    reached (EXPIRED); `quota` offspring are done (PAUSED). Void steps are drawn as a number.
    """
    genome, changed, old = run.genes[GENOME], run.genes[CHANGED], run.genes[OLD]
    counter, velocity, steps = run.counter, run.real[VELOCITY], run.steps
    total, horizon = steps.step[TOTAL], counter[HORIZON]
    evaluations, parent, rejected = counter[EVALUATIONS], counter[SCORE], counter[REJECTED]
    parent_tie = run.real[TIE, 0]
    event, done = PAUSED, 0
    step, drawn = steps.counter[NEXT], steps.counter[DRAWN]
    start = evaluations - (total[step - 1] if step > 0 else 0)
    while done < quota and event == PAUSED:
        if step == drawn:
            draw_steps(mutation, run.stream, steps, velocity, changed)
            step, drawn, start = 0, steps.counter[DRAWN], evaluations
        last = min(drawn, step + quota - done)
        if patience > 0:
            last = min(last, step + patience - rejected)
        last = within(total, step, last, start, horizon)
        if last == step:
            # this step has been looked at, and is not to be used for anything else
            step += 1
            event = EXPIRED
            break
        first = step
        if mutation.kind != SELF_ADJUSTING:
            step = pass_over(fitness, work, mutation, steps, genome, step, last, parent)
        rejected += step - first
        if step < last:
            count = take_step(mutation, steps, step, genome, changed, old)
            step += 1
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
            else:
                restore(genome, changed, old, count)
                undo(fitness, work, genome, changed, count)
                rejected += 1
        done += step - first
        evaluations = start + total[step - 1]
        if rejected == patience and patience > 0:
            rejected = 0
            event = WAITING
    steps.counter[NEXT] = step
    counter[EVALUATIONS], counter[SCORE], counter[REJECTED] = evaluations, parent, rejected
    counter[SIMULATED] += done
    run.real[TIE, 0] = parent_tie
    return event


@lean_kernel
def restarts(limits, counter):
    """Whether a run that has stopped begins anew."""
    return (
        counter[STOP] >= STAGNATION
        and counter[RESTARTS] < limits.restarts
        and counter[EVALUATIONS] < limits.budget
    )


@lean_kernel
def write_row(row, counter):
    """The result of a run; one that is stuck counts the evaluations it would have made."""
    row[0] = counter[EVALUATIONS]
    if counter[STOP] == STUCK and counter[HORIZON] < NEVER:
        row[0] = counter[HORIZON]
    row[1] = counter[BEST]
    row[2] = counter[STOP]
    row[3] = counter[STUCK_AT]
    row[4] = counter[RESTARTS]


@lean_kernel
def run_batch(fitness, work, mutation, limits, key, run, trace, progress, quota, result, genomes):
    """Simulate runs one after the other, about `quota` offspring in all.

    `progress`: number of the current run, number of the first run of the rows, number after the
    last run, whether the current run has begun. Columns of `result`: evaluations, score, stop
    reason, evaluations when found stuck, restarts. Returns FULL when the trace is, else RUNNING;
    the batch is complete when the current run is the one after the last.
    """
    counter = run.counter
    notable = limits.hopeful if limits.optima.shape[0] > 0 else np.int64(NEVER)
    if trace.path.shape[0] > 0:
        notable = np.int64(0)
    left = quota
    if progress[3] == 1:
        prepare(fitness, work, run.genes[GENOME])
    while progress[0] < progress[2] and left > 0:
        if trace_full(trace, counter) and progress[3] == 1:
            return FULL
        if progress[3] == 0 or restarts(limits, counter):
            if progress[3] == 0:
                reset(run, mutation, key, progress[0])
                progress[3] = 1
            else:
                counter[RESTARTS] += 1
            begin(fitness, work, mutation, limits, run)
            event = IMPROVED
            left -= 1
        else:
            before = counter[SIMULATED]
            event = walk(fitness, work, mutation, run, limits.patience, notable, left)
            if event == WAITING:
                event = skip_wait(fitness, work, mutation, limits, run)
            left -= counter[SIMULATED] - before
        if event == EXPIRED:
            out_of_time(limits, counter)
        elif event in (ACCEPTED, IMPROVED):
            accepted(fitness, work, limits, run, trace, event == IMPROVED)
        if counter[STOP] != RUNNING:
            remember_best(run)
            if not restarts(limits, counter):
                row = progress[0] - progress[1]
                write_row(result[row], counter)
                if genomes.shape[0] > 0:
                    copy_into(genomes[row], run.genes[BEST_GENOME])
                progress[0] += 1
                progress[3] = 0
    return RUNNING
