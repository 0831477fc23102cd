"""Every option at both ends of its range and one beyond: Python, campaign file, command line."""

import json
import math
import tomllib

import pytest
from option_ranges import RANGES

from hyperna import OnePlusOneNA, problem
from hyperna.cli import main
from hyperna.experiments.campaign import Campaign
from hyperna.experiments.setting import setting
from hyperna.run.description import ALGORITHM_OPTIONS, OPTIONS, RUN_OPTIONS, default_budget

SMALL = {"problem": "quarter", "resolution": 12, "budget": 3}
CUBE = {"problem": "cube", "resolution": 12, "budget": 3}
# What is given beside an option, where it is not `SMALL`.
BESIDE = {
    "dim": CUBE,
    "k": {**SMALL, "problem": "arcs"},
    "points": {**SMALL, "dim": 3},
    "resolution": {**SMALL, "neurons": 1},
    "max_neurons": {**SMALL, "neurons": "evolved"},
    "term_cost": {**CUBE, "dim": 3, "move": "rotation"},
    "budget": {**SMALL, "target": 0.0},
}
WORDS = {"neurons": "evolved", "restarts": "auto"}
# Words of other options, spelt otherwise, or none.
WRONG_WORDS = ["Auto", "evolve", "auto ", "", "many"]


def words(options):
    found = [str(options["problem"])]
    for key, value in options.items():
        if key != "problem":
            text = "none" if value is False else repr(value) if value is not str(value) else value
            found.append(f"--{key.replace('_', '-')}={text}")
    return found


def toml(options):
    lines = [f"{key} = {json.dumps(value)}" for key, value in options.items()]
    return Campaign.from_dict(tomllib.loads("\n".join(lines)))


def in_python(options):
    """The task that Python's own classes make."""
    given = dict(options)
    names = ("problem", "dim", "k", "points", "online", "seed", "sampling")
    about = {key: given.pop(key) for key in names if key in given}
    made = problem(about["problem"], about.get("dim"), **{k: about[k] for k in about if k == "k"})
    limits = {key: given.pop(key) for key in RUN_OPTIONS if key in given}
    return OnePlusOneNA(**given).task(made, **limits)


def test_every_word_is_tried():
    assert {name for name, option in OPTIONS.items() if option.word} == WORDS.keys()


@pytest.mark.parametrize("name", RANGES)
def test_ends_are_taken_alike_and_what_is_beyond_is_refused_alike(name, capsys):
    allowed, refused = RANGES[name]
    others = BESIDE.get(name, SMALL)
    for value in allowed:
        options = {**others, name: value}
        made = setting(**options)
        assert [*toml(options).wanted] == [made]
        if name not in ("k", "seed"):
            left_out = not OPTIONS[name].written and value == OPTIONS[name].default
            assert made.options[name] == (None if left_out else value)
        if name in ALGORITHM_OPTIONS + RUN_OPTIONS and name != "neurons":
            task = in_python(options)
            if name == "budget":
                assert task.budget == value == made.budget
                assert task.goal.score == 0  # else the command below would not end
        if name == "online" and value > 1:
            continue  # a run would take minutes
        assert main(["run", *words(options), "--runs", "1", "--json"]) in (0, 1)
        told = json.loads(capsys.readouterr().out)
        if name in told["settings"] and value != OPTIONS[name].default:
            assert told["settings"][name] == value
    for value in refused:
        options = {**others, name: value}
        with pytest.raises(ValueError, match=name):
            setting(**options)
        with pytest.raises(ValueError, match=name):
            toml(options)
        if name in ALGORITHM_OPTIONS + RUN_OPTIONS:
            with pytest.raises(ValueError, match=name):
                in_python(options)
        assert main(["run", *words(options), "--runs", "1"]) == 2
        error = capsys.readouterr().err
        assert name in error.replace("-", "_")
    for value in ("x", [1], True, {}):
        if name != "target" or value is not False:
            with pytest.raises((ValueError, TypeError), match=name):
                setting(**{**others, name: value})


@pytest.mark.parametrize("name", WORDS)
def test_the_word_of_an_option_is_taken_everywhere_and_no_other(name, capsys):
    options = {**SMALL, name: WORDS[name]}
    made = setting(**options)
    assert made.options[name] == WORDS[name]
    assert [*toml(options).wanted] == [made]
    assert getattr(in_python(options), name, WORDS[name]) == WORDS[name]
    assert main(["run", *words(options), "--runs", "1", "--json"]) in (0, 1)
    assert json.loads(capsys.readouterr().out)["settings"][name] == WORDS[name]
    for other in (set(WORDS.values()) - {WORDS[name]}).union(WRONG_WORDS):
        with pytest.raises(ValueError, match=name):
            setting(**{**SMALL, name: other})
        with pytest.raises((ValueError, TypeError), match=name):
            in_python({**SMALL, name: other})
        try:
            code = main(["run", *words({**SMALL, name: other}), "--runs", "1"])
        except SystemExit as end:
            code = end.code
        assert code == 2
        assert name in capsys.readouterr().err
    # a word is for its own options only
    for plain in ("budget", "stagnation", "resolution"):
        with pytest.raises((ValueError, TypeError), match=plain):
            setting(**{**SMALL, plain: WORDS[name]})


@pytest.mark.parametrize("name", [n for n, o in OPTIONS.items() if o.choices])
def test_every_choice_is_taken_and_no_other(name):
    others = {**SMALL, **({"dim": 3} if name in ("move", "sampling") else {})}
    if name == "output":
        others["neurons"] = 2
    made = [setting(**{**others, name: choice}) for choice in OPTIONS[name].choices]
    assert len({one.digest for one in made}) == len(made)
    for choice in (OPTIONS[name].choices[0].upper(), "", "none", OPTIONS[name].choices[0] + " "):
        with pytest.raises((ValueError, TypeError), match=name):
            setting(**{**others, name: choice})
        if name in ALGORITHM_OPTIONS:
            with pytest.raises((ValueError, TypeError), match=name):
                in_python({**others, name: choice})


@pytest.mark.parametrize("name", [n for n, o in OPTIONS.items() if o.flag])
def test_flags_are_true_or_false(name):
    for value in (0, 1, "true", "yes", 1.0):
        with pytest.raises((ValueError, TypeError), match=name):
            OPTIONS[name].check(name, value)
    assert OPTIONS[name].check(name, value=True) is True
    assert OPTIONS[name].check(name, value=False) is False


def test_a_fitness_of_zero_is_not_the_lack_of_one_and_the_word_is_none(capsys):
    zero, none, usual = (setting(**SMALL, target=t) for t in (0.0, False, None))
    assert len({zero.digest, none.digest, usual.digest}) == 3
    assert zero.runner().run_block(1, 0, 3)[:, 0].tolist() == [1, 1, 1]
    assert none.runner().run_block(1, 0, 3)[:, 0].tolist() == [3, 3, 3]
    for text, wanted in (("none", 3), ("0", 1)):
        line = ["run", "quarter", "--budget=3", "--resolution=12", f"--target={text}"]
        assert main([*line, "--runs=2", "--json", "--all"]) in (0, 1)
        assert json.loads(capsys.readouterr().out)["evaluations"] == [wanted] * 2


@pytest.mark.parametrize("resolution", [2, 3, 12, 120, 2**40])
def test_the_usual_budget_is_the_paper_s_formula_rounded_down(resolution):
    budget = default_budget(resolution)
    assert budget <= 100 * resolution * math.log(resolution) < budget + 1
    made = setting(problem="quarter", resolution=resolution)
    assert (
        made.budget == budget == in_python({"problem": "quarter", "resolution": resolution}).budget
    )
