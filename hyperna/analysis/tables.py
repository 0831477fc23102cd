"""Tables of text as Markdown, LaTeX and CSV."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hyperna.analysis.statistics import Interval


@dataclass(frozen=True)
class Sheet:
    """A table to read, and the same table as data.

    Parameters
    ----------
    name : str
        Name of its files.
    title : str
        One line.
    header : sequence of str
        Names of the columns.
    rows : sequence of sequences of str
        The cells; all but the first column are set flush right.
    records : sequence of mappings
        The rows as data, for CSV and JSON.
    notes : sequence of str
        What must be known to read the table.
    left : set of int
        Columns that are set flush left.

    Examples
    --------
    >>> sheet = Sheet("t", "Two rows", ("r", "mean"), [("120", "3 %"), ("1200", "45 %")], [])
    >>> print(markdown(sheet))
    ### Two rows
    <BLANKLINE>
    |    r | mean |
    |-----:|-----:|
    |  120 |  3 % |
    | 1200 | 45 % |
    <BLANKLINE>
    """

    name: str
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    records: Sequence[Mapping[str, Any]]
    notes: Sequence[str] = ()
    left: frozenset[int] = field(default=frozenset())


def markdown(sheet: Sheet) -> str:
    """Return the sheet as a Markdown table whose columns are lined up, readable as plain text."""
    widths = [max(map(len, column)) for column in zip(sheet.header, *sheet.rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.ljust(width) if i in sheet.left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return "| " + " | ".join(padded) + " |"

    ruler = "|".join(
        "-" * (width + 2) if i in sheet.left else "-" * (width + 1) + ":"
        for i, width in enumerate(widths)
    )
    body = [line(sheet.header), f"|{ruler}|", *map(line, sheet.rows)]
    notes = [f"\n{note}" for note in sheet.notes]
    return "\n".join([f"### {sheet.title}\n", *body, *notes]) + "\n"


_LATEX = {
    "\\": r"\textbackslash{}",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "$": r"\$",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "∞": r"$\infty$",
    "…": r"\ldots{}",
    "|": "$|$",
    "–": "--",
    "×": r"$\times$",
    "π": r"$\pi$",
}


def escape_latex(text: str) -> str:
    r"""Return text as LaTeX source.

    Examples
    --------
    >>> print(escape_latex("50 % of two_quarters"))
    50 \% of two\_quarters
    """
    ranges = text.replace(" … ", "–")
    return "".join(_LATEX.get(letter, letter) for letter in ranges)


def latex(sheet: Sheet) -> str:
    """Return the sheet as a LaTeX table as wide as the text; it needs the package graphicx."""
    columns = "".join("l" if i in sheet.left else "r" for i in range(len(sheet.header)))

    def line(cells: Sequence[str]) -> str:
        return "  " + " & ".join(map(escape_latex, cells)) + r" \\"

    notes = "".join(f" {escape_latex(note)}" for note in sheet.notes)
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"  \centering",
            r"  \resizebox{\textwidth}{!}{%",
            rf"  \begin{{tabular}}{{{columns}}}",
            r"  \hline",
            line(sheet.header),
            r"  \hline",
            *map(line, sheet.rows),
            r"  \hline",
            r"  \end{tabular}}",
            rf"  \caption{{{escape_latex(sheet.title)}.{notes}}}",
            rf"  \label{{tab:{sheet.name}}}",
            r"\end{table}",
            "",
        ]
    )


def csv_text(sheet: Sheet) -> str:
    """Return the records of the sheet as CSV."""
    text = io.StringIO()
    names = dict.fromkeys(name for record in sheet.records for name in record)
    writer = csv.DictWriter(text, list(names), lineterminator="\n")
    writer.writeheader()
    writer.writerows(sheet.records)
    return text.getvalue()


def count(value: float) -> str:
    """Write a number of evaluations.

    Examples
    --------
    >>> count(12345.6), count(12.34), count(math.inf)
    ('12,346', '12.3', '∞')
    """
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"


def percent(share: float) -> str:
    """Write a share in percent, without the sign."""
    return f"{100 * share:.1f}"


def with_interval(value: float, interval: Interval, write: Any = count) -> str:
    """Write a value and its interval: 115 (98 … 131)."""
    if math.isnan(interval.low):
        return str(write(value))
    return f"{write(value)} ({write(interval.low)} … {write(interval.high)})"
