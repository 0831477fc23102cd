"""The command line: what it prints, what its JSON holds, and how it refuses."""

import json
import re
import subprocess
import sys

import pytest
from commands import refusal

from hyperna import OnePlusOneNA, __version__, problem
from hyperna.cli import COMMANDS, build_parser, main
from hyperna.problems.base import PROBLEMS

POINTS = "x,y,class\n0.1,0.9,1\n-0.2,0.8,1\n0.3,-0.7,0\n-0.5,-0.4,0\n"


def run_json(capsys, *argv):
    assert main(["run", *argv, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.count("\n") == 1
    return json.loads(out, parse_constant=pytest.fail)


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "four.csv"
    path.write_text(POINTS, encoding="utf-8")
    return str(path)


def test_the_bare_command_tells_what_to_do_next(capsys):
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    for line in re.findall(r"  hyperna ((?!--help).*?)  +\S", shown):
        words = line.split()
        assert build_parser().parse_args(words).command == words[0]


def test_jobs_do_not_change_the_result(capsys):
    argv = ("half", "--runs", "30", "--resolution", "30", "--all")
    assert run_json(capsys, *argv) == run_json(capsys, *argv, "--jobs", "2")


def test_the_film_is_that_of_the_best_run(tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="needs hyperna[plot]")
    from hyperna.plots import animate_run, save_animation

    argv = ["run", "quarter", "--resolution", "12", "--runs", "9", "--animate"]
    assert main([*argv, str(tmp_path / "a.gif")]) == 0
    na, quarter = OnePlusOneNA(resolution=12), problem("quarter")
    runs = na.run_many(quarter, 9, seed=0)
    assert runs.best != 0
    result = na.run(quarter, seed=0, number=runs.best, trajectory=True)
    save_animation(animate_run(quarter, result), tmp_path / "b.gif")
    assert (tmp_path / "a.gif").read_bytes() == (tmp_path / "b.gif").read_bytes()


@pytest.mark.parametrize(
    "argv",
    [
        ("quarter", "--dim", "3", "--neurons", "2", "--output", "evolved", "--points", "256"),
        ("half", "--dim", "4", "--sampling", "random", "--points", "200", "--init", "sphere"),
        ("half", "--no-bias", "--redraw-void"),
        ("half", "--mutation", "pareto:shape=1.5,scale=2"),
        ("half", "--mutation-probability", "1", "--target", "0.9"),
        ("cube", "--dim", "2", "--target", "1"),
        ("arcs", "--k", "3", "--neurons", "2"),
        ("arcs", "--arcs", "350-10, 90-135.5", "--target", "0.8"),
        ("arcs:k=2",),
        ("half", "--restarts", "2", "--stagnation", "50", "--budget", "100"),
        ("half", "--budget", "1"),
        ("quarter", "--output", "and", "--neurons", "2"),
    ],
)
def test_settings_of_all_kinds(capsys, argv):
    shown = run_json(capsys, *argv, "--runs", "3", "--resolution", "24")
    assert shown["runs"] == 3
    assert 0 <= shown["mean_fitness"] <= shown["best_fitness"] <= 1


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("half",), "exact share of the circle"),
        (("half", "--dim", "3"), "exact share of the sphere"),
        (("half", "--online", "5"), "5 fresh points in every step (parent judged again)"),
        (("half", "--dim", "4", "--points", "100"), "share of 100 points on the sphere"),
        (("cube",), "share of 8 points"),
    ],
)
def test_the_fitness_is_named(capsys, argv, words):
    shown = run_json(capsys, *argv, "--runs", "1", "--resolution", "8", "--budget", "1")
    assert words in shown["settings"]["fitness"]


def test_huge_resolution(capsys):
    shown = run_json(capsys, "half", "--no-bias", "--resolution", str(2**40), "--runs", "5")
    assert shown["success_share"] == 1
    assert shown["mean_evaluations"] < 10**5


def test_csv_file(capsys, csv):
    shown = run_json(
        capsys, csv, "--label", "class", "--runs", "5", "--target", "1", "--budget", "5000"
    )
    assert shown["settings"]["dim"] == 2
    assert shown["best_fitness"] == 1


def test_list_names_everything(capsys):
    from hyperna.comparison import CLASSIFIERS
    from hyperna.datasets import DATASETS
    from hyperna.experiments.algorithms import ALGORITHMS
    from hyperna.mutation import LAWS
    from hyperna.network.outputs import OUTPUTS
    from hyperna.problems import PROBLEMS

    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines if line.startswith("  ")]
    assert names == [*PROBLEMS, *LAWS, *OUTPUTS, *ALGORITHMS, *DATASETS, *CLASSIFIERS]
    assert all(len(line.split()) > 1 for line in lines if line.startswith("  "))
    assert main(["list", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert list(shown["problems"]) == list(PROBLEMS)


def test_version_and_help(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"hyperna {__version__}\n"
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(re.search(rf"\n    {name}\s", shown) for name in COMMANDS)
    for name in COMMANDS:
        assert main([name, "--help"]) == 0
        assert f"hyperna {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("walk",), "walk"),
        (("run",), "PROBLEM"),
        (("run", "hlaf"), "half"),
        (("run", "half", "--dim", "1"), "dim"),
        (("run", "half", "--dim", "two"), "--dim"),
        (("run", "half", "--neurons", "0"), "--neurons"),
        (("run", "half", "--neurons", "1.5"), "--neurons"),
        (("run", "half", "--output", "made up"), "--output"),
        (("run", "half", "--resolution", "1"), "from 2 to 1099511627776"),
        (("run", "half", "--resolution", "nan"), "--resolution"),
        (("run", "half", "--resolution", str(2**40 + 1)), "--resolution"),
        (("run", "half", "--mutation", "gauss"), "gauss"),
        (("run", "half", "--mutation", "pareto:shape"), "shape"),
        (("run", "half", "--mutation", "pareto:shape=wide"), "wide"),
        (("run", "half", "--mutation", "pareto:shape=-1"), "shape"),
        (("run", "half", "--mutation", "pareto:width=1"), "width"),
        (("run", "half", "--mutation", ""), "mutation"),
        (("run", "half", "--mutation-probability", "0"), "--mutation-probability"),
        (("run", "half", "--mutation-probability", "nan"), "--mutation-probability"),
        (("run", "half", "--init", "middle"), "--init"),
        (("run", "half", "--runs", "0"), "--runs"),
        (("run", "half", "--runs", "-5"), "--runs"),
        (("run", "half", "--seed", "-1"), "--seed"),
        (("run", "half", "--seed", "x"), "--seed"),
        (("run", "half", "--jobs", "0"), "jobs"),
        (("run", "half", "--jobs", "-2"), "jobs"),
        (("run", "half", "--budget", "0"), "--budget"),
        (("run", "half", "--budget", "inf"), "--budget"),
        (("run", "half", "--stagnation", "0"), "--stagnation"),
        (("run", "half", "--target", "1.5"), "--target"),
        (("run", "half", "--target", "nan"), "--target"),
        (("run", "half", "--restarts", "-1"), "--restarts"),
        (("run", "half", "--dim", "3", "--points", "0"), "--points"),
        (("run", "half", "--dim", "3", "--sampling", "sloppy"), "--sampling"),
        (("run", "cube", "--points", "10"), "points does not apply"),
        (("run", "cube", "--dim", "0"), "--dim"),
        (("run", "cube", "--dim", "60"), "dim"),
        (("run", "half", "--k", "3"), "k does not apply"),
        (("run", "arcs"), "either k"),
        (("run", "arcs", "--k", "0"), "--k"),
        (("run", "arcs", "--k", "2", "--arcs", "0-90"), "either k"),
        (("run", "half", "--arcs", "0-90"), "arcs does not apply"),
        (("run", "arcs", "--arcs", "0-90,x"), "'x'"),
        (("run", "arcs", "--arcs", ""), "arcs"),
        (("run", "arcs", "--arcs", "0-360"), "whole circle"),
        (("run", "arcs", "--arcs", "90-90"), "arc"),
        (("run", "half", "--label", "class"), "label does not apply"),
        (("run", "half", "--weight", "w"), "weight does not apply"),
        (("run", "half", "--scale"), "scale does not apply"),
        (("run", "half", "--all"), "--json"),
        (("run", "half", "--plot", "circle.gif"), ".png"),
        (("run", "half", "--plot", "no/such/folder/a.png"), "does not exist"),
        (("run", "half", "--colour", "red"), "--colour"),
        (("run", "missing.csv"), "missing.csv"),
        (("list", "everything"), "everything"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(capsys, argv, words):
    assert words in refusal(capsys, *argv)


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (b"", ()),
        (b"x,y,class\n", ()),
        (b"x,y,class\n1,2\n", ()),
        (b"x,y,class\n1,two,0\n2,3,1\n", ()),
        (b"x,y,class\n1,nan,0\n2,3,1\n", ()),
        (b"x,y,class\n1,2,0\n2,3,1\n4,5,2\n", ()),
        (b"x,y,class\n1,2,0\n2,3,0\n", ()),
        (b"\xff\xfe\x00garbage", ()),
        (POINTS.encode(), ("--label", "kind")),
        (POINTS.encode(), ("--weight", "mass")),
        (POINTS.encode(), ("--dim", "3")),
        (POINTS.encode(), ("--points", "9")),
        (POINTS.encode(), ("--k", "2")),
    ],
)
def test_bad_csv_is_one_line(capsys, tmp_path, content, options):
    path = tmp_path / "points.csv"
    path.write_bytes(content)
    refusal(capsys, "run", str(path), *options)


def test_a_folder_is_no_csv(capsys, tmp_path):
    assert str(tmp_path) in refusal(capsys, "run", str(tmp_path))


def test_interrupt_is_one_line(capsys, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("hyperna.run.many.run_many", interrupt)
    assert main(["run", "half"]) == 130
    assert capsys.readouterr().err == "hyperna: interrupted\n"


def test_debug_shows_where():
    with pytest.raises(ValueError, match="hlaf"):
        main(["--debug", "run", "hlaf"])


def test_every_option_has_help():
    for command in build_parser()._subparsers._group_actions[0].choices.values():
        assert all(action.help for action in command._actions)


def test_module_runs_as_a_process():
    argv = [
        sys.executable,
        "-m",
        "hyperna",
        "run",
        "half",
        "--runs",
        "5",
        "--resolution",
        "24",
        "--json",
    ]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["runs"] == 5
    assert done.stderr == ""


def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m hyperna list --json | head -c 5"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False
    )
    assert done.stdout == '{\n  "'
    assert done.stderr == ""


def test_points_out_of_reach_are_told(capsys, tmp_path):
    path = tmp_path / "far.csv"
    path.write_text("x,y,class\n3,4,1\n-1,0,0\n0,0.5,1\n", encoding="utf-8")
    words = ["run", str(path), "--runs", "2", "--budget", "9"]
    assert main(words) == 0
    found = capsys.readouterr()
    assert "points lie up to 5 from the origin" in found.err
    assert "--scale" in found.err
    assert main([*words, "--scale"]) == 0
    assert "--scale" not in capsys.readouterr().err


def test_own_modules_are_imported(tmp_path, monkeypatch, capsys):
    """HYPERNA_IMPORT names modules, of the current folder too, that register problems and laws."""
    (tmp_path / "wedges.py").write_text(
        "import hyperna\n"
        "from hyperna.problems.base import register\n"
        "@register('wedge_of_mine', 'an arc')\n"
        "def wedge(dim: int = 2):\n"
        "    return hyperna.custom_arcs([(0, 40)], unit='degree', dim=dim)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("HYPERNA_IMPORT", "wedges")
    assert main(["run", "wedge_of_mine", "--runs", "2", "--resolution", "12"]) == 0
    PROBLEMS.pop("wedge_of_mine")
    monkeypatch.setenv("HYPERNA_IMPORT", "json, no_such_module")
    assert main(["list"]) == 2
    assert "HYPERNA_IMPORT names 'no_such_module': No module named" in capsys.readouterr().err
