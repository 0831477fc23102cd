"""What a sample of runs says: shares, means, medians, running times, comparisons, with intervals.

Runtimes are skewed and often censored (a run that fails is stopped at its budget), so intervals are
Wilson's for shares and bootstrap intervals for the rest, never "mean plus or minus two standard
errors".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from hyperna._validation import check_choice, check_integer, check_real
from hyperna._words import shown

FloatArray = NDArray[np.float64]

# More values than this are added up in blocks before they are resampled. Sums of blocks
# keep the standard error and the skewness of the mean, which is all that a bootstrap interval of
# that many values depends on, and bound the memory and the time.
_MOST_BLOCKS = 4096
_DRAWS_AT_ONCE = 1 << 20


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
    if statistic == "median":
        return _median_interval(sample, check_level(level))
    return _ratio_interval(sample, np.ones(len(sample)), check_level(level), resamples, seed)


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


@dataclass(frozen=True, eq=False)
class Ecdf:
    """Share of (run, target) pairs reached within a number of evaluations.

    Attributes
    ----------
    evaluations
        Where the curve jumps, ascending.
    share
        Its height from there on; the last one is the share of pairs ever reached.
    pairs
        How many pairs there are, reached or not.
    """

    evaluations: FloatArray
    share: FloatArray
    pairs: int

    def __call__(self, evaluations: ArrayLike) -> FloatArray:
        """Return the share reached within the given numbers of evaluations."""
        steps = np.searchsorted(self.evaluations, np.asarray(evaluations, float), side="right")
        return np.concatenate([[0.0], self.share])[steps]


def ecdf(hits: ArrayLike) -> Ecdf:
    """Return the empirical distribution of hitting times over runs, or over runs and targets.

    Parameters
    ----------
    hits
        Evaluations at which a target was reached, ``inf`` where it never was: one value per run,
        or an array of runs and targets.

    Examples
    --------
    >>> curve = ecdf([5, 3, float("inf"), 3])
    >>> curve.evaluations, curve.share
    (array([3., 5.]), array([0.5 , 0.75]))
    >>> float(curve(4))
    0.5
    """
    times = np.asarray(hits, dtype=float).ravel()
    if times.size == 0 or np.isnan(times).any():
        raise ValueError("hits must hold at least one value and no NaN; write inf for 'never'")
    places, counts = np.unique(times[np.isfinite(times)], return_counts=True)
    return Ecdf(places, np.cumsum(counts) / times.size, times.size)


class PairTest(NamedTuple):
    """Two samples compared: Mann-Whitney U with effect size and corrected p value.

    ``a12`` is the probability that a value of the first sample exceeds one of the second (ties
    count half; Vargha and Delaney), ``cliff_delta = 2 a12 - 1``, and ``effect`` names its size.
    """

    first: str
    second: str
    u: float
    p_value: float
    p_holm: float
    a12: float
    cliff_delta: float
    effect: str


def pairwise_tests(samples: Mapping[str, ArrayLike]) -> list[PairTest]:
    """Compare every two of the named samples, correcting for the number of comparisons (Holm).

    Values may be ``inf`` (runs that never succeeded): only their order counts.

    Examples
    --------
    >>> fast, slow = [3, 4, 5, 6, 7, 8], [13, 14, 15, 16, 17, 18]
    >>> [test] = pairwise_tests({"harmonic": fast, "local": slow})
    >>> test.a12, test.effect, test.p_holm < 0.01
    (0.0, 'large', True)
    """
    if len(samples) < 2:
        raise ValueError(f"samples must hold at least two samples, got {len(samples)}")
    clean = {name: check_sample(name, values, finite=False) for name, values in samples.items()}
    pairs = list(combinations(clean, 2))
    tested = [_mann_whitney(clean[first], clean[second]) for first, second in pairs]
    corrected = holm([p for _, p, _ in tested])
    return [
        PairTest(*pair, u, p, float(p_holm), a12, 2 * a12 - 1, effect_name(2 * a12 - 1))
        for pair, (u, p, a12), p_holm in zip(pairs, tested, corrected, strict=True)
    ]


def holm(p_values: ArrayLike) -> FloatArray:
    """Return Holm's adjusted p values, in the order given.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    factors = np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return adjusted


def effect_name(cliff_delta: float) -> str:
    """Return the usual word for an effect size (Romano et al. 2006)."""
    size = abs(cliff_delta)
    limits = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"))
    return next((name for limit, name in limits if size < limit), "large")


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


def check_level(level: float) -> float:
    """Return a confidence level strictly between 0 and 1."""
    return check_real("level", level, 0, 1, low_open=True, high_open=True)


def _median_interval(sample: FloatArray, level: float) -> Interval:
    """Percentile bootstrap of the median: of n draws, m fall among the k smallest by a beta law."""
    n = len(sample)
    ordered = np.sort(sample)
    lower_middle, upper_middle = (n + 1) // 2, n // 2 + 1
    tail = (1 - level) / 2
    low = np.ceil(n * special.betaincinv(lower_middle, n - lower_middle + 1, tail))
    high = np.ceil(n * special.betaincinv(upper_middle, n - upper_middle + 1, 1 - tail))
    ranks = np.clip([low, high], 1, n).astype(int) - 1
    return Interval(*(float(value) for value in ordered[ranks]))


def _ratio_interval(
    top: FloatArray, bottom: FloatArray, level: float, resamples: int, seed: int
) -> Interval:
    """BCa interval of sum(top) / sum(bottom), drawing (top, bottom) pairs together."""
    resamples = check_integer("resamples", resamples, 100)
    rng = np.random.default_rng(check_integer("seed", seed, 0))
    top, bottom = _blocks(rng, top, bottom)
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
    draws = _resampled_ratios(rng, top, bottom, resamples)
    below = ((draws < estimate).sum() + (draws == estimate).sum() / 2) / resamples
    bias = special.ndtri(np.clip(below, 1 / resamples, 1 - 1 / resamples))
    z = bias + special.ndtri([(1 - level) / 2, (1 + level) / 2])
    shares = special.ndtr(bias + z / np.maximum(1 - acceleration * z, 1e-9))
    low, high = np.quantile(draws, shares, method="inverted_cdf")
    return Interval(float(low), float(high))


def _blocks(
    rng: np.random.Generator, top: FloatArray, bottom: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Sum large samples up in equally many values a block, in random order."""
    if len(top) <= _MOST_BLOCKS:
        return top, bottom
    order = rng.permutation(len(top))
    starts = np.linspace(0, len(top), _MOST_BLOCKS, endpoint=False).astype(int)
    return np.add.reduceat(top[order], starts), np.add.reduceat(bottom[order], starts)


def _resampled_ratios(
    rng: np.random.Generator, top: FloatArray, bottom: FloatArray, resamples: int
) -> FloatArray:
    """Draw bootstrap ratios, some at a time; a draw without any success is infinite."""
    n = len(top)
    ratios = np.empty(resamples)
    step = max(1, _DRAWS_AT_ONCE // n)
    for first in range(0, resamples, step):
        part = ratios[first : first + step]
        chosen = rng.integers(n, size=(len(part), n))
        below = bottom[chosen].sum(axis=1)
        part.fill(np.inf)
        np.divide(top[chosen].sum(axis=1), below, out=part, where=below > 0)
    return ratios


def _mann_whitney(first: FloatArray, second: FloatArray) -> tuple[float, float, float]:
    """Return U of the first sample, the two-sided p value and A12."""
    pairs = len(first) * len(second)
    if np.all(np.concatenate([first, second]) == first[0]):
        return pairs / 2, 1.0, 0.5
    test = stats.mannwhitneyu(first, second, alternative="two-sided")
    return float(test.statistic), float(test.pvalue), float(test.statistic) / pairs
