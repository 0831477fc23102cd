"""Scenes as files: pages, pictures and films, light and dark."""

import re

import numpy as np
import pytest

from hyperna.cli import main
from hyperna.play import export_scene
from hyperna.play.export import scene_names, stacked

pytest.importorskip("matplotlib")
from PIL import Image


def corner(path):
    """The colour of the upper left corner of a picture."""
    with Image.open(path) as picture:
        return picture.convert("RGB").getpixel((0, 0))


@pytest.mark.parametrize("scene", scene_names())
def test_a_page_begins_with_its_scene(tmp_path, scene, capsys):
    file = tmp_path / "page.html"
    assert main(["play", "--scene", scene, "--export", str(file)]) == 0
    assert capsys.readouterr().out == f"{file}\n"
    text = file.read_text(encoding="utf-8")
    assert f'"start": "#scene={scene}"' in text
    assert '"served": false' in text


@pytest.mark.parametrize("scene", ["race", "all"])
def test_a_dark_page_begins_dark(tmp_path, scene):
    export_scene(tmp_path / "page.html", scene, dark=True)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert re.search(r'"start": "#scene=\w+&theme=dark"', text)


@pytest.mark.parametrize(
    ("scene", "suffix", "magic"),
    [("solve", ".png", b"\x89PNG"), ("stuck", ".pdf", b"%PDF"), ("race", ".svg", b"<?xml")],
)
def test_a_picture_of_the_end(tmp_path, scene, suffix, magic):
    file = tmp_path / f"end{suffix}"
    assert export_scene(file, scene) == [file]
    assert file.read_bytes().startswith(magic)


@pytest.mark.slow
def test_pictures_of_all_scenes(tmp_path):
    files = export_scene(tmp_path / "talk.png", "all", dark=True)
    assert [file.name for file in files] == [f"talk-{name}.png" for name in scene_names()]
    for file in files:
        assert max(corner(file)) < 60
        with Image.open(file) as picture:
            assert picture.size == (2560, 1440)
            assert np.count_nonzero(picture.convert("L").histogram()) > 50


def test_light_pictures_have_light_paper(tmp_path):
    export_scene(tmp_path / "light.png", "solve")
    assert corner(tmp_path / "light.png") == (255, 255, 255)


@pytest.mark.slow
def test_films_of_scenes_with_one_run(tmp_path):
    export_scene(tmp_path / "solve.gif", "solve", dark=True)
    with Image.open(tmp_path / "solve.gif") as film:
        assert film.n_frames > 10
    assert max(corner(tmp_path / "solve.gif")) < 60


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--export", "scene.doc"], ".html, .png, .pdf, .svg, .gif or .mp4"),
        (["--export", "race.gif", "--scene", "race"], "films show the scenes solve, stuck"),
        (["--export", "no/such/folder/x.html"], "no/such/folder"),
        (["--scene", "nothing"], "invalid choice: 'nothing'"),
        (["--scene", "all"], "--scene all needs --export"),
    ],
)
def test_what_cannot_be_written_is_told(tmp_path, monkeypatch, capsys, words, told):
    monkeypatch.chdir(tmp_path)
    assert main(["play", *words]) != 0
    assert told in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_dots_of_a_race_keep_their_order():
    times = np.array([5, 1, 9, 5, 9000])
    x, y = stacked(times, 9000)
    assert len(set(zip(x.tolist(), y.tolist(), strict=True))) == len(times)
    assert np.argsort(x, kind="stable").tolist() == np.argsort(times, kind="stable").tolist()
