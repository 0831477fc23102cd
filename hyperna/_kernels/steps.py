"""Steps drawn ahead of their use: which components change, and by how much.

A step does not depend on the genome that it is applied to, so steps are drawn many at a time, in
short loops without unpredictable branches. Only self-adjusting steps, whose lengths depend on what
became of the steps before, are drawn one by one.
"""

from typing import NamedTuple

import numpy as np

from hyperna._kernels.jit import inline_kernel, lean_kernel
from hyperna._kernels.mutation import (
    BLOCKS,
    CONSTANT,
    SELF_ADJUSTING,
    TABLE,
    draw_block,
    draw_rare,
)
from hyperna._kernels.random import following, geometric, load, pick, save, uniform

# Up to this many components there is a table of all subsets.
LARGEST_SUBSET_TABLE = 8
# Void steps in a row that the table of choices tells apart.
VOID_LEVELS = 8
# Steps drawn at a time: few at first, because many runs are short.
FEWEST_STEPS, MOST_STEPS = 8, 64
_ONE = np.uint64(1)


class Steps(NamedTuple):
    """Steps to come.

    Rows of `step`: the evaluations that all steps up to this one take, void steps included; what
    changes (the set of components as a bit pattern, or their number where they are more than
    LARGEST_SUBSET_TABLE); where in `move` the changes begin. `part` names the components to
    change where there are more than LARGEST_SUBSET_TABLE. `counter`: see the names below.
    """

    step: np.ndarray
    move: np.ndarray
    part: np.ndarray
    counter: np.ndarray


TOTAL, CHOICE, FIRST = range(3)
# Number of the next step to be used, of steps drawn, of steps to be drawn next time.
NEXT, DRAWN, WANTED = range(3)


def new_steps(mutation):
    """Room for the steps of a mutation."""
    size = mutation.component.size
    most = size if size <= LARGEST_SUBSET_TABLE else 1 << mutation.choice_bits
    # Whoever reads without looking at the choice first may read a little too far.
    room = MOST_STEPS * most + LARGEST_SUBSET_TABLE
    return Steps(
        np.zeros((3, MOST_STEPS), np.int64),
        np.zeros(room, np.int64),
        np.zeros(room if size > LARGEST_SUBSET_TABLE else 0, np.int64),
        np.zeros(3, np.int64),
    )


@inline_kernel
def forget_steps(mutation, steps):
    """Begin with new steps."""
    steps.counter[NEXT] = 0
    steps.counter[DRAWN] = 0
    steps.counter[WANTED] = 1 if mutation.kind == SELF_ADJUSTING else FEWEST_STEPS


@inline_kernel
def size_of(pattern):
    """Number of bits set among the lowest eight."""
    pattern -= (pattern >> 1) & 0x55
    pattern = (pattern & 0x33) + ((pattern >> 2) & 0x33)
    return (pattern + (pattern >> 4)) & 0x0F


@lean_kernel
def draw_choices(mutation, stream, steps, wanted):
    """Draw what changes, and how many void steps come first; return the number of moves.

    The entries of the table stand for both: the lower `choice_bits` bits say what changes, the bits
    above how many void steps come first, the last such number: at least so many.
    """
    step, place, longest = steps.step, np.int64(0), np.int64(0)
    choice_bits, table_bits = mutation.choice_bits, mutation.table_bits
    small = mutation.component.size <= LARGEST_SUBSET_TABLE
    s0, s1, s2, s3 = load(stream)
    for i in range(wanted):
        word, s0, s1, s2, s3 = following(s0, s1, s2, s3)
        entry = pick(word, mutation.table, np.int64(0), table_bits)
        choice = entry & ((1 << choice_bits) - 1)
        longest = max(longest, entry)
        step[TOTAL, i] = (entry >> choice_bits) + 1
        step[CHOICE, i] = choice
        step[FIRST, i] = place
        place += size_of(choice) if small else choice
    save(stream, s0, s1, s2, s3)
    if longest >> choice_bits == VOID_LEVELS - 1:
        for i in range(wanted):
            if step[TOTAL, i] == VOID_LEVELS:
                step[TOTAL, i] += geometric(stream, mutation.void_log)
    for i in range(1, wanted):
        step[TOTAL, i] += step[TOTAL, i - 1]
    return place


@lean_kernel
def draw_subset(mutation, stream, part, first, count):
    """Write `count` random components to `part` from `first` on (Floyd's algorithm)."""
    component = mutation.component
    for filled in range(count):
        top = component.size - count + filled
        candidate = component[np.int64(uniform(stream) * (top + 1))]
        for t in range(first, first + filled):
            if part[t] == candidate:
                candidate = component[top]
                break
        part[first + filled] = candidate


@inline_kernel
def list_parts(mutation, steps, i, changed):
    """Write the components that step i changes to `changed`; return their number."""
    choice = steps.step[CHOICE, i]
    if mutation.component.size > LARGEST_SUBSET_TABLE:
        for t in range(choice):
            changed[t] = steps.part[steps.step[FIRST, i] + t]
        return choice
    count = np.int64(0)
    for t in range(mutation.component.size):
        changed[count] = mutation.component[t]
        count += (choice >> t) & 1
    return count


@inline_kernel
def signed(word, length):
    """The length, negative if the word is odd."""
    sign = -np.int64(word & _ONE)
    return (length ^ sign) - sign


@lean_kernel
def draw_lengths(mutation, stream, move, moves):
    """Draw steps of a law on 1..r; the lowest bit of a length's word is its sign."""
    s0, s1, s2, s3 = load(stream)
    lengths, length_bits = 1 << mutation.table_bits, mutation.length_bits
    if mutation.kind == TABLE:
        for t in range(moves):
            word, s0, s1, s2, s3 = following(s0, s1, s2, s3)
            move[t] = signed(word, 1 + pick(word, mutation.table, lengths, length_bits))
    elif mutation.kind == CONSTANT:
        for t in range(moves):
            word, s0, s1, s2, s3 = following(s0, s1, s2, s3)
            move[t] = signed(word, np.int64(1))
    else:
        for t in range(moves):
            word, s0, s1, s2, s3 = following(s0, s1, s2, s3)
            length, s0, s1, s2, s3 = draw_block(mutation, word, s0, s1, s2, s3)
            move[t] = signed(word, length)
    save(stream, s0, s1, s2, s3)


@lean_kernel
def draw_special_lengths(mutation, stream, steps, wanted, velocity, changed):
    """Draw steps that depend on the component, or of a law that is seldom used."""
    for i in range(wanted):
        first = steps.step[FIRST, i]
        for t in range(list_parts(mutation, steps, i, changed)):
            c = changed[t]
            if mutation.kind == SELF_ADJUSTING:
                length = np.int64(velocity[c])
            else:
                length = draw_rare(mutation, stream, mutation.modulus[c])
            steps.move[first + t] = length if uniform(stream) < 0.5 else -length


@lean_kernel
def drop_void_steps(mutation, steps, drawn, changed):
    """Leave out the steps that change nothing (l = r on an angle); return the number of others."""
    step, kept = steps.step, 0
    for i in range(drawn):
        first, different = step[FIRST, i], False
        for t in range(list_parts(mutation, steps, i, changed)):
            different = different or steps.move[first + t] % mutation.modulus[changed[t]] != 0
        if different:
            step[CHOICE, kept] = step[CHOICE, i]
            step[FIRST, kept] = first
            kept += 1
            step[TOTAL, kept - 1] = kept
    return kept


@lean_kernel
def draw_steps(mutation, stream, steps, velocity, changed):
    """Draw the next steps.

    Unless void steps are redrawn an offspring may still equal its parent (l = r on an angle).
    """
    counter = steps.counter
    wanted, drawn = counter[WANTED], np.int64(0)
    while drawn == 0:
        moves = draw_choices(mutation, stream, steps, wanted)
        if mutation.component.size > LARGEST_SUBSET_TABLE:
            for i in range(wanted):
                draw_subset(
                    mutation, stream, steps.part, steps.step[FIRST, i], steps.step[CHOICE, i]
                )
        if mutation.kind == TABLE or mutation.kind == CONSTANT or mutation.kind == BLOCKS:
            draw_lengths(mutation, stream, steps.move, moves)
        else:
            draw_special_lengths(mutation, stream, steps, wanted, velocity, changed)
        drawn = drop_void_steps(mutation, steps, wanted, changed) if mutation.redraw else wanted
    counter[NEXT] = 0
    counter[DRAWN] = drawn
    if mutation.kind != SELF_ADJUSTING:
        counter[WANTED] = min(2 * wanted, MOST_STEPS)


@inline_kernel
def moved(value, change, modulus):
    """``(value + change) % modulus``, without a branch that could not be predicted."""
    value += change
    value += modulus & (value >> 63)
    value -= modulus
    value += modulus & (value >> 63)
    return value


@inline_kernel
def take_step(mutation, steps, i, genome, changed, old):
    """Turn `genome` into the offspring that step i leads to.

    Returns the number of components in `changed`, whose former values are in `old`.
    """
    count, first = list_parts(mutation, steps, i, changed), steps.step[FIRST, i]
    for t in range(count):
        c = changed[t]
        modulus = mutation.modulus[c]
        old[t] = genome[c]
        value = moved(genome[c], steps.move[first + t], modulus)
        if value < 0 or value >= modulus:
            value %= modulus
        genome[c] = value
    return count


@inline_kernel
def restore(genome, changed, old, count):
    """Undo `take_step`."""
    for t in range(count):
        genome[changed[t]] = old[t]
