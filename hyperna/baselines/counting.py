"""Runs of a search that is not the (1+1) NA, counted, judged and ended like its runs."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, ClassVar

import numpy as np

from hyperna._kernels import state
from hyperna._validation import IntArray, check_integer
from hyperna.run.many import Halt, rows_of_block, run_many
from hyperna.run.results import (
    COLUMNS,
    STOP_REASONS,
    Improvements,
    Progress,
    RunResult,
    Runs,
    Seed,
    row_of,
    seed_sequence,
    succeeded,
)


class Finished(Exception):
    """Ends a search from within its fitness function; the reason is in the `Counter`."""


class Counter:
    """Counts evaluations, keeps the best network and ends the run by raising `Finished`.

    Attributes
    ----------
    evaluations, best, stop : int
        Evaluations so far, the best score, and why the run has ended, as a code of
        `hyperna.run.results.STOP_REASONS`.
    found : object
        What had the best score.
    improvements : list of (int, int)
        Evaluation and score of each rise of the best score.
    """

    def __init__(self, budget: int, stagnation: int | None, enough: int) -> None:
        """Begin a run that ends with success at a score of `enough`."""
        self._budget = budget
        self._stagnation = stagnation
        self._enough = enough
        self.evaluations = 0
        self.best = -1
        self.stop = state.RUNNING
        self.found: Any = None
        self.improvements: list[tuple[int, int]] = []
        self.begin()

    def begin(self) -> None:
        """Note that the search starts, or restarts."""
        self._best_of_start = -1
        self._horizon = self._horizon_from_here()

    def count(self, found: Any, score: int) -> None:
        """Count the evaluation of `found`; end the run if that is enough."""
        self.evaluations += 1
        if score > self._best_of_start:
            self._best_of_start = score
            self._horizon = self._horizon_from_here()
        if score > self.best:
            self.best, self.found = score, found
            self.improvements.append((self.evaluations, score))
        if score >= self._enough:
            self._finish(state.TARGET)
        if self.evaluations >= self._budget:
            self._finish(state.BUDGET)
        if self.evaluations >= self._horizon:
            self._finish(state.STAGNATION)

    def _finish(self, reason: int) -> None:
        self.stop = reason
        raise Finished

    def _horizon_from_here(self) -> int:
        return state.NEVER if self._stagnation is None else self.evaluations + self._stagnation


def search_again(search: Callable[[], None], counter: Counter, most: int) -> int:
    """Search until success or the budget; return the number of restarts, `most` at most.

    An algorithm that stops by itself counts as stagnated.
    """
    for restarts in count():
        counter.begin()
        try:
            search()
            counter.stop = state.STAGNATION
        except Finished:
            pass
        if counter.stop != state.STAGNATION or restarts == most:
            break
    return restarts


class CountedTask(ABC):
    """All that defines a run of such a search but its seed.

    It is a `hyperna.run.many.Runner`, like a `hyperna.run.task.Task`, and has `run`, `budget` and
    `criterion` as that has.
    """

    # Searches are written in Python, so workers must be processes.
    processes: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = COLUMNS
    fitness: Any

    @property
    def compiled_kind(self) -> Any:
        """What decides which code is compiled."""
        return type(self), type(self.fitness)

    @property
    @abstractmethod
    def units(self) -> int:
        """Score of a network without a mistake."""

    @abstractmethod
    def search(self, rng: np.random.Generator) -> tuple[Counter, int]:
        """Search once, with restarts; return what was counted and the number of restarts."""

    def network(self, found: Any) -> Any:
        """Return the network that the counter found."""
        return found

    def run(self, seed: Seed, number: int = 0, trajectory: bool = False) -> RunResult:
        """Return run `number` under this seed; there is no trajectory of accepted networks."""
        if trajectory:
            raise ValueError("trajectory must be False: only the (1+1) NA records one")
        entropy = seed_sequence(seed)
        counter, restarts = self._search(entropy, check_integer("number", number, 0))
        found = np.array(counter.improvements, np.int64).reshape(-1, 2)
        return RunResult(
            network=self.network(counter.found),
            fitness=counter.best / self.units,
            evaluations=counter.evaluations,
            stop_reason=STOP_REASONS[counter.stop],
            success=bool(succeeded(counter.stop)),
            stuck_at=None,
            restarts=restarts,
            improvements=Improvements(found[:, 0], found[:, 1] / self.units),
            trajectory=None,
            seed=entropy,
            number=number,
        )

    def run_many(
        self,
        runs: int,
        *,
        seed: Seed = None,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> Runs:
        """Run it many times, independently: see `hyperna.run.many.run_many`."""
        return run_many(self, runs, seed=seed, n_jobs=n_jobs, progress=progress)

    def finished_rows(
        self, seed: Seed, first: int, last: int, halt: Halt | None = None
    ) -> Iterator[IntArray]:
        """Yield the row of each of the runs first..last-1 (see `Runs.rows`); `stuck_at` is 0.

        Once `halt` is due, the current run is the last.
        """
        entropy = seed_sequence(seed)
        for number in range(first, last):
            if halt is not None and halt.due:
                return
            counter, restarts = self._search(entropy, number)
            yield row_of(
                self.columns,
                evaluations=counter.evaluations,
                score=counter.best,
                stop=counter.stop,
                stuck_at=0,
                restarts=restarts,
            )

    run_block = rows_of_block

    def _search(self, seed: np.random.SeedSequence, number: int) -> tuple[Counter, int]:
        key = [int(word) for word in seed.generate_state(4, np.uint64)]
        return self.search(np.random.default_rng(np.random.SeedSequence([*key, number])))
