"""Which of two scores is accepted; the smaller and the larger of two numbers.

numba compiles its own ``min`` and ``max`` by themselves, half a second for the types of a run.
"""

from hyperna._kernels.jit import inline_kernel


@inline_kernel
def accepts(offspring, parent):
    """Whether an offspring replaces its parent: also if it is equal, so that plateaus are walked.

    Both are integers: scores, or numbers of hits. This is asked by every `first_accepted` of a kind
    of fitness, and by the populations. There are three other rules: an evolved number of neurons
    (`hyperna._kernels.topology`, which prefers fewer), annealing (`hyperna._kernels.populations`,
    where worse ones are accepted by chance) and terms with a cost (`hyperna._kernels.short_rules`,
    which compares errors plus costs, and the smaller sum is the better one).
    """
    return offspring >= parent


@inline_kernel
def smaller(a, b):
    return b if b < a else a


@inline_kernel
def larger(a, b):
    return b if b > a else a
