"""A smooth stand-in for a network of half-spaces, whose minimum gradients find.

Neuron i fires on x with the probability expit(w_i · x - c_i), independently of the others. The
probability that at least `quorum` of them fire (or, with the quorum `ODD`, an odd number of them)
is a smooth function of the parameters; for long weights it tends to the network's answer. One
neuron is logistic regression.
"""

import math

import numpy as np

from hyperna._kernels.jit import inner_kernel, kernel_with_arrays
from hyperna._kernels.short_rules import ODD

# No point costs more than one that is so unlikely, 30 bits, and below it nothing pulls at the
# network: a mistake far from the border must not outweigh all other points. Not varied.
LEAST_CHANCE = 1e-9


@inner_kernel
def count_of_fires(fires, silent, left_out, count):
    """Write the probability that k neurons fire to count[k], without the one that is left out.

    `silent` is 1 - `fires`, given apart because a difference to 1 would lose its digits.
    """
    size = 0
    count[0] = 1.0
    for i in range(fires.size):
        if i != left_out:
            size += 1
            count[size] = count[size - 1] * fires[i]
            for k in range(size - 1, 0, -1):
                count[k] = count[k] * silent[i] + count[k - 1] * fires[i]
            count[0] *= silent[i]
    if left_out >= 0:
        count[size + 1] = 0.0


@inner_kernel
def dot(a, b):
    """The dot product, in four sums, which a processor adds up side by side."""
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    whole = a.size - a.size % 4
    for p in range(0, whole, 4):
        first += a[p] * b[p]
        second += a[p + 1] * b[p + 1]
        third += a[p + 2] * b[p + 2]
        fourth += a[p + 3] * b[p + 3]
    for p in range(whole, a.size):
        first += a[p] * b[p]
    return (first + second) + (third + fourth)


@kernel_with_arrays
def soft_loss(parameters, neuron, feature, columns, label, weight, quorum, penalty, gradient):
    """Return the weighted log loss in nats plus an L2 penalty; write its gradient.

    Parameter k is the weight of feature[k] in neuron[k], or the threshold of that neuron where
    feature[k] is -1; thresholds are not penalised. `columns` has a row for each feature.
    """
    points = label.size
    neurons = neuron[-1] + 1
    margin = np.zeros((neurons, points))
    for k in range(parameters.size):
        row = margin[neuron[k]]
        value = parameters[k]
        if feature[k] < 0:
            for p in range(points):
                row[p] -= value
        else:
            column = columns[feature[k]]
            for p in range(points):
                row[p] += value * column[p]

    # margin becomes the derivative of the loss by the margin
    loss = 0.0
    fires = np.zeros(neurons)
    silent = np.zeros(neurons)
    count = np.zeros(neurons + 1)
    for p in range(points):
        for i in range(neurons):
            # one exponential for both chances, of which the smaller keeps its digits
            odds = math.exp(-min(abs(margin[i, p]), 40.0))
            larger = 1.0 / (1.0 + odds)
            fires[i] = larger if margin[i, p] >= 0.0 else odds * larger
            silent[i] = odds * larger if margin[i, p] >= 0.0 else larger

        # Both chances are added up: 1 - chance would lose its digits where it is small.
        chance = 0.0
        chance_of_zero = 0.0
        if quorum == ODD:
            chance_of_zero = 1.0
            for i in range(neurons):
                odd = chance * silent[i] + chance_of_zero * fires[i]
                chance_of_zero = chance_of_zero * silent[i] + chance * fires[i]
                chance = odd
        else:
            count_of_fires(fires, silent, -1, count)
            for k in range(neurons + 1):
                if k < quorum:
                    chance_of_zero += count[k]
                else:
                    chance += count[k]

        told = chance if label[p] == 1 else chance_of_zero
        push = 0.0
        if told > LEAST_CHANCE:
            push = -weight[p] / told if label[p] == 1 else weight[p] / told
        loss -= weight[p] * math.log(max(told, LEAST_CHANCE))
        for i in range(neurons):
            # derivative of the chance by that of neuron i
            if quorum == ODD:
                by = 1.0
                for j in range(neurons):
                    if j != i:
                        by *= silent[j] - fires[j]
            else:
                count_of_fires(fires, silent, i, count)
                by = count[quorum - 1]
            margin[i, p] = push * by * fires[i] * silent[i]

    for k in range(parameters.size):
        row = margin[neuron[k]]
        if feature[k] < 0:
            gradient[k] = 0.0
            for p in range(points):
                gradient[k] -= row[p]
        else:
            gradient[k] = dot(row, columns[feature[k]]) + penalty * parameters[k]
            loss += 0.5 * penalty * parameters[k] ** 2
    return loss
