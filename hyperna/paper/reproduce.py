"""The paper's tables run again: which runs are needed, and how they are simulated in parallel."""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperna._kernels import loop
from hyperna._validation import BoolArray, FloatArray, IntArray, check_integer
from hyperna.algorithm import OnePlusOneNA
from hyperna.baselines import BaselineTask, baseline_task
from hyperna.fitness import Sampled
from hyperna.paper.printed import (
    CMA_RUNS,
    CMA_TABLE,
    NA_RUNS,
    NA_TABLES,
    UNIFORM_TABLES,
    cma_rows,
    na_table,
    uniform_target,
)
from hyperna.parallel import unordered
from hyperna.problems import problem
from hyperna.search import Task, run_block

Progress = Callable[[int, int], None]

COMPARISON = "baselines"
TABLES = (*NA_TABLES, CMA_TABLE, COMPARISON)
# The paper gives fitness in thousandths: it was counted on so many points of the circle.
COUNTED_POINTS = 1000
# CMA-ES with exact fitness takes several times as long and is shown for comparison only.
_EXACT_PART = 5
_QUICK_RESOLUTIONS = (120, 240, 480)
_QUICK_NA, _QUICK_CMA = 50, 40

COMPARISON_RESOLUTION = 480
# These stop at their budget only, and nevergrad's take as long for an evaluation as the (1+1) NA
# for ten thousand.
_ENDURING = (
    "one_plus_one_es",
    "cauchy_one_plus_one_es",
    "discrete_one_plus_one_es",
    "random_search",
)
_SHORT_BUDGET, _SHORT_PART = 5_000, 5
_ENDLESS = 10**9


@dataclass(frozen=True, eq=False)
class Batch:
    """Runs of one task: what a cell of a table is made from."""

    key: Hashable
    task: Task | BaselineTask
    runs: int
    seed: np.random.SeedSequence

    @property
    def processes(self) -> bool:
        """Whether the interpreter lock keeps threads from working side by side."""
        return isinstance(self.task, BaselineTask)

    def pieces(self) -> Iterator[tuple[Any, ...]]:
        """Yield the arguments of `_work`."""
        size = math.ceil(self.runs / 100) if self.processes else math.ceil(self.runs / 4)
        for first in range(0, self.runs, size):
            yield self.key, self.task, self.seed, first, min(first + size, self.runs)


@dataclass(frozen=True, eq=False)
class Outcome:
    """Rows of a batch, as `hyperna.search.run_block` returns them, and their task."""

    task: Task | BaselineTask
    rows: IntArray

    @property
    def evaluations(self) -> IntArray:
        """Evaluations of each run."""
        return self.rows[:, 0]

    @property
    def fitness(self) -> FloatArray:
        """Best fitness of each run."""
        shares: FloatArray = self.rows[:, 1] / self.task.units
        return shares

    @property
    def success(self) -> BoolArray:
        """Whether each run found an optimum or its target."""
        return np.isin(self.rows[:, 2], (loop.OPTIMUM, loop.TARGET))


Outcomes = dict[Hashable, Outcome]


@dataclass(frozen=True)
class Plan:
    """Which tables to run, and how much.

    Parameters
    ----------
    tables : sequence
        Numbers 1 to 10, and "baselines" for the comparison with other algorithms.
    runs : int, optional
        Runs a row; by default the paper's, 100 for the (1+1) NA and 1,000 for CMA-ES.
    quick : bool
        Fewer runs, and resolutions 120, 240 and 480 only.
    seed : int
        The same seed gives the same tables.

    Examples
    --------
    >>> plan = Plan(tables=(4,), quick=True)
    >>> [(batch.key, batch.runs) for batch in plan.batches()][:2]
    [((4, 480, 'algorithm'), 50), ((4, 480, 'uniform'), 50)]
    """

    tables: Sequence[int | str] = (*NA_TABLES, CMA_TABLE)
    runs: int | None = None
    quick: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_integer("seed", self.seed, 0)
        if self.runs is not None:
            check_integer("runs", self.runs, 2)
        for table in self.tables:
            if table not in TABLES:
                raise ValueError(f"table must be 1 to 10 or 'baselines', got {table!r}")

    @property
    def na_runs(self) -> int:
        """Runs a row of the (1+1) NA."""
        return self.runs or (_QUICK_NA if self.quick else NA_RUNS)

    @property
    def cma_runs(self) -> int:
        """Runs a row of CMA-ES."""
        return self.runs or (_QUICK_CMA if self.quick else CMA_RUNS)

    def resolutions(self, table: int) -> tuple[int, ...]:
        """Return the resolutions of a table's rows."""
        printed = (row.resolution for row in na_table(table).rows)
        return tuple(r for r in printed if not self.quick or r in _QUICK_RESOLUTIONS)

    def batches(self) -> list[Batch]:
        """Return all that is to be simulated; what takes long comes first.

        Tasks of the same resolution follow each other, because they share a table of arc lengths.
        """
        na = [batch for table in NA_TABLES if table in self.tables for batch in self._na(table)]
        batches = sorted(na, key=lambda batch: -batch.task.grid.resolution)
        if CMA_TABLE in self.tables:
            batches += self._cma()
        if COMPARISON in self.tables:
            batches += self._comparison()
        return batches

    def _na(self, number: int) -> Iterator[Batch]:
        table = na_table(number)
        network = {"neurons": table.neurons, "output": table.output}
        for r in self.resolutions(number):
            na = OnePlusOneNA(**network, resolution=r, mutation=table.mutation)  # type: ignore[arg-type]
            yield self._batch((number, r, "algorithm"), na.task(table.problem), self.na_runs)
            if number in UNIFORM_TABLES:
                best = table.problem.best_fitness(table.neurons, table.output) or 1.0
                uniform = OnePlusOneNA(**network, resolution=r, mutation="uniform")  # type: ignore[arg-type]
                task = uniform.task(table.problem, target=uniform_target(best, r))
                yield self._batch((number, r, "uniform"), task, self.na_runs)

    def _cma(self) -> Iterator[Batch]:
        for i, row in enumerate(cma_rows()):
            counted = Sampled(row.problem, n=COUNTED_POINTS, method="even")
            network = {"neurons": row.neurons, "output": row.output, "target": False}
            kinds = (("counted", counted, 1), ("exact", row.problem, _EXACT_PART))
            for kind, subject, part in kinds:
                task = baseline_task("cma_es", subject, **network, budget=_ENDLESS)  # type: ignore[arg-type]
                runs = max(2, self.cma_runs // part)
                yield self._batch((CMA_TABLE, i, kind), task, runs)

    def _comparison(self) -> Iterator[Batch]:
        """(1+1) NA with and without restarts, and other algorithms, on TWOQUARTERS."""
        r, subject = COMPARISON_RESOLUTION, problem("two_quarters")
        na = OnePlusOneNA(neurons=2, resolution=r)
        waits = {
            f"after {wait:,} evaluations in vain": wait for wait in (r, round(r * math.log(r)))
        }
        tasks: dict[str, Task | BaselineTask] = {"(1+1) NA, harmonic": na.task(subject)}
        for words, wait in waits.items():
            name = f"(1+1) NA, harmonic, restarted {words}"
            tasks[name] = na.task(subject, stagnation=wait, restarts=_ENDLESS)
        for name in ("differential_evolution", "dual_annealing", "cma_es"):
            tasks[name] = baseline_task(name, subject, resolution=r)
        anew = baseline_task("cma_es", subject, resolution=r, restarts=_ENDLESS)
        tasks["cma_es, restarted when it stops"] = anew
        for name in _ENDURING:
            tasks[name] = baseline_task(name, subject, resolution=r, budget=_SHORT_BUDGET)
        for name, task in tasks.items():
            runs = max(2, self.na_runs // (_SHORT_PART if name in _ENDURING else 1))
            yield self._batch((COMPARISON, name), task, runs)

    def _batch(self, key: tuple[Any, ...], task: Task | BaselineTask, runs: int) -> Batch:
        """Give a batch a seed of its own, which does not depend on what else is run."""
        words = [self.seed, *(word for part in key for word in _words(part))]
        return Batch(key, task, runs, np.random.SeedSequence(words))


def _words(part: int | str) -> list[int]:
    return [part] if isinstance(part, int) else list(part.encode())


def simulate(
    batches: Sequence[Batch], n_jobs: int | None = None, progress: Progress | None = None
) -> Outcomes:
    """Return the runs of all batches; the result does not depend on `n_jobs`.

    Examples
    --------
    >>> outcomes = simulate(Plan(tables=(2,), runs=10, quick=True).batches())
    >>> bool(outcomes[2, 120, "algorithm"].success.all())
    True
    """
    parts: dict[Hashable, dict[int, IntArray]] = {batch.key: {} for batch in batches}
    total, done = sum(batch.runs for batch in batches), 0
    for processes in (False, True):
        chosen = [batch for batch in batches if batch.processes == processes]
        pieces = (piece for batch in chosen for piece in batch.pieces())
        for key, first, rows in unordered(_work, pieces, n_jobs, processes):
            parts[key][first] = rows
            done += len(rows)
            if progress is not None:
                progress(done, total)
    return {
        batch.key: Outcome(
            batch.task, np.concatenate([rows for _, rows in sorted(parts[batch.key].items())])
        )
        for batch in batches
    }


def _work(
    key: Hashable, task: Task | BaselineTask, seed: np.random.SeedSequence, first: int, last: int
) -> tuple[Hashable, int, IntArray]:
    if isinstance(task, BaselineTask):
        return key, first, task.run_block(seed, first, last)
    return key, first, run_block(task, seed, first, last)


def compile_kernels() -> None:
    """Compile what the tables of the (1+1) NA need, which takes seconds at the very first use."""
    for output in ("or", "evolved"):
        na = OnePlusOneNA(neurons=2, output=output, resolution=4)
        run_block(na.task(problem("half"), budget=1), 0, 0, 1)
