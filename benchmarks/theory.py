"""Time and memory of exact runtimes against the resolution, and the ratio to a dense solve.

    python benchmarks/theory.py [--largest 480] [--pairs 24]

Processor time, and resident memory as Linux counts it; the exponent of growth is the slope between
neighbouring resolutions.
"""

import argparse
import math
import time
from pathlib import Path

import numpy as np

from hyperna import problem
from hyperna.theory import expected_runtime

QUANTILES_AT = 480


def resident(field):
    """Megabytes that Linux counts for this process: VmRSS now, or VmHWM at most."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 2**10
    return math.nan


def measured(compute):
    """Processor seconds, the memory used meanwhile in megabytes, and the result.

    Memory is what the system counts, because libraries for sparse systems have their own.
    """
    Path("/proc/self/clear_refs").write_text("5")  # the most so far is forgotten
    before = resident("VmRSS")
    begin = time.process_time()
    result = compute()
    seconds = time.process_time() - begin
    return seconds, max(resident("VmHWM") - before, 0.1), result


def dense(runtime):
    """Processor seconds of one dense solve for the same means, and how far they are apart."""
    chain = runtime.chain
    begin = time.process_time()
    every = np.arange(chain.score.size)
    matrix = chain.moves(every, every)
    score = chain.score.ravel()
    matrix *= score[:, None] <= score
    np.fill_diagonal(matrix, 0.0)
    free = ~chain.target.ravel()
    system = np.diag(matrix.sum(axis=1)[free]) - matrix[np.ix_(free, free)]
    found = np.linalg.solve(system, np.ones(free.sum()))
    seconds = time.process_time() - begin
    return seconds, np.abs(found / runtime._moments.time.ravel()[free] - 1).max()


def grown(r, seconds, megabytes, before):
    """Exponents of growth since the resolution before."""
    steps = math.log(r / before[0])
    return (
        f"  time ~ r^{math.log(seconds / before[1]) / steps:.2f}"
        f"  memory ~ r^{math.log(megabytes / before[2]) / steps:.2f}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=480, help="resolution with bias")
    parser.add_argument("--pairs", type=int, default=24, help="resolution with two neurons")
    args = parser.parse_args()
    for options in ({}, {"neurons": 2}):  # compilation is not measured
        expected_runtime(problem("quarter"), 8, **options).quantiles([0.5])
    angles, pairs = (60, 120, 240, 480, 960, 1440, 1920), (8, 12, 16, 24, 32, 40, 48)
    for name, mutation, options, sizes, largest in (
        ("quarter", "harmonic", {}, angles, args.largest),
        ("quarter", "local", {}, angles, args.largest),
        ("half", "harmonic", {"bias": False}, [2**k for k in range(10, 21, 2)], 2**20),
        ("half", "local", {"bias": False}, [2**k for k in range(10, 21, 2)], 2**20),
        ("two_quarters", "harmonic", {"neurons": 2}, pairs, args.pairs),
        ("two_quarters", "harmonic", {"neurons": 2, "output": "xor"}, pairs, args.pairs),
        ("two_quarters", "local", {"neurons": 2}, pairs, min(args.pairs, 24)),
    ):
        print(f"{name}, {mutation} {options or ''}")
        before = None
        for r in [size for size in sizes if size <= largest]:
            seconds, megabytes, runtime = measured(
                lambda: expected_runtime(problem(name), r, mutation, **options)  # noqa: B023
            )
            line = f"  r = {r:>9,}: {seconds:8.3f} s  {megabytes:8.1f} MB"
            line += f"  mean {runtime.conditional_mean:.8g}, relative error at most"
            line += f" {runtime.relative_error_bound:.1e}"
            if before is not None:
                line += grown(r, seconds, megabytes, before)
            before = r, seconds, megabytes
            if r == sizes[0] and options.get("bias", True):
                slow, apart = dense(runtime) if runtime.probability == 1 else (math.nan, math.nan)
                line += f"  dense {slow / seconds:.1f} times as long, {apart:.0e} apart"
            if r == QUANTILES_AT and mutation == "harmonic":
                waited, _, found = measured(lambda: runtime.quantiles())  # noqa: B023
                line += f"  quantiles {found.tolist()} in {waited:.1f} s"
            print(line, flush=True)


if __name__ == "__main__":
    main()
