"""Bits of rules on lattices, where distances are equal, and at the ends of slopes and lapses.

All of the code is written down plainly here: which half-space decides, the bits of labels and
parameters, the steps in which the slope is sought, and the names of features.
"""

import itertools
import math

import numpy as np
import pytest

from hyperna.classifier.bits import CodeLength, code_length, entropy, naming_bits
from hyperna.classifier.half_spaces import ODD, HalfSpaces, joined_distance
from hyperna.classifier.rules import Condition
from hyperna.classifier.search import (
    FIRST_COST,
    MOST_FEATURES,
    STRICT_SHORTNESS,
    Candidate,
    Search,
    SearchOptions,
    largest_weights,
)
from hyperna.classifier.table import StandardPoints

LAPSES = (0.0, 0.01, 0.03, 0.06, 0.1, 0.15)
LEAST_CHANCE = 1e-9
EXACT = {"rel": 1e-9, "abs": 1e-9}


def points_of(X, y, weight):
    columns = np.ascontiguousarray(np.asarray(X, float).T)
    return StandardPoints(
        columns, np.asarray(y, np.int64), weight, np.arange(len(columns)), len(columns)
    )


def deciding(network, point):
    """Number of the half-space that decides on a point, and the signed distance.

    Of margins that are equal the first half-space decides.
    """
    margins = [
        sum(w * x for w, x in zip(normal, point, strict=True) if w) - threshold
        for normal, threshold in zip(network.normals, network.thresholds, strict=True)
    ]
    places = range(len(margins))
    if network.quorum == ODD:
        place = min(places, key=lambda i: (abs(margins[i]), i))
        odd = sum(margin >= 0 for margin in margins) % 2 == 1
        return place, abs(margins[place]) * (1 if odd else -1)
    place = sorted(places, key=lambda i: (-margins[i], i))[network.quorum - 1]
    return place, margins[place]


def bits_at(network, points, slope, lapses):
    """Bits of the labels for each lapse, and of the parameters for the best width."""
    labels = np.zeros(len(lapses))
    information = [
        {int(j): 0.25 for j in [*np.flatnonzero(normal), -1]} for normal in network.normals
    ]
    for point, label, weight in zip(points.columns.T, points.label, points.weight, strict=True):
        place, distance = deciding(network, point)
        z = min(max(slope * distance * (1 if label else -1), -40), 40)
        chance = 1 / (1 + math.exp(-z))
        for k, lapse in enumerate(lapses):
            labels[k] -= weight * math.log2(max(lapse + (1 - 2 * lapse) * chance, LEAST_CHANCE))
        share = weight * chance * (1 - chance)
        for j in information[place]:
            information[place][j] += share * (1.0 if j < 0 else point[j] ** 2)
    parameters = math.inf
    for octave in range(-3, 7):
        width = 2.0**octave
        bits = 0.5 * math.log2(math.e) * network.neurons * (slope / width) ** 2
        for each in information:
            bits += sum(0.5 * math.log2(1 + width**2 * one) for one in each.values())
        parameters = min(parameters, bits)
    return labels, parameters


def plain_code(network, points, shortness):
    """Bits of labels and parameters, slope and lapse: slopes in large steps, then in small ones."""
    least = min(1 / (points.weight.sum() + 2), 0.25)
    lapses = [max(lapse, least) for lapse in LAPSES]
    tried = {}

    def total(octave):
        if octave not in tried:
            labels, parameters = bits_at(network, points, 2.0**octave, lapses)
            k = int(np.argmin(labels))
            tried[octave] = labels[k] + shortness * parameters, labels[k], parameters, lapses[k]
        return tried[octave][0]

    best = min((-2.0, 0.0, 2.0, 4.0, 6.0, 8.0), key=total)
    for step in (1.0, 0.5, 0.25):
        best = min((best, best - step, best + step), key=total)
    return (*tried[best][1:3], 2.0**best, tried[best][3])


def lattice_case(seed):
    """A network and points on one lattice: margins of 0, and equal ones, are frequent."""
    rng = np.random.default_rng(seed)
    neurons, features = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    count = int(rng.choice([1, 2, 31, 32, 33, 64, 65, 100]))
    normals = np.zeros((neurons, features))
    places = rng.integers(0, features, neurons)
    normals[np.arange(neurons), places] = rng.choice([-1.0, 1.0], neurons)
    if seed % 3 == 0 and features > 1:  # one that is not along an axis
        normals[0] = 0.0
        normals[0, :2] = [0.6, -0.8]
    quorum = int(rng.integers(0, neurons + 1)) if neurons > 1 else 1
    thresholds = rng.integers(-2, 3, neurons) / 2
    network = HalfSpaces(normals, thresholds, quorum)
    X = rng.integers(-3, 4, (count, features)) / 2
    held = np.greater_equal(X @ normals.T, thresholds).sum(axis=1)
    y = held % 2 == 1 if quorum == ODD else held >= quorum
    flips = rng.choice([0.0, 0.02, 0.15, 0.5])
    y = y ^ (rng.random(count) < flips)
    weight = [
        np.ones(count),
        rng.integers(1, 5, count).astype(float),
        rng.uniform(0.01, 2.0, count),
        np.full(count, 0.01),
    ][seed % 4]
    return network, points_of(X, y, weight), [0.0, 0.5, 1.0, 4.0][int(rng.integers(0, 4))]


@pytest.mark.parametrize("seed", range(60))
def test_bits_on_lattices_are_those_of_the_plain_code(seed):
    network, points, shortness = lattice_case(seed)
    labels, parameters, slope, lapse = plain_code(network, points, shortness)
    found = code_length(network, points, shortness)
    assert found.labels == pytest.approx(labels, **EXACT)
    names = naming_bits(network, len(points.columns))
    assert found.rule == pytest.approx(parameters + names, **EXACT)
    assert found.named_rule == pytest.approx(found.rule)
    assert (found.slope, found.lapse) == pytest.approx((slope, lapse), rel=1e-12)
    assert found.total(shortness) == pytest.approx(labels + shortness * found.rule)
    along = {network.features}
    on_path = code_length(network, points, shortness, along)
    assert on_path.named_rule == found.rule
    saved = names - naming_bits(network, len(points.columns), along)
    assert on_path.rule == pytest.approx(found.rule - saved)
    assert on_path.named_total(2.0) == pytest.approx(labels + 2.0 * found.rule)
    assert on_path.total(2.0) == pytest.approx(labels + 2.0 * on_path.rule)


@pytest.mark.parametrize("rows", [0.02, 1.0, 2.0, 3.0, 98.0, 98.5, 200.0])
def test_no_lapse_is_below_one_in_all_rows_and_two(rows):
    """And none above a quarter, however few rows there are."""
    X = np.array([[-3.0], [-2.0], [2.0], [3.0]])
    points = points_of(X, [0, 0, 1, 1], np.full(4, rows / 4))
    network = HalfSpaces(np.ones((1, 1)), np.zeros(1), 1)
    found = code_length(network, points, 0.0)
    assert found.lapse == pytest.approx(min(1 / (rows + 2), 0.25))
    assert found.labels == pytest.approx(-rows * math.log2(1 - found.lapse), rel=1e-3)


def test_slopes_end_at_a_quarter_and_less_and_at_hundreds():
    """Where distances tell nothing the slope is the least, where they are tiny the largest."""
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]] * 10)
    network = HalfSpaces(np.ones((1, 1)), np.zeros(1), 1)
    found = {}
    for name, scale, y in (("noise", 30.0, [0, 1, 0, 1]), ("sure", 1e-3, [0, 0, 1, 1])):
        points = points_of(scale * X, y * 10, np.ones(40))
        found[name] = code_length(network, points, 0.0).slope
        assert found[name] == plain_code(network, points, 0.0)[2]
    assert found["noise"] == pytest.approx(2**-3.75)
    assert found["sure"] == pytest.approx(2**9.75)


@pytest.mark.parametrize("features", range(1, 9))
def test_names_are_counted(features):
    """Sets of features by their number, those of more than half as those of half of them."""
    for sizes in itertools.product(range(1, features + 1), repeat=2):
        normals = np.zeros((2, features))
        for normal, k in zip(normals, sizes, strict=True):
            normal[-k:] = -0.5
        pair = naming_bits(HalfSpaces(normals, np.zeros(2), 2), features)
        each = [
            math.log2(k * (k + 1)) + math.log2(math.comb(features, min(k, features // 2)))
            for k in sizes
        ]
        assert pair == pytest.approx(math.log2(6) + math.log2(3) + sum(each))
        single = HalfSpaces(normals[:1], np.zeros(1), 1)
        assert naming_bits(single, features) == pytest.approx(2 + each[0])
        used = tuple(range(features - sizes[0], features))
        for path in ({used}, {used, (9,)}, {used, (9,), (8,), (7,)}):
            assert naming_bits(single, features, path) == pytest.approx(2 + math.log2(len(path)))


def test_the_constant_answer_costs_its_labels_only():
    for share in (0.0, 0.25, 0.5, 1.0):
        points = points_of(np.zeros((4, 1)), np.arange(4) < 4 * share, np.full(4, 2.5))
        for positive in (True, False):
            found = code_length(HalfSpaces.constant(1, positive), points, 3.0)
            assert found == CodeLength(10 * entropy(share), 0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("quorum", range(5))
def test_joined_distances_are_those_to_another_answer(quorum):
    """The answer stays while all margins change by less, and changes with a little more."""
    rng = np.random.default_rng(quorum)
    values = [-1.0, -0.5, 0.0, 0.5, 1.0]
    margins = np.array([*itertools.product(values, repeat=4)]).T

    def holds(some):
        held = (some >= 0).sum(axis=0)
        return held % 2 == 1 if quorum == ODD else held >= quorum

    found = joined_distance(margins, quorum)
    assert (holds(margins) == ((found > 0) | ((found == 0) & ~np.signbit(found)))).all()
    for _ in range(40):
        moved = margins + rng.uniform(-1, 1, margins.shape) * (abs(found) - 1e-9).clip(0)
        assert (holds(moved) == holds(margins))[found != 0].all()
    others = [
        holds(margins + np.array(signs)[:, None] * (abs(found) + 1e-9)) != holds(margins)
        for signs in itertools.product([-1, 0, 1], repeat=4)
    ]
    assert np.any(others, axis=0).all()


def made_candidate(labels, rule, named, terms, bits=None, neurons=1):
    """A candidate with given bits."""
    normals = np.zeros((neurons, 9))
    for k in range(terms):
        normals[k % neurons, k] = 1.0
    network = HalfSpaces(normals[: neurons if terms else 0], np.zeros(neurons if terms else 0), 1)
    code = CodeLength(labels, rule, named, 1.0, 0.0)
    return Candidate(network, code, labels + 0.5 * rule if bits is None else bits)


def search_over(candidates, **limits):
    """A search whose candidates are given, after the constant answer of 40 bits."""
    usual = {"shortness": 0.5, "max_terms": 10**9, "max_neurons": 8, "outputs": ("or",)}
    points = points_of(np.zeros((40, 1)), np.arange(40) % 2, np.ones(40))
    made = Search(points, SearchOptions(**usual | limits, evaluations=0), np.random.SeedSequence(0))
    for one in candidates:
        made.add(one)
    made.best = made.choose()
    return made


def test_the_best_candidate_takes_the_fewest_bits_and_tells_something_by_the_strict_count():
    short = made_candidate(20.0, 10.0, 10.0, 1)
    exact = made_candidate(10.0, 40.0, 40.0, 3)  # 38 bits in the strict count
    dear = made_candidate(5.0, 20.0, 50.0, 4)  # exactly 40 bits: not fewer
    assert search_over([short, exact, dear]).best is short
    assert search_over([exact, dear]).best is exact
    nothing = search_over([dear])
    assert nothing.best is nothing.candidates[0]
    assert nothing.best.bits == 5.0 + STRICT_SHORTNESS * 50.0
    assert search_over([dear], shortness=1.0).best.network.neurons == 0
    # limits are inclusive
    assert search_over([short, exact], max_terms=1).best is short
    assert search_over([exact], max_terms=3).best is exact
    assert search_over([exact], max_terms=2).best.network.terms == 0
    wide = made_candidate(10.0, 10.0, 10.0, 3, neurons=3)
    assert search_over([short, wide], max_neurons=3).best is wide
    assert search_over([short, wide], max_neurons=2).best is short


def test_of_equal_bits_fewer_terms_then_fewer_half_spaces_decide():
    three = made_candidate(10.0, 10.0, 10.0, 3)
    two = made_candidate(10.0004, 10.0, 10.0, 2)  # equal to a thousandth
    pair = made_candidate(10.0, 10.0, 10.0, 2, neurons=2)
    assert search_over([three, two, pair]).best is two
    assert search_over([pair, three]).best is pair
    less = made_candidate(9.998, 10.0, 10.0, 3)
    assert search_over([two, less]).best is less


def test_the_path_of_a_search_has_the_best_labels_of_each_size():
    rng = np.random.default_rng(0)
    for seed in range(200):
        candidates = [
            made_candidate(
                float(rng.integers(5, 45)),
                *[float(rng.integers(1, 30))] * 2,
                int(rng.integers(1, 6)),
                neurons=int(rng.integers(1, 3)),
            )
            for _ in range(rng.integers(0, 9))
        ]
        most = int(rng.integers(0, 6))
        wide = int(rng.integers(1, 3))
        found = search_over(candidates, max_terms=most, max_neurons=wide)
        path = found.path()
        assert found.best in path
        allowed = [
            one
            for one in found.candidates
            if one.network.terms <= most and one.network.neurons <= wide
        ]
        assert all(one in allowed for one in path)
        assert [one.network.terms for one in path] == sorted({one.network.terms for one in path})
        for one in allowed:
            size = one.network.terms
            shorter = [other for other in path if other.network.terms <= size]
            least = min(other.code.labels for other in shorter)
            assert least <= one.code.labels or size == found.best.network.terms, seed
        labels = [one.code.labels for one in path if one is not found.best]
        assert all(np.diff(labels) < 0) or found.best.network.terms == 0


@pytest.mark.parametrize("outputs", [("or",), ("and",), ("xor",), ("at_least",), None])
def test_ways_to_join_half_spaces(outputs):
    some = outputs or ("or", "and", "xor", "at_least")
    limits = SearchOptions(0.5, 9, 8, some, 0)
    for neurons in range(2, 9):
        wanted = {"or": 1, "and": neurons, "xor": ODD}
        if neurons in (3, 5, 7):
            wanted["at_least"] = {3: 2, 5: 3, 7: 4}[neurons]
        assert limits.quorums(neurons) == [wanted[name] for name in some if name in wanted]


def test_growing_costs_of_a_term_begin_with_half_a_row_and_stay_below_all(monkeypatch):
    from hyperna.classifier import search as module

    for rows in (4.0, 32.0, 32.5, 256.0, 257.0):
        points = points_of(np.zeros((4, 2)), [0, 1, 0, 1], np.full(4, rows / 4))
        made = Search(points, SearchOptions(0.5, 9, 8, ("or",), 7), np.random.SeedSequence(0))
        costs = []

        def kept(points, network, cost, evaluations, rng, costs=costs):
            costs.append(cost)
            assert evaluations == 7
            return network

        monkeypatch.setattr(module, "evolved", kept)
        pair = HalfSpaces(np.array([[0.6, 0.8]]), np.zeros(1), 1)
        assert len(made.evolved_along_costs(pair, None)) == len(costs)
        assert costs == [c for c in (0.5, 4.0, 32.0, 256.0) if c < rows]
        assert costs[0] == FIRST_COST
        alone = HalfSpaces(np.array([[0.0, 1.0]]), np.zeros(1), 1)
        assert made.evolved_along_costs(alone, None) == [], "nothing is shorter than a term"


def test_a_condition_has_a_positive_first_term_in_writing():
    rising = Condition((0, 1), (1.0, -0.5), -0.0, 2.0, (1.0, 0.5))
    falling = Condition((0, 1), (-1.0, 0.5), 3.0, 2.0, (1.0, 0.5))
    assert rising.written == ((1.0, -0.5), ">", 0.0)
    assert falling.written == ((1.0, -0.5), "<", -3.0)
    assert math.copysign(1, rising.written.threshold) == 1
    X = np.array([[1.0, 2.0], [2.0, 2.0], [-4.0, -2.0], [-3.0, 0.0]])
    assert rising.holds(X).tolist() == [False, True, False, False]
    assert falling.holds(X).tolist() == [False, False, False, False]
    assert falling.distance(X).tolist() == [-1.5, -2.0, -5e-324, -5e-324]


@pytest.mark.parametrize("features", [5, 11, 12, 13, 14, 20, 21, 30])
def test_networks_begin_on_all_features_and_on_the_first_of_the_path_if_these_are_few(features):
    """Fewer than half of those with the largest weights, of which there are twenty at most."""
    rng = np.random.default_rng(features)
    X = rng.normal(size=(80, features))
    y = X[:, :7].sum(axis=1) + rng.normal(size=80) > 0
    made = Search(
        points_of(X, y, np.ones(80)),
        SearchOptions(0.0, 10**9, 3, ("or",), 0),
        np.random.SeedSequence(0),
    )
    on_all = made.add_half_spaces().network
    largest, *few = made.feature_choices(largest_weights(on_all, MOST_FEATURES))
    full = made.candidates[len(made.lasso_sets)]  # after the constant answer
    assert full.network.terms == features
    weight = np.abs(full.network.normals[0])
    assert len(largest) == min(features, 20)
    assert sorted(largest) == largest.tolist()
    assert min(weight[largest]) >= max(np.delete(weight, largest), default=0.0)
    sizes = [len(support) for support in made.lasso_sets if len(support) <= 6]
    wanted = [max(sizes)] if 2 * max(sizes) < len(largest) else []
    assert [len(some) for some in few] == wanted
    assert all(tuple(some.tolist()) in made.lasso_sets for some in few)


@pytest.mark.parametrize("fruitful", [(), (2,), (3,), (4,), (2, 4), (3, 4, 6)])
def test_larger_networks_are_tried_until_two_sizes_in_a_row_do_not_help(fruitful):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    points = points_of(X, X[:, 0] > rng.normal(size=300), np.ones(300))
    made = Search(points, SearchOptions(0.0, 10**9, 8, ("or",), 0), np.random.SeedSequence(0))
    tried = []

    def found(_, shapes):
        [(neurons, _)] = shapes
        tried.append(neurons)
        helpful = made_candidate(150.0 - neurons, 0.0, 0.0, 2, neurons=2)
        return [[helpful] if neurons in fruitful else []]

    made.add_half_spaces()
    made.grow([np.arange(3)], found, print)
    wanted, fruitless, neurons = [], 0, 2
    while fruitless < 2 and neurons <= 8:
        wanted.append(neurons)
        fruitless = 0 if neurons in fruitful else fruitless + 1
        neurons += 1
    assert tried == wanted
