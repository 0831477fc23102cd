"""The best half-space of all, by enumeration: lines through a point, planes through two.

Every half-space that touches no point can be moved until its boundary runs through one place (at
D = 2) or two (at D = 3) and turned a little, so that it contains the same other points. What it
contains of the places on its boundary may then be chosen: a place or none, or the points on one
side of a place of the line through two.
"""

import math

from hyperna._kernels.jit import inner_kernel, kernel
from hyperna._kernels.order import larger, smaller

# Directions closer than this are the same: rounding must not invent a boundary between them.
SAME = 1e-12


@inner_kernel
def rank(keys, count, order, spare):
    """Write the indices of the first keys into order, the smallest key first."""
    for k in range(count):
        order[k] = k
    length = 1
    while length < count:
        # Neighbouring runs of this length, each in order, are merged.
        for low in range(0, count, 2 * length):
            middle, high = smaller(low + length, count), smaller(low + 2 * length, count)
            left, right = low, middle
            for place in range(low, high):
                if right >= high or (left < middle and keys[order[left]] <= keys[order[right]]):
                    spare[place] = order[left]
                    left += 1
                else:
                    spare[place] = order[right]
                    right += 1
        for place in range(count):
            order[place] = spare[place]
        length *= 2


@inner_kernel
def best_turn(angle, gain, count, turns, order, spare):
    """Return the largest sum of gains in an open half-plane through the origin, and its normal.

    Points are given by their angles; a normal at angle theta holds those within a quarter turn.
    """
    half = math.pi
    if count == 0:
        return 0.0, 0.0
    for k in range(count):
        turns[k] = (angle[k] + half / 2) % half
    rank(turns, count, order, spare)
    # The sweep begins in the widest gap, where no point is near the boundary.
    last = turns[order[count - 1]]
    widest = turns[order[0]] + half - last
    begin = last
    first = 0
    for place in range(1, count):
        before, after = turns[order[place - 1]], turns[order[place]]
        if after - before > widest:
            widest = after - before
            begin = before
            first = place
    begin += widest / 2
    total, inside = 0.0, 0.0
    for k in range(count):
        total += gain[k]
        turns[k] = (turns[k] - begin) % half
        if math.cos(angle[k] - begin) > 0:
            inside += gain[k]
    best, where = inside, begin
    if total - inside > best:
        best, where = total - inside, begin + half
    for place in range(count):
        k = order[(first + place) % count]
        # On the boundary now: what was inside leaves, what was outside enters.
        inside += -gain[k] if math.cos(angle[k] - begin) > 0 else gain[k]
        after = turns[order[(first + place + 1) % count]] if place + 1 < count else half
        if after - turns[k] > SAME:
            middle = begin + (turns[k] + after) / 2
            if inside > best:
                best, where = inside, middle
            if total - inside > best:
                best, where = total - inside, middle + half
    return best, where


@inner_kernel
def best_end(along, weight, count, order, spare):
    """Return the largest sum of weights on one side of a point of a line."""
    total = 0.0
    for k in range(count):
        total += weight[k]
    best = larger(total, 0.0)
    rank(along, count, order, spare)
    inside = 0.0
    for k in range(count):
        inside += weight[order[k]]
        best = larger(best, larger(inside, total - inside))
    return best


@kernel
def best_in_plane(points, gain, numbers, indices):
    """Return the largest sum of gains in a half-plane, as (sum, pivot, angle of the normal).

    The rows of ``numbers`` and ``indices`` are room to work in.
    """
    angle, other, turns = numbers[0], numbers[1], numbers[2]
    best = -math.inf
    pivot = 0
    normal = 0.0
    for i in range(len(points)):
        count = 0
        for j in range(len(points)):
            if j != i:
                angle[count] = math.atan2(points[j, 1] - points[i, 1], points[j, 0] - points[i, 0])
                other[count] = gain[j]
                count += 1
        value, where = best_turn(angle, other, count, turns, indices[0], indices[1])
        value += larger(gain[i], 0.0)
        if value > best:
            best = value
            pivot = i
            normal = where
    return best, pivot, normal


@kernel
def best_in_space(points, gain, axes, numbers, indices):
    """Return the largest sum of gains in a half-space of R^3, as (sum, two pivots, angle).

    The normal has this angle in the frame of the two pivots. The rows of ``axes``, ``numbers`` and
    ``indices`` are room to work in.
    """
    angle, other, turns, along, weight = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    n = len(points)
    best = -math.inf
    first = 0
    second = 0
    normal = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            frame(points[i], points[j], axes)
            count, line = 0, 0
            for k in range(n):
                x, y, z = 0.0, 0.0, 0.0
                for c in range(3):
                    d = points[k, c] - points[i, c]
                    x += d * axes[1, c]
                    y += d * axes[2, c]
                    z += d * axes[0, c]
                if math.hypot(x, y) <= SAME * abs(z) or k == i or k == j:  # noqa: SIM109
                    along[line], weight[line] = z, gain[k]
                    line += 1
                else:
                    angle[count], other[count] = math.atan2(y, x), gain[k]
                    count += 1
            value, where = best_turn(angle, other, count, turns, indices[0], indices[1])
            value += best_end(along, weight, line, indices[0], indices[1])
            if value > best:
                best = value
                first = i
                second = j
                normal = where
    return best, first, second, normal


@kernel
def frame(a, b, axes):
    """Write the unit vector from a to b in R^3, and two that complete it to a frame."""
    u, e, f = axes[0], axes[1], axes[2]
    length = 0.0
    for c in range(3):
        u[c] = b[c] - a[c]
        length += u[c] * u[c]
    length = math.sqrt(length)
    least = 0
    for c in range(3):
        u[c] /= length
        if abs(u[c]) < abs(u[least]):
            least = c
    shared = u[least]
    length = 0.0
    for c in range(3):
        e[c] = (1.0 if c == least else 0.0) - shared * u[c]
        length += e[c] * e[c]
    length = math.sqrt(length)
    for c in range(3):
        e[c] /= length
    f[0] = u[1] * e[2] - u[2] * e[1]
    f[1] = u[2] * e[0] - u[0] * e[2]
    f[2] = u[0] * e[1] - u[1] * e[0]
