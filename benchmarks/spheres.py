"""Exact areas on the sphere beside samples: evaluations per second, and points for equal accuracy.

    python benchmarks/spheres.py

For each dimension and number of neurons: evaluations per second of a run with the exact fitness and
with samples of 2**10 and 2**14 points (processor time, one thread), and how many random points a
sample needs for a standard error of 1e-10, with the evaluations per second that would leave,
measured at 2**14 points and scaled.

    python benchmarks/spheres.py --check 4 50

compares the exact fitness of 50 random networks, with biases up to 2 / sqrt(D), with that on 10**8
random points, for each dimension: the largest difference in standard errors, and their root mean
square, which is 1 on average. They have one neuron, and at D = 3 another 50 have 2 to 5 neurons and
all kinds of output.
"""

import argparse
import math
import time

import numpy as np

from hyperna import Grid, Network
from hyperna.fitness import ExactSphere, Fitness, Sampled
from hyperna.network.outputs import OUTPUTS
from hyperna.problems import ArcProblem, problem
from hyperna.run.algorithm import OnePlusOneNA

CASES = [(3, 1), (4, 1), (5, 1), (10, 1), (11, 1), (50, 1), (51, 1), (3, 2), (3, 4), (3, 8)]
ACCURACY = 1e-10
SECONDS = 1.0


def rate(na: OnePlusOneNA, fitness: Fitness) -> float:
    """Offspring per second of processor time, from the second call on."""
    na.run(fitness, budget=200, target=False, seed=0)
    budget, spent = 500, 0.0
    while True:
        start = time.process_time()
        na.run(fitness, budget=budget, target=False, seed=1)
        spent = time.process_time() - start
        if spent > SECONDS / 4:
            return budget / spent
        budget *= 4


def random_networks(dim: int, count: int, sizes: tuple[int, ...]) -> list[Network]:
    """Networks of these sizes in turn, with every kind of output."""
    rng, networks = np.random.default_rng(dim), []
    for i in range(count):
        neurons = sizes[i % len(sizes)]
        grid = Grid(dim, neurons, 1200, list(OUTPUTS)[i // len(sizes) % len(OUTPUTS)])
        genome = grid.random(rng, "sphere")
        for k in range(neurons):
            value = rng.uniform(-2, 2) / math.sqrt(dim)
            genome[(k + 1) * dim - 1] = round(600 * (1 + value)) % 1201
        networks.append(Network(grid, genome))
    return networks


def right_on_points(networks: list[Network], subject: ArcProblem, X: np.ndarray) -> list[int]:
    """Number of points on which each network is right."""
    label = subject.label(X)
    return [int((network.predict(X) == label).sum()) for network in networks]


def right_on_projections(
    networks: list[Network], subject: ArcProblem, rng: np.random.Generator, points: int
) -> list[int]:
    """The same for single neurons on uniform points, of which only what matters is drawn.

    The label depends on the last two coordinates and the neuron on w·x too, so that three
    coordinates of a normal vector, one of them along the rest of w, and the length of all others
    are enough.
    """
    g = rng.standard_normal((3, points))
    others = rng.chisquare(subject.dim - 3, points) if subject.dim > 3 else 0.0
    length, right = np.sqrt((g**2).sum(axis=0) + others), []
    plane = np.zeros((points, subject.dim))
    plane[:, -2:] = g[:2].T
    label = subject.label(plane)
    for network in networks:
        w, b = (np.asarray(part).ravel() for part in network.weights())
        dot = w[-2] * g[0] + w[-1] * g[1] + np.linalg.norm(w[:-2]) * g[2]
        right.append(int(((dot >= b[0] * length) == label).sum()))
    return right


def check(dim: int, points: int, sizes: tuple[int, ...] = (1,), piece: int = 100_000) -> None:
    """Print how far samples are from the exact fitness of random networks."""
    rng = np.random.default_rng(dim)
    subject = problem("local_opt", dim=dim)
    networks = random_networks(dim, 50, sizes)
    exact = np.array([ExactSphere(subject)(network) for network in networks])
    right = np.zeros(len(networks), np.int64)
    for _ in range(points // piece):
        if sizes == (1,):
            right += right_on_projections(networks, subject, rng, piece)
        else:
            X = rng.standard_normal((piece, dim))
            X /= np.linalg.norm(X, axis=1, keepdims=True)
            right += right_on_points(networks, subject, X)
    error = np.sqrt(np.maximum(exact * (1 - exact), 1e-12) / points)
    z = (right / points - exact) / error
    print(
        f"D = {dim}: {len(networks)} networks of {', '.join(map(str, sizes))} neurons, "
        f"{points:,} points, largest |z| {abs(z).max():.2f}, "
        f"root mean square {np.sqrt((z**2).mean()):.2f}",
        flush=True,
    )


def main() -> None:
    """Print one line per case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", type=int, nargs="+", metavar="D", help="compare with samples")
    parser.add_argument("--points", type=int, default=10**8, help="points of a sample")
    options = parser.parse_args()
    if options.check:
        for dim in options.check:
            check(dim, options.points)
            if dim == 3:
                check(dim, options.points, sizes=(2, 3, 4, 5))
        return
    print(
        f"{'D':>3} {'N':>2} {'exact/s':>10} {'2^10/s':>10} {'2^14/s':>10} {'points for 1e-10':>17}"
    )
    for dim, neurons in CASES:
        subject = problem("quarter", dim=dim)
        na = OnePlusOneNA(neurons=neurons, init="sphere")
        exact = ExactSphere(subject)
        rates = [
            rate(na, fitness)
            for fitness in (exact, Sampled(subject, n=2**10), Sampled(subject, n=2**14))
        ]
        share = na.run(exact, budget=1000, target=False, seed=1).fitness
        points = share * (1 - share) / ACCURACY**2
        slow = rates[2] * 2**14 / points
        shown = " ".join(f"{value:10,.0f}" for value in rates)
        print(f"{dim:3} {neurons:2} {shown} {points:17.1e}  (sampling: {slow:.1e} a second, "
              f"exact is 10^{math.log10(rates[0] / slow):.0f} times as fast)")  # fmt: skip


if __name__ == "__main__":
    main()
