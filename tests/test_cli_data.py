"""The commands about data: dataset, compare, fit and predict; what they print, write and refuse."""

import csv
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from commands import refusal
from sklearn.model_selection import StratifiedKFold

from hyperna.classifier import NAClassifier, export_text
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.rules import Condition, Rule
from hyperna.cli import main
from hyperna.cli.fit import size_text
from hyperna.cli.predict import accuracy_line
from hyperna.comparison import CLASSIFIERS, GROUPS
from hyperna.datasets import DATASETS, SHIPPED, dataset, load
from hyperna.tables import Feature

FOLDER = Path(__file__).parent.parent / "datasets"
FRUIT = "id,weight,kind,length\n" + "".join(
    f"no. {i},{2 + i % 5 + 5 * (i % 2)}.5,{'plum' if i % 2 else 'fig'},{0.1 * i}\n"
    for i in range(20)
)


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def fruit(tmp_path):
    path = tmp_path / "fruit.csv"
    path.write_text(FRUIT, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "moons.json"
    assert main(["fit", "moons", "--save", str(path)]) == 0
    return str(path)


def test_dataset_to_a_file_and_to_standard_output(tmp_path, capsys):
    path = tmp_path / "moons.csv"
    assert main(["dataset", "moons", "-o", str(path)]) == 0
    assert capsys.readouterr() == (f"{path}: 300 points, 2 features, 2 classes\n", "")
    assert path.read_bytes() == (FOLDER / "moons.csv").read_bytes()
    assert main(["dataset", "moons"]) == 0
    assert capsys.readouterr().out.encode() == path.read_bytes()
    assert main(["dataset", "moons:n=10,seed=4"]) == 0
    assert capsys.readouterr().out == dataset("moons", n=10, seed=4).to_csv()
    assert list(tmp_path.iterdir()) == [path]


def test_dataset_list_names_generators_and_files(capsys):
    assert main(["dataset", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines if line.startswith("  ")]
    assert names == [*DATASETS, *(f"{name}.csv" for name in SHIPPED)]
    assert main(["dataset", "--list", "--json"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    for name in ("quarter_d5_rotated", "half_spaces_d2"):
        same = dataset(files[f"{name}.csv"]["made by"])
        assert same.to_csv() == dataset(name).to_csv()


def test_compare_json_is_the_library_s_comparison(capsys):
    argv = ["compare", "xor", "quarter:dim=3", "--classifiers", "logistic,knn", "--folds", "3"]
    assert main([*argv, "--repeats", "2", "--rotate", "--seed", "5", "--json", "--all"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    shown = json.loads(out, parse_constant=pytest.fail)
    from hyperna import compare

    expected = compare(
        ["xor", "quarter:dim=3"], ["logistic", "knn"], folds=3, repeats=2, rotate=True, seed=5
    )
    assert [(info["name"], info["rotated"]) for info in shown["data"]] == [
        (info.name, info.rotated) for info in expected.data
    ]
    for mine, theirs in zip(shown["fits"], expected.records(), strict=True):
        assert {**mine, "fit_seconds": 0} == {**theirs, "fit_seconds": 0}
    assert shown["averages"] == expected.averages()
    assert shown["differences"] == expected.differences()
    assert shown["settings"]["folds"] == 3
    assert main([*argv, "--json"]) == 0
    assert "fits" not in json.loads(capsys.readouterr().out)


def test_compare_tables_and_picture(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "fruit.png"
    numbers = tmp_path / "numbers.csv"
    lines = [line.split(",")[1:] for line in FRUIT.splitlines()]
    numbers.write_text("\n".join(map(",".join, lines)), encoding="utf-8")
    argv = ["compare", str(numbers), "--label", "kind", "--folds", "4"]
    argv += ["--classifiers", "tree,knn", "--plot", str(picture)]
    assert main(argv) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "numbers: 20 points, 2 features, 2 classes, largest class 50.0 %" in out
    assert f"picture: {picture}" in out
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert main([*argv[:-2], "--markdown"]) == 0
    found = re.search(r"\| tree \| \S+ ± \S+ \| 1\.000 ± 0\.000 \|", capsys.readouterr().out)
    assert found


def test_compare_list_names_everybody(capsys):
    assert main(["compare", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [*CLASSIFIERS, *GROUPS]


def test_fit_prints_accuracy_rule_and_path_and_saves_the_model(tmp_path, capsys):
    path = tmp_path / "model.json"
    assert main(["fit", str(FOLDER / "moons.csv"), "--seed", "3", "--save", str(path)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    data = load("moons")
    direct = NAClassifier(random_state=3).fit(data.X, data.y)
    right = int((direct.predict(data.X) == data.y).sum())
    told = f"training accuracy: {right} of 300 ({right / 300:.4f}); always answering 0: 0.5000\n"
    assert told in out
    assert export_text(direct, data.features) in out
    assert repr(direct.path_) in out
    assert "held-out" not in out
    assert out.endswith(f"\nmodel: {path}\n")
    saved = NAClassifier.from_json(path.read_text(encoding="utf-8"))
    assert saved.list_ == direct.list_
    assert saved.feature_names_in_.tolist() == ["x1", "x2"]
    assert list(tmp_path.iterdir()) == [path]


def test_fit_validates_the_path(capsys, fruit):
    data = load("sklearn:iris")
    direct = NAClassifier(3, random_state=0).fit(data.X, data.y)
    # rows of files are often sorted, so the command shuffles them
    direct.validate_path(data.X, data.y, cv=StratifiedKFold(2, shuffle=True, random_state=0))
    argv = ["fit", "sklearn:iris", "--max-terms", "3", "--path", "2"]
    assert main(argv) == 0
    assert repr(direct.path_) in capsys.readouterr().out
    assert main([*argv, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["path"]
    for row, same in zip(rows, direct.path_, strict=True):
        assert row["held_out_error"] == same.held_out_error
        assert row["standard_error"] == same.standard_error
        assert row["terms"] == same.terms
    told = refusal(capsys, "fit", fruit, "--label", "kind", "--ignore", "id", "--path", "11")
    assert "--path must be at most 10, the number of rows of class 'fig', got 11" in told


def test_fit_tells_all_that_is_wrong_with_the_columns_at_once(tmp_path, capsys):
    path = tmp_path / "people.csv"
    path.write_text("age,city,y\n1,Rome,a\n,Oslo,b\n3,Rome,a\n4,Oslo,b\n", encoding="utf-8")
    kinds = ("--kind", "age=nunber", "--kind", "cty=date", "--kind", "city=town")
    told = refusal(capsys, "fit", str(path), *kinds, "--ignore", "agee", "--label", "z")
    for words in (
        "label must name a column, got 'z'",
        "ignore must name a column, got 'agee'; did you mean 'age'?",
        "kinds must name a column, got 'cty'; did you mean 'city'?",
        "got 'nunber' for column 'age', 'town' for column 'city'; did you mean 'number'?",
    ):
        assert words in told
    with pytest.raises(ValueError, match=r"kinds must name a column.*; kinds must be number"):
        load(path, kinds={"age": "nunber", "cty": "date"})
    with pytest.raises(TypeError, match="kinds must map columns to kinds"):
        load(path, kinds=["age"])


def test_monotonic_suggests_features_of_a_table(tmp_path, capsys):
    path = tmp_path / "people.csv"
    path.write_text("age,city,y\n1,Rome,a\n,Oslo,b\n3,Rome,a\n4,Oslo,b\n", encoding="utf-8")
    told = refusal(capsys, "fit", str(path), "--monotonic", "age is mising=1,age=1,q=0")
    assert "got 'age is mising', 'q'; did you mean 'age is missing'?" in told


def test_the_size_of_a_rule_is_that_of_what_is_printed():
    def rule(*thresholds):
        some = tuple(Condition((0,), (1.0,), each, 1.0, (1.0,)) for each in thresholds)
        return Rule(some, len(some), 1.0, 0.0, 0.3)

    features = [Feature("city", "category", category="Rome")]
    every = DecisionList((rule(0.5), rule(0.5)), (0, 1, 2), 3)
    assert size_text(every, features) == "2 terms in 2 conditions"
    some = DecisionList((rule(0.5), rule(0.5, 1.5)), (0, 1, 2), 3)
    assert size_text(some, features) == (
        "1 term in 1 condition; 2 more terms in rules that decide no row and are not printed"
    )


def test_fit_says_when_no_rule_pays(tmp_path, capsys):
    rng = np.random.default_rng(0)
    path = tmp_path / "noise.csv"
    rows = [f"{x!r},{'yes' if y > 0.3 else 'no'}\n" for x, y in rng.normal(size=(99, 2)).tolist()]
    path.write_text("x,kind\n" + "".join(rows), encoding="utf-8")
    assert main(["fit", str(path)]) == 0
    out = capsys.readouterr().out
    assert "no rule found tells the classes in fewer bits than always answering 'no'" in out
    assert "\nalways class 'no'\n(0 terms in 0 conditions)\n" in out


def test_fit_passes_every_option_on(capsys, monkeypatch):
    seen = {}

    def stop(self, X, y):
        seen.update(self.get_params())
        raise ValueError("seen enough")

    monkeypatch.setattr(NAClassifier, "fit", stop)
    refusal(capsys, "fit", "moons")
    assert seen == {**NAClassifier().get_params(), "verbose": False, "random_state": 0}
    options = (
        ("--max-terms", "5", "max_terms", 5),
        ("--max-neurons", "3", "max_neurons", 3),
        ("--output", "at_least", "output", "at_least"),
        ("--shortness", "0.5", "shortness", 0.5),
        ("--evaluations", "77", "evaluations", 77),
        ("--monotonic", "x2=-1", "monotonic_cst", [0, -1]),
        ("--class-weight", "balanced", "class_weight", "balanced"),
        ("--class-weight", "0=1, 1=2.5", "class_weight", {0: 1.0, 1: 2.5}),
        ("--jobs", "2", "n_jobs", 2),
        ("--seed", "8", "random_state", 8),
    )
    for option, text, name, value in options:
        refusal(capsys, "fit", "moons", option, text)
        assert seen[name] == value
    refusal(capsys, "fit", "moons", "--verbose")
    assert seen["verbose"] is True


def test_fit_weighs_classes_by_their_names(tmp_path, capsys):
    path, data = tmp_path / "fruit.csv", load("moons")
    kinds = np.where(data.y == 1, "fig", "a=plum")
    rows = [f"{a!r},{b!r},{kind}\n" for (a, b), kind in zip(data.X.tolist(), kinds, strict=True)]
    path.write_text("x1,x2,kind\n" + "".join(rows), encoding="utf-8")
    argv = ["fit", str(path), "--max-neurons", "1"]
    printed = []
    for weight in ({}, {"a=plum": 9.0, "fig": 0.5}):
        text = ",".join(f"{name}={value}" for name, value in weight.items())
        assert main([*argv, "--json", *(("--class-weight", text) if text else ())]) == 0
        settings = {"class_weight": weight or None, "max_neurons": 1, "random_state": 0}
        direct = NAClassifier(**settings).fit(data.X, kinds)
        printed.append(json.loads(capsys.readouterr().out)["rule"])
        assert printed[-1] == export_text(direct, data.features)
    assert printed[0] != printed[1]
    for wrong, word in (("pear=1", "'pear'"), ("fig=much", "NUMBER"), ("even", "balanced")):
        assert word in refusal(capsys, *argv, "--class-weight", wrong)


def test_fit_as_json_without_a_file(capsys, fruit):
    argv = ["fit", fruit, "--label", "kind", "--ignore", "id,length", "--json"]
    assert main(argv) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["correct"], shown["points"], shown["training_accuracy"]) == (20, 20, 1.0)
    assert (shown["classes"], shown["most_frequent"]) == (["fig", "plum"], "fig")
    assert (shown["terms"], shown["neurons"], shown["output"]) == (1, 1, "or")
    assert shown["rule"] == "class 'plum' if\n  weight > 7\notherwise 'fig'"
    assert [row["terms"] for row in shown["path"]] == [0, 1]
    assert [row["chosen"] for row in shown["path"]] == [False, True]
    assert shown["path"][1]["rule"] == shown["rule"]
    assert shown["saved"] is None


def test_predict_repeats_the_training_accuracy(tmp_path, capsys, model):
    path = tmp_path / "answers.csv"
    argv = ["predict", model, str(FOLDER / "moons.csv"), "--label", "label"]
    assert main([*argv, "-o", str(path)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    data, classifier = load("moons"), NAClassifier.from_json(Path(model).read_text())
    right = round(classifier.training_score_ * 300)
    written = f"{path}: 300 rows, 1 new column\n"
    assert out == f"{written}accuracy: {right} of 300 ({right / 300:.4f})\n"
    rows = rows_of(path)
    assert list(rows[0]) == ["x1", "x2", "label", "prediction"]
    assert [int(row["label"]) for row in rows] == data.y.tolist()
    assert sum(row["label"] == row["prediction"] for row in rows) == right
    assert main(argv) == 0
    out, err = capsys.readouterr()
    assert out == path.read_text(encoding="utf-8")
    assert err.startswith("accuracy: ")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="needs /dev/stdout")
def test_a_class_with_the_name_of_a_gap_is_counted():
    answers, truth = ["NA", "EU", "EU", "NA"], ["NA", "EU", "NA", ""]
    line = "accuracy: 2 of 3 (0.6667); 1 row without 'region' is not counted"
    assert accuracy_line(answers, truth, ["EU", "NA"], "region") == line
    line = "accuracy: 1 of 1 (1.0000); 3 rows without 'region' are not counted"
    assert accuracy_line(answers, truth, ["EU", "US"], "region") == line


def test_predict_to_standard_output_leaves_the_accuracy_to_standard_error(capfd, model):
    """What is piped on is the table alone, however standard output is named."""
    argv = ["predict", model, str(FOLDER / "moons.csv"), "--label", "label"]
    assert main(argv) == 0
    usual = capfd.readouterr()
    assert main([*argv, "-o", "/dev/stdout"]) == 0
    named = capfd.readouterr()
    assert named.out == usual.out
    rows = list(csv.DictReader(named.out.splitlines()))
    assert len(rows) == 300
    for printed in (usual, named):
        right = sum(row["label"] == row["prediction"] for row in rows)
        assert f"accuracy: {right} of 300" in printed.err


def test_predict_finds_features_by_name_and_hands_the_rest_through(tmp_path, capsys, fruit):
    model, shuffled = tmp_path / "fruit.json", tmp_path / "new.csv"
    argv = ["fit", fruit, "--label", "kind", "--ignore", "id"]
    assert main([*argv, "--save", str(model)]) == 0
    lines = [line.split(",") for line in FRUIT.splitlines()]
    text = "\n".join(",".join(f'"{line[k]}"' for k in (3, 0, 1)) for line in lines)
    shuffled.write_text(text + "\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["predict", str(model), str(shuffled), "--column", "guess", "--proba"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert list(rows[0]) == ["length", "id", "weight", "guess", "guess: fig", "guess: plum"]
    assert [row["guess"] for row in rows] == [line[2] for line in lines[1:]]
    assert rows[3]["id"] == "no. 3"
    for row in rows:
        fig, plum = float(row["guess: fig"]), float(row["guess: plum"])
        assert fig + plum == pytest.approx(1, abs=2e-6)
        assert (plum > fig) == (row["guess"] == "plum")


def test_predict_with_a_model_of_the_library(tmp_path, capsys):
    X = np.random.default_rng(0).uniform(0, 1, (40, 2))
    y = np.where(X[:, 0] < 0.5, "a", "b")
    model, points = tmp_path / "model.json", tmp_path / "points.csv"
    model.write_text(NAClassifier(random_state=0).fit(X, y).to_json(), encoding="utf-8")
    points.write_text("p,q,kind\n0,1,a\n1,0,b\n", encoding="utf-8")
    assert main(["predict", str(model), str(points), "--label", "kind"]) == 0
    out, err = capsys.readouterr()
    assert out == "p,q,kind,prediction\n0,1,a,a\n1,0,b,b\n"
    assert err == "accuracy: 2 of 2 (1.0000)\n"
    assert "2 columns of features" in refusal(capsys, "predict", str(model), str(points))


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("dataset",), "NAME"),
        (("dataset", "moons", "--list"), "NAME"),
        (("dataset", "--all"), "-o FOLDER"),
        (("dataset", "--all", "-o", "no/such"), "create it"),
        (("dataset", "--list", "-o", "x.csv"), "--out"),
        (("dataset", "moons", "--json"), "--list"),
        (("dataset", "mons"), "moons"),
        (("dataset", "moons:n=-3"), "n must be"),
        (("dataset", "moons", "-o", "no/such/folder/moons.csv"), "does not exist"),
        (("compare",), "DATA"),
        (("compare", "moons", "--list"), "--list"),
        (("compare", "mons"), "mons"),
        (("compare", "missing.csv"), "missing.csv"),
        (("compare", "sklearn:mnist"), "breast_cancer"),
        (("compare", "moons", "--label", "kind"), "label"),
        (("compare", "moons", "--classifiers", "nn"), "'perceptron'"),
        (("compare", "moons", "--classifiers", ""), "classifiers"),
        (("compare", "moons", "--folds", "1"), "--folds"),
        (("compare", "moons", "--folds", "200"), "at most 150"),
        (("compare", "moons", "--repeats", "0"), "--repeats"),
        (("compare", "moons", "--seed", "-1"), "--seed"),
        (("compare", "moons", "--jobs", "0"), "--jobs"),
        (("compare", "moons", "--all"), "--json"),
        (("compare", "moons", "--json", "--markdown"), "together"),
        (("compare", "moons", "moons"), "different names"),
        (("compare", "moons", "--plot", "a.gif"), ".png"),
        (("fit",), "DATA"),
        (("fit", "mons"), "mons"),
        (("fit", "mons", "--plot", "a.gif"), ".png"),
        (("fit", "missing.csv", "--label", "y"), "missing.csv"),
        (("fit", "missing.csv", "--ignore", "y"), "missing.csv"),
        (("fit", "moons", "--save", "no/such/folder/m.json"), "does not exist"),
        (("fit", "moons", "--max-terms", "-1"), "--max-terms"),
        (("fit", "moons", "--max-terms", "many"), "--max-terms"),
        (("fit", "moons", "--max-neurons", "0"), "--max-neurons"),
        (("fit", "moons", "--output", "made up"), "--output"),
        (("fit", "moons", "--shortness", "-1"), "--shortness"),
        (("fit", "moons", "--evaluations", "-1"), "--evaluations"),
        (("fit", "moons", "--monotonic", "x3=1"), "--monotonic must name features, got 'x3'; the"),
        (("fit", "moons", "--monotonic", "x1=up"), "--monotonic"),
        (("fit", "moons", "--path", "1"), "--path"),
        (("fit", "moons", "--path", "151"), "at most 150"),
        (("fit", "moons", "--seed", str(2**32)), "--seed"),
        (("fit", "moons", "--json", "--verbose"), "together"),
        (("predict", "missing.json"), "DATA"),
        (("predict", "missing.json", "moons.csv"), "missing.json"),
    ],
)
def test_bad_input_is_one_line(capsys, argv, words):
    assert words in refusal(capsys, *argv)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x,y,class\n",
        "x,y,class\n1,2\n",
        "x,y,class\n1,2,0\n1,2,1\n",
        "x,x,class\n1,2,0\n2,3,1\n",
        "x,y,class\n1,2,0\n2,3,0\n",
        "x,y,class\n1,2,0.5\n2,3,1.5\n",
        "x,y,class\n1,2,\n2,3,1\n",
        "class\n0\n1\n",
    ],
)
def test_bad_files_write_nothing(capsys, tmp_path, text):
    path, model = tmp_path / "points.csv", tmp_path / "model.json"
    path.write_text(text, encoding="utf-8")
    model.write_text("old", encoding="utf-8")
    refusal(capsys, "fit", str(path), "--save", str(model))
    refusal(capsys, "compare", str(path))
    assert model.read_text(encoding="utf-8") == "old"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("text", ["", "{}", "[1, 2]", "model", '{"format": "hyperna.classifier"}'])
def test_bad_models(capsys, tmp_path, text):
    path, answers = tmp_path / "model.json", tmp_path / "answers.csv"
    path.write_text(text, encoding="utf-8")
    argv = ("predict", str(path), str(FOLDER / "moons.csv"), "-o", str(answers))
    assert "model.json must be a model saved by 'hyperna fit'" in refusal(capsys, *argv)
    assert not answers.exists()


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("x1,x3\n1,2\n", (), "'x2'"),
        ("x1,x2\n1,\n", (), "line 2, column 'x2'"),
        ("x1,x2\n1,inf\n", (), "line 2, column 'x2'"),
        ("x1,x2\n", (), "no points"),
        ("x1,x2,prediction\n1,2,3\n", (), "--column"),
        ("x1,x2\n1,2\n", ("--label", "y"), "label must name a column"),
        ("x1,x2\n1,2\n", ("--column", "x1"), "--column"),
    ],
)
def test_bad_data_for_a_model(capsys, tmp_path, model, text, options, words):
    path, answers = tmp_path / "new.csv", tmp_path / "answers.csv"
    path.write_text(text, encoding="utf-8")
    argv = ("predict", model, str(path), "-o", str(answers), *options)
    assert words in refusal(capsys, *argv)
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_file(tmp_path, capsys, full_disk, model):
    answers = tmp_path / "answers.csv"
    answers.write_text("old", encoding="utf-8")
    full_disk()
    argv = ("predict", model, str(FOLDER / "moons.csv"), "-o", str(answers))
    assert "answers.csv: No space left" in refusal(capsys, *argv)
    assert answers.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["answers.csv"]


def test_an_interrupted_fit_saves_nothing(tmp_path, capsys, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("hyperna.classifier.search.Search.run", interrupted)
    path = tmp_path / "model.json"
    assert main(["fit", "moons", "--save", str(path)]) == 130
    out, err = capsys.readouterr()
    assert (out, err) == ("", "hyperna: interrupted\n")
    assert not path.exists()
