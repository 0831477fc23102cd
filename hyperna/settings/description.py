"""A setting: all that defines a run but its number, resolved, checked and hashed.

The keys are the options of ``hyperna run``. Defaults are resolved before anything is hashed, so a
setting is the same whether its defaults are written out or not, and its runs do not change when a
default does.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property, lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Any

from hyperna._words import did_you_mean, shown, write_name
from hyperna.algorithm import OnePlusOneNA
from hyperna.fitness import Fitness, Online, Sampled, fitness_of
from hyperna.problems import PROBLEMS, PointProblem, Problem, points_digest, problem, read_csv
from hyperna.search import Task
from hyperna.settings.algorithms import SHARED, Runner, find_algorithm, relative
from hyperna.settings.keys import COMMON, DEFAULT, KEYS, plain_keys
from hyperna.topology import MAX_NEURONS


@dataclass(frozen=True, eq=False)
class Setting:
    """All that defines a run but its number. Make one with `setting`, which checks and resolves.

    Attributes
    ----------
    algorithm, problem, dim, neurons, output, resolution, ...
        The options of ``hyperna run``. What does not apply is None.
    data : str or None
        Digest of the points of a CSV file: the same file elsewhere gives the same runs, other
        points in a file of the same name give others.
    source : str or None
        Where that file was; it does not matter for the runs.

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

    algorithm: str
    problem: str
    dim: int
    neurons: int | str
    output: str
    resolution: int
    neuron: str | None = None
    online: int | None = None
    judge_once: bool | None = None
    mutation: str | None = None
    bias: bool | None = None
    redraw_void: bool | None = None
    mutation_probability: float | None = None
    init: str | None = None
    move: str | None = None
    max_neurons: int | None = None
    replace_neuron: float | None = None
    points: int | None = None
    sampling: str | None = None
    budget: int | None = None
    stagnation: int | None = None
    target: float | bool | None = None
    restarts: int | str | None = None
    seed: int | None = None
    label: str | None = None
    positive: str | None = None
    weight: str | None = None
    scale: bool | None = None
    data: str | None = None
    source: str | None = field(default=None, compare=False, repr=False)
    # Travels to workers that may not see the file.
    points_read: PointProblem | None = field(default=None, compare=False, repr=False)

    @property
    def options(self) -> dict[str, Any]:
        """What counts for the runs: all keys, None where they do not apply."""
        return dict(zip(_OPTIONS, attrgetter(*_OPTIONS)(self), strict=True))

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
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}

    def make_problem(self) -> Problem:
        """Return the problem."""
        if self.data is None:
            return _registered_problem(self.problem, self.dim)
        points = self.points_read
        if points is None:
            path = self.source or self.problem
            points = read_csv(
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
        if self.mutation is None or self.init is None:
            raise ValueError(f"algorithm {self.algorithm!r} is not a relative of the (1+1) NA")
        entry, own = relative(self.algorithm)
        return entry(**own, **{key: self.canonical[key] for key in SHARED & self.canonical.keys()})

    @property
    def limits(self) -> dict[str, Any]:
        """When runs end, as tasks take it."""
        limits = {"budget": self.budget, "stagnation": self.stagnation, "target": self.target}
        return {**limits, "restarts": self.restarts or 0}

    def runner(self) -> Runner:
        """Return what runs this setting: see `hyperna.settings.algorithms.Runner`."""
        return find_algorithm(self.algorithm).make(self)


_OPTIONS = [entry.name for entry in fields(Setting) if entry.compare]
# What does not fit into memory is refused at once.
try:
    _MEMORY = float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
except (AttributeError, OSError, ValueError):  # not known on this system
    _MEMORY = 2.0**40


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
    """Return the `Setting` of options under the names of `KEYS`, and what runs it."""
    checked = {}
    for key, value in options.items():
        if value is not None and not (isinstance(value, str) and value == DEFAULT):
            checked[key] = KEYS[key].check(key, value)
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
    most = neurons if isinstance(neurons, int) else checked.get("max_neurons", MAX_NEURONS)
    counted = sampled.n if sampled else 1
    needed = 8.0 * made.dim * (counted + 16 * most)
    if needed > _MEMORY:
        raise ValueError(
            f"dim = {made.dim:,}, neurons = {most:,} and points = {counted:,} would need about "
            f"{needed / 1e9:,.0f} GB of memory; this computer has {_MEMORY / 1e9:,.0f} GB"
        )
    common: dict[str, Any] = {
        **described,
        "neurons": neurons,
        "output": checked.get("output", "or"),
        "resolution": checked.get("resolution", 120),
        "points": sampled.n if sampled else None,
        "sampling": sampled.method if sampled else None,
        "budget": checked.get("budget"),
        "target": checked.get("target"),
        "seed": checked.get("seed") or None,
    }
    if "mutation" in algorithm.keys:
        own, task = _resolve_na(common, checked, fitness)
        return Setting(**common | own), task
    known = {"restarts": 0, **checked, "algorithm": algorithm.spell(checked["algorithm"])}
    keys = (algorithm.keys | {"algorithm"}) & known.keys()
    finished = Setting(**common, **{key: known[key] for key in keys})
    runner = finished.runner()  # refuses what cannot go together
    return replace(finished, budget=getattr(runner, "budget", finished.budget)), runner


def _describe_problem(checked: Mapping[str, Any], folder: Path) -> tuple[Problem, dict[str, Any]]:
    """Return the problem and the fields that describe it."""
    name, given = checked["problem"], {}
    if name.partition(":")[0] not in PROBLEMS or name.startswith("csv"):
        return _describe_file(name, checked, folder)
    for key in ("label", "positive", "weight", "scale"):
        if key in checked:
            raise ValueError(f"{key} does not apply to problem {name!r}, only to a CSV file")
    for key in ("arcs", "k"):
        if key in checked and name != "arcs":
            raise ValueError(f"{key} does not apply to problem {name!r}, only to 'arcs'")
        if key in checked:
            given[key] = checked[key]
    made = problem(name, checked.get("dim"), **given)
    return made, {"problem": made.name, "dim": made.dim}


def _describe_file(
    name: str, checked: Mapping[str, Any], folder: Path
) -> tuple[Problem, dict[str, Any]]:
    path = folder / name
    if name.startswith("csv:"):
        raise ValueError(f"problem {name!r}: write problem = 'PATH' and, as its own key, label")
    if not (name.lower().endswith(".csv") or path.exists()):
        named = [key for key in PROBLEMS if key != "csv"]
        known, hint = ", ".join(map(repr, named)), did_you_mean(name.partition(":")[0], named)
        raise ValueError(f"problem must be one of {known} or a CSV file, got {shown(name)}{hint}")
    for key in ("k", "arcs", "points", "sampling"):
        if key in checked:
            raise ValueError(f"{key} does not apply to a CSV file")
    options = {key: checked.get(key) for key in ("label", "positive", "weight")}
    scale = checked.get("scale") or None
    content = hashlib.sha256(path.read_bytes()).digest() if path.is_file() else None
    made = _read_file(content, str(path.resolve()), *options.values(), scale)
    if checked.get("dim") not in (None, made.dim):
        raise ValueError(f"dim is {checked['dim']}, but {name} has {made.dim} features per row")
    data = points_digest(made.X, made.y, made.weight)
    found = {"problem": path.name, "dim": made.dim, "data": data, "scale": scale}
    return made, {**found, **options, "source": str(path.resolve()), "points_read": made}


def _resolve_na(
    common: dict[str, Any], checked: Mapping[str, Any], fitness: Fitness
) -> tuple[dict[str, Any], Task]:
    """Return the fields of the (1+1) NA, defaults resolved, and the task that they make."""
    entry, settings = relative(checked["algorithm"])
    given = {"neurons": common["neurons"], **settings}
    for key in SHARED & checked.keys():
        given[key] = checked[key]
    na = entry(**given)
    stagnation, restarts = checked.get("stagnation"), checked.get("restarts", 0)
    limits = {"budget": common["budget"], "stagnation": stagnation, "restarts": restarts}
    task = na.task(fitness, **limits, target=common["target"])
    task.mutation  # noqa: B018  refuses a network of which nothing can change
    parameters = asdict(task.law)
    for name, value in parameters.items():
        parameters[name] = float(value)
    own = {
        "algorithm": write_name(na.name, settings),
        "mutation": write_name(task.law.name, parameters),
        "bias": na.bias,
        "redraw_void": na.redraw_void,
        "init": na.init,
        "max_neurons": na.max_neurons,
        "mutation_probability": na.mutation_probability if na.max_neurons else task.probability,
        # None where it is the default, so that settings of earlier versions stay what they are
        "neuron": None if na.neuron == "plain" else na.neuron,
        "move": None if na.move == "angle" else na.move,
        "replace_neuron": na.replace_neuron or None,
        "online": checked.get("online") or None,
        "judge_once": checked.get("judge_once") or None,
    }
    return own | limits | {"budget": task.budget}, task


_registered_problem = lru_cache(maxsize=64)(problem)


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
    return read_csv(path, label, weight, bool(scale), positive=positive)


def _chosen_fitness(made: Problem, neurons: int | str, options: Mapping[str, Any]) -> Fitness:
    """Return the fitness that the options describe."""
    points, sampling = options.get("points"), options.get("sampling")
    online, judge_once = options.get("online"), bool(options.get("judge_once"))
    given = "points" if points is not None else "sampling" if sampling is not None else None
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
