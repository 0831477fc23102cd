"""All runs of a store as one table."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any

import numpy as np

from hyperna._validation import IntArray, check_extra
from hyperna.experiments.lines import Block
from hyperna.experiments.setting import SETTING_KEYS, Setting
from hyperna.run.description import OPTIONS
from hyperna.run.results import COLUMNS, STOP_REASONS, TERM_COLUMNS, succeeded

# Left out if it is empty, like all options whose default a setting does not hold.
_DATA = "data"


def make_frame(blocks: Iterable[Block]) -> Any:
    """Return a pandas frame with one row per run; no run may occur in two blocks.

    It is sorted by setting and number, so that it depends on what is stored but not on the order
    in which it was stored.

    Columns: `setting` (an id), the keys of the setting (see `Setting`; `target` is "default",
    "none" or a fitness), `run` (the number), `evaluations`, `fitness`, `stop_reason`, `success`,
    `censored` (ended without success: the time to success is only known to exceed `evaluations`),
    `stuck_at` (0 if it was not), `restarts_used`, `neurons_used` (missing where their number does
    not evolve; left out if it never does), `terms_used` (likewise, where terms have no cost),
    `version` (of hyperna).
    """
    check_extra("a frame of runs needs", "pandas", "data")
    import pandas

    parts = sorted(blocks, key=lambda block: (_setting_order(block.setting), block.first))
    settings = [setting for setting, _ in groupby(parts, key=lambda block: block.setting)]
    place = {setting: i for i, setting in enumerate(settings)}
    lengths = [len(block.rows) for block in parts]
    codes = np.repeat(np.array([place[block.setting] for block in parts], np.int64), lengths)
    kept = len(COLUMNS)
    rows = np.concatenate([np.zeros((0, kept), np.int64), *(b.rows[:, :kept] for b in parts)])
    evaluations, score, stop, stuck_at, restarts = rows.T
    columns: dict[str, Any] = {"setting": _category(pandas, [s.id for s in settings], codes)}
    for name in SETTING_KEYS:
        values = [getattr(setting, name) for setting in settings]
        always = name != _DATA and OPTIONS[name].written
        if always or any(value is not None for value in values):
            columns[name] = _setting_column(pandas, name, values, codes)
    numbers = [np.arange(block.first, block.last) for block in parts]
    columns["run"] = np.concatenate([np.zeros(0, np.int64), *numbers])
    columns["evaluations"] = evaluations
    columns["fitness"] = score / np.repeat([float(block.units) for block in parts], lengths)
    columns["stop_reason"] = pandas.Categorical.from_codes(stop, list(STOP_REASONS))
    columns["success"] = succeeded(stop)
    columns["censored"] = ~columns["success"]
    columns["stuck_at"] = stuck_at
    columns["restarts_used"] = restarts
    for column, name in enumerate(TERM_COLUMNS[kept:], start=kept):
        if any(block.rows.shape[1] > column for block in parts):
            columns[name] = pandas.concat([_used(pandas, block, column) for block in parts]).array
    versions = [block.version for block in parts]
    columns["version"] = _category(pandas, versions, np.repeat(np.arange(len(parts)), lengths))
    return pandas.DataFrame(columns)


def _used(pandas: Any, block: Block, place: int) -> Any:
    """Return a column that not all runs have, missing where they do not."""
    known = block.rows.shape[1] > place
    values = block.rows[:, place] if known else [None] * len(block.rows)
    return pandas.Series(values, dtype="Int64")


def _setting_order(setting: Setting) -> tuple[Any, ...]:
    """Sort by the keys in their order: numbers as numbers, None first."""
    return (*map(_sortable, (getattr(setting, name) for name in SETTING_KEYS)), setting.id)


def _sortable(value: Any) -> tuple[bool, bool, float, str]:
    if isinstance(value, int | float):
        return True, False, value, ""
    return value is not None, True, 0, str(value)


def _setting_column(pandas: Any, name: str, values: list[Any], codes: IntArray) -> Any:
    """Return the column of a key, given its value for each setting."""
    if name == "target":
        named = {None: "default", False: "none"}
        values = [named[v] if v is None or v is False else repr(v) for v in values]
    if name == "seed":
        values = [value or 0 for value in values]
    kind = "" if name == _DATA else OPTIONS[name].column
    if not kind or any(isinstance(value, str) for value in values):
        return _category(pandas, values, codes)
    return pandas.array(values, dtype=kind).take(codes)


def _category(pandas: Any, values: list[Any], codes: IntArray) -> Any:
    """Return a categorical column; None stays missing."""
    categories = list(dict.fromkeys(value for value in values if value is not None))
    place = {value: i for i, value in enumerate(categories)}
    index = np.array([place.get(value, -1) for value in values], np.int64)
    return pandas.Categorical.from_codes(index[codes], categories)
