"""Speed of the engine, as ratios of things measured in turns within this run, on one core.

    python benchmarks/engine.py            everything (about two minutes)
    python benchmarks/engine.py --quick    shorter slices

The slices of the two sides of a ratio alternate, so that a busy machine slows both; the median of
the slices' ratios is printed with the quartiles.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from hyperna import OnePlusOneNA, problem
from hyperna.run.simulation import Simulation

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import reference

RESOLUTION = 1200


def engine_rate(name, neurons, output, resolution, seconds):
    """A function that simulates for a while and returns evaluations per second."""
    na = OnePlusOneNA(neurons=neurons, output=output, resolution=resolution)
    task = na.task(problem(name), budget=10**15, target=False)
    search = Simulation(task, seed=1)
    search.advance(10_000)

    def slice_rate():
        before, start = search.evaluations, time.perf_counter()
        while time.perf_counter() - start < seconds:
            search.advance(100_000)
        return (search.evaluations - before) / (time.perf_counter() - start)

    return slice_rate


def reference_rate(arcs, neurons, output, resolution, evaluations):
    """The same for the plain reference: a run that is never told that it has found the optimum."""
    fitness = reference.arc_fitness(arcs, neurons, resolution, output)
    moduli = reference.grid_moduli(neurons, resolution, output)
    steps, rng = reference.harmonic_law(resolution), random.Random(1)

    def slice_rate():
        start = time.perf_counter()
        reference.one_plus_one_na(fitness, lambda _: False, moduli, steps, rng, evaluations)
        return evaluations / (time.perf_counter() - start)

    return slice_rate


def cma_rate(evaluations):
    """Evaluations per second of CMA-ES on TWOQUARTERS with its own exact fitness."""
    import cma

    fitness = reference.arc_fitness(reference.TWO_QUARTERS, 2, 2**20)

    def loss(x):
        genome = [
            int(v / (2 * np.pi) * 2**20) if i % 2 == 0 else int((v + 1) * 2**19)
            for i, v in enumerate(x)
        ]
        return -fitness(genome)

    options = {"verbose": -9, "bounds": [[0, -1] * 2, [2 * np.pi, 1] * 2]}

    def slice_rate():
        done, start = 0, time.perf_counter()
        while done < evaluations:
            es = cma.CMAEvolutionStrategy([0.1] * 4, 1, {**options, "seed": 1 + done})
            while not es.stop() and done < evaluations:
                points = es.ask()
                es.tell(points, [loss(x) for x in points])
                done += len(points)
        return done / (time.perf_counter() - start)

    return slice_rate


def compare(label, fast, slow, slices):
    """Print the ratio of two rates measured in turns."""
    pairs = [(fast(), slow()) for _ in range(slices)]
    low, middle, high = np.quantile([a / b for a, b in pairs], [0.25, 0.5, 0.75])
    fast_rate, slow_rate = np.median(pairs, axis=0)
    print(
        f"{label:44s} {middle:7.0f} times  [{low:.0f}, {high:.0f}]   "
        f"{1e9 / fast_rate:6.1f} ns against {slow_rate:9,.0f} evaluations/s"
    )


def against_plain_python(slices, seconds, evaluations):
    print("\nFused loop against the plain Python reference, harmonic, r = 1200, one core")
    for label, name, arcs, neurons, output in [
        ("QUARTER, N = 1 (at least 500)", "quarter", reference.QUARTER, 1, "or"),
        ("TWOQUARTERS, N = 2, OR (at least 500)", "two_quarters", reference.TWO_QUARTERS, 2, "or"),
        (
            "TWOQUARTERS, N = 2, evolved (at least 200)",
            "two_quarters",
            reference.TWO_QUARTERS,
            2,
            "evolved",
        ),
    ]:
        compare(
            label,
            engine_rate(name, neurons, output, RESOLUTION, seconds),
            reference_rate(arcs, neurons, output, RESOLUTION, evaluations),
            slices,
        )


def against_cma(slices, seconds, evaluations):
    print("\nFused loop (TWOQUARTERS, N = 2, OR) against the package cma on the same problem")
    engine = engine_rate("two_quarters", 2, "or", RESOLUTION, seconds)
    compare("cma (at least 2000)", engine, cma_rate(evaluations), slices)


def growth(slices, seconds):
    print("\nCost of a step relative to r = 1200, N = 2 (median of slices in turns)")
    base = engine_rate("two_quarters", 2, "or", RESOLUTION, seconds)
    cases = [("two_quarters", 2, r) for r in (100, 2**14, 2**20, 2**30, 2**40)]
    cases += [(f"arcs:k={n}", n, RESOLUTION) for n in (1, 2, 4, 8, 16, 32)]
    for name, neurons, resolution in cases:
        other = engine_rate(name, neurons, "or", resolution, seconds)
        ratio = np.median([base() / other() for _ in range(slices)])
        print(f"  {name:14s} N = {neurons:2d}  r = {resolution:<14d} {ratio:5.2f}")


def two_workers(slices):
    print("\nTwo workers against one: the same runs of TWOQUARTERS (r = 480), wall time")
    na, task = OnePlusOneNA(neurons=2, resolution=480), problem("two_quarters")

    def wall(jobs):
        start = time.perf_counter()
        na.run_many(task, runs=2000, seed=1, n_jobs=jobs)
        return time.perf_counter() - start

    wall(2)
    ratios = [wall(1) / wall(2) for _ in range(slices)]
    low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
    print(f"  speed-up {middle:.2f}  [{low:.2f}, {high:.2f}]  on {os.cpu_count()} processors")


STARTUP = """
import time
start = time.perf_counter()
import hyperna
from hyperna import OnePlusOneNA, problem
imported = time.perf_counter() - start
start = time.perf_counter()
OnePlusOneNA().run(problem("half"), seed=1)
print(imported, time.perf_counter() - start)
"""


def startup():
    print("\nFirst run in a new process (seconds)")
    with tempfile.TemporaryDirectory() as cache:
        for label in ("kernels not yet compiled", "next process", "one more"):
            process = subprocess.run(
                [sys.executable, "-c", STARTUP],
                env={**os.environ, "NUMBA_CACHE_DIR": cache},
                capture_output=True,
                text=True,
                check=True,
            )
            imported, first = map(float, process.stdout.split())
            print(f"  {label:26s} import {imported:5.2f}   first run {first:6.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="shorter slices")
    quick = parser.parse_args().quick
    slices, seconds, evaluations = (5, 0.05, 2_000) if quick else (15, 0.2, 10_000)
    against_plain_python(slices, seconds, evaluations)
    against_cma(slices, seconds, evaluations // 4)
    growth(slices, seconds)
    two_workers(3 if quick else 7)
    startup()


if __name__ == "__main__":
    main()
