"""A scene as a file: the page itself, a picture of how the scene ends, or a film of its run.

Pictures and films are drawn by `hyperna.plots` from the scene's own setting and seed, so they show
the run that the page shows.
"""

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperna._files import check_writable, write_file
from hyperna._validation import check_choice, check_extra
from hyperna._words import shown
from hyperna.play.build import build_page
from hyperna.play.facts import page_facts
from hyperna.play.settings import PlaySetting
from hyperna.problems import ArcProblem
from hyperna.run.results import RunResult, Runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PICTURES = (".png", ".pdf", ".svg")
FILMS = (".gif", ".mp4")
EVERY = "all"
_DPI = 200
# Inches around each part of a picture, so that a slide has a margin.
_MARGIN = 0.15
# Columns of dots in the picture of a race.
_COLUMNS = 70


def scene_names() -> list[str]:
    """Return the names of the scenes, in their order.

    Examples
    --------
    >>> scene_names()
    ['solve', 'stuck', 'race', 'draw', 'rule', 'sphere']
    """
    return [scene["id"] for scene in page_facts()["scenes"]]


def export_scene(path: str | Path, scene: str = "solve", dark: bool = False) -> list[Path]:
    """Write a scene to a file, and return the files that were written.

    Parameters
    ----------
    path : str or Path
        The ending says what is written: ``.html`` the page, in one file that needs nothing else and
        begins with the scene; ``.png``, ``.pdf`` or ``.svg`` a picture of its end; ``.gif`` or
        ``.mp4`` a film, of scenes with one run.
    scene : str
        Its name, or "all" for a picture of each, with the names added to that of the file.
    dark : bool
        On a dark ground.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     files = export_scene(Path(folder, "race.html"), "race")
    ...     "scene=race" in files[0].read_text(encoding="utf-8")
    True
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in (".html", *PICTURES, *FILMS):
        known = ", ".join((".html", *PICTURES, *FILMS[:-1]))
        raise ValueError(f"a scene is written as {known} or {FILMS[-1]}, got {shown(str(path))}")
    check_choice("scene", scene, [*scene_names(), EVERY])
    if suffix == ".html":
        first = scene_names()[0] if scene == EVERY else scene
        theme = "&theme=dark" if dark else ""
        check_writable(target)
        write_file(target, build_page(f"#scene={first}{theme}").html)
        return [target]
    check_extra("pictures and films of scenes need", "matplotlib", "plot")
    scenes = {one["id"]: one for one in page_facts()["scenes"]}
    chosen = [one for one in scenes.values() if scene in (one["id"], EVERY)]
    if suffix in FILMS:
        from hyperna.plots.animation import check_film

        chosen = _with_one_run(chosen, scene)
        check_film(target)
    files = {one["id"]: target for one in chosen}
    if scene == EVERY:
        files = {name: target.with_stem(f"{target.stem}-{name}") for name in files}
    for file in files.values():
        check_writable(file)
    for name, file in files.items():
        write: Callable[..., None] = _write_film if suffix in FILMS else _write_picture
        write(file, scenes[name], dark)
    return list(files.values())


def _with_one_run(scenes: list[dict[str, Any]], wanted: str) -> list[dict[str, Any]]:
    """Return the scenes that a film can show, or say that this one is none of them."""
    found = [scene for scene in scenes if scene["kind"] == "run"]
    if not found:
        known = [one["id"] for one in page_facts()["scenes"] if one["kind"] == "run"]
        raise ValueError(f"films show the scenes {', '.join(known)}, got {wanted!r}")
    return found


def _run_of(scene: dict[str, Any]) -> tuple[PlaySetting, RunResult]:
    setting = PlaySetting.from_json(scene["setting"])
    return setting, setting.task.run(setting.seed, trajectory=True)


def _write_film(file: Path, scene: dict[str, Any], dark: bool) -> None:
    from hyperna.plots import animate_run, save_animation

    setting, result = _run_of(scene)
    save_animation(animate_run(setting.subject, result, dark=dark), file)


def _write_picture(file: Path, scene: dict[str, Any], dark: bool) -> None:
    from hyperna.plots import dark_pictures

    drawn = io.BytesIO()
    with dark_pictures(dark):
        figure = scene_figure(scene)
        figure.savefig(drawn, format=file.suffix.lower()[1:], dpi=_DPI)
    write_file(file, drawn.getvalue())


def scene_figure(scene: dict[str, Any]) -> "Figure":
    """Return a picture of how a scene ends."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.8, 7.2))
    figure.set_layout_engine("constrained", w_pad=_MARGIN, h_pad=_MARGIN)
    figure.suptitle(scene["heading"], fontsize=18, fontweight="bold")
    draw = {"run": _draw_run, "race": _draw_race, "rule": _draw_rule}[scene["kind"]]
    draw(figure, scene)
    return figure


def _draw_run(figure: "Figure", scene: dict[str, Any]) -> None:
    """Draw the last network beside the landscape, if there is one, or the fitness over time."""
    from hyperna.plots import plot_improvements, plot_landscape, plot_sphere
    from hyperna.plots.circle import draw_circle

    setting, result = _run_of(scene)
    subject = setting.subject
    grid = figure.add_gridspec(1, 2, width_ratios=[1, 1])
    if subject.dim == 2:
        draw_circle(figure.add_subplot(grid[0]), subject, result.network, result.fitness)
    else:
        solid: Any = figure.add_subplot(grid[0], projection="3d", computed_zorder=False)
        plot_sphere(subject, result.network, solid, share=result.fitness)
    beside = figure.add_subplot(grid[1])
    if setting.neurons == 1 and isinstance(subject, ArcProblem) and subject.dim == 2:
        plot_landscape(subject, setting.resolution, result.trajectory, beside)
    else:
        plot_improvements(result, beside)


def _draw_race(figure: "Figure", scene: dict[str, Any]) -> None:
    """Draw every run as a dot at its runtime, one lane for each law."""
    from hyperna.plots.style import curve_line, finish, plain_logarithmic

    lanes: dict[str, Runs] = {}
    for law in scene["lanes"]:
        setting = PlaySetting.from_json({**scene["setting"], "mutation": law})
        lanes[law] = setting.algorithm.run_many(
            setting.fitness, runs=scene["runs"], seed=setting.seed, **setting.limits
        )
    most = max(int(runs.evaluations.max()) for runs in lanes.values())
    axes = figure.subplots(len(lanes), 1, sharex=True, squeeze=False)[:, 0]
    for place, (law, runs) in enumerate(lanes.items()):
        ax: Axes = axes[place]
        colour, _ = curve_line(place)
        x, y = stacked(runs.evaluations, most)
        solved = np.asarray(runs.success)
        ax.plot(x[solved], y[solved], "o", color=colour, markersize=4)
        ax.plot(x[~solved], y[~solved], "x", color=colour, markersize=5)
        mean, error = runs.evaluations.mean(), runs.evaluations.std(ddof=1) / len(runs) ** 0.5
        told = f"{law} steps: {mean:,.0f} ± {error:,.0f} evaluations on average"
        ax.set_xlim(1, 1.1 * most)
        plain_logarithmic(ax.xaxis)
        last = place == len(lanes) - 1
        finish(ax, x="evaluations until the optimum" if last else "", title=told)
        ax.set_yticks([])


def stacked(times: Any, most: int) -> tuple[Any, Any]:
    """Return where the dots of runs lie: in columns on a logarithmic axis, the first one lowest.

    Examples
    --------
    >>> x, y = stacked(np.array([10, 10, 1000]), 1000)
    >>> y.tolist()
    [0, 1, 0]
    """
    column = np.minimum(_COLUMNS - 1, (np.log(times) / np.log(most) * _COLUMNS).astype(int))
    x = most ** ((column + 0.5) / _COLUMNS)
    y = np.zeros(len(times), dtype=int)
    for number in np.unique(column):
        inside = np.flatnonzero(column == number)
        y[inside[np.argsort(times[inside], kind="stable")]] = np.arange(len(inside))
    return x, y


def _draw_rule(figure: "Figure", scene: dict[str, Any]) -> None:
    """Draw the table with the rule that `NAClassifier` chooses, its words, and the path."""
    from hyperna.classifier import NAClassifier, export_text
    from hyperna.plots import plot_boundary
    from hyperna.plots.style import FONT_SIZE, curve_line, finish

    table = page_facts()["tables"][scene["table"]]
    rows = np.array(table["points"])
    # Classes are coloured in the order of their names, and a rule is about the last one.
    negative, positive = table["classes"]
    names = ("negative", "positive") if positive < negative else (negative, positive)
    X, y = rows[:, :2], np.array(names)[rows[:, 2].astype(int)]
    fitted = NAClassifier(random_state=0).fit(X, y)
    # As after a fit to a data frame with these columns.
    fitted.feature_names_in_ = np.array(table["features"], dtype=object)
    grid = figure.add_gridspec(2, 2, width_ratios=[1.6, 1])
    plot_boundary(fitted, X, y, figure.add_subplot(grid[:, 0]), features=[0, 1])
    words = figure.add_subplot(grid[0, 1])
    words.set_axis_off()
    text = export_text(fitted)
    words.text(0, 0.9, text, va="top", fontsize=FONT_SIZE, family="monospace", wrap=True)
    curve = figure.add_subplot(grid[1, 1])
    path = fitted.path_
    colour, _ = curve_line(0)
    curve.plot([row.terms for row in path], [row.errors for row in path], "o-", color=colour)
    curve.plot(path.chosen.terms, path.chosen.errors, "*", color=colour, markersize=18)
    curve.set_ylim(bottom=0)
    finish(curve, x="terms", y="errors", title="the best rule found with so many terms")
