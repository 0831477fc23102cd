"""The pictures of README and site: each is shown somewhere, can be drawn, and is small."""

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "pictures"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("draw", ROOT / "docs" / "draw.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_picture_is_shown_and_small(script):
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    shown = " ".join(page.read_text(encoding="utf-8") for page in pages)
    for path in FOLDER.iterdir():
        # the site shows a picture on a dark ground in the place of the one on a light ground
        light = path.name.replace("_dark.", ".")
        assert (FOLDER / light).exists(), path.name
        assert f"pictures/{light})" in shown, path.name
        assert path.stat().st_size < 300_000
    for name in script.PICTURES:
        assert (FOLDER / f"{name}.png").exists()


def test_pictures_stand_below_the_block_that_draws_them(script):
    for name, (page, call) in script.PAGES.items():
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        _, _, below = text.partition(call)[2].partition("```\n")
        assert below.lstrip().startswith("![")
        assert f"pictures/{name}.png)" in below.lstrip().splitlines()[0]


@pytest.mark.parametrize("name", ["neuron", "network", "laws", "circle_run"])
def test_pictures_can_be_drawn(script, name, tmp_path):
    script.save(script.PICTURES[name](), tmp_path / "drawn.png")
    assert (tmp_path / "drawn.png").read_bytes().startswith(b"\x89PNG")


def test_the_run_in_the_picture_ends_at_the_optimum(script):
    titles = [ax.get_title() for ax in script.circle_run().axes]
    assert titles[0].startswith("evaluation 1:")
    assert titles[2].endswith("100.0% correct")
    assert titles[3].startswith("optimum found after")
