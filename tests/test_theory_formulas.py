"""Exact runtimes against closed forms; other targets, and what is refused."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import reference

from hyperna.fitness import ExactArcs, Online
from hyperna.mutation import LAWS
from hyperna.network.grid import Grid
from hyperna.problems import problem
from hyperna.run.relatives import RELATIVES, OnePlusLambdaNA
from hyperna.theory import expected_runtime, sparse_system
from hyperna.theory.states import all_scores

# ---- closed forms


def test_quarter_formula():
    """Wrong length |e| + max(0, 2 (d - |e|/2)), while the arc still meets the quarter."""
    r = 48
    exact_arcs = ExactArcs(problem("quarter"))
    score = all_scores(exact_arcs, Grid(2, 1, r)) / exact_arcs.units(Grid(2, 1, r))
    points = (np.arange(20_000) + 0.5) / 20_000 * 2 * math.pi
    positive = points < math.pi / 2
    for phi in range(r):
        for b in range(r // 2, r):
            bias = 2 * b / r - 1
            e = 2 * math.acos(bias) - math.pi / 2
            d = abs((2 * math.pi * phi / r - math.pi / 4 + math.pi) % (2 * math.pi) - math.pi)
            wrong = min(abs(e) + max(0.0, 2 * (d - abs(e) / 2)), e + math.pi)
            assert score[phi, b] == pytest.approx(1 - wrong / (2 * math.pi), abs=1e-12)
            fires = np.cos(points - 2 * math.pi * phi / r) >= bias
            assert np.mean(fires == positive) == pytest.approx(score[phi, b], abs=2.1e-4)


@pytest.mark.parametrize("r", [8, 40, 120, 1000])
def test_half_without_bias_local_mutation(r):
    """A step towards the optimum has probability 1/4, at the opposite point 1/2."""
    runtime = expected_runtime(problem("half"), r, "local", bias=False)
    assert runtime.mean == pytest.approx(r + 1 - 2 / r)
    distance = np.abs((np.arange(r) - r // 4 + r // 2) % r - r // 2)
    expected = 1 + 4.0 * distance - 2 * (distance == r // 2)
    np.testing.assert_allclose(runtime.per_state, expected)


@pytest.mark.parametrize("r", [8, 40, 120])
def test_half_without_bias_harmonic_mutation(r):
    """The recursion over the distance i to the optimum; every smaller one is accepted."""
    harmonic = [0.0, *reference.harmonic_law(r)]
    turn = [harmonic[i] / 4 + harmonic[r - i] / 4 for i in range(1, r)]
    rate = [0.0, *turn]  # rate[i]: probability of the displacement i in one direction
    mean = [0.0]
    for i in range(1, r // 2 + 1):
        leave, later = rate[i], 0.0
        for j in range(1, i):
            # a distance j is met on both sides of the optimum, i - j or i + j away
            both = rate[i - j] + rate[i + j]
            leave += both
            later += both * mean[j]
        mean.append((1 + later) / leave)
    counts = [1] + [2] * (r // 2 - 1) + [1]
    expected = 1 + sum(c * m for c, m in zip(counts, mean, strict=True)) / r
    assert expected_runtime(problem("half"), r, bias=False).mean == pytest.approx(expected)


@pytest.mark.parametrize("r", [8, 40, 600])
def test_half_without_bias_uniform_mutation(r):
    """Every step hits the optimum with probability 1/(2r), and no accepted step hurts."""
    runtime = expected_runtime(problem("half"), r, "uniform", bias=False)
    assert runtime.mean == pytest.approx(2 * r - 1)


def test_redrawing_void_steps_saves_exactly_their_share():
    usual = expected_runtime(problem("quarter"), 24, "local")
    redrawn = expected_runtime(problem("quarter"), 24, "local", redraw_void=True)
    assert redrawn.mean - 1 == pytest.approx((usual.mean - 1) * 0.75)


def test_growth_is_the_theorems():
    """Without bias HALF is solved in time O(log^2 r) and O(r), QUARTER in O(log^3 r) and O(r^2)."""
    r = np.array([80, 160, 320])
    for name, bias, law, scale in [
        ("half", False, "harmonic", np.log(r) ** 2),
        ("half", False, "local", r),
        ("quarter", True, "harmonic", np.log(r) ** 3),
        ("quarter", True, "local", r**2),
    ]:
        ratio = [expected_runtime(problem(name), n, law, bias=bias).mean for n in r] / scale
        assert ratio[2] < ratio[1] * 1.02 < ratio[0] * 1.05


# ---- targets and refusals


def test_fitness_target_ends_the_run_at_that_fitness():
    grid = Grid(2, 1, 20)
    exact_arcs = ExactArcs(problem("quarter"))
    share = all_scores(exact_arcs, grid) / exact_arcs.units(grid)
    runtime = expected_runtime(problem("quarter"), 20, target=0.9)
    np.testing.assert_array_equal(runtime.per_state == 1.0, share >= 0.9)
    assert expected_runtime(problem("quarter"), 20, target=0.0).mean == 1.0


def test_unreachable_target_is_never_found():
    runtime = expected_runtime(problem("quarter"), 16, bias=False, target=1.0)
    assert runtime.probability == 0.0
    assert math.isinf(runtime.mean)
    assert math.isnan(runtime.conditional_mean)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resolution": 1}, "resolution must be an integer from 2"),
        ({"resolution": 15, "bias": False}, "resolution must be even"),
        ({"mutation_probability": 0.0}, "mutation_probability"),
        ({"target": 1.5}, "target"),
        ({"mutation": "nothing"}, "mutation must be one of"),
    ],
)
def test_wrong_arguments_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        expected_runtime(problem("half"), **{"resolution": 16, **options})


@pytest.mark.parametrize("name", [n for n in sorted(LAWS) if LAWS[n].continuous])
def test_laws_without_a_table_are_refused(name):
    with pytest.raises(TypeError, match="exact runtimes need one of harmonic, local"):
        expected_runtime(problem("half"), 16, name)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"neurons": "evolved"}, "neurons must be an integer"),
        ({"neurons": 2, "output": "made up"}, "output must be one of"),
        ({"algorithm": "mu_plus_one"}, "algorithm must be one of"),
        ({"algorithm": "one_plus_lambda", "offspring": 1.5}, "offspring must be an integer"),
        ({"algorithm": "rls", "offspring": 2}, "offspring must be left out"),
        ({"dim": 1}, "dim"),
    ],
)
def test_what_has_no_chain_is_refused(settings, message):
    with pytest.raises((TypeError, ValueError), match=message):
        expected_runtime("half", 8, **settings)


def test_a_relative_of_one_s_own_has_a_chain_if_it_chooses_as_a_known_one(monkeypatch):
    @dataclass(frozen=True)
    class Three(OnePlusLambdaNA):
        name: ClassVar[str] = "three"
        offspring: int = 3

    monkeypatch.setitem(RELATIVES, "three", Three)
    own = expected_runtime("quarter", 8, algorithm="three")
    known = expected_runtime("quarter", 8, algorithm="one_plus_lambda", offspring=3)
    assert own.mean == known.mean
    assert expected_runtime("quarter", 8, algorithm="three", offspring=5).mean != own.mean


def test_a_dimension_goes_with_a_name():
    with pytest.raises(ValueError, match="dim must be left out where a problem is given"):
        expected_runtime(problem("half"), 8, dim=3)
    found = expected_runtime("half", 6, dim=3)
    assert found.mean == expected_runtime(problem("half", dim=3), 6).mean


def test_fitness_that_changes_with_every_step_is_refused():
    with pytest.raises(TypeError, match="fitness must be the same in every step"):
        expected_runtime(Online(problem("half"), samples=3), 8)


def test_too_many_moves_are_refused_before_they_are_made(monkeypatch):
    monkeypatch.setattr(sparse_system, "MOST_SPARSE_MOVES", 1000)
    with pytest.raises(ValueError, match="resolution must be smaller"):
        expected_runtime(problem("half"), 24, mutation_probability=1.0)
