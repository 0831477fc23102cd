"""Why a row got its class: conditions that hold and by how much, and what would change the answer.

`explain` asks the rules of a classifier about rows one by one, as a reader of the rule would. For
each column that the rules look at it also finds the smallest change that changes the answer, and
this is exact: computed sums grow monotonically with each feature, so the place where a condition
changes is found by bisection over all doubles, and between these places the answer is constant.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from hyperna._validation import BoolArray, FloatArray
from hyperna._words import sum_text
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.explain_text import (
    beside_text,
    beyond_text,
    date_text,
    few_digits,
    from_text,
    short_number,
    signed_text,
    value_text,
)
from hyperna.classifier.explanations import (
    Change,
    ConditionState,
    Explanation,
    Explanations,
    RuleState,
)
from hyperna.classifier.rules import Condition
from hyperna.classifier.smallest_change import AskedRows, Calendar, NearestNumber, first_beyond
from hyperna.classifier.text import (
    asked_rules,
    classifier_and_features,
    condition_parts,
    fitted_model,
    rule_lines,
)
from hyperna.tables.columns import Column
from hyperna.tables.dates import DATE_PARTS, STEPS, moment_text
from hyperna.tables.encoding import Encoding
from hyperna.tables.features import Feature, printable
from hyperna.tables.reader import columns_of


def explain(model: Any, X: Any, *, feature_names: Sequence[str] | None = None) -> Explanations:
    """Return why each row of X gets its class.

    For each row: which rules were asked, which conditions hold and by how much, and for each column
    the smallest change that changes the answer. That one is exact: no smaller change of the column
    does it.

    Parameters
    ----------
    model : NAClassifier, Pipeline or search
        A fitted classifier, a pipeline that ends with one, or a search such as GridSearchCV, whose
        best estimator is taken. Categories, gaps and dates of `table_pipeline` are named as such,
        and changes are those of a cell of the table.
    X : array-like or table
        Rows, as `predict` takes them.
    feature_names : sequence of str, optional
        One name for each feature, as in `export_text`.

    Examples
    --------
    >>> from hyperna import NAClassifier
    >>> sizes = [[1.0], [1.2], [3.0], [3.1]] * 5
    >>> clf = NAClassifier(random_state=0).fit(sizes, ["low", "low", "high", "high"] * 5)
    >>> print(explain(clf, [[1.5]], feature_names=["size"]))
    row 1: 'low', probability 0.907
      rule holds: class 'low' if
        yes  size < 2  size = 1.5, 0.5 less than 2
      smallest change that gives 'high': size at least 2 instead of 1.5 (+0.5)
    """
    model = fitted_model(model)
    classifier, features = classifier_and_features(model, feature_names)
    encodes = isinstance(model, Pipeline) and len(model.steps) > 1
    rows = np.asarray(classifier._rows(model[:-1].transform(X) if encodes else X))
    columns = Encoding.of(model).columns if encodes and feature_names is None else ()
    cells = _cells(X, columns)
    return Explanations(_Explainer(classifier, features, rows, cells).explanations())


def _cells(X: Any, columns: Sequence[Column]) -> dict[str, NDArray[Any]]:
    """Return what a table holds in its columns, as far as these can be found by their names."""
    if not columns or not (isinstance(X, Mapping) or hasattr(X, "columns")):
        return {}
    table = columns_of(X)
    return {
        column.name: column.read(table[column.name])
        for column in columns
        if column.used and column.name in table
    }


class _Explainer:
    """What is known about a model and the rows that are explained.

    Only the features that the rules use have a column in `F`; `features` and `rules` number them in
    the same way.
    """

    def __init__(
        self,
        classifier: Any,
        features: Sequence[Feature],
        rows: FloatArray,
        cells: dict[str, NDArray[Any]],
    ) -> None:
        listed: DecisionList = classifier.list_
        self.classes = classifier.classes_.tolist()
        self.cells = cells
        self.probability = listed.probabilities(rows)
        # dates need their date beside the month or weekday that a rule may use
        wanted = set(listed.features)
        used_columns = {features[k].column for k in wanted if features[k].kind in DATE_PARTS}
        for k, feature in enumerate(features):
            if feature.kind in DATE_PARTS and feature.column in used_columns:
                wanted.add(k)
        numbers = sorted(wanted)
        place = {k: j for j, k in enumerate(numbers)}
        self.features = [features[k] for k in numbers]
        self.all_features = features
        self.F = np.ascontiguousarray(rows[:, numbers])
        rules = []
        for rule in listed.rules:
            conditions = tuple(
                replace(condition, features=tuple(place[k] for k in condition.features))
                for condition in rule.conditions
            )
            rules.append(replace(rule, conditions=conditions))
        self.rules = replace(listed, rules=tuple(rules))
        self.answers = self.rules.predict(self.F)
        self.asked = AskedRows(self.rules, self.features, self.F, self.answers)
        self.conditions = self.asked.conditions
        self.deviation = self._deviations()
        self.gaps = {column: self._gaps(column) for column in {f.column for f in self.features}}

    def _deviations(self) -> FloatArray:
        """Return the standard deviation of each feature in training, as the conditions tell it."""
        found: list[list[float]] = [[] for _ in self.features]
        for condition in self.conditions:
            for k, weight, influence in zip(
                condition.features, condition.weights, condition.influence, strict=True
            ):
                found[k].append(influence * condition.scale / abs(weight))
        return np.array([np.mean(some) if some else math.nan for some in found])

    def explanations(self) -> list[Explanation]:
        """Return the explanation of each row."""
        changes = self._changes()
        asked = asked_rules(self.rules, self.features)
        holds = [rule.holds(self.F) for rule, _ in asked]
        states = [[self._states(condition) for condition in rule.conditions] for rule, _ in asked]
        heads = [rule_lines(rule, self.features, None)[0] for rule, _ in asked]
        names = [self.classes[number] for _, number in asked]
        result = []
        for row, answer in enumerate(self.answers.tolist()):
            rules = []
            for place, name in enumerate(names):
                conditions = tuple(some[row] for some in states[place])
                held = bool(holds[place][row])
                rules.append(RuleState(name, heads[place], held, conditions))
                if held:
                    break
            result.append(
                Explanation(
                    row=row,
                    answer=self.classes[answer],
                    probability=float(self.probability[row, answer]),
                    rules=tuple(rules),
                    n_rules=len(asked),
                    changes=tuple(sorted(changes[row], key=lambda change: change.distance)),
                )
            )
        return result

    def _states(self, condition: Condition) -> list[ConditionState]:
        """Return the condition looked at for each row, the first term positive."""
        weights, relation, threshold = condition.written
        sign = 1.0 if relation == ">" else -1.0
        holds = condition.holds(self.F).tolist()
        distance = condition.distance(self.F).tolist()
        values = sign * condition.sum(self.F) + 0.0
        parts = tuple(condition_parts(condition, self.features, None))
        text = " ".join(parts)
        terms = [
            (weight, self.features[k].term)
            for k, weight in zip(condition.features, weights, strict=True)
        ]
        total = sum_text(terms, None)
        gaps = self._gaps_in_sum(condition)
        states = []
        for row, value in enumerate(values.tolist()):
            if len(terms) == 1:
                fact = self._fact(condition.features[0], row, value, threshold)
            else:
                fact = f"the sum is {few_digits(value)}{beside_text(value, threshold)}{gaps[row]}"
            margin = sign * (value - threshold)
            states.append(
                ConditionState(
                    text=text,
                    holds=holds[row],
                    sum=total,
                    value=value,
                    threshold=threshold,
                    margin=margin,
                    distance=distance[row],
                    fact=fact,
                    parts=parts,
                )
            )
        return states

    def _gaps_in_sum(self, condition: Condition) -> list[str]:
        """Return for each row what the gaps among the terms of a condition count as, in words."""
        counts: list[list[str]] = [[] for _ in self.F]
        filled = {
            self.features[k].column: self.features[k]
            for k in condition.features
            if self.features[k].kind in ("number", *DATE_PARTS)
            and self.features[k].fill is not None
        }
        for column, feature in filled.items():
            text = f"{printable(column)} is missing and counts as {feature.fill_text}"
            for row in np.flatnonzero(self.gaps[column]).tolist():
                counts[row].append(text)
        return [f"; {', '.join(some)}" if some else "" for some in counts]

    def _fact(self, k: int, row: int, value: float, threshold: float) -> str:
        """Return what a row has in a feature, and by how much it differs from the threshold."""
        feature = self.features[k]
        missing = self.gaps[feature.column][row]
        if feature.kind in ("category", "rare", "missing"):
            if missing:
                return f"{printable(feature.column)} is missing"
            known = self._category(feature.column, row)
            if feature.kind == "missing" or not known:
                return f"{printable(feature.column)} is {known or 'known'}"
            return f"{printable(feature.column)} = {printable(known)}"
        if feature.kind == "number" or feature.kind == "other":
            text = f"{feature.name} = {few_digits(value)}{beside_text(value, threshold)}"
        elif feature.kind == "date":
            difference = abs(value - threshold)
            when = "later" if value > threshold else "earlier"
            days = f"{short_number(difference)} days {when}" if difference else ""
            text = ", ".join(filter(None, [f"{feature.name} = {date_text(feature, value)}", days]))
        else:
            text = f"{feature.name} = {date_text(feature, value)}"
        if missing:
            return f"{printable(feature.column)} is missing and counts as: {text}"
        return text

    def _gaps(self, column: str) -> BoolArray:
        """Return in which rows a column has no value."""
        if column in self.cells:
            cells = self.cells[column]
            return np.array([cell is None or bool(cell != cell) for cell in cells], bool)
        for k, feature in enumerate(self.features):
            if feature.column == column and feature.kind == "missing":
                return self.F[:, k] > 0
        return np.zeros(len(self.F), bool)

    def _category(self, column: str, row: int) -> str:
        """Return the category of a row, "" if it is not known."""
        if column in self.cells:
            value = self.cells[column][row]
            return value if isinstance(value, str) else ""
        for k, feature in enumerate(self.features):
            if feature.column == column and feature.kind == "category" and self.F[row, k] > 0:
                return str(feature.category)
        return ""

    # Changes

    def _changes(self) -> list[list[Change]]:
        """Return for each row the smallest change of each column that has one."""
        groups: dict[Any, list[int]] = {}
        for k, feature in enumerate(self.features):
            alone = feature.kind == "other"
            groups.setdefault((feature.column, k) if alone else feature.column, []).append(k)
        result: list[list[Change]] = [[] for _ in self.F]
        for members in groups.values():
            kinds = {self.features[k].kind for k in members}
            if kinds & set(DATE_PARTS):
                some = self._date_changes(members)
            elif kinds & {"category", "rare"} or not kinds & {"number", "other"}:
                some = self._category_changes(members)
            else:
                some = self._number_changes(members)
            for row, found in enumerate(some):
                if found:
                    result[row].append(min(found, key=lambda change: change.distance))
        return result

    def _number_changes(self, members: list[int]) -> list[list[Change]]:
        """Return the smallest change of a column of numbers in each row, and to or from a gap."""
        value = next(k for k in members if self.features[k].kind in ("number", "other"))
        gap = next((k for k in members if self.features[k].kind == "missing"), None)
        is_gap = self.gaps[self.features[value].column]
        known = self.F.copy()
        if gap is not None:
            known[:, gap] = 0.0
        found = [[] for _ in self.F] if gap is None else self._gap_changes(members, gap, is_gap)
        flips = []
        for condition in self.conditions:
            if value in condition.features:
                flips.append(first_beyond(condition, known, value))
        if not flips:
            return found
        nearest = NearestNumber(self.asked, known, value, np.array(flips))
        feature = self.features[value]
        for row in np.flatnonzero(np.isfinite(nearest.size)).tolist():
            before, after = float(known[row, value]), float(nearest.value[row])
            distance = abs(after - before) / self.deviation[value]
            if gap is not None and is_gap[row]:
                distance = max(distance, 1.0 / self.deviation[gap])
            goal, target = beyond_text(before, after, nearest.inner[row], nearest.outer[row])
            was = "a gap"
            step = ""
            if not is_gap[row]:
                was, step = from_text(before, target)
            found[row].append(
                Change(
                    column=printable(feature.column) if feature.kind != "other" else feature.name,
                    before=None if is_gap[row] else before,
                    after=after,
                    amount=None if is_gap[row] else after - before,
                    distance=distance,
                    answer=self.classes[nearest.answer[row]],
                    text=f"{feature.name} {goal} instead of {was}{step}",
                )
            )
        return found

    def _gap_changes(self, members: list[int], gap: int, is_gap: BoolArray) -> list[list[Change]]:
        """Return for each known value what a gap in its place would change."""
        changed = self.F.copy()
        size = np.where(self.F[:, gap] > 0, 0.0, 1.0 / self.deviation[gap])
        changed[:, gap] = 1.0
        for k in members:
            feature = self.features[k]
            if k != gap:
                fill = float(feature.values(_filled(feature))[0])
                changed[:, k] = fill
                if not math.isnan(self.deviation[k]):
                    size = np.maximum(size, np.abs(fill - self.F[:, k]) / self.deviation[k])
        answers = self.rules.predict(changed)
        found: list[list[Change]] = [[] for _ in self.F]
        column = printable(self.features[gap].column)
        for row in np.flatnonzero((answers != self.answers) & ~is_gap).tolist():
            before = self._before(members, row)
            change = Change(
                column=column,
                before=before,
                after=None,
                amount=None,
                distance=float(size[row]),
                answer=self.classes[answers[row]],
                text=f"{column} missing instead of {value_text(before)}",
            )
            found[row].append(change)
        return found

    def _before(self, members: list[int], row: int) -> Any:
        """Return the value that a row has in a column."""
        for k in members:
            feature = self.features[k]
            if feature.kind == "number":
                return float(self.F[row, k])
            if feature.kind == "date":
                return date_text(feature, float(self.F[row, k]))
        column = self.features[members[0]].column
        if column in self.cells:
            value = self.cells[column][row]
            return value.item() if isinstance(value, np.generic) else value
        return self._category(column, row) or "known"

    def _category_changes(self, members: list[int]) -> list[list[Change]]:
        """Return the smallest change of a column of categories in each row.

        Options are the categories that the model knows by name, any other one, and a gap; of a
        column of which the rules only use whether it is missing, a value or a gap.
        """
        column = self.features[members[0]].column
        kinds = {self.features[k].kind for k in members}
        options: list[str | None] = []
        for feature in self.all_features:
            if feature.column == column and feature.kind == "category":
                options.append(feature.category)
            if feature.column == column and feature.kind == "rare":
                options += [text for text in feature.named if text is not None]
        options = [*dict.fromkeys(options), ""]
        # a gap differs from an unknown category where it has a feature, counts as one, or is none
        # of the rare ones
        own = [self.features[k] for k in members]
        if "missing" in kinds or any(each.fill is not None or None in each.named for each in own):
            options.append(None)
        found: list[list[Change]] = [[] for _ in self.F]
        best = np.full(len(self.F), math.inf)
        is_gap = self.gaps[column]
        for option in options:
            cell = np.array([_UNKNOWN if option == "" else option], dtype=object)
            changed = self.F.copy()
            size = np.zeros(len(self.F))
            for k in members:
                changed[:, k] = self.features[k].values(cell)[0]
                size = np.maximum(size, np.abs(changed[:, k] - self.F[:, k]) / self.deviation[k])
            answers = self.rules.predict(changed)
            better = (answers != self.answers) & (size < best)
            best[better] = size[better]
            for row in np.flatnonzero(better).tolist():
                before = None if is_gap[row] else self._before(members, row)
                was = "a gap" if before is None else printable(value_text(before))
                change = Change(
                    column=printable(column),
                    before=before,
                    after=option,
                    amount=None,
                    distance=float(size[row]),
                    answer=self.classes[answers[row]],
                    text=f"{self._option_text(column, kinds, option)} instead of {was}",
                )
                found[row] = [change]
        return found

    def _option_text(self, column: str, kinds: set[str], option: str | None) -> str:
        """Return the words for a category, any other one, or a gap."""
        name = printable(column)
        if option is None:
            return f"{name} missing"
        if option:
            return f"{name} = {printable(option)}"
        if kinds == {"missing"}:
            return f"{name} known"
        listed = {
            str(feature.category)
            for feature in self.features
            if feature.column == column and feature.kind == "category"
        }
        if len(listed) == 1:
            return f"{name} not {printable(listed.pop())}"
        return f"{name} something else"

    def _date_changes(self, members: list[int]) -> list[list[Change]]:
        """Return the smallest change of a date in each row, and to or from a gap."""
        by_kind = {self.features[k].kind: k for k in members}
        date = self.features[by_kind["date"]]
        gap = by_kind.get("missing")
        is_gap = self.gaps[date.column]
        if gap is None:
            found: list[list[Change]] = [[] for _ in self.F]
        else:
            found = self._gap_changes(members, gap, is_gap)
        calendar = Calendar(self.asked, by_kind)
        steps = STEPS[date.step]
        for row in range(len(self.F)):
            start = round(float(self.F[row, by_kind["date"]]) * steps)
            nearest = calendar.nearest(row, start)
            if nearest is None:
                continue
            count, answer = nearest
            size = 0.0
            for kind, k in by_kind.items():
                if not math.isnan(self.deviation[k]):
                    after = calendar.part(kind, np.array([count]))[0]
                    size = max(size, abs(after - self.F[row, k]) / self.deviation[k])
            before_text = moment_text(date.origin, start, date.step)
            after_text = moment_text(date.origin, count, date.step)
            days = (count - start) / steps
            step = "" if is_gap[row] else f" ({signed_text(days)} days)"
            was = "a gap" if is_gap[row] else before_text
            found[row].append(
                Change(
                    column=printable(date.column),
                    before=None if is_gap[row] else before_text,
                    after=after_text,
                    amount=None if is_gap[row] else days,
                    distance=size,
                    answer=self.classes[answer],
                    text=f"{date.name} = {after_text} instead of {was}{step}",
                )
            )
        return found


_UNKNOWN = "\0 none of the categories"


def _filled(feature: Feature) -> NDArray[Any]:
    """Return a gap of the kind of cells that a feature is made of."""
    if feature.kind in DATE_PARTS:
        return np.array(["NaT"], dtype="datetime64[us]")
    return np.array([np.nan])
