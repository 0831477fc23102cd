"""The best laws against differences, plain searches and shortest ways."""

import numpy as np
import pytest

from hyperna import problem
from hyperna.fitness import ExactArcs
from hyperna.mutation import law
from hyperna.theory import best_law, expected_runtime
from hyperna.theory.best import _Model


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


@pytest.mark.slow
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
