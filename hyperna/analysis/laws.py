"""How runtime grows with the resolution: growth laws with lower-order terms, fitted and tested.

A law is a sum of terms with coefficients that are fitted by least squares, weighted by the standard
errors of mean runtimes. Some laws have an exponent k that is fitted too, with an interval from the
profile of chi-square. Lower-order terms matter: without them such an interval excludes the truth.

A law fits if its chi-square is no surprise (p >= 0.01) and its leading term is positive. Only laws
that fit are weighed against each other, by Akaike's criterion. It may be that none fits.

An interval has its level if its law is the true one; the choice among laws is not in it: with a
truth of a r^2 + b r and 1,000 runs at each of 8 resolutions that of "power, linear" holds 2 in 95 %
of samples, that of the law that comes first in 82 %. To test an exponent, choose the law before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, stats

from hyperna._validation import FloatArray
from hyperna._words import shown, significant
from hyperna.analysis.growth import GROWTH_LAWS, GrowthLaw
from hyperna.analysis.growth import Bound as Bound
from hyperna.analysis.growth import theorem_bound as theorem_bound
from hyperna.analysis.statistics import Interval, check_level, check_sample

# A misfit less likely than this if the law were true speaks against it.
FITS_FROM = 0.01


@dataclass(frozen=True)
class ScalingFit:
    """One growth law fitted to measured runtimes.

    Attributes
    ----------
    law
        Which law.
    coefficients, coefficient_intervals
        Of the terms, the leading one first, with confidence intervals.
    exponent, exponent_interval
        Exponent k of the leading term; where the law fixes it, both ends of the interval are it.
    chi_square, degrees_of_freedom, p_value
        Weighted squared distance between data and law, in units of the standard errors, and how
        likely one as large is if the law is true.
    aic
        Akaike's criterion, chi-square plus twice the number of parameters; the smallest is best.
    weight
        Akaike weight among the laws that fit, 0 for those that do not.
    """

    law: GrowthLaw
    coefficients: tuple[float, ...]
    coefficient_intervals: tuple[Interval, ...]
    exponent: float
    exponent_interval: Interval
    chi_square: float
    degrees_of_freedom: int
    p_value: float
    aic: float
    weight: float = 0.0

    @property
    def fits(self) -> bool:
        """Whether the misfit is no larger than noise explains (p >= 0.01) and the law grows."""
        return self.p_value >= FITS_FROM and self.factor > 0

    @property
    def factor(self) -> float:
        """Coefficient of the leading term."""
        return self.coefficients[0]

    @property
    def factor_interval(self) -> Interval:
        """Its confidence interval."""
        return self.coefficient_intervals[0]

    def __call__(self, r: ArrayLike) -> FloatArray:
        """Return the fitted runtime at resolution r."""
        sizes = np.atleast_1d(np.asarray(r, dtype=float))
        values: FloatArray = self.law.terms(sizes, self.exponent) @ np.array(self.coefficients)
        return values.reshape(np.shape(r))

    @property
    def equation(self) -> str:
        """The law with its numbers."""
        text = ""
        for value, power in zip(self.coefficients, self.law.powers, strict=True):
            sign = ("-" if value < 0 else "") if not text else (" - " if value < 0 else " + ")
            grown = power.format(k=f"{self.exponent:.2f}")
            text += f"{sign}{significant(abs(value))} {grown}".rstrip()
        return text

    @property
    def leading(self) -> tuple[str, Interval]:
        """The exponent k if it is fitted, else the leading coefficient a, with its interval."""
        fitted = self.law.fitted_exponent
        return ("k", self.exponent_interval) if fitted else ("a", self.factor_interval)

    def __str__(self) -> str:
        """Return the law with its numbers, an interval, and how well it fits."""
        what, (low, high) = self.leading
        spread = f"{what} in [{significant(low)}, {significant(high)}]"
        quality = f"chi-square {self.chi_square:.3g} on {self.degrees_of_freedom}"
        p = "p < 0.0001" if self.p_value < 1e-4 else f"p = {self.p_value:.2g}"
        if not self.fits:
            what = "does not fit" if self.p_value < FITS_FROM else "does not grow"
            return f"{self.equation}: {what} ({quality}, {p})"
        return f"{self.equation}, {spread} ({quality}, {p})"


def fit_scaling(
    resolutions: ArrayLike,
    means: ArrayLike,
    standard_errors: ArrayLike,
    *,
    level: float = 0.95,
) -> list[ScalingFit]:
    """Fit every growth law to mean runtimes; those that fit come first, the best (AIC) first.

    Laws with too many numbers to fit for so few resolutions are left out.

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
    >>> r = 2.0 ** np.arange(6, 24)
    >>> best, *others = fit_scaling(r, 1.6 * np.log(r) ** 2 + 2 * np.log(r) + 1, 0.01 * np.log(r))
    >>> best.law.name, best.equation
    ('log^2', '1.6 ln² r + 2 ln r + 1')
    """
    r, mean, error = _checked(resolutions, means, standard_errors)
    level, points = check_level(level), len(np.unique(r))
    laws = [law for law in GROWTH_LAWS.values() if points - law.parameters >= 2]
    fits = sorted((_fit(law, r, mean, error, level) for law in laws), key=lambda fit: fit.aic)
    fitting = [fit for fit in fits if fit.fits]
    likelihood = np.exp([(fitting[0].aic - fit.aic) / 2 for fit in fitting])
    weights = likelihood / likelihood.sum() if fitting else likelihood
    weighed = [replace(fit, weight=float(w)) for fit, w in zip(fitting, weights, strict=True)]
    return weighed + [fit for fit in fits if not fit.fits]


def fit_runtimes(
    resolutions: ArrayLike, runtimes: Sequence[ArrayLike], *, level: float = 0.95
) -> list[ScalingFit]:
    """Fit growth laws to samples of runtimes, one sample for each resolution.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> r = [100, 200, 400, 800, 1600]
    >>> fits = fit_runtimes(r, [rng.exponential(5.0 * size, 500) for size in r])
    >>> {fit.law.name: fit.fits for fit in fits}["linear"]
    True
    """
    samples = [check_sample("runtimes", sample) for sample in runtimes]
    if min(map(len, samples), default=2) < 2:
        raise ValueError("runtimes must hold at least two runs for each resolution")
    means = [float(sample.mean()) for sample in samples]
    errors = [float(sample.std(ddof=1) / np.sqrt(len(sample))) for sample in samples]
    return fit_scaling(resolutions, means, errors, level=level)


def verdict(fits: Sequence[ScalingFit]) -> str:
    """Say in a sentence which law fits best, or that none does.

    Examples
    --------
    >>> r = np.array([100, 200, 400, 800, 1600])
    >>> verdict(fit_scaling(r, 3.0 * r + 5, 0.01 * r)).partition(", a in")[0]
    'the best of 3 laws that fit is 3 r + 5'
    >>> verdict(fit_scaling(r, np.exp(r / 100), 0.01 * r)).partition(";")[0]
    'none of 8 laws fits'
    """
    if not fits:
        return "no law can be fitted to so few resolutions"
    fitting = [fit for fit in fits if fit.fits]
    if not fitting:
        return f"none of {len(fits)} laws fits; the least bad is {fits[0]}"
    if len(fitting) == 1:
        return f"the only law that fits is {fitting[0]}"
    return f"the best of {len(fitting)} laws that fit is {fitting[0]}"


def exponent_p_value(
    law: str, exponent: float, resolutions: ArrayLike, means: ArrayLike, standard_errors: ArrayLike
) -> float:
    """Test whether the leading exponent of a law may be a given one.

    Parameters
    ----------
    law
        A law with a fitted exponent: see `GROWTH_LAWS`.
    exponent
        The exponent under test.
    resolutions, means, standard_errors
        As for `fit_scaling`.

    Returns
    -------
    float
        P-value: small if the exponent is not the given one.

    Examples
    --------
    >>> r = 2.0 ** np.arange(6, 24)
    >>> data = r, 1.6 * np.log(r) ** 2 + 2 * np.log(r), 0.01 * np.log(r)
    >>> exponent_p_value("polylog", 2, *data) > 0.9, exponent_p_value("polylog", 1.8, *data) < 0.01
    (True, True)
    """
    chosen = GROWTH_LAWS.get(law)
    if chosen is None or not isinstance(chosen.exponents, tuple):
        names = [name for name, one in GROWTH_LAWS.items() if one.fitted_exponent]
        raise ValueError(f"law must be one of {', '.join(map(repr, names))}, got {shown(law)}")
    low, high = chosen.exponents
    if not low <= exponent <= high:
        raise ValueError(f"exponent must be from {low:g} to {high:g}, got {exponent}")
    r, mean, error = _checked(resolutions, means, standard_errors)
    best = _profile(chosen, r, mean, error)[1]
    at = _solve(chosen.terms(r, exponent), mean, error)[2]
    return float(stats.chi2.sf(max(0.0, at - best), 1))


def _checked(
    resolutions: ArrayLike, means: ArrayLike, standard_errors: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
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
    return r, mean, error


def _solve(
    terms: FloatArray, mean: FloatArray, error: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """Coefficients, their covariance and chi-square of weighted least squares."""
    weighted = terms / error[:, None]
    # terms differ by many orders of magnitude: columns of length 1 keep all digits
    scale = np.linalg.norm(weighted, axis=0)
    q, triangle = np.linalg.qr(weighted / scale)
    # terms that cannot be told apart leave a singular triangle: the smallest solution will do
    inverse = np.linalg.pinv(triangle)
    solution = inverse @ (q.T @ (mean / error)) / scale
    covariance = (inverse @ inverse.T) / np.outer(scale, scale)
    chi_square = float((((mean - terms @ solution) / error) ** 2).sum())
    return solution, covariance, chi_square


def _profile(
    law: GrowthLaw, r: FloatArray, mean: FloatArray, error: FloatArray
) -> tuple[float, float]:
    """The best exponent and its chi-square."""
    assert isinstance(law.exponents, tuple)

    def chi_square(k: float) -> float:
        return _solve(law.terms(r, k), mean, error)[2]

    grid = np.linspace(*law.exponents, 80)
    values = np.array([chi_square(k) for k in grid])
    padded = np.concatenate(([np.inf], values, [np.inf]))
    # every valley of the grid is looked at closely: the deepest may be narrow
    valleys = np.flatnonzero((values <= padded[:-2]) & (values <= padded[2:])).tolist()
    found = [(float(grid[i]), float(values[i])) for i in valleys]
    for i in valleys:
        ends = grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)]
        near = optimize.minimize_scalar(
            chi_square, bounds=ends, method="bounded", options={"xatol": 1e-8}
        )
        found.append((float(near.x), float(near.fun)))
    return min(found, key=lambda pair: pair[1])


def _exponent_interval(
    law: GrowthLaw,
    r: FloatArray,
    mean: FloatArray,
    error: FloatArray,
    best: tuple[float, float],
    level: float,
) -> Interval:
    """All exponents whose chi-square is not surprisingly larger than the best."""
    assert isinstance(law.exponents, tuple)
    limit = best[1] + stats.chi2.ppf(level, 1)

    def above(k: float) -> float:
        return _solve(law.terms(r, k), mean, error)[2] - limit

    ends = []
    for far in law.exponents:
        # outward in growing steps to the first exponent that is out, then to where it gets out
        reach = 0.01 * 1.5 ** np.arange(20)
        steps = np.sign(far - best[0]) * reach[reach < abs(far - best[0])]
        for inside, outside in pairwise([best[0], *(best[0] + steps).tolist(), far]):
            if above(outside) > 0:
                ends.append(float(optimize.brentq(above, inside, outside)))
                break
        else:
            ends.append(float(far))
    return Interval(*ends)


def _fit(
    law: GrowthLaw, r: FloatArray, mean: FloatArray, error: FloatArray, level: float
) -> ScalingFit:
    if isinstance(law.exponents, tuple):
        best = _profile(law, r, mean, error)
        exponent = best[0]
        interval = _exponent_interval(law, r, mean, error, best, level)
    else:
        exponent, interval = law.exponents, Interval(law.exponents, law.exponents)
    solution, covariance, chi_square = _solve(law.terms(r, exponent), mean, error)
    half = stats.norm.ppf(0.5 + level / 2) * np.sqrt(np.diag(covariance))
    parameters, freedom = law.parameters, len(r) - law.parameters
    return ScalingFit(
        law=law,
        coefficients=tuple(solution.tolist()),
        coefficient_intervals=tuple(
            Interval(float(c - h), float(c + h)) for c, h in zip(solution, half, strict=True)
        ),
        exponent=exponent,
        exponent_interval=interval,
        chi_square=chi_square,
        degrees_of_freedom=freedom,
        p_value=float(stats.chi2.sf(chi_square, freedom)),
        aic=chi_square + 2 * parameters,
    )
