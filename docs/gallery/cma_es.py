"""Comparison with CMA-ES at one target.

Algorithms are compared fairly when all of them are asked for the same fitness. CMA-ES searches real
numbers, the (1+1) NA a grid, so "within one grid step of the optimum" means different things to
them; "fitness at least 0.99" does not. It needs `hyperna[baselines]`. [Compare with another
algorithm](../howto/own_algorithm.md) adds your own.
"""

import hyperna
from hyperna.baselines import baseline_task
from hyperna.plots import plot_runtimes
from hyperna.run.many import run_many

quarter = hyperna.problem("quarter")
limits = {"budget": 5_000, "target": 0.99}
batches = {}
for law in ("harmonic", "local"):
    na = hyperna.OnePlusOneNA(neurons=1, resolution=600, mutation=law)
    batches[f"(1+1) NA, {law}"] = na.run_many(quarter, runs=100, seed=0, **limits)
for name in ("cma_es", "random_search"):
    task = baseline_task(name, quarter, neurons=1, resolution=600, **limits)
    batches[name] = run_many(task, runs=100, seed=0)
for name, runs in batches.items():
    good = runs.evaluations[runs.success]
    error = good.std(ddof=1) / len(good) ** 0.5
    print(
        f"{name:18} {len(good):3} of 100 runs reach 0.99, after {good.mean():6.1f} ± {error:5.1f}"
    )

figure = plot_runtimes(batches).figure
figure.savefig("cma_es.png")
