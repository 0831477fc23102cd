"""The frame: all runs of a store as one table."""

import numpy as np
import pytest
from stores import HALF, QUARTER, filled, made_up

from hyperna.experiments.lines import Block
from hyperna.experiments.setting import SETTING_KEYS, setting
from hyperna.experiments.store import Store

ROWS = np.array([[7, 30, 1, 0, 0], [8, 40, 3, 0, 0]])


SETTINGS = [
    {"seed": 7, "bias": False, "redraw_void": True, "init": "sphere"},
    {"mutation_probability": 0.125, "replace_neuron": 0.25, "neurons": 2, "output": "xor"},
    {"restarts": 3, "stagnation": 50, "target": 0.75, "budget": 77},
    {"dim": 3, "move": "rotation", "points": 64, "sampling": "random", "mutation": "pareto"},
    {"neuron": "bent", "resolution": 48, "algorithm": "rls"},
    {"online": 10, "judge_once": True, "target": False},
    {"seed": 2**63 - 1, "resolution": 2**40, "budget": 2**61},
]


def test_the_frame_has_every_option_of_every_setting(tmp_path):
    pandas = pytest.importorskip("pandas")
    settings = {made.id: made for made in (setting(problem="quarter", **own) for own in SETTINGS)}
    store = Store(tmp_path / "store")
    with store.writer() as writer:
        writer.append([Block(made, 0, ROWS, 40) for made in settings.values()])
    frame = store.to_frame()
    # an option of no setting above has no column: a new option gets a value in SETTINGS
    assert set(SETTING_KEYS) - set(frame.columns) == {
        *("max_neurons", "term_cost"),  # of no setting
        *("label", "positive", "weight", "scale", "data"),
    }
    for row in frame.to_dict("records"):
        made = settings[row["setting"]]
        for key in set(SETTING_KEYS) & set(frame.columns):
            value, shown = getattr(made, key), row[key]
            if key == "target":
                assert shown == {None: "default", False: "none"}.get(value, str(value))
            elif key == "seed":
                assert shown == (value or 0)
            elif value is None:
                assert pandas.isna(shown)
            else:
                assert shown == value


def test_the_frame_is_sorted_by_numbers_as_numbers(tmp_path):
    pytest.importorskip("pandas")
    store = Store(tmp_path / "store")
    with store.writer() as writer:
        made = [setting(problem="half", resolution=r) for r in (1000, 24, 120, 60)]
        writer.append([Block(one, 0, ROWS, 40) for one in made])
    assert store.to_frame().resolution.tolist() == [24, 24, 60, 60, 120, 120, 1000, 1000]


pandas = pytest.importorskip("pandas", reason="a frame needs hyperna[data]")


def same(one, other):
    pandas.testing.assert_frame_equal(one, other, check_exact=True)


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


def test_settings_without_a_value_come_before_those_with_one(tmp_path):
    pytest.importorskip("pandas")
    made = [setting(problem="quarter", stagnation=value) for value in (50, None, 7)]
    store = Store(tmp_path / "store")
    with store.writer() as writer:
        writer.append([Block(one, 0, ROWS, 40) for one in made])
    frame = store.to_frame()
    assert frame["setting"].tolist()[::2] == [made[1].id, made[2].id, made[0].id]


def test_a_target_of_zero_is_a_fitness_and_no_target_is_none(tmp_path):
    targets = [0.0, 0.5, 1.0, False, None]
    made = [setting(problem="half", resolution=24, target=target) for target in targets]
    frame = filled(tmp_path / "store", [made_up(one, 0, 2) for one in made]).to_frame()
    assert sorted(frame.target) == sorted(2 * ["0.0", "0.5", "1.0", "none", "default"])


def test_the_frame_is_sorted_by_fractions_as_numbers(tmp_path):
    """Written out, the least of them would be the last."""
    shares = [0.5, 1e-05, 1.0, 0.25]
    made = [setting(problem="half", resolution=24, mutation_probability=one) for one in shares]
    frame = filled(tmp_path / "store", [made_up(one, 0, 1) for one in made]).to_frame()
    assert frame.mutation_probability.tolist() == sorted(shares)
