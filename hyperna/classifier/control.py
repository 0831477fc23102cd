"""Who does the work, who watches it, and how it ends early."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from typing import Any

from threadpoolctl import threadpool_limits

from hyperna.parallel import in_order


class Control:
    """Deals out pieces of work, lets a caller look in between them, and ends them early.

    Work is done by joblib: in threads, because the kernels release the interpreter's lock, or by
    whatever backend is set with ``joblib.parallel_config``. A copy that was sent to another process
    only knows how to work; nothing watches it.

    Attributes
    ----------
    report : callable or None
        Called after each piece of work; the work ends when it returns True.
    pieces : int
        How often a search reports, about.
    under_way : dict
        The best outcome of the searches that are not finished yet, by the number of their problem.
    stopped, interrupted : bool
        Whether the work is to end, and whether because of an interrupt from the keyboard: searches
        under way return what they have, others do not begin.
    """

    def __init__(self) -> None:
        self.report: Callable[[], bool] | None = None
        self.pieces = 1
        self.under_way: dict[int, Any] = {}
        self.stopped = self.interrupted = self._away = False
        self._busy, self._change = 0, Condition()

    def __getstate__(self) -> dict[str, Any]:
        return {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]
        self._away = True

    def interrupt(self) -> None:
        """End the work because the user wishes so."""
        self.stopped = self.interrupted = True

    def pause(self) -> None:
        """Look in after a piece of work."""
        if self.report is not None and not self.stopped and self.report():
            self.stopped = True

    def note(self, number: int, outcome: Any) -> None:
        """Remember the best of the searches under way, for those who watch or interrupt."""
        with self._change:
            known = self.under_way.get(number)
            if known is None or outcome.rank > known.rank:
                self.under_way[number] = outcome

    def map(
        self, work: Callable[..., Any], items: list[tuple[Any, ...]], n_jobs: int | None
    ) -> list[Any]:
        """Return work(self, *item) for each item, in order; None for what was not finished."""
        results: list[Any] = []
        try:
            if self.report is not None:
                # The watcher sees the pieces one after the other.
                for item in items:
                    results.append(self._do(work, item))
            elif items:
                for result in in_order(self._do, ((work, item) for item in items), n_jobs):
                    results.append(result)
        except KeyboardInterrupt:
            self.interrupt()
            self._wait()
        return results + [None] * (len(items) - len(results))

    def _do(self, work: Callable[..., Any], item: tuple[Any, ...]) -> Any:
        with self._at_work():
            if self.stopped:
                return None
            if not self._away:
                return work(self, *item)
            # One thread, as at home: sums in another order would lead to other networks.
            with threadpool_limits(1, "blas"):
                return work(self, *item)

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        with self._change:
            self._busy += 1
        try:
            yield
        finally:
            with self._change:
                self._busy -= 1
                self._change.notify_all()

    def _wait(self) -> None:
        """Wait for the threads at work, which note where they stand."""
        with self._change:
            self._change.wait_for(lambda: self._busy == 0)
