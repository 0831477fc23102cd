"""Growth laws as data: families with lower-order terms to be fitted, and what theorems say."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hyperna._validation import FloatArray

# Functions of the resolution and the exponent k, by how they are written.
TERMS: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "": lambda r, k: np.ones_like(r),
    "ln r": lambda r, k: np.log(r),
    "ln² r": lambda r, k: np.log(r) ** 2,
    "ln³ r": lambda r, k: np.log(r) ** 3,
    "ln^{k} r": lambda r, k: np.log(r) ** k,
    "r": lambda r, k: r,
    "r ln r": lambda r, k: r * np.log(r),
    "r²": lambda r, k: r**2,
    "r^{k}": lambda r, k: r**k,
    "r^{k} ln r": lambda r, k: r**k * np.log(r),
    "r^{k} ln² r": lambda r, k: r**k * np.log(r) ** 2,
}


@dataclass(frozen=True)
class GrowthLaw:
    """A family of growth laws: a sum of terms, the leading one first.

    Attributes
    ----------
    name : str
        What it is called.
    powers : tuple of str
        Its terms as they are written in `TERMS`.
    exponents : (low, high) or float
        Where k is searched, or the fixed exponent of the leading term.

    Examples
    --------
    >>> GROWTH_LAWS["power, linear"].formula
    'a r^k + b r'
    """

    name: str
    powers: tuple[str, ...]
    exponents: tuple[float, float] | float

    def terms(self, r: FloatArray, k: FloatArray | float) -> FloatArray:
        """Return the terms at resolutions r, one column each; so for every k of an array."""
        exponents = np.asarray(k, dtype=float)[..., np.newaxis]
        shape = np.broadcast_shapes(exponents.shape, r.shape)
        columns = [np.broadcast_to(TERMS[power](r, exponents), shape) for power in self.powers]
        return np.stack(columns, axis=-1)

    @property
    def formula(self) -> str:
        """How it is written, with coefficients a, b, c, d."""
        named = zip("abcd", self.powers, strict=False)
        return " + ".join(f"{letter} {power.format(k='k')}".rstrip() for letter, power in named)

    @property
    def fitted_exponent(self) -> bool:
        """Whether the exponent is fitted."""
        return isinstance(self.exponents, tuple)

    def exponent_grid(self, size: int) -> FloatArray:
        """Return exponents over the range in which k is searched, or the fixed exponent alone."""
        if isinstance(self.exponents, tuple):
            low, high = self.exponents
            return np.linspace(low, high, size)
        return np.array([self.exponents])

    @property
    def parameters(self) -> int:
        """Number of fitted numbers."""
        return len(self.powers) + self.fitted_exponent


# Adding a family is adding an entry.
GROWTH_LAWS = {
    law.name: law
    for law in (
        GrowthLaw("log", ("ln r", ""), 1.0),
        GrowthLaw("log^2", ("ln² r", "ln r", ""), 2.0),
        GrowthLaw("log^3", ("ln³ r", "ln² r", "ln r", ""), 3.0),
        GrowthLaw("polylog", ("ln^{k} r", "ln r", ""), (1.05, 8.0)),
        GrowthLaw("linear", ("r", ""), 1.0),
        GrowthLaw("linearithmic", ("r ln r", "r"), 1.0),
        GrowthLaw("quadratic", ("r²", "r", ""), 2.0),
        GrowthLaw("power", ("r^{k}", ""), (0.05, 6.0)),
        GrowthLaw("power, linear", ("r^{k}", "r"), (1.05, 6.0)),
        GrowthLaw("power log", ("r^{k} ln r", "r^{k}"), (0.05, 6.0)),
        GrowthLaw("power log^2", ("r^{k} ln² r", "r^{k} ln r", "r^{k}"), (0.05, 6.0)),
    )
}


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
