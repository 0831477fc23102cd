"""Tasks: what they are made of, where they start, what ends them, and the best network."""

from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperna import (
    AnnealingNA,
    Grid,
    MuPlusOneNA,
    Network,
    OneCommaLambdaNA,
    OnePlusLambdaNA,
    OnePlusOneNA,
    Online,
    RandomisedLocalSearchNA,
    fitness_of,
    points,
    problem,
)
from hyperna._kernels.algorithms import NonElitistOnePlusOne, OnePlusOne

SEEDS = st.integers(0, 2**32)


def slow(*values):
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.slow
@given(
    st.sampled_from(["half", "quarter", "two_quarters", "local_opt", "cube"]),
    st.sampled_from(["harmonic", "local", "uniform", "pareto"]),
    st.integers(1, 60),
    st.integers(0, 3),
    st.sampled_from([None, 3, 20]),
    SEEDS,
)
def test_no_run_spends_more_than_its_budget(name, mutation, budget, restarts, stagnation, seed):
    na = OnePlusOneNA(neurons=2, resolution=24, mutation=mutation)
    limits = {"budget": budget, "restarts": restarts, "stagnation": stagnation}
    runs = na.run_many(problem(name), runs=3, seed=seed, **limits)
    assert runs.evaluations.max() <= budget
    one = na.run(problem(name), seed=seed, **limits)
    assert one.evaluations <= budget
    if one.stop_reason == "budget":
        assert one.evaluations == budget
    assert one.improvements.evaluations[0] == 1
    assert one.improvements.evaluations[-1] <= one.evaluations


@pytest.mark.parametrize(
    ("na", "each"),
    [
        (OnePlusOneNA(neurons=2, resolution=24), 1),
        (OnePlusOneNA(neurons=2, resolution=24, mutation="local"), 1),
        slow(OnePlusOneNA(neurons=2, resolution=24, mutation="adaptive"), 1),
        slow(OnePlusOneNA(neurons=3, resolution=24), 1),
        slow(OnePlusOneNA(neurons="evolved", resolution=24), 1),
        slow(RandomisedLocalSearchNA(neurons=2, resolution=24), 1),
        (OnePlusLambdaNA(neurons=2, resolution=24, offspring=7), 7),
        slow(OnePlusLambdaNA(neurons=2, resolution=24, offspring=40, mutation="adaptive"), 40),
        (OneCommaLambdaNA(neurons=2, resolution=24, offspring=5), 5),
        slow(MuPlusOneNA(neurons=2, resolution=24, members=3, crossover=0.5), 1),
        slow(AnnealingNA(neurons=2, resolution=24), 1),
    ],
    ids=str,
)
def test_a_budget_of_just_the_evaluations_of_a_success_is_enough(na, each):
    """One evaluation or generation less is not."""
    subject = problem("two_quarters")
    limits = {"restarts": 3, "stagnation": 400}
    long = na.run_many(subject, 40, seed=3, budget=10_000, **limits)
    tried = 0
    for number in np.flatnonzero(long.success).tolist():
        spent = int(long.evaluations[number])
        if spent <= each + 3 or tried == 8:
            continue
        just = na.run(subject, seed=3, number=number, budget=spent, **limits)
        assert (just.success, just.evaluations) == (True, spent)
        less = na.run(subject, seed=3, number=number, budget=spent - 1, **limits)
        assert not less.success
        assert spent - each <= less.evaluations <= spent - 1
        tried += 1
    assert tried == 8


@pytest.mark.parametrize(
    ("options", "run", "expected"),
    [
        ({"neurons": 2, "init": "sphere"}, {}, {"sphere": True}),
        ({"neurons": 2}, {}, {"sphere": False, "probability": 0.25, "budget": 57449}),
        ({"neurons": 2, "bias": False}, {}, {"probability": 0.25}),
        ({"neurons": 2, "mutation_probability": 0.1}, {}, {"probability": 0.1}),
        ({"neurons": 2}, {"restarts": "auto"}, {"limits.stagnation": 4 * 4 * 7}),
        ({"neurons": 2, "bias": False}, {"restarts": "auto"}, {"limits.stagnation": 4 * 2 * 7}),
        ({}, {"restarts": "auto", "stagnation": 9}, {"limits.stagnation": 9}),
        ({}, {"target": 0.75}, {"criterion": "fitness >= 0.75"}),
    ],
)
def test_what_a_task_is_made_of(options, run, expected):
    task = OnePlusOneNA(resolution=120, **options).task(problem("two_quarters"), **run)
    assert {key: attrgetter(key)(task) for key in expected} == expected


def test_a_start_must_be_on_the_grid_that_is_searched():
    grid = Grid(2, 1, 120)
    na = OnePlusOneNA(bias=False)
    with pytest.raises(ValueError, match="start must have biases 0, because bias=False"):
        na.task(problem("half"), start=Network(grid, [3, 61]))
    assert na.run(problem("half"), start=Network(grid, [3, 60]), budget=1).network.genome[0] == 3
    with pytest.raises(ValueError, match="start must be on the grid"):
        na.task(problem("half"), start=Network(Grid(2, 1, 60), [3, 30]))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("subject", ["local_opt", "points"])
def test_an_unfinished_run_with_restarts_returns_the_best_network(seed, subject):
    if subject == "points":
        rng = np.random.default_rng(seed)
        fitness = fitness_of(points(rng.uniform(-0.7, 0.7, (40, 2)), rng.integers(0, 2, 40)))
    else:
        fitness = fitness_of(problem(subject))
    na = OnePlusOneNA(neurons=1, resolution=240)
    result = na.run(fitness, budget=150, stagnation=9, restarts=50, seed=seed, target=False)
    assert fitness(result.network) == pytest.approx(result.fitness)
    assert result.fitness == max(result.improvements.fitness)


def test_waiting_is_skipped_only_where_the_neighbours_are_certain():
    local = OnePlusOneNA(mutation="local")
    assert local.task(problem("quarter")).algorithm.patience == 9
    assert local.task(Online(problem("quarter"), 5)).algorithm == NonElitistOnePlusOne()
    assert OnePlusOneNA().task(problem("quarter")).algorithm == OnePlusOne()
    rls = RandomisedLocalSearchNA(mutation="local").task(problem("quarter"))
    assert rls.algorithm == OnePlusOne()
    # at most eight components that change, of which each stays or moves by one
    for neurons, options, patience in (
        (4, {}, 3**8),
        (5, {}, None),
        (8, {"bias": False}, 3**8),
        (9, {"bias": False}, None),
        (2, {"output": "evolved"}, 3**6),
    ):
        na = OnePlusOneNA(neurons, mutation="local", resolution=24, **options)
        found = na.task(problem("quarter")).algorithm
        assert found == OnePlusOne() if patience is None else found.patience == patience
    often = OnePlusOneNA(mutation="local", replace_neuron=0.5)
    assert often.task(problem("quarter")).algorithm == OnePlusOne()


def test_automatic_restarts_wait_for_the_components_that_change():
    for bias, components in ((True, 4), (False, 2)):
        task = OnePlusOneNA(neurons=2, bias=bias).task(problem("two_quarters"), restarts="auto")
        assert task.limits.stagnation == 4 * components * 7


@pytest.mark.parametrize(
    ("most", "bias", "output", "components"),
    [(2, True, "or", 4), (2, False, "or", 2), (16, False, "or", 16), (3, True, "evolved", 9)],
)
def test_automatic_restarts_of_growing_networks_wait_for_those_of_the_largest(
    most, bias, output, components
):
    na = OnePlusOneNA("evolved", max_neurons=most, bias=bias, output=output)
    task = na.task(problem("two_quarters"), restarts="auto")
    assert task.limits.stagnation == 4 * components * 7
    run = na.run("two_quarters", restarts="auto", target=False, seed=0, budget=4 * components * 7)
    assert run.restarts == 0


def test_one_bias_other_than_0_is_enough_to_refuse_a_start():
    from hyperna import Grid, Network, OnePlusOneNA

    na, grid = OnePlusOneNA(neurons=2, resolution=12, bias=False), Grid(2, 2, 12)
    assert na.task(problem("half"), start=Network(grid, [1, 6, 5, 6])).start is not None
    for genome in ([1, 6, 5, 7], [1, 5, 5, 6], [1, 0, 5, 0]):
        with pytest.raises(ValueError, match="biases 0"):
            na.task(problem("half"), start=Network(grid, genome))
    na = OnePlusOneNA(neurons=2, resolution=12, bias=False, output="evolved")
    grid = Grid(2, 2, 12, "evolved")
    assert na.task(problem("half"), start=Network(grid, [1, 6, 5, 6, 3, 6])).start is not None
    with pytest.raises(ValueError, match="biases 0"):
        na.task(problem("half"), start=Network(grid, [1, 6, 5, 6, 3, 11]))
