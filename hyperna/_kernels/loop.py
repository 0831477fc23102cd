"""The one loop of all algorithms: runs, starts, limits, records and success.

What happens between two events that are worth a record is the business of the kind of algorithm:
`hyperna._kernels.one_plus_one`, `hyperna._kernels.waiting`, `hyperna._kernels.populations` and
`hyperna._kernels.topology`.

A run is resumable: everything it is lives in the arrays of `Run` and in the memory of its
algorithm, so that a long run can be simulated in pieces, between which the caller may report
progress, grow the trace or stop.
"""

import numpy as np

from hyperna._kernels import (  # noqa: F401  kinds that are always known
    announcement,
    one_plus_one,
    rotations,
)
from hyperna._kernels.jit import inline_kernel, kernel
from hyperna._kernels.order import larger, smaller
from hyperna._kernels.protocol import advance, begin, optimal
from hyperna._kernels.random import seed_samples, seed_stream
from hyperna._kernels.state import (
    BEGUN,
    BEST,
    BEST_GENOME,
    BUDGET,
    CURRENT,
    EVALUATIONS,
    EXPIRED,
    FIRST_RUN,
    FULL,
    GENOME,
    HORIZON,
    IMPROVED,
    IMPROVEMENTS,
    LAST_RUN,
    N_COUNTERS,
    NEVER,
    OPTIMUM,
    PATH_LENGTH,
    PAUSED,
    PLATEAU,
    RESTARTS,
    ROW_EVALUATIONS,
    ROW_NEURONS,
    ROW_RESTARTS,
    ROW_SCORE,
    ROW_STOP,
    ROW_STUCK_AT,
    RUNNING,
    SCORE,
    SIMULATED,
    STAGNATION,
    START_DUE,
    STOP,
    STUCK,
    STUCK_AT,
    TARGET,
    UNDECIDED,
)
from hyperna._kernels.steps import DRAWN, FEWEST_STEPS, NEXT, WANTED


@inline_kernel
def success(fitness, work, limits, optima, genome, score):
    """Reason to stop with success, or RUNNING."""
    if score >= limits.target:
        return TARGET
    if optima is not None:  # noqa: SIM102  so that it is not compiled where there are none
        if score >= limits.lowest_optimal_score and optimal(
            fitness, work, genome, optima, limits.tolerance
        ):
            return OPTIMUM
    return RUNNING


@inline_kernel
def horizon(limits, counter):
    """Evaluation at which a start ends unless it improves once more, at most the budget.

    This is asked at each improvement where stagnation is limited. With `limits.growing` start k may
    stagnate for u_k times `limits.stagnation` evaluations, where u = 1, 1, 2, 1, 1, 2, 4, ... is
    the sequence of Luby, Sinclair and Zuckerman (1993): u_k = 2^i for k = 2^(i+1) - 1, and from
    k = 2^i on, up to there, the sequence begins again.
    """
    allowed = limits.stagnation
    if limits.growing:
        k = counter[RESTARTS] + 1
        power = np.int64(1)
        while 2 * power - 1 < k:
            power *= 2
        while 2 * power - 1 != k:
            if power <= k:
                k -= power - 1
            power //= 2
        allowed *= power
    return smaller(limits.budget, counter[EVALUATIONS] + allowed)


@kernel
def run_batch(
    fitness,
    work,
    mutation,
    limits,
    optima,
    algorithm,
    memory,
    key,
    run,
    trace,
    progress,
    quota,
    rows,
    genomes,
):
    """Simulate runs one after the other, about `quota` offspring in all.

    `work` are the arrays of the kind of `fitness`, `memory` those of the kind of `algorithm`.
    `optima` is an array (alternatives, neurons, genes) in grid units; it may be None when only a
    score ends a run with success. `key` and the number of a run are its seed. Every run leaves a
    row in `rows` and, if there is room, its best genome in `genomes`. `run`, `trace`, `progress`
    and the columns of `rows`: see `hyperna._kernels.state`.

    Returns FULL when the trace is, PLATEAU to ask whether there is a way off the current one, else
    RUNNING; the batch is complete when the current run is the one after the last.
    """
    counter = run.counter
    genome = run.genes[GENOME]
    best = run.genes[BEST_GENOME]
    improvements = trace.improvements
    path = trace.path
    # The algorithm reports what may end the run or is to be recorded, and nothing else.
    report_improvements = improvements.shape[0] > 0 or limits.stagnation < NEVER
    reported_score = smaller(limits.target, limits.lowest_optimal_score)
    if path.shape[0] > 0:
        reported_score = np.int64(0)
    left = quota
    while progress[CURRENT] < progress[LAST_RUN] and left > 0:
        # 1. a new run
        if progress[BEGUN] == 0:
            seed_stream(key, progress[CURRENT], run.stream)
            seed_samples(run.stream, run.steps.stream)
            run.steps.counter[NEXT] = 0
            run.steps.counter[DRAWN] = 0
            run.steps.counter[WANTED] = FEWEST_STEPS
            for c in range(N_COUNTERS):
                counter[c] = 0
            counter[BEST] = -1
            counter[START_DUE] = 1
            progress[BEGUN] = 1
        if (
            0 < improvements.shape[0] <= counter[IMPROVEMENTS]
            or 0 < path.shape[0] <= counter[PATH_LENGTH]
        ):
            return FULL
        # 2. simulate until something happens
        before = counter[SIMULATED]
        if counter[START_DUE] == 1:
            counter[START_DUE] = 0
            counter[HORIZON] = limits.budget
            event = begin(algorithm, fitness, work, mutation, limits, run, memory)
        elif counter[STOP] == RUNNING:
            event = advance(
                algorithm,
                fitness,
                work,
                mutation,
                limits,
                run,
                memory,
                report_improvements,
                reported_score,
                left,
            )
            if event == UNDECIDED:
                return PLATEAU
        else:
            # after PLATEAU was returned the caller has found no way off, and has ended the run
            event = PAUSED
        left -= larger(counter[SIMULATED] - before, 1)
        # 3. what has happened; a run that `advance` found to be stuck has its reason in STOP
        if event == EXPIRED:
            # waits may have passed the horizon, generations and void steps stop short of it
            counter[EVALUATIONS] = counter[HORIZON]
            counter[STOP] = BUDGET if counter[HORIZON] == limits.budget else STAGNATION
        elif event != PAUSED:
            score = counter[SCORE]
            if event == IMPROVED and limits.stagnation < NEVER:
                counter[HORIZON] = horizon(limits, counter)
            if event == IMPROVED and score > counter[BEST] and improvements.shape[0] > 0:
                improvements[counter[IMPROVEMENTS], 0] = counter[EVALUATIONS]
                improvements[counter[IMPROVEMENTS], 1] = score
                counter[IMPROVEMENTS] += 1
            if path.shape[0] > 0:
                path[counter[PATH_LENGTH], 0] = counter[EVALUATIONS]
                path[counter[PATH_LENGTH], 1] = score
                for c in range(genome.size):
                    path[counter[PATH_LENGTH], 2 + c] = genome[c]
                counter[PATH_LENGTH] += 1
            counter[STOP] = success(fitness, work, limits, optima, genome, score)
        # 4. the best network; near an optimum the score may be lower than that of an earlier one,
        # but the network that was found is this one
        ended = counter[STOP] != RUNNING
        if ended or algorithm.best_at_once:
            last = genome.size - 1  # where the number of neurons evolves, that is it
            sized = rows.shape[1] > ROW_NEURONS
            if (
                counter[SCORE] > counter[BEST]
                or counter[STOP] == OPTIMUM
                or (sized and counter[SCORE] == counter[BEST] and genome[last] < best[last])
            ):
                counter[BEST] = counter[SCORE]
                for c in range(genome.size):
                    best[c] = genome[c]
        # 5. the end of a start, and of a run
        if (
            (counter[STOP] == STAGNATION or counter[STOP] == STUCK)
            and counter[RESTARTS] < limits.restarts
            and counter[EVALUATIONS] < limits.budget
        ):
            counter[RESTARTS] += 1
            counter[STOP] = RUNNING
            counter[STUCK_AT] = 0
            counter[START_DUE] = 1
        elif ended:
            row = rows[progress[CURRENT] - progress[FIRST_RUN]]
            row[ROW_EVALUATIONS] = counter[EVALUATIONS]
            if counter[STOP] == STUCK:
                # the evaluations that it would have made
                row[ROW_EVALUATIONS] = counter[HORIZON]
            row[ROW_SCORE] = counter[BEST]
            row[ROW_STOP] = counter[STOP]
            row[ROW_STUCK_AT] = counter[STUCK_AT]
            row[ROW_RESTARTS] = counter[RESTARTS]
            if row.size > ROW_NEURONS:
                row[ROW_NEURONS] = best[best.size - 1]
            if genomes.shape[0] > 0:
                for c in range(best.size):
                    genomes[progress[CURRENT] - progress[FIRST_RUN], c] = best[c]
            progress[CURRENT] += 1
            progress[BEGUN] = 0
    return RUNNING
