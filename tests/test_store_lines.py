"""The lines of a store: what is written is read, and damage to any byte is noticed."""

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import HALF, QUARTER, made_up

from hyperna.experiments import lines
from hyperna.experiments.lines import Block, block_lines, read_lines, want_line
from hyperna.experiments.setting import setting
from hyperna.experiments.store import read_file
from hyperna.run.results import STOP_REASONS


def test_stop_reasons_of_other_versions_keep_their_names():
    from hyperna.experiments.lines import _translate

    other = ["optimum", "running", "stuck", "budget"]
    codes = _translate(np.array([0, 2, 3]), other)
    assert [STOP_REASONS[code] for code in codes] == ["optimum", "stuck", "budget"]


def test_a_repaired_store_still_knows_what_is_wanted(tmp_path):
    from hyperna.experiments.lines import Block
    from hyperna.experiments.store import Store

    made, other = (setting(problem="half", resolution=r) for r in (10, 20))
    store = Store(tmp_path / "store")
    with store.writer() as writer:
        writer.want({made: 30, other: 7})
        writer.append([Block(made, 0, made.runner().run_block(made.entropy, 0, 5), 40)])
    [file] = store.files()
    content = file.read_bytes()
    file.write_bytes(content[:-20] + b"#" + content[-19:])
    with store.writer() as writer:
        assert writer.repaired
    assert store.wanted() == {made: 30, other: 7}
    assert not store.damages()


def test_a_file_of_which_runs_are_left_keeps_what_is_wanted_too(tmp_path):
    """Of the two blocks beside the wanted numbers one is damaged: the other stays, as they do."""
    from hyperna.experiments.store import Store

    store = Store(tmp_path / "store")
    with store.writer() as writer:
        writer.want({HALF: 30, QUARTER: 7})
        writer.append([made_up(HALF, 0, 5)])
        writer.append([made_up(QUARTER, 0, 3)])
    [file] = store.files()
    content = file.read_bytes()
    file.write_bytes(content[:-20] + b"#" + content[-19:])
    with store.writer() as writer:
        assert writer.repaired
        assert writer.missing(HALF, 30) == [(5, 30)]
        assert writer.missing(QUARTER, 7) == [(0, 7)]
        writer.want({HALF: 30, QUARTER: 7})
    assert store.wanted() == {HALF: 30, QUARTER: 7}
    assert [(one.done, one.wanted) for one in store.status()] == [(5, 30), (0, 7)]


def test_runs_that_are_there_twice_are_those_of_the_longest_block(tmp_path):
    from hyperna.experiments.lines import Block
    from hyperna.experiments.store import Store

    made = setting(problem="half", resolution=10)
    rows, units = made.runner().run_block(made.entropy, 0, 9), made.runner().units
    store = Store(tmp_path / "store")
    with store.writer() as writer:
        for last, version in ((4, "0.0.1"), (9, "0.0.2"), (6, "0.0.3")):
            writer.append([Block(made, 0, rows[:last], units, float(last), version)])
    [runs] = store.runs()
    assert np.array_equal(runs.rows, rows)
    assert (runs.numbers.tolist(), runs.seconds, runs.versions) == ([*range(9)], 9.0, ("0.0.2",))


@pytest.mark.parametrize("first", [2**40, 2**34 // 24 * 24])
def test_versions_that_measure_fitness_in_other_units_may_share_a_setting(tmp_path, first):
    from hyperna.experiments.lines import Block
    from hyperna.experiments.store import Store

    made = setting(problem="half", resolution=10)
    rows, units = made.runner().run_block(made.entropy, 0, 9), made.runner().units
    old = rows[:4].copy()
    old[:, 1] = np.rint(old[:, 1] / units * first)
    store = Store(tmp_path / "store")
    with store.writer() as writer:
        writer.append([Block(made, 0, old, first, 1.0, "0.0.1")])
        writer.append([Block(made, 4, rows[4:], units, 1.0, "0.0.2")])
    [runs] = store.runs()
    assert runs.units == max(units, first)
    assert runs.fitness == pytest.approx(rows[:, 1] / units, abs=1 / first)
    assert np.array_equal(runs.rows[:, 2:], rows[:, 2:])


WHOLE = st.integers(-(2**63), 2**63 - 1)


@given(st.lists(st.tuples(WHOLE, WHOLE, st.integers(0, 5), WHOLE, WHOLE), min_size=1, max_size=50))
def test_any_integers_survive(rows):
    block = Block(HALF, 7, np.array(rows, np.int64), 2**52, 1.25)
    content = read_lines(block_lines(block), "file")
    (back,) = content.blocks
    assert not content.damages
    assert np.array_equal(back.rows, block.rows)
    assert (back.setting, back.first, back.units) == (HALF, 7, 2**52)
    assert (back.seconds, back.version) == (1.25, block.version)


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
        forged(columns={name: [1, 0, ""] for name in lines.COLUMNS}, reasons=["running"]),
        forged(columns={name: [-1, 0, ""] for name in lines.COLUMNS}),
        forged(columns={name: [1, 0, ""] for name in (*lines.COLUMNS, "terms_used")}),
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


@pytest.mark.parametrize("width", [4, 8])
def test_rows_with_other_columns_are_refused(width):
    """Columns go by their place, so that another number of them would shift what they mean."""
    with pytest.raises(ValueError, match=f"have the columns evaluations, .*got {width} columns"):
        Block(HALF, 0, np.ones((3, width), int), 1)


def test_a_long_block_is_divided_among_lines(monkeypatch):
    monkeypatch.setattr(lines, "MOST_RUNS_PER_LINE", 4)
    block = made_up(HALF, 7, 17)
    found = read_lines(block_lines(block), "some.jsonl").blocks
    assert [(part.first, part.last) for part in found] == [(7, 11), (11, 15), (15, 17)]
    assert np.array_equal(np.concatenate([part.rows for part in found]), block.rows)
    assert sum(part.seconds for part in found) == pytest.approx(block.seconds)


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
