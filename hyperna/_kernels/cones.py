"""Finite sets of points in any dimension, for neurons of either kind: short and simple.

A bent neuron fires where x - b w makes an angle of at most theta with its normal w. With s = w·x
that is s - b >= cos(theta) sqrt(|x|² - 2 b s + b²). Every network is evaluated from nothing. The
(1+1) NA with a fixed number of plain neurons has a faster kind, `hyperna._kernels.points`;
populations and an evolved number of neurons take this one.
"""

import math
from typing import NamedTuple

import numpy as np

from hyperna._kernels.geometry import EVOLVED, OR, answer, neuron_weights
from hyperna._kernels.jit import inner_kernel, kernel
from hyperna._kernels.mirrors import near_optimum
from hyperna._kernels.order import accepts
from hyperna._kernels.protocol import implement
from hyperna._kernels.state import CHANGED, GENOME, OLD
from hyperna._kernels.steps import take_step


class Cones(NamedTuple):
    """Labelled points with weights, and the shape of the networks.

    `columns` has a row for each coordinate, `square` is |x|². `modulus` are the numbers of values
    of a neuron's components: its angles, bias and, if neurons are `bent`, its bend.
    """

    columns: np.ndarray
    square: np.ndarray
    positive: np.ndarray
    weight: np.ndarray
    resolution: int
    neurons: int
    join: int
    modulus: np.ndarray
    bent: bool


class ConesWork(NamedTuple):
    """Rows of `fires`: the parent's neurons, then the offspring's; `used` says which count."""

    fires: np.ndarray
    used: np.ndarray
    dot: np.ndarray
    normal: np.ndarray
    output: np.ndarray
    near: np.ndarray


def _workspace(fitness):
    neurons = fitness.neurons
    dim, n = fitness.columns.shape
    return ConesWork(
        np.zeros((2 * neurons, n), np.bool_),
        np.arange(neurons),
        np.zeros(n),
        np.zeros(dim),
        np.zeros(neurons + 1),
        np.zeros((neurons + 4, neurons), np.int64),
    )


@kernel
def bend_cosines(theta, out):
    """Write the cosine of each angle, exactly 0 at a right angle, as the kernels compute it."""
    for i in range(theta.size):
        out[i] = math.sin(0.5 * math.pi - theta[i])


@inner_kernel
def fire(cones, work, genome, neuron, row):
    """Write at which points a neuron fires."""
    columns = cones.columns
    fires = work.fires[row]
    dot = work.dot
    r = cones.resolution
    dim, n = columns.shape
    first = neuron * cones.modulus.size
    bias = neuron_weights(genome, dim, r, first, work.normal)
    cosine = 0.0
    if cones.bent:
        bend = np.float64(genome[first + cones.modulus.size - 1])
        cosine = math.sin(0.5 * math.pi - math.pi * (bend / np.float64(r)))
    for p in range(n):
        dot[p] = columns[0, p] * work.normal[0]
    for j in range(1, dim):
        w = work.normal[j]
        for p in range(n):
            dot[p] += columns[j, p] * w
    for p in range(n):
        s = dot[p]
        reach = 0.0
        if cosine != 0.0:
            away = max(cones.square[p] - 2.0 * bias * s + bias * bias, 0.0)
            reach = cosine * math.sqrt(away)
        fires[p] = s - bias >= reach


@inner_kernel
def total_right(cones, work):
    """Weight of the points at which the network is right."""
    right = np.int64(0)
    neurons = cones.neurons
    join = cones.join
    for p in range(cones.positive.size):
        firing, total = 0, 0.0
        for i in range(neurons):
            if work.fires[work.used[i], p]:
                firing += 1
                total += work.output[i]
        if answer(join, neurons, firing, total, work.output[neurons]) == cones.positive[p]:
            right += cones.weight[p]
    return right


@inner_kernel
def read_output(cones, work, genome):
    """Compute the evolved output neuron."""
    first = cones.neurons * cones.modulus.size
    bias = neuron_weights(genome, cones.neurons, cones.resolution, first, work.output)
    work.output[cones.neurons] = bias


def _prepare(fitness, work, genome):
    for i in range(fitness.neurons):
        work.used[i] = i
        fire(fitness, work, genome, i, i)
    if fitness.join == EVOLVED:
        read_output(fitness, work, genome)
    return total_right(fitness, work)


def _first_accepted(fitness, work, mutation, steps, genes, first, last, score):
    genome = genes[GENOME]
    changed = genes[CHANGED]
    old = genes[OLD]
    neurons = fitness.neurons
    width = fitness.modulus.size
    used = work.used
    for step in range(first, last):
        count = take_step(mutation, steps, step, genome, changed, old)
        output_changed = False
        for t in range(count):
            neuron = changed[t] // width
            if changed[t] >= neurons * width:
                output_changed = True
            elif used[neuron] == neuron:
                used[neuron] = neurons + neuron
                fire(fitness, work, genome, neuron, neurons + neuron)
        if output_changed:
            read_output(fitness, work, genome)
        found = total_right(fitness, work)
        accepted = accepts(found, score)
        for neuron in range(neurons):
            if used[neuron] != neuron:
                used[neuron] = neuron
                if accepted:
                    for p in range(fitness.positive.size):
                        work.fires[neuron, p] = work.fires[neurons + neuron, p]
        if accepted:
            return step, found
        for t in range(count):
            genome[changed[t]] = old[t]
        if output_changed:
            read_output(fitness, work, genome)
    return last, score


def _optimal(fitness, work, genome, optima, tolerance):
    directions = max(fitness.columns.shape[0] - 1, 1)
    return near_optimum(genome, fitness.modulus, directions, optima, tolerance, work.near)


def _resized(kind, topology, neurons):
    return Cones(
        columns=kind.columns,
        square=kind.square,
        positive=kind.positive,
        weight=kind.weight,
        resolution=kind.resolution,
        neurons=neurons,
        join=kind.join if neurons > 1 else OR,
        modulus=kind.modulus,
        bent=kind.bent,
    )


implement(
    Cones,
    workspace=_workspace,
    prepare=_prepare,
    first_accepted=_first_accepted,
    optimal=_optimal,
    resized=_resized,
)
