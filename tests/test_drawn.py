"""Every drawn quantity is read back from the figure and computed a second time from the data."""

import numpy as np
import pytest

from hyperna.plots.animation import chosen_frames

pytest.importorskip("matplotlib")

import matplotlib.pyplot as plt
from matplotlib.collections import PathCollection
from matplotlib.container import ErrorbarContainer
from mpl_toolkits.mplot3d.art3d import Line3DCollection

from hyperna import Grid, Network, OnePlusOneNA, compare, fitness_of, points, problem
from hyperna.analysis.laws import fit_runtimes, theorem_bound
from hyperna.analysis.statistics import bootstrap_interval
from hyperna.plots import (
    animate_run,
    batch_figure,
    plot_boxes,
    plot_circle,
    plot_convergence,
    plot_distribution,
    plot_expected_times,
    plot_fixed_budget,
    plot_fixed_target,
    plot_improvements,
    plot_landscape,
    plot_runtimes,
    plot_scaling,
    plot_sphere,
)
from hyperna.plots.comparison import plot_comparison
from hyperna.run.results import Trajectory
from hyperna.theory import expected_runtime


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
        assert np.allclose((line.get_xydata() ** 2).sum(axis=1), 1.0), "it ends on the circle"
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


def test_titles_have_every_digit_of_the_share():
    network = Network(Grid(2, 2, 60), [7, 47, 40, 35])
    share = fitness_of(problem("two_quarters"))(network)
    title = plot_circle(problem("two_quarters"), network).get_title()
    assert round(100 * share, 3) != round(100 * share)
    assert title == f"two_quarters, OR: {100 * share:.3f}% correct"
    half, network = problem("half", dim=3), Network(Grid(3, 1, 60), [7, 20, 40])
    title = plot_sphere(half, network).get_title()
    assert title == f"half: {100 * fitness_of(half)(network):.3f}% correct"


@pytest.mark.parametrize("name", ["half", "cube"])
def test_arrows_on_the_sphere_point_to_where_neurons_fire(name):
    network = Network(Grid(3, 2, 60), [7, 50, 47, 40, 11, 20])
    ax = plot_sphere(problem(name, dim=3), network)
    arrows = [drawn for drawn in ax.collections if isinstance(drawn, Line3DCollection)]
    for arrow, normal, level in zip(arrows, *network.weights(), strict=True):
        tip, foot = np.array(arrow._segments3d[0])
        assert np.allclose(tip - foot, 0.45 * normal)
        assert np.allclose(foot, level * normal if name == "cube" else normal)
    edges = [np.array(line.get_data_3d()).T for line in ax.lines]
    edges = [edge for edge in edges if len(edge) == 2]
    assert len(edges) == (12 if name == "cube" else 0)
    for one, other in edges:
        assert np.isclose(abs(one - other).sum(), 2 / np.sqrt(3)), "corners of an edge are near"
    ax.figure.canvas.draw()
    assert [axis.label.get_rotation() for axis in (ax.xaxis, ax.yaxis, ax.zaxis)] == [0, 0, 0]


# Exact runtimes.


def test_expected_times_are_at_their_search_points():
    runtime = expected_runtime(problem("local_opt"), 12, "local")
    (image,) = plot_expected_times(runtime).images
    left, right, bottom, top = image.get_extent()
    shown = np.ma.asarray(image.get_array())
    assert image.origin == "lower"
    assert shown.shape == (13, 12)
    across, up = (right - left) / 12, (top - bottom) / 13
    assert np.allclose(left + across * (np.arange(12) + 0.5), 30 * np.arange(12))
    assert np.allclose(bottom + up * (np.arange(13) + 0.5), np.arange(13) / 6 - 1)
    finite = np.isfinite(runtime.per_state)
    assert 0 < finite.sum() < finite.size
    assert np.array_equal(~shown.mask, finite.T), "starts that may fail are left out"
    assert np.array_equal(shown.T[finite], runtime.per_state[finite])
    flat = expected_runtime(problem("half"), 12, bias=False)
    (line,) = plot_expected_times(flat).lines
    assert line.get_xdata().tolist() == [30.0 * angle for angle in range(12)]
    assert line.get_ydata().tolist() == flat.per_state.tolist()


def test_the_second_axis_of_a_bent_neuron_is_its_bend():
    ax = plot_expected_times(expected_runtime(problem("quarter"), 12, bias=False, neuron="bent"))
    (image,) = ax.images
    left, right, bottom, top = image.get_extent()
    assert ax.get_xlim() == (left, right), "no empty strip beside the map"
    assert ax.get_ylabel() == "bend in degrees"
    assert np.allclose(bottom + (top - bottom) * (np.arange(12) + 0.5) / 12, 15 * np.arange(12))


def test_curves_of_fixed_budgets_and_targets_are_the_exact_ones():
    runtime = expected_runtime(problem("local_opt"), 12, "local")
    (line,) = plot_fixed_budget(runtime, 30).lines
    assert line.get_xdata().tolist() == list(range(1, 31))
    assert line.get_ydata().tolist() == runtime.fixed_budget(30)[1:].tolist()
    (line,) = plot_fixed_target(runtime).lines
    fitness, evaluations = runtime.fixed_target()
    finite = np.isfinite(evaluations)
    assert 0 < finite.sum() < finite.size, "a run may be stuck below the best"
    assert line.get_xdata().tolist() == fitness[finite].tolist()
    assert line.get_ydata().tolist() == evaluations[finite].tolist()
    assert line.get_drawstyle() == "steps-pre"


def test_distributions_count_the_runs_within_a_time():
    runtime = expected_runtime(problem("quarter"), 12)
    times = [3.0, 9.0, 9.0, np.inf, 40.0]
    simulated, exact = plot_distribution(runtime, times, t_max=30).lines
    x, y = simulated.get_data()
    assert simulated.get_drawstyle() == "steps-post"
    for at in (1, 3, 8, 9, 30):
        assert y[x <= at][-1] == pytest.approx(np.mean(np.array(times) <= at))
    assert exact.get_xdata().tolist() == list(range(31))
    assert exact.get_ydata().tolist() == runtime.distribution(30).tolist()


# Runs.


def test_films_mark_the_network_that_is_shown():
    result = OnePlusOneNA(resolution=60).run(problem("quarter"), seed=0, trajectory=True)
    way = result.trajectory
    film = animate_run(problem("quarter"), result, frames=4, pause=0)
    film._draw_was_started = True  # looked at picture by picture, never played
    for frame in film.new_frame_seq():
        film._func(frame)
        whole, past, mark = film._fig.axes[1].lines
        assert mark.get_xydata().tolist() == [[way.evaluations[frame], way.fitness[frame]]]
        assert past.get_xdata().tolist() == way.evaluations[: frame + 1].tolist()
        assert past.get_ydata().tolist() == way.fitness[: frame + 1].tolist()
        assert whole.get_ydata().tolist() == way.fitness.tolist()


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
    across, up = (right - left) / resolution, (top - bottom) / (resolution + 1)
    assert np.allclose([left + across / 2, right - across / 2], [0, 360 - 360 / resolution])
    assert np.allclose([bottom + up / 2, top - up / 2], [-1, 1])
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


def test_the_way_of_a_run_is_drawn_where_it_was():
    genomes = np.array([[1, 3], [2, 5], [4, 12], [23, 12]])
    way = Trajectory(Grid(2, 1, 24), np.arange(4), np.zeros(4), genomes)
    ax = plot_landscape(problem("half"), 12, way)
    (line,) = [line for line in ax.lines if line.get_label().startswith("accepted")]
    found = [point for point in line.get_xydata().tolist() if not np.isnan(point).any()]
    places = [[360 * angle / 24, bias / 12 - 1] for angle, bias in genomes.tolist()]
    assert found == [pytest.approx(place) for place in places]
    assert np.isnan(line.get_xydata()).any(axis=1).tolist() == [False, False, False, True, False]
    (start,) = [line for line in ax.lines if line.get_label() == "start"]
    assert start.get_xydata().tolist() == [pytest.approx(places[0])]


def test_laws_that_fit_are_drawn_best_first():
    rng = np.random.default_rng(1)
    samples = {r: rng.exponential(r, 400) + r**2 / 300 for r in (100, 200, 400, 800, 1600, 3200)}
    fits = fit_runtimes(list(samples), list(samples.values()))
    good = [fit for fit in fits if fit.fits]
    assert 0 < len(good) < len(fits)
    curves = [line for line in plot_scaling(samples).lines if ", p = " in line.get_label()]
    assert len(curves) == min(3, len(good))
    for curve, fit in zip(curves, good, strict=False):
        assert curve.get_label().startswith(f"{fit.equation}, ")
        x, y = curve.get_data()
        assert np.allclose(y, fit(x))


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


def test_pictures_of_a_film_are_evenly_spread_in_logarithmic_time():
    when = np.array([1, 2, 3, 9, 11, 90, 110, 900, 1000])
    way = Trajectory(Grid(2, 1, 24), when, np.zeros(9), np.zeros((9, 2), np.int64))
    # at 1, 10, 100 and 1000 evaluations: what was accepted last by then
    assert when[chosen_frames(way, 4)].tolist() == [1, 9, 90, 1000]


def test_distributions_reach_one_with_the_last_run():
    times = [4.0, 2.0, 9.0, 3.0]
    simulated, _ = plot_distribution(expected_runtime(problem("quarter"), 12), times).lines
    assert simulated.get_xdata().tolist() == [0, 2, 3, 4, 9]
    assert simulated.get_ydata().tolist() == [0, 0.25, 0.5, 0.75, 1]


def test_runs_without_success_are_counted_by_their_fitness():
    """At each fitness the curve is the share of runs that reached it or more."""
    na, subject = OnePlusOneNA(resolution=60), problem("quarter")
    failed = na.run_many(subject, runs=7, budget=3, target=1.0, seed=3)
    assert not failed.success.any()
    _, above, _ = batch_figure(subject, failed).axes
    [curve] = above.lines
    assert curve.get_drawstyle() == "steps-pre"
    x, y = curve.get_data()
    for fitness in np.unique(failed.fitness):
        # a step up to x has the height of x
        assert y[np.searchsorted(x, fitness)] == pytest.approx(np.mean(failed.fitness >= fitness))
    assert y[0] == 1.0


def test_bands_of_convergence_hold_their_share_of_the_runs():
    na = OnePlusOneNA(resolution=60)
    results = [na.run(problem("quarter"), seed=seed) for seed in range(9)]
    [median] = plot_convergence(results).lines
    assert median.get_drawstyle() == "steps-post"
    for at in (1, 3, 10, 40):
        x, y = median.get_data()
        now = [fitness_at(result, at) for result in results]
        assert y[x <= at][-1] == pytest.approx(np.median(now))


def test_curves_of_runtimes_reach_to_the_longest_run():
    na = OnePlusOneNA(resolution=60, mutation="local")
    batches = {seed: na.run_many(problem("local_opt"), runs=20, seed=seed) for seed in (0, 1)}
    last = max(batch.evaluations.max() for batch in batches.values())
    for curve, batch in zip(plot_runtimes(batches).lines, batches.values(), strict=True):
        assert 0 < batch.success.mean() < 1
        assert curve.get_xydata()[-1].tolist() == [last, pytest.approx(batch.success.mean())]
