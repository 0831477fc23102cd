"""Bent neurons: simulated runs beside the exact chain, and the four problems without biases.

    python benchmarks/bent.py --runs 100000

First HALF and QUARTER with the bias fixed at 0, at three resolutions, with harmonic and local
steps: mean evaluations of the runs, the exact mean and the difference in standard errors. Then the
share of runs that solve each of the four problems with biases fixed at 0.
"""

import argparse
import math

from hyperna import OnePlusOneNA, expected_runtime, problem
from hyperna.analysis.statistics import wilson_interval

RESOLUTIONS = (24, 60, 120)
LAWS = ("harmonic", "local")


def compare(name: str, law: str, r: int, runs: int) -> None:
    """Print one line about a setting that has an exact chain."""
    na = OnePlusOneNA(neuron="bent", bias=False, resolution=r, mutation=law)
    found = na.run_many(problem(name), runs, budget=10**9, seed=r).evaluations
    exact = expected_runtime(problem(name), r, law, bias=False, neuron="bent")
    error = found.std() / math.sqrt(runs)
    z = (found.mean() - exact.mean) / error
    print(
        f"{name:8} {law:9} r = {r:4}: {found.mean():9.3f} ± {error:.3f}, exact {exact.mean:9.3f}, "
        f"z = {z:5.2f}",
        flush=True,
    )


def solve(name: str, law: str, runs: int) -> None:
    """Print the share of solved runs of a problem at r = 120."""
    neurons = 2 if name == "two_quarters" else 1
    na = OnePlusOneNA(neurons=neurons, neuron="bent", bias=False, mutation=law)
    found = na.run_many(problem(name), runs, seed=1)
    low, high = wilson_interval(int(found.success.sum()), runs)
    print(
        f"{name:13} {law:9} {int(found.success.sum()):,} of {runs:,} runs solved "
        f"({100 * low:.1f} … {100 * high:.1f} %), best fitness {found.fitness.max():.4f}",
        flush=True,
    )


def main() -> None:
    """Print all lines."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10_000, help="runs of each setting")
    runs = parser.parse_args().runs
    for name in ("half", "quarter"):
        for law in LAWS:
            for r in RESOLUTIONS:
                compare(name, law, r, runs)
    for name in ("half", "quarter", "two_quarters", "local_opt"):
        for law in LAWS:
            solve(name, law, min(runs, 1000))


if __name__ == "__main__":
    main()
