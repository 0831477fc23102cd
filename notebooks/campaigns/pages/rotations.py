"""Rotations compared with changes of an angle."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import numpy as np
import pandas as pd

from hyperna import FiniteSet, OnePlusOneNA
from hyperna.datasets.generators import half_spaces
from hyperna.experiments.store import Store

from .claims import higher, quicker, sentence
from .rotation_trials import section
from .writing import LEGEND, mean, running_time, solved, table

TITLES = {
    "half": "HALF, N = 1, exact fitness",
    "quarter": "QUARTER, N = 2, AND",
    "two_quarters": "TWOQUARTERS, N = 2, XOR",
    "local_opt": "LOCALOPT, N = 3, XOR",
    "cube": "Cube corners by parity, N = D, XOR",
}
NAMES = "rotations", "angles", "D"
NOISY_DIMS = (4, 8, 16, 32, 64)
NOISY_RUNS, NOISY_BUDGET = 20, 5000


def noisy_fitness(dim: int) -> dict[str, np.ndarray]:
    """Best fitness of runs on 500 points in three half-spaces, one label in ten flipped."""
    X, y = half_spaces(dim, k=3, n=500, noise=0.1)
    points = FiniteSet(X / np.linalg.norm(X, axis=1).max(), y)
    found = {}
    for move in ("angle", "rotation"):
        na = OnePlusOneNA(neurons=3, init="sphere", move=move)
        runs = na.run_many(points, NOISY_RUNS, budget=NOISY_BUDGET, target=False, seed=dim)
        found[move] = runs.fitness
    return found


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page."""
    runs = runs.assign(move=runs.move.astype(object).fillna("angle"))
    parts, says = [], []
    for name, title in TITLES.items():
        rows, pairs = [], {}
        for dim, part in runs[runs.problem == name].groupby("dim"):
            angle, turn = (part[part.move == move] for move in ("angle", "rotation"))
            pairs[int(dim)] = turn, angle
            cells = [cell(one) for cell in (solved, running_time) for one in (angle, turn)]
            rows.append([str(dim), *cells, mean(angle.fitness), mean(turn.fitness)])
        header = [
            "D",
            "successes, angles",
            "rotations",
            "ERT, angles",
            "rotations",
            "fitness, angles",
            "rotations",
        ]
        parts.append(table(title, header, rows))
        # at D = 2 both are the same
        del pairs[2]
        ends = {dim: (turn.fitness, angle.fitness) for dim, (turn, angle) in pairs.items()}
        times, fitness = quicker(*NAMES, pairs), higher(*NAMES, ends)
        says.append(f"{title.split(',')[0]}: {times}. {sentence(fitness)}")
    noisy = {dim: noisy_fitness(dim) for dim in NOISY_DIMS}
    rows = [[str(dim), mean(one["angle"]), mean(one["rotation"])] for dim, one in noisy.items()]
    parts.append(table("Noisy half-spaces, N = 3, OR: fitness", ["D", "angles", "rotations"], rows))
    ends = {dim: (one["rotation"], one["angle"]) for dim, one in noisy.items()}
    says.append(f"Noisy half-spaces: {higher(*NAMES, ends)}.")
    listed = "\n".join(f"- {text}" for text in says)
    return f"""# Rotations compared with changes of an angle

A mutated direction changes one of its D - 1 angles, as in the paper, or turns in the plane of two random
coordinates. The later an angle, the less its change turns the normal, because the weights from it on are
products of sines; a rotation treats all coordinates alike. The labels of the four problems depend on the last two
coordinates only, which suits angles where the best normal is an axis: then every angle can be set independently. The
normals of the noisy half-spaces are random. r = 120, harmonic steps, normals uniform on the sphere at the start, 100 runs per cell, at
most 5,000 evaluations (cubes too). Success is a fitness of 0.9 (cubes: 1), exact for one neuron, on 1,024 points of the
sphere for more. Noisy half-spaces: 500 normal points in D dimensions, positive in any of three half-spaces, one label
in ten flipped; the fitness after {NOISY_BUDGET:,} evaluations, {NOISY_RUNS} runs per cell. {LEGEND}

{chr(10).join(parts)}
## What it says

Times until success, failed runs counted as infinite, and the final fitness, by Mann-Whitney's test with Holm's
correction for the dimensions of a problem:

{listed}

{section()}"""
