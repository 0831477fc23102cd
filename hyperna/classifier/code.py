"""A fitted rule as code in Python, SQL or JavaScript that gives the classifier's answers.

The rule in a classifier is stored as it is printed, and sums are taken in the order of their terms
in double precision, so the code computes the same sums and compares them with the same thresholds.
What the table's columns become (gaps, categories, dates) is part of the code.
"""

import builtins
import json
import keyword
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cache, cached_property
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from hyperna._csv import GAPS
from hyperna._validation import check_choice
from hyperna._words import listed, number_text, shown
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.half_spaces import ODD
from hyperna.classifier.rules import Condition, Rule
from hyperna.classifier.text import (
    asked_rules,
    classifier_and_features,
    filled_lines,
    fitted_model,
    list_text,
)
from hyperna.tables.columns import ISO
from hyperna.tables.dates import DATE_PARTS, moment_text
from hyperna.tables.encoding import Encoding
from hyperna.tables.features import Feature, printable


def export_code(
    model: Any,
    language: str,
    feature_names: Sequence[str] | None = None,
    *,
    table: str = "data",
) -> str:
    """Return a fitted rule as code that gives the same answers and needs nothing else.

    In Python and JavaScript it is a function ``predict(row)`` of a row with values by column. In
    SQL it is a query that adds the column ``prediction`` to a table, written for SQLite.

    Parameters
    ----------
    model : NAClassifier, Pipeline or search
        A fitted classifier, a pipeline that ends with one, or a search such as GridSearchCV, whose
        best estimator is taken. The columns of `table_pipeline`, and of `SimpleImputer` and
        `OneHotEncoder` in your own pipeline, are encoded by the code. Other transformers are a
        TypeError if the rule uses what they return.
    language : {"python", "sql", "javascript"}
        What to write.
    feature_names : sequence of str, optional
        One name for each feature, as in `export_text`.
    table : str
        Name of the table in SQL.

    Examples
    --------
    >>> from hyperna import NAClassifier
    >>> sizes = [[1.0], [1.2], [3.0], [3.1]] * 5
    >>> clf = NAClassifier(random_state=0).fit(sizes, ["low", "low", "high", "high"] * 5)
    >>> print(export_code(clf, "sql", feature_names=["size"], table="boxes"))
    -- The rule of a classifier fitted by hyperna:
    --
    --   class 'low' if
    --     size < 2
    --   otherwise 'high'
    --
    -- Columns:
    --   size: number; if NULL, the prediction is NULL
    <BLANKLINE>
    SELECT
      *,
      CASE
        WHEN "size" IS NULL THEN NULL
        WHEN
          CAST("size" AS DOUBLE PRECISION) < 2
        THEN 'low'
        ELSE 'high'
      END AS prediction
    FROM boxes;
    <BLANKLINE>
    """
    writer = _WRITERS[check_choice("language", language, tuple(_WRITERS))]
    if not isinstance(table, str) or not table.strip():
        raise ValueError(f"table must be the name of a table, got {shown(table)}")
    classifier, features = classifier_and_features(model, feature_names)
    rules: DecisionList = classifier.list_
    unknown = [features[k].name for k in rules.features if features[k].kind == "other"]
    if unknown:
        raise TypeError(
            "the rule cannot be written as code, since only a transformer of the pipeline knows "
            f"how these features are made: {listed(unknown, 5)}; scaling is not needed before an "
            "NAClassifier, and table_pipeline encodes text, gaps and dates"
        )
    forms = {} if feature_names is not None else _forms(fitted_model(model))
    return writer(features, rules, classifier.classes_.tolist(), table, forms).program()


def _forms(model: Any) -> dict[str, str]:
    """Return how cells are written in columns of dates that are no ISO texts, or with commas."""
    if not isinstance(model, Pipeline) or len(model.steps) < 2:
        return {}
    forms = {}
    for column in Encoding.of(model).columns:
        foreign_date = column.kind == "date" and column.form not in ("", ISO)
        if foreign_date or (column.kind == "number" and column.form == ","):
            forms[column.name] = column.form
    return forms


@dataclass(frozen=True)
class _DateNumbers:
    """A way to write dates that consists of numbers.

    `order` has the letters of `strptime` for day, month and year; `separator` stands between them.
    `clock` is the number of digits and colons of the time after a space, 0 without one.
    """

    order: str
    separator: str
    clock: int

    @classmethod
    def of(cls, form: str) -> "_DateNumbers | None":
        """Return what a format of `strptime` consists of, None if not only of numbers.

        Examples
        --------
        >>> _DateNumbers.of("%d.%m.%Y %H:%M")
        _DateNumbers(order='dmY', separator='.', clock=5)
        """
        found = re.fullmatch(r"%([dmYy])([./-]?)%([dmYy])\2%([dmYy])( %H:%M(:%S)?)?", form)
        if found is None:
            return None
        first, separator, second, third, time, seconds = found.groups()
        clock = 0 if time is None else 5 if seconds is None else 8
        return cls(first + second + third, separator, clock)


def _example_date(form: str) -> str:
    return datetime(2024, 12, 31, 18, 30).strftime(form)


class _Writer(ABC):
    """Writes a list of rules in a language; `features` are those of the classifier, by number."""

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
        forms: dict[str, str],
    ) -> None:
        self.features = features
        self.rules = rules
        self.classes = classes
        self.table = table
        self.asked = [(rule, classes[number]) for rule, number in asked_rules(rules, features)]
        self.otherwise = classes[rules.otherwise]
        used = {k for rule, _ in self.asked for k in rule.features}
        self.used = [features[k] for k in sorted(used)]
        # How dates are written in columns where they are no ISO texts, and numbers with commas.
        columns = {feature.column for feature in self.used}
        used_forms = {column: form for column, form in forms.items() if column in columns}
        self.forms = {column: form for column, form in used_forms.items() if form != ","}
        self.commas = [column for column, form in used_forms.items() if form == ","]

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
        unread = {column: form for column, form in self.forms.items() if not self.reads(form)}
        for column, form in unread.items():
            lines += [
                "",
                f"WARNING: the model reads dates such as {_example_date(form)} in the column "
                f"{printable(column)},",
                "but this code does not: it needs ISO dates there, such as 2024-12-31.",
            ]
        if self.commas:
            lines += [
                "",
                "WARNING: the model reads numbers with decimal commas, such as 1,5, in",
                f"{listed([printable(column) for column in self.commas])};",
                "but this code does not: it needs numbers, such as 1.5.",
            ]
        return [f"{self.comment} {line}".rstrip() for line in lines]

    def condition(self, condition: Condition) -> list[str]:
        """Return a condition, the first term positive, as in the text of the rule, in lines."""
        weights, relation, threshold = condition.written
        if len(condition.features) > 1:
            pieces: list[str] = []
            for k, weight in zip(condition.features, weights, strict=True):
                term = self.term(self.features[k])
                if abs(weight) != 1:
                    term = f"{self.number(abs(weight))}*{term}"
                if pieces:
                    term = f"- {term}" if weight < 0 else f"+ {term}"
                pieces.append(term)
            return filled_lines([*pieces, f"{relation} {self.number(threshold)}"])
        return [self.simple(self.features[condition.features[0]], relation, threshold)]

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

    def reads(self, form: str) -> bool:
        """Return whether the code reads dates that are written in this way."""
        return _DateNumbers.of(form) is not None

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


def _ended(lines: Sequence[str], end: str) -> list[str]:
    """Return lines with something added at the end."""
    return [*lines[:-1], lines[-1] + end]


def _day(moment: Any) -> str:
    """Return a moment as ISO text, without a time if it is midnight."""
    text = str(np.datetime64(str(moment), "s")).replace("T", " ")
    return text.removesuffix(" 00:00:00")


def _expected_value(feature: Feature) -> str:
    """Return what a gap counts as, in words; "" if there are none."""
    if feature.fill is None:
        return ""
    if isinstance(feature.fill, str):
        return _day(feature.fill) if feature.kind in DATE_PARTS else printable(feature.fill)
    return number_text(float(feature.fill), None)


def _example(features: Sequence[Feature]) -> str:
    """Return a category that features know, as it must be written."""
    for feature in features:
        for text in (feature.category, *feature.named):
            if text is not None:
                return printable(text)
    return ""


class _Script(_Writer):
    """What Python and JavaScript have in common: a function with a variable for each column."""

    null: str
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
        kinds = {feature.kind for feature in features}
        fill = next((_expected_value(each) for each in features if each.fill is not None), "")
        gap = f'; a gap ({self.null}, NaN or "")'
        counts = f"{gap} counts as {fill}" if fill else ""
        if kinds & set(DATE_PARTS):
            return f"date ({self.dates}{self.also_read(features[0].column)}){counts}"
        if kinds & {"category", "rare"}:
            return f"text, as in {self.literal(_example(features))}{counts}"
        if kinds == {"missing"}:
            return f'anything; what matters is whether it is a gap ({self.null}, NaN or "")'
        return f"number{counts or ', no gaps'}"

    def read(self, feature: Feature) -> str:
        """Return the value of the variable that a feature is computed from."""
        cell = f"row[{self.literal(feature.column)}]"
        if feature.kind == "missing":
            return self.is_gap(cell)
        if feature.kind in DATE_PARTS:
            form = self.forms.get(feature.column, "")
            read = f", {self.date_form(form)}" if form and self.reads(form) else ""
            return f"moment({cell}, {self.literal(_iso(feature.fill))}{read})"
        if feature.kind == "number":
            fill = "" if feature.fill is None else f", {self.number(float(feature.fill))}"
            return f"number({cell}{fill})"
        fill = "" if feature.fill is None else f", {self.literal(str(feature.fill))}"
        return f"text({cell}{fill})"

    @abstractmethod
    def date_form(self, form: str) -> str:
        """Return what tells the function that reads dates how they are written."""

    @abstractmethod
    def is_gap(self, cell: str) -> str:
        """Return whether a cell holds no value."""

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

    def helpers(self) -> set[str]:
        """Return the names of the functions that read the columns."""
        kinds = {feature.kind for feature in self.used}
        found = set()
        if "number" in kinds:
            found.add("number")
        if kinds & {"category", "rare"}:
            found.add("text")
        if kinds & set(DATE_PARTS):
            found.add("moment")
        return found


def _plain(text: str) -> bool:
    """Return whether a text can stand between quotation marks as it is."""
    return text.isprintable() and not set(text) & {'"', "\\"}


def _iso(moment: Any) -> str:
    return str(np.datetime64(str(moment), "s"))


class _Python(_Script):
    comment = "#"
    true, false = "True", "False"
    and_, or_ = "and", "or"
    null = "None"
    equals, differs = "==", "!="
    dates = "date, datetime or ISO text; UTC if it has no zone"

    def literal(self, value: Any) -> str:
        if isinstance(value, str) and _plain(value):
            return f'"{value}"'
        return repr(value)

    def reads(self, form: str) -> bool:
        return True

    def date_form(self, form: str) -> str:
        return self.literal(form)

    def is_gap(self, cell: str) -> str:
        return f"is_gap({cell})"

    def negated(self, condition: str) -> str:
        return f"not {condition}"

    def among(self, name: str, texts: Sequence[str | None], inside: bool) -> str:
        return f"{name} {'in' if inside else 'not in'} [{', '.join(map(self.literal, texts))}]"

    def term(self, feature: Feature) -> str:
        name = self.variable(feature)
        if feature.binary:
            return name if feature.kind == "missing" else f"({self.is_one(feature)})"
        if feature.kind == "month":
            return f"{name}.month"
        if feature.kind == "weekday":
            return f"{name}.isoweekday()"
        if feature.kind == "hour":
            return f"{name}.hour"
        if feature.kind == "date":
            origin = self._moment(feature, 0)
            if feature.step == "day":
                return f"({name}.date() - {origin}).days"
            return f"(({name} - {origin}) / timedelta(days=1))"
        return name

    def _moment(self, feature: Feature, count: int) -> str:
        text = moment_text(feature.origin, count, feature.step)
        when = np.datetime64(text.replace(" ", "T"), "s").item()
        if feature.step == "day":
            return f"date({when.year}, {when.month}, {when.day})"
        clock = [when.hour, when.minute, when.second]
        while clock and clock[-1] == 0:
            clock.pop()
        return f"datetime({', '.join(map(str, [when.year, when.month, when.day, *clock]))})"

    def compared_date(self, feature: Feature, relation: str, border: int) -> str:
        name = self.variable(feature)
        name = f"{name}.date()" if feature.step == "day" else name
        return f"{name} {relation} {self._moment(feature, border)}"

    def counted(self, conditions: list[list[str]], quorum: int) -> list[str]:
        end = "]) % 2 == 1" if quorum == ODD else f"]) >= {quorum}"
        lines = [f"    {line}" for each in conditions for line in _ended(each, ",")]
        return ["sum([", *lines, end]

    def program(self) -> str:
        body: list[str] = []
        for name, feature in self.variables():
            body.append(f"    {name} = {self.read(feature)}")
        for rule, answer in self.asked:
            lines = self.joined(rule)
            if len(lines) == 1:
                body.append(f"    if {lines[0]}:")
            else:
                body += ["    if (", *(f"        {line}" for line in lines), "    ):"]
            body.append(f"        return {self.literal(answer)}")
        body.append(f"    return {self.literal(self.otherwise)}")
        code = "\n".join(body)
        head = [
            *self.header(),
            "",
            *self._imports(code),
            "def predict(row):",
            '    """Return the class of a row: values by the names of the columns."""',
        ]
        return "\n".join([*head, code, *self._helpers(code)]).rstrip() + "\n"

    def _imports(self, code: str) -> list[str]:
        needed = self.helpers()
        lines = []
        if "number" in needed:
            lines.append("import math")
        if "moment" in needed:
            names = ["date", "datetime", "timezone"]
            names += ["timedelta"] if "timedelta(" in code else []
            lines.append(f"from datetime import {', '.join(sorted(names))}")
        return [*lines, "", ""] if lines else [""]

    def _helpers(self, code: str) -> list[str]:
        needed = self.helpers()
        if not needed and "is_gap(" not in code:
            return []
        parts = [_PYTHON["gap"].replace("{gaps}", _gap_lines("    "))]
        parts += [_PYTHON[name] for name in ("number", "text") if name in needed]
        if "moment" in needed:
            parts += [_PYTHON["formed moment"], _PYTHON["parsed"]] if self.forms else []
            parts += [] if self.forms else [_PYTHON["moment"]]
        return ["", *parts]


def _gap_lines(indent: str) -> str:
    """Return the texts that stand for a gap, in lines."""
    texts = [json.dumps(text) for text in sorted(GAPS)]
    lines = []
    for begin in range(0, len(texts), 8):
        lines.append(indent + ", ".join(texts[begin : begin + 8]) + ",")
    return "\n".join(lines)


_PYTHON = {
    "gap": '''
# Texts that stand for no value.
GAPS = {
{gaps}
}


def is_gap(value):
    """Return whether there is no value: None, NaN, an infinity, or a text that says so."""
    if isinstance(value, str):
        return value.strip() in GAPS
    return value is None or bool(value != value) or value in (float("inf"), float("-inf"))
''',
    "number": '''
def number(value, gap=None):
    """Return a number, or what a gap counts as."""
    if is_gap(value) and gap is not None:
        return gap
    if is_gap(value) or not math.isfinite(float(value)):
        raise ValueError(f"a number is needed, got {value!r}")
    return float(value)
''',
    "text": '''
def text(value, gap=None):
    """Return a text, or what a gap counts as."""
    if is_gap(value):
        return gap
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(float(value)).removesuffix(".0")
    return str(value).strip()
''',
    "moment": '''
def moment(value, gap):
    """Return a date as a datetime without a time zone, or what a gap counts as."""
    if is_gap(value):
        value = gap
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime):
        value = datetime.fromisoformat(str(value).strip())
    if value.tzinfo is not None:
        value = value.astimezone(timezone.utc).replace(tzinfo=None)
    return value.replace(microsecond=0)
''',
    "parsed": '''
def parsed(text, form):
    """Return the date in a text of a format, or in an ISO text."""
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return datetime.fromisoformat(text)
''',
}
_PYTHON["formed moment"] = (
    _PYTHON["moment"]
    .replace("(value, gap)", '(value, gap, form="")')
    .replace("datetime.fromisoformat(str(value).strip())", "parsed(str(value).strip(), form)")
)
_PYTHON_MODULES = ("math", "date", "datetime", "timedelta", "timezone")
_Python.reserved = frozenset(
    [
        *("row", "predict", *_PYTHON_MODULES, *keyword.kwlist, *keyword.softkwlist, *dir(builtins)),
        *re.findall(r"^(?:def )?(\w+)(?:\(| = )", "".join(_PYTHON.values()), re.MULTILINE),
    ]
)


class _JavaScript(_Script):
    comment = "//"
    true, false = "true", "false"
    and_, or_ = "&&", "||"
    null = "null, undefined"
    equals, differs = "===", "!=="
    dates = "Date or ISO text; UTC if it has no zone"

    def literal(self, value: Any) -> str:
        if isinstance(value, str) and _plain(value):
            return f'"{value}"'
        return json.dumps(value)

    def date_form(self, form: str) -> str:
        numbers = _DateNumbers.of(form)
        assert numbers is not None
        # Without separators a number ends where its digits do.
        digits = r"\d{1,2}" if numbers.separator else r"\d{2}"
        widths = {"d": digits, "m": digits, "Y": r"\d{4}", "y": r"\d{2}"}
        separator = {".": r"\.", "/": r"\/"}.get(numbers.separator, numbers.separator)
        pattern = separator.join(f"(?<{letter}>{widths[letter]})" for letter in numbers.order)
        if numbers.clock:
            pattern += r" (?<H>\d{1,2}):(?<M>\d{2})" + (r":(?<S>\d{2})" * (numbers.clock == 8))
        return f"/^{pattern}$/"

    def is_gap(self, cell: str) -> str:
        return f"isGap({cell})"

    def negated(self, condition: str) -> str:
        return f"!{condition}"

    def among(self, name: str, texts: Sequence[str | None], inside: bool) -> str:
        return f"{'' if inside else '!'}[{', '.join(map(self.literal, texts))}].includes({name})"

    def term(self, feature: Feature) -> str:
        name = self.variable(feature)
        if feature.binary:
            return name if feature.kind == "missing" else f"({self.is_one(feature)})"
        if feature.kind in ("month", "weekday", "hour"):
            return f"{feature.kind}({name})"
        if feature.kind == "date":
            return f"days({self._floor(feature)}, {self.literal(feature.origin)})"
        return name

    def _floor(self, feature: Feature) -> str:
        return f"{feature.step}({self.variable(feature)})"

    def compared_date(self, feature: Feature, relation: str, border: int) -> str:
        when = _iso(moment_text(feature.origin, border, feature.step).replace(" ", "T"))
        when = when.removesuffix("T00:00:00")
        return f"{self._floor(feature)} {relation} at({self.literal(when)})"

    def counted(self, conditions: list[list[str]], quorum: int) -> list[str]:
        end = "% 2 === 1" if quorum == ODD else f">= {quorum}"
        lines = [f"  {line}" for each in conditions for line in _ended(each, ",")]
        return ["[", *lines, f"].filter(Boolean).length {end}"]

    def program(self) -> str:
        body = [f"  const {name} = {self.read(feature)};" for name, feature in self.variables()]
        for rule, answer in self.asked:
            lines = self.joined(rule)
            if len(lines) == 1:
                body.append(f"  if ({lines[0]}) {{")
            else:
                body += ["  if (", *(f"    {line}" for line in lines), "  ) {"]
            body += [f"    return {self.literal(answer)};", "  }"]
        body.append(f"  return {self.literal(self.otherwise)};")
        code = "\n".join(body)
        what = 'an object with row["..."] for each column'
        head = [
            *self.header(),
            "",
            f"// Return the class of a row, {what}." if self.used else "// The class of every row.",
            "function predict(row) {",
        ]
        tail = ["}", *self._helpers(code), ""]
        tail += ['if (typeof module !== "undefined") {', "  module.exports = { predict };", "}"]
        return "\n".join([*head, code, *tail]) + "\n"

    def _helpers(self, code: str) -> list[str]:
        needed = self.helpers()
        if not needed and "isGap(" not in code:
            return []
        parts = [_JAVASCRIPT["gap"].replace("{gaps}", _gap_lines("  "))]
        parts += [_JAVASCRIPT[name] for name in ("number", "text") if name in needed]
        if "moment" in needed:
            formed = any(map(self.reads, self.forms.values()))
            parts += [_JAVASCRIPT["formed moment"]] if formed else [_JAVASCRIPT["moment"]]
            parts.append(_JAVASCRIPT["at"])
        for name in ("day", "second", "days", "month", "weekday", "hour"):
            if "moment" in needed and f"{name}(" in code:
                parts.append(_JAVASCRIPT[name])
        return [part.rstrip() for part in parts]


_JAVASCRIPT = {
    "gap": """
// Texts that stand for no value.
const GAPS = new Set([
{gaps}
]);

// Whether there is no value: null, undefined, NaN, an infinity, or a text that says so.
function isGap(value) {
  if (typeof value === "string") {
    return GAPS.has(value.trim());
  }
  const none = value === null || value === undefined;
  return none || (typeof value === "number" && !Number.isFinite(value));
}
""",
    "number": """
// A number, or what a gap counts as.
function number(value, gap) {
  if (isGap(value) && gap !== undefined) {
    return gap;
  }
  if (isGap(value) || !Number.isFinite(Number(value))) {
    throw new TypeError(`a number is needed, got ${value}`);
  }
  return Number(value);
}
""",
    "text": """
// A text, or what a gap counts as.
function text(value, gap = null) {
  if (isGap(value)) {
    return gap;
  }
  if (typeof value === "boolean") {
    return value ? "True" : "False";
  }
  return String(value).trim();
}
""",
    "moment": """
// A date as milliseconds since 1970, or what a gap counts as.
function moment(value, gap) {
  if (isGap(value)) {
    return at(gap);
  }
  return value instanceof Date ? value.getTime() : at(String(value));
}
""",
    "formed moment": """
// A date as milliseconds since 1970, or what a gap counts as; texts are of a form, or ISO.
function moment(value, gap, form) {
  if (isGap(value)) {
    return at(gap);
  }
  if (value instanceof Date) {
    return value.getTime();
  }
  const text = String(value).trim();
  const found = form ? text.match(form) : null;
  return at(found ? iso(found.groups) : text);
}

// The ISO text of a date, given its numbers.
function iso({ d, m, Y, y, H = "00", M = "00", S = "00" }) {
  const year = Y === undefined ? String(Number(y) + (Number(y) < 69 ? 2000 : 1900)) : Y;
  const day = `${year}-${m.padStart(2, "0")}-${d.padStart(2, "0")}`;
  return `${day}T${H.padStart(2, "0")}:${M}:${S}`;
}
""",
    "at": """
// The milliseconds from 1970 to an ISO text, in UTC if it has no zone.
function at(text) {
  let iso = text.trim().replace(" ", "T");
  iso = iso.includes("T") ? iso : `${iso}T00:00:00`;
  iso = /(Z|[+-]\\d\\d:?\\d\\d)$/.test(iso) ? iso : `${iso}Z`;
  const found = Date.parse(iso);
  if (Number.isNaN(found)) {
    throw new TypeError(`a date is needed, got ${text}`);
  }
  return found;
}
""",
    "day": """
// The beginning of the day.
function day(moment) {
  return Math.floor(moment / 86400000) * 86400000;
}
""",
    "second": """
// The beginning of the second.
function second(moment) {
  return Math.floor(moment / 1000) * 1000;
}
""",
    "days": """
// Days since an ISO date.
function days(moment, origin) {
  return (moment - at(origin)) / 86400000;
}
""",
    "month": """
// The month, from 1.
function month(moment) {
  return new Date(moment).getUTCMonth() + 1;
}
""",
    "weekday": """
// The weekday, from 1 (Monday) to 7.
function weekday(moment) {
  return ((new Date(moment).getUTCDay() + 6) % 7) + 1;
}
""",
    "hour": """
// The hour, from 0 to 23.
function hour(moment) {
  return new Date(moment).getUTCHours();
}
""",
}
_JAVASCRIPT_WORDS = """
arguments async await break case catch class const continue debugger default delete do else enum
eval export extends false finally for function if implements import in instanceof interface let new
null of package private protected public return static super switch this throw true try typeof
undefined var void while with yield
Array Boolean Date Infinity Math NaN Number Object RegExp Set String TypeError exports globalThis
module process require
"""
_JavaScript.reserved = frozenset(
    [
        *("row", "predict", *_JAVASCRIPT_WORDS.split()),
        *re.findall(r"^(?:function|const) (\w+)", "".join(_JAVASCRIPT.values()), re.MULTILINE),
    ]
)


class _Sql(_Writer):
    comment = "--"
    true, false = "1 = 1", "1 = 0"
    and_, or_ = "AND", "OR"

    def expected(self, features: Sequence[Feature]) -> str:
        kinds = {feature.kind for feature in features}
        fill = next((_expected_value(each) for each in features if each.fill is not None), "")
        counts = f"; NULL counts as {fill}" if fill else ""
        if kinds & set(DATE_PARTS):
            also = self.also_read(features[0].column)
            return f"date, as SQLite's date functions read it{also}{counts}"
        if kinds & {"category", "rare"}:
            example = self.literal(_example(features))
            return f"text, as in {example}, NULL where there is none{counts}"
        if kinds == {"missing"}:
            return "anything, NULL where there is none"
        return f"number{counts or '; if NULL, the prediction is NULL'}"

    def number(self, value: float) -> str:
        """Return a number that SQLite reads as exactly this one.

        Some versions read about one decimal in 10,000 as the neighbour of the nearest double. Such
        a one is written as a quotient of whole numbers, which is rounded as it should be.
        """
        text = number_text(value, None)
        if _read_by_sqlite(text) in (value, None):
            return text
        digits = Decimal(text)
        exponent = int(digits.as_tuple().exponent)
        whole = int(digits.scaleb(-exponent)) if exponent < 0 else 2**53
        if abs(whole) < 2**53 and exponent >= -22:
            return f"({whole} / 1{'0' * -exponent}.0)"
        top, bottom = value.as_integer_ratio()
        if max(abs(top), bottom) < 2**62:
            return f"({top} / CAST({bottom} AS DOUBLE PRECISION))"
        return text

    def name(self, column: str) -> str:
        """Return a column's name, quoted."""
        return f'"{_without_nul(column).replace(chr(34), chr(34) * 2)}"'

    def literal(self, value: Any) -> str:
        """Return a class or a text as SQL writes it."""
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, str):
            return f"'{_without_nul(value).replace(chr(39), chr(39) * 2)}'"
        return repr(value)

    def _filled(self, value: str, feature: Feature) -> str:
        if feature.fill is None:
            return value
        if feature.kind == "number":
            return f"COALESCE({value}, {self.number(float(feature.fill))})"
        fill = str(feature.fill)
        if feature.kind in DATE_PARTS:
            fill = _iso(fill).replace("T", " ")
            fill = fill.partition(" ")[0] if value.startswith("date(") else fill
        return f"COALESCE({value}, {self.literal(fill)})"

    def term(self, feature: Feature) -> str:
        column = self.dated(feature) if feature.kind in DATE_PARTS else self.name(feature.column)
        if feature.binary:
            return f"CASE WHEN {self.is_one(feature)} THEN 1 ELSE 0 END"
        if feature.kind == "number":
            return self._filled(f"CAST({column} AS DOUBLE PRECISION)", feature)
        moment = self._filled(f"datetime({column})", feature)
        if feature.kind == "month":
            return f"CAST(strftime('%m', {moment}) AS INTEGER)"
        if feature.kind == "weekday":
            return f"((strftime('%w', {moment}) + 6) % 7 + 1)"
        if feature.kind == "hour":
            return f"CAST(strftime('%H', {moment}) AS INTEGER)"
        origin = self.literal(feature.origin)
        if feature.step == "day":
            day = self._filled(f"date({column})", feature)
            return f"(julianday({day}) - julianday({origin}))"
        return f"((strftime('%s', {moment}) - strftime('%s', {origin})) / 86400.0)"

    def _known(self, feature: Feature) -> str:
        """Return what is NULL where a column has no value: what is no date counts as none."""
        is_date = feature.column in self._date_columns
        return f"datetime({self.dated(feature)})" if is_date else self.name(feature.column)

    def dated(self, feature: Feature) -> str:
        """Return a column of dates as SQLite's date functions read it."""
        column = feature.column
        foreign = column in self.forms and self.reads(self.forms[column])
        return self.name(self._iso_column(column)) if foreign else self.name(column)

    def _iso_column(self, column: str) -> str:
        """Return the name of the column that the query adds for dates that are no ISO texts."""
        name = f"{column} as ISO text"
        while name.lower() in self._columns:  # SQL does not tell capital letters from small ones
            name += "'"
        return name

    @cached_property
    def _columns(self) -> set[str]:
        return {feature.column.lower() for feature in self.features}

    @cached_property
    def _date_columns(self) -> set[str]:
        return {feature.column for feature in self.features if feature.kind in DATE_PARTS}

    def _iso_lines(self, column_name: str, numbers: _DateNumbers) -> list[str]:
        """Return dates that consist of numbers as ISO texts, in lines; others stay as they are.

        Numbers need no zero in front, as in strptime. The function printf takes the digits that a
        text begins with for a number.
        """
        column = self.name(column_name)
        text = f"trim({column})"
        separator = numbers.separator
        digit = "[0-9]"
        widths = {"Y": digit * 4, "y": digit * 2}
        usual = f"{digit}*" if separator else digit * 2
        pattern = separator.join(widths.get(letter, usual) for letter in numbers.order)
        allowed = f"0-9{separator.replace('-', '')}"
        day, time = text, ""
        if numbers.clock:
            pattern += f" {digit}*" + f":{digit}{digit}" * (numbers.clock // 3)
            allowed += " :"
            day = f"substr({text}, 1, instr({text}, ' ') - 1)"
            clock = f"substr({text}, instr({text}, ' ') + 1)"
            time = f" || ' ' || substr('0' || {clock}, -{numbers.clock})"
        allowed += "-" * (separator == "-")
        if separator:
            second = f"substr({day}, instr({day}, '{separator}') + 1)"
            third = f"substr({day}, -4)"
            if numbers.order[2] != "Y":
                third = f"ltrim(substr({day}, -2), '{separator}')"
            pieces = [day, second, third]
        else:
            pieces = []
            begin = 1
            for letter in numbers.order:
                width = 4 if letter == "Y" else 2
                pieces.append(f"substr({day}, {begin}, {width})")
                begin += width
        by_letter = dict(zip(numbers.order, pieces, strict=True))
        year = by_letter.get("Y")
        if year is None:
            short = by_letter["y"]
            year = f"{short} + CASE WHEN {short} + 0 < 69 THEN 2000 ELSE 1900 END"
        written = f"printf('%04d-%02d-%02d', {year}, {by_letter['m']}, {by_letter['d']}){time}"
        return [
            "CASE",
            f"  WHEN {text} GLOB '{pattern}'",
            f"    AND {text} NOT GLOB '*[^{allowed}]*'",
            f"  THEN {written}",
            f"  ELSE {column}",
            f"END AS {self.name(self._iso_column(column_name))}",
        ]

    def is_one(self, feature: Feature) -> str:
        column = self.name(feature.column)
        if feature.kind == "missing":
            return f"{self._known(feature)} IS NULL"
        if feature.kind == "category":
            return f"{self._filled(column, feature)} = {self.literal(feature.category)}"
        texts = [self.literal(text) for text in feature.named if text is not None]
        known = f"{column} NOT IN ({', '.join(texts)})" if texts else f"{column} IS NOT NULL"
        if None in feature.named:
            return f"({column} IS NOT NULL AND {known})"
        return f"({column} IS NULL OR {known})"

    def is_zero(self, feature: Feature) -> str:
        column = self.name(feature.column)
        if feature.kind == "missing":
            return f"{self._known(feature)} IS NOT NULL"
        if feature.kind == "category":
            if feature.fill is not None:
                return f"{self._filled(column, feature)} <> {self.literal(feature.category)}"
            return f"({column} IS NULL OR {column} <> {self.literal(feature.category)})"
        return f"NOT {self.is_one(feature)}"

    def compared_date(self, feature: Feature, relation: str, border: int) -> str:
        when = _iso(moment_text(feature.origin, border, feature.step).replace(" ", "T"))
        function = "datetime"
        when = when.replace("T", " ")
        if feature.step == "day":
            function, when = "date", when.partition(" ")[0]
        moment = self._filled(f"{function}({self.dated(feature)})", feature)
        return f"{moment} {relation} {self.literal(when)}"

    def counted(self, conditions: list[list[str]], quorum: int) -> list[str]:
        lines = []
        for number, (first, *rest) in enumerate(conditions):
            start = f"{'+ ' if number else ''}CASE WHEN {first}"
            lines += _ended([start, *rest], " THEN 1 ELSE 0 END")
        end = ") % 2 = 1" if quorum == ODD else f") >= {quorum}"
        return ["(", *(f"  {line}" for line in lines), end]

    def program(self) -> str:
        needed = [each for each in self.used if each.kind == "number" and each.fill is None]
        nulls = dict.fromkeys(f"{self.name(each.column)} IS NULL" for each in needed)
        lines = []
        if nulls:
            lines.append(f"    WHEN {' OR '.join(nulls)} THEN NULL")
        for rule, answer in self.asked:
            lines += ["    WHEN", *(f"      {line}" for line in self.joined(rule))]
            lines.append(f"    THEN {self.literal(answer)}")
        answer = self.literal(self.otherwise)
        if lines:
            lines = ["  CASE", *lines, f"    ELSE {answer}", "  END AS prediction"]
        else:
            lines = [f"  {answer} AS prediction"]
        plain = re.fullmatch(r"\w+(\.\w+)*", self.table)
        table = self.table if plain else self.name(self.table)
        source = self._source(table)
        return "\n".join([*self.header(), "", "SELECT", "  *,", *lines, *source]) + "\n"

    def _source(self, table: str) -> list[str]:
        """Return what the query selects from: the table, with columns of ISO dates if needed."""
        added: list[str] = []
        for column, form in self.forms.items():
            numbers = _DateNumbers.of(form)
            if numbers is not None:
                added = _ended(added, ",") if added else []
                added += self._iso_lines(column, numbers)
        if not added:
            return [f"FROM {table};"]
        inner = ["SELECT", "  *,", *(f"  {line}" for line in added), f"FROM {table}"]
        return ["FROM (", *(f"  {line}" for line in inner), ") AS with_dates;"]


@cache
def _read_by_sqlite(text: str) -> float | None:
    """Return the number that SQLite reads in a text, None if Python comes without SQLite."""
    try:
        import sqlite3
    except ImportError:
        return None
    with closing(sqlite3.connect(":memory:")) as connection:
        return float(connection.execute(f"SELECT {text}").fetchone()[0])


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError(f"a name or text with a NUL cannot be written in SQL: {shown(text)}")
    return text


_WRITERS: dict[str, type[_Writer]] = {
    "python": _Python,
    "sql": _Sql,
    "javascript": _JavaScript,
}
