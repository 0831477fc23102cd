"""What the page knows by itself: names, ranges, data, and exact answers computed beforehand.

The page works without Python. Names and ranges are read when a page is built. What takes longer has
been computed by `hyperna.play.compute`.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, asdict, fields
from importlib.resources import files
from typing import Any

from hyperna.mutation import LAWS, StepLaw
from hyperna.network.neurons import LARGEST_BENT_TABLE, NEURONS
from hyperna.network.outputs import OUTPUTS
from hyperna.play.settings import (
    RANGES,
    ROWS,
    SPHERE_POINTS,
    PlaySetting,
    arc_problems,
    page_problems,
    parts_of_turn,
)
from hyperna.problems import ArcProblem, problem

COMPUTED = files("hyperna.play") / "page" / "computed.json"
# Resolution up to which all states of one neuron are drawn.
LARGEST_LANDSCAPE = 240


def page_facts() -> dict[str, Any]:
    """Everything that the page must know, from the registries and from what was computed.

    Examples
    --------
    >>> facts = page_facts()
    >>> facts["problems"]["quarter"]["arcs"], facts["problems"]["quarter"]["whole"]
    ([[0, 1]], 4)
    >>> facts["laws"]["pareto"]["parameters"]
    {'shape': 1.0, 'scale': 1.0}
    """
    drawn = arc_problems()
    computed = json.loads(COMPUTED.read_text("utf-8"))
    caps = {name: made for name, made in drawn.items() if name not in computed["best_caps"]}
    return {
        "problems": {
            name: {"summary": summary, **_shape(name, drawn)}
            for name, summary in page_problems().items()
        },
        "laws": {name: _law(LAWS[name]) for name in sorted(LAWS) if not _needs_more(LAWS[name])},
        "outputs": {name: output.summary for name, output in OUTPUTS.items()},
        "neurons": {name: neuron.summary for name, neuron in NEURONS.items()},
        "defaults": {
            field.name: field.default
            for field in fields(PlaySetting)
            if field.default is not MISSING
        },
        "ranges": RANGES,
        "rows": ROWS,
        "largest_bent": LARGEST_BENT_TABLE,
        "largest_landscape": LARGEST_LANDSCAPE,
        "sphere_points": SPHERE_POINTS,
        "scenes": json.loads((files("hyperna.play") / "page" / "scenes.json").read_text("utf-8")),
        **computed,
        "best_caps": {**computed["best_caps"], **best_caps(caps)},
    }


def best_caps(names: Iterable[str]) -> dict[str, float | None]:
    """Return the best fitness of one neuron on the sphere for problems, by an optimiser.

    It takes about 0.05 s for each, so that those of the package are stored.

    Examples
    --------
    >>> {name: round(best, 6) for name, best in best_caps(["half", "arcs:k=1"]).items()}
    {'half': 1.0, 'arcs:k=1': 1.0}
    """
    return {name: problem(name, dim=3).best_fitness(neurons=1) for name in names}


def _shape(name: str, drawn: Mapping[str, ArcProblem]) -> dict[str, Any]:
    """What the page must know of a registered problem: its usual dimension, and its arcs."""
    if name == "cube":
        return {"dim": problem(name).dim}
    if name not in drawn:
        return {}
    made = drawn[name]
    whole = parts_of_turn(made)
    arcs = [[int(end * whole) for end in arc] for arc in made.arcs]
    return {"dim": made.dim, "whole": whole, "arcs": arcs, "neurons": made.default_neurons}


def _needs_more(law: type[StepLaw]) -> bool:
    """Whether a law has a parameter without a default, which the page's menu cannot give."""
    return any(field.default is MISSING for field in fields(law))


def _law(law: type[StepLaw]) -> dict[str, Any]:
    return {"summary": law.summary, "continuous": law.continuous, "parameters": asdict(law())}
