"""Rows that rules are asked about, and what a reader is told of them: gaps, categories, answers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.classifier.decision_list import DecisionList
from hyperna.classifier.explain_text import date_text
from hyperna.classifier.rules import Condition
from hyperna.tables.features import Feature


@dataclass(frozen=True)
class AskedRows:
    """Rules and the rows that they are asked about.

    Attributes
    ----------
    rules : DecisionList
        The rules. They number the features as `features` does.
    features : sequence of Feature
        The features that the rules use.
    F : ndarray of float, shape (rows, features)
        The rows.
    classes : list
        Names of the classes.
    cells : mapping of str to ndarray
        What the table has in its columns, as far as that is known.
    """

    rules: DecisionList
    features: Sequence[Feature]
    F: FloatArray
    classes: Sequence[Any]
    cells: Mapping[str, NDArray[Any]]

    @cached_property
    def answers(self) -> IntArray:
        """The number of the class of each row."""
        return self.rules.predict(self.F)

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of all rules."""
        return tuple(each for rule in self.rules.rules for each in rule.conditions)

    @cached_property
    def deviations(self) -> FloatArray:
        """The standard deviation of each feature in training, as the conditions tell it."""
        found: list[list[float]] = [[] for _ in self.features]
        for condition in self.conditions:
            for k, weight, influence in zip(
                condition.features, condition.weights, condition.influence, strict=True
            ):
                found[k].append(influence * condition.scale / abs(weight))
        return np.array([np.mean(some) if some else math.nan for some in found])

    @cached_property
    def gaps(self) -> dict[str, BoolArray]:
        """In which rows each column has no value."""
        return {column: self._gaps(column) for column in {each.column for each in self.features}}

    def _gaps(self, column: str) -> BoolArray:
        if column in self.cells:
            cells = self.cells[column]
            return np.array([cell is None or bool(cell != cell) for cell in cells], bool)
        for k, feature in enumerate(self.features):
            if feature.column == column and feature.kind == "missing":
                return self.F[:, k] > 0
        return np.zeros(len(self.F), bool)

    def category(self, column: str, row: int) -> str:
        """Return the category of a row, "" if it is not known."""
        if column in self.cells:
            value = self.cells[column][row]
            return value if isinstance(value, str) else ""
        for k, feature in enumerate(self.features):
            if feature.column == column and feature.kind == "category" and self.F[row, k] > 0:
                return str(feature.category)
        return ""

    def value(self, members: Sequence[int], row: int) -> Any:
        """Return what a row has in the column that some features are made of."""
        for k in members:
            feature = self.features[k]
            if feature.kind == "number":
                return float(self.F[row, k])
            if feature.kind == "date":
                return date_text(feature, float(self.F[row, k]))
        column = self.features[members[0]].column
        if column in self.cells:
            value = self.cells[column][row]
            return value.item() if isinstance(value, np.generic) else value
        return self.category(column, row) or "known"
