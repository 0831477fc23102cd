"""Scores of many genomes at once, for search algorithms that are written in Python."""

from hyperna._kernels.jit import lean_kernel
from hyperna._kernels.loop import success
from hyperna._kernels.protocol import prepare


@lean_kernel
def score_all(fitness, work, genomes, scores):
    """Write each genome's score."""
    for i in range(genomes.shape[0]):
        scores[i], _ = prepare(fitness, work, genomes[i])


@lean_kernel
def judge(fitness, work, limits, optima, genomes, scores, reasons):
    """Write each genome's score, and OPTIMUM, TARGET or RUNNING as the loop would judge it."""
    for i in range(genomes.shape[0]):
        scores[i], _ = prepare(fitness, work, genomes[i])
        reasons[i] = success(fitness, work, limits, optima, genomes[i], scores[i])
