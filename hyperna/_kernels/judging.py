"""Scores of many genomes, and whether a run would end there.

`score_all` is called by `hyperna.fitness.base.Fitness.scores`, and by search algorithms that are
written in Python. `judge` decides about success as the loop does: for plateaus without a way out
(`hyperna.run.plateaus`), exact runtimes (`hyperna.theory.states`) and IOHprofiler.
"""

from hyperna._kernels.jit import kernel
from hyperna._kernels.loop import success
from hyperna._kernels.protocol import prepare


@kernel
def score_all(fitness, work, moduli, genomes, scores):
    """Write each genome's score; return the first row that is not on the grid, -1 if all are."""
    for i in range(genomes.shape[0]):
        for c in range(moduli.size):
            if genomes[i, c] < 0 or genomes[i, c] >= moduli[c]:
                return i
        scores[i] = prepare(fitness, work, genomes[i])
    return -1


@kernel
def judge(fitness, work, limits, optima, genomes, scores, reasons):
    """Write each genome's score, and OPTIMUM, TARGET or RUNNING as the loop would judge it."""
    for i in range(genomes.shape[0]):
        scores[i] = prepare(fitness, work, genomes[i])
        reasons[i] = success(fitness, work, limits, optima, genomes[i], scores[i])
