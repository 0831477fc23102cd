"""Lists of rules: which rules are asked, and what is answered where none of them holds."""

import itertools

import numpy as np
import pytest

from hyperna import NAClassifier, explain, export_code, export_text
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.rules import Condition, Rule
from hyperna.classifier.text import asked_rules, list_text
from hyperna.tables import Feature

TALL = Rule((Condition((0,), (1.0,), 1.8, 1.0, (1.0,)),), 1, 1.0, 0.0, 0.3)
X = np.array([[1.9], [1.7]])


def constant(share):
    return Rule((), 0 if share > 0.5 else 1, 1.0, 0.0, share)


@pytest.mark.parametrize("probability", [(0.4, 0.35, 0.25), (0.2, 0.5, 0.3), (0.3, 0.3, 0.4)])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_without_conditions_the_most_frequent_class_is_answered(probability, order):
    first, second, third = (probability[k] for k in order)
    rules = constant(first), constant(second / (second + third))
    listed = DecisionList(rules, order, 3)
    assert listed.predict(X).tolist() == [int(np.argmax(probability))] * 2
    assert listed.probabilities(X)[0] == pytest.approx(probability)


def test_after_the_last_condition_the_most_frequent_class_that_is_left_is_answered():
    listed = DecisionList((TALL, constant(0.45), constant(0.6)), (0, 1, 2, 3), 4)
    # of the rest 0.45 are of class 1, 0.33 of class 2 and 0.22 of class 3
    assert listed.predict(X).tolist() == [0, 1]
    assert list_text(listed, ["a", "b", "c", "d"], [Feature("size", "number")], None) == (
        "class 'a' if\n  size > 1.8\notherwise 'b'\n(never answered: 'c', 'd')"
    )


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_equally_probable_classes_the_answer_comes_first(order):
    listed = DecisionList((constant(0.5),), order, 2)
    found = listed.probabilities(X)
    assert listed.predict(X).tolist() == [order[1]] * 2
    assert found.argmax(axis=1).tolist() == [order[1]] * 2
    assert found[0] == pytest.approx((0.5, 0.5))


def test_a_rule_that_always_holds_ends_the_list_and_not_its_notes():
    size = Feature("size", "number", fill=1.7, gaps=True)
    listed = DecisionList((TALL, constant(0.9)), (0, 1, 2), 3)
    text = list_text(listed, ["a", "b", "c"], [size], None)
    assert "otherwise 'b'\n(where size is missing, it counts as 1.7)" in text


@pytest.mark.parametrize("before", [(), (TALL,)])
def test_rules_after_one_that_always_holds_are_not_asked(before):
    rules = (*before, constant(0.6), TALL, constant(0.9))
    listed = DecisionList(rules, tuple(range(len(rules) + 1)), len(rules) + 1)
    holds = len(before)
    assert [number for _, number in listed.asked] == [*range(holds)]
    assert listed.otherwise == holds
    assert listed.predict(X).tolist() == [0, holds]
    assert listed.answering(X).tolist() == [0, holds]


@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_head_of_a_rule_says_how_many_conditions_must_hold(size):
    """Of those that may hold at all: the others are as a number, which no row exceeds."""
    features = [Feature(f"c{k}", "category", category="a") for k in range(size)]
    rows = np.array([*itertools.product([0.0, 1.0], repeat=size)])
    for quorum in range(size + 1):
        for possible in itertools.product([False, True], repeat=size):
            thresholds = [0.5 if one else 1.0 for one in possible]
            conditions = tuple(
                Condition((k,), (1.0,), threshold, 1.0, (1.0,))
                for k, threshold in enumerate(thresholds)
            )
            rule = Rule(conditions, quorum, 1.0, 0.0, 0.3)
            listed = DecisionList((rule,), (1, 0), 2)
            asked = asked_rules(listed, features)
            assert bool(asked) == rule.holds(rows).any()
            text = list_text(listed, ["no", "yes"], features, None)
            if not asked:
                assert text == "always class 'no'"
                continue
            heads = {0: "an ODD NUMBER", 1: "ANY", size: "ALL"}
            if size == 2:
                heads[0] = "EXACTLY ONE"
            head = heads.get(quorum, f"AT LEAST {quorum}")
            assert text.splitlines()[0] == f"class 'yes' if {head} of"
            holds = rule.holds(rows)
            counts = (rows > thresholds).sum(axis=1)
            wanted = counts % 2 == 1 if quorum == 0 else counts >= quorum
            assert holds.tolist() == wanted.tolist()


@pytest.mark.parametrize("classes", [[0, 1], ["no", "yes"], [False, True]])
@pytest.mark.parametrize(
    ("weight", "answer"),
    [
        ([1.0] * 6, 0),
        ([0.1, 0.1, 0.1, 0.3, 0.0, 0.0], 0),
        ([0.3, 0.0, 0.0, 0.1, 0.1, 0.1], 0),
        ([1.0, 1.0, 1.0, 1.0, 1.0, 1.0 + 1e-6], 1),
        ([1.0, 1.0, 1.0 + 1e-6, 1.0, 1.0, 1.0], 0),
    ],
)
def test_of_two_classes_of_equal_weight_the_first_is_the_constant_answer(classes, weight, answer):
    """Whether or not their weights are equal but for rounding."""
    y = np.repeat(np.array(classes), 3)
    clf = NAClassifier(max_terms=0, random_state=0).fit(np.zeros((6, 1)), y, weight)
    assert clf.predict([[0.0]]).tolist() == [classes[answer]]
    assert clf.predict_proba([[0.0]])[0].argmax() == answer
    rows = [row.rule for row in clf.path_]
    assert rows == [f"always class {classes[answer]!r}"]


def test_noise_of_several_classes_is_answered_with_the_largest():
    rng = np.random.default_rng(3)
    y = rng.choice(list("abcd"), 200, p=[0.15, 0.4, 0.2, 0.25])
    points = rng.normal(size=(200, 2))
    clf = NAClassifier(max_terms=0, random_state=0).fit(points, y)
    assert export_text(clf) == "always class 'b'"
    assert set(clf.predict(points)) == {"b"}
    assert clf.training_score_ == pytest.approx(clf.baseline_score_)
    assert (clf.predict_proba(points).argmax(axis=1) == 1).all()
    assert explain(clf, points)[0].answer == "b"
    code = {}
    exec(export_code(clf, "python"), code)
    assert code["predict"]({"x1": 0.0, "x2": 0.0}) == "b"
    assert clf.path_[0].errors == pytest.approx((y != "b").sum())


def test_rules_that_no_row_can_satisfy_are_not_asked():
    city = Feature("city", "category", category="Rome")
    size = Feature("size", "number")
    above_one = Condition((1,), (1.0,), 1.0, 1.0, (1.0,))
    never = Rule((above_one,), 1, 1.0, 0.0, 0.2)
    either = Rule((above_one, TALL.conditions[0]), 1, 1.0, 0.0, 0.3)
    both = Rule((above_one, TALL.conditions[0]), 2, 1.0, 0.0, 0.3)
    listed = DecisionList((never, either, both), (0, 1, 2, 3), 4)
    assert asked_rules(listed, [size, city]) == [(either, 1)]
    assert asked_rules(listed, [size, size]) == [(never, 0), (either, 1), (both, 2)]
    text = list_text(listed, ["a", "b", "c", "d"], [size, city], None)
    assert text.startswith("class 'b' if ANY of")
    assert text.endswith("otherwise 'd'\n(never answered: 'a', 'c')")


def test_classes_that_are_never_answered_are_named():
    listed = DecisionList((TALL, constant(0.9)), (0, 1, 2), 3)
    text = list_text(listed, ["a", "b", "c"], [Feature("size", "number")], None)
    assert text == "class 'a' if\n  size > 1.8\notherwise 'b'\n(never answered: 'c')"
