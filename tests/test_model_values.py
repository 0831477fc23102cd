"""Saved classifiers with classes, parameters and numbers of all types, and what is refused."""

import json

import numpy as np
import pytest

from hyperna import NAClassifier
from hyperna.classifier.rules import Rule


def fitted(names, **options):
    X = np.linspace(-1, 1, 24)[:, None] * [1.0, -2.0]
    label = (X[:, 0] > 0.2).astype(int) + (X[:, 0] > 0.6) * (len(names) > 2)
    made = NAClassifier(evaluations=10, max_neurons=1, random_state=0).set_params(**options)
    return made.fit(X, np.array(names)[label]), X


@pytest.mark.parametrize(
    "names",
    [
        [False, True],
        np.array([3, 200], np.uint8),
        np.array([-5, 0, 7], np.int8),
        [0.0, 1.0],
        ["no", "yes"],
        ["a", "b", "c"],
        np.array(["ü", 'x"y'], object),
    ],
)
def test_classes_of_all_types_come_back(names):
    found, X = fitted(sorted(names))
    read = NAClassifier.from_json(found.to_json())
    assert read.classes_.tolist() == found.classes_.tolist()
    assert [type(one) for one in read.classes_.tolist()] == [
        type(one) for one in found.classes_.tolist()
    ]
    assert read.predict(X).tolist() == found.predict(X).tolist()
    np.testing.assert_array_equal(read.predict_proba(X), found.predict_proba(X))
    assert (read.training_score_, read.baseline_score_) == (
        found.training_score_,
        found.baseline_score_,
    )
    assert read.n_features_in_ == 2
    assert not hasattr(read, "path_")


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({"max_terms": np.int64(3), "shortness": np.float32(0.25)}, True),
        ({"random_state": np.random.RandomState(1)}, False),
        ({"monotonic_cst": [1, 0]}, False),
        ({"class_weight": "balanced", "verbose": np.bool_(False)}, True),
        ({"class_weight": {"no": 1, "yes": 2}}, False),
        ({"n_jobs": 1, "output": "or", "evaluations": 7}, True),
    ],
)
def test_plain_parameters_are_kept_and_others_are_as_usual(options, kept):
    found, X = fitted(["no", "yes"], **options)
    read = NAClassifier.from_json(found.to_json())
    usual = NAClassifier().get_params()
    for name, value in options.items():
        assert read.get_params()[name] == (value if kept else usual[name])
    assert read.list_ == found.list_
    assert read.predict(X).tolist() == found.predict(X).tolist()


@pytest.fixture(scope="module")
def saved():
    return json.loads(fitted(["a", "b", "c"])[0].to_json())


CONDITION = {
    "features": [1, 0],
    "weights": [1.0, -0.5],
    "threshold": 0.25,
    "scale": 2.0,
    "influence": [1.0, 0.5],
}
RULE = {"conditions": [CONDITION, CONDITION], "quorum": 2, "slope": 1.5, "lapse": 0.1, "share": 0.5}


@pytest.mark.parametrize(
    ("part", "change", "fine"),
    [
        ("rule", {"quorum": 0}, True),
        ("rule", {"quorum": 2}, True),
        ("rule", {"quorum": 3}, False),
        ("rule", {"quorum": -1}, False),
        ("rule", {"quorum": True}, False),
        ("rule", {"quorum": 1.0}, False),
        ("rule", {"conditions": [], "quorum": 1, "slope": 0}, True),
        ("rule", {"conditions": [], "quorum": 0, "slope": 0}, True),
        ("rule", {"conditions": [], "quorum": 2, "slope": 0}, False),
        ("rule", {"slope": 0}, False),
        ("rule", {"slope": -1e-9}, False),
        ("rule", {"lapse": 0}, True),
        ("rule", {"lapse": 0.4999}, True),
        ("rule", {"lapse": 0.5}, False),
        ("rule", {"lapse": -1e-9}, False),
        ("rule", {"share": 0}, True),
        ("rule", {"share": 1}, True),
        ("rule", {"share": 1.0001}, False),
        ("rule", {"share": -0.0001}, False),
        ("condition", {"features": [0, 2]}, True),
        ("condition", {"features": [0, 3]}, False),
        ("condition", {"features": [-1, 0]}, False),
        ("condition", {"features": [1, 1]}, False),
        ("condition", {"features": [True, 0]}, False),
        ("condition", {"features": []}, False),
        ("condition", {"features": [1]}, False),
        ("condition", {"weights": [1.0, 0.0]}, False),
        ("condition", {"weights": [1.0]}, False),
        ("condition", {"scale": 0}, False),
        ("condition", {"scale": -1.0}, False),
        ("condition", {"scale": 1e-300}, True),
        ("condition", {"influence": [1.0]}, False),
        ("condition", {"threshold": "1"}, False),
        ("condition", {"threshold": -1e300}, True),
    ],
)
def test_rules_are_read_up_to_their_limits(part, change, fine):
    data = (
        RULE | change if part == "rule" else RULE | {"conditions": [CONDITION, CONDITION | change]}
    )
    if fine:
        rule = Rule.from_dict(data, 3)
        again = Rule.from_dict(json.loads(json.dumps(rule.to_dict())), 3)
        assert again == rule
        assert rule.to_dict() == data
    else:
        with pytest.raises(ValueError, match="must"):
            Rule.from_dict(data, 3)


@pytest.mark.parametrize(
    "change",
    [
        {"order": [0, 1]},
        {"order": [0, 1, 3]},
        {"order": [0, 1, -1]},
        {"order": [0, 1, True]},
        {"order": [0, 1, 1]},
        {"classes": ["a", "c", "b"]},
        {"classes": ["a", "a", "b"]},
        {"classes": ["a"]},
        {"classes": ["a", "b", 3]},
        {"class_type": "int"},
        {"class_type": "list"},
        {"features": True},
        {"features": 2.0},
        {"feature_names": ["x"]},
        {"feature_names": ["x", 1]},
        {"training_score": "1"},
        {"version": 3.5},
        {"parameters": []},
    ],
)
def test_what_does_not_fit_together_is_refused(saved, change):
    assert NAClassifier.from_json(json.dumps(saved)).classes_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="must"):
        NAClassifier.from_json(json.dumps(saved | change))


@pytest.mark.parametrize(("step", "advice"), [(-1, "fit it again"), (1, "newer version")])
def test_files_of_other_versions_say_what_reads_them(saved, step, advice):
    with pytest.raises(ValueError, match=advice):
        NAClassifier.from_json(json.dumps(saved | {"version": saved["version"] + step}))


@pytest.mark.parametrize("share", [0.0, 1e-9, 0.5 - 1e-14, 0.5, 0.5 + 1e-14, 1 - 1e-9, 1.0])
@pytest.mark.parametrize("quorum", [0, 1])
def test_constant_rules_hold_everywhere_or_nowhere_whatever_the_share(share, quorum):
    rule = Rule((), quorum, 0.0, 0.0, share)
    rows = np.zeros((3, 1))
    distance = rule.distance(rows)
    assert rule.holds(rows).tolist() == [quorum == 0] * 3
    assert (distance > 0).tolist() == [quorum == 0] * 3
    assert (distance < 0).tolist() == [quorum == 1] * 3
    if (share > 0.5) == (quorum == 0) and 1e-10 < share < 1 - 1e-10 and abs(share - 0.5) > 1e-3:
        assert distance == pytest.approx(np.log(share / (1 - share)))
    assert rule.probability(rows).tolist() == [share] * 3


def test_the_decision_of_a_constant_answer_is_its_log_odds():
    y = ["a"] * 6 + ["b"] * 2
    for names, sign in ((y, -1), ([{"a": "b", "b": "a"}[name] for name in y], 1)):
        clf = NAClassifier(max_terms=0, random_state=0).fit(np.zeros((8, 1)), names)
        assert clf.decision_function([[1.0], [2.0]]) == pytest.approx([sign * np.log(3)] * 2)


def test_classes_that_are_never_answered_are_kept(saved):
    """A list may leave out classes that had no rows."""
    smaller = saved | {"order": [2, 0], "rules": saved["rules"][:1]}
    read = NAClassifier.from_json(json.dumps(smaller))
    assert read.classes_.tolist() == ["a", "b", "c"]
    X = np.linspace(-3, 3, 50)[:, None] * [1.0, -2.0]
    assert set(read.predict(X)) <= {"a", "c"}
    assert (read.predict_proba(X)[:, 1] == 0).all()
