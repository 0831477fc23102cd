"""The paper's tables: the data, the rules of the verdicts, the layout, and a small reproduction."""

import csv
import hashlib
import json
import math
import re
from importlib.resources import files

import numpy as np
import pytest

from hyperna import OnePlusOneNA, problem
from hyperna.analysis.statistics import Summary, wilson_interval
from hyperna.cli import main
from hyperna.experiments.store import Store
from hyperna.paper.findings import report_table, summarised
from hyperna.paper.pages import na_page, na_results
from hyperna.paper.printed import (
    NA_TABLES,
    UNIFORM_TABLES,
    cma_rows,
    expectation,
    na_table,
    uniform_target,
)
from hyperna.paper.reproduce import Reproduction
from hyperna.run.results import Runs
from hyperna.theory import expected_runtime

# ---- the paper's data


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("na_tables.csv", "100b526df5615bfe8a7d87fcd5429fc88d6ab4025728ebc3a1547ea53f30fb0b"),
        ("cma_table.csv", "15eb0e12b27d6546a9099c6bb6ea12dbde8bdb3be593a98705a31ab60434c085"),
    ],
)
def test_the_paper_s_data_are_untouched(name, digest):
    content = files("hyperna.paper").joinpath("data", name).read_bytes()
    assert hashlib.sha256(content).hexdigest() == digest


def test_nine_tables_of_ten_resolutions_and_one_of_five_problems():
    for number in NA_TABLES:
        assert [row.resolution for row in na_table(number).rows] == list(range(120, 1201, 120))
    assert len(cma_rows()) == 5
    assert cma_rows()[3].output == "evolved"
    assert cma_rows()[4].fitness == pytest.approx(0.7475)


def test_some_numbers_as_printed():
    assert na_table(7).output == "evolved"
    row = na_table(7).rows[-1]
    assert (row.resolution, row.percent, row.mean, row.sd, row.median) == (
        1200,
        100,
        329491,
        278210,
        214112,
    )
    assert all(row.median == row.cap for row in na_table(5).rows)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 8, 9])
def test_stored_expectations_are_the_chain_s(number):
    table = na_table(number)
    laws = {table.mutation: None}
    if number in UNIFORM_TABLES:
        laws["uniform"] = uniform_target(table.problem.best_fitness(1), 120)
    for law, target in laws.items():
        stored = expectation(number, law, 120)
        runtime = expected_runtime(table.problem, 120, law, target=target)
        assert stored.probability == pytest.approx(runtime.probability, rel=1e-9)
        assert stored.conditional_mean == pytest.approx(runtime.conditional_mean, rel=1e-9)
        assert stored.mean == pytest.approx(runtime.mean, rel=1e-9)
        assert stored.sd == pytest.approx(runtime.standard_deviation, rel=1e-9)


def test_expectations_exist_for_one_neuron_only():
    assert expectation(5, "local", 120) is None
    stuck = expectation(8, "local", 120)
    assert math.isinf(stuck.mean)
    p = stuck.probability
    assert stuck.mean_with_failures_at(1000) == p * stuck.conditional_mean + (1 - p) * 1000


def test_exact_deviations_with_failures_at_the_cap():
    """Table 8 at r = 120: 20,000 runs have the deviation that the moments give, within 2 %."""
    row = na_table(8).rows[0]
    exact = expectation(8, "local", 120)
    runs = OnePlusOneNA(mutation="local").run_many(problem("local_opt"), 20_000, seed=1)
    assert exact.mean_with_failures_at(row.cap) == pytest.approx(runs.evaluations.mean(), rel=0.02)
    assert exact.sd_with_failures_at(row.cap) == pytest.approx(runs.evaluations.std(), rel=0.02)
    assert not exact.cap_matters(row.cap)
    assert expectation(3, "local", 1200).cap_matters(na_table(3).rows[-1].cap)


# ---- a small reproduction


def run_tables(**options):
    return dict(Reproduction(**options).run())


@pytest.mark.slow
def test_measured_means_are_the_exact_ones():
    """Harmonic HALF and QUARTER, and uniform QUARTER: 400 runs per row, 4.5 standard errors."""
    for number, found in run_tables(tables=(2, 4), runs=400, quick=True, seed=5).items():
        for (r, kind), runs in found.items():
            law = "uniform" if kind == "uniform" else na_table(number).mutation
            exact = expectation(number, law, r)
            error = exact.sd / math.sqrt(400)
            assert abs(runs.evaluations.mean() - exact.mean) < 4.5 * error


def test_a_row_does_not_depend_on_the_other_tables():
    alone = run_tables(tables=(8,), runs=10, quick=True)[8]
    together = run_tables(tables=(1, 8), runs=10, quick=True)[8]
    other = run_tables(tables=(8,), runs=10, quick=True, seed=1)[8]
    for cell, runs in alone.items():
        assert (runs.rows == together[cell].rows).all()
        assert (runs.rows != other[cell].rows).any()


def test_rows_are_those_of_the_algorithm_and_no_two_share_their_seed():
    found = run_tables(tables=(4, 5), runs=6, quick=True)
    runs = found[5][480, "algorithm"]
    direct = OnePlusOneNA(neurons=2, resolution=480, mutation="local").run_many(
        problem("two_quarters"), runs=6, seed=runs.setting.entropy
    )
    assert (runs.rows == direct.rows).all()
    seeds = [runs.seed for table in found.values() for runs in table.values()]
    assert len(set(seeds)) == len(seeds) == 9


def test_a_store_is_resumed_and_more_runs_in_it_do_not_matter(tmp_path):
    store = Store(tmp_path / "store")
    small = Reproduction(tables=(8,), runs=4, quick=True)
    [(_, first)] = small.run(store)
    told = []
    [(_, more)] = Reproduction(tables=(8,), runs=6, quick=True).run(
        store, lambda *t: told.append(t)
    )
    assert told[0][:2] == (12, 18)
    assert told[-1][:2] == (18, 18)
    [(_, again)] = small.run(store)
    for cell, runs in first.items():
        assert (again[cell].rows == runs.rows).all()
        assert (more[cell].rows[:4] == runs.rows).all()


def test_every_number_of_a_table_is_that_of_its_runs():
    found = run_tables(tables=(4,), runs=30, quick=True)[4]
    report = report_table(4, found)
    for kind, table in zip(("algorithm", "uniform"), report.tables, strict=True):
        for record in table.records:
            summary = Summary.of(found[record["r"], kind])
            row = next(row for row in na_table(4).rows if row.resolution == record["r"])
            exact = expectation(4, "harmonic" if kind == "algorithm" else kind, record["r"])
            expected = {
                "paper_percent": row.percent,
                "paper_mean": row.mean,
                "paper_sd": row.sd,
                "paper_median": row.median,
                "runs": 30,
                "percent": 100 * summary.success_share,
                "percent_low": 100 * summary.success_interval.low,
                "percent_high": 100 * summary.success_interval.high,
                "mean": summary.mean_evaluations,
                "mean_low": summary.mean_interval.low,
                "mean_high": summary.mean_interval.high,
                "sd": summary.sd_evaluations,
                "median": summary.median_evaluations,
                "median_low": summary.median_interval.low,
                "median_high": summary.median_interval.high,
                "exact_mean": exact.mean,
                "exact_probability": exact.probability,
            }
            if kind == "algorithm":
                expected["uniform_mean"] = found[record["r"], "uniform"].evaluations.mean()
            assert {key: record[key] for key in expected} == expected
    finding = report.findings[0]
    ratios = [record["paper_mean"] / record["mean"] for record in report.tables[0].records]
    assert finding.cells["mean ratio"] == f"{np.median(ratios):.2f}"


def test_the_command_writes_what_it_prints(tmp_path, capsys):
    folder = tmp_path / "new" / "tables"
    options = ["reproduce", "--table", "4", "--quick", "--runs", "20", "--jobs", "1"]
    assert main([*options, "--out", str(folder)]) == 0
    printed = capsys.readouterr().out
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "report.md",
        "runs.store",
        *(
            f"{name}.{kind}"
            for name in ("table_4", "table_4_uniform", "summary")
            for kind in ("md", "tex", "csv")
        ),
    }
    assert (folder / "report.md").read_text(encoding="utf-8") == printed
    assert (folder / "table_4.md").read_text(encoding="utf-8") in printed
    rows = list(csv.DictReader((folder / "table_4.csv").read_text().splitlines()))
    assert [row["r"] for row in rows] == ["120", "240", "480"]
    assert {row["verdict_mean"] for row in rows} == {"paper higher"}
    assert re.search(r"Table 4: QUARTER.*differs in .*mean", printed)
    assert "| paper higher: mean, median |" in printed
    assert float(rows[0]["paper_mean"]) > float(rows[0]["mean"])


def test_finished_tables_are_printed_and_written_at_once_and_kept(tmp_path, capsys, monkeypatch):
    folder = tmp_path / "tables"
    options = ["reproduce", "--table", "2", "8", "--quick", "--runs", "5", "--out", str(folder)]
    real = Reproduction.run

    def interrupted(self, *arguments):
        for number, (table, found) in enumerate(real(self, *arguments)):
            if number == 1:
                raise KeyboardInterrupt
            yield table, found

    with monkeypatch.context() as patch:
        patch.setattr(Reproduction, "run", interrupted)
        assert main(options) == 130
    out, err = capsys.readouterr()
    assert "Table 2" in out
    assert "Table 8" not in out
    assert "1 of 2 tables are finished; the same command resumes" in err
    assert (folder / "table_2.md").read_text(encoding="utf-8") in out
    assert "Table 2" in (folder / "report.md").read_text(encoding="utf-8")
    assert main(options) == 0
    assert capsys.readouterr().out.startswith(out)


def test_a_row_without_an_exact_value_says_why(monkeypatch):
    found = run_tables(tables=(2, 4), runs=2, quick=True)
    complete = na_page(4, na_results(4, found[4]))
    assert "–" not in {cell for row in complete.rows for cell in row}
    assert not any("stored up to" in note for note in complete.notes)

    def shorter(table, mutation, r):
        return expectation(table, mutation, r) if r <= 240 else None

    monkeypatch.setattr("hyperna.paper.pages.expectation", shorter)
    for table in (
        na_page(2, na_results(2, found[2])),
        na_page(4, na_results(4, found[4])),
        na_page(4, na_results(4, found[4], "uniform"), "uniform"),
    ):
        assert [row[table.header.index("exact")] for row in table.rows][2:] == ["–"]
        (note,) = (note for note in table.notes if note.startswith("exact: "))
        assert "Exact values are stored up to r = 240; benchmarks/exact_runtimes.py" in note


def test_json_is_one_object_and_the_same_for_any_number_of_jobs(capsys):
    texts = []
    for jobs in ("1", "2"):
        options = ["--table", "8", "--quick", "--runs", "5", "--json", "--jobs", jobs]
        assert main(["reproduce", *options]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    data = json.loads(texts[0])
    assert data["tables"]["table_8"][0]["exact_mean"] is None
    assert data["rule"].startswith("Verdicts at 95 %")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--table", "11"], "must be 1 to 10 or 'baselines', got '11'"),
        (["--runs", "1"], "runs: value must be"),
        (["--out", __file__], "must be a folder"),
    ],
)
def test_bad_input_is_refused_before_any_work(options, message, capsys):
    assert main(["reproduce", *options]) == 2
    assert message in capsys.readouterr().err


def test_without_cma_table_10_is_refused_before_any_work(monkeypatch, capsys):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["reproduce", "--quick"]) == 2
    assert "hyperna[baselines]" in capsys.readouterr().err


def test_cma_table_at_small_scale(monkeypatch):
    pytest.importorskip("cma", reason="cma is not installed (hyperna[baselines])")
    monkeypatch.setattr("hyperna.paper.reproduce.cma_rows", lambda: cma_rows()[:1])
    found = run_tables(tables=(10,), runs=4)[10]
    counted, exact = found[0, "counted"], found[0, "exact"]
    assert (counted.fitness > 0.98).all()
    assert exact.evaluations.mean() > 2 * counted.evaluations.mean()


def test_the_baselines_table_has_every_algorithm(monkeypatch):
    pytest.importorskip("cma", reason="cma is not installed (hyperna[baselines])")
    cells = Reproduction(tables=("baselines",), quick=True).cells("baselines")
    assert len({made for made, _ in cells.values()}) == len(cells) == 8
    found = {
        cell: Runs(np.array([[7, 1, 1, 0, 2], [9, 1, 3, 0, 0]]), 1, 0, setting=made)
        for cell, (made, _) in cells.items()
    }
    [table] = report_table("baselines", found).tables
    for record in table.records:
        assert (record["runs"], record["percent"], record["mean"]) == (2, 50.0, 8.0)
        assert (record["ert"], record["mean_restarts"]) == (16.0, 1.0)
    assert summarised([]).conclusion() == ""


def test_every_number_of_the_cma_table_is_that_of_its_runs():
    """Made-up runs; those within 2 % of the best fitness of their network count as found."""
    pytest.importorskip("cma", reason="cma is not installed (hyperna[baselines])")
    rng = np.random.default_rng(3)
    cells = Reproduction(tables=(10,), runs=60).cells(10)
    found = {}
    for cell, (made, runs) in cells.items():
        rows = np.zeros((runs, 5), np.int64)
        rows[:, 0] = rng.integers(200, 900, runs)
        rows[:, 1] = rng.integers(700, 1001, runs)
        found[cell] = Runs(rows, 1000, 0, setting=made)
    report = report_table(10, found)
    [table] = report.tables
    for i, (row, record) in enumerate(zip(cma_rows(), table.records, strict=True)):
        best = problem(row.problem_name).best_fitness(row.neurons, row.output)
        for prefix, kind in (("", "counted"), ("exact_", "exact")):
            runs = found[i, kind]
            spent, good = runs.evaluations, runs.fitness >= 0.98 * best
            low, high = wilson_interval(int(good.sum()), len(good))
            expected = {
                "runs": len(spent),
                "percent": 100 * good.mean(),
                "percent_low": 100 * low,
                "percent_high": 100 * high,
                "mean": spent.mean(),
                "sd": spent.std(ddof=1),
                "median": np.median(spent),
            }
            assert {key: record[prefix + key] for key in expected} == pytest.approx(expected)
        spent, fitness = found[i, "counted"].evaluations, found[i, "counted"].fitness
        assert record["fitness"] == pytest.approx(fitness.mean())
        assert record["fitness_sd"] == pytest.approx(fitness.std(ddof=1))
        assert (record["paper_percent"], record["paper_mean"]) == (row.percent, row.mean)
        assert record["paper_fitness"] == row.fitness <= 1
        finding = report.findings[i]
        assert finding.cells["mean ratio"] == f"{row.mean / spent.mean():.2f}"
        # the fitness is printed without its deviation: the measured one stands for it
        away = abs(row.fitness - fitness.mean()) - 0.00005
        error = fitness.std(ddof=1) * np.sqrt(1 / 1000 + 1 / len(spent))
        assert finding.agrees["fitness"] == (away <= 1.96 * error)
        assert len(finding.title) > len(row.title)
