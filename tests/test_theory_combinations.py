"""Exact runtimes of random combinations of settings against a dense chain written down plainly."""

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
import reference
from dense_chain import Dense, all_components, assert_every_answer, one_component
from samples import OUTPUTS

from hyperna import Grid, Network
from hyperna.fitness import FiniteSet
from hyperna.mutation import StepLaw
from hyperna.theory import (
    best_law,
    drift,
    estimated_cost,
    expected_runtime,
    fit_potential,
    largest_resolution,
)


@dataclass(frozen=True)
class Own(StepLaw, listed=False):
    """Weights that a user gives, some of them 0."""

    summary = "given weights"
    given: tuple[float, ...] = (1.0,)

    def weights(self, resolution):
        return np.resize(np.array(self.given), resolution)


LAWS = {
    "harmonic": reference.harmonic_law,
    "local": reference.local_law,
    "uniform": reference.uniform_law,
    "power_law:exponent=1.5": reference.power_law,
}


def random_law(rng, r):
    """A law and its probabilities of the lengths 1, 2, ...."""
    if rng.random() < 0.6:
        name = str(rng.choice(sorted(LAWS)))
        return name, LAWS[name](r)
    weights = rng.integers(0, 4, r) * rng.random(r)
    weights[rng.integers(r)] += 0.5
    return Own(tuple(weights.tolist())), (weights / weights.sum()).tolist()


def random_case(rng):
    """Settings, weighted points, and the same as a dense chain; at most some hundred networks."""
    while True:
        dim, neurons = int(rng.integers(1, 4)), int(rng.choice([1, 1, 2]))
        r = int(rng.integers(2, 9))
        output = str(rng.choice(OUTPUTS))
        neuron = "bent" if dim > 1 and rng.random() < 0.3 else "plain"
        bias = bool(rng.random() < 0.7) or r % 2 == 1
        grid = Grid(dim, neurons, r, output, neuron)
        fixed = [] if bias else grid.bias_components.tolist()
        values = [
            [r // 2] if component in fixed else range(modulus)
            for component, modulus in enumerate(grid.moduli.tolist())
        ]
        moduli = [len(each) for component, each in enumerate(values) if component not in fixed]
        if 6 <= math.prod(moduli) <= 260:
            break
    genomes = np.array(list(product(*values)))
    n = int(rng.integers(2, 9))
    X = rng.normal(size=(n, dim))
    X *= (rng.random(n) / np.linalg.norm(X, axis=1))[:, None]
    y = rng.permutation(np.arange(n) % 2 == 0)
    weight = rng.integers(0, 5, n)
    weight[0] += 1
    right = np.array([Network(grid, genome).predict(X) == y for genome in genomes])
    fitness = (right * weight).sum(axis=1) / weight.sum()
    levels = np.unique(fitness)
    k = int(rng.integers(levels.size))
    # a level itself, or anything above the one below it
    target = float(levels[k])
    if rng.random() < 0.5:
        target -= 0.5 * float(levels[k] - (levels[k - 1] if k else 0.0))
    law, steps = random_law(rng, r)
    algorithm = str(rng.choice(["na", "na", "rls", "one_plus_lambda", "one_comma_lambda"]))
    settings = {"neurons": neurons, "output": output, "neuron": neuron, "bias": bias,
                "algorithm": algorithm, "target": target}  # fmt: skip
    offspring = 1
    if algorithm.startswith("one_"):
        offspring = settings["offspring"] = int(rng.integers(1, 5))
    chance = 1 / grid.components
    if algorithm != "rls" and rng.random() < 0.5:
        chance = settings["mutation_probability"] = float(rng.choice([0.05, 0.3, 0.8, 1.0]))
    one = algorithm == "rls"
    mutation = one_component(moduli, steps) if one else all_components(moduli, steps, chance)
    void = mutation[0, 0]
    if void < 1 and rng.random() < 0.4:
        settings["redraw_void"] = True
        mutation = (mutation - void * np.eye(len(genomes))) / (1 - void)
    dense = Dense(
        mutation, fitness, fitness >= target - 1e-12, offspring, algorithm == "one_comma_lambda"
    )
    return (FiniteSet(X, y, weights=weight), r, law), settings, moduli, dense


def check(seed):
    rng = np.random.default_rng(seed)
    subject, settings, moduli, dense = random_case(rng)
    runtime = expected_runtime(*subject, **settings)
    assert runtime.per_state.shape == tuple(moduli)
    np.testing.assert_allclose(runtime.fitness.ravel(), dense.fitness, atol=1e-12)
    np.testing.assert_array_equal(runtime.target.ravel(), dense.target)
    comma = settings["algorithm"] == "one_comma_lambda"
    longest = dense.mean(dense.target | dense.closed.any(axis=0)).max()
    assert_every_answer(runtime, dense, plateaus=len(moduli) <= 3, longest=longest, comma=comma)
    cost = dense.offspring
    assert runtime.offspring == cost
    assert runtime.generations == pytest.approx((runtime.mean - 1) / cost)
    for _ in range(3):
        place = tuple(int(rng.integers(size)) for size in moduli)
        flat = int(np.ravel_multi_index(place, moduli))
        mean, probability = runtime.from_start(*place)
        assert mean == pytest.approx(1 + cost * dense.mean(dense.target)[flat])
        assert probability == pytest.approx(dense.reach(dense.target)[flat], abs=1e-12)
    for t in (0, 1, 2, cost, cost + 1, cost + 2):
        found, fitness = runtime.curves(t)
        assert found.shape == fitness.shape == (t + 1,)
        assert found[0] == 0
        assert np.isnan(fitness[0])
        if t:
            assert found[1] == pytest.approx(dense.target.mean())
            assert fitness[1] == pytest.approx(dense.fitness.mean())
        assert 0 <= runtime.curve_error(t) < 1e-11
    if not dense.target.all():
        check_drift(runtime, dense, rng)


def check_drift(runtime, dense, rng):
    """Rates and bounds of any potential, from the matrix."""
    cost = dense.offspring
    values = np.where(dense.target, 0.0, 1 + rng.random(dense.size))
    found = drift(runtime, values.reshape(runtime.per_state.shape))
    free = ~dense.target
    falls = (values - dense.matrix @ values)[free]
    np.testing.assert_allclose(found.drift.ravel()[free], falls, atol=1e-11)
    failing = falls <= 1e-9 * values[free]
    assert found.failing.sum() == failing.sum()
    assert found.additive_rate == pytest.approx(falls.min(), abs=1e-11)
    assert found.largest_rate == pytest.approx(max(falls.max(), 0.0), abs=1e-11)
    assert found.exact == pytest.approx(runtime.mean)
    relative = falls / values[free]
    assert found.multiplicative_rate == pytest.approx(relative.min(), abs=1e-11)
    lower = 1.0 if falls.max() <= 1e-12 else 1 + cost * values.mean() / falls.max()
    assert found.additive_lower_bound == pytest.approx(lower)
    if failing.any():
        assert {found.additive_bound, found.multiplicative_bound} == {math.inf}
        assert {found.worst_additive_bound, found.worst_multiplicative_bound} == {math.inf}
        return
    assert found.additive_bound == pytest.approx(1 + cost * values.mean() / falls.min())
    assert found.worst_additive_bound == pytest.approx(1 + cost * values.max() / falls.min())
    steps = np.zeros(dense.size)
    steps[free] = (1 + np.log(values[free] / values[free].min())) / relative.min()
    assert found.multiplicative_bound == pytest.approx(1 + cost * steps.mean())
    assert found.worst_multiplicative_bound == pytest.approx(1 + cost * steps.max())
    tightest = fit_potential(runtime, ("one", values.reshape(runtime.per_state.shape)))
    assert tightest.bound <= found.additive_bound * (1 + 1e-6)
    assert tightest.bound >= runtime.mean * (1 - 1e-6)


@pytest.mark.parametrize("block", range(4))
def test_random_combinations_are_dense_chains(block):
    for seed in range(20 * block, 20 * block + 20):
        check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_many_random_combinations_are_dense_chains(block):
    for seed in range(1000 + 50 * block, 1050 + 50 * block):
        check(seed)


@pytest.mark.parametrize(
    ("name", "law", "options"),
    [
        ("half", "harmonic", {}),
        ("half", "local", {}),
        ("quarter", "harmonic", {"dim": 3, "target": 0.7}),
        # its largest resolution is in the millions, and each estimate takes a second
        pytest.param("half", "harmonic", {"bias": False}, marks=pytest.mark.slow),
        ("quarter", "harmonic", {"algorithm": "one_plus_lambda"}),
        ("quarter", "harmonic", {"algorithm": "one_comma_lambda"}),
        ("quarter", "uniform", {"algorithm": "rls"}),
        ("quarter", "harmonic", {"mutation_probability": 1.0}),
        ("two_quarters", "local", {"neurons": 2}),
        ("quarter", "harmonic", {"neuron": "bent", "target": 0.7}),
    ],
)
def test_the_largest_resolution_is_the_last_that_is_affordable(name, law, options):
    largest = largest_resolution(name, law, **options)
    cost = estimated_cost(name, largest, law, **options)
    assert cost.is_affordable
    assert cost.joined <= cost.states
    step = 1 if options.get("bias", True) else 2
    for more in range(step, 24, step):
        with pytest.raises(ValueError, match=r"resolution must be at most"):
            estimated_cost(name, largest + more, law, **options)


@pytest.mark.parametrize(
    ("name", "r", "options"),
    [
        pytest.param("quarter", 6, {"dim": 2}, marks=pytest.mark.slow),
        pytest.param("half", 8, {"bias": False}, marks=pytest.mark.slow),
        pytest.param("quarter", 6, {"dim": 2, "algorithm": "rls"}, marks=pytest.mark.slow),
        pytest.param("cube", 4, {"dim": 2, "neurons": 2, "output": "xor"}, marks=pytest.mark.slow),
        pytest.param("local_opt", 7, {"mutation_probability": 0.8}, marks=pytest.mark.slow),
    ],
)
def test_no_law_beats_the_bound_and_no_power_beats_the_free_law(name, r, options):
    found = {family: best_law(name, r, family, **options) for family in ("adaptive", "power")}
    free = best_law(name, r, "free", **options)
    assert found["adaptive"].mean == pytest.approx(free.bound)
    assert free.bound == pytest.approx(found["power"].bound)
    assert free.bound <= free.mean <= found["power"].mean * (1 + 1e-9)
    assert found["power"].mean <= free.harmonic_mean * (1 + 1e-9)
    assert free.ratio == free.harmonic_mean / free.mean
    assert free.gap == free.mean / free.bound
    usual = expected_runtime(name, r, "harmonic", **options)
    assert free.harmonic_mean == pytest.approx(usual.mean)
    assert free.steps.sum() == pytest.approx(1)
    own = expected_runtime(name, r, Own(tuple(free.steps.tolist())), **options)
    assert own.mean == pytest.approx(free.mean)
    for text in LAWS:
        mean = expected_runtime(name, r, text, **options).mean
        assert found["adaptive"].mean <= mean * (1 + 1e-9)
        assert free.mean <= mean * (1 + 1e-6)
