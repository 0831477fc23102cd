"""The unit circle with what is to be learnt, what a network answers, and its lines (D = 2)."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hyperna.fitness import fitness_of
from hyperna.network.networks import Network
from hyperna.plots.style import (
    BLUE,
    FONT_SIZE,
    GREY,
    ORANGE,
    VERMILLION,
    check_drawable,
    legend_below,
    network_title,
    neuron_line,
    neuron_names,
    new_axes,
)
from hyperna.plots.theme import theme
from hyperna.problems import PointProblem, Problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Radii of the rings: lines end inside, the problem's labels are outermost.
_ANSWER_RING = 1.06
_LABEL_RING = 1.18
_RING_WIDTH = 0.09
_DIRECTIONS = 7200
_MESH = 300


def plot_circle(problem: Problem, network: Network, ax: "Axes | None" = None) -> "Axes":
    """Draw a two-dimensional problem and a network's answer to it.

    Around the unit circle lie two rings: outside the positive part of the problem, inside the part
    that the network answers with 1; wrong answers are hatched. Each hidden neuron is drawn as its
    line, with an arrow to the side on which it fires. A problem given by points shows the points on
    the network's two answers; under an evolved output the legend tells each neuron's vote.

    Examples
    --------
    >>> from hyperna import Grid, Network, problem
    >>> network = Network(Grid(dim=2, neurons=1, resolution=120), [30, 60])
    >>> plot_circle(problem("half"), network).get_aspect()
    1.0
    """
    check_drawable("plot_circle", 2, problem, network)
    ax = ax or new_axes((6.0, 7.4))
    draw_circle(ax, problem, network, fitness_of(problem)(network))
    return ax


def draw_circle(ax: "Axes", problem: Problem, network: Network, share: float) -> None:
    """Draw what `plot_circle` draws, where the network's fitness is known."""
    if isinstance(problem, PointProblem):
        _draw_points(ax, problem, network)
    else:
        _draw_rings(ax, problem, network)
        draw_lines(ax, network)
    ax.set_title(network_title(problem, network, share), fontsize=FONT_SIZE + 1)
    ax.set_aspect("equal")
    legend_below(ax, room=0.12 if isinstance(problem, PointProblem) else -0.02)


def draw_lines(ax: "Axes", network: Network, reach: float = 1.0, arrow: float = 0.22) -> None:
    """Draw the line of each hidden neuron inside radius ``reach`` and its normal vector."""
    names = neuron_names(network)
    for index, (normal, bias) in enumerate(zip(*network.caps(), strict=True)):
        colour, dashes = neuron_line(index)
        foot = bias * normal
        along = np.array([-normal[1], normal[0]])
        half = np.sqrt(max(reach**2 - bias**2, 0.12**2))
        ends = np.array([foot - half * along, foot + half * along])
        ax.plot(
            *ends.T, color=colour, linestyle=dashes, linewidth=2.5, label=names[index], zorder=4
        )
        ax.annotate(
            "",
            xy=foot + arrow * normal,
            xytext=foot,
            arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 2, "shrinkA": 0},
            zorder=5,  # an arrow may lie on another neuron's line, as in a cross
        )


def _draw_rings(ax: "Axes", problem: Problem, network: Network) -> None:
    from matplotlib.patches import Circle, Wedge

    ax.add_patch(Circle((0, 0), 1, fill=False, color=GREY, linewidth=1.5))
    angles = (np.arange(_DIRECTIONS) + 0.5) * 2 * np.pi / _DIRECTIONS
    points = np.column_stack([np.cos(angles), np.sin(angles)])
    wanted, answered = problem.label(points), network.predict(points)
    for inside, radius, colour, label, hatch in (
        (wanted, _LABEL_RING, BLUE, "positive", None),
        (answered, _ANSWER_RING, ORANGE, "network answers 1", None),
        (wanted != answered, _ANSWER_RING, VERMILLION, "wrong", "////"),
    ):
        for first, last in circular_runs(inside):
            ring = Wedge(
                (0, 0),
                radius + _RING_WIDTH / 2,
                first * 360 / _DIRECTIONS,
                last * 360 / _DIRECTIONS,
                width=_RING_WIDTH,
                facecolor="none" if hatch else colour,
                edgecolor=colour,
                hatch=hatch,
                linewidth=1.0 if hatch else 0.0,
                label=label,
                zorder=3 if hatch else 2,
            )
            ax.add_patch(ring)
            label = "_nolegend_"
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
            color=theme().quiet,
        )
    ax.set(xlim=(-1.52, 1.52), ylim=(-1.42, 1.42))
    ax.set_axis_off()


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
    following = np.append(ends, n + ends[:1])[np.searchsorted(ends, firsts)]
    return list(zip(firsts.tolist(), following.tolist(), strict=True))


def _draw_points(ax: "Axes", problem: PointProblem, network: Network) -> None:
    """Draw labelled points on the network's answers, and ring the wrong ones."""
    reach = 1.15 * (float(np.abs(problem.X).max()) or 1.0)
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach))
    side = np.linspace(-reach, reach, _MESH)
    mesh = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    answers = network.predict(mesh).reshape(_MESH, _MESH)
    ax.contourf(side, side, answers, levels=(-0.5, 0.5, 1.5), colors=(ORANGE, BLUE), alpha=0.16)
    draw_lines(ax, network, 1.5 * max(reach, 1.0), 0.2 * reach)
    wanted = np.asarray(problem.y)
    right = network.predict(problem.X) == wanted
    x, y = problem.X.T
    for value, colour, marker in ((True, BLUE, "o"), (False, ORANGE, "s")):
        name = "positive" if value else "negative"
        chosen = wanted == value
        edge = theme().paper
        ax.scatter(
            x[chosen], y[chosen], c=colour, marker=marker, s=36, label=name, zorder=6, ec=edge
        )
    if not right.all():
        ax.scatter(
            x[~right],
            y[~right],
            s=120,
            facecolors="none",
            edgecolors=VERMILLION,
            label="wrong",
            zorder=7,
        )
    ax.set_xlabel("$x_1$", fontsize=FONT_SIZE)
    ax.set_ylabel("$x_2$", fontsize=FONT_SIZE)
    ax.tick_params(labelsize=FONT_SIZE - 1)
