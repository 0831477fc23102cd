"""The store: what is written is what is read, whatever happened to the files in between."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperna.results import STOP_REASONS
from hyperna.settings import setting
from hyperna.store import chunks, store
from hyperna.store.chunks import Block, decode_chunk, encode_chunk
from hyperna.store.coverage import add_interval, count, gaps
from hyperna.store.files import StoreError
from hyperna.store.store import Store

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
    (segment,), damages = decode_chunk(encode_chunk([block]), "file")
    back = segment.block()
    assert not damages
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


CHUNK = encode_chunk([made_up(HALF, 0, 4), made_up(QUARTER, 3, 8), made_up(HALF, 4, 6)])


@settings(max_examples=300)
@given(st.integers(0, len(CHUNK) - 1), st.integers(1, 255))
def test_every_changed_byte_is_noticed_and_the_rest_kept(place, change):
    data = bytearray(CHUNK)
    data[place] ^= change
    segments, damages = decode_chunk(bytes(data), "file")
    assert damages
    assert all(damage.file == "file" for damage in damages)
    assert len(segments) >= 2
    for segment in segments:
        block = made_up(segment.setting(), segment.first, segment.last)
        assert np.array_equal(segment.block().rows, block.rows)


@given(st.integers(0, len(CHUNK) - 1))
def test_every_cut_is_noticed_and_the_beginning_kept(length):
    segments, damages = decode_chunk(CHUNK[:length], "file")
    whole, _ = decode_chunk(CHUNK, "file")
    assert damages
    assert [s.first for s in segments] == [s.first for s in whole][: len(segments)]


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


def test_an_empty_store_is_an_empty_frame(tmp_path):
    frame = filled(tmp_path / "store", []).to_frame()
    assert len(frame) == 0
    assert "evaluations" in frame


def test_small_chunks_are_merged(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "FAN", 4)
    blocks = [made_up(made, i, i + 1) for i in range(30) for made in (HALF, QUARTER)]
    merged = filled(tmp_path / "merged", blocks)
    monkeypatch.setattr(store, "FAN", 1000)
    apart = filled(tmp_path / "apart", blocks)
    assert len(apart.chunk_files()) == 60
    assert len(merged.chunk_files()) <= 3 * 4
    assert len(merged.segments()) < 30
    same(merged.to_frame(), apart.to_frame())


def test_a_crash_between_merging_and_removing_does_no_harm(tmp_path, monkeypatch):
    blocks = [made_up(HALF, i, i + 2) for i in range(0, 20, 2)]
    plain = filled(tmp_path / "plain", blocks)
    monkeypatch.setattr(store, "FAN", len(blocks))
    monkeypatch.setattr(store.Path, "unlink", lambda *_, **__: (_ for _ in ()).throw(OSError()))
    crashed = filled(tmp_path / "crashed", blocks)
    assert len(crashed.chunk_files()) == len(blocks) + 1
    monkeypatch.undo()
    same(crashed.to_frame(), plain.to_frame())
    with crashed.writer() as writer:
        assert writer.missing(HALF, 21) == [(20, 21)]
        assert not writer.repaired


def test_the_plan_grows_and_shrinks_never(tmp_path):
    with Store(tmp_path / "store").writer() as writer:
        writer.want({HALF: 10, QUARTER: 5})
        writer.append([made_up(HALF, 3, 5)])
        writer.want({HALF: 4})
    status = {entry.setting: (entry.done, entry.wanted) for entry in writer.store.status()}
    assert status == {HALF: (2, 10), QUARTER: (0, 5)}


def test_without_a_plan_the_runs_speak_for_themselves(tmp_path):
    lonely = filled(tmp_path / "store", [made_up(HALF, 0, 3), made_up(HALF, 5, 9)])
    assert not (lonely.path / "plan.json").exists()
    assert [(entry.done, entry.wanted) for entry in lonely.status()] == [(7, 9)]


def test_the_path_of_a_file_is_kept_for_running_it_again(tmp_path):
    file = tmp_path / "points.csv"
    file.write_text("x,y,kind\n0.5,0.1,a\n-0.5,0.3,b\n")
    made = setting(problem=str(file))
    with Store(tmp_path / "store").writer() as writer:
        writer.want({made: 3})
    (stored,) = Store(tmp_path / "store").plan()
    assert stored.task().fitness.total == 2


def test_reasons_of_another_version(monkeypatch):
    monkeypatch.setattr(chunks, "STOP_REASONS", tuple(reversed(STOP_REASONS)))
    data = encode_chunk([Block(HALF, 0, np.array([[1, 1, 0, 0, 0]]), 1)])
    monkeypatch.undo()
    (segment,), _ = decode_chunk(data, "file")
    assert STOP_REASONS[segment.column("stop")[0]] == STOP_REASONS[-1]
    monkeypatch.setattr(chunks, "STOP_REASONS", ("running", "optimum"))
    with pytest.raises(ValueError, match="another version of hyperna"):
        segment.column("stop")


def test_settings_of_a_newer_version():
    with pytest.raises(ValueError, match="newer version of hyperna"):
        chunks.stored_setting({**HALF.canonical, "colour": "red"})


def test_a_million_runs_are_small(tmp_path):
    """Even if nothing about them can be compressed."""
    rng = np.random.default_rng(0)
    n = 10**6
    rows = np.zeros((n, 5), np.int64)
    rows[:, 0] = rng.integers(1, 57449, n)
    rows[:, 1] = rng.integers(1, 2**52, n)
    rows[:, 2] = rng.integers(1, 4, n)
    full = filled(tmp_path / "store", [Block(HALF, 0, rows, 2**52)])
    size = sum(file.stat().st_size for file in full.chunk_files())
    assert size < 200e6 / 10
    assert np.array_equal(full.to_frame().evaluations, rows[:, 0])


def test_other_folders_are_left_alone(tmp_path):
    (tmp_path / "letters.txt").write_text("private")
    with pytest.raises(StoreError, match="folder of other things"), Store(tmp_path).writer():
        pass
    with pytest.raises(StoreError, match="is no store"):
        Store(tmp_path).to_frame()
    with pytest.raises(StoreError, match="is no store"):
        Store(tmp_path / "nothing").status()
