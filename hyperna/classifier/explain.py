"""Why a row got its class: conditions that hold and by how much, and what would change the answer.

`explain` asks the rules of a classifier about rows one by one, as a reader of the rule would. For
each column that the rules look at `smallest_change.py` finds the smallest change that changes the
answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from hyperna._validation import FloatArray
from hyperna._words import sum_text
from hyperna.classifier.asked_rows import AskedRows
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.explain_text import (
    beside_text,
    date_text,
    few_digits,
    short_number,
)
from hyperna.classifier.explanations import (
    Change,
    ConditionState,
    Explanation,
    Explanations,
    RuleState,
)
from hyperna.classifier.rules import Condition
from hyperna.classifier.smallest_change import SmallestChanges
from hyperna.classifier.text import (
    asked_rules,
    classifier_and_features,
    condition_parts,
    fitted_model,
    rule_lines,
)
from hyperna.tables.columns import Column
from hyperna.tables.dates import DATE_PARTS
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
    asked = _asked_rows(classifier, features, rows, cells)
    changes = SmallestChanges(asked, features).of_rows()
    probability = classifier.list_.probabilities(rows)
    return Explanations(_Explainer(asked, probability, changes).explanations())


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


def _asked_rows(
    classifier: Any,
    features: Sequence[Feature],
    rows: FloatArray,
    cells: dict[str, NDArray[Any]],
) -> AskedRows:
    """Return the rows with the features that the rules use, and the rules with their numbers."""
    rules: DecisionList = classifier.list_
    used = set(rules.features)
    # dates need their date beside the month or weekday that a rule may use
    dates = {features[k].column for k in used if features[k].kind in DATE_PARTS}
    for k, feature in enumerate(features):
        if feature.kind in DATE_PARTS and feature.column in dates:
            used.add(k)
    numbers = sorted(used)
    place = {k: j for j, k in enumerate(numbers)}
    renumbered = []
    for rule in rules.rules:
        conditions = tuple(
            replace(condition, features=tuple(place[k] for k in condition.features))
            for condition in rule.conditions
        )
        renumbered.append(replace(rule, conditions=conditions))
    return AskedRows(
        rules=replace(rules, rules=tuple(renumbered)),
        features=[features[k] for k in numbers],
        F=np.ascontiguousarray(rows[:, numbers]),
        classes=classifier.classes_.tolist(),
        cells=cells,
    )


class _Explainer:
    """What is told of the rows that rules were asked about.

    `probability` has that of each class for each row, `changes` the smallest ones of each row.
    """

    def __init__(
        self, asked: AskedRows, probability: FloatArray, changes: Sequence[Sequence[Change]]
    ) -> None:
        self.asked = asked
        self.features = asked.features
        self.probability = probability
        self.changes = changes

    def explanations(self) -> list[Explanation]:
        """Return the explanation of each row."""
        asked = asked_rules(self.asked.rules, self.features)
        holds = [rule.holds(self.asked.F) for rule, _ in asked]
        states = [[self._states(condition) for condition in rule.conditions] for rule, _ in asked]
        heads = [rule_lines(rule, self.features, None)[0] for rule, _ in asked]
        names = [self.asked.classes[number] for _, number in asked]
        result = []
        for row, answer in enumerate(self.asked.answers.tolist()):
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
                    answer=self.asked.classes[answer],
                    probability=float(self.probability[row, answer]),
                    rules=tuple(rules),
                    n_rules=len(asked),
                    changes=tuple(sorted(self.changes[row], key=lambda change: change.distance)),
                )
            )
        return result

    def _states(self, condition: Condition) -> list[ConditionState]:
        """Return the condition looked at for each row, the first term positive."""
        weights, relation, threshold = condition.written
        sign = 1.0 if relation == ">" else -1.0
        holds = condition.holds(self.asked.F).tolist()
        distance = condition.distance(self.asked.F).tolist()
        values = sign * condition.sum(self.asked.F) + 0.0
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
        counts: list[list[str]] = [[] for _ in self.asked.F]
        filled = {
            self.features[k].column: self.features[k]
            for k in condition.features
            if self.features[k].kind in ("number", *DATE_PARTS)
            and self.features[k].fill is not None
        }
        for column, feature in filled.items():
            text = f"{printable(column)} is missing and counts as {feature.fill_text}"
            for row in np.flatnonzero(self.asked.gaps[column]).tolist():
                counts[row].append(text)
        return [f"; {', '.join(some)}" if some else "" for some in counts]

    def _fact(self, k: int, row: int, value: float, threshold: float) -> str:
        """Return what a row has in a feature, and by how much it differs from the threshold."""
        feature = self.features[k]
        missing = self.asked.gaps[feature.column][row]
        if feature.kind in ("category", "rare", "missing"):
            if missing:
                return f"{printable(feature.column)} is missing"
            known = self.asked.category(feature.column, row)
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
