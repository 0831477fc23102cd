"""What an exact runtime costs, said before it is computed."""

import numpy as np

from hyperna._validation import FloatArray
from hyperna.grid import Grid
from hyperna.mutation import StepLaw

MOST_GIGABYTES = 8.0
MOST_MINUTES = 60.0
LARGEST_RING = 2**20
# Lengths of steps that are counted to say what a law would need.
LARGEST_TABLE = 2**22
# Measured: seconds of a state times the length of an axis, and bytes of a state.
_SECONDS = 1.5e-8
_BYTES = 160
# Of a law with few moves, for each move, factors included: 4.1 GB and 15 s at r = 2,400.
_SPARSE_SECONDS, _SPARSE_BYTES = 4e-7, 90
# The same with two neurons, an axis being all states of one of them.
_PAIR_SECONDS, _PAIR_SPARSE_SECONDS, _PAIR_BYTES = 7e-8, 2e-6, 300
_PAIR_SPARSE_BYTES = 90


def check_affordable(grid: Grid, law: StepLaw, bias: bool) -> FloatArray:
    """Return the probabilities of the step lengths, or refuse with what the chain would need."""
    r = grid.resolution
    if not bias:
        if r > LARGEST_RING:
            raise ValueError(
                f"resolution must be at most {LARGEST_RING} without bias, got {r}, which needs "
                f"about {r * 200 / 2**30:.3g} GB and {r / 2**20:.3g} minutes"
            )
        return law.pmf(r)
    if r > LARGEST_TABLE:
        _refuse(r, *_cost(r, 3))  # the cheapest law moves by one step
    steps = law.pmf(r)
    gigabytes, minutes = _cost(r, 1 + 2 * int(np.count_nonzero(steps)))
    if max(gigabytes / MOST_GIGABYTES, minutes / MOST_MINUTES) > 1:
        _refuse(r, gigabytes, minutes)
    return steps


def check_affordable_pair(grid: Grid, law: StepLaw, bias: bool) -> FloatArray:
    """Return the probabilities of the step lengths, or refuse what two neurons would need."""
    r = grid.resolution
    neuron = r * (r + 1.0) if bias else float(r)
    if neuron**2 * _PAIR_BYTES / 2**30 > MOST_GIGABYTES:  # before a table of its steps is made
        _refuse(r, neuron**2 * _PAIR_BYTES / 2**30, neuron**3 * _PAIR_SECONDS / 60)
    steps = law.pmf(r)
    lengths = 1 + 2 * int(np.count_nonzero(steps))
    gigabytes, minutes = neuron**2 * _PAIR_BYTES / 2**30, neuron**3 * _PAIR_SECONDS / 60
    if lengths < r:
        moves = neuron**2 * lengths ** (4 if bias else 2)
        gigabytes, minutes = moves * _PAIR_SPARSE_BYTES / 2**30, moves * _PAIR_SPARSE_SECONDS / 60
    if max(gigabytes / MOST_GIGABYTES, minutes / MOST_MINUTES) > 1:
        _refuse(r, gigabytes, minutes)
    return steps


def _cost(r: int, lengths: int) -> tuple[float, float]:
    """Gigabytes and minutes for a chain with bias, without a symmetry to help."""
    states = r * (r + 1.0)
    if lengths >= r:
        return states * _BYTES / 2**30, states * r * _SECONDS / 60
    moves = states * lengths**2
    return moves * _SPARSE_BYTES / 2**30, moves * _SPARSE_SECONDS / 60


def _refuse(r: int, gigabytes: float, minutes: float) -> None:
    raise ValueError(
        f"resolution must be smaller, got {r}: the chain of this law would need about "
        f"{gigabytes:.3g} GB and {minutes:.3g} minutes, the most is {MOST_GIGABYTES:g} GB and "
        f"{MOST_MINUTES:g} minutes"
    )
