"""The decorator of every kernel: compiled without the interpreter lock, cached safely.

numba throws a cached kernel away only when the kernel's *own* file changes. A helper that was
compiled into the kernel but lives in another file can be edited without effect: the old machine
code keeps running. Here the stamp of a cached kernel covers every source file of this folder, so
that an edit anywhere in it recompiles all kernels.
"""

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


@lru_cache(maxsize=1)
def folder_digest() -> str:
    """Return a digest of the names and contents of all source files of this folder.

    Contents rather than modification times: an edit within the clock's resolution is seen, and a
    copied or freshly installed package, whose times mean nothing, is not recompiled needlessly.
    """
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.name}:{len(content)}:".encode())
        digest.update(content)
    return digest.hexdigest()


class _FolderStamp:
    """Adds the folder's digest to the stamp of one of numba's cache locators."""

    def get_source_stamp(self) -> tuple[Any, str]:
        return super().get_source_stamp(), folder_digest()  # type: ignore[misc]


def _folder_cache() -> Any:
    """Return numba's cache class with the folder's digest in its stamp, or None.

    The parts used here are private to numba; a version that lacks them gets the plain cache.
    numba's own order of places is kept: the directory the user named, beside the source, and,
    where the package is read-only, the user's cache directory.
    """
    try:
        from numba.core import caching

        places = [
            caching.UserProvidedCacheLocator,
            caching.InTreeCacheLocator,
            caching.UserWideCacheLocator,
        ]
        implementation = caching.FunctionCache._impl_class
    except (ImportError, AttributeError):
        return None
    stamped = [type(f"Folder{place.__name__}", (_FolderStamp, place), {}) for place in places]
    folder_implementation = type("FolderImpl", (implementation,), {"_locator_classes": stamped})
    return type("FolderCache", (caching.FunctionCache,), {"_impl_class": folder_implementation})


_FolderCache = _folder_cache()


def kernel(function: Function) -> Function:
    """Compile a function with numba and keep the machine code for the next process.

    With ``NUMBA_DISABLE_JIT=1`` the function comes back as it is. Where no directory can be
    written to, the kernel is compiled anew in every process. Integer division by zero is not
    checked (``error_model="numpy"``) and rounding is never relaxed, because ties matter.

    Examples
    --------
    >>> @kernel
    ... def double(x):
    ...     return x + x
    >>> double(21)
    42
    """
    compiled: Any = numba.njit(nogil=True, error_model="numpy")(function)
    if hasattr(compiled, "enable_caching"):
        _enable_cache(compiled)
    return compiled


def _enable_cache(compiled: Any) -> None:
    """Give a dispatcher the folder's cache if possible, else numba's, else none."""
    try:
        if _FolderCache is not None and hasattr(compiled, "_cache"):
            compiled._cache = _FolderCache(compiled.py_func)
        else:
            compiled.enable_caching()
    except RuntimeError:
        # numba's way to say that it found no directory to write to.
        pass
