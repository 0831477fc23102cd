"""Conditions of bent neurons: cones in the units of the data, and how far points are from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hyperna._validation import BoolArray, FloatArray, check_reals


def cone_distance(along: FloatArray, across: FloatArray, cosine: Any) -> FloatArray:
    """Return the distance from the surface of a cone.

    `along` and `across` are the coordinates of the points, seen from the apex, along the axis of
    the cone and at right angles to it; `cosine` is that of the angle between axis and surface.

    Examples
    --------
    >>> along, across = np.array([3.0, 0.0, -2.0]), np.array([0.0, 2.0, 0.0])
    >>> cone_distance(along, across, np.sqrt(0.5)).round(3)
    array([2.121, 1.414, 2.   ])
    """
    sine = np.sqrt(np.maximum(1.0 - cosine * cosine, 0.0))
    beside = along * cosine + across * sine > 0  # otherwise nothing is nearer than the apex
    near = np.abs(along * sine - across * cosine)
    return np.asarray(np.where(beside, near, np.hypot(along, across)))


@dataclass(frozen=True, eq=False)
class Cone:
    """A cone: holds on the row x iff weights·u >= cosine ``|u|``, with u = (x - apex) / width.

    A feature of width 0 was constant in training, and its u is -apex.

    Attributes
    ----------
    weights : ndarray of shape (D,)
        The axis of the cone, of length about 1.
    apex, width : ndarray of shape (D,)
        Where the cone begins, and the units of the features.
    cosine : float
        Cosine of the angle between axis and surface.
    outside : bool
        Whether the condition holds outside of the cone instead.
    influence : ndarray of shape (D,)
        How much the condition changes with each feature, on average over the training points,
        relative to the largest.
    """

    weights: FloatArray
    apex: FloatArray
    width: FloatArray
    cosine: float
    outside: bool
    influence: FloatArray
    scale: ClassVar[float] = 1.0  # distances are those of the classifier

    def _sides(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return weights·u and ``|u|`` for each row."""
        used = self.width > 0
        with np.errstate(over="ignore", invalid="ignore"):
            U = np.where(used, (X - self.apex) / np.where(used, self.width, 1.0), -self.apex)
            return U @ self.weights, np.sqrt((U * U).sum(axis=1))

    def holds(self, X: FloatArray) -> BoolArray:
        """Return on which rows the condition holds."""
        dot, length = self._sides(X)
        return np.asarray((dot >= self.cosine * length) ^ self.outside)

    def distance(self, X: FloatArray) -> FloatArray:
        """Return the distance of each row from the surface, positive where the condition holds."""
        dot, length = self._sides(X)
        unit = float(np.linalg.norm(self.weights)) or 1.0
        along = dot / unit
        across = np.sqrt(np.maximum(length * length - along * along, 0.0))
        far = cone_distance(along, across, np.clip(self.cosine / unit, -1.0, 1.0))
        return np.where((dot >= self.cosine * length) ^ self.outside, far, -far)

    def ratios(self, X: FloatArray) -> FloatArray:
        """Return weights·u / ``|u|`` for each row, NaN at the apex."""
        dot, length = self._sides(X)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(dot / length)

    def parts(self, names: Sequence[str], number: Any) -> tuple[list[tuple[float, str]], str]:
        """Return the terms of weights·u, the most influential first, and what u is, as text."""
        ranked = np.argsort(-self.influence, kind="stable").tolist()
        terms = [(float(self.weights[k]), f"u{k + 1}") for k in ranked if self.weights[k] != 0]
        each = []
        for name, apex, width in zip(names, self.apex.tolist(), self.width.tolist(), strict=True):
            if width == 0:
                each.append(number(-apex + 0.0))
                continue
            sign = "+" if apex < 0 else "-"
            moved = f"({name} {sign} {number(abs(apex))})" if apex else name
            each.append(moved if number(width) == "1" else f"{moved}/{number(width)}")
        return terms, f"u = ({', '.join(each)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the condition as plain numbers."""
        arrays = {key: getattr(self, key).tolist() for key in _ARRAYS}
        return {**arrays, "cosine": self.cosine, "outside": bool(self.outside)}

    @classmethod
    def from_dict(cls, data: Any, dim: int) -> "Cone":
        """Return the condition that `to_dict` described; anything else is an error."""
        weights, apex, width, influence = (check_reals(k, data[k], (dim,)) for k in _ARRAYS)
        if (width < 0).any() or not isinstance(data["outside"], bool):
            raise ValueError("a cone must have widths of at least 0, and outside True or False")
        cosine = float(check_reals("cosine", data["cosine"], ()))
        return cls(weights, apex, width, cosine, data["outside"], influence)


_ARRAYS = ("weights", "apex", "width", "influence")
