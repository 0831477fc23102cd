"""What the features of an encoded table mean: the meeting point of tables and rules.

A classifier works on numbers, and its rules are conditions on features by position. `Feature` says
what one of them is: the column of the table that it is made of, the kind, and what it takes to
compute it. Whoever writes about a rule asks the feature.

============  ===========================  ===========================  ==========================
kind          value                        condition                    term of a sum
============  ===========================  ===========================  ==========================
``number``    the number, `fill` in a gap  ``age > 30``                 ``age``
``date``      days since `origin`          ``due < 2024-01-31``         ``days(due - 2024-01-01)``
``month``     1 to 12                      ``month of due >= July``     ``month of due``
``weekday``   1 (Monday) to 7              ``weekday of due < Friday``  ``weekday of due``
``hour``      0 to 23                      ``hour of due >= 18``        ``hour of due``
``category``  1 if the text is `category`  ``city = Rome``              ``[city = Rome]``
``missing``   1 in a gap                   ``age is missing``           ``[age is missing]``
``rare``      1 if it is none of `named`   ``city is rare``             ``[city is rare]``
``other``     what a transformer returns   ``pca0 > 0.2``               ``pca0``
============  ===========================  ===========================  ==========================

- To write a condition of one term: ``feature.condition(">", threshold, digits)``; a relation is
  ``">"`` or ``"<"``. It returns "always" or "never" where that is so.
- To write a sum: ``sum_text`` with ``feature.term`` for the names.
- What a reader has to know besides: ``feature.note``, "" if nothing.
- To compute a feature from a row of the table: ``column.read([cell])`` with its `Column`, and
  ``feature.values(...)`` of what that returns. Both are vectorised.
- To explain a change of a number: a change of one in the feature is a change of one in the column
  (of a day for ``date``); the other kinds change when the cell does.

`Encoding` holds the columns and the features of a table together: ``Encoding.of(pipeline)`` finds
them in a fitted pipeline, ``encoding.transform(table)`` computes them, and ``to_dict`` is what the
file of a model keeps. ``plain_features(names)`` are those of an array of numbers.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperna._validation import FloatArray
from hyperna._words import list_item, listed, number_text, shortened
from hyperna.tables.dates import (
    CALENDAR,
    DATE_PARTS,
    MONTHS,
    STEPS,
    WEEKDAYS,
    date_part,
    moment_text,
    part_name,
)

# Features that are 0 or 1.
BINARY = ("category", "missing", "rare")
FEATURE_KINDS = ("number", *DATE_PARTS, *BINARY, "other")
_LONGEST_NAME = 80


@dataclass(frozen=True)
class Feature:
    """What a feature is made of, how it is computed and how it reads.

    Attributes
    ----------
    column : str
        Column of the table.
    kind : str
        One of `FEATURE_KINDS`; the table in the docstring of this module says what they are.
    category : str, optional
        The text that a ``category`` stands for.
    named : tuple
        Of ``rare``: the texts that have a feature of their own or none; None among them stands for
        gaps.
    fill : float or str, optional
        What a gap counts as: a number, a date as ISO text, or a category.
    gaps : bool
        Whether there were gaps in training.
    origin : str
        Of a ``date``: the day that counts as 0, as ISO text.
    step : str
        Of dates: "day" or "second", to which they are rounded down.

    Examples
    --------
    >>> rome = Feature("city", "category", category="Rome")
    >>> rome.condition(">", 0.5), rome.condition("<", 0.5), rome.term
    ('city = Rome', 'city is not Rome', '[city = Rome]')
    >>> born = Feature("born", "date", origin="1990-01-01", step="day")
    >>> born.condition("<", 30.2), born.term
    ('born < 1990-02-01', 'days(born - 1990-01-01)')
    >>> Feature("born", "weekday").condition(">", 5.5)
    'weekday of born >= Saturday'
    """

    column: str
    kind: str
    category: str | None = None
    named: tuple[str | None, ...] = ()
    fill: float | str | None = None
    gaps: bool = False
    origin: str = ""
    step: str = "second"

    @property
    def name(self) -> str:
        """Name of the feature, as `get_feature_names_out` has it, without what does not print."""
        column = printable(self.column)
        if self.kind == "category":
            return f"{column} = {printable(str(self.category))}"
        return part_name(column, "number" if self.kind == "other" else self.kind)

    @property
    def binary(self) -> bool:
        """Whether the feature is 0 or 1."""
        return self.kind in BINARY

    @property
    def term(self) -> str:
        """The feature as a term of a sum."""
        if self.binary:
            return f"[{self.name}]"
        if self.kind == "date":
            return f"days({self.name} - {self.origin})"
        return self.name

    def condition(self, relation: str, threshold: float, digits: int | None = None) -> str:
        """Return the condition that the feature is greater (">") or less ("<") than a threshold.

        It holds on the same rows, whatever the table holds: months, for instance, are whole.
        """
        greater = relation == ">"
        if self.binary:
            return self._binary_condition(relation, threshold)
        if self.kind == "date":
            return self._date_condition(relation, threshold)
        if self.kind in DATE_PARTS:
            least = math.floor(threshold) + 1 if greater else math.ceil(threshold)
            return self._part_condition(greater, least)
        return f"{self.name} {relation} {number_text(threshold + 0.0, digits)}"

    def holds_at_0_and_1(self, relation: str, threshold: float) -> tuple[bool, bool]:
        """Return whether 0, and whether 1, is greater or less than a threshold.

        Examples
        --------
        >>> Feature("city", "rare").holds_at_0_and_1("<", 0.5)
        (True, False)
        """
        if relation == ">":
            return threshold < 0, threshold < 1
        return threshold > 0, threshold > 1

    def _binary_condition(self, relation: str, threshold: float) -> str:
        zero, one = self.holds_at_0_and_1(relation, threshold)
        if zero == one:
            return "always" if zero else "never"
        if one:
            return self.name
        column = printable(self.column)
        if self.kind == "category":
            return f"{column} is not {printable(str(self.category))}"
        return f"{column} is not {self.kind}"

    def date_border(self, relation: str, threshold: float) -> bool | int:
        """Return the whole number of days or seconds that a date is greater or less than.

        It is equivalent to the relation to the threshold. True and False stand for "always" and
        "never".

        Examples
        --------
        >>> born = Feature("born", "date", origin="1990-01-01", step="day")
        >>> born.date_border(">", 30.2), born.date_border("<", 30.2), born.date_border("<", 1e9)
        (30, 31, True)
        """
        first, last = date_part(CALENDAR, "date", self.origin, self.step)
        if not first <= threshold <= last:
            return bool(threshold < first) == (relation == ">")
        steps = STEPS[self.step]
        # The largest number of steps that is not beyond the threshold; rounding may be one off.
        count = math.floor(threshold * steps) + 1
        while count / steps > threshold or (relation == "<" and count / steps == threshold):
            count -= 1
        return count if relation == ">" else count + 1

    def _date_condition(self, relation: str, threshold: float) -> str:
        """Return the condition on a date, which is a whole number of days or of seconds."""
        border = self.date_border(relation, threshold)
        if isinstance(border, bool):
            return "always" if border else "never"
        return f"{self.name} {relation} {moment_text(self.origin, border, self.step)}"

    def _part_condition(self, greater: bool, least: int) -> str:
        """Return the condition that a part of a date is at least, or is less than, a number."""
        names = {"month": MONTHS, "weekday": WEEKDAYS}.get(self.kind)
        low, high = (0, 23) if names is None else (1, len(names))
        if least <= low:
            return "always" if greater else "never"
        if least > high:
            return "never" if greater else "always"
        shown = str(least) if names is None else names[least - 1]
        return f"{self.name} {'>=' if greater else '<'} {shown}"

    @property
    def note(self) -> str:
        """What a reader of a rule has to know about the feature; "" if its name says all.

        Examples
        --------
        >>> Feature("age", "number", fill=28.0, gaps=True).note
        'where age is missing, it counts as 28'
        >>> Feature("city", "rare", named=("Rome", "Oslo", None)).note
        'city is rare: none of Rome, Oslo, missing'
        """
        if self.kind == "rare":
            names = [
                "missing" if each is None else list_item(printable(each)) for each in self.named
            ]
            return f"{self.name}: none of {listed(names)}"
        filled = self.filled_text
        return f"where {printable(self.column)} is missing, it counts as {filled}" if filled else ""

    @property
    def filled_text(self) -> str:
        """What a gap counts as, in words; "" if there were no gaps in training."""
        if not self.gaps or self.kind in ("missing", "other"):
            return ""
        return self.fill_text

    @property
    def fill_text(self) -> str:
        """What a gap counts as, in words; "" if that is not known."""
        if self.fill is None:
            return ""
        if isinstance(self.fill, float):
            return number_text(self.fill, 6)
        return str(self.fill).partition("T")[0] if self.step == "day" else str(self.fill)

    def values(self, cells: NDArray[Any]) -> FloatArray:
        """Return the feature for each value of its column, as `Column.read` returns them.

        Examples
        --------
        >>> texts = np.array(["Rome", None, "Oslo"], dtype=object)
        >>> Feature("city", "category", category="Rome").values(texts)
        array([1., 0., 0.])
        >>> Feature("age", "number", fill=28.0).values(np.array([31.0, np.nan]))
        array([31., 28.])
        """
        if self.kind == "number":
            fill = np.nan if self.fill is None else float(self.fill)
            return np.where(np.isnan(cells), fill, cells)
        if self.kind in DATE_PARTS:
            filled = np.where(np.isnat(cells), np.datetime64(str(self.fill), "us"), cells)
            return date_part(filled, self.kind, self.origin, self.step)
        if self.kind == "missing":
            return np.array([cell is None or bool(cell != cell) for cell in cells], dtype=float)
        if self.kind == "category":
            texts = [self.fill if cell is None else cell for cell in cells]
            return np.array([text == self.category for text in texts], dtype=float)
        if self.kind == "rare":
            named = set(self.named)
            return np.array([cell not in named for cell in cells], dtype=float)
        raise ValueError(f"{self.name!r} cannot be computed: how it is made is not known")

    def to_dict(self) -> dict[str, Any]:
        """Return the feature as plain values, without those that are as usual."""
        given = {part.name: getattr(self, part.name) for part in fields(self)}
        usual = {part.name: part.default for part in fields(self)}
        plain = {key: value for key, value in given.items() if value != usual[key]}
        return plain | ({"named": list(self.named)} if self.named else {})

    @classmethod
    def from_dict(cls, data: Any) -> "Feature":
        """Return the feature that `to_dict` described; anything else is a ValueError."""
        types: dict[str, Any] = {
            "column": str,
            "kind": str,
            "category": str,
            "named": list,
            "fill": (str, float, int),
            "gaps": bool,
            "origin": str,
            "step": str,
        }
        check_plain("a feature", data, types, needed=("column", "kind"))
        named = tuple(data.get("named", ()))
        if data["kind"] not in FEATURE_KINDS or data["kind"] == "other":
            raise ValueError(
                f"kind must be one of {', '.join(FEATURE_KINDS)}, got {data['kind']!r:.60}"
            )
        if not all(text is None or isinstance(text, str) for text in named):
            raise ValueError("named must be texts or null")
        made = cls(**{**data, "named": named})
        made._check()
        return made

    def _check(self) -> None:
        """Refuse what does not fit the kind."""
        wanted: Any = None
        if self.kind == "number":
            wanted = (float, int)
        elif self.kind in DATE_PARTS:
            wanted = str
            for name, text in (("fill", self.fill), ("origin", self.origin or "1970-01-01")):
                try:
                    np.datetime64(str(text), "us")
                except ValueError:
                    raise ValueError(f"{name} must be a date, got {text!r:.60}") from None
            if self.step not in STEPS:
                raise ValueError(f"step must be one of {', '.join(STEPS)}, got {self.step!r:.60}")
            if self.kind == "date" and not self.origin:
                raise ValueError("a date must have an origin")
        elif self.kind == "category" and self.category is None:
            raise ValueError("a category must have a text")
        fits = isinstance(self.fill, wanted or object) and not isinstance(self.fill, bool)
        if isinstance(self.fill, float | int) and not math.isfinite(self.fill):
            fits = False
        if not fits:
            raise ValueError(f"fill must fit a {self.kind}, got {self.fill!r:.60}")


def printable(text: str) -> str:
    r"""Return a name or a text on one line, without what does not print, and not too long.

    Examples
    --------
    >>> printable("a\n name\0")
    'a name'
    """
    clean = "".join(sign if sign.isprintable() else " " for sign in text[: 2 * _LONGEST_NAME])
    return shortened(" ".join(clean.split()), _LONGEST_NAME)


def plain_features(names: Iterable[str]) -> tuple[Feature, ...]:
    """Return the features of an array of numbers whose columns have these names."""
    return tuple(Feature(str(name), "number") for name in names)


def check_plain(what: str, data: Any, types: dict[str, Any], needed: Sequence[str]) -> None:
    """Refuse a description with unknown or absent keys, or with values of other types."""
    if not isinstance(data, dict):
        raise ValueError(f"{what} must be an object, got {type(data).__name__}")
    unknown = [key for key in data if key not in types]
    absent = [key for key in needed if key not in data]
    if unknown or absent:
        raise ValueError(f"{what} must have the keys {listed(types)}, got {listed(map(str, data))}")
    for key, value in data.items():
        if not isinstance(value, types[key]):
            raise ValueError(f"{key} of {what} has a wrong type: {value!r:.60}")
