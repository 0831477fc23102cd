"""The (1+1) NA: what its options mean, that runs repeat and obey the law of the plain loop."""

import itertools
import math
import random
import threading
from dataclasses import fields

import joblib
import numpy as np
import pytest
import reference
from scipy import stats

from hyperna import OnePlusOneNA
from hyperna.fitness import FiniteSet, Sampled, fitness_of
from hyperna.grid import Grid
from hyperna.networks import Network
from hyperna.problems import points, problem
from hyperna.search import Halt, Search, Task, run_block

SIGNIFICANCE = 1e-4
KNOWN = {
    "half": (reference.HALF, reference.HALF_OPTIMA, 1),
    "quarter": (reference.QUARTER, reference.QUARTER_OPTIMA, 1),
    "local_opt": (reference.LOCAL_OPT, reference.LOCAL_OPT_OPTIMA, 1),
    "two_quarters": (reference.TWO_QUARTERS, reference.TWO_QUARTERS_OPTIMA, 2),
}
LAWS = {"harmonic": reference.harmonic_law, "local": reference.local_law}


# ---- the same seed gives the same run


def settings_of_every_kind():
    corners = problem("cube", dim=2)
    yield OnePlusOneNA(neurons=2, resolution=40), problem("two_quarters"), {}
    yield OnePlusOneNA(neurons=2, resolution=40, mutation="local"), problem("two_quarters"), {}
    yield OnePlusOneNA(neurons=2, output="evolved", resolution=40), corners, {"budget": 300}
    yield (
        OnePlusOneNA(mutation="self_adjusting", resolution=40),
        problem("local_opt"),
        {"stagnation": 50, "restarts": 3},
    )


@pytest.mark.parametrize(
    "setting", list(settings_of_every_kind()), ids=lambda s: str(s[0].mutation)
)
def test_runs_are_the_same_however_they_are_made(setting):
    na, subject, options = setting
    runs = na.run_many(subject, runs=150, seed=5, **options)
    seen = []
    for variant in (
        {"n_jobs": 1},
        {"n_jobs": 2},
        {"n_jobs": -1, "progress": lambda done, total: seen.append((done, total))},
    ):
        again = na.run_many(subject, runs=150, seed=5, **variant, **options)
        np.testing.assert_array_equal(again.rows, runs.rows)
    assert seen[-1] == (150, 150)
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    for number in (0, 1, 77, 149):
        single = na.run(subject, seed=5, number=number, trajectory=True, **options)
        replayed = runs.replay(number)
        assert single.network == replayed.network
        for one in (single, replayed):
            assert one.evaluations == runs.evaluations[number]
            assert one.fitness == runs.fitness[number] == fitness_of(subject)(one.network)
            assert one.stop_reason == runs.stop_reasons[number]
            assert one.success == runs.success[number]
            assert one.restarts == runs.restarts[number]
            assert (one.stuck_at or 0) == runs.stuck_at[number]


def test_runs_in_other_processes_are_the_same():
    na = OnePlusOneNA(neurons=2, resolution=40)
    runs = na.run_many(problem("two_quarters"), runs=30, seed=5)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        again = na.run_many(problem("two_quarters"), runs=30, seed=5)
    np.testing.assert_array_equal(again.rows, runs.rows)


def test_the_first_runs_do_not_depend_on_how_many_follow():
    na = OnePlusOneNA(resolution=40)
    many = na.run_many(problem("quarter"), runs=1000, seed=5)
    few = na.run_many(problem("quarter"), runs=3, seed=5)
    np.testing.assert_array_equal(many.rows[:3], few.rows)


def test_numbers_and_seeds_give_different_runs():
    na = OnePlusOneNA(resolution=2**30)
    starts = {
        tuple(na.run(problem("half"), budget=1, seed=seed, number=number).network.genome.tolist())
        for seed in (0, 1, 2**64, 2**64 + 1)
        for number in range(50)
    }
    assert len(starts) == 200
    fresh = {na.run(problem("half"), budget=1).network for _ in range(5)}
    assert len(fresh) == 5


def test_a_seed_sequence_is_as_good_as_a_number():
    na = OnePlusOneNA(resolution=40)
    sequence = np.random.SeedSequence(17)
    by_sequence = na.run_many(problem("half"), runs=20, seed=sequence)
    np.testing.assert_array_equal(
        by_sequence.rows, na.run_many(problem("half"), runs=20, seed=17).rows
    )
    child = sequence.spawn(1)[0]
    assert (na.run_many(problem("half"), runs=20, seed=child).rows != by_sequence.rows).any()


# ---- limits


@pytest.mark.parametrize("mutation", ["harmonic", "local", "self_adjusting"])
def test_a_budget_cuts_the_run_and_changes_nothing_before(mutation):
    na = OnePlusOneNA(neurons=2, resolution=200, mutation=mutation)
    full = na.run(problem("two_quarters"), budget=2000, target=False, seed=1, trajectory=True)
    for budget in (1, 2, 3, 50, 777):
        cut = na.run(problem("two_quarters"), budget=budget, target=False, seed=1, trajectory=True)
        assert (cut.evaluations, cut.success) == (budget, False)
        assert cut.stop_reason in ("budget", "stuck")
        before = full.trajectory.evaluations <= budget
        np.testing.assert_array_equal(cut.trajectory.genomes, full.trajectory.genomes[before])
        assert cut.network == cut.trajectory.network(-1)


def test_the_first_network_is_the_first_evaluation():
    optimum = Network(Grid(2, 1, 120), [30, 60])
    result = OnePlusOneNA().run(problem("half"), start=optimum, seed=1, trajectory=True)
    assert (result.evaluations, result.stop_reason, result.fitness) == (1, "optimum", 1.0)
    assert result.network == result.trajectory.network(0) == optimum
    assert result.improvements.evaluations.tolist() == [1]
    result = OnePlusOneNA().run(problem("half"), target=0.0, seed=1)
    assert (result.evaluations, result.stop_reason) == (1, "target")


def test_the_default_budget_is_the_paper_s():
    assert OnePlusOneNA(resolution=120).default_budget == 57449
    na = OnePlusOneNA(resolution=30, bias=False)
    result = na.run(problem("quarter"), seed=1)
    assert (result.evaluations, result.stop_reason) == (reference.paper_budget(30), "budget")


@pytest.mark.parametrize("mutation", ["harmonic", "local"])
@pytest.mark.parametrize("stagnation", [1, 10, 60])
def test_stagnation_ends_a_run_after_so_many_evaluations_without_a_better_fitness(
    mutation, stagnation
):
    na = OnePlusOneNA(neurons=2, resolution=200, mutation=mutation)
    for seed in range(10):
        options = {"budget": 3000, "target": False, "seed": seed}
        free = na.run(problem("two_quarters"), **options)
        gaps = np.diff(np.append(free.improvements.evaluations, 10**9))
        last = free.improvements.evaluations[int(np.argmax(gaps > stagnation))]
        result = na.run(problem("two_quarters"), stagnation=stagnation, **options)
        expected = min(int(last) + stagnation, 3000)
        assert result.evaluations == expected
        assert result.stop_reason == ("stagnation" if expected < 3000 else "budget")
        assert result.improvements.evaluations[-1] == last


def test_a_target_ends_the_run_at_the_first_network_that_reaches_it():
    na = OnePlusOneNA(neurons=2, resolution=200)
    for seed in range(10):
        free = na.run(problem("two_quarters"), budget=5000, target=False, seed=seed)
        for target in (min(0.6, free.fitness), min(0.8, free.fitness), free.fitness):
            reached = int(np.argmax(free.improvements.fitness >= target))
            result = na.run(problem("two_quarters"), budget=5000, target=target, seed=seed)
            assert result.stop_reason == "target"
            assert result.success
            assert result.evaluations == free.improvements.evaluations[reached]
            assert result.fitness == free.improvements.fitness[reached] >= target
        above = float(np.nextafter(free.fitness, 2))
        if above <= 1:
            result = na.run(problem("two_quarters"), budget=5000, target=above, seed=seed)
            assert (result.stop_reason, result.success) == ("budget", False)


@pytest.mark.parametrize("output", ["or", "and"])
def test_success_means_close_to_an_optimum(output):
    """Every component less than one step off, checked by the plain definition."""
    r = 60
    na = OnePlusOneNA(neurons=2, resolution=r, output=output)
    optima = problem("two_quarters").optima(2, output)
    found = reference.optimum_test([[tuple(n) for n in optimum] for optimum in optima], r)
    for seed in range(20):
        path = na.run(problem("two_quarters"), seed=seed, trajectory=True)
        close = [found(genome) for genome in path.trajectory.genomes.tolist()]
        assert close[-1] == path.success
        assert not any(close[:-1])


# ---- restarts


def test_restarts_begin_anew_after_stagnation():
    na = OnePlusOneNA(resolution=120)
    options = {"budget": 4000, "stagnation": 30, "target": False}
    for seed in range(20):
        result = na.run(problem("quarter"), restarts=5, seed=seed, trajectory=True, **options)
        first = na.run(problem("quarter"), seed=seed, trajectory=True, **options)
        path = result.trajectory
        n = len(first.trajectory)
        np.testing.assert_array_equal(path.genomes[:n], first.trajectory.genomes)
        # Each start ends 30 evaluations after its last rise; the next one is evaluated after that.
        starts, rise, fitness = 1, 1, path.fitness[0]
        for evaluation, value in zip(path.evaluations[1:], path.fitness[1:], strict=True):
            if evaluation > rise + 30:
                assert evaluation == rise + 31
                starts, rise, fitness = starts + 1, evaluation, value
            assert value >= fitness
            if value > fitness:
                rise, fitness = evaluation, value
        assert result.restarts == starts - 1 == 5
        assert result.stop_reason == "stagnation"
        assert result.evaluations == rise + 30
        assert result.fitness == path.fitness.max()
        best = int(np.argmax(path.fitness))
        assert result.improvements.evaluations[-1] == path.evaluations[best]
        assert fitness_of(problem("quarter"))(result.network) == result.fitness


def test_restarts_share_the_budget_and_rescue_runs_that_are_stuck():
    na = OnePlusOneNA(resolution=48, mutation="local")
    once = na.run_many(problem("local_opt"), runs=400, seed=3)
    again = na.run_many(problem("local_opt"), runs=400, seed=3, restarts=1000)
    assert (once.stop_reasons == "stuck").any()
    assert again.success.all()
    assert (again.evaluations <= na.default_budget).all()
    np.testing.assert_array_equal(again.restarts > 0, once.stop_reasons == "stuck")
    # A run that is not stuck is not touched by the permission to restart.
    fine = once.success
    np.testing.assert_array_equal(again.evaluations[fine], once.evaluations[fine])
    limited = na.run_many(problem("local_opt"), runs=400, seed=3, restarts=1000, budget=100)
    assert limited.evaluations.max() == 100


# ---- the trace


@pytest.mark.parametrize("mutation", ["harmonic", "local"])
def test_improvements_are_the_rises_of_the_trajectory(mutation):
    na = OnePlusOneNA(neurons=3, resolution=300, mutation=mutation)
    result = na.run(problem("arcs", k=3), seed=1, trajectory=True, target=False, budget=20_000)
    path, rises = result.trajectory, result.improvements
    new = np.append(True, np.diff(np.maximum.accumulate(path.fitness)) > 0)
    np.testing.assert_array_equal(rises.evaluations, path.evaluations[new])
    np.testing.assert_array_equal(rises.fitness, path.fitness[new])
    assert (np.diff(path.evaluations) > 0).all()
    assert path.evaluations[0] == 1
    assert path.evaluations[-1] <= result.evaluations
    if mutation == "local":
        moves = np.diff(path.genomes, axis=0) % path.grid.moduli
        assert np.isin(moves, (0, 1, 299, 300)).all()


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
        (2, 2, "or", "local"),
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
def test_stuck_runs_have_no_acceptable_neighbour(name, neurons, output, resolution):
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
        genome = result.network.genome.tolist()
        here = fitness(genome)
        for move in itertools.product((0, 1, -1), repeat=len(genome)):
            neighbour = [(v + d) % m for v, d, m in zip(genome, move, moduli, strict=True)]
            assert fitness(neighbour) < here or neighbour == genome


def test_stuck_runs_on_points_have_no_acceptable_neighbour():
    """Equal scores are decided by margins here: the largest w·x - b of the neurons of an OR."""
    corners, weights = problem("cube"), np.arange(1, 9)
    fitness = FiniteSet(corners.X, corners.y, weights, tie_clip=0.5)
    na = OnePlusOneNA(neurons=2, resolution=9, mutation="local")
    grid = na.grid(3)

    def value(genome):
        W, b = grid.normals(genome)
        margin = (corners.X @ W.T - b).max(axis=1)
        signed = np.where(corners.y, margin, -margin).clip(-0.5, 0.5)
        score = int(weights[np.where(corners.y, margin >= 0, margin < 0)].sum())
        return score, round(float(weights @ signed), 9)

    runs = na.run_many(fitness, runs=60, seed=1, target=False, budget=30_000)
    stuck = np.flatnonzero(runs.stop_reasons == "stuck")
    assert stuck.size > 3
    for number in stuck[:3]:
        genome = runs.replay(int(number)).network.genome
        for move in itertools.product((0, 1, -1), repeat=genome.size):
            if any(move):
                assert value((genome + move) % grid.moduli) < value(genome)


# ---- every dimension


def test_in_one_dimension_both_orientations_are_reached():
    X = [[-0.8], [-0.3], [0.2], [0.9]]
    for y, orientation in [([0, 0, 1, 1], 0), ([1, 1, 0, 0], 1)]:
        for mutation in ("harmonic", "local", "uniform", "cauchy", "self_adjusting"):
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
    for output, y in [("and", inside), ("or", ~inside), ("evolved", inside)]:
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


@pytest.mark.parametrize(("neurons", "output"), [(4, "or"), (4, "and"), (3, "evolved")])
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


# ---- where runs begin


def first_genomes(na, dim, count):
    X = np.zeros((1, dim))
    return np.array(
        [na.run(points(X, [1]), budget=1, seed=9, number=i).network.genome for i in range(count)]
    )


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
    normals = np.array([grid.normals(genome)[0][0] for genome in genomes])
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


# ---- interruption


def test_an_interrupted_batch_leaves_nothing_broken():
    na = OnePlusOneNA(resolution=40)
    expected = na.run_many(problem("quarter"), runs=500, seed=1).rows

    def interrupt(done, total):
        raise KeyboardInterrupt

    for n_jobs in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            na.run_many(problem("quarter"), runs=500, seed=1, n_jobs=n_jobs, progress=interrupt)
        again = na.run_many(problem("quarter"), runs=500, seed=1, n_jobs=n_jobs)
        np.testing.assert_array_equal(again.rows, expected)


def test_an_interrupted_batch_stops_its_threads():
    """The last blocks would take years; nobody waits for them, and nobody goes on with them."""
    started = threading.Event()

    class Slow(Task):
        @property
        def quota(self):
            started.set()
            return 1000

    na = OnePlusOneNA(resolution=12, bias=False)
    plain = na.task(problem("quarter"), budget=2**61, target=False)
    slow = Slow(**{field.name: getattr(plain, field.name) for field in fields(Task)})
    halt, ended = Halt(), threading.Event()

    def work():
        run_block(slow, 0, 0, 3, halt)
        ended.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert started.wait(60)
    assert not ended.is_set()
    halt.raised = True
    thread.join(60)
    assert ended.is_set()


def test_a_search_tells_its_result_at_any_time():
    task = OnePlusOneNA(resolution=300).task(problem("quarter"))
    search, fitness = Search(task, 4), fitness_of(problem("quarter"))
    assert search.result().evaluations == 1
    previous = 0.0
    while not search.advance(3):
        result = search.result()
        assert result.fitness == fitness(result.network) >= previous
        assert (result.stop_reason, result.success) == ("running", False)
        previous = result.fitness
    assert search.advance(3)
    done = task.run(4)
    assert (search.result().evaluations, search.result().network) == (
        done.evaluations,
        done.network,
    )


def test_settings_are_not_written_to():
    X, y, w = np.eye(3), np.array([0, 1, 1]), np.array([1.0, 2.0, 3.0])
    copies = X.copy(), y.copy(), w.copy()
    na = OnePlusOneNA(resolution=20)
    start = Network(na.grid(3), [1, 2, 3])
    na.run(FiniteSet(X, y, w), start=start, budget=500, target=False, seed=1)
    assert start == Network(na.grid(3), [1, 2, 3])
    for array, copy in zip((X, y, w), copies, strict=True):
        np.testing.assert_array_equal(array, copy)
