"""The page: sections from numbers, one file with all that it needs."""

import base64
import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

from hyperna._files import write_file
from hyperna._words import are, counted
from hyperna.experiments.locking import explained
from hyperna.experiments.store import Store
from hyperna.report.dimensions import by_dimension, dimensions_section
from hyperna.report.groups import groups
from hyperna.report.html import Markup, tag
from hyperna.report.numbers import Entry
from hyperna.report.rerun import versions
from hyperna.report.sections import (
    meaning_section,
    overview,
    problems_section,
    rerun_section,
    results_section,
    settings_section,
)

# The page itself holds at most this many rows; of more it gives the numbers and a digest.
MOST_ROWS = 20_000


def write_report(store: Store, path: str | Path, title: str | None = None) -> int:
    """Write the report of a store into a file and return how many runs it is about.

    The file is replaced only when the new page is complete.

    Parameters
    ----------
    store : Store
        Finished runs.
    path : path
        The page, as in ``report.html``.
    title : str, optional
        Its heading; by default the store's name.

    Examples
    --------
    >>> import tempfile
    >>> from hyperna.experiments.campaign import Campaign
    >>> campaign = Campaign.product(problem="half", resolution=[60, 120], runs=20)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = campaign.run(f"{folder}/half.store")
    ...     runs = write_report(store, f"{folder}/report.html")
    ...     page = Path(folder, "report.html").read_text(encoding="utf-8")
    >>> runs, page.count("<svg"), "http://" in page
    (40, 3, False)
    """
    file = Path(path)
    entries = read_entries(store)
    heading = title or f"Runs in {store.path.resolve().name}"
    missing = sum(max(0, entry.wanted - entry.done) for entry in store.status())
    text = make_page(entries, heading, datetime.now(UTC), missing)
    with explained(file):
        write_file(file, text)
    return sum(len(one.stored) for one in entries)


def read_entries(store: Store) -> list[Entry]:
    """Return the settings of a store that have runs, in the order in which they were wanted."""
    wanted = store.wanted()
    found = store.runs()
    if not found:
        raise ValueError(f"{store.path} holds no runs yet; run its campaign first")
    return [Entry(runs, wanted.get(runs.setting, len(runs))) for runs in found]


def make_page(entries: Sequence[Entry], title: str, made: datetime, missing: int = 0) -> str:
    """Return the text of the page; `missing` runs are planned but not stored."""
    script = _resource("page.js")
    style = _resource("page.css")
    found = groups(entries)
    grown = by_dimension(entries)
    sections = [("problems", "What was asked and found", problems_section(found))]
    if grown:
        text = dimensions_section(grown)
        sections.append(("dimensions", "Growth with the dimension", text))
    sections += [
        ("results", "All numbers", results_section(entries)),
        ("settings", "Settings and runs", settings_section(entries, found)),
        ("rerun", "How to rerun", rerun_section(entries)),
        ("meaning", "What the numbers mean", meaning_section()),
    ]
    links = [tag("a", heading, href=f"#{name}") for name, heading, _ in sections]
    runs = sum(len(one.stored) for one in entries)
    lead = (
        f"How many evaluations does evolution need? {counted(runs, 'run')} of "
        f"{counted(len(entries), 'setting')} on {counted(len(found), 'problem')}; "
        f"{sum(one.summary.successes for one in entries):,} succeeded. "
    )
    if missing:
        lead += f"{counted(missing, 'more run')} {are(missing)} planned but not stored yet. "
    used = ", ".join(f"{name} {version}" for name, version in versions().items())
    body = [
        tag("header", tag("h1", title), tag("p", lead), overview(found), tag("nav", *links)),
        tag("main", *(tag("section", tag("h2", head), text, id=n) for n, head, text in sections)),
        tag("footer", tag("p", f"Made on {made:%Y-%m-%d %H:%M} UTC by {used}."), class_="quiet"),
        # Of a type that browsers do not run.
        tag("script", _json(entries, title, made), type="application/json", id="data"),
        tag("script", Markup(script)),
    ]
    # The page loads nothing and runs no script but its own.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    head = [
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        tag("title", title),
        tag("style", Markup(style)),
    ]
    page = tag("html", tag("head", *head), tag("body", *body), lang="en")
    return f"<!doctype html>\n{page}\n"


def _resource(name: str) -> str:
    return files("hyperna.report").joinpath(name).read_text(encoding="utf-8")


def _json(entries: Sequence[Entry], title: str, made: datetime) -> Markup:
    """Return the numbers behind the page; no text in it can end the element it stands in."""
    small = sum(len(one.stored) for one in entries) <= MOST_ROWS
    content: dict[str, Any] = {
        "title": title,
        "made": made.isoformat(timespec="seconds"),
        "versions": versions(),
        "settings": [one.data(with_rows=small) for one in entries],
    }
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))
