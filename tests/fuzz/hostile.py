"""What the fuzz targets share: hostile values, a time limit, and what counts as a clean refusal.

A target tries generated inputs on one surface. Each input must work or be refused with an error of
the expected kind and a message of readable length; anything else is a fault. In the suite a target
takes seconds; by hand as long as one likes:

    python -m pytest tests/fuzz --hypothesis-profile long
"""

import signal
import time
from contextlib import contextmanager

import numpy as np
from hypothesis import strategies as st

# Errors that a caller can expect for bad input.
REFUSALS = (ValueError, TypeError, OSError, OverflowError, MemoryError, ImportError)
LONGEST_MESSAGE = 1500
# Seconds of processor time after which an input counts as one that never ends (compilation is
# included), and how many times as long it may take on a machine that is busy with other work.
TIME_LIMIT, PATIENCE = 120, 10

TEXTS = [
    "", " ", "-", "--", "=", ":", ",", "0", "-1", "1", "2", "3", "12", "1.5", "-0.0", "nan", "inf",
    "1e400", "1e-400", "1_0", "0x10", "٣", "9" * 5000, "x" * 20_000, "half", "quarter:dim=3",
    "moons:n=10", "arcs:k=0", "local", "pareto:shape=0", "a\0b", "\ud800", "\ufeff", "\n", "'\"",
    "../..", ".", "/dev/null", "no/such/folder/file.csv", "[bold]", "{}", "%s", "None", "true",
]  # fmt: skip

NUMBERS = [
    0, 1, 2, 3, -1, 7, 10**30, -(10**30), 2**63, 2**40 + 1, True, False, 0.0, -0.0, 0.5, 1.0, -1.5,
    float("nan"), float("inf"), -float("inf"), 1e308, 5e-324, 1j, np.int8(-1), np.float32("nan"),
    np.bool_(True), np.uint64(2**64 - 1),
]  # fmt: skip


class Odd:
    """An object of no use, with a representation that fails."""

    def __repr__(self):
        raise ValueError("no representation")


OBJECTS = [
    None, Odd(), object(), [], (), {}, set(), [[]], [1, 2], [[1.0, 2.0], [3.0]], [["a", "b"]],
    [None], {"a": 1}, b"", b"bytes", int, len, ..., range(3), np.zeros(0), np.zeros((0, 2)),
    np.zeros((2, 0)), np.zeros((2, 2)), np.full((3, 2), np.nan), np.ones((2, 2, 2)),
    np.array(["x"]), np.array([object()]), np.array([[1, 2], [3, 4]], dtype=np.int8),
    np.array([[1e308, -1e308], [1.0, 2.0]]), np.datetime64("now"),
]  # fmt: skip


def anything():
    """Return a strategy of values that nobody expects."""
    return st.one_of(
        st.sampled_from(TEXTS),
        st.sampled_from(NUMBERS),
        st.sampled_from(OBJECTS),
        st.text(max_size=20),
        st.integers(-(2**70), 2**70),
        st.floats(),
        st.lists(st.one_of(st.integers(-3, 3), st.floats(), st.text(max_size=3)), max_size=4),
    )


class TakesForEver(Exception):
    """An input takes longer than any honest answer."""


@contextmanager
def in_time(what):
    """Fail if the content does not end; only where the system has alarms."""
    begin, spent = time.monotonic(), time.process_time()

    def late(*_):
        waited, worked = time.monotonic() - begin, time.process_time() - spent
        if worked < TIME_LIMIT and waited < PATIENCE * TIME_LIMIT:
            signal.alarm(TIME_LIMIT)
        else:
            raise TakesForEver(f"no answer in {waited:.0f} s ({worked:.0f} s): {what!r:.2000}")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(TIME_LIMIT)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def works_or_refuses(what, call):
    """Return the result of a call, or None if it is cleanly refused."""
    with in_time(what):
        try:
            return call()
        except REFUSALS as refusal:
            check_message(refusal)
            return None


def check_message(refusal):
    """Fail if the message of an error is too long to be read."""
    if isinstance(refusal, OSError) and refusal.filename is not None:
        return  # the system's own message, with the whole name of the file
    assert len(str(refusal)) <= LONGEST_MESSAGE, f"a message of {len(str(refusal))} characters"
