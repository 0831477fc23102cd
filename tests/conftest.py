"""Settings shared by all tests."""

import os
import signal

# Pictures are drawn without a display, wherever the tests run.
os.environ.setdefault("MPLBACKEND", "Agg")
# What is written to standard error does not depend on whether kernels are compiled already.
os.environ.setdefault("HYPERNA_QUIET", "1")

# Shells let what they start in the background ignore Ctrl-C, which some tests send to themselves.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import pytest
from hypothesis import settings

# Compiled kernels take seconds at their first call, which is no fault of the example that met it.
settings.register_profile("hyperna", deadline=None, derandomize=True, print_blob=True)
# For fuzzing by hand: python -m pytest tests/fuzz --hypothesis-profile long
settings.register_profile("long", max_examples=10_000, deadline=None, print_blob=True)
settings.load_profile("hyperna")


@pytest.fixture
def full_disk(monkeypatch):
    """A function that lets the disk be full from now on: what is written does not stay."""
    from hyperna import _files

    def no_space(descriptor):
        raise OSError(28, "No space left on device")

    return lambda: monkeypatch.setattr(_files.os, "fsync", no_space)
