"""The page on the theorems says what its data say: other data, other sentences."""

import importlib.util
import json
import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("cma", reason="needs hyperna[baselines]")

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("theorems", ROOT / "docs" / "theorems.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def data(script):
    return json.loads(script.DATA.read_text(encoding="utf-8"))


def test_the_page_is_what_its_data_say(script, data):
    page = script.PAGE.read_text(encoding="utf-8")
    assert script.written(page, data) == page


def test_every_table_of_the_paper_has_a_row(script, data):
    text = script.blocks(data)["tables"]
    for number in range(1, 11):
        assert f"\n| Table {number}: " in text


def test_data_of_the_page_are_those_of_the_package(script, data):
    """A part of them measured again: the same seeds, the same numbers."""
    from hyperna import expected_runtime, problem
    from hyperna.experiments.campaign import Campaign

    exact = dict(data["half"]["exact"])
    assert exact[64] == pytest.approx(expected_runtime(problem("half"), 64, bias=False).mean)
    stuck = expected_runtime(problem("local_opt"), 120, "local")
    assert sum(p for _, p, found in data["local_opt"]["ends"] if found) == pytest.approx(
        stuck.probability
    )
    wanted = Campaign.from_toml(script.CAMPAIGN).wanted
    for setting, runs in wanted.items():
        if (setting.mutation, setting.resolution) == ("harmonic", 1024):
            name = setting.problem
            if name in ("half", "quarter"):
                algorithm, subject = setting.make_algorithm(), setting.make_problem()
                batch = algorithm.run_many(subject, runs, seed=setting.entropy)
                found = batch.evaluations
                [row] = [row for row in data[name]["measured"] if row[0] == 1024]
                error = found.std(ddof=1) / np.sqrt(runs)
                assert row[1:] == pytest.approx([found.mean(), error, runs])


@pytest.mark.slow
def test_verdicts_of_the_page_are_those_of_reproduce(script, data):
    """Two tables that take seconds: one that differs, and uniform steps beside another."""
    from hyperna.paper.reproduce import Reproduction

    stored = [dict(one) for one in data["tables"] if one["number"] in (2, 4)]
    measured = script.tables(None, Reproduction((2, 4)))
    for one, other in zip(stored, measured, strict=True):
        assert one.pop("ratios") == pytest.approx(other.pop("ratios"), nan_ok=True)
        assert one == other


def test_tables_are_measured_for_the_page(script, data):
    from hyperna.paper.reproduce import Reproduction

    [measured] = script.tables(None, Reproduction((2,), runs=2, quick=True))
    [stored] = [one for one in data["tables"] if one["number"] == 2]
    assert measured.keys() == stored.keys()
    assert measured["title"] == stored["title"]


def quadratic(a, b, c, bits=range(6, 41, 4)):
    r = 2.0 ** np.array(bits)
    return r, a * np.log(r) ** 2 + b * np.log(r) + c


def test_the_law_of_half_is_fitted_to_the_exact_values(script):
    r, mean = quadratic(1.6, 2, 1)
    exact = list(zip(r[:4], mean[:4], strict=True))
    error = mean / 30
    measured = np.column_stack([r, mean, error, np.full_like(r, 1000)])
    text = script.half_text(exact, measured)
    assert "1.6000 ln² *r* + 2.000 ln *r* + 1.00 is within" in text
    assert "exact expectations at 4 resolutions from *r* = 64 to *r* = 2¹⁸" in text
    assert "Measured means up to *r* = 2³⁸ agree with it" in text
    measured[4, 1] *= 1.3  # one of them, in the middle
    assert "do not agree with it" in script.half_text(exact, measured)
    assert "+ 2.000 ln *r* − 5.00" in script.half_text(
        [(size, value - 6) for size, value in exact], measured
    )


def test_a_bound_on_the_misfit_is_not_below_it(script):
    r, mean = quadratic(1.6, 2, 1)
    shifted = mean[:4] + np.array([0.013, -0.02, 0.018, -0.004])
    text = script.half_text(list(zip(r[:4], shifted, strict=True)), [[64, 9, 1, 2]])
    said, worst = misfit_as_printed(text, r[:4], shifted)
    assert worst <= said <= 2 * worst


def misfit_as_printed(text, r, mean):
    """The bound that a sentence states, and the misfit of the law that it prints."""
    number = r"([+−]? ?[\d.]+)"
    found = re.search(rf"{number} ln² \*r\* {number} ln \*r\* {number} is within {number}", text)
    a, b, c, said = (float(part.replace("−", "-").replace(" ", "")) for part in found.groups())
    return said, np.abs(np.polyval([a, b, c], np.log(r)) - mean).max()


def test_the_law_on_the_page_is_as_near_to_the_exact_values_as_it_says(script, data):
    r, mean = np.array(data["half"]["exact"]).T
    said, worst = misfit_as_printed(script.PAGE.read_text(encoding="utf-8"), r, mean)
    assert worst <= said


def test_a_third_power_is_seen_where_there_is_one(script):
    r, square = quadratic(4, 4, 2)
    error = square / 60

    def text(mean):
        return script.quarter_text(np.column_stack([r, mean, error, np.full_like(r, 1000)]))

    assert "a quadratic in ln *r* fits" in text(square)
    assert "is 0.000 ± 0.0" in text(square)
    assert "so a third power is not seen" in text(square)
    cubic = text(square + 0.5 * np.log(r) ** 3)
    assert "a quadratic in ln *r* does not fit" in cubic
    assert "is 0.500 ± 0.0" in cubic
    assert "so a third power is seen in the data" in cubic


def test_ends_of_equal_fitness_are_added_up(script):
    ends = [[0.75, 0.5, True], [2 / 3, 0.2, False], [2 / 3, 0.1, False], [0.5, 0.2, False]]
    text = script.local_opt_text(120, ends)
    assert "succeed with probability 0.5000" in text
    assert "stuck with probability 0.300 at 0.667 and 0.200 at 0.500" in text
    assert "stuck" not in script.local_opt_text(120, [[1.0, 1.0, True]])


def table_data(number, differ=(), kind="algorithm", remark="", ratios=(1.0,)):
    cells = dict.fromkeys(("success", "mean", "median", "mean ratio", "median ratio"), "x")
    return {
        "number": number,
        "kind": kind,
        "title": f"Table {number}",
        "cells": cells,
        "differ": list(differ),
        "remark": remark,
        "ratios": list(ratios),
    }


def test_tables_that_agree_and_that_differ_are_listed(script):
    some = [
        table_data(1, ["mean"], remark="So."),
        table_data(4, ["mean", "median"], kind="uniform", ratios=[0.7, 0.5, 0.6]),
        table_data(5),
        {"number": 10, "title": "Table 10", "differ": {"HALF": [], "QUARTER": ["mean"]}},
    ]
    text = script.tables_text(some)
    assert "| Table 1 | x | x | x | x | x | differs: mean |" in text
    assert "| Table 5 | x | x | x | x | x | agrees |" in text
    assert "| differs on QUARTER (mean); agrees on HALF |" in text
    assert "\nTable 5 agrees. Tables 1 and 10 differ.\n" in text
    assert "- Table 1: So." in text
    assert "with uniform steps: the printed means are 0.50 to 0.70 times the measured" in text
    alone = script.tables_text([table_data(5)])
    assert "\nTable 5 agrees." in alone
    assert "differ" not in alone
    same = {"number": 10, "title": "Table 10", "differ": {"HALF": [], "QUARTER": []}}
    assert "| agrees |" in script.tables_text([same])
