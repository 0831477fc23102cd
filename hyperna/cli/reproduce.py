"""The command ``hyperna reproduce``."""

import argparse
import os
import shutil
import sys
import textwrap
from pathlib import Path
from typing import Any

from hyperna._files import write_file
from hyperna._words import are, counted, did_you_mean, shown
from hyperna.cli.options import integer
from hyperna.cli.printing import json_text
from hyperna.cli.progress import Meter, clock
from hyperna.cli.workers import add_worker_options, workers

HELP = """\
Reproduce the paper's tables and say which numbers agree.

Tables 1 to 9 are the (1+1) NA's, table 10 is CMA-ES (needs hyperna[baselines]); 'baselines'
compares the (1+1) NA with and without restarts with other algorithms.

For example:
  hyperna reproduce --quick
  hyperna reproduce --table 5 8 --out tables   (resumable)
  hyperna reproduce --table baselines --jobs 2
"""

_ALL = tuple(range(1, 11))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--table",
        nargs="+",
        type=_table,
        default=list(_ALL),
        metavar="N",
        help="1 to 10, or 'baselines' (default: 1 to 10)",
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer runs, resolutions 120, 240 and 480 only"
    )
    parser.add_argument(
        "--runs", type=integer(2), help="runs per row (default: the paper's, 100; CMA-ES 1,000)"
    )
    parser.add_argument("--seed", type=integer(0), default=0, help="default: 0")
    parser.add_argument(
        "--jobs", type=integer(-1), default=-1, help="workers (default: -1, all cores)"
    )
    add_worker_options(parser, jobs=False)
    parser.add_argument(
        "-o",
        "--out",
        metavar="DIR",
        help="write each table as .md, .tex and .csv into this folder, as soon as it is finished",
    )
    parser.add_argument(
        "--store",
        metavar="DIR",
        help="keep the runs in this folder, so that the same command resumes after an "
        "interruption (default: runs.store in the folder of --out)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, no tables")


def _table(text: str) -> int | str:
    known = {str(number): number for number in _ALL}
    if text != "baselines" and text not in known:
        hint = did_you_mean(text, ["baselines"])
        raise argparse.ArgumentTypeError(f"must be 1 to 10 or 'baselines', got {shown(text)}{hint}")
    return known.get(text, text)


def run(args: argparse.Namespace) -> int:
    """Run the tables; print and write each as soon as it is finished."""
    folder = _checked_folder(args.out) if args.out else None

    from hyperna.experiments.store import Store
    from hyperna.paper.findings import Report, report_table, summarised
    from hyperna.paper.reproduce import Reproduction

    tables = Reproduction(tuple(args.table), runs=args.runs, quick=args.quick, seed=args.seed)
    kept = args.store or (folder / "runs.store" if folder else None)
    store = None if kept is None else Store(kept)
    meter = Meter(tables.total)
    # In a pipe nothing is broken.
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    parts: list[Report] = []
    try:
        with workers(args):
            _announce(tables, store)
            with meter.shown():
                for table, found in tables.run(store, meter.update):
                    parts.append(report_table(table, found))
                    if not args.json:
                        meter.print(parts[-1].plain(width))
                    if folder is not None:
                        _write(folder, parts[-1], summarised(parts))
    except KeyboardInterrupt:
        again = "" if store is None else f"; the same command resumes from {store.path}"
        total = len(tables.tables)
        done = f"{len(parts)} of {counted(total, 'table')} {are(total)} finished{again}"
        print(f"hyperna: interrupted: {done}", file=sys.stderr)
        return 130
    report = summarised(parts)
    if folder is not None:
        _write(folder, report, report)
    if args.json:
        print(json_text({"seed": args.seed, **report.data()}))
    else:
        rest = Report(report.tables[-1:] if report.findings else (), report.findings)
        lines = "\n".join(textwrap.fill(line, width) for line in rest.conclusion().splitlines())
        print(rest.plain(width), f"{lines}\n" if lines else "", sep="\n" if lines else "", end="")
    return 0


def _announce(tables: Any, store: Any) -> None:
    """Say how long it takes and where runs are kept, on standard error."""
    from joblib import effective_n_jobs

    jobs = max(1, effective_n_jobs(None))
    kept = "nothing is kept" if store is None else f"runs are kept in {store.path}"
    seconds = max(1, tables.seconds / jobs)
    print(
        f"hyperna: {counted(tables.total, 'run')}, about {clock(seconds)} with "
        f"{counted(jobs, 'worker')} on a recent computer; {kept}",
        file=sys.stderr,
        flush=True,
    )


def _checked_folder(text: str) -> Path:
    """Make the folder, or say why it cannot be used, before any work."""
    folder = Path(text)
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"--out must be a folder, but {folder} is a file")
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"cannot write into {folder}: it is not writable")
    return folder


def _write(folder: Path, part: Any, whole: Any) -> None:
    """Write the tables of a part, and all that is known by now."""
    from hyperna._tables import csv_text, latex, markdown

    for table in part.tables:
        for suffix, write in ((".md", markdown), (".tex", latex), (".csv", csv_text)):
            write_file(folder / (table.name + suffix), write(table))
    write_file(folder / "report.md", f"{whole.markdown()}\n{whole.conclusion()}")
