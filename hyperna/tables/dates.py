"""Dates as numbers and back: days since a day, months, weekdays, hours."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from hyperna._validation import FloatArray

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
# What a date is turned into: the date itself always, the others where they vary.
DATE_PARTS = ("date", "month", "weekday", "hour")
# To what moments are rounded down, with the number of such steps in a day.
STEPS = {"day": 1, "second": 86400}
# First and last moment of the calendar.
CALENDAR = np.array(["0001-01-01T00:00:00", "9999-12-31T23:59:59"], dtype="datetime64[us]")
_UNITS: dict[str, Any] = {"day": "D", "second": "s"}


def date_part(
    moments: NDArray[Any], part: str, origin: Any = "1970-01-01", step: str = "second"
) -> FloatArray:
    """Return a part of dates as numbers; days count from the origin.

    Examples
    --------
    >>> moment = np.array(["2024-12-24T18:00"], dtype="datetime64[us]")
    >>> [float(date_part(moment, part, "2024-01-01")[0]) for part in DATE_PARTS]
    [358.75, 12.0, 2.0, 18.0]
    """
    days = moments.astype("datetime64[D]")
    if part == "date":
        steps = moments.astype(f"datetime64[{_UNITS[step]}]") - np.datetime64(origin, _UNITS[step])
        return steps.astype(np.int64) / STEPS[step]
    if part == "month":
        return np.asarray(days.astype("datetime64[M]").astype(np.int64) % 12 + 1, dtype=float)
    if part == "weekday":
        # 1 January 1970 was a Thursday.
        return np.asarray((days.astype(np.int64) + 3) % 7 + 1, dtype=float)
    return np.asarray((moments - days) // np.timedelta64(1, "h"), dtype=float)


def moment_text(origin: str, count: int, step: str) -> str:
    """Return the moment that lies so many days or seconds after the origin.

    Examples
    --------
    >>> moment_text("2024-01-01", 59, "day"), moment_text("2024-01-01", 64800, "second")
    ('2024-02-29', '2024-01-01 18:00')
    """
    moment = np.datetime64(origin, _UNITS[step]) + np.timedelta64(count, _UNITS[step])
    return str(moment).replace("T", " ").removesuffix(":00").removesuffix(" 00:00")


def part_name(column: str, part: str) -> str:
    """Return the name of a feature made of a column.

    Examples
    --------
    >>> part_name("born", "date"), part_name("born", "month"), part_name("born", "missing")
    ('born', 'month of born', 'born is missing')
    """
    if part in ("number", "date"):
        return column
    return f"{column} is {part}" if part in ("missing", "rare") else f"{part} of {column}"


class DateParts(TransformerMixin, BaseEstimator):
    """Turns dates into days since the beginning of a year, and months, weekdays and hours.

    Months are 1 to 12 and weekdays 1 (Monday) to 7; both, and hours, are added where they vary.
    Days are whole if all dates in training are without a time. A gap counts as the median date, and
    a feature of its own says where gaps were in training.

    Attributes
    ----------
    origin_ : list of str
        For each column, the day from which days are counted: 1 January of its earliest year.
    fill_ : list of str
        For each column, the date that a gap counts as.
    step_ : list of str
        For each column "day" or "second", to which its dates are rounded down.
    parts_ : list of tuple of str
        For each column, its features: "date", "month", "weekday", "hour", "missing".

    Examples
    --------
    >>> dates = np.array([["2024-03-01"], ["2024-12-24"], [None]], dtype="datetime64[us]")
    >>> parts = DateParts().fit(dates)
    >>> parts.transform(dates)
    array([[ 60.,   3.,   5.,   0.],
           [358.,  12.,   2.,   0.],
           [ 60.,   3.,   5.,   1.]])
    >>> parts.get_feature_names_out(["day"]).tolist()
    ['day', 'month of day', 'weekday of day', 'day is missing']
    """

    def fit(self, X: Any, y: Any = None) -> "DateParts":
        """Find out which parts of the dates X vary."""
        moments = _moments(X)
        self.n_features_in_ = moments.shape[1]
        self.origin_: list[str] = []
        self.fill_: list[str] = []
        self.step_: list[str] = []
        self.parts_: list[tuple[str, ...]] = []
        for column in moments.T:
            known = np.sort(column[~np.isnat(column)])
            if not len(known):
                raise ValueError("X must hold a date in each column, got a column without any")
            self.origin_.append(f"{known[0].astype('datetime64[Y]')}-01-01")
            self.fill_.append(str(known[(len(known) - 1) // 2]))
            whole = (known == known.astype("datetime64[D]")).all()
            self.step_.append("day" if whole else "second")
            parts = [part for part in DATE_PARTS if part == "date" or _varies(known, part)]
            if len(known) < len(column):
                parts.append("missing")
            self.parts_.append(tuple(parts))
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return the parts of the dates X, column by column."""
        check_is_fitted(self)
        result = []
        for place, column in enumerate(_moments(X).T):
            gap = np.isnat(column)
            filled = np.where(gap, np.datetime64(self.fill_[place], "us"), column)
            for part in self.parts_[place]:
                if part == "missing":
                    result.append(gap.astype(float))
                else:
                    origin, step = self.origin_[place], self.step_[place]
                    result.append(date_part(filled, part, origin, step))
        return np.column_stack(result)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the parts, column by column."""
        check_is_fitted(self)
        columns = input_features
        if columns is None:
            columns = [f"x{place}" for place in range(self.n_features_in_)]
        named = zip(columns, self.parts_, strict=True)
        return np.array(
            [part_name(column, part) for column, parts in named for part in parts], dtype=object
        )


def _moments(X: Any) -> NDArray[Any]:
    """Return an array of dates and None as datetime64[us]."""
    return np.asarray(X).astype("datetime64[us]")


def _varies(moments: NDArray[Any], part: str) -> bool:
    values = date_part(moments, part)
    return bool((values != values[0]).any())
