"""Baselines: the same fitness, the same counting, the same success as the (1+1) NA."""

import importlib.util
import itertools
import math
import pickle
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from samples import OUTPUTS
from scipy.stats import kstest

from hyperna import ExactArcs, Grid, Network, OnePlusOneNA, Sampled, fitness_of, problem
from hyperna.baselines import BASELINES, Baseline, baseline, baseline_task
from hyperna.baselines.space import REPRESENTATIONS, Space
from hyperna.baselines.task import GridCounter
from hyperna.experiments.setting import setting
from hyperna.paper.verdicts import share_difference
from hyperna.run.results import STOP_REASONS

BUDGET = STOP_REASONS.index("budget")
STAGNATION = STOP_REASONS.index("stagnation")


def installed(name):
    package = BASELINES[name].package
    missing = package is not None and importlib.util.find_spec(package) is None
    mark = pytest.mark.skipif(missing, reason=f"{package} is not installed (hyperna[baselines])")
    return pytest.param(name, marks=mark)


NAMES = [installed(name) for name in BASELINES]
needs_cma = pytest.mark.skipif(
    importlib.util.find_spec("cma") is None, reason="cma is not installed (hyperna[baselines])"
)


@dataclass(frozen=True)
class TenPoints(Baseline):
    """Evaluates ten random points and gives up."""

    name: ClassVar[str] = "ten_points"
    summary: ClassVar[str] = "for tests"

    def search(self, error, space, rng, budget):
        error(rng.uniform(space.low, space.high, (10, space.size)))


# ---- parameters and networks


@pytest.mark.parametrize("output", ["or", "evolved"])
@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_polar_parameters_of_a_grid_point_are_that_grid_point(dim, output):
    grid = Grid(dim, 3, 1000, output)
    genome = grid.random(np.random.default_rng(dim))
    is_bias = np.isin(np.arange(grid.components), grid.bias_components)
    turns = 2 * math.pi * genome / grid.moduli
    values = np.where(is_bias, 2 * genome / grid.resolution - 1, turns)
    assert (Space(grid, "polar").genomes(values[None])[0] == genome).all()


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_cartesian_parameters_mean_weights_and_thresholds(dim):
    rng = np.random.default_rng(dim)
    space = Space(Grid(dim, 3, 2**40, "evolved"), "cartesian")
    X = rng.standard_normal((200, dim))
    for parameters in rng.uniform(-1, 1, (20, space.size)):
        hidden = parameters[: 3 * (dim + 1)].reshape(3, dim + 1)
        # Biases reach from -1 to 1, so it is points of the unit sphere that networks tell apart.
        inside = X / np.linalg.norm(X, axis=1, keepdims=True)
        bits = inside @ hidden[:, :-1].T >= hidden[:, -1]
        out = parameters[3 * (dim + 1) :]
        w, t = out[:-1], out[-1]
        network = Network(space.grid, space.genomes(parameters[None])[0])
        within = np.abs(hidden[:, -1]) < np.linalg.norm(hidden[:, :-1], axis=1)
        assert (network.hidden(inside)[:, within] == bits[:, within]).all()
        if abs(t) < np.linalg.norm(w) and within.all():
            assert (network.predict(inside) == (bits @ w >= t)).all()


def test_weights_of_length_zero_fire_everywhere_or_nowhere():
    space = Space(Grid(2, 1, 100), "cartesian")
    biases = space.genomes(np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]]))[:, 1]
    assert biases.tolist() == [0, 100]


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("output", OUTPUTS)
def test_error_is_one_minus_exact_fitness(output, representation):
    two = problem("two_quarters")
    task = baseline_task(
        "random_search", two, output=output, target=False, representation=representation
    )
    X = np.random.default_rng(0).uniform(task.space.low, task.space.high, (50, task.space.size))
    fitness = ExactArcs(two)
    networks = [Network(task.grid, genome) for genome in task.space.genomes(X)]
    expected = [1 - fitness(network) for network in networks]
    assert GridCounter(task)(X) == pytest.approx(expected, abs=1e-15)


# ---- counting


def test_a_run_ends_with_the_first_point_that_reaches_the_target():
    task = baseline_task("random_search", problem("quarter"), target=0.9)
    free = baseline_task("random_search", problem("quarter"), target=False, budget=1000)
    for number in range(20):
        run = task.run(seed=3, number=number)
        everything = free.run(seed=3, number=number).improvements
        first = np.flatnonzero(everything.fitness >= 0.9)[0]
        assert run.stop_reason == "target"
        assert run.evaluations == everything.evaluations[first]
        assert run.fitness == everything.fitness[first]


def test_random_search_finds_half_after_a_geometric_time():
    """The mean is one over the share of all parameters whose fitness is 1 - 2/r or more."""
    r, runs, half = 12, 1500, ExactArcs(problem("half"))
    rows = baseline_task("random_search", problem("half"), resolution=r).run_block(5, 0, runs)
    fine = Grid(2, 1, 600)
    genomes = np.array([(angle, bias) for angle in range(600) for bias in range(601)])
    p = (half.scores(genomes, fine) >= (1 - 2 / r) * half.units(fine)).mean()
    assert (rows[:, 2] == STOP_REASONS.index("target")).all()
    assert abs(rows[:, 0].mean() - 1 / p) < 4 * math.sqrt((1 - p) / p**2 / runs)


@pytest.mark.parametrize("name", NAMES)
def test_the_budget_is_never_exceeded(name):
    task = baseline_task(name, problem("two_quarters"), target=False, budget=37)
    rows = task.run_block(0, 0, 3)
    assert (rows[:, 0] == 37).all()
    assert (rows[:, 2] == BUDGET).all()


def test_giving_up_counts_as_stagnation_and_restarts_go_on():
    half = problem("half")
    once = baseline_task(TenPoints(), half, target=False).run(seed=0)
    assert (once.evaluations, once.stop_reason, once.restarts) == (10, "stagnation", 0)
    often = baseline_task(TenPoints(), half, target=False, restarts=3).run(seed=0)
    assert (often.evaluations, often.stop_reason, often.restarts) == (40, "stagnation", 3)
    assert often.fitness >= once.fitness
    cut = baseline_task(TenPoints(), half, target=False, restarts=9, budget=25).run(seed=0)
    assert (cut.evaluations, cut.stop_reason, cut.restarts) == (25, "budget", 2)


def test_stagnation_counts_from_the_last_improvement_of_a_start():
    task = baseline_task("random_search", problem("half"), target=False, stagnation=50)
    run = task.run(seed=1)
    assert run.stop_reason == "stagnation"
    assert run.evaluations == run.improvements.evaluations[-1] + 50
    again = baseline_task(
        "random_search", problem("half"), target=False, stagnation=50, restarts=4
    ).run(seed=1)
    assert again.restarts == 4
    assert again.evaluations >= 5 * 51


@pytest.mark.parametrize("name", ["random_search", "differential_evolution"])
@pytest.mark.parametrize(("subject", "dim"), [("quarter", 2), ("half", 3), ("half", 12)])
def test_success_is_the_fitness_that_the_na_is_asked_for(name, subject, dim):
    """However many dimensions there are: not closeness in every parameter, which is worth less."""
    task = baseline_task(name, problem(subject, dim=dim), neurons=1, resolution=60, budget=20_000)
    na = OnePlusOneNA(resolution=60).task(fitness_of(problem(subject, dim=dim), neurons=1))
    assert task.target == na.default_target
    run = task.run(seed=0)
    assert run.success == (run.stop_reason == "target") == (run.fitness >= task.target)
    assert task.criterion == f"fitness >= {na.default_target:.6g}"


# ---- every baseline


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_every_baseline_learns_half_and_stays_in_its_box(name, representation):
    task = baseline_task(name, problem("half"), target=0.9, representation=representation)
    run = task.run(seed=0)
    assert run.stop_reason == "target"
    assert run.evaluations < 2000

    class Enough(Exception):
        pass

    space, seen = task.space, []

    def error(X):
        assert (np.clip(X, space.low - 1e-12, space.high + 1e-12) == X).all()
        seen.extend(X)
        if len(seen) > 300:
            raise Enough
        return np.linalg.norm(X - space.low, axis=1) / 100

    with suppress(Enough):
        task.baseline.search(error, space, np.random.default_rng(0), 1000)
    assert len(seen) > 50


@pytest.mark.parametrize("name", NAMES)
def test_runs_depend_on_seed_and_number_only(name):
    task = baseline_task(name, problem("quarter"), budget=60, target=False)
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    rows = task.run_block(7, 0, 3)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002
    assert (task.run_block(7, 1, 3) == rows[1:]).all()
    assert (pickle.loads(pickle.dumps(task)).run_block(7, 2, 3) == rows[2:]).all()
    run = task.run(seed=7, number=1)
    assert (run.evaluations, run.fitness) == (rows[1, 0], rows[1, 1] / task.units)
    assert (task.run_block(8, 0, 3)[:, 1] != rows[:, 1]).any()
    assert (rows != rows[0]).any()


# ---- CMA-ES as in the paper


@needs_cma
def test_cma_starts_at_the_origin_with_deviation_one():
    """Without the box the first generation would be standard normal; the box folds it inwards."""
    seen = []

    def error(X):
        seen.append(X.copy())
        raise StopIteration

    space = Space(Grid(2, 2, 2**40), "cartesian")
    for seed in range(100):
        with pytest.raises(StopIteration):
            baseline("cma_es").search(error, space, np.random.default_rng(seed), 100)
    first = np.concatenate(seen)
    assert np.abs(first.mean(axis=0)).max() < 4 * first.std() / math.sqrt(len(first))
    assert first.shape[1] == 6
    assert np.abs(first).max() <= 1


@needs_cma
def test_a_random_start_of_cma_is_uniform_in_the_box():
    seen = []

    def error(X):
        seen.append(X.mean(axis=0))
        raise StopIteration

    space = Space(Grid(2, 1, 2**40), "polar")
    narrow = baseline("cma_es:start=random,sigma=0.000001")
    for seed in range(200):
        with pytest.raises(StopIteration):
            narrow.search(error, space, np.random.default_rng(seed), 100)
    means = (np.array(seen) - space.low) / (space.high - space.low)
    assert min(kstest(column, "uniform").pvalue for column in means.T) > 1e-3


def test_the_start_of_cma_is_part_of_a_setting_unless_it_is_the_origin():
    plain = setting(problem="half", algorithm="cma_es")
    assert plain.algorithm == "cma_es:representation=polar,sigma=1.0"
    assert plain == setting(problem="half", algorithm="cma_es:start=origin")
    random = setting(problem="half", algorithm="cma_es:start=random")
    assert random.algorithm == "cma_es:representation=polar,sigma=1.0,start=random"
    with pytest.raises(ValueError, match="start must be one of 'origin', 'random', got 'here'"):
        setting(problem="half", algorithm="cma_es:start=here")


@pytest.mark.slow
@needs_cma
def test_cma_with_counted_points_agrees_with_the_paper_on_two_quarters():
    """33.3 % of 1,000 runs in print ended within 2 % of the optimum."""
    fitness = Sampled(problem("two_quarters"), n=1000, method="even")
    task = baseline_task("cma_es", fitness, target=False)
    rows = task.run_block(0, 0, 25)
    assert (rows[:, 2] == STAGNATION).all()
    found = int((rows[:, 1] >= 0.98 * task.units).sum())
    low, high = share_difference(333, 1000, found, 25)
    assert low < 0 < high


# ---- wrong input


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"needs cma: .*pip install 'hyperna\[baselines\]'"):
        baseline_task("cma_es", problem("half"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cmaes", "algorithm must be one of"),
        ("random_search:sigma=1", "has no setting 'sigma'"),
        ("random_search:representation", "key=value"),
        ("random_search:representation=spherical", "representation must be one of"),
    ],
)
def test_wrong_names_and_settings_are_refused(name, message):
    with pytest.raises(ValueError, match=message):
        baseline(name)


@needs_cma
def test_settings_in_the_name_are_numbers():
    assert baseline("cma_es:sigma=0.5").sigma == 0.5
    with pytest.raises(ValueError, match="sigma must be a number, got 'wide'"):
        baseline("cma_es:sigma=wide")


def test_other_kinds_of_wrong_input():
    with pytest.raises(TypeError, match="algorithm must be a name"):
        baseline(3)
    with pytest.raises(ValueError, match="must be left out"):
        baseline(TenPoints(), representation="polar")
    with pytest.raises(ValueError, match="trajectory must be False"):
        baseline_task(TenPoints(), problem("half")).run(0, trajectory=True)


@pytest.mark.parametrize("name", ["random_search", "cma_es", "differential_evolution"])
@pytest.mark.parametrize("budget", [1, 2, 7, 50])
def test_no_other_algorithm_spends_more_than_its_budget(name, budget):
    try:
        made = setting(problem="quarter", algorithm=name, resolution=24, budget=budget)
        rows = made.runner().run_block(made.entropy, 0, 3)
    except ImportError as missing:
        pytest.skip(str(missing))
    assert np.asarray(rows)[:, 0].max() <= budget


def test_a_baseline_that_reaches_an_optimum_succeeds():
    from hyperna.baselines import baseline_task

    task = baseline_task("random_search", problem("half"), resolution=8, budget=5000)
    run = task.run(seed=0)
    assert (run.stop_reason, run.success) == ("target", True)


def test_the_deviation_of_cma_es_is_the_one_given():
    pytest.importorskip("cma", reason="cma is not installed (hyperna[baselines])")

    class Enough(Exception):
        pass

    spread = {}
    for sigma in (0.02, 0.08):
        task = baseline_task(f"cma_es:sigma={sigma},start=random", problem("half"))
        first = []

        def error(X, first=first):
            first.extend(X)
            if len(first) >= 6:
                raise Enough
            return np.zeros(len(X))

        deviations = []
        for seed in range(40):
            first.clear()
            with suppress(Enough):
                task.baseline.search(error, task.space, np.random.default_rng(seed), 100)
            deviations.append(np.std(first, axis=0, ddof=1))
        spread[sigma] = np.median(deviations)
    assert spread[0.08] / spread[0.02] == pytest.approx(4, rel=0.3)


def test_baselines_have_the_neurons_of_the_problem():
    for name, neurons in (("half", 1), ("two_quarters", 2), ("arcs:k=3", 3)):
        assert baseline_task("random_search", problem(name)).grid.neurons == neurons


@pytest.mark.parametrize("subject", ["half", "two_quarters", "cube"])
@pytest.mark.parametrize("dim", [2, 3, 4])
@pytest.mark.parametrize("neurons", [1, 2, None])
def test_the_fitness_is_that_of_the_na(subject, dim, neurons):
    made = problem(subject, dim=dim)
    task = baseline_task("random_search", made, neurons=neurons)
    judged = OnePlusOneNA(neurons=task.grid.neurons).task(made).fitness
    assert str(task.fitness) == str(judged)
    assert type(task.fitness) is type(judged)


# ---- counting against a plain loop


@dataclass(frozen=True)
class Recorded(Baseline):
    """Evaluates a few batches of random points, gives up, and keeps what it was asked to do."""

    name: ClassVar[str] = "recorded"
    summary: ClassVar[str] = "for tests"
    starts: ClassVar[list] = []

    def search(self, error, space, rng, budget):
        batches = []
        self.starts.append((budget, batches))
        for _ in range(int(rng.integers(1, 8))):
            batches.append(rng.uniform(space.low, space.high, (int(rng.integers(1, 7)), 2)))
            shares = error(batches[-1])
            assert ((shares >= 0) & (shares <= 1)).all()


def counted_plainly(starts, budget, stagnation, enough, restarts):
    """What a search counts whose starts meet these scores."""
    evaluations, best, improvements = 0, -1.0, []
    for number, scores in enumerate(starts):
        best_here, since = -1.0, 0
        reason = "stagnation"
        for score in scores:
            evaluations += 1
            since += 1
            if score > best_here:
                best_here, since = score, 0
            if score > best:
                best = score
                improvements.append((evaluations, score))
            if score >= enough:
                return evaluations, "target", number, improvements
            if evaluations == budget:
                return evaluations, "budget", number, improvements
            if since == stagnation:
                break
        if number == restarts:
            return evaluations, reason, number, improvements
    raise AssertionError("a start is missing")


def test_evaluations_ends_and_restarts_are_those_of_a_plain_loop(monkeypatch):
    rng = np.random.default_rng(0)
    half, seen = problem("half"), set()
    for case in range(120):
        limits = {
            "budget": int(rng.integers(1, 60)),
            "stagnation": None if rng.random() < 0.3 else int(rng.integers(1, 9)),
            "target": False if rng.random() < 0.3 else 0.6 + 0.4 * rng.random(),
            "restarts": int(rng.integers(0, 5)),
        }
        monkeypatch.setattr(Recorded, "starts", [])
        task = baseline_task(Recorded(), half, **limits)
        run = task.run(seed=case)
        scores = []
        for _, batches in Recorded.starts:
            genomes = task.space.genomes(np.concatenate(batches))
            scores.append([ExactArcs(half)(Network(task.grid, genome)) for genome in genomes])
        enough = limits["target"] or 2.0
        wanted = counted_plainly(
            scores, limits["budget"], limits["stagnation"], enough, limits["restarts"]
        )
        found = run.improvements
        pairs = list(zip(found.evaluations.tolist(), found.fitness.tolist(), strict=True))
        assert (run.evaluations, run.stop_reason, run.restarts, pairs) == wanted
        assert len(Recorded.starts) == run.restarts + 1
        assert run.fitness == pairs[-1][1] == ExactArcs(half)(run.network)
        # every start is told what is left
        assert Recorded.starts[0][0] == limits["budget"]
        left = [budget for budget, _ in Recorded.starts]
        assert all(a > b for a, b in itertools.pairwise(left))
        seen.add((run.stop_reason, run.restarts > 0))
    assert seen >= {(reason, again) for reason in ("target", "budget") for again in (False, True)}
    assert ("stagnation", True) in seen


def test_weights_and_threshold_of_zero_fire_everywhere():
    grid = Grid(2, 1, 12)
    genome = Space(grid, "cartesian").genomes(np.zeros((1, 3)))[0]
    assert Network(grid, genome).predict([[0.6, 0.8], [-0.6, -0.8], [0.0, 0.0]]).all()
