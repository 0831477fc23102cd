"""Plateaus without a way out: when local mutation can no longer improve.

A step of local mutation moves any set of components by one each. A run is as stuck on a set of
equally fit networks that such steps do not leave as on a single one with worse neighbours only.
"""

import itertools
from typing import Any

import numpy as np

from hyperna._kernels.state import RUNNING
from hyperna._validation import IntArray

# Larger plateaus are not searched.
MOST_STATES = 20_000


def is_closed(task: Any, genome: IntArray, known: dict[bytes, bool]) -> bool:
    """Return whether steps of one never lead from a genome to a better one or to success.

    `known` remembers the plateaus that have been searched, by their genomes.
    """
    key = genome.tobytes()
    if key not in known:
        reached, closed = _explore(task, genome)
        known.update(dict.fromkeys(reached, closed))
    return known[key]


def _explore(task: Any, genome: IntArray) -> tuple[set[bytes], bool]:
    """Return the equally fit genomes that have been reached, and whether these are all."""
    component, moduli = task.mutation.component, task.mutation.modulus
    moves = np.zeros((3**component.size, genome.size), np.int64)
    moves[:, component] = list(itertools.product((0, 1, -1), repeat=component.size))
    score, success = _judge(task, genome[None])
    reached, frontier = {genome.tobytes()}, genome[None]
    if success.any():
        return reached, False
    while len(frontier):
        found = np.unique(((frontier[:, None] + moves) % moduli).reshape(-1, genome.size), axis=0)
        scores, success = _judge(task, found)
        if (scores > score[0]).any() or success[scores == score[0]].any():
            return reached, False
        level = found[scores == score[0]]
        new = [row for row in level if row.tobytes() not in reached]
        reached.update(row.tobytes() for row in new)
        if len(reached) > MOST_STATES:
            return reached, False
        frontier = np.array(new, np.int64).reshape(-1, genome.size)
    return reached, True


def _judge(task: Any, genomes: IntArray) -> tuple[IntArray, Any]:
    """Return the scores of genomes, and whether a run that reaches them ends with success."""
    from hyperna._kernels.batch import judge
    from hyperna._kernels.protocol import workspace

    scores, reasons = np.zeros((2, len(genomes)), np.int64)
    rows = np.ascontiguousarray(genomes)
    with np.errstate(over="ignore"):
        judge(task.kernel, workspace(task.kernel), task.limits, task.optima, rows, scores, reasons)
    return scores, reasons != RUNNING
