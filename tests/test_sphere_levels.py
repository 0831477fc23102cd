"""Equal fitness on spheres: the levels that runs and chains see are those of a precise reference.

At D = 3 the reference is the area of spherical triangles in extended precision, which puts equal
fitness within 1e-17 and different fitness far apart. In other dimensions it is the fitness in
floats, computed from the normal as it comes, whose levels are as clearly apart.
"""

import math

import numpy as np
import pytest

from hyperna._kernels.caps import cap_fitness
from hyperna.fitness import ExactSphere
from hyperna.network.grid import Grid
from hyperna.problems import problem
from hyperna.theory.states import list_states
from hyperna.theory.task import exact_task

Precise = np.longdouble
PI = 4 * np.arctan(Precise(1))
# Longer than any rounding error and shorter than any distance of levels, which the tests check.
SAME = 1e-11


def all_genomes(grid):
    return np.indices(grid.moduli.tolist()).reshape(grid.components, -1).T


def reference_at_3(arcs, r, genomes):
    """Fitness of one neuron at D = 3; azimuths are integers, so that none is close to another."""
    turn = 24 * r
    tilt, azimuth, bias = genomes.T
    sine = np.sin(2 * PI * tilt / Precise(r))
    sine[2 * tilt % r == 0] = 0
    s = np.abs(sine)
    u = np.sqrt((1 - s) * (1 + s))
    height = (2 * bias - r) / Precise(r)
    opposite = height < 0
    t = np.abs(height)
    centre = 24 * azimuth + turn // 2 * (sine < 0) + turn // 2 * opposite
    cap = (1 - t) / 2

    def wedge(near):
        """Cap and azimuths between 0 and this one: sectors and triangles."""
        beta = 2 * PI * near / Precise(turn)
        cosine = np.cos(beta)
        q = s * np.sin(beta)
        square = 1 - q * q
        pierced = t <= u
        met = pierced | ((4 * near < turn) & (square > t * t))
        root = np.sqrt(np.maximum(square - t * t, 0))
        corner = np.where(met, np.arctan2(q, root), PI / 2)
        at_centre = np.where(met, np.arctan2(root, t * q), 0)
        other = np.where(pierced, np.arctan2(cosine, u * np.sin(beta)), at_centre)
        sides = np.where(pierced, beta + corner, 2 * corner)
        area = (sides - t * np.where(met, PI - at_centre - other, PI)) / (4 * PI)
        return np.where(t < 1, area, 0)

    fitness = 1 - cap
    for start, end in arcs:
        areas = []
        places = []
        for fraction in (start, end):
            place = (int(fraction * turn) - centre) % turn
            near = wedge(np.minimum(place, turn - place))
            areas.append(np.where(2 * place <= turn, near, cap - near))
            places.append(place)
        length = Precise((end - start).numerator) / (end - start).denominator
        wrapped = np.where(places[1] < places[0], cap, 0)
        fitness = fitness - length + 2 * (areas[1] - areas[0] + wrapped)
    return np.where(opposite, 1 - fitness, fitness)


def reference(name, dim, r, genomes):
    arcs = problem(name).arcs
    if dim == 3:
        return reference_at_3(arcs, r, genomes)
    sines = np.sin(2 * np.pi * genomes[:, : dim - 2] / r).prod(axis=1)
    s = np.minimum(np.abs(sines), 1.0)
    centre = 2 * np.pi * genomes[:, dim - 2] / r + np.pi * (sines < 0)
    t = (2 * genomes[:, dim - 1] - r) / r
    radians = 2 * math.pi * np.array(arcs, dtype=float)
    return np.array([cap_fitness(dim, radians, *x) for x in zip(t, s, centre, strict=True)])


def numbered(fitness):
    """Number the levels of a reference, and check that they are clearly apart."""
    order = np.argsort(fitness, kind="stable")
    gaps = np.diff(fitness[order])
    assert gaps[gaps < SAME].max(initial=0) < SAME / 1000
    assert gaps[gaps >= SAME].min() > 1000 * SAME
    level = np.zeros(fitness.size, np.int64)
    level[order] = np.concatenate([[0], np.cumsum(gaps >= SAME)])
    return level


def assert_same_levels(level, score):
    """Whether equal means equal, less means less: scores and levels are ordered alike."""
    pairs = np.unique(np.column_stack([level, score]), axis=0)
    assert len(pairs) == level.max() + 1, "a level is split"
    assert (np.diff(pairs[:, 1]) > 0).all(), "levels are merged"


@pytest.mark.parametrize("name", ["half", "quarter"])
@pytest.mark.parametrize(
    ("dim", "resolutions"), [(3, range(4, 25)), (4, [4, 5, 6, 7, 8, 9, 10, 12, 16, 18])]
)
def test_levels_of_runs_and_chains(name, dim, resolutions):
    for r in resolutions:
        grid = Grid(dim, 1, r)
        chain = list_states(exact_task(name, r, dim=dim))
        listed = np.stack(np.meshgrid(*chain.values, indexing="ij"), -1).reshape(-1, dim)
        level = numbered(reference(name, dim, r, listed))
        assert_same_levels(level, chain.score.ravel())
        # a run scores all genomes, a chain lists no mirror images
        if dim == 3 or r <= 9:
            of_runs = ExactSphere(problem(name, dim=dim)).scores(all_genomes(grid), grid)
            of_chain = chain.score[np.ix_(*chain.places)].ravel()
            np.testing.assert_array_equal(of_runs, of_chain)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["half", "quarter", "two_quarters", "local_opt", "arcs:k=3"])
@pytest.mark.parametrize(
    ("dim", "resolutions"), [(3, [4, 12, 24, 36, 60]), (4, range(4, 25)), (5, [4, 6, 8, 12])]
)
def test_levels_of_all_problems(name, dim, resolutions):
    for r in resolutions:
        chain = list_states(exact_task(name, r, dim=dim))
        listed = np.stack(np.meshgrid(*chain.values, indexing="ij"), -1).reshape(-1, dim)
        fitness = reference(name, dim, r, listed)
        order = np.argsort(fitness, kind="stable")
        gaps = np.diff(fitness[order])
        # different levels come closer than in the other test
        level = np.zeros(fitness.size, np.int64)
        level[order] = np.concatenate([[0], np.cumsum(gaps >= SAME / 10)])
        assert gaps[gaps < SAME / 10].max(initial=0) < SAME / 1000
        assert_same_levels(level, chain.score.ravel())


def test_the_same_last_weight_from_other_angles():
    """sin 60° sin 270° = sin 90° sin 240°, and HALF depends on nothing else but the bias."""
    grid = Grid(3, 1, 12)
    first, second = ExactSphere(problem("half", dim=3)).scores(
        np.array([[2, 9, 5], [3, 8, 5]]), grid
    )
    assert first == second


def test_half_spaces_are_sums_of_wedges():
    """LOCALOPT has both; these two are equal because opposite wedges make up a half-space."""
    scores = ExactSphere(problem("local_opt", dim=4)).scores(
        np.array([[4, 5, 13, 18], [4, 5, 5, 18]]), Grid(4, 1, 24)
    )
    assert scores[0] == scores[1]


@pytest.mark.parametrize("r", [120, 1200, 2**20 * 12, 2**36 * 12])
def test_products_are_equal_at_every_resolution(r):
    """sin 30° sin x = sin(x/2) cos(x/2), and factors in any order, for HALF up to r = 2^40."""
    rng = np.random.default_rng(r)
    for dim in (3, 4, 5):
        grid = Grid(dim, 1, r)
        fitness = ExactSphere(problem("half", dim=dim))
        genomes = []
        for _ in range(100):
            half_angle, *others = rng.integers(1, r // 4, dim - 2).tolist()
            bias = int(rng.integers(0, r + 1))
            genomes.append([*others, r // 12, 2 * half_angle, bias])
            genomes.append([half_angle, *others, r // 4 - half_angle, bias])
        scores = fitness.scores(np.array(genomes), grid).reshape(-1, 2)
        np.testing.assert_array_equal(scores[:, 0], scores[:, 1])


@pytest.mark.parametrize("output", ["or", "xor"])
def test_permuted_and_mirrored_networks_of_two_neurons_tie(output):
    """Their areas have rounding errors of 1e-14, which units of 2**-34 hide but for rare cases."""
    rng = np.random.default_rng(1)
    grid = Grid(3, 2, 24, output)
    fitness = ExactSphere(problem("quarter", dim=3))
    genomes = np.array([grid.random(rng) for _ in range(500)])
    swapped = genomes[:, [3, 4, 5, 0, 1, 2]]
    mirrored = genomes.copy()
    mirrored[:, [1, 4]] = (6 - mirrored[:, [1, 4]]) % 24
    scores = fitness.scores(genomes, grid)
    np.testing.assert_array_equal(scores, fitness.scores(swapped, grid))
    np.testing.assert_array_equal(scores, fitness.scores(mirrored, grid))
