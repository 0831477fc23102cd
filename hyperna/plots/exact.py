"""Pictures of exact runtimes: expected times of all starts, and distributions beside simulation."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from hyperna._validation import FloatArray
from hyperna.plots.style import BLUE, FONT_SIZE, VERMILLION, finish, new_axes
from hyperna.theory import ExactRuntime

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_expected_times(
    runtime: ExactRuntime, ax: "Axes | None" = None, values: FloatArray | None = None
) -> "Axes":
    """Draw the expected number of evaluations from every first search point.

    A heat map over angle and bias, a curve over the angle if the bias is not searched. Starts from
    which the optimum may never be found are grey (with bias) or left out.

    Parameters
    ----------
    runtime
        What `hyperna.theory.expected_runtime` returned.
    values
        Something else to draw, of the shape of ``runtime.per_state``, such as
        ``runtime.per_state_probability`` or a basin.

    Examples
    --------
    >>> from hyperna import expected_runtime, problem
    >>> plot_expected_times(expected_runtime(problem("quarter"), 16)).get_ylabel()
    'bias'
    """
    if runtime.neurons == 2:
        raise ValueError("runtime must be of one neuron for a map of angle and bias, got two")
    ax = new_axes(ax, (8.0, 5.2))
    shown = runtime.per_state if values is None else values
    what = "expected evaluations" if values is None else "probability"
    r = shown.shape[0]
    if shown.ndim == 1:
        ax.plot(360 * np.arange(r) / r, np.where(np.isfinite(shown), shown, np.nan), color=BLUE)
        ax.set_xticks(range(0, 361, 60))
        return finish(ax, x="angle in degrees", y=what)
    ax.set_facecolor("0.8")
    image = ax.imshow(
        np.ma.masked_invalid(shown).T,
        origin="lower",
        aspect="auto",
        cmap="viridis",
        extent=(-180 / r, 360 - 180 / r, -1 - 1 / r, 1 + 1 / r),
    )
    bar = ax.figure.colorbar(image, ax=ax)
    bar.set_label(what, fontsize=FONT_SIZE)
    bar.ax.tick_params(labelsize=FONT_SIZE - 1)
    ax.set_xticks(range(0, 361, 60))
    return finish(ax, x="angle in degrees", y="bias", grid=False)


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
    ax = new_axes(ax, (7.0, 4.6))
    if t_max is None:
        spread = 4 * np.nan_to_num(runtime.conditional_standard_deviation)
        t_max = int(np.nan_to_num(runtime.conditional_mean, nan=10.0) + spread) + 1
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
