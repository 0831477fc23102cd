"""What it takes to tell somebody the labels of points: the length of a rule and of its mistakes.

A point at the signed distance d from the border of a rule, in standard deviations of the features,
has the probability ``lapse + (1 - 2 lapse) expit(slope d)`` of label 1; its label takes minus the
binary logarithm of the probability of what it is. The weights ``slope * w`` of the rule are drawn,
as far as the listener knows, from a normal distribution with the deviation `width`, and weights and
thresholds are told as exactly as the labels ask for (Laplace's approximation; MacKay 1992, "The
evidence framework applied to classification networks"). A weight takes
``log2(1 + width² information) / 2 + (slope w / width)² log2(e) / 2`` bits, where the information is
that of the points on which the neuron decides. A threshold takes the first term of this only. As
the normals of the N neurons have length 1, the second terms of all weights together are
``N (slope / width)² log2(e) / 2``. Slope, lapse and width are those of small grids that make the
whole shortest, and nothing is counted for telling them; a steep slope takes more bits, so that
distances matter.
"""

import math

import numpy as np

from hyperna._kernels.jit import inner_kernel, kernel_with_arrays
from hyperna._kernels.short_rules import ODD
from hyperna._kernels.soft_rules import LEAST_CHANCE

LOG2_E = 1.0 / math.log(2.0)
# Measured, where nothing else is said: benchmarks/ablation.md, "The description length".
# Octaves of the slope. Further in either direction gives the same rules.
LOWEST_SLOPE = -2.0
HIGHEST_SLOPE = 8.0
# Octaves between two slopes at first. Not varied.
COARSE = 2.0
# Octaves between two slopes at last.
FINEST = 0.25
# Octaves of the width of weights. Further in either direction gives the same rules.
NARROWEST = -3
WIDEST = 6
# Information about each parameter from no point: chance (1 - chance) of one on the border. So that
# a parameter on which no point depends is not for nothing.
SPARE_INFORMATION = 0.25
# Not varied: logarithms are taken of products of so many chances, which cannot underflow, because
# LEAST_CHANCE**32 is 1e-288.
TOGETHER = 32


@inner_kernel
def deciding(weights, thresholds, quorum, columns, margin, decides, distance):
    """Write for each point which neuron decides, and the signed distance from its hyperplane.

    The distance is that by which the hyperplanes must move for the answer to change.
    """
    neurons, features = weights.shape
    points = distance.size
    for i in range(neurons):
        for j in range(features):
            if weights[i, j] != 0.0:
                for p in range(points):
                    margin[i, p] += weights[i, j] * columns[j, p]
        for p in range(points):
            margin[i, p] -= thresholds[i]
    for p in range(points):
        if quorum == ODD:
            nearest, fires = 0, 0
            for i in range(neurons):
                fires += np.int64(margin[i, p] >= 0.0)
                if abs(margin[i, p]) < abs(margin[nearest, p]):
                    nearest = i
            decides[p] = nearest
            size = abs(margin[nearest, p])
            distance[p] = size if fires % 2 == 1 else -size
        else:
            # the quorum-th largest margin
            for i in range(neurons):
                above = 0
                for k in range(neurons):
                    above += np.int64(
                        margin[k, p] > margin[i, p] or (margin[k, p] == margin[i, p] and k < i)
                    )
                if above == quorum - 1:
                    decides[p] = i
                    distance[p] = margin[i, p]


@inner_kernel
def told_at(
    slope,
    lapses,
    decides,
    distance,
    label,
    weight,
    squares,
    used,
    count,
    information,
    bits,
    product,
):
    """Write the bits of the labels for each lapse, and the information of each parameter."""
    points = distance.size
    for i in range(count.size):
        for k in range(count[i] + 1):
            information[i, k] = SPARE_INFORMATION
    for k in range(lapses.size):
        bits[k] = 0.0
        product[k] = 1.0
    waiting = 0
    for p in range(points):
        sign = 1.0 if label[p] == 1 else -1.0
        chance = 1.0 / (1.0 + math.exp(-min(max(sign * slope * distance[p], -40.0), 40.0)))
        share = weight[p] * chance * (1.0 - chance)
        i = decides[p]
        if share > 1e-9:  # less would not change a sum that begins with SPARE_INFORMATION
            for k in range(count[i]):
                information[i, k] += share * squares[used[i, k], p]
            information[i, count[i]] += share
        for k in range(lapses.size):
            told = max(lapses[k] + (1.0 - 2.0 * lapses[k]) * chance, LEAST_CHANCE)
            if weight[p] == 1.0:
                product[k] *= told
            else:
                bits[k] -= weight[p] * math.log2(told)
        waiting += 1
        if waiting == TOGETHER or p == points - 1:
            waiting = 0
            for k in range(lapses.size):
                bits[k] -= math.log2(product[k])
                product[k] = 1.0


@inner_kernel
def parameter_bits(slope, information, count, width):
    """Bits of all weights and thresholds at a slope, if their deviation is the width."""
    total = 0.5 * LOG2_E * count.size * (slope / width) ** 2
    product = 1.0
    for i in range(count.size):
        for k in range(count[i] + 1):
            product *= 1.0 + width * width * information[i, k]
            if product > 1e250:  # before it overflows
                total += 0.5 * math.log2(product)
                product = 1.0
    return total + 0.5 * math.log2(product)


@kernel_with_arrays
def description_length(
    weights, thresholds, quorum, columns, squares, label, weight, lapses, shortness, result
):
    """Write the bits of the labels, those of the parameters, slope and lapse to `result`.

    Normals have length 1. `columns` are the features in units of their standard deviation, and
    `squares` their squares; `weight` says for how many rows each point stands. Bits of parameters
    count `shortness` times where the best slope, lapse and width are chosen.
    """
    neurons, features = weights.shape
    points = label.size
    decides = np.zeros(points, np.int64)
    distance = np.zeros(points)
    margin = np.zeros((neurons, points))
    deciding(weights, thresholds, quorum, columns, margin, decides, distance)
    used = np.zeros((neurons, features), np.int64)  # numbers of the features of each neuron
    count = np.zeros(neurons, np.int64)
    for i in range(neurons):
        for j in range(features):
            if weights[i, j] != 0.0:
                used[i, count[i]] = j
                count[i] += 1
    information = np.zeros((neurons, features + 1))  # of the weights, then of the threshold
    bits = np.zeros(lapses.size)
    product = np.ones(lapses.size)
    best = np.inf
    best_octave = 0.0
    # First all slopes in large steps, then, in smaller and smaller steps, the two beside the best.
    step = COARSE
    first, last, between = LOWEST_SLOPE, HIGHEST_SLOPE, COARSE
    while step >= FINEST:
        octave = first
        while octave <= last:
            slope = 2.0**octave
            told_at(
                slope,
                lapses,
                decides,
                distance,
                label,
                weight,
                squares,
                used,
                count,
                information,
                bits,
                product,
            )
            k = 0
            for other in range(1, lapses.size):
                if bits[other] < bits[k]:
                    k = other
            parameters = np.inf
            for width in range(NARROWEST, WIDEST + 1):
                parameters = min(parameters, parameter_bits(slope, information, count, 2.0**width))
            if bits[k] + shortness * parameters < best:
                best = bits[k] + shortness * parameters
                best_octave = octave
                result[0], result[1], result[2], result[3] = bits[k], parameters, slope, lapses[k]
            octave += between
        step /= 2.0
        first, last, between = best_octave - step, best_octave + step, 2.0 * step
