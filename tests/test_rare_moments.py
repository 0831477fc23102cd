"""What selection and growth do in moments that are rare, in runs that take seconds to compile.

`test_interpreted.py` runs these tests interpreted:

    NUMBA_DISABLE_JIT=1 python -m pytest -m slow tests/test_rare_moments.py
"""

from dataclasses import replace

import numba
import numpy as np
import pytest
import reference

from hyperna import Grid, Network, OnePlusOneNA, problem
from hyperna.run.relatives import RELATIVES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not numba.config.DISABLE_JIT, reason="needs NUMBA_DISABLE_JIT=1"),
]

POPULATIONS = {
    "one_plus_lambda": {"offspring": 4},
    "one_comma_lambda": {"offspring": 6},
    "mu_plus_one": {"members": 3, "crossover": 0.3},
    "annealing": {"temperature": 0.02},
}


@pytest.mark.parametrize("name", POPULATIONS)
def test_a_run_ends_with_the_first_optimum_that_it_accepts(name):
    """Also where other networks were evaluated after it, and its output neuron decides."""
    na = RELATIVES[name](neurons=2, output="evolved", resolution=8, **POPULATIONS[name])
    task = na.task(problem("two_quarters"), budget=1500)
    ends = []
    for seed in range(5):
        result = task.run(seed, trajectory=True)
        _, stops = task.outcomes(result.trajectory.genomes)
        found = np.flatnonzero(stops).tolist()
        ends.append(result.stop_reason)
        assert found == ([len(stops) - 1] if result.success else [])
    assert ends.count("optimum") > 1


def test_annealing_cools_before_it_judges_and_stays_cold():
    """Nothing worse is accepted after the first cooling, nor when the temperature is 0."""
    na = RELATIVES["annealing"](neurons=2, resolution=24, temperature=1e3, cooling=1e-9)
    for seed in range(5):
        result = na.run("two_quarters", seed=seed, budget=200, target=False, trajectory=True)
        assert (np.diff(result.trajectory.fitness) >= 0).all()
        assert result.evaluations == 200


def test_a_budget_may_end_while_the_members_of_a_start_are_drawn():
    na = RELATIVES["mu_plus_one"](neurons=2, resolution=24, members=6)
    limits = {"stagnation": 8, "restarts": 99, "target": False}
    last = []
    for seed in range(4):
        whole = na.run("two_quarters", seed=seed, budget=150, trajectory=True, **limits)
        for budget in range(30, 60):
            result = na.run("two_quarters", seed=seed, budget=budget, trajectory=True, **limits)
            way, full = result.trajectory, whole.trajectory
            early = full.evaluations <= budget
            assert result.evaluations == budget
            assert way.evaluations.tolist() == full.evaluations[early].tolist()
            assert way.genomes.tolist() == full.genomes[early].tolist()
            assert result.fitness == max(way.fitness)
            last.append(result.restarts)
    assert len(set(last)) > 3


@pytest.mark.parametrize("neurons", [6, 7])
@pytest.mark.parametrize("neuron", ["plain", "bent"])
def test_an_output_neuron_over_many_is_as_before_after_a_rejected_change(neurons, neuron):
    """Up to six hidden neurons its answers are tabulated."""
    na = OnePlusOneNA(neurons=neurons, output="evolved", neuron=neuron, resolution=16)
    arcs = problem("arcs", k=3)
    task = na.task(arcs, budget=150, target=False)
    turns = 2 * np.pi * (np.arange(2_000) + 0.5) / 2_000
    X = np.column_stack([np.cos(turns), np.sin(turns)])
    for seed in range(2):
        way = task.run(seed, trajectory=True).trajectory
        share = np.mean(way.network(len(way) - 1).predict(X) == arcs.label(X))
        assert way.fitness[-1] == pytest.approx(share, abs=2e-3)
        assert way.fitness.tolist() == [task.fitness(way.network(i)) for i in range(len(way))]
        assert len(way) > 5


LONG, SHORT = 1e6, 1e-6  # after one success a step has the largest length, after one failure 1
R = 24


def parts_of(genome):
    """A genome with its number of neurons as lists: the hidden neurons, then the output neuron."""
    count = int(genome[-1])
    rows = [tuple(genome[3 * i : 3 * i + 3].tolist()) for i in range(count)]
    output = tuple(genome[3 * count : 4 * count].tolist()) if count > 1 else ()
    return rows, output


def distances(one, other, moduli):
    return [reference.cyclic_distance(a, b, m) for a, b, m in zip(one, other, moduli, strict=True)]


def shared(one, other):
    return sum(a == b for a, b in zip(one, other, strict=True))


def check_lengths(way):
    """Steps are long only where the step of the same component of the same neuron before was good.

    Returns how many are long, and how many follow a change of the number of neurons.
    """
    moduli = [R, R + 1, R]
    states = list(map(parts_of, way.genomes))
    may = [set() for _ in states[0][0]]  # components of each neuron that may make a long step
    may_output = set()
    long_steps = resizes = 0
    for i in range(1, len(states)):
        (before, output), (after, new_output) = states[i - 1], states[i]
        better = way.fitness[i] > way.fitness[i - 1]
        for neuron in after:
            assert all(0 <= value < modulus for value, modulus in zip(neuron, moduli, strict=True))
        assert all(0 <= value <= R for value in new_output)
        if len(after) > len(before):
            resizes += 1
            new = set()
            for old, allowed in zip(before, may, strict=True):
                if shared(old, after[-1]) >= 2:
                    new |= allowed
            may.append(new)
            may_output = set()
        elif len(after) < len(before):
            resizes += 1
            gone = [k for k in range(len(before)) if before[:k] + before[k + 1 :] == after]
            assert gone
            choices = [may[:k] + may[k + 1 :] for k in gone]
            may = [set().union(*parts) for parts in zip(*choices, strict=True)]
            may_output = set()
        else:
            output_moduli = [R] * (len(before) - 1) + [R + 1]
            parts = [*zip(before, after, [moduli] * len(before), may, strict=True)]
            if output:
                parts.append((output, new_output, output_moduli, may_output))
            for one, other, sizes, allowed in parts:
                for c, length in enumerate(distances(one, other, sizes)):
                    if length == 0:
                        continue
                    assert length == 1 or (length == sizes[c] // 4 and c in allowed)
                    long_steps += length > 1
                    (allowed.add if better else allowed.discard)(c)
    return long_steps, resizes


def test_step_lengths_belong_to_neurons_that_come_and_go():
    """Those of a neuron that is left out go with it, and a new output neuron has its own."""
    law = f"adaptive:growth={LONG},decay={SHORT},jump=0"
    na = OnePlusOneNA(
        neurons="evolved",
        max_neurons=5,
        output="evolved",
        neuron="bent",
        resolution=R,
        mutation=law,
        mutation_probability=0.15,
    )
    task = na.task(problem("arcs", k=4), budget=120, target=False)
    grid = Grid(2, 5, R, "evolved", "bent")
    rng = np.random.default_rng(0)
    counts = []
    for seed in range(60):
        begun = replace(task, start=Network(grid, grid.random(rng)))
        counts.append(check_lengths(begun.run(seed, trajectory=True).trajectory))
    long_steps, resizes = np.sum(counts, axis=0)
    assert long_steps > 20
    assert resizes > 20
