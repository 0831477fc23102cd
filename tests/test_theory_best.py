"""The best laws against differences, plain searches and shortest ways."""

import numpy as np
import pytest

from hyperna import problem
from hyperna.mutation import law
from hyperna.theory import best_law, best_offspring, estimated_cost, expected_runtime
from hyperna.theory.best import Model
from hyperna.theory.task import exact_task


def model_of(name, r, **settings):
    return Model(exact_task(name, r, **settings))


@pytest.mark.parametrize("algorithm", ["na", "rls", 1, 2, 5])
@pytest.mark.parametrize(
    ("name", "r", "options"),
    [
        ("half", 10, {}),
        ("half", 10, {"bias": False}),
        ("local_opt", 9, {}),
        ("half", 6, {"dim": 3}),
        ("quarter", 5, {"dim": 3, "target": 0.7}),
        ("cube", 4, {"dim": 2, "neurons": 2, "output": "xor"}),
        ("cube", 5, {"dim": 2, "target": 0.75, "mutation_probability": 0.3}),
    ],
)
def test_the_gradient_is_that_of_differences(name, r, options, algorithm):
    if isinstance(algorithm, int):
        options = {**options, "algorithm": "one_plus_lambda", "offspring": algorithm}
    else:
        options = {**options, "algorithm": algorithm}
    model = model_of(name, r, **options)
    steps = law("harmonic").pmf(r)
    mean, slope = model.gradient(steps)
    assert mean == pytest.approx(model.mean(steps))
    for other in range(1, r):
        change = np.zeros(r)
        change[other], change[0] = 1e-6, -1e-6
        difference = (model.mean(steps + change) - model.mean(steps - change)) / 2e-6
        assert difference == pytest.approx(slope[other] - slope[0], rel=1e-4, abs=1e-5 * mean)


@pytest.mark.slow
def test_best_laws_are_ordered_and_no_other_law_beats_them():
    arcs = problem("quarter")
    found = {family: best_law(arcs, 12, family) for family in ("power", "free", "adaptive")}
    assert found["adaptive"].mean < found["free"].mean <= found["power"].mean
    assert found["power"].mean < found["power"].harmonic_mean
    assert found["power"].harmonic_mean == pytest.approx(expected_runtime(arcs, 12).mean)
    model, rng = model_of("quarter", 12), np.random.default_rng(0)
    best = found["free"].steps
    for _ in range(30):
        near = np.maximum(best + 0.02 * rng.normal(size=12) * best.max(), 1e-9)
        assert model.mean(near / near.sum()) >= found["free"].mean - 1e-4
        assert model.mean(rng.dirichlet(np.ones(12))) >= found["free"].mean
    exponents = np.linspace(0, 4, 33)
    weights = [np.arange(1, 13.0) ** -b for b in exponents]
    assert min(model.mean(w / w.sum()) for w in weights) >= found["power"].mean - 1e-6


@pytest.mark.parametrize(
    ("name", "r", "bias", "known"),
    [
        # laws that were found by other searches
        pytest.param("quarter", 16, True, 32.91655, marks=pytest.mark.slow),
        pytest.param("local_opt", 16, True, 26.1283, marks=pytest.mark.slow),
        pytest.param("quarter", 24, True, 41.4679, marks=pytest.mark.slow),
        pytest.param("half", 24, False, 18.0188, marks=pytest.mark.slow),
    ],
)
def test_the_law_found_is_as_good_as_any_known(name, r, bias, known):
    best = best_law(problem(name), r, "free", bias=bias)
    assert best.mean < known + 1e-4
    assert best.mean == pytest.approx(model_of(name, r, bias=bias).mean(best.steps))
    assert 1 <= best.agreeing <= best.starts
    assert best.bound == pytest.approx(best_law(problem(name), r, "adaptive", bias=bias).mean)
    assert best.gap == best.mean / best.bound > 1


def test_no_small_change_of_the_law_found_improves_it():
    """First-order conditions, by differences: from any length in use to any other one."""
    model = model_of("quarter", 10)
    best = best_law(problem("quarter"), 10, "free")
    assert best.slope < 1e-6
    for used in np.flatnonzero(best.steps > 1e-3):
        for other in range(10):
            moved = best.steps.copy()
            moved[used] -= 1e-5
            moved[other] += 1e-5
            assert model.mean(moved) >= best.mean - 1e-9 * best.mean


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
    model = model_of("local_opt", 12)
    assert model.mean(law("local").pmf(12)) == np.inf
    assert np.isfinite(model.mean(law("harmonic").pmf(12)))


def test_the_bound_of_adaptive_steps_is_that_of_a_plain_dynamic_programme():
    r = 5
    states = model_of("quarter", r).states
    score, target = states.score, states.target
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


def test_the_bound_holds_where_one_component_moves():
    """RLS on QUARTER, from the definition: in every state the best pair of lengths."""
    r = 5
    states = model_of("quarter", r).states
    score, target = states.score, states.target
    points = [(a, b) for a in range(r) for b in range(r + 1)]
    plans = [(one, other) for one in range(r) for other in range(1, r + 1)]
    time = dict.fromkeys(points, 0.0)
    for _ in range(400):
        after = {}
        for a, b in points:
            best = 0.0 if target[a, b] else np.inf
            for one, other in plans if best else ():
                into, leave = 1.0, 0.0
                for da, db in ((one, 0), (-one, 0), (0, other), (0, -other)):
                    to = (a + da) % r, (b + db) % (r + 1)
                    if to != (a, b) and score[to] >= score[a, b]:
                        into, leave = into + 0.25 * time[to], leave + 0.25
                best = min(best, into / leave if leave else np.inf)
            after[a, b] = best
        time = after
    expected = 1 + np.mean(list(time.values()))
    found = best_law("quarter", r, "adaptive", algorithm="rls")
    assert found.mean == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "r", "options"),
    [
        pytest.param("quarter", 8, {"algorithm": "rls"}, marks=pytest.mark.slow),
        pytest.param(
            "quarter", 8, {"algorithm": "one_plus_lambda", "offspring": 3}, marks=pytest.mark.slow
        ),
        pytest.param("half", 6, {"dim": 3}, marks=pytest.mark.slow),
        ("cube", 6, {"dim": 2, "target": 0.75}),
    ],
)
def test_laws_of_other_algorithms_and_spaces_are_ordered(name, r, options):
    found = {family: best_law(name, r, family, **options) for family in ("power", "free")}
    usual = expected_runtime(name, r, **options).mean
    assert found["free"].mean <= found["power"].mean + 1e-9 <= usual + 2e-9
    assert found["free"].harmonic_mean == pytest.approx(usual)
    assert found["free"].slope < 1e-5
    if not np.isnan(found["free"].bound):
        assert found["free"].bound < found["free"].mean
    if options.get("algorithm") != "rls":
        best = best_law(name, r, "probability", **options)
        assert best.mean <= usual + 1e-9
        for probability in (0.2, 0.5, 0.9):
            other = expected_runtime(name, r, mutation_probability=probability, **options)
            assert best.mean <= other.mean * (1 + 1e-6)


def test_the_best_number_of_offspring():
    found = best_offspring("local_opt", 12, most=6)
    means = [
        expected_runtime("local_opt", 12, algorithm="one_plus_lambda", offspring=n).mean
        for n in range(1, 7)
    ]
    np.testing.assert_allclose(found.evaluations, means)
    np.testing.assert_allclose(found.generations, (np.array(means) - 1) / np.arange(1, 7))
    assert found.by_evaluations == 1 + np.argmin(means)
    uniform = expected_runtime("local_opt", 12, "uniform").mean
    assert best_offspring("local_opt", 12, "uniform", most=1).evaluations == pytest.approx(uniform)
    # a further mutant never makes a generation worse
    assert found.by_generations == 6
    assert (np.diff(found.generations) < 0).all()


def test_searches_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="family must not be 'probability' for 'rls'"):
        best_law("quarter", 8, "probability", algorithm="rls")
    with pytest.raises(ValueError, match="family must not be 'adaptive' for several offspring"):
        best_law("quarter", 8, "adaptive", algorithm="one_plus_lambda", offspring=2)
    for family in ("free", "adaptive"):
        for offspring in (1, 2):
            with pytest.raises(
                ValueError, match=f"family must not be '{family}' for 'one_comma_lambda'"
            ):
                best_law("quarter", 8, family, algorithm="one_comma_lambda", offspring=offspring)
    with pytest.raises(ValueError, match="resolution must be smaller for a free law"):
        best_law("quarter", 240, "free")
    with pytest.raises(ValueError, match="resolution must be smaller for an adaptive law"):
        best_law("quarter", 240, "adaptive")


def test_there_is_no_bound_for_one_offspring_that_always_replaces_its_parent():
    """What it may lose on the way it may also gain: the bound of the (1+1) NA is none for it."""
    found = best_law("quarter", 8, "power", algorithm="one_comma_lambda", offspring=1)
    assert np.isnan(found.bound)
    elitist = best_law("quarter", 8, "power", algorithm="one_plus_lambda", offspring=1)
    assert elitist.bound == best_law("quarter", 8, "adaptive").mean


def test_the_bound_is_infinite_where_no_law_succeeds():
    """No half-plane tells the corners of a square by their parity."""
    assert best_law("cube", 4, "adaptive", dim=2).mean == np.inf
    assert best_law("cube", 4, "adaptive", dim=2, algorithm="rls").mean == np.inf


def test_a_bound_that_has_not_settled_says_so(monkeypatch):
    settled = best_law("quarter", 8, "adaptive").mean
    monkeypatch.setattr("hyperna.theory.best.MOST_SWEEPS", 3)
    with pytest.warns(RuntimeWarning, match="the bound has not settled after 3 sweeps"):
        early = best_law("quarter", 8, "adaptive").mean
    assert early < settled


def test_the_best_probability_is_found_where_certain_mutation_is_too_large():
    """At probability 1 a bias never stays where it is, and all pairs of states would be kept."""
    assert estimated_cost("half", 32, dim=3).is_affordable
    with pytest.raises(ValueError, match="resolution must be at most"):
        estimated_cost("half", 32, dim=3, mutation_probability=1.0)
    assert not model_of("half", 32, dim=3).affords_certain_mutation
    assert model_of("half", 32, dim=3, bias=False).affords_certain_mutation
    searches = []
    best = best_law(
        "half", 32, "probability", dim=3, progress=lambda *counts: searches.append(counts)
    )
    assert best.mean < best.harmonic_mean
    assert 0.05 < best.parameter < 0.9
    assert [done for done, _ in searches] == list(range(1, searches[0][1] + 1))


def test_local_steps_of_certain_mutation_need_no_more_than_others():
    certain = estimated_cost("half", 48, "local", dim=3, mutation_probability=1.0)
    assert certain == estimated_cost("half", 48, "local", dim=3)


def test_free_and_adaptive_laws_with_redrawn_steps_are_refused():
    """How often steps are drawn again depends on the law, so that the slope is another one."""
    with pytest.raises(ValueError, match="redraw_void must be False for a free law, got True"):
        best_law("half", 8, bias=False, redraw_void=True)
    with pytest.raises(ValueError, match="redraw_void must be False for an adaptive law, got True"):
        best_law("half", 8, "adaptive", bias=False, redraw_void=True)
    found = best_law("half", 8, "power", bias=False, redraw_void=True)
    assert found.mean < best_law("half", 8, "power", bias=False).mean
