"""Chains of several mutants, the first best of which is taken: flows to and from fitter states.

From a state x to a level the probability of a mutant is multiplied by a weight that depends on x
and on the level, see `hyperna._kernels.exact_selection`, so that the contributions of fitter states
cannot be added up before it is known who reads them: every pair of a state and a fitter one is
looked at, level by level from the fittest on.

All vectors are in the sequence of falling fitness.
"""

from typing import NamedTuple

import numpy as np

from hyperna._kernels.exact_selection import best_weight
from hyperna._kernels.jit import inline_kernel, kernel


@inline_kernel
def added(total, carry, value):
    """Add to a sum with its correction (Kahan 1965)."""
    value += carry
    result = total + value
    return result, value - (result - total)


class Mutants(NamedTuple):
    """The mutants of all states, level by level.

    `split` has two rows, the groups of components of the states; `first` and `second` are the moves
    of the groups, of which those from x to y are ``first[x1, y1] * second[x2, y2]``. `ends` says
    where the levels end, `level_of` in which one a state is. `wide` numbers the levels of many
    states, whose sums are computed by products of small matrices; all others have -1. Row k of
    `wide_mass` is the probability, for each state, that a mutant is in wide level k.
    """

    offspring: int
    split: np.ndarray
    first: np.ndarray
    second: np.ndarray
    ends: np.ndarray
    level_of: np.ndarray
    wide: np.ndarray
    wide_mass: np.ndarray


@kernel
def pull(mutants, level, values, wide_values, begin, end, leave, rest, inflow):
    """Set what all fitter states contribute to the states from `begin` to `end` of a level.

    `values` (n, 2) are u and v of the fitter states; `wide_values` (wide levels, 2, n) are already
    multiplied by the moves. Set are `leave`, the probability to move to one of them, `inflow`
    (n, 2), and `rest`, the probability that a mutant is not fitter.
    """
    offspring, split, first, second, ends, _, wide, wide_mass = mutants
    for n in range(begin, end):
        i, k = split[0, n], split[1, n]
        above, carry = 0.0, 0.0
        left, u, v = 0.0, 0.0, 0.0
        start = 0
        for fitter in range(level):
            mass, sum_u, sum_v = 0.0, 0.0, 0.0
            if wide[fitter] >= 0:
                mass = wide_mass[wide[fitter], n]
                sum_u = wide_values[wide[fitter], 0, n]
                sum_v = wide_values[wide[fitter], 1, n]
            else:
                for m in range(start, ends[fitter]):
                    p = first[i, split[0, m]] * second[k, split[1, m]]
                    mass += p
                    sum_u += p * values[m, 0]
                    sum_v += p * values[m, 1]
            start = ends[fitter]
            weight = best_weight((1.0 - above) - carry, mass, offspring)
            left += weight * mass
            u += weight * sum_u
            v += weight * sum_v
            above, carry = added(above, carry, mass)
        leave[n] = left
        rest[n] = (1.0 - above) - carry
        inflow[n, 0] = u
        inflow[n, 1] = v


@kernel
def push(mutants, passed, begin, end, entering, wide_sent, moves):
    """Add what the states from `begin` to `end` pass on to all fitter states.

    `passed` is what each of them passes on in all its steps. `entering` gets it, or for wide levels
    `wide_sent`, which is still to be multiplied by the moves. `moves` has room for one level.
    """
    offspring, split, first, second, ends, level_of, wide, wide_mass = mutants
    for n in range(begin, end):
        if passed[n] == 0.0:
            continue
        i, k = split[0, n], split[1, n]
        above, carry = 0.0, 0.0
        start = 0
        for fitter in range(level_of[n]):
            mass = 0.0
            if wide[fitter] >= 0:
                mass = wide_mass[wide[fitter], n]
            else:
                for m in range(start, ends[fitter]):
                    p = first[i, split[0, m]] * second[k, split[1, m]]
                    moves[m - start] = p
                    mass += p
            weight = passed[n] * best_weight((1.0 - above) - carry, mass, offspring)
            if wide[fitter] >= 0:
                wide_sent[wide[fitter], n] = weight
            else:
                for m in range(start, ends[fitter]):
                    entering[m] += weight * moves[m - start]
            start = ends[fitter]
            above, carry = added(above, carry, mass)


@kernel
def inside_level(mutants, begin, end, moves):
    """Set the moves from each state of a level to each other one, 0 on the diagonal."""
    split = mutants.split
    first = mutants.first
    second = mutants.second
    for a in range(begin, end):
        i, k = split[0, a], split[1, a]
        for b in range(begin, end):
            moves[a - begin, b - begin] = first[i, split[0, b]] * second[k, split[1, b]]
        moves[a - begin, a - begin] = 0.0
