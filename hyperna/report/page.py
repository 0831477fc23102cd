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
from hyperna.report.html import Markup, join, tag
from hyperna.report.numbers import Summary, contests, families
from hyperna.report.rerun import versions
from hyperna.report.sections import (
    comparisons_section,
    growth_section,
    meaning_section,
    rerun_section,
    results_section,
    settings_section,
)
from hyperna.store.files import explained
from hyperna.store.replay import stored_runs
from hyperna.store.store import Store

# Up to so many rows lie in the page itself; beyond, it names them and gives their digest.
MOST_ROWS = 20_000


def write_report(store: Store, path: str | Path, title: str | None = None) -> int:
    """Write the report of a store into a file and return how many runs it is about.

    The file is there completely or not at all; what was there before stays until then.

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
    >>> from hyperna.campaign.campaign import Campaign
    >>> campaign = Campaign.product(problem="half", resolution=[60, 120], runs=20)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = campaign.run(f"{folder}/half.store")
    ...     runs = write_report(store, f"{folder}/report.html")
    ...     page = Path(folder, "report.html").read_text(encoding="utf-8")
    >>> runs, page.count("<svg"), "http://" in page
    (40, 2, False)
    """
    file = Path(path)
    summaries = summarise(store)
    heading = title or f"Runs in {store.path.resolve().name}"
    missing = sum(max(0, entry.wanted - entry.done) for entry in store.status())
    text = make_page(summaries, heading, datetime.now(UTC), missing)
    with explained(file):
        write_file(file, text)
    return sum(one.runs for one in summaries)


def summarise(store: Store) -> list[Summary]:
    """Return the settings of a store that have runs, in the order of its plan."""
    plan = store.plan()
    found = stored_runs(store)
    if not found:
        raise ValueError(f"{store.path} holds no runs yet; run its campaign first")
    return [Summary(runs, plan.get(runs.setting, len(runs))) for runs in found]


def make_page(summaries: Sequence[Summary], title: str, made: datetime, missing: int = 0) -> str:
    """Return the text of the page; `missing` runs are planned but not stored."""
    script, style = _resource("page.js"), _resource("page.css")
    sections = [
        ("results", "Results", results_section(summaries)),
        ("growth", "Over time and resolution", growth_section(families(summaries))),
        ("comparisons", "Algorithms compared", comparisons_section(contests(summaries))),
        ("settings", "Settings and rows", settings_section(summaries)),
        ("rerun", "How to rerun", rerun_section(summaries)),
        ("meaning", "What the numbers mean", meaning_section()),
    ]
    shown = [(name, heading, content) for name, heading, content in sections if content]
    links = [tag("a", heading, href=f"#{name}") for name, heading, _ in shown]
    body = [
        tag("header", tag("h1", title), _lead(summaries, made, missing), tag("nav", *links)),
        tag("main", *(_section(*section) for section in shown)),
        # Of a type that browsers do not run.
        tag("script", _json(summaries, title, made), type="application/json", id="data"),
        tag("script", Markup(script)),
    ]
    head = [
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{_policy(script)}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        tag("title", title),
        tag("style", Markup(style)),
    ]
    page = tag("html", tag("head", *head), tag("body", *body), lang="en")
    return f"<!doctype html>\n{page}\n"


def _resource(name: str) -> str:
    return files("hyperna.report").joinpath(name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """Return a policy that lets the page load nothing and run no script but its own."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _lead(summaries: Sequence[Summary], made: datetime, missing: int) -> Markup:
    runs, solved = sum(s.runs for s in summaries), sum(s.successes for s in summaries)
    settings = counted(len(summaries), "setting")
    text = f"{counted(runs, 'run')} of {settings}; {solved:,} succeeded. "
    if missing:
        text += f"{counted(missing, 'more run')} {are(missing)} planned but not stored yet. "
    software = ", ".join(f"{name} {version}" for name, version in versions().items())
    when = f"{made:%Y-%m-%d %H:%M} UTC"
    return join([tag("p", text), tag("p", f"Made on {when} by {software}.", class_="quiet")])


def _section(name: str, heading: str, content: Markup) -> Markup:
    return tag("section", tag("h2", heading), content, id=name)


def _json(summaries: Sequence[Summary], title: str, made: datetime) -> Markup:
    """Return the numbers behind the page; no text in it can end the element it stands in."""
    small = sum(one.runs for one in summaries) <= MOST_ROWS
    content: dict[str, Any] = {
        "title": title,
        "made": made.isoformat(timespec="seconds"),
        "versions": versions(),
        "settings": [one.record(with_rows=small) for one in summaries],
    }
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))
