"""What a data set is, and the registry of generators."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hyperna._validation import FloatArray, check_points, read_value
from hyperna._words import (
    are,
    counted,
    did_you_mean,
    list_item,
    listed,
    parse_name,
    shown,
    write_name,
)
from hyperna.problems import PointProblem

# Digits after the point of generated coordinates: enough for any classifier, few enough
# that the last bits of sine and cosine, which differ between machines, never show.
DECIMALS = 6
MOST_POINTS = 1_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Labelled points: n rows of D numbers, each with a class.

    Parameters
    ----------
    X : array_like of shape (n, D)
        The points, one per row.
    y : array_like of shape (n,)
        Their classes, whole numbers or words.
    name, summary : str
        Name of the data set, and a one-line description.
    features : sequence of str, optional
        Names of the D columns, ``x1`` to ``xD`` if not given.
    label : str
        Name of the column of classes.

    Examples
    --------
    >>> data = Dataset([[0.0, 1.0], [2.0, 3.5]], ["pear", "plum"], name="fruit", label="kind")
    >>> data
    Dataset('fruit': 2 points in R^2, classes pear, plum)
    >>> print(data.to_csv(), end="")
    x1,x2,kind
    0,1,pear
    2,3.5,plum
    """

    X: FloatArray
    y: NDArray[Any]
    name: str = "data"
    summary: str = ""
    features: tuple[str, ...] = ()
    label: str = "label"

    def __post_init__(self) -> None:
        points = check_points("X", self.X).copy()
        labels = np.array(self.y)
        if labels.shape != (len(points),):
            raise ValueError(f"y must have shape ({len(points)},), got shape {labels.shape}")
        features = tuple(self.features) or tuple(f"x{j + 1}" for j in range(points.shape[1]))
        if len(features) != points.shape[1]:
            raise ValueError(
                f"features must name the {counted(points.shape[1], 'column')} of X, "
                f"got {counted(len(features), 'name')}"
            )
        for name, value in (("X", points), ("y", labels), ("features", features)):
            object.__setattr__(self, name, value)
        if not self.summary:
            names = [list_item(str(value)) for value in self.classes]
            shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
            count = counted(len(points), "point", "d")
            text = f"{count} in R^{points.shape[1]}, classes {shown}"
            object.__setattr__(self, "summary", text)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}: {self.summary})"

    @property
    def classes(self) -> NDArray[Any]:
        """The different classes, sorted."""
        return np.unique(self.y)

    def problem(self) -> PointProblem:
        """Return the points as a problem for the (1+1) NA: the larger of two classes is positive.

        Examples
        --------
        >>> dataset("moons").problem().summary
        '300 points in R^2, 150 of them positive'
        """
        classes = self.classes
        if len(classes) != 2:
            raise ValueError(
                f"a problem needs data of exactly two classes, got {len(classes)} in {self.name!r}"
            )
        return PointProblem(self.X, self.y == classes[1], name=self.name)

    def to_csv(self) -> str:
        """Return the text of a CSV file: column names, then a line per point, class last."""
        rows = zip(self.X.tolist(), self.y.tolist(), strict=True)
        lines = [[*map(_number, row), str(label)] for row, label in rows]
        return "".join(f"{','.join(map(_cell, line))}\n" for line in [self.columns, *lines])

    @property
    def columns(self) -> list[str]:
        """Names of all columns of the CSV file."""
        return [*self.features, self.label]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Labelled rows of a table of any kind: numbers, texts, dates, gaps.

    Parameters
    ----------
    X : array_like of shape (rows, columns)
        The cells as they are.
    y : array_like of shape (rows,)
        The classes, whole numbers or words.
    features : sequence of str
        Names of the columns.
    name, label : str
        Name of the table, and of the column of classes.
    kinds, ignore
        What is known about columns; see `hyperna.tables.TableReader`.
    unlabelled : int
        Rows that were left out since they have no class.
    separator : str
        What separates the columns of the file, "" if it is no file.

    Examples
    --------
    >>> table = Table([["red", 4], ["blue", None]], ["plum", "fig"], ["colour", "size"], "fruit")
    >>> table
    Table('fruit': 2 rows, 2 columns, classes fig, plum)
    """

    X: NDArray[Any]
    y: NDArray[Any]
    features: tuple[str, ...]
    name: str = "table"
    label: str = "label"
    kinds: Mapping[str, str] = field(default_factory=dict)
    ignore: tuple[str, ...] = ()
    unlabelled: int = 0
    separator: str = ""

    def __post_init__(self) -> None:
        X = np.array(self.X, dtype=object)
        y = np.array(self.y)
        if X.ndim != 2 or X.shape[1] != len(self.features):
            raise ValueError(f"X must have {len(self.features)} columns, got shape {X.shape}")
        if y.shape != (len(X),):
            raise ValueError(f"y must have shape ({len(X)},), got shape {y.shape}")
        for name, value in (("X", X), ("y", y), ("features", tuple(self.features))):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}: {self.summary})"

    @property
    def classes(self) -> NDArray[Any]:
        """The different classes, sorted."""
        return np.unique(self.y)

    @property
    def summary(self) -> str:
        """Its shape and its classes."""
        rows = counted(len(self.X), "row", "d")
        classes = listed([list_item(str(value)) for value in self.classes], 5)
        text = f"{rows}, {counted(len(self.features), 'column')}, classes {classes}"
        if self.unlabelled:
            without = counted(self.unlabelled, "row")
            text += f"; {without} without {shown(self.label)} {are(self.unlabelled)} left out"
        return text

    def encoder(self) -> Any:
        """Return an unfitted `hyperna.tables.table_encoder` for the columns."""
        from hyperna.tables import table_encoder

        return table_encoder(
            kinds=self.kinds, ignore=self.ignore, names=self.features, separator=self.separator
        )


def _number(value: float) -> str:
    """Return the shortest text that reads as the same number: 2, 0.25, 1e-07."""
    return repr(value + 0.0).removesuffix(".0")


def _cell(text: str) -> str:
    """Quote a cell as CSV requires."""
    if any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


@dataclass(frozen=True)
class Generator:
    """An entry of `DATASETS`: call it with parameters to generate the data.

    Examples
    --------
    >>> DATASETS["moons"].parameters
    {'n': 300, 'noise': 0.2, 'seed': 0}
    >>> DATASETS["moons"](n=10).X.shape
    (10, 2)
    """

    name: str
    summary: str
    build: Callable[..., tuple[FloatArray, ArrayLike]]

    @property
    def parameters(self) -> dict[str, Any]:
        """Names of the parameters and their defaults."""
        signature = inspect.signature(self.build).parameters
        return {name: entry.default for name, entry in signature.items()}

    def __call__(self, **parameters: Any) -> Dataset:
        """Generate the data, rounded to the digits that their file has."""
        known = self.parameters
        for given in parameters:
            if given not in known:
                raise ValueError(
                    f"data set {self.name!r} has no parameter {shown(given)}; "
                    f"its parameters: {', '.join(known)}{did_you_mean(given, known)}"
                )
        X, y = self.build(**parameters)
        changed = {key: value for key, value in parameters.items() if value != known[key]}
        name = write_name(self.name, changed)
        return Dataset(np.round(X, DECIMALS) + 0.0, np.asarray(y).astype(np.int64), name)


DATASETS: dict[str, Generator] = {}
# Variants that lie as files in the folder datasets/: name of the file -> generator, parameters.
SHIPPED: dict[str, tuple[str, dict[str, Any]]] = {}

Build = Callable[..., tuple[FloatArray, ArrayLike]]


def register(
    name: str, summary: str, shipped: Mapping[str, dict[str, Any]] | None = None
) -> Callable[[Build], Build]:
    """Enter the decorated generator into `DATASETS`; nothing else is needed to add one.

    The generator has a default for each parameter and returns points and labels 0 and 1. Its
    variants in ``shipped`` get a file of that name; without any, one file with the defaults.
    """

    def enter(build: Build) -> Build:
        DATASETS[name] = Generator(name, summary, build)
        variants = {name: {}} if shipped is None else shipped
        SHIPPED.update({stem: (name, dict(settings)) for stem, settings in variants.items()})
        return build

    return enter


def dataset(name: str, **parameters: Any) -> Dataset:
    """Generate the data set of this name.

    Parameters
    ----------
    name : str
        A key of `SHIPPED` or `DATASETS`, the latter optionally followed by parameters as in
        ``"moons:n=100,noise=0.1"``.
    **parameters
        Parameters of the generator; see ``DATASETS[name].parameters``.

    Examples
    --------
    >>> dataset("circles:n=50").X.shape
    (50, 2)
    >>> dataset("cube_d4")
    Dataset('cube_d4': 16 points in R^4, classes 0, 1)
    """
    if not isinstance(name, str):
        raise TypeError(f"data set must be a name such as 'moons', got {shown(name)}")
    if name in SHIPPED and name not in DATASETS:
        generator, settings = SHIPPED[name]
        made = DATASETS[generator](**{**settings, **parameters})
        return made if parameters else replace(made, name=name)
    key, texts = parse_name("data set", name)
    generator_of = DATASETS.get(key)
    if generator_of is None:
        known = [*DATASETS, *(stem for stem in SHIPPED if stem not in DATASETS)]
        hint = did_you_mean(key, known)
        raise ValueError(f"data set must be one of {', '.join(known)}, got {shown(name)}{hint}")
    defaults = generator_of.parameters
    written = {
        given: read_value(given, text, type(defaults.get(given, text)))
        for given, text in texts.items()
    }
    twice = sorted(written.keys() & parameters.keys())
    if twice:
        raise ValueError(f"{twice[0]} is given twice: in {name!r} and as an argument")
    return generator_of(**written, **parameters)
