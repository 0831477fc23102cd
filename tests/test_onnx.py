"""Rules as ONNX: run by onnxruntime they answer as the classifier does."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hyperna import NAClassifier, export_onnx, save_model, table_pipeline
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.rules import Condition, Rule
from hyperna.cli import main
from hyperna.interop.onnx import register_converter

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("skl2onnx")


def answers(model, X):
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(["label", "probabilities"], {"X": X})


def random_rule(rng):
    """A rule of up to four conditions, with weights that are nearly 1 and units of any size."""
    size = int(rng.integers(0, 5))
    if size == 0:
        share = float(rng.random())
        return Rule((), 0 if share > 0.5 else 1, 1.0, 0.0, share)
    conditions = []
    for _ in range(size):
        features = tuple(rng.permutation(3)[: rng.integers(1, 4)].tolist())
        others = 1.0 + rng.choice([1e-13, -1e-9, 1e-6, 0.3], len(features) - 1)
        weights = (float(rng.choice([-1.0, 1.0])), *others.tolist())
        scale = float(10.0 ** rng.integers(-10, 3))
        threshold = float(rng.choice([0.0, 1e-3, 1.0]) * scale * rng.normal())
        conditions.append(Condition(features, weights, threshold, scale, (1.0,) * len(features)))
    slope, lapse = float(rng.uniform(0.1, 9)), float(rng.choice([0.0, 1e-9, 0.01]))
    return Rule(tuple(conditions), int(rng.integers(0, size + 1)), slope, lapse, 0.3)


def border_rows(rules, X):
    """Move some rows to the borders of conditions, and some of them to a number next to it."""
    conditions = [condition for rule in rules for condition in rule.conditions]
    for row in range(len(X) // 2 if conditions else 0):
        condition = conditions[row % len(conditions)]
        *others, last = zip(condition.features, condition.weights, strict=True)
        rest = sum(weight * X[row, feature] for feature, weight in others)
        border = (condition.threshold - rest) / last[1]
        X[row, last[0]] = [border, np.nextafter(border, 9), np.nextafter(border, -9)][row % 3]


@pytest.mark.parametrize("seed", range(12))
def test_answers_are_equal_at_borders_too(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 5))
    clf = NAClassifier(max_terms=0).fit(rng.normal(size=(20, 3)), np.arange(20) % count)
    rules = tuple(random_rule(rng) for _ in range(count - 1))
    clf.list_ = DecisionList(rules, tuple(rng.permutation(count).tolist()), count)
    X = rng.normal(size=(300, 3)) * 10.0 ** rng.integers(-10, 3, (300, 1))
    border_rows(rules, X)
    label, probability = answers(export_onnx(clf).SerializeToString(), X)
    np.testing.assert_array_equal(label, clf.predict(X))
    np.testing.assert_allclose(probability, clf.predict_proba(X), rtol=0, atol=1e-14)
    np.testing.assert_array_equal(probability.argmax(axis=1), label)


@pytest.mark.parametrize("classes", [["no", "yés"], [False, True], [3, 7, 8], ["a", "b", "c"]])
def test_labels_are_the_classes(classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = np.array(classes)[np.digitize(X[:, 0], np.linspace(-0.5, 0.5, len(classes) - 1))]
    clf = NAClassifier(random_state=0, evaluations=100).fit(X, y)
    label, _ = answers(export_onnx(clf).SerializeToString(), X)
    np.testing.assert_array_equal(label, clf.predict(X))


def test_transformers_of_numbers_are_part_of_it():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * [1, 100, 0.01]
    clf = NAClassifier(random_state=0, evaluations=100)
    model = make_pipeline(StandardScaler(), PCA(2), clf).fit(X, X[:, 1] > 20)
    label, probability = answers(export_onnx(model).SerializeToString(), X)
    np.testing.assert_array_equal(label, model.predict(X))
    np.testing.assert_allclose(probability, model.predict_proba(X), atol=1e-9)


def test_what_onnx_cannot_hold_is_refused():
    X = np.random.default_rng(0).normal(size=(60, 2))
    table = table_pipeline(NAClassifier(random_state=0)).fit(X, X[:, 0] > 0)
    with pytest.raises(TypeError, match="export_code"):
        export_onnx(table)
    with pytest.raises(TypeError, match="texts or integers"):
        export_onnx(NAClassifier(random_state=0).fit(X, np.where(X[:, 0] > 0, 1.0, 2.0)))


def test_the_converter_of_skl2onnx_refuses_single_precision():
    from skl2onnx import to_onnx

    X = np.random.default_rng(0).normal(size=(60, 2))
    clf = NAClassifier(random_state=0).fit(X, X[:, 0] > 0)
    register_converter()
    rule = onnxruntime.InferenceSession(to_onnx(clf, X[:1]).SerializeToString())
    np.testing.assert_array_equal(rule.run(["label"], {"X": X})[0], clf.predict(X))
    with pytest.raises(TypeError, match="double precision"):
        to_onnx(clf, X[:1].astype(np.float32))


def test_the_command_writes_a_file(tmp_path, capsys):
    X = np.random.default_rng(0).normal(size=(60, 2))
    clf = NAClassifier(random_state=0).fit(X, np.where(X[:, 0] > 0, "up", "down"))
    saved, rule = str(tmp_path / "model.json"), tmp_path / "rule.onnx"
    save_model(clf, saved)
    assert main(["export", saved, "--to", "onnx", "-o", str(rule)]) == 0
    label, _ = answers(rule.read_bytes(), X)
    np.testing.assert_array_equal(label, clf.predict(X))
    assert main(["export", saved, "--to", "onnx"]) == 2
    assert "-o FILE" in capsys.readouterr().err
