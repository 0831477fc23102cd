"""Steps drawn ahead of their use: which components change, and by how much.

A step does not depend on the genome that it is applied to, so steps are drawn many at a time, in
short loops without unpredictable branches. How long they are: `hyperna._kernels.lengths`.
"""

from typing import NamedTuple

import numpy as np

from hyperna._kernels.jit import inline_kernel, inner_kernel
from hyperna._kernels.mutation import AngleMove, RotationMove
from hyperna._kernels.order import larger, smaller
from hyperna._kernels.protocol import draw_lengths, draw_planes, implement, step_by
from hyperna._kernels.random import below, following, geometric, pick, uniform

# Up to this many components there is a table of all subsets.
LARGEST_SUBSET_TABLE = 8
# Up to this many components a step goes through all of them, changed or not.
FEW_COMPONENTS = 4
# Void steps in a row that the table of choices tells apart.
VOID_LEVELS = 8
# Steps drawn at a time: few at first, because many runs are short.
FEWEST_STEPS, MOST_STEPS = 8, 64


class Steps(NamedTuple):
    """Steps to come.

    Rows of `step`: the evaluations that all steps up to this one take, void steps included; what
    changes (the set of components as a bit pattern, or their number where they are more than
    LARGEST_SUBSET_TABLE); where in `move` the changes begin; the neuron that is replaced, counted
    from 1, or 0. `part` names the components to change where there are more than
    LARGEST_SUBSET_TABLE. `plane` says in which plane a direction turns, where directions are
    turned. `velocity` holds the step lengths of adaptive mutation, `before` those before each
    change, negative where it is a jump. `weight` has room for the weights of a neuron. `counter`:
    see the names below. `stream` are random numbers for a fitness that draws points, or whatever
    else `first_accepted` draws: they are not those of the steps.
    """

    step: np.ndarray
    move: np.ndarray
    part: np.ndarray
    plane: np.ndarray
    velocity: np.ndarray
    before: np.ndarray
    weight: np.ndarray
    counter: np.ndarray
    stream: np.ndarray


TOTAL, CHOICE, FIRST_MOVE, REPLACED = range(4)
# Number of the next step to be used, of steps drawn, of steps to be drawn next time.
NEXT, DRAWN, WANTED = range(3)


@inline_kernel
def list_parts(mutation, steps, i, changed):
    """Write the components that step i changes to `changed`; return their number."""
    choice = steps.step[CHOICE, i]
    if mutation.component.size > LARGEST_SUBSET_TABLE:
        for t in range(choice):
            changed[t] = steps.part[steps.step[FIRST_MOVE, i] + t]
        return choice
    count = np.int64(0)
    for t in range(mutation.component.size):
        changed[count] = mutation.component[t]
        count += (choice >> t) & 1
    return count


@inner_kernel
def draw_choices(mutation, stream, steps, wanted):
    """Draw what changes, and how many void steps come first; return the number of moves.

    The entries of the table stand for both: the lower `choice_bits` bits say what changes, the bits
    above how many void steps come first, the last such number: at least that many.
    """
    step = steps.step
    place = np.int64(0)
    longest = np.int64(0)
    choice_bits, table_bits = mutation.choice_bits, mutation.table_bits
    small = mutation.component.size <= LARGEST_SUBSET_TABLE
    replaces = mutation.replacing < 1 << choice_bits
    s0, s1, s2, s3 = stream[0], stream[1], stream[2], stream[3]
    for i in range(wanted):
        word, s0, s1, s2, s3 = following(s0, s1, s2, s3)
        entry = pick(word, mutation.table, np.int64(0), table_bits)
        choice = entry & ((1 << choice_bits) - 1)
        longest = larger(longest, entry)
        if replaces:
            step[REPLACED, i] = 0
            if choice >= mutation.replacing:
                neuron = choice - mutation.replacing
                width = mutation.neuron_width
                step[REPLACED, i] = neuron + 1
                choice = ((1 << width) - 1) << (neuron * width) if small else width
        step[TOTAL, i] = (entry >> choice_bits) + 1
        step[CHOICE, i] = choice
        step[FIRST_MOVE, i] = place
        if small:
            # the number of bits set among the lowest eight
            choice -= (choice >> 1) & 0x55
            choice = (choice & 0x33) + ((choice >> 2) & 0x33)
            choice = (choice + (choice >> 4)) & 0x0F
        place += choice
    stream[0], stream[1], stream[2], stream[3] = s0, s1, s2, s3
    if longest >> choice_bits == VOID_LEVELS - 1:
        for i in range(wanted):
            if step[TOTAL, i] == VOID_LEVELS:
                step[TOTAL, i] += geometric(stream, mutation.void_log)
    for i in range(1, wanted):
        step[TOTAL, i] += step[TOTAL, i - 1]
    return place


@inline_kernel
def draw_subset(component, stream, part, first, count):
    """Write `count` random components to `part` from `first` on (Floyd's algorithm)."""
    for filled in range(count):
        top = component.size - count + filled
        candidate = component[np.int64(uniform(stream) * (top + 1))]
        for t in range(first, first + filled):
            if part[t] == candidate:
                candidate = component[top]
                break
        part[first + filled] = candidate


def _draw_no_planes(move, mutation, stream, steps, wanted, changed):
    pass


def _draw_pairs(move, mutation, stream, steps, wanted, changed):
    """Draw an ordered pair of coordinates for each direction that turns."""
    for i in range(wanted):
        first = steps.step[FIRST_MOVE, i]
        for t in range(list_parts(mutation, steps, i, changed)):
            if move.pairs[changed[t]] > 0:
                steps.plane[first + t] = below(stream, move.pairs[changed[t]])


# Its `step_by` and `resized`: `hyperna._kernels.rotations`, which imports this module.
implement(RotationMove, draw_planes=_draw_pairs)


@inline_kernel
def replace_neurons(mutation, stream, steps, drawn):
    """Let the steps that replace a neuron lead to any of its values with the same probability."""
    for i in range(drawn):
        neuron = steps.step[REPLACED, i] - 1
        if neuron >= 0:
            for t in range(mutation.neuron_width):
                c = mutation.component[neuron * mutation.neuron_width + t]
                at = steps.step[FIRST_MOVE, i] + t
                steps.move[at] = below(stream, mutation.modulus[c])
                if mutation.component.size > LARGEST_SUBSET_TABLE:
                    steps.part[at] = c


@inline_kernel
def drop_void_steps(mutation, steps, drawn, changed):
    """Leave out the steps that change nothing (l = r on an angle); return the number of others."""
    step = steps.step
    kept = np.int64(0)
    for i in range(drawn):
        first = step[FIRST_MOVE, i]
        different = False
        for t in range(list_parts(mutation, steps, i, changed)):
            different = different or steps.move[first + t] % mutation.modulus[changed[t]] != 0
        if different:
            step[CHOICE, kept] = step[CHOICE, i]
            step[REPLACED, kept] = step[REPLACED, i]
            step[FIRST_MOVE, kept] = first
            kept += 1
            step[TOTAL, kept - 1] = kept
    return kept


@inner_kernel
def draw_steps(mutation, stream, steps, changed):
    """Draw the next steps.

    Unless void steps are redrawn an offspring may still equal its parent (l = r on an angle).
    """
    counter = steps.counter
    wanted = counter[WANTED]
    drawn = np.int64(0)
    while drawn == 0:
        moves = draw_choices(mutation, stream, steps, wanted)
        if mutation.component.size > LARGEST_SUBSET_TABLE:
            for i in range(wanted):
                first = steps.step[FIRST_MOVE, i]
                count = steps.step[CHOICE, i]
                if steps.step[REPLACED, i] == 0:
                    draw_subset(mutation.component, stream, steps.part, first, count)
        draw_lengths(mutation.law, mutation, stream, steps, wanted, moves, changed)
        if mutation.replacing < 1 << mutation.choice_bits:
            replace_neurons(mutation, stream, steps, wanted)
        draw_planes(mutation.move, mutation, stream, steps, wanted, changed)
        drawn = drop_void_steps(mutation, steps, wanted, changed) if mutation.redraw else wanted
    counter[NEXT] = 0
    counter[DRAWN] = drawn
    counter[WANTED] = smaller(2 * wanted, MOST_STEPS)


@inline_kernel
def moved(value, change, modulus):
    """``(value + change) % modulus`` where |change| <= modulus, without a branch."""
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
    return step_by(mutation.move, mutation, steps, i, genome, changed, old)


def _step_by_angles(move, mutation, steps, i, genome, changed, old):
    if mutation.component.size <= FEW_COMPONENTS:
        # all of them, because which ones change could not be predicted
        choice = steps.step[CHOICE, i]
        at = steps.step[FIRST_MOVE, i]
        count = np.int64(0)
        for t in range(mutation.component.size):
            c = mutation.component[t]
            bit = (choice >> t) & 1
            modulus = mutation.modulus[c]
            value = genome[c]
            changed[count], old[count] = c, value
            value = moved(value, steps.move[at + count] & -bit, modulus)
            if value < 0 or value >= modulus:
                value %= modulus
            genome[c] = value
            count += bit
        return count
    count = list_parts(mutation, steps, i, changed)
    first = steps.step[FIRST_MOVE, i]
    for t in range(count):
        c = changed[t]
        modulus = mutation.modulus[c]
        old[t] = genome[c]
        value = moved(genome[c], steps.move[first + t], modulus)
        if value < 0 or value >= modulus:
            value %= modulus
        genome[c] = value
    return count


def _same_angles(kind, topology, neurons):
    return kind


implement(AngleMove, draw_planes=_draw_no_planes, step_by=_step_by_angles, resized=_same_angles)
