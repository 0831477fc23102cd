"""Build the documentation site: ``python docs/build.py [FOLDER]`` (about a minute, no network).

Warnings are errors, among them links to pages and headings that do not exist. Afterwards every link
and every picture in the built pages is looked up, and nothing may be loaded from another host.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

DOCS = Path(__file__).parent


class Page(HTMLParser):
    """Identifiers, links and loaded files of one page."""

    def __init__(self) -> None:
        super().__init__()
        self.identifiers: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what a tag names or loads."""
        found = dict(attrs)
        self.identifiers |= {found[key] or "" for key in ("id", "name") if key in found}
        target = found.get("href") or found.get("src") or ""
        if not target:
            return
        if tag == "a":
            self.links.append(target)
        elif found.get("rel") not in ("canonical", "search", "index", "next", "prev", "author"):
            self.loaded.append(target)


def read_pages(folder: Path) -> dict[Path, Page]:
    """Return all pages of a built site."""
    pages = {}
    for path in sorted(set(folder.rglob("*.html")) - set((folder / "_static").rglob("*"))):
        pages[path.resolve()] = page = Page()
        page.feed(path.read_text(encoding="utf-8"))
    return pages


def broken_links(folder: Path) -> list[str]:
    """Return links to what does not exist, and loads from elsewhere."""
    pages = read_pages(folder)
    problems = []
    for path, page in pages.items():
        name = path.relative_to(folder.resolve())
        for target in page.loaded:
            if urlsplit(target).netloc:
                problems.append(f"{name} loads {target}")
        for target in {*page.links, *page.loaded}:
            place = urlsplit(target)
            if place.scheme or place.netloc:
                continue
            there = (path.parent / unquote(place.path)).resolve() if place.path else path
            if there.is_dir():
                there /= "index.html"
            if not there.exists():
                problems.append(f"{name} links to {target}, which does not exist")
            elif place.fragment and there in pages and there.name != "play.html":  # that is a scene
                known = pages[there].identifiers
                if unquote(place.fragment) not in known and place.fragment != "main-content":
                    problems.append(f"{name} links to {target}, a heading that does not exist")
    return problems


def main() -> int:
    """Build, then check."""
    from sphinx.cmd.build import build_main

    folder = Path(sys.argv[1] if len(sys.argv) > 1 else DOCS / "_build" / "html")
    trees = folder.parent / "doctrees"
    code = build_main(
        ["-b", "html", "-W", "--keep-going", "-q", "-d", str(trees), str(DOCS), str(folder)]
    )
    if code:
        return code
    problems = broken_links(folder)
    print(
        "\n".join(problems)
        or f"{folder / 'index.html'}: {len(read_pages(folder))} pages, no broken link"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
