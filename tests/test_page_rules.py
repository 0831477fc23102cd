"""The search for rules on the play page beside a plain one with the same random draws."""

import math

import numpy as np
import pytest
from exported import NODE
from page_in_node import page_runner
from play_reference import Xoshiro

pytestmark = pytest.mark.skipif(NODE is None, reason="needs Node")

JOINS = {
    "and": lambda fire, size: fire == size,
    "or": lambda fire, size: fire > 0,
    "two": lambda fire, size: fire >= 2,
    "xor": lambda fire, size: fire % 2 == 1,
}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return page_runner(tmp_path_factory.mktemp("page"))


def normal(stream):
    length = math.sqrt(-2 * math.log(stream.uniform() + 2**-53))
    return length * math.cos(2 * math.pi * stream.uniform())


def random_rule(points, size, stream):
    """Half-spaces with random normals through random points: weights and a threshold each."""
    rule = []
    for _ in range(size):
        w = np.array([normal(stream) for _ in points[0]])
        w /= np.linalg.norm(w)
        rule.append((w, points[stream.below(len(points))] @ w))
    return rule


def size_of(rule, points, labels, join):
    """Errors and terms."""
    fire = sum((points @ w >= t).astype(int) for w, t in rule)
    wrong = JOINS[join](fire, len(rule)) != labels
    return int(wrong.sum()), sum(int(np.count_nonzero(w)) for w, _ in rule)


def offspring(rule, join, features, stream):
    """A changed copy, or None where a move is impossible."""
    i = stream.below(len(rule))
    kind = stream.uniform()
    step = 1e-4 ** stream.uniform()
    step *= 1 if stream.uniform() < 0.5 else -1
    w, t = rule[i]
    if kind < 0.02:
        fewest = 2 if join == "two" else 1
        return None if len(rule) == fewest else rule[:i] + rule[i + 1 :]
    if features == 1 or kind < 0.02 + 0.3:
        t = t + 2 * step
        return None if abs(t) > 1 else [*rule[:i], (w, t), *rule[i + 1 :]]
    j = stream.below(features)
    k = [other for other in range(features) if other != j][stream.below(features - 1)]
    if w[j] == 0 and w[k] == 0:
        return None
    angle = math.pi * step
    if kind < 0.02 + 0.3 + 0.25:
        turned = 0.0, math.copysign(math.hypot(w[j], w[k]), -1 if w[k] < 0 else 1)
    else:
        c, s = math.cos(angle), math.sin(angle)
        turned = w[j] * c - w[k] * s, w[j] * s + w[k] * c
    w = w.copy()
    w[j], w[k] = turned
    return [*rule[:i], (w, t), *rule[i + 1 :]]


def evolved(rule, points, labels, join, term_cost, count, stream):
    """Every rule that is kept, with its errors and terms: it costs no more, an error 4."""
    errors, terms = size_of(rule, points, labels, join)
    heard = [(rule, errors, terms)]
    for _ in range(count):
        other = offspring(rule, join, points.shape[1], stream)
        if other is None:
            continue
        wrong, size = size_of(other, points, labels, join)
        if 4 * wrong + term_cost * size <= 4 * errors + term_cost * terms:
            rule, errors, terms = other, wrong, size
            heard.append((rule, errors, terms))
    return heard


@pytest.mark.parametrize("term_cost", [0, 2, 5, 16])
@pytest.mark.parametrize("join", JOINS)
def test_rules_evolve_as_in_plain_python(page, join, term_cost):
    rng = np.random.default_rng(1)
    cases = []
    for features, size in [(1, 2), (2, 3), (4, 3)]:
        points = rng.uniform(-0.5, 0.5, (30, features))
        labels = (points[:, 0] * points[:, -1] > 0.05) ^ (rng.random(30) < 0.1)
        cases.append((points, labels, size))
    asked = [[p.T.tolist(), y.astype(int).tolist(), size] for p, y, size in cases]
    found = page(
        ["rules/evolve.js", "engine/random.js"],
        """const { evolve, randomNetwork } = modules["rules/evolve.js"];
        const { Stream } = modules["engine/random.js"];
        const [asked, join, termCost] = given;
        return asked.map(([columns, labels, size]) => {
          const stream = new Stream(3, size), heard = [];
          const words = Array.from(stream.state, (half) => half >>> 0);
          const start = randomNetwork({ columns, labels }, join, size, stream);
          for (const neuron of start.neurons) neuron.t += 0.01; // no point is on a border
          const copy = (network) => network.neurons.map(({ w, t }) => [[...w], t]);
          const before = copy(start);
          const last = evolve(start, { termCost, offspring: 700, stream,
            found: (network, ...told) => heard.push([copy(network), ...told]) });
          return { words, heard, kept: [before, copy(start)], last: copy(last) };
        });""",
        asked,
        join,
        term_cost,
    )
    for (points, labels, size), one in zip(cases, found, strict=True):
        halves = one["words"]
        stream = Xoshiro(
            [low + 2**32 * high for low, high in zip(halves[::2], halves[1::2], strict=True)]
        )
        rule = [(w, t + 0.01) for w, t in random_rule(points, size, stream)]
        wanted = evolved(rule, points, labels, join, term_cost, 700, stream)
        assert [told[1:] for told in one["heard"]] == [[e, n] for _, e, n in wanted]
        assert len(wanted) > 20
        for (neurons, *_), (other, *_) in zip(one["heard"], wanted, strict=True):
            assert len(neurons) == len(other)
            for (w, t), (weights, threshold) in zip(neurons, other, strict=True):
                assert w == pytest.approx(weights.tolist(), abs=1e-9)
                assert t == pytest.approx(threshold, abs=1e-9)
        assert one["last"] == one["heard"][-1][0]
        # the network that it began with is as it was
        assert one["kept"][0] == one["kept"][1]


def test_weights_get_the_digits_that_keep_points_apart(page):
    """With one digit both points would lie on the same line."""
    points = [[0, 1, 0], [1, 0, 1], [0, 0, 0]]
    rule, answers = page(
        ["rules/readable.js"],
        """const { holds, readable } = modules["rules/readable.js"];
        const neurons = [{ w: [1, 0.96], t: 0.98 }];
        const scaling = [{ mean: 0, factor: 1 }, { mean: 0, factor: 1 }];
        const rule = readable({ join: "and", neurons, terms: 2 }, scaling, given[0]);
        return [rule.conditions[0], given[0].map((point) => holds(rule, point))];""",
        points,
    )
    assert rule["weights"] == [1, 0.96]
    assert answers == [False, True, False]
