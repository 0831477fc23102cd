"""Every drawn quantity is read back from the figure and computed a second time from the data."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib.pyplot as plt
from matplotlib.collections import PathCollection
from matplotlib.container import ErrorbarContainer

from hyperna import Grid, Network, OnePlusOneNA, compare, fitness_of, points, problem
from hyperna.analysis.laws import theorem_bound
from hyperna.analysis.statistics import bootstrap_interval
from hyperna.plots import (
    plot_boxes,
    plot_circle,
    plot_convergence,
    plot_improvements,
    plot_landscape,
    plot_runtimes,
    plot_scaling,
)
from hyperna.plots.comparison import plot_comparison


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def runs():
    na = OnePlusOneNA(neurons=1, resolution=60, mutation="local")
    return na.run_many(problem("local_opt"), runs=60, seed=0)


@pytest.fixture(scope="module")
def results(runs):
    return [runs.replay(number) for number in range(15)]


# Networks.


@pytest.mark.parametrize("bias", [10, 30, 47])
def test_lines_and_arrows_are_where_neurons_fire(bias):
    network = Network(Grid(2, 2, 60), [7, bias, 40, 35])
    ax = plot_circle(problem("two_quarters"), network)
    normals, biases = network.weights()
    lines = [line for line in ax.lines if len(line.get_xdata()) == 2]
    arrows = [note for note in ax.texts if getattr(note, "arrow_patch", None) is not None]
    assert len(lines) == len(arrows) == 2
    for line, arrow, normal, level in zip(lines, arrows, normals, biases, strict=True):
        assert np.allclose(line.get_xydata() @ normal, level)
        assert np.allclose(np.asarray(arrow.xyann) @ normal, level)
        assert np.asarray(arrow.xy) @ normal > level + 0.1, "an arrow points to where it fires"


def test_points_have_the_colours_of_their_labels_and_wrong_ones_a_ring():
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-0.7, 0.7, (40, 2)), rng.integers(0, 2, 40)
    network = Network(Grid(2, 1, 60), [7, 30])
    ax = plot_circle(points(X, y), network)
    drawn = {
        group.get_label(): {tuple(point) for point in np.asarray(group.get_offsets()).tolist()}
        for group in ax.collections
        if isinstance(group, PathCollection)
    }
    wrong = network.predict(X) != y
    expected = {"positive": X[y == 1], "negative": X[y == 0], "wrong": X[wrong]}
    assert drawn == {name: set(map(tuple, some.tolist())) for name, some in expected.items()}


# Runs.


def test_boxes_and_whiskers_are_percentiles(runs):
    other = OnePlusOneNA(neurons=1, resolution=60).run_many(problem("half"), runs=80, seed=3)
    ax = plot_boxes({"local": runs, "half": other})
    for place, batch in ((1, runs), (2, other)):
        quarter, half = np.percentile(batch.evaluations, [25, 50])
        three, low, high = np.percentile(batch.evaluations, [75, 5, 95])
        box = ax.patches[place - 1].get_path().vertices
        solid = [line for line in ax.lines if line.get_linestyle() == "-"]  # no outliers
        inside = [line for line in solid if np.isclose(np.mean(line.get_xdata()), place)]
        heights = {float(y) for line in inside for y in line.get_ydata()}
        assert np.isclose([box[:, 1].min(), box[:, 1].max()], [quarter, three]).all()
        assert half in heights
        within = batch.evaluations[(batch.evaluations >= low) & (batch.evaluations <= high)]
        assert heights == {float(within.min()), quarter, half, three, float(within.max())}
        text = ax.get_xticklabels()[place - 1].get_text()
        assert text.endswith(f"{int(batch.success.sum())} of {len(batch)} succeeded")


def test_bands_are_the_middle_half_and_nine_tenths(results):
    ax = plot_convergence(results)
    last = max(result.evaluations for result in results)
    for band, low, high in ((ax.collections[0], 0.05, 0.95), (ax.collections[1], 0.25, 0.75)):
        share = round(100 * (high - low))
        assert band.get_label() == f"{share} % of runs"
        edge = band.get_paths()[0].vertices
        for at in (1.0, float(round(last**0.5)), float(last)):
            exact = [fitness_at(result, at) for result in results]
            here = edge[np.isclose(edge[:, 0], at), 1]
            if len(here):
                assert np.isclose(here.min(), np.quantile(exact, low))
                assert np.isclose(here.max(), np.quantile(exact, high)) or at > 1
    end = edge[np.isclose(edge[:, 0], last), 1]
    finals = [result.fitness for result in results]
    assert np.isclose(end.min(), np.quantile(finals, 0.25))
    assert np.isclose(end.max(), np.quantile(finals, 0.75))


def fitness_at(result, evaluation):
    """Return the fitness of a run after a number of evaluations, step by step."""
    found = result.improvements.fitness[0]
    for when, value in zip(
        result.improvements.evaluations, result.improvements.fitness, strict=True
    ):
        if when <= evaluation:
            found = value
    return found


def test_improvements_are_those_of_the_run(results):
    result = results[0]
    curve, marks = plot_improvements(result).lines
    assert marks.get_xdata().tolist() == result.improvements.evaluations.tolist()
    assert marks.get_ydata().tolist() == result.improvements.fitness.tolist()
    assert curve.get_drawstyle() == "steps-post"
    assert curve.get_xdata()[-1] == result.evaluations


def test_curves_of_runtimes_count_successes(runs):
    curve = plot_runtimes(runs).lines[0]
    assert curve.get_drawstyle() == "steps-post"
    x, y = curve.get_data()
    for at in np.percentile(runs.evaluations, [5, 30, 60, 99]):
        solved = np.mean(runs.success & (runs.evaluations <= at))
        assert y[x <= at][-1] == pytest.approx(solved)


# Growth, landscapes and comparisons.


def error_bars(ax):
    """Return the ends of all error bars of a figure, in order of their data."""
    for container in ax.containers:
        if isinstance(container, ErrorbarContainer):
            (bars,) = container.lines[2]
            yield container, np.array(bars.get_segments())


def test_means_intervals_and_the_bound_of_a_growth(runs):
    rng = np.random.default_rng(0)
    samples = {r: rng.exponential(r, 30) ** 1.5 for r in (100, 200, 400, 800)}
    bound = theorem_bound("half", "local")
    ax = plot_scaling(samples, bound)
    ((container, bars),) = error_bars(ax)
    x, y = container.lines[0].get_data()
    for (size, sample), at, mean, bar in zip(samples.items(), x, y, bars, strict=True):
        low, high = bootstrap_interval(sample)
        assert at == size
        assert mean == pytest.approx(sample.mean())
        assert high - mean != pytest.approx(mean - low), "a skewed sample tells the ends apart"
        assert bar[:, 1] == pytest.approx([low, high])
    (curve,) = [line for line in ax.lines if line.get_label().startswith("theorem")]
    x, y = curve.get_data()
    assert y[0] == pytest.approx(samples[100].mean()), "it goes through the first mean"
    assert y[-1] / y[0] == pytest.approx(bound.growth(800.0) / bound.growth(100.0))


@pytest.mark.parametrize("name", ["quarter", "local_opt"])
def test_the_landscape_has_every_fitness_at_its_place(name):
    resolution, subject = 24, problem(name)
    ax = plot_landscape(subject, resolution)
    (image,) = ax.images
    left, right, bottom, top = image.get_extent()
    shown = np.asarray(image.get_array())
    shown = shown if image.origin == "lower" else shown[::-1]
    fitness, grid = fitness_of(subject), Grid(2, 1, resolution)
    for angle, bias in ((0, 0), (3, 20), (7, 5), (20, 24), (11, 13)):
        x, y = 360 * angle / resolution, 2 * bias / resolution - 1
        column = int((x - left) / (right - left) * shown.shape[1])
        row = int((y - bottom) / (top - bottom) * shown.shape[0])
        assert shown[row, column] == pytest.approx(fitness(Network(grid, [angle, bias])))
    (best,) = [line for line in ax.lines if line.get_label().startswith("optimum")]
    drawn = [
        fitness(Network(grid, [round(x * resolution / 360), round((y + 1) * resolution / 2)]))
        for x, y in best.get_xydata()
    ]
    assert max(drawn) == pytest.approx(shown.max())
    # one optimum is drawn for each solution, rounded to the grid
    assert len(drawn) == {"quarter": 1, "local_opt": 3}[name]
    assert f"{min(drawn):.3f}" in best.get_label()
    assert f"{max(drawn):.3f}" in best.get_label()


def test_accuracies_and_their_errors():
    made = compare("xor:n=80", ["knn", "tree", "logistic"], folds=3, repeats=2, rotate=True)
    ax = plot_comparison(made)
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    rows = {(row["classifier"], row["rotated"]): row for row in made.summary()}
    tests = [rows[name, False]["test_accuracy"] for name in names]
    assert tests == sorted(tests), "the best is on top"
    (training,) = [line for line in ax.lines if line.get_label() == "training"]
    for x, y in training.get_xydata():
        assert x == rows[names[round(y)], False]["train_accuracy"]
    found = list(error_bars(ax))
    assert len(found) == 2
    for (_, bars), rotated in zip(found, (False, True), strict=True):
        for (low, y), (high, _) in bars:
            row = rows[names[round(y)], rotated]
            error = row["test_accuracy_se"]
            assert [low, high] == pytest.approx(
                [row["test_accuracy"] - error, row["test_accuracy"] + error]
            )
    (majority,) = [line for line in ax.lines if line.get_label() == "largest class"]
    counts = np.unique(made_labels(), return_counts=True)[1]
    assert majority.get_xdata()[0] == counts.max() / counts.sum()


def made_labels():
    from hyperna.datasets import dataset

    return dataset("xor:n=80").y
