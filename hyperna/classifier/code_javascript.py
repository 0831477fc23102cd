"""Rules as a JavaScript function."""

import calendar
import json
import re
from collections.abc import Sequence
from typing import Any

from hyperna.classifier.code_writer import (
    Script,
    ended,
    gap_lines,
    is_plain,
    iso_text,
)
from hyperna.classifier.half_spaces import ODD
from hyperna.tables.columns import COMPACT_DATES, SIGNS, THOUSANDS
from hyperna.tables.dates import moment_text
from hyperna.tables.features import Feature

_JAVASCRIPT = {
    "gap": """
// Texts that stand for no value.
const GAPS = new Set([
{gaps}
]);

// Whether there is no value: null, undefined, NaN, or a text that says so.
function isGap(value) {
  if (typeof value === "string") {
    return GAPS.has(value.trim());
  }
  const none = value === null || value === undefined;
  return none || Number.isNaN(value instanceof Date ? value.getTime() : value);
}
""",
    "number": """
// A number, or what a gap counts as; anything else is an error.
function number(value, gap) {
  if (isGap(value) && gap !== undefined) {
    return gap;
  }
  const found = typeof value === "object" || /[box]/i.test(value) ? NaN : Number(value);
  if (isGap(value) || !Number.isFinite(found)) {
    throw new TypeError(`a number is needed, got ${value}`);
  }
  return found;
}
""",
    "any number": r"""
// The number in a cell, or what a gap counts as: what is no number is a gap.
function number(value, gap, decimal) {
  let found = NaN;
  if (typeof value === "string") {
    found = numberIn(trimmed(value), decimal);
  } else if (typeof value === "number" || typeof value === "bigint") {
    found = Number(value);
  }
  if (Number.isFinite(found)) {
    return found;
  }
  if (gap === undefined) {
    throw new TypeError(`a number is needed, got ${value}`);
  }
  return gap;
}

// The number in a text with this decimal mark, NaN if there is none.
function numberIn(text, decimal) {
  let digits = text.replace(/^[{signs}]+|[{signs}]+$/g, "");
  if (decimal === ",") {
    digits = digits.replace(/[.,]/g, (mark) => (mark === "," ? "." : ","));
  }
  if (/^{thousands}$/.test(digits)) {
    digits = digits.replace(/,/g, "");
  }
  return /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(digits) ? Number(digits) : NaN;
}
""".replace("{signs}", SIGNS).replace("{thousands}", THOUSANDS),
    "trimmed": r"""
// A text without spaces around it; digits of other scripts than 0 to 9 are an error.
function trimmed(text) {
  if (/(?!\d)\p{Nd}/u.test(text)) {
    throw new TypeError(`only the digits 0 to 9 can be read, got ${text}`);
  }
  return text.trim();
}
""",
    "text": r"""
// A text, or what a gap counts as.
function text(value, gap = null) {
  if (isGap(value)) {
    return gap;
  }
  if (typeof value === "boolean") {
    return value ? "True" : "False";
  }
  if (value instanceof Date) {
    return value.toISOString().replace(/(T00:00:00)?\.000Z$/, "").replace("Z", "000");
  }
  if (typeof value !== "number" && typeof value !== "bigint") {
    return String(value).trim();
  }
  const found = Number(value);
  const size = Math.abs(found);
  if (size === 0 || (size >= 1e-4 && size < 1e16)) {
    return String(found);
  }
  return found.toExponential().replace(/[+-]\d$/, (power) => `${power[0]}0${power[1]}`);
}
""",
    "strict moment": """
// A date as moment() returns it, or what a gap counts as; anything else is an error.
function strictMoment(value, gap) {
  const found = moment(value, NaN);
  if (Number.isNaN(found) && !isGap(value)) {
    throw new TypeError(`a date is needed, got ${value}`);
  }
  return Number.isNaN(found) ? gap : found;
}
""",
    "moment": """
// The date in a cell as milliseconds since 1970, or what a gap counts as: what is no date is a gap.
function moment(value, gap{form}) {
  const found = value instanceof Date ? value.getTime() : {reader};
  return Number.isNaN(found) ? gap : found;
}

// The text in a cell; a number is one only if it looks like 20240131.
function dateText(value) {
  if (typeof value === "string") {
    return trimmed(value);
  }
  return Number.isInteger(value) && value >= {first} && value <= {last} ? String(value) : "";
}
""".replace("{first}", str(COMPACT_DATES[0])).replace("{last}", str(COMPACT_DATES[1])),
    "parsed": """
// The milliseconds from 1970 to a text of a form, or to an ISO text; NaN if it is neither.
function parsed(text, form) {
  const found = form ? text.match(form) : null;
  const read = found !== null && found[0] === text ? at({groups}) : NaN;
  return Number.isNaN(read) ? iso(text) : read;
}
""",
    "numbered": """
const MONTHS = [
{months}
];

// What was found in a date, with the month and the hour as numbers.
function numbered({ b, B = b, I, p, ...numbers }) {
  const found = { ...numbers };
  if (B !== undefined) {
    found.m = (MONTHS.indexOf(B.toLowerCase()) % 12) + 1;
  }
  if (I !== undefined) {
    found.H = (I % 12) + (p.toLowerCase() === "pm" ? 12 : 0);
  }
  return found;
}
""",
    "iso": r"""
// ISO texts: a day, or a week and perhaps a weekday; then perhaps a time and a zone.
const ISO = new RegExp(
  String.raw`^(?<Y>\d{4})(?<dash>-?)` +
    String.raw`(?:(?<m>\d\d)\k<dash>(?<d>\d\d)|W(?<W>\d\d)(?:\k<dash>(?<D>\d))?)` +
    String.raw`(?:\D(?<H>\d\d)(?:(?<colon>:?)(?<M>\d\d)(?:\k<colon>(?<S>\d\d)(?:[.,]\d+)?)?)?` +
    String.raw`(?<zone> ?(?:Z|[+-]\d\d(?::?\d\d){0,2}))?)?$`,
  "su",
);

// The milliseconds from 1970 to an ISO text, in UTC if it has no zone; NaN if it is none.
function iso(text) {
  const found = text.match(ISO);
  return found === null ? NaN : at(found.groups);
}

// The milliseconds from 1970 to a moment, given its numbers; NaN if there is no such moment.
function at({ Y, y, m, d = 1, W, D = 1, H = 0, M = 0, S = 0, zone = "" }) {
  const year = Y === undefined ? Number(y) + (y < 69 ? 2000 : 1900) : Number(Y);
  const day = new Date(0);
  let known = year > 0 && H < 24 && M < 60 && S < 60;
  if (W === undefined) {
    day.setUTCFullYear(year, m - 1, d);
    known = known && day.getUTCMonth() === m - 1;
  } else {
    day.setUTCFullYear(year, 0, 4); // the first week is that of 4 January
    const thursday = 7 - ((day.getUTCDay() + 6) % 7) + 7 * (W - 1);
    day.setUTCDate(thursday);
    known = known && day.getUTCFullYear() === year && D > 0 && D < 8;
    day.setUTCDate(day.getUTCDate() + (D - 4));
  }
  const [hours = 0, minutes = 0, seconds = 0] = zone.match(/\d\d/g) || [];
  const ahead = (zone.includes("-") ? -1 : 1) * (3600 * hours + 60 * minutes + Number(seconds));
  day.setUTCSeconds(3600 * H + 60 * M + Number(S) - ahead);
  known = known && Math.abs(ahead) < 86400 && day.getUTCFullYear() > 0;
  return known && day.getUTCFullYear() < 10000 ? day.getTime() : NaN;
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
  return (moment - iso(origin)) / 86400000;
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
# How a date is read in a text: an ISO text, or also one of a form.
_READERS = {
    False: {"{form}": "", "{reader}": "iso(dateText(value))"},
    True: {"{form}": ", form", "{reader}": "parsed(dateText(value), form)"},
}
_MONTHS = [name.lower() for name in (*calendar.month_abbr[1:], *calendar.month_name[1:])]
# What the parts of dates look like, as in strptime.
_DATE_PARTS = {
    "d": r"3[01]|[12]\d|0[1-9]|[1-9]| [1-9]",
    "m": r"1[0-2]|0[1-9]|[1-9]",
    "b": "|".join(sorted(map(re.escape, _MONTHS[:12]), key=len, reverse=True)),
    "B": "|".join(sorted(map(re.escape, _MONTHS[12:]), key=len, reverse=True)),
    "Y": r"\d{4}",
    "y": r"\d{2}",
    "H": r"2[0-3]|[01]\d|\d",
    "I": r"1[0-2]|0[1-9]|[1-9]",
    "M": r"[0-5]\d|\d",
    "S": r"[0-5]\d|\d",
    "f": r"\d{1,6}",
    "p": "AM|PM",
}
# The same where no number stands beside another one; the function `at` knows which numbers are.
_PARTS_APART = _DATE_PARTS | {
    "d": r"\d\d| ?\d",
    **dict.fromkeys(("m", "H", "M", "S"), r"\d\d?"),
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
    nan = no_moment = "NaN"
    moments = ("strictMoment", "moment")
    equals, differs = "===", "!=="
    reserved = frozenset(["row", "predict", *_DEFINED, *_JAVASCRIPT_WORDS.split()])
    dates = "Date or ISO text; UTC if it has no zone"

    def literal(self, value: Any) -> str:
        if isinstance(value, str) and is_plain(value):
            return f'"{value}"'
        return json.dumps(value)

    def is_nan(self, number: str) -> str:
        return f"Number.isNaN({number})"

    def is_no_moment(self, moment: str) -> str:
        return f"Number.isNaN({moment})"

    def moment(self, text: str) -> str:
        return f"iso({self.literal(text.removesuffix('T00:00:00'))})"

    def reads(self, form: str) -> bool:
        letters = re.findall("%(.)", form)
        found = set(letters)
        return (
            found <= _DATE_PARTS.keys()
            and len(found) == len(letters)
            and len(found & {"Y", "y"}) == 1
            and len(found & {"m", "b", "B"}) == 1
            and ("I" in found) == ("p" in found)
            and not {"H", "I"} <= found
        )

    def date_form(self, form: str) -> str:
        looks = _DATE_PARTS if re.search("%.%", form) else _PARTS_APART
        pattern = ""
        for piece in re.split(r"(%.|\s+)", form):
            if piece.startswith("%"):
                pattern += f"(?<{piece[1]}>{looks[piece[1]]})"
            elif piece.isspace():
                pattern += r"\s+"
            else:
                pattern += re.sub(r"[.*+?^${}()|[\]\\/]", r"\\\g<0>", piece)
        return f"/^{pattern}/{'i' if re.search('%[bBp]', form) else ''}"

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
        return f"{self._floor(feature)} {relation} {self.moment(when)}"

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
        formed = any(map(self.reads, self.forms.values()))
        parts = []
        needed = self.helpers()
        for name in needed:
            part = _JAVASCRIPT[name]
            if name == "gap":
                part = part.replace("{gaps}", gap_lines("  "))
            if name == "moment":
                for place, reader in _READERS[formed].items():
                    part = part.replace(place, reader)
            parts.append(part)
        if "any number" in needed or "moment" in needed:
            parts.append(_JAVASCRIPT["trimmed"])
        if "moment" in needed:
            parts += self._parsed() if formed else []
            parts.append(_JAVASCRIPT["iso"])
            for name in ("day", "second", "days", "month", "weekday", "hour"):
                if f"{name}(" in code:
                    parts.append(_JAVASCRIPT[name])
        return [part.rstrip() for part in parts]

    def _parsed(self) -> list[str]:
        """Return the functions that read dates in other forms than ISO texts."""
        read = [form for form in self.forms.values() if self.reads(form)]
        if not any(re.search("%[bBp]", form) for form in read):
            return [_JAVASCRIPT["parsed"].replace("{groups}", "found.groups")]
        lines = [", ".join(map(self.literal, _MONTHS[k : k + 6])) for k in range(0, 24, 6)]
        months = "\n".join(f"  {line}," for line in lines)
        return [
            _JAVASCRIPT["parsed"].replace("{groups}", "numbered(found.groups)"),
            _JAVASCRIPT["numbered"].replace("{months}", months),
        ]
