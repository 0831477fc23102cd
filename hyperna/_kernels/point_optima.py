"""Whether a network is close to one of the known optima."""

import numpy as np

from hyperna._kernels.geometry import EVOLVED
from hyperna._kernels.jit import inline_kernel, inner_kernel
from hyperna._kernels.matching import all_matched


@inline_kernel
def close(value, target, modulus, tolerance):
    """Whether two places on a cycle are within less than `tolerance`, however many times round."""
    gap = abs(value - target) % modulus
    return min(gap, modulus - gap) < tolerance


@inner_kernel
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


@inner_kernel
def output_agrees(points, work, targets):
    """Whether the evolved output fires at the places in one column and is silent at the others."""
    output, neurons, width = work.output[0], points.neurons, points.width
    for place in range(2 * neurons):
        target = targets[place >> 1, width + place % 2]
        angle, total = 2.0 * np.pi * target / np.float64(points.resolution), 0.0
        for i in range(neurons):
            dot = np.cos(angle) * work.vector[0, i, 0] + np.sin(angle) * work.vector[0, i, 1]
            total += output[i] if dot >= work.bias[0, i] else 0.0
        if (total >= output[neurons]) != (place % 2 == 0):
            return False
    return True


def optimal(fitness, work, genome, optima, tolerance):
    """Whether every neuron is close to an optimal neuron of its own."""
    points = fitness
    dim, neurons, width, near = points.dim, points.neurons, points.width, work.near
    flippable = 2 if points.join == EVOLVED else 1
    for alternative in range(optima.shape[0]):
        targets = optima[alternative]
        for i in range(neurons):
            neuron = genome[i * width : (i + 1) * width]
            for t in range(neurons):
                near[i, t] = 0
                for flip in range(flippable):
                    flipped = flip == 1
                    if near_target(neuron, dim, points.resolution, targets[t], tolerance, flipped):
                        near[i, t] = 1
        if all_matched(near, neurons, near[neurons:]) and (
            points.join != EVOLVED or output_agrees(points, work, targets)
        ):
            return True
    return False
