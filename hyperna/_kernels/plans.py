"""Relatives of the (1+1) NA as data: how they choose, and how many they choose from."""

from typing import NamedTuple

# How the next generation is chosen.
PLUS, COMMA, STEADY, ANNEALING = range(4)


class Plan(NamedTuple):
    """An algorithm: how it chooses, and how many it chooses from.

    PLUS and COMMA: `offspring` from one parent, the first best one replaces the parent if it is not
    worse (PLUS) or always (COMMA). STEADY: one offspring of `members` parents replaces a random one
    of the worst if it is not worse; with probability `crossover` it takes every neuron from one of
    two parents. ANNEALING: one offspring, a worse one accepted with probability exp(-loss / t);
    the temperature t, a number of units, is multiplied by `cooling` in every evaluation.
    """

    kind: int
    members: int = 1
    offspring: int = 1
    crossover: float = 0.0
    temperature: float = 0.0
    cooling: float = 1.0
