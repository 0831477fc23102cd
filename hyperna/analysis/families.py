"""Families of growth laws with lower-order terms, as data: adding one is adding an entry."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class GrowthLaw:
    """A family of growth laws: a sum of terms, the leading one first.

    Attributes
    ----------
    name, formula : str
        What it is called and how it is written, with coefficients a, b, c, d.
    terms : callable
        From resolutions and the exponent k to the terms, one column each.
    powers : tuple of str
        How the terms are written, with {k} for the exponent.
    exponents : (low, high) or float
        Where k is searched, or the fixed exponent of the leading term.
    """

    name: str
    formula: str
    terms: Callable[[FloatArray, float], FloatArray]
    powers: tuple[str, ...]
    exponents: tuple[float, float] | float

    @property
    def fitted_exponent(self) -> bool:
        """Whether the exponent is fitted."""
        return isinstance(self.exponents, tuple)

    @property
    def parameters(self) -> int:
        """Number of fitted numbers."""
        return len(self.powers) + self.fitted_exponent


def _columns(*functions: Callable[[FloatArray, float], FloatArray]) -> Callable[..., FloatArray]:
    return lambda r, k: np.column_stack([function(r, k) for function in functions])


def _one(r: FloatArray, k: float) -> FloatArray:
    return np.ones_like(r)


def _log(power: float) -> Callable[[FloatArray, float], FloatArray]:
    return lambda r, k: np.log(r) ** power


def _power(power: float) -> Callable[[FloatArray, float], FloatArray]:
    return lambda r, k: r**power


LAWS = {
    law.name: law
    for law in (
        GrowthLaw("log", "a ln r + b", _columns(_log(1), _one), ("ln r", ""), 1.0),
        GrowthLaw(
            "log^2",
            "a ln² r + b ln r + c",
            _columns(_log(2), _log(1), _one),
            ("ln² r", "ln r", ""),
            2.0,
        ),
        GrowthLaw(
            "log^3",
            "a ln³ r + b ln² r + c ln r + d",
            _columns(_log(3), _log(2), _log(1), _one),
            ("ln³ r", "ln² r", "ln r", ""),
            3.0,
        ),
        GrowthLaw(
            "polylog",
            "a ln^k r + b ln r + c",
            _columns(lambda r, k: np.log(r) ** k, _log(1), _one),
            ("ln^{k} r", "ln r", ""),
            (1.05, 8.0),
        ),
        GrowthLaw("linear", "a r + b", _columns(_power(1), _one), ("r", ""), 1.0),
        GrowthLaw(
            "linearithmic",
            "a r ln r + b r",
            _columns(lambda r, k: r * np.log(r), _power(1)),
            ("r ln r", "r"),
            1.0,
        ),
        GrowthLaw(
            "quadratic",
            "a r² + b r + c",
            _columns(_power(2), _power(1), _one),
            ("r²", "r", ""),
            2.0,
        ),
        GrowthLaw(
            "power",
            "a r^k + b",
            _columns(lambda r, k: r**k, _one),
            ("r^{k}", ""),
            (0.05, 6.0),
        ),
        GrowthLaw(
            "power, linear",
            "a r^k + b r",
            _columns(lambda r, k: r**k, _power(1)),
            ("r^{k}", "r"),
            (1.05, 6.0),
        ),
        GrowthLaw(
            "power log",
            "a r^k ln r + b r^k",
            _columns(lambda r, k: r**k * np.log(r), lambda r, k: r**k),
            ("r^{k} ln r", "r^{k}"),
            (0.05, 6.0),
        ),
        GrowthLaw(
            "power log^2",
            "a r^k ln² r + b r^k ln r + c r^k",
            _columns(
                lambda r, k: r**k * np.log(r) ** 2,
                lambda r, k: r**k * np.log(r),
                lambda r, k: r**k,
            ),
            ("r^{k} ln² r", "r^{k} ln r", "r^{k}"),
            (0.05, 6.0),
        ),
    )
}
