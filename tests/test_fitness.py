import itertools
import math
import pickle
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperna.fitness import ExactArcs, FiniteSet, Fitness, Sampled, fitness_of
from hyperna.fitness.exact import _half_width, arcs_in_units, half_widths, units_per_angle
from hyperna.fitness.points import integer_weights
from hyperna.grid import Grid
from hyperna.networks import Network
from hyperna.problems import custom_arcs, points, problem

ARC_PROBLEMS = [
    problem("half"),
    problem("quarter"),
    problem("two_quarters"),
    problem("local_opt"),
    problem("arcs", k=5),
    custom_arcs([(300, 420), (90, 130), (200, 210)], unit="degree"),
    custom_arcs([(0.9, 1.05), (0.1234567, 0.7654321)]),
]
OUTPUTS = ["or", "and", "evolved"]


def named(arcs):
    return arcs.name.partition(":")[0] + str(len(arcs.arcs))


def random_networks(neurons, resolution, output, count, seed=0, dim=2):
    grid = Grid(dim, neurons, resolution, output)
    rng = np.random.default_rng(seed)
    return [Network(grid, grid.random(rng)) for _ in range(count)]


# ---- references


def answer(network, bits):
    """Output of a network to given hidden bits."""
    evolved = network.grid.output_neuron(network.genome)
    if evolved is None:
        return all(bits) if network.grid.output == "and" else any(bits)
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
        return bits.all(axis=1) if network.grid.output == "and" else bits.any(axis=1)
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
    assert fitness.kernel(grid).half_width.size == 0
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
        genome = grid.from_angles(2 * np.pi * optimum[:, :1], optimum[:, 1])
        value = ExactArcs(arcs)(Network(grid, genome))
        assert arcs.best_fitness(neurons) - 1e-3 < value <= arcs.best_fitness(neurons)


def test_exact_arcs_refuse_what_has_no_arcs():
    with pytest.raises(ValueError, match="dim 2 only, got dim 3; use Sampled"):
        ExactArcs(problem("half", dim=3))
    with pytest.raises(TypeError, match="ArcProblem"):
        ExactArcs(problem("cube"))
    with pytest.raises(ValueError, match="must have dim 2 for this fitness, got 3"):
        ExactArcs(problem("half")).kernel(Grid(3, 1, 12))


# ---- finite sets


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("dim", [1, 2, 4])
def test_finite_set_counts_weights(dim, output):
    rng = np.random.default_rng(dim)
    X = rng.uniform(-1, 1, (30, dim))
    y = rng.random(30) < 0.5
    weights = rng.integers(0, 7, 30)
    weights[0] = 1
    fitness = FiniteSet(X, y, weights)
    assert fitness.total == weights.sum()
    for network in random_networks(3, 50, output, 10, dim=dim):
        right = sum(
            int(w)
            for x, label, w in zip(X, y, weights, strict=True)
            if network.predict([x])[0] == label
        )
        assert fitness.score(network) == right
        assert fitness(network) == right / weights.sum()
        assert fitness.standard_error(network) == 0


def test_finite_set_does_not_follow_the_caller_s_arrays():
    X, y = np.eye(2), np.array([1, 0])
    fitness = FiniteSet(X, y)
    X[:] = 0
    y[:] = 0
    assert fitness.X.tolist() == np.eye(2).tolist()
    assert fitness.y.tolist() == [True, False]


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (None, [1, 1, 1]),
        ([0.3, 0.3, 0.3], [1, 1, 1]),
        ([5, 5, 5], [1, 1, 1]),
        ([2, 4, 0], [1, 2, 0]),
        ([0.1, 0.2, 0.3], [1, 2, 3]),
        ([1 / 3, 1 / 7, 1], [7, 3, 21]),
        ([50 / (2 * 13), 50 / (2 * 37), 50 / (2 * 37)], [37, 13, 13]),
        ([1e300, 2e300, 1e300], [1, 2, 1]),
        ([2.0**40, 1, 3], [2**40, 1, 3]),
    ],
)
def test_weights_become_proportional_integers(weights, expected):
    assert integer_weights(weights, 3).tolist() == expected


@given(st.lists(st.floats(0, 1e308), min_size=1, max_size=20).filter(any))
def test_any_weights_keep_their_proportions(weights):
    found = integer_weights(weights, len(weights))
    assert found.dtype == np.int64
    assert (found >= 0).all()
    assert 0 < found.sum() < 2**51
    largest = max(weights)
    total = math.fsum(w / largest for w in weights)
    for weight, unit in zip(weights, found.tolist(), strict=True):
        assert unit / found.sum() == pytest.approx(weight / largest / total, rel=1e-13, abs=1e-13)


def test_balanced_classes_tie():
    """Weights n / (2 n_class) make "all positive" exactly as good as "all negative"."""
    y = np.arange(50) < 13
    weights = np.where(y, 50 / (2 * 13), 50 / (2 * 37))
    fitness = FiniteSet(np.linspace(-0.9, 0.9, 50)[:, None], y, weights)
    always, never = (Network(Grid(1, 1, 10), [0, bias]) for bias in (0, 10))
    assert fitness(always) == fitness(never) == 0.5


@pytest.mark.parametrize(
    ("X", "y", "weights", "message"),
    [
        (np.empty((0, 2)), [], None, "X must have shape"),
        ([[math.inf, 0]], [1], None, "X must be finite"),
        ([[0, 0]], [3], None, "only 0 and 1"),
        ([[0, 0]], [1, 1], None, r"y must have shape \(1,\)"),
        ([[0, 0]], [1], [-2], "weights must not be negative, got -2"),
        ([[0, 0]], [1], [math.nan], "weights must be finite, got nan"),
        ([[0, 0]], [1], [0], "weights must not be all zero"),
        ([[0, 0]], [1], [1, 1], r"weights must have shape \(1,\)"),
    ],
)
def test_wrong_finite_sets_are_refused(X, y, weights, message):
    with pytest.raises(ValueError, match=message):
        FiniteSet(X, y, weights)


def test_single_points_and_single_labels_are_allowed():
    assert FiniteSet([[0.5]], [1])(Network(Grid(1, 1, 4), [0, 0])) == 1
    assert FiniteSet(np.eye(2), [0, 0])(Network(Grid(2, 1, 4), [0, 0])) == 0


def test_finite_set_refuses_networks_of_other_dimension():
    with pytest.raises(ValueError, match="must have dim 2 for this fitness, got 3"):
        FiniteSet(np.eye(2), [0, 1]).score(Network(Grid(3, 1, 4), [0, 0, 0]))


# ---- samples of the sphere


@pytest.mark.parametrize("method", ["sobol", "random", "even"])
@pytest.mark.parametrize("dim", [2, 3, 5])
def test_sampled_fitness_of_half_spaces_is_the_angle_between_them(dim, method):
    """Two half-spaces through the origin agree on all but 2 gamma / 2 pi of the sphere."""
    fitness = Sampled(problem("half", dim=dim), n=4096, method=method, seed=5)
    last = np.eye(dim)[-1]
    rng = np.random.default_rng(dim)
    grid = Grid(dim, 1, 10**6)
    for _ in range(20):
        network = Network(grid, grid.from_weights(rng.standard_normal((1, dim)), [0.0]))
        normal = network.weights()[0][0]
        exact = 1 - math.acos(np.clip(normal @ last, -1, 1)) / math.pi
        share = fitness(network)
        assert share * 4096 == fitness.score(network)
        error = fitness.standard_error(network)
        assert error == pytest.approx(math.sqrt(share * (1 - share) / 4096), abs=1e-15)
        assert abs(share - exact) < 4.5 * error + 1e-3


@pytest.mark.parametrize("method", ["sobol", "even"])
def test_spread_points_err_less_than_their_standard_error(method):
    fitness = Sampled(problem("half", dim=3), n=4096, method=method)
    rng = np.random.default_rng(0)
    grid = Grid(3, 1, 10**6)
    ratios = []
    for _ in range(60):
        network = Network(grid, grid.from_weights(rng.standard_normal((1, 3)), [0.0]))
        exact = 1 - math.acos(network.weights()[0][0, 2]) / math.pi
        ratios.append((fitness(network) - exact) / fitness.standard_error(network))
    assert np.sqrt(np.mean(np.square(ratios))) < 0.5


def test_standard_error_is_the_spread_over_seeds():
    grid = Grid(3, 1, 100)
    network = Network(grid, [10, 30, 60])
    made = [Sampled(problem("quarter", dim=3), n=200, method="random", seed=s) for s in range(400)]
    spread = np.std([fitness(network) for fitness in made])
    typical = np.mean([fitness.standard_error(network) for fitness in made])
    assert spread == pytest.approx(typical, rel=0.15)


def test_samples_are_fixed_by_their_seed():
    settings = [("sobol", 1), ("sobol", 2), ("random", 1), ("random", 2), ("even", 1)]
    half = problem("half", dim=4)
    drawn = [Sampled(half, 64, method, seed).points.X for method, seed in settings]
    again = [Sampled(half, 64, method, seed).points.X for method, seed in settings]
    assert all((a == b).all() for a, b in zip(drawn, again, strict=True))
    assert all((a != b).any() for a, b in itertools.combinations(drawn, 2))
    assert (drawn[-1] == Sampled(half, 64, "even", 2).points.X).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [({"n": 0}, "n must be"), ({"method": "grid"}, "method must be"), ({"seed": -1}, "seed must")],
)
def test_wrong_samples_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Sampled(problem("half"), **options)


def test_point_sets_are_not_sampled():
    with pytest.raises(TypeError, match="whole sphere"):
        Sampled(problem("cube"))


# ---- the choice


def test_fitness_of_keeps_the_problem():
    data = points(np.eye(2), [0, 1], [1, 3])
    for subject in (problem("half"), problem("half", dim=3), problem("cube"), data):
        chosen = fitness_of(subject)
        assert isinstance(chosen, Fitness)
        assert chosen.problem is subject
        assert chosen.dim == subject.dim
        assert fitness_of(chosen) is chosen
    assert fitness_of(data).weights.tolist() == [1, 3]


def test_descriptions_are_short_however_many_points():
    many = fitness_of(problem("cube", dim=12))
    assert str(many) == "weighted share of 4096 points"
    assert repr(many) == "FiniteSet(4096 points in R^12, total weight 4096)"
    assert repr(many.problem).startswith("CubeCorners('cube': 4096 points in R^12, 2048 of them")
    assert str(fitness_of(problem("half"))) == "exact share of the circle"
    sampled = Sampled(problem("half", dim=3), n=64)
    assert str(sampled) == "share of 64 points on the sphere (sobol, seed 0)"


def test_fitness_of_passes_the_sampling_on():
    chosen = fitness_of(problem("half"), n=100, method="random", seed=3)
    assert isinstance(chosen, Sampled)
    assert (chosen.n, chosen.method, chosen.seed) == (100, "random", 3)
    with pytest.raises(ValueError, match="n must be left out"):
        fitness_of(problem("cube"), n=100)
    with pytest.raises(TypeError, match="problem must be a Problem or a Fitness, got 'half'"):
        fitness_of("half")


@pytest.mark.parametrize("dim", [2, 3])
def test_fitness_travels_between_processes(dim):
    fitness = fitness_of(problem("quarter", dim=dim))
    copy = pickle.loads(pickle.dumps(fitness))
    for network in random_networks(2, 60, "evolved", 3, dim=dim):
        assert copy.score(network) == fitness.score(network)


# ---- what compiled code gets


@pytest.mark.parametrize("output", OUTPUTS)
def test_circle_kernel_holds_what_it_should(output):
    fitness = ExactArcs(problem("local_opt"))
    grid = Grid(2, 2, 120, output)
    circle = fitness.kernel(grid)
    assert circle.turn == fitness.units(grid) == circle.step * 120
    assert circle.positive * 12 == circle.turn * 7
    assert (circle.resolution, circle.neurons, circle.join) == (120, 2, OUTPUTS.index(output))
    assert circle.half_width.tolist() == list(half_widths(120, circle.turn))


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("dim", [1, 2, 4])
def test_points_kernel_scores_like_predictions(dim, output):
    kernels = pytest.importorskip("hyperna._kernels.points")
    rng = np.random.default_rng(dim)
    X = rng.uniform(-1, 1, (70, dim))
    fitness = FiniteSet(X, rng.random(70) < 0.5, rng.integers(1, 9, 70))
    for neurons in (1, 3):
        for network in random_networks(neurons, 50, output, 10, dim=dim):
            kernel = fitness.kernel(network.grid)
            assert kernels.points_score(kernel, network.genome) == fitness.score(network)
