"""Mutation: which components change, and by how much.

A step law reaches the kernels as data: a kind, a few numbers and perhaps a table. The set of kinds
is closed, the set of laws is open, because any law on 1..r can be given as a table.
"""

import math
from typing import NamedTuple

import numpy as np

from hyperna._kernels.jit import inline_kernel, lean_kernel
from hyperna._kernels.random import (
    below,
    following,
    geometric,
    load,
    pick,
    positive_uniform,
    save,
    uniform,
)

CONSTANT, TABLE, BLOCKS, UNIFORM, PARETO, CAUCHY, EXPONENTIAL, SELF_ADJUSTING = range(8)

BLOCKS_PER_OCTAVE = 16
_LOG_BLOCKS = 4
# Up to this many components there is a table of all subsets.
LARGEST_SUBSET_TABLE = 8
_ONE = np.uint64(1)
_TO_53_BITS = np.uint64(11)
# Void steps in a row that the table of choices tells apart.
VOID_LEVELS = 8


class Mutation(NamedTuple):
    """Which components change how often and by what law: see `propose`.

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
def to_unit(word):
    """A random word as a float in [0, 1)."""
    return np.float64(np.int64(word >> _TO_53_BITS)) * 2.0**-53


@inline_kernel
def draw_block(mutation, word, s0, s1, s2, s3):
    """A step of the power law P(l) ~ l**-exponent on 1..largest, and the generator's state.

    Block i begins at i for i < 16; from there on every octave has 16 blocks of equal size. A block
    is drawn in proportion to its size times the law's value at its beginning, a step uniformly in
    the block, and the step is kept with the ratio of its own value to that at the beginning.
    """
    table = 1 << mutation.table_bits
    while True:
        block = pick(word, mutation.threshold, mutation.alias, table, mutation.length_bits)
        log_size = max((block >> _LOG_BLOCKS) - 1, 0)
        first = (block - (log_size << _LOG_BLOCKS)) << log_size
        word, s0, s1, s2, s3 = following(s0, s1, s2, s3)
        length = first + np.int64(word & np.uint64((1 << log_size) - 1))
        word, s0, s1, s2, s3 = following(s0, s1, s2, s3)
        chance = to_unit(word)
        if mutation.exponent != 1.0:
            chance **= 1.0 / mutation.exponent
        if length <= mutation.largest and chance * length < first:
            return length, s0, s1, s2, s3
        word, s0, s1, s2, s3 = following(s0, s1, s2, s3)


@lean_kernel
def draw_rare(mutation, stream, modulus):
    """A step of the uniform law or, in grid units and modulo `modulus`, of a continuous one."""
    if mutation.kind == UNIFORM:
        return below(stream, mutation.largest) + 1
    u = positive_uniform(stream)
    if mutation.kind == PARETO:
        length = mutation.scale * (u ** (-1.0 / mutation.exponent) - 1.0)
    elif mutation.kind == CAUCHY:
        length = mutation.scale * math.tan(0.5 * math.pi * (1.0 - u))
    else:
        length = -mutation.scale * math.log(u)
    return np.int64(np.rint(min(length, 1.0e300)) % np.float64(modulus))


@inline_kernel
def list_subset(mutation, choice, changed):
    """Write the components of a subset, given as a bit pattern, to `changed`; their number."""
    count = np.int64(0)
    for t in range(mutation.component.size):
        changed[count] = mutation.component[t]
        count += (choice >> t) & 1
    return count


@lean_kernel
def draw_subset(mutation, stream, count, changed):
    """Write `count` random components to `changed` (Floyd's algorithm)."""
    component = mutation.component
    for filled in range(count):
        top = component.size - count + filled
        candidate = component[np.int64(uniform(stream) * (top + 1))]
        for t in range(filled):
            if changed[t] == candidate:
                candidate = component[top]
                break
        changed[filled] = candidate


@inline_kernel
def propose(mutation, stream, genome, changed, old, velocity):
    """Turn `genome` into an offspring in place.

    Returns the number of components in `changed`, whose former values are in `old`, and the number
    of void steps that came first. Unless void steps are redrawn the offspring may still equal its
    parent (l = r on an angle).

    The entries of the first table stand for the void steps and for what changes then: the lower
    `choice_bits` bits say what changes (the set of components as a bit pattern, or their number
    where they are more than LARGEST_SUBSET_TABLE), the bits above how many void steps come first,
    the last such number: at least so many. The lowest bit of a length's word is its sign.
    """
    s0, s1, s2, s3 = load(stream)
    lengths = 1 << mutation.table_bits
    while True:
        word, s0, s1, s2, s3 = following(s0, s1, s2, s3)
        entry = pick(word, mutation.threshold, mutation.alias, 0, mutation.table_bits)
        voids = entry >> mutation.choice_bits
        count = entry & ((1 << mutation.choice_bits) - 1)
        if voids == VOID_LEVELS - 1:
            save(stream, s0, s1, s2, s3)
            voids += geometric(stream, mutation.void_log)
            s0, s1, s2, s3 = load(stream)
        if mutation.component.size <= LARGEST_SUBSET_TABLE:
            count = list_subset(mutation, count, changed)
        else:
            save(stream, s0, s1, s2, s3)
            draw_subset(mutation, stream, count, changed)
            s0, s1, s2, s3 = load(stream)
        different = False
        for t in range(count):
            c = changed[t]
            modulus = mutation.modulus[c]
            value = genome[c]
            old[t] = value
            word, s0, s1, s2, s3 = following(s0, s1, s2, s3)
            sign = 1 - 2 * np.int64(word & _ONE)
            if mutation.kind == TABLE:
                length = 1 + pick(
                    word, mutation.threshold, mutation.alias, lengths, mutation.length_bits
                )
            elif mutation.kind == CONSTANT:
                length = np.int64(1)
            elif mutation.kind == BLOCKS:
                length, s0, s1, s2, s3 = draw_block(mutation, word, s0, s1, s2, s3)
            elif mutation.kind == SELF_ADJUSTING:
                length = np.int64(velocity[c])
            else:
                save(stream, s0, s1, s2, s3)
                length = draw_rare(mutation, stream, modulus)
                s0, s1, s2, s3 = load(stream)
            # Bit operations instead of branches, which could not be predicted.
            value += sign * length
            value += modulus & (value >> 63)
            value -= modulus
            value += modulus & (value >> 63)
            if value < 0 or value >= modulus:
                value %= modulus
            genome[c] = value
            different |= value != old[t]
        if different or not mutation.redraw:
            save(stream, s0, s1, s2, s3)
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
