"""The command ``hyperna campaign``."""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hyperna._files import check_writable, write_file
from hyperna._validation import check_extra
from hyperna._words import are, counted
from hyperna.cli.files import tell_written
from hyperna.cli.options import integer
from hyperna.cli.printing import RIGHT, Version, make_console, print_table
from hyperna.cli.progress import Meter
from hyperna.cli.workers import add_worker_options, announce_scheduler, refuse_no_workers

if TYPE_CHECKING:
    from hyperna.experiments.campaign import Campaign

HELP = """\
Run, monitor and export experiment grids described in a file.

A campaign file holds the options of 'hyperna run', each with one value or a list:

  runs = 100
  resolution = [120, 240, 480]

  [[settings]]
  problem = ["half", "quarter"]
  mutation = ["harmonic", "local"]

The seed of a setting's runs is made of all its options, so these runs differ from those of
'hyperna run', even with the same --seed.

For example:
  hyperna campaign run scaling.toml --jobs 2
  hyperna campaign status scaling.store
  hyperna campaign export scaling.store csv -o scaling.csv
  hyperna campaign export scaling.store ioh -o for_iohanalyzer
"""

FORMATS = ("csv", "parquet", "ioh")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their options."""
    actions = parser.add_subparsers(
        dest="action", metavar="ACTION", required=True, help="what to do"
    )
    begin = actions.add_parser("run", help="run what is missing", allow_abbrev=False)
    begin.add_argument("file", metavar="FILE", help="campaign file (TOML)")
    begin.add_argument("--store", metavar="DIR", help="folder of results (default: FILE's .store)")
    add_worker_options(begin)
    status = actions.add_parser(
        "status", help="show the progress of each setting", allow_abbrev=False
    )
    status.add_argument("store", metavar="STORE", help="folder of results")
    status.add_argument("--json", action="store_true", help="print one JSON object, no table")
    export = actions.add_parser(
        "export", help="export all runs for other tools", allow_abbrev=False
    )
    export.add_argument("store", metavar="STORE", help="folder of results")
    export.add_argument("format", choices=FORMATS, help="a table, or data of IOHanalyzer")
    export.add_argument(
        "-o", "--out", metavar="FILE", required=True, help="file to write; for ioh a new folder"
    )
    export.add_argument(
        "--jobs",
        type=integer(-1),
        default=1,
        help="workers that repeat the runs for ioh, -1 for all cores (default: 1)",
    )


def run(args: argparse.Namespace) -> int:
    """Do what the action says."""
    actions = {"run": run_campaign, "status": show_status, "export": export_runs}
    return actions[args.action](args)


def run_campaign(args: argparse.Namespace) -> int:
    """Do the missing runs of a campaign."""
    refuse_no_workers(args)
    from hyperna.experiments.campaign import Campaign
    from hyperna.experiments.store import Store

    campaign = Campaign.from_toml(args.file)
    store = Store(args.store or Path(args.file).with_suffix(".store"))
    meter = Meter(campaign.total)
    announce_scheduler(args)
    _tell_unsuccessful(campaign)
    try:
        with meter.shown():
            campaign.run(
                store,
                n_jobs=args.jobs,
                backend=args.backend,
                scheduler=args.scheduler,
                progress=meter.update,
                notice=lambda text: print(f"hyperna: {text}", file=sys.stderr),
            )
    except KeyboardInterrupt:
        stored = f"{meter.done:,} of {counted(meter.total, 'run')} {are(meter.total)} stored"
        print(
            f"hyperna: interrupted: {stored} in {store.path}; the same command resumes",
            file=sys.stderr,
        )
        return 130
    print(f"{store.path}: {meter.summary(len(campaign.wanted))}")
    return 0


def _tell_unsuccessful(campaign: "Campaign") -> None:
    """Say before hours are spent in how many settings no run can succeed, unless that is wanted."""
    open_ended = sum(
        str(getattr(made.runner(), "criterion", "")).startswith("nothing: ")
        for made in campaign.wanted
        if made.target is None
    )
    if open_ended:
        settings = counted(len(campaign.wanted), "setting")
        print(
            f"hyperna: in {open_ended:,} of {settings} nothing counts as success, and runs "
            f"continue to their limit; 'target' in the campaign file sets a fitness to reach",
            file=sys.stderr,
        )


def show_status(args: argparse.Namespace) -> int:
    """Print the progress of each setting."""
    from hyperna.experiments.store import Store

    store = Store(args.store)
    entries = store.status()
    damages = [str(damage) for damage in store.damages()]
    done = sum(min(entry.done, entry.wanted) for entry in entries)
    wanted = sum(entry.wanted for entry in entries)
    if args.json:
        settings = [
            {"id": e.setting.id, **e.setting.canonical, "done": e.done, "wanted": e.wanted}
            for e in entries
        ]
        total = {"done": done, "wanted": wanted, "damaged": damages, "settings": settings}
        print(json.dumps(total, ensure_ascii=False))
        return 0
    print_table(make_console(), _status_tables(entries))
    planned = f"{counted(wanted, 'run')} of {counted(len(entries), 'setting')}"
    print(f"{done:,} of {planned} {are(wanted)} done")
    for damage in damages:
        print(f"damaged: {damage} (running the campaign again repairs it)")
    return 0


def _status_tables(entries: list[Any]) -> Iterator[Version]:
    """Yield a table of settings, then one with all options of a setting in one column."""
    from rich.markup import escape

    keys = varying_keys([entry.setting.canonical for entry in entries])
    numbers = [(f"{entry.done:,}", f"{entry.wanted:,}") for entry in entries]
    rows = []
    for entry, counts in zip(entries, numbers, strict=True):
        shown = {**entry.setting.canonical, "problem": entry.setting.title}
        values = [str(shown.get(key, "")) for key in keys]
        rows.append((entry.setting.id, *map(escape, values), *counts))
    names: dict[str, Any] = {key: {} for key in ("setting", *keys)}
    yield {**names, "done": RIGHT, "wanted": RIGHT}, rows

    from hyperna.experiments.unusual import unusual_options
    from hyperna.report.groups import algorithm_name, phrase

    rows = []
    whole = {**RIGHT, "no_wrap": True}
    for entry, counts in zip(entries, numbers, strict=True):
        made = entry.setting
        shape = {"dim": f"D = {made.dim}", "neurons": f"N = {made.neurons}", "output": made.output}
        unusual = unusual_options(made)
        told = [
            made.title,
            *(text for key, text in shape.items() if key in keys),
            algorithm_name(made, beside_others="algorithm" in keys),
            *(phrase(key, value) for key, value in unusual.items() if key in keys),
            f"r = {made.resolution:,}",
        ]
        rows.append((escape(", ".join(told)), *counts))
    yield {"setting": {}, "done": whole, "wanted": whole}, rows


def varying_keys(settings: list[dict[str, Any]]) -> list[str]:
    """Return "problem" and the keys in which settings differ.

    Budgets and mutation probabilities, which follow from other keys unless they are given, are
    among them only if the settings are not told apart otherwise.

    Examples
    --------
    >>> varying_keys([{"problem": "half", "dim": 2}, {"problem": "half", "dim": 3}])
    ['problem', 'dim']
    """
    keys = dict.fromkeys(key for setting in settings for key in setting)
    differing = [key for key in keys if len({repr(s.get(key)) for s in settings}) > 1]
    others = [key for key in differing if key not in ("budget", "mutation_probability")]
    distinct = len({repr([s.get(key) for key in others]) for s in settings}) == len(settings)
    return ["problem", *(key for key in (others if distinct else differing) if key != "problem")]


def export_runs(args: argparse.Namespace) -> int:
    """Write all runs as a table, or with their improvements for IOHanalyzer."""
    from hyperna.experiments.store import Store

    path = Path(args.out)
    if args.format == "ioh":
        refuse_no_workers(args)
        from hyperna.interop.store import export_ioh

        store = Store(args.store)
        if path.exists():
            raise FileExistsError(f"{path} exists already; name a new folder")
        check_writable(path)
        meter = Meter(sum(entry.done for entry in store.status()))
        with meter.shown():
            written = export_ioh(store, path, n_jobs=args.jobs, progress=meter.update)
        print(f"{path}: {counted(written, 'run')}, ready for IOHanalyzer")
        return 0
    check_extra("a frame of runs needs", "pandas", "data")
    if args.format == "parquet":
        check_extra("parquet needs", "pyarrow", "data")
    check_writable(path)
    frame = Store(args.store).to_frame()
    if args.format == "csv":
        write_file(path, frame.to_csv(index=False, lineterminator="\n"))
    else:
        write_file(path, frame.to_parquet(index=False))
    tell_written(path, counted(len(frame), "run"))
    return 0
