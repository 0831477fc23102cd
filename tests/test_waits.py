"""Waits for the next accepted step: drawn at once, with the law of the steps that are left out."""

import itertools

import numpy as np
import pytest
import reference

from hyperna import FiniteSet, Grid, Network, OnePlusOneNA, problem
from hyperna._kernels import state, waiting

RESOLUTION = 8
RUNS = 500


def rugged_points(neurons=1):
    """Labels at random, so that there are peaks which two components must leave together."""
    rng = np.random.default_rng({1: 0, 2: 3}[neurons])
    return rng.uniform(-0.7, 0.7, (12, 2)), rng.random(12) < 0.5


def acceptance(fitness, moduli, genome, free, probability):
    """Chances of void steps and of steps to each genome that is not worse, by definition."""
    chances = {}
    void = 0.0
    for moves in itertools.product((0, 1, -1), repeat=len(free)):
        moved = list(genome)
        chance = 1.0
        for component, move in zip(free, moves, strict=True):
            moved[component] = (moved[component] + move) % moduli[component]
            chance *= 1 - probability if move == 0 else probability / 2
        if moved == list(genome):
            void += chance
        elif fitness(moved) >= fitness(genome):
            chances[tuple(moved)] = chances.get(tuple(moved), 0.0) + chance
    return void, chances


@pytest.mark.parametrize("redraw", [False, True])
@pytest.mark.parametrize(
    ("neurons", "bias", "probability"),
    [(1, True, 0.1), (1, True, 0.5), (1, False, 0.3), (2, False, 0.1)],
)
def test_the_next_accepted_step_comes_when_and_where_chance_says(
    neurons, bias, probability, redraw
):
    """From the network whose steps are accepted most rarely, but now and then."""
    X, y = rugged_points(neurons)
    fitness = reference.point_fitness(X.tolist(), y.tolist(), neurons, RESOLUTION)
    moduli = reference.grid_moduli(neurons, RESOLUTION)
    free = [c for c in range(2 * neurons) if bias or c % 2 == 0]
    values = [
        range(modulus) if component in free else [RESOLUTION // 2]
        for component, modulus in enumerate(moduli)
    ]
    found = []
    for genome in itertools.product(*values):
        void, chances = acceptance(fitness, moduli, genome, free, probability)
        if chances:
            found.append((sum(chances.values()), genome, void, chances))
    mass, genome, void, chances = min(found)
    chance = mass / (1 - void) if redraw else mass
    if not redraw:
        # a void step is accepted as well, and changes nothing
        chances = {**chances, genome: void}
    grid = Grid(2, neurons, RESOLUTION)
    na = OnePlusOneNA(
        neurons=neurons,
        resolution=RESOLUTION,
        mutation="local",
        bias=bias,
        redraw_void=redraw,
        mutation_probability=probability,
    )
    start = Network(grid, genome)
    waits = []
    ends = []
    for seed in range(RUNS):
        result = na.run(
            FiniteSet(X, y), start=start, target=False, budget=4000, trajectory=True, seed=seed
        )
        way = result.trajectory
        changed = np.flatnonzero((way.genomes != np.array(genome)).any(axis=1))
        if changed.size:
            waits.append(way.evaluations[changed[0]] - 1)
            ends.append(tuple(way.genomes[changed[0]].tolist()))
    assert len(waits) > 0.99 * RUNS
    mean, spread = 1 / chance, np.sqrt(1 - chance) / chance
    assert np.mean(waits) == pytest.approx(mean, abs=4.5 * spread / np.sqrt(len(waits)) + 1e-9)
    for end, part in chances.items():
        if end != genome:
            share = part / mass
            error = np.sqrt(share * (1 - share) / len(ends))
            assert ends.count(end) / len(ends) == pytest.approx(share, abs=4.5 * error + 1e-9)


def test_a_start_that_is_stuck_when_the_budget_is_spent_is_the_last_one():
    """With one evaluation more there is another start, which takes it."""
    na = OnePlusOneNA(resolution=12, mutation="local")
    tried = 0
    for seed in range(60):
        alone = na.run(problem("local_opt"), budget=10_000, target=False, seed=seed)
        if alone.stuck_at is None:
            continue
        tried += 1
        for more in (0, 1):
            budget = alone.stuck_at + more
            result = na.run(
                problem("local_opt"),
                budget=budget,
                target=False,
                restarts=3,
                trajectory=True,
                seed=seed,
            )
            assert result.restarts == more
            assert result.trajectory.evaluations.max() <= result.evaluations == budget
    assert tried > 10


def test_a_budget_ends_a_wait_right_before_the_accepted_step_or_with_it():
    na = OnePlusOneNA(resolution=60, mutation="local")
    local_opt = problem("local_opt")
    waited = 0
    for seed in range(12):
        whole = na.run(local_opt, budget=6000, target=False, trajectory=True, seed=seed).trajectory
        late = np.flatnonzero(np.diff(whole.evaluations) > 12)[-3:] + 1
        for place in late:
            waited += 1
            for kept, budget in enumerate(whole.evaluations[place] - [1, 0]):
                part = na.run(
                    local_opt, budget=int(budget), target=False, trajectory=True, seed=seed
                )
                assert part.evaluations == budget
                assert len(part.trajectory) == place + kept
                assert part.trajectory.genomes.tolist() == whole.genomes[: place + kept].tolist()
    assert waited > 10


def test_a_way_out_is_doubted_after_more_and_more_waits_at_each_score():
    """After four waits, and then four times as many; at another score it begins again."""
    doubts = getattr(waiting.doubts_a_way_out, "py_func", waiting.doubts_a_way_out)
    counter = np.zeros(state.N_COUNTERS, np.int64)

    def doubted(score, waits):
        counter[state.SCORE] = score
        return [k for k in range(1, waits + 1) if doubts(counter)]

    assert doubted(5, 70) == [4, 16, 64]
    assert doubted(6, 5) == [4]
    assert doubted(5, 20) == [4, 16]
