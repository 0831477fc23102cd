"""Small random inputs that several test files share."""

import numpy as np

from hyperna.grid import Grid
from hyperna.networks import Network

OUTPUTS = ["or", "and", "xor", "evolved"]
QUICK = {"max_evals": 2000, "n_restarts": 0, "random_state": 0}  # a classifier's settings


def random_networks(neurons, resolution, output, count, seed=0, dim=2):
    grid = Grid(dim, neurons, resolution, output)
    rng = np.random.default_rng(seed)
    return [Network(grid, grid.random(rng)) for _ in range(count)]


def xor(n=80, seed=0):
    rng = np.random.default_rng(seed)
    corner = rng.integers(0, 2, (n, 2))
    return 2.0 * corner - 1 + 0.3 * rng.normal(size=(n, 2)), corner[:, 0] ^ corner[:, 1]
