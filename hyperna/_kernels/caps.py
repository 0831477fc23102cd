"""Share of a spherical cap that lies in a wedge: one neuron on the sphere in any dimension.

A wedge holds the points whose azimuth psi = atan2(x_D, x_(D-1)) is in an interval. The normal of
the cap {w·x >= t} has the length u in the first D - 2 coordinates and s in the last two, u² + s² =
1; azimuths are counted from that of the normal. H_D(beta) is the share of the sphere in the cap and
in the wedge [0, beta], 0 <= beta <= pi.

The first coordinates matter only through their component along w. So a point can be projected to
three dimensions, where it has the density (1 - |z|²)^m, m = (D - 5) / 2, in the unit ball. Three
applications of the divergence theorem lead from D to D + 2:

- in the ball, with z (1 - |z|²)^(m+1): the planes of the wedge hold the origin, and only the
  section of the plane w·z = t counts, with its mass A_(m+1) under the same density;
- in this disc of radius a = sqrt(1 - t²), with q (a² - |q|²)^(k+1): only the ray counts in which
  the disc meets the half-plane of azimuth beta, at a distance p from the centre;
- on the ray, a chord of half-length c, with l (c² - l²)^(j+1): only the end of the ray counts at
  which the axis of the wedge pierces the disc, at l = l_0, if it does.

What remains are the beginnings. D = 3 is a sector of the cap and a spherical triangle. D = 4 is an
integral over the tilt of the normal, whose derivative is the moment of the ray; it has no closed
form in elementary functions where the axis pierces the disc.
"""

import math

import numpy as np

from hyperna._kernels.jit import inner_kernel, kernel

PI = math.pi
# Gauss-Legendre rule on [0, 1].
_X, _W = np.polynomial.legendre.leggauss(16)
NODES, WEIGHTS = 0.5 + 0.5 * _X, 0.5 * _W
# Panels of the integral shrink by this factor towards its delicate end.
SHRINK = 4.0
SHORTEST_PANEL = 1e-9


@inner_kernel
def tilted_moment(t, cosine, sine, end):
    """Integral over the tilt s' = 0 .. a sin(end) of the ray's moment sin(beta) / n L_(1/2).

    All that time the axis pierces the disc. In y, where s' = a sin y, the integrand is smooth, but
    for small t and beta close to pi/2 only in panels that shrink towards y = pi/2.
    """
    a = math.sqrt((1.0 - t) * (1.0 + t))
    shortest = min(max(0.5 * t, SHORTEST_PANEL), 0.3)
    last = 0.5 * PI - end
    high = 0.5 * PI
    total = 0.0
    while high > last:
        low = max(high / SHRINK, last)
        if low < shortest:
            low = last
        for i in range(NODES.size):
            x = low + (high - low) * NODES[i]
            tilt, rest = a * math.cos(x), a * math.sin(x)
            u2 = t * t + rest * rest
            n = math.sqrt(cosine * cosine + u2 * sine * sine)
            begin = -t * tilt * cosine
            moment = (1.0 - t * t / (n * n)) * math.atan2(rest * n, begin)
            moment -= begin * rest / (u2 * n)
            total += WEIGHTS[i] * (high - low) * moment * rest / n
        high = low
    return 0.5 * sine * total


@inner_kernel
def pierced_wedge(dim, t, s, u, beta, cosine, sine):
    """H_D(beta) for a cap that the axis of the wedge pierces, 0 <= t < 1 and t <= u.

    `cosine` and `sine` are those of beta.
    """
    q = s * sine
    n2 = u * u + s * s * cosine * cosine
    root = math.sqrt(max(n2 - t * t, 0.0))
    at_centre = math.atan2(root, t * q)
    arc = PI - at_centre - math.atan2(cosine, u * sine)
    share = (beta + math.atan2(q, root) - t * arc) / (4.0 * PI)
    if dim == 3 or t == 0.0:
        return share
    # the ray in the disc, from `begin` to `chord`, and 1 - |z|² where the axis pierces the disc
    a2 = (1.0 - t) * (1.0 + t)
    a = math.sqrt(a2)
    n = math.sqrt(n2)
    p = t * q / n
    c2 = max(1.0 - t * t / n2, 0.0)
    begin = -t * s * cosine / (u * n)
    chord = math.sqrt(c2)
    inside = max(1.0 - t * t / (u * u), 0.0)
    # share of dimension d, mass of the section under the power (d - 3) / 2, moment of the ray
    if dim % 2 == 1:
        d, norm = 3, 4.0 * PI
        moment = chord - begin
        mass = 0.5 * (a2 * arc + p * moment)
        edge = inside
    else:
        d, norm = 4, PI * PI
        if cosine == 0.0:
            # the ray is half a chord, and the antiderivative of its moment is known
            integral = 0.25 * PI * (math.atan2(q, u) - t * t * q / u)
        else:
            end = math.atan2(s, math.sqrt(max((u - t) * (u + t), 0.0)))
            integral = tilted_moment(t, cosine, sine, end)
        share = 0.5 * beta * (math.acos(t) - t * a) / norm + integral / norm
        edge = math.sqrt(inside)
        angle = math.atan2(edge, begin)
        moment = 0.5 * (c2 * angle - begin * edge)
        mass = a * arc
        if p > 0.0 and chord > 0.0:
            seen = math.atan2(chord, p) - math.atan2(begin, p)
            mass += a * (seen - 0.5 * PI + math.atan2(a * begin, p * edge)) + p * angle
        mass = (a2 * mass + p * moment) / 3.0
        edge *= inside
    while d < dim:
        share -= t * mass / norm
        moment = ((d - 1) * c2 * moment - begin * edge) / d
        mass = ((d - 1) * a2 * mass + p * moment) / (d + 1)
        norm *= (d - 1) / d
        edge *= inside
        d += 2
    return share


@inner_kernel
def half_cap(dim, t):
    """Share of the sphere in one half of a cap, 0 <= t < 1."""
    if dim == 3:
        return 0.25 * (1.0 - t)
    return pierced_wedge(dim, t, 0.0, 1.0, PI, -1.0, 0.0)


@inner_kernel
def cap_in_half_space(dim, t, q, n):
    """Share of the sphere in a cap, 0 <= t < 1, and in a half-space through 0 around its centre.

    q >= 0 and n >= t are cosine and sine of the angle between their normals. The half-space is a
    wedge of half a turn, and the normal of the cap may as well lie in the middle of it.
    """
    return 2.0 * pierced_wedge(dim, t, q, n, 0.5 * PI, 0.0, 1.0)


@inner_kernel
def wedge_in_cap(dim, t, s, u, beta, cosine, sine):
    """H_D(beta) for a cap with 0 <= t; `cosine` and `sine` are those of beta."""
    if t >= 1.0:
        return 0.0
    if t <= u:
        return pierced_wedge(dim, t, s, u, beta, cosine, sine)
    half = half_cap(dim, t)
    n = math.hypot(u, s * cosine)
    if cosine <= 0.0 or n <= t:
        return half
    # what is cut off lies beyond a plane, of which only one half meets the cap
    return cap_in_half_space(dim, t, s * sine, n) - half


@kernel
def cap_fitness(dim, arcs, t, s, centre):
    """Share of the sphere on which a cap and the positive azimuths agree.

    The rows of `arcs` are starts and ends in radians; `centre` is the azimuth of the normal. What
    is outside of a cap is the opposite cap, so that 0 <= t is enough.
    """
    u = math.sqrt(max((1.0 - s) * (1.0 + s), 0.0))
    turn = 2.0 * PI
    height, azimuth = (t, centre) if t >= 0.0 else (-t, centre + PI)
    cap = 2.0 * wedge_in_cap(dim, height, s, u, PI, -1.0, 0.0)
    fitness = 1.0 - cap
    for j in range(arcs.shape[0]):
        fitness -= (arcs[j, 1] - arcs[j, 0]) / turn
        before = 0.0
        for end in range(2):
            beta = (arcs[j, end] - azimuth) % turn
            near = min(beta, turn - beta)
            share = wedge_in_cap(dim, height, s, u, near, math.cos(near), math.sin(near))
            inside = share if beta <= PI else cap - share
            fitness += 2.0 * inside if end == 1 else -2.0 * inside
            if end == 1 and beta < before:
                fitness += 2.0 * cap
            before = beta
    return fitness if t >= 0.0 else 1.0 - fitness
