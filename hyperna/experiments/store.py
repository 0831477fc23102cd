"""The store: finished runs of any settings, in a folder that survives its writers.

::

    0000-4711.jsonl   lines of finished runs and of wanted ones (see `hyperna.experiments.lines`)
    damaged/          files that were found damaged and replaced by what was intact in them
    lock              held by the one process that writes

Each writer has a file of its own, to which it appends. The name says how many bytes of the file
count: lines are appended and brought to the disk first, then the file is renamed. So readers see
all of an append or nothing of it, a crash leaves nothing half written, and a file that was cut is
noticed. Runs that occur twice are read once, which is harmless because a run's result depends on
its setting and number only.
"""

import os
import re
import stat
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from hyperna._files import sync_folder, write_all
from hyperna._validation import IntArray
from hyperna.experiments.lines import Block, Content, Damage, block_lines, read_lines, want_line
from hyperna.experiments.locking import StoreError, explained, locked
from hyperna.experiments.run_numbers import Intervals, add_interval, count, gaps
from hyperna.experiments.setting import Setting
from hyperna.run.results import COLUMNS, Runs

_NAME = re.compile(r"(\d{4,})-(\d+)\.jsonl")


@dataclass(frozen=True)
class Status:
    """How far a setting has come."""

    setting: Setting
    done: int
    wanted: int


class Store:
    """A folder of finished runs, open for reading; `writer` opens it for writing.

    Examples
    --------
    >>> import tempfile
    >>> from hyperna.experiments.setting import setting
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

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    def files(self) -> list[Path]:
        """Return the files of runs, oldest first."""
        if (self.path / "chunks").is_dir():
            raise StoreError(
                f"{self.path} was written by hyperna 0.3 or before, whose format is no longer "
                f"read; run its campaign again in a new folder"
            )
        found = [file for file in self.path.glob("*.jsonl") if _NAME.fullmatch(file.name)]
        return sorted(found, key=lambda file: _number(file.name))

    def scan(self) -> Content:
        """Read the whole store: what is intact, and what is damaged."""
        if not (self.path.is_dir() and (self.files() or (self.path / "lock").exists())):
            raise StoreError(f"{self.path} is not a store: make one with 'hyperna campaign run'")
        with explained(self.path):
            while True:
                try:
                    parts = [read_file(file) for file in self.files()]
                except FileNotFoundError:  # renamed by a writer in this moment
                    continue
                break
        return Content(
            [block for part in parts for block in part.blocks],
            [entry for part in parts for entry in part.wanted],
            [damage for part in parts for damage in part.damages],
        )

    def damages(self) -> list[Damage]:
        """Return what is damaged; nothing is changed."""
        return self.scan().damages

    def read(self) -> Content:
        """Read the whole store; a damaged one is refused."""
        content = self.scan()
        if content.damages:
            raise StoreError(
                f"{self.path} is damaged ({'; '.join(map(str, content.damages))}): run its "
                f"campaign again, which keeps what is intact and repeats what is lost"
            )
        return content

    def wanted(self) -> dict[Setting, int]:
        """Return the settings and how many runs of each are wanted."""
        return merge_wanted(self.scan().wanted)

    def status(self) -> list[Status]:
        """Return how far each setting has come, in the order in which they were wanted."""
        content = self.scan()
        wanted = merge_wanted(content.wanted)
        covered = coverage(content.blocks)
        extra = {setting: runs[-1][1] for setting, runs in covered.items() if setting not in wanted}
        listed = {**wanted, **extra}
        return [Status(setting, count(covered[setting]), listed[setting]) for setting in listed]

    def runs(self) -> list[Runs]:
        """Return the runs by setting, in the order in which these were wanted.

        Examples
        --------
        >>> import tempfile
        >>> from hyperna import Campaign
        >>> campaign = Campaign.product(problem="half", resolution=[60, 120], runs=20)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found = campaign.run(folder).runs()
        >>> [(runs.setting.resolution, len(runs)) for runs in found]
        [(60, 20), (120, 20)]
        """
        content = self.read()
        # The wanted settings know where files of points are.
        known = {made: (place, made) for place, made in enumerate(merge_wanted(content.wanted))}
        groups = groupby(each_run_once(content.blocks), key=lambda block: block.setting)
        found = [(known.get(made, (len(known), made)), list(blocks)) for made, blocks in groups]
        found.sort(key=lambda entry: entry[0][0])
        return [_join(made, blocks) for (_, made), blocks in found]

    def to_frame(self) -> Any:
        """Return all runs as a pandas frame, one row per run: see `hyperna.experiments.frame`."""
        from hyperna.experiments.frame import make_frame

        return make_frame(each_run_once(self.read().blocks))

    @contextmanager
    def writer(self) -> Iterator["Writer"]:
        """Open the store for writing, creating it if need be; there is one writer at a time.

        What a crash or a fault of the disk left behind is put in order first.
        """
        with ExitStack() as stack:
            with explained(self.path):
                self.path.mkdir(parents=True, exist_ok=True)
                names = {entry.name for entry in self.path.iterdir()}
                if names and "lock" not in names and not self.files():
                    text = "is a folder with other content; name a new one"
                    raise StoreError(f"{self.path} {text}")
                stack.enter_context(locked(self.path / "lock", str(self.path)))
                writer = Writer(self)
            yield writer


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
        files = store.files()
        self._number = _number(files[-1].name)[0] + 1 if files else 0
        self._file: Path | None = None
        self.repaired: list[Damage] = []
        self.versions: set[str] = set()
        self._covered: dict[Setting, Intervals] = defaultdict(list)
        self._wanted: dict[Setting, int] = {}
        for file in files:
            self._adopt(file, read_file(file))

    def missing(self, setting: Setting, runs: int) -> Intervals:
        """Return the intervals of run numbers 0..runs-1 that are not stored."""
        return gaps(self._covered[setting], runs)

    def want(self, wanted: dict[Setting, int]) -> None:
        """Note how many runs of which settings are wanted; a number never becomes smaller."""
        merged = merge_wanted([*self._wanted.items(), *wanted.items()])
        if merged != self._wanted:
            with explained(self.store.path):
                self._append(want_line(wanted.items()))
            self._wanted = merged

    def append(self, blocks: Sequence[Block]) -> None:
        """Store finished runs; when this returns they survive a crash."""
        blocks = [block for block in blocks if len(block.rows)]
        if not blocks:
            return
        with explained(self.store.path):
            self._append(b"".join(map(block_lines, blocks)))
        coverage(blocks, self._covered)
        self.versions |= {block.version for block in blocks}

    def _adopt(self, file: Path, content: Content) -> None:
        """Note what a file holds; save what is intact in a damaged one and move it aside."""
        if content.damages:
            self.repaired += content.damages
            intact = b"".join(map(block_lines, content.blocks))
            if content.wanted:
                intact += want_line(content.wanted)
            if intact:
                self._append(intact)
            aside = self.store.path / "damaged"
            aside.mkdir(exist_ok=True)
            os.replace(file, aside / file.name)
            sync_folder(aside)
            sync_folder(self.store.path)
        self._wanted = merge_wanted([*self._wanted.items(), *content.wanted])
        coverage(content.blocks, self._covered)
        self.versions |= {block.version for block in content.blocks}

    def _append(self, data: bytes) -> None:
        """Append to the writer's file: the lines first, then, once they are safe, their length."""
        folder = self.store.path
        length = 0 if self._file is None else _number(self._file.name)[1]
        file = self._file or folder / f"{self._number:04d}-0.jsonl"
        with open(file, "ab", buffering=0) as target:
            target.truncate(length)  # of what an append left that failed
            write_all(target, data)
            os.fsync(target.fileno())
        named = folder / f"{self._number:04d}-{length + len(data)}.jsonl"
        os.replace(file, named)
        self._file = named
        sync_folder(folder)


def _number(name: str) -> tuple[int, int]:
    """Return the number of a file and how many of its bytes count."""
    match = _NAME.fullmatch(name)
    assert match is not None
    return int(match[1]), int(match[2])


def read_file(file: Path) -> Content:
    """Return what a file holds; whatever else has its name is damage."""
    try:
        # Without waiting for a writer of a FIFO.
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        if not file.is_symlink():
            raise
        return Content([], [], [Damage(file.name, "is a link to nothing")])
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return Content([], [], [Damage(file.name, "is not a plain file")])
    with open(descriptor, "rb") as source:
        length = _number(file.name)[1]
        data = source.read(length)
    content = read_lines(data, file.name)
    if len(data) < length:
        content.damages.append(Damage(file.name, f"has {len(data)} of {length} bytes"))
    return content


def merge_wanted(entries: Iterable[tuple[Setting, int]]) -> dict[Setting, int]:
    """Return how many runs are wanted of each setting, those that were wanted last at the end."""
    merged: dict[Setting, int] = {}
    for setting, runs in entries:
        merged[setting] = max(runs, merged.pop(setting, 0))
    return merged


def coverage(
    blocks: Iterable[Block], covered: dict[Setting, Intervals] | None = None
) -> dict[Setting, Intervals]:
    """Return which runs of which settings the blocks hold, besides those covered before."""
    found = defaultdict(list) if covered is None else covered
    for block in blocks:
        add_interval(found[block.setting], block.first, block.last)
    return found


def each_run_once(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks without the runs that earlier ones hold, by setting and number."""
    ordered = sorted(blocks, key=lambda b: (b.setting.digest, b.first, -b.last))
    for _, group in groupby(ordered, key=lambda block: block.setting):
        end = 0
        for block in group:
            begin = max(block.first, end)
            if begin < block.last:
                yield replace(block, first=begin, rows=block.rows[begin - block.first :])
                end = block.last


def _join(setting: Setting, blocks: list[Block]) -> Runs:
    units = max(block.units for block in blocks)
    return Runs(
        rows=np.concatenate([_in_units(block, units) for block in blocks]),
        units=units,
        seed=setting.entropy,
        setting=setting,
        numbers=np.concatenate([np.arange(block.first, block.last) for block in blocks]),
        versions=tuple(sorted({block.version for block in blocks})),
        seconds=sum(block.seconds for block in blocks),
    )


def _in_units(block: Block, units: int) -> IntArray:
    """Return the rows of a block with scores in units that another version may have had."""
    if block.units == units:
        return block.rows
    rows = block.rows.copy()
    score = COLUMNS.index("score")
    rows[:, score] = np.rint(rows[:, score] / block.units * units)
    return rows
