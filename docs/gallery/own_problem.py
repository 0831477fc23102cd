"""Your own problem.

Arcs of the circle in degrees, or labelled points. The best fitness of a network with one neuron and
with two is computed from the arcs before anything runs: one neuron can answer only one arc, two
solve this problem. More in [use your own problem](../howto/own_problem.md).
"""

import matplotlib.pyplot as plt

import hyperna
from hyperna.plots import plot_circle

arcs = hyperna.custom_arcs([(80, 100), (200, 340)], unit="degree")
figure, panels = plt.subplots(1, 2, figsize=(11, 5.4), layout="constrained")
for neurons, ax in enumerate(panels, 1):
    na = hyperna.OnePlusOneNA(neurons=neurons, resolution=360)
    runs = na.run_many(arcs, runs=100, seed=0)
    best = runs.replay(runs.best)
    print(
        f"neurons={neurons}: best possible fitness {arcs.best_fitness(neurons=neurons):.3f},",
        end=" ",
    )
    print(f"{runs.success.sum()} of {len(runs)} runs come within a grid step of it")
    plot_circle(arcs, best.network, ax)
figure.savefig("own_problem.png")
