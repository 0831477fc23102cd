"""One neuron on spheres, without sampling."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

from itertools import pairwise

import pandas as pd

from hyperna import problem
from hyperna.experiments.store import Store

from .claims import share, trend
from .writing import LEGEND, mean, running_time, solved, table, title


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page."""
    parts = []
    for name, part in runs.groupby("problem", observed=True):
        rows = []
        for dim in sorted(part.dim.unique()):
            best = problem(name, dim=int(dim)).best_fitness(1)
            cells = [part[(part.dim == dim) & (part.init == init)] for init in ("grid", "sphere")]
            rows.append(
                [
                    f"{dim}",
                    f"{best:.6f}",
                    *(f(cell) for cell in cells for f in (solved, running_time, fitness)),
                ]
            )
        target = part.target.iloc[0]
        header = ["D", "best possible"]
        header += [
            f"{init}: {what}"
            for init in ("grid", "sphere")
            for what in ("successes", "ERT", "final fitness")
        ]
        parts.append(table(f"{name}, target {target}", header, rows))
    best = {
        name: {int(d): problem(name, dim=int(d)).best_fitness(1) for d in sorted(part.dim.unique())}
        for name, part in runs.groupby("problem", observed=True)
    }
    return f"""# One neuron on spheres, D = 2 to 64, without sampling

Labels depend on the last two coordinates only. Fitness is the exact share of the sphere (to 1e-10), so it has no noise
and need not be checked on other points. N = 1, r = 120, harmonic steps of angles, 100 runs per cell, at most 5,000
evaluations; a run ends at the target. "Best possible" is the largest fitness of one neuron: known, or found by maximising
the exact fitness. A constant answer has fitness 0.5, on QUARTER 0.75, on LOCALOPT 0.583. {LEGEND}

{chr(10).join(parts)}
## What it says

- The largest fitness of one neuron: {"; ".join(f"{title(name)} {over_dimensions(values)}" for name, values in best.items())}.
{findings(runs)}
"""


def over_dimensions(best: dict[int, float]) -> str:
    """How the largest fitness changes with the dimension, to six digits."""
    dims, values = list(best), [round(value, 6) for value in best.values()]
    first = f"{values[0]:.6g} at D = {dims[0]}"
    if len(set(values)) == 1:
        return f"has {values[0]:.6g} at all D" if len(dims) > 1 else f"has {first}"
    steps = [later - earlier for earlier, later in pairwise(values)]
    ends = (
        f"from {first} over {values[1]:.6g} at D = {dims[1]} to {values[-1]:.6g} at D = {dims[-1]}"
    )
    if len(dims) == 2:
        ends = f"from {first} to {values[1]:.6g} at D = {dims[1]}"
    if max(steps) < 0:
        return f"falls with every D, {ends}"
    if min(steps) > 0:
        return f"rises with every D, {ends}"
    if max(steps) <= 0:
        return f"falls or stays the same, {ends}"
    if min(steps) >= 0:
        return f"rises or stays the same, {ends}"
    return f"goes up and down, {ends}"


def findings(runs: pd.DataFrame) -> str:
    """How often runs on HALF succeed in each dimension, by a test."""
    lines = []
    for init, start in (
        ("grid", "starts uniform on the grid"),
        ("sphere", "normals uniform on the sphere"),
    ):
        part = runs[(runs.problem == "half") & (runs.init == init) & (runs.dim >= 8)]
        groups = {int(dim): share(cell) for dim, cell in part.groupby("dim")}
        lines.append(f"from {start} {trend('D', list(groups), list(groups.values()))}")
    return f"""- HALF, {"; ".join(lines)}. The labels depend on the last two coordinates, which angle steps move least.
- On a sample of 1,024 points (page [dimensions](dimensions.md)) steps too small to change the side of any point are not seen;
  here all of them are."""


def fitness(cell: pd.DataFrame) -> str:
    """Mean final fitness."""
    return mean(cell.fitness)
