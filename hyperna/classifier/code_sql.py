"""Rules as an SQL query, for SQLite."""

import re
from collections.abc import Sequence
from contextlib import closing
from decimal import Decimal
from functools import cache, cached_property
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
from hyperna.tables.columns import read_number
from hyperna.tables.dates import DATE_PARTS, moment_text
from hyperna.tables.features import Feature, printable

# How gaps are called in comments.
_GAP = "NULL or ''"


class SqlWriter(Writer):
    """Writes a query that adds the column ``prediction`` to a table."""

    comment = "--"
    true, false = "1 = 1", "1 = 0"
    and_, or_ = "AND", "OR"

    def expected(self, features: Sequence[Feature]) -> str:
        kinds = {feature.kind for feature in features}
        fill = next((gap_counts_as(each) for each in features if each.fill is not None), "")
        counts = f"; {_GAP} counts as {fill}" if fill else ""
        if kinds & set(DATE_PARTS):
            also = self.also_read(features[0].column)
            return f"date, as SQLite's date functions read it{also}{counts}"
        if kinds & {"category", "rare"}:
            example = self.literal(example_category(features))
            return f"text, as in {example}, {_GAP} where there is none{counts}"
        if kinds == {"missing"}:
            return f"anything, {_GAP} where there is none"
        return f"number{counts or f'; if {_GAP}, the prediction is NULL'}"

    def warnings(self) -> list[tuple[str, str]]:
        found = super().warnings()
        for column in self.numbers.values():
            name = printable(column.name)
            example = number_example(column)
            if example:
                plain = number_text(read_number(example, column.form), None)
                first = (
                    f"the model reads numbers such as {printable(example)} in the column {name},"
                )
                second = f"but this code does not: it needs plain numbers there, such as {plain}."
                found.append((first, second))
            if column.odd:
                odd = printable(column.odd_example)
                first = f"the model takes texts such as {odd} in the column {name} for gaps,"
                second = f"but this code does not: it needs {_GAP} there."
                found.append((first, second))
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

        Numbers are turned into text for this question only, because that may round them.
        """
        return f"NULLIF(TRIM(CAST({self.name(column)} AS VARCHAR)), '') IS NULL"

    def _number(self, feature: Feature) -> str:
        """Return a number, or what a gap counts as."""
        number = f"CAST({self.name(feature.column)} AS DOUBLE PRECISION)"
        if feature.fill is None:
            return number
        fill = self.number(float(feature.fill))
        return f"CASE WHEN {self.gap(feature.column)} THEN {fill} ELSE {number} END"

    def _text(self, feature: Feature) -> str:
        """Return a category, or what a gap counts as."""
        column = self.name(feature.column)
        if feature.fill is None:
            return column
        fill = self.literal(str(feature.fill))
        return f"CASE WHEN {self.gap(feature.column)} THEN {fill} ELSE {column} END"

    def _moment(self, function: str, feature: Feature) -> str:
        """Return a date as text, or what a gap counts as; `function` is "date" or "datetime"."""
        moment = f"{function}({self.dated(feature)})"
        if feature.fill is None:
            return moment
        fill = iso_text(feature.fill).replace("T", " ")
        if function == "date":
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

    def _missing(self, feature: Feature) -> str:
        """Return the condition that a column has no value: what is no date counts as none."""
        if feature.column in self._date_columns:
            return f"datetime({self.dated(feature)}) IS NULL"
        return self.gap(feature.column)

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

    def _iso_lines(self, column_name: str, numbers: DateNumbers) -> list[str]:
        """Return dates that consist of numbers as ISO texts, in lines; others stay as they are.

        Numbers need no zero in front, as in strptime. The function printf takes the digits that a
        text begins with for a number.
        """
        column = self.name(column_name)
        text = f"trim({column})"
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
        pattern, signs = _glob_of(numbers)
        return [
            "CASE",
            f"  WHEN {text} GLOB '{pattern}'",
            f"    AND {text} NOT GLOB '*[^{signs}]*'",
            f"  THEN {iso}{time}",
            f"  ELSE {column}",
            f"END AS {self.name(self._iso_column(column_name))}",
        ]

    def is_one(self, feature: Feature) -> str:
        column = self.name(feature.column)
        if feature.kind == "missing":
            return self._missing(feature)
        if feature.kind == "category":
            return f"{self._text(feature)} = {self.literal(feature.category)}"
        texts = [self.literal(text) for text in feature.named if text is not None]
        unnamed = f"{column} NOT IN ({', '.join(texts)})" if texts else self.true
        if None in feature.named:  # a gap is none of the rare ones
            return f"(NOT {self.gap(feature.column)} AND {unnamed})"
        return f"({column} IS NULL OR {unnamed})"

    def is_zero(self, feature: Feature) -> str:
        column = self.name(feature.column)
        if feature.kind == "missing":
            return f"NOT {self._missing(feature)}"
        if feature.kind == "category":
            if feature.fill is not None:
                return f"{self._text(feature)} <> {self.literal(feature.category)}"
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
        needed = [each for each in self.used if each.kind == "number" and each.fill is None]
        gaps = [self.gap(column) for column in dict.fromkeys(each.column for each in needed)]
        lines = []
        if gaps:
            lines.append("    WHEN")
            lines += [f"      {'OR ' if place else ''}{gap}" for place, gap in enumerate(gaps)]
            lines.append("    THEN NULL")
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
            numbers = DateNumbers.of(form)
            if numbers is not None:
                added = ended(added, ",") if added else []
                added += self._iso_lines(column, numbers)
        if not added:
            return [f"FROM {table};"]
        inner = ["SELECT", "  *,", *(f"  {line}" for line in added), f"FROM {table}"]
        return ["FROM (", *(f"  {line}" for line in inner), ") AS with_dates;"]


def _glob_of(numbers: DateNumbers) -> tuple[str, str]:
    """Return the pattern that dates have for GLOB, and the only signs in them.

    A number with separators around it is one digit and anything more: GLOB knows no repeated
    digits, therefore the signs.
    """
    digit = "[0-9]"
    widths = {"Y": digit * 4, "y": digit * 2}
    usual = f"{digit}*" if numbers.separator else digit * 2
    pattern = numbers.separator.join(widths.get(letter, usual) for letter in numbers.order)
    signs = "0-9"
    if numbers.separator != "-":
        signs += numbers.separator
    if numbers.clock:
        pattern += f" {digit}*" + f":{digit}{digit}" * (numbers.clock // 3)
        signs += " :"
    if numbers.separator == "-":  # a minus stands for itself at the end only
        signs += "-"
    return pattern, signs


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
