"""The states of chains: scores by formulas are those of runs, and so are the targets."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from hyperna import Grid, expected_runtime, problem
from hyperna.fitness import ExactArcs
from hyperna.network.neurons import LARGEST_TABLE, NEURONS
from hyperna.theory.states import all_scores, list_states
from hyperna.theory.task import exact_task

# Neurons that are neither plain nor bent.
SQUARE = replace(NEURONS["plain"], name="square")
NAMES = ["half", "quarter", "two_quarters", "local_opt", "arcs:k=5"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("neuron", "bias"), [("plain", True), ("plain", False), ("bent", False)])
@pytest.mark.parametrize("resolution", [2, 6, 10, 24, 31])
def test_scores_by_formula_are_those_of_the_kernels(name, neuron, bias, resolution):
    """To the last unit, for every search point."""
    if resolution % 2 and not bias:
        with pytest.raises(ValueError, match="resolution"):
            all_scores(ExactArcs(problem(name)), Grid(2, 1, resolution, "or", neuron), bias)
        return
    grid = Grid(2, 1, resolution, "or", neuron)
    fitness = ExactArcs(problem(name))
    table = all_scores(fitness, grid, bias)
    ranges = [range(modulus) for modulus in grid.moduli.tolist()]
    if not bias:
        ranges[1] = [grid.zero_bias]
    genomes = np.array(list(itertools.product(*ranges)))
    assert table.ravel().tolist() == fitness.scores(genomes, grid).tolist()


@pytest.mark.parametrize("name", NAMES)
def test_no_chain_is_so_large_that_kernels_compute_half_widths_otherwise(name):
    with pytest.raises(ValueError, match="resolution must be at most"):
        expected_runtime(name, LARGEST_TABLE + 2, "local", target=0.6)


def test_a_formula_is_not_used_for_neurons_that_it_does_not_know(monkeypatch):
    fitness = ExactArcs(problem("half"))
    with pytest.raises(ValueError, match="bias must be False"):
        all_scores(fitness, Grid(2, 1, 8, neuron="bent"))
    monkeypatch.setitem(NEURONS, "square", SQUARE)
    grid = Grid(2, 1, 8, neuron="square")
    for bias in (True, False):
        with pytest.raises(ValueError, match="'square'"):
            all_scores(fitness, grid, bias)


@pytest.mark.parametrize(
    ("name", "resolution", "options"),
    [
        ("half", 8, {"dim": 3}),
        ("half", 5, {"dim": 4}),
        ("quarter", 8, {"dim": 3, "neuron": "bent", "bias": False}),
    ],
)
def test_targets_on_a_sphere_are_whole_levels(name, resolution, options):
    """Networks of equal fitness are all targets or none, whatever their rounding errors."""
    fitness = expected_runtime(name, resolution, **options, target=0.6).fitness
    levels = np.unique(fitness[fitness > 0.55])
    for level in levels[:: max(1, len(levels) // 12)]:
        found = expected_runtime(name, resolution, **options, target=float(level))
        assert (found.target == (found.fitness >= level - 1e-9)).all()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("quarter", {"bias": False}),
        ("quarter", {}),
        ("local_opt", {"neuron": "bent"}),
        ("two_quarters", {"neurons": 2, "bias": False}),
        ("cube", {"dim": 2}),
    ],
)
def test_a_fitness_that_networks_attain_is_a_target_they_reach(name, options):
    fitness = expected_runtime(name, 8, **options, target=0.6).fitness
    for level in np.unique(fitness)[-4:]:
        found = expected_runtime(name, 8, **options, target=float(level))
        assert found.target.any()
        assert (found.target == (found.fitness >= level)).all()


STATES = [
    {"problem": "quarter", "resolution": 6},
    {"problem": "quarter", "resolution": 6, "bias": False},
    {"problem": "quarter", "resolution": 6, "neuron": "bent"},
    {"problem": "two_quarters", "resolution": 4, "neurons": 2, "output": "xor"},
    {"problem": "two_quarters", "resolution": 4, "neurons": 2, "output": "and", "bias": False},
    {"problem": "two_quarters", "resolution": 4, "neurons": 2, "output": "evolved", "bias": False},
    {"problem": "half", "resolution": 6, "dim": 3},
    {"problem": "half", "resolution": 6, "dim": 4, "bias": False},
    {"problem": "cube", "resolution": 4, "target": 0.75},
    {"problem": "cube", "resolution": 4, "target": 0.75, "neurons": 2, "bias": False},
]


@pytest.mark.parametrize("options", STATES, ids=str)
def test_every_state_has_the_fitness_and_the_end_of_its_network(options):
    """Each combination of values, the joined ones too, is judged as a run would judge it."""
    own = dict(options)
    task = exact_task(own.pop("problem"), own.pop("resolution"), **own)
    states = list_states(task)
    grid = task.grid
    genome = np.zeros(grid.components, np.int64)
    genome[grid.bias_components] = 0 if task.bias else grid.zero_bias
    genomes, places = [], []
    for values in itertools.product(*(range(len(place)) for place in states.places)):
        genome[states.components] = values
        genomes.append(genome.copy())
        places.append([place[v] for place, v in zip(states.places, values, strict=True)])
    index = tuple(np.array(places).T)
    scores, codes = task.outcomes(np.array(genomes))
    np.testing.assert_allclose(states.score[index] / task.units, scores / task.units, atol=1e-10)
    apart = np.abs(scores - task.goal.score) > 1e-9 * task.units
    assert (states.target[index] == (codes != 0))[apart | task.goal.by_closeness].all()
