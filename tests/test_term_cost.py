"""Runs in which terms have a cost: against the plain loop, and what they leave behind."""

import json

import numpy as np
import pytest
import reference
from samples import OUTPUTS
from test_short_rules import plain_evolution

from hyperna import FiniteSet, OnePlusOneNA, problem
from hyperna.cli import main
from hyperna.experiments.campaign import Campaign
from hyperna.run.relatives import OnePlusLambdaNA, RandomisedLocalSearchNA
from hyperna.run.terms import ShortNetwork

# Outputs whose networks may have a cost for terms; all others are refused.
WITH_TERM_COST = ["or", "and", "xor"]


def labelled_points(seed=0, n=150, dim=4):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, dim)) / np.sqrt(dim)
    y = (X[:, 0] > 0.1) & (X[:, 1] < 0.2)
    return FiniteSet(X, y, rng.integers(1, 4, n))


@pytest.mark.parametrize("output", WITH_TERM_COST)
@pytest.mark.parametrize("neurons", [1, 2, 3])
@pytest.mark.parametrize("dim", [2, 4])
@pytest.mark.parametrize("entry", [OnePlusOneNA, RandomisedLocalSearchNA])
def test_a_run_takes_the_steps_of_the_plain_loop(entry, dim, neurons, output):
    fitness = labelled_points(seed=neurons, dim=dim)
    na = entry(neurons=neurons, output=output, resolution=64, move="rotation", init="sphere")
    task = na.task(fitness, term_cost=3, budget=301)
    assert task._moves.probability == (0.0 if entry is not OnePlusOneNA else 1 / (neurons * dim))
    result = na.run(fitness, term_cost=3, budget=301, seed=5, number=2)
    start = task.beginning(5, 2)
    W, t, errors, terms = plain_evolution(
        task._data, task.quorum, task._moves, 3, 300, *(part.copy() for part in start)
    )
    assert result.terms == terms
    assert result.fitness == (fitness.total - errors) / fitness.total
    found = result.network.weights()
    kept = W.any(axis=1)
    np.testing.assert_allclose(found[0][kept], W[kept], atol=1e-9)
    np.testing.assert_allclose(found[1][kept], t[kept], atol=1e-9)
    assert (found[1][~kept] == np.where(t[~kept] > 0, 1, -1)).all()
    assert ((found[0] == 0) == (W == 0))[kept].all()
    again = na.run_many(fitness, 3, term_cost=3, budget=301, seed=5, n_jobs=2)
    assert again.rows[2].tolist() == [301, fitness.total - errors, 3, 0, 0, kept.sum(), terms]


def test_the_cost_is_never_larger_than_that_of_the_first_network():
    fitness = labelled_points()
    na = OnePlusOneNA(neurons=2, output="and", resolution=1024, move="rotation", init="sphere")
    for cost in (0, 2, 50):
        task = na.task(fitness, term_cost=cost, budget=2000)
        for number in range(5):
            W, t, _ = task.beginning(1, number)
            fires = reference.joined((t <= fitness.X @ W.T).T, "and")
            before = int(fitness.weights[fires != fitness.y].sum()) + cost * np.count_nonzero(W)
            result = task.run(1, number)
            after = round((1 - result.fitness) * fitness.total) + cost * result.terms
            assert after <= before


def test_dear_terms_leave_the_constant_answer_and_cheap_ones_those_that_matter():
    fitness = labelled_points(n=400)
    na = OnePlusOneNA(neurons=2, output="and", resolution=4096, move="rotation", init="sphere")
    dear = na.run_many(fitness, 3, term_cost=10**6, budget=20_000, seed=1)
    assert (dear.terms_used == 0).all()
    assert (dear.neurons_used == 0).all()
    best = max(int(fitness.weights[fitness.y == label].sum()) for label in (False, True))
    assert (dear.rows[:, 1] <= best).all()
    cheap = na.run_many(fitness, 5, term_cost=4, budget=60_000, seed=1)
    short = cheap.replay(cheap.best)
    assert short.terms == 2
    assert short.fitness > 0.98
    assert set(np.flatnonzero(short.network.weights()[0].any(axis=0))) == {0, 1}


def test_a_start_is_taken():
    fitness = labelled_points()
    na = OnePlusOneNA(resolution=64, move="rotation")
    first = na.run(fitness, budget=200, seed=1).network
    same = na.run(fitness, term_cost=1, budget=1, start=first)
    assert same.network == first
    assert same.terms == np.count_nonzero(first.weights()[0])


@pytest.mark.parametrize(
    ("settings", "options", "message"),
    [
        ({"move": "angle"}, {}, "move must be 'rotation' where terms have a cost"),
        ({"neuron": "bent"}, {}, "neuron must be 'plain'"),
        *(
            ({"neurons": 2, "output": output}, {}, "output must be one of or, and, xor")
            for output in OUTPUTS
            if output not in WITH_TERM_COST
        ),
        ({"neurons": "evolved"}, {}, "neurons must be a number where terms have a cost"),
        ({"bias": False}, {}, "bias must be True"),
        ({"redraw_void": True}, {}, "redraw_void must be False"),
        ({"mutation": "pareto"}, {}, "mutation must be a law with a table"),
        ({"resolution": 2**30}, {}, "at most 4,194,304 lengths"),
        ({}, {"stagnation": 10}, "stagnation must be left out"),
        ({}, {"restarts": 1}, "restarts must be 0"),
        ({}, {"target": 0.9}, "target must be left out"),
        ({}, {"target": 0}, "target must be left out"),
        ({"replace_neuron": 0.5, "move": "angle"}, {}, "must be"),
        ({}, {"trajectory": True}, "trajectory must be False"),
        ({}, {"stop": lambda result: True}, "stop must be left out"),
        ({}, {"term_cost": -1}, "term_cost must be an integer from 0"),
        ({}, {"term_cost": 0.5}, "term_cost must be an integer from 0"),
    ],
)
def test_what_does_not_go_together_is_refused(settings, options, message):
    na = {"move": "rotation", **settings}
    with pytest.raises((TypeError, ValueError), match=message):
        OnePlusOneNA(**na).run(labelled_points(), budget=10, **{"term_cost": 1, **options})


@pytest.mark.parametrize(("init", "mean"), [("grid", 1 / 2), ("sphere", 1 / 4)])
def test_the_first_network_is_drawn_as_it_is_asked_for(init, mean):
    """The mean square of the first of four weights: of a cosine, or of uniform directions."""
    task = OnePlusOneNA(move="rotation", init=init).task(labelled_points(), term_cost=1, budget=1)
    first = [task.beginning(0, number)[0][0] for number in range(400)]
    assert np.allclose([w @ w for w in first], 1.0)
    squares = np.square(first)[:, 0]
    assert abs(squares.mean() - mean) < 4.5 * squares.std() / np.sqrt(len(squares))


def test_the_only_neuron_is_never_lost():
    fitness = labelled_points()
    runs = OnePlusOneNA(move="rotation", resolution=64).run_many(
        fitness, 40, seed=0, budget=800, term_cost=10**6
    )
    assert set(runs.neurons_used.tolist()) == {1}
    assert set(runs.terms_used.tolist()) == {1}
    two = OnePlusOneNA(neurons=2, move="rotation", resolution=64).run_many(
        fitness, 40, seed=0, budget=800, term_cost=10**6
    )
    assert min(two.neurons_used) < max(two.neurons_used)


def test_steps_and_costs_are_as_large_as_tables_and_integers_allow():
    na = {"move": "rotation", "resolution": 2**22}
    assert OnePlusOneNA(**na).task(labelled_points(), term_cost=1, budget=5).steps == 2**22
    with pytest.raises(ValueError, match="at most 4,194,304 lengths"):
        OnePlusOneNA(**{**na, "resolution": 2**22 + 1}).task(labelled_points(), term_cost=1)
    X = np.zeros((2, 2048))
    X[:, 0] = -0.5, 0.5
    wide = FiniteSet(X, np.array([False, True]))
    for neurons in (1, 2):
        turning = OnePlusOneNA(neurons=neurons, move="rotation", resolution=12)
        assert turning.task(wide, term_cost=2**50 // neurons, budget=5).term_cost > 0
        with pytest.raises(ValueError, match="term_cost must be"):
            turning.task(wide, term_cost=2**50 // neurons + 1, budget=5)


@pytest.mark.parametrize("options", [{}, {"target": None}, {"target": False}])
def test_no_run_with_a_cost_of_terms_succeeds(options):
    na = OnePlusOneNA(move="rotation")
    run = na.run(labelled_points(), budget=20, seed=0, term_cost=0, **options)
    assert (run.evaluations, run.stop_reason, run.success) == (20, "budget", False)


def test_other_fitnesses_and_algorithms_are_refused():
    na = OnePlusOneNA(move="rotation")
    for subject in (problem("quarter"), problem("half", dim=3), problem("half", dim=9)):
        with pytest.raises(ValueError, match="term_cost applies to labelled points"):
            na.run(subject, term_cost=1)
    line = FiniteSet(np.array([[-0.5], [0.5]]), np.array([False, True]))
    with pytest.raises(ValueError, match="dim must be at least 2 where terms have a cost"):
        na.run(line, term_cost=1, budget=9)
    with pytest.raises(ValueError, match="term_cost does not apply to OnePlusLambdaNA"):
        OnePlusLambdaNA(move="rotation").run(labelled_points(), term_cost=1)


def test_campaigns_and_the_command_line_know_terms(tmp_path, capsys):
    options = {"problem": "cube", "dim": 4, "move": "rotation", "neurons": 2, "budget": 500}
    store = Campaign.product(**options, term_cost=[None, 1], runs=4).run(tmp_path / "store")
    plain, charged = sorted(store.runs(), key=lambda runs: runs.setting.term_cost or 0)
    assert plain.terms_used is None
    assert charged.replay(1).terms == charged.terms_used[1]
    frame = store.to_frame()
    assert frame[frame.term_cost == 1].terms_used.tolist() == charged.terms_used.tolist()
    assert frame[frame.term_cost.isna()].terms_used.isna().all()
    line = ["run", "cube", "--dim", "4", "--move", "rotation", "--neurons", "2"]
    line += ["--budget", "500", "--term-cost", "1", "--runs", "4"]
    assert main([*line, "--json", "--all"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["mean_terms"] == np.mean(told["terms"])
    assert main(line) == 0
    shown = capsys.readouterr().out
    assert "a term costs 1" in shown
    assert "terms, mean" in shown


@pytest.mark.parametrize("dim", [2, 4])
@pytest.mark.parametrize("threshold", [-1.0, -0.25, 0.0, 0.25, 1.0])
def test_a_lost_neuron_still_fires_everywhere_or_nowhere(dim, threshold):
    """Without weights it fires where 0 is at least its threshold, whatever the point is."""
    points = labelled_points(n=40, dim=dim)
    task = OnePlusOneNA(2, resolution=60, move="rotation").task(points, term_cost=1)
    weights = np.zeros((2, dim))
    weights[1, 0] = 1.0
    network = task.network(ShortNetwork(weights, np.array([threshold, 0.1])))
    wanted = np.column_stack([np.full(40, threshold <= 0), points.X[:, 0] >= 0.1])
    np.testing.assert_array_equal(network.hidden(points.X), wanted)


@pytest.mark.parametrize(("dim", "far"), [(2, 1.0), (3, 1.0), (3, 1.5), (5, 2.0)])
@pytest.mark.parametrize("threshold", [-1.0, 1.0])
def test_a_lost_neuron_answers_alike_for_points_at_the_ends_of_all_axes(dim, far, threshold):
    """No axis will do there; between the axes there is room, beyond the unit ball too."""
    X = far * np.concatenate([np.eye(dim), -np.eye(dim)])
    task = OnePlusOneNA(2, resolution=60, move="rotation").task(
        FiniteSet(X, X[:, 0] > 0), term_cost=1
    )
    network = task.network(ShortNetwork(np.zeros((2, dim)), np.full(2, threshold)))
    assert (network.hidden(X) == (threshold <= 0)).all()


def test_points_on_all_sides_of_the_unit_ball_are_refused_where_neurons_may_be_lost():
    """No half-space of the grid has all of them, or none; a single neuron is never lost."""
    axes = np.eye(2)
    points = FiniteSet(5 * np.concatenate([axes, -axes]), [True, True, False, False])
    with pytest.raises(ValueError, match="points must lie in the unit ball"):
        OnePlusOneNA(2, move="rotation").task(points, term_cost=1)
    assert OnePlusOneNA(1, move="rotation").run(points, term_cost=1, budget=300, seed=1).terms > 0
