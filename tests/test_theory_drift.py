"""Drift of potentials: identities, the paper's constants, and bounds that hold."""

import math

import numpy as np
import pytest
import reference
from dense_chain import Dense, all_components

from hyperna import expected_runtime
from hyperna.theory import POTENTIALS, drift, fit_potential
from hyperna.theory.drift import distance

SETTINGS = [
    ("half", 16, "harmonic", {"bias": False}),
    ("half", 16, "local", {"bias": False}),
    ("quarter", 12, "harmonic", {}),
    ("quarter", 12, "local", {}),
    ("quarter", 10, "harmonic", {"redraw_void": True}),
    ("half", 8, "harmonic", {"dim": 3}),
    ("half", 8, "uniform", {"dim": 3, "algorithm": "rls"}),
    ("quarter", 10, "harmonic", {"algorithm": "one_plus_lambda", "offspring": 3}),
    ("quarter", 10, "harmonic", {"algorithm": "one_comma_lambda", "offspring": 6}),
    ("quarter", 9, "local", {"algorithm": "one_plus_lambda", "offspring": 2}),
    ("cube", 6, "harmonic", {"neurons": 2, "output": "xor", "dim": 2}),
]


@pytest.fixture(params=SETTINGS, ids=str)
def runtime(request):
    name, r, law, options = request.param
    return expected_runtime(name, r, law, **options)


def test_the_expected_time_has_drift_one_everywhere(runtime):
    found = drift(runtime, "expected time")
    np.testing.assert_allclose(found.drift[found.free], 1.0, rtol=1e-8)
    for bound in (found.additive_bound, found.additive_lower_bound, found.exact):
        assert bound == pytest.approx(runtime.mean, rel=1e-7)
    assert not found.failing.any()


def test_a_scaled_potential_scales_its_drift(runtime):
    rng = np.random.default_rng(0)
    values = 1 + rng.random(runtime.per_state.shape)
    once, thrice = drift(runtime, values), drift(runtime, 3 * values)
    np.testing.assert_allclose(thrice.drift, 3 * once.drift, rtol=1e-9, atol=1e-12)
    assert thrice.additive_rate == pytest.approx(3 * once.additive_rate, abs=1e-12)
    assert thrice.multiplicative_rate == pytest.approx(once.multiplicative_rate, abs=1e-12)


def test_the_weakest_network_has_the_least_relative_drift(runtime):
    found = drift(runtime, "distance")
    assert tuple(found.weakest) == runtime.components
    place = tuple(found.weakest.values())
    assert found.free[place]
    assert found.drift[place] / found.values[place] == found.multiplicative_rate
    assert found.record()["weakest"] == found.weakest


def test_drift_is_linear(runtime):
    rng = np.random.default_rng(1)
    one, other = (1 + rng.random(runtime.per_state.shape) for _ in range(2))
    total = drift(runtime, one + 2 * other).drift
    parts = drift(runtime, one).drift + 2 * drift(runtime, other).drift
    np.testing.assert_allclose(total, parts, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["distance", "log distance", "missing fitness"])
def test_bounds_hold(runtime, name):
    found = drift(runtime, name)
    assert found.exact == pytest.approx(runtime.mean)
    for bound in (found.additive_bound, found.multiplicative_bound):
        assert bound >= runtime.mean * (1 - 1e-9)
    assert found.additive_lower_bound <= runtime.mean * (1 + 1e-9)
    assert found.worst_additive_bound >= found.additive_bound
    assert found.worst_multiplicative_bound >= found.multiplicative_bound


def test_drift_is_that_of_the_dense_chain():
    """Values that break every symmetry, and those of the potentials."""
    r = 8
    runtime = expected_runtime("quarter", r)
    matrix = all_components((r, r + 1), reference.harmonic_law(r), 0.5)
    dense = Dense(matrix, runtime.fitness.ravel(), runtime.target.ravel())
    rng = np.random.default_rng(0)
    for values in (rng.random((r, r + 1)) + 1, distance(runtime)):
        found = drift(runtime, values)
        falls = values * ~runtime.target
        expected = falls.ravel() - dense.matrix @ falls.ravel()
        free = found.free.ravel()
        np.testing.assert_allclose(found.drift.ravel()[free], expected[free], atol=1e-12)


# ---- the paper's arguments


@pytest.mark.parametrize("r", [16, 40, 120, 480])
@pytest.mark.parametrize("probability", [1.0, 0.5])
def test_the_paper_s_rate_of_half_with_harmonic_steps(r, probability):
    """A decreasing step of size j has probability 1/(2 j H_r), so that the rate is 1/(2 H_r).

    The paper's count is of mutations of the angle. A step of length r - j is one of j in the other
    direction, which it leaves out: at distance 1, where the rate is least, that is a factor
    r/(r - 1).
    """
    runtime = expected_runtime("half", r, bias=False, mutation_probability=probability)
    found = drift(runtime, "distance")
    harmonic_number = sum(1 / i for i in range(1, r + 1))
    rate = probability / (2 * harmonic_number)
    assert found.multiplicative_rate == pytest.approx(rate * r / (r - 1))
    assert found.values.max() == r / 2
    # the theorem's bound (1 + ln(r/2)) 2 H_r, from the worst start
    theorem = 1 + (1 + math.log(r / 2)) / rate
    assert found.worst_multiplicative_bound == pytest.approx(1 + (theorem - 1) * (r - 1) / r)
    assert runtime.per_state.max() < theorem


@pytest.mark.parametrize("r", [16, 120, 480])
def test_the_paper_s_bound_of_half_with_local_steps(r):
    """An improvement has probability at least 1/4, and r/2 of them suffice: 2 r."""
    found = drift(expected_runtime("half", r, "local", bias=False), "distance")
    assert found.additive_rate == pytest.approx(0.25)
    assert found.worst_additive_bound == pytest.approx(1 + 2 * r)


@pytest.mark.parametrize("r", [16, 48])
def test_the_wrong_length_of_quarter_is_the_missing_fitness(r):
    """Above fitness 3/4, where the paper's lemma holds."""
    runtime = expected_runtime("quarter", r)
    length = drift(runtime, "wrong length quarter", above=0.75)
    missing = drift(runtime, "missing fitness", above=0.75)
    free = length.free
    np.testing.assert_allclose(length.values[free], 2 * math.pi * missing.values[free])
    assert length.multiplicative_rate == pytest.approx(missing.multiplicative_rate)


def test_the_printed_potential_of_quarter_does_not_always_fall():
    """Without its factor 2 a step to a fitter network may raise it."""
    found = drift(expected_runtime("quarter", 48), "paper quarter", above=0.75)
    assert found.failing.any()
    assert math.isinf(found.multiplicative_bound)
    assert found.record()["multiplicative_bound"] is None
    assert found.record()["failing"] == found.failing.sum()


def test_a_region_is_left_by_no_accepted_step():
    runtime = expected_runtime("quarter", 24)
    found = drift(runtime, "missing fitness", above=0.75)
    assert (runtime.fitness[found.region] > 0.75).all()
    assert found.exact == pytest.approx(runtime.per_state[found.region].mean())
    assert found.multiplicative_bound >= found.exact


# ---- distances


ELITIST = [one for one in SETTINGS if one[3].get("algorithm") != "one_comma_lambda"]


@pytest.mark.parametrize(("name", "r", "law", "options"), ELITIST)
def test_bounds_above_a_fitness_do_not_depend_on_what_is_below(name, r, law, options):
    """No accepted step leads there: rates and bounds stay, whatever the potential is below."""
    runtime = expected_runtime(name, r, law, **options)
    above = float(np.median(runtime.fitness))
    region = runtime.fitness > above
    times = np.where(runtime.target, 0.0, (runtime.per_state - 1) / runtime.offspring)
    least = times[~runtime.target].min()
    rates = ("additive_rate", "largest_rate", "multiplicative_rate")
    bounds = ("additive_bound", "additive_lower_bound", "multiplicative_bound")
    worst = ("worst_additive_bound", "worst_multiplicative_bound")
    wanted = drift(runtime, "expected time", above=above)
    for below in (1e-3 * least, 1e3 * times.max()):
        found = drift(runtime, np.where(region, times, below), above=above)
        for part in (*rates, *bounds, *worst):
            assert getattr(found, part) == pytest.approx(getattr(wanted, part), rel=1e-7), part
    # the exact time as a potential: the worst start is the slowest one
    assert wanted.worst_additive_bound == pytest.approx(runtime.per_state[region].max(), rel=1e-7)
    assert wanted.worst_multiplicative_bound >= wanted.worst_additive_bound * (1 - 1e-9)
    assert wanted.multiplicative_bound >= wanted.exact * (1 - 1e-9)


@pytest.mark.parametrize(("name", "r", "dim"), [("quarter", 10, 2), ("half", 6, 3), ("half", 7, 2)])
def test_distances_are_those_of_all_pairs(name, r, dim):
    runtime = expected_runtime(name, r, dim=dim, target=0.7)
    targets = np.argwhere(runtime.target)
    shape = np.array(runtime.per_state.shape)
    expected = []
    for point in np.ndindex(*shape):
        away = np.abs(targets - point)
        expected.append(np.minimum(away, shape - away).sum(axis=1).min())
    np.testing.assert_array_equal(distance(runtime).ravel(), expected)


# ---- fitted potentials


def test_a_fitted_potential_has_the_drift_it_claims(runtime):
    for family in (("one", "log distance"), ("one", "distance", "log missing fitness")):
        upper = fit_potential(runtime, family)
        lower = fit_potential(runtime, family, lower=True)
        assert lower.bound <= runtime.mean * (1 + 1e-6)
        assert upper.bound >= runtime.mean * (1 - 1e-6)
        if math.isfinite(upper.bound):
            assert upper.drift.additive_rate == pytest.approx(1.0, abs=1e-5)
            values = upper.drift.values[upper.drift.region].mean()
            assert upper.bound == pytest.approx(1 + runtime.offspring * values)
            assert upper.gap == pytest.approx(upper.bound / runtime.mean)


def test_a_larger_family_gives_no_worse_bound():
    runtime = expected_runtime("half", 32, bias=False)
    few = fit_potential(runtime, ("one", "log distance"))
    more = fit_potential(runtime, ("one", "log distance", "distance"))
    exact = fit_potential(runtime, ("one", "log distance", "expected time"))
    assert runtime.mean <= more.bound + 1e-6 <= few.bound + 2e-6
    assert exact.bound == pytest.approx(runtime.mean, rel=1e-6)
    assert "log distance" in str(few)


def test_a_family_without_drift_gives_no_bound():
    """A constant does not fall where the target is out of reach in one step."""
    runtime = expected_runtime("half", 16, "local", bias=False)
    found = fit_potential(runtime, ("one",))
    assert math.isinf(found.bound)
    assert found.drift.failing.any()


# ---- given potentials, and what is refused


def test_potentials_are_given_as_functions_of_the_components():
    runtime = expected_runtime("quarter", 16)

    def sum_of_steps(angle, bias):
        return 1.0 + angle + bias

    found = drift(runtime, sum_of_steps)
    angle, bias = np.indices((16, 17))
    np.testing.assert_array_equal(found.values, (1.0 + angle + bias) * ~runtime.target)
    assert found.potential == "sum_of_steps"
    assert drift(runtime, lambda angle, bias: 2.0).values.max() == 2.0


@pytest.mark.parametrize(
    ("potential", "message"),
    [
        ("nothing", "potential must be one of"),
        (np.ones(3), r"potential must have the shape \(12, 13\), got \(3,\)"),
        (lambda angle, bias: angle - 5.0, "potential must be positive and finite"),
        (lambda angle, bias: np.nan, "potential must be positive and finite"),
    ],
)
def test_wrong_potentials_are_refused(potential, message):
    with pytest.raises(ValueError, match=message):
        drift(expected_runtime("quarter", 12), potential)


def test_potentials_that_do_not_apply_are_refused():
    stuck = expected_runtime("local_opt", 12, "local")
    with pytest.raises(ValueError, match="must be finite, but a run may be stuck"):
        drift(stuck, "expected time")
    with pytest.raises(ValueError, match="this one is of QUARTER with one neuron"):
        drift(expected_runtime("half", 12), "paper quarter")
    comma = expected_runtime("quarter", 8, algorithm="one_comma_lambda", offspring=2)
    with pytest.raises(ValueError, match="above must be left out"):
        drift(comma, "distance", above=0.5)
    with pytest.raises(ValueError, match="above must leave some networks"):
        drift(expected_runtime("quarter", 12), "distance", above=1.0)
    # only the target is so fit
    with pytest.raises(ValueError, match="above must leave some networks"):
        drift(expected_runtime("half", 16, bias=False), "distance", above=0.99)
    with pytest.raises(ValueError, match="target must leave some networks"):
        drift(expected_runtime("half", 16, bias=False, target=0.0), "distance")
    assert math.isinf(drift(stuck, "distance").additive_bound)
    assert set(POTENTIALS) >= {"distance", "missing fitness", "expected time"}


# ---- pictures


def test_a_map_shows_the_least_drift_and_where_a_potential_fails():
    from hyperna.plots import plot_drift

    found = drift(expected_runtime("half", 8, dim=3), lambda x, y, b: 1 + np.abs(b - 4) + 0 * x)
    ax = plot_drift(found, over="components", components=(2, 0))
    drawn = np.ma.filled(ax.images[0].get_array(), np.nan)
    least = np.fmin.reduce(np.where(found.free, found.drift, np.nan), axis=1)
    np.testing.assert_allclose(drawn, least)
    (marks,) = ax.lines
    assert marks.get_xdata().size == found.failing.any(axis=1).sum() > 0
    assert set(np.unique(marks.get_xdata())) <= set(2 * np.arange(9) / 8 - 1)


def test_lines_of_rates_lie_below_all_points():
    from hyperna.plots import plot_drift

    found = drift(expected_runtime("quarter", 24), "missing fitness", above=0.75)
    ax = plot_drift(found)
    points, relative = ax.lines[0].get_xydata(), ax.lines[1].get_xydata()
    assert len(points) == found.free.sum()
    assert ax.get_xscale() == ax.get_yscale()
    slope = relative[1, 1] / relative[1, 0]
    assert (points[:, 1] >= slope * points[:, 0] * (1 - 1e-12)).all()
    assert slope == pytest.approx(found.multiplicative_rate)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_where_no_combination_has_the_drift_the_closest_one_is_told(sign):
    from hyperna.theory.drift import _closest

    rates = np.random.default_rng(3).normal([2.0, 1.0], size=(6, 2))
    found = (sign * rates @ _closest(rates, sign)).min()
    grid = np.linspace(-1, 1, 81)
    every = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    best = (sign * rates @ every.T).min(axis=0).max()
    assert best <= found + 1e-9 <= best + 0.1
