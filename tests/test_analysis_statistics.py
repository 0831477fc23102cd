"""Statistics against scipy, closed forms and simulated data whose truth is known."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hyperna.analysis.comparisons import effect_name, holm, pairwise_tests
from hyperna.analysis.statistics import (
    Summary,
    bootstrap_interval,
    expected_running_time,
    wilson_interval,
)


@given(st.integers(1, 3000), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_is_scipy_s(trials, data, level):
    successes = data.draw(st.integers(0, trials))
    expected = stats.binomtest(successes, trials).proportion_ci(level, method="wilson")
    assert wilson_interval(successes, trials, level) == pytest.approx(
        (expected.low, expected.high), abs=1e-12
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 0), "trials must be an integer >= 1, got 0"),
        ((3, 2), "successes must be an integer from 0 to 2, got 3"),
        ((1, 2, 1.0), "level must be"),
        ((1, 2, math.nan), "level must be"),
    ],
)
def test_wilson_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        wilson_interval(*arguments)


@pytest.mark.parametrize("n", [10, 101, 1000])
def test_mean_interval_is_scipy_s_bca(n):
    sample = np.random.default_rng(n).exponential(100, n)
    ours = bootstrap_interval(sample, resamples=20_000)
    theirs = stats.bootstrap(
        (sample,), np.mean, n_resamples=20_000, method="BCa", rng=1, batch=500
    ).confidence_interval
    width = theirs.high - theirs.low
    assert np.allclose(ours, theirs, atol=0.02 * width, rtol=0)


def test_draws_equal_to_the_mean_count_half():
    """The mean of resampled zeros and ones has a binomial law, of which much lies on the mean."""
    n, ones, level = 12, 4, 0.9
    counts = stats.binom(n, ones / n)
    bias = stats.norm.ppf(counts.cdf(ones) - counts.pmf(ones) / 2)
    # of a binary sample the skewness of the mean's influence, over six
    share = ones / n
    acceleration = (1 - 2 * share) / (6 * math.sqrt(n * share * (1 - share)))
    z = bias + stats.norm.ppf([(1 - level) / 2, (1 + level) / 2])
    wanted = stats.norm.cdf(bias + z / (1 - acceleration * z))
    sample = np.repeat([0.0, 1.0], [n - ones, ones])
    ends = np.array(bootstrap_interval(sample, level=level, resamples=100_000)) * n
    for share, end in zip(wanted, ends.round().tolist(), strict=True):
        assert counts.cdf(end - 1) < share < counts.cdf(end)
    # counted as below or as above, they would move the interval
    for shifted in (counts.cdf(ones), counts.cdf(ones - 1)):
        z = stats.norm.ppf(shifted) + stats.norm.ppf([(1 - level) / 2, (1 + level) / 2])
        other = counts.ppf(stats.norm.cdf(stats.norm.ppf(shifted) + z / (1 - acceleration * z)))
        assert other.tolist() != ends.round().tolist()


@pytest.mark.parametrize("n", [11, 101])
def test_median_interval_is_scipy_s_percentile(n):
    sample = np.random.default_rng(n).exponential(100, n)
    ours = bootstrap_interval(sample, "median")
    ends = stats.bootstrap(
        (sample,), np.median, n_resamples=50_000, method="percentile", rng=1, batch=1000
    ).confidence_interval
    ordered = np.sort(sample)
    assert ours.low in sample
    assert ours.high in sample
    # Drawn quantiles may fall on the neighbouring order statistic.
    for exact, drawn in zip(ours, ends, strict=True):
        assert abs(np.searchsorted(ordered, exact) - np.searchsorted(ordered, drawn)) <= 1


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_intervals_cover_the_truth(statistic):
    rng = np.random.default_rng(7)
    truth = 1.0 if statistic == "mean" else math.log(2)
    intervals = [
        bootstrap_interval(rng.exponential(1, 100), statistic, resamples=500) for _ in range(600)
    ]
    covered = np.mean([low <= truth <= high for low, high in intervals])
    assert 0.92 <= covered <= 0.98


def test_blocks_keep_the_interval_of_a_large_sample():
    sample = np.random.default_rng(3).lognormal(0, 1.5, 1_000_000)
    low, high = bootstrap_interval(sample)
    half = 1.959964 * sample.std() / 1000
    assert (sample.mean() - low, high - sample.mean()) == pytest.approx((half, half), rel=0.12)
    low, high = bootstrap_interval(sample, "median")
    # The asymptotic standard error of a median is 1 / (2 density sqrt(n)).
    half = 1.959964 * 1.5 * math.sqrt(2 * math.pi) / 2 / 1000
    assert (1 - low, high - 1) == pytest.approx((half, half), abs=half)
    assert high - low == pytest.approx(2 * half, rel=0.1)


def test_blocks_keep_evaluations_and_successes_together():
    """Failed runs are the long ones, and come last: the error of the ratio by the delta method."""
    runs, failures = 40_000, 10_000
    success = np.arange(runs) < runs - failures
    spent = np.where(success, 10.0, 40.0) + np.random.default_rng(0).uniform(0, 5, runs)
    value, low, high, *_ = expected_running_time(spent, success)
    residual = (spent - value * success) / success.mean()
    half = 1.959964 * residual.std() / math.sqrt(runs)
    assert (value - low, high - value) == pytest.approx((half, half), rel=0.15)


def test_without_a_success_the_mean_cost_is_divided_by_the_largest_likely_share():
    value, low, high, successes, runs = expected_running_time([10, 30, 80], [False] * 3)
    assert (value, high, successes, runs) == (math.inf, math.inf, 0, 3)
    assert low == pytest.approx(40 / wilson_interval(0, 3).high)


def test_same_seed_same_interval():
    sample = np.random.default_rng(0).exponential(1, 50)
    assert bootstrap_interval(sample, seed=5) == bootstrap_interval(sample, seed=5)
    assert bootstrap_interval(sample, seed=5) != bootstrap_interval(sample, seed=6)


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_degenerate_samples(statistic):
    assert all(math.isnan(end) for end in bootstrap_interval([3.0], statistic))
    assert bootstrap_interval([0.1] * 9, statistic) == pytest.approx((0.1, 0.1))
    assert bootstrap_interval([0.0] * 9, statistic) == (0.0, 0.0)
    low, high = bootstrap_interval([1.0, 2.0], statistic)
    assert 1 <= low <= high <= 2


@pytest.mark.parametrize("values", [[], [[1, 2]], [1, math.nan], [1, math.inf]])
def test_bootstrap_refuses_values(values):
    with pytest.raises(ValueError, match="values must be"):
        bootstrap_interval(values)


@pytest.mark.parametrize(
    "options", [{"level": 0}, {"level": 1}, {"resamples": 3}, {"seed": -1}, {"statistic": "mode"}]
)
def test_bootstrap_refuses_options(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        bootstrap_interval([1.0, 2.0, 3.0], **options)


def test_bootstrap_refuses_text():
    with pytest.raises(TypeError, match="values must be a list of numbers"):
        bootstrap_interval(["fast", "slow"])


def test_ert_of_a_geometric_restart_is_the_whole_cost():
    """A run succeeds within its cap with probability p: restarted, it costs what ERT says."""
    rng = np.random.default_rng(11)
    mean, cap = 50.0, 60.0
    times = rng.exponential(mean, 20_000)
    solved = times <= cap
    ert = expected_running_time(np.minimum(times, cap), solved)
    # The exponential law forgets its past, so cutting and restarting leaves the mean as it was.
    assert ert.low < mean < ert.high
    assert ert.value == pytest.approx(mean, rel=0.02)
    assert (ert.runs, ert.successes) == (20_000, solved.sum())


def test_ert_interval_covers_the_truth():
    rng = np.random.default_rng(2)
    covered = []
    for _ in range(400):
        times = rng.exponential(50, 60)
        ert = expected_running_time(np.minimum(times, 60), times <= 60, resamples=400)
        covered.append(ert.low <= 50 <= ert.high)
    assert 0.91 <= np.mean(covered) <= 0.98


def test_ert_edges():
    without = expected_running_time([100] * 20, [False] * 20)
    assert without.value == without.high == math.inf
    assert without.low == pytest.approx(100 / wilson_interval(0, 20).high)
    assert expected_running_time([5, 5, 5], [True] * 3)[:3] == (5, 5, 5)
    lone = expected_running_time([7], [True])
    assert lone.value == 7
    assert math.isnan(lone.low)
    one = expected_running_time([50.0] * 9 + [10.0], [False] * 9 + [True])
    assert one.value == 460
    assert one.low < 460 < one.high


@pytest.mark.parametrize("success", [[True], [True, 2], [[True, False]], ["yes", "no"]])
def test_ert_refuses(success):
    with pytest.raises(ValueError, match="success must hold one boolean"):
        expected_running_time([1, 2], success)


def test_pairwise_tests_are_scipy_s_with_counted_effects():
    rng = np.random.default_rng(5)
    samples = {
        name: rng.integers(0, top, 25) for name, top in zip("abc", (20, 25, 60), strict=True)
    }
    tests = pairwise_tests(samples)
    assert [(t.first, t.second) for t in tests] == list(itertools.combinations("abc", 2))
    for test in tests:
        x, y = samples[test.first], samples[test.second]
        assert test.p_value == pytest.approx(stats.mannwhitneyu(x, y).pvalue)
        difference = np.subtract.outer(x, y)
        assert test.a12 == pytest.approx(np.mean((difference > 0) + 0.5 * (difference == 0)))
        assert test.cliff_delta == pytest.approx(np.mean(np.sign(difference)))


def test_pairwise_tests_take_censored_and_constant_samples():
    tests = pairwise_tests(
        {"a": [1, 2, math.inf], "b": [3, math.inf, math.inf], "c": [1, 2, math.inf]}
    )
    assert tests[1].a12 == 0.5
    same = pairwise_tests({"a": [5, 5], "b": [5, 5, 5]})[0]
    assert (same.p_value, same.a12, same.effect) == (1.0, 0.5, "negligible")
    with pytest.raises(ValueError, match="at least two samples"):
        pairwise_tests({"a": [1]})
    with pytest.raises(ValueError, match="b must be free of NaN"):
        pairwise_tests({"a": [1], "b": [math.nan]})


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_rejects_what_the_step_down_procedure_rejects(p):
    adjusted = holm(p)
    for level in (0.01, 0.05, 0.3):
        order = np.argsort(p)
        rejected = set()
        for step, index in enumerate(order):
            if p[index] * (len(p) - step) > level:
                break
            rejected.add(int(index))
        assert set(np.flatnonzero(adjusted <= level).tolist()) == rejected


def test_holm_never_falls_below_a_smaller_p_value_s():
    assert holm([0.01, 0.011, 0.5]).tolist() == pytest.approx([0.03, 0.03, 0.5])
    assert holm([0.02, 0.021, 0.022]).tolist() == pytest.approx([0.06, 0.06, 0.06])


def test_effect_names():
    assert [effect_name(d) for d in (0, -0.2, 0.4, -0.9)] == [
        "negligible",
        "small",
        "medium",
        "large",
    ]
    ends = [(0.147, "negligible", "small"), (0.33, "small", "medium"), (0.474, "medium", "large")]
    for end, below, above in ends:
        assert (effect_name(np.nextafter(end, 0)), effect_name(-end)) == (below, above)


def test_the_best_fitness_is_that_of_any_run():
    found = Summary(np.array([5, 9]), np.array([True, False]), np.array([0.5, 0.75]))
    assert found.best_fitness == 0.75


def test_statistics_of_few_and_equal_values():
    from scipy import special, stats

    from hyperna.analysis import comparisons, statistics

    assert comparisons.holm([0.9, 0.8]).tolist() == [1.0, 1.0]
    [test] = comparisons.pairwise_tests({"equal": [5, 5, 5], "other": [1, 2, 9]})
    exact = stats.mannwhitneyu([5, 5, 5], [1, 2, 9])
    assert (test.p_value, test.a12) == (exact.pvalue, exact.statistic / 9)
    # one success: without it there is no estimate, so that it has no influence on the skewness
    spent, solved = np.array([90.0, 20, 35, 50, 10]), np.array([1.0, 0, 0, 0, 0])
    found = statistics.expected_running_time(spent, solved)
    rest = np.delete(spent.sum() - spent, 0)
    influence = (205 + rest.sum()) / 5 - np.append(205, rest)
    skew = (influence**3).sum() / (6 * (influence**2).sum() ** 1.5)
    chosen = np.random.default_rng(0).integers(5, size=(2000, 5))
    with np.errstate(divide="ignore"):
        draws = spent[chosen].sum(axis=1) / solved[chosen].sum(axis=1)
    bias = special.ndtri(((draws < 205).sum() + (draws == 205).sum() / 2) / 2000)
    z = bias + special.ndtri([0.025, 0.975])
    shares = special.ndtr(bias + z / (1 - skew * z))
    ends = np.quantile(draws, shares, method="inverted_cdf")
    assert [found.low, found.high] == pytest.approx(ends.tolist())


@pytest.mark.parametrize("n", [2, 3, 8, 9, 40, 41, 1000])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99])
def test_the_interval_of_a_median_is_the_same_from_either_side(n, level):
    """Ranks k and n + 1 - k, for an even number of values too, and within the sample."""
    low, high = bootstrap_interval(np.arange(1, n + 1), "median", level=level)
    assert low + high == n + 1
    assert 1 <= low <= high <= n


def plain_bca(top, bottom, level, resamples, seed):
    """The interval of Efron (1987) of a ratio of sums, as the paper writes it."""
    n = len(top)
    estimate = sum(top) / sum(bottom)
    chosen = np.random.default_rng(seed).integers(n, size=(resamples, n))
    draws = []
    for row in chosen:
        count = sum(bottom[i] for i in row)
        draws.append(sum(top[i] for i in row) / count if count else math.inf)
    left_out = []
    for k in range(n):
        rest = sum(bottom) - bottom[k]
        left_out.append((sum(top) - top[k]) / rest if rest else estimate)
    influence = [np.mean(left_out) - value for value in left_out]
    a = sum(u**3 for u in influence) / (6 * sum(u**2 for u in influence) ** 1.5)
    below = sum((d < estimate) + (d == estimate) / 2 for d in draws) / resamples
    below = min(max(below, 1 / resamples), 1 - 1 / resamples)
    z0 = stats.norm.ppf(below)
    ends = []
    for share in ((1 - level) / 2, (1 + level) / 2):
        z = z0 + stats.norm.ppf(share)
        place = stats.norm.cdf(z0 + z / max(1 - a * z, 1e-9))
        ends.append(sorted(draws)[max(0, math.ceil(place * resamples) - 1)])
    return ends


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_intervals_of_running_times_are_those_of_the_plain_computation(level):
    """Also where a lone run succeeds, so that many samples have no success."""
    rng = np.random.default_rng(1)
    spent = np.rint(rng.lognormal(4, 1, 12))
    for successes in (1, 2, 6, 12):
        solved = np.arange(12) < successes
        found = expected_running_time(spent, solved, level=level, resamples=300, seed=5)
        wanted = plain_bca(spent.tolist(), solved.astype(float).tolist(), level, 300, 5)
        assert [found.low, found.high] == pytest.approx(wanted)
    skewed = np.append(np.ones(30), 1e6)
    found = bootstrap_interval(skewed, level=level, resamples=300, seed=5)
    assert list(found) == pytest.approx(plain_bca(skewed.tolist(), [1.0] * 31, level, 300, 5))
    nothing = expected_running_time(spent, np.zeros(12, bool), level=level)
    assert nothing.low == pytest.approx(spent.mean() / wilson_interval(0, 12, level).high)
    assert nothing.value == nothing.high == math.inf
