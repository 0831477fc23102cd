"""The page as one HTML file that needs nothing else: style, code and facts are inside it.

The code is written as JavaScript modules in the folder ``page``. A page opened as a file may load
no modules, so they are put one after the other into one script, each in a function of its own.
"""

import base64
import hashlib
import json
import posixpath
import re
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from hyperna.play.facts import page_facts

_ROOT = files("hyperna.play") / "page"
_FIRST = "app/main.js"
_IMPORT = re.compile(r'^import\s*\{([^}]*)\}\s*from\s*"([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export\s+((?:async\s+)?function\*?|class|const|let)\s+(\w+)", re.MULTILINE)


class Page(NamedTuple):
    """A page, and what a Content-Security-Policy must allow for it to work."""

    html: str
    script_hash: str
    style_hash: str


def build_page(start: str = "#", served: bool = False, home: str = "") -> Page:
    """Return the page.

    Parameters
    ----------
    start : str
        What is shown if the address does not say it, as in ``"#scene=race"``.
    served : bool
        Whether `hyperna.play.PlayServer` answers its questions.
    home : str
        The address of the documentation, to which the name of the page leads; empty for a page that
        stands by itself.

    Examples
    --------
    >>> page = build_page("#scene=race").html
    >>> page.startswith("<!doctype html>"), "import {" in page
    (True, False)
    """
    style = _read("style.css")
    code = _bundle()
    # Nothing in a script may look like its end.
    told = {**page_facts(), "start": start, "served": served, "home": home}
    facts = json.dumps(told).replace("</", "<\\/")
    icon = base64.b64encode(_read("icon.svg").encode()).decode()
    html = _read("index.html")
    for mark, text in (
        ("/* style */", style),
        ("/* facts */", facts),
        ("/* code */", code),
        ('href="icon"', f'href="data:image/svg+xml;base64,{icon}"'),
    ):
        before, found, after = html.partition(mark)
        assert found, mark
        html = before + text + after
    return Page(html, _hash(code), _hash(style))


@lru_cache(maxsize=1)
def _bundle() -> str:
    """Return all modules as one script, each after those that it imports."""
    parts: dict[str, str] = {}

    def add(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise ValueError(f"modules import each other: {' -> '.join((*above, name))}")
        if name in parts:
            return
        text = _read(name)
        for _, source in _IMPORT.findall(text):
            add(_resolve(name, source), (*above, name))
        parts[name] = _as_function(name, text)

    add(_FIRST, ())
    script = "\n".join(['"use strict";', "const modules = {};", *parts.values()])
    assert "</script" not in script
    return script


def _resolve(module: str, source: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(module), source))


def _as_function(name: str, text: str) -> str:
    """Return a module as a function that is called at once; what it exports is what it returns."""
    exported = ", ".join(found for _, found in _EXPORT.findall(text))
    body = _EXPORT.sub(r"\1 \2", text)
    body = _IMPORT.sub(
        lambda found: f'const {{{found[1]}}} = modules["{_resolve(name, found[2])}"];\n', body
    )
    left = re.search(r"^(import|export)\b.*", body, re.MULTILINE)
    if left:
        raise ValueError(f"{name}: cannot bundle {left[0]!r}")
    return f'modules["{name}"] = (() => {{\n{body}return {{ {exported} }};\n}})();'


def _read(name: str) -> str:
    return _ROOT.joinpath(*name.split("/")).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the hash by which a Content-Security-Policy allows a script or a style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
