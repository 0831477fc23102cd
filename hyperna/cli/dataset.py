"""The command ``hyperna dataset``."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from hyperna._files import check_writable, write_file
from hyperna._words import counted, write_name
from hyperna.cli.files import tell_written
from hyperna.cli.printing import make_console, print_entries

HELP = """\
Generate a data set as a CSV file, byte for byte the same everywhere.

For example:
  hyperna dataset --list
  hyperna dataset moons -o moons.csv
  hyperna dataset sphere:problem=two_quarters,dim=5,rotated=true,n=1000
  hyperna dataset --all -o datasets
"""

# On a narrower terminal, how a set is made stands below what it is.
_NARROW = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="a generator, optionally with parameters: moons:n=100,noise=0.1; or a file's name",
    )
    parser.add_argument(
        "-o",
        "--out",
        metavar="FILE",
        help="file to write (default: standard output); with --all a folder",
    )
    parser.add_argument("--all", action="store_true", help="write every file of the project")
    parser.add_argument("--list", action="store_true", help="show the generators and the files")
    parser.add_argument("--json", action="store_true", help="the list as one JSON object")


def run(args: argparse.Namespace) -> int:
    """Write one data set, all of them, or their list."""
    asked = [args.name is not None, args.all, args.list]
    if sum(asked) != 1:
        raise ValueError("give the NAME of a data set, or --all, or --list")
    if args.json and not args.list:
        raise ValueError("--json prints the list and needs --list")
    if args.list:
        if args.out is not None:
            raise ValueError("--out does not apply to --list")
        return _print_list(args.json)
    if args.all:
        return _write_all(args.out)
    from hyperna.datasets import dataset

    if args.out is None:
        sys.stdout.write(dataset(args.name).to_csv())
        return 0
    path = Path(args.out)
    check_writable(path)
    made = dataset(args.name)
    write_file(path, made.to_csv())
    shape = f"{counted(made.X.shape[1], 'feature')}, {counted(len(made.classes), 'class')}"
    tell_written(path, f"{counted(len(made.X), 'point')}, {shape}")
    return 0


def _write_all(output: str | None) -> int:
    from hyperna.datasets import SHIPPED, dataset

    if output is None:
        raise ValueError("--all needs -o FOLDER")
    folder = Path(output)
    if not folder.is_dir():
        raise NotADirectoryError(f"--all writes into a folder, got {output}; create it")
    texts = {folder / f"{name}.csv": dataset(name).to_csv() for name in SHIPPED}
    for path in texts:
        check_writable(path)
    for path, text in texts.items():
        write_file(path, text)
    print(f"{counted(len(texts), 'file')} in {folder}")
    return 0


def _print_list(as_json: bool) -> int:
    listed = catalogue()
    if as_json:
        print(json.dumps(listed, indent=2, ensure_ascii=False))
        return 0
    from rich.markup import escape

    console = make_console()
    between = "\n" if console.width < _NARROW else "  "
    for title, entries in listed.items():
        texts = {
            name: f"{escape(entry['summary'])}{between}[dim]{escape(entry['made by'])}[/dim]"
            for name, entry in entries.items()
        }
        print_entries(console, title, texts)
    return 0


def catalogue() -> dict[str, dict[str, dict[str, Any]]]:
    """Return generators and files, read from the registry."""
    from hyperna.datasets import DATASETS, SHIPPED, dataset

    generators = {
        name: {"summary": entry.summary, "made by": write_name(name, entry.parameters)}
        for name, entry in DATASETS.items()
    }
    files = {
        f"{name}.csv": {
            "summary": dataset(name).summary,
            "made by": write_name(generator, parameters),
        }
        for name, (generator, parameters) in SHIPPED.items()
    }
    return {"generators": generators, "files": files}
