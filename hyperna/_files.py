"""Writing files: plain ones are replaced in one step, anything else is written to as it is."""

import errno
import os
import re
import stat
import sys
from contextlib import suppress
from io import FileIO
from pathlib import Path

# Drafts that this process has not finished yet, for the handler that ends it at once.
_DRAFTS: set[str] = set()


def write_file(path: str | os.PathLike[str], data: str | bytes) -> None:
    r"""Write a file as a whole: readers see the old content or the new one, never half of it.

    A plain file is replaced in one step and keeps its mode and its owner. A symbolic link is
    followed. Devices, FIFOs and open descriptors such as ``/dev/stdout`` are written to. Text is
    written in UTF-8 with the same line ends on every system.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(f"{folder}/answer.txt", "42\n")
    ...     os.listdir(folder), Path(folder, "answer.txt").read_text()
    (['answer.txt'], '42\n')
    """
    content = data.encode() if isinstance(data, str) else data
    try:
        descriptor = _open_descriptor(path)
        target = os.path.realpath(path)
        old = os.stat(target) if os.path.exists(target) else None
        if descriptor is not None:
            sys.stdout.flush()
            with open(os.dup(descriptor), "wb", buffering=0) as file:
                write_all(file, content)
        elif old is not None and not stat.S_ISREG(old.st_mode):
            with open(target, "wb", buffering=0) as file:
                write_all(file, content)
        else:
            _replace(target, content, old)
    except OSError as error:  # which may name the draft, or nothing
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def _replace(target: str, content: bytes, old: os.stat_result | None) -> None:
    """Write a draft beside the target, then give it the target's name, durably."""
    folder = os.path.dirname(target)
    draft = os.path.join(folder, f".hyperna-{os.getpid()}-{os.urandom(4).hex()}.draft")
    _DRAFTS.add(draft)
    try:
        with open(draft, "xb", buffering=0) as file:
            if old is not None:
                _take_over(file.fileno(), old)
            write_all(file, content)
            os.fsync(file.fileno())
        os.replace(draft, target)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        # A file that is mounted by itself, as in a container, cannot be replaced.
        with open(target, "r+b", buffering=0) as file:
            write_all(file, content)
            file.truncate()
    finally:
        Path(draft).unlink(missing_ok=True)
        _DRAFTS.discard(draft)
    sync_folder(folder)


def write_all(file: FileIO, content: bytes) -> None:
    """Write all of the content to a file without a buffer, which may take a part at a time."""
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise an OSError if `write_file` cannot write there, before any work is done for it."""
    if os.path.isdir(path):
        raise IsADirectoryError(f"cannot write {path}: it is a folder")
    if _open_descriptor(path) is not None:
        return
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        if not os.access(target, os.W_OK):
            raise PermissionError(f"cannot write {path}: it is not writable")
        return
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        named = os.path.dirname(os.fspath(path)) if not os.path.islink(path) else folder
        raise FileNotFoundError(f"cannot write {path}: folder {named} does not exist; create it")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"cannot write {path}: folder {folder} is not writable")


def is_standard_output(path: str | os.PathLike[str]) -> bool:
    """Whether a path such as ``/dev/stdout`` stands for the standard output of this process."""
    return _open_descriptor(path) == 1


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Make new, renamed and removed names in a folder durable."""
    if os.name == "nt":  # which has no such call
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_drafts() -> None:
    """Remove what this process has begun to write, for one that ends without cleaning up."""
    for draft in list(_DRAFTS):
        Path(draft).unlink(missing_ok=True)


def _open_descriptor(path: str | os.PathLike[str]) -> int | None:
    """Return the open descriptor that a path such as /dev/stdout stands for, if it does."""
    name = os.path.abspath(path)
    for _ in range(40):  # as many links as Linux follows
        found = re.fullmatch(r"(?:/dev|/proc/(?:self|thread-self|\d+))/fd/(\d+)", name)
        if found is not None:
            own = not name.startswith("/proc/") or name.split("/")[2] in ("self", str(os.getpid()))
            return int(found[1]) if own else None
        if not os.path.islink(name):
            return None
        name = os.path.normpath(os.path.join(os.path.dirname(name), os.readlink(name)))
    return None


def _take_over(descriptor: int, old: os.stat_result) -> None:
    """Give a new file the mode and, where that is allowed, the owner of the old one."""
    if os.name == "nt":
        return
    if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
        # Where that is forbidden, a file of another user becomes the writer's, as with any editor.
        with suppress(PermissionError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
