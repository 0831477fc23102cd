"""What happens while kernels are compiled: a line on standard error, and no garbage collection.

Compilation takes seconds in which a program seems to hang. numba tells its listeners when it begins
to compile and when it ends; a kernel that comes from the cache is not compiled. The compiler makes
millions of objects that live until it is done, and Python's search for unused ones among them takes
a tenth of the time.
"""

import gc
import os
import sys
from typing import Any

_COMPILING = "hyperna: compiling what this needs, about 10 seconds;"
_SILENCED = "(HYPERNA_QUIET=1 silences this line)"
ONLY_ONCE = f"{_COMPILING} the code is stored, so this happens only the first time {_SILENCED}"
EVERY_TIME = (
    f"{_COMPILING} every process does so, because no folder can be written to in which the code "
    f"would be stored: name one in the environment variable NUMBA_CACHE_DIR {_SILENCED}"
)
# Kernels that take long to compile.
LARGE = ("run_batch", "judge", "solve_values", "evolve_rule", "soft_loss", "description_length")

announced = False
# Whether compiled code is kept for the next process.
stored = True


def silence(quiet: bool = True) -> None:
    """Print no line when compilation begins, or print it again with ``quiet=False``."""
    global announced
    announced = quiet


def say_not_stored(error: Exception) -> None:
    """Take back that the code is stored, once per process, if that has been said."""
    global stored
    if announced and stored and not os.environ.get("HYPERNA_QUIET"):
        print(
            f"hyperna: the compiled code cannot be stored ({error}), so the next process compiles "
            "it again",
            file=sys.stderr,
            flush=True,
        )
    stored = False


def announce(dispatcher: Any) -> None:
    """Print the line, once per process, if this is one of our large kernels."""
    function = getattr(dispatcher, "py_func", None)
    module, name = getattr(function, "__module__", ""), getattr(function, "__name__", "")
    if announced or not module.startswith("hyperna._kernels") or name not in LARGE:
        return
    silence()
    if not os.environ.get("HYPERNA_QUIET"):
        print(ONLY_ONCE if stored else EVERY_TIME, file=sys.stderr, flush=True)


def listen() -> None:
    """Ask numba to tell when it compiles; a numba that cannot is left alone."""
    try:
        from numba.core import event
    except ImportError:
        return

    class Compilation(event.Listener):
        """Announces the first compilation; the outermost one stops the garbage collector."""

        def __init__(self) -> None:
            self.depth = 0
            self.collecting = False

        def on_start(self, event: Any) -> None:
            announce((event.data or {}).get("dispatcher"))
            if self.depth == 0:
                self.collecting = gc.isenabled()
                gc.disable()
            self.depth += 1

        def on_end(self, event: Any) -> None:
            self.depth -= 1
            if self.depth == 0 and self.collecting:
                gc.enable()

    event.register("numba:compile", Compilation())


listen()
