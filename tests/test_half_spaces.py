"""Half-spaces and rules by themselves: points on borders, lost half-spaces, shares of features."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.half_spaces import ODD, HalfSpaces
from hyperna.classifier.path import PathRow, RulePath
from hyperna.classifier.rules import Condition, Rule, condition_of
from hyperna.classifier.table import Standardisation


def answers(weights, thresholds, quorum, X):
    """What a network answers, from its definition."""
    count = (X @ np.transpose(weights) >= thresholds).sum(axis=1)
    return count % 2 == 1 if quorum == ODD else count >= quorum


@pytest.mark.parametrize("quorum", [ODD, 1, 2])
def test_tidied_networks_keep_points_on_a_border_inside(quorum):
    X = np.array(list(itertools.product([-0.5, -0.25, 0.0, 0.25, 0.5], repeat=2)))
    normals = np.array([[1.0, 0.0], [0.0, -1.0]])
    for thresholds in itertools.product([-0.5, -0.25, 0.0, 0.25], repeat=2):
        network = HalfSpaces(normals, np.array(thresholds), quorum)
        tidy = network.tidied(X.T)
        wanted = answers(normals, thresholds, quorum, X)
        np.testing.assert_array_equal(tidy.distance(X.T) >= 0, wanted)
        margins = np.abs(tidy.margins(X.T))
        assert not tidy.neurons or margins.min() == pytest.approx(0.125), "between the points"


@pytest.mark.parametrize("quorum", [ODD, 1, 2, 3])
def test_lost_half_spaces_hold_all_points_or_none(quorum):
    """Without weights a half-space says 0 >= threshold, whatever the point is."""
    rng = np.random.default_rng(quorum)
    X = rng.normal(size=(50, 2))
    for lost in itertools.product([-1.0, 0.0, 1.0, None], repeat=3):
        weights = rng.normal(size=(3, 2))
        thresholds = rng.normal(size=3) / 2
        for i, threshold in enumerate(lost):
            if threshold is not None:
                weights[i], thresholds[i] = 0.0, threshold
        made = HalfSpaces.made(weights, thresholds, quorum)
        assert made.neurons <= lost.count(None)
        found = made.distance(X.T) >= 0
        np.testing.assert_array_equal(found, answers(weights, thresholds, quorum, X))
        if made.neurons == 1:
            assert made.quorum == 1, "one half-space is joined with nothing"


def condition(*features, threshold=0.0):
    size = len(features)
    return Condition(features, (1.0,) * size, threshold, 1.0, (2.0,) * size)


@pytest.mark.parametrize("threshold", [-3.0, 0.0, 1e-300, 1.0, 1e9])
@pytest.mark.parametrize("quorum", [ODD, 1, 2])
def test_probabilities_are_on_the_side_of_the_answer_however_near_the_border(threshold, quorum):
    near = [np.nextafter(threshold, -np.inf), threshold, np.nextafter(threshold, np.inf)]
    X = np.array(list(itertools.product(near, repeat=2)))
    both = (condition(0, threshold=threshold), condition(1, threshold=threshold))
    rule = Rule(both, quorum, 0.01, 0.1, 0.5)
    held = np.greater(X, threshold).sum(axis=1)
    holds = held % 2 == 1 if quorum == ODD else held >= quorum
    np.testing.assert_array_equal(rule.holds(X), holds)
    np.testing.assert_array_equal(rule.probability(X) > 0.5, holds)
    listed = DecisionList((rule,), (1, 0), 2)
    np.testing.assert_array_equal(listed.probabilities(X).argmax(axis=1), holds)


def test_importances_are_averaged_over_conditions_and_then_over_rules():
    pair = Rule((condition(0), condition(1, 2)), 1, 1.0, 0.0, 0.5)
    alone = Rule((condition(3),), 1, 1.0, 0.0, 0.5)
    constant = Rule((), 0, 1.0, 0.0, 0.5)
    listed = DecisionList((pair, alone, constant), (0, 1, 2, 3), 4)
    np.testing.assert_allclose(listed.importances(5), [0.25, 0.125, 0.125, 0.5, 0.0])


def test_held_out_errors_count_rows_by_their_weights():
    """The standard error is that of a weighted mean; rows that no fold tests do not count."""
    rule = Rule((condition(0),), 1, 1.0, 0.0, 0.5)
    listed = DecisionList((rule,), (1, 0), 2)
    row = PathRow(1, 1, "or", 0.0, 1.0, 0.0, 0.0, True, "", listed)
    X = np.array([[-1.0], [1.0], [-2.0], [2.0], [3.0]])
    labels = np.array([0, 0, 1, 1, 0])
    weight = np.array([1.0, 2.0, 3.0, 4.0, 100.0])
    fitted = SimpleNamespace(path_=RulePath([row]), classes_=np.array([0, 1]))
    folds = [([2, 3], [0, 1]), ([0, 1], [2, 3])]
    [found] = RulePath([row]).validated(folds, lambda _, test: (fitted, X[test]), labels, weight)
    share = weight[:4] / 10
    wrong = np.array([0, 1, 1, 0])
    assert found.held_out_error == pytest.approx(0.5)
    assert found.standard_error == pytest.approx(np.sqrt((share**2 * (wrong - 0.5) ** 2).sum()))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 0.7, 1.0])
def test_the_constant_answer_holds_everywhere_or_nowhere_whatever_the_shares(share):
    X = np.zeros((3, 2))
    for quorum, holds in ((0, True), (1, False)):
        rule = Rule((), quorum, 0.0, 0.0, share)
        assert rule.holds(X).tolist() == [holds] * 3
        assert rule.probability(X).tolist() == [share] * 3


@pytest.mark.parametrize("low", [1.0, -1.0, 0.1, 1e-300, 5e15, -3.3, 0.0, 2.0**-1074])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_neighbouring_doubles_stay_on_their_sides(low, sign):
    """Where the threshold can be nothing but the value of the rows outside."""
    high = np.nextafter(low, np.inf)
    X = np.array([[low, 1.0], [high, 1.0], [low - abs(low), 1.0], [high + abs(low), 1.0]])
    standard = Standardisation(np.zeros(2), np.ones(2))
    border = high if sign > 0 else -low
    made = condition_of(np.array([sign, 0.0]), border, standard, X)
    np.testing.assert_array_equal(made.holds(X), sign * X[:, 0] >= border)
    assert made.weights == (sign,)
    outside = (sign * X[:, 0])[sign * X[:, 0] < border]
    assert made.threshold == outside.max()


@pytest.mark.parametrize("seed", range(40))
def test_conditions_keep_the_rows_of_the_search_on_their_sides(seed):
    """Rows on lattices of any units, some of them exactly on the border, and as few digits."""
    rng = np.random.default_rng(seed)
    features = int(rng.integers(1, 5))
    Z = rng.integers(-6, 7, (40, features)) / 2
    centre = rng.integers(-8, 9, features) * 4.0 * (seed % 2)
    deviation = 2.0 ** rng.integers(-12, 12, features)
    standard = Standardisation(centre, deviation)
    X = Z * deviation + centre
    normal = rng.integers(-2, 3, features) / 4
    normal[0] = 1.0
    threshold = float(rng.integers(-6, 7)) / 2
    made = condition_of(normal, threshold, standard, X)
    holds = Z @ normal >= threshold
    np.testing.assert_array_equal(made.holds(X), holds)
    np.testing.assert_array_equal(made.distance(X) > 0, holds)
    assert abs(made.weights[0]) == 1
    influence = np.abs(normal)[list(made.features)]
    assert influence.tolist() == list(made.influence)
    assert (np.diff(influence) <= 0).all()
    assert set(made.features) == set(np.flatnonzero(normal).tolist())
    # the distance is in standard deviations, up to the rounding of coefficients
    if made.weights[1:] == tuple(
        normal[k] / deviation[k] * deviation[made.features[0]] / abs(normal[made.features[0]])
        for k in made.features[1:]
    ):
        shift = made.distance(X) - (Z @ normal - threshold)
        assert np.ptp(shift) < 1e-9
