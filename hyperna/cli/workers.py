"""The options that say where work is done: processors here, or a cluster."""

import argparse
import sys
from contextlib import AbstractContextManager
from typing import Any

from hyperna.cli.options import integer


def add_worker_options(parser: Any, *, jobs: bool = True) -> None:
    """Declare --jobs (unless the command has its own), --backend and --scheduler."""
    if jobs:
        parser.add_argument(
            "--jobs",
            type=integer(-1),
            help="workers, -1 for all cores (default: 1 here, all of a cluster)",
        )
    parser.add_argument(
        "--backend",
        help="joblib backend: threading, loky, dask, ... (default: chosen automatically)",
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="run on the Dask cluster with this scheduler"
    )


def refuse_no_workers(args: argparse.Namespace) -> None:
    """Refuse a number of workers that means nothing."""
    if args.jobs == 0:
        raise ValueError("--jobs must not be 0; use 1 for one worker, -1 for all cores")


def announce_scheduler(args: argparse.Namespace) -> None:
    """Say on a terminal who is being called, for a scheduler that does not answer takes a while."""
    if args.scheduler is None or not sys.stderr.isatty():
        return
    from hyperna.parallel.cluster import TIMEOUT

    text = f"connecting to the Dask scheduler at {args.scheduler} (at most {TIMEOUT} s)"
    print(f"hyperna: {text}", file=sys.stderr, flush=True)


def workers(args: argparse.Namespace) -> AbstractContextManager[None]:
    """Return a context in which everything that uses joblib uses these workers."""
    from hyperna.parallel import parallel_backend

    refuse_no_workers(args)
    announce_scheduler(args)
    return parallel_backend(args.backend, args.scheduler, args.jobs)
