"""What counts as success, above all where no optimum is known."""

import numpy as np
import pytest

from hyperna import Grid, OnePlusOneNA, custom_arcs, points, problem
from hyperna.fitness import Sampled
from hyperna.problems import Problem
from hyperna.problems.base import optima_on


@pytest.mark.parametrize(("dim", "neurons"), [(3, 1), (3, 2), (4, 3)])
@pytest.mark.parametrize("resolution", [60, 240])
def test_the_default_target_allows_for_the_grid(dim, neurons, resolution):
    """2N/r below the best fitness at least: that is what angles one step off cost N neurons."""
    subject = problem("half", dim=dim)
    best = subject.best_fitness(neurons)
    task = OnePlusOneNA(neurons=neurons, resolution=resolution).task(subject, budget=10)
    assert task.default_target <= best - 2 * neurons / resolution + 1e-12
    assert task.default_target >= best - 2 * np.sqrt(dim) * neurons / resolution
    assert subject.rounding_loss(neurons, resolution) == pytest.approx(best - task.default_target)


def test_the_default_target_of_a_problem_of_one_s_own():
    class Own(Problem):
        name, dim, summary, default_neurons = "own", 2, "right of the axis", 1

        def label(self, X):
            return np.asarray(X)[:, 0] >= 0

        def best_fitness(self, neurons, output="or", *, bias=True, neuron="plain"):
            return 0.9

    task = OnePlusOneNA(neurons=3, resolution=60).task(Sampled(Own(), 64), budget=10)
    assert task.default_target == pytest.approx(0.9 - 2 * 3 / 60)


def test_a_goal_that_may_be_out_of_reach_is_said_to_be():
    task = OnePlusOneNA().task(points([[0.1, 0.2], [0.3, 0.1]], [0, 1]))
    assert task.criterion == "fitness >= 1, which may be out of reach"
    assert OnePlusOneNA(neurons=4).task(problem("cube")).criterion == "fitness >= 1"


def test_targets_of_bent_neurons_are_2n_over_r_below_the_best():
    from hyperna import OnePlusOneNA

    for neurons in (1, 2):
        na = OnePlusOneNA(neurons, resolution=40, neuron="bent")
        task = na.task(problem("arcs", k=neurons))
        assert task.default_target == pytest.approx(1 - 2 * neurons / 40)


@pytest.mark.parametrize(
    ("arcs", "share"), [("0-120", 1 / 6), ("0-240", 1 / 6), ("0-100", 0.0), ("0-260", 0.0)]
)
def test_nothing_is_certain_near_an_optimum_a_step_from_which_no_bias_is(arcs, share):
    """At r = 4 the biases are -1, -1/2, 0, 1/2, 1; an arc of a third of a turn has the bias 1/2."""
    found = optima_on(Grid(2, 1, 4), custom_arcs(arcs), bias=True, best=1.0)[1]
    assert found == pytest.approx(share, abs=1e-6)
