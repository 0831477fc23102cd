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


def test_a_law_that_may_miss_the_optimum_takes_forever():
    model = _Model(ExactArcs(problem("local_opt")), 12, True)
    assert model.mean(law("local").pmf(12)) == np.inf
    assert np.isfinite(model.mean(law("harmonic").pmf(12)))


def test_the_bound_of_adaptive_steps_is_that_of_a_plain_dynamic_programme():
    from hyperna.theory.best import best_law

    r = 5
    model = _Model(ExactArcs(problem("quarter")), r, True)
    score, target = model.score, model.target
    states = [(a, b) for a in range(r) for b in range(r + 1)]
    plans = [(one, other) for one in range(r // 2 + 1) for other in range(1, (r + 1) // 2 + 1)]
    time = dict.fromkeys(states, 0.0)
    for _ in range(400):
        after = {}
        for a, b in states:
            best = 0.0 if target[a, b] else np.inf
            for one, other in plans if best else ():
                into, leave = 1.0, 0.0
                for da, p in ((0, 0.5), (one, 0.25), (-one, 0.25)):
                    for db, q in ((0, 0.5), (other, 0.25), (-other, 0.25)):
                        to = (a + da) % r, (b + db) % (r + 1)
                        if to != (a, b) and score[to] >= score[a, b]:
                            into, leave = into + p * q * time[to], leave + p * q
                best = min(best, into / leave if leave else np.inf)
            after[a, b] = best
        change = max(abs(after[s] - time[s]) for s in states)
        time = after
        if change < 1e-10:
            break
    expected = 1 + np.mean(list(time.values()))
    assert best_law(problem("quarter"), r, "adaptive").mean == pytest.approx(expected, rel=1e-7)
