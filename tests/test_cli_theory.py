"""The command theory, the export of chains and the pictures of exact runtimes."""

import json
import math
import re

import numpy as np
import pytest
from commands import refusal

from hyperna import OnePlusOneNA, mutation, problem
from hyperna.cli import main
from hyperna.grid import Grid
from hyperna.theory import expected_runtime, export_chain
from hyperna.theory.limits import MOST_MINUTES, check_affordable, expected_minutes


def shown(capsys, *arguments):
    assert main(["theory", *arguments]) == 0
    return capsys.readouterr().out


def test_json_has_every_number(capsys):
    found = json.loads(shown(capsys, "quarter", "--resolution", "24", "--json"))
    exact = expected_runtime(problem("quarter"), 24)
    assert found["expected_evaluations"] == exact.mean
    assert found["sd_evaluations"] == exact.standard_deviation
    assert found["success_probability"] == 1.0
    assert found["relative_error_bound"] == exact.relative_error_bound
    assert list(found["quantiles"].values()) == exact.quantiles().tolist()
    assert found["settings"]["resolution"] == 24


def test_quantiles_have_every_digit(capsys):
    options = {"mutation": "uniform", "mutation_probability": 0.1}
    exact = expected_runtime(problem("quarter"), 60, **options).quantiles([0.99])
    arguments = ["quarter", "--resolution", "60", "--mutation", "uniform"]
    arguments += ["--mutation-probability", "0.1", "--quantiles", "0.99"]
    text = shown(capsys, *arguments)
    assert exact[0] > 1000
    assert text.endswith(f" {exact[0]:.0f}\n")


def test_two_neurons(capsys):
    arguments = ["two_quarters", "--resolution", "6", "--neurons", "2", "--output", "xor"]
    exact = expected_runtime(problem("two_quarters"), 6, neurons=2, output="xor")
    found = json.loads(shown(capsys, *arguments, "--json"))
    assert found["expected_evaluations"] == exact.mean
    assert found["settings"]["mutation_probability"] == 0.25
    assert "2 neurons joined by XOR" in shown(capsys, *arguments)
    assert main(["theory", *arguments, "--plot", "map.png"]) == 2
    assert "--plot draws a map of angle and bias" in capsys.readouterr().err
    plots = pytest.importorskip("hyperna.plots")
    with pytest.raises(ValueError, match="runtime must be of one neuron"):
        plots.plot_expected_times(exact)


def test_runs_that_may_be_stuck(capsys):
    arguments = ["local_opt", "--resolution", "24", "--mutation", "local"]
    found = json.loads(shown(capsys, *arguments, "--json", "--quantiles", "0.1,0.9"))
    assert found["expected_evaluations"] is None
    assert found["quantiles"]["0.9"] is None
    assert sum(end["probability"] for end in found["ends"]) == pytest.approx(1)
    text = shown(capsys, *arguments)
    assert "∞" in text
    assert "ends stuck, fitness 0.663764" in text


@pytest.mark.parametrize(
    ("option", "meaning"),
    [
        (["--redraw-void"], {"redraw_void": True}),
        (["--target", "0.9"], {"target": 0.9}),
        (["--mutation-probability", "0.2"], {"mutation_probability": 0.2}),
        (["--mutation", "uniform"], {"mutation": "uniform"}),
    ],
    ids=lambda part: part[0] if isinstance(part, list) else "",
)
def test_options_mean_what_they_say(capsys, option, meaning):
    found = json.loads(shown(capsys, "quarter", "--resolution", "12", *option, "--json"))
    plain = expected_runtime(problem("quarter"), 12)
    exact = expected_runtime(problem("quarter"), 12, **meaning)
    assert found["expected_evaluations"] == exact.mean != plain.mean
    assert {key: found["settings"][key] for key in meaning} == meaning


def test_the_table_of_runs_that_may_be_stuck_has_their_numbers(capsys):
    text = shown(capsys, "local_opt", "--resolution", "12", "--mutation", "local")
    lines = [" ".join(line.split()) for line in text.splitlines()]
    exact = expected_runtime(problem("local_opt"), 12, "local")
    for line in (
        f"success probability {exact.probability:.8g}",
        "evaluations, mean ∞",
        f"evaluations of successes, mean {exact.conditional_mean:.8g}",
        f"evaluations of successes, sd {exact.conditional_standard_deviation:.8g}",
        f"evaluations until success or stuck {exact.evaluations_until_end():.8g}",
    ):
        assert line in lines
    ends = [line for line in lines if line.startswith("ends ")]
    assert ends == [
        f"ends {'with success' if end.success else 'stuck'}, fitness {end.fitness:.6g} "
        f"({end.size} network{'s' * (end.size > 1)}): probability {end.probability:.6g}"
        for end in exact.ends()[:12]
    ]


def test_without_bias_and_large(capsys):
    text = shown(capsys, "half", "--resolution", "16384", "--no-bias")
    assert "biases fixed at 0" in text
    assert "no quantiles: without bias up to resolution 8192 only" in text
    assert main(["theory", "half", "--resolution", "100000"]) == 2
    assert "GB" in capsys.readouterr().err
    assert main(["theory", "half", "--quantiles", "many"]) == 2
    assert "--quantiles" in capsys.readouterr().err


def test_quantiles_that_take_long_are_computed_where_they_are_wanted(capsys, monkeypatch):
    monkeypatch.setattr("hyperna.cli.theory._MOST_OPERATIONS", 0.0)
    options = ["quarter", "--resolution", "8"]
    assert "they would take more than a minute; --quantiles 0.5 computes them" in shown(
        capsys, *options
    )
    assert "50 % of the runs succeed within" in shown(capsys, *options, "--quantiles", "0.5")


def test_picture_and_export(capsys, tmp_path):
    picture, chain = tmp_path / "times.png", tmp_path / "chain"
    shown(capsys, "half", "--resolution", "8", "--plot", str(picture), "--export", str(chain))
    assert picture.stat().st_size > 1000
    assert (tmp_path / "chain.storm.tra").exists()


@pytest.mark.parametrize("law", ["harmonic", "local"])
def test_an_exported_chain_gives_the_same_expectation(law, tmp_path):
    """Solved from the files alone, as a model checker does."""
    runtime = expected_runtime(problem("local_opt"), 12, law)
    export_chain(runtime, tmp_path / "chain")
    first, *rows = (tmp_path / "chain.tra").read_text().splitlines()
    size, count = map(int, first.split())
    assert count == len(rows)
    matrix = np.zeros((size, size))
    for row in rows:
        x, y, p = row.split()
        matrix[int(x), int(y)] += float(p)
    np.testing.assert_allclose(matrix.sum(axis=1), 1)
    names, *marks = (tmp_path / "chain.lab").read_text().splitlines()
    assert names == '0="init" 1="success" 2="stuck"'
    marked = {
        mark: [int(m.split(":")[0]) for m in marks if m.endswith(f" {mark}")] for mark in "012"
    }
    assert marked["0"] == [0]
    ends = marked["1"] + marked["2"]
    free = np.setdiff1d(np.arange(size), ends)
    system = np.eye(free.size) - matrix[np.ix_(free, free)]
    reach = np.linalg.solve(system, matrix[np.ix_(free, marked["1"])].sum(axis=1))
    assert reach[0] == pytest.approx(runtime.probability)
    time = np.linalg.solve(system, np.ones(free.size))
    assert time[0] == pytest.approx(runtime.evaluations_until_end())
    storm = (tmp_path / "chain.storm.tra").read_text().splitlines()
    assert storm == ["dtmc", *rows]
    rewards = (tmp_path / "chain.storm.rew").read_text().split("\n")
    assert len(rewards) - 1 == size - len(marked["1"])


def test_distribution_picture_lies_on_the_simulation():
    plots = pytest.importorskip("hyperna.plots")
    runs = OnePlusOneNA(resolution=16).run_many(problem("quarter"), 2000, seed=0)
    exact = expected_runtime(problem("quarter"), 16)
    ax = plots.plot_distribution(exact, runs.evaluations)
    simulated, curve = (line.get_xydata() for line in ax.lines)
    at = np.searchsorted(simulated[:, 0], curve[:, 0], side="right") - 1
    assert np.abs(simulated[at, 1] - curve[:, 1]).max() < 4 * math.sqrt(0.25 / 2000)
    assert plots.plot_expected_times(expected_runtime(problem("half"), 16, bias=False)).lines
    stuck = expected_runtime(problem("local_opt"), 12, "local")
    ax = plots.plot_expected_times(stuck, title="local_opt, local mutation, r = 12")
    assert [text.get_text()[:8] for text in ax.get_legend().get_texts()] == ["infinite"]
    assert ax.get_title().endswith("r = 12")


@pytest.mark.parametrize("name", ["quarter", "two_quarters"])
def test_exported_states_are_the_search_points_that_they_stand_for(tmp_path, name):
    runtime = expected_runtime(problem(name), 8, "local")
    export_chain(runtime, tmp_path / "chain")
    lines = (tmp_path / "chain.sta").read_text().splitlines()[2:]
    chain = runtime.chain
    assert len(lines) == chain.score.size < 8 * 9  # angles are joined
    for line, score, target in zip(lines, chain.score.flat, chain.target.flat, strict=True):
        angle, bias = map(int, line.partition(":")[2].strip("()").split(","))
        assert runtime.fitness[angle, bias] == score / runtime._units
        assert runtime.target[angle, bias] == target
    # all files count the same states, one of them the start before the first network
    states = {(tmp_path / f"chain.{end}").read_text().split()[0] for end in ("tra", "srew")}
    assert states == {str(chain.score.size + 1)}


@pytest.mark.parametrize("levels", ["2", "0", "nan", "0.5,nan", "-1", "1"])
def test_levels_of_quantiles_are_shares(capsys, levels):
    argv = ("theory", "quarter", "--resolution", "12", "--quantiles", levels)
    assert "levels must be larger than 0 and smaller than 1" in refusal(capsys, *argv)


def test_a_long_computation_is_announced(monkeypatch, capsys):
    monkeypatch.setattr("hyperna.cli.theory._LONG", 1e-6)
    assert main(["theory", "quarter", "--resolution", "24"]) == 0
    assert re.fullmatch(r"hyperna: this takes about [\d.]+ minutes\n", capsys.readouterr().err)


@pytest.mark.parametrize(("law", "neurons"), [("harmonic", 1), ("harmonic", 2), ("local", 2)])
def test_the_largest_resolution_that_is_named_is_affordable(law, neurons):
    """And the next one is not."""
    law = mutation.law(law)
    with pytest.raises(ValueError, match=r"at most [\d,]+ for this law, got 9,999") as refused:
        check_affordable(Grid(2, neurons, 9999), law, bias=True)
    most = int(re.search(r"at most ([\d,]+)", str(refused.value))[1].replace(",", ""))
    assert expected_minutes(Grid(2, neurons, most), law, bias=True) <= MOST_MINUTES
    with pytest.raises(ValueError, match="at most"):
        check_affordable(Grid(2, neurons, most + 1), law, bias=True)
