"""Scaling fits against data whose law is known, and against numpy's own regression."""

import numpy as np
import pytest
from scipy import stats

from hyperna import OnePlusOneNA, problem
from hyperna.analysis.laws import (
    GROWTH_LAWS,
    _fit,
    exponent_p_value,
    fit_runtimes,
    fit_scaling,
    theorem_bound,
    verdict,
)
from hyperna.theory import expected_runtime

R = np.array([120, 240, 360, 480, 600, 720, 840, 960, 1080, 1200], dtype=float)
POWERS_OF_TWO = 2.0 ** np.arange(6, 41, 2)
TRUTHS = {
    "log": (lambda r: 3 * np.log(r) + 2, 1.0, (3, 2)),
    "log^2": (lambda r: 1.6 * np.log(r) ** 2 + 2.1 * np.log(r) + 3, 2.0, (1.6, 2.1, 3)),
    "log^3": (lambda r: np.log(r) ** 3 - np.log(r) ** 2 + 5 * np.log(r) + 9, 3.0, (1, -1, 5, 9)),
    "linear": (lambda r: 2 * r + 30, 1.0, (2, 30)),
    "linearithmic": (lambda r: 3 * r * np.log(r) + r, 1.0, (3, 1)),
    "quadratic": (lambda r: 0.3 * r**2 + 5 * r + 7, 2.0, (0.3, 5, 7)),
    "power": (lambda r: 2.0 * r**1.6 + 40, 1.6, (2, 40)),
    "power, linear": (lambda r: 2.0 * r**1.6 + 4 * r, 1.6, (2, 4)),
    "polylog": (lambda r: 0.7 * np.log(r) ** 2.5 + 3 * np.log(r) + 1, 2.5, (0.7, 3, 1)),
    "power log": (lambda r: 0.7 * r**1.5 * np.log(r) + 2 * r**1.5, 1.5, (0.7, 2)),
    "power log^2": (
        lambda r: r**1.5 * (0.7 * np.log(r) ** 2 + 2 * np.log(r) + 3),
        1.5,
        (0.7, 2, 3),
    ),
}


def by_name(fits):
    return {fit.law.name: fit for fit in fits}


@pytest.mark.parametrize("name", list(TRUTHS))
def test_noiseless_data_give_back_law_and_parameters(name):
    law, exponent, coefficients = TRUTHS[name]
    assert set(TRUTHS) == set(GROWTH_LAWS)
    fits = fit_scaling(R, law(R), 1e-5 * law(R))
    found = by_name(fits)[name]
    assert found.fits
    assert found.exponent == pytest.approx(exponent, abs=1e-3)
    assert found.coefficients == pytest.approx(coefficients, rel=0.02, abs=0.5)
    assert np.allclose(found(R), law(R), rtol=1e-4)
    assert sum(fit.weight for fit in fits) == pytest.approx(1)


def test_a_law_with_given_terms_is_numpy_s_weighted_regression():
    rng = np.random.default_rng(0)
    error = rng.uniform(0.5, 2, len(R))
    mean = 2 * np.log(R) ** 2 + rng.normal(0, error)
    fit = by_name(fit_scaling(R, mean, error))["log^2"]
    expected, covariance = np.polyfit(np.log(R), mean, 2, w=1 / error, cov="unscaled")
    assert fit.coefficients == pytest.approx(tuple(expected))
    half = stats.norm.ppf(0.975) * np.sqrt(covariance[0, 0])
    assert fit.factor_interval == pytest.approx((expected[0] - half, expected[0] + half))
    assert fit.chi_square == pytest.approx(
        (((mean - np.polyval(expected, np.log(R))) / error) ** 2).sum()
    )
    assert fit.p_value == pytest.approx(stats.chi2.sf(fit.chi_square, len(R) - 3))


COVERED = [
    (TRUTHS["log^2"][0], POWERS_OF_TWO, 0.5, "polylog", "log^2", 1.6),
    (lambda r: 0.3 * r**2 + 5 * r, 2.0 ** np.arange(5, 13), 1.0, "power, linear", "quadratic", 0.3),
]


def covered(truth, sizes, spread, law, fixed, factor, repetitions):
    """Share of 95 % intervals of the exponent and of the factor that hold the truth, and of fits.

    Every mean has the noise of 1,000 runs.
    """
    rng = np.random.default_rng(8)
    mean = truth(sizes)
    error = spread * mean / np.sqrt(1000)
    counts = np.zeros(3)
    for _ in range(repetitions):
        data = sizes, rng.normal(mean, error), error
        solved = _fit(GROWTH_LAWS[fixed], *data, 0.95)
        inside = solved.factor_interval.low <= factor <= solved.factor_interval.high
        counts += exponent_p_value(law, 2, *data) > 0.05, inside, solved.fits
    return counts / repetitions


@pytest.mark.slow
@pytest.mark.parametrize("case", COVERED, ids=["log^2", "r^2"])
def test_intervals_cover_the_truth_as_often_as_they_say(case):
    """1,000 repetitions: 93 to 97 % of the 95 % intervals."""
    exponents, factors, fitting = covered(*case, 1000)
    assert 0.93 <= exponents <= 0.97
    assert 0.93 <= factors <= 0.97
    assert fitting >= 0.98


@pytest.mark.parametrize("case", COVERED, ids=["log^2", "r^2"])
def test_few_repetitions_cover_the_truth(case):
    """100 repetitions: within four standard errors of 95 %."""
    exponents, factors, fitting = covered(*case, 100)
    assert min(exponents, factors) >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / 100)
    assert fitting >= 0.95


def test_the_interval_of_an_exponent_holds_those_that_the_test_does_not_reject():
    rng = np.random.default_rng(2)
    mean = TRUTHS["log^2"][0](POWERS_OF_TWO)
    error = 0.5 * mean / np.sqrt(1000)
    data = POWERS_OF_TWO, rng.normal(mean, error), error
    low, high = by_name(fit_scaling(*data))["polylog"].exponent_interval
    for exponent in (low, high):
        assert exponent_p_value("polylog", exponent, *data) == pytest.approx(0.05, abs=1e-6)
    assert exponent_p_value("polylog", 2, *data) > 0.05
    assert low < 2 < high


def test_half_without_bias_is_quadratic_in_the_logarithm():
    """Exact values: no pure power of ln r, but a quadratic with the coefficient of the theorem."""
    sizes = 2.0 ** np.arange(6, 13)
    mean = np.array([expected_runtime(problem("half"), int(r), bias=False).mean for r in sizes])
    error = 0.5 * mean / np.sqrt(1000)
    fits = by_name(fit_scaling(sizes, mean, error))
    assert fits["log^2"].fits
    assert not fits["linear"].fits
    assert exponent_p_value("polylog", 2, sizes, mean, error) > 0.05


def test_a_law_whose_leading_term_is_negative_does_not_count():
    error = 0.02 * R
    fit = by_name(fit_scaling(R, 5 * R - 1e-4 * R**2, error))["quadratic"]
    assert fit.p_value > 0.9
    assert not fit.fits
    assert fit.weight == 0
    assert "does not grow" in str(fit)


def test_none_fits_is_said():
    wild = np.exp(R / 100)
    fits = fit_scaling(R, wild, 1e-3 * wild)
    assert not any(fit.fits for fit in fits)
    assert verdict(fits).startswith(f"none of {len(fits)} laws fits")
    assert "does not fit (chi-square" in str(fits[0])
    assert all(fit.weight == 0 for fit in fits)
    assert verdict([]) == "no law can be fitted to so few resolutions"


def test_exponents_under_test_are_checked():
    data = R, R, R
    with pytest.raises(ValueError, match="law must be one of 'polylog'"):
        exponent_p_value("quadratic", 2, *data)
    with pytest.raises(ValueError, match="exponent must be from"):
        exponent_p_value("polylog", 20, *data)


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


def test_text_names_the_law_its_numbers_and_its_fit():
    best = by_name(fit_scaling(R, 2 * R**1.6 + 1, 0.01 * R**1.6))["power"]
    assert str(best).startswith("2 r^1.60 + 1, k in [1.")
    assert str(best).endswith("on 7, p = 1)")
    assert by_name(fit_scaling(R, 3 * R - 20, 0.01 * R))["linear"].equation == "3 r - 20"
    falling = by_name(fit_scaling(R, 2 * R.max() - R, np.ones_like(R)))["linear"]
    assert falling.equation == f"-1 r + {2 * R.max():,.0f}"


def test_bounds_of_the_theorems():
    r = np.array([np.e**2])
    assert theorem_bound("half", "harmonic").growth(r) == pytest.approx(4)
    assert theorem_bound("quarter", "harmonic").growth(r) == pytest.approx(8)
    assert theorem_bound("quarter", "local").growth(r) == pytest.approx(np.e**4)
    for name, law, growth in (
        ("half", "local", np.e**2),
        ("two_quarters", "harmonic", 8),
        ("two_quarters", "local", np.e**2),
        ("local_opt", "harmonic", 8),
    ):
        assert theorem_bound(name, law).growth(r) == pytest.approx(growth)
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


def test_a_law_fits_from_a_p_value_of_one_in_a_hundred():
    from scipy import stats

    r = np.array([100.0, 200, 400, 800, 1600, 3200])
    wave = np.array([1.0, -1, 1, 1, -1, 1])
    [plain] = [fit for fit in fit_scaling(r, 3 * r + wave, np.ones(6)) if fit.law.name == "linear"]
    for p, fits in ((0.011, True), (0.009, False)):
        # the misfit grows with the square of the noise
        noise = np.sqrt(stats.chi2.isf(p, 4) / plain.chi_square)
        found = fit_scaling(r, 3 * r + noise * wave, np.ones(6))
        [linear] = [fit for fit in found if fit.law.name == "linear"]
        assert linear.p_value == pytest.approx(p)
        assert linear.fits is fits
        assert (linear.weight > 0) is fits


def test_repeated_resolutions_do_not_pay_for_more_parameters():
    r = np.repeat([100.0, 200, 400, 800, 1600], 3)
    fits = fit_scaling(r, 3 * r + np.tile([-1, 0, 1], 5), np.ones(15))
    assert {fit.law.name for fit in fits} == {
        name for name, law in GROWTH_LAWS.items() if law.parameters <= 3
    }


def test_laws_are_weighed_by_how_likely_they_are():
    """The weight of a law falls with its AIC: exp(-difference / 2), and all sum up to 1."""
    r = np.array([10.0, 20, 40, 80, 160, 320])
    fits = [fit for fit in fit_scaling(r, 3 * r + 5, 0.2 * r) if fit.fits]
    likelihood = np.exp([-fit.aic / 2 for fit in fits])
    assert len(fits) > 1
    assert likelihood[0] > likelihood[-1]
    assert [fit.weight for fit in fits] == pytest.approx(list(likelihood / likelihood.sum()))
