"""Runs whose number of neurons evolves: what differs from those of a fixed size."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hyperna._kernels import state
from hyperna._kernels.mutation import Mutation
from hyperna._kernels.steps import LARGEST_SUBSET_TABLE
from hyperna._validation import IntArray
from hyperna._words import shown
from hyperna.network.outputs import OUTPUTS
from hyperna.run.description import EVOLVED_NEURONS
from hyperna.run.results import SIZED_COLUMNS
from hyperna.run.success import Judge, JudgeOfSizes
from hyperna.run.task import Task, extend, multiples

# Probability that an offspring has one neuron more or fewer.
RESIZING_PROBABILITY = 0.25
# The circle has a faster kernel for networks of up to two neurons, which cannot grow.
_SMALLEST_ROOM = 3


class _Size(NamedTuple):
    """How networks of one size are mutated."""

    mutable: IntArray  # components that may change
    modulus: IntArray  # values that each component has
    pairs: IntArray  # planes of rotations, none where angles change
    stay_log: float  # logarithm of the probability that a component stays


@dataclass(frozen=True, eq=False)
class GrowingTask(Task):
    """A task whose networks have 1 to ``grid.neurons`` neurons.

    `same_probability` is the mutation probability of networks of every size, None for one over the
    number of components.
    """

    same_probability: float | None = None
    columns: ClassVar[tuple[str, ...]] = SIZED_COLUMNS
    sized: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.fitness.resizable:
            raise ValueError(
                f"neurons must be a number for the fitness {type(self.fitness).__name__}, "
                f"got {shown(EVOLVED_NEURONS)}; it can be evolved with exact arcs and on points"
            )

    @cached_property
    def compiled_fitness(self) -> Any:
        """The fitness as compiled code takes it, with room for the largest network."""
        largest = replace(self.grid, neurons=max(self.grid.neurons, _SMALLEST_ROOM))
        return self.fitness.resizable_form(largest)

    @cached_property
    def mutation(self) -> Mutation:
        """The mutation as compiled code takes it; a genome ends with its number of neurons."""
        made: Mutation = super().mutation
        # only the number of these components counts: steps name what they change
        component = np.arange(max(made.modulus.size, LARGEST_SUBSET_TABLE + 1))
        return made._replace(component=component, modulus=np.append(made.modulus, 1))

    @cached_property
    def algorithm(self) -> Any:
        """The sizes of networks, and how they change, as compiled code takes them."""
        from hyperna._kernels.topology import Topology

        largest = self.grid.neurons
        sizes = [self._size(neurons) for neurons in range(1, largest + 1)]

        def table(rows: Iterable[IntArray]) -> IntArray:
            """Return a row for each number of neurons; there is no network with none."""
            filled = np.zeros((largest + 1, self.mutation.modulus.size), np.int64)
            for neurons, row in enumerate(rows, start=1):
                filled[neurons, : len(row)] = row
            return filled

        return Topology(
            most=largest,
            rate=RESIZING_PROBABILITY,
            one=self.one_component,
            width=self.grid.width,
            output=OUTPUTS[self.grid.output].evolved,
            threshold=0.5 if self.bias else 0.0,
            mutable=np.array([0, *(size.mutable.size for size in sizes)], np.int64),
            stay_log=np.array([0.0, *(size.stay_log for size in sizes)]),
            part=table(size.mutable for size in sizes),
            modulus=table(size.modulus for size in sizes),
            pairs=table(size.pairs for size in sizes),
        )

    def _size(self, neurons: int) -> "_Size":
        """Return what compiled code needs to mutate networks with so many neurons."""
        grid = replace(self.grid, neurons=neurons)
        unit = self.mutation.move.unit
        probability = self.same_probability or 1.0 / grid.components
        return _Size(
            mutable=self._mutable_components(grid),
            modulus=multiples(grid.moduli, unit),
            pairs=grid.rotations(unit).pairs if self.rotation else np.zeros(0, np.int64),
            stay_log=math.log1p(-probability) if probability < 1.0 else -math.inf,
        )

    @cached_property
    def judge(self) -> Judge:
        """What counts as success."""
        return JudgeOfSizes(self.fitness, self.grid, self.bias, self.unit)

    @property
    def fewest_neurons(self) -> int:
        """The smallest number of neurons that attains the best fitness known."""
        return self.judge.fewest_neurons

    def new_memory(self) -> Any:
        """Return room for another network."""
        from hyperna._kernels.topology import new_spare

        return new_spare(self.compiled_fitness, self.mutation)

    @cached_property
    def limits(self) -> state.RunLimits:
        """Limits and goal as compiled code takes them."""
        made: state.RunLimits = super().limits
        if self.start is None:
            return made
        start = np.zeros(self.mutation.modulus.size, np.int64)
        start[: made.start.size] = made.start
        start[-1] = self.start.grid.neurons
        return made._replace(start=start)


def growing(task: Task, same_probability: float | None) -> GrowingTask:
    """Return the task with an evolved number of neurons, those of its grid at most."""
    return extend(task, GrowingTask, same_probability=same_probability)
