"""Draw the pictures of the README anew: ``python docs/pictures.py`` (about a minute).

Everything is seeded, so only another version of hyperna or matplotlib changes them.
"""

import argparse
import io
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

import hyperna
from hyperna.analysis.laws import theorem_bound
from hyperna.plots import (
    batch_figure,
    comparison_figure,
    plot_circle,
    plot_improvements,
    plot_scaling,
)

# Flat colours: a palette makes the files a third as large, and nobody sees it.
COLOURS = 128
DPI = 90
RESOLUTIONS = (60, 120, 240, 480, 960, 1920)


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
        ax.set_title(f"evaluation {when:,}: {100 * share:.1f} % right", fontsize=14)
        marks, words = ax.get_legend_handles_labels()
        ax.get_legend().remove()
    plot_improvements(result, panels[3])
    figure.legend(
        marks, words, loc="outside lower center", ncols=len(words), frameon=False, fontsize=13
    )
    return figure


def scaling_law() -> Figure:
    """Runtimes on QUARTER against the resolution, with the laws that fit and the theorems."""
    figure = Figure(figsize=(13, 6.2), layout="constrained")
    for ax, mutation in zip(figure.subplots(1, 2), ("harmonic", "local"), strict=True):
        runtimes = {}
        for r in RESOLUTIONS if mutation == "harmonic" else RESOLUTIONS[:5]:
            na = hyperna.OnePlusOneNA(resolution=r, mutation=mutation)
            # A limit that no run comes near: a mean of runs cut off would be too small.
            limits = {"budget": 10**9, "runs": 500, "seed": 1}
            runs = na.run_many(hyperna.problem("quarter"), n_jobs=-1, **limits)
            runtimes[r] = runs.evaluations
        plot_scaling(runtimes, theorem_bound("quarter", mutation), ax)
        ax.set_title(f"QUARTER, {mutation} steps, 500 runs each", fontsize=14)
        ax.legend(loc="upper center", bbox_to_anchor=(0.45, -0.14), frameon=False, fontsize=12)
    return figure


def perceptron() -> Figure:
    """Accuracy beside the Perceptron's and others', on data with and without a straight border."""
    data = ["half_spaces", "quarter:dim=3", "sklearn:breast_cancer"]
    names = ["na", "perceptron", "logistic", "mlp8", "svc"]
    return comparison_figure(hyperna.compare(data, names, folds=5, repeats=2, seed=0))


PICTURES = {
    "two_quarters": two_quarters,
    "circle_run": circle_run,
    "scaling_law": scaling_law,
    "perceptron": perceptron,
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
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent)
    args = parser.parse_args()
    for name in args.names or PICTURES:
        path = args.folder / f"{name}.png"
        save(PICTURES[name](), path)
        print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
