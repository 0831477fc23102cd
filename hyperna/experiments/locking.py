"""Folders with one writer, and errors that say what to do."""

import errno
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)


class StoreError(OSError):
    """A store cannot be read or written; the message says why and what helps."""


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn errors of the operating system into a `StoreError` that says what helps."""
    try:
        yield
    except StoreError:
        raise
    except OSError as error:
        text = f"cannot be written: {error.strerror}; "
        if error.errno in _FULL:
            text += "free some space and start again, all runs stored before are safe"
        elif error.errno in _FORBIDDEN:
            text += "choose a folder in which you may write"
        else:
            text = f"cannot be used: {error.strerror or error}"
        raise StoreError(f"{path} {text}") from error


@contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Hold the lock file; the system frees it when the process ends, however it ends."""
    with open(path, "a+", encoding="utf-8") as file:
        if not _try_lock(file.fileno()):
            file.seek(0)
            holder = " ".join(file.read(200).split()) or "another process"
            raise StoreError(f"{what} is being written by {holder}; wait for it or stop it")
        file.seek(0)
        file.truncate()
        file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
        file.flush()
        yield


def _try_lock(descriptor: int) -> bool:
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            import msvcrt

            # A byte far behind the text, which others may still read.
            os.lseek(descriptor, 1 << 20, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK):
            return False
        raise
    return True
