"""Turns in the plane of two coordinates: on weights, and as steps between genomes."""

import numpy as np

from hyperna._kernels.geometry import cos_sin_turn, neuron_weights, write_angles
from hyperna._kernels.jit import inner_kernel
from hyperna._kernels.mutation import RotationMove
from hyperna._kernels.order import smaller
from hyperna._kernels.protocol import implement
from hyperna._kernels.steps import CHOICE, FIRST_MOVE, LARGEST_SUBSET_TABLE


@inner_kernel
def turn_in_plane(weight, size, plane, length, resolution):
    """Turn a direction by a number of grid steps in a plane.

    `plane` is the number of an ordered pair of coordinates a, b. Returns a, b, and by how much the
    weight of each changes.
    """
    a, b = plane // (size - 1), plane % (size - 1)
    if b >= a:
        b += 1
    cosine, sine = cos_sin_turn(length % resolution, resolution)
    x, y = weight[a], weight[b]
    weight[a] = cosine * x - sine * y
    weight[b] = sine * x + cosine * y
    return a, b, weight[a] - x, weight[b] - y


def _step_by_rotations(move, mutation, steps, i, genome, changed, old):
    """Turn neurons, whose angles all change then; other components are moved as usual.

    The parts of a step are read as they come, and not by `list_parts`: all angles of a neuron go to
    `changed` for one part of the step, which would overwrite the parts to come.
    """
    choice = steps.step[CHOICE, i]  # a bit for each component where these are few, else a number
    place = steps.step[FIRST_MOVE, i]
    unit = move.unit
    few = mutation.component.size <= LARGEST_SUBSET_TABLE
    parts = choice
    if few:
        parts = mutation.component.size
    count = np.int64(0)
    for t in range(parts):
        if few:
            if (choice >> t) & 1 == 0:
                continue
            c = mutation.component[t]
        else:
            c = steps.part[place]
        if move.pairs[c] == 0:
            changed[count], old[count] = c, genome[c]
            count += 1
            # Biases are multiples of `unit` up to r and wrap at r + unit. That of a network given
            # as a start may be none, and would then come to lie beyond r.
            index = (genome[c] + steps.move[place] * unit) % (mutation.modulus[c] * unit)
            genome[c] = smaller(index, move.resolution)
        else:
            neuron = smaller(c // move.width, move.neurons)
            first = neuron * move.width
            size = move.neurons if neuron == move.neurons else move.dim
            listed = False
            for s in range(count):
                listed = listed or changed[s] == first
            if not listed:
                for k in range(size - 1):
                    changed[count], old[count] = first + k, genome[first + k]
                    count += 1
            neuron_weights(genome, size, move.resolution, first, steps.weight)
            turn_in_plane(
                steps.weight, size, steps.plane[place], steps.move[place] * unit, move.resolution
            )
            write_angles(steps.weight, size, move.resolution, genome, first)
        place += 1
    return count


def _resized(kind, topology, neurons):
    return RotationMove(
        unit=kind.unit,
        pairs=topology.pairs[neurons],
        dim=kind.dim,
        neurons=neurons,
        width=kind.width,
        resolution=kind.resolution,
    )


# Its `draw_planes`: `hyperna._kernels.steps`.
implement(RotationMove, step_by=_step_by_rotations, resized=_resized)
