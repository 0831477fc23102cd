"""The compiled algorithm against exact runtimes: 100,000 runs a setting, 4 standard errors."""

import math

import numpy as np
import pytest

from hyperna import OnePlusOneNA
from hyperna.problems import problem
from hyperna.theory import expected_runtime

RUNS = 100_000


def standard_error_of_deviation(sample):
    """From the fourth central moment, because runtimes are far from normal."""
    centred = sample - sample.mean()
    variance = np.mean(centred**2)
    return math.sqrt((np.mean(centred**4) - variance**2) / sample.size) / (2 * math.sqrt(variance))


def assert_same_law(sample, runtime):
    error = runtime.standard_deviation / math.sqrt(sample.size)
    assert abs(sample.mean() - runtime.mean) < 4 * error
    spread = abs(sample.std() - runtime.standard_deviation)
    assert spread < 4 * standard_error_of_deviation(sample)


@pytest.mark.parametrize("mutation", ["harmonic", "local"])
@pytest.mark.parametrize("resolution", [16, pytest.param(24, marks=pytest.mark.slow), 40])
@pytest.mark.parametrize(("name", "bias"), [("half", True), ("half", False), ("quarter", True)])
def test_runs_have_the_exact_mean_and_deviation(name, resolution, mutation, bias):
    na = OnePlusOneNA(neurons=1, resolution=resolution, mutation=mutation, bias=bias)
    runs = na.run_many(problem(name), runs=RUNS, budget=10**9, seed=1)
    assert runs.success.all()
    runtime = expected_runtime(problem(name), resolution, mutation, bias=bias)
    assert_same_law(runs.evaluations.astype(float), runtime)


@pytest.mark.parametrize(
    ("name", "mutation", "options"),
    [
        ("quarter", "harmonic", {"redraw_void": True}),
        ("half", "local", {"redraw_void": True}),
        ("half", "uniform", {}),
        ("quarter", "uniform", {"mutation_probability": 0.9}),
        ("quarter", "power_law:exponent=2", {"mutation_probability": 0.2}),
        ("half", "harmonic", {"bias": False, "redraw_void": True}),
        ("local_opt", "harmonic", {}),
    ],
)
def test_options_mean_the_same_in_both(name, mutation, options):
    na = OnePlusOneNA(neurons=1, resolution=20, mutation=mutation, **options)
    runs = na.run_many(problem(name), runs=RUNS, budget=10**9, seed=2)
    assert runs.success.all()
    runtime = expected_runtime(problem(name), 20, mutation, **options)
    assert_same_law(runs.evaluations.astype(float), runtime)


def test_fitness_target_means_the_same_in_both():
    runs = OnePlusOneNA(neurons=1, resolution=40).run_many(
        problem("quarter"), runs=RUNS, budget=10**9, target=0.95, seed=3
    )
    assert runs.success.all()
    runtime = expected_runtime(problem("quarter"), 40, target=0.95)
    assert_same_law(runs.evaluations.astype(float), runtime)


def test_an_angle_exactly_one_step_away_is_not_the_optimum():
    """7/12 of 108 is 63, but 63.00000000000001 in floating point, which is nearer to 64 than 1."""
    na = OnePlusOneNA(neurons=1, resolution=108)
    runs = na.run_many(problem("arcs", k=3), runs=RUNS, budget=10**9, seed=6)
    assert_same_law(runs.evaluations.astype(float), expected_runtime(problem("arcs", k=3), 108))


@pytest.mark.parametrize("resolution", [12, 24])
def test_share_of_runs_that_are_not_stuck(resolution):
    na = OnePlusOneNA(neurons=1, resolution=resolution, mutation="local")
    runs = na.run_many(problem("local_opt"), runs=RUNS, budget=20_000, seed=4)
    runtime = expected_runtime(problem("local_opt"), resolution, "local")
    assert math.isinf(runtime.mean)
    p = runtime.probability
    assert abs(runs.success.mean() - p) < 4 * math.sqrt(p * (1 - p) / RUNS)
    times = runs.evaluations[runs.success]
    error = runtime.conditional_standard_deviation / math.sqrt(times.size)
    assert abs(times.mean() - runtime.conditional_mean) < 4 * error


def test_runs_have_the_exact_distribution():
    """Kolmogorov's distance of 100,000 runs: above 1.95/sqrt(n) once in a thousand samples."""
    na = OnePlusOneNA(neurons=1, resolution=24)
    runs = na.run_many(problem("quarter"), runs=RUNS, budget=10**9, seed=5)
    exact = expected_runtime(problem("quarter"), 24).distribution(400)
    counts = np.bincount(np.minimum(runs.evaluations, 401), minlength=402)[:401]
    assert np.abs(np.cumsum(counts) / RUNS - exact).max() < 1.95 / math.sqrt(RUNS)


@pytest.mark.parametrize("mutation", ["harmonic", "adaptive:jump=0"])
def test_every_restart_is_a_fresh_run(mutation):
    """Attempts are independent, so the mean of the sum follows from single ones (Wald)."""
    na = OnePlusOneNA(resolution=16, mutation=mutation, mutation_probability=0.1)
    options = {"stagnation": 25, "budget": 10**9, "runs": 20_000}
    single = na.run_many(problem("half"), seed=3, **options)
    again = na.run_many(problem("half"), seed=4, restarts=10**6, **options)
    assert again.success.all()
    share, lengths = single.success.mean(), single.evaluations.astype(float)
    # a ratio of two means of one sample
    expected = lengths.mean() / share
    error = np.std(lengths - expected * single.success) / share / math.sqrt(20_000)
    error = math.hypot(error, again.evaluations.std() / math.sqrt(20_000))
    assert abs(again.evaluations.mean() - expected) < 4 * error
