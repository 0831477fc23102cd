"""The paper's tables as campaigns: the settings that each needs, and their runs."""

import math
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hyperna._validation import check_integer
from hyperna._words import shown
from hyperna.experiments.campaign import Campaign, TimedProgress
from hyperna.experiments.setting import Setting, setting
from hyperna.experiments.store import Store, merge_wanted
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
from hyperna.run.algorithm import OnePlusOneNA
from hyperna.run.results import Runs

# A cell of a table: its row (a resolution, a number or a name) and what was run.
CellKey = tuple[Any, str]

BASELINES_TABLE = "baselines"
TABLES = (*NA_TABLES, CMA_TABLE, BASELINES_TABLE)
# The paper gives fitness in thousandths: it was counted on this many points of the circle.
COUNTED_POINTS = 1000
# CMA-ES with exact fitness takes several times as long and is shown for comparison only.
_EXACT_PART = 5
_QUICK_RESOLUTIONS = (120, 240, 480)
_QUICK_NA, _QUICK_CMA = 50, 40

BASELINES_RESOLUTION = 480
# Random search stops at its budget only.
_SHORT_BUDGET, _SHORT_PART = 5_000, 5
_ENDLESS = 10**9
# Seconds per run of a row on one core, all rows of a table together; 0.005 for the others.
_SECONDS: dict[int | str, float] = {
    **{1: 0.03, 3: 0.04, 5: 0.09, 6: 0.03, 7: 0.03, 8: 0.02, 9: 0.015},
    **{CMA_TABLE: 2.0, BASELINES_TABLE: 20.0},
}


@dataclass(frozen=True)
class Reproduction:
    """Which tables to run, and how much.

    Parameters
    ----------
    tables : sequence
        Numbers 1 to 10, and "baselines" for the comparison with other algorithms.
    runs : int, optional
        Runs per row; by default the paper's, 100 for the (1+1) NA and 1,000 for CMA-ES.
    quick : bool
        Fewer runs, and resolutions 120, 240 and 480 only.
    seed : int
        The same seed gives the same tables.

    Examples
    --------
    >>> quick = Reproduction(tables=(2,), runs=10, quick=True)
    >>> [(table, sorted(found)) for table, found in quick.run()]
    [(2, [(120, 'algorithm'), (240, 'algorithm'), (480, 'algorithm')])]
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
                raise ValueError(f"table must be 1 to 10 or 'baselines', got {shown(table)}")

    @property
    def na_runs(self) -> int:
        """Runs per row of the (1+1) NA."""
        return self.runs or (_QUICK_NA if self.quick else NA_RUNS)

    @property
    def cma_runs(self) -> int:
        """Runs per row of CMA-ES."""
        return self.runs or (_QUICK_CMA if self.quick else CMA_RUNS)

    def resolutions(self, table: int) -> tuple[int, ...]:
        """Return the resolutions of a table's rows."""
        printed = (row.resolution for row in na_table(table).rows)
        return tuple(r for r in printed if not self.quick or r in _QUICK_RESOLUTIONS)

    def cells(self, table: int | str) -> dict[CellKey, tuple[Setting, int]]:
        """Return the setting of each cell of a table, and its number of runs."""
        if table == BASELINES_TABLE:
            return dict(self._baselines())
        if table == CMA_TABLE:
            return dict(self._cma())
        return dict(self._na(int(table)))

    @property
    def total(self) -> int:
        """Number of runs of all tables."""
        return sum(runs for table in self.tables for _, runs in self.cells(table).values())

    @property
    def seconds(self) -> float:
        """Roughly the time that all tables take on one core."""
        seconds = 0.0
        for table in self.tables:
            runs = self.cma_runs if table == CMA_TABLE else self.na_runs
            # Most of the time goes into large resolutions.
            part = 0.1 if self.quick and table in NA_TABLES else 1.0
            seconds += _SECONDS.get(table, 0.005) * runs * part
        return seconds

    def run(
        self, store: Store | None = None, progress: TimedProgress | None = None
    ) -> Iterator[tuple[int | str, dict[CellKey, Runs]]]:
        """Yield each table with the runs of its cells, as soon as they are done.

        Parameters
        ----------
        store : Store, optional
            Where runs are kept; those that it has are not repeated. By default nothing is kept.
        progress : callable, optional
            Called with the numbers of finished and of all runs and the estimated seconds left of
            the table.
        """
        done = 0

        def report(now: int, _: int, seconds_left: float) -> None:
            if progress is not None:
                progress(done + now, self.total, seconds_left)

        temporary = tempfile.TemporaryDirectory() if store is None else nullcontext(store.path)
        with temporary as folder:
            kept = store or Store(Path(folder))
            for table in self.tables:
                cells = self.cells(table)
                campaign = Campaign(merge_wanted(cells.values()))
                campaign.run(kept, progress=report)
                done += campaign.total
                stored = {found.setting: found for found in kept.runs()}
                yield table, {cell: stored[made][:runs] for cell, (made, runs) in cells.items()}

    def _setting(self, **options: Any) -> Setting:
        return setting(**options, seed=self.seed)

    def _na(self, number: int) -> Iterator[tuple[CellKey, tuple[Setting, int]]]:
        table = na_table(number)
        network = {"neurons": table.neurons, "output": table.output}
        # What takes long comes first.
        for r in reversed(self.resolutions(number)):
            options = {"problem": table.problem_name, **network, "resolution": r}
            made = self._setting(**options, mutation=table.mutation)
            yield (r, "algorithm"), (made, self.na_runs)
            if number in UNIFORM_TABLES:
                best = table.problem.best_fitness(table.neurons, table.output) or 1.0
                target = uniform_target(best, r)
                made = self._setting(**options, mutation="uniform", target=target)
                yield (r, "uniform"), (made, self.na_runs)

    def _cma(self) -> Iterator[tuple[CellKey, tuple[Setting, int]]]:
        counted = {"points": COUNTED_POINTS, "sampling": "even"}
        for i, row in enumerate(cma_rows()):
            network = {"problem": row.problem_name, "neurons": row.neurons, "output": row.output}
            limits = {"algorithm": "cma_es", "target": False, "budget": _ENDLESS}
            yield (i, "counted"), (self._setting(**network, **limits, **counted), self.cma_runs)
            fewer = max(2, self.cma_runs // _EXACT_PART)
            yield (i, "exact"), (self._setting(**network, **limits), fewer)

    def _baselines(self) -> Iterator[tuple[CellKey, tuple[Setting, int]]]:
        """(1+1) NA with and without restarts, and other algorithms, on TWOQUARTERS."""
        r = BASELINES_RESOLUTION
        options: dict[str, dict[str, Any]] = {"(1+1) NA, harmonic": {}}
        for wait in (r, round(r * math.log(r))):
            name = f"(1+1) NA, harmonic, restarted after {wait:,} evaluations without improvement"
            options[name] = {"stagnation": wait, "restarts": _ENDLESS}
        for name in ("differential_evolution", "dual_annealing", "cma_es"):
            options[name] = {"algorithm": name}
        options["cma_es, restarted when it stops"] = {"algorithm": "cma_es", "restarts": _ENDLESS}
        options["random_search"] = {"algorithm": "random_search", "budget": _SHORT_BUDGET}
        # algorithms on the grid and others are asked for the same
        target = OnePlusOneNA(neurons=2, resolution=r).task("two_quarters").default_target
        for name, own in options.items():
            made = self._setting(problem="two_quarters", resolution=r, target=target, **own)
            runs = max(2, self.na_runs // (_SHORT_PART if name == "random_search" else 1))
            yield (name, ""), (made, runs)
