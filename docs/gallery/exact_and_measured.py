"""Exact against measured.

One neuron on the circle is a Markov chain, and hyperna solves it: the mean, and the probability to
have finished by every evaluation. The measured runs follow the exact curve. [Compute exact
runtimes](../howto/exact_runtimes.md) says for what this is possible and how long it takes.
"""

import hyperna
from hyperna.plots import plot_distribution

quarter = hyperna.problem("quarter")
exact = hyperna.expected_runtime(quarter, resolution=120, mutation="harmonic")
runs = hyperna.OnePlusOneNA(resolution=120, mutation="harmonic").run_many(
    quarter, runs=1000, seed=0
)
mean = runs.evaluations.mean()
error = runs.evaluations.std(ddof=1) / len(runs) ** 0.5
print(f"measured {mean:.1f} ± {error:.1f} evaluations (standard error of 1,000 runs)")
print(f"exact    {exact.mean:.4f}")
print("quantiles 5, 50, 95 %: exact", exact.quantiles([0.05, 0.5, 0.95]))

ax = plot_distribution(exact, runs.evaluations)
figure = ax.figure
figure.savefig("exact_and_measured.png")
