"""The numbers of a report: what the runs of every setting say."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hyperna._words import finite
from hyperna.analysis.statistics import Summary
from hyperna.experiments.run_numbers import Intervals, add_interval
from hyperna.experiments.setting import Setting
from hyperna.run.results import Runs


@dataclass(frozen=True, eq=False)
class Entry:
    """What the page says about one setting: its runs, what they say, and how many are wanted."""

    stored: Runs
    wanted: int

    @cached_property
    def summary(self) -> Summary:
        """What the runs say."""
        return Summary.of(self.stored)

    @property
    def setting(self) -> Setting:
        """What was run."""
        return self.stored.setting

    @property
    def anchor(self) -> str:
        """Where the page says all about the setting."""
        return f"s-{self.setting.id}"

    @property
    def intervals(self) -> Intervals:
        """Numbers of the runs as intervals (first, last), last excluded."""
        intervals: Intervals = []
        numbers = self.stored.numbers
        for part in np.split(numbers, np.flatnonzero(np.diff(numbers) != 1) + 1):
            add_interval(intervals, int(part[0]), int(part[-1]) + 1)
        return intervals

    def extreme(self, largest: bool) -> tuple[int, int]:
        """Return the largest or smallest number of evaluations, and the first run that has it."""
        spent = self.stored.evaluations
        place = int(spent.argmax() if largest else spent.argmin())
        return int(spent[place]), int(self.stored.numbers[place])

    def data(self, with_rows: bool) -> dict[str, Any]:
        """Return everything as JSON can hold it, with the rows if that is wanted."""
        stored = self.stored
        record: dict[str, Any] = {
            "setting": self.setting.id,
            "options": self.setting.canonical,
            "seed": str(self.setting.entropy),
            "numbers": [list(interval) for interval in self.intervals],
            "wanted": self.wanted,
            "versions": list(stored.versions),
            "seconds": round(stored.seconds, 3),
            "units": str(stored.units),
            "stop_reasons": stored.stop_counts,
            **finite(self.summary.record()),
            "rows_sha256": rows_digest(stored),
        }
        if with_rows:
            record["rows"] = {
                "evaluations": stored.evaluations.tolist(),
                "fitness": stored.fitness.tolist(),
                "stop": [str(reason) for reason in stored.stop_reasons],
            }
        return record


def rows_digest(stored: Runs) -> str:
    """Return a digest of numbers and rows, to tell whether a store still holds the same."""
    table = np.column_stack([stored.numbers, stored.rows]).astype("<i8")
    return hashlib.sha256(np.ascontiguousarray(table).tobytes()).hexdigest()


def table_keys(settings: Sequence[Setting]) -> list[str]:
    """Return "problem" and the keys in which settings differ, without those that follow."""
    values = [setting.canonical for setting in settings]
    keys = dict.fromkeys(key for options in values for key in options)
    differing = [key for key in keys if len({repr(options.get(key)) for options in values}) > 1]
    implied = {"budget", "mutation_probability", "data"} if set(differing) - {"budget"} else set()
    order = ["problem", "dim", "neurons", "output", "resolution", "algorithm", "mutation"]
    rest = [key for key in differing if key not in order and key not in implied]
    return [key for key in order if key == "problem" or key in differing] + rest


def interval_text(intervals: Intervals) -> str:
    """Return run numbers for people.

    Examples
    --------
    >>> interval_text([(0, 100), (200, 201)])
    '0–99, 200'
    """
    return ", ".join(
        f"{first}" if last == first + 1 else f"{first}–{last - 1}" for first, last in intervals
    )
