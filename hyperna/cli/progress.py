"""A progress bar on the terminal, and nothing at all in a pipe."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[int, int], None]


@contextmanager
def progress_bar(total: int) -> Iterator[tuple[Callable[[str], None], Report | None]]:
    """Yield two functions: one names what is being done, one reports (done, total).

    On anything but a terminal the first does nothing and the second is None.
    """
    if not sys.stderr.isatty():
        yield (lambda text: None), None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("starting", total=total)

        def say(text: str) -> None:
            bar.update(task, description=text)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield say, report
