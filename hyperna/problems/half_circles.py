"""What networks can do at D = 2 if every bias is 0, so that every neuron fires on a half circle.

With F(x) the positive length between 0 and x let G(x) = 2 F(x) - x. A network that is positive on
an arc from s to e is right on the share 1 - |positive set| + G(e) - G(s) of the circle. G is
linear between the ends of the problem's arcs, so best ends are found there or half a turn away.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable
from fractions import Fraction

from hyperna.problems.arcs import Union, covered

HALF_TURN = Fraction(1, 2)
QUARTER_TURN = Fraction(1, 4)


def best_half_circles(union: Union) -> tuple[Fraction, list[Fraction]]:
    """Return the best share that one half circle gets right, and the middles of the best ones.

    No middles are returned if there are infinitely many.

    Examples
    --------
    >>> best_half_circles(((Fraction(0), HALF_TURN),))
    (Fraction(1, 1), [Fraction(1, 4)])
    >>> best_half_circles(((Fraction(0), QUARTER_TURN),))
    (Fraction(3, 4), [])
    """
    gain = _gain(union)
    middles = sorted((cut + QUARTER_TURN) % 1 for cut in _cuts(union))
    gains = [gain(middle + QUARTER_TURN) - gain(middle - QUARTER_TURN) for middle in middles]
    best = max(gains)
    found = [value == best for value in gains]
    # Between neighbours the share is linear: two best neighbours have best half circles between.
    isolated = not any(a and b for a, b in zip(found, found[1:] + found[:1], strict=True))
    share = 1 - covered(union) + best
    return share, [m for m, good in zip(middles, found, strict=True) if good] if isolated else []


def best_arc(union: Union, shortest: Fraction, longest: Fraction) -> Fraction:
    """Return the best share that one arc with a length in these bounds gets right.

    The bounds are multiples of half a turn. An OR of two or more half circles is any arc of at
    least half a turn, an AND any arc of at most half a turn.

    Examples
    --------
    >>> best_arc(((Fraction(0), QUARTER_TURN),), HALF_TURN, Fraction(1))
    Fraction(3, 4)
    >>> best_arc(((Fraction(0), QUARTER_TURN),), Fraction(0), HALF_TURN)
    Fraction(1, 1)
    """
    gain, cuts = _gain(union), _cuts(union)
    ends = deque((cut + turn, gain(cut + turn)) for turn in range(3) for cut in cuts)
    # The ends in reach of the current start that may be the best for it or a later one.
    window: deque[tuple[Fraction, Fraction]] = deque()
    best = -Fraction(1)
    for start in cuts:
        while ends and ends[0][0] <= start + longest:
            end = ends.popleft()
            while window and window[-1][1] <= end[1]:
                window.pop()
            window.append(end)
        while window[0][0] < start + shortest:
            window.popleft()
        best = max(best, window[0][1] - gain(start))
    return 1 - covered(union) + best


def best_parity(union: Union, neurons: int) -> Fraction:
    """Return the best share that an XOR of half circles gets right.

    Opposite points get the same answer if the number of neurons is even, else different ones. So
    half of the circle is labelled freely, with as many changes as there are neurons at most.

    Examples
    --------
    >>> two_quarters = (Fraction(0), QUARTER_TURN), (HALF_TURN, 3 * QUARTER_TURN)
    >>> best_parity(two_quarters, 1), best_parity(two_quarters, 2)
    (Fraction(1, 2), Fraction(1, 1))
    """
    odd = neurons % 2 == 1
    cuts = [cut for cut in _cuts(union) if cut < HALF_TURN]
    most = min(neurons, len(cuts) + 1)
    gain = _gain(union)

    def right(first: Fraction, last: Fraction, positive: bool) -> Fraction:
        """Length that is right on [first, last] and opposite."""
        here = gain(last) - gain(first)
        opposite = gain(last + HALF_TURN) - gain(first + HALF_TURN)
        total = here - opposite if odd else here + opposite
        return (last - first) + (total if positive else -total) / 2

    impossible = -Fraction(2)
    best = impossible
    for first_label in (False, True):
        # value[label][changes] of the pieces so far
        value = [[impossible] * (most + 1) for _ in range(2)]
        value[first_label][0] = Fraction(0)
        for first, last in zip(cuts, [*cuts[1:], cuts[0] + HALF_TURN], strict=True):
            value = [
                [right(first, last, bool(label)) + total for total in value[label]]
                for label in range(2)
            ]
            value = [
                list(map(max, value[label], [impossible, *value[1 - label][:-1]]))
                for label in range(2)
            ]
        best = max(best, *value[first_label != odd])
    return best


def opposite_bound(union: Union, odd: bool) -> Fraction:
    """Return the share that no network can beat whose answers at opposite points are bound.

    `odd`: always different answers, else always the same. One of two opposite points is wrong
    wherever the problem wants it otherwise, in every dimension.

    Examples
    --------
    >>> opposite_bound(((Fraction(0), QUARTER_TURN),), odd=True)
    Fraction(3, 4)
    """
    gain, cuts = _gain(union), [*_cuts(union)]
    different = Fraction(0)
    for first, last in zip(cuts, [*cuts[1:], cuts[0] + 1], strict=True):
        here = gain(last) - gain(first)
        different += (last - first) * (here != gain(last + HALF_TURN) - gain(first + HALF_TURN))
    return (1 + different) / 2 if odd else 1 - different / 2


def _cuts(union: Union) -> list[Fraction]:
    """Return the ends of the arcs and the points opposite to them, sorted, in [0, 1)."""
    ends = [end for arc in union for end in arc]
    return sorted({(end + turned) % 1 for end in ends for turned in (0, HALF_TURN)})


def _gain(union: Union) -> Callable[[Fraction], Fraction]:
    """Return the function G of the module's docstring, for arguments >= -1."""
    cuts, starts = _cuts(union), [start for start, _ in union]
    totals = [Fraction(0)]
    for first, last in zip(cuts, [*cuts[1:], cuts[0] + 1], strict=True):
        middle = (first + last) / 2 % 1
        # starts rise and only the last arc may pass 0
        before = bisect_right(starts, middle)
        inside = (before > 0 and middle < union[before - 1][1]) or middle + 1 < union[-1][1]
        totals.append(totals[-1] + (last - first) * (1 if inside else -1))

    def gain(x: Fraction) -> Fraction:
        turns, rest = divmod(x - cuts[0], 1)
        place = bisect_right(cuts, rest + cuts[0]) - 1
        beyond = rest + cuts[0] - cuts[place]
        slope = 1 if totals[place + 1] > totals[place] else -1
        return turns * totals[-1] + totals[place] + slope * beyond

    return gain
