"""A run as a film: the network on the circle or the sphere beside its fitness."""

import base64
import io
import json
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hyperna._files import write_file
from hyperna._validation import check_kind
from hyperna._words import shown
from hyperna.plots.circle import plot_circle
from hyperna.plots.sphere import plot_sphere
from hyperna.plots.style import BLUE, VERMILLION, finish, plain_logarithmic
from hyperna.plots.theme import DARK, LIGHT, dark_pictures, theme
from hyperna.problems import Problem
from hyperna.run.results import RunResult, Trajectory

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation

SUFFIXES = (".gif", ".mp4", ".html")
_SECONDS = 6
_DPI = 80
_COLOURS = 128  # of the pictures of a page


def animate_run(
    problem: Problem, result: RunResult, frames: int = 60, pause: int = 12, *, dark: bool = False
) -> "FuncAnimation":
    """Return a film of a run that was made with ``trajectory=True``.

    Frames follow the logarithm of the evaluations, since most happens early; the last one is
    held. `save_animation` writes a file.

    Parameters
    ----------
    problem, result
        What was to be learnt (D = 2 or 3), and the run.
    frames
        Number of different pictures at most.
    pause
        How many times the last picture is repeated.
    dark
        On a dark ground, for dark pages and slides.

    Examples
    --------
    >>> from hyperna import OnePlusOneNA, problem
    >>> na = OnePlusOneNA(neurons=1, resolution=60)
    >>> result = na.run(problem("quarter"), seed=0, trajectory=True)
    >>> film = animate_run(problem("quarter"), result, frames=5, pause=0)
    >>> len(list(film.new_frame_seq())) <= 5
    True
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save_animation(film, f"{folder}/quarter.gif")
    """
    check_kind("problem", problem, Problem)
    check_kind("result", result, RunResult)
    if result.trajectory is None:
        raise ValueError("result must be of a run with trajectory=True, it has no trajectory")
    if problem.dim not in (2, 3):
        raise ValueError(f"films show D = 2 and D = 3, got a problem with D = {problem.dim}")
    from matplotlib.animation import FuncAnimation
    from matplotlib.figure import Figure

    way = result.trajectory
    chosen = chosen_frames(way, frames)
    # Axes at fixed places: a layout computed for each picture would make the film tremble.
    options = {"projection": "3d", "computed_zorder": False} if problem.dim == 3 else {}
    with dark_pictures(dark):
        figure: Any = Figure(figsize=(10.5, 5.6))
        network = figure.add_axes((0.04, 0.22, 0.49, 0.65), **options)
        curve = figure.add_axes((0.61, 0.14, 0.36, 0.74))
    legend: list[Any] = []
    shown: list[int] = []

    def draw(frame: int) -> None:
        if shown and shown[-1] == frame:
            return
        shown.append(frame)
        with dark_pictures(dark):
            draw_network(frame)
            draw_curve(frame)

    def draw_network(frame: int) -> None:
        network.clear()
        plot: Any = plot_circle if problem.dim == 2 else plot_sphere
        plot(problem, way.network(frame), network)
        _one_legend(figure, network, legend)

    def draw_curve(frame: int) -> None:
        curve.clear()
        curve.step(way.evaluations, way.fitness, where="post", color=theme().line, linewidth=2)
        past = way.evaluations[: frame + 1], way.fitness[: frame + 1]
        curve.step(*past, where="post", color=BLUE, linewidth=2.4)
        curve.plot(past[0][-1], past[1][-1], "o", color=VERMILLION, markersize=9)
        plain_logarithmic(curve.xaxis)
        title = f"evaluation {past[0][-1]:,}"
        finish(curve, x="fitness evaluations", y="fitness", title=title)

    # A short run is shown slowly, so that it can be followed.
    interval = min(max(_SECONDS * 1000 // len(chosen), 120), 600)
    order = [*chosen, *[chosen[-1]] * pause]
    return FuncAnimation(figure, draw, frames=order, init_func=lambda: None, interval=interval)


def _one_legend(figure: Any, network: Any, legend: list[Any]) -> None:
    """Keep the entries of all pictures so far in one legend of the figure, which never shrinks."""
    network.get_legend().remove()
    marks, words = network.get_legend_handles_labels()
    names = [word.partition(",")[0] for word in words]
    known = [word for _, word in legend]
    legend += [pair for pair in zip(marks, names, strict=True) if pair[1] not in known]
    for old in list(figure.legends):
        old.remove()
    figure.legend(
        *zip(*legend, strict=True),
        loc="lower left",
        bbox_to_anchor=(0.02, 0.0),
        ncols=3,
        frameon=False,
    )


def chosen_frames(way: Trajectory, frames: int) -> list[int]:
    """Return which accepted networks to show: first, last, and evenly in log time between them."""
    when: NDArray[np.float64] = np.log(way.evaluations)
    wanted = np.linspace(when[0], when[-1], max(frames, 2))
    places = np.searchsorted(when, wanted + 1e-12, side="right") - 1
    return [int(place) for place in np.unique(np.clip(places, 0, len(way) - 1))]


def check_film(path: str | Path) -> Path:
    """Return the path of a film that can be made here, or say why it cannot, before any work."""
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"a film must end in .gif, .mp4 or .html, got {shown(str(path))}")
    if suffix == ".mp4":
        from matplotlib.animation import FFMpegWriter

        if not FFMpegWriter.isAvailable():
            raise ValueError(f"{path} needs the program ffmpeg; install it, or use .gif or .html")
    return target


def save_animation(film: "FuncAnimation", path: str | Path) -> None:
    """Write a film as ``.gif``, ``.mp4`` (needs ffmpeg) or ``.html``.

    The page holds everything it needs, its buttons included, and loads nothing from elsewhere. The
    file appears when it is complete.
    """
    target = check_film(path)
    suffix = target.suffix.lower()
    if suffix == ".html":
        write_file(target, _film_page(film))
        return
    with TemporaryDirectory() as folder:
        draft = Path(folder, f"film{suffix}")
        if suffix == ".mp4":
            # The colours that every player knows.
            film.save(draft, writer="ffmpeg", dpi=_DPI, extra_args=["-pix_fmt", "yuv420p"])
        else:
            film.save(draft, writer="pillow", dpi=_DPI)
        write_file(target, draft.read_bytes())


def _film_page(film: "FuncAnimation") -> str:
    """Return a page with the pictures, buttons and nothing from elsewhere."""
    from matplotlib.animation import AbstractMovieWriter
    from PIL import Image

    pictures: list[str] = []
    order: list[int] = []
    grounds: list[Any] = []

    class Pages(AbstractMovieWriter):
        """Collects the pictures; one that is repeated is kept once."""

        def setup(self, fig: Any, outfile: Any, dpi: float | None = None) -> None:
            super().setup(fig, outfile, dpi)
            grounds.append(fig.get_facecolor())

        def grab_frame(self, **options: Any) -> None:
            drawn = io.BytesIO()
            self.fig.savefig(drawn, format="png", dpi=self.dpi, **options)
            small = io.BytesIO()
            with Image.open(drawn) as picture:
                flat = picture.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
                flat.save(small, format="png", optimize=True)
            text = base64.b64encode(small.getvalue()).decode()
            if not pictures or pictures[-1] != text:
                pictures.append(text)
            order.append(len(pictures) - 1)

        def finish(self) -> None:
            """Nothing is open."""

    film.save("film.html", writer=Pages(), dpi=_DPI)
    interval = int(getattr(film.event_source, "interval", 200))
    page = files("hyperna.plots").joinpath("film.html").read_text(encoding="utf-8")
    # The page around the pictures has their colours.
    colours = DARK if max(grounds[0][:3]) < 0.5 else LIGHT
    return (
        page.replace("PICTURES", json.dumps(pictures), 1)
        .replace("ORDER", json.dumps(order), 1)
        .replace("INTERVAL", str(interval), 1)
        .replace("SCHEME", "dark" if colours is DARK else "light", 1)
        .replace("PAPER", colours.paper, 1)
        .replace("INK", colours.ink, 1)
    )
