"""Many runs in one call, and the finest grids."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hyperna
from hyperna import OnePlusOneNA
from hyperna.problems import problem

# What a batch costs beyond the first, small one: the memory that grows with the runs.
PROGRAM = """\
import sys
import tracemalloc
from hyperna import OnePlusOneNA, problem

na, half = OnePlusOneNA(neurons=1, resolution=120), problem("half")
na.run_many(half, runs=100, seed=0)
tracemalloc.start()
runs = na.run_many(half, runs=int(sys.argv[1]), seed=1)
held, peak = tracemalloc.get_traced_memory()
print(held, peak, len(runs), int(runs.success.sum()), runs.evaluations.mean())
"""


def batch(runs):
    """Memory held and at most used by a batch, in bytes, and its outcome."""
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM, str(runs)],
        cwd=Path(hyperna.__file__).parents[1],
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    held, peak, count, solved, mean = process.stdout.split()
    assert int(count) == int(solved) == runs
    return int(held), int(peak), float(mean)


@pytest.mark.slow
def test_a_million_runs_need_memory_for_their_rows_only():
    """Six integers a run are kept, its number among them; twice that while parts are joined."""
    row = 6 * 8
    held, peak, mean = batch(10**6)
    assert held < 10**6 * row + 10**6
    assert peak < 10**6 * 2 * row + 10**6
    few_held, few_peak, few_mean = batch(10**5)
    assert peak - few_peak < 1.1 * 9 * 10**5 * 2 * row
    assert held - few_held < 1.1 * 9 * 10**5 * row
    assert abs(mean - few_mean) < 4 * mean / math.sqrt(10**5)


@pytest.mark.parametrize(("name", "bias"), [("half", False), ("quarter", True)])
@pytest.mark.parametrize("resolution", [2**39 + 4, 2**40])
def test_the_finest_grids_are_solved_in_thousands_of_evaluations(name, bias, resolution):
    na = OnePlusOneNA(resolution=resolution, bias=bias)
    runs = na.run_many(problem(name), runs=50, seed=1)
    assert runs.success.all()
    assert 100 < runs.evaluations.mean() < 20_000
    assert runs.fitness.min() > 1 - 8 / resolution


def test_runtime_on_half_grows_like_the_squared_logarithm():
    means = [
        OnePlusOneNA(resolution=2**bits, bias=False)
        .run_many(problem("half"), runs=2000, seed=2)
        .evaluations.mean()
        for bits in (10, 20, 40)
    ]
    # Twice the logarithm: four times the time, with lower terms; far from twice and from 2^20.
    assert 2.5 < means[1] / means[0] < 6
    assert 2.5 < means[2] / means[1] < 6


def test_tables_do_not_grow_with_the_resolution():
    task = OnePlusOneNA(neurons=3, resolution=2**40).task(problem("half"))
    sizes = [np.asarray(part).nbytes for part in (*task.mutation, *task.compiled_fitness)]
    assert sum(sizes) < 100_000
