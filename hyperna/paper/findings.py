"""What agrees with the paper and what does not, in plain words, with the reasons that are known."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperna.analysis.tables import Sheet, markdown
from hyperna.paper.printed import CMA_TABLE, NA_TABLES
from hyperna.paper.reproduce import COMPARISON, Outcomes, Plan
from hyperna.paper.sheets import (
    CmaResult,
    NaResult,
    cma_results,
    cma_sheet,
    comparison_sheet,
    na_results,
    na_sheet,
    table_verdicts,
    uniform_results,
    uniform_sheet,
)
from hyperna.paper.verdicts import RULE

# Facts about the printed numbers that the measured ones do not show by themselves.
REMARKS = {
    1: "No variant of the algorithm that has been tried gives the printed HALF tables.",
    2: "No variant of the algorithm that has been tried gives the printed HALF tables.",
    3: "The printed medians of QUARTER are about twice the simulated ones.",
    4: "The printed means grow linearly, about 3 r. Harmonic steps give polylogarithmic growth, as "
    "the theorem says; the exact expectations show it. Uniform steps grow linearly.",
    6: "In the row r = 120 not all failed runs can have been counted at the cap: 9 % of 57,449 "
    "exceeds the printed mean. No variant that has been tried gives the printed growth.",
    7: "In the row r = 120 not all failed runs can have been counted at the cap: 29 % of 57,449 "
    "exceeds the printed mean. No variant that has been tried gives the printed growth.",
    9: "The printed means grow linearly, about 2.5 r. Harmonic steps give polylogarithmic growth, "
    "as the theorem says; the exact expectations show it. Uniform steps grow linearly.",
}


@dataclass(frozen=True)
class Report:
    """All sheets of a reproduction, and its summary.

    Examples
    --------
    >>> from hyperna.paper.reproduce import simulate
    >>> plan = Plan(tables=(2,), runs=20, quick=True)
    >>> report = make_report(plan, simulate(plan.batches()))
    >>> [sheet.name for sheet in report.sheets]
    ['table_2', 'summary']
    """

    sheets: tuple[Sheet, ...]
    findings: tuple[str, ...]

    def markdown(self) -> str:
        """Return everything as one Markdown text."""
        parts = [markdown(sheet) for sheet in self.sheets]
        if self.findings:
            parts.append("\n".join(["### What agrees and what does not\n", *self.findings]) + "\n")
        return "\n".join(parts)

    def data(self) -> dict[str, Any]:
        """Return everything as plain data."""
        tables = {sheet.name: [dict(record) for record in sheet.records] for sheet in self.sheets}
        return {"tables": tables, "findings": list(self.findings), "rule": RULE}


@dataclass(frozen=True)
class _Line:
    """A line of the summary: one table, or one row of table 10."""

    title: str
    cells: dict[str, str]
    agrees: dict[str, bool]
    remark: str = ""

    @property
    def sentence(self) -> str:
        good = [name for name, agrees in self.agrees.items() if agrees]
        bad = [name for name, agrees in self.agrees.items() if not agrees]
        text = "agrees" if not bad else f"differs in {_join(bad)}"
        if bad and good:
            text += f", agrees in {_join(good)}"
        return f"- {self.title}: {text}." + (f" {self.remark}" if bad and self.remark else "")


def make_report(plan: Plan, outcomes: Outcomes) -> Report:
    """Return the sheets of all tables in the plan and the summary."""
    sheets: list[Sheet] = []
    lines: list[_Line] = []
    for number in NA_TABLES:
        if number in plan.tables:
            results = na_results(plan, number, outcomes)
            sheets.append(na_sheet(number, results))
            lines.append(_na_line(sheets[-1].title, results, REMARKS.get(number, "")))
            uniform = uniform_results(plan, number, outcomes)
            if uniform:
                sheets.append(uniform_sheet(number, uniform))
                lines.append(_na_line(sheets[-1].title, uniform))
    if CMA_TABLE in plan.tables:
        rows = cma_results(outcomes)
        sheets.append(cma_sheet(rows))
        lines += [_cma_line(row) for row in rows]
    if COMPARISON in plan.tables:
        sheets.append(comparison_sheet(outcomes))
    if lines:
        sheets.append(_summary(lines))
    return Report(tuple(sheets), tuple(line.sentence for line in lines))


def _na_line(title: str, results: Sequence[NaResult], remark: str = "") -> _Line:
    whole = table_verdicts([result.verdicts for result in results])
    cells = {name: str(verdict) for name, verdict in whole.items()}
    pairs = [(result.paper, result.sample) for result in results]
    cells["mean ratio"] = _ratio([paper.mean / sample.mean for paper, sample in pairs])
    cells["median ratio"] = _ratio([paper.median / sample.median for paper, sample in pairs])
    return _Line(title, cells, {name: verdict.agrees for name, verdict in whole.items()}, remark)


def _cma_line(result: CmaResult) -> _Line:
    verdicts = result.verdicts
    cells = {name: str(verdict) for name, verdict in verdicts.items() if name != "fitness"}
    cells["mean ratio"] = f"{result.paper.mean / result.sample.mean:.2f}"
    title = f"Table {CMA_TABLE}: CMA-ES on {result.paper.title}"
    agrees = {name: verdict.agrees for name, verdict in verdicts.items()}
    return _Line(title, cells, agrees)


def _summary(lines: Sequence[_Line]) -> Sheet:
    columns = ("found", "mean", "median", "mean ratio", "median ratio")
    rows = [
        [line.title, *(line.cells.get(name, "–") for name in columns), _overall(line)]
        for line in lines
    ]
    header = ("table", *columns, "verdict")
    records = [
        {
            "table": line.title,
            **{name: line.cells.get(name, "") for name in columns},
            **{f"agrees_{name}": line.agrees.get(name, "") for name in ("found", "mean", "median")},
        }
        for line in lines
    ]
    notes = (
        RULE,
        "found, mean, median: rows that agree; paper higher, paper lower: nearly all of the "
        "paper's figures lie on this side of the measured ones. ratio: paper / measured, the "
        "median of the rows.",
    )
    return Sheet("summary", "Summary", header, rows, records, notes, frozenset({0, 1, 2, 3, 6}))


def _overall(line: _Line) -> str:
    bad = [name for name, agrees in line.agrees.items() if not agrees]
    return f"differs: {_join(bad)}" if bad else "agrees"


def _ratio(values: Sequence[float]) -> str:
    return f"{float(np.median(values)):.2f}"


def _join(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
