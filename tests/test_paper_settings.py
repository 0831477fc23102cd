"""The settings of the paper's tables, what of them is exact, and how their figures are compared."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from hyperna import OnePlusOneNA, problem
from hyperna.analysis.statistics import Summary, wilson_interval
from hyperna.experiments.store import Store
from hyperna.paper.findings import growth_remark, report_table
from hyperna.paper.pages import CmaResult, NaResult, cma_results, na_results
from hyperna.paper.printed import (
    NA_TABLES,
    UNIFORM_TABLES,
    Expectation,
    PaperRow,
    cma_rows,
    expectation,
    na_table,
)
from hyperna.paper.reproduce import Reproduction
from hyperna.paper.verdicts import (
    Truth,
    compare_means,
    compare_medians,
    compare_shares,
    share_difference,
)
from hyperna.run.results import Runs


@pytest.mark.parametrize("number", NA_TABLES)
@pytest.mark.parametrize("quick", [False, True])
def test_a_row_is_run_as_it_is_printed(number, quick):
    table = na_table(number)
    cells = Reproduction((number,), quick=quick, seed=4).cells(number)
    resolutions = [120, 240, 480] if quick else [row.resolution for row in table.rows]
    kinds = ["algorithm", "uniform"] if number in UNIFORM_TABLES else ["algorithm"]
    assert set(cells) == set(product(resolutions, kinds))
    # what takes long comes first
    assert [r for r, _ in cells] == sorted((r for r, _ in cells), reverse=True)
    best = table.problem.best_fitness(table.neurons, table.output)
    for (r, kind), (made, runs) in cells.items():
        assert runs == (50 if quick else 100)
        assert made.problem == table.problem_name
        assert (made.neurons, made.output, made.resolution) == (table.neurons, table.output, r)
        assert made.mutation == (table.mutation if kind == "algorithm" else "uniform")
        if kind == "uniform":
            assert made.target == pytest.approx(best - 1.7 / r, rel=1e-15)
        else:
            assert made.target is None


@pytest.mark.parametrize("runs", [None, 2, 7, 30])
@pytest.mark.parametrize("quick", [False, True])
def test_numbers_of_runs(runs, quick):
    pytest.importorskip("cma", reason="cma is not installed (hyperna[baselines])")
    made = Reproduction((10, "baselines"), runs=runs, quick=quick)
    na, cma = (runs, runs) if runs else (50, 40) if quick else (100, 1000)
    counts = {kind: count for (_, kind), (_, count) in made.cells(10).items()}
    assert counts == {"counted": cma, "exact": max(2, cma // 5)}
    baselines = {name: count for (name, _), (_, count) in made.cells("baselines").items()}
    for name, count in baselines.items():
        assert count == (max(2, na // 5) if name == "random_search" else na)
    assert made.total == sum(
        count for table in made.tables for _, count in made.cells(table).values()
    )


def test_cma_is_run_on_counted_points_and_exactly():
    cells = Reproduction((10,)).cells(10)
    assert [key for key, _ in cells.items()] == [
        (i, kind) for i in range(5) for kind in ("counted", "exact")
    ]
    for (i, kind), (made, _) in cells.items():
        row = cma_rows()[i]
        assert (made.neurons, made.output) == (row.neurons, row.output)
        assert made.problem == row.problem_name
        assert made.algorithm.partition(":")[0] == "cma_es"
        assert made.target is False
        assert (made.points, made.sampling) == (
            (1000, "even") if kind == "counted" else (None, None)
        )


def test_all_algorithms_of_the_baselines_have_one_target():
    pytest.importorskip("cma", reason="cma is not installed (hyperna[baselines])")
    cells = Reproduction(("baselines",)).cells("baselines")
    target = OnePlusOneNA(neurons=2, resolution=480).task("two_quarters").default_target
    waits = []
    for (name, _), (made, _) in cells.items():
        assert made.target == target
        assert made.problem == "two_quarters"
        waits.append(made.stagnation)
        assert (made.budget == 5000) == (name == "random_search")
        assert (made.restarts > 0) == ("restarted" in name)
    assert [wait for wait in waits if wait] == [480, round(480 * math.log(480))]


def test_a_table_has_no_more_runs_than_it_asked_for(tmp_path):
    store = Store(tmp_path / "store")
    options = {"tables": (2,), "quick": True}
    [(_, many)] = Reproduction(**options, runs=6).run(store)
    [(_, few)] = Reproduction(**options, runs=3).run(store)
    for cell, runs in few.items():
        assert len(runs) == 3
        assert (runs.rows == many[cell].rows[:3]).all()


# ---- exact values


@pytest.mark.parametrize("p", [1.0, 0.4])
def test_the_cap_matters_below_the_mean_and_six_deviations(p):
    """Of runs that may fail, the deviation of the others is taken to be their mean."""
    exact = Expectation(p, 100.0 if p == 1 else math.inf, 20.0 if p == 1 else math.inf, 100.0)
    most = 100 + 6 * (20 if p == 1 else 100)
    assert exact.cap_matters(most - 1)
    assert not exact.cap_matters(most)


def test_failures_at_the_cap_by_drawing_runs():
    exact = Expectation(0.4, math.inf, math.inf, 100.0)
    rng = np.random.default_rng(0)
    times = np.where(rng.random(400_000) < 0.4, rng.exponential(100, 400_000), 5000)
    assert exact.mean_with_failures_at(5000) == pytest.approx(times.mean(), rel=0.01)
    assert exact.sd_with_failures_at(5000) == pytest.approx(times.std(), rel=0.01)
    sure = Expectation(1.0, 70.0, 30.0, 70.0)
    assert (sure.mean_with_failures_at(5000), sure.sd_with_failures_at(5000)) == (70.0, 30.0)


def sample(values, successes=None):
    values = np.asarray(values, float)
    good = np.arange(len(values)) < (len(values) if successes is None else successes)
    return Summary(values, good, np.ones(len(values)))


def test_exact_moments_are_the_truth_unless_the_cap_changes_them():
    for p, conditional in ((1.0, 500.0), (0.6, 500.0), (1.0, 40_000.0), (0.6, 40_000.0)):
        sure = p == 1
        exact = Expectation(
            p, conditional if sure else math.inf, 100.0 if sure else math.inf, conditional
        )
        row = PaperRow(120, 100.0 * p, 1000.0, 50.0, 800.0)
        result = NaResult(row, sample([900, 1100]), exact)
        if exact.cap_matters(row.cap):
            assert result.truth is None
        else:
            mean, sd = exact.mean_with_failures_at(row.cap), exact.sd_with_failures_at(row.cap)
            assert result.truth == Truth(p, mean, sd)
    assert NaResult(row, sample([900, 1100]), None).truth is None


@pytest.mark.parametrize("number", [4, 9])
def test_uniform_steps_have_exact_values_of_their_own(number):
    rows = np.array([[100, 1, 1, 0, 0], [200, 1, 1, 0, 0]])
    others = rows + np.array([50, 0, 0, 0, 0])
    found = {}
    for r in (120, 240):
        found[r, "algorithm"], found[r, "uniform"] = Runs(rows, 1, 0), Runs(others, 1, 0)
    plain, uniform = (na_results(number, found, kind) for kind in ("algorithm", "uniform"))
    for results, law, mean in ((plain, "harmonic", 150), (uniform, "uniform", 200)):
        assert [one.paper.resolution for one in results] == [120, 240]
        for one in results:
            assert one.exact == expectation(number, law, one.paper.resolution)
            assert one.measured.mean_evaluations == mean
    assert [one.uniform.mean_evaluations for one in plain] == [200, 200]
    assert [one.uniform for one in uniform] == [None, None]
    tables = report_table(number, found).tables
    assert [("uniform" in table.header, table.name) for table in tables] == [
        (True, f"table_{number}"),
        (False, f"table_{number}_uniform"),
    ]


def test_growth_of_exact_means_counts_failures_at_the_cap():
    def row(r, conditional):
        exact = Expectation(0.5, math.inf, math.inf, conditional)
        return NaResult(PaperRow(r, 50.0, 100.0 * r, 1.0, 1.0), sample([r, r + 2]), exact)

    first, last = row(100, 300.0), row(200, 900.0)
    grown = (0.5 * 900 + 0.5 * last.paper.cap) / (0.5 * 300 + 0.5 * first.paper.cap)
    assert f"the exact ones {grown:.1f}-fold" in growth_remark([first, last])
    unknown = NaResult(last.paper, last.measured, None)
    assert "exact" not in growth_remark([first, unknown])


def test_within_two_percent_of_the_best_of_its_network():
    """Also where the best of a network is less than 1."""
    found = {}
    for i, row in enumerate(cma_rows()):
        best = row.problem.best_fitness(row.neurons, row.output)
        scores = np.floor(best * np.array([1.0, 0.9801, 0.98, 0.9799, 0.5]) * 10**9)
        rows = np.zeros((5, 5), np.int64)
        rows[:, 0], rows[:, 1] = 100, scores
        found[i, "counted"] = found[i, "exact"] = Runs(rows, 10**9, 0)
    results = cma_results(found)
    assert {one.paper.problem.best_fitness(one.paper.neurons) for one in results} >= {0.75}
    for one in results:
        assert 2 <= one.measured.successes <= 3
        assert one.measured.success.tolist()[:2] == [True, True]
        assert one.measured.success.tolist()[3:] == [False, False]


# ---- rules of the verdicts


@pytest.mark.parametrize("probability", [0.03, 0.5, 0.9, 1.0])
def test_shares_agree_within_the_tails_of_the_binomial_law(probability):
    for successes in range(101):
        verdict = compare_shares(successes / 100, 100, None, Truth(probability, 1.0, 1.0))
        below = stats.binom.cdf(successes, 100, probability)
        above = stats.binom.sf(successes - 1, 100, probability)
        assert verdict.agrees == (min(below, above) >= 0.025)
        assert verdict.side == np.sign(successes / 100 - probability)


@pytest.mark.parametrize(("k1", "n1"), [(0, 5), (2, 5), (5, 5), (9, 40)])
def test_differences_of_shares_turn_with_their_samples(k1, n1):
    for k2, n2 in ((0, 8), (3, 8), (8, 8), (30, 31)):
        low, high = share_difference(k1, n1, k2, n2)
        back = share_difference(k2, n2, k1, n1)
        assert (-back.high, -back.low) == pytest.approx((low, high))
        first, second = wilson_interval(k1, n1), wilson_interval(k2, n2)
        gap = k1 / n1 - k2 / n2
        below = (gap - low) ** 2
        assert below == pytest.approx((k1 / n1 - first.low) ** 2 + (second.high - k2 / n2) ** 2)
        verdict = compare_shares(k1 / n1, n1, sample(np.ones(n2), k2))
        assert verdict.agrees == (low <= 0 <= high)


def test_means_agree_within_standard_errors_of_both_samples():
    rng = np.random.default_rng(1)
    measured = sample(rng.exponential(100, 30))
    for runs, sd in ((100, 80.0), (5, 80.0), (100, 0.0)):
        error = math.sqrt(sd**2 / runs + measured.sd_evaluations**2 / 30)
        for away, agrees in ((1.95, True), (-1.95, True), (1.97, False), (-1.97, False)):
            printed = measured.mean_evaluations + away * error
            verdict = compare_means(printed, sd, runs, measured)
            assert (verdict.agrees, verdict.side) == (agrees, np.sign(away))


@pytest.mark.parametrize("runs", [4, 5, 100])
def test_medians_agree_by_the_beta_binomial_law(runs):
    """A printed median is rounded: whole runtimes equal to it are neither below nor above."""
    values = np.repeat(np.arange(1, 13), 3).astype(float)
    n = len(values)
    lower, upper = (runs + 1) // 2, runs // 2 + 1
    for printed in np.arange(0, 14):
        up_to = int((values <= printed).sum())
        below = int((values < printed).sum())
        low = stats.betabinom.cdf(up_to, n, lower, runs - lower + 1) < 0.025
        high = stats.betabinom.sf(below - 1, n, upper, runs - upper + 1) < 0.025
        verdict = compare_medians(float(printed), runs, sample(values))
        assert verdict.agrees == (not (low or high))
        assert verdict.side == np.sign(printed - 6.5)


def test_a_fitness_printed_to_four_digits_may_be_off_by_half_a_digit():
    row = cma_rows()[0]
    for gap, agrees in ((0.00004, True), (0.00006, False), (-0.00004, True), (-0.00006, False)):
        fitness = np.full(10, row.fitness - gap)
        runs = Summary(np.arange(10.0), np.ones(10, bool), fitness)
        found = CmaResult(row, runs, runs).verdicts["fitness"]
        assert (found.agrees, found.side) == (agrees, np.sign(gap))
    assert problem(row.problem_name).best_fitness(1) == 1
