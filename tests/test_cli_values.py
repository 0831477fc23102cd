"""Unusual values of options: dashes, very long ones, numbers at the ends of their ranges."""

import json
from pathlib import Path

import numpy as np
import pytest
from commands import refusal

from hyperna.cli import main
from hyperna.comparison import validation

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["fit", "datasets/xor.csv", "--ignore=--"], "ignore must name a column"),
        (["compare", "xor", "--classifiers=--"], "classifiers must be one of"),
        (["reproduce", "--table=--"], "must be 1 to 10"),
        (["reproduce", "--table", "1", "--runs", "2", "--backend=--"], "backend '--'"),
        (["run", "half", "--init=--"], "invalid choice: '--'"),
        (["run", "half", "--runs=--"], "an integer >= 1"),
    ],
)
def test_two_dashes_are_a_value_like_any_other(capsys, monkeypatch, argv, message):
    monkeypatch.chdir(ROOT)
    assert message in refusal(capsys, *argv)


@pytest.mark.parametrize(
    "argv",
    [
        ["run", "{}"],
        ["run", "{}.csv"],
        ["run", "half", "--mutation", "{}"],
        ["run", "half", "--runs", "{}"],
        ["run", "half", "--plot", "{}"],
        ["run", "arcs", "--arcs", "{}"],
        ["compare", "{}"],
        ["compare", "xor", "--classifiers", "{}"],
        ["compare", "xor", "--label", "{}"],
        ["dataset", "{}"],
        ["dataset", "moons:n={}"],
        ["dataset", "moons:{}=1"],
        ["fit", "{}"],
        ["fit", "xor", "--mutation", "{}"],
        ["predict", "{}", "{}"],
        ["campaign", "run", "{}"],
        ["campaign", "status", "{}"],
        ["{}"],
        ["run", "--{}"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("value", ["x" * 100_000, "7" * 100_000, "x y " * 25_000], ids=len)
def test_long_values_are_not_repeated_whole(capsys, argv, value):
    assert len(refusal(capsys, *(text.format(value) for text in argv))) < 1100


def test_values_at_the_end_of_the_range_are_compared_without_noise(tmp_path, capsys):
    file = tmp_path / "large.csv"
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    X = (rng.normal(size=(40, 2)) / 8 + (2 * y - 1)[:, np.newaxis] / 2) * 1.7e308
    rows = [f"{a!r},{b!r},{c}" for (a, b), c in zip(X.tolist(), y.tolist(), strict=True)]
    file.write_text("a,b,class\n" + "\n".join(rows) + "\n")
    argv = ["compare", str(file), "--classifiers", "logistic,tree,knn", "--repeats", "1"]
    assert main([*argv, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert {row["test_accuracy"] for row in json.loads(out)["summary"]} == {1.0}


def test_scaling_by_powers_of_two_changes_no_digit():
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(1)
    train, test = rng.normal(3.0, 40.0, (30, 4)), rng.normal(3.0, 40.0, (9, 4))
    scaler = StandardScaler().fit(train)
    parts = validation._prepared(train, test, None)
    assert np.array_equal(parts[0], scaler.transform(train))
    assert np.array_equal(parts[1], scaler.transform(test))
