"""The path of a classifier: the best rule found for every number of terms.

`RulePath` is the table that `NAClassifier.path_` holds. `combined` makes the path of a list of
several rules from the paths of its rules.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hyperna._validation import FloatArray, check_extra
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.search import Candidate

COLUMNS = (
    "terms",
    "neurons",
    "output",
    "errors",
    "accuracy",
    "label_bits",
    "rule_bits",
    "chosen",
    "held_out_error",
    "standard_error",
    "rule",
)


@dataclass(frozen=True)
class PathRow:
    """One size on the path.

    Attributes
    ----------
    terms, neurons : int
        Coefficients and conditions of the rule, or of all rules of the list.
    output : str
        How conditions are joined: "constant", "or", "and", "xor", "at_least", "list".
    errors, accuracy : float
        Weight of the training rows that are classified wrongly, which is their number where rows
        have no weights, and share of the others.
    label_bits, rule_bits : float
        What it takes to tell the labels with the rule, and the rule itself.
    chosen : bool
        Whether this is the rule of the classifier.
    rule : str
        Its text.
    list : DecisionList
        The rule itself.
    held_out_error, standard_error : float or None
        Of rules of this size on rows that they were not fitted to: see `validate_path`.
    """

    terms: int
    neurons: int
    output: str
    errors: float
    accuracy: float
    label_bits: float
    rule_bits: float
    chosen: bool
    rule: str
    list: DecisionList
    held_out_error: float | None = None
    standard_error: float | None = None


class RulePath(Sequence[PathRow]):
    """A table with one row for each number of terms, from the constant answer to the longest rule.

    It prints as a table, `to_frame` returns a data frame, and rows have attributes.
    """

    def __init__(self, rows: Sequence[PathRow]) -> None:
        self.rows = tuple(rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        return self.rows[index]

    def __iter__(self) -> Iterator[PathRow]:
        return iter(self.rows)

    @property
    def chosen(self) -> PathRow:
        """The row of the classifier's own rule."""
        return next(row for row in self.rows if row.chosen)

    def at(self, terms: int) -> PathRow:
        """Return the row with the most terms, but no more than so many."""
        return max((row for row in self.rows if row.terms <= terms), key=lambda row: row.terms)

    def validated(
        self,
        folds: Iterable[tuple[Any, Any]],
        fitted: Callable[[Any, Any], tuple[Any, FloatArray]],
        labels: Any,
        weight: FloatArray,
    ) -> "RulePath":
        """Return the path with the errors of rules of each size on rows they were not fitted to.

        `folds` are the numbers of the rows for training and for testing. ``fitted(train, test)``
        returns a classifier that was fitted to the one, and the features of the other.
        """
        wrong = {row.terms: np.zeros(len(labels)) for row in self.rows}
        tested = np.zeros(len(labels), bool)
        for train, test in folds:
            classifier, points = fitted(train, test)
            tested[test] = True
            for terms, each in wrong.items():
                answer = classifier.path_.at(terms).list.predict(points)
                each[test] = classifier.classes_[answer] != labels[test]
        share = weight[tested] / weight[tested].sum()
        rows = []
        for row in self.rows:
            each = wrong[row.terms][tested]
            mean = float(share @ each)
            deviation = float(share**2 @ (each - mean) ** 2) ** 0.5
            rows.append(replace(row, held_out_error=mean, standard_error=deviation))
        return RulePath(rows)

    def to_frame(self) -> Any:
        """Return the path as a pandas data frame, without the rules as objects."""
        check_extra("RulePath.to_frame", "pandas", "data")
        import pandas as pd

        table = {name: [getattr(row, name) for row in self.rows] for name in COLUMNS}
        return pd.DataFrame(table)

    def __repr__(self) -> str:
        held_out = any(row.held_out_error is not None for row in self.rows)
        head = ["", "terms", "conditions", "errors", "bits of labels", "of the rule"]
        lines = [head + (["held-out error"] if held_out else [])]
        for row in self.rows:
            line = ["*" if row.chosen else "", str(row.terms), str(row.neurons)]
            line += [f"{row.errors:g}", f"{row.label_bits:.1f}", f"{row.rule_bits:.1f}"]
            if row.held_out_error is not None:
                line.append(f"{row.held_out_error:.4f} ± {row.standard_error:.4f}")
            lines.append(line)
        widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
        texts = []
        for line in lines:
            cells = [cell.rjust(width) for cell, width in zip(line, widths, strict=True)]
            texts.append("  ".join(cells).rstrip())
        return "\n".join(texts)


def combined(
    paths: Sequence[Sequence[Candidate]], value: Callable[[Candidate], float], most: int
) -> dict[int, tuple[Candidate, ...]]:
    """Return for each total number of terms the candidates, one of each path, of least total value.

    Totals above `most` are left out.
    """
    best: dict[int, tuple[float, tuple[Candidate, ...]]] = {0: (0.0, ())}
    for path in paths:
        longer: dict[int, tuple[float, tuple[Candidate, ...]]] = {}
        for total, (cost, chosen) in best.items():
            for made in path:
                size = total + made.network.terms
                sum_of_values = cost + value(made)
                if size <= most and (size not in longer or sum_of_values < longer[size][0]):
                    longer[size] = sum_of_values, (*chosen, made)
        best = longer
    return {size: chosen for size, (_, chosen) in sorted(best.items())}
