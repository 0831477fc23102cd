"""How runtime grows with the resolution: growth laws with lower-order terms, fitted and tested.

Mean runtimes at several resolutions are compared with families of growth laws, such as
a ln² r + b ln r + c or a r^k + b r, to see which of them the measurements allow. Each law that they
allow comes with an interval for its exponent or its leading coefficient, and with what it predicts
at 2 and 16 times the largest resolution measured. Several laws usually fit at once: all of them are
named, and how far apart their predictions are tells how much the measurements leave open.

A law fits if its chi-square is no surprise (p >= 0.01) and if it does not fall beyond the
measurements; it may be that none fits. Akaike's criterion puts the laws that fit in order.

A 95 % interval holds the truth in 95 % of samples if its law is the true one, also near the limits
of a family (benchmarks/law_intervals.py simulates it). The choice among laws is not in it: with a
truth of a r^2 + b r the interval of the law that comes first holds 2 less often. To test an
exponent, choose the law before. `hyperna.analysis.regression` says how intervals are computed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from hyperna._validation import FloatArray, check_choice
from hyperna._words import counted, number, shown, significant
from hyperna.analysis.growth import GROWTH_LAWS, GrowthLaw
from hyperna.analysis.growth import Bound as Bound
from hyperna.analysis.growth import theorem_bound as theorem_bound
from hyperna.analysis.regression import Means, Profile, Regression, chi_square_at, valleys
from hyperna.analysis.statistics import Interval, check_level, check_sample

# A misfit less likely than this if the law were true speaks against it.
FITS_FROM = 0.01
# Predictions are made at these multiples of the largest resolution measured.
PREDICTED_AT = (2, 16)
# A law needs this many resolutions more than it has numbers to fit.
_FEWEST_SPARE = 2
# The variance of a sample variance of runtimes, in units of a normal sample's: 4 for exponential
# runtimes, which have a kurtosis of 9. So many fewer degrees of freedom has a standard error.
_VARIANCE_OF_VARIANCE = 4
_SMOOTHINGS = 2
_EXPONENTS_SMOOTHED = 100
# A leading term below this part of every standard error is none.
_NOTHING = 1e-4


class Prediction(NamedTuple):
    """The mean runtime that a law predicts at a resolution, with its confidence interval."""

    resolution: float
    value: float
    interval: Interval


@dataclass(frozen=True)
class ScalingFit:
    """One growth law fitted to measured runtimes.

    Attributes
    ----------
    law
        Which law.
    coefficients
        Of the terms, the leading one first. It is at least 0.
    factor_interval
        Confidence interval of the leading coefficient.
    exponent, exponent_interval
        Exponent k of the leading term; where the law fixes it, both ends of the interval are it.
    chi_square, degrees_of_freedom, p_value
        Weighted squared distance between data and law, in units of the standard errors, and how
        likely one as large is if the law is true. A leading coefficient that is held at 0 is not
        counted as a fitted number.
    predictions
        At 2 and 16 times the largest resolution measured.
    grows
        Whether the data allow that it does not fall from the largest resolution to 16 times of it.
    aic
        Akaike's criterion, chi-square plus twice the number of parameters; the smallest is best.
    weight
        Akaike weight among the laws that fit, 0 for those that do not.
    """

    law: GrowthLaw
    coefficients: tuple[float, ...]
    factor_interval: Interval
    exponent: float
    exponent_interval: Interval
    chi_square: float
    degrees_of_freedom: int
    p_value: float
    predictions: tuple[Prediction, ...]
    grows: bool
    aic: float
    weight: float = 0.0

    @property
    def fits(self) -> bool:
        """Whether the misfit is no larger than noise explains (p >= 0.01) and the law grows."""
        return self.p_value >= FITS_FROM and self.grows

    @property
    def factor(self) -> float:
        """Coefficient of the leading term."""
        return self.coefficients[0]

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
            if text:
                text += " - " if value < 0 else " + "
            elif value < 0:
                text = "-"
            grown = power.format(k=f"{self.exponent:.2f}")
            text += f"{significant(abs(value))} {grown}".rstrip()
        return text

    @property
    def leading(self) -> tuple[str, Interval]:
        """The exponent k if it is fitted, else the leading coefficient a, with its interval."""
        fitted = self.law.fitted_exponent
        return ("k", self.exponent_interval) if fitted else ("a", self.factor_interval)

    @property
    def brief(self) -> str:
        """The law with its numbers, an interval and its p-value."""
        what, (low, high) = self.leading
        return (
            f"{self.equation}, {what} in [{significant(low)}, {significant(high)}] ({self._p_text})"
        )

    def __str__(self) -> str:
        """Return the law with its numbers, an interval, and how well it fits."""
        quality = f"chi-square {self.chi_square:.3g} on {self.degrees_of_freedom}, {self._p_text}"
        if not self.fits:
            why = "does not fit" if self.p_value < FITS_FROM else "falls for large r"
            return f"{self.equation}: {why} ({quality})"
        return f"{self.brief.rpartition(' (')[0]} ({quality})"

    @property
    def _p_text(self) -> str:
        return "p < 0.0001" if self.p_value < 1e-4 else f"p = {self.p_value:.2g}"


def fit_scaling(
    resolutions: ArrayLike,
    means: ArrayLike,
    standard_errors: ArrayLike,
    *,
    level: float = 0.95,
    laws: Iterable[str] | None = None,
) -> list[ScalingFit]:
    """Fit every growth law to mean runtimes; those that fit come first, the best (AIC) first.

    Laws with too many numbers to fit for so few resolutions are left out. The standard errors are
    taken as known; `fit_runtimes` takes into account that they are estimated.

    Parameters
    ----------
    resolutions
        At least four different resolutions r >= 3.
    means, standard_errors
        Mean runtime at each resolution and its standard error, all positive.
    level
        Confidence level of the intervals.
    laws
        Names of the laws to fit; by default all of `GROWTH_LAWS`.

    Examples
    --------
    >>> r = 2.0 ** np.arange(6, 24)
    >>> best, *others = fit_scaling(r, 1.6 * np.log(r) ** 2 + 2 * np.log(r) + 1, 0.01 * np.log(r))
    >>> best.law.name, best.equation
    ('log^2', '1.6 ln² r + 2 ln r + 1')
    """
    data = _checked(resolutions, means, standard_errors)
    return _fit_all(data, check_level(level), _chosen(laws))


def fit_runtimes(
    resolutions: ArrayLike,
    runtimes: Sequence[ArrayLike],
    *,
    level: float = 0.95,
    laws: Iterable[str] | None = None,
) -> list[ScalingFit]:
    """Fit growth laws to samples of runtimes, one sample for each resolution.

    `level` and `laws` are as in `fit_scaling`.

    Where runtimes spread in proportion to their mean, a mean that is too small by chance comes with
    a standard error that is too small, and would count too much. So a standard error is the
    sample's relative one times the runtime of a first fit. Intervals and p-values are Student's
    and Fisher's, because standard errors are estimated from a limited number of runs.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> r = [100, 200, 400, 800, 1600]
    >>> fits = fit_runtimes(r, [rng.exponential(5.0 * size, 500) for size in r])
    >>> {fit.law.name: fit.fits for fit in fits}["linear"]
    True
    """
    samples = [check_sample("runtimes", sample) for sample in runtimes]
    fewest = min(map(len, samples), default=2)
    if fewest < 2:
        raise ValueError("runtimes must hold at least two runs for each resolution")
    means = [float(sample.mean()) for sample in samples]
    errors = [float(sample.std(ddof=1) / np.sqrt(len(sample))) for sample in samples]
    data = _checked(resolutions, means, errors)
    freedom = max(1.0, (fewest - 1) / _VARIANCE_OF_VARIANCE)
    smoothed = replace(_smoothed(data), freedom=freedom)
    return _fit_all(smoothed, check_level(level), _chosen(laws))


def verdict(fits: Sequence[ScalingFit]) -> str:
    """Say which laws fit and how far apart their predictions are, or that none fits.

    Examples
    --------
    >>> r = np.array([100, 200, 400, 800, 1600])
    >>> print(verdict(fit_scaling(r, 3.0 * r + 5, 0.001 * r)))
    3 of 8 laws fit: 3 r + 5, a in [3, 3] (p = 1); 0 r² + 3 r + 5, a in [0, 2.45e-06] (p = 1);
    3 r^1.00 + 5, k in [0.999, 1] (p = 1). At r = 3,200, 2 times the largest measured, they predict
    9,600 to 9,610 evaluations (factor 1.00; with their intervals 9,600 to 9,620); at r = 25,600, 16
    times, 76,800 to 76,800 (factor 1.00; with their intervals 76,600 to 78,300)
    >>> verdict(fit_scaling(r, np.exp(r / 100), 0.01 * r)).partition(";")[0]
    'none of 8 laws fits'
    """
    if not fits:
        return "no law can be fitted to so few resolutions"
    fitting = [fit for fit in fits if fit.fits]
    if not fitting:
        return f"none of {counted(len(fits), 'law')} fits; the least bad is {fits[0]}"
    laws = "; ".join(fit.brief for fit in fitting)
    verb = "fits" if len(fitting) == 1 else "fit"
    return f"{len(fitting)} of {counted(len(fits), 'law')} {verb}: {laws}. {predicted(fitting)}"


def predicted(fitting: Sequence[ScalingFit]) -> str:
    """Say what laws predict beyond the measurements, and how far apart that is.

    Examples
    --------
    >>> r = np.array([100, 200, 400, 800, 1600])
    >>> fits = fit_scaling(r, 3.0 * r + 5, 0.01 * r)
    >>> print(predicted([fit for fit in fits if fit.law.name == "linear"]))
    At r = 3,200, 2 times the largest measured, it predicts 9,600 evaluations (9,560 to 9,650); at
    r = 25,600, 16 times, 76,800 (76,500 to 77,100)
    """
    parts: list[str] = []
    for found in zip(*(fit.predictions for fit in fitting), strict=True):
        least = min(one.value for one in found)
        most = max(one.value for one in found)
        low = min(one.interval.low for one in found)
        high = max(one.interval.high for one in found)
        within = f"{significant(low)} to {significant(high)}"
        where = f"at r = {number(found[0].resolution, 0)}, {PREDICTED_AT[len(parts)]} times"
        says = ""
        unit = ""
        if not parts:
            says = " the largest measured, it predicts"
            unit = " evaluations"
        if len(fitting) == 1:
            text = f"{significant(least)}{unit} ({within})"
        else:
            says = says.replace("it predicts", "they predict")
            apart = f"factor {most / least:,.2f}; " if least > 0 else ""
            text = f"{significant(least)} to {significant(most)}{unit} "
            text += f"({apart}with their intervals {within})"
        parts.append(f"{where}{says or ','} {text}")
    return "; ".join(parts).replace("at r", "At r", 1)


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
    data = _checked(resolutions, means, standard_errors)
    best = valleys(chosen, data)[1].min()
    at = chi_square_at(chosen, exponent, data)
    return float(stats.chi2.sf(max(0.0, at - best), 1))


def _checked(resolutions: ArrayLike, means: ArrayLike, standard_errors: ArrayLike) -> Means:
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
    return Means(r, mean, error)


def _chosen(names: Iterable[str] | None) -> list[GrowthLaw]:
    """Return the laws of these names, all by default."""
    if names is None:
        return [*GROWTH_LAWS.values()]
    return [GROWTH_LAWS[check_choice("laws", name, tuple(GROWTH_LAWS))] for name in names]


def _affordable(data: Means, laws: Iterable[GrowthLaw]) -> list[GrowthLaw]:
    """The laws that do not have too many numbers to fit."""
    different = len(np.unique(data.r))
    return [law for law in laws if different - law.parameters >= _FEWEST_SPARE]


def _fit_all(data: Means, level: float, laws: Iterable[GrowthLaw]) -> list[ScalingFit]:
    """Fit some laws: those that fit first, weighed against each other."""
    found = [_fit(law, data, level) for law in _affordable(data, laws)]
    fits = sorted(found, key=lambda fit: fit.aic)
    fitting = [fit for fit in fits if fit.fits]
    likelihood = np.exp([(fitting[0].aic - fit.aic) / 2 for fit in fitting])
    weights = likelihood / likelihood.sum() if fitting else likelihood
    weighed = [replace(fit, weight=float(w)) for fit, w in zip(fitting, weights, strict=True)]
    return weighed + [fit for fit in fits if not fit.fits]


def _fit(law: GrowthLaw, data: Means, level: float) -> ScalingFit:
    profile = Profile.of(law, data, level)
    best = profile.best
    exponent = float(best.exponents[0])
    coefficients = best.coefficients[0]
    leading = coefficients[0] * law.terms(data.r, exponent)[:, 0]
    if np.all(leading < _NOTHING * data.error):
        coefficients[0] = 0.0
    chi_square = float(best.chi_square[0])
    freedom = len(data.r) - law.parameters + int(coefficients[0] == 0)
    largest = float(data.r.max())
    further = np.array([largest, *(times * largest for times in PREDICTED_AT)])
    now, *then = (law.terms(further, exponent) @ coefficients).tolist()
    predictions = tuple(
        Prediction(r, value, profile.prediction_range(r))
        for r, value in zip(further[1:].tolist(), then, strict=True)
    )
    return ScalingFit(
        law=law,
        coefficients=tuple(coefficients.tolist()),
        factor_interval=profile.leading_range,
        exponent=exponent,
        exponent_interval=profile.exponents,
        chi_square=chi_square,
        degrees_of_freedom=freedom,
        p_value=data.p_value(chi_square, freedom),
        predictions=predictions,
        # the best of all fits may fall by chance: what the data allow decides
        grows=predictions[-1].interval.high >= now * (1 - 1e-12),
        aic=chi_square + 2 * law.parameters,
    )


def _smoothed(data: Means) -> Means:
    """The same means, with standard errors relative to the law that fits best."""
    smooth = data
    for _ in range(_SMOOTHINGS):
        best = data.mean
        least = np.inf
        for law in _affordable(data, GROWTH_LAWS.values()):
            exponents = law.exponent_grid(_EXPONENTS_SMOOTHED)
            fitted = Regression.of(law, exponents, smooth)
            place = int(fitted.chi_square.argmin())
            values = law.terms(data.r, exponents[place]) @ fitted.coefficients[place]
            aic = fitted.chi_square[place] + 2 * law.parameters
            if aic < least and values.min() > 0:
                best = values
                least = aic
        smooth = replace(data, error=data.error * best / data.mean)
    return smooth
