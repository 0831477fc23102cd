"""Reading tables of labelled points from CSV files; the one reader of the package."""

import codecs
import csv
import math
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperna._validation import BoolArray, FloatArray
from hyperna._words import counted, did_you_mean, listed, shown

# What may separate columns; the first where two give as many.
SEPARATORS = (",", ";", "\t", "|")

# Texts that stand for a gap: those that pandas takes for one, and what people write.
GAPS = frozenset(
    {
        *("", "NA", "N/A", "n/a", "<NA>", "#N/A", "#N/A N/A", "#NA", "NaN", "nan", "-nan", "-NaN"),
        *("1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN", "NULL", "null", "None", "NaT"),
        "\\N",  # in exports of databases
        *("?", "-", "--", "..."),
    }
)
# A label with more values than this, most of them in one row, is no class.
MOST_CLASSES = 20

Row = tuple[int, list[str]]


class CsvTable:
    r"""A CSV file with a line of column names, whose columns are read by name.

    Parameters
    ----------
    path : str or path
        A file in UTF-8, or in UTF-16 with a mark at its beginning. Columns are separated by commas,
        semicolons, tabs or bars, whichever fits the first lines best. Names and values may be
        surrounded by spaces; empty lines are skipped. A column without a name is called by its
        place, as "column 3".

    Attributes
    ----------
    path : str
        The file.
    separator : str
        What separates its columns.
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
        self.header, self._rows, self.separator = _read(Path(path))
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

        A refusal says what takes other features of a classifier if `with_remedy`.
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
        remedy = "; read_table takes text and gaps" if with_remedy else ""
        return ValueError(
            f"{self.path}, line {line}, column {shown(self.header[place])}: "
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
        return self._as_classes(name, self.labels(name))

    def known_classes(self, name: str) -> tuple[NDArray[Any], BoolArray]:
        """Return the classes of the rows that have one, and which rows these are."""
        texts = self.texts(name)
        labelled = np.array([text not in GAPS for text in texts])
        if not labelled.any():
            raise ValueError(f"{self.path}: the label column {shown(name)} is empty")
        known = [text for text in texts if text not in GAPS]
        return self._as_classes(name, known), labelled

    def _as_classes(self, name: str, texts: list[str]) -> NDArray[Any]:
        where = f"{self.path}: the label column {shown(name)}"
        different = len(set(texts))
        if different < 2:
            raise ValueError(f"{where} must hold at least two classes, got only {shown(texts[0])}")
        if different > MOST_CLASSES and different > len(texts) / 2:
            raise ValueError(
                f"{where} must hold classes, got {different:,} different values in "
                f"{counted(len(texts), 'row')}; name another column with --label (label=)"
            )
        if all(map(_is_whole, texts)):
            return np.array([int(text) for text in texts])
        try:
            fractions = [text for text in texts if not float(text).is_integer()]
        except ValueError:
            fractions = []
        if fractions:
            raise ValueError(
                f"{where} must hold classes, whole numbers or words, got the number "
                f"{fractions[0]:.60}"
            )
        return np.array(texts)


def _read(path: Path) -> tuple[list[str], list[Row], str]:
    """Return the column names, the rows with their line numbers, and the separator."""
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; give the path of a CSV file")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory; give the path of a CSV file")
    try:
        with path.open("rb") as file:
            wide = file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        with path.open(newline="", encoding="utf-16" if wide else "utf-8-sig") as file:
            separator = _separator(file)
            file.seek(0)
            reader = csv.reader(file, delimiter=separator)
            lines = [(reader.line_num, cells) for cells in reader if any(map(str.strip, cells))]
    except (UnicodeError, csv.Error) as error:
        raise ValueError(
            f"{path} must be a CSV file in UTF-8: {error}; save it as 'CSV UTF-8'"
        ) from None
    if not lines:
        raise ValueError(f"{path} is empty; it must start with a line of column names")
    header = [cell.strip() for cell in lines[0][1]]
    if all(_number(name) is not None for name in header):
        raise ValueError(
            f"{path} must start with a line of column names, got numbers: {listed(header)}"
        )
    header = [name or f"column {place}" for place, name in enumerate(header, start=1)]
    rows = lines[1:]
    problems = [*_repeated_names(header), *_ragged_lines(header, rows)]
    if not rows:
        problems.append("it has column names but no points below them")
    if problems:
        raise ValueError(f"{path}: {'; '.join(problems)}")
    return header, rows, separator


def _separator(file: Any) -> str:
    """Return what separates the columns in the first lines of a file.

    It gives the first line more than one cell and most others as many; among several of these it is
    the one with the most cells.
    """
    lines = [*islice(filter(str.strip, file), 20)]
    best, best_score = SEPARATORS[0], (0, 0)
    for mark in SEPARATORS:
        if not lines or mark not in lines[0]:
            continue
        with suppress(csv.Error):  # a piece of a line is too long for a cell
            sizes = [len(cells) for cells in csv.reader(lines, delimiter=mark)]
            score = sizes.count(sizes[0]), sizes[0]
            if sizes[0] > 1 and score > best_score:
                best, best_score = mark, score
    return best


def _repeated_names(header: list[str]) -> list[str]:
    repeated = [name for name, times in Counter(header).items() if times > 1]
    return [f"more than one column named {listed(map(shown, repeated), 5)}"] if repeated else []


def _ragged_lines(header: list[str], rows: list[Row]) -> list[str]:
    """Return what is wrong with lines that have more or fewer values than names."""
    ragged = [(line, len(cells)) for line, cells in rows if len(cells) != len(header)]
    if not ragged:
        return []
    expected = f"expected {counted(len(header), 'value')} like the first line"
    if len(ragged) == 1:
        return [f"line {ragged[0][0]}: {expected}, got {ragged[0][1]}"]
    lines = listed([str(line) for line, _ in ragged], 5)
    sizes = listed(map(str, sorted({size for _, size in ragged})), 5)
    return [f"lines {lines}: {expected}, got {sizes}"]


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
