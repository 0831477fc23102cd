"""The command ``hyperna list``."""

import argparse
import json

from hyperna.cli.printing import make_console, print_entries
from hyperna.network.outputs import OUTPUTS

HELP = """\
Show every problem, mutation law, output, algorithm, data set and classifier, one line each.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Print the registries."""
    parts = catalogue()
    if args.json:
        print(json.dumps(parts, indent=2, ensure_ascii=False))
        return 0
    from rich.markup import escape

    console = make_console()
    for title, entries in parts.items():
        print_entries(console, title, {name: escape(text) for name, text in entries.items()})
    return 0


def catalogue() -> dict[str, dict[str, str]]:
    """Return what there is, read from the registries: kind -> name -> summary."""
    from hyperna.comparison import CLASSIFIERS
    from hyperna.datasets import DATASETS
    from hyperna.experiments.algorithms import algorithms
    from hyperna.mutation import LAWS
    from hyperna.problems import PROBLEMS

    return {
        "problems": {name: factory.summary for name, factory in PROBLEMS.items()},
        "mutations": {name: law.summary for name, law in LAWS.items()},
        "outputs": {name: output.summary for name, output in OUTPUTS.items()},
        "algorithms": {name: entry.summary for name, entry in algorithms().items()},
        "data sets": {name: entry.summary for name, entry in DATASETS.items()},
        "classifiers": {name: entry.summary for name, entry in CLASSIFIERS.items()},
    }
