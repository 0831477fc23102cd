"""Exact areas on the sphere: closed forms, slow integrals, identities, many points, and ties."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import OUTPUTS, WIRED
from scipy import integrate, special

from hyperna._kernels.caps import cap_fitness
from hyperna.fitness import ExactSphere, Sampled, fitness_of
from hyperna.network.grid import Grid
from hyperna.network.networks import Network
from hyperna.problems import problem
from hyperna.problems.arc_problems import ArcProblem
from hyperna.problems.caps import best_cap

PROBLEMS = ["half", "quarter", "two_quarters", "local_opt", "arcs:k=3"]
ARCS = {name: 2 * math.pi * np.array(problem(name).arcs, dtype=float) for name in PROBLEMS}


def cap_share(dim, t):
    """Share of the sphere in R^dim with x_1 >= t, by the incomplete beta function."""
    tail = 0.5 * special.betainc((dim - 1) / 2, 0.5, 1 - t * t)
    return tail if t >= 0 else 1 - tail


def slow_fitness(dim, arcs, t, s, centre):
    """The same share by integrals over the azimuth and the length of the last two coordinates."""
    u = math.sqrt(1 - s * s)
    positive = [((start - centre), (end - centre)) for start, end in arcs]

    def firing(azimuth):
        """Given the azimuth: rest·u + rho s cos(azimuth) >= t, rho = sin(theta)."""
        c = s * math.cos(azimuth)

        def at(theta):
            rho, rest = math.sin(theta), math.cos(theta)
            if dim == 3:
                fires = ((u * rest + c * rho >= t) + (-u * rest + c * rho >= t)) / 2
            else:
                fires = cap_share(dim - 2, min(1.0, max(-1.0, (t - c * rho) / (u * rest))))
            return fires * (dim - 2) * rho * rest ** (dim - 3)

        square, roots = t * t - u * u, []
        root = t * t * c * c - (c * c + u * u) * square
        if root > 0:
            roots = [(t * c + sign * math.sqrt(root)) / (c * c + u * u) for sign in (1, -1)]
        inner = [math.asin(x) for x in roots if 0 < x < 1]
        return piecewise(at, sorted([0.0, *inner, math.pi / 2]), 1e-12)

    kinks = [math.pi / 2, 3 * math.pi / 2]
    if u < abs(t):
        touch = math.acos(math.sqrt(t * t - u * u) / s) if t * t - u * u < s * s else 0.0
        kinks += [touch, math.pi - touch, math.pi + touch, 2 * math.pi - touch]
    total = 1 - sum(end - start for start, end in arcs) / (2 * math.pi) - cap_share(dim, t)
    for start, end in positive:
        inner = [k + 2 * math.pi * m for k in kinks for m in (-1, 0, 1)]
        places = sorted([start, end, *(x for x in inner if start < x < end)])
        total += 2 * piecewise(firing, places, 1e-11) / (2 * math.pi)
    return total


def piecewise(function, places, accuracy):
    return sum(
        integrate.quad(function, low, high, epsabs=accuracy, epsrel=accuracy, limit=200)[0]
        for low, high in itertools.pairwise(places)
        if high - low > 1e-12
    )


@pytest.mark.parametrize("dim", [3, 4, 5, 6, 10, 11, 50, 51])
@pytest.mark.parametrize("t", [-0.8, -0.25, 0.0, 0.1, 0.5, 0.97])
def test_caps_have_the_area_of_the_incomplete_beta_function(dim, t):
    # a neuron along the first axis is independent of the label
    share = cap_share(dim, t)
    for name in PROBLEMS:
        positive = float(sum(end - start for start, end in problem(name).arcs))
        expected = share * positive + (1 - share) * (1 - positive)
        assert cap_fitness(dim, ARCS[name], t, 0.0, 0.3) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("dim", [3, 4, 5, 10, 50])
@pytest.mark.parametrize("centre", [0.0, 0.4, 2.0, 3.0, 5.9])
def test_lunes(dim, centre):
    # half-spaces through 0 whose normal is in the plane of the label: what is wrong is a lune
    away = abs((centre - math.pi / 2 + math.pi) % (2 * math.pi) - math.pi)
    expected = 1 - away / math.pi
    assert cap_fitness(dim, ARCS["half"], 0.0, 1.0, centre) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("dim", [3, 4, 5, 10, 17, 50])
def test_one_neuron_against_slow_integrals(dim):
    rng = np.random.default_rng(dim)
    for name in ["quarter", "local_opt"]:
        t, s, centre = rng.uniform(-0.6, 0.6), rng.uniform(0.1, 0.95), rng.uniform(0, 6)
        slow = slow_fitness(dim, ARCS[name].tolist(), t, s, centre)
        assert cap_fitness(dim, ARCS[name], t, s, centre) == pytest.approx(slow, abs=1e-10)


@pytest.mark.parametrize("dim", [4, 6])
def test_even_dimensions_lie_between_their_neighbours(dim):
    """Where circles touch poles, heights are small or lines nearly orthogonal, areas stay smooth.

    The share is the same for all D at t = 0 and monotone in D between for one wedge.
    """
    wedge = np.array([[0.0, 1.2]])
    for t in [1e-9, 1e-6, 1e-3, 0.3]:
        for s in [1.0, math.cos(1e-7), math.sqrt(1 - t * t), 0.5]:
            for centre in [0.0, 1.2 - math.pi / 2, 1.2 - math.pi / 2 + 1e-8, 2.0]:
                shares = [cap_fitness(d, wedge, t, s, centre) for d in (dim - 1, dim, dim + 1)]
                assert min(shares[0], shares[2]) - 1e-10 <= shares[1]
                assert shares[1] <= max(shares[0], shares[2]) + 1e-10


coarse = st.sampled_from([4, 6, 8, 12, 24, 120, 1200, 2**40])


@settings(max_examples=60, deadline=None)
@given(coarse, st.sampled_from(PROBLEMS), st.integers(0, 2**32))
def test_a_repeated_neuron_changes_nothing_at_dim_3(resolution, name, seed):
    """One neuron by the formula for caps, and several copies by circles: the same area."""
    fitness = ExactSphere(problem(name, dim=3))
    genome = Grid(3, 1, resolution).random(np.random.default_rng(seed))
    single = fitness(Network(Grid(3, 1, resolution), genome))
    for output in ["or", "and"]:
        double = Network(Grid(3, 2, resolution, output), np.tile(genome, 2))
        assert fitness(double) == pytest.approx(single, abs=1e-10)
    nothing = Network(Grid(3, 2, resolution, "xor"), np.tile(genome, 2))
    positive = float(sum(end - start for start, end in fitness.problem.arcs))
    assert fitness(nothing) == pytest.approx(1 - positive, abs=1e-10)


@settings(max_examples=60, deadline=None)
@given(coarse, st.sampled_from(PROBLEMS), st.integers(0, 2**32))
def test_or_and_xor_and_single_neurons_add_up(resolution, name, seed):
    """Agreement is linear in the network's answer: OR + AND = first + second, XOR = OR - AND."""
    fitness = ExactSphere(problem(name, dim=3))
    genome = Grid(3, 2, resolution).random(np.random.default_rng(seed))
    joined = {
        output: fitness(Network(Grid(3, 2, resolution, output), genome))
        for output in ("or", "and", "xor")
    }
    parts = [fitness(Network(Grid(3, 1, resolution), part)) for part in genome.reshape(2, 3)]
    silent = 1 - float(sum(end - start for start, end in fitness.problem.arcs))
    assert joined["or"] + joined["and"] == pytest.approx(sum(parts), abs=1e-10)
    assert joined["xor"] - silent == pytest.approx(joined["or"] - joined["and"], abs=1e-10)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(("dim", "neurons"), [(3, 2), (3, 5), (4, 1), (5, 1), (10, 1), (50, 1)])
def test_random_networks_against_many_points(dim, neurons, output):
    points = Sampled(problem("local_opt", dim=dim), n=2**16, method="random")
    exact = ExactSphere(points.problem)
    rng = np.random.default_rng([dim, neurons])
    for resolution in [12, 120, 2**40]:
        grid = Grid(dim, neurons, resolution, output)
        network = Network(grid, grid.random(rng, init="sphere"))
        if grid.has_output_neuron:
            share = points(network)
        else:
            answers = reference.joined(network.hidden(points.points.X).T, output)
            share = (np.asarray(answers, dtype=bool) == points.points.y).mean()
        error = points.standard_error(network)
        assert abs(exact(network) - share) <= 4.5 * error + 1e-12


@pytest.mark.parametrize("dim", [3, 4, 7, 20])
def test_mirror_images_have_the_same_score(dim):
    """Labels symmetric about an azimuth: networks mirrored there tie, to the last unit."""
    fitness = ExactSphere(problem("quarter", dim=dim))
    rng = np.random.default_rng(dim)
    for resolution in [8, 120, 2**30]:
        grid = Grid(dim, 1, resolution)
        for _ in range(20):
            genome = grid.random(rng)
            mirrored, upside_down, again = genome.copy(), genome.copy(), genome.copy()
            mirrored[-2] = (resolution // 4 - genome[-2]) % resolution
            upside_down[0] = (resolution // 2 - genome[0]) % resolution
            again[0], again[1] = -genome[0] % resolution, genome[1] + resolution // 2
            again[1] %= resolution
            scores = {
                fitness.score(Network(grid, g)) for g in (genome, mirrored, upside_down, again)
            }
            assert len(scores) == 1


@pytest.mark.parametrize("dim", [3, 4, 9])
def test_optima_are_found_exactly(dim):
    for name, neurons, output in [("half", 1, "or"), ("two_quarters", 2, "xor")]:
        if neurons > 1 and dim > 3:
            continue
        subject = problem(name, dim=dim)
        grid = Grid(dim, neurons, 120, output)
        fitness = ExactSphere(subject)
        for optimum in subject.optima(neurons, output):
            genome = optimum * 120
            genome[:, -1] = (genome[:, -1] + 120) / 2
            network = Network(grid, np.rint(genome).astype(int).ravel())
            assert fitness.score(network) == fitness.units(grid)


def test_best_caps():
    """QUARTER at D = 3: a cap of height 1/sqrt(3) at pi/4 is right on 11/12 of the sphere."""
    assert best_cap(problem("quarter").arcs, 3) == pytest.approx(11 / 12, abs=1e-12)
    assert best_cap(problem("local_opt").arcs, 5) == pytest.approx(3 / 4, abs=1e-12)
    assert problem("quarter", dim=3).best_fitness(1) == pytest.approx(11 / 12, abs=1e-12)
    assert problem("half", dim=3).best_fitness(1) == 1.0
    height = cap_fitness(3, ARCS["quarter"], 1 / math.sqrt(3), 1.0, math.pi / 4)
    assert height == pytest.approx(11 / 12, abs=1e-13)


def test_no_random_network_is_better_than_the_best_cap():
    rng = np.random.default_rng(1)
    for dim in [3, 4, 6]:
        for name in ["quarter", "two_quarters", "local_opt"]:
            best = best_cap(problem(name).arcs, dim)
            for _ in range(200):
                t, s, centre = rng.uniform(-1, 1), rng.uniform(0.7, 1), rng.uniform(0, 7)
                assert cap_fitness(dim, ARCS[name], t, s, centre) <= best + 1e-12


def test_ends_that_are_no_simple_fractions():
    odd = ArcProblem("odd", [(Fraction(10**6, 7**9), Fraction(10**8, 11**8))], 3)
    network = Network(Grid(3, 2, 120), [30, 5, 80, 10, 70, 40])
    points = Sampled(odd, n=2**14)
    assert abs(ExactSphere(odd)(network) - points(network)) < 5e-3


def test_exact_where_there_is_a_formula():
    assert isinstance(fitness_of(problem("half", dim=3)), ExactSphere)
    assert isinstance(fitness_of(problem("half", dim=5), neurons=1), ExactSphere)
    assert isinstance(fitness_of(problem("half", dim=5), neurons=2), Sampled)
    assert isinstance(fitness_of(problem("half", dim=3), n=64), Sampled)


def test_refusals():
    with pytest.raises(ValueError, match="dim 3 or more, got dim 2"):
        ExactSphere(problem("half"))
    with pytest.raises(TypeError, match="must be an ArcProblem"):
        ExactSphere(problem("cube"))
    fitness = ExactSphere(problem("half", dim=4))
    with pytest.raises(ValueError, match=r"neurons must be 1 .* got 2 at dim 4; use Sampled"):
        fitness(Network(Grid(4, 2, 8), [0] * 8))


@pytest.mark.parametrize("output", WIRED)
def test_neurons_on_one_circle_that_fire_on_opposite_sides(output):
    """A neuron and the same one turned round: together they cover the sphere, or meet nowhere."""
    points = Sampled(problem("quarter", dim=3), n=2**16, method="random")
    exact = ExactSphere(points.problem)
    r = 24
    for angles in [(6, 5, 6), (3, 0, 17), (9, 20, 12)]:
        first, second, bias = angles
        here = [first, second, bias]
        there = [r // 2 - first, (second + r // 2) % r, r - bias]
        for others in ([], [17, 9, 20]):
            grid = Grid(3, 2 + len(others) // 3, r, output)
            network = Network(grid, [*here, *there, *others])
            answers = reference.joined(network.hidden(points.points.X).T, output)
            share = (np.asarray(answers, dtype=bool) == points.points.y).mean()
            assert abs(exact(network) - share) <= 4.5 * points.standard_error(network) + 1e-12
