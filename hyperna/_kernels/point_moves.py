"""How the direction of a neuron moves: by an angle, or in the plane of two coordinates.

An angle is a component of the genome, and what it is moved to is on the grid. A turn changes two
weights; the angles of the turned neuron are rounded to the grid, the finest there is, when it is
kept or when a point is so close to its hyperplane that rounding decides.
"""

from hyperna._kernels.geometry import cos_sin_turn, neuron_weights
from hyperna._kernels.mutation import AngleMove, RotationMove
from hyperna._kernels.protocol import implement
from hyperna._kernels.rotations import turn_in_plane, write_angles


def _turn_angle(move, mutation, steps, genome, c, place, first, weight, size, resolution, angle):
    """Change an angle: the weights from it on change."""
    genome[c] = (genome[c] + steps.move[place]) % mutation.modulus[c]
    if size == 1:
        weight[0] = 1.0 - 2.0 * genome[c]
        return
    angle[0, c], angle[1, c] = cos_sin_turn(genome[c], resolution)
    product = 1.0
    for k in range(size - 1):
        weight[k] = product * angle[0, first + k]
        product *= angle[1, first + k]
    weight[size - 1] = product


def _round_nothing(move, genome, first, weight, size, resolution, rounded):
    """The weights are those of the genome."""
    for j in range(size):
        rounded[j] = weight[j]


def _turn_plane(move, mutation, steps, genome, c, place, first, weight, size, resolution, angle):
    """Turn the normal in a plane."""
    turn_in_plane(weight, size, steps.plane[place], steps.move[place] * move.unit, resolution)


def _round_to_grid(move, genome, first, weight, size, resolution, rounded):
    """Round the angles of a normal to the grid; `rounded` are the weights that they stand for."""
    write_angles(weight, size, resolution, genome, first)
    neuron_weights(genome, size, resolution, first, rounded)


implement(AngleMove, turn=_turn_angle, round_off=_round_nothing)
implement(RotationMove, turn=_turn_plane, round_off=_round_to_grid)
