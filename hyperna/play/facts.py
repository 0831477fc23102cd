"""What the page knows by itself: names, ranges, data, and exact answers computed beforehand.

The page works without Python. Names and ranges are read when a page is built. What takes longer has
been computed by `hyperna.play.compute`.
"""

import json
import math
from dataclasses import MISSING, asdict, fields
from importlib.resources import files
from typing import Any

from hyperna.mutation import LAWS
from hyperna.network.neurons import LARGEST_BENT_TABLE, NEURONS
from hyperna.network.outputs import OUTPUTS
from hyperna.play.settings import RANGES, ROWS, SPHERE_POINTS, PlaySetting, page_problems
from hyperna.problems import PROBLEMS, ArcProblem, problem

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
    found = {
        "problems": {name: _problem(name, text) for name, text in page_problems().items()},
        "laws": {name: _law(name) for name in sorted(LAWS)},
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
        **json.loads(COMPUTED.read_text("utf-8")),
    }
    return found


def _problem(name: str, summary: str) -> dict[str, Any]:
    """A problem's summary and, if its arcs are always the same, these in parts of the circle."""
    found: dict[str, Any] = {"summary": summary}
    if name not in PROBLEMS or name == "arcs":
        return found
    subject = problem(name)
    if not isinstance(subject, ArcProblem):
        return found
    whole = math.lcm(4, *(end.denominator for arc in subject.arcs for end in arc))
    arcs = [[int(end * whole) for end in arc] for arc in subject.arcs]
    return {**found, "whole": whole, "arcs": arcs, "neurons": subject.default_neurons}


def _law(name: str) -> dict[str, Any]:
    law = LAWS[name]
    return {"summary": law.summary, "continuous": law.continuous, "parameters": asdict(law())}
