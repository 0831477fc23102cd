"""Exact fitness on the sphere in D >= 3: one neuron in any dimension, any network at D = 3."""

import math
from typing import NamedTuple

import numpy as np

from hyperna._kernels.caps import cap_in_half_space, half_cap, pierced_wedge
from hyperna._kernels.geometry import EVOLVED, cos_sin_turn, neuron_weights
from hyperna._kernels.jit import inner_kernel
from hyperna._kernels.mirrors import near_optimum
from hyperna._kernels.order import accepts
from hyperna._kernels.products import MULTIPLES, multiple, rounded_product
from hyperna._kernels.protocol import implement, prepare
from hyperna._kernels.sphere_areas import Arrangement, area_right, new_arrangement, place_circle
from hyperna._kernels.state import CHANGED, GENOME, OLD
from hyperna._kernels.steps import take_step

# Areas are computed in parts of a unit, and only their sum is rounded to units.
PARTS_BITS = 12
# Planes that come closer to touching a cap do not meet it, and an axis does not pierce it.
TOUCHING = 1e-13


class Cap(NamedTuple):
    """One neuron on the sphere, which fires on a cap, and labels that depend on the azimuth.

    One turn of the azimuth is `turn` units, an angle is `step` of them. The label changes at half
    planes. Two opposite ones that belong to the same half-space are in `lines`, by the azimuth at
    which the positive half-space begins. The others are in `changes`: a row of azimuths, and one
    with 1 where the label ceases to be positive and -1 where it begins to be. Labels that do not
    change are all positive or not, `constant`. The area of the sphere is `units`, of which
    `negative` are not positive. `modulus` are the numbers of values of a neuron's components, the
    last of which is a bend if neurons are `bent`.
    """

    dim: int
    modulus: np.ndarray
    bent: bool
    resolution: int
    turn: int
    step: int
    units: int
    negative: int
    constant: int
    lines: np.ndarray
    changes: np.ndarray


class CapWork(NamedTuple):
    """Whether the neuron is close to an optimum."""

    near: np.ndarray


class Areas(NamedTuple):
    """A network of any size on the sphere in R^3; see `sphere_areas.area_right` for the label."""

    dim: int
    modulus: np.ndarray
    bent: bool
    resolution: int
    neurons: int
    join: int
    units: int
    lines: np.ndarray
    ends: np.ndarray
    positive: np.ndarray


class AreasWork(NamedTuple):
    """Circles, a normal, the output neuron with its bias, and which neurons are close to optima."""

    arrangement: Arrangement
    normal: np.ndarray
    output: np.ndarray
    near: np.ndarray


def _cap_workspace(fitness):
    return CapWork(np.zeros((5, 1), np.int64))


def _areas_workspace(fitness):
    neurons = fitness.neurons
    lines = fitness.lines
    arrangement = new_arrangement(neurons, len(lines))
    for k, (cosine, sine) in enumerate(lines[:, :2].tolist()):
        place_circle(arrangement.circle[neurons + k], 0.0, -sine, cosine, 0.0)
    output = np.zeros(neurons + 1)
    near = np.zeros((neurons + 4, neurons), np.int64)
    return AreasWork(arrangement, np.zeros(3), output, near)


@inner_kernel
def cap_height(genome, first, dim, bent, resolution):
    """The t of the cap {w·x >= t} on which the neuron at component `first` fires.

    The same height of bent neurons may come from different biases and bends, so it is rounded.
    """
    bias = (2.0 * genome[first + dim - 1] - resolution) / resolution
    if not bent:
        return bias
    cosine, sine = cos_sin_turn(genome[first + dim], 2 * resolution)
    reach = bias * sine
    height = reach * sine + cosine * math.sqrt((1.0 - reach) * (1.0 + reach))
    size = multiple(abs(height), 0.0) / MULTIPLES  # the same for mirror images
    return -size if height < 0.0 else size


@inner_kernel
def parts(fitness, share):
    """A share of the sphere in parts of units."""
    return np.int64(np.rint(share * (fitness.units << PARTS_BITS)))


@inner_kernel
def half_space_parts(fitness, genome, azimuth, t, s, u, half):
    """Parts of a cap, of which one half has `half`, in a half-space that holds its centre.

    The half-space ends at an azimuth, up to half a turn, from the centre. Only the angle between
    the two normals matters, whose cosine is a product of sines.
    """
    cosine, sine = cos_sin_turn(azimuth, fitness.turn)
    q, n = rounded_product(
        genome,
        fitness.dim - 2,
        fitness.resolution,
        azimuth,
        fitness.turn,
        s * sine,
        math.sqrt(u * u + s * s * cosine * cosine),
    )
    if q == 0.0:
        return half
    if n <= t + TOUCHING:
        return 2 * half
    return parts(fitness, cap_in_half_space(fitness.dim, t, q, n))


@inner_kernel
def wedge_parts(fitness, azimuth, t, s, u, half):
    """Parts of a cap that the axis pierces in the wedge [0, azimuth], up to half a turn."""
    if azimuth == 0:
        return np.int64(0)
    if 2 * azimuth == fitness.turn:
        return half
    cosine, sine = cos_sin_turn(azimuth, fitness.turn)
    beta = 2.0 * math.pi * (np.float64(azimuth) / np.float64(fitness.turn))
    return parts(fitness, pierced_wedge(fitness.dim, t, s, u, beta, cosine, sine))


def _cap_score(fitness, work, genome):
    """Units on which the label is right.

    Equally good networks have the same score as far as it is known why they are. All areas are
    functions of the height of the cap and of one or two rounded products of sines, and are added as
    integers: what has the same products, or is a mirror image, has the same sum to the last part.
    Sums of different areas may be equal too, for instance if they are rational; their rounding
    errors disappear when parts are rounded to units.
    """
    dim = fitness.dim
    turn = fitness.turn
    resolution = fitness.resolution
    t = cap_height(genome, 0, dim, fitness.bent, resolution)
    square = 0.0
    product = 1.0
    for k in range(dim - 2):
        cosine, sine = cos_sin_turn(genome[k], resolution)
        square += product * cosine * product * cosine
        product *= sine
    s = abs(product)
    u = math.sqrt(square)
    centre = genome[dim - 2] * fitness.step
    rounded_s, rounded_u = s, u
    if dim > 3:
        # at D = 3 it is a single sine
        rounded_s, rounded_u = rounded_product(genome, dim - 2, resolution, turn >> 2, turn, s, u)
    opposite = t < 0.0
    if opposite:
        # what is outside of a cap is the opposite cap
        t = -t
    if (product < 0.0) != opposite:
        centre += turn >> 1
    if rounded_s == 0.0:
        # a normal along the first axes has no azimuth
        centre = np.int64(0)
    half = np.int64(0)
    if t < 1.0:
        half = parts(fitness, half_cap(dim, t))
    pierced = half > 0 and rounded_u > t + TOUCHING
    # two opposite wedges are a half-space: what contains both has to be computed from the same ones
    summed = pierced and fitness.changes.shape[1] > 0
    # the label right before the centre's azimuth is that before the next change
    inside = np.int64(0)
    nearest = turn
    before = fitness.constant
    for j in range(fitness.lines.size):
        azimuth = (fitness.lines[j] - centre) % turn
        within = 2 * azimuth >= turn
        next_change = azimuth - (turn >> 1) if within else azimuth
        if next_change < nearest:
            nearest, before = next_change, 1 if within else 0
        if half > 0:
            near = turn - azimuth if within else azimuth
            if summed:
                beyond = wedge_parts(fitness, near, t, rounded_s, rounded_u, half) - 2 * half
                other = (turn >> 1) - near
                beyond += wedge_parts(fitness, other, t, rounded_s, rounded_u, half)
            else:
                beyond = half_space_parts(fitness, genome, near, t, s, u, half) - 2 * half
            inside += beyond if within else -beyond
    for j in range(fitness.changes.shape[1]):
        azimuth = (fitness.changes[0, j] - centre) % turn
        ends = fitness.changes[1, j]
        if azimuth < nearest:
            nearest, before = azimuth, 1 if ends > 0 else 0
        near = azimuth if 2 * azimuth <= turn else turn - azimuth
        wedge = half
        if pierced:
            wedge = wedge_parts(fitness, near, t, rounded_s, rounded_u, half)
        elif near == 0:
            wedge = np.int64(0)
        elif half > 0 and 4 * near < turn:
            wedge = half_space_parts(fitness, genome, near, t, s, u, half) - half
        if near != azimuth:
            wedge = 2 * half - wedge
        inside += wedge if ends > 0 else -wedge
    inside += 2 * before * half
    right = (fitness.negative << PARTS_BITS) + 2 * inside - 2 * half
    if opposite:
        right = (fitness.units << PARTS_BITS) - right
    return (right + (1 << (PARTS_BITS - 1))) >> PARTS_BITS


def _areas_score(fitness, work, genome):
    dim = fitness.dim
    neurons = fitness.neurons
    r = fitness.resolution
    normal = work.normal
    for i in range(neurons):
        first = i * fitness.modulus.size
        t = cap_height(genome, first, dim, fitness.bent, r)
        neuron_weights(genome, dim, r, first, normal)
        place_circle(work.arrangement.circle[i], normal[0], normal[1], normal[2], t)
    if fitness.join == EVOLVED:
        first = neurons * fitness.modulus.size
        work.output[neurons] = neuron_weights(genome, neurons, r, first, work.output)
    share = area_right(
        work.arrangement,
        fitness.join,
        work.output,
        fitness.positive,
        fitness.lines,
        fitness.ends,
    )
    return np.int64(np.rint(share * fitness.units))


def _first_accepted(fitness, work, mutation, steps, genes, first, last, score):
    genome = genes[GENOME]
    changed = genes[CHANGED]
    old = genes[OLD]
    for step in range(first, last):
        count = take_step(mutation, steps, step, genome, changed, old)
        found = prepare(fitness, work, genome)
        if accepts(found, score):
            return step, found
        for t in range(count):
            genome[changed[t]] = old[t]
    return last, score


def _optimal(fitness, work, genome, optima, tolerance):
    directions = fitness.dim - 1
    return near_optimum(genome, fitness.modulus, directions, optima, tolerance, work.near)


implement(
    Cap,
    workspace=_cap_workspace,
    prepare=_cap_score,
    first_accepted=_first_accepted,
    optimal=_optimal,
)
implement(
    Areas,
    workspace=_areas_workspace,
    prepare=_areas_score,
    first_accepted=_first_accepted,
    optimal=_optimal,
)
