"""The store: what is written is what is read, whatever happened to the files in between."""

import json
import os
import socket
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperna.cli import main
from hyperna.results import STOP_REASONS
from hyperna.settings import setting
from hyperna.store import lines
from hyperna.store.coverage import add_interval, count, gaps
from hyperna.store.files import StoreError
from hyperna.store.lines import Block, block_lines, read_lines, want_line
from hyperna.store.store import Store, read_file

pandas = pytest.importorskip("pandas", reason="a frame needs hyperna[data]")

HALF = setting(problem="half")
QUARTER = setting(problem="quarter", resolution=60, target=0.9)
WHOLE = st.integers(-(2**63), 2**63 - 1)


def made_up(made, first, last):
    """Rows that depend on setting and number only, like real ones."""
    rows = []
    for number in range(first, last):
        rng = np.random.default_rng([made.entropy, number])
        rows.append([*rng.integers(1, [10**6, 2**52]), rng.integers(1, 6), 0, rng.integers(3)])
    return Block(made, first, np.array(rows, np.int64).reshape(-1, 5), 2**52, 0.5)


def same(one, other):
    pandas.testing.assert_frame_equal(one, other, check_exact=True)


def filled(path, blocks):
    with Store(path).writer() as writer:
        for block in blocks:
            writer.append([block])
    return Store(path)


@given(st.lists(st.tuples(WHOLE, WHOLE, st.integers(0, 5), WHOLE, WHOLE), min_size=1, max_size=50))
def test_any_integers_survive(rows):
    block = Block(HALF, 7, np.array(rows, np.int64), 2**52, 1.25)
    content = read_lines(block_lines(block), "file")
    (back,) = content.blocks
    assert not content.damages
    assert np.array_equal(back.rows, block.rows)
    assert (back.setting, back.first, back.units) == (HALF, 7, 2**52)
    assert (back.seconds, back.version) == (1.25, block.version)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12)), max_size=20))
def test_intervals_are_sets_of_numbers(pieces):
    numbers, intervals = set(), []
    for first, length in pieces:
        numbers |= set(range(first, first + length))
        add_interval(intervals, first, first + length)
    assert {i for first, last in intervals for i in range(first, last)} == numbers
    assert all(a[1] < b[0] for a, b in pairwise(intervals))
    assert {i for a, b in gaps(intervals, 30) for i in range(a, b)} == set(range(30)) - numbers
    assert (count(intervals), count(intervals, 30)) == (len(numbers), len(numbers & set(range(30))))


LINES = [
    block_lines(made_up(HALF, 0, 4)),
    want_line([(HALF, 10)]),
    block_lines(made_up(QUARTER, 3, 8)),
    block_lines(made_up(HALF, 4, 6)),
]
DATA = b"".join(LINES)


@settings(max_examples=400)
@given(st.integers(0, len(DATA) - 1), st.integers(1, 255))
def test_every_changed_byte_is_noticed_and_the_rest_kept(place, change):
    data = bytearray(DATA)
    data[place] ^= change
    content = read_lines(bytes(data), "file")
    assert content.damages
    assert all(damage.file == "file" for damage in content.damages)
    assert len(content.blocks) + len(content.wanted) >= 3
    for block in content.blocks:
        assert np.array_equal(block.rows, made_up(block.setting, block.first, block.last).rows)


@given(st.integers(0, len(DATA) - 1))
def test_every_cut_is_noticed_and_the_beginning_kept(length):
    ((file,), whole) = filled_file(DATA[:length], len(DATA))
    content = read_file(file)
    assert content.damages
    assert [b.first for b in content.blocks] == [b.first for b in whole.blocks][
        : len(content.blocks)
    ]


def test_what_is_behind_the_length_in_the_name_is_not_there_yet():
    (file,), _ = filled_file(DATA, len(LINES[0]))
    assert not read_file(file).damages
    assert [block.first for block in read_file(file).blocks] == [0]


def filled_file(data, length):
    folder = Path(tempfile.mkdtemp())
    file = folder / f"0000-{length}.jsonl"
    file.write_bytes(data)
    return [file], read_lines(DATA, "file")


def forged(**changes):
    """A line with the right checksum that says what no writer says."""
    text = block_lines(made_up(HALF, 0, 4)).decode()
    content = json.loads(text)["runs"]
    return lines._line({"runs": {**content, **changes}})


DEEP = b'"want":' + b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    "data",
    [
        forged(first=-1),
        forged(last=10**18),
        forged(last=3),
        forged(units=0),
        forged(first=None),
        forged(columns={}),
        forged(columns={name: [0, 3, "x"] for name in lines.COLUMNS}),
        forged(columns={name: [0, 8, "not deflated"] for name in lines.COLUMNS}),
        forged(columns={name: [0, 0, ""] for name in lines.COLUMNS}, reasons=[]),
        forged(setting=[]),
        forged(seconds="long"),
        lines._line({"want": [[HALF.canonical, 0, None]]}),
        lines._line({"want": [[HALF.canonical, 1, 5]]}),
        lines._line({"want": 5}),
        lines._line({"want": [[1]]}),
        b'{"check":"%s",%s}\n' % (lines._digest(DEEP), DEEP),
    ],
)
def test_forged_lines_are_damage(data):
    content = read_lines(LINES[0] + data + LINES[2], "file")
    assert len(content.damages) == 1
    assert "make no sense" in str(content.damages[0])
    assert [block.first for block in content.blocks] == [0, 3]


def test_the_frame_does_not_depend_on_the_order_of_writing(tmp_path):
    blocks = [made_up(HALF, 0, 5), made_up(QUARTER, 0, 3), made_up(HALF, 5, 9)]
    overlapping = [made_up(HALF, 2, 9), made_up(HALF, 0, 6), made_up(QUARTER, 0, 3)]
    one, two, three = (
        filled(tmp_path / name, parts).to_frame()
        for name, parts in [("a", blocks), ("b", blocks[::-1]), ("c", overlapping)]
    )
    same(one, two)
    same(one, three)
    assert len(one) == 12


def test_what_the_frame_says(tmp_path):
    rows = [[10, 2**51, 1, 0, 0], [99, 2**50, 3, 0, 2], [99, 0, 5, 40, 0], [5, 2**52, 2, 0, 0]]
    frame = filled(
        tmp_path / "store", [Block(QUARTER, 0, np.array(rows), 2**52), made_up(HALF, 0, 1)]
    ).to_frame()
    quarter = frame[frame.problem == "quarter"]
    assert quarter.run.tolist() == [0, 1, 2, 3]
    assert quarter.fitness.tolist() == [0.5, 0.25, 0.0, 1.0]
    assert quarter.stop_reason.tolist() == ["optimum", "budget", "stuck", "target"]
    assert quarter.success.tolist() == [True, False, False, True]
    assert quarter.censored.tolist() == [False, True, True, False]
    assert quarter.stuck_at.tolist() == [0, 0, 40, 0]
    assert quarter.restarts_used.tolist() == [0, 2, 0, 0]
    assert set(quarter.target) == {"0.9"}
    assert set(frame.resolution) == {60, 120}
    assert set(frame.setting) == {HALF.id, QUARTER.id}
    assert frame.stagnation.isna().all()


def test_blocks_of_a_setting_keep_what_is_their_own_in_the_frame(tmp_path):
    rows = np.array([[7, 30, 1, 0, 0], [8, 40, 3, 0, 0]])
    free = setting(problem="half", target=False)
    blocks = [
        Block(HALF, 4, rows, 40, 1.5, version="0.0.1"),
        Block(HALF, 9, rows, 80, 2.0, version="0.0.2"),
        Block(free, 0, rows, 100, version="0.0.1"),
    ]
    frame = filled(tmp_path / "store", blocks).to_frame()
    half = frame[frame.setting == HALF.id]
    assert half.run.tolist() == [4, 5, 9, 10]
    assert half.fitness.tolist() == [0.75, 1.0, 0.375, 0.5]
    assert half.version.tolist() == ["0.0.1", "0.0.1", "0.0.2", "0.0.2"]
    assert set(half.target) == {"default"}
    assert set(frame[frame.setting == free.id].target) == {"none"}
    first, second = Store(tmp_path / "store").runs()
    both, one = (first, second) if first.setting == HALF else (second, first)
    assert (both.versions, one.versions) == (("0.0.1", "0.0.2"), ("0.0.1",))
    assert both.seconds == 3.5
    assert both.numbers.tolist() == [4, 5, 9, 10]


def test_an_empty_store_is_an_empty_frame(tmp_path):
    frame = filled(tmp_path / "store", []).to_frame()
    assert len(frame) == 0
    assert "evaluations" in frame


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


def test_a_long_block_is_divided_among_lines(monkeypatch):
    monkeypatch.setattr(lines, "MOST_RUNS_PER_LINE", 4)
    block = made_up(HALF, 7, 17)
    found = read_lines(block_lines(block), "some.jsonl").blocks
    assert [(part.first, part.last) for part in found] == [(7, 11), (11, 15), (15, 17)]
    assert np.array_equal(np.concatenate([part.rows for part in found]), block.rows)
    assert sum(part.seconds for part in found) == pytest.approx(block.seconds)


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


def test_reasons_of_another_version(monkeypatch):
    monkeypatch.setattr(lines, "STOP_REASONS", tuple(reversed(STOP_REASONS)))
    data = block_lines(Block(HALF, 0, np.array([[1, 1, 0, 0, 0]]), 1))
    monkeypatch.undo()
    (block,) = read_lines(data, "file").blocks
    assert STOP_REASONS[block.rows[0, 2]] == STOP_REASONS[-1]
    monkeypatch.setattr(lines, "STOP_REASONS", ("running", "optimum"))
    with pytest.raises(ValueError, match="another version of hyperna"):
        read_lines(data, "file")


def test_settings_of_a_newer_version():
    with pytest.raises(ValueError, match="newer version of hyperna"):
        read_lines(forged(setting={**HALF.canonical, "colour": "red"}), "file")


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
