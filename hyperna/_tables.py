"""Tables of text as Markdown, LaTeX and CSV."""

import csv
import io
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Table:
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
    >>> table = Table("t", "Two rows", ("r", "mean"), [("120", "3 %"), ("1200", "45 %")], [])
    >>> print(markdown(table))
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


def markdown(table: Table) -> str:
    """Return the table in Markdown; its columns line up, so that it can be read as plain text."""
    widths = [max(map(len, column)) for column in zip(table.header, *table.rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.ljust(width) if i in table.left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return "| " + " | ".join(padded) + " |"

    ruler = "|".join(
        "-" * (width + 2) if i in table.left else "-" * (width + 1) + ":"
        for i, width in enumerate(widths)
    )
    body = [line(table.header), f"|{ruler}|", *map(line, table.rows)]
    notes = [f"\n{note}" for note in table.notes]
    return "\n".join([f"### {table.title}\n", *body, *notes]) + "\n"


def plain(table: Table, width: int) -> str:
    """Return the table for a terminal: as Markdown if that has room, else row by row.

    Examples
    --------
    >>> table = Table("t", "Two rows", ("r", "mean"), [("120", "3 %"), ("1200", "45 %")], [])
    >>> print(plain(table, 12))
    ### Two rows
    <BLANKLINE>
    r 120
      mean 3 %
    r 1200
      mean 45 %
    <BLANKLINE>
    """
    text = markdown(table)
    if max(map(len, text.splitlines()[: 4 + len(table.rows)])) <= width:
        return text
    first, *names = table.header
    lines = []
    for head, *cells in table.rows:
        lines += textwrap.wrap(f"{first} {head}", width, subsequent_indent="  ")
        told = [f"{name} {cell}" for name, cell in zip(names, cells, strict=True) if cell.strip()]
        lines += textwrap.wrap("; ".join(told), width, initial_indent="  ", subsequent_indent="  ")
    notes = [f"\n{textwrap.fill(note, width)}" for note in table.notes]
    return "\n".join([f"### {table.title}\n", *lines, *notes]) + "\n"


_LATEX = str.maketrans(
    {
        **{letter: f"\\{letter}" for letter in "%&#$_{}"},
        "\\": r"\textbackslash{}",
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
)


def escape_latex(text: str) -> str:
    r"""Return text as LaTeX source.

    Examples
    --------
    >>> print(escape_latex("50 % of two_quarters"))
    50 \% of two\_quarters
    """
    return text.replace(" … ", "–").translate(_LATEX)


def latex(table: Table) -> str:
    """Return the table in LaTeX, as wide as the text; it needs the package graphicx."""
    columns = "".join("l" if i in table.left else "r" for i in range(len(table.header)))

    def line(cells: Sequence[str]) -> str:
        return "  " + " & ".join(map(escape_latex, cells)) + r" \\"

    notes = "".join(f" {escape_latex(note)}" for note in table.notes)
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"  \centering",
            r"  \resizebox{\textwidth}{!}{%",
            rf"  \begin{{tabular}}{{{columns}}}",
            r"  \hline",
            line(table.header),
            r"  \hline",
            *map(line, table.rows),
            r"  \hline",
            r"  \end{tabular}}",
            rf"  \caption{{{escape_latex(table.title)}.{notes}}}",
            rf"  \label{{tab:{table.name}}}",
            r"\end{table}",
            "",
        ]
    )


def csv_text(table: Table) -> str:
    """Return the records of the table as CSV."""
    text = io.StringIO()
    names = dict.fromkeys(name for record in table.records for name in record)
    writer = csv.DictWriter(text, list(names), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table.records)
    return text.getvalue()
