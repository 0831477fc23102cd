"""Settings of one problem belong together: what was varied, how it grows, what is faster."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hyperna._words import counted
from hyperna.analysis.comparisons import PairTest, pairwise_tests
from hyperna.analysis.laws import Bound, ScalingFit, fit_runtimes, theorem_bound
from hyperna.experiments.algorithms import short_name
from hyperna.experiments.setting import Setting
from hyperna.experiments.unusual import unusual_options
from hyperna.mutation import law
from hyperna.problems import Problem
from hyperna.report.numbers import Entry
from hyperna.run.description import ALGORITHM_OPTIONS, OPTIONS

# What makes a problem; everything else may be varied on it.
_PROBLEM_KEYS = ("problem", "dim", "points", "sampling", "data")
# The theorems are about D = 2 with this number of neurons, joined by OR.
_THEOREM_NEURONS = {"half": 1, "quarter": 1, "two_quarters": 2, "local_opt": 1}
# More variants of one problem than this would give hundreds of pairs.
MOST_COMPARED = 10


@dataclass(frozen=True, eq=False)
class Family:
    """A variant: settings of one problem that differ in the resolution only, in its order."""

    name: str
    members: list[Entry]

    @property
    def samples(self) -> dict[int, Any]:
        """Evaluations of all runs by resolution."""
        return {one.setting.resolution: one.stored.evaluations for one in self.members}

    @cached_property
    def fits(self) -> list[ScalingFit]:
        """Growth laws, the best first; none if there are too few resolutions or no spread.

        Where runs failed there are none: such a run counts with its budget, whose growth would be
        fitted instead.
        """
        if self.successes < self.runs:
            return []
        try:
            return fit_runtimes(list(self.samples), list(self.samples.values()))
        except ValueError:
            return []

    @property
    def fitting(self) -> list[ScalingFit]:
        """Growth laws that fit, the best first."""
        return [fit for fit in self.fits if fit.fits]

    @property
    def runs(self) -> int:
        """Number of runs."""
        return sum(one.summary.runs for one in self.members)

    @property
    def successes(self) -> int:
        """Number of runs that succeeded."""
        return sum(one.summary.successes for one in self.members)

    @property
    def bound(self) -> Bound | None:
        """The theorem that applies."""
        setting = self.members[0].setting
        unusual = set(unusual_options(setting)) - {"seed", "budget"}
        applies = (
            setting.algorithm == "na"
            and setting.dim == 2
            and setting.neurons == _THEOREM_NEURONS.get(setting.problem)
            and network_options(setting)["neuron"] == "plain"
            and (setting.neurons == 1 or setting.output == "or")
            and unusual == ({"bias"} if setting.problem == "half" else set())
        )
        return theorem_bound(setting.problem, str(setting.mutation or "")) if applies else None


@dataclass(frozen=True, eq=False)
class Contest:
    """Several variants on the same problem at the same resolution, by their names."""

    resolution: int
    members: dict[str, Entry]

    @cached_property
    def tests(self) -> list[PairTest]:
        """Every two compared by their evaluations until success."""
        if len(self.members) > MOST_COMPARED:
            return []
        return pairwise_tests(
            {name: one.summary.hitting_times for name, one in self.members.items()}
        )

    @cached_property
    def fitness_tests(self) -> list[PairTest]:
        """Every two compared by the final fitness of their runs."""
        if len(self.members) > MOST_COMPARED:
            return []
        return pairwise_tests({name: one.stored.fitness for name, one in self.members.items()})

    @property
    def winners(self) -> list[str]:
        """Names of the variants with the fewest evaluations per success: one, unless these tie."""
        times = {name: one.summary.running_time.value for name, one in self.members.items()}
        return [name for name, time in times.items() if time == min(times.values())]


@dataclass(frozen=True, eq=False)
class Group:
    """All settings of one problem: the same points with the same labels.

    Attributes
    ----------
    title : str
        What is learnt, and by which networks.
    families : list of Family
        One per algorithm, law of mutation, kind of network and so on.
    shared : dict
        Options other than the usual ones that all settings have.
    """

    title: str
    families: list[Family]
    shared: dict[str, Any]

    @property
    def entries(self) -> list[Entry]:
        """All settings."""
        return [one for family in self.families for one in family.members]

    @property
    def runs(self) -> int:
        """Number of runs."""
        return sum(family.runs for family in self.families)

    @property
    def successes(self) -> int:
        """Number of runs that succeeded."""
        return sum(family.successes for family in self.families)

    @property
    def resolutions(self) -> list[int]:
        """All resolutions."""
        return sorted({one.setting.resolution for one in self.entries})

    @property
    def problem(self) -> Problem | None:
        """The problem, None if the file of its points is gone."""
        return _problem(self.families[0].members[0].setting)

    @cached_property
    def contests(self) -> list[Contest]:
        """One for each resolution at which several variants ran and some run succeeded."""
        found = []
        for resolution in self.resolutions:
            members = {self.families[i].name: one for i, one in self.at(resolution).items()}
            if len(members) > 1 and any(one.summary.successes for one in members.values()):
                found.append(Contest(resolution, members))
        return found

    @cached_property
    def main_contest(self) -> Contest | None:
        """The contest whose winner is told, None if there is none.

        It has the largest resolution among those with at least half as many variants as the contest
        with the most.
        """
        most = max((len(contest.members) for contest in self.contests), default=0)
        large = [contest for contest in self.contests if 2 * len(contest.members) >= most]
        return large[-1] if large else None

    @property
    def main_resolution(self) -> int:
        """The resolution at which successes are drawn: that of the main contest.

        Without a contest it is the largest one at which at least half as many variants ran as at
        that with the most.
        """
        if self.main_contest is not None:
            return self.main_contest.resolution
        count = Counter(one.setting.resolution for one in self.entries)
        most = max(count.values())
        return max(r for r, variants in count.items() if 2 * variants >= most)

    def at(self, resolution: int) -> dict[int, Entry]:
        """Return the settings at a resolution, by the place of their family."""
        return {
            place: one
            for place, family in enumerate(self.families)
            for one in family.members
            if one.setting.resolution == resolution
        }

    def names(self) -> dict[str, str]:
        """Return a name for every setting, by its id."""
        return {
            one.setting.id: f"{self.title}, {family.name}, r = {one.setting.resolution}"
            for family in self.families
            for one in family.members
        }


def groups(entries: Sequence[Entry]) -> list[Group]:
    """Return the settings, grouped by problem."""
    found: dict[tuple[Any, ...], list[Entry]] = {}
    for one in entries:
        key = tuple(one.setting.canonical.get(name) for name in _PROBLEM_KEYS)
        found.setdefault(key, []).append(one)
    titles = [_title([one.setting for one in members]) for members in found.values()]
    made = []
    for title, members in zip(titles, found.values(), strict=True):
        data = members[0].setting.data
        told = f"{title}, data {data[:8]}" if data and titles.count(title) > 1 else title
        made.append(Group(told, *_families(members)))
    return made


def _families(members: Sequence[Entry]) -> tuple[list[Family], dict[str, Any]]:
    """Return what differs in the resolution only, and the unusual options that all share."""
    unusual = [unusual_options(one.setting) for one in members]
    shared = {
        key: value
        for key, value in unusual[0].items()
        if all(key in other and other[key] == value for other in unusual)
    }
    settings = [one.setting for one in members]
    varied = _varied_networks(settings)
    networks = [network_options(made) for made in settings]
    others = len({made.algorithm for made in settings}) > 1
    families: dict[str, list[Entry]] = {}
    for one, options, network in zip(members, unusual, networks, strict=True):
        own = {key: value for key, value in options.items() if key not in shared}
        shape = [phrase(key, network[key]) for key in varied]
        name = algorithm_name(one.setting, beside_others=others)
        parts = [name, *shape, *map(phrase, own, own.values())]
        families.setdefault(", ".join(parts), []).append(one)
    for alike in families.values():
        alike.sort(key=lambda one: one.setting.resolution)
    return [Family(*family) for family in families.items()], shared


def network_options(setting: Setting) -> dict[str, Any]:
    """Return the options that say which networks are searched, but for the resolution.

    Examples
    --------
    >>> from hyperna.experiments.setting import setting
    >>> network_options(setting(problem="half"))
    {'neurons': 1, 'output': 'or', 'neuron': 'plain'}
    """
    result = {}
    for name in ALGORITHM_OPTIONS:
        if OPTIONS[name].function and name != "resolution":
            value = getattr(setting, name)
            result[name] = OPTIONS[name].default if value is None else value
    return result


def _varied_networks(settings: Sequence[Setting]) -> list[str]:
    """Return which of the options of a network differ."""
    networks = [network_options(made) for made in settings]
    return [key for key in networks[0] if len({network[key] for network in networks}) > 1]


def _problem(setting: Setting) -> Problem | None:
    try:
        return setting.make_problem()
    except (OSError, ValueError):  # the file is gone or holds something else by now
        return None


def _title(settings: Sequence[Setting]) -> str:
    setting = settings[0]
    problem = _problem(setting)
    name = setting.problem if problem is None else problem.title
    parts = [name] if setting.data else [name, f"D = {setting.dim}"]
    if not _varied_networks(settings):
        parts.append(network_text(setting))
    if setting.points:
        parts.append(f"{setting.points:,} points ({setting.sampling})")
    return ", ".join(parts)


def network_text(setting: Setting) -> str:
    """Return what networks a setting evolves.

    Examples
    --------
    >>> from hyperna.experiments.setting import setting
    >>> network_text(setting(problem="half")), network_text(setting(problem="two_quarters"))
    ('1 neuron', '2 neurons joined by OR')
    >>> network_text(setting(problem="half", neuron="bent"))
    '1 bent neuron'
    """
    kind = network_options(setting)["neuron"]
    neuron = "neuron" if kind == "plain" else f"{kind} neuron"
    if setting.neurons == 1:
        return f"1 {neuron}"
    if isinstance(setting.neurons, str):
        neurons = f"an evolved number of {neuron}s, at most {setting.max_neurons},"
    else:
        neurons = f"{setting.neurons} {neuron}s"
    joined = "an evolved output" if setting.output == "evolved" else setting.output.upper()
    return f"{neurons} joined by {joined}"


def at_r(resolution: int) -> str:
    """Return a resolution with its symbol, on one line."""
    return f"r\u00a0=\u00a0{resolution:,}"


def algorithm_name(setting: Setting, beside_others: bool = True) -> str:
    """Return a setting's algorithm and law of mutation.

    The (1+1) NA is named where other algorithms are named beside it; else its law is enough.

    Examples
    --------
    >>> from hyperna.experiments.setting import setting
    >>> half = setting(problem="half", mutation="adaptive")
    >>> algorithm_name(half), algorithm_name(half, beside_others=False)
    ('na, adaptive', 'adaptive')
    >>> algorithm_name(setting(problem="half", algorithm="rls", mutation="pareto:shape=3"))
    'rls, pareto:shape=3,scale=1'
    """
    named = beside_others or setting.algorithm != "na"
    parts = [short_name(setting.algorithm)] if named else []
    return ", ".join([*parts, *filter(None, [law_name(setting)])])


def law_name(setting: Setting) -> str | None:
    """Return a setting's law of mutation, with its parameters where they are not the usual ones."""
    if setting.mutation is None:
        return None
    made = law(setting.mutation)
    return made.name if made == law(made.name) else str(made)


def phrase(key: str, value: Any) -> str:
    """Return an option and its value in words.

    Examples
    --------
    >>> phrase("bias", False), phrase("restarts", 5), phrase("seed", 3), phrase("online", 10)
    ('no bias', '5 restarts', 'seed 3', 'online 10')
    """
    name = key.replace("_", " ")
    if key == "neurons":
        return counted(value, "neuron") if isinstance(value, int) else f"{value} number of neurons"
    if key == "neuron":
        return f"{value} neurons"
    if isinstance(value, bool):
        return name if value else f"no {name}"
    if key == "restarts":
        return "automatic restarts" if value == "auto" else counted(value, "restart", "d")
    if isinstance(value, float):
        return f"{name} {value:.6g}"
    return f"{name} {value:,}" if key == "budget" else f"{name} {value}"
