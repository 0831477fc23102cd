"""Online fitness: selection sees a few fresh points in every step, success the true fitness."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np

from hyperna._validation import check_integer
from hyperna._words import counted, shown
from hyperna.fitness.base import Fitness
from hyperna.fitness.points import FiniteSet
from hyperna.fitness.spheres import azimuth_labels
from hyperna.network.grid import Grid
from hyperna.network.networks import Network
from hyperna.network.neurons import is_bent
from hyperna.problems import ArcProblem, PointProblem, Problem


@dataclass(frozen=True)
class Online(Fitness):
    """Compare parent and offspring on m fresh points in every step.

    The model is hyperna's own: points are uniform on the sphere, or drawn with replacement from a
    finite set in proportion to their weights. The offspring is kept if it is right on at least as
    many of these points as its parent. The true fitness is computed as well, exactly where there
    is a formula, and decides about success; it may fall from step to step. A run returns the
    network of largest true fitness that was a parent, `improvements` and `stagnation` follow the
    best one so far, and the trajectory shows every parent. However many points there are, chance
    decides between different networks of equal fitness. Evaluations count steps; the number of
    points drawn is `samples` times as large.

    Parameters
    ----------
    problem : ArcProblem or PointProblem
        What labels the points.
    samples : int
        Number m of points per step.
    reevaluate : bool
        True judges the parent on the same points as its offspring. False judges every network once
        only, when it is born: the offspring is kept if it is right on at least as many of its
        points as its parent was on other ones. A lucky parent may then survive for a long time. So
        may a lucky copy of it, for offspring that equal their parent are judged, too.

    Examples
    --------
    >>> from hyperna.run.algorithm import OnePlusOneNA
    >>> from hyperna.problems import problem
    >>> online = Online(problem("half"), samples=100)
    >>> OnePlusOneNA(bias=False).run(online, seed=1).stop_reason
    'optimum'
    """

    problem: Problem
    samples: int = 100
    reevaluate: bool = True
    repeatable: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not isinstance(self.problem, ArcProblem | PointProblem):
            raise TypeError(
                f"problem must be an ArcProblem or a PointProblem, got {shown(self.problem)}"
            )
        object.__setattr__(self, "samples", check_integer("samples", self.samples, 1, 2**31))
        if not isinstance(self.reevaluate, bool | np.bool_):
            raise TypeError(f"reevaluate must be True or False, got {shown(self.reevaluate)}")

    def __str__(self) -> str:
        parent = "parent judged again" if self.reevaluate else "parent judged once"
        points = counted(self.samples, "fresh point", "d")
        return f"{points} in every step ({parent})"

    def true_fitness(self, grid: Grid) -> Fitness:
        """Return the fitness that decides about success for networks on a grid."""
        from hyperna.fitness import fitness_of

        return fitness_of(self.problem, neurons=grid.neurons)

    def units(self, grid: Grid) -> int:
        """Return the true score of a network on this grid that makes no mistake."""
        return self.true_fitness(grid).units(grid)

    def positive_units(self, grid: Grid) -> int:
        """Return how many of the units of the true fitness are positive."""
        return self.true_fitness(grid).positive_units(grid)

    def score(self, network: Network) -> int:
        """Return the true score."""
        self._check_network(network)
        return self.true_fitness(network.grid).score(network)

    def standard_error(self, network: Network) -> float:
        """Return the standard error of the true fitness."""
        return self.true_fitness(network.grid).standard_error(network)

    def effort(self, grid: Grid) -> int:
        """Return about how many points it would take as long to look at as to compute a score."""
        return 10 * self.samples * grid.neurons + self.true_fitness(grid).effort(grid)

    @lru_cache(maxsize=8)  # noqa: B019  eight forms are kept at most
    def compiled_form(self, grid: Grid) -> NamedTuple:
        """Return the true fitness and the source of points as compiled code takes them."""
        from hyperna._kernels import online

        self.check_grid(grid)
        problem = self.problem
        true = self.true_fitness(grid)
        points = np.zeros((0, grid.dim + 1))
        share = np.zeros(0)
        ends: list[Fraction] = []
        positive = [False]
        if isinstance(problem, ArcProblem):
            ends, positive = azimuth_labels(problem)
        elif isinstance(true, FiniteSet):
            points = np.column_stack([true.X, true.y])
            share = np.cumsum(true.weights) / true.total
        return online.Online(
            # computed from nothing after each accepted step
            true=true.scoring_form(grid),
            samples=self.samples,
            again=bool(self.reevaluate),
            dim=grid.dim,
            resolution=grid.resolution,
            neurons=grid.neurons,
            join=grid.output_code,
            modulus=grid.moduli[: grid.width].copy(),
            bent=is_bent(grid.neuron, "online fitness"),
            ends=np.array([2 * math.pi * float(end) for end in ends]),
            positive=np.array(positive),
            points=points,
            share=share,
        )
