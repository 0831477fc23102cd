"""Rotations beside changes of an angle."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import numpy as np
import pandas as pd
from scipy import stats

from hyperna import FiniteSet, OnePlusOneNA
from hyperna.datasets.generators import half_spaces
from hyperna.store.store import Store

from .claims import LEVEL, quicker, sentence
from .writing import LEGEND, mean, p_text, running_time, solved, table

TITLES = {
    "half": "HALF, N = 1, exact fitness",
    "quarter": "QUARTER, N = 2, AND",
    "two_quarters": "TWOQUARTERS, N = 2, XOR",
    "local_opt": "LOCALOPT, N = 3, XOR",
    "cube": "Cube corners by parity, N = D, XOR",
}
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


def noisy_claim(found: dict[int, dict[str, np.ndarray]]) -> str:
    """Say where rotations reach more than angles, by Mann-Whitney's test."""
    better = [
        (dim, test.pvalue)
        for dim, parts in found.items()
        for test in [stats.mannwhitneyu(parts["rotation"], parts["angle"], alternative="greater")]
        if test.pvalue < LEVEL / len(found)
    ]
    if not better:
        return "on noisy half-spaces rotations reach no higher fitness than angles at any D (Mann-Whitney, Bonferroni)"
    listed = ", ".join(f"{dim} (p {p_text(p)})" for dim, p in better)
    return f"on noisy half-spaces rotations reach a higher fitness than angles at D = {listed}"


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
            "solved, angles",
            "rotations",
            "ERT, angles",
            "rotations",
            "fitness, angles",
            "rotations",
        ]
        parts.append(table(title, header, rows))
        # at D = 2 both are the same
        says.append(
            sentence(
                f"{title.split(',')[0]}: {quicker('rotations', 'angles', 'D', {d: p for d, p in pairs.items() if d > 2})}"
            )
        )
    noisy = {dim: noisy_fitness(dim) for dim in NOISY_DIMS}
    rows = [[str(dim), mean(one["angle"]), mean(one["rotation"])] for dim, one in noisy.items()]
    parts.append(table("Noisy half-spaces, N = 3, OR: fitness", ["D", "angles", "rotations"], rows))
    listed = "\n".join(f"- {text}" for text in [*says, sentence(noisy_claim(noisy))])
    return f"""# Rotations beside changes of an angle

A mutated direction changes one of its D - 1 angles, as in the paper, or turns in the plane of two random
coordinates. A change of an angle turns the normal the less the later the angle, because the weights from it on are
products of sines; a rotation treats all coordinates alike. The four problems depend on the last two coordinates,
the hardest ones for angles. r = 120, harmonic steps, normals uniform on the sphere at the start, 100 runs a cell, at
most 5,000 evaluations (cubes too). Success is a fitness of 0.9 (cubes: 1), exact for one neuron, on 1,024 points of the
sphere for more. Noisy half-spaces: 500 normal points in D dimensions, positive in any of three half-spaces, one label
in ten flipped; the fitness after {NOISY_BUDGET:,} evaluations, {NOISY_RUNS} runs a cell. {LEGEND}

{chr(10).join(parts)}
## What it says

Times until success, failed runs counted as infinite, by Mann-Whitney's test with Holm's correction for the dimensions
of a problem:

{listed}
"""
