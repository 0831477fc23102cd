"""Steps written out by hand, and what the kernels accept of them."""

from typing import NamedTuple

import numpy as np

from hyperna._kernels.jit import kernel
from hyperna._kernels.mutation import AngleMove
from hyperna._kernels.point_data import Points
from hyperna._kernels.protocol import first_accepted, prepare
from hyperna._kernels.state import GENOME
from hyperna._kernels.steps import CHOICE, FIRST_MOVE, LARGEST_SUBSET_TABLE, MOST_STEPS
from hyperna._kernels.tables import mutation_data, new_run
from hyperna.mutation import Local


@kernel
def first_look(fitness, work, genome):
    return prepare(fitness, work, genome)


@kernel
def look_on(fitness, work, mutation, steps, genes, first, last, score):
    return first_accepted(fitness, work, mutation, steps, genes, first, last, score)


class Accepted(NamedTuple):
    """An offspring that has become the parent."""

    step: int
    genome: list
    score: int


def random_changes(rng, moduli, length):
    """Mostly one or two changed components, of all magnitudes; now and then very many."""
    changes = []
    for _ in range(length):
        count = min(1 + rng.poisson(0.7), len(moduli))
        if rng.random() < 0.02:
            count = min(len(moduli), 60)
        chosen = np.sort(rng.permutation(len(moduli))[:count])
        size = np.floor(np.asarray(moduli)[chosen] ** rng.random(count)).astype(np.int64)
        changes.append((chosen, size * rng.choice([-1, 1], count)))
    return changes


def look_at(fitness, grid, genome, changes):
    """What the kernels make of steps from a genome: the start, and every accepted offspring."""
    moduli = np.array(grid.moduli)
    points = fitness.compiled_form(grid)
    move = grid.rotations(1, planes=False) if isinstance(points, Points) else AngleMove(1)
    mutation = mutation_data(Local().steps(10), np.arange(moduli.size), moduli, 0.5, False, move)
    most = max(len(chosen) for chosen, _ in changes)
    run = new_run(mutation)
    steps = run.steps._replace(
        move=np.zeros(MOST_STEPS * most + 8, np.int64),
        part=np.zeros(MOST_STEPS * most if moduli.size > 8 else 0, np.int64),
    )
    run.genes[GENOME] = genome
    work = points.workspace()
    score = first_look(points, work, run.genes[GENOME])
    found = [Accepted(-1, list(genome), score)]
    for begin in range(0, len(changes), MOST_STEPS):
        block = changes[begin : begin + MOST_STEPS]
        write_steps(steps, block, moduli.size)
        step = 0
        while step < len(block):
            step, score = look_on(points, work, mutation, steps, run.genes, step, len(block), score)
            if step < len(block):
                genome = run.genes[GENOME].tolist()
                found.append(Accepted(begin + step, genome, score))
            step += 1
    return found


def write_steps(steps, changes, components):
    place = 0
    for i, (chosen, moves) in enumerate(changes):
        few = components <= LARGEST_SUBSET_TABLE
        steps.step[CHOICE, i] = sum(1 << int(c) for c in chosen) if few else len(chosen)
        steps.step[FIRST_MOVE, i] = place
        steps.move[place : place + len(chosen)] = moves
        if not few:
            steps.part[place : place + len(chosen)] = chosen
        place += len(chosen)


def expected_of(judge, grid, genome, changes):
    """The same by a function from a genome to its score."""
    moduli, genome = np.array(grid.moduli), np.array(genome)
    score = judge(genome)
    found = [Accepted(-1, genome.tolist(), score)]
    for i, (chosen, moves) in enumerate(changes):
        offspring = genome.copy()
        offspring[chosen] = (offspring[chosen] + moves) % moduli[chosen]
        value = judge(offspring)
        if value >= score:
            score, genome = value, offspring
            found.append(Accepted(i, genome.tolist(), score))
    return found
