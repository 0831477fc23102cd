"""Reading labelled points from CSV files."""

import csv
import math
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hyperna._validation import BoolArray, FloatArray

Row = tuple[int, list[str]]


class Table(NamedTuple):
    """Points (n, D), their labels, weights if any, the label column and its positive value."""

    points: FloatArray
    positive: BoolArray
    weight: FloatArray | None
    label: str
    positive_label: str


def read_table(
    path: str | PathLike[str], label: str | None = None, weight: str | None = None
) -> Table:
    """Read a CSV file with a line of column names; see `hyperna.problems.read_csv`."""
    header, rows = read_rows(Path(path))
    label = header[-1] if label is None else label
    columns = [label] if weight is None else [label, weight]
    for argument, name in zip(("label", "weight"), columns, strict=False):
        if name not in header:
            raise ValueError(
                f"{argument} must name a column of {path}, got {name!r}; "
                f"its columns: {', '.join(header)}"
            )
    if label == weight:
        raise ValueError(f"weight and label must be different columns of {path}, got {label!r}")
    features = [name for name in header if name not in columns]
    if not features:
        raise ValueError(f"{path} must have a column besides label and weight, got {header}")
    points = np.array(list(read_numbers(path, header, rows, features)))
    place = header.index(label)
    labels = [(line, [cells[place].strip()]) for line, cells in rows]
    positive, positive_label = _two_values(path, label, labels)
    weights = None
    if weight is not None:
        weights = np.array(list(read_numbers(path, header, rows, [weight])))[:, 0]
    return Table(points, positive, weights, label, positive_label)


def read_rows(path: Path) -> tuple[list[str], list[Row]]:
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
    _check_header(path, header)
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


def _check_header(path: Path, header: list[str]) -> None:
    if all(_number(name) is not None for name in header):
        raise ValueError(
            f"{path} must start with a line of column names, got numbers: {','.join(header)}"
        )
    repeated = [name for name in header if header.count(name) > 1]
    if repeated:
        raise ValueError(f"{path} has more than one column named {repeated[0]!r}")


def read_numbers(
    path: str | PathLike[str], header: list[str], rows: list[Row], names: list[str]
) -> Iterator[list[float]]:
    """Yield the values of some columns, row by row."""
    places = [header.index(name) for name in names]
    for line, cells in rows:
        values = []
        for place in places:
            value = _number(cells[place])
            if value is None or not math.isfinite(value):
                raise ValueError(
                    f"{path}, line {line}, column {header[place]!r}: "
                    f"expected a finite number, got {cells[place].strip()!r}"
                )
            values.append(value)
        yield values


def _two_values(path: str | PathLike[str], label: str, labels: list[Row]) -> tuple[BoolArray, str]:
    """Return which labels are the larger of the two, and that one: as numbers, if both are."""
    texts = []
    for line, (text,) in labels:
        if text.lower() in ("", "nan"):
            raise ValueError(f"{path}, line {line}: the label {label!r} is missing, got {text!r}")
        texts.append(text)
    numbers = [_number(text) for text in texts]
    values: list[Any] = texts if None in numbers else numbers
    found = sorted(set(values))
    if len(found) != 2:
        shown = ", ".join(repr(value) for value in found[:5]) + (", ..." if len(found) > 5 else "")
        raise ValueError(
            f"{path}: the label column {label!r} must hold exactly two different values, "
            f"got {len(found)}: {shown}"
        )
    positive = np.array([value == found[1] for value in values])
    return positive, texts[int(np.argmax(positive))]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
