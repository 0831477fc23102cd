"""The numbers of a report: a summary of every setting, laws fitted, algorithms compared."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np

from hyperna.analysis.laws import Bound, ScalingFit, fit_runtimes, theorem_bound
from hyperna.analysis.statistics import PairTest, pairwise_tests
from hyperna.analysis.summary import Summary
from hyperna.campaign.ioh import describe_algorithm, describe_function
from hyperna.results import Runs
from hyperna.settings import Setting
from hyperna.store.coverage import Intervals, add_interval

# The theorems are about D = 2 with this number of neurons, joined by OR.
_THEOREM_NEURONS = {"half": 1, "quarter": 1, "two_quarters": 2, "local_opt": 1}
# More algorithms on one function than this would give hundreds of pairs.
MOST_COMPARED = 10


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
        setting: Setting = self.stored.setting
        return setting

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
        place = int((np.argmax if largest else np.argmin)(self.stored.evaluations))
        return int(self.stored.evaluations[place]), int(self.stored.numbers[place])

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
            **{key: _plain(value) for key, value in self.summary.record().items()},
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


def _plain(value: Any) -> Any:
    """Return a number, or a list of them, as JSON can hold it: None for what is not finite."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value if np.isfinite(value) else None


@dataclass(frozen=True, eq=False)
class Family:
    """Settings that differ in the resolution only, in its order."""

    title: str
    members: list[Entry]

    @property
    def samples(self) -> dict[int, Any]:
        """Evaluations of all runs by resolution."""
        return {one.setting.resolution: one.stored.evaluations for one in self.members}

    @cached_property
    def fits(self) -> list[ScalingFit]:
        """Growth laws, the best first; none if there are too few resolutions or no spread."""
        try:
            return fit_runtimes(list(self.samples), list(self.samples.values()))
        except ValueError:
            return []

    @property
    def failures(self) -> int:
        """Number of runs that failed."""
        return sum(one.summary.runs - one.summary.successes for one in self.members)

    @property
    def bound(self) -> Bound | None:
        """The theorem that applies."""
        setting = self.members[0].setting
        applies = (
            setting.algorithm == "na"
            and setting.dim == 2
            and setting.neurons == _THEOREM_NEURONS.get(setting.problem)
            and (setting.neurons == 1 or setting.output == "or")
            and setting.bias is (setting.problem != "half")
            and setting.replace_neuron is None
        )
        return theorem_bound(setting.problem, setting.mutation or "") if applies else None


def families(entries: Sequence[Entry]) -> list[Family]:
    """Return the groups of settings that differ in the resolution only."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    for one in entries:
        function = describe_function(one.setting).replace(f" r={one.setting.resolution}", "")
        groups.setdefault((function, describe_algorithm(one.setting)), []).append(one)
    found = []
    for (function, algorithm), members in groups.items():
        members.sort(key=lambda one: one.setting.resolution)
        # Settings that the two names do not tell apart cannot share a curve.
        for _, same in groupby(members, key=lambda one: one.setting.resolution):
            duplicates = list(same)[1:]
            members = [one for one in members if one not in duplicates]
        found.append(Family(f"{function}, {algorithm}", members))
    return found


@dataclass(frozen=True, eq=False)
class Contest:
    """Different algorithms on the same function."""

    title: str
    members: dict[str, Entry]

    @cached_property
    def tests(self) -> list[PairTest]:
        """Every two compared by their evaluations until success."""
        if len(self.members) > MOST_COMPARED:
            return []
        return pairwise_tests(
            {name: one.summary.hitting_times for name, one in self.members.items()}
        )


def contests(entries: Sequence[Entry]) -> list[Contest]:
    """Return the functions on which several algorithms ran."""
    groups: dict[str, dict[str, Entry]] = {}
    for one in entries:
        name = describe_algorithm(one.setting)
        groups.setdefault(describe_function(one.setting), {}).setdefault(name, one)
    return [Contest(title, members) for title, members in groups.items() if len(members) > 1]


def varying_keys(settings: Sequence[Setting]) -> list[str]:
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
