"""A finite set of points, and what is known about a network on them, as arrays."""

from typing import NamedTuple

import numpy as np

from hyperna._kernels.geometry import EVOLVED

# Points in a block.
BLOCK = 128
# Loops are fastest over a multiple of this many points, which compiled code treats at a time.
LANES = 16
# Up to this many neurons an evolved output is a table over the patterns of hidden bits.
TABLE_NEURONS = 12
# Rounding errors are bounded for this many accepted moves of a neuron; then its weights are rounded
# to the grid, and its dot products are made again.
LIFETIME = 256
# Directions turn in planes on grids of at least this resolution.
FINEST = 2**39
# A clipped margin is a whole number of quanta, QUANTA at most.
QUANTA = 2.0**14
# Sums of as many quanta, times weights, are exact: below 2**53.
LARGEST_PULL = 2.0**38


class Points(NamedTuple):
    """Points to be classified by `neurons` neurons joined by `join`.

    `columns` has a row for each coordinate. `gain` is what a point adds to the score `base` when
    the network fires on it: its weight if it is positive, minus its weight if not; `most` is the
    largest sum of gains. `pull` is the
    same for the second value. For the points of each block: `ceiling` is the largest gain, `guard`
    how close to the bias a dot product must be for rounding errors to matter. `modulus` are the
    numbers of values of a neuron's components.
    """

    columns: np.ndarray
    gain: np.ndarray
    pull: np.ndarray
    ceiling: np.ndarray
    guard: np.ndarray
    modulus: np.ndarray
    base: int
    most: int
    join: int
    neurons: int
    resolution: int
    dim: int
    width: int
    tie_clip: float
    tie_unit: float


class PointsWork(NamedTuple):
    """A network and its offspring, which are the same between two steps.

    Of two rows the first is the network's, the second its offspring's. The output neuron comes
    after the N hidden ones. `weight` (2, N+1, ...), `bias` (2, N+1) and `angle` (2, 2, C), cosine
    and sine of every component, are what a neuron is; `rounded` (N+1, ...) are the weights of the
    genome that it is rounded to. `term` and `coef` (N+1, ...) list the weights that change and by
    how much. `neuron` (rows, N+1) and `component` (rows, C): see the names below. `dots` (2, N, n)
    and `vote` (2, n), where it says which row is the network's: the dot products, and for each
    point the place in `table` (2, ...) that says whether the output fires; `sums` are what it adds
    up for each place. `margin` (rows, n) and
    `again` (n): see `hyperna._kernels.point_margins`. `real` and `near`: room for margins and
    optima.
    """

    weight: np.ndarray
    bias: np.ndarray
    angle: np.ndarray
    rounded: np.ndarray
    term: np.ndarray
    coef: np.ndarray
    neuron: np.ndarray
    component: np.ndarray
    dots: np.ndarray
    vote: np.ndarray
    table: np.ndarray
    sums: np.ndarray
    margin: np.ndarray
    again: np.ndarray
    real: np.ndarray
    near: np.ndarray


# Row of `dots` (for the output neuron: of `vote`); accepted moves since the dot products were made;
# number of entries in `term`, -1 for a neuron that stays; first angle that changes; whether
# `rounded` is known; whether it has been turned in a plane; whether the genome has other angles.
# The last row lists the neurons that move.
ROW, AGE, TERMS, LOWEST, IS_ROUNDED, TURNED, UNWRITTEN, MOVER = range(8)
# The neuron of each component; angles of a neuron that is rounded.
OWNER, ROUNDED = range(2)
# Margin, rounded margin, and those of the offspring at the points listed in `again`.
MARGIN, QUANTUM, NEXT_MARGIN, NEXT_QUANTUM = range(4)
# Rows of `real`: margins of the neurons at a point; sum of quanta of the network and its offspring.
HIDDEN, SUMS = range(2)


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
    """Return points as the loop takes them.

    Points of weight 0 are left out, but for copies of the last point that make the number of points
    a multiple of LANES.
    """
    heavy = np.flatnonzero(weight > 0)
    n = -(-heavy.size // LANES) * LANES
    chosen = heavy[np.minimum(np.arange(n), heavy.size - 1)]
    columns, positive = np.ascontiguousarray(columns[:, chosen], np.float64), positive[chosen]
    weight = np.where(np.arange(n) < heavy.size, weight[chosen], 0)
    unit = max(1.0, int(weight.sum()) / LARGEST_PULL)
    pull = np.rint(weight / unit)
    begins = np.arange(0, n, BLOCK)
    gain = np.where(positive, weight, -weight).astype(np.int64)
    with np.errstate(over="ignore"):
        norm = np.sqrt(np.maximum.reduceat((columns**2).sum(axis=0), begins))
    # An accepted move adds less than 16 (D + 2) rounding errors, relative to the norm. What is
    # turned in planes is compared with what it is rounded to, by half a step for each angle.
    errors = 16.0 * (dim + 2) * (LIFETIME + 2) * 2.0**-53
    if resolution >= FINEST:
        errors += 2.0 * dim * np.pi / resolution
    width = max(int(dim), 2)
    modulus = np.full(width, 2 if dim == 1 else resolution)
    modulus[-1] = resolution + 1
    return Points(
        columns=columns,
        gain=gain,
        pull=np.where(positive, pull, -pull),
        ceiling=np.add.reduceat(np.maximum(gain, 0), begins),
        guard=errors * (norm + 1.0),
        modulus=modulus,
        base=int(weight[~positive].sum()),
        most=int(weight[positive].sum()),
        join=int(join) if neurons > 1 else 0,
        neurons=int(neurons),
        resolution=int(resolution),
        dim=int(dim),
        width=width,
        tie_clip=float(tie_clip),
        tie_unit=float(tie_clip) * unit / QUANTA,
    )


def new_work(points: Points) -> PointsWork:
    """Room for a network and its offspring."""
    n, dim, neurons, width = points.gain.size, points.dim, points.neurons, points.width
    components, longest = (width + 1) * neurons, max(dim, neurons)
    patterns = neurons + 1
    if points.join == EVOLVED:
        patterns = 1 << neurons if neurons <= TABLE_NEURONS else 1
    floats, integers = np.zeros, lambda *shape: np.zeros(shape, np.int64)
    with_margins = n if points.tie_clip > 0.0 else 0
    work = PointsWork(
        weight=floats((2, neurons + 1, longest)),
        bias=floats((2, neurons + 1)),
        angle=floats((2, 2, components)),
        rounded=floats((neurons + 1, longest)),
        term=integers(neurons + 1, 2 * longest),
        coef=floats((neurons + 1, 2 * longest)),
        neuron=integers(8, neurons + 1),
        component=integers(2, components),
        dots=floats((2, neurons, n)),
        vote=integers(2, n),
        table=integers(2, patterns),
        sums=floats(patterns),
        margin=floats((4, with_margins)),
        again=integers(with_margins),
        real=floats((2, max(neurons, 2))),
        near=integers(neurons + 4, neurons),
    )
    work.component[OWNER] = np.minimum(np.arange(components) // width, neurons)
    return work
