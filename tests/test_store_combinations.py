"""Stores, frames, settings and logs against plain sets and dictionaries, at their borders."""

import itertools
import shutil

import numpy as np
import pytest
from stores import made_up

from hyperna.experiments.campaign import Campaign
from hyperna.experiments.lines import Block, _pack, _unpack, block_lines, read_lines
from hyperna.experiments.setting import setting
from hyperna.experiments.store import Store, each_run_once, merge_wanted
from hyperna.interop import Cell, LoggedRun, write_cell
from hyperna.interop import names as interop_names
from hyperna.run.description import OPTIONS
from hyperna.run.results import STOP_REASONS

MADE = [setting(problem="half", resolution=r) for r in (12, 24, 36)]


def runs_of(intervals):
    return {run for first, last in intervals for run in range(first, last)}


def check_store(store, stored, wanted):
    """What a store answers, against the numbers of the stored runs and of the wanted ones."""
    status = {one.setting: (one.done, one.wanted) for one in store.status()}
    expected = {made: (len(stored.get(made, ())), runs) for made, runs in wanted.items()}
    for made, numbers in stored.items():
        # of a setting that nobody wants all numbers up to the last one
        expected.setdefault(made, (len(numbers), max(numbers) + 1))
    assert status == expected
    assert [*status][: len(wanted)] == [*wanted]
    found = {runs.setting: runs for runs in store.runs()}
    assert {made: runs.numbers.tolist() for made, runs in found.items()} == {
        made: sorted(numbers) for made, numbers in stored.items()
    }
    for made, runs in found.items():
        rows = np.concatenate([made_up(made, n, n + 1).rows for n in sorted(stored[made])])
        np.testing.assert_array_equal(runs.rows, rows)
    assert [made for made in found if made in wanted] == [m for m in wanted if m in found]


def random_writers(rng, path, writers=2):
    """A store of several writers with blocks of any numbers, and what it holds."""
    stored, wanted, store = {}, {}, Store(path)
    for _ in range(writers):
        with store.writer() as writer:
            for _ in range(rng.integers(1, 5)):
                made, first = MADE[rng.integers(3)], int(rng.integers(0, 9))
                if rng.random() < 0.4:
                    runs = int(rng.integers(1, 14))
                    # what is wanted again goes to the end, unless nothing changes
                    merged = merge_wanted([*wanted.items(), (made, runs)])
                    wanted = merged if merged != wanted else wanted
                    writer.want({made: runs})
                else:
                    last = first + int(rng.integers(0, 6))
                    writer.append([made_up(made, first, last)])
                    if last > first:
                        stored.setdefault(made, set()).update(range(first, last))
                for one in MADE:
                    for runs in (1, first, 14, max(stored.get(one, {0})) + 1):
                        missing = writer.missing(one, runs)
                        assert runs_of(missing) == set(range(runs)) - stored.get(one, set())
                        assert all(a < b for a, b in missing)
                        assert all(a[1] < b[0] for a, b in itertools.pairwise(missing))
    return store, stored, wanted


def ordered_wanted(store, wanted):
    """The wanted numbers in the order that the lines of the store give."""
    return {made: wanted[made] for made in store.wanted()}


def test_of_blocks_inside_each_other_every_run_is_told_once():
    rng = np.random.default_rng(5)
    for _ in range(200):
        blocks = []
        for mark in range(int(rng.integers(1, 7))):
            first = int(rng.integers(0, 12))
            count = int(rng.integers(1, 10))
            rows = np.full((count, 5), mark)
            rows[:, 1] = np.arange(first, first + count)
            blocks.append(Block(MADE[rng.integers(0, 2)], first, rows, 1))
        found = list(each_run_once(blocks))
        for made in MADE[:2]:
            numbers = [
                n for one in found if one.setting == made for n in range(one.first, one.last)
            ]
            held = [one.rows[:, 1].tolist() for one in found if one.setting == made]
            wanted = runs_of((one.first, one.last) for one in blocks if one.setting == made)
            assert numbers == sorted(wanted)
            assert list(itertools.chain(*held)) == numbers


@pytest.mark.parametrize("seed", range(12))
def test_a_store_is_the_union_of_its_blocks(tmp_path, seed):
    rng = np.random.default_rng(seed)
    store, stored, wanted = random_writers(rng, tmp_path / "store")
    assert store.wanted() == wanted
    check_store(store, stored, ordered_wanted(store, wanted))
    frame = store.to_frame()
    assert len(frame) == sum(map(len, stored.values()))
    for made in stored:
        own = frame[frame.setting == made.id]
        assert own.run.tolist() == sorted(stored[made])
        rows = [made_up(made, n, n + 1).rows[0] for n in sorted(stored[made])]
        assert own.evaluations.tolist() == [row[0] for row in rows]
        assert own.stop_reason.tolist() == [STOP_REASONS[row[2]] for row in rows]
        assert own.restarts_used.tolist() == [row[4] for row in rows]


@pytest.mark.parametrize("seed", range(6))
def test_files_of_two_stores_in_one_folder_are_one_store(tmp_path, seed):
    rng = np.random.default_rng(100 + seed)
    one, stored, wanted = random_writers(rng, tmp_path / "one", 1)
    other, more, also = random_writers(rng, tmp_path / "other", 2)
    for number, file in enumerate(other.files(), start=7):
        shutil.copy(file, one.path / f"{number:04d}-{file.name.partition('-')[2]}")
    for made, numbers in more.items():
        stored.setdefault(made, set()).update(numbers)
    both = merge_wanted([*wanted.items(), *also.items()])
    assert one.wanted() == both
    check_store(one, stored, ordered_wanted(one, both))
    with one.writer() as writer:
        writer.append([made_up(MADE[0], 40, 41)])
    assert int(one.files()[-1].name[:4]) == 7 + len(other.files()) or not other.files()


@pytest.mark.parametrize("cut", [1, 2, 30, "line", "line and one", "all but one", "all"])
def test_a_last_line_that_is_cut_costs_its_runs_only(tmp_path, cut):
    store = Store(tmp_path / "store")
    with store.writer() as writer:
        writer.want({MADE[0]: 9})
        writer.append([made_up(MADE[0], 0, 3)])
        writer.append([made_up(MADE[0], 3, 7)])
    [file] = store.files()
    data = file.read_bytes()
    ends = [k + 1 for k, byte in enumerate(data) if byte == 10]
    last, before = ends[-1] - ends[-2], ends[-1] - ends[0]
    lost = {"line": last, "line and one": last + 1, "all but one": len(data) - 1, "all": len(data)}
    amount = lost.get(cut, cut)
    file.write_bytes(data[: len(data) - amount])
    whole = sum(len(data) - amount >= end for end in ends)
    kept = {0: set(), 1: set(), 2: set(range(3)), 3: set(range(7))}[whole]
    assert store.damages()
    assert runs_of([(b.first, b.last) for b in store.scan().blocks]) == kept
    assert store.wanted() == ({MADE[0]: 9} if whole else {})
    with store.writer() as writer:
        assert writer.repaired
        assert runs_of(writer.missing(MADE[0], 9)) == set(range(9)) - kept
        writer.append([made_up(MADE[0], first, last) for first, last in writer.missing(MADE[0], 7)])
        writer.want({MADE[0]: 9})
    assert not store.damages()
    check_store(store, {MADE[0]: set(range(7))}, {MADE[0]: 9})
    assert before >= last


WIDTHS = [
    ([5], 0), ([5, 5], 0), ([0, 1], 1), ([-3, 252], 1), ([-3, 253], 2), ([0, 65_535], 2),
    ([0, 65_536], 4), ([7, 7 + 2**32 - 1], 4), ([7, 7 + 2**32], 8), ([-(2**63), 2**63 - 1], 8),
]  # fmt: skip


@pytest.mark.parametrize(("ends", "width"), WIDTHS)
def test_values_take_no_more_bytes_than_they_need(ends, width):
    values = np.resize(np.array(ends, np.int64), 40)
    low, found, text = _pack(values)
    assert (low, found) == (min(ends), width)
    assert (text == "") == (width == 0)
    np.testing.assert_array_equal(_unpack([low, found, text], 40), values)
    with pytest.raises(ValueError, match="reshape"):
        _unpack([low, found, text], 39) if width else _unpack([low, 1, _pack(values + 0)[2]], 39)


def test_lines_next_to_each_other_keep_their_borders():
    """Blocks of one run, gaps of one run, blocks that touch."""
    blocks = [made_up(MADE[0], first, last) for first, last in ((0, 1), (1, 2), (3, 4), (2, 3))]
    content = read_lines(b"".join(map(block_lines, blocks)), "file")
    assert [(b.first, b.last) for b in content.blocks] == [(0, 1), (1, 2), (3, 4), (2, 3)]
    assert not content.damages


def test_files_are_read_in_the_order_of_their_numbers_whatever_their_digits(tmp_path):
    """The ten thousandth writer has one digit more, and a later one a file of its own."""
    store = Store(tmp_path / "store")
    with store.writer() as writer:
        writer.append([made_up(MADE[0], 0, 1)])
    [file] = store.files()
    file.rename(file.with_name(f"9998-{file.name.partition('-')[2]}"))
    for number in range(1, 4):
        with store.writer() as writer:
            writer.want({MADE[number % 2]: number})
            writer.append([made_up(MADE[0], number, number + 1)])
    names = [int(file.name.partition("-")[0]) for file in store.files()]
    assert names == [9998, 9999, 10_000, 10_001]
    assert [block.first for block in store.scan().blocks] == [0, 1, 2, 3]
    assert [*store.wanted().items()] == [(MADE[0], 2), (MADE[1], 3)]


def test_runs_that_nobody_wants_come_after_those_that_are_wanted(tmp_path):
    store = Store(tmp_path / "store")
    for wanted in itertools.permutations(MADE, 2):
        path = tmp_path / "-".join(one.id for one in wanted)
        store = Store(path)
        with store.writer() as writer:
            writer.append([made_up(made, 0, 2) for made in MADE])
            writer.want(dict.fromkeys(wanted, 4))
        [last] = set(MADE) - set(wanted)
        assert [runs.setting for runs in store.runs()] == [*wanted, last]
        assert [(one.setting, one.wanted) for one in store.status()] == [
            *((one, 4) for one in wanted),
            (last, 2),
        ]


# ---- settings


DEFAULTED = [name for name, option in OPTIONS.items() if option.default is not None]
SUBJECTS = [
    {"problem": "quarter"},
    {"problem": "quarter", "dim": 3, "points": 40, "neurons": 2, "output": "and"},
    {"problem": "half", "algorithm": "rls", "resolution": 48, "target": False},
    {"problem": "two_quarters", "neurons": "evolved", "restarts": "auto"},
    {"problem": "cube", "dim": 2, "neuron": "bent", "bias": False},
]


@pytest.mark.parametrize("options", SUBJECTS, ids=str)
def test_defaults_may_be_written_or_not_everywhere(options):
    made = setting(**options)
    for name in DEFAULTED:
        if name in options or (name == "neurons" and options["problem"] != "quarter"):
            continue
        if name == "judge_once" or name == "scale":
            continue
        written = setting(**options, **{name: OPTIONS[name].default})
        if name != "neurons" or made.neurons == 1:
            assert (written.digest, written.entropy) == (made.digest, made.entropy), name
        by_word = setting(**options, **{name: "default"})
        assert by_word == made
    whole = {name: made.options[name] for name in made.canonical}
    assert setting(**whole) == made
    assert made.entropy == int(made.digest[:32], 16)
    assert made.id == made.digest[:16]
    both = Campaign.from_dict({**whole, "runs": 3}) + Campaign.from_dict({**options, "runs": 2})
    assert both.wanted == {made: 3}


def test_campaigns_add_up_to_the_larger_numbers_in_the_order_of_the_last_wish():
    a, b, c = MADE
    merged = merge_wanted([(a, 3), (b, 5), (a, 2), (c, 1), (b, 9)])
    assert [*merged.items()] == [(a, 3), (c, 1), (b, 9)]
    blocks = {"resolution": [12, 24], "problem": "half", "runs": 4}
    some = Campaign.from_dict({**blocks, "settings": [{}, {"resolution": 24, "runs": 9}]})
    assert some.wanted == {a: 4, b: 9}
    assert some.total == 13


def test_a_campaign_does_only_what_is_missing(tmp_path, monkeypatch):
    """Gaps in the middle and at both ends; what is there is left as it is."""
    made = setting(problem="half", resolution=12)
    store, real = Store(tmp_path / "store"), made.runner()
    marked = real.run_block(made.entropy, 2, 4)
    marked[:, 0] = 10**9
    with store.writer() as writer:
        writer.append([Block(made, 2, marked, real.units), Block(made, 6, marked[:1], real.units)])
    progress = []
    Campaign({made: 8}).run(store, progress=lambda done, total, _: progress.append((done, total)))
    [runs] = store.runs()
    assert runs.numbers.tolist() == list(range(8))
    assert (runs.evaluations == 10**9).tolist() == [n in (2, 3, 6) for n in range(8)]
    fresh = real.run_block(made.entropy, 0, 8)
    keep = runs.evaluations < 10**9
    np.testing.assert_array_equal(runs.rows[keep], fresh[keep])
    assert progress[0] == (3, 8)
    assert progress[-1] == (8, 8)
    # fewer are never less, and one more is one more
    Campaign({made: 5}).run(store)
    assert store.wanted() == {made: 8}
    Campaign({made: 9}).run(store)
    assert store.runs()[0].numbers.tolist() == list(range(9))


# ---- frames


@pytest.mark.parametrize("given", [(True, False), (False, True), (True, True), (False, False)])
def test_columns_of_late_options_are_there_where_a_setting_has_a_value(tmp_path, given):
    pandas = pytest.importorskip("pandas")
    late = {
        "neuron": "bent", "replace_neuron": 0.25, "online": 7, "stagnation": 9,
        "mutation_probability": 0.3, "redraw_void": True, "seed": 4, "target": 0.5, "restarts": 2,
    }  # fmt: skip
    store = Store(tmp_path / "store")
    for name, value in late.items():
        settings = [
            setting(problem="half", resolution=r, **({name: value} if has else {}))
            for r, has in zip((12, 24), given, strict=True)
        ]
        store = Store(tmp_path / name)
        with store.writer() as writer:
            writer.append([Block(made, 3, np.array([[5, 1, 1, 0, 0]]), 2) for made in settings])
        frame = store.to_frame()
        option = OPTIONS[name]
        assert (name in frame) == (option.written or any(given)), name
        if name not in frame:
            continue
        missing = {"target": "default", "seed": 0, "restarts": 0, "redraw_void": False,
                   "mutation_probability": 0.5}  # fmt: skip
        for shown, r in zip(frame[name].tolist(), frame.resolution.tolist(), strict=True):
            has = given[(12, 24).index(r)]
            if has:
                assert shown == (str(value) if name == "target" else value)
            elif name in missing:
                assert shown == missing[name]
            else:
                assert pandas.isna(shown)
        if option.column:
            assert str(frame[name].dtype) == option.column
        assert frame.run.tolist() == [3, 3]
        assert frame.success.tolist() == [True, True]


def random_rows(rng, count, width):
    """Rows of a width whose values are all different from those of other columns."""
    rows = np.zeros((count, width), np.int64)
    rows[:, 0] = rng.integers(1, 10**6, count)
    rows[:, 1] = rng.integers(0, 4096, count)
    rows[:, 2] = rng.integers(1, len(STOP_REASONS), count)
    rows[:, 3] = rng.integers(0, 10**6, count)
    rows[:, 4] = rng.integers(0, 9, count)
    rows[:, 5:] = rng.integers(1, 40, (count, width - 5))
    return rows


@pytest.mark.parametrize("seed", range(4))
def test_every_row_of_a_frame_is_the_row_of_its_run(tmp_path, seed):
    """Blocks of all widths and units, of several versions, out of order and one upon the other."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    kinds = [
        (setting(problem="half", resolution=12), 5),
        (setting(problem="half", resolution=100, target=0.5), 5),
        (setting(problem="half", resolution=24, neurons="evolved"), 6),
        (setting(problem="cube", dim=2, neurons=2, resolution=24, term_cost=1), 7),
    ]
    kinds = [kinds[place] for place in rng.permutation(4)[: 2 + seed % 3]]
    kept, blocks = {}, []
    for made, width in kinds:
        whole = random_rows(rng, 12, width)
        for _ in range(3):
            first = int(rng.integers(0, 9))
            last = int(rng.integers(first + 1, 13))
            version = f"0.{len(blocks)}"
            units = [4096, 8192][int(rng.integers(2))]
            rows = whole[first:last].copy()
            rows[:, 1] *= units // 4096
            blocks.append(Block(made, first, rows, units, 0.5, version))
            for number in range(first, last):
                kept.setdefault((made.id, number), []).append((whole[number], version))
    store = Store(tmp_path / "store")
    with store.writer() as writer:
        for place in rng.permutation(len(blocks)):
            writer.append([blocks[place]])
    frame = store.to_frame()
    assert len(frame) == len(kept) == len(set(zip(frame.setting, frame.run, strict=True)))
    widths = [width for _, width in kinds]
    for name, width in (("neurons_used", 6), ("terms_used", 7)):
        assert (name in frame) == (max(widths) >= width)
    for row in frame.to_dict("records"):
        told = kept[row["setting"], row["run"]]
        values = told[0][0]
        assert row["evaluations"] == values[0]
        assert row["fitness"] == values[1] / 4096
        assert row["stop_reason"] == STOP_REASONS[values[2]]
        assert row["success"] == (STOP_REASONS[values[2]] in ("optimum", "target"))
        assert row["censored"] == (not row["success"])
        assert (row["stuck_at"], row["restarts_used"]) == tuple(values[3:5])
        for place, name in enumerate(("neurons_used", "terms_used"), start=5):
            if len(values) > place:
                assert row[name] == values[place]
            elif name in frame:
                assert pandas.isna(row[name])
        assert row["version"] in [version for _, version in told]
    order = [(row.resolution, row.run) for row in frame.itertuples()]
    for made, _ in kinds:
        numbers = frame[frame.setting == made.id].run.tolist()
        assert numbers == sorted(numbers)
    assert [r for r, _ in order] == sorted(r for r, _ in order) or len(set(widths)) > 1
    for runs in store.runs():
        mine = [kept[runs.setting.id, n][0][0] for n in runs.numbers.tolist()]
        assert runs.fitness.tolist() == [row[1] / 4096 for row in mine]
        assert runs.rows[:, [0, 2, 3, 4]].tolist() == [row[[0, 2, 3, 4]].tolist() for row in mine]


# ---- logs


def log(evaluations, fitness, total, best, success):
    return LoggedRun(
        np.array(evaluations), np.array(fitness), total, best, np.array([1, 2]), success
    )


LOGS = [
    (log([1], [0.5], 1, 0.5, True), [(1, 0.5, 1)], 1),
    (log([1], [0.5], 1, 0.5, False), [(1, 0.5, 0)], 1),
    (log([1], [0.5], 7, 0.5, False), [(1, 0.5, 0), (7, 0.5, 0)], 1),
    (log([1, 7], [0.5, 1.0], 7, 1.0, True), [(1, 0.5, 0), (7, 1.0, 1)], 7),
    (log([1, 6], [0.5, 0.75], 7, 0.75, True), [(1, 0.5, 0), (6, 0.75, 0), (7, 0.75, 1)], 6),
    # the best network is of the last start, which found it without a rise over earlier ones
    (log([1, 6], [0.5, 0.75], 9, 0.7, True), [(1, 0.5, 0), (6, 0.75, 0), (9, 0.75, 1)], 9),
    (log([1, 2], [1e-9, 1 / 3], 2, 1 / 3, False), [(1, 1e-9, 0), (2, 1 / 3, 0)], 2),
]


def test_logs_have_the_first_evaluation_every_rise_and_the_end(tmp_path):
    cell = Cell("f", 20_000, 2, "a")
    assert write_cell(tmp_path / "cell", cell, [made for made, *_ in LOGS]) == len(LOGS)
    [data] = (tmp_path / "cell").rglob("*.dat")
    parts = data.read_text().split("evaluations raw_y success\n")[1:]
    for part, (made, rows, best) in zip(parts, LOGS, strict=True):
        assert "e" not in part
        found = [line.split() for line in part.splitlines()]
        assert [(int(a), float(b), int(c)) for a, b, c in found] == rows
        entry = made.entry()
        assert entry["best"] == {"evals": best, "y": made.best, "x": [1, 2]}
        assert entry["evals"] == made.total


def test_numbers_of_functions_go_round_and_never_meet(monkeypatch):
    first, last = 20_000, 65_535
    assert all(first <= interop_names.function_id(f"f{k}") <= last for k in range(3000))
    monkeypatch.setattr(interop_names, "function_id", lambda name: last - 1)
    found = interop_names.distinct_ids(["d", "b", "a", "c", "a"])
    assert found == {"a": last - 1, "b": last, "c": first, "d": first + 1}
