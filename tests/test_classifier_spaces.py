"""Half-spaces on their way to a network: cuts, copies, what can be left out."""

import itertools

import numpy as np
import pytest
from clouds import alike, cloud, half_cloud

from hyperna import Network
from hyperna.classifier.points import LabelledPoints
from hyperna.classifier.spaces import (
    HalfSpaces,
    Joined,
    cancelled,
    cut,
    second_look,
    simplest,
    simplified,
    trimmed,
)
from hyperna.grid import Grid
from hyperna.outputs import OUTPUTS


def test_best_cut_is_the_best_of_all():
    points = cloud()
    gain = points.gain
    best, threshold = cut(points.Z, gain)
    for column, value, t in zip(points.Z.T, best, threshold, strict=True):
        sums = [gain[column >= x].sum() for x in [*column, np.inf]]
        assert value == pytest.approx(max(sums))
        assert gain[column >= t].sum() == pytest.approx(value)


def test_of_equal_cuts_the_one_in_the_widest_gap_is_taken():
    P = np.array([[0.65], [0.6], [0.5], [0.1]])
    best, threshold = cut(P, np.array([1.0, -1.0, 1.0, -1.0]) / 4)
    assert best[0] == pytest.approx(0.25)  # above 0.6 and above 0.1
    assert threshold[0] == pytest.approx(0.3)


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
    points = alike(Z, y)
    fewer = HalfSpaces(W, t, "xor").pruned(points)
    assert len(fewer.t) == 2
    assert (np.logical_xor.reduce(fewer.t <= Z @ fewer.W.T, axis=1) == y).all()


def test_pruning_a_parity_may_leave_a_single_neuron():
    rng = np.random.default_rng(5)
    Z = rng.normal(size=(100, 2)) / 3
    W, t = rng.normal(size=(2, 2)), np.array([0.1, 9.0])
    points = alike(Z, t[0] <= Z @ W[0])
    np.testing.assert_array_equal(HalfSpaces(W, t, "xor").pruned(points).W, W[:1])


def test_spare_neurons_of_a_parity_are_silent():
    rng = np.random.default_rng(4)
    Z = rng.normal(size=(100, 3))
    Z /= 1.01 * np.linalg.norm(Z, axis=1).max()
    W, t = rng.normal(size=(2, 3)), rng.normal(size=2) / 3
    for neurons in (2, 3, 5):
        network = HalfSpaces(W, t, "xor").network(2**30, neurons)
        assert network.grid.neurons == neurons
        assert (network.predict(Z) == np.logical_xor.reduce(t <= Z @ W.T, axis=1)).all()


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("neurons", [2, 3])
def test_a_neuron_that_always_says_the_same_can_be_left_out(output, neurons):
    rng, points = np.random.default_rng(neurons), half_cloud()
    for _ in range(4):
        votes = (rng.normal(size=neurons), 0.2) if output == "evolved" else ()
        W, t = rng.normal(size=(neurons, 3)), rng.normal(size=neurons) / 3
        made = Joined.of(Network.from_weights(W, t, 2**16, output, *votes), points=points)
        for i, value in itertools.product(range(neurons), (False, True)):
            stuck = made.bits.copy()
            stuck[:, i] = value
            said = made.fires(stuck)
            # an OR with a neuron that always fires, or a vote that is decided, is no network
            if 0 < said.mean() < 1:
                rest = made.without(i, value)
                assert np.mean(rest.fires(rest.bits) == said) > 0.98  # but for ties
                assert len(rest.t) == neurons - 1


def grid_points(flips, angle=0.0):
    """A square of 20 x 20 points, true where x or y exceeds 0.3, with flipped labels, turned."""
    side = (np.arange(20) - 9.5) / 20
    Z = np.array([(a, b) for a in side for b in side])
    y = (Z > 0.3).any(axis=1)
    y[flips] ^= True
    return alike(Z @ turned(angle).T, y)


def turned(angle):
    """Matrix of a rotation in the plane."""
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


@pytest.mark.parametrize("angle", [0.0, 0.5])
def test_rules_of_single_features_may_lose_twice_as_much(angle):
    corner = np.flatnonzero(grid_points([]).Z.sum(axis=1) < -0.83)
    points = grid_points(corner, angle)
    W, t = np.array([[1, 0], [0, 1], [-1, -1]]) @ turned(angle).T, np.array([0.3, 0.3, 0.83])
    three, two = (Grid(2, size, 4 * 2**20, "or") for size in (3, 2))
    network = Network(three, three.from_weights(W, t))
    truth = Network(two, two.from_weights(W[:2], np.array([0.2, 0.2])))
    lost = len(corner) / points.total
    assert (network.predict(points.Z) == points.y).all()
    for others in ([truth], []):
        assert simplest(network, others, points, 0.45 * lost).grid.neurons == 3
        assert simplest(network, others, points, 0.55 * lost).grid.neurons == (3 if angle else 2)


def test_a_start_that_has_learned_errors_gets_a_second_look():
    seen, held_out = grid_points(np.arange(0, 400, 23)), grid_points([])
    grid = Grid(2, 3, 4 * 2**20, "or")
    truth, idle = [[1, 0], [0, 1], [-1, -1]], [0.3, 0.3, 0.83]
    start = Network(grid, grid.from_weights(np.array(truth, float), np.array(idle)))
    rival = np.ones(400, bool)
    rival[:2] = False
    assert not (start.predict(held_out.Z) == held_out.y)[:10].all()
    assert second_look(start, seen, held_out, rival)
    # all right cannot be exceeded, and what is far behind is not looked at again
    assert not second_look(start, seen, held_out, np.ones(400, bool))
    far = Network(grid, grid.from_weights(np.array(truth, float), np.array([0.3, 0.3, 0.0])))
    assert not second_look(far, seen, held_out, rival)


@pytest.mark.parametrize("output", ["or", "and", "xor", "evolved"])
@pytest.mark.parametrize("seed", range(4))
def test_simpler_networks_are_as_good_as_promised(output, seed):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(150, 4))
    Z /= np.linalg.norm(Z, axis=1).max()
    y = (Z[:, 0] > 0.1) ^ (rng.random(150) < 0.1)
    weight = rng.integers(1, 4, 150)
    points = LabelledPoints(Z, y, weight, float(weight.sum()))
    votes = ([1.0, 0.4, -0.3], 0.3) if output == "evolved" else ()
    network = Network.from_weights(
        rng.normal(size=(3, 4)), rng.normal(size=3) / 3, 2**16, output, *votes
    )
    for loss in (0.0, 0.05):
        simple = simplified(network, points, loss)
        assert points.correct(simple) >= points.correct(network) - loss * points.total
        assert simple.grid.neurons <= 3
        assert np.count_nonzero(simple.weights()[0]) <= 12


def test_idle_neurons_and_features_go():
    rng = np.random.default_rng(1)
    Z = rng.uniform(-1, 1, (300, 3)) / 2
    y = (Z[:, 0] > 0.1) | (Z[:, 1] > 0.2)
    points = alike(Z, y)
    W = [[1.0, 0.001, 0.0], [0.0, 1.0, 0.002], [0.3, 0.3, 0.9], [1.0, 0.1, 0.0]]
    network = Network.from_weights(W, [0.1, 0.2, 0.95, 0.3], 2**16, "evolved", np.ones(4), 0.5)
    simple = simplified(network, points, 0.0)
    assert (simple.grid.output, simple.grid.neurons) == ("or", 2)
    assert sorted(map(tuple, (simple.weights()[0] > 0).tolist())) == [
        (False, True, False),
        (True, False, False),
    ]


@pytest.mark.parametrize("turn", [1.0, -1.0])
def test_half_spaces_that_nearly_cancel_each_other_go(turn):
    rng = np.random.default_rng(2)
    Z = rng.uniform(-1, 1, (300, 2)) / 2
    y = (Z[:, 0] > 0) ^ (Z[:, 1] > 0)
    points = alike(Z, y)
    # equal half-spaces cancel; opposite ones are always one, which turns the answer round
    W = [[1.0, 0.0], [0.0, turn], [0.6, 0.8], [0.6 * turn, 0.8 * turn]]
    network = Network.from_weights(W, [0.0, 0.0, 0.2, 0.2005 * turn], 2**16, "xor")
    assert points.correct(network) >= 298
    assert simplified(network, points, 0.01).grid.neurons == 4
    made = cancelled(network, points, 0.01)
    assert made.grid.neurons == 2
    assert points.correct(made) >= 297
    union = Network.from_weights(W, [0.0, 0.0, 0.2, 0.2], 2**16, "or")
    assert cancelled(union, points, 0.01) is union


@pytest.mark.parametrize("output", ["or", "and", "xor", "evolved"])
@pytest.mark.parametrize("seed", range(4))
def test_trimmed_networks_answer_the_same(output, seed):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(60, 3)) / 4
    points = alike(Z, rng.random(60) < 0.5)
    W, t = rng.normal(size=(5, 3)), np.append(rng.normal(size=3) / 8, [0.999, -0.999])
    votes = (rng.normal(size=5), 0.1) if output == "evolved" else ()
    W /= np.linalg.norm(W, axis=1)[:, None]
    network = Network.from_weights(W, t, 2**16, output, *votes)
    fewer = trimmed(network, points)
    assert (fewer.predict(Z) == network.predict(Z)).all()
    assert fewer.grid.neurons < 5
