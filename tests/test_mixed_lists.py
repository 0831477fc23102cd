"""Lists of several classes on tables of numbers, categories, gaps and dates, at their borders.

The answers are found by hand from the cells, and with them what export_code, explain and files say.
"""

import datetime as dt
import itertools
import math

import numpy as np
import pandas as pd
import pytest
from exported import NODE, run_javascript, run_python, run_sql
from sklearn.pipeline import make_pipeline
from test_export_code import classifier

from hyperna import explain, export_code, load_model, save_model
from hyperna.classifier.half_spaces import ODD
from hyperna.classifier.rules import Condition, Rule
from hyperna.tables import Column, Encoding, Feature, StoredEncoder

FILL = 1.5
# Sums that are nearer to a threshold than this are equal to it up to rounding.
NEAR = 1e-12
# Tables of each law, most of them in the slow tests.
SEEDS = [*range(5), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(5, 60))]
DAY = dt.date(2024, 2, 28)
# One column of each kind; `plain` has no gaps, `city` has a gap that is a category, `kind` one that
# counts as "b", `day` counts as 28 February.
FEATURES = [
    Feature("plain", "number", fill=0.0),
    Feature("size", "number", fill=FILL, gaps=True),
    Feature("size", "missing"),
    Feature("city", "category", category="Rome"),
    Feature("city", "category", category="O'Hara"),
    Feature("city", "missing"),
    Feature("city", "rare", named=("Rome", "O'Hara", None)),
    Feature("kind", "category", category="a", fill="b"),
    Feature("kind", "category", category="b", fill="b"),
    Feature("day", "date", fill="2024-02-28", origin="2024-01-01", step="day", gaps=True),
    Feature("day", "weekday", fill="2024-02-28", step="day", gaps=True),
    Feature("day", "missing"),
]
ALL = range(len(FEATURES))
COLUMNS = [
    Column("plain", "number"),
    Column("size", "number"),
    Column("city", "category"),
    Column("kind", "category"),
    Column("day", "date", "ISO 8601"),
]


def features_by_hand(row):
    """Features of the cells of a row."""
    size = FILL if row["size"] is None else row["size"]
    kind = row["kind"] if row["kind"] is not None else "b"
    day = row["day"] if row["day"] is not None else DAY
    return [
        row["plain"],
        size,
        float(row["size"] is None),
        float(row["city"] == "Rome"),
        float(row["city"] == "O'Hara"),
        float(row["city"] is None),
        float(row["city"] not in ("Rome", "O'Hara", None)),
        float(kind == "a"),
        float(kind == "b"),
        float((day - dt.date(2024, 1, 1)).days),
        float(day.isoweekday()),
        float(row["day"] is None),
    ]


def drawn_rule(rng, some=ALL):
    """Conditions on whole numbers and halves, whose borders rows meet exactly."""
    conditions = []
    for _ in range(int(rng.integers(1, 4))):
        features = rng.permutation(some)[: rng.integers(1, 4)].tolist()
        if 9 in features and len(features) > 1:
            features.remove(9)
        weights = [float(rng.choice([-1, 1]))]
        weights += rng.choice([-2.0, -1.0, 0.5, 1.0], len(features) - 1).tolist()
        scale = float(rng.choice([0.5, 1.0, 4.0]))
        deviations = [[1.0, 0.5, 2.0][k % 3] for k in features]
        influence = [d * abs(w) / scale for d, w in zip(deviations, weights, strict=True)]
        threshold = float(rng.integers(-4, 5)) / 2
        if features == [9]:
            threshold = weights[0] * float(rng.integers(55, 63)) + threshold % 1
        conditions.append(
            Condition(tuple(features), tuple(weights), threshold, scale, tuple(influence))
        )
    quorum = int(rng.integers(0, len(conditions) + 1))
    return Rule(tuple(conditions), quorum, 1.0, 0.01, 0.5)


def drawn_model(seed, some=ALL):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 4))
    names = ["no", "yes", "o'k", "d"][: count + 1]
    rules = [drawn_rule(rng, some) for _ in range(count)]
    last = classifier(rules, rng.permutation(count + 1).tolist(), sorted(names), len(FEATURES))
    encoder = StoredEncoder(Encoding(tuple(COLUMNS), tuple(FEATURES)))
    return make_pipeline(encoder, last)


def cell(rng, column):
    """A cell of a column, often one at a border."""
    if column == "plain":
        return float(rng.integers(-8, 9)) / 2
    if rng.random() < 0.25:
        return None
    if column == "size":
        return float(rng.integers(-8, 9)) / 2
    if column == "city":
        return str(rng.choice(["Rome", "Oslo", "O'Hara", "Bern"]))
    if column == "kind":
        return str(rng.choice(["a", "b", "c"]))
    return DAY + dt.timedelta(days=int(rng.integers(-6, 8)))


def drawn_rows(rng, count):
    return [{each.name: cell(rng, each.name) for each in COLUMNS} for _ in range(count)]


def answer(model, row):
    """The class of a row, by the text of the rules."""
    last = model.steps[-1][1]
    values = features_by_hand(row)
    for rule, number in last.list_.asked:
        held = 0
        for condition in rule.conditions:
            pairs = zip(condition.features, condition.weights, strict=True)
            held += sum(weight * values[k] for k, weight in pairs) > condition.threshold
        if held % 2 == 1 if rule.quorum == ODD else held >= rule.quorum > 0:
            return last.classes_[number]
    return last.classes_[last.list_.otherwise]


def table(rows):
    return pd.DataFrame(
        {each.name: pd.Series([row[each.name] for row in rows], dtype=object) for each in COLUMNS}
    )


def written(rows):
    return [row | {"day": None if row["day"] is None else row["day"].isoformat()} for row in rows]


@pytest.mark.parametrize("seed", SEEDS)
def test_code_and_files_answer_as_the_rules_by_hand(seed, tmp_path):
    model = drawn_model(seed)
    rows = drawn_rows(np.random.default_rng(seed), 60)
    wanted = [answer(model, row) for row in rows]
    assert model.predict(table(rows)).tolist() == wanted
    plain = written(rows)
    assert run_python(export_code(model, "python"), plain) == wanted
    names = [each.name for each in COLUMNS]
    assert run_sql(export_code(model, "sql"), plain, names) == wanted
    if NODE and seed % 6 == 0:
        assert run_javascript(export_code(model, "javascript"), plain, tmp_path) == wanted
    save_model(model, tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert again.predict(table(rows)).tolist() == wanted
    assert str(explain(again, table(rows[:4]))) == str(explain(model, table(rows[:4])))
    for row, found in zip(rows, explain(model, table(rows)), strict=True):
        assert found.answer == answer(model, row)
        states = iter(found.rules)
        for rule, number in model.steps[-1][1].list_.asked:
            state = next(states, None)
            if state is None or state.answer != model.steps[-1][1].classes_[number]:
                break  # a rule that no row can satisfy is not told
            values = features_by_hand(row)
            for condition, one in zip(rule.conditions, state.conditions, strict=True):
                pairs = zip(condition.features, condition.weights, strict=True)
                total = sum(weight * values[k] for k, weight in pairs)
                assert one.holds == (total > condition.threshold)
                sign = 1 if condition.weights[0] > 0 else -1
                assert one.value == sign * total
                assert one.threshold == sign * condition.threshold
                assert one.margin == total - condition.threshold
                far = (total - condition.threshold) / condition.scale
                assert one.distance == pytest.approx(far, abs=1e-300)
            if state.holds:
                break


def deviations(model):
    """Deviation of each feature that rules use, as the mean over conditions."""
    found = {}
    for rule in model.steps[-1][1].list_.rules:
        for condition in rule.conditions:
            for k, weight, influence in zip(
                condition.features, condition.weights, condition.influence, strict=True
            ):
                found.setdefault(k, []).append(influence * condition.scale / abs(weight))
    return {k: float(np.mean(some)) for k, some in found.items()}


def number_candidates(model, row, name):
    """Numbers at which a condition changes, near them on both sides, and a gap."""
    place = {"plain": 0, "size": 1}[name]
    values = features_by_hand({**row, name: row[name] if row[name] is not None else FILL})
    if name == "size":
        values[2] = 0.0
    found = {values[place]}
    for rule in model.steps[-1][1].list_.rules:
        for condition in rule.conditions:
            if place in condition.features:
                weight = condition.weights[condition.features.index(place)]
                pairs = zip(condition.features, condition.weights, strict=True)
                rest = sum(w * values[k] for k, w in pairs if k != place)
                border = (condition.threshold - rest) / weight
                found |= {border - NEAR, border, border + NEAR}
    return sorted(found) + [None] * (name == "size")


def brute_changes(model, row):
    """For each column the least distance of a cell with another answer, by trying all."""
    deviation = deviations(model)
    members = {each.name: [] for each in COLUMNS}
    for k, feature in enumerate(FEATURES):
        if k in deviation:
            members[feature.column].append(k)
    before = features_by_hand(row)
    wanted = answer(model, row)
    found = {}
    for name, places in members.items():
        if not places:
            continue
        if name in ("plain", "size"):
            options = number_candidates(model, row, name)
        elif name == "day":
            options = [DAY + dt.timedelta(days=k) for k in range(-30, 31)] + [None]
        else:
            options = ["Rome", "O'Hara", "a", "b", "another one", None]
        for option in options:
            if name == "size" and 2 not in places and option is None:
                continue  # a gap counts as a number then
            if name == "day" and option is None and 11 not in places:
                continue
            changed = {**row, name: option}
            if option == row[name] or answer(model, changed) == wanted:
                continue
            after = features_by_hand(changed)
            size = max(abs(after[k] - before[k]) / deviation[k] for k in places)
            found[name] = min(found.get(name, math.inf), size)
    return found


def cells_in_words(text):
    """All cells of a column of categories that fit the words of a change."""
    categories = {"city": ["Rome", "O'Hara"], "kind": ["a", "b"]}
    column, words = text.split(" instead of ")[0].split(" ", 1)
    known = [*categories[column], "another one"]
    if words == "missing":
        return [None]
    if words == "known":
        return known
    if words == "is rare":
        return ["another one"]
    if words.startswith("other than "):
        excluded = words.removeprefix("other than ").replace(" and ", ", ").split(", ")
        return [each for each in known if each not in excluded]
    assert words.startswith("= ")
    return [words.removeprefix("= ")]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_smallest_change_of_each_column_is_that_of_all_cells(seed):
    some = [k for k in range(len(FEATURES)) if k not in (9, 10, 11)]
    model = drawn_model(seed, some)
    rows = drawn_rows(np.random.default_rng(seed + 1000), 12)
    for row, told in zip(rows, explain(model, table(rows)), strict=True):
        wanted = brute_changes(model, row)
        found = {change.column: change for change in told.changes}
        assert found.keys() == wanted.keys()
        for name, change in found.items():
            assert change.distance == pytest.approx(wanted[name], abs=1e-9)
            after = "another one" if change.after == "" else change.after
            assert answer(model, {**row, name: after}) == change.answer != told.answer
            assert (change.before is None) == (row[name] is None)
            if isinstance(row[name], float):
                assert change.before == row[name]
                if change.after is not None:
                    assert change.amount == change.after - row[name]
            if name in ("city", "kind"):
                for cell in cells_in_words(change.text):
                    assert answer(model, {**row, name: cell}) == change.answer
        sizes = [change.distance for change in told.changes]
        assert sizes == sorted(sizes)
        assert told.change == (told.changes[0] if told.changes else None)


@pytest.mark.parametrize("seed", SEEDS[:30])
def test_the_nearest_day_with_another_answer(seed):
    model = drawn_model(seed, [9, 9, 10, 3, 11][: 3 + seed % 3])
    rows = drawn_rows(np.random.default_rng(seed + 2000), 6)
    for row, told in zip(rows, explain(model, table(rows)), strict=True):
        found = {change.column: change for change in told.changes}
        start = row["day"] or DAY
        others = [
            sign * days
            for days, sign in itertools.product(range(400), (1, -1))
            if answer(model, {**row, "day": start + dt.timedelta(sign * days)}) != told.answer
        ]
        change = found.get("day")
        if change is None:
            assert not others
            continue
        if change.after is None:
            gap = {**row, "day": None}
            assert answer(model, gap) == change.answer != told.answer
            continue
        after = dt.date.fromisoformat(change.after)
        assert answer(model, {**row, "day": after}) == change.answer != told.answer
        assert not others or abs((after - start).days) == min(map(abs, others))


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("k", [k for k in ALL if FEATURES[k].binary])
def test_categories_and_gaps_alone_and_together(k, sign):
    """Every category, a gap and unknown ones, in a condition of its own and beside another one."""
    rng = np.random.default_rng(k)
    alone = Condition((k,), (sign,), 0.5 * sign, 1.0, (1.0,))
    other = Condition((0,), (1.0,), 0.5, 1.0, (1.0,))
    names = [each.name for each in COLUMNS]
    rows = written(drawn_rows(rng, 40))
    days = [
        row | {"day": None if row["day"] is None else dt.date.fromisoformat(row["day"])}
        for row in rows
    ]
    for conditions, quorum in (((alone,), 1), ((alone, other), 2), ((other, alone), ODD)):
        last = classifier(
            [Rule(conditions, quorum, 1.0, 0.01, 0.5)], (1, 0), ("no", "yes"), len(FEATURES)
        )
        encoder = StoredEncoder(Encoding(tuple(COLUMNS), tuple(FEATURES)))
        model = make_pipeline(encoder, last)
        wanted = [answer(model, row) for row in days]
        assert run_python(export_code(model, "python"), rows) == wanted
        assert run_sql(export_code(model, "sql"), rows, names) == wanted
