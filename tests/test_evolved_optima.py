"""Optima of networks with an evolved output at D = 2: which there are, how they end runs."""

import itertools
import math

import numpy as np
import pytest
import reference
from scipy.optimize import linprog

from hyperna import OnePlusOneNA
from hyperna._kernels.judging import judge
from hyperna._kernels.state import OPTIMUM
from hyperna.fitness import ExactArcs, Sampled
from hyperna.network.grid import Grid
from hyperna.network.networks import Network
from hyperna.problems import custom_arcs, problem

ARCS = {
    "two_quarters": 2,
    "local_opt": 3,
    "arcs:k=3": 3,
    "arcs:k=4": 4,
}


def on_circle(turns):
    angle = 2 * np.pi * np.asarray(turns)
    return np.column_stack([np.cos(angle), np.sin(angle)])


def network_of(optimum, turned, resolution):
    """The network whose output adds up the neurons; those in `turned` are flipped and count -1."""
    W, t = on_circle(optimum[:, 0]), optimum[:, 1]
    firing = (on_circle(np.linspace(0, 1, 997)) @ W.T >= t).sum(axis=1)
    sign = np.where(turned, -1.0, 1.0)
    quorum = firing.max() - 0.5 - np.sum(turned)
    if abs(quorum) > math.sqrt(len(t)):
        return None  # beyond the bias of a unit normal
    parts = (W * sign[:, None], t * sign, resolution, "evolved", sign, quorum)
    return Network.from_weights(*parts)


@pytest.mark.parametrize("name", ARCS)
def test_every_optimum_can_be_completed(name):
    """With some of the neurons flipped, an output neuron makes the optima the best networks."""
    arcs, neurons = problem(name), ARCS[name]
    optima = arcs.optima(neurons, "evolved")
    assert len({optimum.tobytes() for optimum in optima}) == math.factorial(neurons)
    for optimum in optima:
        flips = itertools.product((False, True), repeat=neurons)
        networks = [network_of(optimum, np.array(turned), 2**30) for turned in flips]
        fitness = [ExactArcs(arcs)(network) for network in networks if network is not None]
        assert fitness
        assert min(fitness) > 1 - 1e-6


def test_two_quarters_are_an_or_of_arcs_or_an_and_of_gaps():
    root = math.sqrt(0.5)
    expected = [[[1 / 8, root], [5 / 8, root]], [[3 / 8, -root], [7 / 8, -root]]]
    found = problem("two_quarters").optima(2, "evolved")
    assert np.allclose(found, expected, rtol=0, atol=1e-15)


def completable(optimum, arcs):
    """Whether weights and a bias fire amid all arcs and no gap, by a linear program."""
    ends = np.sort([float(end) % 1 for arc in arcs.arcs for end in arc])
    X = on_circle((ends + (np.roll(ends, -1) - ends) % 1 / 2) % 1)
    bits = (optimum[:, 1] <= X @ on_circle(optimum[:, 0]).T).astype(float)
    sign = np.where(arcs.label(X), 1.0, -1.0)
    rows = -sign[:, None] * np.column_stack([bits, -np.ones(len(bits))])
    free = [(None, None)] * rows.shape[1]
    return linprog(np.zeros(rows.shape[1]), rows, -np.ones(len(rows)), bounds=free).success


@pytest.mark.parametrize("name", ["two_quarters", "local_opt", "arcs:k=3"])
def test_no_other_hidden_layer_can_be_completed(name):
    """Of all ways to share the ends of the arcs an output neuron can use those listed."""
    arcs, neurons = problem(name), ARCS[name]
    listed = arcs.optima(neurons, "evolved")
    usable = 0
    for layer in arcs.optima(neurons, "xor"):
        known = any(same_up_to_flips(layer, other) for other in listed)
        assert completable(layer, arcs) == known
        usable += known
    assert 0 < usable < len(arcs.optima(neurons, "xor"))


def same_up_to_flips(layer, other):
    """Whether two hidden layers have the same hyperplanes, each with either side."""

    def planes(spaces):
        sides = [((a, b), ((a + 0.5) % 1, -b)) for a, b in spaces.tolist()]
        # rounded before they are compared, so that equal angles are equal; + 0.0 makes -0.0 zero
        return sorted(min(tuple(np.round(side, 6) + 0.0) for side in pair) for pair in sides)

    return planes(layer) == planes(other)


def test_where_there_are_too_many_an_or_and_an_and_are_listed():
    arcs = problem("arcs", k=7)
    optima = arcs.optima(7, "evolved")
    assert len(optima) == 2
    for optimum, kind in zip(optima, ("or", "and"), strict=True):
        (known,) = arcs.optima(7, kind)
        assert np.allclose(np.sort(optimum, axis=0), np.sort(known, axis=0), rtol=0, atol=1e-12)


def plain_success(arcs, resolution):
    """Genome -> is it close to an optimum, and right in the middle of every arc and gap?"""
    ends = np.sort([float(end) % 1 for arc in arcs.arcs for end in arc])
    places = (ends + (np.roll(ends, -1) - ends) % 1 / 2) % 1
    X = on_circle(places)
    y = arcs.label(X).tolist()
    optima = []
    for optimum in arcs.optima(len(arcs.arcs), "evolved"):
        for turned in itertools.product((False, True), repeat=len(optimum)):
            optima.append(
                [
                    ((angle + 0.5 * flip) % 1, -bias if flip else bias)
                    for (angle, bias), flip in zip(optimum.tolist(), turned, strict=True)
                ]
            )
    close = reference.optimum_test(optima, resolution)
    neurons = len(arcs.arcs)

    def found(genome):
        hidden = genome[: 2 * neurons]
        return close(hidden) and reference.predict(genome, X, neurons, resolution, "evolved") == y

    return found


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("name", ["two_quarters", "local_opt"])
def test_success_is_what_the_definition_says(name, exact):
    arcs, neurons, resolution = problem(name), ARCS[name], 29  # no end amid an arc
    fitness = ExactArcs(arcs) if exact else Sampled(arcs, n=64)
    na = OnePlusOneNA(neurons=neurons, output="evolved", resolution=resolution)
    task, grid = na.task(fitness), Grid(2, neurons, resolution, "evolved")
    rng = np.random.default_rng(neurons)
    genomes = []
    for optimum in arcs.optima(neurons, "evolved"):
        for _ in range(40):
            flip = rng.random(neurons) < 0.5
            network = network_of(optimum, flip, resolution)
            if network is not None:
                step = rng.integers(-1, 2, grid.components) * (rng.random(grid.components) < 0.3)
                genomes.append((network.genome + step) % grid.moduli)
    genomes = np.array(genomes)
    reasons = np.zeros(len(genomes), np.int64)
    form = task.compiled_fitness
    work = form.workspace()
    judge(form, work, task.limits, task.goal.optima, genomes, np.zeros_like(reasons), reasons)
    found = plain_success(arcs, resolution)
    expected = np.array([found(genome) for genome in genomes.tolist()])
    assert 0.1 < expected.mean() < 0.9
    np.testing.assert_array_equal(reasons == OPTIMUM, expected)


@pytest.mark.parametrize("k", [3, 4])
def test_networks_that_are_right_nearly_everywhere_count(k):
    """Nested arcs, of which the output takes every other, are as good as separate ones."""
    na = OnePlusOneNA(neurons=k, output="evolved", resolution=240)
    runs = na.run_many(problem("arcs", k=k), runs=60, seed=1, budget=100_000)
    assert runs.success.sum() > 20
    good = runs.fitness > 1 - 1.5 / 240
    assert (runs.success[good]).mean() > 0.9


def test_a_single_arc_with_more_neurons_has_a_fitness_target():
    arcs = custom_arcs([(0.1, 0.3)])
    assert arcs.optima(2, "evolved") == []
    assert OnePlusOneNA(neurons=2, output="evolved").task(arcs).criterion.startswith("fitness")
