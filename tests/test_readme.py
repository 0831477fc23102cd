"""What the README shows must work: its Python runs, its commands parse, its files exist."""

import re
import shlex
from importlib.metadata import version
from pathlib import Path

import pytest

from hyperna.cli import build_parser

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
COMMANDS = [
    *re.findall(r"(?:^|&& )(hyperna .*?)$", README, flags=re.MULTILINE),
    *re.findall(r"`(hyperna (?!COMMAND)[a-z]+ [^`]*)`", README),
]


def test_there_is_something_to_check():
    assert len(PYTHON) >= 3
    assert len(COMMANDS) >= 6


def heading(code):
    """Name a block after the section it stands in."""
    return re.findall(r"^## (.*)", README[: README.index(code)], flags=re.MULTILINE)[-1]


@pytest.mark.parametrize("code", PYTHON, ids=heading)
def test_python_blocks_run(code, tmp_path, monkeypatch, capsys):
    for word, package in {"Objective": "ioh", "iohinspector": "iohinspector"}.items():
        if word in code:
            pytest.importorskip(package)
    if "iohinspector" in code and version("polars") >= "2":
        pytest.skip("iohinspector needs polars < 2")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    assert capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_parse(command):
    words = shlex.split(command)[1:]
    if "--help" not in words:
        assert build_parser().parse_args(words).command == words[0]


def test_linked_sections_exist():
    sections = re.findall(r"^## (.*)", README, flags=re.MULTILINE)
    anchors = {re.sub(r"[^\w-]", "", title.lower().replace(" ", "-")) for title in sections}
    assert set(re.findall(r"\]\(#([^)]+)\)", README)) <= anchors


def test_linked_files_exist():
    for target in re.findall(r"\]\((?!https?:|#)([^)]+)\)", README):
        assert (ROOT / target).exists(), target
