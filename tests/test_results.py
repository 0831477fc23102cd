"""Many runs: their numbers, the best of them, their progress."""

from dataclasses import replace

import numpy as np
import pytest

from hyperna import OnePlusOneNA, problem
from hyperna.run.many import Interrupted, run_many
from hyperna.run.results import COLUMNS, SIZED_COLUMNS, TERM_COLUMNS, Runs


def test_the_best_run_is_the_quickest_of_the_best():
    na = OnePlusOneNA(neurons=1, resolution=24)
    runs = na.run_many(problem("half"), runs=40, seed=0)
    assert (runs.fitness == runs.fitness.max()).sum() > 10
    fastest = runs.evaluations[runs.fitness == runs.fitness.max()].min()
    assert runs.evaluations[runs.best] == fastest


def test_results_are_told_in_a_line():
    result = OnePlusOneNA(resolution=24).run("half", seed=0, trajectory=True)
    assert repr(result).startswith(f"RunResult(optimum after {result.evaluations} evaluations, ")
    count = len(result.trajectory)
    assert repr(result.trajectory).startswith(f"Trajectory({count} accepted networks, fitness 0.")
    for part in (result, result.trajectory, result.improvements):
        assert f"{result.fitness:.6f}" in str(part)
        assert len(str(part)) < 100


def test_runs_keep_their_numbers_and_the_best_is_told_by_its_own():
    rows = np.array([[5, 3, 3, 0, 0], [90, 8, 1, 0, 0], [70, 8, 1, 0, 0], [80, 8, 1, 0, 0]])
    runs = Runs(rows, 10, 0, task=object(), numbers=np.array([2, 3, 7, 9]))
    assert runs.best == 7, "a quick run with a worse network is not the best"
    assert runs[1:3].numbers.tolist() == [3, 7]
    assert runs[1:3].evaluations.tolist() == [90, 70]
    assert runs[:2].best == 3
    with pytest.raises(ValueError, match="number must be one of a stored run, got 4"):
        runs.replay(4)
    with pytest.raises(ValueError, match="number must be an integer from 0 to 9, got 10"):
        runs.replay(10)


def long_task():
    """Runs that take a noticeable part of a second each."""
    return OnePlusOneNA(resolution=24).task(problem("half"), budget=2**20, target=False)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_of_a_batch_is_what_is_finished(n_jobs):
    told = []
    run_many(long_task(), 20, seed=0, n_jobs=n_jobs, progress=lambda *now: told.append(now))
    done = [finished for finished, _ in told]
    assert {total for _, total in told} == {20}
    assert done == sorted(set(done))
    assert 1 <= done[0] < 10
    assert done[-1] == 20


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_keeps_the_runs_that_are_finished(n_jobs):
    def stop(done, total):
        if done >= 5:
            raise KeyboardInterrupt

    task = long_task()
    with pytest.raises(Interrupted, match=r"finished: \d+ runs") as caught:
        run_many(task, 20, seed=3, n_jobs=n_jobs, progress=stop)
    kept, every = caught.value.runs, run_many(task, 20, seed=3)
    assert 5 <= len(kept) < 20
    assert (kept.rows == every.rows[kept.numbers]).all()
    last = int(kept.numbers[-1])
    assert kept.replay(last).evaluations == every.evaluations[last]
    with pytest.raises(KeyboardInterrupt) as nothing:
        run_many(Interrupting(), 5, seed=0, n_jobs=n_jobs)
    assert not hasattr(nothing.value, "runs")


class Interrupting:
    processes = False

    def run_block(self, *_):
        raise KeyboardInterrupt

    finished_rows = run_block


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 3])
def test_runs_are_the_same_however_they_are_divided(n_jobs):
    """One search for all runs of a worker, blocks of runs for several: the same rows, in order."""
    task = OnePlusOneNA(neurons=2, resolution=24).task("two_quarters", budget=500)
    told = []
    found = run_many(task, 70, seed=3, n_jobs=n_jobs, progress=lambda *now: told.append(now))
    alone = [task.run_block(3, number, number + 1)[0] for number in range(70)]
    assert (found.rows == alone).all()
    assert (found.numbers == np.arange(70)).all()
    assert told[-1] == (70, 70)
    assert [done for done, _ in told] == sorted({done for done, _ in told})


def test_kernels_and_results_name_the_same_columns():
    from hyperna._kernels import state

    places = [getattr(state, f"ROW_{name.upper()}") for name in COLUMNS]
    assert places == list(range(len(COLUMNS)))
    assert SIZED_COLUMNS[state.ROW_NEURONS] == TERM_COLUMNS[state.ROW_NEURONS] == "neurons_used"
    assert TERM_COLUMNS[:-1] == SIZED_COLUMNS


@pytest.mark.parametrize("column", COLUMNS)
def test_a_run_that_differs_in_one_number_is_not_the_same(column):
    na = OnePlusOneNA(mutation="local", resolution=24)
    runs = na.run_many("local_opt", 12, seed=0, restarts=1)
    stuck = np.flatnonzero(runs.stuck_at)
    assert 0 < len(stuck) < len(runs)
    changed = runs.rows.copy()
    place = int(stuck[0])
    changed[place, COLUMNS.index(column)] += 1 if column != "stop" else -1
    other = replace(runs, rows=changed)
    for number in (place - 1, place + 1):
        if 0 <= number < len(runs):
            assert other.replay(number).evaluations == runs.evaluations[number]
    with pytest.raises(ValueError, match=f"run {place} ends differently now, though this version"):
        other.replay(place)
    older = replace(other, versions=("0.1.0",))
    with pytest.raises(ValueError, match=r"ends differently now: it was made by hyperna 0\.1\.0"):
        older.replay(place)
    assert runs.replay(place).stuck_at == runs.stuck_at[place]


def test_some_of_the_runs_are_replayed_by_their_own_numbers():
    runs = OnePlusOneNA(resolution=24).run_many("quarter", 12, seed=0)
    some = runs[3:9:2]
    assert some.numbers.tolist() == [3, 5, 7]
    assert some.evaluations.tolist() == runs.evaluations[[3, 5, 7]].tolist()
    for number in (3, 5, 7):
        assert some.replay(number).evaluations == runs.evaluations[number]
    for number in (4, 6):
        with pytest.raises(ValueError, match="number must be one of a stored run"):
            some.replay(number)
    for number in (-1, 8, 11):
        with pytest.raises(ValueError, match="number must be an integer from 0 to 7"):
            some.replay(number)
    best = some.best
    assert best in (3, 5, 7)
    assert runs.fitness[best] == max(runs.fitness[[3, 5, 7]])
