"""NAClassifier(neuron="bent"): that it is the plain one bent, and that all parts know cones."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_circles

from hyperna import Grid, NAClassifier, Network, dataset, export_text
from hyperna.classifier.export import LINE_WIDTH
from hyperna.classifier.fitted import from_cones, signed_distance
from hyperna.classifier.points import Scaling
from hyperna.classifier.rules import Cone, cone_of, rule_of
from hyperna.neurons import cone_distance

CIRCLES = make_circles(200, noise=0.1, factor=0.5, random_state=0)
QUICK = {"neuron": "bent", "max_evals": 3000, "random_state": 0}


def random_network(rng, dim, neurons, output="evolved", resolution=2**16):
    grid = Grid(dim, neurons, resolution, output, "bent")
    return Network(grid, grid.random(rng, "sphere"))


def points_in_ball(rng, n, dim):
    Z = rng.normal(size=(n, dim))
    return Z / np.linalg.norm(Z, axis=1).max()


def test_two_cones_close_around_what_two_half_spaces_leave_open():
    X, y = CIRCLES
    plain = NAClassifier(2, max_evals=30_000, random_state=0).fit(X, y)
    bent = NAClassifier(2, neuron="bent", max_evals=30_000, random_state=0).fit(X, y)
    assert plain.training_score_ < 0.85
    assert bent.training_score_ > 0.95
    assert {network.grid.neuron for network in bent.networks_} == {"bent"}


@pytest.mark.parametrize("output", ["or", "and", "xor", "evolved"])
def test_starts_are_those_of_plain_neurons(output):
    X, y = CIRCLES
    settings = {"output": output, "max_evals": 1, "random_state": 0}
    plain = NAClassifier(3, **settings).fit(X, y)
    bent = NAClassifier(3, neuron="bent", **settings).fit(X, y)
    assert plain.network_.as_kind("bent") == bent.network_
    assert (plain.predict(X) == bent.predict(X)).all()
    assert np.allclose(plain.decision_function(X), bent.decision_function(X), atol=1e-12)
    assert export_text(plain) == export_text(bent)  # a right angle is printed as a half-space


def test_distance_is_that_to_the_nearest_point_of_the_surface():
    rng = np.random.default_rng(0)
    for _ in range(10):
        network = random_network(rng, 2, 1)
        (w,), (b,) = network.weights()
        bend = network.grid.parameters(network.genome)[1][0]
        side = np.array([-w[1], w[0]])
        far = np.linspace(0, 4, 40_001)[:, None]
        rays = [b * w + far * (np.cos(bend) * w + s * np.sin(bend) * side) for s in (-1, 1)]
        for z in points_in_ball(rng, 20, 2):
            nearest = np.linalg.norm(np.vstack(rays) - z, axis=1).min()
            found = from_cones(network, z[None])[0, 0]
            assert abs(found) == pytest.approx(nearest, abs=1e-4)
            assert (found >= 0) == network.hidden(z[None])[0, 0]


def test_behind_the_apex_the_apex_is_nearest():
    assert cone_distance(np.array([-3.0]), np.array([4.0]), 1.0) == 5.0
    assert cone_distance(np.array([3.0]), np.array([4.0]), 0.0) == 3.0


@pytest.mark.parametrize("output", ["or", "and", "xor", "evolved"])
@pytest.mark.parametrize("dim", [1, 2, 4])
def test_sign_of_the_distance_is_the_answer(output, dim):
    rng = np.random.default_rng(dim)
    for neurons in (1, 3):
        network = random_network(rng, dim, neurons, output)
        Z = points_in_ball(rng, 200, dim)
        assert ((signed_distance(network, Z) > 0) == network.predict(Z)).all()


@pytest.mark.parametrize("seed", range(12))
def test_rules_say_what_the_network_says(seed):
    rng = np.random.default_rng(seed)
    dim, output = 1 + seed % 4, ("or", "and", "xor", "evolved")[seed // 3]
    X = rng.normal(size=(60, dim)) * 10.0 ** rng.integers(-4, 5, dim) + rng.normal(size=dim)
    X = np.column_stack([X, np.full(60, 7.0)])  # a constant feature
    scaling = Scaling.fit(X, np.ones(60))
    network = random_network(rng, dim + 1, 3, output)
    rule = rule_of(network, scaling, X)
    assert (rule.holds(X) == network.predict(scaling.apply(X))).all()
    again = type(rule).from_dict(json.loads(json.dumps(rule.to_dict())), dim + 1)
    assert (again.holds(X) == rule.holds(X)).all()
    close = rule_of(random_network(rng, dim + 1, 1, "or"), scaling, X, 0.02)
    assert len(close.conditions) == 1


@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_rounded_cones_keep_distances(seed, outside):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 3)) * [100.0, 1.0, 0.01] + [5.0, 0.0, 1.0]
    scaling = Scaling.fit(X, np.ones(50))
    network = random_network(rng, 3, 1, "or")
    (w,), (b,) = network.weights()
    bend, fires = network.grid.parameters(network.genome)[1][0], network.predict(scaling.apply(X))
    cone = cone_of(w, b, np.cos(bend), outside, fires, scaling, X, 0.02)
    assert (cone.holds(X) == (fires ^ outside)).all()
    true = from_cones(network, scaling.apply(X))[:, 0] * (-1 if outside else 1)
    assert np.allclose(cone.distance(X), true, atol=0.05)


def test_distances_from_a_cone_do_not_depend_on_the_length_of_its_axis():
    """A rounded axis is no unit vector, and one of length 0 is at right angles to everything."""
    X, still, ones = np.random.default_rng(0).normal(size=(20, 2)), np.zeros(2), np.ones(2)
    unit = Cone(np.array([0.6, 0.8]), still, ones, ones, 0.5, False)
    long = replace(unit, weights=3 * unit.weights, cosine=1.5)
    assert np.allclose(long.distance(X), unit.distance(X))
    assert np.allclose(
        replace(unit, weights=still, cosine=-0.5).distance(X), np.linalg.norm(X, axis=1) / 2
    )


def test_apex_belongs_to_the_cone():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    network = Network(Grid(2, 1, 8, neuron="bent"), [0, 4, 2])
    rule = rule_of(network, Scaling.identity(2), X)
    assert isinstance(rule.conditions[0], Cone)
    assert rule.holds(X).tolist() == network.predict(X).tolist() == [True, True, False, False]


def test_text_can_be_read_as_a_formula():
    X, y = CIRCLES
    clf = NAClassifier(1, output="or", **QUICK).fit(X, y)
    line = export_text(clf).splitlines()[1]
    left, rest = line.split(">=" if ">=" in line else "<")
    right, what = rest.split("with u = ")
    for (x1, x2), answer in zip(X.tolist(), clf.predict(X), strict=True):
        u1, u2 = eval(what, {"x1": x1, "x2": x2})
        sides = eval(left, {"u1": u1, "u2": u2}), eval(right.replace("|u|", repr(np.hypot(u1, u2))))
        assert (sides[0] >= sides[1]) == (answer == 1)


def test_several_classes():
    X, y = load_iris(return_X_y=True)
    clf = NAClassifier(2, **QUICK).fit(X, y)
    text = export_text(clf, ["sepal length", "sepal width", "petal length", "petal width"])
    assert "One with |u| scores" in text
    assert max(map(len, text.splitlines())) <= LINE_WIDTH + 2
    assert clf.score(X, y) > 0.95
    assert clf.feature_importances_.sum() == pytest.approx(1.0)
    holds = np.column_stack([rule.holds(X) for rule in clf.rules_])
    assert (holds == (clf.decision_function(X) > 0)).all()


@pytest.mark.parametrize("init", ["data", "sphere"])
def test_json_keeps_everything(init):
    X, y = CIRCLES
    clf = NAClassifier(init=init, **QUICK).fit(X, y)
    again = NAClassifier.from_json(clf.to_json())
    assert again.neuron == "bent"
    assert export_text(again) == export_text(clf)
    assert (again.predict_proba(X) == clf.predict_proba(X)).all()
    assert ((clf.predict_proba(X)[:, 1] > 0.5) == clf.predict(X)).all()


def test_broken_cones_in_json_are_refused():
    clf = NAClassifier(1, **QUICK).fit(*CIRCLES)
    data = json.loads(clf.to_json())
    for change in ({"width": [-1.0, 1.0]}, {"outside": 3}, {"apex": [1.0]}, {"cosine": "a"}):
        broken = json.loads(json.dumps(data))
        broken["rules"][0]["conditions"][0].update(change)
        with pytest.raises(ValueError, match="must"):
            NAClassifier.from_json(json.dumps(broken))


def test_there_are_no_coefficients():
    clf = NAClassifier(1, **QUICK).fit(*CIRCLES)
    for name in ("coef_", "intercept_"):
        with pytest.raises(AttributeError, match=f"{name} exists for plain neurons only"):
            getattr(clf, name)
    with pytest.raises(ValueError, match="neuron must be"):
        NAClassifier(neuron="round").fit(*CIRCLES)


def test_plain_networks_can_be_continued_as_bent_ones_and_not_back():
    X, y = CIRCLES
    clf = NAClassifier(2, warm_start=True, max_evals=5000, random_state=0).fit(X, y)
    before = clf.training_score_
    clf.set_params(neuron="bent").fit(X, y)
    assert clf.training_score_ > before
    with pytest.raises(ValueError, match="cannot be continued"):
        clf.set_params(neuron="plain").fit(X, y)


def test_boundaries_of_cones_are_drawn():
    from hyperna.plots import plot_boundary

    X, y = CIRCLES
    clf = NAClassifier(2, **QUICK).fit(X, y)
    ax = plot_boundary(clf, X, y)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    cones = export_text(clf).splitlines()[1:3]
    assert [label[:40] for label in labels[:2]] == [cone.strip()[:40] for cone in cones]
    assert sum(type(c).__name__ == "QuadContourSet" for c in ax.collections) == 2


@pytest.mark.parametrize("seed", range(3))
def test_what_cones_make_of_an_output_is_not_judged_by_half_spaces(seed):
    made = dataset("circles", seed=seed)
    clf = NAClassifier(2, neuron="bent", random_state=0).fit(made.X, made.y)
    assert clf.training_score_ > 0.95


def test_a_constant_feature_of_a_cone_is_the_number_that_it_stands_for():
    X = np.random.default_rng(0).normal(size=(60, 3))
    X[:, 1] = 7.0
    y = np.hypot(X[:, 0], X[:, 2]) < 1
    cone = NAClassifier(n_neurons=1, neuron="bent", output="or", max_evals=500, random_state=0).fit(
        X, y
    )
    [condition] = cone.rules_[0].conditions
    assert condition.width[1] == 0
    assert f", {-condition.apex[1]:g}, (x3" in export_text(cone)
    assert (cone.rules_[0].holds(X) == cone.predict(X)).all()
