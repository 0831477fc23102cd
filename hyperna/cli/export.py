"""The command ``hyperna export``."""

import argparse
import re
import sys
from pathlib import Path

from hyperna._files import check_writable, write_file
from hyperna.cli.files import tell_written

HELP = """\
Write the rule of a saved model as Python, SQL, JavaScript or ONNX.

For example:
  hyperna export model.json --to sql --table customers
  hyperna export model.json --to python -o rule.py
  hyperna export model.json --to javascript -o rule.js
  hyperna export model.json --to onnx -o rule.onnx

The code needs nothing else and gives the same answers as the model; what is done with text, gaps
and dates is part of it. In Python and JavaScript a cell that cannot be read is an error. The SQL is
written for SQLite; there a gap is NULL or an empty text, and numbers are plain ones, without signs
or decimal commas. What the model read in training and the code does not is told in warnings. ONNX
is for models of numbers without gaps and needs skl2onnx (pip install 'hyperna[onnx]').
"""
LANGUAGES = ("python", "sql", "javascript", "onnx")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "model", metavar="MODEL", help="a JSON file written by 'hyperna fit --save'"
    )
    parser.add_argument("--to", required=True, choices=LANGUAGES, help="what to write")
    parser.add_argument(
        "-o", "--out", metavar="FILE", help="file to write (default: standard output)"
    )
    parser.add_argument("--table", metavar="NAME", help="name of the table in SQL (default: data)")


def run(args: argparse.Namespace) -> int:
    """Export and write."""
    path = None if args.out is None else Path(args.out)
    if path is not None:
        check_writable(path)
    if args.table is not None and args.to != "sql":
        raise ValueError(f"--table is for --to sql, got --to {args.to}")
    if args.to == "onnx":
        if path is None:
            raise ValueError("--to onnx writes no text: it needs -o FILE")
        return write_onnx(args.model, path)

    from hyperna.classifier import export_code
    from hyperna.models import load_model

    options = {} if args.table is None else {"table": args.table}
    code = export_code(load_model(args.model), args.to, **options)
    warnings = re.findall(r"^\W+ (WARNING: .*)\n\W+ (.*)$", code, re.MULTILINE)
    for first, second in warnings:
        print(f"hyperna export: {first} {second}", file=sys.stderr)
    if path is None:
        sys.stdout.write(code)
    else:
        write_file(path, code)
        tell_written(path, f"the rule in {args.to}")
    return 0


def write_onnx(model: str, path: Path) -> int:
    """Write a saved model as ONNX."""
    from hyperna.interop.onnx import export_onnx
    from hyperna.models import load_model

    write_file(path, export_onnx(load_model(model)).SerializeToString())
    tell_written(path, "the rule in ONNX")
    return 0
