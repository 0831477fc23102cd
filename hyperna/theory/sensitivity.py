"""How the expected runtime changes with the step distribution.

With v(x) the expected number of steps in x and g(y) the expected steps from y, a change dP of the
accepted moves changes the mean by the sum over all x and y of v(x) dP(x, y) (g(y) - g(x)). Moves
are products of one matrix for each component, and each of these a sum over the lengths of steps, so
that the derivatives by the lengths follow. Searches for a good law go down this slope.
"""

import numpy as np

from hyperna._validation import FloatArray, IntArray
from hyperna.theory.chain import Chain
from hyperna.theory.moves import kronecker
from hyperna.theory.solver import Moments, accepts


def law_slope(
    chain: Chain,
    moments: Moments,
    places: tuple[IntArray, ...],
    resolution: int,
    probability: float,
) -> FloatArray:
    """Return the derivatives of the expected number of steps by the probabilities of the lengths.

    Parameters
    ----------
    chain, moments
        A chain that ends in a target for certain, solved.
    places : tuple of integer arrays
        For each component, which row of its axis stands for each value.
    resolution : int
        Number of lengths.
    probability : float
        Probability with which a component is mutated.
    """
    lengths = np.arange(1, resolution + 1)
    slope = np.zeros(resolution)
    for place, by_move in zip(places, axis_slopes(chain, moments), strict=True):
        modulus = place.size
        first = np.unique(place, return_index=True)[1]
        # a joined value moves as the first of those that it stands for
        moved = (np.arange(modulus) - first[:, None]) % modulus
        by_shift = np.bincount(moved.ravel(), by_move[:, place].ravel(), modulus)
        slope += 0.5 * probability * (by_shift[lengths % modulus] + by_shift[-lengths % modulus])
    return slope


def axis_slopes(chain: Chain, moments: Moments) -> list[FloatArray]:
    """Derivatives of the expected number of steps by the entries of each axis's matrix."""
    visits = chain.solver.visits(chain.start, chain.target.ravel())
    visits[chain.target.ravel()] = 0.0
    if chain.one_component:
        return _one_at_a_time(chain, moments.time, visits.reshape(chain.shape))
    gain = visits[:, None] * _gains(chain, moments.time.ravel())
    pairs = gain.reshape(chain.shape + chain.shape)
    result = []
    for k in range(len(chain.axes)):
        # all axes but one are summed over, with their own moves
        values = np.moveaxis(pairs, (k, k + len(chain.axes)), (0, len(chain.axes)))
        values = values.reshape(chain.shape[k], -1, chain.shape[k], chain.size // chain.shape[k])
        others = kronecker([axis for j, axis in enumerate(chain.axes) if j != k])
        result.append(chain.scale * np.einsum("iajb,ab->ij", values, others, optimize=True))
    return result


def _gains(chain: Chain, time: FloatArray) -> FloatArray:
    """Derivative of the change of `time` in one step by the moves of a single mutant."""
    score = chain.score.ravel()
    accepted = accepts(score, score[:, None])
    change = time - time[:, None]
    if chain.offspring == 1:
        return np.asarray(accepted * change)
    # from here on the states are sorted, the fittest first
    order = chain.order
    begins = np.append(0, chain.ends[:-1])
    level_of = np.repeat(np.arange(begins.size), chain.ends - begins)
    moves = (chain.scale * kronecker(chain.axes))[:, order]
    every = np.argsort(order)
    moves[np.arange(chain.size), every] -= chain.scale - 1.0
    mass = np.add.reduceat(moves, begins, axis=1)
    total = np.add.reduceat(moves * change[:, order], begins, axis=1)
    above = np.zeros_like(mass)
    np.cumsum(mass[:, :-1], axis=1, out=above[:, 1:])
    weight, by_rest, by_mass = _weight_slopes(1.0 - above, mass, chain.offspring)
    own = level_of[every]
    reached = np.arange(begins.size) <= own[:, None]
    # more mutants on a level leave less for all levels below it
    lost = np.where(reached, total * by_rest, 0.0)
    below = lost[:, ::-1].cumsum(axis=1)[:, ::-1] - lost
    by_level = np.where(reached, total * by_mass, 0.0) - below
    result = weight[:, level_of] * change[:, order] + by_level[:, level_of]
    result *= reached[:, level_of]
    unsorted = np.zeros_like(result)
    unsorted[:, order] = result
    return unsorted


def _weight_slopes(
    rest: FloatArray, mass: FloatArray, offspring: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The weight of `hyperna._kernels.exact_selection`, and its derivatives by its two arguments.

    It is the sum over i of rest^i worse^(offspring - 1 - i), where worse = rest - mass.
    """
    worse = np.maximum(rest - mass, 0.0)
    weight, by_rest, by_worse = np.ones_like(rest), np.zeros_like(rest), np.zeros_like(rest)
    power, power_slope = np.ones_like(rest), np.zeros_like(rest)
    for _ in range(offspring - 1):
        power_slope = power_slope * rest + power
        power = power * rest
        by_worse = by_worse * worse + weight
        by_rest = by_rest * worse + power_slope
        weight = weight * worse + power
    return weight, by_rest + by_worse, -by_worse


def _one_at_a_time(chain: Chain, time: FloatArray, visits: FloatArray) -> list[FloatArray]:
    """Derivatives where one component at a time is mutated."""
    result = []
    for k, length in enumerate(chain.shape):
        spent, later = (np.moveaxis(values, k, 0).reshape(length, -1) for values in (visits, time))
        score = np.moveaxis(chain.score, k, 0).reshape(length, -1)
        slope = np.zeros((length, length))
        for j in range(length):
            accepted = accepts(score[j], score)
            slope[:, j] = (spent * accepted * (later[j] - later)).sum(axis=1)
        result.append(chain.scale * slope / len(chain.axes))
    return result
