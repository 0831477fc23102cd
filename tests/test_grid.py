"""The grid: moduli, conversions both ways and random genomes, against slow references."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperna.network.grid import MAX_RESOLUTION, Grid
from hyperna.network.networks import Network
from hyperna.network.neurons import NEURONS
from hyperna.network.outputs import OUTPUTS

RESOLUTIONS = st.one_of(
    st.integers(2, 40), st.integers(2, 5000), st.integers(MAX_RESOLUTION - 9, MAX_RESOLUTION)
)


@st.composite
def grids(draw, max_dim=12, max_neurons=8):
    return Grid(
        draw(st.integers(1, max_dim)),
        draw(st.integers(1, max_neurons)),
        draw(RESOLUTIONS),
        draw(st.sampled_from(list(OUTPUTS))),
    )


@st.composite
def genomes(draw, **limits):
    grid = draw(grids(**limits))
    kind = draw(st.sampled_from(["uniform", "small", "special"]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    genome = rng.integers(0, grid.moduli)
    if kind == "small":
        genome = np.minimum(rng.integers(0, 3, grid.components), grid.moduli - 1)
    elif kind == "special":
        genome = grid.moduli * rng.integers(0, 12, grid.components) // 12
    return grid, genome


def neuron_reference(components, dim, resolution):
    """Section 1 of the definitions, literally."""
    *angles, bias = (int(value) for value in components)
    b = 2 * bias / resolution - 1
    if dim == 1:
        return [(1.0, -1.0)[angles[0]]], b
    a = [2 * math.pi * phi / resolution for phi in angles]
    w = [math.prod(map(math.sin, a[:k])) * math.cos(a[k]) for k in range(dim - 1)]
    return [*w, math.prod(map(math.sin, a))], b


@given(genomes())
def test_normals_and_biases_follow_the_definition(case):
    grid, genome = case
    W, b = Network(grid, genome).weights()
    assert W.shape == (grid.neurons, grid.dim)
    assert np.array_equal(b, grid.parameters(genome)[0])
    for i in range(grid.neurons):
        part = genome[i * grid.width : (i + 1) * grid.width]
        w_expected, b_expected = neuron_reference(part, grid.dim, grid.resolution)
        assert W[i] == pytest.approx(w_expected, abs=1e-14)
        assert b[i] == pytest.approx(b_expected, abs=1e-15)
    np.testing.assert_allclose(np.linalg.norm(W, axis=1), 1.0, rtol=1e-14)
    output = Network(grid, genome).output_weights()
    assert (output is not None) == (grid.output == "evolved" and grid.neurons > 1)
    if output is not None:
        w_expected, b_expected = neuron_reference(
            genome[-grid.neurons :], grid.neurons, grid.resolution
        )
        assert output[0] == pytest.approx(w_expected, abs=1e-14)
        assert output[1] == pytest.approx(b_expected, abs=1e-15)


@given(genomes())
def test_weights_and_back_give_the_same_hyperplanes_to_the_last_bit(case):
    grid, genome = case
    output = Network(grid, genome).output_weights()
    back = grid.from_weights(*Network(grid, genome).weights(), *(output or ()))
    assert np.array_equal(back[grid.bias_components], genome[grid.bias_components])
    for ours, theirs in zip(*(Network(grid, g).weights() for g in (back, genome)), strict=True):
        assert np.array_equal(ours, theirs)
    if output is not None:
        assert np.array_equal(Network(grid, back).output_weights()[0], output[0])
    assert np.array_equal(grid.check(back), back)


@given(genomes(max_dim=2))
def test_in_the_plane_weights_and_back_give_the_same_hidden_genome(case):
    grid, genome = case
    output = Network(grid, genome).output_weights()
    back = grid.from_weights(*Network(grid, genome).weights(), *(output or ()))
    assert np.array_equal(back[: grid.output_start], genome[: grid.output_start])


@given(genomes(), st.integers(-300, 300))
def test_scaling_a_neuron_changes_nothing(case, exponent):
    grid, genome = case
    W, b = Network(grid, genome).weights()
    output = Network(grid, genome).output_weights() or ()
    scale = 2.0**exponent
    assert np.array_equal(
        grid.from_weights(W, b, *output), grid.from_weights(scale * W, scale * b, *output)
    )


@given(st.integers(3, 12), st.integers(2, 1000), st.integers(0, 2**32))
def test_mirror_images_share_the_normal(dim, half, seed):
    grid = Grid(dim, 1, 2 * half)
    rng = np.random.default_rng(seed)
    genome = grid.random(rng)
    mirrored = genome.copy()
    k = int(rng.integers(0, dim - 2))
    mirrored[k] = -genome[k] % grid.resolution
    mirrored[k + 1] = (genome[k + 1] + half) % grid.resolution
    assert np.array_equal(Network(grid, genome).weights()[0], Network(grid, mirrored).weights()[0])


@settings(max_examples=50)
@given(st.integers(2, 4), st.integers(2, 9), st.integers(0, 2**32))
def test_rounding_stays_within_half_a_step_of_every_angle(dim, resolution, seed):
    """Half a step in each of D - 1 angles moves a unit vector by at most their sum."""
    grid = Grid(dim, 1, resolution)
    w = np.random.default_rng(seed).standard_normal((1, dim))
    w /= np.linalg.norm(w)
    W, _ = Network(grid, grid.from_weights(w, [0.0])).weights()
    # At odd resolution a mirror image is rounded, by half a step like any other.
    assert np.arccos(np.clip((W * w).sum(), -1, 1)) <= (dim - 1) * math.pi / resolution + 1e-12


@given(st.integers(2, 5000))
def test_in_the_plane_the_nearest_normal_is_found(resolution):
    grid = Grid(2, 1, resolution)
    w = np.random.default_rng(resolution).standard_normal(2)
    every = np.arange(resolution) * (2 * math.pi / resolution)
    closeness = w[0] * np.cos(every) + w[1] * np.sin(every)
    phi = grid.from_weights([w], [0.0])[0]
    assert closeness[phi] == pytest.approx(closeness.max(), abs=1e-12)


def test_thresholds_beyond_the_length_are_clipped():
    grid = Grid(2, 3, 10)
    genome = grid.from_weights([[0, 2], [0, 2], [0, 1e-200]], [2.5, -7, 1e200])
    assert grid.parameters(genome)[0].tolist() == [1.0, -1.0, 1.0]


def test_extreme_weights_keep_their_direction():
    grid = Grid(3, 1, 360)
    expected = grid.from_weights([[1.0, 2.0, -3.0]], [1.0])
    for scale in (1e-300, 5e307):
        W = np.array([[1.0, 2.0, -3.0]]) * scale
        assert np.array_equal(grid.from_weights(W, [scale]), expected)


def test_layout_in_the_plane():
    grid = Grid(2, 3, 120, "evolved")
    assert grid.width == 2
    assert grid.components == 9
    assert grid.output_start == 6
    assert grid.moduli.tolist() == [120, 121, 120, 121, 120, 121, 120, 120, 121]
    assert grid.bias_components.tolist() == [1, 3, 5, 8]


def test_layout_in_one_dimension():
    grid = Grid(1, 2, 10, "evolved")
    assert grid.width == 2
    assert grid.moduli.tolist() == [2, 11, 2, 11, 10, 11]
    W, b = Network(grid, [0, 10, 1, 0, 0, 5]).weights()
    assert W.tolist() == [[1.0], [-1.0]]
    assert b.tolist() == [1.0, -1.0]


@given(grids())
def test_number_of_components(grid):
    inputs = max(grid.dim, 2) * grid.neurons
    output = grid.neurons if grid.output == "evolved" and grid.neurons >= 2 else 0
    assert grid.components == len(grid.moduli) == inputs + output
    assert grid.moduli.dtype == np.int64
    assert (grid.moduli[grid.bias_components] == grid.resolution + 1).all()


def test_one_neuron_has_no_output_layer():
    assert Grid(3, 1, 8, "evolved").components == 3
    assert Grid(3, 1, 8, "evolved").output_code == Grid(3, 1, 8, "or").output_code


def test_grids_are_values():
    assert Grid(2, 1, np.int64(12)) == Grid(2, 1, 12)
    assert len({Grid(2, 1, 12), Grid(2, 1, 12), Grid(2, 1, 12, "and")}) == 2
    with pytest.raises(AttributeError):
        Grid(2, 1, 12).dim = 3


@pytest.mark.parametrize("neuron", NEURONS)
@pytest.mark.parametrize("output", OUTPUTS)
def test_grids_travel_between_processes(output, neuron):
    grid = Grid(3, 2, 12, output, neuron)
    again = pickle.loads(pickle.dumps(grid))
    assert again == grid
    assert (again.output, again.neuron) == (output, neuron)


@pytest.mark.parametrize("init", ["grid", "sphere"])
@pytest.mark.parametrize("dim", [1, 2, 5])
@pytest.mark.parametrize("output", OUTPUTS)
def test_random_genomes_lie_on_the_grid_and_repeat(init, dim, output):
    grid = Grid(dim, 3, 7, output)
    first = grid.random(np.random.default_rng(5), init)
    assert np.array_equal(grid.check(first), first)
    assert np.array_equal(grid.random(np.random.default_rng(5), init), first)


def chi_square(counts):
    expected = counts.sum() / len(counts)
    return ((counts - expected) ** 2).sum() / expected


def test_grid_initialisation_is_uniform_on_every_component():
    grid = Grid(2, 2, 5, "evolved")
    rng = np.random.default_rng(1)
    sample = np.array([grid.random(rng) for _ in range(6000)])
    for column, modulus in zip(sample.T, grid.moduli, strict=True):
        counts = np.bincount(column, minlength=modulus)
        assert len(counts) == modulus
        assert chi_square(counts) < 25  # beyond the 99.9 % quantile of 5 degrees of freedom


@pytest.mark.parametrize("dim", [2, 3, 8])
def test_sphere_initialisation_has_uniform_normals_and_biases(dim):
    grid = Grid(dim, 500, 2**20)
    rng = np.random.default_rng(dim)
    layers = [Network(grid, grid.random(rng, "sphere")).weights() for _ in range(10)]
    W = np.concatenate([w for w, _ in layers])
    b = np.concatenate([b for _, b in layers])
    # Var(w_k^2) = 2 (D - 1) / (D^2 (D + 2)); five standard errors of the mean of 5000.
    variance = 2 * (dim - 1) / (dim**2 * (dim + 2))
    assert (W**2).mean(axis=0) == pytest.approx(1 / dim, abs=5 * math.sqrt(variance / 5000))
    assert W.mean(axis=0) == pytest.approx(0, abs=5 / math.sqrt(dim * 5000))
    assert chi_square(np.histogram(b, bins=10, range=(-1, 1))[0]) < 28


def test_uniform_angles_are_not_uniform_normals():
    grid = Grid(5, 2000, 2**20)
    W, _ = Network(grid, grid.random(np.random.default_rng(0))).weights()
    # E[w_k^2] halves with every angle, as the definitions say.
    assert (W**2).mean(axis=0) == pytest.approx([1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 16], abs=0.02)


def test_without_bias_every_bias_value_is_zero():
    grid = Grid(3, 2, 12, "evolved")
    for init in ("grid", "sphere"):
        genome = grid.random(np.random.default_rng(0), init, bias=False)
        assert grid.parameters(genome)[0].tolist() == [0.0, 0.0]
        assert Network(grid, genome).output_weights()[1] == 0.0
    with pytest.raises(ValueError, match=r"resolution must be even .* got 7"):
        Grid(2, 1, 7).random(np.random.default_rng(0), bias=False)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((0, 1, 8), ValueError, "dim must be an integer >= 1, got 0"),
        ((2, 0, 8), ValueError, "neurons must be an integer >= 1, got 0"),
        ((2, 1, 1), ValueError, "resolution must be an integer from 2 to 1099511627776, got 1"),
        ((2, 1, 2**40 + 1), ValueError, "got 1099511627777"),
        ((2, 1, 8.0), TypeError, "resolution must be an integer"),
        (
            (2, 1, 8, "made up"),
            ValueError,
            "output must be one of 'or', 'and', 'xor'.* got 'made up'",
        ),
    ],
)
def test_bad_shapes_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        Grid(*arguments)


@pytest.mark.parametrize(
    ("genome", "error", "message"),
    [
        ([8, 0], ValueError, "genome component 0 must be an integer from 0 to 7, got 8"),
        ([0, 9], ValueError, "genome component 1 must be an integer from 0 to 8, got 9"),
        ([-1, 0], ValueError, "got -1"),
        ([0, 2**63], ValueError, "genome component 1 must be an integer from 0 to"),
        ([0, 10**30], ValueError, "genome component 1 must be an integer from 0 to"),
        ([0.0, 1.0], TypeError, "genome component 0 must be an integer"),
        ([True, False], TypeError, "genome component 0 must be an integer"),
        ([0, True], TypeError, "genome component 1 must be an integer from 0 to 8, got True"),
        (np.zeros(2), TypeError, "genome component 0 must be an integer"),
        ([[0], [1, 2]], TypeError, "genome component 0 must be an integer"),
        ([0, None], TypeError, "genome component 1 must be an integer"),
        ([0], ValueError, r"genome must have 2 components, got shape \(1,\)"),
        ([[0, 1]], ValueError, r"genome must have 2 components, got shape \(1, 2\)"),
    ],
)
def test_bad_genomes_are_named(genome, error, message):
    with pytest.raises(error, match=message):
        Grid(2, 1, 8).check(genome)


def test_check_copies_and_accepts_every_integer_type():
    grid = Grid(2, 1, 8)
    genome = np.array([7, 8])
    assert not np.shares_memory(grid.check(genome), genome)
    for values in ((7, 8), genome.astype(np.uint8), genome.astype(object)):
        checked = grid.check(values)
        assert checked.dtype == np.int64
        assert checked.tolist() == [7, 8]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0.0, 0.0], [0.0, 1.0]], [0, 0]), "W must give every neuron a direction.* row 0"),
        (([[1.0, 0.0]], [0]), r"W must have shape \(2, 2\), got shape \(1, 2\)"),
        (([[1.0, 0.0], [0.0, math.inf]], [0, 0]), "W must be finite, got inf"),
        (([[1.0, 0.0], [0.0, 1.0]], [0]), r"t must have shape \(2,\), got shape \(1,\)"),
        (([[1.0, 0.0], [0.0, 1.0]], [0, 0], [1, 1], 1), "output_w and output_t must be left out"),
    ],
)
def test_bad_weights_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        Grid(2, 2, 8).from_weights(*arguments)


def test_an_evolved_output_needs_its_weights():
    with pytest.raises(ValueError, match="output_w and output_t must be given"):
        Grid(2, 2, 8, "evolved").from_weights(np.eye(2), [0, 0])


def test_random_needs_a_generator():
    with pytest.raises(TypeError, match=r"rng must be a numpy.random.Generator, got int"):
        Grid(2, 1, 8).random(0)
    with pytest.raises(ValueError, match="init must be one of 'grid', 'sphere', got 'cube'"):
        Grid(2, 1, 8).random(np.random.default_rng(0), "cube")


def test_where_biases_and_angles_are():
    bent = Grid(3, 2, 12, "evolved", neuron="bent")
    assert bent.bias_components.tolist() == [2, 6, 9]
    assert np.flatnonzero(bent.rotations(1).pairs).tolist() == [0, 1, 4, 5, 8]
    plain = Grid(3, 2, 12)
    assert plain.bias_components.tolist() == [2, 5]
    assert np.flatnonzero(plain.rotations(1).pairs).tolist() == [0, 1, 3, 4]
