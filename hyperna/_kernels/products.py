"""Products of sines as numbers that do not depend on how they came about.

sin 60° sin 270° and sin 90° sin 240° are equal, and floats that approximate them need not be. Here
a product is rounded to multiples of 2^-42, far above the errors of floats and far below what makes
a difference. Where the float is so close to the edge between two multiples that its error might
decide, the product is computed again with twice the digits. So equal products become equal floats,
unless they are within about 1e-29 of an edge (Ziv 1991 rounds elementary functions in this way).
"""

import math
from fractions import Fraction

import numpy as np

from hyperna._kernels.geometry import EIGHTH, EIGHTH_LOW, two_product
from hyperna._kernels.jit import inner_kernel

MULTIPLES = 2.0**42
# Edges lie at this part of the way from one multiple to the next. Products that are rational have
# denominators that are powers of 2, and are never on such an edge.
EDGE = 0.3
# From here on not the product but the sine of its angle is rounded: close to 1 a product is
# too flat. No product of sines is 4/5, because 2^k times it would be an algebraic integer.
STEEP = 0.8
# Error of a float for each factor, relative: a sine within a unit in the last place, a product.
ERROR = 1.5 * 2.0**-52
# Terms 1/n! of the series, as sums of two floats; from SHORT on one float is enough.
TERMS, SHORT = 15, 8


def _series(first: int) -> np.ndarray:
    """Return the rows high and low of 1 / (2 k + first)!, k = 0, 1, ..."""
    exact = [Fraction(1, math.factorial(2 * k + first)) for k in range(TERMS)]
    high = [float(term) for term in exact]
    low = [float(term - Fraction(part)) for term, part in zip(exact, high, strict=True)]
    return np.array([high, low])


COSINE, SINE = _series(0), _series(1)


@inner_kernel
def times(a, a_low, b, b_low):
    """Return the product of two sums of two floats as such a sum."""
    product, error = two_product(a, b)
    error += a * b_low + a_low * b
    high = product + error
    return high, error - (high - product)


@inner_kernel
def minus(a, a_low, b, b_low):
    """Return the difference of two sums of two floats as such a sum."""
    difference = a - b
    other = difference - a
    error = (a - (difference - other)) - (b + other)
    error += a_low - b_low
    high = difference + error
    return high, error - (high - difference)


@inner_kernel
def precise_sine(phi, resolution):
    """|sin| of phi/resolution of a turn as a sum of two floats, with an error of about 1e-31."""
    eighths = 8 * (phi % resolution)
    octant = eighths // resolution
    step = eighths - octant * resolution
    if octant % 2 == 1:
        step = resolution - step
    by_cosine = octant == 1 or octant == 2 or octant == 5 or octant == 6
    fraction = step / resolution
    product, error = two_product(fraction, float(resolution))
    fraction_low = ((step - product) - error) / resolution
    if not by_cosine and 3 * step == 2 * resolution:
        return 0.5, 0.0
    x, x_low = times(fraction, fraction_low, EIGHTH, EIGHTH_LOW)
    z, z_low = times(x, x_low, x, x_low)
    series = COSINE if by_cosine else SINE
    tail = series[0, TERMS - 1]
    for k in range(TERMS - 2, SHORT - 1, -1):
        tail = series[0, k] - z * tail
    high, low = tail, 0.0
    for k in range(SHORT - 1, -1, -1):
        high, low = times(z, z_low, high, low)
        high, low = minus(series[0, k], series[1, k], high, low)
    if by_cosine:
        return high, low
    return times(x, x_low, high, low)


@inner_kernel
def multiple(value, low):
    """The multiple to which value + low, where low is small, is rounded."""
    scaled = value * MULTIPLES
    whole = math.floor(scaled)
    # scaled - whole is exact, and so the edge is seen with all digits of `low`
    return whole + math.floor((scaled - whole) + low * MULTIPLES + (1.0 - EDGE))


@inner_kernel
def precise_product(genome, factors, resolution, last, turn, by_sine):
    """The multiple of the product of |sin| of the first `factors` angles and of last/turn.

    With `by_sine` that of the sine of the angle whose cosine is the product.
    """
    high, low = precise_sine(last, turn)
    for k in range(factors):
        sine, sine_low = precise_sine(genome[k], resolution)
        high, low = times(high, low, sine, sine_low)
    if not by_sine:
        return multiple(high, low)
    high, low = times(high, low, high, low)
    high, low = minus(1.0, 0.0, high, low)
    if high <= 0.0:
        return 0.0
    root = math.sqrt(high)
    square, error = two_product(root, root)
    return multiple(root, ((high - square) - error + low) / (2.0 * root))


@inner_kernel
def rounded_product(genome, factors, resolution, last, turn, product, sine):
    """Product of |sin| of the first `factors` angles and of last/turn, and sine of its angle.

    `product` and `sine` are these two as floats; the results are the same for equal products.
    """
    by_sine = product > STEEP
    value = sine if by_sine else product
    scaled = value * MULTIPLES + (1.0 - EDGE)
    whole = math.floor(scaled)
    error = (factors + 1) * ERROR * value * MULTIPLES
    if by_sine:
        # a root of a sum of squares of products
        error *= 2.0
    if scaled - whole <= error or scaled - whole >= 1.0 - error:
        whole = precise_product(genome, factors, resolution, last, turn, by_sine)
    value = whole / MULTIPLES
    other = math.sqrt((1.0 - value) * (1.0 + value))
    if by_sine:
        return other, value
    return value, other
