"""Exact arithmetic with unions of arcs on a circle of circumference 1 (one turn).

An arc is a pair of fractions (start, end) with 0 <= start < 1 and start < end < start + 1; one
that passes 0 has end > 1. A union is a tuple of arcs, sorted by their starts, that do not touch.
"""

import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import compress, permutations, product

_END = r"\s*(\d+(?:\.\d*)?(?:/\d+)?)\s*"

Arc = tuple[Fraction, Fraction]
Union = tuple[Arc, ...]

# Radians and degrees arrive as floats. One this close to a fraction with a denominator of at most
# _SIMPLE means that fraction: pi/3 is a sixth of a turn, 0.1 is a tenth.
_CLOSE = Fraction(1, 10**15)
_SIMPLE = 10_000


def simple_fraction(value: float | Fraction) -> Fraction:
    """Return the simple fraction that a float stands for, or else the float's exact value.

    Examples
    --------
    >>> simple_fraction(0.1)
    Fraction(1, 10)
    """
    exact = Fraction(value)
    if isinstance(value, Fraction):
        return exact
    simple = exact.limit_denominator(_SIMPLE)
    return simple if abs(simple - exact) <= _CLOSE * (1 + abs(exact)) else exact


def merge_arcs(intervals: Iterable[Arc]) -> Union:
    """Return the union of closed arcs given by any (start, end) with start < end.

    Overlapping and touching arcs become one. The whole circle is refused.
    """
    turned: list[Arc] = []
    merged: list[Arc] = []
    for start, end in intervals:
        turned.append((start % 1, start % 1 + (end - start)))
    for start, end in sorted(turned):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    # An arc that passes 0 may reach the first ones from behind.
    while len(merged) > 1 and merged[-1][1] - 1 >= merged[0][0]:
        start, end = merged.pop(0)
        merged[-1] = (merged[-1][0], max(merged[-1][1], end + 1))
    if merged and merged[0][1] - merged[0][0] >= 1:  # all others are in it then
        raise ValueError("the intervals cover the whole circle; leave a part of it negative")
    return tuple(merged)


def complement(union: Union) -> Union:
    """Return the arcs between those of a union.

    Examples
    --------
    >>> complement(((Fraction(0), Fraction(1, 4)),))
    ((Fraction(1, 4), Fraction(1, 1)),)
    """
    return merge_arcs(_gaps(union))


def covered(union: Union) -> Fraction:
    """Return the total length of a union."""
    return sum((end - start for start, end in union), Fraction(0))


def symmetric_differences(union: Union, limit: int) -> list[Union]:
    """Return all choices of k arcs an odd number of which holds exactly the points of a union of k.

    Any two ends of the union may be those of an arc, and any arc may be replaced by its complement,
    if another one is, too. If there are more than `limit` choices, none is returned.

    Examples
    --------
    >>> quarters = (Fraction(0), Fraction(1, 4)), (Fraction(1, 2), Fraction(3, 4))
    >>> len(symmetric_differences(quarters, 10))
    6
    """
    size = len(union)
    if math.prod(range(1, 2 * size, 2)) << (size - 1) > limit:
        return []
    pairs_of_ends = _pairings(sorted(end % 1 for arc in union for end in arc))
    return [
        tuple((b, a + 1) if turned else (a, b) for (a, b), turned in zip(pairs, turns, strict=True))
        for pairs in pairs_of_ends
        for turns in turned_arcs(union)
    ]


def level_sets(union: Union, limit: int) -> list[Union]:
    """Return all choices of k arcs more of which hold the points of a union of k than others.

    Each begins where an arc of the union begins and ends where any of them ends: then one more
    holds a point in the union than one in a gap, on all of the circle. If there are more than
    `limit` choices, two are returned: those where one holds a point in the union, or all do.

    Examples
    --------
    >>> quarters = (Fraction(0), Fraction(1, 4)), (Fraction(1, 2), Fraction(3, 4))
    >>> [[f"{a}..{b}" for a, b in arcs] for arcs in level_sets(quarters, 10)]
    [['0..1/4', '1/2..3/4'], ['0..3/4', '1/2..5/4']]
    """
    starts, ends = zip(*((start, end % 1) for start, end in union), strict=True)
    orders: Iterable[Sequence[Fraction]] = permutations(ends)
    if math.factorial(len(union)) > limit:
        orders = (ends, ends[-1:] + ends[:-1])
    return [
        tuple((a, b if b > a else b + 1) for a, b in zip(starts, order, strict=True))
        for order in orders
    ]


def turned_arcs(union: Union) -> list[tuple[bool, ...]]:
    """Return which of k arcs to replace by their complements to get a union and not its complement.

    The arcs end before 0, so that none of them holds the points right before it.
    """
    odd = any(end >= 1 for _, end in union)
    choices = product((False, True), repeat=len(union))
    return [choice for choice in choices if sum(choice) % 2 == odd]


def _pairings(ends: list[Fraction]) -> list[list[Arc]]:
    """Return all ways of pairing the numbers."""
    if not ends:
        return [[]]
    first, *others = ends
    return [
        [(first, other), *rest]
        for i, other in enumerate(others)
        for rest in _pairings(others[:i] + others[i + 1 :])
    ]


def cap(arc: Arc) -> tuple[float, float]:
    """Return angle (in turns) and bias of the neuron that fires on an arc, exact where rational.

    Examples
    --------
    >>> cap((Fraction(0), Fraction(1, 3))), cap((Fraction(1, 2), Fraction(1)))
    ((0.16666666666666666, 0.5), (0.75, 0.0))
    """
    start, end = arc
    half = (end - start) / 2
    bias = math.sin(2 * math.pi * float(Fraction(1, 4) - half))
    if half.denominator in (3, 6):
        bias = 0.5 if half < Fraction(1, 4) else -0.5
    return float((start + end) / 2 % 1), bias


def bend_without_bias(bias: float) -> float:
    """Return the bend, in half turns, of a bent neuron that does with bias 0 what a plain one does.

    Examples
    --------
    >>> bend_without_bias(0.0), bend_without_bias(0.5), bend_without_bias(math.sqrt(0.5))
    (0.5, 0.3333333333333333, 0.25)
    """
    return float(simple_fraction(math.acos(bias) / math.pi))


@lru_cache(maxsize=64)
def best_unions(union: Union, size: int, limit: int) -> tuple[Fraction, tuple[Union, ...]]:
    """Return the best approximations of a union by at most `size` arcs.

    Returns
    -------
    share : Fraction
        Share of the circle on which the best approximations agree with `union`.
    best : tuple of unions
        All of them, none if there are more than `limit`.

    Notes
    -----
    The ends of a best approximation are ends of `union`: moving any other end one way or the other
    does not harm. So each of the k arcs and k gaps of `union` is either taken or left, which is a
    choice of `size` runs in a circular sequence of 2k signed lengths with the largest sum. With
    fewer than min(size, k) runs a missing arc or a covered gap could be put right for a gain, so
    every best approximation has exactly min(size, k) runs.
    """
    runs = min(size, len(union))
    if runs == len(union):
        return Fraction(1), (union,)
    pieces = [piece for pair in zip(union, _gaps(union), strict=True) for piece in pair]
    unit = math.lcm(*(end.denominator for _, end in pieces), *(s.denominator for s, _ in pieces))
    lengths = [int((end - start) * unit) for start, end in pieces]
    gains = [-length if i % 2 else length for i, length in enumerate(lengths)]
    tables = [_run_table(gains, runs, before) for before in (False, True)]
    best = max(table[0][before][runs] for before, table in enumerate(tables))
    share = Fraction(best + sum(lengths[1::2]), unit)
    choices: list[list[bool]] = []
    for before, table in enumerate(tables):
        if table[0][before][runs] == best and len(choices) <= limit:
            choices += _trace(gains, table, runs, bool(before), limit + 1 - len(choices))
    if len(choices) > limit:
        return share, ()
    return share, tuple(merge_arcs(compress(pieces, taken)) for taken in choices)


def _gaps(union: Union) -> list[Arc]:
    """Return the gap after each arc."""
    following = [*(start for start, _ in union[1:]), union[0][0] + 1]
    return [(end, start) for (_, end), start in zip(union, following, strict=True)]


Gains = list[list[list[int]]]


def _run_table(gains: Sequence[int], runs: int, before: bool) -> Gains:
    """Return value[i][b][n], the largest gain of pieces i.. with n more runs starting there.

    b says whether piece i - 1 is taken. The last piece is taken iff `before`, so that the ends of
    the sequence fit together.
    """
    # Below every sum of gains, even after gains are added to it.
    impossible = -1 - 3 * sum(map(abs, gains))
    table = [[[impossible] * (runs + 1) for _ in range(2)]]
    table[0][before][0] = 0
    for gain in reversed(gains):
        left, taken = table[-1]
        stay = [gain + value for value in taken]
        start = [impossible, *stay[:-1]]
        table.append([list(map(max, left, start)), list(map(max, left, stay))])
    table.reverse()
    return table


def _trace(
    gains: Sequence[int], table: Gains, runs: int, before: bool, limit: int
) -> list[list[bool]]:
    """Return up to `limit` choices of pieces that attain the value of the table."""
    found: list[list[bool]] = []
    stack: list[tuple[list[bool], int]] = [([], runs)]
    while stack and len(found) < limit:
        taken, left = stack.pop()
        i = len(taken)
        if i == len(gains):
            found.append(taken)
            continue
        previous = taken[-1] if taken else before
        value = table[i][previous][left]
        rest = left if previous else left - 1
        if rest >= 0 and gains[i] + table[i + 1][True][rest] == value:
            stack.append(([*taken, True], rest))
        if table[i + 1][False][left] == value:
            stack.append(([*taken, False], left))
    return found


def parse_arcs(text: str) -> list[Arc]:
    """Read arcs in degrees, exactly, counter-clockwise from start to end.

    Arcs are separated by spaces or commas. An end that is smaller than its start lies in the next
    turn.

    Examples
    --------
    >>> parse_arcs("0-90, 180-202.5")
    [(Fraction(0, 1), Fraction(90, 1)), (Fraction(180, 1), Fraction(405, 2))]
    >>> parse_arcs("350-10")
    [(Fraction(350, 1), Fraction(370, 1))]
    """
    arcs = []
    for item in re.split(r"\s*,\s*|(?<![\s-])\s+(?![\s-])", text.strip()):
        match = re.fullmatch(f"{_END}-{_END}", item)
        if match is None or any(end.endswith("/0") for end in match.groups()):
            raise ValueError(
                f"arcs must be written in degrees as '0-90 180-270', got {item[:60]!r}"
            )
        start, end = (
            Fraction(above) / Fraction(below or 1)
            for above, _, below in (written.partition("/") for written in match.groups())
        )
        arcs.append((start, end if end >= start else end + 360))
    return arcs


def write_arcs(arcs: Iterable[Arc]) -> str:
    """Write arcs, given in turns, as `parse_arcs` reads them.

    Examples
    --------
    >>> write_arcs([(Fraction(0), Fraction(1, 4)), (Fraction(35, 36), Fraction(37, 36))])
    '0-90 350-370'
    """
    return " ".join(f"{360 * start}-{360 * end}" for start, end in arcs)


def rounding_loss(union: Union, dim: int, neurons: int, resolution: int, bias: bool) -> float:
    """Return a share of the sphere: some network on the grid is worse than the best by no more.

    At least 2N/r, what N neurons lose whose angles are one step off; without biases a little less,
    so that a network one step away from a plateau of best ones does not pass for one of them.

    Examples
    --------
    >>> rounding_loss(((Fraction(0), Fraction(1, 4)),), 2, 1, 120, True) == 2 / 120
    True
    """
    if dim > 2:
        # Rounding D - 1 angles turns a normal by sqrt(D - 1) half steps at most, rounding a bias
        # moves the boundary by half a step, in the middle of the sphere, where most points are.
        turned, moved = math.sqrt(dim - 1), math.sqrt(dim / (2 * math.pi))
        return neurons * max(2.0, turned + (moved if bias else 0.0)) / resolution
    if not bias:
        return (1 - 1e-9) * 2 * neurons / resolution
    # A bias is half a step off, which matters most for the shortest arc.
    half = math.pi * min(
        float(end - start) for part in (union, complement(union)) for start, end in part
    )
    wider = math.acos(max(-1.0, math.cos(half) - 1 / resolution)) - half
    narrower = half - math.acos(min(1.0, math.cos(half) + 1 / resolution))
    return neurons * max(2 / resolution, 1 / resolution + max(wider, narrower) / math.pi)
