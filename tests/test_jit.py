"""The kernel decorator: caches survive, edited helpers recompile, and no cache is no obstacle."""

import gc
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hyperna._kernels import announcement, jit  # noqa: F401  the first acts when imported

HELPER = "from kernels.jit import kernel\n\n@kernel\ndef helper(x):\n    return x + {value}\n"
MAIN = """\
from kernels.helper import helper
from kernels.jit import kernel

@kernel
def main(x):
    return 10 * helper(x)
"""
PROGRAM = """\
import numba
from kernels.main import main
assert not numba.config.DISABLE_JIT
print(main(1), sum(main.stats.cache_hits.values()), main.stats.cache_path)
"""


@pytest.fixture
def package(tmp_path):
    """A package of two kernels in two files, one compiled into the other."""
    folder = tmp_path / "kernels"
    folder.mkdir()
    (folder / "__init__.py").touch()
    shutil.copy(jit.__file__, folder / "jit.py")
    (folder / "helper.py").write_text(HELPER.format(value=1))
    (folder / "main.py").write_text(MAIN)
    return folder


def run(package, program=PROGRAM, **environment):
    """Run a program in a new process; return its result, its cache hits and its cache path."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=package.parent,
        env={**inherited, "XDG_CACHE_HOME": str(package.parent / "home"), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    result, hits, path = process.stdout.split()
    return int(result), int(hits), path


@pytest.mark.slow
def test_an_edited_helper_recompiles_the_kernel_it_is_part_of(package):
    assert run(package)[:2] == (20, 0)
    assert run(package)[:2] == (20, 1)
    helper = package / "helper.py"
    times = helper.stat()
    helper.write_text(HELPER.format(value=2))
    # Even an edit that leaves size and modification time as they were.
    os.utime(helper, ns=(times.st_atime_ns, times.st_mtime_ns))
    for bytecode in (package / "__pycache__").glob("*.pyc"):
        bytecode.unlink()  # Python's own cache does go by size and time
    assert run(package)[:2] == (30, 0)


@pytest.mark.slow
def test_the_cache_lies_beside_the_source_or_where_the_user_says(package, tmp_path):
    assert run(package)[2] == str(package / "__pycache__")
    elsewhere = tmp_path / "elsewhere"
    assert run(package, NUMBA_CACHE_DIR=str(elsewhere))[2].startswith(str(elsewhere))


@pytest.mark.slow
def test_a_package_that_cannot_be_written_to_uses_the_user_cache(package, tmp_path):
    # A file in the place of the folder stops even a superuser, unlike permissions.
    (package / "__pycache__").touch()
    result, _, path = run(package)
    assert result == 20
    assert not path.startswith(str(package))
    assert run(package) == (20, 1, path)


def test_without_any_place_to_write_kernels_still_work(package, tmp_path):
    (package / "__pycache__").touch()
    (tmp_path / "home").touch()
    assert run(package) == (20, 0, "None")


def test_a_numba_without_the_private_parts_gets_the_plain_cache(package):
    without = "from numba.core import caching\ndel caching.InTreeCacheLocator\n"
    assert run(package, without + PROGRAM) == (20, 0, str(package / "__pycache__"))


def test_a_numba_that_always_counts_references_is_not_told_otherwise(package):
    without = "from numba.core.options import DefaultOptions\ndel DefaultOptions._nrt\n"
    assert run(package, without + PROGRAM) == (20, 0, str(package / "__pycache__"))


def test_interpreted_kernels_are_plain_functions(package):
    program = "from kernels.main import main\nprint(main(1), 0, type(main).__name__)\n"
    assert run(package, program, NUMBA_DISABLE_JIT="1") == (20, 0, "function")


def test_the_digest_covers_every_file_of_the_folder():
    names = {path.name for path in Path(jit.__file__).parent.glob("*.py")}
    assert {"jit.py", "geometry.py"} <= names
    assert len(jit.folder_digest()) == 64


# ---- caches that are of no use


def index_of(package):
    return next((package / "__pycache__").glob("main.main-*.nbi"))


def test_a_damaged_index_costs_a_compilation(package):
    assert run(package)[:2] == (20, 0)
    index_of(package).write_bytes(b"no index")
    assert run(package)[:2] == (20, 0)
    assert run(package)[:2] == (20, 1)


@pytest.mark.slow
@pytest.mark.parametrize("content", [None, b"", b"no machine code"])
def test_damaged_machine_code_costs_a_compilation(package, content):
    assert run(package)[:2] == (20, 0)
    for file in (package / "__pycache__").glob("main.main-*.nbc"):
        if content is None:
            file.unlink()
        else:
            file.write_bytes(content)
    assert run(package)[:2] == (20, 0)
    assert run(package)[:2] == (20, 1)


@pytest.mark.slow
def test_a_full_disk_costs_a_compilation(package):
    full = """\
import errno
from numba.core import caching

def no_space(self, path):
    raise OSError(errno.ENOSPC, "No space left on device")

caching.IndexDataCacheFile._open_for_write = no_space
"""
    assert run(package, full + PROGRAM)[:2] == (20, 0)
    assert run(package)[:2] == (20, 0)


@pytest.mark.slow
def test_a_cache_that_is_emptied_costs_a_compilation(package):
    assert run(package)[:2] == (20, 0)
    shutil.rmtree(package / "__pycache__")
    assert run(package)[:2] == (20, 0)


# ---- one line when compilation begins


ANNOUNCED = """\
from hyperna._kernels import announcement
{before}

class Dispatcher:
    def py_func(self):
        pass

Dispatcher.py_func.__module__ = "hyperna._kernels.loop"
Dispatcher.py_func.__name__ = "run_batch"
for _ in range(2):
    announcement.announce(Dispatcher)
"""


@pytest.mark.parametrize(
    ("before", "quiet", "lines"),
    [("", "", 1), ("", "1", 0), ("announcement.silence()", "", 0)],
)
def test_compilation_is_announced_once_unless_silenced(before, quiet, lines):
    process = subprocess.run(
        [sys.executable, "-c", ANNOUNCED.format(before=before)],
        cwd=Path(jit.__file__).parents[2],
        env={**os.environ, "HYPERNA_QUIET": quiet},
        capture_output=True,
        text=True,
        check=True,
    )
    assert process.stdout == ""
    assert process.stderr.count("hyperna: compiling") == lines


INNER = """\
from hyperna._kernels.jit import inline_kernel, inner_kernel, kernel
from hyperna._kernels.postponed import INNER_OPTIONS

@inline_kernel
def square(x):
    return x * x

@inner_kernel
def cube(x):
    return x * square(x)

@kernel
def power(x, times):
    for _ in range(times):
        x = cube(x)
    return x

print(power(2, 2), power(3, 1), bool(INNER_OPTIONS))
"""


@pytest.mark.parametrize("plain", ["", "1"])
def test_inner_functions_are_compiled_by_our_rules_or_by_those_of_numba(plain):
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", INNER],
        env={**os.environ, "HYPERNA_PLAIN_NUMBA": plain, "NUMBA_DISABLE_JIT": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert process.stdout.split() == ["512", "27", str(not plain)]


@pytest.mark.parametrize("collecting", [True, False])
def test_no_garbage_is_collected_while_kernels_are_compiled(collecting):
    from numba.core import event

    seen = []

    class Witness(event.Listener):
        def on_start(self, event):
            seen.append(gc.isenabled())

        def on_end(self, event):
            pass

    @jit.inner_kernel
    def twice(x):
        return x + x

    @jit.kernel
    def four_times(x):
        return twice(twice(x))

    witness = Witness()
    event.register("numba:compile", witness)
    try:
        if not collecting:
            gc.disable()
        assert four_times(3) == 12
        assert gc.isenabled() == collecting
    finally:
        gc.enable()
        event.unregister("numba:compile", witness)
    assert seen == [False, False]
