"""Where the rules come from: lasso, smooth stand-ins, and evolution under a cost of terms.

Each function returns a network; none of them decides which one is good: that is done by
`hyperna.classifier.search` and `hyperna.classifier.bits`.
"""

import warnings
from collections.abc import Iterable, Iterator
from functools import cache

import numpy as np
from numpy.random import Generator
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path

from hyperna._kernels.short_rules import (
    NEURON_LOSSES,
    ZEROING_MOVES,
    LabelledColumns,
    RuleMoves,
    evolve_rule,
)
from hyperna._kernels.soft_rules import soft_loss
from hyperna._kernels.tables import alias_table
from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.classifier.half_spaces import ODD, HalfSpaces
from hyperna.classifier.table import StandardPoints

# Measured: what other values do to accuracy and length is in benchmarks/ablation.md.
#
# In the classifier a mutation that is not already a threshold step becomes one with this
# probability. Other shares of moves are in `hyperna._kernels.short_rules`.
THRESHOLD_MOVES = 0.3
# The L2 penalty of logistic regression (scikit-learn's default), and that of networks for each row:
# they must be able to become steep.
PENALTY = 1.0
NETWORK_PENALTY = 1e-3
# Most steps of L-BFGS, and the relative gain of a step below which it is the last.
STEPS = 100
SLIGHT_GAIN = 1e-3
# Networks begin with at most MOST_FEATURES, those with the largest weights in logistic regression,
# and also with the largest set of up to FEW_FEATURES on the lasso path, if that set has less than
# half as many: among many features a short rule such as "two of them are positive" drowns, and a
# rule on all of twelve is not found on six.
MOST_FEATURES = 20
FEW_FEATURES = 6
# Sizes up to which a set of features of each size on the lasso path is tried; see `size_class`.
EVERY_SIZE = 8

# Not varied.
#
# Steps along the lasso path.
LASSO_STEPS = 60
# The threshold at first, on the scale of logits, of half-spaces of which any must hold; where all
# must, it is minus this. With two half-spaces about half of the points are then positive; with more
# it is a larger share if any must hold, and a smaller one if all must.
START_THRESHOLD = 1.0
# Steps of a normal, in turns, and of a threshold are harmonic on this many parts: fine enough for
# any border.
RESOLUTION = 65_536
# Parts of a row in which the weights of points and the cost of a term are counted, so that costs
# are integers.
PARTS_OF_A_ROW = 1024


def lasso_sets(points: StandardPoints) -> Iterator[IntArray]:
    """Yield sets of features along scikit-learn's lasso path, small ones first; the last has all.

    There is one for each class of sizes.
    """
    size_of_all = len(points.columns)
    root = np.sqrt(points.weight)
    A = points.columns.T * root[:, None]
    target = (points.label - points.share) * root
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", ConvergenceWarning)
        steps = min(LASSO_STEPS, 2 * size_of_all)
        _, _, coefficients = lars_path(A, target, method="lasso", max_iter=steps)
    seen = set()
    for weights in sorted(coefficients.T, key=np.count_nonzero):
        features = np.flatnonzero(weights)
        size = size_class(len(features))
        if 0 < len(features) < size_of_all and size not in seen:
            seen.add(size)
            yield features
    yield np.arange(size_of_all)


def size_class(size: int) -> int:
    """Return the class of a number of features: sizes of one class are about the same.

    Up to `EVERY_SIZE` each size is a class; from there on there are two classes an octave.

    Examples
    --------
    >>> [size_class(size) for size in (7, 8, 9, 10, 13, 14, 16, 32)]
    [7, 8, 9, 10, 10, 11, 11, 13]
    """
    if size <= EVERY_SIZE:
        return size
    return EVERY_SIZE + 1 + round(2 * np.log2(size / EVERY_SIZE))


def smooth_fit(
    points: StandardPoints, used: BoolArray, quorum: int, begin: FloatArray, penalty: float
) -> FloatArray:
    """Return where L-BFGS finds the least loss of the smooth stand-in.

    `used` (N, D) says which weights may differ from 0. Rows of `begin` and of the result are the
    weights and, last, the threshold of a neuron, on the scale of logits.
    """
    # the neuron and the feature of each parameter; -1, the last column, is the threshold
    neuron_of: list[int] = []
    feature_of: list[int] = []
    for i, row in enumerate(used):
        chosen = np.flatnonzero(row)
        neuron_of += [i] * (len(chosen) + 1)
        feature_of += [*chosen.tolist(), -1]
    neuron = np.array(neuron_of)
    feature = np.array(feature_of)
    gradient = np.zeros(len(neuron))
    bounds = None
    if points.signs is not None:
        sign = np.where(feature < 0, 0, points.signs[feature])
        low = np.where(sign > 0, 0.0, -np.inf)
        high = np.where(sign < 0, 0.0, np.inf)
        bounds = list(zip(low, high, strict=True))

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        value = soft_loss(
            parameters,
            neuron,
            feature,
            points.columns,
            points.label,
            points.weight,
            quorum,
            penalty,
            gradient,
        )
        return value, gradient.copy()

    options = {"maxiter": STEPS, "ftol": SLIGHT_GAIN}
    minimum = minimize(
        loss, begin[neuron, feature], jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )
    result = np.zeros(begin.shape)
    result[neuron, feature] = minimum.x
    return result


def network_of(parameters: FloatArray, quorum: int) -> HalfSpaces:
    """Return the half-spaces of fitted weights and thresholds."""
    return HalfSpaces.made(parameters[:, :-1], parameters[:, -1], quorum)


def half_spaces_on(sets: Iterable[IntArray], points: StandardPoints) -> Iterator[HalfSpaces]:
    """Yield the half-space of logistic regression on each of some sets of features."""
    parameters = np.zeros((1, len(points.columns) + 1))
    for features in sets:
        used = np.zeros((1, len(points.columns)), bool)
        used[0, features] = True
        parameters = smooth_fit(points, used, 1, parameters, PENALTY)
        yield network_of(parameters, 1)


def soft_network(
    points: StandardPoints,
    neurons: int,
    quorum: int,
    features: IntArray,
    rng: Generator,
) -> HalfSpaces:
    """Return a network found by the smooth stand-in from a random beginning."""
    used = np.zeros((neurons, len(points.columns)), bool)
    used[:, features] = True
    penalty = NETWORK_PENALTY * points.n_rows
    begin = rng.normal(size=(neurons, len(points.columns) + 1))
    # weighted sums with a deviation of about 1.2 to 1.7, whatever the number of features
    begin[:, :-1] *= np.sqrt(3 / (len(features) + 1))
    # an odd number of half-spaces begins with random thresholds
    if quorum == 1:
        begin[:, -1] = START_THRESHOLD
    elif quorum == neurons:
        begin[:, -1] = -START_THRESHOLD
    elif quorum != ODD:
        begin[:, -1] = 0.0
    if points.signs is not None:
        weights = begin[:, :-1]
        begin[:, :-1] = np.where(points.signs == 0, weights, np.abs(weights) * points.signs)
    return network_of(smooth_fit(points, used, quorum, begin, penalty), quorum)


@cache
def harmonic_table() -> tuple[IntArray, int]:
    """Return the alias table of harmonic steps."""
    return alias_table(1.0 / np.arange(1, RESOLUTION + 1))


def evolved(
    points: StandardPoints,
    network: HalfSpaces,
    term_cost: float,
    evaluations: int,
    rng: Generator,
) -> HalfSpaces:
    """Return the network after so many offspring that had to cost no more than their parents.

    The cost is the weight of the errors plus `term_cost`, in rows, for each term.
    """
    data = LabelledColumns(
        points.in_unit_ball,
        points.label,
        np.rint(points.weight * PARTS_OF_A_ROW).astype(np.int64),
        np.zeros(len(points.columns), np.int64) if points.signs is None else points.signs,
    )
    lengths, bits = harmonic_table()
    moves = RuleMoves(
        lengths=lengths,
        length_bits=bits,
        resolution=RESOLUTION,
        probability=0.0,
        threshold=THRESHOLD_MOVES,
        zeroing=ZEROING_MOVES,
        losing=NEURON_LOSSES if network.neurons > 1 else 0.0,
    )
    normals = np.array(network.normals)
    thresholds = network.thresholds / points.radius
    cost = round(term_cost * PARTS_OF_A_ROW)
    stream = rng.integers(1, 2**63, 4, dtype=np.uint64)
    evolve_rule(data, network.quorum, moves, cost, evaluations, normals, thresholds, stream)
    offspring = HalfSpaces.made(normals, thresholds * points.radius, network.quorum)
    return offspring.tidied(points.columns)
