"""What problems and algorithms are called, where people read it."""

import pytest

import hyperna
from hyperna import Campaign, Store
from hyperna.cli import main
from hyperna.experiments.algorithms import algorithms, short_name
from hyperna.experiments.setting import setting
from hyperna.interop.store import describe_algorithm
from hyperna.problems.base import PROBLEMS, register
from hyperna.report.groups import groups
from hyperna.report.page import read_entries


@pytest.fixture
def own():
    """Two problems of one's own: arcs, and points that are not called as they are registered."""
    before = dict(PROBLEMS)

    @register("stripe", "two thin arcs")
    def stripe(width: int = 30, dim: int = 2) -> hyperna.ArcProblem:
        return hyperna.custom_arcs([(0, width), (180, 180 + width)], unit="degree", dim=dim)

    @register("three", "three points")
    def three() -> hyperna.PointProblem:
        return hyperna.points([[0.1, 0.2], [0.3, 0.1], [-0.2, 0.4]], [0, 1, 1])

    yield
    for name in PROBLEMS.keys() - before.keys():
        del PROBLEMS[name]


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("stripe", "stripe"),
        ("stripe:width=40", "stripe, width = 40"),
        ("three", "three"),
        ("half", "half"),
        ("arcs:k=3", "arcs, k = 3"),
        ("arcs:arcs=0-30 180-210", "arcs 0°–30°, 180°–210°"),
    ],
)
def test_run_and_theory_print_the_name_of_the_problem(given, title, own, capsys):
    assert main(["run", given, "--runs", "2", "--budget", "20"]) == 0
    assert capsys.readouterr().out.startswith(f"{title} in D = 2")
    assert main(["theory", given, "--resolution", "8", "--target", "0.5"]) == 0
    assert capsys.readouterr().out.startswith(f"{title} in D = 2")


def test_a_problem_of_ones_own_is_hashed_by_what_it_is(own):
    """Another width is another problem, also after the function has been edited."""
    named, spelt = setting(problem="stripe"), setting(problem="arcs", arcs="0-30 180-210")
    assert named == spelt
    assert (named.title, spelt.title) == ("stripe", spelt.problem)
    assert named.id == "4a7636214df49f87"  # as in 0.4.0
    assert setting(problem="stripe:width=40") != named
    assert named.make_problem().title == "stripe"


@pytest.mark.parametrize("algorithm", ["na", "random_search"])
def test_own_problems_keep_their_names_in_stores_and_reports(own, tmp_path, algorithm, capsys):
    pytest.importorskip("matplotlib", reason="needs hyperna[plot]")
    campaign = Campaign.product(
        problem=["stripe", "three"], algorithm=algorithm, neurons=2, runs=2, budget=30
    )
    store = campaign.run(tmp_path / "own.store")
    titles = [group.title.partition(",")[0] for group in groups(read_entries(Store(store.path)))]
    assert titles == ["stripe", "three"]
    assert main(["campaign", "status", str(store.path)]) == 0
    shown = capsys.readouterr().out
    assert "stripe" in shown
    assert "arcs:" not in shown


def test_algorithms_are_shown_with_unusual_parameters_only():
    for name, entry in algorithms().items():
        written = ",".join(f"{key}={value}" for key, value in entry.defaults.items())
        assert short_name(f"{name}:{written}" if written else name) == name
    assert short_name("mu_plus_one:members=7,crossover=0.0") == "mu_plus_one:members=7"
    assert short_name("gone:a=1") == "gone:a=1"


def test_the_na_is_named_beside_other_algorithms():
    from hyperna.report.groups import algorithm_name

    names = [setting(problem="half", algorithm=name) for name in ("na", "rls", "random_search")]
    assert [algorithm_name(made) for made in names] == [
        "na, harmonic", "rls, harmonic", "random_search"
    ]  # fmt: skip
    assert algorithm_name(names[0], beside_others=False) == "harmonic"
    assert describe_algorithm(names[2]).split()[0] == "random_search"


def test_points_are_read_alike_by_all_algorithms(tmp_path):
    """All keys of a file of points are known to baselines too, `positive` among them."""
    file = tmp_path / "fruit.csv"
    file.write_text("x,y,mass,kind\n0.1,0.2,1,fig\n0.3,0.1,2,plum\n-0.2,0.4,1,fig\n")
    keys = {"label": "kind", "positive": "fig", "weight": "mass", "scale": True}
    for algorithm in algorithms():
        try:
            made = setting(problem=str(file), algorithm=algorithm, budget=20, **keys)
        except ImportError:
            continue
        assert {key: getattr(made, key) for key in keys} == keys
        assert made.make_problem().y.tolist() == [True, False, True]
        rows = made.runner().run_block(made.entropy, 0, 2)
        assert (rows[:, 0] <= 20).all()
