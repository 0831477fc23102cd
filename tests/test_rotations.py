"""Rotations: a mutated direction turns in the plane of two coordinates."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from hyperna import ExactSphere, FiniteSet, OnePlusOneNA, Sampled, problem
from hyperna._kernels.point_data import MOST_REDIRECTIONS
from hyperna.network.networks import Network
from hyperna.run.simulation import Simulation


def cloud(dim, n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, dim))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, (X[:, 0] > 0.1) ^ (X[:, -1] > 0.2)


def normals(result):
    return [result.trajectory.network(i).weights() for i in range(len(result.trajectory))]


@pytest.mark.parametrize("output", ["or", "evolved"])
def test_two_weights_of_a_neuron_change_by_a_step_of_the_law(output):
    X, _ = cloud(5)
    fitness = FiniteSet(X, np.ones(len(X)))  # nearly everything is accepted
    na = OnePlusOneNA(
        neurons=2,
        output=output,
        resolution=24,
        mutation="local",
        move="rotation",
        mutation_probability=0.02,
        init="sphere",
    )
    path = normals(na.run(fitness, budget=3000, target=False, seed=1, trajectory=True))
    single = 0
    for (W, b), (V, c) in pairwise(path):
        for w, v, t, u in zip(W, V, b, c, strict=True):
            assert np.linalg.norm(v) == pytest.approx(1)
            changed = np.flatnonzero(abs(w - v) > 1e-9)
            if len(changed) == 2:
                single += 1
                w, v = w[changed], v[changed]
                assert np.hypot(*w) == pytest.approx(np.hypot(*v))
                angle = np.arctan2(w[0] * v[1] - w[1] * v[0], w @ v)
                assert abs(angle) == pytest.approx(2 * np.pi / 24)
            step = abs(t - u)
            assert min(step, 2 + 2 / 24 - step) < 2 / 24 + 1e-9
    assert single > 50


def test_all_pairs_of_coordinates_are_equally_likely():
    X, _ = cloud(4)
    fitness = FiniteSet(X, np.ones(len(X)))
    na = OnePlusOneNA(resolution=60, move="rotation", mutation_probability=0.02, init="sphere")
    path = normals(na.run(fitness, budget=60_000, target=False, seed=2, trajectory=True))
    pairs = []
    for (W, _), (V, _) in pairwise(path):
        changed = np.flatnonzero(abs(W - V)[0] > 1e-9)
        if len(changed) == 2:
            pairs.append(tuple(changed))
    counts = np.unique(pairs, axis=0, return_counts=True)[1]
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("name", ["half", "two_quarters"])
def test_on_the_circle_a_rotation_is_a_change_of_the_angle(name):
    for seed in range(3):
        runs = [
            OnePlusOneNA(neurons=2, move=move).run(problem(name), seed=seed)
            for move in ("angle", "rotation")
        ]
        assert runs[0].network == runs[1].network
        assert runs[0].evaluations == runs[1].evaluations


def test_turning_the_data_by_right_angles_leaves_the_law_of_the_runtime_unchanged():
    X, y = cloud(4, n=40, seed=3)
    turned = X[:, [3, 1, 0, 2]] * [1, -1, 1, -1]
    na = OnePlusOneNA(neurons=2, resolution=60, move="rotation", init="sphere")
    evaluations = [
        na.run_many(FiniteSet(Z, y), runs=400, budget=20_000, target=0.85, seed=4).evaluations
        for Z in (X, turned)
    ]
    assert stats.ks_2samp(*evaluations).pvalue > 1e-3


def test_the_order_of_the_columns_matters_for_angles_and_not_for_rotations():
    """What matters is the last coordinate of ten, or the first."""
    X, _ = cloud(10, n=100, seed=5)
    last, first = X, X[:, ::-1]
    y = X[:, -1] > 0
    p_values = {}
    for move in ("angle", "rotation"):
        na = OnePlusOneNA(resolution=60, move=move, init="sphere")
        evaluations = [
            na.run_many(FiniteSet(Z, y), runs=300, budget=20_000, target=0.95, seed=6).evaluations
            for Z in (last, first)
        ]
        p_values[move] = stats.ks_2samp(*evaluations).pvalue
    assert p_values["rotation"] > 1e-3
    assert p_values["angle"] < 1e-6


@pytest.mark.parametrize("law", ["harmonic", "local", "uniform", "cauchy", "adaptive:jump=0"])
@pytest.mark.parametrize("bias", [True, False])
def test_every_law_and_fixed_biases(law, bias):
    X, y = cloud(6)
    fitness = FiniteSet(X, y)
    na = OnePlusOneNA(neurons=3, output="xor", mutation=law, bias=bias, move="rotation")
    result = na.run(fitness, budget=2000, target=False, seed=0)
    assert result.network.grid.resolution >= 2**39
    assert result.fitness == fitness(result.network)
    if not bias:
        assert (result.network.weights()[1] == 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("neurons", [1, 2])
def test_rotations_on_spheres(neurons):
    for fitness in (
        ExactSphere(problem("quarter", dim=3)),
        Sampled(problem("quarter", dim=5), 512),
    ):
        na = OnePlusOneNA(neurons=neurons, resolution=60, move="rotation")
        result = na.run(fitness, budget=400, target=False, seed=0, trajectory=True)
        assert result.fitness == pytest.approx(fitness(result.network), abs=1e-9)
        assert (np.diff(result.trajectory.fitness) >= 0).all()


def test_reading_the_genome_of_a_run_does_not_change_it():
    """In one piece, in pieces that are looked at, and with every accepted genome recorded.

    It is long enough for neurons to be given their rounded weights several times.
    """
    X, y = cloud(7)
    na = OnePlusOneNA(neurons=2, output="evolved", move="rotation", init="sphere")
    task = na.task(FiniteSet(X, y), budget=25_000, target=False)
    whole, search = task.run(3), Simulation(task, 3)
    while not search.advance(7):
        search.result()
    recorded = task.run(3, trajectory=True)
    assert len(recorded.trajectory) > 4 * MOST_REDIRECTIONS
    assert search.result().network == whole.network == recorded.network
    assert search.result().fitness == whole.fitness == task.fitness(whole.network)


def test_a_start_keeps_its_angles_until_it_is_turned():
    """Angles beyond half a turn have a twin with the same normal, which is as good."""
    X, y = cloud(4)
    na = OnePlusOneNA(resolution=60, move="rotation")
    start = Network(na.grid(4), na.grid(4).random(np.random.default_rng(0)))
    task = na.task(FiniteSet(X, y), budget=1, target=False, start=start)
    assert task.run(0).network == start


def test_unknown_moves_are_refused():
    with pytest.raises(ValueError, match="move must be one of 'angle', 'rotation', got 'slide'"):
        OnePlusOneNA(move="slide")


@pytest.mark.parametrize("law", ["exponential:scale=0.1", "local"])
def test_steps_of_rotations_are_as_long_as_the_law_says(law):
    from hyperna import OnePlusOneNA
    from hyperna.fitness import FiniteSet

    X = np.random.default_rng(0).normal(size=(40, 3)) / 4
    na = OnePlusOneNA(resolution=60, move="rotation", mutation=law)
    run = na.run(FiniteSet(X, X[:, 0] > 0), budget=400, target=False, seed=0, trajectory=True)
    r = run.network.grid.resolution
    biases = run.trajectory.genomes[:, -1]
    step = np.abs(np.diff(biases)) / (r / 60)
    step = np.minimum(step, 61 - step)
    moved = step[step > 0]
    assert len(moved) > 10
    if law == "local":
        assert moved == pytest.approx(1)
    else:
        assert 0.05 < moved.mean() < 0.2
        assert (moved % 1 > 1e-3).all()


@pytest.mark.parametrize("dim", [3, 4, 6])
@pytest.mark.parametrize("resolution", [12, 1000])
def test_turns_that_change_nothing_keep_the_score_on_spheres(dim, resolution):
    """HALF depends on the last weight alone; all others are turned, and rounded to the grid."""
    rng = np.random.default_rng(dim)
    grid = OnePlusOneNA(resolution=resolution, move="rotation").grid(dim)
    genomes = [], []
    for _ in range(1000):
        w = rng.normal(size=dim)
        w /= np.linalg.norm(w)
        bias = rng.uniform(-0.8, 0.8)
        angle = 2 * np.pi * rng.integers(resolution) / resolution
        turned = w.copy()
        turned[0] = np.cos(angle) * w[0] - np.sin(angle) * w[1]
        turned[1] = np.sin(angle) * w[0] + np.cos(angle) * w[1]
        for kept, weights in zip(genomes, (w, turned), strict=True):
            kept.append(grid.from_weights([weights], [bias]))
    one, other = (ExactSphere(problem("half", dim=dim)).scores(some, grid) for some in genomes)
    assert np.count_nonzero(one != other) <= 20
