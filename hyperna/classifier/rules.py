"""A fitted classifier as rules: conditions in the units of the data, with as few digits as will do.

Coefficients and thresholds are rounded as far as every training point stays on its side of every
condition, so that the rules and the classifier agree on all of them. With more than two classes
scores are compared, which may take more digits.
"""

import math
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from hyperna._validation import BoolArray, FloatArray, check_points, check_reals
from hyperna._words import roundest
from hyperna.classifier.points import Scaling, blocks
from hyperna.classifier.spaces import HalfSpaces
from hyperna.networks import Network
from hyperna.neurons import cone_distance

# Significant digits of coefficients, from the fewest tried to what a number holds.
FEWEST_DIGITS, MOST_DIGITS = 2, 17
# Part of the squared influences that terms left out may have together: less than rounding changes.
NEGLIGIBLE = 0.01
# Votes of which all patterns are looked at.
FEW_VOTES = 16
JOINS = ("any", "all", "odd", "at least", "vote")


@dataclass(frozen=True, eq=False)
class Condition:
    """A half-space: holds on the row x iff weights·x > threshold.

    Weights and threshold are in the units of the data; the largest term has weight 1 or -1. Divided
    by `scale`, weights·x - threshold is the classifier's distance. `influence` is each weight times
    the deviation of its feature, relative to the largest.
    """

    weights: FloatArray
    threshold: float
    scale: float
    influence: FloatArray

    def distance(self, X: FloatArray) -> FloatArray:
        """Return the distance of each row from the boundary, positive where the condition holds."""
        used = np.flatnonzero(self.weights)
        with np.errstate(over="ignore", invalid="ignore"):
            return (X[:, used] @ self.weights[used] - self.threshold) / self.scale

    def holds(self, X: FloatArray) -> BoolArray:
        """Return on which rows the condition holds."""
        return self.distance(X) > 0


@dataclass(frozen=True, eq=False)
class Cone:
    """A cone: holds on the row x iff weights·u >= cosine ``|u|``, with u = (x - apex) / width.

    The weights are the axis of the cone, of length about 1, and `cosine` that of the angle between
    axis and surface; if `outside`, the condition holds outside of the cone instead. A feature of
    width 0 was constant in training, and its u is -apex. `influence` is how much the condition
    changes with each feature, on average over the training points, relative to the largest.
    """

    weights: FloatArray
    apex: FloatArray
    width: FloatArray
    influence: FloatArray
    cosine: float
    outside: bool
    scale: ClassVar[float] = 1.0  # distances are those of the classifier

    def sides(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return weights·u and ``|u|`` for each row."""
        used = self.width > 0
        with np.errstate(over="ignore", invalid="ignore"):
            U = np.where(used, (X - self.apex) / np.where(used, self.width, 1.0), -self.apex)
            return U @ self.weights, np.sqrt((U * U).sum(axis=1))

    def holds(self, X: FloatArray) -> BoolArray:
        """Return on which rows the condition holds."""
        dot, length = self.sides(X)
        return np.asarray((dot >= self.cosine * length) ^ self.outside)

    def distance(self, X: FloatArray) -> FloatArray:
        """Return the distance of each row from the surface, positive where the condition holds."""
        dot, length = self.sides(X)
        unit = float(np.linalg.norm(self.weights)) or 1.0
        along = dot / unit
        across = np.sqrt(np.maximum(length * length - along * along, 0.0))
        far = cone_distance(along, across, np.clip(self.cosine / unit, -1.0, 1.0))
        return np.where((dot >= self.cosine * length) ^ self.outside, far, -far)


@dataclass(frozen=True, eq=False)
class Rule:
    """Conditions and how they are joined.

    `join` is "any", "all", "odd" (an odd number of conditions), "at least" (`count` of them) or
    "vote" (the votes of those that hold reach the quorum).
    """

    join: str
    conditions: tuple[Condition | Cone, ...]
    count: int = 1
    votes: tuple[float, ...] = ()
    quorum: float = 0.0

    def holds(self, X: ArrayLike) -> BoolArray:
        """Return on which rows the rule holds.

        Examples
        --------
        >>> adult = Condition(np.array([1.0]), 17.5, 1.0, np.ones(1))
        >>> Rule("any", (adult,)).holds([[12.0], [40.0]])
        array([False,  True])
        """
        points = check_points("X", X, len(self.conditions[0].weights))
        bits = np.column_stack([c.holds(points) for c in self.conditions])
        number = bits.sum(axis=1)
        if self.join == "vote":
            answer = bits @ np.array(self.votes) >= self.quorum
        elif self.join == "odd":
            answer = number % 2 == 1
        else:
            needed = {"any": 1, "all": len(self.conditions)}.get(self.join, self.count)
            answer = number >= needed
        return np.asarray(answer)

    def score(self, X: FloatArray, factor: float = 1.0) -> FloatArray:
        """Return by how much the rule holds on each row, with the scales that are printed.

        It is the largest d such that enough conditions score at least d; for an odd number of
        conditions the score nearest to 0, positive where the rule holds.
        """
        each = np.empty((len(self.conditions), len(X)))
        for row, condition in zip(each, self.conditions, strict=True):
            row[:] = condition.distance(X) * condition.scale / printed_scale(condition, factor)
        if self.join == "odd":
            nearest = np.abs(each).min(axis=0)
            return np.where(self.holds(X), nearest, -nearest)
        size = len(each)
        needed = {"any": 1, "all": size, "vote": self.quorum}.get(self.join, self.count)
        order = np.argsort(-each, axis=0)
        votes = np.array(self.votes or [1.0] * size)[order].cumsum(axis=0)
        place = np.minimum((votes < needed).sum(axis=0), size - 1)
        return np.take_along_axis(each, order, axis=0)[place, np.arange(len(X))]

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain numbers and strings."""
        data = {"join": self.join, "count": self.count, "votes": list(self.votes)}
        conditions = [vars(condition).items() for condition in self.conditions]
        plain = [{key: np.asarray(value).tolist() for key, value in each} for each in conditions]
        return {**data, "quorum": self.quorum, "conditions": plain}

    @classmethod
    def from_dict(cls, data: Any, dim: int) -> "Rule":
        """Return the rule that `to_dict` described; anything else is a ValueError."""
        try:
            conditions = tuple(_condition(given, dim) for given in data["conditions"])
            votes = tuple(check_reals("votes", data["votes"], (len(data["votes"]),)).tolist())
            quorum = float(check_reals("quorum", data["quorum"], ()))
            made = cls(data["join"], conditions, int(data["count"]), votes, quorum)
        except (KeyError, TypeError, IndexError) as error:
            raise ValueError(f"a rule must have join, conditions and the rest: {error!r}") from None
        if made.join not in JOINS or not conditions or any(c.scale <= 0 for c in conditions):
            joins = ", ".join(JOINS)
            raise ValueError(f"join must be one of {joins}, with conditions of positive scale")
        if made.join == "vote" and len(votes) != len(conditions):
            raise ValueError(f"votes must be {len(conditions)} numbers, got {len(votes)}")
        return made


def printed_scale(condition: Condition | Cone, factor: float) -> float:
    """Return the scale of a condition whose scores are multiplied by a factor, with six digits."""
    return float(f"{condition.scale / factor:.6g}")


def _condition(data: Any, dim: int) -> Any:
    """Return the condition that is described by plain numbers; anything else is an error."""
    kind: Any = Cone if "apex" in data else Condition
    values: dict[str, Any] = {}
    part: Any
    for part in fields(kind):
        shape = (dim,) if part.type is FloatArray else ()
        value = check_reals(part.name, data[part.name], shape)
        values[part.name] = value if shape else part.type(value)
    if kind is Cone and ((values["width"] < 0).any() or not isinstance(data["outside"], bool)):
        raise ValueError("a cone must have widths of at least 0, and outside True or False")
    return kind(**values)


def rule_of(
    network: Network, scaling: Scaling, X: FloatArray, slack: float = np.inf, idle: bool = False
) -> Rule:
    """Return the rule of a network, for which X are the training points.

    Neurons that make no difference to any training point are left out, unless `idle`. Rounding
    moves no threshold and no row by more than about `slack` in the unit ball, for those who compare
    distances, to which idle neurons may make a difference.
    """
    spaces, bits = HalfSpaces.of(network), np.zeros((len(X), network.grid.neurons), bool)
    W, b, output, vote, quorum = spaces.W, spaces.t, spaces.output, spaces.vote, spaces.quorum
    for some in blocks(X):
        bits[some] = network.margin(scaling.apply(X[some])) >= 0.0
    kept, said = np.arange(len(b)), spaces.fires(bits)
    for i in range(0 if idle else len(b)):
        rest, after = kept[kept != i], quorum - vote[i]
        # What an idle neuron may always say: nothing but 1 in an AND, either in a vote.
        for limit in {"and": {after}, "evolved": {quorum, after}}.get(output, {quorum}):
            fewer = replace(spaces, vote=vote[rest], quorum=limit)
            if len(rest) and (fewer.fires(bits[:, rest]) == said).all():
                kept, quorum = rest, limit
                break
    # In a vote those with negative votes are turned round, so that all votes are positive.
    turn = np.where((vote < 0) & (output == "evolved"), -1.0, 1.0)
    quorum -= float(sum(vote[kept][turn[kept] < 0]))
    cosine = np.zeros(len(b))
    if network.grid.neuron == "bent":
        bend = network.grid.parameters(network.genome)[1]
        cosine = np.where(bend == math.pi / 2, 0.0, np.cos(bend))
    conditions: list[Condition | Cone] = []
    for i in kept.tolist():
        if cosine[i]:
            cone = W[i], b[i], cosine[i], turn[i] < 0, bits[:, i]
            conditions.append(cone_of(*cone, scaling, X, slack))
        else:
            turned = turn[i] * W[i], turn[i] * b[i], bits[:, i] == (turn[i] > 0)
            conditions.append(condition_of(*turned, scaling, X, slack))
    if output != "evolved":
        return Rule({"or": "any", "and": "all", "xor": "odd"}[output], tuple(conditions))
    return _vote(tuple(conditions), np.abs(vote[kept]), quorum, bits[:, kept] == (turn[kept] > 0))


def _vote(
    conditions: tuple[Condition | Cone, ...], vote: FloatArray, quorum: float, bits: BoolArray
) -> Rule:
    """Return a vote with positive votes, as ANY, ALL or AT LEAST k where it is that.

    Few votes are rounded so that the result stays the same whatever holds, many so that it does on
    the training points, where the conditions hold as `bits` say.
    """
    if quorum <= 1e-9 or quorum > vote.sum() + 1e-9:
        none = np.zeros(len(conditions[0].weights))
        return Rule("any", (Condition(none, -2.0 if quorum <= 1e-9 else 2.0, 1.0, none),))
    ranked = np.sort(vote)
    for count in range(1, len(vote) + 1):
        fewest = ranked[:count].sum()
        most = ranked[len(vote) - count + 1 :].sum()
        if fewest >= quorum - 1e-9 and most < quorum - 1e-9:
            join = {len(vote): "all", 1: "any"}.get(count, "at least")
            return Rule("any" if len(vote) == 1 else join, conditions, count)
    unit = float(vote.max())
    votes, limit = vote / unit, quorum / unit
    table = np.unique(bits, axis=0)
    if len(vote) <= FEW_VOTES:
        table = (np.arange(2 ** len(vote))[:, None] >> np.arange(len(vote)) & 1).astype(bool)
    wins = table @ votes >= limit - 1e-9
    for digits in range(1, 16):
        rounded = _rounded(votes, digits)
        sums = table @ rounded
        low, high = sums[~wins].max(initial=-1.0), sums[wins].min(initial=len(vote) + 1.0)
        if low < high:
            return Rule("vote", conditions, 1, tuple(rounded.tolist()), roundest(low, high, limit))
    return Rule("vote", conditions, 1, tuple(votes.tolist()), limit)


def condition_of(
    w: FloatArray, b: float, holds: BoolArray, scaling: Scaling, X: FloatArray, slack: float
) -> Condition:
    """Return the neuron w·z >= b as a condition on the original features, with few digits.

    `holds` says on which rows of X it must hold; `slack` is that of `rule_of`.
    """
    used = (scaling.width > 0) & (w != 0)
    if not used.any():
        always = bool(b <= 0)
        return Condition(np.zeros(len(w)), -1.0 if always else 1.0, 1.0, np.zeros(len(w)))
    influence = np.where(used, w, 0.0) / np.abs(w[used]).max()
    largest = int(np.abs(influence).argmax())
    # Relative to the unit of the largest term, nothing overflows.
    unit, length, most = scaling.width[largest], abs(w[largest]), float(np.finfo(float).max)
    with np.errstate(over="ignore", invalid="ignore"):
        weights = w * np.divide(unit, scaling.width, out=np.zeros(len(w)), where=used) / length
        scale = float(min(unit / length, most))
        threshold = float(b * scale + weights[used] @ scaling.centre[used])
    finite = np.isfinite(weights)
    if finite.all() and math.isfinite(threshold):
        used, threshold = _without_negligible(
            used, influence, weights, threshold, scale * slack, holds, scaling, X
        )
        influence = np.where(used, influence, 0.0)
    else:  # without the terms of features that are too small for numbers
        weights = np.where(finite, weights, 0.0)
        threshold = b / length * unit + weights @ np.where(finite, scaling.centre, 0.0)
        threshold = float(np.clip(threshold, -most, most))
    full, moved = np.zeros(len(w)), 0.0
    for digits in range(FEWEST_DIGITS, MOST_DIGITS + 1):
        full[used] = _rounded(weights[used], digits)
        with np.errstate(over="ignore", invalid="ignore"):
            side = X @ full
            if math.isfinite(slack):
                moved = np.abs(side - X[:, used] @ weights[used]).max()
        low, high = side[~holds].max(initial=-np.inf), side[holds].min(initial=np.inf)
        if low < high and moved <= slack * scale:
            threshold = roundest(low, high, threshold, slack * scale)
            return Condition(full, threshold, scale, influence)
    return Condition(np.where(used, weights, 0.0), threshold, scale, influence)


def _without_negligible(  # type: ignore[no-untyped-def]
    used: BoolArray, influence, weights, threshold, slack, holds, scaling: Scaling, X: FloatArray
):
    """Return which terms are needed for all rows of X to stay on their sides, and the threshold."""
    order = np.argsort(np.abs(influence), kind="stable")
    part = np.cumsum(influence[order] ** 2)
    for k in order[(part <= NEGLIGIBLE * part[-1]) & used[order]][::-1]:
        kept = used & (np.abs(influence) > abs(influence[k]))
        gone = used & ~kept
        usual = float(weights[gone] @ scaling.centre[gone])
        with np.errstate(over="ignore", invalid="ignore"):
            side = X @ np.where(kept, weights, 0.0)
            moved = X @ np.where(gone, weights, 0.0) - usual
        apart = side[~holds].max(initial=-np.inf) < side[holds].min(initial=np.inf)
        if apart and np.abs(moved).max() <= slack:
            return kept, threshold - usual
    return used, threshold


def cone_of(  # type: ignore[no-untyped-def]
    w: FloatArray, b, cosine, outside, fires: BoolArray, scaling: Scaling, X: FloatArray, slack
) -> Cone:
    """Return a bent neuron as a condition on the original features, with few digits.

    `fires` says on which rows of X the neuron fires; the condition holds there or, with `outside`,
    on the others. `slack` is that of `rule_of`.
    """
    used, change = scaling.width > 0, np.zeros(len(w))
    for some in blocks(X):
        U = scaling.apply(X[some]) - b * w
        length = np.sqrt((U * U).sum(axis=1))
        change += np.abs(w - cosine * U / np.where(length > 0, length, 1.0)[:, None]).sum(axis=0)
    change = np.where(used, change, 0.0)
    influence = change / (change.max() or 1.0)
    apex = np.where(used, scaling.centre + scaling.width * (b * w), b * w)
    full = Cone(w, apex, scaling.width, influence, float(cosine), bool(outside))
    units = np.where(used, scaling.width, 1.0)
    # Apex, axis and widths each move a row by a part of the slack.
    fewest = max(3, math.ceil(1 - math.log10(slack))) if math.isfinite(slack) else FEWEST_DIGITS
    for digits in range(fewest, MOST_DIGITS + 1):
        axis, moved = w.copy(), apex.copy()
        for k, unit in enumerate(units.tolist()):
            axis[k] = round(float(w[k]), digits) + 0.0
            decimals = digits - 1 - math.floor(math.log10(unit))
            if abs(decimals) < 300:
                moved[k] = round(float(apex[k]), decimals) + 0.0
        made = replace(full, weights=axis, apex=moved, width=_rounded(scaling.width, digits))
        dot, length = made.sides(X)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = dot / length
        known = ~np.isnan(ratio)  # not the apex
        low = ratio[known & ~fires].max(initial=-np.inf)
        high = ratio[known & fires].min(initial=np.inf)
        if low < high:
            made = replace(made, cosine=roundest(low, high, float(cosine), slack / 2))
            if (made.holds(X) == (fires ^ made.outside)).all():
                return made
    return full


def _rounded(values: FloatArray, digits: int) -> FloatArray:
    """Return the values rounded to this many significant digits."""
    result = np.zeros(len(values))
    for k, value in enumerate(values.tolist()):
        result[k] = float(f"{value:.{digits - 1}e}")
    return result
