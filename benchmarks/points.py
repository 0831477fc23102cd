"""Speed of the kernel for point sets, as ratios of things measured in turns within this run.

    python benchmarks/points.py            everything (about three minutes)
    python benchmarks/points.py --quick    shorter slices
    python benchmarks/points.py --ablation    only what each feature of the kernel gains

Both sides of a ratio are measured in turns, by the time the process itself has computed, so that a
busy machine disturbs little; linear algebra has one thread. The median of the slices' ratios is
printed with the quartiles. A full pass is a vectorised NumPy evaluation,
((X @ w >= b) == y).mean().
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from sklearn.datasets import load_breast_cancer
from threadpoolctl import threadpool_limits

from hyperna import FiniteSet, OnePlusOneNA
from hyperna.run.simulation import Simulation

RESOLUTION = 2**16
# Offspring between two looks at the clock.
PIECE = 5000


def cancer():
    """569 points in R^30, scaled into the unit ball."""
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X / np.linalg.norm(X, axis=1).max(), y == 1


def half_space(n, dim, seed=0):
    """Points on the unit sphere and labels that a half-space explains in part."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, dim))
    y = X @ rng.normal(size=dim) + 0.5 * np.linalg.norm(X, axis=1) * rng.normal(size=n) > 0
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


def union(n, dim, seed=0):
    """Points in the unit ball, positive where one of three half-spaces holds, and noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, dim))
    X *= rng.random((n, 1)) ** (1 / dim) / np.linalg.norm(X, axis=1, keepdims=True)
    y = (X @ rng.normal(size=(dim, 3)) > 0.8).any(axis=1)
    return X, y ^ (rng.random(n) < 0.05)


def search_under_way(X, y, warm_up=20_000, neurons=1, output="or", move="angle"):
    """A search after its first steps."""
    na = OnePlusOneNA(
        neurons=neurons,
        output=output,
        resolution=2**12 if move == "rotation" else RESOLUTION,
        redraw_void=True,
        init="sphere",
        move=move,
    )
    fitness = FiniteSet(X, y)
    search = Simulation(na.task(fitness, budget=10**15, target=False), seed=0)
    search.advance(warm_up)
    return search


def search_time(search, seconds, piece=PIECE):
    """A function that measures seconds per offspring."""

    def measure():
        before, start = search.evaluations, time.process_time()
        while time.process_time() - start < seconds:
            search.advance(piece)
        return (time.process_time() - start) / (search.evaluations - before)

    return measure


def numpy_time(X, y, seconds):
    """A function that measures seconds per evaluation of one neuron with NumPy."""
    w = np.random.default_rng(0).normal(size=X.shape[1])
    w /= np.linalg.norm(w)
    size = max(1, int(2e6 / X.size))

    def measure():
        start, count = time.process_time(), 0
        while time.process_time() - start < seconds:
            for b in np.linspace(-0.5, 0.5, size):
                ((X @ w >= b) == y).mean()
            count += size
        return (time.process_time() - start) / count

    return measure


def slices_of(slow, fast, slices):
    """Pairs of times, measured in turns after one turn that does not count."""
    slow(), fast()
    return np.array([(slow(), fast()) for _ in range(slices)])


def show(label, pairs, target):
    """Print the ratio of two times measured in turns."""
    low, middle, high = np.quantile(pairs[:, 0] / pairs[:, 1], [0.25, 0.5, 0.75])
    slow, fast = np.median(pairs, axis=0)
    print(
        f"  {label:44s} {middle:8.2f} [{low:.2f}, {high:.2f}]  {target:14s}"
        f"{1e9 * slow:10,.0f} ns / {1e9 * fast:8,.0f} ns",
        flush=True,
    )


def against_numpy(slices, seconds):
    print("\nbreast_cancer (569 x 30), one neuron: NumPy's full pass / offspring")
    X, y = cancer()
    for move in ("angle", "rotation"):
        ours = search_time(search_under_way(X, y, move=move), seconds)
        show(move, slices_of(numpy_time(X, y, seconds), ours, slices), "at least 10")


def growth(slices, seconds):
    print("\nn = 1000, one neuron: offspring at D = 300 / offspring at D = 30")
    for label, warm_up in [("early, after 2,000 offspring", 2000), ("after 100,000", 100_000)]:
        wide, narrow = (
            search_time(search_under_way(*half_space(1000, dim), warm_up), seconds, 1000)
            for dim in (300, 30)
        )
        show(label, slices_of(wide, narrow, slices), "at most 3")


def large(slices, seconds, warm_up):
    print("\nn = 100,000, D = 20, one neuron: offspring / NumPy's full pass")
    X, y = half_space(100_000, 20)
    for move in ("angle", "rotation"):
        ours = search_time(search_under_way(X, y, warm_up, move=move), seconds, 500)
        show(move, slices_of(ours, numpy_time(X, y, seconds), slices), "")


def networks(slices, seconds):
    print("\nn = 400, eight neurons: offspring / NumPy's full pass of one neuron")
    for dim in (2, 5, 30):
        X, y = union(400, dim)
        for output in ("or", "evolved"):
            ours = search_time(search_under_way(X, y, neurons=8, output=output), seconds)
            pairs = slices_of(ours, numpy_time(X, y, seconds), slices)
            show(f"D = {dim}, {output}", pairs, "")


def without(search, order, early):
    """Take a feature of the kernel away: points in order, early rejection."""
    work = search._work
    if not (order and early):
        work.tally.countdown = 2**62
    if not early:
        # only the last block can show that an offspring is worse
        work.tally.ceiling += 2**60
        work.ceiling[-1] += 2**60


def ablation(slices, seconds, quick):
    """The same runs without a feature: what gains less than 1.3 times is not worth its lines."""
    print("\nTime per offspring without a feature / with all of them, union of half-spaces")
    cases = [(200, 2, 1), (200, 30, 8), (2000, 10, 1), (2000, 30, 8), (20_000, 20, 1)]
    if not quick:
        cases += [(20_000, 20, 8), (100_000, 100, 1)]
    for n, dim, neurons in cases:
        X, y = union(n, dim)
        piece, warm_up = max(50, 10**6 // n), max(5000, 10**7 // n)
        for move in ("angle", "rotation") if dim > 2 else ("angle",):
            settings = {"neurons": neurons, "move": move}
            full = search_time(search_under_way(X, y, warm_up, **settings), seconds, piece)
            for label, order, early in [("order", False, True), ("early rejection", True, False)]:
                # points that are never put in order, or that stay in the order they have
                search = search_under_way(X, y, warm_up if order else 1, **settings)
                without(search, order, early)
                if not order:
                    search.advance(warm_up)
                pairs = slices_of(search_time(search, seconds, piece), full, slices)
                show(f"n = {n}, D = {dim}, N = {neurons}, {move}, no {label}", pairs, "")


def against_mlrose(slices, seconds):
    print("\nbreast_cancer, one neuron: random hill climbing of mlrose / offspring")
    try:
        import mlrose_ky as mlrose
    except ImportError:
        try:
            import mlrose_hiive as mlrose
        except ImportError:
            print("  mlrose-ky and mlrose-hiive are not installed: pip install mlrose-ky")
            return
    X, y = cancer()
    steps = 300

    def climb():
        model = mlrose.NeuralNetwork(
            hidden_nodes=[1],
            algorithm="random_hill_climb",
            max_iters=steps,
            max_attempts=steps,
            bias=True,
            random_state=0,
        )
        start = time.process_time()
        model.fit(X, y.astype(int))
        return (time.process_time() - start) / steps

    ours = search_time(search_under_way(X, y), seconds)
    show(mlrose.__name__, slices_of(climb, ours, slices), "at least 300")


FIRST_RUN = """
import time
import numpy as np
from hyperna import FiniteSet, OnePlusOneNA
X = np.random.default_rng(0).normal(size=(300, 7))
fitness = FiniteSet(X, X[:, 0] > 0.2)
start = time.process_time()
OnePlusOneNA(neurons={neurons}, output="evolved").run(fitness, budget=200, target=False, seed=1)
print(time.process_time() - start)
"""


def first_run():
    print("\nFirst run in a new process, seconds of one processor")
    for label, neurons in [("one neuron", 1), ("four neurons", 4)]:
        program = FIRST_RUN.format(neurons=neurons)
        with tempfile.TemporaryDirectory() as cache:
            seconds = [
                float(
                    subprocess.run(
                        [sys.executable, "-c", program],
                        env={**os.environ, "NUMBA_CACHE_DIR": cache},
                        capture_output=True,
                        text=True,
                        check=True,
                    ).stdout
                )
                for _ in range(2)
            ]
        print(f"  {label:30s} compiled from nothing {seconds[0]:6.1f}   cached {seconds[1]:5.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="shorter slices")
    parser.add_argument("--ablation", action="store_true", help="only what each feature gains")
    parser.add_argument("--first-run", action="store_true", help="also the time to compile")
    options = parser.parse_args()
    slices, seconds = (5, 0.05) if options.quick else (15, 0.2)
    if options.ablation:
        return ablation(slices, seconds, options.quick)
    with threadpool_limits(1, "blas"):
        against_numpy(slices, seconds)
        growth(slices, seconds)
        large(slices, seconds, 2000 if options.quick else 10_000)
        networks(slices, seconds)
        ablation(slices, seconds, options.quick)
        against_mlrose(5, seconds)
    if options.first_run:
        first_run()


if __name__ == "__main__":
    main()
