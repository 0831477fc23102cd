"""Bits of labels and rules beside a plain computation, and what they prefer."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import comb, expit

from hyperna.classifier.bits import LAPSES, code_length, entropy, least_bits, naming_bits
from hyperna.classifier.half_spaces import ODD, HalfSpaces
from hyperna.classifier.table import StandardPoints


def points_of(X, y, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    columns = np.ascontiguousarray(np.asarray(X, float).T)
    return StandardPoints(
        columns, np.asarray(y, np.int64), weight, np.arange(len(columns)), len(columns)
    )


def plain_bits(network, points, slope, lapse):
    """Bits of labels and parameters at a slope and a lapse, width by width, as the paper has it."""
    margins = network.normals @ points.columns - network.thresholds[:, None]
    if network.quorum == ODD:
        decides = np.abs(margins).argmin(axis=0)
        sign = np.where((margins >= 0).sum(axis=0) % 2 == 1, 1.0, -1.0)
        distance = sign * np.abs(margins).min(axis=0)
    else:
        order = np.argsort(-margins, axis=0, kind="stable")
        decides = order[network.quorum - 1]
        distance = np.take_along_axis(margins, decides[None], axis=0)[0]
    chance = expit(slope * distance)
    told = lapse + (1 - 2 * lapse) * np.where(points.label == 1, chance, 1 - chance)
    labels = -points.weight @ np.log2(told)
    share = points.weight * chance * (1 - chance)
    information = []
    for i in range(network.neurons):
        own = decides == i
        for j in np.flatnonzero(network.normals[i]):
            information.append(0.25 + share[own] @ points.columns[j, own] ** 2)
        information.append(0.25 + share[own].sum())
    parameters = math.inf
    for octave in range(-3, 7):
        width = 2.0**octave
        bits = 0.5 * math.log2(math.e) * network.neurons * (slope / width) ** 2
        bits += 0.5 * np.log2(1 + width**2 * np.array(information)).sum()
        parameters = min(parameters, bits)
    return labels, parameters


@given(
    seed=st.integers(0, 2**32),
    neurons=st.integers(1, 4),
    features=st.integers(1, 4),
    shortness=st.sampled_from([0.0, 0.5, 1.0]),
    odd=st.booleans(),
    data=st.data(),
)
def test_bits_are_those_of_the_plain_computation(seed, neurons, features, shortness, odd, data):
    quorum = ODD if odd and neurons > 1 else data.draw(st.integers(1, neurons))
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(neurons, features))
    weights[rng.random(weights.shape) < 0.3] = 0.0
    weights[:, 0] += (~weights.any(axis=1)).astype(float)
    network = HalfSpaces.made(weights, rng.normal(size=neurons), quorum)
    X = rng.normal(size=(60, features))
    weight = rng.integers(1, 4, 60).astype(float) if seed % 2 else np.ones(60)
    points = points_of(X, rng.integers(0, 2, 60), weight)
    code = code_length(network, points, shortness)
    labels, parameters = plain_bits(network, points, code.slope, code.lapse)
    assert code.labels == pytest.approx(labels, rel=1e-6)
    assert code.rule == pytest.approx(parameters + naming_bits(network, features), rel=1e-6)
    if network.neurons > 1:
        assert code.total(shortness) > least_bits(network.neurons, points, shortness)
    # no slope or lapse nearby makes the whole shorter, and none of a coarse grid by much
    total = labels + shortness * parameters
    lapses = np.maximum(LAPSES, 1 / (weight.sum() + 2))
    for slope in (code.slope * 2**0.25, code.slope / 2**0.25):
        if 0.25 <= slope <= 256:
            for lapse in lapses:
                nearby = plain_bits(network, points, slope, lapse)
                assert nearby[0] + shortness * nearby[1] >= total - 1e-6
    for lapse in lapses:
        other = plain_bits(network, points, code.slope, lapse)
        assert other[0] + shortness * other[1] >= total - 1e-6


@pytest.mark.parametrize("neurons", [1, 2])
def test_bits_of_steep_rules_are_those_of_the_plain_computation(neurons):
    """Where no label is wrong the slope is the steepest, and the weights are as wide as can be."""
    rng = np.random.default_rng(neurons)
    network = HalfSpaces.made(rng.normal(size=(neurons, 2)), np.zeros(neurons), neurons)
    X = rng.normal(size=(60, 2))
    margins = X @ network.normals.T - network.thresholds
    answers = (margins >= 0).all(axis=1)
    points = points_of(X, answers)
    code = code_length(network, points, 0.0)
    labels, parameters = plain_bits(network, points, code.slope, code.lapse)
    assert code.slope > 100
    assert code.labels == pytest.approx(labels, rel=1e-6)
    assert code.rule == pytest.approx(parameters + naming_bits(network, 2), rel=1e-6)


def test_the_constant_answer_takes_the_entropy():
    points = points_of([[0.0]] * 8, [0, 0, 0, 0, 0, 0, 1, 1])
    code = code_length(HalfSpaces.constant(1, False), points, 1.0)
    assert code.labels == pytest.approx(8 * entropy(0.25))
    assert code.rule == 0
    assert entropy(0.5) == 1
    assert entropy(0.0) == entropy(1.0) == 0


@given(features=st.integers(1, 60), data=st.data())
def test_names_are_a_code(features, data):
    """Each set of features has its own word, on the path or off it, and all fit in together."""
    k = data.draw(st.integers(1, features))
    normal = np.zeros((1, features))
    normal[0, :k] = 1.0
    network = HalfSpaces.made(normal, np.zeros(1), 1)
    bits = naming_bits(network, features)
    sets = comb(features, min(k, features // 2))
    assert bits == pytest.approx(2 + math.log2(k * (k + 1)) + math.log2(sets))
    # Kraft's inequality: over all sets of features the probabilities 2^-bits sum to at most 1/4,
    # and over those of the path to 1/4: together the share of rules with one half-space. For no
    # size has more sets than are counted.
    assert comb(features, k) <= sets
    sizes = np.arange(1, features + 1)
    assert (1 / (4 * sizes * (sizes + 1))).sum() <= 0.25
    path = {tuple(range(size)) for size in range(1, features + 1)}
    assert naming_bits(network, features, path) == pytest.approx(2 + math.log2(len(path)))


def test_features_of_networks_are_named_whatever_the_path():
    rng = np.random.default_rng(0)
    network = HalfSpaces.made(rng.normal(size=(2, 4)), np.zeros(2), 1)
    assert naming_bits(network, 4, {(0, 1, 2, 3)}) == naming_bits(network, 4)


@pytest.mark.parametrize("neurons", [2, 3])
def test_no_network_of_a_size_takes_fewer_bits_than_its_bound(neurons):
    """Points far from all borders take nothing but the lapse, and thresholds hardly anything."""
    points = points_of(np.full((8, 5), 1e3), [1] * 8)
    bound = least_bits(neurons, points, 0.5)
    names = math.log2(neurons * (neurons + 1)) + math.log2(neurons + 1) + neurons * math.log2(10)
    assert bound == pytest.approx(8 * math.log2(10 / 9) + 0.5 * names)
    assert least_bits(neurons + 1, points, 0.5) > bound
    network = HalfSpaces(np.eye(neurons, 5), np.zeros(neurons), 1)
    code = code_length(network, points, 0.5)
    assert code.labels == pytest.approx(8 * math.log2(10 / 9))
    assert bound < code.total(0.5) < bound + neurons


def test_noise_is_not_worth_a_rule_and_signal_is():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 5))
    half = HalfSpaces.made(np.eye(1, 5), np.zeros(1), 1)
    constant = HalfSpaces.constant(5, False)
    noise, signal = points_of(X, rng.integers(0, 2, 300)), points_of(X, X[:, 0] > 0)
    for points, better in ((noise, constant), (signal, half)):
        bits = {net: code_length(net, points, 1.0).total(1.0) for net in (half, constant)}
        assert min(bits, key=bits.get) is better


def test_distances_matter():
    """A border that is far from all points is told in fewer bits than one that nearly touches."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 200)
    X = np.where(y == 1, 1.0, -1.0)[:, None] * rng.uniform(0.5, 1.5, (200, 1))
    points = points_of(X, y)
    far, near = (HalfSpaces.made(np.ones((1, 1)), np.array([t]), 1) for t in (0.0, 0.45))
    assert code_length(far, points, 1.0).total(1.0) < code_length(near, points, 1.0).total(1.0)
