"""Mutation: which components change, and by how much.

A step law reaches the kernels as data: a kind, a few numbers and perhaps a table. The set of kinds
is closed, the set of laws is open, because any law on 1..r can be given as a table.
"""

import math
from typing import NamedTuple

import numpy as np

from hyperna._kernels.jit import inline_kernel
from hyperna._kernels.random import below, geometric, next_word, pick, positive_uniform, uniform

CONSTANT, TABLE, BLOCKS, UNIFORM, PARETO, CAUCHY, EXPONENTIAL, SELF_ADJUSTING = range(8)

BLOCKS_PER_OCTAVE = 16
_LOG_BLOCKS = 4
# Up to this many components there is a table of all subsets.
LARGEST_SUBSET_TABLE = 8
_ONE = np.uint64(1)
# Void steps in a row that the table of choices tells apart.
VOID_LEVELS = 8


class Mutation(NamedTuple):
    """Which components change how often (see `draw_choice`), and by what law (see `draw_length`).

    `threshold` and `alias` hold two alias tables one after the other: 2**table_bits entries for
    what changes and 2**length_bits entries for the lengths. `void_log` is the logarithm of a void
    step's probability.
    """

    kind: int
    largest: int
    exponent: float
    scale: float
    growth: float
    decay: float
    probability: float
    redraw: bool
    void_log: float
    choice_bits: int
    table_bits: int
    length_bits: int
    threshold: np.ndarray
    alias: np.ndarray
    component: np.ndarray
    modulus: np.ndarray


@inline_kernel
def draw_block(mutation, stream, word):
    """A step of the power law P(l) ~ l**-exponent on 1..largest.

    Block i begins at i for i < 16; from there on every octave has 16 blocks of equal size. A block
    is drawn in proportion to its size times the law's value at its beginning, a step uniformly in
    the block, and the step is kept with the ratio of its own value to that at the beginning.
    """
    table = 1 << mutation.table_bits
    while True:
        block = pick(word, mutation.threshold, mutation.alias, table, mutation.length_bits)
        log_size = max((block >> _LOG_BLOCKS) - 1, 0)
        first = (block - (log_size << _LOG_BLOCKS)) << log_size
        length = first + np.int64(next_word(stream) & np.uint64((1 << log_size) - 1))
        chance = uniform(stream)
        if mutation.exponent != 1.0:
            chance **= 1.0 / mutation.exponent
        if length <= mutation.largest and chance * length < first:
            return length
        word = next_word(stream)


@inline_kernel
def draw_real(mutation, stream):
    """A step of a continuous law, in grid units, rounded."""
    u = positive_uniform(stream)
    if mutation.kind == PARETO:
        length = mutation.scale * (u ** (-1.0 / mutation.exponent) - 1.0)
    elif mutation.kind == CAUCHY:
        length = mutation.scale * math.tan(0.5 * math.pi * (1.0 - u))
    else:
        length = -mutation.scale * math.log(u)
    return np.rint(min(length, 1.0e300))


@inline_kernel
def draw_length(mutation, stream, modulus):
    """A signed step; lengths of continuous laws are reduced modulo `modulus`.

    The sign is the lowest bit of the first word drawn, which no length depends on.
    """
    word = next_word(stream)
    sign = 1 - 2 * np.int64(word & _ONE)
    if mutation.kind == TABLE:
        table = 1 << mutation.table_bits
        length = 1 + pick(word, mutation.threshold, mutation.alias, table, mutation.length_bits)
    elif mutation.kind == CONSTANT:
        length = np.int64(1)
    elif mutation.kind == BLOCKS:
        length = draw_block(mutation, stream, word)
    elif mutation.kind == UNIFORM:
        length = below(stream, mutation.largest) + 1
    else:
        length = np.int64(draw_real(mutation, stream) % np.float64(modulus))
    return sign * length


@inline_kernel
def draw_choice(mutation, stream):
    """What changes in the next step that is not void, and how many void steps precede it.

    The entries of one table stand for both: the lower `choice_bits` bits say what changes (the set
    of components as a bit pattern, or their number where they are more than LARGEST_SUBSET_TABLE),
    the bits above how many void steps come first, the last such number: at least so many.
    """
    entry = pick(next_word(stream), mutation.threshold, mutation.alias, 0, mutation.table_bits)
    voids = entry >> mutation.choice_bits
    if voids == VOID_LEVELS - 1:
        voids += geometric(stream, mutation.void_log)
    return voids, entry & ((1 << mutation.choice_bits) - 1)


@inline_kernel
def list_components(mutation, stream, choice, changed):
    """Write the components that change to `changed`, return their number."""
    component = mutation.component
    size = component.size
    if size <= LARGEST_SUBSET_TABLE:
        count = np.int64(0)
        for t in range(size):
            changed[count] = component[t]
            count += (choice >> t) & 1
        return count
    if choice == 1:
        changed[0] = component[np.int64(uniform(stream) * size)]
        return choice
    # Floyd's algorithm: a uniform subset without a permutation kept from step to step
    for filled in range(choice):
        top = size - choice + filled
        candidate = component[np.int64(uniform(stream) * (top + 1))]
        for t in range(filled):
            if changed[t] == candidate:
                candidate = component[top]
                break
        changed[filled] = candidate
    return choice


@inline_kernel
def change(mutation, stream, genome, changed, old, count, velocity):
    """Mutate the chosen components of `genome`; True when anything is different afterwards."""
    different = False
    for t in range(count):
        c = changed[t]
        modulus = mutation.modulus[c]
        value = genome[c]
        old[t] = value
        if mutation.kind == SELF_ADJUSTING:
            value += np.int64(velocity[c]) * (1 - 2 * np.int64(next_word(stream) & _ONE))
        else:
            value += draw_length(mutation, stream, modulus)
        # Bit operations instead of branches, which could not be predicted.
        value += modulus & (value >> 63)
        value -= modulus
        value += modulus & (value >> 63)
        if value < 0 or value >= modulus:
            value %= modulus
        genome[c] = value
        different |= value != old[t]
    return different


@inline_kernel
def propose(mutation, stream, genome, changed, old, velocity):
    """Turn `genome` into an offspring in place.

    Returns the number of components in `changed`, whose former values are in `old`, and the number
    of void steps that came first. Unless void steps are redrawn the offspring may still equal its
    parent (l = r on an angle).
    """
    while True:
        voids, choice = draw_choice(mutation, stream)
        count = list_components(mutation, stream, choice, changed)
        different = change(mutation, stream, genome, changed, old, count, velocity)
        if different or not mutation.redraw:
            return count, voids


@inline_kernel
def restore(genome, changed, old, count):
    """Undo `propose`."""
    for t in range(count):
        genome[changed[t]] = old[t]


@inline_kernel
def adjust_velocity(mutation, velocity, changed, count, improved):
    """Doerr, Doerr and Kötzing (2018): longer steps after an improvement, else shorter ones."""
    for t in range(count):
        c = changed[t]
        if improved:
            longest = max(1.0, np.float64(mutation.modulus[c] // 4))
            velocity[c] = min(velocity[c] * mutation.growth, longest)
        else:
            velocity[c] = max(velocity[c] * mutation.decay, 1.0)
