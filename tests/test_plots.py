"""Pictures are checked by what they show: the arcs, lines, curves and markers drawn."""

import json
import re
import shutil

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib.pyplot as plt
from matplotlib.colors import to_rgb
from matplotlib.patches import Wedge
from PIL import Image

from hyperna import Grid, Network, OnePlusOneNA, custom_arcs, fitness_of, points, problem
from hyperna._words import significant
from hyperna.analysis.laws import fit_runtimes, theorem_bound
from hyperna.plots import (
    animate_run,
    batch_figure,
    dark_pictures,
    plot_boxes,
    plot_circle,
    plot_convergence,
    plot_improvements,
    plot_landscape,
    plot_runtimes,
    plot_scaling,
    plot_sphere,
    save_animation,
)
from hyperna.plots.animation import chosen_frames
from hyperna.plots.circle import circular_runs
from hyperna.plots.landscape import score_table
from hyperna.plots.runs import _ENDS
from hyperna.run.results import STOP_REASONS, Trajectory
from hyperna.theory.landscape import local_optima


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def runs():
    na = OnePlusOneNA(neurons=1, resolution=60, mutation="local")
    return na.run_many(problem("local_opt"), runs=60, seed=0)


def wedges(ax, label):
    """Degrees (first, last) of the ring pieces whose legend entry is the label or continues it."""
    pieces = [patch for patch in ax.patches if isinstance(patch, Wedge)]
    colours = {piece.get_label(): piece.get_edgecolor() for piece in pieces}
    return sorted(
        (piece.theta1, piece.theta2) for piece in pieces if piece.get_edgecolor() == colours[label]
    )


def test_circle_shows_labels_answers_and_mistakes():
    network = Network(Grid(2, 1, 120), [0, 60])
    ax = plot_circle(problem("half"), network)
    assert np.allclose(wedges(ax, "positive"), [(0, 180)])
    assert np.allclose(wedges(ax, "network answers 1"), [(270, 450)])
    assert np.allclose(wedges(ax, "wrong"), [(90, 180), (270, 360)])
    assert ax.get_title() == "half: 50.000% correct"


def test_circle_draws_each_neuron_s_line():
    network = Network(Grid(2, 2, 120), [15, 102, 75, 80])
    ax = plot_circle(problem("two_quarters"), network)
    lines = {line.get_label(): line.get_xydata() for line in ax.lines}
    for index, (normal, bias) in enumerate(zip(*network.weights(), strict=True)):
        assert lines[f"neuron {index + 1}"] @ normal == pytest.approx([bias, bias])


def test_every_end_of_a_run_has_words():
    assert set(STOP_REASONS) <= set(_ENDS)


def test_circle_marks_wrong_points():
    X = np.array([[0.5, 0.5], [-0.5, 0.5], [0.5, -0.5]])
    network = Network(Grid(2, 1, 4), [1, 2])
    ax = plot_circle(points(X, [1, 0, 0]), network)
    wrong = next(c for c in ax.collections if c.get_label() == "wrong")
    assert wrong.get_offsets().tolist() == [[-0.5, 0.5]]


def test_circle_and_sphere_refuse_other_dimensions():
    flat, solid = Network(Grid(2, 1, 4), [0, 2]), Network(Grid(3, 1, 4), [0, 0, 2])
    with pytest.raises(ValueError, match="D = 2 only, got a problem with D = 3"):
        plot_circle(problem("half", dim=3), flat)
    with pytest.raises(ValueError, match="D = 3 only, got a problem with D = 3 and a network with"):
        plot_sphere(problem("half", dim=3), flat)
    with pytest.raises(ValueError, match="D = 2 only"):
        plot_circle(problem("half"), solid)


@pytest.mark.parametrize("seed", range(20))
def test_circular_runs_cover_what_is_true(seed):
    inside = np.random.default_rng(seed).random(12) < 0.6
    covered = [i % 12 for first, last in circular_runs(inside) for i in range(first, last)]
    assert sorted(covered) == np.flatnonzero(inside).tolist()


def test_sphere_draws_the_planes_cut():
    network = Network(Grid(3, 1, 120), [10, 25, 80])
    ax = plot_sphere(problem("half", dim=3), network)
    (normal,), (bias,) = network.weights()
    behind, front = (np.array(line.get_data_3d()).T for line in ax.lines)
    assert (np.isnan(behind) != np.isnan(front)).all()
    circle = np.where(np.isnan(front), behind, front)
    assert circle @ normal == pytest.approx(np.full(len(circle), bias))
    assert (circle**2).sum(axis=1) == pytest.approx(np.ones(len(circle)))


def plateau_escapes(scores, start):
    """Whether a walk over equal neighbours from start meets a better state."""
    a, b = scores.shape
    seen, stack = {start}, [start]
    while stack:
        i, j = stack.pop()
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                there = ((i + di) % a, (j + dj) % b)
                if scores[there] > scores[i, j]:
                    return True
                if scores[there] == scores[i, j] and there not in seen:
                    seen.add(there)
                    stack.append(there)
    return False


@pytest.mark.parametrize("seed", range(10))
def test_local_optima_by_brute_force(seed):
    scores = np.random.default_rng(seed).integers(0, 3, (7, 6))
    expected = [[not plateau_escapes(scores, (i, j)) for j in range(6)] for i in range(7)]
    assert local_optima(scores).tolist() == expected


@pytest.mark.parametrize("name", ["quarter", "cube"])
def test_score_table_is_the_fitness(name):
    subject = problem(name, dim=2)
    scores, units = score_table(subject, 8)
    grid = Grid(2, 1, 8)
    for angle, bias in ((0, 0), (1, 6), (5, 8)):
        assert scores[angle, bias] / units == fitness_of(subject)(Network(grid, [angle, bias]))


def test_landscape_marks_the_optimum():
    genomes = np.array([[0, 0], [23, 3], [6, 12]])
    way = Trajectory(Grid(2, 1, 24), np.arange(3), np.zeros(3), genomes)
    ax = plot_landscape(problem("half"), 24, way)
    best = next(line for line in ax.lines if line.get_label().startswith("optimum"))
    assert best.get_xydata().tolist() == [[90.0, 0.0]]
    way = next(line for line in ax.lines if line.get_label().startswith("accepted"))
    assert np.isnan(way.get_xydata()).any()
    with pytest.raises(ValueError, match="needs D = 2"):
        plot_landscape(problem("half", dim=3))
    assert plot_landscape(problem("half")).get_title() == "half: one neuron, r = 120"


def test_runtimes_curve_is_the_ecdf_of_solved_runs(runs):
    ax = plot_runtimes(runs)
    x, y = ax.lines[0].get_data()
    solved = runs.evaluations[runs.success]
    assert y[-1] == runs.success.mean() < 1
    assert np.allclose([(solved <= when).sum() / len(runs) for when in x[1:-1]], y[1:-1])
    both = plot_runtimes({"one": runs, "two": runs})
    texts = [text.get_text() for text in both.get_legend().get_texts()]
    assert [text.partition(":")[0] for text in texts] == ["one", "two"]


def test_improvements_rise_to_the_result(runs):
    result = runs.replay(0)
    x, y = plot_improvements(result).lines[0].get_data()
    assert np.all(np.diff(y) >= 0)
    assert (x[-1], y[-1]) == (result.evaluations, result.fitness)


def test_boxes_show_medians(runs):
    ax = plot_boxes({"local": runs, "again": runs})
    medians = [line for line in ax.lines if len(set(line.get_ydata())) == 1]
    assert np.median(runs.evaluations) in [line.get_ydata()[0] for line in medians]
    assert ax.get_xticklabels()[0].get_text().startswith("local\n")


def test_convergence_ends_at_the_median_fitness(runs):
    results = [runs.replay(i) for i in range(9)]
    middle = next(line for line in plot_convergence(results).lines if line.get_label() == "median")
    assert middle.get_ydata()[-1] == np.median([result.fitness for result in results])
    with pytest.raises(ValueError, match="at least one run"):
        plot_convergence([])


def test_scaling_shows_means_fits_and_bound():
    rng = np.random.default_rng(0)
    samples = {r: rng.exponential(r, 300) for r in (100, 200, 400, 800)}
    ax = plot_scaling(samples, theorem_bound("half", "local"))
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    fitting = [fit for fit in fit_runtimes(list(samples), list(samples.values())) if fit.fits]
    assert fitting
    for fit in fitting[:3]:
        assert any(text.startswith(fit.equation) for text in texts)
    assert len(texts) == len(fitting[:3]) + 3
    assert any(text.startswith("theorem: O(r)") for text in texts)
    few = plot_scaling({100: [3, 4], 200: [5, 6]})
    assert len(few.get_legend().get_texts()) == 1


def test_the_legend_of_a_scaling_names_all_laws_that_fit_and_what_they_predict():
    rng = np.random.default_rng(0)
    samples = {r: rng.exponential(3 * r * np.log(r), 50) for r in 2 ** np.arange(5, 13)}
    fits = fit_runtimes(list(samples), list(samples.values()))
    fitting = [fit for fit in fits if fit.fits]
    assert len(fitting) > 3
    legend = plot_scaling(samples).get_legend()
    text = " ".join(" ".join(one.get_text() for one in legend.get_texts()).split())
    for fit in fitting[:3]:
        assert fit.equation in text
    for fit in fitting[3:]:
        assert fit.law.formula in text
    for place, times in enumerate((2, 16)):
        values = [fit.predictions[place].value for fit in fitting]
        assert f"{significant(min(values))} to {significant(max(values))} at {times} times" in text


@pytest.fixture(scope="module")
def filmed():
    na = OnePlusOneNA(neurons=2, resolution=60)
    return na.run(problem("two_quarters"), seed=2, trajectory=True)


def test_film_shows_the_run_from_start_to_end(filmed):
    way = filmed.trajectory
    shown = chosen_frames(way, 30)
    assert shown[0] == 0
    assert shown[-1] == len(way) - 1
    assert shown == sorted(set(shown))
    film = animate_run(problem("two_quarters"), filmed, frames=30, pause=4)
    assert list(film.new_frame_seq()) == [*shown, *[shown[-1]] * 4]
    film._draw_was_started = True  # only looked at, never played


@pytest.mark.parametrize("suffix", ["gif", "html", "mp4"])
def test_film_is_written(tmp_path, filmed, suffix):
    if suffix == "mp4" and not shutil.which("ffmpeg"):
        pytest.skip("no ffmpeg")
    path = tmp_path / f"run.{suffix}"
    save_animation(animate_run(problem("two_quarters"), filmed, frames=3, pause=2), path)
    written = path.read_bytes()
    assert {"gif": written[:4] == b"GIF8", "mp4": b"ftyp" in written[:12]}.get(suffix, True)
    assert list(tmp_path.iterdir()) == [path]
    if suffix == "html":
        page = written.decode()
        assert "http" not in re.sub(r'"[A-Za-z0-9+/=]{200,}"', "", page)
        pictures = json.loads(re.search(r"const pictures = (\[.*?\]), order", page)[1])
        order = json.loads(re.search(r"order = (\[.*?\]), interval", page)[1])
        assert len(pictures) == 3
        assert order == [0, 1, 2, 2, 2]
        assert "background: white" in page


@pytest.mark.parametrize("suffix", ["gif", "html"])
def test_dark_films_have_dark_paper(tmp_path, filmed, suffix):
    path = tmp_path / f"run.{suffix}"
    film = animate_run(problem("two_quarters"), filmed, frames=2, pause=0, dark=True)
    save_animation(film, path)
    if suffix == "html":
        # the page around the pictures is as dark as they are
        assert "background: #14181e" in path.read_text(encoding="utf-8")
    else:
        with Image.open(path) as picture:
            assert max(picture.convert("RGB").getpixel((0, 0))) < 60


def test_dark_pictures_end_with_their_block():
    with dark_pictures():
        dark = plot_improvements(OnePlusOneNA(resolution=24).run("half", seed=0))
    light = plot_improvements(OnePlusOneNA(resolution=24).run("half", seed=0))
    for ax, bright in ((dark, False), (light, True)):
        assert (max(ax.figure.get_facecolor()[:3]) > 0.9) == bright
        written = [ax.title, ax.xaxis.label, *ax.get_xticklabels()]
        shades = {sum(to_rgb(text.get_color())) / 3 > 0.5 for text in written}
        assert shades == {not bright}


def test_film_of_a_sphere_stands_still(tmp_path):
    subject = problem("half", dim=3)
    result = OnePlusOneNA(resolution=24).run(subject, seed=1, trajectory=True)
    film = animate_run(subject, result, frames=3, pause=0)
    figure = film._fig
    places = []
    for frame in film.new_frame_seq():
        film._func(frame)
        figure.canvas.draw()
        places.append([ax.get_position().bounds for ax in figure.axes])
    assert all(place == places[0] for place in places)
    save_animation(film, tmp_path / "sphere.gif")
    assert (tmp_path / "sphere.gif").stat().st_size > 1000


def test_film_refuses(filmed, tmp_path, runs, monkeypatch):
    with pytest.raises(ValueError, match="trajectory=True"):
        animate_run(problem("half"), runs.replay(0))
    with pytest.raises(ValueError, match=r"must end in \.gif, \.mp4 or \.html"):
        save_animation(None, tmp_path / "run.avi")
    with pytest.raises(ValueError, match="D = 2 and D = 3, got a problem with D = 5"):
        animate_run(problem("half", dim=5), filmed)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ValueError, match="needs the program ffmpeg"):
        save_animation(None, tmp_path / "run.mp4")


def test_batch_draws_the_sphere_and_says_when_nothing_succeeded():
    subject = problem("half", dim=3)
    failed = OnePlusOneNA(resolution=24).run_many(subject, runs=3, budget=1, target=1.0, seed=0)
    figure = batch_figure(subject, failed)
    assert [ax.name for ax in figure.axes] == ["3d", "rectilinear", "rectilinear"]
    sphere, above, below = figure.axes
    assert f"{100 * failed.fitness.max():.3f}% correct" in sphere.get_title()
    assert above.get_title() == "none of 3 runs succeeded"
    assert above.lines[0].get_xdata()[:3].tolist() == sorted(failed.fitness)
    assert below.get_title().startswith("best run (highest fitness, then fewest evaluations):")
    assert below.get_title().endswith("budget spent after 1 evaluation")
    text = [text.get_text() for text in plot_runtimes(failed).texts]
    assert text == ["no run succeeded\nwithin 1 evaluation"]


def test_axes_end_where_fitness_and_evaluations_do():
    subject = problem("cube", dim=2)
    for seed in (0, 1, 2):
        result = OnePlusOneNA(neurons=2).run(subject, budget=10 ** (2 * seed), seed=seed)
        ax = plot_improvements(result)
        assert ax.get_xlim()[0] == 1.0
        assert max(1.0, result.evaluations) <= ax.get_xlim()[1]
        low, high = ax.get_ylim()
        assert 0.0 <= low < result.fitness <= high <= 1.0


def test_titles_are_short_and_in_degrees():
    grid = Grid(2, 1, 120)
    arcs = custom_arcs([(20 * i, 20 * i + 10) for i in range(7)], unit="degree")
    title = plot_circle(arcs, Network(grid, [0, 60])).get_title()
    assert title.startswith("arcs 0°–10°, 20°–30°")
    assert max(map(len, title.splitlines())) <= 44
    voting = Network(Grid(2, 2, 4, "evolved"), [0, 2, 1, 2, 1, 2])
    ax = plot_circle(points([[0.5, 0.5], [-0.5, 0]], [1, 0]), voting)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "neuron 2, vote 1.00" in names
    assert "votes reach 0.00" in ax.get_title().replace("\n", " ")
    assert ax.get_xlabel() == "$x_1$"


def test_given_axes_are_used(runs):
    _, ax = plt.subplots()
    assert plot_runtimes(runs, ax) is ax
    assert plot_improvements(runs.replay(0), ax=ax) is ax


def test_the_landscape_marks_all_optima_of_local_opt_as_such():
    """Rounded to the grid their fitness differs a little, yet each is an optimal solution."""
    ax = plot_landscape(problem("local_opt"), 48)
    marks = {line.get_label().split(":")[0]: line.get_xydata() for line in ax.lines}
    expected = [(330, 0), (270, -(3**0.5) / 2), (30, -(3**0.5) / 2)]
    assert len(marks["optimum"]) == 3
    for x, y in expected:
        distance = np.abs(marks["optimum"] - (x, y)) / (360 / 48, 2 / 48)
        assert (distance < 1).all(axis=1).sum() == 1


def test_a_way_over_the_edge_of_biases_is_not_drawn():
    pytest.importorskip("matplotlib")
    import matplotlib.pyplot as plt

    from hyperna import Grid
    from hyperna.plots import plot_landscape
    from hyperna.run.results import Trajectory

    way = Trajectory(
        Grid(2, 1, 24), np.arange(3), np.zeros(3), np.array([[3, 1], [3, 24], [4, 20]])
    )
    ax = plot_landscape(problem("half"), 12, way)
    (line,) = [line for line in ax.lines if line.get_label().startswith("accepted")]
    assert np.isnan(line.get_xydata()).any(axis=1).tolist() == [False, True, False, False]
    plt.close("all")


def test_of_laws_that_do_not_fit_the_best_is_drawn():
    rng = np.random.default_rng(0)
    samples = {r: 2 ** (r / 40) * (1 + 0.01 * rng.random(9)) for r in (30, 60, 120, 240, 480)}
    fits = fit_runtimes(list(samples), list(samples.values()))
    assert not any(fit.fits for fit in fits)
    curves = [line for line in plot_scaling(samples).lines if len(line.get_xdata()) == 200]
    assert len(curves) == 1
    assert np.allclose(curves[0].get_ydata(), fits[0](curves[0].get_xdata()))
