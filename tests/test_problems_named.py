"""Named problems: labels, unions of arcs, optima and best fitness, the registry."""

import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from samples import OUTPUTS, WIRED, WITH_OPTIMA

from hyperna.problems import (
    PROBLEMS,
    ArcProblem,
    PointProblem,
    Problem,
    cube,
    custom_arcs,
    points,
    problem,
)
from hyperna.problems.arcs import best_unions, cap, complement, covered, merge_arcs

CLASSICS = ["half", "quarter", "two_quarters", "local_opt"]
ROOT2, ROOT3 = math.sqrt(2) / 2, math.sqrt(3) / 2
RNG = np.random.default_rng(7)


def fires(neuron, X):
    """Bits of one neuron given as D - 1 angles in turns and a bias, straight from the formula."""
    *turns, bias = neuron
    normal, product = [], 1.0
    for turn in turns:
        normal.append(product * math.cos(2 * math.pi * turn))
        product *= math.sin(2 * math.pi * turn)
    return X @ np.array([*normal, product]) >= bias


def joined(optimum, X, output):
    # the optimum of an evolved output that is asked for here is an OR
    kind = "or" if output == "evolved" else output
    return reference.joined(np.array([fires(neuron, X) for neuron in optimum]), kind)


def circle_points(n):
    # Half a step away from all round fractions, where rounding would decide.
    angles = 2 * np.pi * (np.arange(n) + 0.5) / n
    return np.column_stack([np.cos(angles), np.sin(angles)])


def sphere_points(n, dim):
    X = RNG.standard_normal((n, dim))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


# ---- labels


@pytest.mark.parametrize(
    ("name", "inside"),
    [
        ("half", lambda d: d <= 180),
        ("quarter", lambda d: d <= 90),
        ("two_quarters", lambda d: d <= 90 or 180 <= d <= 270),
        ("local_opt", lambda d: d <= 60 or 120 <= d <= 180 or 240 <= d <= 330),
    ],
)
@pytest.mark.parametrize("dim", [2, 3, 5])
def test_labels_follow_the_definition(name, inside, dim):
    degrees = [d + s for d in range(0, 360, 10) for s in (0.5, 3, 9.5)]
    X = np.zeros((len(degrees), dim))
    X[:, -2:] = [[math.cos(math.radians(d)), math.sin(math.radians(d))] for d in degrees]
    X[:, :-2] = RNG.standard_normal((len(degrees), dim - 2))
    assert problem(name, dim=dim).label(X).tolist() == [inside(d) for d in degrees]


@pytest.mark.parametrize("tiny", [0.0, -0.0, 5e-324, 1e-300, 1e-17, 6e-17, 1e-9])
def test_signs_decide_at_multiples_of_a_quarter_turn(tiny):
    on_axis = tiny == 0
    for side, (x, y) in enumerate([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)]):
        start = Fraction(side, 4)
        arc = ArcProblem("arc", [(start, start + Fraction(1, 8))])
        end = ArcProblem("arc", [(start - Fraction(1, 8), start)])
        before, after = (x + tiny * y, y - tiny * x), (x - tiny * y, y + tiny * x)
        assert arc.label([before, after]).tolist() == [on_axis, True]
        assert end.label([before, after]).tolist() == [True, on_axis]


def test_the_pole_has_psi_zero():
    assert problem("quarter", dim=3).label([[1.0, 0.0, 0.0], [1.0, -0.0, -0.0]]).all()
    assert not custom_arcs([(0.1, 0.4)], dim=3).label([[1.0, 0.0, 0.0]]).any()


def test_label_ignores_the_length_of_the_points_and_leaves_them_alone():
    X = sphere_points(200, 3)
    kept = X.copy()
    local_opt = problem("local_opt", dim=3)
    assert (local_opt.label(X) == local_opt.label(2**40 * X)).all()
    assert (kept == X).all()


@pytest.mark.parametrize("k", [1, 2, 3, 7])
def test_equal_arcs_cover_half_and_repeat(k):
    arcs = problem("arcs", k=k).arcs
    assert covered(arcs) == Fraction(1, 2)
    assert [start for start, _ in arcs] == [Fraction(j, k) for j in range(k)]
    assert all(end - start == Fraction(1, 2 * k) for start, end in arcs)


def test_small_families_agree():
    assert problem("arcs", k=1).arcs == problem("half").arcs
    assert problem("arcs", k=2).arcs == problem("two_quarters").arcs


# ---- unions of arcs against sets of integer units


intervals_on_24 = st.lists(
    st.tuples(st.integers(-30, 60), st.integers(1, 20)).map(lambda p: (p[0], p[0] + p[1])),
    min_size=1,
    max_size=5,
)


def units_of(intervals, n=24):
    return {unit % n for start, end in intervals for unit in range(start, end)}


@given(intervals_on_24)
def test_merging_is_the_union_of_sets(intervals):
    exact = [(Fraction(a, 24), Fraction(b, 24)) for a, b in intervals]
    units = units_of(intervals)
    if len(units) == 24:
        with pytest.raises(ValueError, match="whole circle"):
            merge_arcs(exact)
        return
    merged = merge_arcs(exact)
    back = [(int(24 * a), int(24 * b)) for a, b in merged]
    assert units_of(back) == units
    assert sum(b - a for a, b in back) == len(units)
    assert list(merged) == sorted(merged)
    assert all(0 <= a < 1 and a < b < a + 1 for a, b in merged)
    gaps = complement(merged)
    assert units_of([(int(24 * a), int(24 * b)) for a, b in gaps]) == set(range(24)) - units
    assert len(gaps) == len(merged)
    assert merge_arcs(reversed(exact)) == merged


def runs_of(taken):
    return sum(now and not before for before, now in itertools.pairwise([taken[-1], *taken]))


@given(st.lists(st.integers(1, 4), min_size=2, max_size=10), st.integers(1, 4), st.integers(0, 30))
def test_best_unions_are_those_of_exhaustive_search(lengths, size, shift):
    lengths = lengths[: len(lengths) // 2 * 2]
    turn = sum(lengths)
    ends = [Fraction(sum(lengths[:i]) + shift, turn) for i in range(len(lengths) + 1)]
    union = merge_arcs(zip(ends[::2], ends[1::2], strict=False))
    values = {}
    for taken in itertools.product([False, True], repeat=len(lengths)):
        if runs_of(taken) <= size:
            right = sum(n for i, n in enumerate(lengths) if taken[i] == (i % 2 == 0))
            values[taken] = right
    best = max(values.values())
    pieces = list(itertools.pairwise(ends))
    wanted = {
        merge_arcs(itertools.compress(pieces, taken))
        for taken, value in values.items()
        if value == best
    }
    share, found = best_unions(union, size, 10_000)
    assert share == Fraction(best, turn)
    assert len(found) == len(set(found))
    assert set(found) == wanted


def test_too_many_best_unions_are_not_listed():
    many = problem("arcs", k=30)
    assert many.best_fitness(15) == 0.75
    assert many.optima(15) == []


def test_cosines_are_exact_where_rational():
    twelfths = [cap((Fraction(1, 7), Fraction(1, 7) + Fraction(i, 6)))[1] for i in range(1, 6)]
    assert twelfths[1:4] == [0.5, 0, -0.5]
    assert twelfths[0] == -twelfths[4] == pytest.approx(ROOT3, abs=1e-15)


# ---- optima and best fitness


@pytest.mark.parametrize(
    ("name", "neurons", "expected"),
    [
        ("half", 1, [[(1 / 4, 0)]]),
        ("quarter", 1, [[(1 / 8, ROOT2)]]),
        ("two_quarters", 2, [[(1 / 8, ROOT2), (5 / 8, ROOT2)]]),
        (
            "two_quarters",
            1,
            [[(1 / 8, ROOT2)], [(5 / 8, ROOT2)], [(3 / 8, -ROOT2)], [(7 / 8, -ROOT2)]],
        ),
        ("local_opt", 1, [[(11 / 12, 0)], [(3 / 4, -ROOT3)], [(1 / 12, -ROOT3)]]),
    ],
)
def test_optima_are_the_known_ones(name, neurons, expected):
    found = sorted(np.array(problem(name).optima(neurons)).tolist())
    assert np.allclose(found, sorted(expected), rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("name", "neurons", "value"),
    [
        ("half", 1, 1),
        ("quarter", 1, 1),
        ("quarter", 5, 1),
        ("two_quarters", 1, 0.75),
        ("two_quarters", 2, 1),
        ("local_opt", 1, 0.75),
        ("local_opt", 2, 11 / 12),
        ("local_opt", 3, 1),
    ],
)
@pytest.mark.parametrize("output", OUTPUTS)
def test_best_fitness_is_the_known_one(name, neurons, value, output):
    known = neurons == 1 or output in WITH_OPTIMA
    assert problem(name).best_fitness(neurons, output) == (value if known else None)


ARC_PROBLEMS = [
    *map(problem, CLASSICS),
    problem("arcs", k=3),
    problem("arcs", k=4),
    custom_arcs([(300, 420), (90, 130), (200, 210)], unit="degree"),
    custom_arcs([(0.2, 0.95)]),
]


@pytest.mark.parametrize("arcs", ARC_PROBLEMS, ids=lambda p: p.name)
@pytest.mark.parametrize("output", WIRED)
def test_optima_attain_the_best_fitness(arcs, output):
    n = 72_000
    X = circle_points(n)
    y = arcs.label(X)
    for neurons in range(1, len(arcs.arcs) + 1):
        optima = arcs.optima(neurons, output)
        assert bool(optima) == (neurons == 1 or output in WITH_OPTIMA)
        for optimum in optima:
            assert optimum.shape == (neurons, 2)
            assert ((optimum[:, 0] >= 0) & (optimum[:, 0] < 1)).all()
            share = np.mean(joined(optimum, X, output) == y)
            assert share == pytest.approx(arcs.best_fitness(neurons, output), abs=4 * neurons / n)


@pytest.mark.parametrize("arcs", ARC_PROBLEMS, ids=lambda p: p.name)
def test_one_neuron_has_the_same_optima_whatever_joins_it(arcs):
    listed = {kind: sorted(np.array(arcs.optima(1, kind)).tolist()) for kind in OUTPUTS}
    # those of an AND are complements of gaps
    assert np.allclose(listed["or"], listed.pop("and"), rtol=0, atol=1e-15)
    assert all(optima == listed["or"] for optima in listed.values())


@pytest.mark.parametrize("arcs", ARC_PROBLEMS, ids=lambda p: p.name)
def test_no_function_of_n_arcs_beats_the_best_fitness(arcs):
    X = circle_points(720)
    y = arcs.label(X)
    for _ in range(100):
        neurons = RNG.integers(1, 4)
        bits = np.array([fires((RNG.random(), RNG.uniform(-1, 1)), X) for _ in range(neurons)])
        pattern = (bits * 2 ** np.arange(neurons)[:, np.newaxis]).sum(axis=0)
        # The best table of answers, more than any output neuron can have.
        right = sum(
            max(np.sum(y[pattern == p]), np.sum(~y[pattern == p])) for p in range(2**neurons)
        )
        assert right / 720 <= arcs.best_fitness(int(neurons)) + 2 * neurons / 720


def test_spare_neurons_leave_no_single_optimum():
    assert problem("half").optima(2) == []
    assert problem("local_opt").optima(4, "and") == []


@pytest.mark.parametrize("dim", [3, 4, 7])
def test_single_arcs_in_higher_dimension(dim):
    X = sphere_points(4000, dim)
    long = custom_arcs([(0.7, 1.4)], dim=dim)
    cases = [
        (problem("half", dim=dim), 1, "or"),
        (problem("half", dim=dim), 1, "evolved"),
        (problem("quarter", dim=dim), 2, "and"),
        (long, 2, "or"),
        (long, 2, "evolved"),
    ]
    for arcs, neurons, output in cases:
        (optimum,) = arcs.optima(neurons, output)
        assert optimum.shape == (neurons, dim)
        assert arcs.best_fitness(neurons, output) == 1
        assert (joined(optimum, X, output) == arcs.label(X)).all()
    half = problem("half", dim=dim).optima(1)[0]
    assert half.tolist() == [[0.25] * (dim - 1) + [0.0]]


@pytest.mark.parametrize("dim", [3, 5])
@pytest.mark.parametrize(
    ("name", "neurons"), [("half", 1), ("two_quarters", 2), ("arcs:k=3", 3), ("arcs:k=4", 4)]
)
def test_an_xor_is_right_in_any_dimension_where_ends_lie_opposite(name, neurons, dim):
    X, arcs = sphere_points(4000, dim), problem(name, dim=dim)
    optima = arcs.optima(neurons, "xor")
    assert arcs.best_fitness(neurons, "xor") == arcs.best_fitness(neurons + 1, "xor") == 1
    assert len({optimum.tobytes() for optimum in optima}) == len(optima) == 2 ** (neurons - 1)
    for optimum in optima:
        assert optimum.shape == (neurons, dim)
        assert (joined(optimum, X, "xor") == arcs.label(X)).all()
    assert arcs.optima(neurons + 1, "xor") == []


def test_an_xor_has_no_optima_where_they_are_unknown_or_too_many():
    assert problem("quarter", dim=3).optima(1, "xor") == []
    assert problem("local_opt", dim=3).best_fitness(3, "xor") is None
    assert problem("arcs", k=5).optima(5, "xor") == []
    assert problem("arcs", k=5).best_fitness(5, "xor") == 1
    assert problem("arcs", k=12, dim=3).optima(12, "xor") == []


def test_unknown_best_fitness_is_none():
    quarter = problem("quarter", dim=3)
    assert quarter.best_fitness(2, "evolved") == quarter.best_fitness(3, "and") == 1
    assert quarter.best_fitness(2, "or") is None
    assert quarter.best_fitness(1, "and") == pytest.approx(11 / 12, abs=1e-12)
    assert quarter.optima(2, "evolved") == []
    assert problem("two_quarters", dim=3).best_fitness(4, "evolved") is None
    assert problem("half", dim=3).best_fitness(4, "or") == 1


@pytest.mark.parametrize(("neurons", "output"), [(0, "or"), (1, "made up")])
def test_network_shapes_are_checked(neurons, output):
    for subject in (problem("half"), cube(3), points([[1.0]], [1])):
        with pytest.raises(ValueError, match=r"neurons must|output must"):
            subject.best_fitness(neurons, output)
        with pytest.raises(ValueError, match=r"neurons must|output must"):
            subject.optima(neurons, output)


# ---- the registry


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_entry_has_a_summary_of_one_line(name):
    factory = PROBLEMS[name]
    assert factory.name == name
    assert 10 < len(factory.summary) < 90
    assert "\n" not in factory.summary


@pytest.mark.parametrize("name", [n for n in PROBLEMS if n not in ("arcs", "csv")])
def test_entries_without_parameters_build_and_travel(name):
    built = problem(name)
    assert isinstance(built, Problem)
    assert built.name == name
    assert built.default_neurons >= 1
    assert built.summary
    copy = pickle.loads(pickle.dumps(built))
    X = built.X if isinstance(built, PointProblem) else sphere_points(50, built.dim)
    assert (copy.label(X) == built.label(X)).all()


def test_parameters_as_text_and_as_arguments_agree():
    assert problem("arcs:k=3,dim=3") == problem("arcs", dim=3, k=3)
    assert problem("arcs", k=3) != problem("arcs", k=4)
    assert problem("cube:dim=4").dim == 4
    assert {problem("half"), problem("half"), problem("half", 3)} == {
        problem("half"),
        problem("half", 3),
    }


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"name": "nonsense"}, ValueError, "'half', 'quarter'.*got 'nonsense'"),
        ({"name": 3}, TypeError, "got 3"),
        ({"name": "arcs"}, ValueError, "must be given either k"),
        ({"name": "half", "k": 2}, ValueError, "no parameter 'k'; its parameters: dim"),
        ({"name": "arcs:k"}, ValueError, "key=value"),
        ({"name": "arcs:k=2,k=3"}, ValueError, "k is given twice"),
        ({"name": "arcs:k=2", "k": 2}, ValueError, "given twice"),
        ({"name": "arcs:k=two"}, ValueError, "k must be an integer, got 'two'"),
        ({"name": "arcs", "k": 0}, ValueError, "k must be an integer from 1 to 1000, got 0"),
        ({"name": "arcs", "k": 1.5}, TypeError, "k must be an integer"),
        ({"name": "half", "dim": 1}, ValueError, "dim must be an integer >= 2, got 1"),
        ({"name": "cube", "dim": 21}, ValueError, "dim must be an integer from 1 to 20, got 21"),
    ],
)
def test_wrong_problems_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        problem(**arguments)


@pytest.mark.parametrize("dim", [2, 3, 4])
def test_the_number_of_neurons_where_none_is_given(dim):
    """A quarter is one cap of the circle, and two half-spaces beyond it; LOCALOPT is for one."""
    names = ("half", "quarter", "two_quarters", "local_opt", "arcs:k=5", "cube")
    found = [problem(name, dim=dim).default_neurons for name in names]
    assert found == [1, 1 if dim == 2 else 2, 2, 1, 5, 2 ** (dim - 1)]
