"""Show every problem, mutation law, output, algorithm, data set and classifier, one line each."""

import argparse
import json

from hyperna.cli.options import make_console
from hyperna.outputs import OUTPUTS


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
    width = max(len(name) for entries in parts.values() for name in entries)
    for title, entries in parts.items():
        console.print(f"[dim]{title}[/dim]")
        for name, summary in entries.items():
            line = f"  [bold]{escape(name.ljust(width))}[/bold]  {escape(summary)}"
            console.print(line, soft_wrap=True)
    return 0


def catalogue() -> dict[str, dict[str, str]]:
    """Return what there is, read from the registries: kind -> name -> summary."""
    from hyperna.comparison import CLASSIFIERS
    from hyperna.datasets import DATASETS
    from hyperna.mutation import LAWS
    from hyperna.problems import PROBLEMS
    from hyperna.settings.algorithms import ALGORITHMS

    return {
        "problems": {name: factory.summary for name, factory in PROBLEMS.items()},
        "mutations": {name: law.summary for name, law in LAWS.items()},
        "outputs": {name: output.summary for name, output in OUTPUTS.items()},
        "algorithms": {name: entry.summary for name, entry in ALGORITHMS.items()},
        "data sets": {name: entry.summary for name, entry in DATASETS.items()},
        "classifiers": {name: entry.summary for name, entry in CLASSIFIERS.items()},
    }
