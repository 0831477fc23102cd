"""Pages that are made of the package itself, so that they cannot go stale.

The reference of public names, of the command line and of what is registered, the notebooks and the
pages of findings: all are written into the folder ``_made`` before each build.
"""

import argparse
import re
import shutil
from pathlib import Path

import examples

import hyperna
import hyperna.plots
from hyperna.cli import build_parser
from hyperna.play.build import build_page

# In the order in which they are shown.
TITLES = {
    "run.algorithm": "The algorithm",
    "problems": "Problems",
    "mutation": "Mutation laws",
    "run.results": "Results",
    "classifier": "Classifier",
    "models": "Tables and files of models",
    "problems.optimal": "Best half-space",
    "comparison": "Comparisons",
    "datasets": "Data sets",
    "theory": "Exact runtimes",
    "experiments.campaign": "Campaigns",
    "experiments.store": "Stores",
    "parallel": "Parallel computing",
    "run.relatives": "Relatives of the (1+1) NA",
    "fitness": "Fitness",
    "network.networks": "Networks",
    "network.grid": "Grids",
    "fitness.sampling": "Points on the sphere",
}


def write_all(docs: Path) -> None:
    """Write all made pages; files that stay the same keep their time, so that builds are quick."""
    made = docs / "_made"
    pages = {
        "names.rst": names_page(),
        "commands.md": commands_page(),
        "registered.md": registered_page(),
        **examples.pages(),
        **findings_pages(docs.parent),
    }
    for path in sorted((docs.parent / "notebooks").glob("*.ipynb")):
        text = path.read_text(encoding="utf-8").replace("(campaigns/", "(finding_")
        pages[path.name] = text.replace("(../docs/", "(../")
    made.mkdir(exist_ok=True)
    for path in made.iterdir():
        if path.is_file() and path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        target = made / name
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")
    shutil.copy(docs.parent / "hyperna" / "play" / "page" / "icon.svg", docs / "_static")
    # The play page, which is one file and part of the site as it is.
    extra = docs / "_extra"
    extra.mkdir(exist_ok=True)
    (extra / "play.html").write_text(build_page(home="index.html").html, encoding="utf-8")


def names_page() -> str:
    """The reference of all public names, by the part of the package they live in."""
    lines = ["Public names", "============", "", "All names that ``import hyperna`` provides.", ""]
    modules = {module: hyperna._PUBLIC[module] for module in TITLES} | hyperna._PUBLIC
    for module, names in modules.items():
        title = TITLES.get(module, module.rpartition(".")[2].replace("_", " ").capitalize())
        documented = [name for name in names if callable(getattr(hyperna, name))]
        tables = [name for name in names if name not in documented]
        lines += [title, "-" * len(title), ""]
        if documented:
            lines += [
                ".. currentmodule:: hyperna",
                "",
                ".. autosummary::",
                "   :toctree: names",
                "",
            ]
            lines += [f"   {name}" for name in documented] + [""]
        for name in tables:
            entries = getattr(hyperna, name)
            if hasattr(entries, "keys"):
                lines += [f"``hyperna.{name}``: {', '.join(f'``{key}``' for key in entries)}.", ""]
    title = "Pictures and films"
    lines += [title, "-" * len(title), "", "In ``hyperna.plots``; they need ``hyperna[plot]``.", ""]
    lines += [".. currentmodule:: hyperna.plots", "", ".. autosummary::", "   :toctree: names", ""]
    lines += [f"   {name}" for name in hyperna.plots.__all__]
    return "\n".join(lines) + "\n"


def commands_page() -> str:
    """The help of every command."""
    parser = build_parser()
    parser.formatter_class = lambda prog: argparse.HelpFormatter(prog, width=90)
    found = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    lines = [
        "# Commands",
        "",
        "This is what `hyperna COMMAND --help` prints. Bad input ends with a one-line message on",
        "standard error and exit code 2; an interrupted command ends with exit code 130.",
        "",
    ]
    for name, command in found.choices.items():
        lines += [f"## hyperna {name}", "", *_help(command)]
        for action in command._actions:
            if isinstance(action, argparse._SubParsersAction):
                for part, inner in action.choices.items():
                    lines += [f"### hyperna {name} {part}", "", *_help(inner)]
    return "\n".join(lines)


def _help(parser: argparse.ArgumentParser) -> list[str]:
    chosen = parser.formatter_class
    parser.formatter_class = lambda prog: chosen(prog, width=90)  # the width of no terminal
    return ["```text", parser.format_help().rstrip(), "```", ""]


def registered_page() -> str:
    """Everything that can be named on the command line, with a line on each."""
    from hyperna.cli.list import catalogue

    lines = ["# Names on the command line", "", "This is what `hyperna list` prints.", ""]
    for title, entries in catalogue().items():
        lines += [f"## {title.capitalize()}", "", "| name | what it is |", "|---|---|"]
        lines += [f"| `{name}` | {_cell(str(text))} |" for name, text in entries.items()]
        lines += [""]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return re.sub(r"([|$*_])", r"\\\1", text)


def findings_pages(root: Path) -> dict[str, str]:
    """The pages of the campaigns, and a page with the figures of the paper's reproduction."""
    folder = root / "notebooks" / "campaigns"
    pages = {}
    for path in sorted(folder.glob("*.md")):
        if path.name == "README.md":
            continue
        text = answer_first(path.read_text(encoding="utf-8"))
        text = re.sub(r"\]\((\w+)\.md", lambda found: f"]({_finding(found[1])}.md", text)
        campaign = folder / f"{path.stem}.toml"
        if campaign.exists():
            block = f"```toml\n{campaign.read_text(encoding='utf-8')}```"
            anchor = f"campaign-{path.stem}"
            text = f"{text.rstrip()}\n\n({anchor})=\n## The campaign\n\n{block}\n"
            text = re.sub(r"\]\(\w+\.toml\)", f"](#{anchor})", text)
        if path.stem == "theorems":
            text += "\n```{toctree}\n:hidden:\n:glob:\n\ntheorem_*\n```\n"
        pages[f"{_finding(path.stem)}.md"] = text
    return pages


def answer_first(text: str) -> str:
    """A page of findings with what was found before the method and the tables."""
    title, _, rest = text.partition("\n")
    method, _, found = rest.partition("\n## What it says\n")
    found, _, source = found.rstrip().rpartition("\n\n")
    return (
        f"{title}\n\n## What was found\n{found}\n\n"
        f"## How it was measured\n{method.rstrip()}\n\n{source}\n"
    )


def _finding(name: str) -> str:
    """The name of a page of findings; those of single theorems belong to the page on all."""
    return name if name.startswith("theorem_") else f"finding_{name}"
