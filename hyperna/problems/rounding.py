"""What the best networks for arcs lose when their angles and biases are rounded to a grid."""

import math

from hyperna.problems.arcs import Union, complement


def rounding_loss(union: Union, dim: int, neurons: int, resolution: int, bias: bool) -> float:
    """Return a share of the sphere: some network on the grid is worse than the best by no more.

    At least 2N/r, what N neurons lose whose angles are one step off; without biases a little less,
    so that a network one step away from a plateau of best ones does not pass for one of them.

    Examples
    --------
    >>> from fractions import Fraction
    >>> rounding_loss(((Fraction(0), Fraction(1, 4)),), 2, 1, 120, True) == 2 / 120
    True
    """
    if dim > 2:
        # Rounding D - 1 angles turns a normal by sqrt(D - 1) half steps at most, rounding a bias
        # moves the boundary by half a step, in the middle of the sphere, where most points are.
        turned, moved = math.sqrt(dim - 1), math.sqrt(dim / (2 * math.pi))
        return neurons * max(2.0, turned + (moved if bias else 0.0)) / resolution
    if not bias:
        return (1 - 1e-9) * 2 * neurons / resolution
    # A bias is half a step off, which matters most for the shortest arc.
    half = math.pi * min(
        float(end - start) for part in (union, complement(union)) for start, end in part
    )
    wider = math.acos(max(-1.0, math.cos(half) - 1 / resolution)) - half
    narrower = half - math.acos(min(1.0, math.cos(half) + 1 / resolution))
    return neurons * max(2 / resolution, 1 / resolution + max(wider, narrower) / math.pi)
