"""Networks of all dimensions, sizes, outputs and kinds of neurons: drawn, continued, written."""

from itertools import product

import numpy as np
import pytest
import reference
from samples import OUTPUTS

from hyperna import Grid, Network

SHAPES = [
    (dim, neurons, r, output)
    for dim, neurons, r, output in product((1, 2, 3, 5), (1, 2, 3), (8, 9), OUTPUTS)
    if output == "or" or neurons > 1
]


def joined(bits, output, w, t):
    """The answer of a network to the bits of its hidden neurons."""
    return bits @ w >= t if output == "evolved" else reference.joined(bits.T, output)


def unit_normal(angles):
    """The unit normal of some angles, by its definition."""
    rest, w = 1.0, []
    for angle in angles:
        w.append(rest * np.cos(angle))
        rest *= np.sin(angle)
    return np.array([*w, rest])


def by_hand(grid, genome, X):
    """Answers of a network to points, from the definitions; None where rounding may decide."""
    r, turn = grid.resolution, 2 * np.pi / grid.resolution
    rows = genome[: grid.output_start].reshape(grid.neurons, grid.width)
    margins = []
    for row in rows:
        directions = row[: grid.direction_width]
        w = unit_normal(directions * turn) if grid.dim > 1 else np.array([1.0 - 2 * directions[0]])
        b = 2 * row[grid.direction_width] / r - 1
        if grid.neuron == "plain":
            margins.append(X @ w - b)
        else:
            theta = np.pi * row[-1] / r
            away = X - b * w
            margins.append(away @ w - np.cos(theta) * np.linalg.norm(away, axis=1))
    margins = np.array(margins).T
    sure = (np.abs(margins) > 1e-9).all(axis=1)
    w, t = None, None
    bits = margins >= 0
    if grid.has_output_neuron:
        output = genome[grid.output_start :]
        w, t = unit_normal(output[:-1] * turn), 2 * output[-1] / r - 1
        sure &= np.abs(bits @ w - t) > 1e-9
    answers = bits[:, 0] if grid.neurons == 1 else joined(bits, grid.output, w, t)
    return answers, sure


@pytest.mark.parametrize(("dim", "neurons", "r", "output"), SHAPES)
@pytest.mark.parametrize("neuron", ["plain", "bent"])
def test_answers_are_those_of_the_definitions(dim, neurons, r, output, neuron):
    rng = np.random.default_rng(dim * neurons)
    grid = Grid(dim, neurons, r, output, neuron)
    X = rng.normal(size=(60, dim))
    compared = 0
    for _ in range(4):
        genome = grid.random(rng)
        network = Network(grid, genome)
        wanted, sure = by_hand(grid, genome, X)
        assert (network.predict(X) == wanted)[sure].all()
        compared += sure.sum()
        assert Network.from_json(network.to_json()) == network
    assert compared >= 60


@pytest.mark.parametrize(("dim", "neurons", "r", "output"), SHAPES)
def test_plain_neurons_continued_as_bent_ones_answer_the_same(dim, neurons, r, output):
    rng = np.random.default_rng(1)
    grid = Grid(dim, neurons, r, output)
    network = Network(grid, grid.random(rng))
    assert network.as_kind("plain") is network
    bent = network.as_kind("bent")
    assert bent.grid == Grid(dim, neurons, r, output, "bent")
    assert bent.as_kind("bent") is bent
    with pytest.raises(ValueError, match="cannot be continued"):
        bent.as_kind("plain")
    if grid.has_output_neuron:
        for one, other in zip(network.output_weights(), bent.output_weights(), strict=True):
            np.testing.assert_array_equal(one, other)
    else:
        assert network.output_weights() is bent.output_weights() is None
    if r % 2 == 0:  # a right angle is on the grid
        X = rng.normal(size=(80, dim))
        far = (np.abs(network.margin(X)) > 1e-9).all(axis=1)
        assert (network.predict(X) == bent.predict(X))[far].all()


@pytest.mark.parametrize(("dim", "neurons", "r", "output"), SHAPES)
@pytest.mark.parametrize("neuron", ["plain", "bent"])
@pytest.mark.parametrize("bias", [True, False])
def test_normals_of_the_sphere_are_drawn_after_the_grid(dim, neurons, r, output, neuron, bias):
    """Biases and bends are those of the same seed on the grid; directions are rounded normals."""
    grid = Grid(dim, neurons, r, output, neuron)
    if r % 2 and not bias:
        with pytest.raises(ValueError, match="resolution must be even"):
            grid.random(np.random.default_rng(7), "sphere", bias)
        return
    plain = grid.random(np.random.default_rng(7), "grid", bias)
    drawn = grid.random(np.random.default_rng(7), "sphere", bias)
    rng = np.random.default_rng(7)
    rng.integers(0, grid.moduli)
    W = rng.standard_normal((neurons, dim))
    flat = Grid(dim, neurons, r).from_weights(W, np.zeros(neurons)).reshape(neurons, -1)
    wanted = plain.copy()
    rows = wanted[: grid.output_start].reshape(neurons, grid.width)
    rows[:, : grid.direction_width] = flat[:, :-1]
    if grid.has_output_neuron:
        w = rng.standard_normal((1, neurons))
        wanted[grid.output_start : -1] = Grid(neurons, 1, r).from_weights(w, [0.0])[:-1]
    np.testing.assert_array_equal(drawn, wanted)
    zero = drawn[grid.bias_components] == r // 2
    assert zero.all() or bias
    assert len(grid.bias_components) == neurons + grid.has_output_neuron


@pytest.mark.parametrize(("dim", "neurons", "r", "output"), SHAPES)
def test_directions_are_turned_in_all_planes_of_their_space(dim, neurons, r, output):
    """Of the normals in R^D, and of an output neuron in R^N; biases and bends never."""
    for neuron in ("plain", "bent"):
        grid = Grid(dim, neurons, r, output, neuron)
        wanted = []
        for _ in range(neurons):
            wanted += [dim * (dim - 1)] * grid.direction_width
            wanted += [0] * (grid.width - grid.direction_width)
        if grid.has_output_neuron:
            wanted += [neurons * (neurons - 1)] * (neurons - 1) + [0]
        assert grid.rotations(1).pairs.tolist() == wanted
        assert not grid.rotations(1, planes=False).pairs.any()


@pytest.mark.parametrize("neurons", [2, 3, 4])
@pytest.mark.parametrize("r", [64, 65])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_weights_of_an_output_neuron_are_rounded_as_those_of_a_neuron(dim, neurons, r):
    """In its own space, whatever that of the points is; the angle tuple is the nearest one."""
    rng = np.random.default_rng(neurons)
    for _ in range(5):
        W, t = rng.normal(size=(neurons, dim)), rng.uniform(-1, 1, neurons)
        w, threshold = rng.normal(size=neurons), rng.uniform(-1, 1)
        genome = Grid(dim, neurons, r, "evolved").from_weights(W, t, w, threshold)
        hidden = Grid(dim, neurons, r).from_weights(W, t)
        output = Grid(neurons, 1, r).from_weights(w[None], [threshold])
        np.testing.assert_array_equal(genome, np.append(hidden, output))
        # of all tuples with that normal, rounded, none is nearer
        network = Network(Grid(dim, neurons, r, "evolved"), genome)
        found, bias = network.output_weights()
        unit = w / np.linalg.norm(w)
        assert np.abs(found - unit).max() < np.pi / r * np.sqrt(neurons)
        assert abs(bias - np.clip(threshold / np.linalg.norm(w), -1, 1)) <= 1 / r + 1e-12


@pytest.mark.parametrize("neuron", ["plain", "bent"])
@pytest.mark.parametrize("r", [8, 12])
def test_an_output_neuron_fires_where_its_sum_is_its_bias(neuron, r):
    """A sum of 0 at the bias 0, where no hidden neuron fires, and of 1 at the bias 1."""
    grid = Grid(2, 2, r, "evolved", neuron)
    bend = [r // 2] * (neuron == "bent")
    # one fires where x1 >= 1/2, the other nowhere in sight
    hidden = [0, 3 * r // 4, *bend, r // 4, r, *bend]
    X = np.array([[0.9, 0.0], [-0.9, 0.0]])
    for output, wanted in (
        ([0, r // 2], [True, True]),
        ([0, r // 2 + 1], [True, False]),
        ([0, r], [True, False]),
        ([r // 2, r // 2], [False, True]),
        ([r // 2, 0], [True, True]),
        ([r // 4, r // 2], [True, True]),
    ):
        network = Network(grid, [*hidden, *output])
        assert network.predict(X).tolist() == wanted
