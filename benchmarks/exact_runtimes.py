"""Compute the exact expectations that `hyperna reproduce` shows, and store them in the package.

    python benchmarks/exact_runtimes.py [--all]

Rows that are stored already are kept unless --all is given; the largest chains take minutes.
"""

import argparse
import csv
import time
from pathlib import Path

import hyperna.paper
from hyperna.paper.printed import NA_TABLES, UNIFORM_TABLES, na_table, uniform_target
from hyperna.theory import expected_runtime

STORE = Path(hyperna.paper.__file__).parent / "data" / "exact_runtimes.csv"
HEADER = ("table", "mutation", "r", "probability", "mean", "sd", "conditional_mean")


def wanted():
    """All (table, mutation, r) with one neuron, the cheap ones first."""
    for r in range(120, 1201, 120):
        for number in NA_TABLES:
            if na_table(number).neurons == 1:
                yield number, na_table(number).mutation, r
    for r in range(120, 1201, 120):
        for number in UNIFORM_TABLES:
            yield number, "uniform", r


def compute(number, mutation, r):
    table = na_table(number)
    best = table.problem.best_fitness(1)
    target = uniform_target(best, r) if mutation == "uniform" else None
    runtime = expected_runtime(table.problem, r, mutation, target=target)
    return (
        runtime.probability,
        runtime.mean,
        runtime.standard_deviation,
        runtime.conditional_mean,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="compute every row again")
    fresh = parser.parse_args().all
    rows = {}
    if not fresh:
        with STORE.open(encoding="utf-8") as file:
            rows = {
                (int(t), law, int(r)): values for t, law, r, *values in list(csv.reader(file))[1:]
            }
    for key in wanted():
        if key in rows:
            continue
        begin = time.perf_counter()
        rows[key] = compute(*key)
        with STORE.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(HEADER)
            writer.writerows([*k, *rows[k]] for k in sorted(rows, key=lambda k: (k[0], k[1], k[2])))
        print(*key, f"mean {rows[key][1]:.2f}", f"{time.perf_counter() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main()
