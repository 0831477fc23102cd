"""From settings to the kernel: a `Task` defines a run up to its seed, a `Search` is a run."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from hyperna._kernels import loop, state
from hyperna._kernels.mutation import TABLE, AngleMove, Mutation, RotationMove
from hyperna._kernels.point_data import Points
from hyperna._kernels.tables import mutation_data, new_run, new_waiting
from hyperna._validation import IntArray, check_integer
from hyperna._words import shown
from hyperna.fitness import ExactArcs, FiniteSet, Fitness, Online
from hyperna.grid import Grid
from hyperna.mutation import Local, StepLaw
from hyperna.networks import Network
from hyperna.plateaus import end_if_stuck
from hyperna.problems.base import Goal, optima_on, perfect_outputs
from hyperna.results import (
    COLUMNS,
    MOST_RUNS,
    STOP_REASONS,
    Halt,
    Improvements,
    RunResult,
    Seed,
    Trajectory,
    network_of,
    seed_words,
)

StoppingRule = Callable[[RunResult], bool]

# Offspring simulated before control returns to Python: a fraction of a second.
_QUOTA = 2**21
_POINTS_A_QUOTA = 2**26
# Largest neighbourhood (3**components networks) that is searched for a way out.
_LARGEST_NEIGHBOURHOOD = 3**8


@dataclass(frozen=True, eq=False)
class Task:
    """Settings of a run, checked by `OnePlusOneNA.task`."""

    law: StepLaw
    unit: int
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
    plan: Any = None
    columns: ClassVar[tuple[str, ...]] = COLUMNS
    topology: ClassVar[Any] = None  # how the number of neurons evolves, if it does
    # Kernels release the interpreter lock, so workers may be threads.
    processes: ClassVar[bool] = False

    @cached_property
    def kernel(self) -> Any:
        """The fitness as compiled code takes it."""
        alone = self.plan is not None  # offspring of several parents, or several of one
        return (self.fitness.scoring_kernel if alone else self.fitness.kernel)(self.grid)

    @cached_property
    def mutation(self) -> Mutation:
        """The mutation as compiled code takes it."""
        component = np.arange(self.grid.components)
        if not self.bias:
            component = np.setdiff1d(component, self.grid.bias_components)
        steps = self.law.steps(self.grid.resolution // self.unit, self.unit)
        moduli = np.array(self.grid.moduli)
        move: AngleMove | RotationMove = AngleMove(1)
        # points have one kernel for both kinds of moves, so that it is compiled once
        if self.rotation or isinstance(self.kernel, Points):
            # lengths of discrete laws are in steps of the resolution
            unit = self.unit if self.rotation and not self.law.continuous else 1
            move = self.grid.rotations(unit, planes=self.rotation)
            moduli = -(-moduli // move.unit)
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

    @cached_property
    def goal(self) -> Goal:
        """What ends a run with success."""
        target, never = self.target, state.NEVER
        # comparing takes little on the circle, where one kernel for all problems is compiled once
        shape = self.grid.neurons, self.grid.width
        none = np.zeros((0, *shape)) if isinstance(self.fitness, ExactArcs) else None
        if target is False:
            return Goal(never, none, never, "nothing: the run continues to its limit")
        if target is not None:
            return Goal(self._score_of(target), none, never, f"fitness >= {target:g}")
        # networks of many sizes may be optimal: success is then a matter of fitness
        if self.topology is None:
            exact = isinstance(self.fitness, ExactArcs | Online) and self.grid.dim == 2
            best = self.best_known if exact else None
            optima, share = optima_on(self.grid, self.fitness.problem, self.bias, self.unit, best)
            if len(optima):
                words = "every component less than one grid step from an optimal solution"
                return Goal(never, optima, max(0, math.floor(share * self.units)), words)
        target = self.default_target
        if target is None:
            words = "nothing: the best fitness of such a network is not known"
            perfect = perfect_outputs(self.grid, self.fitness.problem, self.bias)
            if perfect and self.topology is None:
                words += f" (with output {' or '.join(map(repr, perfect))} it is 1)"
            words += ", so the run continues to its limit; set a target"
            return Goal(never, none, never, words)
        unsure = ", which may be out of reach" if self.best_known is None else ""
        return Goal(self._score_of(target), none, never, f"fitness >= {target:.6g}{unsure}")

    def _score_of(self, target: float) -> int:
        """The smallest score whose fitness, as a float, is at least the target."""
        score = math.ceil(Fraction(target) * self.units)
        return score - 1 if score > 0 and (score - 1) / self.units >= target else score

    @cached_property
    def best_known(self) -> float | None:
        """The largest fitness that such a network attains, None if unknown."""
        problem, grid = self.fitness.problem, self.grid
        if problem is None:
            return None
        return problem.best_fitness(grid.neurons, grid.output, bias=self.bias, neuron=grid.neuron)

    @cached_property
    def default_target(self) -> float | None:
        """Fitness that counts as success where no optima are listed: the best, or nearly so.

        Where the best fitness is unknown there is no target, but for finite sets the ceiling of 1.
        """
        best, problem, fitness = self.best_known, self.fitness.problem, self.fitness
        if isinstance(fitness, Online):
            fitness = fitness.true_fitness(self.grid)
        if isinstance(fitness, FiniteSet):
            return 1.0 if best is None else best
        if best is None or problem is None:
            return None
        size, steps = self.fewest_neurons, self.grid.resolution // self.unit
        loss = problem.rounding_loss(size, steps, bias=self.bias, neuron=self.grid.neuron)
        return max(0.0, best - loss)

    @property
    def fewest_neurons(self) -> int:
        """The smallest number of neurons that attains the best fitness known."""
        return self.grid.neurons

    criterion = property(attrgetter("goal.words"), doc="What counts as success, in words.")

    def outcomes(self, genomes: IntArray, work: Any = None) -> tuple[IntArray, IntArray]:
        """Return the scores of genomes, and the stop codes of runs that reach them."""
        from hyperna._kernels.batch import judge

        scores, codes = np.zeros((2, len(genomes)), np.int64)
        given = self.kernel, work or self.kernel.workspace(), self.limits, self.goal.optima
        with np.errstate(over="ignore"):
            judge(*given, np.ascontiguousarray(genomes), scores, codes)
        return scores, codes

    def new_arrays(self) -> Any:
        """Return new arrays of the kernel's own: a population, or what is needed to skip waits.

        Where steps of one are all there are, all neighbours are looked at after many of them have
        been rejected.
        """
        if self.plan is not None:
            from hyperna._kernels.populations import new_population

            return new_population(self.plan, self.mutation)
        neighbours = 3**self.mutation.component.size
        local = isinstance(self.law, Local) and not self.rotation
        plain = self.replace_neuron == 0.0 and not self.one_component
        # With fresh points in every step nothing is certain about the neighbours.
        certain = local and plain and not isinstance(self.fitness, Online)
        if not certain or neighbours > _LARGEST_NEIGHBOURHOOD:
            return None
        return new_waiting(self.mutation, neighbours)

    @cached_property
    def plateaus(self) -> dict[bytes, bool]:
        """Plateaus searched so far, and whether they have no way out."""
        return {}

    @cached_property
    def limits(self) -> state.Limits:
        """Limits and goal as compiled code takes them.

        For automatic restarts, the first start ends after four times the number of components times
        log2 of the resolution without improvement, unless told otherwise: about the time in which a
        harmonic step improves one component.
        """
        stagnation = state.NEVER if self.stagnation is None else self.stagnation
        if self.stagnation is None and self.restarts == "auto":
            bits = math.ceil(math.log2(self.grid.resolution // self.unit))
            stagnation = 4 * self.mutation.component.size * bits
        start = np.zeros(0, np.int64) if self.start is None else np.array(self.start.genome)
        shape = self.grid.neurons, self.grid.width
        return state.Limits(
            budget=self.budget,
            stagnation=stagnation,
            growing=self.restarts == "auto",
            target=self.goal.score,
            restarts=state.NEVER if isinstance(self.restarts, str) else self.restarts,
            optima=np.zeros((0, *shape)) if self.goal.optima is None else self.goal.optima,
            tolerance=self.unit - max(1e-9, 5e-16 * self.grid.resolution),
            hopeful=self.goal.hopeful,
            dim=self.grid.dim,
            neurons=self.grid.neurons,
            width=self.grid.width,
            resolution=self.grid.resolution,
            unit=self.mutation.move.unit,
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
        search = Search(self, seed, number, trajectory)
        while not search.advance(quota):
            if stop is not None and stop(search.result()):
                return replace(search.result(), stop_reason="rule")
        return search.result()

    def run_block(self, seed: Seed, first: int, last: int, halt: Halt | None = None) -> IntArray:
        """Simulate runs first..last-1; return their rows (see `hyperna._kernels.loop.run_batch`).

        Once `halt` is raised the block is given up, and its rows mean nothing.
        """
        search = Search(self, seed, first, runs=last - first)
        while not (halt and halt.raised) and not search.advance():
            pass
        # a start that was stuck has been followed by another one
        search.rows[search.rows[:, 2] != state.STUCK, 3] = 0
        return search.rows


class Search:
    """A run that can be watched: it advances in pieces, and tells its result at any time.

    Examples
    --------
    >>> from hyperna.algorithm import OnePlusOneNA
    >>> from hyperna.problems import problem
    >>> task = OnePlusOneNA().task(problem("quarter"))
    >>> search = Search(task, seed=1)
    >>> while not search.advance(100):
    ...     pass
    >>> search.result().stop_reason
    'optimum'
    """

    def __init__(
        self,
        task: Task,
        seed: Seed,
        number: int = 0,
        trajectory: bool = False,
        runs: int | None = None,
    ) -> None:
        """Begin run `number`; with `runs`, that many from there on, of which rows are kept only."""
        self.task = task
        self.seed = seed if isinstance(seed, np.random.SeedSequence) else seed_words(seed)
        self.number = check_integer("number", number, 0, MOST_RUNS - 1)
        if not isinstance(trajectory, bool | np.bool_):
            raise TypeError(f"trajectory must be True or False, got {shown(trajectory)}")
        self._with_path = bool(trajectory)
        components, count = task.mutation.modulus.size, 1 if runs is None else runs
        self._run = new_run(task.mutation)
        self._arrays = task.new_arrays()
        self._work = task.kernel.workspace()
        self._trace = state.Trace(
            np.zeros((64 if runs is None else 0, 2), np.int64),
            np.zeros((1024 if trajectory else 0, 2 + components), np.int64),
        )
        self._progress = np.array([self.number, self.number, self.number + count, 0])
        self.rows = np.zeros((count, len(task.columns)), np.int64)
        self._genomes = np.zeros((1 if runs is None else 0, components), np.int64)
        self._key = self.seed.generate_state(4, np.uint64)
        self.evaluations = 0

    @cached_property
    def quota(self) -> int:
        """Offspring to simulate at a time: a fraction of a second."""
        fitness, grid = self.task.fitness, self.task.grid
        if isinstance(fitness, ExactArcs):
            # a step sweeps over all neurons, and computes an evolved output at each of their arcs
            return max(64, _QUOTA // grid.neurons ** (1 + grid.has_output_neuron))
        return max(64, _POINTS_A_QUOTA // fitness.effort(grid))

    @property
    def finished(self) -> bool:
        """Whether the run has ended."""
        return bool(self._progress[0] == self._progress[2])

    def advance(self, quota: int | None = None) -> bool:
        """Simulate about `quota` more offspring; return whether the run has ended."""
        task, run, arrays, key = self.task, self._run, self._arrays, self._key
        given = task.kernel, self._work, task.mutation, task.limits
        steps = self.quota if quota is None else quota
        others = self._trace, self._progress, steps, self.rows, self._genomes
        # kernels of other algorithms than the (1+1) NA are loaded when they are used
        with np.errstate(over="ignore"):
            if task.topology is not None:
                from hyperna._kernels.topology import run_topology_batch

                status = run_topology_batch(*given, task.topology, key, run, arrays, *others)
            elif task.plan is not None:
                from hyperna._kernels.populations import run_population_batch

                status = run_population_batch(*given, task.plan, key, run, arrays, *others)
            else:
                status = loop.run_batch(*given, task.goal.optima, arrays, key, run, *others)
        self.evaluations = int(run.counter[state.EVALUATIONS])
        if status == state.PLATEAU:
            end_if_stuck(task, run)
        elif status == state.FULL:
            self._trace = state.Trace(*[np.concatenate([part, 0 * part]) for part in self._trace])
        return bool(self._progress[0] == self._progress[2])

    def result(self) -> RunResult:
        """Return the best network so far, and how it came about."""
        task, counter = self.task, self._run.counter
        if counter[state.EVALUATIONS] == 0:
            self.advance(1)
        if self._progress[0] == self._progress[2]:
            evaluations, score, stop, stuck_at, restarts = map(int, self.rows[0, :5])
            genome = self._genomes[0]
        else:
            stop, stuck_at = state.RUNNING, 0
            evaluations, restarts = int(counter[state.EVALUATIONS]), int(counter[state.RESTARTS])
            current = counter[state.SCORE] > counter[state.BEST]
            score = int(max(counter[state.SCORE], counter[state.BEST]))
            genome = self._run.genes[0 if current else 1]
        improved = self._trace.improvements[: counter[state.IMPROVEMENTS]]
        trajectory = None
        if self._with_path:
            path = self._trace.path[: counter[state.PATH_LENGTH]].copy()
            trajectory = Trajectory(task.grid, path[:, 0], path[:, 1] / task.units, path[:, 2:])
        return RunResult(
            network=(Network if task.topology is None else network_of)(task.grid, genome),
            fitness=score / task.units,
            evaluations=evaluations,
            stop_reason=STOP_REASONS[stop],
            success=stop in (state.OPTIMUM, state.TARGET),
            stuck_at=stuck_at if stop == state.STUCK else None,
            restarts=restarts,
            improvements=Improvements(improved[:, 0].copy(), improved[:, 1] / task.units),
            trajectory=trajectory,
            seed=self.seed,
            number=self.number,
        )
