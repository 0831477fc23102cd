"""The chart of runtime against the dimension, wherever a campaign varies it."""

import re

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from hyperna.experiments.campaign import Campaign
from hyperna.report.dimensions import by_dimension, draw_dimensions, series_text
from hyperna.report.page import read_entries, write_report


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stores")
    varied = Campaign.product(
        problem="half",
        dim=[2, 3, 4, 5, 6, 8],
        resolution=24,
        move=["angle", "rotation"],
        target=0.9,
        runs=40,
    )
    fixed = Campaign.product(problem=["half", "quarter"], resolution=[24, 48], runs=5)
    return varied.run(folder / "varied.store"), fixed.run(folder / "fixed.store")


def test_a_campaign_over_dimensions_has_a_chart(stores, tmp_path):
    varied, fixed = stores
    write_report(varied, tmp_path / "varied.html")
    page = (tmp_path / "varied.html").read_text(encoding="utf-8")
    assert "Growth with the dimension" in page
    assert "Evaluations per success by dimension" in page
    assert "dimension D" in page
    write_report(fixed, tmp_path / "fixed.html")
    assert "Growth with the dimension" not in (tmp_path / "fixed.html").read_text(encoding="utf-8")


def test_settings_that_differ_in_the_dimension_alone_are_one_curve(stores):
    [found] = by_dimension(read_entries(stores[0]))
    assert found.title == "half"
    assert [series.name for series in found.families] == [
        "na, harmonic",
        "na, harmonic, move rotation",
    ]
    for series in found.families:
        assert series.dims == [2, 3, 4, 5, 6, 8]
        assert len({one.setting.move for one in series.members}) <= 2


def test_the_chart_shows_the_expected_running_times(stores):
    from matplotlib.figure import Figure

    [found] = by_dimension(read_entries(stores[0]))
    ax = Figure().subplots()
    draw_dimensions(ax, found)
    drawn = [line.get_xydata() for line in ax.lines if len(line.get_xydata()) == 6]
    for series in found.families:
        costs = [one.summary.running_time.value for one in series.members]
        expected = np.column_stack([series.dims, costs])
        assert any(np.allclose(line, expected) for line in drawn)
    assert ax.get_xlabel() == "dimension D"


def test_the_sentence_names_both_ends_and_the_laws(stores):
    [found] = by_dimension(read_entries(stores[0]))
    for series in found.families:
        text = series_text(series)
        assert re.search(r"[\d.,]+ at D = 2 and [\d.,]+ at D = 8", text)
        first, last = series.members[0].summary, series.members[-1].summary
        slope = np.log(last.running_time.value / first.running_time.value) / np.log(4)
        assert f"D to the power of {slope:.2f}" in text
        assert series.fitting
        assert "growth laws that fit from D = 3 on: " in text
        assert " r" not in text.partition(" on: ")[2]


def test_where_runs_fail_no_law_is_fitted(tmp_path):
    campaign = Campaign.product(
        problem="half", dim=[2, 3, 4], resolution=24, target=0.99, budget=40, runs=30
    )
    [found] = by_dimension(read_entries(campaign.run(tmp_path / "short.store")))
    [series] = found.families
    assert any(one.summary.successes < one.summary.runs for one in series.members)
    assert series.fitting == []
    assert "some runs failed at D = " in series_text(series)


@pytest.mark.parametrize("failed", [None, 3, 6, 12])
def test_one_failed_run_at_any_dimension_leaves_no_law(failed):
    from test_report_variants import entry

    rng = np.random.default_rng(1)
    members = []
    for dim in (3, 4, 6, 8, 12):
        solved = np.ones(80, dtype=bool)
        solved[17] = dim != failed
        times = rng.geometric(1 / (40 * dim), 80)
        members.append(entry(times, solved, dim=dim, points=64, neurons=1))
    [found] = by_dimension(members)
    [series] = found.families
    assert bool(series.fitting) == (failed is None)
    text = series_text(series)
    assert (f"D = {failed}," in text) == (failed is not None)
    assert ("power" in text) == (failed is None)


def test_settings_of_one_curve_agree_in_all_but_the_dimension_and_what_goes_with_it():
    """Over networks, laws, resolutions and ways to draw points; files are no dimensions."""
    from test_report_variants import entry

    kinds = {
        "plain": {},
        "r = 48": {"resolution": 48},
        "local": {"mutation": "local"},
        "and": {"neurons": 2, "output": "and"},
        "or": {"neurons": 2},
        "no bias": {"bias": False},
    }
    members = []
    for place, options in enumerate(kinds.values()):
        for dim in (5, 3, 4):
            own = {"resolution": 24, "neurons": 1, "points": 8 * dim, **options}
            if dim == 4:
                own["sampling"] = "random"
            members.append(entry([10 * place + dim] * 4, dim=dim, **own))
    [found] = by_dimension(members)
    assert len(found.families) == len({one.name for one in found.families}) == len(kinds)
    for place, series in enumerate(found.families):
        assert series.dims == [3, 4, 5]
        costs = [one.summary.running_time.value for one in series.members]
        assert costs == [10 * place + dim for dim in (3, 4, 5)]
    alone = [one for one in members if one.setting.dim == 3]
    assert by_dimension(alone) == []


def test_files_of_one_name_with_more_and_fewer_features_are_not_one_problem(tmp_path):
    from test_report_variants import entry

    members = []
    for dim in (2, 3):
        folder = tmp_path / str(dim)
        folder.mkdir()
        rows = [[0.1 * k for k in range(dim)] + [sign > 0] for sign in (-1, 1)]
        head = ",".join([*"abc"[:dim], "kind"])
        text = "\n".join(",".join(map(str, row)) for row in rows)
        (folder / "fruit.csv").write_text(f"{head}\n{text}\n")
        members.append(entry([5, 6, 7, 8], problem=str(folder / "fruit.csv"), resolution=24))
    assert [one.setting.dim for one in members] == [2, 3]
    assert by_dimension(members) == []
