"""Settings shared by all tests."""

import os
import signal
import sys
from pathlib import Path

# Pictures are drawn without a display, wherever the tests run.
os.environ.setdefault("MPLBACKEND", "Agg")
# What is written to standard error does not depend on whether kernels are compiled already.
os.environ.setdefault("HYPERNA_QUIET", "1")
# Matrices are small here: threads of linear algebra would mostly wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

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

# Files that take long come first, so that two workers end together. Neighbours compile other
# kernels, so that none is compiled twice.
LONG = (
    "test_circle_kernel",
    "test_classifier_checks",
    "test_algorithm_laws",
    "test_cli",
    "test_best_fitness",
    "test_dask",
    "test_classifier_fit",
    "test_points_kernel",
    "test_jit",
    "test_classifier_fitting",
    "test_cli_ends",
    "test_options",
    "test_mutation_laws",
    "test_theory_chain",
    "test_agreement",
    "test_classifier_bent",
    "test_classifier_rules",
    "test_compare",
    "test_online",
    "test_lost_workers",
    "test_interpreted",
    "test_fuzz_store",
    "test_classifier_backends",
)


def pytest_configure(config):
    # pytest-xdist would begin with the files with the most tests
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False


def pytest_collection_modifyitems(items):
    places = {name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.path.stem, len(LONG)))


@pytest.fixture(scope="session", autouse=True)
def quick_disk():
    """Files are not brought to the disk, for which the tests would wait more than a minute."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", os.fstat)
        yield


@pytest.fixture(autouse=True)
def closed_figures():
    """Figures do not outlive the test that drew them, or matplotlib would warn of so many."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def full_disk(monkeypatch):
    """A function that lets the disk be full from now on: what is written does not stay."""
    from hyperna import _files

    def no_space(descriptor):
        raise OSError(28, "No space left on device")

    return lambda: monkeypatch.setattr(_files.os, "fsync", no_space)


@pytest.fixture
def claims(monkeypatch):
    """The module that writes the sentences of the pages of findings."""
    pytest.importorskip("pandas")
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "notebooks" / "campaigns"))
    from pages import claims

    yield claims
    for name in [name for name in sys.modules if name.split(".")[0] == "pages"]:
        del sys.modules[name]
