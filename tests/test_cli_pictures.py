"""Pictures and films that commands write."""

import os

import pytest
from commands import refusal

from hyperna.cli import main


@pytest.mark.parametrize("suffix", [".PNG", ".Svg", ".pdf"])
@pytest.mark.parametrize(
    "command", ["run half --runs 2 --resolution 24", "fit xor --max-neurons 1 --evaluations 50"]
)
def test_pictures_may_be_named_in_capitals(command, suffix, tmp_path):
    pytest.importorskip("matplotlib", reason="needs hyperna[plot]")
    picture = tmp_path / f"some{suffix}"
    assert main([*command.split(), "--plot", str(picture)]) == 0
    begins = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix.lower()]
    assert picture.read_bytes().startswith(begins)
    assert picture.stat().st_size < 10**6


@pytest.mark.parametrize(
    "command",
    [
        "run half --runs 2 --resolution 24 --plot",
        "fit xor --max-neurons 1 --evaluations 50 --plot",
        "fit xor --max-neurons 1 --evaluations 50 --save",
        "theory half --resolution 8 --plot",
        "compare moons --classifiers tree --repeats 1 --plot",
        "dataset moons -o",
    ],
)
def test_a_command_names_the_file_that_it_has_written(command, tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="needs hyperna[plot]")
    path = tmp_path / {"--save": "some.json", "-o": "some.csv"}.get(command.split()[-1], "some.png")
    assert main([*command.split(), str(path)]) == 0
    assert path.stat().st_size > 0
    assert path.name in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("options", [("half",), ("quarter", "--dim", "3", "--neurons", "2")])
def test_a_film_is_made_and_named(capsys, tmp_path, options):
    film = tmp_path / "run.gif"
    settings = ("--runs", "3", "--resolution", "12", "--budget", "60", "--animate", str(film))
    assert main(["run", *options, *settings]) == 0
    assert f"film: {film}" in capsys.readouterr().out
    assert film.read_bytes().startswith(b"GIF8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("half", "--animate", "run.avi"), "--animate: a film must end in .gif, .mp4 or .html"),
        (("half", "--dim", "5", "--animate", "run.gif"), "D = 2 or 3, got D = 5"),
        (("half", "--animate", "no/such/run.gif"), "no/such"),
    ],
)
def test_films_that_cannot_be_made_are_refused_before_any_run(capsys, options, message):
    assert message in refusal(capsys, "run", *options)


def test_picture_is_checked_before_the_run(capsys, tmp_path, monkeypatch):
    import hyperna.run.algorithm

    def never(*args, **kwargs):
        raise AssertionError("the run began before the picture was checked")

    monkeypatch.setattr(hyperna.run.algorithm.OnePlusOneNA, "run_many", never)
    (tmp_path / "folder.png").mkdir()
    assert "is a folder" in refusal(capsys, "run", "half", "--plot", str(tmp_path / "folder.png"))
    if os.geteuid() != 0:
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o500)
        assert "not writable" in refusal(capsys, "run", "half", "--plot", str(closed / "a.png"))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "hyperna[plot]" in refusal(capsys, "run", "half", "--plot", str(tmp_path / "a.png"))


@pytest.mark.parametrize("suffix", ["png", "pdf", "svg"])
def test_picture_is_written_whole(capsys, tmp_path, suffix):
    pytest.importorskip("matplotlib")
    path = tmp_path / f"half.{suffix}"
    assert main(["run", "half", "--runs", "5", "--resolution", "24", "--plot", str(path)]) == 0
    assert f"picture: {path}" in capsys.readouterr().out
    begins = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}[suffix]
    assert path.read_bytes().startswith(begins)
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_picture(tmp_path, capsys, monkeypatch, full_disk):
    pytest.importorskip("matplotlib")
    path = tmp_path / "half.png"
    path.write_bytes(b"old")
    argv = ("run", "half", "--runs", "2", "--resolution", "12", "--plot", str(path))
    full_disk()
    assert "half.png: No space left" in refusal(capsys, *argv)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
