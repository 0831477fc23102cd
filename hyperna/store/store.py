"""The store: finished runs of any settings, in a folder that survives its writers.

::

    plan.json     settings and how many runs of each are wanted
    chunks/       immutable files of finished runs (see `hyperna.store.chunks`)
    damaged/      files that were found damaged and replaced by what was intact in them
    lock          held by the one process that writes

A chunk appears under its name only when it is complete and on the disk. Small chunks are merged now
and then; if a crash leaves a merged chunk beside its parts, the runs that occur twice are read
once, which is harmless because a run's result is a function of its setting and number.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from hyperna.settings import Setting
from hyperna.store.chunks import (
    Block,
    Damage,
    Segment,
    decode_chunk,
    encode_chunk,
    stored_setting,
)
from hyperna.store.coverage import Intervals, add_interval, count, gaps
from hyperna.store.files import StoreError, explained, locked, sync_folder, write_whole

# So many chunks of a level are merged into one of the next level.
FAN = 64
_HIGHEST_LEVEL = 2
_LARGEST_SEGMENT = 2**20


@dataclass(frozen=True)
class Progress:
    """How far a setting has come."""

    setting: Setting
    done: int
    wanted: int


class Store:
    """A folder of finished runs, open for reading; `writer` opens it for writing.

    Examples
    --------
    >>> import tempfile
    >>> from hyperna.settings import setting
    >>> half = setting(problem="half")
    >>> rows = half.runner().run_block(half.entropy, 0, 20)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(folder)
    ...     with store.writer() as writer:
    ...         writer.want({half: 30})
    ...         writer.append([Block(half, 0, rows, half.runner().units)])
    ...         missing = writer.missing(half, 30)
    ...     done = [(entry.done, entry.wanted) for entry in store.status()]
    >>> missing, done
    ([(20, 30)], [(20, 30)])
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.chunks = self.path / "chunks"

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    def check_exists(self) -> None:
        """Raise a StoreError if there is no store in the folder."""
        if not (self._plan_file.exists() or self.chunks.is_dir()):
            raise StoreError(f"{self.path} is no store: make one with 'hyperna campaign run'")

    @property
    def _plan_file(self) -> Path:
        return self.path / "plan.json"

    def chunk_files(self) -> list[Path]:
        """Return the chunk files, oldest first."""
        return sorted(self.chunks.glob("*.chunk"))

    def scan(self) -> tuple[list[Segment], list[Damage]]:
        """Read the whole store: the intact segments, and what is damaged."""
        self.check_exists()
        with explained(self.path):
            while True:
                try:
                    parts = [read_chunk(file) for file in self.chunk_files()]
                except FileNotFoundError:  # merged by a writer in this moment
                    continue
                break
        segments = [segment for found, _ in parts for segment in found]
        return segments, [damage for _, damages in parts for damage in damages]

    def damages(self) -> list[Damage]:
        """Return what is damaged; nothing is changed."""
        return self.scan()[1]

    def segments(self) -> list[Segment]:
        """Return all segments; a damaged store is refused."""
        segments, damages = self.scan()
        if damages:
            raise StoreError(
                f"{self.path} is damaged ({'; '.join(map(str, damages))}): run its campaign again, "
                f"which keeps what is intact and repeats what is lost"
            )
        return segments

    def plan(self) -> dict[Setting, int]:
        """Return the settings and how many runs of each are wanted."""
        self.check_exists()
        if not self._plan_file.exists():
            return {}
        try:
            with explained(self.path):
                text = self._plan_file.read_bytes()
            content = json.loads(text)
            if content["digest"] != _plan_digest(content["settings"]):
                raise ValueError("wrong checksum")
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"{self._plan_file} is damaged ({error}): delete it and run the campaign again; "
                f"finished runs are kept"
            ) from None
        entries = content["settings"]
        return {
            replace(stored_setting(values), source=source): runs for values, runs, source in entries
        }

    def status(self) -> list[Progress]:
        """Return how far each setting has come, in the order of the plan."""
        plan = self.plan()
        covered = coverage(self.scan()[0])
        extra = {setting: runs[-1][1] for setting, runs in covered.items() if setting not in plan}
        return [
            Progress(setting, count(covered.get(setting, [])), wanted)
            for setting, wanted in {**plan, **extra}.items()
        ]

    def to_frame(self) -> Any:
        """Return all runs as a pandas frame, one row a run: see `hyperna.store.frame`."""
        from hyperna.store.frame import make_frame

        return make_frame(self.segments())

    @contextmanager
    def writer(self) -> Iterator["Writer"]:
        """Open the store for writing, creating it if need be; there is one writer at a time.

        What a crash or a fault of the disk left behind is put in order first.
        """
        with ExitStack() as stack:
            with explained(self.path):
                self._make_folder()
                stack.enter_context(locked(self.path / "lock", str(self.path)))
                self.chunks.mkdir(exist_ok=True)
                writer = Writer(self)
            yield writer

    def _make_folder(self) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        names = {entry.name for entry in self.path.iterdir()}
        if names and not names & {"plan.json", "chunks", "lock"}:
            raise StoreError(f"{self.path} is a folder of other things; name a new one")


class Writer:
    """The one process that writes to a store; see `Store.writer`.

    Attributes
    ----------
    repaired : list of Damage
        What was found damaged when the store was opened. The files lie in ``damaged/`` now.
    versions : set of str
        Versions of hyperna that made the runs found in the store.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        for draft in [*store.path.glob("*.draft"), *store.chunks.glob("*.draft")]:
            draft.unlink()
        self.repaired: list[Damage] = []
        self.versions: set[str] = set()
        self._covered: dict[Setting, Intervals] = {}
        self._files = store.chunk_files()
        for file in list(self._files):
            self._adopt(file)
        self._plan = self._read_plan()

    def missing(self, setting: Setting, runs: int) -> Intervals:
        """Return the intervals of run numbers 0..runs-1 that are not stored."""
        return gaps(self._covered.get(setting, []), runs)

    def want(self, plan: dict[Setting, int]) -> None:
        """Add settings and numbers of runs to the plan; what is in it stays."""
        merged = dict(self._plan)
        for setting, runs in plan.items():
            wanted = max(runs, merged.pop(setting, 0))
            merged[setting] = wanted
        entries = [[s.canonical, runs, s.source] for s, runs in merged.items()]
        text = json.dumps({"digest": _plan_digest(entries), "settings": entries}, indent=0)
        with explained(self.store.path):
            write_whole(self.store._plan_file, text.encode())
        self._plan = merged

    def append(self, blocks: Sequence[Block]) -> None:
        """Store finished runs; when this returns they survive a crash."""
        blocks = [block for block in blocks if len(block.rows)]
        if not blocks:
            return
        with explained(self.store.path):
            self._write_chunk(blocks, level=0)
        for block in blocks:
            add_interval(self._covered.setdefault(block.setting, []), block.first, block.last)
        self._merge_small_chunks()

    def _adopt(self, file: Path) -> None:
        """Note what a chunk holds; save what is intact in a damaged one and move it aside."""
        segments, damages = read_chunk(file)
        if damages:
            self.repaired += damages
            if segments:
                self._write_chunk([segment.block() for segment in segments], _level(file))
            aside = self.store.path / "damaged"
            aside.mkdir(exist_ok=True)
            file.rename(aside / file.name)
            self._files.remove(file)
            sync_folder(aside)
            sync_folder(self.store.chunks)
        self.versions |= {segment.header["version"] for segment in segments}
        for setting, intervals in coverage(segments).items():
            for first, last in intervals:
                add_interval(self._covered.setdefault(setting, []), first, last)

    def _read_plan(self) -> dict[Setting, int]:
        try:
            return self.store.plan()
        except StoreError as error:
            self.repaired.append(Damage("plan.json", f"{error.__context__ or error}"))
            aside = self.store.path / "damaged"
            aside.mkdir(exist_ok=True)
            self.store._plan_file.rename(aside / "plan.json")
            return {setting: covered[-1][1] for setting, covered in self._covered.items()}

    def _write_chunk(self, blocks: Sequence[Block], level: int) -> None:
        number = int(self._files[-1].name[:10]) + 1 if self._files else 0
        file = self.store.chunks / f"{number:010d}-{level}.chunk"
        write_whole(file, encode_chunk(blocks))
        self._files.append(file)

    def _merge_small_chunks(self) -> None:
        for level in range(_HIGHEST_LEVEL):
            files = [file for file in self._files if _level(file) == level]
            if len(files) < FAN:
                return
            try:
                self._merge(files, level + 1)
            except OSError:
                return  # Merging needs room that a nearly full disk may lack; nothing is lost.

    def _merge(self, files: list[Path], level: int) -> None:
        parts = [read_chunk(file) for file in files]
        if any(damages for _, damages in parts):
            return  # The next writer repairs it; merging would hide it.
        segments = [segment for found, _ in parts for segment in found]
        self._write_chunk(merge_segments(segments), level)
        for file in files:
            file.unlink()
            self._files.remove(file)
        sync_folder(self.store.chunks)


def read_chunk(file: Path) -> tuple[list[Segment], list[Damage]]:
    """Return the intact segments of a chunk file and what is wrong with it."""
    return decode_chunk(file.read_bytes(), file.name)


def coverage(segments: Iterable[Segment]) -> dict[Setting, Intervals]:
    """Return which runs of which settings the segments hold."""
    covered: dict[str, Intervals] = {}
    setting: dict[str, Setting] = {}
    for segment in segments:
        if segment.key not in setting:
            setting[segment.key] = segment.setting()
        add_interval(covered.setdefault(segment.key, []), segment.first, segment.last)
    return {setting[key]: intervals for key, intervals in covered.items()}


def each_run_once(segments: Iterable[Segment]) -> Iterator[tuple[Segment, slice]]:
    """Yield segments with the part of them that no earlier one holds, by setting and number."""
    ordered = sorted(segments, key=lambda segment: (segment.key, segment.first, -segment.last))
    for _, group in groupby(ordered, key=lambda segment: segment.key):
        end = 0
        for segment in group:
            begin = max(segment.first, end)
            if begin < segment.last:
                yield segment, slice(begin - segment.first, None)
                end = segment.last


def merge_segments(segments: Iterable[Segment]) -> list[Block]:
    """Return the runs of the segments in as few blocks as possible."""
    merged: list[list[Block]] = []
    for segment, part in each_run_once(segments):
        block = segment.block()
        block = replace(block, first=block.first + part.start, rows=block.rows[part])
        if merged and _continues(merged[-1], block):
            merged[-1].append(block)
        else:
            merged.append([block])
    return [_join(blocks) for blocks in merged]


def _continues(blocks: list[Block], block: Block) -> bool:
    before = blocks[-1]
    return (
        (before.setting, before.last) == (block.setting, block.first)
        and (before.units, before.version) == (block.units, block.version)
        and block.last - blocks[0].first <= _LARGEST_SEGMENT
    )


def _join(blocks: list[Block]) -> Block:
    rows = np.concatenate([block.rows for block in blocks])
    return replace(blocks[0], rows=rows, seconds=sum(block.seconds for block in blocks))


def _level(file: Path) -> int:
    return int(file.stem.rpartition("-")[2])


def _plan_digest(entries: Any) -> str:
    text = json.dumps(entries, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
