"""Azimuths psi of points, compared with fractions of a turn without rounding at quarter turns."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperna._validation import FloatArray, IntArray


def quadrants(x: FloatArray, y: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return psi as a quadrant 0..3 and the part of it that is passed, in [0, 1).

    Only signs decide about the quadrant; close to its end the part may round to 1 and is kept
    below, so that a point before a multiple of a quarter turn never counts as lying on it.
    """
    second, third, fourth = (x <= 0) & (y > 0), (x < 0) & (y <= 0), (x >= 0) & (y < 0)
    where = [second, third, fourth]
    quadrant = np.select(where, [1, 2, 3], 0)
    along = np.select(where, [y, -x, -y], x)
    across = np.select(where, [-x, -y, x], y)
    part = np.arctan2(across + 0.0, along + 0.0) / (math.pi / 2)
    # A point that is off the axis by less than the smallest angle is still off the axis.
    part = np.where(across > 0, np.maximum(part, np.finfo(float).tiny), 0.0)
    return quadrant, np.minimum(part, np.nextafter(1.0, 0.0))


def compare(quadrant: IntArray, part: FloatArray, turns: Fraction) -> NDArray[Any]:
    """Return the sign of psi - turns, for turns in [0, 1)."""
    whole, rest = divmod(4 * turns, 1)
    ahead = np.sign(quadrant - int(whole))
    return np.where(ahead == 0, np.sign(part - float(rest)), ahead)
