"""Drift: try a potential before you prove it.

A proof of a runtime bound begins with a guess: a potential that falls in every step. From the exact
chain its drift is known for every network, so a guess can be tried before it is proved. Here is
HALF without bias: the distance to the optimum falls by a share of itself in every step, and the
theorem on multiplicative drift makes a bound of it. More in
[compute exact runtimes](../howto/exact_runtimes.md).
"""

import hyperna
from hyperna.plots import plot_drift
from hyperna.theory import drift, fit_potential

runtime = hyperna.expected_runtime("half", resolution=64, mutation="harmonic", bias=False)
found = drift(runtime, "distance")
print(f"least drift: {found.multiplicative_rate:.4f} times the distance")
print(f"multiplicative drift: E[T] <= {found.multiplicative_bound:.1f}")
best = fit_potential(runtime)
print(f"best potential of a family: E[T] <= {best.bound:.1f} with {best}")
print(f"exact: E[T] = {found.exact:.1f}")

figure = plot_drift(found, title="HALF without bias, harmonic steps, r = 64").figure
figure.savefig("drift.png")
