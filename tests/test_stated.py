"""What docstrings state, one small check each, where a wrong line would change no other number."""

import math

import numpy as np
import pytest
from sklearn.svm import SVC

from hyperna import Grid, OnePlusOneNA, export_text, fitness_of, problem
from hyperna.classifier.points import FEWEST_ROWS, Table
from hyperna.comparison.validation import _prepared
from hyperna.datasets.sources import _is_file
from hyperna.mutation import Exponential
from hyperna.play import answers
from hyperna.play.settings import PlaySetting
from hyperna.relatives import MuPlusOneNA
from hyperna.settings import setting


@pytest.mark.parametrize("stagnation", [0, 50])
def test_the_page_s_stagnation_is_the_algorithm_s(stagnation):
    made = PlaySetting.from_json({"problem": "half", "neurons": 1, "stagnation": stagnation})
    assert made.task.stagnation == (stagnation or None)


@pytest.mark.parametrize("bias", [True, False])
def test_the_page_s_free_components_are_those_that_mutate(bias):
    told = answers.task({"problem": "quarter", "neurons": 2, "bias": bias})
    assert told["free"] == ([0, 1, 2, 3] if bias else [0, 2])


def test_both_parts_of_a_fold_are_turned_alike():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(40, 3)) * [1, 1e3, 1e-3]
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    plain, turned = _prepared(points, points, None), _prepared(points, points, turn)
    assert np.allclose(plain[0], plain[1])
    for before, after in zip(plain, turned, strict=True):
        assert np.allclose(after, before @ turn.T)


@pytest.mark.parametrize("wrong", [0, 3, 6, 9])
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_the_row_that_is_off_the_grid_is_named(wrong, n_jobs):
    genomes = np.zeros((10, 2), int)
    genomes[wrong] = 99
    with pytest.raises(ValueError, match=rf"got \[99, 99\] in row {wrong}$"):
        fitness_of(problem("half")).scores(genomes, Grid(2, 1, 8), n_jobs=n_jobs)


def test_files_are_told_by_their_ending_whatever_its_case():
    assert _is_file("nowhere.CSV")
    assert not _is_file("nowhere.txt")
    assert not _is_file("moons")


def test_an_exponential_law_has_its_median_at_scale_times_log_2():
    finest = 1 / math.log(2)
    Exponential(scale=1.001 * finest).steps(24, 1)
    with pytest.raises(ValueError, match="median step"):
        Exponential(scale=0.999 * finest).steps(24, 1)


def test_a_population_may_use_up_its_budget_at_once():
    na = MuPlusOneNA(members=7, resolution=24)
    assert na.run(problem("half"), budget=7, target=False, seed=0).evaluations == 7
    with pytest.raises(ValueError, match="budget must be at least 7"):
        na.run(problem("half"), budget=6)


def test_a_seed_of_zero_is_the_default():
    assert setting(problem="half", seed=0) == setting(problem="half")
    assert setting(problem="half", seed=1) != setting(problem="half")


def test_a_neuron_is_not_always_replaced():
    assert setting(problem="half", replace_neuron=0.999).replace_neuron == 0.999
    with pytest.raises(ValueError, match="replace_neuron"):
        setting(problem="half", replace_neuron=1.0)


def test_the_mutation_probability_holds_for_networks_that_grow():
    often = OnePlusOneNA(neurons="evolved", mutation_probability=0.9, resolution=24)
    seldom = OnePlusOneNA(neurons="evolved", mutation_probability=0.01, resolution=24)
    times = [
        na.run_many(problem("quarter"), 200, seed=0).evaluations.mean() for na in (often, seldom)
    ]
    assert times[0] < times[1]


def test_the_size_of_a_support_vector_machine_counts_its_vectors():
    from hyperna.comparison.classifiers import _machine_size

    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    fitted = SVC().fit(X, X[:, 0] > 0)
    vectors = len(fitted.support_)
    assert _machine_size(fitted) == vectors * 4 + vectors + 1


def test_thinning_leaves_rows_of_every_class():
    label = np.zeros(5000, int)
    label[-2 * FEWEST_ROWS :] = 1
    X = np.random.default_rng(0).normal(size=(5000, 2))
    table = Table(X, label, np.ones(5000, np.int64), 5000.0)
    thin = table.thinned(np.random.default_rng(1), 50)
    assert (thin.label == 1).sum() >= FEWEST_ROWS
    assert (thin.label == 0).sum() >= FEWEST_ROWS
    assert len(thin.label) <= 50 + 2 * FEWEST_ROWS


def test_a_vote_of_two_of_three_is_written_as_that():
    from hyperna import NAClassifier

    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(600, 3))
    y = (X > 0).sum(axis=1) >= 2
    clf = NAClassifier(3, output="evolved", random_state=0).fit(X, y)
    assert clf.training_score_ > 0.97
    assert "AT LEAST 2 of" in export_text(clf)


def test_a_baseline_that_reaches_an_optimum_succeeds():
    from hyperna.baselines import baseline_task

    task = baseline_task("random_search", problem("half"), resolution=8, budget=5000)
    run = task.run(seed=0)
    assert (run.stop_reason, run.success) == ("optimum", True)


def test_neat_has_as_many_parameters_as_biases_and_weights_and_the_population_given():
    pytest.importorskip("neat", reason="needs hyperna[baselines]")
    from hyperna.baselines.neat_networks import NeatNetwork
    from hyperna.comparison import neat as module

    nodes = ((0, 0.5, ((-1, 1.0), (-2, 2.0))), (1, 0.0, ((0, 1.0),)))
    network = NeatNetwork.__new__(NeatNetwork)
    object.__setattr__(network, "nodes", nodes)
    assert network.size == 2 + 3
    given = []

    def evolve(judge, inputs, outputs, population, rng):
        given.append((inputs, outputs, population))
        raise RuntimeError("enough")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "evolve", evolve)
        with pytest.raises(RuntimeError, match="enough"):
            module.NeatClassifier(population=17).fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    assert given == [(1, 3, 17)]


def test_parts_of_the_warm_up_take_as_long_as_they_take(monkeypatch):
    from hyperna import compilation

    monkeypatch.setattr(compilation, "parts", lambda: {"one": lambda: None, "two": lambda: None})
    took = dict(compilation.compile_all())
    assert list(took) == ["one", "two"]
    assert max(took.values()) < 60
