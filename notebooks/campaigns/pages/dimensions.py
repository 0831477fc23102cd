"""The four problems for D = 2..64."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

from itertools import takewhile

import numpy as np
import pandas as pd

from hyperna.analysis.statistics import wilson_interval
from hyperna.experiments.store import Store
from hyperna.fitness import Sampled

from .claims import above_constant, compared, rises, share, succeeded_in
from .writing import LEGEND, mean, running_time, table


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page."""
    kinds = [(o, i) for o in ("or", "and", "evolved") for i in ("grid", "sphere")]
    seen = fresh_fitness(store)
    parts = []
    for name in ("half", "quarter", "two_quarters", "local_opt"):
        of_problem = runs[runs.problem == name]
        here = [kind for kind in kinds if kind[0] in set(of_problem.output)]
        neurons = int(of_problem.neurons.iloc[0])
        heads = ["D", *(init if name == "half" else f"{o}, {init}" for o, init in here)]
        groups = dict(list(of_problem.groupby(["dim", "output", "init"], observed=True)))
        fresh = dict(list(seen[seen.problem == name].groupby(["dim", "output", "init"])))
        for title, write, source in (
            ("runs that reach 95 %", lambda g: f"{g.success.sum()}/{len(g)}", groups),
            ("ERT to 95 %", running_time, groups),
            ("final fitness", lambda g: mean(g.fitness), groups),
            ("best run", lambda g: f"{g.fitness.max():.3f}", groups),
            ("on fresh points", lambda g: f"{g.fresh.mean():.3f}", fresh),
        ):
            dims = sorted({key[0] for key in source})
            rows = [[str(d), *(write(source[d, o, i]) for o, i in here)] for d in dims]
            parts.append(table(f"{name}, N = {neurons}: {title}", heads, rows))
    n = int(runs.groupby("setting", observed=True).size().max())
    return f"""# The four problems for D = 2 to 64

Labels depend on the last two coordinates only; fitness is exact for one neuron and at D = 2 and 3, else it is the share
of 1,024 quasi-random points on the sphere (standard error below 0.016 for a network not chosen by them).
r = 120, harmonic steps, {n} runs per setting, at most {int(runs.budget.max()):,} evaluations; a run ends when it
reaches 95 %. HALF has one neuron and therefore no output layer. "On fresh points": mean over the first
{int(seen.groupby(["problem", "dim", "output", "init"]).size().max())} runs of each setting, repeated, of the share of 8,192 other points that is right. A
constant answer has fitness 0.5, on QUARTER 0.75, on LOCALOPT 0.583. A share of 0/{n} still allows {100 * wilson_interval(0, n).high:.0f} %, {n}/{n} as
little as {100 * wilson_interval(n, n).low:.0f} %. {LEGEND}

{chr(10).join(parts)}
## What it says

{findings(runs, seen)}
"""


def findings(runs: pd.DataFrame, seen: pd.DataFrame) -> str:
    """What the runs and their networks on fresh points say, each sentence by a test."""
    per = dict(list(runs.groupby(["problem", "dim", "output", "init"], observed=True)))
    dims = sorted(int(dim) for dim in runs.dim.unique())

    def always(init: str) -> str:
        """The largest D up to which every run on HALF succeeds."""
        up_to = list(takewhile(lambda d: per["half", d, "or", init].success.all(), dims))
        return f"up to D = {up_to[-1]}" if up_to else "at no D"

    def cells(problem: str, output: str, least: int) -> dict[str, pd.DataFrame]:
        chosen = runs[(runs.problem == problem) & (runs.output == output) & (runs.dim >= least)]
        return {f"D = {dim}": part for dim, part in chosen.groupby("dim")}

    def best(problem: str, dim: int) -> str:
        return f"{runs[(runs.problem == problem) & (runs.dim == dim)].fitness.max():.3f}"

    def fresh(problem: str) -> str:
        part = seen[(seen.problem == problem) & (seen.dim >= 16)]
        return above_constant(
            {
                f"D = {dim}": (g.fresh.to_numpy(), float(g.constant.iloc[0]))
                for dim, g in part.groupby("dim")
            }
        )

    union, both = per["quarter", 4, "or", "sphere"], per["quarter", 4, "and", "sphere"]
    sampled = seen[seen.fitness.notna()]
    gap = sampled.fitness - sampled.fresh
    by_dim = gap.groupby(sampled.dim).mean()
    first = int(by_dim.index.min())
    flattery = rises("the difference", sampled.dim.to_numpy(), gap.to_numpy())
    return f"""- On **HALF** every run succeeds {always("grid")} from the grid and {always("sphere")} from the sphere, in
  {running_time(per["half", 2, "or", "sphere"])} evaluations at D = 2 and {running_time(per["half", 8, "or", "sphere"])} at D = 8 (sphere). At D = 32
  {compared("the sphere", share(per["half", 32, "or", "sphere"]), "the grid", share(per["half", 32, "or", "grid"]))}.
- **QUARTER** is an intersection of two half-spaces. At D = 4 {compared("AND", share(both), "OR", share(union))}; AND ends at {mean(both.fitness)},
  OR at {mean(union.fitness)} (sphere). With OR, {succeeded_in(cells("quarter", "or", 3))}.
- **TWOQUARTERS** has no exact solution with two neurons once D > 2 by OR, AND or an evolved output, only by XOR
  ([outputs.md](outputs.md)); the best run of all has {best("two_quarters", 3)} at D = 3, {best("two_quarters", 4)} at D = 4 and {best("two_quarters", 8)} at D = 8.
- **LOCALOPT** with three neurons above D = 2: with OR {succeeded_in(cells("local_opt", "or", 3))}; with AND {succeeded_in(cells("local_opt", "and", 3))}; with the
  evolved output {succeeded_in(cells("local_opt", "evolved", 3))}.
- From D = 16 on the mean fitness on fresh points is, on HALF, {fresh("half")}; on QUARTER {fresh("quarter")};
  on TWOQUARTERS {fresh("two_quarters")}; on LOCALOPT {fresh("local_opt")}.
  There are two likely reasons why some problems are not learnt within this budget: each component mutates with probability only 1/M, and at large D a cap whose bias
  is not near 0 contains almost no points or almost all, so that most biases give a constant answer and a plateau.
- Fitness on the training points minus fitness on fresh points is {by_dim[first]:.3f} at D = {first}, {by_dim[16]:.3f} at D = 16 and {by_dim[64]:.3f} at D = 64
  on average; {flattery}. A network that was chosen by sampled points is judged by fresh ones."""


def fresh_fitness(store: Store, repeats: int = 3, points: int = 8192) -> pd.DataFrame:
    """Repeat the first runs of each setting above D = 2 and test their networks on other points."""
    rows = []
    for setting in store.wanted():
        if setting.dim == 2:
            continue
        task = setting.runner()
        test = Sampled(setting.make_problem(), n=points, method="random", seed=1)
        positive = float(np.mean(test.points.y))
        constant = max(positive, 1 - positive)
        for number in range(repeats):
            result = task.run(setting.entropy, number)
            key = {name: getattr(setting, name) for name in ("problem", "dim", "output", "init")}
            # only points that a network was chosen by flatter it
            fitness = result.fitness if isinstance(task.fitness, Sampled) else np.nan
            rows.append({**key, "fitness": fitness, "fresh": test(result.network)})
            rows[-1]["constant"] = constant
    return pd.DataFrame(rows)
