"""The chain of two neurons: a product of two axes again, each of them a whole neuron.

A neuron has r(r+1) states and mutates independently of the other one, so that the matrix of a
neuron, the Kronecker product of those of its angle and its bias, is all that is needed. Most
networks are on a few fitness levels, which are solved with the four small matrices of the two
angles and the two biases, see `hyperna.theory.wide`.
"""

import numpy as np

from hyperna._validation import IntArray, check_choice, check_real
from hyperna.fitness import ExactArcs
from hyperna.grid import Grid
from hyperna.mutation import StepLaw
from hyperna.theory.chain import Chain, circulant, displacements
from hyperna.theory.landscape import targets
from hyperna.theory.limits import check_affordable

PAIR_OUTPUTS = ("or", "and", "xor")


def pair_chain(
    fitness: ExactArcs,
    resolution: int,
    law: StepLaw,
    output: str,
    bias: bool,
    redraw_void: bool,
    mutation_probability: float | None,
    target: float | None,
) -> tuple[Chain, int]:
    """The chain of two neurons and the score of a network without a mistake."""
    check_choice("output", output, PAIR_OUTPUTS)
    grid = Grid(2, 2, resolution, output)
    r = grid.resolution
    probability = 0.25
    if mutation_probability is not None:
        probability = check_real("mutation_probability", mutation_probability, 0, 1, low_open=True)
    steps = check_affordable(grid, law, bias)
    axes = [circulant(displacements(steps, r, probability))]
    if bias:
        axes.append(circulant(displacements(steps, r + 1, probability)))
    second = np.asarray(np.kron(*axes) if bias else axes[0], dtype=np.float64)
    void = second[0, 0] ** 2 if redraw_void else 0.0
    first = second / (1.0 - void)
    score = two_neuron_scores(fitness, grid, bias)
    found = targets(fitness, grid, score, target, bias)
    parts = (axes[0] / (1.0 - void), *axes[1:], *axes)
    return Chain(score, found, first, second, parts), fitness.units(grid)


def two_neuron_scores(fitness: ExactArcs, grid: Grid, bias: bool) -> IntArray:
    """Scores of all networks of two neurons, first neuron by second neuron."""
    r = grid.resolution
    levels = np.arange(r + 1) if bias else np.array([grid.zero_bias])
    neurons = np.array([(angle, level) for angle in range(r) for level in levels], dtype=np.int64)
    size = len(neurons)
    genomes = np.column_stack((np.repeat(neurons, size, axis=0), np.tile(neurons, (size, 1))))
    return fitness.scores(genomes, grid).reshape(size, size)
