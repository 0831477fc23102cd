r"""The lines of a store's files: JSON, each with its checksum.

A file holds lines of two kinds, in any order::

    {"check":"<BLAKE2b of the rest>","want":[[setting, runs, source], ...]}
    {"check":"<BLAKE2b of the rest>","runs":{"setting":{...},"first":0,"last":100,"units":...,
     "columns":{"evaluations":[lowest, bytes, "<text>"],...},...}}

A column is stored as differences to its lowest value, in as few bytes each as they need (none if
all are equal), first the lowest bytes of all runs, then the next, deflated (zlib) and written in
base 85. Damage to a line is noticed and leaves the other lines readable.
"""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hyperna import __version__
from hyperna._validation import IntArray
from hyperna._words import counted
from hyperna.experiments.setting import Setting
from hyperna.run.results import COLUMNS, STOP_REASONS, TERM_COLUMNS

# More runs are divided among several lines, so that no line can claim more than fits in memory.
MOST_RUNS_PER_LINE = 2**20
_START = b'{"check":"'
_LINE = re.compile(rb'\{"check":"([0-9a-f]{32})",(.*)\}')


@dataclass(frozen=True, eq=False)
class Block:
    """Finished runs first..last-1 of a setting.

    `rows` has the columns `COLUMNS`, `SIZED_COLUMNS` or `TERM_COLUMNS`. `seconds` is the time they
    took, for estimates only.
    """

    setting: Setting
    first: int
    rows: IntArray
    units: int
    seconds: float = 0.0
    version: str = __version__

    def __post_init__(self) -> None:
        width = self.rows.shape[1]
        if not len(COLUMNS) <= width <= len(TERM_COLUMNS):
            raise ValueError(
                f"rows of runs must have the columns {', '.join(COLUMNS)}, and perhaps "
                f"{', '.join(TERM_COLUMNS[len(COLUMNS) :])}; got {counted(width, 'column')}"
            )

    @property
    def last(self) -> int:
        """Number of the last run plus one."""
        return self.first + len(self.rows)


@dataclass(frozen=True)
class Damage:
    """What is wrong with a file of a store."""

    file: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file}: {self.reason}"


@dataclass(frozen=True, eq=False)
class Content:
    """What a file holds: blocks, wanted numbers of runs, and what is damaged."""

    blocks: list[Block]
    wanted: list[tuple[Setting, int]]
    damages: list[Damage]


def want_line(wanted: Iterable[tuple[Setting, int]]) -> bytes:
    """Return the line that says how many runs of which settings are wanted."""
    return _line({"want": [[s.canonical, runs, s.source] for s, runs in wanted]})


def block_lines(block: Block) -> bytes:
    """Return the lines that hold a block."""
    step = MOST_RUNS_PER_LINE
    parts = range(0, len(block.rows), step)
    return b"".join(_block_line(block, first, block.rows[first : first + step]) for first in parts)


def _block_line(block: Block, offset: int, rows: IntArray) -> bytes:
    return _line(
        {
            "runs": {
                "setting": block.setting.canonical,
                "first": block.first + offset,
                "last": block.first + offset + len(rows),
                "units": block.units,
                "seconds": round(block.seconds * len(rows) / len(block.rows), 4),
                "version": block.version,
                "reasons": STOP_REASONS,
                "columns": {
                    name: _pack(column)
                    for name, column in zip(TERM_COLUMNS[: rows.shape[1]], rows.T, strict=True)
                },
            }
        }
    )


def _line(content: dict[str, Any]) -> bytes:
    # ASCII only, so that a line break is always one byte and never part of the content.
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)[1:-1].encode("ascii")
    return b'{"check":"%s",%s}\n' % (_digest(text), text)


def _digest(text: bytes) -> bytes:
    return hashlib.blake2b(text, digest_size=16).hexdigest().encode()


def read_lines(data: bytes, file: str) -> Content:
    """Return all that is intact in the content of a file, and what is not.

    Examples
    --------
    >>> read_lines(b"something else", "0000-14.jsonl").damages
    [Damage(file='0000-14.jsonl', reason='bytes 0 to 14 are corrupted')]
    """
    found = Content([], [], [])

    def damaged(begin: int, end: int, reason: str = "are corrupted") -> None:
        if begin < end:
            found.damages.append(Damage(file, f"bytes {begin} to {end} {reason}"))

    starts = [match.start() for match in re.finditer(re.escape(_START), data)]
    damaged(0, starts[0] if starts else len(data))
    for begin, end in pairwise([*starts, len(data)]):
        # If the line break is damaged, the line reaches to the next start; if that is damaged too,
        # there is more behind the line break.
        line, newline, _ = data[begin:end].partition(b"\n")
        match = _LINE.fullmatch(line if newline else line[:-1])
        if match is None or _digest(match[2]) != match[1]:
            damaged(begin, end)
            continue
        try:
            _take(match[2], found)
        except (ValueError, TypeError, KeyError, RecursionError, zlib.error) as error:
            if isinstance(error, OtherVersion):
                raise
            damaged(begin, end, f"have the right checksum but make no sense ({error})"[:200])
        damaged(begin + len(match[0]) + len(newline), end)
    return found


class OtherVersion(ValueError):
    """Something intact that this version of hyperna cannot read."""


def _take(text: bytes, found: Content) -> None:
    """Add what an intact line says."""
    content = json.loads(b"{%s}" % text)
    for values, runs, source in content.get("want", []):
        if not (isinstance(runs, int) and runs > 0 and isinstance(source, str | None)):
            raise ValueError("wanted runs must be positive")
        found.wanted.append((_setting(values, source), runs))
    if "runs" in content:
        found.blocks.append(_block(content["runs"]))


# Keys without which there is no setting.
_NEEDED = ("algorithm", "problem", "dim", "neurons", "output", "resolution")


def _setting(values: Any, source: str | None = None) -> Setting:
    if not isinstance(values, dict):
        raise ValueError("a setting must be an object")
    if missing := [key for key in _NEEDED if key not in values]:
        raise ValueError(f"a setting must have the keys {', '.join(missing)}")
    try:
        return Setting.of({**values, "source": source})
    except TypeError:
        raise OtherVersion(
            f"the store was written by a newer version of hyperna than {__version__}: it has "
            f"settings with the keys {', '.join(values)}"
        ) from None


def _block(content: dict[str, Any]) -> Block:
    first, last, units = (int(content[key]) for key in ("first", "last", "units"))
    if not (0 <= first < last <= first + MOST_RUNS_PER_LINE and units > 0):
        raise ValueError(f"runs {first} to {last} of {units} units")
    names = [name for name in TERM_COLUMNS if name in COLUMNS or name in content["columns"]]
    if tuple(names) != TERM_COLUMNS[: len(names)]:
        raise ValueError(f"runs with the columns {', '.join(names)}")
    columns = {name: _unpack(content["columns"][name], last - first) for name in names}
    columns["stop"] = _translate(columns["stop"], content["reasons"])
    return Block(
        setting=_setting(content["setting"]),
        first=first,
        rows=np.stack(list(columns.values()), axis=1),
        units=units,
        seconds=float(content["seconds"]),
        version=str(content["version"]),
    )


def _pack(values: IntArray) -> list[Any]:
    """Return lowest value, bytes per difference to it, and the differences as text.

    Unsigned arithmetic modulo 2**64 makes the differences right for any range.
    """
    low, high = int(values.min()), int(values.max())
    width = next(w for w in (0, 1, 2, 4, 8) if high - low < 2 ** (8 * w))
    if width == 0:
        return [low, 0, ""]
    contiguous = np.ascontiguousarray(values)
    differences = (contiguous.view(np.uint64) - np.uint64(low % 2**64)).astype(f"<u{width}")
    planes = differences.view(np.uint8).reshape(-1, width).T.tobytes()
    return [low, width, base64.b85encode(zlib.compress(planes, 6)).decode()]


def _unpack(packed: list[Any], n: int) -> IntArray:
    """Return the n values that `_pack` packed."""
    low, width, text = packed
    differences = np.zeros(n, np.uint64)
    if width:
        if width not in (1, 2, 4, 8):
            raise ValueError(f"{width} bytes per value")
        # One byte too many is enough to see that a text claims more than the values have.
        planes = zlib.decompressobj().decompress(base64.b85decode(text), n * width + 1)
        shaped = np.frombuffer(planes, np.uint8).reshape(width, n).T
        differences = np.ascontiguousarray(shaped).view(f"<u{width}").reshape(n).astype(np.uint64)
    differences += np.uint64(low % 2**64)
    return differences.view(np.int64)


def _translate(codes: IntArray, reasons: list[str]) -> IntArray:
    """Return codes of `STOP_REASONS` for codes of another version's list of reasons."""
    unknown = [reason for reason in reasons if reason not in STOP_REASONS]
    if unknown:
        raise OtherVersion(
            f"the store was written by another version of hyperna than {__version__}: it has the "
            f"stop reason {str(unknown[0])[:60]!r}"
        )
    if codes.min() < 0 or codes.max() >= len(reasons):
        raise ValueError("a stop reason that is not listed")
    table: IntArray = np.array([STOP_REASONS.index(reason) for reason in reasons], np.int64)
    return table[codes]
