"""Corners where two mechanisms meet: each test here is for one that no other file looks at."""

import random
from itertools import product

import numpy as np
import pytest
import reference
import reference_runs as plain
from samples import OUTPUTS
from scipy import stats
from test_combinations import algorithm_of, check_distribution, cloud, fitness_of, read

import hyperna
from hyperna import (
    AnnealingNA,
    Campaign,
    FiniteSet,
    Grid,
    MuPlusOneNA,
    Network,
    OneCommaLambdaNA,
    OnePlusLambdaNA,
    OnePlusOneNA,
    expected_runtime,
    problem,
)
from hyperna.baselines import baseline_task
from hyperna.baselines.base import Baseline
from hyperna.fitness import ExactSphere, Sampled
from hyperna.run.relatives import RELATIVES


def lattice(dim):
    """Points with coordinates that are multiples of a half, and labels without a pattern."""
    steps = [-1.0, -0.5, 0.0, 0.5, 1.0]
    X = [x for x in product(steps, repeat=dim) if sum(v * v for v in x) <= 1]
    rng = random.Random(dim)
    return np.array(X), np.array([rng.random() < 0.5 for _ in X])


@pytest.mark.parametrize("neurons", [12, 13, 17])
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("dim", [2, 3])
def test_many_neurons_with_points_on_their_planes(neurons, output, dim):
    """At r = 8 normals along the axes and biases of a half meet points of a lattice exactly."""
    X, y = lattice(dim)
    fitness = FiniteSet(X, y)
    slow = reference.point_fitness(X.tolist(), y.tolist(), neurons, 8, output)
    na = OnePlusOneNA(neurons, output, resolution=8, mutation="uniform")
    way = na.run(fitness, budget=120, target=False, seed=neurons, trajectory=True).trajectory
    met = 0
    for genome, share in zip(way.genomes.tolist(), way.fitness, strict=True):
        assert round(share * len(X)) == slow(genome)
        W, b = Network(way.grid, genome).weights()
        met += np.count_nonzero(np.abs(X @ W.T - b) < 1e-12)
    assert met > 100, "points lie on planes"


@pytest.mark.parametrize("neurons", [1, 3, 13])
def test_a_bend_of_a_right_angle_is_a_plain_neuron_on_its_plane_too(neurons):
    X, y = lattice(2)
    rng = np.random.default_rng(0)
    plain_grid, bent_grid = Grid(2, neurons, 8, "xor"), Grid(2, neurons, 8, "xor", "bent")
    for _ in range(60):
        genome = plain_grid.random(rng).reshape(neurons, 2)
        bent = np.column_stack([genome, np.full(neurons, 4)])
        one, other = Network(plain_grid, genome.ravel()), Network(bent_grid, bent.ravel())
        assert one.predict(X).tolist() == other.predict(X).tolist()
        assert FiniteSet(X, y).score(one) == FiniteSet(X, y).score(other)


ALGORITHMS = [
    OnePlusLambdaNA(resolution=15, offspring=4),
    OneCommaLambdaNA(resolution=15, offspring=2),
    MuPlusOneNA(resolution=15, members=6),
    AnnealingNA(resolution=15, temperature=0.3, cooling=1.0),
    OnePlusOneNA(resolution=15),
]


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda one: one.name)
def test_a_run_that_found_an_optimum_ends_with_it(algorithm):
    """The network returned is the one near the optimum, which may be worse than one before.

    At r = 15 two networks beyond a grid step from QUARTER's optimum are fitter than some within.
    """
    found = reference.optimum_test(reference.QUARTER_OPTIMA, 15)
    task = problem("quarter")
    fitness = hyperna.fitness_of(task)
    fell = 0
    for seed in range(300):
        result = algorithm.run(task, seed=seed, budget=4000)
        assert result.stop_reason == "optimum"
        assert result.success
        assert found(result.network.genome.tolist())
        assert result.fitness == fitness(result.network)
        fell += result.fitness < result.improvements.fitness.max()
    if algorithm.name in ("one_comma_lambda", "mu_plus_one", "annealing"):
        assert fell, "in some runs a fitter network was left before"


@pytest.mark.parametrize(
    "algorithm",
    [OnePlusOneNA(resolution=15), OnePlusLambdaNA(resolution=15, offspring=2)],
    ids=lambda one: one.name,
)
def test_a_restart_that_found_an_optimum_ends_with_it(algorithm):
    """Also if an earlier start ended with a fitter network."""
    found = reference.optimum_test(reference.QUARTER_OPTIMA, 15)
    fell = 0
    for seed in range(150):
        result = algorithm.run("quarter", seed=seed, budget=4000, stagnation=3, restarts=1000)
        assert result.stop_reason == "optimum"
        assert found(result.network.genome.tolist())
        assert result.fitness == hyperna.fitness_of(problem("quarter"))(result.network)
        fell += result.fitness < result.improvements.fitness.max()
    assert fell, "in some runs an earlier start had a fitter network"


def test_replacement_redrawing_and_adaptive_steps_together():
    """All three at once: a neuron drawn again tells steps nothing, void offspring are no steps."""
    for neurons, mutation in ((1, "adaptive"), (3, "adaptive"), (2, plain.WITHOUT_JUMPS)):
        case = plain.Case(
            arcs=tuple(reference.TWO_QUARTERS),
            neurons=neurons,
            mutation=mutation,
            replace_neuron=0.4,
            redraw_void=True,
            budget=40,
        )
        check_distribution(case, 150, f"{neurons} {mutation}")


def test_crossover_takes_the_output_neuron_from_either_parent():
    """Without mutation's help: half of the offspring of two parents have the other's output."""
    case = plain.Case(
        arcs=tuple(reference.TWO_QUARTERS),
        neurons=3,
        output="evolved",
        algorithm="mu_plus_one",
        members=2,
        crossover=1.0,
        mutation_probability=1e-9,
        budget=300,
    )
    na, fitness = algorithm_of(case), fitness_of(case)
    mixes = set()
    for seed in range(120):
        way = na.run(fitness, budget=300, target=False, seed=seed, trajectory=True).trajectory
        parents = [read(case, way.network(i)) for i in range(2)]
        for i in range(2, len(way)):
            child = read(case, way.network(i))
            origin = tuple(
                [one == part for one in (parents[0].parts[k], parents[1].parts[k])].index(True)
                for k, part in enumerate(child.parts)
            )
            mixes.add(origin)
    assert len(mixes) == 16, "every neuron, the output's too, comes from either parent"


def test_points_inside_the_ball_are_judged_online_by_cones():
    """Bent neurons and fresh points nearer to the origin than 1: the square of a length matters."""
    X, y, weights = cloud(2, weighted=False)
    near = tuple((0.3 * a, 0.3 * b) for a, b in X)
    for judge_once in (False, True):
        case = plain.Case(
            X=near,
            y=y,
            weights=weights,
            online=6,
            judge_once=judge_once,
            neuron="bent",
            neurons=1,
            budget=60,
        )
        check_distribution(case, 150, f"{judge_once}")


@pytest.mark.parametrize("budget", [2, 3, 10, 40, 41, 200])
def test_no_run_exceeds_its_budget_while_it_waits(budget):
    """Local steps, where waiting times are drawn at once: never longer, and as often successful.

    The share of runs that succeed within the budget is that of the exact chain.
    """
    quarter = problem("quarter")
    na = OnePlusOneNA(resolution=12, mutation="local")
    runs = na.run_many(quarter, 20_000, budget=budget, seed=budget)
    assert runs.evaluations.max() <= budget
    assert (runs.evaluations[~runs.success] == budget).all()
    exact = expected_runtime(quarter, 12, "local").distribution(budget)
    for t in range(1, budget + 1):
        count = int((runs.success & (runs.evaluations <= t)).sum())
        p = float(exact[t])
        assert stats.binomtest(count, len(runs), min(p, 1.0)).pvalue > 1e-6
    stagnant = na.run_many(quarter, 2000, budget=10**6, stagnation=budget, target=False, seed=1)
    for number in range(40):
        result = stagnant.replay(number)
        assert result.evaluations == result.improvements.evaluations[-1] + budget


def test_first_networks_that_are_turned_lie_on_the_coarse_grid():
    """Rotations at D = 3 search the finest grid; starts are spread over the coarse one."""
    points = FiniteSet(*lattice(3))
    for neurons in (2, "evolved"):
        na = OnePlusOneNA(neurons, "xor", resolution=12, move="rotation")
        unit = na.grid(3).resolution // 12
        assert unit > 1000
        first = []
        for seed in range(300):
            way = na.run(points, budget=1, target=False, seed=seed, trajectory=True).trajectory
            genome = way.network(0).genome
            assert not (genome % unit).any()
            first.append(genome[:3] // unit)
        for k, size in enumerate((12, 12, 13)):
            counts = np.bincount(np.array(first)[:, k], minlength=size)
            assert len(counts) == size
            assert stats.chisquare(counts).pvalue > 1e-4


def test_a_given_start_with_rotations_and_evolving_neurons_is_where_the_run_begins():
    points = FiniteSet(*lattice(3))
    na = OnePlusOneNA("evolved", "evolved", resolution=12, move="rotation", max_neurons=4)
    fine = na.grid(3).resolution
    for neurons in (1, 2, 3):
        grid = Grid(3, neurons, fine, "evolved")
        start = Network(grid, grid.random(np.random.default_rng(neurons)))
        result = na.run(points, start=start, budget=50, target=False, seed=1, trajectory=True)
        assert result.trajectory.network(0) == start
        assert result.trajectory.fitness[0] == points(start)


@pytest.mark.parametrize("neuron", ["plain", "bent"])
@pytest.mark.parametrize("output", OUTPUTS)
def test_areas_on_the_sphere_are_those_of_many_points(neuron, output):
    """Two and three neurons of every kind and output, against a million even points."""
    rng = np.random.default_rng(5)
    for name, neurons in (("two_quarters", 2), ("local_opt", 3)):
        subject = problem(name, dim=3)
        grid = Grid(3, neurons, 120, output, neuron)
        exact, counted = ExactSphere(subject), Sampled(subject, n=200_000, method="even")
        for _ in range(6):
            network = Network(grid, grid.random(rng))
            assert exact(network) == pytest.approx(counted(network), abs=2e-3)


class Honest(Baseline):
    """Ten points at a time, as long as its budget allows."""

    name = "honest"
    summary = "ten points, then it stops"
    seen: list = []  # noqa: RUF012  what it was told, for the test

    def search(self, error, space, rng, budget):
        self.seen.append(budget)
        error(rng.uniform(space.low, space.high, (min(10, budget), space.size)))


def test_a_restarted_baseline_has_what_is_left_of_the_budget():
    Honest.seen.clear()
    task = baseline_task(Honest(), problem("half"), target=False, restarts=20, budget=95)
    result = task.run(seed=0)
    assert Honest.seen == [95, 85, 75, 65, 55, 45, 35, 25, 15, 5]
    assert (result.evaluations, result.restarts, result.stop_reason) == (95, 9, "budget")


def test_an_algorithm_above_the_blocks_of_a_campaign_is_theirs():
    campaign = Campaign.from_dict(
        {
            "algorithm": "rls",
            "runs": 3,
            "settings": [
                {"problem": "half"},
                {"problem": "quarter", "algorithm": "na"},
                {"problem": "local_opt", "algorithm": ["na", "random_search"]},
            ],
        }
    )
    found = sorted((one.problem, one.algorithm) for one in campaign.wanted)
    assert found == [
        ("half", "rls"),
        ("local_opt", "na"),
        ("local_opt", "random_search:representation=polar"),
        ("quarter", "na"),
    ]
    several = Campaign.from_dict({"algorithm": ["na", "rls"], "settings": [{"problem": "half"}]})
    assert sorted(one.algorithm for one in several.wanted) == ["na", "rls"]


# Local steps: one component at a time, void steps drawn again, two axes of three that move.
WAITING = [
    ("local_opt", {"algorithm": "rls", "neurons": 2}),
    ("quarter", {"redraw_void": True}),
    ("half", {"redraw_void": True, "bias": False, "dim": 3}),
    ("half", {"redraw_void": True, "bias": False, "mutation_probability": 0.3}),
]


@pytest.mark.parametrize(("name", "options"), WAITING, ids=str)
def test_waits_under_other_options_are_those_of_the_exact_chain(name, options):
    """Success within so many evaluations is as likely as in the exact chain."""
    own = {key: value for key, value in options.items() if key not in ("algorithm", "dim")}
    na = RELATIVES[options.get("algorithm", "na")](resolution=8, mutation="local", **own)
    runs = na.run_many(problem(name, dim=options.get("dim", 2)), 10_000, budget=300, seed=1)
    exact = expected_runtime(name, 8, "local", **options).distribution(300)
    for t in range(1, 300, 3):
        count = int((runs.success & (runs.evaluations <= t)).sum())
        assert stats.binomtest(count, len(runs), min(float(exact[t]), 1.0)).pvalue > 1e-6


@pytest.mark.parametrize(
    "options", [{}, {"move": "rotation"}, {"mutation": "pareto"}, {"mutation": "local"}], ids=str
)
def test_starts_of_automatic_restarts_are_as_long_as_luby_s_sequence_says(options):
    """At the origin all networks without a bias are equal: every start stagnates from its first.

    Start k ends 4 u_k c log2(r) evaluations after its first, with c components; a finer grid on
    which directions are turned, or steps are real numbers, does not count.
    """
    fitness = FiniteSet(np.zeros((1, 3)), [True])
    na = OnePlusOneNA(2, resolution=16, bias=False, **options)
    starts = [1 + 4 * u * 4 * 4 for u in (1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8)]
    for k in range(1, len(starts) + 1):
        for more in (0, 1):
            budget = sum(starts[:k]) + more
            result = na.run(fitness, restarts="auto", target=False, budget=budget, seed=k)
            assert (result.restarts, result.evaluations) == (k - 1 + more, budget)
