"""Every option of a run changes what it should, from the command line and from a campaign."""

import json

import numpy as np
import pytest

from hyperna.cli import main
from hyperna.experiments.campaign import Campaign
from hyperna.experiments.setting import setting
from hyperna.fitness import ExactSphere, Sampled
from hyperna.run.description import OPTIONS

POINTS = "x,y,mass,kind,other\n5,1,1,0,1\n-5,3,2,1,1\n1,-4,3,0,0\n-2,-6,1,1,1\n1,2,4,0,1\n"
FILE = {"problem": "FILE", "target": False, "budget": 6}
PLAIN = {"problem": "quarter", "resolution": 24, "budget": 300}


def evaluations(runs):
    return runs.evaluations.tolist()


# For each key: options without and with it, and what is then true of the runs (before, after).
CASES = {
    "problem": ({}, {"problem": "half"}, lambda a, b: b.task.fitness.problem.name == "half"),
    "dim": ({}, {"dim": 3, "points": 64}, lambda a, b: b.task.grid.dim == 3),
    "k": (
        {"problem": "arcs", "k": 2},
        {"problem": "arcs", "k": 3},
        lambda a, b: (len(a.task.fitness.problem.arcs), len(b.task.fitness.problem.arcs)) == (2, 3),
    ),
    "arcs": (
        {"problem": "arcs", "arcs": "0-90"},
        {"problem": "arcs", "arcs": "0-90,180-200"},
        lambda a, b: len(b.task.fitness.problem.arcs) == 2,
    ),
    "label": (FILE, {**FILE, "label": "kind"}, None),
    "positive": (FILE, {**FILE, "positive": "0"}, None),
    "weight": (
        FILE,
        {**FILE, "weight": "mass"},
        lambda a, b: (a.task.grid.dim, b.task.grid.dim, b.task.fitness.total) == (4, 3, 11),
    ),
    "scale": (
        FILE,
        {**FILE, "scale": True},
        lambda a, b: np.linalg.norm(b.task.fitness.X, axis=1).max() <= 1.0 + 1e-12,
    ),
    "points": (
        {"dim": 3},
        {"dim": 3, "points": 50},
        lambda a, b: b.task.fitness.n == 50 and isinstance(a.task.fitness, ExactSphere),
    ),
    "sampling": (
        {"dim": 3, "points": 64},
        {"dim": 3, "points": 64, "sampling": "random"},
        lambda a, b: (a.task.fitness.method, b.task.fitness.method) == ("sobol", "random"),
    ),
    "online": ({}, {"online": 20}, lambda a, b: b.task.fitness.samples == 20),
    "judge_once": (
        {"online": 20},
        {"online": 20, "judge_once": True},
        lambda a, b: (a.task.fitness.reevaluate, b.task.fitness.reevaluate) == (True, False),
    ),
    "neuron": (
        {},
        {"neuron": "bent"},
        lambda a, b: (a.task.grid.neuron, b.task.grid.neuron) == ("plain", "bent"),
    ),
    "neurons": ({}, {"neurons": 3}, lambda a, b: b.task.grid.neurons == 3),
    "max_neurons": (
        {"neurons": "evolved", "output": "xor"},
        {"neurons": "evolved", "output": "xor", "max_neurons": 1},
        lambda a, b: a.neurons_used.max() > b.neurons_used.max() == 1,
    ),
    "output": ({"neurons": 2}, {"neurons": 2, "output": "and"}, None),
    "resolution": ({}, {"resolution": 48}, lambda a, b: b.task.grid.resolution == 48),
    "algorithm": (
        {"target": 0.9},
        {"target": 0.9, "algorithm": "random_search"},
        lambda a, b: type(b.task).__name__ == "BaselineTask",
    ),
    "mutation": ({}, {"mutation": "local"}, lambda a, b: str(b.task.law) == "local"),
    "bias": (
        {"target": False},
        {"target": False, "bias": False},
        lambda a, b: b.replay(0).network.weights()[1].tolist() == [0.0],
    ),
    "redraw_void": (
        {},
        {"redraw_void": True},
        lambda a, b: b.evaluations.mean() < a.evaluations.mean(),
    ),
    "mutation_probability": (
        {},
        {"mutation_probability": 0.125},
        lambda a, b: (a.task.probability, b.task.probability) == (0.5, 0.125),
    ),
    "init": ({"dim": 3, "points": 64}, {"dim": 3, "points": 64, "init": "sphere"}, None),
    "move": (
        {"dim": 3, "points": 64},
        {"dim": 3, "points": 64, "move": "rotation"},
        lambda a, b: (a.task.rotation, b.task.rotation) == (False, True),
    ),
    "replace_neuron": (
        {},
        {"replace_neuron": 0.5},
        lambda a, b: (a.task.replace_neuron, b.task.replace_neuron) == (0.0, 0.5),
    ),
    "term_cost": (
        {**FILE, "scale": True, "move": "rotation", "budget": 300, "term_cost": 0},
        {**FILE, "scale": True, "move": "rotation", "budget": 300, "term_cost": 2},
        lambda a, b: a.terms_used.mean() > b.terms_used.mean() and b.neurons_used.max() == 1,
    ),
    "budget": (
        {"target": False},
        {"target": False, "budget": 37},
        lambda a, b: set(b.evaluations) == {37},
    ),
    "stagnation": (
        {"target": False, "mutation": "uniform"},
        {"target": False, "mutation": "uniform", "stagnation": 20},
        lambda a, b: b.evaluations.max() < 300 and "stagnation" in b.stop_counts,
    ),
    "target": ({}, {"target": 0.8}, lambda a, b: b.stop_counts == {"target": len(b)}),
    "restarts": (
        {"target": False, "stagnation": 20},
        {"target": False, "stagnation": 20, "restarts": 3},
        lambda a, b: a.restarts.max() == 0 < b.restarts.max() <= 3,
    ),
    "seed": ({}, {"seed": 5}, None),
}


def test_every_key_has_a_case():
    assert CASES.keys() == OPTIONS.keys()


def filled_in(options, folder):
    options = {**PLAIN, **options}
    if options["problem"] == "FILE":
        (folder / "points.csv").write_text(POINTS)
        options["problem"] = str(folder / "points.csv")
        del options["resolution"]
    return options


def campaign_runs(options, folder):
    [runs] = Campaign.product(**options, runs=30).run(folder).runs()
    return runs


def words(options):
    """The same on the command line."""
    found = [options["problem"]]
    for key, value in options.items():
        option = f"--{key.replace('_', '-')}"
        if key in OPTIONS and OPTIONS[key].off_help:
            found += [] if value else [f"--no-{key.replace('_', '-')}"]
        elif value is True:
            found.append(option)
        elif key != "problem" and value != "default":
            found += [option, "none" if value is False else str(value)]
    return found


def line_runs(options, capsys):
    assert main(["run", *words(options), "--runs", "30", "--json", "--all"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("key", CASES)
def test_the_option_changes_what_it_should(key, tmp_path, capsys):
    without, given, check = CASES[key]
    without, given = filled_in(without, tmp_path), filled_in(given, tmp_path)
    one, other = (campaign_runs(o, tmp_path / n) for o, n in ((without, "a"), (given, "b")))
    assert one.setting != other.setting
    assert one.seed != other.seed
    # Under one seed, so that it is the option that makes the difference.
    again = [
        setting(**{k: v for k, v in o.items() if k != "seed"}).runner() for o in (without, given)
    ]
    rows = [task.run_block(7, 0, 30) for task in again]
    assert key == "seed" or (rows[0] != rows[1]).any()
    assert check is None or check(with_task(one), with_task(other))
    shown = [line_runs(options, capsys) for options in (without, given)]
    assert shown[0]["evaluations"] != shown[1]["evaluations"] or shown[0] != shown[1]
    if key not in ("label", "positive", "weight", "scale", "k", "arcs"):
        assert shown[0]["settings"][key] != shown[1]["settings"][key]
    for options, result in zip((without, given), shown, strict=True):
        direct = setting(**{k: v for k, v in options.items() if k != "seed"}).runner()
        expected = direct.run_block(options.get("seed", 0), 0, 30)
        assert result["evaluations"] == expected[:, 0].tolist()
        assert result["best_fitness"] == expected[:, 1].max() / direct.units


def with_task(runs):
    object.__setattr__(runs, "task", runs.setting.runner())
    return runs


def test_a_campaign_s_runs_are_those_of_run_many_with_its_seed(tmp_path):
    runs = campaign_runs(PLAIN, tmp_path / "store")
    made = setting(**PLAIN)
    direct = made.make_algorithm().run_many(made.make_fitness(), 30, budget=300, seed=made.entropy)
    assert (runs.rows == direct.rows).all()
    assert isinstance(setting(**PLAIN, dim=3).make_fitness(), ExactSphere)
    assert isinstance(setting(**PLAIN, dim=4).make_fitness(), Sampled)
    assert isinstance(setting(**PLAIN, dim=4, neurons=1).make_fitness(), ExactSphere)


# ---- what no computer can do, and files that are no campaign


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dim": 10**9}, r"need about .* GB of memory; this computer has"),
        ({"dim": 3, "points": 10**13}, r"need about 240,0.. GB of memory"),
        ({"neurons": 10**12}, r"need about .* GB of memory"),
        (
            {"runs": 10**18},
            r"1e\+18 runs are too many.* about 115,740,741 days and 2,500,000,000 GB",
        ),
        (
            {"seed": list(range(1000)), "budget": list(range(1, 1001)), "k": [None] * 1000},
            r"1e\+09 settings are too many.* would need about 6 days and 2,000 GB",
        ),
    ],
)
def test_impossible_campaigns_are_refused_at_once(options, message):
    with pytest.raises(ValueError, match=message):
        Campaign.product(**{"problem": "half", **options})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'problem = "half"\nlabel = "\xff"', "is not UTF-8 text: invalid start byte at byte 26"),
        (b"runs = " + b"9" * 5000, "Exceeds the limit"),
        (b"runs = " + b"[" * 5000 + b"]" * 5000, "nested too deeply"),
        (b"problem = half", "Invalid value"),
        (b'problem = "half"\nruns = 0', "line 2: runs must be an integer >= 1, got 0"),
    ],
    ids=["encoding", "digits", "deep", "syntax", "value"],
)
def test_bad_files_are_named(tmp_path, content, message, capsys):
    file = tmp_path / "bad.toml"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        Campaign.from_toml(file)
    assert str(file) in str(caught.value)
    assert main(["campaign", "run", str(file)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "bad.store").exists()


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path):
    file = tmp_path / "marked.toml"
    file.write_bytes('﻿problem = "half"\nruns = 2\n'.encode())
    assert Campaign.from_toml(file).total == 2


@pytest.mark.parametrize("content", [None, [("problem", "half")], "half", 5])
def test_a_dictionary_is_asked_for(content):
    with pytest.raises(TypeError, match="content must be a mapping of keys to values, got"):
        Campaign.from_dict(content)


def test_keys_must_be_texts():
    with pytest.raises(ValueError, match="unknown key '1'"):
        Campaign.from_dict({1: 2})
