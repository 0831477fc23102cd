"""What the server adds to the page: plain functions from JSON objects to JSON objects.

The page evolves networks by itself. It asks for laws that it does not know, for exact runtimes of
settings that were not computed beforehand, for many runs by the compiled kernels, and for the
rules of a classifier.
"""

from collections.abc import Callable, Mapping
from typing import Any

from hyperna._validation import check_integer
from hyperna.fitness import ExactArcs
from hyperna.mutation import law as find_law
from hyperna.play.allowance import Allowance
from hyperna.play.exact import exact_runtime
from hyperna.play.rules import rule_path
from hyperna.play.settings import RANGES, ROWS, PlaySetting, check_rows
from hyperna.run.simulation import Simulation
from hyperna.run.task import Task

# Resolution up to which runtimes are computed exactly, in a fraction of a second.
LARGEST_EXACT = 120
# Runs of a race that one answer holds at most.
RUNS_PER_ANSWER = 200
# Points that a piece of its work classifies with one neuron, in about 0.02 s.
_PIECE = 2**22


def law(data: Any) -> dict[str, Any]:
    """The probabilities of a law's step lengths.

    Examples
    --------
    >>> found = law({"mutation": "local", "resolution": 4})
    >>> found["kind"], found["weights"]
    ('table', [1.0, 0.0, 0.0, 0.0])
    """
    _check_keys("a law", data, {"mutation", "resolution"})
    resolution = check_integer("resolution", data["resolution"], *RANGES["resolution"])
    weights = find_law(data["mutation"]).pmf(resolution).tolist()
    return {"kind": "table", "largest": resolution, "weights": weights}


def exact(data: Any, allowance: Allowance) -> dict[str, Any]:
    """Exact runtime of one neuron, and success probability or time left of all its states.

    The page shows these for plain neurons with a bias and for runs that go on to their budget.

    Examples
    --------
    >>> half = {"problem": "half", "neurons": 1, "resolution": 8}
    >>> found = exact(half, Allowance(seconds=1))
    >>> round(found["mean"], 3), found["probability"]
    (31.901, 1.0)
    """
    setting = PlaySetting.from_json(data)
    plain = setting.neurons == 1 and setting.neuron == "plain" and setting.bias
    if not plain or not isinstance(setting.fitness, ExactArcs):
        raise ValueError("exact runtimes need one plain neuron with a bias, and arcs of the circle")
    if setting.restarts or setting.stagnation:
        raise ValueError("exact runtimes are those of runs without restarts and stagnation")
    check_integer("resolution", setting.resolution, 4, LARGEST_EXACT)
    return exact_runtime(setting.subject, setting.resolution, setting.mutation, states=True)


def race(data: Any, allowance: Allowance) -> dict[str, Any]:
    """Runs of a setting by the compiled kernels, from run number `first` on.

    These are the runs of ``run_many`` with the setting's seed. There are `RUNS_PER_ANSWER` of them,
    or as many as the allowance lets finish: ask again for those that follow. Where the first one is
    not finished by then, `unfinished` says after how many evaluations it was given up; else it is
    None.

    Examples
    --------
    >>> question = {"setting": {"problem": "half", "neurons": 1}, "first": 0}
    >>> part = race(question, Allowance(seconds=1))
    >>> len(part["evaluations"]) == len(part["success"]) >= 1
    True
    """
    _check_keys("a race", data, {"setting", "first"})
    setting = PlaySetting.from_json(data["setting"])
    first = check_integer("first", data["first"], 0, 10**6)
    made = setting.task
    unfinished = None
    evaluations: list[int] = []
    success: list[int] = []
    for number in range(first, first + RUNS_PER_ANSWER):
        search = Simulation(made, setting.seed, number)
        while not search.advance(quota=_piece(made)) and not allowance.over:
            pass
        if not search.finished:
            if number == first:
                unfinished = search.evaluations
            break
        result = search.result()
        evaluations.append(result.evaluations)
        success.append(int(result.success))
        if allowance.over:
            break
    return {"evaluations": evaluations, "success": success, "unfinished": unfinished}


def _piece(made: Task) -> int:
    """Offspring between two looks at the clock: some hundredths of a second."""
    effort = 1 if isinstance(made.fitness, ExactArcs) else made.fitness.effort(made.grid)
    return max(64, _PIECE // (effort * made.grid.neurons))


def classify(data: Any, allowance: Allowance) -> dict[str, Any]:
    """The path of rules that `NAClassifier` finds for points: see `rule_path`.

    Examples
    --------
    >>> points = [[x, y, int(x > 0)] for x in (-2, -1, 1, 2) for y in range(10)]
    >>> path = classify({"points": points, "seed": 0}, Allowance(seconds=10))["path"]
    >>> [(rule["terms"], rule["errors"]) for rule in path[:2]]
    [(0, 20), (1, 0)]
    """
    _check_keys("a table", data, {"points", "seed"})
    points = check_rows("points", data["points"], 3, 10 * ROWS["points"][1])
    seed = check_integer("seed", data["seed"], *RANGES["seed"])
    labels = {row[2] for row in points}
    if labels != {0, 1}:
        raise ValueError(f"labels of points must be 0 and 1, both of them, got {sorted(labels)}")
    return {"path": rule_path(points, seed)}


def _check_keys(name: str, data: Any, keys: set[str]) -> None:
    if not isinstance(data, Mapping) or set(data) != keys:
        wanted = ", ".join(f'"{key}": ...' for key in sorted(keys))
        raise ValueError(f"{name} must be {{{wanted}}}")


# Answers that take milliseconds.
QUICK_ANSWERS: dict[str, Callable[[Any], dict[str, Any]]] = {"law": law}
# Answers that may take longer, which are computed by other processes.
LONG_ANSWERS: dict[str, Callable[[Any, Allowance], dict[str, Any]]] = {
    "exact": exact,
    "race": race,
    "classify": classify,
}
