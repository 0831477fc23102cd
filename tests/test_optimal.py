"""The best half-space by enumeration, against brute force over all dichotomies."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.datasets import make_moons

from hyperna import OnePlusOneNA, optimal_half_space, points


def separable(X, labels):
    """Whether a half-space tells the labels apart, by linear programming."""
    sign = np.where(labels, 1.0, -1.0)
    rows = -sign[:, None] * np.column_stack([X, np.ones(len(X))])
    found = linprog(np.zeros(X.shape[1] + 1), rows, -np.ones(len(X)), bounds=(None, None))
    return found.status == 0


def fewest_errors(X, y):
    """Least number of errors over all separable labellings of the different points."""
    places, place = np.unique(X, axis=0, return_inverse=True)
    place = place.ravel()
    every = np.array(list(itertools.product((False, True), repeat=len(places))))
    errors = (every[:, place] != y).sum(axis=1)
    order = np.argsort(errors, kind="stable")
    return next(errors[k] for k in order if separable(places, every[k]))


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 3), st.integers(2, 7), st.integers(0, 2**32 - 1), st.booleans())
def test_optimum_is_that_of_brute_force(dim, n, seed, lattice):
    """Points of a small lattice are often equal, collinear or in one plane."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, dim)).astype(float) if lattice else rng.normal(size=(n, dim))
    y = rng.random(n) < 0.5
    found = optimal_half_space(X, y)
    assert found.errors == fewest_errors(X, y)
    assert (found.predict(X) != y).sum() == found.errors


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_units_and_order_do_not_matter(dim):
    rng = np.random.default_rng(dim)
    X, y = rng.normal(size=(40, dim)), rng.random(40) < 0.5
    found = optimal_half_space(X, y)
    order = rng.permutation(40)
    size = 10.0 ** rng.integers(-6, 6, dim)
    moved = optimal_half_space(X[order] * size + rng.normal(size=dim) * size, y[order])
    assert moved.errors == found.errors


def test_constant_answers_are_half_spaces_too():
    assert optimal_half_space([[1.0, 2.0]] * 3, [1, 1, 0]).errors == 1
    assert optimal_half_space([[0.0], [1.0], [2.0]], [0, 0, 0]).errors == 0
    assert optimal_half_space([[0.0], [1.0], [2.0]], [1, 1, 1]).errors == 0


@pytest.mark.parametrize(("dim", "n"), [(2, 60), (3, 50)])
def test_one_neuron_reaches_the_certified_optimum(dim, n):
    reached = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = make_moons(n, noise=0.4, random_state=seed)
        X = np.column_stack([X, rng.normal(size=(n, dim - 2))])
        X = X - X.mean(axis=0)
        X /= np.linalg.norm(X, axis=1).max()
        na = OnePlusOneNA(neurons=1, resolution=65_536, move="rotation")
        limits = {"budget": 10**6, "stagnation": 5000, "restarts": 1000}
        run = na.run(points(X, y), **limits, seed=seed)
        errors = round((1 - run.fitness) * n)
        assert errors >= optimal_half_space(X, y).errors
        reached += errors == optimal_half_space(X, y).errors
    assert reached >= 9


def test_more_features_or_points_are_refused():
    with pytest.raises(ValueError, match=r"1, 2 or 3 features, got 4; .*NAClassifier"):
        optimal_half_space(np.zeros((3, 4)), [0, 1, 0])
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="at most 1500 different points for 3 features, got 1501"):
        optimal_half_space(rng.normal(size=(1501, 3)), np.arange(1501) % 2)
    with pytest.raises(ValueError, match="y must"):
        optimal_half_space(rng.normal(size=(5, 2)), [0, 1, 2, 0, 1])
