"""Distances, probabilities and curves of fitted networks."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from hyperna import Grid, NAClassifier, Network
from hyperna.classifier.fitted import (
    FARTHEST,
    fitted_chances,
    mean_curve,
    probabilities,
    signed_distance,
)


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

    slope, lapse = fitted_chances(distance, label, share, 1e9)[:2]
    assert 0.01 < lapse < 1 / classes
    for other in [(slope * 0.97, lapse), (slope * 1.03, lapse), (slope, lapse - 0.004)]:
        assert likelihood(slope, lapse) > likelihood(*other)
    assert likelihood(slope, lapse) > likelihood(slope, lapse + 0.004)


def scored_classes(rows, seed=0):
    """Distances of three classes that are told best with factors and offsets of their own."""
    rng = np.random.default_rng(seed)
    distance = rng.normal(size=(rows, 3))
    chance = probabilities(distance * [4.0, 1.0, 2.0] + [0.0, 1.5, -1.0], 1.0)
    label = (rng.random((rows, 1)) > chance.cumsum(axis=1)).sum(axis=1)
    return distance, label, np.full(rows, 1 / rows), float(rows)


def test_classes_get_factors_and_offsets_of_their_own():
    slope, lapse, factor, offset = fitted_chances(*scored_classes(20_000), own=True)
    assert np.allclose(slope * factor, [4.0, 1.0, 2.0], rtol=0.1)
    assert np.allclose(slope * (offset - offset[0]), [0.0, 1.5, -1.0], atol=0.1)
    assert np.prod(factor) == pytest.approx(1.0)
    assert lapse < 0.003
    assert fitted_chances(*scored_classes(20_000))[2].tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("rows", [59, 300])
def test_few_rows_do_not_pay_for_factors_and_offsets(rows):
    """Nor do many that are told as well by the distances alone."""
    distance, label, share, _ = scored_classes(300)
    if rows == 300:
        label = distance.argmax(axis=1)
    _, _, factor, offset = fitted_chances(distance, label, share, rows, own=True)
    assert (factor.tolist(), offset.tolist()) == ([1.0] * 3, [0.0] * 3)
    if rows < 60:
        assert fitted_chances(distance, label, share, 60, own=True)[3].any()


def test_own_factors_and_offsets_minimise_the_loss():
    distance, label, share, rows = scored_classes(400)
    slope, lapse, factor, offset = fitted_chances(distance, label, share, rows, own=True)
    soft = 1 / (rows + 2)
    target = np.where(np.arange(3) == label[:, None], 1 - soft, soft / 2)

    def loss(factor, offset):
        chance = probabilities(factor * distance + offset, slope, lapse)
        return -share @ (target * np.log(chance)).sum(axis=1)

    for k in range(3):
        for change in (-0.1, 0.1):
            other = change * (np.arange(3) == k)
            assert loss(factor, offset) < loss(factor * np.exp(other), offset)
            assert loss(factor, offset) < loss(factor, offset + other)


def test_chances_of_separated_classes_are_finite():
    distance = np.array([[-1.0, 1.0], [1.0, -1.0]])
    slope, lapse = fitted_chances(distance, np.array([1, 0]), np.array([0.5, 0.5]), 2.0)[:2]
    assert np.isfinite(slope)
    assert 0 <= lapse < 0.5


def test_chances_of_few_rows_are_softened_as_is_told():
    rng = np.random.default_rng(0)
    distance = np.sort(rng.normal(size=12))
    columns, label = np.column_stack([-distance, distance]) / 2, (distance > 0).astype(int)
    share = np.full(12, 1 / 12)

    def loss(v):
        slope, lapse = np.exp(v[0]), 0.5 / (1 + np.exp(-v[1]))
        chance = probabilities(columns, slope, lapse)
        soft = 1 / (12 + 2)
        target = np.where(np.arange(2) == label[:, None], 1 - soft, soft)
        return -share @ (target * np.log(chance)).sum(axis=1) - np.log(1 - 2 * lapse) / 12

    starts = [(1.0, -5.0), (3.0, -2.0), (0.0, -8.0)]
    best = min(minimize(loss, start, method="Nelder-Mead").fun for start in starts)
    slope, lapse = fitted_chances(columns, label, share, 12.0)[:2]
    assert loss([np.log(slope), np.log(2 * lapse / (1 - 2 * lapse))]) <= best + 1e-5
    sharper = fitted_chances(columns, label, share, 12e6)[0]
    assert sharper > 3 * slope, "the more rows, the surer"


def test_chances_of_three_classes_are_those_of_the_true_ones():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = (X[:, 0] > 0.4).astype(int) + (X[:, 0] > -0.4)
    model = NAClassifier(2, max_evals=600, random_state=0).fit(X, y)
    proba = model.predict_proba(X)
    assert model.score(X, y) > 0.9
    assert (proba.argmax(axis=1) == model.predict(X)).all()
    assert -np.log(proba[np.arange(90), y]).mean() < 0.5


def test_losses_of_several_problems_are_averaged_where_one_changes():
    evals, losses = mean_curve([[(1, 0.5), (4, 0.25)], [(2, 0.75), (4, 0.5), (9, 0.0)]])
    assert evals.tolist() == [1, 2, 4, 9]
    assert losses.tolist() == [0.625, 0.625, 0.375, 0.125]
