"""What agrees with the paper and what does not, in plain words, computed from both."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperna._tables import Table, markdown, plain
from hyperna._words import NOTHING, joined
from hyperna.paper.pages import (
    CmaResult,
    NaResult,
    Verdicts,
    baselines_page,
    cma_page,
    cma_results,
    na_page,
    na_results,
)
from hyperna.paper.printed import CMA_TABLE, UNIFORM_TABLES
from hyperna.paper.reproduce import BASELINES_TABLE, CellKey
from hyperna.paper.verdicts import RULE, TableVerdict
from hyperna.run.results import Runs


@dataclass(frozen=True)
class Finding:
    """What was found about one table, or about one row of table 10."""

    title: str
    cells: dict[str, str]
    agrees: dict[str, bool]
    remark: str = ""

    def __str__(self) -> str:
        good = [name for name, agrees in self.agrees.items() if agrees]
        text = self.verdict
        if self.differs:
            told = [f"{name}{self._times(name)}" for name in self.differs]
            text = f"differs in {joined(told)}"
        if self.differs and good:
            text += f", agrees in {joined(good)}"
        remark = f" {self.remark}" if self.differs and self.remark else ""
        return f"- {self.title}: {text}.{remark}"

    def _times(self, name: str) -> str:
        ratio = self.cells.get(f"{name} ratio")
        return f" ({ratio} times the measured)" if ratio else ""

    @property
    def differs(self) -> list[str]:
        """Names of the figures that differ."""
        return [name for name, agrees in self.agrees.items() if not agrees]

    @property
    def verdict(self) -> str:
        """Whether it agrees, in short."""
        return f"differs: {joined(self.differs)}" if self.differs else "agrees"


@dataclass(frozen=True)
class Report:
    """Reproduced tables and what was found about them.

    Examples
    --------
    >>> from hyperna.paper.reproduce import Reproduction
    >>> parts = [
    ...     report_table(*part) for part in Reproduction(tables=(2,), runs=20, quick=True).run()
    ... ]
    >>> [table.name for table in summarised(parts).tables]
    ['table_2', 'summary']
    """

    tables: tuple[Table, ...]
    findings: tuple[Finding, ...] = ()

    def markdown(self) -> str:
        """Return the tables as Markdown."""
        return "\n".join(map(markdown, self.tables))

    def plain(self, width: int) -> str:
        """Return the tables for a terminal of a width."""
        return "\n".join(plain(table, width) for table in self.tables)

    def conclusion(self) -> str:
        """Return the findings as Markdown, nothing if there are none."""
        if not self.findings:
            return ""
        return "\n".join(["### What agrees and what does not\n", *map(str, self.findings), ""])

    def data(self) -> dict[str, Any]:
        """Return everything as plain data."""
        tables = {table.name: [dict(record) for record in table.records] for table in self.tables}
        return {"tables": tables, "findings": list(map(str, self.findings)), "rule": RULE}


def report_table(table: int | str, found: Mapping[CellKey, Runs]) -> Report:
    """Return one table of the paper, from the runs of its cells."""
    if table == BASELINES_TABLE:
        return Report((baselines_page(found),))
    if table == CMA_TABLE:
        rows = cma_results(found)
        return Report((cma_page(rows),), tuple(map(_cma_finding, rows)))
    number = int(table)
    pages, findings = [], []
    for kind in ("algorithm", "uniform") if number in UNIFORM_TABLES else ("algorithm",):
        results = na_results(number, found, kind)
        pages.append(na_page(number, results, kind))
        findings.append(_na_finding(pages[-1].title, results))
    return Report(tuple(pages), tuple(findings))


def summarised(parts: Iterable[Report]) -> Report:
    """Return all parts as one report, with a summary if there are findings."""
    listed = list(parts)
    tables = [table for part in listed for table in part.tables]
    findings = tuple(finding for part in listed for finding in part.findings)
    if findings:
        tables.append(summary_table(findings))
    return Report(tuple(tables), findings)


def growth_remark(results: Sequence[NaResult]) -> str:
    """Say how many times larger means are at the largest resolution than at the smallest."""
    if len(results) < 2:
        return ""
    first, last = results[0], results[-1]
    factors = {
        "the printed means grow": last.paper.mean / first.paper.mean,
        "the measured ones": last.measured.mean_evaluations / first.measured.mean_evaluations,
    }
    if first.exact and last.exact:
        before = first.exact.mean_with_failures_at(first.paper.cap)
        after = last.exact.mean_with_failures_at(last.paper.cap)
        factors["the exact ones"] = after / before
    if first.uniform and last.uniform:
        before = first.uniform.mean_evaluations
        after = last.uniform.mean_evaluations
        factors["those with uniform steps"] = after / before
    told = joined([f"{what} {factor:.1f}-fold" for what, factor in factors.items()])
    return f"From r = {first.paper.resolution:,} to {last.paper.resolution:,} {told}."


def cap_remark(results: Sequence[NaResult]) -> str:
    """Say in which rows the failed runs alone would exceed the printed mean at the cap."""
    rows = [
        row
        for row in (one.paper for one in results)
        if (100 - row.percent) / 100 * row.cap > row.mean
    ]
    if not rows:
        return ""
    told = joined(
        [f"{100 - row.percent:.0f} % of {row.cap:,} at r = {row.resolution:,}" for row in rows]
    )
    verb = "exceeds" if len(rows) == 1 else "exceed"
    return f"Not all failed runs can have been counted at the cap: {told} {verb} the printed mean."


def _na_finding(title: str, results: Sequence[NaResult]) -> Finding:
    rows = [result.verdicts for result in results]
    whole = {name: TableVerdict([row[name] for row in rows]) for name in rows[0]}
    cells = {name: str(verdict) for name, verdict in whole.items()}
    means = [one.paper.mean / one.measured.mean_evaluations for one in results]
    medians = [one.paper.median / one.measured.median_evaluations for one in results]
    cells["mean ratio"] = f"{float(np.median(means)):.2f}"
    cells["median ratio"] = f"{float(np.median(medians)):.2f}"
    agrees = {name: verdict.agrees for name, verdict in whole.items()}
    remarks = []
    if not agrees["mean"]:
        remarks.append(growth_remark(results))
    remarks.append(cap_remark(results))
    return Finding(title, cells, agrees, " ".join(filter(None, remarks)))


def _cma_finding(result: CmaResult) -> Finding:
    verdicts: Verdicts = result.verdicts
    cells = {name: str(verdict) for name, verdict in verdicts.items() if name != "fitness"}
    cells["mean ratio"] = f"{result.paper.mean / result.measured.mean_evaluations:.2f}"
    title = f"Table {CMA_TABLE}: CMA-ES on {result.paper.title}"
    return Finding(title, cells, {name: verdict.agrees for name, verdict in verdicts.items()})


def summary_table(findings: Sequence[Finding]) -> Table:
    """Return the table that sums up all others."""
    columns = ("success", "mean", "median", "mean ratio", "median ratio")
    rows = [
        [one.title, *(one.cells.get(name, NOTHING) for name in columns), one.verdict]
        for one in findings
    ]
    records = [
        {
            "table": one.title,
            **{name: one.cells.get(name, "") for name in columns},
            **{f"agrees_{name}": one.agrees.get(name, "") for name in columns[:3]},
        }
        for one in findings
    ]
    notes = (
        RULE,
        "success, mean, median: rows that agree; paper higher, paper lower: nearly all of the "
        "paper's figures lie on this side of the exact or measured ones. ratio: paper / measured, "
        "the median of the rows.",
    )
    header = ("table", *columns, "verdict")
    return Table("summary", "Summary", header, rows, records, notes, frozenset({0, 1, 2, 3, 6}))
