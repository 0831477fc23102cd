"""Relatives of the (1+1) NA: the compiled runs have the law of plain Python's.

Small samples of the plain versions here; 10,000 runs of each are compared by
``benchmarks/algorithms.py``.
"""

import math
import pickle

import numpy as np
import pytest
import reference
import reference_algorithms as plain
from scipy.stats import ks_2samp

from hyperna import Adaptive, Grid, Network, OnePlusOneNA, fitness_of, problem
from hyperna._kernels import loop, state
from hyperna._kernels.jit import kernel
from hyperna.experiments.algorithms import relative
from hyperna.experiments.setting import setting
from hyperna.run.many import run_many
from hyperna.run.relatives import (
    RELATIVES,
    AnnealingNA,
    MuPlusOneNA,
    OneCommaLambdaNA,
    OnePlusLambdaNA,
    RandomisedLocalSearchNA,
)
from hyperna.run.simulation import Simulation

R, BUDGET = 24, 3000
HARMONIC = reference.harmonic_law(R)
PROBLEMS = {
    1: (problem("quarter"), plain.circle(reference.QUARTER, reference.QUARTER_OPTIMA, 1, R)),
    2: (
        problem("two_quarters"),
        plain.circle(reference.TWO_QUARTERS, reference.TWO_QUARTERS_OPTIMA, 2, R),
    ),
}


def each(task, rng):
    return plain.each_component(task, HARMONIC, rng)


CASES = {
    "one_plus_lambda": (
        OnePlusLambdaNA(neurons=2, resolution=R, offspring=5),
        lambda task, rng: plain.one_parent(task, each(task, rng), rng, BUDGET, 5),
    ),
    "one_comma_lambda": (
        OneCommaLambdaNA(neurons=2, resolution=R, offspring=5),
        lambda task, rng: plain.one_parent(task, each(task, rng), rng, BUDGET, 5, comma=True),
    ),
    "mu_plus_one": (
        MuPlusOneNA(neurons=2, resolution=R, members=4),
        lambda task, rng: plain.steady_state(task, each(task, rng), rng, BUDGET, 4),
    ),
    "crossover": (
        MuPlusOneNA(neurons=2, resolution=R, members=4, crossover=0.5),
        lambda task, rng: plain.steady_state(task, each(task, rng), rng, BUDGET, 4, 0.5),
    ),
    "annealing": (
        AnnealingNA(neurons=2, resolution=R, temperature=0.05, cooling=0.999),
        lambda task, rng: plain.annealing(task, each(task, rng), rng, BUDGET, 0.05, 0.999),
    ),
    "rls": (
        RandomisedLocalSearchNA(neurons=1, resolution=R),
        lambda task, rng: plain.one_parent(
            task, plain.one_component(task, HARMONIC, rng), rng, BUDGET
        ),
    ),
    "adaptive": (
        OnePlusOneNA(neurons=1, resolution=R, mutation=Adaptive()),
        lambda task, rng: plain.adaptive(task, rng, BUDGET, 2.0, 0.7, 0.25, HARMONIC),
    ),
    "replacement": (
        OnePlusOneNA(
            neurons=2, resolution=R, mutation="adaptive", replace_neuron=0.2, redraw_void=True
        ),
        lambda task, rng: plain.adaptive(
            task, rng, BUDGET, 2.0, 0.7, 0.25, HARMONIC, replace=0.2, redraw=True
        ),
    ),
    "replacement in harmonic steps": (
        OnePlusOneNA(neurons=2, resolution=R, replace_neuron=0.3),
        lambda task, rng: plain.adaptive(task, rng, BUDGET, 2.0, 0.7, 1.0, HARMONIC, replace=0.3),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_runtimes_have_the_law_of_the_plain_version(name):
    """Two-sample Kolmogorov-Smirnov; all p-values above 1/1000 under this fixed seed."""
    algorithm, run = CASES[name]
    task, slow = PROBLEMS[algorithm.neurons]
    fast = algorithm.run_many(task, 5000, budget=BUDGET, seed=1).evaluations
    sample = plain.runtimes(lambda rng: run(slow, rng), 120, name)
    found = [BUDGET if value is None else value for value in sample]
    assert ks_2samp(np.minimum(fast, BUDGET), found).pvalue > 1e-3


@pytest.mark.parametrize("algorithm", [OnePlusLambdaNA(offspring=1), MuPlusOneNA(members=1)])
def test_one_parent_and_one_offspring_are_the_one_plus_one_na(algorithm):
    usual = OnePlusOneNA().run_many(problem("local_opt"), 20_000, seed=1).evaluations
    found = algorithm.run_many(problem("local_opt"), 20_000, seed=2).evaluations
    assert ks_2samp(usual, found).pvalue > 1e-3
    frozen = AnnealingNA(temperature=0).run_many(problem("local_opt"), 20_000, seed=3).evaluations
    assert ks_2samp(usual, frozen).pvalue > 1e-3


EVERY = [RELATIVES[name](neurons=2) for name in RELATIVES if name != "na"]


@pytest.mark.parametrize("algorithm", EVERY, ids=lambda entry: entry.name)
def test_runs_depend_on_seed_and_number_only(algorithm):
    task = algorithm.task(problem("two_quarters"), budget=2000, stagnation=300, restarts=2)
    rows = run_many(task, 40, seed=3, n_jobs=1).rows
    assert (run_many(task, 40, seed=3, n_jobs=2).rows == rows).all()
    again = pickle.loads(pickle.dumps(task))
    assert (again.run_block(3, 5, 9) == rows[5:9]).all()
    for number in range(6):
        run = task.run(3, number, trajectory=True)
        assert (run.evaluations, run.restarts) == (rows[number, 0], rows[number, 4])
        assert run.fitness == rows[number, 1] / task.units
        assert run.fitness == task.fitness(run.network)
        assert (np.diff(run.improvements.evaluations) > 0).all()
        assert (np.diff(run.improvements.fitness) > 0).all()
        assert len(run.trajectory) > 0
        last = run.trajectory.network(len(run.trajectory) - 1)
        assert run.trajectory.fitness[-1] == task.fitness(last)


@pytest.mark.parametrize("algorithm", EVERY, ids=lambda entry: entry.name)
def test_pieces_make_no_difference(algorithm):
    task = algorithm.task(problem("two_quarters"), budget=3000)
    search = Simulation(task, 5)
    while not search.advance(7):
        assert search.result().stop_reason == "running"
    whole = task.run(5)
    assert search.result().evaluations == whole.evaluations
    assert (search.result().network.genome == whole.network.genome).all()


@pytest.mark.parametrize("algorithm", EVERY, ids=lambda entry: entry.name)
def test_a_first_network_that_is_wrong_everywhere_is_the_best_so_far(algorithm):
    """Its score is 0, and there is none before it."""
    wrong = Network(algorithm.grid(2), [90, 60, 90, 60])  # both neurons fire from 180° to 360°
    members = getattr(algorithm, "members", 1)
    task = algorithm.task(problem("half"), start=wrong, budget=members, target=False)
    at_once = Simulation(task, 1).result()
    whole = task.run(1)
    assert (at_once.evaluations, at_once.fitness) == (1, 0.0)
    assert at_once.network == wrong
    assert (whole.network == wrong) == (members == 1)
    assert whole.fitness == task.fitness(whole.network)
    for result in (at_once, whole):
        improvements = result.improvements
        assert (improvements.evaluations[0], improvements.fitness[0]) == (1, 0.0)
    assert repr(at_once.improvements) == "Improvements(1 value, fitness 0.000000 to 0.000000)"


@pytest.mark.slow
def test_every_relative_runs_on_points_and_with_an_evolved_output():
    for name, entry in RELATIVES.items():
        runs = entry(neurons=3, output="evolved").run_many(
            problem("cube", dim=3), 20, budget=5000, seed=1
        )
        assert runs.success.any(), name
        circle = entry(neurons=2, output="evolved", resolution=24)
        assert circle.run_many(problem("two_quarters"), 50, budget=20_000, seed=1).success.any()


def test_a_start_is_not_given_up_before_its_members_are_drawn():
    algorithm = MuPlusOneNA(members=10, resolution=24)
    with pytest.raises(ValueError, match="stagnation must be at least 10"):
        algorithm.run("quarter", seed=1, stagnation=9)
    limits = {"stagnation": 10, "restarts": 3, "budget": 100, "target": False}
    result = algorithm.run("quarter", seed=1, **limits, trajectory=True)
    evaluations = result.trajectory.evaluations.tolist()
    assert evaluations == sorted(evaluations)
    assert evaluations[-1] <= result.evaluations <= 100


@pytest.mark.parametrize(
    ("algorithm", "least"),
    [
        (MuPlusOneNA(members=100, resolution=4), 100),
        (OnePlusLambdaNA(offspring=300, resolution=4), 301),
    ],
)
def test_automatic_restarts_wait_for_all_members_and_offspring(algorithm, least):
    """Four times two components times log2 of 4 is 16, which is too soon for either."""
    options = {"restarts": "auto", "target": False, "seed": 0, "trajectory": True}
    assert algorithm.run("quarter", budget=least, **options).restarts == 0
    long = algorithm.run("quarter", budget=3000, **options)
    evaluations = long.trajectory.evaluations.tolist()
    assert evaluations == sorted(evaluations)
    assert 0 < long.restarts * (least - 1) <= 3000


def test_a_plus_strategy_never_loses_fitness_and_a_comma_strategy_does():
    task = problem("two_quarters")
    plus = OnePlusLambdaNA(neurons=2).run(task, seed=1, trajectory=True).trajectory.fitness
    comma = (
        OneCommaLambdaNA(neurons=2, offspring=2)
        .run(task, seed=1, trajectory=True)
        .trajectory.fitness
    )
    assert (np.diff(plus) >= 0).all()
    assert (np.diff(comma) < 0).any()


# ---- restarts without a number


def luby(k):
    """Luby, Sinclair and Zuckerman (1993), as they define it."""
    size = (k + 1).bit_length() - 1
    return 2 ** (size - 1) if k == 2**size - 1 else luby(k - 2**size + 1)


@kernel
def horizon(limits, counter):
    return loop.horizon(limits, counter)


def test_automatic_restarts_follow_the_sequence_of_luby():
    task = OnePlusOneNA().task(problem("half"), stagnation=5, restarts="auto", budget=10**9)
    counter = np.zeros(state.N_COUNTERS, np.int64)
    for start in range(1, 300):
        counter[state.RESTARTS], counter[state.EVALUATIONS] = start - 1, 1000 * start
        assert horizon(task.limits, counter) == 1000 * start + 5 * luby(start)


def test_automatic_restarts_solve_what_single_starts_do_not():
    na = OnePlusOneNA(neurons=2, resolution=120, mutation="adaptive", redraw_void=True)
    task = problem("two_quarters")
    assert na.run_many(task, 300, budget=10**6, seed=1, stagnation=500).success.mean() < 0.9
    runs = na.run_many(task, 300, budget=10**6, seed=1, restarts="auto")
    assert runs.success.all()
    assert runs.restarts.max() > 3
    assert na.task(task, restarts="auto").limits.stagnation == 4 * 4 * math.ceil(math.log2(120))


# ---- adaptive steps


@pytest.mark.parametrize(("name", "most"), [("half", 600), ("quarter", 1300), ("local_opt", 1300)])
def test_adaptive_steps_lose_no_run_and_grow_with_the_bits(name, most):
    """At r = 2**40; harmonic steps need about 3,400."""
    na = OnePlusOneNA(resolution=2**40, mutation="adaptive", bias=name != "half")
    runs = na.run_many(problem(name), 300, budget=10**6, seed=1)
    assert runs.success.all()
    assert np.median(runs.evaluations) < most


# ---- scores of many genomes


@pytest.mark.parametrize("n", [0, 1, 2, 1001])
def test_threads_score_what_one_does(n):
    fitness, grid = fitness_of(problem("two_quarters")), Grid(2, 2, 120)
    genomes = np.random.default_rng(1).integers(0, 120, (n, 4))
    alone = fitness.scores(genomes, grid)
    assert (fitness.scores(genomes, grid, n_jobs=3) == alone).all()
    assert alone.tolist() == [fitness.score(Network(grid, genome)) for genome in genomes[:20]] + (
        alone[20:].tolist()
    )
    with pytest.raises(ValueError, match="n_jobs must not be 0"):
        fitness.scores(genomes, grid, n_jobs=0)
    with pytest.raises(ValueError, match="n_jobs must be an integer from"):
        fitness.scores(genomes, grid, n_jobs=10**5)


# ---- own stopping rules


def test_a_stopping_rule_of_your_own_ends_the_run():
    seen = []

    def rule(so_far):
        seen.append(so_far.evaluations)
        return so_far.fitness > 0.9

    na = OnePlusOneNA(resolution=2**10)
    run = na.run(problem("quarter"), seed=1, stop=rule, every=20)
    assert run.stop_reason == "rule"
    assert not run.success
    assert run.fitness > 0.9
    assert seen == sorted(seen)
    assert seen[0] >= 20
    with pytest.raises(TypeError, match="stop must be callable or None, got 3"):
        na.run(problem("quarter"), stop=3)


# ---- settings and wrong input


def test_settings_name_relatives_with_their_own_settings():
    made = setting(problem="half", algorithm="mu_plus_one:members=3", mutation="local")
    assert made.algorithm == "mu_plus_one:members=3,crossover=0.0"
    same = setting(problem="half", algorithm="mu_plus_one:crossover=0,members=3", mutation="local")
    assert made == same
    assert made.make_algorithm() == MuPlusOneNA(
        mutation="local", members=3, mutation_probability=0.5
    )
    rows = made.runner().run_block(made.entropy, 0, 5)
    assert (rows[2:4] == made.runner().run_block(made.entropy, 2, 4)).all()


def test_settings_of_before_keep_their_runs():
    """Keys at their defaults are no part of a setting's identity."""
    made = setting(problem="half", restarts=0, replace_neuron=0)
    assert "replace_neuron" not in made.canonical
    assert made == setting(problem="half")
    auto = setting(problem="half", restarts="auto", replace_neuron=0.1)
    assert (auto.canonical["restarts"], auto.canonical["replace_neuron"]) == ("auto", 0.1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: OnePlusLambdaNA(offspring=0), "offspring must be an integer from 1 to"),
        (lambda: MuPlusOneNA(crossover=2), "crossover must be"),
        (lambda: AnnealingNA(cooling=0), "cooling must be"),
        (lambda: OnePlusOneNA(replace_neuron=1), "replace_neuron must be"),
        (lambda: Adaptive(jump=1.5), "jump must be"),
        (
            lambda: setting(problem="half", algorithm="mu_plus_two"),
            "algorithm must be one of .* did you mean 'mu_plus_one'",
        ),
        (lambda: relative("annealing:heat=3"), "no setting 'heat'; its settings: temperature"),
        (lambda: relative("one_plus_lambda:offspring=many"), "offspring must be an integer"),
        (
            lambda: MuPlusOneNA(members=9).task(problem("half"), budget=8),
            "budget must be at least 9, the size of the population, got 8",
        ),
        (
            lambda: OnePlusLambdaNA(offspring=9).task(problem("half"), stagnation=8),
            "stagnation must be at least 9, the number of offspring, got 8",
        ),
        (
            lambda: OnePlusOneNA().task(problem("half"), restarts="often"),
            "restarts must be an integer >= 0 or 'auto', got 'often'",
        ),
    ],
)
def test_wrong_input_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_population_may_use_up_its_budget_at_once():
    na = MuPlusOneNA(members=7, resolution=24)
    assert na.run(problem("half"), budget=7, target=False, seed=0).evaluations == 7
    with pytest.raises(ValueError, match="budget must be at least 7"):
        na.run(problem("half"), budget=6)


def test_stagnation_as_long_as_a_generation_is_enough():
    """A start without an improvement then ends after its first generation."""
    for na, evaluations in (
        (OnePlusLambdaNA(offspring=9), 10),
        (OneCommaLambdaNA(offspring=9), 10),
    ):
        runs = na.run_many(problem("half"), 200, stagnation=9, target=False, seed=1)
        assert runs.evaluations.min() == evaluations
        assert (runs.evaluations % 9 == 1).all()
