"""When a network counts as one of the known optima of a point set."""

import numpy as np
import pytest

from hyperna import OnePlusOneNA
from hyperna._kernels.jit import kernel
from hyperna._kernels.protocol import optimal, prepare
from hyperna.fitness import FiniteSet, Sampled
from hyperna.network.grid import Grid
from hyperna.network.networks import Network
from hyperna.problems import problem


@kernel
def is_optimal(fitness, work, genome, optima, tolerance):
    prepare(fitness, work, genome)
    return optimal(fitness, work, genome, optima, tolerance)


def mirrored(rng, genome, grid):
    """The same normals with other angles: (a, b) -> (-a, b + r/2) for neighbouring angles."""
    genome = genome.copy().reshape(grid.neurons, grid.width)
    for neuron in genome:
        for k in range(grid.dim - 2):
            if rng.random() < 0.5:
                neuron[k] = -neuron[k] % grid.resolution
                neuron[k + 1] = (neuron[k + 1] + grid.resolution // 2) % grid.resolution
    return genome.ravel()


@pytest.mark.parametrize(("dim", "neurons"), [(1, 2), (2, 1), (2, 3), (3, 1), (4, 2), (7, 3)])
def test_optima_in_any_order_and_mirrored(dim, neurons):
    rng = np.random.default_rng(dim)
    grid = Grid(dim, neurons, 120)
    fitness = FiniteSet(rng.normal(size=(5, dim)), [0, 1, 0, 1, 1])
    points = fitness.compiled_form(grid)
    work = points.workspace()
    for _ in range(40):
        target = np.array(grid.random(rng))
        optima = target.reshape(1, neurons, grid.width) + rng.uniform(-0.49, 0.49)
        other = np.array(grid.random(rng)).reshape(optima.shape) + 0.5
        optima = np.concatenate([other, optima])
        genome = mirrored(rng, target, grid)
        assert np.allclose(Network(grid, genome).weights()[0], Network(grid, target).weights()[0])
        shuffled = rng.permutation(genome.reshape(neurons, -1)).ravel()
        assert is_optimal(points, work, shuffled, optima, 1.0)
        moved = shuffled.copy()
        bias = grid.width - 1 + grid.width * rng.integers(neurons)
        moved[bias] = (moved[bias] + 60) % 121
        assert not is_optimal(points, work, moved, optima, 1.0)
        assert not is_optimal(points, work, shuffled, optima[:1], 0.4)


def test_each_neuron_has_an_optimal_neuron_of_its_own():
    """The first neuron is close to both targets, the second to the first target only."""
    grid = Grid(3, 2, 120)
    points = FiniteSet(np.eye(3), [0, 1, 1]).compiled_form(grid)
    work, optima = points.workspace(), np.full((1, 2, 3), 50.0)
    optima[0, :, 0] = 9.7, 10.8
    for angles, expected in [((10, 9), True), ((9, 10), True), ((9, 9), False), ((11, 11), False)]:
        genome = np.full((2, 3), 50)
        genome[:, 0] = angles
        assert is_optimal(points, work, genome.ravel(), optima, 1.0) == expected


def test_an_optimal_run_stops():
    half = problem("half", dim=4)
    na = OnePlusOneNA(resolution=24)
    result = na.run(Sampled(half, n=256), seed=0, budget=200_000)
    assert result.stop_reason == "optimum"
    W, b = result.network.weights()
    assert abs(W[0, 3]) > 0.9
    assert abs(b[0]) < 0.1


@pytest.mark.parametrize("dim", [3, 4])
def test_an_xor_finds_two_quarters_in_space(dim):
    """The slab between two parallel planes is a local optimum, therefore restarts."""
    na = OnePlusOneNA(neurons=2, output="xor", resolution=24, init="sphere")
    fitness = Sampled(problem("two_quarters", dim=dim), n=512)
    runs = na.run_many(fitness, runs=5, seed=3, budget=10**6, stagnation=3000, restarts=99)
    assert runs.success.all()
    result = runs.replay(0)
    assert result.stop_reason == "optimum"
    W, b = result.network.weights()
    # the normals lie near the plane of the last two coordinates, at right angles
    assert np.linalg.norm(W[:, -2:], axis=1).min() > 0.8
    assert abs(W[0] @ W[1]) < 0.5
    assert np.abs(b).max() < 0.1


@pytest.mark.parametrize("name", ["two_quarters", "quarter"])
def test_an_evolved_output_on_points_of_the_circle(name):
    """With optima known, a run on points ends where one on the exact circle would end."""
    na = OnePlusOneNA(neurons=2, output="evolved", resolution=24)
    result = na.run(Sampled(problem(name), n=512), seed=1, budget=300_000)
    if result.stop_reason == "optimum":
        assert result.fitness > 0.8
