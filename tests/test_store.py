"""The store: what is written is what is read, whatever happened to the files in between."""

import json
import os
import socket
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stores import HALF, QUARTER, filled, made_up

from hyperna.cli import main
from hyperna.experiments.lines import Block
from hyperna.experiments.locking import StoreError
from hyperna.experiments.run_numbers import add_interval, count, gaps
from hyperna.experiments.setting import setting
from hyperna.experiments.store import Store

pandas = pytest.importorskip("pandas", reason="a frame needs hyperna[data]")


def same(one, other):
    pandas.testing.assert_frame_equal(one, other, check_exact=True)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12)), max_size=20))
def test_intervals_are_sets_of_numbers(pieces):
    numbers, intervals = set(), []
    for first, length in pieces:
        numbers |= set(range(first, first + length))
        add_interval(intervals, first, first + length)
    assert {i for first, last in intervals for i in range(first, last)} == numbers
    assert all(a[1] < b[0] for a, b in pairwise(intervals))
    assert {i for a, b in gaps(intervals, 30) for i in range(a, b)} == set(range(30)) - numbers
    assert count(intervals) == len(numbers)


def test_files_never_share_a_number_after_a_repair(tmp_path):
    store = Store(tmp_path / "store")
    for first in range(3):
        with store.writer() as writer:
            writer.append([made_up(HALF, first, first + 1)])
    damaged = store.files()[0]
    damaged.write_bytes(damaged.read_bytes()[:-5])
    for first in (0, 3, 4):
        with store.writer() as writer:
            writer.append([made_up(HALF, first, first + 1)])
    numbers = [file.name.partition("-")[0] for file in store.files()]
    assert len(set(numbers)) == len(numbers) == 5
    assert len(store.to_frame()) == 5


def test_the_status_counts_no_more_than_is_wanted(tmp_path, capsys):
    store = Store(tmp_path / "store")
    with store.writer() as writer:
        writer.want({HALF: 2, QUARTER: 4})
        writer.append([made_up(HALF, 0, 5), made_up(QUARTER, 1, 2)])
    assert [(entry.done, entry.wanted) for entry in store.status()] == [(5, 2), (1, 4)]
    assert main(["campaign", "status", str(store.path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["done"], told["wanted"]) == (3, 6)
    assert [(each["done"], each["wanted"]) for each in told["settings"]] == [(5, 2), (1, 4)]
    assert main(["campaign", "status", str(store.path)]) == 0
    assert "3 of 6 runs of 2 settings are done" in capsys.readouterr().out


def test_the_lock_names_its_last_holder_only(tmp_path):
    store = Store(tmp_path / "store")
    for _ in range(3):
        with store.writer():
            text = (store.path / "lock").read_text()
            assert text == f"process {os.getpid()} on {socket.gethostname()}\n"


def test_each_writer_has_a_file_of_its_own(tmp_path):
    filled(tmp_path / "store", [made_up(HALF, i, i + 1) for i in range(5)])
    again = filled(tmp_path / "store", [made_up(HALF, i, i + 1) for i in range(5, 9)])
    with again.writer() as writer:
        writer.append([])
    assert [file.name[:5] for file in again.files()] == ["0000-", "0001-"]
    for file in again.files():
        assert file.name == f"{file.name[:4]}-{file.stat().st_size}.jsonl"
    same(again.to_frame(), filled(tmp_path / "one", [made_up(HALF, 0, 9)]).to_frame())


def test_the_order_of_durable_writes(tmp_path, monkeypatch):
    """Lines are on the disk before the name says that they count; then the name is."""
    events = []

    def recorded(name, real):
        def call(*arguments, **options):
            if name != "write" or arguments[0] > 2:
                events.append(name)
            return real(*arguments, **options)

        return call

    store = Store(tmp_path / "store")
    with store.writer() as writer:
        writer.want({HALF: 3})
        real_open = open

        def watched(*arguments, **options):
            file = real_open(*arguments, **options)
            if str(arguments[0]).endswith(".jsonl"):
                target = Watched(file, events)
                return target
            return file

        monkeypatch.setattr("builtins.open", watched)
        monkeypatch.setattr(os, "fsync", recorded("fsync", os.fsync))
        monkeypatch.setattr(os, "replace", recorded("replace", os.replace))
        writer.append([made_up(HALF, 0, 3)])
    monkeypatch.undo()
    assert events == ["truncate", "write", "fsync", "close", "replace", "fsync"]


def test_repairs_are_durable_before_anything_is_written(tmp_path, monkeypatch):
    """What is intact is safe before the damaged file goes, and both folders know where it is."""
    store = Store(tmp_path / "store")
    with store.writer() as writer:
        writer.append([made_up(HALF, 0, 3)])
        writer.append([made_up(HALF, 3, 6)])
    [file] = store.files()
    file.write_bytes(file.read_bytes()[:-9])
    events = []
    real = {"replace": os.replace, "fsync": os.fsync}

    def replace(one, other):
        events.append(("moved", Path(other).parent.name))
        real["replace"](one, other)

    def fsync(descriptor):
        synced = Path(f"/proc/self/fd/{descriptor}").resolve()
        events.append(("synced", synced.name if synced.is_dir() else "file"))
        real["fsync"](descriptor)

    monkeypatch.setattr(os, "replace", replace)
    monkeypatch.setattr(os, "fsync", fsync)
    with store.writer() as writer:
        assert writer.missing(HALF, 6) == [(3, 6)]
    monkeypatch.undo()
    saved = [("synced", "file"), ("moved", "store"), ("synced", "store")]
    assert events == [*saved, ("moved", "damaged"), ("synced", "damaged"), ("synced", "store")]


class Watched:
    """A file that tells what is done to it."""

    def __init__(self, file, events):
        self.file, self.events = file, events

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.events.append("close")
        self.file.close()

    def __getattr__(self, name):
        if name != "fileno":
            self.events.append(name)
        return getattr(self.file, name)


def test_wanted_numbers_never_become_smaller(tmp_path):
    with Store(tmp_path / "store").writer() as writer:
        writer.want({HALF: 10, QUARTER: 5})
        writer.append([made_up(HALF, 3, 5)])
        writer.want({HALF: 4})
    status = {entry.setting: (entry.done, entry.wanted) for entry in writer.store.status()}
    assert status == {HALF: (2, 10), QUARTER: (0, 5)}


def test_what_was_wanted_last_is_listed_last(tmp_path):
    with Store(tmp_path / "store").writer() as writer:
        writer.append([made_up(QUARTER, 0, 2), made_up(HALF, 0, 2)])
        writer.want({HALF: 10, QUARTER: 5})
    assert [runs.setting for runs in writer.store.runs()] == [HALF, QUARTER]
    with writer.store.writer() as writer:
        writer.want({HALF: 12})
    assert [entry.setting for entry in writer.store.status()] == [QUARTER, HALF]
    assert [runs.setting for runs in writer.store.runs()] == [QUARTER, HALF]


def test_without_wanted_numbers_the_runs_speak_for_themselves(tmp_path):
    lonely = filled(tmp_path / "store", [made_up(HALF, 0, 3), made_up(HALF, 5, 9)])
    assert not lonely.wanted()
    assert [(entry.done, entry.wanted) for entry in lonely.status()] == [(7, 9)]


def test_the_path_of_a_file_is_kept_for_running_it_again(tmp_path):
    file = tmp_path / "points.csv"
    file.write_text("x,y,kind\n0.5,0.1,a\n-0.5,0.3,b\n")
    made = setting(problem=str(file))
    with Store(tmp_path / "store").writer() as writer:
        writer.want({made: 3})
    (stored,) = Store(tmp_path / "store").wanted()
    assert stored.runner().fitness.total == 2


@pytest.mark.slow
def test_a_million_runs_are_small(tmp_path):
    """Even if nothing about them can be compressed."""
    rng = np.random.default_rng(0)
    n = 10**6
    rows = np.zeros((n, 5), np.int64)
    rows[:, 0] = rng.integers(1, 57449, n)
    rows[:, 1] = rng.integers(1, 2**52, n)
    rows[:, 2] = rng.integers(1, 4, n)
    full = filled(tmp_path / "store", [Block(HALF, 0, rows, 2**52)])
    size = sum(file.stat().st_size for file in full.files())
    assert size < 200e6 / 16
    assert np.array_equal(full.to_frame().evaluations, rows[:, 0])


def test_other_folders_are_left_alone(tmp_path):
    (tmp_path / "letters.txt").write_text("private")
    with pytest.raises(StoreError, match="folder with other content"), Store(tmp_path).writer():
        pass
    with pytest.raises(StoreError, match="is not a store"):
        Store(tmp_path).to_frame()
    with pytest.raises(StoreError, match="is not a store"):
        Store(tmp_path / "nothing").status()


def test_stores_of_older_versions_are_named(tmp_path):
    (tmp_path / "chunks").mkdir()
    (tmp_path / "lock").touch()
    with pytest.raises(StoreError, match=r"written by hyperna 0\.3 or before"):
        Store(tmp_path).status()
    with (
        pytest.raises(StoreError, match=r"written by hyperna 0\.3 or before"),
        Store(tmp_path).writer(),
    ):
        pass


def test_what_is_wanted_already_is_not_written_again(tmp_path):
    """Neither by the writer that noted it nor by a later one; a smaller number is no news."""
    store = Store(tmp_path / "store")

    def size():
        return sum(file.stat().st_size for file in store.files())

    with store.writer() as writer:
        writer.want({HALF: 5})
        before = size()
        writer.want({HALF: 5})
        writer.want({HALF: 3})
        assert size() == before
    with store.writer() as writer:
        writer.want({HALF: 4})
        assert size() == before
        writer.want({HALF: 6})
        assert size() > before
    assert store.wanted() == {HALF: 6}


def test_a_writer_knows_the_versions_of_all_runs(tmp_path):
    old = replace(made_up(HALF, 0, 2), version="0.1")
    new = replace(made_up(HALF, 2, 3), version="0.2")
    with Store(tmp_path).writer() as writer:
        assert writer.versions == set()
        writer.append([old])
        assert writer.versions == {"0.1"}
    with Store(tmp_path).writer() as writer:
        assert writer.versions == {"0.1"}
        writer.append([new])
        assert writer.versions == {"0.1", "0.2"}
    [runs] = Store(tmp_path).runs()
    assert runs.versions == ("0.1", "0.2")
    assert runs.seconds == old.seconds + new.seconds
