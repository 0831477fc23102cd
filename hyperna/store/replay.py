"""The runs of a store, setting by setting, and each of them again in full."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.results import STOP_REASONS, RunResult, Runs
from hyperna.settings import Setting
from hyperna.store.chunks import Segment
from hyperna.store.coverage import Intervals, add_interval
from hyperna.store.store import Store, each_run_once


@dataclass(frozen=True, eq=False)
class StoredRuns:
    """All stored runs of one setting.

    Attributes
    ----------
    setting : Setting
        What was run.
    numbers : array
        The numbers of the runs, ascending.
    rows : array (runs, 5)
        Evaluations, score, stop code, stuck_at and restarts of each run.
    units : int
        Score of a network without a mistake.
    versions : tuple of str
        Versions of hyperna that made the runs.
    seconds : float
        Time that the runs took.
    """

    setting: Setting
    numbers: IntArray
    rows: IntArray
    units: int
    versions: tuple[str, ...]
    seconds: float

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, places: slice) -> "StoredRuns":
        """Some of the runs; `seconds` is still the time of all."""
        return replace(self, numbers=self.numbers[places], rows=self.rows[places])

    @property
    def runs(self) -> Runs:
        """The rows under the names of `Runs`; what needs a task is not there."""
        return Runs(None, self.setting.entropy, self.rows)

    @property
    def evaluations(self) -> IntArray:
        """Evaluations of each run."""
        return self.rows[:, 0]

    @property
    def fitness(self) -> FloatArray:
        """Best fitness of each run."""
        shares: FloatArray = self.rows[:, 1] / self.units
        return shares

    @property
    def success(self) -> BoolArray:
        """Whether each run succeeded."""
        solved: BoolArray = self.runs.success
        return solved

    @property
    def intervals(self) -> Intervals:
        """The numbers as intervals (first, last), last excluded."""
        breaks = np.flatnonzero(np.diff(self.numbers) != 1) + 1
        intervals: Intervals = []
        for part in np.split(self.numbers, breaks):
            add_interval(intervals, int(part[0]), int(part[-1]) + 1)
        return intervals


def stored_runs(store: Store) -> list[StoredRuns]:
    """Return the runs of a store by setting, in the order of its plan.

    Examples
    --------
    >>> import tempfile
    >>> from hyperna.campaign.campaign import Campaign
    >>> campaign = Campaign.product(problem="half", resolution=[60, 120], runs=20)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = stored_runs(campaign.run(folder))
    >>> [(runs.setting.resolution, runs.intervals) for runs in found]
    [(60, [(0, 20)]), (120, [(0, 20)])]
    """
    plan = store.plan()
    place = {made.digest: i for i, made in enumerate(plan)}
    source = {made.digest: made for made in plan}
    parts = each_run_once(store.segments())
    found = [_join(list(group)) for _, group in groupby(parts, key=lambda part: part[0].key)]
    # The plan knows where files of points are.
    found = [_with_setting(runs, source.get(runs.setting.digest)) for runs in found]
    return sorted(found, key=lambda runs: place.get(runs.setting.digest, len(place)))


def _join(parts: list[tuple[Segment, slice]]) -> StoredRuns:
    blocks = [segment.block() for segment, _ in parts]
    cuts = [cut.start for _, cut in parts]
    return StoredRuns(
        setting=blocks[0].setting,
        numbers=np.concatenate(
            [np.arange(b.first + cut, b.last) for b, cut in zip(blocks, cuts, strict=True)]
        ),
        rows=np.concatenate([block.rows[cut:] for block, cut in zip(blocks, cuts, strict=True)]),
        units=blocks[0].units,
        versions=tuple(sorted({block.version for block in blocks})),
        seconds=sum(block.seconds for block in blocks),
    )


def _with_setting(runs: StoredRuns, setting: Setting | None) -> StoredRuns:
    return runs if setting is None else replace(runs, setting=setting)


def replay(stored: StoredRuns) -> Iterator[RunResult]:
    """Repeat the runs, and make sure that they are the stored ones."""
    task = replayable(stored.setting)
    for number, row in zip(stored.numbers.tolist(), stored.rows.tolist(), strict=True):
        result: RunResult = task.run(stored.setting.entropy, number)
        evaluations, score, stop = row[:3]
        again = (result.evaluations, result.fitness, result.stop_reason)
        if again != (evaluations, score / stored.units, STOP_REASONS[stop]):
            raise ValueError(
                f"run {number} of setting {stored.setting.id} ends differently now: it was stored "
                f"by hyperna {', '.join(stored.versions)}; use that version to replay it"
            )
        yield result


def replayable(setting: Setting) -> Any:
    """Return what can repeat single runs: the setting's runner, or the task it holds."""
    runner: Any = setting.runner()
    task = runner if hasattr(runner, "run") else getattr(runner, "task", None)
    if not hasattr(task, "run"):
        raise ValueError(f"runs of algorithm {setting.algorithm!r} cannot be replayed")
    return task
