"""Growth laws as weighted regressions: best coefficients, and all that the data do not exclude.

At a given exponent a law is linear in its coefficients, so least squares solve it. The leading
coefficient must not be negative, because a runtime does not fall below zero for large r: where the
least squares want a negative one it is held at 0 and the other coefficients are fitted alone.

What the data do not exclude is every choice of exponent and coefficients whose chi-square exceeds
the smallest one by no more than a quantile of the chi-square distribution with one degree of
freedom (the profile likelihood). Intervals are the ranges that an exponent, a coefficient or a
prediction takes over these choices. Chi-square can have several valleys, which such a range spans.
"""

from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats

from hyperna._validation import BoolArray, FloatArray
from hyperna.analysis.growth import GrowthLaw
from hyperna.analysis.statistics import Interval

# Exponents at which chi-square is computed to find its valleys.
_EXPONENTS_TRIED = 200
# Exponents at which ranges of coefficients and predictions are computed.
_EXPONENTS_RANGED = 100


@dataclass(frozen=True)
class Means:
    """Mean runtimes at resolutions r, each with its standard error.

    ``freedom`` is how many degrees of freedom the estimate of a standard error has: infinity if
    the standard errors are known.
    """

    r: FloatArray
    mean: FloatArray
    error: FloatArray
    freedom: float = np.inf

    def allowance(self, level: float) -> float:
        """How far chi-square may exceed its smallest value at a confidence level."""
        return float(stats.t.ppf(0.5 + level / 2, self.freedom)) ** 2

    def p_value(self, chi_square: float, freedom: int) -> float:
        """How likely a chi-square as large is, with so many degrees of freedom of its own."""
        if np.isinf(self.freedom):
            return float(stats.chi2.sf(chi_square, freedom))
        return float(stats.f.sf(chi_square / freedom, freedom, len(self.r) * self.freedom))


@dataclass(frozen=True)
class LeastSquares:
    """Weighted least squares for a stack of designs.

    Attributes
    ----------
    solution : array of shape (stack, terms)
        Coefficients.
    covariance : array of shape (stack, terms, terms)
        Of the coefficients.
    chi_square : array of shape (stack,)
        Weighted squared distance between data and law.
    """

    solution: FloatArray
    covariance: FloatArray
    chi_square: FloatArray

    @classmethod
    def solve(cls, terms: FloatArray, data: Means) -> "LeastSquares":
        """Solve for designs of shape (stack, resolutions, terms)."""
        weighted = terms / data.error[:, np.newaxis]
        # terms differ by many orders of magnitude: columns of length 1 keep all digits
        scale = np.linalg.norm(weighted, axis=-2)
        q, triangle = np.linalg.qr(weighted / scale[..., np.newaxis, :])
        # terms that cannot be told apart leave a singular triangle: the smallest solution will do
        inverse = np.linalg.pinv(triangle)
        projected = np.swapaxes(q, -1, -2) @ (data.mean / data.error)
        solution = (inverse @ projected[..., np.newaxis])[..., 0] / scale
        covariance = inverse @ np.swapaxes(inverse, -1, -2)
        covariance /= scale[..., :, np.newaxis] * scale[..., np.newaxis, :]
        fitted = (terms @ solution[..., np.newaxis])[..., 0]
        chi_square = (((data.mean - fitted) / data.error) ** 2).sum(axis=-1)
        return cls(solution, covariance, chi_square)

    def extremes(self, contrast: FloatArray, limit: float) -> tuple[FloatArray, FloatArray]:
        """Coefficients with the least and the largest ``contrast @ coefficients``.

        Among those whose chi-square is at most the limit; NaN where there are none.
        """
        direction = (self.covariance @ contrast[..., np.newaxis])[..., 0]
        variance = (contrast * direction).sum(axis=-1)
        slack = limit - self.chi_square
        with np.errstate(invalid="ignore", divide="ignore"):
            length = np.sqrt(slack / variance)
        step = np.where(variance > 0, length, np.where(slack >= 0, 0.0, np.nan))
        away = step[..., np.newaxis] * direction
        return self.solution - away, self.solution + away


@dataclass(frozen=True)
class Regression:
    """One growth law fitted to means at a stack of exponents, its leading coefficient at least 0.

    Attributes
    ----------
    exponents : array of shape (stack,)
        Where.
    free, held : LeastSquares
        With all terms, and without the leading one.
    """

    exponents: FloatArray
    free: LeastSquares
    held: LeastSquares

    @classmethod
    def of(cls, law: GrowthLaw, exponents: FloatArray, data: Means) -> "Regression":
        """Fit a law at each of the exponents."""
        terms = law.terms(data.r, exponents)
        return cls(
            exponents,
            LeastSquares.solve(terms, data),
            LeastSquares.solve(terms[..., 1:], data),
        )

    @property
    def is_held(self) -> BoolArray:
        """Where the leading coefficient is held at 0."""
        return self.free.solution[:, 0] < 0

    @property
    def chi_square(self) -> FloatArray:
        """Weighted squared distance between data and law at each exponent."""
        return np.where(self.is_held, self.held.chi_square, self.free.chi_square)

    @property
    def coefficients(self) -> FloatArray:
        """Best coefficients at each exponent."""
        held = _with_zero(self.held.solution)
        return np.where(self.is_held[:, np.newaxis], held, self.free.solution)

    def range(self, contrast: FloatArray, limit: float) -> Interval:
        """The range of ``contrast @ coefficients`` where chi-square is at most the limit."""
        freely = self.free.extremes(contrast, limit)
        without = map(_with_zero, self.held.extremes(contrast[..., 1:], limit))
        ends = []
        for free, held in zip(freely, without, strict=True):
            # outside of what is allowed the extreme lies on its border, a leading coefficient of 0
            chosen = np.where((free[:, 0] >= 0)[:, np.newaxis], free, held)
            ends.append((contrast * chosen).sum(axis=-1))
        return Interval(float(np.nanmin(ends[0])), float(np.nanmax(ends[1])))


def _with_zero(coefficients: FloatArray) -> FloatArray:
    return np.concatenate([np.zeros((len(coefficients), 1)), coefficients], axis=-1)


@dataclass(frozen=True)
class Profile:
    """What the data say about one law.

    Attributes
    ----------
    law : GrowthLaw
        Which.
    best : Regression
        At the best exponent alone.
    limit : float
        Largest chi-square that is not excluded.
    exponents : Interval
        The exponents that are not excluded lie between these.
    within : Regression
        At exponents throughout that interval.
    """

    law: GrowthLaw
    best: Regression
    limit: float
    exponents: Interval
    within: Regression

    @classmethod
    def of(cls, law: GrowthLaw, data: Means, level: float) -> "Profile":
        """Fit a law and find what is not excluded at a confidence level."""
        if not isinstance(law.exponents, tuple):
            best = Regression.of(law, np.array([law.exponents]), data)
            limit = float(best.chi_square[0]) + data.allowance(level)
            return cls(law, best, limit, Interval(law.exponents, law.exponents), best)

        tried, chi_square = valleys(law, data)
        best = Regression.of(law, tried[[chi_square.argmin()]], data)
        limit = float(best.chi_square[0]) + data.allowance(level)
        found = _ends(law, data, tried, chi_square, limit)
        spread = np.concatenate([np.linspace(*found, _EXPONENTS_RANGED), best.exponents])
        return cls(law, best, limit, found, Regression.of(law, spread, data))

    @property
    def leading_range(self) -> Interval:
        """The leading coefficients that are not excluded."""
        contrast = np.zeros_like(self.within.coefficients)
        contrast[:, 0] = 1.0
        return self.within.range(contrast, self.limit)

    def prediction_range(self, r: float) -> Interval:
        """The runtimes at resolution r that are not excluded; none of them is negative."""
        terms = self.law.terms(np.array([r]), self.within.exponents)[:, 0]
        low, high = self.within.range(terms, self.limit)
        return Interval(max(0.0, low), max(0.0, high))


def valleys(law: GrowthLaw, data: Means) -> tuple[FloatArray, FloatArray]:
    """Exponents in order and the chi-square at each: a grid, and the bottom of every valley."""
    grid = law.exponent_grid(_EXPONENTS_TRIED)
    values = Regression.of(law, grid, data).chi_square
    padded = np.concatenate(([np.inf], values, [np.inf]))
    exponents = grid.tolist()
    chi_squares = values.tolist()
    for i in np.flatnonzero((values < padded[:-2]) & (values <= padded[2:])).tolist():
        bottom = optimize.minimize_scalar(
            lambda k: chi_square_at(law, k, data),
            bounds=(grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)]),
            method="bounded",
            options={"xatol": 1e-9},
        )
        exponents.append(float(bottom.x))
        chi_squares.append(float(bottom.fun))
    order = np.argsort(exponents, kind="stable")
    return np.array(exponents)[order], np.array(chi_squares)[order]


def chi_square_at(law: GrowthLaw, exponent: float, data: Means) -> float:
    """The chi-square of a law at one exponent."""
    return float(Regression.of(law, np.array([exponent]), data).chi_square[0])


def _ends(
    law: GrowthLaw, data: Means, exponents: FloatArray, chi_square: FloatArray, limit: float
) -> Interval:
    """The smallest and the largest exponent whose chi-square is at most the limit."""

    def above(k: float) -> float:
        return chi_square_at(law, k, data) - limit

    inside = np.flatnonzero(chi_square <= limit)
    first, last = int(inside[0]), int(inside[-1])
    low, high = float(exponents[first]), float(exponents[last])
    if first > 0:
        low = float(optimize.brentq(above, exponents[first - 1], low))
    if last < len(exponents) - 1:
        high = float(optimize.brentq(above, high, exponents[last + 1]))
    return Interval(low, high)
