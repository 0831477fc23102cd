"""The range of every option of a run that is a number, for all tests that go to its ends."""

import math

ABOVE_0, BELOW_1, ABOVE_1 = 5e-324, math.nextafter(1.0, 0.0), math.nextafter(1.0, 2.0)
# The smallest and the largest value, or some value if there is no largest one, and the nearest
# values beyond these ends, which are refused.
RANGES = {
    "dim": ([1, 3], [0, -1]),
    "k": ([1, 40], [0, -1]),
    "points": ([1], [0, -1]),
    "online": ([1, 2**31], [0, 2**31 + 1]),
    "neurons": ([1, 3], [0, -1]),
    "resolution": ([2, 2**40], [1, 2**40 + 1]),
    "mutation_probability": ([5e-324, 1.0], [0.0, ABOVE_1]),
    "replace_neuron": ([0.0, BELOW_1], [-ABOVE_0, 1.0]),
    "max_neurons": ([1, 1024], [0, 1025]),
    "term_cost": ([0, 2**50], [-1, 2**50 + 1]),
    "budget": ([1, 2**61], [0, 2**61 + 1]),
    "stagnation": ([1, 2**61], [0, 2**61 + 1]),
    "target": ([0.0, 1.0], [-ABOVE_0, ABOVE_1]),
    "restarts": ([0, 2**61], [-1, 2**61 + 1]),
    "seed": ([0, 2**63 - 1], [-1, 2**63]),
}
