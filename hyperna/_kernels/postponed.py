"""Functions that only kernels call are optimised with the kernel that calls them, not before.

numba optimises every function together with all code below it and makes machine code of it, so that
a function at the bottom of seven levels of calls is optimised seven times. Here the code of inner
functions is kept as it was lowered, and optimised once for each entry from Python. Besides, a
function goes through the passes that kernels need and no others, and what numba looks up at every
call that it compiles, options of functions and types of operators, is found quickly. All together
takes less than half the time to compile. The machine code is as fast.

This relies on parts of numba that are not public. Where one of them is missing, or with the
environment variable ``HYPERNA_PLAIN_NUMBA=1``, everything is compiled by numba's own rules.
"""

import functools
import operator
import os
from contextlib import suppress
from typing import Any

import numba

# What `numba.njit` takes for inner functions, and for entries from Python that allocate nothing.
INNER_OPTIONS: dict[str, Any] = {}
ENTRY_OPTIONS: dict[str, Any] = {}

# The version that this was tried with; others optimise with other passes of LLVM.
_TESTED = (0, 68)
_NEEDED = (
    "codegen",
    "get_pointer_to_function",
    "_ensure_finalized",
    "_finalize_final_module",
    "_optimize_final_module",
    "_optimize_functions",
    "enable_object_caching",
)


def _build() -> None:
    """Define the compilers from numba's own; raises an error where numba is another."""
    import llvmlite.binding as llvm
    from numba.core import typed_passes, untyped_passes
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler, Flags
    from numba.core.compiler_machinery import PassManager
    from numba.core.targetconfig import TargetConfig

    if tuple(numba.version_info.short) != _TESTED:
        raise ImportError("another version of numba")
    if not all(hasattr(JITCodeLibrary, name) for name in _NEEDED):
        raise ImportError("another kind of library")
    if not hasattr(llvm, "create_pipeline_tuning_options"):
        raise ImportError("another llvmlite")
    # Without those that look for closures, array expressions, contexts and functions to inline.
    passes = (
        untyped_passes.TranslateByteCode,
        untyped_passes.FixupArgs,
        untyped_passes.IRProcessing,
        untyped_passes.RewriteSemanticConstants,
        untyped_passes.DeadBranchPrune,
        untyped_passes.GenericRewrites,
        untyped_passes.ReconstructSSA,
        untyped_passes.DeadBranchPrune,
        typed_passes.NopythonTypeInference,
        typed_passes.PreLowerStripPhis,
        typed_passes.IRLegalization,
        typed_passes.AnnotateTypes,
        typed_passes.NativeLowering,
        typed_passes.NoPythonBackend,
    )
    operators = {bool, range, *(value for value in vars(operator).values() if callable(value))}
    defaults = Flags().values()
    same_for_all = hash(Flags())

    class QuickFlags(Flags):
        """Options of a function that are compared without a lookup of every default."""

        def values(self) -> dict[str, Any]:
            return {**defaults, **self._values}

        def __hash__(self) -> int:
            return same_for_all

        def __eq__(self, other: object) -> bool:
            if not isinstance(other, TargetConfig):
                return False
            return self._values == other._values or self.values() == other.values()

    class QuickTyping:
        """Types, where the same operator on the same types is looked up once."""

        def __init__(self, context: Any) -> None:
            self._context = context
            self._known: dict[Any, Any] = {}

        def __getattr__(self, name: str) -> Any:
            return getattr(self._context, name)

        def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
            # numba names indexing by a string
            if kws or not (isinstance(func, str) or getattr(func, "typing_key", None) in operators):
                return self._context.resolve_function_type(func, args, kws)
            if (func, args) not in self._known:
                self._known[func, args] = self._context.resolve_function_type(func, args, kws)
            return self._known[func, args]

    class NoEnvironment:
        """Code generation for functions without machine code, hence without an environment."""

        def __init__(self, codegen: Any) -> None:
            self._codegen = codegen

        def __getattr__(self, name: str) -> Any:
            return getattr(self._codegen, name)

        def set_env(self, env_name: str, env: Any) -> None:
            """There is no place to write the environment to."""

    class Library(JITCodeLibrary):
        """Code whose functions are not optimised one by one."""

        def _optimize_functions(self, ll_module: Any) -> None:
            ll_module.data_layout = self._codegen._data_layout

    class LoweredLibrary(Library):
        """Code as it was lowered, to be linked into the code of its callers."""

        @property
        def codegen(self) -> Any:
            return NoEnvironment(self._codegen)

        def get_pointer_to_function(self, name: str) -> int:
            self._ensure_finalized()
            return 0

        def finalize(self) -> None:
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage == llvm.Linkage.external:
                    function.linkage = "linkonce_odr"
            self._finalized = True

        def _get_module_for_linking(self) -> Any:
            """Return the code with all that it calls, for callers of numba's own kind."""
            self._ensure_finalized()
            if self._shared_module is None:
                self._shared_module = self._final_module.clone()
                link(self._shared_module, called_by(self))
            return self._shared_module

    def called_by(library: Any) -> dict[Any, None]:
        """Return the libraries that a library needs, each once."""
        found: dict[Any, None] = {}
        waiting = list(library._linking_libraries)
        while waiting:
            needed = waiting.pop()
            if needed not in found:
                found[needed] = None
                if isinstance(needed, LoweredLibrary):
                    waiting.extend(needed._linking_libraries)
        return found

    def link(module: Any, libraries: dict[Any, None]) -> None:
        for library in libraries:
            lowered = isinstance(library, LoweredLibrary)
            code = library._final_module if lowered else library._get_module_for_linking()
            module.link_in(code, preserve=True)

    class EntryLibrary(Library):
        """Code that counts no references, for which one round of optimisation is enough."""

        def finalize(self) -> None:
            needed = called_by(self)
            for library in needed:
                self._reload_init.update(library._reload_init)
            link(self._final_module, needed)
            self._linking_libraries = []
            super().finalize()

        def _optimize_final_module(self) -> None:
            # Loops are vectorised, but not unrolled besides: half the code, as fast.
            options = llvm.create_pipeline_tuning_options(speed_level=2)
            options.loop_vectorization = True
            options.slp_vectorization = False
            options.loop_unrolling = False
            options.loop_interleaving = False
            builder = llvm.create_pass_builder(self._codegen._tm, options)
            builder.getModulePassManager().run(self._final_module, builder)

    @functools.cache
    def quick_typing(context: Any) -> QuickTyping:
        return QuickTyping(context)

    class EntryCompiler(Compiler):
        """numba's compiler for entries from Python."""

        def __init__(
            self, typing: Any, target: Any, _: Any, args: Any, returned: Any, *others: Any
        ) -> None:
            flags, *rest = others
            library = self._new_library(target)
            super().__init__(
                quick_typing(typing), target, library, args, returned, QuickFlags(flags), *rest
            )

        def define_pipelines(self) -> list[Any]:
            manager = PassManager("kernel")
            for step in passes if self.state.func_ir is None else passes[2:]:
                manager.add_pass(step, step.name())
            manager.finalize()
            return [manager]

        def _new_library(self, target: Any) -> Any:
            library = EntryLibrary(target.codegen(), "entry")
            library.enable_object_caching()
            return library

    class InnerCompiler(EntryCompiler):
        """numba's compiler for inner functions, which leaves optimisation to their callers."""

        def _new_library(self, target: Any) -> Any:
            return LoweredLibrary(target.codegen(), "inner")

    INNER_OPTIONS["pipeline_class"] = InnerCompiler
    ENTRY_OPTIONS["pipeline_class"] = EntryCompiler


if not os.environ.get("HYPERNA_PLAIN_NUMBA"):
    # errors mean another version of numba
    with suppress(ImportError, AttributeError, TypeError):
        _build()
