"""The first best of several mutants: how likely it is one of those at hand.

Let `rest` be the probability that a mutant is not fitter than some level, and `mass` that it is on
that level. Among `offspring` mutants the best is on the level with probability

    rest^offspring - (rest - mass)^offspring = mass * weight,

and the first best one is distributed as a single mutant on the level is. So `weight` is what the
probability of a single mutant is multiplied by.
"""

import math

from hyperna._kernels.jit import inline_kernel, kernel

# Up to here the weight is a sum of products, beyond it comes from logarithms.
LONGEST_SUM = 48


@inline_kernel
def best_weight(rest, mass, offspring):
    """Return the weight; 1 for one mutant. No digits cancel."""
    worse = max(rest - mass, 0.0)
    if offspring <= LONGEST_SUM:
        total, power = 1.0, 1.0
        for _ in range(offspring - 1):
            power *= rest
            total = total * worse + power
        return total
    if worse <= 0.0:
        return rest ** (offspring - 1)
    if mass <= 0.0:
        return offspring * rest ** (offspring - 1)
    return -(rest**offspring) * math.expm1(offspring * math.log1p(-mass / rest)) / mass


@kernel
def best_weights(rest, mass, offspring, weight):
    """Set the weights of many levels."""
    for i in range(rest.size):
        weight[i] = best_weight(rest[i], mass[i], offspring)
