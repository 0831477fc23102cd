"""Starts: smooth stand-ins for networks against finite differences and limits, linear fits."""

import itertools

import numpy as np
import pytest
from clouds import alike, cloud
from scipy.optimize import check_grad

from hyperna.classifier import starts
from hyperna.classifier.points import LabelledPoints
from hyperna.classifier.spaces import HalfSpaces, cut
from hyperna.classifier.starts import (
    least_squares,
    linear_fits,
    logistic_half_space,
    parity_loss,
    soft_half_spaces,
    union_loss,
    vote_loss,
)


def labelled(n=50, dim=3, seed=0):
    rng = np.random.default_rng(seed)
    points = np.vstack([rng.normal(size=(dim, n)), np.ones(n)])
    weight = rng.random(n)
    return rng, points, rng.integers(0, 2, n).astype(float), weight / weight.sum()


def in_ball(X, y):
    Z = X / np.linalg.norm(X, axis=1).max()
    return alike(Z, np.asarray(y, bool))


@pytest.mark.parametrize("neurons", [1, 2, 5])
@pytest.mark.parametrize(
    ("loss", "steepness"),
    [(union_loss, []), (parity_loss, []), (vote_loss, [1.0]), (vote_loss, [4.0])],
)
def test_gradients_are_the_finite_differences(neurons, loss, steepness):
    rng, *data = labelled(seed=neurons)
    data += steepness
    v = rng.normal(size=neurons * 5 + 1 if loss is vote_loss else neurons * 4)
    error = check_grad(lambda v: loss(v, *data)[0], lambda v: loss(v, *data)[1], v)
    assert error < 1e-5


@pytest.mark.parametrize("loss", [union_loss, parity_loss])
def test_one_neuron_is_logistic_regression(loss):
    """Penalised, with a constant that is all but free: scikit-learn's minimum is ours."""
    from sklearn.linear_model import LogisticRegression

    _, points, y, weight = labelled(n=200)
    model = LogisticRegression(C=1e3, tol=1e-10, max_iter=1000)
    model.fit(points[:3].T, y, sample_weight=weight)
    gradient = loss(np.append(model.coef_[0], model.intercept_), points, y, weight)[1]
    assert np.abs(gradient).max() < 1e-6


@pytest.mark.parametrize("neurons", [1, 3])
def test_soft_union_tends_to_the_or(neurons):
    """For long weights only points on the wrong side of the OR cost, by their depth there."""
    rng, points, y, weight = labelled()
    V = rng.normal(size=(neurons, 4))
    fires = (V @ points >= 0).any(axis=0)
    length = 1e4
    # Half the squared length times the penalty is known; the rest is the likelihood.
    loss = union_loss(length * V.ravel(), points, y, weight)[0]
    loss -= 0.5 * length**2 * (1e-3 * (V[:, :3] ** 2).sum() + 1e-6 * (V[:, 3] ** 2).sum())
    wrong = fires != (y == 1)
    depth = np.abs((V @ points).max(axis=0))
    assert loss / length == pytest.approx(weight[wrong] @ depth[wrong], rel=1e-3)


def test_steep_votes_tend_to_the_vote_of_thresholds():
    rng, points, y, weight = labelled()
    V, u = rng.normal(size=(3, 4)), np.append(rng.normal(size=3), 0.1)
    said = u[:-1] @ np.where(V @ points >= 0, 1.0, -1.0) + u[-1]
    v = np.append(V, u)
    penalty = vote_loss(np.append(V, u), points, y, weight)[0] - weight @ np.logaddexp(
        0, -(2 * y - 1) * (u[:-1] @ np.tanh(V @ points) + u[-1])
    )
    hard = weight @ np.logaddexp(0, -(2 * y - 1) * said) + penalty
    assert vote_loss(v, points, y, weight, 1e6)[0] == pytest.approx(hard)


@pytest.mark.parametrize("neurons", [2, 3, 4])
def test_soft_parity_is_the_chance_of_an_odd_number(neurons):
    """By adding up the chances of all patterns of independent bits."""
    rng, points, y, weight = labelled()
    V = rng.normal(size=(neurons, 4))
    fires = 1 / (1 + np.exp(-V @ points))
    odd = np.zeros(points.shape[1])
    for bits in itertools.product((False, True), repeat=neurons):
        if sum(bits) % 2:
            odd += np.where(np.array(bits)[:, None], fires, 1 - fires).prod(axis=0)
    penalty = 0.5 * (1e-3 * (V[:, :3] ** 2).sum() + 1e-6 * (V[:, 3] ** 2).sum())
    expected = -weight @ np.log(np.where(y == 1, odd, 1 - odd)) + penalty
    assert parity_loss(V.ravel(), points, y, weight)[0] == pytest.approx(expected)


def share(output, points, neurons, seed=0):
    spaces = soft_half_spaces(points, np.random.default_rng(seed), output, neurons)
    network = spaces.network(2**16)
    assert network.grid.output == output
    return (network.predict(points.Z) == points.y).mean(), len(spaces.t)


def test_union_and_intersection_are_found_with_few_half_spaces():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    normals = np.linalg.qr(rng.normal(size=(4, 4)))[0][:3]
    inside = (X @ normals.T >= 0.8).any(axis=1)
    for output, y in (("or", inside), ("and", ~inside)):
        accuracy, neurons = share(output, in_ball(X, y), 8)
        assert accuracy > 0.97
        assert neurons <= 6


@pytest.mark.parametrize("dim", [2, 3, 4])
def test_votes_learn_parity(dim):
    X = np.array(list(itertools.product((-1.0, 1.0), repeat=dim)))
    accuracy, _ = share("evolved", in_ball(X, X.prod(axis=1) > 0), 8)
    assert accuracy == 1.0


@pytest.mark.parametrize("dim", [2, 5, 20])
def test_parity_finds_crossing_half_spaces_and_no_more(dim):
    rng = np.random.default_rng(dim)
    X = rng.normal(size=(600, dim))
    normals = np.linalg.qr(rng.normal(size=(dim, 2)))[0]
    accuracy, neurons = share("xor", in_ball(X, (X @ normals >= 0.2).sum(axis=1) == 1), 3)
    assert accuracy > 0.97
    assert neurons == 2


@pytest.mark.parametrize("output", ["or", "and", "evolved"])
@pytest.mark.parametrize("neurons", [2, 8])
def test_constructions_beat_a_constant_answer(output, neurons):
    rng = np.random.default_rng(4)
    points = in_ball(rng.normal(size=(60, 3)), rng.random(60) < 0.4)
    accuracy, used = share(output, points, neurons)
    assert used <= neurons
    assert accuracy > max(points.y.mean(), 1 - points.y.mean())


def test_where_logistic_regression_has_no_weights_there_is_a_half_space_all_the_same():
    Z = np.array([[-1.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [1.0, 0.0]]) / 2
    points = alike(Z, np.array([True, True, False, False]))
    made = logistic_half_space(points, np.random.default_rng(0))
    assert made.W.tolist() == [[1.0, 0.0]]


def test_linear_fits_separate_what_can_be_separated():
    points = cloud()
    y = points.Z @ [1.0, -2.0, 0.5] >= 0.1
    separable = LabelledPoints(points.Z, y, points.weight, points.rows)
    best, _ = cut(separable.Z @ linear_fits(separable, (1e-6,)).T, separable.gain)
    assert best[0] == pytest.approx(separable.share @ y)


def test_least_squares_from_points_and_from_features_agree():
    wide = cloud(n=10, dim=12)
    row = least_squares(wide)[0]
    Z = wide.Z - wide.share @ wide.Z
    B = Z * np.sqrt(wide.share)[:, None]
    penalty = 1e-3 * (B**2).sum() / 12 + 1e-12
    expected = np.linalg.solve(B.T @ B + penalty * np.eye(12), wide.gain @ Z)
    assert np.allclose(row, expected)


@pytest.mark.parametrize("dim", [3, 600])
def test_logistic_fit_is_scikit_learn_s(dim):
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(dim)
    X, y = rng.normal(size=(80, dim)), rng.random(80) < 0.4
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    points = alike(X / 100, y)
    made = logistic_half_space(points, rng)
    model = LogisticRegression(tol=1e-10, max_iter=10_000).fit(X, y)
    assert np.allclose(made.W / 100, model.coef_, atol=2e-4)
    assert -made.t[0] == pytest.approx(model.intercept_[0], abs=2e-4)


def test_a_vote_is_decided_where_its_soft_version_is(monkeypatch):
    """Before neurons are left out, which finds a new quorum."""
    monkeypatch.setattr(HalfSpaces, "pruned", lambda self, points: self)
    rng = np.random.default_rng(0)
    Z = rng.uniform(-0.7, 0.7, size=(400, 2))
    turn = 2 * np.pi * np.arange(3) / 3
    inside = Z @ np.array([np.cos(turn), np.sin(turn)]) <= 0.3
    for least in (1, 2, 3):  # OR, majority and AND have different constants
        y = inside.sum(axis=1) >= least
        points = alike(Z, y)
        made = starts.soft_half_spaces(points, np.random.default_rng(1), "evolved", 3)
        said = (made.t <= Z @ made.W.T) @ made.vote >= made.quorum
        assert np.mean(said == y) > 0.9


@pytest.mark.parametrize(("n", "dim", "kept"), [(100, 2, 100), (9000, 2, 2000), (700, 9000, 200)])
def test_starts_are_made_from_as_many_points_as_are_quick(n, dim, kept):
    points = alike(np.zeros((n, dim)), np.arange(n) % 2 > 0)
    found, _, _ = starts.soft_fit(starts.union_loss, points, 1, np.random.default_rng(0))
    assert 0.7 * kept < len(found.y) <= kept
    assert found.total == (n if n == kept else kept)
