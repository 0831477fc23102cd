"""Evolution of errors plus terms: the kernel beside a plain loop with the same random draws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperna._kernels.short_rules import LabelledColumns, RuleMoves, evolve_rule
from hyperna._kernels.tables import alias_table

WORD = 2**64
RESOLUTION = 64


class Stream:
    """xoshiro256++ and the draws built on it, in plain Python."""

    def __init__(self, words):
        self.words = [int(word) for word in words]

    def word(self):
        a, b, c, d = self.words
        total = (a + d) % WORD
        result = (((total << 23) | (total >> 41)) + a) % WORD
        shifted = (b << 17) % WORD
        c ^= a
        d ^= b
        turned = ((d << 45) | (d >> 19)) % WORD
        self.words = [a ^ d, b ^ c, c ^ shifted, turned]
        return result

    def uniform(self):
        return (self.word() >> 11) * 2.0**-53

    def below(self, bound):
        mask = (1 << (bound - 1).bit_length()) - 1
        while True:
            value = self.word() & mask
            if value < bound:
                return value

    def odd(self):
        return self.word() & 1 == 1

    def geometric(self, log_stay):
        return math.floor(math.log(self.uniform() + 2.0**-53) / log_stay)

    def step(self, moves):
        word = self.word()
        bits = moves.length_bits
        index = word >> (64 - bits)
        entry = int(moves.lengths[index])
        low = (1 << bits) - 1
        kept = ((((word << bits) % WORD) >> 1) | low) < entry
        length = index if kept else entry & low
        return (1 if word & 1 else -1) * (1 + length) / moves.resolution


def cost_of(data, quorum, term_cost, weights, thresholds):
    """Errors and terms, from nothing."""
    fires = (weights @ data.columns >= thresholds[:, None]).sum(axis=0)
    answer = fires % 2 == 1 if quorum == 0 else fires >= quorum
    errors = int(data.weight[answer != (data.label == 1)].sum())
    terms = int(np.count_nonzero(weights))
    return errors + term_cost * terms, errors, terms


def plain_evolution(data, quorum, moves, term_cost, budget, weights, thresholds, words):
    """The loop as the module's docstring tells it."""
    stream = Stream(words)
    neurons, features = weights.shape
    cost, errors, terms = cost_of(data, quorum, term_cost, weights, thresholds)
    for _ in range(budget):
        W, t, allowed = weights.copy(), thresholds.copy(), True
        if moves.losing > 0 and stream.uniform() < moves.losing:
            i = stream.below(neurons)
            W[i] = 0.0
            t[i] = 1.0 if stream.odd() else -1.0
        else:
            slot = stream.below(neurons * features)
            log_stay = math.log1p(-moves.probability) if 0 < moves.probability < 1 else -1.0
            if moves.probability > 0:
                slot = 0 if moves.probability == 1 else stream.geometric(log_stay)
            while slot < neurons * features:
                i = slot // features
                steps = slot % features == features - 1
                if moves.probability == 0 and moves.threshold > 0 and not steps:
                    steps = stream.uniform() < moves.threshold
                if steps:
                    t[i] += 2.0 * stream.step(moves)
                    allowed &= abs(t[i]) <= 1.0
                else:
                    j, k = stream.below(features), stream.below(features - 1)
                    k += k >= j
                    tries = 0
                    while moves.probability == 0 and W[i, j] == W[i, k] == 0 and tries < features:
                        j, k = stream.below(features), stream.below(features - 1)
                        k += k >= j
                        tries += 1
                    u, v = W[i, j], W[i, k]
                    if stream.uniform() < moves.zeroing:
                        a, b = 0.0, math.copysign(math.hypot(u, v), v)
                        if v == 0 and stream.odd():
                            b = -b
                    else:
                        angle = 2.0 * math.pi * stream.step(moves)
                        a = u * math.cos(angle) - v * math.sin(angle)
                        b = u * math.sin(angle) + v * math.cos(angle)
                    allowed &= data.signs[j] * a >= 0 and data.signs[k] * b >= 0
                    W[i, j], W[i, k] = a, b
                if moves.probability == 0:
                    break
                slot += 1
                if moves.probability < 1:
                    slot += stream.geometric(log_stay)
        new = cost_of(data, quorum, term_cost, W, t)
        if allowed and new[0] <= cost:
            weights, thresholds, (cost, errors, terms) = W, t, new
    return weights, thresholds, errors, terms


def labelled(rng, points, features, signs=None):
    columns = rng.normal(size=(features, points))
    columns /= np.sqrt((columns**2).sum(axis=0).max())
    label = (columns[0] + 0.3 * rng.normal(size=points) > 0).astype(np.int64)
    weight = rng.integers(1, 5, points)
    signs = np.zeros(features, np.int64) if signs is None else signs
    return LabelledColumns(columns, label, weight, signs)


def started(rng, neurons, features):
    weights = rng.normal(size=(neurons, features))
    weights /= np.sqrt((weights**2).sum(axis=1))[:, None]
    return weights, rng.uniform(-0.3, 0.3, neurons)


@given(
    seed=st.integers(0, 2**32),
    neurons=st.integers(1, 3),
    features=st.integers(1, 5),
    points=st.integers(2, 300),
    term_cost=st.integers(0, 12),
    probability=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    threshold=st.sampled_from([0.0, 0.3]),
    zeroing=st.sampled_from([0.0, 0.4]),
    losing=st.sampled_from([0.0, 0.05]),
    signed=st.booleans(),
    odd=st.booleans(),
)
def test_the_kernel_takes_the_steps_of_the_plain_loop(
    seed, neurons, features, points, term_cost, probability, threshold, zeroing, losing, signed, odd
):
    rng = np.random.default_rng(seed)
    signs = rng.integers(-1, 2, features) if signed else None
    data = labelled(rng, points, features, signs)
    weights, thresholds = started(rng, neurons, features)
    if signed:
        weights = np.where(data.signs == 0, weights, np.abs(weights) * data.signs)
    lengths, bits = alias_table(1.0 / np.arange(1, RESOLUTION + 1))
    moves = RuleMoves(lengths, bits, RESOLUTION, probability, threshold, zeroing, losing)
    quorum = 0 if odd and neurons > 1 else int(rng.integers(1, neurons + 1))
    words = rng.integers(1, 2**63, 4, dtype=np.uint64)
    plain = plain_evolution(
        data, quorum, moves, term_cost, 60, weights.copy(), thresholds.copy(), words
    )
    made = weights.copy(), thresholds.copy()
    found = evolve_rule(data, quorum, moves, term_cost, 60, *made, words.copy())
    assert found == plain[2:]
    np.testing.assert_allclose(made[0], plain[0], atol=1e-12)
    np.testing.assert_allclose(made[1], plain[1], atol=1e-12)
    assert ((made[0] == 0) == (plain[0] == 0)).all()


@pytest.mark.parametrize("seed", range(20))
def test_a_threshold_may_be_one_and_no_more(seed):
    """Far outside all points every threshold is as good: it walks as far as it may."""
    rng = np.random.default_rng(seed)
    data = labelled(rng, 20, 2)
    data = data._replace(columns=0.2 * data.columns)
    lengths, bits = alias_table(np.ones(8))
    moves = RuleMoves(lengths, bits, 8, 0.0, 1.0, 0.0, 0.0)
    weights, thresholds = np.eye(2), np.array([0.75, -0.75])
    ends = set()
    for _ in range(40):
        words = rng.integers(1, 2**63, 4, dtype=np.uint64)
        plain = plain_evolution(data, 1, moves, 0, 3, weights, thresholds, words)
        made = weights.copy(), thresholds.copy()
        assert evolve_rule(data, 1, moves, 0, 3, *made, words) == plain[2:]
        assert made[1].tolist() == plain[1].tolist()
        ends |= set(made[1].tolist())
    assert {-1.0, 1.0} & ends
    assert max(map(abs, ends)) == 1.0


@pytest.mark.parametrize("quorum", [0, 1, 2, 3])
def test_errors_and_terms_are_those_of_the_rule_after_many_accepted_moves(quorum):
    rng = np.random.default_rng(quorum)
    data = labelled(rng, 1000, 6)
    lengths, bits = alias_table(1.0 / np.arange(1, 4097))
    moves = RuleMoves(lengths, bits, 4096, 0.0, 0.3, 0.36, 0.002)
    weights, thresholds = started(rng, 3, 6)
    words = rng.integers(1, 2**63, 4, dtype=np.uint64)
    found = evolve_rule(data, quorum, moves, 3, 20_000, weights, thresholds, words)
    assert found == cost_of(data, quorum, 3, weights, thresholds)[1:]
    length = np.sqrt((weights**2).sum(axis=1))
    assert np.all((np.abs(length - 1) < 1e-9) | (length == 0))


def test_a_dear_term_is_given_up_and_a_cheap_one_is_not():
    """Three features of eight decide; the right rule has exactly these three terms."""
    rng = np.random.default_rng(5)
    columns = rng.uniform(-1, 1, (8, 400)) / np.sqrt(8)
    label = (columns[0] > -0.15) & (columns[3] < 0.15) & (columns[5] < 0.2)
    weight = np.ones(400, np.int64)
    data = LabelledColumns(columns, label.astype(np.int64), weight, np.zeros(8, np.int64))
    lengths, bits = alias_table(1.0 / np.arange(1, 65537))
    moves = RuleMoves(lengths, bits, 65536, 0.0, 0.3, 0.36, 0.0)
    found = {}
    for cost in (1, 1000):
        best = None
        for _ in range(5):
            weights, thresholds = started(rng, 3, 8)
            words = rng.integers(1, 2**63, 4, dtype=np.uint64)
            made = evolve_rule(data, 3, moves, cost, 30_000, weights, thresholds, words)
            total = made[0] + cost * made[1]
            if best is None or total < best[0]:
                best = total, made, np.flatnonzero(weights.any(axis=0)).tolist()
        found[cost] = best
    assert found[1][1] == (0, 3)
    assert found[1][2] == [0, 3, 5]
    assert found[1000][1][1] <= 3


@pytest.mark.parametrize("seed", range(60))
def test_points_on_thresholds_are_inside_and_equal_costs_are_accepted(seed):
    """On a lattice, whose sums are exact: margins of 0, equal costs, and blocks that just fill."""
    rng = np.random.default_rng(seed)
    features = int(rng.integers(2, 5))
    neurons = int(rng.integers(1, 4))
    points = int(rng.choice([1, 2, 127, 128, 129, 256, 257]))
    columns = rng.integers(-8, 9, (features, points)) / 16
    signs = rng.integers(-1, 2, features) if seed % 2 else np.zeros(features, np.int64)
    label = (columns[0] >= columns[1]).astype(np.int64) ^ (rng.random(points) < 0.1)
    data = LabelledColumns(columns, label, rng.integers(1, 3, points), signs)
    weights = np.zeros((neurons, features))
    places = rng.integers(0, features, neurons)
    weights[np.arange(neurons), places] = np.where(signs[places] == 0, 1.0, signs[places])
    thresholds = rng.integers(-8, 9, neurons) / 16
    lengths, bits = alias_table(1.0 / np.arange(1, 9))
    losing = [0.0, 0.1][int(rng.integers(0, 2))]
    moves = RuleMoves(lengths, bits, 32, 0.0, 0.5, 1.0, losing)
    quorum = int(rng.integers(0, neurons + 1)) if neurons > 1 else 1
    words = rng.integers(1, 2**63, 4, dtype=np.uint64)
    cost = int(rng.integers(0, 4))
    plain = plain_evolution(data, quorum, moves, cost, 150, weights.copy(), thresholds, words)
    made = weights.copy(), thresholds.copy()
    assert evolve_rule(data, quorum, moves, cost, 150, *made, words.copy()) == plain[2:]
    assert made[0].tolist() == plain[0].tolist()
    assert made[1].tolist() == plain[1].tolist()


@pytest.mark.parametrize("seed", range(12))
def test_weights_keep_their_signs_and_may_be_zero(seed):
    rng = np.random.default_rng(seed)
    signs = np.array([1, -1, 0, 1])
    data = labelled(rng, 60, 4, signs)
    weights, thresholds = started(rng, 2, 4)
    weights = np.where(signs == 0, weights, np.abs(weights) * signs)
    lengths, bits = alias_table(1.0 / np.arange(1, RESOLUTION + 1))
    moves = RuleMoves(lengths, bits, RESOLUTION, 0.0, 0.3, 0.4, 0.0)
    words = rng.integers(1, 2**63, 4, dtype=np.uint64)
    evolve_rule(data, 1, moves, 1, 3000, weights, thresholds, words)
    assert (signs * weights >= 0).all()
    assert (weights == 0).any()
