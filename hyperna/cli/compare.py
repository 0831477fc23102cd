"""The command ``hyperna compare``."""

import argparse
import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hyperna._words import finite
from hyperna.cli.files import check_picture, save_figure
from hyperna.cli.options import add_kind_option, integer, names
from hyperna.cli.printing import RIGHT, Version, make_console, print_table, say
from hyperna.cli.progress import progress_bar
from hyperna.cli.signals import INTERRUPTED, signals
from hyperna.cli.workers import add_worker_options, workers

if TYPE_CHECKING:
    from hyperna.comparison import Comparison

HELP = """\
Compare NAClassifier with other classifiers by repeated cross-validation.

For example:
  hyperna compare moons
  hyperna compare customers.csv --label churned --classifiers na,rivals --plot sizes.png
  hyperna compare sklearn:breast_cancer sklearn:wine --repeats 5 --jobs 2
  hyperna compare two_quarters_d2 two_quarters_d5 --rotate --plot arcs.png
  hyperna compare points.csv --label class --classifiers na,logistic,tree --json

Interrupted with Ctrl-C it shows the folds that are finished and ends with exit code 130.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "data",
        nargs="*",
        metavar="DATA",
        help="a CSV file, a data set ('hyperna dataset --list'), sklearn:NAME "
        "(breast_cancer, digits, iris, wine) or a problem such as quarter:dim=3",
    )
    parser.add_argument(
        "--label", metavar="COLUMN", help="label column of the CSV files (default: last)"
    )
    parser.add_argument(
        "--ignore",
        type=names,
        default=(),
        metavar="A,B,...",
        help="columns of the CSV files to leave out",
    )
    add_kind_option(parser)
    parser.add_argument(
        "--classifiers",
        type=names,
        metavar="A,B,...",
        help="classifiers to compare, names from --list, or rivals for all others that people can "
        "read (default: all but slow ones)",
    )
    parser.add_argument("--list", action="store_true", help="show the classifiers")
    parser.add_argument("--folds", type=integer(2), default=5, help="default: 5")
    parser.add_argument("--repeats", type=integer(1), default=3, help="default: 3")
    parser.add_argument(
        "--rotate",
        action="store_true",
        help="also on the data turned by a random rotation after scaling",
    )
    parser.add_argument("--seed", type=integer(0), default=0, help="default: 0")
    parser.add_argument(
        "--jobs",
        type=integer(-1),
        help="processes, -1 for all cores (default: 1, for comparable fit times; all of a cluster)",
    )
    add_worker_options(parser, jobs=False)
    parser.add_argument("--json", action="store_true", help="print one JSON object, no table")
    parser.add_argument("--all", action="store_true", help="with every fit (needs --json)")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    parser.add_argument("--plot", metavar="FILE", help="write a picture (.png, .pdf or .svg)")


def run(args: argparse.Namespace) -> int:
    """Compare and report."""
    if args.all and not args.json:
        raise ValueError("--all lists every fit and needs --json")
    if args.json and args.markdown:
        raise ValueError("--json and --markdown cannot be used together")
    alone = not (args.data or args.all or args.markdown or args.plot)
    if (args.list and not alone) or not (args.list or args.data):
        raise ValueError("give DATA to compare on, or --list alone or with --json")
    if args.list:
        print_list(args.json)
        return 0
    picture = check_picture(args.plot) if args.plot else None

    from hyperna.comparison import CrossValidation
    from hyperna.datasets import load

    validation = CrossValidation.of(
        [load(source, args.label, args.ignore, args.kind) for source in args.data],
        args.classifiers,
        folds=args.folds,
        repeats=args.repeats,
        rotate=args.rotate,
        seed=args.seed,
    )
    code = 0
    here = args.backend is None and args.scheduler is None and args.jobs in (None, 1)
    signals.patient = True  # what was finished is shown
    with workers(args), progress_bar(validation.total, "comparing") as progress:
        try:
            if here:
                in_thread(lambda: validation.run(1, progress))
            else:
                validation.run(args.jobs, progress)
        except KeyboardInterrupt:
            if not validation.result().scores:
                raise
            code = INTERRUPTED
    comparison = validation.result()
    if code:
        done = f"{len(comparison.scores):,} of {comparison.planned:,} fits are finished"
        print(f"hyperna: interrupted: {done}", file=sys.stderr)
    if picture is not None:
        from hyperna.plots.comparison import comparison_figure

        save_figure(picture, comparison_figure(comparison))
    if args.json:
        print(json.dumps(finite(report(comparison, every_fit=args.all)), allow_nan=False))
    elif args.markdown:
        print(comparison.to_markdown(), end="")
    else:
        print_tables(comparison, picture, explain_choice=args.classifiers is None)
    return code


def in_thread(work: Callable[[], None]) -> None:
    """Do some work in another thread and wait for it.

    So an interrupt ends the waiting at once, and does not wait for a fit in compiled code.
    """
    failed: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=guarded, daemon=True)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


def print_list(as_json: bool) -> None:
    """Print the classifiers, and what has to be installed for those that are absent."""
    from hyperna.comparison import CLASSIFIERS, GROUPS

    texts = {}
    for entry in CLASSIFIERS.values():
        texts[entry.name] = entry.summary + (f" ({entry.absent})" if entry.absent else "")
    for name, members in GROUPS.items():
        texts[name] = f"all of {', '.join(members)}"
    if as_json:
        print(json.dumps(texts))
        return
    width = max(map(len, texts))
    for name, text in texts.items():
        print(f"{name.ljust(width)}  {text}")


def report(comparison: "Comparison", *, every_fit: bool) -> dict[str, Any]:
    """Return all that is reported, ready for JSON."""
    import sklearn

    from hyperna import __version__

    made: dict[str, Any] = {
        "data": [info._asdict() for info in comparison.data],
        "classifiers": {entry.name: entry.summary for entry in comparison.classifiers},
        "absent": dict(comparison.absent),
        "summary": comparison.summary(),
        "averages": comparison.averages(),
        "differences": comparison.differences(),
        "explanation": comparison.explanation,
        "settings": {
            "folds": comparison.folds,
            "repeats": comparison.repeats,
            "seed": comparison.seed,
            "version": __version__,
            "scikit-learn": sklearn.__version__,
        },
    }
    return {**made, "fits": comparison.records()} if every_fit else made


def _tables(rows: list[list[str]]) -> Iterator[Version]:
    """Yield the table, then without what a narrow terminal has no room for; --json still has it."""
    from rich.markup import escape

    from hyperna.comparison.results import TABLE_COLUMNS

    shown = [name for name in TABLE_COLUMNS if name != "remark" or any(row[-1] for row in rows)]
    for dropped in (None, "size", "train accuracy"):
        if dropped is not None:
            shown.remove(dropped)
        # Only remarks, which may be of any length, are broken.
        columns: dict[str, Any] = {name: {**RIGHT, "no_wrap": True} for name in shown}
        columns["classifier"] = {"no_wrap": True}
        if "remark" in shown:
            columns["remark"] = {}
        places = [TABLE_COLUMNS.index(name) for name in shown]
        marked = []
        for row in rows:
            form = "[bold]{}[/bold]" if row[0] == "na" else "{}"
            marked.append([form.format(escape(row[place])) for place in places])
        yield columns, marked


def print_tables(comparison: "Comparison", picture: Path | None, explain_choice: bool) -> None:
    """Print a table for each data set, then what the numbers mean."""
    from rich.markup import escape

    from hyperna.comparison import CLASSIFIERS
    from hyperna.comparison.results import describe

    console = make_console()
    for info in comparison.data:
        say(console, f"[bold]{escape(describe(info))}[/bold]")
        print_table(console, _tables(comparison.table(info)), padding=(0, 1), pad_edge=False)
        console.print()
    if len(comparison.data) > 1:
        ranked = sorted(comparison.averages().items(), key=lambda item: -item[1])
        listed = ", ".join(f"{escape(name)} {value:.3f}" for name, value in ranked)
        say(console, f"[bold]average test accuracy[/bold]: {listed}")
    say(console, f"[dim]{escape(comparison.explanation)}[/dim]")
    for name, why in comparison.absent.items():
        say(console, f"[bold]{escape(name)}[/bold] is not compared: it {escape(why)}")
    unnamed = [name for name, entry in CLASSIFIERS.items() if entry.named_only]
    if explain_choice and unnamed:
        reason = "slow, or needs an extra; name it with --classifiers"
        say(console, f"[dim]Not compared: {', '.join(unnamed)} ({reason}).[/dim]")
    if picture is not None:
        console.print(f"picture: {escape(str(picture))}", soft_wrap=True)
