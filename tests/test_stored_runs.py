"""Runs on the circle are those of version 0.3.0: the same seed gives the same run."""

import json
from pathlib import Path

import pytest

from hyperna import OnePlusOneNA, problem

STORED = json.loads(Path(__file__).with_name("stored_runs.json").read_text(encoding="utf-8"))


def describe(case):
    options = "-".join(f"{value}" for value in case["options"].values())
    return f"{case['problem']}-{case['neurons']}-{case['output']}-{options or 'harmonic'}"


@pytest.mark.parametrize("case", STORED, ids=describe)
def test_runs_of_version_0_3_0_are_repeated(case):
    na = OnePlusOneNA(
        neurons=case["neurons"],
        resolution=case["resolution"],
        output=case["output"],
        **case["options"],
    )
    circle = problem(case["problem"])
    runs = na.run_many(circle, runs=3, seed=5, **case["limits"])
    assert runs.rows[:, :3].tolist() == case["rows"]
    assert na.run(circle, seed=9, **case["limits"]).network.genome.tolist() == case["genome"]
