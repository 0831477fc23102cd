"""Fitted classifiers as JSON, and what is refused."""

import json

import numpy as np
import pytest
from samples import QUICK, xor

from hyperna import NAClassifier


@pytest.mark.parametrize("labels", [[0, 1], [-1.0, 2.0], ["a", "b"], [False, True], [3, 5, 9]])
def test_json_keeps_everything_that_predicts(labels):
    X, _ = xor(60)
    y = np.array(labels)[np.arange(60) % len(labels)]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["u", "v"])
    clf = NAClassifier(2, **QUICK).fit(frame, y)
    back = NAClassifier.from_json(clf.to_json())
    assert back.classes_.dtype == clf.classes_.dtype
    assert (back.predict(frame) == clf.predict(frame)).all()
    assert np.array_equal(back.predict_proba(frame), clf.predict_proba(frame))
    assert list(back.feature_names_in_) == ["u", "v"]
    assert back.get_params() == clf.get_params()
    assert back.to_json() == clf.to_json()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 1}, "version must be 2, got 1"),
        ({"format": "x"}, "format 'hyperna.classifier'"),
        ({"classes": [1, 0]}, "sorted"),
        ({"classes": [0, "1"]}, "classes must be a list"),
        ({"width": [1.0, -1.0]}, "width must not be negative"),
        ({"width": [1.0]}, "width must have shape"),
        ({"centre": [0.0, None]}, "centre must be"),
        ({"slope": -1.0}, "slope must be positive"),
        ({"lapse": 0.5}, "lapse from 0"),
        ({"factor": [0.0]}, "factor must be positive, got 0.0"),
        ({"offset": [0.0, 1.0]}, "offset must have shape"),
        ({"rules": []}, "rules must be a list"),
        ({"rules": [{}]}, "a rule must have"),
        ({"networks": []}, "networks must be a list"),
        ({"parameters": {"colour": 1}}, "parameters must be those of"),
        ({"feature_names": [1, 2]}, "feature_names must be 2 strings"),
        ({"extra": 1}, "must have the keys"),
    ],
)
def test_json_is_checked(change, message):
    X, y = xor(20)
    data = json.loads(NAClassifier(1, **QUICK).fit(X, y).to_json())
    with pytest.raises(ValueError, match=message):
        NAClassifier.from_json(json.dumps(data | change))


def test_json_refuses_other_text():
    with pytest.raises(ValueError, match="text must be the JSON"):
        NAClassifier.from_json("{")
    with pytest.raises(TypeError, match="text must be a str"):
        NAClassifier.from_json(b"{}")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_model_with_a_number_that_is_none_is_refused(number):
    made = NAClassifier(n_neurons=1, max_evals=20, random_state=0).fit([[0.0], [1.0]], [0, 1])
    text = made.to_json().replace('"max_evals": 20', f'"max_evals": {number}')
    with pytest.raises(ValueError, match="numbers must be finite"):
        NAClassifier.from_json(text)
