"""Where joblib runs things: threads and processes here, or the workers of a cluster."""

import asyncio
import logging
import re
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar
from itertools import chain, count, islice, repeat
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from joblib.parallel import get_active_backend

from hyperna import __version__
from hyperna._validation import check_extra, check_jobs
from hyperna._words import shortened, shown

# Seconds to wait for a scheduler, and for its first worker.
TIMEOUT = 20
# Jobs that a core of a cluster has at a time: the next one is there when one is done.
_AHEAD = 2
# Jobs for each worker in a portion, for backends that deliver a portion when all of it is done.
_PORTION = 4
# Seconds after which it is asked whether a cluster still has workers.
_PULSE = 1.0
_SCHEDULER_GONE = "the Dask scheduler is gone; start it again and repeat the command"
# Killed worker processes in a row after which nothing is tried again.
_LOSSES = 3
# Backends of joblib that work on this machine; others are clusters.
_LOCAL = frozenset({"sequential", "threading", "loky", "multiprocessing"})
# The client of the Dask cluster that is in use.
_CLIENT: ContextVar[Any] = ContextVar("client", default=None)


@contextmanager
def parallel_backend(
    backend: str | None = None, scheduler: str | None = None, n_jobs: int | None = None
) -> Iterator[None]:
    """Use this joblib backend for everything inside the ``with`` block.

    Parameters
    ----------
    backend : str, optional
        "threading", "loky" (processes), "dask", or any other backend that is registered with
        joblib. By default hyperna chooses.
    scheduler : str, optional
        Address of the Dask scheduler, as in "tcp://host:8786"; it implies ``backend="dask"``.
        Without it Dask uses the client that exists in this process.
    n_jobs : int, optional
        Number of workers; by default one on this machine and all of a cluster. With Dask always
        all.

    Examples
    --------
    >>> import hyperna
    >>> with parallel_backend("threading", n_jobs=2):
    ...     runs = hyperna.OnePlusOneNA().run_many(hyperna.problem("half"), runs=10, seed=0)
    >>> len(runs)
    10
    """
    for name, value in (("backend", backend), ("scheduler", scheduler)):
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{name} must be a str, got {shown(value)}")
    n_jobs = check_jobs(n_jobs)
    if scheduler is not None and backend not in (None, "dask"):
        raise ValueError(f"scheduler is for the backend 'dask', got backend {shown(backend)}")
    if scheduler is not None or backend == "dask":
        with _dask_client(scheduler) as client, _joblib_config("dask", -1, client=client):
            token = _CLIENT.set(client)
            try:
                yield
            finally:
                _CLIENT.reset(token)
    elif backend is not None:
        if n_jobs is None and backend not in _LOCAL:
            n_jobs = -1
        with _joblib_config(backend, n_jobs):
            yield
    elif n_jobs is not None:
        with parallel_config(n_jobs=n_jobs):
            yield
    else:
        yield


def _joblib_config(backend: str, n_jobs: int | None, **options: Any) -> Any:
    try:
        return parallel_config(backend, n_jobs=n_jobs, **options)
    except (ValueError, TypeError, ImportError) as error:
        why = shortened(str(error), 200)
        raise ValueError(f"backend {shown(backend)} is not known to joblib: {why}") from None


@contextmanager
def _dask_client(scheduler: str | None) -> Iterator[Any]:
    """Connect to the cluster, and make sure that its workers compute the same as this process."""
    check_extra("backend 'dask' needs", "dask", "dask", module="distributed")
    import distributed

    if scheduler is None:
        try:
            client = distributed.get_client()
        except ValueError:
            raise ValueError("backend 'dask' needs the scheduler's address") from None
        _check_workers(client)
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
        _check_workers(client)
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


def _check_workers(client: Any) -> None:
    """Refuse workers without hyperna or with another version of it."""
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
            raise ImportError(
                f"Dask worker {worker} has hyperna {version}, here is {__version__}; results would "
                f"not be comparable, install the same version there"
            )


def in_order(
    function: Callable[..., Any],
    arguments: Iterable[tuple[Any, ...]],
    n_jobs: int | None = None,
    processes: bool = False,
) -> Generator[Any, None, None]:
    """Yield function(*arguments[i]) in the order of the arguments, otherwise as `numbered` does.

    Examples
    --------
    >>> list(in_order(divmod, [(7, 2), (9, 4)]))
    [(3, 1), (2, 1)]
    """
    early: dict[int, Any] = {}
    following = 0
    with closing(numbered(function, arguments, n_jobs, processes)) as results:
        for number, result in results:
            early[number] = result
            while following in early:
                yield early.pop(following)
                following += 1


def numbered(
    function: Callable[..., Any],
    arguments: Iterable[tuple[Any, ...]],
    n_jobs: int | None = None,
    processes: bool = False,
) -> Generator[tuple[int, Any], None, None]:
    """Yield (i, function(*arguments[i])) as the results come, in any order where the backend can.

    `arguments` is read little by little, while results come in. Backends that cannot deliver as
    they go get the work in portions. Backend and, if `n_jobs` is None, number of workers are those
    of `parallel_backend`; where it names none, threads or processes as `processes` says. The work
    of a worker that was killed is done again by another one.

    Examples
    --------
    >>> sorted(numbered(divmod, [(7, 2), (9, 4)]))
    [(0, (3, 1)), (1, (2, 1))]
    """
    new = zip(repeat(function), count(), arguments, strict=False)
    backend = get_active_backend()[0]
    if _is_dask(backend):
        if _is_dask_worker():
            # Waiting here for other workers, which may wait as well, could last forever.
            yield from (_numbered(*call) for call in new)
        else:
            yield from _on_cluster(_CLIENT.get() or backend.client, _numbered, new)
        return
    if alone(n_jobs):
        for number, each in enumerate(arguments):
            yield number, function(*each)
        return
    begun: dict[int, Any] = {}

    def calls(again: list[Any]) -> Iterator[Any]:
        for call in chain(again, new):
            begun[call[1]] = call
            yield delayed(_numbered)(*call)

    losses = 0
    while True:
        try:
            again = calls([*begun.values()])
            with closing(_joblib_results(again, n_jobs, processes)) as results:
                for number, result in results:
                    del begun[number]
                    losses = 0
                    yield number, result
            return
        except BrokenExecutor:
            losses += 1
            if losses == _LOSSES:
                raise ChildProcessError(
                    f"worker processes were killed {losses} times without finishing anything, "
                    f"perhaps for lack of memory; use fewer jobs"
                ) from None


def alone(n_jobs: int | None = None) -> bool:
    """Whether this process does all the work by itself."""
    return effective_n_jobs(n_jobs) == 1 and not _is_dask(get_active_backend()[0])


def _is_dask(backend: Any) -> bool:
    return "Dask" in type(backend).__name__


def _numbered(function: Callable[..., Any], number: int, each: tuple[Any, ...]) -> tuple[int, Any]:
    return number, function(*each)


def _is_dask_worker() -> bool:
    """Whether this is a job on a Dask worker, as when scikit-learn sends fits to a cluster."""
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return False
    return True


def _joblib_results(
    calls: Iterator[Any], n_jobs: int | None, processes: bool
) -> Generator[Any, None, None]:
    """Yield the results of calls as joblib's backend delivers them."""
    # Asked for threads, joblib forgets the number of workers that its context names.
    n_jobs = effective_n_jobs(n_jobs)
    prefer = "processes" if processes else "threads"
    options = {"n_jobs": n_jobs, "prefer": prefer, "batch_size": 1}
    for order in ("generator_unordered", "generator"):
        try:
            parallel = Parallel(**options, return_as=order)
        except ValueError:  # joblib's way to say that the backend does not support it
            continue
        yield from _closed_quietly(parallel(calls))
        return
    with Parallel(**options) as parallel:
        while part := list(islice(calls, _PORTION * n_jobs)):
            yield from parallel(part)


def _on_cluster(
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


def _closed_quietly(results: Any) -> Generator[Any, None, None]:
    """Yield the results; joblib's warning that not all of them were taken is of no use here."""
    try:
        for result in results:  # noqa: UP028  with "yield from" joblib would be closed first
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            results.close()
