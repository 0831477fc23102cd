"""Does a printed figure agree with a measured one? Rules that are fixed before anything is run.

A printed figure comes from a sample too. Each rule asks whether the two samples can have come from
the same distribution, at a level of 95 %:

share
    Newcombe's interval for the difference of two shares (from Wilson's intervals) contains 0.
mean
    The difference is at most 1.96 standard errors, sqrt(sd1**2 / n1 + sd2**2 / n2), each sample
    with its own standard deviation.
median
    Not too few and not too many of the measured runs lie below the printed median. Their number
    has a beta-binomial law when both samples have the same distribution, whatever that is.

One row in twenty fails by chance. So a table agrees in a figure if no more rows differ than chance
makes likely (two in ten) and if the printed figures do not lie on one side of the measured ones
almost throughout (nine in ten). Together the two let a table that is right differ with a
probability of 3 %.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from hyperna.analysis.statistics import (
    Interval,
    bootstrap_interval,
    check_sample,
    wilson_interval,
)

LEVEL = 0.95
_Z = float(stats.norm.ppf(0.5 + LEVEL / 2))
RULE = (
    "Verdicts at 95 %, taking both samples as samples. found: Newcombe's interval of the "
    "difference of the shares contains 0. mean: the difference is within 1.96 standard errors "
    "(both standard deviations). median: the number of measured runs below the printed median is "
    "likely if both have the same distribution (beta-binomial). A table agrees if at most two of "
    "ten rows differ and fewer than nine of ten deviate to the same side."
)


@dataclass(frozen=True)
class Verdict:
    """Whether a printed figure agrees with a measured one, and on which side of it it lies."""

    agrees: bool
    side: int

    def __str__(self) -> str:
        return "agrees" if self.agrees else _where(self.side)


@dataclass(frozen=True)
class Sample:
    """What was measured: evaluations of all runs, with intervals.

    Examples
    --------
    >>> sample = Sample.of([10, 20, 30, 40], [True, True, True, False])
    >>> sample.share, sample.mean, sample.median
    (0.75, 25.0, 25.0)
    """

    runs: int
    successes: int
    share_interval: Interval
    mean: float
    sd: float
    mean_interval: Interval
    median: float
    median_interval: Interval
    ordered: tuple[float, ...]

    @classmethod
    def of(cls, evaluations: ArrayLike, success: ArrayLike) -> "Sample":
        """Sum up the runs of a row."""
        values = check_sample("evaluations", evaluations)
        successes = int(np.count_nonzero(success))
        return cls(
            runs=len(values),
            successes=successes,
            share_interval=wilson_interval(successes, len(values)),
            mean=float(values.mean()),
            sd=float(values.std(ddof=1)) if len(values) > 1 else math.nan,
            mean_interval=bootstrap_interval(values),
            median=float(np.median(values)),
            median_interval=bootstrap_interval(values, "median"),
            ordered=tuple(np.sort(values).tolist()),
        )

    @property
    def share(self) -> float:
        """Share of successes."""
        return self.successes / self.runs


def compare_shares(printed: float, runs: int, sample: Sample) -> Verdict:
    """Compare a printed share of `runs` runs with the measured one.

    Examples
    --------
    >>> sample = Sample.of(range(100), [True] * 50 + [False] * 50)
    >>> str(compare_shares(0.60, 100, sample)), str(compare_shares(0.66, 100, sample))
    ('agrees', 'paper higher')
    """
    low, high = share_difference(round(printed * runs), runs, sample.successes, sample.runs)
    return Verdict(low <= 0 <= high, _side(printed, sample.share))


def share_difference(k1: int, n1: int, k2: int, n2: int) -> Interval:
    """Return Newcombe's interval (1998, method 10) for k1/n1 - k2/n2.

    Examples
    --------
    >>> low, high = share_difference(56, 70, 48, 80)
    >>> round(low, 4), round(high, 4)
    (0.0524, 0.3339)
    """
    first, second = wilson_interval(k1, n1, LEVEL), wilson_interval(k2, n2, LEVEL)
    p1, p2 = k1 / n1, k2 / n2
    below = math.hypot(p1 - first.low, second.high - p2)
    above = math.hypot(first.high - p1, p2 - second.low)
    return Interval(p1 - p2 - below, p1 - p2 + above)


def compare_means(printed: float, sd: float, runs: int, sample: Sample) -> Verdict:
    """Compare a printed mean of `runs` runs, of which the standard deviation is printed too."""
    error = math.sqrt(sd**2 / runs + sample.sd**2 / sample.runs)
    return Verdict(abs(printed - sample.mean) <= _Z * error, _side(printed, sample.mean))


def compare_medians(printed: float, runs: int, sample: Sample) -> Verdict:
    """Compare a printed median of `runs` runs, rounded to an integer, with the measured runs.

    The printed median lies between two middle runs of its sample, so at least as many measured runs
    lie below it as below the lower one and at most as many as below the upper one.

    Examples
    --------
    >>> sample = Sample.of(range(1, 101), [True] * 100)
    >>> [str(compare_medians(value, 100, sample)) for value in (35, 36, 65, 66)]
    ['paper lower', 'agrees', 'agrees', 'paper higher']
    """
    ordered = np.array(sample.ordered)
    n, tail = sample.runs, (1 - LEVEL) / 2
    lower, upper = (runs + 1) // 2, runs // 2 + 1
    up_to = int(np.count_nonzero(ordered <= printed + 0.5))
    below = int(np.count_nonzero(ordered < printed - 0.5))
    too_low = stats.betabinom.cdf(up_to, n, lower, runs - lower + 1) < tail
    too_high = stats.betabinom.sf(below - 1, n, upper, runs - upper + 1) < tail
    return Verdict(not (too_low or too_high), _side(printed, sample.median))


@dataclass(frozen=True)
class TableVerdict:
    """The verdicts of all rows on one figure, taken together."""

    rows: int
    differ: int
    higher: int
    lower: int

    @classmethod
    def of(cls, verdicts: Sequence[Verdict]) -> "TableVerdict":
        """Count."""
        return cls(
            len(verdicts),
            sum(not verdict.agrees for verdict in verdicts),
            sum(verdict.side > 0 for verdict in verdicts),
            sum(verdict.side < 0 for verdict in verdicts),
        )

    @property
    def agrees(self) -> bool:
        """Whether the rows differ no more than by chance, and not all to the same side.

        Examples
        --------
        >>> right, wrong = Verdict(True, 1), Verdict(False, -1)
        >>> TableVerdict.of([right] * 6 + [wrong] * 2 + [Verdict(True, -1)] * 2).agrees
        True
        >>> TableVerdict.of([right] * 10).agrees, TableVerdict.of([right, wrong] * 5).agrees
        (False, False)
        """
        most = stats.binom.ppf((1 + LEVEL) / 2, self.rows, 1 - LEVEL)
        return bool(self.differ <= most) and not self.one_sided

    @property
    def one_sided(self) -> bool:
        """Whether nearly all printed figures lie on one side of the measured ones."""
        unequal = self.higher + self.lower
        if unequal == 0:
            return False
        tail = stats.binom.sf(max(self.higher, self.lower) - 1, unequal, 0.5)
        return bool(2 * tail < 1 - LEVEL)

    def __str__(self) -> str:
        text = f"{self.rows - self.differ}/{self.rows}"
        if self.one_sided:
            text += f", {_where(self.higher - self.lower)}"
        return text


def _where(side: int) -> str:
    """Say on which side of the measured figure the paper's lies."""
    return "paper higher" if side > 0 else "paper lower"


def _side(printed: float, measured: float) -> int:
    return int(np.sign(printed - measured))
