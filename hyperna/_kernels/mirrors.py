"""Whether a network in any dimension is close to an optimal one, or to a mirror image of one."""

import numpy as np

from hyperna._kernels.jit import inner_kernel
from hyperna._kernels.matching import all_matched
from hyperna._kernels.order import smaller


@inner_kernel
def mirrored_close(neuron, modulus, directions, target, tolerance, flipped):
    """Whether a neuron is close to a target or to one of its mirror images.

    The angles (-a, b + half a turn) in succession mean the same normal as (a, b): each of the
    `directions` angles but the last may be mirrored, which moves the next one by half a turn.
    `flipped`: the neuron with its two sides swapped (D = 2).
    """
    for k in range(directions, modulus.size):
        value = np.float64(neuron[k])
        values = np.float64(modulus[k])
        gap = abs((values - 1.0 - value if flipped else value) - target[k]) % values
        if smaller(gap, values - gap) >= tolerance:
            return False
    as_it_is, moved = not flipped, flipped
    for k in range(directions):
        same = False
        mirrored = False
        r = np.float64(modulus[k])
        for half_turns in range(2):
            if as_it_is if half_turns == 0 else moved:
                turned = np.float64(neuron[k]) + 0.5 * r * half_turns
                ahead, behind = abs(turned - target[k]) % r, abs(-turned - target[k]) % r
                same = same or smaller(ahead, r - ahead) < tolerance
                mirrored = mirrored or smaller(behind, r - behind) < tolerance
        as_it_is, moved = same, mirrored
    return as_it_is


@inner_kernel
def near_targets(genome, modulus, directions, targets, tolerance, flips, scratch):
    """Whether every neuron, or with `flips` its other side, is close to a target of its own.

    `scratch` has N + 4 rows of N entries.
    """
    neurons = targets.shape[0]
    width = modulus.size
    near = scratch[4:]
    for i in range(neurons):
        neuron = genome[i * width : (i + 1) * width]
        for t in range(neurons):
            close = mirrored_close(neuron, modulus, directions, targets[t], tolerance, False)
            if flips and not close:
                close = mirrored_close(neuron, modulus, directions, targets[t], tolerance, True)
            near[i, t] = 1 if close else 0
    return all_matched(near, neurons, scratch)


@inner_kernel
def near_optimum(genome, modulus, directions, optima, tolerance, scratch):
    """Whether every neuron is close to an optimal neuron of its own, for one of the optima."""
    for alternative in range(optima.shape[0]):
        targets = optima[alternative]
        if near_targets(genome, modulus, directions, targets, tolerance, False, scratch):
            return True
    return False


@inner_kernel
def output_agrees(weight, bias, resolution, targets):
    """Whether an evolved output fires at the places in one column and is silent at the others.

    `weight` and `bias` are those of the N hidden neurons at D = 2, then of the output neuron; the
    two columns of places come last in `targets`.
    """
    neurons = targets.shape[0]
    places = targets.shape[1] - 2
    for place in range(2 * neurons):
        target = targets[place >> 1, places + place % 2]
        angle = 2.0 * np.pi * target / np.float64(resolution)
        total = 0.0
        for i in range(neurons):
            dot = np.cos(angle) * weight[i, 0] + np.sin(angle) * weight[i, 1]
            total += weight[neurons, i] if dot >= bias[i] else 0.0
        if (total >= bias[neurons]) != (place % 2 == 0):
            return False
    return True
