"""The parts of NAClassifier against brute force and identities."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from hyperna import Grid, Network
from hyperna.classifier.fitted import FARTHEST, fitted_chances, probabilities, signed_distance
from hyperna.classifier.points import FEWEST_ROWS, LabelledPoints, Scaling
from hyperna.classifier.spaces import HalfSpaces, cut
from hyperna.classifier.starts import least_squares, linear_fits, logistic_half_space
from hyperna.classifier.work import candidates
from hyperna.outputs import OUTPUTS


def cloud(n=60, dim=3, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, dim)) / 4
    weight = rng.integers(1, 4, n)
    return LabelledPoints(Z, rng.random(n) < 0.4, weight, float(weight.sum()))


def random_network(rng, output, neurons=4, dim=3):
    grid = Grid(dim, neurons, 1024, output)
    return Network(grid, grid.random(rng, init="sphere"))


@pytest.mark.parametrize("output", ["or", "and", "xor", "evolved"])
@pytest.mark.parametrize("seed", range(5))
def test_distance_is_the_least_move_that_changes_the_output(output, seed):
    rng = np.random.default_rng(seed)
    network = random_network(rng, output)
    Z = rng.normal(size=(30, 3)) / 2
    margin, bits = network.margin(Z), network.hidden(Z)
    joined = {"or": np.any, "and": np.all, "xor": np.logical_xor.reduce}

    def answer(bit):
        if output == "evolved":
            w, b = network.output_weights()
            return w @ bit >= b
        return joined[output](bit)

    distance = signed_distance(network, Z)
    assert ((distance > 0) == network.predict(Z)).all()
    for i in range(len(Z)):
        moves = [
            np.abs(margin[i])[list(flipped)].max()
            for k in range(1, 5)
            for flipped in itertools.combinations(range(4), k)
            if answer(bits[i] ^ np.isin(np.arange(4), flipped)) != answer(bits[i])
        ]
        assert abs(distance[i]) == min(moves, default=FARTHEST)


def test_or_is_a_special_case_of_an_evolved_output():
    rng = np.random.default_rng(0)
    network = random_network(rng, "or")
    W, t = network.weights()
    Z = rng.normal(size=(50, 3)) / 2
    grid = Grid(3, 4, 1024, "evolved")
    genome = np.append(network.genome, grid.from_weights(W, t, np.ones(4), 0.5)[-4:])
    assert np.array_equal(signed_distance(Network(grid, genome), Z), signed_distance(network, Z))


def test_a_point_on_the_boundary_counts_as_inside():
    network = Network(Grid(2, 1, 8), [0, 4])
    assert signed_distance(network, np.zeros((1, 2)))[0] > 0


@pytest.mark.parametrize("classes", [2, 3])
def test_slope_and_lapse_maximise_the_weighted_likelihood(classes):
    rng = np.random.default_rng(3)
    distance, label = rng.normal(size=(300, classes)), rng.integers(0, classes, 300)
    sure = rng.random(300) < 0.85  # the others are far on the wrong side
    distance[np.arange(300), label] += np.where(sure, 1.5, -6.0)
    share = rng.random(300)
    share /= share.sum()

    def likelihood(slope, lapse):
        return share @ np.log(probabilities(distance, slope, lapse)[np.arange(300), label])

    slope, lapse = fitted_chances(distance, label, share, 1e9)
    assert 0.01 < lapse < 1 / classes
    for other in [(slope * 0.97, lapse), (slope * 1.03, lapse), (slope, lapse - 0.004)]:
        assert likelihood(slope, lapse) > likelihood(*other)
    assert likelihood(slope, lapse) > likelihood(slope, lapse + 0.004)


def test_chances_of_separated_classes_are_finite():
    distance = np.array([[-1.0, 1.0], [1.0, -1.0]])
    slope, lapse = fitted_chances(distance, np.array([1, 0]), np.array([0.5, 0.5]), 2.0)
    assert np.isfinite(slope)
    assert 0 <= lapse < 0.5


def test_best_cut_is_the_best_of_all():
    points = cloud()
    gain = points.gain
    best, threshold = cut(points.Z, gain)
    for column, value, t in zip(points.Z.T, best, threshold, strict=True):
        sums = [gain[column >= x].sum() for x in [*column, np.inf]]
        assert value == pytest.approx(max(sums))
        assert gain[column >= t].sum() == pytest.approx(value)


def test_turning_neurons_round_keeps_the_vote():
    rng = np.random.default_rng(2)
    W, t, strength = rng.normal(size=(7, 3)), rng.normal(size=7) / 3, rng.random(7)
    Z = rng.normal(size=(100, 3)) / 3
    network = HalfSpaces(W, t, "evolved", strength, strength.sum() / 2).network(2**30)
    majority = (t <= Z @ W.T) @ strength >= strength.sum() / 2
    assert (network.predict(Z) == majority).all()
    w, quorum = network.output_weights()
    assert (w < 0).any()
    assert abs(quorum) < 1


@pytest.mark.parametrize("neurons", [3, 4, 7])
def test_copies_change_nothing(neurons):
    rng = np.random.default_rng(neurons)
    Z = rng.normal(size=(100, 3)) / 3
    W, t = rng.normal(size=(3, 3)), rng.normal(size=3) / 3
    vote, quorum = rng.normal(size=3), 0.1
    network = HalfSpaces(W, t, "evolved", vote, quorum).network(2**30, neurons)
    assert (network.predict(Z) == ((t <= Z @ W.T) @ vote >= quorum)).all()
    union = HalfSpaces(W, t).network(2**30, neurons)
    assert (union.predict(Z) == (t <= Z @ W.T).any(axis=1)).all()


@pytest.mark.parametrize("vote", [None, np.array([1.0, 1.0, 0.5, -0.2, 0.1])])
def test_pruning_leaves_out_what_does_no_good(vote):
    points = cloud(n=200, seed=5)
    rng = np.random.default_rng(1)
    W, t = rng.normal(size=(5, 3)), np.append(rng.normal(size=4) / 4, 9.0)
    spaces = HalfSpaces(W, t) if vote is None else HalfSpaces(W, t, "evolved", vote, 0.7)

    def share(spaces):
        fires = spaces.t <= points.Z @ spaces.W.T
        any_ = fires.any(axis=1) if vote is None else fires @ spaces.vote >= spaces.quorum
        return points.share @ (any_ == points.y)

    fewer = spaces.pruned(points)
    assert len(fewer.t) < 5
    assert share(fewer) >= share(spaces) - 1e-12
    again = fewer.pruned(points)
    assert len(again.t) == len(fewer.t)


def test_pruning_a_parity_turns_one_round_where_that_makes_up_for_what_goes():
    """One neuron fires everywhere and one nowhere; only the other two matter."""
    rng = np.random.default_rng(3)
    Z = rng.normal(size=(300, 3)) / 3
    W, t = rng.normal(size=(4, 3)), np.array([0.1, -9.0, 9.0, -0.1])
    y = np.logical_xor.reduce(t <= Z @ W.T, axis=1)
    points = LabelledPoints(Z, y, np.ones(300, np.int64), 300.0)
    fewer = HalfSpaces(W, t, "xor").pruned_for_parity(points)
    assert len(fewer.t) == 2
    assert (np.logical_xor.reduce(fewer.t <= Z @ fewer.W.T, axis=1) == y).all()


def test_pruning_a_parity_may_leave_a_single_neuron():
    rng = np.random.default_rng(5)
    Z = rng.normal(size=(100, 2)) / 3
    W, t = rng.normal(size=(2, 2)), np.array([0.1, 9.0])
    points = LabelledPoints(Z, t[0] <= Z @ W[0], np.ones(100, np.int64), 100.0)
    np.testing.assert_array_equal(HalfSpaces(W, t, "xor").pruned_for_parity(points).W, W[:1])


def test_where_logistic_regression_has_no_weights_there_is_a_half_space_all_the_same():
    Z = np.array([[-1.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [1.0, 0.0]]) / 2
    points = LabelledPoints(Z, np.array([True, True, False, False]), np.ones(4, np.int64), 4.0)
    made = logistic_half_space(points, np.random.default_rng(0))
    assert made.W.tolist() == [[1.0, 0.0]]


def test_spare_neurons_of_a_parity_are_silent():
    rng = np.random.default_rng(4)
    Z = rng.normal(size=(100, 3))
    Z /= 1.01 * np.linalg.norm(Z, axis=1).max()
    W, t = rng.normal(size=(2, 3)), rng.normal(size=2) / 3
    for neurons in (2, 3, 5):
        network = HalfSpaces(W, t, "xor").network(2**30, neurons)
        assert network.grid.neurons == neurons
        assert (network.predict(Z) == np.logical_xor.reduce(t <= Z @ W.T, axis=1)).all()


def test_small_candidates_come_before_large_ones():
    listed = candidates("auto", "auto", "data")
    assert [c.output for c in listed[1:]] == [kind for kind in OUTPUTS for _ in range(2)]
    assert [c.larger for c in listed[1:]] == [False, True] * 4
    for small, large in zip(listed[1::2], listed[2::2], strict=True):
        assert large.constructed > small.constructed or (large.exact and not small.exact)
    for neurons in (2, 3, 16):
        assert {c.neurons for c in candidates(neurons, "auto", "data")} == {neurons}
        assert all(c.constructed <= neurons for c in candidates(neurons, "auto", "data"))


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


def test_thinning_keeps_both_classes():
    rng = np.random.default_rng(0)
    y = np.arange(2000) == 7
    points = LabelledPoints(rng.normal(size=(2000, 2)), y, np.ones(2000, np.int64), 2000.0)
    thin = points.thinned(rng, 100)
    assert thin.y.any()
    assert len(thin.y) <= 101
    assert 100 <= thin.total <= 101


def test_scaling_centres_and_fills_the_unit_ball():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4)) * [1e-6, 1.0, 1e6, 1e150] + [0.0, 1e3, 0.0, 0.0]
    weight = rng.integers(1, 5, 50).astype(float)
    Z = Scaling.fit(X, weight).apply(X)
    assert np.allclose(weight @ Z, 0)
    deviation = np.sqrt(weight @ Z**2 / weight.sum())
    assert np.allclose(deviation, deviation[0])
    assert np.linalg.norm(Z, axis=1).max() == pytest.approx(1)


def test_table_ignores_order_repetition_and_rows_without_weight():
    rng = np.random.default_rng(0)
    X, label = rng.integers(0, 2, (60, 3)).astype(float), rng.integers(0, 3, 60)
    weight = rng.integers(0, 3, 60)
    rows = rng.permutation(np.repeat(np.arange(60), weight))
    one = LabelledPoints.of(X, label, weight.astype(float))
    two = LabelledPoints.of(X[rows], label[rows], np.ones(len(rows)))
    assert one.rows == two.rows == weight.sum()
    for part in ("Z", "y", "weight"):
        assert np.array_equal(getattr(one, part), getattr(two, part))
    assert len(np.unique(np.column_stack([one.Z, one.y]), axis=0)) == len(one.Z)


@pytest.mark.parametrize("levels", [2, 10**6])
def test_folds_divide_the_rows_of_every_class(levels):
    """Where rows are equal their counts are divided; every fold gets its share of every class."""
    rng = np.random.default_rng(5)
    X, label = rng.integers(0, levels, (300, 3)).astype(float), rng.integers(0, 3, 300)
    table = LabelledPoints.of(X, label, np.ones(300))
    row, weight, fold = table.folds(10**6, rng)
    assert np.array_equal(np.bincount(row, weights=weight), table.weight)
    for k in range(3):
        each = [weight[(fold == f) & (table.y[row] == k)].sum() for f in range(3)]
        assert max(each) - min(each) <= 1
    unequal = replace(table, rows=0.5 * table.rows)  # weights, not counts
    row, weight, _ = unequal.folds(10**6, rng)
    assert np.array_equal(np.sort(row), np.arange(len(table.y)))
    assert np.array_equal(weight, table.weight[row])


def test_few_of_many_rows_are_tried():
    rng = np.random.default_rng(5)
    X, label = rng.normal(size=(5000, 2)), (np.arange(5000) < 9).astype(int)
    table = LabelledPoints.of(X, label, np.ones(5000))
    row, _, fold = table.folds(500, rng)
    assert len(np.unique(row)) == len(row) < 520
    assert np.bincount(fold[table.y[row] == 1]).tolist() == [2, 2, 2]


@pytest.mark.parametrize("dim", [3, 600])
def test_logistic_fit_is_scikit_learn_s(dim):
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(dim)
    X, y = rng.normal(size=(80, dim)), rng.random(80) < 0.4
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    points = LabelledPoints(X / 100, y, np.ones(80, np.int64), 80.0)
    made = logistic_half_space(points, rng)
    model = LogisticRegression(tol=1e-10, max_iter=10_000).fit(X, y)
    assert np.allclose(made.W / 100, model.coef_, atol=2e-4)
    assert -made.t[0] == pytest.approx(model.intercept_[0], abs=2e-4)


def test_samples_have_rows_of_every_class():
    label = np.zeros(5000, int)
    label[-2 * FEWEST_ROWS :] = 1
    X = np.random.default_rng(0).normal(size=(5000, 2))
    table = LabelledPoints(X, label, np.ones(5000, np.int64), 5000.0)
    some = table.sample(np.random.default_rng(1), 50)
    assert (some.y == 1).sum() >= FEWEST_ROWS
    assert (some.y == 0).sum() >= FEWEST_ROWS
    assert len(some.y) <= 50 + 2 * FEWEST_ROWS
