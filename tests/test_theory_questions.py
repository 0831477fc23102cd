"""Everything the chain answers, against a dense chain written down plainly; bounds and refusals."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
import reference
from dense_chain import Dense, assert_every_answer, component_moves

from hyperna import OnePlusOneNA, StepLaw, problem
from hyperna.theory import estimated_cost, expected_runtime, largest_resolution
from hyperna.theory.chain import Chain
from hyperna.theory.landscape import plateaus
from hyperna.theory.limits import task_cost
from hyperna.theory.moves import circulant, displacements
from hyperna.theory.ring import Ring
from hyperna.theory.solver import Moments, Residuals, certified_bounds
from hyperna.theory.task import exact_task

NAMES = ("half", "quarter", "two_quarters", "local_opt", "arcs:k=3")
LAWS = {
    "harmonic": reference.harmonic_law,
    "local": reference.local_law,
    "uniform": reference.uniform_law,
    "power_law:exponent=1.5": reference.power_law,
}


def is_quick(i, j, r, bias):
    """Of the larger chains every problem and every law, but not each with each."""
    return r == 8 or not bias or (j == i % 4 if r == 16 else (i + j) % 2 == 0)


CASES = [
    pytest.param(name, r, law, bias, marks=[] if is_quick(i, j, r, bias) else pytest.mark.slow)
    for i, name in enumerate(NAMES)
    for r in (8, 12, 16)
    for j, law in enumerate(LAWS)
    for bias in (True, False)
]


def dense_chain(runtime, r, law, bias):
    steps = LAWS[law](r)
    matrix = component_moves(r, steps, 0.5)
    if bias:
        matrix = np.kron(matrix, component_moves(r + 1, steps, 0.5))
    return Dense(matrix, runtime.fitness.ravel(), runtime.target.ravel())


@pytest.mark.parametrize(("name", "r", "law", "bias"), CASES)
def test_every_question_has_the_dense_answer(name, r, law, bias):
    # without a bias all single neurons are right on half of TWOQUARTERS: there is nothing to reach
    target = 0.5 if name == "two_quarters" and not bias else None
    runtime = expected_runtime(problem(name), r, law, bias=bias, target=target)
    assert_every_answer(runtime, dense_chain(runtime, r, law, bias))


def test_local_optima_have_no_fitter_neighbours():
    runtime = expected_runtime(problem("local_opt"), 12, "local")
    for plateau in runtime.hitting_probabilities():
        neighbours = [
            np.roll(runtime.fitness, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)
        ]
        assert max(values[plateau.states].max() for values in neighbours) == plateau.fitness


def test_plateaus_of_a_constant_landscape_are_one():
    label, (everything,) = plateaus(np.zeros((4, 5), dtype=int))
    assert (label == everything).all()


def test_the_error_bound_holds_against_rational_numbers():
    """HALF without bias at r = 8, harmonic steps, every number a fraction."""
    r = 8
    total = sum(Fraction(1, i) for i in range(1, r + 1))
    move = [Fraction(0)] * r
    move[0] += Fraction(1, 2)
    for i in range(1, r + 1):
        for sign in (1, -1):
            move[sign * i % r] += 1 / (4 * i * total)
    runtime = expected_runtime(problem("half"), r, bias=False)
    distance = [min(abs(x - 2), r - abs(x - 2)) for x in range(r)]
    exact = {2: Fraction(0)}
    for d in range(1, r // 2 + 1):
        level = [x for x in range(r) if distance[x] == d]
        x = level[0]
        inside = sum(move[(y - x) % r] for y in level if y != x)
        better = {y: move[(y - x) % r] for y in range(r) if distance[y] < d}
        # the two states of a level are mirror images and have the same value
        value = (1 + sum(p * exact[y] for y, p in better.items())) / sum(better.values())
        assert inside >= 0
        exact.update(dict.fromkeys(level, value))
    for x in range(r):
        error = abs(Fraction(float(runtime.per_state[x])) - 1 - exact[x])
        assert error <= Fraction(runtime.relative_error_bound) * (1 + exact[x])
    assert runtime.relative_error_bound < 1e-13


def test_the_error_bound_is_that_of_a_wrong_solution_too(monkeypatch):
    """A solution that is off by a millionth is seen to be."""
    from hyperna.theory import levels as module

    solve = module.linalg.lu_solve
    monkeypatch.setattr(module.linalg, "lu_solve", lambda *a, **k: solve(*a, **k) * (1 + 1e-6))
    assert expected_runtime(problem("quarter"), 120).relative_error_bound > 1e-6


@pytest.mark.parametrize("name", ["half", "quarter", "local_opt", "arcs:k=3"])
@pytest.mark.parametrize("law", ["harmonic", "uniform", "local"])
def test_rings_by_convolution_are_chains_by_matrices(name, law, monkeypatch):
    from hyperna.theory import ring as module

    monkeypatch.setattr(module, "_BATCH", 64)
    monkeypatch.setattr(module, "_STRIP", 16)
    monkeypatch.setattr(module, "LARGEST_MATRIX_LEVEL", 48)
    usual = expected_runtime(problem(name), 720, law, bias=False)
    steps = displacements(LAWS[law](720), 720, 0.5)
    score = usual.spread_out(usual.chain.score)
    found = Ring(score, usual.target, steps).moments()
    sure = np.isfinite(usual.per_state)
    np.testing.assert_allclose((1 + found.time)[sure], usual.per_state[sure], rtol=1e-10)
    np.testing.assert_array_equal(found.certain, sure)
    second = (found.square - found.time**2).mean() + found.time.var()
    if sure.all():
        assert math.sqrt(second) == pytest.approx(usual.standard_deviation)
        assert found.residuals.time < 1e-7


@pytest.mark.parametrize("law", ["harmonic", "uniform"])
def test_rings_with_wide_levels_are_dense_chains(law, monkeypatch):
    """Levels of many states, below the best and around it, are solved without a matrix."""
    from hyperna.theory import ring as module

    monkeypatch.setattr(module, "_STRIP", 8)
    monkeypatch.setattr(module, "LARGEST_MATRIX_LEVEL", 24)
    r = 150
    score = np.repeat([3, 1, 2, 1, 0], [4, 40, 6, 60, 40])
    target = np.arange(r) < 3
    steps = LAWS[law](r)
    found = Ring(score, target, displacements(steps, r, 0.5)).moments()
    _, time, square = Dense(component_moves(r, steps, 0.5), score, target).success_moments()
    np.testing.assert_allclose(found.time, time, rtol=1e-10)
    np.testing.assert_allclose(found.square, square, rtol=1e-10)


@pytest.mark.parametrize("before", [0, 1, 7, 8, 9])
def test_levels_about_as_large_as_the_largest_matrix_are_solved_alone(before, monkeypatch):
    """`before` states of other levels come just before them; all are scattered over the ring."""
    from hyperna.theory import ring as module

    monkeypatch.setattr(module, "_BATCH", 32)
    monkeypatch.setattr(module, "_STRIP", 8)
    monkeypatch.setattr(module, "LARGEST_MATRIX_LEVEL", 24)
    rng = np.random.default_rng(before)
    steps = reference.harmonic_law(100)
    moves = component_moves(100, steps, 0.5)
    for size in range(14, 36):
        sizes = [8, *[1] * before, size, 2, 100 - 10 - before - size]
        score = rng.permutation(np.repeat(-np.arange(len(sizes)), sizes))
        target = score == 0
        ring = Ring(score, target, displacements(steps, 100, 0.5))
        found = ring.moments()
        _, time, square = Dense(moves, score, target).success_moments()
        np.testing.assert_allclose(found.time, time, rtol=1e-10)
        np.testing.assert_allclose(found.square, square, rtol=1e-10)
        assert abs(found.time.mean() / time.mean() - 1) <= certified_bounds(found, ring.start).mean


@pytest.mark.parametrize("r", [8600, pytest.param(17_200, marks=pytest.mark.slow)])
def test_a_wide_level_is_what_one_matrix_is(r, monkeypatch):
    """A quarter of the states, here little more than the largest matrix, are equally fit."""
    from hyperna.theory import ring as module

    usual = expected_runtime("quarter", r, bias=False)
    largest = int(np.unique(usual.fitness, return_counts=True)[1].max())
    # the level just fits, but not with what comes before it; everything fits
    for most in (largest, r):
        monkeypatch.setattr(module, "LARGEST_MATRIX_LEVEL", most)
        found = expected_runtime("quarter", r, bias=False)
        allowed = usual.relative_error_bound + found.relative_error_bound
        assert usual.mean == pytest.approx(found.mean, rel=allowed)
        assert usual.standard_deviation == pytest.approx(found.standard_deviation, rel=1e-9)
        assert allowed < 1e-8


def test_states_of_different_fitness_are_no_wide_level():
    """Their moves are not symmetric, so that the solution would be wrong without a sign of it."""
    from hyperna.theory import ring as module

    ring = Ring(np.array([2, 1, 0, 1]), np.arange(4) == 0, np.array([0.5, 0.2, 0.1, 0.2]))
    solution = module._Solution(ring)
    solution.pass_on(1)
    with pytest.raises(ValueError, match="level must have one fitness"):
        solution.solve_wide_level(np.array([1, 2, 3]))


@pytest.mark.parametrize(
    ("law", "levels"),
    [
        # nearly all states on one level, with nearly the same time: the bound is hardly too large
        ("uniform", [(1, 1), (0, 149)]),
        ("harmonic", [(3, 4), (1, 40), (2, 6), (1, 60), (0, 40)]),
    ],
)
def test_the_error_bound_of_a_ring_counts_every_transform(law, levels, monkeypatch):
    """All transforms are off by as much as they may be, in the directions that shorten times."""
    from hyperna.theory import ring as module

    monkeypatch.setattr(module, "_BATCH", 1)
    monkeypatch.setattr(module, "_STRIP", 1)
    monkeypatch.setattr(module, "LARGEST_MATRIX_LEVEL", 8)
    # transforms of fewer digits, so that nothing else counts
    monkeypatch.setattr(module, "UNIT", 1e-8)
    usual = module._Solution.spread

    def spread(solution, values):
        # more leaves each state, and what it moves to takes less time
        leaving = values.max(axis=-1) == 1.0
        error = np.where(leaving, 1, -1) * solution.error_of_spread(values)
        return usual(solution, values) + error[..., None]

    score = np.repeat(*zip(*levels, strict=True))
    ring = Ring(score, score == score.max(), displacements(LAWS[law](150), 150, 0.5))
    right = ring.moments().time
    monkeypatch.setattr(module._Solution, "spread", spread)
    wrong = ring.moments()
    missed = right.mean() / wrong.time.mean() - 1
    assert 1e-6 < missed <= certified_bounds(wrong, ring.start).mean


def test_steps_of_a_ring_take_what_its_moves_take():
    few, many = np.zeros(12), np.zeros(12)
    few[[0, 1, -1]] = 0.5, 0.25, 0.25
    many[[0, 1, 2, 3, -3, -2, -1]] = 1 / 7
    score = -np.minimum(np.arange(12), np.arange(12, 0, -1))
    for step in (few, many):
        chain = Chain(score, score == 0, (circulant(step),))
        assert Ring(score, score == 0, step).step_operations == chain.step_operations


@pytest.mark.parametrize("offspring", [1, 3])
@pytest.mark.parametrize("name", ["quarter", "two_quarters"])
@pytest.mark.parametrize("law", ["harmonic", "local"])
def test_every_question_has_the_dense_answer_where_void_steps_are_redrawn(name, law, offspring):
    options = {"algorithm": "one_plus_lambda", "offspring": offspring} if offspring > 1 else {}
    runtime = expected_runtime(problem(name), 8, law, redraw_void=True, **options)
    steps = LAWS[law](8)
    moves = np.kron(component_moves(8, steps, 0.5), component_moves(9, steps, 0.5))
    np.fill_diagonal(moves, 0.0)
    moves /= moves.sum(axis=1, keepdims=True)
    dense = Dense(moves, runtime.fitness.ravel(), runtime.target.ravel(), offspring)
    assert_every_answer(runtime, dense)
    # questions and potentials that break the symmetry of the problem
    some = np.zeros(runtime.target.shape, dtype=bool)
    some[1, 3], some[5, 2] = True, True
    np.testing.assert_allclose(
        runtime.visit_probability(some).ravel(), dense.reach(some.ravel()), rtol=1e-9, atol=1e-11
    )
    values = np.cos(np.arange(some.size))
    change = dense.matrix @ values - values
    np.testing.assert_allclose(
        runtime.change(values.reshape(some.shape)).ravel(), change, rtol=1e-9, atol=1e-11
    )


def test_large_resolutions_without_bias():
    harmonic = expected_runtime(problem("half"), 2**14, bias=False)
    # 1.60 ln^2 r + 2.1 ln r was measured by simulation up to 2^40
    log = math.log(2**14)
    assert harmonic.mean == pytest.approx(1.60 * log**2 + 2.1 * log, rel=0.02)
    assert harmonic.relative_error_bound < 1e-7
    local = expected_runtime(problem("half"), 2**14, "local", bias=False)
    assert local.mean == pytest.approx(2**14 + 1 - 2 / 2**14, rel=1e-9)
    with pytest.raises(ValueError, match="at most 8192 for more than expectations"):
        harmonic.quantiles()


@pytest.mark.parametrize("resolution", [1024, 8194])
def test_redrawn_steps_take_the_share_of_the_others_that_changes_something(resolution):
    """Of the chain of all networks up to 8192, and of the ring beyond it."""
    kept, redrawn = (
        expected_runtime("half", resolution, bias=False, redraw_void=redraw)
        for redraw in (False, True)
    )
    # the angle mutates with probability 1/2, and a length of r leaves it where it is
    changes = (1 - 1 / (resolution * sum(1 / k for k in range(1, resolution + 1)))) / 2
    assert redrawn.mean - 1 == pytest.approx((kept.mean - 1) * changes, rel=1e-8)


@pytest.mark.parametrize(
    ("resolution", "mutation", "bias"), [(2**21, "local", False), (20_000, "harmonic", True)]
)
def test_a_request_that_is_too_large_says_what_it_would_need(resolution, mutation, bias):
    with pytest.raises(ValueError, match=r"resolution must be .* GB and .* minutes"):
        expected_runtime(problem("half"), resolution, mutation, bias=bias)


@pytest.mark.parametrize("resolution", [2, 5000, 10**6])
def test_a_chain_that_no_resolution_makes_small_enough_gets_other_advice(resolution):
    """Its states may be more than fit a float."""
    settings = {"neurons": 6, "dim": 5, "output": "and"}
    with pytest.raises(ValueError, match="dim and neurons must be smaller"):
        estimated_cost("quarter", resolution, **settings)
    assert largest_resolution("quarter", **settings) == 0


def test_what_is_refused_is_what_the_law_itself_would_need():
    def cost(r, mutation, **settings):
        return task_cost(exact_task("half", r, mutation, **settings))

    # long steps need no list of moves, so that their chains are smaller than those of local ones
    assert cost(3000, "local").gigabytes > 2 * cost(3000, "harmonic").gigabytes
    assert cost(3000, "harmonic").minutes > 2 * cost(3000, "local").minutes
    for r, mutation in ((8000, "local"), (12_000, "harmonic"), (2**40, "harmonic")):
        with pytest.raises(ValueError, match=rf"resolution must be at most .*, got {r:,}: .*GB"):
            cost(r, mutation)
    # dimensions, neurons and offspring count
    assert cost(24, "harmonic", dim=4).states == 24**3 * 25
    assert cost(24, "harmonic", dim=4).joined < 24**3 * 25 / 4
    assert cost(12, "harmonic", neurons=2).states == (12 * 13) ** 2
    several = cost(120, "harmonic", algorithm="one_plus_lambda", offspring=2)
    assert several.minutes > cost(120, "harmonic").minutes


def test_an_angle_alone_takes_what_the_moves_of_its_law_take():
    """All moves of a law that does not reach everything are kept."""

    @dataclass(frozen=True)
    class EveryNinth(StepLaw, listed=False):
        def weights(self, resolution):
            return (np.arange(1, resolution + 1) % 9 == 1).astype(float)

    def gigabytes(r, law):
        return task_cost(exact_task("half", r, law, bias=False)).gigabytes

    @dataclass(frozen=True)
    class Odd(StepLaw, listed=False):
        """Lengths enough for every displacement, but they lead to every other angle only."""

        def weights(self, resolution):
            return (np.arange(1, resolution + 1) % 2).astype(float)

    assert gigabytes(9000, EveryNinth()) > 100 * gigabytes(9000, "harmonic")
    assert gigabytes(9000, Odd()) > 400 * gigabytes(9000, "harmonic")
    with pytest.raises(ValueError, match=r"resolution must be at most .* GB and .* minutes"):
        gigabytes(2**17, Odd())
    assert gigabytes(2**20, "local") < 1
    with pytest.raises(ValueError, match=r"resolution must be at most .* GB and .* minutes"):
        gigabytes(2**20, EveryNinth())


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("law", list(LAWS))
@pytest.mark.parametrize("bias", [True, False])
def test_simulation_agrees_within_four_standard_errors(name, law, bias):
    r = 24
    target = 0.5 if name == "two_quarters" and not bias else None
    runtime = expected_runtime(problem(name), r, law, bias=bias, target=target)
    na = OnePlusOneNA(resolution=r, mutation=law, bias=bias)
    # no success is expected after that; what is stuck need not be followed for longer
    longest = runtime.conditional_mean + runtime.conditional_standard_deviation
    runs = na.run_many(problem(name), 2000, seed=11, budget=int(100 * longest), target=target)
    share, p = runs.success.mean(), runtime.probability
    assert abs(share - p) <= 4 * math.sqrt(p * (1 - p) / len(runs))
    times = runs.evaluations[runs.success]
    error = runtime.conditional_standard_deviation / math.sqrt(times.size)
    assert abs(times.mean() - runtime.conditional_mean) <= 4 * error
    found = runtime.distribution(200)[[10, 50, 200]]
    counted = [(times <= t).sum() / len(runs) for t in (10, 50, 200)]
    for expected, got in zip(found, counted, strict=True):
        assert abs(got - expected) <= 4 * math.sqrt(expected * (1 - expected) / len(runs)) + 1e-12


def test_questions_are_checked():
    runtime = expected_runtime(problem("quarter"), 8)
    with pytest.raises(ValueError, match="levels must be larger than 0"):
        runtime.quantiles([0.0, 0.5])
    with pytest.raises(ValueError, match=r"components must be 2 values here \(angle, bias\)"):
        runtime.from_start(3)
    with pytest.raises(ValueError, match="bias must be an integer from 0 to 8"):
        runtime.from_start(3, 9)
    with pytest.raises(ValueError, match="states must be a boolean array of shape"):
        runtime.visit_probability(np.zeros(3, dtype=bool))
    mean, probability = runtime.from_start(3, 5)
    assert (mean, probability) == (runtime.per_state[3, 5], 1.0)
    one = np.zeros((8, 9), dtype=bool)
    one[3, 5] = True  # no symmetric set
    dense = dense_chain(runtime, 8, "harmonic", True)
    expected = dense.reach(one.ravel()).reshape(8, 9)
    np.testing.assert_allclose(runtime.visit_probability(one), expected, atol=1e-12)


def test_the_error_bound_of_a_quotient_counts_both_parts():
    """h too small and g too large, each by as much as the residuals allow."""
    reach, time, square, longest, gap = 0.5, 4.0, 90.0, 8.0, 1e-9
    worst_reach = reach - gap * longest
    worst_time = time + (gap + gap * longest) * longest
    wrong = (worst_time / worst_reach) / (time / reach) - 1
    uncertain = np.zeros(3, dtype=bool)
    residuals = Residuals(gap, gap, gap, 0.0, longest)
    moments = Moments(*(np.full(3, value) for value in (reach, time, square)), uncertain, residuals)
    bounds = certified_bounds(moments, np.full(3, 1 / 3))
    assert bounds.mean == pytest.approx(wrong, rel=1e-6)
    assert bounds.probability == pytest.approx(reach - worst_reach)
    worst_square = square + (gap + 2 * (worst_time - time) + (reach - worst_reach)) * longest
    worst_variance = worst_square / worst_reach - (time / reach / (1 + wrong)) ** 2
    spread = np.sqrt(worst_variance / (square / reach - (time / reach) ** 2)) - 1
    assert bounds.standard_deviation == pytest.approx(spread, rel=1e-3)
