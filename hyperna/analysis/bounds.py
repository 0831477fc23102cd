"""The theorems' bounds on the runtime (D = 2), to be put beside measured growth."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


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
