"""Scaling fits against data whose law is known, and against numpy's own regression."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from hyperna import OnePlusOneNA, problem
from hyperna.analysis.laws import (
    GROWTH_LAWS,
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


# Near the limits of a family noise hides the leading term, or chi-square has two valleys.
NEAR_LIMITS = {
    "power log": (1.0, (3, 20)),
    "power log^2": (1.5, (0.7, 2, 3)),
    "power, linear": (2.0, (0.01, 5)),
    "polylog": (3.0, (0.02, 2.1, 3)),
    "log^3": (3.0, (0.01, 4.2, 4, 2)),
    "quadratic": (2.0, (0.0005, 5, 7)),
}
COVERED = [(name, *truth[1:]) for name, truth in TRUTHS.items()]
COVERED += [(name, *truth) for name, truth in NEAR_LIMITS.items()]
RIGHT = ("fits", "exponent", "factor", "prediction at 2 r", "prediction at 16 r")


def right(name, exponent, coefficients, repetitions):
    """In how many samples a true law fits and its intervals hold the truth; see `RIGHT`.

    Every mean has the noise of 1,000 exponential runtimes.
    """
    rng = np.random.default_rng(8)
    sizes = 2.0 ** np.arange(5, 13)
    law, numbers = GROWTH_LAWS[name], np.array(coefficients)
    mean = law.terms(sizes, exponent) @ numbers
    further = law.terms(sizes[-1] * np.array([2.0, 16.0]), exponent) @ numbers
    error = mean / np.sqrt(1000)
    counts = np.zeros(len(RIGHT), dtype=int)
    for _ in range(repetitions):
        [fit] = fit_scaling(sizes, rng.normal(mean, error), error, laws=[name])
        intervals = [fit.exponent_interval, fit.factor_interval]
        intervals += [one.interval for one in fit.predictions]
        truths = [exponent, coefficients[0], *further]
        held = [
            low - 1e-9 <= value <= high + 1e-9
            for (low, high), value in zip(intervals, truths, strict=True)
        ]
        counts += [fit.fits, *held]
    return counts


@pytest.mark.slow
@pytest.mark.parametrize("truth", COVERED, ids=lambda truth: f"{truth[0]} {truth[2]}")
def test_intervals_cover_the_truth_as_often_as_they_say(truth):
    """300 repetitions: 95 % intervals within four standard errors of 95 %, or more often."""
    shares = right(*truth, 300) / 300
    assert shares[1:].min() >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / 300), list(
        zip(RIGHT, shares, strict=True)
    )
    assert shares[0] >= 0.96


@pytest.mark.parametrize("truth", COVERED, ids=lambda truth: f"{truth[0]} {truth[2]}")
def test_few_repetitions_cover_the_truth(truth):
    """20 repetitions: so few misses are left to chance once in 10,000 tests."""
    counts = right(*truth, 20)
    assert counts[1:].min() >= stats.binom.ppf(1e-4, 20, 0.95), list(
        zip(RIGHT, counts, strict=True)
    )
    assert counts[0] >= stats.binom.ppf(1e-4, 20, 0.98)


def test_an_interval_spans_all_valleys_of_chi_square():
    """Every exponent that the data do not exclude lies in the interval, whatever is between."""
    sizes = 2.0 ** np.arange(5, 13)
    mean = TRUTHS["power log^2"][0](sizes)
    error = mean / np.sqrt(1000)
    data = sizes, np.random.default_rng(0).normal(mean, error), error
    low, high = by_name(fit_scaling(*data))["power log^2"].exponent_interval
    kept = [k for k in np.linspace(0.1, 3, 200) if exponent_p_value("power log^2", k, *data) > 0.05]
    steps = np.diff(kept)
    assert steps.max() > 5 * steps.min()  # two valleys, and exponents between them excluded
    assert low <= min(kept) < max(kept) <= high


@pytest.mark.parametrize("runs", [10, 30])
def test_intervals_hold_with_few_runs_too(runs):
    """Where a low mean comes with a low standard error, it must not count for more."""
    rng = np.random.default_rng(1)
    sizes = 2.0 ** np.arange(5, 13)
    held = 0
    for _ in range(60):
        samples = [rng.exponential(3 * r + 2, runs) for r in sizes]
        [fit] = fit_runtimes(sizes, samples, laws=["linear"])
        low, high = fit.factor_interval
        held += low <= 3 <= high
    # the intervals of fit_scaling with these standard errors hold it in 40 and 47 of 60
    assert held >= stats.binom.ppf(0.001, 60, 0.95)


def test_all_laws_that_fit_are_named_with_what_they_predict():
    """A truth in no family: several laws fit, and the text says that they part further on."""
    sizes = 2.0 ** np.arange(5, 14)
    mean = 2 ** np.sqrt(np.log2(sizes))
    error = mean / 30
    fits = fit_scaling(sizes, np.random.default_rng(0).normal(mean, error), error)
    fitting = [fit for fit in fits if fit.fits]
    assert len(fitting) > 2
    text = verdict(fits)
    assert text.startswith(f"{len(fitting)} of {len(fits)} laws fit: ")
    for fit in fitting:
        assert fit.equation in text
        for times, found in zip((2, 16), fit.predictions, strict=True):
            assert found.resolution == times * sizes[-1]
            assert found.value == pytest.approx(float(fit(found.resolution)))
            assert found.interval.low <= found.value <= found.interval.high
    for place, r in enumerate(("16,384", "131,072")):
        values = [fit.predictions[place].value for fit in fitting]
        said = f"{min(values):.3g} to {max(values):.3g}"
        apart = f"factor {max(values) / min(values):.2f}"
        assert re.search(rf"r = {r}[^;]* {re.escape(said)}[^;]* \({apart};", text)


def test_one_law_that_fits_is_named_alone():
    r = 2.0 ** np.arange(5, 14)
    text = verdict(fit_scaling(r, TRUTHS["log^3"][0](r), np.full_like(r, 1e-3)))
    assert text.startswith("1 of 11 laws fits: 1 ln³ r - 1 ln² r + 5 ln r + 9, a in [1, 1] (p = 1)")
    assert "At r = 16,384, 2 times the largest measured, it predicts" in text


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


def test_a_leading_coefficient_is_not_negative():
    """Where the best one would be, it is 0, the rest is fitted without it, and all is told."""
    error = 0.02 * R
    mean = 5 * R - 1e-4 * R**2
    fits = by_name(fit_scaling(R, mean, error))
    quadratic, linear = fits["quadratic"], fits["linear"]
    assert quadratic.factor == 0
    assert quadratic.factor_interval.low == 0 < quadratic.factor_interval.high
    assert quadratic.coefficients[1:] == pytest.approx(linear.coefficients)
    assert quadratic.chi_square == pytest.approx(linear.chi_square)
    assert quadratic.degrees_of_freedom == linear.degrees_of_freedom
    assert quadratic.fits is linear.fits is True
    assert quadratic.equation.startswith("0 r² + ")
    assert quadratic.weight < linear.weight


def test_a_law_that_falls_for_large_r_does_not_count():
    fits = fit_scaling(R, 2 * R.max() - R, np.ones_like(R))
    assert not any(fit.fits for fit in fits)
    quadratic = by_name(fits)["quadratic"]
    assert quadratic.p_value > 0.9
    assert "falls for large r" in str(quadratic)


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


def test_many_runs_are_summed_up_by_mean_and_standard_error():
    """With many runs the standard errors are as good as known."""
    rng = np.random.default_rng(3)
    samples = [rng.exponential(5 * r, 20_000) for r in R]
    means = [sample.mean() for sample in samples]
    errors = [sample.std(ddof=1) / np.sqrt(20_000) for sample in samples]
    known = by_name(fit_scaling(R, means, errors))
    for fit in fit_runtimes(R, samples):
        if fit.fits:
            other = known[fit.law.name]
            assert fit(R) == pytest.approx(other(R), rel=2e-3)
            assert fit.p_value == pytest.approx(other.p_value, abs=0.05)


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


def test_laws_can_be_chosen():
    """A law that is fitted alone has the same numbers as beside all others."""
    mean, error = 3 * R + 5, 0.1 * R
    together = by_name(fit_scaling(R, mean, error))
    alone = fit_scaling(R, mean, error, laws=["linear", "log^2"])
    assert sorted(fit.law.name for fit in alone) == ["linear", "log^2"]
    for fit in alone:
        assert replace(fit, weight=0.0) == replace(together[fit.law.name], weight=0.0)
    samples = [np.random.default_rng(0).exponential(3 * r, 50) for r in R]
    [one] = fit_runtimes(R, samples, laws=["quadratic"])
    everything = by_name(fit_runtimes(R, samples))
    assert one.factor_interval == everything["quadratic"].factor_interval
    with pytest.raises(ValueError, match="laws must be one of"):
        fit_scaling(R, mean, error, laws=["cubic"])
