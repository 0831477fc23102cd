"""Compute the exact runtime of the (1+1) NA with one or two neurons, with a proven error bound.

For example:
  hyperna theory quarter --resolution 120
  hyperna theory local_opt --resolution 120 --mutation local
  hyperna theory half --resolution 1048576 --no-bias
  hyperna theory quarter --resolution 60 --mutation local --json
  hyperna theory two_quarters --resolution 16 --neurons 2 --output xor
  hyperna theory quarter --resolution 16 --export quarter16
"""

import argparse
import math
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hyperna._words import counted, number, shown
from hyperna.cli.options import check_picture, integer, json_text, make_console, real, save_figure

if TYPE_CHECKING:
    from hyperna.theory import ExactRuntime

SETTINGS = (
    *("problem", "resolution", "mutation", "neurons", "output", "bias", "redraw_void"),
    *("mutation_probability", "target"),
)
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
# Additions that quantiles may take if they are not asked for: about a minute.
_MOST_OPERATIONS = 3e10
# Minutes from which on it is said beforehand how long it takes.
_LONG = 0.5
# Ends that are listed one by one.
_LISTED = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("problem", metavar="PROBLEM", help="a union of arcs: see 'hyperna list'")
    parser.add_argument(
        "--resolution", type=integer(2), default=120, help="number of angles (default: 120)"
    )
    parser.add_argument("--mutation", default="harmonic", help="mutation law (default: harmonic)")
    parser.add_argument(
        "--neurons",
        type=integer(1, 2),
        default=1,
        help="1, or 2 at small resolutions: ten seconds at 24 (default: 1)",
    )
    parser.add_argument(
        "--output",
        choices=("or", "and", "xor"),
        default="or",
        help="how two neurons are joined (default: or)",
    )
    parser.add_argument("--no-bias", dest="bias", action="store_false", help="fix the bias at 0")
    parser.add_argument(
        "--redraw-void", action="store_true", help="draw a mutation again if it changes nothing"
    )
    parser.add_argument(
        "--mutation-probability",
        type=real(0, 1, low_open=True),
        help="mutation probability of each component (default: 1/2)",
    )
    parser.add_argument(
        "--target", type=real(0, 1), help="fitness to stop at (default: the optimum)"
    )
    parser.add_argument(
        "--quantiles",
        metavar="Q,...",
        help="levels of the quantiles, computed however long it takes "
        "(default: 0.05 to 0.95 if they take less than a minute)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, no table")
    parser.add_argument(
        "--plot", metavar="FILE", help="write a picture of the expected time from every start"
    )
    parser.add_argument(
        "--export", metavar="NAME", help="write the chain for PRISM (NAME.tra, ...) and Storm"
    )


def run(args: argparse.Namespace) -> int:
    """Solve the chain and report it."""
    picture = check_picture(args.plot) if args.plot else None
    if picture is not None and args.neurons == 2:
        raise ValueError("--plot draws a map of angle and bias and needs --neurons 1, got 2")
    levels: Any = LEVELS
    if args.quantiles is not None:
        try:
            levels = tuple(float(word) for word in args.quantiles.split(","))
        except ValueError:
            raise ValueError(
                f"--quantiles must be numbers between 0 and 1 such as 0.5,0.9, "
                f"got {shown(args.quantiles)}"
            ) from None

    from hyperna.problems import problem
    from hyperna.theory import expected_runtime, export_chain

    settings = {key: getattr(args, key) for key in SETTINGS}
    _announce(args)
    subject = problem(args.problem)
    runtime = expected_runtime(**{**settings, "problem": subject})
    settings["mutation_probability"] = args.mutation_probability or 0.5 / args.neurons
    summary = {**_summary(runtime, levels, args.quantiles is not None), "settings": settings}
    if args.export:
        summary["files"] = [str(path) for path in export_chain(runtime, Path(args.export))]
    if picture is not None:
        from matplotlib.figure import Figure

        from hyperna.plots import plot_expected_times

        figure = Figure(figsize=(8.0, 5.2), layout="constrained")
        title = f"{args.problem}, {args.mutation} mutation, r = {args.resolution:,}"
        plot_expected_times(runtime, figure.subplots(), title=title)
        save_figure(picture, figure)
        summary["picture"] = str(picture)
    if args.json:
        print(json_text(summary))
    else:
        _print_table(args, summary, subject.default_neurons)
    return 0


def _announce(args: argparse.Namespace) -> None:
    """Say on standard error how long it takes, if that is long."""
    from hyperna.grid import Grid
    from hyperna.mutation import law
    from hyperna.theory.limits import expected_minutes

    minutes = 0.0
    with suppress(ValueError, TypeError):  # which the computation refuses, too
        grid = Grid(2, args.neurons, args.resolution)
        minutes = expected_minutes(grid, law(args.mutation), args.bias)
    if minutes > _LONG:
        print(f"hyperna: this takes about {number(minutes)} minutes", file=sys.stderr)


def _summary(runtime: "ExactRuntime", levels: tuple[float, ...], wanted: bool) -> dict[str, Any]:
    """All that is reported; undefined and infinite numbers are NaN and infinite."""
    from hyperna.theory.ring import Ring

    small = not isinstance(runtime._chain, Ring)
    quantiles = None
    if wanted or (small and _operations(runtime) <= _MOST_OPERATIONS):
        found = runtime.quantiles(levels).tolist()
        quantiles = {f"{level:g}": value for level, value in zip(levels, found, strict=True)}
    ends = runtime.ends() if small and runtime.probability < 1 else []
    return {
        "expected_evaluations": runtime.mean,
        "sd_evaluations": runtime.standard_deviation,
        "success_probability": runtime.probability,
        "expected_evaluations_of_successes": runtime.conditional_mean,
        "sd_evaluations_of_successes": runtime.conditional_standard_deviation,
        "relative_error_bound": runtime.relative_error_bound,
        "quantiles": quantiles,
        "evaluations_until_end": runtime.evaluations_until_end() if ends else runtime.mean,
        "ends": [
            {
                "success": end.success,
                "fitness": end.fitness,
                "search_points": end.size,
                "probability": end.probability,
            }
            for end in ends
        ],
    }


def _operations(runtime: "ExactRuntime") -> float:
    """Operations to follow the chain far into its upper tail."""
    steps = runtime.conditional_mean + 4 * runtime.conditional_standard_deviation
    chain = runtime.chain
    per_state = sum(chain.shape) if chain.full else 9
    return float(chain.score.size * per_state * steps) if math.isfinite(steps) else 0.0


def _print_table(args: argparse.Namespace, summary: dict[str, Any], usual: int) -> None:
    from rich.table import Table

    from hyperna.theory.ring import LARGEST_MATRIX

    console = make_console()
    bias = "" if args.bias else ", biases fixed at 0"
    neurons = "1 neuron" if args.neurons == 1 else f"2 neurons joined by {args.output.upper()}"
    neurons += f" ('hyperna run' takes {usual})" if args.neurons < usual else ""
    console.print(
        f"{args.problem}: {neurons}, resolution {args.resolution}, {args.mutation} mutation{bias}"
    )
    console.print("exact values, averaged over all first networks; the first evaluation is counted")
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    rows = [
        ("success probability", summary["success_probability"]),
        ("evaluations, mean", summary["expected_evaluations"]),
    ]
    if summary["success_probability"] == 1.0:
        rows.append(("evaluations, sd", summary["sd_evaluations"]))
    else:
        rows += [
            ("evaluations of successes, mean", summary["expected_evaluations_of_successes"]),
            ("evaluations of successes, sd", summary["sd_evaluations_of_successes"]),
            ("evaluations until success or stuck", summary["evaluations_until_end"]),
        ]
    for name, value in rows:
        table.add_row(name, "∞" if math.isinf(value) else f"{value:.8g}")
    table.add_row("relative error at most", f"{summary['relative_error_bound']:.2g}")
    for level, value in (summary["quantiles"] or {}).items():
        shown = "∞" if math.isinf(value) else f"{value:.0f}"
        table.add_row(f"{100 * float(level):.4g} % of the runs succeed within", shown)
    console.print(table)
    if summary["quantiles"] is None:
        if args.bias or args.resolution <= LARGEST_MATRIX:
            console.print(
                "no quantiles: they would take more than a minute; --quantiles 0.5 computes them"
            )
        else:
            console.print(f"no quantiles: without bias up to resolution {LARGEST_MATRIX} only")
    for end in summary["ends"][:_LISTED]:
        word = "ends with success" if end["success"] else "ends stuck"
        console.print(
            f"{word}, fitness {end['fitness']:.6g} "
            f"({counted(end['search_points'], 'network')}): probability {end['probability']:.6g}"
        )
    if len(summary["ends"]) > _LISTED:
        console.print(f"and {len(summary['ends']) - _LISTED} more: see --json")
    for path in [*summary.get("files", []), *filter(None, [summary.get("picture")])]:
        console.print(f"written: {path}")
