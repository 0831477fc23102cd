"""What a run is, as arrays: its limits, its state and its trace."""

from typing import NamedTuple

import numpy as np

from hyperna._kernels.steps import Steps

NEVER = 2**62

RUNNING, OPTIMUM, TARGET, BUDGET, STAGNATION, STUCK = range(6)
FULL = -1

# What has happened when `walk` returns.
PAUSED, ACCEPTED, IMPROVED, WAITING, EXPIRED = range(5)
# What `run_batch` returns besides RUNNING and FULL: is there a way off this plateau?
PLATEAU = -2
# Waits on one level of fitness before that is asked, and how much longer until the next time.
FIRST_QUESTION, LATER = 4, 4
# So many offspring without improvement count like a wait.
LONG_WALK = 2**15


class Limits(NamedTuple):
    """When a run ends, and how it starts.

    A score of `target` ends a run with success, or being closer than `tolerance` to one of the
    `optima` (alternatives, neurons, genes) in grid units; no genome with a score below `hopeful` is
    near one.
    Components that do not mutate have the `fixed_value`; the others start at multiples of `unit`.
    """

    budget: int
    stagnation: int
    growing: bool
    target: int
    restarts: int
    optima: np.ndarray
    tolerance: float
    hopeful: int
    dim: int
    neurons: int
    width: int
    resolution: int
    unit: int
    sphere: bool
    fixed_value: int
    start: np.ndarray


class Waiting(NamedTuple):
    """How to skip waiting times, for steps to neighbours only.

    After `patience` rejected offspring in a row all neighbours are looked at. `steps` lead to them
    from the genome kept in `genome`.
    """

    patience: int
    steps: Steps
    genome: np.ndarray


class Run(NamedTuple):
    """State of one run.

    Rows of `genes`: the current genome, the best of earlier starts, the changed components and
    their old values. Rows of `real`: scratch space, and (its first entry) the parent's second
    value. `counter`: see the names below. `steps` are those drawn ahead.
    """

    genes: np.ndarray
    real: np.ndarray
    counter: np.ndarray
    stream: np.ndarray
    steps: Steps


GENOME, BEST_GENOME, CHANGED, OLD = range(4)
DIRECTION, SECOND = range(2)


class Trace(NamedTuple):
    """What is recorded of a run; arrays without rows record nothing.

    Rows of `improvements`: evaluation and score of each new best genome. Rows of `path`:
    evaluation, score and genes of each accepted genome.
    """

    improvements: np.ndarray
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
    WAIT_SCORE,
    WAITS,
    QUESTION,
    N_COUNTERS,
) = range(15)
