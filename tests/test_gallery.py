"""The gallery: every example runs, prints what its page shows, and has its two pictures."""

import re
import sys
from pathlib import Path

import pytest

import hyperna

pytest.importorskip("matplotlib")

DOCS = Path(__file__).parent.parent / "docs"
sys.path.insert(0, str(DOCS))
try:
    import examples
finally:
    sys.path.remove(str(DOCS))

NAMES = [name for names in examples.SECTIONS.values() for name in names]
QUICK = ("first_run", "own_problem", "exact_and_measured", "several_classes")
NEEDS = {"cma_es": "cma", "campaign": "pandas", "short_rule": "pandas", "several_classes": "pandas"}
# These rest on linear algebra or real-valued search, whose last digits differ between versions.
LAST_DIGITS_DIFFER = ("cma_es", "short_rule", "several_classes", "explain", "path", "spheres")


@pytest.fixture
def _laws_as_they_were():
    before = dict(hyperna.LAWS)
    yield
    hyperna.LAWS.clear()
    hyperna.LAWS.update(before)


def without_digits(text):
    return re.sub(r"\s*[0-9][0-9.,]*", " 0", text)


def test_every_file_is_shown():
    assert sorted(NAMES) == sorted(path.stem for path in examples.FOLDER.glob("*.py"))
    made = examples.pages()
    for name in NAMES:
        example = examples.read(name)
        assert f":link: gallery_{name}\n" in made["gallery.md"]
        assert example.title
        assert example.text
        assert example.code in made[f"gallery_{name}.md"]
        for suffix in ("", "_dark"):
            picture = examples.FOLDER / f"{name}{suffix}.png"
            assert picture.read_bytes().startswith(b"\x89PNG")
            assert picture.stat().st_size < 100_000


def test_nothing_is_left_of_examples_that_are_gone():
    kept = {f"{name}{end}" for name in NAMES for end in (".py", ".txt", ".png", "_dark.png")}
    found = {path.name for path in examples.FOLDER.iterdir() if path.is_file()}
    assert found == kept


def test_links_of_examples_lead_to_pages():
    for name in NAMES:
        for target in re.findall(r"\]\(([^)]+)\)", examples.read(name).text):
            assert (examples.FOLDER / target).exists(), (name, target)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in NAMES]
)
@pytest.mark.usefixtures("_laws_as_they_were")
def test_an_example_prints_what_its_page_shows(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    example = examples.read(name)
    outcome = examples.run(example)
    told, stored = outcome.printed, example.printed
    if name in LAST_DIGITS_DIFFER:
        told, stored = without_digits(told), without_digits(stored)
    assert told == stored
    assert outcome.figure.axes
