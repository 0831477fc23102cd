"""Rules as a Python function."""

import builtins
import keyword
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from hyperna.classifier.code_writer import Script, ended, gap_lines, is_plain
from hyperna.classifier.half_spaces import ODD
from hyperna.tables.columns import SIGNS, THOUSANDS
from hyperna.tables.dates import moment_text
from hyperna.tables.features import Feature

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
    "marked number": '''
def number(value, gap=None, decimal="."):
    """Return a number, or what a gap counts as; texts have this decimal mark."""
    if is_gap(value) and gap is not None:
        return gap
    if isinstance(value, str):
        value = plain(value.strip(), decimal)
    if is_gap(value) or not math.isfinite(float(value)):
        raise ValueError(f"a number is needed, got {value!r}")
    return float(value)


def plain(text, decimal):
    """Return the text of a number with a decimal point and no other signs."""
    text = text.strip("{signs}")
    if decimal == ",":
        text = text.translate(str.maketrans(",.", ".,"))
    if re.fullmatch(r"{thousands}", text):
        text = text.replace(",", "")
    return text
'''.replace("{signs}", SIGNS).replace("{thousands}", THOUSANDS),
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
    "formed moment": '''
def moment(value, gap, form=""):
    """Return a date as a datetime without a time zone, or what a gap counts as."""
    if is_gap(value):
        value = gap
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime):
        value = parsed(str(value).strip(), form)
    if value.tzinfo is not None:
        value = value.astimezone(timezone.utc).replace(tzinfo=None)
    return value.replace(microsecond=0)


def parsed(text, form):
    """Return the date in a text of a format, or in an ISO text."""
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return datetime.fromisoformat(text)
''',
}
_USED = ("row", "predict", "math", "re", "date", "datetime", "timedelta", "timezone")
_DEFINED = re.findall(r"^(?:def )?(\w+)(?:\(| = )", "".join(_PYTHON.values()), re.MULTILINE)


class PythonWriter(Script):
    """Writes a function ``predict(row)`` and what it needs."""

    comment = "#"
    true, false = "True", "False"
    and_, or_ = "and", "or"
    null = nothing = "None"
    equals, differs = "==", "!="
    reserved = frozenset([*_USED, *_DEFINED, *keyword.kwlist, *keyword.softkwlist, *dir(builtins)])
    dates = "date, datetime or ISO text; UTC if it has no zone"

    def literal(self, value: Any) -> str:
        if isinstance(value, str) and is_plain(value):
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
        lines = [f"    {line}" for each in conditions for line in ended(each, ",")]
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
        if "marked number" in needed:
            lines += ["import math", "import re"]
        if "moment" in needed:
            names = ["date", "datetime", "timezone"]
            if "timedelta(" in code:
                names.insert(2, "timedelta")
            lines.append(f"from datetime import {', '.join(names)}")
        return [*lines, "", ""] if lines else [""]

    def _helpers(self, code: str) -> list[str]:
        needed = self.helpers()
        if not needed and "is_gap(" not in code:
            return []
        parts = [_PYTHON["gap"].replace("{gaps}", gap_lines("    "))]
        parts += [_PYTHON[name] for name in ("number", "marked number", "text") if name in needed]
        if "moment" in needed:
            parts.append(_PYTHON["formed moment"] if self.forms else _PYTHON["moment"])
        return ["", *parts]
