"""A finite set of points, and what is known about a network on them, as arrays."""

from typing import NamedTuple

import numpy as np

from hyperna._kernels.geometry import EVOLVED
from hyperna._kernels.point_margins import LARGEST_PULL, QUANTA

# Points in a block.
BLOCK = 128
# Up to this many neurons an evolved output is a table over the patterns of hidden bits.
TABLE_NEURONS = 12
# Rounding errors are bounded for this many accepted changes, then dot products are made again.
LIFETIME = 64
# Rotations are rounded to grids of at least this resolution.
FINEST = 2**39
# Changes of weights below this are lost in rounding errors.
NEGLIGIBLE = 2.0**-64


class Points(NamedTuple):
    """Points to be classified by `neurons` neurons joined by `join`.

    `columns` has a row for each coordinate. `gain` is what a point adds to the score `base` when
    the network fires on it: its weight if it is positive, minus its weight if not. `pull` is the
    same for the second value. For the points of each block: `ceiling` is the largest gain, `extent`
    (blocks, D) the largest absolute value of each coordinate, `guard` how close to the bias a dot
    product must be for rounding errors to matter.
    """

    columns: np.ndarray
    gain: np.ndarray
    pull: np.ndarray
    ceiling: np.ndarray
    extent: np.ndarray
    guard: np.ndarray
    base: int
    join: int
    neurons: int
    resolution: int
    dim: int
    width: int
    tie_clip: float
    tie_unit: float


class PointsWork(NamedTuple):
    """What is known about the network and its offspring. Of two rows the second is the offspring's.

    `vector` (rows, N, D): see WEIGHT ...; `term`: which weights change. `neuron` (rows, N): see ROW
    ...; `bias` (2, N). `component` (rows, C): see PARENT ...; `angle` (2, 2, C): cosine and sine of
    each component. `dots` (2, N, n), of which row ROW is the network's. `vote` (2, n): which
    neurons fire on a point, as bits (evolved output) or as a number. `output` and `table` (2, ...):
    weights and bias of an output neuron, and its answers to all votes. `block` (rows, blocks): see
    TOTAL ...; `slack` (N, blocks): at most the distance of the closest point from the hyperplane,
    -1 if unknown; `reach`: how far the offspring's hyperplane can have moved at a point; `stale`:
    whether the dot products are to be made again before use. `real` and `near`: room for margins
    and optima.
    """

    vector: np.ndarray
    term: np.ndarray
    neuron: np.ndarray
    bias: np.ndarray
    component: np.ndarray
    angle: np.ndarray
    dots: np.ndarray
    vote: np.ndarray
    output: np.ndarray
    table: np.ndarray
    block: np.ndarray
    slack: np.ndarray
    reach: np.ndarray
    stale: np.ndarray
    real: np.ndarray
    near: np.ndarray


# Weights, those of the offspring, those that it is rounded to, and how much the weights in `term`
# change.
WEIGHT, NEXT_WEIGHT, ROUNDED, COEF = range(4)
# Row of `dots`; accepted changes since the dot products were made; number of weights that change,
# -1 for a neuron that stays; whether ROUNDED is known. The last row lists the neurons that change.
ROW, AGE, TERMS, IS_ROUNDED, MOVER = range(5)
# The network's genome; the neuron of each component.
PARENT, OWNER = range(2)
# Gain in a block, the offspring's, and the state of the block.
TOTAL, NEXT_TOTAL, STATE = range(3)
# What is known about a block of an offspring: it is as before; nothing yet; all.
UNTOUCHED, OPEN, JUDGED = range(3)


def make_points(
    *,
    columns: np.ndarray,
    positive: np.ndarray,
    weight: np.ndarray,
    join: int,
    neurons: int,
    resolution: int,
    dim: int,
    tie_clip: float = 0.0,
) -> Points:
    """Return points as the loop takes them; points of weight 0 are left out."""
    heavy = weight > 0
    if not heavy.all():
        columns, positive, weight = columns[:, heavy], positive[heavy], weight[heavy]
    unit = max(1.0, int(weight.sum()) / LARGEST_PULL)
    pull = np.rint(weight / unit)
    columns = np.ascontiguousarray(columns, np.float64)
    begins = np.arange(0, weight.size, BLOCK)
    gain = np.where(positive, weight, -weight).astype(np.int64)
    with np.errstate(over="ignore"):
        norm = np.sqrt(np.maximum.reduceat((columns**2).sum(axis=0), begins))
    # An accepted change adds less than 16 (D + 2) rounding errors, relative to the norm. A rotation
    # is then rounded to the grid, by half a step for each of the D - 1 angles at most.
    errors = 16.0 * (dim + 2) * (LIFETIME + 2) * 2.0**-53
    if resolution >= FINEST:
        errors += (LIFETIME + 2) * dim * np.pi / resolution
    return Points(
        columns=columns,
        gain=gain,
        pull=np.where(positive, pull, -pull),
        ceiling=np.add.reduceat(np.maximum(gain, 0), begins),
        extent=np.ascontiguousarray(np.maximum.reduceat(np.abs(columns), begins, axis=1).T),
        guard=errors * (norm + 1.0),
        base=int(weight[~positive].sum()),
        join=int(join) if neurons > 1 else 0,
        neurons=int(neurons),
        resolution=int(resolution),
        dim=int(dim),
        width=max(int(dim), 2),
        tie_clip=float(tie_clip),
        tie_unit=float(tie_clip) * unit / QUANTA,
    )


def new_work(points: Points) -> PointsWork:
    """Room for a network and its offspring."""
    n, dim, neurons = points.gain.size, points.dim, points.neurons
    blocks, width = points.guard.size, points.width
    components = (width + 1) * neurons
    tabulated = points.join == EVOLVED and neurons <= TABLE_NEURONS
    floats, integers = np.zeros, lambda *shape: np.zeros(shape, np.int64)
    work = PointsWork(
        vector=floats((4, neurons, dim)),
        term=integers(neurons, dim),
        neuron=integers(5, neurons),
        bias=floats((2, neurons)),
        component=integers(2, components),
        angle=floats((2, 2, components)),
        dots=floats((2, neurons, n)),
        vote=integers(2, n),
        output=floats((2, neurons + 1)),
        table=integers(2, 1 << neurons if tabulated else 1),
        block=integers(3, blocks),
        slack=floats((neurons, blocks)),
        reach=floats((neurons, blocks)),
        stale=integers(neurons, blocks),
        real=floats((2, max(neurons, BLOCK))),
        near=integers(neurons + 5, neurons),
    )
    work.component[OWNER] = np.minimum(np.arange(components) // width, neurons)
    return work
