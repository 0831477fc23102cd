"""NAClassifier: rules, paths, lists of rules, probabilities and what users hand in."""

import itertools
import pickle
import re
from types import SimpleNamespace

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hyperna import NAClassifier, dataset, export_text
from hyperna._words import counted
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.path import answer_within, best_of_sizes, combined
from hyperna.classifier.rules import Condition, Rule
from hyperna.classifier.table import LabelledTable, class_weights


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module")
def fitted_cancer(cancer):
    return NAClassifier(random_state=0).fit(*cancer)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def fitted_iris(iris):
    return NAClassifier(random_state=0).fit(*iris)


def box(seed=0, n=400, flipped=0.05):
    """Three of eight features decide; some labels are wrong."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 8))
    y = (X[:, 0] > -0.5) & (X[:, 3] < 0.4) & (X[:, 5] < 0.6)
    return X, y ^ (rng.random(n) < flipped)


def same(one, other, X):
    assert one.list_ == other.list_
    assert (one.predict_proba(X) == other.predict_proba(X)).all()


# ---- what is found


@pytest.mark.parametrize("seed", range(5))
def test_a_box_behind_flipped_labels_is_found(seed):
    X, y = box(seed)
    found = NAClassifier(shortness=1.0, random_state=seed).fit(X, y)
    assert found.list_.features == (0, 3, 5)
    assert found.n_terms_ == 3
    assert found.output_ in ("and", "or")


def test_noise_is_hardly_ever_worth_a_rule():
    rules, losses = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(1300, 6)), rng.integers(0, 2, 1300)
        found = NAClassifier(random_state=0).fit(X[:300], y[:300])
        rules.append(found.n_terms_)
        losses.append(log_loss(y[300:], found.predict_proba(X[300:])))
        if not found.n_terms_:
            share = np.bincount(y[:300]) / 300
            assert found.output_ == "constant"
            assert export_text(found) == f"always class {int(share.argmax())}"
            assert found.predict_proba(X)[0] == pytest.approx(share)
    assert np.mean(np.array(rules) == 0) >= 0.7
    assert max(rules) <= 2
    assert np.mean(losses) < 0.72


def test_many_features_of_noise_are_not_worth_a_rule():
    """Of forty features some separate the labels of sixty rows; it costs too much to name them."""
    rules, losses = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(1060, 40)), rng.integers(0, 2, 1060)
        found = NAClassifier(random_state=0).fit(X[:60], y[:60])
        rules.append(found.n_terms_)
        losses.append(log_loss(y[60:], found.predict_proba(X[60:])))
    assert np.mean(np.array(rules) == 0) >= 0.8
    assert np.mean(losses) < 0.72


def test_shapes_that_need_them():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (400, 2))
    xor = NAClassifier(random_state=0).fit(X, X[:, 0] * X[:, 1] > 0)
    assert (xor.output_, xor.n_terms_, xor.n_neurons_) == ("xor", 2, 2)
    corner = NAClassifier(random_state=0).fit(X, (X[:, 0] > 0.1) & (X[:, 1] > -0.2))
    assert corner.n_terms_ == 2
    union = NAClassifier(random_state=0).fit(X, (X[:, 0] > 0.5) | (X[:, 1] > 0.5))
    assert union.n_terms_ == 2
    band = NAClassifier(random_state=0).fit(X, np.abs(X[:, 0]) < 0.4)
    assert (band.n_terms_, band.list_.features) == (2, (0,))
    for each in (xor, corner, union, band):
        assert each.training_score_ >= 0.99


def test_shortness_is_a_dial(cancer):
    sizes = []
    for shortness in (0.0, 0.5, 3.0, 1000.0):
        sizes.append(NAClassifier(shortness=shortness, random_state=0).fit(*cancer).n_terms_)
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[2] >= 1
    assert sizes[-1] == 0


@pytest.mark.parametrize("most", [0, 1, 2, 5, 9])
def test_no_more_terms_than_allowed(cancer, iris, most):
    for X, y in (cancer, iris):
        found = NAClassifier(most, random_state=0).fit(X, y)
        assert found.n_terms_ <= most
        assert all(row.terms <= most for row in found.path_)


@pytest.mark.parametrize("output", ["or", "and", "xor", "at_least"])
def test_the_output_is_one_of_those_allowed(output):
    X, y = make_moons(200, noise=0.1, random_state=0)
    found = NAClassifier(output=output, random_state=0).fit(X, y)
    assert found.n_neurons_ == 1 or found.output_ == output


@pytest.mark.parametrize("features", [5, 16, 40])
def test_a_short_rule_is_found_among_many_features(features):
    rng = np.random.default_rng(features)
    X = rng.normal(size=(300, features))
    found = NAClassifier(random_state=0).fit(X, (X[:, 1] > 0) & (X[:, 3] > 0))
    assert found.output_ == "and"
    assert [condition.features for condition in found.list_.rules[0].conditions] in (
        [(1,), (3,)],
        [(3,), (1,)],
    )


def test_one_half_space_has_coefficients(cancer):
    X, _ = cancer
    found = NAClassifier(max_neurons=1, random_state=0).fit(*cancer)
    linear = X @ found.coef_[0] + found.intercept_[0]
    assert found.decision_function(X) == pytest.approx(linear, abs=1e-9)
    moons = NAClassifier(random_state=0).fit(*make_moons(200, noise=0.1, random_state=0))
    assert not hasattr(moons, "coef_")
    assert not hasattr(NAClassifier(), "rules_")


def test_better_than_a_constant_or_constant():
    """One feature and labels that hardly depend on it: never below the constant answer."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 1))
    y = rng.random(600) < 0.2 + 0.05 * (X[:, 0] > 1)
    found = NAClassifier(random_state=0).fit(X, y)
    assert found.training_score_ >= found.baseline_score_


# ---- several classes


def test_a_list_of_rules(fitted_iris, iris):
    X, y = iris
    assert len(fitted_iris.rules_) == 2
    assert sorted(fitted_iris.list_.order) == [0, 1, 2]
    assert fitted_iris.score(X, y) >= 0.96
    assert fitted_iris.n_terms_ <= 6
    first, second = fitted_iris.rules_
    a, b, last = fitted_iris.list_.order
    by_hand = np.where(first.holds(X), a, np.where(second.holds(X), b, last))
    assert (fitted_iris.predict(X) == by_hand).all()


def test_probabilities_of_a_list(fitted_iris, iris):
    X, y = iris
    chance = fitted_iris.predict_proba(X)
    assert chance.sum(axis=1) == pytest.approx(1)
    assert (chance >= 0).all()
    assert (chance.argmax(axis=1) == fitted_iris.predict(X)).all()
    assert log_loss(y, chance) < 0.2
    # a product along the list, wherever that leaves the answer ahead
    first, second = (rule.probability(X) for rule in fitted_iris.rules_)
    product = np.zeros((len(X), 3))
    a, b, last = fitted_iris.list_.order
    product[:, a], product[:, b] = first, (1 - first) * second
    product[:, last] = (1 - first) * (1 - second)
    agrees = product.argmax(axis=1) == fitted_iris.predict(X)
    assert agrees.mean() > 0.9
    assert chance[agrees] == pytest.approx(product[agrees])
    scores = fitted_iris.decision_function(X)
    assert scores.shape == (150, 3)
    assert (scores.argmax(axis=1) == fitted_iris.predict(X)).all()


def test_a_class_without_weight_is_never_answered(iris):
    X, y = iris
    found = NAClassifier(random_state=0).fit(X, y, sample_weight=(y != 1).astype(float))
    assert found.classes_.tolist() == [0, 1, 2]
    assert set(found.predict(X)) <= {0, 2}
    assert (found.predict_proba(X)[:, 1] == 0).all()


def test_votes_begin_with_three():
    """Of two half-spaces there is no vote, and that is no reason to end the search."""
    X, y = make_moons(300, noise=0.15, random_state=1)
    found = NAClassifier(output="at_least", random_state=0).fit(X, y)
    assert found.n_neurons_ >= 3
    assert found.training_score_ >= 0.95


def test_a_size_that_does_not_help_does_not_hide_the_next():
    """On two moons two half-spaces tell little more than one, three nearly everything."""
    moons = dataset("moons")
    found = NAClassifier(random_state=0).fit(moons.X, moons.y)
    assert found.n_neurons_ >= 3
    assert found.training_score_ >= 0.94


# ---- the path


def test_the_path_is_a_table(fitted_cancer):
    path = fitted_cancer.path_
    terms = [row.terms for row in path]
    assert terms == sorted(set(terms))
    assert terms[0] == 0
    assert 1 in terms
    labels = [row.label_bits for row in path if not row.chosen]
    assert labels == sorted(labels, reverse=True)
    assert sum(row.chosen for row in path) == 1
    assert path.chosen.list == fitted_cancer.list_
    assert path.chosen.terms == fitted_cancer.n_terms_
    for row in path:
        assert row.terms == row.list.terms
        assert row.errors == pytest.approx(569 * (1 - row.accuracy))
    weight = fitted_cancer.shortness
    bits = [row.label_bits + weight * row.rule_bits for row in path]
    assert min(bits) == pytest.approx(path.chosen.label_bits + weight * path.chosen.rule_bits)


def test_errors_on_the_path_are_counted_in_the_rows_and_weights_that_were_given(cancer):
    X, y = cancer
    drawn = np.random.default_rng(0).integers(0, len(y), len(y))  # with copies
    found = NAClassifier(random_state=0).fit(X[drawn], y[drawn])
    for row in found.path_:
        wrong = found.classes_[row.list.predict(X[drawn])] != y[drawn]
        assert row.errors == pytest.approx(wrong.sum())
    heavy = NAClassifier(class_weight={0: 1, 1: 5}, random_state=0).fit(X, y)
    for row in heavy.path_:
        wrong = heavy.classes_[row.list.predict(X)] != y
        assert row.errors == pytest.approx(np.where(y == 1, 5, 1)[wrong].sum())


def test_the_path_as_text_and_as_a_frame(fitted_cancer):
    pytest.importorskip("pandas")
    frame = fitted_cancer.path_.to_frame()
    assert len(frame) == len(fitted_cancer.path_)
    assert frame["rule"][1] == fitted_cancer.path_[1].rule
    lines = repr(fitted_cancer.path_).splitlines()
    assert len(lines) == len(frame) + 1
    assert sum(line.startswith("*") for line in lines) == 1


def test_at_gives_the_rule_of_a_size_without_fitting(fitted_cancer, cancer):
    X, y = cancer
    small = fitted_cancer.at(terms=3)
    assert small.n_terms_ <= 3
    assert small.score(X, y) == pytest.approx(small.training_score_)
    assert small.path_.chosen.terms == small.n_terms_
    assert fitted_cancer.path_.chosen.terms == fitted_cancer.n_terms_
    assert fitted_cancer.at(terms=10**6).n_terms_ == fitted_cancer.path_[-1].terms
    with pytest.raises(ValueError, match="terms must be an integer >= 0, got -1"):
        fitted_cancer.at(terms=-1)


def test_held_out_errors_of_the_path(iris):
    X, y = iris
    found = NAClassifier(random_state=0, evaluations=500).fit(X, y)
    path = found.validate_path(X, y, cv=3)
    assert found.path_ is path
    assert path[0].held_out_error == pytest.approx(2 / 3, abs=0.02)
    assert path.at(4).held_out_error < 0.1
    for row in path:
        share = row.held_out_error
        assert row.standard_error == pytest.approx(np.sqrt(share * (1 - share) / 150), abs=1e-9)
    assert "held-out error" in repr(path)


def test_held_out_errors_are_those_of_the_folds():
    X, y = box(3, n=200)
    found = NAClassifier(random_state=0, evaluations=300).fit(X, y)
    folds = [(np.arange(100), np.arange(100, 200)), (np.arange(100, 200), np.arange(100))]
    path = found.validate_path(X, y, cv=folds)
    wrong = np.zeros(200)
    for train, test in folds:
        part = clone(found).fit(X[train], y[train]).at(terms=path[-1].terms)
        wrong[test] = part.predict(X[test]) != y[test]
    assert path[-1].held_out_error == pytest.approx(wrong.mean())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sample_weight": 1j}, "sample_weight must be numbers, got 1j"),
        ({"sample_weight": "x" * 20_000}, "sample_weight must be numbers, got 'xxx"),
        ({"sample_weight": -np.ones(40)}, "Negative values in sample_weight"),
        ({"cv": "9" * 5000}, "Expected .?cv.? as an integer"),
    ],
)
def test_a_path_is_validated_with_checked_weights_and_folds(options, message):
    X, y = box(3, n=40)
    found = NAClassifier(random_state=0, evaluations=50).fit(X, y)
    with pytest.raises(ValueError, match=message) as refusal:
        found.validate_path(X, y, **options)
    assert len(str(refusal.value)) <= 1000


# ---- rules say what is computed


def test_conditions_have_few_digits_and_keep_every_training_row(fitted_cancer, cancer):
    X, _ = cancer
    for row in fitted_cancer.path_:
        for rule in row.list.rules:
            for condition in rule.conditions:
                assert abs(condition.weights[0]) == 1.0
                assert condition.holds(X).mean() == pytest.approx(
                    (condition.distance(X) > 0).mean()
                )


def by_hand(text, X, names):
    """Read a printed rule of two classes as a person would, and apply it."""
    lines = text.splitlines()
    head, last = lines[0], lines[-1]
    yes, no = head.split()[1], last.split()[1]
    conditions = []
    for line in lines[1:-1]:
        if line.startswith("      "):
            conditions[-1] += " " + line.strip()
        else:
            conditions.append(line.strip())
    bits = []
    for condition in conditions:
        left, relation, right = (
            condition.rpartition(" > ") if " > " in condition else condition.rpartition(" < ")
        )
        total, sign, first = None, 1.0, True
        for token in left.split():
            if token in "+-":
                sign = 1.0 if token == "+" else -1.0
                continue
            number, star, name = token.rpartition("*")
            value = sign * (float(number) if star else 1.0) * X[:, names.index(name)]
            total = value if first else total + value
            first = False
        bits.append(total > float(right) if relation.strip() == ">" else total < float(right))
    count = np.sum(bits, axis=0)
    if "ANY" in head or head.endswith(" if"):
        holds = count >= 1
    elif "ALL" in head:
        holds = count == len(bits)
    elif "AT LEAST" in head:
        holds = count >= int(head.split()[-2])
    else:
        holds = count % 2 == 1
    return np.where(holds, yes, no)


@pytest.mark.parametrize("seed", range(6))
def test_the_printed_rule_is_the_classifier(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 4)) * [1, 100, 0.01, 5] + [0, 1000, 0, -5]
    y = (X[:, 0] > 0) ^ (X[:, 1] > 1050) if seed % 2 else X[:, 0] * X[:, 2] > 0.001
    names = ["a", "b", "c", "d"]
    found = NAClassifier(random_state=seed).fit(X, y.astype(int))
    new = rng.normal(size=(5000, 4)) * [1, 100, 0.01, 5] + [0, 1000, 0, -5]
    text = export_text(found, names)
    assert (by_hand(text, new, names) == found.predict(new).astype(str)).all()


def test_a_printed_list_reads_from_top_to_bottom(fitted_iris):
    text = export_text(fitted_iris, ["sl", "sw", "pl", "pw"])
    lines = [line for line in text.splitlines() if not line.startswith(" ")]
    assert lines[0].startswith("class ")
    assert lines[1].startswith("otherwise class ")
    assert lines[2].startswith("otherwise ")


def test_names_of_features(iris):
    pd = pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True, as_frame=True)
    found = NAClassifier(random_state=0).fit(X, y)
    assert "petal" in export_text(found)
    assert isinstance(X, pd.DataFrame)
    assert "x3" in export_text(NAClassifier(random_state=0).fit(*iris))
    with pytest.raises(ValueError, match="feature_names must be 4 names, got 2"):
        export_text(found, ["a", "b"])
    with pytest.raises(TypeError, match="classifier must be an NAClassifier"):
        export_text(LogisticRegression())
    assert len(export_text(found, digits=1)) <= len(export_text(found))


def test_json_keeps_everything_but_the_path(fitted_cancer, fitted_iris, cancer, iris):
    for found, (X, _) in ((fitted_cancer, cancer), (fitted_iris, iris)):
        read = NAClassifier.from_json(found.to_json())
        same(found, read, X)
        assert export_text(read) == export_text(found)
        assert read.training_score_ == found.training_score_
        assert read.get_params() == found.get_params()
        with pytest.raises(AttributeError, match="has no path"):
            read.at(terms=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version must be 3, got 2; fit it again"),
        ({"version": 99}, "a newer version"),
        ({"order": [0, 0, 1]}, "order must be different"),
        ({"rules": []}, "rules must be a list"),
        ({"features": 0}, "features must be a positive integer"),
        ({"classes": [2, 1, 0]}, "classes must be sorted"),
        ({"classes": [-(10**30), 0, 1]}, "classes must be integers of at most 64 bits"),
        ({"classes": [-1, 0, 2**63]}, "classes must be integers of at most 64 bits"),
        ({"parameters": {"max_evals": 3}}, "parameters must be those of NAClassifier"),
        ({"extra": 1}, "must have the keys"),
    ],
)
def test_damaged_json_is_refused(fitted_iris, change, message):
    import json

    data = json.loads(fitted_iris.to_json()) | change
    with pytest.raises(ValueError, match=message):
        NAClassifier.from_json(json.dumps(data))


# ---- the same rule


def test_the_order_of_rows_and_repeats_as_weights_do_not_matter():
    X, y = box(1, n=150)
    rng = np.random.default_rng(0)
    count = rng.integers(0, 3, 150)
    weighted = NAClassifier(random_state=0).fit(X, y, sample_weight=count)
    order = rng.permutation(np.repeat(np.arange(150), count))
    same(NAClassifier(random_state=0).fit(X[order], y[order]), weighted, X)


@pytest.mark.parametrize(("backend", "jobs"), [("threading", 2), ("loky", 2)])
def test_every_backend_gives_the_same_rules(iris, fitted_iris, backend, jobs):
    X, y = iris
    with joblib.parallel_config(backend, n_jobs=jobs):
        same(NAClassifier(random_state=0, n_jobs=jobs).fit(X, y), fitted_iris, X)
    moons = make_moons(200, noise=0.2, random_state=0)
    alone = NAClassifier(random_state=0).fit(*moons)
    same(NAClassifier(random_state=0, n_jobs=2).fit(*moons), alone, moons[0])


def test_pickles_and_clones(fitted_cancer, cancer):
    X, y = cancer
    same(pickle.loads(pickle.dumps(fitted_cancer)), fitted_cancer, X)
    assert not hasattr(clone(fitted_cancer), "list_")
    same(clone(fitted_cancer).fit(X, y), fitted_cancer, X)


def test_copies_of_rows_are_no_evidence():
    """A bootstrap sample and an oversampled class get rules as short as the rows themselves."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(250, 8))
    y = rng.random(250) < 1 / (1 + np.exp(-X[:, :3].sum(axis=1)))
    plain = NAClassifier(random_state=0).fit(X, y)
    four = np.repeat(np.arange(250), 4)
    same(NAClassifier(random_state=0).fit(X[four], y[four]), plain, X)
    draws = rng.integers(0, 250, 250)
    drawn = NAClassifier(random_state=0).fit(X[draws], y[draws])
    once = NAClassifier(random_state=0).fit(X[np.unique(draws)], y[np.unique(draws)])
    assert drawn.n_terms_ <= once.n_terms_ + 2


def test_repeats_of_coarse_values_are_evidence():
    """Four answers of yes or no have 16 different rows, however many people were asked."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (600, 4)).astype(float)
    y = rng.random(600) < np.where(X[:, 0] + X[:, 2] > 0.5, 0.75, 0.25)
    found = NAClassifier(random_state=0).fit(X, y)
    assert found.list_.features == (0, 2)


# ---- what users hand in


def test_inside_scikit_learn(cancer):
    X, y = cancer
    grid = GridSearchCV(
        make_pipeline(StandardScaler(), NAClassifier(random_state=0, evaluations=500)),
        {"naclassifier__max_terms": [1, 4]},
        cv=3,
    ).fit(X, y)
    assert grid.best_params_ == {"naclassifier__max_terms": 4}
    text = export_text(grid.best_estimator_)
    assert "x" in text


def test_probabilities_are_as_good_as_logistic_regression_s(cancer):
    X, y = cancer
    plain = make_pipeline(StandardScaler(), LogisticRegression())
    ours = cross_val_score(NAClassifier(random_state=0), X, y, cv=3, scoring="neg_log_loss")
    theirs = cross_val_score(plain, X, y, cv=3, scoring="neg_log_loss")
    assert ours.mean() > theirs.mean() - 0.03


def test_huge_and_tiny_weights():
    X, y = box(2, n=120)
    for heavy in (1e15, 1e16, 1e300):
        weight = np.ones(120)
        weight[0] = heavy
        found = NAClassifier(random_state=0).fit(X, y, sample_weight=weight)
        assert found.predict(X[:1])[0] == y[0]
        assert np.isfinite(found.predict_proba(X)).all()
    with pytest.raises(ValueError, match="must have a finite sum"):
        NAClassifier().fit(X, y, sample_weight=np.full(120, 1e308))
    small = NAClassifier(random_state=0).fit(X, y, sample_weight=np.full(120, 1e-9))
    same(small, NAClassifier(random_state=0).fit(X, y, sample_weight=np.full(120, 1e-3)), X)
    both = NAClassifier(random_state=0, class_weight={False: 1e300, True: 1.0}).fit(X, y)
    assert np.isfinite(both.predict_proba(X)).all()


def test_class_weight(cancer):
    X, y = cancer
    heavy = NAClassifier(random_state=0, class_weight={0: 20.0, 1: 1.0}).fit(X, y)
    plain = NAClassifier(random_state=0).fit(X, y)
    missed = {each: (each.predict(X)[y == 0] == 1).sum() for each in (heavy, plain)}
    assert missed[heavy] <= missed[plain]
    weight = np.where(y == 0, 20.0, 1.0)
    same(NAClassifier(random_state=0).fit(X, y, sample_weight=weight), heavy, X)
    balanced = NAClassifier(random_state=0, class_weight="balanced").fit(X, y)
    assert balanced.baseline_score_ == pytest.approx(0.5)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1.0, 1e150, 1e300])
def test_units_do_not_matter(scale):
    X, y = box(6, n=150, flipped=0.0)
    found = NAClassifier(random_state=0).fit(X * scale, y)
    plain = NAClassifier(random_state=0).fit(X, y)
    assert found.n_terms_ == plain.n_terms_
    assert (found.predict(X * scale) == plain.predict(X)).mean() > 0.98


def test_constant_features_are_left_out():
    X, y = box(0, n=150)
    wide = np.column_stack([np.full(150, 3.7), X, np.zeros(150)])
    found = NAClassifier(random_state=0).fit(wide, y)
    plain = NAClassifier(random_state=0).fit(X, y)
    assert found.list_.features == tuple(k + 1 for k in plain.list_.features)
    nothing = NAClassifier().fit(np.ones((20, 3)), [0, 1] * 10)
    assert nothing.output_ == "constant"


def test_more_features_than_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 500))
    y = X[:, 7] > 0.2
    found = NAClassifier(random_state=0).fit(X, y)
    assert found.list_.features == (7,)


def test_many_rows_are_sampled_and_rare_classes_stay():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120_000, 3))
    y = np.where(X[:, 0] > 0, "high", "low ")
    y[(X[:, 1] > 3.2)] = "rare"
    found = NAClassifier(random_state=0, evaluations=500).fit(X, y)
    assert (y == "rare").sum() < 150
    assert found.score(X, y) > 0.99
    assert (found.predict(X[y == "rare"]) == "rare").mean() > 0.8


def test_signs_of_coefficients():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = rng.random(300) < 1 / (1 + np.exp(-2 * X[:, 0] + X[:, 1]))
    signs = [1, 1, 0, -1]
    for seed in range(3):
        found = NAClassifier(random_state=seed, monotonic_cst=signs).fit(X, y)
        for row in found.path_:
            for condition in row.list.rules[0].conditions:
                for feature, weight in zip(condition.features, condition.weights, strict=True):
                    assert signs[feature] * weight >= 0
        for feature, sign in enumerate(signs):
            moved = X.copy()
            moved[:, feature] += sign
            change = found.predict_proba(moved)[:, 1] - found.predict_proba(X)[:, 1]
            assert sign == 0 or (change >= -1e-12).all()
    xor = X[:, 0] * X[:, 1] > 0
    assert NAClassifier(random_state=0, monotonic_cst=[1, 1, 0, 0]).fit(X, xor).output_ != "xor"
    three = np.digitize(X[:, 0], [-0.5, 0.5])
    free = NAClassifier(random_state=0, monotonic_cst=[0, 0, 0, 0]).fit(X, three)
    assert export_text(free) == export_text(NAClassifier(random_state=0).fit(X, three))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_terms": -1}, "max_terms must be an integer >= 0, got -1"),
        ({"max_terms": 2.5}, "max_terms must be an integer"),
        ({"max_neurons": 0}, "max_neurons must be an integer from 1 to 62, got 0"),
        ({"output": "nand"}, "output must be one of"),
        ({"shortness": -0.1}, "shortness must be"),
        ({"shortness": float("nan")}, "shortness must be"),
        ({"evaluations": -5}, "evaluations must be an integer >= 0, got -5"),
        ({"monotonic_cst": [1, 2]}, "monotonic_cst must be 2 numbers, each -1, 0 or 1"),
        (
            {"monotonic_cst": {"a": 1}},
            "monotonic_cst must be an array where features have no names",
        ),
        ({"monotonic_cst": [1, 0], "output": "xor"}, "output must not be 'xor'"),
        ({"class_weight": "even"}, "class_weight must be 'balanced' or a dict or None"),
        ({"class_weight": {0: -1.0}}, "class_weight must be finite and non-negative"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_wrong_parameters(parameters, message):
    X, y = make_moons(40, random_state=0)
    with pytest.raises((ValueError, TypeError), match=message):
        NAClassifier(**parameters).fit(X, y)


def test_monotonic_signs_by_name_and_for_two_classes_only(iris):
    pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True, as_frame=True)
    two = y < 2
    length = "petal length (cm)"
    found = NAClassifier(monotonic_cst={length: -1}, random_state=0).fit(X[two], y[two])
    assert all(condition.weights[0] != 0 for condition in found.rules_[0].conditions)
    with pytest.raises(ValueError, match="monotonic_cst must name features"):
        NAClassifier(monotonic_cst={"petal": 1}).fit(X[two], y[two])
    with pytest.raises(ValueError, match="must be None for more than two classes, got 3"):
        NAClassifier(monotonic_cst=[1, 0, 0, 0]).fit(*iris)


def test_gaps_and_text_are_refused_with_what_helps():
    with pytest.raises(ValueError, match="table_pipeline") as caught:
        NAClassifier().fit([[1.0, np.nan], [2.0, 3.0]] * 5, [0, 1] * 5)
    assert "NaN" in str(caught.value)
    with pytest.raises(ValueError, match="text in column"):
        NAClassifier().fit([["red", 1.0], ["blue", 2.0]] * 5, [0, 1] * 5)


def test_a_refused_fit_leaves_the_estimator_as_it_was(cancer):
    X, y = cancer
    found = NAClassifier(random_state=0).fit(X, y)
    before = found.to_json()
    for bad in (
        (X[:, :3], y[:5], None),
        (X[:, :3], np.zeros(len(X)), None),
        (X[:, :3], y, -np.ones(len(X))),
        (np.full((10, 2), np.nan), [0, 1] * 5, None),
    ):
        with pytest.raises(ValueError):  # noqa: PT011  the words are tested elsewhere
            found.fit(*bad)
        assert found.to_json() == before
        assert (found.predict(X) == found.path_.chosen.list.predict(X)).all()


def test_an_interrupt_leaves_the_estimator_as_it_was(monkeypatch, cancer):
    X, y = cancer
    found = NAClassifier(random_state=0).fit(X, y)
    before = found.to_json()

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("hyperna.classifier.search.Search.run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        found.fit(X[:, :5], y)
    assert found.to_json() == before


def test_verbose_says_what_was_found(capsys):
    X, y = load_wine(return_X_y=True)
    found = NAClassifier(verbose=1, random_state=0, evaluations=300).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith("[NAClassifier] class ") for line in lines)
    assert len(found.rules_) == 2
    for rule, k in zip(found.rules_, found.list_.order, strict=False):
        head = f"[NAClassifier] class {k}: "
        told = [line.removeprefix(head) for line in lines if line.startswith(head)]
        assert told[0].startswith("one condition: ")
        sizes = [line.partition(":")[0] for line in told[1:-1]]
        assert sizes == [f"up to {size} conditions" for size in range(2, 2 + len(sizes))]
        assert len(sizes) > 1
        size = f"{counted(rule.terms, 'term')} in {counted(len(rule.conditions), 'condition')}"
        assert told[-1].startswith(f"the rule: {size}, ")
        assert re.search(r" bits, of \d+ candidates \(constant answer \d+\.\d bits\)$", told[-1])


def test_verbose_names_classes_of_any_type(capsys):
    X = np.arange(40.0)[:, None]
    for classes in (["no", "yes"], [0, 1], [False, True], np.array(["no", "yes"], dtype=object)):
        y = np.repeat(np.array(classes), 20)
        NAClassifier(verbose=1, evaluations=10, random_state=0).fit(X, y)
        lines = capsys.readouterr().out.splitlines()
        assert lines
        assert all(line.startswith(f"[NAClassifier] class {classes[1]!r}: ") for line in lines)


@pytest.mark.parametrize("most", [0, 1, 5, 6, 7, 100])
def test_the_path_of_a_list_is_the_best_of_all_combinations(most):
    """Of all that have so many terms together, for every number up to the largest allowed one."""
    rng = np.random.default_rng(most)
    paths = [
        [SimpleNamespace(network=SimpleNamespace(terms=k), bits=rng.random()) for k in sizes]
        for sizes in ([0, 1, 3], [0, 2, 3, 4], [0, 1])
    ]
    best = {}
    for chosen in itertools.product(*paths):
        size = sum(one.network.terms for one in chosen)
        if size <= most:
            best[size] = min(best.get(size, 99), sum(one.bits for one in chosen))
    found = combined(paths, lambda one: one.bits, most)
    assert list(found) == sorted(best)
    for size, chosen in found.items():
        assert sum(one.network.terms for one in chosen) == size
        assert sum(one.bits for one in chosen) == pytest.approx(best[size])


def candidate_of(terms, labels, bits=0.0):
    network = SimpleNamespace(terms=terms, neurons=min(terms, 1))
    return SimpleNamespace(network=network, code=SimpleNamespace(labels=labels), bits=bits)


def search_of(candidates, best):
    """A finished search whose path has all of its candidates."""
    return SimpleNamespace(candidates=candidates, best=best, path=lambda: candidates)


def sizes_of(path):
    return [sum(one.network.terms for one in candidates) for candidates in path]


@pytest.mark.parametrize("rules", [1, 2, 3])
def test_paths_of_lists_leave_out_sizes_that_are_near_each_other(rules):
    """All sizes up to 12, then each at least 1.15 times the one before: 23 is that of 20."""
    candidates = [candidate_of(k, 100.0 - k) for k in range(30)]
    constant = candidate_of(0, 9.0)
    searches = [search_of(candidates, candidates[5])]
    searches += [search_of([constant], constant)] * (rules - 1)
    answer = (candidates[5], *[constant] * (rules - 1))
    wanted = [*range(30)] if rules == 1 else [*range(13), 14, 17, 20, 23, 27]
    assert sizes_of(best_of_sizes(searches, answer, 99)) == wanted
    assert sizes_of(best_of_sizes(searches, answer, 14)) == [k for k in wanted if k < 15]
    last = (candidates[28], *[constant] * (rules - 1))
    found = sizes_of(best_of_sizes(searches, last, 99))
    assert found == ([*range(30)] if rules == 1 else [*wanted, 28])


def test_sizes_on_a_path_tell_more_than_all_shorter_ones_but_for_the_answer():
    labels = [100.0, 50.0, 70.0, 60.0, 50.0, 40.0, 40.0]
    candidates = [candidate_of(k, each) for k, each in enumerate(labels)]
    searches = [search_of(candidates, candidates[2])]
    for place, wanted in ((2, [0, 1, 2, 5]), (1, [0, 1, 5]), (6, [0, 1, 5, 6]), (0, [0, 1, 5])):
        assert sizes_of(best_of_sizes(searches, (candidates[place],), 99)) == wanted


@pytest.mark.parametrize("most", range(8))
def test_answers_of_a_list_share_the_largest_number_of_terms(most):
    """What has the fewest bits within it; a class that is not told gets no rule by that."""
    rng = np.random.default_rng(most)
    paths = [[candidate_of(k, 0.0, bits) for k, bits in enumerate(rng.random(4))] for _ in range(3)]
    for bests in itertools.product(range(4), repeat=3):
        searches = [search_of(path, path[k]) for path, k in zip(paths, bests, strict=True)]
        found = answer_within(searches, most)
        answers = tuple(search.best for search in searches)
        if sum(bests) <= most:
            assert found == answers
            continue
        allowed = [path if k else path[:1] for path, k in zip(paths, bests, strict=True)]
        least = min(
            sum(one.bits for one in some)
            for some in itertools.product(*allowed)
            if sum(one.network.terms for one in some) <= most
        )
        assert sum(one.bits for one in found) == pytest.approx(least)
        assert sum(one.network.terms for one in found) <= most
        told = [one.network.terms > 0 for one in found]
        assert not any(more and not k for more, k in zip(told, bests, strict=True))


@pytest.mark.parametrize("lapse", [0.0, 0.01, 0.25])
def test_the_answer_of_a_list_is_never_less_likely_than_another_class(lapse):
    """Also where it is near the border of an early rule and far inside a later one."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    some = [
        Rule((Condition((k,), (1.0,), 0.0, 1.0, (1.0,)),), 1, slope, lapse, 0.5)
        for k, slope in ((0, 0.5), (1, 3.0), (0, 8.0))
    ]
    rules = DecisionList(tuple(some), (2, 0, 3, 1), 4)
    chance = rules.probabilities(X)
    assert (chance.argmax(axis=1) == rules.predict(X)).all()
    np.testing.assert_allclose(chance.sum(axis=1), 1.0)


def test_balanced_classes_weigh_the_same_and_those_without_weight_nothing():
    label = np.array([0] * 6 + [1] * 3 + [2] * 4)
    weight = np.where(label == 1, 0.0, np.arange(1.0, 14.0))
    made = weight * class_weights("balanced", np.arange(3), label, weight)[label]
    totals = np.bincount(label, weights=made)
    assert totals[0] == pytest.approx(totals[2])
    assert (totals[1], totals.sum()) == (0.0, pytest.approx(weight.sum()))


def test_a_sample_of_a_large_table_is_like_the_table():
    """Rows of a rare class are drawn at random, and weigh as much as in the table."""
    rng = np.random.default_rng(0)
    size, rare = 60_000, 150
    X = rng.normal(size=(size, 2))
    label = np.zeros(size, np.int64)
    label[:rare] = 1
    table = LabelledTable.of(X, label, np.ones(size))
    sample = table.sample(np.random.default_rng(1))
    of_class = sample.label == 1
    assert np.count_nonzero(of_class) == 100
    assert sample.weight[of_class].sum() / sample.n_rows == pytest.approx(rare / size, rel=1e-3)
    assert sample.weight.sum() == pytest.approx(20_000, rel=0.01)
    assert sample.given == pytest.approx(sample.n_rows)
    error = X[:rare, 0].std() / 10
    assert abs(sample.X[of_class, 0].mean() - X[:rare, 0].mean()) < 4 * error


def test_errors_on_the_path_are_those_of_all_rows():
    """Also where the search looks at a sample only."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30_000, 2))
    y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
    classifier = NAClassifier(max_neurons=1, evaluations=50, random_state=0).fit(X, y)
    assert classifier.training_score_ == pytest.approx(classifier.score(X, y))
    for row in classifier.path_:
        assert row.errors == np.count_nonzero(classifier.at(row.terms).predict(X) != y)
