"""A small picture of a problem, drawn as SVG in the colours of the page."""

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from hyperna._validation import FloatArray
from hyperna.plots.style import ORANGE
from hyperna.problems import ArcProblem, PointProblem, Problem
from hyperna.report.html import Markup, tag

_MOST_POINTS = 300
_MOST_UNEQUAL = 3
# Corners of a cube are drawn as seen from the side and a little from above.
_VIEW = np.array([[1.0, 0.0], [0.35, 0.25], [0.0, 1.0]])


def problem_picture(problem: Problem | None) -> Markup:
    """Return a figure with the positive part of a problem, empty if it cannot be drawn.

    Examples
    --------
    >>> from hyperna import problem
    >>> problem_picture(problem("half")).count("<path")
    1
    """
    if isinstance(problem, ArcProblem):
        plane = "" if problem.dim == 2 else ", seen in the plane of the last two coordinates"
        caption = f"Blue: positive{plane}."
        shapes = _arcs(problem)
    elif isinstance(problem, PointProblem):
        shapes = _points(problem)
        caption = "Blue: positive, orange: negative"
        if problem.dim > 2 and not _is_cube(problem):
            caption += f"; the first two of {problem.dim} coordinates"
        if len(problem.X) > _MOST_POINTS:
            caption += f"; {_MOST_POINTS} of {len(problem.X):,} points"
        caption += "."
    else:
        return Markup("")
    drawn = tag("svg", *shapes, viewBox="-1.5 -1.35 3 2.7", role="img", aria_label=caption)
    return tag("figure", drawn, tag("figcaption", caption), class_="problem")


def _arcs(problem: ArcProblem) -> Iterator[Markup]:
    yield tag("circle", cx=0, cy=0, r=1, class_="thin")
    for arc in problem.arcs:
        # y points down in SVG, so the sense of rotation is 0.
        turns = [2 * math.pi * float(end) for end in arc]
        (x0, y0), (x1, y1) = [(math.cos(turn), -math.sin(turn)) for turn in turns]
        large = int(arc[1] - arc[0] > 0.5)
        path = f"M {x0:.4f} {y0:.4f} A 1 1 0 {large} 0 {x1:.4f} {y1:.4f}"
        yield tag("path", d=path, class_="arc", style="stroke: var(--blue)")
    labels = ("0°", 1.25, 0.06), ("90°", 0, -1.14), ("180°", -1.3, 0.06), ("270°", 0, 1.28)
    for label, x, y in labels:
        yield tag("text", label, x=x, y=y)


def _points(problem: PointProblem) -> Iterator[Markup]:
    places = _plane(problem)
    if _is_cube(problem):
        yield from _edges(problem.X, places)
    count = len(places)
    chosen = np.unique(np.linspace(0, count - 1, min(count, _MOST_POINTS)).astype(int))
    for (x, y), positive in zip(places[chosen], problem.y[chosen], strict=True):
        colour = "var(--blue)" if positive else ORANGE
        yield tag("circle", cx=f"{x:.3f}", cy=f"{-y:.3f}", r=0.05, style=f"fill: {colour}")


def _edges(corners: FloatArray, places: FloatArray) -> Iterator[Markup]:
    """Yield the edges of a cube: lines between corners that differ in one coordinate."""
    for i, j in combinations(range(len(corners)), 2):
        if np.count_nonzero(corners[i] != corners[j]) == 1:
            (x1, y1), (x2, y2) = places[i], places[j]
            ends = {"x1": x1, "y1": -y1, "x2": x2, "y2": -y2}
            yield tag("line", **{key: f"{end:.3f}" for key, end in ends.items()}, class_="thin")


def _plane(problem: PointProblem) -> np.ndarray:
    """Return two coordinates of each point between -1 and 1."""
    points = np.asarray(problem.X, dtype=float)
    if _is_cube(problem):
        flat = points @ _VIEW
    elif problem.dim == 1:
        flat = np.column_stack([points[:, 0], np.zeros(len(points))])
    else:
        flat = points[:, :2]
    centred = flat - (flat.max(axis=0) + flat.min(axis=0)) / 2
    reach = np.abs(centred).max(axis=0)
    if not _is_cube(problem) and reach.min() * _MOST_UNEQUAL < reach.max():
        # Features of different units: each fills the picture.
        return np.asarray(centred / np.where(reach > 0, reach, 1.0))
    return np.asarray(centred / (reach.max() or 1.0))


def _is_cube(problem: PointProblem) -> bool:
    return problem.dim == 3 and problem.name.startswith("cube")
