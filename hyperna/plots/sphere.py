"""The unit sphere in three dimensions with a problem's labels and a network's circles."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hyperna.networks import Network
from hyperna.plots.style import BLUE, FONT_SIZE, NEURONS, ORANGE, VERMILLION, new_axes
from hyperna.problems import PointProblem, Problem
from hyperna.sphere import even_points

if TYPE_CHECKING:
    from mpl_toolkits.mplot3d import Axes3D

FloatArray = NDArray[np.float64]
_POINTS = 2500


def plot_sphere(problem: Problem, network: Network, ax: "Axes3D | None" = None) -> "Axes3D":
    """Draw a three-dimensional problem on the sphere and a network's half-spaces.

    Points are coloured by their label, wrongly answered ones are crossed. Each hidden neuron is the
    circle in which its plane cuts the sphere, with an arrow along its normal.

    Examples
    --------
    >>> from hyperna import Grid, Network, problem
    >>> network = Network(Grid(dim=3, neurons=1, resolution=120), [30, 30, 60])
    >>> plot_sphere(problem("half", dim=3), network).name
    '3d'
    """
    if problem.dim != 3 or network.grid.dim != 3:
        raise ValueError(
            f"plot_sphere draws D = 3 only, got a problem with D = {problem.dim} "
            f"and a network with D = {network.grid.dim}"
        )
    drawn: Any = new_axes(ax, (7.0, 7.0), projection="3d")
    if isinstance(problem, PointProblem):
        points, wanted, size = problem.X, np.asarray(problem.y), 90
    else:
        points, size = even_points(_POINTS, 3), 10
        wanted = problem.label(points)
    right = network.predict(points) == wanted
    for value, colour, name in ((True, BLUE, "positive"), (False, ORANGE, "negative")):
        chosen = right & (wanted == value)
        drawn.scatter(*points[chosen].T, color=colour, s=size, label=name, depthshade=True)
    if not right.all():
        drawn.scatter(*points[~right].T, color=VERMILLION, marker="x", s=2 * size, label="wrong")
    for index, (normal, bias) in enumerate(zip(*network.weights(), strict=True)):
        colour = NEURONS[index % len(NEURONS)]
        drawn.plot(*_cut(normal, bias).T, color=colour, linewidth=3, label=f"neuron {index + 1}")
        drawn.quiver(*(bias * normal), *(0.45 * normal), color=colour, linewidth=2.5)
    drawn.set_box_aspect((1, 1, 1))
    drawn.set_xlabel("$x_1$", fontsize=FONT_SIZE)
    drawn.set_ylabel("$x_2$", fontsize=FONT_SIZE)
    drawn.set_zlabel("$x_3$", fontsize=FONT_SIZE)
    drawn.set(xticks=(-1, 0, 1), yticks=(-1, 0, 1), zticks=(-1, 0, 1))
    drawn.set_title(
        f"{problem.name}: {100 * float(right.mean()):.2f} % right", fontsize=FONT_SIZE + 1
    )
    drawn.legend(loc="upper left", frameon=False, fontsize=FONT_SIZE - 2, markerscale=1.5)
    return drawn


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
