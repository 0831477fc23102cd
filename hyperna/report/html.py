"""Pieces of HTML: every text is escaped here and nowhere else."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from hyperna._words import NOTHING, number


class Markup(str):
    """Text that is HTML already; everything else is escaped."""


def markup(value: Any) -> Markup:
    """Return a value as HTML.

    Control characters, which HTML forbids even as references, become replacement characters.

    Examples
    --------
    >>> markup("<script>")
    '&lt;script&gt;'
    >>> markup(Markup("<b>"))
    '<b>'
    """
    if isinstance(value, Markup):
        return value
    text = "".join(c if c.isprintable() or c in "\n\t\u00a0" else "\ufffd" for c in str(value))
    return Markup(escape(text))


def tag(name: str, *children: Any, **attributes: Any) -> Markup:
    """Return an element; attributes end in an underscore where Python has the word.

    Examples
    --------
    >>> tag("a", "x < y", href="#top", class_="link")
    '<a href="#top" class="link">x &lt; y</a>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{markup(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{given}>{join(children)}</{name}>")


def join(children: Iterable[Any], between: str = "") -> Markup:
    """Return pieces one after another."""
    return Markup(between.join(markup(child) for child in children))


@dataclass(frozen=True)
class TableCell:
    """A cell of a table: what is shown, what it is sorted by, and what it is made of."""

    content: Any
    value: float | str | None = None
    title: str | None = None


def interval_cell(value: float, interval: Sequence[float], title: str) -> TableCell:
    """Return a number with its interval below."""
    low, high = interval
    ends = tag("small", f"{number(low)} – {number(high)}")
    return TableCell(join([number(value), " ", ends]), value, title)


def table(
    columns: Sequence[str], rows: Sequence[Sequence[TableCell | Any]], caption: Any
) -> Markup:
    """Return a table that can be sorted by its columns."""
    kinds = ["n" if any(_is_number(row[i]) for row in rows) else None for i in range(len(columns))]
    head = [
        tag("th", tag("button", name, type="button"), scope="col", aria_sort="none", class_=kind)
        for name, kind in zip(columns, kinds, strict=True)
    ]
    body = [tag("tr", *map(_cell, row, columns, kinds)) for row in rows]
    made = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *head)),
        tag("tbody", *body),
        class_="sortable",
    )
    return tag("div", made, class_="table")


def _cell(cell: TableCell | Any, label: str, kind: str | None) -> Markup:
    if not isinstance(cell, TableCell):
        cell = TableCell(cell)
    classes = [kind] if kind else []
    if cell.content == NOTHING:
        classes.append("none")
    return tag(
        "td",
        cell.content,
        data_label=label,
        data_v=None if cell.value is None else f"{cell.value}",
        title=cell.title,
        class_=" ".join(classes) or None,
    )


def _is_number(cell: TableCell | Any) -> bool:
    return isinstance(cell, TableCell) and isinstance(cell.value, float | int)
