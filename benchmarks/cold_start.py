"""Processor seconds from an empty cache of kernels to the first result, and in the next process.

    python benchmarks/cold_start.py

Each figure stands beside its ratio to a fixed small kernel that is compiled in the same run, so
that a slow or busy machine does not matter.

What `hyperna._kernels.postponed` brings is seen with HYPERNA_PLAIN_NUMBA=1. On a quiet machine, a
small kernel taking 0.42 s, in seconds of processor time with it and without it:

    run on the circle, one neuron                             3.3    6.0 to 6.2
    the same with local steps                                 4.5    9.4
    run on the circle, three neurons and an evolved output    4.1    8.6
    run on a sphere with exact fitness                        4.2    7.8
    run on points                                             5.1   12.5
    fit of NAClassifier                                       4.2    4.7

A step takes a tenth longer without it on the circle, and as long on points. So fits could do
without it, and runs could not. Of the 6.0 s, LLVM takes 3.0 s: 1.4 s to optimise modules and 1.0 s
to make machine code, nearly all of it of inner functions, which are optimised again in their
callers. numba's front end takes 2.2 s for 57 functions; imports take the rest.

On a busy machine, on which the first run took 8.1 s without it, this was tried:

- 9.5 s with the algorithm merged into the loop by numba (inline="always"), 14.6 s if all functions
  that are merged anyway were, 16.1 s if all inner functions were;
- 8.5 s if no function was forced into its caller; 8.7 s and 7.8 s at NUMBA_OPT 2 and 1;
- 8.5 s with ten functions for records, limits and results written out in the loop, where they are;
- 7.8 s with the innermost loop written out there, too;
- 6.5 s if besides everything was deleted that a run of one neuron does not use: two neurons, starts
  on the sphere, redrawn and replaced steps, many components. 46 functions are left of 56. Types of
  their own for these would leave all other runs as slow as they are.
- On a quiet machine, on which the first run took 6.2 s without it: 5.9 to 6.1 s without numba's
  rewrites of array expressions and constant indices (no_rewrites).
- Not tried in full, for it cannot help: all functions of a run written out in one, about 900
  lines. A kernel of 260 lines takes 4 ms a line, one of 520 lines 5 ms and one of 1,040 lines 9 ms,
  because numba's front end takes more than twice as long for twice the code.
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
    "first run on the circle (at most 6 s, aim 4)": (
        "import hyperna",
        "hyperna.OnePlusOneNA().run(hyperna.problem('half'), seed=1)",
    ),
    "first fit of NAClassifier (at most 10 s, aim 5)": (
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
