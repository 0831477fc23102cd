"""Spheres and rings, read back from the figure: points, circles of the planes, areas."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib.pyplot as plt
from matplotlib.patches import Wedge

from hyperna import Grid, Network, problem
from hyperna.plots import plot_circle, plot_sphere


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


def test_points_of_the_sphere_have_their_labels_and_wrong_ones_a_cross():
    cube = problem("cube", dim=3)
    network = Network(Grid(3, 1, 60), [7, 50, 40])
    ax = plot_sphere(cube, network)
    drawn = {"o": set(), "s": set(), "x": set()}
    for group in ax.collections:
        if hasattr(group, "_offsets3d"):
            # a cross, a square and a disc have so many corners
            mark = {4: "x", 5: "s"}.get(len(group.get_paths()[0].vertices), "o")
            drawn[mark] |= {tuple(np.round(point, 9)) for point in np.array(group._offsets3d).T}
    wrong = network.predict(cube.X) != cube.y
    expected = {"o": cube.X[cube.y], "s": cube.X[~cube.y], "x": cube.X[wrong]}
    assert 0 < wrong.sum() < 8
    assert drawn == {
        mark: {tuple(point) for point in np.round(some, 9)} for mark, some in expected.items()
    }


def test_circles_on_the_sphere_are_where_the_planes_cut_it():
    network = Network(Grid(3, 2, 60), [7, 50, 47, 40, 11, 20])
    ax = plot_sphere(problem("cube", dim=3), network)
    circles = [np.array(line.get_data_3d()).T for line in ax.lines]
    circles = [circle for circle in circles if len(circle) > 2]
    for circle, normal, level in zip(circles, *network.weights(), strict=True):
        assert np.allclose(circle @ normal, level)
        assert np.allclose((circle**2).sum(axis=1), 1.0)


def test_rings_cover_what_they_say():
    subject, network = problem("local_opt"), Network(Grid(2, 2, 60), [7, 47, 40, 35])
    ax = plot_circle(subject, network)
    angles = np.arange(0.37, 360)  # away from all ends by more than the rings are off
    on_circle = np.column_stack([np.cos(np.deg2rad(angles)), np.sin(np.deg2rad(angles))])
    wanted, answered = subject.label(on_circle), network.predict(on_circle)
    rings = {"positive": wanted, "network answers 1": answered, "wrong": wanted != answered}
    assert (wanted & ~answered).any()
    assert (answered & ~wanted).any()
    drawn = [patch for patch in ax.patches if isinstance(patch, Wedge)]
    hatched = [patch for patch in drawn if patch.get_hatch()]
    labels = [patch for patch in drawn if patch.r > 1.15 and not patch.get_hatch()]
    answers = [patch for patch in drawn if patch.r < 1.15 and not patch.get_hatch()]
    for wedges, inside in zip((labels, answers, hatched), rings.values(), strict=True):
        covered = np.zeros(len(angles), bool)
        for wedge in wedges:
            covered |= (angles - wedge.theta1) % 360 < (wedge.theta2 - wedge.theta1)
        assert np.array_equal(covered, inside)


def test_what_is_behind_the_sphere_is_dotted_and_what_is_in_front_has_the_name():
    network = Network(Grid(3, 2, 60), [7, 50, 47, 40, 11, 20])
    ax = plot_sphere(problem("half", dim=3), network)
    up, around = np.deg2rad(ax.elev), np.deg2rad(ax.azim)
    viewer = [np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)]
    dotted = [line for line in ax.lines if line.get_linestyle() == ":"]
    whole = [line for line in ax.lines if line.get_linewidth() == 3.5]
    assert len(dotted) == len(whole) == 2
    for line, front in (*((line, False) for line in dotted), *((line, True) for line in whole)):
        points = np.array(line.get_data_3d()).T
        points = points[np.isfinite(points[:, 0])]
        assert len(points) > 9
        assert ((points @ viewer > 0) == front).all()
        assert line.get_label().startswith("neuron") == front


def test_everything_around_the_circle_is_in_the_picture():
    ax = plot_circle(problem("local_opt"), Network(Grid(2, 2, 60), [7, 47, 40, 35]))
    places = [text.get_position() for text in ax.texts if text.get_text()]
    places += [(patch.r, 0.0) for patch in ax.patches if isinstance(patch, Wedge)]
    assert len(places) > 4
    for x, y in places:
        assert abs(x) <= min(-ax.get_xlim()[0], ax.get_xlim()[1])
        assert abs(y) <= min(-ax.get_ylim()[0], ax.get_ylim()[1])
    arrows = [text for text in ax.texts if not text.get_text()]
    assert len(arrows) == 2
    assert min(arrow.get_zorder() for arrow in arrows) > max(line.get_zorder() for line in ax.lines)
