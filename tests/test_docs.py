"""What README, site and guides show must work: all their code runs, page by page."""

import ast
import re
import shlex
from contextlib import suppress
from itertools import pairwise
from operator import attrgetter
from pathlib import Path

import pytest

import hyperna
from hyperna.baselines import BASELINES
from hyperna.cli import build_parser, main

ROOT = Path(__file__).parent.parent
SITE = sorted(
    path
    for path in (ROOT / "docs").rglob("*.md")
    if not {"_made", "_build", "_extra"} & set(path.relative_to(ROOT / "docs").parts)
)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *SITE]
FENCE = re.compile(
    r"(?:<!-- (?P<mark>[^>]*) -->\n)?```(?P<kind>[a-z]+)\n(?P<code>.*?)^```$",
    flags=re.DOTALL | re.MULTILINE,
)
# Pages whose examples compile many kernels that nothing else needs.
SLOW = (
    "docs/explanation/exact_runtimes.md",
    "docs/howto/exact_runtimes.md",
    "docs/howto/variants.md",
    "docs/howto/relatives.md",
    "docs/howto/films.md",
    "docs/howto/talks.md",
    "docs/howto/figures.md",
    "docs/tutorials/higher_dimensions.md",
    "docs/tutorials/runtime_analyst.md",
    "docs/tutorials/scikit_learn.md",
)
RUN = ("python", "bash")
# Shown, not run: settings of other programs, output, files.
SHOWN = ("text", "toml", "dockerfile", "html")


def name_of(path):
    return str(path.relative_to(ROOT))


def blocks(path):
    """The mark, the kind and the code of all blocks that are not Sphinx's own."""
    found = FENCE.finditer(path.read_text(encoding="utf-8"))
    return [(match["mark"] or "", match["kind"], match["code"]) for match in found]


def commands(code):
    """The calls of hyperna in a block of shell."""
    lines = code.replace("\\\n", " ").splitlines()
    parts = [part.strip() for line in lines for part in line.split("&&")]
    return [shlex.split(part)[1:] for part in parts if part.startswith("hyperna ")]


def without_digits(text, loose):
    """The text, with the same sign for every number where these may differ."""
    return re.sub(r"[0-9.]+", "0", text) if loose else text


@pytest.fixture
def _registries_as_they_were():
    tables = (hyperna.LAWS, hyperna.PROBLEMS, BASELINES)
    before = [dict(table) for table in tables]
    yield
    for table, kept in zip(tables, before, strict=True):
        table.clear()
        table.update(kept)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=name_of(path), marks=[pytest.mark.slow] * (name_of(path) in SLOW))
        for path in PAGES
        if blocks(path)
    ],
)
@pytest.mark.usefixtures("_registries_as_they_were")
def test_all_code_of_a_page_runs(path, tmp_path, monkeypatch, capsys):
    plt = pytest.importorskip("matplotlib.pyplot")
    if "interop" in path.read_text(encoding="utf-8"):
        pytest.importorskip("ioh")
    for name in ("datasets", "notebooks"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    space = {"__name__": "page"}
    before = printed = ""
    for mark, kind, code in blocks(path):
        assert kind in (*RUN, *SHOWN), f"say what {kind} is"
        if mark.startswith("not run: "):
            continue
        if mark.startswith("file: "):
            Path(mark.split()[1]).write_text(before, encoding="utf-8")
        if mark == "rule" or mark.startswith("output"):
            loose = mark in ("rule", "output, digits may differ")
            assert loose or mark == "output", mark
            assert without_digits(printed, loose) == without_digits(code, loose)
        if kind == "python":
            capsys.readouterr()
            exec(compile(code, name_of(path), "exec"), space)
            printed = capsys.readouterr().out
        elif kind == "bash":
            for argv in commands(code):
                assert main(argv) == 0, (argv, capsys.readouterr().err)
        before = code
    plt.close("all")


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_names_in_code_that_is_not_run_exist(path):
    for mark, kind, code in blocks(path):
        if mark.startswith("not run: ") and kind == "python":
            for name in map(ast.unparse, filter(is_attribute, ast.walk(ast.parse(code)))):
                if name.startswith("hyperna."):
                    attrgetter(name.removeprefix("hyperna."))(hyperna)


def is_attribute(node):
    return isinstance(node, ast.Attribute)


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_commands_in_sentences_exist(path, capsys):
    for text in re.findall(r"`(hyperna (?!COMMAND)[a-z]+[^`]*)`", path.read_text(encoding="utf-8")):
        command, *words = shlex.split(text)[1:]
        known = ""
        for argv in ([command], [command, *words[:1]]):
            with suppress(SystemExit, ValueError):
                build_parser().parse_args([*argv, "--help"])
            known += capsys.readouterr().out
        assert f"hyperna {command}" in known, text
        for option in re.findall(r"--?[a-z][a-z-]*", " ".join(w for w in words if w[0] == "-")):
            assert option in known, text


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_linked_files_exist(path):
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        assert (path.parent / target).exists() or "_made" in target, target


@pytest.mark.parametrize("path", SITE, ids=name_of)
def test_headings_do_not_jump(path):
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    levels = [len(marks) for marks in re.findall(r"^(#+) ", text, flags=re.MULTILINE)]
    if levels:
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(deeper - level <= 1 for level, deeper in pairwise(levels))


def test_every_page_is_in_a_table_of_contents():
    listed = " ".join(path.read_text(encoding="utf-8") for path in SITE)
    for path in SITE:
        assert path.name == "index.md" or re.search(rf"^(\.\./)?{path.stem}$", listed, re.MULTILINE)


def test_readme_has_its_two_commands():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.count("<!-- main job -->\n```bash\n") == 1
    assert readme.count("<!-- tests -->\n```bash\n") == 1


def test_the_speed_of_the_readme_is_told_kind_by_kind(measure):
    text = measure.speed_text({"here": 61e6, "there": 3.4e6, "far": 361_234.0})
    assert "60 million here, 3 million there, 400,000 far." in text
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"<!-- speed -->\n(.*)\n<!-- end -->", readme)[1]
    for where in ("on the circle", "on 500 points", "on a sphere"):
        assert where in block
    assert "a fraction of a second" not in readme


@pytest.fixture
def measure(monkeypatch):
    """The script that writes the README's numbers."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import measure

    return measure


def written(mark):
    """What stands between two marks of the README."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.search(rf"<!-- {mark} -->\n(.*?)\n<!-- end -->", readme, re.DOTALL)[1]


def test_the_exact_and_measured_means_of_the_readme(measure):
    assert written("measured").startswith(measure.table())


def test_the_accuracies_of_the_readme_are_those_measured(measure):
    """Fewer repeats than the README's: its means lie within the standard errors."""
    told = re.findall(
        r"^\| (.*) \| (0\.\d+) ± (0\.\d+) \| (\d+) (\w+)s \|$", written("accuracy"), re.M
    )
    rows = measure.accuracy(repeats=1)
    assert [row["classifier"] for row in rows] == [name for name, *_ in told]
    for row, (_, mean, error, size, unit) in zip(rows, told, strict=True):
        assert abs(row["test_accuracy"] - float(mean)) < float(error)
        assert row["unit"] == unit
        assert abs(row["size"] - int(size)) <= 0.1 * int(size)


def test_the_questions_repeat_the_accuracies_of_the_readme():
    text = (ROOT / "docs" / "start" / "questions.md").read_text(encoding="utf-8")
    told = re.findall(r"0\.\d+ ± 0\.\d+", text)
    own, linear, _, tree = re.findall(r"0\.\d+ ± 0\.\d+", written("accuracy"))
    assert told == [own, linear, tree]


def test_the_two_columns_of_the_readme_repeat_its_tables():
    columns = written("side by side")
    own, linear = re.findall(r"0\.\d+ ± 0\.\d+", written("accuracy"))[:2]
    for told in (f"accuracy of {own} on rows", f"regression has {linear} with"):
        assert told in columns
    mean, exact = re.search(r"QUARTER \| (\S+ ± \S+) \| (\S+) \|", written("measured")).groups()
    assert f"in {mean} evaluations" in columns
    assert f"exact expected value is {exact}." in columns


def test_version_is_told():
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)[1]
    assert f"## {cited}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_pages_of_findings_begin_with_what_was_found(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import generate

    pages = generate.findings_pages(ROOT)
    assert pages
    for name, text in pages.items():
        shown = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        heads = re.findall(r"^(#+) (.*)$", shown, flags=re.MULTILINE)
        assert heads[1] == ("##", "What was found"), name
        assert ("##", "How it was measured") in heads, name
        levels = [len(marks) for marks, _ in heads]
        assert all(deeper - level <= 1 for level, deeper in pairwise(levels)), name
        assert len(shown) > 500
