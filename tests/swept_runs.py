"""Runs of many settings, interpreted: what the same seed gave when they were stored.

    NUMBA_DISABLE_JIT=1 python tests/swept_runs.py

stores them again, after a change that is meant to change runs; with the word `draw` other
settings are drawn, in which values of any two options meet. What cannot go together is left out.
"""

import hashlib
import json
import random
import signal
import sys
from itertools import combinations
from pathlib import Path

import numpy as np

from hyperna import FiniteSet, Grid, Network, Online, Sampled, fitness_of, points, problem
from hyperna.network.outputs import OUTPUTS
from hyperna.run.relatives import RELATIVES
from hyperna.run.simulation import Simulation

STORED = Path(__file__).with_name("swept_runs.json")
LONGEST = 0.05  # seconds of a setting, interpreted
LONGEST_WAITING = 0.12
LONGEST_GROWING = 0.3
PIECE = 7  # offspring at a time in the run that is made in pieces


def scattered(dim, count=21):
    """Points inside the ball and on a lattice, on whose planes grid neurons lie, with weights."""
    rng = np.random.default_rng(dim)
    X = rng.uniform(-0.7, 0.7, (count, dim)) / np.sqrt(dim)
    X[::2] = np.round(2 * X[::2]) / 2
    return X, X[:, 0] * X[:, -1] >= rng.uniform(-0.2, 0.2, count), rng.integers(1, 5, count)


FITNESS = {
    "half": lambda: fitness_of(problem("half")),
    "quarter": lambda: fitness_of(problem("quarter")),
    "two_quarters": lambda: fitness_of(problem("two_quarters")),
    "local_opt": lambda: fitness_of(problem("local_opt")),
    "many arcs": lambda: fitness_of(problem("arcs:k=8")),
    "one cap": lambda: fitness_of(problem("quarter", dim=5), neurons=1),
    "areas": lambda: fitness_of(problem("two_quarters", dim=3)),
    "areas of half": lambda: fitness_of(problem("half", dim=3)),
    "sample": lambda: Sampled(problem("local_opt", dim=4), n=40),
    "line": lambda: FiniteSet(*scattered(1)),
    "plane": lambda: FiniteSet(*scattered(2)),
    "space": lambda: FiniteSet(*scattered(3)),
    "many points": lambda: FiniteSet(*scattered(6, 150)),
    "cube": lambda: fitness_of(problem("cube")),
    "online circle": lambda: Online(problem("two_quarters"), 5),
    "online circle, judged once": lambda: Online(problem("local_opt"), 4, reevaluate=False),
    "online sphere": lambda: Online(problem("quarter", dim=3), 5),
    "online points": lambda: Online(points(*scattered(3)[:2], weight=scattered(3)[2]), 6),
    "online cube": lambda: Online(problem("cube"), 5, reevaluate=False),
}
AXES = {
    "algorithm": [
        "na", "na", "na", "rls", "one_plus_lambda", "one_comma_lambda", "mu_plus_one", "annealing",
    ],
    "neurons": [1, 1, 2, 2, 3, 4, 14, "evolved"],
    "output": list(OUTPUTS),
    "move": ["angle", "rotation"],
    "neuron": ["plain", "bent"],
    "mutation": [
        "harmonic", "local", "uniform", "power_law:exponent=1.5", "pareto", "cauchy", "exponential",
        "adaptive", "adaptive:jump=0",
    ],
    "resolution": [7, 12, 12, 24, 120, 5000, 2**40],
    "option": [
        {}, {"bias": False}, {"redraw_void": True}, {"replace_neuron": 0.3}, {"init": "sphere"},
        {"mutation_probability": 0.7}, {"mutation_probability": 0.01},
    ],
    "limits": [
        {}, {"restarts": "auto"}, {"target": False}, {"stagnation": 12, "restarts": 3},
        {"target": 0.75}, {"start": True, "stagnation": 12, "restarts": 1},
        {"term_cost": 2, "target": None}, {"stagnation": 30},
    ],
    "own": [{}, {"offspring": 1}, {"offspring": 40}, {"members": 1}, {"crossover": 0.5}],
    "budget": [2, 41, 60, 60, 200, 400],
}  # fmt: skip
# Options two at a time.
PAIRED = {
    **AXES,
    "option": [
        {**one, **other}
        for one, other in combinations(AXES["option"][1:], 2)
        if one.keys() != other.keys()
    ],
}
# Networks that reach their largest size, and step lengths that come and go with neurons.
GROWING = {
    **AXES,
    "algorithm": ["na", "na", "rls"],
    "neurons": ["evolved"],
    "mutation": [
        "harmonic", "local", "uniform", "pareto", "adaptive", "adaptive:jump=0",
        "adaptive:growth=1000,decay=0.95,jump=0",
    ],
    "resolution": [6, 12, 24, 120, 2**40],
    "own": [{"max_neurons": 2}, {"max_neurons": 3}, {"max_neurons": 5}],
    "limits": [
        {}, {"target": False}, {"target": False, "stagnation": 40, "restarts": 3},
        {"start": True, "stagnation": 30, "restarts": 1}, {"restarts": "auto", "target": False},
    ],
    "budget": [200, 400, 900],
}  # fmt: skip
# Local steps that reach peaks and plateaus, where waits are drawn and runs are stuck.
WAITING = {
    **AXES,
    "algorithm": ["na"],
    "neurons": [1, 1, 2],
    "move": ["angle"],
    "mutation": ["local"],
    "resolution": [4, 5, 8, 12],
    "option": [
        {}, {}, {"bias": False}, {"redraw_void": True}, {"mutation_probability": 0.7},
        {"mutation_probability": 0.1, "redraw_void": True}, {"bias": False, "redraw_void": True},
    ],
    "limits": [
        {}, {"restarts": "auto"}, {"target": False}, {"target": False, "stagnation": 150},
        {"stagnation": 150, "restarts": 3}, {"target": False, "restarts": 2},
        {"start": True, "target": False, "restarts": 1}, {"target": 0.9, "stagnation": 90},
    ],
    "own": [{}],
    "budget": [300, 700, 1500],
}  # fmt: skip


def task_of(name, setting):
    """Everything that defines the run; ValueError and TypeError if it is refused."""
    apart = ("algorithm", "limits", "budget", "option", "own")
    options = {key: value for key, value in setting.items() if key not in apart}
    na = RELATIVES[setting["algorithm"]](**options, **setting["option"], **setting["own"])
    fitness, limits = FITNESS[name](), dict(setting["limits"])
    if limits.pop("start", False):
        fine = na.task(fitness, budget=50).grid
        neurons = 2 if options["neurons"] == "evolved" else options["neurons"]
        grid = Grid(fine.dim, neurons, fine.resolution, fine.output, fine.neuron)
        limits["start"] = Network(grid, grid.random(np.random.default_rng(5)))
    task = na.task(fitness, budget=setting["budget"], **limits)
    task.mutation, task.compiled_fitness  # noqa: B018  refuse what the kernels do not know
    return task


def digest(parts):
    """A few letters for numbers; the last bits on the finest grid are a matter of rounding."""
    text = json.dumps([np.asarray(part).tolist() for part in parts])
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def coarse(genomes, resolution):
    genomes = np.asarray(genomes)
    return (genomes + 2**15) >> 16 if resolution > 2**30 else genomes


def results(task):
    """Rows of three runs, and a digest of the way of a run that is made in pieces."""
    rows = task.run_block(5, 0, 3)
    if task.columns[-1] == "terms":
        found = task.run(5, 3)
        return [rows.tolist(), digest([found.evaluations, found.terms, found.fitness])]
    search = Simulation(task, 5, 3, trajectory=True)
    while not search.advance(PIECE):
        pass
    found = search.result()
    way = found.trajectory
    fine = task.grid.resolution
    seen = (
        way.evaluations,
        np.rint(way.fitness * task.units),
        coarse(way.genomes, fine),
        coarse(found.network.genome, fine),
        found.improvements.evaluations,
    )
    return [rows.tolist(), found.evaluations, found.stop_reason, digest(seen)]


def drawn_settings(name, count, axes, longest):
    """Settings of which each has many pairs of values that none before has, and their results.

    Those that take long are left out.
    """
    rng = random.Random(name)
    tried, chosen = set(), []

    def pairs(setting):
        return {
            (a, b, json.dumps([setting[a], setting[b]])) for a, b in combinations(sorted(axes), 2)
        }

    for _ in range(4 * count):
        drawn = [{key: rng.choice(values) for key, values in axes.items()} for _ in range(10)]
        setting = max(drawn, key=lambda one: len(pairs(one) - tried))
        # what most often cannot go with the rest
        for plainer in ({}, {"own": {}}, {"algorithm": "na", "own": {}}, {"neurons": 1}):
            setting = {**setting, **plainer}
            try:
                task = task_of(name, setting)
            except (TypeError, ValueError):
                continue
            signal.setitimer(signal.ITIMER_VIRTUAL, longest)
            try:
                chosen.append([name, setting, results(task)])
                tried |= pairs(setting)
            except TimeoutError:
                pass
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            break
        if len(chosen) == count:
            break
    return chosen


def too_long(*_):
    raise TimeoutError


def main(count=50, paired=6, waiting=5, growing=5):
    if sys.argv[1:] == ["draw"]:
        signal.signal(signal.SIGVTALRM, too_long)
        found = [line for name in FITNESS for line in drawn_settings(name, count, AXES, LONGEST)]
        for name, make in FITNESS.items():
            found += drawn_settings(name, paired, PAIRED, LONGEST)
            if make().repeatable:
                found += drawn_settings(name, waiting, WAITING, LONGEST_WAITING)
            if make().resizable:
                found += drawn_settings(name, growing, GROWING, LONGEST_GROWING)
    else:
        stored = json.loads(STORED.read_text(encoding="utf-8"))
        found = [[name, one, results(task_of(name, one))] for name, one, _ in stored]
    lines = ",\n".join(map(json.dumps, found))
    STORED.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
