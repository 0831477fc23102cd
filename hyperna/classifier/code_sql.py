"""Rules as an SQL query, for SQLite."""

import re
from collections.abc import Sequence
from contextlib import closing
from decimal import Decimal
from functools import cache
from typing import Any

from hyperna._words import number_text, shown
from hyperna.classifier.code_writer import (
    DateNumbers,
    Writer,
    ended,
    example_category,
    gap_counts_as,
    iso_text,
    number_example,
)
from hyperna.classifier.half_spaces import ODD
from hyperna.tables.columns import Column, read_number
from hyperna.tables.dates import moment_text
from hyperna.tables.features import Feature, printable

# How gaps are called in comments.
_GAP = "NULL or ''"
_LARGEST = "1.7976931348623157e308"


class SqlWriter(Writer):
    """Writes a query that adds the column ``prediction`` to a table."""

    comment = "--"
    true, false = "1 = 1", "1 = 0"
    and_, or_ = "AND", "OR"

    def expected(self, features: Sequence[Feature]) -> str:
        column = self.used_columns[features[0].column]
        fill = next((gap_counts_as(each) for each in features if each.fill is not None), "")
        if column.kind == "category":
            categories = [each for each in features if each.kind != "missing"]
            if not categories:
                return f"anything, {_GAP} where there is none"
            example = self.literal(example_category(categories))
            counts = f"; {_GAP} counts as {fill}" if fill else ""
            return f"text, as in {example}, {_GAP} where there is none{counts}"
        what = "number"
        if column.kind == "date":
            what = f"ISO date such as 2024-12-31 18:30{self.also_read(column.name)}"
        if fill:
            return f"{what}; anything else counts as {fill}"
        if all(each.kind == "missing" for each in features):
            return f"{what}; anything else is a gap"
        return f"{what}; if there is none, the prediction is NULL"

    def warnings(self) -> list[tuple[str, str]]:
        found = super().warnings()
        for column in self.used_columns.values():
            example = number_example(column) if column.kind == "number" else column.written_as
            if example and self.reads_dates_of(column):
                plain = "ISO dates there, such as 2024-12-31"
                if column.kind == "number":
                    value = number_text(read_number(example, column.form), None)
                    plain = f"plain numbers there, such as {value}"
                first = (
                    f"the model reads {column.kind}s such as {printable(example)} in the column "
                    f"{printable(column.name)},"
                )
                found.append((first, f"but this code does not: it needs {plain}."))
        return found

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

    def gap(self, column: str) -> str:
        """Return the condition that a column has no value: NULL, or nothing but spaces.

        Values are turned into text for this question only. MySQL has no VARCHAR there, and
        elsewhere CHAR alone is one letter.
        """
        return f"NULLIF(TRIM(CAST({self.name(column)} AS CHAR(255))), '') IS NULL"

    def _number(self, feature: Feature) -> str:
        """Return a number, or what a gap counts as."""
        column = self.name(feature.column)
        if feature.fill is None:
            return column
        return f"COALESCE({column}, {self.number(float(feature.fill))})"

    def _is_category(self, feature: Feature) -> str:
        """Return the condition that a cell, or what a gap counts as, is a category.

        The column itself is compared, and not a CASE of it, which is of no type: a column of
        numbers then equals the text of a number.
        """
        same = f"{self.name(feature.column)} = {self.literal(feature.category)}"
        if feature.fill is None:
            return same
        gap = self.gap(feature.column)
        if feature.fill == feature.category:
            return f"({gap} OR {same})"
        return f"(NOT {gap} AND {same})"

    def _moment(self, function: str, feature: Feature) -> str:
        """Return a date as text, or what a gap counts as; `function` is "date" or "datetime"."""
        moment = self.name(feature.column)
        fill = iso_text(feature.fill).replace("T", " ")
        if function == "date":
            moment = f"date({moment})"
            fill = fill.partition(" ")[0]
        return f"COALESCE({moment}, {self.literal(fill)})"

    def term(self, feature: Feature) -> str:
        if feature.binary:
            return f"CASE WHEN {self.is_one(feature)} THEN 1 ELSE 0 END"
        if feature.kind == "number":
            return self._number(feature)
        moment = self._moment("datetime", feature)
        if feature.kind == "month":
            return f"CAST(strftime('%m', {moment}) AS INTEGER)"
        if feature.kind == "weekday":
            return f"((strftime('%w', {moment}) + 6) % 7 + 1)"
        if feature.kind == "hour":
            return f"CAST(strftime('%H', {moment}) AS INTEGER)"
        origin = self.literal(feature.origin)
        if feature.step == "day":
            day = self._moment("date", feature)
            return f"(julianday({day}) - julianday({origin}))"
        return f"((strftime('%s', {moment}) - strftime('%s', {origin})) / 86400.0)"

    def _read(self, column: Column) -> list[str]:
        """Return a number or a date as the rules use it, NULL if there is none, in lines.

        SQLite compares a text with a double as a number if it is one, and else finds it larger. It
        counts a 30 February on into March if days are added, and takes 24 for an hour.
        """
        name = self.name(column.name)
        if column.kind == "number":
            return [
                "CASE",
                f"  WHEN {name} BETWEEN CAST(-{_LARGEST} AS DOUBLE PRECISION)",
                f"    AND CAST({_LARGEST} AS DOUBLE PRECISION)",
                f"  THEN CAST({name} AS DOUBLE PRECISION)",
                f"END AS {name}",
            ]
        day = f"substr(trim({name}), 1, 10)"
        return [
            "CASE",
            f"  WHEN date({day}, '+0 days') = {day}",
            f"    AND {name} NOT GLOB '*[ T]24:*'",
            f"  THEN datetime(trim({name}))",
            f"END AS {name}",
        ]

    def _iso_lines(self, column_name: str, numbers: DateNumbers) -> list[str]:
        """Return dates that consist of numbers as ISO texts, in lines; others stay as they are.

        Numbers need no zero in front, as in strptime. The function printf takes the digits that a
        text begins with for a number.
        """
        column = self.name(column_name)
        text = f"trim({column})"
        if not numbers.separator:  # numbers such as 20240131.0
            text = f"replace({text}, '.0', '')"
        day = text
        time = ""
        if numbers.clock:
            day = f"substr({text}, 1, instr({text}, ' ') - 1)"
            clock = f"substr({text}, instr({text}, ' ') + 1)"
            time = f" || ' ' || substr('0' || {clock}, -{numbers.clock})"
        parts = _parts_of_day(day, numbers)
        if "y" in parts:
            short = parts["y"]
            parts["Y"] = f"{short} + CASE WHEN {short} + 0 < 69 THEN 2000 ELSE 1900 END"
        iso = f"printf('%04d-%02d-%02d', {parts['Y']}, {parts['m']}, {parts['d']})"
        pattern, others = _globs_of(numbers)
        return [
            "CASE",
            f"  WHEN {text} GLOB '{pattern}'",
            *(f"    AND {text} NOT GLOB '{other}'" for other in others),
            f"  THEN {iso}{time}",
            f"  ELSE {column}",
            f"END AS {column}",
        ]

    def is_one(self, feature: Feature) -> str:
        column = self.name(feature.column)
        if feature.kind == "missing":
            read = self.kind(feature) != "category"
            return f"{column} IS NULL" if read else self.gap(feature.column)
        if feature.kind == "category":
            return self._is_category(feature)
        texts = [self.literal(text) for text in feature.named if text is not None]
        unnamed = f"{column} NOT IN ({', '.join(texts)})" if texts else self.true
        if None in feature.named:  # a gap is none of the rare ones
            return f"(NOT {self.gap(feature.column)} AND {unnamed})"
        return f"({column} IS NULL OR {unnamed})"

    def is_zero(self, feature: Feature) -> str:
        column = self.name(feature.column)
        if feature.kind == "missing":
            read = self.kind(feature) != "category"
            return f"{column} IS NOT NULL" if read else f"NOT {self.gap(feature.column)}"
        if feature.kind == "category":
            if feature.fill is not None:
                return f"NOT {self._is_category(feature)}"
            return f"({column} IS NULL OR {column} <> {self.literal(feature.category)})"
        return f"NOT {self.is_one(feature)}"

    def compared_date(self, feature: Feature, relation: str, border: int) -> str:
        when = iso_text(moment_text(feature.origin, border, feature.step).replace(" ", "T"))
        function = "datetime"
        when = when.replace("T", " ")
        if feature.step == "day":
            function, when = "date", when.partition(" ")[0]
        moment = self._moment(function, feature)
        return f"{moment} {relation} {self.literal(when)}"

    def counted(self, conditions: list[list[str]], quorum: int) -> list[str]:
        lines = []
        for number, (first, *rest) in enumerate(conditions):
            start = f"{'+ ' if number else ''}CASE WHEN {first}"
            lines += ended([start, *rest], " THEN 1 ELSE 0 END")
        end = ") % 2 = 1" if quorum == ODD else f") >= {quorum}"
        return ["(", *(f"  {line}" for line in lines), end]

    def program(self) -> str:
        plain = re.fullmatch(r"\w+(\.\w+)*", self.table)
        table = self.table if plain else self.name(self.table)
        lines = ["SELECT", "  *,", *_indented(ended(self._prediction(), " AS prediction"))]
        return "\n".join([*self.header(), "", *lines, f"FROM {table};"]) + "\n"

    def _prediction(self) -> list[str]:
        """Return the class of a row, in lines."""
        needed = [each for each in self.used if each.kind == "number" and each.fill is None]
        gaps = [self.name(column) for column in dict.fromkeys(each.column for each in needed)]
        cases = []
        if gaps:
            first, *others = (f"{gap} IS NULL" for gap in gaps)
            cases += ["WHEN", *_indented([first, *(f"OR {each}" for each in others)]), "THEN NULL"]
        for rule, answer in self.asked:
            cases += ["WHEN", *_indented(self.joined(rule)), f"THEN {self.literal(answer)}"]
        answer = self.literal(self.otherwise)
        if not cases:
            return [answer]
        lines = ["CASE", *_indented([*cases, f"ELSE {answer}"]), "END"]
        source = self._cells()
        if not source:
            return lines
        return ["(", *_indented(["SELECT", *_indented(lines), *source]), ")"]

    def _cells(self) -> list[str]:
        """Return from where the rules have numbers and dates: the cells of the row, read."""
        used = self.used_columns.values()
        read = [self._read(column) for column in used if column.kind != "category"]
        forms = {name: DateNumbers.of(form) for name, form in self.forms.items()}
        texts = [self._iso_lines(name, numbers) for name, numbers in forms.items() if numbers]
        if not read:
            return []
        end = [")"]
        if texts:
            end = [*_indented(["FROM (", *_indented(_select(texts)), ") AS texts"]), ")"]
        return ["FROM (", *_indented(_select(read)), *ended(end, " AS cells")]


def _select(columns: list[list[str]]) -> list[str]:
    """Return a selection of columns, in lines."""
    lines: list[str] = []
    for column in columns:
        lines = [*(ended(lines, ",") if lines else []), *column]
    return ["SELECT", *_indented(lines)]


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _globs_of(numbers: DateNumbers) -> tuple[str, list[str]]:
    """Return the pattern that dates have for GLOB, and those that they do not have.

    A number with separators around it is one digit and anything more: GLOB knows no repeated
    digits. The other patterns are those of anything else than one or two digits.
    """
    digit = "[0-9]"
    separator = numbers.separator
    widths = {"Y": digit * 4, "y": digit * 2}
    usual = f"{digit}*" if separator else digit * 2
    pattern = separator.join(widths.get(letter, usual) for letter in numbers.order)
    signs = "0-9"
    if separator != "-":
        signs += separator
    others = []
    if separator:
        others.append("*" + f"{separator}*" * 3)
        long = digit * 3
        year_first = numbers.order[0] in "Yy"
        others.append(f"*{separator}{long}*" if year_first else f"*{long}{separator}*")
    if numbers.clock:
        colons = numbers.clock // 3
        pattern += f" {digit}*" + f":{digit}{digit}" * colons
        signs += " :"
        others += ["*" + ":*" * (colons + 1), f"* {digit * 3}*"]
    if separator == "-":  # a minus stands for itself at the end only
        signs += "-"
    return pattern, [f"*[^{signs}]*", *others]


def _parts_of_day(day: str, numbers: DateNumbers) -> dict[str, str]:
    """Return texts that begin with the day, the month and the year, by the letters of strptime."""
    separator = numbers.separator
    if separator:
        second = f"substr({day}, instr({day}, '{separator}') + 1)"
        last = f"substr({day}, -4)"
        if numbers.order[2] != "Y":  # two digits, or one after the separator
            last = f"ltrim(substr({day}, -2), '{separator}')"
        return dict(zip(numbers.order, (day, second, last), strict=True))
    parts = {}
    begin = 1
    for letter in numbers.order:
        width = 4 if letter == "Y" else 2
        parts[letter] = f"substr({day}, {begin}, {width})"
        begin += width
    return parts


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
