"""Corners where a wrong line once went unnoticed: limits, ties, best networks, digests, labels."""

from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperna import FiniteSet, Grid, Network, OnePlusOneNA, fitness_of, points, problem
from hyperna.datasets import load
from hyperna.fitness import Sampled
from hyperna.problems import Problem, points_digest
from hyperna.results import Runs, run_many
from hyperna.settings import setting

SEEDS = st.integers(0, 2**32)


# Limits.


@pytest.mark.slow
@given(
    st.sampled_from(["half", "quarter", "two_quarters", "local_opt", "cube"]),
    st.sampled_from(["harmonic", "local", "uniform", "pareto"]),
    st.integers(1, 60),
    st.integers(0, 3),
    st.sampled_from([None, 3, 20]),
    SEEDS,
)
def test_no_run_spends_more_than_its_budget(name, mutation, budget, restarts, stagnation, seed):
    na = OnePlusOneNA(neurons=2, resolution=24, mutation=mutation)
    limits = {"budget": budget, "restarts": restarts, "stagnation": stagnation}
    runs = na.run_many(problem(name), runs=3, seed=seed, **limits)
    assert runs.evaluations.max() <= budget
    one = na.run(problem(name), seed=seed, **limits)
    assert one.evaluations <= budget
    if one.stop_reason == "budget":
        assert one.evaluations == budget
    assert one.improvements.evaluations[0] == 1
    assert one.improvements.evaluations[-1] <= one.evaluations


@pytest.mark.parametrize("name", ["random_search", "cma_es", "differential_evolution"])
@pytest.mark.parametrize("budget", [1, 2, 7, 50])
def test_no_other_algorithm_spends_more_than_its_budget(name, budget):
    try:
        made = setting(problem="quarter", algorithm=name, resolution=24, budget=budget)
        rows = made.runner().run_block(made.entropy, 0, 3)
    except ImportError as missing:
        pytest.skip(str(missing))
    assert np.asarray(rows)[:, 0].max() <= budget


@given(st.integers(1, 3), st.sampled_from(["or", "and", "xor", "evolved"]), st.integers(2, 40))
def test_a_component_must_be_below_its_modulus(neurons, output, resolution):
    grid = Grid(2, neurons, resolution, output)
    zeros = np.zeros(grid.components, np.int64)
    for place, modulus in enumerate(np.asarray(grid.moduli).tolist()):
        largest = zeros.copy()
        largest[place] = modulus - 1
        assert Network(grid, largest).genome[place] == modulus - 1
        for wrong in (modulus, -1):
            genome = zeros.copy()
            genome[place] = wrong
            with pytest.raises(ValueError, match="genome"):
                Network(grid, genome)


# What counts as success where no optimum is known.


@pytest.mark.parametrize(("dim", "neurons"), [(3, 1), (3, 2), (4, 3)])
@pytest.mark.parametrize("resolution", [60, 240])
def test_the_default_target_allows_for_the_grid(dim, neurons, resolution):
    """2N/r below the best fitness at least: that is what angles one step off cost N neurons."""
    subject = problem("half", dim=dim)
    best = subject.best_fitness(neurons)
    task = OnePlusOneNA(neurons=neurons, resolution=resolution).task(subject, budget=10)
    assert task.default_target <= best - 2 * neurons / resolution + 1e-12
    assert task.default_target >= best - 2 * np.sqrt(dim) * neurons / resolution
    assert subject.rounding_loss(neurons, resolution) == pytest.approx(best - task.default_target)


def test_the_default_target_of_a_problem_of_one_s_own():
    class Own(Problem):
        name, dim, summary, default_neurons = "own", 2, "right of the axis", 1

        def label(self, X):
            return np.asarray(X)[:, 0] >= 0

        def best_fitness(self, neurons, output="or", *, bias=True, neuron="plain"):
            return 0.9

    task = OnePlusOneNA(neurons=3, resolution=60).task(Sampled(Own(), 64), budget=10)
    assert task.default_target == pytest.approx(0.9 - 2 * 3 / 60)


@pytest.mark.parametrize(
    ("options", "run", "expected"),
    [
        ({"neurons": 2, "init": "sphere"}, {}, {"sphere": True}),
        ({"neurons": 2}, {}, {"sphere": False, "probability": 0.25, "budget": 57449}),
        ({"neurons": 2, "bias": False}, {}, {"probability": 0.25}),
        ({"neurons": 2, "mutation_probability": 0.1}, {}, {"probability": 0.1}),
        ({"neurons": 2}, {"restarts": "auto"}, {"limits.stagnation": 4 * 4 * 7}),
        ({"neurons": 2, "bias": False}, {"restarts": "auto"}, {"limits.stagnation": 4 * 2 * 7}),
        ({}, {"restarts": "auto", "stagnation": 9}, {"limits.stagnation": 9}),
        ({}, {"target": 0.75}, {"criterion": "fitness >= 0.75"}),
    ],
)
def test_what_a_task_is_made_of(options, run, expected):
    task = OnePlusOneNA(resolution=120, **options).task(problem("two_quarters"), **run)
    assert {key: attrgetter(key)(task) for key in expected} == expected


def test_a_goal_that_may_be_out_of_reach_is_said_to_be():
    task = OnePlusOneNA().task(points([[0.1, 0.2], [0.3, 0.1]], [0, 1]))
    assert task.criterion == "fitness >= 1, which may be out of reach"
    assert OnePlusOneNA(neurons=4).task(problem("cube")).criterion == "fitness >= 1"


def test_a_start_must_be_on_the_grid_that_is_searched():
    grid = Grid(2, 1, 120)
    na = OnePlusOneNA(bias=False)
    with pytest.raises(ValueError, match="start must have biases 0, because bias=False"):
        na.task(problem("half"), start=Network(grid, [3, 61]))
    assert na.run(problem("half"), start=Network(grid, [3, 60]), budget=1).network.genome[0] == 3
    with pytest.raises(ValueError, match="start must be on the grid"):
        na.task(problem("half"), start=Network(Grid(2, 1, 60), [3, 30]))


# The best network.


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("subject", ["local_opt", "points"])
def test_an_unfinished_run_with_restarts_returns_the_best_network(seed, subject):
    if subject == "points":
        rng = np.random.default_rng(seed)
        fitness = fitness_of(points(rng.uniform(-0.7, 0.7, (40, 2)), rng.integers(0, 2, 40)))
    else:
        fitness = fitness_of(problem(subject))
    na = OnePlusOneNA(neurons=1, resolution=240)
    result = na.run(fitness, budget=150, stagnation=9, restarts=50, seed=seed, target=False)
    assert fitness(result.network) == pytest.approx(result.fitness)
    assert result.fitness == max(result.improvements.fitness)


def test_the_best_run_is_the_quickest_of_the_best():
    na = OnePlusOneNA(neurons=1, resolution=24)
    runs = na.run_many(problem("half"), runs=40, seed=0)
    assert (runs.fitness == runs.fitness.max()).sum() > 10
    fastest = runs.evaluations[runs.fitness == runs.fitness.max()].min()
    assert runs.evaluations[runs.best] == fastest


def test_runs_keep_their_numbers_and_the_best_is_told_by_its_own():
    rows = np.array([[5, 3, 3, 0, 0], [90, 8, 1, 0, 0], [70, 8, 1, 0, 0], [80, 8, 1, 0, 0]])
    runs = Runs(rows, 10, 0, task=object(), numbers=np.array([2, 3, 7, 9]))
    assert runs.best == 7, "a quick run with a worse network is not the best"
    assert runs[1:3].numbers.tolist() == [3, 7]
    assert runs[1:3].evaluations.tolist() == [90, 70]
    assert runs[:2].best == 3
    with pytest.raises(ValueError, match="number must be one of a stored run, got 4"):
        runs.replay(4)
    with pytest.raises(ValueError, match="number must be an integer from 0 to 9, got 10"):
        runs.replay(10)


def test_progress_of_a_batch_is_what_is_finished():
    told = []
    task = OnePlusOneNA(resolution=24).task(problem("half"))
    run_many(task, 300, seed=0, n_jobs=1, progress=lambda *state: told.append(state))
    done = [finished for finished, _ in told]
    assert {total for _, total in told} == {300}
    assert done == sorted(set(done))
    assert 1 <= done[0] < 30
    assert done[-1] == 300


# What a digest covers, and which label belongs to which row.


def test_a_digest_covers_points_labels_and_weights():
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=(6, 2)), rng.integers(0, 2, 6).astype(bool), np.arange(1.0, 7.0)
    changed = [
        (X, y, None),
        (X, y, weight),
        (X, y, weight[::-1].copy()),
        (X, ~y, weight),
        (X[::-1].copy(), y, weight),
        (X + 1e-15, y, weight),
    ]
    assert len({points_digest(*some) for some in changed}) == len(changed)


def test_a_setting_of_a_file_depends_on_its_weights(tmp_path):
    file = tmp_path / "points.csv"
    head, rows = "x,y,w,label\n", [(0.1, 0.2, 1, 0), (-0.3, 0.4, 2, 1), (0.5, -0.1, 3, 1)]
    ids = set()
    for factor in (1, 2):
        heavier = [(a, b, w * factor if b > 0.3 else w, c) for a, b, w, c in rows]
        file.write_text(head + "".join(f"{','.join(map(str, row))}\n" for row in heavier))
        ids.add(setting(problem=str(file), label="label", weight="w").id)
    assert len(ids) == 2


def test_weights_count():
    X, y = [[0.5, 0.0], [-0.5, 0.0]], [1, 0]
    network = Network(Grid(2, 1, 24), [12, 12])  # fires on the left, so both are wrong
    flipped = Network(Grid(2, 1, 24), [12, 0])  # fires everywhere, so one is right
    for weight in ([1.0, 3.0], [5.0, 1.0]):
        fitness = fitness_of(points(X, y, weight))
        assert isinstance(fitness, FiniteSet)
        assert fitness(network) == 0.0
        assert fitness(flipped) == pytest.approx(weight[0] / sum(weight))


@pytest.mark.parametrize("name", ["breast_cancer", "digits", "iris", "wine"])
def test_labels_of_scikit_learn_belong_to_their_rows(name):
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    data = load(f"sklearn:{name}")
    assert np.array_equal(data.X, bunch.data)
    assert [str(label) for label in data.y] == [
        str(bunch.target_names[target]) for target in bunch.target
    ]
    assert list(data.features) == list(map(str, bunch.feature_names))
