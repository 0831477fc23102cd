"""Runs in the file format of IOHanalyzer, written from what is known about them.

A cell (one function, one algorithm) is a folder::

    IOHprofiler_f50314_quarter.json                       who, what, and one entry a run
    data_f50314_quarter/IOHprofiler_f50314_DIM2.dat       a row for every improvement of every run

Values have all digits a float has, where the logger of ``ioh`` keeps ten. Beside ``raw_y``, the
fitness, stands ``success``: 1 in the last row of a run that succeeded. Success may mean to be next
to an optimum, which no value of the fitness says; as a target to be reached, ``success = 1`` gives
the running times and success shares of hyperna.
"""

import builtins
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hyperna._validation import FloatArray, IntArray
from hyperna.interop.names import file_name

# Of the file format: what the logger of ioh writes since then.
_FORMAT = "0.3.22"
_COLUMNS = ("evaluations", "raw_y", "success")


@dataclass(frozen=True, eq=False)
class LoggedRun:
    """One run: its improvements (the first is evaluation 1), its end, and what else to note."""

    evaluations: IntArray
    fitness: FloatArray
    total: int
    best: float
    genome: IntArray
    success: bool
    attributes: Mapping[str, int] = field(default_factory=dict)

    def rows(self) -> str:
        """Return the lines of the data file."""
        lines = [" ".join(_COLUMNS)]
        improvements = zip(self.evaluations.tolist(), self.fitness.tolist(), strict=True)
        lines += [f"{when} {_digits(value)} 0" for when, value in improvements]
        # The network of the end may be worse than one before a restart; rows never fall.
        end = f"{self.total} {_digits(float(self.fitness[-1]))} {int(self.success)}"
        if self.evaluations[-1] == self.total:
            lines[-1] = end
        else:
            lines.append(end)
        return "\n".join(lines) + "\n"

    def entry(self) -> dict[str, Any]:
        """Return what the JSON file says about the run."""
        reached = self.fitness[-1] == self.best
        best = {
            "evals": int(self.evaluations[-1]) if reached else self.total,
            "y": float(self.best),
            "x": [int(value) for value in self.genome],
        }
        return {"instance": 1, "evals": self.total, "best": best, **self.attributes}


@dataclass(frozen=True)
class Cell:
    """What the runs of a cell have in common."""

    function: str
    function_id: int
    dimension: int
    algorithm: str
    info: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)


def write_cell(folder: str | Path, cell: Cell, runs: Iterable[LoggedRun]) -> int:
    """Write a cell into a new folder and return how many runs there were.

    The JSON file, without which nothing is read, comes last.

    Examples
    --------
    >>> import tempfile
    >>> run = LoggedRun(np.array([1, 4]), np.array([0.5, 1.0]), 4, 1.0, np.array([30, 60]), True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     n = write_cell(f"{folder}/half", Cell("half", 20_001, 2, "mine"), [run])
    ...     print(next(Path(folder).rglob("*.dat")).read_text())
    evaluations raw_y success
    1 0.5 0
    4 1.0 1
    """
    root = Path(folder)
    stem = f"f{cell.function_id}_{file_name(cell.function)}"
    data = Path(f"data_{stem}") / f"IOHprofiler_f{cell.function_id}_DIM{cell.dimension}.dat"
    (root / data).parent.mkdir(parents=True)
    entries = []
    names: tuple[str, ...] = ()
    with open(root / data, "w", encoding="ascii", newline="\n") as file:
        for trace in runs:
            file.write(trace.rows())
            entries.append(trace.entry())
            names = tuple(trace.attributes)
    draft = root / f"IOHprofiler_{stem}.draft"
    draft.write_text(_json(cell, names, data.as_posix(), entries), encoding="utf-8")
    os.replace(draft, root / f"IOHprofiler_{stem}.json")
    return len(entries)


def _json(cell: Cell, names: tuple[str, ...], path: str, entries: list[dict[str, Any]]) -> str:
    """Return the JSON text, one run a line as the logger of ioh writes it."""
    header = {
        "version": _FORMAT,
        "suite": "hyperna",
        "function_id": cell.function_id,
        "function_name": cell.function,
        "maximization": True,
        "algorithm": {"name": cell.algorithm, "info": cell.info},
        "experiment_attributes": [{k: attribute(v)} for k, v in cell.attributes.items()],
        "run_attributes": list(names),
        "attributes": list(_COLUMNS),
    }
    head = json.dumps(header, indent=1).removesuffix("\n}")
    runs = ",\n".join(json.dumps(entry) for entry in entries)
    scenario = (
        f'{{"dimension": {cell.dimension}, "path": {json.dumps(path)}, "runs": [\n{runs}\n]}}'
    )
    return f'{head},\n "scenarios": [{scenario}]\n}}\n'


def attribute(value: Any) -> str:
    """Return the text of an attribute. Some readers evaluate it as Python, so texts get quotes.

    Plain words stay as they are.

    Examples
    --------
    >>> attribute("harmonic"), attribute(120), attribute("12e4"), attribute("exit()")
    ('harmonic', '120', "'12e4'", "'exit()'")
    """
    if isinstance(value, str):
        plain = re.fullmatch(r"[a-z]+_?[a-z]+", value) and not hasattr(builtins, value)
        return value if plain else repr(value)
    return repr(value)


def _digits(value: float) -> str:
    """Return the shortest text of a float, without an exponent."""
    text = repr(value)
    return np.format_float_positional(value, trim="0") if "e" in text else text
