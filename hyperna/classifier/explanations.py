"""Explanations of rows: what `explain` returns, as text and as data frames."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hyperna._validation import check_extra
from hyperna.classifier.text import LINE_WIDTH, filled_lines

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
