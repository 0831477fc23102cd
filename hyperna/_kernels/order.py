"""The smaller and the larger of two numbers, as ``min`` and ``max`` choose them.

numba compiles its own ``min`` and ``max`` by themselves, half a second for the types of a run.
"""

from hyperna._kernels.jit import inline_kernel


@inline_kernel
def smaller(a, b):
    return b if b < a else a


@inline_kernel
def larger(a, b):
    return b if b > a else a
