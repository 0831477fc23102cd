"""Lengths of steps, by the kind of law.

Where they depend on what became of the steps before, lengths are filled in for a few steps at a
time as if none of them improved the score (`complete_steps`), and taken back after the first one
that is accepted (`update_law`).
"""

import math

import numpy as np

from hyperna._kernels.jit import inline_kernel, inner_kernel
from hyperna._kernels.mutation import (
    ADAPTIVE,
    CAUCHY,
    CONSTANT,
    EXPONENTIAL,
    PARETO,
    TABLE,
    UNIFORM,
    OtherLaw,
    TableLaw,
)
from hyperna._kernels.order import larger, smaller
from hyperna._kernels.protocol import implement
from hyperna._kernels.random import below, following, pick, uniform
from hyperna._kernels.steps import FIRST_MOVE, REPLACED, list_parts

# Steps whose lengths are filled in at a time.
MOST_COMPLETED = 2
_LOG_BLOCKS = 4
# Floats from here on are no longer exact integers. Where such a step ends is uniform: as a float it
# would be a multiple of a high power of 2, and of a turn if that is one, and lead nowhere.
LONGEST = 2.0**53
# Pareto laws with a larger exponent are nearly exponential.
STEEP = 1e6
_ONE, _TO_53_BITS = np.uint64(1), np.uint64(11)


@inline_kernel
def signed(word, length):
    """The length, negative if the word is odd."""
    sign = -np.int64(word & _ONE)
    return (length ^ sign) - sign


@inline_kernel
def block_length(law, mutation, word, s0, s1, s2, s3):
    """A length of a power law P(l) ~ l**-exponent on 1..largest that is given by blocks.

    Block i begins at i for i < 16; from there on every octave has 16 blocks of equal size. A block
    is drawn in proportion to its size times the law's value at its beginning, a step uniformly in
    the block, and the step is kept with the ratio of its own value to that at the beginning.
    """
    while True:
        block = pick(word, mutation.table, 1 << mutation.table_bits, mutation.length_bits)
        log_size = larger((block >> _LOG_BLOCKS) - 1, 0)
        first = (block - (log_size << _LOG_BLOCKS)) << log_size
        word, s0, s1, s2, s3 = following(s0, s1, s2, s3)
        length = first + np.int64(word & np.uint64((1 << log_size) - 1))
        word, s0, s1, s2, s3 = following(s0, s1, s2, s3)
        chance = np.float64(np.int64(word >> _TO_53_BITS)) * 2.0**-53
        if law.exponent != 1.0:
            chance **= 1.0 / law.exponent
        if length <= law.largest and chance * length < first:
            return length, s0, s1, s2, s3
        word, s0, s1, s2, s3 = following(s0, s1, s2, s3)


def _draw_from_tables(law, mutation, stream, steps, wanted, moves, changed):
    """Draw steps of a law on 1..r; the lowest bit of a length's word is its sign."""
    move = steps.move
    table = mutation.table
    lengths = 1 << mutation.table_bits
    length_bits = mutation.length_bits
    s0, s1, s2, s3 = stream[0], stream[1], stream[2], stream[3]
    if law.kind == TABLE:
        for t in range(moves):
            word, s0, s1, s2, s3 = following(s0, s1, s2, s3)
            move[t] = signed(word, 1 + pick(word, table, lengths, length_bits))
    elif law.kind == CONSTANT:
        for t in range(moves):
            word, s0, s1, s2, s3 = following(s0, s1, s2, s3)
            move[t] = signed(word, np.int64(1))
    else:
        for t in range(moves):
            sign, s0, s1, s2, s3 = following(s0, s1, s2, s3)
            length, s0, s1, s2, s3 = block_length(law, mutation, sign, s0, s1, s2, s3)
            move[t] = signed(sign, length)
    stream[0], stream[1], stream[2], stream[3] = s0, s1, s2, s3


@inline_kernel
def draw_jumps(law, mutation, stream, steps, moves):
    """Draw which changes of adaptive steps are jumps, their lengths, and all signs."""
    s0, s1, s2, s3 = stream[0], stream[1], stream[2], stream[3]
    for t in range(moves):
        sign, s0, s1, s2, s3 = following(s0, s1, s2, s3)
        length = np.int64(1)
        steps.before[t] = 1.0
        if np.float64(np.int64(sign >> _TO_53_BITS)) * 2.0**-53 < law.jump:
            word, s0, s1, s2, s3 = following(s0, s1, s2, s3)
            length, s0, s1, s2, s3 = block_length(law, mutation, word, s0, s1, s2, s3)
            steps.before[t] = -1.0
        steps.move[t] = signed(sign, length)
    stream[0], stream[1], stream[2], stream[3] = s0, s1, s2, s3


@inner_kernel
def real_length(law, stream, modulus):
    """The length of a continuous law, rounded, modulo the values of a component."""
    u = uniform(stream) + 2.0**-53
    if law.kind == PARETO:
        if law.exponent < STEEP:
            real = law.scale * (u ** (-1.0 / law.exponent) - 1.0)
        else:
            # the power would be rounded to 1, and every step to 0
            real = law.scale * math.expm1(-math.log(u) / law.exponent)
    elif law.kind == CAUCHY:
        real = law.scale * math.tan(0.5 * math.pi * (1.0 - u))
    elif law.kind == EXPONENTIAL:
        real = -law.scale * math.log(u)
    else:
        raise ValueError("a law that is no continuous one")
    if real < LONGEST:
        return np.int64(np.rint(real) % np.float64(modulus))
    return below(stream, modulus)


def _draw_one_by_one(law, mutation, stream, steps, wanted, moves, changed):
    """Draw steps that depend on the component, of the uniform law, or of a continuous one."""
    if law.kind == ADAPTIVE:
        draw_jumps(law, mutation, stream, steps, moves)
        return
    for i in range(wanted):
        first = steps.step[FIRST_MOVE, i]
        for t in range(list_parts(mutation, steps, i, changed)):
            if law.kind == UNIFORM:
                length = below(stream, law.largest) + 1
            else:
                length = real_length(law, stream, mutation.modulus[changed[t]])
            steps.move[first + t] = length if uniform(stream) < 0.5 else -length


def _nothing_to_complete(law, mutation, steps, first, last, changed):
    pass


def _nothing_to_update(law, mutation, steps, accepted, last, changed, improved):
    pass


def _complete_steps(law, mutation, steps, first, last, changed):
    """Fill in the lengths of some steps as if none improved the score: shorter every time."""
    if law.kind != ADAPTIVE:
        return
    for i in range(first, last):
        if steps.step[REPLACED, i] > 0:
            continue
        at = steps.step[FIRST_MOVE, i]
        for t in range(list_parts(mutation, steps, i, changed)):
            velocity = steps.velocity[changed[t]]
            if steps.before[at + t] < 0.0:
                steps.before[at + t] = -velocity
            else:
                steps.before[at + t] = velocity
                length = np.int64(velocity)
                steps.move[at + t] = length if steps.move[at + t] > 0 else -length
                steps.velocity[changed[t]] = larger(velocity * law.decay, 1.0)


def _adjust_velocity(law, mutation, steps, accepted, last, changed, improved):
    """Doerr, Doerr and Kötzing (2018): longer steps after an improvement, else shorter ones.

    A jump that improves sets the length of the steps to come, if it is longer than these are. Steps
    behind `accepted`, to before `last`, were filled in but not taken. Nothing is to be done if that
    is `last`.
    """
    if law.kind != ADAPTIVE:
        return
    for j in range(last - 1, accepted - 1, -1):
        if (j == accepted and not improved) or steps.step[REPLACED, j] > 0:
            continue
        at = steps.step[FIRST_MOVE, j]
        for t in range(list_parts(mutation, steps, j, changed)):
            c = changed[t]
            velocity = abs(steps.before[at + t])
            if j == accepted:
                longest = larger(1.0, np.float64(mutation.modulus[c] // 4))
                grown = velocity * law.growth
                if steps.before[at + t] < 0.0:
                    grown = larger(velocity, np.float64(abs(steps.move[at + t])))
                velocity = smaller(grown, longest)
            steps.velocity[c] = velocity


implement(
    TableLaw,
    draw_lengths=_draw_from_tables,
    complete_steps=_nothing_to_complete,
    update_law=_nothing_to_update,
)
implement(
    OtherLaw,
    draw_lengths=_draw_one_by_one,
    complete_steps=_complete_steps,
    update_law=_adjust_velocity,
)
