"""Share of the sphere on which a network is right, by slices: slow, short and obvious.

At D = 3 the area element is dx1 dpsi (Archimedes). At every x1 the points form a circle, on which a
neuron fires on one arc and the label changes at fixed azimuths, so that the part of the circle on
which the network is right is known exactly. What is left is an integral over x1. Between the places
where a neuron's circle begins or ends, or crosses another one or a line of the label, the integrand
is smooth, and at these places it behaves like a root at worst, for which the tanh-sinh rule is made
(Takahasi and Mori 1974).

A neuron is its unit normal w and the height t of the cap w·x >= t on which it fires. Nothing here
comes from hyperna.
"""

from itertools import combinations
from math import acos, atan2, hypot, pi, sqrt

import numpy as np

# Places and weights of the tanh-sinh rule on [0, 1]: what it leaves out at both ends is 1e-15.
STEP = 0.1
_T = STEP * np.arange(-31, 32)
PLACES = 1 / (1 + np.exp(-pi * np.sinh(_T)))
WEIGHTS = STEP * pi * np.cosh(_T) * PLACES * (1 - PLACES)


def share(neurons, arcs, answer):
    """Share of the sphere where `answer` of the neurons' bits is the label.

    `arcs` are the positive azimuths in turns, disjoint and in order.
    """
    ends = np.array([2 * pi * float(end) for arc in arcs for end in arc])
    x1, weights = piecewise(breaks(neurons, ends))
    return float(weights @ right_part(x1, neurons, ends, answer)) / 2


def piecewise(ends):
    """Places and weights of an integral over pieces that end at these places."""
    lengths = np.diff(ends)
    places = ends[:-1] + lengths * PLACES[:, None]
    return places.ravel(), (lengths * WEIGHTS[:, None]).ravel()


def right_part(x1, neurons, ends, answer):
    """Part of the circle at each x1 where the answer is the label."""
    rho = np.sqrt((1 - x1) * (1 + x1))
    cuts = [np.full(x1.shape, end) for end in (0.0, *ends, 2 * pi)]
    for w, t in neurons:
        reach = np.maximum(rho * hypot(w[1], w[2]), 1e-300)
        half = np.arccos(np.clip((t - w[0] * x1) / reach, -1, 1))
        centre = atan2(w[2], w[1])
        cuts += [(centre - half) % (2 * pi), (centre + half) % (2 * pi)]
    cuts = np.sort(cuts, axis=0)
    middle = (cuts[1:] + cuts[:-1]) / 2
    x2, x3 = rho * np.cos(middle), rho * np.sin(middle)
    bits = [w[0] * x1 + w[1] * x2 + w[2] * x3 >= t for w, t in neurons]
    label = np.searchsorted(ends, middle) % 2 == 1
    return ((answer(bits) == label) * np.diff(cuts, axis=0)).sum(axis=0) / (2 * pi)


def breaks(neurons, ends):
    """Every x1 at which a circle begins or ends, or crosses another one or a line of the label."""
    found = [-1.0, 1.0]
    for w, t in neurons:
        root = hypot(w[1], w[2]) * sqrt(max(0.0, 1 - t * t))
        found += [w[0] * t - root, w[0] * t + root]
    lines = [((0.0, -np.sin(end), np.cos(end)), 0.0) for end in ends]
    pairs = [*combinations(neurons, 2), *((one, line) for one in neurons for line in lines)]
    for (v, s), (w, t) in pairs:
        cosine = sum(a * b for a, b in zip(v, w, strict=True))
        square = 1 - cosine**2
        if square < 1e-14:
            continue
        a, b = (s - cosine * t) / square, (t - cosine * s) / square
        beyond = 1 - a * s - b * t
        if beyond > 0:
            middle = a * v[0] + b * w[0]
            away = sqrt(beyond / square) * (v[1] * w[2] - v[2] * w[1])
            found += [middle - away, middle + away]
    return np.unique(np.clip(found, -1, 1))


def share_at_4(w, t, arcs):
    """Share of the sphere in R^4 where one neuron's answer is the label.

    The points of one azimuth are half a sphere, (z, y, rho) with rho > 0, z along the first two
    weights; their measure is rho times its area. A constant field along rho flows through the part
    on which the neuron fires as through the flat parts below it, which are segments of discs: one
    of the plane of the cap, where rho > 0, and one of rho = 0, where the neuron fires.
    """
    u, s, centre = hypot(w[0], w[1]), hypot(w[2], w[3]), atan2(w[3], w[2])
    ends = np.array([2 * pi * float(end) for arc in arcs for end in arc])
    touching = []  # azimuths from the centre's at which the plane begins to meet the sphere
    if s > 0 and 0 <= t * t - u * u <= s * s:
        touching = [acos(sign * sqrt(t * t - u * u) / s) for sign in (1, -1)]
    around = [pi / 2, *touching]
    found = [centre + angle for angle in around] + [centre - angle for angle in around]
    psi, weights = piecewise(np.unique([0.0, 2 * pi, *ends, *np.mod(found, 2 * pi)]))
    c = s * np.cos(psi - centre)
    length = np.maximum(np.hypot(u, c), 1e-300)
    radius = np.sqrt(np.maximum(1 - (t / length) ** 2, 0))
    begin = -t * c / np.maximum(length * u * radius, 1e-300)
    firing = (c / length) * radius**2 * segment(begin) + segment(t / max(u, 1e-300))
    firing = firing / pi
    label = np.searchsorted(ends, psi) % 2 == 1
    return float(weights @ np.where(label, firing, 1 - firing)) / (2 * pi)


def segment(begin):
    """Area of the part of the unit disc beyond a line at this distance from its centre."""
    x = np.clip(begin, -1, 1)
    return np.arccos(x) - x * np.sqrt(1 - x * x)
