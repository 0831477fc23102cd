"""The path of rules that `NAClassifier` finds for points of the plane, as JSON for the page."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def rule_path(points: Sequence[Sequence[float]], seed: int = 0) -> list[Any]:
    """Return the best rule found for each number of terms.

    A condition holds where the sum of its weights times its features is greater than its threshold.
    A rule holds where at least `quorum` of its conditions do or, with a quorum of 0, an odd number
    of them; without conditions it holds everywhere (0) or nowhere (1).

    Parameters
    ----------
    points : sequence of rows
        Two features and a label, 0 or 1; rules hold on those with the label 1.
    seed : int
        The classifier's `random_state`.

    Examples
    --------
    >>> points = [[x, y, int(x > 0)] for x in (-2, -1, 1, 2) for y in range(10)]
    >>> for rule in rule_path(points)[:2]:
    ...     print(rule["terms"], rule["errors"], rule["quorum"], rule["conditions"])
    0 20 1 []
    1 0 1 [{'features': [0], 'weights': [1.0], 'threshold': 0.0}]
    """
    from hyperna.classifier import NAClassifier

    rows = np.array(points, dtype=float)
    labels = rows[:, 2].astype(int)
    fitted = NAClassifier(random_state=seed).fit(rows[:, :2], labels)
    path = []
    for size in fitted.path_:
        (rule,) = size.list.rules
        conditions = []
        for condition in rule.conditions:
            conditions.append(
                {
                    "features": list(condition.features),
                    "weights": list(condition.weights),
                    "threshold": condition.threshold,
                }
            )
        path.append(
            {
                "terms": size.terms,
                "errors": int(size.errors),
                "chosen": size.chosen,
                "quorum": rule.quorum,
                "conditions": conditions,
            }
        )
    return path
