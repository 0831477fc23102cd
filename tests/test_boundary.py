"""Pictures of classifiers: every drawn quantity is read back from the figure."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons

from hyperna import NAClassifier
from hyperna.classifier.text import condition_text
from hyperna.cli import main
from hyperna.plots import plot_boundary
from hyperna.tables import plain_features

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def moons():
    X, y = make_moons(200, noise=0.15, random_state=0)
    X = X * [10.0, 0.01] + [100.0, -3.0]
    return X, y, NAClassifier(random_state=0).fit(X, y)


def test_regions_lines_and_errors_are_those_of_the_classifier():
    X, y, clf = moons()
    ax = plot_boundary(clf, X, y)
    mesh = ax.collections[0]
    corners = mesh.get_coordinates()[:-1, :-1].reshape(-1, 2)
    steps = np.diff(mesh.get_coordinates()[:2, :2].reshape(-1, 2)[[0, 3]], axis=0)[0]
    answers = clf.predict(corners + steps / 2)
    assert (answers == mesh.get_array().ravel()).mean() > 0.999
    assert len(ax.lines) > 1
    for line, condition in zip(ax.lines, clf.rules_[0].conditions, strict=True):
        assert np.allclose(condition.distance(line.get_xydata()), 0, atol=1e-9)
    wrong = next(c for c in ax.collections if str(c.get_label()).startswith("wrong"))
    expected = X[clf.predict(X) != y]
    assert np.array_equal(np.sort(wrong.get_offsets(), axis=0), np.sort(expected, axis=0))
    shown = [c for c in ax.collections if c.get_label() in ("0", "1")]
    assert [len(c.get_offsets()) for c in shown] == [(y == 0).sum(), (y == 1).sum()]
    for k, own in enumerate(shown):  # a region has the colour of its class
        assert np.allclose(mesh.cmap(mesh.norm(k))[:3], own.get_facecolor()[0][:3])


def test_more_features_show_the_plane_through_the_rest():
    X, y = load_iris(return_X_y=True)
    clf = NAClassifier(random_state=0).fit(X, y)
    ax = plot_boundary(clf, X, y, features=(2, 3), rest=[5.0, 3.0, 0.0, 0.0])
    mesh = ax.collections[0]
    centre = mesh.get_coordinates()[:-1, :-1].reshape(-1, 2)
    steps = np.diff(mesh.get_coordinates()[:2, :2].reshape(-1, 2)[[0, 3]], axis=0)[0]
    rows = np.column_stack([np.full((len(centre), 2), [5.0, 3.0]), centre + steps / 2])
    assert (clf.predict(rows) == mesh.get_array().ravel()).mean() > 0.999
    for line in ax.lines:
        ends = np.column_stack([np.full((2, 2), [5.0, 3.0]), line.get_xydata()])
        near = [abs(c.distance(ends)).max() for r in clf.rules_ for c in r.conditions]
        assert min(near) < 1e-9
    assert "given values" in ax.get_title()
    assert "median values" in plot_boundary(clf, X, y).get_title()


def test_several_classes_say_that_the_first_rule_answers():
    X, y = load_iris(return_X_y=True)
    clf = NAClassifier(random_state=0).fit(X, y)
    ax = plot_boundary(clf, X, y)
    assert "the first rule that holds answers" in ax.get_title()
    expected = []
    for place, (number, rule) in enumerate(zip(clf.list_.order, clf.rules_, strict=False), 1):
        texts = [
            condition_text(c, plain_features(["x1", "x2", "x3", "x4"])) for c in rule.conditions
        ]
        expected += [f"{place}. {clf.classes_[number]}: {text}" for text in texts]
    told = "\n".join(line.get_label() for line in ax.lines).splitlines()
    assert sorted(told) == sorted(expected)
    X, y, clf = moons()
    ax = plot_boundary(clf, X, y)
    assert "first rule" not in ax.get_title()
    entries = {text.get_text() for text in ax.get_legend().get_texts()}
    names = plain_features(["x1", "x2"])
    assert {condition_text(c, names) for c in clf.rules_[0].conditions} <= entries


def test_a_constant_answer_has_no_lines():
    X, y = make_moons(200, noise=0.15, random_state=0)
    ax = plot_boundary(NAClassifier(0, random_state=0).fit(X, y), X, y)
    assert len(ax.lines) == 0
    assert "50.0% of 200 points correct" in ax.get_title()


def test_default_features_matter_most():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4))
    y = X[:, 1] - X[:, 3] > 0
    clf = NAClassifier(random_state=0).fit(X, y)
    ax = plot_boundary(clf, X, y)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x2", "x4")


def in_the_plane(ax, clf, X):
    """Return the answers of the mesh at the places of the points."""
    mesh = next(c for c in ax.collections if hasattr(c, "get_coordinates"))
    corners, answer = mesh.get_coordinates(), np.asarray(mesh.get_array())
    shown = [c for c in ax.collections if c.get_label() in map(str, clf.classes_)]
    places = np.vstack([np.asarray(c.get_offsets()) for c in shown])
    column = np.searchsorted(corners[0, :, 0], places[:, 0]) - 1
    row = np.searchsorted(corners[:, 0, 1], places[:, 1]) - 1
    return answer.reshape(len(corners) - 1, -1)[row, column]


@pytest.mark.parametrize("neurons", [1, 2])
def test_an_oblique_plane_shows_one_or_two_half_spaces_exactly(neurons):
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(400, 6))
    X = Z * [1.0, 20.0, 0.1, 1.0, 1.0, 0.0] + 3.0
    y = ((Z[:, :3].sum(axis=1) > 1.0) | (neurons > 1) & (Z[:, 2:5] @ [1, -1, 1] > 1.5)).astype(int)
    clf = NAClassifier(max_neurons=neurons, random_state=0).fit(X, y)
    assert clf.n_neurons_ == neurons
    order = np.argsort(y, kind="stable")
    for rest in (None, X[7]):
        ax = plot_boundary(clf, X, y, features="plane", rest=rest)
        answers = in_the_plane(ax, clf, X)
        assert (answers == clf.predict(X)[order]).mean() > 0.98  # a pixel wide on the boundary
        assert len(ax.lines) == neurons
        plt.close("all")
    pair = in_the_plane(plot_boundary(clf, X, y), clf, X)
    assert (pair == clf.predict(X)[order]).mean() < 0.95
    assert "scaled" in ax.get_xlabel()
    assert "given values" in ax.get_title()


def test_the_oblique_plane_has_the_largest_part_of_all_normals():
    X, y = load_iris(return_X_y=True)
    clf = NAClassifier(random_state=0).fit(X, y)
    ax = plot_boundary(clf, X, y, features="plane")
    shown = [c for c in ax.collections if c.get_label() in map(str, clf.classes_)]
    places = np.vstack([np.asarray(c.get_offsets()) for c in shown])
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    apart = np.linalg.norm(Z[:, None] - Z[None], axis=2)
    seen = np.linalg.norm(places[:, None] - places[None], axis=2)
    assert (seen <= apart + 1e-9).all()
    conditions = [condition for rule in clf.rules_ for condition in rule.conditions]
    normals = np.zeros((len(conditions), 4))
    for normal, condition in zip(normals, conditions, strict=True):
        features = list(condition.features)
        normal[features] = condition.weights * X.std(axis=0)[features] / condition.scale
    assert np.allclose(np.linalg.norm(normals, axis=1), 1, atol=0.05)  # few digits
    kept = np.linalg.svd(normals)[1][:2] ** 2
    directions = np.linalg.lstsq(Z, places, rcond=None)[0]
    assert np.isclose(((normals @ directions) ** 2).sum(), kept.sum())  # no plane has more


def test_bad_requests_are_refused():
    X, y, clf = moons()
    with pytest.raises(TypeError, match="fitted NAClassifier, got NAClassifier"):
        plot_boundary(NAClassifier(), X, y)
    for wrong in [(0,), (0, 0), (0, 7), ("x1", "width"), "plan"]:
        with pytest.raises(ValueError, match="features must be"):
            plot_boundary(clf, X, y, features=wrong)
    with pytest.raises(ValueError, match="y must have shape"):
        plot_boundary(clf, X, y[1:])
    one = NAClassifier(random_state=0).fit(X[:, :1], y)
    with pytest.raises(ValueError, match="at least 2 features"):
        plot_boundary(one, X[:, :1], y)


def test_fit_draws_the_plane_where_a_rule_has_many_features(tmp_path, monkeypatch):
    import hyperna.plots

    seen = []
    monkeypatch.setattr(
        hyperna.plots, "plot_boundary", lambda *data, features: seen.append(features)
    )
    for data in ("sklearn:breast_cancer", "xor"):
        assert main(["fit", data, "--plot", str(tmp_path / "a.png")]) == 0
    assert seen == ["plane", None]


def test_fit_draws(tmp_path, capsys):
    picture = tmp_path / "xor.png"
    assert main(["fit", "xor", "--plot", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert capsys.readouterr().err == ""


def test_the_axes_are_not_two_copies_of_one_feature():
    X, y = make_moons(200, noise=0.2, random_state=0)
    X = np.column_stack([X, 1000 * X[:, 0] + 3])
    ax = plot_boundary(NAClassifier(random_state=0).fit(X, y), X, y)
    assert {ax.get_xlabel(), ax.get_ylabel()} != {"x1", "x3"}


def test_a_long_legend_takes_no_room_from_the_axes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 6, 300)
    X = rng.normal(size=(300, 3)) + 2 * np.eye(6)[y][:, :3] - np.eye(6)[y][:, 3:]
    ax = plot_boundary(NAClassifier(random_state=0).fit(X, y), X, y)
    ax.figure.canvas.draw()
    assert ax.get_window_extent().height > 0.4 * ax.figure.bbox.height
    assert ax.get_legend().get_window_extent().y0 > -0.02 * ax.figure.bbox.height


def test_given_axes_keep_their_figure():
    figure = pytest.importorskip("matplotlib.figure").Figure(figsize=(5, 4))
    X, y = make_moons(60, noise=0.2, random_state=0)
    clf = NAClassifier(random_state=0).fit(X, y)
    plot_boundary(clf, X, y, figure.add_subplot())
    assert figure.get_size_inches().tolist() == [5, 4]
    part = pytest.importorskip("matplotlib.figure").Figure().subfigures(1, 2)[0]
    assert plot_boundary(clf, X, y, part.add_subplot()).figure is part
