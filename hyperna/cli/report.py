"""The command ``hyperna report``."""

import argparse
from pathlib import Path

from hyperna._files import check_writable
from hyperna._validation import check_extra
from hyperna._words import counted, shown

HELP = """\
Write the runs of a store as one page for people without Python.

The page needs no network: findings in sentences, charts, tables, settings, versions, seeds, and how
to repeat every run. For example:
  hyperna campaign run scaling.toml
  hyperna report scaling.store -o report.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("store", metavar="STORE", help="folder of results of a campaign")
    parser.add_argument("-o", "--out", metavar="FILE", required=True, help="page to write (.html)")
    parser.add_argument("--title", help="heading of the page (default: the store's name)")


def run(args: argparse.Namespace) -> int:
    """Write the page."""
    path = Path(args.out)
    if path.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"--out must end in .html, got {shown(args.out)}")
    check_extra("reports need", "matplotlib", "plot")
    check_writable(path)

    from hyperna.experiments.store import Store
    from hyperna.report import write_report

    runs = write_report(Store(args.store), path, args.title)
    print(f"{path}: {counted(runs, 'run')}")
    return 0
