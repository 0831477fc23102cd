"""Where a run starts: a random genome, on the grid or with normals uniform on the sphere."""

from hyperna._kernels.geometry import write_angles
from hyperna._kernels.jit import inner_kernel
from hyperna._kernels.random import below, normal


@inner_kernel
def draw_direction(stream, dim, resolution, direction, genome, first):
    """Write the angles of a direction uniform on the sphere, rounded to the grid, from `first` on.

    `direction` is room for its coordinates.
    """
    for j in range(dim):
        direction[j] = normal(stream)
    write_angles(direction, dim, resolution, genome, first)


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
