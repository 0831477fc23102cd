"""Relatives of the (1+1) NA against plain Python: same law of the runtime, and how much faster.

    python benchmarks/algorithms.py --runs 10000

Every line compares runs of one algorithm on TWOQUARTERS at r = 24 (N = 2, OR, at most 5,000
evaluations) with runs of `tests/reference_algorithms.py`: mean evaluations, p-value of the
two-sample Kolmogorov-Smirnov test, evaluations per second of processor time in the quickest of ten
parts, and their ratio.
The last line scores random genomes at once.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from scipy.stats import ks_2samp

from hyperna import (
    AnnealingNA,
    Grid,
    MuPlusOneNA,
    OneCommaLambdaNA,
    OnePlusLambdaNA,
    OnePlusOneNA,
    RandomisedLocalSearchNA,
    fitness_of,
    problem,
)

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import reference
import reference_algorithms as plain

R, BUDGET, PARTS = 24, 5000, 10
HARMONIC = reference.harmonic_law(R)
SLOW = plain.circle(reference.TWO_QUARTERS, reference.TWO_QUARTERS_OPTIMA, 2, R)


def each(rng):
    return plain.each_component(SLOW, HARMONIC, rng)


ALGORITHMS = {
    "(1+5)": (
        OnePlusLambdaNA(neurons=2, resolution=R, offspring=5),
        lambda rng: plain.one_parent(SLOW, each(rng), rng, BUDGET, 5),
    ),
    "(1,5)": (
        OneCommaLambdaNA(neurons=2, resolution=R, offspring=5),
        lambda rng: plain.one_parent(SLOW, each(rng), rng, BUDGET, 5, comma=True),
    ),
    "(4+1)": (
        MuPlusOneNA(neurons=2, resolution=R, members=4),
        lambda rng: plain.steady_state(SLOW, each(rng), rng, BUDGET, 4),
    ),
    "(4+1), crossover 1/2": (
        MuPlusOneNA(neurons=2, resolution=R, members=4, crossover=0.5),
        lambda rng: plain.steady_state(SLOW, each(rng), rng, BUDGET, 4, 0.5),
    ),
    "annealing": (
        AnnealingNA(neurons=2, resolution=R),
        lambda rng: plain.annealing(SLOW, each(rng), rng, BUDGET, 0.05, 0.999),
    ),
    "RLS": (
        RandomisedLocalSearchNA(neurons=2, resolution=R),
        lambda rng: plain.one_parent(SLOW, plain.one_component(SLOW, HARMONIC, rng), rng, BUDGET),
    ),
    "adaptive, replacement": (
        OnePlusOneNA(neurons=2, resolution=R, mutation="adaptive", replace_neuron=0.2),
        lambda rng: plain.adaptive(SLOW, rng, BUDGET, 2.0, 0.7, 0.25, HARMONIC, replace=0.2),
    ),
}


def timed(run_part):
    """Evaluations of all parts, and evaluations per second of the quickest: others may be busy."""
    parts, speeds = [], []
    for part in range(PARTS):
        start = time.process_time()
        parts.append(run_part(part))
        speeds.append(parts[-1].sum() / (time.process_time() - start))
    return np.concatenate(parts), max(speeds)


def compare(name, algorithm, slow, runs):
    task = algorithm.task(problem("two_quarters"), budget=BUDGET)
    task.run_block(0, 0, 1)
    most, few = 20 * runs // PARTS, runs // PARTS
    fast, speed = timed(lambda part: task.run_block(1, part * most, (part + 1) * most)[:, 0])
    found, slow_speed = timed(
        lambda part: np.array([v or BUDGET for v in plain.runtimes(slow, few, f"{name} {part}")])
    )
    p = ks_2samp(np.minimum(fast, BUDGET), found).pvalue
    print(
        f"{name:22} {len(fast):,} and {len(found):,} runs, mean {fast.mean():7.1f} and "
        f"{found.mean():7.1f}, p = {p:.3f}, {speed / 1e6:6.2f} million/s, "
        f"{speed / slow_speed:4.0f} times plain Python",
        flush=True,
    )


def score_many(genomes):
    fitness, grid = fitness_of(problem("two_quarters")), Grid(2, 2, 120)
    rows = np.random.default_rng(0).integers(0, 120, (genomes, 4))
    fitness.scores(rows[:10], grid)
    for jobs in (1, 2):
        start, spent = time.perf_counter(), time.process_time()
        fitness.scores(rows, grid, n_jobs=jobs)
        wall, spent = time.perf_counter() - start, time.process_time() - spent
        print(
            f"scores of {genomes:,} genomes, {jobs} threads: {genomes / wall / 1e6:.1f} million/s, "
            f"{genomes / spent / 1e6:.1f} million per second of processor time"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200, help="runs of plain Python")
    parser.add_argument("--budget", type=int, default=BUDGET, help="evaluations per run at most")
    options = parser.parse_args()
    BUDGET = options.budget
    for name, (algorithm, slow) in ALGORITHMS.items():
        compare(name, algorithm, slow, options.runs)
    score_many(2_000_000)
