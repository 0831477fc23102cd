"""Online fitness: the law of a plain implementation, the limit of many points, reproducibility."""

import math
import random

import numpy as np
import pytest
from samples import OUTPUTS
from scipy import stats

from hyperna.fitness import FiniteSet, Online
from hyperna.network.grid import Grid
from hyperna.network.networks import Network
from hyperna.problems import problem
from hyperna.run.algorithm import OnePlusOneNA
from hyperna.theory import expected_runtime


def plain_runtime(rng, subject, resolution, samples, again, budget):
    """Evaluations of the online (1+1) NA with one neuron, bias and harmonic steps at D = 2.

    The algorithm of SPEC sections 4 and 5 in plain lines, points and all.
    """
    r = resolution
    lengths = np.arange(1, r + 1)
    chances = (1 / lengths) / (1 / lengths).sum()
    (target,) = subject.optima(1)
    goal = np.array([target[0, 0] * r, (target[0, 1] + 1) / 2 * r])

    def hits(genome, points, labels):
        a, b = 2 * math.pi * genome[0] / r, 2 * genome[1] / r - 1
        return int(((points @ [math.cos(a), math.sin(a)] >= b) == labels).sum())

    def draw():
        psi = rng.random(samples) * 2 * math.pi
        points = np.column_stack([np.cos(psi), np.sin(psi)])
        return points, subject.label(points)

    def found(genome):
        gap = np.abs(genome - goal)
        return (np.minimum(gap, np.array([r, r + 1]) - gap) < 1).all()

    x = np.array([rng.integers(r), rng.integers(r + 1)])
    stored = hits(x, *draw())
    for evaluations in range(1, budget):
        if found(x):
            return evaluations
        y = x.copy()
        for c, modulus in enumerate([r, r + 1]):
            if rng.random() < 0.5:
                step = rng.choice(lengths, p=chances)
                y[c] = (y[c] + (step if rng.random() < 0.5 else -step)) % modulus
        points = draw()
        theirs = hits(y, *points)
        if theirs >= (hits(x, *points) if again else stored):
            x, stored = y, theirs
    return budget


@pytest.mark.slow
@pytest.mark.parametrize("again", [True, False])
def test_the_law_of_the_runtime_is_that_of_a_plain_implementation(again):
    subject, r, samples, budget = problem("quarter"), 12, 8, 200
    rng = np.random.default_rng(7)
    plain = [plain_runtime(rng, subject, r, samples, again, budget) for _ in range(150)]
    na = OnePlusOneNA(resolution=r)
    online = Online(subject, samples=samples, reevaluate=again)
    runs = na.run_many(online, runs=2000, seed=3, budget=budget)
    assert stats.ks_2samp(plain, runs.evaluations).pvalue > 1e-4


@pytest.mark.slow
def test_without_ties_many_points_give_the_runtime_of_the_exact_fitness():
    """Half circles one step apart: a point in the lune between them is enough to tell them apart.

    Networks of equal fitness are kept or not by chance, however many points there are, so that
    plateaus and mirror images are another matter.
    """
    exact = expected_runtime(problem("half"), 16, "local", bias=False)
    na = OnePlusOneNA(resolution=16, mutation="local", bias=False)
    runs = na.run_many(Online(problem("half"), samples=100), runs=1000, seed=1)
    assert runs.success.all()
    error = exact.standard_deviation / math.sqrt(len(runs))
    assert abs(runs.evaluations.mean() - exact.mean) < 4.5 * error


def test_the_true_fitness_is_reported():
    online = Online(problem("quarter"), samples=5)
    na = OnePlusOneNA(resolution=4000)  # too fine for an optimum in so few evaluations
    result = na.run(online, seed=2, budget=500, trajectory=True)
    path = result.trajectory
    exact = [online(Network(path.grid, genome)) for genome in path.genomes]
    assert path.fitness.tolist() == exact
    assert (np.diff(path.fitness) < 0).any()  # five points are often wrong
    best = int(np.argmax(path.fitness))
    assert best < len(path) - 1
    assert result.fitness == online(result.network) == path.fitness[best]
    assert result.network == path.network(best)


@pytest.mark.parametrize("restarts", [0, 3])
def test_the_best_network_so_far_counts_and_a_start_lasts_from_its_last_best(restarts):
    """Though the parent may be worse: what is returned, `improvements`, and `stagnation`."""
    online = Online(problem("quarter"), samples=5)
    na = OnePlusOneNA(resolution=1200)
    limits = {"stagnation": 100, "restarts": restarts, "target": False, "budget": 10**6}
    runs = na.run_many(online, runs=20, seed=3, **limits)
    for number in range(20):
        result = runs.replay(number, trajectory=True)
        path, rises = result.trajectory, result.improvements
        best = int(np.argmax(path.fitness))
        assert result.fitness == path.fitness[best] == runs.fitness[number]
        assert result.network == path.network(best)
        record = np.maximum.accumulate(path.fitness)
        new = np.flatnonzero(np.diff(record, prepend=-1.0) > 0)
        assert rises.evaluations.tolist() == path.evaluations[new].tolist()
        assert rises.fitness.tolist() == record[new].tolist()
        if restarts == 0:
            assert result.evaluations == path.evaluations[best] + 100


def test_stopping_and_watching_show_the_best_network_so_far():
    online = Online(problem("quarter"), samples=5)
    na = OnePlusOneNA(resolution=1200)
    shown = []
    na.run(online, seed=1, budget=2000, target=False, every=7, stop=lambda r: shown.append(r))
    assert (np.diff([one.fitness for one in shown]) >= 0).all()
    for one in shown[::20]:
        assert one.fitness == online(one.network)


@pytest.mark.slow
def test_pieces_and_workers_do_not_matter():
    online = Online(problem("quarter", dim=3), samples=20, reevaluate=False)
    na = OnePlusOneNA(resolution=60)
    task = na.task(online, budget=300, target=False)
    whole = task.run(5)
    from hyperna.run.simulation import Simulation

    search = Simulation(task, 5)
    while not search.advance(7):
        pass
    assert search.result().network == whole.network
    runs = [
        na.run_many(online, runs=20, seed=5, budget=300, target=False, n_jobs=jobs)
        for jobs in (1, 2)
    ]
    assert (runs[0].rows == runs[1].rows).all()
    assert runs[0].replay(0).network == whole.network


@pytest.mark.slow
@pytest.mark.parametrize("neuron", ["plain", "bent"])
@pytest.mark.parametrize("output", OUTPUTS)
def test_points_are_drawn_from_finite_sets(output, neuron):
    """With one point a step on four corners only networks right on it are kept."""
    corners = problem("cube", dim=2)
    na = OnePlusOneNA(neurons=2, output=output, neuron=neuron, resolution=24)
    runs = na.run_many(Online(corners, samples=200), runs=50, seed=1, budget=20_000, target=1.0)
    assert runs.success.mean() > 0.8


def test_weights_are_the_chances_of_points():
    """Without a bias a network is right on one of two opposite positive points.

    With one point a step it changes sides if the point drawn is on the other side, and mutation
    is symmetric: in the long run the shares of time on the two sides are as the weights.
    """
    from hyperna.problems import points

    subject = points([[1.0, 0.0], [-1.0, 0.0]], [1, 1], weight=[9.0, 1.0])
    na = OnePlusOneNA(resolution=26, bias=False)  # no neuron is orthogonal to the points
    online = Online(subject, samples=1)
    heavy = 0
    for number in range(1000):
        run = na.run(online, seed=1, number=number, budget=200, target=False, trajectory=True)
        heavy += run.trajectory.fitness[-1] > 0.5
    assert stats.binomtest(int(heavy), 1000, 0.9).pvalue > 1e-4
    assert isinstance(online.true_fitness(Grid(2, 1, 26)), FiniteSet)


def test_refusals():
    with pytest.raises(ValueError, match="samples must be an integer"):
        Online(problem("half"), samples=0)
    with pytest.raises(TypeError, match="reevaluate must be True or False"):
        Online(problem("half"), reevaluate="yes")
    with pytest.raises(TypeError, match="problem must be"):
        Online("half")


def judged_once(right, start, probability, samples, budget, rng):
    """One angle with uniform steps whose parents keep the hits by which they were accepted."""
    r = len(right)

    def hits(angle):
        return sum(rng.random() < right[angle] for _ in range(samples))

    angle = start
    kept = hits(angle)
    for _ in range(budget - 1):
        offspring = angle
        if rng.random() < probability:
            offspring = (angle + rng.choice((-1, 1)) * rng.randint(1, r)) % r
        found = hits(offspring)
        if found >= kept:
            angle, kept = offspring, found
    return angle


def test_a_parent_that_is_judged_once_keeps_its_best_hits_through_void_steps():
    """Copies of a parent replace it if they are as lucky; the next one has to be so too."""
    r, samples, budget, runs = 8, 4, 60, 1500
    right = [1 - min((a - 2) % r, (2 - a) % r) / 4 for a in range(r)]
    rng = random.Random(1)
    plain = [judged_once(right, 5, 0.2, samples, budget, rng) for _ in range(runs)]
    na = OnePlusOneNA(resolution=r, mutation="uniform", bias=False, mutation_probability=0.2)
    fitness = Online(problem("half"), samples, reevaluate=False)
    start = Network(Grid(2, 1, r), [5, r // 2])
    found = []
    for seed in range(runs):
        run = na.run(fitness, start=start, budget=budget, target=False, seed=seed, trajectory=True)
        found.append(int(run.trajectory.genomes[-1, 0]))
    table = np.array([np.bincount(some, minlength=r) for some in (plain, found)])
    table = table[:, table.sum(axis=0) > 20]
    assert stats.chi2_contingency(table).pvalue > 1e-4
