"""Many independent runs of one task, by one worker or several."""

import math
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from joblib import effective_n_jobs

from hyperna._validation import IntArray, check_integer, check_jobs
from hyperna._words import counted, shown
from hyperna.parallel import alone, numbered
from hyperna.run.results import MOST_RUNS, Progress, Runs, Seed, seed_sequence

# Blocks of runs for each worker: at the end workers are idle for one block at most, 1/16 of the
# time, and progress is told that often.
_BLOCKS_PER_WORKER = 16


@dataclass
class Halt:
    """Tells runs to stop: once it is `due`, runs that are under way are given up.

    Runs ask it again and again (see `Runner.finished_rows`). Threads see it when the flag is
    raised. A process has a copy of its own, which nobody raises. What ends a single run by its
    result so far is a `hyperna.run.task.StoppingRule`.
    """

    raised: bool = False

    @property
    def due(self) -> bool:
        """Whether runs are to stop now."""
        return self.raised


class Runner(Protocol):
    """All that defines a run but its seed: a `Task` of the (1+1) NA, a `BaselineTask`, or your own.

    Your own algorithm needs `fitness`, `units`, `processes` and `run_block` without `halt` for
    campaigns, and all of this for `run_many`. A runner that also has ``run(seed, number,
    trajectory)`` can replay its runs.
    """

    # Whether it holds the interpreter lock, so that workers must be processes.
    processes: ClassVar[bool]

    @property
    def fitness(self) -> Any:
        """What is measured, of which problem."""

    @property
    def units(self) -> int:
        """Score of a network without a mistake."""

    def finished_rows(
        self, seed: Seed, first: int, last: int, halt: Halt | None = None
    ) -> Iterator[IntArray]:
        """Yield the rows of runs first..last-1 in their order, as soon as some are finished.

        The columns are `hyperna.run.results.COLUMNS`, or more. Once `halt` is due it ends within a
        fraction of a second or, where runs are written in Python, after the current run.
        """

    def run_block(self, seed: Seed, first: int, last: int, halt: Halt | None = None) -> IntArray:
        """Return the rows of runs first..last-1; once `halt` is due, of the first of them.

        A row depends on the seed and its run's number only, not on the block it is in.
        """


def rows_of_block(
    task: Any, seed: Seed, first: int, last: int, halt: Halt | None = None
) -> IntArray:
    """Return the rows of runs first..last-1; once `halt` is due, of the first of them.

    This is `run_block` of tasks that have `finished_rows`, whose rows have its `columns`.
    """
    empty = np.zeros((0, len(task.columns)), np.int64)
    return np.concatenate([empty, *task.finished_rows(seed, first, last, halt)])


class Interrupted(KeyboardInterrupt):
    """An interrupt of `run_many`; `runs` are those that were finished by then."""

    def __init__(self, runs: Runs) -> None:
        super().__init__(f"finished: {counted(len(runs), 'run')}")
        self.runs = runs


def run_many(
    task: Runner,
    runs: int,
    *,
    seed: Seed = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Runs:
    """Run a task of the (1+1) NA or of a baseline many times, independently.

    The result does not depend on `n_jobs`. A KeyboardInterrupt has the finished runs, if there are
    any, as its attribute `runs`.

    Parameters
    ----------
    task : Runner
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
    >>> from hyperna.run.algorithm import OnePlusOneNA
    >>> from hyperna.problems import problem
    >>> task = OnePlusOneNA().task(problem("quarter"))
    >>> run_many(task, 100, seed=1).stop_counts
    {'optimum': 100}
    """
    total = check_integer("runs", runs, 1, MOST_RUNS)
    n_jobs = check_jobs(n_jobs)
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be callable or None, got {shown(progress)}")
    entropy = seed_sequence(seed)
    halt = Halt()
    if alone(n_jobs):
        parts = _one_worker(task, entropy, total, halt)
    else:
        parts = _several_workers(task, entropy, total, halt, n_jobs)
    # by the number of the first run; a block that was given up at once leaves no rows
    finished: dict[int, IntArray] = {}
    done = 0
    try:
        with closing(parts):
            for first, rows in parts:
                if len(rows):
                    finished[first] = rows
                done += len(rows)
                if progress is not None:
                    progress(done, total)
    except KeyboardInterrupt:
        if not finished:
            raise
        raise Interrupted(_joined(finished, task, entropy)) from None
    finally:
        # for threads that are still at work
        halt.raised = True
    if not finished:
        raise ValueError(
            f"no run was finished: the task gave up all {counted(total, 'run')} without any rows"
        )
    return _joined(finished, task, entropy)


Parts = Generator[tuple[int, IntArray], None, None]


def _one_worker(task: Runner, seed: Any, runs: int, halt: Halt) -> Parts:
    """Do all runs here; yield the number of the first finished run, and rows from there on."""
    first = 0
    for rows in task.finished_rows(seed, 0, runs, halt):
        yield first, rows
        first += len(rows)


def _several_workers(task: Runner, seed: Any, runs: int, halt: Halt, n_jobs: int | None) -> Parts:
    """Divide the runs into blocks; yield the first number and the rows of each finished block."""
    size = math.ceil(runs / (_BLOCKS_PER_WORKER * effective_n_jobs(n_jobs)))
    first = range(0, runs, size)
    blocks = ((task, seed, begin, min(begin + size, runs), halt) for begin in first)
    with closing(numbered(type(task).run_block, blocks, n_jobs, task.processes)) as results:
        for number, rows in results:
            yield first[number], rows


def _joined(finished: dict[int, IntArray], task: Runner, seed: Any) -> Runs:
    """Return runs by their numbers; some may be missing."""
    firsts = sorted(finished)
    numbers = [np.arange(first, first + len(finished[first])) for first in firsts]
    rows = np.concatenate([finished[first] for first in firsts])
    return Runs(rows, task.units, seed, task, numbers=np.concatenate(numbers))
