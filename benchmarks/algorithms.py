"""Relatives of the (1+1) NA against plain Python: same law of the runtime, and how much faster.

    python benchmarks/algorithms.py --runs 10000
    python benchmarks/algorithms.py --runs 10000 --problem quarter

Every line compares runs of one algorithm at r = 24 on TWOQUARTERS (N = 2, OR) or, which is sooner
done, on QUARTER (N = 1), at most 5,000 evaluations each, with runs of
`tests/reference_algorithms.py`: mean evaluations, p-value of the two-sample Kolmogorov-Smirnov
test, evaluations per second of processor time in the quickest of ten parts, and their ratio.
The last line scores random genomes at once.
"""

import argparse
import sys
import time
from dataclasses import replace
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
SUBJECTS = {
    "two_quarters": plain.circle(reference.TWO_QUARTERS, reference.TWO_QUARTERS_OPTIMA, 2, R),
    "quarter": plain.circle(reference.QUARTER, reference.QUARTER_OPTIMA, 1, R),
}


def each(slow, rng):
    return plain.each_component(slow, HARMONIC, rng)


ALGORITHMS = {
    "(1+5)": (
        OnePlusLambdaNA(resolution=R, offspring=5),
        lambda slow, rng: plain.one_parent(slow, each(slow, rng), rng, BUDGET, 5),
    ),
    "(1,5)": (
        OneCommaLambdaNA(resolution=R, offspring=5),
        lambda slow, rng: plain.one_parent(slow, each(slow, rng), rng, BUDGET, 5, comma=True),
    ),
    "(4+1)": (
        MuPlusOneNA(resolution=R, members=4),
        lambda slow, rng: plain.steady_state(slow, each(slow, rng), rng, BUDGET, 4),
    ),
    "(4+1), crossover 1/2": (
        MuPlusOneNA(resolution=R, members=4, crossover=0.5),
        lambda slow, rng: plain.steady_state(slow, each(slow, rng), rng, BUDGET, 4, 0.5),
    ),
    "annealing": (
        AnnealingNA(resolution=R),
        lambda slow, rng: plain.annealing(slow, each(slow, rng), rng, BUDGET, 0.05, 0.999),
    ),
    "RLS": (
        RandomisedLocalSearchNA(resolution=R),
        lambda slow, rng: plain.one_parent(
            slow, plain.one_component(slow, HARMONIC, rng), rng, BUDGET
        ),
    ),
    "adaptive, replacement": (
        OnePlusOneNA(resolution=R, mutation="adaptive", replace_neuron=0.2),
        lambda slow, rng: plain.adaptive(slow, rng, BUDGET, 2.0, 0.7, 0.25, HARMONIC, replace=0.2),
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


def compare(name, algorithm, slow, runs, subject):
    neurons = len(SUBJECTS[subject].moduli) // 2
    task = replace(algorithm, neurons=neurons).task(problem(subject), budget=BUDGET)
    task.run_block(0, 0, 1)
    most, few = 20 * runs // PARTS, runs // PARTS
    fast, speed = timed(lambda part: task.run_block(1, part * most, (part + 1) * most)[:, 0])
    found, slow_speed = timed(
        lambda part: np.array(
            [
                evaluations or BUDGET
                for evaluations in plain.runtimes(
                    lambda rng: slow(SUBJECTS[subject], rng), few, f"{name} {part}"
                )
            ]
        )
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
    parser.add_argument("--problem", choices=SUBJECTS, default="two_quarters")
    options = parser.parse_args()
    BUDGET = options.budget
    for name, (algorithm, slow) in ALGORITHMS.items():
        compare(name, algorithm, slow, options.runs, options.problem)
    score_many(2_000_000)
