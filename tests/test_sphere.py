"""Points on the sphere: norm one, uniform, and far more even than chance where they claim it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betainc
from scipy.stats import kstest

from hyperna.fitness.sampling import even_points, random_points, sobol_points

DIMENSIONS = [1, 2, 3, 4, 5, 6, 9, 12]


def seeded_even(n, dim, seed=0):
    return even_points(n, dim)


METHODS = pytest.mark.parametrize("method", [random_points, sobol_points, seeded_even])


@METHODS
@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 300), dim=st.integers(1, 40))
def test_any_number_of_points_has_norm_one(method, n, dim):
    points = method(n, dim, seed=1)
    assert points.shape == (n, dim)
    assert points.dtype == np.float64
    assert np.linalg.norm(points, axis=1) == pytest.approx(np.ones(n), abs=1e-15)


@pytest.mark.parametrize("method", [random_points, sobol_points])
def test_the_seed_decides(method):
    assert np.array_equal(method(50, 4, seed=3), method(50, 4, seed=3))
    assert np.array_equal(method(50, 4, seed=3), method(50, 4, np.random.default_rng(3)))
    assert not np.array_equal(method(50, 4, seed=3), method(50, 4, seed=4))


def test_even_points_are_always_the_same():
    assert np.array_equal(even_points(77, 6), even_points(77, 6))


@METHODS
@pytest.mark.parametrize("dim", DIMENSIONS)
def test_moments_are_those_of_the_uniform_distribution(method, dim):
    """E x = 0, E x x' = I / D, E x_k^4 = 3 / (D (D + 2))."""
    n = 8192
    X = method(n, dim, seed=7)
    tolerance = 5 / math.sqrt(n)
    assert X.mean(axis=0) == pytest.approx(np.zeros(dim), abs=tolerance)
    np.testing.assert_allclose(X.T @ X / n, np.eye(dim) / dim, atol=tolerance)
    assert (X**4).mean(axis=0) == pytest.approx(3 / (dim * (dim + 2)), abs=tolerance)


@METHODS
@pytest.mark.parametrize("dim", [2, 3, 4, 5, 8])
def test_every_coordinate_has_the_right_distribution(method, dim):
    """(1 + x_k) / 2 is Beta((D-1)/2, (D-1)/2)."""
    a = (dim - 1) / 2
    for column in method(2000, dim, seed=11).T:
        # Clipped, because a norm of 1 + 1e-16 may leave the unit interval.
        values = betainc(a, a, np.clip((1 + column) / 2, 0, 1))
        assert kstest(values, "uniform").pvalue > 1e-3


def half_space_measure(dim, b):
    """Return the share of the sphere where w·x >= b."""
    return 1 - betainc((dim - 1) / 2, (dim - 1) / 2, (1 + b) / 2)


def errors(X, rng):
    """Return root mean square errors of the measures of half-spaces, wedges and arcs of psi."""
    dim = X.shape[1]
    psi = np.arctan2(X[:, -1], X[:, -2]) / (2 * math.pi)
    squares = []
    for _ in range(150):
        w, v = random_points(2, dim, rng)
        b, start, length = rng.uniform(-0.5, 0.5), rng.random(), rng.random()
        wedge = (math.pi - math.acos(w @ v)) / (2 * math.pi)
        shares = [
            (X @ w >= b).mean() - half_space_measure(dim, b),
            ((X @ w >= 0) & (X @ v >= 0)).mean() - wedge,
            ((psi - start) % 1.0 < length).mean() - length,
        ]
        squares.append(np.square(shares))
    return np.sqrt(np.mean(squares, axis=0))


@pytest.mark.parametrize(
    ("dim", "factors"),
    [
        (2, (0.1, 0.1, 0.1)),
        (3, (0.25, 0.25, 0.1)),
        (4, (0.5, 0.5, 0.1)),
        (6, (0.6, 0.6, 0.1)),
        (12, (0.75, 0.75, 0.1)),
    ],
)
@pytest.mark.parametrize("method", [sobol_points, seeded_even])
def test_measures_are_closer_than_with_random_points(method, dim, factors):
    n = 4096
    ours = errors(method(n, dim, seed=5), np.random.default_rng(0))
    by_chance = np.sqrt(
        np.mean(
            [errors(random_points(n, dim, s), np.random.default_rng(0)) ** 2 for s in range(4)],
            axis=0,
        )
    )
    assert (ours < np.array(factors) * by_chance).all(), ours / by_chance


@pytest.mark.parametrize("n", [1, 2, 5, 12, 1000])
def test_in_the_plane_even_points_have_equal_angles(n):
    X = even_points(n, 2)
    turns = np.arctan2(X[:, 1], X[:, 0]) / (2 * math.pi) % 1.0
    assert turns == pytest.approx((np.arange(n) + 0.5) / n, abs=1e-15)


def test_in_space_even_points_are_a_fibonacci_lattice():
    n = 500
    X = even_points(n, 3)
    assert X[:, 0] == pytest.approx((2 * np.arange(n) + 1) / n - 1, abs=1e-15)
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    # The densest packing has a nearest distance of sqrt(8 pi / (sqrt(3) n)).
    densest = math.sqrt(8 * math.pi / (math.sqrt(3) * n))
    assert distances.min(axis=1).mean() > 0.85 * densest


def test_on_the_line_even_points_are_balanced():
    assert even_points(10, 1).sum() == 0
    assert abs(even_points(11, 1).sum()) == 1


@METHODS
@pytest.mark.parametrize(
    ("n", "dim", "message"),
    [(0, 2, "n must be an integer"), (1, 0, "dim must be an integer")],
)
def test_bad_sizes_are_named(method, n, dim, message):
    with pytest.raises(ValueError, match=message):
        method(n, dim, seed=0)
