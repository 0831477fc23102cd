"""Runs of the (1+1) NA: that they repeat, what ends them or begins them anew, what they tell."""

import threading
from dataclasses import dataclass, fields

import joblib
import numpy as np
import pytest
import reference

from hyperna import AnnealingNA, MuPlusOneNA, OneCommaLambdaNA, OnePlusOneNA
from hyperna.baselines import baseline_task
from hyperna.fitness import FiniteSet, fitness_of
from hyperna.network.grid import Grid
from hyperna.network.networks import Network
from hyperna.problems import problem
from hyperna.run.many import Halt, run_many
from hyperna.run.simulation import Simulation
from hyperna.run.task import Task, extend

# ---- the same seed gives the same run


def settings_of_every_kind():
    corners = problem("cube", dim=2)
    yield OnePlusOneNA(neurons=2, resolution=40), problem("two_quarters"), {}
    yield OnePlusOneNA(neurons=2, resolution=40, mutation="local"), problem("two_quarters"), {}
    yield OnePlusOneNA(neurons=2, output="evolved", resolution=40), corners, {"budget": 300}
    yield (
        OnePlusOneNA(mutation="adaptive:jump=0", resolution=40),
        problem("local_opt"),
        {"stagnation": 50, "restarts": 3},
    )


@pytest.mark.parametrize(
    "setting", list(settings_of_every_kind()), ids=lambda s: str(s[0].mutation)
)
def test_runs_are_the_same_however_they_are_made(setting):
    na, subject, options = setting
    runs = na.run_many(subject, runs=150, seed=5, **options)
    seen = []
    for variant in (
        {"n_jobs": 1},
        {"n_jobs": 2},
        {"n_jobs": -1, "progress": lambda done, total: seen.append((done, total))},
    ):
        again = na.run_many(subject, runs=150, seed=5, **variant, **options)
        np.testing.assert_array_equal(again.rows, runs.rows)
    assert seen[-1] == (150, 150)
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    for number in (0, 1, 77, 149):
        single = na.run(subject, seed=5, number=number, trajectory=True, **options)
        replayed = runs.replay(number)
        assert single.network == replayed.network
        for one in (single, replayed):
            assert one.evaluations == runs.evaluations[number]
            assert one.fitness == runs.fitness[number] == fitness_of(subject)(one.network)
            assert one.stop_reason == runs.stop_reasons[number]
            assert one.success == runs.success[number]
            assert one.restarts == runs.restarts[number]
            assert (one.stuck_at or 0) == runs.stuck_at[number]


def test_runs_in_other_processes_are_the_same():
    na = OnePlusOneNA(neurons=2, resolution=40)
    runs = na.run_many(problem("two_quarters"), runs=30, seed=5)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        again = na.run_many(problem("two_quarters"), runs=30, seed=5)
    np.testing.assert_array_equal(again.rows, runs.rows)


def test_the_first_runs_do_not_depend_on_how_many_follow():
    na = OnePlusOneNA(resolution=40)
    many = na.run_many(problem("quarter"), runs=1000, seed=5)
    few = na.run_many(problem("quarter"), runs=3, seed=5)
    np.testing.assert_array_equal(many.rows[:3], few.rows)


def test_numbers_and_seeds_give_different_runs():
    na = OnePlusOneNA(resolution=2**30)
    starts = {
        tuple(na.run(problem("half"), budget=1, seed=seed, number=number).network.genome.tolist())
        for seed in (0, 1, 2**64, 2**64 + 1)
        for number in range(50)
    }
    assert len(starts) == 200
    fresh = {na.run(problem("half"), budget=1).network for _ in range(5)}
    assert len(fresh) == 5


def test_a_seed_sequence_is_as_good_as_a_number():
    na = OnePlusOneNA(resolution=40)
    sequence = np.random.SeedSequence(17)
    by_sequence = na.run_many(problem("half"), runs=20, seed=sequence)
    np.testing.assert_array_equal(
        by_sequence.rows, na.run_many(problem("half"), runs=20, seed=17).rows
    )
    child = sequence.spawn(1)[0]
    assert (na.run_many(problem("half"), runs=20, seed=child).rows != by_sequence.rows).any()


# ---- limits


@pytest.mark.parametrize("mutation", ["harmonic", "local", "adaptive:jump=0"])
def test_a_budget_cuts_the_run_and_changes_nothing_before(mutation):
    na = OnePlusOneNA(neurons=2, resolution=200, mutation=mutation)
    full = na.run(problem("two_quarters"), budget=2000, target=False, seed=1, trajectory=True)
    for budget in (1, 2, 3, 50, 777):
        cut = na.run(problem("two_quarters"), budget=budget, target=False, seed=1, trajectory=True)
        assert (cut.evaluations, cut.success) == (budget, False)
        assert cut.stop_reason in ("budget", "stuck")
        before = full.trajectory.evaluations <= budget
        np.testing.assert_array_equal(cut.trajectory.genomes, full.trajectory.genomes[before])
        assert cut.network == cut.trajectory.network(-1)


def test_the_first_network_is_the_first_evaluation():
    optimum = Network(Grid(2, 1, 120), [30, 60])
    result = OnePlusOneNA().run(problem("half"), start=optimum, seed=1, trajectory=True)
    assert (result.evaluations, result.stop_reason, result.fitness) == (1, "optimum", 1.0)
    assert result.network == result.trajectory.network(0) == optimum
    assert result.improvements.evaluations.tolist() == [1]
    result = OnePlusOneNA().run(problem("half"), target=0.0, seed=1)
    assert (result.evaluations, result.stop_reason) == (1, "target")


@pytest.mark.parametrize("dim", [2, 3])
def test_a_start_on_the_sphere_is_the_direction_rounded_to_the_grid(dim):
    """An angle just below a whole turn is the angle 0; at this resolution that is one in eight."""
    X = np.random.default_rng(0).normal(size=(20, dim))
    na = OnePlusOneNA(resolution=4, init="sphere")
    starts = [
        na.run(FiniteSet(X, X[:, 0] > 0), budget=1, target=False, seed=seed).network.genome
        for seed in range(200)
    ]
    counts = np.bincount(np.array(starts)[:, dim - 2], minlength=4)
    assert len(counts) == 4
    # the last angle is uniform: four standard deviations around a quarter of them
    assert (abs(counts - 50) < 25).all()


def test_the_default_budget_is_the_paper_s():
    assert OnePlusOneNA(resolution=120).default_budget == 57449
    na = OnePlusOneNA(resolution=30, bias=False)
    result = na.run(problem("quarter"), seed=1, target=False)
    assert (result.evaluations, result.stop_reason) == (reference.paper_budget(30), "budget")


@pytest.mark.parametrize("mutation", ["harmonic", "local"])
@pytest.mark.parametrize("stagnation", [1, 10, 60])
def test_stagnation_ends_a_run_after_so_many_evaluations_without_a_better_fitness(
    mutation, stagnation
):
    na = OnePlusOneNA(neurons=2, resolution=200, mutation=mutation)
    for seed in range(10):
        options = {"budget": 3000, "target": False, "seed": seed}
        free = na.run(problem("two_quarters"), **options)
        gaps = np.diff(np.append(free.improvements.evaluations, 10**9))
        last = free.improvements.evaluations[int(np.argmax(gaps > stagnation))]
        result = na.run(problem("two_quarters"), stagnation=stagnation, **options)
        expected = min(int(last) + stagnation, 3000)
        assert result.evaluations == expected
        assert result.stop_reason == ("stagnation" if expected < 3000 else "budget")
        assert result.improvements.evaluations[-1] == last


def test_a_target_ends_the_run_at_the_first_network_that_reaches_it():
    na = OnePlusOneNA(neurons=2, resolution=200)
    for seed in range(10):
        free = na.run(problem("two_quarters"), budget=5000, target=False, seed=seed)
        for target in (min(0.6, free.fitness), min(0.8, free.fitness), free.fitness):
            reached = int(np.argmax(free.improvements.fitness >= target))
            result = na.run(problem("two_quarters"), budget=5000, target=target, seed=seed)
            assert result.stop_reason == "target"
            assert result.success
            assert result.evaluations == free.improvements.evaluations[reached]
            assert result.fitness == free.improvements.fitness[reached] >= target
        above = float(np.nextafter(free.fitness, 2))
        if above <= 1:
            result = na.run(problem("two_quarters"), budget=5000, target=above, seed=seed)
            assert (result.stop_reason, result.success) == ("budget", False)


@pytest.mark.parametrize("output", ["or", "and"])
def test_success_means_close_to_an_optimum(output):
    """Every component less than one step off, checked by the plain definition."""
    r = 60
    na = OnePlusOneNA(neurons=2, resolution=r, output=output)
    optima = problem("two_quarters").optima(2, output)
    found = reference.optimum_test([[tuple(n) for n in optimum] for optimum in optima], r)
    for seed in range(20):
        path = na.run(problem("two_quarters"), seed=seed, trajectory=True)
        close = [found(genome) for genome in path.trajectory.genomes.tolist()]
        assert close[-1] == path.success
        assert not any(close[:-1])


# ---- restarts


def test_restarts_begin_anew_after_stagnation():
    na = OnePlusOneNA(resolution=120)
    options = {"budget": 4000, "stagnation": 30, "target": False}
    for seed in range(20):
        result = na.run(problem("quarter"), restarts=5, seed=seed, trajectory=True, **options)
        first = na.run(problem("quarter"), seed=seed, trajectory=True, **options)
        path = result.trajectory
        n = len(first.trajectory)
        np.testing.assert_array_equal(path.genomes[:n], first.trajectory.genomes)
        # Each start ends 30 evaluations after its last rise; the next one is evaluated after that.
        starts, rise, fitness = 1, 1, path.fitness[0]
        for evaluation, value in zip(path.evaluations[1:], path.fitness[1:], strict=True):
            if evaluation > rise + 30:
                assert evaluation == rise + 31
                starts, rise, fitness = starts + 1, evaluation, value
            assert value >= fitness
            if value > fitness:
                rise, fitness = evaluation, value
        assert result.restarts == starts - 1 == 5
        assert result.stop_reason == "stagnation"
        assert result.evaluations == rise + 30
        assert result.fitness == path.fitness.max()
        best = int(np.argmax(path.fitness))
        assert result.improvements.evaluations[-1] == path.evaluations[best]
        assert fitness_of(problem("quarter"))(result.network) == result.fitness


def test_restarts_share_the_budget_and_rescue_runs_that_are_stuck():
    na = OnePlusOneNA(resolution=48, mutation="local")
    once = na.run_many(problem("local_opt"), runs=400, seed=3)
    again = na.run_many(problem("local_opt"), runs=400, seed=3, restarts=1000)
    assert (once.stop_reasons == "stuck").any()
    assert again.success.all()
    assert (again.evaluations <= na.default_budget).all()
    np.testing.assert_array_equal(again.restarts > 0, once.stop_reasons == "stuck")
    # A run that is not stuck is not touched by the permission to restart.
    fine = once.success
    np.testing.assert_array_equal(again.evaluations[fine], once.evaluations[fine])
    limited = na.run_many(problem("local_opt"), runs=400, seed=3, restarts=1000, budget=100)
    assert limited.evaluations.max() == 100


# ---- the trace


@pytest.mark.parametrize("mutation", ["harmonic", "local"])
def test_improvements_are_the_rises_of_the_trajectory(mutation):
    na = OnePlusOneNA(neurons=3, resolution=300, mutation=mutation)
    result = na.run(problem("arcs", k=3), seed=1, trajectory=True, target=False, budget=20_000)
    path, rises = result.trajectory, result.improvements
    new = np.append(True, np.diff(np.maximum.accumulate(path.fitness)) > 0)
    np.testing.assert_array_equal(rises.evaluations, path.evaluations[new])
    np.testing.assert_array_equal(rises.fitness, path.fitness[new])
    assert (np.diff(path.evaluations) > 0).all()
    assert path.evaluations[0] == 1
    assert path.evaluations[-1] <= result.evaluations
    if mutation == "local":
        moves = np.diff(path.genomes, axis=0) % path.grid.moduli
        assert np.isin(moves, (0, 1, 299, 300)).all()


# ---- interruption


def test_an_interrupted_batch_leaves_nothing_broken():
    na = OnePlusOneNA(resolution=40)
    expected = na.run_many(problem("quarter"), runs=500, seed=1).rows

    def interrupt(done, total):
        raise KeyboardInterrupt

    for n_jobs in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            na.run_many(problem("quarter"), runs=500, seed=1, n_jobs=n_jobs, progress=interrupt)
        again = na.run_many(problem("quarter"), runs=500, seed=1, n_jobs=n_jobs)
        np.testing.assert_array_equal(again.rows, expected)


def test_an_interrupted_batch_stops_its_threads():
    """The last blocks would take years; nobody waits for them, and nobody goes on with them."""
    started = threading.Event()

    class Slow(Task):
        def new_memory(self):
            started.set()
            return super().new_memory()

    na = OnePlusOneNA(resolution=12, bias=False)
    plain = na.task(problem("quarter"), budget=2**61, target=False)
    slow = Slow(**{field.name: getattr(plain, field.name) for field in fields(Task)})
    halt, ended = Halt(), threading.Event()

    def work():
        slow.run_block(0, 0, 3, halt)
        ended.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert started.wait(60)
    assert not ended.is_set()
    halt.raised = True
    thread.join(60)
    assert ended.is_set()


class Over(Halt):
    """Due from the beginning, without a flag: as after a deadline, in every process."""

    due = True


def test_all_kinds_of_tasks_ask_whether_they_are_to_stop():
    quarter = problem("quarter")
    points = FiniteSet(np.full((2**17, 2), 0.5), np.arange(2**17) % 2 == 0)
    tasks = [
        OnePlusOneNA(resolution=12).task(quarter),
        OnePlusOneNA("evolved", resolution=12).task(quarter),
        OnePlusOneNA(resolution=12).task(points, term_cost=1, budget=2**60),
        baseline_task("random_search", quarter, resolution=12),
    ]
    for task in tasks:
        assert len(task.run_block(1, 0, 3, Over())) == 0
        assert list(task.finished_rows(1, 0, 3, Over())) == []


@dataclass(frozen=True, eq=False)
class GivesUp(Task):
    """Does the runs below a number and gives the others up, as runs do that meet a deadline."""

    most: int = 0

    def finished_rows(self, seed, first, last, halt=None):
        return super().finished_rows(seed, first, max(first, min(last, self.most)), halt)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_batch_has_the_runs_that_were_not_given_up(n_jobs):
    na = OnePlusOneNA(resolution=12)
    whole = na.run_many(problem("quarter"), 100, seed=1)
    task = extend(na.task(problem("quarter")), GivesUp, most=10)
    runs = run_many(task, 100, seed=1, n_jobs=n_jobs)
    assert runs.numbers.tolist() == list(range(10))
    np.testing.assert_array_equal(runs.rows, whole.rows[:10])
    nothing = extend(na.task(problem("quarter")), GivesUp)
    with pytest.raises(ValueError, match="no run was finished: the task gave up all 100 runs"):
        run_many(nothing, 100, seed=1, n_jobs=n_jobs)


def test_a_search_tells_its_result_at_any_time():
    task = OnePlusOneNA(resolution=300).task(problem("quarter"))
    search, fitness = Simulation(task, 4), fitness_of(problem("quarter"))
    assert search.result().evaluations == 1
    previous = 0.0
    while not search.advance(3):
        result = search.result()
        assert result.fitness == fitness(result.network) >= previous
        assert (result.stop_reason, result.success) == ("running", False)
        previous = result.fitness
    assert search.advance(3)
    done = task.run(4)
    assert (search.result().evaluations, search.result().network) == (
        done.evaluations,
        done.network,
    )


def test_settings_are_not_written_to():
    X, y, w = np.eye(3), np.array([0, 1, 1]), np.array([1.0, 2.0, 3.0])
    copies = X.copy(), y.copy(), w.copy()
    na = OnePlusOneNA(resolution=20)
    start = Network(na.grid(3), [1, 2, 3])
    na.run(FiniteSet(X, y, w), start=start, budget=500, target=False, seed=1)
    assert start == Network(na.grid(3), [1, 2, 3])
    for array, copy in zip((X, y, w), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("runs", [1, 63, 65, 101, 129])
def test_as_many_runs_as_wanted_are_made(runs):
    na = OnePlusOneNA(neurons=1, resolution=12)
    assert len(na.run_many(problem("half"), runs, budget=3, seed=0)) == runs


def test_control_returns_after_some_million_steps_on_the_circle():
    task = OnePlusOneNA().task(problem("quarter"), target=False, budget=10**9)
    search = Simulation(task, seed=0)
    assert not search.advance()
    assert 2**21 <= search.evaluations < 1.5 * 2**21


@pytest.mark.parametrize(
    "na",
    [
        OnePlusOneNA(neurons=2, resolution=48),
        OnePlusOneNA(neurons=2, resolution=48, mutation="local"),
        OnePlusOneNA(neurons="evolved", max_neurons=3, resolution=48),
        MuPlusOneNA(neurons=2, resolution=48, members=3),
        OneCommaLambdaNA(neurons=2, resolution=48, offspring=3),
        AnnealingNA(neurons=2, resolution=48),
    ],
    ids=lambda na: f"{na.name}-{na.neurons}-{na.mutation}",
)
def test_what_a_stopping_rule_sees_is_one_network_and_never_worse_than_before(na):
    fitness = fitness_of(problem("two_quarters"))
    seen = []
    for seed in range(8):
        before = []

        def rule(so_far, before=before):
            assert so_far.fitness == pytest.approx(fitness(so_far.network), abs=1e-12)
            if before:
                assert so_far.fitness >= before[-1].fitness
                assert so_far.evaluations > before[-1].evaluations
                assert so_far.restarts >= before[-1].restarts
            before.append(so_far)
            return so_far.restarts > 2

        na.run(fitness, seed=seed, restarts=9, stagnation=12, stop=rule, every=3)
        seen += before
    assert max(so_far.restarts for so_far in seen) == 3
    assert len([so_far for so_far in seen if so_far.restarts]) > 20


def test_what_is_compiled_together_has_one_kind():
    def kind(**options):
        return OnePlusOneNA(**options).task(problem("two_quarters")).compiled_kind

    assert kind(resolution=100) == kind(resolution=200)
    # above, half-widths are no table any more
    assert kind(resolution=2**14) != kind(resolution=2**15)
    assert kind(neurons=2) == kind(neurons=1)
    assert kind(neurons=2) != kind(neurons=3)
    assert kind(neuron="bent") != kind()
    assert kind(mutation="pareto") != kind()


@pytest.mark.parametrize("mutation", ["harmonic", "local"])
def test_a_network_of_before_is_only_replaced_by_a_better_one_of_a_later_start(mutation):
    """Within a start the last of equally good networks is told, of several starts the first."""
    task = OnePlusOneNA(resolution=8, bias=False, mutation=mutation).task(
        problem("quarter"), budget=400, target=False, stagnation=9, restarts=99
    )
    ties = 0
    for seed in range(6):
        search = Simulation(task, seed)
        before, restarts, last = None, 0, search.result()
        while not search.advance(1):
            now = search.result()
            if now.restarts > restarts:
                before, restarts = last, now.restarts
            assert before is None or now.fitness >= before.fitness
            if before is not None and now.fitness == before.fitness:
                assert now.network == before.network
                ties += 1
            last = now
        assert before is None or search.result().fitness >= before.fitness
    assert ties > 100
