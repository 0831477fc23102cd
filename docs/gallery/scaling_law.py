"""A scaling law.

How does the runtime on QUARTER grow with the resolution? Harmonic steps are measured up to 2³⁰
angles. The laws that fit are drawn with their predictions, and beside them the growth that the
theorem allows: at most log³ *r*. The [tutorial for runtime
analysts](../tutorials/runtime_analyst.md) goes through it step by step.
"""

import hyperna
from hyperna.analysis.laws import theorem_bound
from hyperna.plots import plot_scaling

quarter = hyperna.problem("quarter")
runtimes = {}
for exponent in range(6, 31, 3):
    na = hyperna.OnePlusOneNA(resolution=2**exponent, mutation="harmonic")
    runs = na.run_many(quarter, runs=500, budget=10**8, seed=0)
    runtimes[2**exponent] = runs.evaluations
    mean, error = runs.evaluations.mean(), runs.evaluations.std(ddof=1) / len(runs) ** 0.5
    share = runs.success.mean()
    print(f"r = 2^{exponent:<2} {mean:7.1f} ± {error:4.1f} evaluations, {share:.0%} succeed")

ax = plot_scaling(runtimes, theorem_bound("quarter", "harmonic"))
ax.set_title("QUARTER, harmonic steps, 500 runs at each r")
figure = ax.figure
figure.savefig("scaling_law.png")
