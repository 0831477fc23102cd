"""Where a run begins: a random genome, on the grid or with normals uniform on the sphere."""

import math

import numpy as np

from hyperna._kernels.jit import lean_kernel
from hyperna._kernels.random import below, normal


@lean_kernel
def copy_into(target, source):
    """``target[:] = source``, which numba would make a temporary copy for."""
    for i in range(target.size):
        target[i] = source[i]


@lean_kernel
def sphere_angles(stream, genome, first, dim, resolution, direction):
    """Write the angles of a random direction, rounded to the grid, to genome[first:]."""
    for j in range(dim):
        direction[j] = normal(stream)
    if dim == 1:
        genome[first] = 1 if direction[0] < 0.0 else 0
        return
    tail = direction[dim - 1] * direction[dim - 1]
    for back in range(dim - 1):
        k = dim - 2 - back
        if k == dim - 2:
            angle = math.atan2(direction[dim - 1], direction[k])
        else:
            angle = math.atan2(math.sqrt(tail), direction[k])
        tail += direction[k] * direction[k]
        turns = angle / (2.0 * math.pi)
        if turns < 0.0:
            turns += 1.0
        genome[first + k] = np.int64(np.rint(turns * resolution)) % resolution


@lean_kernel
def draw_start(limits, mutation, genome, direction, stream):
    """Write a random genome; components that never mutate keep their fixed value (bias zero)."""
    for c in range(genome.size):
        genome[c] = limits.fixed_value
    for t in range(mutation.component.size):
        c = mutation.component[t]
        genome[c] = below(stream, mutation.modulus[c])
    if not limits.sphere:
        return
    width = max(limits.dim, 2)
    hidden = width * limits.neurons
    for i in range(limits.neurons):
        sphere_angles(stream, genome, i * width, limits.dim, limits.resolution, direction)
    if genome.size > hidden:
        sphere_angles(stream, genome, hidden, limits.neurons, limits.resolution, direction)
