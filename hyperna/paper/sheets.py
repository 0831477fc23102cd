"""Reproduced tables to read: paper | measured with 95 % interval | verdict."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import numpy as np

from hyperna.analysis.statistics import expected_running_time, wilson_interval
from hyperna.analysis.tables import Sheet, count, percent, with_interval
from hyperna.paper.printed import (
    CMA_RUNS,
    CMA_TABLE,
    NA_RUNS,
    UNIFORM_TABLES,
    CmaRow,
    Expectation,
    PaperRow,
    cma_rows,
    expectation,
    na_table,
)
from hyperna.paper.reproduce import (
    COMPARISON,
    COMPARISON_RESOLUTION,
    COUNTED_POINTS,
    Outcome,
    Outcomes,
    Plan,
)
from hyperna.paper.verdicts import (
    Sample,
    TableVerdict,
    Verdict,
    compare_means,
    compare_medians,
    compare_shares,
)

Verdicts = Mapping[str, Verdict]

TOLERANCE = 0.02
UNIFORM_NOTE = (
    "Step lengths uniform on 1..r; a run ends at an error (best fitness less fitness) of 1.7/r."
)


@dataclass(frozen=True)
class NaResult:
    """A row of tables 1 to 9, measured; `uniform` is the same with uniform steps."""

    paper: PaperRow
    sample: Sample
    exact: Expectation | None
    uniform: Sample | None = None

    @property
    def verdicts(self) -> Verdicts:
        """Verdicts on the printed figures."""
        return _na_verdicts(self.paper, self.sample)


def _na_verdicts(paper: PaperRow, sample: Sample) -> Verdicts:
    return {
        "found": compare_shares(paper.percent / 100, NA_RUNS, sample),
        "mean": compare_means(paper.mean, paper.sd, NA_RUNS, sample),
        "median": compare_medians(paper.median, NA_RUNS, sample),
    }


@dataclass(frozen=True)
class CmaResult:
    """A row of table 10, measured on counted points, and with exact fitness beside it."""

    paper: CmaRow
    sample: Sample
    fitness: float
    fitness_sd: float
    exact: Sample

    @property
    def verdicts(self) -> Verdicts:
        """Verdicts on CMA-ES with fitness counted on points.

        The paper prints no deviation of the fitness; it is taken to be the measured one.
        """
        row, sample = self.paper, self.sample
        error = self.fitness_sd * math.sqrt(1 / CMA_RUNS + 1 / sample.runs)
        gap = row.fitness - self.fitness
        return {
            "found": compare_shares(row.percent / 100, CMA_RUNS, sample),
            "mean": compare_means(row.mean, row.sd, CMA_RUNS, sample),
            # Printed to four digits: a difference of half a digit is none.
            "fitness": Verdict(abs(gap) <= 1.96 * error + 0.00005, int(np.sign(gap))),
        }


def na_results(plan: Plan, number: int, outcomes: Outcomes) -> list[NaResult]:
    """Return the rows of a table of the (1+1) NA."""
    law, uniform = na_table(number).mutation, uniform_results(plan, number, outcomes)
    results = _results(plan, number, outcomes, "algorithm", law)
    if not uniform:
        return results
    pairs = zip(results, uniform, strict=True)
    return [replace(result, uniform=other.sample) for result, other in pairs]


def uniform_results(plan: Plan, number: int, outcomes: Outcomes) -> list[NaResult]:
    """Return the rows of a table as uniform steps give them, none where they explain nothing."""
    if number not in UNIFORM_TABLES:
        return []
    return _results(plan, number, outcomes, "uniform", "uniform")


def _results(
    plan: Plan, number: int, outcomes: Outcomes, kind: str, mutation: str
) -> list[NaResult]:
    return [
        NaResult(
            row,
            _sample(outcomes[number, row.resolution, kind]),
            expectation(number, mutation, row.resolution),
        )
        for row in na_table(number).rows
        if row.resolution in plan.resolutions(number)
    ]


def cma_results(outcomes: Outcomes) -> list[CmaResult]:
    """Return the rows of table 10."""
    results = []
    for i, row in enumerate(cma_rows()):
        counted, exact = (outcomes[CMA_TABLE, i, kind] for kind in ("counted", "exact"))
        fitness = counted.fitness
        samples = [Sample.of(o.evaluations, within_tolerance(row, o)) for o in (counted, exact)]
        results.append(
            CmaResult(
                row, samples[0], float(fitness.mean()), float(fitness.std(ddof=1)), samples[1]
            )
        )
    return results


def within_tolerance(row: CmaRow, outcome: Outcome) -> Any:
    """Whether each run ended within 2 % of the best fitness."""
    best = row.problem.best_fitness(row.neurons, row.output) or 1.0
    return outcome.fitness >= (1 - TOLERANCE) * best


def _sample(outcome: Outcome) -> Sample:
    return Sample.of(outcome.evaluations, outcome.success)


def na_sheet(number: int, results: Sequence[NaResult]) -> Sheet:
    """Return a table of the (1+1) NA to read."""
    notes = [_na_note(results[0].sample.runs), *_exact_notes(results)]
    if results[0].uniform is not None:
        notes.append("uniform: mean with uniform steps, see the next table.")
    return _na_sheet(f"table_{number}", na_table(number).title, number, results, notes)


def uniform_sheet(number: int, results: Sequence[NaResult]) -> Sheet:
    """Return a table of the (1+1) NA, run with uniform steps, to read."""
    title = f"{na_table(number).title}: uniform steps instead"
    notes = [_na_note(results[0].sample.runs), *_exact_notes(results), UNIFORM_NOTE]
    return _na_sheet(f"table_{number}_uniform", title, number, results, notes)


def _na_sheet(
    name: str, title: str, number: int, results: Sequence[NaResult], notes: Sequence[str]
) -> Sheet:
    exact = any(result.exact for result in results)
    header = ["r", "found %, paper", "measured (95 %)", "mean, paper", "measured (95 %)"]
    header += ["exact"] * exact + ["uniform"] * (results[0].uniform is not None)
    header += ["median, paper", "measured (95 %)", "verdict"]
    return Sheet(
        name=name,
        title=title,
        header=header,
        rows=[list(_na_cells(result, exact)) for result in results],
        records=[_na_record(number, result) for result in results],
        notes=notes,
        left=frozenset({len(header) - 1}),
    )


def _na_note(runs: int) -> str:
    return (
        f"paper | measured; {runs} runs a row (the paper's: {NA_RUNS}), at most floor(100 r ln r) "
        f"evaluations, failed runs counted with that number."
    )


def _exact_notes(results: Sequence[NaResult]) -> list[str]:
    """Say what the exact values are, and why some rows have none."""
    known = [result.paper.resolution for result in results if result.exact]
    if not known:
        return []
    note = (
        "exact: expected evaluations from the Markov chain; runs that can never succeed count "
        "at the cap, all others however long they take."
    )
    if len(known) < len(results):
        note += (
            f" Exact values are stored up to r = {max(known)}; benchmarks/exact_runtimes.py "
            f"computes more, which takes minutes a row."
        )
    return [note]


def _na_cells(result: NaResult, exact: bool) -> Iterator[str]:
    paper, sample = result.paper, result.sample
    yield str(paper.resolution)
    yield f"{paper.percent:.0f}"
    yield with_interval(sample.share, sample.share_interval, percent)
    yield count(paper.mean)
    yield with_interval(sample.mean, sample.mean_interval)
    if exact:
        known = result.exact
        yield count(known.mean_with_failures_at(paper.cap)) if known else "–"
    if result.uniform is not None:
        yield count(result.uniform.mean)
    yield count(paper.median)
    yield with_interval(sample.median, sample.median_interval)
    yield in_words(result.verdicts)


def in_words(verdicts: Verdicts) -> str:
    """Say which of the paper's figures differ from the measured ones, and to which side.

    Examples
    --------
    >>> in_words({"found": Verdict(False, -1), "mean": Verdict(False, 1)})
    'paper lower: found; paper higher: mean'
    """
    sides: dict[str, list[str]] = {}
    for name, verdict in verdicts.items():
        if not verdict.agrees:
            sides.setdefault(str(verdict), []).append(name)
    return "; ".join(f"{side}: {', '.join(names)}" for side, names in sides.items()) or "agrees"


def _na_record(number: int, result: NaResult) -> dict[str, Any]:
    paper = result.paper
    record: dict[str, Any] = {
        "table": number,
        "r": paper.resolution,
        "cap": paper.cap,
        "paper_percent": paper.percent,
        "paper_mean": paper.mean,
        "paper_sd": paper.sd,
        "paper_median": paper.median,
        **_measured("", result.sample, result.verdicts),
    }
    known = result.exact
    if known:
        record |= {
            "exact_probability": known.probability,
            "exact_mean": known.mean,
            "exact_mean_failures_at_cap": known.mean_with_failures_at(paper.cap),
        }
    if result.uniform is not None:
        record["uniform_mean"] = result.uniform.mean
    return record


def _measured(prefix: str, sample: Sample, verdicts: Verdicts) -> dict[str, Any]:
    record = {
        "runs": sample.runs,
        "percent": 100 * sample.share,
        "percent_low": 100 * sample.share_interval.low,
        "percent_high": 100 * sample.share_interval.high,
        "mean": sample.mean,
        "mean_low": sample.mean_interval.low,
        "mean_high": sample.mean_interval.high,
        "sd": sample.sd,
        "median": sample.median,
        "median_low": sample.median_interval.low,
        "median_high": sample.median_interval.high,
        **{f"verdict_{name}": str(verdict) for name, verdict in verdicts.items()},
    }
    return {prefix + key: value for key, value in record.items()}


def cma_sheet(results: Sequence[CmaResult]) -> Sheet:
    """Return table 10 to read."""
    header = ["problem", "within 2 %, paper", "measured (95 %)", "mean, paper", "measured (95 %)"]
    header += ["fitness, paper", "measured", "verdict", "exact: within 2 %", "mean"]
    rows = [list(_cma_cells(result)) for result in results]
    first = results[0]
    notes = [
        f"paper | measured; CMA-ES (package cma {version('cma')}) from the origin, sigma 1, in "
        f"[0, 2π] × [-1, 1], default stopping, fitness counted on {COUNTED_POINTS:,} points; "
        f"{first.sample.runs:,} runs a row (the paper's: {CMA_RUNS:,}). mean: evaluations.",
        f"exact: the same with exact fitness, {first.exact.runs:,} runs a row. The paper does not "
        f"say how fitness was computed; the stopping rules react to the steps of a counted one. "
        f"Its version of cma, 3.3.0, gave nearly the same as 4.5.0 in a trial of 300 runs a row.",
    ]
    records = [_cma_record(result) for result in results]
    title = f"Table {CMA_TABLE}: CMA-ES"
    return Sheet(f"table_{CMA_TABLE}", title, header, rows, records, notes, left=frozenset({0, 7}))


def _cma_cells(result: CmaResult) -> Iterator[str]:
    paper, sample, exact = result.paper, result.sample, result.exact
    yield paper.title
    yield f"{paper.percent:.1f}"
    yield with_interval(sample.share, sample.share_interval, percent)
    yield f"{paper.mean:.1f}"
    yield with_interval(sample.mean, sample.mean_interval)
    yield f"{paper.fitness:.4f}"
    yield f"{result.fitness:.4f}"
    yield in_words(result.verdicts)
    yield with_interval(exact.share, exact.share_interval, percent)
    yield with_interval(exact.mean, exact.mean_interval)


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
        **_measured("", result.sample, result.verdicts),
        "fitness": result.fitness,
        "fitness_sd": result.fitness_sd,
        **_measured("exact_", result.exact, {}),
    }


def comparison_sheet(outcomes: Outcomes) -> Sheet:
    """Return the comparison of algorithms to read."""
    chosen = {key[1]: o for key, o in outcomes.items() if key[0] == COMPARISON}  # type: ignore[index]
    header = [
        "algorithm",
        "runs",
        "budget",
        "found % (95 %)",
        "mean",
        "median",
        "per success (95 %)",
    ]
    records = [_comparison_record(name, outcome) for name, outcome in chosen.items()]
    rows = [
        [
            record["algorithm"],
            str(record["runs"]),
            count(record["budget"]),
            with_interval(
                record["percent"] / 100,
                wilson_interval(record["successes"], record["runs"]),
                percent,
            ),
            count(record["mean"]),
            count(record["median"]),
            f"{count(record['ert'])} ({count(record['ert_low'])} … {count(record['ert_high'])})",
        ]
        for record in records
    ]
    notes = [
        f"All search for an optimum of TWOQUARTERS (N = 2, OR) to the precision of resolution "
        f"{COMPARISON_RESOLUTION}: every angle and bias within less than a grid step. A run ends "
        f"when it succeeds, spends its budget or, for algorithms with a stopping rule of their "
        f"own, gives up. mean, median: evaluations of all runs. per success: evaluations of all "
        f"runs divided by the number of successes."
    ]
    title = f"TWOQUARTERS at resolution {COMPARISON_RESOLUTION}: restarts and other algorithms"
    return Sheet(COMPARISON, title, header, rows, records, notes, left=frozenset({0}))


def _comparison_record(name: str, outcome: Outcome) -> dict[str, Any]:
    evaluations, success = outcome.evaluations, outcome.success
    ert = expected_running_time(evaluations, success)
    return {
        "algorithm": name,
        "runs": len(evaluations),
        "budget": outcome.task.budget,
        "successes": int(success.sum()),
        "percent": 100 * float(success.mean()),
        "mean": float(evaluations.mean()),
        "median": float(np.median(evaluations)),
        "ert": ert.value,
        "ert_low": ert.low,
        "ert_high": ert.high,
        "mean_fitness": float(outcome.fitness.mean()),
        "mean_restarts": float(outcome.rows[:, 4].mean()),
    }


def table_verdicts(verdicts: Sequence[Verdicts]) -> dict[str, TableVerdict]:
    """Return for each figure the verdict on a table."""
    return {name: TableVerdict.of([row[name] for row in verdicts]) for name in verdicts[0]}
