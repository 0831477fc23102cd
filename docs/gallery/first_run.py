"""First run.

Two neurons learn two quarters of the circle. The line of a neuron cuts off an arc, and the arrow
points to the side on which the neuron fires; joined by OR, the network answers 1 where at least one
of them does. The run starts with a random network and keeps every change that does no harm. [Start
here](../start/index.md) explains each of these words.
"""

import matplotlib.pyplot as plt

import hyperna
from hyperna.plots import plot_circle, plot_improvements

problem = hyperna.problem("two_quarters")
na = hyperna.OnePlusOneNA(neurons=2, resolution=120, mutation="harmonic")
result = na.run(problem, seed=2)
print(result.stop_reason, "after", result.evaluations, "evaluations")
print(result.network)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
plot_circle(problem, result.network, left)
plot_improvements(result, right)
figure.savefig("first_run.png")
