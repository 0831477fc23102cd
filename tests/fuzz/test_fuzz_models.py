"""Models in JSON: whatever is loaded can predict, everything else is refused."""

import json

import numpy as np
import pytest
from hostile import NUMBERS, TEXTS, works_or_refuses
from hypothesis import given
from hypothesis import strategies as st

from hyperna import NAClassifier, export_text

LEAVES = st.one_of(
    st.sampled_from([text for text in TEXTS if len(text) < 100]),
    st.sampled_from([n for n in NUMBERS if type(n) in (int, float, bool)]),
    st.none(),
    st.integers(-(2**70), 2**70),
    st.floats(),
)
VALUES = st.one_of(
    LEAVES,
    st.lists(LEAVES, max_size=4),
    st.dictionaries(st.text(max_size=5), LEAVES, max_size=3),
)


def models():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    quick = {"evaluations": 60, "random_state": 0}
    yield NAClassifier(**quick).fit(X, X[:, 0] * X[:, 1] > 0).to_json()
    yield NAClassifier(**quick).fit(X, np.digitize(X[:, 0], [-0.5, 0.5])).to_json()
    yield NAClassifier(**quick).fit(X, np.where(X[:, 0] > 0, "b", "a")).to_json()
    yield NAClassifier(0, **quick).fit(X, X[:, 0] > 0).to_json()


MODELS = []


@pytest.fixture(scope="module", autouse=True)
def fitted():
    MODELS[:] = list(models())


def places(value, path=()):
    """Return the ways to all parts of a JSON value."""
    found = [path]
    if isinstance(value, dict):
        found += [way for key in value for way in places(value[key], (*path, key))]
    elif isinstance(value, list):
        found += [way for i, entry in enumerate(value) for way in places(entry, (*path, i))]
    return found


def changed(model, way, value, drop):
    """Return a model with one part replaced, or dropped."""
    if not way:
        return value
    part = model
    for step in way[:-1]:
        part = part[step]
    if drop:
        del part[way[-1]]
    else:
        part[way[-1]] = value
    return model


@given(st.data())
def test_models(data):
    which = data.draw(st.integers(0, len(MODELS) - 1))
    model = json.loads(MODELS[which])
    for _ in range(data.draw(st.integers(1, 3))):
        way = data.draw(st.sampled_from(places(model)))
        model = changed(model, way, data.draw(VALUES), data.draw(st.booleans()) and bool(way))
        if not isinstance(model, dict):
            break
    text = json.dumps(model)
    if data.draw(st.integers(0, 9)) == 0:
        cut = data.draw(st.integers(0, len(text)))
        text = text[:cut] + data.draw(st.sampled_from(["", "[" * 5000, "}", "NaN", '"']))
    check(text)


@given(st.one_of(st.text(max_size=50), st.sampled_from(["[" * 100_000, '{"a":' * 100_000])))
def test_texts(text):
    check(text)


def check(text):
    loaded = works_or_refuses(text, lambda: NAClassifier.from_json(text))
    if loaded is None:
        return
    X = np.array([[0.0, 0.0], [1.0, -2.0], [1e6, 1e-6]])
    answers = loaded.predict(X)
    assert set(answers.tolist()) <= set(loaded.classes_.tolist())
    shares = loaded.predict_proba(X)
    assert np.isfinite(shares).all()
    assert np.allclose(shares.sum(axis=1), 1)
    assert isinstance(export_text(loaded), str)
    again = NAClassifier.from_json(loaded.to_json())
    assert np.array_equal(again.predict(X), answers)
