"""What every kind of fitness offers."""

from abc import ABC, abstractmethod
from typing import NamedTuple

from hyperna.grid import Grid
from hyperna.networks import Network
from hyperna.problems import Problem


class Fitness(ABC):
    """What a network is worth, as an integer score out of `units` and as a share in [0, 1].

    Attributes
    ----------
    dim : int
        Dimension of the points.
    problem : Problem or None
        The problem it measures, which knows optima and best fitness.

    Examples
    --------
    >>> from hyperna.fitness import fitness_of
    >>> from hyperna.problems import problem
    >>> corners = fitness_of(problem("cube"))
    >>> network = Network(Grid(dim=3, neurons=1, resolution=8), [0, 0, 8])
    >>> corners.score(network), corners.units(network.grid), corners(network)
    (4, 8, 0.5)
    """

    dim: int
    problem: Problem | None

    @abstractmethod
    def units(self, grid: Grid) -> int:
        """Return the score of a network on this grid that makes no mistake."""

    @abstractmethod
    def score(self, network: Network) -> int:
        """Return the number of correctly classified units."""

    @abstractmethod
    def kernel(self, grid: Grid) -> NamedTuple:
        """Return this fitness as compiled code takes it, for networks on a grid."""

    def standard_error(self, network: Network) -> float:
        """Return the standard error of the fitness, 0 where it is exact."""
        return 0.0

    def __call__(self, network: Network) -> float:
        """Return the fitness, from 0 to 1."""
        score = self.score(network)
        return score / self.units(network.grid)

    def _check_network(self, network: Network) -> None:
        if not isinstance(network, Network):
            raise TypeError(f"network must be a Network, got {network!r}")
        self._check_grid(network.grid)

    def _check_grid(self, grid: Grid) -> None:
        if grid.dim != self.dim:
            raise ValueError(f"networks must have dim {self.dim} for this fitness, got {grid.dim}")
