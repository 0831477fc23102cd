"""Explanations: conditions as the rule has them, and changes that are the smallest ones."""

import re
import time
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from test_export_code import classifier, condition, customers, encoded, labels, rules  # noqa: F401

from hyperna import NAClassifier, explain, load_model, save_model, table_pipeline
from hyperna.classifier.rules import Rule
from hyperna.tables import Feature


def nearer_values(before, after, rng):
    """Values that are nearer to `before` than `after` is, on both sides, up to its neighbour."""
    size = abs(after - before)
    values = [before, np.nextafter(after, before), before - (np.nextafter(after, before) - before)]
    values += list(before + size * rng.uniform(-1, 1, 60))
    values += list(before + size * (1 - 10.0 ** -rng.uniform(0, 15, 30)) * rng.choice([-1, 1], 30))
    return [value for value in values if abs(value - before) < size]


@given(st.lists(rules(3), min_size=1, max_size=3), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_the_change_of_a_number_changes_the_answer_and_no_smaller_one_does(some, seed):
    classes = [f"class {k}" for k in range(len(some) + 1)]
    rng = np.random.default_rng(seed)
    clf = classifier(some, rng.permutation(len(classes)).tolist(), classes)
    X = rng.normal(0, 10.0 ** np.arange(1, 4), (4, 3))
    for row, explanation in zip(X, explain(clf, X), strict=True):
        changed = {change.column: change for change in explanation.changes}
        for k in range(3):
            change = changed.get(f"x{k + 1}")
            if change is None:
                tried = rng.normal(size=80) * 10.0 ** rng.integers(-3, 300, 80)
            else:
                moved = row.copy()
                moved[k] = change.after
                assert clf.predict([moved])[0] == change.answer != explanation.answer
                assert change.amount == change.after - row[k]
                tried = nearer_values(row[k], change.after, rng)
            table = np.tile(row, (len(tried), 1))
            table[:, k] = tried
            assert set(clf.predict(table)) == {explanation.answer}


@given(st.lists(rules(3), min_size=1, max_size=3), st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_conditions_and_rules_are_those_that_answer(some, seed):
    classes = [f"class {k}" for k in range(len(some) + 1)]
    order = np.random.default_rng(seed).permutation(len(classes)).tolist()
    clf = classifier(some, order, classes)
    X = np.random.default_rng(seed).normal(0, 10.0 ** np.arange(1, 4), (5, 3))
    answers, places = clf.predict(X), clf.list_.answering(X)
    for row, explanation in enumerate(explain(clf, X)):
        assert explanation.answer == answers[row]
        assert explanation.probability == clf.predict_proba(X)[row].max()
        last = places[row] if places[row] < len(some) else None
        assert explanation.rule == (None if last is None else last + 1)
        assert len(explanation.rules) == (len(some) if last is None else last + 1)
        for rule, state in zip(some, explanation.rules, strict=False):
            assert state.holds == rule.holds(X[[row]])[0]
            for each, one in zip(rule.conditions, state.conditions, strict=True):
                assert one.holds == each.holds(X[[row]])[0] == (one.distance > 0)
                assert one.margin == pytest.approx(each.sum(X[[row]])[0] - each.threshold)
        nearest = explanation.changes
        assert [c.distance for c in nearest] == sorted(c.distance for c in nearest)


DAY = Feature("day", "date", fill="2024-02-29", origin="2024-01-01", step="day", gaps=True)
MOMENT = Feature("day", "date", fill="2024-02-29T12:30:00", origin="2024-01-01", step="second")
PARTS = [Feature("day", kind, fill="2024-02-29T12:30:00") for kind in ("month", "weekday", "hour")]


@st.composite
def date_rules(draw, places):
    """Rules on the date and some of its parts, alone and in sums."""
    thresholds = {0: st.floats(-300, 300), 1: st.floats(0, 13), 2: st.floats(0, 8)}
    thresholds[3] = st.floats(-1, 24)
    some = []
    for _ in range(draw(st.integers(1, 3))):
        used = draw(st.lists(st.sampled_from(places), min_size=1, max_size=3, unique=True))
        weights = [draw(st.sampled_from([1.0, -1.0]))]
        weights += [draw(st.sampled_from([0.5, -2.0, 10.0, -30.0])) for _ in used[1:]]
        some.append(condition(used, weights, weights[0] * draw(thresholds[used[0]])))
    return Rule(tuple(some), draw(st.integers(0, len(some))), 1.0, 0.0, 0.5)


@given(date_rules([0, 1, 2]), st.dates(date(2023, 1, 1), date(2025, 6, 1)))
@settings(max_examples=60, deadline=None)
def test_the_change_of_a_day_is_the_smallest_one(rule, day):
    model = encoded([DAY, *PARTS[:2]], [rule])
    explanation = explain(model, {"day": [str(day)]})[0]
    span = 2000
    if explanation.changes:
        change = explanation.changes[0]
        assert model.predict({"day": [change.after]})[0] == change.answer != explanation.answer
        assert pd.Timestamp(change.after) == pd.Timestamp(day) + pd.Timedelta(days=change.amount)
        span = min(span, abs(int(change.amount)) - 1)
    nearer = pd.Timestamp(day) + pd.to_timedelta(np.arange(-span, span + 1), unit="D")
    assert set(model.predict({"day": nearer.to_numpy()})) == {explanation.answer}


@pytest.mark.parametrize("weight", [40.0, -40.0])
@pytest.mark.parametrize(("kind", "values"), [("month", 12), ("weekday", 7)])
def test_every_month_and_weekday_has_a_first_day_of_its_own(kind, values, weight):
    """A sum of the date and a part of it changes on other days for each value of the part."""
    part = Feature("day", kind, fill="2024-02-29")
    for value in range(1, values + 1):
        rule = Rule((condition([0, 1], [1.0, weight], 100.0 + weight * value),), 1, 1.0, 0.0, 0.5)
        model = encoded([DAY, part], [rule])
        for start in (-400, 700):
            days = np.datetime64("2024-01-01") + np.arange(-1500, 1500)
            answers = model.predict({"day": days})
            [explanation] = explain(model, {"day": [str(days[1500 + start])]})
            other = np.flatnonzero(answers != explanation.answer) - 1500
            assert abs(explanation.change.amount) == np.abs(other - start).min()


@given(date_rules([0, 1, 2, 3]), st.integers(0, 5 * 10**7))
@settings(max_examples=40, deadline=None)
def test_the_change_of_a_moment_is_the_smallest_one(rule, seconds):
    model = encoded([MOMENT, *PARTS], [rule])
    start = pd.Timestamp("2023-06-01") + pd.Timedelta(seconds=seconds)
    explanation = explain(model, {"day": [start.isoformat()]})[0]
    reach = 86400 * 800
    if explanation.changes:
        change = explanation.changes[0]
        assert model.predict({"day": [change.after]})[0] == change.answer != explanation.answer
        size = pd.Timestamp(change.after) - start
        assert size.total_seconds() / 86400 == pytest.approx(change.amount)
        reach = min(reach, abs(int(size.total_seconds())) - 1)
    rng = np.random.default_rng(seconds)
    offsets = [0, reach, -reach, *rng.integers(-reach, reach + 1, 300).tolist()]
    hours = np.arange(-reach // 3600, reach // 3600 + 1)[:20000]
    first = (start.floor("h") - start).total_seconds()
    offsets += [int(first + 3600 * hour) for hour in hours if abs(first + 3600 * hour) <= reach]
    nearer = start + pd.to_timedelta(offsets, unit="s")
    assert set(model.predict({"day": nearer.to_numpy()})) == {explanation.answer}


def test_tables_change_by_cells(customers):  # noqa: F811
    model = table_pipeline(NAClassifier(random_state=0, shortness=0.2))
    model.fit(customers, labels(customers))
    some = customers.head(150)
    truth = model.predict(some)
    kinds = set()
    for row, explanation in enumerate(explain(model, some)):
        assert explanation.answer == truth[row]
        for change in explanation.changes:
            moved = some.iloc[[row]].astype(object)
            after = "something else" if change.after == "" else change.after
            moved[change.column] = pd.NaT if after is None else after
            assert model.predict(moved)[0] == change.answer != explanation.answer
            kinds.add((change.column, change.before is None, change.after is None))
    assert len(kinds) > 4


def test_a_category_changes_to_the_nearest_one():
    features = [Feature("city", "category", category=name) for name in ("Rome", "Oslo", "Bern")] + [
        Feature("city", "missing")
    ]
    # Rome is far from the others: its feature has the largest weight and the least deviation.
    rule = Rule((condition([0, 1, 2, 3], [1.0, 0.5, 0.6, 0.7], 0.4),), 1, 1.0, 0.0, 0.5)
    model = encoded(features, [rule])
    found = explain(model, {"city": ["Paris", "Rome", None]})
    assert [each.answer for each in found] == ["no", "yes", "yes"]
    assert found[0].change.after in ("Rome", "Oslo", "Bern")
    assert (found[1].change.after, found[2].change.after) == ("", "")
    assert (found[1].change.before, found[2].change.before) == ("Rome", None)


@pytest.mark.parametrize(
    ("named", "words"),
    [
        (("Rome",), "city other than Rome"),
        (("Rome", "Oslo"), "city other than Rome and Oslo"),
        (("Rome", "Oslo", "Bern"), "city other than Rome, Oslo and Bern"),
        (("Rome", "Oslo", "Bern", "Bonn"), "city none of the categories in the rules"),
    ],
)
def test_what_is_none_of_the_named_categories_is_told_by_their_names(named, words):
    features = [Feature("city", "category", category=name) for name in (*named, "Wien")]
    rule = Rule((condition([*range(len(named))], [1.0] * len(named), 0.5),), 1, 1.0, 0.0, 0.5)
    [found] = explain(encoded(features, [rule]), {"city": ["Rome"]})
    options = [f"{words} instead of Rome", "city = Wien instead of Rome"]
    assert (found.answer, found.change.answer) == ("yes", "no")
    assert found.change.text in options


def test_a_frequent_category_is_not_told_to_become_another_one_where_rules_name_what_is_rare():
    """ "Not Rome" would be true of Oslo already; only what is rare changes the answer."""
    features = [
        Feature("city", "category", category="Rome"),
        Feature("city", "category", category="Oslo"),
        Feature("city", "rare", named=("Rome", "Oslo")),
    ]
    rule = Rule((condition([0, 2], [1.0, -1.0], -0.5),), 1, 1.0, 0.0, 0.5)
    [found] = explain(encoded(features, [rule]), {"city": ["Oslo"]})
    assert (found.answer, found.change.answer) == ("yes", "no")
    assert (found.change.after, found.change.text) == ("", "city is rare instead of Oslo")


def test_a_gap_may_be_the_only_value_that_is_not_rare():
    """Then nothing but a gap changes the answer, and from a gap anything does."""
    rule = Rule((condition([0], [1.0], 0.5),), 1, 1.0, 0.0, 0.5)
    model = encoded([Feature("city", "rare", named=(None,))], [rule])
    known, gap = explain(model, {"city": ["Oslo", None]})
    assert (known.answer, gap.answer) == ("yes", "no")
    assert (known.change.before, known.change.after) == ("Oslo", None)
    assert (gap.change.before, gap.change.after) == (None, "")


def test_what_is_not_rare_is_named_where_nothing_else_names_it():
    rule = Rule((condition([0], [1.0], 0.5),), 1, 1.0, 0.0, 0.5)
    model = encoded([Feature("city", "rare", named=("Rome", "Oslo"))], [rule])
    other, gap, named = explain(model, {"city": ["Bern", None, "Oslo"]})
    assert [each.answer for each in (other, gap, named)] == ["yes", "yes", "no"]
    for each, before in ((other, "Bern"), (gap, None)):
        assert each.change.before == before
        assert each.change.after in ("Rome", "Oslo")
    assert (named.change.before, named.change.after) == ("Oslo", "")


def test_gaps_are_told_as_gaps():
    features = [Feature("income", "number", fill=30.0, gaps=True), Feature("income", "missing")]
    rule = Rule((condition([0], [1.0], 50.0), condition([1], [1.0], 0.5)), 1, 1.0, 0.0, 0.5)
    model = encoded(features, [rule])
    gap, low, high = explain(model, {"income": [None, 40.0, 60.0]})
    assert gap.answer == "yes"
    assert (gap.change.before, gap.change.after, gap.change.answer) == (None, 30.0, "no")
    assert low.change.answer == "yes"
    # 10 units up are 10 deviations; a gap is one deviation of the feature that tells gaps
    assert low.change.after is None
    assert (high.change.after, high.change.amount) == (50.0, -10.0)
    assert "income is missing" in gap.text


def test_a_model_from_a_file_explains_the_same(customers, tmp_path):  # noqa: F811
    model = table_pipeline(NAClassifier(random_state=0, evaluations=100))
    model.fit(customers, labels(customers))
    save_model(model, tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert str(explain(again, customers.head(20))) == str(explain(model, customers.head(20)))


def test_features_of_other_transformers_change_by_themselves():
    X = np.random.default_rng(0).normal(size=(80, 2))
    model = make_pipeline(StandardScaler(), NAClassifier(random_state=0)).fit(X, X[:, 0] > 0)
    change = explain(model, X[:1])[0].change
    moved = model[0].transform(X[:1])
    moved[0, 0] = change.after
    assert model[-1].predict(moved)[0] == change.answer


def test_a_value_on_the_border_changes_by_less_than_can_be_shown():
    rule = Rule((condition([0], [1.0], 2.0),), 1, 1.0, 0.0, 0.5)
    model = encoded([Feature("size", "number")], [rule])
    beyond, on_it = explain(model, {"size": [2.5, 2.0]})
    assert {beyond.change.text, on_it.change.text} == {
        "size at most 2 instead of 2.5 (-0.5)",
        "size more than 2 instead of 2",
    }


def test_a_constant_answer_has_no_reason():
    clf = classifier([Rule((), 1, 0.0, 0.0, 0.2)])
    explanation = explain(clf, [[0.0, 1.0, 2.0]])[0]
    assert (explanation.rules, explanation.changes, explanation.answer) == ((), (), "no")
    assert "always" in explanation.text


def test_frames():
    X = np.random.default_rng(0).normal(size=(80, 2))
    clf = NAClassifier(random_state=0).fit(X, X[:, 0] > 0)
    found = explain(clf, X[:5], feature_names=["a", "b"])
    frame = found.to_frame()
    assert frame["row"].tolist() == [0, 1, 2, 3, 4]
    assert (frame["holds"] == (X[:5, 0] > clf.rules_[0].conditions[0].threshold)).all()
    changes = found.changes_to_frame()
    assert changes["column"].tolist() == ["a"] * 5
    np.testing.assert_allclose(changes["before"] + changes["amount"], changes["after"])


def test_long_conditions_are_broken_between_their_terms():
    features = [
        Feature("name of the town", "category", category=f"Saint {k}", fill=None) for k in range(9)
    ]
    rule = Rule((condition([*range(9)], [1.0] * 9, 0.5),), 1, 1.0, 0.0, 0.5)
    text = explain(encoded(features, [rule]), {"name of the town": ["Saint 3"]})[0].text
    for feature in features:
        assert feature.term in text
    assert max(map(len, text.splitlines())) <= 100


def test_bad_input():
    X = np.random.default_rng(0).normal(size=(80, 2))
    clf = NAClassifier(random_state=0).fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match="features"):
        explain(clf, X[:, :1])
    with pytest.raises(ValueError, match="feature_names"):
        explain(clf, X, feature_names=["a"])
    with pytest.raises(TypeError, match="NAClassifier"):
        explain(StandardScaler(), X)


def test_the_numbers_of_a_change_agree_and_the_shown_one_changes_the_answer():
    rng = np.random.default_rng(5)
    for scale in (1e-5, 1.0, 1e6):
        X = rng.normal(size=(150, 3)) * [scale, 30.0, 1.0] + [20 * scale, 25.0, 0.0]
        y = X[:, 0] / scale + X[:, 1] / 7 + X[:, 2] > 23
        clf = NAClassifier(random_state=0).fit(X, y)
        for row, explanation in zip(X, explain(clf, X), strict=True):
            for change in explanation.changes:
                found = re.fullmatch(
                    r"(x\d) ((?:at|more|less) \w+) (\S+) instead of (\S+) \((\S+)\)",
                    change.text,
                )
                name, words, goal, was, step = found.groups()
                assert Decimal(was) + Decimal(step) == Decimal(goal)
                shown = float(goal)
                if words.endswith("than"):
                    shown = np.nextafter(shown, np.inf if words == "more than" else -np.inf)
                moved = row.copy()
                moved[int(name[1:]) - 1] = shown
                assert clf.predict([moved])[0] == change.answer
                assert abs(shown - change.after) <= 0.005 * abs(change.amount)


def test_a_gap_is_as_far_from_any_value_as_its_mark_says():
    """The cell changes in two features at once; the distance is the larger of the two."""
    features = [Feature("x", "number", fill=0.0, gaps=True), Feature("x", "missing")]
    rule = Rule((condition([0, 1], [1.0, 0.1], 0.25),), 1, 1.0, 0.01, 0.5)
    model = encoded(features, [rule])
    table = pd.DataFrame({"x": [np.nan, 0.2, 5.0]})
    gap, near, far = explain(model, table)
    assert [change.distance for change in gap.changes] == [1.0]
    assert [change.distance for change in near.changes] == [pytest.approx(0.05)]
    assert [change.distance for change in far.changes] == [pytest.approx(4.75)]


def test_a_value_exactly_on_a_threshold_changes_by_the_least_step():
    """A condition changes between two neighbouring numbers, wherever the row is."""
    sizes = [[1.0], [1.2], [3.0], [3.1]] * 5
    for names in (["low", "low", "high", "high"], ["a", "a", "b", "b"]):
        clf = NAClassifier(random_state=0).fit(sizes, names * 5)
        [[only]] = [rule.conditions for rule in clf.rules_]
        border = abs(only.threshold)
        for value in (np.nextafter(border, 0.0), border, np.nextafter(border, 9.0)):
            [before] = clf.predict([[value]])
            change = explain(clf, [[value]])[0].change
            assert clf.predict([[change.after]]) == change.answer != before
            assert abs(change.after - value) <= 2 * np.spacing(border)


def test_the_time_grows_linearly_with_the_rows():
    features = [Feature("age", "number", fill=30.0), Feature("age", "missing")]
    some = (condition([0], [1.0], 40.0), condition([1], [1.0], 0.5))
    model = encoded(features, [Rule(some, 1, 1.0, 0.0, 0.5)])
    ages = np.random.default_rng(0).normal(40, 10, 8000).tolist()
    ages[::9] = [None] * len(ages[::9])

    def seconds(rows):
        table = {"age": ages[:rows]}
        times = []
        for _ in range(2):
            begin = time.process_time()
            explain(model, table)
            times.append(time.process_time() - begin)
        return min(times)

    seconds(500)
    assert seconds(8000) < 24 * seconds(1000)


def test_the_distance_of_a_date_is_the_largest_of_its_features():
    month = PARTS[0]
    for weight in (40.0, -40.0):
        rule = Rule((condition([0, 1], [1.0, weight], 100.0 + 3 * weight),), 1, 1.0, 0.0, 0.5)
        model = encoded([DAY, month], [rule])
        for day in ("2023-02-01", "2024-11-30", "2025-06-15"):
            [change] = explain(model, {"day": [day]})[0].changes
            months = abs(int(change.after[5:7]) - int(day[5:7]))
            assert change.distance == max(abs(change.amount), months)


def test_gaps_of_rows_without_names_are_told_by_the_marks_of_their_own_columns():
    features = [
        Feature(name, kind, fill=3.0 if kind == "number" else None, gaps=True)
        for name in ("a", "b")
        for kind in ("missing", "number")
    ]
    rule = Rule((condition([1, 0, 3, 2], [1.0, 0.5, 1.0, -0.5], 6.2),), 1, 1.0, 0.0, 0.5)
    model = encoded(features, [rule])
    rows = [[None, 1.0], [1.0, None], [None, None], [2.0, 4.0], [9.0, None]]
    table = {"a": [row[0] for row in rows], "b": [row[1] for row in rows]}
    named, nameless = explain(model, table), explain(model, np.array(rows, dtype=object))
    for row, one, other in zip(rows, named, nameless, strict=True):
        assert one.changes == other.changes
        assert one.text == other.text
        for change in other.changes:
            assert (change.before is None) == (row["ab".index(change.column)] is None)


def test_gaps_of_numbers_and_of_dates_are_told_where_they_are_part_of_a_sum():
    size = Feature("size", "number", fill=7.0, gaps=True)
    for features in ([DAY, size], [PARTS[0], size], [PARTS[1], size]):
        rule = Rule((condition([0, 1], [1.0, 2.0], 5.5),), 1, 1.0, 0.0, 0.5)
        date = [DAY] if DAY not in features else []
        model = encoded([*features, *date], [rule])
        rows = [("2024-03-01", 1.0), (None, 1.0), ("2024-03-01", None), (None, None)]
        table = {"day": [day for day, _ in rows], "size": [one for _, one in rows]}
        for row, explanation in zip(rows, explain(model, table), strict=True):
            fact = explanation.rules[0].conditions[0].fact
            for column, cell in zip(("day", "size"), row, strict=True):
                assert (f"{column} is missing" in fact) == (cell is None)
