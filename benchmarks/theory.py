"""Time and memory of exact runtimes against the resolution, and the ratio to a dense solve.

    python benchmarks/theory.py [--largest 480]

Processor time; the exponent of growth is the slope between neighbouring resolutions.
"""

import argparse
import math
import time
import tracemalloc

import numpy as np

from hyperna import problem
from hyperna.theory import expected_runtime


def measured(name, r, mutation, **options):
    """Processor seconds, then, in a second run, the largest memory in megabytes."""
    begin = time.process_time()
    runtime = expected_runtime(problem(name), r, mutation, **options)
    seconds = time.process_time() - begin
    tracemalloc.start()
    expected_runtime(problem(name), r, mutation, **options)
    megabytes = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return seconds, megabytes, runtime


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=480, help="resolution with bias")
    largest = parser.parse_args().largest
    expected_runtime(problem("quarter"), 8)  # compilation is not measured
    for name, mutation, options, sizes in (
        ("quarter", "harmonic", {}, (60, 120, 240, 480, 960, 1920)),
        ("quarter", "local", {}, (60, 120, 240, 480, 960, 1920)),
        ("half", "harmonic", {"bias": False}, (1024, 4096, 16384, 65536, 262144)),
    ):
        print(f"{name}, {mutation} {options or ''}")
        before = None
        for r in sizes:
            if r > largest and not options:
                break
            seconds, megabytes, runtime = measured(name, r, mutation, **options)
            line = f"  r = {r:>7,}: {seconds:8.3f} s  {megabytes:8.1f} MB"
            line += f"  error bound {runtime.relative_error_bound:.1e}"
            if before is not None:
                grown = math.log(r / before[0])
                line += f"  time ~ r^{math.log(seconds / before[1]) / grown:.2f}"
                line += f"  memory ~ r^{math.log(megabytes / before[2]) / grown:.2f}"
            before = r, seconds, megabytes
            if r <= 60 and not options:
                slow, apart = dense(runtime)
                line += f"  dense {slow / seconds:.1f} times as long, {apart:.0e} apart"
            print(line, flush=True)


if __name__ == "__main__":
    main()
