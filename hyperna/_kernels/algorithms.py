"""The (1+1) NA and its relatives as data: how they choose, and how many they choose from.

Each is a kind of algorithm for the one loop, see `hyperna._kernels.protocol`. An algorithm with
`best_at_once` keeps the best network when it is found. The others have one parent that never gets
worse, so that it is enough to keep the parent when a start ends: after a walk over equally good
networks the last one counts.
"""

from typing import NamedTuple

from hyperna._kernels.state import NEVER


class OnePlusOne(NamedTuple):
    """The (1+1) NA: an offspring replaces its parent if it is not worse."""

    best_at_once: bool = False
    patience: int = NEVER


class NonElitistOnePlusOne(NamedTuple):
    """The same where the parent may get worse, so that the best network is kept when it is found.

    Under online fitness fresh points decide, and the true fitness may fall.
    """

    best_at_once: bool = True
    patience: int = NEVER


class LocalOnePlusOne(NamedTuple):
    """The same for steps to neighbours only, with waiting times that are drawn.

    After `patience` rejected offspring in a row all neighbours are evaluated: see
    `hyperna._kernels.waiting`.
    """

    patience: int
    best_at_once: bool = False


class Generations(NamedTuple):
    """`offspring` from one parent; the first best one replaces it if it is not worse.

    With `comma` it always does. There is one member.
    """

    comma: bool
    offspring: int
    members: int = 1
    best_at_once: bool = True


class Steady(NamedTuple):
    """One offspring of `members` parents replaces a random one of the worst if it is not worse.

    With probability `crossover` it takes every neuron from one of two parents before it is mutated.
    """

    members: int
    crossover: float = 0.0
    offspring: int = 1
    best_at_once: bool = True


class Annealing(NamedTuple):
    """One offspring of one parent, accepted with probability exp(-loss / t) if it is worse.

    The temperature t, a number of units, is multiplied by `cooling` in every evaluation. There is
    one member.
    """

    temperature: float
    cooling: float = 1.0
    members: int = 1
    crossover: float = 0.0
    offspring: int = 1
    best_at_once: bool = True
