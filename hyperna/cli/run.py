"""The command ``hyperna run``."""

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hyperna import __version__
from hyperna._words import are, counted, interval, number, percent
from hyperna.cli.files import check_film_file, check_picture, save_figure
from hyperna.cli.options import add_run_options, integer
from hyperna.cli.printing import RIGHT, Version, json_text, make_console, print_table
from hyperna.cli.progress import progress_bar
from hyperna.cli.signals import INTERRUPTED, signals

if TYPE_CHECKING:
    from hyperna.experiments.setting import Setting
    from hyperna.problems import Problem
    from hyperna.run.results import Progress, Runs

HELP = """\
Run the (1+1) NA or another algorithm on a problem many times and summarise the runs.

For example:
  hyperna run two_quarters --resolution 1200 --plot two_quarters.png
  hyperna run quarter --runs 20 --animate quarter.gif
  hyperna run half --mutation local --no-bias --runs 1000 --jobs 2 --json
  hyperna run arcs --arcs 0-90,180-270 --neurons 2 --mutation pareto:shape=1.5
  hyperna run points.csv --label class --neurons 3 --output and --budget 100000
  hyperna run quarter --algorithm cma_es --runs 20

Interrupted with Ctrl-C it summarises the runs that are finished and ends with exit code 130.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options: those of a run, and those of the batch."""
    from hyperna.run.description import OPTIONS

    groups = add_run_options(parser, OPTIONS)
    runs = groups["runs"]
    runs.add_argument("--runs", type=integer(1), default=100, help="number of runs (default: 100)")
    runs.add_argument(
        "--jobs", type=integer(-1), default=1, help="workers, -1 for all cores (default: 1)"
    )
    report = parser.add_argument_group("report")
    report.add_argument("--json", action="store_true", help="print one JSON object, no table")
    report.add_argument(
        "--all",
        action="store_true",
        help="with the number and the evaluations of every run (needs --json)",
    )
    report.add_argument(
        "--rule", action="store_true", help="print the rule of the best network, too"
    )
    report.add_argument("--plot", metavar="FILE", help="write a picture (.png, .pdf or .svg)")
    report.add_argument(
        "--animate",
        metavar="FILE",
        help="write a film of the best run (.gif, .html, or .mp4, which needs ffmpeg)",
    )
    report.add_argument("--dark", action="store_true", help="picture and film on a dark ground")


def run(args: argparse.Namespace) -> int:
    """Run the batch and report it."""
    if args.all and not args.json:
        raise ValueError("--all lists every run and needs --json")
    picture = check_picture(args.plot) if args.plot else None
    film = check_film_file(args.animate) if args.animate else None
    setting, task = _resolve(args)
    with progress_bar(args.runs, "running") as progress:
        runs, code = _finished_runs(task, args, progress)
        summary = summarise(setting, runs, args.seed or 0)
    if picture is not None:
        _draw_picture(picture, runs, args.dark)
    if film is not None:
        _draw_film(film, runs, args.dark)
    if args.json:
        _print_json(summary, runs, every=args.all, rule=args.rule)
        return code
    console = make_console()
    lines = headline(setting, summary, runs.task.fitness.problem)
    console.print("\n".join(lines), soft_wrap=not console.is_terminal)
    print_table(console, _tables(summary))
    if args.rule:
        for line in _best_network(runs, scaled=bool(setting.scale)):
            console.print(line, markup=False, soft_wrap=True)
    for name, path in (("picture", picture), ("film", film)):
        if path is not None:
            console.print(f"{name}: {path}", markup=False, soft_wrap=True)
    return code


def _resolve(args: argparse.Namespace) -> "tuple[Setting, Any]":
    """Return the setting that the options describe, without their seed, and its task."""
    from hyperna.experiments.setting import resolve
    from hyperna.problems.point_problems import out_of_reach
    from hyperna.run.description import OPTIONS

    setting, task = resolve(**{key: getattr(args, key) for key in OPTIONS if key != "seed"})
    dim = task.fitness.problem.dim
    if args.animate and setting.algorithm != "na":
        raise ValueError(f"--animate shows the (1+1) NA only, got --algorithm {setting.algorithm}")
    if args.animate and dim not in (2, 3):
        raise ValueError(f"--animate shows problems with D = 2 or 3, got D = {dim}")
    if setting.points_read is not None and (wrong := out_of_reach(setting.points_read.X)):
        print(f"hyperna: {wrong}; --scale moves the points into the unit ball", file=sys.stderr)
    return setting, task


def _finished_runs(
    task: Any, args: argparse.Namespace, progress: "Progress | None"
) -> "tuple[Runs, int]":
    """Return the runs, after an interrupt those that are finished, and the exit code."""
    from hyperna.run.many import Interrupted, run_many

    try:
        runs = run_many(task, args.runs, seed=args.seed or 0, n_jobs=args.jobs, progress=progress)
    except Interrupted as stop:
        signals.patient = True  # what was finished is shown
        done = len(stop.runs)
        told = f"{done:,} of {counted(args.runs, 'run')} {are(done)} finished"
        print(f"hyperna: interrupted: {told}", file=sys.stderr)
        return stop.runs, INTERRUPTED
    return runs, 0


def _draw_picture(path: Path, runs: "Runs", dark: bool) -> None:
    from hyperna.plots import batch_figure, dark_pictures

    with dark_pictures(dark):
        save_figure(path, batch_figure(runs.task.fitness.problem, runs))


def _draw_film(path: Path, runs: "Runs", dark: bool) -> None:
    """Write a film of the best run."""
    from hyperna.plots import animate_run, save_animation

    best = runs.replay(runs.best, trajectory=True)
    save_animation(animate_run(runs.task.fitness.problem, best, dark=dark), path)


def _print_json(summary: dict[str, Any], runs: "Runs", every: bool, rule: bool) -> None:
    """Print the summary as one object, with columns of every run and the rule if asked.

    After an interrupt runs may be missing anywhere, so each comes with its number.
    """
    told = dict(summary)
    if every:
        columns = {
            "numbers": runs.numbers,
            "evaluations": runs.evaluations,
            "neurons": runs.neurons_used,
            "terms": runs.terms_used,
        }
        told |= {name: column.tolist() for name, column in columns.items() if column is not None}
    if rule:
        told["rule"] = str(runs.replay(runs.best).network)
    print(json_text(told))


def summarise(setting: "Setting", runs: "Runs", seed: int) -> dict[str, Any]:
    """Return all that is reported about a batch; undefined numbers are NaN or infinite."""
    from hyperna.analysis.statistics import Summary, bootstrap_interval

    sizes: dict[str, Any] = {}
    for name, used in (("neurons", runs.neurons_used), ("terms", runs.terms_used)):
        if used is not None:
            sizes[f"mean_{name}"] = float(used.mean())
            sizes[f"mean_{name}_interval"] = list(bootstrap_interval(used))
    # stuck runs count as what they would have spent, which --stagnation may have made less
    at_limit = ~runs.success & (runs.evaluations == setting.options["budget"])
    return {
        **Summary.of(runs).record(),
        **sizes,
        "stop_reasons": runs.stop_counts,
        "runs_at_limit": int(at_limit.sum()),
        "success_means": runs.task.criterion,
        **({} if setting.points_read is None else {"points": setting.points_read.summary}),
        "settings": {
            **setting.options,
            "fitness": str(runs.task.fitness),
            "seed": seed,
            "version": __version__,
        },
    }


def _best_network(runs: "Runs", scaled: bool) -> list[str]:
    """Return the best network as lines."""
    best = runs.best
    title = f"best network, of run {best}{', for scaled points' if scaled else ''}:"
    return ["", title, *str(runs.replay(best).network).splitlines()]


def headline(setting: "Setting", summary: dict[str, Any], problem: "Problem") -> list[str]:
    """Say what was run, in lines."""
    from rich.markup import escape

    from hyperna.experiments.algorithms import find_algorithm, short_name
    from hyperna.experiments.unusual import unusual_words

    title = problem.title if setting.data is None else setting.problem
    algorithm = short_name(setting.algorithm)
    law = f"{setting.mutation} mutation" if setting.mutation else algorithm
    if setting.mutation and algorithm != "na":
        law = f"{algorithm}, {law}"
    if find_algorithm(setting.algorithm).name == "neat":
        shape = "any topology"
    else:
        shape = f"{_neurons(setting)}, output {setting.output}"
    return [
        f"[bold]{escape(title)}[/bold] in D = {setting.dim}: "
        f"{shape}, resolution {setting.resolution:,}",
        ", ".join([law, *unusual_words(setting)]),
        f"{counted(summary['runs'], 'run')} from seed {summary['settings']['seed']}, "
        f"at most {counted(summary['settings']['budget'], 'evaluation')} each",
        *([f"points: {escape(summary['points'])}"] if "points" in summary else []),
        f"fitness: {summary['settings']['fitness']}",
        f"success: {summary['success_means']}",
    ]


def _neurons(setting: "Setting") -> str:
    """Say how many neurons there are, and of which kind if it is not the plain one."""
    kind = f"{setting.neuron} " if setting.neuron not in (None, "plain") else ""
    if isinstance(setting.neurons, str):
        return f"1 to {setting.max_neurons} {kind}neurons, evolved"
    return counted(setting.neurons, f"{kind}neuron")


class _Statistic(NamedTuple):
    """A row of the table, by its keys in the summary."""

    name: str
    key: str
    interval: str | None
    write: Callable[[Any], str]
    of: str  # what it is a statistic of: the column of wide tables
    below: str = ""  # the line below in narrow tables; nothing for all runs


def _tables(summary: dict[str, Any]) -> Iterator[Version]:
    """Yield the table, then one whose rows say what they are of on a line below."""
    from hyperna.analysis.statistics import wilson_interval

    runs = summary["runs"]
    every = counted(runs, "run")
    limited = summary["runs_at_limit"]
    at_limit = f"{limited:,} at the limit" if limited else ""
    spent = f"{every}, {at_limit}" if limited else every
    solved = f"{summary['successes']:,} of {every}"
    per_success = counted(summary["successes"], "success")
    share = partial(number, digits=6)
    statistics = [
        _Statistic("success share", "success_share", "success_interval", percent, solved, solved),
        _Statistic(
            "evaluations, mean", "mean_evaluations", "mean_interval", number, spent, at_limit
        ),
        _Statistic("evaluations, sd", "sd_evaluations", None, number, every),
        _Statistic("evaluations, median", "median_evaluations", "median_interval", number, every),
        _Statistic(
            "evaluations per success",
            "expected_running_time",
            "expected_running_time_interval",
            number,
            per_success,
            per_success,
        ),
        _Statistic("fitness, best", "best_fitness", None, share, every),
        _Statistic("fitness, mean", "mean_fitness", "mean_fitness_interval", share, every),
        _Statistic("neurons, mean", "mean_neurons", "mean_neurons_interval", number, every),
        _Statistic("terms, mean", "mean_terms", "mean_terms_interval", number, every),
    ]
    wide = []
    narrow = []

    def add(name: str, value: str, ends: str, of: str, below: str) -> None:
        wide.append((name, value, ends, of))
        narrow.append((name, value, ends))
        if below:
            narrow.append((f"  {below}", "", ""))

    for row in statistics:
        if row.key in summary:
            ends = interval(summary[row.interval], row.write) if row.interval else ""
            add(row.name, row.write(summary[row.key]), ends, row.of, row.below)
    for reason, count in summary["stop_reasons"].items():
        ends = interval(wilson_interval(count, runs), percent)
        stopped = f"{count:,} of {every}"
        add(f"stopped: {reason}", percent(count / runs), ends, stopped, stopped)
    columns = {"": {}, "value": RIGHT, "95 % interval": RIGHT}
    yield {**columns, "of": {}}, wide
    yield columns, narrow
