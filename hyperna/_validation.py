"""Checks of what callers hand in: each returns the clean value or says what would be right."""

import importlib.util
import math
import operator
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hyperna._words import did_you_mean, shown

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def check_integer(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Return value as an int from low to high (without upper limit if high is None).

    Examples
    --------
    >>> check_integer("resolution", 12, 2)
    12
    >>> check_integer("resolution", 1, 2, 2**40)
    Traceback (most recent call last):
    ...
    ValueError: resolution must be an integer from 2 to 1099511627776, got 1
    """
    wanted = f">= {low}" if high is None else f"from {low} to {high}"
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer {wanted}, got {shown(value)}") from None
    if number < low or (high is not None and number > high):
        raise ValueError(f"{name} must be an integer {wanted}, got {shown(number)}")
    return number


# More workers take more of a machine than they give: 100,000 threads leave it without any.
MOST_JOBS = 4096
# The largest `max_neurons` of a classifier, here for the command line, which must not load one. The
# search knows no limit, but nobody reads a rule of so many conditions, and a larger number is
# likelier a slip than a wish.
MOST_CONDITIONS = 62


def check_jobs(n_jobs: Any) -> int | None:
    """Return a number of workers as joblib takes it, None for the default.

    Examples
    --------
    >>> check_jobs(-1)
    -1
    """
    if n_jobs is None:
        return None
    number = check_integer("n_jobs", n_jobs, -MOST_JOBS, MOST_JOBS)
    if number == 0:
        raise ValueError("n_jobs must not be 0 (1: one worker, -1: all cores), got 0")
    return number


def check_real(
    name: str,
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    low_open: bool = False,
    high_open: bool = False,
) -> float:
    """Return value as a finite float between low and high; an open end is itself excluded.

    Examples
    --------
    >>> check_real("beta", 2, 1, low_open=True)
    2.0
    >>> check_real("beta", 1, 1, low_open=True)
    Traceback (most recent call last):
    ...
    ValueError: beta must be a finite number > 1, got 1
    """
    real = isinstance(value, Real) and not isinstance(value, bool)
    try:
        number = float(value) if real else math.nan
    except OverflowError:
        number = math.inf
    above = number > low if low_open else number >= low
    below = number < high if high_open else number <= high
    if math.isfinite(number) and above and below:
        return number
    ends = []
    if low > -math.inf:
        ends.append(f"{'>' if low_open else '>='} {low:g}")
    if high < math.inf:
        ends.append(f"{'<' if high_open else '<='} {high:g}")
    wanted = " ".join(["a finite number", " and ".join(ends)]).rstrip()
    kind = ValueError if real else TypeError
    raise kind(f"{name} must be {wanted}, got {shown(value)}")


def check_choice(name: str, value: Any, choices: Iterable[str], others: str = "") -> str:
    """Return value if it is one of the choices; `others` tells what else would be allowed.

    Examples
    --------
    >>> check_choice("output", "nor", ("or", "and", "evolved"))
    Traceback (most recent call last):
    ...
    ValueError: output must be one of 'or', 'and', 'evolved', got 'nor'; did you mean 'or'?
    """
    allowed = list(choices)
    if isinstance(value, str) and value in allowed:
        return str(value)
    wanted = ", ".join(repr(choice) for choice in allowed)
    kind = ValueError if isinstance(value, str) else TypeError
    wanted = f"one of {wanted}" if not others else f"{wanted} {others}"
    raise kind(f"{name} must be {wanted}, got {shown(value)}{did_you_mean(value, allowed)}")


def check_text(name: str, value: Any) -> str:
    """Return value if it is a text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, got {shown(value)}")
    return value


def check_kind(name: str, value: Any, *kinds: type) -> None:
    """Refuse what is none of some classes.

    Examples
    --------
    >>> check_kind("levels", 3, list, tuple)
    Traceback (most recent call last):
    ...
    TypeError: levels must be a list or tuple, got 3
    """
    if not isinstance(value, kinds):
        names = " or ".join(kind.__name__ for kind in kinds)
        article = "an" if names[0] in "AEIOaeio" else "a"
        raise TypeError(f"{name} must be {article} {names}, got {shown(value)}")


def check_flag(name: str, value: Any) -> bool:
    """Return value if it is True or False.

    Examples
    --------
    >>> check_flag("scale", 1)
    Traceback (most recent call last):
    ...
    TypeError: scale must be True or False, got 1
    """
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {shown(value)}")
    return bool(value)


def check_points(name: str, X: ArrayLike, dim: int | None = None) -> FloatArray:
    """Return X as a C-contiguous float64 array of shape (n, D) with n >= 1 and finite entries.

    The result may share memory with X, so it must not be written to. It is nevertheless flagged
    writable (a read-only X is copied): kernels are compiled once per array type, and numba counts
    read-only arrays as another type.
    """
    points = np.require(_numbers(name, X), np.float64, ["C", "A", "W"])
    wanted = "(n, D)" if dim is None else f"(n, {dim})"
    if points.ndim != 2 or points.size == 0 or (dim is not None and points.shape[1] != dim):
        raise ValueError(
            f"{name} must have shape {wanted} with n >= 1, one point per row, "
            f"got shape {points.shape}"
        )
    finite = np.isfinite(points)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        raise ValueError(
            f"{name} must be finite, got {points[row, column]} in row {row}, column {column}"
        )
    return points


def check_reals(name: str, values: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Return values as a float64 array of the given shape with finite entries."""
    array = np.asarray(_numbers(name, values), dtype=np.float64)
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got shape {array.shape}")
    wrong = array[~np.isfinite(array)]
    if wrong.size:
        raise ValueError(f"{name} must be finite, got {wrong[0]}")
    return array


def check_labels(name: str, y: ArrayLike, n: int) -> BoolArray:
    """Return the n labels y, given as booleans or as the numbers 0 and 1, as a new bool array.

    Examples
    --------
    >>> check_labels("y", [0, 1, 1.0], 3)
    array([False,  True,  True])
    """
    labels = _numbers(name, y)
    if labels.shape != (n,):
        raise ValueError(f"{name} must have shape ({n},), got shape {labels.shape}")
    wrong = labels[(labels != 0) & (labels != 1)]
    if wrong.size:
        raise ValueError(f"{name} must hold only 0 and 1 or booleans, got {wrong[0]}")
    return labels != 0


def read_value(name: str, text: str, kind: Any) -> Any:
    """Return a value that is written as text: an integer, a number, a truth value, or the text.

    Examples
    --------
    >>> read_value("k", "3", int), read_value("rotated", "True", bool), read_value("a", "b", str)
    (3, True, 'b')
    """
    if kind is bool:
        return check_choice(name, text.lower(), ("true", "false")) == "true"
    if kind not in (int, float):
        return text
    try:
        return kind(text)
    except ValueError:
        number = "an integer" if kind is int else "a number"
        raise ValueError(f"{name} must be {number}, got {shown(text)}") from None


def read_settings(
    what: str, name: str, texts: Mapping[str, Any], kinds: Mapping[str, Any]
) -> dict[str, Any]:
    """Return settings as values of the kinds they should be; what is not a text stays as it is.

    Examples
    --------
    >>> read_settings("mutation", "pareto", {"scale": "2"}, {"shape": float, "scale": float})
    {'scale': 2.0}
    >>> read_settings("mutation", "pareto", {"shap": "2"}, {"shape": float, "scale": float})
    Traceback (most recent call last):
    ...
    ValueError: mutation 'pareto' has no setting 'shap'; its settings: shape, scale; \
did you mean 'shape'?
    """
    values = {}
    for key, text in texts.items():
        if key not in kinds:
            known = (", ".join(kinds) or "none") + did_you_mean(key, kinds)
            raise ValueError(f"{what} {name!r} has no setting {shown(key)}; its settings: {known}")
        named = f"{what} setting {key}"
        values[key] = read_value(named, text, kinds[key]) if isinstance(text, str) else text
    return values


def check_extra(what: str, package: str, extra: str, module: str | None = None) -> None:
    """Refuse what needs a library that is not installed, and say which extra brings it.

    Examples
    --------
    >>> check_extra("plots need", "no-such-library", "plot", module="no_such_library")
    Traceback (most recent call last):
    ...
    ImportError: plots need no-such-library: install it with pip install 'hyperna[plot]'
    """
    if importlib.util.find_spec(module or package) is None:
        raise ImportError(f"{what} {package}: install it with pip install 'hyperna[{extra}]'")


def _numbers(name: str, values: ArrayLike) -> NDArray[Any]:
    """Return values as an array of booleans, integers or floats."""
    try:
        array = np.asarray(values)
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must be an array of real numbers, got {shown(values)}") from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be an array of real numbers, got dtype {array.dtype}")
    return array
