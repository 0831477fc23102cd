"""A finite set of points, a network and its offspring on them, as arrays with named fields."""

from typing import NamedTuple

import numpy as np

from hyperna._kernels.geometry import EVOLVED

# Points in a block.
BLOCK = 128
# Loops are fastest over a multiple of this many points, which compiled code treats at a time.
LANES = 16
# Up to this many neurons an evolved output is a table over the patterns of hidden bits.
TABLE_NEURONS = 12
# Rounding errors are bounded for this many accepted changes of a neuron's direction; then its
# weights are rounded to the grid, and its dot products are made again.
MOST_REDIRECTIONS = 256
# Directions turn in planes on grids of at least this resolution.
FINEST = 2**39
# The points are put in order after this many offspring, then after twice as many, and so on.
FIRST_ORDER, LAST_ORDER = 256, 4096
# Bins of margins for that, from the smallest to the largest.
BINS = 64


def _record(wholes: str, numbers: str = "") -> np.dtype:
    """Return the type of records of integers and floats with these names."""
    fields = [(name, np.int64) for name in wholes.split()]
    return np.dtype(fields + [(name, np.float64) for name in numbers.split()], align=True)


# `neurons` neurons of `width` components in `dim` dimensions, joined by `join`. `silent` is the
# score of a network that fires nowhere. A dot product closer to the bias than `errors` * (norm + 1)
# may be on the wrong side.
SHAPE = _record("silent join neurons resolution dim width", "errors")
# A neuron and its offspring (next), between two steps, and once a step has been made of it:
#
#              between two steps          after `make_offspring`, until `settle`
#   terms      STAYS                      STAYS: the step does not move this neuron; else the number
#                                         of weights that change, 0 if only the bias does or by too
#                                         little
#   lowest     of no meaning              first angle that changes; the number of weights if none
#                                         does, as where it is turned in a plane
#   next_bias  `bias`                     the offspring's
#   row        the row of `dots` that is  the same; the offspring's is the other one
#              the network's
#   rounded    whether the weights of     0 if the direction changes, until they are asked for
#              the genome are known
#   turned     whether it has been turned in a plane since `prepare`, by any step
#   unwritten  whether the genome has     the same
#              other angles
#   age        accepted changes of its direction since the weights were rounded
#
# `mover`, in entry m: the m-th neuron that moves.
STAYS = -1  # neither a weight nor the bias of this neuron changes
NEURON = _record("terms lowest age rounded turned unwritten row mover", "bias next_bias")
# A component: its neuron; its cosine and sine if it is an angle.
COMPONENT = _record("neuron", "cosine sine next_cosine next_sine")
# A weight that changes.
TERM = _record("coordinate", "change")
# Offspring until the points are put in order, and the number next time; hidden neurons that move;
# the row of `whole` that has the network's votes; the largest possible gain.
TALLY = _record("countdown interval moves row ceiling")
# Rows of `whole`: votes, in two rows; gain; the order of the points. Rows of `real`: norm; margin
# and room, while the points are put in order.
VOTES, GAIN, ORDER = 0, 2, 3
NORM, MARGIN, SPARE = range(3)


class Points(NamedTuple):
    """Points to be classified.

    Directions are always moved as a `RotationMove`, without planes where angles change, so that one
    kernel is compiled for both moves.

    `columns` has a row for each coordinate. `gain` is what a point adds to the score when the
    network fires on it: its weight if it is positive, minus its weight if not. `modulus` are the
    numbers of values of a neuron's components.
    """

    columns: np.ndarray
    gain: np.ndarray
    norm: np.ndarray
    modulus: np.ndarray
    shape: np.record


class Neurons(NamedTuple):
    """A network and its offspring, which are the same between two steps.

    The output neuron comes after the N hidden ones. `weight` (2, N+1, ...): the network's and the
    offspring's; `rounded` (N+1, ...): the weights of the genome that the offspring is rounded to;
    `written`: room for its angles. `term` (N+1, ...): the weights that change.
    """

    weight: np.ndarray
    rounded: np.ndarray
    neuron: np.recarray
    component: np.recarray
    term: np.recarray
    written: np.ndarray


class PointsWork(NamedTuple):
    """The network `net`, its offspring, and what they do on the points, which are put in order.

    A point's votes are the number of neurons that fire on it, or their pattern. `table` (2, ...)
    says whether the output fires, by the votes, and `sums` what an output neuron makes of them.
    `columns` (D, n) are the points; `whole` and `real` (rows, n) what is known about each. `dots`
    (2, N, n) are the dot products. `found` (2, ...), `ceiling` and `guard`: the gain of each block,
    the largest possible one, and how close to the bias a dot product must be for rounding errors to
    matter. `hidden`, `start` and `near`: room for the margins of the neurons at a point, for bins
    and for optima.
    """

    net: Neurons
    table: np.ndarray
    sums: np.ndarray
    columns: np.ndarray
    whole: np.ndarray
    real: np.ndarray
    dots: np.ndarray
    found: np.ndarray
    ceiling: np.ndarray
    guard: np.ndarray
    tally: np.record
    hidden: np.ndarray
    start: np.ndarray
    near: np.ndarray


def _records(kind: np.dtype, *size: int) -> np.recarray:
    return np.zeros(size, kind).view(np.recarray)


def make_points(
    *,
    columns: np.ndarray,
    positive: np.ndarray,
    weight: np.ndarray,
    join: int,
    neurons: int,
    resolution: int,
    dim: int,
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
    with np.errstate(over="ignore"):
        norm = np.sqrt((columns**2).sum(axis=0))
    shape = _records(SHAPE, 1)[0]
    shape.silent = weight[~positive].sum()
    shape.neurons = neurons
    shape.dim = dim
    shape.join = join if neurons > 1 else 0
    shape.resolution = resolution
    shape.width = max(dim, 2)
    # An accepted move adds less than 16 (D + 2) rounding errors, relative to the norm. What is
    # turned in planes is compared with what it is rounded to, by half a step for each angle.
    shape.errors = 16.0 * (dim + 2) * (MOST_REDIRECTIONS + 2) * 2.0**-53
    if resolution >= FINEST:
        shape.errors += 2.0 * dim * np.pi / resolution
    modulus = np.full(int(shape.width), 2 if dim == 1 else resolution)
    modulus[-1] = resolution + 1
    gain = np.where(positive, weight, -weight).astype(np.int64)
    return Points(columns, gain, norm, modulus, shape)


def new_work(points: Points) -> PointsWork:
    """Room for a network and its offspring."""
    n, shape = points.gain.size, points.shape
    dim = int(shape.dim)
    neurons = int(shape.neurons)
    width = int(shape.width)
    components = (width + 1) * neurons
    longest = max(dim, neurons)
    blocks = -(-n // BLOCK)
    patterns = neurons + 1
    if shape.join == EVOLVED:
        patterns = 1 << neurons if neurons <= TABLE_NEURONS else 2
    work = PointsWork(
        net=Neurons(
            weight=np.zeros((2, neurons + 1, longest)),
            rounded=np.zeros((neurons + 1, longest)),
            neuron=_records(NEURON, neurons + 1),
            component=_records(COMPONENT, components),
            term=_records(TERM, neurons + 1, 2 * longest + 4),
            written=np.zeros(components, np.int64),
        ),
        table=np.zeros((2, patterns), np.int64),
        sums=np.zeros(patterns),
        columns=points.columns.copy(),
        whole=np.zeros((4, n), np.int64),
        real=np.zeros((3, n)),
        dots=np.zeros((2, neurons, n)),
        found=np.zeros((2, blocks), np.int64),
        ceiling=np.zeros(blocks, np.int64),
        guard=np.zeros(blocks),
        tally=_records(TALLY, 1)[0],
        hidden=np.zeros(neurons),
        start=np.zeros(2 * BINS + 2, np.int64),
        near=np.zeros((neurons + 4, neurons), np.int64),
    )
    work.net.neuron.terms = STAYS
    work.net.component.neuron = np.minimum(np.arange(components) // width, neurons)
    work.whole[GAIN] = points.gain
    work.real[NORM] = points.norm
    return work
