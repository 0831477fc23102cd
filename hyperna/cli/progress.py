"""Progress of long work: a bar on the terminal; of campaigns also a line in a log now and then."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hyperna._words import counted, significant

# Without a terminal, seconds between two lines in the log.
_LOG_EVERY = 60.0


@contextmanager
def progress_bar(total: int, doing: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show a bar on a terminal; yield what reports (done, total), None without a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress
    from rich.console import Console

    bar = progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(compact=True),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(doing, total=total)

        def report(done: int, total: int) -> None:
            text = doing if done < total else "summing up"
            bar.update(task, completed=done, total=total, description=text)

        yield report


class Meter:
    """Progress of a campaign: a bar on a terminal, else a line in the log from time to time."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self._before: int | None = None
        self._begin = self._logged = time.monotonic()
        self._bar: Any = None

    @property
    def new(self) -> int:
        """Runs done now, not found in the store."""
        return self.done - (self._before or 0)

    @property
    def rate(self) -> float:
        """Runs per second."""
        return self.new / max(time.monotonic() - self._begin, 1e-9)

    def update(self, done: int, total: int, seconds_left: float | None = None) -> None:
        """Take note of the progress, and show it; without an estimate, what the rate tells."""
        if self._before is None:
            self._before = done
            self._begin = time.monotonic()
        self.done = done
        if seconds_left is None:
            seconds_left = (total - done) / max(self.rate, 1e-9)
        if self._bar is not None:
            self._bar.update(0, completed=done, description=self._text(seconds_left))
        elif time.monotonic() - self._logged >= _LOG_EVERY:
            self._logged = time.monotonic()
            text = f"{done:,} of {counted(total, 'run')}, {self._text(seconds_left)}"
            print(text, file=sys.stderr, flush=True)

    def _text(self, seconds_left: float) -> str:
        if not self.new:
            return "starting (compiles once)"
        # Less than a second is a guess that a compilation would disprove.
        left = f", {clock(seconds_left)} left" if seconds_left >= 1 else ""
        return f"{significant(self.rate)} runs/s{left}"

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show a bar if there is a terminal."""
        if not sys.stderr.isatty():
            yield
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
        with Progress(*columns, console=Console(stderr=True), transient=True) as self._bar:
            self._bar.add_task("starting", total=self.total)
            yield

    def print(self, text: str) -> None:
        """Print a text to standard output, with the bar out of the way."""
        if self._bar is not None:
            self._bar.stop()
        print(text, flush=True)
        if self._bar is not None:
            self._bar.start()

    def summary(self, settings: int) -> str:
        """Return what there is now, and what was done for it."""
        seconds = time.monotonic() - self._begin
        text = f"{counted(self.done, 'run')} of {counted(settings, 'setting')}"
        if not self.new:
            return f"{text}, nothing was missing"
        how = f"{significant(self.rate)} runs/s, {clock(seconds)}"
        return f"{text}, {self.new:,} of them new ({how})"


def clock(seconds: float) -> str:
    """Return a duration for people.

    Examples
    --------
    >>> clock(0.4), clock(75), clock(7300)
    ('0 s', '1 min 15 s', '2 h 1 min')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
