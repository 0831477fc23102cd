"""The order of the rules of a list, beside all orders and in cases where it is plain."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from hyperna import NAClassifier
from hyperna.classifier.bits import code_length
from hyperna.classifier.candidates import half_spaces_on
from hyperna.classifier.class_order import ALL_ORDERS, list_order
from hyperna.classifier.half_spaces import HalfSpaces
from hyperna.classifier.table import LabelledTable, Standardisation, StandardPoints

SHORTNESS = 0.7


def labelled(X, y):
    table = LabelledTable.of(X, y, np.ones(len(y)))
    return table, Standardisation.fit(table.X, table.weight)


def rule_bits(first, among, table, standard):
    """Bits of a logistic regression that tells one class among some, or of no rule."""
    rows = table.part(np.isin(table.label, among))
    points = StandardPoints.of(rows, standard, first)
    everything = tuple(range(len(points.columns)))
    half_space = next(half_spaces_on([np.array(everything)], points))
    constant = HalfSpaces.constant(len(everything), False)
    return min(
        code_length(network, points, SHORTNESS, {everything}).total(SHORTNESS)
        for network in (half_space, constant)
    )


@pytest.mark.parametrize("classes", [3, 4, ALL_ORDERS])
def test_the_order_takes_the_fewest_bits_of_all(classes):
    X, y = make_blobs(90, centers=classes, cluster_std=4.0, random_state=classes)
    table, standard = labelled(X, y)
    order = list_order(range(classes), table, standard, SHORTNESS)
    assert sorted(order) == list(range(classes))
    known = {}

    def list_bits(order):
        """Bits of a list of logistic regressions, each of which may be left out."""
        total = 0.0
        for place, first in enumerate(order[:-1]):
            key = first, tuple(sorted(order[place:]))
            if key not in known:
                known[key] = rule_bits(*key, table, standard)
            total += known[key]
        return total

    bits = [list_bits(every) for every in permutations(range(classes))]
    assert list_bits(order) == pytest.approx(min(bits))
    # the classes that are told best from all others are not always the first
    everything = tuple(range(classes))
    shares = [rule_bits(k, everything, table, standard) for k in everything]
    assert order != np.argsort(shares, kind="stable").tolist()


def test_of_many_classes_the_one_that_is_told_best_comes_first():
    """Classes lie in a heap but for one that is far away."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(ALL_ORDERS + 2), 40)
    X = rng.normal(size=(len(y), 2)) + y[:, None] / 2
    X[y == 4] += [40.0, -40.0]
    table, standard = labelled(X, y)
    order = list_order(range(ALL_ORDERS + 2), table, standard, SHORTNESS)
    assert order[0] == 4
    assert sorted(order) == list(range(ALL_ORDERS + 2))


def test_many_classes_are_ordered_by_the_share_of_their_bits_that_is_left():
    """Rare classes have few bits to tell, and do not come first for that."""
    rng = np.random.default_rng(3)
    sizes = [130, 110, 80, 60, 40, 20]
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = np.column_stack([y + rng.normal(scale=0.6, size=len(y)), rng.normal(size=len(y))])
    X[y == 0, 0] -= 8
    X[y == 5, 0] = rng.normal(size=20) + 2
    table, standard = labelled(X, y)
    everything = tuple(range(len(sizes)))
    assert len(sizes) > ALL_ORDERS
    told = [rule_bits(k, everything, table, standard) for k in everything]
    without_rule = []
    for size in sizes:
        share = np.array([size, len(y) - size]) / len(y)
        without_rule.append(-len(y) * (share @ np.log2(share)))
    left = np.array(told) / without_rule
    order = list_order(range(len(sizes)), table, standard, SHORTNESS)
    assert order == np.argsort(left, kind="stable").tolist()
    assert order != np.argsort(told, kind="stable").tolist()


def test_seeds_ask_for_the_classes_in_the_same_order():
    X, y = make_blobs(120, centers=3, cluster_std=3.0, random_state=1)
    fits = [NAClassifier(evaluations=50, random_state=seed).fit(X, y) for seed in (0, 1)]
    assert fits[0].list_.order == fits[1].list_.order
