"""Campaigns: products of settings times runs, declared in Python or in a TOML file.

A file gives keys, which are the options of ``hyperna run`` and `runs`, with one value or a list::

    runs = 100
    resolution = [120, 240, 480]

    [[settings]]
    problem = ["half", "quarter"]
    mutation = ["harmonic", "local"]

    [[settings]]
    problem = "two_quarters"
    neurons = 2

Every block is the product of its lists. Keys above the blocks count for all of them; a block's own
value goes first. A key counts for the algorithms that know it: where the (1+1) NA and CMA-ES are
listed, a `mutation` is that of the (1+1) NA. One that counts for none is an error.

A `seed` is one of these keys, and not the seed of the runs: that is made of all keys of a setting.
With ``seed = 3`` the runs are others than without, and others than those of ``hyperna run --seed
3``, which takes a seed as it is.
"""

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from hyperna import __version__
from hyperna._validation import check_integer
from hyperna._words import listed, shown
from hyperna.experiments.algorithms import Algorithm, find_algorithm
from hyperna.experiments.execution import work_off
from hyperna.experiments.keys import COMMON, is_default, plain_keys
from hyperna.experiments.run_numbers import count
from hyperna.experiments.setting import Setting, setting
from hyperna.experiments.store import Store, merge_wanted
from hyperna.experiments.targets import with_one_target
from hyperna.parallel import parallel_backend

# Called with the numbers of finished and of all runs, and the estimated seconds left.
TimedProgress = Callable[[int, int, float], None]

DEFAULT_RUNS = 100
# What a campaign may have at most, and what that needs: seconds and bytes for each.
MOST_SETTINGS = 10**6
_SETTING_SECONDS = 5e-4
_SETTING_BYTES = 2_000
MOST_RUNS_PLANNED = 10**12
_RUN_SECONDS = 1e-5
_RUN_BYTES = 2.5


@dataclass(frozen=True)
class Campaign:
    """Settings and how many runs of each are wanted.

    Each setting has a seed of its own, computed from all its keys (``setting.entropy``, `seed`
    among the keys), so that the runs of different settings are independent. ``run_many`` with
    that seed gives the same runs. With the number that a campaign has as its key `seed`,
    ``run_many(seed=...)`` and ``hyperna run --seed`` give others.

    Where algorithms with different search spaces are compared and no target is given, all of them
    are asked for the same fitness: see `hyperna.experiments.targets`. That target is part of their
    settings, so that an algorithm that is added later may ask for new runs of the others.

    Examples
    --------
    >>> campaign = Campaign.product(problem=["half", "quarter"], resolution=[120, 240], runs=50)
    >>> len(campaign.wanted), campaign.total
    (4, 200)
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     frame = campaign.run(folder, n_jobs=2).to_frame()
    >>> len(frame), bool(frame.success.all())
    (200, True)
    """

    wanted: dict[Setting, int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "wanted", with_one_target(self.wanted))

    @classmethod
    def product(
        cls, *, runs: int = DEFAULT_RUNS, folder: str | Path = ".", **keys: Any
    ) -> "Campaign":
        """Return the product of all values; a list gives several values of a key.

        Parameters
        ----------
        runs : int
            Runs of each setting.
        folder : path
            Where CSV files with relative paths are looked for.
        **keys
            The options of ``hyperna run`` and `algorithm`, each with one value or a list.
        """
        made = {"runs": runs, **plain_keys(keys)}
        _refuse_unused(made, [made])
        return cls(merge_wanted(_settings(made, Path(folder))))

    @classmethod
    def from_toml(cls, path: str | Path) -> "Campaign":
        """Read a campaign from a file; the module's description shows what is in it."""
        file = Path(path)
        try:
            text = file.read_bytes().decode("utf-8-sig")
            content = tomllib.loads(text)
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{file} is not UTF-8 text: {error.reason} at byte {error.start}"
            ) from None
        except RecursionError:
            raise ValueError(f"{file}: values are nested too deeply") from None
        except ValueError as error:  # of TOML, and of numbers with thousands of digits
            raise ValueError(f"{file}: {error}") from None
        return _read(content, file.parent, _Lines(str(file), text))

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], folder: str | Path = ".") -> "Campaign":
        """Return the campaign that a file with this content describes.

        Examples
        --------
        >>> Campaign.from_dict({"problem": "half", "runs": 3}).total
        3
        """
        if not isinstance(content, Mapping):
            raise TypeError(f"content must be a mapping of keys to values, got {shown(content)}")
        return _read(content, Path(folder), _Lines("", ""))

    def __add__(self, other: "Campaign") -> "Campaign":
        return Campaign(merge_wanted([*self.wanted.items(), *other.wanted.items()]))

    @property
    def total(self) -> int:
        """Number of runs of all settings."""
        return sum(self.wanted.values())

    def run(
        self,
        store: str | Path | Store,
        *,
        n_jobs: int | None = None,
        backend: str | None = None,
        scheduler: str | None = None,
        progress: TimedProgress | None = None,
        notice: Callable[[str], None] | None = None,
    ) -> Store:
        """Do the runs that the store does not have yet, and return the store.

        Every finished job is on the disk before the next is counted, so that an interrupted
        campaign goes on where it was. A run's result depends on its setting and number only.

        Parameters
        ----------
        store : path or Store
            Folder of the results, made if it does not exist.
        n_jobs : int, optional
            Workers as in joblib, -1 for all processors. They are threads for the (1+1) NA, whose
            kernels free the interpreter lock, else processes.
        backend, scheduler
            See `hyperna.parallel.parallel_backend`.
        progress : callable, optional
            Called with the numbers of finished and of all runs and the estimated seconds left.
        notice : callable, optional
            Told about damage that was found and repaired, and about runs of other versions.
        """
        folder = store if isinstance(store, Store) else Store(store)
        # The cluster first: if it does not answer, no empty store is left behind.
        with parallel_backend(backend, scheduler, n_jobs), folder.writer() as writer:
            tell = notice or (lambda text: None)
            for damage in writer.repaired:
                tell(f"repaired {folder.path}: {damage}; lost runs are repeated")
            if others := ", ".join(sorted(writer.versions - {__version__})):
                tell(f"{folder.path} holds runs of hyperna {others}; new ones are of {__version__}")
            writer.want(self.wanted)
            todo = {made: writer.missing(made, runs) for made, runs in self.wanted.items()}
            done = self.total - sum(map(count, todo.values()))

            def report(runs: int, seconds_left: float) -> None:
                nonlocal done
                done += runs
                if progress is not None:
                    progress(done, self.total, seconds_left)

            report(0, 0.0)
            processes = any(find_algorithm(made.algorithm).processes for made in todo if todo[made])
            work_off(todo, writer, processes=processes, report=report)
        return folder


def _settings(keys: dict[str, Any], folder: Path) -> Iterator[tuple[Setting, int]]:
    """Yield the product of the values, each with its number of runs."""
    runs = check_integer("runs", keys.get("runs", DEFAULT_RUNS), 1)
    values = {}
    for key, value in keys.items():
        if key != "runs":
            values[key] = value if isinstance(value, list | tuple) else [value]
            if not values[key]:
                raise ValueError(f"{key} must have at least one value, got an empty list")
    number = math.prod(map(len, values.values()))
    _check_effort("settings", number, MOST_SETTINGS, _SETTING_SECONDS, _SETTING_BYTES)
    _check_effort("runs", number * runs, MOST_RUNS_PLANNED, _RUN_SECONDS, _RUN_BYTES)
    known = [algorithm.keys for algorithm in _algorithms(keys)]
    for combination in product(*values.values()):
        options = dict(zip(values, combination, strict=True))
        if len(known) > 1:
            [algorithm] = _algorithms(options)
            others = frozenset.union(*known) - algorithm.keys
            options = {key: value for key, value in options.items() if key not in others}
        yield setting(folder, **options), runs


def _algorithms(keys: Mapping[str, Any]) -> list[Algorithm]:
    """Return the algorithms that are named, the (1+1) NA if none is."""
    names = keys.get("algorithm", "na")
    names = names if isinstance(names, list | tuple) else [names]
    return [find_algorithm("na" if is_default(name) else str(name)) for name in names]


def _refuse_unused(keys: Mapping[str, Any], blocks: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a key that counts for none of the algorithms of the blocks."""
    found = {one.name: one for block in blocks for one in _algorithms(block)}
    for key in sorted(keys.keys() - COMMON - {"runs"}):
        if not any(key in algorithm.keys for algorithm in found.values()):
            whom = f"algorithm {next(iter(found))!r}"
            if len(found) > 1:
                whom = f"any of the algorithms {listed(map(repr, found))}"
            raise ValueError(f"{key} does not apply to {whom}; leave it out")


def _check_effort(what: str, number: int, most: int, seconds: float, size: float) -> None:
    """Refuse what no computer can do, and say what it would need."""
    if number > most:
        raise ValueError(
            f"{number:.3g} {what} are too many, at most {most:,}: they would need about "
            f"{number * seconds / 86_400:,.0f} days and {number * size / 1e9:,.0f} GB"
        )


def _read(content: Mapping[str, Any], folder: Path, lines: "_Lines") -> Campaign:
    shared = {key: value for key, value in content.items() if key != "settings"}
    blocks = content.get("settings", [{}])
    with lines.named(None, content):
        if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
            raise ValueError("settings must be written as blocks that begin with [[settings]]")
        shared = _plain(shared)
    wanted: list[tuple[Setting, int]] = []
    whole = []
    for number, block in enumerate(blocks):
        with lines.named(number, [*block, *shared]):
            own = _plain(block)
            whole.append(_inherit(shared, own))
            _refuse_unused(own, whole[-1:])
    with lines.named(None, content):
        _refuse_unused(shared, whole)
    for number, block in enumerate(blocks):
        with lines.named(number, [*block, *shared]):
            wanted += _settings(whole[number], folder)
    return Campaign(merge_wanted(wanted))


def _plain(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys under their plain names, `runs` among them."""
    nested = [key for key, value in keys.items() if isinstance(value, dict)]
    if nested:
        raise ValueError(f"{nested[0]} must not be a table; blocks are written as [[settings]]")
    runs = {"runs": keys["runs"]} if "runs" in keys else {}
    rest = {key: value for key, value in keys.items() if key != "runs"}
    return runs | plain_keys(rest, others=("runs", "settings"))


def _inherit(shared: Mapping[str, Any], block: Mapping[str, Any]) -> dict[str, Any]:
    """Return a block's keys with the shared ones that its algorithms know."""
    merged = {**shared, **block}
    known = frozenset[str]().union(*(algorithm.keys for algorithm in _algorithms(merged)))
    kept = COMMON | known | {"runs"} | block.keys()
    return {key: value for key, value in merged.items() if key in kept}


class _Lines:
    """Finds the line of a key in a TOML file, to name it in messages."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.lines = text.splitlines()
        heads = [i for i, line in enumerate(self.lines) if re.match(r"\s*\[\[\s*settings", line)]
        self.starts = [*heads, len(self.lines)]

    @contextmanager
    def named(self, block: int | None, keys: Iterable[str]) -> Iterator[None]:
        """Put file and line of the key that an error speaks of in front of its message."""
        try:
            yield
        except (ValueError, TypeError) as error:
            message = str(error)
            found = {key: re.search(rf"(?<![\w-]){_spelt(key)}(?![\w-])", message) for key in keys}
            places = {key: match.start() for key, match in found.items() if match}
            line = self._line(block, min(places, key=lambda key: places[key], default=None))
            where = "" if block is None else f"settings block {block + 1}"
            parts = self.file, f"line {line}" if line else where, message
            raise ValueError(": ".join(filter(None, parts))) from None

    def _line(self, block: int | None, key: str | None) -> int | None:
        """Return the line of the key in the block or above all blocks, else of the block's head."""
        head = self.starts[block] if block is not None and block + 1 < len(self.starts) else None
        ranges = [(0, self.starts[0])]
        if head is not None and block is not None:
            ranges.insert(0, (head, self.starts[block + 1]))
        if key is not None:
            for first, last in ranges:
                for i in range(first, last):
                    if re.match(rf"""\s*["']?{_spelt(key)}["']?\s*=""", self.lines[i]):
                        return i + 1
        return None if head is None else head + 1


def _spelt(key: str) -> str:
    """Return a pattern for a key with hyphens or underscores."""
    return "[-_]".join(map(re.escape, re.split("[-_]", str(key))))
