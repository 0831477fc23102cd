"""Point sets in any dimension: incremental scores against obvious references."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from looking import expected_of, look_at, random_changes
from samples import OUTPUTS

import hyperna
from hyperna import OnePlusOneNA
from hyperna._kernels.point_data import FIRST_ORDER, MOST_REDIRECTIONS
from hyperna.fitness import FiniteSet
from hyperna.network.grid import Grid
from hyperna.network.networks import Network

# ---- many offspring


def check_walk(fitness, grid, rng, length=60):
    """Compare what is accepted of random steps with the references; return how many that were."""
    genome, changes = grid.random(rng), random_changes(rng, grid.moduli, length)

    def judge(offspring):
        return fitness.score(Network(grid, offspring))

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
        "seed": draw(st.integers(0, 2**32)),
    }


@given(settings_of_walks())
@settings(max_examples=200)
def test_scores_are_those_of_predictions(case):
    rng = np.random.default_rng(case["seed"])
    grid, n = case["grid"], case["n"]
    X = POINTS[case["kind"]](rng, n, grid.dim)
    weights = rng.integers(0, 5, n) if case["weighted"] else None
    if weights is not None:
        weights[rng.integers(n)] = 3
    check_walk(FiniteSet(X, rng.random(n) < 0.5, weights), grid, rng)


@pytest.mark.parametrize("neurons", [1, 3])
@pytest.mark.parametrize("output", ["or", "xor", "evolved"])
def test_points_in_order_and_blocks_out_of_reach(neurons, output):
    """Long walks with many points, which are put in order on the way."""
    rng = np.random.default_rng(neurons)
    X = _unit(rng.normal(size=(1100, 4))) * rng.random((1100, 1))
    y = (X @ rng.normal(size=4) > 0.1) ^ (rng.random(1100) < 0.02)
    fitness = FiniteSet(X, y)
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
    accepted = check_walk(fitness, Grid(dim, 2, 24, output), rng, 5 * MOST_REDIRECTIONS)
    assert accepted > MOST_REDIRECTIONS // 4


def test_negligible_weights_decide_where_all_others_meet_zeros():
    """Dot products of 1e-30 have a sign, also after many lives of the dot products."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 150))
    X[:, :100] = 0.0
    fitness = FiniteSet(X, rng.random(60) < 0.5)
    na = OnePlusOneNA(neurons=3, resolution=1200, bias=False)
    path = na.run(fitness, budget=4000, target=False, seed=0, trajectory=True).trajectory
    assert len(path) > 3 * MOST_REDIRECTIONS
    for i in range(0, len(path), 20):
        assert path.fitness[i] == fitness(path.network(i))


@pytest.mark.parametrize(
    ("neurons", "output"), [(7, "evolved"), (13, "evolved"), (70, "and"), (9, "xor")]
)
def test_many_neurons(neurons, output):
    rng = np.random.default_rng(neurons)
    X = rng.uniform(-1, 1, (50, 3))
    fitness = FiniteSet(X, rng.random(50) < 0.5)
    check_walk(fitness, Grid(3, neurons, 120, output), rng, 80)


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
    fitness = FiniteSet(rng.normal(size=(n, 7)), np.full(n, label))
    check_walk(fitness, Grid(7, 2, 60, "evolved"), rng)


def test_large_weights():
    rng = np.random.default_rng(1)
    fitness = FiniteSet(
        rng.normal(size=(40, 6)), rng.random(40) < 0.5, 10.0 ** rng.uniform(0, 9, 40)
    )
    assert fitness.total > 2**45
    check_walk(fitness, Grid(6, 2, 1200), rng)


def test_points_of_weight_zero_do_not_count():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(50, 6)), rng.random(50) < 0.5
    heavy = rng.random(50) < 0.6
    grid = Grid(6, 2, 1200, "and")
    every = FiniteSet(X, y, heavy.astype(int))
    some = FiniteSet(X[heavy], y[heavy])
    genome, changes = grid.random(rng), random_changes(rng, grid.moduli, 60)
    assert look_at(every, grid, genome, changes) == look_at(some, grid, genome, changes)


# ---- runs


@pytest.mark.parametrize("move", ["angle", "rotation"])
@pytest.mark.parametrize("output", OUTPUTS)
def test_recorded_fitness_is_that_of_the_recorded_network(move, output):
    rng = np.random.default_rng(7)
    X = np.vstack([_unit(rng.normal(size=(250, 8))), POINTS["corners"](rng, 50, 8)])
    y = (X @ rng.normal(size=8) + 0.2 * rng.normal(size=300)) > 0.1
    fitness = FiniteSet(X, y, rng.integers(1, 4, 300))
    na = OnePlusOneNA(neurons=2, output=output, resolution=1200, init="sphere", move=move)
    path = na.run(fitness, budget=4000, target=False, seed=3, trajectory=True).trajectory
    assert len(path) > 20
    for i in range(0, len(path), 5):
        assert path.fitness[i] == fitness(path.network(i))
    assert path.fitness.tolist() == sorted(path.fitness.tolist())


# ---- interpreted


PROGRAM = """\
import json
import sys
import numpy as np
from hyperna import FiniteSet, OnePlusOneNA
from hyperna.network.outputs import OUTPUTS

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 7))
y = X[:, 0] + X[:, 6] > 0.3
paths = []
for output in OUTPUTS:
    move = "angle" if output in ("or", "xor") else "rotation"
    na = OnePlusOneNA(neurons=2, output=output, resolution=120, move=move)
    fitness = FiniteSet(X, y)
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
