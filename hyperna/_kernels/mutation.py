"""Mutation as data: which components change how often, and by what law.

The set of laws is open, because any law on 1..r can be given as a table. Laws come in two types, so
that a run compiles the code of its own type only: those drawn from tables, and the others.
"""

from typing import NamedTuple

import numpy as np

# Kinds of laws: drawn from a table (`TableLaw`), or not (`OtherLaw`). The lengths of the last one
# depend on what became of the steps before.
CONSTANT, TABLE, BLOCKS, UNIFORM, PARETO, CAUCHY, EXPONENTIAL, ADAPTIVE = range(8)
DRAWN_FROM_TABLES = (CONSTANT, TABLE, BLOCKS)
# Kinds that read the second alias table, which must not be empty then.
WITH_LENGTH_TABLE = (TABLE, BLOCKS, ADAPTIVE)

BLOCKS_PER_OCTAVE = 16


class TableLaw(NamedTuple):
    """Steps of length 1, or drawn from the second alias table: lengths, or blocks of them."""

    kind: int
    largest: int
    exponent: float


class OtherLaw(NamedTuple):
    """Uniform, continuous and adaptive steps.

    An adaptive step is as long as its component's step length, which follows success; with
    probability `jump` it is one of a power law in blocks.
    """

    kind: int
    largest: int
    exponent: float
    scale: float
    growth: float
    decay: float
    jump: float


class AngleMove(NamedTuple):
    """A direction is moved by changing an angle; a step of length 1 is `unit` = 1 grid step."""

    unit: int


class RotationMove(NamedTuple):
    """A direction is turned in the plane of two coordinates.

    A step of length 1 is `unit` grid steps. `pairs` is the number of ordered pairs of coordinates
    to choose from, for each component; 0 for those that are no angles. The networks have `neurons`
    neurons of `width` components in `dim` dimensions, on a grid of `resolution`.
    """

    unit: int
    pairs: np.ndarray
    dim: int
    neurons: int
    width: int
    resolution: int


class Mutation(NamedTuple):
    """Which components change how often, by what law and how.

    `table` holds two alias tables one after the other: 2**table_bits entries for what changes and
    2**length_bits entries for the lengths. `void_log` is the logarithm of a void step's
    probability. Choices from `replacing` on stand for the replacement of a neuron, which has
    `neuron_width` of the components that change.
    """

    law: TableLaw | OtherLaw
    move: AngleMove | RotationMove
    probability: float
    redraw: bool
    void_log: float
    choice_bits: int
    table_bits: int
    length_bits: int
    replacing: int
    neuron_width: int
    table: np.ndarray
    component: np.ndarray
    modulus: np.ndarray
