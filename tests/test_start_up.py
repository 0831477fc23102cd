"""hyperna starts from wherever it lies and however Python is told to run it."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import hyperna
from hyperna.cli import main
from hyperna.comparison import GROUPS

ROOT = Path(hyperna.__file__).parent


def python(*words, path=ROOT.parent, **environment):
    process = subprocess.run(
        [sys.executable, *words],
        cwd=path if path.is_dir() else path.parent,
        env={**os.environ, "PYTHONPATH": str(path), "COLUMNS": "200", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return process


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The package in a zip file, as zipapps and some clusters ship it."""
    file = tmp_path_factory.mktemp("archive") / "hyperna.zip"
    with zipfile.ZipFile(file, "w") as made:
        for path in ROOT.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                made.write(path, path.relative_to(ROOT.parent))
    return file


def test_it_is_imported_from_a_zip_file(archive):
    code = """
import hyperna, sys
assert ".zip" in hyperna.__file__
for name in hyperna.__all__:
    getattr(hyperna, name)
from hyperna.cli import main
from hyperna.comparison import GROUPS
print(hyperna.OnePlusOneNA().run("quarter", seed=5).evaluations)
assert main(["list"]) == 0
assert main(["reproduce", "--table", "1", "--quick", "--runs", "2", "--jobs", "1"]) == 0
"""
    found = python("-c", code, path=archive, NUMBA_DISABLE_JIT="1").stdout
    assert found.startswith(f"{hyperna.OnePlusOneNA().run('quarter', seed=5).evaluations}\n")


def test_where_nothing_can_be_stored_nobody_says_that_it_is():
    nowhere = """
import numba

def no_folder(self):
    raise RuntimeError("cannot cache function: no locator available")  # as numba says it

type(numba.njit(lambda x: x)).enable_caching = no_folder
"""
    code = """
from hyperna._kernels import announcement, judging

class Dispatcher:
    def py_func(self):
        pass

Dispatcher.py_func.__module__ = "hyperna._kernels.loop"
Dispatcher.py_func.__name__ = "run_batch"
announcement.announce(Dispatcher)
"""
    for before, words in ((nowhere, "every process does so"), ("", "the code is stored")):
        told = python("-c", before + code, HYPERNA_QUIET="", NUMBA_DISABLE_JIT="0").stderr
        [line] = told.splitlines()
        assert words in line
        assert ("NUMBA_CACHE_DIR" in line) == bool(before)


def test_code_that_cannot_be_stored_after_all_is_said_not_to_be(capsys, monkeypatch):
    from hyperna._kernels import announcement

    monkeypatch.setattr(announcement, "announced", True)
    monkeypatch.setattr(announcement, "stored", True)
    monkeypatch.delenv("HYPERNA_QUIET", raising=False)
    for _ in range(2):
        announcement.say_not_stored(OSError(28, "No space left on device"))
    [line] = capsys.readouterr().err.splitlines()
    assert "cannot be stored" in line
    assert "No space left on device" in line


@pytest.mark.slow
def test_help_is_the_same_without_docstrings():
    code = """
from hyperna.cli import COMMANDS, build_parser
parser = build_parser()
print(parser.format_help())
for name in COMMANDS:
    print(parser._subparsers._group_actions[0].choices[name].format_help())
"""
    told = python("-OO", "-c", code).stdout
    assert told == python("-c", code).stdout
    assert "watch" in told.lower()


def test_lists_are_json_where_that_is_asked_for(capsys):
    assert main(["compare", "--list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert set(listed) == {*hyperna.CLASSIFIERS, *GROUPS}
    # what has to be installed for a classifier follows its summary
    assert all(listed[name].startswith(one.summary) for name, one in hyperna.CLASSIFIERS.items())
    for name, members in GROUPS.items():
        assert all(member in listed[name] for member in members)
    for words in (["list", "--json"], ["dataset", "--list", "--json"]):
        assert main(words) == 0
        json.loads(capsys.readouterr().out)
    assert main(["compare", "--list", "--markdown"]) == 2
    assert main(["compare", "--list", "--json", "--all"]) == 2
    assert main(["run", "half", "--runs", "2", "--json", "--rule"]) == 0
    shown = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert ">=" in shown["rule"]
