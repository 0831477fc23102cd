"""The pictures of the README: each has its function, and they are small."""

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("pictures", ROOT / "docs" / "pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_readme_shows_every_picture_that_is_drawn(script):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in script.PICTURES:
        assert f"(docs/{name}.png)" in readme
        assert (ROOT / "docs" / f"{name}.png").stat().st_size < 100_000


def test_the_run_in_the_picture_ends_at_the_optimum(script, tmp_path):
    figure = script.circle_run()
    titles = [ax.get_title() for ax in figure.axes]
    assert titles[0].startswith("evaluation 1:")
    assert titles[2].endswith("100.0 % right")
    assert titles[3].startswith("optimum after")
    script.save(figure, tmp_path / "run.png")
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
