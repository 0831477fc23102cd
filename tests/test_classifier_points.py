"""Labelled points: distinct rows, weights, folds, samples and scaling."""

from dataclasses import replace

import numpy as np
import pytest
from clouds import alike, half_cloud

from hyperna import Network
from hyperna.classifier.points import FEWEST_ROWS, LabelledPoints, Scaling


def test_thinning_keeps_both_classes():
    rng = np.random.default_rng(0)
    y = np.arange(2000) == 7
    points = alike(rng.normal(size=(2000, 2)), y)
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


def test_samples_have_rows_of_every_class():
    label = np.zeros(5000, int)
    label[-2 * FEWEST_ROWS :] = 1
    X = np.random.default_rng(0).normal(size=(5000, 2))
    table = alike(X, label)
    some = table.sample(np.random.default_rng(1), 50)
    assert (some.y == 1).sum() >= FEWEST_ROWS
    assert (some.y == 0).sum() >= FEWEST_ROWS
    assert len(some.y) <= 50 + 2 * FEWEST_ROWS


def test_standard_errors_count_rows_and_not_distinct_points():
    points = half_cloud()
    network = Network.from_weights([[1.0, 1.0, 0.0]], [0.1], 2**16)
    mean = points.correct(network) / points.total
    assert points.doubt(network) == pytest.approx(np.sqrt(mean * (1 - mean) / 160))
    half = points.part(np.arange(80) < 40)
    assert half.rows == pytest.approx(160 * half.total / points.total)


def test_rows_of_weights_are_counted_as_they_are_given():
    X, label = np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([0, 1, 1, 0])
    whole = LabelledPoints.of(X, label, np.array([2.0, 1.0, 3.0, 5.0]))
    assert whole.rows == 11
    assert whole.weight.tolist() == [2, 5, 4]
    small = LabelledPoints.of(X, label, np.array([0.02, 0.01, 0.01, 0.0]))
    assert small.rows == pytest.approx(2.0)  # two rows of equal weight


def test_weights_that_cannot_matter_do_not_decide():
    Z, y = np.eye(3), np.array([True, False, True])
    points = LabelledPoints(Z, y, np.array([10**7, 20, 9]), 3.0)
    assert points.decisive.tolist() == [10**7, 20, 0]
    assert points.gain.tolist() == [10**7 / points.total, -20 / points.total, 0]


def test_balanced_classes_are_those_with_weight():
    from hyperna.classifier.points import class_weights

    label, weight = np.array([0, 0, 1, 2]), np.array([1.0, 2.0, 1.0, 0.0])
    found = class_weights("balanced", np.arange(3), label, weight)
    assert found[:2].tolist() == [4 / (2 * 3), 4 / (2 * 1)]
    assert found @ np.bincount(label, weight) == pytest.approx(weight.sum())


def test_rows_of_huge_and_tiny_weights_are_counted():
    X, label = np.arange(3.0)[:, None], np.array([0, 1, 0])
    for unit in (1e-200, 1e200):
        weight = unit * np.array([1.0, 1.0, 2.0])
        assert LabelledPoints.of(X, label, weight).rows == pytest.approx(max(16 / 6, weight.sum()))
