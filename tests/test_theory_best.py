"""Two neurons exactly, and the best laws, against dense chains and plain searches."""

from itertools import product

import numpy as np
import pytest
import reference

from hyperna import OnePlusOneNA, problem
from hyperna.fitness import ExactArcs
from hyperna.grid import Grid
from hyperna.mutation import law
from hyperna.theory import best_law, expected_runtime
from hyperna.theory.best import _Model

LAWS = {"harmonic": reference.harmonic_law, "local": reference.local_law}


def moves(value, modulus, steps, probability):
    result = np.zeros(modulus)
    result[value] += 1 - probability
    for length, weight in enumerate(steps, start=1):
        result[(value + length) % modulus] += probability * weight / 2
        result[(value - length) % modulus] += probability * weight / 2
    return result


def dense_pair(name, r, law_name, output):
    """Success probability and mean time to success of two neurons from the definition."""
    grid, arcs = Grid(2, 2, r, output), problem(name)
    genomes = np.array(list(product(range(r), range(r + 1), range(r), range(r + 1))))
    score = ExactArcs(arcs).scores(genomes, grid)
    steps = LAWS[law_name](r)
    angle = np.array([moves(v, r, steps, 0.25) for v in range(r)])
    level = np.array([moves(v, r + 1, steps, 0.25) for v in range(r + 1)])
    matrix = np.kron(np.kron(angle, level), np.kron(angle, level))
    matrix *= score[:, None] <= score
    matrix[np.diag_indices_from(matrix)] += 1 - matrix.sum(axis=1)
    target = np.zeros(len(genomes), dtype=bool)
    for optimum in arcs.optima(2, output):
        for one, other in ((0, 1), (1, 0)):
            wanted = np.concatenate([optimum[one], optimum[other]])
            wanted = wanted * r
            wanted[1::2] = (wanted[1::2] + r) / 2
            distance = np.abs(genomes - wanted)
            modulus = np.array([r, r + 1, r, r + 1])
            target |= (np.minimum(distance, modulus - distance) < 1 - 1e-9).all(axis=1)
    reach = target.copy()
    while (grown := reach | ((matrix > 0) @ reach)).sum() > reach.sum():
        reach = grown
    free = reach & ~target
    h, g = target.astype(float), np.zeros(len(target))
    system = np.eye(free.sum()) - matrix[np.ix_(free, free)]
    h[free] = np.linalg.solve(system, matrix[free][:, target].sum(axis=1))
    g[free] = np.linalg.solve(system, h[free])
    return h.mean(), 1 + g.mean() / h.mean()


@pytest.mark.parametrize("output", ["or", "and", "xor"])
@pytest.mark.parametrize("law_name", ["harmonic", "local"])
@pytest.mark.parametrize("r", [4, 6])
def test_two_neurons_are_the_dense_chain(r, law_name, output):
    runtime = expected_runtime(problem("two_quarters"), r, law_name, neurons=2, output=output)
    probability, mean = dense_pair("two_quarters", r, law_name, output)
    assert runtime.probability == pytest.approx(probability, abs=1e-10)
    assert runtime.conditional_mean == pytest.approx(mean, rel=1e-10)


def test_two_neurons_are_simulated_so():
    runtime = expected_runtime(problem("two_quarters"), 8, neurons=2)
    assert runtime.per_state.size == 5184
    runs = OnePlusOneNA(neurons=2, resolution=8).run_many(
        problem("two_quarters"), 3000, seed=4, budget=10**6
    )
    error = runtime.standard_deviation / np.sqrt(3000)
    assert abs(runs.evaluations.mean() - runtime.mean) < 4 * error


def test_too_many_neurons_or_states_are_refused():
    with pytest.raises(ValueError, match="neurons must be an integer from 1 to 2"):
        expected_runtime(problem("half"), 8, neurons=3)
    with pytest.raises(ValueError, match="states, which would need about"):
        expected_runtime(problem("half"), 64, neurons=2)
    with pytest.raises(ValueError, match="output must be one of"):
        expected_runtime(problem("half"), 8, neurons=2, output="evolved")
    with pytest.raises(ValueError, match="neurons must be 1"):
        expected_runtime(problem("two_quarters"), 4, neurons=2).hitting_probabilities()


@pytest.mark.parametrize("bias", [True, False])
def test_the_gradient_is_that_of_differences(bias):
    model = _Model(ExactArcs(problem("half")), 10, bias)
    steps = law("harmonic").pmf(10)
    mean, slope = model.gradient(steps)
    assert mean == pytest.approx(model.mean(steps))
    for other in range(1, 10):
        change = np.zeros(10)
        change[other], change[0] = 1e-6, -1e-6
        difference = (model.mean(steps + change) - model.mean(steps - change)) / 2e-6
        assert difference == pytest.approx(slope[other] - slope[0], abs=1e-5)


def test_best_laws_are_ordered_and_no_other_law_beats_them():
    arcs = problem("quarter")
    found = {family: best_law(arcs, 12, family) for family in ("power", "free", "adaptive")}
    assert found["adaptive"].mean < found["free"].mean <= found["power"].mean
    assert found["power"].mean < found["power"].harmonic_mean
    assert found["power"].harmonic_mean == pytest.approx(expected_runtime(arcs, 12).mean)
    model, rng = _Model(ExactArcs(arcs), 12, True), np.random.default_rng(0)
    best = found["free"].steps
    for _ in range(30):
        near = np.maximum(best + 0.02 * rng.normal(size=12) * best.max(), 1e-9)
        assert model.mean(near / near.sum()) >= found["free"].mean - 1e-4
        assert model.mean(rng.dirichlet(np.ones(12))) >= found["free"].mean
    exponents = np.linspace(0, 4, 33)
    weights = [np.arange(1, 13.0) ** -b for b in exponents]
    assert min(model.mean(w / w.sum()) for w in weights) >= found["power"].mean - 1e-6


def test_the_best_probability_without_bias_is_one():
    """A mutation that does nothing is wasted if there is nothing else to mutate."""
    best = best_law(problem("half"), 16, "probability", bias=False)
    assert best.parameter == pytest.approx(1.0)
    assert best.ratio == pytest.approx(2, rel=0.1)


def test_adaptive_steps_without_bias_are_a_known_shortest_way():
    """HALF, r = 8: distances 1..4, in each the step of that length has probability 1/4 or 1/2."""
    times = [0.0]
    for d in (1, 2, 3):
        options = [4.0]
        for length in (1, 2, 3, 4):
            for goal, p in ((abs(d - length), 0.25), (d + length, 0.25)):
                if goal < d:
                    options.append(1 / p + times[goal])
        times.append(min(options))
    expected = 1 + (0 + 2 * times[1] + 2 * times[2] + 2 * times[3] + 2.0) / 8
    assert best_law(problem("half"), 8, "adaptive", bias=False).mean == pytest.approx(expected)
