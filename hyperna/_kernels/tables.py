"""What is built once before a run: the tables that mutation draws from, and arrays."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from hyperna._kernels.jit import kernel
from hyperna._kernels.mutation import (
    ADAPTIVE,
    DRAWN_FROM_TABLES,
    WITH_LENGTH_TABLE,
    AngleMove,
    Mutation,
    OtherLaw,
    RotationMove,
    TableLaw,
)
from hyperna._kernels.state import N_COUNTERS, Run
from hyperna._kernels.steps import LARGEST_SUBSET_TABLE, MOST_STEPS, VOID_LEVELS, Steps

FloatArray = np.ndarray
IntArray = np.ndarray


ANGLE = AngleMove(1)


class LawData(NamedTuple):
    """A step law as data for the kernels: see `hyperna._kernels.mutation`."""

    kind: int
    largest: int
    weights: FloatArray = np.zeros(0)
    exponent: float = 0.0
    scale: float = 0.0
    growth: float = 1.0
    decay: float = 1.0
    jump: float = 0.0


@kernel
def fill_alias_table(fraction, alias, stack):
    """Alias table (Vose 1991) of weights that have been scaled to the mean 1, in place."""
    size = fraction.size
    low, high = 0, size
    for i in range(size):
        alias[i] = i
        if fraction[i] < 1.0:
            stack[low] = i
            low += 1
        else:
            high -= 1
            stack[high] = i
    while low > 0 and high < size:
        low -= 1
        poor, rich = stack[low], stack[high]
        alias[poor] = rich
        fraction[rich] = (fraction[rich] + fraction[poor]) - 1.0
        if fraction[rich] < 1.0:
            high += 1
            stack[low] = rich
            low += 1
    for i in range(low):
        fraction[stack[i]] = 1.0
    for i in range(high, size):
        fraction[stack[i]] = 1.0


def alias_table(weight):
    """Alias table of non-negative weights for `pick`, and the bits of its indices."""
    if not (weight.size and weight.min() >= 0.0 and 0.0 < weight.sum() < math.inf):
        raise ValueError(
            "weights must be non-negative numbers, at least one of them positive, "
            f"got {weight.size} of them with the sum {weight.sum():g}"
        )
    bits = max(1, (weight.size - 1).bit_length())
    fraction = np.zeros(1 << bits)
    fraction[: weight.size] = weight * (fraction.size / weight.sum())
    alias = np.zeros(fraction.size, np.int64)
    fill_alias_table(fraction, alias, np.zeros(fraction.size, np.int64))
    # An entry that is always kept is its own alias, so the largest threshold may be one too small.
    threshold = np.minimum(
        np.rint(fraction * 2.0 ** (63 - bits)).astype(np.int64), 2 ** (63 - bits) - 1
    )
    return (threshold << bits) | alias, bits


def _choice_weights(size: int, probability: float, one: bool) -> FloatArray:
    """Weights of what may change, by code: see `hyperna._kernels.steps.draw_choices`.

    With `one` exactly one component changes.
    """
    if size <= LARGEST_SUBSET_TABLE:
        count = (np.arange(2**size)[:, None] >> np.arange(size) & 1).sum(axis=1)
        if one:
            return np.where(count == 1, 1.0, 0.0)
        weight = probability**count * (1.0 - probability) ** (size - count)
        return np.where(count > 0, weight, 0.0)
    if one:
        return np.array([0.0, 1.0])
    count = np.arange(size + 1)
    log_choose = gammaln(size + 1) - gammaln(count + 1) - gammaln(size - count + 1)
    log_weight = log_choose + xlogy(count, probability) + xlog1py(size - count, -probability)
    weight = np.exp(log_weight)
    weight[0] = 0.0
    codes = 1 << int(np.flatnonzero(weight > 1e-30 * weight.max())[-1]).bit_length()
    return np.pad(weight, (0, max(0, codes - size - 1)))[:codes]


def _with_replacement(choice: FloatArray, replace: float, neurons: int) -> FloatArray:
    """Weights of all codes: those of `choice`, then one for each neuron to be replaced."""
    if replace == 0.0:
        return choice
    codes = 1 << (choice.size + neurons - 1).bit_length()
    weight = np.zeros(codes)
    weight[: choice.size] = choice * ((1.0 - replace) / choice.sum())
    weight[choice.size : choice.size + neurons] = replace / neurons
    return weight


def mutation_data(
    law: LawData,
    component: IntArray,
    modulus: IntArray,
    probability: float,
    redraw: bool,
    move: AngleMove | RotationMove = ANGLE,
    one: bool = False,
    replace: float = 0.0,
    neurons: int = 1,
    neuron_width: int = 1,
) -> Mutation:
    """Tables that draw which of the mutable components change, each with `probability`.

    With `one` exactly one of them does. With probability `replace` one of the hidden neurons, of
    which there are `neurons` with `neuron_width` mutable components each, is drawn again instead.
    """
    size = component.size
    void = 0.0 if redraw or one else (1.0 - replace) * (1.0 - probability) ** size
    wait = void ** np.arange(VOID_LEVELS) * (1.0 - void)
    wait[-1] = void ** (VOID_LEVELS - 1)
    plain = _choice_weights(size, probability, one)
    choice = plain
    if replace > 0.0:
        # the share of replacements among the offspring that are not void
        mutated = (1.0 - replace) * (1.0 if one else 1.0 - (1.0 - probability) ** size)
        choice = _with_replacement(plain, replace / (replace + mutated), neurons)
    table, table_bits = alias_table(np.outer(wait, choice / choice.sum()).ravel())
    length_bits = 0
    if law.kind in WITH_LENGTH_TABLE:
        lengths, length_bits = alias_table(law.weights)
        table = np.concatenate([table, lengths])
    exponent = float(law.exponent)
    steps: TableLaw | OtherLaw = TableLaw(law.kind, law.largest, exponent)
    if law.kind not in DRAWN_FROM_TABLES:
        steps = OtherLaw(
            kind=law.kind,
            largest=law.largest,
            exponent=exponent,
            scale=float(law.scale),
            growth=float(law.growth),
            decay=float(law.decay),
            jump=law.jump,
        )
    return Mutation(
        law=steps,
        move=move,
        probability=float(probability),
        redraw=redraw,
        # not log(void), which is 0 for tiny probabilities
        void_log=size * math.log1p(-probability) + math.log1p(-replace) if void else -math.inf,
        choice_bits=choice.size.bit_length() - 1,
        table_bits=table_bits,
        length_bits=length_bits,
        replacing=plain.size if replace > 0.0 else choice.size,
        neuron_width=neuron_width,
        table=table,
        component=component,
        modulus=modulus,
    )


def new_run(mutation: Mutation) -> Run:
    """Arrays for a run under a mutation."""
    size = mutation.component.size
    components = mutation.modulus.size
    most = size if size <= LARGEST_SUBSET_TABLE else 1 << mutation.choice_bits
    # Whoever reads without looking at the choice first may read a little too far.
    room = MOST_STEPS * max(most, mutation.neuron_width) + LARGEST_SUBSET_TABLE
    steps = Steps(
        np.zeros((4, MOST_STEPS), np.int64),
        np.zeros(room, np.int64),
        np.zeros(room if size > LARGEST_SUBSET_TABLE else 0, np.int64),
        np.zeros(room if isinstance(mutation.move, RotationMove) else 0, np.int64),
        np.zeros(components, np.float64),
        np.ones(room if mutation.law.kind == ADAPTIVE else 0, np.float64),
        np.zeros(components, np.float64),
        np.zeros(3, np.int64),
        np.zeros(4, np.uint64),
    )
    return Run(
        np.zeros((4, components), np.int64),
        np.zeros(components, np.float64),
        np.zeros(N_COUNTERS, np.int64),
        np.zeros(4, np.uint64),
        steps,
    )
