"""One run that can be watched, or many runs of which only the rows are kept, made in pieces."""

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hyperna._kernels import loop, state
from hyperna._kernels.tables import new_run
from hyperna._validation import check_integer
from hyperna._words import shown
from hyperna.network.networks import Network
from hyperna.run.plateaus import end_if_stuck
from hyperna.run.results import (
    MOST_RUNS,
    STOP_REASONS,
    Improvements,
    RunResult,
    Seed,
    Trajectory,
    network_of,
    seed_sequence,
    succeeded,
)

if TYPE_CHECKING:
    from hyperna.run.task import Task

# Points looked at before control returns to Python: a fraction of a second.
_QUOTA = 2**26
# Rows of a trace at first, of improvements and of accepted networks; a full one is doubled.
_FIRST_IMPROVEMENTS = 64
_FIRST_PATH = 1024


class Simulation:
    """One run that can be watched, or many runs of which only the rows are kept, made in pieces.

    One run tells its `result` at any time; of many there are `rows`, of which `done` are finished.

    Examples
    --------
    >>> from hyperna.run.algorithm import OnePlusOneNA
    >>> from hyperna.problems import problem
    >>> task = OnePlusOneNA().task(problem("quarter"))
    >>> simulation = Simulation(task, seed=1)
    >>> while not simulation.advance(100):
    ...     pass
    >>> simulation.result().stop_reason
    'optimum'
    """

    def __init__(
        self,
        task: "Task",
        seed: Seed,
        number: int = 0,
        trajectory: bool = False,
        runs: int | None = None,
    ) -> None:
        """Begin run `number`; with `runs`, that many from there on."""
        self.task = task
        self.seed = seed_sequence(seed)
        self.number = check_integer("number", number, 0, MOST_RUNS - 1)
        if not isinstance(trajectory, bool | np.bool_):
            raise TypeError(f"trajectory must be True or False, got {shown(trajectory)}")
        self._with_path = bool(trajectory)
        components = task.mutation.modulus.size
        count = 1 if runs is None else runs
        self._run = new_run(task.mutation)
        self._memory = task.new_memory()
        self._work = task.compiled_fitness.workspace()
        self._trace = state.Trace(
            np.zeros((_FIRST_IMPROVEMENTS if runs is None else 0, 2), np.int64),
            np.zeros((_FIRST_PATH if trajectory else 0, 2 + components), np.int64),
        )
        self._progress = np.zeros(state.N_PROGRESS, np.int64)
        self._progress[[state.CURRENT, state.FIRST_RUN]] = self.number
        self._progress[state.LAST_RUN] = self.number + count
        self.rows = np.zeros((count, len(task.columns)), np.int64)
        self._genomes = np.zeros((1 if runs is None else 0, components), np.int64)
        self._key = self.seed.generate_state(4, np.uint64)
        self.evaluations = 0

    @cached_property
    def quota(self) -> int:
        """Offspring to simulate at a time: a fraction of a second."""
        return max(64, _QUOTA // self.task.fitness.effort(self.task.grid))

    @property
    def done(self) -> int:
        """Number of runs that have ended."""
        return int(self._progress[state.CURRENT] - self._progress[state.FIRST_RUN])

    @property
    def finished(self) -> bool:
        """Whether the run has ended, or all of them."""
        return bool(self._progress[state.CURRENT] == self._progress[state.LAST_RUN])

    def advance(self, quota: int | None = None) -> bool:
        """Simulate about `quota` more offspring; return whether the run has ended."""
        task = self.task
        with np.errstate(over="ignore"):
            status = loop.run_batch(
                task.compiled_fitness,
                self._work,
                task.mutation,
                task.limits,
                task.goal.optima,
                task.algorithm,
                self._memory,
                self._key,
                self._run,
                self._trace,
                self._progress,
                self.quota if quota is None else quota,
                self.rows,
                self._genomes,
            )
        self.evaluations = int(self._run.counter[state.EVALUATIONS])
        if status == state.PLATEAU:
            end_if_stuck(task, self._run)
        elif status == state.FULL:
            self._trace = state.Trace(*[np.concatenate([part, 0 * part]) for part in self._trace])
        return self.finished

    def result(self) -> RunResult:
        """Return the best network so far, and how it came about."""
        task = self.task
        counter = self._run.counter
        while counter[state.EVALUATIONS] == 0:
            # the first piece of a population makes room for it, the next one evaluates a member
            self.advance(1)
        if self.finished:
            row = self.rows[0].tolist()
            evaluations = row[state.ROW_EVALUATIONS]
            score = row[state.ROW_SCORE]
            stop = row[state.ROW_STOP]
            stuck_at = row[state.ROW_STUCK_AT]
            restarts = row[state.ROW_RESTARTS]
            genome = self._genomes[0]
        else:
            evaluations = int(counter[state.EVALUATIONS])
            score = int(max(counter[state.SCORE], counter[state.BEST]))
            stop = state.RUNNING
            stuck_at = 0
            restarts = int(counter[state.RESTARTS])
            current = counter[state.SCORE] > counter[state.BEST]
            genome = self._run.genes[state.GENOME if current else state.BEST_GENOME]
        improved = self._trace.improvements[: counter[state.IMPROVEMENTS]]
        trajectory = None
        if self._with_path:
            path = self._trace.path[: counter[state.PATH_LENGTH]].copy()
            trajectory = Trajectory(task.grid, path[:, 0], path[:, 1] / task.units, path[:, 2:])
        return RunResult(
            network=(network_of if task.sized else Network)(task.grid, genome),
            fitness=score / task.units,
            evaluations=evaluations,
            stop_reason=STOP_REASONS[stop],
            success=bool(succeeded(stop)),
            stuck_at=stuck_at or None,
            restarts=restarts,
            improvements=Improvements(improved[:, 0].copy(), improved[:, 1] / task.units),
            trajectory=trajectory,
            seed=self.seed,
            number=self.number,
        )
