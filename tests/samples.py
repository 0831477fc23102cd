"""Small random inputs that several test files share."""

import numpy as np

from hyperna.grid import Grid
from hyperna.networks import Network

OUTPUTS = ["or", "and", "evolved"]


def random_networks(neurons, resolution, output, count, seed=0, dim=2):
    grid = Grid(dim, neurons, resolution, output)
    rng = np.random.default_rng(seed)
    return [Network(grid, grid.random(rng)) for _ in range(count)]
