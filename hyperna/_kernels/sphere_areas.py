"""Area on the sphere in R^3 where a network of any size is correct: regions bounded by circles.

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
from hyperna._kernels.order import larger, smaller

PI = math.pi
AXIS_0, AXIS_1 = 0.5817358903, 0.3672095613
AXIS_2 = math.sqrt(1 - AXIS_0**2 - AXIS_1**2)
SAME = 1e-11
TOUCHING = 1e-14
# The part of a piece of a circle at which it is looked at; in its middle another one may touch it.
LOOKED_AT = math.sqrt(2.0) - 1.0
# Columns of a circle: normal, bias, direction of tau = 0 and that of a quarter turn, three each but
# the bias.
NORMAL, BIAS, START, QUARTER, N_COLUMNS = 0, 3, 4, 7, 10
# Columns of a great circle of the label: cosine and sine of its azimuth, the label before and after
# that azimuth, and before and after the opposite one.
COSINE, SINE, BEFORE, AFTER, BEFORE_OPPOSITE, AFTER_OPPOSITE = range(6)


class Arrangement(NamedTuple):
    """Working arrays for circles: of the N neurons first, then of the label.

    `member` tells for each circle which one stands for it: its number, counted from 1 so that it
    can have a sign, which is negative where the other one's sides are the opposite ones.
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
def dot(row, first, x0, x1, x2):
    """Product of a point and the vector in three columns of a circle, from `first` on."""
    return row[first] * x0 + row[first + 1] * x1 + row[first + 2] * x2


@kernel
def place_circle(row, w0, w1, w2, t):
    """Write a circle's normal and bias, and its directions seen from the axis."""
    row[NORMAL], row[NORMAL + 1], row[NORMAL + 2] = w0, w1, w2
    row[BIAS] = t
    along = dot(row, NORMAL, AXIS_0, AXIS_1, AXIS_2)
    e0, e1, e2 = AXIS_0 - along * w0, AXIS_1 - along * w1, AXIS_2 - along * w2
    length = math.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    e0, e1, e2 = e0 / length, e1 / length, e2 / length
    row[START], row[START + 1], row[START + 2] = e0, e1, e2
    row[QUARTER] = w1 * e2 - w2 * e1
    row[QUARTER + 1] = w2 * e0 - w0 * e2
    row[QUARTER + 2] = w0 * e1 - w1 * e0


@inner_kernel
def same_circle(a, b):
    """1 if two circles nearly coincide, -1 if they do with opposite sides, else 0."""
    for sign in (1.0, -1.0):
        apart = abs(a[BIAS] - sign * b[BIAS])
        for k in range(NORMAL, NORMAL + 3):
            apart = larger(apart, abs(a[k] - sign * b[k]))
        if apart < SAME:
            return np.int64(sign)
    return 0


@inner_kernel
def cut_at(a, b, on, cut, count):
    """Add the angles on the circle `on`, a or b, at which a and b cross; return how many there are.

    Both circles get the same points in space, so that errors in them cancel.
    """
    c = dot(a, NORMAL, b[0], b[1], b[2])
    e0, e1, e2 = b[0] - c * a[0], b[1] - c * a[1], b[2] - c * a[2]
    again = dot(a, NORMAL, e0, e1, e2)
    e0, e1, e2 = e0 - again * a[0], e1 - again * a[1], e2 - again * a[2]
    length = math.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    if length < SAME:
        return count
    e0, e1, e2 = e0 / length, e1 / length, e2 / length
    p = (b[BIAS] - c * a[BIAS]) / length
    h2 = (1.0 - a[BIAS]) * (1.0 + a[BIAS]) - p * p
    if h2 < TOUCHING:
        return count
    h = math.sqrt(h2)
    m0, m1, m2 = a[1] * e2 - a[2] * e1, a[2] * e0 - a[0] * e2, a[0] * e1 - a[1] * e0
    for _ in range(2):
        x0 = a[BIAS] * a[0] + p * e0 + h * m0
        x1 = a[BIAS] * a[1] + p * e1 + h * m1
        x2 = a[BIAS] * a[2] + p * e2 + h * m2
        tau = math.atan2(dot(on, QUARTER, x0, x1, x2), dot(on, START, x0, x1, x2))
        cut[count] = tau if tau >= 0.0 else tau + 2.0 * PI
        count += 1
        h = -h
    return count


@inner_kernel
def agreement(work, number, x0, x1, x2, join, output_w, positive, lines, ends):
    """Whether the network is correct at a point of the circle of this number, on each side of it.

    Returns 1 for correct on the left side, where the circle's own neuron fires, plus 2 for correct
    on the other side. A point with the number -1 is on no circle, and both sides are the same.
    """
    psi = math.atan2(x2, x1)
    passed = 0
    if psi < 0.0:
        psi += 2.0 * PI
    while passed < ends.size and ends[passed] <= psi:
        passed += 1
    label = positive[passed]
    neurons = output_w.size - 1
    correct = 0
    for side in range(2):
        left = side == 0
        for k in range(lines.shape[0]):
            stands_for = work.member[neurons + k]
            if abs(stands_for) == number + 1:
                # at the line's own azimuth the left side lies ahead, at the opposite one behind
                here = lines[k, COSINE] * x1 + lines[k, SINE] * x2 > 0.0
                ahead = (left == (stands_for > 0)) == here
                if here:
                    column = AFTER if ahead else BEFORE
                else:
                    column = AFTER_OPPOSITE if ahead else BEFORE_OPPOSITE
                label = lines[k, column] > 0.0
        total, firing = 0.0, 0
        for i in range(neurons):
            row = work.circle[i]
            fires = dot(row, NORMAL, x0, x1, x2) >= row[BIAS]
            if abs(work.member[i]) == number + 1:
                fires = left == (work.member[i] > 0)
            if fires:
                firing += 1
                total += output_w[i]
        if answer(join, neurons, firing, total, output_w[neurons]) == label:
            correct += 1 + side
    return correct


@inner_kernel
def area_right(work, join, output_w, positive, lines, ends):
    """Share of the sphere where the network whose circles have been placed is correct.

    `lines` has a row for each great circle of the label. `ends` are the azimuths in [0, 2 pi) at
    which the label changes, `positive` the label before the first and after each. `output_w` are
    the weights of an evolved output and its bias.
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
        along = dot(row, NORMAL, AXIS_0, AXIS_1, AXIS_2)
        across = dot(row, START, AXIS_0, AXIS_1, AXIS_2)
        cut[0], cut[1], cut[2] = 0.0, PI, 2.0 * PI
        count = 3
        for j in range(circles):
            if work.member[j] == j + 1 and j != i:
                first, second = work.circle[smaller(i, j)], work.circle[larger(i, j)]
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
            middle = begin + LOOKED_AT * (end - begin)
            e, f = radius * math.cos(middle), radius * math.sin(middle)
            x0 = t * row[NORMAL] + e * row[START] + f * row[QUARTER]
            x1 = t * row[NORMAL + 1] + e * row[START + 1] + f * row[QUARTER + 1]
            x2 = t * row[NORMAL + 2] + e * row[START + 2] + f * row[QUARTER + 2]
            correct = agreement(work, i, x0, x1, x2, join, output_w, positive, lines, ends)
            if correct == 1 or correct == 2:
                # the heading keeps to one half turn on each half of the circle
                turned = math.atan2(
                    across * abs(math.sin(end)), radius * along - t * across * math.cos(end)
                ) - math.atan2(
                    across * abs(math.sin(begin)), radius * along - t * across * math.cos(begin)
                )
                piece = t * (end - begin) + (turned if middle < PI else -turned)
                area += -piece if correct == 1 else piece
    return area / (4.0 * PI)
