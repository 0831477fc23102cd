"""Bent neurons: arcs and caps by their definition, ties, runtimes against the exact chain."""

import math

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import OUTPUTS, WIRED

from hyperna.fitness import ExactArcs, FiniteSet, Sampled, fitness_of
from hyperna.network.grid import Grid
from hyperna.network.networks import Network
from hyperna.problems import problem
from hyperna.run.algorithm import OnePlusOneNA
from hyperna.theory import expected_runtime

PROBLEMS = ["half", "quarter", "two_quarters", "local_opt", "arcs:k=3"]


def fires(points, angle, bias, bend):
    """The definition: the angle between x - b w and w is at most theta (x never is b w here)."""
    w = np.array([math.cos(angle), math.sin(angle)])
    away = points - bias * w
    cosine = away @ w / np.linalg.norm(away, axis=1)
    return np.arccos(np.clip(cosine, -1, 1)) <= bend


def plain_fitness(subject, grid, genome):
    """Fitness by the arcs' ends from the formulas with tau, and a test between each two of them."""
    turn, r = 2 * math.pi, grid.resolution
    ends = [float(end) * turn for arc in subject.arcs for end in arc]
    neurons = []
    for phi, level, bend in genome[: grid.output_start].reshape(-1, 3).tolist():
        a, b, theta = turn * phi / r, 2 * level / r - 1, math.pi * bend / r
        tau = -b * math.cos(theta) + math.sqrt(1 - (b * math.sin(theta)) ** 2)
        h = math.atan2(max(tau, 0.0) * math.sin(theta), b + max(tau, 0.0) * math.cos(theta))
        neurons.append((a, h))
        ends += [a - h, a + h]
    cuts = np.sort(np.array([0.0, *(end % turn for end in ends)]))
    lengths = np.diff(np.append(cuts, turn))
    places = cuts + lengths / 2
    bits = np.array([np.abs((places - a + math.pi) % turn - math.pi) < h for a, h in neurons]).T
    answers = answer(grid, genome, bits)
    label = subject.label(np.column_stack([np.cos(places), np.sin(places)]))
    return lengths[answers == label].sum() / turn


def answer(grid, genome, bits):
    if grid.has_output_neuron:
        w, b = Network(grid, genome).output_weights()
        return bits @ w >= b
    return reference.joined(bits.T, grid.output)


resolutions = st.sampled_from([2, 3, 12, 120, 1200, 2**20, 2**40])


@settings(max_examples=80, deadline=None)
@given(
    resolutions,
    st.integers(1, 4),
    st.sampled_from(OUTPUTS),
    st.sampled_from(PROBLEMS),
    st.integers(0, 2**32),
)
def test_exact_fitness_on_the_circle(resolution, neurons, output, name, seed):
    grid = Grid(2, neurons, resolution, output, "bent")
    subject = problem(name)
    genome = grid.random(np.random.default_rng(seed))
    if neurons > 1 and output == "evolved":
        genome[-1] = resolution // 3  # an output exactly on its threshold is a matter of rounding
    expected = plain_fitness(subject, grid, genome)
    assert ExactArcs(subject)(Network(grid, genome)) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32))
def test_a_neuron_fires_by_its_definition(seed):
    rng = np.random.default_rng(seed)
    grid = Grid(2, 1, 97, neuron="bent")
    genome = grid.random(rng)
    points = rng.normal(size=(200, 2)) * 2
    network = Network(grid, genome)
    angle, (bias,) = 2 * math.pi * genome[0] / 97, grid.parameters(genome)[0]
    expected = fires(points, angle, bias, math.pi * genome[2] / 97)
    margin = network.margin(points)[:, 0]
    sure = np.abs(margin) > 1e-9
    assert (network.predict(points) == expected)[sure].all()


@pytest.mark.parametrize("resolution", [120, 1200, 2**30, 2**40])
def test_equal_arcs_tie(resolution):
    r = resolution
    rng = np.random.default_rng(r % 1000)
    for name in ["quarter", "local_opt"]:
        fitness = ExactArcs(problem(name))
        grid = Grid(2, 1, r, neuron="bent")

        def score(*genome, fitness=fitness, grid=grid):
            return fitness.score(Network(grid, list(genome)))

        for phi, bend, bias in rng.integers(0, r, (30, 3)).tolist():
            # b = 0: the half-width is theta; b = -1: twice that; b = 1: 2 theta - pi
            assert score(phi, 0, bend // 2) == score(phi, r // 2, 2 * (bend // 2))
            upper = r // 2 + bend // 2
            assert score(phi, r, upper) == score(phi, r // 2, 2 * upper - r)
            # the opposite arc is the complement
            other = score((phi + r // 2) % r, r - bias, (r - bend) % r)
            if bend:
                assert score(phi, bias, bend) + other == fitness.units(grid)


@pytest.mark.parametrize("resolution", [120, 2**30])
def test_plateaus_are_flat(resolution):
    """Arcs that hold the quarter, or lie in it, are worth the same wherever they are."""
    r, rng = resolution, np.random.default_rng(3)
    fitness, grid = ExactArcs(problem("quarter")), Grid(2, 1, r, neuron="bent")
    for bias in [r // 2, 3 * r // 5, r // 7]:
        for bend in [r // 3, r // 2, 4 * r // 5]:
            b, theta = 2 * bias / r - 1, math.pi * bend / r
            room = abs(theta - math.asin(b * math.sin(theta)) - math.pi / 4) / (2 * math.pi) * r
            shifts = rng.integers(-int(0.99 * room), int(0.99 * room) + 1, 20)
            scores = {
                fitness.score(Network(grid, [int(r // 8 + shift) % r, bias, bend]))
                for shift in shifts
            }
            assert len(scores) == 1


def test_a_right_angle_is_the_plain_neuron():
    rng = np.random.default_rng(0)
    for dim in [2, 3, 6]:
        plain, bent = Grid(dim, 1, 240), Grid(dim, 1, 240, neuron="bent")
        points = rng.normal(size=(500, dim))
        for _ in range(10):
            genome = plain.random(rng)
            cone = Network(bent, np.append(genome, 120))
            assert (cone.predict(points) == Network(plain, genome).predict(points)).all()
            fitness = fitness_of(problem("quarter", dim=dim), neurons=1)
            assert fitness(cone) == pytest.approx(fitness(Network(plain, genome)), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("output", OUTPUTS)
def test_point_sets(output):
    """The compiled search and the network agree on what every network is worth."""
    rng = np.random.default_rng(1)
    points, labels = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    fitness = FiniteSet(points, labels, weights=rng.integers(1, 4, 60))
    na = OnePlusOneNA(neurons=3, output=output, neuron="bent")
    result = na.run(fitness, budget=3000, seed=4, target=False, trajectory=True)
    path = result.trajectory
    assert result.fitness > 0.55
    for genome, value in zip(path.genomes[::20], path.fitness[::20], strict=True):
        assert fitness(Network(path.grid, genome)) == value
    assert fitness(result.network) == result.fitness
    scores = fitness.scores(path.genomes, path.grid)
    assert (scores / fitness.units(path.grid) == path.fitness).all()


@pytest.mark.slow
@pytest.mark.parametrize("dim", [3, 4, 8])
def test_caps(dim):
    subject = problem("local_opt", dim=dim)
    exact, sampled = fitness_of(subject, neurons=1), Sampled(subject, n=2**14)
    rng = np.random.default_rng(dim)
    for _ in range(6):
        grid = Grid(dim, 1, 120, neuron="bent")
        network = Network(grid, grid.random(rng, init="sphere"))
        assert abs(exact(network) - sampled(network)) < 4.5 * sampled.standard_error(network) + 1e-9


def test_optima_and_best_fitness():
    quarter = problem("quarter")
    (optimum,) = quarter.optima(1, bias=False, neuron="bent")
    assert optimum.tolist() == [[0.125, 0.0, 0.25]]
    assert quarter.best_fitness(1, bias=False, neuron="bent") == 1.0
    assert quarter.best_fitness(1, bias=False) == 0.75
    assert quarter.optima(1, neuron="bent") == []  # a curve of biases and bends
    for name in PROBLEMS:
        subject = problem(name)
        for neurons in [1, 2, 3]:
            for output in WIRED:
                best = subject.best_fitness(neurons, output, bias=False, neuron="bent")
                grid = Grid(2, neurons, 24, output, "bent")
                for optimum in subject.optima(neurons, output, bias=False, neuron="bent"):
                    genome = optimum * 24
                    genome[:, 1] = 12
                    network = Network(grid, np.rint(genome).astype(int).ravel())
                    assert ExactArcs(subject)(network) == pytest.approx(best, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("mutation", ["harmonic", "local"])
@pytest.mark.parametrize("name", ["half", "quarter"])
def test_mean_runtime_is_that_of_the_chain(name, mutation):
    exact = expected_runtime(problem(name), 24, mutation, bias=False, neuron="bent")
    na = OnePlusOneNA(resolution=24, mutation=mutation, bias=False, neuron="bent")
    runs = na.run_many(problem(name), runs=20_000, seed=5, budget=10**7)
    assert runs.success.all()
    assert exact.probability == 1.0
    error = exact.standard_deviation / math.sqrt(len(runs))
    assert abs(runs.evaluations.mean() - exact.mean) < 4.5 * error


def test_all_problems_are_solved_without_bias():
    for name, neurons in [("half", 1), ("quarter", 1), ("two_quarters", 2), ("local_opt", 1)]:
        na = OnePlusOneNA(neurons=neurons, bias=False, neuron="bent")
        assert na.run_many(problem(name), runs=100, seed=1).success.mean() > 0.5


def test_files_and_text():
    grid = Grid(2, 2, 120, "or", "bent")
    network = Network(grid, [15, 60, 30, 75, 60, 30])
    again = Network.from_json(network.to_json())
    assert again == network
    assert again.grid.neuron == "bent"
    assert "bend" in str(network)


@pytest.mark.parametrize(
    ("genome", "rule"),
    [
        ([0, 6, 4], "x1 >= 0.5*|x| (bend 60°)"),
        ([0, 9, 4], "x1 - 0.5 >= 0.5*|x - 0.5*w| (bend 60°)"),
        ([0, 3, 2], "x1 + 0.5 >= 0.866*|x + 0.5*w| (bend 30°)"),
    ],
)
def test_the_text_of_a_cone_is_its_definition(genome, rule):
    network = Network(Grid(2, 1, 12, neuron="bent"), genome)
    assert str(network) == f"x is positive if\n  {rule}"


@pytest.mark.parametrize("genome", [[1, 9, 4], [5, 2, 7], [11, 10, 2], [0, 4, 10]])
def test_on_the_circle_a_cone_is_the_cap_that_is_told(genome):
    network = Network(Grid(2, 1, 12, neuron="bent"), genome)
    angles = np.linspace(0, 2 * np.pi, 720, endpoint=False) + 0.001
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    (normal,), (height,) = network.caps()
    above = X @ normal - height
    clear = abs(above) > 1e-9
    assert 0 < (above > 0).sum() < len(X)
    assert np.array_equal(network.predict(X)[clear], above[clear] > 0)


@pytest.mark.parametrize("name", ["half", "quarter", "local_opt"])
def test_the_fitness_of_bent_neurons_is_that_of_the_networks(name):
    from hyperna import ExactArcs, Grid, Network

    runtime = expected_runtime(problem(name), 12, "local", neuron="bent", bias=False)
    grid, fitness = Grid(2, 1, 12, neuron="bent"), ExactArcs(problem(name))
    found = [
        [fitness(Network(grid, [angle, grid.zero_bias, bend])) for bend in range(12)]
        for angle in range(12)
    ]
    assert runtime.fitness == pytest.approx(np.array(found))


@pytest.mark.parametrize("resolution", [240, pytest.param(1200, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("neurons", "bias"), [(1, True), (2, True), (2, False)])
def test_what_is_recorded_on_the_circle_is_the_fitness_of_the_network(resolution, neurons, bias):
    """Mostly one component changes, the bend among them; half-widths of a table and computed."""
    fitness = ExactArcs(problem("two_quarters"))
    na = OnePlusOneNA(
        neurons, resolution=resolution, neuron="bent", bias=bias, mutation_probability=0.05
    )
    run = na.run(fitness, budget=2000, target=False, seed=1, trajectory=True)
    way = run.trajectory
    assert len(way.fitness) > 15
    for place, share in enumerate(way.fitness.tolist()):
        assert share == fitness(way.network(place))


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("output", OUTPUTS)
def test_rejected_offspring_leave_nothing_behind_on_points(dim, output):
    """Mostly one component changes: what is recorded is the fitness of the recorded network."""
    rng = np.random.default_rng(dim)
    fitness = FiniteSet(rng.uniform(-0.6, 0.6, (30, dim)), rng.random(30) < 0.5)
    na = OnePlusOneNA(
        3, output, resolution=12, mutation="uniform", neuron="bent", mutation_probability=0.05
    )
    for seed in range(3):
        run = na.run(fitness, budget=2000, target=False, seed=seed, trajectory=True)
        way = run.trajectory
        assert len(way.fitness) > 20
        for genome, share in zip(way.genomes.tolist(), way.fitness.tolist(), strict=True):
            assert share == fitness.score(Network(way.grid, genome)) / 30
