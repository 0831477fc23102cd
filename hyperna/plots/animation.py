"""A run as a film: the network on the circle beside its fitness (D = 2)."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hyperna._files import check_writable, write_file
from hyperna.plots.circle import plot_circle
from hyperna.plots.style import BLUE, VERMILLION, finish, plain_logarithmic
from hyperna.problems import Problem
from hyperna.results import RunResult, Trajectory

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation

SUFFIXES = (".gif", ".html")
_SECONDS = 6


def animate_run(
    problem: Problem, result: RunResult, frames: int = 60, pause: int = 12
) -> "FuncAnimation":
    """Return a film of a run that was made with ``trajectory=True``.

    Frames follow the logarithm of the evaluations, since most happens early; the last one is
    held. In a notebook show it with ``HTML(film.to_jshtml())``; `save_animation` writes a file.

    Parameters
    ----------
    problem, result
        What was to be learnt (D = 2), and the run.
    frames
        Number of different pictures at most.
    pause
        How many times the last picture is repeated.

    Examples
    --------
    >>> from hyperna import OnePlusOneNA, problem
    >>> na = OnePlusOneNA(neurons=1, resolution=60)
    >>> result = na.run(problem("quarter"), seed=0, trajectory=True)
    >>> film = animate_run(problem("quarter"), result, frames=5, pause=0)
    >>> len(list(film.new_frame_seq())) <= 5
    True
    >>> "<script" in film.to_jshtml()
    True
    """
    if result.trajectory is None:
        raise ValueError("result must be of a run with trajectory=True, it has no trajectory")
    from matplotlib.animation import FuncAnimation
    from matplotlib.figure import Figure

    way = result.trajectory
    chosen = chosen_frames(way, frames)
    figure: Any = Figure(figsize=(10.5, 5.6), layout="constrained")
    circle, curve = figure.subplots(1, 2, width_ratios=(1.1, 1))

    def draw(frame: int) -> None:
        circle.clear()
        curve.clear()
        plot_circle(problem, way.network(frame), circle)
        curve.step(way.evaluations, way.fitness, where="post", color="0.8", linewidth=2)
        curve.step(
            way.evaluations[: frame + 1],
            way.fitness[: frame + 1],
            where="post",
            color=BLUE,
            linewidth=2.4,
        )
        curve.plot(way.evaluations[frame], way.fitness[frame], "o", color=VERMILLION, markersize=9)
        curve.set_xscale("log")
        plain_logarithmic(curve.xaxis)
        title = f"evaluation {way.evaluations[frame]:,}"
        finish(curve, x="fitness evaluations", y="fitness", title=title)

    # A short run is shown slowly, so that it can be followed.
    interval = min(max(_SECONDS * 1000 // len(chosen), 120), 600)
    order = [*chosen, *[chosen[-1]] * pause]
    return FuncAnimation(figure, draw, frames=order, init_func=lambda: None, interval=interval)


def chosen_frames(way: Trajectory, frames: int) -> list[int]:
    """Return which accepted networks to show: first, last, and evenly in log time between them."""
    when: NDArray[np.float64] = np.log(way.evaluations)
    wanted = np.linspace(when[0], when[-1], max(frames, 2))
    places = np.searchsorted(when, wanted + 1e-12, side="right") - 1
    return [int(place) for place in np.unique(np.clip(places, 0, len(way) - 1))]


def save_animation(film: "FuncAnimation", path: str | Path) -> None:
    """Write a film as ``.gif`` or as a self-contained ``.html`` page with controls.

    The file appears when it is complete.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"path must end in .gif or .html, got {str(path)!r}")
    check_writable(target)
    if suffix == ".html":
        write_file(target, film.to_jshtml())
        return
    with TemporaryDirectory() as folder:
        draft = Path(folder, "film.gif")
        film.save(draft, writer="pillow", dpi=80)
        write_file(target, draft.read_bytes())
