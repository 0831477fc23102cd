"""Networks: what they compute, against slow references, and their way through text and JSON."""

import copy
import json
import math
import pickle

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperna.network.grid import MAX_RESOLUTION, Grid
from hyperna.network.networks import Network
from hyperna.network.neurons import NEURONS
from hyperna.network.outputs import OUTPUTS

SEEDS = st.integers(0, 2**32)


@st.composite
def networks(draw, max_dim=12, max_neurons=8):
    grid = Grid(
        draw(st.integers(1, max_dim)),
        draw(st.integers(1, max_neurons)),
        draw(st.one_of(st.integers(2, 40), st.integers(2, MAX_RESOLUTION))),
        draw(st.sampled_from(list(OUTPUTS))),
    )
    rng = np.random.default_rng(draw(SEEDS))
    return Network(grid, grid.random(rng, draw(st.sampled_from(["grid", "sphere"]))))


def fires(w, b, x):
    """The canonical neuron: the sum in index order, compared with the bias."""
    total = float(w[0]) * float(x[0])
    for j in range(1, len(x)):
        total += float(w[j]) * float(x[j])
    return total >= b


def definition(network, x):
    """Return hidden bits and output for one point, literally."""
    W, t = network.weights()
    bits = [fires(w, b, x) for w, b in zip(W, t, strict=True)]
    if network.grid.neurons > 1 and network.grid.output == "evolved":
        return bits, fires(*network.output_weights(), bits)
    return bits, reference.joined(bits, network.grid.output)


@given(networks(), SEEDS)
def test_hidden_bits_and_output_equal_the_definition(network, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((12, network.grid.dim))
    X[:6] /= np.linalg.norm(X[:6], axis=1, keepdims=True)
    X[6] = 0
    hidden, output, margin = network.hidden(X), network.predict(X), network.margin(X)
    assert hidden.dtype == output.dtype == bool
    assert np.array_equal(margin >= 0, hidden)
    for x, bits, bit in zip(X, hidden, output, strict=True):
        assert (bits.tolist(), bit) == definition(network, x)


@given(networks(), SEEDS)
def test_margins_are_signed_distances(network, seed):
    X = np.random.default_rng(seed).standard_normal((5, network.grid.dim))
    W, t = network.weights()
    np.testing.assert_allclose(network.margin(X), X @ W.T - t, atol=1e-12)


@given(st.integers(1, 12), st.integers(1, 8), st.integers(1, 2**39), SEEDS)
def test_and_is_or_with_the_classes_swapped(dim, neurons, half, seed):
    """De Morgan: the AND of the flipped half-spaces is where the OR is not, off the boundaries."""
    rng = np.random.default_rng(seed)
    grid = Grid(dim, neurons, 2 * half)
    union = Network(grid, grid.random(rng))
    W, t = union.weights()
    intersection = Network.from_weights(-W, -t, grid.resolution, "and")
    assert np.array_equal(intersection.weights()[0], -W)
    assert np.array_equal(intersection.weights()[1], -t)
    X = rng.standard_normal((30, dim))
    assert np.array_equal(intersection.predict(X), ~union.predict(X))


@given(networks())
def test_json_and_dict_round_trips_are_exact(network):
    again = Network.from_json(network.to_json())
    assert again == network
    assert hash(again) == hash(network)
    assert Network.from_dict(network.to_dict()) == network
    assert again.genome.tolist() == network.genome.tolist()


@given(networks())
def test_weights_round_trip_gives_the_same_function(network):
    again = Network.from_weights(
        *network.weights(),
        network.grid.resolution,
        network.grid.output,
        *(network.output_weights() or ()),
    )
    assert again.grid == network.grid
    for ours, theirs in zip(again.weights(), network.weights(), strict=True):
        assert np.array_equal(ours, theirs)


@given(networks(max_dim=4, max_neurons=3))
def test_copies_and_pickles_are_equal_and_immutable(network):
    for again in (pickle.loads(pickle.dumps(network)), copy.deepcopy(network)):
        assert again == network
        assert not again.genome.flags.writeable


def test_networks_are_values():
    grid = Grid(2, 1, 12)
    one, same, other = Network(grid, [3, 6]), Network(grid, np.array([3, 6])), Network(grid, [3, 7])
    assert one == same
    assert one != other
    assert one != Network(Grid(2, 1, 12, "and"), [3, 6])
    assert one != [3, 6]
    assert len({one, same, other}) == 2


def test_networks_are_immutable():
    genome = np.array([3, 6])
    network = Network(Grid(2, 1, 12), genome)
    genome[0] = 5
    assert network.genome.tolist() == [3, 6]
    with pytest.raises(ValueError, match="read-only"):
        network.genome[0] = 5
    with pytest.raises(AttributeError):
        network.genome = genome
    W, t = network.weights()
    W[:] = t[:] = 7
    assert network.weights()[0].tolist() == [[0.0, 1.0]]
    assert network.predict([[0, 1]]).all()


def test_the_bad_is_refused():
    with pytest.raises(TypeError, match="grid must be a Grid, got int"):
        Network(3, [1])
    with pytest.raises(ValueError, match="genome component 0 must be an integer from 0 to 11"):
        Network(Grid(2, 1, 12), [12, 0])
    with pytest.raises(ValueError, match=r"X must have shape \(n, 2\)"):
        Network(Grid(2, 1, 12), [0, 0]).predict([[1, 2, 3]])


def test_every_kind_of_array_is_accepted_and_left_alone():
    network = Network.from_weights(np.eye(3), [0.1, 0.2, 0.3], 1000)
    X = np.random.default_rng(0).standard_normal((50, 3)).astype(np.float32).astype(float)
    expected = network.predict(X)
    read_only = X.copy()
    read_only.flags.writeable = False
    strided = np.repeat(X, 2, axis=0)[::2]
    for points in (X.tolist(), X.astype(np.float32), np.asfortranarray(X), read_only, strided):
        before = np.array(points)
        assert np.array_equal(network.predict(points), expected)
        assert np.array_equal(points, before)


def test_closed_half_spaces_hold_their_boundary():
    """HALF at D = 2: angle pi/2 and bias 0; the axis itself is positive, exactly."""
    network = Network(Grid(2, 1, 1200), [300, 600])
    X = [[1, 0], [-1, 0], [1, -1e-300], [0, 1], [0, -1]]
    assert network.predict(X).tolist() == [True, True, False, True, False]


@settings(max_examples=30)
@given(st.integers(3, 6), SEEDS)
def test_an_evolved_output_solves_quarter_beyond_the_plane(dim, seed):
    """QUARTER is a wedge for D >= 3: an AND of two half-spaces, made from NOR of flipped ones."""
    W = np.zeros((2, dim))
    W[0, -2] = W[1, -1] = -1.0
    # Fires iff neither flipped neuron does: -(h1 + h2) >= -1/2 ... scaled to length one.
    network = Network.from_weights(W, [0, 0], 1200, "evolved", [-1, -1], -0.5)
    X = np.random.default_rng(seed).standard_normal((200, dim))
    assert np.array_equal(network.predict(X), (X[:, -2] > 0) & (X[:, -1] > 0))


@pytest.mark.parametrize(
    ("output", "head"),
    [("or", "x is positive if ANY of"), ("and", "x is positive if ALL of")],
)
def test_text_of_hard_wired_outputs(output, head):
    network = Network.from_weights([[1, 1], [0, -1]], [1, 0], 1200, output)
    assert str(network) == f"{head}\n  0.707*x1 + 0.707*x2 >= 0.707\n  -x2 >= 0"


def test_text_of_one_neuron_and_of_names():
    network = Network.from_weights([[3, -4, 0]], [2.5], 2**40, "evolved")
    assert str(network) == "x is positive if\n  0.6*x1 - 0.8*x2 >= 0.5"
    assert network.text(["a", "b", "c"]) == "x is positive if\n  0.6*a - 0.8*b >= 0.5"
    for names in (["a", "b"], ["a", "b", 3]):
        with pytest.raises(ValueError, match="feature_names must be 3 strings, got"):
            network.text(names)


def test_conditions_in_words():
    words = {
        ("or", 2): "if ANY of",
        ("and", 3): "if ALL of",
        ("xor", 2): "if EXACTLY ONE of",
        ("xor", 3): "if an ODD NUMBER of",
        ("xor", 1): "if",
        ("evolved", 3): "if",
    }
    for (output, neurons), text in words.items():
        assert OUTPUTS[output].condition(neurons) == text


def test_only_weights_that_round_to_one_are_left_out():
    network = Network.from_weights([[0.9949, 0.1], [0.99999, 0.001]], [0, 0.25], 2**40)
    lines = ["x is positive if ANY of", "0.995*x1 + 0.1*x2 >= 0", "x1 + 0.001*x2 >= 0.25"]
    assert str(network).splitlines() == [lines[0], f"  {lines[1]}", f"  {lines[2]}"]


def test_text_of_one_dimension():
    assert str(Network(Grid(1, 1, 4), [1, 3])) == "x is positive if\n  -x1 >= 0.5"


@given(networks(max_dim=5, max_neurons=4))
def test_text_has_a_line_for_every_neuron(network):
    lines = str(network).splitlines()
    assert len(lines) == 1 + network.grid.neurons + 2 * network.grid.has_output_neuron
    assert all(">=" in line for line in lines[-network.grid.neurons :])


def test_repr_builds_the_network_again():
    network = Network(Grid(2, 2, 8, "evolved"), [0, 6, 2, 4, 1, 6])
    assert eval(repr(network)) == network


GOOD = Network(Grid(2, 1, 8), [1, 7]).to_dict()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "format must be 'hyperna.network', got 'other'"),
        ({"version": 2}, "version must be 1, got 2; a newer version"),
        ({"version": "1"}, "version must be 1, got '1'"),
        ({"version": True}, "version must be 1, got True"),
        ({"dim": 2.0}, "dim must be an integer >= 1, got 2.0"),
        ({"dim": True}, "dim must be an integer >= 1, got True"),
        ({"dim": 10**12}, "genome must have 1000000000000 components"),
        ({"neurons": 0}, "neurons must be an integer >= 1, got 0"),
        ({"neurons": [1]}, "neurons must be an integer"),
        ({"resolution": 1}, "resolution must be an integer from 2 to"),
        ({"resolution": 10**100}, "resolution must be an integer from 2 to"),
        ({"resolution": None}, "resolution must be an integer from 2 to"),
        ({"output": "made up"}, "output must be one of"),
        ({"output": 1}, "output must be one of"),
        ({"genome": [1]}, "genome must have 2 components"),
        ({"genome": [1, 9]}, "genome component 1 must be an integer from 0 to 8, got 9"),
        ({"genome": [1, -1]}, "genome component 1 must be an integer from 0 to 8, got -1"),
        ({"genome": [1, 7.0]}, "genome component 1 must be an integer"),
        ({"genome": [1, "7"]}, "genome component 1 must be an integer"),
        ({"genome": [1, True]}, "genome component 1 must be an integer"),
        ({"genome": [1, None]}, "genome component 1 must be an integer"),
        ({"genome": [1, 10**30]}, "genome component 1 must be an integer from 0 to 8"),
        ({"genome": [[1], [7]]}, "genome must have 2 components"),
        ({"genome": [[1], [7, 8]]}, "genome component 0 must be an integer"),
        ({"genome": {"0": 1}}, "genome must be a list, got dict"),
        ({"genome": "17"}, "genome must be a list, got str"),
        ({"extra": 1}, r"must have only the keys .*; got also \['extra'\]"),
    ],
)
def test_documents_from_elsewhere_are_validated(change, message):
    with pytest.raises(ValueError, match=message):
        Network.from_json(json.dumps({**GOOD, **change}))


@pytest.mark.parametrize("key", list(GOOD))
def test_every_key_is_needed(key):
    document = {k: v for k, v in GOOD.items() if k != key}
    with pytest.raises(ValueError, match=rf"must have the keys .*; missing \['{key}'\]"):
        Network.from_dict(document)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "text must be the JSON of a network: Expecting value"),
        ("not json", "text must be the JSON of a network"),
        ("[1, 2]", "a network must be an object with keys, got list"),
        ("null", "a network must be an object with keys, got NoneType"),
        (json.dumps({**GOOD, "dim": math.nan}), "NaN is not a number that JSON knows"),
        (json.dumps({**GOOD, "dim": math.inf}), "Infinity is not a number that JSON knows"),
        ('{"dim": 1, "dim": 2}', "a key occurs twice"),
        pytest.param("[" * 10**5, "text must be the JSON of a network", id="deep"),
        pytest.param("1" * 10**4, "text must be the JSON of a network", id="long"),
    ],
)
def test_text_that_is_no_network_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        Network.from_json(text)


def test_only_text_is_parsed():
    with pytest.raises(TypeError, match="text must be a str, got bytes"):
        Network.from_json(b"{}")


@given(st.integers(1, 3), st.sampled_from(list(OUTPUTS)), st.integers(2, 40))
def test_a_component_must_be_below_its_modulus(neurons, output, resolution):
    grid = Grid(2, neurons, resolution, output)
    zeros = np.zeros(grid.components, np.int64)
    for place, modulus in enumerate(np.asarray(grid.moduli).tolist()):
        largest = zeros.copy()
        largest[place] = modulus - 1
        assert Network(grid, largest).genome[place] == modulus - 1
        for wrong in (modulus, -1):
            genome = zeros.copy()
            genome[place] = wrong
            with pytest.raises(ValueError, match="genome"):
                Network(grid, genome)


@pytest.mark.parametrize("kind", NEURONS)
def test_one_neuron_answers_for_itself_under_every_output(kind, monkeypatch):
    from hyperna.fitness import FiniteSet
    from hyperna.network.outputs import Output

    def none(bits):
        return ~bits.any(axis=1)

    # a name with a space is never that of an output
    monkeypatch.setitem(OUTPUTS, "not any", Output("not any", "none fires", -1, none))
    X = np.random.default_rng(0).uniform(-0.7, 0.7, (40, 2))
    for output in OUTPUTS:
        grid = Grid(2, 1, 24, output, kind)
        network = Network(grid, grid.random(np.random.default_rng(1)))
        fires = network.hidden(X)[:, 0]
        assert 0 < fires.sum() < 40
        assert (network.predict(X) == fires).all()
        assert FiniteSet(X, fires)(network) == 1.0


def test_an_output_that_kernels_do_not_know_is_never_taken_for_another(monkeypatch):
    from hyperna import OnePlusOneNA, problem
    from hyperna.fitness import FiniteSet, fitness_of
    from hyperna.network.outputs import Output

    def most(bits):
        return 2 * bits.sum(axis=1) > bits.shape[1]

    # neither a name with a space nor a negative code is ever that of an output
    monkeypatch.setitem(OUTPUTS, "made up", Output("made up", "most fire", -1, most))
    X = np.random.default_rng(0).uniform(-0.7, 0.7, (40, 2))
    grid = Grid(2, 3, 24, "made up")
    network = Network(grid, grid.random(np.random.default_rng(1)))
    assert (network.predict(X) == most(network.hidden(X))).all()
    for fitness in (fitness_of(problem("half")), FiniteSet(X, X[:, 0] > 0)):
        with pytest.raises(ValueError, match="output 'made up' has no compiled form"):
            fitness.scores(network.genome[None], grid)
        with pytest.raises(ValueError, match=r"output must be one of .*, got 'made up'"):
            OnePlusOneNA(neurons=3, output="made up").run(fitness, seed=0)
