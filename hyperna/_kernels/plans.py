"""Relatives of the (1+1) NA as data: how they choose, and how many they choose from."""

from typing import NamedTuple


class Generations(NamedTuple):
    """`offspring` from one parent; the first best one replaces it if it is not worse.

    With `comma` it always does. There is one member.
    """

    comma: bool
    offspring: int
    members: int = 1


# How a single offspring is chosen.
STEADY, ANNEALING = range(2)


class OneByOne(NamedTuple):
    """One offspring at a time.

    STEADY: an offspring of `members` parents replaces a random one of the worst if it is not worse;
    with probability `crossover` it takes every neuron from one of two parents. ANNEALING: a worse
    offspring is accepted with probability exp(-loss / t); the temperature t, a number of units, is
    multiplied by `cooling` in every evaluation.
    """

    kind: int
    members: int = 1
    crossover: float = 0.0
    temperature: float = 0.0
    cooling: float = 1.0
    offspring: int = 1
