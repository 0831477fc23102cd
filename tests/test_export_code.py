"""Exported code gives the classifier's answers, in each language, on random and on border rows."""

import keyword
import re
from datetime import datetime
from functools import partial

import numpy as np
import pandas as pd
import pytest
from exported import NODE, border_values, run_javascript, run_python, run_sql, table_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from hyperna import (
    NAClassifier,
    explain,
    export_code,
    export_text,
    load_model,
    save_model,
    table_pipeline,
)
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.rules import Condition, Rule
from hyperna.tables import Column, Encoding, Feature, StoredEncoder, look_at

needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed")


def answers(model, rows, columns, folder, **options):
    """The answers of the code in each language that can be run here."""
    result = {
        "python": run_python(export_code(model, "python", **options), rows),
        "sql": run_sql(export_code(model, "sql", **options), rows, columns),
    }
    if NODE:
        code = export_code(model, "javascript", **options)
        result["javascript"] = run_javascript(code, rows, folder)
    return result


def classifier(rules, order=(1, 0), classes=("no", "yes"), dim=3):
    """A classifier with given rules, as if it had been fitted."""
    made = NAClassifier()
    made.classes_ = np.array(classes)
    made.n_features_in_ = dim
    made.list_ = DecisionList(tuple(rules), tuple(order), len(classes))
    made.training_score_ = made.baseline_score_ = 0.5
    return made


def encoded(features, rules, **options):
    kinds = {"month": "date", "weekday": "date", "hour": "date", "rare": "category"}
    columns = {
        each.column: kinds.get(each.kind, each.kind) for each in features if each.kind != "missing"
    }
    encoding = Encoding(
        tuple(Column(name, kind) for name, kind in columns.items()), tuple(features)
    )
    last = classifier(rules, dim=len(features), **options)
    return make_pipeline(StoredEncoder(encoding), last)


def condition(features, weights, threshold):
    return Condition(tuple(features), tuple(weights), threshold, 1.0, tuple(map(abs, weights)))


numbers = st.floats(-1e6, 1e6).map(lambda x: float(f"{x:.4g}"))


@st.composite
def conditions(draw, dim):
    features = draw(st.lists(st.integers(0, dim - 1), min_size=1, max_size=dim, unique=True))
    weights = [draw(st.sampled_from([1.0, -1.0]))]
    weights += [draw(numbers.filter(bool)) for _ in features[1:]]
    return condition(features, weights, draw(numbers))


@st.composite
def rules(draw, dim):
    some = draw(st.lists(conditions(dim), min_size=1, max_size=4))
    return Rule(tuple(some), draw(st.integers(0, len(some))), 1.0, 0.01, 0.5)


@given(st.lists(rules(3), min_size=1, max_size=3), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_python_and_sql_agree_with_any_list_of_rules_up_to_its_borders(some, seed):
    classes = [f"class {k}" for k in range(len(some) + 1)]
    order = np.random.default_rng(seed).permutation(len(classes)).tolist()
    clf = classifier(some, order, classes)
    X = np.random.default_rng(seed).normal(0, 10.0 ** np.arange(1, 4), (12, 3))
    rows = [X]
    for each in (condition for rule in some for condition in rule.conditions):
        for k in each.features:
            for values in border_values(each, X, k):
                moved = X.copy()
                moved[:, k] = values
                rows.append(moved)
    X = np.concatenate(rows)
    plain = [dict(zip(("x1", "x2", "x3"), row, strict=True)) for row in X.tolist()]
    truth = clf.predict(X).tolist()
    assert run_python(export_code(clf, "python"), plain) == truth
    assert run_sql(export_code(clf, "sql"), plain, ["x1", "x2", "x3"]) == truth


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("threshold", [-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5])
def test_categories_at_thresholds_that_they_meet(sign, threshold, tmp_path):
    """0 and 1 are all that such a feature can be; a sum equal to a threshold is not beyond it."""
    cells = [{"city": "Rome"}, {"city": "Oslo"}, {"city": None}]
    for feature in (
        Feature("city", "category", category="Rome"),
        Feature("city", "rare", named=("Rome", None)),
    ):
        rule = Rule((condition([0], [sign], threshold),), 1, 1.0, 0.01, 0.5)
        model = encoded([feature], [rule])
        value = feature.values(np.array([cell["city"] for cell in cells], dtype=object))
        wanted = ["yes" if sign * one > threshold else "no" for one in value]
        for language, found in answers(model, cells, ["city"], tmp_path).items():
            assert found == wanted, language


@pytest.fixture(scope="module")
def customers():
    rng = np.random.default_rng(0)
    n = 500
    frame = pd.DataFrame(
        {
            "city": rng.choice(["Rome", "O'Hara", 'a "b"', "Zürich"], n),
            "select": rng.normal(40, 12, n).round(1),
            "joined": pd.Timestamp("2021-01-01")
            + pd.to_timedelta(rng.integers(0, 1000, n), unit="D"),
            "seen at": pd.Timestamp("2023-01-01")
            + pd.to_timedelta(rng.integers(0, 10**7, n), unit="s"),
            "2 rooms?": rng.integers(0, 9, n),
        }
    )
    frame.loc[rng.random(n) < 0.2, "select"] = np.nan
    frame.loc[rng.random(n) < 0.1, "city"] = None
    frame.loc[rng.random(n) < 0.1, "joined"] = pd.NaT
    return frame


def labels(frame):
    late = frame["seen at"].dt.hour + frame["2 rooms?"] > 18
    left = frame.city.isna() | (frame["select"] > 50) | (frame.joined < "2021-06-01")
    return np.select([late, left & frame["select"].notna()], ["late", "left"], "stays")


def test_tables_with_text_gaps_and_dates(customers, tmp_path):
    model = table_pipeline(NAClassifier(random_state=0, shortness=0.2))
    model.fit(customers, labels(customers))
    assert model.steps[-1][1].n_terms_ > 3
    truth = model.predict(customers).tolist()
    rows = table_rows(customers)
    for language, given_answers in answers(model, rows, [*customers], tmp_path).items():
        assert given_answers == truth, language


def test_a_saved_model_gives_the_same_code(customers, tmp_path):
    model = table_pipeline(NAClassifier(random_state=0, evaluations=100))
    model.fit(customers, labels(customers))
    save_model(model, tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    for language in ("python", "sql", "javascript"):
        assert export_code(again, language) == export_code(model, language)


DATE = Feature("when", "date", fill="2024-02-29T12:30:00", origin="2024-01-01", step="second")
DAY = Feature("day", "date", fill="2024-02-29", origin="2024-01-01", step="day", gaps=True)
CITY = Feature("city", "category", category="Rome")
FILLED = Feature("city", "category", category="Rome", fill="Rome")
RARE = Feature("city", "rare", named=("Rome", None))
RARE_OR_GAP = Feature("city", "rare", named=("Rome", "Oslo"))
ALL_RARE = Feature("city", "rare", named=(None,))
GAP = Feature("day", "missing")
PARTS = [Feature("when", kind, fill="2024-02-29T12:30:00") for kind in ("month", "weekday", "hour")]
WHEN = [
    *("2024-01-31T17:59:59", "2024-01-31T18:00:00", "2024-01-31T18:00:01", "2023-12-31T23:59:59"),
    *("2024-02-29T12:30:00", "1969-12-31T23:59:59", "0099-03-01T00:00:00", None, "2024-07-07"),
    *("2024-01-31 18:00", "9999-12-31T23:59:59", "2024-01-31T20:00:00+02:00"),
]
DAYS = [
    *("2024-01-30", "2024-01-31", "2024-02-01", "1999-12-31", None, "2024-01-31T23:00:00"),
    "2024-12-30",
]
CITIES = ["Rome", "Oslo", "Bern", None, "rome", " Rome"]


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(
    ("feature", "thresholds"),
    [
        (DATE, [30.75, 30.0, 30.75 + 1e-9, 59.52083333333333, -1e9, 1e9, 0.0]),
        (DAY, [30.0, 30.5, 59.0, -1e9, 1e9]),
        *((part, [0.5, 1.0, 6.5, 12.0, 17.9, 100.0]) for part in PARTS),
        *((each, [0.5, 0.0, 1.0, -1.0, 2.0]) for each in (CITY, FILLED, RARE, RARE_OR_GAP, GAP)),
        (ALL_RARE, [0.5]),
    ],
)
def test_each_kind_of_feature_alone_and_in_a_sum(feature, thresholds, sign, tmp_path):
    cells = {"when": WHEN, "day": DAYS, "city": CITIES}[feature.column]
    column = feature.column
    for threshold in thresholds:
        alone = condition([0], [sign], sign * threshold)
        twice = condition([1, 0], [1.0, 2.5 * sign], 2.5 * sign * threshold)
        features = [feature, Feature("number", "number", fill=0.5)]
        if feature.kind == "missing":
            features.append(DAY)
        for some in ([alone], [twice], [alone, twice]):
            rule = Rule(tuple(some), 0 if len(some) > 1 else 1, 1.0, 0.0, 0.5)
            model = encoded(features, [rule])
            usable = [cell for cell in cells if cell != " Rome"]
            table = {column: usable, "number": [None, 1.0, -1.0, 0.0] * 3}
            table["number"] = table["number"][: len(usable)]
            if feature.kind == "missing":
                table["day"] = usable
            truth = model.predict(table).tolist()
            rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
            code = export_code(model, "python")
            assert run_python(code, rows) == truth, code
            code = export_code(model, "sql")
            assert run_sql(code, rows, [*table]) == truth, code
        if NODE and threshold == thresholds[0]:
            assert run_javascript(export_code(model, "javascript"), rows, tmp_path) == truth


@needs_node
def test_each_kind_of_feature_in_javascript(tmp_path):
    features = [DATE, *PARTS, DAY, GAP, CITY, RARE, RARE_OR_GAP]
    thresholds = [30.75, 2.0, 3.0, 17.0, 30.0, 0.5, 0.5, 0.5, 0.5]
    for sign in (1.0, -1.0):
        some = [condition([k], [sign], sign * each) for k, each in enumerate(thresholds)]
        some.append(condition(range(len(features)), [sign] + [0.37] * 8, sign * 7.1))
        for quorum in range(len(some) + 1):
            model = encoded(features, [Rule(tuple(some), quorum, 1.0, 0.0, 0.5)])
            rows = [
                {"when": when, "day": day, "city": city}
                for when, day, city in zip(WHEN, DAYS * 2, CITIES * 2, strict=False)
            ]
            table = {name: [row[name] for row in rows] for name in rows[0]}
            code = export_code(model, "javascript")
            assert run_javascript(code, rows, tmp_path) == model.predict(table).tolist()


def test_cells_as_a_csv_file_has_them(tmp_path):
    model = encoded(
        [Feature("a", "number", fill=7.0), CITY],
        [Rule((condition([0], [1.0], 5.0), condition([1], [1.0], 0.5)), 2, 1.0, 0.0, 0.5)],
    )
    table = {"a": ["6", " 4.5 ", "NA", "", "?", "7e0"], "city": [" Rome", "Rome ", *["Rome"] * 4]}
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    truth = model.predict(table).tolist()
    assert run_python(export_code(model, "python"), rows) == truth
    if NODE:
        assert run_javascript(export_code(model, "javascript"), rows, tmp_path) == truth


def test_a_gap_where_there_must_be_none_is_no_answer(tmp_path):
    clf = classifier([Rule((condition([0], [1.0], 5.0),), 1, 1.0, 0.0, 0.5)])
    for value in (None, float("nan"), "many"):
        with pytest.raises(ValueError, match=r"number is needed|could not convert"):
            run_python(export_code(clf, "python"), [{"x1": value}])
    assert run_sql(export_code(clf, "sql"), [{"x1": None}], ["x1"]) == [None]
    if NODE:
        with pytest.raises(AssertionError, match="a number is needed"):
            run_javascript(export_code(clf, "javascript"), [{"x1": "many"}], tmp_path)


@pytest.mark.parametrize("classes", [[0, 1], [False, True], [-1.5, 2.0], ["it's", 'a "\\b" \n']])
def test_classes_of_any_type(classes, tmp_path):
    clf = classifier([Rule((condition([0], [1.0], 5.0),), 1, 1.0, 0.0, 0.5)], classes=classes)
    rows = [{"x1": 4.0, "x2": 0.0, "x3": 0.0}, {"x1": 6.0, "x2": 0.0, "x3": 0.0}]
    for language, given_answers in answers(clf, rows, ["x1", "x2", "x3"], tmp_path).items():
        assert given_answers == classes, language


def test_constant_rules(tmp_path):
    never, always = Rule((), 1, 0.0, 0.0, 0.5), Rule((), 0, 0.0, 0.0, 0.5)
    real = Rule((condition([0], [1.0], 5.0),), 1, 1.0, 0.0, 0.5)
    rows = [{"x1": 4.0, "x2": 0.0, "x3": 0.0}, {"x1": 6.0, "x2": 0.0, "x3": 0.0}]
    for some in ([never], [always], [never, real], [real, always], [always, real]):
        classes = [f"class {k}" for k in range(len(some) + 1)]
        clf = classifier(some, range(len(classes)), classes)
        truth = clf.predict([[4.0, 0, 0], [6.0, 0, 0]]).tolist()
        for language, found in answers(clf, rows, ["x1", "x2", "x3"], tmp_path).items():
            assert found == truth, (language, some)


def test_own_pipelines_with_scikit_learns_parts(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"size": rng.normal(5, 2, 200), "kind": rng.choice(["a", "b", "c"], 200)})
    frame.loc[rng.random(200) < 0.2, "size"] = np.nan
    y = (frame["size"] > 5) ^ (frame.kind == "b")
    encode = make_column_transformer(
        (SimpleImputer(strategy="median", add_indicator=True), ["size"]),
        (OneHotEncoder(sparse_output=False), ["kind"]),
    )
    model = make_pipeline(encode, NAClassifier(random_state=0)).fit(frame, y)
    truth = model.predict(frame).tolist()
    for language, found in answers(model, table_rows(frame), [*frame], tmp_path).items():
        assert found == truth, language


def test_what_no_code_can_be_written_for():
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = make_pipeline(PCA(2), NAClassifier(random_state=0)).fit(X, X[:, 0] > 0)
    with pytest.raises(TypeError, match="only a transformer of the pipeline knows"):
        export_code(model, "python")
    clf = NAClassifier(random_state=0).fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match="language must be"):
        export_code(clf, "cobol")
    with pytest.raises(ValueError, match="table must be"):
        export_code(clf, "sql", table="")
    with pytest.raises(ValueError, match="feature_names must be 3 names"):
        export_code(clf, "sql", feature_names=["a"])
    with pytest.raises(TypeError, match="NAClassifier"):
        export_code(PCA(), "sql")
    with pytest.raises(ValueError, match="NUL"):
        export_code(clf, "sql", feature_names=["a\0", "b\0", "c\0"])


def test_scaled_features_are_no_columns_of_the_table():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["a", "b"])
    for steps in ([StandardScaler()], [StandardScaler(), SimpleImputer()]):
        model = make_pipeline(*steps, NAClassifier(random_state=0)).fit(frame, frame["a"] > 0)
        assert "standardscaler(a) > " in export_text(model)
        assert "standardscaler(a) = " in str(explain(model, frame))
        with pytest.raises(TypeError, match=r"standardscaler\(a\)"):
            export_code(model, "sql")
    plain = NAClassifier(random_state=0).fit(frame, frame["a"] > 0)
    assert "  a > " in export_text(plain)


def test_the_best_estimator_of_a_search_is_taken():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["a", "b"])
    y = frame["a"] > 0
    model = make_pipeline(SimpleImputer(), NAClassifier(random_state=0))
    options = {"naclassifier__max_terms": [1, 2]}
    search = GridSearchCV(model, options, cv=2)
    with pytest.raises(TypeError, match="must be fitted, with refit=True"):
        export_text(search)
    best = search.fit(frame, y).best_estimator_
    assert export_text(search) == export_text(best)
    assert export_code(search, "sql") == export_code(best, "sql")
    assert str(explain(search, frame)) == str(explain(best, frame))
    with pytest.raises(TypeError, match="must be fitted, with refit=True"):
        export_text(GridSearchCV(model, options, cv=2, refit=False).fit(frame, y))


@pytest.mark.parametrize("step", ["day", "second"])
@pytest.mark.parametrize("clock", ["", " %H:%M", " %H:%M:%S"])
@pytest.mark.parametrize(
    "day",
    [
        *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%y"),
        *("%m/%d/%y", "%Y%m%d"),
    ],
)
def test_dates_that_are_no_iso_texts(day, clock, step, tmp_path):
    form = day + clock
    date = Feature("on", "date", fill="1999-01-01", origin="2016-01-01", step=step)
    features = [date, Feature("on", "missing"), Feature("on", "month", fill="1999-01-01")]
    columns = (Column("on", "date", form),)
    moments = pd.date_range("2016-01-28 09:05:07", periods=60, freq="211h")
    texts = [f"{moment:{form}}" for moment in moments]
    if day != "%Y%m%d":  # numbers without a zero in front
        texts += [re.sub(r"(^|[./ -])0(\d)(?=[./:-])", r"\1\2", text) for text in texts]
    texts += [None, ""]
    rows = [{"on": text} for text in texts]
    table = {"on": texts}
    for given_condition in (
        condition([0], [1.0], 200.0),
        condition([0, 2], [1.0, -7.0], 150.0),
        condition([1], [1.0], 0.5),
    ):
        last = classifier([Rule((given_condition,), 1, 1.0, 0.0, 0.5)])
        model = make_pipeline(StoredEncoder(Encoding(columns, tuple(features))), last)
        truth = model.predict(table).tolist()
        assert len(set(truth)) == 2
        for language in ("python", "sql"):
            code = export_code(model, language)
            run = run_python if language == "python" else partial(run_sql, columns=["on"])
            assert run(code, rows) == truth, language
            assert "WARNING" not in code
            # a database has ISO dates
            iso = [{"on": f"{datetime.strptime(each, form)}"} for each in texts[:-2]]
            assert run(code, iso) == truth[:-2], language
        if NODE and step == "day":
            code = export_code(model, "javascript")
            assert run_javascript(code, rows, tmp_path) == truth


def test_years_of_two_digits_are_of_the_century_that_the_model_reads(tmp_path):
    date = Feature("on", "date", fill="1999-01-01", origin="2000-01-01", step="day")
    encoder = StoredEncoder(Encoding((Column("on", "date", "%d.%m.%y"),), (date,)))
    last = classifier([Rule((condition([0], [1.0], 0.0),), 1, 1.0, 0.0, 0.5)], dim=1)
    model = make_pipeline(encoder, last)
    rows = [{"on": f"1.7.{year:02}"} for year in range(100)]
    wanted = [
        "yes" if datetime.strptime(row["on"], "%d.%m.%y").year > 1999 else "no" for row in rows
    ]
    assert model.predict({"on": [row["on"] for row in rows]}).tolist() == wanted
    assert run_python(export_code(model, "python"), rows) == wanted
    assert run_sql(export_code(model, "sql"), rows, ["on"]) == wanted
    if NODE:
        assert run_javascript(export_code(model, "javascript"), rows, tmp_path) == wanted


def test_dates_with_names_of_months_are_not_read_in_sql(tmp_path):
    date = Feature("on", "date", fill="2016-01-01", origin="2016-01-01", step="day")
    encoder = StoredEncoder(Encoding((Column("on", "date", "%d %b %Y"),), (date,)))
    last = classifier([Rule((condition([0], [1.0], 200.0),), 1, 1.0, 0.0, 0.5)], dim=1)
    model = make_pipeline(encoder, last)
    rows = [{"on": "19 Aug 2016"}, {"on": "19 Jan 2016"}]
    assert run_python(export_code(model, "python"), rows) == ["yes", "no"]
    assert "WARNING: the model reads dates such as 31 Dec 2024" in export_code(model, "sql")
    if NODE:
        assert run_javascript(export_code(model, "javascript"), rows, tmp_path) == ["yes", "no"]


def test_several_dates_of_other_forms_have_a_column_each():
    """One has the name that the query would give to the ISO text of the other."""
    names = {"on": "%d.%m.%Y", "on as ISO text": "%m/%d/%Y"}
    dates = [
        Feature(name, "date", fill="2016-01-01", origin="2016-01-01", step="day") for name in names
    ]
    columns = tuple(Column(name, "date", form) for name, form in names.items())
    rule = Rule((condition([0], [1.0], 200.0), condition([1], [1.0], 200.0)), 2, 1.0, 0.0, 0.5)
    model = make_pipeline(StoredEncoder(Encoding(columns, tuple(dates))), classifier([rule], dim=2))
    days = [("19.8.2016", "8/19/2016"), ("19.8.2016", "1/19/2016"), ("19.1.2016", "8/19/2016")]
    rows = [dict(zip(names, pair, strict=True)) for pair in days]
    assert run_sql(export_code(model, "sql"), rows, [*names]) == ["yes", "no", "no"]
    assert run_python(export_code(model, "python"), rows) == ["yes", "no", "no"]


def model_of_numbers(column):
    """A model that asks whether the number in one column exceeds 2; a gap counts as 5."""
    encoder = StoredEncoder(Encoding((column,), (Feature(column.name, "number", fill=5.0),)))
    rule = Rule((condition([0], [1.0], 2.0),), 1, 1.0, 0.0, 0.5)
    return make_pipeline(encoder, classifier([rule], dim=1))


@pytest.mark.parametrize(
    "cells",
    [
        ["1,5", "2,5", "-3,25", "+4,0e0", "1.200,5", ""],
        ["$1,200", "$2", "$ 1.5", "2.5 %", "€0.125", "1,200.", "12,345,678.9", "?"],
        ["0,125", "1,125", "2,125", "1.500.000", " 3,5 "],
        ["1.500", "1,5", "2,5", "1.500.000", "NA"],
        ["1,200", "1", "3", "-1,234,567"],
        ["1.5", "2.5", "-3e0", "1,200.5", ".5", "7."],
    ],
)
def test_code_reads_numbers_as_they_are_written_in_training(cells, tmp_path):
    column = look_at("size", cells)
    assert (column.kind, column.odd) == ("number", 0)
    model = model_of_numbers(column)
    truth = model.predict({"size": cells}).tolist()
    assert truth == ["no" if value <= 2 else "yes" for value in column.read(cells)]
    rows = [{"size": cell} for cell in cells]
    assert run_python(export_code(model, "python"), rows) == truth
    if NODE:
        assert run_javascript(export_code(model, "javascript"), rows, tmp_path) == truth
    # a database has plain numbers
    plain = [{"size": None if value != value else value} for value in column.read(cells).tolist()]
    for language, found in answers(model, plain, ["size"], tmp_path).items():
        assert found == truth, language


@pytest.mark.parametrize(
    ("column", "written", "plain"),
    [
        (Column("size", "number", ","), "1,5", "1.5"),
        (Column("size", "number", ",", written_as="1.500"), "1.500", "1500"),
        (Column("size", "number", ".", written_as="$1,200"), "$1,200", "1200"),
        (Column("size", "number", ".", written_as="45 %"), "45 %", "45"),
    ],
)
def test_numbers_that_sql_cannot_read_are_told(column, written, plain):
    code = export_code(model_of_numbers(column), "sql")
    assert f"-- WARNING: the model reads numbers such as {written} in the column size,\n" in code
    assert f"it needs plain numbers there, such as {plain}.\n" in code
    for language in ("python", "javascript"):
        assert "WARNING" not in export_code(model_of_numbers(column), language)


@pytest.mark.parametrize("typed", ["", " REAL", " TEXT", " NUMERIC"])
def test_empty_texts_are_gaps_in_sql(typed):
    """An imported file has them; also in columns of numbers, which hold what is no number as text.

    Numbers must not lose digits where they are asked whether they are empty.
    """
    features = [
        Feature("size", "number", fill=5.0, gaps=True),
        Feature("size", "missing"),
        Feature("city", "category", category="Rome"),
        Feature("city", "missing"),
        Feature("city", "rare", named=("Rome", "Oslo", None)),
        Feature("town", "rare", named=("Rome", "Oslo")),
        Feature("home", "category", category="Rome", fill="Rome"),
    ]
    border = 0.1 + 0.2  # 0.30000000000000004, which 15 digits do not tell from 0.3
    beyond = float(np.nextafter(border, 1))
    sizes = (
        ["0.3", "7", None, "", "  "] if typed == " TEXT" else [0.3, border, beyond, None, "", " "]
    )
    cities = ["Rome", "Oslo", "Bern", None, "", " "]
    rows = [
        {"size": size, "city": city, "town": cities[k - 1], "home": cities[k - 2]}
        for size in sizes
        for k, city in enumerate(cities)
    ]
    table = {name: [row[name] for row in rows] for name in rows[0]}
    for k in range(len(features)):
        for sign in (1.0, -1.0):
            for terms in ([k], [(k + 3) % len(features), k]):
                weights = [sign, 0.25][: len(terms)]
                threshold = sign * (border if terms == [0] else 0.5)
                rule = Rule((condition(terms, weights, threshold),), 1, 1.0, 0.0, 0.5)
                model = encoded(features, [rule])
                truth = model.predict(table).tolist()
                code = export_code(model, "sql")
                assert run_sql(code, rows, [*table], typed) == truth, code
    clf = classifier([Rule((condition([0], [1.0], -1.0),), 1, 1.0, 0.0, 0.5)])
    rows = [{"x1": cell} for cell in ("", " ", None, 0.0)]
    assert run_sql(export_code(clf, "sql"), rows, ["x1"], typed) == [None, None, None, "yes"]


@pytest.mark.parametrize("typed", [" NUMERIC", " REAL", " INTEGER", " TEXT", ""])
@pytest.mark.parametrize("fill", [None, "2", "3"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_numbers_that_are_categories_have_any_type_in_sql(typed, fill, sign):
    """Whole numbers in columns of numbers, and their texts in others; alone and in a sum."""
    features = [
        Feature("grade", "category", category="2", fill=fill),
        Feature("grade", "rare", named=("1", "2", None) if fill == "2" else ("1", "2")),
    ]
    cells = [1, 2, 3, 4, None]
    if typed in ("", " TEXT"):
        cells = [cell if cell is None else str(cell) for cell in cells]
    rows = [{"grade": cell} for cell in cells]
    for weights in ({0: 1.0}, {1: 1.0}, {0: 1.0, 1: -0.5}):
        first, *others = weights.values()
        one = condition([*weights], [sign * first, *others], sign * 0.5)
        model = encoded(features, [Rule((one,), 1, 1.0, 0.01, 0.5)])
        wanted = model.predict({"grade": cells}).tolist()
        code = export_code(model, "sql")
        assert run_sql(code, rows, ["grade"], typed) == wanted
        assert run_python(export_code(model, "python"), rows) == wanted


def test_numbers_that_sqlite_misreads_are_written_so_that_it_does_not():
    rng = np.random.default_rng(0)
    sizes = rng.normal(0, 1, 300) * 10.0 ** rng.integers(-4, 6, 300)
    known = [-0.0210712, -3.928e-05]  # read as their neighbours by SQLite 3.40
    for threshold in [*known, *(float(f"{x:.15g}") for x in sizes)]:
        clf = classifier([Rule((condition([0], [1.0], threshold),), 1, 1.0, 0.0, 0.5)], dim=1)
        values = [threshold, float(np.nextafter(threshold, np.inf))]
        rows = [{"x1": value} for value in values]
        assert run_sql(export_code(clf, "sql"), rows, ["x1"]) == ["no", "yes"]


def test_the_name_of_the_table_is_quoted_where_needed():
    clf = classifier([Rule((condition([0], [1.0], 5.0),), 1, 1.0, 0.0, 0.5)])
    assert export_code(clf, "sql", table="shop.customers").endswith("FROM shop.customers;\n")
    assert export_code(clf, "sql", table="my table").endswith('FROM "my table";\n')


def named_model(columns):
    """A model whose code needs every helper, over six columns with these names."""
    size, city, day, when, note, score = columns
    dates = {"fill": "2024-02-29T12:30:00", "origin": "2024-01-01"}
    features = [
        Feature(size, "number", fill=0.5),
        Feature(size, "missing"),
        Feature(city, "category", category="Rome"),
        Feature(city, "rare", named=("Rome", None)),
        Feature(day, "date", step="day", **dates),
        Feature(day, "missing"),
        Feature(day, "month", **dates),
        Feature(when, "date", step="second", **dates),
        Feature(when, "weekday", **dates),
        Feature(when, "hour", **dates),
        Feature(note, "category", category="x"),
        Feature(note, "missing"),
        Feature(score, "number"),
    ]
    thresholds = [1.0, 0.5, 0.5, 0.5, 30.0, 0.5, 2.0, 30.75, 3.0, 17.0]
    alone = [condition([k], [1.0], each) for k, each in enumerate(thresholds)]
    alone += [condition([11], [-1.0], -0.5), condition([12], [1.0], 0.0)]
    together = condition([4, 7, 0, 1, 11, 12], [1.0, 0.5, 3.0, -20.0, 9.0, 2.0], 40.0)
    rules = [
        Rule((together, *alone[:3]), 2, 1.0, 0.0, 0.5),
        Rule(tuple(alone), 5, 1.0, 0.0, 0.5),
    ]
    return encoded(features, rules, order=(1, 2, 0), classes=("no", "yes", "perhaps"))


def named_rows(columns, seed=0, n=40):
    rng = np.random.default_rng(seed)
    cells = [
        [None, 0.0, 1.5, 4.0],
        [None, "Rome", "Oslo"],
        [None, "2023-12-31", "2024-01-31", "2024-03-01"],
        [None, "2024-01-31T18:00:00", "2024-02-03T17:30:00", "2024-02-04"],
        [None, "x", "y"],
        [-1.0, 0.0, 2.0],
    ]
    drawn = [[some[k] for k in rng.integers(0, len(some), n)] for some in cells]
    return [dict(zip(columns, row, strict=True)) for row in zip(*drawn, strict=True)]


def truth_and_rows(columns, seed=0):
    model = named_model(columns)
    rows = named_rows(columns, seed)
    table = {name: [row[name] for row in rows] for name in columns}
    return model, model.predict(table).tolist(), rows


PLAIN_COLUMNS = ("size", "city", "born", "seen", "note", "score")


def words_of(language):
    """All words that stand in the code of a model: its helpers are among them."""
    code = export_code(named_model(PLAIN_COLUMNS), language)
    return sorted(set(re.findall(r"[A-Za-z_]\w*", code)) - set(PLAIN_COLUMNS))


def placed(name, place):
    """The usual columns, but for one."""
    return (*PLAIN_COLUMNS[:place], name, *PLAIN_COLUMNS[place + 1 :])


def several_programs(codes):
    """One JavaScript program whose `predict` asks each of several ones about a row."""
    parts = [
        f"(() => {{ const module = {{}};\n{code}\nreturn module.exports.predict; }})()"
        for code in codes
    ]
    listed = ",\n".join(parts)
    return f"module.exports = {{ predict: (r) => [\n{listed}\n].map((f, k) => f(r[k])) }};"


@pytest.mark.parametrize("place", [0, 3, 5])
def test_columns_may_have_the_name_of_anything_in_the_python_code(place):
    for word in words_of("python"):
        model, truth, rows = truth_and_rows(placed(word, place))
        code = export_code(model, "python")
        assert run_python(code, rows) == truth, code


@needs_node
@pytest.mark.parametrize("place", [0, 3, 5])
def test_columns_may_have_the_name_of_anything_in_the_javascript_code(place, tmp_path):
    codes, truths, tables = [], [], []
    for word in words_of("javascript"):
        model, truth, rows = truth_and_rows(placed(word, place))
        codes.append(export_code(model, "javascript"))
        truths.append(truth)
        tables.append(rows)
    found = run_javascript(several_programs(codes), [*zip(*tables, strict=True)], tmp_path)
    assert [*zip(*found, strict=True)] == [*map(tuple, truths)]


WORDS = sorted({*words_of("python"), *words_of("javascript"), *keyword.kwlist, "await", "eval"})
BASES = st.sampled_from([*WORDS, *PLAIN_COLUMNS, "2", "", "é"])
ENDINGS = st.lists(st.sampled_from(["_is_missing", "_2", "?"]), max_size=3).map("".join)


@st.composite
def six_names(draw):
    """Names that are easily taken for each other, or for what the code defines."""
    bases = st.sampled_from(draw(st.lists(BASES, min_size=1, max_size=3)))
    marks = st.sampled_from("_ -")
    names = st.builds(
        lambda base, end, mark: (base + end).replace("_", mark), bases, ENDINGS, marks
    )
    return draw(st.lists(names.filter(bool), min_size=6, max_size=6, unique_by=str.lower))


@given(six_names(), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_column_names_that_look_like_each_other(columns, seed):
    model, truth, rows = truth_and_rows(columns, seed)
    assert run_python(export_code(model, "python"), rows) == truth
    assert run_sql(export_code(model, "sql"), rows, columns) == truth


@needs_node
@given(st.lists(six_names(), min_size=10, max_size=10), st.integers(0, 2**32 - 1))
@settings(max_examples=10, deadline=None)
def test_column_names_that_look_like_each_other_in_javascript(tmp_path_factory, tables, seed):
    made = [truth_and_rows(columns, seed) for columns in tables]
    codes = [export_code(model, "javascript") for model, _, _ in made]
    rows = [*zip(*(rows for _, _, rows in made), strict=True)]
    found = run_javascript(several_programs(codes), rows, tmp_path_factory.mktemp("names"))
    assert [*zip(*found, strict=True)] == [tuple(truth) for _, truth, _ in made]


def test_a_column_is_not_taken_for_whether_another_one_is_missing(tmp_path):
    features = [Feature("age", "number", fill=1.0), Feature("age", "missing")]
    features.append(Feature("age_is_missing", "number", fill=0.0))
    some = (condition([1], [1.0], 0.5), condition([2], [1.0], 0.5), condition([0], [1.0], 5.0))
    model = encoded(features, [Rule(some, 0, 1.0, 0.0, 0.5)])
    rows = [{"age": age, "age_is_missing": flag} for age in (None, 9.0) for flag in (0.0, 1.0)]
    for language, found in answers(model, rows, ["age", "age_is_missing"], tmp_path).items():
        assert found == ["yes", "no", "yes", "no"], language
