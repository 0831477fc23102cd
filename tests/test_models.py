"""Tables with text, gaps and dates: fitted in one call, kept as JSON, used by the commands."""

import csv
import json
import math
import re

import numpy as np
import pytest
from commands import refusal
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from hyperna import (
    NAClassifier,
    compare,
    explain,
    export_code,
    load_model,
    save_model,
    table_pipeline,
)
from hyperna.cli import main
from hyperna.datasets import Dataset, Table, load, read_table
from hyperna.models import model_from_json, model_to_json, validate_path
from hyperna.tables import Encoding, table_encoder

QUICK = ("--evaluations", "500")


def customers(rows=120, seed=0):
    """Columns of all kinds, and whether the customer left: those from Rome, or without income."""
    rng = np.random.default_rng(seed)
    city = rng.choice(["Rome", "Oslo", "Bern"], rows)
    income = np.where(rng.random(rows) < 0.2, "", rng.integers(20, 90, rows).astype(str))
    days = rng.integers(0, 900, rows)
    joined = [str(np.datetime64("2021-01-01") + int(day)) for day in days]
    table = {
        "customer": [f"C{1000 + 7 * k}" for k in range(rows)],
        "city": city.tolist(),
        "income": income.tolist(),
        "joined": joined,
        "currency": ["EUR"] * rows,
    }
    left = (city == "Rome") | (income == "")
    return table, np.where(left, "left", "stayed")


def written(path, table, labels, mark=","):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=mark)
        writer.writerow([*table, "status"])
        writer.writerows(zip(*table.values(), labels, strict=True))
    return str(path)


@pytest.fixture(scope="module")
def fitted():
    table, labels = customers()
    classifier = NAClassifier(random_state=0)
    return table_pipeline(classifier).fit(table, labels)


def test_a_table_is_fitted_in_one_call(fitted):
    table, labels = customers()
    assert (fitted.predict(table) == labels).mean() > 0.95
    decisions = {each.column: each for each in Encoding.of(fitted).decisions()}
    assert [name for name, each in decisions.items() if each.kind == "left out"] == [
        "customer",
        "currency",
    ]
    assert decisions["income"].gaps == table["income"].count("")
    new, truth = customers(seed=1)
    assert (fitted.predict(new) == truth).mean() > 0.9
    assert fitted.predict_proba(new).shape == (120, 2)


def test_it_can_be_cross_validated_and_cloned():
    pandas = pytest.importorskip("pandas")
    table, labels = customers()
    frame = pandas.DataFrame(table)
    model = table_pipeline(LogisticRegression(max_iter=1000), ignore=["customer"])
    assert cross_val_score(clone(model), frame, labels, cv=3).mean() > 0.9
    searched = model.set_params(table__ignore=("customer", "city")).fit(frame, labels)
    assert "city = Rome" not in searched[:-1].get_feature_names_out()


def test_the_separator_of_a_file_tells_decimal_commas_in_all_ways_to_give_it():
    table = {"price": [f"{k},{k}50" for k in range(1, 10)] * 4}
    labels = [0, 1, 1] * 12
    small = NAClassifier(evaluations=100, random_state=0)
    for separator, form in ((";", ","), (",", "."), ("", ".")):
        model = table_pipeline(small, separator=separator).fit(table, labels)
        encoder = table_encoder(separator=separator).fit(table)
        for each in (model, encoder):
            assert Encoding.of(each).columns[0].form == form
    assert clone(table_pipeline(separator=";")).get_params()["table__separator"] == ";"


def test_the_file_gives_the_same_answers(fitted, tmp_path):
    table, _ = customers(seed=2)
    save_model(fitted, tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert again.predict(table).tolist() == fitted.predict(table).tolist()
    assert np.array_equal(again.predict_proba(table), fitted.predict_proba(table))
    assert model_to_json(again) == model_to_json(fitted)
    assert again[:-1].get_feature_names_out().tolist() == Encoding.of(fitted).names
    text = (tmp_path / "model.json").read_text(encoding="utf-8")
    assert {"column": "city", "kind": "category", "category": "Rome"} in (
        json.loads(text)["encoding"]["features"]
    )


def test_the_encoding_is_learnt_anew_without_each_fold(fitted):
    table, labels = customers()
    folds = [(np.arange(60), np.arange(60, 120)), (np.arange(60, 120), np.arange(60))]
    path = validate_path(fitted, table, labels, folds)
    assert fitted[-1].path_ is path
    for row in path:
        wrong = 0
        for train, test in folds:
            part, new = ({name: np.array(c)[k] for name, c in table.items()} for k in (train, test))
            model = clone(fitted).fit(part, labels[train])
            points = model[:-1].transform(new)
            wrong += (model[-1].at(terms=row.terms).predict(points) != labels[test]).sum()
        assert row.held_out_error == pytest.approx(wrong / 120)
    pandas = pytest.importorskip("pandas")
    assert repr(validate_path(fitted, pandas.DataFrame(table), labels, folds)) == repr(path)


def test_what_cannot_be_kept_as_json_is_refused():
    X, y = np.random.default_rng(0).normal(size=(30, 3)), [0, 1] * 15
    small = NAClassifier(evaluations=100, random_state=0)
    with pytest.raises(TypeError, match=r"cannot be stored as JSON.*pca0, pca1.*joblib"):
        model_to_json(make_pipeline(PCA(2), small).fit(X, y))
    with pytest.raises(TypeError, match="end with an NAClassifier"):
        model_to_json(LogisticRegression().fit(X, y))
    plain = clone(small).fit(X, y)
    assert model_from_json(model_to_json(plain)).list_ == plain.list_


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("version", 7, "version must be 1"),
        ("more", 1, "must have the keys"),
        ("encoding", {}, "an encoding must have the keys"),
        ("classifier", {}, "hyperna.classifier"),
        ("format", "other", "format"),
    ],
)
def test_other_files_are_refused(fitted, key, value, words):
    data = {**json.loads(model_to_json(fitted)), key: value}
    with pytest.raises(ValueError, match=words):
        model_from_json(json.dumps(data))


@given(st.data())
@settings(max_examples=60)
def test_changed_files_are_read_or_refused(fitted, data):
    """Any value of the encoding replaced by another one."""
    model = json.loads(model_to_json(fitted))
    place, key = model, "encoding"
    for _ in range(data.draw(st.integers(0, 4))):
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner:
            break
        place = inner
        keys = [*inner] if isinstance(inner, dict) else [*range(len(inner))]
        key = data.draw(st.sampled_from(keys))
    values = [None, 1, -1.5, "", "x", "date", [], {}, True, "2024-01-01", 10**400, "income"]
    place[key] = data.draw(st.sampled_from(values))
    try:
        again = model_from_json(json.dumps(model))
    except ValueError:
        return
    table, _ = customers(10)
    answers = again.predict({name: table.get(name, ["1"] * 10) for name in [*table, "x", ""]})
    assert len(answers) == 10


def test_a_command_line_from_table_to_answers(tmp_path, capsys):
    table, labels = customers()
    file, model = written(tmp_path / "customers.csv", table, labels), str(tmp_path / "model.json")
    assert main(["fit", file, "--save", model]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "customers: 120 rows, 5 columns, classes left, stayed" in out
    for line in ("customer  left out", "a different text in every row", "always EUR"):
        assert line in out
    assert "gaps count as" in out
    new, truth = customers(40, seed=3)
    del new["currency"], new["customer"]
    answers = str(tmp_path / "answers.csv")
    assert main(["predict", model, written(tmp_path / "new.csv", new, truth), "-o", answers]) == 0
    with open(answers, newline="", encoding="utf-8") as read:
        rows = list(csv.DictReader(read))
    expected = load_model(model).predict(new)
    assert [row["prediction"] for row in rows] == expected.tolist()
    assert [row["city"] for row in rows] == new["city"]


def test_the_report_as_json(tmp_path, capsys):
    table, labels = customers()
    file = written(tmp_path / "customers.csv", table, labels)
    assert main(["fit", file, *QUICK, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    columns = {each["column"]: each for each in shown["columns"]}
    assert [*columns] == [*table]
    assert columns["income"]["gaps"] == table["income"].count("")
    assert columns["currency"] == {
        "column": "currency",
        "kind": "left out",
        "done": "always EUR",
        "gaps": 0,
    }


def test_kinds_and_ignored_columns_of_the_command(tmp_path, capsys):
    table, labels = customers()
    table = {"zip": [1000 + k % 3 for k in range(120)], **table}
    file = written(tmp_path / "customers.csv", table, labels)
    options = ["--kind", "zip=category", "--kind", "joined=category", "--ignore", "city"]
    assert main(["fit", file, *QUICK, *options, "--json"]) == 0
    columns = {each["column"]: each for each in json.loads(capsys.readouterr().out)["columns"]}
    assert columns["zip"]["done"] == "one of 1000, 1001, 1002"
    assert columns["city"]["done"] == "as asked"
    assert columns["joined"]["kind"] == "category"
    message = refusal(
        capsys, "fit", file, "--kind", "zp=date", "--ignore", "town,land", "--label", "state"
    )
    for word in ("'zp'; did you mean 'zip'?", "'town', 'land'", "'state'; did you mean 'status'?"):
        assert word in message
    assert "COLUMN=KIND" in refusal(capsys, "fit", file, "--kind", "zip")
    assert "date:%d/%m/%Y" in refusal(capsys, "fit", file, "--kind", "zip=word")


def test_semicolons_and_decimal_commas(tmp_path, capsys):
    rng = np.random.default_rng(0)
    price = rng.normal(10, 3, 60).round(2)
    table = {"preis": [f"{p:.2f}".replace(".", ",") for p in price], "stadt": ["Köln", "Ulm"] * 30}
    file = written(tmp_path / "a.csv", table, np.where(price > 10, "ja", "nein"), ";")
    model = str(tmp_path / "model.json")
    assert main(["fit", file, *QUICK, "--save", model]) == 0
    assert "decimal comma" in capsys.readouterr().out
    assert main(["predict", model, file, "--label", "status"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "preis;stadt;status;prediction"
    assert "accuracy: 60 of 60" in err


@pytest.mark.parametrize(
    ("kind", "unit", "far"), [(None, 1.0, 1000.0), ("price=number:.", 1000.0, 1.0)]
)
def test_numbers_that_fit_both_decimal_marks_are_read_alike_everywhere(
    kind, unit, far, tmp_path, capsys
):
    """Decimal commas with three digits and thousands with points, between semicolons."""
    rng = np.random.default_rng(0)
    price, sold = rng.integers(1000, 9000, (2, 80))
    texts = {
        "price": [f"{p // 1000},{p % 1000:03}" for p in price.tolist()],
        "sold": [f"{s // 1000}.{s % 1000:03}" for s in sold.tolist()],
    }
    labels = np.where((price > 4000) & (sold < 6000), "in", "out")
    file = written(tmp_path / "a.csv", texts, labels, ";")
    model = str(tmp_path / "model.json")
    given = [] if kind is None else ["--kind", kind]
    assert main(["fit", file, *QUICK, *given, "--save", model]) == 0
    told = capsys.readouterr().out
    assert ("read with decimal commas; commas between thousands would fit too" in told) == (
        not kind
    )
    assert main(["predict", model, file, "--label", "status"]) == 0
    assert "accuracy: 80 of 80" in capsys.readouterr().err
    loaded = load_model(model)
    values = loaded[0].encoding.transform(texts)
    assert values[:, 0].tolist() == pytest.approx((price / 1000 * unit).tolist())
    assert values[:, 1].tolist() == pytest.approx((sold / 1000 * far).tolist())
    changes = [each.change for each in explain(loaded, texts) if each.change]
    assert {each.column for each in changes} == {"price", "sold"}
    for before in (each.before for each in changes if each.column == "price"):
        assert unit <= before <= 9 * unit
    names = {}
    exec(export_code(loaded, "python"), names)
    rows = [dict(zip(texts, row, strict=True)) for row in zip(*texts.values(), strict=True)]
    assert [names["predict"](row) for row in rows] == labels.tolist()
    capsys.readouterr()
    assert main(["export", model, "--to", "sql"]) == 0
    told = [f"hyperna export: WARNING: the model reads numbers such as {texts['price'][0]} in"]
    if not kind:
        told.append(
            f"hyperna export: WARNING: the model reads numbers such as {texts['sold'][0]} in"
        )
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(told)
    for line, begins in zip(lines, told, strict=True):
        assert line.startswith(begins)
        assert "but this code does not: it needs plain numbers there, such as" in line


def test_predict_says_what_it_cannot_read_and_what_is_missing(tmp_path, capsys):
    table, labels = customers()
    file, model = written(tmp_path / "a.csv", table, labels), str(tmp_path / "model.json")
    assert main(["fit", file, *QUICK, "--save", model]) == 0
    capsys.readouterr()
    table["income"] = ["much", *table["income"][1:]]
    assert main(["predict", model, written(tmp_path / "b.csv", table, labels)]) == 0
    told = "1 cell of column 'income' holds no number and counts as a gap, as 'much'"
    assert told in capsys.readouterr().err
    del table["income"], table["city"]
    message = refusal(capsys, "predict", model, written(tmp_path / "c.csv", table, labels))
    assert "the model needs columns 'city', 'income'" in message


def test_rows_without_a_label_are_left_out_and_told(tmp_path, capsys):
    table, labels = customers()
    labels = np.where(np.arange(120) < 7, "", labels)
    file = written(tmp_path / "a.csv", table, labels)
    assert read_table(file).X.shape == (113, 5)
    assert main(["fit", file, *QUICK]) == 0
    assert "113 rows, 5 columns, classes left, stayed; 7 rows without 'status'" in (
        capsys.readouterr().out
    )
    model = str(tmp_path / "model.json")
    assert main(["fit", file, *QUICK, "--save", model]) == 0
    fitted = re.search(r"training (accuracy: .* of 113 \(\S+\));", capsys.readouterr().out)[1]
    assert main(["predict", model, file, "--label", "status"]) == 0
    assert fitted in capsys.readouterr().err
    empty = written(tmp_path / "b.csv", table, [""] * 120)
    assert "the label column 'status' is empty" in refusal(capsys, "fit", empty)
    numbers = written(tmp_path / "c.csv", table, range(120))
    assert "120 different values in 120 rows" in refusal(capsys, "fit", numbers)


def test_signs_of_coefficients_are_given_by_names_of_features(tmp_path, capsys):
    """Customers without an income leave, so that this may not raise the chance of staying."""
    pytest.importorskip("pandas")
    table, labels = customers()
    argv = ["fit", written(tmp_path / "a.csv", table, labels), *QUICK, "--json"]
    rules = {}
    for sign in (0, 1, -1):
        assert main([*argv, "--monotonic", f"income is missing={sign}, city = Rome=0"]) == 0
        rule = json.loads(capsys.readouterr().out)["rule"]
        # without the note on what a gap counts as, which is no condition
        rules[sign] = rule.replace("where income is missing", "")
    assert "income is missing" in rules[0]
    assert "income is missing" in rules[-1]
    assert "income is missing" not in rules[1]
    assert main([*argv, "--monotonic", "income is missing=-1", "--path", "2"]) == 0
    capsys.readouterr()
    assert "did you mean 'income'?" in refusal(capsys, *argv, "--monotonic", "incom=1")


def test_tables_of_numbers_are_data_sets_as_before(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)).round(3)
    table = {f"x{k + 1}": column.tolist() for k, column in enumerate(X.T)}
    plain = load(written(tmp_path / "a.csv", table, X[:, 0] > 0))
    assert isinstance(plain, Dataset)
    assert np.array_equal(plain.X, X)
    table["x1"] = ["$3", *table["x1"][1:]]
    assert isinstance(load(written(tmp_path / "c.csv", table, X[:, 1] > 0)), Table)
    table["x2"] = [math.nan, *table["x2"][1:]]
    assert isinstance(load(written(tmp_path / "b.csv", table, X[:, 0] > 0)), Table)


@pytest.mark.parametrize("other", [[1.0, None], ["a", "b"], ["1,5", "2,5"], ["1_0", "2"], [3, 3]])
def test_only_tables_of_plain_numbers_are_data_sets(other):
    pandas = pytest.importorskip("pandas")
    plain = load((pandas.DataFrame({"a": [1.0, 2.5], "b": ["1", "2"]}), [0, 1]))
    assert isinstance(plain, Dataset)
    assert plain.X.tolist() == [[1.0, 1.0], [2.5, 2.0]]
    assert isinstance(load((pandas.DataFrame({"a": [1.0, 2.5], "b": other}), [0, 1])), Table)


def test_tables_are_compared_like_any_data():
    pandas = pytest.importorskip("pandas")
    table, labels = customers()
    frame = pandas.DataFrame(table)
    result = compare((frame, labels), ["logistic", "tree"], folds=3, repeats=1, rotate=True)
    assert result.averages()["logistic"] > 0.9
    model = table_pipeline(LogisticRegression(max_iter=1000))
    alone = cross_val_score(model, frame, labels, cv=3).mean()
    assert result.test_accuracies("logistic").mean() == pytest.approx(alone, abs=0.1)


LARGEST = float(np.finfo(float).max)


@pytest.mark.parametrize(
    ("table", "labels"),
    [
        ({"a": [1e308, *[LARGEST] * 4], "b": [0.0, 1.0, 1.0, 1.0, 1.0]}, [0, 1, 0, 1, 1]),
        (
            {
                "a": [0.0, LARGEST, 0.0],
                "b": ["u", "v", "w"],
                "c": ["x", "y", None],
                "d": ["1", "y", "1"],
            },
            [0, 1, 0],
        ),
    ],
)
def test_numbers_near_the_largest_are_fitted_without_a_warning(table, labels):
    model = table_pipeline(NAClassifier(max_neurons=1, evaluations=20, random_state=0))
    assert len(model.fit(table, labels).predict(table)) == len(labels)


def test_tables_that_do_not_fit_together():
    with pytest.raises(ValueError, match="2 columns"):
        Table([["a"]], ["x"], ["one", "two"])
    with pytest.raises(ValueError, match="y must have shape"):
        Table([["a"]], ["x", "y"], ["one"])
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="no column to learn from"):
        load((pandas.DataFrame({"a": ["x", "x"]}), [0, 1]))
