"""The order of the points: the wrongly classified first, then those close to the border.

So most worse offspring are known to be worse after a few chunks, and most chunks have no point that
a small step could reach.
"""

import math

import numpy as np

from hyperna._kernels import point_rows as store
from hyperna._kernels.jit import inline_kernel, inner_kernel
from hyperna._kernels.point_margins import fill_margins_of

_BINS_PER_OCTAVE = 8
_OCTAVES = 32
_BINS = _BINS_PER_OCTAVE * _OCTAVES
# Wrongly and correctly classified points, copies, and an end.
N_BINS = 2 * _BINS + 2


@inline_kernel
def bin_of(margin, gain, largest):
    """Wrongly classified points come first, then those close to the border, copies last."""
    size = min(max(abs(margin) / largest, 2.0**-_OCTAVES), 1.0)
    place = np.int64((_OCTAVES + math.log2(size)) * (_BINS_PER_OCTAVE - 1e-6))
    if gain == 0:
        return np.int64(2 * _BINS)
    return place + _BINS * np.int64((margin >= 0.0) == (gain > 0))


@inner_kernel
def put_in_order(points, work):
    """Order the points anew by their margins (a counting sort) and fill the chunks with them."""
    store.compact()
    chunks, size = work.real.shape[0], work.real.shape[2]
    start = work.plan[store.CHANGED]
    largest = 2.0**-1000
    for c in range(chunks):
        margins = work.real[c, work.dim + store.SCRATCH]
        for p in range(size):
            margins[p] = np.nan
        fill_margins_of(work, c, np.inf, work.dim + store.SCRATCH)
        for p in range(size):
            largest = max(largest, abs(margins[p]) if abs(margins[p]) < np.inf else 0.0)
    for b in range(N_BINS):
        start[b] = 0
    for c in range(chunks):
        for p in range(size):
            margin = work.real[c, work.dim + store.SCRATCH, p]
            b = bin_of(margin, work.whole[c, store.GAIN, p], largest)
            work.whole[c, store.VOTE, p] = b
            start[b + 1] += 1
    for b in range(N_BINS - 1):
        start[b + 1] += start[b]
    for c in range(chunks):
        for p in range(size):
            b = work.whole[c, store.VOTE, p]
            work.whole[start[b] // size, store.VOTE + 1, start[b] % size] = work.whole[
                c, store.PLACE, p
            ]
            start[b] += 1
    for c in range(chunks):
        for p in range(size):
            work.whole[c, store.PLACE, p] = work.whole[c, store.VOTE + 1, p]
        store.fill_chunk(points, work, c)
