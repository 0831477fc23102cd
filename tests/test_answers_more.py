"""Corners of texts, pictures and runs that no stored answer shows."""

import json

import numpy as np
import pytest

from hyperna import NAClassifier, export_text, problem
from hyperna.cli import main
from hyperna.datasets import Dataset


def test_a_constant_feature_of_a_cone_is_the_number_that_it_stands_for():
    X = np.random.default_rng(0).normal(size=(60, 3))
    X[:, 1] = 7.0
    y = np.hypot(X[:, 0], X[:, 2]) < 1
    cone = NAClassifier(n_neurons=1, neuron="bent", output="or", max_evals=500, random_state=0).fit(
        X, y
    )
    [condition] = cone.rules_[0].conditions
    assert condition.width[1] == 0
    assert f", {-condition.apex[1]:g}, (x3" in export_text(cone)
    assert (cone.rules_[0].holds(X) == cone.predict(X)).all()


@pytest.mark.parametrize(("classes", "end"), [(5, "3, 4"), (6, "3, 4, ...")])
def test_five_classes_are_named(classes, end):
    y = np.arange(12) % classes
    assert Dataset(np.zeros((12, 2)), y, name="some").summary.endswith(f"classes 0, 1, 2, {end}")


def test_rises_of_neat_are_shares_that_end_with_the_fitness_found():
    pytest.importorskip("neat", reason="needs hyperna[baselines]")
    from hyperna.baselines import neat_task

    task = neat_task("neat:population=10", problem("quarter"), budget=40, target=False)
    run = task.run(seed=2)
    assert (np.diff(run.improvements.fitness) > 0).all()
    assert run.improvements.fitness[-1] == run.fitness <= 1
    assert task.fitness is task.points
    assert task.criterion.startswith("nothing")


def test_pictures_may_have_endings_in_capitals(tmp_path):
    pytest.importorskip("matplotlib", reason="needs hyperna[plot]")
    assert main(["run", "half", "--runs", "3", "--plot", str(tmp_path / "some.PNG")]) == 0
    assert (tmp_path / "some.PNG").read_bytes().startswith(b"\x89PNG")


def test_json_of_reproduce_tells_the_seed(capsys):
    few = ["reproduce", "--quick", "--runs", "2", "--table", "5", "--jobs", "1"]
    assert main([*few, "--seed", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["seed"] == 3
