"""How commands end: signals at any moment, readers that go away, full disks, odd arguments.

By hand with more trials:
``HYPERNA_TRIALS=200 python -m pytest -m slow tests/test_cli_ends.py -k moment -s``.
"""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

import hyperna
from hyperna import NAClassifier
from hyperna.cli import main

ROOT = Path(hyperna.__file__).parents[1]
HYPERNA = (sys.executable, "-m", "hyperna")
TRIALS = int(os.environ.get("HYPERNA_TRIALS", "6"))
unix = pytest.mark.skipif(os.name == "nt", reason="has no such signals and devices")

TOML = """
problem = ["half", "quarter"]
resolution = [60, 1200]
mutation = ["harmonic", "local"]
runs = 300
"""
COMMANDS = {
    "run": "run quarter --mutation local --resolution 5000 --runs 500 --jobs 2 "
    "--plot {out}/run.png",
    "list": "list --json",
    "dataset": "dataset --all -o {out}",
    "compare": "compare moons xor --plot {out}/compare.svg",
    "compare by processes": "compare moons xor --jobs 2",
    "fit": "fit sklearn:breast_cancer --evaluations 1000000000 --save {out}/model.json",
    "predict": "predict {given}/model.json {given}/points.csv --proba -o {out}/answers.csv",
    "campaign run": "campaign run {given}/some.toml --store {out}/some.store --jobs 2",
    "campaign status": "campaign status {given}/some.store",
    "export csv": "campaign export {given}/some.store csv -o {out}/runs.csv",
    "export ioh": "campaign export {given}/some.store ioh -o {out}/ioh",
    "report": "report {given}/some.store -o {out}/report.html",
    "theory": "theory quarter --resolution 200 --json --plot {out}/theory.png",
    "play": "play --no-browser",
    "reproduce": "reproduce --quick --out {out}",
}


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """What commands read: a model, points for it, a campaign and its store."""
    folder = tmp_path_factory.mktemp("given")
    model = str(folder / "model.json")
    assert main(["fit", "xor", "--evaluations", "50", "--save", model]) == 0
    assert main(["dataset", "xor", "-o", str(folder / "points.csv")]) == 0
    (folder / "some.toml").write_text(TOML)
    assert main(["campaign", "run", str(folder / "some.toml")]) == 0
    return folder


@pytest.mark.slow
@unix
def test_signals_at_any_moment_of_any_command(given, tmp_path):
    """Every command ends with the signal's code, one line, and nothing half written."""
    chance = random.Random(f"signals {TRIALS}")
    for trial in range(TRIALS):
        name = chance.choice(list(COMMANDS)) if trial >= 2 else ("compare", "fit")[trial]
        number = chance.choice([signal.SIGINT, signal.SIGTERM])
        delay = chance.uniform(0.0, 4.0)
        out = tmp_path / str(trial)
        out.mkdir()
        code, errors, seconds = signalled(
            COMMANDS[name].format(given=given, out=out), number, delay
        )
        told = f"{name}, {number.name} after {delay:.2f} s: {code} in {seconds:.2f} s; {errors}"
        print(told)
        if errors.startswith(("Fatal Python error: init_", "Could not import runpy")):
            continue  # Python itself was not up yet
        # Nor has it a handler before the command is loaded.
        assert code in (0, 128 + number, -number), told
        if code == 128 + number:
            assert errors.splitlines()[-1].startswith("hyperna: "), told
            assert "Traceback" not in errors, told
            assert "Warning" not in errors, told
        whole(out)


def signalled(command, number, delay):
    """Run a command, send it a signal after a while; return its code, errors and reaction time."""
    with subprocess.Popen(
        [*HYPERNA, *command.split()],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
    ) as process:
        try:
            _, errors = process.communicate(timeout=delay)
            return process.returncode, errors, 0.0
        except subprocess.TimeoutExpired:
            start = time.perf_counter()
            # As a terminal does, to all processes of the command.
            os.killpg(process.pid, number)
        try:
            _, errors = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            pytest.fail(f"{command} does not end after signal {number}")
        return process.returncode, errors, time.perf_counter() - start


def whole(folder):
    """Assert that all files of a folder are complete; stores may have drafts, which they ignore."""
    for path in folder.rglob("*"):
        if path.is_dir() or ".store" in str(path):
            continue
        assert not path.name.endswith(".draft"), path
        data = path.read_bytes()
        if path.suffix == ".json":
            json.loads(data)
        elif path.suffix == ".png":
            assert data.endswith(b"IEND\xaeB`\x82"), path
        elif path.suffix in (".html", ".svg"):
            assert data.rstrip().endswith((b"</html>", b"</svg>")), path
        else:
            assert data.endswith(b"\n"), path


@unix
@pytest.mark.parametrize("then", ["pass", "exec('raise')"], ids=["deaf", "in a text"])
def test_a_command_that_does_not_react_is_ended(then):
    """As in compiled code that runs for minutes, or where an exception gets lost.

    Or it reacts in code that was executed from a text, after which Python forgets the exit code.
    """
    code = """
import sys, time
from hyperna import cli
from hyperna.cli import list as command
def stubborn(args):
    print("ready", flush=True)
    while True:
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            {then}
command.run = stubborn
sys.argv = ["hyperna", "list"]
cli.command()
""".replace("{then}", then)
    for number in (signal.SIGINT, signal.SIGTERM):
        with subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        ) as process:
            assert process.stdout.readline() == "ready\n"
            process.send_signal(number)
            assert process.communicate(timeout=60) == ("", "hyperna: interrupted\n")
        assert process.returncode == 128 + number


@unix
def test_an_interrupt_that_python_ignores_ends_the_command_in_one_line():
    """As in a finaliser or a callback of a weak reference, where exceptions are only printed."""
    code = """
import sys, time
from hyperna import cli
from hyperna.cli import list as command
class Odd:
    def __del__(self):
        print("ready", flush=True)
        time.sleep(60)
def run(args):
    Odd()
    time.sleep(60)
command.run = run
sys.argv = ["hyperna", "list"]
cli.command()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60) == ("", "hyperna: interrupted\n")
    assert process.returncode == 130


@pytest.fixture
def interrupted_after_four_runs(monkeypatch):
    @contextmanager
    def bar(total, doing):
        def stop(done, total):
            if done >= 4:
                raise KeyboardInterrupt

        yield stop

    monkeypatch.setattr("hyperna.cli.run.progress_bar", bar)
    monkeypatch.setattr("hyperna.cli.signals.signals.patient", False)


@pytest.mark.usefixtures("interrupted_after_four_runs")
def test_an_interrupted_batch_shows_the_runs_that_are_finished(capsys):
    long = ["--target", "none", "--budget", "1000000"]
    assert main(["run", "half", "--runs", "20", *long]) == 130
    told = capsys.readouterr()
    found = re.fullmatch(r"hyperna: interrupted: (\d+) of 20 runs are finished\n", told.err)
    assert 4 <= int(found[1]) < 20
    assert f"{found[1]} runs from seed 0" in told.out


@pytest.mark.usefixtures("interrupted_after_four_runs")
def test_runs_that_are_finished_come_with_their_numbers(capsys):
    """With several workers, those that are missing may be anywhere."""
    assert main(["run", "half", "--runs", "200", "--jobs", "2", "--json", "--all"]) == 130
    told = json.loads(capsys.readouterr().out)
    numbers = told["numbers"]
    assert 4 <= told["runs"] == len(numbers) < 200
    runs = hyperna.OnePlusOneNA().run_many("half", 200, seed=0)
    assert told["evaluations"] == runs.evaluations[numbers].tolist()


# Readers that go away, disks that are full, streams that are closed.


def shell(line):
    """Run a line of the shell in which "hyperna" is the command; return its code and errors."""
    line = line.replace("hyperna", f"{sys.executable} -m hyperna", 1)
    done = subprocess.run(
        ["bash", "-c", f"{line}; echo code ${{PIPESTATUS[0]}} >&2"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        timeout=120,
        check=True,
    )
    errors, _, code = done.stderr.rpartition("code ")
    return int(code), errors


@unix
@pytest.mark.parametrize(
    "command",
    [
        "list",
        *(
            pytest.param(x, marks=pytest.mark.slow)
            for x in ("list --json", "dataset moons:n=20000")
        ),
    ],
)
def test_a_reader_that_goes_away_is_no_error(command):
    # The reader is gone before anything is written.
    assert shell(f"hyperna {command} | exec 0<&-") == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "command",
    [
        *("--help", "list"),
        *(
            pytest.param(c, marks=pytest.mark.slow)
            for c in ("--version", "run --help", "dataset moons")
        ),
    ],
)
def test_a_full_disk_under_standard_output_is_an_error(command):
    code, errors = shell(f"hyperna {command} > /dev/full")
    assert code == 2
    assert errors == "hyperna: error: cannot write the output: No space left on device\n"


@unix
def test_closed_streams_are_no_error():
    assert shell("hyperna list >&-") == (0, "")
    assert shell("hyperna nonsense 2>&-")[0] == 2


# Arguments nobody expects.


def test_a_library_s_warning_is_one_line(capsys, monkeypatch):
    from hyperna.cli import list as command

    def warn(args):
        warnings.warn("something\n is odd", UserWarning, stacklevel=1)
        return 0

    monkeypatch.setattr(command, "run", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert main(["list"]) == 0
    assert capsys.readouterr().err == "hyperna: warning: something is odd\n"


def test_a_warning_of_a_fit_is_one_line(monkeypatch, capsys):
    plain = NAClassifier.fit

    def fit(self, *data):
        warnings.warn("odd\n data", UserWarning, stacklevel=1)
        return plain(self, *data)

    monkeypatch.setattr(NAClassifier, "fit", fit)
    assert main(["fit", "xor", "--evaluations", "50", "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["points"] == 300
    assert told.err == "hyperna: warning: odd data\n"


def test_an_interrupt_that_a_library_calls_a_failed_import_is_one(monkeypatch, capsys):
    from hyperna import cli
    from hyperna.cli.signals import signals

    def interrupted(argv):
        raise ImportError("Importing the numpy C-extensions failed")

    monkeypatch.setattr(cli, "build_parser", interrupted)
    assert cli.main(["list"]) == 2
    monkeypatch.setattr(signals, "received", 15)
    assert cli.main(["list"]) == 130
    assert capsys.readouterr().err.splitlines()[-1] == "hyperna: interrupted"
    assert signals.exit_code(130) == 143
