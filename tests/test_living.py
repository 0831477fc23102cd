"""What people see of a fitted rule: the notebook's box, pictures, `predict --explain`, `export`."""

import csv
import re

import numpy as np
import pandas as pd
import pytest
import sklearn
from exported import run_python, table_rows
from sklearn.base import clone

from hyperna import (
    NAClassifier,
    explain,
    export_code,
    export_text,
    load_model,
    save_model,
    table_pipeline,
)
from hyperna.cli import main


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "city": rng.choice(["Berlin", "Paris", "<Rome>"], 300),
            "income": rng.normal(40, 12, 300).round(1),
        }
    )
    frame.loc[rng.random(300) < 0.15, "income"] = np.nan
    churned = (frame.city == "<Rome>") | (frame.income > 50)
    return frame, np.where(churned, "yes", "no")


@pytest.fixture(scope="module")
def model(table):
    return table_pipeline(NAClassifier(random_state=0, evaluations=200)).fit(*table)


@pytest.fixture
def files(table, model, tmp_path):
    save_model(model, tmp_path / "model.json")
    table[0].to_csv(tmp_path / "new.csv", index=False)
    return tmp_path


def test_the_box_shows_the_rule_and_scikit_learns_diagram(model):
    html = model._repr_html_()
    assert "city = &lt;Rome&gt;" in html
    assert "sk-top-container" in html
    classifier = model.steps[-1][1]
    assert f"accuracy in training {classifier.training_score_:.3f}" in html
    assert f"largest class {classifier.baseline_score_:.3f}" in html
    assert model._repr_mimebundle_()["text/html"].startswith("<div")


def test_the_box_shows_the_held_out_accuracy_once_there_is_one():
    X = np.random.default_rng(0).normal(size=(120, 2))
    clf = NAClassifier(random_state=0, evaluations=200).fit(X, X[:, 0] > 0)
    clf.validate_path(X, X[:, 0] > 0, 3)
    chosen = clf.path_.chosen
    told = f"held-out accuracy {1 - chosen.held_out_error:.3f} ± {chosen.standard_error:.3f}"
    assert told in clf._repr_html_()
    assert "held-out" not in NAClassifier.from_json(clf.to_json())._repr_html_()


def test_the_box_follows_scikit_learns_settings(model):
    assert "largest class" not in clone(model)._repr_html_()
    assert "largest class" not in NAClassifier()._repr_html_()
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert set(model._repr_mimebundle_()) == {"text/plain"}


def test_a_notebook_shows_explanations_as_text(table, model):
    explanations = explain(model, table[0])
    assert repr(explanations[3]) == explanations[3].text
    assert repr(explanations[3:5]) == f"{explanations[3].text}\n\n{explanations[4].text}"
    assert explanations[3:5].changes_to_frame().row.unique().tolist() == [3, 4]


def test_gaps_of_several_columns_are_told_together():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 12))
    frame = pd.DataFrame(X, columns=[f"quantity {k}" for k in range(12)])
    gaps = rng.random(X.shape) < 0.1
    y = np.where(gaps, 0.0, X).sum(axis=1) > 0
    model = table_pipeline(NAClassifier(evaluations=0, random_state=0)).fit(frame.mask(gaps), y)
    rule, _, notes = export_text(model).partition("otherwise False\n")
    told = re.findall(r"(quantity \d+)\s+counts as (-?[\d.]+\d)", notes)
    medians = frame.mask(gaps).median()
    used = [name for name in frame.columns if re.search(rf"\b{name}\b(?! is missing)", rule)]
    assert len(used) > 3
    assert {name: float(value) for name, value in told} == {
        name: pytest.approx(medians[name], rel=1e-5) for name in used
    }
    assert max(map(len, notes.splitlines())) < 100


def test_a_picture_has_a_bar_for_each_condition(table, model):
    pytest.importorskip("matplotlib")
    import matplotlib.pyplot as plt

    from hyperna.plots import plot_explanation

    explanation = explain(model, table[0])[0]
    ax = plot_explanation(explanation)
    states = explanation.rules[0].conditions
    assert [bar.get_width() for bar in ax.patches] == [state.distance for state in states]
    assert repr(explanation.answer) in ax.get_title(loc="left")
    with pytest.raises(TypeError, match="explanation must be"):
        plot_explanation(explain(model, table[0]))
    plt.close("all")


def test_predict_explains_as_text(table, files, capsys):
    assert main(["predict", f"{files}/model.json", f"{files}/new.csv", "--explain"]) == 0
    printed = capsys.readouterr().out
    assert printed == f"{explain(load_model(files / 'model.json'), table[0])}\n"


def test_predict_explains_one_row_and_draws_it(table, files, capsys):
    pytest.importorskip("matplotlib")
    words = ["predict", f"{files}/model.json", f"{files}/new.csv", "--explain", "--row", "7"]
    assert main([*words, "--plot", f"{files}/row.png"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(explain(load_model(files / "model.json"), table[0])[6].text)
    assert (files / "row.png").stat().st_size > 1000


def test_predict_explains_in_a_file(table, model, files):
    out = files / "answers.csv"
    words = ["predict", f"{files}/model.json", f"{files}/new.csv", "--explain", "-o", str(out)]
    assert main(words) == 0
    with out.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    explained = explain(model, table[0])
    assert [row["prediction"] for row in rows] == [each.answer for each in explained]
    for row, each in zip(rows, explained, strict=True):
        change = each.change  # None where both conditions hold
        told = (row["prediction: change"], row["prediction: other"])
        assert told == (("", "") if change is None else (change.text, change.answer))


def test_predict_explains_a_model_of_numbers_with_its_names(tmp_path, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=90), "mass": rng.normal(size=90)})
    frame["kind"] = np.where(frame["size"] > 0, "big", "small")
    frame.to_csv(tmp_path / "data.csv", index=False)
    saved = f"{tmp_path}/model.json"
    assert main(["fit", f"{tmp_path}/data.csv", "--save", saved, "--evaluations", "100"]) == 0
    capsys.readouterr()
    words = ["predict", saved, f"{tmp_path}/data.csv", "--explain", "--row", "1"]
    assert main(words) == 0
    assert re.search(r"size [<>] \S+ +size = ", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--row", "1"], "--row needs --explain"),
        (["--explain", "--plot", "a.png"], "--plot needs --explain and --row"),
        (["--explain", "--row", "301"], "--row must be at most 300"),
        (["--explain", "--proba"], "needs -o"),
        (["--explain", "--row", "1", "-o", "out.csv"], "cannot be used together"),
    ],
)
def test_options_that_do_not_go_together(words, told, files, capsys):
    assert main(["predict", f"{files}/model.json", f"{files}/new.csv", *words]) == 2
    assert told in capsys.readouterr().err
    assert sorted(path.name for path in files.iterdir()) == ["model.json", "new.csv"]


def test_export_writes_what_gives_the_same_answers(table, model, files, capsys):
    out = files / "rule.py"
    assert main(["export", f"{files}/model.json", "--to", "python", "-o", str(out)]) == 0
    answers = run_python(out.read_text(encoding="utf-8"), table_rows(table[0]))
    assert answers == model.predict(table[0]).tolist()
    capsys.readouterr()
    assert main(["export", f"{files}/model.json", "--to", "sql", "--table", "people"]) == 0
    printed = capsys.readouterr().out
    assert printed.endswith("FROM people;\n")
    for line in export_text(model).splitlines():
        assert line in printed


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--to", "cobol"], "invalid choice"),
        ([], "--to"),
        (["--to", "python", "--table", "a"], "--table is for --to sql"),
        (["--to", "sql", "-o", "nowhere/rule.sql"], "nowhere"),
    ],
)
def test_export_refuses_what_it_cannot_do(words, told, files, capsys):
    assert main(["export", f"{files}/model.json", *words]) == 2
    assert told in capsys.readouterr().err


def write_table(path, columns):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def test_names_with_commas_are_told_apart(tmp_path, capsys):
    rng = np.random.default_rng(0)
    colour = rng.choice(["blue", "blue, grey", "red, blue"], 300)
    colour[:4] = [f"rare {k}" for k in range(4)]
    label = np.where(colour == "blue", "yes", "no, never")
    write_table(tmp_path / "t.csv", {"colour": colour, "b": rng.normal(size=300), "label": label})
    assert main(["fit", str(tmp_path / "t.csv")]) == 0
    told = capsys.readouterr().out
    assert "classes 'no, never', yes" in told
    assert "one of blue, 'blue, grey', 'red, blue', rare" in " ".join(told.split())


def test_a_column_of_one_value_and_rare_ones_names_it(tmp_path, capsys):
    rng = np.random.default_rng(0)
    status = ["full time"] * 300
    status[:3] = ["trainee", "guest", "owner"]
    x = rng.normal(size=300)
    write_table(tmp_path / "t.csv", {"status": status, "x": x, "label": x > 0})
    assert main(["fit", str(tmp_path / "t.csv")]) == 0
    assert "one of full time, rare" in capsys.readouterr().out


def test_gaps_of_exported_databases_are_gaps():
    model = table_pipeline(NAClassifier(random_state=0, evaluations=100))
    model.fit({"x": ["\\N", *map(str, range(40)), "\\N"]}, [0] * 21 + [1] * 21)
    assert "x is missing" in [str(name) for name in model[:-1].get_feature_names_out()]
    code = {}
    exec(export_code(model, "python"), code)
    assert code["predict"]({"x": "\\N"}) == code["predict"]({"x": None})


def test_an_explanation_says_what_gaps_in_a_sum_count_as():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"])
    y = X.a + X.b > 0.3
    X.loc[::7, "a"] = np.nan
    model = table_pipeline(NAClassifier(max_terms=2, max_neurons=1, random_state=0)).fit(X, y)
    median = f"{np.nanmedian(X.a):.6g}"
    missing, known = explain(model, X.iloc[:2])
    assert f"; a is missing and counts as {median}" in missing.text
    assert "counts as" not in known.text


def test_fit_names_all_classes_that_are_too_small_for_folds(tmp_path, capsys):
    label = ["a", "b", *["c"] * 40]
    write_table(tmp_path / "t.csv", {"x": np.random.default_rng(0).normal(size=42), "label": label})
    assert main(["fit", str(tmp_path / "t.csv"), "--path"]) == 2
    assert "'a', 'b' have one" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("correct", "word"), [(600, "no better"), (610, "hardly better"), (900, None)]
)
def test_fit_says_where_a_constant_answer_is_as_good(tmp_path, capsys, correct, word):
    # 600 of 1,000 rows are "no"; the rule x > 0.5 is right on so many of all rows
    wrong = (1000 - correct) // 2
    x = np.r_[np.zeros(600 - wrong), np.ones(wrong), np.ones(400 - wrong), np.zeros(wrong)]
    label = ["no"] * 600 + ["yes"] * 400
    write_table(tmp_path / "t.csv", {"x": x, "label": label})
    assert main(["fit", str(tmp_path / "t.csv")]) == 0
    told = capsys.readouterr().out
    assert ("better than always answering 'no'" in told) == (word is not None)
    if word is not None:
        assert f"this is {word} than" in told
