"""Spheres.

Every problem on the circle exists in higher dimensions, where only the last two coordinates decide.
A quarter of the sphere is the intersection of two half-spaces, so two neurons joined by AND can
solve it. At D = 3 fitness is an exact area. Higher dimensions take more evaluations: how many more
is in the [tutorial](../tutorials/higher_dimensions.md) and the [findings](../findings/index.md).
"""

import hyperna
from hyperna.plots import plot_sphere

na = hyperna.OnePlusOneNA(neurons=2, output="and", resolution=120, init="sphere")
wedge = hyperna.problem("quarter", dim=3)
result = na.run(wedge, budget=20_000, seed=1)
print(f"D = 3: fitness {result.fitness:.4f} after {result.evaluations:,} evaluations")

for dim in (2, 3, 4, 6):
    half = hyperna.problem("half", dim=dim)
    runs = hyperna.OnePlusOneNA(resolution=60).run_many(half, runs=50, seed=0)
    mean, error = runs.evaluations.mean(), runs.evaluations.std(ddof=1) / len(runs) ** 0.5
    print(f"HALF, one neuron, D = {dim}: {mean:.0f} ± {error:.0f} evaluations")

figure = plot_sphere(wedge, result.network).figure
figure.savefig("spheres.png")
