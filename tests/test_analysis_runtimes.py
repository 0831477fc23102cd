"""Growth laws fitted to samples of runtimes, beside a regression written down plainly."""

import numpy as np
import pytest
from scipy import stats

from hyperna.analysis.growth import GROWTH_LAWS
from hyperna.analysis.laws import exponent_p_value, fit_runtimes, fit_scaling
from hyperna.analysis.regression import Means, valleys
from hyperna.analysis.statistics import bootstrap_interval, expected_running_time

R = np.array([100.0, 200, 400, 800, 1600, 3200])


def samples_of(count, seed=0):
    """Runtimes that spread in proportion to a mean that grows linearly."""
    rng = np.random.default_rng(seed)
    spread = rng.uniform(0.98, 1.02, (len(R), count))
    return [(3 * r + 5) * row for r, row in zip(R, spread, strict=True)]


def straight(x, y, error):
    """Coefficients of a weighted straight line and their covariance."""
    design = np.column_stack([x, np.ones_like(x)]) / error[:, None]
    covariance = np.linalg.inv(design.T @ design)
    return covariance @ design.T @ (y / error), covariance


def likely_means(mean, error):
    """What the law with the least AIC says, its leading coefficient at least 0."""
    best, least = mean, np.inf
    for law in GROWTH_LAWS.values():
        if law.parameters + 2 > len(R):
            continue
        found = []
        for exponent in law.exponent_grid(100):
            terms = law.terms(R, exponent)
            for first in (0, 1):
                some = terms[:, first:]
                scale = np.abs(some / error[:, None]).max(axis=0)
                solved = np.linalg.lstsq(some / error[:, None] / scale, mean / error)[0] / scale
                values = some @ solved
                if first or solved[0] >= 0:
                    found.append(((((mean - values) / error) ** 2).sum(), values))
                    break
        chi_square, values = min(found, key=lambda one: one[0])
        if chi_square + 2 * law.parameters < least and values.min() > 0:
            best, least = values, chi_square + 2 * law.parameters
    return best


def plain_linear(samples, level):
    """The line, the interval of its slope, chi-square and p-value."""
    count = min(map(len, samples))
    mean = np.array([sample.mean() for sample in samples])
    own = np.array([sample.std(ddof=1) / np.sqrt(len(sample)) for sample in samples])
    error = own
    for _ in range(2):
        error = own / mean * likely_means(mean, error)
    line, covariance = straight(R, mean, error)
    freedom = max(1.0, (count - 1) / 4)
    half = stats.t.ppf(0.5 + level / 2, freedom) * np.sqrt(covariance[0, 0])
    chi_square = (((mean - line[0] * R - line[1]) / error) ** 2).sum()
    p = stats.f.sf(chi_square / 4, 4, len(R) * freedom)
    return line, (line[0] - half, line[0] + half), chi_square, p


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("count", [2, 3, 21, 60])
def test_a_line_through_samples_is_the_plain_regression(level, count):
    samples = samples_of(count, seed=count)
    [fit] = fit_runtimes(R, samples, level=level, laws=["linear"])
    line, interval, chi_square, p = plain_linear(samples, level)
    assert fit.coefficients == pytest.approx(tuple(line), rel=1e-5)
    assert fit.factor_interval == pytest.approx(interval, rel=1e-5)
    assert fit.chi_square == pytest.approx(chi_square, rel=1e-4)
    assert fit.p_value == pytest.approx(p, rel=1e-4)
    assert fit.aic == pytest.approx(chi_square + 4, rel=1e-4)
    assert fit.degrees_of_freedom == 4


def test_the_sample_with_the_fewest_runs_says_how_sure_errors_are():
    samples = samples_of(40)
    samples[3] = samples[3][:5]
    [fit] = fit_runtimes(R, samples, laws=["linear"])
    _, interval, _, p = plain_linear(samples, 0.95)
    assert fit.factor_interval == pytest.approx(interval, rel=1e-5)
    assert fit.p_value == pytest.approx(p, rel=1e-4)
    samples[0] = samples[0][:1]
    with pytest.raises(ValueError, match="at least two runs"):
        fit_runtimes(R, samples)


def test_a_law_needs_two_resolutions_more_than_it_has_numbers():
    for count in (4, 5, 6):
        sizes = R[:count]
        found = {fit.law.name for fit in fit_scaling(sizes, 3 * sizes, 0.1 * sizes)}
        assert found == {name for name, law in GROWTH_LAWS.items() if law.parameters + 2 <= count}
    # the same resolution twice is one
    twice = np.append(R[:4], R[:1])
    found = {fit.law.name for fit in fit_scaling(twice, 3 * twice, 0.1 * twice)}
    assert found == {name for name, law in GROWTH_LAWS.items() if law.parameters <= 2}


@pytest.mark.parametrize("law", [name for name, law in GROWTH_LAWS.items() if law.fitted_exponent])
def test_the_ends_of_an_exponent_s_range_may_be_tested(law):
    low, high = GROWTH_LAWS[law].exponents
    data = R, 3 * R + 5, 0.5 * R
    for exponent in (low, high):
        assert 0 <= exponent_p_value(law, exponent, *data) <= 1
    for exponent in (low - 1e-9, high + 1e-9):
        with pytest.raises(ValueError, match="exponent must be from"):
            exponent_p_value(law, exponent, *data)


def test_resolutions_from_three_on():
    sizes = np.array([3.0, 6, 12, 24, 48])
    assert fit_scaling(sizes, 2 * sizes, 0.1 * sizes)
    with pytest.raises(ValueError, match=">= 3"):
        fit_scaling(np.append(2.999, sizes[1:]), 2 * sizes, 0.1 * sizes)


def test_laws_that_fit_come_first_and_share_their_weights():
    rng = np.random.default_rng(2)
    error = 0.02 * R
    fits = fit_scaling(R, 3 * R + 5 + rng.normal(0, error), error)
    good = [fit for fit in fits if fit.fits]
    assert fits[: len(good)] == good
    assert len(fits) == len([law for law in GROWTH_LAWS.values() if law.parameters + 2 <= len(R)])
    for part in (good, fits[len(good) :]):
        assert [fit.aic for fit in part] == sorted(fit.aic for fit in part)
    weights = np.exp([-fit.aic / 2 for fit in good])
    assert [fit.weight for fit in good] == pytest.approx(weights / weights.sum())
    assert all(fit.weight == 0 for fit in fits[len(good) :])
    for fit in fits:
        assert fit.aic == pytest.approx(fit.chi_square + 2 * fit.law.parameters)


def test_valleys_begin_where_a_plateau_does_and_hold_the_ends():
    """The least chi-square of a fine grid lies in the deepest valley."""
    for exponent in (0.05, 1.0, 2.5, 6.0):
        mean = 2 * R**exponent + 3
        data = Means(R, mean, 0.01 * mean)
        law = GROWTH_LAWS["power"]
        tried, chi_square = valleys(law, data)
        assert (np.diff(tried) >= 0).all()
        assert tried[chi_square.argmin()] == pytest.approx(exponent, abs=1e-3)
        assert chi_square.min() == pytest.approx(0.0, abs=1e-6)
        assert (tried[0], tried[-1]) == law.exponents


@pytest.mark.parametrize("count", [4096, 4097])
def test_samples_up_to_four_thousand_are_drawn_one_by_one(count):
    """Beyond, values are added up in blocks in random order."""
    sample = np.random.default_rng(0).exponential(1, count)
    found = bootstrap_interval(sample, resamples=100, seed=3)
    rng = np.random.default_rng(3)
    if count > 4096:
        half = 1.959964 * sample.std() / np.sqrt(count)
        assert (sample.mean() - found.low, found.high - sample.mean()) == pytest.approx(
            (half, half), rel=0.4
        )
        return
    chosen = rng.integers(count, size=(100, count))
    draws = np.sort(sample[chosen].mean(axis=1))
    assert min(abs(draws - found.low)) < 1e-12
    assert min(abs(draws - found.high)) < 1e-12


def test_levels_of_running_times():
    spent, solved = np.array([10.0, 40, 25, 90, 60]), [True, True, False, True, False]
    wide, narrow = (expected_running_time(spent, solved, level=level) for level in (0.99, 0.5))
    assert wide.low <= narrow.low <= wide.value <= narrow.high <= wide.high
    assert wide.low < narrow.low or narrow.high < wide.high
    assert wide.value == narrow.value == 75
