"""Data sets: files that stay the same byte by byte, laws of the generators, what `load` accepts."""

from pathlib import Path

import numpy as np
import pytest

from hyperna import problem, read_csv
from hyperna.cli import main
from hyperna.cli.dataset import catalogue
from hyperna.datasets import (
    DATASETS,
    SHIPPED,
    Dataset,
    dataset,
    load,
    read_dataset,
    rotation,
    sample,
)
from hyperna.datasets.draws import Draws
from hyperna.datasets.sources import _is_file

FOLDER = Path(__file__).parent.parent / "datasets"
ON_SPHERE = [name for name, (generator, _) in SHIPPED.items() if generator == "sphere"]

# Points of these files lie outside of the unit ball, which `read_csv` warns of.
pytestmark = pytest.mark.filterwarnings("ignore:points lie up to")


@pytest.mark.parametrize("name", SHIPPED)
def test_files_are_what_the_generators_make(name):
    assert (FOLDER / f"{name}.csv").read_bytes() == dataset(name).to_csv().encode()


def test_the_command_makes_the_folder(tmp_path, capsys):
    assert main(["dataset", "--all", "-o", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{len(SHIPPED)} files in {tmp_path}\n"
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert made == {path.name: path.read_bytes() for path in FOLDER.glob("*.csv")}


def test_readme_describes_every_file():
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    listed = catalogue()
    for name, entry in listed["generators"].items():
        assert f"| `{name}` | {entry['summary']} |" in readme
    for name, entry in listed["files"].items():
        data = load(FOLDER / name)
        numbers = f"{len(data.X)} | {data.X.shape[1]} | {data.y.mean():.2f}"
        assert f"| `{name}` | {numbers} | `{entry['made by']}` |" in readme
    assert "MIT" in readme


@pytest.mark.parametrize("name", SHIPPED)
def test_files_are_read_as_data_and_as_problems(name):
    made, path = dataset(name), FOLDER / f"{name}.csv"
    for read in (load(str(path)), load(path), read_dataset(path)):
        assert read.name == name
        assert read.features == made.features
        assert np.array_equal(read.X, made.X)
        assert np.array_equal(read.y, made.y)
    for points in (read_csv(path), made.problem(), problem(f"csv:path={path}")):
        assert np.array_equal(points.X, made.X)
        assert np.array_equal(points.y, made.y == 1)


@pytest.mark.parametrize("name", [name for name in ON_SPHERE if not name.endswith("_rotated")])
def test_points_on_the_sphere_have_the_labels_of_their_problem(name):
    data, settings = dataset(name), SHIPPED[name][1]
    arcs = problem(settings["problem"], settings["dim"])
    assert np.allclose(np.linalg.norm(data.X, axis=1), 1, atol=2e-6)
    assert np.array_equal(data.y, arcs.label(data.X))
    named = settings["problem"] + (",dim=" if ":" in settings["problem"] else ":dim=")
    same = load(named + str(settings["dim"]))
    assert np.array_equal(same.X, data.X)
    assert np.array_equal(same.y, data.y)


@pytest.mark.parametrize("name", [name for name in ON_SPHERE if name.endswith("_rotated")])
def test_rotated_points_are_the_same_points_turned(name):
    askew, straight = dataset(name), dataset(name.removesuffix("_rotated"))
    assert np.array_equal(askew.y, straight.y)
    assert np.allclose(askew.X @ askew.X.T, straight.X @ straight.X.T, atol=5e-6)
    turned = np.linalg.lstsq(straight.X, askew.X, rcond=None)[0]
    assert np.abs(turned).max() < 0.999  # no axis stays an axis
    assert np.allclose(straight.X @ turned, askew.X, atol=5e-6)


def test_rotation_is_a_uniform_rotation():
    many = np.array([rotation(3, seed) for seed in range(500)])
    assert np.allclose(many @ many.transpose(0, 2, 1), np.eye(3))
    assert np.allclose(np.linalg.det(many), 1)
    assert np.abs(many.mean(axis=0)).max() < 5 / np.sqrt(3 * 500)
    assert np.allclose((many**2).mean(axis=0), 1 / 3, atol=0.08)
    assert np.array_equal(rotation(1), [[1.0]])


def test_draws_are_uniform_and_normal():
    uniform, normal = Draws("test", 1).uniform(100_000), Draws("test", 1).normal(100_000)
    assert uniform.min() > 0
    assert uniform.max() < 1
    assert uniform.mean() == pytest.approx(0.5, abs=0.005)
    assert uniform.var() == pytest.approx(1 / 12, abs=0.002)
    assert normal.mean() == pytest.approx(0, abs=0.02)
    assert normal.std() == pytest.approx(1, abs=0.02)
    assert not np.array_equal(Draws("a", 0).uniform(5), Draws("b", 0).uniform(5))


@pytest.mark.parametrize("dim", [3, 4, 5, 6])
def test_neighbouring_corners_have_different_labels(dim):
    data = dataset("cube", dim=dim)
    assert len(np.unique(data.X, axis=0)) == 2**dim
    differences = (data.X[:, None] != data.X[None]).sum(axis=2)
    assert np.array_equal(data.y[:, None] != data.y[None], differences % 2 == 1)


def test_noise_flips_its_share_of_labels():
    settings = {"n": 20_000, "seed": 3}
    clean, noisy = (dataset("half_spaces", noise=noise, **settings) for noise in (0, 0.1))
    assert np.array_equal(clean.X, noisy.X)
    assert np.mean(clean.y != noisy.y) == pytest.approx(0.1, abs=0.01)
    assert clean.y.mean() == pytest.approx(0.5, abs=0.1)
    one = dataset("half_spaces", k=1, noise=0, dim=4, n=20_000)
    assert one.y.mean() == pytest.approx(0.5, abs=0.02)


def test_shapes_without_noise():
    circles = dataset("circles", noise=0, ratio=0.25)
    radius = np.linalg.norm(circles.X, axis=1)
    assert np.allclose(radius, np.where(circles.y == 1, 0.25, 1), atol=2e-6)
    moons = dataset("moons", noise=0)
    centres = np.where(moons.y[:, None] == 1, [1, 0.5], [0, 0])
    assert np.allclose(np.linalg.norm(moons.X - centres, axis=1), 1, atol=2e-6)
    assert np.array_equal(moons.X[:, 1] > centres[:, 1], moons.y == 0)
    xor = dataset("xor", noise=0)
    assert np.array_equal(xor.X.prod(axis=1) < 0, xor.y == 1)


def test_seeds_and_parameters_in_the_name():
    assert not np.array_equal(dataset("moons").X, dataset("moons", seed=1).X)
    written = dataset("moons:n=40,noise=0.1,seed=2")
    assert written.name == "moons:n=40,noise=0.1,seed=2"
    assert np.array_equal(written.X, dataset("moons", n=40, noise=0.1, seed=2).X)
    assert dataset(dataset("sphere", rotated=True, n=9).name).to_csv().count("\n") == 10


@pytest.mark.parametrize("generator", DATASETS.values(), ids=lambda generator: generator.name)
def test_every_generator_has_defaults_and_finite_balanced_points(generator):
    data = generator()
    assert generator.summary
    assert all(default is not None for default in generator.parameters.values())
    assert np.isfinite(data.X).all()
    assert set(data.y) == {0, 1}
    assert 0.2 <= data.y.mean() <= 0.8


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("mons", {}, "moons"),
        ("moons:n", {}, "key=value"),
        ("moons:n=x", {}, "n must be an integer, got 'x'"),
        ("moons:noise=x", {}, "noise must be a number"),
        ("moons:n=5,n=6", {}, "n is given twice"),
        ("moons:n=5", {"n": 6}, "twice"),
        ("moons", {"n": 1}, "n must be an integer from 4 to"),
        ("moons", {"noise": -1}, "noise"),
        ("moons", {"noise": float("nan")}, "noise"),
        ("moons", {"dim": 3}, "no parameter 'dim'"),
        ("moons", {"seed": -1}, "seed"),
        ("circles", {"ratio": 1}, "ratio"),
        ("half_spaces", {"noise": 0.6}, "noise"),
        ("half_spaces", {"k": 0}, "k must be"),
        ("sphere:rotated=yes", {}, "rotated"),
        ("sphere", {"problem": "cube"}, "one of arcs"),
        ("sphere", {"dim": 1}, "dim"),
        ("cube", {"dim": 60}, "dim"),
    ],
)
def test_bad_names_and_parameters(name, parameters, words):
    with pytest.raises(ValueError, match=words):
        dataset(name, **parameters)


def test_load_takes_all_kinds_of_sources():
    X, y = [[0, 1], [1, 0], [2, 2]], ["a", "b", "a"]
    assert load((X, y)).classes.tolist() == ["a", "b"]
    assert load(load("moons")).name == "moons"
    assert load(problem("cube", dim=4)).X.shape == (16, 4)
    iris = load("sklearn:iris")
    assert iris.classes.tolist() == ["setosa", "versicolor", "virginica"]
    assert iris.features[0] == "sepal length (cm)"
    assert load("sklearn:digits").classes.tolist() == list(range(10))


@pytest.mark.parametrize(
    ("source", "label", "error", "words"),
    [
        ("nothing", None, ValueError, "sklearn:NAME"),
        ("sklearn:mnist", None, ValueError, "breast_cancer"),
        ("moons", "label", ValueError, "label names a column of a CSV file"),
        ("missing.csv", None, FileNotFoundError, "missing.csv"),
        (7, None, TypeError, "got 7"),
        (([[1.0]], [1, 2]), None, ValueError, "y must have shape"),
        (([[float("nan")]], [1]), None, ValueError, "finite"),
    ],
)
def test_load_refuses(source, label, error, words):
    with pytest.raises(error, match=words):
        load(source, label)


@pytest.mark.parametrize(
    ("text", "label", "words"),
    [
        ("", None, "empty"),
        ("x,y\n", None, "no points"),
        ("1,2\n3,4\n", None, "column names"),
        ("x,y\n1,a\n2,a\n", None, "at least two classes"),
        ("x,y\n1,a\n2,\n", None, "line 3: the label 'y' is missing"),
        ("x,y\n1,0.5\n2,1\n", None, "whole numbers or words, got the number 0.5"),
        ("x,y\none,a\n2,b\n", None, "line 2, column 'x'"),
        ("x,y\n1,a\n2\n", None, "line 3"),
        ("x,y\n1,a\n2,b\n", "z", "label must name a column"),
        ("y\na\nb\n", None, "besides the label"),
        ("x,x,y\n1,1,a\n", None, "more than one column"),
    ],
)
def test_bad_files(tmp_path, text, label, words):
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        read_dataset(path, label)


def test_labels_are_kept_as_they_are_written(tmp_path):
    path = tmp_path / "labels.csv"
    for labels, expected in (
        (["2", "10", "-1"], [2, 10, -1]),
        (["2", "02", "1"], ["2", "02", "1"]),
        (["1.0", "0.0", "1.0"], ["1.0", "0.0", "1.0"]),
        (["a", "1", "0.5"], ["a", "1", "0.5"]),
    ):
        rows = "".join(f"{place},{label}\n" for place, label in enumerate(labels))
        path.write_text("x,y\n" + rows, encoding="utf-8")
        assert load(path).y.tolist() == expected


def test_csv_text_is_read_back(tmp_path):
    X = [[1e-7, 1.0, -0.0], [1 / 3, 1e22, 12345.678]]
    names = ("with, comma", 'with "quotes"', "plain")
    data = Dataset(X, ["no, never", 'say "yes"'], "odd", features=names, label="kind, of")
    path = tmp_path / "odd.csv"
    path.write_text(data.to_csv(), encoding="utf-8")
    read = load(path)
    assert np.array_equal(read.X, data.X)
    assert read.y.tolist() == data.y.tolist()
    assert read.columns == data.columns


def test_data_do_not_share_memory_with_the_caller():
    X, y = np.zeros((3, 2)), np.array([0, 1, 1])
    data = Dataset(X, y)
    X[:], y[:] = 7, 7
    assert data.X.max() == 0
    assert data.y.tolist() == [0, 1, 1]
    with pytest.raises(ValueError, match="two classes"):
        Dataset(X, [0, 1, 2]).problem()
    with pytest.raises(ValueError, match="features must name the 2 columns"):
        Dataset(X, y, features=("x",))


@pytest.mark.parametrize("dim", range(1, 7))
def test_rotations_keep_lengths_and_orientation(dim):
    for seed in range(6):
        turn = rotation(dim, seed)
        assert np.allclose(turn @ turn.T, np.eye(dim))
        assert np.linalg.det(turn) == pytest.approx(1)


@pytest.mark.parametrize(("classes", "end"), [(5, "3, 4"), (6, "3, 4, ...")])
def test_five_classes_are_named(classes, end):
    y = np.arange(12) % classes
    assert Dataset(np.zeros((12, 2)), y, name="some").summary.endswith(f"classes 0, 1, 2, {end}")


@pytest.mark.parametrize("name", ["breast_cancer", "digits", "iris", "wine"])
def test_labels_of_scikit_learn_belong_to_their_rows(name):
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    data = load(f"sklearn:{name}")
    assert np.array_equal(data.X, bunch.data)
    assert [str(label) for label in data.y] == [
        str(bunch.target_names[target]) for target in bunch.target
    ]
    assert list(data.features) == list(map(str, bunch.feature_names))


def test_files_are_told_by_their_ending_whatever_its_case():
    assert _is_file("nowhere.CSV")
    assert not _is_file("nowhere.txt")
    assert not _is_file("moons")


@pytest.mark.parametrize("names", [("a",), ("a", "b", "c")])
def test_data_have_as_many_names_as_columns(names):
    with pytest.raises(ValueError, match="features must name the 2 columns of X"):
        Dataset(np.zeros((4, 2)), np.arange(4) % 2, features=names)


def test_no_more_than_a_million_points_are_drawn():
    with pytest.raises(ValueError, match="n must be an integer from 1 to 1000000, got 344478661"):
        sample(problem("half"), n=344_478_661)


@pytest.mark.parametrize("name", DATASETS)
def test_the_name_of_data_holds_what_is_unusual(name):
    usual = DATASETS[name].parameters
    assert dataset(name, **usual).name == name
    if "seed" in usual:
        assert dataset(name, **{**usual, "seed": 5}).name == f"{name}:seed=5"
