"""The integer circle (D = 2): kernels against the plain reference, ties, incremental scores."""

import itertools
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from looking import expected_of, first_look, look_at, random_changes
from samples import OUTPUTS
from scipy import stats

from hyperna import OnePlusOneNA
from hyperna._kernels.circle import ARC_BLOCK, Circle
from hyperna._kernels.geometry import AND, OR, XOR
from hyperna._kernels.judging import judge
from hyperna._kernels.pair import MOST_ARCS, Pair
from hyperna._kernels.shapes import FineHalfSpace, HalfSpace
from hyperna._kernels.state import OPTIMUM
from hyperna.fitness import ExactArcs
from hyperna.network.grid import Grid
from hyperna.network.networks import Network
from hyperna.problems import problem
from hyperna.run.simulation import Simulation

UNIONS = {
    "half": reference.HALF,
    "quarter": reference.QUARTER,
    "two_quarters": reference.TWO_QUARTERS,
    "local_opt": reference.LOCAL_OPT,
}


def circle_of(arcs, neurons, resolution, output, table=True, general=False):
    """What the kernels take, with the reference's units and half-widths."""
    turn = reference.circle_units(resolution)
    ends = np.array([[int(end * turn) for end in arc] for arc in arcs])
    rows = np.stack([ends[:, 0], ends[:, 1] - ends[:, 0]])
    biases = range(resolution + 1 if table else 0)
    widths = [reference.half_width(b, resolution, turn) for b in biases]
    shape = HalfSpace(np.array(widths)) if table else FineHalfSpace(turn, resolution)
    grid = Grid(2, neurons, resolution, output)
    shared = (turn, turn // resolution, int(rows[1].sum()), grid.output_code, neurons, 2)
    in_a_pair = neurons <= 2 and grid.output_code in (OR, AND, XOR) and rows.shape[1] <= MOST_ARCS
    if general or not in_a_pair:
        rows = np.pad(rows, ((0, 0), (0, -rows.shape[1] % ARC_BLOCK)))
        return Circle(*shared, resolution, grid.moduli[:2].copy(), rows, shape)
    starts, lengths = np.pad(rows, ((0, 0), (0, MOST_ARCS - rows.shape[1]))).tolist()
    return Pair(*shared, grid.moduli[:2].copy(), tuple(starts), tuple(lengths), shape)


def score_of(circle, genome):
    return first_look(circle, circle.workspace(), np.array(genome))


class Prepared(NamedTuple):
    """Stands for a fitness that has its kernel already."""

    circle: NamedTuple

    def compiled_form(self, grid):
        return self.circle


def turned(arcs, shift):
    """The arcs moved on by a part of a turn; one that passes 0 is cut in two."""
    pieces = []
    for start, end in arcs:
        start, end = (start + shift) % 1, (start + shift) % 1 + (end - start)
        pieces += [(start, min(end, Fraction(1)))] + [(Fraction(0), end - 1)] * (end > 1)
    return sorted(pieces)


def mirrored(arcs):
    return sorted((1 - end, 1 - start) for start, end in arcs)


# ---- scores from nothing


@st.composite
def configurations(draw):
    """A union of arcs, a network and whether half-widths come from a table."""
    resolution = draw(st.sampled_from([2, 3, 4, 5, 7, 8, 12, 24, 61, 120, 121]))
    neurons, output = draw(st.integers(1, 8)), draw(st.sampled_from(OUTPUTS))
    cuts = draw(st.sets(st.integers(0, 24 * resolution), min_size=2, max_size=10))
    ends = [Fraction(cut, 24 * resolution) for cut in sorted(cuts)]
    arcs = list(zip(ends[0::2], ends[1::2], strict=False))
    genome = []
    for modulus in reference.grid_moduli(neurons, resolution, output):
        # Ends of the range and repeated values, so that arcs coincide, touch, vanish and fill up.
        few = [0, modulus - 1, modulus // 2, *genome[-6:]]
        values = st.sampled_from(few) | st.integers(0, modulus - 1)
        genome.append(draw(values) % modulus)
    return arcs, neurons, resolution, output, genome, draw(st.booleans())


@settings(max_examples=400)
@given(configurations())
def test_scores_are_those_of_the_reference(configuration):
    arcs, neurons, resolution, output, genome, table = configuration
    plain = reference.arc_fitness(arcs, neurons, resolution, output)
    for general in (False, True):
        circle = circle_of(arcs, neurons, resolution, output, table, general)
        assert score_of(circle, genome) == plain(genome)


@settings(max_examples=200)
@given(configurations(), st.integers(0, 2**32))
def test_the_first_acceptable_offspring_is_found(configuration, seed):
    arcs, neurons, resolution, output, genome, table = configuration
    grid = Grid(2, neurons, resolution, output)
    plain = reference.arc_fitness(arcs, neurons, resolution, output)
    changes = random_changes(np.random.default_rng(seed), grid.moduli, 100)
    expected = expected_of(lambda x: plain(x.tolist()), grid, genome, changes)
    for general in (False, True):
        circle = circle_of(arcs, neurons, resolution, output, table, general)
        assert look_at(Prepared(circle), grid, genome, changes) == expected


@pytest.mark.parametrize("name", UNIONS)
@pytest.mark.parametrize("output", OUTPUTS)
def test_scores_of_all_small_networks(name, output):
    resolution = 4
    circle = circle_of(UNIONS[name], 2, resolution, output)
    plain = reference.arc_fitness(UNIONS[name], 2, resolution, output)
    moduli = reference.grid_moduli(2, resolution, output)
    genomes = list(itertools.product(*map(range, moduli)))
    for genome in genomes if output != "evolved" else genomes[::7]:
        assert score_of(circle, np.array(genome)) == plain(genome)


@pytest.mark.parametrize("resolution", [2**17, 2**30, 10**9 + 7, 2**40])
@pytest.mark.parametrize("output", OUTPUTS)
def test_scores_at_large_resolutions(resolution, output):
    rng = np.random.default_rng(resolution)
    for name, neurons in itertools.product(UNIONS, (1, 2, 3, 8)):
        circle = circle_of(UNIONS[name], neurons, resolution, output, table=False)
        plain = reference.arc_fitness(UNIONS[name], neurons, resolution, output)
        for _ in range(5):
            genome = Grid(2, neurons, resolution, output).random(rng)
            assert score_of(circle, genome) == plain(genome.tolist())


@pytest.fixture(scope="module")
def million():
    n = 10**6
    angle = 2 * np.pi * (np.arange(n) + 0.5) / n
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    arcs = problem("local_opt")
    return n, X, arcs, arcs.label(X)


@pytest.mark.parametrize("neurons", [1, 3, 8])
@pytest.mark.parametrize("output", OUTPUTS)
def test_exact_arcs_agree_with_a_million_points(neurons, output, million):
    n, X, arcs, y = million
    rng = np.random.default_rng(neurons)
    for resolution in (121, 2**33)[neurons == 3 :]:
        grid = Grid(2, neurons, resolution, output)
        network = Network(grid, grid.random(rng))
        W, b = network.weights()
        bits = np.greater_equal(X @ W.T, b)
        if network.output_weights() is None:
            answer = reference.joined(bits.T, output)
        else:
            w, t = network.output_weights()
            answer = bits @ w >= t
        # Each end of an arc of either side decides over one point at most.
        assert abs(ExactArcs(arcs)(network) - (answer == y).mean()) <= (2 * neurons + 6) / n


# ---- true ties


@pytest.mark.parametrize("resolution", [120, 2**30])
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("neurons", [1, 2, 5])
def test_turned_and_mirrored_configurations_tie(resolution, output, neurons):
    """Turning or mirroring network and problem together changes no unit of the score."""
    rng = np.random.default_rng(neurons)
    grid = Grid(2, neurons, resolution, output)
    for name in UNIONS:
        arcs = UNIONS[name]
        tables = resolution < 2**14
        here = circle_of(arcs, neurons, resolution, output, tables)
        opposite = circle_of(mirrored(arcs), neurons, resolution, output, tables)
        for _ in range(25):
            genome, shift = grid.random(rng), int(rng.integers(resolution))
            angles = np.arange(0, 2 * neurons, 2)
            score = score_of(here, genome)
            moved, reflected = genome.copy(), genome.copy()
            moved[angles] = (genome[angles] + shift) % resolution
            reflected[angles] = -genome[angles] % resolution
            there = turned(arcs, Fraction(shift, resolution))
            there = circle_of(there, neurons, resolution, output, tables)
            assert score_of(there, moved) == score
            assert score_of(opposite, reflected) == score


@pytest.mark.parametrize("resolution", [120, 2**30, 2**40])
def test_no_step_on_a_plateau_is_refused(resolution):
    """An arc that contains the positive quarter: turning it a little never matters.

    Of the steps of local mutation a quarter is void, a quarter turns the arc only, the others also
    narrow it (better) or widen it (worse): half of all steps are accepted and not void.
    """
    r = resolution
    start = Network(Grid(2, 1, r), [r // 8, r // 2 + r // 8])
    na = OnePlusOneNA(resolution=r, mutation="local")
    accepted = total = 0
    for seed in range(20):
        # Few steps, so that the arc stays wide enough even at r = 120.
        steps = 12 if r == 120 else 400
        result = na.run(
            problem("quarter"),
            budget=1 + steps,
            target=False,
            seed=seed,
            start=start,
            trajectory=True,
        )
        accepted += len(result.trajectory) - 1
        total += steps
        moves = np.diff(result.trajectory.genomes, axis=0)
        change = np.diff(result.trajectory.fitness)
        assert (moves[:, 1] >= 0).all()
        np.testing.assert_array_equal(change > 0, moves[:, 1] > 0)
    assert stats.binomtest(accepted, total, 0.5).pvalue > 1e-3


# ---- incremental scores inside a run


def assert_scores_are_fresh(result, name):
    """Recorded fitness is that of the recorded genome, evaluated from nothing."""
    path = result.trajectory
    fitness = ExactArcs(problem(name))
    circle, units = fitness.compiled_form(path.grid), fitness.units(path.grid)
    fresh = [score_of(circle, genome) / units for genome in path.genomes]
    np.testing.assert_array_equal(path.fitness, fresh)
    assert (np.diff(path.fitness) >= 0).all()
    assert result.fitness == fitness(result.network) == path.fitness[-1]


@pytest.mark.parametrize("resolution", [7, 120, 1201, 2**17, 2**30, 2**40])
@pytest.mark.parametrize("output", OUTPUTS)
def test_every_recorded_fitness_is_right(resolution, output):
    for neurons in range(1, 9):
        name = list(UNIONS)[(neurons + len(output)) % 4]
        na = OnePlusOneNA(neurons=neurons, output=output, resolution=resolution)
        result = na.run(problem(name), budget=400, target=False, seed=neurons, trajectory=True)
        assert_scores_are_fresh(result, name)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("neurons", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3))])
def test_skipped_waits_record_the_right_fitness(neurons, output):
    """With local mutation rejected steps are drawn as a number: after 3^M in a row."""
    for resolution in (7, 24, 2**20):
        na = OnePlusOneNA(neurons=neurons, output=output, resolution=resolution, mutation="local")
        for seed in range(3):
            result = na.run(
                problem("local_opt"), budget=30_000, target=False, seed=seed, trajectory=True
            )
            assert_scores_are_fresh(result, "local_opt")


@pytest.mark.parametrize(
    ("neurons", "output"),
    [(1, "or"), (3, "and"), (2, "xor"), (4, "xor"), (2, "evolved"), (7, "evolved")],
)
def test_a_run_in_pieces_is_the_same_run(neurons, output):
    na = OnePlusOneNA(neurons=neurons, output=output, resolution=60)
    task = na.task(problem("two_quarters"), budget=3000, target=False)
    whole = task.run(3, trajectory=True)
    search = Simulation(task, 3, trajectory=True)
    while not search.advance(7):
        assert search.result().stop_reason == "running"
    pieces = search.result()
    np.testing.assert_array_equal(pieces.trajectory.genomes, whole.trajectory.genomes)
    np.testing.assert_array_equal(pieces.trajectory.evaluations, whole.trajectory.evaluations)
    assert (pieces.evaluations, pieces.network) == (whole.evaluations, whole.network)


# ---- optimum found


@pytest.mark.parametrize(
    ("name", "optima", "neurons", "output", "resolutions"),
    [
        ("half", reference.HALF_OPTIMA, 1, "or", range(2, 41)),
        ("quarter", reference.QUARTER_OPTIMA, 1, "or", range(2, 41)),
        ("local_opt", reference.LOCAL_OPT_OPTIMA, 1, "or", range(2, 41)),
        ("two_quarters", reference.TWO_QUARTERS_OPTIMA, 2, "or", [2, 3, 4, 5, 6, 8, 9]),
        ("two_quarters", reference.TWO_QUARTERS_XOR_OPTIMA, 2, "xor", [2, 3, 4, 5, 6, 8]),
    ],
)
def test_optima_are_found_exactly_where_the_definition_says(
    name, optima, neurons, output, resolutions
):
    """All genomes of small grids; in particular none is passed over for its low score."""
    for resolution in resolutions:
        na = OnePlusOneNA(neurons=neurons, output=output, resolution=resolution)
        task = na.task(problem(name))
        moduli = reference.grid_moduli(neurons, resolution)
        genomes = np.array(list(itertools.product(*map(range, moduli))))
        reasons = np.zeros(len(genomes), np.int64)
        judge(
            task.compiled_fitness,
            task.compiled_fitness.workspace(),
            task.limits,
            task.goal.optima,
            genomes,
            np.zeros_like(reasons),
            reasons,
        )
        found = reference.optimum_test(optima, resolution)
        expected = [found(genome) for genome in genomes.tolist()]
        np.testing.assert_array_equal(reasons == OPTIMUM, expected, str(resolution))
