"""Settings: what is the same setting, what is refused, and what their files may say."""

import pickle
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperna.baselines import BASELINES, Baseline
from hyperna.cli import build_parser, main
from hyperna.experiments.algorithms import ALGORITHMS, NA, Algorithm, register
from hyperna.experiments.campaign import Campaign
from hyperna.experiments.setting import Setting, setting
from hyperna.network.grid import finest_unit
from hyperna.problems import custom_arcs, problem
from hyperna.run.algorithm import OnePlusOneNA
from hyperna.run.description import OPTIONS
from hyperna.run.relatives import RELATIVES

POINTS = "x,y,kind\n0.5,0.1,a\n-0.5,0.3,b\n0.1,-0.4,a\n"


def test_a_setting_is_the_same_with_its_defaults_written_out():
    short = setting(problem="quarter")
    written = {entry.name: getattr(short, entry.name) for entry in fields(Setting) if entry.compare}
    written = {key: value for key, value in written.items() if key in OPTIONS}
    assert setting(**written) == short
    assert setting(**{**written, "budget": "default", "target": None}).id == short.id


def test_the_seed_of_a_setting_is_pinned():
    """A change here would make every stored campaign begin anew."""
    assert setting(problem="half", bias=False).id == "51efe1cc326d8e4d"


@pytest.mark.parametrize(
    "change",
    [
        {"problem": "half"},
        {"dim": 3},
        {"neurons": 2},
        {"output": "and"},
        {"resolution": 122},
        {"mutation": "local"},
        {"bias": False},
        {"redraw_void": True},
        {"mutation_probability": 0.25},
        {"init": "sphere"},
        {"points": 100},
        {"points": 16384, "sampling": "random"},
        {"budget": 10},
        {"stagnation": 10},
        {"target": 0.0},
        {"target": False},
        {"restarts": 1},
        {"seed": 1},
    ],
    ids=str,
)
def test_every_key_changes_the_seed(change):
    plain = setting(problem="quarter")
    other = setting(**{"problem": "quarter", **change})
    assert other != plain
    assert other.entropy != plain.entropy


def test_no_target_is_not_a_target_of_zero():
    assert setting(problem="half", target=False) != setting(problem="half", target=0.0)


def test_laws_that_print_alike_are_different_settings():
    close = [setting(problem="half", mutation=f"pareto:shape={s}") for s in (1.5, 1.50000001)]
    assert close[0] != close[1]


def test_values_may_be_tuples_and_sums_take_the_larger_number_of_runs():
    few = Campaign.product(problem=("half", "quarter"), runs=3)
    many = Campaign.product(problem="half", runs=7)
    for both in (few + many, many + few):
        assert {made.problem: runs for made, runs in both.wanted.items()} == {
            "half": 7,
            "quarter": 3,
        }


def test_no_bias_is_the_opposite_of_bias():
    for key in ("no_bias", "no-bias"):
        for value in (True, False):
            assert setting(problem="half", **{key: value}).bias is not value
    listed = Campaign.product(problem="half", **{"no-bias": [True, False]})
    assert [made.bias for made in listed.wanted] == [False, True]


@given(st.permutations(["problem", "resolution", "mutation", "dim"]))
def test_the_order_of_keys_does_not_matter(order):
    values = {"problem": "local_opt", "resolution": 36, "mutation": "local", "dim": 2}
    assert setting(**{key: values[key] for key in order}) == setting(**values)


def test_stored_values_give_the_setting_back():
    made = setting(problem="arcs", k=3, mutation="cauchy:scale=2", target=0.9)
    assert Setting.of(made.canonical) == made
    assert pickle.loads(pickle.dumps(made)) == made
    assert made.runner().fitness.problem == Setting.of(made.canonical).runner().fitness.problem


def test_arcs_are_written_in_one_way():
    """In a name, as a key of their own, in a file, on the command line."""
    named = setting(problem="arcs:k=2")
    assert setting(problem="arcs", k=2) == named
    degrees = setting(problem="arcs", arcs="0-90, 180-270")
    assert degrees.make_problem().arcs == named.make_problem().arcs
    assert setting(problem="arcs:arcs=0-90 180-270") == degrees
    assert setting(problem=degrees.problem) == degrees
    assert set(Campaign.from_dict({"problem": "arcs", "arcs": "0-90 180-270"}).wanted) == {degrees}
    assert problem("arcs", arcs="0-90,180-270") == custom_arcs("0-90 180-270")


def test_keys_are_the_options_of_run():
    args = build_parser().parse_args(["run", "half"])
    others = {"command", "debug", "run", "runs", "jobs", "json", "all", "plot"}
    others |= {"animate", "dark", "rule"}
    assert set(vars(args)) - others == set(OPTIONS)


def test_the_task_is_that_of_the_algorithm():
    made = setting(problem="two_quarters", resolution=60, restarts=2, stagnation=50)
    direct = made.make_algorithm().run_many(
        made.make_problem(), runs=5, restarts=2, stagnation=50, seed=made.entropy
    )
    assert np.array_equal(made.runner().run_block(made.entropy, 0, 5), direct.rows)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "problem is missing"),
        ({"problem": "nothing"}, "problem must be one of 'half'.* or a CSV file, got 'nothing'"),
        ({"problem": "half", "resolution": 1}, "resolution must be an integer from 2 to"),
        ({"problem": "half", "resolution": 120.0}, "resolution must be an integer .* got 120.0"),
        ({"problem": "half", "neurons": True}, "neurons must be an integer"),
        ({"problem": "half", "bias": "no"}, "bias must be True or False, got 'no'"),
        ({"problem": "half", "no-bias": 1}, "no_bias must be True or False, got 1"),
        ({"problem": "half", "bias": True, "no_bias": True}, "bias is given twice"),
        ({"problem": "half", "no_redraw_void": False}, "unknown key 'no_redraw_void'"),
        ({"problem": "half", "no-scale": True}, "unknown key 'no-scale'"),
        ({"problem": "half", "bias": False, "resolution": 121}, "resolution must be even"),
        ({"problem": "half", "output": "made up"}, "output must be one of"),
        ({"problem": "half", "mutation": "wild"}, "mutation must be one of"),
        (
            {"problem": "half", "mutation": "pareto:form=2"},
            "mutation 'pareto' has no setting 'form'",
        ),
        ({"problem": "half", "mutation_probability": 0}, "mutation_probability must be"),
        ({"problem": "half", "target": 1.5}, "target must be a finite number >= 0 and <= 1"),
        ({"problem": "half", "target": "best"}, "target must be a fitness from 0 to 1"),
        ({"problem": "half", "target": True}, "target must be a fitness from 0 to 1"),
        ({"problem": "half", "k": 3}, "k does not apply to problem 'half'"),
        ({"problem": "half", "label": "kind"}, "label does not apply to problem 'half'"),
        ({"problem": "arcs", "arcs": "0-90", "k": 3}, "must be given either k"),
        ({"problem": "arcs", "arcs": "ninety"}, "arcs must be written in degrees as"),
        ({"problem": "arcs"}, "must be given either k"),
        ({"problem": "cube", "points": 10}, "points does not apply to 'cube'"),
        ({"problem": "half", "algorithm": "magic"}, "algorithm must be one of 'na'"),
        ({"problem": "csv:path=x.csv"}, "write problem = 'PATH'"),
        ({"problem": "half", "jobs": 2}, "unknown key 'jobs'"),
    ],
    ids=str,
)
def test_nonsense_is_refused_with_its_key(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        setting(**options)


def test_points_count_by_what_they_are_not_by_where_they_lie(tmp_path):
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "points.csv").write_text(POINTS)
    here = setting(tmp_path / "here", problem="points.csv", label="kind")
    there = setting(problem=str(tmp_path / "there" / "points.csv"), label="kind")
    assert here == there
    assert here.problem == "points.csv"
    (tmp_path / "there" / "points.csv").write_text(POINTS.replace("0.5", "0.6"))
    reread = Setting.of({**there.canonical, "source": there.source})
    with pytest.raises(ValueError, match="holds other points"):
        reread.make_problem()
    assert setting(problem=there.source, label="kind") != there, "the file is read again"


def test_points_travel_with_their_setting(tmp_path):
    file = tmp_path / "points.csv"
    file.write_text(POINTS)
    made = setting(tmp_path, problem="points.csv", scale=True)
    parcel = pickle.dumps(made)
    file.unlink()
    assert np.array_equal(pickle.loads(parcel).make_problem().X, made.make_problem().X)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"gone\.csv"):
        setting(tmp_path, problem="gone.csv")


# Campaign files.


def write(tmp_path, text):
    file = tmp_path / "campaign.toml"
    file.write_text(text)
    return file


def test_a_file_is_a_sum_of_products(tmp_path):
    file = write(
        tmp_path,
        """
runs = 7
resolution = [60, 120]

[[settings]]
problem = ["half", "quarter"]
mutation = ["harmonic", "local"]

[[settings]]
problem = "two_quarters"
resolution = 240
runs = 3

[[settings]]        # again, with more runs
problem = "half"
mutation-probability = "default"
runs = 9
""",
    )
    campaign = Campaign.from_toml(file)
    assert len(campaign.wanted) == 2 * 2 * 2 + 1
    assert campaign.wanted[setting(problem="half", resolution=60)] == 9
    assert campaign.wanted[setting(problem="half", resolution=60, mutation="local")] == 7
    assert campaign.wanted[setting(problem="two_quarters", resolution=240)] == 3
    product = Campaign.product(
        problem=["half", "quarter"], mutation=["harmonic", "local"], resolution=[60, 120], runs=7
    )
    rest = Campaign.product(problem="two_quarters", resolution=240, runs=3)
    again = Campaign.product(problem="half", resolution=[60, 120], runs=9)
    assert (product + rest + again).wanted == campaign.wanted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('problem = "half"\nresolutoin = 5', "line 2: unknown key 'resolutoin'; did you mean"),
        ('problem = "half"\n[[settings]]\ncolour = 1', "line 3: unknown key 'colour'"),
        ('problem = "half"\nresolution = [120, 1]', "line 2: resolution must be an integer"),
        ('problem = "half"\nresolution = "big"', "line 2: resolution must be an integer"),
        ('problem = "half"\nresolution = []', "line 2: resolution must have at least one value"),
        ('resolution = 1\nproblem = "half"', "line 1: resolution must be an integer"),
        ('problem = "half"\nruns = 0', "line 2: runs must be an integer >= 1, got 0"),
        ('problem = "half"\n\nno-bias = 3', "line 3: no_bias must be True or False"),
        ('[[settings]]\nproblem = "half"\n[[settings]]\nneurons = 2', "line 3: problem is missing"),
        ('bias = false\n[[settings]]\nproblem="half"\nresolution = 31', "line 4: resolution must"),
        ('problem = "half"\nx = = 2', "line 2"),
        ('problem = "half"\n[settings]\nneurons = 2', "blocks that begin with"),
        ('problem = "half"\n[bias]\nvalue = 2', "bias must not be a table"),
        ('problem = "cube"\nsampling = "even"', "line 2: sampling does not apply to 'cube'"),
        ("", "problem is missing"),
    ],
)
def test_a_bad_file_is_refused_with_the_line(tmp_path, text, message):
    file = write(tmp_path, text)
    with pytest.raises(ValueError, match=message) as caught:
        Campaign.from_toml(file)
    assert str(caught.value).startswith(str(file))


def test_without_a_file_the_block_is_named():
    blocks = [{"problem": "half"}, {"problem": "half", "neurons": "two"}]
    with pytest.raises(ValueError, match=r"^settings block 2: neurons must be an integer"):
        Campaign.from_dict({"settings": blocks})


def test_files_of_points_are_looked_for_beside_the_campaign(tmp_path):
    (tmp_path / "points.csv").write_text(POINTS)
    file = write(tmp_path, 'problem = "points.csv"\noutput = ["or", "and"]\nneurons = 2')
    assert {made.output for made in Campaign.from_toml(file).wanted} == {"or", "and"}


# Other algorithms.


class Coin:
    """Ends after a number of tosses that depends on seed and number only."""

    units = 2

    def run_block(self, seed, first, last):
        tosses = [np.random.default_rng([seed, i]).geometric(0.5) for i in range(first, last)]
        rows = np.zeros((last - first, 5), np.int64)
        rows[:, 0], rows[:, 1], rows[:, 2] = tosses, 2, 1
        return rows


@pytest.fixture
def coin():
    entry = register(Algorithm("coin", "tosses", lambda made: Coin(), frozenset({"restarts"})))
    yield entry
    del ALGORITHMS["coin"]


def test_an_algorithm_takes_part_by_registering(coin, tmp_path):
    campaign = Campaign.product(problem="half", algorithm="coin:sides=2", runs=20)
    frame = campaign.run(tmp_path / "store", backend="threading", n_jobs=2).to_frame()
    (made,) = campaign.wanted
    assert frame.evaluations.tolist() == Coin().run_block(made.entropy, 0, 20)[:, 0].tolist()
    assert (made.mutation, made.bias, made.init) == (None, None, None)
    assert frame.mutation.isna().all()
    assert frame.bias.isna().all()


def test_keys_that_an_algorithm_does_not_know(coin):
    with pytest.raises(ValueError, match="mutation does not apply to algorithm 'coin'"):
        setting(problem="half", algorithm="coin", mutation="local")
    campaign = Campaign.from_dict(
        {
            "problem": "half",
            "mutation": ["local", "harmonic"],
            "settings": [{"algorithm": "na"}, {"algorithm": "coin"}],
        }
    )
    assert [made.mutation for made in campaign.wanted] == ["local", "harmonic", None]
    mixed = {"problem": "half", "mutation": "local", "settings": [{"algorithm": ["na", "coin"]}]}
    assert [made.mutation for made in Campaign.from_dict(mixed).wanted] == ["local", None]
    assert coin.keys < NA.keys


def test_baselines_are_algorithms():
    short = setting(problem="half", algorithm="random_search", resolution=12)
    assert short.algorithm == "random_search:representation=polar"
    assert setting(problem="half", algorithm=short.algorithm, resolution=12) == short
    task = short.runner()
    assert short.budget == task.budget
    rows = task.run_block(short.entropy, 0, 3)
    assert rows[1, 0] == task.run(short.entropy, 1).evaluations
    with pytest.raises(ValueError, match="has no setting 'speed'"):
        setting(problem="half", algorithm="random_search:speed=2")


def test_every_option_of_other_algorithms_reaches_them():
    limits = {"budget": 400, "stagnation": 35, "target": 0.75, "restarts": 2}
    network = {"neurons": 3, "output": "and", "resolution": 48}
    made = setting(problem="half", algorithm="random_search", **network, **limits)
    task = made.runner()
    assert {key: getattr(task, key) for key in limits} == limits
    assert (task.grid.neurons, task.grid.output) == (3, "and")
    assert task.grid.resolution == 48 * finest_unit(48)
    other = setting(problem="half", algorithm="random_search:representation=cartesian")
    assert other.runner().baseline.representation == "cartesian"
    pytest.importorskip("neat", reason="NEAT needs hyperna[baselines]")
    task = setting(problem="half", algorithm="neat:population=9", points=64, **limits).runner()
    assert (task.budget, task.stagnation, task.restarts) == (400, 35, 2)
    assert (task.least_score, task.units, task.neat.population) == (48, 64, 9)


def test_a_baseline_or_relative_that_is_registered_later_takes_part(monkeypatch, capsys):
    class Centre(Baseline):
        name, summary = "centre", "the middle of the box, again and again"

        def search(self, error, space, rng, budget):
            while True:
                error((space.low + space.high)[None] / 2)

    class Lazy(OnePlusOneNA):
        name, summary = "lazy", "the (1+1) NA under another name"

    monkeypatch.setitem(BASELINES, "centre", Centre)
    monkeypatch.setitem(RELATIVES, "lazy", Lazy)
    try:
        for name in ("centre", "lazy"):
            made = setting(problem="half", algorithm=name, resolution=12, budget=7, target=False)
            assert made.runner().run_block(made.entropy, 0, 2)[:, 0].tolist() == [7, 7]
        assert main(["list"]) == 0
        assert Centre.summary in capsys.readouterr().out
    finally:
        for name in ("centre", "lazy"):
            ALGORITHMS.pop(name, None)


def test_the_problem_is_a_text_whose_meaning_the_help_tells(capsys):
    with pytest.raises(TypeError, match="problem must be a text, got 3"):
        setting(problem=3)
    main(["run", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "PROBLEM a name from 'hyperna list', or a CSV file of points" in told
