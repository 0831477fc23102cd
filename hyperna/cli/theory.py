"""The command ``hyperna theory``."""

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hyperna._validation import check_choice
from hyperna._words import counted, shown
from hyperna.cli.files import check_picture, save_figure
from hyperna.cli.options import add_run_options, algorithm_advice, real
from hyperna.cli.parser import Parser
from hyperna.cli.printing import json_text, make_console, say
from hyperna.cli.progress import progress_bar

if TYPE_CHECKING:
    from rich.console import Console

    from hyperna.experiments.setting import Setting
    from hyperna.network.grid import Grid
    from hyperna.run.task import Task
    from hyperna.theory import ExactRuntime

HELP = """\
Compute the exact runtime of a search on all networks of a grid, with proven error bounds.

For example:
  hyperna theory quarter --resolution 120
  hyperna theory local_opt --resolution 120 --mutation local
  hyperna theory half --resolution 1048576 --no-bias
  hyperna theory half --dim 3 --resolution 12
  hyperna theory cube --dim 2 --neurons 2 --output xor --resolution 12
  hyperna theory quarter --resolution 40 --algorithm one_plus_lambda:offspring=4
  hyperna theory half --resolution 64 --no-bias --drift distance
  hyperna theory quarter --resolution 16 --export quarter16

The chain has one state for each network that can be made on the grid, so that it can be solved for
small networks, dimensions and resolutions; a request that is too large says what it would need.
"""

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
# Additions that quantiles may take if they are not asked for: about a minute.
_MOST_OPERATIONS = 3e10
# Seconds from which on it is said beforehand what it takes.
_LONG = 5.0
# Ends that are listed one by one.
_LISTED = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options: those of a run that a chain depends on, and what is to be told."""
    from hyperna.theory.drift import POTENTIALS

    add_run_options(parser, exact_options(), _HELP)
    if isinstance(parser, Parser):
        parser.advice = _advice
    report = parser.add_argument_group("report")
    report.add_argument(
        "--quantiles",
        metavar="Q,...",
        help="levels of the quantiles, computed however long it takes "
        "(default: 0.05 to 0.95 if they take less than a minute)",
    )
    report.add_argument(
        "--drift",
        metavar="POTENTIAL",
        help="least drift of a potential and the bounds that follow from it: "
        f"{', '.join(POTENTIALS)}",
    )
    report.add_argument(
        "--above",
        metavar="FITNESS",
        type=real(0, 1),
        help="drift of networks that are fitter than this only, where a part of a proof begins "
        "(default: of all networks)",
    )
    report.add_argument("--json", action="store_true", help="print one JSON object, no table")
    report.add_argument(
        "--plot",
        metavar="FILE",
        help="write a picture of the expected time from every start, or of the drift",
    )
    report.add_argument(
        "--export", metavar="NAME", help="write the chain for PRISM (NAME.tra, ...) and Storm"
    )


# What options mean here, where that is not what they mean in every run.
_HELP = {
    "neurons": "hidden neurons N",
    "algorithm": "na (the (1+1) NA), rls, one_plus_lambda:offspring=N or "
    "one_comma_lambda:offspring=N",
    "target": "fitness that counts as success (default: what counts in a run; it is printed)",
    "mutation": "a law with a table of probabilities",
}


def _advice(option: str) -> str:
    """Return how a parameter of an algorithm with a chain is given."""
    from hyperna.theory.task import WITH_CHAIN

    return algorithm_advice(option, WITH_CHAIN)


def exact_options() -> list[str]:
    """Return the options of a run that a chain depends on."""
    from hyperna.run.description import OPTIONS

    return [name for name, option in OPTIONS.items() if option.theory]


def run(args: argparse.Namespace) -> int:
    """Solve the chain and report it."""
    picture = check_picture(args.plot) if args.plot else None
    if args.above is not None and args.drift is None:
        raise ValueError("--above needs --drift, the potential")
    levels = _read_levels(args.quantiles)

    from hyperna.theory import POTENTIALS, drift, export_chain
    from hyperna.theory.limits import task_cost
    from hyperna.theory.runtime import solve_task

    if args.drift is not None:
        check_choice("potential", args.drift, POTENTIALS)
    setting, task = _resolve(args)
    cost = task_cost(task)
    if 60 * cost.minutes >= _LONG:
        print(f"hyperna: {cost}", file=sys.stderr)
    with _late_bar("states solved") as progress:
        runtime = solve_task(task, progress)
    summary = {
        **_summary(runtime, levels, args.quantiles is not None),
        "settings": {
            key: setting.options[key] for key in exact_options() if key in setting.options
        },
    }
    potential = None
    if args.drift is not None:
        potential = drift(runtime, args.drift, above=args.above)
        summary["drift"] = {**potential.record(), "above": args.above}
    if args.export:
        summary["files"] = [str(path) for path in export_chain(runtime, Path(args.export))]
    if picture is not None:
        save_figure(picture, _figure(setting, runtime, potential, args.above))
        summary["picture"] = str(picture)
    if args.json:
        print(json_text(summary))
    else:
        _print(setting, task, runtime, summary)
    return 0


def _read_levels(text: str | None) -> tuple[float, ...]:
    """Return the levels of quantiles."""
    if text is None:
        return LEVELS
    try:
        return tuple(float(word) for word in text.split(","))
    except ValueError:
        raise ValueError(
            f"--quantiles must be numbers between 0 and 1 such as 0.5,0.9, got {shown(text)}"
        ) from None


def _resolve(args: argparse.Namespace) -> tuple["Setting", "Task"]:
    """Return the setting and the task, as `hyperna run` would make them, but with one neuron."""
    from hyperna.experiments.setting import resolve
    from hyperna.run.description import OPTIONS
    from hyperna.run.task import Task
    from hyperna.theory.task import check_task

    options = {key: getattr(args, key) for key in exact_options()}
    if options["neurons"] is None:
        options["neurons"] = OPTIONS["neurons"].default
    setting, task = resolve(**options)
    if not isinstance(task, Task):
        raise ValueError(
            f"--algorithm must be the (1+1) NA or a relative that has a chain, got "
            f"{shown(setting.algorithm)}"
        )
    check_task(task)
    return setting, task


@contextmanager
def _late_bar(doing: str) -> Iterator[Callable[[int, int], None]]:
    """Yield what reports (done, total); there is a bar from the first report on."""
    with ExitStack() as stack:
        bars: list[Callable[[int, int], None] | None] = []

        def report(done: int, total: int) -> None:
            if not bars:
                bars.append(stack.enter_context(progress_bar(total, doing)))
            if bars[0] is not None:
                bars[0](done, total)

        yield report


def _called(setting: "Setting") -> str:
    """What the problem is called, as in the output of `hyperna run`."""
    return setting.make_problem().title if setting.data is None else setting.problem


def _figure(
    setting: "Setting", runtime: "ExactRuntime", potential: Any, above: float | None
) -> Any:
    """Draw the expected times, or the drift of a potential."""
    from matplotlib.figure import Figure

    from hyperna.plots import plot_drift, plot_expected_times

    grid = runtime.grid
    dim = f" in D = {grid.dim}" if grid.dim != 2 else ""
    title = f"{_called(setting)}{dim}, {setting.mutation} mutation, r = {grid.resolution:,}"
    if not setting.bias:
        title += ", without bias"
    if grid.neurons > 1 or grid.neuron != "plain":
        title += f", {_neurons(grid)}"
    if setting.algorithm != "na":
        title += f", {setting.algorithm}"
    if potential is None:
        figure = Figure(figsize=(8.0, 5.2), layout="constrained")
        plot_expected_times(runtime, figure.subplots(), title=title)
        return figure
    if above is not None:
        title += f", above fitness {above:g}"
    figure = Figure(figsize=(8.0, 10.0), layout="constrained")
    upper, lower = figure.subplots(2)
    plot_drift(potential, upper, title=title)
    plot_drift(potential, lower, over="components")
    return figure


def _summary(runtime: "ExactRuntime", levels: tuple[float, ...], wanted: bool) -> dict[str, Any]:
    """All that is reported; undefined and infinite numbers are NaN and infinite."""
    follows = runtime.has_curves
    quantiles = None
    short = follows and runtime.probability > 0 and _operations(runtime) <= _MOST_OPERATIONS
    if wanted or short:
        with _late_bar("quantiles found") as progress:
            found = runtime.quantiles(levels, progress).tolist()
        quantiles = {f"{level:g}": value for level, value in zip(levels, found, strict=True)}
    ends = runtime.ends() if follows and runtime.probability < 1 else []
    successes = runtime.fitness[runtime.target]
    return {
        "states": runtime.states,
        "networks": runtime.per_state.size,
        "success_means": runtime.criterion,
        "success_networks": successes.size,
        "success_fitness": [successes.min(), successes.max()] if successes.size else None,
        "expected_evaluations": runtime.mean,
        "sd_evaluations": runtime.standard_deviation,
        "success_probability": runtime.probability,
        "expected_evaluations_of_successes": runtime.conditional_mean,
        "sd_evaluations_of_successes": runtime.conditional_standard_deviation,
        "expected_generations": runtime.generations,
        "relative_error_bound": runtime.relative_error_bound,
        "error_bounds": runtime.bounds._asdict(),
        "quantiles": quantiles,
        "evaluations_until_end": runtime.evaluations_until_end() if ends else runtime.mean,
        "ends": [
            {
                "success": end.success,
                "fitness": end.fitness,
                "search_points": end.size,
                "probability": end.probability,
                "error": end.error,
            }
            for end in ends
        ],
    }


def _operations(runtime: "ExactRuntime") -> float:
    """Operations to follow the chain far into its upper tail."""
    spread = runtime.conditional_standard_deviation
    steps = (runtime.conditional_mean + 4 * spread) / runtime.offspring
    if not math.isfinite(steps):
        return 0.0
    return float(runtime.step_operations * steps)


def _print(
    setting: "Setting", task: "Task", runtime: "ExactRuntime", summary: dict[str, Any]
) -> None:
    """Print what was computed, and all numbers."""
    console = make_console()
    for line in _headline(setting, task, summary):
        say(console, line)
    _print_table(console, summary)
    if summary["quantiles"] is None and runtime.probability > 0:
        if runtime.has_curves:
            say(
                console,
                "no quantiles: they would take more than a minute; --quantiles 0.5 computes them",
            )
        else:
            from hyperna.theory.ring import LARGEST_MATRIX

            say(console, f"no quantiles: without bias up to resolution {LARGEST_MATRIX} only")
    ends = [end for end in summary["ends"] if end["search_points"]]
    for end in ends[:_LISTED]:
        word = "ends with success" if end["success"] else "ends stuck"
        console.print(
            f"{word}, fitness {end['fitness']:.6g} "
            f"({counted(end['search_points'], 'network')}): probability {end['probability']:.6g}"
        )
    if len(ends) > _LISTED:
        console.print(f"and {len(ends) - _LISTED} more: see --json")
    if "drift" in summary:
        _print_drift(console, summary["drift"])
    for path in [*summary.get("files", []), *filter(None, [summary.get("picture")])]:
        console.print(f"written: {path}")


def _headline(setting: "Setting", task: "Task", summary: dict[str, Any]) -> list[str]:
    """Say of what the numbers are."""
    from hyperna.experiments.unusual import unusual_words

    used = setting.options
    grid = task.grid
    neurons = _neurons(grid)
    usual = task.fitness.default_neurons
    if grid.neurons < usual:
        neurons += f" ('hyperna run' takes {usual})"
    words = [neurons, f"resolution {grid.resolution}", f"{used['mutation']} mutation"]
    if used["algorithm"] != "na":
        words.append(used["algorithm"])
    words += unusual_words(setting)
    chain = f"{counted(summary['networks'], 'network')}"
    if summary["states"] < summary["networks"]:
        chain += f", {counted(summary['states'], 'state')} after symmetries"
    return [
        f"{_called(setting)} in D = {grid.dim}: {', '.join(words)}",
        f"chain: {chain}",
        f"fitness: {task.fitness}",
        f"success: {summary['success_means']}",
        _describe_target(summary),
        "exact values, averaged over all first networks; the first evaluation is counted",
    ]


def _neurons(grid: "Grid") -> str:
    """Say how many neurons of which kind there are, and how they are joined."""
    kind = "bent " if grid.neuron == "bent" else ""
    neurons = counted(grid.neurons, f"{kind}neuron")
    return f"{neurons} joined by {grid.output.upper()}" if grid.neurons > 1 else neurons


def _describe_target(summary: dict[str, Any]) -> str:
    """Say how many networks count as success, and how fit they are."""
    if not summary["success_networks"]:
        return "no network on this grid is that fit"
    low, high = (f"{value:.6g}" for value in summary["success_fitness"])
    fitness = low if low == high else f"{low} to {high}"
    return f"that is {counted(summary['success_networks'], 'network')} of fitness {fitness}"


def _print_table(console: "Console", summary: dict[str, Any]) -> None:
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    rows = [
        ("success probability", summary["success_probability"]),
        ("evaluations, mean", summary["expected_evaluations"]),
    ]
    if summary["success_probability"] == 1.0:
        rows.append(("evaluations, sd", summary["sd_evaluations"]))
        generations = summary["expected_generations"]
        if generations < summary["expected_evaluations"] - 1.5:
            rows.append(("generations, mean", generations))
    else:
        if summary["success_probability"] > 0.0:
            rows += [
                ("evaluations of successes, mean", summary["expected_evaluations_of_successes"]),
                ("evaluations of successes, sd", summary["sd_evaluations_of_successes"]),
            ]
        rows.append(("evaluations until success or stuck", summary["evaluations_until_end"]))
    for name, value in rows:
        table.add_row(name, "∞" if math.isinf(value) else f"{value:.8g}")
    table.add_row("relative error at most", f"{summary['relative_error_bound']:.2g}")
    for level, value in (summary["quantiles"] or {}).items():
        written = "∞" if math.isinf(value) else f"{value:.0f}"
        table.add_row(f"{100 * float(level):.4g} % of the runs succeed within", written)
    console.print(table)


def _print_drift(console: "Console", found: dict[str, Any]) -> None:
    """Print the least drift of a potential, and what follows from it."""
    from rich.table import Table

    say(console, f"drift of the potential {found['potential']}: {found['meaning']}")
    if found["above"] is not None:
        say(console, f"in networks above fitness {found['above']:g} only, and starts among them")
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    for name, key in (
        ("exact mean", "exact"),
        ("least drift", "additive_rate"),
        ("bound on the mean that follows", "additive_bound"),
        ("least drift relative to the potential", "multiplicative_rate"),
        ("bound on the mean that follows", "multiplicative_bound"),
        ("largest drift", "largest_rate"),
        ("lower bound on the mean that follows", "additive_lower_bound"),
    ):
        value = found[key]
        written = "none" if value is None else f"{value:.6g}"
        table.add_row(name, written.replace("inf", "∞"))
    weakest = ", ".join(f"{name} {value}" for name, value in found["weakest"].items())
    table.add_row("a network with the least relative drift", weakest)
    console.print(table)
    if found["failing"]:
        where = f"{counted(found['failing'], 'network')} of {found['networks']:,}"
        say(console, f"the potential does not fall on average in {where}")
