"""The path of a classifier: the best rule found for every number of terms.

`RulePath` is the table that `NAClassifier.path_` holds. A list of several rules has one search for
each: `combined` joins the paths of these, and with it `answer_within` and `best_of_sizes` choose
the candidates of the classifier's own rule and of all rows of the path.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hyperna._validation import FloatArray, check_extra
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.search import Candidate, Search

# A candidate for each rule of a list, in its order; one where there is one rule.
Candidates = tuple[Candidate, ...]

# Not varied: for printing only.
#
# Rows of the path of a list of several rules: each size up to the first number, and of larger ones
# those that exceed the one before by this factor.
EVERY_PATH_SIZE = 12
NEXT_PATH_SIZE = 1.15

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


def answer_within(searches: Sequence[Search], most: int) -> Candidates:
    """Return the answers of all searches, or shorter candidates if these exceed `most` terms.

    Each search keeps that limit, but the rules of a list may exceed it together.
    """
    best = tuple(search.best for search in searches)
    if total_terms(best) <= most:
        return best
    paths = []
    for search in searches:
        # a rule whose best is the constant answer does not get a term here either
        longer = search.path() if search.best.network.neurons else []
        paths.append([search.candidates[0], *longer])
    choices = combined(paths, lambda one: one.bits, most).values()
    return min(choices, key=lambda some: sum(one.bits for one in some))


def best_of_sizes(searches: Sequence[Search], answer: Candidates, most: int) -> list[Candidates]:
    """Return the candidates of each row of the path: `answer`, and the best ones of other sizes.

    They are those with the fewest bits of labels. A size is left out if a shorter rule has as few,
    and of long lists many sizes are.
    """
    sizes = combined([search.path() for search in searches], lambda one: one.code.labels, most)
    sizes[total_terms(answer)] = answer
    chosen: list[Candidates] = []
    fewest_bits = np.inf
    last_size = 0
    for size, candidates in sorted(sizes.items()):
        bits = sum(one.code.labels for one in candidates)
        few_sizes = len(searches) == 1 or size <= EVERY_PATH_SIZE
        shown = few_sizes or size >= NEXT_PATH_SIZE * last_size
        if candidates is answer or (shown and bits < fewest_bits):
            chosen.append(candidates)
            fewest_bits = min(fewest_bits, bits)
            last_size = size
    return chosen


def total_terms(candidates: Candidates) -> int:
    """Return the number of terms of all rules of a list together."""
    return sum(one.network.terms for one in candidates)


def combined(
    paths: Sequence[Sequence[Candidate]], value: Callable[[Candidate], float], most: int
) -> dict[int, Candidates]:
    """Return for each total number of terms the candidates, one of each path, of least total value.

    Totals above `most` are left out.
    """
    best: dict[int, tuple[float, Candidates]] = {0: (0.0, ())}
    for path in paths:
        longer: dict[int, tuple[float, Candidates]] = {}
        for total, (cost, chosen) in best.items():
            for made in path:
                size = total + made.network.terms
                sum_of_values = cost + value(made)
                if size <= most and (size not in longer or sum_of_values < longer[size][0]):
                    longer[size] = sum_of_values, (*chosen, made)
        best = longer
    return {size: chosen for size, (_, chosen) in sorted(best.items())}
