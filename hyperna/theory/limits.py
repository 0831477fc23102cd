"""What an exact runtime costs, said before it is computed."""

import numpy as np

from hyperna._validation import FloatArray
from hyperna.grid import Grid
from hyperna.mutation import StepLaw

MOST_GIGABYTES = 8.0
MOST_MINUTES = 60.0
LARGEST_RING = 2**20
# Lengths of steps that are counted to say what a law would need.
LONGEST_LAW = 2**22
# Measured, with one neuron and with two: seconds of a state times the length of an axis (with two
# neurons all states of one of them), and bytes of a state.
_SECONDS, _BYTES = (1.5e-8, 7e-8), (160, 300)
# Of a law with few moves, for each move, factors included: 4.1 GB and 15 s at r = 2,400.
_SPARSE_SECONDS, _SPARSE_BYTES = (4e-7, 2e-6), 90


def check_affordable(grid: Grid, law: StepLaw, bias: bool) -> FloatArray:
    """Return the probabilities of the step lengths, or refuse with what the chain would need."""
    r = grid.resolution
    if grid.neurons == 1 and not bias:
        if r > LARGEST_RING:
            raise ValueError(
                f"resolution must be at most {LARGEST_RING} without bias, got {r}, which needs "
                f"about {r * 200 / 2**30:.3g} GB and {r / 2**20:.3g} minutes"
            )
        return law.pmf(r)
    # before a table of its steps is made
    if grid.neurons == 1 and r > LONGEST_LAW:
        _refuse(r, *_cost(grid, bias, 3))  # the cheapest law moves by one step
    gigabytes, minutes = _cost(grid, bias, r)
    if grid.neurons == 2 and gigabytes > MOST_GIGABYTES:
        _refuse(r, gigabytes, minutes)
    steps = law.pmf(r)
    gigabytes, minutes = _cost(grid, bias, 1 + 2 * int(np.count_nonzero(steps)))
    if max(gigabytes / MOST_GIGABYTES, minutes / MOST_MINUTES) > 1:
        _refuse(r, gigabytes, minutes)
    return steps


def _cost(grid: Grid, bias: bool, lengths: int) -> tuple[float, float]:
    """Gigabytes and minutes for a law with so many moves of a component, without a symmetry."""
    r, index = grid.resolution, grid.neurons - 1
    neuron = r * (r + 1.0) if bias else float(r)
    states, axis = neuron**grid.neurons, neuron if index else r
    if lengths >= r:
        return states * _BYTES[index] / 2**30, states * axis * _SECONDS[index] / 60
    moves = states * lengths ** (grid.neurons * (1 + bias))
    return moves * _SPARSE_BYTES / 2**30, moves * _SPARSE_SECONDS[index] / 60


def _refuse(r: int, gigabytes: float, minutes: float) -> None:
    raise ValueError(
        f"resolution must be smaller, got {r}: the chain of this law would need about "
        f"{gigabytes:.3g} GB and {minutes:.3g} minutes, the most is {MOST_GIGABYTES:g} GB and "
        f"{MOST_MINUTES:g} minutes"
    )
