"""Point sets in any dimension: incremental scores and margins against obvious references."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from looking import expected_of, first_look, look_at, random_changes

import hyperna
from hyperna import OnePlusOneNA
from hyperna._kernels.point_data import FIRST_ORDER, LIFETIME, QUANTA
from hyperna.fitness import FiniteSet
from hyperna.grid import Grid
from hyperna.networks import Network

OUTPUTS = ("or", "and", "xor", "evolved")


# ---- references


def margin_of(network, X):
    """Distance by which hidden hyperplanes must move for the output to change, by trying all ways.

    To change some of the bits, the farthest of their hyperplanes must move by its distance.
    """
    hidden = network.margin(X)
    output = network.grid.output if network.grid.neurons > 1 else "or"
    if output in ("or", "and"):
        return hidden.min(axis=1) if output == "and" else hidden.max(axis=1)
    patterns = np.array(list(itertools.product([False, True], repeat=network.grid.neurons)))
    answers = patterns.sum(axis=1) % 2 == 1
    if output == "evolved":
        w, b = network.output_weights()
        total = np.zeros(len(patterns))
        for i in range(len(w)):
            total += np.where(patterns[:, i], w[i], 0.0)
        answers = total >= b
    bits = hidden >= 0.0
    distance = np.full(len(X), np.inf)
    fires = network.predict(X)
    for pattern, answer in zip(patterns, answers, strict=True):
        cost = np.where(bits != pattern, abs(hidden), 0.0).max(axis=1)
        distance = np.where(answer != fires, np.minimum(distance, cost), distance)
    return np.where(fires, distance, -distance)


def second_value(fitness, network):
    """Sum of weight * clip(±margin), each clipped margin rounded to 1/QUANTA of the clip."""
    clip = fitness.tie_clip
    rounded = np.clip(np.rint(margin_of(network, fitness.X) * (QUANTA / clip)), -QUANTA, QUANTA)
    sign = np.where(fitness.y, 1, -1)
    return float((sign * fitness.weights * rounded).sum()) * (clip / QUANTA)


# ---- many offspring


def check_walk(fitness, grid, rng, length=60):
    """Compare what is accepted of random steps with the references; return how many that were."""
    genome, changes = grid.random(rng), random_changes(rng, grid.moduli, length)

    def judge(offspring):
        network = Network(grid, offspring)
        second = second_value(fitness, network) if fitness.tie_clip > 0 else 0.0
        return fitness.score(network), second

    found = look_at(fitness, grid, genome, changes)
    assert found == expected_of(judge, grid, genome, changes)
    return len(found)


POINTS = {
    "normal": lambda rng, n, dim: rng.normal(size=(n, dim)),
    "sphere": lambda rng, n, dim: _unit(rng.normal(size=(n, dim))),
    "lattice": lambda rng, n, dim: rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], (n, dim)),
    "corners": lambda rng, n, dim: rng.choice([-1.0, 1.0], (n, dim)) / np.sqrt(dim),
    "small": lambda rng, n, dim: 1e-6 * rng.normal(size=(n, dim)),
    "large": lambda rng, n, dim: 1e6 * rng.normal(size=(n, dim)),
    "mixed": lambda rng, n, dim: rng.normal(size=(n, dim)) * 10.0 ** rng.integers(-9, 9, (n, 1)),
}


def _unit(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)


@st.composite
def settings_of_walks(draw):
    dim = draw(st.integers(1, 12))
    neurons = draw(st.sampled_from([1, 1, 2, 3, 4, 8]))
    return {
        "grid": Grid(
            dim,
            neurons,
            draw(st.sampled_from([2, 3, 4, 8, 12, 60, 1200, 5000, 10**6, 2**40])),
            draw(st.sampled_from(OUTPUTS)),
        ),
        "kind": draw(st.sampled_from(sorted(POINTS))),
        "n": draw(st.integers(1, 90)),
        "weighted": draw(st.booleans()),
        "clip": draw(st.sampled_from([0.0, 0.0, 0.02, 0.3, 5.0])),
        "seed": draw(st.integers(0, 2**32)),
    }


@given(settings_of_walks())
@settings(max_examples=200)
def test_scores_and_margins_are_those_of_predictions(case):
    rng = np.random.default_rng(case["seed"])
    grid, n = case["grid"], case["n"]
    X = POINTS[case["kind"]](rng, n, grid.dim)
    weights = rng.integers(0, 5, n) if case["weighted"] else None
    if weights is not None:
        weights[rng.integers(n)] = 3
    fitness = FiniteSet(X, rng.random(n) < 0.5, weights, tie_clip=case["clip"])
    many = grid.neurons == 8 and grid.has_output_neuron and case["clip"] > 0
    check_walk(fitness, grid, rng, length=20 if many else 60)


@pytest.mark.parametrize("neurons", [1, 3])
@pytest.mark.parametrize("output", ["or", "xor", "evolved"])
@pytest.mark.parametrize("clip", [0.0, 0.05])
def test_points_in_order_and_blocks_out_of_reach(neurons, output, clip):
    """Long walks with many points, which are put in order on the way."""
    rng = np.random.default_rng(neurons)
    X = _unit(rng.normal(size=(1100, 4))) * rng.random((1100, 1))
    y = (X @ rng.normal(size=4) > 0.1) ^ (rng.random(1100) < 0.02)
    fitness = FiniteSet(X, y, tie_clip=clip)
    accepted = check_walk(fitness, Grid(4, neurons, 5000, output), rng, 3 * FIRST_ORDER)
    assert accepted > 10


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("dim", [3, 40])
def test_rounding_errors_never_decide(dim, output):
    """Over many lives of the dot products, with points on the hyperplanes of a coarse grid."""
    rng = np.random.default_rng(dim)
    X = np.vstack([POINTS["corners"](rng, 40, dim), POINTS["lattice"](rng, 40, dim)])
    fitness = FiniteSet(X, rng.random(80) < 0.5)
    # with labels that hardly matter nearly every step is accepted
    fitness = FiniteSet(X, np.arange(80) < 2)
    accepted = check_walk(fitness, Grid(dim, 2, 24, output), rng, 5 * LIFETIME)
    assert accepted > LIFETIME // 4


def test_negligible_weights_decide_where_all_others_meet_zeros():
    """Dot products of 1e-30 have a sign, also after many lives of the dot products."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 150))
    X[:, :100] = 0.0
    fitness = FiniteSet(X, rng.random(60) < 0.5)
    na = OnePlusOneNA(neurons=3, resolution=1200, bias=False)
    path = na.run(fitness, budget=4000, target=False, seed=0, trajectory=True).trajectory
    assert len(path) > 3 * LIFETIME
    for i in range(0, len(path), 20):
        assert path.fitness[i] == fitness(path.network(i))


@pytest.mark.parametrize(
    ("neurons", "output"), [(7, "evolved"), (13, "evolved"), (70, "and"), (9, "xor")]
)
def test_many_neurons(neurons, output):
    rng = np.random.default_rng(neurons)
    X = rng.uniform(-1, 1, (50, 3))
    clip = 0.1 if neurons < 10 else 0.0
    fitness = FiniteSet(X, rng.random(50) < 0.5, tie_clip=clip)
    check_walk(fitness, Grid(3, neurons, 120, output), rng, 80)


def test_margin_of_an_evolved_output_of_too_many_neurons_for_a_table():
    """Neurons whose output weight is 0 do not matter: the margin is that of the others."""
    rng = np.random.default_rng(5)
    few, many = Grid(3, 2, 120, "evolved"), Grid(3, 13, 120, "evolved")
    fitness = FiniteSet(rng.uniform(-1, 1, (40, 3)), rng.random(40) < 0.5, tie_clip=0.5)
    for _ in range(20):
        small = np.array(few.random(rng))
        genome = np.array(many.random(rng))
        genome[: 2 * 3] = small[: 2 * 3]
        genome[13 * 3] = small[6]
        genome[13 * 3 + 1 : -1] = 0
        genome[-1] = small[-1]
        values = [_second_value_of_kernel(fitness, g, x) for g, x in ((few, small), (many, genome))]
        assert values[0] == values[1] == second_value(fitness, Network(few, small))


def _second_value_of_kernel(fitness, grid, genome):
    points = fitness.kernel(grid)
    return first_look(points, points.workspace(), genome)[1]


# ---- odd sets of points


@pytest.mark.parametrize("size", [1e155, 1e300, 1.7e308])
def test_huge_coordinates(size):
    rng = np.random.default_rng(0)
    X = rng.choice([-size, size, 0.0, 1.0], (30, 7))
    with np.errstate(over="ignore", invalid="ignore"):
        check_walk(FiniteSet(X, rng.random(30) < 0.5), Grid(7, 2, 60), rng, 60)


@pytest.mark.parametrize("label", [False, True])
@pytest.mark.parametrize("n", [1, 20])
def test_one_label_only(n, label):
    rng = np.random.default_rng(n)
    fitness = FiniteSet(rng.normal(size=(n, 7)), np.full(n, label), tie_clip=0.2)
    check_walk(fitness, Grid(7, 2, 60, "evolved"), rng)


def test_large_weights():
    """Weights that do not fit the second value's integers are rounded for it, not for the score."""
    rng = np.random.default_rng(1)
    fitness = FiniteSet(
        rng.normal(size=(40, 6)), rng.random(40) < 0.5, 10.0 ** rng.uniform(0, 9, 40)
    )
    assert fitness.total > 2**45
    check_walk(fitness, Grid(6, 2, 1200), rng)
    clipped = FiniteSet(fitness.X, fitness.y, fitness.weights, tie_clip=0.5)
    grid = Grid(6, 2, 1200)
    genome = np.array(grid.random(rng))
    value = second_value(clipped, Network(grid, genome))
    assert _second_value_of_kernel(clipped, grid, genome) == pytest.approx(value, rel=1e-6)


def test_points_of_weight_zero_do_not_count():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(50, 6)), rng.random(50) < 0.5
    heavy = rng.random(50) < 0.6
    grid = Grid(6, 2, 1200, "and")
    every = FiniteSet(X, y, heavy.astype(int), tie_clip=0.5)
    some = FiniteSet(X[heavy], y[heavy], tie_clip=0.5)
    for _ in range(10):
        genome = np.array(grid.random(rng))
        assert every.score(Network(grid, genome)) == some.score(Network(grid, genome))
        values = [_second_value_of_kernel(fitness, grid, genome) for fitness in (every, some)]
        assert values[0] == values[1]


# ---- runs


@pytest.mark.parametrize("move", ["angle", "rotation"])
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("clip", [0.0, 0.1])
def test_recorded_fitness_is_that_of_the_recorded_network(move, output, clip):
    rng = np.random.default_rng(7)
    X = np.vstack([_unit(rng.normal(size=(250, 8))), POINTS["corners"](rng, 50, 8)])
    y = (X @ rng.normal(size=8) + 0.2 * rng.normal(size=300)) > 0.1
    fitness = FiniteSet(X, y, rng.integers(1, 4, 300), tie_clip=clip)
    na = OnePlusOneNA(neurons=2, output=output, resolution=1200, init="sphere", move=move)
    path = na.run(fitness, budget=4000, target=False, seed=3, trajectory=True).trajectory
    assert len(path) > 20
    values = []
    for i in range(0, len(path), 5):
        network = path.network(i)
        assert path.fitness[i] == fitness(network)
        values.append((path.fitness[i], second_value(fitness, network) if clip > 0 else 0.0))
    assert values == sorted(values)


def test_ties_are_decided_by_margins():
    """Along the path neither the score nor, among equal scores, the second value ever falls."""
    rng = np.random.default_rng(8)
    fitness = FiniteSet(rng.normal(size=(60, 4)), rng.random(60) < 0.5, tie_clip=0.3)
    na = OnePlusOneNA(neurons=2, output="evolved", resolution=1200)
    path = na.run(fitness, budget=4000, target=False, seed=1, trajectory=True).trajectory
    grid = Grid(4, 2, 1200, "evolved")
    networks = [Network(grid, genome) for genome in path.genomes]
    values = [(fitness.score(network), second_value(fitness, network)) for network in networks]
    assert values == sorted(values)
    assert len({score for score, _ in values}) < len(values)


# ---- interpreted


PROGRAM = """\
import json
import sys
import numpy as np
from hyperna import FiniteSet, OnePlusOneNA

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 7))
y = X[:, 0] + X[:, 6] > 0.3
paths = []
for output in ("or", "and", "xor", "evolved"):
    move = "angle" if output in ("or", "xor") else "rotation"
    na = OnePlusOneNA(neurons=2, output=output, resolution=120, move=move)
    fitness = FiniteSet(X, y, tie_clip=0.2)
    result = na.run(fitness, budget=250, target=False, seed=5, trajectory=True)
    paths.append(result.trajectory.genomes.tolist())
json.dump(paths, sys.stdout)
"""


@pytest.mark.slow
def test_interpreted_runs_are_the_same():
    paths = []
    for disabled in ("0", "1"):
        process = subprocess.run(
            [sys.executable, "-W", "error", "-c", PROGRAM],
            cwd=Path(hyperna.__file__).parents[1],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        )
        paths.append(json.loads(process.stdout))
    assert paths[0] == paths[1]
