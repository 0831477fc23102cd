"""The unit sphere in three dimensions with a problem's labels and a network's circles."""

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperna._validation import BoolArray, FloatArray
from hyperna.fitness import fitness_of
from hyperna.fitness.sampling import even_points
from hyperna.network.networks import Network
from hyperna.plots.style import (
    BLUE,
    FONT_SIZE,
    ORANGE,
    check_drawable,
    legend_below,
    network_title,
    neuron_line,
    neuron_names,
    new_axes,
)
from hyperna.plots.theme import LIGHT, theme
from hyperna.problems import PointProblem, Problem
from hyperna.problems.point_problems import CubeCorners

if TYPE_CHECKING:
    from mpl_toolkits.mplot3d import Axes3D

_POINTS = 3000
# Seen so that the plane of the last two coordinates, which decide the label, lies open.
_ELEVATION, _AZIMUTH = 22.0, 30.0
_BEHIND = 0.08


def plot_sphere(
    problem: Problem,
    network: Network,
    ax: "Axes3D | None" = None,
    *,
    share: float | None = None,
) -> "Axes3D":
    """Draw a three-dimensional problem on the sphere and a network's half-spaces.

    Points are coloured by their label, wrongly answered ones are crossed, those on the far side are
    faint. Each hidden neuron is the circle in which its plane cuts the sphere, with an arrow along
    its normal to the side on which it fires. The title tells the fitness: `share` if it is given,
    else that of `hyperna.fitness_of`.

    Examples
    --------
    >>> from hyperna import Grid, Network, problem
    >>> network = Network(Grid(dim=3, neurons=1, resolution=120), [30, 30, 60])
    >>> plot_sphere(problem("half", dim=3), network).name
    '3d'
    """
    check_drawable("plot_sphere", 3, problem, network)
    drawn: Any = ax or new_axes((7.0, 7.0), projection="3d", computed_zorder=False)
    drawn.view_init(elev=_ELEVATION, azim=_AZIMUTH)
    if isinstance(problem, PointProblem):
        points = problem.X
        wanted = np.asarray(problem.y)
        size = 110
    else:
        points = even_points(_POINTS, 3)
        wanted = problem.label(points)
        size = 14
    right = network.predict(points) == wanted
    # Lines of a finite set are drawn whole; a full sphere hides what is behind it.
    solid = not isinstance(problem, PointProblem)
    if isinstance(problem, CubeCorners):
        _draw_edges(drawn, points)
    _draw_labels(drawn, points, wanted, right, size, _BEHIND if solid else 1.0)
    names = neuron_names(network)
    for index, (normal, bias) in enumerate(zip(*network.caps(), strict=True)):
        _draw_neuron(drawn, normal, bias, index, names[index], solid)
    drawn.set_box_aspect((1, 1, 1))
    pane = "0.98" if theme() is LIGHT else theme().paper
    drawn.tick_params(colors=theme().ink)
    for axis, name in ((drawn.xaxis, "$x_1$"), (drawn.yaxis, "$x_2$"), (drawn.zaxis, "$x_3$")):
        axis.set_rotate_label(False)  # along its axis, a label would stand on its head
        axis.set_label_text(name, fontsize=FONT_SIZE, rotation=0)
        axis.pane.set(facecolor=pane, edgecolor=theme().faint)
    drawn.grid(False)  # lines behind a sphere or a cube would look like parts of it
    drawn.set(xticks=(-1, 0, 1), yticks=(-1, 0, 1), zticks=(-1, 0, 1))
    if share is None:
        share = fitness_of(problem, neurons=network.grid.neurons)(network)
    drawn.set_title(network_title(problem, network, share), fontsize=FONT_SIZE + 1)
    legend_below(drawn, columns=3, room=0.03, fontsize=FONT_SIZE - 2, markerscale=1.5)
    return drawn


def _in_front(points: FloatArray) -> BoolArray:
    """Tell which points of the sphere are on the side of the viewer."""
    up, around = np.deg2rad(_ELEVATION), np.deg2rad(_AZIMUTH)
    viewer = np.array([np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)])
    return np.asarray(points @ viewer > 0)


def _draw_labels(
    drawn: Any,
    points: FloatArray,
    wanted: BoolArray,
    right: BoolArray,
    size: int,
    behind: float,
) -> None:
    """Draw the points by label, those behind with opacity `behind`, and cross the wrong ones."""
    front = _in_front(points)
    flat = {"s": size, "linewidths": 0}
    kinds: list[Any] = [
        (wanted, BLUE, "o", "positive", flat),
        (~wanted, ORANGE, "s", "negative", flat),
        (~right, theme().ink, "x", "wrong", {"s": 1.5 * size}),
    ]
    for chosen, colour, mark, name, options in kinds if not right.all() else kinds[:2]:
        for near in (False, True):
            drawn.scatter(
                *points[chosen & (front == near)].T,
                color=colour,
                marker=mark,
                alpha=1.0 if near else behind,
                depthshade=False,
                label=name if near else "_nolegend_",
                zorder=(3 if near else 1) + (name == "wrong"),
                **options,
            )


def _draw_edges(drawn: Any, corners: FloatArray) -> None:
    """Draw the edges of a cube: corners that differ in one coordinate."""
    colour = "0.35" if theme() is LIGHT else theme().quiet
    for i, j in combinations(range(len(corners)), 2):
        if np.count_nonzero(corners[i] != corners[j]) == 1:
            drawn.plot(*corners[[i, j]].T, color=colour, linewidth=2.2, zorder=0)


def _draw_neuron(
    drawn: Any, normal: FloatArray, bias: float, index: int, name: str, solid: bool
) -> None:
    """Draw the circle of a neuron, behind a solid sphere thin and dotted, and its normal."""
    colour, _ = neuron_line(index)
    circle = _cut(normal, bias)
    if solid:
        front = _in_front(circle)[:, None]
        behind = np.where(front, np.nan, circle)
        drawn.plot(*behind.T, color=colour, linewidth=1.5, linestyle=":", zorder=2)
        circle = np.where(front, circle, np.nan)
    drawn.plot(*circle.T, color=colour, linewidth=3.5, label=name, zorder=5)
    # The arrow stands on the sphere, where it can be seen.
    foot = normal if solid else bias * normal
    near = not solid or bool(_in_front(normal))
    drawn.quiver(
        *foot,
        *(0.45 * normal),
        color=colour,
        linewidth=2.5,
        alpha=1.0 if near else 0.4,
        zorder=6 if near else 0,
    )


def _cut(normal: FloatArray, bias: float) -> FloatArray:
    """Return the circle in which the plane normal . x = bias cuts the unit sphere, a bit outside.

    Examples
    --------
    >>> circle = _cut(np.array([0.0, 0.0, 1.0]), 0.5)
    >>> bool(np.allclose(circle[:, 2], 0.5))
    True
    """
    aside = np.eye(3)[np.argmin(np.abs(normal))]
    first = np.cross(normal, aside)
    first /= np.sqrt(first @ first)
    second = np.cross(normal, first)
    turn = np.linspace(0, 2 * np.pi, 200)[:, None]
    radius = np.sqrt(max(1 - bias**2, 0.0))
    circle = bias * normal + radius * (np.cos(turn) * first + np.sin(turn) * second)
    return np.asarray(circle)
