"""The smallest change of each column that changes the answer, of numbers, dates and categories.

It is exact: no smaller change of the column does it. `nearest_value.py` finds numbers and dates;
categories are few enough to be tried one by one.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperna._validation import BoolArray
from hyperna._words import joined
from hyperna.classifier.asked_rows import AskedRows
from hyperna.classifier.explain_text import beyond_text, from_text, signed_text, value_text
from hyperna.classifier.explanations import Change
from hyperna.classifier.nearest_value import Calendar, NearestNumber, first_beyond
from hyperna.tables.dates import DATE_PARTS, STEPS, moment_text
from hyperna.tables.features import Feature, printable

# So many categories are named at most where a change is to any other one ("other than ...").
MOST_LISTED = 3


class SmallestChanges:
    """Finds the smallest changes of rows.

    `all_features` are those of the model, also those that its rules do not use: they know more
    categories by name.
    """

    def __init__(self, asked: AskedRows, all_features: Sequence[Feature]) -> None:
        self.asked = asked
        self.features = asked.features
        self.F = asked.F
        self.deviations = asked.deviations
        self.all_features = all_features

    def of_rows(self) -> list[list[Change]]:
        """Return for each row the smallest change of each column that has one."""
        groups: dict[Any, list[int]] = {}
        for k, feature in enumerate(self.features):
            alone = feature.kind == "other"
            groups.setdefault((feature.column, k) if alone else feature.column, []).append(k)
        result: list[list[Change]] = [[] for _ in self.F]
        for members in groups.values():
            kinds = {self.features[k].kind for k in members}
            if kinds & set(DATE_PARTS):
                some = self._date_changes(members)
            elif kinds & {"category", "rare"} or not kinds & {"number", "other"}:
                some = self._category_changes(members)
            else:
                some = self._number_changes(members)
            for row, found in enumerate(some):
                if found:
                    result[row].append(min(found, key=lambda change: change.distance))
        return result

    def _number_changes(self, members: list[int]) -> list[list[Change]]:
        """Return the smallest change of a column of numbers in each row, and to or from a gap."""
        value = next(k for k in members if self.features[k].kind in ("number", "other"))
        gap = next((k for k in members if self.features[k].kind == "missing"), None)
        is_gap = self.asked.gaps[self.features[value].column]
        known = self.F.copy()
        if gap is not None:
            known[:, gap] = 0.0
        found = [[] for _ in self.F] if gap is None else self._gap_changes(members, gap, is_gap)
        flips = []
        for condition in self.asked.conditions:
            if value in condition.features:
                flips.append(first_beyond(condition, known, value))
        if not flips:
            return found
        nearest = NearestNumber(self.asked, known, value, np.array(flips))
        feature = self.features[value]
        for row in np.flatnonzero(np.isfinite(nearest.size)).tolist():
            before, after = float(known[row, value]), float(nearest.value[row])
            distance = abs(after - before) / self.deviations[value]
            if gap is not None and is_gap[row]:
                distance = max(distance, 1.0 / self.deviations[gap])
            goal, target = beyond_text(before, after, nearest.inner[row], nearest.outer[row])
            was = "a gap"
            step = ""
            if not is_gap[row]:
                was, step = from_text(before, target)
            found[row].append(
                Change(
                    column=printable(feature.column) if feature.kind != "other" else feature.name,
                    before=None if is_gap[row] else before,
                    after=after,
                    amount=None if is_gap[row] else after - before,
                    distance=distance,
                    answer=self.asked.classes[nearest.answer[row]],
                    text=f"{feature.name} {goal} instead of {was}{step}",
                )
            )
        return found

    def _gap_changes(self, members: list[int], gap: int, is_gap: BoolArray) -> list[list[Change]]:
        """Return for each known value what a gap in its place would change."""
        changed = self.F.copy()
        size = np.where(self.F[:, gap] > 0, 0.0, 1.0 / self.deviations[gap])
        changed[:, gap] = 1.0
        for k in members:
            feature = self.features[k]
            if k != gap:
                fill = float(feature.values(_filled(feature))[0])
                changed[:, k] = fill
                if not math.isnan(self.deviations[k]):
                    size = np.maximum(size, np.abs(fill - self.F[:, k]) / self.deviations[k])
        answers = self.asked.rules.predict(changed)
        found: list[list[Change]] = [[] for _ in self.F]
        column = printable(self.features[gap].column)
        for row in np.flatnonzero((answers != self.asked.answers) & ~is_gap).tolist():
            before = self.asked.value(members, row)
            change = Change(
                column=column,
                before=before,
                after=None,
                amount=None,
                distance=float(size[row]),
                answer=self.asked.classes[answers[row]],
                text=f"{column} missing instead of {value_text(before)}",
            )
            found[row].append(change)
        return found

    def _category_changes(self, members: list[int]) -> list[list[Change]]:
        """Return the smallest change of a column of categories in each row.

        Options are the categories that the model knows by name, any other one, and a gap; of a
        column of which the rules only use whether it is missing, a value or a gap.
        """
        column = self.features[members[0]].column
        kinds = {self.features[k].kind for k in members}
        options: list[str | None] = []
        for feature in self.all_features:
            if feature.column == column and feature.kind == "category":
                options.append(feature.category)
            if feature.column == column and feature.kind == "rare":
                options += [text for text in feature.named if text is not None]
        options = [*dict.fromkeys(options), ""]
        # a gap differs from an unknown category where it has a feature, counts as one, or is none
        # of the rare ones
        own = [self.features[k] for k in members]
        if "missing" in kinds or any(each.fill is not None or None in each.named for each in own):
            options.append(None)
        found: list[list[Change]] = [[] for _ in self.F]
        best = np.full(len(self.F), math.inf)
        is_gap = self.asked.gaps[column]
        for option in options:
            cell = np.array([_UNKNOWN if option == "" else option], dtype=object)
            changed = self.F.copy()
            size = np.zeros(len(self.F))
            for k in members:
                changed[:, k] = self.features[k].values(cell)[0]
                size = np.maximum(size, np.abs(changed[:, k] - self.F[:, k]) / self.deviations[k])
            answers = self.asked.rules.predict(changed)
            better = (answers != self.asked.answers) & (size < best)
            best[better] = size[better]
            for row in np.flatnonzero(better).tolist():
                before = None if is_gap[row] else self.asked.value(members, row)
                was = "a gap" if before is None else printable(value_text(before))
                change = Change(
                    column=printable(column),
                    before=before,
                    after=option,
                    amount=None,
                    distance=float(size[row]),
                    answer=self.asked.classes[answers[row]],
                    text=f"{self._option_text(column, kinds, option)} instead of {was}",
                )
                found[row] = [change]
        return found

    def _option_text(self, column: str, kinds: set[str], option: str | None) -> str:
        """Return the words for a category, any other one, or a gap."""
        name = printable(column)
        if option is None:
            return f"{name} missing"
        if option:
            return f"{name} = {printable(option)}"
        if kinds == {"missing"}:
            return f"{name} known"
        if "rare" in kinds:
            # categories that the rules do not name may be frequent ones, and change nothing
            return f"{name} is rare"
        listed = [
            printable(str(feature.category))
            for feature in self.features
            if feature.column == column and feature.kind == "category"
        ]
        if len(listed) > MOST_LISTED:
            return f"{name} none of the categories in the rules"
        return f"{name} other than {joined(listed)}"

    def _date_changes(self, members: list[int]) -> list[list[Change]]:
        """Return the smallest change of a date in each row, and to or from a gap."""
        by_kind = {self.features[k].kind: k for k in members}
        date = self.features[by_kind["date"]]
        gap = by_kind.get("missing")
        is_gap = self.asked.gaps[date.column]
        if gap is None:
            found: list[list[Change]] = [[] for _ in self.F]
        else:
            found = self._gap_changes(members, gap, is_gap)
        calendar = Calendar(self.asked, by_kind)
        steps = STEPS[date.step]
        for row in range(len(self.F)):
            start = round(float(self.F[row, by_kind["date"]]) * steps)
            nearest = calendar.nearest(row, start)
            if nearest is None:
                continue
            count, answer = nearest
            size = 0.0
            for kind, k in by_kind.items():
                if not math.isnan(self.deviations[k]):
                    after = calendar.part(kind, np.array([count]))[0]
                    size = max(size, abs(after - self.F[row, k]) / self.deviations[k])
            before_text = moment_text(date.origin, start, date.step)
            after_text = moment_text(date.origin, count, date.step)
            days = (count - start) / steps
            step = "" if is_gap[row] else f" ({signed_text(days)} days)"
            was = "a gap" if is_gap[row] else before_text
            found[row].append(
                Change(
                    column=printable(date.column),
                    before=None if is_gap[row] else before_text,
                    after=after_text,
                    amount=None if is_gap[row] else days,
                    distance=size,
                    answer=self.asked.classes[answer],
                    text=f"{date.name} = {after_text} instead of {was}{step}",
                )
            )
        return found


_UNKNOWN = "\0 none of the categories"


def _filled(feature: Feature) -> NDArray[Any]:
    """Return a gap of the kind of cells that a feature is made of."""
    if feature.kind in DATE_PARTS:
        return np.array(["NaT"], dtype="datetime64[us]")
    return np.array([np.nan])
