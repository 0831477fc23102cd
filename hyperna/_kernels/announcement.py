"""One line on standard error when the compilation of a large kernel begins.

Compilation takes seconds in which a program seems to hang. numba tells its listeners when it begins
to compile; a kernel that comes from the cache is not compiled.
"""

import os
import sys
from typing import Any

MESSAGE = (
    "hyperna: compiling what this needs, about 10 seconds; the code is stored, so this happens "
    "only the first time (HYPERNA_QUIET=1 silences this line)"
)
# Kernels that take long to compile.
LARGE = ("run_batch", "judge", "solve_moments")

announced = False


def silence(quiet: bool = True) -> None:
    """Print no line when compilation begins, or print it again with ``quiet=False``."""
    global announced
    announced = quiet


def announce(dispatcher: Any) -> None:
    """Print the line, once per process, if this is one of our large kernels."""
    function = getattr(dispatcher, "py_func", None)
    module, name = getattr(function, "__module__", ""), getattr(function, "__name__", "")
    if announced or not module.startswith("hyperna._kernels") or name not in LARGE:
        return
    silence()
    if not os.environ.get("HYPERNA_QUIET"):
        print(MESSAGE, file=sys.stderr, flush=True)


def listen() -> None:
    """Ask numba to tell when it compiles; a numba that cannot is left alone."""
    try:
        from numba.core import event
    except ImportError:
        return

    class Announcer(event.Listener):
        """Passes on the beginning of each compilation."""

        def on_start(self, event: Any) -> None:
            announce((event.data or {}).get("dispatcher"))

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:compile", Announcer())


listen()
