"""Plateaus without a way out: when local mutation can no longer improve.

A step of local mutation moves any set of components by one each. A run is as stuck on a set of
equally fit networks that such steps do not leave as on a single one with worse neighbours only.
"""

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperna._kernels import state
from hyperna._validation import IntArray

# Larger plateaus are not searched: with their neighbours, 3**components of each, they would take
# minutes and gigabytes.
MOST_STATES = 20_000
# States that are searched for each wait of a run on the plateau: the longer it has been there, the
# longer is the search. With 25 or 2,500 runs on LOCALOPT, two quarters and three arcs take as long.
STATES_PER_WAIT = 250


def end_if_stuck(task: Any, run: state.Run) -> None:
    """End a run that is on a plateau without a way out."""
    counter = run.counter
    most = STATES_PER_WAIT * int(counter[state.WAITS])
    if is_closed(task, run.genes[state.GENOME].copy(), task.plateaus, most):
        counter[state.STUCK_AT] = counter[state.EVALUATIONS]
        counter[state.STOP] = state.STUCK


def is_closed(
    task: Any, genome: IntArray, known: dict[bytes, int], most: int = MOST_STATES
) -> bool:
    """Return whether steps of one never lead from a genome to a better one or to success.

    A plateau with more than `most` genomes does not count as closed. `known` remembers the plateaus
    that have been searched, by their genomes: how many they have, 0 for those with a way out. It
    never changes an answer: runs share it, and have searched as far as they waited.
    """
    key = genome.tobytes()
    most = min(most, MOST_STATES)
    if key not in known:
        reached, closed = _explore(task, genome, most)
        if closed is None:
            return False
        known.update(dict.fromkeys(map(bytes, reached), len(reached) if closed else 0))
    return 0 < known[key] <= most


def _explore(task: Any, genome: IntArray, most: int) -> tuple[IntArray, bool | None]:
    """Return the equally fit genomes that have been reached, and whether these are all.

    None if there are more than `most`.
    """
    component = task.mutation.component
    moduli = task.mutation.modulus
    moves = np.zeros((3**component.size, genome.size), np.int64)
    moves[:, component] = list(itertools.product((0, 1, -1), repeat=component.size))
    score, stop = task.outcomes(genome[None])
    reached = frontier = genome[None]
    if stop[0] != state.RUNNING:
        return reached, False
    while len(frontier):
        found = _rows(((frontier[:, None] + moves) % moduli).reshape(-1, genome.size))
        scores, stops = task.outcomes(found)
        if (scores > score[0]).any() or (stops[scores == score[0]] != state.RUNNING).any():
            return reached, False
        before, reached = reached, _rows(np.vstack([reached, found[scores == score[0]]]))
        if len(reached) > most:
            return reached, None
        frontier = reached[~np.isin(_numbers(reached), _numbers(before))]
    return reached, True


def _numbers(genomes: IntArray) -> NDArray[np.uint64]:
    """A number for each genome; two have the same one with a chance of 2^-64."""
    weights = [pow(0x9E3779B97F4A7C15, c + 1, 2**64) for c in range(genomes.shape[1])]
    return genomes.astype(np.uint64) @ np.array(weights, np.uint64)


def _rows(genomes: IntArray) -> IntArray:
    """The genomes without repetitions."""
    return genomes[np.unique(_numbers(genomes), return_index=True)[1]]
