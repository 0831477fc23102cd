"""A Dask cluster: the way to its scheduler, its workers, and work that is done there."""

import asyncio
import logging
import re
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import islice
from typing import Any

from hyperna import __version__
from hyperna._validation import check_extra
from hyperna._words import shown

# Seconds to wait for a scheduler, and for its first worker.
TIMEOUT = 20
# Jobs that a core of a cluster has at a time: the next one is there when one is done.
_AHEAD = 2
# Seconds after which it is asked whether a cluster still has workers.
_PULSE = 1.0
_SCHEDULER_GONE = "the Dask scheduler is gone; start it again and repeat the command"
# What a worker says to a job that its version of hyperna does not know.
_STRANGE_JOB = (ImportError, AttributeError, TypeError)
# The client of the cluster that is in use.
CLIENT: ContextVar[Any] = ContextVar("client", default=None)


def is_dask(backend: Any) -> bool:
    """Whether a backend of joblib is that of Dask."""
    return "Dask" in type(backend).__name__


@contextmanager
def dask_client(scheduler: str | None) -> Iterator[Any]:
    """Connect to the cluster, and make sure that its workers compute the same as this process."""
    check_extra("backend 'dask' needs", "dask", "dask", module="distributed")
    import distributed

    if scheduler is None:
        try:
            client = distributed.get_client()
        except ValueError:
            raise ValueError("backend 'dask' needs the scheduler's address") from None
        check_workers(client)
        yield client
        return
    # What cannot be an address is refused at once, for Dask would wait for it.
    if not re.fullmatch(r"inproc://.+|(\w+://)?.+:\d+/?", scheduler):
        raise ValueError(
            "scheduler must be an address with a port such as 'tcp://host:8786', "
            f"got {shown(scheduler)}"
        )
    try:
        _shake_hands(scheduler)
        client = distributed.Client(scheduler, timeout=TIMEOUT, set_as_default=False)
    except MemoryError:  # what another server says, read as the length of a message
        text = "answers, but not as a Dask scheduler; its dashboard has another port"
        raise ConnectionError(f"{shown(scheduler)} {text}") from None
    except (OSError, ValueError) as error:
        text = f"no Dask scheduler answers at {shown(scheduler)}: {str(error) or 'time is up'}"
        raise ConnectionError(text) from None
    # What goes wrong from here on is raised as an error; Dask would log its traceback as well.
    with distributed.utils.silence_logging_cmgr(logging.CRITICAL), client:
        check_workers(client)
        yield client


def _shake_hands(scheduler: str) -> None:
    """Make sure that a Dask scheduler listens: Dask's client waits forever for other servers."""
    if scheduler.startswith("inproc:"):
        return
    from distributed.comm import connect

    async def greet() -> None:
        async with asyncio.timeout(TIMEOUT):
            comm = await connect(scheduler, timeout=TIMEOUT)
            await comm.close()

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(greet())
    else:  # as in a notebook, where the loop cannot be used twice
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, greet()).result()


def worker_version() -> str:
    """Return the version of hyperna that a worker has."""
    return __version__


def other_version(worker: str, theirs: str, ours: str) -> str:
    """Return the message that a worker has another version of hyperna."""
    return (
        f"a worker {worker} has hyperna {theirs}, here is {ours}; results would not be comparable, "
        f"install the same version there"
    )


def check_workers(client: Any) -> None:
    """Refuse workers without hyperna or with another version of it.

    Those that are there are asked, so that a command ends before it has begun. Workers that come
    later are refused by their first job (`hyperna.parallel.numbered`).
    """
    from distributed import TimeoutError as NoWorker

    try:
        client.wait_for_workers(1, timeout=TIMEOUT)
    except NoWorker:
        raise ConnectionError(
            f"the Dask scheduler has no worker after {TIMEOUT} seconds; start one with "
            f"'dask worker ADDRESS'"
        ) from None
    for worker, version in client.run(worker_version, on_error="return").items():
        if isinstance(version, OSError):
            continue  # lost in this moment; Dask gives its jobs to others
        if isinstance(version, Exception):  # whatever unpickling raises over there
            raise ImportError(
                f"Dask worker {worker} cannot import hyperna {__version__} with its parts "
                f"({version}); install the same version there"
            )
        if version != __version__:
            raise ImportError(other_version(f"of Dask at {worker}", version, __version__))


def is_dask_worker() -> bool:
    """Whether this is a job on a Dask worker, as when scikit-learn sends fits to a cluster."""
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return False
    return True


def results_from_cluster(
    client: Any, function: Callable[..., Any], arguments: Iterator[tuple[Any, ...]]
) -> Generator[Any, None, None]:
    """Yield results from a Dask cluster; the runs of a lost worker are done by another one.

    joblib's own way to Dask waits forever if Dask gives up a job, as it does with one whose
    workers died time and again (joblib 1.6.0 still does). Dask itself waits forever for a worker
    when the last one is gone.
    """
    from distributed import KilledWorker, wait
    from distributed import TimeoutError as NothingYet

    running: set[Any] = set()
    workers: dict[str, int] = {}
    alone_since = None

    def submit_more() -> None:
        with _scheduler_there():
            free = _AHEAD * sum(client.ncores().values()) - len(running)
        for each in islice(arguments, max(free, 0 if running else 1)):
            with _scheduler_there():
                running.add(client.submit(function, *each, pure=False))

    try:
        submit_more()
        while running:
            with _scheduler_there():
                try:
                    with client.as_current():
                        ended = wait(running, timeout=_PULSE, return_when="FIRST_COMPLETED").done
                except NothingYet:
                    ended, workers = set(), client.ncores()
            if ended or workers:
                alone_since = None
            elif alone_since is None:
                alone_since = time.monotonic()
            elif time.monotonic() - alone_since > TIMEOUT:
                raise ConnectionError(
                    f"the Dask cluster has had no worker for {TIMEOUT} seconds; start one with "
                    f"'dask worker ADDRESS' and repeat the command"
                )
            for future in ended:
                running.remove(future)
                if future.status not in ("finished", "error"):  # cancelled or lost
                    raise ConnectionError(_SCHEDULER_GONE)
                if future.status == "error" and isinstance(future.exception(), _STRANGE_JOB):
                    check_workers(client)
                yield future.result()
            submit_more()
    except KilledWorker as error:
        text = "Dask gave up a job whose workers were killed, perhaps it needs more memory"
        raise ChildProcessError(f"{text}: {error}") from None
    finally:
        with suppress(Exception):  # a scheduler that is gone need not be told
            client.cancel(list(running))


@contextmanager
def _scheduler_there() -> Iterator[None]:
    """Say in our words that the scheduler is gone, whichever way Dask says it."""
    from distributed import CancelledError

    try:
        yield
    except ConnectionError:
        raise
    except (OSError, CancelledError, TimeoutError, asyncio.CancelledError):
        raise ConnectionError(_SCHEDULER_GONE) from None
