"""Validation: good values pass unchanged, bad ones are named with a remedy."""

import math
from fractions import Fraction

import numpy as np
import pytest

from hyperna._validation import (
    check_choice,
    check_integer,
    check_labels,
    check_points,
    check_real,
    check_reals,
)


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3), np.array(3)])
def test_integers_of_every_kind_are_accepted(value):
    result = check_integer("n", value, 3, 3)
    assert result == 3
    assert type(result) is int


@pytest.mark.parametrize("value", [True, np.True_, 3.0, "3", None, 3j, [3], math.nan])
def test_what_is_not_an_integer_is_a_type_error(value):
    with pytest.raises(TypeError, match=r"^n must be an integer >= 1, got "):
        check_integer("n", value, 1)


@pytest.mark.parametrize("value", [1, 2**40 + 1, pytest.param(10**5000, id="huge")])
def test_integers_out_of_range_name_the_range(value):
    with pytest.raises(ValueError, match="resolution must be an integer from 2 to 1099511627776"):
        check_integer("resolution", value, 2, 2**40)


@pytest.mark.parametrize("value", [0.5, np.float32(0.5), Fraction(1, 2), np.float64(0.5)])
def test_reals_of_every_kind_are_accepted(value):
    result = check_real("p", value, 0, 1)
    assert result == 0.5
    assert type(result) is float


@pytest.mark.parametrize("value", [True, np.True_, "0.5", None, 1j, [0.5]])
def test_what_is_not_a_real_is_a_type_error(value):
    with pytest.raises(TypeError, match=r"^p must be a finite number, got "):
        check_real("p", value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400])
def test_reals_must_be_finite(value):
    with pytest.raises(ValueError, match=r"^p must be a finite number, got "):
        check_real("p", value)


def test_open_ends_are_excluded_and_closed_ends_included():
    assert check_real("p", 0, 0, 1) == 0
    assert check_real("p", 1, 0, 1) == 1
    with pytest.raises(ValueError, match="p must be a finite number > 0 and <= 1, got 0"):
        check_real("p", 0, 0, 1, low_open=True)
    with pytest.raises(ValueError, match="p must be a finite number >= 0 and < 1, got 1"):
        check_real("p", 1, 0, 1, high_open=True)


def test_choices():
    assert check_choice("output", "or", {"or": 1, "and": 2}) == "or"
    with pytest.raises(ValueError, match="output must be one of 'or', 'and', got 'xor'"):
        check_choice("output", "xor", ("or", "and"))
    with pytest.raises(TypeError, match="output must be one of 'or', 'and', got None"):
        check_choice("output", None, ("or", "and"))


def test_points_of_every_kind_become_plain_arrays():
    expected = np.array([[1.0, 2.0], [3.0, 4.0]])
    read_only = expected.copy()
    read_only.flags.writeable = False
    swapped = expected.astype(">f8")
    for X in (
        [[1, 2], [3, 4]],
        np.asfortranarray(expected),
        expected.astype(np.float32),
        read_only,
        swapped,
        np.array([[1, 2], [3, 4]], dtype=object),
    ):
        points = check_points("X", X, 2)
        assert points.dtype == np.float64
        assert points.flags.c_contiguous
        assert points.flags.writeable
        assert np.array_equal(points, expected)
    assert not np.shares_memory(check_points("X", read_only), read_only)


def test_good_points_are_not_copied():
    X = np.zeros((4, 3))
    assert np.shares_memory(check_points("X", X), X)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1.0, 2.0], r"X must have shape \(n, 2\) .* got shape \(2,\)"),
        ([[1.0, 2.0, 3.0]], r"got shape \(1, 3\)"),
        (np.zeros((0, 2)), r"n >= 1.* got shape \(0, 2\)"),
        ([[0.0, 1.0], [2.0, math.nan]], "X must be finite, got nan in row 1, column 1"),
        ([[math.inf, 1.0]], "X must be finite, got inf in row 0, column 0"),
        ([[1.0, 2.0], [3.0]], "X must be an array of real numbers"),
        ([["1", "2"]], "X must be an array of real numbers, got dtype <U1"),
        ([[1j, 2]], "X must be an array of real numbers, got dtype complex128"),
        ([[None, object()]], "X must be an array of real numbers"),
    ],
)
def test_bad_points_are_named(X, message):
    with pytest.raises(ValueError, match=message):
        check_points("X", X, 2)


@pytest.mark.parametrize("dtype", [bool, int, float, np.uint8, object])
def test_labels_of_every_kind(dtype):
    labels = check_labels("y", np.array([0, 1, 1], dtype=dtype), 3)
    assert labels.dtype == bool
    assert labels.tolist() == [False, True, True]


def test_labels_are_a_copy():
    y = np.array([True, False])
    assert not np.shares_memory(check_labels("y", y, 2), y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1], r"y must have shape \(3,\), got shape \(2,\)"),
        ([[0], [1], [1]], r"got shape \(3, 1\)"),
        ([0, 1, 2], "y must hold only 0 and 1 or booleans, got 2"),
        ([0, 1, -1], "got -1"),
        ([0.0, 1.0, 0.5], "got 0.5"),
        ([0.0, 1.0, math.nan], "got nan"),
        (["a", "b", "a"], "y must be an array of real numbers"),
    ],
)
def test_bad_labels_are_named(y, message):
    with pytest.raises(ValueError, match=message):
        check_labels("y", y, 3)


def test_arrays_of_reals():
    assert check_reals("t", [1, 2], (2,)).tolist() == [1.0, 2.0]
    assert check_reals("t", 3, ()) == 3.0
    with pytest.raises(ValueError, match=r"t must have shape \(2,\), got shape \(3,\)"):
        check_reals("t", [1, 2, 3], (2,))
    for wrong in (math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match=f"t must be finite, got {wrong}"):
            check_reals("t", [1, wrong], (2,))
    with pytest.raises(ValueError, match="t must be an array of real numbers"):
        check_reals("t", ["a", "b"], (2,))


def test_the_place_of_a_bad_number_is_row_and_column():
    points = np.zeros((4, 3))
    points[3, 1] = np.inf
    with pytest.raises(ValueError, match="X must be finite, got inf in row 3, column 1"):
        check_points("X", points)
