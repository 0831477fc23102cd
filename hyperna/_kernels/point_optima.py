"""Whether a network is close to one of the known optima."""

import numpy as np

from hyperna._kernels import point_rows as store
from hyperna._kernels.geometry import EVOLVED
from hyperna._kernels.jit import inline_kernel, lean_kernel
from hyperna._kernels.matching import all_matched


@inline_kernel
def close(value, target, modulus, tolerance):
    """Whether two places on a cycle are within less than `tolerance`, however many times round."""
    gap = abs(value - target) % modulus
    return min(gap, modulus - gap) < tolerance


@lean_kernel
def near_target(neuron, dim, resolution, target, tolerance, flipped):
    """Whether a neuron is close to a target or to one of its mirror images.

    The angles (-a, b + half a turn) in succession mean the same normal as (a, b). So every angle
    but the last may be mirrored, which moves the next one by half a turn; `plain` and `moved` say
    whether what has been seen so far matches with the next angle as it is, or moved. `flipped`: the
    neuron with its two sides swapped (D = 2).
    """
    r, bias = np.float64(resolution), max(dim, 2) - 1
    value = np.float64(neuron[bias])
    if not close(r - value if flipped else value, target[bias], r + 1.0, tolerance):
        return False
    if dim == 1:
        return close(np.float64(neuron[0]), target[0], 2.0, tolerance)
    plain, moved = not flipped, flipped
    for k in range(bias):
        angle = np.float64(neuron[k])
        same, mirrored = False, False
        for half_turns in range(2):
            if plain if half_turns == 0 else moved:
                turned = angle + 0.5 * r * half_turns
                same = same or close(turned, target[k], r, tolerance)
                mirrored = mirrored or close(-turned, target[k], r, tolerance)
        plain, moved = same, mirrored
    return plain


@lean_kernel
def output_agrees(neurons, output, flips, conjunction):
    """Whether the evolved output joins the neurons as needed, those in `flips` taken inverted.

    As an OR of neurons at most one of which fires, or as an AND of neurons at most one of which is
    silent: other patterns do not occur next to an optimum.
    """
    for odd in range(-1, neurons):
        total = 0.0
        for i in range(neurons):
            bit = (flips[i] == 1) != (conjunction != (i == odd))
            total += output[i] if bit else 0.0
        if (total >= output[neurons]) != ((odd >= 0) != conjunction):
            return False
    return True


def optimal(fitness, work, genome, optima, tolerance):
    """Whether every neuron is close to an optimal neuron of its own."""
    dim, neurons, width = work.dim, work.neurons, work.width
    near, flips = work.plan[store.TARGETS :], work.plan[store.LAST]
    output = work.note[store.OUTPUT_NEURON + work.plan[store.COUNTER, store.OUTPUT]]
    flippable = 2 if work.join == EVOLVED else 1
    for alternative in range(optima.shape[0]):
        targets = optima[alternative]
        for i in range(neurons):
            neuron = genome[i * width : (i + 1) * width]
            flips[i] = 0
            for t in range(neurons):
                near[i, t] = 0
                for flip in range(flippable):
                    flipped = flip == 1
                    if near_target(neuron, dim, work.resolution, targets[t], tolerance, flipped):
                        near[i, t] = 1
                        flips[i] = max(flips[i], flip)
        # an evolved output comes with a column that says whether it is to act as an AND
        if all_matched(near, neurons, work.plan[store.MOVE : store.LAST]) and (
            work.join != EVOLVED or output_agrees(neurons, output, flips, targets[0, width] == 1.0)
        ):
            return True
    return False
