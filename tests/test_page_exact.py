"""Sentences of the pages on exact values follow the numbers: other numbers, another sentence."""

import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

FOLDER = Path(__file__).parents[1] / "notebooks" / "campaigns"


@pytest.fixture
def drift(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    from pages import drift

    yield drift
    for name in [name for name in sys.modules if name == "pages" or name.startswith("pages.")]:
        del sys.modules[name]


@pytest.fixture
def growth(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    from pages import growth

    yield growth
    for name in [name for name in sys.modules if name == "pages" or name.startswith("pages.")]:
        del sys.modules[name]


def rows(drift, power, resolutions=(16, 32, 64, 128, 256), failing=0):
    made = drift.Row(16, 1.0, 0.1, 20.0, 30.0, 10.0, 12.0, 8.0, failing, 50)
    found = []
    for r in resolutions:
        row = replace(made, resolution=r, additive_rate=2.0 / r)
        found.append(replace(row, rate=0.1 * row.harmonic_number**-power))
    return found


def test_the_power_of_a_rate_is_that_of_the_numbers(drift):
    for power, held in ((1.0, "which holds 1"), (2.0, "which holds 2"), (3.0, "neither 1 nor 2")):
        # a little scatter, so that the interval has a width
        noisy = [
            replace(row, rate=row.rate * (1 + 1e-3 * (-1) ** i))
            for i, row in enumerate(rows(drift, power))
        ]
        text = drift.power_sentence(noisy)
        assert f"H_r to the power of -{power:.2f}" in text
        assert held in text
    scattered = rows(drift, 1.5)
    wild = [replace(row, rate=row.rate * (1 + (i % 2))) for i, row in enumerate(scattered)]
    assert "which holds 1 and 2" in drift.power_sentence(wild)
    assert "too few values" in drift.power_sentence(rows(drift, 1.0)[:2])


def test_where_a_potential_fails_is_said(drift):
    good = rows(drift, 1.0)
    assert drift.failing_sentence(good) == "it falls in every network at every resolution"
    assert drift.failing_sentence(good[:1]) == "it falls in every network at every resolution"
    mixed = [good[0], replace(good[1], failing=3), *good[2:]]
    assert "does not fall (3 of 50 at r = 32)" in drift.failing_sentence(mixed)
    assert "it falls everywhere at r = 16, 64" in drift.failing_sentence(mixed)
    bad = [replace(row, failing=1) for row in good]
    assert "everywhere" not in drift.failing_sentence(bad)


def test_tightness_is_the_ratio_at_both_ends(drift):
    found = rows(drift, 1.0)
    assert drift.tightness(found) == (
        "2.00 times the exact mean at r = 16 and 2.00 times at r = 256"
    )
    none = [replace(found[0], bound=math.inf), found[-1]]
    assert drift.tightness(none).startswith("no bound times")
    assert drift.additive_sentence(found) == "its least drift is 2/r to 2/r"
    assert "follows without the sequences" in drift.local_meaning(found)
    assert drift.local_meaning([replace(found[0], additive_rate=0.0), *found[1:]]) == ""


def test_growth_from_one_dimension_to_the_next(growth):
    powers = {dim: float(dim**2) for dim in (2, 3, 4, 5)}
    text = growth.growth_per_dimension(powers)
    assert "from 2.25 to 1.56" in text
    assert "from 2.00 to 2.00" in text
    assert "the factor falls at every step" in text
    doubling = {dim: 2.0**dim for dim in (2, 3, 4, 5)}
    text = growth.growth_per_dimension(doubling)
    assert "from 2.00 to 2.00, the slope" in text
    assert "the slope rises at every step" in text
    assert "from D = 2 to 3" in growth.growth_per_dimension({2: 1.0, 3: 2.0})


def runs_of(scale, dims=(2, 3, 4, 6, 8, 12, 16), failed_from=99):
    rng = np.random.default_rng(0)
    parts = [
        pd.DataFrame(
            {
                "dim": dim,
                "evaluations": rng.exponential(scale * dim**2, 200).round() + 1,
                "success": dim < failed_from,
            }
        )
        for dim in dims
    ]
    return pd.concat(parts)


def test_laws_in_the_dimension_are_those_of_the_times(growth):
    text = growth.laws_in_dimension(runs_of(20))
    assert text.startswith("for D = 3 to 16, where all runs succeed, these laws fit:")
    assert " D" in text
    assert " r" not in text.partition("fit:")[2]
    assert "too few" in growth.laws_in_dimension(runs_of(20, failed_from=4))
    assert growth.failures(runs_of(20)) == "every run succeeds"
    assert "200 of 200 at D = 8" in growth.failures(runs_of(20, failed_from=8))


def test_agreement_tells_the_worst_cell(growth):
    assert "in 3 cells" in growth.agreement([0.1, -2.5, 1.0])
    assert "2.5 standard errors" in growth.agreement([0.1, -2.5, 1.0])
    assert "agree" in growth.agreement([0.1, -2.5, 1.0])
    assert "differ" in growth.agreement([0.1, 5.0])
    sample = pd.DataFrame({"evaluations": [1.0, 2.0, 3.0]})
    assert growth.deviation(sample, 2.0) == 0.0


def test_running_times_are_told_apart_by_their_intervals(growth):
    groups = [dict(iter(runs_of(scale).groupby("dim"))) for scale in (5, 20)]
    pairs = {dim: (groups[0][dim], groups[1][dim]) for dim in (2, 4)}
    swapped = {dim: pair[::-1] for dim, pair in pairs.items()}
    assert "smaller at D = 2, 4 (" in growth.by_running_time(pairs)
    assert "larger at D = 2, 4 (" in growth.by_running_time(swapped)
    same = {2: (groups[0][2], groups[0][2])}
    assert growth.by_running_time(same) == "no 95 % intervals of the ERT are disjoint"
