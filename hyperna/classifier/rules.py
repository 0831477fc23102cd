"""A fitted rule in the units of the data: what is printed, exported and computed is the same.

Coefficients and thresholds are rounded to as few digits as keep every row of the search on its side
of every condition. Sums are taken in the order in which the terms are printed, in double precision,
so that code in another language gives the same answer on every row.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from hyperna._validation import BoolArray, FloatArray, IntArray, check_reals
from hyperna._words import roundest
from hyperna.classifier.bits import CodeLength
from hyperna.classifier.half_spaces import ODD, HalfSpaces, joined_distance
from hyperna.classifier.table import Standardisation, StandardPoints, blocks

# Significant digits of coefficients, from the fewest tried to what a number holds. Not varied.
FEWEST_DIGITS = 2
MOST_DIGITS = 17


class Inequality(NamedTuple):
    """A condition as it is written: a sum with these weights is > or < the threshold."""

    weights: tuple[float, ...]
    relation: str
    threshold: float


@dataclass(frozen=True)
class Condition:
    """A half-space in the units of the data: holds on x iff the sum of its terms > threshold.

    Attributes
    ----------
    features : tuple of int
        Numbers of the features, the most influential one first.
    weights : tuple of float
        Their coefficients; the first is 1 or -1.
    threshold : float
        What the sum must exceed.
    scale : float
        ``(sum - threshold) / scale`` is the distance in standard deviations.
    influence : tuple of float
        Sizes of the coefficients times the deviations of their features, divided by the scale.

    Examples
    --------
    >>> adult = Condition((0,), (1.0,), 17.5, 1.0, (1.0,))
    >>> adult.holds(np.array([[12.0], [40.0]]))
    array([False,  True])
    """

    features: tuple[int, ...]
    weights: tuple[float, ...]
    threshold: float
    scale: float
    influence: tuple[float, ...]

    @property
    def written(self) -> Inequality:
        """The condition with a positive first term, as texts and code have it.

        Examples
        --------
        >>> Condition((1, 0), (-1.0, 0.5), -4.0, 1.0, (1.0, 0.5)).written
        Inequality(weights=(1.0, -0.5), relation='<', threshold=4.0)
        """
        if self.weights[0] > 0:
            return Inequality(self.weights, ">", self.threshold + 0.0)
        return Inequality(tuple(-weight for weight in self.weights), "<", -self.threshold + 0.0)

    def sum(self, X: FloatArray) -> FloatArray:
        """Return the sum of the terms for each row, added in their order."""
        with np.errstate(over="ignore", invalid="ignore"):
            total = self.weights[0] * X[:, self.features[0]]
            for feature, weight in zip(self.features[1:], self.weights[1:], strict=True):
                total = total + weight * X[:, feature]
        return np.asarray(total)

    def holds(self, X: FloatArray) -> BoolArray:
        """Return on which rows the condition holds."""
        return np.asarray(self.sum(X) > self.threshold)

    def distance(self, X: FloatArray) -> FloatArray:
        """Return by how many standard deviations the condition holds; > 0 iff it does."""
        with np.errstate(over="ignore", invalid="ignore"):
            far = (self.sum(X) - self.threshold) / self.scale
        # rounding must not put a row on the border, nor a missing number beyond it
        least = np.nextafter(0.0, 1.0)
        inside, outside = np.maximum(far, least), np.minimum(np.nan_to_num(far), -least)
        return np.where(self.holds(X), inside, outside)


@dataclass(frozen=True)
class Rule:
    """Conditions, how many of them must hold, and how sure the answer is.

    Attributes
    ----------
    conditions : tuple of Condition
        None for the constant answer.
    quorum : int
        The rule holds where at least so many conditions do (1: any, all of them: all), or with 0
        (`ODD`) an odd number of them. Without conditions 0 does not stand for an odd number: it
        holds everywhere with 0, and nowhere with 1.
    slope, lapse : float
        A row at the distance d is positive with probability lapse + (1 - 2 lapse) expit(slope d).
    share : float
        Share of positive rows in training: the probability where there are no conditions.
    """

    conditions: tuple[Condition, ...]
    quorum: int
    slope: float
    lapse: float
    share: float

    @property
    def terms(self) -> int:
        """Number of coefficients."""
        return sum(len(condition.features) for condition in self.conditions)

    @property
    def output(self) -> str:
        """How the conditions are joined: "or", "and", "xor", "at_least", or "constant"."""
        if not self.conditions:
            return "constant"
        if self.quorum == ODD:
            return "xor"
        if self.quorum == 1:
            return "or"
        return "and" if self.quorum == len(self.conditions) else "at_least"

    @property
    def features(self) -> tuple[int, ...]:
        """Numbers of the features that are used, in order."""
        return tuple(sorted({k for condition in self.conditions for k in condition.features}))

    def distance(self, X: FloatArray) -> FloatArray:
        """Return how far conditions must move for the answer to change, in standard deviations.

        It is positive where the rule holds. Without conditions it is the logarithm of the odds.
        """
        if not self.conditions:
            odds = math.log(max(self.share, 1e-300) / max(1.0 - self.share, 1e-300))
            always = self.quorum == 0
            return np.full(len(X), max(odds, 1e-12) if always else min(odds, -1e-12))
        margins = np.array([condition.distance(X) for condition in self.conditions])
        return joined_distance(margins, self.quorum)

    def holds(self, X: FloatArray) -> BoolArray:
        """Return on which rows the rule holds.

        Examples
        --------
        >>> tall = Condition((0,), (1.0,), 1.8, 1.0, (1.0,))
        >>> old = Condition((1,), (1.0,), 60.0, 1.0, (1.0,))
        >>> Rule((tall, old), 1, 1.0, 0.0, 0.5).holds(np.array([[1.9, 20.0], [1.7, 20.0]]))
        array([ True, False])
        """
        return np.asarray(self.distance(X) > 0)

    def probability(self, X: FloatArray) -> FloatArray:
        """Return the probability that each row is positive; above 1/2 iff the rule holds."""
        if not self.conditions:
            return np.full(len(X), self.share)
        distance = self.distance(X)
        with np.errstate(over="ignore"):
            sure = self.lapse + (1.0 - 2.0 * self.lapse) * expit(self.slope * distance)
        half = np.nextafter(0.5, 1.0), np.nextafter(0.5, 0.0)
        return np.where(distance > 0, np.maximum(sure, half[0]), np.minimum(sure, half[1]))

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain numbers."""
        conditions = []
        for each in self.conditions:
            conditions.append(
                {
                    "features": list(each.features),
                    "weights": list(each.weights),
                    "threshold": each.threshold,
                    "scale": each.scale,
                    "influence": list(each.influence),
                }
            )
        return {
            "conditions": conditions,
            "quorum": self.quorum,
            "slope": self.slope,
            "lapse": self.lapse,
            "share": self.share,
        }

    @classmethod
    def from_dict(cls, data: Any, dim: int) -> "Rule":
        """Return the rule that `to_dict` described; anything else is a ValueError."""
        try:
            conditions = tuple(_condition(given, dim) for given in data["conditions"])
            quorum = data["quorum"]
            slope = float(check_reals("slope", data["slope"], ()))
            lapse = float(check_reals("lapse", data["lapse"], ()))
            share = float(check_reals("share", data["share"], ()))
        except (KeyError, TypeError, IndexError) as error:
            raise ValueError(f"a rule must have conditions and the rest: {error!r}") from None
        if type(quorum) is not int or not 0 <= quorum <= max(1, len(conditions)):
            most = max(1, len(conditions))
            raise ValueError(f"quorum must be an integer from 0 to {most}, got {quorum!r:.40}")
        if slope < 0 or not 0 <= lapse < 0.5 or not 0 <= share <= 1:
            raise ValueError("slope must not be negative, lapse below 1/2, and share a probability")
        if conditions and slope == 0:
            raise ValueError("slope must be positive where there are conditions")
        return cls(conditions, quorum, slope, lapse, share)


def _condition(data: Any, dim: int) -> Condition:
    """Return the condition that is described by plain numbers; anything else is an error."""
    features = data["features"]
    if not isinstance(features, list) or not all(type(k) is int and 0 <= k < dim for k in features):
        raise ValueError(f"features must be integers from 0 to {dim - 1}, got {features!r:.60}")
    if not features or len(set(features)) < len(features):
        raise ValueError(f"features must be different, at least one, got {features!r:.60}")
    weights = check_reals("weights", data["weights"], (len(features),))
    threshold = float(check_reals("threshold", data["threshold"], ()))
    scale = float(check_reals("scale", data["scale"], ()))
    if scale <= 0 or not weights.all():
        raise ValueError("scale must be positive, and weights must not be 0")
    influence = check_reals("influence", data["influence"], (len(features),))
    return Condition(
        tuple(features), tuple(weights.tolist()), threshold, scale, tuple(influence.tolist())
    )


def rule_of(
    network: HalfSpaces,
    code: CodeLength,
    points: StandardPoints,
    standard: Standardisation,
    X: FloatArray,
) -> Rule:
    """Return a network as a rule in the units of the data.

    It was found on `points`; X are the rows in their own units that keep their sides.
    """
    conditions = []
    for some, threshold in zip(network.normals, network.thresholds, strict=True):
        normal = np.zeros(points.dim)
        normal[points.features] = some
        conditions.append(condition_of(normal, float(threshold), standard, X))
    return Rule(tuple(conditions), network.quorum, code.slope, code.lapse, points.share)


def condition_of(
    normal: FloatArray, threshold: float, standard: Standardisation, X: FloatArray
) -> Condition:
    """Return ``normal · z >= threshold`` in standard units as a condition with few digits.

    All rows of X stay on their sides of it. Coefficients are rounded to more and more digits until
    there is a threshold between the sums of the rows on either side; it then has the fewest digits.
    """
    order = np.argsort(-np.abs(normal), kind="stable")
    features = order[normal[order] != 0]
    largest = float(np.finfo(float).max)
    # Only units near the largest number, or as different as 1e308 and 1, overflow; they and the
    # weights are cut off.
    with np.errstate(over="ignore", invalid="ignore"):
        unit = min(float(standard.deviation[features[0]] / abs(normal[features[0]])), largest)
        weights = normal[features] * (unit / standard.deviation[features])
        border = threshold * unit + float(weights @ standard.centre[features])
    weights = np.clip(weights, -largest, largest)
    border = 0.0 if math.isnan(border) else min(max(border, -largest), largest)
    holds = _holds(normal, threshold, features, standard, X)
    influence = tuple(np.abs(normal[features]).tolist())
    for digits in range(FEWEST_DIGITS, MOST_DIGITS + 1):
        rounded = tuple(float(f"{weight:.{digits - 1}e}") for weight in weights)
        if not all(rounded):
            continue
        made = Condition(tuple(features.tolist()), rounded, border, unit, influence)
        sums = made.sum(X)
        low = sums[~holds].max(initial=-math.inf)
        high = sums[holds].min(initial=math.inf)
        if low < high:
            best = roundest(low, high, border)
            if best >= high and math.isfinite(low):
                best = low  # there is no number between neighbouring doubles
            if low <= best < high:
                return replace(made, threshold=best)
    # no digits tell the rows apart: the condition as it is, without weights that underflow
    kept = [k for k, weight in enumerate(weights.tolist()) if weight]
    return Condition(
        tuple(features[kept].tolist()),
        tuple(weights[kept].tolist()),
        border,
        unit,
        tuple(influence[k] for k in kept),
    )


def _holds(
    normal: FloatArray,
    threshold: float,
    features: IntArray,
    standard: Standardisation,
    X: FloatArray,
) -> BoolArray:
    """Return which rows a half-space in standard units holds."""
    some = Standardisation(standard.centre[features], standard.deviation[features])
    result = np.zeros(len(X), bool)
    for rows in blocks(len(X), len(features)):
        result[rows] = some.apply(X[rows][:, features]) @ normal[features] >= threshold
    return result
