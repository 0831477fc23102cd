"""What is said where a store cannot be written or locked."""

import errno
import os
import socket

import pytest

from hyperna.experiments.locking import StoreError, explained, locked

FULL = "; free some space and start again, all runs stored before are safe"
FORBIDDEN = "; choose a folder in which you may write"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        *((number, f"cannot be written: {{}}{FULL}") for number in (errno.ENOSPC, errno.EDQUOT)),
        (errno.EFBIG, f"cannot be written: {{}}{FULL}"),
        *((n, f"cannot be written: {{}}{FORBIDDEN}") for n in (errno.EACCES, errno.EPERM)),
        (errno.EROFS, f"cannot be written: {{}}{FORBIDDEN}"),
        *((n, "cannot be used: {}") for n in (errno.EIO, errno.ENOTDIR, errno.ELOOP)),
    ],
)
def test_every_reason_has_its_remedy(tmp_path, number, text):
    with pytest.raises(StoreError) as found, explained(tmp_path):
        raise OSError(number, os.strerror(number))
    assert str(found.value) == f"{tmp_path} {text.format(os.strerror(number))}"


def test_a_reason_without_number_is_told_and_ours_is_left_alone(tmp_path):
    with pytest.raises(StoreError, match=r"cannot be used: something odd$"), explained(tmp_path):
        raise OSError("something odd")
    ours = StoreError("already explained")
    with pytest.raises(StoreError) as found, explained(tmp_path):
        raise ours
    assert found.value is ours


def test_a_lock_names_who_holds_it_and_ends_with_its_block(tmp_path):
    path = tmp_path / "lock"
    path.write_text("an earlier holder with a long name\n", encoding="utf-8")
    with locked(path, "the store"):
        assert path.read_text() == f"process {os.getpid()} on {socket.gethostname()}\n"
        text = (
            f"^the store is being written by process {os.getpid()} on .*; wait for it or stop it$"
        )
        with pytest.raises(StoreError, match=text), locked(path, "the store"):
            pass
        path.write_text("")
        with pytest.raises(StoreError, match="by another process;"), locked(path, "the store"):
            pass
    with locked(path, "the store"):
        pass


def test_a_fault_of_the_lock_itself_is_not_taken_for_another_writer(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    for number, refused in (
        (errno.EWOULDBLOCK, True),
        (errno.EDEADLK, True),
        (errno.EACCES, True),
        (errno.ENOLCK, False),
    ):

        def flock(descriptor, how, number=number):
            assert how == fcntl.LOCK_EX | fcntl.LOCK_NB
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(fcntl, "flock", flock)
        with pytest.raises(OSError) as found, locked(tmp_path / "lock", "it"):  # noqa: PT011
            pass
        assert isinstance(found.value, StoreError) == refused
