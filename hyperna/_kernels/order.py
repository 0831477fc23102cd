"""Which of two scores is accepted; the smaller and the larger of two numbers.

numba compiles its own ``min`` and ``max`` by themselves, half a second for the types of a run.
"""

from hyperna._kernels.jit import inline_kernel


@inline_kernel
def accepts(offspring, parent):
    """Whether an offspring replaces its parent: also if it is equal, so that plateaus are walked.

    Both are integers: scores, or numbers of hits. This is asked by every `first_accepted` of a kind
    of fitness, and by (1+lambda) and (mu+1). Other rules, all of which accept what is equally good
    but the last:

    - (1,lambda) accepts any (`hyperna._kernels.populations`);
    - annealing accepts worse ones by chance (`hyperna._kernels.populations`);
    - terms with a cost compare errors plus costs, of which the smaller sum is the better one
      (`hyperna._kernels.short_rules`);
    - where the number of neurons evolves, an offspring with another number must be better, or equal
      with fewer neurons (`hyperna._kernels.topology`).

    Exact runtimes repeat the rule as an order of levels (`hyperna.theory.chain`). What counts as
    the best network of a run is another question: `hyperna._kernels.loop`.
    """
    return offspring >= parent


@inline_kernel
def smaller(a, b):
    return b if b < a else a


@inline_kernel
def larger(a, b):
    return b if b > a else a
