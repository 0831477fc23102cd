"""Output goes where it is sent: links, devices, FIFOs, modes; plain files in one step."""

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hyperna import _files
from hyperna._files import check_writable, is_standard_output, remove_drafts, write_file
from hyperna.cli import main
from hyperna.datasets import dataset

ROOT = Path(__file__).parents[1]
MOONS = dataset("moons").to_csv()
unix = pytest.mark.skipif(os.name == "nt", reason="has no FIFOs, devices and modes")
pytestmark = unix


def write_moons(path):
    """Have the command write a data set, without any other output."""
    assert main(["dataset", "moons", "-o", str(path)]) == 0


@pytest.fixture
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "xor.json"
    assert (
        main(["fit", "xor", "--max-neurons", "1", "--evaluations", "50", "--save", str(path)]) == 0
    )
    return path


def read_fifo(path, write):
    """Return what arrives at the other end of a FIFO while something is written into it."""
    os.mkfifo(path)
    arrived = []
    reader = threading.Thread(target=lambda: arrived.append(path.read_bytes()))
    reader.start()
    write()
    reader.join(10)
    if stat.S_ISFIFO(os.stat(path).st_mode) and reader.is_alive():  # nobody wrote: let it go
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
    reader.join(20)
    assert stat.S_ISFIFO(os.stat(path).st_mode)
    return arrived[0]


def test_a_fifo_is_written_to(tmp_path, model):
    assert read_fifo(tmp_path / "pipe", lambda: write_moons(tmp_path / "pipe")) == MOONS.encode()
    saved = read_fifo(
        tmp_path / "pipe2",
        lambda: main(
            [
                "fit",
                "xor",
                "--max-neurons",
                "1",
                "--evaluations",
                "50",
                "--save",
                f"{tmp_path}/pipe2",
            ]
        ),
    )
    assert saved == model.read_bytes()
    points = ROOT / "datasets" / "xor.csv"
    answers = read_fifo(
        tmp_path / "pipe3",
        lambda: main(["predict", str(model), str(points), "-o", f"{tmp_path}/pipe3"]),
    )
    assert answers.startswith(b"x1,x2,label,prediction\n")


def test_a_device_stays_a_device(tmp_path):
    device = tmp_path / "null"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.stat(os.devnull).st_rdev)
        with open(device, "wb"):
            pass
    except OSError:
        pytest.skip("devices cannot be made here")
    write_moons(device)
    assert stat.S_ISCHR(os.stat(device).st_mode)
    check_writable(os.devnull)


@pytest.mark.parametrize("exists", [True, False])
def test_links_are_followed(tmp_path, exists):
    (tmp_path / "data").mkdir()
    target, link = tmp_path / "data" / "moons.csv", tmp_path / "link.csv"
    if exists:
        target.write_text("old")
    link.symlink_to("data/moons.csv")
    write_moons(link)
    assert link.is_symlink()
    assert target.read_text() == MOONS
    assert [file.name for file in target.parent.iterdir()] == ["moons.csv"]


def test_a_link_into_a_folder_that_is_not_there(tmp_path, capsys):
    (tmp_path / "link.csv").symlink_to("nowhere/moons.csv")
    assert main(["dataset", "moons", "-o", str(tmp_path / "link.csv")]) == 2
    assert "nowhere does not exist; create it" in capsys.readouterr().err


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_modes_are_kept(tmp_path, mode):
    path = tmp_path / "moons.csv"
    path.write_text("old")
    path.chmod(mode)
    before = path.stat()
    write_moons(path)
    after = path.stat()
    assert stat.S_IMODE(after.st_mode) == mode
    assert after.st_ino != before.st_ino, "it was not replaced in one step"


@pytest.mark.parametrize("owner", [(65534, 65534), (0, 65534), (65534, 0)])
def test_owners_are_kept(tmp_path, owner):
    path = tmp_path / "moons.csv"
    path.write_text("old")
    if os.getuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(path, *owner)
    write_moons(path)
    assert (path.stat().st_uid, path.stat().st_gid) == owner


def test_new_files_have_the_usual_mode(tmp_path):
    (tmp_path / "usual").touch()
    write_moons(tmp_path / "moons.csv")
    assert (tmp_path / "moons.csv").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_names_as_long_as_the_system_allows(tmp_path):
    path = tmp_path / ("n" * 251 + ".csv")
    write_moons(path)
    assert path.read_text() == MOONS


@pytest.mark.parametrize(
    "name",
    [
        "/dev/stdout",
        *(pytest.param(f"{x}/fd/1", marks=pytest.mark.slow) for x in ("/dev", "/proc/self")),
    ],
)
@pytest.mark.parametrize("kind", ["pipe", "appended file"])
def test_standard_output_by_its_name(tmp_path, name, kind):
    if not Path("/proc/self/fd/1").exists():
        pytest.skip("this system has no /proc")
    argv = [sys.executable, "-m", "hyperna", "dataset", "xor", "-o", name]
    xor = dataset("xor").to_csv()
    told = f"{name}: {len(dataset('xor').X)} points, 2 features, 2 classes\n"
    if kind == "pipe":
        done = subprocess.run(argv, capture_output=True, text=True, cwd=ROOT, check=True)
        out = done.stdout
        assert done.stderr == told  # not among the data
    else:
        log = tmp_path / "log"
        log.write_text("before\n")
        with open(log, "a") as file:
            subprocess.run(argv, stdout=file, cwd=ROOT, check=True)
        out = log.read_text().removeprefix("before\n")
        assert log.read_text().startswith("before\n")
    assert out == xor


@pytest.mark.parametrize("name", ["/dev/stderr", "/dev/fd/2", "/dev/null", "1", "stdout"])
def test_what_is_not_standard_output(name):
    assert not is_standard_output(name)


def test_links_to_standard_output_are_followed_wherever_they_stand(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "one").symlink_to("/proc/self/fd/1")
    (tmp_path / "folder" / "two").symlink_to("../one")
    (tmp_path / "three").symlink_to("folder/two")
    (tmp_path / "error").symlink_to("/dev/fd/2")
    (tmp_path / "other").symlink_to(f"/proc/{os.getppid()}/fd/1")
    (tmp_path / "round").symlink_to("round")
    found = [name for name in sorted(os.listdir(tmp_path)) if is_standard_output(tmp_path / name)]
    assert found == ["one", "three"]
    assert is_standard_output(tmp_path / "folder" / "two")
    assert is_standard_output(f"/proc/{os.getpid()}/fd/1")


def test_standard_output_keeps_its_order(tmp_path):
    code = "from hyperna._files import write_file\nprint('a')\nwrite_file('/dev/stdout', 'b\\n')"
    buffered = {**os.environ, "PYTHONUNBUFFERED": ""}
    with open(tmp_path / "log", "w") as log:  # not a terminal, so that print does not flush
        subprocess.run([sys.executable, "-c", code], stdout=log, cwd=ROOT, check=True, env=buffered)
    assert (tmp_path / "log").read_text() == "a\nb\n"


# What happens at the moment of writing.


def test_a_system_that_takes_a_few_bytes_at_a_time():
    class Slow:
        taken = b""

        def write(self, data):
            self.taken += bytes(data[:3])
            return min(3, len(data))

    file = Slow()
    _files.write_all(file, b"one long sentence")
    assert file.taken == b"one long sentence"


def test_the_order_of_durable_writes(tmp_path, monkeypatch):
    """Content is on the disk before the name is, and the name before the function returns."""
    order = []
    real = {name: getattr(os, name) for name in ("fsync", "replace")}

    def fsync(descriptor):
        kind = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
        order.append((f"sync {kind}", os.fstat(descriptor).st_size if kind == "file" else None))
        real["fsync"](descriptor)

    def replace(one, other):
        order.append(("rename", None))
        # a rename is one step only within a file system
        assert os.path.dirname(one) == os.path.dirname(other)
        real["replace"](one, other)

    monkeypatch.setattr(_files.os, "fsync", fsync)
    monkeypatch.setattr(_files.os, "replace", replace)
    write_file(tmp_path / "file", b"content")
    assert order == [("sync file", 7), ("rename", None), ("sync folder", None)]


@pytest.mark.parametrize("step", ["fsync", "replace", "fchmod"])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step):
    path = tmp_path / "file"
    path.write_text("old")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_files.os, step, full)
    with pytest.raises(OSError, match=r"No space left on device: '.*/file'"):
        write_file(path, "new")
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
    assert path.read_text() == "old"


def test_a_mounted_file_is_written_in_place(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("a longer old text")

    def busy(*_):
        raise OSError(errno.EBUSY, "Device or resource busy")

    monkeypatch.setattr(_files.os, "replace", busy)
    write_file(path, "new")
    assert path.read_text() == "new"


def test_drafts_can_be_removed_at_once(tmp_path, monkeypatch):
    """As by the handler of a signal, in the middle of writing two files."""
    drafts = []

    def stop(draft, target):
        drafts.append(draft)
        if len(drafts) == 1:
            with pytest.raises(FileNotFoundError):
                write_file(tmp_path / "other", "half")
        else:
            assert sorted(tmp_path.iterdir()) == sorted(map(Path, drafts))
            remove_drafts()
        assert not list(tmp_path.iterdir())
        raise FileNotFoundError(errno.ENOENT, "gone", draft)

    monkeypatch.setattr(_files.os, "replace", stop)
    with pytest.raises(FileNotFoundError):
        write_file(tmp_path / "file", "half")
    assert len(set(drafts)) == 2


def test_what_cannot_be_written_is_refused_before_any_work(tmp_path):
    with pytest.raises(IsADirectoryError, match="it is a folder"):
        check_writable(tmp_path)
    with pytest.raises(FileNotFoundError, match="does not exist; create it"):
        check_writable(tmp_path / "nowhere" / "file")


def test_the_output_of_another_process_is_its_own(tmp_path, capfd):
    from hyperna._files import write_file

    if not Path("/proc/self/fd/1").exists():
        pytest.skip("this system has no /proc")
    with open(tmp_path / "log", "wb") as log:
        other = subprocess.Popen(
            [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stdout=log
        )
        try:
            write_file(f"/proc/{other.pid}/fd/1", "for you\n")
        finally:
            other.communicate(b"\n")
    assert (tmp_path / "log").read_text() == "for you\n"
    assert capfd.readouterr().out == ""
