"""Does a printed figure agree with a measured one? Rules that are fixed before anything is run.

A printed figure comes from a sample of runs. Each rule asks, at a level of 95 %, whether that
sample can have come from the distribution of the algorithm. Where the Markov chain gives the exact
probability, mean and standard deviation, these are that distribution's; else the measured runs are
a second sample:

success
    Exact: the printed number of successes is not in one of the tails of the binomial law. Measured:
    Newcombe's interval for the difference of two shares (from Wilson's intervals) contains 0.
mean
    Exact: the difference is at most 1.96 standard errors sd / sqrt(n) of the printed mean.
    Measured: at most 1.96 sqrt(sd1**2 / n1 + sd2**2 / n2), each sample with its own deviation.
median
    Not too few and not too many of the measured runs lie below the printed median. Their number
    has a beta-binomial law when both samples have the same distribution, whatever that is.

One row in twenty fails by chance. So a table agrees in a figure if no more rows differ than chance
makes likely (two in ten) and if the printed figures do not lie on one side of the measured or exact
ones almost throughout (nine in ten). Together the two let a table that is right differ with a
probability of 3 %.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from hyperna.analysis.statistics import Interval, Summary, wilson_interval

LEVEL = 0.95
_Z = float(stats.norm.ppf(0.5 + LEVEL / 2))
RULE = (
    "Verdicts at 95 %. Where exact values are shown (and the cap stops no more than a few runs): "
    "success is within the central 95 % of the binomial law, mean within 1.96 exact standard "
    "errors. Elsewhere both samples count as samples: Newcombe's interval of the difference of the "
    "shares contains 0; the means differ by at most 1.96 standard errors (both standard "
    "deviations). median: the number of measured runs below the printed median is likely if both "
    "have the same distribution (beta-binomial). A table agrees if at most two of ten rows differ "
    "and fewer than nine of ten deviate to the same side."
)


@dataclass(frozen=True)
class Verdict:
    """Whether a printed figure agrees with the true or measured one, and on which side it lies."""

    agrees: bool
    side: int

    def __str__(self) -> str:
        return "agrees" if self.agrees else _where(self.side)


@dataclass(frozen=True)
class Truth:
    """Exact success probability, mean and standard deviation of the evaluations of a run."""

    share: float
    mean: float
    sd: float


def compare_shares(
    printed: float, runs: int, measured: Summary, truth: Truth | None = None
) -> Verdict:
    """Compare a printed share of `runs` runs with the exact one, or else with the measured one.

    Examples
    --------
    >>> measured = Summary(np.arange(100), np.arange(100) < 50, np.ones(100))
    >>> str(compare_shares(0.60, 100, measured)), str(compare_shares(0.66, 100, measured))
    ('agrees', 'paper higher')
    >>> str(compare_shares(0.61, 100, measured, Truth(0.5, 1.0, 1.0)))
    'paper higher'
    """
    successes = round(printed * runs)
    if truth is not None:
        law = stats.binom(runs, truth.share)
        tail = (1 - LEVEL) / 2
        likely = law.cdf(successes) >= tail and law.sf(successes - 1) >= tail
        return Verdict(bool(likely), _side(printed, truth.share))
    low, high = share_difference(successes, runs, measured.successes, measured.runs)
    return Verdict(low <= 0 <= high, _side(printed, measured.success_share))


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


def compare_means(
    printed: float, sd: float, runs: int, measured: Summary, truth: Truth | None = None
) -> Verdict:
    """Compare a printed mean of `runs` runs, of which the standard deviation is printed too.

    Examples
    --------
    >>> measured = Summary(np.arange(100), np.arange(100) < 50, np.ones(100))
    >>> [str(compare_means(m, 30, 100, measured, Truth(1.0, 50.0, 10.0))) for m in (51.9, 52)]
    ['agrees', 'paper higher']
    """
    if truth is not None:
        mean, error = truth.mean, truth.sd / math.sqrt(runs)
    else:
        mean = measured.mean_evaluations
        error = math.sqrt(sd**2 / runs + measured.sd_evaluations**2 / measured.runs)
    return Verdict(abs(printed - mean) <= _Z * error, _side(printed, mean))


def compare_medians(printed: float, runs: int, measured: Summary) -> Verdict:
    """Compare a printed median of `runs` runs, rounded to an integer, with the measured runs.

    The printed median lies between two middle runs of its sample, so at least as many measured runs
    lie below it as below the lower one and at most as many as below the upper one.

    Examples
    --------
    >>> measured = Summary(np.arange(1, 101), np.ones(100, bool), np.ones(100))
    >>> [str(compare_medians(value, 100, measured)) for value in (35, 36, 65, 66)]
    ['paper lower', 'agrees', 'agrees', 'paper higher']
    """
    n = measured.runs
    tail = (1 - LEVEL) / 2
    lower, upper = (runs + 1) // 2, runs // 2 + 1
    up_to = int(np.count_nonzero(measured.evaluations <= printed + 0.5))
    below = int(np.count_nonzero(measured.evaluations < printed - 0.5))
    too_low = stats.betabinom.cdf(up_to, n, lower, runs - lower + 1) < tail
    too_high = stats.betabinom.sf(below - 1, n, upper, runs - upper + 1) < tail
    return Verdict(not (too_low or too_high), _side(printed, measured.median_evaluations))


@dataclass(frozen=True)
class TableVerdict:
    """The verdicts of all rows on one figure, taken together."""

    rows: Sequence[Verdict]

    @property
    def differ(self) -> int:
        """Number of rows that differ."""
        return sum(not row.agrees for row in self.rows)

    @property
    def agrees(self) -> bool:
        """Whether the rows differ no more than by chance, and not all to the same side.

        Examples
        --------
        >>> right, wrong = Verdict(True, 1), Verdict(False, -1)
        >>> TableVerdict([right] * 6 + [wrong] * 2 + [Verdict(True, -1)] * 2).agrees
        True
        >>> TableVerdict([right] * 10).agrees, TableVerdict([right, wrong] * 5).agrees
        (False, False)
        """
        # one row alone has no others to outweigh it
        rows = len(self.rows)
        most = stats.binom.ppf((1 + LEVEL) / 2, rows, 1 - LEVEL) if rows > 1 else 0
        return bool(self.differ <= most) and not self.one_sided

    @property
    def one_sided(self) -> bool:
        """Whether nearly all printed figures lie on one side."""
        sides = [row.side for row in self.rows if row.side]
        larger = max(sides.count(1), sides.count(-1))
        return bool(2 * stats.binom.sf(larger - 1, len(sides), 0.5) < 1 - LEVEL)

    def __str__(self) -> str:
        text = f"{len(self.rows) - self.differ}/{len(self.rows)}"
        return f"{text}, {_where(sum(row.side for row in self.rows))}" if self.one_sided else text


def _where(side: int) -> str:
    """Say on which side the paper's figure lies."""
    if side == 0:
        return "differs"
    return "paper higher" if side > 0 else "paper lower"


def _side(printed: float, true: float) -> int:
    return int(np.sign(printed - true))
