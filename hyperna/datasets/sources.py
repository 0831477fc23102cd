"""Where data come from: files, arrays, problems, scikit-learn's own sets, the generators."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hyperna._csv import CsvTable
from hyperna._validation import check_choice, check_integer
from hyperna._words import did_you_mean, shown
from hyperna.datasets.base import DATASETS, DECIMALS, MOST_POINTS, SHIPPED, Dataset, dataset
from hyperna.datasets.draws import Draws
from hyperna.problems import PROBLEMS, PointProblem, Problem, problem

# Those that come with scikit-learn and need no download.
SKLEARN = ("breast_cancer", "digits", "iris", "wine")


def load(source: Any, label: str | None = None, ignore: Iterable[str] = ()) -> Dataset:
    """Return the data set that is meant.

    Parameters
    ----------
    source
        A CSV file's path; a name from `SHIPPED` or `DATASETS`, with or without parameters; one of
        scikit-learn's sets as ``"sklearn:iris"``; a problem or its name, as in
        ``"quarter:dim=3"``, of which 300 random points of the sphere are taken unless it consists
        of points; a pair of arrays (X, y); or a `Dataset`.
    label : str, optional
        Label column of a CSV file, the last one if not given.
    ignore : iterable of str
        Columns of a CSV file that are no features.

    Examples
    --------
    >>> load("sklearn:wine").X.shape
    (178, 13)
    >>> load("quarter:dim=3")
    Dataset('quarter:dim=3': 300 points in R^3, classes 0, 1)
    """
    if isinstance(source, PathLike) or (isinstance(source, str) and _is_file(source)):
        return read_dataset(source, label, ignore)
    for argument, given in (("label", label), ("ignore", tuple(ignore))):
        if given:
            raise ValueError(
                f"{argument} names a column of a CSV file, but the data are {shown(source)}"
            )
    if isinstance(source, str):
        return _named(source)
    if isinstance(source, Dataset):
        return source
    if isinstance(source, Problem):
        return sample(source)
    if isinstance(source, tuple) and len(source) == 2:
        return Dataset(*source)
    raise TypeError(
        f"data must be a name, a path, a Dataset, a problem or a pair (X, y), got {shown(source)}"
    )


def _is_file(source: str) -> bool:
    known = source in SHIPPED or source.partition(":")[0] in {*DATASETS, *PROBLEMS, "sklearn"}
    return not known and (source.lower().endswith(".csv") or Path(source).exists())


def _named(name: str) -> Dataset:
    key, _, rest = name.partition(":")
    if key == "sklearn":
        return _from_sklearn(rest)
    if name in SHIPPED or key in DATASETS:
        return dataset(name)
    if key in PROBLEMS:
        made = sample(problem(name))
        return Dataset(made.X, made.y, name)
    if key in SKLEARN:
        hint = f"; did you mean 'sklearn:{key}'?"
    else:
        hint = did_you_mean(key, [*DATASETS, *PROBLEMS, *SHIPPED])
    raise ValueError(
        f"data must be a CSV file, sklearn:NAME, a problem ({', '.join(PROBLEMS)}) or a data set "
        f"({', '.join(DATASETS)}; all with 'hyperna dataset --list'), got {shown(name)}{hint}"
    )


def sample(source: Problem, n: int = 300, seed: int = 0) -> Dataset:
    """Return a problem's points if it consists of points, else n random points of the sphere.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> sample(problem("half"), n=100)
    Dataset('half': 100 points in R^2, classes 0, 1)
    """
    if not isinstance(source, Problem):
        raise TypeError(f"source must be a Problem, got {shown(source)}")
    if isinstance(source, PointProblem):
        return Dataset(source.X, source.y.astype(np.int64), source.name)
    n = check_integer("n", n, 1, MOST_POINTS)
    X = np.round(Draws("sphere", seed).directions(n, source.dim), DECIMALS) + 0.0
    return Dataset(X, source.label(X).astype(np.int64), source.name)


def _from_sklearn(name: str) -> Dataset:
    check_choice("sklearn data set", name, SKLEARN)
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    features = tuple(map(str, bunch.feature_names))
    labels = np.asarray(bunch.target_names)[bunch.target]
    return Dataset(bunch.data, labels, f"sklearn:{name}", features=features, label="target")


def read_dataset(
    path: str | PathLike[str], label: str | None = None, ignore: Iterable[str] = ()
) -> Dataset:
    r"""Return the labelled points of a CSV file, with any number of classes from two up.

    Parameters
    ----------
    path : str or path
        A file in UTF-8 whose first line names the columns; all but the label and those to be
        ignored hold finite numbers.
    label : str, optional
        Name of the label column, the last one if not given. Whole numbers become numbers, anything
        else stays text; numbers with fractions are refused, since they are no classes.
    ignore : iterable of str
        Names of columns that are no features.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "fruit.csv"
    ...     _ = file.write_text("size,kind\n0.9,plum\n0.4,pear\n0.2,fig\n")
    ...     read_dataset(file)
    Dataset('fruit': 3 points in R^1, classes fig, pear, plum)
    """
    table = CsvTable(path)
    label = table.header[-1] if label is None else label
    labels = table.classes(label)
    apart = [label, *(table.checked("ignore", name) for name in ignore)]
    features = tuple(table.others(apart))
    if not features:
        hint = "; columns are separated by commas" if ";" in label or "\t" in label else ""
        raise ValueError(
            f"{path} must have a column besides the label {shown(label)}, got none{hint}"
        )
    X = table.numbers(features, with_remedy=True)
    return Dataset(X, labels, Path(path).stem, "", features, label)
