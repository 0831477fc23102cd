"""Where joblib runs things: threads and processes here, or the workers of a cluster."""

import platform
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import closing, contextmanager
from itertools import chain, count, islice, repeat
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from joblib.parallel import get_active_backend

from hyperna import __version__
from hyperna._validation import check_jobs
from hyperna._words import shortened, shown
from hyperna.parallel.cluster import (
    CLIENT,
    dask_client,
    is_dask,
    is_dask_worker,
    other_version,
    results_from_cluster,
)

# Jobs for each worker in a portion, for backends that deliver a portion when all of it is done.
_PORTION = 4
# Killed worker processes in a row after which nothing is tried again.
_LOSSES = 3
# Backends of joblib that work on this machine; others are clusters.
_LOCAL = frozenset({"sequential", "threading", "loky", "multiprocessing"})


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
        with dask_client(scheduler) as client, _joblib_config("dask", -1, client=client):
            token = CLIENT.set(client)
            try:
                yield
            finally:
                CLIENT.reset(token)
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
    of a worker that was killed is done again by another one. A worker with another version of
    hyperna is an ImportError, whenever it joins.

    Examples
    --------
    >>> sorted(numbered(divmod, [(7, 2), (9, 4)]))
    [(0, (3, 1)), (1, (2, 1))]
    """
    calls = zip(repeat(__version__), repeat(function), count(), arguments, strict=False)
    backend = get_active_backend()[0]
    # On a worker of a cluster, waiting for others, which may wait as well, could last forever.
    if is_dask(backend) and not is_dask_worker():
        yield from results_from_cluster(CLIENT.get() or backend.client, _numbered, calls)
    elif is_dask(backend) or alone(n_jobs):
        for call in calls:
            yield _numbered(*call)
    else:
        yield from _tried_again(calls, n_jobs, processes)


def _tried_again(
    calls: Iterator[tuple[Any, ...]], n_jobs: int | None, processes: bool
) -> Generator[tuple[int, Any], None, None]:
    """Yield the results of calls as they come; after a worker was killed, go on with new ones."""
    begun: dict[int, tuple[Any, ...]] = {}

    def noted(again: list[tuple[Any, ...]]) -> Iterator[Any]:
        for call in chain(again, calls):
            begun[call[2]] = call
            yield delayed(_numbered)(*call)

    losses = 0
    while True:
        try:
            left = noted([*begun.values()])
            with closing(_joblib_results(left, n_jobs, processes)) as results:
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
    return effective_n_jobs(n_jobs) == 1 and not is_dask(get_active_backend()[0])


def _numbered(
    version: str, function: Callable[..., Any], number: int, each: tuple[Any, ...]
) -> tuple[int, Any]:
    """Return the number of a job and its result, if a worker has the version of who asks.

    Every job asks, because workers of a cluster come and go.
    """
    if version != __version__:
        raise ImportError(other_version(f"on {platform.node()}", __version__, version))
    return number, function(*each)


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


def _closed_quietly(results: Any) -> Generator[Any, None, None]:
    """Yield the results; joblib's warning that not all of them were taken is of no use here."""
    try:
        for result in results:  # noqa: UP028  with "yield from" joblib would be closed first
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            results.close()
