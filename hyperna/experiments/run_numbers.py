"""Sets of run numbers as sorted lists of intervals (first, last), last excluded."""

from bisect import bisect_left, bisect_right

Intervals = list[tuple[int, int]]


def add_interval(intervals: Intervals, first: int, last: int) -> None:
    """Add the numbers first..last-1; neighbours grow together.

    Examples
    --------
    >>> numbers = [(0, 3), (8, 9)]
    >>> add_interval(numbers, 3, 5)
    >>> numbers
    [(0, 5), (8, 9)]
    """
    if first >= last:
        return
    begin = bisect_left(intervals, first, key=lambda interval: interval[1])
    end = bisect_right(intervals, last, key=lambda interval: interval[0])
    touched = intervals[begin:end]
    if touched:
        first, last = min(first, touched[0][0]), max(last, touched[-1][1])
    intervals[begin:end] = [(first, last)]


def gaps(intervals: Intervals, last: int) -> Intervals:
    """Return the intervals of 0..last-1 that are not covered.

    Examples
    --------
    >>> gaps([(2, 4), (7, 20)], 9)
    [(0, 2), (4, 7)]
    """
    missing = []
    begin = 0
    for start, end in intervals:
        if start >= last:
            break
        if begin < start:
            missing.append((begin, start))
        begin = end
    if begin < last:
        missing.append((begin, last))
    return missing


def count(intervals: Intervals) -> int:
    """Return how many numbers the intervals hold."""
    return sum(end - start for start, end in intervals)
