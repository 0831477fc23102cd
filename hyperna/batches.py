"""Many independent runs of a task, in parallel."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hyperna._validation import check_integer, check_jobs
from hyperna._words import shown
from hyperna.parallel import in_order
from hyperna.results import Runs
from hyperna.search import MOST_RUNS, Halt, Seed, seed_words

Progress = Callable[[int, int], None]

# More blocks than workers, so that none is idle for long and progress can be shown.
_BLOCKS = 128


def run_many(
    task: Any,
    runs: int,
    *,
    seed: Seed = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Runs:
    """Run a task of the (1+1) NA or of a baseline many times, independently.

    The result does not depend on `n_jobs`.

    Parameters
    ----------
    task : Task or BaselineTask
        What to run, from `OnePlusOneNA.task`, `baseline_task` or ``setting(...).runner()``.
    runs : int
        Number of runs.
    seed : int, SeedSequence or None
        The same seed gives the same runs.
    n_jobs : int, optional
        Workers as in joblib (-1: all processors): threads for the (1+1) NA, whose kernels release
        the interpreter lock, else processes; another backend can be set with
        ``joblib.parallel_config``.
    progress : callable, optional
        Called with the number of finished runs and the number of all runs.

    Examples
    --------
    >>> from hyperna.algorithm import OnePlusOneNA
    >>> from hyperna.problems import problem
    >>> task = OnePlusOneNA().task(problem("quarter"))
    >>> run_many(task, 100, seed=1).stop_counts
    {'optimum': 100}
    """
    total = check_integer("runs", runs, 1, MOST_RUNS)
    n_jobs = check_jobs(n_jobs)
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be callable or None, got {shown(progress)}")
    entropy = seed_words(seed)
    size = max(1, math.ceil(total / _BLOCKS))
    blocks = [(first, min(first + size, total)) for first in range(0, total, size)]
    halt = Halt()
    arguments = ((task, entropy, *block, halt) for block in blocks)
    results = in_order(type(task).run_block, arguments, n_jobs, task.processes)
    rows = []
    try:
        for block, part in zip(blocks, results, strict=True):
            rows.append(part)
            if progress is not None:
                progress(block[1], total)
    finally:
        halt.raised = True
        results.close()
    return Runs(np.concatenate(rows), task.units, entropy, task)
