"""The summary of a batch of runs, with its uncertainty: as a table, as JSON, as a picture."""

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperna import __version__
from hyperna._words import counted
from hyperna.algorithm import OnePlusOneNA
from hyperna.analysis.statistics import (
    bootstrap_interval,
    expected_running_time,
    wilson_interval,
)
from hyperna.cli.options import json_text, make_console, save_figure
from hyperna.fitness import FiniteSet, Fitness, Sampled
from hyperna.problems import Problem
from hyperna.results import Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Summary = dict[str, Any]


def summarise(args: argparse.Namespace, problem: Problem, na: OnePlusOneNA, runs: Runs) -> Summary:
    """Return all that is reported about a batch; undefined numbers are NaN or infinite."""
    evaluations, fitness, total = runs.evaluations, runs.fitness, len(runs)
    successes = int(np.count_nonzero(runs.success))
    running_time = expected_running_time(evaluations, runs.success)
    return {
        "runs": total,
        "successes": successes,
        "success_share": successes / total,
        "success_interval": list(wilson_interval(successes, total)),
        "mean_evaluations": float(evaluations.mean()),
        "mean_interval": list(bootstrap_interval(evaluations)),
        "sd_evaluations": float(evaluations.std(ddof=1)) if total > 1 else math.nan,
        "median_evaluations": float(np.median(evaluations)),
        "median_interval": list(bootstrap_interval(evaluations, "median")),
        "expected_running_time": running_time.value,
        "expected_running_time_interval": [running_time.low, running_time.high],
        "best_fitness": float(fitness.max()),
        "mean_fitness": float(fitness.mean()),
        "mean_fitness_interval": list(bootstrap_interval(fitness)),
        "stop_reasons": runs.stop_counts,
        "success_means": runs.task.criterion,
        "settings": settings(args, problem, na, runs),
    }


def settings(args: argparse.Namespace, problem: Problem, na: OnePlusOneNA, runs: Runs) -> Summary:
    """Return what was run, enough to run it again."""
    return {
        "problem": problem.name,
        "dim": problem.dim,
        "neurons": na.neurons,
        "output": na.output,
        "resolution": na.resolution,
        "mutation": str(na.mutation),
        "bias": na.bias,
        "redraw_void": na.redraw_void,
        "mutation_probability": runs.task.probability,
        "init": na.init,
        "fitness": describe_fitness(runs.task.fitness),
        "budget": runs.task.budget,
        "stagnation": args.stagnation,
        "target": args.target,
        "restarts": args.restarts,
        "seed": args.seed,
        "version": __version__,
    }


def describe_fitness(fitness: Fitness) -> str:
    """Say what the fitness counts."""
    if isinstance(fitness, Sampled):
        error = 0.5 / math.sqrt(fitness.n)  # of a share of 1/2, the largest there is
        return f"{counted(fitness.n, f'{fitness.method} point')} (standard error up to {error:.2g})"
    if isinstance(fitness, FiniteSet):
        return counted(len(fitness.X), "labelled point")
    return "exact arc lengths"


def print_json(summary: Summary, runs: Runs | None) -> None:
    """Print the summary as one JSON object, with every run's evaluations if runs are given."""
    everything = dict(summary)
    if runs is not None:
        everything["evaluations"] = runs.evaluations.tolist()
    print(json_text(everything))


def print_table(summary: Summary, picture: Path | None) -> None:
    """Print the summary for people."""
    from rich.table import Table

    console = make_console()
    for line in _headline(summary):
        console.print(line, soft_wrap=True)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("")
    table.add_column("value", justify="right")
    table.add_column("95 % interval", justify="right")
    table.add_column("of")
    for row in _rows(summary):
        table.add_row(*row)
    console.print(table)
    if picture is not None:
        console.print(f"picture: {picture}", markup=False, soft_wrap=True)


def _headline(summary: Summary) -> list[str]:
    from rich.markup import escape

    used = summary["settings"]
    neurons = counted(used["neurons"], "neuron")
    extras = [
        text
        for text, given in (
            ("no bias", not used["bias"]),
            ("void steps redrawn", used["redraw_void"]),
            (f"probability {used['mutation_probability']:g} a component", True),
            (f"init {used['init']}", used["init"] != "grid"),
            (f"stagnation {used['stagnation']}", used["stagnation"]),
            (counted(used["restarts"], "restart"), used["restarts"]),
        )
        if given
    ]
    return [
        f"[bold]{escape(used['problem'])}[/bold] in D = {used['dim']}: "
        f"{neurons}, output {used['output']}, resolution {used['resolution']:,}",
        ", ".join([f"{used['mutation']} mutation", *extras]),
        f"{counted(summary['runs'], 'run')} from seed {used['seed']}, "
        f"at most {counted(used['budget'], 'evaluation')} each",
        f"fitness: {used['fitness']}",
        f"success: {summary['success_means']}",
    ]


def _rows(summary: Summary) -> list[tuple[str, str, str, str]]:
    runs = summary["runs"]
    every = counted(runs, "run")
    spent = f"{every}, stuck ones at the limit" if "stuck" in summary["stop_reasons"] else every
    rows = [
        (
            "success share",
            _percent(summary["success_share"]),
            _interval(summary["success_interval"], _percent),
            f"{summary['successes']:,} of {every}",
        ),
        (
            "evaluations, mean",
            _count(summary["mean_evaluations"]),
            _interval(summary["mean_interval"], _count),
            spent,
        ),
        ("evaluations, sd", _count(summary["sd_evaluations"]), "", every),
        (
            "evaluations, median",
            _count(summary["median_evaluations"]),
            _interval(summary["median_interval"], _count),
            every,
        ),
        (
            "evaluations per success",
            _count(summary["expected_running_time"]),
            _interval(summary["expected_running_time_interval"], _count),
            counted(summary["successes"], "success"),
        ),
        ("fitness, best", _share(summary["best_fitness"]), "", every),
        (
            "fitness, mean",
            _share(summary["mean_fitness"]),
            _interval(summary["mean_fitness_interval"], _share),
            every,
        ),
    ]
    for reason, count in summary["stop_reasons"].items():
        interval = _interval(wilson_interval(count, runs), _percent)
        rows.append(
            (f"stopped: {reason}", _percent(count / runs), interval, f"{count:,} of {every}")
        )
    return rows


def _interval(ends: Any, write: Any) -> str:
    low, high = ends
    return "–" if math.isnan(low) else f"{write(low)} … {write(high)}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _share(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.6f}"


def _count(value: float) -> str:
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞"
    return f"{value:,.0f}" if value >= 1000 else f"{value:,.1f}"


def save_picture(path: Path, problem: Problem, runs: Runs) -> None:
    """Draw a batch into a file."""
    save_figure(path, batch_figure(problem, runs))


def batch_figure(problem: Problem, runs: Runs) -> "Figure":
    """Draw the best network (D = 2), the runtimes and the best run's progress."""
    from matplotlib.figure import Figure

    from hyperna.plots import plot_circle, plot_improvements, plot_runtimes

    best = runs.replay(runs.best)
    on_circle = problem.dim == 2
    figure = Figure(figsize=(13.5, 6.2) if on_circle else (7.5, 7.5), layout="constrained")
    grid = figure.add_gridspec(2, 2 if on_circle else 1, width_ratios=[1.05, 1][: 1 + on_circle])
    if on_circle:
        plot_circle(problem, best.network, figure.add_subplot(grid[:, 0]))
    plot_runtimes(runs, figure.add_subplot(grid[0, -1]))
    below = plot_improvements(best, figure.add_subplot(grid[1, -1]))
    below.set_title(f"best run, {below.get_title()}")
    return figure
