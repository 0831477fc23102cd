"""The command ``hyperna run``."""

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from hyperna import __version__
from hyperna._words import are, counted, interval, number, percent
from hyperna.cli.options import (
    RIGHT,
    Version,
    add_run_options,
    check_film_file,
    check_picture,
    integer,
    json_text,
    make_console,
    print_table,
    progress_bar,
    save_figure,
)
from hyperna.cli.signals import INTERRUPTED, signals

if TYPE_CHECKING:
    from hyperna.experiments.setting import Setting
    from hyperna.run.results import Runs

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
        "--all", action="store_true", help="with every run's evaluations (needs --json)"
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

    from hyperna.experiments.setting import resolve
    from hyperna.problems.point_problems import out_of_reach
    from hyperna.run.description import OPTIONS
    from hyperna.run.many import Interrupted, run_many

    seed = args.seed or 0
    options = {}
    for key in OPTIONS.keys() - {"seed"}:
        options[key] = getattr(args, key)
    made, task = resolve(**options)
    problem = task.fitness.problem
    if film is not None and made.algorithm != "na":
        raise ValueError(f"--animate shows the (1+1) NA only, got --algorithm {made.algorithm}")
    if film is not None and problem.dim not in (2, 3):
        raise ValueError(f"--animate shows problems with D = 2 or 3, got D = {problem.dim}")
    if made.points_read is not None and (wrong := out_of_reach(made.points_read.X)):
        print(f"hyperna: {wrong}; --scale moves the points into the unit ball", file=sys.stderr)
    code = 0
    with progress_bar(args.runs, "running") as progress:
        try:
            runs = run_many(task, args.runs, seed=seed, n_jobs=args.jobs, progress=progress)
        except Interrupted as stop:
            signals.patient = True  # what was finished is shown
            runs, code = stop.runs, INTERRUPTED
            told = f"{len(runs):,} of {counted(args.runs, 'run')} {are(len(runs))} finished"
            print(f"hyperna: interrupted: {told}", file=sys.stderr)
        found = summarise(made, runs, seed)
    if picture is not None:
        from hyperna.plots import batch_figure, dark_pictures

        with dark_pictures(args.dark):
            save_figure(picture, batch_figure(problem, runs))
    if film is not None:
        from hyperna.plots import animate_run, save_animation

        best = runs.replay(runs.best, trajectory=True)
        save_animation(animate_run(problem, best, dark=args.dark), film)
    if args.json:
        if args.all:
            found["evaluations"] = runs.evaluations.tolist()
        if args.all and runs.neurons_used is not None:
            found["neurons"] = runs.neurons_used.tolist()
        if args.all and runs.terms_used is not None:
            found["terms"] = runs.terms_used.tolist()
        if args.rule:
            found["rule"] = str(runs.replay(runs.best).network)
        print(json_text(found))
        return code
    console = make_console()
    title = problem.title if made.data is None else made.problem
    console.print("\n".join(_headline(found, title)), soft_wrap=not console.is_terminal)
    print_table(console, _tables(found))
    if args.rule:
        for line in _best_network(runs, scaled=bool(made.options["scale"])):
            console.print(line, markup=False, soft_wrap=True)
    for name, path in (("picture", picture), ("film", film)):
        if path is not None:
            console.print(f"{name}: {path}", markup=False, soft_wrap=True)
    return code


def summarise(setting: "Setting", runs: "Runs", seed: int) -> dict[str, Any]:
    """Return all that is reported about a batch; undefined numbers are NaN or infinite."""
    from hyperna.analysis.statistics import Summary, bootstrap_interval

    sizes: dict[str, Any] = {}
    for name, used in (("neurons", runs.neurons_used), ("terms", runs.terms_used)):
        if used is not None:
            sizes[f"mean_{name}"] = float(used.mean())
            sizes[f"mean_{name}_interval"] = list(bootstrap_interval(used))
    return {
        **Summary.of(runs).record(),
        **sizes,
        "stop_reasons": runs.stop_counts,
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


def _headline(summary: dict[str, Any], title: str) -> list[str]:
    from rich.markup import escape

    from hyperna.experiments.algorithms import short_name

    used = summary["settings"]
    kind = f"{used['neuron']} " if used["neuron"] not in (None, "plain") else ""
    if isinstance(used["neurons"], str):
        neurons = f"1 to {used['max_neurons']} {kind}neurons, evolved"
    else:
        neurons = counted(used["neurons"], f"{kind}neuron")
    algorithm = short_name(used["algorithm"])
    law = f"{used['mutation']} mutation" if used["mutation"] else algorithm
    if used["mutation"] and algorithm != "na":
        law = f"{algorithm}, {law}"
    name = used["algorithm"].partition(":")[0]
    extras = _unusual(used)
    if name == "rls":
        extras = ["one component at a time", *_unusual({**used, "mutation_probability": None})]
    if used["restarts"] == "auto":
        extras.append("automatic restarts")
    elif used["restarts"]:
        extras.append(counted(used["restarts"], "restart"))
    shape = "any topology" if name == "neat" else f"{neurons}, output {used['output']}"
    return [
        f"[bold]{escape(title)}[/bold] in D = {used['dim']}: "
        f"{shape}, resolution {used['resolution']:,}",
        ", ".join([law, *extras]),
        f"{counted(summary['runs'], 'run')} from seed {used['seed']}, "
        f"at most {counted(used['budget'], 'evaluation')} each",
        *([f"points: {escape(summary['points'])}"] if "points" in summary else []),
        f"fitness: {used['fitness']}",
        f"success: {summary['success_means']}",
    ]


def _unusual(used: dict[str, Any]) -> list[str]:
    """Say which options are not at their defaults, but those that other lines tell."""
    from hyperna.run.description import OPTIONS

    found = []
    for name, option in OPTIONS.items():
        value = used.get(name)
        if option.told is not None and value is not None and value != option.default:
            found.append((option.told or f"{name} {{}}").format(value))
    return found


def _tables(summary: dict[str, Any]) -> Iterator[Version]:
    """Yield the table, then one whose rows say what they are of on a line below."""
    from hyperna.analysis.statistics import wilson_interval

    runs = summary["runs"]
    reasons = summary["stop_reasons"]
    every = counted(runs, "run")
    limited = reasons.get("budget", 0) + reasons.get("stuck", 0)
    spent = f"{every}, {limited:,} at the limit" if limited else every
    solved = f"{summary['successes']:,} of {every}"
    per_success = counted(summary["successes"], "success")
    share = partial(number, digits=6)
    described: list[tuple[str, str, str | None, Any, str]] = [
        ("success share", "success_share", "success_interval", percent, solved),
        ("evaluations, mean", "mean_evaluations", "mean_interval", number, spent),
        ("evaluations, sd", "sd_evaluations", None, number, every),
        ("evaluations, median", "median_evaluations", "median_interval", number, every),
        (
            "evaluations per success",
            "expected_running_time",
            "expected_running_time_interval",
            number,
            per_success,
        ),
        ("fitness, best", "best_fitness", None, share, every),
        ("fitness, mean", "mean_fitness", "mean_fitness_interval", share, every),
        ("neurons, mean", "mean_neurons", "mean_neurons_interval", number, every),
        ("terms, mean", "mean_terms", "mean_terms_interval", number, every),
    ]
    rows = []
    for name, key, ends, write, of in described:
        if key in summary:
            written = interval(summary[ends], write) if ends else ""
            rows.append((name, write(summary[key]), written, of))
    for reason, count in reasons.items():
        written = interval(wilson_interval(count, runs), percent)
        rows.append((f"stopped: {reason}", percent(count / runs), written, f"{count:,} of {every}"))
    columns = {"": {}, "value": RIGHT, "95 % interval": RIGHT}
    yield {**columns, "of": {}}, rows
    narrow = []
    for *cells, of in rows:
        narrow.append(cells)
        if of != every:
            narrow.append([f"  {of.removeprefix(f'{every}, ')}", "", ""])
    yield columns, narrow
