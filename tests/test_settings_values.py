"""Values of settings: what makes two of them different."""

import os
import pickle
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from hyperna import StepLaw
from hyperna.experiments.campaign import Campaign
from hyperna.experiments.setting import setting
from hyperna.mutation import LAWS
from hyperna.problems import PROBLEMS


def test_a_setting_of_a_file_depends_on_its_weights(tmp_path):
    file = tmp_path / "points.csv"
    head, rows = "x,y,w,label\n", [(0.1, 0.2, 1, 0), (-0.3, 0.4, 2, 1), (0.5, -0.1, 3, 1)]
    ids = set()
    for factor in (1, 2):
        heavier = [(a, b, w * factor if b > 0.3 else w, c) for a, b, w, c in rows]
        file.write_text(head + "".join(f"{','.join(map(str, row))}\n" for row in heavier))
        ids.add(setting(problem=str(file), label="label", weight="w").id)
    assert len(ids) == 2


def test_a_seed_of_zero_is_the_default():
    assert setting(problem="half", seed=0) == setting(problem="half")
    assert setting(problem="half", seed=1) != setting(problem="half")


def test_a_neuron_is_not_always_replaced():
    assert setting(problem="half", replace_neuron=0.999).replace_neuron == 0.999
    with pytest.raises(ValueError, match="replace_neuron"):
        setting(problem="half", replace_neuron=1.0)


def test_seeds_of_settings_have_128_bits():
    seeds = [setting(problem="half", resolution=r).entropy for r in range(2, 200)]
    assert all(seed < 2**128 for seed in seeds)
    assert max(seeds) > 2**127
    assert len({seed >> 96 for seed in seeds}) == len(seeds)


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        ({"neurons": 3}, 40 * (2**14 + 16 * 3)),
        ({"neurons": 3, "points": 64}, 40 * (64 + 16 * 3)),
        ({"neurons": "evolved", "points": 64}, 40 * (64 + 16 * 16)),
        ({"neurons": "evolved", "points": 64, "max_neurons": 5}, 40 * (64 + 16 * 5)),
        ({"neurons": "evolved", "points": 64, "max_neurons": 20}, 40 * (64 + 16 * 20)),
    ],
    ids=str,
)
def test_what_needs_more_than_the_memory_is_refused(monkeypatch, options, numbers):
    """So many numbers of eight bytes are kept, in pages of eight bytes here."""
    pages = {"SC_PHYS_PAGES": numbers, "SC_PAGE_SIZE": 8}
    with monkeypatch.context() as patch:
        patch.setattr(os, "sysconf", pages.__getitem__)
        assert setting(problem="half", dim=40, resolution=12, **options).dim == 40
        pages["SC_PHYS_PAGES"] -= 1
        with pytest.raises(ValueError, match="GB of memory; this computer has"):
            setting(problem="half", dim=40, resolution=12, **options)


def test_a_law_of_one_s_own_travels_on_from_where_it_is_not_known(monkeypatch):
    """As through a scheduler, which passes on what it was sent and does not know the law."""

    @dataclass(frozen=True)
    class Thirds(StepLaw):
        name: ClassVar[str] = "in_thirds"

        def weights(self, resolution):
            return (np.arange(1, resolution + 1) % 3 == 0).astype(float)

    # its definition has registered it: what is restored after the test is that there is no such law
    del LAWS["in_thirds"]
    monkeypatch.setitem(LAWS, "in_thirds", Thirds)
    made = setting(problem="half", mutation="in_thirds", resolution=12)
    rows = made.runner().run_block(made.entropy, 0, 5)
    sent = pickle.dumps(made)
    del LAWS["in_thirds"]
    passed_on = pickle.dumps(pickle.loads(sent))
    assert "in_thirds" not in LAWS
    arrived = pickle.loads(passed_on)
    assert arrived == made
    assert (arrived.runner().run_block(made.entropy, 0, 5) == rows).all()


def test_the_dimension_of_a_file_is_that_of_its_points(tmp_path):
    file = tmp_path / "points.csv"
    file.write_text("a,b,class\n0.5,0.1,1\n-0.5,0.2,0\n")
    assert setting(problem=str(file)) == setting(problem=str(file), dim=2)
    for dim in (1, 3):
        with pytest.raises(ValueError, match=f"dim is {dim}, but .* has 2 features per row"):
            setting(problem=str(file), dim=dim)


@pytest.mark.parametrize(
    ("problem", "given", "target"),
    [
        ("half", None, 1 - 2 / 60),
        ("half", False, False),
        ("half", 0.75, 0.75),
        ("half", 0, 0.0),
        # no optima are listed, so that a fitness counts for all algorithms
        ("cube", None, None),
    ],
)
def test_other_algorithms_are_asked_for_a_fitness_that_their_settings_hold(problem, given, target):
    options = {"problem": problem, "resolution": 60, "neurons": 1, "target": given}
    made = setting(algorithm="random_search", **options)
    assert (made.target, type(made.target)) == (pytest.approx(target), type(target))
    assert made.budget == setting(**options).budget
    again = setting(**{key: made.options[key] for key in made.canonical})
    assert (again, again.target) == (made, made.target)
    assert again.runner().least_score == made.runner().least_score
    assert setting(**options).target is given or setting(**options).target == given


def test_how_fitness_is_sampled_is_written_whether_it_is_given_or_not():
    made = setting(problem="half", dim=3, points=64)
    assert (made.points, made.sampling) == (64, "sobol")
    assert made == setting(problem="half", dim=3, points=64, sampling="sobol")
    assert made != setting(problem="half", dim=3, points=64, sampling="random")
    given = setting(problem="half", dim=3, sampling="random")
    assert given.sampling == "random"
    assert given == setting(problem="half", dim=3, sampling="random", points=given.points)
    exact = setting(problem="half", dim=3)
    assert (exact.points, exact.sampling) == (None, None)
    # many dimensions with several neurons are sampled by default
    large = setting(problem="half", dim=40, neurons=3)
    assert large == setting(
        problem="half", dim=40, neurons=3, points=large.points, sampling=large.sampling
    )
    assert large.sampling is not None


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("opposite", [True, False])
def test_an_option_and_its_opposite_are_one_option_given_twice(bias, opposite):
    with pytest.raises(ValueError, match="bias is given twice"):
        setting(**{"problem": "half", "bias": bias, "no-bias": opposite})
    with pytest.raises(ValueError, match="redraw_void is given twice"):
        setting(**{"problem": "half", "redraw-void": bias, "redraw_void": bias})


@pytest.mark.parametrize("resolutions", [[24], [24, 36, 48, 60]])
def test_a_campaign_has_at_most_so_many_runs_in_all(resolutions):
    most = 10**12 // len(resolutions)
    options = {"problem": "half", "resolution": resolutions}
    assert Campaign.product(runs=most, **options).total == 10**12
    with pytest.raises(ValueError, match="runs are too many, at most 1,000,000,000,000"):
        Campaign.product(runs=most + 1, **options)


def test_of_one_component_at_a_time_no_probability_is_told():
    """It would not matter."""
    from hyperna.experiments.unusual import unusual_words

    usual = unusual_words(setting(problem="half", algorithm="rls"))
    assert (
        unusual_words(setting(problem="half", algorithm="rls", mutation_probability=0.3)) == usual
    )
    for algorithm in ("na", "one_plus_lambda"):
        given = setting(problem="half", algorithm=algorithm, mutation_probability=0.3)
        words = unusual_words(setting(problem="half", algorithm=algorithm))
        assert len(unusual_words(given)) == len(words) + 1


@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize("name", ["no_bias", "no-bias", "bias"])
def test_values_of_a_flag_are_lists_of_any_kind(kind, name):
    keys = {"problem": "half", "resolution": 24, name: kind([True, False, "default"])}
    if name != "bias":
        keys[name] = kind([True, False])
    wanted = Campaign.product(runs=2, **keys).wanted
    assert {made.bias for made in wanted} == {True, False}
    assert set(wanted.values()) == {2}


def test_a_setting_is_called_by_the_name_that_was_asked_for(tmp_path, monkeypatch):
    """A file by its name without its folder, a registered problem by its own name."""
    (tmp_path / "fruit.csv").write_text("a,b,class\n0.5,0.1,1\n-0.5,0.2,0\n")
    monkeypatch.setitem(PROBLEMS, "thirds", PROBLEMS["quarter"])
    named = [("half", "half"), ("arcs:k=3", "arcs:k=3"), ("thirds", "thirds")]
    for given, title in [*named, (str(tmp_path / "fruit.csv"), "fruit.csv")]:
        assert setting(problem=given).title == title
    assert setting(tmp_path, problem="fruit.csv").title == "fruit.csv"
    made = setting(problem="thirds")
    assert made == setting(problem="quarter")
    assert made.make_problem().title == "thirds"
