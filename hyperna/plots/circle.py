"""The unit circle with what is to be learnt, what a network answers, and its lines (D = 2)."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hyperna.fitness import fitness_of
from hyperna.networks import Network
from hyperna.plots.style import BLUE, DASHES, FONT_SIZE, GREY, NEURONS, ORANGE, VERMILLION, new_axes
from hyperna.problems import PointProblem, Problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Radii of the rings: lines end inside, the problem's labels are outermost.
_ANSWER_RING, _LABEL_RING, _RING_WIDTH = 1.06, 1.18, 0.09
_DIRECTIONS = 7200


def plot_circle(problem: Problem, network: Network, ax: "Axes | None" = None) -> "Axes":
    """Draw a two-dimensional problem and a network's answer to it.

    Around the unit circle lie two rings: outside the positive part of the problem, inside the part
    that the network answers with 1; wrong answers are hatched. Each hidden neuron is drawn as its
    line, with an arrow to the side on which it fires. A problem given by points shows the points.

    Examples
    --------
    >>> from hyperna import Grid, Network, problem
    >>> network = Network(Grid(dim=2, neurons=1, resolution=120), [30, 60])
    >>> plot_circle(problem("half"), network).get_aspect()
    1.0
    """
    if problem.dim != 2 or network.grid.dim != 2:
        raise ValueError(
            f"plot_circle draws D = 2 only, got a problem with D = {problem.dim} "
            f"and a network with D = {network.grid.dim}"
        )
    ax = new_axes(ax, (6.0, 7.0))
    if isinstance(problem, PointProblem):
        reach = _draw_points(ax, problem, network)
    else:
        reach = 1.0
        _draw_rings(ax, problem, network)
    draw_lines(ax, network, reach)
    share = fitness_of(problem)(network)
    title = f"{problem.name}{_joined(network)}: {100 * share:.3f} % right"
    ax.set_title(title, fontsize=FONT_SIZE + 1)
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0.02),
        ncols=2,
        frameon=False,
        fontsize=FONT_SIZE - 1,
    )
    return ax


def _joined(network: Network) -> str:
    """Return how the neurons are joined, as a part of a title."""
    if network.grid.neurons == 1:
        return ""
    return (
        ", evolved output" if network.grid.has_output_neuron else f", {network.grid.output.upper()}"
    )


def draw_lines(ax: "Axes", network: Network, reach: float = 1.0) -> None:
    """Draw the line of each hidden neuron inside radius ``reach`` and its normal vector."""
    normals, biases = network.weights()
    for index, (normal, bias) in enumerate(zip(normals, biases, strict=True)):
        colour = NEURONS[index % len(NEURONS)]
        dashes = DASHES[index // len(NEURONS) % len(DASHES)]
        foot = bias * normal
        along = np.array([-normal[1], normal[0]])
        half = np.sqrt(max(reach**2 - bias**2, (0.12 * reach) ** 2))
        ends = np.array([foot - half * along, foot + half * along])
        name = f"neuron {index + 1}"
        ax.plot(*ends.T, color=colour, linestyle=dashes, linewidth=2.5, label=name, zorder=4)
        ax.annotate(
            "",
            xy=foot + 0.22 * reach * normal,
            xytext=foot,
            arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 2, "shrinkA": 0},
            zorder=5,  # an arrow may lie on another neuron's line, as in a cross
        )


def _draw_rings(ax: "Axes", problem: Problem, network: Network) -> None:
    from matplotlib.patches import Circle

    ax.add_patch(Circle((0, 0), 1, fill=False, color=GREY, linewidth=1.5))
    angles = (np.arange(_DIRECTIONS) + 0.5) * 2 * np.pi / _DIRECTIONS
    points = np.column_stack([np.cos(angles), np.sin(angles)])
    wanted, answered = problem.label(points), network.predict(points)
    _draw_ring(ax, wanted, _LABEL_RING, BLUE, "positive")
    _draw_ring(ax, answered, _ANSWER_RING, ORANGE, "network answers 1")
    _draw_ring(ax, wanted != answered, _ANSWER_RING, VERMILLION, "wrong", hatch="////")
    outside = _LABEL_RING + _RING_WIDTH
    for degrees, x, y, side in (
        (0, 1, 0, "left"),
        (90, 0, 1, "center"),
        (180, -1, 0, "right"),
        (270, 0, -1, "center"),
    ):
        ax.text(
            outside * x,
            (outside + 0.03) * y,
            f"{degrees}°",
            ha=side,
            va="center",
            fontsize=FONT_SIZE - 1,
            color="0.3",
        )
    ax.set_xlim(-1.52, 1.52)
    ax.set_ylim(-1.42, 1.42)


def _draw_ring(
    ax: "Axes",
    inside: NDArray[np.bool_],
    radius: float,
    colour: str,
    label: str,
    hatch: str | None = None,
) -> None:
    """Fill the ring where ``inside`` holds, given for equally spaced directions."""
    from matplotlib.patches import Wedge

    for first, last in circular_runs(inside):
        ax.add_patch(
            Wedge(
                (0, 0),
                radius + _RING_WIDTH / 2,
                first * 360 / len(inside),
                last * 360 / len(inside),
                width=_RING_WIDTH,
                facecolor="none" if hatch else colour,
                edgecolor=colour,
                hatch=hatch,
                linewidth=1.0 if hatch else 0.0,
                label=label,
                zorder=3 if hatch else 2,
            )
        )
        label = "_nolegend_"


def circular_runs(inside: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the runs of True in a circular sequence as (first, last + 1), last possibly wrapping.

    Examples
    --------
    >>> circular_runs(np.array([True, False, True, True]))
    [(2, 5)]
    >>> circular_runs(np.array([True, True]))
    [(0, 2)]
    """
    n = len(inside)
    if inside.all():
        return [(0, n)]
    firsts = np.flatnonzero(inside & ~np.roll(inside, 1))
    ends = np.flatnonzero(~inside & np.roll(inside, 1))
    return [
        (int(first), int(ends[ends > first].min(initial=n + ends.min(initial=n))))
        for first in firsts
    ]


def _draw_points(ax: "Axes", problem: PointProblem, network: Network) -> float:
    """Draw labelled points, ring the wrong ones, and return how far they reach."""
    wanted = np.asarray(problem.y)
    right = network.predict(problem.X) == wanted
    x, y = problem.X.T
    for value, colour, marker in ((True, BLUE, "o"), (False, ORANGE, "s")):
        name = "positive" if value else "negative"
        chosen = wanted == value
        ax.scatter(x[chosen], y[chosen], c=colour, marker=marker, s=36, label=name)
    if not right.all():
        ax.scatter(
            x[~right], y[~right], s=120, facecolors="none", edgecolors=VERMILLION, label="wrong"
        )
    return 1.1 * max(1.0, float(np.sqrt((problem.X**2).sum(axis=1)).max()))
