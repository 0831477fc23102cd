"""Processor seconds from an empty cache of kernels to the first result, and in the next process.

    python benchmarks/cold_start.py

Each figure stands beside its ratio to a fixed small kernel that is compiled in the same run, so
that a slow or busy machine does not matter.
"""

import os
import subprocess
import sys
import tempfile

TIMED = """
import time
start = time.process_time()
{setup}
ready = time.process_time()
{action}
print(ready - start, time.process_time() - ready)
"""
SMALL_KERNEL = """
import numba

@numba.njit
def collatz(n):
    longest = 0
    for start in range(1, n):
        value, length = start, 0
        while value != 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            length += 1
        longest = max(longest, length)
    return longest
"""
CASES = {
    "first run on the circle (at most 8 s, aim 4)": (
        "import hyperna",
        "hyperna.OnePlusOneNA().run(hyperna.problem('half'), seed=1)",
    ),
    "first fit of NAClassifier (at most 12 s, aim 5)": (
        "import hyperna\nfrom sklearn.datasets import load_breast_cancer\n"
        "X, y = load_breast_cancer(return_X_y=True)",
        "hyperna.NAClassifier(random_state=0).fit(X, y)",
    ),
}


def seconds(setup, action, cache):
    """Processor seconds of setup and action in a new process with this cache of kernels."""
    process = subprocess.run(
        [sys.executable, "-c", TIMED.format(setup=setup, action=action)],
        env={**os.environ, "NUMBA_CACHE_DIR": cache, "HYPERNA_QUIET": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(map(float, process.stdout.split()))


def main():
    with tempfile.TemporaryDirectory() as cache:
        _, small = seconds(SMALL_KERNEL, "collatz(10)", cache)
    print(f"a small kernel of numba: {small:.2f} s")
    for label, (setup, action) in CASES.items():
        with tempfile.TemporaryDirectory() as cache:
            imported, first = seconds(setup, action, cache)
            _, later = seconds(setup, action, cache)
        print(f"{label}: {first:.1f} s, {first / small:.0f} small kernels")
        print(f"  import {imported:.2f} s; the same in the next process {later:.2f} s")


if __name__ == "__main__":
    main()
