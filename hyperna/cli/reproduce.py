"""Run the paper's tables again and say for each number whether it agrees.

Tables 1 to 9 are the (1+1) NA's, table 10 is CMA-ES (needs hyperna[baselines]); 'baselines'
compares the (1+1) NA with and without restarts with other algorithms.

For example:
  hyperna reproduce --quick
  hyperna reproduce --table 5 8 --output tables
  hyperna reproduce --table baselines --jobs 2
"""

import argparse
import os
from pathlib import Path
from typing import Any

from hyperna._files import write_file
from hyperna._words import did_you_mean
from hyperna.cli.options import integer, json_text
from hyperna.cli.workers import add_worker_options, workers

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
        "--runs", type=integer(2), help="runs a row (default: the paper's, 100; CMA-ES 1,000)"
    )
    parser.add_argument("--seed", type=integer(0), default=0, help="default: 0")
    parser.add_argument(
        "--jobs", type=integer(-1), default=-1, help="workers (default: -1, all cores)"
    )
    add_worker_options(parser, jobs=False)
    parser.add_argument(
        "--output", metavar="DIR", help="write each table as .md, .tex and .csv into this folder"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, no tables")


def _table(text: str) -> int | str:
    known = {str(number): number for number in _ALL}
    if text != "baselines" and text not in known:
        hint = did_you_mean(text, ["baselines"])
        raise argparse.ArgumentTypeError(f"must be 1 to 10 or 'baselines', got {text!r}{hint}")
    return known.get(text, text)


def run(args: argparse.Namespace) -> int:
    """Run the tables and report them."""
    folder = _checked_folder(args.output) if args.output else None

    from hyperna.cli.progress import progress_bar
    from hyperna.paper.findings import make_report
    from hyperna.paper.reproduce import Plan, compile_kernels, simulate

    plan = Plan(tuple(args.table), runs=args.runs, quick=args.quick, seed=args.seed)
    batches = plan.batches()
    with progress_bar(sum(batch.runs for batch in batches)) as (say, progress):
        say("compiling (first use only)")
        compile_kernels()
        say("running")
        with workers(args):
            outcomes = simulate(batches, args.jobs, progress)
        say("summing up")
        report = make_report(plan, outcomes)
    if folder is not None:
        _write(folder, report)
    if args.json:
        print(json_text({"seed": args.seed, **report.data()}))
    else:
        print(report.markdown(), end="")
    return 0


def _checked_folder(text: str) -> Path:
    """Make the folder, or say why it cannot be used, before any work."""
    folder = Path(text)
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"--output must be a folder, but {folder} is a file")
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"cannot write into {folder}: it is not writable")
    return folder


def _write(folder: Path, report: Any) -> None:
    from hyperna.analysis.tables import csv_text, latex, markdown

    for sheet in report.sheets:
        for suffix, write in ((".md", markdown), (".tex", latex), (".csv", csv_text)):
            write_file(folder / (sheet.name + suffix), write(sheet))
    write_file(folder / "report.md", report.markdown())
