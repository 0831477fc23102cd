"""The (1+1) NA as one fused loop over any kind of fitness.

A run is resumable: everything it is lives in the arrays of `Run`, so that a long run can be
simulated in pieces, between which the caller may report progress, grow the trace or stop.
"""

import numpy as np

from hyperna._kernels import announcement, rotations  # noqa: F401  both act when imported
from hyperna._kernels.jit import inline_kernel, inner_kernel, kernel
from hyperna._kernels.lengths import MOST_AIMED
from hyperna._kernels.mutation import SELF_ADJUSTING
from hyperna._kernels.order import smaller
from hyperna._kernels.protocol import aim, learn, look, optimal, prepare, write_genome
from hyperna._kernels.random import seed_samples, seed_stream
from hyperna._kernels.start import draw_start
from hyperna._kernels.state import (
    ACCEPTED,
    BEST,
    BEST_GENOME,
    BUDGET,
    CHANGED,
    DIRECTION,
    EVALUATIONS,
    EXPIRED,
    FIRST_QUESTION,
    FULL,
    GENOME,
    HORIZON,
    IMPROVED,
    IMPROVEMENTS,
    LATER,
    LONG_WALK,
    N_COUNTERS,
    NEVER,
    OPTIMUM,
    PATH_LENGTH,
    PAUSED,
    PLATEAU,
    QUESTION,
    REJECTED,
    RESTARTS,
    RUNNING,
    SCORE,
    SECOND,
    SIMULATED,
    STAGNATION,
    STOP,
    STUCK,
    STUCK_AT,
    TARGET,
    WAIT_SCORE,
    WAITING,
    WAITS,
)
from hyperna._kernels.steps import DRAWN, FEWEST_STEPS, NEXT, TOTAL, WANTED, draw_steps
from hyperna._kernels.waiting import skip_wait


@inline_kernel
def success(fitness, work, limits, optima, genome, score):
    """Reason to stop with success, or RUNNING."""
    if score >= limits.target:
        return TARGET
    if optima is not None:  # noqa: SIM102  so that it is not compiled where there are none
        if score >= limits.hopeful and optimal(fitness, work, genome, optima, limits.tolerance):
            return OPTIMUM
    return RUNNING


@inline_kernel
def record(trace, counter, genome, improved):
    """Note an accepted genome; `improved`: with a better score than its parent's."""
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


@inline_kernel
def horizon(limits, counter):
    """Evaluation at which a start ends unless it improves.

    With `limits.growing` start k may stagnate for u_k times `limits.stagnation` evaluations, where
    u = 1, 1, 2, 1, 1, 2, 4, ... is the sequence of Luby, Sinclair and Zuckerman (1993).
    """
    allowed = limits.stagnation
    if limits.growing:
        start, size = counter[RESTARTS] + 1, np.int64(1)
        while 2 * size - 1 < start:
            size *= 2
        while 2 * size - 1 != start:
            if size <= start:
                start -= size - 1
            size //= 2
        allowed *= size
    return smaller(limits.budget, counter[EVALUATIONS] + allowed)


@inline_kernel
def begin(fitness, work, mutation, limits, run):
    """First evaluation of a start (the run's first, or after a restart)."""
    genome, counter = run.genes[GENOME], run.counter
    if limits.start.size > 0 and counter[RESTARTS] == 0:
        for c in range(genome.size):
            genome[c] = limits.start[c]
    else:
        draw_start(limits, mutation, genome, run.real[DIRECTION], run.stream)
    for c in range(genome.size):
        run.steps.velocity[c] = 1.0
    counter[EVALUATIONS] += 1
    counter[SCORE], run.real[SECOND, 0] = prepare(fitness, work, genome)
    counter[REJECTED] = 0
    counter[HORIZON] = horizon(limits, counter)


@inline_kernel
def reset(run, mutation, key, number):
    """Set the random numbers and counters to the beginning of run `number` under `key`."""
    seed_stream(key, number, run.stream)
    seed_samples(run.stream, run.steps.stream)
    run.steps.counter[NEXT] = 0
    run.steps.counter[DRAWN] = 0
    run.steps.counter[WANTED] = 1 if mutation.law.kind == SELF_ADJUSTING else FEWEST_STEPS
    for c in range(N_COUNTERS):
        run.counter[c] = 0
    run.counter[BEST] = -1


@inline_kernel
def walk(fitness, work, mutation, run, waiting, watched, notable, quota):
    """The innermost loop: simulate until something happens that is more than a step.

    That is: the score improves, if that is `watched`, or a genome with a score of at least
    `notable` is accepted (IMPROVED, ACCEPTED); so many offspring in a row are rejected that all
    neighbours are to be looked at (WAITING); the horizon is reached (EXPIRED); `quota` offspring
    are done (PAUSED). Void steps are drawn as a number.
    """
    counter, steps, changed = run.counter, run.steps, run.genes[CHANGED]
    total, horizon = steps.step[TOTAL], counter[HORIZON]
    evaluations, parent, rejected = counter[EVALUATIONS], counter[SCORE], counter[REJECTED]
    second = run.real[SECOND, 0]
    event, done = PAUSED, 0
    step, drawn = steps.counter[NEXT], steps.counter[DRAWN]
    start = evaluations - (total[step - 1] if step > 0 else 0)
    while done < quota and event == PAUSED:
        if step == drawn:
            draw_steps(mutation, run.stream, steps, changed)
            step, drawn, start = np.int64(0), steps.counter[DRAWN], evaluations
        last = smaller(drawn, step + quota - done)
        if waiting is not None:
            last = smaller(last, step + waiting.patience - rejected)
        if mutation.law.kind >= SELF_ADJUSTING:
            last = smaller(last, step + MOST_AIMED)
        while last > step and start + total[last - 1] > horizon:
            last -= 1
        if last == step:
            # this step has been looked at, and is not to be used for anything else
            step += 1
            event = EXPIRED
            break
        first = step
        aim(mutation.law, mutation, steps, first, last, changed)
        step, score, second = look(
            fitness, work, mutation, steps, run.genes, step, last, parent, second
        )
        learn(mutation.law, mutation, steps, step, last, changed, score > parent)
        rejected += step - first
        if step < last:
            step += 1
            rejected = 0
            if (watched and score > parent) or score >= notable:
                event = IMPROVED if score > parent else ACCEPTED
            parent = score
        done += step - first
        evaluations = start + total[step - 1]
        if waiting is not None and rejected == waiting.patience:
            rejected = 0
            event = WAITING
    steps.counter[NEXT] = step
    counter[EVALUATIONS], counter[SCORE], counter[REJECTED] = evaluations, parent, rejected
    counter[SIMULATED] += done
    run.real[SECOND, 0] = second
    return event


@inline_kernel
def restarts(limits, counter):
    """Whether a run that has stopped starts again."""
    return (
        counter[STOP] >= STAGNATION
        and counter[RESTARTS] < limits.restarts
        and counter[EVALUATIONS] < limits.budget
    )


@inner_kernel
def asks_for_a_way_out(counter):
    """Count a wait or a long walk; whether after so many of them a way out is in doubt."""
    if counter[WAIT_SCORE] != counter[SCORE]:
        counter[WAIT_SCORE], counter[WAITS], counter[QUESTION] = counter[SCORE], 0, FIRST_QUESTION
    counter[WAITS] += 1
    if counter[WAITS] < counter[QUESTION]:
        return False
    counter[QUESTION] *= LATER
    counter[REJECTED] = 0
    return True


@inline_kernel
def remember_best(counter, genome, best):
    """Keep the genome of a start that has ended if it is the best of all starts."""
    if counter[SCORE] > counter[BEST]:
        counter[BEST] = counter[SCORE]
        for c in range(genome.size):
            best[c] = genome[c]


@inline_kernel
def is_full(trace, counter):
    """Whether there is no room for another record."""
    return (
        0 < trace.improvements.shape[0] <= counter[IMPROVEMENTS]
        or 0 < trace.path.shape[0] <= counter[PATH_LENGTH]
    )


@inline_kernel
def finish(counter, best, progress, result, genomes):
    """Write the result of a run and go on to the next.

    One that is stuck counts the evaluations it would have made.
    """
    row = result[progress[0] - progress[1]]
    row[0] = counter[EVALUATIONS]
    if counter[STOP] == STUCK and counter[HORIZON] < NEVER:
        row[0] = counter[HORIZON]
    row[1], row[2] = counter[BEST], counter[STOP]
    row[3], row[4] = counter[STUCK_AT], counter[RESTARTS]
    for c in range(best.size if genomes.shape[0] > 0 else 0):
        genomes[progress[0] - progress[1], c] = best[c]
    progress[0] += 1
    progress[3] = 0


@kernel
def run_batch(
    fitness,
    work,
    mutation,
    limits,
    optima,
    waiting,
    key,
    run,
    trace,
    progress,
    quota,
    result,
    genomes,
):
    """Simulate runs one after the other, about `quota` offspring in all.

    `optima` is an array (alternatives, neurons, genes) in grid units; it may be None when only a
    score ends a run with success. `waiting` is None where waiting times are simulated. `progress`:
    number of the current run, number of the first run of the rows, number after the last run,
    whether the current run has begun. Columns of `result`: evaluations, score, stop reason,
    evaluations when found stuck, restarts. Returns FULL when the trace is, PLATEAU to ask whether
    there is a way off the current one, else RUNNING; the batch is complete when the current run is
    the one after the last.
    """
    counter, genome, best = run.counter, run.genes[GENOME], run.genes[BEST_GENOME]
    notable = smaller(limits.target, limits.hopeful)
    if trace.path.shape[0] > 0:
        notable = np.int64(0)
    watched = trace.improvements.shape[0] > 0 or limits.stagnation < NEVER
    left = quota
    while progress[0] < progress[2] and left > 0:
        if progress[3] == 1 and is_full(trace, counter):
            return FULL
        if progress[3] == 0 or restarts(limits, counter):
            if progress[3] == 0:
                reset(run, mutation, key, progress[0])
                progress[3] = 1
            else:
                # the caller may have ended the start before, on a plateau
                remember_best(counter, genome, best)
                counter[RESTARTS] += 1
            begin(fitness, work, mutation, limits, run)
            event = IMPROVED
            left -= 1
        elif counter[STOP] == RUNNING:
            before = counter[SIMULATED]
            pause = left
            if waiting is not None:
                pause = smaller(left, LONG_WALK - before % LONG_WALK)
            event = walk(fitness, work, mutation, run, waiting, watched, notable, pause)
            write_genome(fitness, work, mutation, genome)
            if waiting is not None:
                # a walk over equally fit genomes may go on without end, and without a wait
                long = event == PAUSED and counter[SIMULATED] % LONG_WALK == 0
                if (event == WAITING or long) and asks_for_a_way_out(counter):
                    return PLATEAU
                if event == WAITING:
                    event = skip_wait(fitness, work, mutation, run, waiting)
            left -= counter[SIMULATED] - before
        else:
            # the caller has found that there is no way off the plateau
            event = PAUSED
        if event == EXPIRED:
            counter[EVALUATIONS] = counter[HORIZON]
            counter[STOP] = BUDGET if counter[HORIZON] == limits.budget else STAGNATION
        elif event != PAUSED:
            if event == IMPROVED and limits.stagnation < NEVER:
                counter[HORIZON] = horizon(limits, counter)
            record(trace, counter, genome, event == IMPROVED)
            counter[STOP] = success(fitness, work, limits, optima, genome, counter[SCORE])
        if counter[STOP] != RUNNING:
            remember_best(counter, genome, best)
            if not restarts(limits, counter):
                finish(counter, best, progress, result, genomes)
    return RUNNING
