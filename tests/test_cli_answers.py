"""What fit, predict and compare say of tables and of numbers, against the library."""

import csv
import itertools
import json
import warnings

import numpy as np
import pytest
from commands import refusal
from sklearn.model_selection import StratifiedKFold

from hyperna import NAClassifier, compare, explain, load_model, save_model, table_pipeline
from hyperna.cli import fit, main
from hyperna.cli.fit import hardly_better
from hyperna.datasets import Table, load
from hyperna.models import classifier_of, validate_path
from hyperna.tables import Encoding

ROWS = 40
QUICK = ("--evaluations", "30", "--max-neurons", "1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of a table and of numbers, a model of each, and new rows without what neither needs."""
    folder = tmp_path_factory.mktemp("answers")
    rng = np.random.default_rng(2)
    size = rng.integers(10, 99, ROWS)
    plan = rng.choice(["basic", "free", "gold"], ROWS)
    noise = rng.random(ROWS) < 0.1
    kind = np.where((size > 50) ^ noise, "stay", "go")
    zone = rng.integers(1, 4, ROWS)
    gap = [str(k) if k % 9 else "" for k in size]
    code = [f"C{k:03}" for k in range(ROWS)]
    texts = {"code": code, "size": gap, "plan": plan, "zone": zone, "note": [*"xy"] * (ROWS // 2)}
    numbers = {"size": size, "zone": zone}
    for name, table in (("table", texts), ("numbers", numbers)):
        write(folder / f"{name}.csv", table | {"kind": kind})
        without = {key: cells for key, cells in table.items() if key not in ("code", "note")}
        write(folder / f"{name} new.csv", {"kind": kind, **dict(reversed(without.items()))})
        argv = ["fit", f"{folder}/{name}.csv", *given_of(name), *QUICK]
        assert main([*argv, "--save", f"{folder}/{name}.json"]) == 0
    return folder


def given_of(name):
    if name == "table":
        return ("--ignore", "note", "--kind", "zone=category")
    return ()


def library_of(name):
    if name == "table":
        return {"ignore": ["note"], "kinds": {"zone": "category"}}
    return {}


def write(path, table):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))


def fitted_by_hand(data, seed):
    classifier = NAClassifier(evaluations=30, max_neurons=1, random_state=seed)
    if isinstance(data, Table):
        options = {"kinds": data.kinds, "ignore": data.ignore, "names": data.features}
        return table_pipeline(classifier, **options).fit(data.X, data.y)
    return classifier.fit(data.X, data.y)


@pytest.mark.parametrize("name", ["table", "numbers"])
@pytest.mark.parametrize(("seed", "folds"), [(0, 5), (3, 2)])
def test_paths_are_validated_with_the_folds_of_the_seed(folder, capsys, name, seed, folds):
    data = load(f"{folder}/{name}.csv", "kind", **library_of(name))
    model = fitted_by_hand(data, seed)
    dealt = StratifiedKFold(folds, shuffle=True, random_state=seed)
    wanted = validate_path(model, data.X, data.y, dealt)
    number = [] if folds == 5 else [str(folds)]
    argv = ["fit", f"{folder}/{name}.csv", *given_of(name), *QUICK, "--seed", str(seed), "--json"]
    assert main([*argv, "--path", *number]) == 0
    told = json.loads(capsys.readouterr().out)
    for key in ("terms", "neurons", "errors", "chosen", "held_out_error", "standard_error"):
        assert [row[key] for row in told["path"]] == [getattr(row, key) for row in wanted]
    right = (model.predict(data.X) == data.y).sum()
    assert (told["correct"], told["points"]) == (right, ROWS)
    assert told["baseline_accuracy"] == max((data.y == "go").mean(), (data.y == "stay").mean())
    fewest = min((data.y == "go").sum(), (data.y == "stay").sum())
    assert "at most" in refusal(capsys, *argv, "--path", str(fewest + 1))


def test_as_many_folds_as_the_rarest_class_has_rows(tmp_path, capsys):
    write(tmp_path / "a.csv", {"x": [*range(12)], "y": [*"aaabbbbbbbbb"]})
    argv = ["fit", f"{tmp_path}/a.csv", "--kind", "x=number", *QUICK, "--json"]
    assert main([*argv, "--path", "3"]) == 0
    assert json.loads(capsys.readouterr().out)["path"][0]["held_out_error"] == 0.25
    assert "at most 3" in refusal(capsys, *argv, "--path", "4")


def test_the_most_frequent_class_is_that_of_the_rows_and_not_of_the_answers(tmp_path, capsys):
    write(tmp_path / "a.csv", {"x": [*range(30)], "y": ["no"] * 20 + ["yes", "no"] * 5})
    argv = ["fit", f"{tmp_path}/a.csv", "--kind", "x=number", "--shortness", "0"]
    assert main([*argv, "--class-weight", "no=1,yes=50", *QUICK, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["most_frequent"], told["baseline_accuracy"]) == ("no", 25 / 30)
    assert told["training_accuracy"] == told["correct"] / 30
    assert told["path"][0]["errors"] == 25  # the weight of those that "yes" is wrong for


@pytest.mark.parametrize(("correct", "better"), [(32, False), (36, False), (37, True), (28, False)])
def test_an_accuracy_is_better_if_it_is_more_than_a_standard_error_above(correct, better):
    """Of 64 rows, half of them of one class, the standard error is 4 rows."""
    assert hardly_better(correct, 64, 0.5) != better


@pytest.mark.parametrize("limit", [0, 1])
def test_rules_are_written_out_up_to_the_largest_number_of_terms(
    folder, capsys, limit, monkeypatch
):
    argv = ["fit", f"{folder}/numbers.csv", *given_of("numbers"), *QUICK, "--max-terms", "1"]
    monkeypatch.setattr(fit, "MOST_PRINTED_TERMS", limit)
    assert main([*argv, "--json"]) == 0
    path = json.loads(capsys.readouterr().out)["path"]
    assert [row["terms"] for row in path] == [0, 1]
    assert [row["rule"] is None for row in path] == [False, limit < 1]
    assert main(argv) == 0
    assert ("size >" in capsys.readouterr().out) == (limit >= 1)


OPTIONS = (("--proba",), ("--explain",), ("--label", "kind"), ("--column", "guess"))


@pytest.mark.parametrize("name", ["table", "numbers"])
@pytest.mark.parametrize("bits", range(2 ** len(OPTIONS)))
def test_predict_adds_what_is_asked_for_in_any_combination(folder, tmp_path, capsys, name, bits):
    chosen = [option for k, option in enumerate(OPTIONS) if bits >> k & 1]
    words = [*itertools.chain(*chosen)]
    data = load(f"{folder}/{name}.csv", "kind", **library_of(name))
    model = fitted_by_hand(data, 0)
    out = tmp_path / "answers.csv"
    new = f"{folder}/{name} new.csv"
    assert main(["predict", f"{folder}/{name}.json", new, *words, "-o", str(out)]) == 0
    told = capsys.readouterr().out
    with out.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    with open(new, encoding="utf-8", newline="") as file:
        given, *before = csv.reader(file)
    assert header[: len(given)] == given
    assert [row[: len(given)] for row in rows] == before
    places = range(len(given), len(header))
    added = {header[place]: [row[place] for row in rows] for place in places}
    column = "guess" if "guess" in words else "prediction"
    answers = model.predict(data.X)
    wanted = {column: answers.tolist()}
    if "--proba" in words:
        for kind, shares in zip(["go", "stay"], model.predict_proba(data.X).T, strict=True):
            wanted[f"{column}: {kind}"] = [f"{share:.6f}" for share in shares]
    if "--explain" in words:
        names = None if name == "table" else data.features
        X = data.X if name == "numbers" else dict(zip(data.features, data.X.T, strict=True))
        found = explain(model, X, feature_names=names)
        changes = [each.change for each in found]
        wanted[f"{column}: rule"] = [each.reached for each in found]
        wanted[f"{column}: why"] = [each.reason for each in found]
        wanted[f"{column}: other"] = [each.answer if each else "" for each in changes]
        wanted[f"{column}: change"] = [each.text if each else "" for each in changes]
    assert [*added] == [*wanted]
    assert added == wanted
    right = f"accuracy: {(answers == data.y).sum()} of {ROWS} ("
    assert (right in told) == ("--label" in words)


@pytest.mark.parametrize(
    "words", [("--proba",), ("--label", "kind"), ("--proba", "--label", "kind")]
)
def test_explanations_on_the_screen_have_nothing_beside_them(folder, capsys, words):
    argv = ["predict", f"{folder}/table.json", f"{folder}/table new.csv", "--explain", *words]
    assert "needs -o" in refusal(capsys, *argv)


@pytest.mark.parametrize("name", ["table", "numbers"])
def test_the_first_and_the_last_row_are_explained_by_their_numbers(folder, capsys, name):
    argv = ["predict", f"{folder}/{name}.json", f"{folder}/{name} new.csv", "--explain"]
    assert main(argv) == 0
    every = capsys.readouterr().out.rstrip("\n").split("\n\n")
    assert len(every) == ROWS
    for number in (1, 2, ROWS):
        assert main([*argv, "--row", str(number)]) == 0
        assert capsys.readouterr().out.rstrip("\n") == every[number - 1]
        assert every[number - 1].startswith(f"row {number}: ")
    assert f"at most {ROWS}" in refusal(capsys, *argv, "--row", str(ROWS + 1))


def test_cells_that_are_gaps_are_no_odd_cells(folder, tmp_path, capsys):
    table = {"size": ["", "NA", "?", "12", "many", "few", "few"], "zone": [1, "", 2, 9, 1, 1, "?"]}
    write(tmp_path / "new.csv", table | {"plan": ["gold", "", "new", "?", *["free"] * 3]})
    assert main(["predict", f"{folder}/table.json", f"{tmp_path}/new.csv"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1
    assert "3 cells of column 'size'" in told[0]


@pytest.mark.parametrize("rotate", [False, True])
def test_compare_takes_what_is_said_of_columns(folder, capsys, rotate):
    """The label before other columns, those to leave out, kinds, the turn and the seed."""
    argv = ["compare", f"{folder}/table new.csv", "--label", "kind", "--ignore", "size"]
    argv += ["--kind", "zone=category", "--classifiers", "tree,knn", "--folds", "3"]
    argv += ["--repeats", "2", "--seed", "7", "--json", *(["--rotate"] if rotate else [])]
    assert main(argv) == 0
    told = json.loads(capsys.readouterr().out)
    data = load(f"{folder}/table new.csv", "kind", ["size"], {"zone": "category"})
    same = compare(data, ["tree", "knn"], folds=3, repeats=2, seed=7, rotate=rotate)
    assert [each["left_out"] for each in told["data"]] == [["size"]] * (1 + rotate)
    for found, wanted in zip(told["summary"], same.summary(), strict=True):
        for key in ("dataset", "rotated", "classifier", "test_accuracy", "train_accuracy", "size"):
            assert found[key] == wanted[key]


def test_averages_are_told_of_two_sets(capsys):
    argv = ["compare", "moons", "xor", "--classifiers", "tree", "--folds", "2", "--repeats", "1"]
    assert main([*argv, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    mean = np.mean([row["test_accuracy"] for row in told["summary"]])
    assert told["averages"] == {"tree": pytest.approx(mean)}
    assert main(argv) == 0
    assert f"tree {mean:.3f}" in capsys.readouterr().out


def test_a_model_of_named_features_is_read_back_and_answers_without_a_warning(folder, tmp_path):
    pytest.importorskip("pandas")
    data = load(f"{folder}/table.csv", "kind", **library_of("table"))
    table = dict(zip(data.features, data.X.T, strict=True))
    model = table_pipeline(NAClassifier(evaluations=30, random_state=0), ignore=["note"])
    model.set_output(transform="pandas").fit(table, data.y)
    assert hasattr(classifier_of(model), "feature_names_in_")
    save_model(model, tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert again.predict(table).tolist() == model.predict(table).tolist()
    assert Encoding.of(again).names == Encoding.of(model).names
