"""The numbers of a report: every setting summed up, laws fitted, algorithms compared."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np

from hyperna.analysis.laws import Bound, ScalingFit, fit_runtimes, theorem_bound
from hyperna.analysis.statistics import (
    Comparison,
    Interval,
    RunningTime,
    bootstrap_interval,
    expected_running_time,
    pairwise_tests,
    wilson_interval,
)
from hyperna.campaign.ioh import describe_algorithm, describe_function
from hyperna.settings import Setting
from hyperna.store.coverage import Intervals
from hyperna.store.replay import StoredRuns

# The theorems are about D = 2 with so many neurons joined by OR.
_THEOREM_NEURONS = {"half": 1, "quarter": 1, "two_quarters": 2, "local_opt": 1}
# More algorithms on one function than this would give hundreds of pairs.
MOST_COMPARED = 10


@dataclass(frozen=True, eq=False)
class Summary:
    """What the runs of one setting say, with 95 % intervals."""

    stored: StoredRuns
    wanted: int

    @property
    def setting(self) -> Setting:
        """What was run."""
        return self.stored.setting

    @property
    def anchor(self) -> str:
        """Where the page says all about the setting."""
        return f"s-{self.setting.id}"

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(self.stored)

    @cached_property
    def successes(self) -> int:
        """Number of runs that succeeded."""
        return int(self.stored.success.sum())

    @cached_property
    def share_interval(self) -> Interval:
        """Wilson's interval of the share of successes."""
        return wilson_interval(self.successes, self.runs)

    @cached_property
    def mean(self) -> float:
        """Mean evaluations, failed runs with what they spent."""
        return float(self.stored.evaluations.mean())

    @cached_property
    def mean_interval(self) -> Interval:
        """Bootstrap interval of the mean."""
        return bootstrap_interval(self.stored.evaluations)

    @cached_property
    def median(self) -> float:
        """Median evaluations."""
        return float(np.median(self.stored.evaluations))

    @cached_property
    def median_interval(self) -> Interval:
        """Bootstrap interval of the median."""
        return bootstrap_interval(self.stored.evaluations, "median")

    @cached_property
    def running_time(self) -> RunningTime:
        """Expected running time until success, restarting after failures."""
        return expected_running_time(self.stored.evaluations, self.stored.success)

    @cached_property
    def hitting_times(self) -> Any:
        """Evaluations until success, infinite for failed runs."""
        return np.where(self.stored.success, self.stored.evaluations, np.inf)

    def extreme(self, largest: bool) -> tuple[int, int]:
        """Return the largest or smallest number of evaluations, and the first run that has it."""
        place = int((np.argmax if largest else np.argmin)(self.stored.evaluations))
        return int(self.stored.evaluations[place]), int(self.stored.numbers[place])

    def record(self, with_rows: bool) -> dict[str, Any]:
        """Return everything as JSON can hold it; rows only if asked for."""
        stored = self.stored
        record: dict[str, Any] = {
            "setting": self.setting.id,
            "options": self.setting.canonical,
            "seed": str(self.setting.entropy),
            "runs": [list(interval) for interval in stored.intervals],
            "wanted": self.wanted,
            "versions": list(stored.versions),
            "seconds": round(stored.seconds, 3),
            "units": str(stored.units),
            "successes": self.successes,
            "stop_reasons": stored.runs.stop_counts,
            "success_interval": _plain(self.share_interval),
            "mean": self.mean,
            "mean_interval": _plain(self.mean_interval),
            "median": self.median,
            "median_interval": _plain(self.median_interval),
            "ert": _plain(self.running_time[:3]),
            "mean_fitness": float(stored.fitness.mean()),
            "rows_sha256": rows_digest(stored),
        }
        if with_rows:
            record["rows"] = {
                "evaluations": stored.evaluations.tolist(),
                "fitness": stored.fitness.tolist(),
                "stop": [str(reason) for reason in stored.runs.stop_reasons],
            }
        return record


def rows_digest(stored: StoredRuns) -> str:
    """Return a digest of numbers and rows, to tell whether a store still holds the same."""
    table = np.column_stack([stored.numbers, stored.rows]).astype("<i8")
    return hashlib.sha256(np.ascontiguousarray(table).tobytes()).hexdigest()


def _plain(values: Sequence[float]) -> list[float | None]:
    """Return numbers as JSON can hold them: None for what is not finite."""
    return [float(value) if np.isfinite(value) else None for value in values]


@dataclass(frozen=True, eq=False)
class Family:
    """Settings that differ in the resolution only, in its order."""

    title: str
    members: list[Summary]

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
        return sum(one.runs - one.successes for one in self.members)

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
        )
        return theorem_bound(setting.problem, setting.mutation or "") if applies else None


def families(summaries: Sequence[Summary]) -> list[Family]:
    """Return the groups of settings that differ in the resolution only."""
    groups: dict[tuple[str, str], list[Summary]] = {}
    for one in summaries:
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
    members: dict[str, Summary]

    @cached_property
    def tests(self) -> list[Comparison]:
        """Every two compared by their evaluations until success."""
        if len(self.members) > MOST_COMPARED:
            return []
        return pairwise_tests({name: one.hitting_times for name, one in self.members.items()})


def contests(summaries: Sequence[Summary]) -> list[Contest]:
    """Return the functions on which several algorithms ran."""
    groups: dict[str, dict[str, Summary]] = {}
    for one in summaries:
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
