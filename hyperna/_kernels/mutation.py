"""Mutation: by how much a component changes.

A step law reaches the kernels as data: a kind, a few numbers and perhaps a table. The set of kinds
is closed, the set of laws is open, because any law on 1..r can be given as a table.
"""

import math
from typing import NamedTuple

import numpy as np

from hyperna._kernels.jit import inline_kernel, lean_kernel
from hyperna._kernels.random import below, following, pick, positive_uniform

CONSTANT, TABLE, BLOCKS, UNIFORM, PARETO, CAUCHY, EXPONENTIAL, SELF_ADJUSTING = range(8)

BLOCKS_PER_OCTAVE = 16
_LOG_BLOCKS = 4
_TO_53_BITS = np.uint64(11)


class Mutation(NamedTuple):
    """Which components change how often and by what law.

    `table` holds two alias tables one after the other: 2**table_bits entries for what changes and
    2**length_bits entries for the lengths. `void_log` is the logarithm of a void step's
    probability.
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
    table: np.ndarray
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
    while True:
        block = pick(word, mutation.table, 1 << mutation.table_bits, mutation.length_bits)
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
def adjust_velocity(mutation, velocity, changed, count, improved):
    """Doerr, Doerr and Kötzing (2018): longer steps after an improvement, else shorter ones."""
    for t in range(count):
        c = changed[t]
        if improved:
            longest = max(1.0, np.float64(mutation.modulus[c] // 4))
            velocity[c] = min(velocity[c] * mutation.growth, longest)
        else:
            velocity[c] = max(velocity[c] * mutation.decay, 1.0)
