"""What is known of problems for all kinds of neurons, outputs and dimensions, beside each other.

A bent neuron without a bias is any arc or cap, as a plain one with a bias is; an AND is the OR of
the complement; networks drawn at random are never better than the best.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from hyperna import Grid, Network, OnePlusOneNA, problem
from hyperna.fitness import FiniteSet, Online, fitness_of
from hyperna.problems import cube, custom_arcs, points
from hyperna.problems.arcs import (
    best_unions,
    cap,
    complement,
    level_sets,
    rounding_loss,
    symmetric_differences,
)
from hyperna.problems.base import optima_on, perfect_outputs
from hyperna.problems.half_circles import best_half_circles
from hyperna.problems.point_problems import out_of_reach

NAMES = ("half", "quarter", "two_quarters", "local_opt", "arcs:k=3")
OUTPUTS = ("or", "and", "xor", "evolved")
ARCS = [
    *((name, dim) for name in NAMES for dim in (2, 3)),
    ("quarter", 4),
    *(
        (f"arcs:arcs={some}", dim)
        for some in ("0-270", "90-300", "10-40 190-220")
        for dim in (2, 3)
    ),
]


def subjects():
    return [problem(name, dim=dim) for name, dim in ARCS]


@pytest.mark.parametrize("subject", subjects(), ids=lambda one: f"{one.name},{one.dim}")
def test_bent_neurons_are_as_good_without_biases_as_plain_ones_with_them(subject):
    for neurons in (1, 2, 3):
        for output in OUTPUTS:
            plain = subject.best_fitness(neurons, output)
            for bias in (True, False):
                assert subject.best_fitness(neurons, output, bias=bias, neuron="bent") == plain
            without = subject.best_fitness(neurons, output, bias=False)
            if None not in (without, plain):
                assert without <= plain
            optima = subject.optima(neurons, output, bias=False, neuron="bent")
            assert subject.optima(neurons, output, neuron="bent") == []
            if output == "evolved" and neurons > 1:
                assert optima == []
                continue
            others = subject.optima(neurons, output)
            assert len(optima) == len(others)
            for bent, other in zip(optima, others, strict=True):
                assert bent.shape == (neurons, subject.dim + 1)
                np.testing.assert_array_equal(bent[:, :-2], other[:, :-1])
                assert (bent[:, -2] == 0).all()
                np.testing.assert_allclose(np.cos(np.pi * bent[:, -1]), other[:, -1], atol=1e-12)


@pytest.mark.parametrize("dim", [2, 3, 4])
@pytest.mark.parametrize("arcs", ["0-180", "0-90", "0-100", "0-270", "30-330"])
def test_a_wedge_is_an_or_or_an_and_of_two_and_a_half_space_is_one(dim, arcs):
    """In any dimension planes through the ends of an arc make no error, if they are joined so."""
    subject = problem(f"arcs:arcs={arcs}", dim=dim)
    [(start, end)] = subject.arcs
    length = end - start
    half = Fraction(1, 2)
    for neurons in (1, 2, 3):
        for output in OUTPUTS:
            for bias in (True, False):
                fits = {"or": length > half, "and": length < half, "evolved": length != half}
                perfect = length == half and (output != "xor" or neurons % 2 == 1)
                perfect |= neurons >= 2 and fits.get(output, False)
                if output == "evolved" and not bias and dim == 2 and neurons == 3:
                    perfect = True
                if dim == 2 and bias:
                    perfect = True
                if length == half and output == "xor" and bias and dim > 2:
                    perfect = True  # a further one may be constant
                best = subject.best_fitness(neurons, output, bias=bias)
                assert (best == 1) == perfect, (neurons, output, bias, best)
    optima = subject.optima(2, "and" if length < half else "or", bias=False)
    if length == half:
        [only] = subject.optima(1, bias=False)
        assert only[0, -1] == 0
        return
    [pair] = optima
    assert (pair[:, -1] == 0).all()
    angles = sorted(pair[:, -2].tolist())
    wanted = sorted(float(a % 1) for a in (start + Fraction(1, 4), end - Fraction(1, 4)))
    assert angles == pytest.approx(wanted)
    evolved = subject.optima(2, "evolved", bias=False)
    assert len(evolved) == (1 if dim > 2 and length > half else 0)


def random_networks(rng, grid, bias, count=200):
    genomes = np.array([grid.random(rng) for _ in range(count)])
    if not bias:
        genomes[:, grid.bias_components] = grid.zero_bias
    return genomes


@pytest.mark.parametrize("subject", subjects(), ids=lambda one: f"{one.name},{one.dim}")
@pytest.mark.parametrize("neuron", ["plain", "bent"])
def test_no_network_is_better_than_the_best(subject, neuron):
    rng = np.random.default_rng(0)
    for neurons, bias in ((1, True), (1, False), (2, True), (2, False), (3, False)):
        if subject.dim > 3 and neurons > 1:
            continue
        for output in OUTPUTS[: 1 if neurons == 1 else 4]:
            best = subject.best_fitness(neurons, output, bias=bias, neuron=neuron)
            if best is None:
                continue
            grid = Grid(subject.dim, neurons, 24, output, neuron)
            fitness = fitness_of(subject, neurons=neurons)
            scores = fitness.scores(random_networks(rng, grid, bias), grid)
            assert scores.max() / fitness.units(grid) <= best + 1e-9


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("neuron", ["plain", "bent"])
@pytest.mark.parametrize("bias", [True, False])
def test_perfect_outputs_are_those_with_a_best_of_one(name, dim, neuron, bias):
    subject = problem(name, dim=dim)
    for neurons in (1, 2, 3):
        grid = Grid(dim, neurons, 24, neuron=neuron)
        wanted = [
            output
            for output in OUTPUTS
            if subject.best_fitness(neurons, output, bias=bias, neuron=neuron) == 1
        ]
        assert perfect_outputs(grid, subject, bias) == (wanted if neurons > 1 else [])
        assert perfect_outputs(grid, None, bias) == []


# ---- losses by rounding, and what is certain near an optimum


@pytest.mark.parametrize("neurons", [1, 3])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("neuron", ["plain", "bent"])
def test_losses_by_rounding(neurons, bias, neuron):
    r = 240
    for dim in (2, 3, 7):
        loss = problem("quarter", dim=dim).rounding_loss(neurons, r, bias=bias, neuron=neuron)
        if dim > 2:
            moved = math.sqrt(dim / (2 * math.pi)) if bias else 0.0
            wanted = neurons * max(2.0, math.sqrt(dim - 1) + moved) / r
        else:
            wanted = 2 * neurons / r
            if neuron == "plain" and not bias:
                wanted *= 1 - 1e-9
        assert loss == pytest.approx(wanted, rel=1e-12)
    # the shortest arc or gap decides, where a step of the bias moves its ends far
    for arcs in ("0-6", "0-354"):
        union = problem(f"arcs:arcs={arcs}").arcs
        half = math.pi * 6 / 360
        wider = math.acos(math.cos(half) - 1 / r) - half
        wanted = neurons * (1 / r + wider / math.pi)
        assert rounding_loss(union, 2, neurons, r, True) == pytest.approx(wanted)


@pytest.mark.parametrize("unit", [1, 4])
@pytest.mark.parametrize("neuron", ["plain", "bent"])
@pytest.mark.parametrize(("name", "neurons"), [("quarter", 1), ("two_quarters", 2), ("half", 1)])
def test_networks_within_a_unit_of_an_optimum_have_the_fitness_that_is_certain(
    name, neurons, neuron, unit
):
    """Corners of the box around the optimum, which are the worst networks of it."""
    subject, r = problem(name), 96
    bias = neuron == "plain"
    grid = Grid(2, neurons, r, neuron=neuron)
    best = subject.best_fitness(neurons, bias=bias, neuron=neuron)
    optima, share = optima_on(grid, subject, bias, unit, best)
    assert share < best
    exact = fitness_of(subject)
    worst = 1.0
    rng = np.random.default_rng(0)
    moving = np.arange(grid.components)
    if not bias:
        moving = np.setdiff1d(moving, grid.bias_components)
    for optimum in optima:
        for _ in range(60):
            genome = optimum.ravel().copy()
            genome[moving] += rng.choice([-1, 1], moving.size) * (unit - 1e-6)
            genome = np.rint(genome).astype(int)
            away = np.abs(genome - optimum.ravel())
            if (away[moving] < unit).all():
                genome = genome % grid.moduli
                worst = min(worst, exact(Network(grid, genome)))
    assert worst >= share
    if neuron == "bent":
        assert share == pytest.approx(best - 3 * neurons * unit / r)


def test_nothing_is_certain_where_a_unit_reaches_the_end_of_the_biases():
    """At r = 24 the bias 1/2 is six steps from 1."""
    subject = custom_arcs("0-120")
    for unit, certain in ((5, True), (6, True), (7, False)):
        share = optima_on(Grid(2, 1, 24), subject, True, unit, 1.0)[1]
        assert (share != 0.0) == certain


# ---- how many choices are listed


def test_all_choices_are_listed_if_they_are_as_many_as_the_limit():
    arcs = tuple((Fraction(2 * j, 8), Fraction(2 * j + 1, 8)) for j in range(4))
    for union, count in ((arcs[:2], 6), (arcs[:3], 60)):
        assert len(symmetric_differences(union, count)) == count
        assert symmetric_differences(union, count - 1) == []
    for union, count in ((arcs[:3], 6), (arcs, 24)):
        assert len(level_sets(union, count)) == count
        assert len(level_sets(union, count - 1)) == 2
    # one arc fewer: any of the four arcs is left out, or any of the four gaps is covered
    assert len(best_unions(arcs, 3, 8)[1]) == 8
    assert best_unions(arcs, 3, 7)[1] == ()
    assert best_unions(arcs, 3, 8)[0] == best_unions(arcs, 3, 7)[0] == Fraction(7, 8)


def test_xor_optima_are_listed_up_to_a_thousand():
    """Through opposite ends of 10 arcs there are 2^9 choices of sides, of 11 arcs 2^10."""
    for k, count in ((3, 4), (5, 16), (11, 0)):
        assert len(problem("arcs", k=k, dim=3).optima(k, "xor")) == (2 ** (k - 1) if count else 0)
    assert len(problem("arcs", k=10, dim=3).optima(10, "xor", bias=False)) == 512


def test_best_half_circles_next_to_each_other_around_zero_are_infinitely_many():
    for turn in range(0, 360, 15):
        subject = custom_arcs([(turn, turn + 90)], unit="degree")
        share, middles = best_half_circles(subject.arcs)
        assert (share, middles) == (Fraction(3, 4), [])
        subject = custom_arcs([(turn, turn + 180)], unit="degree")
        share, [middle] = best_half_circles(subject.arcs)
        assert (share, middle) == (1, Fraction(turn + 90, 360) % 1)


@pytest.mark.parametrize(("length", "bias"), [(60, None), (120, 0.5), (240, -0.5), (180, 0.0)])
def test_biases_of_simple_arcs_are_exact(length, bias):
    for turn in (0, 100, 300):
        start = Fraction(turn, 360)
        angle, found = cap((start, start + Fraction(length, 360)))
        assert angle == float((start + Fraction(length, 720)) % 1)
        if bias is None:
            assert found == pytest.approx(math.cos(math.radians(length / 2)), abs=1e-15)
        else:
            assert found == bias


def test_a_complement_is_what_an_and_leaves_out():
    subject = problem("local_opt")
    [gaps] = subject.optima(3, "and")
    for (angle, bias), gap in zip(gaps.tolist(), complement(subject.arcs), strict=True):
        middle, height = cap(gap)
        assert angle == pytest.approx((middle + 0.5) % 1)
        assert bias == pytest.approx(-height)


# ---- points


@pytest.mark.parametrize("dim", [2, 3, 4])
def test_enough_neurons_for_the_corners_of_a_cube(dim):
    corners = cube(dim)
    many = 2 ** (dim - 1)
    enough = {"or": many, "and": many, "xor": dim, "evolved": dim}
    for output, least in enough.items():
        for neuron, bias in (("plain", True), ("plain", False), ("bent", True), ("bent", False)):
            without = not bias and output != "xor" and (neuron == "plain" or output == "evolved")
            for neurons in (least - 1, least, least + 1):
                if neurons < 1:
                    continue
                best = corners.best_fitness(neurons, output, bias=bias, neuron=neuron)
                assert best == (None if without or neurons < least else 1.0)


@pytest.mark.filterwarnings("ignore:points lie up to")
def test_points_keep_their_weights_where_they_are_moved(tmp_path):
    X, y, weight = [[0.0, 3.0], [4.0, 0.0], [8.0, 3.0]], [0, 1, 1], [1.0, 2.5, 0.5]
    made = points(X, y, weight, scale=True)
    assert made.weight.tolist() == weight
    file = tmp_path / "three.csv"
    rows = [f"{a},{b},{w},{label}" for (a, b), w, label in zip(X, weight, y, strict=True)]
    file.write_text("a,b,w,y\n" + "\n".join(rows) + "\n", encoding="utf-8")
    for scale in ("true", "false"):
        name = f"csv:path={file},weight=w,scale={scale}"
        read = problem(name)
        assert read.weight.tolist() == weight
        assert read.y.tolist() == [False, True, True]
        lengths = np.linalg.norm(read.X, axis=1)
        assert lengths.max() == pytest.approx(1.0 if scale == "true" else math.hypot(8, 3))
        fitness = fitness_of(read)
        assert fitness.weights.tolist() == [2, 5, 1]


@pytest.mark.parametrize(("radius", "wrong"), [(1.0, False), (1.001, False), (1.0011, True)])
def test_points_a_thousandth_beyond_the_ball_are_in_reach(radius, wrong):
    found = out_of_reach(np.array([[radius, 0.0], [0.0, -0.5]]))
    assert (found is not None) == wrong


def test_online_points_are_drawn_by_their_weights_and_judged_exactly_where_one_can():
    X = np.array([[0.5, 0.0], [-0.5, 0.0], [0.0, 0.5]])
    subject = points(X, [1, 0, 0], [3.0, 0.0, 1.0])
    online = Online(subject, 5)
    grid = Grid(2, 1, 8)
    kernel = online.compiled_form(grid)
    np.testing.assert_allclose(kernel.share, [0.75, 0.75, 1.0])
    assert online.units(grid) == 4
    sphere = Online(problem("quarter", dim=4), 5)
    for neurons, error in ((1, 0.0), (2, None)):
        network = Network(Grid(4, neurons, 8), np.arange(4 * neurons) % 8)
        found = sphere.standard_error(network)
        assert found == 0.0 if error == 0.0 else found > 0.0
    evolved = OnePlusOneNA(neurons=2, output="evolved", resolution=24)
    assert evolved.task(Online(problem("half"), 3), budget=5).units == fitness_of("half").units(
        Grid(2, 2, 24, "evolved")
    )


@pytest.mark.parametrize("count", [999, 1000, 1001])
def test_weights_in_simple_proportion_are_whole_up_to_a_thousand_of_them(count):
    """More different ones are rounded to the largest sum."""
    weights = np.arange(1, count + 1) / 8
    made = FiniteSet(np.linspace(-1, 1, count)[:, None], np.arange(count) % 2, weights).weights
    if count <= 1000:
        assert made.tolist() == list(range(1, count + 1))
    else:
        assert made.sum() == pytest.approx(2**50, rel=1e-12)
        np.testing.assert_allclose(made / made[0], np.arange(1, count + 1), rtol=1e-9)


def test_weights_whose_simple_proportions_sum_to_too_much_are_rounded():
    """A few of these weights would be whole numbers of about 10^12; two thousand are too many."""
    for count, whole in ((3, True), (2000, False)):
        weights = np.append(np.ones(count), [1 / 999_983, 1 / 999_979])
        points = np.linspace(-1, 1, len(weights))[:, None]
        made = FiniteSet(points, np.arange(len(weights)) % 2, weights).weights
        assert (made[0] == 999_983 * 999_979) == whole
        assert made.sum() <= 2**50 + count
        np.testing.assert_allclose(made / made[0], weights, rtol=1e-5)
