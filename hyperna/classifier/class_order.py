"""In which order a list of rules asks for several classes.

Whatever the order, a list tells the same labels; what it takes differs. The bits of each rule are
estimated by those of logistic regression on all features, which is fast and does not depend on a
seed, so that lists of several seeds can be compared rule by rule.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from hyperna.classifier.bits import code_length, entropy
from hyperna.classifier.candidates import half_spaces_on
from hyperna.classifier.table import LabelledTable, Standardisation, StandardPoints

# All orders are compared for at most so many classes. K classes have K 2^(K-1) pairs of a class and
# a set that it is in. A set of one class needs no rule, and to tell one of two classes from the
# other is one rule, whichever of them it holds on; so there are K (K + 1) / 2 rules less, 65 for
# five. What comparing none does is in benchmarks/ablation.md ("no orders compared"); 5 was not
# varied.
ALL_ORDERS = 5


def list_order(
    classes: Sequence[int], table: LabelledTable, standard: Standardisation, shortness: float
) -> list[int]:
    """Return the classes in the order of their rules; the last one needs no rule.

    For few classes it is the order in which the list takes the fewest bits. For more it is that in
    which classes are told from all others, the best first.
    """

    def bits(positive: int, among: Sequence[int]) -> tuple[float, float]:
        """Return the bits that tell one class among some, and those without a rule."""
        part = table.part(np.isin(table.label, among))
        points = StandardPoints.of(part, standard, positive)
        constant = points.n_rows * entropy(points.share)
        if not len(points.columns):
            return constant, constant
        everything = np.arange(len(points.columns))
        half_space = next(half_spaces_on([everything], points))
        code = code_length(half_space, points, shortness, {tuple(everything.tolist())})
        return min(constant, code.total(shortness)), constant

    if len(classes) > ALL_ORDERS:
        left_open = {}
        for k in classes:
            told, constant = bits(k, classes)
            left_open[k] = told / constant
        return sorted(classes, key=lambda k: (left_open[k], k))

    # the best list of each set of classes begins with one of them and goes on with the best list
    # of the others
    best: dict[tuple[int, ...], tuple[float, list[int]]] = {(k,): (0.0, [k]) for k in classes}
    for size in range(2, len(classes) + 1):
        for some in combinations(classes, size):
            lists = []
            # of two classes either may be the one with the rule
            for first in some if size > 2 else some[:1]:
                others = tuple(k for k in some if k != first)
                rest, order = best[others]
                # in thousandths: lists that tell nothing take equally many, up to rounding
                lists.append((round(bits(first, some)[0] + rest, 3), [first, *order]))
            best[some] = min(lists)
    return best[tuple(classes)][1]
