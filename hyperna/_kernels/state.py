"""What a run is, as arrays: its limits, its state and its trace."""

from typing import NamedTuple

import numpy as np

from hyperna._kernels.steps import Steps

NEVER = 2**62

# Why a run has ended.
RUNNING, OPTIMUM, TARGET, BUDGET, STAGNATION, STUCK = range(6)
# What `run_batch` returns besides RUNNING: the trace is full; is there a way off this plateau?
FULL, PLATEAU = -1, -2

# What has happened when an algorithm returns to the loop. WAITING stays inside algorithms.
PAUSED, ACCEPTED, IMPROVED, EXPIRED, UNDECIDED, WAITING = range(6)


class RunLimits(NamedTuple):
    """When a run ends, and how it starts.

    A score of `target` ends a run with success, or being closer than `tolerance`, in grid steps, to
    an optimum. Genomes with a score below `lowest_optimal_score` do not count as near one.

    Components that do not mutate have the `fixed_value`. The others start at multiples of
    `start_unit` grid steps, which is the unit of the move. Under a continuous law it is 1, so that
    a run starts anywhere on its fine grid; `tolerance` is many steps of that grid.
    """

    budget: int
    stagnation: int
    growing: bool
    target: int
    restarts: int
    tolerance: float
    lowest_optimal_score: int
    dim: int
    neurons: int
    width: int
    resolution: int
    start_unit: int
    sphere: bool
    fixed_value: int
    start: np.ndarray


class Run(NamedTuple):
    """State of one run.

    Rows of `genes`: the current genome, the best so far (without the current start unless the
    algorithm has `best_at_once`), the changed components and their old values. `direction` is room
    for a normal, `counter`: see the names below. `steps` are those drawn ahead.
    """

    genes: np.ndarray
    direction: np.ndarray
    counter: np.ndarray
    stream: np.ndarray
    steps: Steps


GENOME, BEST_GENOME, CHANGED, OLD = range(4)


class Trace(NamedTuple):
    """What is recorded of a run; arrays without rows record nothing.

    Rows of `improvements`: evaluation and score of each new best genome. Rows of `path`:
    evaluation, score and genes of each accepted genome.
    """

    improvements: np.ndarray
    path: np.ndarray


# Counters of a run:
#
#   EVALUATIONS    fitness evaluations so far, void steps included
#   SCORE          score of the current genome, -1 if a start has none yet
#   BEST           the best score so far, without the current start unless the algorithm has
#                  `best_at_once`; -1 if there is none
#   HORIZON        evaluation up to which the current start may go. Only `run_batch` sets it: to the
#                  budget when a start begins and, where stagnation is limited, again at every
#                  improvement. A start that ends there is charged up to it, no more and no less
#   REJECTED       offspring rejected in a row, without void steps; known to the (1+1) NA only
#   RESTARTS       how many there were
#   STOP           why the run has ended, or RUNNING
#   STUCK_AT       evaluation at which the current start was found to be stuck, or 0
#   IMPROVEMENTS   rows of `Trace.improvements` that are filled
#   PATH_LENGTH    rows of `Trace.path` that are filled
#   SIMULATED      offspring simulated so far, which quotas limit; neither waits nor void steps that
#                  are drawn as a number count
#   START_DUE      whether a start is to begin
#
# and for `hyperna._kernels.waiting`:
#
#   WAIT_SCORE     score at which the last wait began
#   WAITS          waits and long walks at that score so far
#   QUESTION       number of them after which a way out is in doubt
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
    START_DUE,
    WAIT_SCORE,
    WAITS,
    QUESTION,
    N_COUNTERS,
) = range(16)

# Where a batch of runs is: number of the current run, of the first run of the rows, the number
# after the last run, and whether the current run has begun.
CURRENT, FIRST_RUN, LAST_RUN, BEGUN, N_PROGRESS = range(5)

# Columns of the result of a run, in the order of `hyperna.run.results.COLUMNS`; then, where the
# number of neurons evolves, ROW_NEURONS. Where terms have a cost, `terms_used` follows, which
# `hyperna.run.terms` writes.
ROW_EVALUATIONS, ROW_SCORE, ROW_STOP, ROW_STUCK_AT, ROW_RESTARTS, ROW_NEURONS = range(6)
