"""Problems that are finite sets of labelled points."""

import hashlib
import warnings
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from hyperna._csv import CsvTable
from hyperna._validation import (
    BoolArray,
    FloatArray,
    IntArray,
    check_flag,
    check_integer,
    check_labels,
    check_points,
    check_reals,
)
from hyperna._words import counted, listed, shown
from hyperna.network.neurons import is_bent
from hyperna.problems.base import Problem, check_network, register

# 2**20 corners with 20 coordinates take 168 MB.
LARGEST_CUBE = 20
# Distance from the origin from which points are out of the half-spaces' reach; rounding is allowed.
_BEYOND = 1.001


@dataclass(frozen=True, eq=False, repr=False)
class PointProblem(Problem):
    """A finite set of labelled points, each with a weight.

    A neuron's bias lies in [-1, 1] and its normal has length 1, so only points in the unit ball can
    be separated freely; `scaled` moves the points there.

    Parameters
    ----------
    X : array_like of shape (n, D)
        The points, one per row.
    y : array_like of shape (n,)
        Labels, booleans or 0 and 1.
    weight : array_like of shape (n,), optional
        Non-negative weights of the points, not all zero; by default all points weigh the same.
    name, summary : str, optional
        Name of the problem, and a one-line description.
    default_neurons : int
        Default number of hidden neurons.

    Examples
    --------
    >>> xor = PointProblem([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], name="xor")
    >>> xor.dim, xor.label([[0, 1]])
    (2, array([ True]))
    """

    X: FloatArray
    y: BoolArray
    weight: FloatArray | None = None
    name: str = "points"
    summary: str = ""
    default_neurons: int = 1

    def __post_init__(self) -> None:
        points = check_points("X", self.X).copy()
        labels = check_labels("y", self.y, len(points))
        object.__setattr__(self, "X", points)
        object.__setattr__(self, "y", labels)
        if self.weight is not None:
            object.__setattr__(self, "weight", check_weights("weight", self.weight, len(points)))
        check_integer("default_neurons", self.default_neurons, 1)
        if not self.summary:
            object.__setattr__(self, "summary", _numbers_of_points(points, labels))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}: {self.summary})"

    @property
    def dim(self) -> int:  # type: ignore[override]
        """Dimension of the points."""
        return int(self.X.shape[1])

    def label(self, X: ArrayLike) -> BoolArray:
        """Return the labels of points of the set.

        Other points have no label, nor have points that occur with both labels: a ValueError.
        """
        wanted = check_points("X", X, self.dim)
        labels = [self._labels.get(_key(point)) for point in wanted]
        if None in labels:
            point = wanted[labels.index(None)].tolist()
            raise ValueError(f"X must hold points of {self.name!r} with one label, got {point}")
        return np.array(labels, dtype=np.bool_)

    @cached_property
    def _labels(self) -> dict[bytes, bool | None]:
        found: dict[bytes, bool | None] = {}
        for point, label in zip(self.X, self.y.tolist(), strict=True):
            key = _key(point)
            found[key] = label if found.get(key, label) == label else None
        return found

    def scaled(self) -> Self:
        """Return the same points shifted and shrunk or stretched into the unit ball.

        The middle of the bounding box becomes the origin and the farthest point gets length 1.

        Examples
        --------
        >>> PointProblem([[0, 0], [6, 8]], [0, 1]).scaled().X
        array([[-0.6, -0.8],
               [ 0.6,  0.8]])
        """
        low, high = self.X.min(axis=0), self.X.max(axis=0)
        centred = self.X - (low / 2 + high / 2)
        largest = float(np.abs(centred).max()) or 1.0
        centred /= largest
        farthest = float(np.sqrt((centred**2).sum(axis=1).max())) or 1.0
        return replace(self, X=centred / farthest)


@dataclass(frozen=True, eq=False, repr=False)
class CubeCorners(PointProblem):
    """Corners of a cube on the unit sphere, positive if an odd number of coordinates is."""

    name: str = "cube"

    def best_fitness(
        self, neurons: int, output: str = "or", *, bias: bool = True, neuron: str = "plain"
    ) -> float | None:
        """Return 1 where enough neurons are known to suffice, else None.

        An OR needs a neuron for each of the 2^(D-1) positive corners at most, an AND one for each
        negative corner; an evolved output does with D, which count the positive coordinates, and so
        does an XOR. An XOR needs no biases, and neither does an OR or AND of bent neurons.
        """
        neurons, output = check_network(neurons, output)
        bent = is_bent(neuron, "the best fitness on a cube")
        around_corners = bent and output in ("or", "and")
        if not (bias or around_corners or output == "xor"):
            return None
        few, many = self.dim, 2 ** (self.dim - 1)
        enough = {"or": many, "and": many, "xor": few, "evolved": few}.get(output)
        return 1.0 if enough is not None and neurons >= enough else None


def _numbers_of_points(X: FloatArray, y: BoolArray) -> str:
    """Return how many points there are, and how many are positive, in words."""
    count = counted(len(X), "point", "d")
    return f"{count} in R^{X.shape[1]}, {int(y.sum())} of them positive"


def check_weights(name: str, weight: ArrayLike, n: int) -> FloatArray:
    """Return n finite, non-negative weights that are not all zero, as a new array."""
    weights = check_reals(name, weight, (n,)).copy()
    if weights.min() < 0:
        raise ValueError(f"{name} must not be negative, got {weights.min()}")
    if not weights.any():
        raise ValueError(f"{name} must not be all zero, got {n} zeros")
    return weights


def points_digest(X: FloatArray, y: BoolArray, weight: FloatArray | IntArray | None) -> str:
    """Return a digest of points, labels and weights, the same on every machine.

    Examples
    --------
    >>> points_digest(np.zeros((1, 2)), np.array([True]), None)
    'a2229858adb24bfe525f920af6ccf669'
    """
    digest = hashlib.sha256(str(X.shape).encode())
    for array in (X, y, weight):
        if array is not None:
            digest.update(array.astype(array.dtype.newbyteorder("<"), order="C").tobytes())
    return digest.hexdigest()[:32]


def out_of_reach(X: FloatArray) -> str | None:
    """Return what is wrong with points that half-spaces cannot separate freely, None if nothing is.

    Examples
    --------
    >>> out_of_reach(np.array([[0.6, 0.8]])) is None
    True
    >>> out_of_reach(np.array([[3.0, 4.0]]))
    'points lie up to 5 from the origin but half-spaces at most 1'
    """
    farthest = float(np.hypot.reduce(X, axis=1).max())
    if farthest <= _BEYOND:
        return None
    return f"points lie up to {farthest:.3g} from the origin but half-spaces at most 1"


def _warn_of_distance(found: PointProblem) -> None:
    """Warn the caller of a public function of points that are out of reach."""
    wrong = out_of_reach(found.X)
    if wrong is not None:
        warnings.warn(f"{wrong}; scale=True moves the points into the unit ball", stacklevel=3)


def points(
    X: ArrayLike,
    y: ArrayLike,
    weight: ArrayLike | None = None,
    name: str = "points",
    *,
    positive: Any = None,
    scale: bool = False,
) -> PointProblem:
    """Return the problem of labelled points (X, y).

    Points outside the unit ball are out of the half-spaces' reach: a warning says so.

    Parameters
    ----------
    X, weight, name
        As in `PointProblem`.
    y : array_like of shape (n,)
        Labels: booleans or 0 and 1, or two different texts; with `positive` any two values.
    positive : optional
        Which of two labels is positive; of texts the larger one if not given, as in `read_csv`.
    scale : bool
        Whether to move the points into the unit ball, see `PointProblem.scaled`.

    Examples
    --------
    >>> points([[0.0, 1.0], [0.0, -1.0]], [True, False]).summary
    '2 points in R^2, 1 of them positive'
    >>> points([[0.4], [0.9]], ["plum", "pear"], positive="pear").y
    array([False,  True])
    """
    labels = list(y) if isinstance(y, Iterable) and not isinstance(y, str) else []
    if positive is not None or (labels and all(isinstance(label, str) for label in labels)):
        y, _ = _positive_of_two(labels, positive, "y", "of y")
    made = PointProblem(X, y, weight, name)  # type: ignore[arg-type]
    if check_flag("scale", scale):
        made = made.scaled()
    _warn_of_distance(made)
    return made


@register("cube", "corners of a cube, positive if an odd number of coordinates is positive")
def cube(dim: int = 3) -> PointProblem:
    """Return the 2^D corners (±1, .., ±1)/sqrt(D), labelled by parity.

    For D = 3 the positive corners are four of which no two are neighbours.

    Examples
    --------
    >>> corners = cube(dim=2)
    >>> corners.X.round(3).tolist()
    [[-0.707, -0.707], [-0.707, 0.707], [0.707, -0.707], [0.707, 0.707]]
    >>> corners.y.tolist()
    [False, True, True, False]
    """
    dim = check_integer("dim", dim, 1, LARGEST_CUBE)
    index = np.arange(2**dim)[:, np.newaxis]
    ones = (index >> np.arange(dim)[::-1]) & 1
    corners = (2 * ones - 1) / np.sqrt(dim)
    return CubeCorners(corners, ones.sum(axis=1) % 2 == 1, default_neurons=2 ** (dim - 1))


@register("csv", "labelled points from a CSV file, e.g. path=flowers.csv,label=species")
def read_csv(
    path: str | PathLike[str],
    label: str | None = None,
    weight: str | None = None,
    scale: bool = False,
    *,
    positive: str | None = None,
) -> PointProblem:
    r"""Return the labelled points of a CSV file.

    Parameters
    ----------
    path : str or path
        A file in UTF-8 whose first line names the columns. All columns besides label and weight
        are coordinates and hold finite numbers.
    label : str, optional
        Name of the label column, the last one if not given. It holds two different values.
    weight : str, optional
        Name of a column with weights; without it all points count alike.
    scale : bool
        Whether to move the points into the unit ball, see `PointProblem.scaled`.
    positive : str, optional
        Which of the two labels is positive; the larger one if not given (as numbers if both are
        numbers, else in alphabetical order, so 1 beats 0 and "yes" beats "no").

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "fruit.csv"
    ...     _ = file.write_text("length,width,kind\n0.9,0.2,banana\n0.4,0.4,pear\n")
    ...     fruit = read_csv(file)
    >>> fruit.name, fruit.y.tolist(), fruit.summary
    ('fruit', [False, True], "2 points in R^2, 1 of them positive (kind = 'pear')")
    """
    found = file_of_points(path, label, weight, scale, positive=positive)
    _warn_of_distance(found)
    return found


def file_of_points(
    path: str | PathLike[str],
    label: str | None,
    weight: str | None,
    scale: bool,
    *,
    positive: str | None,
) -> PointProblem:
    """Read a file as `read_csv` does, without a warning."""
    table = CsvTable(path)
    label = table.header[-1] if label is None else label
    columns = [table.checked("label", label)]
    if weight is not None:
        columns.append(table.checked("weight", weight))
    if label == weight:
        raise ValueError(
            f"weight and label must be different columns of {path}, got {shown(label)}"
        )
    features = table.others(columns)
    if not features:
        raise ValueError(f"{path} must have a column besides label and weight, got none")
    X = table.numbers(features)
    is_positive, value = _positive_of_two(
        table.labels(label),
        positive,
        what=f"{path}: the label column {shown(label)}",
        place=f"in column {shown(label)} of {path}",
    )
    weights = None if weight is None else table.numbers([weight])[:, 0]
    summary = f"{_numbers_of_points(X, is_positive)} ({label} = {value!r})"
    found = PointProblem(X, is_positive, weights, Path(path).stem, summary)
    return found.scaled() if scale else found


def _positive_of_two(
    labels: list[Any], positive: Any, what: str, place: str
) -> tuple[BoolArray, Any]:
    """Return which labels are positive, and that label, the larger one if none is given.

    They are compared as numbers if both are. `what` holds them, and `place` says where they are.
    """
    values = labels
    with suppress(ValueError, TypeError):
        numbers = [float(label) for label in labels]
        values = labels if np.isnan(numbers).any() else numbers
    if any(label != label for label in labels):
        raise ValueError(f"{what} must hold two different values, got NaN")
    try:
        found = sorted(set(values))
    except TypeError:
        raise ValueError(f"{what} must hold labels of one kind, got {shown(labels)}") from None
    if len(found) != 2:
        raise ValueError(
            f"{what} must hold exactly two different values, "
            f"got {len(found)}: {listed(map(repr, found), 5)}"
        )
    larger = np.array([value == found[1] for value in values])
    names = [labels[int(np.argmax(larger == side))] for side in (False, True)]
    if positive is not None and positive not in labels:
        raise ValueError(
            f"positive must be one of the labels {shown(names[0])} and {shown(names[1])} {place}, "
            f"got {shown(positive)}"
        )
    chosen = larger if positive is None else larger == larger[labels.index(positive)]
    return chosen, labels[int(np.argmax(chosen))]


def _key(point: FloatArray) -> bytes:
    return (point + 0.0).tobytes()  # -0.0 and 0.0 are the same coordinate
