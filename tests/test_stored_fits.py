"""Fits of tables and options that meet: equal to stored ones, and what they say recomputed.

With other versions of libraries than those of the stored fits at most 2 % may give other rules.
"""

import json
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from exported import border_values, run_python
from swept_fits import (
    MAY_DIFFER,
    STORED,
    VERSIONS,
    alike,
    classifier_of,
    fitted,
    given_weights,
    results,
    table_of,
)

from hyperna import NAClassifier, export_code
from hyperna.classifier.half_spaces import ODD
from hyperna.classifier.table import LabelledTable, Standardisation

DATA = json.loads(STORED.read_text(encoding="utf-8"))
FITS = [setting for setting, _ in DATA["fits"]]
EACH = range(len(FITS))
# What takes longer is slow but for every fifth one.
MOST = [k if k % 5 == 0 else pytest.param(k, marks=pytest.mark.slow) for k in EACH]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@cache
def fit_of(number):
    return fitted(FITS[number])


def rows_of(number):
    """Rows, numbers of classes, and weights of rows times those of their classes."""
    setting = FITS[number]
    X, y, weight = table_of(setting)
    classes, label = np.unique(y, return_inverse=True)
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, float)
    of_class = given_weights(setting, classes)
    if of_class == "balanced":
        total = np.array([weight[label == k].sum() for k in range(len(classes))])
        share = np.divide(weight.sum(), total, out=np.zeros(len(total)), where=total > 0)
        weight = weight * share[label] / np.count_nonzero(total)
    elif of_class:
        weight = weight * np.array([of_class[name] for name in y.tolist()])
    return X, label, weight


def at_borders(rules, X, most=40):
    """Rows, and rows moved to the borders of conditions and to the doubles beside them."""
    rows = [X]
    for condition in [condition for rule in rules for condition in rule.conditions][:6]:
        for k in condition.features[:3]:
            for values in border_values(condition, X[:most], k):
                moved = X[:most].copy()
                moved[:, k] = values
                rows.append(moved)
    return np.concatenate(rows)


def condition_holds(condition, row):
    """Add the terms in their order and compare, in plain Python."""
    total = condition.weights[0] * row[condition.features[0]]
    for feature, weight in zip(condition.features[1:], condition.weights[1:], strict=True):
        total += weight * row[feature]
    return total > condition.threshold


def answer_by_hand(listed, row):
    """Number of the class that a list gives to a row, as a reader finds it."""
    for rule, number in listed.asked:
        held = sum(condition_holds(condition, row) for condition in rule.conditions)
        if held % 2 == 1 if rule.quorum == ODD else held >= rule.quorum:
            return number
    return listed.otherwise


def test_fits_are_those_that_were_stored():
    different = [
        number
        for number in EACH
        if not alike(results(FITS[number], fit_of(number)), DATA["fits"][number][1])
    ]
    allowed = 0 if DATA["versions"] == VERSIONS else MAY_DIFFER * len(FITS)
    assert len(different) <= allowed, [(number, FITS[number]) for number in different]


@pytest.mark.parametrize("number", EACH)
def test_a_path_says_of_each_rule_what_it_is(number):
    clf, setting = fit_of(number), FITS[number]
    X, label, weight = rows_of(number)
    most = setting["max_terms"]
    path = list(clf.path_)
    assert [row.terms for row in path] == sorted({row.terms for row in path})
    assert [row.chosen for row in path].count(True) == 1
    assert path[0].terms == 0
    for before, after in pairwise(path):
        assert after.label_bits < before.label_bits or after.chosen or before.chosen
    least = np.minimum.accumulate([row.label_bits for row in path])
    for row, bits in zip(path, least, strict=True):
        assert row.chosen or row.label_bits == bits
    for row in path:
        rules = row.list.rules
        conditions = [condition for rule in rules for condition in rule.conditions]
        assert row.terms == sum(len(condition.features) for condition in conditions)
        assert row.neurons == len(conditions)
        assert most is None or row.terms <= most
        for rule in rules:
            assert len(rule.conditions) <= setting["max_neurons"]
            assert 0 <= rule.lapse <= 0.25
            joined = setting["output"], rule.output
            # "at least two of three" without a half-space is "any" or "all" of the others
            assert joined[0] in ("auto", "at_least", joined[1]) or len(rule.conditions) < 2
            assert joined[0] != "at_least" or joined[1] != "xor"
        answers = np.array([answer_by_hand(row.list, one) for one in X.tolist()])
        wrong = weight[answers != label].sum()
        assert row.errors == pytest.approx(wrong, rel=1e-9, abs=1e-9 * weight.sum())
        assert row.accuracy == pytest.approx(1 - wrong / weight.sum(), abs=1e-9)
        if row.terms == 0:
            assert row.rule_bits == 0
    [chosen] = [row for row in path if row.chosen]
    assert chosen.list == clf.list_
    assert clf.training_score_ == pytest.approx(chosen.accuracy)
    shares = np.bincount(label, weights=weight) / weight.sum()
    assert clf.baseline_score_ == pytest.approx(shares.max())
    assert clf.n_terms_ == chosen.terms
    assert clf.n_neurons_ == chosen.neurons
    assert clf.output_ == chosen.output


@pytest.mark.parametrize("number", MOST)
def test_answers_are_those_of_the_rule_by_hand_and_as_code_up_to_its_borders(number):
    clf = fit_of(number)
    for terms in range(clf.path_[-1].terms + 2):
        [row] = [row for row in clf.path_ if row.terms <= terms][-1:]
        smaller = clf.at(terms)
        assert smaller.list_ == row.list
        assert [each.chosen for each in smaller.path_] == [each is row for each in clf.path_]
        assert smaller.training_score_ == row.accuracy
    X = at_borders(clf.rules_, table_of(FITS[number])[0][:30])
    wanted = clf.classes_[[answer_by_hand(clf.list_, row) for row in X.tolist()]]
    assert (clf.predict(X) == wanted).all()
    chance = clf.predict_proba(X)
    assert (clf.classes_[chance.argmax(axis=1)] == wanted).all()
    np.testing.assert_allclose(chance.sum(axis=1), 1.0)
    names = [f"x{k + 1}" for k in range(X.shape[1])]
    plain = [dict(zip(names, row, strict=True)) for row in X.tolist()]
    assert run_python(export_code(clf, "python"), plain) == wanted.tolist()
    read = NAClassifier.from_json(clf.to_json())
    assert read.list_ == clf.list_
    assert read.get_params()["shortness"] == clf.shortness
    np.testing.assert_array_equal(read.predict_proba(X), chance)
    if len(clf.classes_) == 2:
        distance = clf.decision_function(X)
        assert ((distance > 0) == (wanted == clf.classes_[1])).all()
        rule = clf.rules_[0]
        if rule.conditions:
            sure = rule.lapse + (1 - 2 * rule.lapse) / (1 + np.exp(-rule.slope * distance))
            np.testing.assert_allclose(chance[:, 1], sure, atol=1e-12)
        else:
            np.testing.assert_allclose(chance[:, 1], rule.share)


@pytest.mark.parametrize("number", [k for k in EACH if FITS[k]["monotonic"] != "none"])
def test_probabilities_follow_the_signs(number):
    clf, setting = fit_of(number), FITS[number]
    X = table_of(setting)[0]
    rng = np.random.default_rng(number)
    signs = classifier_of(setting, X, table_of(setting)[1]).monotonic_cst
    for row in clf.path_:
        smaller = clf.at(row.terms)
        for k in np.flatnonzero(signs):
            low, high = X[rng.integers(0, len(X), (2, 60))]
            high = np.where(np.arange(X.shape[1]) == k, np.maximum(low, high), low)
            steps = smaller.predict_proba(high)[:, 1] - smaller.predict_proba(low)[:, 1]
            assert (signs[k] * steps >= 0).all()
            # and each coefficient has its sign
            for condition in row.list.rules[0].conditions:
                for feature, weight in zip(condition.features, condition.weights, strict=True):
                    assert signs[feature] * weight >= 0


def rules_as_numbers(clf):
    """All that a fit found, as one list of numbers."""
    found = [*clf.list_.order]
    for row in clf.path_:
        found += [row.terms, row.neurons, row.errors, row.label_bits, row.rule_bits, row.chosen]
        for rule in row.list.rules:
            found += [rule.quorum, rule.slope, rule.lapse, rule.share]
            for condition in rule.conditions:
                found += [*condition.features, *condition.weights, *condition.influence]
                found += [condition.threshold, condition.scale]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("number", [k for k in EACH[::2] if FITS[k]["class_weight"]])
def test_weights_of_classes_are_weights_of_their_rows(number):
    setting = FITS[number]
    X, _, weight = rows_of(number)
    y = table_of(setting)[1]
    plain = classifier_of(setting, X, y).set_params(class_weight=None)
    assert rules_as_numbers(plain.fit(X, y, weight)) == pytest.approx(
        rules_as_numbers(fit_of(number)), rel=1e-5, abs=1e-12
    )


@pytest.mark.slow
@pytest.mark.parametrize("number", EACH[::3])
def test_neither_the_order_of_rows_nor_rows_without_weight_matter(number):
    setting = FITS[number]
    X, y, weight = table_of(setting)
    weight = np.ones(len(y)) if weight is None else weight
    order = np.random.default_rng(number).permutation(len(y))
    X, y, weight = X[order], y[order], weight[order]
    more = 5 * X[:3] + 1.0
    X = np.concatenate([more, X, more])
    y = np.concatenate([y[:3], y, y[:3]])
    weight = np.concatenate([np.zeros(3), weight, np.zeros(3)])
    again = classifier_of(setting, X, y).fit(X, y, weight)
    assert rules_as_numbers(again) == pytest.approx(
        rules_as_numbers(fit_of(number)), rel=1e-5, abs=1e-12
    )


def copies_and_evidence(X, label, weight):
    """Rows that a table stands for, by its definition, one pair of rows after the other."""
    relative = weight / weight.max()
    kept = relative > 0
    X, label, relative, weight = X[kept], label[kept], relative[kept], weight[kept]
    kinds = [(*row, k) for row, k in zip(X.tolist(), label.tolist(), strict=True)]

    def agreement(keys):
        total = {}
        for key, part in zip(keys, relative, strict=True):
            total[key] = total.get(key, 0.0) + part
        return sum(part**2 for part in total.values()) / relative.sum() ** 2

    independent = 1 / agreement(kinds)
    columns = [[row[k] for row in X.tolist()] for k in range(X.shape[1])]
    chances = [agreement(column) for column in columns]
    varied = int(np.argmin(chances))
    of_rows = agreement([kind[:-1] for kind in kinds])
    of_others = agreement([(*kind[:varied], *kind[varied + 1 : -1]) for kind in kinds])
    copies = chances[varied] <= 0.1 and 2 * of_rows > of_others
    copies = copies and agreement(kinds) > 0.95 * of_rows
    plain = len(set(kinds)) == len(kinds) and (weight == 1).all()
    return independent if plain or copies else max(weight.sum(), independent)


@pytest.mark.parametrize("number", EACH)
def test_tables_stand_for_the_rows_that_are_evidence(number):
    X, label, weight = rows_of(number)
    table = LabelledTable.of(X, label, weight)
    kept = weight > 0
    kinds = {}
    for row, k, part in zip(X[kept].tolist(), label[kept], weight[kept], strict=True):
        kinds[(*row, int(k))] = kinds.get((*row, int(k)), 0.0) + part
    rows = copies_and_evidence(X, label, weight)
    assert table.n_rows == pytest.approx(rows)
    assert table.given == pytest.approx(weight.sum())
    assert table.weight.sum() == pytest.approx(rows)
    found = {
        (*row, int(k)): part
        for row, k, part in zip(table.X.tolist(), table.label, table.weight, strict=True)
    }
    assert found == pytest.approx({kind: kinds[kind] * rows / weight.sum() for kind in kinds})
    standard = Standardisation.fit(table.X, table.weight)
    share = table.weight / table.weight.sum()
    for k, column in enumerate(table.X.T):
        if len(set(column.tolist())) == 1:
            assert standard.deviation[k] == 0
            continue
        size = abs(column).max()
        mean = float(share @ (column / size))
        deviation = float(np.sqrt(share @ (column / size - mean) ** 2))
        assert standard.centre[k] / size == pytest.approx(mean, abs=1e-9)
        assert standard.deviation[k] / size == pytest.approx(deviation, rel=1e-6)


def test_the_constant_answer_of_each_fit_takes_the_entropy():
    for number in EACH:
        clf = fit_of(number)
        first = clf.path_[0]
        X, label, weight = rows_of(number)
        rows = copies_and_evidence(X, label, weight)
        shares = np.bincount(label, weights=weight) / weight.sum()
        shares = shares[shares > 0]
        if first.terms == 0:
            assert first.label_bits == pytest.approx(-rows * shares @ np.log2(shares))


@pytest.mark.slow
@pytest.mark.parametrize("number", EACH[3::10])
def test_held_out_errors_are_those_of_each_fold_by_hand(number):
    """With weights; rows that no fold tests do not count."""
    setting = FITS[number]
    X, _, weight = rows_of(number)
    y = table_of(setting)[1]
    weight = np.maximum(weight, 0.25)
    place = np.arange(len(y)) % 4
    folds = [(np.flatnonzero(place != k), np.flatnonzero(place == k)) for k in (0, 2)]
    plain = classifier_of(setting, X, y).set_params(class_weight=None)
    plain.fit(X, y, weight)
    try:
        path = plain.validate_path(X, y, folds, sample_weight=weight)
    except ValueError:  # a fold without a second class
        return
    parts = [
        classifier_of(setting, X, y)
        .set_params(class_weight=None)
        .fit(X[train], y[train], weight[train])
        for train, _ in folds
    ]
    tested = np.concatenate([test for _, test in folds])
    share = weight[tested] / weight[tested].sum()
    for row in path:
        wrong = []
        for part, (_, test) in zip(parts, folds, strict=True):
            [rule] = [one for one in part.path_ if one.terms <= row.terms][-1:]
            answers = [part.classes_[answer_by_hand(rule.list, one)] for one in X[test].tolist()]
            wrong += [name != true for name, true in zip(answers, y[test].tolist(), strict=True)]
        mean = share @ np.array(wrong, float)
        assert row.held_out_error == pytest.approx(mean)
        deviation = np.sqrt((share**2 * (np.array(wrong) - mean) ** 2).sum())
        assert row.standard_error == pytest.approx(deviation)
    assert [row.terms for row in path] == [row.terms for row in plain.path_]
