"""How runtime grows with the resolution: growth laws fitted and chosen, and the theorems' bounds.

Every law is a straight line in the logarithm of the runtime, so each fit is one weighted linear
regression; the weights come from the standard errors of the measured means.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from hyperna.analysis.statistics import Interval, check_level, check_sample

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class GrowthLaw:
    """A family of growth laws ``a * base(r)**k``, with k fitted or fixed to 1."""

    name: str
    formula: str
    log_base: Callable[[FloatArray], FloatArray]
    fitted_exponent: bool


LAWS = {
    law.name: law
    for law in (
        GrowthLaw("polylog", "a log(r)^k", lambda r: np.log(np.log(r)), True),
        GrowthLaw("power", "a r^k", np.log, True),
        GrowthLaw("linearithmic", "a r log(r)", lambda r: np.log(r) + np.log(np.log(r)), False),
    )
}


@dataclass(frozen=True)
class ScalingFit:
    """One growth law fitted to measured runtimes.

    Attributes
    ----------
    law
        Which law.
    factor, exponent
        ``a`` and ``k``; the exponent is 1 where the law has none to fit.
    factor_interval, exponent_interval
        Confidence intervals. Where the law misses the data by more than their standard errors
        explain, the intervals are widened by the square root of the reduced chi-square.
    chi_square, degrees_of_freedom
        Weighted squared distance between data and law, in units of the standard errors.
    aicc
        Akaike's criterion corrected for few points; the smallest is best.
    weight
        Akaike weight among the laws fitted together.
    """

    law: GrowthLaw
    factor: float
    exponent: float
    factor_interval: Interval
    exponent_interval: Interval
    chi_square: float
    degrees_of_freedom: int
    aicc: float
    weight: float = 1.0

    def __call__(self, r: ArrayLike) -> FloatArray:
        """Return the fitted runtime at resolution r."""
        return self.factor * np.exp(self.exponent * self.law.log_base(np.asarray(r, dtype=float)))

    def __str__(self) -> str:
        """Return the law with its numbers, such as ``2 r^1.60, exponent in [1.58, 1.62]``."""
        text = self.law.formula.replace("a", f"{self.factor:.3g}", 1)
        if not self.law.fitted_exponent:
            low, high = self.factor_interval
            return f"{text}, factor in [{low:.3g}, {high:.3g}]"
        low, high = self.exponent_interval
        return f"{text.replace('^k', f'^{self.exponent:.2f}')}, exponent in [{low:.2f}, {high:.2f}]"


def fit_scaling(
    resolutions: ArrayLike,
    means: ArrayLike,
    standard_errors: ArrayLike,
    *,
    level: float = 0.95,
) -> list[ScalingFit]:
    """Fit every growth law to mean runtimes and return the fits, the best law (AICc) first.

    Parameters
    ----------
    resolutions
        At least four different resolutions r >= 3.
    means, standard_errors
        Mean runtime at each resolution and its standard error, all positive.
    level
        Confidence level of the intervals.

    Examples
    --------
    >>> r = np.array([120, 240, 480, 960, 1920])
    >>> best, *_ = fit_scaling(r, 3 * np.log(r) ** 2, 0.1 * np.log(r) ** 2)
    >>> best.law.name, round(best.factor, 3), round(best.exponent, 3)
    ('polylog', 3.0, 2.0)
    """
    r = check_sample("resolutions", resolutions)
    mean = check_sample("means", means)
    error = check_sample("standard_errors", standard_errors)
    if not len(r) == len(mean) == len(error):
        raise ValueError(
            "resolutions, means and standard_errors must have the same length, "
            f"got {len(r)}, {len(mean)} and {len(error)}"
        )
    if len(np.unique(r)) < 4 or r.min() < 3:
        raise ValueError(f"resolutions must hold at least four different values >= 3, got {r}")
    if mean.min() <= 0 or error.min() <= 0:
        raise ValueError("means and standard_errors must be positive")
    # The delta method: the standard error of a logarithm is the relative standard error.
    fits = [_fit(law, r, np.log(mean), error / mean, check_level(level)) for law in LAWS.values()]
    fits.sort(key=lambda fit: fit.aicc)
    likelihood = np.exp([(fits[0].aicc - fit.aicc) / 2 for fit in fits])
    weights = likelihood / likelihood.sum()
    return [
        ScalingFit(**{**vars(fit), "weight": float(weight)})
        for fit, weight in zip(fits, weights, strict=True)
    ]


def fit_runtimes(
    resolutions: ArrayLike, runtimes: Sequence[ArrayLike], *, level: float = 0.95
) -> list[ScalingFit]:
    """Fit growth laws to samples of runtimes, one sample for each resolution.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> r = [100, 200, 400, 800, 1600]
    >>> fits = fit_runtimes(r, [rng.exponential(5.0 * size, 500) for size in r])
    >>> fits[0].law.name in ("power", "linearithmic")
    True
    """
    samples = [check_sample("runtimes", sample) for sample in runtimes]
    if any(len(sample) < 2 for sample in samples):
        raise ValueError("runtimes must hold at least two runs for each resolution")
    errors = [sample.std(ddof=1) / np.sqrt(len(sample)) for sample in samples]
    return fit_scaling(resolutions, [sample.mean() for sample in samples], errors, level=level)


def _fit(
    law: GrowthLaw, r: FloatArray, y: FloatArray, error: FloatArray, level: float
) -> ScalingFit:
    """Weighted least squares of y = log a + k log base(r)."""
    base = law.log_base(r)
    columns = np.column_stack([np.ones_like(r), base] if law.fitted_exponent else [np.ones_like(r)])
    wanted = y if law.fitted_exponent else y - base
    weighted = columns / error[:, None]
    covariance = np.linalg.inv(weighted.T @ weighted)
    solution = covariance @ weighted.T @ (wanted / error)
    points, parameters = columns.shape
    freedom = points - parameters
    chi_square = float((((wanted - columns @ solution) / error) ** 2).sum())
    spread = np.sqrt(np.diag(covariance) * max(1.0, chi_square / freedom))
    half = stats.t.ppf(0.5 + level / 2, freedom) * spread
    exponent = float(solution[1]) if law.fitted_exponent else 1.0
    exponent_half = float(half[1]) if law.fitted_exponent else 0.0
    penalty = 2 * parameters + 2 * parameters * (parameters + 1) / (freedom - 1)
    return ScalingFit(
        law=law,
        factor=float(np.exp(solution[0])),
        exponent=exponent,
        factor_interval=Interval(
            *(float(v) for v in np.exp(solution[0] + half[0] * np.array([-1, 1])))
        ),
        exponent_interval=Interval(exponent - exponent_half, exponent + exponent_half),
        chi_square=chi_square,
        degrees_of_freedom=freedom,
        aicc=chi_square + penalty,
    )


@dataclass(frozen=True)
class Bound:
    """An upper bound on the runtime that is proved (D = 2).

    ``growth`` is its growth function without the constant, None where the theorem denies any.
    """

    text: str
    growth: Callable[[FloatArray], FloatArray] | None


def _log_power(k: int) -> Callable[[FloatArray], FloatArray]:
    return lambda r: np.log(r) ** k


_THEOREMS = {
    ("half", "harmonic"): Bound("O(log² r) expected, without bias", _log_power(2)),
    ("half", "local"): Bound("O(r) expected, without bias", lambda r: r),
    ("quarter", "harmonic"): Bound("O(log³ r) expected", _log_power(3)),
    ("quarter", "local"): Bound("O(r²) expected, O(r) with constant probability", lambda r: r**2),
    ("two_quarters", "harmonic"): Bound("O(log³ r) with constant probability", _log_power(3)),
    ("two_quarters", "local"): Bound("O(r) with constant probability", lambda r: r),
    ("local_opt", "harmonic"): Bound("O(log³ r) expected", _log_power(3)),
    ("local_opt", "local"): Bound(
        "with constant probability stuck at fitness 2/3 or less, where 3/4 is the best", None
    ),
}


def theorem_bound(problem: str, mutation: str) -> Bound | None:
    """Return the bound of Fischer, Larsen and Witt for a problem and a mutation, None without one.

    Examples
    --------
    >>> theorem_bound("quarter", "harmonic").text
    'O(log³ r) expected'
    >>> theorem_bound("quarter", "uniform") is None
    True
    """
    return _THEOREMS.get((problem, mutation))
