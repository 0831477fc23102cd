"""A store as data of IOHanalyzer: one folder per setting, made by replaying its runs."""

import json
import os
import shutil
from collections.abc import Generator, Iterator
from contextlib import closing
from itertools import chain, groupby, islice
from pathlib import Path

from hyperna.experiments.algorithms import find_algorithm, short_name
from hyperna.experiments.locking import StoreError, explained
from hyperna.experiments.setting import Setting
from hyperna.experiments.store import Store
from hyperna.experiments.unusual import FUNCTION_KEYS, unusual_options
from hyperna.interop.analyzer import Cell, LoggedRun, write_cell
from hyperna.interop.names import distinct_ids, file_name, function_name
from hyperna.network.grid import Grid
from hyperna.parallel import in_order
from hyperna.run.results import Progress, RunResult, Runs

# Seconds and runs of which a worker replays about and at most that many at a time.
_SECONDS = 0.5
_MOST = 200


def export_ioh(
    store: Store,
    folder: str | Path,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> int:
    """Write all runs of a store in the format of IOHanalyzer; return how many there are.

    Every run is repeated to get its improvements, and compared with what is stored.

    Parameters
    ----------
    store : Store
        Finished runs.
    folder : path
        A folder that does not exist yet. It appears when all is written.
    n_jobs : int, optional
        Workers as in joblib; what is written does not depend on them.
    progress : callable, optional
        Called with the numbers of repeated and of all runs, first with none.

    Examples
    --------
    >>> import tempfile
    >>> from hyperna.experiments.campaign import Campaign
    >>> campaign = Campaign.product(problem="half", mutation=["harmonic", "local"], runs=5)
    >>> with tempfile.TemporaryDirectory() as place:
    ...     n = export_ioh(campaign.run(f"{place}/store"), f"{place}/ioh")
    ...     cells = sorted(path.name for path in Path(place, "ioh").iterdir())
    >>> n, [cell.rpartition("-")[0] for cell in cells]
    (10, ['half-na-harmonic', 'half-na-local'])
    """
    found = store.runs()
    if not found:
        raise ValueError(f"{store.path} holds no runs yet; run its campaign first")
    path = Path(folder)
    if path.exists():
        raise StoreError(f"{path} exists already; name a new folder")
    draft = path.with_name(f".{path.name}.draft")
    total = sum(map(len, found))
    written = 0
    report = progress or (lambda done, total: None)
    report(0, total)
    with explained(path), closing(_logged_runs(found, n_jobs, report)) as logged:
        try:
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir(parents=True)
            for runs, cell in zip(found, make_cells(found), strict=True):
                name = file_name(f"{runs.setting.problem}-{cell.algorithm}")[:60]
                written += write_cell(draft / f"{name}-{runs.setting.id}", cell, next(logged))
            os.replace(draft, path)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return written


def make_cells(found: list[Runs]) -> list[Cell]:
    """Return function, algorithm and attributes of each setting."""
    functions = [describe_function(runs.setting) for runs in found]
    ids = distinct_ids(functions)
    cells = []
    for runs, function in zip(found, functions, strict=True):
        values = runs.setting.canonical
        own = {key: value for key, value in values.items() if key not in FUNCTION_KEYS}
        cells.append(
            Cell(
                function=function,
                function_id=ids[function],
                dimension=_grid(runs.setting).components,
                algorithm=describe_algorithm(runs.setting),
                info=json.dumps(own),
                attributes={"setting": runs.setting.id, **values},
            )
        )
    return cells


def _grid(setting: Setting) -> Grid:
    """Return the grid of the networks; refuse those whose number of neurons evolves."""
    if isinstance(setting.neurons, str):
        raise ValueError(
            "IOHprofiler's functions have a fixed number of variables; runs with neurons = "
            f"{setting.neurons!r} cannot be exported"
        )
    kind = setting.neuron or "plain"
    return Grid(setting.dim, setting.neurons, setting.resolution, setting.output, kind)


def describe_function(setting: Setting) -> str:
    """Return the name of the function that a setting maximises."""
    points = f"points={setting.points} {setting.sampling}" if setting.points else ""
    # Files of the same name may hold different points.
    data = f"data={setting.data[:8]}" if setting.data else ""
    return function_name(setting.problem, _grid(setting), points or data)


def describe_algorithm(setting: Setting) -> str:
    """Return a name for what a setting's algorithm is, with all that is unusual about it.

    Examples
    --------
    >>> from hyperna.experiments.setting import setting
    >>> describe_algorithm(setting(problem="half", bias=False))
    'na harmonic bias=False'
    """
    name = f"{short_name(setting.algorithm)} {setting.mutation or ''}".rstrip()
    unusual = unusual_options(setting)
    return " ".join([name, *(f"{key}={value}" for key, value in unusual.items())])


def _logged_runs(
    found: list[Runs], n_jobs: int | None, report: Progress
) -> Generator[Iterator[LoggedRun], None, None]:
    """Yield the replayed runs of each setting; workers go on to the next while one is written."""
    done = 0
    total = sum(map(len, found))

    def counted(batches: Iterator[list[LoggedRun]]) -> Iterator[list[LoggedRun]]:
        nonlocal done
        for batch in batches:
            done += len(batch)
            report(done, total)
            yield batch

    kinds = groupby(found, lambda runs: find_algorithm(runs.setting.algorithm).processes)
    for processes, alike in kinds:
        parts = [_parts(runs) for runs in alike]
        jobs = ((part,) for part in chain.from_iterable(parts))
        with closing(in_order(_replay_part, jobs, n_jobs, processes)) as results:
            batches = counted(results)
            for own in parts:
                yield chain.from_iterable(islice(batches, len(own)))


def _parts(runs: Runs) -> list[Runs]:
    """Cut the runs of a setting into jobs of a similar length."""
    size = min(max(1, round(_SECONDS * len(runs) / max(runs.seconds, 1e-9))), _MOST)
    return [runs[first : first + size] for first in range(0, len(runs), size)]


def _replay_part(part: Runs) -> list[LoggedRun]:
    return [_logged(part.replay(number)) for number in part.numbers.tolist()]


def _logged(result: RunResult) -> LoggedRun:
    return LoggedRun(
        evaluations=result.improvements.evaluations,
        fitness=result.improvements.fitness,
        total=result.evaluations,
        best=result.fitness,
        genome=result.network.genome,
        success=result.success,
        attributes={
            "number": result.number,
            "success": int(result.success),
            "stuck_at": result.stuck_at or 0,
            "restarts": result.restarts,
        },
    )
