"""Worker processes that are killed, as the system does when memory runs out: nothing is lost."""

import os
import signal
from pathlib import Path

import pytest
from commands import refusal

from hyperna import parallel_backend
from hyperna.cli import main
from hyperna.parallel import in_order

if not hasattr(signal, "SIGKILL"):
    pytest.skip("this system has no SIGKILL", allow_module_level=True)


def die_once(folder, number):
    """Kill the own process at the first call with number 3, otherwise return its square."""
    Path(folder, f"{number}.{os.getpid()}").touch()
    mark = Path(folder, "died")
    if number == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def test_the_work_of_a_killed_process_is_done_again(tmp_path):
    jobs = ((str(tmp_path), number) for number in range(12))
    found = list(in_order(die_once, jobs, n_jobs=2, processes=True))
    assert (tmp_path / "died").exists()
    assert found == [n * n for n in range(12)]


@pytest.mark.slow
def test_what_kills_every_worker_is_given_up_with_one_line(capsys, monkeypatch):
    from hyperna.comparison import validation

    monkeypatch.setattr(validation, "_score_fit", die_with_anything)
    argv = ("compare", "xor", "--classifiers", "tree", "--jobs", "2")
    assert (
        "killed 3 times without finishing anything, perhaps for lack of memory; use fewer"
        in refusal(capsys, *argv)
    )


def die_with_anything(*task):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_a_comparison_is_the_same_though_a_worker_is_killed(tmp_path, capsys, monkeypatch):
    argv = ["compare", "xor", "--classifiers", "tree,knn", "--repeats", "2", "--json"]
    assert main(argv) == 0
    alone = capsys.readouterr().out
    monkeypatch.setenv("HYPERNA_TEST_MARK", str(tmp_path / "died"))
    from hyperna.comparison import validation

    monkeypatch.setattr(validation, "_score_fit", score_or_die)
    assert main([*argv, "--jobs", "2"]) == 0
    out, err = capsys.readouterr()
    assert (tmp_path / "died").exists()
    assert err == ""
    assert without_times(out) == without_times(alone)


def score_or_die(*task):
    from hyperna.comparison import validation

    mark = Path(os.environ["HYPERNA_TEST_MARK"])
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return validation._score_fit(*task)


def without_times(text):
    import json

    return [
        {key: value for key, value in row.items() if "second" not in key}
        for row in json.loads(text)["summary"]
    ]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"backend": 1}, TypeError, "backend must be a str, got 1"),
        ({"scheduler": b"tcp://x:1"}, TypeError, "scheduler must be a str, got b'tcp"),
        ({"n_jobs": 0}, ValueError, "n_jobs must not be 0"),
        ({"n_jobs": 10**5}, ValueError, "n_jobs must be an integer from"),
        ({"n_jobs": "2"}, TypeError, "n_jobs must be an integer"),
        ({"backend": "x" * 10_000}, ValueError, "backend 'x+... is not known"),
        ({"backend": "threading", "scheduler": "a:1"}, ValueError, "scheduler is for the backend"),
    ],
)
def test_what_is_no_backend_is_refused(options, error, message):
    with pytest.raises(error, match=message), parallel_backend(**options):
        pass
