"""Exact runtimes against the plain reference, dense algebra and simulation."""

import math
import random

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

from hyperna.fitness import ExactArcs
from hyperna.network.grid import Grid
from hyperna.problems import problem
from hyperna.theory import Chain, expected_runtime
from hyperna.theory.moves import circulant, displacements
from hyperna.theory.sparse_system import SparseSolver
from hyperna.theory.states import all_scores
from hyperna.theory.symmetry import orbits
from hyperna.theory.watch import Watch

PROBLEMS = {
    "half": (reference.HALF, reference.HALF_OPTIMA),
    "quarter": (reference.QUARTER, reference.QUARTER_OPTIMA),
    "local_opt": (reference.LOCAL_OPT, reference.LOCAL_OPT_OPTIMA),
}
STEP_LAWS = {
    "harmonic": reference.harmonic_law,
    "local": reference.local_law,
    "uniform": reference.uniform_law,
}


# ---- brute force: the chain from the algorithm's definition, one mutation after another


def component_moves(value, modulus, law, probability):
    """Probability of each new value of a component."""
    result = [0.0] * modulus
    result[value] += 1.0 - probability
    for length, weight in enumerate(law, start=1):
        result[(value + length) % modulus] += probability * weight / 2
        result[(value - length) % modulus] += probability * weight / 2
    return result


def brute_force(name, r, law, *, bias=True, probability=0.5, redraw=False):
    """Transition matrix on all search points and the flags of the absorbing ones."""
    arcs, optima = PROBLEMS[name]
    fitness, found = reference.arc_fitness(arcs, 1, r), reference.optimum_test(optima, r)
    biases = range(r + 1) if bias else [r // 2]
    states = [(phi, b) for phi in range(r) for b in biases]
    scores = [fitness(state) for state in states]
    target = np.array([found(state) for state in states])
    matrix = np.zeros((len(states), len(states)))
    steps = STEP_LAWS[law](r)
    for i, (phi, b) in enumerate(states):
        angle = component_moves(phi, r, steps, probability)
        level = component_moves(b, r + 1, steps, probability if bias else 0.0)
        stay = angle[phi] * level[b]
        for j, (other_phi, other_b) in enumerate(states):
            move = 0.0 if redraw and i == j else angle[other_phi] * level[other_b]
            matrix[i, j if scores[j] >= scores[i] else i] += move / (1.0 - redraw * stay)
    matrix[target] = np.eye(len(states))[target]
    return matrix, target


def fundamental(matrix, target):
    """h, E[T; T < oo] and E[T^2; T < oo] of an absorbing chain by dense linear algebra."""
    reaching = matrix > 0
    alive = target.copy()
    while True:
        grown = alive | (reaching @ alive)
        if (grown == alive).all():
            break
        alive = grown
    free = alive & ~target
    system = np.eye(free.sum()) - matrix[np.ix_(free, free)]
    reach, time, square = target.astype(float), np.zeros(len(target)), np.zeros(len(target))
    reach[free] = np.linalg.solve(system, matrix[np.ix_(free, target)].sum(axis=1))
    time[free] = np.linalg.solve(system, reach[free])
    square[free] = np.linalg.solve(system, 2 * time[free] - reach[free])
    return reach, time, square


SETTINGS = [
    ("half", 5, "harmonic", {}),
    ("half", 8, "uniform", {}),
    ("half", 8, "local", {}),
    ("half", 10, "local", {"bias": False}),
    ("half", 10, "harmonic", {"bias": False}),
    ("half", 6, "harmonic", {"bias": False, "redraw": True}),
    ("quarter", 6, "uniform", {"probability": 0.3}),
    ("quarter", 7, "harmonic", {}),
    ("quarter", 8, "harmonic", {"redraw": True}),
    ("quarter", 8, "harmonic", {"probability": 1.0}),
    ("quarter", 8, "local", {"probability": 1.0}),
    ("quarter", 9, "local", {}),
    ("quarter", 10, "local", {"redraw": True, "probability": 0.2}),
    ("local_opt", 9, "local", {}),
    ("local_opt", 12, "local", {}),
    ("local_opt", 10, "harmonic", {}),
]


def exact(name, r, law, *, bias=True, probability=None, redraw=False):
    return expected_runtime(
        problem(name),
        r,
        law,
        bias=bias,
        redraw_void=redraw,
        mutation_probability=probability,
    )


@pytest.mark.parametrize(("name", "r", "law", "options"), SETTINGS)
def test_all_states_agree_with_the_fundamental_matrix(name, r, law, options):
    runtime = exact(name, r, law, **options)
    matrix, target = brute_force(name, r, law, **options)
    reach, time, square = fundamental(matrix, target)
    np.testing.assert_allclose(runtime.per_state_probability.ravel(), reach, atol=1e-12)
    sure = np.isfinite(runtime.per_state.ravel())
    np.testing.assert_array_equal(sure, reach > 1 - 1e-12)
    np.testing.assert_allclose(runtime.per_state.ravel()[sure], 1 + time[sure], rtol=1e-10)
    assert runtime.optimum_share == pytest.approx(target.mean())
    assert runtime.probability == pytest.approx(reach.mean())
    if reach.any():
        mean = time.mean() / reach.mean()
        assert runtime.conditional_mean == pytest.approx(1 + mean)
        spread = math.sqrt(square.mean() / reach.mean() - mean**2)
        assert runtime.conditional_standard_deviation == pytest.approx(spread)
    assert math.isinf(runtime.mean) == (not sure.all())
    assert (runtime.probability == 1.0) == sure.all()


@pytest.mark.parametrize(("name", "r", "law", "options"), SETTINGS)
def test_distribution_agrees_with_iterating_the_chain(name, r, law, options):
    matrix, target = brute_force(name, r, law, **options)
    state = np.full(len(target), 1 / len(target))
    expected = [0.0]
    for _ in range(40):
        expected.append(state[target].sum())
        state = state @ matrix
    runtime = exact(name, r, law, **options)
    np.testing.assert_allclose(runtime.distribution(40), expected, atol=1e-13)
    np.testing.assert_array_equal(runtime.distribution(0), [0.0])


def test_moments_follow_from_the_distribution():
    runtime = expected_runtime(problem("quarter"), 10)
    survival = 1.0 - runtime.distribution(3000)
    assert survival[-1] < 1e-12
    assert runtime.mean == pytest.approx(survival.sum())
    second = (survival * (2 * np.arange(survival.size) + 1)).sum()
    assert runtime.standard_deviation == pytest.approx(math.sqrt(second - runtime.mean**2))


def test_value_iteration_arrives_at_the_same_means():
    matrix, target = brute_force("half", 8, "harmonic")
    value = np.zeros(len(target))
    for _ in range(5000):
        value = np.where(target, 0.0, 1.0 + matrix @ value)
    np.testing.assert_allclose(expected_runtime(problem("half"), 8).per_state.ravel(), 1 + value)


# ---- the algebra on random landscapes


def random_chain(seed, *, full):
    """Few scores, so that there are plateaus, and a few targets anywhere."""
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(2, 9)), int(rng.integers(1, 8)))
    score = rng.integers(0, 7, shape)
    target = rng.random(shape) < 0.1
    if not rng.integers(4):
        target |= score == score.max()
    axes = []
    for size in shape:
        matrix = rng.random((size, size)) + 0.01
        if not full:
            matrix *= rng.random((size, size)) < 0.5
            matrix += 0.5 * np.eye(size)
        axes.append(matrix / matrix.sum(axis=1, keepdims=True))
    return Chain(score, target, tuple(axes))


def dense_matrix(chain):
    moves = np.kron(*chain.axes)
    score, target = chain.score.ravel(), chain.target.ravel()
    moves *= score[:, None] <= score
    np.fill_diagonal(moves, 0.0)
    np.fill_diagonal(moves, 1.0 - moves.sum(axis=1))
    moves[target] = np.eye(score.size)[target]
    return moves


@pytest.mark.parametrize("full", [True, False])
def test_solvers_agree_with_dense_algebra(full):
    for seed in range(60):
        chain = random_chain(seed, full=full)
        moments = chain.moments()
        reach, time, square = fundamental(dense_matrix(chain), chain.target.ravel())
        np.testing.assert_allclose(moments.reach.ravel(), reach, atol=1e-9)
        np.testing.assert_allclose(moments.time.ravel(), time, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(moments.square.ravel(), square, rtol=1e-8, atol=1e-9)
        np.testing.assert_array_equal(moments.certain.ravel(), reach > 1 - 1e-9)


def test_full_chains_solved_as_sparse_ones_give_the_same():
    for seed in range(20):
        chain = random_chain(seed, full=True)
        batches, other = chain.moments(), SparseSolver.of(chain).moments(Watch())
        np.testing.assert_allclose(batches.time, other.time, rtol=1e-9)
        np.testing.assert_allclose(batches.square, other.square, rtol=1e-9)


@given(st.integers(2, 30), st.floats(0.05, 1.0), st.sampled_from(sorted(STEP_LAWS)))
def test_displacements_are_those_of_single_steps(modulus, probability, law):
    steps = STEP_LAWS[law](modulus)
    expected = component_moves(0, modulus, steps, probability)
    result = displacements(steps, modulus, probability)
    np.testing.assert_allclose(result, expected, atol=1e-15)
    np.testing.assert_allclose(circulant(result).sum(axis=1), 1.0)
    np.testing.assert_allclose(circulant(result), circulant(result).T)


def test_a_step_of_length_r_keeps_an_angle_and_changes_a_bias():
    only_r = [0.0, 0.0, 0.0, 1.0]
    np.testing.assert_array_equal(displacements(only_r, 4, 1.0), [1, 0, 0, 0])
    np.testing.assert_array_equal(displacements(only_r, 5, 1.0), [0, 0.5, 0, 0, 0.5])


@given(st.lists(st.integers(0, 2), min_size=2, max_size=12))
def test_orbits_are_those_of_the_symmetries(kinds):
    kinds = np.array(kinds)
    orbit = orbits(kinds)
    np.testing.assert_array_equal(kinds[orbit], kinds)
    np.testing.assert_array_equal(orbit[orbit], orbit)
    turned = np.roll(np.arange(kinds.size), 1)
    assert len(set(orbits(kinds[turned]))) == len(set(orbit))


@pytest.mark.parametrize("name", ["half", "quarter", "two_quarters", "arcs:k=3"])
def test_joining_symmetric_angles_changes_nothing(name):
    grid = Grid(2, 1, 24)
    score = all_scores(ExactArcs(problem(name)), grid)
    target = score == score.max()
    steps = reference.harmonic_law(24)
    angle, bias = (circulant(displacements(steps, m, 0.5)) for m in (24, 25))
    chain = Chain(score, target, (angle, bias))
    joined, places = chain.joined()
    assert joined.shape[0] <= 13
    assert joined.weight.sum() == chain.size
    whole = chain.moments()
    np.testing.assert_allclose(joined.moments().time[np.ix_(*places)], whole.time, rtol=1e-11)


# ---- fitness


@pytest.mark.parametrize("name", sorted(PROBLEMS))
@pytest.mark.parametrize("r", [5, 12, 20])
def test_scores_are_the_reference_s(name, r):
    fitness, units = reference.arc_fitness(PROBLEMS[name][0], 1, r), reference.circle_units(r)
    expected = [[fitness([phi, b]) for b in range(r + 1)] for phi in range(r)]
    exact_arcs = ExactArcs(problem(name))
    score = all_scores(exact_arcs, Grid(2, 1, r))
    np.testing.assert_allclose(
        score / exact_arcs.units(Grid(2, 1, r)), np.array(expected) / units, atol=1e-12
    )
    order = np.unique(score, return_inverse=True)[1]
    np.testing.assert_array_equal(order, np.unique(expected, return_inverse=True)[1])


# ---- simulation


@pytest.mark.parametrize(
    ("name", "r", "law", "options"),
    [
        ("half", 16, "harmonic", {}),
        ("half", 24, "local", {"bias": False}),
        pytest.param("quarter", 16, "harmonic", {"probability": 0.8}, marks=pytest.mark.slow),
        pytest.param("quarter", 16, "local", {}, marks=pytest.mark.slow),
    ],
)
def test_mean_of_simulated_runs(name, r, law, options):
    arcs, optima = PROBLEMS[name]
    runs = [
        reference.run(
            arcs, optima, resolution=r, law=STEP_LAWS[law], seed=seed, budget=10**7, **options
        )
        for seed in range(2500)
    ]
    runtime = exact(name, r, law, **options)
    error = runtime.standard_deviation / math.sqrt(len(runs))
    assert abs(np.mean(runs) - runtime.mean) < 4 * error


def test_share_and_mean_of_simulated_runs_that_are_not_stuck():
    budget = 3000
    arcs, optima = PROBLEMS["local_opt"]
    fitness, found = reference.arc_fitness(arcs, 1, 12), reference.optimum_test(optima, 12)
    moduli, steps, rng = reference.grid_moduli(1, 12), reference.local_law(12), random.Random(5)
    times = []
    total = 400
    for _ in range(total):
        best, _, used = reference.one_plus_one_na(fitness, found, moduli, steps, rng, budget)
        times += [used] * found(best)
    runtime = expected_runtime(problem("local_opt"), 12, "local")
    share = len(times) / total
    p = runtime.probability
    assert 0 < p < 1
    assert abs(share - p) < 4 * math.sqrt(p * (1 - p) / total)
    error = runtime.conditional_standard_deviation / math.sqrt(len(times))
    assert abs(np.mean(times) - runtime.conditional_mean) < 4 * error
