"""Local optima of a fitness landscape on cyclic components.

Where a search can be caught depends on its steps, but what a neighbourhood looks like does not:
a local optimum is a plateau of equally fit points whose neighbours, one step away in each component
at most, are not fitter. Pictures mark them, and a chain says how likely a run visits each.
"""

from itertools import product

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from hyperna._validation import BoolArray, IntArray


def local_optima(score: IntArray) -> BoolArray:
    """Mark the search points of all local optima.

    Examples
    --------
    >>> local_optima(np.array([[0, 0, 0], [0, 2, 2], [0, 0, 0], [0, 1, 0], [0, 0, 0]])).astype(int)
    array([[0, 0, 0],
           [0, 1, 1],
           [0, 0, 0],
           [0, 1, 0],
           [0, 0, 0]])
    """
    return np.isin(*plateaus(score))


def plateaus(score: IntArray) -> tuple[IntArray, IntArray]:
    """The number of the plateau of each search point, and the numbers of the local optima.

    A plateau is a set of equally fit neighbours in a landscape on cyclic components. Neighbours
    differ by one step in every component at most; those of a local optimum are not fitter.

    Examples
    --------
    >>> [part.tolist() for part in plateaus(np.array([0, 2, 2, 0, 1]))]
    [[0, 1, 1, 2, 3], [1, 3]]
    """
    index = np.arange(score.size).reshape(score.shape)
    axes = tuple(range(score.ndim))
    # a component of one value has no neighbours
    steps = [(-1, 0, 1) if length > 1 else (0,) for length in score.shape]
    graph = sparse.csr_array((score.size, score.size), dtype=np.int8)
    beaten = np.zeros(score.shape, dtype=bool)
    for shift in product(*steps):
        if not any(shift):
            continue
        other = np.roll(score, shift, axes)
        beaten |= other > score
        equal = other == score
        ends = index[equal], np.roll(index, shift, axes)[equal]
        found = (np.ones(ends[0].size, dtype=np.int8), ends)
        graph = graph + sparse.csr_array(found, shape=graph.shape)
    label = csgraph.connected_components(graph, directed=False)[1].reshape(score.shape)
    return label, np.setdiff1d(label, label[beaten])
