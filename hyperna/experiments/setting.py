"""A setting: all that defines a run but its number, resolved, checked and hashed.

The keys are the options of ``hyperna run``. Defaults are resolved before anything is hashed, so a
setting is the same whether its defaults are written out or not, and its runs do not change when a
default does. (Options that were added later have ``written=False``: their defaults are no part of
the hash and must never change.)
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from hyperna._words import did_you_mean, shown, write_name
from hyperna.experiments.algorithms import SHARED, find_algorithm, relative
from hyperna.experiments.keys import COMMON, is_default, plain_keys
from hyperna.experiments.own_parts import pack_own_parts, register_own_parts
from hyperna.fitness import Fitness, Online, Sampled, fitness_of
from hyperna.problems import PROBLEMS, PointProblem, Problem, points_digest, problem
from hyperna.problems.point_problems import file_of_points
from hyperna.run.algorithm import OnePlusOneNA
from hyperna.run.description import (
    ALGORITHM_OPTIONS,
    FILE_OPTIONS,
    MAX_NEURONS,
    OPTIONS,
    RUN_OPTIONS,
    RunDescription,
)
from hyperna.run.many import Runner
from hyperna.run.task import Task

# Where a setting that has travelled keeps what came with it, until it is run.
_OWN_PARTS = "_own_parts"


@dataclass(frozen=True, eq=False)
class Setting(RunDescription):
    """All that defines a run but its number. Make one with `setting`, which checks and resolves.

    Attributes
    ----------
    algorithm, problem, dim, neurons, output, resolution, ...
        The options of a run, see `hyperna.run.description`. None is what does not apply, and the
        default of options that are younger than the settings of the first versions.
    data : str or None
        Digest of the points of a CSV file: the same file elsewhere gives the same runs, other
        points in a file of the same name give others.
    source : str or None
        Where that file was, or the name under which a problem of one's own is registered; it does
        not matter for the runs.

    Examples
    --------
    >>> half = setting(problem="half", bias=False)
    >>> half.neurons, half.budget
    (1, 57449)
    >>> half == setting(problem="half", dim=2, resolution=120, bias=False, neurons=1)
    True
    >>> rows = half.runner().run_block(half.entropy, 0, 10)
    >>> bool((rows[3:5] == half.runner().run_block(half.entropy, 3, 5)).all())
    True
    """

    data: str | None = None
    source: str | None = field(default=None, compare=False, repr=False)
    # Travels to workers that may not see the file.
    points_read: PointProblem | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "Setting":
        """Return the setting with these values, which are not checked; others do not apply."""
        return cls(**{**dict.fromkeys(OPTIONS), **values})

    @property
    def title(self) -> str:
        """What the problem is called: the name under which it was asked for."""
        return self.source if self.data is None and self.source else self.problem

    @property
    def options(self) -> dict[str, Any]:
        """What counts for the runs: all keys, None where they do not apply."""
        return {key: getattr(self, key) for key in SETTING_KEYS}

    @cached_property
    def canonical(self) -> dict[str, Any]:
        """What counts, as JSON can hold it: keys with a value, in alphabetical order.

        Leaving out None lets later versions add keys without changing the runs of older settings.
        """
        return {key: value for key, value in sorted(self.options.items()) if value is not None}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON text."""
        text = json.dumps(self.canonical, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def id(self) -> str:
        """First 16 digits of the digest, to name the setting."""
        return self.digest[:16]

    @property
    def entropy(self) -> int:
        """Seed of the setting's runs; run i is number i under it."""
        return int(self.digest[:32], 16)

    def __eq__(self, other: object) -> bool:
        # Field by field, target=False would equal target=0.0.
        return isinstance(other, Setting) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is computed again; laws and so on of one's own travel beside the names."""
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        # a scheduler passes on what it was sent and cannot use itself
        packed = self.__dict__.get(_OWN_PARTS) or pack_own_parts(self)
        return {**values, _OWN_PARTS: packed}

    def make_problem(self) -> Problem:
        """Return the problem."""
        if self.data is None:
            made = _registered_problem(self.problem, self.dim)
            return made.called(self.source) if self.source else made
        points = self.points_read
        if points is None:
            path = self.source or self.problem
            points = file_of_points(
                path, self.label, self.weight, bool(self.scale), positive=self.positive
            )
        if points_digest(points.X, points.y, points.weight) != self.data:
            raise ValueError(
                f"{self.source or self.problem} holds other points than when its runs were made; "
                f"give the new points a campaign of their own"
            )
        return points

    def make_fitness(self) -> Fitness:
        """Return the fitness."""
        return _chosen_fitness(self.make_problem(), self.neurons, self.options)

    def make_algorithm(self) -> OnePlusOneNA:
        """Return the (1+1) NA, or a relative of it, with these settings."""
        if find_algorithm(self.algorithm).relative is None:
            raise ValueError(f"algorithm {self.algorithm!r} is not a relative of the (1+1) NA")
        entry, own = relative(self.algorithm)
        return entry(**own, **{key: self.canonical[key] for key in SHARED & self.canonical.keys()})

    @property
    def run_options(self) -> dict[str, Any]:
        """What terms cost and when runs end, as tasks take it."""
        known = COMMON | find_algorithm(self.algorithm).keys
        values = {name: getattr(self, name) for name in RUN_OPTIONS if name in known}
        return {name: value for name, value in values.items() if value is not None}

    def runner(self) -> Runner:
        """Return what runs this setting: see `hyperna.run.many.Runner`."""
        register_own_parts(self.__dict__.get(_OWN_PARTS, b""))
        return find_algorithm(self.algorithm).make(self)


# What counts for the runs. Arcs, and how many there are, are part of the problem's name.
SETTING_KEYS = (*(name for name in OPTIONS if name not in ("k", "arcs")), "data")
# A guess of how many numbers a run keeps for each neuron and dimension: genomes, weights, tables.
_NUMBERS_PER_COMPONENT = 16


def setting(folder: str | Path = ".", **options: Any) -> Setting:
    """Check options, resolve their defaults and return the `Setting`.

    Parameters
    ----------
    folder : path
        Where a CSV file is looked for if its path is relative.
    **options
        The options of ``hyperna run`` that describe a run, and `algorithm`; hyphens may be written
        as underscores. None and "default" stand for the default.

    Examples
    --------
    >>> setting(problem="quarter", resolution=[120]).resolution
    Traceback (most recent call last):
    ...
    TypeError: resolution must be an integer from 2 to 1099511627776, got [120]
    >>> setting(problem="half", resolutoin=120)
    Traceback (most recent call last):
    ...
    ValueError: unknown key 'resolutoin'; did you mean 'resolution'?
    """
    return resolve(folder, **plain_keys(options))[0]


def resolve(folder: str | Path = ".", **options: Any) -> tuple[Setting, Runner]:
    """Return the `Setting` of options under their plain names, and what runs it."""
    checked = {}
    for key, value in options.items():
        if not is_default(value):
            checked[key] = OPTIONS[key].check(key, value)
    if "problem" not in checked:
        raise ValueError("problem is missing: name one, as in problem = 'half'")
    algorithm = find_algorithm(checked.setdefault("algorithm", "na"))
    for key in checked:
        if key not in COMMON and key not in algorithm.keys:
            raise ValueError(
                f"{key} does not apply to algorithm {algorithm.name!r}; leave it out, or give that "
                f"algorithm its own settings"
            )
    made, described = _describe_problem(checked, Path(folder))
    neurons = checked.get("neurons", made.default_neurons)
    fitness = _chosen_fitness(made, neurons, checked)
    sampled = fitness if isinstance(fitness, Sampled) else None
    largest = neurons if isinstance(neurons, int) else checked.get("max_neurons", MAX_NEURONS)
    _check_memory(made.dim, largest, sampled.n if sampled else 1)
    values: dict[str, Any] = {}
    for key in COMMON | algorithm.keys:
        values[key] = checked.get(key, OPTIONS[key].default)
    values |= {
        **described,
        "neurons": neurons,
        "points": sampled.n if sampled else None,
        "sampling": sampled.method if sampled else None,
        "seed": checked.get("seed") or None,
    }
    if algorithm.relative is not None:
        own, task = _resolve_na(values, checked, fitness)
        return Setting.of(_leave_out(values | own)), task
    values["algorithm"] = algorithm.spell(checked["algorithm"])
    finished = Setting.of(_leave_out(values))
    runner = finished.runner()  # refuses what cannot go together
    resolved = {key: getattr(runner, key, getattr(finished, key)) for key in ("budget", "target")}
    return replace(finished, **resolved), runner


def _check_memory(dim: int, neurons: int, points: int) -> None:
    """Refuse at once what does not fit into memory."""
    needed = 8.0 * dim * (points + _NUMBERS_PER_COMPONENT * neurons)
    try:
        memory = float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not known on this system
        memory = 2.0**40
    if needed > memory:
        raise ValueError(
            f"dim = {dim:,}, neurons = {neurons:,} and points = {points:,} would need about "
            f"{needed / 1e9:,.0f} GB of memory; this computer has {memory / 1e9:,.0f} GB"
        )


def _leave_out(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of options, None where a default is not held by settings."""
    kept = dict(values)
    for key, option in OPTIONS.items():
        if not option.written and kept.get(key) == option.default:
            kept[key] = None
    return kept


def _describe_problem(checked: Mapping[str, Any], folder: Path) -> tuple[Problem, dict[str, Any]]:
    """Return the problem and the fields that describe it."""
    name = checked["problem"]
    given = {}
    if name.partition(":")[0] not in PROBLEMS or name.startswith("csv"):
        return _describe_file(name, checked, folder)
    for key in FILE_OPTIONS:
        if key in checked:
            raise ValueError(f"{key} does not apply to problem {name!r}, only to a CSV file")
    for key in ("arcs", "k"):
        if key in checked and name != "arcs":
            raise ValueError(f"{key} does not apply to problem {name!r}, only to 'arcs'")
        if key in checked:
            given[key] = checked[key]
    made = problem(name, checked.get("dim"), **given)
    registered = name.partition(":")[0]
    own = made.name.partition(":")[0]
    if own == registered:
        return made, {"problem": made.name, "dim": made.dim}
    # what is made of arcs is found everywhere under their name, others where they are registered
    if own in PROBLEMS:
        return made, {"problem": made.name, "dim": made.dim, "source": name}
    return made, {"problem": name, "dim": made.dim}


def _describe_file(
    name: str, checked: Mapping[str, Any], folder: Path
) -> tuple[Problem, dict[str, Any]]:
    path = folder / name
    if name.startswith("csv:"):
        raise ValueError(f"problem {name!r}: write problem = 'PATH' and, as its own key, label")
    if not (name.lower().endswith(".csv") or path.exists()):
        named = [key for key in PROBLEMS if key != "csv"]
        known = ", ".join(map(repr, named))
        hint = did_you_mean(name.partition(":")[0], named)
        raise ValueError(f"problem must be one of {known} or a CSV file, got {shown(name)}{hint}")
    for key in ("k", "arcs", "points", "sampling"):
        if key in checked:
            raise ValueError(f"{key} does not apply to a CSV file")
    options = {key: checked.get(key) for key in FILE_OPTIONS}
    options["scale"] = options["scale"] or None
    content = hashlib.sha256(path.read_bytes()).digest() if path.is_file() else None
    made = _read_file(content, str(path.resolve()), **options)
    if checked.get("dim") not in (None, made.dim):
        raise ValueError(f"dim is {checked['dim']}, but {name} has {made.dim} features per row")
    data = points_digest(made.X, made.y, made.weight)
    points = {"problem": path.name, "dim": made.dim, "data": data, "points_read": made}
    return made, {**points, **options, "source": str(path.resolve())}


def _resolve_na(
    values: Mapping[str, Any], checked: Mapping[str, Any], fitness: Fitness
) -> tuple[dict[str, Any], Task]:
    """Return the fields of the (1+1) NA, defaults resolved, and the task that they make."""
    entry, settings = relative(checked["algorithm"])
    given = {"neurons": values["neurons"], **settings}
    for key in SHARED & checked.keys():
        given[key] = checked[key]
    na = entry(**given)
    task = na.task(fitness, **{key: values[key] for key in RUN_OPTIONS})  # type: ignore[typeddict-item]
    task.mutation  # noqa: B018  refuses a network of which nothing can change
    parameters = asdict(task.law)
    for name, value in parameters.items():
        parameters[name] = float(value)
    own = {key: getattr(na, key) for key in ALGORITHM_OPTIONS}
    own["algorithm"] = write_name(na.name, settings)
    own["mutation"] = write_name(task.law.name, parameters)
    if na.max_neurons is None:
        own["mutation_probability"] = task.probability
    own["budget"] = task.budget
    return own, task


@lru_cache(maxsize=64)
def _registered_problem(name: str, dim: int) -> Problem:
    takes_dim = "dim" in PROBLEMS[name.partition(":")[0]].parameters
    return problem(name, dim if takes_dim else None)


@lru_cache(maxsize=8)
def _read_file(
    content: bytes | None,
    path: str,
    label: str | None,
    positive: str | None,
    weight: str | None,
    scale: bool | None,
) -> Any:
    """Read points once for many settings; other `content` in the same file is read again."""
    return file_of_points(path, label, weight, bool(scale), positive=positive)


def _chosen_fitness(made: Problem, neurons: int | str, options: Mapping[str, Any]) -> Fitness:
    """Return the fitness that the options describe."""
    points = options.get("points")
    sampling = options.get("sampling")
    online = options.get("online")
    judge_once = bool(options.get("judge_once"))
    given = None
    if points is not None:
        given = "points"
    elif sampling is not None:
        given = "sampling"
    if online is not None:
        if given:
            raise ValueError(f"{given} does not apply with online: points are drawn in every step")
        return Online(made, online, reevaluate=not judge_once)
    if judge_once:
        raise ValueError("judge_once needs online, the number of fresh points in every step")
    if given is None:
        return fitness_of(made, neurons=neurons)
    if isinstance(made, PointProblem):
        raise ValueError(f"{given} does not apply to {made.name!r}, which is a set of points")
    sample = {"n": points, "method": sampling}
    sample = {key: value for key, value in sample.items() if value is not None}
    return fitness_of(made, neurons=neurons, **sample)
