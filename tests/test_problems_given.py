"""Problems given as intervals, as labelled points and as CSV files; the corners of the cube."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

from hyperna.problems import cube, custom_arcs, points, points_digest, problem, read_csv

RNG = np.random.default_rng(7)


# ---- user-given arcs


def test_units_agree():
    wanted = ((Fraction(1, 6), Fraction(1, 3)), (Fraction(11, 12), Fraction(25, 24)))
    pi = math.pi
    for intervals, unit in [
        ([(Fraction(1, 6), Fraction(1, 3)), (Fraction(-1, 12), Fraction(1, 24))], "turn"),
        ([(60, 120), (330, 375.0)], "degree"),
        ([(pi / 3, 2 * pi / 3), (-pi / 6, pi / 12)], "radian"),
        ("60-120 330-375", "degree"),
        ("60-120, 330-15", "turn"),
        ("120/2 - 120.0,330-375", "turn"),
    ]:
        assert custom_arcs(intervals, unit).arcs == wanted


def test_irregular_floats_stay_what_they_are():
    ((start, end),) = custom_arcs([(0.1234567, 0.7654321)]).arcs
    assert (start, end) == (Fraction(0.1234567), Fraction(0.7654321))


def test_custom_arcs_are_found_again_by_their_name():
    caps = custom_arcs([(350, 370), (90, 180)], unit="degree")
    assert problem(caps.name) == caps == problem("arcs", arcs="90-180 350-10")


@pytest.mark.parametrize(
    ("intervals", "error", "message"),
    [
        ([], ValueError, "at least one pair"),
        ([(0, 1)], ValueError, "whole circle"),
        ([(0, 90)], ValueError, r"whole circle \(1 turn\), got \(0, 90\) in turns; .*'degree'"),
        ([(0, 0.6), (0.5, 1.1)], ValueError, "whole circle"),
        ([(0, 0)], ValueError, r"start before it ends, got \(0, 0\)"),
        ([(0.5, 0.25)], ValueError, r"to pass 0 add a whole turn \(1 turn\) to the end"),
        ([(0, math.nan)], ValueError, "finite numbers of turns, got nan"),
        ([(0, math.inf)], ValueError, "finite numbers of turns, got inf"),
        ([(0, "a")], TypeError, "real numbers of turns, got 'a'"),
        ([(0, True)], TypeError, "real numbers of turns, got True"),
        ([(0, 1, 2)], ValueError, "pairs"),
        ([0.5], ValueError, "pairs"),
        (0.5, ValueError, "pairs"),
        ("0-x", ValueError, "0-90 180-270"),
        ("0-1/0", ValueError, "0-90 180-270"),
        ("0..1", ValueError, "0-90 180-270"),
        ("", ValueError, "0-90 180-270"),
    ],
)
def test_wrong_intervals_are_refused(intervals, error, message):
    with pytest.raises(error, match=message):
        custom_arcs(intervals)


# ---- labelled points


@pytest.mark.parametrize("dim", [1, 2, 3, 6])
def test_cube_corners(dim):
    corners = cube(dim)
    assert corners.X.shape == (2**dim, dim)
    assert np.allclose((corners.X**2).sum(axis=1), 1)
    assert len({tuple(row) for row in corners.X}) == 2**dim
    # Labels of neighbours, which differ in one coordinate, differ.
    different = (corners.X[:, None] != corners.X[None]).sum(axis=2)
    pairs = np.argwhere(different == 1)
    assert len(pairs) == dim * 2**dim
    assert (corners.y[pairs[:, 0]] != corners.y[pairs[:, 1]]).all()
    assert (corners.label(corners.X) == corners.y).all()
    # They are in the unit ball already, and are known to be corners still.
    same = corners.scaled()
    assert np.allclose(same.X, corners.X)
    assert same.best_fitness(2 ** (dim - 1)) == 1


@pytest.mark.parametrize("dim", [1, 2, 3, 4])
def test_cube_neurons_suffice_as_claimed(dim):
    corners = cube(dim)
    enough = 2 ** (dim - 1)
    bias = (dim - 1) / dim if dim > 1 else 0.5
    own = np.array([corners.X @ corner >= bias for corner in corners.X])
    assert (reference.joined(own[corners.y], "or") == corners.y).all()
    assert (reference.joined(~own[~corners.y], "and") == corners.y).all()
    assert corners.best_fitness(enough) == corners.best_fitness(enough, "and") == 1
    assert corners.best_fitness(dim, "evolved") == corners.best_fitness(dim, "xor") == 1
    if dim > 1:
        assert corners.best_fitness(enough - 1) is None
    # The counting network: neuron j fires when more than j coordinates are positive.
    diagonal = np.full(dim, dim**-0.5)
    counts = np.array([corners.X @ diagonal >= (2 * j + 1 - dim) / dim for j in range(dim)])
    output = dim**-0.5 * (-1.0) ** np.arange(dim)
    assert (output @ counts >= 0.5 * dim**-0.5).tolist() == corners.y.tolist()


def test_points_know_only_their_own_labels():
    data = points([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]], [1, 0, 1])
    assert data.label([[-0.0, 1.0]]).tolist() == [True]
    with pytest.raises(ValueError, match=r"got \[2.0, 2.0\]"):
        data.label([[2.0, 2.0]])
    with pytest.raises(ValueError, match="one label"):
        data.label([[1.0, 0.0]])


def test_points_are_copied():
    X, y = np.eye(2), np.array([True, False])
    data = points(X, y)
    X[0, 0], y[0] = 5, False
    assert data.X.tolist() == np.eye(2).tolist()
    assert data.y.tolist() == [True, False]


@given(st.lists(st.tuples(*[st.floats(-1e300, 1e300)] * 2), min_size=1, max_size=6))
def test_scaled_points_fill_the_unit_ball(rows):
    data = points(rows, np.zeros(len(rows)), scale=True)
    lengths = np.sqrt((data.X**2).sum(axis=1))
    assert lengths.max() == pytest.approx(1) or not data.X.any()


@pytest.mark.parametrize(
    ("X", "y", "weight", "message"),
    [
        ([], [], None, "X must have shape"),
        ([[math.nan]], [1], None, "X must be finite"),
        ([[1.0]], [2], None, "only 0 and 1"),
        ([[1.0]], [1, 0], None, r"y must have shape \(1,\)"),
        ([[1.0]], [1], [-1], "must not be negative, got -1"),
        ([[1.0]], [1], [math.inf], "weight must be finite, got inf"),
        ([[1.0]], [1], [0], "not be all zero"),
        ([[1.0]], [1], [1, 2], r"weight must have shape \(1,\)"),
        ([[1.0]], [1], ["a"], "weight must be"),
    ],
)
def test_wrong_points_are_refused(X, y, weight, message):
    with pytest.raises(ValueError, match=message):
        points(X, y, weight)


@pytest.mark.parametrize(
    ("y", "positive", "expected"),
    [
        (["no", "yes", "no"], None, [0, 1, 0]),
        (["no", "yes", "no"], "no", [1, 0, 1]),
        (["9", "10", "9"], None, [0, 1, 0]),  # as numbers, like the labels of a file
        (np.array([2, 1, 1]), 1, [0, 1, 1]),
        ([True, False, False], False, [0, 1, 1]),
        (["nan", "1", "1"], None, [1, 0, 0]),  # a word beside a number
    ],
)
def test_one_of_two_labels_is_positive(y, positive, expected):
    assert points([[0.1], [0.2], [0.3]], y, positive=positive).y.tolist() == expected


@pytest.mark.parametrize(
    ("y", "positive", "message"),
    [
        (["a", "b", "c"], None, "y must hold exactly two different values, got 3: 'a', 'b', 'c'"),
        (["a", "a", "a"], None, "y must hold exactly two different values, got 1: 'a'"),
        (["a", "b", "a"], "c", "positive must be one of the labels 'a' and 'b' of y, got 'c'"),
        ([0, 1, 1], "1", "positive must be one of the labels 0 and 1 of y, got '1'"),
        ([None, "b", "a"], "a", "y must hold labels of one kind, got [None, 'b', 'a']"),
        ([1.0, np.nan, 1.0], 1.0, "y must hold two different values, got NaN"),
        (["a", "b"], None, "y must have shape (3,), got shape (2,)"),
        ("aba", None, "y must be an array of real numbers, got dtype <U3"),
    ],
)
def test_labels_that_are_not_two_are_refused(y, positive, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        points([[0.1], [0.2], [0.3]], y, positive=positive)


# ---- CSV files


def written(folder, text):
    path = folder / "data.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_csv_round_trip(tmp_path):
    X = RNG.uniform(-0.5, 0.5, (20, 3))
    y = RNG.random(20) < 0.5
    y[:2] = [True, False]
    weight = RNG.random(20)
    lines = [
        f"{a!r},{'yes' if label else 'no'},{b!r},{c!r},{w!r}"
        for (a, b, c), label, w in zip(X.tolist(), y, weight.tolist(), strict=True)
    ]
    path = written(tmp_path, "a,kind,b,c,w\n" + "\n".join(lines))
    data = read_csv(path, label="kind", weight="w")
    assert (data.X == X).all()
    assert (data.y == y).all()
    assert (data.weight == weight).all()
    assert data.name == "data"
    same = problem(f"csv:path={path},label=kind,weight=w,scale=true")
    assert (same.X == data.scaled().X).all()


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        (["0", "1"], [False, True]),
        (["1", "-1"], [True, False]),
        (["9", "10"], [False, True]),
        (["2", "2.0", "1"], [True, True, False]),
        (["b", "a"], [True, False]),
        (["9", "a"], [False, True]),
        (["False", "True"], [False, True]),
    ],
)
def test_the_larger_label_is_positive(tmp_path, labels, positive):
    text = "x,label\n" + "".join(f"0.{i},{label}\n" for i, label in enumerate(labels))
    assert read_csv(written(tmp_path, text)).y.tolist() == positive


@pytest.mark.parametrize("labels", [["in", "out", "in"], ["1", "2.0", "2"]])
def test_either_label_may_be_positive(tmp_path, labels):
    text = "x,label\n" + "".join(f"0.{i},{label}\n" for i, label in enumerate(labels))
    path = written(tmp_path, text)
    usual, chosen = read_csv(path), read_csv(path, positive=labels[0])
    assert chosen.y.tolist() == [not value for value in usual.y]
    assert chosen.summary.endswith(f"(label = {labels[0]!r})")
    assert read_csv(path, positive=labels[1]).y.tolist() == usual.y.tolist()
    with pytest.raises(ValueError, match=f"one of the labels {labels[0]!r} and .*, got 'no'"):
        read_csv(path, positive="no")


def test_csv_of_other_programs(tmp_path):
    text = '\ufeff"x 1", "x 2" ,y\r\n1e-3, +.2 ,"a"\r\n\r\n,,\r\n"3e-1",.4,b\r\n'
    data = read_csv(written(tmp_path, text), label="y")
    assert data.X.tolist() == [[0.001, 0.2], [0.3, 0.4]]
    assert data.y.tolist() == [False, True]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "is empty"),
        ("\n \n", {}, "is empty"),
        ("x,y\n", {}, "no points"),
        ("1,2\n3,4\n", {}, "line of column names, got numbers: 1, 2"),
        ("x,x,y\n1,2,0\n", {}, "more than one column named 'x'"),
        ("x,y\n1,0\n2\n", {}, "line 3: expected 2 values like the first line, got 1"),
        ("x,y\n1,0\n\n2,1,1\n", {}, "line 4: expected 2 values"),
        ("x,y\n1,0\nred,1\n", {}, "line 3, column 'x': expected a finite number, got 'red'"),
        ("x,y\n1,0\n,1\n", {}, "line 3, column 'x': expected a finite number, got ''"),
        ("x,y\n1,0\nnan,1\n", {}, "got 'nan'"),
        ("x,y\ninf,0\n2,1\n", {}, "got 'inf'"),
        ("x,y\n1,0\n2,0\n", {}, "two different values, got 1: 0"),
        ("x,y\n1,0\n2,1\n3,2\n", {}, "two different values, got 3: 0.0, 1.0, 2.0"),
        ("x,y\n1,0\n2,\n", {}, "line 3: the label 'y' is missing"),
        ("x,y\n1,0\n2,NaN\n", {}, "line 3: the label 'y' is missing"),
        ("x,y\n1,0\n", {"label": "z"}, "label must name a column .* got 'z'; its columns: x, y"),
        ("x,y\n1,0\n", {"weight": "z"}, "weight must name a column"),
        ("x,y\n1,0\n2,1\n", {"weight": "x"}, "besides label and weight"),
        ("x,y\n1,0\n2,1\n", {"weight": "y"}, "weight and label must be different columns"),
        ("x,w,y\n1,-1,0\n2,1,1\n", {"weight": "w"}, "must not be negative"),
        ("y\n0\n1\n", {}, "besides label and weight"),
        (b"x,y\n\xff\xfe,1\n", {}, "UTF-8"),
    ],
)
def test_broken_csv_files_are_refused(tmp_path, text, options, message):
    with pytest.raises(ValueError, match=message):
        read_csv(written(tmp_path, text), **options)


def test_missing_files_and_directories(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        read_csv(tmp_path / "nothing.csv")
    with pytest.raises(IsADirectoryError, match="is a directory"):
        read_csv(tmp_path)


def test_an_arc_of_length_zero_is_refused_however_it_is_written():
    with pytest.raises(ValueError, match="an arc must start before it ends"):
        problem("arcs", arcs="90-90")
    assert problem("arcs", arcs="350-10").label([[1.0, 0.0], [-1.0, 0.0]]).tolist() == [True, False]


def test_arcs_that_touch_are_one():
    assert custom_arcs([(0, 0.25), (0.25, 0.5)]).arcs == ((0, Fraction(1, 2)),)
    assert custom_arcs([(0.75, 1), (0, 0.25)]).arcs == ((Fraction(3, 4), Fraction(5, 4)),)


def test_a_digest_covers_points_labels_and_weights():
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=(6, 2)), rng.integers(0, 2, 6).astype(bool), np.arange(1.0, 7.0)
    changed = [
        (X, y, None),
        (X, y, weight),
        (X, y, weight[::-1].copy()),
        (X, ~y, weight),
        (X[::-1].copy(), y, weight),
        (X + 1e-15, y, weight),
    ]
    assert len({points_digest(*some) for some in changed}) == len(changed)


def test_scaled_points_lie_around_the_middle_of_their_box():
    from hyperna.problems import points

    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [9.0, 3.0]])
    scaled = points(X, [0, 1, 0, 1], scale=True).X
    assert scaled.min(axis=0) == pytest.approx(-scaled.max(axis=0))
    assert np.linalg.norm(scaled, axis=1).max() == pytest.approx(1)


# ---- points out of reach


def test_points_outside_the_unit_ball_are_a_warning_with_its_remedy(tmp_path):
    X, y = np.array([[3.0, 4.0], [6.0, 8.0]]), [0, 1]
    message = "points lie up to 10 from the origin but half-spaces at most 1; scale=True moves"
    with pytest.warns(UserWarning, match=message):
        far = points(X, y)
    near = points(X, y, scale=True)
    assert (near.X == far.scaled().X).all()
    path = written(tmp_path, "a,b,c\n3,4,0\n6,8,1\n")
    with pytest.warns(UserWarning, match=message):
        read_csv(path)
    with pytest.warns(UserWarning, match=message):
        problem(f"csv:path={path}")
    assert (read_csv(path, scale=True).X == near.X).all()
    points(X / 10, y)  # on the sphere, up to rounding


def test_points_that_occur_twice_with_one_label_have_it():
    twice = points([[0.1, 0.2], [0.3, 0.4], [0.1, 0.2], [0.1, 0.2]], [True, False, True, True])
    assert twice.label([[0.3, 0.4], [0.1, 0.2]]).tolist() == [False, True]


def test_up_to_eight_arcs_are_written_out_in_a_title():
    eight, nine = (custom_arcs([(20 * j, 20 * j + 9) for j in range(k)], "degree") for k in (8, 9))
    assert eight.title.count("°–") == 8
    assert nine.title == "9 arcs"
