"""Integer angles to unit normals, and half-spaces to outputs: the arithmetic of a network.

Every dot product is accumulated in index order, without fused or reordered operations. NumPy code
that adds column after column therefore agrees with these kernels bit for bit.
"""

import math

import numpy as np

from hyperna._kernels.jit import inline_kernel, inner_kernel, kernel
from hyperna._kernels.order import larger

# Codes of the output layers, those of `hyperna.network.outputs.OUTPUTS`; a network of one neuron
# has none and counts as OR.
OR, AND, XOR, EVOLVED = OUTPUT_CODES = range(4)

SQRT_HALF = math.sqrt(0.5)
EIGHTH = math.pi / 4  # an eighth of a turn in radians ...
EIGHTH_LOW = 3.061616997868383e-17  # ... and what rounding it to a float lost
SPLITTER = 134217729.0  # 2^27 + 1 cuts a float into two halves of 26 bits


@inline_kernel
def answer(join, neurons, firing, total, threshold):
    """Whether a network's output is 1, by the number of hidden neurons that fire.

    For an output neuron by the `total` of their weights in it, and its bias, the `threshold`.
    """
    if join == EVOLVED:
        return total >= threshold
    if join == XOR:
        return firing % 2 == 1
    return firing == neurons if join == AND else firing > 0


@inner_kernel
def two_product(a, b):
    """Return a*b as an unevaluated sum of two floats, without error (Dekker 1971)."""
    product = a * b
    shifted = SPLITTER * a
    a_high = shifted - (shifted - a)
    a_low = a - a_high
    shifted = SPLITTER * b
    b_high = shifted - (shifted - b)
    b_low = b - b_high
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


@inner_kernel
def cos_sin_octant(step, resolution):
    """Return cosine and sine of step/resolution eighths of a turn, 0 <= step <= resolution.

    The angle is carried as a sum of two floats, and both functions as Taylor series whose
    remainder is below 1e-18 on this range: the result is within one unit in the last place, and
    the same on every platform, which a system's mathematical library is not.
    """
    if step == resolution:
        return SQRT_HALF, SQRT_HALF
    fraction = step / resolution
    product, error = two_product(fraction, float(resolution))
    fraction_low = ((step - product) - error) / resolution
    x, x_low = two_product(fraction, EIGHTH)
    x_low += fraction * EIGHTH_LOW + fraction_low * EIGHTH
    z = x * x
    # cos x = 1 - z/2 + z^2 (1/4! - z/6! + ...), sin x = x - x z (1/3! - z/5! + ...)
    tail = 1 / 87178291200 - z * (1 / 20922789888000 - z / 6402373705728000)
    tail = 1 / 3628800 - z * (1 / 479001600 - z * tail)
    tail = z * z * (1 / 24 - z * (1 / 720 - z * (1 / 40320 - z * tail)))
    half = 0.5 * z
    main = 1.0 - half
    cosine = main + (((1.0 - main) - half) + (tail - x * x_low))
    if 3 * step == 2 * resolution:
        return cosine, 0.5
    tail = 1 / 6227020800 - z * (1 / 1307674368000 - z / 355687428096000)
    tail = 1 / 362880 - z * (1 / 39916800 - z * tail)
    tail = 1 / 6 - z * (1 / 120 - z * (1 / 5040 - z * tail))
    sine = x + (x_low * main - x * z * tail)
    return cosine, sine


@inner_kernel
def cos_sin_turn(phi, resolution):
    """Return cosine and sine of the angle phi/resolution of a turn.

    The angle is reduced to the first eighth of a turn in integers, so that multiples of a quarter
    and of a twelfth of a turn give exactly 0, ±1/2 and ±1, and mirrored angles give the same
    magnitude to the last bit.
    """
    eighths = 8 * (phi % resolution)
    octant = eighths // resolution
    step = eighths - octant * resolution
    if octant % 2 == 1:
        step = resolution - step
    cosine, sine = cos_sin_octant(step, resolution)
    if octant == 1 or octant == 2 or octant == 5 or octant == 6:
        cosine, sine = sine, cosine
    # Subtracting from 0 rather than negating keeps zeros positive.
    if 2 <= octant <= 5:
        cosine = 0.0 - cosine
    if octant >= 4:
        sine = 0.0 - sine
    return cosine, sine


@inner_kernel
def neuron_weights(genome, dim, resolution, first, out_w):
    """Write the unit normal of the neuron at component first into out_w; return its bias value."""
    if dim == 1:
        out_w[0] = 1.0 - 2.0 * genome[first]
        return (2.0 * genome[first + 1] - resolution) / resolution
    product = 1.0
    for k in range(dim - 1):
        cosine, sine = cos_sin_turn(genome[first + k], resolution)
        out_w[k] = product * cosine
        product *= sine
    out_w[dim - 1] = product
    return (2.0 * genome[first + dim - 1] - resolution) / resolution


@inner_kernel
def write_angles(weight, dim, resolution, genome, first):
    """Write the angles of a direction of any length to the genome, from component first on.

    They are rounded to the grid: the inverse of `neuron_weights`.
    """
    if dim == 1:
        genome[first] = 1 if weight[0] < 0.0 else 0
    rest = weight[dim - 1]
    tail = rest * rest
    for back in range(dim - 1):
        k = dim - 2 - back
        turns = math.atan2(rest, weight[k]) / (2.0 * math.pi)
        if turns < 0.0:
            turns += 1.0
        genome[first + k] = np.int64(np.rint(turns * resolution)) % resolution
        tail += weight[k] * weight[k]
        rest = math.sqrt(tail)


@kernel
def layer_weights(genome, resolution, first, W, b):
    """Write the normals and biases of neurons from component first on."""
    neurons, dim = W.shape
    for i in range(neurons):
        b[i] = neuron_weights(genome, dim, resolution, first + i * larger(dim, 2), W[i])


@kernel
def margins(X, W, b, result):
    """Write w·x - b for every point (row) and every neuron (column)."""
    n, dim = X.shape
    for p in range(n):
        for i in range(len(b)):
            dot = X[p, 0] * W[i, 0]
            for j in range(1, dim):
                dot += X[p, j] * W[i, j]
            result[p, i] = dot - b[i]


@kernel
def predict(X, W, b, output, output_w, output_b, result):
    """Write the network's output at every point."""
    n, dim = X.shape
    neurons = len(b)
    for p in range(n):
        firing, total = 0, 0.0
        for i in range(neurons):
            dot = X[p, 0] * W[i, 0]
            for j in range(1, dim):
                dot += X[p, j] * W[i, j]
            if dot >= b[i]:
                firing += 1
                if output == EVOLVED:
                    total += output_w[i]
                elif output == OR:
                    # one is enough
                    break
            elif output == AND:
                # so is one that does not fire
                break
        result[p] = answer(output, neurons, firing, total, output_b)
