"""How long an answer may be worked on."""

import threading
import time


class Allowance:
    """Time for an answer: so many seconds, or less if somebody calls `stop`.

    An answer that may take longer looks at `over` between pieces of its work, and returns what it
    has by then.

    Examples
    --------
    >>> allowance = Allowance(seconds=60)
    >>> allowance.over
    False
    >>> allowance.stop()
    >>> allowance.over
    True
    """

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Ask for the answer as it is; may be called by any thread."""
        self._stopped.set()

    @property
    def over(self) -> bool:
        """Whether it is time to answer."""
        return self._stopped.is_set() or time.monotonic() >= self.end
