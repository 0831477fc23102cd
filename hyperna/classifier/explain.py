"""Why a row got its class: conditions that hold and by how much, and what would change the answer.

`explain` asks the rules of a classifier about rows one by one, as a reader of the rule would. For
each column that the rules look at it also finds the smallest change that changes the answer, and
this is exact: computed sums grow monotonically with each feature, so the place where a condition
changes is found by bisection over all doubles, and between these places the answer is constant.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from hyperna._validation import BoolArray, FloatArray, IntArray, check_extra
from hyperna._words import number_text, sum_text
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.rules import Condition
from hyperna.classifier.text import (
    LINE_WIDTH,
    asked_rules,
    classifier_and_features,
    condition_parts,
    filled_lines,
    fitted_model,
    rule_lines,
)
from hyperna.tables.columns import Column
from hyperna.tables.dates import (
    CALENDAR,
    DATE_PARTS,
    MONTHS,
    STEPS,
    WEEKDAYS,
    date_part,
    moment_text,
)
from hyperna.tables.encoding import Encoding
from hyperna.tables.features import Feature, printable
from hyperna.tables.reader import columns_of

# Significant digits of values and differences in texts; the attributes have all of them.
DIGITS = 6
# A value in a text may lie beyond the border by so much of the change, to have fewer digits.
SLACK = 0.005
# Longer conditions have what the row has on a line of its own.
WIDEST = 60


@dataclass(frozen=True)
class ConditionState:
    """A condition, looked at for one row.

    Attributes
    ----------
    text : str
        The condition, for instance ``age > 40``.
    holds : bool
        Whether it holds.
    sum : str
        What is compared, the left side of the condition.
    value, threshold : float
        The number on either side, in the column's units; days for dates.
    margin : float
        By how much the condition holds, in the same units; not positive where it does not hold.
    distance : float
        The margin in standard deviations.
    fact : str
        What the row has: ``age = 52, 12 more than 40``.
    parts : tuple of str
        The text in parts, between which a line may be broken.
    """

    text: str
    holds: bool
    sum: str
    value: float
    threshold: float
    margin: float
    distance: float
    fact: str
    parts: tuple[str, ...]


@dataclass(frozen=True)
class RuleState:
    """A rule of the list, looked at for one row: its class, whether it holds, its conditions."""

    answer: Any
    head: str
    holds: bool
    conditions: tuple[ConditionState, ...]


@dataclass(frozen=True)
class Change:
    """The smallest change of one column that changes the answer.

    Attributes
    ----------
    column : str
        The column, or the feature where a pipeline does not tell its column.
    before, after : float, str or None
        The value in the row and the nearest one with another answer: a number, a date as ISO text,
        a category; None for a gap. `after` is "" for any category that has no name in the model.
    amount : float or None
        ``after - before`` of numbers, in days for dates; None where something is no number.
    distance : float
        The size of the change in standard deviations, the largest one over the features that the
        rule makes of the column.
    answer : object
        The class after the change.
    text : str
        The change in words.
    """

    column: str
    before: Any
    after: Any
    amount: float | None
    distance: float
    answer: Any
    text: str


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a row got its class; it prints as text.

    Attributes
    ----------
    row : int
        Number of the row, from 0.
    answer : object
        Its class.
    probability : float
        The probability that the classifier gives it.
    rules : tuple of RuleState
        The rules that were asked, in order; all but the last do not hold.
    n_rules : int
        Number of rules of the list.
    changes : tuple of Change
        For each column the smallest change that changes the answer, the smallest one first. Columns
        that cannot change the answer alone are not there.
    """

    row: int
    answer: Any
    probability: float
    rules: tuple[RuleState, ...]
    n_rules: int
    changes: tuple[Change, ...]

    @property
    def rule(self) -> int | None:
        """Number of the rule that holds, from 1; None if no rule does."""
        return len(self.rules) if self.rules and self.rules[-1].holds else None

    @property
    def reached(self) -> str:
        """How far along the list of rules the row got."""
        if not self.n_rules:
            return "always the same answer"
        if self.rule is None:
            return "the rule does not hold" if self.n_rules == 1 else "no rule holds"
        return "the rule holds" if self.n_rules == 1 else f"rule {self.rule} of {self.n_rules}"

    @property
    def change(self) -> Change | None:
        """The smallest change of all columns, None if no column can change the answer alone."""
        return self.changes[0] if self.changes else None

    @property
    def reason(self) -> str:
        """The conditions of the last rule that was asked, with what the row has, on one line."""
        if not self.rules:
            return ""
        return "; ".join(
            f"{'yes' if state.holds else 'no'}: {state.text} ({state.fact})"
            for state in self.rules[-1].conditions
        )

    @property
    def text(self) -> str:
        """The explanation in words."""
        lines = [f"row {self.row + 1}: {self.answer!r}, probability {self.probability:.3g}"]
        if self.n_rules != 1:
            lines[0] += f"; {self.reached}"
        for number, rule in enumerate(self.rules, 1):
            name = f"rule {number}" if self.n_rules > 1 else "rule"
            holds = "holds" if rule.holds else "does not hold"
            lines.append(f"  {name} {holds}: class {rule.answer!r} {rule.head}")
            width = max(len(state.text) for state in rule.conditions)
            for state in rule.conditions:
                mark = "yes" if state.holds else "no"
                if width <= WIDEST:
                    lines.append(f"    {mark:3}  {state.text:{width}}  {state.fact}")
                else:
                    first, *rest = filled_lines(state.parts, width=LINE_WIDTH - 9)
                    lines.append(f"    {mark:3}  {first}")
                    lines += [f"         {line}" for line in rest]
                    lines.append(f"         {state.fact}")
        if self.change is not None:
            change = f"smallest change that gives {self.change.answer!r}: {self.change.text}"
            lines += filled_lines(change.split(" "), indent="  ", width=LINE_WIDTH - 2)
        elif self.n_rules:
            lines.append("  no change of a single column changes the answer")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__  # what notebooks show


class Explanations(Sequence[Explanation]):
    """Explanations of rows, in their order; prints as text, and has data frames."""

    def __init__(self, rows: Sequence[Explanation]) -> None:
        self.rows = tuple(rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        return Explanations(self.rows[index]) if isinstance(index, slice) else self.rows[index]

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self.rows)

    def __str__(self) -> str:
        return "\n\n".join(each.text for each in self.rows)

    __repr__ = __str__

    def to_frame(self) -> Any:
        """Return a pandas data frame with a row for each condition that was asked."""
        check_extra("Explanations.to_frame", "pandas", "data")
        import pandas as pd

        names = [
            *("row", "answer", "rule", "class", "rule_holds", "condition", "holds"),
            *("value", "threshold", "margin", "distance"),
        ]
        records: list[tuple[Any, ...]] = []
        for each in self.rows:
            for number, rule in enumerate(each.rules, 1):
                before = (each.row, each.answer, number, rule.answer, rule.holds)
                for state in rule.conditions:
                    after = (state.value, state.threshold, state.margin, state.distance)
                    records.append((*before, state.text, state.holds, *after))
        return pd.DataFrame(records, columns=names)

    def changes_to_frame(self) -> Any:
        """Return a pandas data frame with the smallest change of each column that has one."""
        check_extra("Explanations.changes_to_frame", "pandas", "data")
        import pandas as pd

        names = ["row", "answer", "column", "before", "after", "amount", "distance", "new_answer"]
        records = []
        for each in self.rows:
            for change in each.changes:
                values = (change.before, change.after, change.amount, change.distance)
                records.append((each.row, each.answer, change.column, *values, change.answer))
        return pd.DataFrame(records, columns=names)


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
        self.conditions = [condition for rule in rules for condition in rule.conditions]
        self.answers = self.rules.predict(self.F)
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
                fact = f"the sum is {_number(value)}{_beside(value, threshold)}{gaps[row]}"
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
            text = f"{feature.name} = {_number(value)}{_beside(value, threshold)}"
        elif feature.kind == "date":
            difference = abs(value - threshold)
            when = "later" if value > threshold else "earlier"
            days = f"{_short(difference)} days {when}" if difference else ""
            text = ", ".join(filter(None, [f"{feature.name} = {_part(feature, value)}", days]))
        else:
            text = f"{feature.name} = {_part(feature, value)}"
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
                flips.append(_first_beyond(condition, known, value))
        if not flips:
            return found
        nearest = _Nearest(self, known, value, np.array(flips))
        feature = self.features[value]
        for row in np.flatnonzero(np.isfinite(nearest.size)).tolist():
            before, after = float(known[row, value]), float(nearest.value[row])
            distance = abs(after - before) / self.deviation[value]
            if gap is not None and is_gap[row]:
                distance = max(distance, 1.0 / self.deviation[gap])
            goal, target = _beyond_text(before, after, nearest.inner[row], nearest.outer[row])
            was, step = "a gap", ""
            if not is_gap[row]:
                was, step = _from_text(before, target)
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
                text=f"{column} missing instead of {_shown_value(before)}",
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
                return _part(feature, float(self.F[row, k]))
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
        if "missing" in kinds or any(self.features[k].fill is not None for k in members):
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
                was = "a gap" if before is None else printable(_shown_value(before))
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
        calendar = _Calendar(self, by_kind)
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
            step = "" if is_gap[row] else f" ({_signed(days)} days)"
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


# Bisection over doubles


def _keys(values: FloatArray) -> IntArray:
    """Return whole numbers that are ordered as the doubles are, neighbours one apart."""
    bits = np.asarray(values, dtype=np.float64).view(np.int64)
    return np.where(bits >= 0, bits, -(bits & np.int64(2**63 - 1)))


def _doubles(keys: IntArray) -> FloatArray:
    """Return the doubles that `_keys` numbered."""
    bits = np.where(keys >= 0, keys, (-keys) | np.int64(-(2**63)))
    return bits.view(np.float64)


_LAST_KEY = int(_keys(np.array([np.finfo(float).max]))[0])


def _first_of(low: IntArray, high: IntArray, is_true: Callable[[IntArray], BoolArray]) -> IntArray:
    """Return the least number in (low, high] with `is_true`, which is false, then true.

    It is high + 1 where it is nowhere true, and low where it is true there already.
    """
    ends = low.copy(), high.copy()
    at_low, at_high = is_true(low), is_true(high)
    low, high = ends
    for _ in range(65):
        middle = (low >> 1) + (high >> 1) + (low & high & 1)
        true = is_true(middle)
        high = np.where(true, middle, high)
        low = np.where(true, low, middle)
        if (high - low <= 1).all():
            break
    return np.where(at_low, ends[0], np.where(at_high, high, ends[1] + 1))


def _first_beyond(condition: Condition, F: FloatArray, k: int) -> IntArray:
    """Return for each row the key of the first value of feature k with which a condition changes.

    With growing values the condition changes at most once, since rounded products and sums grow
    with their parts. Where it never does, the key is beyond that of the largest number.
    """
    rising = condition.weights[condition.features.index(k)] > 0
    changed = F.copy()

    def is_true(keys: IntArray) -> BoolArray:
        changed[:, k] = _doubles(keys)
        return condition.holds(changed) == rising

    low = np.full(len(F), -_LAST_KEY)
    first = _first_of(low, -low, is_true)
    return np.where(first == low, _LAST_KEY + 1, first)


class _Nearest:
    """The nearest value of a feature with another answer, for each row.

    `flips` has the keys of the values at which conditions change, shape (conditions, rows). `inner`
    is the neighbour of the value on the side of the row, and `outer` the last value beyond with the
    same answer.
    """

    def __init__(self, explainer: _Explainer, F: FloatArray, k: int, flips: IntArray) -> None:
        start = _keys(F[:, k])
        rows = len(F)
        self.size = np.full(rows, math.inf)
        self.value = np.full(rows, math.nan)
        self.inner = np.full(rows, math.nan)
        self.outer = np.full(rows, math.nan)
        self.answer = np.full(rows, -1)
        inside = flips <= _LAST_KEY
        changed = F.copy()
        candidates = [(start, np.ones(rows, bool), start)]  # a gap that becomes known as it counts
        for flip, possible in zip(flips, inside, strict=True):
            candidates.append((flip, possible & (flip > start), flip - 1))
            candidates.append((flip - 1, possible & (flip <= start), flip))
        for keys, possible, inner in candidates:
            values = _doubles(np.where(possible, keys, start))
            changed[:, k] = values
            answers = explainer.rules.predict(changed)
            size = np.abs(values - F[:, k])
            better = possible & (answers != explainer.answers) & (size < self.size)
            self.size[better] = size[better]
            self.value[better] = values[better]
            self.inner[better] = _doubles(inner)[better]
            self.answer[better] = answers[better]
        key = _keys(np.nan_to_num(self.value))
        up = key > start
        farther = np.where(inside & (flips > key), flips, _LAST_KEY + 1).min(axis=0) - 1
        lower = np.where(inside & (flips <= key), flips, -_LAST_KEY).max(axis=0)
        self.outer = _doubles(np.where(up, farther, lower))


class _Calendar:
    """The nearest moment with another answer.

    Between two moments at which a condition on the date changes, and within a day (or an hour, if
    rules use it), the answer is constant; all months, weekdays and hours occur within `window`.
    """

    def __init__(self, explainer: _Explainer, by_kind: dict[str, int]) -> None:
        self.explainer = explainer
        used = {k for condition in explainer.conditions for k in condition.features}
        self.by_kind = by_kind
        self.date = explainer.features[by_kind["date"]]
        self.steps = STEPS[self.date.step]
        first, last = date_part(CALENDAR, "date", self.date.origin, self.date.step)
        self.ends = round(first * self.steps), round(last * self.steps)
        self.parts = [kind for kind in DATE_PARTS[1:] if kind in by_kind and by_kind[kind] in used]
        self.on_date = [
            condition for condition in explainer.conditions if by_kind["date"] in condition.features
        ]
        # Every month has every weekday, so that a year and a month hold every pair of them.
        days = 400 if "month" in self.parts else 8 if "weekday" in self.parts else 2
        self.window = days * self.steps
        self.grain = self.steps // 24 if "hour" in self.parts and self.steps > 1 else self.steps

    def part(self, kind: str, counts: IntArray) -> FloatArray:
        """Return a part of the moments that lie so many steps after the origin."""
        unit: Any = "D" if self.date.step == "day" else "s"
        if kind == "missing":
            return np.zeros(len(counts))
        moments = np.datetime64(self.date.origin, unit) + counts.astype(f"timedelta64[{unit}]")
        return date_part(moments.astype("datetime64[us]"), kind, self.date.origin, self.date.step)

    def rows(self, row: int, counts: IntArray) -> FloatArray:
        """Return the features of a row with other dates."""
        changed = np.repeat(self.explainer.F[row : row + 1], len(counts), axis=0)
        for kind, k in self.by_kind.items():
            changed[:, k] = self.part(kind, counts)
        return changed

    def nearest(self, row: int, start: int) -> tuple[int, int] | None:
        """Return the nearest moment to `start` with another answer, and that answer."""
        if self.parts and self.grain == 1:  # all days around it are looked at
            near = self._best(row, start, np.zeros(0, np.int64), np.array([start]))
            if near is not None:
                return near
        flips = self._flips(row, start)
        inside = flips[np.abs(flips - start) <= self.window]
        near = self._best(row, start, inside, np.array([start]))
        if near is not None and abs(near[0] - start) <= self.window:
            return near
        return self._best(row, start, flips, np.append(flips, start))

    def _best(
        self, row: int, start: int, flips: IntArray, centres: IntArray
    ) -> tuple[int, int] | None:
        """Return the nearest moment with another answer at a flip, or in the window of a centre."""
        candidates = [np.array([start]), flips, flips - 1]
        if self.parts:
            # the first cell of each stretch that windows cover, and where it ends
            cells = np.unique(centres // self.grain)
            reach = self.window // self.grain
            gaps = np.flatnonzero(np.diff(cells) > 2 * reach)
            begins = cells[np.append(0, gaps + 1)] - reach
            ends = cells[np.append(gaps, len(cells) - 1)] + reach
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
                first_moments = np.arange(begin, end + 1) * self.grain
                candidates += [first_moments, first_moments - 1]
        counts = np.unique(np.concatenate(candidates))
        counts = counts[(counts >= self.ends[0]) & (counts <= self.ends[1])]
        answers = self.explainer.rules.predict(self.rows(row, counts))
        other = np.flatnonzero(answers != self.explainer.answers[row])
        if not len(other):
            return None
        best = other[np.abs(counts[other] - start).argmin()]
        return int(counts[best]), int(answers[best])

    def _flips(self, row: int, start: int) -> IntArray:
        """Return the first moments at which conditions change, whatever the other parts are."""
        if not self.on_date:
            return np.zeros(0, np.int64)
        choices: dict[str, Sequence[int]] = {
            "month": range(1, 13),
            "weekday": range(1, 8),
            "hour": range(24),
        }
        combinations = [*product(*(choices[kind] for kind in self.parts))]
        width = len(combinations)
        changed = self.rows(row, np.full(width, start))
        for place, kind in enumerate(self.parts):
            changed[:, self.by_kind[kind]] = [each[place] for each in combinations]
        k = self.by_kind["date"]
        found = []
        for condition in self.on_date:
            rising = condition.weights[condition.features.index(k)] > 0

            def is_true(
                counts: IntArray, condition: Condition = condition, rising: bool = rising
            ) -> BoolArray:
                changed[:, k] = counts / self.steps
                return condition.holds(changed) == rising

            low = np.full(width, self.ends[0])
            first = _first_of(low, np.full(width, self.ends[1]), is_true)
            found.append(first[(first > self.ends[0]) & (first <= self.ends[1])])
        return np.unique(np.concatenate(found))


# Words


def _short(value: float) -> str:
    """Return a difference with three digits, or as many as stand before its decimal point.

    Examples
    --------
    >>> _short(0.12345), _short(1708.35), _short(1e20)
    ('0.123', '1708', '1e+20')
    """
    return f"{value:.0f}" if 1000 <= abs(value) < 1e15 else number_text(value, 3)


def _number(value: float) -> str:
    return number_text(value + 0.0, DIGITS)


def _beside(value: float, threshold: float) -> str:
    """Return by how much a value is more or less than a threshold."""
    if not math.isfinite(value):
        return ""
    if value == threshold:
        return ", the threshold itself"
    relation = "more" if value > threshold else "less"
    difference = _short(abs(value - threshold))
    return f", {difference} {relation} than {number_text(threshold, None)}"


def _signed(value: float) -> str:
    return f"{'+' if value >= 0 else '-'}{_short(abs(value))}"


def _shown_value(value: Any) -> str:
    return _number(value) if isinstance(value, float) else str(value)


def _part(feature: Feature, value: float) -> str:
    """Return a date or a part of it in words."""
    if feature.kind == "date":
        return moment_text(feature.origin, round(value * STEPS[feature.step]), feature.step)
    if feature.kind == "month":
        return MONTHS[int(value) - 1]
    if feature.kind == "weekday":
        return WEEKDAYS[int(value) - 1]
    return f"{value:g}"


def _beyond_text(before: float, after: float, inner: float, outer: float) -> tuple[str, float]:
    """Return words for the values from `after` on, away from `before`, and the number in them.

    It has few digits.

    `inner` is the last value before `after`, which has the old answer, and `outer` the last one
    beyond it with the new one.

    Examples
    --------
    >>> _beyond_text(39.0, np.nextafter(40.0, 41.0), 40.0, 1e300)
    ('more than 40', 40.0)
    >>> _beyond_text(45.0, 40.0, np.nextafter(40.0, 41.0), -1e300)
    ('at most 40', 40.0)
    >>> _beyond_text(39.0, 40.12345678, 40.12345677, 1e300)
    ('at least 40.124', 40.124)
    """
    if after == before:
        return f"= {_number(after)}", after
    up = after > before
    if len(number_text(after, None)) <= DIGITS + 2:
        return f"at {'least' if up else 'most'} {number_text(after, None)}", after
    if len(number_text(inner, None)) <= DIGITS + 2:
        return f"{'more' if up else 'less'} than {number_text(inner, None)}", inner
    shown = _rounded_beyond(before, after, outer)
    return f"at {'least' if up else 'most'} {number_text(shown, None)}", shown


def _rounded_beyond(before: float, after: float, outer: float) -> float:
    """Return a number with few digits from `after` to `outer`, away from `before`.

    It has five digits, counted from the first one of the larger value, or as many as it takes to be
    near `after`.

    Examples
    --------
    >>> _rounded_beyond(25.38, 3.0762345, -1e300), _rounded_beyond(2.5, 1e-17, -1e300)
    (3.076, 0.0)
    """
    up = after > before
    room = SLACK * abs(after - before)
    first = math.floor(math.log10(max(abs(before), abs(after))))
    for digits in range(5, 17):
        step = Decimal(1).scaleb(first + 1 - digits)
        rounding = ROUND_CEILING if up else ROUND_FLOOR
        shown = float(Decimal(after).quantize(step, rounding)) + 0.0
        beyond = after <= shown <= outer if up else outer <= shown <= after
        if beyond and abs(shown - after) <= room:
            return shown
    return after


def _from_text(before: float, after: float) -> tuple[str, str]:
    """Return words for the value before a change and for the step to the one after it.

    The step is the difference of the two numbers as they are shown.

    Examples
    --------
    >>> _from_text(25.38, 3.076), _from_text(40.12345678, 40.1234571)
    (('25.38', ' (-22.304)'), ('40.12345678', ' (+0.00000032)'))
    """
    target = Decimal(number_text(after, None))
    exact = number_text(before, None)
    was = exact if len(exact) <= DIGITS + 2 else _number(before)
    # Where the change is smaller than the digits of the value, all of them are needed.
    if abs(float(target) - float(was)) < 1000 * abs(float(was) - before):
        was = exact
    step = target - Decimal(was)
    if len(step.as_tuple().digits) > 17:  # numbers of very different sizes
        return was, f" ({float(step):+.6g})"
    plain = f"{step:+f}" if abs(step.adjusted()) < 15 else f"{float(step):+.17g}"
    return was, f" ({plain.rstrip('0').rstrip('.') if '.' in plain else plain})"
