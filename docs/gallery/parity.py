"""Cube corners and parity.

A corner of the cube is positive if an odd number of its coordinates is positive: parity, which no
single half-space can answer. How neurons are joined decides how easy it is: joined by XOR, *D*
parallel half-spaces are enough; OR needs one for every positive corner, AND one for every negative
corner. The cube on the left is solved by three neurons joined by XOR.
"""

import matplotlib.pyplot as plt

import hyperna
from hyperna.plots import plot_runtimes, plot_sphere

corners = hyperna.problem("cube", dim=3)
batches = {}
for output in ("xor", "evolved", "and", "or"):
    na = hyperna.OnePlusOneNA(neurons=4, output=output, resolution=60)
    runs = batches[output] = na.run_many(corners, runs=100, budget=5_000, seed=1)
    print(f"{output:8} {runs.success.sum()} of {len(runs)} runs label all corners correctly")

three = hyperna.OnePlusOneNA(neurons=3, output="xor", resolution=60).run(corners, seed=1)
figure = plt.figure(figsize=(13, 6), layout="constrained")
plot_sphere(
    corners, three.network, figure.add_subplot(1, 2, 1, projection="3d", computed_zorder=False)
)
plot_runtimes(batches, figure.add_subplot(1, 2, 2))
figure.savefig("parity.png")
