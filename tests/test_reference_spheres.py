"""The reference for areas on the sphere: right, and equal where the package's are equal.

`test_combinations` compares runs with plain ones that use it. Both compute the same areas in
different ways, with errors far below the unit of either, so a level that one of them splits or
merges would be one that the other does not.
"""

from itertools import product
from math import acos, cos, pi, sin, sqrt

import numpy as np
import pytest
import reference
import reference_runs as plain
import reference_spheres
from samples import OUTPUTS

import hyperna
from hyperna import Grid
from hyperna.fitness import ExactSphere

R = 12
# Equal areas are closer than the first, others further apart than the second.
SAME, APART = 1e-13, 1e-9


def case_of(arcs, dim=3, neurons=1, output="or", neuron="plain"):
    return plain.Case(
        arcs=tuple(arcs), dim=dim, neurons=neurons, output=output, neuron=neuron, resolution=R
    )


def net_of(case, genome):
    size = case.dim + (case.neuron == "bent")
    hidden = [genome[i * size : (i + 1) * size] for i in range(case.neurons)]
    parts = [plain.Neuron(one[: case.dim - 1], *one[case.dim - 1 :]) for one in hidden]
    *angles, bias = genome[case.neurons * size :] or [0]
    return plain.Net(parts, plain.Neuron(angles, bias) if angles else None)


def check(case, genomes):
    """Shares are the package's; units of both part the networks into the same levels as shares."""
    arcs = [(float(360 * start), float(360 * end)) for start, end in case.arcs]
    fitness = ExactSphere(hyperna.custom_arcs(arcs, unit="degree", dim=case.dim))
    grid = Grid(case.dim, case.neurons, R, case.output, case.neuron)
    scores = fitness.scores(genomes, grid)
    nets = [net_of(case, genome) for genome in genomes.tolist()]
    shares = np.array([plain.area_share(case, net) for net in nets])
    units = fitness.units(grid)
    # to the nearest unit, of which several neurons have 2**34 and one neuron has 2**40
    np.testing.assert_allclose(scores / units, shares, rtol=0, atol=0.51 / units + SAME)
    order = np.argsort(shares)
    gaps = np.diff(shares[order])
    assert not ((gaps > SAME) & (gaps < APART)).any()
    level = np.zeros(len(shares), np.int64)
    level[order[1:]] = np.cumsum(gaps > SAME)
    ours = [plain.score(case, net) for net in nets]
    for numbers in (scores, np.array(ours)):
        pairs = np.unique(np.column_stack([level, numbers]), axis=0)
        assert len(pairs) == level.max() + 1, "a level is split"
        assert (np.diff(pairs[:, 1]) > 0).all(), "levels are merged"
    return level.max() + 1


def test_all_genomes_of_one_neuron():
    genomes = np.array(list(product(range(R), range(R), range(R + 1))))
    assert check(case_of(reference.LOCAL_OPT), genomes) > 50


@pytest.mark.slow
@pytest.mark.parametrize("arcs", [reference.HALF, reference.QUARTER, reference.LOCAL_OPT])
def test_all_genomes_of_one_bent_neuron(arcs):
    genomes = np.array(list(product(range(R), range(R), range(R + 1), range(R))))
    assert check(case_of(arcs, neuron="bent"), genomes) > 50


@pytest.mark.parametrize(
    ("dim", "neuron", "arcs"),
    [
        (3, "bent", reference.HALF),
        (3, "bent", reference.LOCAL_OPT),
        (4, "plain", reference.HALF),
        (4, "plain", reference.LOCAL_OPT),
        (4, "bent", reference.HALF),
        (4, "bent", reference.QUARTER),
        (4, "bent", reference.LOCAL_OPT),
    ],
)
def test_random_genomes_of_one_neuron(dim, neuron, arcs):
    rng = np.random.default_rng(dim)
    grid = Grid(dim, 1, R, "or", neuron)
    genomes = np.array([grid.random(rng) for _ in range(1000)])
    assert check(case_of(arcs, dim, neuron=neuron), genomes) > 50


@pytest.mark.parametrize("neurons", [2, 3, 4])
@pytest.mark.parametrize("output", OUTPUTS)
def test_random_networks(output, neurons):
    """Each with its neurons in another order, mirrored, and with one component changed."""
    rng = np.random.default_rng(neurons)
    for neuron in ("plain", "bent"):
        grid = Grid(3, neurons, R, output, neuron)
        genomes = np.array([grid.random(rng) for _ in range(16)])
        mirrored, turned, changed = genomes.copy(), genomes.copy(), genomes.copy()
        hidden = grid.width * neurons
        first, second = range(0, hidden, grid.width), range(1, hidden, grid.width)
        # another tuple of angles for the same normal; -x1 for x1, on which no label depends
        turned[:, first], turned[:, second] = -genomes[:, first] % R, (genomes[:, second] + 6) % R
        mirrored[:, first] = (6 - genomes[:, first]) % R
        columns = rng.integers(grid.components, size=len(genomes))
        changed[range(len(genomes)), columns] = rng.integers(R, size=len(genomes))
        every = np.concatenate([genomes, turned, mirrored, changed])
        levels = check(case_of(reference.LOCAL_OPT, 3, neurons, output, neuron), every)
        assert levels < 3 * len(genomes), "many are equally good"


def test_a_bent_neuron_fires_on_the_cap_of_its_height():
    """By the definition, at points right inside and right outside of the cap."""
    case = case_of(reference.HALF, neuron="bent")
    for bias, bend in product(range(R + 1), range(R)):
        one = plain.Neuron([0, 0], bias, bend)  # its normal is the first axis
        height = plain.height(case, one)
        for away in (-1e-6, 1e-6):
            if abs(height + away) < 1:
                x = (height + away, sqrt(1 - (height + away) ** 2), 0.0)
                assert plain.fires(case, one, x) == (away > 0)


def test_shares_with_closed_forms():
    """Caps around the first axis, on which no label depends, and half-spaces through it."""
    height = 0.7
    angle = acos(height)
    caps = {3: (1 - height) / 2, 4: (angle - sin(angle) * height) / pi}
    for arcs, positive in ((reference.HALF, 0.5), (reference.QUARTER, 0.25)):
        for dim, cap in caps.items():
            axis = [1.0] + [0.0] * (dim - 1)
            wanted = cap * positive + (1 - cap) * (1 - positive)
            assert one_neuron(axis, height, arcs) == pytest.approx(wanted, abs=1e-14)
    for azimuth in (0.0, 0.4, 2.0, 3.0):
        away = abs(azimuth - pi / 2) / pi
        for dim in caps:
            w = [0.0] * (dim - 2) + [cos(azimuth), sin(azimuth)]
            assert one_neuron(w, 0.0, reference.HALF) == pytest.approx(1 - away, abs=1e-14)


def one_neuron(w, t, arcs):
    if len(w) == 4:
        return reference_spheres.share_at_4(w, t, arcs)
    return reference_spheres.share([(w, t)], arcs, lambda bits: bits[0])
