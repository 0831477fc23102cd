"""NEAT: the package's own networks, counted, judged and seeded like everything else here."""

import pickle
import random

import numpy as np
import pytest

from hyperna import CLASSIFIERS, compare
from hyperna.baselines import Neat, neat_networks, neat_task
from hyperna.comparison.classifiers import contenders
from hyperna.experiments.setting import setting
from hyperna.fitness import FiniteSet, fitness_of
from hyperna.problems import points, problem
from hyperna.run.results import STOP_REASONS

neat = pytest.importorskip("neat", reason="needs hyperna[baselines]")


class Enough(Exception):
    pass


def test_networks_answer_as_the_package_does():
    """All networks of some generations on random points, one and three outputs."""
    X = np.random.default_rng(0).normal(size=(20, 3))
    original = neat_networks._network
    compared = []

    def watched(genome, config):
        network = original(genome, config)
        own = neat.nn.FeedForwardNetwork.create(genome, config)
        expected = np.array([own.activate(list(x)) for x in X])
        found = 1 / (1 + np.exp(-np.clip(5 * network.activations(X), -60, 60)))
        assert found == pytest.approx(expected, abs=1e-12)
        compared.append(len(network.nodes))
        return network

    def judge(network):
        if len(compared) > 600:
            raise Enough
        return random.random() + len(network.nodes)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neat_networks, "_network", watched)
        for outputs in (1, 3):
            compared.clear()
            with pytest.raises(Enough):
                neat_networks.evolve(judge, 3, outputs, 50, np.random.default_rng(1))
            assert max(compared) >= outputs + 2


def test_runs_depend_on_seed_and_number_only():
    task = neat_task("neat:population=20", problem("quarter"), budget=60, target=False)
    random.seed(3)
    before = random.getstate()
    rows = task.run_block(7, 0, 3)
    assert random.getstate() == before
    assert (rows[:, 0] == 60).all()
    assert (task.run_block(7, 1, 3) == rows[1:]).all()
    assert (pickle.loads(pickle.dumps(task)).run_block(7, 2, 3) == rows[2:]).all()
    run = task.run(7, 1)
    assert (run.evaluations, run.fitness) == (rows[1, 0], rows[1, 1] / task.units)
    assert (task.run_block(8, 0, 3)[:, 1] != rows[:, 1]).any()
    assert (rows != rows[0]).any()


def test_success_is_the_share_of_points_that_the_found_network_gets_right():
    task = neat_task("neat", problem("half"), target=0.98)
    run = task.run(seed=2)
    right = run.network.predict(task.fitness.X) == task.fitness.y
    assert run.success
    assert run.fitness == right.mean() >= 0.98
    assert run.improvements.evaluations[-1] == run.evaluations


def test_stagnation_and_restarts_count_as_for_the_others():
    task = neat_task(
        "neat:population=10", problem("quarter"), target=False, stagnation=30, restarts=2
    )
    run = task.run(seed=1)
    assert (run.stop_reason, run.restarts) == ("stagnation", 2)
    assert run.evaluations >= 3 * 31


def test_campaign_settings_take_it():
    made = setting(algorithm="neat", problem="cube", dim=3, budget=50)
    assert made == setting(algorithm="neat:population=150", problem="cube", dim=3, budget=50)
    rows = made.runner().run_block(made.entropy, 0, 2)
    assert made.runner().units == 8
    assert all(STOP_REASONS[code] in ("budget", "target") for code in rows[:, 2])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("neat:populaton=3", "no setting 'populaton'.*did you mean 'population'"),
        ("neat:population=many", "population must be an integer, got 'many'"),
        ("neat:population=1", "population must be an integer >= 2, got 1"),
    ],
)
def test_wrong_settings_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        Neat.parse(text)


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"neat-python: .*pip install 'hyperna\[baselines\]'"):
        neat_task("neat", problem("half"))


def test_it_takes_part_in_comparisons_where_it_is_named():
    assert "neat" in CLASSIFIERS
    assert "neat" not in [entry.name for entry in contenders(None)]
    from hyperna.comparison.neat import NeatClassifier

    own = {"neat": NeatClassifier(evaluations=600, population=50)}
    result = compare("sklearn:iris", own, folds=3, repeats=1)
    assert result.test_accuracies("neat").mean() > 0.6
    data = np.random.default_rng(0).normal(size=(40, 2))
    fitted = CLASSIFIERS["neat"].build(1).set_params(evaluations=300)
    fitted.fit(data, data[:, 0] > 0)
    assert CLASSIFIERS["neat"].size(fitted) == fitted.network_.size
    assert fitted.score(data, data[:, 0] > 0) > 0.8


@pytest.mark.parametrize(("name", "neurons"), [("half", 1), ("two_quarters", 2), ("arcs:k=3", 3)])
def test_the_target_is_what_the_problems_own_number_of_neurons_attains(name, neurons):
    task = neat_task("neat", problem(name), resolution=120)
    assert task.least_score / task.units == pytest.approx(1 - 2 * neurons / 120, abs=0.03)
    more = neat_task("neat", problem(name), neurons=neurons + 5, resolution=120)
    assert more.least_score < task.least_score


def test_rises_of_neat_are_shares_that_end_with_the_fitness_found():
    pytest.importorskip("neat", reason="needs hyperna[baselines]")
    from hyperna.baselines import neat_task

    task = neat_task("neat:population=10", problem("quarter"), budget=40, target=False)
    run = task.run(seed=2)
    shares = run.improvements.fitness
    assert len(shares) > 1
    assert (np.diff(shares) > 0).all()
    assert 0 <= shares[0] < shares[-1] == run.fitness <= 1
    assert task.criterion.startswith("nothing")


def test_neat_has_as_many_parameters_as_biases_and_weights():
    pytest.importorskip("neat", reason="needs hyperna[baselines]")
    from hyperna.baselines.neat_networks import NeatNetwork

    nodes = ((0, 0.5, ((-1, 1.0), (-2, 2.0))), (1, 0.0, ((0, 1.0),)))
    network = NeatNetwork.__new__(NeatNetwork)
    object.__setattr__(network, "nodes", nodes)
    assert network.size == 2 + 3


def test_neat_succeeds_with_the_target_itself():
    pytest.importorskip("neat", reason="neat-python is not installed (hyperna[baselines])")
    from hyperna.baselines import neat_task

    some = fitness_of(problem("cube", dim=2))
    task = neat_task("neat:population=20", some, target=0.5, budget=2000)
    found = task.run(seed=0)
    assert task.least_score == 2
    reached = next(e for e, f in zip(*vars(found.improvements).values(), strict=True) if f >= 0.5)
    assert found.success
    assert found.evaluations == reached
    weighted = FiniteSet(some.X, some.y, [1, 5, 2, 3])
    found = neat_task("neat:population=20", weighted, target=False, budget=40).run(seed=1)
    right = found.network.predict(some.X) == some.y
    assert found.fitness == weighted.weights[right].sum() / 11


def test_weights_are_repetitions_to_neat():
    """What guides its evolution counts weights as the score does."""
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(12, 2)), rng.integers(1, 9, 12)
    y = rng.random(12) < 0.5
    rows = [
        neat_task("neat:population=10", given, budget=300, target=False).run_block(1, 0, 3)
        for given in (
            points(X, y, weight=weight, scale=True),
            points(np.repeat(X, weight, axis=0), np.repeat(y, weight), scale=True),
        )
    ]
    assert (rows[0][:, :3] == rows[1][:, :3]).all()


def test_an_output_that_nothing_leads_to_is_silent():
    X = np.zeros((3, 1))
    assert not neat_networks.NeatNetwork((-1,), (0,), ()).predict(X).any()
    one = neat_networks.NeatNetwork((-1,), (0, 1), ((1, -5.0, ()),))
    assert (one.predict(X) == 1).all()


def test_pictures_of_runs_show_no_half_spaces():
    """Its networks have none: what is drawn are runtimes and the best run's progress."""
    from hyperna.plots import batch_figure

    half = problem("half")
    task = neat_task("neat:population=10", half, budget=60, target=0.5)
    figure = batch_figure(half, task.run_many(2, seed=0))
    assert [ax.get_ylabel() for ax in figure.axes] == ["share of successes", "fitness"]


def test_a_network_is_told_in_words():
    links = ((-1, 0.5), (-2, -2.0))
    one = neat_networks.NeatNetwork((-1, -2), (0,), ((7, -1.0, links), (0, 0.25, ((7, 3.0),))))
    assert str(one).splitlines() == [
        "x is positive if y1 >= 1/2, where s(z) = 1 / (1 + exp(-5 z)) and",
        "  h1 = s(0.5*x1 - 2*x2 - 1)",
        "  y1 = s(3*h1 + 0.25)",
    ]
    three = neat_networks.NeatNetwork((-1,), (0, 1, 2), ((1, 0.0, ((-1, 1.0),)),))
    assert str(three).startswith("x is of the class with the largest y, ")
    assert str(three).splitlines()[1:] == ["  y2 = s(x1 + 0)", "  y1 = 0", "  y3 = 0"]


def test_a_best_fitness_that_a_constant_answer_has_is_no_target_of_neat():
    task = neat_task("neat", "two_quarters", neurons=30)
    assert task.least_score > task.units
