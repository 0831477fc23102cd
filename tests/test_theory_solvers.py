"""Ways to solve a chain against each other: levels, wide ones, sparse, generations, dense."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperna._kernels.exact_selection import best_weights
from hyperna.theory import Chain, Moments, best_offspring, expected_runtime
from hyperna.theory.dense import DenseSolver
from hyperna.theory.generations import GenerationSolver
from hyperna.theory.levels import LevelSolver
from hyperna.theory.moves import (
    balanced_split,
    circulant,
    displacements,
    kronecker,
    product_of,
    sparse_moves,
)
from hyperna.theory.solver import Residuals, certified_bounds
from hyperna.theory.sparse_system import SparseSolver
from hyperna.theory.symmetry import arc_orbits, axis_sizes, mirrored_angles
from hyperna.theory.task import exact_task
from hyperna.theory.watch import Watch

CHAINS = {
    "circle": ("quarter", 10, {}),
    "two neurons": ("two_quarters", 4, {"neurons": 2}),
    "sphere": ("half", 6, {"dim": 3}),
    "sphere, void redrawn": ("half", 6, {"dim": 3, "redraw_void": True}),
    "points": ("cube", 6, {"dim": 3, "target": 0.625}),
    "out of reach": ("cube", 5, {"dim": 2, "target": 1.0}),
}
ALGORITHMS = {
    "na": {},
    "plus": {"algorithm": "one_plus_lambda", "offspring": 3},
    "rls": {"algorithm": "rls"},
}


def answers(solver, start):
    """All that a solver answers, as one vector."""
    moments = solver.moments(Watch())
    classes = solver.closed_classes()
    fixed = np.zeros(start.size, dtype=bool)
    fixed[np.concatenate(classes)] = True
    walk = solver.probabilities(start)
    steps = [next(walk).copy() for _ in range(4)]
    goal = np.zeros(start.size, dtype=bool)
    goal[:: max(1, start.size // 5)] = True
    reached, error = solver.reach_first(goal)
    assert error < 1e-8
    return np.concatenate(
        [
            moments.reach.ravel(),
            moments.time.ravel(),
            np.sqrt(moments.square.ravel()),
            moments.certain.ravel(),
            solver.visits(start, fixed),
            *steps,
            reached,
            solver.change(np.cos(np.arange(start.size))),
        ]
    )


@pytest.mark.parametrize("law", ["harmonic", "local"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("kind", CHAINS)
def test_all_solvers_answer_the_same(kind, algorithm, law):
    """On matrices, on wide levels by conjugate gradients, and as one dense system."""
    name, r, options = CHAINS[kind]
    chain = expected_runtime(name, r, law, **options, **ALGORITHMS[algorithm]).chain
    expected = answers(DenseSolver(chain), chain.start)
    solvers = [SparseSolver.of(chain), SparseSolver.of(chain, largest_matrix=7)]
    if chain.full:
        kinds = LevelSolver if chain.offspring == 1 else GenerationSolver
        solvers += [kinds(chain), kinds(chain, largest_matrix=7)]
    assert type(chain.solver) in {type(solver) for solver in solvers}
    for solver in solvers:
        np.testing.assert_allclose(
            answers(solver, chain.start), expected, rtol=1e-8, atol=1e-11, err_msg=repr(solver)
        )


@pytest.mark.parametrize("kind", ["two neurons", "sphere", "points"])
@pytest.mark.parametrize("algorithm", ["na", "plus"])
def test_the_error_bound_counts_levels_without_a_matrix(kind, algorithm, monkeypatch):
    """Solutions of such levels that are off by a millionth are seen to be."""
    from hyperna.theory import generations, wide_levels

    solve = wide_levels.solve_symmetric
    for module in (wide_levels, generations):
        monkeypatch.setattr(module, "solve_symmetric", lambda *args: solve(*args) * (1 + 1e-6))
    name, r, options = CHAINS[kind]
    chain = expected_runtime(name, r, **options, **ALGORITHMS[algorithm]).chain
    kinds = LevelSolver if chain.offspring == 1 else GenerationSolver
    assert kinds(chain, largest_matrix=7).moments(Watch()).residuals.time > 1e-7


def random_axes(rng, shape, full):
    axes = []
    for size in shape:
        step = rng.random(size) + 0.01
        if not full:
            step = step * (rng.random(size) < 0.5)
            step[0] += 0.5
        step = step + np.roll(step[::-1], 1)
        axes.append(circulant(step / step.sum()))
    return tuple(axes)


@given(st.integers(0, 10**6), st.booleans(), st.sampled_from([1, 2, 5]))
def test_random_landscapes_are_solved_alike(seed, full, offspring):
    """Few scores, so that there are plateaus, on one to four components."""
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 5, size=rng.integers(1, 5)))
    score = rng.integers(0, 6, shape)
    target = rng.random(shape) < 0.1
    if not rng.integers(3):
        target |= score == score.max()
    chain = Chain(score, target, random_axes(rng, shape, full), offspring=offspring)
    expected = answers(DenseSolver(chain), chain.start)
    found = answers(chain.solver, chain.start)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


@given(st.integers(0, 10**6))
def test_joined_states_answer_for_those_they_stand_for(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 7, size=2))
    # the same forwards and backwards along both axes
    score = rng.integers(0, 3, shape)
    for axis in range(2):
        score = score + np.flip(score, axis)
    chain = Chain(score, score == score.max(), random_axes(rng, shape, True))
    joined, places = chain.joined()
    assert joined.size <= chain.size
    assert joined.weight.sum() == chain.size
    spread = joined.moments().time[np.ix_(*places)]
    np.testing.assert_allclose(spread, chain.moments().time, rtol=1e-9)


def test_products_and_sums_of_small_matrices_are_the_large_ones():
    rng = np.random.default_rng(0)
    axes = [rng.random((size, size)) for size in (3, 4, 2, 5)]
    vector = rng.random(120)
    np.testing.assert_allclose(product_of(axes)(vector), kronecker(axes) @ vector)
    np.testing.assert_allclose(sparse_moves(axes, False).toarray(), kronecker(axes))
    single = sparse_moves(axes, True).toarray()
    identity = [np.eye(len(axis)) for axis in axes]
    by_hand = sum(
        kronecker([*identity[:k], axis, *identity[k + 1 :]]) for k, axis in enumerate(axes)
    )
    np.testing.assert_allclose(single, by_hand / 4)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=6))
def test_axes_are_cut_where_both_sides_are_smallest(sizes):
    cut = balanced_split(sizes)
    totals = [np.prod(sizes[:k]) + np.prod(sizes[k:]) for k in range(len(sizes) + 1)]
    assert totals[cut] == min(totals)


@pytest.mark.parametrize(
    ("name", "dim", "r"),
    [
        ("half", 2, 24),
        ("quarter", 2, 10),
        ("quarter", 2, 24),
        ("two_quarters", 2, 24),
        ("local_opt", 2, 24),
        ("arcs:k=3", 2, 12),
        ("arcs:k=3", 2, 10),
        ("half", 3, 8),
        ("quarter", 3, 12),
        ("quarter", 3, 7),
        ("local_opt", 4, 6),
    ],
)
def test_symmetries_are_known_beforehand(name, dim, r):
    """At least as many values are joined as are counted without a look at the scores."""
    task = exact_task(name, r, dim=dim, target=0.5)
    runtime = expected_runtime(name, r, dim=dim, target=0.5)
    for found, known in zip(runtime.chain.shape, axis_sizes(task, r), strict=True):
        assert found <= known
    angle = runtime.chain.shape[dim - 2]
    assert angle == arc_orbits(task.fitness.problem, r)


def test_mirrored_angles_have_the_same_sine_and_the_opposite_cosine():
    for r in (8, 10, 12):
        angle = np.arange(r) * 2 * np.pi / r
        image = angle[mirrored_angles(r)]
        np.testing.assert_allclose(np.sin(image), np.sin(angle), atol=1e-12)
        np.testing.assert_allclose(np.abs(np.cos(image)), np.abs(np.cos(angle)), atol=1e-12)
    np.testing.assert_array_equal(mirrored_angles(7), np.arange(7))


def test_displacements_of_one_component_have_probability_one_to_be_drawn():
    np.testing.assert_allclose(displacements([0.5, 0.5], 4, 1.0), [0, 0.25, 0.5, 0.25])


@pytest.mark.parametrize("offspring", [1, 2, 47, 48, 49, 200])
def test_the_weight_of_the_first_best_is_that_of_its_definition(offspring):
    """Exactly, by fractions; also where a level has no mass, or all that is left."""
    rng = np.random.default_rng(offspring)
    rest = np.concatenate([rng.random(20), 1 - 1e-3 * rng.random(20)])
    mass = rest * np.concatenate([rng.random(36), [0.0, 1.0, 1e-9, 1 - 1e-9]])
    weight = np.zeros(40)
    best_weights(rest, mass, offspring, weight)
    for rest_, mass_, found in zip(rest, mass, weight, strict=True):
        r, m = Fraction(rest_), Fraction(mass_)
        exact = (r**offspring - (r - m) ** offspring) / m if m else offspring * r ** (offspring - 1)
        assert found == pytest.approx(float(exact), rel=1e-12, abs=1e-300)


# ---- what no bound is proved for


def test_a_trap_that_holds_too_long_for_a_proof_is_refused():
    """LOCALOPT with local steps: more mutants keep the (1,lambda) NA longer in a local optimum."""
    trapped = {"algorithm": "one_comma_lambda"}
    proved = expected_runtime("local_opt", 24, "local", offspring=5, **trapped)
    assert proved.bounds.mean < 1e-6
    for offspring in (20, 50, 200, 400):
        with pytest.raises(ValueError, match="the mean must be smaller to be proved"):
            expected_runtime("local_opt", 24, "local", offspring=offspring, **trapped)
    found = best_offspring("local_opt", 24, "local", most=5, **trapped)
    assert found.evaluations[-1] == pytest.approx(proved.mean)


@pytest.mark.slow
def test_one_offspring_that_always_replaces_its_parent_is_no_ring():
    """A generation of one: at high resolutions, too, the (1,1) NA is not the (1+1) NA."""
    settings = {"bias": False, "algorithm": "one_comma_lambda", "offspring": 1}
    means = [expected_runtime("half", r, **settings).mean for r in (8188, 8192, 8196)]
    assert means[2] - means[1] == pytest.approx(means[1] - means[0], rel=1e-3)
    assert means[0] > 8000


@pytest.mark.parametrize("missed", [1.0, 30.0])
def test_equations_that_miss_everything_prove_nothing(missed):
    time = np.array([0.0, 1e9])
    for certain in (True, False):
        residuals = Residuals(1e-9, missed, missed, missed, 1e9)
        reach = np.full(2, 1.0 if certain else 0.5)
        moments = Moments(reach, time, 2 * time**2, np.full(2, certain), residuals)
        bounds = certified_bounds(moments, np.full(2, 0.5))
        assert math.isinf(bounds.mean)
        assert math.isinf(bounds.standard_deviation)
