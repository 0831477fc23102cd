"""How far a long computation has come.

A short computation says nothing. A long one calls the function it was given, from the third second
on and a few times a second, so that a user sees that it goes on and how long it will take.
"""

import time

from hyperna.run.results import Progress

# Seconds without a word, and then between two calls.
SILENT = 2.0
EVERY = 0.1


class Watch:
    """Counts the states that are solved, and tells.

    Parameters
    ----------
    progress : callable, optional
        Called with the number of solved states and the number of all states to be solved.

    Examples
    --------
    >>> watch = Watch(lambda done, total: print(f"{done} of {total}"), silent=0.0)
    >>> watch.begin(10)
    >>> watch.add(4)
    4 of 10
    """

    def __init__(self, progress: Progress | None = None, silent: float = SILENT) -> None:
        self._progress = progress
        self._next = time.monotonic() + silent
        self._total = 0
        self._done = 0

    def begin(self, total: int) -> None:
        """Begin to count, up to `total` states."""
        self._total = total
        self._done = 0

    def add(self, states: int) -> None:
        """Take note of more solved states."""
        self._done += states
        now = time.monotonic()
        if self._progress is not None and now >= self._next:
            self._next = now + EVERY
            self._progress(min(self._done, self._total), self._total)
