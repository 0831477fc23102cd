"""Exact fitness on the sphere in D >= 3: one neuron in any dimension, any network at D = 3."""

import math
from typing import NamedTuple

import numpy as np

from hyperna._kernels.caps import wedge_share
from hyperna._kernels.geometry import EVOLVED, cos_sin_turn, neuron_weights
from hyperna._kernels.jit import inner_kernel
from hyperna._kernels.mirrors import near_optimum
from hyperna._kernels.order import accepts
from hyperna._kernels.protocol import implement, prepare
from hyperna._kernels.sphere_areas import Arrangement, area_right, new_arrangement, place_circle
from hyperna._kernels.state import CHANGED, GENOME, OLD
from hyperna._kernels.steps import take_step


class Cap(NamedTuple):
    """One neuron on the sphere, which fires on a cap, and labels that depend on the azimuth.

    One turn of the azimuth is `turn` units, an angle is `step` of them; `arcs` has two rows, the
    starts and the ends of the positive arcs. The area of the sphere is `units`, of which `negative`
    are not positive. `modulus` are the numbers of values of a neuron's components; one that has
    more than `dim` of them is bent.
    """

    dim: int
    modulus: np.ndarray
    resolution: int
    turn: int
    step: int
    units: int
    negative: int
    arcs: np.ndarray


class CapWork(NamedTuple):
    """The neuron's normal, and whether it is close to an optimum."""

    normal: np.ndarray
    near: np.ndarray


class Areas(NamedTuple):
    """A network of any size on the sphere in R^3; see `sphere_areas.area_right` for the label."""

    dim: int
    modulus: np.ndarray
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
    return CapWork(np.zeros(fitness.dim), np.zeros((5, 1), np.int64))


def _areas_workspace(fitness):
    neurons, lines = fitness.neurons, fitness.lines
    arrangement = new_arrangement(neurons, len(lines))
    for k, (cosine, sine) in enumerate(lines[:, :2].tolist()):
        place_circle(arrangement.circle[neurons + k], 0.0, -sine, cosine, 0.0)
    output, near = np.zeros(neurons + 1), np.zeros((neurons + 4, neurons), np.int64)
    return AreasWork(arrangement, np.zeros(3), output, near)


@inner_kernel
def cap_height(genome, first, dim, width, resolution):
    """The t of the cap {w·x >= t} on which the neuron at component `first` fires."""
    bias = (2.0 * genome[first + dim - 1] - resolution) / resolution
    if width == dim:
        return bias
    cosine, sine = cos_sin_turn(genome[first + dim], 2 * resolution)
    reach = bias * sine
    return reach * sine + cosine * math.sqrt((1.0 - reach) * (1.0 + reach))


@inner_kernel
def wedge_units(cap, t, s, u, azimuth):
    """Units in the cap and the wedge [0, azimuth], for azimuths up to half a turn.

    Rounding every wedge on its own keeps equal what is equal by symmetry.
    """
    cosine, sine = cos_sin_turn(azimuth, cap.turn)
    beta = 2.0 * math.pi * (np.float64(azimuth) / np.float64(cap.turn))
    return np.int64(np.rint(wedge_share(cap.dim, t, s, u, beta, cosine, sine) * cap.units))


def _cap_score(fitness, work, genome):
    dim, normal, turn = fitness.dim, work.normal, fitness.turn
    t = cap_height(genome, 0, dim, fitness.modulus.size, fitness.resolution)
    neuron_weights(genome, dim, fitness.resolution, 0, normal)
    square, product = 0.0, 1.0
    for k in range(dim - 2):
        square += normal[k] * normal[k]
        product *= cos_sin_turn(genome[k], fitness.resolution)[1]
    s, u = abs(product), math.sqrt(min(square, 1.0))
    centre = genome[dim - 2] * fitness.step
    if product < 0.0:
        centre += turn >> 1
    elif product == 0.0:
        # a normal along the first axes has no azimuth
        centre = np.int64(0)
    half = wedge_units(fitness, t, s, u, turn >> 1)
    inside = np.int64(0)
    for j in range(fitness.arcs.shape[1]):
        before = np.int64(0)
        for end in range(2):
            azimuth = (fitness.arcs[end, j] - centre) % turn
            if 2 * azimuth <= turn:
                units = wedge_units(fitness, t, s, u, azimuth)
            else:
                units = 2 * half - wedge_units(fitness, t, s, u, turn - azimuth)
            inside += units if end == 1 else -units
            if end == 1 and azimuth < before:
                inside += 2 * half
            before = azimuth
    return fitness.negative + 2 * inside - 2 * half


def _areas_score(fitness, work, genome):
    dim, neurons, r, normal = fitness.dim, fitness.neurons, fitness.resolution, work.normal
    for i in range(neurons):
        first = i * fitness.modulus.size
        t = cap_height(genome, first, dim, fitness.modulus.size, r)
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
    genome, changed, old = genes[GENOME], genes[CHANGED], genes[OLD]
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
