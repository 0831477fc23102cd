"""Reproduced tables to read: paper | measured with 95 % interval | verdict."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from hyperna._tables import Table
from hyperna._words import NOTHING, number, with_interval
from hyperna.analysis.statistics import Summary
from hyperna.paper.printed import (
    CMA_RUNS,
    CMA_TABLE,
    NA_RUNS,
    CmaRow,
    Expectation,
    PaperRow,
    cma_rows,
    expectation,
    na_table,
)
from hyperna.paper.reproduce import BASELINES_RESOLUTION, BASELINES_TABLE, COUNTED_POINTS, CellKey
from hyperna.paper.verdicts import Truth, Verdict, compare_means, compare_medians, compare_shares
from hyperna.run.results import Runs

Verdicts = Mapping[str, Verdict]
Found = Mapping[CellKey, Runs]

TOLERANCE = 0.02
UNIFORM_NOTE = (
    "Step lengths uniform on 1..r; a run ends at an error (best fitness minus fitness) of 1.7/r."
)


@dataclass(frozen=True)
class NaResult:
    """A row of tables 1 to 9, measured; `uniform` is the same with uniform steps."""

    paper: PaperRow
    measured: Summary
    exact: Expectation | None
    uniform: Summary | None = None

    @property
    def truth(self) -> Truth | None:
        """The exact moments, unless the cap changes them."""
        exact, cap = self.exact, self.paper.cap
        if exact is None or exact.cap_matters(cap):
            return None
        mean, sd = exact.mean_with_failures_at(cap), exact.sd_with_failures_at(cap)
        return Truth(exact.probability, mean, sd)

    @property
    def verdicts(self) -> Verdicts:
        """Verdicts on the printed figures."""
        paper, measured, truth = self.paper, self.measured, self.truth
        return {
            "success": compare_shares(paper.percent / 100, NA_RUNS, measured, truth),
            "mean": compare_means(paper.mean, paper.sd, NA_RUNS, measured, truth),
            "median": compare_medians(paper.median, NA_RUNS, measured),
        }


@dataclass(frozen=True)
class CmaResult:
    """A row of table 10, measured on counted points, and with exact fitness beside it."""

    paper: CmaRow
    measured: Summary
    exact: Summary

    @property
    def fitness_sd(self) -> float:
        """Standard deviation of the measured fitness."""
        return float(self.measured.fitness.std(ddof=1))

    @property
    def verdicts(self) -> Verdicts:
        """Verdicts on CMA-ES with fitness counted on points.

        The paper prints no deviation of the fitness; it is taken to be the measured one.
        """
        row, measured = self.paper, self.measured
        error = self.fitness_sd * math.sqrt(1 / CMA_RUNS + 1 / measured.runs)
        gap = row.fitness - measured.mean_fitness
        return {
            "success": compare_shares(row.percent / 100, CMA_RUNS, measured),
            "mean": compare_means(row.mean, row.sd, CMA_RUNS, measured),
            # Printed to four digits: a difference of half a digit is none.
            "fitness": Verdict(abs(gap) <= 1.96 * error + 0.00005, int(np.sign(gap))),
        }


def na_results(table: int, found: Found, kind: str = "algorithm") -> list[NaResult]:
    """Return the rows of a table of the (1+1) NA, as its law or ``kind="uniform"`` gives them."""
    law = na_table(table).mutation if kind == "algorithm" else kind
    results = []
    for row in na_table(table).rows:
        r = row.resolution
        if (r, kind) in found:
            beside = found.get((r, "uniform")) if kind == "algorithm" else None
            uniform = None if beside is None else Summary.of(beside)
            exact = expectation(table, law, r)
            results.append(NaResult(row, Summary.of(found[r, kind]), exact, uniform))
    return results


def cma_results(found: Found) -> list[CmaResult]:
    """Return the rows of table 10."""
    return [
        CmaResult(row, *(_tolerant(row, found[i, kind]) for kind in ("counted", "exact")))
        for i, row in enumerate(cma_rows())
    ]


def _tolerant(row: CmaRow, runs: Runs) -> Summary:
    """Sum up runs of which those succeed that end within 2 % of the best fitness."""
    best = row.problem.best_fitness(row.neurons, row.output) or 1.0
    return Summary(runs.evaluations, runs.fitness >= (1 - TOLERANCE) * best, runs.fitness)


def _percent(share: float) -> str:
    return number(100 * share, 1)


def na_page(table: int, results: Sequence[NaResult], kind: str = "algorithm") -> Table:
    """Return a table of the (1+1) NA to read, or the same with uniform steps."""
    name, title = f"table_{table}", na_table(table).title
    runs = results[0].measured.runs
    known = [one.paper.resolution for one in results if one.exact]
    notes = [
        f"paper | measured; {runs} runs per row (the paper's: {NA_RUNS}), at most "
        f"floor(100 r ln r) evaluations, failed runs counted with that number."
    ]
    if known:
        note = (
            "exact: expected evaluations from the Markov chain; runs that can never succeed count "
            "at the cap, all others however long they take."
        )
        if len(known) < len(results):
            note += (
                f" Exact values are stored up to r = {max(known)}; benchmarks/exact_runtimes.py "
                f"computes more, which takes minutes per row."
            )
        notes.append(note)
    if results[0].uniform is not None:
        notes.append("uniform: mean with uniform steps, see the next table.")
    if kind == "uniform":
        name, title = f"{name}_uniform", f"{title}: uniform steps instead"
        notes.append(UNIFORM_NOTE)
    exact = bool(known)
    header = ["r", "success %, paper", "measured (95 %)", "mean, paper", "measured (95 %)"]
    if exact:
        header.append("exact")
    if results[0].uniform is not None:
        header.append("uniform")
    header += ["median, paper", "measured (95 %)", "verdict"]
    return Table(
        name=name,
        title=title,
        header=header,
        rows=[list(_na_cells(result, exact)) for result in results],
        records=[_na_record(table, result) for result in results],
        notes=notes,
        left=frozenset({len(header) - 1}),
    )


def _na_cells(result: NaResult, exact: bool) -> Iterator[str]:
    paper, measured = result.paper, result.measured
    yield str(paper.resolution)
    yield f"{paper.percent:.0f}"
    yield with_interval(measured.success_share, measured.success_interval, _percent)
    yield number(paper.mean)
    yield with_interval(measured.mean_evaluations, measured.mean_interval)
    if exact:
        known = result.exact
        yield number(known.mean_with_failures_at(paper.cap)) if known else NOTHING
    if result.uniform is not None:
        yield number(result.uniform.mean_evaluations)
    yield number(paper.median)
    yield with_interval(measured.median_evaluations, measured.median_interval)
    yield in_words(result.verdicts)


def in_words(verdicts: Verdicts) -> str:
    """Say which of the paper's figures differ from the measured ones, and to which side.

    Examples
    --------
    >>> in_words({"success": Verdict(False, -1), "mean": Verdict(False, 1)})
    'paper lower: success; paper higher: mean'
    """
    sides: dict[str, list[str]] = {}
    for name, verdict in verdicts.items():
        if not verdict.agrees:
            sides.setdefault(str(verdict), []).append(name)
    return "; ".join(f"{side}: {', '.join(names)}" for side, names in sides.items()) or "agrees"


def _na_record(table: int, result: NaResult) -> dict[str, Any]:
    paper = result.paper
    record: dict[str, Any] = {
        "table": table,
        "r": paper.resolution,
        "cap": paper.cap,
        "paper_percent": paper.percent,
        "paper_mean": paper.mean,
        "paper_sd": paper.sd,
        "paper_median": paper.median,
        **_measured("", result.measured, result.verdicts),
    }
    known = result.exact
    if known:
        record |= {
            "exact_probability": known.probability,
            "exact_mean": known.mean,
            "exact_mean_failures_at_cap": known.mean_with_failures_at(paper.cap),
        }
    if result.uniform is not None:
        record["uniform_mean"] = result.uniform.mean_evaluations
    return record


def _measured(prefix: str, measured: Summary, verdicts: Verdicts) -> dict[str, Any]:
    record = {
        "runs": measured.runs,
        "percent": 100 * measured.success_share,
        "percent_low": 100 * measured.success_interval.low,
        "percent_high": 100 * measured.success_interval.high,
        "mean": measured.mean_evaluations,
        "mean_low": measured.mean_interval.low,
        "mean_high": measured.mean_interval.high,
        "sd": measured.sd_evaluations,
        "median": measured.median_evaluations,
        "median_low": measured.median_interval.low,
        "median_high": measured.median_interval.high,
        **{f"verdict_{name}": str(verdict) for name, verdict in verdicts.items()},
    }
    return {prefix + key: value for key, value in record.items()}


def cma_page(results: Sequence[CmaResult]) -> Table:
    """Return table 10 to read."""
    header = ["problem", "within 2 %, paper", "measured (95 %)", "mean, paper", "measured (95 %)"]
    header += ["fitness, paper", "measured", "verdict", "exact: within 2 %", "mean"]
    rows = [list(_cma_cells(result)) for result in results]
    first = results[0]
    notes = [
        f"paper | measured; CMA-ES (package cma {version('cma')}) from the origin, sigma 1, in "
        f"[0, 2π] × [-1, 1], default stopping, fitness counted on {COUNTED_POINTS:,} points; "
        f"{first.measured.runs:,} runs per row (the paper's: {CMA_RUNS:,}). mean: evaluations.",
        f"exact: the same with exact fitness, {first.exact.runs:,} runs per row. The paper does "
        f"not say how fitness was computed; the stopping rules react to the steps of a counted "
        f"one. Its version of cma, 3.3.0, gave nearly the same as 4.5.0 in a trial of 300 runs "
        f"per row.",
    ]
    records = [_cma_record(result) for result in results]
    title = f"Table {CMA_TABLE}: CMA-ES"
    return Table(f"table_{CMA_TABLE}", title, header, rows, records, notes, left=frozenset({0, 7}))


def _cma_cells(result: CmaResult) -> Iterator[str]:
    paper, measured, exact = result.paper, result.measured, result.exact
    yield paper.title
    yield f"{paper.percent:.1f}"
    yield with_interval(measured.success_share, measured.success_interval, _percent)
    yield f"{paper.mean:.1f}"
    yield with_interval(measured.mean_evaluations, measured.mean_interval)
    yield f"{paper.fitness:.4f}"
    yield f"{result.measured.mean_fitness:.4f}"
    yield in_words(result.verdicts)
    yield with_interval(exact.success_share, exact.success_interval, _percent)
    yield with_interval(exact.mean_evaluations, exact.mean_interval)


def _cma_record(result: CmaResult) -> dict[str, Any]:
    paper = result.paper
    return {
        "problem": paper.problem_name,
        "neurons": paper.neurons,
        "output": paper.output,
        "paper_percent": paper.percent,
        "paper_mean": paper.mean,
        "paper_sd": paper.sd,
        "paper_fitness": paper.fitness,
        **_measured("", result.measured, result.verdicts),
        "fitness": result.measured.mean_fitness,
        "fitness_sd": result.fitness_sd,
        **_measured("exact_", result.exact, {}),
    }


def baselines_page(found: Found) -> Table:
    """Return the comparison of algorithms to read."""
    header = ["algorithm", "runs", "budget", "success % (95 %)", "fitness", "mean", "median"]
    rows, records = [], []
    for (name, _), runs in found.items():
        measured = Summary.of(runs)
        budget = runs.setting.budget
        times = measured.running_time
        rows.append(
            [
                name,
                str(measured.runs),
                number(budget),
                with_interval(measured.success_share, measured.success_interval, _percent),
                number(measured.mean_fitness, 4),
                number(measured.mean_evaluations),
                number(measured.median_evaluations),
                with_interval(times.value, (times.low, times.high)),
            ]
        )
        record = {"algorithm": name, "budget": budget, **_measured("", measured, {})}
        record |= {"ert": times.value, "ert_low": times.low, "ert_high": times.high}
        record |= {"mean_fitness": measured.mean_fitness}
        records.append(record | {"mean_restarts": float(runs.restarts.mean())})
    target = next(iter(found.values())).setting.target
    notes = [
        f"All search for a network with a fitness of {target:.6g} on TWOQUARTERS (N = 2, "
        f"OR): the best, 1, less what rounding to resolution {BASELINES_RESOLUTION} may cost. A "
        f"run ends when it succeeds, spends its budget or, for algorithms with a stopping rule of "
        f"their own, gives up. fitness: the mean of the final fitness. mean, median: evaluations "
        f"of all runs. per success: evaluations of all runs divided by the number of successes."
    ]
    title = f"TWOQUARTERS at resolution {BASELINES_RESOLUTION}: restarts and other algorithms"
    header.append("per success (95 %)")
    return Table(BASELINES_TABLE, title, header, rows, records, notes, left=frozenset({0}))
