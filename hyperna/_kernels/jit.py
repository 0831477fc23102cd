"""The decorator of every kernel: compiled without the interpreter lock, cached safely.

numba throws a cached kernel away only when the kernel's *own* file changes. A helper that was
compiled into the kernel but lives in another file can be edited without effect: the old machine
code keeps running. Here the mark of a cached kernel covers every source file of this folder, so
that an edit anywhere in it recompiles all kernels.
"""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from importlib.resources import files
from typing import Any, TypeVar

import numba

from hyperna._kernels import announcement
from hyperna._kernels.postponed import ENTRY_OPTIONS, INNER_OPTIONS

Function = TypeVar("Function", bound=Callable[..., Any])


def _without_counting() -> dict[str, Any]:
    """Return the option by which numba counts no references, if it has that.

    It is not public. Without it a step of the (1+1) NA takes 1.5 times as long on the circle with
    one neuron, 1.4 times with two, and twice as long on 500 points: the arrays of a run come in
    tuples, and every access to one of them is counted.
    """
    try:
        from numba.core.options import DefaultOptions
    except ImportError:
        return {}
    return {"_nrt": False} if hasattr(DefaultOptions, "_nrt") else {}


LEAN: Any = {**_without_counting(), "no_cfunc_wrapper": True, **ENTRY_OPTIONS}
# Said here, because a function that says nothing is merged into its caller if that is.
INNER: Any = {**LEAN, "no_cpython_wrapper": True, "forceinline": False, **INNER_OPTIONS}
INLINE: Any = {**INNER, "forceinline": True}


@lru_cache(maxsize=1)
def folder_digest() -> str:
    """Return a digest of the names and contents of all source files of this folder.

    Contents rather than modification times: an edit within the clock's resolution is seen, and a
    copied or freshly installed package, whose times mean nothing, is not recompiled needlessly.
    """
    digest = hashlib.sha256()
    sources = [path for path in files(__package__).iterdir() if path.name.endswith(".py")]
    for path in sorted(sources, key=lambda path: path.name):
        content = path.read_bytes()
        digest.update(f"{path.name}:{len(content)}:".encode())
        digest.update(content)
    return digest.hexdigest()


def kernel(function: Function) -> Function:
    """Compile a function that creates no arrays; keep the machine code for the next process.

    Without the right to allocate, numba leaves out its counting of references, see
    `_without_counting`. With ``NUMBA_DISABLE_JIT=1`` the function comes back as it is. Where no
    directory can be written to, the kernel is compiled again in every process. Integer division by
    zero is not checked (``error_model="numpy"``) and rounding is never relaxed, because ties
    matter.

    Examples
    --------
    >>> import numpy as np
    >>> @kernel
    ... def first(x):
    ...     return x[0]
    >>> int(first(np.array([7, 8])))
    7
    """
    return _cached(_compiled(function, **LEAN))


def kernel_with_arrays(function: Function) -> Function:
    """Compile like `kernel`, for functions that make arrays of their own."""
    return _cached(_compiled(function))


def inner_kernel(function: Function) -> Function:
    """Compile like `kernel`, for functions that are called by kernels only.

    Without an entry for Python and without a place in the cache, where the machine code of the
    calling kernel contains theirs, they compile a third faster.

    Examples
    --------
    >>> @inner_kernel
    ... def square(x):
    ...     return x * x
    >>> @kernel
    ... def norm(x, y):
    ...     return square(x) + square(y)
    >>> norm(3, 4)
    25
    """
    return _compiled(function, **INNER)


def inline_kernel(function: Function) -> Function:
    """Compile like `inner_kernel`, always merged into the calling kernel.

    For the functions of the innermost loop, where handing over the arguments would take longer than
    the work.

    Examples
    --------
    >>> @inline_kernel
    ... def half(x):
    ...     return 0.5 * x
    >>> @kernel
    ... def quarter(x):
    ...     return half(half(x))
    >>> quarter(6.0)
    1.5
    """
    return _compiled(function, **INLINE)


def _compiled(function: Function, **options: Any) -> Any:
    return numba.njit(nogil=True, error_model="numpy", **options)(function)


def _cached(compiled: Any) -> Any:
    """Keep the machine code for the next process where a directory can be written to."""
    if not hasattr(compiled, "enable_caching"):
        # interpreted
        return compiled
    try:
        compiled.enable_caching()
    except RuntimeError:
        # numba's way to say that it found no directory to write to.
        announcement.stored = False
        return compiled
    # numba compares this mark before it reads anything else of a cached kernel, so that classes
    # that no longer exist do no harm. It is private: a numba without it gets its plain cache.
    cache = getattr(compiled, "_cache", None)
    file = getattr(cache, "_cache_file", None)
    if file is not None and hasattr(file, "_version"):
        compiler = "postponed" if INNER_OPTIONS else "plain"
        file._version = f"{file._version} {compiler} {folder_digest()}"
    if hasattr(cache, "load_overload") and hasattr(cache, "save_overload"):
        compiled._cache = ForgivingCache(cache)
    return compiled


class ForgivingCache:
    """A cache whose damage, or a full disk under it, costs a compilation and is never an error."""

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the stored machine code, None if there is none that can be read."""
        try:
            return self._cache.load_overload(signature, context)
        except Exception:
            with suppress(Exception):
                self._cache.flush()
            return None

    def save_overload(self, signature: Any, data: Any) -> None:
        """Store machine code if possible."""
        try:
            self._cache.save_overload(signature, data)
        except Exception as error:
            announcement.say_not_stored(error)
