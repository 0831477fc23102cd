"""Plateaus without a way out end runs of local mutation, as single states do."""

import itertools

import numpy as np
import pytest
from scipy import stats

from hyperna import OnePlusOneNA, problem
from hyperna.run.plateaus import is_closed


def closed_by_hand(task, genome):
    """The same by a plain search, for one neuron."""
    fitness, grid = task.fitness, task.grid
    scores = {}

    def score(state):
        if state not in scores:
            scores[state] = int(fitness.scores([state], grid)[0])
        return scores[state]

    seen, todo = {genome}, [genome]
    while todo:
        angle, bias = todo.pop()
        for da, db in itertools.product((-1, 0, 1), repeat=2):
            state = ((angle + da) % grid.moduli[0], (bias + db) % grid.moduli[1])
            state = tuple(map(int, state))
            if score(state) > score(genome):
                return False
            if score(state) == score(genome) and state not in seen:
                seen.add(state)
                todo.append(state)
    return True


def test_plateaus_of_a_small_grid_are_told_apart():
    task = OnePlusOneNA(mutation="local", resolution=16).task(problem("local_opt"), target=1.0)
    known, found = {}, []
    for genome in itertools.product(range(16), range(17)):
        closed = is_closed(task, np.array(genome), known)
        assert closed == closed_by_hand(task, genome)
        found.append(closed)
    assert 0 < sum(found) < len(found)


@pytest.mark.parametrize("resolution", [60, 64])
def test_runs_that_cannot_succeed_are_stuck(resolution):
    """A budget of 10^8 evaluations takes seconds."""
    na, runs = OnePlusOneNA(mutation="local", resolution=resolution), 400
    result = na.run_many(problem("local_opt"), runs=runs, budget=10**8, seed=0)
    assert set(result.stop_counts) == {"optimum", "stuck"}
    assert (result.evaluations[~result.success] == 10**8).all()
    assert (result.stuck_at[~result.success] < 10**6).all()


def test_two_neurons_that_walk_on_a_plateau_without_a_way_out_are_stuck():
    """At r = 8 of TWOQUARTERS most failed runs walk on 49 equally fit networks, and never wait."""
    na = OnePlusOneNA(mutation="local", resolution=8, neurons=2)
    result = na.run_many(problem("two_quarters"), runs=100, budget=10**8, seed=0)
    assert set(result.stop_counts) == {"optimum", "stuck"}
    assert (result.stuck_at[~result.success] < 10**6).all()
    # the chance of success is 0.352 by the exact chain
    assert stats.binomtest(int(result.success.sum()), 100, 0.352).pvalue > 1e-3


def test_the_longer_a_run_waits_the_larger_plateaus_are_searched(monkeypatch):
    """Of those 49 networks one more is searched with every wait."""
    monkeypatch.setattr("hyperna.run.plateaus.STATES_PER_WAIT", 1)
    na = OnePlusOneNA(mutation="local", resolution=8, neurons=2)
    result = na.run_many(problem("two_quarters"), runs=20, budget=10**7, seed=0)
    assert set(result.stop_counts) == {"optimum", "stuck"}


def test_success_is_as_likely_as_the_exact_chain_says():
    """LOCALOPT at r = 120: success with probability 0.4185, all other runs are stuck."""
    na = OnePlusOneNA(mutation="local", resolution=120)
    result = na.run_many(problem("local_opt"), runs=2000, budget=10**8, seed=2)
    assert stats.binomtest(int(result.success.sum()), 2000, 0.4185).pvalue > 1e-3
    assert set(result.stop_counts) == {"optimum", "stuck"}


def test_a_plateau_with_a_way_out_is_left():
    """HALF without bias: every state leads to the optimum."""
    na = OnePlusOneNA(mutation="local", resolution=40, bias=False)
    assert na.run_many(problem("half"), runs=100, budget=10**6, seed=1).success.all()


@pytest.mark.parametrize(
    ("options", "reasons"),
    [
        ({"restarts": 1}, ["optimum", "stuck"]),
        ({"restarts": 2, "target": 0.7}, ["budget", "stuck", "target"]),
        ({"restarts": 99, "target": False, "budget": 900}, ["budget"]),
        ({"restarts": 1, "stagnation": 150}, ["optimum", "stagnation", "stuck"]),
    ],
    ids=str,
)
def test_only_runs_that_end_stuck_say_since_when(options, reasons):
    """Also where an earlier start of the run was stuck."""
    na = OnePlusOneNA(resolution=60, mutation="local")
    runs = na.run_many(problem("local_opt"), runs=60, seed=5, **options)
    assert sorted(runs.stop_counts) == reasons
    stuck = runs.stop_reasons == "stuck"
    np.testing.assert_array_equal(runs.stuck_at > 0, stuck)
    restarted = np.flatnonzero((runs.restarts > 0) & ~stuck)
    assert restarted.size
    for number in (restarted[0], *np.flatnonzero(stuck)[:1]):
        assert (runs.replay(int(number)).stuck_at or 0) == runs.stuck_at[number]


@pytest.mark.parametrize(("stagnation", "budget"), [(400, 100_000), (400, 450), (None, 3000)])
def test_a_stuck_run_counts_the_evaluations_that_it_would_have_made(stagnation, budget):
    na = OnePlusOneNA(resolution=12, mutation="local")
    task = na.task(problem("local_opt"), stagnation=stagnation, budget=budget)
    stuck = [one for one in map(task.run, range(40)) if one.stop_reason == "stuck"]
    assert len(stuck) > 5
    for one in stuck:
        patience = budget if stagnation is None else stagnation
        assert one.evaluations == min(one.improvements.evaluations[-1] + patience, budget)


def test_a_run_that_restarts_from_a_plateau_keeps_its_best_network():
    na = OnePlusOneNA(resolution=60, mutation="local")
    runs = na.run_many(problem("local_opt"), runs=40, restarts=2, target=False, seed=5)
    restarted = np.flatnonzero(runs.restarts > 0)
    assert restarted.size > 10
    for number in restarted[:10]:
        result = runs.replay(int(number), trajectory=True)
        best = max(result.trajectory.fitness)
        assert result.fitness == best == runs.fitness[number]
        assert (np.diff(result.improvements.fitness) > 0).all()


@pytest.mark.parametrize(
    ("name", "budget", "restarts"), [("quarter", 10**6, 0), ("local_opt", 2 * 10**6, 2)]
)
def test_runs_do_not_depend_on_what_others_have_searched(name, budget, restarts):
    """Plateaus of more than 1,000 networks are searched only by a run that waits long enough."""
    na = OnePlusOneNA(neurons=3, output="and", resolution=12, mutation="local")
    asked = {"seed": 1, "budget": budget, "restarts": restarts}
    runs = na.run_many(problem(name), runs=12, n_jobs=1, **asked)
    assert runs.stop_counts["stuck"] > 3
    assert (runs.rows == na.run_many(problem(name), runs=12, n_jobs=4, **asked).rows).all()
    for number in (11, 3):
        alone = na.run(problem(name), number=number, **asked)
        assert alone.stuck_at == (runs.stuck_at[number] or None)
        assert alone.evaluations == runs.evaluations[number]
        assert alone.restarts == runs.restarts[number]
        assert runs.replay(number).network == alone.network


def test_a_plateau_that_was_searched_is_closed_for_those_who_wait_as_long():
    """Whatever is known of it; and one that is larger than any search is not known."""
    task = OnePlusOneNA(mutation="local", resolution=16).task(problem("local_opt"), target=1.0)
    known = {}
    genomes = [np.array(genome) for genome in itertools.product(range(16), range(17))]
    for genome in genomes:
        is_closed(task, genome, known)
    sizes = {size for size in known.values() if size}
    assert max(sizes) > 1
    for genome in genomes:
        for most in (0, *sizes, max(sizes) - 1):
            assert is_closed(task, genome, known, most) == is_closed(task, genome, {}, most)


def test_a_plateau_with_a_success_on_it_is_not_closed():
    from types import SimpleNamespace

    from hyperna.run import plateaus

    ring = SimpleNamespace(
        mutation=SimpleNamespace(component=np.array([0]), modulus=np.array([12]))
    )
    heights = np.array([0, 5, 5, 5, 5, 0, 7, 0, 5, 5, 0, 0])
    for success, closed in ((-1, True), (4, False), (1, False), (8, True), (6, True)):

        def outcomes(genomes, success=success):
            return heights[genomes[:, 0]], (genomes[:, 0] == success).astype(int)

        ring.outcomes = outcomes
        assert plateaus.is_closed(ring, np.array([2]), {}) is closed
    # a step down from 5 leads to 0, a step up from there is none from here
    assert sorted(plateaus._explore(ring, np.array([3]), 100)[0].ravel()) == [1, 2, 3, 4]
