"""Options of a classifier that meet: signs by name, classes without weight, what exists when."""

import numpy as np
import pytest

from hyperna import NAClassifier
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.rules import Condition, Rule


def quick(**options):
    return NAClassifier(evaluations=30, max_neurons=2, random_state=0, **options)


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(2).normal(size=(120, 3))


def test_signs_by_name_are_those_of_the_columns(rows):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=["a", "b", "c"])
    y = rows[:, 1] - rows[:, 2] + 0.3 * rows[:, 0] > 0
    for named, signs in (
        ({"b": 1}, [0, 1, 0]),
        ({"c": 1}, [0, 0, 1]),
        ({"c": -1, "a": -1}, [-1, 0, -1]),
        ({"b": -1, "c": 0}, [0, -1, 0]),
    ):
        by_name = quick(monotonic_cst=named).fit(frame, y)
        by_place = quick(monotonic_cst=signs).fit(rows, y)
        assert by_name.list_ == by_place.list_
        for row in by_name.path_:
            for condition in row.list.rules[0].conditions:
                pairs = zip(condition.features, condition.weights, strict=True)
                assert all(signs[k] * weight >= 0 for k, weight in pairs)


def test_signs_that_allow_everything_are_none(rows):
    """So that an odd number may be asked for, by itself or among others."""
    y = rows[:, 0] * rows[:, 1] > 0
    wanted = quick().fit(rows, y)
    assert wanted.output_ == "xor"
    for output in ("auto", "xor"):
        assert quick(output=output, monotonic_cst=[0, 0, 0]).fit(rows, y).list_ == wanted.list_


def test_signs_of_columns_after_a_constant_one_stay_theirs(rows):
    X = np.column_stack([np.ones(len(rows)), rows])
    y = rows[:, 0] + 0.2 * rows[:, 1] > 0
    falling = quick(monotonic_cst=[0, -1, 0, 0]).fit(X, y)
    assert 1 not in falling.list_.features
    for place in (0, 2, 3):
        signs = np.zeros(4, int)
        signs[place] = -1
        assert 1 in quick(monotonic_cst=signs).fit(X, y).list_.features


def test_of_three_classes_with_two_of_weight_there_is_one_rule_and_three_scores(rows):
    y = np.array(["a", "b", "c"])[(rows[:, 0] > 0) + (rows[:, 1] > 1).astype(int)]
    for without in "abc":
        found = quick().fit(rows, y, (y != without).astype(float))
        assert len(found.rules_) == 1
        chance = found.predict_proba(rows)
        scores = found.decision_function(rows)
        assert scores.shape == chance.shape == (120, 3)
        gone = "abc".index(without)
        assert (chance[:, gone] == 0).all()
        assert (scores[:, gone] == np.log(1e-300)).all()
        others = [k for k in range(3) if k != gone]
        np.testing.assert_allclose(scores[:, others], np.log(chance[:, others]))
        kept = y[y != without]
        largest = max((kept == name).mean() for name in "abc")
        assert found.baseline_score_ == pytest.approx(largest)


def test_two_classes_of_given_weights_are_enough(rows):
    y = np.array(["a", "b", "c"])[(rows[:, 0] > 0) + (rows[:, 1] > 1).astype(int)]
    found = quick(class_weight={"a": 1, "b": 2, "c": 0}).fit(rows, y)
    assert set(found.predict(rows)) == {"a", "b"}
    with pytest.raises(ValueError, match="positive for two classes"):
        quick(class_weight={"a": 0, "b": 2, "c": 0}).fit(rows, y)


def test_coefficients_exist_for_one_half_space_of_two_classes(rows):
    two = quick(max_terms=3).set_params(max_neurons=1).fit(rows, rows[:, 0] + rows[:, 2] > 0)
    np.testing.assert_allclose(
        rows @ two.coef_[0] + two.intercept_[0], two.decision_function(rows), rtol=1e-9, atol=1e-12
    )
    three = quick().fit(rows, np.digitize(rows[:, 0], [-0.5, 0.5]))
    pair = quick(output="or").fit(rows, (rows[:, 0] > 0.5) | (rows[:, 1] > 0.5))
    assert (three.n_neurons_, pair.n_neurons_) == (2, 2)
    for found in (three, pair):
        assert not hasattr(found, "coef_")
        assert not hasattr(found, "intercept_")
        assert found.feature_importances_.sum() == pytest.approx(1)


@pytest.mark.parametrize("most", range(5))
def test_a_list_has_no_more_terms_than_allowed_and_the_fewest_bits_of_these(rows, most):
    """Where the best rules of a list are too long together, others of them are shorter."""
    y = np.digitize(rows[:, 0] + rows[:, 1], [-1, 0, 1])
    whole = quick().set_params(max_neurons=1).fit(rows, y)
    found = quick(max_terms=most).set_params(max_neurons=1).fit(rows, y)
    assert whole.n_terms_ > 4
    assert found.n_terms_ <= most
    assert all(row.terms <= most for row in found.path_)
    chosen = found.path_.chosen
    bits = chosen.label_bits + 0.5 * chosen.rule_bits
    assert all(bits <= row.label_bits + 0.5 * row.rule_bits + 1e-6 for row in found.path_)


CONSTANT, ALWAYS = Rule((), 1, 0.0, 0.0, 0.25), Rule((), 0, 0.0, 0.0, 0.75)


def rule(k, threshold=0.0, weights=(1.0,), influence=(1.0,)):
    return Rule(
        (Condition(tuple(range(k, k + len(weights))), weights, threshold, 1.0, influence),),
        1,
        1.0,
        0.0,
        0.5,
    )


@pytest.mark.parametrize(
    ("rules", "asked", "otherwise"),
    [
        # (rules, classes that are asked for, class of the rest); the order of classes is 3, 1, 0, 2
        ((rule(0), rule(1), rule(2)), (3, 1, 0), 2),
        ((CONSTANT, rule(1), rule(2)), (1, 0), 2),
        # the chances before a rule that is asked do not count: 0.25 and 0.75 of what is left
        ((rule(0), CONSTANT, rule(2)), (3, 0), 2),
        ((rule(0), rule(1), CONSTANT), (3, 1), 2),
        ((rule(0), rule(1), ALWAYS), (3, 1), 0),
        # 0.25 for 1; 0.75 * 0.25 for 0; the rest is for 2
        ((rule(0), CONSTANT, CONSTANT), (3,), 2),
        # 0.25 for 1; 0.75 * 0.75 for 0
        ((rule(0), CONSTANT, ALWAYS), (3,), 0),
        # no rule after one that holds everywhere is asked
        ((rule(0), ALWAYS, rule(2)), (3,), 1),
        ((ALWAYS, rule(1), rule(2)), (), 3),
        ((CONSTANT, CONSTANT, CONSTANT), (), 2),
    ],
)
def test_rules_without_conditions_are_not_asked(rules, asked, otherwise):
    listed = DecisionList(rules, (3, 1, 0, 2), 4)
    assert tuple(number for _, number in listed.asked) == asked
    assert listed.otherwise == otherwise
    X = np.random.default_rng(0).normal(size=(40, 3))
    wanted = np.full(40, otherwise)
    for each, number in reversed(listed.asked):
        wanted[each.holds(X)] = number
    assert listed.predict(X).tolist() == wanted.tolist()
    chance = listed.probabilities(X)
    np.testing.assert_allclose(chance.sum(axis=1), 1)
    assert (chance.argmax(axis=1) == wanted).all()


def test_equally_frequent_classes_are_answered_by_the_last():
    half = Rule((), 1, 0.0, 0.0, 0.5)
    third = Rule((), 1, 0.0, 0.0, 1 / 3 + 1e-12)
    assert DecisionList((half,), (0, 1), 2).otherwise == 1
    assert DecisionList((half,), (1, 0), 2).otherwise == 0
    assert DecisionList((third, half), (2, 0, 1), 3).otherwise == 1


def test_importances_are_means_over_conditions_and_then_over_rules():
    first = rule(0, weights=(1.0, -2.0), influence=(0.75, 0.25))
    both = Rule((*first.conditions, *rule(2).conditions), 1, 1.0, 0.0, 0.5)
    listed = DecisionList((both, rule(1)), (0, 1, 2), 3)
    wanted = np.array([0.75 / 2, 0.25 / 2 + 1, 0.5, 0.0]) / 2
    np.testing.assert_allclose(listed.importances(4), wanted)
    np.testing.assert_array_equal(DecisionList((CONSTANT,), (0, 1), 2).importances(2), [0.0, 0.0])
