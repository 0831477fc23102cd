"""Which of two scores is accepted; the smaller and the larger of two numbers.

numba compiles its own ``min`` and ``max`` by themselves, half a second for the types of a run.
"""

from hyperna._kernels.jit import inline_kernel


@inline_kernel
def accepts(offspring, parent):
    """Whether an offspring replaces its parent: also if it is equal, so that plateaus are walked.

    Both are integers: scores, or numbers of hits. Every kind of fitness and of algorithm asks here;
    an evolved number of neurons and annealing have rules of their own besides.
    """
    return offspring >= parent


@inline_kernel
def smaller(a, b):
    return b if b < a else a


@inline_kernel
def larger(a, b):
    return b if b > a else a
