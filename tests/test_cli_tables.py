"""What fit, compare and predict say about the columns of a table, and help about defaults."""

import re
from unittest.mock import patch

import pytest
from commands import refusal

from hyperna.classifier import NAClassifier
from hyperna.cli import build_parser, main
from hyperna.comparison import CLASSIFIERS

PEOPLE = "age,city,kind\n" + "".join(
    f"{20 + i},{'Bern' if i % 3 else 'Rome'},{'old' if i > 15 else 'young'}\n" for i in range(30)
)


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("command", ["fit", "compare"])
def test_columns_can_be_ignored(command, people, capsys):
    few = {"fit": ["--evaluations", "200"], "compare": ["--classifiers", "tree", "--folds", "2"]}
    assert main([command, people, "--ignore", "city", *few[command]]) == 0
    assert "city" in capsys.readouterr().out
    assert "ignore names a column" in refusal(capsys, command, "moons", "--ignore", "city")


def test_predict_says_what_the_table_lacks(people, tmp_path, capsys):
    model, other = str(tmp_path / "model.json"), tmp_path / "other.csv"
    assert main(["fit", people, "--ignore", "city", "--save", model]) == 0
    capsys.readouterr()
    other.write_text("ages,kind\n30,7\n", encoding="utf-8")
    told = refusal(capsys, "predict", model, str(other))
    assert f"the model needs column 'age', which {other} does not have" in told
    assert "did you mean 'ages'?" in told
    told = refusal(capsys, "predict", model, people, "--label", "city")
    assert "'city' holds none of the model's classes, old, young" in told


@pytest.mark.parametrize("name", ["x" * 300, "two\x01parts"])
def test_predict_finds_columns_whose_names_are_printed_otherwise(name, tmp_path, capsys):
    table, model = tmp_path / "table.csv", str(tmp_path / "model.json")
    rows = "".join(f"{7 * k % 30 / 4},{k % 4},{int(7 * k % 30 > 12)}\n" for k in range(60))
    table.write_text(f"{name},other,class\n{rows}", encoding="utf-8")
    assert main(["fit", str(table), "--save", model]) == 0
    assert "always" not in capsys.readouterr().out.splitlines()[2]
    assert main(["predict", model, str(table)]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith(name)


def test_compare_says_who_is_left_out_unless_classifiers_are_named(people, capsys):
    argv = ["compare", people, "--ignore", "city", "--folds", "2", "--repeats", "1"]
    quick = {name: CLASSIFIERS[name] for name in ("tree", "neat")}
    with patch.dict(CLASSIFIERS, quick, clear=True):
        assert main(argv) == 0
    assert "Not compared: neat (" in capsys.readouterr().out
    assert main([*argv, "--classifiers", "tree"]) == 0
    assert "Not compared" not in capsys.readouterr().out


def test_help_of_fit_names_the_defaults_of_the_classifier():
    parser = next(a for a in build_parser()._actions if a.dest == "command").choices["fit"]
    unusual = {"max_terms": "the description length decides", "n_jobs": "1", "random_state": "0"}
    for name, default in NAClassifier().get_params().items():
        for action in parser._actions:
            if action.dest == name and action.nargs != 0 and name != "monotonic_cst":
                told = re.search(r"\(default: (.*)\)", action.help)
                usual = unusual.get(name, "none" if default is None else str(default))
                assert told, action.help
                assert usual in told.groups(), action.help
