"""The four problems for D = 2..64."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import pandas as pd

from hyperna.analysis.statistics import wilson_interval
from hyperna.fitness import Sampled
from hyperna.store.store import Store

from .writing import LEGEND, mean, running_time, solved, table


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
            ("fitness at the end", lambda g: mean(g.fitness), groups),
            ("best run", lambda g: f"{g.fitness.max():.3f}", groups),
            ("on fresh points", lambda g: f"{g.fresh.mean():.3f}", fresh),
        ):
            dims = sorted({key[0] for key in source})
            rows = [[str(d), *(write(source[d, o, i]) for o, i in here)] for d in dims]
            parts.append(table(f"{name}, N = {neurons}: {title}", heads, rows))
    per = dict(list(runs.groupby(["problem", "dim", "output", "init"], observed=True)))

    def final(problem: str, dim: int, output: str = "or", init: str = "sphere") -> str:
        return f"{per[problem, dim, output, init].fitness.mean():.2f}"

    reach = {
        init: [d for d in sorted(runs.dim.unique()) if per["half", d, "or", init].success.all()]
        for init in ("grid", "sphere")
    }

    def best(problem: str, dim: int) -> str:
        return f"{runs[(runs.problem == problem) & (runs.dim == dim)].fitness.max():.3f}"

    few = runs[(runs.problem == "local_opt") & (runs.output == "evolved") & runs.dim.isin([3, 4])]
    late, late_runs = int(few.success.sum()), len(few)
    gap = seen.assign(gap=seen.fitness - seen.fresh).groupby("dim").gap.mean()
    fresh64 = seen[(seen.dim == 64)].groupby("problem").fresh.mean()
    n = len(per["half", 2, "or", "grid"])
    return f"""# The four problems for D = 2 to 64

Labels depend on the last two coordinates only; at D = 2 fitness is exact, above it is the share of 1,024
quasi-random points on the sphere (standard error below 0.016 for a network not chosen by them).
r = 120, harmonic steps, {n} runs a setting, at most {int(runs.budget.max()):,} evaluations; a run ends when it
reaches 95 %. HALF has one neuron, so its output layer is none. "On fresh points": mean over the first
{int(seen.groupby(["problem", "dim", "output", "init"]).size().max())} runs of each setting, repeated, of the share of 8,192 other points that is right. A
constant answer has fitness 0.5, on QUARTER 0.75, on LOCALOPT 0.583. {n} runs are few: a share of 0/{n} still allows {100 * wilson_interval(0, n).high:.0f} %, 10/10 as
little as {100 * wilson_interval(10, 10).low:.0f} %. {LEGEND}

{chr(10).join(parts)}
## What it says

- **HALF** is solved in every run up to D = {max(reach["grid"])} from the grid and up to D = {max(reach["sphere"])} from the sphere, in
  {running_time(per["half", 2, "or", "sphere"])} evaluations at D = 2 and {running_time(per["half", 8, "or", "sphere"])} at D = 8 (sphere). At D = 32 the sphere
  solves {solved(per["half", 32, "or", "sphere"])}, the grid {solved(per["half", 32, "or", "grid"])}; {n} runs do not tell the two apart.
- **QUARTER** is an intersection of two half-spaces, so AND fits it: at D = 4 it ends at {mean(per["quarter", 4, "and", "sphere"].fitness)}, OR
  at {mean(per["quarter", 4, "or", "sphere"].fitness)} (sphere). At D = 3 a union of two caps still reaches 95 %
  ({solved(per["quarter", 3, "or", "sphere"])}), from D = 4 on it never does. From D = 32 on nothing is learnt.
- **TWOQUARTERS** has no exact solution with two neurons once D > 2 by OR, AND or an evolved output, only by XOR
  ([outputs.md](outputs.md)); the best run of all has {best("two_quarters", 3)} at D = 3, {best("two_quarters", 4)} at D = 4 and {best("two_quarters", 8)} at D = 8.
- **LOCALOPT** with three neurons: above D = 2 only the evolved output reached 95 %, in {late} of {late_runs} runs at D = 3 and 4;
  OR ends at {final("local_opt", 4)} and AND at {final("local_opt", 4, "and")} there at D = 4, the evolved output at {final("local_opt", 4, "evolved")} (sphere).
- At D = 64 next to nothing is learnt within this budget: on fresh points {fresh64["half"]:.2f} (HALF), {fresh64["quarter"]:.2f}
  (QUARTER), {fresh64["two_quarters"]:.2f} (TWOQUARTERS), {fresh64["local_opt"]:.2f} (LOCALOPT). Two reasons are likely: a component is mutated
  with probability 1/M only, and at large D a cap whose bias is not near 0 holds next to no points or next
  to all, so that most biases give a constant answer and a plateau.
- Fitness on the training points flatters as D grows: by {gap[3]:.3f} at D = 3, {gap[16]:.3f} at D = 16 and {gap[64]:.3f} at
  D = 64 on average. Results at large D must be read on fresh points.
"""


def fresh_fitness(store: Store, repeats: int = 3, points: int = 8192) -> pd.DataFrame:
    """Repeat the first runs of each setting above D = 2 and test their networks on other points."""
    rows = []
    for setting in store.wanted():
        if setting.dim == 2:
            continue
        task = setting.runner()
        test = Sampled(setting.make_problem(), n=points, method="random", seed=1)
        for number in range(repeats):
            result = task.run(setting.entropy, number)
            key = {name: getattr(setting, name) for name in ("problem", "dim", "output", "init")}
            rows.append({**key, "fitness": result.fitness, "fresh": test(result.network)})
    return pd.DataFrame(rows)
