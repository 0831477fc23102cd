"""Your own mutation law.

A law gives a weight to every step length. This one, powers of two that are all equally likely, is
measured beside the built-in laws, and its expected runtime is computed exactly. More in [use your
own mutation law](../howto/own_law.md).
"""

from dataclasses import dataclass

import numpy as np

import hyperna
from hyperna.plots import plot_runtimes


@dataclass(frozen=True)
class Doubling(hyperna.StepLaw):
    """Lengths 1, 2, 4, 8, ..., all equally likely."""

    summary = "powers of two, all equally likely"

    def weights(self, resolution):
        """Return the weight of each length from 1 to the resolution."""
        lengths = np.arange(1, resolution + 1)
        return ((lengths & (lengths - 1)) == 0).astype(float)


quarter = hyperna.problem("quarter")
batches = {}
for law in (Doubling(), "harmonic", "uniform", "local"):
    runs = hyperna.OnePlusOneNA(resolution=120, mutation=law).run_many(quarter, runs=500, seed=0)
    exact = hyperna.expected_runtime(quarter, resolution=120, mutation=law)
    name = law if isinstance(law, str) else "doubling"
    error = runs.evaluations.std(ddof=1) / len(runs) ** 0.5
    print(
        f"{name:9} measured {runs.evaluations.mean():7.1f} ± {error:4.1f}, exact {exact.mean:7.1f}"
    )
    batches[name] = runs
figure = plot_runtimes(batches).figure
figure.savefig("own_law.png")
