"""What several commands share: reading options, checking output files, printing, progress."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from hyperna._files import check_writable, is_standard_output, write_file
from hyperna._validation import check_extra, check_integer, check_real
from hyperna._words import counted, finite, list_item, listed, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Console

    from hyperna.tables import Decision

# Columns of a table with their options for rich, and its rows.
Version = tuple[Mapping[str, Any], Iterable[Sequence[str]]]
RIGHT = {"justify": "right"}
# More columns with which the same was done share a line, and no more lines than this are printed.
MOST_ALIKE = 3
MOST_LINES = 60
PICTURE_SUFFIXES = (".png", ".pdf", ".svg")


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


def integer(low: int, high: int | None = None) -> Callable[[str], int]:
    """Return a converter of option values to integers from low to high."""
    return partial(convert, read=int, check=partial(check_integer, low=low, high=high))


def add_run_options(
    parser: argparse.ArgumentParser, names: Iterable[str], helps: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Declare options of a run under their headings, which are returned.

    `helps` says what options mean here, where that is not what they mean in every run.
    """
    from hyperna.run.description import GROUPS, OPTIONS

    wanted = set(names)
    shown_groups = [
        group for group in GROUPS if any(OPTIONS[name].group == group for name in wanted)
    ]
    groups: dict[str, Any] = {group: parser.add_argument_group(group) for group in shown_groups}
    for name, option in OPTIONS.items():
        if name not in wanted:
            continue
        add = groups[option.group].add_argument
        written = f"--{name.replace('_', '-')}"
        told = (helps or {}).get(name, option.help_line)
        if name == "problem":
            parser.add_argument(name, metavar="PROBLEM", help=told)
        elif option.flag and option.default:
            off = f"--no-{name.replace('_', '-')}"
            add(off, dest=name, action="store_false", default=None, help=option.off_help)
        elif option.flag:
            add(written, action="store_true", default=None, help=told)
        elif option.choices:
            add(written, choices=option.choices, help=told)
        else:
            reader = partial(convert, read=option.read, check=option.check)
            add(written, type=reader, metavar=option.metavar, help=told)
    return groups


def names(text: str) -> list[str]:
    """Convert names that are separated by commas."""
    return [name.strip() for name in text.split(",")]


def add_kind_option(parser: argparse.ArgumentParser) -> None:
    """Declare the option that says what columns are."""
    parser.add_argument(
        "--kind",
        type=kind,
        action=Kinds,
        metavar="COLUMN=KIND",
        help="what a column is: number, category, date or date:%%d/%%m/%%Y; may be repeated",
    )


def kind(text: str) -> tuple[str, str]:
    """Convert the value of --kind."""
    name, sign, value = text.rpartition("=")
    if not sign or not name.strip():
        raise argparse.ArgumentTypeError(f"must be COLUMN=KIND, got {shown(text)}")
    return name.strip(), value.strip()


class Kinds(argparse.Action):
    """Collects the values of --kind."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        """Add one column."""
        name, value = values
        known = getattr(namespace, self.dest) or {}
        setattr(namespace, self.dest, {**known, name: value})


def real(low: float, high: float, *, low_open: bool = False) -> Callable[[str], float]:
    """Return a converter of option values to finite numbers from low to high."""
    check = partial(check_real, low=low, high=high, low_open=low_open)
    return partial(convert, read=float, check=check)


def convert(text: str, read: Callable[[str], Any], check: Callable[[str, Any], Any]) -> Any:
    """Read an option's value and check it; argparse puts the option's name before what is wrong."""
    try:
        value = read(text)
    except ValueError:
        value = text
    try:
        return check("value", value)
    except (TypeError, ValueError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None


@contextmanager
def progress_bar(total: int, doing: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show a bar on a terminal; yield what reports (done, total), None without a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress
    from rich.console import Console

    bar = progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(compact=True),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(doing, total=total)

        def report(done: int, total: int) -> None:
            text = doing if done < total else "summing up"
            bar.update(task, completed=done, total=total, description=text)

        yield report


def json_text(value: Any) -> str:
    """Return a value as JSON; NaN and infinities, which JSON does not have, become null."""
    return json.dumps(finite(value), ensure_ascii=False, allow_nan=False)


def check_picture(text: str) -> Path:
    """Return the path of a picture that can be written, or say why it cannot, before any work."""
    path = Path(text)
    if path.suffix.lower() not in PICTURE_SUFFIXES:
        raise ValueError(f"--plot must end in .png, .pdf or .svg, got {shown(text)}")
    check_extra("--plot needs", "matplotlib", "plot")
    check_writable(path)
    return path


def check_film_file(text: str) -> Path:
    """Return the path of a film that can be written, or say why it cannot, before any work."""
    check_extra("--animate needs", "matplotlib", "plot")
    from hyperna.plots.animation import check_film

    try:
        path = check_film(text)
    except ValueError as error:
        raise ValueError(f"--animate: {error}") from None
    check_writable(path)
    return path


def tell_written(path: Path, text: str) -> None:
    """Say what was written to a file; not among the data if that was standard output."""
    print(f"{path}: {text}", file=sys.stderr if is_standard_output(path) else sys.stdout)


def save_figure(path: Path, figure: "Figure") -> None:
    """Write a figure as what the end of the file's name says."""
    picture = BytesIO()
    figure.savefig(picture, format=path.suffix.lower().lstrip("."), dpi=150)
    write_file(path, picture.getvalue())
