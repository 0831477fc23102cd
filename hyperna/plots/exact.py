"""Pictures of exact runtimes: times of all starts, drift, distributions and curves."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from hyperna._validation import FloatArray, check_choice, check_integer, check_kind
from hyperna._words import shown as shown_value
from hyperna.plots.style import (
    BLUE,
    FONT_SIZE,
    ORANGE,
    VERMILLION,
    finish,
    heat_map,
    legend_below,
    new_axes,
    plain_logarithmic,
)
from hyperna.plots.theme import theme
from hyperna.theory import Drift, ExactRuntime

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The grey of starts from which the time is infinite.
_INFINITE = "0.8"


def plot_expected_times(
    runtime: ExactRuntime,
    ax: "Axes | None" = None,
    values: FloatArray | None = None,
    title: str = "",
    components: tuple[int, int] | None = None,
) -> "Axes":
    """Draw the expected number of evaluations from every first search point.

    A heat map over two components, a curve over the angle if only that is searched. Starts from
    which the optimum may never be found are grey (in a map) or left out.

    Parameters
    ----------
    runtime
        What `hyperna.theory.expected_runtime` returned.
    values
        Something else to draw, of the shape of ``runtime.per_state``, such as
        ``runtime.per_state_probability`` or a basin.
    title
        What was computed; a runtime does not know its problem.
    components
        The two components to draw over, as places in ``runtime.components``, if there are more than
        two; values are averaged over all others. By default the last angle of the first neuron and
        the component after it.

    Examples
    --------
    >>> from hyperna import expected_runtime, problem
    >>> plot_expected_times(expected_runtime(problem("quarter"), 16)).get_ylabel()
    'bias'
    """
    check_kind("runtime", runtime, ExactRuntime)
    shown = runtime.per_state if values is None else values
    what = "expected evaluations" if values is None else "probability"
    return _over_components(runtime, shown, what, ax, title, components)


def _over_components(
    runtime: ExactRuntime,
    values: FloatArray,
    what: str,
    ax: "Axes | None",
    title: str,
    components: tuple[int, int] | None,
) -> "Axes":
    """Draw values over one or two components, averaged over all others."""
    ax = ax or new_axes((8.0, 5.2))
    if values.ndim == 1:
        place, _ = _component_scale(runtime, 0)
        ax.plot(place, np.where(np.isfinite(values), values, np.nan), color=BLUE)
        ax.set_xticks(range(0, 361, 60))
        return finish(ax, x=f"{runtime.components[0]} in degrees", y=what, title=title)
    chosen = _chosen_components(runtime, components)
    others = tuple(k for k in range(values.ndim) if k not in chosen)
    averaged = any(values.shape[k] > 1 for k in others)
    shown = values.mean(axis=others) if others else values
    if chosen[0] > chosen[1]:
        shown = shown.T
    ends: list[float] = []
    names: list[str] = []
    for k in chosen:
        place, unit = _component_scale(runtime, k)
        half = (place[1] - place[0]) / 2
        ends += [place[0] - half, place[-1] + half]
        names.append(runtime.components[k] + unit)
    ax.set_facecolor(_INFINITE)
    label = f"{what}, averaged over all others" if averaged else what
    heat_map(ax, np.ma.masked_invalid(shown), ends, label, "viridis")
    if ends[1] > 300:
        ax.set_xticks(range(0, 360, 60))
    if np.isinf(shown).any():
        ax.bar(0, 0, color=_INFINITE, label="infinite: a run may get stuck")
        legend_below(ax, room=0.16)
    return finish(ax, x=names[0], y=names[1], title=title, grid=False)


def _chosen_components(
    runtime: ExactRuntime, components: tuple[int, int] | None
) -> tuple[int, int]:
    """Two components to draw over."""
    if components is None:
        names = runtime.components
        angles = [k for k, name in enumerate(names) if name.startswith("angle")]
        # the last angle of the first neuron
        first = max(k for k in angles if k < runtime.grid.width)
        return first, first + 1 if first + 1 < len(names) else first - 1
    first, second = components
    count = len(runtime.components)
    if not (0 <= first < count and 0 <= second < count and first != second):
        raise ValueError(
            f"components must be two places from 0 to {count - 1}, got {shown_value(components)}"
        )
    return first, second


def _component_scale(runtime: ExactRuntime, component: int) -> tuple[FloatArray, str]:
    """The values of a component as people read them, and their unit."""
    r = runtime.grid.resolution
    index = np.arange(runtime.per_state.shape[component])
    name = runtime.components[component]
    if name.startswith("bias"):
        return 2 * index / r - 1, ""
    turn = 180 if name.startswith("bend") else 360
    return turn * index / r, " in degrees"


def plot_drift(
    drift: Drift,
    ax: "Axes | None" = None,
    over: str = "potential",
    title: str = "",
    components: tuple[int, int] | None = None,
) -> "Axes":
    """Draw the drift of a potential in every state.

    Parameters
    ----------
    drift
        What `hyperna.theory.drift` returned.
    over
        "potential": a point for each search point over its potential, with the lines of the least
        drift and of the least drift relative to the potential. "components": a map over angle and
        bias, or other two components, of the least drift over all others. Where the potential does
        not fall it is marked.
    title
        What was computed.
    components
        As in `plot_expected_times`, for the map.

    Examples
    --------
    >>> from hyperna.theory import drift, expected_runtime
    >>> found = drift(expected_runtime("half", 24, bias=False), "distance")
    >>> plot_drift(found).get_xlabel()
    'potential (distance)'
    """
    check_kind("drift", drift, Drift)
    check_choice("over", over, ("potential", "components"))
    if over == "components":
        return _drift_over_components(drift, ax, title, components)
    ax = ax or new_axes((7.0, 4.8))
    free = drift.free
    failing = drift.failing
    good = free & ~failing
    potential = drift.values
    ax.plot(potential[good], drift.drift[good], ".", color=BLUE, alpha=0.5, label="drift")
    if failing.any():
        label = f"no fall on average: {failing.sum():,} of {free.sum():,} networks"
        ax.plot(potential[failing], drift.drift[failing], "x", color=VERMILLION, label=label)
    ends = np.array([potential[free].min(), potential[free].max()])
    rate = drift.multiplicative_rate
    ax.plot(ends, rate * ends, "--", color=ORANGE, label=f"least relative drift, {rate:.3g}")
    least = drift.additive_rate
    ax.axhline(least, linestyle=":", color=theme().ink, label=f"least drift, {least:.3g}")
    if not failing.any() and drift.largest_rate > 30 * least > 0:
        # both, so that a rate remains a straight line
        plain_logarithmic(ax.xaxis)
        plain_logarithmic(ax.yaxis)
    legend_below(ax, room=0.16)
    return finish(ax, x=f"potential ({drift.potential})", y="drift in one step", title=title)


def _drift_over_components(
    drift: Drift, ax: "Axes | None", title: str, components: tuple[int, int] | None
) -> "Axes":
    """Draw the drift over one or two components, the least one over all others."""
    runtime = drift.runtime
    values = np.where(drift.free, drift.drift, np.nan)
    chosen = tuple(range(values.ndim))
    if values.ndim > 1:
        chosen = _chosen_components(runtime, components)
    others = tuple(k for k in range(values.ndim) if k not in chosen)
    least = np.fmin.reduce(values, axis=others, keepdims=True) if others else values
    what = f"drift of {drift.potential}" + (", least over all others" if others else "")
    ax = _over_components(runtime, least, what, ax, title, components)
    # places of the networks, in the order of the axes
    where = np.nonzero(drift.failing.any(axis=others, keepdims=True) if others else drift.failing)
    places = [_component_scale(runtime, k)[0][where[k]] for k in chosen]
    if len(places) == 1:
        places.append(values[where])
    elif np.isnan(least).any():
        label = "target" if drift.region.all() else "target, or not in the region"
        ax.bar(0, 0, color=_INFINITE, label=label)
    if places[0].size:
        ax.plot(*places, "x", color=VERMILLION, label="no fall on average")
    if ax.get_legend_handles_labels()[1]:
        legend_below(ax, room=0.16)
    return ax


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
    check_kind("runtime", runtime, ExactRuntime)
    t_max = _long_enough(runtime) if t_max is None else check_integer("t_max", t_max, 1)
    ax = ax or new_axes((7.0, 4.6))
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
    check_kind("runtime", runtime, ExactRuntime)
    t_max = _long_enough(runtime) if t_max is None else check_integer("t_max", t_max, 1)
    ax = ax or new_axes((7.0, 4.6))
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
    check_kind("runtime", runtime, ExactRuntime)
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
