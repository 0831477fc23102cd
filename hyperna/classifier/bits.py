"""What a rule costs: the bits that it takes to tell somebody the labels with its help.

See `hyperna._kernels.description_length` for the code of labels, weights and thresholds. To these
come the bits for naming things. With D features a rule tells

- how many half-spaces there are, N, in log2(N (N + 1)) bits, so that all numbers have a place and
  small ones a cheap one; of several also how they are joined: log2(N + 1) for the quorum or "odd";
- for a single half-space, in one bit, whether its features are one of the M sets of the lasso path;
  if so, which one, in log2 M bits;
- for any other half-space how many terms it has, k, in log2(k (k + 1)) bits, and which of the
  C(D, k) sets of features, in log2 C(D, k) bits. Where k is more than half of D, log2 C(D, D // 2)
  takes the place of log2 C(D, k), which would fall again;
- its weights and thresholds, each as exactly as the labels ask for.

The constant answer needs n times the entropy of the shares of the labels, and nothing for a rule.

This replaces the plain two-part code, in which each term takes log2 D + 0.5 log2 n bits and each
threshold 0.5 log2 n. The k terms of a half-space are named as a set, in log2(k (k + 1)) +
log2 C(D, k) bits or 1 + log2 M on the lasso path, instead of one by one in k log2 D. A number takes
0.5 log2(1 + width² information) bits, a weight also those of its square, instead of 0.5 log2 n:
what counts is how many rows lie near the border. And the bits of a rule count `shortness` times
where rules are compared, and at least `STRICT_SHORTNESS` times (`hyperna.classifier.search`), with
names for all features, where it is asked whether a rule tells anything.

A name costs as much as there were sets to choose from: a few dozen along the path, which orders
features without trying their combinations, and all combinations where evolution chose. This is a
price for the choice and not quite a code, because the path itself comes from the labels and is not
told. (The same holds for the lasso, whose degrees of freedom are the number of its terms, with
nothing for their choice: Zou, Hastie, Tibshirani 2007.) So a rule must take fewer bits than the
constant answer in the code in which every half-space names its features; which of these rules is
the answer is asked of the cheaper code. With names for all, rules on tables of many features, such
as images, are too short; without them noise gets rules: benchmarks/ablation.md.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.special import gammaln

from hyperna._kernels.description_length import description_length
from hyperna.classifier.half_spaces import HalfSpaces
from hyperna.classifier.table import StandardPoints

# Numbers of features, in order.
Features: TypeAlias = tuple[int, ...]
# Probabilities of a label that no distance explains; of n rows it is at least 1/(n + 2) (Laplace's
# rule of succession). Not varied.
LAPSES = (0.0, 0.01, 0.03, 0.06, 0.1, 0.15)


@dataclass(frozen=True)
class CodeLength:
    """Bits of the labels and of the rule, and the probabilities that go with them.

    A point at the signed distance d has the label 1 with the probability
    ``lapse + (1 - 2 lapse) expit(slope d)``.
    """

    labels: float
    rule: float
    named_rule: float  # bits of the rule if it names its features even where they are on the path
    slope: float
    lapse: float

    def total(self, shortness: float) -> float:
        """Return the bits of labels and rule, those of the rule `shortness` times."""
        return self.labels + shortness * self.rule

    def named_total(self, shortness: float) -> float:
        """Return the same if the rule names its features even where they are on the path."""
        return self.labels + shortness * self.named_rule


def code_length(
    network: HalfSpaces,
    points: StandardPoints,
    shortness: float,
    lasso_sets: Collection[Features] = (),
) -> CodeLength:
    """Return the shortest description of the labels by a network.

    `lasso_sets` are the sets of features along the lasso path.
    """
    if not network.neurons:
        return CodeLength(points.n_rows * entropy(points.share), 0.0, 0.0, 0.0, 0.0)
    result = np.zeros(4)
    lapses = np.maximum(LAPSES, least_lapse(points.n_rows))
    description_length(
        np.ascontiguousarray(network.normals),
        network.thresholds,
        network.quorum,
        points.columns,
        points.squares,
        points.label,
        points.weight,
        lapses,
        shortness,
        result,
    )
    labels, parameters, slope, lapse = result.tolist()
    features = len(points.columns)
    return CodeLength(
        labels=labels,
        rule=parameters + naming_bits(network, features, lasso_sets),
        named_rule=parameters + naming_bits(network, features),
        slope=slope,
        lapse=lapse,
    )


def least_lapse(n_rows: float) -> float:
    """Return the smallest probability of a label that no distance explains."""
    return min(1.0 / (n_rows + 2.0), 0.25)


def least_bits(neurons: int, points: StandardPoints, shortness: float) -> float:
    """Return a bound that no network of so many half-spaces, two or more, can be below.

    Each half-space tells one feature at least, and no label is more certain than a lapse leaves it.
    The bound grows with the number of half-spaces.
    """
    labels = -points.n_rows * math.log2(1.0 - least_lapse(points.n_rows))
    of_one_term_each = HalfSpaces(np.ones((neurons, 1)), np.zeros(neurons), 1)
    return labels + shortness * naming_bits(of_one_term_each, len(points.columns))


def naming_bits(network: HalfSpaces, features: int, lasso_sets: Collection[Features] = ()) -> float:
    """Return the bits for the shape of a network and the names of its features."""
    size = network.neurons
    bits = math.log2(size * (size + 1))
    if size > 1:
        bits += math.log2(size + 1)
    else:
        bits += 1.0
        if network.features in lasso_sets:
            return bits + math.log2(len(lasso_sets))
    for k in network.terms_of_each.tolist():
        # a longer list of features is not cheaper than a shorter one
        named = min(k, features // 2)
        choices = gammaln(features + 1) - gammaln(named + 1) - gammaln(features - named + 1)
        bits += math.log2(k * (k + 1)) + choices / math.log(2)
    return float(bits)


def entropy(share: float) -> float:
    """Return the bits of a label that is 1 with this probability."""
    if not 0 < share < 1:
        return 0.0
    return -share * math.log2(share) - (1 - share) * math.log2(1 - share)
