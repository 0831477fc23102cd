"""Printing for people and programs: the console, tables, lists of names, JSON."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from hyperna._words import counted, finite, list_item, listed

if TYPE_CHECKING:
    from rich.console import Console

    from hyperna.tables import Decision

# Columns of a table with their options for rich, and its rows.
Version = tuple[Mapping[str, Any], Iterable[Sequence[str]]]
RIGHT = {"justify": "right"}
# More columns with which the same was done share a line, and no more lines than this are printed.
MOST_ALIKE = 3
MOST_LINES = 60


def make_console() -> "Console":
    """Return a console on standard output; in a pipe its lines are long enough not to break."""
    from rich.console import Console

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    console.on_broken_pipe = _reader_gone  # type: ignore[method-assign]
    return console


def _reader_gone() -> NoReturn:
    """Leave it to the command line to end quietly when the reader has gone away."""
    raise BrokenPipeError


def say(console: "Console", text: str) -> None:
    """Print a line: broken between words on a terminal, whole in a pipe."""
    console.print(text, soft_wrap=not console.is_terminal)


def print_table(console: "Console", versions: Iterable[Version], **style: Any) -> None:
    """Print the first version of a table that has room without breaking its cells, or the last."""
    from rich.table import Table

    for columns, rows in versions:
        table = Table(box=None, header_style="dim", **{"padding": (0, 2, 0, 0), **style})
        for name, options in columns.items():
            table.add_column(name, **options)
        for row in rows:
            table.add_row(*row)
        wide = console.options.update(max_width=9999)
        if console.measure(table, options=wide).maximum <= console.width:
            break
    console.print(table)


def print_decisions(console: "Console", decisions: Sequence["Decision"]) -> None:
    """Print what was done with each column of a table; many alike share a line."""
    from rich.markup import escape

    alike: dict[tuple[str, str, int], list[str]] = {}
    for each in decisions:
        alike.setdefault((each.kind, each.done, each.gaps), []).append(each.column)
    rows = []
    for each in decisions:
        columns = alike[each.kind, each.done, each.gaps]
        if len(columns) <= MOST_ALIKE:
            rows.append((each.column, each.kind, str(each.gaps), each.done))
        elif each.column == columns[0]:
            names = listed([list_item(name) for name in columns], 6)
            rows.append((names, each.kind, str(each.gaps), each.done))
    if len(rows) > MOST_LINES:
        more = counted(len(rows) - MOST_LINES, "more line")
        rows[MOST_LINES:] = [(f"... {more}; --json has all", "", "", "")]
    layout: dict[str, Any] = {
        "column": {"overflow": "fold", "ratio": 2},
        "kind": {"no_wrap": True},
        "gaps": {**RIGHT, "no_wrap": True},
        "what was done": {"overflow": "fold", "ratio": 3},
    }
    print_table(console, [(layout, [[*map(escape, row)] for row in rows])])


def print_entries(console: "Console", title: str, entries: Mapping[str, str]) -> None:
    """Print names with their descriptions, which keep their own column where lines are broken."""
    from rich.markup import escape
    from rich.table import Table

    console.print(f"[dim]{title}[/dim]")
    width = max(map(len, entries))
    if not console.is_terminal:
        for name, text in entries.items():
            line = f"  [bold]{escape(name.ljust(width))}[/bold]  {text}"
            console.print(line, soft_wrap=True)
        return
    table = Table(box=None, padding=(0, 0, 0, 2), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in entries.items():
        table.add_row(escape(name), text)
    console.print(table)


def json_text(value: Any) -> str:
    """Return a value as JSON; NaN and infinities, which JSON does not have, become null."""
    return json.dumps(finite(value), ensure_ascii=False, allow_nan=False)
