"""Arcs on the circle (D = 2) in integer arithmetic.

One turn is `turn` units. A neuron fires on a closed arc, its centre ± its half-width, in units, so
the score, the number of correctly classified units, is an integer and equal scores compare equal.
With S(x) = (positive units in [0, x)) - (negative units in [0, x)) a set U of arcs [a, b) that is
classified as positive scores (number of negative units) + sum over U of S(b) - S(a).
"""

from hyperna._kernels.jit import inline_kernel
from hyperna._kernels.steps import moved


@inline_kernel
def beyond(turn, end):
    """-1 if an arc goes beyond the zero angle, else 0: a mask instead of a branch."""
    return ~((end - turn - 1) >> 63)


@inline_kernel
def arc_ends(turn, centre, half):
    """Start in [0, turn) and end of an arc, and the end taken modulo `turn`."""
    start = moved(centre, -half, turn)
    end = start + 2 * half
    return start, end, end - (turn & beyond(turn, end))
