"""Reading tables of labelled points from CSV files; the one reader of the package."""

import csv
import math
from collections import Counter
from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperna._validation import FloatArray
from hyperna._words import did_you_mean, listed, shown

Row = tuple[int, list[str]]


class CsvTable:
    r"""A CSV file with a line of column names, whose columns are read by name.

    Parameters
    ----------
    path : str or path
        A file in UTF-8. Names and values may be surrounded by spaces; empty lines are skipped.

    Attributes
    ----------
    path : str
        The file.
    header : list of str
        Names of its columns.
    cells : list of lists of str
        Its rows as they are written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "fruit.csv").write_text("size,kind\n0.9,plum\n0.4,pear\n")
    ...     fruit = CsvTable(f"{folder}/fruit.csv")
    >>> fruit.numbers(["size"]).tolist(), fruit.labels("kind")
    ([[0.9], [0.4]], ['plum', 'pear'])
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = fspath(path)
        self.header, self._rows = _read(Path(path))
        self._place = {name: place for place, name in enumerate(self.header)}

    @property
    def cells(self) -> list[list[str]]:
        """Every row as it is written."""
        return [cells for _, cells in self._rows]

    def checked(self, argument: str, name: str) -> str:
        """Return the name of a column if there is one, else say which there are."""
        if name not in self._place:
            raise ValueError(
                f"{argument} must name a column of {self.path}, got {shown(name)}"
                f"{did_you_mean(name, self.header[:1000])}; its columns: {listed(self.header)}"
            )
        return name

    def others(self, names: Iterable[str]) -> list[str]:
        """Return all columns but the ones named."""
        apart = set(names)
        return [name for name in self.header if name not in apart]

    def texts(self, name: str) -> list[str]:
        """Return a column as it is written, without surrounding spaces."""
        place = self._place[name]
        return [cells[place].strip() for _, cells in self._rows]

    def numbers(self, names: Iterable[str], with_remedy: bool = False) -> FloatArray:
        """Return columns of finite numbers as an array (n, number of columns).

        A refusal says what to do about features of a classifier if `with_remedy`.
        """
        places = [self._place[self.checked("features", name)] for name in names]
        try:
            rows = [[float(cells[place]) for place in places] for _, cells in self._rows]
        except ValueError:
            raise self._no_number(places, with_remedy) from None
        values = np.array(rows).reshape(len(self._rows), len(places))
        if not np.isfinite(values).all():
            raise self._no_number(places, with_remedy)
        return values

    def _no_number(self, places: list[int], with_remedy: bool) -> ValueError:
        """Return the error that names the first cell without a finite number."""
        line, place, text = next(
            (line, place, cells[place].strip())
            for line, cells in self._rows
            for place in places
            if not _is_finite(cells[place])
        )
        column, remedy = shown(self.header[place]), ""
        if with_remedy:
            missing = not text or _number(text) is not None
            way = "fill the gaps (SimpleImputer)" if missing else "encode it (OneHotEncoder)"
            remedy = f"; leave the column out (--ignore {column}) or {way} in Python"
        return ValueError(
            f"{self.path}, line {line}, column {column}: "
            f"expected a finite number, got {shown(text)}{remedy}"
        )

    def labels(self, name: str) -> list[str]:
        """Return a column of which no value is missing."""
        texts = self.texts(self.checked("label", name))
        for (line, _), text in zip(self._rows, texts, strict=True):
            if text.lower() in ("", "nan"):
                raise ValueError(
                    f"{self.path}, line {line}: the label {shown(name)} is missing, got {text!r}"
                )
        return texts

    def classes(self, name: str) -> NDArray[Any]:
        """Return a column of at least two classes: whole numbers if all are, else text."""
        texts = self.labels(name)
        if len(set(texts)) < 2:
            raise ValueError(
                f"{self.path}: the label column {shown(name)} must hold at least two classes, "
                f"got only {shown(texts[0])}"
            )
        if all(map(_is_whole, texts)):
            return np.array([int(text) for text in texts])
        try:
            fractions = [text for text in texts if not float(text).is_integer()]
        except ValueError:
            fractions = []
        if fractions:
            raise ValueError(
                f"{self.path}: the label column {shown(name)} must hold classes, whole numbers or "
                f"words, got the number {fractions[0]:.60}"
            )
        return np.array(texts)


def _read(path: Path) -> tuple[list[str], list[Row]]:
    """Return the column names and the rows with their line numbers."""
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; give the path of a CSV file")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory; give the path of a CSV file")
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file)
            lines = [(reader.line_num, cells) for cells in reader if any(map(str.strip, cells))]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path} must be a CSV file in UTF-8: {error}") from None
    if not lines:
        raise ValueError(f"{path} is empty; it must start with a line of column names")
    header = [cell.strip() for cell in lines[0][1]]
    if all(_number(name) is not None for name in header):
        raise ValueError(
            f"{path} must start with a line of column names, got numbers: {listed(header)}"
        )
    name, times = Counter(header).most_common(1)[0]
    if times > 1:
        raise ValueError(f"{path} has more than one column named {shown(name)}")
    rows = lines[1:]
    if not rows:
        raise ValueError(f"{path} has column names but no points below them")
    for line, cells in rows:
        if len(cells) != len(header):
            raise ValueError(
                f"{path}, line {line}: expected {len(header)} values like the first line, "
                f"got {len(cells)}"
            )
    return header, rows


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _is_finite(text: str) -> bool:
    value = _number(text)
    return value is not None and math.isfinite(value)


def _is_whole(text: str) -> bool:
    """Whether a text is an integer as Python writes it, so that it is written back the same."""
    try:
        return str(int(text)) == text and abs(int(text)) < 2**53
    except ValueError:
        return False
