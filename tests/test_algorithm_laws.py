"""Runs of the (1+1) NA obey laws: of their start, of the plain loop, of getting stuck or solved."""

import itertools
import math
import random

import numpy as np
import pytest
import reference
from scipy import stats

from hyperna import OnePlusOneNA
from hyperna.fitness import FiniteSet, Sampled
from hyperna.network.grid import Grid
from hyperna.network.networks import Network
from hyperna.problems import points, problem

SIGNIFICANCE = 1e-4
KNOWN = {
    "half": (reference.HALF, reference.HALF_OPTIMA, 1),
    "quarter": (reference.QUARTER, reference.QUARTER_OPTIMA, 1),
    "local_opt": (reference.LOCAL_OPT, reference.LOCAL_OPT_OPTIMA, 1),
    "two_quarters": (reference.TWO_QUARTERS, reference.TWO_QUARTERS_OPTIMA, 2),
}
LAWS = {"harmonic": reference.harmonic_law, "local": reference.local_law}


# ---- where runs begin


def first_genomes(na, dim, count):
    task = na.task(points(np.zeros((1, dim)), [1]), budget=1)
    return np.array([task.run(9, number=i).network.genome for i in range(count)])


def test_runs_begin_uniformly_on_the_grid():
    n, r = 800, 12
    genomes = first_genomes(OnePlusOneNA(neurons=2, output="evolved", resolution=r), 3, n)
    grid = Grid(3, 2, r, "evolved")
    for column, modulus in zip(genomes.T, grid.moduli, strict=True):
        counts = np.bincount(column, minlength=modulus)
        assert stats.chisquare(counts).pvalue > SIGNIFICANCE
    without = first_genomes(OnePlusOneNA(neurons=2, resolution=r, bias=False), 3, 50)
    assert (without[:, [2, 5]] == r // 2).all()


@pytest.mark.parametrize("dim", [2, 3, 7])
def test_runs_begin_uniformly_on_the_sphere(dim):
    """A coordinate of a uniform direction has (1 + x)/2 distributed as Beta((D-1)/2, (D-1)/2)."""
    n, r = 500, 2**30
    genomes = first_genomes(OnePlusOneNA(resolution=r, init="sphere"), dim, n)
    grid = Grid(dim, 1, r)
    normals = np.array([Network(grid, genome).weights()[0][0] for genome in genomes])
    beta = stats.beta((dim - 1) / 2, (dim - 1) / 2, loc=-1, scale=2)
    for coordinate in normals.T:
        assert stats.kstest(coordinate, beta.cdf).pvalue > SIGNIFICANCE
    correlation = normals.T @ normals / n
    assert np.abs(correlation - np.eye(dim) / dim).max() < 5 / math.sqrt(n * dim)
    biases = genomes[:, -1] / r
    assert stats.kstest(biases, "uniform").pvalue > SIGNIFICANCE


def test_a_run_begins_where_it_is_told_and_restarts_elsewhere():
    start = Network(Grid(2, 2, 60), [1, 2, 3, 4])
    na = OnePlusOneNA(neurons=2, resolution=60)
    result = na.run(
        problem("two_quarters"), start=start, seed=1, trajectory=True, stagnation=5, restarts=3
    )
    assert result.trajectory.network(0) == start
    again = np.flatnonzero(np.diff(result.trajectory.fitness) < 0)
    assert result.restarts > 0
    assert all(result.trajectory.network(int(i) + 1) != start for i in again)


# ---- equal in law to the plain loop


def remembering(fitness):
    """The same function, which looks up what it has seen."""
    seen = {}

    def remembered(genome):
        key = tuple(genome)
        if key not in seen:
            seen[key] = fitness(genome)
        return seen[key]

    return remembered


def plain_runs(name, resolution, mutation, runs, budget, seed, **options):
    """Evaluations and success of runs of the reference."""
    arcs, optima, neurons = KNOWN[name]
    fitness = remembering(reference.arc_fitness(arcs, neurons, resolution))
    found = remembering(reference.optimum_test(optima, resolution))
    rng = random.Random(seed)
    rows = []
    for _ in range(runs):
        genome, _, evaluations = reference.one_plus_one_na(
            fitness,
            found,
            reference.grid_moduli(neurons, resolution),
            LAWS[mutation](resolution),
            rng,
            budget,
            **options,
        )
        rows.append((evaluations, found(genome)))
    return np.array(rows).T


def assert_equal_in_law(plain, success, runs):
    table = [
        [success.sum(), len(success) - success.sum()],
        [runs.success.sum(), len(runs) - runs.success.sum()],
    ]
    if np.sum(table, axis=0).all():
        assert stats.fisher_exact(table).pvalue > SIGNIFICANCE
    ours = runs.evaluations
    assert stats.ks_2samp(plain, ours).pvalue > SIGNIFICANCE
    done = success.astype(bool)
    if done.any():
        assert stats.ks_2samp(plain[done], ours[runs.success]).pvalue > SIGNIFICANCE


@pytest.mark.parametrize(
    ("name", "resolution", "mutation", "budget", "bias"),
    [
        ("half", 24, "harmonic", 10_000, True),
        ("half", 24, "local", 10_000, False),
        ("quarter", 24, "harmonic", 10_000, True),
        ("quarter", 12, "local", 10_000, True),
        ("local_opt", 16, "harmonic", 1000, True),
        ("local_opt", 24, "local", 400, True),
        ("two_quarters", 12, "harmonic", 500, True),
        ("two_quarters", 12, "local", 400, True),
    ],
)
def test_runs_obey_the_law_of_the_plain_loop(name, resolution, mutation, budget, bias):
    plain, success = plain_runs(name, resolution, mutation, 300, budget, seed=1, bias=bias)
    na = OnePlusOneNA(neurons=KNOWN[name][2], resolution=resolution, mutation=mutation, bias=bias)
    runs = na.run_many(problem(name), runs=20_000, budget=budget, seed=1)
    assert_equal_in_law(plain, success, runs)


def redrawing_loop(fitness, found, moduli, steps, rng, budget):
    """The plain loop with void steps drawn again."""
    lengths = range(1, len(steps) + 1)
    x = [rng.randrange(m) for m in moduli]
    best, evaluations = fitness(x), 1
    while not found(x) and evaluations < budget:
        y = x
        while y == x:
            y = [
                (v + rng.choice((-1, 1)) * rng.choices(lengths, steps)[0]) % m
                if rng.random() < 1 / len(x)
                else v
                for v, m in zip(x, moduli, strict=True)
            ]
        value = fitness(y)
        evaluations += 1
        if value >= best:
            x, best = y, value
    return evaluations, found(x)


@pytest.mark.parametrize("mutation", ["harmonic", "local"])
def test_redrawing_runs_obey_the_law_of_the_plain_loop(mutation):
    arcs, optima, neurons = KNOWN["two_quarters"]
    r, budget, rng = 12, 300, random.Random(2)
    fitness = remembering(reference.arc_fitness(arcs, neurons, r))
    found = remembering(reference.optimum_test(optima, r))
    steps, moduli = LAWS[mutation](r), reference.grid_moduli(neurons, r)
    plain, success = np.array(
        [redrawing_loop(fitness, found, moduli, steps, rng, budget) for _ in range(300)]
    ).T
    na = OnePlusOneNA(neurons=2, resolution=r, mutation=mutation, redraw_void=True)
    runs = na.run_many(problem("two_quarters"), runs=20_000, budget=budget, seed=2)
    assert_equal_in_law(plain, success, runs)


@pytest.mark.parametrize(
    ("dim", "neurons", "output", "mutation"),
    [
        (1, 2, "and", "harmonic"),
        pytest.param(2, 2, "or", "local", marks=pytest.mark.slow),
        (3, 2, "evolved", "harmonic"),
        (3, 2, "and", "local"),
        (4, 1, "or", "harmonic"),
    ],
)
def test_runs_on_points_obey_the_law_of_the_plain_loop(dim, neurons, output, mutation):
    """Few weighted points in any dimension, until seven eighths of the weight are right."""
    r, budget = 10, 150
    rng = np.random.default_rng(dim)
    X, weights = rng.uniform(-0.7, 0.7, (9, dim)), [1, 2, 1, 1, 3, 1, 1, 2, 4]
    y = [1, 0, 1, 1, 0, 0, 1, 0, 1]
    plain = reference.point_fitness(X.tolist(), y, neurons, r, output, weights)
    fitness, rng = remembering(plain), random.Random(3)
    moduli = reference.grid_moduli(neurons, r, output, dim)
    rows = []
    for _ in range(300):
        _, best, evaluations = reference.one_plus_one_na(
            fitness, lambda g: fitness(g) >= 14, moduli, LAWS[mutation](r), rng, budget
        )
        rows.append((evaluations, best >= 14))
    used, success = np.array(rows).T
    na = OnePlusOneNA(neurons=neurons, resolution=r, mutation=mutation, output=output)
    assert na.grid(dim).moduli.tolist() == moduli
    subject = FiniteSet(X, y, weights)
    runs = na.run_many(subject, runs=20_000, budget=budget, target=14 / 16, seed=3)
    assert_equal_in_law(used, success, runs)


# ---- stuck runs


@pytest.mark.parametrize(
    ("name", "neurons", "output"),
    [("local_opt", 1, "or"), ("two_quarters", 2, "or"), ("two_quarters", 2, "and")],
)
@pytest.mark.parametrize("resolution", [13, 48])
def test_stuck_runs_have_no_way_out(name, neurons, output, resolution):
    """No chain of acceptable neighbours leads to a better network."""
    na = OnePlusOneNA(neurons=neurons, resolution=resolution, mutation="local", output=output)
    runs = na.run_many(problem(name), runs=300, seed=4)
    assert set(runs.stop_counts) <= {"optimum", "stuck", "budget"}
    stuck = np.flatnonzero(runs.stop_reasons == "stuck")
    assert stuck.size > 3
    assert (runs.evaluations[stuck] == reference.paper_budget(resolution)).all()
    assert (runs.stuck_at[stuck] > 1).all()
    assert (runs.stuck_at[stuck] < runs.evaluations[stuck]).all()
    assert not runs.success[stuck].any()
    fitness = reference.arc_fitness(KNOWN[name][0], neurons, resolution, output)
    moduli = reference.grid_moduli(neurons, resolution)
    for number in stuck[:4]:
        result = runs.replay(int(number))
        assert result.stuck_at == runs.stuck_at[number]
        genome = tuple(result.network.genome.tolist())
        here, plateau, new = fitness(list(genome)), {genome}, [genome]
        while new:
            parent = new.pop()
            for move in itertools.product((0, 1, -1), repeat=len(genome)):
                child = tuple((v + d) % m for v, d, m in zip(parent, move, moduli, strict=True))
                score = fitness(list(child))
                assert score <= here
                if score == here and child not in plateau:
                    plateau.add(child)
                    new.append(child)


# ---- every dimension


def test_in_one_dimension_both_orientations_are_reached():
    X = [[-0.8], [-0.3], [0.2], [0.9]]
    for y, orientation in [([0, 0, 1, 1], 0), ([1, 1, 0, 0], 1)]:
        for mutation in ("harmonic", "local", "uniform", "cauchy", "adaptive:jump=0"):
            na = OnePlusOneNA(resolution=20, mutation=mutation)
            runs = na.run_many(points(X, y), runs=50, seed=1, budget=20_000)
            assert runs.success.all(), mutation
            result = runs.replay(7)
            assert result.network.genome[0] == orientation
            assert result.network.predict(X).tolist() == [bool(label) for label in y]
    turning = OnePlusOneNA(resolution=20, bias=False).run_many(points(X, y), runs=50, seed=1)
    assert turning.success.all()
    na = OnePlusOneNA(resolution=20)
    starts = [na.run(points(X, y), budget=1, seed=2, number=i).network.genome for i in range(200)]
    assert stats.binomtest(int(sum(g[0] for g in starts)), 200).pvalue > SIGNIFICANCE


def test_in_one_dimension_two_neurons_enclose_an_interval():
    X = np.linspace(-0.9, 0.9, 13)[:, None]
    inside = np.abs(X[:, 0]) < 0.4
    for output, y in [("and", inside), ("or", ~inside), ("xor", inside), ("evolved", inside)]:
        na = OnePlusOneNA(neurons=2, resolution=40, output=output)
        assert na.run_many(points(X, y), runs=10, seed=1).success.all()


@pytest.mark.parametrize("dim", range(3, 13))
def test_half_is_solved_in_every_dimension(dim):
    na = OnePlusOneNA(resolution=120, init="sphere")
    fitness = Sampled(problem("half", dim=dim), n=512)
    runs = na.run_many(fitness, runs=3, seed=dim, target=0.97, budget=50_000)
    assert runs.success.all()
    result = runs.replay(0)
    assert fitness(result.network) == result.fitness >= 0.97
    # Judged by the sphere, not by the sample: the angle between the two normals.
    W, b = result.network.weights()
    assert W[0, -1] > 0.9
    assert abs(b[0]) < 0.2


def test_the_optimum_of_half_in_space_counts_with_its_mirror_image():
    na = OnePlusOneNA(resolution=120)
    fitness = Sampled(problem("half", dim=3), n=512)
    for genome in ([30, 30, 60], [90, 90, 60]):
        start = Network(na.grid(3), genome)
        assert na.run(fitness, start=start, seed=0).stop_reason == "optimum"
    for genome in ([30, 90, 60], [90, 30, 60], [30, 31, 60]):
        start = Network(na.grid(3), genome)
        assert na.run(fitness, start=start, seed=0, budget=1).stop_reason == "budget"


@pytest.mark.parametrize(("neurons", "output"), [(4, "or"), (4, "and"), (3, "xor"), (3, "evolved")])
def test_the_cube_is_solved(neurons, output):
    na = OnePlusOneNA(neurons=neurons, output=output, resolution=24)
    runs = na.run_many(problem("cube"), runs=4, seed=1, budget=10**6, stagnation=5000, restarts=500)
    assert runs.success.all()
    corners = problem("cube")
    np.testing.assert_array_equal(runs.replay(1).network.predict(corners.X), corners.y)


@pytest.mark.parametrize("resolution", [120, 1200])
def test_an_evolved_output_solves_two_quarters(resolution):
    na = OnePlusOneNA(neurons=2, output="evolved", resolution=resolution)
    runs = na.run_many(problem("two_quarters"), runs=40, seed=1)
    assert runs.success.sum() > 5
    # Less than one step off in every component: the fitness is nearly 1.
    assert (runs.fitness[runs.success] > 1 - 10 / resolution).all()


def test_output_neurons_begin_uniformly_on_their_sphere_too():
    """Each weight of a direction that is uniform on the sphere in R^3 is uniform on [-1, 1]."""
    na = OnePlusOneNA(3, "evolved", resolution=2**20, init="sphere")
    first = [na.run(problem("two_quarters"), budget=1, seed=seed).network for seed in range(600)]
    weights = np.array([network.output_weights()[0] for network in first])
    assert weights.shape == (600, 3)
    for column in weights.T:
        assert stats.kstest(column, stats.uniform(-1, 2).cdf).pvalue > 1e-4
