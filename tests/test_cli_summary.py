"""The summary that hyperna run prints."""

import json
import re

import numpy as np
import pytest

from hyperna import OnePlusOneNA, problem
from hyperna._words import number, percent
from hyperna.analysis.statistics import bootstrap_interval, expected_running_time, wilson_interval
from hyperna.cli import main
from hyperna.cli.run import _tables, headline, summarise
from hyperna.experiments.setting import setting
from hyperna.run.results import Runs

ROWS = np.array([[7, 30, 1, 0, 0], [8, 40, 3, 0, 0]])


def test_the_rule_of_the_best_network_follows(capsys):
    argv = ["run", "two_quarters", "--runs", "5", "--resolution", "24"]
    assert main([*argv, "--rule"]) == 0
    runs = OnePlusOneNA(neurons=2, resolution=24).run_many("two_quarters", 5, seed=0)
    told = f"\nbest network, of run {runs.best}:\n{runs.replay(runs.best).network}\n"
    assert capsys.readouterr().out.endswith(told)
    assert main(argv) == 0
    assert "best network" not in capsys.readouterr().out


def summary(**options):
    made = setting(problem="quarter", **options)
    runs = Runs(ROWS, 40, 0, task=made.runner(), setting=made)
    return summarise(made, runs, 5)


def told_options(**options):
    made = setting(problem="quarter", **options)
    return headline(made, summary(**options), made.make_problem())[1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, None),
        ({"bias": False}, "no bias"),
        ({"redraw_void": True}, "void steps redrawn"),
        ({"mutation_probability": 0.125}, "probability 0.125 per component"),
        ({"mutation_probability": 0.5}, None),
        ({"dim": 3, "move": "rotation"}, "rotations"),
        ({"init": "sphere"}, "init sphere"),
        ({"replace_neuron": 0.25}, "a neuron replaced with probability 0.25"),
        ({"stagnation": 9}, "stagnation 9"),
        ({"stagnation": 9, "restarts": 2}, "2 restarts"),
        ({"restarts": "auto"}, "automatic restarts"),
        ({"algorithm": "rls"}, "rls, harmonic mutation, one component at a time"),
        ({"mutation": "local"}, "local mutation"),
    ],
)
def test_the_headline_tells_what_is_unusual(options, words):
    told = told_options(**options)
    if words is None:
        assert told == "harmonic mutation"
        return
    assert words in told
    assert all(len(re.findall(rf"\b{word}\b", told)) <= 1 for word in ("bias", "init", "restarts"))
    for others in ("no bias", "redrawn", "rotations", "init", "replaced", "stagnation", "restarts"):
        assert (others in told) == (others in words or others in options)


def test_shares_of_stop_reasons_have_their_own_intervals():
    from hyperna.analysis.statistics import wilson_interval

    rows = {row[0]: row for row in next(_tables(summary()))[1]}
    assert rows["stopped: optimum"][1:] == (*rows["stopped: budget"][1:3], "1 of 2 runs")
    many = Runs(np.repeat(ROWS, [1, 9], axis=0), 40, 0, task=setting(problem="quarter").runner())
    found = summarise(setting(problem="quarter"), many, 5)
    told = {row[0]: row for row in next(_tables(found))[1]}
    low, high = wilson_interval(1, 10)
    assert told["stopped: optimum"][1:3] == ("10.0 %", f"{100 * low:.1f} % … {100 * high:.1f} %")


def test_json_lists_neurons_and_evaluations_only_when_asked(capsys):
    from hyperna.cli import main

    main(["run", "half", "--runs", "3", "--json"])
    assert '"evaluations":' not in capsys.readouterr().out


KEYS = {
    "runs", "success_share", "success_interval", "mean_evaluations", "mean_interval",
    "sd_evaluations", "median_evaluations", "mean_fitness", "stop_reasons", "runs_at_limit",
    "settings",
}  # fmt: skip


def run_json(capsys, *argv):
    assert main(["run", *argv, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.count("\n") == 1
    return json.loads(out, parse_constant=pytest.fail)


def test_json_sums_up_the_library_s_own_runs(capsys):
    shown = run_json(
        capsys,
        "quarter",
        "--resolution",
        "60",
        "--mutation",
        "local",
        "--runs",
        "40",
        "--seed",
        "3",
        "--all",
    )
    runs = OnePlusOneNA(neurons=1, resolution=60, mutation="local").run_many(
        problem("quarter"), runs=40, seed=3
    )
    assert shown.keys() >= KEYS
    assert shown["evaluations"] == runs.evaluations.tolist()
    assert shown["numbers"] == [*range(40)]
    assert shown["runs"] == 40
    assert shown["success_share"] == runs.success.mean()
    assert shown["success_interval"] == list(wilson_interval(int(runs.success.sum()), 40))
    assert shown["mean_evaluations"] == pytest.approx(runs.evaluations.mean())
    assert shown["mean_interval"] == list(bootstrap_interval(runs.evaluations))
    assert shown["sd_evaluations"] == pytest.approx(runs.evaluations.std(ddof=1))
    assert shown["median_evaluations"] == np.median(runs.evaluations)
    assert shown["mean_fitness"] == pytest.approx(runs.fitness.mean())
    assert sum(shown["stop_reasons"].values()) == 40
    assert shown["settings"]["seed"] == 3
    assert shown["settings"]["mutation"] == "local"


def test_evaluations_only_with_all(capsys):
    assert "evaluations" not in run_json(capsys, "half", "--runs", "3", "--resolution", "12")


def test_one_run_has_no_interval(capsys):
    shown = run_json(capsys, "half", "--runs", "1", "--resolution", "12")
    assert shown["mean_interval"] == [None, None]
    assert shown["sd_evaluations"] is None
    assert main(["run", "half", "--runs", "1", "--resolution", "12"]) == 0


def test_table_names_setting_success_and_uncertainty(capsys):
    assert main(["run", "two_quarters", "--resolution", "24", "--runs", "20", "--seed", "7"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for words in (
        "two_quarters", "D = 2", "2 neurons", "harmonic", "20 runs", "seed 7", "95 % interval",
        "success: every component", "evaluations, mean", "evaluations, median", "fitness, best",
        "stopped: optimum",
    ):  # fmt: skip
        assert words in out


def test_every_number_of_the_table_is_that_of_the_runs(capsys):
    """The table is made a second time, from the list of all runs."""
    argv = ["run", "local_opt", "--mutation", "local", "--resolution", "24", "--runs", "40"]
    assert main(argv) == 0
    shown = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    runs = OnePlusOneNA(resolution=24, mutation="local").run_many(problem("local_opt"), 40, seed=0)
    spent, solved = runs.evaluations, int(runs.success.sum())
    assert 0 < solved < 40
    times = expected_running_time(spent, runs.success)

    def ends(pair, write=number):
        return f"{write(pair[0])} … {write(pair[1])}"

    def share(value):
        return f"{value:.6f}"

    shares, medians = wilson_interval(solved, 40), bootstrap_interval(spent, "median")
    fitness, limit = runs.fitness, f"40 runs, {40 - solved} at the limit"
    expected = [
        f"success share {percent(solved / 40)} {ends(shares, percent)} {solved} of 40 runs",
        f"evaluations, mean {number(spent.mean())} {ends(bootstrap_interval(spent))} {limit}",
        f"evaluations, sd {number(spent.std(ddof=1))} 40 runs",
        f"evaluations, median {number(np.median(spent))} {ends(medians)} 40 runs",
        f"evaluations per success {number(times.value)} {ends(times[1:3])} {solved} successes",
        f"fitness, best {share(fitness.max())} 40 runs",
        f"fitness, mean {share(fitness.mean())} {ends(bootstrap_interval(fitness), share)} 40 runs",
    ]
    for reason, count in runs.stop_counts.items():
        interval = ends(wilson_interval(count, 40), percent)
        expected.append(f"stopped: {reason} {percent(count / 40)} {interval} {count} of 40 runs")
    assert [line for line in shown if line in expected] == expected


def test_runs_that_are_stuck_before_the_budget_are_not_at_the_limit(capsys):
    """With `stagnation` they count as the evaluations of that, which are far fewer."""
    argv = ["run", "local_opt", "--mutation", "local", "--resolution", "24", "--runs", "40"]
    never = ["--stagnation", "10000000"]
    for more, told in (([], True), (["--stagnation", "400"], False), (never, True)):
        assert main([*argv, *more]) == 0
        shown = capsys.readouterr().out
        assert "stopped: stuck" in shown
        assert ("at the limit" in shown) == told
