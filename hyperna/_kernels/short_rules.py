"""Evolution of what a reader counts: the weight of the errors plus a cost for every term.

A rule is a network of half-spaces ``weights[i] · x >= thresholds[i]`` on labelled points, joined by
"at least `quorum` of them" (1: OR, all: AND) or by parity (XOR, the quorum `ODD`). A term is a
weight that is not 0. Costs are integers, so that equal is equal. An offspring replaces its parent
if it costs no more. It differs from it by one or several of these moves:

- a threshold steps;
- a normal turns in the plane of two features by a step;
- a normal turns in such a plane until one of the two weights is 0: this is how terms disappear and
  how one feature takes the place of another;
- a neuron is lost: its weights become 0, and it fires everywhere or nowhere.

The kernel is one loop, read from top to bottom: the moves of an offspring, its errors, and whether
it is kept. It is not cut into more functions because each of them takes longer to compile.
"""

import math
from typing import NamedTuple

import numpy as np

from hyperna._kernels.jit import inline_kernel, kernel_with_arrays
from hyperna._kernels.random import below, geometric, next_word, pick, uniform

# The quorum that stands for an odd number of half-spaces. Where there are none, as in the constant
# answers of the classifier, 0 means what it says: at least none of them hold, which is always so.
ODD = 0
# Measured in benchmarks/ablation.md, "zeroing moves" and "neuron losses": the share of the turns
# that end where a weight is 0, and of the offspring that lose a neuron.
ZEROING_MOVES = 0.36
NEURON_LOSSES = 0.002
# Not varied: both are there for time.
#
# Points in a block: blocks in which no neuron changes its mind keep their errors, and what comes
# after a block that makes an offspring too bad is not looked at.
BLOCK = 128
# Rounding errors of dot products that are changed move by move stay far below the distances that
# matter if the products are made again after so many accepted moves of a neuron, of its threshold
# alone too.
MOST_MOVES = 256


class LabelledColumns(NamedTuple):
    """Points to be told apart: a row of `columns` is a feature; labels are 0 and 1.

    `signs` says which signs the weights of each feature may have: 1, -1, or 0 for both.
    """

    columns: np.ndarray
    label: np.ndarray
    weight: np.ndarray
    signs: np.ndarray


class RuleMoves(NamedTuple):
    """How an offspring differs from its parent.

    `lengths` is an alias table of step lengths 1, 2, ... with 2**`length_bits` entries, in units of
    1/`resolution` of a turn, or of the range of thresholds, which is from -1 to 1. Each component
    (D - 1 directions and a threshold for each of the N neurons) moves with `probability`. The
    probability 0 stands for exactly one, drawn uniformly, which is replaced by the threshold of its
    neuron with probability `threshold`; a plane to turn in then has a term, if one is found.
    `zeroing` is the share of the turns that end where a weight is 0, `losing` that of the offspring
    that lose a neuron.
    """

    lengths: np.ndarray
    length_bits: int
    resolution: int
    probability: float
    threshold: float
    zeroing: float
    losing: float


@inline_kernel
def signed_step(moves, stream):
    """A step as a part of the resolution, with a fair sign."""
    word = next_word(stream)
    step = (1 + pick(word, moves.lengths, np.int64(0), moves.length_bits)) / moves.resolution
    return step if word & np.uint64(1) else -step


@inline_kernel
def draw_plane(features, stream):
    """Two different features."""
    j = below(stream, features)
    k = below(stream, features - 1)
    return j, k + np.int64(k >= j)


@inline_kernel
def turned(moves, u, v, stream):
    """Two weights after a turn in their plane: until the first is 0, or by a step."""
    if uniform(stream) < moves.zeroing:
        length = math.copysign(math.hypot(u, v), v)
        if v == 0.0 and next_word(stream) & np.uint64(1):
            length = -length
        return 0.0, length
    angle = 2.0 * math.pi * signed_step(moves, stream)
    cosine = math.cos(angle)
    sine = math.sin(angle)
    return u * cosine - v * sine, u * sine + v * cosine


@inline_kernel
def count_flips(old, before, new, after):
    """Number of points on which a half-space changes its mind."""
    flips = np.int64(0)
    for p in range(new.size):
        flips += np.int64(new[p] >= after) ^ np.int64(old[p] >= before)
    return flips


@inline_kernel
def weight_of_errors(fires, quorum, label, weight):
    """Weight of the points that are classified wrongly, given how many half-spaces hold each."""
    wrong = np.int64(0)
    if quorum == ODD:
        for p in range(fires.size):
            wrong += weight[p] & -((fires[p] & 1) ^ label[p])
    else:
        for p in range(fires.size):
            wrong += weight[p] & -(np.int64(fires[p] >= quorum) ^ label[p])
    return wrong


@inline_kernel
def make_dots(columns, weights, dots):
    """Dot products of all points with the weights of a neuron, feature by feature."""
    for p in range(dots.size):
        dots[p] = 0.0
    for j in range(weights.size):
        if weights[j] != 0.0:
            column = columns[j]
            for p in range(dots.size):
                dots[p] += column[p] * weights[j]


@kernel_with_arrays
def evolve_rule(data, quorum, moves, term_cost, budget, weights, thresholds, stream):
    """Evolve a rule in place for `budget` evaluations; return its errors and its terms.

    `term_cost` is in the units of the points' weights.
    """
    columns, label, weight, signs = data.columns, data.label, data.weight, data.signs
    features, points = columns.shape
    neurons = thresholds.size
    blocks = (points + BLOCK - 1) // BLOCK
    slots = neurons * features
    moves_one = moves.probability == 0.0
    log_stay = math.log1p(-moves.probability) if 0.0 < moves.probability < 1.0 else -1.0

    # the parent: dot products, number of half-spaces that hold a point, errors of each block
    dots = np.zeros((neurons, points))
    fires = np.zeros(points, np.int64)
    block_errors = np.zeros(blocks, np.int64)
    terms = np.int64(0)
    errors = np.int64(0)
    # the offspring
    new_dots = np.zeros((neurons, points))
    new_fires = np.zeros(points, np.int64)
    new_errors = np.zeros(blocks, np.int64)
    flipped = np.zeros(blocks, np.bool_)
    # what it takes to go back: changed weights in the order of the changes, old thresholds
    changed_neuron = np.zeros(2 * slots + 2, np.int64)
    changed_feature = np.zeros(2 * slots + 2, np.int64)
    old_weight = np.zeros(2 * slots + 2)
    change = np.zeros(2 * slots + 2)
    old_threshold = thresholds.copy()
    moved = np.zeros(neurons, np.int64)
    is_moved = np.zeros(neurons, np.bool_)
    age = np.zeros(neurons, np.int64)
    lost_weights = np.zeros(features)

    for i in range(neurons):
        for j in range(features):
            terms += np.int64(weights[i, j] != 0.0)
        make_dots(columns, weights[i], dots[i])
        for p in range(points):
            fires[p] += np.int64(dots[i, p] >= thresholds[i])
    for block in range(blocks):
        begin, end = block * BLOCK, min(block * BLOCK + BLOCK, points)
        block_errors[block] = weight_of_errors(
            fires[begin:end], quorum, label[begin:end], weight[begin:end]
        )
        errors += block_errors[block]

    for _ in range(budget):
        # ---- the moves of this offspring
        changes = 0
        movers = 0
        lost = -1
        new_terms = terms
        inside = True  # thresholds among the points, signs as allowed
        if moves.losing > 0.0 and uniform(stream) < moves.losing:
            lost = below(stream, neurons)
            moved[0] = lost
            movers = 1
            for j in range(features):
                lost_weights[j] = weights[lost, j]
                new_terms -= np.int64(weights[lost, j] != 0.0)
                weights[lost, j] = 0.0
            old_threshold[lost] = thresholds[lost]
            thresholds[lost] = 1.0 if next_word(stream) & np.uint64(1) else -1.0
        else:
            # drawn in any case, so that runs keep their random numbers
            slot = below(stream, slots)
            if not moves_one:
                slot = np.int64(0) if moves.probability == 1.0 else geometric(stream, log_stay)
            while slot < slots:
                i = slot // features
                if not is_moved[i]:
                    is_moved[i] = True
                    moved[movers] = i
                    movers += 1
                    old_threshold[i] = thresholds[i]
                # the last slot of a neuron is its threshold
                moves_threshold = slot - i * features == features - 1
                if moves_one and moves.threshold > 0.0:
                    moves_threshold = moves_threshold or uniform(stream) < moves.threshold
                if moves_threshold:
                    thresholds[i] += 2.0 * signed_step(moves, stream)
                    # beyond that a half-space holds all points or none
                    inside = inside and abs(thresholds[i]) <= 1.0
                else:
                    j, k = draw_plane(features, stream)
                    if moves_one:
                        # a plane without a term would be a step without effect
                        tries = 0
                        while weights[i, j] == 0.0 and weights[i, k] == 0.0 and tries < features:
                            j, k = draw_plane(features, stream)
                            tries += 1
                    u = weights[i, j]
                    v = weights[i, k]
                    a, b = turned(moves, u, v, stream)
                    inside = inside and signs[j] * a >= 0.0 and signs[k] * b >= 0.0
                    new_terms += np.int64(a != 0.0) - np.int64(u != 0.0)
                    new_terms += np.int64(b != 0.0) - np.int64(v != 0.0)
                    changed_neuron[changes] = i
                    changed_feature[changes] = j
                    old_weight[changes] = u
                    change[changes] = a - u
                    changed_neuron[changes + 1] = i
                    changed_feature[changes + 1] = k
                    old_weight[changes + 1] = v
                    change[changes + 1] = b - v
                    weights[i, j] = a
                    weights[i, k] = b
                    changes += 2
                if moves_one:
                    break
                slot += 1
                if moves.probability < 1.0:
                    slot += geometric(stream, log_stay)

        # ---- its errors, as far as it takes to know that it is worse
        allowed = errors - term_cost * (new_terms - terms)
        found = np.int64(0) if inside else allowed + 1
        for block in range(blocks):
            if found > allowed:
                break
            begin, end = block * BLOCK, min(block * BLOCK + BLOCK, points)
            flips = np.int64(0)
            for m in range(movers):
                i = moved[m]
                old = dots[i, begin:end]
                new = new_dots[i, begin:end]
                if i == lost:
                    for p in range(new.size):
                        new[p] = 0.0
                else:
                    # the first turn, nearly always the only one, in one pass
                    by_x = 0.0
                    by_y = 0.0
                    x = columns[0, begin:end]
                    y = x
                    next_change = 0
                    if changes > 0 and changed_neuron[0] == i:
                        by_x = change[0]
                        by_y = change[1]
                        x = columns[changed_feature[0], begin:end]
                        y = columns[changed_feature[1], begin:end]
                        next_change = 2
                    for p in range(new.size):
                        new[p] = old[p] + by_x * x[p] + by_y * y[p]
                    for c in range(next_change, changes):
                        if changed_neuron[c] == i:
                            by_x = change[c]
                            x = columns[changed_feature[c], begin:end]
                            for p in range(new.size):
                                new[p] += by_x * x[p]
                flips += count_flips(old, old_threshold[i], new, thresholds[i])
            flipped[block] = flips > 0
            new_errors[block] = block_errors[block]
            if flips > 0:
                holds = new_fires[begin:end]
                before = fires[begin:end]
                for p in range(holds.size):
                    holds[p] = before[p]
                for m in range(movers):
                    i = moved[m]
                    old = dots[i, begin:end]
                    old_at = old_threshold[i]
                    new = new_dots[i, begin:end]
                    new_at = thresholds[i]
                    for p in range(holds.size):
                        holds[p] += np.int64(new[p] >= new_at) - np.int64(old[p] >= old_at)
                new_errors[block] = weight_of_errors(
                    holds, quorum, label[begin:end], weight[begin:end]
                )
            found += new_errors[block]

        # ---- keep it, or go back
        if found <= allowed:
            errors = found
            terms = new_terms
            for block in range(blocks):
                if flipped[block]:
                    block_errors[block] = new_errors[block]
                    for p in range(block * BLOCK, min(block * BLOCK + BLOCK, points)):
                        fires[p] = new_fires[p]
            for m in range(movers):
                i = moved[m]
                is_moved[i] = False
                age[i] += 1
                if age[i] == MOST_MOVES:
                    age[i] = 0
                    make_dots(columns, weights[i], dots[i])
                else:
                    old, new = dots[i], new_dots[i]
                    for p in range(points):
                        old[p] = new[p]
        else:
            for c in range(changes - 1, -1, -1):
                weights[changed_neuron[c], changed_feature[c]] = old_weight[c]
            if lost >= 0:
                for j in range(features):
                    weights[lost, j] = lost_weights[j]
            for m in range(movers):
                is_moved[moved[m]] = False
                thresholds[moved[m]] = old_threshold[moved[m]]
    return errors, terms
