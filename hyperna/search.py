"""From settings to the kernel: a `Task` defines a run up to its seed, a `Search` is a run."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hyperna._kernels import state
from hyperna._kernels.mutation import TABLE, AngleMove, Mutation, RotationMove
from hyperna._kernels.point_data import Points
from hyperna._kernels.protocol import workspace
from hyperna._kernels.tables import mutation_data
from hyperna._validation import FloatArray, IntArray, check_integer
from hyperna._words import shown
from hyperna.engine import Seed, advance_runs, doubled_trace, new_arrays, new_trace
from hyperna.engine import seed_words as seed_words
from hyperna.fitness import ExactArcs, FiniteSet, Fitness, Online
from hyperna.goals import Goal, optima_on, rotations_on, share_near
from hyperna.grid import Grid
from hyperna.mutation import Local, StepLaw
from hyperna.networks import Network
from hyperna.results import COLUMNS, STOP_REASONS, Improvements, RunResult, Trajectory, network_of

Rule = Callable[[RunResult], bool]

# Offspring simulated before control returns to Python: a fraction of a second.
_QUOTA = 2**21
_POINTS_A_QUOTA = 2**26
# Runs under one seed.
MOST_RUNS = 2**61
# Largest neighbourhood (3**components networks) that is searched for a way out.
_LARGEST_NEIGHBOURHOOD = 3**8


@dataclass
class Halt:
    """A flag that ends the blocks of a batch which run in other threads."""

    raised: bool = False


@dataclass(frozen=True, eq=False)
class Task:
    """Settings of a run, checked by `OnePlusOneNA.task`."""

    law: StepLaw
    unit: int
    rotation: bool
    grid: Grid
    fitness: Fitness
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

    @cached_property
    def units(self) -> int:
        """Score of a network without a mistake."""
        return self.fitness.units(self.grid)

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
            move = rotations_on(self.grid, unit, planes=self.rotation)
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
        no_optima = np.zeros((0, self.grid.neurons, self.grid.width))
        if self.target is False:
            return Goal(state.NEVER, no_optima, state.NEVER)
        if self.target is not None:
            return Goal(self._target_score(self.target), no_optima, state.NEVER)
        optima = self.known_optima
        if len(optima):
            hopeful = 0
            if self.best_known is not None and isinstance(self.true_fitness, ExactArcs):
                share = share_near(optima, self.grid, self.best_known, self.unit)
                hopeful = max(0, math.floor(share * self.units))
            return Goal(state.NEVER, optima, hopeful)
        if self.default_target is None:
            return Goal(state.NEVER, no_optima, state.NEVER)
        return Goal(self._target_score(self.default_target), no_optima, state.NEVER)

    @property
    def known_optima(self) -> FloatArray:
        """The optima that are known, in grid units."""
        return optima_on(self.grid, self.fitness.problem, **self._freedom)

    def _target_score(self, target: float) -> int:
        """The smallest score whose fitness, as a float, is at least the target."""
        score = math.ceil(Fraction(target) * self.units)
        return score - 1 if score > 0 and (score - 1) / self.units >= target else score

    @property
    def true_fitness(self) -> Fitness:
        """The fitness that decides about success: of an online fitness the one beside it."""
        return self.fitness.true_fitness(self.grid)

    @property
    def _freedom(self) -> dict[str, Any]:
        """What a neuron may be, as problems take it."""
        return {"bias": self.bias, "neuron": self.grid.neuron}

    @property
    def best_known(self) -> float | None:
        """The largest fitness that such a network attains, None if unknown."""
        problem, grid = self.fitness.problem, self.grid
        if problem is None:
            return None
        return problem.best_fitness(grid.neurons, grid.output, **self._freedom)

    @cached_property
    def default_target(self) -> float | None:
        """Fitness that counts as success where no optima are listed: the best, or nearly so.

        Where the best fitness is unknown there is no target, but for finite sets the ceiling of 1.
        """
        best, problem = self.best_known, self.fitness.problem
        if isinstance(self.true_fitness, FiniteSet):
            return 1.0 if best is None else best
        if best is None or problem is None:
            return None
        steps = self.grid.resolution // self.unit
        return max(0.0, best - problem.rounding_loss(self.fewest_neurons, steps, **self._freedom))

    @property
    def fewest_neurons(self) -> int:
        """The smallest number of neurons that attains the best fitness known."""
        return self.grid.neurons

    @property
    def criterion(self) -> str:
        """What counts as success, in words."""
        if self.target is False:
            return "nothing: the run continues to its limit"
        if self.target is not None:
            return f"fitness >= {self.target:g}"
        if len(self.goal.optima):
            return "every component less than one grid step from an optimal solution"
        if self.default_target is None:
            return (
                "nothing: the best fitness of such a network is not known, so the run continues to "
                "its limit; set a target"
            )
        unsure = ", which may be out of reach" if self.best_known is None else ""
        return f"fitness >= {self.default_target:.6g}{unsure}"

    @property
    def patience(self) -> int | None:
        """Rejected steps after which all neighbours are looked at; None: never."""
        neighbourhood = 3**self.mutation.component.size
        local = isinstance(self.law, Local) and not self.rotation
        searchable = local and neighbourhood <= _LARGEST_NEIGHBOURHOOD
        plain = self.replace_neuron == 0.0 and not self.one_component
        # With fresh points in every step nothing is certain about the neighbours.
        certain = plain and not isinstance(self.fitness, Online)
        return neighbourhood if searchable and certain else None

    @property
    def first_stagnation(self) -> int:
        """Evaluations without improvement after which the first start ends.

        For automatic restarts it is four times the number of components times log2 of the
        resolution: about the time in which a harmonic step improves one component.
        """
        if self.stagnation is not None:
            return self.stagnation
        if self.restarts != "auto":
            return state.NEVER
        bits = math.ceil(math.log2(self.grid.resolution // self.unit))
        return 4 * self.mutation.component.size * bits

    @property
    def optima(self) -> FloatArray | None:
        """The optima that end a run; None leaves out the code that compares with them."""
        # on the circle that is little, and one kernel for all problems is compiled once
        known = len(self.goal.optima) > 0 or isinstance(self.fitness, ExactArcs)
        return self.goal.optima if known else None

    @cached_property
    def plateaus(self) -> dict[bytes, bool]:
        """Plateaus searched so far, and whether they have no way out."""
        return {}

    @cached_property
    def limits(self) -> state.Limits:
        """Limits and goal as compiled code takes them."""
        start = np.zeros(0, np.int64) if self.start is None else np.array(self.start.genome)
        return state.Limits(
            budget=self.budget,
            stagnation=self.first_stagnation,
            growing=self.restarts == "auto",
            target=self.goal.score,
            restarts=state.NEVER if isinstance(self.restarts, str) else self.restarts,
            optima=self.goal.optima,
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
        stop: "Rule | None" = None,
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

    # Kernels release the interpreter lock, so workers may be threads.
    processes: ClassVar[bool] = False

    def run_block(self, seed: Seed, first: int, last: int, halt: Halt | None = None) -> IntArray:
        """Simulate runs first..last-1; return their rows (see `hyperna._kernels.loop.run_batch`).

        Once `halt` is raised the block is given up, and its rows mean nothing.
        """
        rows = np.zeros((last - first, len(self.columns)), np.int64)
        run, work, arrays = state.new_run(self.mutation), workspace(self.kernel), new_arrays(self)
        key = seed_words(seed).generate_state(4, np.uint64)
        progress = np.array([first, first, last, 0])
        no_trace, no_genomes = new_trace(0, 0, 0), np.zeros((0, 0), np.int64)
        others = (no_trace, progress, self.quota, rows, no_genomes)
        while progress[0] < last and not (halt and halt.raised):
            with np.errstate(over="ignore"):
                advance_runs(self, work, arrays, key, run, *others)
        # a start that was stuck has been followed by another one
        rows[rows[:, 2] != state.STUCK, 3] = 0
        return rows

    @property
    def quota(self) -> int:
        """Offspring to simulate at a time."""
        if isinstance(self.fitness, ExactArcs):
            # A step sweeps over all neurons, and asks an evolved output at each of their arcs.
            power = 2 if self.grid.has_output_neuron else 1
            return max(64, _QUOTA // self.grid.neurons**power)
        return max(64, _POINTS_A_QUOTA // self.fitness.effort(self.grid))


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

    def __init__(self, task: Task, seed: Seed, number: int = 0, trajectory: bool = False) -> None:
        self.task = task
        self.seed = seed_words(seed)
        self.number = check_integer("number", number, 0, MOST_RUNS - 1)
        if not isinstance(trajectory, bool | np.bool_):
            raise TypeError(f"trajectory must be True or False, got {shown(trajectory)}")
        self._with_path = bool(trajectory)
        components = task.mutation.modulus.size
        self._run = state.new_run(task.mutation)
        self._arrays = new_arrays(task)
        self._work = workspace(task.kernel)
        self._trace = new_trace(64, 1024 if trajectory else 0, components)
        self._progress = np.array([self.number, self.number, self.number + 1, 0])
        self._rows = np.zeros((1, len(task.columns)), np.int64)
        self._genomes = np.zeros((1, components), np.int64)
        self._key = self.seed.generate_state(4, np.uint64)

    @property
    def finished(self) -> bool:
        """Whether the run has ended."""
        return bool(self._progress[0] == self._progress[2])

    @property
    def evaluations(self) -> int:
        """Evaluations counted so far."""
        return int(self._run.counter[state.EVALUATIONS])

    def advance(self, quota: int | None = None) -> bool:
        """Simulate about `quota` more offspring; return whether the run has ended."""
        task = self.task
        with np.errstate(over="ignore"):
            own = self._work, self._arrays, self._key, self._run, self._trace, self._progress
            steps = task.quota if quota is None else quota
            status = advance_runs(task, *own, steps, self._rows, self._genomes)
        if status == state.FULL:
            self._trace = doubled_trace(self._trace)
        return self.finished

    def result(self) -> RunResult:
        """Return the best network so far, and how it came about."""
        if self.evaluations == 0:
            self.advance(1)
        task, counter = self.task, self._run.counter
        if self.finished:
            evaluations, score, stop, stuck_at, restarts = map(int, self._rows[0, :5])
            genome = self._genomes[0]
        else:
            stop, stuck_at = state.RUNNING, 0
            evaluations, restarts = int(counter[state.EVALUATIONS]), int(counter[state.RESTARTS])
            current = counter[state.SCORE] > counter[state.BEST]
            score = int(max(counter[state.SCORE], counter[state.BEST]))
            genome = self._run.genes[0 if current else 1]
        improved = self._trace.improvements[: counter[state.IMPROVEMENTS]]
        return RunResult(
            network=network_of(task.grid, genome),
            fitness=score / task.units,
            evaluations=evaluations,
            stop_reason=STOP_REASONS[stop],
            success=stop in (state.OPTIMUM, state.TARGET),
            stuck_at=stuck_at if stop == state.STUCK else None,
            restarts=restarts,
            improvements=Improvements(improved[:, 0].copy(), improved[:, 1] / task.units),
            trajectory=self._trajectory() if self._with_path else None,
            seed=self.seed,
            number=self.number,
        )

    def _trajectory(self) -> Trajectory:
        rows = self._trace.path[: self._run.counter[state.PATH_LENGTH]]
        fitness = rows[:, 1] / self.task.units
        return Trajectory(self.task.grid, rows[:, 0].copy(), fitness, rows[:, 2:].copy())
