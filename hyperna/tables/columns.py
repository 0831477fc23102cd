"""What a column of a table holds, told from its cells: numbers, dates or categories.

`look_at` decides what a column is and how its cells are written, and `Column.read` reads cells that
are written that way, in the same table or in a later one.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperna._csv import GAPS
from hyperna._words import counted, did_you_mean, listed, number, shortened, shown
from hyperna.tables.dates import CALENDAR

KINDS = ("number", "date", "category")
DECIMAL_MARKS = (".", ",")

# A column is one of numbers, or of dates, if so many of its cells are; the others count as gaps.
LEAST_SHARE = 0.8
# A category gets a feature of its own if it has at least this share of the rows. A column gets at
# most so many features: of more categories the most frequent ones, and "rare" for all others. Gaps
# are one of the categories.
LEAST_CATEGORY_SHARE = 0.01
MOST_CATEGORIES = 20
# With fewer rows no numbers are taken for an identifier, and with fewer texts none for free text,
# since any few may happen to be different.
FEW_ROWS = 20
FEW_TEXTS = 10
# Whole numbers, all different, from one of the first ten on and at most twice as many as the rows,
# number the rows of a table, or of a half of it: a fold of a cross-validation, or what is left
# without the rows that have no label. A random half has one of the first ten with 1 - 2 ** -10.
FIRST_NUMBERS = 10
# Days of a calendar that writes dates as one number, 20240131.
COMPACT_DATES = (19000101, 21001231)
_COMPACT = "%Y%m%d"
# Names that people give to numbers that only tell the rows apart.
_IDENTIFIER_NAME = re.compile(
    r"(?i:(?:^|[\W_])(?:id|uuid|guid|key|index|nr|no))$|[a-z](?:Id|ID)$|^(?:column|Unnamed:) \d+$"
)

_DAYS = (
    *("%Y/%m/%d", "%Y.%m.%d", "%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m-%d-%Y"),
    *("%m/%d/%y", "%d/%m/%y", "%d.%m.%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y"),
    *("%b %d %Y", "%B %d %Y", "%d-%b-%Y", "%d-%b-%y", "%b %Y", "%B %Y", "%b-%Y", "%B-%Y"),
    *("%Y-%m", "%m/%Y", "%Y%m%d"),
)
_TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p")
ISO = "ISO 8601"
DATE_FORMATS = tuple(f"{day}{time}" for day in _DAYS for time in _TIMES)
# Formats that differ only in which number is the day; the first is taken where both fit and other
# columns do not tell.
_OTHER_ORDER = {"%m/%d": "%d/%m", "%d-%m": "%m-%d"}
# ISO texts that not only Python reads.
_PLAIN_ISO = re.compile(
    r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?", re.ASCII
)

_NO_DATE = np.datetime64("NaT", "us")

Cells = NDArray[Any]


@dataclass(frozen=True)
class Column:
    """How a column is read, and what was found in it.

    Attributes
    ----------
    name : str
        Its name in the table.
    kind : str
        "number", "date" or "category", or "left out".
    form : str
        How its cells are written: the decimal mark of a number, the format of a date as
        `datetime.strptime` takes it or "ISO 8601". ISO dates are read in any column of dates.
    other_form : str
        The other decimal mark of numbers, if the same cells are other numbers with it, as 12,500 is
        12500 or 12.5; the format of dates with the day and the month the other way round, if the
        same cells are other dates with it.
    written_as : str
        A cell that is not written as a plain number, such as "$1,200", or, if it is not written in
        the format of the column, as a plain ISO date, such as "2024-W05"; "" if there is none.
    reason : str
        Why it is left out.
    rows, gaps : int
        Number of rows in the training table, and how many of them have no value.
    odd : int
        How many of the gaps hold something else than `kind`, such as words among numbers.
    odd_example : str
        One of these cells.
    remark : str
        What else a reader should know.
    """

    name: str
    kind: str
    form: str = ""
    other_form: str = ""
    written_as: str = ""
    reason: str = ""
    rows: int = 0
    gaps: int = 0
    odd: int = 0
    odd_example: str = ""
    remark: str = ""

    @property
    def used(self) -> bool:
        """Whether the column is not left out."""
        return self.kind != "left out"

    def read(self, cells: Any) -> Cells:
        """Return the values of cells, with gaps where they hold something else.

        Numbers are floats (gaps NaN), dates are datetime64[us] (gaps NaT), and categories are texts
        (gaps None).

        Examples
        --------
        >>> Column("price", "number", ",").read(["1.200,50", "?"])
        array([1200.5,    nan])
        >>> Column("born", "date", "%d.%m.%Y").read(["29.02.2024", "30.02.2024"])
        array(['2024-02-29T00:00:00.000000',                        'NaT'],
              dtype='datetime64[us]')
        """
        plain = plain_cells(cells)
        if self.kind == "number":
            if plain.dtype.kind == "f":
                return np.where(np.isfinite(plain), plain, np.nan)
            return _read_each(plain, partial(read_number, decimal=self.form or "."), np.float64)
        if self.kind == "date":
            if plain.dtype.kind == "M":
                return plain
            return _read_each(plain, partial(read_date, form=self.form or ISO), "datetime64[us]")
        return _read_each(plain, read_category, object)


def plain_cells(values: Any) -> Cells:
    """Return cells as floats, as datetime64[us], or as objects: texts, numbers, dates, None.

    A gap of any library becomes NaN, NaT or None; texts lose the spaces around them.

    Examples
    --------
    >>> plain_cells([" a ", "NA", 2, True])
    array(['a', None, 2.0, 'True'], dtype=object)
    >>> plain_cells(np.array([1, 2], dtype=np.int8))
    array([1., 2.])
    """
    if isinstance(values, list | tuple):
        array = np.fromiter(values, dtype=object, count=len(values))
    else:
        array = np.asarray(values)
    if array.dtype.kind in "iuf":
        return array.astype(np.float64)
    if array.dtype.kind == "m":  # how long something took, in days
        return array / np.timedelta64(1, "D")
    if array.dtype.kind == "M":
        return _microseconds(array)
    cells = np.empty(len(array), dtype=object)
    known: dict[Any, Any] = {}
    for place, value in enumerate(array.tolist()):
        try:
            cells[place] = known[type(value), value]
        except KeyError:
            cells[place] = known[type(value), value] = _plain_cell(value)
        except TypeError:  # a list, or something else that cannot be looked up
            cells[place] = _plain_cell(value)
    return cells


def _plain_cell(value: Any) -> Any:
    """Return a cell as a text, a float, a datetime64[us], or None for a gap."""
    if value is None:
        return None
    if isinstance(value, str):
        text = value.strip()
        return None if text in GAPS else text
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, date | np.datetime64):
        moment = _moment(value)
        return None if np.isnat(moment) else moment
    if isinstance(value, timedelta | np.timedelta64):  # in days, as in an array
        value = value / np.timedelta64(1, "D")
    try:
        if value != value:  # NaN and the like
            return None
        return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    text = str(value).strip()
    return None if text in GAPS else text


def _moment(value: Any) -> np.datetime64:
    """Return a date as datetime64[us], in UTC if it tells its time zone."""
    if isinstance(value, np.datetime64):
        return np.datetime64(_microseconds(np.array([value]))[0])
    if isinstance(value, datetime) and value.tzinfo is not None:
        try:
            value = value.astimezone(UTC)
        except OverflowError:  # at either end of the calendar
            return _NO_DATE
        value = value.replace(tzinfo=None)
    if value != value:  # pandas' NaT is a datetime
        return _NO_DATE
    return np.datetime64(value, "us")


def _microseconds(moments: Cells) -> Cells:
    """Return moments of any unit in microseconds, with gaps outside the years 1 to 9999."""
    first, last = CALENDAR.astype("datetime64[D]")
    days = moments.astype("datetime64[D]")
    inside = (days >= first) & (days <= last)
    return np.where(inside, moments, np.datetime64("NaT")).astype("datetime64[us]")


def _read_each(cells: Cells, read: Callable[[Any], Any], dtype: Any) -> Cells:
    """Return what a function reads in the cells, each different one read once."""
    result = np.empty(len(cells), dtype=dtype)
    known: dict[Any, Any] = {}
    for place, cell in enumerate(cells.tolist() if cells.dtype.kind == "f" else cells):
        if cell not in known:
            known[cell] = read(cell)
        result[place] = known[cell]
    return result


# A number with a decimal point and separators of thousands. Nobody writes 0,125 or 012,500 for 125
# and 12500, so that a zero in front tells a decimal comma.
THOUSANDS = r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?"
# What may stand around a number.
SIGNS = "$€£¥% "
_WITH_THOUSANDS = re.compile(THOUSANDS)
_SWAPPED_MARKS = str.maketrans(",.", ".,")


def read_number(cell: Any, decimal: str = ".") -> float:
    """Return the number in a cell, NaN if there is none.

    Separators of thousands, a sign of a currency and a percent sign are allowed, and mean nothing.

    Examples
    --------
    >>> read_number("$1,200.50"), read_number("1.200,50", ","), read_number("many")
    (1200.5, 1200.5, nan)
    """
    if isinstance(cell, str):
        text = cell.strip(SIGNS)
        if decimal == ",":
            text = text.translate(_SWAPPED_MARKS)
        if "," in text and _WITH_THOUSANDS.fullmatch(text):
            text = text.replace(",", "")
        try:
            cell = math.nan if "_" in text else float(text)
        except ValueError:
            return math.nan
    if isinstance(cell, float) and math.isfinite(cell):
        return cell
    return math.nan


def read_date(cell: Any, form: str = ISO) -> np.datetime64:
    """Return the date in a cell of this format, or else in an ISO text, NaT if there is none.

    Examples
    --------
    >>> read_date("31/01/2024", "%d/%m/%Y"), read_date("2024-01-31", "%d/%m/%Y")
    (np.datetime64('2024-01-31T00:00:00.000000'), np.datetime64('2024-01-31T00:00:00.000000'))
    >>> read_date("2024-01-31T12:00+02:00")
    np.datetime64('2024-01-31T10:00:00.000000')
    """
    if isinstance(cell, np.datetime64):
        return cell
    if isinstance(cell, float) and cell.is_integer() and _between(cell, COMPACT_DATES):
        cell = f"{cell:.0f}"
    if not isinstance(cell, str):
        return _NO_DATE
    # 20240131 is the same date as an ISO text, which is read faster.
    first, second = (ISO, form) if form in (ISO, _COMPACT) else (form, ISO)
    moment = _date_in(cell, first)
    if moment is None and first != second:
        moment = _date_in(cell, second)
    return _NO_DATE if moment is None else moment


def _date_in(text: str, form: str) -> np.datetime64 | None:
    """Return the date in a text of this format only, None if there is none."""
    try:
        if form == ISO:
            return _moment(datetime.fromisoformat(text))
        return _moment(datetime.strptime(text, form))
    except (ValueError, OverflowError):
        return None


def _between(value: float, ends: tuple[float, float]) -> bool:
    return ends[0] <= value <= ends[1]


def read_category(cell: Any) -> str | None:
    """Return a cell as text, None for a gap.

    Examples
    --------
    >>> read_category("Berlin"), read_category(3.0), read_category(math.nan)
    ('Berlin', '3', None)
    """
    if cell is None or cell != cell:
        return None
    if isinstance(cell, float):
        return repr(cell).removesuffix(".0")
    if isinstance(cell, np.datetime64):
        return str(cell).removesuffix(".000000").removesuffix("T00:00:00")
    return str(cell)


def check_kinds(kinds: Any) -> dict[str, str]:
    """Return the kinds that a caller gives to columns.

    Each is a kind, ``number:.`` or ``number:,``, or ``date:FORMAT``.
    """
    if kinds is None:
        return {}
    if not isinstance(kinds, Mapping):
        raise TypeError(f"kinds must map columns to kinds, got {shown(kinds)}")
    problem = wrong_kinds(kinds)
    if problem:
        raise ValueError(problem)
    return {str(name): str(kind) for name, kind in kinds.items()}


def wrong_kinds(kinds: Mapping[Any, Any]) -> str:
    """Return what is wrong with the kinds that a caller gives to columns, "" if nothing is.

    Examples
    --------
    >>> wrong_kinds({"age": "number", "price": "number:,", "born": "date:%d.%m.%Y"})
    ''
    >>> wrong_kinds({"age": "nunber"}).partition("got ")[2]
    "'nunber' for column 'age'; did you mean 'number'?"
    """
    known = {*KINDS, *(f"number:{decimal}" for decimal in DECIMAL_MARKS)}
    wrong = {
        name: kind
        for name, kind in kinds.items()
        if kind not in known and not str(kind).startswith("date:%")
    }
    if not wrong:
        return ""
    given = [f"{shown(kind)} for column {shown(name)}" for name, kind in wrong.items()]
    hint = did_you_mean(next(iter(wrong.values())), KINDS)
    return (
        f"kinds must be {', '.join(KINDS)}, or how such cells are written: 'number:,' (decimal "
        f"commas), 'number:.', or date:FORMAT as in date:%d/%m/%Y; got {listed(given, 5)}{hint}"
    )


def look_at(
    name: str,
    values: Any,
    kind: str | None = None,
    decimal: str = "",
    day_first: bool | None = None,
) -> Column:
    """Return what a column holds, and how it is to be read.

    Parameters
    ----------
    name : str
        Name of the column.
    values : sequence
        Its cells.
    kind : str, optional
        What the column is, if the caller knows better; then it is not left out as an identifier.
    decimal : str, optional
        The decimal mark of other columns, if it is known: that of this column, too, if its cells
        are numbers with either mark.
    day_first : bool, optional
        Whether the day stands before the month in other columns, if it is known: in this column,
        too, if its cells are dates in either order.

    Examples
    --------
    >>> look_at("age", ["31", "NA", "47"])
    Column(name='age', kind='number', form='.', ..., rows=3, gaps=1, ...)
    >>> [look_at("price", ["12,500", "7,250"], decimal=mark).form for mark in ("", ",")]
    ['.', ',']
    >>> look_at("joined", ["31.1.2024", "1.2.2024"]).form
    '%d.%m.%Y'
    >>> [look_at("born", ["1/2/1990", "3/4/1990"], day_first=first).form for first in (None, True)]
    ['%m/%d/%Y', '%d/%m/%Y']
    >>> look_at("row", range(1, 101)).reason
    'numbers the rows'
    """
    cells = plain_cells(values)
    counts = _counted(cells)
    rows = len(cells)
    known = sum(counts.values())
    left_out = Column(name, "left out", rows=rows, gaps=rows - known)
    if not counts:
        return replace(left_out, reason="empty")
    if len(counts) == 1 and known == rows:
        only = read_category(next(iter(counts)))
        return replace(left_out, reason=f"always {shortened(str(only), 40)}")
    asked, _, asked_form = (kind or "").partition(":")
    reading = _read_as(counts, asked, asked_form, decimal, day_first)
    if reading.kind != "category":
        find = _not_plain_number if reading.kind == "number" else _not_plain_date
        left_out = replace(left_out, other_form=reading.other_form, written_as=find(reading))
    odd = [cell for cell, value in reading.values.items() if value != value]
    if odd:
        odd_rows = sum(counts[cell] for cell in odd)
        example = shortened(str(max(odd, key=counts.__getitem__)), 40)
        left_out = replace(
            left_out, gaps=left_out.gaps + odd_rows, odd=odd_rows, odd_example=example
        )
        if odd_rows == known:
            return replace(left_out, reason=f"holds no {reading.kind}, for instance {example!r}")
    useless = "" if asked else _useless(name, reading.kind, counts, reading.values, rows)
    if useless:
        return replace(left_out, reason=useless)
    remark = ""
    if reading.kind == "date":
        remark = _about_order(reading)
    elif reading.kind == "number":
        remark = _about_mark(reading, decimal)
    return replace(left_out, kind=reading.kind, form=reading.form, remark=remark)


def _counted(cells: Cells) -> Counter[Any]:
    """Return how often each value occurs; gaps are left out."""
    if cells.dtype.kind in "fM":
        known = cells[~np.isnan(cells)] if cells.dtype.kind == "f" else cells[~np.isnat(cells)]
        values, counts = np.unique(known, return_counts=True)
        keys = values.tolist() if cells.dtype.kind == "f" else list(values)
        return Counter(dict(zip(keys, counts.tolist(), strict=True)))
    return Counter(cell for cell in cells if cell is not None)


def _share(counts: Counter[Any], values_read: Mapping[Any, Any]) -> float:
    """Return the share of the cells that could be read."""
    good = sum(counts[cell] for cell, value in values_read.items() if value == value)
    return good / sum(counts.values())


class _Reading(NamedTuple):
    """What cells are and how they are written, as in `Column`, and what each different one says."""

    kind: str
    form: str
    other_form: str
    values: dict[Any, Any]


def _read_as(
    counts: Counter[Any], asked: str, asked_form: str, decimal: str, day_first: bool | None
) -> _Reading:
    """Return what most of the cells are, how they are written, and what they say.

    `asked` and `asked_form` are the kind and the form that the caller wants, "" to find out;
    `decimal` is the mark to take where the cells are numbers with either, and `day_first` the order
    to take where they are dates in either.
    """
    if asked in ("", "number"):
        numbers = _as_numbers(counts, asked_form, decimal)
        if asked:
            return numbers
        if _share(counts, numbers.values) >= LEAST_SHARE:
            if all(_between(value, COMPACT_DATES) for value in numbers.values.values()):
                dates = _as_dates(counts, "", day_first)
                if _share(counts, dates.values) == 1:
                    return dates
            return numbers
    if asked in ("", "date"):
        dates = _as_dates(counts, asked_form, day_first)
        if asked or _share(counts, dates.values) >= LEAST_SHARE:
            return dates
    return _Reading("category", "", "", {cell: read_category(cell) for cell in counts})


def _as_numbers(counts: Counter[Any], form: str, decimal: str) -> _Reading:
    """Return the cells as numbers with the decimal mark with which most of them are.

    `form` is the mark if it is given, `decimal` the one to take where both fit; else it is a point.
    """
    if form:
        return _Reading("number", form, "", {cell: read_number(cell, form) for cell in counts})
    points = {cell: read_number(cell, ".") for cell in counts}
    share = _share(counts, points)
    commas = dict(points)
    differ = False
    same_cells = True
    for cell in filter(_has_mark, counts):
        point, comma = points[cell], read_number(cell, ",")
        if share == 1 and math.isnan(comma):
            return _Reading("number", ".", "", points)
        commas[cell] = comma
        differ = differ or (not math.isnan(comma) and comma != point)
        same_cells = same_cells and math.isnan(point) == math.isnan(comma)
    if _share(counts, commas) > share:
        return _Reading("number", ",", "", commas)
    if not (differ and same_cells):
        return _Reading("number", ".", "", points)
    if decimal == ",":
        return _Reading("number", ",", ".", commas)
    return _Reading("number", ".", ",", points)


def _has_mark(cell: Any) -> bool:
    """Return whether a cell is a text with a comma or a point."""
    return isinstance(cell, str) and ("," in cell or "." in cell)


def _not_plain_number(reading: _Reading) -> str:
    """Return a cell that holds a number, but not as it is written in code; "" if there is none."""
    for cell, value in reading.values.items():
        if isinstance(cell, str) and value == value:
            try:
                plain = cell.isascii() and float(cell) == value
            except ValueError:
                plain = False
            if not plain:
                return cell
    return ""


def _not_plain_date(reading: _Reading) -> str:
    """Return a cell that holds a date, but neither in the format nor as a plain ISO text.

    "" if there is none.
    """
    for cell in reading.values:
        if not isinstance(cell, str) or not cell[:4].isdigit() or _PLAIN_ISO.fullmatch(cell):
            continue  # most cells, in little time
        if reading.form == _COMPACT and _is_compact(cell):
            continue
        if _date_in(cell, ISO) is not None and (
            reading.form == ISO or _date_in(cell, reading.form) is None
        ):
            return cell
    return ""


def decimal_mark(columns: Sequence[Column], table: Mapping[str, Any], separator: str = "") -> str:
    """Return the decimal mark of a table, as far as cells tell it that fit one mark only.

    If there are no such cells, or if they tell different marks, commas are decimal marks in a file
    whose columns are separated by semicolons, for this is why commas do not separate them. Else the
    mark is not known, "".

    Examples
    --------
    >>> table = {"price": ["12,500", "7,250"], "share": ["0,5", "1,25"]}
    >>> decimal_mark([look_at(name, cells) for name, cells in table.items()], table)
    ','
    """
    marks = set()
    for column in columns:
        if column.kind != "number" or column.other_form:
            continue
        cells = plain_cells(table[column.name])
        if column.form == ",":
            marks.add(",")
        elif any(_has_mark(cell) and not math.isnan(read_number(cell)) for cell in cells):
            marks.add(".")
    if len(marks) == 1:
        return marks.pop()
    unsure = [column for column in columns if column.kind == "number" and column.other_form]
    commas = any("," in column.written_as for column in unsure)
    return "," if commas and separator == ";" else ""


def day_before_month(columns: Iterable[Column]) -> bool | None:
    """Return whether the day stands before the month in a table, as far as its columns tell it.

    Those tell it whose dates fit one order only. None means that there are none, or that they tell
    different orders.

    Examples
    --------
    >>> born, seen = ["31/1/1990", "1/2/1991"], ["2/3/2024", "1/1/2024"]
    >>> day_before_month([look_at("born", born), look_at("seen", seen)])
    True
    """
    told = {
        _day_first(column.form)
        for column in columns
        if column.kind == "date" and not column.other_form and _begins_with_day_or_month(column)
    }
    return told.pop() if len(told) == 1 else None


def _as_dates(counts: Counter[Any], form: str, day_first: bool | None) -> _Reading:
    """Return the cells as dates in the format in which most of them are; `form` if it is given.

    `day_first` tells the order to take where the cells are dates with the day and the month in
    either.
    """
    first = form or (_COMPACT if all(map(_is_compact, counts)) else ISO)
    best = first
    best_values = {cell: read_date(cell, first) for cell in counts}
    sample = [*counts][:50]
    for candidate in () if form else _possible_formats(sample):
        if _share(counts, best_values) == 1:
            break
        if all(np.isnat(read_date(cell, candidate)) for cell in sample):
            continue
        values = {cell: read_date(cell, candidate) for cell in counts}
        if _share(counts, values) > _share(counts, best_values):
            best, best_values = candidate, values
    other = "" if form else _other_order(best)
    if not other:
        return _Reading("date", best, "", best_values)
    other_values = {cell: read_date(cell, other) for cell in counts}
    if not _could_be_either(best_values, other_values):
        return _Reading("date", best, "", best_values)
    if day_first is not None and day_first != _day_first(best):
        best, other, best_values = other, best, other_values
    return _Reading("date", best, other, best_values)


def _could_be_either(moments: Mapping[Any, Any], others: Mapping[Any, Any]) -> bool:
    """Return whether two formats read the same cells, and some of them as different dates."""
    differ = False
    for cell, moment in moments.items():
        if np.isnat(moment) != np.isnat(others[cell]):
            return False
        differ = differ or (not np.isnat(moment) and moment != others[cell])
    return differ


def _is_compact(cell: Any) -> bool:
    """Return whether a cell holds a number that could be a date, 20240131."""
    if isinstance(cell, str):
        return len(cell) == 8 and cell.isascii() and cell.isdigit()
    return isinstance(cell, float) and _between(cell, COMPACT_DATES)


def _other_order(form: str) -> str:
    """Return a format with the day and the month the other way round, "" if nobody writes so."""
    for order, other in _OTHER_ORDER.items():
        if order in form:
            return form.replace(order, other)
    return ""


def _begins_with_day_or_month(column: Column) -> bool:
    return re.match(r"%[dm]\W%[dm]", column.form) is not None


def _day_first(form: str) -> bool:
    return form.index("%d") < form.index("%m")


def _possible_formats(cells: list[Any]) -> list[str]:
    """Return the formats that have the same separators as one of the cells."""
    found = {_separators(cell) for cell in cells if isinstance(cell, str)}
    return [form for form, separators in _SEPARATORS.items() if separators in found]


def _separators(text: str) -> str:
    """Return what is left of a text or of a format without words and numbers."""
    return re.sub(r"%?[A-Za-z0-9]+", "", text[:50])


_SEPARATORS = {form: _separators(form) for form in DATE_FORMATS}


def _about_order(reading: _Reading) -> str:
    """Return a remark where day and month could as well be the other way round."""
    if not reading.other_form:
        return ""
    taken = "day, month" if _day_first(reading.form) else "month, day"
    return f"read as {taken}; the other order would fit too"


def _about_mark(reading: _Reading, decimal: str) -> str:
    """Return a remark about the decimal mark of numbers, above all where the other one would do.

    `decimal` is the mark of other columns, if it is known.
    """
    if not reading.other_form:
        return "decimal comma" if reading.form == "," else ""
    commas = any("," in cell for cell in reading.values if isinstance(cell, str))
    if reading.form == decimal == "." and not commas:
        return ""  # plain numbers, as in other columns
    mark = "commas" if commas else "points"
    taken, other = f"decimal {mark}", f"{mark} between thousands"
    if reading.form != ("," if commas else "."):
        taken, other = other, taken
    return f"read with {taken}; {other} would fit too"


def _useless(
    name: str, kind: str, counts: Counter[Any], values_read: Mapping[Any, Any], rows: int
) -> str:
    """Return why nothing can be learnt from a column; "" if something can."""
    known = sum(counts.values())
    different = len({value for value in values_read.values() if value == value})
    if kind == "category":
        if known >= FEW_TEXTS and different > known / 2:
            every = "a different text in every row"
            many = f"{number(different)} different texts in {counted(known, 'row')}"
            return every if different == known else many
        if max(counts.values()) < LEAST_CATEGORY_SHARE * rows:
            return f"no text in at least {100 * LEAST_CATEGORY_SHARE:.0f} % of the rows"
    if kind == "number" and different == known == rows >= FEW_ROWS:
        values = [*values_read.values()]
        if all(value.is_integer() for value in values):
            if 0 <= min(values) <= FIRST_NUMBERS and max(values) <= 2 * rows + 1:
                return "numbers the rows"
            if _IDENTIFIER_NAME.search(name):
                return "an identifier: a different number in every row"
    return ""
