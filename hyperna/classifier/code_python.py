"""Rules as a Python function."""

import builtins
import keyword
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from hyperna.classifier.code_writer import Script, ended, gap_lines, is_plain
from hyperna.classifier.half_spaces import ODD
from hyperna.tables.columns import COMPACT_DATES, SIGNS, THOUSANDS
from hyperna.tables.dates import moment_text
from hyperna.tables.features import Feature

_PYTHON = {
    "gap": '''
# Texts that stand for no value.
GAPS = {
{gaps}
}


def is_gap(value):
    """Return whether there is no value: None, NaN, or a text that says so."""
    return str(value).strip() in GAPS
''',
    "number": '''
def number(value, gap=None):
    """Return a number, or what a gap counts as; anything else is an error."""
    if is_gap(value) and gap is not None:
        return gap
    if is_gap(value) or not math.isfinite(float(value)):
        raise ValueError(f"a number is needed, got {value!r}")
    return float(value)
''',
    "any number": '''
def number(value, gap=None, decimal="."):
    """Return the number in a cell, or what a gap counts as: what is no number is a gap."""
    if isinstance(value, timedelta):  # in days
        value = value / timedelta(days=1)
    try:
        found = float(plain(value.strip(), decimal) if isinstance(value, str) else value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if math.isfinite(found) and str(value) not in ("True", "False"):
        return found
    if gap is None:
        raise ValueError(f"a number is needed, got {value!r}")
    return gap


def plain(text, decimal):
    """Return the text of a number with a decimal point and no other signs."""
    text = text.strip("{signs}")
    if decimal == ",":
        text = text.translate(str.maketrans(",.", ".,"))
    if re.fullmatch(r"{thousands}", text):
        text = text.replace(",", "")
    return "nan" if "_" in text else text
'''.replace("{signs}", SIGNS).replace("{thousands}", THOUSANDS),
    "text": '''
def text(value, gap=None):
    """Return a text, or what a gap counts as."""
    if is_gap(value):
        return gap
    if isinstance(value, date):
        zone = getattr(value, "tzinfo", None)
        value = value if zone is None else value.astimezone(timezone.utc).replace(tzinfo=None)
        return value.isoformat().removesuffix("T00:00:00")
    found = str(value).strip()
    if isinstance(value, str) or found in ("True", "False"):
        return found
    try:
        return repr(float(value)).removesuffix(".0")
    except (TypeError, ValueError, OverflowError):
        return found
''',
    "strict moment": '''
def strict_moment(value, gap):
    """Return a date as `moment` does, or what a gap counts as; anything else is an error."""
    found = moment(value, gap)
    if found is gap and not is_gap(value):
        raise ValueError(f"a date is needed, got {value!r}")
    return found
''',
    "moment": '''
def moment(value, gap{form}):
    """Return the date in a cell, in UTC, or what a gap counts as: what is no date is a gap."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day)
    try:
        if not isinstance(value, datetime):
            value = {reader}
        return datetime(*value.utctimetuple()[:6])
    except (ValueError, OverflowError):
        return gap


def date_text(value):
    """Return the text in a cell; a number is one only if it looks like 20240131."""
    if isinstance(value, str):
        return value.strip()
    try:
        found = float(value)
    except TypeError:
        return str(value).strip()
    return f"{found:.0f}" if {first} <= found <= {last} and found.is_integer() else ""
'''.replace("{first}", str(COMPACT_DATES[0])).replace("{last}", str(COMPACT_DATES[1])),
    "parsed": '''
def parsed(text, form):
    """Return the date in a text of a format, or in an ISO text."""
    if form:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            pass
    return datetime.fromisoformat(text)
''',
    "version": """
if sys.version_info < (3, 11):
    raise ImportError("Python 3.11 or later is needed: earlier versions read fewer ISO dates")
""",
}
# How a date is read in a cell: an ISO text, or also one of a format.
_READERS = {
    False: {"{form}": "", "{reader}": "datetime.fromisoformat(date_text(value))"},
    True: {"{form}": ', form=""', "{reader}": "parsed(date_text(value), form)"},
}
_USED = ("row", "predict", "math", "re", "sys", "date", "datetime", "timedelta", "timezone")
_DEFINED = re.findall(r"^(?:def )?(\w+)(?:\(| = )", "".join(_PYTHON.values()), re.MULTILINE)


class PythonWriter(Script):
    """Writes a function ``predict(row)`` and what it needs."""

    comment = "#"
    true, false = "True", "False"
    and_, or_ = "and", "or"
    null = nothing = no_moment = "None"
    nan = "math.nan"
    moments = ("strict_moment", "moment")
    equals, differs = "==", "!="
    reserved = frozenset([*_USED, *_DEFINED, *keyword.kwlist, *keyword.softkwlist, *dir(builtins)])
    dates = "date, datetime or ISO text; UTC if it has no zone"

    def literal(self, value: Any) -> str:
        if isinstance(value, str) and is_plain(value):
            return f'"{value}"'
        return repr(value)

    def reads(self, form: str) -> bool:
        return True

    def is_nan(self, number: str) -> str:
        return f"math.isnan({number})"

    def is_no_moment(self, moment: str) -> str:
        return f"{moment} is None"

    def moment(self, text: str) -> str:
        when = np.datetime64(text, "s").item()
        clock = [when.hour, when.minute, when.second]
        while clock and clock[-1] == 0:
            clock.pop()
        return f"datetime({', '.join(map(str, [when.year, when.month, when.day, *clock]))})"

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
            origin = self._border(feature, 0)
            if feature.step == "day":
                return f"({name}.date() - {origin}).days"
            return f"(({name} - {origin}) / timedelta(days=1))"
        return name

    def _border(self, feature: Feature, count: int) -> str:
        """Return the date that is so many days, or the moment so many seconds, from the origin."""
        text = moment_text(feature.origin, count, feature.step).replace(" ", "T")
        moment = self.moment(text)
        return moment.replace("datetime", "date") if feature.step == "day" else moment

    def compared_date(self, feature: Feature, relation: str, border: int) -> str:
        name = self.variable(feature)
        name = f"{name}.date()" if feature.step == "day" else name
        return f"{name} {relation} {self._border(feature, border)}"

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
        return "\n".join([*head, code, *self._helpers()]).rstrip() + "\n"

    def _imports(self, code: str) -> list[str]:
        needed = self.helpers()
        lines = []
        if "number" in needed or "any number" in needed:
            lines.append("import math")
        if "any number" in needed:
            lines.append("import re")
        if "moment" in needed:
            lines.append("import sys")
        names = ["date"] if "text" in needed or "moment" in needed else []
        if "moment" in needed:
            names.append("datetime")
        if "any number" in needed or ("moment" in needed and "timedelta(" in code):
            names.append("timedelta")
        if "text" in needed:
            names.append("timezone")
        if names:
            lines.append(f"from datetime import {', '.join(names)}")
        if "moment" in needed:
            lines += _PYTHON["version"].rstrip().splitlines()
        return [*lines, "", ""] if lines else [""]

    def _helpers(self) -> list[str]:
        parts = []
        for name in self.helpers():
            part = _PYTHON[name]
            if name == "gap":
                part = part.replace("{gaps}", gap_lines("    "))
            if name == "moment":
                for place, reader in _READERS[bool(self.forms)].items():
                    part = part.replace(place, reader)
            parts.append(part)
        if self.forms:
            parts.append(_PYTHON["parsed"])
        return ["", *parts] if parts else []
