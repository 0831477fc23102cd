"""The states of chains: scores by formulas are those of runs, and so are the targets."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from hyperna import Grid, OnePlusOneNA, expected_runtime, problem
from hyperna._kernels.matching import MATCHING_ROWS, all_matched
from hyperna.fitness import ExactArcs, Sampled
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


def near_by_definition(task, genome):
    """Every neuron less than a step from one of its own, in any order, mirrored or not."""
    grid = task.grid
    angles = grid.dim - 1
    neurons = genome.reshape(grid.neurons, grid.width)
    modulus = grid.moduli[: grid.width].astype(float)

    def close(neuron, wanted):
        for turned in itertools.product((False, True), repeat=angles - 1):
            image = wanted.copy()
            for k, mirrored in enumerate(turned):
                if mirrored:
                    image[k], image[k + 1] = -image[k], image[k + 1] + grid.resolution / 2
            away = np.abs(neuron - image) % modulus
            if (np.minimum(away, modulus - away) < 1 - 1e-9).all():
                return True
        return False

    return any(
        all(close(*pair) for pair in zip(neurons, order, strict=True))
        for optimum in task.goal.optima
        for order in itertools.permutations(optimum)
    )


@pytest.mark.parametrize(
    ("subject", "neurons", "output", "resolutions"),
    [
        ("local_opt", 1, "or", (4, 12, 13)),
        ("two_quarters", 2, "or", (4, 5, 8)),
        ("two_quarters", 2, "xor", (4, 7)),
        ("arcs:k=3", 3, "or", (4, 5, 6)),
        ("arcs:k=4", 4, "or", (4, 5, 7)),
        (problem("half", dim=3), 1, "or", (5, 8)),
        (problem("half", dim=4), 1, "or", (6,)),
        # a kernel of its own
        pytest.param(problem("two_quarters", dim=3), 2, "xor", (4, 6), marks=pytest.mark.slow),
        (Sampled(problem("arcs", k=4), 64), 4, "or", (4, 5)),
        (Sampled(problem("two_quarters", dim=3), 64), 2, "xor", (4, 6)),
        (Sampled(problem("half", dim=4), 64), 1, "or", (6,)),
    ],
    ids=lambda part: part if isinstance(part, str) else None,
)
def test_success_near_an_optimum_is_that_of_its_definition(subject, neurons, output, resolutions):
    """On grids so coarse that several neurons are near the same one, and on the edge of a step."""
    for resolution in resolutions:
        na = OnePlusOneNA(neurons, output=output, resolution=resolution)
        task = na.task(subject)
        assert task.goal.by_closeness
        grid = task.grid
        rng = np.random.default_rng(resolution)
        genomes = [rng.integers(0, grid.moduli) for _ in range(100)]
        for _ in range(400):
            optimum = task.goal.optima[rng.integers(len(task.goal.optima))]
            wanted = rng.permutation(optimum)
            for neuron in wanted:
                for k in range(grid.dim - 2):
                    if rng.random() < 0.5:
                        neuron[k], neuron[k + 1] = -neuron[k], neuron[k + 1] + resolution / 2
            lost = rng.random(wanted.shape) < 0.1
            offset = np.where(lost, rng.choice([-2, -1, 1], wanted.shape), 0)
            rounded = np.floor(wanted + rng.choice([0.0, 0.5, 1.0 - 1e-6], wanted.shape))
            genomes.append((rounded + offset).astype(np.int64).ravel() % grid.moduli)
        scores, codes = task.outcomes(np.array(genomes))
        fit = scores >= task.goal.lowest_optimal_score
        near = np.array([near_by_definition(task, genome) for genome in genomes])
        assert 0 < near.sum() < near.size
        np.testing.assert_array_equal(codes != 0, near & fit)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_rows_are_matched_where_some_order_of_them_is(size):
    rng = np.random.default_rng(size)
    found = []
    for _ in range(60):
        near = (rng.random((size, size)) < 1.5 / size).astype(np.int64)
        scratch = rng.integers(0, size, (MATCHING_ROWS, size))
        found.append(bool(all_matched.py_func(near, size, scratch)))
        rows = np.arange(size)
        assert found[-1] == any(
            near[rows, order].all() for order in itertools.permutations(range(size))
        )
    assert size == 1 or 0 < sum(found) < len(found)
