"""Problems whose positive set is a union of arcs in psi, the angle of the last two coordinates."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hyperna._validation import BoolArray, FloatArray, check_choice, check_integer, check_points
from hyperna._words import counted, shown
from hyperna.network.neurons import is_bent
from hyperna.problems.arcs import (
    Union,
    bend_without_bias,
    best_unions,
    cap,
    complement,
    covered,
    level_sets,
    merge_arcs,
    parse_arcs,
    rounding_loss,
    simple_fraction,
    symmetric_differences,
    turned_arcs,
    write_arcs,
)
from hyperna.problems.base import PROBLEMS, Problem, check_network, register
from hyperna.problems.caps import best_cap
from hyperna.problems.half_circles import (
    HALF_TURN,
    QUARTER_TURN,
    best_arc,
    best_half_circles,
    best_parity,
    opposite_bound,
)

# More optima than this are not listed: ARCS(k) with N < k has exponentially many.
MOST_OPTIMA = 1000

# Arcs of one's own that a title writes out.
_MOST_ARCS_NAMED = 8

# Of networks with other outputs no optima are known.
_KNOWN_OUTPUTS = ("or", "and", "xor", "evolved")

START = Fraction(0)
# Not an integer, so that any integer is checked as such.
UNSET: Any = None
_TURN = {"turn": 1.0, "radian": 2 * math.pi, "degree": 360.0}


@dataclass(frozen=True)
class ArcProblem(Problem):
    """Positive where psi = atan2(x_D, x_(D-1)) lies in a union of closed arcs.

    Parameters
    ----------
    name : str
        Name of the problem in tables and messages.
    arcs : iterable of (start, end)
        Arcs in turns, start < end, as fractions (floats are taken as the simple fraction next to
        them, if there is one). They are turned into [0, 1), sorted, and merged where they overlap
        or touch; an arc that passes 0 has end > 1.
    dim : int
        Dimension of the points, at least 2.
    summary : str, optional
        One line for lists of problems.
    default_neurons : int, optional
        Default number of hidden neurons: one per arc.

    Examples
    --------
    >>> from fractions import Fraction
    >>> quarter = ArcProblem("quarter", [(0, Fraction(1, 4))])
    >>> quarter.label([[1.0, 0.0], [1.0, 1.0], [-1.0, 1.0]])
    array([ True,  True, False])
    >>> quarter.optima(neurons=1)
    [array([[0.125     , 0.70710678]])]
    """

    name: str
    arcs: Union
    dim: int = 2
    summary: str = field(default="", compare=False)
    default_neurons: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "dim", check_integer("dim", self.dim, 2))
        object.__setattr__(self, "arcs", merge_arcs(_checked_intervals(self.arcs)))
        neurons = self.default_neurons or len(self.arcs)
        object.__setattr__(self, "default_neurons", check_integer("default_neurons", neurons, 1))
        if not self.summary and self.name in PROBLEMS:
            object.__setattr__(self, "summary", PROBLEMS[self.name].summary)
        elif not self.summary:
            share = float(covered(self.arcs))
            text = f"{counted(len(self.arcs), 'arc')} covering {share:.4g} of the circle"
            object.__setattr__(self, "summary", text)

    @property
    def title(self) -> str:
        """What people call it; arcs of one's own are written in degrees."""
        if self._registered or not self.name.startswith("arcs:arcs="):
            return super().title
        if len(self.arcs) > _MOST_ARCS_NAMED:
            return f"{len(self.arcs)} arcs"
        arcs = [f"{float(360 * start):.4g}°–{float(360 * end):.4g}°" for start, end in self.arcs]
        return f"arcs {', '.join(arcs)}"

    def label(self, X: ArrayLike) -> BoolArray:
        """Return for each row of X (n, D) whether psi lies in one of the closed arcs.

        At multiples of a quarter turn the signs of the coordinates decide, not a rounded angle.
        Where both coordinates are 0, psi is 0.
        """
        points = check_points("X", X, self.dim)
        x, y = points[:, -2], points[:, -1]
        # psi as a quadrant, about which only signs decide, and the part of it that is passed
        where = [(x <= 0) & (y > 0), (x < 0) & (y <= 0), (x >= 0) & (y < 0)]
        quadrant = np.select(where, [1, 2, 3], 0)
        along, across = np.select(where, [y, -x, -y], x), np.select(where, [-x, -y, x], y)
        part = np.arctan2(across + 0.0, along + 0.0) / (math.pi / 2)
        # off the axis by less than the smallest angle is still off it, before its end never on it
        part = np.where(across > 0, np.maximum(part, np.finfo(float).tiny), 0.0)
        part = np.minimum(part, np.nextafter(1.0, 0.0))
        positive = np.zeros(len(points), dtype=np.bool_)
        for arc in self.arcs:
            inside = []
            for end, side in zip(arc, (1, -1), strict=True):
                whole, rest = divmod(4 * (end % 1), 1)
                ahead = np.sign(quadrant - int(whole))
                ahead = np.where(ahead == 0, np.sign(part - float(rest)), ahead)
                inside.append(side * ahead >= 0)
            after, before = inside
            positive |= after & before if arc[1] < 1 else after | before
        return positive

    def best_fitness(
        self, neurons: int, output: str = "or", *, bias: bool = True, neuron: str = "plain"
    ) -> float | None:
        """Return the largest fitness that real-valued angles and biases attain, None if unknown.

        At D = 2 a network of N neurons is positive on at most N arcs, whatever joins them, and each
        of OR, AND, XOR and an evolved output can make it any N arcs. So the best approximation of
        the positive set by N arcs is the answer. If all biases are 0, an OR is one arc of half a
        turn or more, an AND one of half a turn or less, an evolved output of two neurons one arc
        of any length, and an XOR is bound at opposite points.

        For D > 2 it is known for one arc, which is a half-space, an intersection of two or a union
        of two, for an XOR where hyperplanes pass through the ends of all arcs, and where one neuron
        or an XOR without biases is as good as its answers at opposite points allow. For one neuron
        with a bias it is found numerically: see `hyperna.problems.caps.best_cap`.

        Bent neurons fire on any arc or cap, even if all biases are 0.

        Examples
        --------
        >>> quarter = ArcProblem("quarter", [(0, Fraction(1, 4))])
        >>> quarter.best_fitness(1), quarter.best_fitness(1, bias=False)
        (1.0, 0.75)
        >>> quarter.best_fitness(1, bias=False, neuron="bent")
        1.0
        """
        neurons, output = check_network(neurons, output)
        if neurons > 1 and output not in _KNOWN_OUTPUTS:
            return None
        bias = is_bent(neuron, "the best fitness of arcs") or bias
        if self.dim == 2 and bias:
            return float(best_unions(self.arcs, neurons, 0)[0])
        if self.dim == 2:
            return self._best_without_bias(neurons, output)
        if not bias and (output == "xor" or neurons == 1):
            best = best_parity(self.arcs, neurons)
            bound = opposite_bound(self.arcs, odd=neurons % 2 == 1)
            return float(best) if best == bound else None
        enough = self._wedge_neurons(output)
        if enough and neurons >= enough:
            return 1.0
        return best_cap(self.arcs, self.dim) if neurons == 1 and bias else None

    def _best_without_bias(self, neurons: int, output: str) -> float | None:
        """Return the best fitness at D = 2 if all biases are 0."""
        if neurons == 1 or output == "xor":
            return float(best_parity(self.arcs, neurons))
        if output == "or":
            return float(best_arc(self.arcs, HALF_TURN, Fraction(1)))
        if output == "and":
            return float(best_arc(self.arcs, Fraction(0), HALF_TURN))
        share = best_unions(self.arcs, 1, 0)[0]
        return float(share) if neurons == 2 or share == 1 else None

    def optima(
        self, neurons: int, output: str = "or", *, bias: bool = True, neuron: str = "plain"
    ) -> list[FloatArray]:
        """Return the best networks where they are known and finitely many, else an empty list.

        At D = 2 and up to as many neurons as arcs an OR has one neuron per arc of a best
        approximation, an AND one neuron per gap, firing on all but the gap, and the neurons of an
        XOR share the ends of all arcs. Those of an evolved output begin where an arc begins and end
        where any arc ends; the output fires where most of them do. More neurons leave some of them
        free, and more than 1000 optima are not listed (of an evolved output those that are an OR
        or an AND are). If all biases are 0, those of one neuron are listed, and those of more
        where they make no error. Bent neurons with evolved biases have curves of optima, of which
        none is listed. See `Problem.optima` for what the arrays hold.
        """
        neurons, output = check_network(neurons, output)
        if neurons > 1 and output not in _KNOWN_OUTPUTS:
            return []
        if is_bent(neuron, "the optima of arcs"):
            if bias or (output == "evolved" and neurons > 1):
                return []
            # those of plain neurons, all biases replaced by 0 and the bend for it
            result = []
            zeros = np.zeros(neurons)
            for optimum in self.optima(neurons, output):
                bends = [bend_without_bias(level) for level in optimum[:, -1].tolist()]
                result.append(np.column_stack([optimum[:, :-1], zeros, bends]))
            return result
        if self.dim == 2 and not bias and neurons == 1:
            middles = best_half_circles(self.arcs)[1]
            return [np.array([[float(middle), 0.0]]) for middle in middles]
        if self.dim > 2 or not bias:
            if self.dim == 2 and output == "evolved":
                return []
            return self._wedge_optima(neurons, output)
        if neurons > len(self.arcs):
            return []
        unions = best_unions(self.arcs, neurons, MOST_OPTIMA)[1]
        if output == "and":
            # A half-space is the complement of the one with opposite normal and bias.
            caps = [[cap(gap) for gap in complement(union)] for union in unions]
            return [np.array([((a + 0.5) % 1, 0.0 - b) for a, b in gaps]) for gaps in caps]
        if output in ("xor", "evolved") and unions:
            others = symmetric_differences if output == "xor" else level_sets
            most = MOST_OPTIMA // len(unions)
            unions = tuple(arcs for union in unions for arcs in others(union, most))
        optima = []
        for union in unions:
            optima.append(np.array([*map(cap, union)]))
        return optima

    def rounding_loss(
        self, neurons: int, resolution: int, *, bias: bool = True, neuron: str = "plain"
    ) -> float:
        """Return by how much the best network on a grid may miss `best_fitness`."""
        if is_bent(neuron, "the loss by rounding") and self.dim == 2:
            # Half a step of the angle and of the bend, which is half as long.
            return 2 * neurons / resolution
        return rounding_loss(self.arcs, self.dim, neurons, resolution, bias)

    def _wedge_neurons(self, output: str) -> int | None:
        """Return how many neurons are known to make no error in any dimension."""
        if output == "xor":
            ends = {end % 1 for arc in self.arcs for end in arc}
            return len(self.arcs) if ends == {(end + HALF_TURN) % 1 for end in ends} else None
        if len(self.arcs) > 1:
            return None
        length = covered(self.arcs)
        if length == HALF_TURN:
            return 1
        fitting = "and" if length < HALF_TURN else "or"
        return 2 if output in (fitting, "evolved") else None

    def _wedge_optima(self, neurons: int, output: str) -> list[FloatArray]:
        """Return half-spaces through 0 and the ends of the arcs that make no error, if any do."""
        if neurons != self._wedge_neurons(output):
            return []
        if output == "xor":  # through two opposite ends each
            ends = sorted(end % 1 for arc in self.arcs for end in arc if end % 1 < HALF_TURN)
            if 2 ** (len(ends) - 1) > MOST_OPTIMA:
                return []
            normals = []
            for turns in turned_arcs(self.arcs):
                sides = [HALF_TURN * turned + QUARTER_TURN for turned in turns]
                normals.append([end + side for end, side in zip(ends, sides, strict=True)])
        else:
            (start, end), *_ = self.arcs
            if neurons == 2 and output == "evolved" and end - start < HALF_TURN:
                return []  # an AND, which is not the OR that optima of an evolved output stand for
            normals = [[start + QUARTER_TURN, end - QUARTER_TURN][:neurons]]
        # Angles of a quarter turn put the normal into the plane of the last two coordinates.
        ahead = [0.25] * (self.dim - 2)
        return [np.array([[*ahead, float(psi % 1), 0.0] for psi in each]) for each in normals]


def _checked_intervals(intervals: Any, unit: str = "turn") -> list[tuple[Fraction, Fraction]]:
    """Return intervals in a unit as pairs of fractions of a turn."""
    turn = _TURN[unit]
    checked = []
    try:
        pairs = list(intervals)
        starts, ends = zip(*pairs, strict=True) if pairs else ((), ())
    except (TypeError, ValueError):
        raise ValueError(
            f"arcs must be pairs (start, end) in {unit}s, got {shown(intervals)}"
        ) from None
    if not pairs:
        raise ValueError(f"arcs must hold at least one pair (start, end) in {unit}s, got none")
    for start, end in zip(starts, ends, strict=True):
        turns = []
        for value in (start, end):
            if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
                raise TypeError(f"arc ends must be real numbers of {unit}s, got {shown(value)}")
            if not (isinstance(value, Fraction | int) or math.isfinite(value)):
                raise ValueError(f"arc ends must be finite numbers of {unit}s, got {shown(value)}")
            if isinstance(value, Fraction | int | np.integer) and turn == int(turn):
                exact = value if isinstance(value, Fraction) else int(value)
                turns.append(Fraction(exact) / int(turn))
            else:
                turns.append(simple_fraction(float(value) / turn))
        first, last = turns
        whole = f"{turn:.4g} {unit}s" if turn != 1 else "1 turn"
        if first >= last:
            raise ValueError(
                f"an arc must start before it ends, got ({start}, {end}) in {unit}s; "
                f"to pass 0 add a whole turn ({whole}) to the end"
            )
        if last - first >= 1:
            others = " or ".join(f"unit='{other}'" for other in _TURN if other != unit)
            raise ValueError(
                f"an arc must not cover the whole circle ({whole}), got ({start}, {end}) in "
                f"{unit}s; for other units pass {others}"
            )
        checked.append((first, last))
    return checked


@register("half", "half of the circle, 0° to 180°: one half-space, the easiest problem")
def half(dim: int = 2) -> ArcProblem:
    """Positive where psi is in [0, pi], the half-space x_D >= 0."""
    return ArcProblem("half", ((START, HALF_TURN),), dim)


@register("quarter", "a quarter, 0° to 90°: angle and bias both matter")
def quarter(dim: int = 2) -> ArcProblem:
    """Positive where psi is in [0, pi/2]."""
    return ArcProblem(
        "quarter", ((START, QUARTER_TURN),), dim, default_neurons=1 if dim == 2 else 2
    )


@register("two_quarters", "two opposite quarters, 0° to 90° and 180° to 270°: needs two neurons")
def two_quarters(dim: int = 2) -> ArcProblem:
    """Positive where psi is in [0, pi/2] or [pi, 3 pi/2]."""
    return ArcProblem("two_quarters", ((START, QUARTER_TURN), (HALF_TURN, 3 * QUARTER_TURN)), dim)


@register(
    "local_opt",
    "three arcs: one neuron gets 3/4 at most, small steps may end at local optima of 2/3, 7/12",
)
def local_opt(dim: int = 2) -> ArcProblem:
    """Positive where psi is in [0, pi/3], [2 pi/3, pi] or [4 pi/3, 11 pi/6]."""
    arcs = (START, Fraction(1, 6)), (Fraction(1, 3), HALF_TURN), (Fraction(2, 3), Fraction(11, 12))
    return ArcProblem("local_opt", arcs, dim, default_neurons=1)


@register("arcs", "k equal arcs, as in k=3, or your own in degrees, as in arcs=0-90 180-270")
def named_arcs(k: int = UNSET, arcs: str = "", dim: int = 2) -> ArcProblem:
    """Positive on k arcs [j/k, j/k + 1/(2k)] of a turn, j = 0 .. k-1, or on arcs of your choice."""
    if (k is UNSET) == (arcs == ""):
        raise ValueError(
            "problem 'arcs' must be given either k, as in k=3, or arcs, as in '0-90 180-270'"
        )
    if arcs:
        return custom_arcs(arcs, dim=dim)
    k = check_integer("k", k, 1, 1000)
    starts = [Fraction(j, k) for j in range(k)]
    return ArcProblem(f"arcs:k={k}", tuple((s, s + Fraction(1, 2 * k)) for s in starts), dim)


def custom_arcs(
    intervals: str | Iterable[Sequence[float]], unit: str = "turn", dim: int = 2
) -> ArcProblem:
    """Return the problem whose positive set is a union of closed arcs of your choice.

    Parameters
    ----------
    intervals : iterable of (start, end), or str
        Arcs counter-clockwise from start to end, start < end; an end may be more than a turn.
        Arcs that overlap or touch count as one. As text, always in degrees: ``"0-90 180-270"``.
        The empty set and the whole circle are refused: there is nothing to learn.
    unit : {"turn", "radian", "degree"}
        Unit of the ends. Fractions and integers of a turn or degree are exact; floats count as the
        fraction of a turn with denominator up to 10000 that they agree with to 15 digits, if any.
    dim : int
        Dimension of the points.

    Examples
    --------
    >>> caps = custom_arcs([(350, 370), (90, 180)], unit="degree")
    >>> caps.arcs
    ((Fraction(1, 4), Fraction(1, 2)), (Fraction(35, 36), Fraction(37, 36)))
    >>> caps == custom_arcs("90-180 350-10")
    True
    >>> caps.best_fitness(neurons=1)
    0.9444444444444444
    """
    if isinstance(intervals, str):
        intervals = parse_arcs(intervals)  # type: ignore[assignment]
        unit = "degree"
    unit = check_choice("unit", unit, _TURN)
    arcs = merge_arcs(_checked_intervals(intervals, unit))
    return ArcProblem(f"arcs:arcs={write_arcs(arcs)}", arcs, dim)
