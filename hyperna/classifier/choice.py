"""Which candidate to fit, by what its networks say about points they have not seen.

A trial leaves one row for each checkpoint: which of the tried points were classified correctly by
the networks that had not seen them. All differences are paired, and measured by their standard
error over the points.
"""

from dataclasses import dataclass

import numpy as np

from hyperna._validation import BoolArray
from hyperna.classifier.points import LabelledPoints

Trials = dict[int, list[BoolArray]]

# How many standard errors better than a constant answer held-out points must be classified for
# them to have a say.
CONVINCING = 1.0
# With so few held-out errors the simplest candidate is not contested.
GOOD_ENOUGH = 0.01
# Candidates whose starts are this many standard errors behind are not evolved; those this many
# better than one half-space may be made larger.
HOPELESS, PROMISING = 1.0, 0.5
# By how many standard errors a network must beat the simplest candidate to replace it, and by how
# many a smaller network.
LOYAL, INDIFFERENT, PATIENT = 1.0, 0.5, 0.5
# A difference with at most this standard error is well known.
WELL_KNOWN = 0.01


@dataclass(frozen=True)
class Choice:
    """A candidate, at which checkpoint of its trial, and whether held-out points decided.

    The checkpoint is None where nothing was tried.
    """

    candidate: int
    checkpoint: int | None
    convincing: bool


def share(points: LabelledPoints, right: BoolArray) -> float:
    """Return the weighted share of points that are right."""
    return float(points.share @ right)


def gain(points: LabelledPoints, right: BoolArray, other: BoolArray) -> tuple[float, float]:
    """Return by how much `right` is better than `other`, and the standard error of that.

    The error is that of two equally good networks, as in McNemar's test: one point alone is never
    more than one standard error.
    """
    difference = right.astype(float) - other
    error = np.sqrt(points.share @ difference**2 / points.rows)
    return float(points.share @ difference) - 1e-12, float(error)


def error(points: LabelledPoints, right: BoolArray) -> float:
    """Return the standard error of the share of points that are right."""
    mean = share(points, right)
    return float(np.sqrt(max(0.0, mean * (1 - mean)) / points.rows))


def as_good(points: LabelledPoints, right: BoolArray, other: BoolArray, sure: bool = False) -> bool:
    """Whether `right` is not worse than `other`, a difference that must be well known or sure."""
    worse, error = gain(points, other, right)
    return worse <= 0.0 and (sure or error <= WELL_KNOWN)


def contested(points: LabelledPoints, rows: list[BoolArray]) -> bool:
    """Whether the simplest candidate makes enough errors for others to be tried."""
    return not rows or max(share(points, right) for right in rows) < 1.0 - GOOD_ENOUGH


def best_row(points: LabelledPoints, rows: list[BoolArray]) -> int:
    """Return the checkpoint that is best, or the first one that chance may have put behind."""
    best = rows[int(np.argmax([share(points, right) for right in rows]))]
    for number, right in enumerate(rows):
        better, error = gain(points, best, right)
        if better <= PATIENT * error:
            return number
    return 0


def promising(points: LabelledPoints, trials: Trials, c: int) -> bool:
    """Whether the start of candidate c is better than the simplest one, so that it may grow."""
    if c not in trials:
        return False
    simplest = trials[0][best_row(points, trials[0])]
    better, error = gain(points, trials[c][0], simplest)
    return better >= PROMISING * error


def in_reach(points: LabelledPoints, right: BoolArray, rows: list[BoolArray]) -> bool:
    """Whether `right` is less than a standard error behind the best of the rows."""
    behind, error = gain(points, rows[best_row(points, rows)], right)
    return behind <= HOPELESS * error


def hopeful(points: LabelledPoints, trials: Trials) -> list[int]:
    """Return the candidates whose starts are not far behind the best and the simplest ones."""
    best = max(
        (rows[best_row(points, rows)] for rows in trials.values()), key=lambda r: share(points, r)
    )
    kept = []
    for c in trials:
        behind, error = gain(points, best, trials[c][0])
        if c > 0 and behind <= HOPELESS * error:
            kept.append(c)
    return kept


def choose(points: LabelledPoints, trials: Trials, candidates: int, exact: bool) -> Choice:
    """Return the candidate to fit.

    It is the one whose networks classify held-out points best; one that is simpler is preferred
    unless the best is better by more than chance explains. Where even the best does no better than
    a constant answer, held-out points have nothing to say, and the simplest is taken. Where the
    number of neurons is given (`exact`), they are always evolved to the end.
    """
    if 0 not in trials:
        return Choice(0, None, candidates == 1)
    if candidates == 1:
        return Choice(0, len(trials[0]) - 1, True)
    checkpoint = {c: len(r) - 1 if exact else best_row(points, r) for c, r in trials.items()}
    rows = {c: trials[c][checkpoint[c]] for c in trials}
    best = max(rows, key=lambda c: share(points, rows[c]))
    doubt = np.sqrt(points.constant * (1 - points.constant) / points.rows)
    if share(points, rows[best]) <= points.constant + CONVINCING * doubt:
        return Choice(0, checkpoint[0] if exact else 0, False)
    for c in sorted(rows):
        better, error = gain(points, rows[best], rows[c])
        if better <= (LOYAL if c == 0 else INDIFFERENT) * error:
            return Choice(c, checkpoint[c], True)
    return Choice(best, checkpoint[best], True)
