"""Many runs: their numbers, the best of them, their progress."""

import numpy as np
import pytest

from hyperna import OnePlusOneNA, problem
from hyperna.results import Interrupted, Runs, run_many


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


def test_progress_of_a_batch_is_what_is_finished():
    told = []
    task = OnePlusOneNA(resolution=24).task(problem("half"))
    run_many(task, 300, seed=0, n_jobs=1, progress=lambda *state: told.append(state))
    done = [finished for finished, _ in told]
    assert {total for _, total in told} == {300}
    assert done == sorted(set(done))
    assert 1 <= done[0] < 30
    assert done[-1] == 300


def test_an_interrupt_keeps_the_runs_that_are_finished():
    def stop(done, total):
        if done >= 40:
            raise KeyboardInterrupt

    task = OnePlusOneNA(resolution=24).task(problem("half"))
    with pytest.raises(Interrupted, match="finished: 40 runs") as caught:
        run_many(task, 100, seed=3, n_jobs=1, progress=stop)
    kept, every = caught.value.runs, run_many(task, 100, seed=3)
    assert (kept.rows == every.rows[:40]).all()
    assert kept.replay(39).evaluations == every.evaluations[39]
    with pytest.raises(KeyboardInterrupt) as nothing:
        run_many(Interrupting(), 5, seed=0, n_jobs=1)
    assert not hasattr(nothing.value, "runs")


class Interrupting:
    processes = False

    def run_block(self, *_):
        raise KeyboardInterrupt
