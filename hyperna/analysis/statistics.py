"""What a sample of runs says: shares, means, medians, running times, with intervals.

Runtimes are skewed and often censored (a run that fails is stopped at its budget), so intervals are
Wilson's for shares and bootstrap intervals for the rest, never "mean plus or minus two standard
errors".
"""

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from hyperna._validation import (
    BoolArray,
    FloatArray,
    IntArray,
    check_choice,
    check_integer,
    check_real,
)
from hyperna._words import shown
from hyperna.run.results import Runs

# More values than this are added up in blocks before they are resampled. Sums of blocks
# keep the standard error and the skewness of the mean, which is all that a bootstrap interval of
# that many values depends on, and bound the memory and the time.
_MOST_BLOCKS = 4096
_DRAWS_AT_ONCE = 1 << 20

check_level = partial(check_real, "level", low=0, high=1, low_open=True, high_open=True)


class Interval(NamedTuple):
    """A confidence interval; unpacks as ``low, high``."""

    low: float
    high: float


def wilson_interval(successes: int, trials: int, level: float = 0.95) -> Interval:
    """Return Wilson's score interval for a share of successes.

    Examples
    --------
    >>> low, high = wilson_interval(91, 100)
    >>> round(low, 3), round(high, 3)
    (0.838, 0.952)
    >>> wilson_interval(10, 10).high
    1.0
    """
    trials = check_integer("trials", trials, 1)
    successes = check_integer("successes", successes, 0, trials)
    z = float(special.ndtri(0.5 + check_level(level) / 2))
    share = successes / trials
    scale = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / scale
    half = z / scale * np.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    low = 0.0 if successes == 0 else float(centre - half)
    high = 1.0 if successes == trials else float(centre + half)
    return Interval(low, high)


def bootstrap_interval(
    values: ArrayLike,
    statistic: str = "mean",
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """Return a bootstrap confidence interval for the mean or the median of a sample.

    For the mean it is the bias-corrected and accelerated (BCa) interval of Efron (1987). For the
    median it is the percentile interval, whose ends are order statistics with ranks known in closed
    form (Efron 1982, section 10.3), so nothing is drawn. Time and memory are linear in the number
    of values.

    Parameters
    ----------
    values
        The sample, any number of finite values. A constant sample gives an interval of length zero;
        a single value says nothing about its spread and gives ``(nan, nan)``.
    statistic
        ``"mean"`` or ``"median"``.
    level
        Probability with which the interval shall hold the true value.
    resamples
        Number of bootstrap samples (for the mean).
    seed
        Seed of the resampling; the same seed gives the same interval.

    Examples
    --------
    >>> low, high = bootstrap_interval([3, 8, 5, 4, 21, 6, 9, 4])
    >>> low < 7.5 < high
    True
    >>> bootstrap_interval(range(1, 100), "median")
    Interval(low=40.0, high=60.0)
    """
    check_choice("statistic", statistic, ("mean", "median"))
    sample = check_sample("values", values)
    if len(sample) == 1:
        return Interval(np.nan, np.nan)
    n = len(sample)
    level = check_level(level)
    if statistic == "mean":
        return _ratio_interval(sample, np.ones(n), level, resamples, seed)
    # Of n draws, m fall among the k smallest by a beta law.
    tail = (1 - level) / 2
    lower_middle, upper_middle = (n + 1) // 2, n // 2 + 1
    low = np.ceil(n * special.betaincinv(lower_middle, n - lower_middle + 1, tail))
    high = np.ceil(n * special.betaincinv(upper_middle, n - upper_middle + 1, 1 - tail))
    ranks = np.clip([low, high], 1, n).astype(int) - 1
    return Interval(*np.sort(sample)[ranks].tolist())


class RunningTime(NamedTuple):
    """Expected running time with its interval and the counts behind it."""

    value: float
    low: float
    high: float
    successes: int
    runs: int


def expected_running_time(
    evaluations: ArrayLike,
    success: ArrayLike,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> RunningTime:
    """Return the expected running time (ERT) until success of an algorithm that restarts.

    It is the evaluations of all runs, failed ones included, divided by the number of successes:
    the maximum likelihood estimate of what one success costs when failed runs are restarted.
    The interval resamples whole runs. If no run succeeds the value is infinite, and the lower end
    comes from the largest success probability that Wilson's interval still allows.

    Examples
    --------
    >>> expected_running_time([10, 20, 100, 30], [True, True, False, True]).value
    53.333333333333336
    >>> expected_running_time([100, 100], [False, False]).value
    inf
    """
    spent = check_sample("evaluations", evaluations)
    solved = np.asarray(success)
    if solved.shape != spent.shape or not np.isin(solved, (0, 1)).all():
        raise ValueError(
            f"success must hold one boolean for each of the {len(spent)} evaluations, "
            f"got an array of shape {solved.shape} and type {solved.dtype}"
        )
    runs, successes = len(spent), int(solved.sum())
    if successes == 0:
        likely = wilson_interval(0, runs, check_level(level)).high
        return RunningTime(np.inf, float(spent.mean()) / likely, np.inf, 0, runs)
    value = float(spent.sum() / successes)
    if runs == 1:
        return RunningTime(value, np.nan, np.nan, successes, runs)
    interval = _ratio_interval(spent, solved.astype(float), check_level(level), resamples, seed)
    return RunningTime(value, *interval, successes, runs)


def check_sample(name: str, values: ArrayLike, *, finite: bool = True) -> FloatArray:
    """Return values as a flat array of at least one number, all finite unless `finite` is False."""
    try:
        sample = np.asarray(list(values) if isinstance(values, range) else values, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a list of numbers, got {shown(values)}") from None
    if sample.ndim != 1 or sample.size == 0:
        raise ValueError(f"{name} must be a non-empty list of numbers, got shape {sample.shape}")
    if np.isnan(sample).any() or (finite and not np.isfinite(sample).all()):
        raise ValueError(f"{name} must be {'finite' if finite else 'free of NaN'}")
    return sample


def _ratio_interval(
    top: FloatArray, bottom: FloatArray, level: float, resamples: int, seed: int
) -> Interval:
    """BCa interval of sum(top) / sum(bottom), drawing (top, bottom) pairs together."""
    resamples = check_integer("resamples", resamples, 100)
    rng = np.random.default_rng(check_integer("seed", seed, 0))
    if len(top) > _MOST_BLOCKS:  # equally many values a block, in random order
        order = rng.permutation(len(top))
        starts = np.linspace(0, len(top), _MOST_BLOCKS, endpoint=False).astype(int)
        top, bottom = np.add.reduceat(top[order], starts), np.add.reduceat(bottom[order], starts)
    estimate = top.sum() / bottom.sum()
    # Leaving one pair out: its influence drives the acceleration, the skewness of the estimate.
    # A lone success left out would leave none: such a pair is given no influence.
    rest = bottom.sum() - bottom
    without = np.divide(top.sum() - top, rest, out=np.full(len(top), estimate), where=rest > 0)
    influence = without.mean() - without
    spread = (influence**2).sum()
    if spread <= (1e-12 * estimate) ** 2:
        return Interval(float(estimate), float(estimate))
    acceleration = (influence**3).sum() / (6 * spread**1.5)
    n = len(top)
    draws = np.full(resamples, np.inf)  # as one without any success stays
    step = max(1, _DRAWS_AT_ONCE // n)
    for first in range(0, resamples, step):
        part = draws[first : first + step]
        chosen = rng.integers(n, size=(len(part), n))
        number = bottom[chosen].sum(axis=1)
        np.divide(top[chosen].sum(axis=1), number, out=part, where=number > 0)
    below = ((draws < estimate).sum() + (draws == estimate).sum() / 2) / resamples
    bias = special.ndtri(np.clip(below, 1 / resamples, 1 - 1 / resamples))
    z = bias + special.ndtri([(1 - level) / 2, (1 + level) / 2])
    shares = special.ndtr(bias + z / np.maximum(1 - acceleration * z, 1e-9))
    low, high = np.quantile(draws, shares, method="inverted_cdf")
    return Interval(float(low), float(high))


class Summary:
    """Success, evaluations and fitness of many runs, with their uncertainty.

    Intervals are Wilson's for shares and bootstrap intervals for the rest.

    Parameters
    ----------
    evaluations, success, fitness : arrays
        One value per run.

    Attributes
    ----------
    runs, successes : int
        Number of runs, and of successful ones.
    success_share : float
        Share of successful runs.
    mean_evaluations, sd_evaluations, median_evaluations : float
        Of the evaluations of all runs; a failed run counts with what it spent.
    mean_fitness, best_fitness : float
        Of the best fitness of each run.
    success_interval, mean_interval, median_interval, mean_fitness_interval : Interval
        Of the share of successful runs, the mean and the median of the evaluations, and the mean
        fitness.
    running_time : RunningTime
        Expected running time: evaluations of all runs per success.

    Examples
    --------
    >>> some = Summary(np.array([10, 20, 30, 40]), np.array([1, 1, 1, 0]) > 0, np.ones(4))
    >>> some.success_share, some.mean_evaluations, round(some.running_time.value, 1)
    (0.75, 25.0, 33.3)
    """

    def __init__(self, evaluations: IntArray, success: BoolArray, fitness: FloatArray) -> None:
        self.evaluations = evaluations
        self.success = success
        self.fitness = fitness
        self.runs = len(evaluations)
        self.successes = int(np.count_nonzero(success))
        self.success_share = self.successes / self.runs
        self.mean_evaluations = float(evaluations.mean())
        self.sd_evaluations = float(evaluations.std(ddof=1)) if self.runs > 1 else math.nan
        self.median_evaluations = float(np.median(evaluations))
        self.mean_fitness = float(fitness.mean())
        self.best_fitness = float(fitness.max())
        self.success_interval = wilson_interval(self.successes, self.runs)
        self.mean_interval = bootstrap_interval(evaluations)
        self.median_interval = bootstrap_interval(evaluations, "median")
        self.running_time = expected_running_time(evaluations, success)
        self.mean_fitness_interval = bootstrap_interval(fitness)

    @classmethod
    def of(cls, runs: Runs) -> "Summary":
        """Return the summary of runs."""
        return cls(runs.evaluations, runs.success, runs.fitness)

    @property
    def hitting_times(self) -> FloatArray:
        """Evaluations until success, infinite for failed runs."""
        return np.where(self.success, self.evaluations, np.inf)

    def record(self) -> dict[str, Any]:
        """Return everything as plain data; undefined numbers are NaN or infinite."""
        return {
            "runs": self.runs,
            "successes": self.successes,
            "success_share": self.success_share,
            "success_interval": list(self.success_interval),
            "mean_evaluations": self.mean_evaluations,
            "mean_interval": list(self.mean_interval),
            "sd_evaluations": self.sd_evaluations,
            "median_evaluations": self.median_evaluations,
            "median_interval": list(self.median_interval),
            "expected_running_time": self.running_time.value,
            "expected_running_time_interval": [self.running_time.low, self.running_time.high],
            "best_fitness": self.best_fitness,
            "mean_fitness": self.mean_fitness,
            "mean_fitness_interval": list(self.mean_fitness_interval),
        }
