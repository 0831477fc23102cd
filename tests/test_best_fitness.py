"""The best fitness of problems, outputs and numbers of neurons against all networks of a grid."""

from itertools import product

import numpy as np
import pytest
import reference
from samples import WIRED, WITH_OPTIMA

from hyperna import OnePlusOneNA, problem
from hyperna.fitness import ExactArcs
from hyperna.network.grid import Grid
from hyperna.network.networks import Network
from hyperna.problems import custom_arcs

NAMES = ("half", "quarter", "two_quarters", "local_opt", "arcs:k=3")
# on a grid of 24 angles all ends of arcs, and all half circles that begin or end there, are exact
ARCS = [
    *map(problem, NAMES),
    custom_arcs([(15, 60), (90, 165), (300, 345)], unit="degree"),
    # all of it behind the point opposite to its end
    custom_arcs([(225, 240)], unit="degree"),
    custom_arcs([(195, 240), (315, 375)], unit="degree"),
]
CASES = [(arcs, neurons, output) for arcs in ARCS for neurons in (1, 2) for output in WITH_OPTIMA]
# an OR or AND of three half circles is one of two; all ends of these problems are twelfths
CASES += [(problem(name), 3, "xor") for name in ("local_opt", "arcs:k=3")]


def largest_without_bias(arcs, neurons, output, resolution=24):
    middles = (np.arange(24) + 0.5) / 24 * 2 * np.pi
    wanted = arcs.label(np.column_stack([np.cos(middles), np.sin(middles)]))
    angles = 2 * np.pi * np.arange(resolution) / resolution
    half_circles = [np.cos(middles - angle) > 0 for angle in angles]
    best = 0.0
    output_angles = 2 * np.pi * np.arange(resolution) / resolution
    for chosen in product(half_circles, repeat=neurons):
        bits = np.array(chosen)
        if output == "evolved" and neurons > 1:
            for angle in output_angles:
                w = np.round([np.cos(angle), np.sin(angle)], 12)
                best = max(best, np.mean((w @ bits >= 0) == wanted))
        else:
            best = max(best, np.mean(reference.joined(bits, output) == wanted))
    return best


@pytest.mark.parametrize(
    ("arcs", "neurons", "output"),
    CASES,
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_without_bias_the_best_is_the_best_of_all_networks(arcs, neurons, output):
    resolution = 12 if neurons == 3 else 24
    best = arcs.best_fitness(neurons, output, bias=False)
    assert best == pytest.approx(largest_without_bias(arcs, neurons, output, resolution))
    for optimum in arcs.optima(neurons, output, bias=False):
        assert (optimum[:, -1] == 0).all()
        grid = Grid(2, neurons, 24, output)
        genome = np.column_stack([optimum[:, 0] * 24, np.full(neurons, 12)]).round().astype(int)
        assert ExactArcs(arcs)(Network(grid, genome.ravel())) == pytest.approx(best)


@pytest.mark.parametrize("arcs", ARCS, ids=lambda arcs: arcs.name)
@pytest.mark.parametrize("output", WIRED)
@pytest.mark.parametrize(("neurons", "resolution"), [(1, 6), (1, 24), (2, 4), (2, 6)])
@pytest.mark.parametrize("bias", [True, False])
def test_default_targets_are_reached_by_some_network(arcs, output, neurons, resolution, bias):
    na = OnePlusOneNA(neurons=neurons, output=output, resolution=resolution, bias=bias)
    task = na.task(arcs)
    biases = range(resolution + 1) if bias else [resolution // 2]
    genomes = product(*[range(resolution), biases] * neurons)
    target = task.judge.nearly_best
    if target is None:
        assert "not known" in task.criterion
        return
    exact, grid = ExactArcs(arcs), na.grid(2)
    best = max(exact(Network(grid, list(genome))) for genome in genomes)
    known = arcs.best_fitness(neurons, output, bias=bias)
    assert target <= best <= known + 1e-12


def test_a_half_circle_that_contains_the_quarter_is_a_success():
    runs = OnePlusOneNA(resolution=16, bias=False).run_many(problem("quarter"), 200, seed=0)
    assert runs.success.all()
    assert (runs.fitness == 0.75).all()
    local = OnePlusOneNA(resolution=64, bias=False, mutation="local")
    assert (local.run_many(problem("quarter"), 50, seed=0).fitness == 0.75).all()


@pytest.mark.parametrize("dim", [3, 8])
def test_without_a_known_best_there_is_no_target_and_the_criterion_says_so(dim):
    quarter = problem("quarter", dim=dim)
    task = OnePlusOneNA(neurons=2, resolution=120).task(quarter, budget=50)
    assert task.default_target is None
    assert "not known" in task.criterion
    assert task.run(seed=1).stop_reason == "budget"
    assert quarter.best_fitness(1, bias=False) == 0.75
    reachable = OnePlusOneNA(neurons=2, output="and", resolution=120).task(quarter)
    assert "optimal solution" in reachable.criterion


def test_opposite_points_bind_networks_without_bias_in_any_dimension():
    for dim in (2, 3, 5):
        assert problem("two_quarters", dim=dim).best_fitness(1, bias=False) == 0.5
        assert problem("half", dim=dim).best_fitness(2, "xor", bias=False) == 0.5
        assert problem("two_quarters", dim=dim).best_fitness(2, "xor", bias=False) == 1.0
    assert problem("local_opt", dim=3).best_fitness(1, bias=False) is None


def test_many_arcs_are_no_burden():
    many = problem("arcs", k=300)
    assert many.best_fitness(1, bias=False) == pytest.approx(0.5)
    assert many.best_fitness(2, bias=False) == pytest.approx(0.5 + 1 / 600)


def test_choices_of_arcs_that_end_at_zero_or_are_too_many():
    from fractions import Fraction

    from hyperna.problems.arcs import level_sets, turned_arcs

    half = Fraction(1, 2)
    assert turned_arcs(((half, Fraction(1)),)) == [(True,)]  # it holds the points right before 0
    assert turned_arcs(((Fraction(0), half),)) == [(False,)]
    thirds = tuple((Fraction(2 * j, 6), Fraction(2 * j + 1, 6)) for j in range(3))
    least, most = level_sets(thirds, 2)
    inside, outside = Fraction(1, 12), Fraction(3, 12)
    for arcs, count in ((least, 1), (most, 3)):
        for point, wanted in ((inside, count), (outside, count - 1)):
            assert sum((point - a) % 1 < b - a for a, b in arcs) == wanted


def test_the_best_fitness_of_votes_without_biases():
    for name, neurons, best in (
        *(("two_quarters", 2, 0.75), ("two_quarters", 3, None), ("two_quarters", 4, None)),
        *(("quarter", 2, 1.0), ("quarter", 3, 1.0)),
    ):
        assert problem(name).best_fitness(neurons, "evolved", bias=False) == best
