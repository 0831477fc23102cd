"""Made-up runs in stores, which several test files share."""

import numpy as np

from hyperna.experiments.lines import Block
from hyperna.experiments.setting import setting
from hyperna.experiments.store import Store

HALF = setting(problem="half")
QUARTER = setting(problem="quarter", resolution=60, target=0.9)


def made_up(made, first, last):
    """Rows that depend on setting and number only, like real ones."""
    rows = []
    for number in range(first, last):
        rng = np.random.default_rng([made.entropy, number])
        rows.append([*rng.integers(1, [10**6, 2**52]), rng.integers(1, 6), 0, rng.integers(3)])
    return Block(made, first, np.array(rows, np.int64).reshape(-1, 5), 2**52, 0.5)


def filled(path, blocks):
    with Store(path).writer() as writer:
        for block in blocks:
            writer.append([block])
    return Store(path)
