"""Counting the evaluations of a search that is not the (1+1) NA, and ending it in time."""

from typing import Any

import numpy as np

from hyperna._kernels import state


class Finished(Exception):
    """Ends a search from within its fitness function; the reason is in the `Counter`."""


class Counter:
    """Counts evaluations, keeps the best network and ends the run by raising `Finished`.

    Attributes
    ----------
    evaluations, best, stop : int
        Evaluations so far, the best score, and why the run has ended, as a code of
        `hyperna.results.STOP_REASONS`.
    found : object
        What had the best score, or met the goal.
    improvements : list of (int, int)
        Evaluation and score of each rise of the best score.
    """

    def __init__(self, budget: int, stagnation: int | None) -> None:
        self._budget, self._stagnation = budget, stagnation
        self.evaluations, self.best, self.stop = 0, -1, state.RUNNING
        self.found: Any = None
        self.improvements: list[tuple[int, int]] = []
        self.begin()

    def begin(self) -> None:
        """Note that the search starts, or restarts."""
        self._best_of_start = -1
        self._horizon = self._horizon_from_here()

    def count(self, found: Any, score: int, reason: int) -> None:
        """Count the evaluation of `found`; `reason` is not RUNNING if it meets the goal."""
        self.evaluations += 1
        if score > self._best_of_start:
            self._best_of_start = score
            self._horizon = self._horizon_from_here()
        if score > self.best:
            self.best, self.found = score, found
            self.improvements.append((self.evaluations, score))
        if reason != state.RUNNING:
            # Near an optimum the score may be lower than elsewhere: the network found is this one.
            self.best, self.found = score, found
            self._finish(reason)
        if self.evaluations >= self._budget:
            self._finish(state.BUDGET)
        if self.evaluations >= self._horizon:
            self._finish(state.STAGNATION)

    def _finish(self, reason: int) -> None:
        self.stop = reason
        raise Finished

    def _horizon_from_here(self) -> int:
        return state.NEVER if self._stagnation is None else self.evaluations + self._stagnation


def run_generator(seed: np.random.SeedSequence, number: int) -> np.random.Generator:
    """Return the random numbers of run `number` under a seed."""
    key = [int(word) for word in seed.generate_state(4, np.uint64)]
    return np.random.default_rng(np.random.SeedSequence([*key, number]))
