"""Rules as a JavaScript function."""

import json
import re
from collections.abc import Sequence
from typing import Any

from hyperna.classifier.code_writer import (
    DateNumbers,
    Script,
    ended,
    gap_lines,
    is_plain,
    iso_text,
)
from hyperna.classifier.half_spaces import ODD
from hyperna.tables.columns import SIGNS, THOUSANDS
from hyperna.tables.dates import moment_text
from hyperna.tables.features import Feature

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
    "marked number": """
// A number, or what a gap counts as; texts have this decimal mark.
function number(value, gap, decimal) {
  if (isGap(value) && gap !== undefined) {
    return gap;
  }
  const read = typeof value === "string" ? plain(value.trim(), decimal) : value;
  if (isGap(read) || !Number.isFinite(Number(read))) {
    throw new TypeError(`a number is needed, got ${value}`);
  }
  return Number(read);
}

// The text of a number with a decimal point and no other signs.
function plain(text, decimal) {
  let digits = text.replace(/^[{signs}]+|[{signs}]+$/g, "");
  if (decimal === ",") {
    digits = digits.replace(/[.,]/g, (mark) => (mark === "," ? "." : ","));
  }
  return /^{thousands}$/.test(digits) ? digits.replace(/,/g, "") : digits;
}
""".replace("{signs}", SIGNS).replace("{thousands}", THOUSANDS),
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
_DEFINED = re.findall(r"^(?:function|const) (\w+)", "".join(_JAVASCRIPT.values()), re.MULTILINE)


class JavaScriptWriter(Script):
    """Writes a function ``predict(row)`` and what it needs; Node can require the file."""

    comment = "//"
    true, false = "true", "false"
    and_, or_ = "&&", "||"
    null = "null, undefined"
    nothing = "undefined"
    equals, differs = "===", "!=="
    reserved = frozenset(["row", "predict", *_DEFINED, *_JAVASCRIPT_WORDS.split()])
    dates = "Date or ISO text; UTC if it has no zone"

    def literal(self, value: Any) -> str:
        if isinstance(value, str) and is_plain(value):
            return f'"{value}"'
        return json.dumps(value)

    def date_form(self, form: str) -> str:
        numbers = DateNumbers.of(form)
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
        when = iso_text(moment_text(feature.origin, border, feature.step).replace(" ", "T"))
        when = when.removesuffix("T00:00:00")
        return f"{self._floor(feature)} {relation} at({self.literal(when)})"

    def counted(self, conditions: list[list[str]], quorum: int) -> list[str]:
        end = "% 2 === 1" if quorum == ODD else f">= {quorum}"
        lines = [f"  {line}" for each in conditions for line in ended(each, ",")]
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
        parts = [_JAVASCRIPT["gap"].replace("{gaps}", gap_lines("  "))]
        for name in ("number", "marked number", "text"):
            if name in needed:
                parts.append(_JAVASCRIPT[name])
        if "moment" in needed:
            formed = any(map(self.reads, self.forms.values()))
            parts.append(_JAVASCRIPT["formed moment"] if formed else _JAVASCRIPT["moment"])
            parts.append(_JAVASCRIPT["at"])
        for name in ("day", "second", "days", "month", "weekday", "hour"):
            if "moment" in needed and f"{name}(" in code:
                parts.append(_JAVASCRIPT[name])
        return [part.rstrip() for part in parts]
