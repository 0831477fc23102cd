"""What the runs of one setting say, with 95 % intervals: the one summary for all who show it."""

import math
from functools import cached_property
from typing import Any

import numpy as np

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.analysis.statistics import (
    Interval,
    RunningTime,
    bootstrap_interval,
    expected_running_time,
    wilson_interval,
)
from hyperna.results import Runs


class Summary:
    """Success, evaluations and fitness of many runs, with their uncertainty.

    Intervals are computed when they are first read: Wilson's for shares, bootstrap intervals for
    the rest (see `hyperna.analysis.statistics`).

    Parameters
    ----------
    evaluations, success, fitness : arrays
        One value per run.

    Attributes
    ----------
    runs, successes : int
        Number of runs, and of successful ones.
    share : float
        Share of successful runs.
    mean, sd, median : float
        Of the evaluations of all runs; a failed run counts with what it spent.
    mean_fitness, best_fitness : float
        Of the best fitness of each run.

    Examples
    --------
    >>> some = Summary(np.array([10, 20, 30, 40]), np.array([1, 1, 1, 0]) > 0, np.ones(4))
    >>> some.share, some.mean, some.median, round(some.running_time.value, 1)
    (0.75, 25.0, 25.0, 33.3)
    """

    def __init__(self, evaluations: IntArray, success: BoolArray, fitness: FloatArray) -> None:
        self.evaluations, self.success, self.fitness = evaluations, success, fitness
        self.runs = len(evaluations)
        self.successes = int(np.count_nonzero(success))
        self.share = self.successes / self.runs
        self.mean = float(evaluations.mean())
        self.sd = float(evaluations.std(ddof=1)) if self.runs > 1 else math.nan
        self.median = float(np.median(evaluations))
        self.mean_fitness = float(fitness.mean())
        self.best_fitness = float(fitness.max())

    @classmethod
    def of(cls, runs: Runs) -> "Summary":
        """Return the summary of runs."""
        return cls(runs.evaluations, runs.success, runs.fitness)

    @cached_property
    def share_interval(self) -> Interval:
        """Interval of the share."""
        return wilson_interval(self.successes, self.runs)

    @cached_property
    def mean_interval(self) -> Interval:
        """Interval of the mean."""
        return bootstrap_interval(self.evaluations)

    @cached_property
    def median_interval(self) -> Interval:
        """Interval of the median."""
        return bootstrap_interval(self.evaluations, "median")

    @cached_property
    def running_time(self) -> RunningTime:
        """Expected running time: evaluations of all runs per success."""
        return expected_running_time(self.evaluations, self.success)

    @cached_property
    def fitness_interval(self) -> Interval:
        """Interval of the mean fitness."""
        return bootstrap_interval(self.fitness)

    @cached_property
    def hitting_times(self) -> FloatArray:
        """Evaluations until success, infinite for failed runs."""
        return np.where(self.success, self.evaluations, np.inf)

    def record(self) -> dict[str, Any]:
        """Return everything as plain data; undefined numbers are NaN or infinite."""
        return {
            "runs": self.runs,
            "successes": self.successes,
            "success_share": self.share,
            "success_interval": list(self.share_interval),
            "mean_evaluations": self.mean,
            "mean_interval": list(self.mean_interval),
            "sd_evaluations": self.sd,
            "median_evaluations": self.median,
            "median_interval": list(self.median_interval),
            "expected_running_time": self.running_time.value,
            "expected_running_time_interval": [self.running_time.low, self.running_time.high],
            "best_fitness": self.best_fitness,
            "mean_fitness": self.mean_fitness,
            "mean_fitness_interval": list(self.fitness_interval),
        }
