"""Fitness on points: finite sets, samples of the sphere, and which fitness a problem gets."""

import itertools
import math
import pickle

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from samples import OUTPUTS, random_networks

from hyperna.fitness import (
    ExactArcs,
    ExactSphere,
    FiniteSet,
    Fitness,
    Online,
    Sampled,
    fitness_of,
)
from hyperna.fitness.points import integer_weights
from hyperna.network.grid import Grid
from hyperna.network.networks import Network
from hyperna.problems import points, problem

# ---- finite sets


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("dim", [1, 2, 4])
def test_finite_set_counts_weights(dim, output):
    rng = np.random.default_rng(dim)
    X = rng.uniform(-1, 1, (30, dim))
    y = rng.random(30) < 0.5
    weights = rng.integers(0, 7, 30)
    weights[0] = 1
    fitness = FiniteSet(X, y, weights)
    assert fitness.total == weights.sum()
    networks = [*random_networks(3, 50, output, 10, dim=dim)]
    networks += random_networks(4, 50, output, 10, dim=dim)
    for network in networks:
        grid = network.grid
        answers = reference.predict(
            network.genome.tolist(), X, grid.neurons, grid.resolution, output
        )
        right = int(weights[np.array(answers, dtype=bool) == y].sum())
        assert fitness.score(network) == right
        assert fitness(network) == right / weights.sum()
        assert fitness.standard_error(network) == 0


def test_finite_set_does_not_follow_the_caller_s_arrays():
    X, y = np.eye(2), np.array([1, 0])
    fitness = FiniteSet(X, y)
    X[:] = 0
    y[:] = 0
    assert fitness.X.tolist() == np.eye(2).tolist()
    assert fitness.y.tolist() == [True, False]


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (None, [1, 1, 1]),
        ([0.3, 0.3, 0.3], [1, 1, 1]),
        ([5, 5, 5], [1, 1, 1]),
        ([2, 4, 0], [1, 2, 0]),
        ([0.1, 0.2, 0.3], [1, 2, 3]),
        ([1 / 3, 1 / 7, 1], [7, 3, 21]),
        ([50 / (2 * 13), 50 / (2 * 37), 50 / (2 * 37)], [37, 13, 13]),
        ([1 / 997, 0.5, 1], [2, 997, 1994]),
        ([1, 1 / 999_983, 1], [999_983, 1, 999_983]),
        ([1e300, 2e300, 1e300], [1, 2, 1]),
        ([2.0**40, 1, 3], [2**40, 1, 3]),
    ],
)
def test_weights_become_proportional_integers(weights, expected):
    assert integer_weights(weights, 3).tolist() == expected


@given(st.lists(st.floats(0, 1e308), min_size=1, max_size=20).filter(any))
def test_any_weights_keep_their_proportions(weights):
    found = integer_weights(weights, len(weights))
    assert found.dtype == np.int64
    assert (found >= 0).all()
    assert 0 < found.sum() < 2**51
    largest = max(weights)
    total = math.fsum(w / largest for w in weights)
    for weight, unit in zip(weights, found.tolist(), strict=True):
        assert unit / found.sum() == pytest.approx(weight / largest / total, rel=1e-13, abs=1e-13)


def test_balanced_classes_tie():
    """Weights n / (2 n_class) make "all positive" exactly as good as "all negative"."""
    y = np.arange(50) < 13
    weights = np.where(y, 50 / (2 * 13), 50 / (2 * 37))
    fitness = FiniteSet(np.linspace(-0.9, 0.9, 50)[:, None], y, weights)
    always, never = (Network(Grid(1, 1, 10), [0, bias]) for bias in (0, 10))
    assert fitness(always) == fitness(never) == 0.5


@pytest.mark.parametrize(
    ("X", "y", "weights", "message"),
    [
        (np.empty((0, 2)), [], None, "X must have shape"),
        ([[math.inf, 0]], [1], None, "X must be finite"),
        ([[0, 0]], [3], None, "only 0 and 1"),
        ([[0, 0]], [1, 1], None, r"y must have shape \(1,\)"),
        ([[0, 0]], [1], [-2], "weights must not be negative, got -2"),
        ([[0, 0]], [1], [math.nan], "weights must be finite, got nan"),
        ([[0, 0]], [1], [0], "weights must not be all zero"),
        ([[0, 0]], [1], [1, 1], r"weights must have shape \(1,\)"),
    ],
)
def test_wrong_finite_sets_are_refused(X, y, weights, message):
    with pytest.raises(ValueError, match=message):
        FiniteSet(X, y, weights)


def test_single_points_and_single_labels_are_allowed():
    assert FiniteSet([[0.5]], [1])(Network(Grid(1, 1, 4), [0, 0])) == 1
    assert FiniteSet(np.eye(2), [0, 0])(Network(Grid(2, 1, 4), [0, 0])) == 0


def test_finite_set_refuses_networks_of_other_dimension():
    with pytest.raises(ValueError, match="must have dim 2 for this fitness, got 3"):
        FiniteSet(np.eye(2), [0, 1]).score(Network(Grid(3, 1, 4), [0, 0, 0]))


# ---- samples of the sphere


@pytest.mark.parametrize("method", ["sobol", "random", "even"])
@pytest.mark.parametrize("dim", [2, 3, 5])
def test_sampled_fitness_of_half_spaces_is_the_angle_between_them(dim, method):
    """Two half-spaces through the origin agree on all but 2 gamma / 2 pi of the sphere."""
    fitness = Sampled(problem("half", dim=dim), n=4096, method=method, seed=5)
    last = np.eye(dim)[-1]
    rng = np.random.default_rng(dim)
    grid = Grid(dim, 1, 10**6)
    for _ in range(20):
        network = Network(grid, grid.from_weights(rng.standard_normal((1, dim)), [0.0]))
        normal = network.weights()[0][0]
        exact = 1 - math.acos(np.clip(normal @ last, -1, 1)) / math.pi
        share = fitness(network)
        assert share * 4096 == fitness.score(network)
        error = fitness.standard_error(network)
        assert error == pytest.approx(math.sqrt(share * (1 - share) / 4096), abs=1e-15)
        assert abs(share - exact) < 4.5 * error + 1e-3


@pytest.mark.parametrize("method", ["sobol", "even"])
def test_spread_points_err_less_than_their_standard_error(method):
    fitness = Sampled(problem("half", dim=3), n=4096, method=method)
    rng = np.random.default_rng(0)
    grid = Grid(3, 1, 10**6)
    ratios = []
    for _ in range(60):
        network = Network(grid, grid.from_weights(rng.standard_normal((1, 3)), [0.0]))
        exact = 1 - math.acos(network.weights()[0][0, 2]) / math.pi
        ratios.append((fitness(network) - exact) / fitness.standard_error(network))
    assert np.sqrt(np.mean(np.square(ratios))) < 0.5


def test_standard_error_is_the_spread_over_seeds():
    grid = Grid(3, 1, 100)
    network = Network(grid, [10, 30, 60])
    made = [Sampled(problem("quarter", dim=3), n=200, method="random", seed=s) for s in range(400)]
    spread = np.std([fitness(network) for fitness in made])
    typical = np.mean([fitness.standard_error(network) for fitness in made])
    assert spread == pytest.approx(typical, rel=0.15)


def test_samples_are_fixed_by_their_seed():
    settings = [("sobol", 1), ("sobol", 2), ("random", 1), ("random", 2), ("even", 1)]
    half = problem("half", dim=4)
    drawn = [Sampled(half, 64, method, seed).points.X for method, seed in settings]
    again = [Sampled(half, 64, method, seed).points.X for method, seed in settings]
    assert all((a == b).all() for a, b in zip(drawn, again, strict=True))
    assert all((a != b).any() for a, b in itertools.combinations(drawn, 2))
    assert (drawn[-1] == Sampled(half, 64, "even", 2).points.X).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [({"n": 0}, "n must be"), ({"method": "grid"}, "method must be"), ({"seed": -1}, "seed must")],
)
def test_wrong_samples_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Sampled(problem("half"), **options)


def test_point_sets_are_not_sampled():
    with pytest.raises(TypeError, match="whole sphere"):
        Sampled(problem("cube"))


# ---- the choice


def test_fitness_of_keeps_the_problem():
    data = points(np.eye(2), [0, 1], [1, 3])
    for subject in (problem("half"), problem("half", dim=3), problem("cube"), data):
        chosen = fitness_of(subject)
        assert isinstance(chosen, Fitness)
        assert chosen.problem is subject
        assert chosen.dim == subject.dim
        assert fitness_of(chosen) is chosen
    assert fitness_of(data).weights.tolist() == [1, 3]


def test_descriptions_are_short_however_many_points():
    many = fitness_of(problem("cube", dim=12))
    assert str(many) == "share of 4096 points"
    assert repr(many) == "FiniteSet(4096 points in R^12, total weight 4096)"
    assert repr(many.problem).startswith("CubeCorners('cube': 4096 points in R^12, 2048 of them")
    assert str(fitness_of(problem("half"))) == "exact share of the circle"
    sampled = Sampled(problem("half", dim=3), n=64)
    assert str(sampled) == (
        "share of 64 points on the sphere (sobol, seed 0; standard error up to 0.062)"
    )


def test_fitness_of_passes_the_sampling_on():
    chosen = fitness_of(problem("half"), n=100, method="random", seed=3)
    assert isinstance(chosen, Sampled)
    assert (chosen.n, chosen.method, chosen.seed) == (100, "random", 3)
    with pytest.raises(ValueError, match="n must be left out"):
        fitness_of(problem("cube"), n=100)
    assert fitness_of("half", neurons=1).problem == problem("half")
    with pytest.raises(TypeError, match="problem must be a name, a Problem or a Fitness, got 3"):
        fitness_of(3)


@pytest.mark.parametrize("dim", [2, 3])
def test_fitness_travels_between_processes(dim):
    fitness = fitness_of(problem("quarter", dim=dim))
    copy = pickle.loads(pickle.dumps(fitness))
    for network in random_networks(2, 60, "evolved", 3, dim=dim):
        assert copy.score(network) == fitness.score(network)


# ---- compiled


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("dim", [1, 2, 4])
def test_compiled_scores_are_those_of_predictions(dim, output):
    rng = np.random.default_rng(dim)
    X = rng.uniform(-1, 1, (70, dim))
    fitness = FiniteSet(X, rng.random(70) < 0.5, rng.integers(1, 9, 70))
    for neurons in (1, 3):
        networks = random_networks(neurons, 50, output, 10, dim=dim)
        for network in networks:
            found = fitness.scores(network.genome[None], network.grid)
            assert found.tolist() == [fitness.score(network)]


def test_weights_count():
    X, y = [[0.5, 0.0], [-0.5, 0.0]], [1, 0]
    network = Network(Grid(2, 1, 24), [12, 12])  # fires on the left, so both are wrong
    flipped = Network(Grid(2, 1, 24), [12, 0])  # fires everywhere, so one is right
    for weight in ([1.0, 3.0], [5.0, 1.0]):
        fitness = fitness_of(points(X, y, weight))
        assert isinstance(fitness, FiniteSet)
        assert fitness(network) == 0.0
        assert fitness(flipped) == pytest.approx(weight[0] / sum(weight))


@pytest.mark.parametrize("neuron", ["plain", "bent"])
def test_votes_are_weighted(neuron):
    from hyperna import Grid, Network

    rng = np.random.default_rng(0)
    X, grid = rng.normal(size=(50, 2)), Grid(2, 3, 64, "evolved", neuron)
    for _ in range(20):
        network = Network(grid, grid.random(rng))
        votes, quorum = network.output_weights()
        total = network.hidden(X) @ votes
        clear = np.abs(total - quorum) > 1e-9
        assert np.array_equal(network.predict(X)[clear], (total >= quorum)[clear])


@pytest.mark.parametrize("wrong", [0, 3, 6, 9])
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_the_row_that_is_off_the_grid_is_named(wrong, n_jobs):
    genomes = np.zeros((10, 2), int)
    genomes[wrong] = 99
    with pytest.raises(ValueError, match=rf"got \[99, 99\] in row {wrong}$"):
        fitness_of(problem("half")).scores(genomes, Grid(2, 1, 8), n_jobs=n_jobs)


@pytest.mark.parametrize(
    "fitness",
    [
        ExactArcs(problem("half")),
        ExactSphere(problem("half", dim=3)),
        FiniteSet([[1.0, 0.0], [-1.0, 0.0]], [1, 0]),
        Sampled(problem("half"), n=5, seed=0),
        Online(problem("half"), samples=5),
    ],
    ids=lambda fitness: type(fitness).__name__,
)
def test_only_networks_of_the_right_dimension_are_judged(fitness):
    with pytest.raises(TypeError, match="network must be a Network, got 'net'"):
        fitness("net")
    with pytest.raises(ValueError, match=f"networks must have dim {fitness.dim}"):
        fitness(Network(Grid(4, 1, 12), [0, 0, 0, 6]))


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_scores_of_many_genomes_do_not_depend_on_the_number_of_threads(n_jobs):
    half, grid = fitness_of(problem("half")), Grid(2, 1, 8)
    genomes = np.array([[i % 8, i % 9] for i in range(50)])
    expected = [half.score(Network(grid, genome)) for genome in genomes]
    assert half.scores(genomes, grid, n_jobs).tolist() == expected
