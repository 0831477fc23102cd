"""The gallery: each example is a file of ``docs/gallery``, with what it prints and draws beside it.

``python docs/examples.py [NAME ...]`` runs the examples and stores their output and their picture,
the latter on a light and on a dark ground (about two minutes for all). The site is built from
what is stored; a test runs every example and compares what it prints.

The first line of an example's description is its title. An example prints what it found and leaves
its picture in the variable ``figure``.
"""

import argparse
import ast
import contextlib
import io
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "gallery"

# In the order in which they are shown.
SECTIONS = {
    "First steps": ("first_run", "own_problem", "own_law"),
    "Runtimes": ("exact_and_measured", "scaling_law", "landscape", "drift", "cma_es", "campaign"),
    "Higher dimensions": ("spheres", "parity"),
    "A table": ("short_rule", "path", "several_classes", "explain"),
}


@dataclass(frozen=True)
class Example:
    """One file of the gallery, read."""

    name: str
    title: str
    text: str
    code: str

    @property
    def printed(self) -> str:
        """What it printed when it was run last."""
        return (FOLDER / f"{self.name}.txt").read_text(encoding="utf-8")

    @property
    def summary(self) -> str:
        """The first sentence of its text, without links."""
        first = " ".join(self.text.split("\n\n")[0].split())
        return first.partition(". ")[0].rstrip(".:") + "."


@dataclass(frozen=True)
class Outcome:
    """What an example printed, and its figure."""

    printed: str
    figure: Any


def read(name: str) -> Example:
    """Return an example, its description and its code apart."""
    source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    tree = ast.parse(source)
    description = ast.get_docstring(tree) or ""
    title, _, text = description.partition("\n")
    lines = source.splitlines()[tree.body[0].end_lineno :]
    return Example(name, title.rstrip("."), text.strip(), "\n".join(lines).strip() + "\n")


def run(example: Example, *, dark: bool = False) -> Outcome:
    """Run an example in an empty folder."""
    import matplotlib.pyplot as plt

    from hyperna.plots import dark_pictures

    printed = io.StringIO()
    names: dict[str, Any] = {"__name__": "__main__"}
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(printed),
        dark_pictures(dark),
    ):
        exec(compile(example.code, f"{example.name}.py", "exec"), names)
    plt.close("all")
    lines = [line.rstrip() for line in printed.getvalue().rstrip().splitlines()]
    return Outcome("\n".join(lines) + "\n", names["figure"])


# ---- pages of the site


def pages() -> dict[str, str]:
    """The page of each example, and the one that shows all of them."""
    made = {}
    lines = [
        "# Gallery",
        "",
        "Each example is one screen of code that you can copy, with what it prints and draws. "
        'Pictures need `python -m pip install ".[plot]"`.',
        "",
    ]
    listed = []
    for section, names in SECTIONS.items():
        lines += [f"## {section}", "", "::::{grid} 1 2 2 2", ":gutter: 3", ""]
        for name in names:
            example = read(name)
            made[f"gallery_{name}.md"] = page(example)
            lines += card(example)
            listed.append(f"gallery_{name}")
        lines += ["::::", ""]
    lines += ["```{toctree}", ":hidden:", "", *listed, "```", ""]
    return {"gallery.md": "\n".join(lines), **made}


def card(example: Example) -> list[str]:
    """The lines of a card that leads to the page of an example."""
    return [
        f":::{{grid-item-card}} {example.title}",
        f":link: gallery_{example.name}",
        ":link-type: doc",
        ":class-card: example",
        "",
        *pictures(example),
        example.summary,
        ":::",
        "",
    ]


def page(example: Example) -> str:
    """The page of an example: what it is about, its picture, its code and what that prints."""
    lines = [
        f"# {example.title}",
        "",
        example.text,
        "",
        *pictures(example),
        "```python",
        example.code.rstrip(),
        "```",
        "",
        "It prints:",
        "",
        "```text",
        example.printed.rstrip(),
        "```",
        "",
        f"{{download}}`{example.name}.py <../gallery/{example.name}.py>`",
        "",
    ]
    return "\n".join(lines)


def pictures(example: Example) -> list[str]:
    """The light and the dark picture, of which the site shows one."""
    lines = []
    for file, kind in (
        (f"{example.name}.png", "only-light"),
        (f"{example.name}_dark.png", "only-dark"),
    ):
        lines += [
            f"```{{image}} ../gallery/{file}",
            f":class: {kind}",
            f":alt: {example.title}",
            "```",
            "",
        ]
    return lines


# ---- what is stored


def store(example: Example) -> None:
    """Run an example twice and store its output and both pictures."""
    from draw import save

    from hyperna.plots import dark_pictures

    for suffix, dark in (("", False), ("_dark", True)):
        outcome = run(example, dark=dark)
        with dark_pictures(dark):
            save(outcome.figure, FOLDER / f"{example.name}{suffix}.png")
    (FOLDER / f"{example.name}.txt").write_text(outcome.printed, encoding="utf-8")


def main() -> None:
    """Run and store all examples, or those named."""
    known = [name for names in SECTIONS.values() for name in names]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(known)} (default: all)")
    for name in parser.parse_args().names or known:
        print(name, flush=True)
        store(read(name))


if __name__ == "__main__":
    main()
