"""Area on the sphere in R^3 where a network of any size is right: regions bounded by circles.

Neurons fire in caps, and the label changes at half planes through the first axis, which lie on
great circles. Around an axis with height z and azimuth phi the area element is dz dphi, so the area
of a region is the sum of the integrals of -z dphi along its boundary, with the region on the left,
plus 2 pi for each pole of the axis that it holds. Along a circle w·x = t, run through by the angle
tau about w, z dphi = t dtau - dchi, where chi is the heading between east and north. Each circle is
cut at the others; whether a piece is boundary is decided at a point of it.

The axis is in no special position to the networks of a grid, so that no circle comes close to its
poles. Circles that nearly coincide count as one, and circles that nearly touch do not meet: both
change the area by less than 1e-11.
"""

import math
from typing import NamedTuple

import numpy as np

from hyperna._kernels.geometry import answer
from hyperna._kernels.jit import inline_kernel, inner_kernel, kernel

PI = math.pi
AXIS_0, AXIS_1 = 0.5817358903, 0.3672095613
AXIS_2 = math.sqrt(1 - AXIS_0**2 - AXIS_1**2)
SAME = 1e-11
TOUCHING = 1e-14
# Where a piece of a circle is looked at; in its middle another circle may touch it.
INNER = math.sqrt(2.0) - 1.0
# Columns of a circle: normal (0-2), bias, direction of tau = 0 (4-6), that of a quarter turn (7-9).
BIAS, N_COLUMNS = 3, 10


class Arrangement(NamedTuple):
    """Working arrays for circles: of the N neurons first, then of the label.

    `member` tells for each circle which one stands for it, with a sign for the opposite side.
    """

    circle: np.ndarray
    member: np.ndarray
    cut: np.ndarray


def new_arrangement(neurons, lines):
    """Return the working arrays."""
    circles = neurons + lines
    return Arrangement(
        np.zeros((circles, N_COLUMNS)),
        np.zeros(circles, np.int64),
        np.zeros(2 * circles + 3),
    )


@inline_kernel
def dot(a, first, b, second):
    """Dot product of three entries from `first` and `second` on."""
    return a[first] * b[second] + a[first + 1] * b[second + 1] + a[first + 2] * b[second + 2]


@kernel
def place_circle(row, w0, w1, w2, t):
    """Write a circle's normal and bias, and its directions seen from the axis."""
    row[0], row[1], row[2], row[3] = w0, w1, w2, t
    along = AXIS_0 * w0 + AXIS_1 * w1 + AXIS_2 * w2
    e0, e1, e2 = AXIS_0 - along * w0, AXIS_1 - along * w1, AXIS_2 - along * w2
    size = math.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    e0, e1, e2 = e0 / size, e1 / size, e2 / size
    row[4], row[5], row[6] = e0, e1, e2
    row[7], row[8], row[9] = w1 * e2 - w2 * e1, w2 * e0 - w0 * e2, w0 * e1 - w1 * e0


@inner_kernel
def same_circle(a, b):
    """1 if two circles nearly coincide, -1 if they do with opposite sides, else 0."""
    for sign in (1.0, -1.0):
        apart = abs(a[BIAS] - sign * b[BIAS])
        for k in range(3):
            apart = max(apart, abs(a[k] - sign * b[k]))
        if apart < SAME:
            return np.int64(sign)
    return 0


@inner_kernel
def cut_at(a, b, on, cut, count):
    """Add the angles on circle `on`, which is a or b, at which a and b cross; return the number.

    Both circles get the same points in space, so that errors in them cancel.
    """
    c = dot(a, 0, b, 0)
    e0, e1, e2 = b[0] - c * a[0], b[1] - c * a[1], b[2] - c * a[2]
    again = e0 * a[0] + e1 * a[1] + e2 * a[2]
    e0, e1, e2 = e0 - again * a[0], e1 - again * a[1], e2 - again * a[2]
    size = math.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    if size < SAME:
        return count
    e0, e1, e2 = e0 / size, e1 / size, e2 / size
    p = (b[BIAS] - c * a[BIAS]) / size
    h2 = (1.0 - a[BIAS]) * (1.0 + a[BIAS]) - p * p
    if h2 < TOUCHING:
        return count
    h = math.sqrt(h2)
    m0, m1, m2 = a[1] * e2 - a[2] * e1, a[2] * e0 - a[0] * e2, a[0] * e1 - a[1] * e0
    for _ in range(2):
        x0 = a[BIAS] * a[0] + p * e0 + h * m0
        x1 = a[BIAS] * a[1] + p * e1 + h * m1
        x2 = a[BIAS] * a[2] + p * e2 + h * m2
        right = x0 * on[4] + x1 * on[5] + x2 * on[6]
        tau = math.atan2(x0 * on[7] + x1 * on[8] + x2 * on[9], right)
        cut[count] = tau if tau >= 0.0 else tau + 2.0 * PI
        count += 1
        h = -h
    return count


@inner_kernel
def agreement(work, on, x0, x1, x2, join, output_w, positive, lines, ends):
    """Whether the network is right at a point: at once, or on both sides of the circle `on`.

    Returns 1 for right on the left side, where the circle's own neuron fires, plus 2 for right on
    the other side. If `on` is -1 the point is on no circle, and both sides are the same.
    """
    psi = math.atan2(x2, x1)
    passed = 0
    if psi < 0.0:
        psi += 2.0 * PI
    while passed < ends.size and ends[passed] <= psi:
        passed += 1
    label = positive[passed]
    neurons = output_w.size - 1
    right = 0
    for side in range(2):
        left = side == 0
        for k in range(lines.shape[0]):
            stands_for = work.member[neurons + k]
            if abs(stands_for) == on + 1:
                # at the line's own azimuth the left side lies ahead, at the opposite one behind
                here = lines[k, 0] * x1 + lines[k, 1] * x2 > 0.0
                ahead = (left == (stands_for > 0)) == here
                label = lines[k, (3 if ahead else 2) if here else (5 if ahead else 4)] > 0.0
        total, firing = 0.0, 0
        for i in range(neurons):
            row = work.circle[i]
            fires = x0 * row[0] + x1 * row[1] + x2 * row[2] >= row[BIAS]
            if abs(work.member[i]) == on + 1:
                fires = left == (work.member[i] > 0)
            if fires:
                firing += 1
                total += output_w[i]
        if answer(join, neurons, firing, total, output_w[neurons]) == label:
            right += 1 + side
    return right


@inner_kernel
def area_right(work, join, output_w, positive, lines, ends):
    """Share of the sphere where the network whose circles have been placed is right.

    `lines` has a row for each great circle of the label: cosine and sine of its azimuth, then the
    label before and after that azimuth, and before and after the opposite one. `ends` are the
    azimuths in [0, 2 pi) at which the label changes, `positive` the label before the first and
    after each. `output_w` are the weights of an evolved output and its bias.
    """
    circles = work.member.size
    for i in range(circles):
        work.member[i] = i + 1
        for j in range(i):
            if abs(work.member[j]) == j + 1:
                same = same_circle(work.circle[i], work.circle[j])
                if same != 0:
                    work.member[i] = same * (j + 1)
                    break
    area = 0.0
    for pole in range(2):
        sign = 1.0 - 2.0 * pole
        x0, x1, x2 = sign * AXIS_0, sign * AXIS_1, sign * AXIS_2
        if agreement(work, -1, x0, x1, x2, join, output_w, positive, lines, ends) == 3:
            area += 2.0 * PI
    cut = work.cut
    for i in range(circles):
        row = work.circle[i]
        t = row[BIAS]
        radius2 = (1.0 - t) * (1.0 + t)
        if work.member[i] != i + 1 or radius2 < TOUCHING:
            continue
        radius = math.sqrt(radius2)
        along = AXIS_0 * row[0] + AXIS_1 * row[1] + AXIS_2 * row[2]
        across = AXIS_0 * row[4] + AXIS_1 * row[5] + AXIS_2 * row[6]
        cut[0], cut[1], cut[2] = 0.0, PI, 2.0 * PI
        count = 3
        for j in range(circles):
            if work.member[j] == j + 1 and j != i:
                first, second = work.circle[min(i, j)], work.circle[max(i, j)]
                count = cut_at(first, second, row, cut, count)
        for k in range(1, count):
            value = cut[k]
            place = k
            while place > 0 and cut[place - 1] > value:
                cut[place] = cut[place - 1]
                place -= 1
            cut[place] = value
        for k in range(count - 1):
            begin, end = cut[k], cut[k + 1]
            if begin == end:
                continue
            middle = begin + INNER * (end - begin)
            e, f = radius * math.cos(middle), radius * math.sin(middle)
            x0 = t * row[0] + e * row[4] + f * row[7]
            x1 = t * row[1] + e * row[5] + f * row[8]
            x2 = t * row[2] + e * row[6] + f * row[9]
            right = agreement(work, i, x0, x1, x2, join, output_w, positive, lines, ends)
            if right == 1 or right == 2:
                # the heading keeps to one half turn on each half of the circle
                turned = math.atan2(
                    across * abs(math.sin(end)), radius * along - t * across * math.cos(end)
                ) - math.atan2(
                    across * abs(math.sin(begin)), radius * along - t * across * math.cos(begin)
                )
                piece = t * (end - begin) + (turned if middle < PI else -turned)
                area += -piece if right == 1 else piece
    return area / (4.0 * PI)
