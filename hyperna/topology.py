"""Runs whose number of neurons evolves: what differs from those of a fixed size."""

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hyperna._kernels import state
from hyperna._kernels.mutation import Mutation
from hyperna._kernels.steps import LARGEST_SUBSET_TABLE
from hyperna._words import shown
from hyperna.fitness import ExactArcs, FiniteSet, Sampled
from hyperna.outputs import OUTPUTS
from hyperna.results import SIZED_COLUMNS
from hyperna.search import Task

EVOLVED_NEURONS = "evolved"
# Neurons at most, by default and if others are given.
MAX_NEURONS, MOST_NEURONS = 16, 1024
# Probability that an offspring has one neuron more or fewer.
RATE = 0.25
# The circle has a faster kernel for networks of up to two neurons, which cannot grow.
_SMALLEST_ROOM = 3


@dataclass(frozen=True, eq=False)
class GrowingTask(Task):
    """A task whose networks have 1 to ``grid.neurons`` neurons.

    `same_probability` is the mutation probability of networks of every size, None for one over the
    number of components.
    """

    same_probability: float | None = None
    columns: ClassVar[tuple[str, ...]] = SIZED_COLUMNS

    def __post_init__(self) -> None:
        if not isinstance(self.fitness, ExactArcs | FiniteSet | Sampled):
            raise ValueError(
                f"neurons must be a number for the fitness {type(self.fitness).__name__}, "
                f"got {shown(EVOLVED_NEURONS)}; it can be evolved with exact arcs and on points"
            )

    @cached_property
    def kernel(self) -> Any:
        """The fitness as compiled code takes it, with room for the largest network."""
        largest = replace(self.grid, neurons=max(self.grid.neurons, _SMALLEST_ROOM))
        fitness = self.fitness.points if isinstance(self.fitness, Sampled) else self.fitness
        if isinstance(fitness, FiniteSet):
            return fitness.simple_kernel(largest)
        return fitness.kernel(largest)

    @cached_property
    def mutation(self) -> Mutation:
        """The mutation as compiled code takes it; a genome ends with its number of neurons."""
        made: Mutation = super().mutation
        # only the number of these components counts: steps name what they change
        component = np.arange(max(made.modulus.size, LARGEST_SUBSET_TABLE + 1))
        return made._replace(component=component, modulus=np.append(made.modulus, 1))

    @cached_property
    def topology(self) -> Any:
        """The sizes of networks, and how they change, as compiled code takes them."""
        from hyperna._kernels.topology import Topology

        most, unit = self.grid.neurons, self.mutation.move.unit
        shape = most + 1, self.mutation.modulus.size
        part, modulus, pairs = (np.zeros(shape, np.int64) for _ in range(3))
        count, stay_log = np.zeros(most + 1, np.int64), np.zeros(most + 1)
        for n in range(1, most + 1):
            grid = replace(self.grid, neurons=n)
            component = np.arange(grid.components)
            if not self.bias:
                component = np.setdiff1d(component, grid.bias_components)
            count[n], part[n, : component.size] = component.size, component
            modulus[n, : grid.components] = -(-grid.moduli // unit)
            if self.rotation:
                pairs[n, : grid.components] = grid.rotations(unit).pairs
            probability = self.same_probability or 1.0 / grid.components
            stay_log[n] = math.log1p(-probability) if probability < 1.0 else -math.inf
        return Topology(
            most=most,
            rate=RATE,
            one=self.one_component,
            width=self.grid.width,
            output=OUTPUTS[self.grid.output].evolved,
            threshold=0.5 if self.bias else 0.0,
            mutable=count,
            stay_log=stay_log,
            part=part,
            modulus=modulus,
            pairs=pairs,
        )

    @cached_property
    def _best_by_size(self) -> list[float | None]:
        """The largest fitness that networks of each size attain, None where it is unknown."""
        problem, sizes = self.fitness.problem, range(1, self.grid.neurons + 1)
        if problem is None:
            return [None for _ in sizes]
        free: dict[str, Any] = {"bias": self.bias, "neuron": self.grid.neuron}
        return [problem.best_fitness(n, self.grid.output, **free) for n in sizes]

    @cached_property
    def best_known(self) -> float | None:
        """The largest fitness that a network of any size attains, None if unknown."""
        known = [best for best in self._best_by_size if best is not None]
        certain = len(known) == self.grid.neurons or max(known, default=0.0) == 1.0
        return max(known) if certain else None

    @property
    def fewest_neurons(self) -> int:
        """The smallest number of neurons that attains the best fitness known."""
        best = self.best_known
        return self.grid.neurons if best is None else 1 + self._best_by_size.index(best)

    def new_arrays(self) -> Any:
        """Return room for another network."""
        from hyperna._kernels.topology import new_spare

        return new_spare(self.kernel, self.mutation)

    @cached_property
    def limits(self) -> state.Limits:
        """Limits and goal as compiled code takes them."""
        made: state.Limits = super().limits
        if self.start is None:
            return made
        start = np.zeros(self.mutation.modulus.size, np.int64)
        start[: made.start.size], start[-1] = made.start, self.start.grid.neurons
        return made._replace(start=start)


def growing(task: Task, same_probability: float | None) -> GrowingTask:
    """Return the task with an evolved number of neurons, those of its grid at most."""
    shared = {entry.name: getattr(task, entry.name) for entry in fields(task)}
    return GrowingTask(**shared, same_probability=same_probability)
