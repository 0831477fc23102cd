"""The summary of a batch of runs, with its uncertainty: as a table, as JSON, as a picture."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hyperna import __version__
from hyperna._words import counted, interval, number, percent
from hyperna.analysis.statistics import bootstrap_interval, wilson_interval
from hyperna.analysis.summary import Summary
from hyperna.cli.options import fits, json_text, make_console, say
from hyperna.problems import Problem
from hyperna.results import Runs
from hyperna.settings import Setting

if TYPE_CHECKING:
    from rich.table import Table


def summarise(setting: Setting, runs: Runs, seed: int) -> dict[str, Any]:
    """Return all that is reported about a batch; undefined numbers are NaN or infinite."""
    used = runs.neurons_used
    sizes: dict[str, Any] = {}
    if used is not None:
        ends = list(bootstrap_interval(used))
        sizes = {"mean_neurons": float(used.mean()), "mean_neurons_interval": ends}
    return {
        **Summary.of(runs).record(),
        **sizes,
        "stop_reasons": runs.stop_counts,
        "success_means": runs.task.criterion,
        "settings": {
            **setting.options,
            "fitness": str(runs.task.fitness),
            "seed": seed,
            "version": __version__,
        },
    }


def print_json(summary: dict[str, Any], runs: Runs | None) -> None:
    """Print the summary as one JSON object, with every run's evaluations if runs are given."""
    listed = {} if runs is None else {"evaluations": runs.evaluations.tolist()}
    if runs is not None and runs.neurons_used is not None:
        listed["neurons"] = runs.neurons_used.tolist()
    print(json_text({**summary, **listed}))


def print_table(summary: dict[str, Any], picture: Path | None, film: Path | None = None) -> None:
    """Print the summary for people."""
    console = make_console()
    for line in _headline(summary):
        say(console, line)
    rows = _rows(summary)
    table = _table(rows)
    console.print(table if fits(console, table) else _table(_narrow(rows, summary["runs"])))
    for name, path in (("picture", picture), ("film", film)):
        if path is not None:
            console.print(f"{name}: {path}", markup=False, soft_wrap=True)


def _table(rows: Sequence[Sequence[str]]) -> "Table":
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("")
    table.add_column("value", justify="right")
    table.add_column("95 % interval", justify="right")
    if len(rows[0]) > len(table.columns):
        table.add_column("of")
    for row in rows:
        table.add_row(*row)
    return table


def _narrow(rows: Sequence[Sequence[str]], runs: int) -> list[tuple[str, str, str]]:
    """Return the rows with what they are of on a line below, where that is not all runs."""
    every, made = counted(runs, "run"), []
    for name, value, ends, of in rows:
        made.append((name, value, ends))
        if of != every:
            made.append((f"  {of.removeprefix(f'{every}, ')}", "", ""))
    return made


def _neurons(used: dict[str, Any]) -> str:
    kind = f"{used['neuron']} " if used["neuron"] not in (None, "plain") else ""
    if isinstance(used["neurons"], str):
        return f"1 to {used['max_neurons']} {kind}neurons, evolved"
    return counted(used["neurons"], f"{kind}neuron")


def _headline(summary: dict[str, Any]) -> list[str]:
    from rich.markup import escape

    used = summary["settings"]
    law = f"{used['mutation']} mutation" if used["mutation"] else used["algorithm"]
    if used["mutation"] and used["algorithm"] != "na":
        law = f"{used['algorithm']}, {law}"
    probability = used["mutation_probability"] or 0.0
    restarts = 0 if used["restarts"] == "auto" else used["restarts"] or 0
    extras = {
        "no bias": used["bias"] is False,
        "void steps redrawn": used["redraw_void"],
        f"probability {probability:.4g} per component": probability,
        "rotations": used["move"] == "rotation",
        f"init {used['init']}": used["init"] not in (None, "grid"),
        f"a neuron replaced with probability {used['replace_neuron']}": used["replace_neuron"],
        f"stagnation {used['stagnation']}": used["stagnation"],
        "automatic restarts": used["restarts"] == "auto",
        counted(restarts, "restart"): restarts,
    }
    return [
        f"[bold]{escape(used['problem'])}[/bold] in D = {used['dim']}: "
        f"{_neurons(used)}, output {used['output']}, "
        f"resolution {used['resolution']:,}",
        ", ".join([law, *(text for text, given in extras.items() if given)]),
        f"{counted(summary['runs'], 'run')} from seed {used['seed']}, "
        f"at most {counted(used['budget'], 'evaluation')} each",
        f"fitness: {used['fitness']}",
        f"success: {summary['success_means']}",
    ]


def _rows(summary: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    runs, reasons = summary["runs"], summary["stop_reasons"]
    every = counted(runs, "run")
    spent = f"{every}, stuck ones at the limit" if "stuck" in reasons else every
    solved = f"{summary['successes']:,} of {every}"
    per_success = counted(summary["successes"], "success")
    share = partial(number, digits=6)
    rows: list[tuple[str, str, str | None, Any, str]] = [
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
    ]
    if "mean_neurons" in summary:
        rows.append(("neurons, mean", "mean_neurons", "mean_neurons_interval", number, every))
    return [
        (name, write(summary[key]), interval(summary[ends], write) if ends else "", of)
        for name, key, ends, write, of in rows
    ] + [
        (
            f"stopped: {reason}",
            percent(count / runs),
            interval(wilson_interval(count, runs), percent),
            f"{count:,} of {every}",
        )
        for reason, count in reasons.items()
    ]


def check_filmed(made: Setting) -> None:
    """Refuse a film of what cannot be seen or leaves no path behind."""
    if made.algorithm != "na":
        raise ValueError(f"--animate shows the (1+1) NA only, got --algorithm {made.algorithm}")
    dim = made.make_problem().dim
    if dim not in (2, 3):
        raise ValueError(f"--animate shows problems with D = 2 or 3, got D = {dim}")


def save_film(path: Path, problem: Problem, runs: Runs) -> None:
    """Make a film of the best run."""
    from hyperna.plots import animate_run, save_animation

    save_animation(animate_run(problem, runs.replay(runs.best, trajectory=True)), path)
