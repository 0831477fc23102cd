"""Pictures of exact runtimes: times of all starts, distributions and curves beside simulation."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from hyperna._validation import FloatArray
from hyperna.plots.style import (
    BLUE,
    FONT_SIZE,
    VERMILLION,
    finish,
    heat_map,
    legend_below,
    new_axes,
)
from hyperna.theory import ExactRuntime

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INFINITE = "0.8"


def plot_expected_times(
    runtime: ExactRuntime,
    ax: "Axes | None" = None,
    values: FloatArray | None = None,
    title: str = "",
) -> "Axes":
    """Draw the expected number of evaluations from every first search point.

    A heat map over angle and bias (or bend), a curve over the angle if only that is searched.
    Starts from which the optimum may never be found are grey (in a map) or left out.

    Parameters
    ----------
    runtime
        What `hyperna.theory.expected_runtime` returned.
    values
        Something else to draw, of the shape of ``runtime.per_state``, such as
        ``runtime.per_state_probability`` or a basin.
    title
        What was computed; a runtime does not know its problem.

    Examples
    --------
    >>> from hyperna import expected_runtime, problem
    >>> plot_expected_times(expected_runtime(problem("quarter"), 16)).get_ylabel()
    'bias'
    """
    if runtime.neurons == 2:
        raise ValueError("runtime must be of one neuron for a map of angle and bias, got two")
    ax = ax or new_axes((8.0, 5.2))
    shown = runtime.per_state if values is None else values
    what = "expected evaluations" if values is None else "probability"
    r = shown.shape[0]
    if shown.ndim == 1:
        ax.plot(360 * np.arange(r) / r, np.where(np.isfinite(shown), shown, np.nan), color=BLUE)
        ax.set_xticks(range(0, 361, 60))
        return finish(ax, x="angle in degrees", y=what, title=title)
    ax.set_facecolor(_INFINITE)
    # a bend has r values from 0 to below a half turn, a bias r + 1 from -1 to 1
    bent = shown.shape[1] == r
    ends = (-90 / r, 180 - 90 / r) if bent else (-1 - 1 / r, 1 + 1 / r)
    extent = (-180 / r, 360 - 180 / r, *ends)
    heat_map(ax, np.ma.masked_invalid(shown), extent, what, "viridis")
    ax.set_xticks(range(0, 360, 60))
    if not np.isfinite(shown).all():
        ax.bar(0, 0, color=_INFINITE, label="infinite: a run may get stuck")
        legend_below(ax, room=0.16)
    up = "bend in degrees" if bent else "bias"
    return finish(ax, x="angle in degrees", y=up, title=title, grid=False)


def plot_distribution(
    runtime: ExactRuntime,
    simulated: ArrayLike | None = None,
    t_max: int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the exact distribution of the runtime, beside that of simulated runs.

    Parameters
    ----------
    runtime
        What `hyperna.theory.expected_runtime` returned.
    simulated
        Evaluations of simulated runs; infinite for those without success.
    t_max
        Where the axis ends; by default where nearly all successes are, or the longest run.

    Examples
    --------
    >>> from hyperna import OnePlusOneNA, expected_runtime, problem
    >>> runs = OnePlusOneNA(resolution=16).run_many(problem("quarter"), 100, seed=0)
    >>> exact = expected_runtime(problem("quarter"), 16)
    >>> plot_distribution(exact, runs.evaluations).get_xlabel()
    'evaluations'
    """
    ax = ax or new_axes((7.0, 4.6))
    t_max = _long_enough(runtime) if t_max is None else t_max
    if simulated is not None:
        times = np.sort(np.asarray(simulated, dtype=float))
        share = np.arange(1, times.size + 1) / times.size
        seen = times <= t_max
        ax.step(
            np.append(0, times[seen]),
            np.append(0.0, share[seen]),
            where="post",
            color=VERMILLION,
            label=f"{times.size} simulated runs",
        )
    found = runtime.distribution(t_max)
    ax.plot(np.arange(t_max + 1), found, color=BLUE, label="exact", linewidth=2)
    ax.set_ylim(0, 1.02)
    ax.set_xlim(0, t_max)
    ax.legend(loc="lower right", frameon=False, fontsize=FONT_SIZE - 1)
    return finish(ax, x="evaluations", y="share of runs that have succeeded")


def plot_fixed_budget(
    runtime: ExactRuntime, t_max: int | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw the expected fitness after every number of evaluations.

    Parameters
    ----------
    runtime
        What `hyperna.theory.expected_runtime` returned.
    t_max
        Where the axis ends; by default where nearly all successes are.

    Examples
    --------
    >>> from hyperna import expected_runtime, problem
    >>> plot_fixed_budget(expected_runtime(problem("quarter"), 16)).get_ylabel()
    'expected fitness'
    """
    ax = ax or new_axes((7.0, 4.6))
    t_max = _long_enough(runtime) if t_max is None else t_max
    ax.plot(np.arange(1, t_max + 1), runtime.fixed_budget(t_max)[1:], color=BLUE, linewidth=2)
    ax.set_xlim(0, t_max)
    return finish(ax, x="evaluations", y="expected fitness")


def plot_fixed_target(runtime: ExactRuntime, ax: "Axes | None" = None) -> "Axes":
    """Draw the expected evaluations until every fitness on the grid.

    Where a run may be stuck below, the expectation is infinite and the curve ends.

    Examples
    --------
    >>> from hyperna import expected_runtime, problem
    >>> plot_fixed_target(expected_runtime(problem("quarter"), 16)).get_xlabel()
    'fitness'
    """
    ax = ax or new_axes((7.0, 4.6))
    fitness, evaluations = runtime.fixed_target()
    finite = np.isfinite(evaluations)
    # a target between two values of the grid takes as long as the higher one
    ax.step(fitness[finite], evaluations[finite], where="pre", color=BLUE, linewidth=2)
    return finish(ax, x="fitness", y="expected evaluations until it is reached")


def _long_enough(runtime: ExactRuntime) -> int:
    """Evaluations within which nearly all successes are."""
    spread = 4 * np.nan_to_num(runtime.conditional_standard_deviation)
    return int(np.nan_to_num(runtime.conditional_mean, nan=10.0) + spread) + 1
