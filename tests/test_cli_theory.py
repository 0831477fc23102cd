"""The command theory, the export of chains and the pictures of exact runtimes."""

import json
import math
import re

import numpy as np
import pytest
from commands import refusal

import hyperna
from hyperna import OnePlusOneNA, problem
from hyperna.cli import main
from hyperna.fitness import ExactArcs
from hyperna.network.grid import Grid
from hyperna.theory import (
    drift,
    estimated_cost,
    expected_runtime,
    export_chain,
    largest_resolution,
)
from hyperna.theory.limits import MOST_MINUTES


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
    exact = expected_runtime(problem("quarter"), 40, **options).quantiles([0.99])
    arguments = ["quarter", "--resolution", "40", "--mutation", "uniform"]
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


def test_spheres_points_and_other_algorithms(capsys, tmp_path):
    """What the command says is what Python computes."""
    file = tmp_path / "points.csv"
    file.write_text("x,y,label\n0.1,0.2,1\n-0.5,0.4,0\n0.3,-0.9,1\n-0.2,-0.1,0\n0.6,0.6,1\n")
    for arguments, settings in (
        ("half --dim 3 --resolution 8", {"problem": "half", "dim": 3}),
        ("half --dim 3 --resolution 8 --no-bias", {"problem": "half", "dim": 3, "bias": False}),
        (
            "quarter --resolution 8 --neuron bent --target 0.9",
            {"problem": "quarter", "neuron": "bent", "target": 0.9},
        ),
        (
            "cube --dim 2 --neurons 2 --output xor --resolution 8",
            {"problem": "cube", "dim": 2, "neurons": 2, "output": "xor"},
        ),
        (f"{file} --resolution 8", {"problem": hyperna.read_csv(file)}),
        ("quarter --resolution 8 --algorithm rls", {"problem": "quarter", "algorithm": "rls"}),
        (
            "quarter --resolution 8 --algorithm one_plus_lambda:offspring=3",
            {"problem": "quarter", "algorithm": "one_plus_lambda", "offspring": 3},
        ),
        (
            "quarter --resolution 8 --algorithm one_comma_lambda:offspring=5",
            {"problem": "quarter", "algorithm": "one_comma_lambda", "offspring": 5},
        ),
    ):
        exact = expected_runtime(**settings, resolution=8)
        found = json.loads(shown(capsys, *arguments.split(), "--json"))
        assert found["expected_evaluations"] == pytest.approx(exact.mean)
        assert found["states"] == exact.states
        assert found["networks"] == exact.per_state.size
        assert found["expected_generations"] == pytest.approx(exact.generations)
        assert found["error_bounds"] == exact.bounds._asdict()
        text = shown(capsys, *arguments.split())
        assert f"{exact.mean:.8g}" in text
        assert ("generations, mean" in text) == (exact.offspring > 1)
    assert "neurons must be a number" in refusal(capsys, "theory", "half", "--neurons", "evolved")
    assert "--algorithm must be" in refusal(capsys, "theory", "half", "--algorithm", "cma_es")


def test_drift_of_a_potential(capsys, tmp_path):
    options = ["half", "--resolution", "16", "--no-bias", "--drift", "distance"]
    exact = drift(expected_runtime("half", 16, bias=False), "distance")
    found = json.loads(shown(capsys, *options, "--json"))["drift"]
    assert found["additive_rate"] == exact.additive_rate
    assert found["multiplicative_bound"] == exact.multiplicative_bound
    picture = tmp_path / "drift.png"
    text = shown(capsys, *options, "--plot", str(picture))
    assert "drift of the potential distance" in text
    assert picture.stat().st_size > 1000
    text = shown(
        capsys, "local_opt", "--resolution", "12", "--mutation", "local", "--drift", "distance"
    )
    assert "the potential does not fall on average in" in text
    assert "potential must be one of" in refusal(
        capsys, "theory", "half", "--resolution", "8", "--drift", "height"
    )


def test_drift_above_a_fitness(capsys):
    exact = drift(expected_runtime("quarter", 24), "missing fitness", above=0.75)
    options = ["quarter", "--resolution", "24", "--above", "0.75"]
    found = json.loads(shown(capsys, *options, "--drift", "missing fitness", "--json"))["drift"]
    assert found == {**exact.record(), "above": 0.75}
    assert "--above needs --drift" in refusal(capsys, "theory", *options)
    options[-1] = "2"
    assert "--above: value must be" in refusal(capsys, "theory", *options, "--drift", "distance")


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
    assert "no bias" in text
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
        assert runtime.fitness[angle, bias] == score / ExactArcs(problem(name)).units(Grid(2, 1, 8))
        assert runtime.target[angle, bias] == target
    # all files count the same states, one of them the start before the first network
    states = {(tmp_path / f"chain.{end}").read_text().split()[0] for end in ("tra", "srew")}
    assert states == {str(chain.score.size + 1)}


@pytest.mark.parametrize("levels", ["2", "0", "nan", "0.5,nan", "-1", "1"])
def test_levels_of_quantiles_are_shares(capsys, levels):
    argv = ("theory", "quarter", "--resolution", "12", "--quantiles", levels)
    assert "levels must be larger than 0 and smaller than 1" in refusal(capsys, *argv)


def test_a_long_computation_is_announced(monkeypatch, capsys):
    monkeypatch.setattr("hyperna.cli.theory._LONG", 0.0)
    assert main(["theory", "quarter", "--resolution", "24"]) == 0
    told = capsys.readouterr().err
    assert told.startswith("hyperna: 600 states (325 after symmetries), about ")
    assert told.count("\n") == 1


@pytest.mark.parametrize(("law", "neurons"), [("harmonic", 1), ("harmonic", 2), ("local", 2)])
def test_the_largest_resolution_that_is_named_is_affordable(law, neurons):
    """And the next one is not."""
    with pytest.raises(ValueError, match=r"at most [\d,]+ for this chain, got 9,999") as refused:
        estimated_cost("half", 9999, law, neurons=neurons)
    most = int(re.search(r"at most ([\d,]+)", str(refused.value))[1].replace(",", ""))
    cost = estimated_cost("half", most, law, neurons=neurons)
    assert largest_resolution("half", law, neurons=neurons) == most
    assert cost.states == (most * (most + 1)) ** neurons
    assert cost.minutes <= MOST_MINUTES
    for more in range(1, 25):  # whatever divides them
        with pytest.raises(ValueError, match="at most"):
            estimated_cost("half", most + more, law, neurons=neurons)


@pytest.mark.parametrize("arguments", [["quarter"], ["arcs:arcs=10-50 200-310", "--no-bias"]])
def test_the_target_is_named_and_is_that_of_a_run(capsys, arguments):
    options = [*arguments, "--resolution", "24"]
    found = json.loads(shown(capsys, *options, "--json"))
    exact = expected_runtime(problem(arguments[0]), 24, bias=len(arguments) == 1)
    fitness = exact.fitness[exact.target]
    assert found["success_networks"] == fitness.size
    assert found["success_fitness"] == [fitness.min(), fitness.max()]
    assert main(["run", *options, "--runs", "1", "--neurons", "1", "--json"]) == 0
    run = json.loads(capsys.readouterr().out)
    assert found["success_means"].startswith(run["success_means"])
    text = shown(capsys, *options)
    assert f"success: {found['success_means']}" in text
    assert f"that is {fitness.size} networks of fitness {fitness.min():.6g}" in text


def test_a_target_below_the_best_fitness_says_what_it_is_below(capsys):
    """The best fitness of half a circle is 3/4, on this grid too; 2/r less counts as success."""
    options = ["arcs:arcs=10-50 200-310", "--no-bias", "--resolution", "24"]
    text = shown(capsys, *options)
    assert "fitness >= 0.666667: the best that such a network attains, 0.75, less 0.083333" in text
    best = json.loads(shown(capsys, *options, "--target", "0.75", "--json"))
    usual = json.loads(shown(capsys, *options, "--json"))
    assert best["expected_evaluations"] > 2 * usual["expected_evaluations"]
    assert best["success_fitness"] == [0.75, 0.75]
    out_of_reach = shown(capsys, *options, "--target", "0.8")
    assert "no network on this grid is that fit" in out_of_reach
