"""The exact fitness on the circle: integer units, scores, symmetries, what its kernel gets."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from samples import OUTPUTS, random_networks

from hyperna.fitness import ExactArcs
from hyperna.fitness.exact import arcs_in_units, units_per_angle
from hyperna.network.grid import Grid
from hyperna.network.networks import Network
from hyperna.network.neurons import _half_width, half_widths
from hyperna.problems import custom_arcs, problem

ARC_PROBLEMS = [
    problem("half"),
    problem("quarter"),
    problem("two_quarters"),
    problem("local_opt"),
    problem("arcs", k=5),
    custom_arcs([(300, 420), (90, 130), (200, 210)], unit="degree"),
    custom_arcs([(0.9, 1.05), (0.1234567, 0.7654321)]),
]


def named(arcs):
    return arcs.name.partition(":")[0] + str(len(arcs.arcs))


# ---- references


def answer(network, bits):
    """Output of a network to given hidden bits."""
    evolved = network.output_weights()
    if evolved is None:
        return reference.joined(bits, network.grid.output)
    w, b = evolved
    total = w[0] * bits[0]
    for weight, bit in zip(w[1:], bits[1:], strict=True):
        total += weight * bit
    return bool(total >= b)


def plain_prediction(network, X):
    W, b = network.weights()
    bits = np.greater_equal(X @ W.T, b)
    evolved = network.output_weights()
    if evolved is None:
        return reference.joined(bits.T, network.grid.output)
    w, t = evolved
    return bits @ w >= t


def plain_score(arcs, network):
    """Correct units, by asking once between each two neighbouring ends. All integers."""
    r = network.grid.resolution
    turn = r * units_per_angle(arcs, r)
    widths = half_widths(r, turn)
    genome = network.genome.tolist()
    spans = []
    for i in range(network.grid.neurons):
        middle, width = genome[2 * i] * (turn // r), widths[genome[2 * i + 1]]
        spans.append((middle - width, middle + width))
    positive = [(round(start * turn), round(end * turn)) for start, end in arcs.arcs]

    def inside(doubled, span):
        return (doubled - 2 * span[0]) % (2 * turn) < 2 * (span[1] - span[0])

    ends = sorted({end % turn for span in [*spans, *positive] for end in span} | {0, turn})
    right = 0
    for a, b in itertools.pairwise(ends):
        middle = a + b
        label = any(inside(middle, span) for span in positive)
        if answer(network, [inside(middle, span) for span in spans]) == label:
            right += b - a
    return right


def decimal_cosine(x):
    total, term, n = Decimal(0), Decimal(1), 0
    while abs(term) > Decimal(10) ** -45:
        total += term
        term *= -x * x / ((n + 1) * (n + 2))
        n += 2
    return total


PI = Decimal("3.14159265358979323846264338327950288419716939937510582")


# ---- the integer circle


@pytest.mark.parametrize("resolution", [2, 3, 7, 120, 1200, 1201, 65536, 10**6, 2**40, 2**40 - 1])
@pytest.mark.parametrize("arcs", ARC_PROBLEMS, ids=named)
def test_units_divide_the_circle(arcs, resolution):
    step = units_per_angle(arcs, resolution)
    turn = step * resolution
    assert step >= 24
    assert step % 24 == 0
    assert turn <= 2**52
    multiple = math.lcm(24, *(end.denominator for arc in arcs.arcs for end in arc))
    if multiple * resolution <= 2**52:
        assert step % multiple == 0
        assert turn > 2**52 - resolution * multiple


@given(st.integers(2, 3000))
def test_half_widths_are_exact_at_rational_angles(resolution):
    turn = resolution * units_per_angle(problem("half"), resolution)
    widths = half_widths(resolution, turn)
    assert len(widths) == resolution + 1
    assert widths[0] == turn // 2
    assert widths[-1] == 0
    if resolution % 2 == 0:
        assert widths[resolution // 2] * 4 == turn
    if resolution % 4 == 0:
        assert widths[3 * resolution // 4] * 6 == turn
        assert widths[resolution // 4] * 3 == turn
    # Complementary neurons have complementary arcs, and a larger bias a shorter one.
    assert all(a + b == turn // 2 for a, b in zip(widths, reversed(widths), strict=True))
    assert all(a > b for a, b in itertools.pairwise(widths))


@given(st.integers(2, 65536), st.data())
def test_half_widths_are_rounded_correctly(resolution, data):
    k = data.draw(st.integers((resolution + 1) // 2, resolution - 1))
    turn = resolution * units_per_angle(problem("half"), resolution)
    width = _half_width(resolution - k, resolution, turn)
    with localcontext() as context:
        context.prec = 50
        bias = Decimal(2 * k - resolution) / resolution
        below, above = (
            decimal_cosine(2 * PI * (width + d) / turn) for d in (-Decimal("0.5"), Decimal("0.5"))
        )
        assert below > bias > above or width * 4 == turn


@pytest.mark.parametrize("resolution", [10, 26, 120, 1200, 2210])
def test_half_widths_of_pythagorean_biases_add_up_to_a_quarter_turn(resolution):
    turn = resolution * units_per_angle(problem("quarter"), resolution)
    widths = half_widths(resolution, turn)
    squares = {(2 * k - resolution) ** 2: k for k in range(resolution // 2, resolution + 1)}
    pairs = [
        (k, squares[resolution**2 - square])
        for square, k in squares.items()
        if resolution**2 - square in squares
    ]
    assert len(pairs) > 2
    assert all(4 * (widths[k] + widths[other]) == turn for k, other in pairs)


def test_half_widths_agree_with_the_arccosine():
    widths = np.array(half_widths(1200, 1200 * 24 * 10**6))
    exact = np.arccos(np.linspace(-1, 1, 1201)) / (2 * np.pi) * 1200 * 24 * 10**6
    assert np.abs(widths - exact).max() < 0.51


@pytest.mark.parametrize("arcs", ARC_PROBLEMS, ids=named)
@pytest.mark.parametrize("resolution", [2, 7, 1200, 2**40])
def test_arcs_in_units_are_sorted_disjoint_and_complete(arcs, resolution):
    turn = resolution * units_per_angle(arcs, resolution)
    starts, lengths = arcs_in_units(arcs, turn)
    ends = starts + lengths
    assert starts.dtype == lengths.dtype == np.int64
    assert (lengths > 0).all()
    assert (starts >= 0).all()
    assert ends[-1] <= turn
    assert (starts[1:] >= ends[:-1]).all()
    assert lengths.sum() == sum(round(end * turn) - round(start * turn) for start, end in arcs.arcs)


def test_rounded_ends_keep_mirror_images():
    start, end = Fraction(0.1234567), Fraction(0.3456789)
    mirrored = custom_arcs([(start, end), (1 - end, 1 - start)])
    for resolution in (7, 1200, 2**40):
        turn = resolution * units_per_angle(mirrored, resolution)
        starts, lengths = arcs_in_units(mirrored, turn)
        assert lengths[0] == lengths[1]
        assert starts[0] == turn - starts[1] - lengths[1]


def test_arcs_too_small_for_the_grid_vanish():
    starts, lengths = arcs_in_units(custom_arcs([(0, Fraction(1, 10**20)), (0.25, 0.5)]), 96)
    assert (starts.tolist(), lengths.tolist()) == ([24], [24])


# ---- exact arcs


@pytest.mark.parametrize("arcs", ARC_PROBLEMS, ids=named)
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("neurons", [1, 2, 3])
def test_exact_score_is_that_of_the_plain_integers(arcs, output, neurons):
    fitness = ExactArcs(arcs)
    for resolution in (2, 3, 8, 12, 100, 1201):
        for network in random_networks(neurons, resolution, output, 12, seed=resolution):
            assert fitness.score(network) == plain_score(arcs, network)


@pytest.mark.slow
@pytest.mark.parametrize("arcs", ARC_PROBLEMS, ids=named)
@pytest.mark.parametrize("output", OUTPUTS)
def test_exact_fitness_is_that_of_a_million_points(arcs, output):
    n = 10**6
    angles = 2 * np.pi * (np.arange(n) + 0.5) / n
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    y = arcs.label(X)
    for network in random_networks(2, 1200, output, 2):
        cuts = 2 * 2 + 2 * len(arcs.arcs)
        share = np.mean(plain_prediction(network, X) == y)
        assert ExactArcs(arcs)(network) == pytest.approx(share, abs=cuts / n)


@pytest.mark.parametrize("resolution", [65537, 10**6, 2**40])
def test_large_resolutions_without_a_table(resolution):
    arcs = problem("local_opt")
    fitness = ExactArcs(arcs)
    grid = Grid(2, 1, resolution)
    assert not hasattr(fitness.compiled_form(grid).shape, "table")
    for network in random_networks(1, resolution, "or", 10):
        phi, k = network.genome.tolist()
        middle, width = (
            phi / resolution,
            math.acos((2 * k - resolution) / resolution) / (2 * math.pi),
        )
        cuts = sorted(
            {0.0, 1.0, *((middle + s * width) % 1 for s in (-1, 1)), *(i / 12 for i in range(12))}
        )
        right = 0.0
        for a, b in itertools.pairwise(cuts):
            at = (a + b) / 2
            fires = abs((at - middle + 0.5) % 1 - 0.5) < width
            label = any(s < at < e for s, e in arcs.arcs)
            right += (b - a) * (fires == label)
        assert fitness(network) == pytest.approx(right, abs=1e-12)


def test_quarter_follows_the_closed_form():
    quarter = ExactArcs(problem("quarter"))
    grid = Grid(2, 1, 240)
    for phi, k in itertools.product(range(0, 240, 7), range(120, 240, 5)):
        network = Network(grid, [phi, k])
        excess = 2 * math.acos(k / 120 - 1) - math.pi / 2
        gap = abs(phi / 240 - 1 / 8)
        away = 2 * math.pi * min(gap, 1 - gap)
        wrong = abs(excess) + max(0.0, 2 * (away - abs(excess) / 2))
        # Beyond this the two arcs are apart, and being farther apart costs nothing.
        wrong = min(wrong, 2 * math.acos(k / 120 - 1) + math.pi / 2)
        assert 1 - quarter(network) == pytest.approx(wrong / (2 * math.pi), abs=1e-12)


def test_biases_at_the_ends_of_the_range():
    quarter = ExactArcs(problem("quarter"))
    grid = Grid(2, 1, 100)
    assert {quarter(Network(grid, [phi, 100])) for phi in range(100)} == {0.75}
    assert {quarter(Network(grid, [phi, 0])) for phi in range(100)} == {0.25}


@pytest.mark.parametrize("resolution", [12, 100, 1200, 2**20, 2**40])
def test_symmetries_are_exact(resolution):
    """Mirror images and opposite neurons score exactly what the symmetry says."""
    r = resolution
    rng = np.random.default_rng(3)
    half, quarter, two = (ExactArcs(problem(name)) for name in ("half", "quarter", "two_quarters"))
    grid = Grid(2, 1, r)
    for _ in range(40):
        phi, k = int(rng.integers(r)), int(rng.integers(r + 1))
        network = Network(grid, [phi, k])
        mirror = Network(grid, [(r // 2 - phi) % r, k])
        opposite = Network(grid, [(phi + r // 2) % r, r - k])
        turned = Network(grid, [(phi + r // 2) % r, k])
        diagonal = Network(grid, [(r // 4 - phi) % r, k])
        assert half.score(network) == half.score(mirror)
        assert half.score(network) + half.score(opposite) == half.units(grid)
        assert quarter.score(network) == quarter.score(diagonal)
        assert two.score(network) == two.score(turned)


def test_de_morgan_is_exact():
    """An AND of neurons errs on a problem just where the OR of the opposite ones is right."""
    fitness = ExactArcs(problem("local_opt"))
    for network in random_networks(3, 120, "and", 30):
        genome = network.genome.reshape(3, 2)
        opposite = np.column_stack([(genome[:, 0] + 60) % 120, 120 - genome[:, 1]]).ravel()
        other = Network(Grid(2, 3, 120, "or"), opposite)
        assert fitness.score(network) + fitness.score(other) == fitness.units(network.grid)


def test_plateau_of_arcs_that_contain_the_positive_quarter():
    """Only the width matters while the arc contains the quarter: one value, not nearly one."""
    fitness = ExactArcs(problem("quarter"))
    scores = {fitness.score(Network(Grid(2, 1, 1200), [phi, 700])) for phi in range(80, 221)}
    assert len(scores) == 1


def test_quarter_has_pythagorean_ties():
    """Arcs too wide and too narrow by the same angle are equally good: arccos 3/5, arccos 4/5."""
    fitness = ExactArcs(problem("quarter"))
    grid = Grid(2, 1, 1200)
    assert fitness.score(Network(grid, [150, 960])) == fitness.score(Network(grid, [150, 1080]))


@pytest.mark.parametrize("name", ["half", "quarter", "two_quarters", "local_opt"])
def test_rounded_optima_come_close_to_the_best_fitness(name):
    arcs = problem(name)
    neurons = arcs.default_neurons
    grid = Grid(2, neurons, 10**4)
    for optimum in arcs.optima(neurons):
        angle = 2 * np.pi * optimum[:, 0]
        genome = grid.from_weights(np.column_stack([np.cos(angle), np.sin(angle)]), optimum[:, 1])
        value = ExactArcs(arcs)(Network(grid, genome))
        assert arcs.best_fitness(neurons) - 1e-3 < value <= arcs.best_fitness(neurons)


def test_exact_arcs_refuse_what_has_no_arcs():
    with pytest.raises(ValueError, match="dim 2 only, got dim 3; use Sampled"):
        ExactArcs(problem("half", dim=3))
    with pytest.raises(TypeError, match="ArcProblem"):
        ExactArcs(problem("cube"))
    with pytest.raises(ValueError, match="must have dim 2 for this fitness, got 3"):
        ExactArcs(problem("half")).compiled_form(Grid(3, 1, 12))
