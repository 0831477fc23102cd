"""From settings to the kernel: a `Task` is all that defines a run but its seed."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np

from hyperna._kernels import state
from hyperna._kernels.algorithms import LocalOnePlusOne, NonElitistOnePlusOne, OnePlusOne
from hyperna._kernels.mutation import TABLE, AngleMove, Mutation, RotationMove
from hyperna._kernels.point_data import Points
from hyperna._kernels.tables import mutation_data
from hyperna._validation import IntArray, check_integer
from hyperna._words import shown
from hyperna.fitness import Fitness
from hyperna.mutation import StepLaw
from hyperna.network.grid import Grid
from hyperna.network.networks import Network
from hyperna.run.many import Halt, rows_of_block
from hyperna.run.results import COLUMNS, RunResult, Seed
from hyperna.run.simulation import Simulation
from hyperna.run.success import Goal, Judge

# Ends one run by what it has found so far; `Halt` gives up many whatever they have found.
StoppingRule = Callable[[RunResult], bool]

# Largest neighbourhood (3**components networks) that is searched for a way out.
_LARGEST_NEIGHBOURHOOD = 3**8
# Near an optimum is a distance of less than one step, and one step itself is not less. Components
# of optima are floats, whose rounding grows with the resolution: it is taken for this share of the
# resolution (about two spacings of doubles), and for at least so many grid steps.
_ROUNDING = 5e-16
_LEAST_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Task:
    """Settings of a run, checked by `OnePlusOneNA.task`."""

    law: StepLaw
    unit: int  # grid steps in a mutation of length 1
    rotation: bool
    grid: Grid
    fitness: Fitness
    units: int  # score of a network without a mistake
    bias: bool
    redraw_void: bool
    probability: float
    sphere: bool
    budget: int
    stagnation: int | None
    target: float | bool | None
    restarts: int | str
    start: Network | None
    replace_neuron: float = 0.0
    one_component: bool = False
    population: Any = None  # how relatives with populations choose; None for the (1+1) NA
    columns: ClassVar[tuple[str, ...]] = COLUMNS
    sized: ClassVar[bool] = False  # whether genomes end with their number of neurons
    # Kernels release the interpreter lock, so workers may be threads.
    processes: ClassVar[bool] = False

    @cached_property
    def compiled_fitness(self) -> Any:
        """The fitness as compiled code takes it."""
        if self.population is not None:
            # relatives evaluate offspring from nothing: `hyperna._kernels.populations`
            return self.fitness.scoring_form(self.grid)
        return self.fitness.compiled_form(self.grid)

    @cached_property
    def mutation(self) -> Mutation:
        """The mutation as compiled code takes it."""
        component = self._mutable_components(self.grid)
        steps = self.law.steps(self.grid.resolution // self.unit, self.unit)
        move = self._move()
        moduli = multiples(self.grid.moduli, move.unit)
        if self.redraw_void and steps.kind == TABLE:
            lengths = np.flatnonzero(steps.weights) + 1
            if not any((lengths % modulus).any() for modulus in set(moduli[component].tolist())):
                raise ValueError(
                    f"redraw_void must be False, because no step of {self.law!r} changes anything"
                )
        return mutation_data(
            steps,
            component,
            moduli,
            self.probability,
            self.redraw_void,
            move,
            one=self.one_component,
            replace=self.replace_neuron,
            neurons=self.grid.neurons,
            neuron_width=int((component < self.grid.width).sum()),
        )

    def _move(self) -> AngleMove | RotationMove:
        """Return what a step does to a direction, and how many grid steps a length of 1 is.

        ========  ==========  ============  ==============================  ===============
        move      law         fitness       kind                            grid steps
        ========  ==========  ============  ==============================  ===============
        angle     any         not `Points`  `AngleMove`                     1
        angle     any         `Points`      `RotationMove`, without planes  1
        rotation  discrete    any           `RotationMove`                  those of `unit`
        rotation  continuous  any           `RotationMove`                  1
        ========  ==========  ============  ==============================  ===============

        Rotations there are at D > 2 only: the kernels of the circle know changes of angles. The
        grid of a rotation or a continuous law is finer than the resolution: `unit` grid steps are
        one of the resolution. Lengths of discrete laws are in steps of the resolution, those of
        continuous laws in grid steps.
        """
        if self.rotation:
            return self.grid.rotations(1 if self.law.continuous else self.unit)
        if isinstance(self.compiled_fitness, Points):
            return self.grid.rotations(1, planes=False)
        return AngleMove(1)

    def _mutable_components(self, grid: Grid) -> IntArray:
        """Return the components of a genome that a mutation may change."""
        component = np.arange(grid.components)
        return component if self.bias else np.setdiff1d(component, grid.bias_components)

    @property
    def compiled_kind(self) -> tuple[Any, ...]:
        """The types of what compiled code is handed, which decide what is compiled."""
        parts = self.compiled_fitness, self.mutation, self.algorithm
        return (*map(_compiled_type, parts), self.goal.optima is None)

    @cached_property
    def judge(self) -> Judge:
        """What counts as success."""
        return Judge(self.fitness, self.grid, self.bias, self.unit)

    @cached_property
    def goal(self) -> Goal:
        """What ends a run with success."""
        return self.judge.goal(self.target)

    @property
    def best_known(self) -> float | None:
        """Largest fitness, None if unknown."""
        return self.judge.best_known

    @property
    def default_target(self) -> Any:
        """Default fitness to reach."""
        return self.judge.default_target

    @property
    def criterion(self) -> str:
        """What counts as success, in words."""
        return self.goal.words

    def outcomes(self, genomes: IntArray, work: Any = None) -> tuple[IntArray, IntArray]:
        """Return the scores of genomes, and the stop codes of runs that reach them."""
        from hyperna._kernels.judging import judge

        scores, codes = np.zeros((2, len(genomes)), np.int64)
        with np.errstate(over="ignore"):
            judge(
                self.compiled_fitness,
                work or self.compiled_fitness.workspace(),
                self.limits,
                self.goal.optima,
                np.ascontiguousarray(genomes),
                scores,
                codes,
            )
        return scores, codes

    @cached_property
    def algorithm(self) -> Any:
        """The algorithm as compiled code takes it.

        Where steps of one are all there are, all neighbours are evaluated after many of them have
        been rejected.
        """
        if self.population is not None:
            return self.population
        if not self.fitness.repeatable:
            return NonElitistOnePlusOne()
        neighbours = 3**self.mutation.component.size
        local = self.law.steps_of_one and not self.rotation
        plain = self.replace_neuron == 0.0 and not self.one_component
        if not (local and plain) or neighbours > _LARGEST_NEIGHBOURHOOD:
            return OnePlusOne()
        return LocalOnePlusOne(patience=neighbours)

    def new_memory(self) -> Any:
        """Return new arrays for what the algorithm keeps besides one network; None for nothing.

        The code of algorithms other than the plain (1+1) NA is loaded when it is used.
        """
        if self.population is not None:
            from hyperna._kernels.populations import new_population

            return new_population(self.population, self.mutation)
        if isinstance(self.algorithm, LocalOnePlusOne):
            from hyperna._kernels.waiting import new_neighbours

            return new_neighbours(self.mutation)
        if isinstance(self.algorithm, NonElitistOnePlusOne):
            return np.zeros(1, np.int64)
        return None

    @cached_property
    def plateaus(self) -> dict[bytes, int]:
        """Plateaus searched so far, by their genomes: see `hyperna.run.plateaus.is_closed`."""
        return {}

    @cached_property
    def limits(self) -> state.RunLimits:
        """Limits and goal as compiled code takes them.

        For automatic restarts, the first start ends after four times the number of components times
        log2 of the resolution without improvement, unless told otherwise: about the time in which a
        harmonic step improves one component; but not before all members are drawn or the offspring
        of a generation are made.
        """
        stagnation = state.NEVER if self.stagnation is None else self.stagnation
        if self.stagnation is None and self.restarts == "auto":
            bits = math.ceil(math.log2(self.grid.resolution // self.unit))
            stagnation = 4 * self._mutable_components(self.grid).size * bits
            if self.population is not None:
                stagnation = max(stagnation, self.population.members, self.population.offspring)
        start = np.zeros(0, np.int64) if self.start is None else np.array(self.start.genome)
        return state.RunLimits(
            budget=self.budget,
            stagnation=stagnation,
            growing=self.restarts == "auto",
            target=self.goal.score,
            restarts=state.NEVER if isinstance(self.restarts, str) else self.restarts,
            tolerance=self.unit - max(_LEAST_ROUNDING, _ROUNDING * self.grid.resolution),
            lowest_optimal_score=self.goal.lowest_optimal_score,
            dim=self.grid.dim,
            neurons=self.grid.neurons,
            width=self.grid.width,
            resolution=self.grid.resolution,
            start_unit=self.mutation.move.unit,
            sphere=self.sphere,
            fixed_value=0 if self.bias else self.grid.zero_bias,
            start=start,
        )

    def run(
        self,
        seed: Seed,
        number: int = 0,
        trajectory: bool = False,
        stop: "StoppingRule | None" = None,
        every: int = 1000,
    ) -> RunResult:
        """Return run `number` under this seed; `stop` and `every` as in `OnePlusOneNA.run`."""
        if stop is not None and not callable(stop):
            raise TypeError(f"stop must be callable or None, got {shown(stop)}")
        quota = None if stop is None else check_integer("every", every, 1, 2**61)
        simulation = Simulation(self, seed, number, trajectory)
        while not simulation.advance(quota):
            if stop is not None and stop(simulation.result()):
                return replace(simulation.result(), stop_reason="rule")
        return simulation.result()

    def finished_rows(
        self, seed: Seed, first: int, last: int, halt: Halt | None = None
    ) -> Iterator[IntArray]:
        """Yield the rows of runs first..last-1 in their order, as soon as some are finished.

        See `hyperna.run.results.COLUMNS`. Once `halt` is due, runs under way are given up.
        """
        simulation = Simulation(self, seed, first, runs=last - first)
        told = 0
        while told < last - first:
            if halt is not None and halt.due:
                return
            simulation.advance()
            rows = simulation.rows[told : simulation.done]
            told = simulation.done
            if len(rows):
                yield rows

    run_block = rows_of_block


def multiples(moduli: IntArray, unit: int) -> IntArray:
    """Return how many multiples of a unit each component has: the quotient rounded up.

    >>> multiples(np.array([12, 13]), 4)  # an angle and a bias, which has 0, 4, 8 and 12
    array([3, 4])
    """
    return -(-moduli // unit)


Kind = TypeVar("Kind", bound=Task)


def extend(task: Task, kind: type[Kind], **own: Any) -> Kind:
    """Return a task of another kind with the settings of this one and some of its own."""
    shared = {entry.name: getattr(task, entry.name) for entry in fields(task)}
    return kind(**shared, **own)


def _compiled_type(value: Any) -> Any:
    """What decides which code is compiled for a value: its type, for kinds those of their parts."""
    if isinstance(value, tuple):
        return (type(value), *map(_compiled_type, value))
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.ndim
    return type(value)
