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
# The points are put in order after this many offspring, then after twice as many, and so on.
FIRST_ORDER, LAST_ORDER = 256, 4096
# Bins of margins for that, from the smallest to the largest.
BINS = 64
# Up-to-date dot products are left behind only in blocks as many times as far away as a step goes.
FAR = 8.0
# From this many blocks on their distances from the hyperplanes of several neurons are measured.
MANY_BLOCKS = 4
# A clipped margin is a whole number of quanta, QUANTA at most.
QUANTA = 2.0**14
# Sums of as many quanta, times weights, are exact: below 2**53.
LARGEST_PULL = 2.0**38


class PointsShape(NamedTuple):
    """The numbers that describe a network on points.

    It has `neurons` neurons of `width` components joined by `join`. `base` is the score where it
    fires nowhere. Margins up to `tie_clip` decide between equal scores, in units of `tie_unit`.
    """

    base: int
    join: int
    neurons: int
    resolution: int
    dim: int
    width: int
    tie_clip: float
    tie_unit: float


class Points(NamedTuple):
    """Points to be classified.

    `columns` has a row for each coordinate. `gain` is what a point adds to the score when the
    network fires on it: its weight if it is positive, minus its weight if not. `pull` is the same
    for the second value. `guard` is how close to the bias a dot product must be for rounding errors
    to matter. `modulus` are the numbers of values of a neuron's components.
    """

    columns: np.ndarray
    gain: np.ndarray
    pull: np.ndarray
    guard: np.ndarray
    modulus: np.ndarray
    shape: PointsShape


class Neurons(NamedTuple):
    """A network and its offspring, which are the same between two steps.

    Of two rows the first is the network's, the second its offspring's. The output neuron comes
    after the N hidden ones. `weight` (2, N+1, ...), `bias` (2, N+1) and `angle` (2, 2, C), cosine
    and sine of every component, are what a neuron is; `rounded` (N+1, ...) are the weights of the
    genome that it is rounded to. `term` and `coef` (N+1, ...) list the weights that change and by
    how much. `neuron` (rows, N+1), `component` (rows, C): see the names below.
    """

    weight: np.ndarray
    bias: np.ndarray
    angle: np.ndarray
    rounded: np.ndarray
    term: np.ndarray
    coef: np.ndarray
    neuron: np.ndarray
    component: np.ndarray


class PointsWork(NamedTuple):
    """The network `net`, its offspring, and what they do on the points, which are put in order.

    `table` (2, ...) says whether the output fires, by what the neurons add up to, and `sums` what
    an output neuron makes of that. `columns` (D, n) are the points; `whole` and `real` (rows, n)
    what is known about each. `dots` (2, N, n) are the dot products. `extent` (blocks, D+1): the
    largest absolute value of each coordinate in a block, and the largest guard. `block` (rows,
    blocks), `place` and `bound` (rows, N+1, blocks): see the names below. `lanes`, `start` and
    `near`: room for smallest values, for bins and for optima.
    """

    net: Neurons
    table: np.ndarray
    sums: np.ndarray
    columns: np.ndarray
    whole: np.ndarray
    real: np.ndarray
    dots: np.ndarray
    extent: np.ndarray
    block: np.ndarray
    place: np.ndarray
    bound: np.ndarray
    lanes: np.ndarray
    start: np.ndarray
    near: np.ndarray


# Rows of `neuron`: accepted moves since the weights were rounded; number of entries in `term`, -1
# for a neuron that stays; first angle that changes; whether `rounded` is known; whether the neuron
# has been turned in a plane; whether the genome has other angles; the neurons that move. The last
# has numbers of its own: offspring until the points are put in order, and the number next time.
AGE, TERMS, LOWEST, IS_ROUNDED, TURNED, UNWRITTEN, MOVER, ORDER = range(8)
# Rows of `component`: its neuron; angles of a neuron that is rounded.
OWNER, ROUNDED = range(2)
# Rows of `whole`: place in the table, in two rows; gain; list of points.
VOTE, GAIN, LISTED = 0, 2, 3
# Rows of `real`: margin and rounded margin, those of the offspring at the points that are listed,
# pull and guard.
MARGIN, QUANTUM, NEXT_MARGIN, NEXT_QUANTUM, PULL, GUARD = range(6)
# Rows of `block`: its gain, that of the offspring, the largest possible, and whether the offspring
# has been judged there. Row of `place`: the row of `dots` (of the output neuron: of `whole`) that
# is the network's, and whether it is to be made again before use.
TOTAL, NEXT_TOTAL, CEILING, STATE = range(4)
ROW, STALE = range(2)
UNTOUCHED, OPEN, JUDGED = range(3)
# Rows of `bound`: at most the distance of the closest point from the hyperplane, -1 if unknown;
# that distance when last measured; how far the offspring's hyperplane can have moved at a point.
SLACK, CLOSEST, REACH = range(3)
# Rows of `lanes`: smallest values; margins of the neurons at a point; sums of quanta.
SMALLEST, HIDDEN, SUMS = range(3)


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
    columns, positive = (
        np.ascontiguousarray(columns[:, chosen], np.float64),
        positive[chosen],
    )
    weight = np.where(np.arange(n) < heavy.size, weight[chosen], 0)
    unit = max(1.0, int(weight.sum()) / LARGEST_PULL)
    pull = np.rint(weight / unit)
    gain = np.where(positive, weight, -weight).astype(np.int64)
    with np.errstate(over="ignore"):
        norm = np.sqrt((columns**2).sum(axis=0))
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
        guard=errors * (norm + 1.0),
        modulus=modulus,
        shape=PointsShape(
            base=int(weight[~positive].sum()),
            join=int(join) if neurons > 1 else 0,
            neurons=int(neurons),
            resolution=int(resolution),
            dim=int(dim),
            width=width,
            tie_clip=float(tie_clip),
            tie_unit=float(tie_clip) * unit / QUANTA,
        ),
    )


def new_work(points: Points) -> PointsWork:
    """Room for a network and its offspring."""
    n, shape = points.gain.size, points.shape
    dim, neurons, width = shape.dim, shape.neurons, shape.width
    components, longest = (width + 1) * neurons, max(dim, neurons)
    patterns = neurons + 1
    if shape.join == EVOLVED:
        patterns = 1 << neurons if neurons <= TABLE_NEURONS else 1
    floats, integers = np.zeros, lambda *shape: np.zeros(shape, np.int64)
    blocks = -(-n // BLOCK)
    work = PointsWork(
        net=Neurons(
            weight=floats((2, neurons + 1, longest)),
            bias=floats((2, neurons + 1)),
            angle=floats((2, 2, components)),
            rounded=floats((neurons + 1, longest)),
            term=integers(neurons + 1, 2 * longest),
            coef=floats((neurons + 1, 2 * longest)),
            neuron=integers(8, neurons + 1),
            component=integers(2, components),
        ),
        table=integers(2, patterns),
        sums=floats(patterns),
        columns=points.columns.copy(),
        whole=integers(4, n),
        real=floats((6, n)),
        dots=floats((2, neurons, n)),
        extent=floats((blocks, dim + 1)),
        block=integers(4, blocks),
        place=integers(2, neurons + 1, blocks),
        bound=floats((3, neurons + 1, blocks)),
        lanes=floats((3, max(neurons, LANES))),
        start=integers(2 * BINS + 2),
        near=integers(neurons + 4, neurons),
    )
    work.net.component[OWNER] = np.minimum(np.arange(components) // width, neurons)
    work.whole[GAIN], work.real[PULL], work.real[GUARD] = (
        points.gain,
        points.pull,
        points.guard,
    )
    return work
