"""The parts of NAClassifier against brute force and identities."""

import itertools

import numpy as np
import pytest

from hyperna import Grid, Network
from hyperna.classifier.candidates import candidates
from hyperna.classifier.linear import Cloud, least_squares, linear_fits
from hyperna.classifier.margins import FARTHEST, logistic_slope, signed_distance, softmax
from hyperna.classifier.scaling import Scaling, Table
from hyperna.classifier.spaces import HalfSpaces, balanced, cut
from hyperna.outputs import OUTPUTS


def cloud(n=60, dim=3, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, dim)) / 4
    weight = rng.integers(1, 4, n)
    return Cloud(Z, rng.random(n) < 0.4, weight / weight.sum())


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


def test_slope_maximises_the_likelihood():
    rng = np.random.default_rng(3)
    distance, label = rng.normal(size=(200, 3)), rng.integers(0, 3, 200)
    distance[np.arange(200), label] += 0.7
    weight = np.full(200, 10**9)

    def likelihood(slope):
        return np.log(softmax(slope * distance)[np.arange(200), label]).sum()

    best = logistic_slope(distance, label, weight)
    assert likelihood(best) > max(likelihood(best * 0.99), likelihood(best * 1.01))


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
    W, t, strength = rng.normal(size=(7, 3)), rng.normal(size=7), rng.random(7)
    Z = rng.normal(size=(100, 3))
    turn, quorum = balanced(strength, strength.sum() / 2)
    majority = (t <= Z @ W.T) @ strength >= strength.sum() / 2
    turned = (t * turn <= Z @ (W * turn[:, None]).T) @ (strength * turn) >= quorum - 1e-12
    assert (turned == majority).all()
    assert abs(quorum) <= np.linalg.norm(strength)


@pytest.mark.parametrize("neurons", [3, 4, 7])
def test_copies_change_nothing(neurons):
    rng = np.random.default_rng(neurons)
    Z = rng.normal(size=(100, 3)) / 3
    W, t = rng.normal(size=(3, 3)), rng.normal(size=3) / 3
    vote, quorum = rng.normal(size=3), 0.1
    network = HalfSpaces(W, t, vote, quorum).network(Grid(3, neurons, 2**30, "evolved"))
    assert (network.predict(Z) == ((t <= Z @ W.T) @ vote >= quorum)).all()
    union = HalfSpaces(W, t).network(Grid(3, neurons, 2**30, "or"))
    assert (union.predict(Z) == (t <= Z @ W.T).any(axis=1)).all()


@pytest.mark.parametrize("vote", [None, np.array([1.0, 1.0, 0.5, -0.2, 0.1])])
def test_pruning_leaves_out_what_does_no_good(vote):
    points = cloud(n=200, seed=5)
    rng = np.random.default_rng(1)
    W, t = rng.normal(size=(5, 3)), np.append(rng.normal(size=4) / 4, 9.0)
    spaces = HalfSpaces(W, t, vote, 0.7)

    def share(spaces):
        fires = spaces.t <= points.Z @ spaces.W.T
        any_ = fires.any(axis=1) if vote is None else fires @ spaces.vote >= spaces.quorum
        return points.weight @ (any_ == points.y)

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
    points = Cloud(Z, y, np.full(300, 1 / 300))
    fewer = HalfSpaces(W, t).pruned_for_parity(points)
    assert len(fewer.t) == 2
    assert (np.logical_xor.reduce(fewer.t <= Z @ fewer.W.T, axis=1) == y).all()


def test_spare_neurons_of_a_parity_are_silent():
    rng = np.random.default_rng(4)
    Z = rng.normal(size=(100, 3))
    Z /= 1.01 * np.linalg.norm(Z, axis=1).max()
    W, t = rng.normal(size=(2, 3)), rng.normal(size=2) / 3
    for neurons in (2, 3, 5):
        network = HalfSpaces(W, t).network(Grid(3, neurons, 2**30, "xor"))
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
    separable = Cloud(points.Z, y, points.weight)
    best, _ = cut(separable.Z @ linear_fits(separable, (1e-6,)).T, separable.gain)
    assert best[0] == pytest.approx(separable.weight @ y)


def test_least_squares_from_points_and_from_features_agree():
    wide = cloud(n=10, dim=12)
    row = least_squares(wide)[0]
    Z = wide.Z - wide.weight @ wide.Z
    B = Z * np.sqrt(wide.weight)[:, None]
    penalty = 1e-3 * (B**2).sum() / 12 + 1e-12
    expected = np.linalg.solve(B.T @ B + penalty * np.eye(12), wide.gain @ Z)
    assert np.allclose(row, expected)


def test_thinning_keeps_both_classes():
    rng = np.random.default_rng(0)
    y = np.arange(2000) == 7
    thin = Cloud(rng.normal(size=(2000, 2)), y, np.full(2000, 1 / 2000)).thinned(rng, 100)
    assert thin.y.any()
    assert len(thin.y) <= 101
    assert thin.weight.sum() == pytest.approx(1)


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
    one = Table.of(X, label, weight.astype(float))
    two = Table.of(X[rows], label[rows], np.ones(len(rows)))
    for part in ("X", "label", "weight"):
        assert np.array_equal(getattr(one, part), getattr(two, part))
    assert len(np.unique(np.column_stack([one.X, one.label]), axis=0)) == len(one.X)
