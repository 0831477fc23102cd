"""Two neurons exactly, against dense chains from the definition and against simulation."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
import reference
from dense_chain import Dense, assert_every_answer, component_moves
from samples import WIRED

from hyperna import OnePlusOneNA, problem
from hyperna.fitness import ExactArcs
from hyperna.network.grid import Grid
from hyperna.theory import expected_runtime

NAMES = ("half", "quarter", "two_quarters", "local_opt", "arcs:k=3")
# A fitness that some networks have at r = 4 and 6.
BEST = {"half": 0.75, "quarter": 0.8, "two_quarters": 0.7, "local_opt": 0.6, "arcs:k=3": 0.55}
LAWS = {
    "harmonic": reference.harmonic_law,
    "local": reference.local_law,
    "uniform": reference.uniform_law,
}
KINDS = list(product(NAMES, LAWS, WIRED))
# 400 and 1,764 states with bias: every problem, law and output with every other, not all three
SOME = [
    (name, list(LAWS)[j % len(LAWS)], WIRED[(i + j) % len(WIRED)])
    for i, name in enumerate(NAMES)
    for j in range(max(len(LAWS), len(WIRED)))
]
# every one of them at least once: for each problem the law and output that are rarest so far
FEW = []
taken = Counter()
for problem_name in NAMES:
    own = [case for case in SOME if case[0] == problem_name]
    rarest = min(own, key=lambda case: taken[case[1]] + taken[case[2]])
    FEW.append(rarest)
    taken.update(rarest)


def solved(name, r, law, output, bias):
    """The exact runtime, to a fitness where no optima are known."""
    listed = problem(name).optima(2, output, bias=bias)
    target = None if listed else BEST[name]
    return expected_runtime(
        problem(name), r, law, neurons=2, output=output, bias=bias, target=target
    )


def dense_pair(runtime, r, law, output, bias, name):
    """The chain of two neurons from the definition: all genomes, all mutations."""
    grid, arcs = Grid(2, 2, r, output), problem(name)
    biases = range(r + 1) if bias else [r // 2]
    genomes = np.array(list(product(range(r), biases, range(r), biases)))
    fitness = ExactArcs(arcs).scores(genomes, grid) / ExactArcs(arcs).units(grid)
    np.testing.assert_allclose(runtime.fitness.ravel(), fitness)
    steps = LAWS[law](r)
    neuron = component_moves(r, steps, 0.25)
    if bias:
        neuron = np.kron(neuron, component_moves(r + 1, steps, 0.25))
    target = near_an_optimum(arcs, genomes, r, output, bias)
    if target is None:
        target = fitness >= BEST[name]
    return Dense(np.kron(neuron, neuron), fitness, target)


def near_an_optimum(arcs, genomes, r, output, bias):
    target = None
    for optimum in arcs.optima(2, output, bias=bias):
        for one, other in ((0, 1), (1, 0)):
            wanted = np.concatenate([optimum[one], optimum[other]]) * r
            wanted[1::2] = (wanted[1::2] + r) / 2
            modulus = np.array([r, r + 1, r, r + 1])
            distance = np.abs(genomes - wanted)
            near = np.minimum(distance, modulus - distance) < 1 - 1e-9
            near[:, 1::2] |= not bias
            target = near.all(axis=1) | (False if target is None else target)
    return target


@pytest.mark.parametrize(("name", "law", "output"), KINDS)
@pytest.mark.parametrize("r", [4, 6])
def test_two_neurons_without_bias_are_the_dense_chain(name, r, law, output):
    runtime = solved(name, r, law, output, False)
    dense = dense_pair(runtime, r, law, output, False, name)
    assert_every_answer(runtime, dense, plateaus=False)


@pytest.mark.parametrize(
    ("name", "law", "output"),
    [pytest.param(*case, marks=[] if case in FEW else pytest.mark.slow) for case in SOME],
)
def test_two_neurons_are_the_dense_chain(name, law, output):
    runtime = solved(name, 4, law, output, True)
    dense = dense_pair(runtime, 4, law, output, True, name)
    assert_every_answer(runtime, dense, plateaus=False)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "law", "output"), FEW)
def test_two_neurons_are_the_dense_chain_at_six_angles(name, law, output):
    runtime = solved(name, 6, law, output, True)
    dense = dense_pair(runtime, 6, law, output, True, name)
    # on so coarse a grid runs may miss the optimum of LOCALOPT, after a much longer time
    longest = dense.mean(dense.target | dense.closed.any(axis=0)).max()
    assert_every_answer(runtime, dense, plateaus=False, longest=longest)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("r", "law", "output"),
    [
        (8, "harmonic", "or"),
        (12, "harmonic", "and"),
        (12, "harmonic", "xor"),
        (8, "local", "or"),
        (8, "local", "xor"),
    ],
)
def test_two_neurons_are_simulated_so(r, law, output):
    runtime = expected_runtime(problem("two_quarters"), r, law, neurons=2, output=output)
    na = OnePlusOneNA(neurons=2, resolution=r, mutation=law, output=output)
    # no success is expected after that; what is stuck need not be followed for longer
    longest = runtime.conditional_mean + runtime.conditional_standard_deviation
    runs = na.run_many(problem("two_quarters"), 1000, seed=4, budget=int(100 * longest))
    p = runtime.probability
    assert abs(runs.success.mean() - p) <= 4 * math.sqrt(p * (1 - p) / len(runs)) + 1e-12
    times = runs.evaluations[runs.success]
    error = runtime.conditional_standard_deviation / math.sqrt(times.size)
    assert abs(times.mean() - runtime.conditional_mean) < 4 * error


def test_too_many_states_are_refused():
    for law in ("harmonic", "local"):
        with pytest.raises(ValueError, match=r"resolution must be at most.* GB and .* minutes"):
            expected_runtime(problem("half"), 128, law, neurons=2)
    with pytest.raises(ValueError, match="resolution must be at most"):
        expected_runtime(problem("half"), 32, neurons=4)
