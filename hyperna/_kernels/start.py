"""Where a run starts: a random genome, on the grid or with normals uniform on the sphere."""

import math

import numpy as np

from hyperna._kernels.jit import inner_kernel
from hyperna._kernels.random import below, normal


@inner_kernel
def draw_direction(stream, dim, resolution, direction, genome, first):
    """Write the angles of a direction uniform on the sphere, rounded to the grid, from `first` on.

    `direction` is room for its coordinates.
    """
    tail = 0.0
    for j in range(dim):
        direction[j] = normal(stream)
    if dim == 1:
        genome[first] = 1 if direction[0] < 0.0 else 0
    for back in range(dim - 1):
        k = dim - 2 - back
        rest = direction[dim - 1]
        if back > 0:
            rest = math.sqrt(tail)
        else:
            tail = rest * rest
        turns = math.atan2(rest, direction[k]) / (2.0 * math.pi)
        tail += direction[k] * direction[k]
        if turns < 0.0:
            turns += 1.0
        genome[first + k] = np.int64(np.rint(turns * resolution)) % resolution


@inner_kernel
def draw_start(limits, mutation, genome, direction, stream):
    """Write a random genome; components that never mutate keep their fixed value (bias zero).

    For a start on the sphere the angles of each neuron, the output neuron last, are those of a
    random direction, rounded to the grid.
    """
    for c in range(genome.size):
        genome[c] = limits.fixed_value
    for t in range(mutation.component.size):
        c = mutation.component[t]
        genome[c] = below(stream, mutation.modulus[c]) * limits.start_unit
    if not limits.sphere:
        return
    hidden = limits.width * limits.neurons
    for i in range(limits.neurons + (1 if genome.size > hidden else 0)):
        first = i * limits.width
        dim = limits.dim
        if i == limits.neurons:
            dim = limits.neurons
        draw_direction(stream, dim, limits.resolution, direction, genome, first)
