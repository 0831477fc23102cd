"""Time and memory of exact runtimes against the number of states, with the exponents of growth.

    python benchmarks/theory.py [KIND ...] [--seconds 60]

Each kind of chain grows until one takes longer than the given number of seconds. Printed are
processor time and resident memory as Linux counts it, beside what `estimated_cost` had said; the
exponent of growth is the slope between neighbouring sizes. A dense solve of the smallest chain of
each kind is there for comparison.
"""

import argparse
import math
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from hyperna.theory import estimated_cost, expected_runtime
from hyperna.theory.dense import MOST_DENSE_STATES, selected_moves

CIRCLE = (60, 120, 240, 480, 960, 1440, 1920, 2880, 3840)
RINGS = [2**k for k in range(10, 21, 2)]
# problem, law, settings, resolutions
KINDS = {
    "circle": ("quarter", "harmonic", {}, CIRCLE),
    "circle, local": ("quarter", "local", {}, CIRCLE),
    "ring": ("half", "harmonic", {"bias": False}, RINGS),
    "ring, local": ("half", "local", {"bias": False}, RINGS),
    "D = 3": ("half", "harmonic", {"dim": 3}, (12, 24, 48, 72, 96, 144, 192, 240)),
    "D = 3, no symmetry": (
        "arcs:arcs=10-61 100-223",
        "harmonic",
        {"dim": 3, "target": 0.6},
        (12, 24, 48, 72, 96, 128, 160),
    ),
    "D = 3, local": ("half", "local", {"dim": 3}, (12, 24, 48, 72, 96, 144, 192, 240)),
    "D = 4": ("half", "harmonic", {"dim": 4}, (8, 12, 16, 24, 32, 48, 64)),
    "D = 4, local": ("half", "local", {"dim": 4}, (8, 12, 16, 24, 32, 48)),
    "D = 5": ("half", "harmonic", {"dim": 5}, (4, 8, 12, 16, 20, 24)),
    "D = 6": ("half", "harmonic", {"dim": 6}, (4, 6, 8, 10, 12)),
    "two neurons": ("two_quarters", "harmonic", {"neurons": 2}, (8, 12, 16, 24, 32, 40, 48)),
    "two neurons, local": ("two_quarters", "local", {"neurons": 2}, (8, 12, 16, 24)),
    "XOR": (
        "cube",
        "harmonic",
        {"dim": 2, "neurons": 2, "output": "xor"},
        (4, 8, 12, 16, 24, 32, 40),
    ),
    "XOR, local": (
        "cube",
        "local",
        {"dim": 2, "neurons": 2, "output": "xor"},
        (4, 8, 12, 16, 24),
    ),
    "three neurons": (
        "cube",
        "harmonic",
        {"dim": 2, "neurons": 3, "output": "or"},
        (2, 4, 6, 8, 10, 12),
    ),
    "evolved output": (
        "cube",
        "harmonic",
        {"dim": 2, "neurons": 2, "output": "evolved"},
        (2, 4, 6, 8, 10, 12),
    ),
    "rls": ("quarter", "harmonic", {"algorithm": "rls"}, (60, 120, 240, 480, 720)),
    "rls, D = 3": ("half", "harmonic", {"dim": 3, "algorithm": "rls"}, (12, 24, 48, 72, 96)),
    "(1+4)": (
        "quarter",
        "harmonic",
        {"algorithm": "one_plus_lambda", "offspring": 4},
        (24, 60, 120, 240, 360),
    ),
    "(1+4), D = 3": (
        "half",
        "harmonic",
        {"dim": 3, "algorithm": "one_plus_lambda", "offspring": 4},
        (8, 16, 24, 48, 72),
    ),
    "(1+4), XOR": (
        "cube",
        "harmonic",
        {
            "dim": 2,
            "neurons": 2,
            "output": "xor",
            "algorithm": "one_plus_lambda",
            "offspring": 4,
        },
        (4, 8, 12, 16),
    ),
    "(1,8)": (
        "quarter",
        "harmonic",
        {"algorithm": "one_comma_lambda", "offspring": 8},
        (12, 24, 48, 72, 96, 120),
    ),
}


def resident(field):
    """Megabytes that Linux counts for this process: VmRSS now, or VmHWM at most."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 2**10
    return math.nan


def measured(compute, before):
    """Processor seconds, the most memory since `before` in megabytes, and the result.

    Memory is what the system counts, because libraries for sparse systems have their own.
    """
    Path("/proc/self/clear_refs").write_text("5")  # the most memory so far is forgotten
    begin = time.process_time()
    result = compute()
    seconds = time.process_time() - begin
    return seconds, max(resident("VmHWM") - before, 0.1), result


def dense(runtime):
    """Processor seconds of one dense solve for the same means, and how far they are apart."""
    chain = runtime.chain
    begin = time.process_time()
    moves = selected_moves(chain)
    free = np.flatnonzero(~chain.target.ravel())
    system = np.diag(moves.sum(axis=1)[free]) - moves[np.ix_(free, free)]
    found = np.linalg.solve(system, np.ones(free.size))
    seconds = time.process_time() - begin
    return seconds, np.abs(found / runtime._moments.time.ravel()[free] - 1).max()


def slopes(now, before):
    """Exponents of growth in the number of networks since the size before."""
    steps = math.log(now[0] / before[0])
    exponents = [math.log(a / b) / steps for a, b in zip(now[1:], before[1:], strict=True)]
    return f"  time ~ n^{exponents[0]:.2f}  memory ~ n^{exponents[1]:.2f}"


def show(kind, most_seconds):
    name, mutation, options, resolutions = KINDS[kind]
    print(f"{kind}: {name}, {mutation}")
    expected_runtime(name, resolutions[0], mutation, **options)  # compilation is not measured
    at_first = resident("VmRSS")
    before = None
    for r in resolutions:
        try:
            cost = estimated_cost(name, r, mutation, **options)
        except ValueError as refused:
            print(f"  r = {r:>9,}: {refused}", flush=True)
            return
        seconds, megabytes, runtime = measured(
            lambda: expected_runtime(name, r, mutation, **options),  # noqa: B023
            at_first,
        )
        now = cost.states, seconds, megabytes
        line = f"  r = {r:>9,}: {cost.states:>11,} networks, {runtime.states:>10,} states"
        line += f"  {seconds:8.3f} s (said {60 * cost.minutes:8.3f})"
        line += f"  {megabytes:8.1f} MB (said {1024 * cost.gigabytes:8.1f})"
        line += f"  mean {runtime.conditional_mean:.8g}, error at most {runtime.bounds.mean:.1e}"
        if before is not None:
            line += slopes(now, before)
        elif runtime.probability == 1 and runtime.states <= MOST_DENSE_STATES:
            slow, apart = dense(runtime)
            line += f"  dense {slow / seconds:.1f} times as long, {apart:.0e} apart"
        before = now
        print(line, flush=True)
        if seconds > most_seconds:
            return


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}")
    parser.add_argument("--seconds", type=float, default=60.0, help="end of a kind (default: 60)")
    args = parser.parse_args()
    if len(args.kinds) == 1:
        show(args.kinds[0], args.seconds)
        return
    for kind in args.kinds or KINDS:
        # in a process of its own, whose memory nothing else has used
        command = [sys.executable, __file__, kind, "--seconds", str(args.seconds)]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
