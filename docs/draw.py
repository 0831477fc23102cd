"""Draw the pictures of README and site: ``python docs/draw.py`` (about four minutes).

Each is drawn twice, on a light and on a dark ground, and the site shows the one that fits.
Everything is seeded, so only another version of hyperna or matplotlib changes them.
"""

import argparse
import contextlib
import io
import re
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from PIL import Image
from sklearn.datasets import load_diabetes, make_moons

import hyperna
from hyperna.analysis.laws import theorem_bound
from hyperna.plots import (
    animate_run,
    batch_figure,
    dark_pictures,
    plot_boundary,
    plot_circle,
    plot_improvements,
    plot_landscape,
    plot_scaling,
    save_animation,
)
from hyperna.plots.style import BLUE, ORANGE, VERMILLION, finish

# Flat colours: a palette makes the files a third as large, and the difference is invisible.
FOLDER = Path(__file__).parent / "pictures"
COLOURS = 128
DPI = 90
RESOLUTIONS = {
    "harmonic": [2**k for k in range(6, 41, 2)],
    "local": [60, 120, 240, 480, 960],
}


def two_quarters() -> Figure:
    """What the first command of the README draws."""
    problem = hyperna.problem("two_quarters")
    na = hyperna.OnePlusOneNA(neurons=2, resolution=1200)
    return batch_figure(problem, na.run_many(problem, runs=100, seed=0, n_jobs=-1))


def circle_run() -> Figure:
    """Three networks of one run on TWOQUARTERS, and how its fitness rose."""
    problem = hyperna.problem("two_quarters")
    na = hyperna.OnePlusOneNA(neurons=2, resolution=1200)
    result = na.run(problem, seed=27, trajectory=True)
    way = result.trajectory
    middle = int(np.searchsorted(way.fitness, (way.fitness[0] + 1) / 2))
    figure = Figure(figsize=(15, 4.6), layout="constrained")
    panels = figure.subplots(1, 4, width_ratios=(1, 1, 1, 1.25))
    for ax, place in zip(panels, (0, middle, len(way) - 1), strict=False):
        plot_circle(problem, way.network(place), ax)
        when, share = way.evaluations[place], way.fitness[place]
        ax.set_title(f"evaluation {when:,}: {100 * share:.1f}% correct", fontsize=14)
        marks, words = ax.get_legend_handles_labels()
        ax.get_legend().remove()
    plot_improvements(result, panels[3])
    figure.legend(
        marks, words, loc="outside lower center", ncols=len(words), frameon=False, fontsize=13
    )
    return figure


def scaling_law() -> Figure:
    """Runtimes on QUARTER for both laws and all resolutions, with fitted laws and the theorems."""
    figure = Figure(figsize=(13, 6.2), layout="constrained")
    for ax, mutation in zip(figure.subplots(1, 2), ("harmonic", "local"), strict=True):
        runtimes = {}
        for r in RESOLUTIONS[mutation]:
            na = hyperna.OnePlusOneNA(resolution=r, mutation=mutation)
            # A limit that no run comes near: a mean of runs cut off would be too small.
            limits = {"budget": 10**9, "runs": 500, "seed": 1}
            runs = na.run_many(hyperna.problem("quarter"), n_jobs=-1, **limits)
            runtimes[r] = runs.evaluations
        plot_scaling(runtimes, theorem_bound("quarter", mutation), ax)
        ax.set_title(f"QUARTER, {mutation} steps, 500 runs each", fontsize=14)
        ax.legend(loc="upper center", bbox_to_anchor=(0.45, -0.14), frameon=False, fontsize=12)
    return figure


def of_page(page: str, call: str) -> Figure:
    """Run the Python blocks of a page and return what the first block with this call draws."""
    import matplotlib.pyplot as plt

    text = (FOLDER.parent / page).read_text(encoding="utf-8")
    names: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for code in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            plt.close("all")
            exec(code, names)
            if call in code:
                return names.get("figure") or plt.gcf()  # type: ignore[return-value]
    raise SystemExit(f"{page} does not call {call}")


def neuron() -> Figure:
    """One neuron and the arc on which it fires."""
    problem = hyperna.problem("quarter")
    network = hyperna.Network(hyperna.Grid(2, 1, 120), [25, 90])
    figure = Figure(figsize=(6, 5.6), layout="constrained")
    ax = plot_circle(problem, network, figure.subplots())
    ax.set_title("angle 75°, bias 0.5: the neuron fires on the arc beyond the line", fontsize=13)
    return figure


def network() -> Figure:
    """The same two neurons under three outputs."""
    problem = hyperna.problem("two_quarters")
    figure = Figure(figsize=(14, 5.2), layout="constrained")
    for ax, output in zip(figure.subplots(1, 3), ("or", "and", "xor"), strict=True):
        grid = hyperna.Grid(2, 2, 120, output)
        plot_circle(problem, hyperna.Network(grid, [12, 70, 44, 75]), ax)
        marks, words = ax.get_legend_handles_labels()
        ax.get_legend().remove()
    figure.legend(
        marks, words, loc="outside lower center", ncols=len(words), frameon=False, fontsize=13
    )
    return figure


def laws() -> Figure:
    """How likely each step length is under three laws."""
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    ax = figure.subplots()
    lengths = np.arange(1, 121)
    for law, mark in (("harmonic", "o"), ("uniform", "s"), ("local", "D")):
        chance = hyperna.LAWS[law]().pmf(120)
        shown = chance > 0
        ax.plot(lengths[shown], chance[shown], mark, markersize=5, label=law)
    ax.set(xscale="log", yscale="log")
    ax.set_xlabel("step length l", fontsize=13)
    ax.set_ylabel("probability at r = 120", fontsize=13)
    ax.set_xticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
    ax.set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
    ax.minorticks_off()
    ax.legend(frameon=False, fontsize=13)
    return figure


def landscape() -> Figure:
    """The landscape of LOCALOPT with a harmonic run that crosses it."""
    problem = hyperna.problem("local_opt")
    result = hyperna.OnePlusOneNA(resolution=120).run(problem, seed=3, trajectory=True)
    figure = Figure(figsize=(9, 6), layout="constrained")
    plot_landscape(problem, 120, result.trajectory, figure.subplots())
    return figure


def boundary() -> Figure:
    """Two moons and the regions of the default classifier."""
    X, y = make_moons(200, noise=0.15, random_state=0)
    fitted = hyperna.NAClassifier(random_state=0).fit(X, y)
    figure = Figure(figsize=(7, 6), layout="constrained")
    plot_boundary(fitted, X, y, figure.subplots())
    return figure


def bits() -> Figure:
    """Bits of the labels and of the rule along the path of the page about the classifier."""
    data = load_diabetes(as_frame=True, scaled=False)
    fast = data.target > data.target.median()
    fitted = hyperna.NAClassifier(random_state=0).fit(data.data, fast)
    path = fitted.path_
    place = np.arange(len(path))
    labels = np.array([row.label_bits for row in path])
    rule = fitted.shortness * np.array([row.rule_bits for row in path])
    figure = Figure(figsize=(9, 5), layout="constrained")
    ax = figure.subplots()
    ax.bar(place, labels, color=BLUE, label="labels, given the rule")
    words = f"rule, times {fitted.shortness}"
    ax.bar(place, rule, bottom=labels, color=ORANGE, label=words)
    for k, total in enumerate(labels + rule):
        weight = "bold" if path[k].chosen else "normal"
        ax.annotate(
            f"{total:.0f}",
            (k, total),
            (0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=13,
            fontweight=weight,
        )
        if path[k].chosen:
            outline = {"color": "none", "edgecolor": VERMILLION, "linewidth": 3}
            ax.bar([k], [total], label="chosen: fewest bits", **outline)
    ax.set_xticks(place, [str(row.terms) for row in path])
    ax.set_ylim(0, 1.08 * labels[0])
    finish(ax, x="terms of the rule", y="bits")
    ax.grid(False, axis="x")
    figure.legend(frameon=False, fontsize=13, loc="outside lower center", ncols=3)
    return figure


def film() -> None:
    """Write the film of a run on TWOQUARTERS, for light pages and for dark ones."""
    problem = hyperna.problem("two_quarters")
    na = hyperna.OnePlusOneNA(neurons=2, resolution=120)
    result = na.run(problem, seed=8, trajectory=True)
    for name, dark in (("film.gif", False), ("film_dark.gif", True)):
        save_animation(animate_run(problem, result, frames=40, dark=dark), FOLDER / name)


# Pictures drawn by a block of a page, which shows them below it.
PAGES = {
    "quarter": ("tutorials/runtime_analyst.md", "plot_scaling("),
    "path": ("tutorials/scikit_learn.md", "plot_path("),
    "comparison": ("tutorials/scikit_learn.md", "comparison_figure("),
    "figure": ("howto/figures.md", "savefig("),
}
PICTURES = {
    "neuron": neuron,
    "network": network,
    "laws": laws,
    "landscape": landscape,
    "boundary": boundary,
    "bits": bits,
    "two_quarters": two_quarters,
    "circle_run": circle_run,
    "scaling_law": scaling_law,
    **{name: partial(of_page, *place) for name, place in PAGES.items()},
}


def save(figure: Figure, path: Path) -> None:
    """Write a figure as a small PNG file."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=DPI)
    with Image.open(drawn) as picture:
        picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    """Draw all pictures, or those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(PICTURES)} (default: all)")
    args = parser.parse_args()
    for name in args.names or (*PICTURES, "film"):
        if name == "film":
            film()
            continue
        for file, dark in ((f"{name}.png", False), (f"{name}_dark.png", True)):
            with dark_pictures(dark):
                save(PICTURES[name](), FOLDER / file)


if __name__ == "__main__":
    main()
