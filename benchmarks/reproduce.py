"""Time of the nine (1+1) NA tables of `hyperna reproduce`, beside the plain reference's rate.

    python benchmarks/reproduce.py [--jobs 2]

Both rates are measured in this run. The reference is the algorithm in plain Python
(tests/reference.py), on a row of one neuron and a row of two.
"""

import argparse
import random
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import reference

from hyperna.paper.findings import make_report
from hyperna.paper.printed import NA_TABLES
from hyperna.paper.reproduce import Plan, compile_kernels, simulate
from hyperna.results import STOP_REASONS

STUCK = STOP_REASONS.index("stuck")


def reference_rate(seconds=3.0):
    """Evaluations per second of the plain loop, on TWOQUARTERS and on QUARTER, r = 1200."""
    rates = []
    for arcs, neurons in ((reference.TWO_QUARTERS, 2), (reference.QUARTER, 1)):
        done, begin, rng = 0, time.perf_counter(), random.Random(0)
        while time.perf_counter() - begin < seconds / 2:
            done += reference.one_plus_one_na(
                reference.arc_fitness(arcs, neurons, 1200),
                lambda genome: False,
                reference.grid_moduli(neurons, 1200),
                reference.harmonic_law(1200),
                rng,
                2000,
            )[2]
        rates.append(done / (time.perf_counter() - begin))
    return rates


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--runs", type=int, default=100)
    args = parser.parse_args()

    begin = time.perf_counter()
    compile_kernels()
    print(f"compilation or loading: {time.perf_counter() - begin:.1f} s")

    plan = Plan(NA_TABLES, runs=args.runs)
    begin, worked = time.perf_counter(), time.process_time()
    outcomes = simulate(plan.batches(), args.jobs)
    simulated, worked = time.perf_counter() - begin, time.process_time() - worked
    make_report(plan, outcomes)
    total = time.perf_counter() - begin

    algorithm = {key: o for key, o in outcomes.items() if key[2] == "algorithm"}
    rows = np.concatenate([outcome.rows for outcome in outcomes.values()])
    stuck = rows[:, 2] == STUCK
    counted = int(rows[:, 0].sum())
    walked = int(np.where(stuck, rows[:, 3], rows[:, 0]).sum())
    print(
        f"nine tables, {len(algorithm) * args.runs:,} runs and the uniform-step columns, "
        f"{args.jobs} workers: {simulated:.1f} s, with intervals and verdicts {total:.1f} s"
    )
    print(f"processor time, which other people's work does not lengthen: {worked:.1f} s")
    print(f"evaluations counted: {counted:,} ({counted / simulated:,.0f} a second)")
    print(
        f"  without those that stuck runs would have spent in vain: {walked:,} "
        f"({walked / simulated:,.0f} a second)"
    )
    two, one = reference_rate()
    print(f"plain reference: {two:,.0f} a second with two neurons, {one:,.0f} with one")
    print(
        f"ratio to the reference with two neurons: {counted / simulated / two:,.0f} counted, "
        f"{walked / simulated / two:,.0f} without the vain ones"
    )


if __name__ == "__main__":
    main()
