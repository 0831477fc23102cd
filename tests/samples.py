"""Small random inputs that several test files share."""

import numpy as np

from hyperna.network.grid import Grid
from hyperna.network.networks import Network
from hyperna.network.outputs import OUTPUTS as KNOWN

# All ways to join neurons, and those without a neuron of their own.
OUTPUTS = list(KNOWN)
WIRED = [output for output in OUTPUTS if output != "evolved"]
# Those whose best fitness and optima on unions of arcs are known. A new output is not among them
# until it is named here: of several neurons joined by it nothing may be claimed.
WITH_OPTIMA = ["or", "and", "xor", "evolved"]


def random_networks(neurons, resolution, output, count, seed=0, dim=2):
    grid = Grid(dim, neurons, resolution, output)
    rng = np.random.default_rng(seed)
    return [Network(grid, grid.random(rng)) for _ in range(count)]


def xor(n=80, seed=0):
    rng = np.random.default_rng(seed)
    corner = rng.integers(0, 2, (n, 2))
    return 2.0 * corner - 1 + 0.3 * rng.normal(size=(n, 2)), corner[:, 0] ^ corner[:, 1]
