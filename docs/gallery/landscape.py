"""Landscape and basins.

LOCALOPT has local optima, from which no step to a neighbour leads upwards. On the left is the
fitness of one neuron for all angles and biases. On the right is the probability that local steps
find the optimum from each start, computed exactly: it is 1 in the basin of the optimum and 0 where
every run ends at a local one. Harmonic steps leave all of them. [Why ties
matter](../explanation/ties.md) explains the plateaus.
"""

import matplotlib.pyplot as plt

import hyperna
from hyperna.plots import plot_expected_times, plot_landscape

local_opt = hyperna.problem("local_opt")
for law in ("local", "harmonic"):
    exact = hyperna.expected_runtime(local_opt, resolution=60, mutation=law)
    print(f"{law:8} finds the optimum with probability {exact.probability:.3f}")
local = hyperna.expected_runtime(local_opt, resolution=60, mutation="local")
for end in local.ends()[:3]:
    print(f"local steps end at fitness {end.fitness:.3f} with probability {end.probability:.3f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(14, 5.6), layout="constrained")
plot_landscape(local_opt, 60, ax=left)
plot_expected_times(local, right, local.per_state_probability, "success with local steps")
figure.savefig("landscape.png")
