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

from hyperna.paper.findings import report_table
from hyperna.paper.printed import NA_TABLES
from hyperna.paper.reproduce import Reproduction
from hyperna.parallel import parallel_backend
from hyperna.run.results import STOP_REASONS

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
    for _ in Reproduction((6, 7), runs=2, quick=True).run():
        pass
    print(f"compilation or loading: {time.perf_counter() - begin:.1f} s")

    begin, worked = time.perf_counter(), time.process_time()
    with parallel_backend(n_jobs=args.jobs):
        tables = dict(Reproduction(NA_TABLES, runs=args.runs).run())
    simulated, worked = time.perf_counter() - begin, time.process_time() - worked
    for table, found in tables.items():
        report_table(table, found)
    total = time.perf_counter() - begin

    cells = {
        (table, *cell): runs for table, found in tables.items() for cell, runs in found.items()
    }
    algorithm = [cell for cell in cells if cell[2] == "algorithm"]
    rows = np.concatenate([runs.rows for runs in cells.values()])
    stuck = rows[:, 2] == STUCK
    counted = int(rows[:, 0].sum())
    walked = int(np.where(stuck, rows[:, 3], rows[:, 0]).sum())
    print(
        f"nine tables, {len(algorithm) * args.runs:,} runs and the uniform-step columns, "
        f"{args.jobs} workers: {simulated:.1f} s, with intervals and verdicts {total:.1f} s"
    )
    print(f"processor time, which other people's work does not lengthen: {worked:.1f} s")
    print(f"evaluations counted: {counted:,} ({counted / simulated:,.0f} per second)")
    print(
        f"  without those that stuck runs would have spent in vain: {walked:,} "
        f"({walked / simulated:,.0f} per second)"
    )
    two, one = reference_rate()
    print(f"plain reference: {two:,.0f} per second with two neurons, {one:,.0f} with one")
    print(
        f"ratio to the reference with two neurons: {counted / simulated / two:,.0f} counted, "
        f"{walked / simulated / two:,.0f} without the vain ones"
    )


if __name__ == "__main__":
    main()
