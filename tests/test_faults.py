"""What may happen to a campaign: killed processes, damaged files, full disks, other writers."""

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from itertools import takewhile
from pathlib import Path

import numpy as np
import pytest

import hyperna
from hyperna.cli import main
from hyperna.experiments.campaign import Campaign
from hyperna.experiments.lines import Block
from hyperna.experiments.locking import StoreError
from hyperna.experiments.setting import setting
from hyperna.experiments.store import Store

pandas = pytest.importorskip("pandas", reason="a frame needs hyperna[data]")
if not hasattr(signal, "SIGKILL"):
    pytest.skip("this system has no SIGKILL", allow_module_level=True)

ROOT = Path(hyperna.__file__).parents[1]
SMALL = Campaign.product(problem=["half", "quarter"], resolution=[12, 60], runs=30)


def same(one, other):
    pandas.testing.assert_frame_equal(one, other, check_exact=True)


@pytest.fixture(scope="module")
def frame(tmp_path_factory):
    return SMALL.run(tmp_path_factory.mktemp("whole") / "store").to_frame()


@pytest.fixture
def stored(frame, tmp_path):
    """A finished store with several files."""
    for made, runs in SMALL.wanted.items():
        Campaign({made: runs}).run(tmp_path / "store")
    return Store(tmp_path / "store")


# Killed processes.

# By hand with more: HYPERNA_KILLS=100 python -m pytest -m slow tests/test_faults.py -k killed
KILLS = int(os.environ.get("HYPERNA_KILLS", "20"))
LONG = """
problem = ["quarter", "two_quarters", "local_opt"]
resolution = [120, 240]
mutation = ["harmonic", "local"]
runs = RUNS
""".replace("RUNS", str(40 * KILLS))

# A process that has everything loaded begins a campaign for every line it reads, with many
# small appends.
NURSERY = """
import os, sys
from hyperna.experiments import execution
from hyperna.experiments.campaign import Campaign
execution._PLANNED = 0.03
campaign = Campaign.from_toml(sys.argv[1])
for made in campaign.wanted:
    made.runner().run_block(0, 0, 1)
print("ready", flush=True)
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        campaign.run(sys.argv[2])
        os._exit(0)
    print(child, flush=True)
    print(os.waitpid(child, 0)[1], flush=True)
"""


@pytest.mark.slow
def test_killed_many_times_and_resumed(tmp_path):
    file, path = tmp_path / "long.toml", tmp_path / "killed"
    file.write_text(LONG)
    campaign = Campaign.from_toml(file)
    start = time.perf_counter()
    whole = campaign.run(tmp_path / "whole").to_frame()
    longest = (time.perf_counter() - start) / (1.5 * KILLS)
    rng = np.random.default_rng(0)
    growth = []
    with subprocess.Popen(
        [sys.executable, "-c", NURSERY, str(file), str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as nursery:
        assert nursery.stdout.readline() == "ready\n"

        def begin():
            nursery.stdin.write("go\n")
            nursery.stdin.flush()
            return int(nursery.stdout.readline())

        for _ in range(KILLS):
            child = begin()
            time.sleep(rng.uniform(0.0, longest))
            os.kill(child, signal.SIGKILL)
            assert int(nursery.stdout.readline()) == signal.SIGKILL, "it was too late to kill it"
            if path.exists():
                growth.append(sum(entry.done for entry in Store(path).status()))
        begin()
        assert int(nursery.stdout.readline()) == 0
        nursery.stdin.close()
    assert growth == sorted(growth)
    assert 0 < growth[-1] < campaign.total
    assert not Store(path).damages()
    same(Store(path).to_frame(), whole)


# Damaged files.


def cut(file):
    file.write_bytes(file.read_bytes()[:-30])


def empty(file):
    file.write_bytes(b"")


def flip(file):
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def overwrite(file):
    file.write_bytes(os.urandom(file.stat().st_size))


@pytest.mark.parametrize("damage", [cut, empty, flip, overwrite])
def test_damage_is_named_and_repaired(stored, frame, damage, capsys):
    victim = stored.files()[1]
    damage(victim)
    assert {found.file for found in stored.damages()} == {victim.name}
    with pytest.raises(StoreError, match=f"{victim.name}.*run its campaign again"):
        stored.to_frame()
    assert main(["campaign", "status", str(stored.path)]) == 0
    assert f"damaged: {victim.name}" in capsys.readouterr().out
    notes, done = [], []
    SMALL.run(stored, notice=notes.append, progress=lambda n, *_: done.append(n))
    assert victim.name in notes[0]
    assert (stored.path / "damaged" / victim.name).exists()
    assert 0 < done[0] < SMALL.total
    assert not stored.damages()
    same(stored.to_frame(), frame)


def test_intact_runs_of_a_damaged_file_are_kept(tmp_path):
    one, two = list(SMALL.wanted)[:2]
    rows = np.arange(50).reshape(10, 5)
    rows[:, 2] = 1
    kept = Store(tmp_path / "store")
    with kept.writer() as writer:
        writer.append([Block(one, 0, rows, 100), Block(two, 0, rows, 100)])
    cut(kept.files()[0])
    with kept.writer() as writer:
        assert len(writer.repaired) == 2
        assert (writer.missing(one, 10), writer.missing(two, 10)) == ([], [(0, 10)])
    assert kept.to_frame().evaluations.tolist() == rows[:, 0].tolist()


def dangle(file):
    file.unlink()
    file.symlink_to("nowhere")


def pipe(file):
    file.unlink()
    os.mkfifo(file)


def folder(file):
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize("damage", [dangle, pipe, folder])
def test_what_is_no_file_is_named_and_moved_aside(stored, frame, damage, capsys):
    victim = stored.files()[1]
    damage(victim)
    assert main(["campaign", "status", str(stored.path)]) == 0
    assert f"damaged: {victim.name}" in capsys.readouterr().out
    assert main(["campaign", "export", str(stored.path), "csv", "-o", os.devnull]) == 2
    assert main(["report", str(stored.path), "-o", str(stored.path / "x.html")]) == 2
    same(SMALL.run(stored).to_frame(), frame)
    assert not stored.damages()


def test_what_a_killed_writer_left_behind_its_last_append_does_not_count(stored, frame):
    last = stored.files()[-1]
    with last.open("ab") as file:
        file.write(b'{"check":"half a li')
    (stored.path / "0099-0.jsonl").write_bytes(b'{"check":"half')
    assert not stored.damages()
    same(stored.to_frame(), frame)
    with stored.writer() as writer:
        assert not writer.repaired


# Other writers.


def test_two_writers_in_one_process(stored):
    with stored.writer(), pytest.raises(StoreError, match=f"written by process {os.getpid()}"):
        SMALL.run(stored)
    SMALL.run(stored)


def hold(path, begun):
    with Store(path).writer():
        begun.set()
        time.sleep(60)


def test_the_lock_of_a_killed_writer_is_free(stored, frame):
    processes = multiprocessing.get_context("forkserver")
    begun = processes.Event()
    holder = processes.Process(target=hold, args=(stored.path, begun))
    holder.start()
    assert begun.wait(60)
    with pytest.raises(StoreError, match=f"written by process {holder.pid}"):
        SMALL.run(stored)
    same(stored.to_frame(), frame)
    os.kill(holder.pid, signal.SIGKILL)
    holder.join()
    SMALL.run(stored)


def test_reading_while_somebody_writes(tmp_path):
    made = next(iter(SMALL.wanted))
    path = tmp_path / "store"
    stop, sizes, errors = threading.Event(), [0], []
    with Store(path).writer():
        pass

    def read():
        try:
            while not stop.is_set():
                sizes.append(len(Store(path).to_frame()))
        except Exception as error:
            errors.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    with Store(path).writer() as writer:
        for number in range(100):
            writer.append([Block(made, number, np.ones((1, 5), np.int64), 1)])
    stop.set()
    reader.join()
    assert not errors
    assert sizes == sorted(sizes)


# Disks.


def test_a_full_disk_is_explained_and_nothing_is_lost(tmp_path, monkeypatch, frame):
    real, written = os.fsync, []

    def full(descriptor):
        written.append(descriptor)
        if len(written) > 9:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    path = tmp_path / "store"

    def one_by_one():
        for made, runs in SMALL.wanted.items():
            Campaign({made: runs}).run(path)

    with pytest.raises(StoreError, match=r"No space left.*free some space.*safe") as caught:
        one_by_one()
    assert str(path) in str(caught.value)
    monkeypatch.undo()
    before = len(Store(path).to_frame())
    assert 0 < before < SMALL.total
    same(SMALL.run(path).to_frame(), frame)


PROGRAM = """
import os, resource, sys
from hyperna.cli import main
# Everything is loaded before rights are given up.
main(["campaign", "run", sys.argv[1], "--store", sys.argv[2] + ".before"])
{limit}
sys.exit(main(["campaign", "run", sys.argv[1], "--store", sys.argv[2]]))
"""


def run_limited(limit, *arguments):
    """Run a campaign in a process with limited rights."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(limit=limit), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=ROOT,
        check=False,
    )


@pytest.fixture
def toml(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text('problem = ["half", "quarter"]\nresolution = [12, 60]\nruns = 30\n')
    return file


def test_a_file_that_cannot_grow(toml, tmp_path):
    """A limit of the system instead of a disk that is really full."""
    done = run_limited(
        "resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900))", toml, tmp_path / "s"
    )
    assert done.returncode == 2
    assert "cannot be written: File too large; free some space" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_folder_without_the_right_to_write(toml, tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir()
    # Root may write everywhere, so it becomes nobody, who must be able to get there.
    made_by_pytest = takewhile(lambda p: p.name.startswith(("pytest-", "popen-")), tmp_path.parents)
    for parent in [tmp_path, *made_by_pytest] if os.getuid() == 0 else []:
        parent.chmod(parent.stat().st_mode | 0o055)
    limit = "os.chmod(os.path.dirname(sys.argv[2]), 0o555); os.getuid() or os.setuid(65534)"
    done = run_limited(limit, toml, folder / "store")
    assert done.returncode == 2
    assert "cannot be written: Permission denied; choose a folder" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_store_that_may_only_be_read_can_be_read(stored, frame, monkeypatch):
    def forbidden(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "replace", forbidden)
    same(stored.to_frame(), frame)
    assert sum(entry.done for entry in stored.status()) == SMALL.total
    SMALL.run(stored)  # nothing is missing
    with pytest.raises(StoreError, match="cannot be written: Permission denied; choose a folder"):
        Campaign.product(problem="half", runs=1).run(stored)


def test_the_source_of_points_may_vanish(tmp_path):
    file = tmp_path / "points.csv"
    file.write_text("x,y,kind\n0.5,0.1,a\n-0.5,0.3,b\n")
    with Store(tmp_path / "store").writer() as writer:
        writer.want({setting(problem=str(file)): 3})
    file.unlink()
    (stored,) = Store(tmp_path / "store").wanted()
    with pytest.raises(FileNotFoundError, match=r"points\.csv"):
        stored.runner()
