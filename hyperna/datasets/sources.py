"""Where data come from: files, arrays, problems, scikit-learn's own sets, the generators."""

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hyperna._csv import CsvTable
from hyperna._validation import check_choice, check_integer
from hyperna._words import did_you_mean, listed, shown
from hyperna.datasets.base import (
    DATASETS,
    DECIMALS,
    MOST_POINTS,
    SHIPPED,
    Dataset,
    Table,
    dataset,
)
from hyperna.datasets.draws import Draws
from hyperna.problems import PROBLEMS, PointProblem, Problem, problem
from hyperna.tables.columns import check_kinds, plain_cells, wrong_kinds
from hyperna.tables.reader import columns_of

# Those that come with scikit-learn and need no download.
SKLEARN = ("breast_cancer", "digits", "iris", "wine")


def load(
    source: Any,
    label: str | None = None,
    ignore: Iterable[str] = (),
    kinds: Mapping[str, str] | None = None,
) -> Dataset | Table:
    """Return the data that are meant: a `Dataset` of numbers, or a `Table` of anything.

    Parameters
    ----------
    source
        A CSV file's path; a name from `SHIPPED` or `DATASETS`, with or without parameters; one of
        scikit-learn's sets as ``"sklearn:iris"``; a problem or its name, as in
        ``"quarter:dim=3"``, of which 300 random points of the sphere are taken unless it consists
        of points; a pair (X, y) of arrays, or of a data frame and classes; a `Dataset` or `Table`.
    label : str, optional
        Label column of a CSV file, the last one if not given.
    ignore : iterable of str
        Columns of a CSV file that are no features.
    kinds : dict of str to str, optional
        What columns of a CSV file are; see `hyperna.tables.TableReader`.

    Examples
    --------
    >>> load("sklearn:wine").X.shape
    (178, 13)
    >>> load("quarter:dim=3")
    Dataset('quarter:dim=3': 300 points in R^3, classes 0, 1)
    """
    if isinstance(source, PathLike) or (isinstance(source, str) and _is_file(source)):
        return as_numbers(read_table(source, label, ignore, kinds))
    for argument, given in (("label", label), ("ignore", tuple(ignore)), ("kinds", kinds)):
        if given:
            raise ValueError(
                f"{argument} names a column of a CSV file, but the data are {shown(source)}"
            )
    if isinstance(source, str):
        return _named(source)
    if isinstance(source, Dataset | Table):
        return source
    if isinstance(source, Problem):
        return sample(source)
    if isinstance(source, tuple) and len(source) == 2:
        X, y = source
        if not hasattr(X, "columns"):
            return Dataset(X, y)
        columns = columns_of(X)
        cells = np.empty((len(np.asarray(y)), len(columns)), dtype=object)
        for place, values in enumerate(columns.values()):
            cells[:, place] = plain_cells(values)
        return as_numbers(Table(cells, np.asarray(y), tuple(columns), "data"))
    raise TypeError(
        f"data must be a name, a path, a Dataset, a problem or a pair (X, y), got {shown(source)}"
    )


def as_numbers(table: Table) -> Dataset | Table:
    """Return a table as a data set, if all its cells are plain numbers and none is left out.

    A table without any column to learn from is a ValueError.
    """
    reader = table.encoder()[0]
    try:
        X = table.X.astype(float)
    except (TypeError, ValueError):  # text, gaps, or numbers such as "$3"
        X = None
    if X is None or not np.isfinite(X).all():
        reader.check(table.X)
        return table
    reader.fit(table.X)
    plain = all(column.kind == "number" and column.form == "." for column in reader.columns_)
    if not plain or not np.array_equal(reader.transform(table.X), X):
        return table
    return Dataset(X, table.y, table.name, "", table.features, table.label)


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


def read_table(
    path: str | PathLike[str],
    label: str | None = None,
    ignore: Iterable[str] = (),
    kinds: Mapping[str, str] | None = None,
) -> Table:
    r"""Return the labelled rows of a CSV file with columns of any kind.

    Parameters
    ----------
    path : str or path
        A file whose first line names the columns.
    label : str, optional
        Name of the label column, the last one if not given. Whole numbers become numbers, anything
        else stays text. Rows without a label are left out.
    ignore : iterable of str
        Names of columns that are no features.
    kinds : dict of str to str, optional
        What columns are; see `hyperna.tables.TableReader`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "fruit.csv"
    ...     _ = file.write_text("colour,size,kind\nred,0.9,plum\nblue,,plum\nred,0.2,fig\n,1,\n")
    ...     read_table(file)
    Table('fruit': 3 rows, 2 columns, classes fig, plum; 1 row without 'kind' is left out)
    """
    table = CsvTable(path)
    label = table.header[-1] if label is None else label
    ignored = [*ignore]
    known = {} if kinds is None else kinds
    if not isinstance(known, Mapping):
        known = check_kinds(kinds)  # which says what it must be
    features = table.others([label])
    problems = []
    for argument, names in (("label", [label]), ("ignore", ignored), ("kinds", known)):
        unknown = [name for name in names if name not in table.header]
        if unknown:
            hint = did_you_mean(unknown[0], table.header[:1000])
            given = f"{listed(map(shown, unknown), 5)}{hint}"
            problems.append(f"{argument} must name a column, got {given}")
        elif argument != "label" and label in names:
            problems.append(f"{argument} must not name the label {shown(label)}")
    if problems:
        problems.append(f"its columns: {listed(table.header)}")
    wrong = wrong_kinds(known)
    if wrong:
        problems.append(wrong)
    if not features:
        problems.append(f"it must have a column besides the label {shown(label)}, got none")
    classes: Any = None
    labelled: Any = None
    if label in table.header:
        try:
            classes, labelled = table.known_classes(label)
        except ValueError as error:
            problems.append(str(error).removeprefix(f"{table.path}: "))
    if problems:
        raise ValueError(f"{path}: {'; '.join(problems)}")
    columns = [table.texts(name) for name in features]
    X = np.empty((len(table.cells), len(features)), dtype=object)
    for place, column in enumerate(columns):
        X[:, place] = column
    return Table(
        X[labelled],
        classes,
        tuple(features),
        Path(path).stem,
        label,
        check_kinds(known),
        tuple(ignored),
        unlabelled=int((~labelled).sum()),
        separator=table.separator,
    )


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
