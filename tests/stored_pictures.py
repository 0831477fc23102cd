"""What pictures show, in lines of text: titles, and two sums over the data of everything drawn."""

import contextlib
from pathlib import Path

import numpy as np

COMMANDS = [
    "run quarter --runs 12",
    "run local_opt --mutation local --runs 12 --resolution 36",
    "run cube --dim 3 --neurons 4 --output xor --runs 5",
    "run two_quarters --dim 3 --points 100 --budget 500 --runs 5",
    "run sweet.csv --label sweet --weight mass --scale --budget 200 --neurons 2 --runs 4",
    "theory local_opt --resolution 12 --mutation local",
    "theory half --resolution 16 --no-bias",
    "theory two_quarters --resolution 6 --neurons 2",
    "fit moons --neurons 2 --output or --max-evals 1000",
    "fit circles --neuron bent --neurons 2 --output and --max-evals 1000",
    "fit table.csv --label kind --ignore mass,sweet --neurons 1 --max-evals 1000",
    "fit two_quarters_d5 --neurons 2 --output or --max-evals 500",
    "compare xor --classifiers na,tree --folds 2 --repeats 2 --rotate",
]


def sums(values):
    """Number, plain sum and a sum that depends on the order, of all finite values."""
    if hasattr(values, "filled"):
        values = values.filled(np.nan)
    flat = np.nan_to_num(np.asarray(values, dtype=float).ravel(), posinf=1e3, neginf=-1e3)
    turned = flat * np.cos(np.arange(flat.size))
    return " ".join(f"{round(x, 6) + 0.0:.4g}" for x in (flat.size, flat.sum(), turned.sum()))


def drawn(figure):
    """Return a line of text for each thing drawn."""
    for ax in figure.axes:
        yield f"axes {ax.get_title()!r} {ax.get_xlabel()!r} {ax.get_ylabel()!r} {ax.get_yscale()}"
        for line in ax.lines:
            label = "" if line.get_label().startswith("_") else line.get_label()
            yield f"line {label!r} {sums(line.get_xydata())}"
        for part in ax.collections:
            offsets = part.get_offsets() if part.get_offset_transform().is_affine else []
            paths = [path.vertices for path in part.get_paths()[:200]]
            shape = np.concatenate(paths) if paths and not len(offsets) else []
            colours = "" if part.get_array() is None else sums(part.get_array())
            yield f"{type(part).__name__} {sums(offsets)}, {sums(shape)}, {colours}"
        for patch in ax.patches:
            path = patch.get_patch_transform().transform_path(patch.get_path())
            yield f"patch {sums(path.vertices)}"
        for image in ax.images:
            yield f"image {sums(image.get_array())} {sums(image.get_extent())}"
        for text in ax.texts:
            yield f"text {text.get_text()!r}"
        if ax.get_legend() is not None:
            yield f"legend {[text.get_text() for text in ax.get_legend().get_texts()]}"


@contextlib.contextmanager
def recorded(draw=False):
    """Yield a list of all that is drawn into the figures that are saved."""
    from matplotlib.figure import Figure

    told, plain = [], Figure.savefig

    def savefig(figure, *args, **options):
        told.extend(drawn(figure))
        if draw:
            plain(figure, *args, **options)

    Figure.savefig = savefig
    try:
        yield told
    finally:
        Figure.savefig = plain


SIZES = (30, 60, 120, 240)


def pictures(command):
    """Yield name and lines of every picture; `command` runs a command line."""
    import matplotlib.pyplot as plt

    for text in COMMANDS:
        with recorded() as told:
            command(f"{text} --plot some.png")
        yield f"{text} --plot", told
    for name, draw in _functions():
        ax = draw()
        yield name, list(drawn(ax.figure))
        plt.close("all")


def _functions():
    from hyperna import OnePlusOneNA, expected_runtime, plots, problem
    from hyperna.analysis.growth import theorem_bound

    opt = problem("local_opt")
    na = OnePlusOneNA(1, resolution=36)
    results = [na.run(opt, seed=seed, budget=200, trajectory=True) for seed in range(6)]
    batches = {
        law: OnePlusOneNA(1, resolution=24, mutation=law).run_many(opt, 20, seed=1)
        for law in ("harmonic", "local")
    }
    runtime = expected_runtime(problem("quarter"), 12, "local")
    # between linear and r ln r, so that no law fits without a rest, which rounding would decide
    times = {r: r ** (1.0 + 0.1 * k) * np.linspace(0.5, 2, 9) for k, r in enumerate(SIZES)}
    bound = theorem_bound("quarter", "harmonic")
    yield "landscape", lambda: plots.plot_landscape(opt, 36, results[0].trajectory)
    yield "landscape without a way", lambda: plots.plot_landscape(problem("quarter"), 24)
    yield "runtimes", lambda: plots.plot_runtimes(batches)
    yield "boxes", lambda: plots.plot_boxes(batches)
    yield "convergence", lambda: plots.plot_convergence(results)
    yield "improvements", lambda: plots.plot_improvements(results[1])
    yield "distribution", lambda: plots.plot_distribution(runtime, batches["local"].evaluations)
    yield "fixed budget", lambda: plots.plot_fixed_budget(runtime)
    yield "fixed target", lambda: plots.plot_fixed_target(runtime)
    yield "scaling", lambda: plots.plot_scaling(times, bound)
    yield "circle", lambda: plots.plot_circle(opt, results[2].network)
    film = plots.animate_run(opt, results[3], frames=10)
    film._draw_was_started = True  # or matplotlib warns that nothing was saved
    for frame in (0, 5, 9):
        yield f"frame {frame}", lambda frame=frame: (film._func(frame), film._fig.axes[0])[1]


def report_charts(command):
    """Return what the charts of a report show."""
    with recorded(draw=True) as told:
        command("report some.store -o some.html --title some")
    assert Path("some.html").stat().st_size > 10_000
    return told
