"""The smooth stand-in beside the sum over all patterns of hidden bits, and logistic regression."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import check_grad
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from hyperna._kernels.soft_rules import soft_loss


def layout(used):
    """Neuron and feature of each parameter; -1 is the threshold."""
    neuron, feature = [], []
    for i, row in enumerate(used):
        for j in [*np.flatnonzero(row).tolist(), -1]:
            neuron.append(i)
            feature.append(j)
    return np.array(neuron), np.array(feature)


def enumerated_loss(parameters, neuron, feature, columns, label, weight, quorum, penalty):
    """The same by adding up the probabilities of all patterns in which the network fires."""
    neurons = neuron[-1] + 1
    W, c = np.zeros((neurons, len(columns))), np.zeros(neurons)
    for value, i, j in zip(parameters, neuron, feature, strict=True):
        if j < 0:
            c[i] = value
        else:
            W[i, j] = value
    margin = W @ columns - c[:, None]
    chance = np.zeros((2, len(label)))
    for pattern in itertools.product([0, 1], repeat=neurons):
        count = sum(pattern)
        answer = count % 2 if quorum == 0 else int(count >= quorum)
        bits = np.array(pattern)[:, None]
        chance[answer] += np.prod(expit(np.where(bits == 1, margin, -margin)), axis=0)
    told = chance[label, np.arange(len(label))]
    return -weight @ np.log(np.maximum(told, 1e-9)) + 0.5 * penalty * (W**2).sum()


@given(
    seed=st.integers(0, 2**32),
    neurons=st.integers(1, 5),
    features=st.integers(1, 4),
    odd=st.booleans(),
    data=st.data(),
)
def test_loss_and_gradient(seed, neurons, features, odd, data):
    quorum = 0 if odd and neurons > 1 else data.draw(st.integers(1, neurons))
    rng = np.random.default_rng(seed)
    used = rng.random((neurons, features)) < 0.7
    neuron, feature = layout(used)
    points = 29 + seed % 4
    columns, label = rng.normal(size=(features, points)), rng.integers(0, 2, points)
    given_ = neuron, feature, columns, label, rng.uniform(0.2, 3.0, points), quorum, 0.3
    parameters, gradient = rng.normal(size=len(neuron)), np.zeros(len(neuron))
    loss = soft_loss(parameters, *given_, gradient)
    assert loss == pytest.approx(enumerated_loss(parameters, *given_), rel=1e-9)

    def value(v):
        return soft_loss(v, *given_, np.zeros(len(v)))

    def slope(v):
        found = np.zeros(len(v))
        soft_loss(v, *given_, found)
        return found

    assert check_grad(value, slope, parameters, seed=0) <= 1e-4 * (1 + np.abs(gradient).max())


def test_one_neuron_is_logistic_regression(monkeypatch):
    from hyperna.classifier import candidates
    from hyperna.classifier.table import StandardPoints

    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 4))
    y = (X @ [1.0, -0.5, 0.0, 0.2] + rng.logistic(size=200) > 0.3).astype(int)
    weight = rng.integers(1, 4, 200).astype(float)
    points = StandardPoints(np.ascontiguousarray(X.T), y, weight, np.arange(4), 4)
    monkeypatch.setattr(candidates, "SLIGHT_GAIN", 1e-12)
    found = candidates.smooth_fit(points, np.ones((1, 4), bool), 1, np.zeros((1, 5)), 1.0)
    theirs = LogisticRegression(C=1.0, tol=1e-8).fit(X, y, weight)
    np.testing.assert_allclose(found[0, :-1], theirs.coef_[0], atol=0.02)
    np.testing.assert_allclose(found[0, -1], -theirs.intercept_[0], atol=0.02)
