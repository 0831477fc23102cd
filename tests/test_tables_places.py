"""Columns of a transformer are the same ones, however their places are told."""

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from hyperna import NAClassifier, export_text
from hyperna.tables import Encoding

pandas = pytest.importorskip("pandas", reason="columns have names in hyperna[data]")

PLACES = {
    "numbers": ([0, 1], [2]),
    "from the end": ([-3, -2], [-1]),
    "names": (["size", "age"], ["colour"]),
    "slices": (slice(0, 2), slice(2, 3)),
    "slices of names": (slice("size", "age"), slice("colour", "colour")),
    "masks": ([True, True, False], [False, False, True]),
    "arrays": (np.array([0, 1]), np.array([False, False, True])),
    "functions": (lambda table: ["size", "age"], lambda table: [2]),
}


def table():
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(
        {
            "size": rng.normal(10, 3, 80),
            "age": rng.integers(1, 90, 80).astype(float),
            "colour": rng.choice(["red", "blue"], 80),
        }
    )
    label = np.where((frame["age"] > 40) & (frame["colour"] == "red"), "yes", "no")
    return frame, label


def rule(places):
    numbers, texts = places
    frame, label = table()
    step = ColumnTransformer(
        [("scaled", StandardScaler(), numbers), ("marked", OneHotEncoder(), texts)]
    )
    model = make_pipeline(step, NAClassifier(max_terms=3, evaluations=300, random_state=0))
    model.fit(frame, label)
    return export_text(model), model.predict(frame).tolist(), label.tolist()


def test_all_ways_to_tell_the_places_of_columns_give_one_rule():
    wanted, answers, label = rule(PLACES["names"])
    assert "age" in wanted
    assert "colour" in wanted
    assert np.mean(np.array(answers) == np.array(label)) > 0.9
    for name, places in PLACES.items():
        assert rule(places)[0] == wanted, name


LETTERS = ["a", "b", "c", "d", "e", "f"]


@pytest.mark.parametrize(
    ("places", "wanted"),
    [
        (slice(1, None, 2), "bdf"),
        (slice(0, 5, 3), "ad"),
        (slice(None), "abcdef"),
        (slice(-2, None), "ef"),
        (slice(None, -4), "ab"),
        (slice(4, 1, -1), "edc"),
        (slice("b", "d"), "bcd"),
        (slice(None, "c"), "abc"),
        (slice("e", None), "ef"),
        ([5, 0, -2], "fae"),
        (["f", "b"], "fb"),
        (3, "d"),
        ("c", "c"),
        ([True, False, True, False, False, True], "acf"),
    ],
)
@pytest.mark.parametrize("rest", ["drop", "passthrough"])
def test_features_of_some_columns_are_computed_as_the_transformer_does(places, wanted, rest):
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(rng.normal(size=(9, 6)), columns=LETTERS)
    frame.iloc[::4, :] = np.nan
    filled = SimpleImputer(strategy="mean")
    some = [places] if isinstance(places, int | str) else places
    step = ColumnTransformer([("filled", filled, some)], remainder=rest).fit(frame)
    encoding = Encoding.of(make_pipeline(step))
    others = [name for name in LETTERS if name not in wanted] if rest == "passthrough" else []
    assert [each.column for each in encoding.features] == [*wanted, *others]
    assert [each.kind for each in encoding.features] == [
        *["number"] * len(wanted),
        *["other"] * len(others),
    ]
    if not others:
        np.testing.assert_allclose(encoding.transform(frame), step.transform(frame))
