"""Encoded tables: features that mean what they say, whoever computes them."""

import itertools
import json
import math
import pickle
import re
import warnings
from datetime import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    StandardScaler,
)

from hyperna import NAClassifier, explain
from hyperna.tables import (
    DateParts,
    Encoding,
    Feature,
    StoredEncoder,
    look_at,
    plain_features,
    table_encoder,
)
from hyperna.tables.advice import about_text_and_gaps
from hyperna.tables.features import FEATURE_KINDS

NUMBERS = st.one_of(st.none(), st.integers(-5, 5), st.floats(-1e6, 1e6))
TEXTS = st.sampled_from([None, "", "a", "b", "c", "Rome", "New York", "x y", "ü"])
MOMENTS = st.one_of(
    st.none(),
    st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)),
    st.dates(datetime(1990, 1, 1).date(), datetime(2030, 1, 1).date()),
)


@st.composite
def tables(draw):
    rows = draw(st.integers(2, 30))
    kinds = draw(st.lists(st.sampled_from([NUMBERS, TEXTS, MOMENTS]), min_size=1, max_size=5))
    cells = [draw(st.lists(kind, min_size=rows, max_size=rows)) for kind in kinds]
    return {f"column {k}": column for k, column in enumerate(cells)}


def encoded(encoder, table):
    """The features of a table, None if it has no column to learn from."""
    useless = {look_at(name, cells).used for name, cells in table.items()} == {False}
    if not useless:
        return encoder.fit_transform(table)
    with pytest.raises(ValueError, match="no column to learn from"):
        encoder.fit(table)
    return None


@given(tables(), tables())
@settings(deadline=None)
def test_scikit_learn_and_the_description_compute_the_same(table, other):
    """The transformers, what is said about their features, and what is kept of that in JSON."""
    encoder = table_encoder()
    X = encoded(encoder, table)
    if X is None:
        return
    assert np.isfinite(X).all()
    encoding = Encoding.of(encoder)
    kept = Encoding.from_dict(json.loads(json.dumps(encoding.to_dict())))
    assert kept == encoding
    assert encoding.names == [" ".join(n.split()) for n in encoder.get_feature_names_out()]
    assert np.array_equal(encoding.transform(table), X)
    # Another table: cells of other kinds in the columns, unknown texts, gaps where none were.
    rows = len(next(iter(other.values())))
    new = {name: other.get(name, [None] * rows) for name in table}
    assert np.array_equal(kept.transform(new), encoder.transform(new))
    for feature, values in zip(encoding.features, X.T, strict=True):
        assert not feature.binary or set(values) <= {0.0, 1.0}


@given(tables())
@settings(deadline=None, max_examples=30)
def test_features_of_one_row_are_those_of_the_table(table):
    encoder = table_encoder()
    whole = encoded(encoder, table)
    if whole is None:
        return
    encoding = Encoding.of(encoder)
    for row, expected in enumerate(whole):
        one = {name: [cells[row]] for name, cells in table.items()}
        assert np.array_equal(encoding.transform(one)[0], expected)


def test_what_becomes_of_each_kind_of_column():
    table = {
        "age": [31, None, 47, 52],
        "city": ["Rome", "Oslo", None, "Rome"],
        "sex": ["f", "m", "m", "f"],
        "day": ["2024-03-01", "2024-12-24", "", "2024-12-25"],
        "unit": ["m"] * 4,
    }
    encoder = table_encoder()
    X = encoder.fit_transform(table)
    expected = {
        "age": [31, 47, 47, 52],
        "age is missing": [0, 1, 0, 0],
        "day": [60, 358, 358, 359],
        "month of day": [3, 12, 12, 12],
        "weekday of day": [5, 2, 2, 3],
        "day is missing": [0, 0, 1, 0],
        "city = Oslo": [0, 1, 0, 0],
        "city = Rome": [1, 0, 0, 1],
        "city is missing": [0, 0, 1, 0],
        "sex = m": [0, 1, 1, 0],
    }
    assert encoder.get_feature_names_out().tolist() == [*expected]
    assert X.T.tolist() == [*map(list, expected.values())]
    new = {"age": ["?"], "city": ["Bern"], "sex": ["d"], "day": ["2024-12-24T18:00"]}
    assert encoder.transform(new)[0].tolist() == [47, 1, 358, 12, 2, 0, 0, 0, 0, 0]
    notes = {feature.note for feature in Encoding.of(encoder).features} - {""}
    assert notes == {
        "where age is missing, it counts as 47",
        "where day is missing, it counts as 2024-12-24",
    }


def test_medians_of_the_largest_numbers_are_finite():
    X = table_encoder().fit_transform(
        {"a": [1.6e308, 1.7e308, None], "b": [-1.7e308, -1.6e308, ""], "c": [1e308, "", ""]}
    )
    assert X[2, :2] == pytest.approx([1.65e308, -1.65e308])
    assert X[:, 2].tolist() == [1e308] * 3


def test_rare_categories_share_a_feature():
    cities = ["Rome"] * 150 + ["Oslo"] * 149 + ["Bern", None]
    encoder = table_encoder().fit({"city": cities, "size": [*range(150)] * 2 + [1]})
    encoding = Encoding.of(encoder)
    assert encoding.names == ["size", "city = Oslo", "city = Rome", "city is rare"]
    assert encoding.features[-1].note == "city is rare: none of Oslo, Rome"
    new = {"city": ["Bern", "Paris", None, "Rome"], "size": [1, 2, 3, 4]}
    assert encoding.transform(new)[:, -1].tolist() == [1, 1, 1, 0]
    many = [f"town {i % 30}" for i in range(900)]
    town = Encoding.of(table_encoder().fit({"town": many}))
    assert len(town.features) == 20
    assert town.features[-1].kind == "rare"


THRESHOLDS = st.one_of(
    st.floats(-3, 14),
    st.integers(-3, 14).map(float),
    st.floats(-1e5, 1e5),
    st.floats(-1e300, 1e300),
)


@pytest.mark.parametrize(("categories", "own"), [(19, 19), (20, 19), (40, 19)])
def test_a_column_has_at_most_19_categories_and_rare(categories, own):
    """The most frequent ones; gaps are one of the categories."""
    texts = [None, *(f"c{k:02}" for k in range(1, categories))]
    cells = [text for k, text in enumerate(texts) for _ in range(50 - k)]
    encoding = Encoding.of(table_encoder().fit({"city": cells}))
    wanted = ["city is missing" if text is None else f"city = {text}" for text in texts[:own]]
    rare = ["city is rare"] if categories > own else []
    assert sorted(encoding.names) == sorted(wanted + rare)


def test_few_gaps_are_rare():
    encoding = Encoding.of(table_encoder().fit({"city": ["Rome"] * 150 + ["Oslo"] * 149 + [None]}))
    assert encoding.names == ["city = Oslo", "city = Rome", "city is rare"]
    assert encoding.transform({"city": [None, "Bern", "Rome"]})[:, 2].tolist() == [1.0, 1.0, 0.0]


DAYS = st.datetimes(datetime(1990, 1, 1), datetime(2010, 1, 1))


@given(st.sampled_from("<>"), THRESHOLDS, DAYS, st.sampled_from(["day", "second"]))
def test_conditions_of_dates_hold_where_the_feature_is_beyond_the_threshold(
    relation, threshold, moment, step
):
    cells = np.array([moment.replace(microsecond=0)], dtype="datetime64[us]")
    if step == "day":
        cells = cells.astype("datetime64[D]").astype("datetime64[us]")
    for kind in ("date", "month", "weekday", "hour"):
        if kind == "hour" and step == "day":
            continue
        feature = Feature("d", kind, origin="1990-01-01", step=step, fill="2000-01-01")
        value = feature.values(cells)[0]
        holds = value > threshold if relation == ">" else value < threshold
        assert condition_holds(feature.condition(relation, threshold), cells[0]) == holds


@pytest.mark.parametrize("relation", ["<", ">"])
@pytest.mark.parametrize("kind", ["month", "weekday", "hour"])
def test_conditions_of_the_first_and_the_last_part_of_a_date(kind, relation):
    place = np.arange(48)
    days = np.datetime64("2023-01-01T00:00:00", "us") + place * np.timedelta64(8, "D")
    cells = days + place % 24 * np.timedelta64(1, "h")
    feature = Feature("d", kind, origin="1990-01-01", fill="2000-01-01")
    values = feature.values(cells)
    for threshold in np.arange(-1, 26, 0.5):
        text = feature.condition(relation, threshold)
        holds = values > threshold if relation == ">" else values < threshold
        assert [condition_holds(text, cell) for cell in cells] == holds.tolist()


def condition_holds(text, moment):
    """Whether a condition on a date, as a person reads it, holds."""
    if text in ("always", "never"):
        return text == "always"
    left, sign, right = re.fullmatch(r"(.*) (>=|<|>) (.*)", text).groups()
    if left == "d":
        border, value = np.datetime64(right.replace(" ", "T")), moment
    else:
        part = left.removesuffix(" of d")
        when = moment.item()
        value = {"month": when.month, "weekday": when.isoweekday(), "hour": when.hour}[part]
        form = {"month": "%B", "weekday": "%A"}.get(part)
        names = [datetime(2024, 1, k).strftime("%A") for k in range(1, 8)]
        months = [datetime(2024, k, 1).strftime("%B") for k in range(1, 13)]
        border = (
            int(right) if form is None else (months if part == "month" else names).index(right) + 1
        )
    return {">": value > border, ">=": value >= border, "<": value < border}[sign]


@given(
    st.sampled_from("<>"),
    st.sampled_from([-0.5, -0.0, 0.0, 5e-324, 0.5, 1.0, 1.5]) | st.floats(-2, 3),
    st.sampled_from(["Rome", "Oslo", None]),
)
def test_conditions_of_categories(relation, threshold, city):
    cells = np.array([city], dtype=object)
    for feature, positive, negative in (
        (Feature("city", "category", category="Rome"), "city = Rome", "city is not Rome"),
        (Feature("city", "missing"), "city is missing", "city is not missing"),
        (Feature("city", "rare", named=("Rome",)), "city is rare", "city is not rare"),
    ):
        value = feature.values(cells)[0]
        text = feature.condition(relation, threshold)
        truth = {positive: value == 1, negative: value == 0, "always": True, "never": False}
        assert truth[text] == (value > threshold if relation == ">" else value < threshold)


def test_a_gap_counts_as_the_category_that_fills_it():
    cells = np.array(["Rome", None, "Oslo", None], dtype=object)
    for fill in ("Rome", "Oslo", None):
        filled = [fill if cell is None else cell for cell in cells]
        for city in ("Rome", "Oslo"):
            feature = Feature("city", "category", category=city, fill=fill, gaps=True)
            assert feature.values(cells).tolist() == [text == city for text in filled]
            stored = Feature.from_dict(feature.to_dict())
            assert stored.values(cells).tolist() == feature.values(cells).tolist()


def test_conditions_of_numbers_and_terms():
    age, other = plain_features(["age", "a\nb"])
    assert age.condition(">", 30.0) == "age > 30"
    assert age.condition("<", 1 / 3, 3) == "age < 0.333"
    assert other.name == "a b"
    day = Feature("day", "date", origin="2024-01-01", step="second")
    assert (age.term, day.term) == ("age", "days(day - 2024-01-01)")
    assert Feature("city", "category", category="Rome").term == "[city = Rome]"
    assert day.condition(">", 0.75) == "day > 2024-01-01 18:00"


def own_table():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(
        {
            "age": rng.normal(40, 10, 60).round(),
            "city": rng.choice(["Rome", "Oslo", "Bern"], 60),
            "plan": rng.choice(["a", "b"], 60),
            "grade": rng.integers(1, 4, 60),
            "size": rng.normal(size=60),
        }
    )
    frame.loc[3:8, "age"] = np.nan
    frame.loc[5:9, "city"] = None
    return frame


def test_pipelines_of_your_own_are_understood():
    frame = own_table()
    text = make_pipeline(
        SimpleImputer(strategy="most_frequent", missing_values=None), OneHotEncoder(drop="first")
    )
    for columns in (
        ColumnTransformer(
            [
                ("numbers", SimpleImputer(add_indicator=True), ["age"]),
                (
                    "texts",
                    OneHotEncoder(drop="if_binary", min_frequency=15),
                    ["city", "plan", "grade"],
                ),
            ],
            remainder="passthrough",
            sparse_threshold=0,
        ),
        make_column_transformer(
            (SimpleImputer(strategy="mean"), ["age", "size"]),
            (text, ["city", "plan"]),
            ("drop", ["grade"]),
            sparse_threshold=0,
        ),
    ):
        frame = frame.astype(object).where(frame.notna(), None)
        frame["age"] = frame["age"].astype(float)
        frame["size"] = frame["size"].astype(float)
        X = columns.fit_transform(frame)
        encoding = Encoding.of(make_pipeline(columns, FunctionTransformer(), LogisticRegression()))
        names = [feature.name for feature in encoding.features if feature.kind == "category"]
        assert names
        assert all(" = " in name for name in names)
        plain = [k for k, feature in enumerate(encoding.features) if feature.kind != "other"]
        some = Encoding(encoding.columns, tuple(encoding.features[k] for k in plain))
        assert np.allclose(some.transform(frame), np.asarray(X, dtype=float)[:, plain])


IMPUTERS = {
    "mean": SimpleImputer(),
    "marked": SimpleImputer(strategy="median", add_indicator=True),
    "frequent": SimpleImputer(strategy="most_frequent", add_indicator=True),
    "constant": SimpleImputer(strategy="constant", fill_value=2),
    "zeros": SimpleImputer(missing_values=2, strategy="constant", fill_value=9),
    "marked zeros": SimpleImputer(missing_values=2, add_indicator=True),
}
ENCODERS = {
    "one-hot": OneHotEncoder(sparse_output=False, handle_unknown="ignore"),
    "but the first": OneHotEncoder(sparse_output=False, drop="first"),
    "binary": OneHotEncoder(sparse_output=False, drop="if_binary"),
    "rare": OneHotEncoder(sparse_output=False, min_frequency=9, handle_unknown="ignore"),
    "ordinal": OrdinalEncoder(),
    "scaled": StandardScaler(),
}
STEPS = IMPUTERS | ENCODERS
# The second imputer of other cells than gaps refuses what the first one leaves.
PAIRS = [pair for pair in itertools.product(STEPS, repeat=2) if "zeros" not in f"{pair}"]
PAIRS += [("zeros", "one-hot"), ("marked zeros", "one-hot"), ("zeros", "scaled")]


def assert_features_are_computed(pipeline, table, least=0):
    """What is told of features is so in each row, and at least so many of them are known."""
    made = np.asarray(pipeline.fit(table).transform(table), dtype=float)
    encoding = Encoding.of(pipeline)
    assert len(encoding.features) == made.shape[1]
    known = [k for k, feature in enumerate(encoding.features) if feature.kind != "other"]
    assert len(known) >= least
    if known:
        some = Encoding(encoding.columns, tuple(encoding.features[k] for k in known))
        assert np.array_equal(some.transform(table), made[:, known], equal_nan=True)
    return encoding


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_what_two_steps_make_is_computed_or_not_known(first, second):
    table = pd.DataFrame({"a": [1.0, 2, 2, 3] * 5, "b": [2.0, 3, 3, 1] * 5})
    if "zeros" not in first:
        table.loc[[3, 4, 11], "b"] = np.nan
    pipeline = make_pipeline(clone(STEPS[first]), clone(STEPS[second]))
    known = first in IMPUTERS and "zeros" not in first and second not in ("ordinal", "scaled")
    assert_features_are_computed(pipeline, table, 2 * known)


@pytest.mark.parametrize("first", ["frequent", "constant"])
@pytest.mark.parametrize("second", ["one-hot", "but the first", "binary", "rare"])
def test_gaps_of_texts_that_are_filled_and_marked(first, second):
    table = pd.DataFrame({"a": ["u", "v", "v", "w"] * 5, "b": ["u", "v"] * 10}, dtype=object)
    table.loc[[3, 4, 11], "b"] = np.nan
    imputer = clone(IMPUTERS[first])
    if first == "constant":
        imputer.set_params(fill_value="v", add_indicator=True)
    pipeline = make_pipeline(imputer, clone(ENCODERS[second]))
    encoding = assert_features_are_computed(pipeline, table, 3)
    assert second == "rare" or "b is missing" in encoding.names


@pytest.mark.parametrize("imputer", ["mean", "marked", "frequent", "constant"])
def test_features_of_categories_stay_what_they_are_when_gaps_are_filled_later(imputer):
    table = own_table()[["city", "age", "size"]]
    columns = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["city"]), remainder="passthrough"
    )
    encoding = assert_features_are_computed(
        make_pipeline(columns, clone(IMPUTERS[imputer])), table, 5
    )
    assert "city = Rome" in encoding.names
    encoder = table_encoder()
    assert_features_are_computed(make_pipeline(encoder, clone(IMPUTERS["mean"])), table, 5)
    assert_features_are_computed(make_pipeline(encoder, clone(ENCODERS["binary"])), table[["city"]])


def test_columns_without_any_value_are_left_out_at_any_step():
    table = pd.DataFrame({"none": [np.nan] * 6, "a": [1.0, np.nan, 2, 3, 3, 4]})
    for pipeline in (
        make_pipeline(SimpleImputer(add_indicator=True)),
        make_pipeline(StandardScaler(), SimpleImputer()),
        make_pipeline(SimpleImputer(), SimpleImputer()),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the column without values
            assert_features_are_computed(pipeline, table)


@pytest.mark.parametrize(
    "places",
    [
        slice("b", "c"),
        slice("b", None),
        slice(None, "b"),
        slice(0, 2),
        slice(1, None),
        slice(-2, None),
        slice(0, None, 2),
        ["d", "a"],
        [3, 0],
        [-1],
        [True, False, True, False],
        np.array([False, True, True, False]),
        "c",
    ],
)
def test_all_ways_to_choose_the_columns_of_a_part(places):
    table = pd.DataFrame(np.arange(20.0).reshape(5, 4) ** 2, columns=[*"abcd"])
    table.iloc[2] = np.nan
    if isinstance(places, str):
        places = [places]
    columns = make_column_transformer((SimpleImputer(), places), remainder="drop")
    encoding = assert_features_are_computed(make_pipeline(columns), table, 1)
    assert encoding.names == [name.partition("__")[2] for name in columns.get_feature_names_out()]


def test_gaps_may_be_the_only_category_that_is_not_rare():
    table = {"a": [None] * 200 + [f"t{k % 100}" for k in range(150)], "b": [1, 2] * 175}
    encoder = table_encoder(kinds={"a": "category"}).fit(table)
    told = {each.column: each.done for each in Encoding.of(encoder).decisions()}
    assert told["a"] == "one of missing, rare"


def test_what_other_transformers_make_has_a_name_and_no_more():
    frame = own_table()[["size", "grade"]]
    scaled = make_pipeline(StandardScaler()).fit(frame)
    encoding = Encoding.of(scaled)
    assert [(f.name, f.kind) for f in encoding.features] == [
        ("standardscaler(size)", "other"),
        ("standardscaler(grade)", "other"),
    ]
    with pytest.raises(ValueError, match="cannot be computed"):
        encoding.transform(frame)
    with pytest.raises(ValueError, match="a pipeline with a transformer"):
        Encoding.of(Pipeline([("classifier", LogisticRegression())]))


@pytest.mark.parametrize("output", ["default", "pandas"])
def test_names_tell_which_step_has_changed_the_values(output):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["a", "b c"])
    y = frame["a"] > 0

    def names(*steps):
        pipeline = make_pipeline(*steps).set_output(transform=output)
        return Encoding.of(pipeline.fit(frame, y)).names

    assert names(MinMaxScaler()) == ["minmaxscaler(a)", "minmaxscaler(b c)"]
    assert names(PowerTransformer(), StandardScaler())[0] == "standardscaler(powertransformer(a))"
    assert names(StandardScaler(), SimpleImputer())[0] == "standardscaler(a)"
    assert names(SimpleImputer(), StandardScaler())[1] == "standardscaler(b c)"
    assert names(SimpleImputer(), SelectKBest(k=1)) == ["a"]
    assert names(StandardScaler(), SelectKBest(k=1)) == ["standardscaler(a)"]
    assert names(KNNImputer()) == ["a", "b c"]
    assert names(StandardScaler(), PCA(1)) == ["pca0"]
    assert names(make_pipeline(StandardScaler()), PolynomialFeatures(2, include_bias=False))[
        :3
    ] == [*("standardscaler(a)", "standardscaler(b c)", "standardscaler(a)^2")]
    columns = ColumnTransformer([("z", StandardScaler(), ["b c"]), ("same", "passthrough", ["a"])])
    assert names(columns) == ["z(b c)", "a"]
    # what a scaler has changed cannot be computed, whatever follows
    pipeline = make_pipeline(StandardScaler(), SimpleImputer()).fit(frame)
    assert {feature.kind for feature in Encoding.of(pipeline).features} == {"other"}


def test_a_scaled_table_keeps_what_its_features_are_made_of():
    table = {"age": [31, None, 47] * 9, "city": ["Rome", "Oslo", "Bern"] * 9}
    encoding = Encoding.of(make_pipeline(table_encoder(), StandardScaler()).fit(table))
    assert "standardscaler(city = Rome)" in encoding.names
    assert "standardscaler(age is missing)" in encoding.names
    assert [column.name for column in encoding.columns] == ["age", "city"]


def test_selectors_keep_dates_and_what_is_made_of_them():
    days = np.arange("2024-01-01", "2024-05-01", dtype="datetime64[D]")
    table = {"day": days.astype(str), "a": np.arange(len(days)) % 5}
    encoder = table_encoder().fit(table)
    features = dict(zip(Encoding.of(encoder).names, encoder.transform(table).T, strict=True))
    for y in (features["day"] > 60, features["weekday of day"] > 5):
        model = make_pipeline(table_encoder(), SelectKBest(k=1), NAClassifier(random_state=0))
        model.fit(table, y)
        assert Encoding.of(model).names == model[:-1].get_feature_names_out().tolist()
        assert explain(model, table)[0].change is not None


@pytest.mark.parametrize("kind", ["date", "weekday"])
def test_gaps_of_dates_count_as_days_or_as_moments(kind):
    for step, fill, words in (
        ("day", "2024-02-29T00:00:00", "2024-02-29"),
        ("day", "2024-02-29", "2024-02-29"),
        ("second", "2024-02-29T12:30:00", "2024-02-29T12:30:00"),
    ):
        feature = Feature("due", kind, fill=fill, gaps=True, origin="2024-01-01", step=step)
        assert feature.fill_text == feature.filled_text == words
        assert Feature("due", kind, fill=fill, origin="2024-01-01", step=step).filled_text == ""


def test_a_part_of_a_date_needs_the_date_of_its_own_column():
    """What a selector leaves of one column says nothing about another one."""
    days = np.arange("2024-01-01", "2024-05-01", dtype="datetime64[D]")
    table = {"first": days.astype(str), "second": days[::-1].astype(str)}
    encoder = table_encoder().fit(table)
    features = dict(zip(Encoding.of(encoder).names, encoder.transform(table).T, strict=True))
    for wanted in (
        {"first": "date", "weekday of first": "weekday", "weekday of second": "other"},
        {"first": "date", "second": "date", "month of second": "month"},
        {"month of first": "other", "weekday of second": "other"},
    ):

        def score(X, y, wanted=wanted):
            """1 for the columns that are wanted, 0 for all others."""
            some = [features[name] for name in wanted]
            return np.array([float(any((x == one).all() for one in some)) for x in X.T])

        model = make_pipeline(encoder, SelectKBest(score, k=len(wanted))).fit(
            table, np.arange(len(days)) % 2
        )
        found = {each.name: each.kind for each in Encoding.of(model).features}
        assert found == wanted


def test_stored_encodings_stand_in_for_the_transformers():
    table = {"age": [31, None, 47], "city": ["Rome", "Oslo", "Bern"]}
    encoder = table_encoder().fit(table)
    stored = StoredEncoder(Encoding.of(encoder))
    assert np.array_equal(stored.transform(table), encoder.transform(table))
    assert Encoding.of(make_pipeline(stored, LogisticRegression())) == stored.encoding
    assert clone(stored).fit(table).get_feature_names_out().tolist() == [
        *encoder.get_feature_names_out()
    ]
    again = pickle.loads(pickle.dumps(encoder))
    assert np.array_equal(again.transform(table), encoder.transform(table))
    with pytest.raises(ValueError, match="1 more column: 'city'"):
        stored.transform({"age": [1]})


def test_decisions_say_what_was_done():
    table = {
        "age": [31, None, 47, 52, "many", 33],
        "city": ["Rome", "Oslo", None, "Rome", "Oslo", "Rome"],
        "sex": ["f", "m", "m", "f", "m", "f"],
        "day": ["2024-03-01", "2024-12-24", "", "2024-12-25", "2024-12-25", "2024-12-25"],
        "unit": ["m"] * 6,
        "x": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5],
    }
    found = {each.column: each for each in Encoding.of(table_encoder().fit(table)).decisions()}
    assert [*found] == [*table]
    assert found["age"].gaps == 2
    assert "gaps count as 40" in found["age"].done
    assert "1 of the gaps hold no number, as 'many'" in found["age"].done
    assert found["city"].done == "one of Oslo, Rome, missing"
    assert found["sex"].done == "m or not"
    assert found["day"].done.startswith("date, month, weekday; gaps count as 2024-12-25")
    assert (found["unit"].kind, found["unit"].done) == ("left out", "always m")
    assert found["x"].done == "as it is"


def made_of(column, kind, **facts):
    """The description of an encoding with one feature."""
    return {"features": [{"column": column, "kind": kind, **facts}]}


DAY = "2024-01-01"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"columns": 1}, "wrong type"),
        ({"more": []}, "must have the keys"),
        ({"features": []}, "at least one"),
        ({"features": ["age"]}, "must be an object"),
        (made_of("age", "number"), "fill must fit"),
        (made_of("age", "number", fill=True), "fill must fit"),
        (made_of("age", "date", fill=DAY, origin="x"), "origin must be a date"),
        (made_of("age", "date", fill=DAY), "must have an origin"),
        (made_of("age", "hour", fill="x"), "fill must be a date"),
        (made_of("age", "hour", fill=DAY, step="year"), "step must be"),
        (made_of("age", "month", fill=DAY), "needs a column of kind date"),
        (made_of("town", "missing"), "got None"),
        (made_of("city", "category"), "must have a text"),
        (made_of("city", "other"), "kind must be"),
        (made_of("city", "rare", named=[1]), "named must be"),
        ({"columns": [{"name": "age", "kind": "word"}]}, "kind must be one of"),
        ({"columns": [{"name": "age", "kind": "number", "form": "x"}]}, "form of a number"),
        ({"columns": [{"name": "age", "kind": "number"}] * 2}, "different names"),
    ],
)
def test_other_descriptions_are_refused(change, words):
    table = {"age": [31, None, 47], "city": ["Rome", "Oslo", "Bern"]}
    good = Encoding.of(table_encoder().fit(table)).to_dict()
    with pytest.raises(ValueError, match=words):
        Encoding.from_dict({**good, **change})


def test_every_kind_is_told_apart():
    assert set(FEATURE_KINDS) >= {"number", "date", "category", "missing", "rare"}
    with pytest.raises(ValueError, match="a column without any"):
        DateParts().fit(np.array([[None]], dtype=object))


def test_text_and_gaps_are_told_with_two_lines_that_help():
    X = {"age": [31.0, math.nan, math.inf], "city": ["Rome", "7", None], "b": [1, 2, 3]}
    told = about_text_and_gaps(X)
    assert "NaN in columns 'age' (1 of 3 rows), 'city' (1 of 3 rows)" in told
    assert "inf in column 'age' (1 of 3 rows)" in told
    assert "text in column 'city', as 'Rome'" in told
    lines = [line.strip() for line in told.splitlines() if line.startswith("    ")]
    assert lines == [
        "from hyperna import table_pipeline",
        "model = table_pipeline(NAClassifier()).fit(X, y)",
    ]
    assert "Replace infinite values" in told
    infinite = about_text_and_gaps({"a": [1.0, math.inf]})
    assert "table_pipeline" not in infinite
    assert "Replace infinite values" in infinite
    asked = about_text_and_gaps({"a": [1.0, math.nan]}, fitting=False)
    assert "was fitted to numbers without gaps" in asked
    assert "infinite" not in asked
    for text in ("$1,200", "1,200", "12,5", "45 %"):  # numbers for a table, but not for an array
        assert f"text in column 'a', as '{text}'" in about_text_and_gaps({"a": ["7", text]})
    assert about_text_and_gaps({"a": ["7", "1.5"]}) is None
    assert about_text_and_gaps(np.zeros((3, 2))) is None
    assert about_text_and_gaps(np.zeros(3)) is None
    assert "'x2' (1 of 2 rows)" in about_text_and_gaps([[1, 2], [3, np.nan]])


@pytest.mark.parametrize("drop", ["first", ["b", "x"], None])
def test_a_category_is_left_out_where_others_are_rare(drop):
    """The first that is not rare; of a column of rare ones all that scikit-learn would make."""
    size = 50
    cells = np.empty((size, 3), dtype=object)
    cells[:, 0] = ["a"] * 2 + ["b"] * 20 + ["c"] * 3 + ["d"] * 25
    cells[:, 1] = ["x", "y"] * 25
    cells[:, 2] = [f"only {k}" for k in range(size)]
    if drop is not None and drop != "first":
        cells = cells[:, :2]
    encoder = OneHotEncoder(drop=drop, min_frequency=10, sparse_output=False).fit(cells)
    encoding = Encoding.of(make_pipeline(encoder, LogisticRegression()))
    table = {f"x{k + 1}": column for k, column in enumerate(cells.T)}
    np.testing.assert_array_equal(encoding.transform(table), encoder.transform(cells))


@pytest.mark.parametrize("fill", ["often", "also often", "seldom"])
def test_a_gap_is_rare_only_if_what_it_counts_as_is(fill):
    cells = np.array([["often"] * 30 + ["also often"] * 20 + ["seldom"] * 2 + [None]], dtype=object)
    imputer = SimpleImputer(missing_values=None, strategy="constant", fill_value=fill)
    encoder = OneHotEncoder(
        min_frequency=10, handle_unknown="infrequent_if_exist", sparse_output=False
    )
    model = make_pipeline(imputer, encoder).fit(cells.T)
    encoding = Encoding.of(make_pipeline(*model, LogisticRegression()))
    np.testing.assert_array_equal(encoding.transform({"x1": cells[0]}), model.transform(cells.T))
