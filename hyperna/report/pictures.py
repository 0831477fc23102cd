"""A small picture of a problem, drawn as SVG in the colours of the page."""

import math
from collections.abc import Iterable

import numpy as np

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
        return _figure(_arcs(problem), f"Blue: positive{plane}.")
    if isinstance(problem, PointProblem):
        return _figure(_points(problem), _points_caption(problem))
    return Markup("")


def _figure(shapes: Iterable[Markup], caption: str) -> Markup:
    drawn = tag("svg", *shapes, viewBox="-1.5 -1.35 3 2.7", role="img", aria_label=caption)
    return tag("figure", drawn, tag("figcaption", caption), class_="problem")


def _arcs(problem: ArcProblem) -> list[Markup]:
    shapes = [tag("circle", cx=0, cy=0, r=1, class_="thin")]
    for start, end in problem.arcs:
        shapes.append(_arc(float(start), float(end)))
    for label, x, y in (("0°", 1.25, 0.06), ("90°", 0, -1.14), ("180°", -1.3, 0.06)):
        shapes.append(tag("text", label, x=x, y=y))
    shapes.append(tag("text", "270°", x=0, y=1.28))
    return shapes


def _arc(start: float, end: float) -> Markup:
    if end - start >= 1:
        return tag("circle", cx=0, cy=0, r=1, class_="arc", style="stroke: var(--blue)")
    # y points down in SVG, so the sense of rotation is 0.
    ends = [(math.cos(2 * math.pi * t), -math.sin(2 * math.pi * t)) for t in (start, end)]
    (x0, y0), (x1, y1) = ends
    large = int(end - start > 0.5)
    path = f"M {x0:.4f} {y0:.4f} A 1 1 0 {large} 0 {x1:.4f} {y1:.4f}"
    return tag("path", d=path, class_="arc", style="stroke: var(--blue)")


def _points(problem: PointProblem) -> list[Markup]:
    wanted = np.asarray(problem.y)
    places = _plane(problem)
    chosen = _spread(len(places))
    shapes = [*_edges(problem, places)]
    for (x, y), positive in zip(places[chosen], wanted[chosen], strict=True):
        colour = "var(--blue)" if positive else ORANGE
        shapes.append(tag("circle", cx=f"{x:.3f}", cy=f"{-y:.3f}", r=0.05, style=f"fill: {colour}"))
    return shapes


def _plane(problem: PointProblem) -> np.ndarray:
    """Return two coordinates of each point between -1 and 1."""
    points = np.asarray(problem.X, dtype=float)
    if _is_cube(problem):
        flat = points @ _VIEW
    elif problem.dim == 1:
        flat = np.column_stack([points[:, 0], np.zeros(len(points))])
    else:
        flat = points[:, :2]
    middle = (flat.max(axis=0) + flat.min(axis=0)) / 2
    centred = flat - middle
    reach = np.abs(centred).max(axis=0)
    if not _is_cube(problem) and reach.min() * _MOST_UNEQUAL < reach.max():
        # Features of different units: each fills the picture.
        return np.asarray(centred / np.where(reach > 0, reach, 1.0))
    return np.asarray(centred / (reach.max() or 1.0))


def _is_cube(problem: PointProblem) -> bool:
    return problem.dim == 3 and problem.name.startswith("cube")


def _edges(problem: PointProblem, places: np.ndarray) -> list[Markup]:
    if not _is_cube(problem):
        return []
    corners = np.asarray(problem.X)
    return [
        tag(
            "line",
            x1=f"{places[i, 0]:.3f}",
            y1=f"{-places[i, 1]:.3f}",
            x2=f"{places[j, 0]:.3f}",
            y2=f"{-places[j, 1]:.3f}",
            class_="thin",
        )
        for i in range(len(corners))
        for j in range(i)
        if np.count_nonzero(corners[i] != corners[j]) == 1
    ]


def _spread(count: int) -> np.ndarray:
    """Return the numbers of the points that are drawn, evenly spread."""
    return np.unique(np.linspace(0, count - 1, min(count, _MOST_POINTS)).astype(int))


def _points_caption(problem: PointProblem) -> str:
    text = "Blue: positive, orange: negative"
    if problem.dim > 2 and not _is_cube(problem):
        text += f"; the first two of {problem.dim} coordinates"
    if len(problem.X) > _MOST_POINTS:
        text += f"; {_MOST_POINTS} of {len(problem.X):,} points"
    return f"{text}."
