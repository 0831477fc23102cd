"""Numbers from which on a report tells or draws less."""

import re

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from test_report_variants import entry

from hyperna.problems import custom_arcs, points
from hyperna.report.dimensions import Series, _slope
from hyperna.report.groups import MOST_COMPARED, groups
from hyperna.report.pictures import problem_picture
from hyperna.report.sections import _tests
from hyperna.report.sentences import contest_text, method_text, success_text


def variants(count, resolution=24):
    """Variants that differ in the probability of mutation, in the order of their evaluations."""
    return [
        entry(
            np.arange(10) + 20 * (k + 1),
            mutation_probability=(k + 1) / (count + 1),
            resolution=resolution,
        )
        for k in range(count)
    ]


@pytest.mark.parametrize("more", [0, 1])
def test_so_many_variants_are_compared_in_pairs_and_no_more(more):
    count = MOST_COMPARED + more
    [group] = groups(variants(count))
    [contest] = group.contests
    pairs = 0 if more else count * (count - 1) // 2
    assert len(contest.tests) == len(contest.fitness_tests) == pairs
    assert str(_tests(group)).count("<tr") == (pairs + 1 if pairs else 0)
    assert len(contest.winners) == 1


@pytest.mark.parametrize("more", [0, 1])
def test_resolutions_are_listed_up_to_six_of_them(more):
    resolutions = [12 * (k + 1) for k in range(6 + more)]
    [group] = groups([entry([5, 6], resolution=r) for r in resolutions])
    text = method_text(group)
    listed = [str(r) for r in resolutions[1:-1] if f" {r}," in text or f"{r} and" in text]
    assert bool(listed) == (not more)
    assert str(resolutions[0]) in text
    assert str(resolutions[-1]) in text
    assert f"{2 * len(resolutions)} runs in all" in text


def test_the_runs_of_each_are_told_where_they_are_equally_many():
    [even] = groups([entry([5, 6], resolution=r) for r in (24, 48)])
    [uneven] = groups([entry([5, 6], resolution=24), entry([5, 6, 7], resolution=48)])
    [alone] = groups([entry([5, 6])])
    assert "2 runs each" in method_text(even)
    assert "each" not in method_text(uneven)
    assert "each" not in method_text(alone)


def test_one_criterion_is_told_and_several_are_not():
    one, other = entry([5, 6], target=0.75), entry([5, 6], target=0.8)
    [same] = groups([one])
    [mixed] = groups([one, other])
    assert "0.75" in success_text(same)
    assert "0.75" not in success_text(mixed)
    [nothing] = groups([entry([5, 6], target=False)])
    assert "No success" in success_text(nothing)


def test_growth_between_the_ends_of_the_dimensions():
    """From D = 2 to 8 eight times the evaluations: an exponent of 3/2."""
    members = [
        entry(np.full(4, spent), dim=dim, neurons=1, problem="half")
        for dim, spent in ((2, 10), (4, 25), (8, 80))
    ]
    assert _slope(Series("half", members)) == pytest.approx(1.5)
    failed = entry(np.full(4, 999), solved=False, dim=16, neurons=1, problem="half")
    assert _slope(Series("half", [*members, failed])) == pytest.approx(1.5)
    assert _slope(Series("half", members[:1])) is None
    assert Series("half", members[:1]).fitting == []
    assert Series("half", [*members, failed]).fitting == []


@pytest.mark.parametrize(("count", "named"), [(2, 2), (6, 6), (7, 2), (8, 2)])
def test_final_fitness_is_told_of_six_variants_or_of_the_best_and_the_worst(count, named):
    made = [
        entry([10 + k] * 8, score=1000 * (k + 1), mutation_probability=(k + 1) / 10, resolution=24)
        for k in range(count)
    ]
    [group] = groups(made)
    text = contest_text(group.main_contest)
    assert sum(f"({family.name})" in text for family in group.families) == named


def test_times_are_compared_where_success_means_the_same():
    """Near an optimum on the grid and in real numbers are two things; a fitness is one."""
    near = [entry([9] * 8, resolution=24), entry([5] * 8, mutation="pareto", resolution=24)]
    same = [entry([9] * 8, resolution=24), entry([5] * 8, mutation="local", resolution=24)]
    reached = [
        entry([9] * 8, resolution=24, target=0.9, **more) for more in ({}, {"mutation": "pareto"})
    ]
    texts = []
    for made in (near, same, reached):
        [group] = groups(made)
        texts.append("cannot be compared" in contest_text(group.main_contest))
    assert texts == [True, False, False]


@pytest.mark.parametrize("length", [1, 179, 180, 181, 240, 269, 271, 359])
def test_arcs_longer_than_half_a_circle_are_drawn_the_long_way(length):
    [flag] = re.findall(
        r"A 1 1 0 (\d) 0 ", problem_picture(custom_arcs([(20, 20 + length)], unit="degree"))
    )
    assert flag == str(int(length > 180))


@pytest.mark.parametrize(("ratio", "height"), [(1, 1), (2, 0.5), (3, 1 / 3), (3.1, 1), (50, 1)])
def test_features_of_much_different_sizes_fill_the_picture_each(ratio, height):
    X = 0.5 * np.array([[-1, -1 / ratio], [1, 1 / ratio], [0.5, 0]])
    text = problem_picture(points(X, np.array([True, False, True])))
    places = [(float(x), float(y)) for x, y in re.findall(r'cx="([^"]+)" cy="([^"]+)"', text)]
    assert max(abs(x) for x, _ in places) == pytest.approx(1)
    assert max(abs(y) for _, y in places) == pytest.approx(height, abs=0.001)
