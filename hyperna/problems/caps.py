"""The best single neuron on the sphere in three and more dimensions, found numerically."""

import math
from functools import lru_cache

import numpy as np

from hyperna.problems.arcs import Union

# A grid of normals (by the length s of their last two coordinates), heights and azimuths.
_LENGTHS, _HEIGHTS, _AZIMUTHS = 5, 21, 36
_POLISHED = 12


@lru_cache(maxsize=64)
def best_cap(union: Union, dim: int) -> float:
    """Return the largest share of the sphere on which one neuron agrees with a union of azimuths.

    The best caps of a grid are improved by local search until nothing changes in the twelfth digit.
    All problems tried have their best normals in the plane of the last two coordinates, where the
    search looks most closely.

    Examples
    --------
    >>> from fractions import Fraction
    >>> quarter = ((Fraction(0), Fraction(1, 4)),)
    >>> round(best_cap(quarter, 3), 9), round(best_cap(quarter, 64), 9)
    (0.916666667, 0.875741815)
    """
    from scipy.optimize import minimize

    from hyperna._kernels.caps import cap_fitness

    arcs = 2 * math.pi * np.array(union, dtype=float)

    def loss(parameters: np.ndarray) -> float:
        height, tilt, centre = parameters.tolist()
        return -float(cap_fitness(dim, arcs, math.tanh(height), math.cos(tilt), centre))

    # w·x is about 1/sqrt(D) large, and in this scale heights are alike in all dimensions
    heights = np.arctanh(np.linspace(-0.95, 0.95, _HEIGHTS)) * math.sqrt(3 / dim)
    starts = [
        (height, tilt, centre)
        for height in heights
        for tilt in np.linspace(0.0, math.pi / 2, _LENGTHS)
        for centre in np.linspace(0.0, 2 * math.pi, _AZIMUTHS, endpoint=False)
    ]
    losses = np.array([loss(np.array(start)) for start in starts])
    best = losses.min()
    options = {"xatol": 1e-9, "fatol": 1e-14, "maxiter": 2000}
    for place in np.argsort(losses, kind="stable")[: _POLISHED * 4 : 4]:
        found = minimize(loss, starts[place], method="Nelder-Mead", options=options)
        best = min(best, found.fun)
    return min(1.0, -float(best))
