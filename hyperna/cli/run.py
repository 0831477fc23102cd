"""Run the (1+1) NA or another algorithm on a problem many times and summarise the runs.

For example:
  hyperna run two_quarters --resolution 1200 --plot two_quarters.png
  hyperna run quarter --runs 20 --animate quarter.gif
  hyperna run half --mutation local --no-bias --runs 1000 --jobs 2 --json
  hyperna run arcs --arcs 0-90,180-270 --neurons 2 --mutation pareto:shape=1.5
  hyperna run points.csv --label class --neurons 3 --output and --budget 100000
  hyperna run quarter --algorithm cma_es --runs 20
"""

import argparse
import sys
from typing import Any

from hyperna.cli.options import check_film_file, check_picture, converter, integer, save_figure

# Distance from the origin from which points are out of the half-spaces' reach; rounding is allowed.
_BEYOND = 1.001


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options: one for each key of a setting, and those of the batch."""
    from hyperna.settings.keys import KEYS

    groups: dict[str, Any] = {}
    for name, key in KEYS.items():
        if name == "problem":
            parser.add_argument("problem", metavar="PROBLEM", help=key.help)
            continue
        if key.group not in groups:
            groups[key.group] = parser.add_argument_group(key.group)
        _add_key(groups[key.group], name, key)
    runs = groups["runs"]
    runs.add_argument("--runs", type=integer(1), default=100, help="number of runs (default: 100)")
    runs.add_argument(
        "--jobs", type=integer(-1), default=1, help="workers, -1 for all cores (default: 1)"
    )
    report = parser.add_argument_group("report")
    report.add_argument("--json", action="store_true", help="print one JSON object, no table")
    report.add_argument(
        "--all", action="store_true", help="with every run's evaluations (needs --json)"
    )
    report.add_argument("--plot", metavar="FILE", help="write a picture (.png, .pdf or .svg)")
    report.add_argument(
        "--animate",
        metavar="FILE",
        help="write a film of the best run (.gif, .html, or .mp4, which needs ffmpeg)",
    )


def _add_key(group: Any, name: str, key: Any) -> None:
    option = f"--{name.replace('_', '-')}"
    if name == "bias":
        help_text = "fix every bias at 0"
        group.add_argument(
            "--no-bias", dest="bias", action="store_false", default=None, help=help_text
        )
    elif key.flag:
        group.add_argument(option, action="store_true", default=None, help=key.help)
    elif key.choices:
        group.add_argument(option, choices=key.choices, help=key.help)
    else:
        metavar = {"arcs": "A-B,...", "label": "COLUMN", "weight": "COLUMN"}.get(name)
        group.add_argument(
            option, type=converter(key.read, key.check), metavar=metavar, help=key.help
        )


def _warn_of_distance(points: Any) -> None:
    """Say on standard error if a half-space cannot reach between all points of a file."""
    import numpy as np

    farthest = float(np.hypot.reduce(points, axis=1).max())
    if farthest > _BEYOND:
        print(
            f"hyperna: points lie up to {farthest:.3g} from the origin but half-spaces at most 1; "
            "--scale moves the points into the unit ball",
            file=sys.stderr,
        )


def run(args: argparse.Namespace) -> int:
    """Run the batch and report it."""
    if args.all and not args.json:
        raise ValueError("--all lists every run and needs --json")
    picture = check_picture(args.plot) if args.plot else None
    film = check_film_file(args.animate) if args.animate else None

    from hyperna.cli import summary
    from hyperna.cli.progress import progress_bar
    from hyperna.results import run_many
    from hyperna.settings import resolve
    from hyperna.settings.keys import KEYS

    seed = args.seed or 0
    made, task = resolve(**{key: getattr(args, key) for key in KEYS if key != "seed"})
    if film is not None:
        summary.check_filmed(made)
    if made.points_read is not None:
        _warn_of_distance(made.points_read.X)
    with progress_bar(args.runs) as (say, progress):
        say("running")
        runs = run_many(task, args.runs, seed=seed, n_jobs=args.jobs, progress=progress)
        say("summing up")
        found = summary.summarise(made, runs, seed)
    if picture is not None:
        from hyperna.plots import batch_figure

        save_figure(picture, batch_figure(made.make_problem(), runs))
    if film is not None:
        summary.save_film(film, made.make_problem(), runs)
    if args.json:
        summary.print_json(found, runs if args.all else None)
    else:
        summary.print_table(found, picture, film)
    return 0
