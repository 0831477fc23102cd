"""More than two classes: scores, and rules by which they can be decided by hand."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_blobs

from hyperna import NAClassifier, export_text


@pytest.fixture(scope="module")
def compared():
    """A classifier whose classes, of different shares and spreads, have offsets."""
    rng = np.random.default_rng(0)
    y = rng.choice(3, 900, p=[0.6, 0.3, 0.1])
    X = np.array([[0.0, 0.0], [1.0, 0.5], [0.5, 1.5]])[y]
    X += np.array([0.6, 1.2, 0.9])[y, None] * rng.normal(size=(900, 2))
    return NAClassifier(max_evals=10_000, random_state=0).fit(X, y), X, y


def class_by_text(text, names, X):
    """The class of each row, calculated from what is printed and nothing else."""
    classes, scores = [], []
    lines = re.sub(r"\n      +", " ", text).splitlines()
    for line in lines:
        if line.startswith("class "):
            name, how = re.match(r"class (\S+) (.*)", line).groups()
            base = re.match(r"scores (\S+) plus the score of ?(.*)", how)
            classes.append(int(name))
            scores.append([float(base[1]) if base else 0.0, base[2] if base else how[3:], []])
        elif line.startswith("  ") and "(scale " in line:
            votes, left, sign, right, scale = re.match(
                r"  (?:(\S+) votes?: )?(.*) ([<>]) (\S+)  \(scale (\S+)\)", line
            ).groups()
            terms = re.findall(r"([-+]? ?)([\d.e+-]+\*)?(\w+)", left)
            value = sum(
                (-1.0 if "-" in minus else 1.0)
                * float(size[:-1] or 1 if size else 1)
                * X[:, names.index(name)]
                for minus, size, name in terms
            )
            distance = (value - float(right)) * (1 if sign == ">" else -1) / float(scale)
            scores[-1][2].append((float(votes or 1), distance))
    result = []
    for base, how, conditions in scores:
        each = np.array([distance for _, distance in conditions])
        if "ODD" in how or "EXACTLY" in how:
            size = np.abs(each).min(axis=0)
            result.append(base + np.where((each > 0).sum(axis=0) % 2 == 1, size, -size))
            continue
        needed = 1.0 if "ANY" in how or not how else float(len(each))
        needed = float(re.search(r"[\d.]+", how)[0]) if re.search(r"\d", how) else needed
        order, votes = np.argsort(-each, axis=0), np.array([vote for vote, _ in conditions])
        place = (np.cumsum(votes[order], axis=0) < needed).sum(axis=0)
        result.append(base + np.take_along_axis(each, order, axis=0)[place, np.arange(len(X))])
    return np.array(classes)[np.argmax(result, axis=0)]


@pytest.mark.parametrize("seed", range(6))
def test_rows_of_several_classes_are_classified_by_what_is_printed(seed):
    X, y = make_blobs(400, centers=4, cluster_std=2.5, random_state=seed)
    clf = NAClassifier(random_state=seed).fit(X, y)
    assert (class_by_text(export_text(clf), ["x1", "x2"], X) == clf.predict(X)).all()


@pytest.mark.parametrize("neuron", ["plain", "bent"])
@pytest.mark.parametrize("output", ["or", "and", "xor", "evolved"])
def test_scores_of_rules_choose_the_class_of_every_training_row(output, neuron):
    rng = np.random.default_rng(len(output))
    X = rng.normal(size=(150, 2))
    y = np.digitize(X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.5 * rng.normal(size=150), [0.0, 1.0])
    for seed in range(3):
        clf = NAClassifier(3, output=output, neuron=neuron, max_evals=3000, random_state=seed)
        clf.fit(X, y)
        scores = [rule.score(X, k) for rule, k in zip(clf.rules_, clf.factor_, strict=True)]
        said = (np.transpose(scores) + clf.offset_).argmax(axis=1)
        assert (said == clf.predict(X)).all(), seed


def test_offsets_and_scales_say_what_the_classifier_says(compared):
    clf, X, _ = compared
    text = export_text(clf)
    assert text.count(" plus the score of") == 3
    assert "It is the class with the largest score." in text.splitlines()
    assert (class_by_text(text, ["x1", "x2"], X) == clf.predict(X)).all()
    scores = [rule.score(X, k) for rule, k in zip(clf.rules_, clf.factor_, strict=True)]
    assert np.allclose(np.transpose(scores) + clf.offset_, clf.decision_function(X), atol=0.1)


def test_offsets_decide_everywhere(compared):
    clf, X, y = compared
    assert (clf.predict(X) == clf.decision_function(X).argmax(axis=1)).all()
    assert (clf.predict(X) == clf.predict_proba(X).argmax(axis=1)).all()
    assert clf.score(X, y) == pytest.approx(clf.training_score_)
    same = NAClassifier.from_json(clf.to_json())
    assert np.array_equal(same.predict_proba(X), clf.predict_proba(X))
    assert export_text(same) == export_text(clf)


def test_a_scale_is_not_broken_in_two_lines():
    data = load_wine()
    clf = NAClassifier(max_evals=2000, random_state=0).fit(data.data, data.target)
    lines = export_text(clf, data.feature_names).splitlines()
    assert sum("(scale " in line for line in lines) == 3
    assert all(line.count("(") == line.count(")") for line in lines)
