"""Doing the runs of a campaign: jobs of about a second, sized by what runs have taken so far.

A job is a list of pieces (setting, first, last). A worker does as much of it as fits into the time
it is given and hands the finished blocks back; what is left over comes into a later job. So wrong
guesses of how long runs take cost nothing, and neither the size of jobs nor their order has an
influence on the results.
"""

import itertools
import math
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import lru_cache
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs

from hyperna._validation import IntArray
from hyperna.experiments.lines import Block
from hyperna.experiments.run_numbers import Intervals, count
from hyperna.experiments.setting import Setting
from hyperna.experiments.store import Writer
from hyperna.parallel import numbered
from hyperna.run.many import Runner

Piece = tuple[Setting, int, int]
Job = list[Piece]

# Seconds that a job is planned for. All that is not a run (handing out, storing, reporting) took
# 0.6 seconds for each second of runs with jobs of 0.1 seconds, and 0.4 with 1 and with 4 (2,000
# runs of a millisecond in 200 settings, one worker); a crash loses one job of each worker, and
# progress is told after each. `benchmarks/campaigns.py` measures more.
_PLANNED = 1.0
# Seconds after which a worker begins no more runs: twice the plan, because first guesses are poor.
_LONGEST = 2.0
# Seconds of the last jobs, which are shorter so that all workers end together.
_SHORTEST = 0.2
# Seconds between two looks at the clock, so that a job ends within 5 % of `_LONGEST`.
_PULSE = 0.1
# Seconds that a run takes as long as none is known. It matters for the first job of each worker
# only, which ends after `_LONGEST` if it is too small a guess, and early if it is too large.
_FIRST_GUESS = 0.01
# Pieces of a job, each with a setting that goes to the worker and a line in the store: quick runs
# of many settings would otherwise make jobs that take longer to hand over than to do.
_MOST_PIECES = 256


class Done(NamedTuple):
    """What a worker did of a piece: rows of its first runs, and what they took."""

    rows: IntArray
    units: int
    seconds: float
    seconds_per_run: float


@lru_cache(maxsize=8)
def cached_runner(setting: Setting) -> Runner:
    """Return the runner of a setting; a worker makes it once for many jobs."""
    return setting.runner()


def work(job: Job, seconds: float) -> list[Done]:
    """Do the first pieces of a job one after the other until time is up, but at least one run.

    What may have to be compiled comes first in a job or not at all: an interrupt of the compiler,
    which takes seconds, costs no run that is finished.
    """
    done: list[Done] = []
    end = time.perf_counter() + seconds
    for piece in job:
        kind = _compiled_kind(cached_runner(piece[0]))
        if done and kind not in _MET:
            break
        done.append(_work_piece(*piece, end))
        _MET.add(kind)
        if time.perf_counter() >= end:
            break
    return done


# Kinds of runners that have run in this process.
_MET: set[Any] = set()


def _compiled_kind(runner: Any) -> Any:
    """Return what decides which code is compiled for a runner."""
    return getattr(runner, "compiled_kind", type(runner))


def _work_piece(setting: Setting, first: int, last: int, end: float) -> Done:
    begin = time.perf_counter()
    runner = cached_runner(setting)
    parts = [runner.run_block(setting.entropy, first, first + 1)]
    # The first run may have to compile, so it tells nothing about the others unless it is alone.
    warm = now = time.perf_counter()
    number = first + 1
    size = 1
    while number < last and now < end:
        size = min(size, last - number)
        parts.append(runner.run_block(setting.entropy, number, number + size))
        number += size
        before, now = now, time.perf_counter()
        size = max(1, min(8 * size, int(size * _PULSE / max(now - before, 1e-6))))
    alone = number == first + 1
    cost = now - begin if alone else (now - warm) / (number - first - 1)
    return Done(np.concatenate(parts), runner.units, now - begin, cost)


class Queue:
    """What is still to be done, cut into jobs when workers need them.

    Threads of workers take jobs while the main thread hands back what is left over.
    """

    def __init__(self, todo: dict[Setting, Intervals], workers: int) -> None:
        self._todo = {setting: list(intervals) for setting, intervals in todo.items() if intervals}
        self._out: dict[int, Job] = {}
        self._cost: dict[Setting, float] = {}
        # Settings of which one run alone is known, which may have waited for the compiler.
        self._unsure: set[Setting] = set()
        self._typical = _FIRST_GUESS
        self._workers = workers
        self._lock = Lock()

    def __bool__(self) -> bool:
        return bool(self._todo)

    def jobs(self) -> Iterator[tuple[Job, float]]:
        """Yield the arguments of `work` until nothing is left at this moment."""
        for number in itertools.count():
            with self._lock:
                job = self._next_job()
                if not job:
                    return
                self._out[number] = job
            yield job, _LONGEST

    def done(self, number: int, results: list[Done]) -> list[Block]:
        """Learn from a finished job, take back what was not done, and return its blocks."""
        blocks = []
        with self._lock:
            pieces = itertools.zip_longest(self._out.pop(number), results)
            for (setting, first, last), result in pieces:
                if result is not None:
                    blocks.append(Block(setting, first, *result[:3]))
                    self._learn(setting, result)
                    first = blocks[-1].last
                if first < last:
                    self._todo.setdefault(setting, []).insert(0, (first, last))
        return blocks

    def _learn(self, setting: Setting, result: Done) -> None:
        if setting not in self._cost and len(result.rows) == 1:
            self._unsure.add(setting)
        else:
            self._unsure.discard(setting)
        self._cost[setting] = result.seconds_per_run
        if setting not in self._unsure or len(self._unsure) == len(self._cost):
            self._typical = result.seconds_per_run

    def _expected(self, setting: Setting) -> float:
        """Return the seconds that a run of a setting takes, as far as that is known."""
        cost = self._cost.get(setting, self._typical)
        return min(cost, self._typical) if setting in self._unsure else cost

    def seconds_left(self) -> float:
        """Return an estimate of the time for the work that is not in a job yet."""
        with self._lock:
            return self._estimate()

    def _estimate(self, enough: float = math.inf) -> float:
        """Return the seconds of all workers together; it may stop counting at `enough`."""
        left = 0.0
        for setting, intervals in self._todo.items():
            left += count(intervals) * self._expected(setting) / self._workers
            if left >= enough:
                break
        return left

    def _next_job(self) -> Job:
        job: Job = []
        rest = planned = self._planned_seconds()
        while self._todo and len(job) < _MOST_PIECES and rest > planned / 10:
            setting, intervals = next(iter(self._todo.items()))
            cost = max(self._expected(setting), 1e-7)
            first, last = intervals.pop(0)
            cut = min(last, first + math.ceil(rest / cost))
            if cut < last:
                intervals.insert(0, (cut, last))
            if not intervals:
                del self._todo[setting]
            job.append((setting, first, cut))
            rest -= (cut - first) * cost
        return job

    def _planned_seconds(self) -> float:
        """Long enough to make overhead small, short enough to keep all workers busy to the end."""
        longest = _PLANNED * max(1.0, self._workers / 16)
        if self._workers == 1:
            return longest
        return min(longest, max(_SHORTEST, self._estimate(enough=2 * longest) / 2))


def work_off(
    todo: dict[Setting, Intervals],
    writer: Writer,
    *,
    processes: bool,
    report: Callable[[int, float], None],
) -> None:
    """Do all runs in `todo`, storing each job's runs as soon as it is done.

    `report` is told the number of runs just finished, and an estimate of the seconds left.
    """
    queue = Queue(todo, effective_n_jobs(None))
    while queue:
        with closing(numbered(work, queue.jobs(), processes=processes)) as finished:
            for number, results in finished:
                blocks = queue.done(number, results)
                writer.append(blocks)
                report(sum(len(block.rows) for block in blocks), queue.seconds_left())
