"""Answers to the page's questions: plain functions from JSON objects to JSON objects."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from hyperna._validation import check_choice, check_integer
from hyperna._words import finite
from hyperna.datasets import dataset
from hyperna.fitness import ExactArcs, FiniteSet, Sampled
from hyperna.fitness.exact import arcs_in_units
from hyperna.mutation import LAWS, Harmonic, StepLaw
from hyperna.neurons import NEURONS, bent_half_widths, half_widths
from hyperna.outputs import OUTPUTS
from hyperna.play.settings import LARGEST_RESOLUTION, PlaySetting, page_problems
from hyperna.plots.landscape import score_table
from hyperna.problems import ArcProblem
from hyperna.search import Task
from hyperna.theory import expected_runtime
from hyperna.theory.walk import local_optima

# Resolution up to which all states of one neuron are drawn, and solved exactly in about a second.
LARGEST_LANDSCAPE = 240
LARGEST_EXACT = 120
# Evaluations of one request of a race, about a second.
_RACE_EVALUATIONS = 2 * 10**7
_SAMPLES = ("moons", "xor", "circles")
_SAMPLE_SIZE = 80
# Laws without a table that the page can draw steps from.
_LAWS_OF_THE_PAGE = ("pareto", "cauchy", "exponential", "self_adjusting", "adaptive")


def choices(_: Any = None) -> dict[str, Any]:
    """Everything that can be chosen, from the registries, so that new entries appear by themselves.

    Examples
    --------
    >>> sorted(choices())
    ['laws', 'neurons', 'outputs', 'problems', 'samples']
    """
    return {
        "problems": page_problems(),
        "laws": {name: cls.summary for name, cls in sorted(LAWS.items())},
        "outputs": list(OUTPUTS),
        "neurons": list(NEURONS),
        "samples": list(_SAMPLES),
    }


def task(data: Any) -> dict[str, Any]:
    """Everything that a browser needs to run a setting by itself, in the same exact integers."""
    setting = PlaySetting.from_json(data)
    made = setting.task
    grid, goal = made.grid, made.goal
    fixed = set() if made.bias else set(grid.bias_components.tolist())
    reachable = goal.score <= made.units
    return {
        "setting": asdict(setting),
        "python": setting.python,
        "dim": grid.dim,
        "width": grid.width,
        "resolution": grid.resolution,
        "unit": made.unit,
        "moduli": grid.moduli.tolist(),
        "free": [i for i in range(grid.components) if i not in fixed],
        "zero_bias": None if made.bias else grid.zero_bias,
        "evolved": grid.has_output_neuron,
        "probability": made.probability,
        "budget": made.budget,
        "units": made.units,
        "law": _law(made.law, setting.resolution, made.unit),
        "goal": {
            "text": made.criterion,
            "score": int(goal.score) if reachable else None,
            "optima": made.limits.optima.tolist(),
            "hopeful": int(goal.hopeful),
            "tolerance": made.limits.tolerance,
        },
        "fitness": _fitness(made),
        "landscape": grid.dim == 2
        and grid.neurons == 1
        and made.bias
        and setting.neuron == "plain"
        and setting.resolution <= LARGEST_LANDSCAPE,
    }


def _fitness(made: Task) -> dict[str, Any]:
    """The fitness as integers and floats."""
    fitness, resolution = made.fitness, made.grid.resolution
    subject = fitness.problem
    arcs = (
        [[float(a), float(b)] for a, b in subject.arcs] if isinstance(subject, ArcProblem) else []
    )
    found: dict[str, Any] = {"name": str(fitness), "arcs": arcs}
    if isinstance(fitness, ExactArcs):
        turn = fitness.units(made.grid)
        starts, lengths = arcs_in_units(fitness.problem, turn)
        table = None  # of a finer grid, which continuous laws have
        if resolution <= LARGEST_RESOLUTION:
            bent = made.grid.neuron == "bent"
            table = (bent_half_widths if bent else half_widths)(resolution, turn)
        found |= {"turn": turn, "starts": starts.tolist(), "lengths": lengths.tolist()}
        return {**found, "half_widths": table}
    points = fitness.points if isinstance(fitness, Sampled) else fitness
    assert isinstance(points, FiniteSet)
    return {**found, "X": points.X.tolist(), "y": np.asarray(points.y).astype(int).tolist()}


def _law(chosen: StepLaw, resolution: int, unit: int) -> dict[str, Any]:
    """A law as its probabilities or, where it has none, its parameters in grid units."""
    try:
        return {"kind": "table", "pmf": chosen.pmf(resolution).tolist()}
    except TypeError:
        if chosen.name not in _LAWS_OF_THE_PAGE:
            raise ValueError(
                f"mutation {chosen.name} runs in races only, not on the page"
            ) from None
        parameters = asdict(chosen)
        chosen.steps(resolution, unit)  # refuses steps too small for the grid
        if "scale" in parameters:
            parameters["scale"] *= unit
        if "jump" in parameters:
            parameters["pmf"] = Harmonic().pmf(resolution).tolist()
        return {"kind": chosen.name, **parameters}


def landscape(data: Any) -> dict[str, Any]:
    """Fitness, local optima and exact expected remaining time of all states of one neuron.

    Examples
    --------
    >>> found = landscape({"problem": "half", "neurons": 1, "resolution": 8})
    >>> found["best"], len(found["scores"]), found["remaining"][2][4]
    (1.0, 8, 0.0)
    """
    setting = PlaySetting.from_json(data)
    if setting.neurons != 1 or setting.dim != 2:
        raise ValueError("a landscape needs one neuron and dim 2")
    check_integer("resolution", setting.resolution, 4, LARGEST_LANDSCAPE)
    scores, units = score_table(setting.fitness, setting.resolution)
    found: dict[str, Any] = {
        "scores": (scores / units).round(6).tolist(),
        "best": float(scores.max() / units),
        "local": np.argwhere(local_optima(scores) & (scores < scores.max())).tolist(),
        "global": np.argwhere(scores == scores.max()).tolist(),
        "remaining": None,
        "why": "",
    }
    if setting.resolution > LARGEST_EXACT or not isinstance(setting.fitness, ExactArcs):
        found["why"] = f"exact times are computed for arcs, at resolutions up to {LARGEST_EXACT}"
        return found
    try:
        runtime = expected_runtime(setting.subject, setting.resolution, setting.mutation)
    except TypeError:
        found["why"] = "exact times need a law with a probability for each step length"
        return found
    # The evaluation of the present state is behind us.
    remaining = (runtime.per_state - 1.0).round(2)
    found["remaining"] = finite(remaining.tolist())
    found["mean"] = finite(runtime.mean)
    found["probability"] = runtime.probability
    return found


def race(data: Any) -> dict[str, Any]:
    """Runs of one law by the compiled kernels: part number `part` of a growing sample.

    Examples
    --------
    >>> part = race({"setting": {"problem": "half", "neurons": 1}, "part": 0})
    >>> len(part["evaluations"]) == len(part["success"]) >= 1
    True
    """
    if not isinstance(data, Mapping) or set(data) != {"setting", "part"}:
        raise ValueError('a race must be {"setting": ..., "part": ...}')
    setting = PlaySetting.from_json(data["setting"])
    part = check_integer("part", data["part"], 0, 10**6)
    made = setting.task
    steps = made.budget * (1 if isinstance(made.fitness, ExactArcs) else 20)
    count = min(200, max(5, _RACE_EVALUATIONS // steps))
    runs = setting.algorithm.run_many(
        setting.fitness,
        runs=count,
        seed=np.random.SeedSequence([setting.seed, part]),
        **setting.limits,
    )
    return {
        "evaluations": runs.evaluations.tolist(),
        "success": np.asarray(runs.success).astype(int).tolist(),
        "budget": made.budget,
    }


def sample(data: Any) -> dict[str, Any]:
    """Points of a generated data set, moved into the unit disc.

    Examples
    --------
    >>> len(sample({"name": "xor"})["points"])
    80
    """
    if not isinstance(data, Mapping) or set(data) != {"name"}:
        raise ValueError('a sample must be {"name": ...}')
    name = check_choice("name", data["name"], _SAMPLES)
    found = dataset(name, n=_SAMPLE_SIZE, seed=0)
    centred = found.X - (found.X.max(axis=0) + found.X.min(axis=0)) / 2
    X = 0.95 * centred / np.sqrt((centred**2).sum(axis=1)).max()
    positive = found.y == np.unique(found.y)[-1]
    rows = zip(X.round(3).tolist(), positive.astype(int).tolist(), strict=True)
    return {"points": [[*x, label] for x, label in rows]}


def classify(data: Any) -> dict[str, Any]:
    """What `NAClassifier` makes of the points: its rule in words and its answers on a mesh."""
    from hyperna.classifier import NAClassifier, export_text

    setting = PlaySetting.from_json(data)
    table = np.array(setting.points, dtype=float).reshape(-1, 3)
    if len(np.unique(table[:, 2])) < 2:
        raise ValueError("points must hold both colours for a classifier")
    colour = np.where(table[:, 2] > 0, "blue", "orange")
    fitted = NAClassifier(random_state=setting.seed).fit(table[:, :2], colour)
    side = np.linspace(-1, 1, 61)
    x, y = np.meshgrid(side, side)
    mesh = fitted.predict(np.column_stack([x.ravel(), y.ravel()])).reshape(x.shape)
    return {
        "rule": export_text(fitted, ["x", "y"]),
        "accuracy": float(fitted.score(table[:, :2], colour)),
        "answers": (mesh == "blue").astype(int).tolist(),
    }


ANSWERS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "choices": choices,
    "task": task,
    "landscape": landscape,
    "race": race,
    "sample": sample,
    "classify": classify,
}
