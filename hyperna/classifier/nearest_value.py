"""The nearest number and the nearest date with another answer.

Computed sums grow monotonically with each feature, so the place where a condition changes is found
by bisection over all doubles, and between these places the answer is constant.
"""

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.classifier.asked_rows import AskedRows
from hyperna.classifier.rules import Condition
from hyperna.tables.dates import CALENDAR, DATE_PARTS, STEPS, date_part


def double_keys(values: FloatArray) -> IntArray:
    """Return whole numbers that are ordered as the doubles are, neighbours one apart."""
    bits = np.asarray(values, dtype=np.float64).view(np.int64)
    return np.where(bits >= 0, bits, -(bits & np.int64(2**63 - 1)))


def doubles_of(keys: IntArray) -> FloatArray:
    """Return the doubles that `double_keys` numbered."""
    bits = np.where(keys >= 0, keys, (-keys) | np.int64(-(2**63)))
    return bits.view(np.float64)


LAST_KEY = int(double_keys(np.array([np.finfo(float).max]))[0])


def first_true(low: IntArray, high: IntArray, is_true: Callable[[IntArray], BoolArray]) -> IntArray:
    """Return the least number in (low, high] with `is_true`, which is false, then true.

    It is high + 1 where it is nowhere true, and low where it is true there already.
    """
    at_low = is_true(low)
    at_high = is_true(high)
    false_at, true_at = low, high
    for _ in range(65):  # more than the bits of the numbers
        middle = (false_at >> 1) + (true_at >> 1) + (false_at & true_at & 1)
        true = is_true(middle)
        true_at = np.where(true, middle, true_at)
        false_at = np.where(true, false_at, middle)
        if (true_at - false_at <= 1).all():
            break
    return np.where(at_low, low, np.where(at_high, true_at, high + 1))


def first_beyond(condition: Condition, F: FloatArray, k: int) -> IntArray:
    """Return for each row the key of the first value of feature k with which a condition changes.

    With growing values the condition changes at most once, since rounded products and sums grow
    with their parts. Where it never does, the key is beyond that of the largest number.
    """
    rising = condition.weights[condition.features.index(k)] > 0
    changed = F.copy()

    def is_true(keys: IntArray) -> BoolArray:
        changed[:, k] = doubles_of(keys)
        return condition.holds(changed) == rising

    low = np.full(len(F), -LAST_KEY)
    first = first_true(low, -low, is_true)
    return np.where(first == low, LAST_KEY + 1, first)


class NearestNumber:
    """The nearest value of a feature with another answer, for each row.

    `flips` has the keys of the values at which conditions change, shape (conditions, rows). `inner`
    is the neighbour of the value on the side of the row, and `outer` the last value beyond with the
    same answer.
    """

    def __init__(self, asked: AskedRows, F: FloatArray, k: int, flips: IntArray) -> None:
        start = double_keys(F[:, k])
        rows = len(F)
        self.size = np.full(rows, math.inf)
        self.value = np.full(rows, math.nan)
        self.inner = np.full(rows, math.nan)
        self.outer = np.full(rows, math.nan)
        self.answer = np.full(rows, -1)
        inside = flips <= LAST_KEY
        changed = F.copy()
        candidates = [(start, np.ones(rows, bool), start)]  # a gap that becomes known as it counts
        for flip, possible in zip(flips, inside, strict=True):
            candidates.append((flip, possible & (flip > start), flip - 1))
            candidates.append((flip - 1, possible & (flip <= start), flip))
        for keys, possible, inner in candidates:
            values = doubles_of(np.where(possible, keys, start))
            changed[:, k] = values
            answers = asked.rules.predict(changed)
            size = np.abs(values - F[:, k])
            better = possible & (answers != asked.answers) & (size < self.size)
            self.size[better] = size[better]
            self.value[better] = values[better]
            self.inner[better] = doubles_of(inner)[better]
            self.answer[better] = answers[better]
        key = double_keys(np.nan_to_num(self.value))
        up = key > start
        farther = np.where(inside & (flips > key), flips, LAST_KEY + 1).min(axis=0) - 1
        lower = np.where(inside & (flips <= key), flips, -LAST_KEY).max(axis=0)
        self.outer = doubles_of(np.where(up, farther, lower))


class Calendar:
    """The nearest moment with another answer.

    Between two moments at which a condition on the date changes, and within a day (or an hour, if
    rules use it), the answer is constant; all months, weekdays and hours occur within `window`.
    """

    def __init__(self, asked: AskedRows, by_kind: dict[str, int]) -> None:
        self.asked = asked
        used = {k for condition in asked.conditions for k in condition.features}
        self.by_kind = by_kind
        self.date = asked.features[by_kind["date"]]
        self.steps = STEPS[self.date.step]
        first, last = date_part(CALENDAR, "date", self.date.origin, self.date.step)
        self.ends = round(first * self.steps), round(last * self.steps)
        self.parts = [kind for kind in DATE_PARTS[1:] if kind in by_kind and by_kind[kind] in used]
        self.on_date = [
            condition for condition in asked.conditions if by_kind["date"] in condition.features
        ]
        if "month" in self.parts:
            # every month has every weekday, so that a year and a month hold every pair of them
            days = 400
        elif "weekday" in self.parts:
            days = 8
        else:
            days = 2
        self.window = days * self.steps
        # steps of a day, or of an hour if rules use it
        self.grain = self.steps
        if "hour" in self.parts and self.steps > 1:
            self.grain = self.steps // 24

    def part(self, kind: str, counts: IntArray) -> FloatArray:
        """Return a part of the moments that lie so many steps after the origin."""
        unit: Any = "D" if self.date.step == "day" else "s"
        if kind == "missing":
            return np.zeros(len(counts))
        moments = np.datetime64(self.date.origin, unit) + counts.astype(f"timedelta64[{unit}]")
        return date_part(moments.astype("datetime64[us]"), kind, self.date.origin, self.date.step)

    def rows(self, row: int, counts: IntArray) -> FloatArray:
        """Return the features of a row with other dates."""
        changed = np.repeat(self.asked.F[row : row + 1], len(counts), axis=0)
        for kind, k in self.by_kind.items():
            changed[:, k] = self.part(kind, counts)
        return changed

    def nearest(self, row: int, start: int) -> tuple[int, int] | None:
        """Return the nearest moment to `start` with another answer, and that answer."""
        if self.parts and self.grain == 1:  # all days around it are looked at
            near = self._best(row, start, np.zeros(0, np.int64), np.array([start]))
            if near is not None:
                return near
        flips = self._flips(row, start)
        inside = flips[np.abs(flips - start) <= self.window]
        near = self._best(row, start, inside, np.array([start]))
        if near is not None and abs(near[0] - start) <= self.window:
            return near
        return self._best(row, start, flips, np.append(flips, start))

    def _best(
        self, row: int, start: int, flips: IntArray, centres: IntArray
    ) -> tuple[int, int] | None:
        """Return the nearest moment with another answer at a flip, or in the window of a centre."""
        candidates = [np.array([start]), flips, flips - 1]
        if self.parts:
            # the first cell of each stretch that windows cover, and where it ends
            cells = np.unique(centres // self.grain)
            reach = self.window // self.grain
            gaps = np.flatnonzero(np.diff(cells) > 2 * reach)
            begins = cells[np.append(0, gaps + 1)] - reach
            ends = cells[np.append(gaps, len(cells) - 1)] + reach
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
                first_moments = np.arange(begin, end + 1) * self.grain
                candidates += [first_moments, first_moments - 1]
        counts = np.unique(np.concatenate(candidates))
        counts = counts[(counts >= self.ends[0]) & (counts <= self.ends[1])]
        answers = self.asked.rules.predict(self.rows(row, counts))
        other = np.flatnonzero(answers != self.asked.answers[row])
        if not len(other):
            return None
        best = other[np.abs(counts[other] - start).argmin()]
        return int(counts[best]), int(answers[best])

    def _flips(self, row: int, start: int) -> IntArray:
        """Return the first moments at which conditions change, whatever the other parts are."""
        if not self.on_date:
            return np.zeros(0, np.int64)
        choices: dict[str, Sequence[int]] = {
            "month": range(1, 13),
            "weekday": range(1, 8),
            "hour": range(24),
        }
        combinations = [*product(*(choices[kind] for kind in self.parts))]
        width = len(combinations)
        changed = self.rows(row, np.full(width, start))
        for place, kind in enumerate(self.parts):
            changed[:, self.by_kind[kind]] = [each[place] for each in combinations]
        k = self.by_kind["date"]
        found = []
        for condition in self.on_date:
            rising = condition.weights[condition.features.index(k)] > 0

            def is_true(
                counts: IntArray, condition: Condition = condition, rising: bool = rising
            ) -> BoolArray:
                changed[:, k] = counts / self.steps
                return condition.holds(changed) == rising

            low = np.full(width, self.ends[0])
            first = first_true(low, np.full(width, self.ends[1]), is_true)
            found.append(first[(first > self.ends[0]) & (first <= self.ends[1])])
        return np.unique(np.concatenate(found))
