"""What the code of a rule has in common in all languages, and in those with functions.

`Writer` is for all languages, `Script` for Python and JavaScript, where the code is a function.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np

from hyperna._csv import GAPS
from hyperna._words import number_text
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.rules import Condition, Rule
from hyperna.classifier.text import asked_rules, filled_lines, list_text
from hyperna.tables.columns import ISO, Column
from hyperna.tables.dates import DATE_PARTS
from hyperna.tables.features import Feature, printable


@dataclass(frozen=True)
class DateNumbers:
    """A way to write dates that consists of numbers.

    `order` has the letters of `strptime` for day, month and year; `separator` stands between them.
    `clock` is the number of digits and colons of the time after a space, 0 without one.
    """

    order: str
    separator: str
    clock: int

    @classmethod
    def of(cls, form: str) -> "DateNumbers | None":
        """Return what a format of `strptime` consists of, None if not only of numbers.

        Examples
        --------
        >>> DateNumbers.of("%d.%m.%Y %H:%M")
        DateNumbers(order='dmY', separator='.', clock=5)
        """
        found = re.fullmatch(r"%([dmYy])([./-]?)%([dmYy])\2%([dmYy])( %H:%M(:%S)?)?", form)
        if found is None:
            return None
        first, separator, second, third, time, seconds = found.groups()
        clock = 0
        if time is not None:
            clock = len("18:30") if seconds is None else len("18:30:00")
        return cls(first + second + third, separator, clock)


class Writer(ABC):
    """Writes a list of rules in a language.

    `features` are those of the classifier, by number, and `columns` those of the table, as far as
    they are known. `any_cell` tells that the model takes any cell, and those for gaps that it
    cannot read; else it refuses them.
    """

    comment: str
    true: str
    false: str
    and_: str
    or_: str

    def __init__(
        self,
        features: Sequence[Feature],
        rules: DecisionList,
        classes: list[Any],
        table: str,
        columns: Sequence[Column],
        any_cell: bool,
    ) -> None:
        self.features = features
        self.rules = rules
        self.classes = classes
        self.table = table
        self.any_cell = any_cell
        self.asked = [(rule, classes[number]) for rule, number in asked_rules(rules, features)]
        self.otherwise = classes[rules.otherwise]
        used = {k for rule, _ in self.asked for k in rule.features}
        self.used = [features[k] for k in sorted(used)]
        self.used_columns = _used_columns(self.used, columns)
        # how dates are written where they are no ISO texts
        self.forms = {
            column.name: column.form
            for column in self.used_columns.values()
            if column.kind == "date" and column.form not in ("", ISO)
        }

    def header(self) -> list[str]:
        """Return the rule and what the columns must hold, as lines of comments."""
        rule = list_text(self.rules, self.classes, self.features, None)
        lines = ["The rule of a classifier fitted by hyperna:", ""]
        lines += [f"  {line}" for line in rule.splitlines()]
        if self.used:
            lines += ["", "Columns:"]
            by_column: dict[str, list[Feature]] = {}
            for feature in self.used:
                by_column.setdefault(feature.column, []).append(feature)
            for column, some in by_column.items():
                lines.append(f"  {printable(column)}: {self.expected(some)}")
        for first, second in self.warnings():
            lines += ["", f"WARNING: {first}", second]
        return [f"{self.comment} {line}".rstrip() for line in lines]

    def warnings(self) -> list[tuple[str, str]]:
        """Return what the model reads and this code does not, each in two lines."""
        return [
            (
                f"the model reads dates such as {_example_date(form)} in the column "
                f"{printable(column)},",
                "but this code does not: it needs ISO dates there, such as 2024-12-31.",
            )
            for column, form in self.forms.items()
            if not self.reads(form)
        ]

    def condition(self, condition: Condition) -> list[str]:
        """Return a condition, the first term positive, as in the text of the rule, in lines."""
        weights, relation, threshold = condition.written
        if len(condition.features) == 1:
            return [self.simple(self.features[condition.features[0]], relation, threshold)]
        pieces: list[str] = []
        for k, weight in zip(condition.features, weights, strict=True):
            term = self.term(self.features[k])
            if abs(weight) != 1:
                term = f"{self.number(abs(weight))}*{term}"
            if pieces:
                term = f"- {term}" if weight < 0 else f"+ {term}"
            pieces.append(term)
        return filled_lines([*pieces, f"{relation} {self.number(threshold)}"])

    def simple(self, feature: Feature, relation: str, threshold: float) -> str:
        """Return the condition that a feature is greater or less than a threshold."""
        if feature.binary:
            zero, one = feature.holds_at_0_and_1(relation, threshold)
            if zero == one:
                return self.true if zero else self.false
            return self.is_one(feature) if one else self.is_zero(feature)
        if feature.kind == "date":
            border = feature.date_border(relation, threshold)
            if isinstance(border, bool):
                return self.true if border else self.false
            return self.compared_date(feature, relation, border)
        return f"{self.term(feature)} {relation} {self.number(threshold)}"

    def kind(self, feature: Feature) -> str:
        """Return what the column of a feature holds, as `Column` has it."""
        return self.used_columns[feature.column].kind

    def reads(self, form: str) -> bool:
        """Return whether the code reads dates that are written in this way."""
        return DateNumbers.of(form) is not None

    def reads_dates_of(self, column: Column) -> bool:
        """Return whether the code reads dates as they are written in a column."""
        form = self.forms.get(column.name)
        return form is None or self.reads(form)

    def also_read(self, column: str) -> str:
        """Return how dates of a column may be written beside ISO texts, in words."""
        form = self.forms.get(column)
        if form is None or not self.reads(form):
            return ""
        return f", or text such as {_example_date(form)}"

    def number(self, value: float) -> str:
        """Return a number that is read as exactly this one."""
        return number_text(value, None)

    def joined(self, rule: Rule) -> list[str]:
        """Return what must hold, in lines."""
        conditions = [self.condition(each) for each in rule.conditions]
        if len(conditions) == 1:
            return conditions[0]
        if rule.quorum not in (1, len(conditions)):
            return self.counted(conditions, rule.quorum)
        word = self.or_ if rule.quorum == 1 else self.and_
        lines = list(conditions[0])
        for first, *rest in conditions[1:]:
            lines += [f"{word} {first}", *rest]
        return lines

    @abstractmethod
    def program(self) -> str:
        """Return the code."""

    @abstractmethod
    def expected(self, features: Sequence[Feature]) -> str:
        """Return what a column must hold, given the features that are made of it."""

    @abstractmethod
    def term(self, feature: Feature) -> str:
        """Return a feature as a number."""

    @abstractmethod
    def is_one(self, feature: Feature) -> str:
        """Return the condition that a feature that is 0 or 1 is 1."""

    @abstractmethod
    def is_zero(self, feature: Feature) -> str:
        """Return the condition that a feature that is 0 or 1 is 0."""

    @abstractmethod
    def compared_date(self, feature: Feature, relation: str, border: int) -> str:
        """Return the condition that a date is beyond so many days or seconds from its origin."""

    @abstractmethod
    def counted(self, conditions: list[list[str]], quorum: int) -> list[str]:
        """Return the condition that at least so many conditions hold, or an odd number."""


class Script(Writer):
    """What Python and JavaScript have in common: a function with a variable for each column."""

    null: str
    nothing: str
    nan: str
    no_moment: str
    # The functions that read dates: that which refuses what is none, and that which does not.
    moments: tuple[str, str]
    equals: str
    differs: str
    dates: str
    # Names that no variable may have: words of the language, and all that the code uses.
    reserved: frozenset[str]

    @cached_property
    def names(self) -> dict[tuple[str, bool], str]:
        """The names of variables: for a column, and for whether it is missing.

        Columns come first, so that they keep their names where both would have the same one.
        """
        wanted: dict[tuple[str, bool], str] = {}
        for column in dict.fromkeys(feature.column for feature in self.used):
            plain = re.sub(r"[^0-9A-Za-z]+", "_", column).strip("_")[:40] or "column"
            wanted[column, False] = f"x_{plain}" if plain[0].isdigit() else plain
        for column, _ in [*wanted]:
            wanted[column, True] = f"{wanted[column, False]}_is_missing"
        names: dict[tuple[str, bool], str] = {}
        taken = set(self.reserved)
        for key, plain in wanted.items():
            name = plain
            number = 1
            while name in taken:
                number += 1
                name = f"{plain}_{number}"
            taken.add(name)
            names[key] = name
        return names

    def variables(self) -> list[tuple[str, Feature]]:
        """Return the variables that hold the columns, each with a feature that is made of it."""
        found: dict[str, Feature] = {}
        for feature in self.used:
            name = self.variable(feature)
            if name not in found or found[name].fill is None:
                found[name] = feature
        return list(found.items())

    def variable(self, feature: Feature) -> str:
        """Return the variable that a feature is computed from."""
        # A number or a date is filled; whether it was missing is a variable of its own.
        return self.names[feature.column, feature.kind == "missing"]

    @abstractmethod
    def literal(self, value: Any) -> str:
        """Return a text, a number or a truth value as the language writes it."""

    def expected(self, features: Sequence[Feature]) -> str:
        column = self.used_columns[features[0].column]
        fill = next((gap_counts_as(each) for each in features if each.fill is not None), "")
        gap = f'a gap ({self.null}, NaN or "")'
        if column.kind == "category":
            categories = [each for each in features if each.kind != "missing"]
            if not categories:
                return f"anything; what matters is whether it is {gap}"
            counts = f"; {gap} counts as {fill}" if fill else ""
            return f"text, as in {self.literal(example_category(categories))}{counts}"
        if column.kind == "date":
            what = f"date ({self.dates}{self.also_read(column.name)})"
        else:
            example = number_example(column)
            what = f"number, or text such as {printable(example)}" if example else "number"
        alone = all(each.kind == "missing" for each in features)
        if self.takes_any_cell(column):
            if alone:
                return f"{what}; what matters is whether there is one"
            gap = f"a gap or what is no {column.kind}"
        if alone:
            return f"{what}; what matters is whether it is {gap}"
        return f"{what}; {gap} counts as {fill}" if fill else f"{what}, no gaps"

    def takes_any_cell(self, column: Column) -> bool:
        """Return whether a cell of a column of numbers or dates is a gap if it cannot be read.

        If the code does not read dates that the model reads, it cannot tell which cells are gaps.
        """
        return self.any_cell and self.reads_dates_of(column)

    def read(self, feature: Feature) -> str:
        """Return the value of the variable that a feature is computed from."""
        column = self.used_columns[feature.column]
        cell = f"row[{self.literal(feature.column)}]"
        if column.kind == "number":
            return self._number(feature, column, cell)
        if column.kind == "date":
            return self._moment(feature, column, cell)
        if feature.kind == "missing":
            return self.is_gap(cell)
        fill = "" if feature.fill is None else f", {self.literal(str(feature.fill))}"
        return f"text({cell}{fill})"

    def _number(self, feature: Feature, column: Column, cell: str) -> str:
        """Return the number in a cell, or whether there is none."""
        mark = f", {self.literal(column.form)}" if self.any_cell and column.form == "," else ""
        if feature.kind == "missing":
            return self.is_nan(f"number({cell}, {self.nan}{mark})")
        if feature.fill is not None:
            return f"number({cell}, {self.number(float(feature.fill))}{mark})"
        return f"number({cell}, {self.nothing}{mark})" if mark else f"number({cell})"

    def _moment(self, feature: Feature, column: Column, cell: str) -> str:
        """Return the date in a cell, or whether there is none."""
        form = self.forms.get(column.name, "")
        read = f", {self.date_form(form)}" if form and self.reads(form) else ""
        function = self.moments[self.takes_any_cell(column)]
        if feature.kind == "missing":
            return self.is_no_moment(f"{function}({cell}, {self.no_moment}{read})")
        return f"{function}({cell}, {self.moment(iso_text(feature.fill))}{read})"

    @abstractmethod
    def is_nan(self, number: str) -> str:
        """Return whether a number is NaN."""

    @abstractmethod
    def is_no_moment(self, moment: str) -> str:
        """Return whether what was read is no date."""

    @abstractmethod
    def moment(self, text: str) -> str:
        """Return a moment, given as ISO text."""

    @abstractmethod
    def date_form(self, form: str) -> str:
        """Return what tells the function that reads dates how they are written."""

    @abstractmethod
    def is_gap(self, cell: str) -> str:
        """Return whether a cell of a column of categories holds no value."""

    def is_one(self, feature: Feature) -> str:
        name = self.variable(feature)
        if feature.kind == "missing":
            return name
        if feature.kind == "category":
            return f"{name} {self.equals} {self.literal(feature.category)}"
        return self.among(name, feature.named, False)

    def is_zero(self, feature: Feature) -> str:
        name = self.variable(feature)
        if feature.kind == "missing":
            return self.negated(name)
        if feature.kind == "category":
            return f"{name} {self.differs} {self.literal(feature.category)}"
        return self.among(name, feature.named, True)

    @abstractmethod
    def negated(self, condition: str) -> str:
        """Return that a condition does not hold."""

    @abstractmethod
    def among(self, name: str, texts: Sequence[str | None], inside: bool) -> str:
        """Return the condition that a variable is, or is not, one of several texts."""

    def helpers(self) -> list[str]:
        """Return the names of the functions that read the columns, in the order of the code."""
        kinds = {column.kind for column in self.used_columns.values()}
        dates = [column for column in self.used_columns.values() if column.kind == "date"]
        strict = any(not self.takes_any_cell(column) for column in dates)
        texts = any(feature.kind in ("category", "rare") for feature in self.used)
        wanted = {
            "gap": "category" in kinds or strict or ("number" in kinds and not self.any_cell),
            "number": "number" in kinds and not self.any_cell,
            "any number": "number" in kinds and self.any_cell,
            "text": texts,
            "strict moment": strict,
            "moment": bool(dates),
        }
        return [name for name, needed in wanted.items() if needed]


def _used_columns(used: Sequence[Feature], columns: Sequence[Column]) -> dict[str, Column]:
    """Return the columns that features are made of, by name, in the order of the features."""
    known = {column.name: column for column in columns}
    found: dict[str, Column] = {}
    kinds: dict[str, str] = {}
    for feature in used:
        name = feature.column
        found.setdefault(name, known.get(name, Column(name, "number")))
        if feature.kind == "missing":
            continue
        kind = "category"
        if feature.kind in ("number", *DATE_PARTS):
            kind = "number" if feature.kind == "number" else "date"
        if kinds.setdefault(name, kind) != kind:
            raise TypeError(
                f"the rule cannot be written as code, since it takes the column {printable(name)} "
                f"for a {kinds[name]} and for a {kind}"
            )
        found[name] = replace(found[name], kind=kind)
    return found


def ended(lines: Sequence[str], end: str) -> list[str]:
    """Return lines with something added at the end."""
    return [*lines[:-1], lines[-1] + end]


def gap_counts_as(feature: Feature) -> str:
    """Return what a gap counts as, in words; "" if there are none."""
    if feature.fill is None:
        return ""
    if feature.kind in DATE_PARTS:
        return iso_text(feature.fill).replace("T", " ").removesuffix(" 00:00:00")
    if isinstance(feature.fill, str):
        return printable(feature.fill)
    return number_text(float(feature.fill), None)


def example_category(features: Sequence[Feature]) -> str:
    """Return a category that features know, as it must be written."""
    for feature in features:
        for text in (feature.category, *feature.named):
            if text is not None:
                return printable(text)
    return ""


def number_example(column: Column) -> str:
    """Return a cell that holds a number but is not written as a plain one; "" if there is none.

    Examples
    --------
    >>> number_example(Column("price", "number", ".", written_as="$1,200"))
    '$1,200'
    """
    return column.written_as or ("1,5" if column.form == "," else "")


def _example_date(form: str) -> str:
    return datetime(2024, 12, 31, 18, 30).strftime(form)


def is_plain(text: str) -> bool:
    """Return whether a text can stand between quotation marks as it is."""
    return text.isprintable() and not set(text) & {'"', "\\"}


def iso_text(moment: Any) -> str:
    """Return a moment as ISO text, to the second."""
    return str(np.datetime64(str(moment), "s"))


def gap_lines(indent: str) -> str:
    """Return the texts that stand for a gap, in lines."""
    texts = [json.dumps(text) for text in sorted(GAPS)]
    lines = []
    for begin in range(0, len(texts), 8):
        lines.append(indent + ", ".join(texts[begin : begin + 8]) + ",")
    return "\n".join(lines)
