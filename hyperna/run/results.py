"""What runs leave behind: `RunResult` for one run, `Runs` for many."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from hyperna import __version__
from hyperna._kernels import state
from hyperna._validation import BoolArray, FloatArray, IntArray, check_integer
from hyperna._words import counted
from hyperna.network.grid import Grid
from hyperna.network.networks import Network

Seed = int | np.random.SeedSequence | None
Progress = Callable[[int, int], None]

STOP_REASONS = ("running", "optimum", "target", "budget", "stagnation", "stuck")
# What a run leaves behind, as integers; `stop` is an index into `STOP_REASONS`, the fitness is
# score / units.
COLUMNS: tuple[str, ...] = ("evaluations", "score", "stop", "stuck_at", "restarts")
# Where the number of neurons evolves, that of the best network follows.
SIZED_COLUMNS: tuple[str, ...] = (*COLUMNS, "neurons_used")
# Where terms have a cost, the neurons and terms that are left.
TERM_COLUMNS: tuple[str, ...] = (*SIZED_COLUMNS, "terms_used")
# Runs under one seed.
MOST_RUNS = 2**61


def row_of(columns: tuple[str, ...], **values: int) -> IntArray:
    """Return the row of one run, an array (1, columns), from its values by name.

    Examples
    --------
    >>> row_of(COLUMNS, evaluations=9, score=5, stop=1, stuck_at=0, restarts=2)
    array([[9, 5, 1, 0, 2]])
    """
    return np.array([[values[name] for name in columns]], np.int64)


def succeeded(stop_codes: Any) -> Any:
    """Return whether runs with these stop codes reached an optimum or their target.

    Examples
    --------
    >>> succeeded(STOP_REASONS.index("target")), succeeded(np.array([0, 1, 2, 3]))
    (True, array([False,  True,  True, False]))
    """
    return (stop_codes == state.OPTIMUM) | (stop_codes == state.TARGET)


def seed_sequence(seed: Seed) -> Any:
    """Return the seed as numpy spreads it: what is to be stored to repeat the runs."""
    if isinstance(seed, np.random.SeedSequence):
        return seed
    if seed is not None:
        seed = check_integer("seed", seed, 0)
    return np.random.SeedSequence(seed)


@dataclass(frozen=True, eq=False, repr=False)
class Improvements:
    """When the best fitness rose, and to what: two arrays of the same length."""

    evaluations: IntArray
    fitness: FloatArray

    def __len__(self) -> int:
        return len(self.evaluations)

    def __repr__(self) -> str:
        return f"Improvements({_course(self.fitness, 'value')})"


def _course(fitness: FloatArray, what: str) -> str:
    """Return how many values there are, with the first and the last one."""
    return f"{counted(len(fitness), what)}, fitness {fitness[0]:.6f} to {fitness[-1]:.6f}"


def network_of(grid: Grid, genome: IntArray) -> Network:
    """Return the network of a genome; where neurons evolve, their number is one entry more."""
    if genome.size > grid.components:
        grid = replace(grid, neurons=int(genome[-1]))
    return Network(grid, genome[: grid.components])


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """Every accepted network of a run, in order, with the evaluation at which it was accepted."""

    grid: Grid
    evaluations: IntArray
    fitness: FloatArray
    genomes: IntArray

    def __len__(self) -> int:
        return len(self.evaluations)

    def __repr__(self) -> str:
        return f"Trajectory({_course(self.fitness, 'accepted network')})"

    def network(self, i: int) -> Network:
        """Return the i-th accepted network."""
        i = check_integer("i", i, -len(self), len(self) - 1)
        return network_of(self.grid, self.genomes[i])


@dataclass(frozen=True, eq=False, repr=False)
class RunResult:
    """One run of the (1+1) NA or of a baseline.

    Attributes
    ----------
    network : Network
        The best network found; of NEAT a `NeatNetwork`.
    fitness : float
        Its fitness.
    evaluations : int
        Number of fitness evaluations. A run that fails at a limit counts as that limit: if it is
        known to be stuck, with the evaluations that it would have used in vain; of the (1+lambda)
        and the (1,lambda) NA, with those that were left for a last generation but too few for it.
    stop_reason : str
        "optimum", "target", "budget", "stagnation", "stuck", "rule" if a stopping rule ended it;
        "running" if it was interrupted.
    success : bool
        Whether an optimum or the target was reached.
    stuck_at : int or None
        Evaluations after which the run was found to be stuck.
    restarts : int
        Number of restarts.
    improvements : Improvements
        The evaluations at which the best fitness rose; where terms have a cost, only the end.
    trajectory : Trajectory or None
        All accepted networks, if they were recorded.
    seed, number
        Together they repeat the run.
    terms : int or None
        Number of weights that are not 0, where they have a cost.

    Examples
    --------
    >>> from hyperna.run.algorithm import OnePlusOneNA
    >>> from hyperna.problems import problem
    >>> result = OnePlusOneNA().run(problem("quarter"), seed=5)
    >>> result
    RunResult(optimum after 74 evaluations, fitness 0.995667)
    >>> float(result.improvements.fitness[-1]) == result.fitness
    True
    """

    network: Network
    fitness: float
    evaluations: int
    stop_reason: str
    success: bool
    stuck_at: int | None
    restarts: int
    improvements: Improvements
    trajectory: Trajectory | None
    seed: Any
    number: int
    terms: int | None = None

    def __repr__(self) -> str:
        spent = counted(self.evaluations, "evaluation")
        return f"RunResult({self.stop_reason} after {spent}, fitness {self.fitness:.6f})"


@dataclass(frozen=True, eq=False, repr=False)
class Runs:
    """Many runs of one task, as arrays with one entry per run.

    Attributes
    ----------
    rows : array (runs, 5 to 7)
        Evaluations, score, stop code, stuck_at and restarts of each run (`COLUMNS`); where the
        number of neurons evolves, that of the best network too; where terms have a cost, the
        numbers of neurons and terms.
    units : int
        Score of a network without a mistake.
    seed : SeedSequence or int
        Seed of all runs.
    task : Task or BaselineTask, optional
        What was run; runs from a store make it from their setting when it is needed.
    setting : Setting, optional
        What was run, if it comes from a store.
    numbers : array
        Numbers of the runs under the seed, ascending: 0, 1, ... unless they come from a store that
        is not complete.
    versions : tuple of str
        Versions of hyperna that made the runs.
    seconds : float
        Computing time, where it was measured.
    evaluations : array
        Fitness evaluations of each run; a stuck run counts all evaluations up to its limit.
    stop_codes : array
        Stop reason of each run as an index into `STOP_REASONS`.
    stuck_at : array
        Evaluations after which a run was found to be stuck, 0 for the others.
    restarts : array
        Number of restarts of each run.
    neurons_used : array or None
        Number of neurons of each run's best network, None unless it evolves.
    terms_used : array or None
        Number of its terms, None unless they have a cost.

    Examples
    --------
    >>> from hyperna.run.algorithm import OnePlusOneNA
    >>> from hyperna.problems import problem
    >>> runs = OnePlusOneNA(mutation="local").run_many(problem("local_opt"), runs=100, seed=0)
    >>> sorted(runs.stop_counts)
    ['optimum', 'stuck']
    >>> bool(runs.replay(3).evaluations == runs.evaluations[3])
    True
    """

    rows: IntArray
    units: int
    seed: Any
    task: Any = None
    setting: Any = None
    numbers: IntArray = None  # type: ignore[assignment]
    versions: tuple[str, ...] = (__version__,)
    seconds: float = np.nan

    evaluations: IntArray = field(init=False)
    stop_codes: IntArray = field(init=False)
    stuck_at: IntArray = field(init=False)
    restarts: IntArray = field(init=False)
    neurons_used: IntArray | None = field(init=False)
    terms_used: IntArray | None = field(init=False)

    def __post_init__(self) -> None:
        found = dict(zip(TERM_COLUMNS, self.rows.T, strict=False))

        def assign(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)  # of a frozen dataclass

        if self.numbers is None:
            assign("numbers", np.arange(len(self.rows)))
        assign("evaluations", found["evaluations"])
        assign("stop_codes", found["stop"])
        assign("stuck_at", found["stuck_at"])
        assign("restarts", found["restarts"])
        assign("neurons_used", found.get("neurons_used"))
        assign("terms_used", found.get("terms_used"))

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {reason}" for reason, count in self.stop_counts.items())
        return f"Runs({counted(len(self), 'run', 'd')}: {counts})"

    def __getitem__(self, places: slice) -> "Runs":
        """Some of the runs; `seconds` is still the time of all."""
        return replace(self, numbers=self.numbers[places], rows=self.rows[places])

    # Not a view of the rows: computed when it is needed, so that millions of runs stay small.
    @cached_property
    def fitness(self) -> FloatArray:
        """Best fitness of each run."""
        return self.rows[:, COLUMNS.index("score")] / self.units

    @cached_property
    def success(self) -> BoolArray:
        """Whether each run reached an optimum or its target."""
        found: BoolArray = succeeded(self.stop_codes)
        return found

    @cached_property
    def stop_reasons(self) -> Any:
        """Stop reason of each run."""
        return np.array(STOP_REASONS)[self.stop_codes]

    @property
    def stop_counts(self) -> dict[str, int]:
        """How many runs ended for which reason."""
        codes, counts = np.unique(self.stop_codes, return_counts=True)
        return dict(zip(np.array(STOP_REASONS)[codes].tolist(), counts.tolist(), strict=True))

    @property
    def best(self) -> int:
        """Number of the run with the best fitness (the quickest of these)."""
        return int(self.numbers[np.lexsort((self.evaluations, -self.fitness))[0]])

    @cached_property
    def runner(self) -> Any:
        """The task; runs from a store make it from their setting."""
        return self.setting.runner() if self.task is None else self.task

    def replay(self, number: int, trajectory: bool = False) -> RunResult:
        """Repeat one of the runs, to see its network, improvements and trajectory.

        A ValueError says so if it ends differently now, as it may with another version or task.
        """
        number = check_integer("number", number, 0, int(self.numbers[-1]))
        place = int(np.searchsorted(self.numbers, number))
        if self.numbers[place] != number:
            raise ValueError(f"number must be one of a stored run, got {number}")
        if not hasattr(self.runner, "run"):
            raise ValueError(f"runs of algorithm {self.setting.algorithm!r} cannot be replayed")
        result: RunResult = self.runner.run(self.seed, number, trajectory)
        same = (
            result.evaluations == self.evaluations[place]
            and result.fitness == self.fitness[place]
            and result.stop_reason == STOP_REASONS[self.stop_codes[place]]
            and result.restarts == self.restarts[place]
            and result.stuck_at in (None, self.stuck_at[place])
        )
        if not same:
            others = [version for version in self.versions if version != __version__]
            if others:
                raise ValueError(
                    f"run {number} ends differently now: it was made by hyperna "
                    f"{', '.join(self.versions)}; use that version to replay it"
                )
            raise ValueError(
                f"run {number} ends differently now, though this version of hyperna made it: its "
                f"task is another one, or it is a bug that the run does not repeat"
            )
        return result
