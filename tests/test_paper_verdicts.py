"""The rules of the verdicts on printed numbers."""

import math

import numpy as np
import pytest

from hyperna.analysis.statistics import Summary
from hyperna.paper.findings import Finding, cap_remark, growth_remark, report_table
from hyperna.paper.pages import NaResult, in_words, na_results
from hyperna.paper.printed import PaperRow, na_table, uniform_target
from hyperna.paper.verdicts import (
    TableVerdict,
    Truth,
    Verdict,
    compare_means,
    compare_medians,
    compare_shares,
    share_difference,
)
from hyperna.run.results import Runs


@pytest.mark.parametrize("runs", [5, *(pytest.param(n, marks=pytest.mark.slow) for n in (99, 101))])
def test_the_median_of_an_odd_number_of_runs_is_one_of_them(runs):
    rng = np.random.default_rng(runs)
    too_low = too_high = 0
    for _ in range(600):
        printed = np.median(rng.exponential(1000, runs).round())
        sample = rng.exponential(1000, 100).round()
        found = compare_medians(printed, runs, Summary(sample, sample > 0, sample))
        too_low += not found.agrees and found.side < 0
        too_high += not found.agrees and found.side > 0
    assert too_low + too_high < 0.075 * 600
    assert abs(too_low - too_high) <= 16, "both sides are alike"


@pytest.mark.parametrize(
    ("counts", "interval"),
    [
        ((56, 70, 48, 80), (0.0524, 0.3339)),
        ((9, 10, 3, 10), (0.1705, 0.8090)),
        ((6, 7, 2, 7), (0.0582, 0.8062)),
        ((5, 56, 0, 29), (-0.0381, 0.1926)),
    ],
)
def test_newcombe_s_own_examples(counts, interval):
    """Newcombe (1998), Statistics in Medicine 17, table II, method 10."""
    assert share_difference(*counts) == pytest.approx(interval, abs=5e-5)


def capped_times(rng, n):
    """Runtimes as in the paper: skewed, some of them cut off."""
    return np.minimum(np.rint(rng.lognormal(6, 1.2, n)) + 1, 2500)


def false_alarms(rule, more, repetitions=500, runs=100):
    """How often samples of the same distribution are said to differ."""
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(repetitions):
        printed, measured = capped_times(rng, runs), capped_times(rng, more)
        wrong += not rule(printed, plain_sample(measured)).agrees
    return wrong / repetitions


def plain_sample(values):
    return Summary(values, values < 2500, np.ones(len(values)))


RULES = {
    "share": lambda x, s: compare_shares(float((x < 2500).mean()), len(x), s),
    "mean": lambda x, s: compare_means(float(x.mean()), float(x.std(ddof=1)), len(x), s),
    "median": lambda x, s: compare_medians(float(np.rint(np.median(x))), len(x), s),
}


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("more", [100, pytest.param(300, marks=pytest.mark.slow)])
def test_one_in_twenty_equal_samples_differs_by_chance(name, more):
    """The rules hold their level; discreteness may only make them more careful."""
    rate = false_alarms(RULES[name], more)
    assert 0.004 < rate < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 500)


@pytest.mark.parametrize("name", ["share", "mean"])
def test_one_in_twenty_samples_of_the_exact_distribution_differs(name):
    rng = np.random.default_rng(3)
    many = capped_times(rng, 10**6)
    truth = Truth(float((many < 2500).mean()), float(many.mean()), float(many.std()))
    wrong = 0
    for _ in range(2000):
        x = capped_times(rng, 100)
        if name == "share":
            verdict = compare_shares(float((x < 2500).mean()), 100, None, truth)
        else:
            verdict = compare_means(float(x.mean()), 0.0, 100, None, truth)
        wrong += not verdict.agrees
    assert 0.02 < wrong / 2000 < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 2000)


def test_exact_moments_decide_where_there_are_any():
    """Table 1 at r = 120 lies 3.2 exact standard errors below; few measured runs cannot tell."""
    [result, *_] = na_results(1, fake_runs(1))
    assert result.truth is not None
    assert str(result.verdicts["mean"]) == "paper lower"
    assert str(result.verdicts["success"]) == "paper lower"  # one of 100 failed, which cannot be
    [*_, last] = na_results(3, fake_runs(3))
    assert last.exact is not None
    assert last.truth is None  # the cap stops many runs, which the chain does not know


def fake_runs(table):
    """Runs whose figures are the printed ones, as far as two values can have them."""
    found = {}
    for row in na_table(table).rows:
        failed = 100 - round(row.percent)
        rest = max(1, (100 * row.mean - failed * row.cap) / (100 - failed))
        rows = np.zeros((100, 5), np.int64)
        rows[:, 0] = [row.cap] * failed + [round(rest)] * (100 - failed)
        rows[:, 2] = [3] * failed + [1] * (100 - failed)
        found[row.resolution, "algorithm"] = Runs(rows, 1, 0)
    return found


@pytest.mark.parametrize("name", ["mean", "median"])
def test_samples_twice_as_large_differ(name):
    rng = np.random.default_rng(1)
    for _ in range(50):
        printed = np.rint(rng.gamma(4, 50, 100))
        verdict = RULES[name](printed, plain_sample(np.rint(rng.gamma(4, 100, 100))))
        assert not verdict.agrees
        assert verdict.side == -1


def test_medians_at_the_cap_agree():
    values = np.array([100.0] * 40 + [2500.0] * 60)
    assert compare_medians(2500, 100, plain_sample(values)).agrees
    assert not compare_medians(100, 100, plain_sample(np.full(100, 2500.0))).agrees


def test_a_table_that_is_right_seldom_differs():
    rng = np.random.default_rng(2)
    differ = 0
    for _ in range(1000):
        rows = [
            Verdict(bool(rng.random() > 0.05), int(side)) for side in rng.choice((-1, 1), size=10)
        ]
        differ += not TableVerdict(rows).agrees
    assert 0.015 < differ / 1000 < 0.055


def test_rows_without_a_side_do_not_count_as_one_sided():
    assert TableVerdict([Verdict(True, 0)] * 10).agrees
    assert not TableVerdict([Verdict(True, 1)] * 9 + [Verdict(True, -1)]).agrees
    assert TableVerdict([Verdict(True, 1)] * 8 + [Verdict(True, -1)] * 2).agrees
    assert TableVerdict([Verdict(True, 1)] * 3).agrees


def test_verdicts_in_words():
    high = [Verdict(False, 1)] * 2 + [Verdict(True, 1)] * 8
    low = [Verdict(False, -1)] * 2 + [Verdict(True, -1)] * 8
    assert str(TableVerdict(high)) == "8/10, paper higher"
    assert str(TableVerdict(low)) == "8/10, paper lower"
    assert str(TableVerdict([Verdict(True, 1), Verdict(False, -1)])) == "1/2"
    rows = {"success": Verdict(True, 1), "mean": Verdict(False, 1), "median": Verdict(False, -1)}
    assert in_words(rows) == "paper higher: mean; paper lower: median"
    assert in_words(dict.fromkeys(rows, Verdict(False, -1))) == "paper lower: success, mean, median"
    assert in_words({"success": Verdict(True, 1)}) == "agrees"


def test_verdicts_change_where_the_rules_say():
    measured = Summary(np.tile([90, 110], 200), np.arange(400) % 2 == 0, np.ones(400))
    error = math.sqrt(10**2 / 100 + measured.sd_evaluations**2 / 400)
    for away, verdict in ((1.95, "agrees"), (1.97, "paper higher"), (-1.97, "paper lower")):
        assert str(compare_means(100 + away * error, 10, 100, measured)) == verdict
    exact = Truth(0.5, 100.0, 10.0)
    shares = {0.39: "paper lower", 0.40: "agrees", 0.60: "agrees", 0.61: "paper higher"}
    for share, verdict in shares.items():
        assert str(compare_shares(share, 100, measured, exact)) == verdict
    # sign test at 5 %, both sides: 8 of 8 and 9 of 10 are too many, 7 of 8 and 8 of 10 are not
    for higher, lower, one_sided in ((8, 0, True), (7, 1, False), (1, 9, True), (2, 8, False)):
        verdicts = [Verdict(True, 1)] * higher + [Verdict(True, -1)] * lower
        assert TableVerdict(verdicts).one_sided is one_sided
    assert uniform_target(0.75, 120) == pytest.approx(0.75 - 1.7 / 120)


def test_a_table_equal_to_the_print_agrees_throughout():
    """Runs made up to have the printed success, mean, deviation and median."""
    quick = {cell: runs for cell, runs in fake_runs(5).items() if cell[0] in (120, 240, 480)}
    report = report_table(5, quick)
    assert [str(finding) for finding in report.findings] == [
        "- Table 5: TWOQUARTERS, local mutation, N = 2, output or: agrees."
    ]


def test_a_single_row_that_differs_is_a_table_that_differs():
    assert not TableVerdict([Verdict(False, 1)]).agrees
    assert TableVerdict([Verdict(True, 1)]).agrees
    assert str(TableVerdict([Verdict(False, 1)])) == "0/1"


def test_rows_that_differ_in_the_middle_count_like_others():
    right = [Verdict(True, 1), Verdict(True, -1)] * 2
    for wrong, agrees in ((2, True), (3, False)):
        middle = [*right, *[Verdict(False, 1), Verdict(False, -1)] * 2][: 4 + wrong]
        rows = [*middle, *right][:10]
        assert TableVerdict(rows).agrees is agrees
        assert str(TableVerdict(rows)) == f"{len(rows) - wrong}/{len(rows)}"


def test_a_figure_on_neither_side():
    assert str(Verdict(False, 0)) == "differs"
    assert str(Verdict(True, 0)) == "agrees"


def result(r, printed, measured, percent=100.0, uniform=None):
    """A row with a printed and a measured mean."""

    def sample(mean):
        return Summary(np.array([mean - 1, mean + 1]), np.ones(2, bool), np.ones(2))

    row = PaperRow(r, percent, printed, 1.0, printed)
    return NaResult(row, sample(measured), None, uniform and sample(uniform))


def test_how_means_grow_is_computed():
    rows = [result(100, 200, 50), result(400, 5, 5000), result(1000, 1800, 75)]
    text = "From r = 100 to 1,000 the printed means grow 9.0-fold and the measured ones 1.5-fold."
    assert growth_remark(rows) == text
    steps = [result(100, 200, 50, uniform=300), result(200, 400, 60, uniform=600)]
    assert growth_remark(steps).endswith("1.2-fold and those with uniform steps 2.0-fold.")
    assert growth_remark([result(100, 200, 50)]) == ""


def test_rows_whose_failures_exceed_the_mean_are_named():
    # the cap is 46,051 at r = 100 and 105,966 at r = 200
    assert cap_remark([result(100, 5000, 50, percent=90), result(200, 20_000, 50)]) == ""
    one = cap_remark([result(100, 4000, 50, percent=90), result(200, 20_000, 50)])
    assert one.endswith("at the cap: 10 % of 46,051 at r = 100 exceeds the printed mean.")
    both = cap_remark([result(100, 4000, 50, percent=90), result(200, 9, 50, percent=99)])
    assert "10 % of 46,051 at r = 100 and 1 % of 105,966 at r = 200 exceed the printed" in both


def test_a_finding_tells_by_which_factor_figures_differ():
    found = Finding(
        "Table 4", {"mean": "0/10", "mean ratio": "9.60"}, {"success": True, "mean": False}, "So."
    )
    assert str(found) == (
        "- Table 4: differs in mean (9.60 times the measured), agrees in success. So."
    )
    assert str(Finding("Table 5", {"mean ratio": "1.00"}, {"mean": True}, "So.")) == (
        "- Table 5: agrees."
    )
