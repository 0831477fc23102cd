"""Algorithms that are compared: asked for the same, and told apart by what they found."""

import re

import numpy as np
import pytest

from hyperna import Campaign
from hyperna.experiments.setting import setting
from hyperna.experiments.targets import with_one_target
from hyperna.report.groups import groups
from hyperna.report.numbers import Entry
from hyperna.report.sentences import contest_text, headline
from hyperna.run.description import OPTIONS
from hyperna.run.results import STOP_REASONS, Runs


def targets(campaign):
    return [made.target for made in campaign.wanted]


# ---- one fitness for all


@pytest.mark.parametrize("dim", [2, 3, 5, 20])
@pytest.mark.parametrize("others", [["random_search"], ["random_search", "rls", "annealing"]])
def test_algorithms_with_different_search_spaces_are_asked_for_one_fitness(dim, others):
    options = {"problem": "half", "dim": dim, "neurons": 1, "resolution": 60}
    campaign = Campaign.product(**options, algorithm=["na", *others], runs=2)
    assert len(campaign.wanted) == 1 + len(others)
    [target] = set(targets(campaign))
    assert 0.5 < target < 1
    criteria = {made.runner().criterion for made in campaign.wanted}
    assert criteria == {f"fitness >= {target:.6g}"}


def test_networks_with_and_without_bias_are_not_compared():
    """What is best without a bias is another network, with another fitness perhaps."""
    usual = {"problem": "quarter", "resolution": 60}
    fixed = setting(**usual, bias=False)
    for other in (
        setting(**usual, mutation="pareto"),
        setting(**usual, algorithm="random_search"),
    ):
        assert with_one_target({fixed: 2, other: 2}) == {fixed: 2, other: 2}
    both = {fixed: 2, setting(**usual): 2, setting(**usual, mutation="pareto"): 2}
    assert [made.target is None for made in with_one_target(both)] == [True, False, False]


def test_successes_of_a_comparison_have_the_fitness_that_is_asked_for(tmp_path):
    """Components within a grid step of the optimum would have 0.92 at D = 20 where the NA has 1."""
    campaign = Campaign.product(
        problem="half", dim=[3, 10], resolution=60, algorithm=["na", "random_search"], runs=5,
        budget=3000, init="sphere",
    )  # fmt: skip
    for runs in campaign.run(tmp_path / "store").runs():
        assert (runs.success == (runs.fitness >= runs.setting.target)).all()
    assert any(made.init == "sphere" for made in campaign.wanted)


@pytest.mark.parametrize(
    ("varied", "values"),
    [("mutation", ["harmonic", "pareto", "cauchy:scale=2"]), ("move", ["angle", "rotation"])],
)
def test_real_valued_steps_are_another_search_space(varied, values):
    options = {"problem": "half", "dim": 3, "neurons": 1, "runs": 2}
    assert len(set(targets(Campaign.product(**options, **{varied: values})))) == 1
    assert None not in targets(Campaign.product(**options, **{varied: values}))
    for value in values:
        assert targets(Campaign.product(**options, **{varied: value})) == [None]


def test_algorithms_on_the_same_grid_are_compared_by_closeness_as_in_the_paper():
    options = {"problem": ["quarter", "two_quarters"], "resolution": [24, 60], "runs": 2}
    campaign = Campaign.product(**options, algorithm=["na", "rls"], mutation=["local", "harmonic"])
    assert set(targets(campaign)) == {None}
    # rotations are changes of angles at D = 2
    assert set(targets(Campaign.product(**options, move=["angle", "rotation"]))) == {None}


def test_only_networks_of_the_same_kind_are_compared():
    """One neuron attains 3/4 on LOCALOPT, and without a bias 3/4 on a quarter: more can do more."""
    campaign = Campaign.product(
        problem="local_opt", neurons=[1, 2], algorithm=["na", "random_search"], runs=2
    )
    by_size = {made.neurons: made.target for made in campaign.wanted}
    assert by_size[1] < 0.75 < by_size[2]
    mixed = Campaign.product(problem="quarter", bias=[True, False], mutation=["local", "pareto"])
    assert {made.target for made in mixed.wanted if made.bias} == {1 - 2 / 120}


def test_given_targets_stay_and_sums_of_campaigns_are_compared_too():
    given = Campaign.product(problem="half", algorithm=["na", "random_search"], target=0.8, runs=2)
    assert targets(given) == [0.8, 0.8]
    none = Campaign.product(problem="half", algorithm=["na", "random_search"], target=False)
    assert targets(none) == [False, False]
    parts = [Campaign.product(problem="half", algorithm=a, runs=2) for a in ("na", "random_search")]
    assert targets(parts[0]) == [None]
    [target] = set(targets(parts[0] + parts[1]))
    assert target == pytest.approx(1 - 2 / 120)


# ---- what a report says about them


UNITS = 1000


def entry(evaluations, scores, reason="target", **options):
    columns = [evaluations, scores, STOP_REASONS.index(reason), 0, 0]
    size = len(evaluations)
    rows = np.column_stack([np.broadcast_to(column, size) for column in columns])
    made = setting(**{"problem": "half", "resolution": 60, **options})
    return Entry(Runs(rows, UNITS, made.entropy, setting=made), size)


def told(*entries):
    [group] = groups(entries)
    text = contest_text(group.main_contest)
    return text.replace("\u00a0", " "), headline(group).replace("\u00a0", " ")


def test_different_final_fitness_is_told_with_the_winner():
    near = "optimum"
    text, first = told(
        entry(np.arange(100, 120), 1000, near), entry(np.arange(20), 922, algorithm="random_search")
    )
    other = "random_search, target 0.966667"
    assert f"At r = 60, “{other}” needed the fewest evaluations per success." in text
    means = f"1.0000 (na, harmonic) and 0.9220 ({other})"
    assert f"They did not find equally good networks: mean final fitness {means}." in text
    assert "Success does not mean the same for all" in text
    assert "(mean final fitness 0.9220 to 1.0000)" in first


@pytest.mark.parametrize("scores", [[950, 950, 950], [949, 950, 951], [950]])
def test_equal_final_fitness_is_told_too(scores):
    """Ties, a difference within chance, and a single run."""
    spent = np.arange(10, 10 + len(scores))
    text, _ = told(
        entry(spent, scores, target=0.9), entry(spent, scores[::-1], target=0.9, algorithm="rls")
    )
    assert "All have the mean final fitness 0.9500." in text
    assert "does not mean the same" not in text
    text, _ = told(
        entry(spent, scores, target=0.9),
        entry(spent, np.array(scores) + 1, target=0.9, algorithm="rls"),
    )
    if len(set(scores)) > 1 or len(scores) == 1:
        means = "0.9510 (rls, harmonic) and 0.9500 (na, harmonic)"
        assert f"Mean final fitness: {means}, which may be chance." in text


def test_the_best_and_the_worst_of_many_variants_are_named():
    laws = ["harmonic", "local", "uniform", *(f"power_law:exponent={e}" for e in range(1, 6))]
    spent = np.arange(30, 60)
    entries = [entry(spent, 900 + 10 * i, mutation=law) for i, law in enumerate(laws)]
    text, _ = told(*entries)
    assert re.findall(r"0\.\d{4} \(([^)]*)\)", text) == ["power_law:exponent=5", "harmonic"]


# ---- keys that some algorithms do not take


def test_a_shared_key_counts_for_the_algorithms_that_take_it():
    content = {"algorithm": ["na", "random_search"], "mutation": "local", "problem": "half"}
    campaign = Campaign.from_dict({**content, "runs": 2})
    assert [(m.algorithm[:2], m.mutation) for m in campaign.wanted] == [
        ("na", "local"),
        ("ra", None),
    ]
    product = Campaign.product(**content, runs=2)
    assert list(product.wanted) == list(campaign.wanted)
    in_block = Campaign.from_dict({"runs": 2, "settings": [content]})
    assert list(in_block.wanted) == list(campaign.wanted)
    below = {
        "problem": "half",
        "mutation": "local",
        "settings": [{"algorithm": content["algorithm"]}],
    }
    assert list(Campaign.from_dict(below).wanted) == list(campaign.wanted)


@pytest.mark.parametrize("key", sorted(OPTIONS.keys() - {"problem", "algorithm"}))
def test_no_key_is_dropped_without_a_word(key):
    """Each key changes the runs of an algorithm that takes it, beside one that does not."""
    values = {
        "dim": 3, "k": 3, "arcs": "0-90", "points": 64, "sampling": "even", "online": 5,
        "judge_once": True, "neurons": 2, "max_neurons": 3, "output": "xor", "neuron": "bent",
        "resolution": 24, "mutation": "local", "bias": False, "redraw_void": True,
        "mutation_probability": 0.25, "init": "sphere", "move": "rotation", "replace_neuron": 0.1,
        "budget": 99, "stagnation": 9, "target": 0.7, "restarts": 3, "seed": 4,
    }  # fmt: skip
    if key not in values:
        pytest.skip("a key of files of points")
    beside = {
        "k": {"problem": "arcs"},
        "arcs": {"problem": "arcs"},
        "sampling": {"dim": 3, "points": 64},
    }
    with_na = {"max_neurons": {"neurons": "evolved"}, "judge_once": {"online": 5}}
    options = {"problem": "half", "runs": 2, **beside.get(key, {})}
    if key in with_na:
        options |= {"algorithm": "na", **with_na[key]}
    else:
        options |= {"algorithm": ["na", "random_search"]}
    changed = Campaign.from_dict({**options, key: values[key]})
    first = next(iter(changed.wanted))
    assert getattr(first, key, None) == values[key] or (values[key] != 1 and key in ("k", "arcs"))


def test_a_key_that_counts_for_no_algorithm_is_an_error():
    options = {"problem": "half", "algorithm": ["random_search", "dual_annealing"]}
    message = "mutation does not apply to any of the algorithms 'random_search', 'dual_annealing'"
    for content in (
        {**options, "mutation": "local"},
        {"mutation": "local", "settings": [options]},
        {"settings": [{**options, "mutation": "local"}]},
    ):
        with pytest.raises(ValueError, match=message):
            Campaign.from_dict(content)
    with pytest.raises(ValueError, match=message):
        Campaign.product(**options, mutation="local")


def test_a_key_above_the_blocks_may_count_for_one_of_them():
    shared = {"problem": "half", "mutation": "local", "runs": 2}
    blocks = [{"algorithm": "na"}, {"algorithm": "random_search"}]
    campaign = Campaign.from_dict({**shared, "settings": blocks})
    assert [made.mutation for made in campaign.wanted] == ["local", None]
    with pytest.raises(ValueError, match="mutation does not apply to algorithm 'random_search'"):
        Campaign.from_dict({**shared, "settings": blocks[1:]})
    own = [blocks[0], {**blocks[1], "init": "sphere"}]
    with pytest.raises(ValueError, match="settings block 2: init does not apply"):
        Campaign.from_dict({**shared, "settings": own})
