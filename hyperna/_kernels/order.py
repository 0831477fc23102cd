"""Which of two scores is accepted; the smaller and the larger of two numbers.

numba compiles its own ``min`` and ``max`` by themselves, half a second for the types of a run.
"""

from hyperna._kernels.jit import inline_kernel


@inline_kernel
def accepts(offspring, parent):
    """Whether an offspring replaces its parent: also if it is equal, so that plateaus are walked.

    Both are integers: scores, or numbers of hits. This is asked by every `first_accepted` of a kind
    of fitness, and by (1+lambda) and (mu+1). There are other rules:

    - (1,lambda) accepts any (`hyperna._kernels.populations`);
    - annealing accepts worse ones by chance (`hyperna._kernels.populations`);
    - terms with a cost compare errors plus costs, of which the smaller sum is the better one
      (`hyperna._kernels.short_rules`);
    - where the number of neurons evolves, an offspring with another number must be better, or equal
      with fewer neurons (`hyperna._kernels.topology`). All others accept what is equally good.

    Which of several acceptable offspring it is, if they are equally good, is another question:

    - of a generation the first best one (`hyperna._kernels.populations._advance_by_generations`);
    - after a wait any acceptable neighbour, by its chance (`hyperna._kernels.waiting.skip_wait`).

    So is what counts as the best network of a run: `hyperna._kernels.loop`.

    Exact runtimes repeat the rule: `hyperna.theory.solver.accepts`.
    """
    return offspring >= parent


@inline_kernel
def smaller(a, b):
    return b if b < a else a


@inline_kernel
def larger(a, b):
    return b if b > a else a
