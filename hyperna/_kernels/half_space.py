"""The best half-space of all, by enumeration: lines through a point, planes through two.

Every half-space that touches no point can be moved until its boundary runs through one place (at
D = 2) or two (at D = 3) and turned a little, so that it contains the same other points. What it
contains of the places on its boundary may then be chosen: a place or none, or the points on one
side of a place of the line through two.
"""

import math

import numpy as np

from hyperna._kernels.jit import kernel

# Directions closer than this are the same: rounding must not invent a boundary between them.
SAME = 1e-12


@kernel
def best_turn(angle, gain, count, turns, order):
    """Return the largest sum of gains in an open half-plane through the origin, and its normal.

    Points are given by their angles; a normal at angle theta holds those within a quarter turn.
    """
    half = math.pi
    if count == 0:
        return 0.0, 0.0
    for k in range(count):
        turns[k] = (angle[k] + half / 2) % half
    ranked = np.sort(turns[:count])
    # The sweep begins in the widest gap, where no point is near the boundary.
    widest, begin = ranked[0] + half - ranked[count - 1], ranked[count - 1]
    for k in range(count - 1):
        if ranked[k + 1] - ranked[k] > widest:
            widest, begin = ranked[k + 1] - ranked[k], ranked[k]
    begin += widest / 2
    total, inside = 0.0, 0.0
    for k in range(count):
        total += gain[k]
        turns[k] = (turns[k] - begin) % half
        if math.cos(angle[k] - begin) > 0:
            inside += gain[k]
    order[:count] = np.argsort(turns[:count])
    best, where = inside, begin
    if total - inside > best:
        best, where = total - inside, begin + half
    for place in range(count):
        k = order[place]
        # On the boundary now: what was inside leaves, what was outside enters.
        inside += -gain[k] if math.cos(angle[k] - begin) > 0 else gain[k]
        after = turns[order[place + 1]] if place + 1 < count else half
        if after - turns[k] > SAME:
            middle = begin + (turns[k] + after) / 2
            if inside > best:
                best, where = inside, middle
            if total - inside > best:
                best, where = total - inside, middle + half
    return best, where


@kernel
def best_in_plane(points, gain):
    """Return the largest sum of gains in a half-plane, as (sum, pivot, whether inside, normal)."""
    n = len(points)
    angle, other = np.empty(n), np.empty(n)
    turns, order = np.empty(n), np.empty(n, np.int64)
    best, pivot, normal = -np.inf, 0, 0.0
    for i in range(n):
        count = 0
        for j in range(n):
            if j != i:
                angle[count] = math.atan2(points[j, 1] - points[i, 1], points[j, 0] - points[i, 0])
                other[count] = gain[j]
                count += 1
        value, where = best_turn(angle, other, count, turns, order)
        value += max(gain[i], 0.0)
        if value > best:
            best, pivot, normal = value, i, where
    return best, pivot, normal


@kernel
def best_in_space(points, gain):
    """Return the largest sum of gains in a half-space of R^3, as (sum, two pivots, normal)."""
    n = len(points)
    angle, other = np.empty(n), np.empty(n)
    along, weight = np.empty(n), np.empty(n)
    turns, order = np.empty(n), np.empty(n, np.int64)
    best, first, second, normal = -np.inf, 0, 0, 0.0
    for i in range(n):
        for j in range(i + 1, n):
            u, e, f = frame(points[i], points[j])
            count, line = 0, 0
            for k in range(n):
                x, y, z = 0.0, 0.0, 0.0
                for c in range(3):
                    d = points[k, c] - points[i, c]
                    x += d * e[c]
                    y += d * f[c]
                    z += d * u[c]
                if math.hypot(x, y) <= SAME * abs(z) or k == i or k == j:  # noqa: SIM109
                    along[line], weight[line] = z, gain[k]
                    line += 1
                else:
                    angle[count], other[count] = math.atan2(y, x), gain[k]
                    count += 1
            value, where = best_turn(angle, other, count, turns, order)
            value += best_end(along, weight, line)
            if value > best:
                best, first, second, normal = value, i, j, where
    return best, first, second, normal


@kernel
def best_end(along, weight, count):
    """Return the largest sum of weights on one side of a point of a line."""
    total = 0.0
    for k in range(count):
        total += weight[k]
    best = max(total, 0.0)
    order = np.argsort(along[:count])
    inside = 0.0
    for k in range(count):
        inside += weight[order[k]]
        best = max(best, inside, total - inside)
    return best


@kernel
def frame(a, b):
    """Return the unit vector from a to b in R^3 and two that complete it to a frame."""
    u, e, f = np.empty(3), np.zeros(3), np.empty(3)
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
    e[least] = 1.0
    length = 0.0
    for c in range(3):
        e[c] -= u[least] * u[c]
        length += e[c] * e[c]
    length = math.sqrt(length)
    for c in range(3):
        e[c] /= length
    f[0] = u[1] * e[2] - u[2] * e[1]
    f[1] = u[2] * e[0] - u[0] * e[2]
    f[2] = u[0] * e[1] - u[1] * e[0]
    return u, e, f
