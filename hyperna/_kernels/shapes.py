"""Kinds of neurons on the circle (D = 2): how long the arc is on which a neuron fires.

A neuron fires on one closed arc around its angle. Half the length of the arc, in units, depends on
the components after the angle, and on the kind of neuron.
"""

import math
from typing import NamedTuple

import numpy as np

from hyperna._kernels.geometry import cos_sin_turn
from hyperna._kernels.jit import inline_kernel
from hyperna._kernels.order import smaller
from hyperna._kernels.protocol import half_width, implement


class HalfSpace(NamedTuple):
    """Neurons that fire where w·x >= b: the half-width is arccos b, from a table of all biases."""

    table: np.ndarray


class FineHalfSpace(NamedTuple):
    """Neurons that fire where w·x >= b, with too many biases for a table: arccos b is computed."""

    turn: int
    resolution: int


def _tabulated_half_width(shape, bias, bend, before, changed):
    return shape.table[np.uint64(bias)]


@inline_kernel
def arcsine(x):
    """asin(x) for 0 <= x <= 0.5, to about an ulp: the rational approximation of fdlibm (1993)."""
    z = x * x
    p = 7.91534994289814532176e-04 + z * 3.47933107596021167570e-05
    p = 2.01212532134862925881e-01 + z * (-4.00555345006794114027e-02 + z * p)
    p = z * (1.66666666666666657415e-01 + z * (-3.25565818622400915405e-01 + z * p))
    q = -6.88283971605453293030e-01 + z * 7.70381505559019352791e-02
    q = 1.0 + z * (-2.40339491173441421878e00 + z * (2.02094576023350569471e00 + z * q))
    return x + x * (p / q)


@inline_kernel
def in_units(angle, turn):
    """Return an angle in radians in whole units, of which a turn has so many."""
    return np.int64(np.rint(np.float64(turn) / (2.0 * math.pi) * angle))


def _computed_half_width(shape, bias, bend, before, changed):
    """Arccos of the bias in units; biases b and -b give arcs that add up to half a turn exactly."""
    if changed & 1 == 0:
        return before
    r = shape.resolution
    turn = shape.turn
    height = abs(2 * bias - r)  # |b| r
    inverse = 1.0 / np.float64(r)
    if 2 * height > r:
        # acos(x) = 2 asin(sqrt((1 - x) / 2)), and here 1 - x is exact
        nearer = in_units(2.0 * arcsine(math.sqrt(np.float64(r - height) * 0.5 * inverse)), turn)
    else:
        nearer = (turn >> 2) - in_units(arcsine(height * inverse), turn)
    return nearer if 2 * bias >= r else (turn >> 1) - nearer


class Bent(NamedTuple):
    """Neurons that fire where x - b w makes an angle of at most theta = pi t / r with w.

    The half-width is theta - arcsin(b sin theta); `table` holds it for each bend and bias.
    """

    biases: int
    table: np.ndarray


class FineBent(NamedTuple):
    """Bent neurons whose half-widths are computed; at theta = pi/2 they are those of `plain`."""

    turn: int
    resolution: int
    plain: NamedTuple


def _bent_half_width(shape, bias, bend, before, changed):
    return shape.table[np.uint64(bend * shape.biases + bias)]


def _fine_bent_half_width(shape, bias, bend, before, changed):
    """Half-width in units: exact where b is 0 or ±1, and as for plain neurons at theta = pi/2.

    Mirror images, b and -b or theta and pi - theta, get the same arcsine to the unit.
    """
    if changed == 0:
        return before
    r = shape.resolution
    turn = shape.turn
    if 2 * bend == r:
        return half_width(shape.plain, bias, bend, before, np.int64(1))
    step = turn // (2 * r)
    height = abs(2 * bias - r)  # |b| r
    away = smaller(bend, r - bend)
    lag = step * away
    if height < r:
        inverse = 1.0 / np.float64(r)
        cosine, sine = cos_sin_turn(away, 2 * r)
        b = height * inverse
        x = b * sine
        if x <= 0.5:
            lag = in_units(arcsine(x), turn)
        else:
            # pi/2 - asin(x) = 2 asin(sqrt((1 - x) / 2)), and 1 - x² without cancellation
            rest = (r - height) * inverse * (1.0 + b) + b * b * cosine * cosine
            lag = (turn >> 2) - in_units(2.0 * arcsine(math.sqrt(0.5 * rest / (1.0 + x))), turn)
    return step * bend - lag if 2 * bias >= r else step * bend + lag


implement(HalfSpace, half_width=_tabulated_half_width)
implement(FineHalfSpace, half_width=_computed_half_width)
implement(Bent, half_width=_bent_half_width)
implement(FineBent, half_width=_fine_bent_half_width)
