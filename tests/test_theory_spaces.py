"""Chains beyond the circle: spheres, points, several neurons; dense chains and fractions."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import reference
from dense_chain import (
    Dense,
    all_components,
    assert_every_answer,
    best_of_fractions,
    expected_steps,
    fraction_moves,
    one_component,
)

import hyperna
from hyperna import Grid, Network, problem
from hyperna.fitness import fitness_of
from hyperna.theory import expected_runtime

LAWS = {
    "harmonic": reference.harmonic_law,
    "local": reference.local_law,
    "uniform": reference.uniform_law,
}


def genomes_of(grid, bias):
    """All genomes of a grid, and the components that are mutated."""
    fixed = [] if bias else grid.bias_components.tolist()
    values = [
        [grid.resolution // 2] if component in fixed else range(modulus)
        for component, modulus in enumerate(grid.moduli.tolist())
    ]
    moduli = [len(each) for component, each in enumerate(values) if component not in fixed]
    return np.array(list(product(*values))), moduli


def plain_fitness(subject, grid, genomes):
    """Fitness of all genomes, equal where it is equal: points one by one, spheres to 1e-10."""
    if isinstance(subject, hyperna.PointProblem):
        right = [Network(grid, genome).predict(subject.X) == subject.y for genome in genomes]
        return np.mean(right, axis=1)
    fitness = fitness_of(subject, neurons=grid.neurons)
    return np.round(fitness.scores(genomes, grid) / fitness.units(grid), 10)


def near_an_optimum(subject, grid, genomes, bias):
    """Every component less than 1 away from an optimum or a mirror image of one, or None."""
    optima = subject.optima(grid.neurons, grid.output, bias=bias, neuron=grid.neuron)
    if not optima:
        return None
    r, angles = grid.resolution, grid.dim - 1
    found = np.zeros(len(genomes), dtype=bool)
    for optimum in optima:
        [neuron] = optimum
        wanted = neuron * r
        wanted[angles] = (wanted[angles] + r) / 2
        # (a, b) and (-a, b + half a turn) in succession mean the same direction
        for mirrored in product((False, True), repeat=angles - 1):
            image = wanted.copy()
            for k, turned in enumerate(mirrored):
                if turned:
                    image[k] = -image[k]
                    image[k + 1] += r / 2
            distance = np.abs(genomes - image) % grid.moduli
            near = np.minimum(distance, grid.moduli - distance) < 1 - 1e-9
            near[:, angles] |= not bias
            found |= near.all(axis=1)
    return found


def compare(subject, r, law, *, offspring=None, algorithm="na", target=None, **options):
    """Compare an exact runtime with the dense chain of the same settings, from the definitions."""
    several = {} if offspring is None else {"offspring": offspring}
    runtime = expected_runtime(
        subject, r, law, algorithm=algorithm, target=target, **several, **options
    )
    bias = options.get("bias", True)
    grid = Grid(
        subject.dim,
        options.get("neurons", 1),
        r,
        options.get("output", "or"),
        options.get("neuron", "plain"),
    )
    genomes, moduli = genomes_of(grid, bias)
    fitness = plain_fitness(subject, grid, genomes)
    np.testing.assert_allclose(runtime.fitness.ravel(), fitness, atol=1e-9)
    assert runtime.per_state.shape == tuple(moduli)
    wanted = None if target is not None else near_an_optimum(subject, grid, genomes, bias)
    if wanted is None:
        least = target if target is not None else float(runtime.criterion.split()[2].rstrip(":,"))
        wanted = fitness >= least - 1e-9
    np.testing.assert_array_equal(runtime.target.ravel(), wanted)
    steps = LAWS[law](r)
    mutation = (
        one_component(moduli, steps)
        if algorithm == "rls"
        else all_components(moduli, steps, 1 / grid.components)
    )
    if options.get("redraw_void"):
        void = mutation[0, 0]
        mutation = (mutation - void * np.eye(len(genomes))) / (1 - void)
    comma = algorithm == "one_comma_lambda"
    dense = Dense(mutation, fitness, wanted, offspring or 1, comma)
    longest = dense.mean(wanted | dense.closed.any(axis=0)).max()
    assert_every_answer(runtime, dense, plateaus=len(moduli) <= 3, longest=longest, comma=comma)
    return runtime


# ---- one mutant


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", ["half", "quarter"])
@pytest.mark.parametrize("r", [4, 6])
def test_a_neuron_on_the_sphere_is_the_dense_chain(name, law, r):
    target = None if name == "half" else 0.7
    compare(problem(name, dim=3), r, law, target=target)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    ("name", "dim", "r", "options"),
    [
        ("half", 3, 8, {"bias": False}),
        ("half", 3, 6, {"bias": False, "neuron": "bent"}),
        ("local_opt", 3, 5, {"target": 0.6}),
        ("half", 3, 3, {"neuron": "bent", "target": 0.9}),
        ("half", 4, 4, {"bias": False}),
        ("half", 4, 4, {"redraw_void": True}),
        ("half", 5, 4, {"bias": False}),
        ("quarter", 2, 4, {"neuron": "bent", "target": 0.9}),
        ("two_quarters", 3, 2, {"neurons": 2, "output": "xor", "target": 0.9}),
    ],
)
def test_kinds_of_neurons_in_dimensions_are_the_dense_chain(name, dim, r, options, law):
    compare(problem(name, dim=dim), r, law, **options)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    ("dim", "r", "options"),
    [
        (2, 6, {"target": 0.75}),
        (2, 5, {"target": 0.75, "neuron": "bent"}),
        (3, 4, {"target": 0.625}),
        (3, 6, {"target": 0.625, "bias": False}),
        (2, 4, {"neurons": 2, "output": "xor"}),
        (2, 4, {"neurons": 2, "output": "or"}),
        (2, 4, {"neurons": 2, "output": "and", "bias": False, "target": 0.75}),
        (2, 2, {"neurons": 2, "output": "evolved"}),
        (2, 6, {"neurons": 2, "output": "evolved", "bias": False, "target": 0.75}),
        (2, 2, {"neurons": 3, "output": "xor", "target": 1.0}),
        (3, 2, {"neurons": 2, "output": "or", "target": 0.625}),
    ],
)
def test_corners_of_a_cube_are_the_dense_chain(dim, r, options, law):
    compare(problem("cube", dim=dim), r, law, **options)


def test_points_of_a_file_are_the_dense_chain(tmp_path):
    file = tmp_path / "points.csv"
    file.write_text("x,y,label\n0.1,0.2,1\n-0.5,0.4,0\n0.3,-0.9,1\n-0.2,-0.1,0\n0.6,0.6,1\n")
    compare(hyperna.read_csv(file), 6, "harmonic")


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    ("name", "dim", "r", "options"),
    [
        ("half", 3, 10, {}),
        ("quarter", 3, 10, {"target": 0.72}),
        ("quarter", 4, 4, {"target": 0.8}),
        ("local_opt", 3, 8, {"target": 0.6}),
        ("cube", 2, 6, {"neurons": 2, "output": "xor"}),
        ("cube", 3, 6, {"target": 0.625}),
    ],
)
def test_larger_chains_are_the_dense_chain(name, dim, r, options, law):
    compare(problem(name, dim=dim), r, law, **options)


# ---- other algorithms


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    ("name", "dim", "r", "options"),
    [
        ("quarter", 2, 8, {}),
        ("local_opt", 2, 9, {}),
        ("half", 3, 4, {}),
        ("half", 3, 6, {"bias": False}),
        ("quarter", 3, 4, {"target": 0.7}),
        ("cube", 2, 6, {"target": 0.75}),
        ("cube", 2, 4, {"neurons": 2, "output": "xor"}),
    ],
)
@pytest.mark.parametrize(
    ("algorithm", "offspring"),
    [("rls", None), ("one_plus_lambda", 2), ("one_plus_lambda", 7), ("one_comma_lambda", 3)],
)
def test_other_algorithms_are_the_dense_chain(name, dim, r, options, law, algorithm, offspring):
    compare(problem(name, dim=dim), r, law, algorithm=algorithm, offspring=offspring, **options)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    ("algorithm", "offspring"),
    [("rls", None), ("one_plus_lambda", 3), ("one_comma_lambda", 4)],
)
def test_void_mutations_of_other_algorithms_are_redrawn(law, algorithm, offspring):
    compare(problem("quarter"), 8, law, algorithm=algorithm, offspring=offspring, redraw_void=True)


def test_one_offspring_is_the_one_plus_one_na():
    for law in LAWS:
        usual = expected_runtime("quarter", 16, law)
        same = expected_runtime("quarter", 16, law, algorithm="one_plus_lambda", offspring=1)
        assert same.mean == usual.mean
        np.testing.assert_array_equal(same.per_state, usual.per_state)


def test_many_offspring_find_a_neighbour_in_the_first_generation():
    """HALF without bias: nearly all of a thousand mutants suffice to try everything."""
    runtime = expected_runtime(
        "half", 8, "uniform", bias=False, algorithm="one_plus_lambda", offspring=1000
    )
    assert runtime.generations == pytest.approx(7 / 8, rel=1e-9)
    assert runtime.mean == 1 + 1000 * runtime.generations


@pytest.mark.parametrize("offspring", [2, 48, 49, 130])
def test_weights_of_the_best_are_those_of_differences(offspring):
    from hyperna._kernels.exact_selection import best_weights

    rest = np.array([1.0, 0.9, 0.5, 0.2, 1e-3, 1.0, 0.7, 0.99])
    mass = np.array([0.5, 1e-3, 0.5, 0.1, 1e-4, 1e-9, 0.0, 0.99])
    weight = np.zeros(rest.size)
    best_weights(rest, mass, offspring, weight)
    for a, m, found in zip(rest.tolist(), mass.tolist(), weight.tolist(), strict=True):
        high, low = Fraction(a), Fraction(max(a - m, 0.0))
        exact = sum(high**i * low ** (offspring - 1 - i) for i in range(offspring))
        assert found == pytest.approx(float(exact), rel=1e-12, abs=0)


# ---- certified bounds against rational numbers


RATIONAL = {
    "sphere": ({"subject": ("half", 3), "r": 4, "bias": False}, {}),
    "sphere with bias": ({"subject": ("half", 3), "r": 3, "target": 0.7}, {}),
    "points": ({"subject": ("cube", 2), "r": 5, "target": 0.75}, {}),
    "two neurons": (
        {"subject": ("cube", 2), "r": 4, "neurons": 2, "output": "xor", "bias": False},
        {},
    ),
    "bent": ({"subject": ("quarter", 2), "r": 3, "neuron": "bent", "target": 0.7}, {}),
    "rls": ({"subject": ("quarter", 2), "r": 5}, {"algorithm": "rls"}),
    "plus": (
        {"subject": ("quarter", 2), "r": 5},
        {"algorithm": "one_plus_lambda", "offspring": 2},
    ),
    "comma": (
        {"subject": ("quarter", 2), "r": 5},
        {"algorithm": "one_comma_lambda", "offspring": 2},
    ),
}


@pytest.mark.parametrize("law", ["harmonic", "local"])
@pytest.mark.parametrize("kind", RATIONAL)
def test_the_error_bounds_hold_against_rational_numbers(kind, law):
    """Every number a fraction: mean from every start, and the mean and variance of all."""
    setting, algorithm = RATIONAL[kind]
    setting = dict(setting)
    (name, dim), r = setting.pop("subject"), setting.pop("r")
    runtime = expected_runtime(problem(name, dim=dim), r, law, **setting, **algorithm)
    assert runtime.probability == 1
    grid = runtime.grid
    moduli = runtime.per_state.shape
    steps = [Fraction(1, i) for i in range(1, r + 1)]
    if law == "local":
        steps = [Fraction(1)]
    steps = [step / sum(steps) for step in steps]
    one_at_a_time = algorithm.get("algorithm") == "rls"
    moves = fraction_moves(moduli, steps, Fraction(1, grid.components), one_at_a_time)
    score = runtime.spread_out(runtime.chain.score).ravel().tolist()
    target = runtime.target.ravel().tolist()
    cost = runtime.offspring
    comma = algorithm.get("algorithm") == "one_comma_lambda"
    chosen = best_of_fractions(moves, score, cost, comma)
    time, square = expected_steps(chosen, target)
    for found, exact in zip(runtime.per_state.ravel().tolist(), time, strict=True):
        # the bound is of the steps after the first evaluation
        error = abs(Fraction(found) - 1 - cost * exact)
        assert error <= Fraction(runtime.bounds.mean) * cost * exact + Fraction(found) * 2**-50
    mean = sum(time) / len(time)
    assert abs(Fraction(runtime.mean) - 1 - cost * mean) <= (
        Fraction(runtime.bounds.mean) * cost * mean + Fraction(runtime.mean) * 2**-50
    )
    variance = sum(square) / len(square) - mean**2
    spread = math.sqrt(variance) * cost
    most = runtime.bounds.standard_deviation + 2**-50
    assert abs(runtime.standard_deviation - spread) <= most * spread
    assert runtime.bounds.mean < 1e-10


# ---- equal fitness on spheres


def test_scores_that_rounding_set_apart_are_equal():
    """HALF depends on the last weight alone, which is the same for swapped angles."""
    for dim, r in ((3, 12), (3, 24), (4, 8)):
        runtime = expected_runtime("half", r, dim=dim)
        score = runtime.spread_out(runtime.chain.score)
        np.testing.assert_array_equal(score, score.swapaxes(0, 1))
        # and different values stay different
        values = np.unique(score) / runtime._task.units
        assert np.diff(values).min() > 1e-9
