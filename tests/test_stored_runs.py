"""Runs on the circle are those of version 0.3.0: the same seed gives the same run."""

import json
from pathlib import Path

import pytest

from hyperna import OnePlusOneNA, problem
from hyperna.experiments.algorithms import relative

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


# Evaluations and stop reasons on TWOQUARTERS. Adaptive steps are drawn many at a time in 0.4.0; the
# other runs are as they were before generations were scored at once.
RELATIVES = {
    "one_plus_lambda:offspring=5": [[656, 1], [2136, 1], [3000, 3]],
    "one_plus_lambda:offspring=40": [[3000, 3], [2161, 1], [3000, 3]],
    "one_comma_lambda:offspring=5": [[1006, 1], [3000, 3], [971, 1]],
    "mu_plus_one:members=4": [[2524, 1], [3000, 3], [221, 1]],
    "mu_plus_one:members=4,crossover=0.5": [[3000, 3], [3000, 3], [350, 1]],
    "annealing": [[135, 1], [519, 1], [487, 1]],
    "rls": [[3000, 3], [3000, 3], [3000, 3]],
}
ADAPTIVE = [[134, 1], [191, 1], [192, 1]]


def rows_on_two_quarters(na):
    return na.run_many(problem("two_quarters"), runs=3, seed=5, budget=3000).rows[:, :3:2].tolist()


@pytest.mark.parametrize("name", RELATIVES)
def test_runs_of_relatives_are_repeated(name):
    kind, settings = relative(name)
    assert rows_on_two_quarters(kind(neurons=2, resolution=24, **settings)) == RELATIVES[name]


def test_runs_of_adaptive_steps_are_repeated():
    na = OnePlusOneNA(neurons=2, resolution=24, mutation="adaptive", replace_neuron=0.2)
    assert rows_on_two_quarters(na) == ADAPTIVE
