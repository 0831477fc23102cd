"""Data sets whose parameters meet: turned ones of any seed, names, ends of ranges, tables."""

import math

import numpy as np
import pytest
from scipy import stats

from hyperna import problem
from hyperna.datasets import DATASETS, Dataset, Table, dataset, load, read_table, rotation, sample


@pytest.mark.parametrize("seed", [0, 1, 6])
@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize("dim", [2, 4])
def test_turned_points_are_those_of_the_seed(seed, noise, dim):
    options = {"dim": dim, "seed": seed, "noise": noise, "n": 60}
    plain, turned = (dataset("sphere", rotated=rotated, **options) for rotated in (False, True))
    np.testing.assert_allclose(turned.X, plain.X @ rotation(dim, seed).T, atol=1e-6)
    assert turned.y.tolist() == plain.y.tolist()
    right = problem("quarter", dim=dim).label(plain.X)
    assert (right != plain.y.astype(bool)).any() == (noise > 0)


@pytest.mark.parametrize(("k", "dim"), [(1, 2), (2, 3), (5, 5)])
def test_each_half_space_of_a_union_holds_the_same_share(k, dim):
    """Independent ones would hold a half together; a normal point is in one by its distance."""
    data = dataset("half_spaces", k=k, dim=dim, n=4000, noise=0.0)
    share = 1 - 2 ** (-1 / k)
    # of one half-space the classes are apart at this distance, along some direction
    if k == 1:
        assert data.y.mean() == pytest.approx(0.5, abs=0.05)
    bias = stats.norm.isf(share)
    assert np.linalg.norm(data.X[data.y == 1], axis=1).min() >= bias - 1e-6
    assert share - 0.03 < data.y.mean() < k * share + 0.03


@pytest.mark.parametrize(
    ("name", "parameter", "last", "beyond"),
    [
        ("sphere", "noise", 0.5, 0.5000001),
        ("half_spaces", "noise", 0.5, 0.5000001),
        ("sphere", "noise", 0.0, -1e-9),
        ("moons", "n", 4, 3),
        ("circles", "n", 4, 3),
        ("xor", "noise", 1000, 1000.1),
        ("circles", "ratio", 0.999, 1.0),
        ("circles", "ratio", 0.001, 0.0),
        ("half_spaces", "dim", 1, 0),
        ("half_spaces", "k", 1, 0),
    ],
)
def test_ends_of_ranges_are_allowed_and_nothing_beyond(name, parameter, last, beyond):
    made = dataset(name, **{parameter: last})
    assert np.isfinite(made.X).all()
    with pytest.raises(ValueError, match=parameter):
        dataset(name, **{parameter: beyond})


def test_names_of_variants_and_of_changed_ones():
    assert dataset("cube_d4").name == "cube_d4"
    assert dataset("half_spaces_d2").name == "half_spaces_d2"
    changed = dataset("half_spaces_d2", seed=3)
    assert changed.name == "half_spaces:dim=2,seed=3"
    assert changed.to_csv() == dataset(changed.name).to_csv()
    other = dataset("half_spaces_d2", dim=4)
    assert other.X.shape[1] == 4
    for name, usual in (("moons", 300), ("sphere", 300)):
        assert dataset(name, n=usual).name == name
        assert dataset(f"{name}:n={usual}").name == name


@pytest.mark.parametrize("mark", [",", '"', "\n", "\r", ";", "'", " "])
def test_cells_are_quoted_where_they_must_be(mark, tmp_path):
    names = (f"a{mark}b", "plain")
    data = Dataset([[1.0, 2.0], [3.0, 4.5]], [f"x{mark}y", "z"], features=names, label="kind")
    (tmp_path / "data.csv").write_text(data.to_csv(), encoding="utf-8", newline="")
    read = load(tmp_path / "data.csv")
    assert read.X.tolist() == data.X.tolist()
    assert (data.to_csv().count('"') > 0) == (mark in ',"\n\r')
    assert [text.strip() for text in read.y.tolist()] == data.y.tolist()


def test_a_problem_is_named_as_it_was_asked_for():
    for name in ("quarter", "quarter:dim=3", "arcs:k=3", "cube:dim=4"):
        data = load(name)
        assert data.name == name
        made = load(problem(name))
        assert np.array_equal(data.X, made.X)
        assert data.y.tolist() == made.y.tolist()
        assert data.y.dtype == made.y.dtype == np.int64
    points = problem("cube", dim=3)
    assert sample(points, n=2).X.shape == (8, 3)
    for seed in (0, 1):
        some = sample(problem("half", dim=3), n=50, seed=seed)
        assert np.array_equal(some.X, np.round(some.X, 6))
        np.testing.assert_allclose(np.linalg.norm(some.X, axis=1), 1, atol=2e-6)
    assert not np.array_equal(some.X, sample(problem("half", dim=3), n=50).X)


@pytest.mark.parametrize(
    "given", [{"label": "kind"}, {"ignore": ["x1"]}, {"kinds": {"x1": "number"}}]
)
@pytest.mark.parametrize("source", ["moons", (np.eye(2), [0, 1]), "sklearn:iris"])
def test_columns_are_named_for_files_only(given, source):
    [argument] = given
    with pytest.raises(ValueError, match=f"{argument} names a column of a CSV file"):
        load(source, **given)


def written(tmp_path, text):
    (tmp_path / "some.csv").write_text(text, encoding="utf-8")
    return tmp_path / "some.csv"


def test_the_label_is_no_feature(tmp_path):
    file = written(tmp_path, "a,b,c\n1,2,x\n3,4,y\n5,6,x\n")
    for label, features in ((None, ("a", "b")), ("b", ("a", "c")), ("c", ("a", "b"))):
        table = read_table(file, label)
        assert (table.features, table.label) == (features, label or "c")
    for argument in ({"ignore": ["b"]}, {"kinds": {"b": "number"}}):
        name = next(iter(argument))
        with pytest.raises(ValueError, match=f"{name} must not name the label 'b'"):
            read_table(file, "b", **argument)


def test_rows_without_a_label_are_counted(tmp_path):
    text = "a,b\n1,x\n2,\n3,y\n4,NA\n5,\n6,x\n"
    table = read_table(written(tmp_path, text))
    assert table.unlabelled == 3
    assert table.X[:, 0].tolist() == ["1", "3", "6"]
    assert table.y.tolist() == ["x", "y", "x"]
    assert "3 rows without 'b' are left out" in table.summary


ROWS = 24


@pytest.mark.parametrize(
    ("name", "column", "plain"),
    [
        ("size", [f"{0.5 * k}" for k in range(ROWS)], True),
        ("size", [f"{k % 5}" for k in range(ROWS)], True),
        ("row", [f"{k}" for k in range(1, ROWS + 1)], False),  # it numbers the rows
        ("id", [f"{7 * k + 100}" for k in range(ROWS)], False),
        ("size", [f"{7 * k + 100}" for k in range(ROWS)], True),
        ("size", ["3"] * ROWS, False),  # always the same
        ("size", [f"{0.5 * k}" for k in range(ROWS - 1)] + [""], False),
        ("size", [f"{0.5 * k}" for k in range(ROWS - 1)] + ["inf"], False),
        ("size", [f"${0.5 * k}" for k in range(ROWS)], False),
        ("size", [f"{0.5 * k}" for k in range(ROWS - 1)] + ["1_0"], False),  # Python's ten
        ("day", [f"202401{k + 1:02d}" for k in range(ROWS)], False),  # dates in one number
    ],
)
def test_only_plain_numbers_that_teach_something_are_points(tmp_path, name, column, plain):
    lines = [f"{cell},{k % 3},{'xy'[k % 2]}" for k, cell in enumerate(column)]
    found = load(written(tmp_path, "\n".join([f"{name},other,kind", *lines]) + "\n"))
    assert type(found) is (Dataset if plain else Table)
    assert found.features == (name, "other")
    if plain:
        assert found.X[:, 0].tolist() == [float(cell) for cell in column]


def test_columns_that_are_ignored_or_have_a_kind_make_a_table(tmp_path):
    file = written(
        tmp_path, "a,b,kind\n" + "".join(f"{k % 4}.5,{k % 3},{k % 2}\n" for k in range(9))
    )
    assert type(load(file)) is Dataset
    assert type(load(file, ignore=["a"])) is Table
    assert type(load(file, kinds={"b": "category"})) is Table
    assert type(load(file, kinds={"b": "number"})) is Dataset


@pytest.mark.parametrize("name", DATASETS)
def test_points_are_rounded_to_the_digits_of_their_files(name):
    data = dataset(name)
    assert np.array_equal(data.X, np.round(data.X, 6))
    assert not np.signbit(data.X[data.X == 0]).any()
    assert math.isfinite(float(data.X.sum()))


def test_files_have_any_name_but_names_of_data_stand_for_these(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "a,b,kind\n0.5,2,x\n1.5,3,y\n2.5,2,y\n"
    for name in ("points.txt", "points", "moons", "quarter", "POINTS.CSV"):
        (tmp_path / name).write_text(text)
        assert load(tmp_path / name).X.tolist() == [[0.5, 2], [1.5, 3], [2.5, 2]]
        found = load(name)
        usual = name in ("moons", "quarter")
        assert found.X.shape == ((300, 2) if usual else (3, 2))
        assert (found.name == name) == (usual or "." not in name)
