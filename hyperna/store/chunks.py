"""The file format of a store: chunks of segments of columns, each segment with its checksum.

A chunk file is written once and never changed::

    chunk   = "hyperna" 0x01 | length of the file (8 bytes) | segment ...
    segment = "SEGMENT:" | length of header (4) | length of payload (8) | header | payload | digest

Integers are little-endian. The header is JSON: the setting, the numbers of its runs, and how each
column is packed. A column is stored as differences to its smallest value in as few bytes as these
need (none if all are equal), byte planes one after the other, deflated where that helps. The
digest (BLAKE2b, 16 bytes) covers lengths, header and payload. So damage to one segment is seen,
and leaves the others readable.
"""

import hashlib
import json
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperna import __version__
from hyperna._validation import IntArray
from hyperna.results import STOP_REASONS
from hyperna.settings import Setting
from hyperna.settings.algorithms import COLUMNS

_CHUNK = b"hyperna\x01"
_SEGMENT = b"SEGMENT:"
_LENGTHS = struct.Struct("<IQ")
_DIGEST = 16


@dataclass(frozen=True, eq=False)
class Block:
    """Finished runs first..last-1 of a setting; `rows` has the columns `COLUMNS`.

    `seconds` is the time they took, for estimates only.
    """

    setting: Setting
    first: int
    rows: IntArray
    units: int
    seconds: float = 0.0
    version: str = __version__

    @property
    def last(self) -> int:
        """Number of the last run plus one."""
        return self.first + len(self.rows)


@dataclass(frozen=True, eq=False)
class Segment:
    """A block as it lies in a chunk, its columns not yet unpacked."""

    header: dict[str, Any] = field(repr=False)
    payload: memoryview = field(repr=False)

    @property
    def first(self) -> int:
        """Number of the first run."""
        return int(self.header["first"])

    @property
    def last(self) -> int:
        """Number of the last run plus one."""
        return int(self.header["last"])

    @property
    def units(self) -> int:
        """Score of a network without a mistake."""
        return int(self.header["units"])

    @cached_property
    def key(self) -> str:
        """The setting as text, the same for all segments of the setting."""
        return json.dumps(self.header["setting"], sort_keys=True)

    def setting(self) -> Setting:
        """Return the setting."""
        return stored_setting(self.header["setting"])

    def column(self, name: str) -> IntArray:
        """Return one of the columns."""
        start = 0
        for column in COLUMNS:
            low, width, size, deflated = self.header["columns"][column]
            if column == name:
                break
            start += size
        values = _unpack(
            self.payload[start : start + size], self.last - self.first, width, deflated
        )
        values += np.uint64(low % 2**64)
        column_values = values.view(np.int64)
        if name == "stop" and self.header["reasons"] != list(STOP_REASONS):
            return _translate(column_values, self.header["reasons"])
        return column_values

    def block(self) -> Block:
        """Return the block."""
        rows = np.stack([self.column(name) for name in COLUMNS], axis=1)
        header = self.header
        return Block(
            self.setting(), self.first, rows, self.units, header["seconds"], header["version"]
        )


@dataclass(frozen=True)
class Damage:
    """What is wrong with a file of a store."""

    file: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file}: {self.reason}"


def stored_setting(values: dict[str, Any]) -> Setting:
    """Return the setting that was stored under these values."""
    try:
        return Setting(**values)
    except TypeError:
        raise ValueError(
            f"the store was written by a newer version of hyperna than {__version__}: it has "
            f"settings with the keys {', '.join(values)}"
        ) from None


def encode_chunk(blocks: Sequence[Block]) -> bytes:
    """Return the bytes of a chunk file with these blocks."""
    body = b"".join(_encode_segment(block) for block in blocks)
    return _CHUNK + struct.pack("<Q", len(_CHUNK) + 8 + len(body)) + body


def decode_chunk(data: bytes, file: str) -> tuple[list[Segment], list[Damage]]:
    """Return the intact segments of a chunk file and what is wrong with it.

    Examples
    --------
    >>> decode_chunk(b"hyperna", "0.chunk")
    ([], [Damage(file='0.chunk', reason='cut off: 7 bytes are no chunk')])
    """
    start = len(_CHUNK) + 8
    if len(data) < start:
        return [], [Damage(file, f"cut off: {len(data)} bytes are no chunk")]
    damages = []
    (length,) = struct.unpack_from("<Q", data, len(_CHUNK))
    if data[: len(_CHUNK)] != _CHUNK:
        damages.append(Damage(file, "does not begin like a chunk"))
    elif length != len(data):
        damages.append(Damage(file, f"has {len(data)} of {length} bytes"))
    segments, end = [], start
    for begin, after, segment in _intact_segments(data, start):
        if begin != end:
            damages.append(Damage(file, f"bytes {end} to {begin} are corrupted"))
        segments.append(segment)
        end = after
    if end != len(data):
        damages.append(Damage(file, f"bytes {end} to {len(data)} are corrupted"))
    return segments, damages


def _intact_segments(data: bytes, start: int) -> Iterator[tuple[int, int, Segment]]:
    """Yield begin, end and content of every segment whose checksum is right."""
    whole = memoryview(data)
    begin = data.find(_SEGMENT, start)
    while begin >= 0:
        found = _decode_segment(whole[begin:])
        if found is None:
            begin = data.find(_SEGMENT, begin + 1)
            continue
        segment, length = found
        yield begin, begin + length, segment
        begin = data.find(_SEGMENT, begin + length)


def _decode_segment(data: memoryview) -> tuple[Segment, int] | None:
    start = len(_SEGMENT) + _LENGTHS.size
    if len(data) < start:
        return None
    header_length, payload_length = _LENGTHS.unpack_from(data, len(_SEGMENT))
    middle = start + header_length
    end = middle + payload_length
    if end + _DIGEST > len(data) or _digest(data[:end]) != data[end : end + _DIGEST]:
        return None
    header = json.loads(bytes(data[start:middle]))
    return Segment(header, data[middle:end]), end + _DIGEST


def _encode_segment(block: Block) -> bytes:
    columns, parts = {}, []
    for name, values in zip(COLUMNS, block.rows.T, strict=True):
        low, width, part, deflated = _pack(np.ascontiguousarray(values))
        columns[name] = (low, width, len(part), deflated)
        parts.append(part)
    header = {
        "setting": block.setting.canonical,
        "first": block.first,
        "last": block.last,
        "units": block.units,
        "seconds": round(block.seconds, 4),
        "version": block.version,
        "reasons": STOP_REASONS,
        "columns": columns,
    }
    text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
    payload = b"".join(parts)
    segment = b"".join([_SEGMENT, _LENGTHS.pack(len(text), len(payload)), text, payload])
    return segment + _digest(segment)


def _digest(data: bytes | memoryview) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()


def _pack(values: IntArray) -> tuple[int, int, bytes, bool]:
    """Return smallest value, bytes per difference to it, the packed differences, whether deflated.

    Unsigned arithmetic modulo 2**64 makes the differences right for any range.
    """
    low, high = int(values.min()), int(values.max())
    width = next(w for w in (0, 1, 2, 4, 8) if high - low < 2 ** (8 * w))
    if width == 0:
        return low, 0, b"", False
    differences = (values.view(np.uint64) - np.uint64(low % 2**64)).astype(f"<u{width}")
    planes = differences.view(np.uint8).reshape(-1, width).T.tobytes()
    deflated = zlib.compress(planes, 3)
    return (
        (low, width, deflated, True) if len(deflated) < len(planes) else (low, width, planes, False)
    )


def _unpack(data: memoryview, n: int, width: int, deflated: bool) -> NDArray[np.uint64]:
    """Return the differences that `_pack` packed."""
    if width == 0:
        return np.zeros(n, np.uint64)
    planes = np.frombuffer(zlib.decompress(data) if deflated else data, np.uint8)
    differences = np.ascontiguousarray(planes.reshape(width, n).T).view(f"<u{width}")
    return differences.reshape(n).astype(np.uint64)


def _translate(codes: IntArray, reasons: list[str]) -> IntArray:
    """Return codes of `STOP_REASONS` for codes of another list of reasons."""
    unknown = [reason for reason in reasons if reason not in STOP_REASONS]
    if unknown:
        raise ValueError(
            f"the store was written by another version of hyperna than {__version__}: it has the "
            f"stop reason {unknown[0]!r}"
        )
    table: IntArray = np.array([STOP_REASONS.index(reason) for reason in reasons], np.int64)
    return table[codes]
