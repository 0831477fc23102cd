"""Kernels of geometry: accurate, exact where that is possible, and equal to plain code."""

import math
import os
import subprocess
import sys
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

from hyperna._kernels.geometry import OUTPUT_CODES, layer_weights, margins, predict
from hyperna._kernels.geometry import cos_sin_turn as inner_cos_sin_turn
from hyperna._kernels.jit import kernel
from hyperna.network.outputs import OUTPUTS

ROOT = Path(__file__).parents[1]
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
SEEDS = st.integers(0, 2**32)
COMPILED = [name for name, output in OUTPUTS.items() if output.code in OUTPUT_CODES]


@kernel
def cos_sin_turn(phi, resolution):
    return inner_cos_sin_turn(phi, resolution)


@st.composite
def turns(draw):
    resolution = draw(st.one_of(st.integers(2, 100), st.integers(2, 2**40)))
    phi = draw(st.one_of(st.integers(0, resolution - 1), st.integers(0, min(resolution - 1, 9))))
    return phi, resolution


def series(x, first, exponent):
    """Sum the alternating Taylor series that begins with first."""
    term = total = first
    while abs(term) > Decimal("1e-45"):
        term *= -x * x / ((exponent + 1) * (exponent + 2))
        exponent += 2
        total += term
    return total


@given(turns())
def test_cosine_and_sine_are_right_to_the_last_place(turn):
    phi, resolution = turn
    with localcontext() as context:
        context.prec = 60
        x = 2 * PI * phi / resolution
        exact = series(x, Decimal(1), 0), series(x, x, 1)
        for value, truth in zip(cos_sin_turn(phi, resolution), exact, strict=True):
            if abs(truth) < Decimal("1e-30"):
                assert value == 0
            else:
                assert abs(Decimal(value) - truth) <= Decimal(math.ulp(value))


@pytest.mark.parametrize("resolution", [12, 24, 36, 1200, 12 * 10**10])
def test_twelfths_of_a_turn_are_exact(resolution):
    twelfth = resolution // 12
    root = math.sqrt(0.75)
    cosines = [1, root, 0.5, 0, -0.5, -root, -1, -root, -0.5, 0, 0.5, root]
    for k, cosine in enumerate(cosines):
        assert cos_sin_turn(k * twelfth, resolution) == (cosine, cosines[k - 3])


@pytest.mark.parametrize("resolution", [8, 120, 2**40])
def test_eighths_of_a_turn_have_equal_cosine_and_sine(resolution):
    for k in (1, 3, 5, 7):
        cosine, sine = cos_sin_turn(k * resolution // 8, resolution)
        assert abs(cosine) == abs(sine) == math.sqrt(0.5)


@pytest.mark.parametrize("resolution", [4, 8, 2**40])
def test_zeros_are_positive(resolution):
    for k in range(4):
        for value in cos_sin_turn(k * resolution // 4, resolution):
            assert value != 0 or math.copysign(1, value) == 1


@given(turns())
def test_mirrored_angles_agree_to_the_last_bit(turn):
    phi, r = turn
    cosine, sine = cos_sin_turn(phi, r)
    assert cos_sin_turn(-phi, r) == (cosine, -sine)
    assert cos_sin_turn(phi + r, r) == (cosine, sine)
    if 4 * r <= 2**40:
        quarter = r
        assert cos_sin_turn(4 * phi, 4 * r) == (cosine, sine)
        assert cos_sin_turn(4 * phi + quarter, 4 * r) == (-sine, cosine)
        assert cos_sin_turn(quarter - 4 * phi, 4 * r) == (sine, cosine)
        assert cos_sin_turn(2 * quarter - 4 * phi, 4 * r) == (-cosine, sine)


@given(st.integers(1, 12), st.integers(1, 8), st.integers(2, 2000), SEEDS)
def test_weights_are_running_products(dim, neurons, resolution, seed):
    rng = np.random.default_rng(seed)
    width = max(dim, 2)
    genome = rng.integers(0, 2 if dim == 1 else resolution, neurons * width)
    W, b = np.empty((neurons, dim)), np.empty(neurons)
    layer_weights(genome, resolution, 0, W, b)
    for i in range(neurons):
        w, part = W[i], genome[i * width : (i + 1) * width]
        assert b[i] == (2.0 * part[-1] - resolution) / resolution
        if dim == 1:
            assert w[0] == (1.0, -1.0)[part[0]]
            continue
        product = 1.0
        for k in range(dim - 1):
            cosine, sine = cos_sin_turn(part[k], resolution)
            assert w[k] == product * cosine
            product *= sine
        assert w[-1] == product


def column_by_column(X, w):
    total = X[:, 0] * w[0]
    for j in range(1, X.shape[1]):
        total += X[:, j] * w[j]
    return total


@given(st.integers(1, 12), st.integers(1, 8), st.sampled_from(COMPILED), SEEDS)
def test_outputs_equal_plain_numpy_to_the_last_bit(dim, neurons, output, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, dim))
    W = rng.standard_normal((neurons, dim))
    b = rng.standard_normal(neurons)
    # The first point of each neuron lies exactly on its boundary.
    for i in range(neurons):
        b[i] = column_by_column(X[i : i + 1], W[i])[0]
    output_w = rng.standard_normal(neurons)
    output_b = float(rng.standard_normal())
    expected = np.column_stack([column_by_column(X, W[i]) - b[i] for i in range(neurons)])
    result = np.empty_like(expected)
    margins(X, W, b, result)
    assert np.array_equal(result, expected)
    bits = expected >= 0
    assert bits[np.arange(neurons), np.arange(neurons)].all()
    if output == "evolved":
        answers = column_by_column(bits.astype(float), output_w) >= output_b
    else:
        # the rule itself: that a single neuron is joined with nothing is up to the grid
        answers = reference.JOINED[output](bits.sum(axis=1), neurons)
    result = np.empty(len(X), np.bool_)
    predict(X, W, b, OUTPUTS[output].code, output_w, output_b, result)
    assert result.dtype == bool
    assert np.array_equal(result, answers)


INTERPRETED = """\
import hashlib
import numpy as np
from hyperna._kernels import geometry
from hyperna.network.grid import Grid
from hyperna.network.networks import Network
rng = np.random.default_rng(0)
digest = hashlib.sha256()
for dim in (1, 2, 5):
    for resolution in (7, 1200, 2**40):
        grid = Grid(dim, 3, resolution, "evolved")
        genome = grid.random(rng)
        W, b = Network(grid, genome).weights()
        w, t = Network(grid, genome).output_weights()
        X = rng.standard_normal((200, dim))
        margins = np.empty((200, 3))
        geometry.margins(X, W, b, margins)
        for result in (W, b, w, margins):
            digest.update(result.tobytes())
        for output in geometry.OUTPUT_CODES:
            fires = np.empty(len(X), np.bool_)
            geometry.predict(X, W, b, output, w, t, fires)
            digest.update(fires.tobytes())
print(digest.hexdigest())
"""


def test_interpreted_and_compiled_runs_are_identical():
    results = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", INTERPRETED],
            env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    assert len(results[0]) == 65
    assert results[0] == results[1]
