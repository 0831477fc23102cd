"""Samples compared with each other: tests, effect sizes, corrections for many comparisons."""

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from hyperna._validation import FloatArray, check_kind
from hyperna.analysis.statistics import check_sample


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
    check_kind("samples", samples, Mapping)
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


def _mann_whitney(first: FloatArray, second: FloatArray) -> tuple[float, float, float]:
    """Return U of the first sample, the two-sided p value and A12."""
    pairs = len(first) * len(second)
    if np.all(np.concatenate([first, second]) == first[0]):
        return pairs / 2, 1.0, 0.5
    test = stats.mannwhitneyu(first, second, alternative="two-sided")
    return float(test.statistic), float(test.pvalue), float(test.statistic) / pairs
