"""What an exact runtime costs, said before it is computed."""

from bisect import bisect_left

import numpy as np

from hyperna._validation import FloatArray
from hyperna._words import number
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
    r, neurons = grid.resolution, grid.neurons
    if neurons == 1 and not bias:
        if r > LARGEST_RING:
            raise ValueError(
                f"resolution must be at most {LARGEST_RING} without bias, got {r}, which needs "
                f"about {r * 200 / 2**30:.3g} GB and {r / 2**20:.3g} minutes"
            )
        return law.pmf(r)
    # before a table of its steps is made
    if r > LONGEST_LAW:
        _refuse(r, neurons, bias, 3)  # the cheapest law moves by one step
    steps = law.pmf(r)
    lengths = _lengths(steps)
    if not _is_affordable(r, neurons, bias, lengths):
        _refuse(r, neurons, bias, lengths)
    return steps


def expected_minutes(grid: Grid, law: StepLaw, bias: bool) -> float:
    """Return about how many minutes an exact runtime takes.

    Examples
    --------
    >>> from hyperna.mutation import law
    >>> round(expected_minutes(Grid(2, 1, 5000), law("harmonic"), bias=True))
    31
    """
    if grid.neurons == 1 and not bias:
        return grid.resolution / 2**20
    lengths = _lengths(check_affordable(grid, law, bias))
    return _cost(grid.resolution, grid.neurons, bias, lengths)[1]


def _lengths(steps: FloatArray) -> int:
    """Return how many moves of a component a law has, with that to nowhere."""
    return 1 + 2 * int(np.count_nonzero(steps))


def _cost(r: int, neurons: int, bias: bool, lengths: int) -> tuple[float, float]:
    """Gigabytes and minutes for a law with so many moves of a component, without a symmetry."""
    index = neurons - 1
    neuron = r * (r + 1.0) if bias else float(r)
    states, axis = neuron**neurons, neuron if index else r
    if lengths >= r:
        return states * _BYTES[index] / 2**30, states * axis * _SECONDS[index] / 60
    moves = states * lengths ** (neurons * (1 + bias))
    return moves * _SPARSE_BYTES / 2**30, moves * _SPARSE_SECONDS[index] / 60


def _is_affordable(r: int, neurons: int, bias: bool, lengths: int) -> bool:
    gigabytes, minutes = _cost(r, neurons, bias, lengths)
    if neurons == 2:  # all scores of a pair are kept, whatever the law
        gigabytes = max(gigabytes, _cost(r, neurons, bias, r)[0])
    return gigabytes <= MOST_GIGABYTES and minutes <= MOST_MINUTES


def _refuse(r: int, neurons: int, bias: bool, lengths: int) -> None:
    """Say what the chain would need, and up to which resolution one is computed."""
    gigabytes, minutes = _cost(r, neurons, bias, lengths)

    def is_too_large(resolution: int) -> bool:
        # a law that moves by any length has as many lengths as there are
        most = 2 * resolution if lengths >= r else lengths
        return not _is_affordable(resolution, neurons, bias, most)

    largest = 1 + bisect_left(range(2, r), True, key=is_too_large)
    raise ValueError(
        f"resolution must be at most {largest:,} for this law, got {r:,}: its chain would need "
        f"about {number(gigabytes)} GB and {number(minutes)} minutes, the most is "
        f"{MOST_GIGABYTES:g} GB and {MOST_MINUTES:g} minutes"
    )
