"""Scaling fits against data whose law is known, and against numpy's own regression."""

import numpy as np
import pytest
from scipy import stats

from hyperna import OnePlusOneNA, problem
from hyperna.analysis.laws import LAWS, fit_runtimes, fit_scaling, theorem_bound

R = np.array([120, 240, 360, 480, 600, 720, 840, 960, 1080, 1200], dtype=float)
TRUTHS = {
    "polylog": (lambda r: 0.7 * np.log(r) ** 2.5, 0.7, 2.5),
    "power": (lambda r: 2.0 * r**1.6, 2.0, 1.6),
    "linearithmic": (lambda r: 3.0 * r * np.log(r), 3.0, 1.0),
}


@pytest.mark.parametrize("name", list(TRUTHS))
def test_noiseless_data_give_back_law_and_parameters(name):
    law, factor, exponent = TRUTHS[name]
    best = fit_scaling(R, law(R), 0.01 * law(R))[0]
    assert best.law is LAWS[name]
    assert (best.factor, best.exponent) == pytest.approx((factor, exponent))
    assert np.allclose(best(R), law(R))
    assert best.chi_square == pytest.approx(0, abs=1e-12)


def test_power_law_is_numpy_s_weighted_regression():
    rng = np.random.default_rng(0)
    error = rng.uniform(0.01, 0.1, len(R))
    mean = 2 * R**1.3 * np.exp(rng.normal(0, error))
    fit = next(f for f in fit_scaling(R, mean, error * mean) if f.law.name == "power")
    (slope, intercept), covariance = np.polyfit(
        np.log(R), np.log(mean), 1, w=1 / error, cov="unscaled"
    )
    assert (fit.exponent, np.log(fit.factor)) == pytest.approx((slope, intercept))
    widening = max(1.0, fit.chi_square / (len(R) - 2))
    half = stats.t.ppf(0.975, len(R) - 2) * np.sqrt(covariance[0, 0] * widening)
    assert fit.exponent_interval == pytest.approx((slope - half, slope + half))


@pytest.mark.parametrize("name", list(TRUTHS))
def test_intervals_cover_and_the_choice_is_right(name):
    law, factor, exponent = TRUTHS[name]
    rng = np.random.default_rng(1)
    chosen, factor_in, exponent_in = 0, 0, 0
    repeats = 300
    for _ in range(repeats):
        error = rng.uniform(0.01, 0.03, len(R))
        mean = law(R) * np.exp(rng.normal(0, error))
        fits = {fit.law.name: fit for fit in fit_scaling(R, mean, error * mean)}
        chosen += next(iter(fits)) == name
        low, high = fits[name].factor_interval
        factor_in += low <= factor <= high
        low, high = fits[name].exponent_interval
        exponent_in += low <= exponent <= high
        assert sum(fit.weight for fit in fits.values()) == pytest.approx(1)
    assert chosen >= 0.85 * repeats
    assert factor_in >= 0.92 * repeats
    assert exponent_in >= 0.92 * repeats


def test_a_law_that_misses_the_data_gets_wide_intervals():
    mean = 0.7 * np.log(R) ** 2.5
    power = next(f for f in fit_scaling(R, mean, 1e-4 * mean) if f.law.name == "power")
    assert power.chi_square / power.degrees_of_freedom > 100
    low, high = power.exponent_interval
    assert high - low > 0.01


def test_samples_are_summed_up_by_mean_and_standard_error():
    rng = np.random.default_rng(3)
    samples = [rng.exponential(5 * r, 200) for r in R]
    means = [sample.mean() for sample in samples]
    errors = [sample.std(ddof=1) / np.sqrt(200) for sample in samples]
    assert fit_runtimes(R, samples) == fit_scaling(R, means, errors)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([120, 240, 480], [1, 2, 3], [1, 1, 1]), "at least four"),
        (([2, 4, 8, 16], [1, 2, 3, 4], [1, 1, 1, 1]), ">= 3"),
        (([4, 8, 16, 32], [1, 2, 3], [1, 1, 1, 1]), "same length"),
        (([4, 8, 16, 32], [1, 2, 3, 0], [1, 1, 1, 1]), "positive"),
        (([4, 8, 16, 32], [1, 2, 3, 4], [1, 1, 0, 1]), "positive"),
        (([4, 8, 16, 32], [1, 2, 3, np.nan], [1, 1, 1, 1]), "means must be finite"),
    ],
)
def test_fit_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        fit_scaling(*arguments)


def test_text_names_the_law_and_its_numbers():
    best = fit_scaling(R, 2 * R**1.6, 0.1 * R**1.6)[0]
    assert str(best).startswith("2 r^1.60, exponent in [")


def test_bounds_of_the_theorems():
    r = np.array([np.e**2])
    assert theorem_bound("half", "harmonic").growth(r) == pytest.approx(4)
    assert theorem_bound("quarter", "harmonic").growth(r) == pytest.approx(8)
    assert theorem_bound("quarter", "local").growth(r) == pytest.approx(np.e**4)
    assert theorem_bound("local_opt", "local").growth is None
    assert "stuck at fitness 2/3 or less, where 3/4 is" in theorem_bound("local_opt", "local").text
    assert theorem_bound("half", "uniform") is None


def test_what_is_said_about_local_opt():
    """One neuron's optimum is 3/4; local steps also end at 2/3 and 7/12, but for the grid."""
    local_opt, r = problem("local_opt"), 1200
    assert local_opt.best_fitness(1) == 3 / 4
    runs = OnePlusOneNA(neurons=1, resolution=r, mutation="local").run_many(
        local_opt, runs=200, seed=0
    )
    best, stuck = runs.fitness[runs.success], runs.fitness[~runs.success]
    assert np.abs(best - 3 / 4).max() < 2 / r
    assert stuck.max() <= 2 / 3
    distance = np.abs(stuck[:, np.newaxis] - [2 / 3, 7 / 12])
    assert distance.min(axis=1).max() < 2 / r
    assert (distance < 2 / r).any(axis=0).all()
