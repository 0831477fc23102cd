"""What pictures show, in lines of text: all that is drawn with its place, colour and size."""

import contextlib
import re
from functools import partial
from pathlib import Path

import numpy as np

COMMANDS = [
    "run quarter --runs 12",
    "run local_opt --mutation local --runs 12 --resolution 36",
    "run cube --dim 3 --neurons 4 --output xor --runs 5",
    "run two_quarters --dim 3 --points 100 --budget 500 --runs 5",
    "run sweet.csv --label sweet --weight mass --scale --budget 200 --neurons 2 --runs 4",
    "run half --dim 4 --points 50 --budget 200 --runs 5",
    "run quarter --algorithm rls --budget 900 --runs 5",
    "run quarter --target 1 --budget 5 --runs 3",
    "theory local_opt --resolution 12 --mutation local",
    "theory half --resolution 16 --no-bias",
    "theory two_quarters --resolution 6 --neurons 2",
    "fit moons --neurons 2 --output or --max-evals 1000",
    "fit circles --neuron bent --neurons 2 --output and --max-evals 1000",
    "fit table.csv --label kind --ignore mass,sweet --neurons 1 --max-evals 1000",
    "fit two_quarters_d5 --neurons 2 --output or --max-evals 500",
    "compare xor --classifiers na,tree --folds 2 --repeats 2 --rotate",
    "compare xor moons circles table.csv --classifiers logistic,knn --folds 2 --label kind",
]
SIZES = (30, 60, 120, 240)


def sums(values):
    """Number, plain sum and a sum that depends on the order, of all finite values."""
    if hasattr(values, "filled"):
        values = values.filled(np.nan)
    flat = np.nan_to_num(np.asarray(values, dtype=float).ravel(), posinf=1e3, neginf=-1e3)
    turned = flat * np.cos(np.arange(flat.size))
    return " ".join(f"{round(x, 6) + 0.0:.4g}" for x in (flat.size, flat.sum(), turned.sum()))


def drawn(figure):
    """Yield a line of text for each thing drawn."""
    yield f"figure {figure.get_size_inches().round(3).tolist()}"
    for legend in figure.legends:
        yield _legend(legend)
    for ax in figure.axes:
        yield from _axes(ax)


def _axes(ax):
    yield f"axes {ax.get_title()!r} {ax.get_xlabel()!r} {ax.get_ylabel()!r} {ax.get_yscale()}"
    view = f" seen from {ax.elev} {ax.azim} {ax.roll}" if ax.name == "3d" else ""
    words = (ax.title, ax.xaxis.label, ax.yaxis.label)
    yield (
        f"frame {ax.axison} {ax.get_aspect()} {_colours(ax.get_facecolor())} {ax.get_xscale()} "
        f"{sums([*ax.get_xlim(), *ax.get_ylim()])} {[word.get_fontsize() for word in words]} "
        f"{[side for side in ax.spines if ax.spines[side].get_visible()]} "
        f"{ax.get_axisbelow()}{view}"
    )
    if ax.axison and ax.name != "3d":
        for axis in (ax.xaxis, ax.yaxis):
            yield _ticks(axis)
    for line in ax.lines:
        data = line.get_data_3d() if hasattr(line, "get_data_3d") else line.get_xydata()
        yield f"line {_name(line)} {sums(data)}"
        effects = [getattr(effect, "_gc", None) for effect in line.get_path_effects()]
        yield (
            f"{_colours(line.get_color())} {line.get_linestyle()} {line.get_linewidth()} "
            f"{line.get_marker()} {line.get_markersize()} {_colours(line.get_markerfacecolor())} "
            f"{_colours(line.get_markeredgecolor())} {line.get_drawstyle()} {line.get_clip_on()} "
            f"{effects} {_place(line)}"
        )
    for part in ax.collections:
        yield from _collection(part)
    for patch in ax.patches:
        path = patch.get_patch_transform().transform_path(patch.get_path())
        yield f"patch {sums(path.vertices)} {_name(patch)} {_edges(patch)}"
    for image in ax.images:
        yield f"image {sums(image.get_array())} {sums(image.get_extent())} {image.origin}"
        yield f"{image.get_cmap().name} {sums(image.get_clim())}"
    for text in ax.texts:
        yield f"text {text.get_text()!r} {_text(text)}"
    if ax.get_legend() is not None:
        yield _legend(ax.get_legend())


def _ticks(axis):
    low, high = sorted(axis.get_view_interval())
    words = axis.get_majorticklabels()  # which brings the ticks up to date
    inside = [place for place, t in enumerate(axis.get_major_ticks()) if low <= t.get_loc() <= high]
    lines = {tick.gridline.get_visible() for tick in axis.get_major_ticks()}
    style = {f"{words[place].get_fontsize()} {words[place].get_fontweight()}" for place in inside}
    return f"ticks {[words[place].get_text() for place in inside]} {sorted(style)} {lines}"


def _collection(part):
    paths = [path.vertices for path in part.get_paths()[:200]]
    if hasattr(part, "_offsets3d"):
        offsets, shape = np.array([np.asarray(x, float) for x in part._offsets3d]), []
    elif hasattr(part, "_vec"):
        offsets, shape = part._vec, []
    else:
        offsets = part.get_offsets() if part.get_offset_transform().is_affine else []
        shape = np.concatenate(paths) if paths and not len(offsets) else []
    values = "" if part.get_array() is None else sums(part.get_array())
    yield f"{type(part).__name__} {sums(offsets)}, {sums(shape)}, {values}"
    sizes = part.get_sizes() if hasattr(part, "get_sizes") else []
    marks = [len(path) for path in paths[:1]] if hasattr(part, "get_sizes") else []
    dashes = [dash for _, dash in part.get_linestyle()[:2]]
    lines = sums(np.asarray(part.get_linewidth(), float))
    yield (
        f"{_name(part)} {_colours(part.get_facecolor())} {_colours(part.get_edgecolor())} {lines} "
        f"{dashes} {sums(sizes)} {marks} {part.get_hatch()} {_place(part)}"
    )
    if part.get_array() is not None:
        yield f"{part.get_cmap().name} {sums(part.get_clim())} {part.get_rasterized()}"


def _name(artist):
    label = str(artist.get_label())
    return "''" if label.startswith("_") else repr(label)


def _colours(values):
    """Return colours as text, many as sums."""
    from matplotlib.colors import to_hex, to_rgba_array

    rows = to_rgba_array(values)
    return sums(rows) if len(rows) > 2 else " ".join(to_hex(row, keep_alpha=True) for row in rows)


def _place(artist):
    return f"above {artist.get_zorder()} alpha {artist.get_alpha()}"


def _edges(patch):
    return (
        f"{_colours(patch.get_facecolor())} {_colours(patch.get_edgecolor())} {_place(patch)} "
        f"{patch.get_linewidth()} {patch.get_linestyle()} {patch.get_hatch()} {patch.get_fill()}"
    )


def _text(text):
    places = [text.get_position(), getattr(text, "xy", ())]
    arrow = getattr(text, "arrow_patch", None)
    shown = "" if arrow is None else f"{_edges(arrow)} {arrow.shrinkA} {arrow.shrinkB}"
    return (
        f"{text.get_ha()} {text.get_va()} {text.get_fontsize()} {text.get_fontweight()} "
        f"{_colours(text.get_color())} {_place(text)} {[sums(place) for place in places]} {shown}"
    )


def _legend(legend):
    words = [text.get_text() for text in legend.get_texts()]
    sizes = sorted({text.get_fontsize() for text in legend.get_texts()})
    box = legend.get_bbox_to_anchor()._bbox if legend.parent is not legend.figure else None
    places = [] if box is None else box.get_points().round(4).tolist()
    return (
        f"legend {words} {sizes} {legend._ncols} {legend.get_frame_on()} {legend._loc} "
        f"{places} {legend.get_title().get_text()!r}"
    )


@contextlib.contextmanager
def recorded(draw=False):
    """Yield a list of all that is drawn into the figures that are saved."""
    from matplotlib.figure import Figure

    told, plain = [], Figure.savefig

    def savefig(figure, *args, **options):
        told.extend(drawn(figure))
        told.append(f"saved {sorted((key, str(value)) for key, value in options.items())}")
        if draw:
            plain(figure, *args, **options)

    Figure.savefig = savefig
    try:
        yield told
    finally:
        Figure.savefig = plain


def pictures(command):
    """Yield name and function of every picture; `command` runs a command line."""
    for text in COMMANDS:
        yield f"{text} --plot", partial(_of_command, command, f"{text} --plot some.png")
    for make in (_landscapes, _of_runs, _of_theory, _of_networks, _of_classifiers, _films):
        yield f"pictures: {make.__name__.strip('_').replace('_', ' ')}", partial(_all_drawn, make)
    yield "film, files", film_files


def _of_command(command, text):
    with recorded() as told:
        command(text)
    return told


def _all_drawn(make):
    import matplotlib.pyplot as plt

    for name, figure in make():
        yield f"-- {name}"
        yield from drawn(getattr(figure, "figure", figure))
        plt.close("all")


def _landscapes():
    from hyperna import FiniteSet, OnePlusOneNA, Sampled, custom_arcs, plots, points, problem

    opt = problem("local_opt")
    for seed in (0, 4):
        run = OnePlusOneNA(1, resolution=36).run(opt, seed=seed, budget=200, trajectory=True)
        yield "with a way", plots.plot_landscape(opt, 36, run.trajectory)
    yield "quarter", plots.plot_landscape(problem("quarter"), 24)
    yield "sampled", plots.plot_landscape(Sampled(problem("half"), n=40), 16)
    some = points([[0.5, 0.2], [-0.3, 0.6], [0.1, -0.8]], [1, 0, 1])
    yield "points", plots.plot_landscape(some, 20)
    yield "set", plots.plot_landscape(FiniteSet(some.X, some.y, tie_clip=0.3), 12)
    yield "arcs", plots.plot_landscape(custom_arcs([(0, 0.2), (0.3, 0.4), (0.6, 0.9)]), 24)


def _of_runs():
    from hyperna import OnePlusOneNA, plots, points, problem
    from hyperna.analysis.growth import theorem_bound

    opt = problem("local_opt")
    results = [OnePlusOneNA(1, resolution=36).run(opt, seed=seed, budget=200) for seed in range(6)]
    batches = {
        law: OnePlusOneNA(1, resolution=24, mutation=law).run_many(opt, 20, seed=1)
        for law in ("harmonic", "local")
    }
    short = OnePlusOneNA(1, resolution=10**6).run_many(opt, 3, seed=1, budget=3)
    long = {f"{k}": OnePlusOneNA(1, resolution=8).run_many(opt, 2, seed=k) for k in range(9)}
    yield "runtimes", plots.plot_runtimes(batches)
    yield "runtimes of one", plots.plot_runtimes(batches["local"])
    yield "no success", plots.plot_runtimes(short)
    yield "nine", plots.plot_runtimes(long)
    yield "boxes", plots.plot_boxes(batches)
    yield "nine boxes", plots.plot_boxes(long)
    yield "convergence", plots.plot_convergence(results)
    yield "improvements", plots.plot_improvements(results[1])
    # between linear and r ln r, so that no law fits without a rest, which rounding would decide
    times = {r: r ** (1.0 + 0.1 * k) * np.linspace(0.5, 2, 9) for k, r in enumerate(SIZES)}
    for name, law in (("quarter", "harmonic"), ("local_opt", "uniform")):
        yield "scaling", plots.plot_scaling(times, theorem_bound(name, law))
    powers = {2**k: k**2 * np.linspace(0.9, 1.1, 5) for k in range(4, 21, 2)}
    yield "powers of two", plots.plot_scaling(powers)
    for law, dim in (("harmonic", 2), ("harmonic", 3), ("uniform", 5)):
        made = problem("half", dim=dim)
        runs = OnePlusOneNA(1, resolution=24, mutation=law).run_many(made, 5, seed=1, budget=300)
        yield f"batch {dim}", plots.batch_figure(made, runs)
    some = points([[0.5, 0.2], [-0.3, 0.6], [0.1, -0.8]], [1, 0, 1])
    runs = OnePlusOneNA(2, resolution=24, output="xor").run_many(some, 5, seed=1, budget=300)
    yield "batch of points", plots.batch_figure(some, runs)


def _of_theory():
    from hyperna import OnePlusOneNA, expected_runtime, plots, problem

    for name, law, options in (
        ("quarter", "local", {}),
        ("half", "harmonic", {"bias": False}),
        ("quarter", "harmonic", {"neuron": "bent", "bias": False}),
        ("local_opt", "local", {}),
    ):
        made = expected_runtime(problem(name), 12, law, **options)
        neuron = {"bias": options.get("bias", True), "neuron": options.get("neuron", "plain")}
        na = OnePlusOneNA(1, resolution=12, mutation=law, **neuron)
        runs = na.run_many(problem(name), 20, seed=1, budget=500)
        yield f"times {name} {options}", plots.plot_expected_times(made)
        share = made.per_state_probability
        yield "probability", plots.plot_expected_times(made, values=share)
        yield "distribution", plots.plot_distribution(made, runs.evaluations)
        yield "without runs", plots.plot_distribution(made, t_max=30)
        yield "fixed budget", plots.plot_fixed_budget(made)
        yield "short budget", plots.plot_fixed_budget(made, 9)
        yield "fixed target", plots.plot_fixed_target(made)


def _of_networks():
    from hyperna import Grid, Network, plots, points, problem

    rng = np.random.default_rng(7)
    X = rng.normal(size=(12, 3)).round(2)
    y = X[:, 0] > X[:, 1]
    for dim, draw in ((2, plots.plot_circle), (3, plots.plot_sphere)):
        for neurons, output, neuron in (
            *(
                (1, "or", "plain"),
                (2, "and", "plain"),
                (6, "xor", "plain"),
                (3, "evolved", "plain"),
            ),
            *((2, "or", "bent"), (2, "evolved", "bent")),
        ):
            grid = Grid(dim, neurons, 48, output, neuron=neuron)
            network = Network(grid, grid.random(rng))
            own = points(X[:, :dim], y)
            for what in (problem("two_quarters", dim=dim), own):
                yield f"{dim} {neurons} {output} {neuron} {what.name}", draw(what, network)
    cube = problem("cube", dim=3)
    grid = Grid(3, 2, 24, "xor")
    yield "cube", plots.plot_sphere(cube, Network(grid, grid.random(rng)))
    grid = Grid(2, 1, 24)
    for name in ("half", "arcs:k=3", "quarter"):
        yield name, plots.plot_circle(problem(name), Network(grid, [6, 12]))


def _of_classifiers():
    from hyperna import NAClassifier, compare, dataset, plots

    made = dataset("moons", n=60, seed=2)
    rng = np.random.default_rng(5)
    wide = np.column_stack([made.X, rng.normal(size=(60, 3))])
    three = made.y + (made.X[:, 0] > 1.0)
    names = np.array(["blue", "red", "a name that is too long to be written whole"])
    for X, y, fit, draw in (
        (made.X, made.y, {"output": "or", "n_neurons": 3}, {}),
        (made.X, made.y, {"output": "xor", "n_neurons": 2, "tie_break": None}, {}),
        (made.X, made.y, {"output": "and", "n_neurons": 2, "tie_break": 0.2}, {}),
        (made.X, made.y, {"neuron": "bent", "n_neurons": 2, "output": "or"}, {}),
        (wide, names[three], {"n_neurons": 1}, {}),
        (wide, made.y, {"output": "or", "n_neurons": 2}, {"features": "plane"}),
        (wide, made.y, {"n_neurons": 1}, {"features": "plane"}),
        (wide, made.y, {"output": "or", "n_neurons": 2}, {"features": [3, "x1"]}),
        (wide, made.y, {"output": "or", "n_neurons": 2}, {"rest": np.arange(5.0)}),
    ):
        fitted = NAClassifier(**fit, max_evals=300, random_state=1).fit(X, y)
        yield f"{fit} {draw}", plots.plot_boundary(fitted, X, y, **draw)
    found = compare(["xor", "moons"], ["logistic", "tree"], folds=2, repeats=1, rotate=True)
    yield "comparison", plots.plot_comparison(found, "moons")
    yield "comparison, first", plots.plot_comparison(found)
    yield "comparisons", plots.comparison_figure(found)


def _films():
    from hyperna import OnePlusOneNA, plots, problem

    for name, dim, options in (
        ("local_opt", 2, {"frames": 10}),
        ("quarter", 3, {"frames": 5, "pause": 2}),
        ("two_quarters", 2, {"frames": 4, "pause": 0}),
    ):
        made = problem(name, dim=dim)
        na = OnePlusOneNA(2, resolution=36)
        film = plots.animate_run(made, na.run(made, seed=3, budget=200, trajectory=True), **options)
        film._draw_was_started = True  # or matplotlib warns that nothing was saved
        frames = list(film.new_frame_seq())
        yield f"{frames} {film.event_source.interval} {film._repeat}", film._fig
        for frame in (frames[0], frames[len(frames) // 2], frames[-1]):
            film._func(frame)
            yield f"frame {frame}", film._fig


def film_files():
    """Yield the text of a film's page, and size, number and time of a film's pictures."""
    from PIL import Image

    from hyperna import OnePlusOneNA, plots, problem

    made = problem("quarter")
    run = OnePlusOneNA(1, resolution=24).run(made, seed=3, budget=200, trajectory=True)
    for name in ("film.html", "film.gif"):
        plots.save_animation(plots.animate_run(made, run, frames=4, pause=2), name)
    for line in Path("film.html").read_text(encoding="utf-8").splitlines():
        yield re.sub(r'"[\w+/=]{200,}"', "PICTURE", line)
    with Image.open("film.gif") as film:
        yield f"{film.size} {film.n_frames} {film.info.get('duration')} {film.info.get('loop')}"


def report_charts(command):
    """Return what the charts of a report show."""
    with recorded(draw=True) as told:
        command("report some.store -o some.html --title some")
    assert Path("some.html").stat().st_size > 10_000
    return told
