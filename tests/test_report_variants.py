"""The report on settings of all kinds, made of rows that are written down rather than run."""

import re
import tomllib
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from hyperna import points, problem
from hyperna.analysis.statistics import expected_running_time
from hyperna.experiments.campaign import Campaign
from hyperna.experiments.setting import setting
from hyperna.report.figures import draw_growth, draw_shares
from hyperna.report.groups import groups
from hyperna.report.numbers import Entry, rows_digest, table_keys
from hyperna.report.pictures import problem_picture
from hyperna.report.rerun import campaign_toml, single_run
from hyperna.report.sections import results_section
from hyperna.report.sentences import contest_text, family_text, headline
from hyperna.run.results import STOP_REASONS, Runs

UNITS = 1000


def entry(evaluations, solved=True, score=900, numbers=None, **options):
    """An entry whose runs took so many evaluations; `solved` and `score` of each or of all."""
    spent = np.asarray(evaluations)
    stop = np.where(solved, STOP_REASONS.index("optimum"), STOP_REASONS.index("budget"))
    columns = [spent, score, stop, 0, 0]
    rows = np.column_stack([np.broadcast_to(column, spent.shape) for column in columns])
    made = setting(**{"problem": "quarter", **options})
    numbers = np.arange(len(spent)) if numbers is None else np.asarray(numbers)
    return Entry(Runs(rows, UNITS, made.entropy, setting=made, numbers=numbers), len(spent))


SETTINGS = [
    {"seed": 7, "bias": False, "redraw_void": True, "init": "sphere"},
    {"mutation_probability": 0.125, "replace_neuron": 0.25, "neurons": 2, "output": "xor"},
    {"restarts": "auto", "target": 0.75, "budget": 77},
    {"restarts": 3, "stagnation": 50, "target": False, "algorithm": "rls"},
    {"dim": 3, "move": "rotation", "points": 64, "sampling": "random", "mutation": "pareto"},
    {"neurons": "evolved", "max_neurons": 5, "neuron": "bent"},
    {"online": 10, "judge_once": True},
    {"algorithm": "random_search:representation=cartesian", "stagnation": 9},
]


@pytest.mark.parametrize("options", SETTINGS, ids=lambda options: ",".join(options))
def test_every_option_is_in_what_repeats_the_runs(options):
    made = setting(problem="quarter", **options)
    again = Campaign.from_dict(tomllib.loads(campaign_toml([(made, 3)])))
    assert again.wanted == {made: 3}
    scope = {}
    exec(single_run(made).partition("result =")[0], scope)  # which asserts the id
    assert scope["made"] == made


@pytest.mark.parametrize(
    "options",
    [
        {"neuron": "bent"},
        {"neurons": 2},
        {"neurons": 2, "output": "xor"},
        {"neurons": "evolved"},
        {"bias": False},
        {"redraw_void": True},
        {"mutation_probability": 0.125},
        {"replace_neuron": 0.25},
        {"init": "sphere"},
        {"mutation": "local"},
        {"algorithm": "rls"},
        {"budget": 77},
        {"stagnation": 50},
        {"restarts": 2, "stagnation": 50},
        {"target": 0.7},
        {"online": 10},
        {"online": 10, "judge_once": True},
        {"dim": 3, "move": "rotation"},
        {"points": 64, "dim": 3},
        {"seed": 4},
    ],
    ids=str,
)
def test_settings_that_differ_are_told_apart(options):
    usual = {"problem": "quarter", "neurons": 1, "resolution": 24}
    if "output" in options:
        usual["neurons"] = 2
    if options.get("dim") == 3:
        usual["dim"] = 3
    if "judge_once" in options:
        usual["online"] = 10
    if "restarts" in options:
        usual["stagnation"] = 50
    both = [entry([5, 6], **usual), entry([7, 8], **{**usual, **options})]
    for some in (both, both[::-1]):
        found = groups(some)
        titles = {(group.title, family.name) for group in found for family in group.families}
        assert len(titles) == 2
        merged = {key: name for group in found for key, name in group.names().items()}
        assert len({merged[one.setting.id] for one in both}) == 2


def test_kinds_of_neurons_are_told_and_the_theorems_are_about_plain_ones():
    (group,) = groups([entry([5, 6], neuron="bent", resolution=24)])
    assert "1 bent neuron" in group.title
    assert group.families[0].bound is None
    both = [entry([5, 6], resolution=24), entry([7, 8], resolution=24, neuron="bent")]
    (group,) = groups(both)
    assert len(group.contests) == 1
    plain, bent = group.families
    assert "plain neurons" in plain.name
    assert "bent neurons" in bent.name
    assert plain.bound is not None
    assert bent.bound is None


def test_rows_are_named_by_their_own_numbers():
    some = entry([50, 9, 70, 9], numbers=[3, 4, 8, 11])
    assert some.intervals == [(3, 5), (8, 9), (11, 12)]
    assert some.extreme(largest=True) == (70, 8)
    assert some.extreme(largest=False) == (9, 4)
    record = some.data(with_rows=False)
    assert record["numbers"] == [[3, 5], [8, 9], [11, 12]]
    assert record["units"] == str(UNITS)
    before = rows_digest(some.stored)
    for column in range(5):
        some.stored.rows[1, column] += 1
        assert rows_digest(some.stored) != before
        some.stored.rows[1, column] -= 1


def test_problems_are_told_apart_and_resolutions_sorted():
    laws = {"harmonic": (48, 24, 96), "local": (48, 24), "uniform": (24,)}
    made = [entry([5, 6], mutation=law, resolution=r) for law, rs in laws.items() for r in rs]
    plane, space = groups([*made, entry([5, 6], dim=3, neurons=1)])
    assert [family.name for family in plane.families] == list(laws)
    assert [one.setting.resolution for one in plane.families[0].members] == [24, 48, 96]
    # at 48 two of three variants ran, which is at least half, at 96 one of them only
    assert plane.main_resolution == 48
    assert space.title.startswith("quarter, D = 3")


def test_budgets_have_a_column_where_nothing_else_explains_them():
    budgets = [entry([5, 6], budget=budget) for budget in (100, 200)]
    assert table_keys([one.setting for one in budgets]) == ["problem", "budget"]
    assert re.search(r"<th[^>]*>(<[^>]*>)*budget", str(results_section(budgets)))
    # a budget follows from the resolution
    grown = [entry([5, 6], resolution=r).setting for r in (24, 48)]
    assert grown[0].budget != grown[1].budget
    assert table_keys(grown) == ["problem", "resolution"]


def test_half_of_the_variants_are_enough_for_the_largest_resolution():
    """At 96 exactly half of those that ran at 24 did, at 192 fewer."""
    for at_96, expected in ((2, 96), (1, 48)):
        laws = ["harmonic", "local", "uniform", "cauchy"]
        counts = {24: 4, 48: 3, 96: at_96, 192: 1}
        made = [
            entry([5, 6], mutation=law, resolution=r)
            for r, count in counts.items()
            for law in laws[:count]
        ]
        [group] = groups(made)
        assert group.main_resolution == expected


def test_a_resolution_at_which_one_variant_ran_alone_hides_no_winner():
    """Nor does one at which nobody succeeded."""
    quick, slow = ({24: 10, 48: 20}, {24: 40})
    made = [entry([cost] * 8, resolution=r) for r, cost in quick.items()]
    made += [entry([cost] * 8, mutation="local", resolution=r) for r, cost in slow.items()]
    [group] = groups(made)
    assert group.main_resolution == group.main_contest.resolution == 24
    told = headline(group).replace("\u00a0", " ")
    assert told.endswith("fewest evaluations per success at r = 24: harmonic, 10.")
    for law in ("harmonic", "local", "uniform", "cauchy", "exponential"):
        made.append(entry([99] * 8, solved=False, mutation=law, resolution=96))
    [group] = groups(made)
    assert group.main_contest.resolution == 24


@pytest.mark.parametrize(
    ("options", "proved"),
    [
        ({"problem": "quarter"}, True),
        ({"problem": "quarter", "bias": False}, False),
        ({"problem": "quarter", "redraw_void": True}, False),
        ({"problem": "quarter", "dim": 3, "neurons": 1}, False),
        ({"problem": "half"}, False),
        ({"problem": "half", "bias": False}, True),
        ({"problem": "two_quarters"}, True),
        ({"problem": "two_quarters", "output": "and"}, False),
        ({"problem": "two_quarters", "neurons": 1}, False),
        ({"problem": "quarter", "algorithm": "rls"}, False),
        ({"problem": "quarter", "seed": 5, "budget": 9}, True),
        # one neuron is joined with nothing
        ({"problem": "quarter", "output": "and"}, True),
        ({"problem": "local_opt", "output": "evolved"}, True),
        ({"problem": "local_opt", "neurons": 2}, False),
    ],
)
def test_theorems_are_told_where_they_are_proved(options, proved):
    [group] = groups([entry([5, 6], **options)])
    assert (group.families[0].bound is not None) is proved


def test_the_winner_has_the_fewest_evaluations_per_success():
    quick = entry([10] * 8, solved=[True] + [False] * 7, mutation="local")
    sure = entry([20] * 8, mutation="harmonic")
    alike = entry([22] * 4 + [19] * 4, mutation="uniform")
    [group] = groups([quick, sure, alike])
    contest = group.main_contest
    assert contest.winners == ["harmonic"]
    text = contest_text(contest)
    assert "The difference from local is significant; that from uniform may be chance." in text
    told = headline(group).replace("\u00a0", " ")
    assert told.endswith("fewest evaluations per success at r = 120: harmonic, 20.")


def test_variants_that_need_equally_many_evaluations_are_all_winners():
    made = [entry([20, 30] * 4, mutation=law) for law in ("harmonic", "local")]
    [group] = groups([*made, entry([200, 300] * 4, mutation="uniform")])
    contest = group.main_contest
    assert contest.winners == ["harmonic", "local"]
    text = contest_text(contest).replace("\u00a0", " ")
    assert text.startswith(
        "At r = 120, harmonic and local needed the fewest evaluations per success."
    )
    assert "The difference from uniform is significant. All have the mean final" in text
    told = headline(group).replace("\u00a0", " ")
    assert told.endswith("fewest evaluations per success at r = 120: harmonic and local, 25.")


def test_a_winner_whose_single_runs_are_slower_is_not_called_significantly_faster():
    """Per success: 100 against 20 + 1,000; but 29 runs in 30 of the other take a fifth."""
    sure = entry([100] * 30, mutation="harmonic")
    hasty = entry([20] * 29 + [30_000], solved=[True] * 29 + [False], mutation="local")
    [group] = groups([sure, hasty])
    text = contest_text(group.main_contest)
    assert "harmonic needed the fewest evaluations per success." in text
    assert "The difference" not in text
    assert "Single runs of local took fewer evaluations, significantly." in text


def test_a_single_variant_has_no_contest():
    [group] = groups([entry([5, 6], resolution=r) for r in (24, 48)])
    assert group.main_contest is None
    assert headline(group) == "all 4 runs succeeded (mean final fitness 0.9000)."
    [alone] = groups([entry([5])])
    assert headline(alone) == "the run succeeded (mean final fitness 0.9000)."
    told = "the run succeeded (mean final fitness 0.9000); a success cost 5 eval"
    assert family_text(alone.families[0]).startswith(told)


def test_variants_with_the_same_highest_fitness_are_all_named():
    made = [entry([9, 9], solved=False, score=800, mutation=law) for law in ("local", "uniform")]
    worse = entry([9, 9], solved=False, score=700, mutation="harmonic")
    [group] = groups([worse, *made])
    told = "none of 6 runs succeeded; highest mean fitness: local and uniform, 0.8000."
    assert headline(group) == told


def test_all_growth_laws_that_fit_are_told_with_what_they_predict():
    rng = np.random.default_rng(0)
    sizes = (24, 48, 96, 192, 384)
    [group] = groups([entry(rng.geometric(1 / (5 * r), 60), resolution=r) for r in sizes])
    [family] = group.families
    assert len(family.fitting) > 1
    text = family_text(family).replace("\u00a0", " ").replace("−", "-")
    assert f"{len(family.fitting)} of {len(family.fits)} growth laws fit: " in text
    for fit in family.fitting:
        assert fit.equation in text
    assert re.search(
        r"At r = 768, 2 times the largest measured, they predict \S+ to \S+ eval", text
    )
    assert "at r = 6,144, 16 times," in text


def test_no_law_is_told_where_a_resolution_in_the_middle_fails():
    rng = np.random.default_rng(0)
    sizes = (24, 48, 96, 192, 384)
    made = [entry(rng.geometric(1 / (5 * r), 60), [r != 96] * 60, resolution=r) for r in sizes]
    [group] = groups(made)
    text = family_text(group.families[0])
    assert text.startswith("240 of 300 runs succeeded (mean final fitness 0.9000); a success cost ")
    assert "growth law" not in text


def test_costs_are_told_for_the_first_and_the_last_resolution():
    spent = {24: [10, 20], 48: [30, 50], 96: [70, 90]}
    [group] = groups([entry(own, resolution=r) for r, own in spent.items()])
    text = family_text(group.families[0]).replace("\u00a0", " ")
    assert re.findall(r"([\d.]+) evaluations.*? at r = (\d+)", text) == [("15", "24"), ("80", "96")]


def test_without_success_the_highest_mean_fitness_is_told():
    steady = entry([9, 9], solved=False, score=[800, 800], mutation="local")
    lucky = entry([9, 9], solved=False, score=[990, 10], mutation="harmonic")
    [group] = groups([lucky, steady])
    assert headline(group) == "none of 4 runs succeeded; highest mean fitness: local, 0.8000."


def test_options_of_few_settings_share_a_column():
    some = [entry([5, 6], resolution=r) for r in range(24, 40)]
    some += [entry([5, 7], restarts=2), entry([5, 8], score=[900, 100], seed=3)]
    page = str(results_section(some))
    heads = re.findall(r"<button[^>]*>([^<]*)</button>", page)
    numbers = ["runs", "successes", "final fitness", "mean", "median", "ERT"]
    assert heads == ["problem", "resolution", "also", *numbers]
    also = re.findall(r'<td data-label="also"[^>]*>([^<]*)</td>', page)
    assert also == ["–"] * 16 + ["2 restarts", "seed 3"]
    last = re.findall(r'<td data-label="final fitness" data-v="([^"]*)"[^>]*>([^<]*)</td>', page)[
        -1
    ]
    assert last == ("0.5", "0.500000")


def test_no_target_and_one_of_zero_are_told_where_few_settings_have_one():
    some = [entry([5, 6], resolution=r) for r in range(24, 40)]
    some += [entry([5, 7], target=goal) for goal in (False, 0, 0.5)] + [entry([5, 8], seed=3)]
    also = re.findall(r'<td data-label="also"[^>]*>([^<]*)</td>', str(results_section(some)))
    assert also == ["–"] * 16 + ["no target", "target 0", "target 0.5", "seed 3"]


def test_a_quarter_of_the_settings_is_few():
    for usual in (3, 4, 5):
        some = [entry([5, 6], resolution=r) for r in range(24, 24 + usual)]
        some += [entry([5, 7], seed=seed) for seed in (3, 4)]
        some += [entry([5, 7], stagnation=9, resolution=r) for r in (70, 71)]
        heads = re.findall(r"<button[^>]*>([^<]*)</button>", str(results_section(some)))
        # two of seven have columns of their own, two of eight or nine share one
        assert ("also" in heads) == (len(some) >= 4 * 2)
        assert {"seed", "stagnation"}.isdisjoint(heads) == ("also" in heads)


def test_growth_is_drawn_by_evaluations_per_success():
    solved = {24: [True] * 6, 48: [True] * 3 + [False] * 3, 96: [True] * 5 + [False]}
    spent = {r: r + np.arange(6) ** 2 for r in solved}
    [group] = groups([entry(spent[r], solved[r], resolution=r) for r in solved])
    ax = Figure().add_subplot()
    draw_growth(ax, group)
    times = {r: expected_running_time(spent[r], solved[r]) for r in solved}
    ((bars,),) = [container.lines[2] for container in ax.containers]
    for segment, (r, time) in zip(bars.get_segments(), times.items(), strict=True):
        assert segment[:, 0].tolist() == [r, r]
        assert segment[:, 1] == pytest.approx([time.low, time.high])
    marks = [line for line in ax.lines if line.get_marker() == "o"]
    filled = {line.get_markerfacecolor() != "#ffffff": line.get_xydata().tolist() for line in marks}
    assert filled[True] == [[24.0, times[24].value]]
    assert filled[False] == [[r, times[r].value] for r in (48, 96)]


def test_pictures_show_what_is_positive():
    path = r'd="M (\S+) (\S+) A 1 1 0 (\d) 0 (\S+) (\S+)"'
    for name, arcs in (("quarter", [(0, 90, 0)]), ("arcs:arcs=10-290", [(10, 290, 1)])):
        drawn = re.findall(path, str(problem_picture(problem(name))))
        for (x0, y0, large, x1, y1), (start, end, wide) in zip(drawn, arcs, strict=True):
            ends = np.deg2rad([start, end])
            # y points down
            found = np.array([x0, y0, x1, y1], float).reshape(2, 2)
            assert np.allclose(found, np.column_stack([np.cos(ends), -np.sin(ends)]), atol=1e-3)
            assert int(large) == wide
    some = points([[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5]], [True, False, False])
    circle = r'<circle cx="(\S+)" cy="(\S+)" r="0.05" style="fill: ([^"]+)"'
    found = re.findall(circle, str(problem_picture(some)))
    assert [(float(x), float(y)) for x, y, _ in found] == [(1, -1), (-1, -1), (-1, 1)]
    assert [colour == "var(--blue)" for _, _, colour in found] == [True, False, False]


def test_pictures_say_that_not_all_points_are_drawn():
    for count, drawn in ((300, 300), (1234, 300)):
        X = np.random.default_rng(0).normal(size=(count, 2))
        picture = str(problem_picture(points(X, X[:, 0] > 0, scale=True)))
        assert picture.count("<circle") == drawn
        assert ("300 of 1,234 points" in picture) == (drawn < count)
        assert picture.count(" points.") == (2 if drawn < count else 0)


def test_pictures_say_that_there_are_more_coordinates_than_two():
    rng = np.random.default_rng(0)
    for dim in (1, 2, 3, 4):
        made = points(rng.uniform(-0.5, 0.5, (9, dim)), np.arange(9) % 2 == 0)
        told = f"the first two of {dim} coordinates" in str(problem_picture(made))
        assert told == (dim > 2)
    # of a cube all corners and edges are seen
    picture = str(problem_picture(problem("cube")))
    assert "coordinates" not in picture
    assert (picture.count("<circle"), picture.count("<line")) == (8, 12)


def test_successes_are_drawn_over_the_evaluations_of_all_variants():
    spent = {"harmonic": [10, 20, 30], "local": [200, 400, 4000], "uniform": [2, 3, 5]}
    [group] = groups([entry(few, mutation=law, resolution=24) for law, few in spent.items()])
    ax = Figure().add_subplot()
    draw_shares(ax, group)
    ends = {(line.get_xdata()[0], line.get_xdata()[-1]) for line in ax.lines}
    assert ends == {(1.0, 4000.0)}


def test_a_report_tells_how_many_runs_were_wanted(tmp_path):
    from hyperna.report.page import read_entries

    campaign = Campaign.product(problem="half", resolution=12, runs=2)
    store = campaign.run(tmp_path / "store")
    with store.writer() as writer:
        writer.want(dict.fromkeys(campaign.wanted, 5))
    assert read_entries(store)[0].data(with_rows=False)["wanted"] == 5


def test_intervals_of_numbers_are_those_of_the_runs_with_the_smallest_gaps():
    """All sets of five numbers; a single run that is missing parts an interval."""
    for mask in range(1, 2**5):
        numbers = [k for k in range(5) if mask >> k & 1]
        found = entry([5] * len(numbers), numbers=numbers).intervals
        assert [k for first, last in found for k in range(first, last)] == numbers
        assert all(one[1] < other[0] for one, other in pairwise(found))


@pytest.mark.parametrize("value", [5, 999, 1000, 12345])
def test_numbers_that_are_copied_are_written_without_separators(value):
    from hyperna.report.groups import phrase

    for key in ("seed", "online", "stagnation"):
        assert phrase(key, value).split()[-1] == str(value)
    assert phrase("budget", value).split()[-1] == f"{value:,}"


@pytest.mark.parametrize(("wanted", "runs"), [(2, 5), (5, 5), (9, 9)])
def test_what_repeats_a_report_asks_for_all_runs_that_are_stored_or_wanted(wanted, runs):
    from hyperna.report.sections import rerun_section

    made = entry([4, 5, 6, 7, 8])
    text = rerun_section([Entry(made.stored, wanted)])
    assert re.findall(r"runs = (\d+)", text) == [str(runs)]
