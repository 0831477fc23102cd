"""Kinds of neurons: what they are made of, when they fire, and their arcs on the circle.

Every neuron has a direction, its unit normal w, given by D - 1 angles. A kind of neuron says which
components follow the angles, and for which points x the neuron fires, given the dot product w·x
and the square |x|^2. On the circle (D = 2) a neuron fires on one arc around its angle; the kind
says how long it is. What a network answers is computed from this alone; what else knows about kinds
of neurons asks `is_bent`, which refuses a third kind. CONTRIBUTING.md says what a new one takes.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from hyperna._kernels.shapes import Bent, FineBent, FineHalfSpace, HalfSpace
from hyperna._words import sum_text

# Above this resolution the half-widths are computed when needed instead of kept in a table.
LARGEST_TABLE = 2**14
# The same for bent neurons, whose tables grow with the square of the resolution.
LARGEST_BENT_TABLE = 256


class Parameter(NamedTuple):
    """A component of a neuron besides its angles.

    At resolution r it has ``r + extra`` values, on which arithmetic is modular; `value(k, r)` is
    the real value of the integers k. With the integer r // 2 the neuron is as if it did not have
    this parameter.
    """

    name: str
    extra: int
    value: Callable[[Any, int], Any]


BIAS = Parameter("bias", 1, lambda index, resolution: (2.0 * index - resolution) / resolution)
BEND = Parameter("bend", 0, lambda index, resolution: math.pi * (index / resolution))


@dataclass(frozen=True)
class Neuron:
    """A kind of neuron.

    Attributes
    ----------
    name : str
        Name in Python, on the command line and in files.
    summary : str
        One line for listings.
    parameters : tuple of Parameter
        The components after the angles; the bias is the first.
    margin : callable
        ``margin(dot, square, *values)`` is at least 0 where the neuron fires, given w·x, |x|^2 and
        the values of its parameters; all are arrays.
    height : callable
        ``height(*values)`` is the t for which it fires on the cap w·x >= t of the unit sphere.
    text : callable
        ``text(terms, *values)`` is its condition in words; `terms` are pairs of a weight and a
        name.
    shape : callable
        ``shape(resolution, turn)`` is the length of its arcs in units as compiled code takes it.

    Examples
    --------
    >>> plain = NEURONS["plain"]
    >>> [parameter.name for parameter in plain.parameters]
    ['bias']
    >>> float(plain.margin(0.5, 1.0, 0.25))
    0.25
    """

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    margin: Callable[..., Any]
    height: Callable[..., Any]
    text: Callable[..., str]
    shape: Callable[[int, int], NamedTuple]


def _half_space(resolution: int, turn: int) -> HalfSpace | FineHalfSpace:
    if resolution > LARGEST_TABLE:
        return FineHalfSpace(turn, resolution)
    return HalfSpace(np.array(half_widths(resolution, turn), np.int64))


def _bent(resolution: int, turn: int) -> Bent | FineBent:
    if resolution > LARGEST_BENT_TABLE:
        return FineBent(turn, resolution, _half_space(resolution, turn))
    return Bent(resolution + 1, np.array(bent_half_widths(resolution, turn), np.int64))


def _cone_margin(dot: Any, square: Any, bias: Any, bend: Any) -> Any:
    from hyperna._kernels.cones import bend_cosines

    angle = np.atleast_1d(np.asarray(bend, dtype=float))
    cosine = np.empty_like(angle)
    bend_cosines(angle, cosine)
    away = np.sqrt(np.maximum(square - 2.0 * bias * dot + bias * bias, 0.0))
    return dot - bias - cosine.reshape(np.shape(bend)) * away


def _cone_height(bias: Any, bend: Any) -> Any:
    reach = bias * np.sin(bend)
    return reach * np.sin(bend) + np.cos(bend) * np.sqrt(1.0 - reach * reach)


def half_space_text(terms: Iterable[tuple[float, str]], bias: float) -> str:
    """Return the text of w·x >= b.

    Examples
    --------
    >>> half_space_text([(0.5, "x1"), (-1.0, "x2")], 0.25)
    '0.5*x1 - x2 >= 0.25'
    """
    return f"{sum_text(terms, 3)} >= {bias:.3g}"


def _cone_text(terms: Iterable[tuple[float, str]], bias: float, bend: float) -> str:
    """Return the text of w·x - b >= cos(bend) |x - b w|."""
    total = sum_text(terms, 3)
    cosine = f"{math.cos(bend):.3g}"
    degrees = f"(bend {math.degrees(bend):.3g}°)"
    if bias == 0:
        return f"{total} >= {cosine}*|x| {degrees}"
    minus_bias = f"{'+' if bias < 0 else '-'} {abs(bias):.3g}"
    return f"{total} {minus_bias} >= {cosine}*|x {minus_bias}*w| {degrees}"


NEURONS: dict[str, Neuron] = {
    neuron.name: neuron
    for neuron in (
        Neuron(
            name="plain",
            summary="fires where w·x >= b: a half-space",
            parameters=(BIAS,),
            margin=lambda dot, square, bias: dot - bias,
            height=lambda bias: bias,
            text=half_space_text,
            shape=_half_space,
        ),
        Neuron(
            name="bent",
            summary="fires where x - b w makes an angle of at most its bend with w: a cone",
            parameters=(BIAS, BEND),
            margin=_cone_margin,
            height=_cone_height,
            text=_cone_text,
            shape=_bent,
        ),
    )
}


def is_bent(neuron: str, what: str) -> bool:
    """Return whether neurons are bent, and not plain, where only these two kinds are known.

    `what` knows no others, and is named if there is another one: none is taken for one of these.

    Examples
    --------
    >>> is_bent("bent", "optima")
    True
    >>> is_bent("square", "optima")
    Traceback (most recent call last):
    ...
    ValueError: neuron must be 'plain' or 'bent' for optima, got 'square'
    """
    if neuron not in ("plain", "bent"):
        raise ValueError(f"neuron must be 'plain' or 'bent' for {what}, got {neuron!r}")
    return neuron == "bent"


_BITS = 100
_TWO_PI = 7964883625991394727376702227904  # floor(2 pi 2**100)


@lru_cache(maxsize=2)
def bent_half_widths(resolution: int, turn: int) -> tuple[int, ...]:
    """Return theta - arcsin(b sin theta) in units, rounded correctly, for all bends and biases.

    The r + 1 biases of the first bend come first.

    Examples
    --------
    >>> bent_half_widths(4, 480)[10:15] == half_widths(4, 480)
    True
    >>> bent_half_widths(4, 480)[5:10]
    (120, 88, 60, 32, 0)
    """
    r = resolution
    step = turn // (2 * resolution)
    lags = {}
    for away in range(r // 2 + 1):
        for size in range(r % 2, r + 1, 2):
            lags[away, size] = step * away if size == r else _lag(size, away, r, turn)
    widths = []
    for bend in range(r):
        for bias in range(r + 1):
            lag = lags[min(bend, r - bend), abs(2 * bias - r)]
            widths.append(step * bend + (lag if 2 * bias < r else -lag))
    return tuple(widths)


def _lag(size: int, away: int, resolution: int, turn: int) -> int:
    """Return arcsin(b sin theta) in units, b = size / r and theta = pi away / r, up to pi/2."""
    sine = _sine(_TWO_PI * away // (2 * resolution)) * size // resolution
    guess = math.asin(sine / (1 << _BITS))
    angle = int(math.ldexp(guess, _BITS))
    angle += int((sine - _sine(angle)) / math.cos(guess))
    return (2 * turn * angle + _TWO_PI) // (2 * _TWO_PI)


def _sine(angle: int) -> int:
    """Return the sine in integers of 2**-100."""
    square = angle * angle >> _BITS
    term = angle
    total = 0
    n = 1
    while term:
        total += term if n % 4 == 1 else -term
        term = (term * square >> _BITS) // ((n + 1) * (n + 2))
        n += 2
    return total


@lru_cache(maxsize=4)
def half_widths(resolution: int, turn: int) -> tuple[int, ...]:
    """Return arccos(b) in units for each of the r + 1 biases b, rounded correctly.

    Correct rounding keeps equal what is equal: arccos(3/5) + arccos(4/5) is a quarter turn, and so
    is the sum of the rounded values. The double-precision arccos is too coarse for that.

    Examples
    --------
    >>> half_widths(4, 480)
    (240, 160, 120, 80, 0)
    """
    upper = [
        _half_width(resolution - k, resolution, turn)
        for k in range((resolution + 1) // 2, resolution + 1)
    ]
    # arccos(-b) is half a turn minus arccos(b).
    lower = [turn // 2 - width for width in reversed(upper)]
    return (*(lower[:-1] if resolution % 2 == 0 else lower), *upper)


def _half_width(k: int, resolution: int, turn: int) -> int:
    """Return arccos(1 - 2 k / r) = 2 arcsin(sqrt(k / r)) in units, for k / r up to 1/2.

    In integers of 2**-100, one Newton step from the double-precision arcsine.
    """
    sine = math.isqrt((k << 2 * _BITS) // resolution)
    guess = math.asin(math.sqrt(k / resolution))
    angle = int(math.ldexp(guess, _BITS))
    angle += int((sine - _sine(angle)) / math.cos(guess))
    return (4 * turn * angle + _TWO_PI) // (2 * _TWO_PI)
